/* The layout of a bundle: src/collect/layout.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "collect/layout.h"

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static void test_paths(void **state)
{
	static const struct {
		const char *path;
		bool has_nodes;
		unsigned kind;		/* 0 = not of the layout */
		const char *about;	/* node relative keyspace table directory disk file */
	} cases[] = {
		{ "bundle.json", true, EV_BUNDLE, "- bundle.json - - - 0 -" },
		{ "bundle.json", false, EV_BUNDLE, "- bundle.json - - - 0 -" },
		{ "nodes/a/node.json", true, EV_NODE, "a node.json - - - 0 -" },
		{ "nodes/a/node.json", false, 0, "" },
		{ "node.json", true, 0, "" },
		{ "node.json", false, EV_NODE, "- node.json - - - 0 -" },
		{ "nodes/a/schema.json", true, EV_SCHEMA, "a schema.json - - - 0 -" },
		{ "nodes/%3A%3A1/df.txt", true, EV_DISK_USAGE, "::1 df.txt - - - 0 -" },
		{ "nodes/a/other.txt", true, 0, "" },
		{ "nodes/a", true, 0, "" },
		{ "nodes//node.json", true, 0, "" },
		{ "tablehistograms/ks.t.txt", false, EV_TABLEHISTOGRAMS,
		  "- tablehistograms/ks.t.txt ks t - 0 -" },
		{ "tablehistograms/k%73.%54.txt", false, EV_TABLEHISTOGRAMS,
		  "- tablehistograms/k%73.%54.txt ks T - 0 -" },
		{ "tablehistograms/t.txt", false, 0, "" },
		{ "tablehistograms/.t.txt", false, 0, "" },
		{ "tablehistograms/x/ks.t.txt", false, 0, "" },
		{ "sstablemetadata/ks.t.txt", false, EV_SSTABLEMETADATA,
		  "- sstablemetadata/ks.t.txt ks t - 0 -" },
		{ "sstables/1/ks/t-" ID "/listing.tsv", false, EV_LISTING,
		  "- sstables/1/ks/t-" ID "/listing.tsv ks - t-" ID " 1 -" },
		{ "sstables/0/ks/t-" ID "/nb-1-big-Statistics.db", false, EV_STATISTICS_DB,
		  "- sstables/0/ks/t-" ID "/nb-1-big-Statistics.db ks - t-" ID
		  " 0 nb-1-big-Statistics.db" },
		{ "sstables/0/ks/t-" ID "/nb-1-big-Summary.db", false, EV_KEYS_DB,
		  "- sstables/0/ks/t-" ID "/nb-1-big-Summary.db ks - t-" ID
		  " 0 nb-1-big-Summary.db" },
		{ "sstables/0/ks/t-" ID "/nb-1-big-Data.db", false, 0, "" },
		{ "sstables/x/ks/t-" ID "/listing.tsv", false, 0, "" },
		{ "sstables/0/ks/t-" ID "/snapshots/s/listing.tsv", false, 0, "" },
		{ "sstables/0/ks/listing.tsv", false, 0, "" },
		{ "sstables", false, 0, "" },
		{ "", false, 0, "" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct evidence ev;
		bool found = layout_find(a, cases[i].path, cases[i].has_nodes, &ev);
		const char *about = "";

		if (found)
			about = arena_printf(a, "%s %s %s %s %s %u %s", ev.node, ev.relative,
					     or_dash(ev.keyspace), or_dash(ev.table),
					     or_dash(ev.directory), ev.disk, or_dash(ev.file));
		if (found != (cases[i].kind != 0) || (found && ev.kind != cases[i].kind))
			fail_msg("'%s': kind %u", cases[i].path, found ? (unsigned)ev.kind : 0);
		if (strcmp(about, cases[i].about) != 0)
			fail_msg("'%s': %s instead of %s", cases[i].path, about, cases[i].about);
	}
	arena_destroy(a);
}

