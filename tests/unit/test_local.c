/* The machine itself as a source: src/collect/local.c and local_tables.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/slice.h"
#include "collect/local.h"
#include "folder.h"

#define T1 "ks/readings-5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define T2 "ks/other-6a1c3f70b1d011ee8c55a5d4f2f1c0de"

struct sheet {
	struct arena *arena;
	char *dir;
	struct local_options options;
	struct live_guide guide;
	struct live_directories directories;
	int release;
	const char *seen;		/* a line for each piece */
	const char *commands;		/* a line for each command */
	const char *gone, *fresh;	/* removed and made when the first Statistics.db was seen */
};

/* Whose evidence it is has to be said each time. */
static const struct sheet *asked_of(void *ctx, const char *node)
{
	assert_string_equal(node, "n");
	return ctx;
}

static int guide_release(void *ctx, const char *node)
{
	return asked_of(ctx, node)->release;
}

static void guide_directories(void *ctx, const char *node, struct arena *a,
			      struct live_directories *out)
{
	const struct sheet *s = asked_of(ctx, node);

	for (size_t i = 0; i < s->directories.list.n; i++)
		*vec_add(a, &out->list) = s->directories.list.v[i];
}

static bool guide_wants(void *ctx, const char *keyspace, const char *directory)
{
	(void)ctx;
	return strcmp(keyspace, "system") != 0 && strchr(directory, '-');
}

static void guide_tables(void *ctx, const char *node, struct arena *a, struct live_tables *out)
{
	(void)asked_of(ctx, node);
	*vec_add(a, &out->list) = (struct live_table){ "ks", "readings" };
}

static bool guide_has_schema(void *ctx)
{
	(void)ctx;
	return false;
}

static void add(struct sheet *s, const char *name, const char *text)
{
	if (!folder_add(s->arena, s->dir, name, slice_of(text)))
		fail_msg("%s cannot be written", name);
}

static const char *in(struct sheet *s, const char *name)
{
	return arena_printf(s->arena, "%s/%s", s->dir, name);
}

/* Only what the name is about: commands that are not asked about end well and print nothing. */
static int setup(void **state)
{
	struct sheet *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->arena = arena_create();
	s->dir = folder_create(s->arena);
	s->seen = s->commands = "";
	s->release = 50006;
	s->guide = (struct live_guide){ s, guide_release, guide_directories, guide_wants,
					guide_tables, guide_has_schema };
	s->options = (struct local_options){
		.nodetool = "true", .cqlsh = "false", .sstablemetadata = "echo", .node = "n",
		.timeout_s = 60, .command_timeout_s = 20, .guide = &s->guide,
	};
	*state = s;
	return s->dir ? 0 : -1;
}

static int teardown(void **state)
{
	struct sheet *s = *state;

	folder_remove(s->arena, s->dir);
	arena_destroy(s->arena);
	free(s);
	return 0;
}

/* Paths of this run's folder stand as "DIR". */
static const char *without_dir(struct sheet *s, const char *text)
{
	const char *at;

	while ((at = strstr(text, s->dir)))
		text = arena_printf(s->arena, "%.*sDIR%s", (int)(at - text), text,
				    at + strlen(s->dir));
	return text;
}

static void see(void *ctx, const struct evidence *ev)
{
	struct sheet *s = ctx;
	unsigned shown = EV_LISTING | EV_STATISTICS_DB | EV_KEYS_DB | EV_SSTABLEMETADATA |
			 EV_SETTINGS | EV_SCHEMA;

	assert_int_equal(ev->err.kind, ERR_NONE);
	assert_string_equal(ev->node, "n");
	if (ev->kind == EV_STATISTICS_DB && s->gone) {
		assert_int_equal(unlink(in(s, s->gone)), 0);
		s->gone = NULL;
		if (s->fresh)
			add(s, s->fresh, "new");
	}
	if (ev->command)
		s->commands = arena_printf(s->arena, "%s%s -> %s%lld%s%s\n", s->commands,
					   without_dir(s, ev->command),
					   ev->signal ? ev->signal : "",
					   (long long)ev->exit_status.v,
					   ev->errout && *ev->errout ? " " : "",
					   ev->errout ? without_dir(s, ev->errout) : "");
	if ((ev->kind & shown) && ev->out.p)
		s->seen = arena_printf(s->arena, "%s%s|%s\n", s->seen, ev->relative,
				       without_dir(s, arena_copy(s->arena, ev->out)));
}

