/* Bundles in a directory: src/collect/bundle.c and tree.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "collect/source.h"
#include "files.h"

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"

/* A folder of the test's own, and what came out of it: a line for each piece. */
struct sheet {
	struct arena *arena;
	char *dir;
	char *seen;
	struct err err;
};

static void add(struct sheet *s, const char *relative, const char *text)
{
	char *path = arena_printf(s->arena, "%s/%s", s->dir, relative);
	FILE *f;

	for (char *p = path + strlen(s->dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "wb");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		fail_msg("%s cannot be written", path);
}

static const char *in(struct sheet *s, const char *relative)
{
	return arena_printf(s->arena, "%s/%s", s->dir, relative);
}

static int setup(void **state)
{
	struct sheet *s = calloc(1, sizeof(*s));
	const char *tmp = getenv("TMPDIR");

	assert_non_null(s);
	s->arena = arena_create();
	s->dir = arena_printf(s->arena, "%s/twcscheck-test-XXXXXX", tmp ? tmp : "/tmp");
	s->seen = arena_strdup(s->arena, "");
	*state = s;
	return mkdtemp(s->dir) ? 0 : -1;
}

static void remove_tree(struct arena *a, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		const char *inner = arena_printf(a, "%s/%s", path, e->d_name);

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (unlink(inner) != 0)
			remove_tree(a, inner);
	}
	if (dir)
		closedir(dir);
	(void)rmdir(path);
}

static int teardown(void **state)
{
	struct sheet *s = *state;

	remove_tree(s->arena, s->dir);
	arena_destroy(s->arena);
	free(s);
	return 0;
}

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static void see(void *ctx, const struct evidence *ev)
{
	struct sheet *s = ctx;
	const char *body = ev->err.kind ? arena_printf(s->arena, "! %s", ev->err.text)
					: arena_copy(s->arena, ev->out);

	if (strncmp(ev->path, s->dir, strlen(s->dir)) != 0)
		fail_msg("the path is %s", ev->path);
	if (ev->relative && !slice_ends(slice_of(ev->path), slice_of(ev->relative)))
		fail_msg("the relative path is %s", ev->relative);
	if (ev->err.kind == ERR_NONE && !ev->mtime_s.known)
		fail_msg("%s: no time", ev->path);
	s->seen = arena_printf(s->arena, "%s%u %s %s|%s|%s|%s|%u|%s|%s\n", s->seen,
			       (unsigned)ev->kind, ev->node, or_dash(ev->relative),
			       or_dash(ev->keyspace), or_dash(ev->table), or_dash(ev->directory),
			       ev->disk, or_dash(ev->file), body);
}

static bool read_bundle_at(struct sheet *s, const char *where)
{
	struct source *source = source_bundle.open(s->arena, where, &s->err);
	bool ok;

	if (!source)
		return false;
	ok = source_bundle.read(source, see, s, &s->err);
	source_bundle.close(source);
	return ok;
}

static bool read_bundle(struct sheet *s)
{
	return read_bundle_at(s, s->dir);
}

static void assert_seen(struct sheet *s, const char *expected)
{
	if (strcmp(s->seen, expected) != 0)
		fail_msg("\n%s\ninstead of\n%s", s->seen, expected);
}

static char *line(struct sheet *s, enum evidence_kind kind, const char *rest)
{
	return arena_printf(s->arena, "%u %s\n", (unsigned)kind, rest);
}

