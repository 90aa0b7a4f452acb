/* Writing bundles: src/collect/write.c, pack.c, save.c, bundle_text.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>

#include "base/slice.h"
#include "collect/source.h"
#include "collect/write.h"
#include "files.h"
#include "folder.h"

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"

struct sheet {
	struct arena *arena;
	char *dir;
	const char *seen;	/* a line for each piece that was read */
	struct err err;
};

static int setup(void **state)
{
	struct sheet *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->arena = arena_create();
	s->dir = folder_create(s->arena);
	s->seen = "";
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

static const char *in(struct sheet *s, const char *name)
{
	return arena_printf(s->arena, "%s/%s", s->dir, name);
}

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

/* Hashes bytes, so that a line stays short. */
static void see(void *ctx, const struct evidence *ev)
{
	struct sheet *s = ctx;
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < ev->out.n; i++)
		h = (h ^ (unsigned char)ev->out.p[i]) * UINT64_C(1099511628211);
	s->seen = arena_printf(s->arena, "%s%u %s %s|%s|%s|%s|%u|%s|%llx|%lld|%s\n", s->seen,
			       (unsigned)ev->kind, ev->node, or_dash(ev->relative),
			       or_dash(ev->keyspace), or_dash(ev->table), or_dash(ev->directory),
			       ev->disk, or_dash(ev->file), (unsigned long long)h,
			       (long long)ev->mtime_s.v, ev->err.kind ? ev->err.text : "");
}

/* Reads a bundle; into a writer when there is one, else into the lines. */
static void read_into(struct sheet *s, const char *where, evidence_fn *each, void *ctx)
{
	const struct source_ops *ops = source_for(where);
	struct source *source = ops->open(s->arena, where, &s->err);

	if (!source)
		fail_msg("%s: %s", where, s->err.text);
	if (!ops->read(source, each, ctx, &s->err))
		fail_msg("%s: %s", where, s->err.text);
	ops->close(source);
}

static const char *lines_of_bundle(struct sheet *s, const char *where)
{
	s->seen = "";
	read_into(s, where, see, s);
	return s->seen;
}

static const struct bundle_about nothing_known = { .created = "2026-11-30T18:00:00Z",
						   .program = "test" };

static struct bundle_writer *begin(struct sheet *s, const char *name, bool force)
{
	s->err = (struct err){ 0 };
	return bundle_writer_create(s->arena, in(s, name), force, &s->err);
}

static void hand(struct bundle_writer *w, struct evidence ev, const char *text)
{
	ev.node = ev.node ? ev.node : "n";
	ev.path = ev.path ? ev.path : "x";
	if (text)
		ev.out = slice_of(text);
	bundle_writer_add(w, &ev);
}

/* The demonstration bundle in every form: what is read of it is the same to the byte. */
static void test_forms(void **state)
{
	static const char *const names[] = { "copy", "copy.tar", "copy.tar.gz", "copy.tgz",
					     "copy.tar.zst", "copy.tar.xz", "copy.tar.bz2" };
	struct sheet *s = *state;
	const char *demo = tests_path(s->arena, "fixtures/demo");
	const char *expected = lines_of_bundle(s, demo);

	assert_true(strlen(expected) > 10000);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct bundle_writer *w = begin(s, names[i], false);
		struct stat st;

		assert_non_null(w);
		bundle_writer_next_source(w);
		read_into(s, demo, bundle_writer_add, w);
		if (!bundle_writer_finish(w, &nothing_known, &s->err))
			fail_msg("%s: %s", names[i], s->err.text);
		assert_int_equal(stat(in(s, names[i]), &st), 0);
		assert_int_equal(st.st_mode & 07777, i ? 0600 : 0700);
		if (strcmp(lines_of_bundle(s, in(s, names[i])), expected) != 0)
			fail_msg("%s: other pieces came out", names[i]);
	}
	assert_int_equal(folder_count(s->dir), ARRAY_LEN(names));
}