static void read_local(struct sheet *s)
{
	struct err err = { 0 };
	struct source *source = source_local_open(s->arena, &s->options, &err);

	assert_non_null(source);
	if (!source_local.read(source, see, s, &err))
		fail_msg("%s", err.text);
	source_local.close(source);
}

static void assert_text(const char *got, const char *expected)
{
	if (strcmp(got, expected) != 0)
		fail_msg("\n%s\ninstead of\n%s", got, expected);
}

static void assert_has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no '%s' in\n%s", line, text);
}

static void touch(struct sheet *s, const char *name, int64_t mtime_s)
{
	struct timespec times[2] = { { .tv_sec = (time_t)mtime_s }, { .tv_sec = (time_t)mtime_s } };

	assert_int_equal(utimensat(AT_FDCWD, in(s, name), times, 0), 0);
}

static void use_directory(struct sheet *s, const char *name)
{
	*vec_add(s->arena, &s->directories.list) = (struct live_directory){ "ks", in(s, name) };
}

/* Which commands, in which order: what matters first. */
static void test_commands(void **state)
{
	struct sheet *s = *state;

	add(s, "data/" T1 "/nb-1-big-TOC.txt", "x");
	use_directory(s, "data/" T1);
	read_local(s);
	assert_text(
		s->commands,
		"the clock -> 0\ntrue version -> 0\ntrue datapaths -> 0\n"
		"false -e 'SELECT JSON * FROM system_schema.tables' -> 1\n"
		"list DIR/data/" T1 " -> 0\ntrue tablestats -> 0\ntrue compactionstats -> 0\n"
		"true status -> 0\ntrue statusautocompaction -a -> 0\ntrue describecluster -> 0\n"
		"true info -> 0\ndf -P -k DIR/data -> 0\ntrue tablehistograms ks readings -> 0\n");
}

/* Older releases have not all of them. */
static void test_older_release(void **state)
{
	static const struct { int release; bool datapaths, autocompaction; } cases[] = {
		{ 0, true, true }, { 31119, false, false }, { 40017, false, true },
		{ 40109, true, true },
	};
	struct sheet *s = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		s->release = cases[i].release;
		s->commands = "";
		read_local(s);
		if (!strstr(s->commands, "true datapaths") == cases[i].datapaths ||
		    !strstr(s->commands, "statusautocompaction") == cases[i].autocompaction)
			fail_msg("%d:\n%s", cases[i].release, s->commands);
	}
}

static void test_directory(void **state)
{
	static const char *const names[] = {
		"nb-1-big-Data.db", "nb-1-big-Statistics.db", "nb-1-big-Summary.db",
		"oa-2-big-Statistics.db", "oa-2-big-Summary.db", "da-3-bti-Statistics.db",
		"da-3-bti-Partitions.db", "me-4-big-Statistics.db", "nb_txn.log",
	};
	struct sheet *s = *state;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *name = arena_printf(s->arena, "data/" T1 "/%s", names[i]);

		add(s, name, "abc");
		touch(s, name, 1796061782 + (int64_t)i);
	}
	add(s, "data/" T1 "/snapshots/x/nb-9-big-Statistics.db", "no");
	add(s, "data/" T1 "/.index/nb-9-big-Statistics.db", "no");
	assert_int_equal(symlink("/etc/passwd", in(s, "data/" T1 "/nb-8-big-Statistics.db")), 0);
	use_directory(s, "data/" T1);
	read_local(s);
	assert_text(
		s->seen,
		"sstables/0/" T1 "/da-3-bti-Statistics.db|abc\n"
		"sstables/0/" T1 "/me-4-big-Statistics.db|abc\n"
		"sstables/0/" T1 "/nb-1-big-Statistics.db|abc\n"
		"sstables/0/" T1 "/nb-1-big-Summary.db|abc\n"
		"sstables/0/" T1 "/oa-2-big-Statistics.db|abc\n"
		"sstables/0/" T1 "/listing.tsv|name\tbytes\tmtime_s\n"
		"da-3-bti-Partitions.db\t3\t1796061788\nda-3-bti-Statistics.db\t3\t1796061787\n"
		"me-4-big-Statistics.db\t3\t1796061789\nnb-1-big-Data.db\t3\t1796061782\n"
		"nb-1-big-Statistics.db\t3\t1796061783\nnb-1-big-Summary.db\t3\t1796061784\n"
		"nb_txn.log\t3\t1796061790\n"
		"oa-2-big-Statistics.db\t3\t1796061785\noa-2-big-Summary.db\t3\t1796061786\n\n");
}

