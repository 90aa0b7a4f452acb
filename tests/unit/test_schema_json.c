/* parse_schema_json: a bundle's rows, cqlsh's output of SELECT JSON, cut texts. */
#include "schema_text.h"

#define TW "TimeWindowCompactionStrategy(twcs)"
#define KEYS "{\"keyspace_name\": \"k\", \"table_name\": \"t\", "
#define CLASS "\"compaction\": {\"class\": \"a.TimeWindowCompactionStrategy\"}"

static const struct {
	const char *name, *input, *expected;
} cases[] = {
	{ "a row of tables", "{\"from\": \"tables\", \"keyspace_name\": \"k\", \"table_name\": "
	  "\"t\", "
	  "\"compaction\": {\"class\": \"TimeWindowCompactionStrategy\", "
	  "\"compaction_window_size\": "
	  "\"2\", \"compaction_window_unit\": \"HOURS\", \"min_threshold\": \"4\"}, "
	  "\"default_time_to_live\": 5, \"gc_grace_seconds\": 6, \"read_repair\": \"BLOCKING\", "
	  "\"id\": \"5a1c395e-b41f-11e5-9f22-ba0be0483c18\"}\n",
	  "k.t id=5a1c395eb41f11e59f22ba0be0483c18 " TW " window=7200 ttl=5 gc=6 "
	  "repair=BLOCKING; " },
	{ "what was not selected is unknown", KEYS CLASS "}\n", "k.t " TW " window=86400; " },
	{ "null is unknown", KEYS CLASS ", \"gc_grace_seconds\": null}\n", "k.t " TW " "
	  "window=86400; " },
	{ "chances of 3.x", KEYS "\"gc_grace_seconds\": 1, \"read_repair_chance\": 0.0, "
	  "\"dclocal_read_repair_chance\": 0.1}\n", "k.t gc=1 chance=0.1; " },
	{ "a view", "{\"from\": \"system_schema.views\", \"keyspace_name\": \"k\", "
	  "\"view_name\": \"v\", "
	  "\"base_table_name\": \"t\", " CLASS ", \"gc_grace_seconds\": 6}\n",
	  "k.v(view) " TW " window=86400 ttl=0 gc=6; " },
	{ "a keyspace", "{\"from\": \"keyspaces\", \"keyspace_name\": \"K\", "
	  "\"durable_writes\": true, "
	  "\"replication\": {\"class\": \"org.apache.cassandra.locator.NetworkTopologyStrategy\", "
	  "\"dc1\": \"3\", \"dc2\": \"1\"}}\n", "K: NetworkTopologyStrategy replicas=3; " },
	{ "columns are passed over", "{\"from\": \"columns\", \"keyspace_name\": \"k\", "
	  "\"table_name\": "
	  "\"t\", \"column_name\": \"gc_grace_seconds\", \"kind\": \"regular\"}\n" KEYS CLASS "}\n",
	  "k.t " TW " window=86400; " },
	{ "rows of other tables", "{\"from\": \"system_schema.indexes\", \"keyspace_name\": \"k\", "
	  "\"table_name\": \"t\", \"compaction\": \"x\"}\n" KEYS CLASS "}\n",
	  "k.t " TW " window=86400; " },
	{ "cqlsh's output", "WARNING: cqlsh was built against 5.0.0\n\n [json]\n------\n  "
	  " " KEYS CLASS
	  "}\n\n(1 rows)\n", "k.t " TW " window=86400; " },
	{ "cqlsh's doubled backslashes", " [json]\n------\n" KEYS "\"comment\": \"a \\\\\"b\\\\\" "
	  "\\\\\\\\\", " CLASS "}\n\n(1 rows)\n", "k.t " TW " window=86400; " },
	{ "options inside a comment", " [json]\n------\n" KEYS "\"comment\": \"x\\\\\", "
	  "\\\\\"gc_grace_seconds\\\\\": 5, \\\\\"y\\\\\": \\\\\"\", " CLASS "}\n\n(1 rows)\n",
	  "k.t " TW " window=86400; " },
	{ "cqlsh's output cut at a row", " [json]\n------\n" KEYS CLASS "}\n",
	  "k.t " TW " window=86400; PARTIAL ! 3 the number of rows is missing after them" },
	{ "another number of rows", " [json]\n------\n" KEYS CLASS "}\n\n(2 rows)\n",
	  "k.t " TW " window=86400; PARTIAL ! 5 this is not the number of rows that were read" },
	{ "two outputs, the first cut", " [json]\n------\n" KEYS CLASS "}\n [json]\n---\n\n(0 "
	  "rows)\n",
	  "k.t " TW " window=86400; PARTIAL ! 4 the number of rows is missing after them" },
	{ "cut inside a row", KEYS CLASS "}\n" KEYS "\"gc_grace_sec",
	  "k.t " TW " window=86400; PARTIAL ! 2 the row is no whole JSON object" },
	{ "nothing but a cut row", KEYS "\"gc_grace_seconds\": 86", "FAILED ! 1 the row is no "
	  "whole "
	  "JSON object" },
	{ "more after the object", KEYS CLASS "} x\n", "FAILED ! 1 the row is no whole JSON "
	  "object" },
	{ "a negative number", KEYS "\"gc_grace_seconds\": -1}\n",
	  "k.t; PARTIAL ! 1 gc_grace_seconds cannot be '-1'" },
	{ "a number above the int range", KEYS "\"gc_grace_seconds\": 1e300}\n",
	  "k.t; PARTIAL ! 1 gc_grace_seconds cannot be '1.0000000000000001e+300'" },
	{ "a list for a number", KEYS "\"gc_grace_seconds\": [1]}\n",
	  "k.t; PARTIAL ! 1 gc_grace_seconds cannot be 'no plain value'" },
	{ "a list for the map", KEYS "\"compaction\": [1]}\n",
	  "k.t; PARTIAL ! 1 compaction cannot be 'no plain value'" },
	{ "names that are no texts", "{\"keyspace_name\": 5, \"table_name\": \"t\", " CLASS "}\n",
	  "FAILED ! 0 no row of system_schema in it" },
	{ "no rows", "hello\n", "FAILED ! 0 no row of system_schema in it" },
	{ "empty", "", "FAILED ! 0 empty, no row of system_schema in it" },
};