/* What is written is found again, with the names that it had. */
static void test_way_back(void **state)
{
	static const struct evidence cases[] = {
		{ .kind = EV_STATUS }, { .kind = EV_SETTINGS }, { .kind = EV_TABLESTATS },
		{ .kind = EV_DISK_USAGE }, { .kind = EV_STATUSAUTOCOMPACTION },
		{ .kind = EV_SCHEMA, .relative = "schema.json" },
		{ .kind = EV_TABLEHISTOGRAMS, .keyspace = "Ks", .table = "a b/c" },
		{ .kind = EV_SSTABLEMETADATA, .keyspace = "ks", .table = "x.y%41" },
		{ .kind = EV_LISTING, .keyspace = "k\303\244", .directory = "t-" ID, .disk = 12 },
		{ .kind = EV_LISTING, .keyspace = "..", .directory = "." },
		{ .kind = EV_STATISTICS_DB, .keyspace = "ks", .directory = "t-" ID,
		  .file = "nb-1-big-Statistics.db" },
		{ .kind = EV_KEYS_DB, .keyspace = "ks", .directory = "t-" ID,
		  .file = "da-3fw2_0tj4_46w3k2cpidnirvjy7k-bti-Partitions.db" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *path = layout_path(a, &cases[i]);
		struct evidence ev;

		if (!path)
			fail_msg("case %zu: no path", i);
		if (!layout_find(a, path, false, &ev) || ev.kind != cases[i].kind ||
		    ev.disk != cases[i].disk ||
		    strcmp(or_dash(ev.keyspace), or_dash(cases[i].keyspace)) != 0 ||
		    strcmp(or_dash(ev.table), or_dash(cases[i].table)) != 0 ||
		    strcmp(or_dash(ev.directory), or_dash(cases[i].directory)) != 0 ||
		    strcmp(or_dash(ev.file), or_dash(cases[i].file)) != 0)
			fail_msg("case %zu: '%s' is something else", i, path);
	}
	assert_null(layout_path(a, &(struct evidence){ .kind = EV_LOOSE, .relative = "x" }));
	assert_null(layout_path(a, &(struct evidence){ .kind = EV_TABLEHISTOGRAMS }));
	assert_null(layout_path(a, &(struct evidence){ .kind = EV_TABLEHISTOGRAMS,
						       .keyspace = "a.b", .table = "t" }));
	arena_destroy(a);
}

/* A relative path is kept only where it is of the layout and of the kind. */
static void test_relative_paths(void **state)
{
	static const struct { const char *relative, *expected; } cases[] = {
		{ "tablestats.json", "tablestats.json" },
		{ "tablestats.txt", "tablestats.txt" },
		{ "tablestats-5.txt", "tablestats.txt" },
		{ "status.txt", "tablestats.txt" },
		{ "../tablestats.txt", "tablestats.txt" },
		{ NULL, "tablestats.txt" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct evidence ev = { .kind = EV_TABLESTATS, .relative = cases[i].relative };

		assert_string_equal(layout_path(a, &ev), cases[i].expected);
	}
	arena_destroy(a);
}

static void test_order(void **state)
{
	static const char *const sorted[] = {
		"a", "a/b", "a/b/c", "a/b-c", "a-b", "a-b/x", "ab", "b", "b\303\244",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sorted); i++) {
		for (size_t k = 0; k < ARRAY_LEN(sorted); k++) {
			int c = layout_compare(sorted[i], sorted[k]);

			if ((c > 0) - (c < 0) != (i > k) - (i < k))
				fail_msg("'%s' and '%s': %d", sorted[i], sorted[k], c);
		}
	}
}

static void test_subjects(void **state)
{
	static const struct { struct evidence ev; const char *expected; } cases[] = {
		{ { .kind = EV_STATUS }, "-" },
		{ { .keyspace = "ks", .table = "t" }, "ks.t" },
		{ { .keyspace = "ks", .directory = "t-" ID }, "ks.t" },
		{ { .keyspace = "ks", .directory = "a-b" }, "ks.a-b" },
		{ { .keyspace = "ks", .directory = "t-5a1c3f70b1d011ee8c55a5d4f2f1c0dz" },
		  "ks.t-5a1c3f70b1d011ee8c55a5d4f2f1c0dz" },
		{ { .directory = "t-" ID }, "t" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(or_dash(layout_subject(a, &cases[i].ev)), cases[i].expected);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_way_back),
		cmocka_unit_test(test_relative_paths),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_subjects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