/* Compacted away between listing and reading: listed again, and what took its place is read. */
static void test_vanished(void **state)
{
	struct sheet *s = *state;

	add(s, "data/" T1 "/nb-1-big-Statistics.db", "one");
	add(s, "data/" T1 "/nb-2-big-Statistics.db", "two");
	touch(s, "data/" T1 "/nb-1-big-Statistics.db", 5);
	s->gone = "data/" T1 "/nb-2-big-Statistics.db";
	s->fresh = "data/" T1 "/nb-3-big-Statistics.db";
	use_directory(s, "data/" T1);
	read_local(s);
	assert_has(s->seen, "sstables/0/" T1 "/nb-1-big-Statistics.db|one\n"
			    "sstables/0/" T1 "/nb-3-big-Statistics.db|new\n"
			    "sstables/0/" T1 "/listing.tsv|name\tbytes\tmtime_s\n"
			    "nb-1-big-Statistics.db\t3\t5\nnb-3-big-Statistics.db\t3\t");
	assert_null(strstr(s->seen, "nb-2"));
	assert_has(s->commands, "list DIR/data/" T1 " -> 0\n");
}

/* Two data directories have numbers, whether datapaths tells them or cassandra.yaml. */
static void test_disks(void **state)
{
	struct sheet *s = *state;
	const char *yaml = in(s, "cassandra.yaml"), *expected;

	add(s, "d1/" T1 "/x", "1");
	add(s, "d2/" T1 "/x", "2");
	add(s, "d2/" T2 "/x", "3");
	add(s, "d2/system/local-1/x", "no");
	add(s, "d2/ks/folder/x", "no");
	for (int i = 0; i < 3; i++)
		touch(s, i == 0 ? "d1/" T1 "/x" : i == 1 ? "d2/" T1 "/x" : "d2/" T2 "/x", 7);
	add(s, "cassandra.yaml", arena_printf(s->arena, "data_file_directories: [ %s, %s ]\n",
					      in(s, "d1"), in(s, "d2/")));
	expected = "sstables/0/" T1 "/listing.tsv|name\tbytes\tmtime_s\nx\t1\t7\n\n"
		   "sstables/1/" T2 "/listing.tsv|name\tbytes\tmtime_s\nx\t1\t7\n\n"
		   "sstables/1/" T1 "/listing.tsv|name\tbytes\tmtime_s\nx\t1\t7\n\n";
	s->options.settings = &yaml;
	s->options.n_settings = 1;
	read_local(s);
	assert_has(s->seen, "cassandra.yaml.txt|data_file_directories: [ DIR/d1, DIR/d2/ ]\n\n");
	assert_has(s->seen, expected);
	s->seen = "";
	s->options.n_settings = 0;
	use_directory(s, "d1/" T1);
	use_directory(s, "d2/" T2);
	use_directory(s, "d2/" T1);
	read_local(s);
	assert_text(s->seen, expected);
}

/* What can't be read here is asked of the tool, in batches, and the reason is kept. */
static void test_unreadable(void **state)
{
	static char large[(1 << 20) + 2];
	struct sheet *s = *state;

	memset(large, 'x', sizeof(large) - 1);
	add(s, "data/" T1 "/nb-1-big-Statistics.db", large);
	add(s, "data/" T1 "/nb-2-big-Statistics.db", "two");
	add(s, "data/" T1 "/nb-3-big-Statistics.db", large);
	use_directory(s, "data/" T1);
	use_directory(s, "data/" T2);
	read_local(s);
	assert_has(s->seen, "sstables/0/" T1 "/nb-2-big-Statistics.db|two\n");
	assert_has(s->seen, "sstablemetadata/ks.readings.txt|DIR/data/" T1 "/nb-1-big-Data.db "
			    "DIR/data/" T1 "/nb-3-big-Data.db\n");
	assert_has(s->commands, "read Statistics.db -> 1 nb-1-big-Statistics.db cannot be read: is "
				"larger than 1 MiB: no Statistics.db is (and 1 more)\n"
				"echo <2 files> -> 0\n");
	assert_has(s->commands,
		   "list DIR/data/" T2 " -> 1 cannot be read: No such file or directory\n");
}