static void test_cases(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		case_run(&c, parse_schema_json, cases[i].input);
		if (strcmp(schema_text(&c), cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s", cases[i].name, schema_text(&c),
				 cases[i].expected);
		case_close(&c);
	}
}

static const char *const files[] = {
	"schema/3.11.19-select-json.txt", "schema/5.0.6-select-json.txt",
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		const struct schema_table *t;
		struct parse_case c;

		case_open(&c);
		case_parse(&c, parse_schema_json, files[i], case_fixture(c.arena, files[i]));
		if (!c.ok || c.err.kind != ERR_NONE || c.cluster.schema.tables.n != 15)
			fail_msg("%s: %s", files[i], schema_text(&c));
		t = schema_find(&c, "metrics", "readings_unsafe");
		assert_non_null(t);
		assert_true(t->settings.unsafe_aggressive);
		t = schema_find(&c, "metrics", "rollup_1m");
		assert_non_null(t);
		assert_int_equal(t->settings.window_s.v, 14 * 86400);
		assert_int_equal(t->settings.default_ttl_s.v, 31536000);
		assert_int_equal(t->settings.gc_grace_s.v, 86400);
		case_close(&c);
	}
}

static void test_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		case_prefixes(parse_schema_json, files[i], schema_compare_prefix);
}

/* The rows were recorded after the text, when there was one more table. */
static size_t compare_tables(const struct parse_case *text, const struct parse_case *rows,
			     const char *where)
{
	size_t n = 0;

	for (size_t i = 0; i < text->cluster.schema.tables.n; i++) {
		const struct schema_table *t = text->cluster.schema.tables.v[i];
		const struct schema_table *r = schema_find(rows, t->keyspace, t->name);

		if (strcmp(t->keyspace, "metrics") != 0)
			continue;
		if (!r)
			fail_msg("%s: there is no row of %s", where, t->name);
		schema_same_settings(&r->settings, &t->settings, where);
		n++;
	}
	return n;
}

/* The two forms of one node's schema say the same. */
static void test_against_describe(void **state)
{
	static const char *const folders[] = { "cassandra-3.11.19", "cassandra-5.0.6" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		struct parse_case rows, text;
		struct slice s;

		case_open(&rows);
		case_open(&text);
		s = case_read(text.arena, arena_printf(text.arena, "%s/fixtures/%s/describe.cql",
						       case_shared(), folders[i]));
		if (!s.p) {
			print_message("no recordings in %s: skipped\n", case_shared());
			case_close(&rows);
			case_close(&text);
			skip();
		}
		case_parse(&text, parse_schema, "describe.cql", s);
		s = case_read(rows.arena,
			      arena_printf(rows.arena,
			  "%s/fixtures/%s/cqlsh/system-schema-tables-json.txt",
					   case_shared(), folders[i]));
		case_parse(&rows, parse_schema_json, "json", s);
		assert_int_equal(compare_tables(&text, &rows, folders[i]), 14);
		case_close(&rows);
		case_close(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_files),
		cmocka_unit_test(test_prefixes), cmocka_unit_test(test_against_describe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
