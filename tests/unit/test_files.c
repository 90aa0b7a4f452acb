/* Loose files and folders as a source: src/collect/files.c, file_nodes.c, open.c. */
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
#include "collect/file_nodes.h"
#include "collect/files.h"
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

/* "node path|keyspace|directory|disk|file|text", a '+' behind it when the text goes on. */
static void see(void *ctx, const struct evidence *ev)
{
	struct sheet *s = ctx;
	const char *kind = ev->kind == EV_LOOSE ? "" : evidence_kind_name(ev->kind);
	const char *body = ev->err.kind ? arena_printf(s->arena, "! %s", ev->err.text)
					: arena_copy(s->arena, ev->out);
	size_t n = strlen(s->dir);
	const char *path = strncmp(ev->path, s->dir, n) == 0 && ev->path[n] == '/'
			   ? ev->path + n + 1 : ev->path;

	if (strlen(body) > 80)
		body = arena_printf(s->arena, "%zu bytes", strlen(body));
	s->seen = arena_printf(s->arena, "%s%s%s%s %s|%s|%s|%u|%s|%s%s\n", s->seen, kind,
			       *kind ? " " : "", ev->node, path, or_dash(ev->keyspace),
			       or_dash(ev->directory), ev->disk, or_dash(ev->file), body,
			       ev->more ? "+" : "");
}

static void read_files(struct sheet *s, const char *where)
{
	struct source *source = source_files.open(s->arena, where, &s->err);

	s->seen = arena_strdup(s->arena, "");
	assert_non_null(source);
	assert_true(source_files.read(source, see, s, &s->err));
	source_files.close(source);
}

static void assert_seen(struct sheet *s, const char *expected)
{
	if (strcmp(s->seen, expected) != 0)
		fail_msg("\n%s\ninstead of\n%s", s->seen, expected);
}

/* ---- files ---- */

static void test_folder(void **state)
{
	struct sheet *s = *state;

	add(s, "b.txt", "B");
	add(s, "a/x.txt", "X");
	add(s, "a.log", "A");
	add(s, ".hidden", "H");
	add(s, ".git/config", "H");
	add(s, "old.tar.gz", "Z");
	read_files(s, s->dir);
	assert_seen(s, "- a/x.txt|-|-|0|-|X\n- a.log|-|-|0|-|A\n- b.txt|-|-|0|-|B\n"
		    "- old.tar.gz|-|-|0|-|! is packed: unpack it, or give an archive by a "
		    "--from of its "
		    "own\n");
}

static void test_single(void **state)
{
	struct sheet *s = *state;

	add(s, "x.txt", "pending tasks: 0\n");
	read_files(s, in(s, "x.txt"));
	assert_seen(s, "- x.txt|-|-|0|-|pending tasks: 0\n\n");
}

static void test_links(void **state)
{
	struct sheet *s = *state;

	add(s, "x.txt", "X");
	assert_int_equal(symlink("x.txt", in(s, "y.txt")), 0);
	assert_int_equal(symlink("/etc", in(s, "z")), 0);
	assert_int_equal(mkfifo(in(s, "w"), 0600), 0);
	read_files(s, s->dir);
	assert_seen(s, "- w|-|-|0|-|! is no plain file\n- x.txt|-|-|0|-|X\n"
		    "- y.txt|-|-|0|-|! is a link, and links are not followed\n"
		    "- z|-|-|0|-|! is a link, and links are not followed\n");
}