/* More files than one call takes, a call that fails: the others' outputs are kept. */
static void test_batches(void **state)
{
	static char large[(1 << 20) + 2];
	struct sheet *s = *state;

	memset(large, 'x', sizeof(large) - 1);
	for (int i = 0; i < 65; i++)
		add(s, arena_printf(s->arena, "data/" T1 "/nb-%03d-big-Statistics.db", i), large);
	add(s, "tool", "#!/bin/sh\necho \"$#\"\n[ $# -lt 64 ] || { echo bad >&2; exit 3; }\n");
	assert_int_equal(chmod(in(s, "tool"), 0700), 0);
	s->options.sstablemetadata = in(s, "tool");
	use_directory(s, "data/" T1);
	read_local(s);
	assert_has(s->seen, "sstablemetadata/ks.readings.txt|64\n1\n");
	assert_has(s->commands, "DIR/tool <65 files> -> 3 bad\n");
}

/* Out of time: nothing more is begun, and each piece says so. */
static void test_no_time(void **state)
{
	struct sheet *s = *state;

	add(s, "data/" T1 "/nb-1-big-Statistics.db", "one");
	use_directory(s, "data/" T1);
	s->options.timeout_s = 0;
	read_local(s);
	assert_text(s->seen, "");
	assert_has(s->commands,
		   "true version -> 124 not run: the time for the whole run was over\n");
	assert_has(s->commands,
		   "list DIR/data/" T1 " -> 124 not run: the time for the whole run was "
		   "over\n");
	assert_has(s->commands, "true tablehistograms ks readings -> 124 not run: ");
}

/* cqlsh's rows are put together; what ends it early is kept with what came before. */
static void test_schema(void **state)
{
	static const char answer[] =
		"#!/bin/sh\ncase $2 in\n*.views) echo 'no views here' >&2; exit 2 ;;\nesac\n"
		"printf ' [json]\\n---\\n {\"keyspace_name\": \"%s\"}\\n\\n(1 rows)\\n' \"$1\"\n";
	struct sheet *s = *state;

	add(s, "cqlsh", answer);
	assert_int_equal(chmod(in(s, "cqlsh"), 0700), 0);
	s->options.cqlsh = in(s, "cqlsh");
	read_local(s);
	assert_has(s->seen, "schema.json|{\"from\": \"tables\", \"keyspace_name\": \"-e\"}\n"
			    "{\"from\": \"keyspaces\", \"keyspace_name\": \"-e\"}\n\n");
	assert_has(s->commands, "system_schema.views' -> 2 no views here\n");
	assert_null(strstr(s->commands, "system_schema.columns"));
	s->options.cqlsh = "echo";	/* exit status 0, and no rows */
	s->commands = "";
	read_local(s);
	assert_has(s->commands, "system_schema.tables' -> 1 cqlsh printed no whole answer for "
				"system_schema.tables\n");
}

static void test_missing_tools(void **state)
{
	struct sheet *s = *state;
	const char *yaml = in(s, "none.yaml");

	s->options.nodetool = "no-such-nodetool --ssl";
	s->options.settings = &yaml;
	s->options.n_settings = 1;
	read_local(s);
	assert_has(s->commands,
		   "no-such-nodetool --ssl version -> 127 'no-such-nodetool' cannot be "
		   "run: No such file or directory\n");
	assert_has(s->commands,
		   "read DIR/none.yaml -> 1 cannot be read: No such file or directory\n");
	assert_has(s->commands, "list the data directories -> 1 neither nodetool datapaths nor "
				"cassandra.yaml tells where they are\n");
	s->options.nodetool = "";
	s->commands = "";
	read_local(s);
	assert_has(s->commands, "version -> 124 no program is named\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_commands, setup, teardown),
		cmocka_unit_test_setup_teardown(test_older_release, setup, teardown),
		cmocka_unit_test_setup_teardown(test_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_vanished, setup, teardown),
		cmocka_unit_test_setup_teardown(test_disks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unreadable, setup, teardown),
		cmocka_unit_test_setup_teardown(test_batches, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_schema, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing_tools, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
