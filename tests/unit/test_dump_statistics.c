/* ScyllaDB's "sstable dump-statistics": src/parse/dump_statistics_json.c and json_walk.c. */
#include "facts_prefix.h"
#include "files.h"
#include "parse/json_walk.h"

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define FOLDER "/d/ks/t-" ID "/"
#define ONE FOLDER "me-1-big-Data.db"
#define DOC(stats) "{\"sstables\":{\"" ONE "\":{\"stats\":{" stats "}}}}\n"
#define TIMES "\"min_timestamp\":5,\"max_timestamp\":9"
#define REST                                                                                       \
	"\"max_local_deletion_time\":7,\"min_ttl\":1,\"max_ttl\":2,\"repaired_at\":0,"             \
	"\"rows_count\":4"

static const char *number(struct arena *a, struct opt_i64 v)
{
	if (!v.known)
		return "-";
	return v.v == TIME_NEVER ? "never" : arena_printf(a, "%lld", (long long)v.v);
}

/* "name table state min_ts max_ts max_ldt max_ttl rows largest;" for each record. */
static const char *describe(const struct parse_case *c)
{
	static const char *const states[] = { "none", "empty", "partial", "complete" };
	struct arena *a = c->arena;
	const char *text = "";

	for (size_t i = 0; i < c->node.metas.n; i++) {
		const struct sstable_meta *m = c->node.metas.v[i];

		text = arena_printf(a, "%s%s %s/%s %s %s %s %s %s %s %s;", text, m->name,
				    m->keyspace ? m->keyspace : "-",
				    m->table_dir ? m->table_dir : "-", states[m->state],
				    number(a, m->min_ts), number(a, m->max_ts),
				    number(a, m->max_ldt_s), number(a, m->max_ttl_s),
				    number(a, m->rows), number(a, m->max_partition_bytes));
	}
	return text;
}

static void test_made_file(void **state)
{
	struct parse_case c;
	const struct sstable_meta *m, *n;

	(void)state;
	case_open(&c);
	case_parse(&c, parse_dump_statistics_json, "two.json",
		   case_fixture(c.arena, "dump-statistics/two.json"));
	if (!c.ok || c.err.kind != ERR_NONE || c.node.metas.n != 2)
		fail_msg("%zu SSTables: %s", c.node.metas.n, err_text(c.arena, &c.err));
	m = c.node.metas.v[0];
	n = c.node.metas.v[1];
	assert_string_equal(m->name, "me-3gsd_0w0h_1abcd2efghij3klmno-big");
	assert_string_equal(m->keyspace, "metrics");
	assert_string_equal(m->table_dir, "readings-" ID);
	assert_string_equal(m->directory, "/var/lib/scylla/data/metrics/readings-" ID);
	assert_int_equal(m->state, METADATA_COMPLETE);
	assert_int_equal(m->min_ts.v, 1700006400123456);
	assert_int_equal(m->max_ts.v, 1700092799876543);
	assert_int_equal(m->min_ldt_s.v, 1702598400);
	assert_int_equal(m->max_ldt_s.v, 1702684799);
	assert_int_equal(m->min_ttl_s.v, 2592000);
	assert_int_equal(m->rows.v, 8640000);
	assert_int_equal(m->columns_set.v, 17280000);
	assert_int_equal(m->max_partition_bytes.v, 129557750);
	assert_int_equal(m->partition_sizes.n, 151);
	assert_int_equal(m->partition_sizes.offset[0], 1);
	assert_int_equal(m->partition_sizes.offset[1], 2);
	assert_int_equal(m->cell_counts.n, 119);
	assert_true(m->compression_ratio.known && m->compression_ratio.v > 0.379);
	assert_string_equal(m->host_id, "0f0e0d0c-0b0a-4908-8706-050403020100");
	assert_true(m->repair_known && m->repaired_at_ms == 0 && !m->pending_repair);
	assert_false(m->first_token.known);
	assert_string_equal(m->partitioner, "org.apache.cassandra.dht.Murmur3Partitioner");
	assert_int_equal(n->max_ldt_s.v, TIME_NEVER);
	assert_int_equal(n->min_ttl_s.v, 0);
	assert_false(n->compression_ratio.known);
	assert_ptr_equal(n->partition_sizes.offset, m->partition_sizes.offset);
	assert_string_equal(c.node.product, "scylla");
	case_close(&c);
}