/* The same evidence gives the same archive. */
static void test_reproducible(void **state)
{
	struct sheet *s = *state;
	struct slice bytes[2];

	for (int i = 0; i < 2; i++) {
		const char *name = i ? "b.tar.gz" : "a.tar.gz";
		struct bundle_writer *w = begin(s, name, false);
		struct evidence ev = { .kind = EV_VERSION, .mtime_s = some_i64(1796061782) };

		hand(w, (struct evidence){ .kind = EV_BUNDLE, .mtime_s = some_i64(1) }, "{}");
		/* in another order, too */
		for (int k = 0; k < 2; k++) {
			ev.node = (k == i) ? "x" : "y";
			hand(w, ev, "V");
		}
		assert_true(bundle_writer_finish(w, &nothing_known, &s->err));
		bytes[i] = file_bytes(s->arena, in(s, name));
	}
	assert_true(bytes[0].n > 0);
	assert_true(slice_eq(bytes[0], bytes[1]));
}

static void test_live_node(void **state)
{
	static struct command ok = { .kind = "version", .command = "nodetool version",
				     .file = "version.txt", .errout = "a \"b\"\\\n\001\377\303\244",
				     .exit_status = { 0, true }, .started_s = { 5, true },
				     .duration_ms = { 7, true } };
	static struct command bad = { .kind = "info",
				      .command = "nodetool info",
				      .signal = "KILL" };
	struct command *const commands[] = { &ok, &bad };
	const struct bundle_node node = { .folder = "a b", .name = "a b", .release = "5.0.6",
					  .transport = "openssh: \"why\"",
					  .now_s = some_i64(1796061782), .commands = commands,
					  .n_commands = 2 };
	struct bundle_about about = nothing_known;
	struct sheet *s = *state;
	struct bundle_writer *w = begin(s, "b", false);
	struct slice text;

	about.cluster = "c";
	about.nodes = &node;
	about.n_nodes = 1;
	hand(w, (struct evidence){ .kind = EV_NODE, .node = "a b", .command = "the clock" }, "{}");
	hand(w, (struct evidence){ .kind = EV_VERSION, .node = "a b",
				   .command = "nodetool version" }, "V");
	hand(w, (struct evidence){ .kind = EV_INFO, .node = "a b", .command = "nodetool info" },
	     NULL);
	assert_true(bundle_writer_finish(w, &about, &s->err));
	text = file_bytes(s->arena, in(s, "b/nodes/a%20b/node.json"));
	assert_string_equal(arena_copy(s->arena, text),
		"{\n \"name\": \"a b\",\n \"address\": null,\n \"now_s\": 1796061782,\n"
		" \"product\": null,\n \"release\": \"5.0.6\",\n"
		" \"transport\": \"openssh: \\\"why\\\"\",\n \"commands\": [\n"
		"  {\"kind\": \"version\", \"subject\": null, \"command\": \"nodetool version\", "
		"\"exit_status\": 0, \"signal\": null, \"file\": \"version.txt\", "
		"\"stderr\": \"a \\\"b\\\"\\\\\\n\\u0001?\303\244\", \"started_s\": 5, "
		"\"duration_ms\": 7},\n"
		"  {\"kind\": \"info\", \"subject\": null, \"command\": \"nodetool info\", "
		"\"exit_status\": null, \"signal\": \"KILL\", \"file\": null, \"stderr\": null, "
		"\"started_s\": null, \"duration_ms\": null}\n ]\n}\n");
	text = file_bytes(s->arena, in(s, "b/bundle.json"));
	assert_string_equal(arena_copy(s->arena, text),
		"{\n \"format\": \"twcscheck-bundle\",\n \"version\": 1,\n \"cluster\": \"c\",\n"
		" \"created\": \"2026-11-30T18:00:00Z\",\n \"program\": \"test\"\n}\n");
	assert_int_equal(folder_count(in(s, "b/nodes/a%20b")), 2);
}