/* Long texts come in parts that end with a line. */
static void test_long(void **state)
{
	struct sheet *s = *state;
	size_t n = 9 << 20;
	char *text = arena_alloc(s->arena, n + 1);

	memset(text, 'x', n);
	for (size_t i = 99; i < n; i += 100)
		text[i] = '\n';
	add(s, "long.txt", text);
	read_files(s, in(s, "long.txt"));
	assert_seen(s, "- long.txt|-|-|0|-|4194300 bytes+\n- long.txt|-|-|0|-|4194300 bytes+\n"
		    "- long.txt|-|-|0|-|1048584 bytes\n");
	memset(text, 'y', n);	/* no line ends in it */
	add(s, "long.txt", text);
	read_files(s, in(s, "long.txt"));
	assert_seen(s, "- long.txt|-|-|0|-|4194304 bytes+\n- long.txt|-|-|0|-|4194304 bytes+\n"
		    "- long.txt|-|-|0|-|1048576 bytes\n");
}

/* ---- SSTables ---- */

static void test_sstables(void **state)
{
	struct sheet *s = *state;

	add(s, "data/metrics/readings-" ID "/nb-1-big-Statistics.db", "S");
	add(s, "data/metrics/readings-" ID "/nb-1-big-Summary.db", "K");
	add(s, "data/metrics/readings-" ID "/nb-1-big-Data.db", "12345");
	add(s, "data/metrics/readings-" ID "/nb-1-big-TOC.txt", "T");
	add(s, "data/metrics/readings-" ID "/snapshots/x/nb-1-big-Statistics.db", "S");
	add(s, "data/metrics/readings-" ID "/.idx/nb-1-big-Statistics.db", "S");
	add(s, "data2/metrics/readings-" ID "/nb-2-big-Data.db", "1");
	add(s, "tables/latest/nb-7-big-Statistics.db", "S");
	add(s, "sstables/nb-8-big-Statistics.db", "S");
	read_files(s, s->dir);
	assert_seen(s,
		"statistics-db - "
		"data/metrics/readings-" ID "/nb-1-big-Statistics.db|metrics|readings-" ID
		"|0|nb-1-big-Statistics.db|S\n"
		"keys-db - data/metrics/readings-" ID "/nb-1-big-Summary.db|metrics|readings-" ID
		"|0|nb-1-big-Summary.db|K\n"
		"statistics-db - sstables/nb-8-big-Statistics.db|-|-|0|nb-8-big-Statistics.db|S\n"
		"statistics-db - tables/latest/nb-7-big-Statistics.db|-|latest|0"
		"|nb-7-big-Statistics.db|S\n"
		"sstable-listing - data/metrics/readings-" ID "|metrics|readings-" ID "|0|-|"
		"96 bytes\n"
		"sstable-listing - data2/metrics/readings-" ID "|metrics|readings-" ID "|1|-|"
		"name\tbytes\nnb-2-big-Data.db\t1\n\n");
}

/* A table's directory itself, or a single file in it: its path tells whose it is. */
static void test_table_directory(void **state)
{
	struct sheet *s = *state;
	const char *file = "metrics/readings-" ID "/nb-1-big-Statistics.db";

	add(s, file, "S");
	read_files(s, in(s, "metrics/readings-" ID));
	assert_non_null(strstr(s->seen, "|metrics|readings-" ID "|0|nb-1-big-Statistics.db|S\n"));
	read_files(s, in(s, file));
	assert_non_null(strstr(s->seen, "|metrics|readings-" ID "|0|nb-1-big-Statistics.db|S\n"));
}

/* ---- bundle or not ---- */