struct made { const char *name, *text, *expected, *err; bool refused; };

#define NAMED "me-1-big ks/t-" ID

static const struct made made[] = {
	{ "whole", DOC(TIMES "," REST), NAMED " complete 5 9 7 2 4 -;", NULL, false },
	{ "without the wrapper", "{\"" ONE "\":{\"stats\":{" TIMES "," REST "}}}",
	  NAMED " complete 5 9 7 2 4 -;", NULL, false },
	{ "log lines before, a byte-order mark",
	  "\xef\xbb\xbf"
	  "INFO 2026-01-01 [shard 0] x\n\n  " DOC(TIMES "," REST),
	  NAMED " complete 5 9 7 2 4 -;", NULL, false },
	{ "two documents",
	  DOC(TIMES "," REST) "INFO y\n{\"sstables\":{\"" FOLDER
			      "me-2-big-Scylla.db\":{\"stats\":{" TIMES "}}}}\n",
	  NAMED " complete 5 9 7 2 4 -;me-2-big ks/t-" ID " partial 5 9 - - - -;", NULL, false },
	{ "escaped slashes",
	  "{\"sstables\":{\"\\/d\\/ks\\/t-" ID "\\/me-1-big-Data.db\":{\"stats\":{" TIMES "," REST
	  "}}}}",
	  NAMED " complete 5 9 7 2 4 -;", NULL, false },
	{ "integers that no double holds",
	  DOC("\"min_timestamp\":9007199254740993,\"max_timestamp\":9223372036854775806," REST),
	  NAMED " complete 9007199254740993 9223372036854775806 7 2 4 -;", NULL, false },
	{ "never, and TTLs that are not recorded",
	  DOC(TIMES ",\"max_local_deletion_time\":2147483647,\"min_ttl\":0,\"max_ttl\":2147483647,"
		    "\"repaired_at\":0,\"rows_count\":-1"),
	  NAMED " partial 5 9 never - - -;", NULL, false },
	{ "nothing recorded",
	  DOC("\"min_timestamp\":-9223372036854775808,\"max_timestamp\":9223372036854775807"),
	  NAMED " empty - - - - - -;", NULL, false },
	{ "null", DOC(TIMES ",\"max_local_deletion_time\":null,\"min_ttl\":1,\"max_ttl\":2"),
	  NAMED " partial 5 9 - 2 - -;", NULL, false },
	{ "a fraction", DOC("\"min_timestamp\":5.5,\"max_timestamp\":9," REST),
	  NAMED " partial - 9 7 2 4 -;", "column 100, in me-1-big: 'min_timestamp' must be a whole",
	  false },
	{ "an exponent", DOC("\"min_timestamp\":1e9,\"max_timestamp\":9," REST),
	  NAMED " partial - 9 7 2 4 -;", "must be a whole number", false },
	{ "a string", DOC("\"min_timestamp\":\"5\",\"max_timestamp\":9," REST),
	  NAMED " partial - 9 7 2 4 -;", "must be a whole number", false },
	{ "above 64 bits", DOC("\"min_timestamp\":9223372036854775808,\"max_timestamp\":9," REST),
	  NAMED " partial - 9 7 2 4 -;", "must be a whole number", false },
	{ "the same twice", DOC(TIMES ",\"min_timestamp\":5," REST), NAMED " complete 5 9 7 2 4 -;",
	  NULL, false },
	{ "twice with two values, as raw bytes can fake it",
	  DOC(TIMES ",\"max_column_names\":[\"x\"],\"max_timestamp\":1,\"y\":[\"\"]," REST),
	  NAMED " partial 5 - 7 2 4 -;", "'max_timestamp' comes with two different values", false },
	{ "a histogram with an overflow",
	  DOC(TIMES "," REST ",\"estimated_partition_size\":[{\"offset\":1,\"value\":0},"
		    "{\"offset\":1,\"value\":2},{\"offset\":2,\"value\":1}]"),
	  NAMED " complete 5 9 7 2 4 -;", NULL, false },
	{ "the last filled bucket",
	  DOC(TIMES
	      "," REST ",\"estimated_partition_size\":[{\"offset\":1,\"value\":0},"
	      "{\"offset\":1,\"value\":2},{\"offset\":2,\"value\":3},{\"offset\":3,\"value\":0}]"),
	  NAMED " complete 5 9 7 2 4 3;", NULL, false },
	{ "a histogram that does not begin with one bound twice",
	  DOC(TIMES "," REST ",\"estimated_partition_size\":[{\"offset\":1,\"value\":0},"
		    "{\"offset\":2,\"value\":2},{\"offset\":3,\"value\":0}]"),
	  NAMED " complete 5 9 7 2 4 -;", "a histogram that is not well formed", false },
	{ "a histogram of something else",
	  DOC(TIMES "," REST ",\"estimated_partition_size\":[{\"offset\":1},7]"),
	  NAMED " complete 5 9 7 2 4 -;", "a histogram that is not well formed", false },
	{ "an empty histogram", DOC(TIMES "," REST ",\"estimated_partition_size\":[]"),
	  NAMED " complete 5 9 7 2 4 -;", NULL, false },
	{ "of a snapshot",
	  "{\"sstables\":{\"" FOLDER "snapshots/a/me-1-big-Data.db\":{\"stats\":{" TIMES "}}}}", "",
	  NULL, true },
	{ "another dump", "{\"sstables\":{\"" ONE "\":{\"entries\":[1,2]}}}",
	  NAMED " none - - - - - -;", "no statistics of it in the JSON", true },
	{ "a member that is no SSTable", "{\"sstables\":{\"x\":{\"stats\":{" TIMES "}}}}", "",
	  "a member that is no SSTable's name", true },
	{ "no SSTable", "{\"sstables\":{}}", "", "no SSTable in it", true },
	{ "empty", "", "", "empty", true },
	{ "a message", "error processing arguments: no sstables specified\n", "",
	  "no statistics of SSTables in JSON in it", true },
	{ "cut in a number", "{\"sstables\":{\"" ONE "\":{\"stats\":{\"min_timestamp\":5",
	  NAMED " none - - - - - -;",
	  "1: column 101, in me-1-big: this is no whole JSON: cut off "
	  "within a number",
	  true },
	{ "cut in a string", "{\"sstables\":{\"" ONE "\":{\"stats\":{\"min_time",
	  NAMED " none - - - - - -;", "cut off within a string", true },
	{ "cut in a name", "{\"sstables\":{\"" FOLDER "me-1-bi", "", "cut off within a string",
	  true },
	{ "cut in the second SSTable",
	  "{\"sstables\":{\"" ONE "\":{\"stats\":{" TIMES "," REST "}},\n\"" FOLDER
	  "me-2-big-Data.db\":{\"stats\":{" TIMES ",",
	  NAMED " complete 5 9 7 2 4 -;me-2-big ks/t-" ID " none - - - - - -;",
	  "in me-2-big: this is no whole JSON", false },
	{ "a quote too many",
	  "{\"sstables\":{\"" ONE "\":{\"stats\":{\"min_column_names\":[\"a\"b\"]"
	  "," TIMES "}}}}",
	  NAMED " none - - - - - -;", "a comma is expected", true },
};