/* A piece that could not be read stays visible: the copy must not look healthier. */
static void test_failed_piece(void **state)
{
	struct sheet *s = *state;
	struct bundle_writer *w = begin(s, "b", false);
	const struct bundle_node node = { .folder = "n", .name = "n" };
	struct bundle_about about = nothing_known;
	struct evidence ev = { .kind = EV_STATISTICS_DB, .keyspace = "ks", .directory = "t-" ID,
			       .relative = "sstables/0/ks/t-" ID "/nb-1-big-Statistics.db",
			       .err = { .kind = ERR_IO, .text = "cannot be read: so" } };

	about.nodes = &node;
	about.n_nodes = 1;
	hand(w, (struct evidence){ .kind = EV_NODE }, "{\"name\": \"n\"}");
	hand(w, ev, "");
	assert_true(bundle_writer_finish(w, &about, &s->err));
	assert_string_equal(
		arena_copy(s->arena, file_bytes(s->arena, in(s, "b/nodes/n/node.json"))),
		"{\n \"name\": \"n\",\n \"address\": null,\n \"now_s\": null,\n"
			    " \"product\": null,\n"
		" \"release\": null,\n \"commands\": [\n  {\"kind\": \"statistics-db\", "
		"\"subject\": \"ks.t\", \"command\": \"read sstables/0/ks/t-" ID
		"/nb-1-big-Statistics.db\", \"exit_status\": 1, \"signal\": null, \"file\": null, "
		"\"stderr\": \"cannot be read: so\", \"started_s\": null, \"duration_ms\": null}\n"
		" ]\n}\n");
}

static void test_existing(void **state)
{
	static const struct { const char *name, *path; bool force; const char *error; } cases[] = {
		{ "a folder", "folder", false, "exists already; hint: --force replaces a bundle" },
		{ "a file", "file.tar", false, "exists already; hint: --force replaces a bundle" },
		{ "a folder that is no bundle", "folder", true,
		  "is a folder that is no bundle, and is not replaced" },
		{ "an archive over a folder", "folder.tar", true,
		  "is a folder that is no bundle, and is not replaced" },
		{ "a folder over a file", "file", true,
		  "is not a bundle of that form, and is not replaced" },
		{ "a file by force", "file.tar", true, NULL },
		{ "a bundle by force", "bundle", true, NULL },
		{ "a bundle by force, with slashes", "bundle//", true, NULL },
		{ "nothing is there", "new", false, NULL },
		{ "no such folder", "no/such/folder", false,
		  "cannot be written: No such file or directory" },
	};
	struct sheet *s = *state;
	size_t before;

	assert_true(folder_add(s->arena, s->dir, "folder/mine.txt", SLICE("mine")));
	assert_true(folder_add(s->arena, s->dir, "folder.tar/mine.txt", SLICE("mine")));
	assert_true(folder_add(s->arena, s->dir, "file.tar", SLICE("mine")));
	assert_true(folder_add(s->arena, s->dir, "file", SLICE("mine")));
	assert_true(folder_add(s->arena, s->dir, "bundle/bundle.json", SLICE("{}")));
	assert_true(folder_add(s->arena, s->dir, "bundle/old/a/b.txt", SLICE("old")));
	before = folder_count(s->dir);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bundle_writer *w = begin(s, cases[i].path, cases[i].force);

		if (!w != (cases[i].error != NULL))
			fail_msg("%s: %s", cases[i].name, w ? "begun" : s->err.text);
		if (!w) {
			assert_string_equal(s->err.text, cases[i].error);
			continue;
		}
		hand(w, (struct evidence){ .kind = EV_VERSION }, "V");
		if (!bundle_writer_finish(w, &nothing_known, &s->err))
			fail_msg("%s: %s", cases[i].name, s->err.text);
		assert_non_null(strstr(lines_of_bundle(s, in(s, cases[i].path)), "version.txt"));
	}
	assert_int_equal(folder_count(in(s, "folder")), 1);
	assert_int_equal(folder_count(in(s, "bundle")), 2);	/* nothing of the old one */
	assert_int_equal(folder_count(s->dir), before + 1);	/* "new", and no temporary names */
}

/* It came to be there while the bundle was put together. */
static void test_appeared_meanwhile(void **state)
{
	static const char *const names[] = { "b.tar", "b" };
	struct sheet *s = *state;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct bundle_writer *w = begin(s, names[i], false);

		hand(w, (struct evidence){ .kind = EV_VERSION }, "V");
		assert_true(folder_add(s->arena, s->dir, names[i], SLICE("mine")));
		assert_false(bundle_writer_finish(w, &nothing_known, &s->err));
		assert_string_equal(s->err.text, "exists already");
		assert_true(slice_eq_str(file_bytes(s->arena, in(s, names[i])), "mine"));
	}
	assert_int_equal(folder_count(s->dir), 2);
}

