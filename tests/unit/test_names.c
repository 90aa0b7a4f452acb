/* Names of SSTables, components, paths and table directories: src/parse/names.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/slice.h"
#include "parse/parse.h"
#include "parse/pattern.h"

#define ID "2b08e750d09e11f1bb95955e7e48e9e1"
#define DASHED "2b08e750-d09e-11f1-bb95-955e7e48e9e1"

static void assert_slice(const char *name, const char *what, struct slice got, const char *want)
{
	if (!slice_eq_str(got, want))
		fail_msg("%s: %s is '%.*s', not '%s'", name, what, (int)got.n, got.p, want);
}

static void test_sstable_names(void **state)
{
	static const struct {
		const char *input;
		bool ok;
		const char *base, *version, *id, *format, *component;
	} cases[] = {
		{ "nb-16-big", true, "nb-16-big", "nb", "16", "big", "" },
		{ "nb-16-big-Data.db", true, "nb-16-big", "nb", "16", "big", "Data.db" },
		{ "da-10-bti-Partitions.db", true, "da-10-bti", "da", "10", "bti",
		  "Partitions.db" },
		{ "oa-3h4y_1fa5_33vsa2v1fed9yidpo4-big-TOC.txt", true,
		  "oa-3h4y_1fa5_33vsa2v1fed9yidpo4-big", "oa", "3h4y_1fa5_33vsa2v1fed9yidpo4",
		  "big", "TOC.txt" },
		{ "me-1-big-Digest.crc32", true, "me-1-big", "me", "1", "big", "Digest.crc32" },
		{ "la-1-big-Digest.adler32", true, "la-1-big", "la", "1", "big", "Digest.adler32" },
		{ "nb-1-big-SAI+aa+value_idx+Meta.db", true, "nb-1-big", "nb", "1", "big",
		  "SAI+aa+value_idx+Meta.db" },
		{ "ac-2150-bti", true, "ac-2150-bti", "ac", "2150", "bti", "" },
		{ "ks-table-ka-7-Data.db", true, "ks-table-ka-7", "ka", "7", "", "Data.db" },
		{ "SampleKS-Standard1-ic-22-Data.db", true, "SampleKS-Standard1-ic-22", "ic", "22",
		  "", "Data.db" },
		{ "Ks_1-Table_2-jb-1", true, "Ks_1-Table_2-jb-1", "jb", "1", "", "" },
		{ "ks-table-tmp-ka-7-Data.db", false, "", "", "", "", "" },
		{ "ks-table-tmplink-ka-7-Data.db", false, "", "", "", "", "" },
		{ "tmp-la-7-big-Data.db", false, "", "", "", "", "" },
		{ "nb-16-big-Data.db.tmp", false, "", "", "", "", "" },
		{ "nb-16-big-Data.db\n", false, "", "", "", "", "" },
		{ "nb_txn_compaction_" DASHED ".log", false, "", "", "", "", "" },
		{ "nb-16-", false, "", "", "", "", "" },
		{ "nb-16-bi", false, "", "", "", "", "" },
		{ "nb--big", false, "", "", "", "", "" },
		{ "nb-1x-big", false, "", "", "", "", "" },
		{ "nb-3h4y_1fa5_33vsa2v1fed9yidpo-big", false, "", "", "", "", "" },
		{ "nb-12345678901234567890-big", false, "", "", "", "", "" },
		{ "NB-1-big", false, "", "", "", "", "" },
		{ "ks-table-la-7-Data.db", false, "", "", "", "", "" },
		{ "backups", false, "", "", "", "", "" },
		{ "", false, "", "", "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *name = cases[i].input;
		struct sstable_name out;

		if (parse_sstable_name(slice_of(name), &out) != cases[i].ok)
			fail_msg("%s: %s", name, cases[i].ok ? "refused" : "accepted");
		assert_slice(name, "base", out.base, cases[i].base);
		assert_slice(name, "version", out.version, cases[i].version);
		assert_slice(name, "id", out.id, cases[i].id);
		assert_slice(name, "format", out.format, cases[i].format);
		assert_slice(name, "component", out.component, cases[i].component);
	}
}

static void test_paths(void **state)
{
	static const struct {
		const char *input, *folder, *keyspace, *table_dir, *name;
	} cases[] = {
		{ "/data/ks/readings-" ID "/nb-16-big", "/data/ks/readings-" ID, "ks",
		  "readings-" ID, "nb-16-big" },
		{ "data/a/ks/t-" DASHED "/nb-1-big-Data.db", "data/a/ks/t-" DASHED, "ks",
		  "t-" DASHED, "nb-1-big-Data.db" },
		{ "/tmp/md-1-big", "/tmp", "", "", "md-1-big" },
		{ "/md-1-big", "", "", "", "md-1-big" },
		{ "md-1-big", "", "", "", "md-1-big" },
		{ "t-" ID "/md-1-big", "t-" ID, "", "t-" ID, "md-1-big" },
		{ "/data/ks/t-" ID "/snapshots/tag/nb-1-big", "/data/ks/t-" ID "/snapshots/tag", "",
		  "", "nb-1-big" },
		{ "/data/ks/t-" ID "/", "/data/ks/t-" ID, "ks", "t-" ID, "" },
		{ "/data/ks/t/ks-t-ic-22-Data.db", "/data/ks/t", "ks", "t", "ks-t-ic-22-Data.db" },
		{ "ks-t-ka-22", "", "ks", "t", "ks-t-ka-22" },
		{ "/data/ks2/u-" ID "/ks-t-ka-22", "/data/ks2/u-" ID, "ks2", "u-" ID,
		  "ks-t-ka-22" },
		{ "", "", "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *name = cases[i].input;
		struct sstable_path out = parse_sstable_path(slice_of(name));

		assert_slice(name, "folder", out.folder, cases[i].folder);
		assert_slice(name, "keyspace", out.keyspace, cases[i].keyspace);
		assert_slice(name, "table_dir", out.table_dir, cases[i].table_dir);
		assert_slice(name, "name", out.name, cases[i].name);
	}
}

static void test_table_dirs(void **state)
{
	static const struct { const char *input, *table, *id;
	} cases[] = {
		{ "readings-" ID, "readings", ID },
		{ "readings-" DASHED, "readings", DASHED },
		{ "odd-name-" ID, "odd-name", ID },
		{ "readings", "readings", "" },
		{ "readings-2b08e750d09e11f1bb95955e7e48e9e",
		  "readings-2b08e750d09e11f1bb95955e7e48e9e", "" },
		{ "-" ID, "-" ID, "" },
		{ "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice table, id;

		parse_table_dir(slice_of(cases[i].input), &table, &id);
		assert_slice(cases[i].input, "table", table, cases[i].table);
		assert_slice(cases[i].input, "id", id, cases[i].id);
	}
}

static void test_old_names(void **state)
{
	static const struct { const char *input, *keyspace, *table; } cases[] = {
		{ "ks-t-ka-7", "ks", "t" }, { "ks-t-hc-7-Data.db", "ks", "t" },
		{ "Keyspace1-Standard1-jb-1-Index.db", "Keyspace1", "Standard1" },
		{ "ks-t.by_unit-ka-7", "ks", "t.by_unit" }, { "nb-7-big", NULL, NULL },
		{ "ks-t-tmp-ka-7-Data.db", NULL, NULL }, { "ks-t-nb-7", NULL, NULL },
		{ "", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice keyspace, table;

		if (parse_old_sstable_name(slice_of(cases[i].input), &keyspace, &table) !=
		    (cases[i].keyspace != NULL))
			fail_msg("%s: %s", cases[i].input,
				 cases[i].keyspace ? "refused" : "accepted");
		if (!cases[i].keyspace)
			continue;
		assert_slice(cases[i].input, "keyspace", keyspace, cases[i].keyspace);
		assert_slice(cases[i].input, "table", table, cases[i].table);
	}
	assert_slice("path", "file", parse_file_name(SLICE("/a/b")), "b");
	assert_slice("path", "file", parse_file_name(SLICE("b")), "b");
	assert_slice("path", "file", parse_file_name(SLICE("/a/")), "");
}

/* The pattern wrapper: groups, absent groups, anchoring, bytes above ASCII, release and reuse. */
static void test_patterns(void **state)
{
	static struct pattern p = PATTERN("^(a+)(?<rest>b)?(c)?$");
	struct slice m[5];

	(void)state;
	for (int round = 0; round < 2; round++) {
		assert_true(pattern_match(&p, SLICE("aac"), m, ARRAY_LEN(m)));
		assert_slice("aac", "whole", m[0], "aac");
		assert_slice("aac", "group 1", m[1], "aa");
		assert_null(m[2].p);
		assert_slice("aac", "group 3", m[3], "c");
		assert_null(m[4].p);
		assert_int_equal(pattern_group(&p, "rest"), 2);
		assert_int_equal(pattern_group(&p, "other"), 0);
		assert_false(pattern_match(&p, SLICE("aac\n"), m, ARRAY_LEN(m)));
		assert_null(m[0].p);
		assert_false(pattern_match(&p, SLICE("xaac"), NULL, 0));
		assert_false(pattern_match(&p, SLICE("\xff"), NULL, 0));
		assert_false(pattern_match(&p, (struct slice){ NULL, 0 }, NULL, 0));
		pattern_release_all();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sstable_names),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_table_dirs),
		cmocka_unit_test(test_old_names),
		cmocka_unit_test(test_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