static void test_layout(void **state)
{
	struct sheet *s = *state;

	add(s, "bundle.json", "B");
	add(s, "README", "nobody's");
	add(s, "nodes/stray.txt", "nobody's");
	add(s, "nodes/b%3A1/status.txt", "S");
	add(s, "nodes/a/version.txt", "V");
	add(s, "nodes/a/node.json", "N");
	add(s, "nodes/a/cassandra.yaml.txt", "Y");
	add(s, "nodes/a/other.txt", "nobody's");
	add(s, "nodes/a/tablehistograms/ks.t.txt", "H");
	add(s, "nodes/a/tablehistograms/ks.txt", "nobody's");
	add(s, "nodes/a/tablehistograms/ks.t.err", "nobody's");
	add(s, "nodes/a/sstablemetadata/k%20s.t%2e%zz%00.txt", "M");
	add(s, "nodes/a/sstables/0/ks/t-" ID "/listing.tsv", "L");
	add(s, "nodes/a/sstables/0/ks/t-" ID "/nb-1-big-Statistics.db", "D");
	add(s, "nodes/a/sstables/0/ks/t-" ID "/nb-1-big-Summary.db", "K");
	add(s, "nodes/a/sstables/0/ks/t-" ID "/nb-1-big-Data.db", "nobody's");
	add(s, "nodes/a/sstables/12/%4bs/%c3%a4-" ID "/da-1-bti-Partitions.db", "P");
	add(s, "nodes/a/sstables/x/ks/t-" ID "/listing.tsv", "nobody's");
	add(s, "nodes/a/sstables/0/ks/t-" ID "/snapshots/listing.tsv", "nobody's");
	assert_true(read_bundle(s));
	assert_seen(s, arena_printf(s->arena, "%s%s%s%s%s%s%s%s%s%s%s",
		line(s, EV_BUNDLE, "- bundle.json|-|-|-|0|-|B"),
		line(s, EV_NODE, "a node.json|-|-|-|0|-|N"),
		line(s, EV_SETTINGS, "a cassandra.yaml.txt|-|-|-|0|-|Y"),
		line(s, EV_SSTABLEMETADATA,
			"a sstablemetadata/k%20s.t%2e%zz%00.txt|k s|t.%zz%00|-|0|-|M"),
		line(s, EV_LISTING, "a sstables/0/ks/t-" ID "/listing.tsv|ks|-|t-" ID "|0|-|L"),
		line(s, EV_STATISTICS_DB, "a sstables/0/ks/t-" ID "/nb-1-big-Statistics.db|ks|-|t-"
			ID
		     "|0|nb-1-big-Statistics.db|D"),
		line(s, EV_KEYS_DB, "a sstables/0/ks/t-" ID "/nb-1-big-Summary.db|ks|-|t-" ID
		     "|0|nb-1-big-Summary.db|K"),
		line(s, EV_KEYS_DB, "a sstables/12/%4bs/%c3%a4-" ID
			"/da-1-bti-Partitions.db|Ks|-|\xc3\xa4-"
		     ID "|12|da-1-bti-Partitions.db|P"),
		line(s, EV_TABLEHISTOGRAMS, "a tablehistograms/ks.t.txt|ks|t|-|0|-|H"),
		line(s, EV_VERSION, "a version.txt|-|-|-|0|-|V"),
		line(s, EV_STATUS, "b:1 status.txt|-|-|-|0|-|S")));
}

static void test_one_node(void **state)
{
	struct sheet *s = *state;

	add(s, "status.txt", "S");
	add(s, "node.json", "N");
	add(s, "sstables/0/ks/t-" ID "/listing.tsv", "L");
	/* Slashes at the end do not matter. */
	assert_true(read_bundle_at(s, arena_printf(s->arena, "%s//", s->dir)));
	assert_seen(s, arena_printf(s->arena, "%s%s%s",
		line(s, EV_NODE, "- node.json|-|-|-|0|-|N"),
		line(s, EV_LISTING, "- sstables/0/ks/t-" ID "/listing.tsv|ks|-|t-" ID "|0|-|L"),
		line(s, EV_STATUS, "- status.txt|-|-|-|0|-|S")));
}

static void test_no_bundle(void **state)
{
	struct sheet *s = *state;
	struct err err = { 0 };

	add(s, "notes.txt", "x");
	assert_false(read_bundle(s));
	assert_non_null(strstr(err_text(s->arena, &s->err), "is no bundle"));
	assert_null(source_bundle.open(s->arena, in(s, "notes.txt"), &err));
	assert_non_null(strstr(err_text(s->arena, &err), "cannot be opened"));
	err = (struct err){ 0 };
	assert_null(source_bundle.open(s->arena, in(s, "missing"), &err));
	assert_int_equal(err.kind, ERR_IO);
}