/* The disk fills up: nothing under the final name, nothing left under another. */
static void test_disk_full(void **state)
{
	static const char *const names[] = { "b", "b.tar", "b.tar.gz" };
	static char noise[300000];
	struct rlimit limit, old;
	struct sheet *s = *state;
	uint32_t x = 1;

	for (size_t i = 0; i + 1 < sizeof(noise); i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (char)('!' + (x >> 24) % 90);
	}
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (int piece = 0; piece < 2; piece++) {
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			struct bundle_writer *w = begin(s, names[i], false);
			bool ok;

			/* in a piece itself, or only when they are packed */
			limit = old;
			limit.rlim_cur = piece ? 100000 : 350000;
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
			hand(w, (struct evidence){ .kind = EV_VERSION }, noise);
			hand(w, (struct evidence){ .kind = EV_STATUS }, noise);
			ok = bundle_writer_finish(w, &nothing_known, &s->err);
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
			if (ok != (!piece && i == 0))
				fail_msg("%s, %d: %s", names[i], piece,
					 ok ? "written" : s->err.text);
			if (!ok)
				assert_non_null(strstr(s->err.text, "cannot be written: "));
			assert_int_equal(folder_count(s->dir), ok);
			folder_remove(s->arena, in(s, names[i]));
		}
	}
}

static void test_refused(void **state)
{
	struct sheet *s = *state;
	struct bundle_writer *w = begin(s, "twice", false);

	hand(w, (struct evidence){ .kind = EV_VERSION }, "V");
	hand(w, (struct evidence){ .kind = EV_VERSION }, "V");
	assert_false(bundle_writer_finish(w, &nothing_known, &s->err));
	assert_string_equal(s->err.text, "came twice");
	w = begin(s, "two sources", false);
	hand(w, (struct evidence){ .kind = EV_VERSION }, "V");
	bundle_writer_next_source(w);
	hand(w, (struct evidence){ .kind = EV_STATUS, .node = "m" }, "S");
	hand(w, (struct evidence){ .kind = EV_STATUS }, "S");
	assert_false(bundle_writer_finish(w, &nothing_known, &s->err));
	assert_string_equal(s->err.text,
			    "is a node of two sources: each needs a bundle of its own");
	assert_string_equal(s->err.subject, "n");
	w = begin(s, "loose", false);
	hand(w, (struct evidence){ .kind = EV_LOOSE, .relative = "a.txt" }, "?");
	assert_false(bundle_writer_finish(w, &nothing_known, &s->err));
	assert_string_equal(s->err.text,
			    "has no place in a bundle: its kind only shows in its content");
	w = begin(s, "given up", false);
	hand(w, (struct evidence){ .kind = EV_VERSION }, "V");
	bundle_writer_discard(w);
	assert_int_equal(folder_count(s->dir), 0);
}

/* No name leads out of the bundle. */
static void test_names(void **state)
{
	static const char *const names[] = { "..", ".", "../..", "a/../../b", "/etc", "%2e%2e" };
	struct sheet *s = *state;
	struct bundle_writer *w = begin(s, "b", false);

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		hand(w, (struct evidence){ .kind = EV_VERSION, .node = names[i] }, "V");
		hand(w, (struct evidence){ .kind = EV_LISTING, .keyspace = names[i],
					   .directory = names[i] }, "L");
		hand(w, (struct evidence){ .kind = EV_TABLEHISTOGRAMS, .keyspace = "k",
					   .table = names[i] }, "H");
	}
	assert_true(bundle_writer_finish(w, &nothing_known, &s->err));
	assert_int_equal(folder_count(s->dir), 1);
	assert_int_equal(folder_count(in(s, "b")), 2);
	assert_int_equal(folder_count(in(s, "b/nodes")), 1 + ARRAY_LEN(names));
	assert_non_null(strstr(lines_of_bundle(s, in(s, "b")), "|a/../../b|-|a/../../b|0|"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_forms, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reproducible, setup, teardown),
		cmocka_unit_test_setup_teardown(test_live_node, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failed_piece, setup, teardown),
		cmocka_unit_test_setup_teardown(test_existing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_appeared_meanwhile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_disk_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