static void test_choice(void **state)
{
	struct sheet *s = *state;

	add(s, "loose/tablestats.txt", "x");
	add(s, "loose/schema.cql", "x");
	add(s, "recording/sstables/readings/nb-1-big-Statistics.db", "x");
	add(s, "collector/nodes/10.0.0.1/nodetool/cfstats.txt", "x");
	add(s, "bundle/bundle.json", "{}");
	add(s, "node/node.json", "{}");
	add(s, "disks/sstables/0/ks/t-" ID "/listing.tsv", "x");
	add(s, "by-hand/nodes/a/node.json", "{}");
	add(s, "file.txt", "x");
	assert_ptr_equal(source_for("-"), &source_files);
	assert_ptr_equal(source_for(in(s, "loose")), &source_files);
	assert_ptr_equal(source_for(in(s, "recording")), &source_files);
	assert_ptr_equal(source_for(in(s, "collector")), &source_files);
	assert_ptr_equal(source_for(in(s, "file.txt")), &source_files);
	assert_ptr_equal(source_for(in(s, "missing")), &source_files);
	assert_ptr_equal(source_for(in(s, "bundle")), &source_bundle);
	assert_ptr_equal(source_for(in(s, "node")), &source_bundle);
	assert_ptr_equal(source_for(in(s, "disks")), &source_bundle);
	assert_ptr_equal(source_for(in(s, "by-hand")), &source_bundle);
	assert_null(source_files.open(s->arena, in(s, "missing"), &s->err));
	assert_int_equal(s->err.kind, ERR_IO);
}

/* ---- nodes by paths ---- */

enum { PATHS_MAX = 6 };

static void test_nodes(void **state)
{
	static const struct {
		const char *name;
		const char *paths[PATHS_MAX];	/* sorted */
		const char *nodes[PATHS_MAX];
	} cases[] = {
		{ "nothing tells", { "a.txt", "b/tablestats.txt" }, { "-", "-" } },
		{ "below nodes", { "nodes/x/a.txt", "nodes/y/b/c.txt" }, { "x", "y" } },
		{ "addresses", { "out/10.0.0.1/a.txt", "out/10.0.0.2/b.txt" }, { "10.0.0.1",
		  "10.0.0.2" } },
		{ "full names", { "cass-01.example.com/a.txt" }, { "cass-01.example.com" } },
		{ "siblings with the same output", { "n1/tablestats.txt", "n2/more.txt",
		  "n2/tablestats.txt", "other/x.txt" }, { "n1", "n2", "n2", "-" } },
		{ "the same output deeper", { "east/nodetool/cfstats.txt",
		  "west/nodetool/cfstats.txt" },
		  { "east", "west" } },
		{ "runs of one node", { "after/tablestats.txt", "before/tablestats.txt" }, { "-",
		  "-" } },
		{ "one folder is no sibling", { "after-major/tablestats.txt", "tablestats.txt" },
		  { "-", "-" } },
		{ "folders of tables", { "sstablemetadata/a/nb-1-big.txt",
		  "sstablemetadata/b/nb-1-big.txt" },
		  { "-", "-" } },
		{ "hosts in names", { "cass-01-info.txt", "cass-01-tablestats.txt",
		  "cass-02-tablestats.txt",
		  "cass-02.metadata.txt", "schema.cql" }, { "cass-01", "cass-01", "cass-02",
		  "cass-02",
		  "-" } },
		{ "addresses in names", { "tablestats-10.0.0.1.txt" }, { "10.0.0.1" } },
		{ "tables in names", { "tablehistograms-events_1h.txt", "tablestats-rollup_1m.txt",
		  "tablestats-top3.txt" }, { "-", "-", "-" } },
		{ "a file for each node", { "node1.txt", "node2.txt", "notes.txt" },
		  { "node1", "node2", "-" } },
		{ "parts of one output", { "part1.txt", "part2.txt" }, { "-", "-" } },
	};
	struct sheet *s = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got[PATHS_MAX];
		size_t n = 0;

		while (n < PATHS_MAX && cases[i].paths[n])
			n++;
		file_nodes_find(s->arena, cases[i].paths, n, got);
		for (size_t k = 0; k < n; k++)
			if (strcmp(got[k], cases[i].nodes[k]) != 0)
				fail_msg("%s: %s is of '%s', wanted '%s'", cases[i].name,
					 cases[i].paths[k], got[k], cases[i].nodes[k]);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_folder), TEST(test_single), TEST(test_links), TEST(test_long),
		TEST(test_sstables), TEST(test_table_directory), TEST(test_choice),
			TEST(test_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