static void test_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		struct parse_case c;
		const char *got;

		case_run(&c, parse_dump_statistics_json, made[i].text);
		got = describe(&c);
		if (strcmp(got, made[i].expected) != 0)
			fail_msg("%s: %s (%s)", made[i].name, got, err_text(c.arena, &c.err));
		if (c.ok == made[i].refused)
			fail_msg("%s: returned %d", made[i].name, c.ok);
		if (!made[i].err != (c.err.kind == ERR_NONE) ||
		    (made[i].err && !strstr(err_text(c.arena, &c.err), made[i].err)))
			fail_msg("%s: %s", made[i].name, err_text(c.arena, &c.err));
		case_close(&c);
	}
}

static void compare_starts(struct slice text, const char *name, size_t step)
{
	struct parse_case whole, part;

	case_open(&whole);
	case_parse(&whole, parse_dump_statistics_json, "text", text);
	for (size_t n = 0; n < text.n; n += step) {
		char where[128];

		snprintf(where, sizeof(where), "%s cut at byte %zu", name, n);
		case_open(&part);
		case_parse(&part, parse_dump_statistics_json, "text", (struct slice){ text.p, n });
		if (!part.ok && part.err.kind == ERR_NONE)
			fail_msg("%s: no result and no error", where);
		prefix_metas(&part, &whole, where);
		case_close(&part);
	}
	case_close(&whole);
}