/* Links, pipes and folders in the place of files are named and left alone. */
static void test_refused_entries(void **state)
{
	static const char link_text[] = "! is a link, and links are not followed";
	struct sheet *s = *state;

	add(s, "outside/secret.txt", "secret");
	add(s, "nodes/a/df.txt", "D");
	add(s, "nodes/a/version.txt/x", "a folder");
	assert_int_equal(symlink(in(s, "outside/secret.txt"), in(s, "nodes/a/status.txt")), 0);
	assert_int_equal(symlink(in(s, "outside"), in(s, "nodes/a/sstablemetadata")), 0);
	assert_int_equal(symlink("/nowhere", in(s, "nodes/a/unknown.txt")), 0);
	assert_int_equal(symlink(in(s, "outside"), in(s, "nodes/b")), 0);
	assert_int_equal(mkfifo(in(s, "nodes/a/info.txt"), 0600), 0);
	assert_true(read_bundle(s));
	assert_seen(s, arena_printf(s->arena, "%s%s%s%s%s%s",
		line(s, EV_DISK_USAGE, "a df.txt|-|-|-|0|-|D"),
		line(s, EV_INFO, "a info.txt|-|-|-|0|-|! is no plain file"),
		line(s, EV_SSTABLEMETADATA, arena_printf(s->arena,
			"a sstablemetadata|-|-|-|0|-|%s", link_text)),
		line(s, EV_STATUS, arena_printf(s->arena, "a status.txt|-|-|-|0|-|%s", link_text)),
		line(s, EV_VERSION, "a version.txt|-|-|-|0|-|! is no plain file"),
		line(s, EV_NODE, arena_printf(s->arena, "b nodes/b|-|-|-|0|-|%s", link_text))));
}

static void grow(struct sheet *s, const char *relative, off_t size)
{
	add(s, relative, "x");
	assert_int_equal(truncate(in(s, relative), size), 0);
}

static void test_limits(void **state)
{
	struct sheet *s = *state;
	const char *dir = "nodes/a/sstables/0/ks/t-" ID;

	grow(s, arena_printf(s->arena, "%s/nb-1-big-Statistics.db", dir), (1 << 20) + 1);
	grow(s, arena_printf(s->arena, "%s/nb-2-big-Summary.db", dir), (256 << 20) + 1);
	grow(s, "nodes/a/tablestats.txt", ((off_t)256 << 20) + 1);
	add(s, "nodes/a/version.txt", "V");
	assert_true(read_bundle(s));
	assert_int_equal(s->err.kind, ERR_NONE);
	assert_non_null(strstr(s->seen, "nb-1-big-Statistics.db|! is larger than 1 MiB"));
	assert_non_null(strstr(s->seen, "nb-2-big-Summary.db|! is larger than 256 MiB"));
	assert_non_null(strstr(s->seen, "tablestats.txt|-|-|-|0|-|! is larger than 256 MiB"));
	assert_non_null(strstr(s->seen, "version.txt|-|-|-|0|-|V"));
}

/* A Statistics.db of just the limit is read whole. */
static void test_at_the_limit(void **state)
{
	struct sheet *s = *state;

	grow(s, "sstables/0/ks/t-" ID "/nb-1-big-Statistics.db", 1 << 20);
	add(s, "sstables/0/ks/t-" ID "/nb-2-big-Statistics.db", "");
	assert_true(read_bundle(s));
	assert_null(strstr(s->seen, "!"));
	assert_non_null(strstr(s->seen, "nb-1-big-Statistics.db|x\n"));
	assert_non_null(strstr(s->seen, "nb-2-big-Statistics.db|\n"));
}

/* The demo bundle: every piece is there, in order, and readable. */
struct count { size_t pieces, errors, statistics; const char *last_node; bool unordered; };

static void count_piece(void *ctx, const struct evidence *ev)
{
	struct count *c = ctx;

	c->pieces++;
	c->errors += ev->err.kind != ERR_NONE;
	c->statistics += ev->kind == EV_STATISTICS_DB && ev->out.n > 1000;
	if (c->last_node && strcmp(ev->node, c->last_node) < 0)
		c->unordered = true;
	if ((!c->last_node || strcmp(c->last_node, ev->node) != 0) && ev->kind != EV_NODE &&
	    ev->kind != EV_BUNDLE)
		c->unordered = true;
	c->last_node = ev->node;
}

static void test_demo(void **state)
{
	struct sheet *s = *state;
	struct count c = { 0 };
	struct source *source;

	source = source_bundle.open(s->arena, tests_path(s->arena, "fixtures/demo"), &s->err);
	if (!source)
		fail_msg("%s", err_text(s->arena, &s->err));
	assert_true(source_bundle.read(source, count_piece, &c, &s->err));
	source_bundle.close(source);
	assert_int_equal(c.errors, 0);
	assert_false(c.unordered);
	assert_true(c.statistics > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_layout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_node, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_bundle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_entries, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_at_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_demo, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