static void test_starts(void **state)
{
	static const char *const files[] = { "two.json", "pretty.json" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		compare_starts(slice_of(made[i].text), made[i].name, 1);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct arena *a = arena_create();

		compare_starts(case_fixture(a, arena_printf(a, "dump-statistics/%s", files[i])),
			       files[i], 61);
		arena_destroy(a);
	}
}

static void test_shared_case(void **state)
{
	struct parse_case c;
	const char *path;

	(void)state;
	case_open(&c);
	path = shared_path(c.arena,
			   "cases/11-scylla-dump-statistics-json-cut/dump-statistics.json");
	if (!path) {
		print_message("the shared cases are not here\n");
		case_close(&c);
		skip();
	}
	case_parse(&c, parse_dump_statistics_json, path, case_read(c.arena, path));
	assert_false(c.ok);
	assert_non_null(strstr(err_text(c.arena, &c.err), "dump-statistics.json:1: column 9"));
	for (size_t i = 0; i < c.node.metas.n; i++) {
		assert_int_equal(c.node.metas.v[i]->state, METADATA_NONE);
		assert_false(c.node.metas.v[i]->min_ts.known || c.node.metas.v[i]->max_ldt_s.known);
	}
	case_close(&c);
}

/* ---- the walker ---- */

static void test_walker(void **state)
{
	static const struct { const char *text, *problem;
	} cases[] = {
		{ "[1,-2.5e+3,true,false,null,{},[],\"\\\"x\\\\\"]", NULL },
		{ " {\"a\" : [ ] } ", NULL },
		{ "[1,]", "no value of JSON" },
		{ "[,1]", "no value of JSON" },
		{ "{\"a\":1,}", "a string is expected" },
		{ "{1:2}", "a string is expected" },
		{ "{\"a\" 1}", "a colon is expected" },
		{ "[1 2]", "a comma is expected" },
		{ "[01]", "a number is expected" },
		{ "[1.]", "a number is expected" },
		{ "[-]", "a number is expected" },
		{ "[1e]", "a number is expected" },
		{ "[+1]", "no value of JSON" },
		{ "[NaN]", "no value of JSON" },
		{ "", "cut off" },
		{ "[", "cut off within a list" },
		{ "[1", "cut off within a number" },
		{ "[1,", "cut off within a list" },
		{ "{", "cut off within an object" },
		{ "{\"a\":", "cut off" },
		{ "{\"a\":1", "cut off within a number" },
		{ "[\"a\\", "cut off within a string" },
		{ "[tru", "cut off within a word" },
	};
	char deep[2 * JSON_DEPTH_MAX + 8];
	struct json_walk w = { .text = { deep, sizeof(deep) } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_walk c = { .text = slice_of(cases[i].text) };
		bool ok = json_walk_skip(&c);

		if (ok != !cases[i].problem || (c.problem && strcmp(c.problem, cases[i].problem)))
			fail_msg("%s: %s", cases[i].text, c.problem ? c.problem : "well formed");
	}
	memset(deep, '[', sizeof(deep));
	assert_false(json_walk_skip(&w));
	assert_string_equal(w.problem, "too many levels");
}

static void test_unescape(void **state)
{
	static const struct { const char *text, *expected;
	} cases[] = {
		{ "a\\/b", "a/b" },	  { "\\u0041\\n\\t", "A\n\t" }, { "\\\"\\\\", "\"\\" },
		{ "\\u0000", "\\u0000" }, { "\\u00e4", "\\u00e4" },	{ "\\x", "\\x" },
		{ "\\", "\\" },		  { "\\u12", "\\u12" },		{ "", "" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got = json_walk_unescape(a, slice_of(cases[i].text));

		if (strcmp(got, cases[i].expected) != 0)
			fail_msg("%s: %s", cases[i].text, got);
	}
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_file),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_starts),
		cmocka_unit_test(test_shared_case),
		cmocka_unit_test(test_walker),
		cmocka_unit_test(test_unescape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
