/* parse_schema: DESCRIBE's forms, hand-written CQL, pieces, cut texts. */
#include "schema_text.h"

#include <glob.h>

#define COLUMNS " (\n    a text PRIMARY KEY,\n    b map<text, frozen<list<int>>>\n) "
#define TWCS "compaction = {'class': 'TimeWindowCompactionStrategy'}"
#define TW "TimeWindowCompactionStrategy(twcs)"

static const struct {
	const char *name, *input, *expected;
} cases[] = {
	/* defaults and options */
	{ "defaults of a complete table", "CREATE TABLE k.t" COLUMNS "WITH " TWCS ";",
	  "k.t " TW " window=86400 ttl=0 gc=864000; " },
	{ "no options at all", "CREATE TABLE k.t" COLUMNS ";", "k.t ttl=0 gc=864000; " },
	{ "all options",
	  "CREATE TABLE k.t" COLUMNS "WITH compaction = {'class': "
	  "'org.apache.cassandra.db.compaction.TimeWindowCompactionStrategy', "
	  "'compaction_window_size': '12', 'compaction_window_unit': 'HOURS', 'enabled': 'false', "
	  "'expired_sstable_check_frequency_seconds': '60', 'max_threshold': '16', "
	  "'min_threshold': '2', 'only_purge_repaired_tombstones': 'true', "
	  "'timestamp_resolution': 'MILLISECONDS', 'tombstone_threshold': '0.1', "
	  "'unsafe_aggressive_sstable_expiration': 'TRUE'}\n"
	  "    AND default_time_to_live = 5 AND gc_grace_seconds = 6 AND read_repair = 'none';",
	  "k.t " TW " window=43200 milliseconds ttl=5 gc=6 check=60 thresholds=2,16 disabled "
	  "purge-repaired unsafe tombstones repair=NONE; " },
	{ "bare numbers and short names", "CREATE TABLE k.t" COLUMNS "WITH compaction = {"
	  "'compaction_window_unit': 'MINUTES', 'class': 'TimeWindowCompactionStrategy', "
	  "'compaction_window_size': 30};", "k.t " TW " window=1800 ttl=0 gc=864000; " },
	{ "a class of a third party", "CREATE TABLE k.t" COLUMNS "WITH compaction = {'class': "
	  "'com.jeffjirsa.cassandra.db.compaction.TimeWindowCompactionStrategy'};",
	  "k.t " TW " window=86400 ttl=0 gc=864000; " },
	{ "another strategy has no window", "CREATE TABLE k.t" COLUMNS "WITH compaction = "
	  "{'class': "
	  "'LeveledCompactionStrategy', 'compaction_window_size': '3'};",
	  "k.t LeveledCompactionStrategy ttl=0 gc=864000; " },
	{ "case and order", "create table K.T" COLUMNS "with GC_GRACE_SECONDS=1 and compact "
	  "storage "
	  "AnD Compaction={'class':'TimeWindowCompactionStrategy'} and clustering order by (a "
	  "desc);",
	  "k.t " TW " window=86400 ttl=0 gc=1; " },
	{ "numbers in quotes", "CREATE TABLE k.t" COLUMNS "WITH gc_grace_seconds = '7';",
	  "k.t ttl=0 gc=7; " },
	{ "read repair chances of 3.x", "CREATE TABLE k.t" COLUMNS "WITH "
	  "dclocal_read_repair_chance = "
	  "0.1 AND read_repair_chance = 0.0;", "k.t ttl=0 gc=864000 chance=0.1; " },
	{ "unchecked false is no tombstone option", "CREATE TABLE k.t" COLUMNS "WITH compaction = "
	  "{'class': 'TimeWindowCompactionStrategy', 'unchecked_tombstone_compaction': 'false'};",
	  "k.t " TW " window=86400 ttl=0 gc=864000; " },
	{ "unchecked true is one", "CREATE TABLE k.t" COLUMNS "WITH compaction = {'class': "
	  "'TimeWindowCompactionStrategy', 'unchecked_tombstone_compaction': 'true'};",
	  "k.t " TW " window=86400 ttl=0 gc=864000 tombstones; " },
	{ "ScyllaDB's tombstone_gc", "CREATE TABLE k.t" COLUMNS "WITH tombstone_gc = {'mode': "
	  "'repair', "
	  "'propagation_delay_in_seconds': '3600'} AND cdc = {};", "k.t ttl=0 gc=864000 "
	  "gc-mode=repair; " },
	{ "an id", "CREATE TABLE k.t" COLUMNS "WITH ID = 5A1c395e-b41f-11e5-9f22-ba0be0483c18 AND "
	  "gc_grace_seconds = 1;", "k.t id=5a1c395eb41f11e59f22ba0be0483c18 ttl=0 gc=1; " },
	{ "an option twice in the map", "CREATE TABLE k.t" COLUMNS "WITH compaction = {'class': "
	  "'X', "
	  "'class': 'TimeWindowCompactionStrategy'};", "k.t " TW " window=86400 ttl=0 "
	  "gc=864000; " },

	/* values that a server refuses */
	{ "a unit in lower case", "CREATE TABLE k.t" COLUMNS "WITH compaction = {'class': "
	  "'TimeWindowCompactionStrategy', 'compaction_window_unit': 'days'};",
	  "k.t " TW "; PARTIAL ! 4 compaction_window_unit cannot be 'days'" },
	{ "a size of 0", "CREATE TABLE k.t" COLUMNS "WITH compaction = {'class': "
	  "'TimeWindowCompactionStrategy', 'compaction_window_size': 0};",
	  "k.t " TW "; PARTIAL ! 4 compaction_window_size cannot be '0'" },
	{ "a size above the int range", "CREATE TABLE k.t" COLUMNS "WITH compaction = {'class': "
	  "'TimeWindowCompactionStrategy', 'compaction_window_size': 2147483648};",
	  "k.t " TW "; PARTIAL ! 4 compaction_window_size cannot be '2147483648'" },
	{ "a resolution that is none", "CREATE TABLE k.t" COLUMNS "WITH compaction = {'class': "
	  "'TimeWindowCompactionStrategy', 'timestamp_resolution': 'DAYS'};",
	  "k.t " TW "; PARTIAL ! 4 timestamp_resolution cannot be 'DAYS'" },
	{ "a negative gc_grace", "CREATE TABLE k.t" COLUMNS "WITH " TWCS " AND gc_grace_seconds "
	  "= -1;",
	  "k.t " TW " window=86400; PARTIAL ! 4 gc_grace_seconds cannot be '-1'" },
	{ "a fraction of a second", "CREATE TABLE k.t" COLUMNS "WITH default_time_to_live = 1.5;",
	  "k.t; PARTIAL ! 4 default_time_to_live cannot be '1.5'" },
	{ "no class", "CREATE TABLE k.t" COLUMNS "WITH compaction = {'enabled': 'true'};",
	  "k.t; PARTIAL ! 4 the compaction options name no class" },
	{ "compaction is no map", "CREATE TABLE k.t" COLUMNS "WITH compaction = 'LCS';",
	  "k.t; PARTIAL ! 4 compaction cannot be 'LCS'" },

	/* names, comments, other statements */
	{ "quoted names", "CREATE TABLE \"My\".\"A\"\"B\"" COLUMNS ";", "My.A\"B ttl=0 "
	  "gc=864000; " },
	{ "words are lowered", "CREATE TABLE My.Table_1" COLUMNS ";", "my.table_1 ttl=0 "
	  "gc=864000; " },
	{ "USE", "USE k;\nCREATE TABLE t" COLUMNS ";USE \"K\"; CREATE TABLE t" COLUMNS ";",
	  "k.t ttl=0 gc=864000; K.t ttl=0 gc=864000; " },
	{ "no keyspace", "CREATE TABLE t" COLUMNS ";", "(none).t ttl=0 gc=864000; " },
	{ "a placeholder for the keyspace", "CREATE TABLE IF NOT EXISTS ${keyspace}.t" COLUMNS ";",
	  "(none).t ttl=0 gc=864000; " },
	{ "a placeholder for the table", "CREATE TABLE k.${t}" COLUMNS "WITH gc_grace_seconds = 1;",
	  ". ttl=0 gc=1; PARTIAL ! 1 the name of a table cannot be read at '('" },
	{ "a comment with quotes and the word AND", "CREATE TABLE k.t" COLUMNS "WITH comment = "
	  "'it''s "
	  "AND compaction = {''class'': ''X''}; --' AND gc_grace_seconds = 1;", "k.t ttl=0 "
	  "gc=1; " },
	{ "comments", "-- CREATE TABLE k.a (x int PRIMARY KEY);\n// CREATE TABLE k.b (x int);\n"
	  "/* CREATE TABLE k.c (x int);\n*/ CREATE TABLE k.t /* ; */ (a int -- )\n PRIMARY KEY) "
	  "WITH "
	  "gc_grace_seconds = 1 -- AND gc_grace_seconds = 2\n;", "k.t ttl=0 gc=1; " },
	{ "a view", "CREATE MATERIALIZED VIEW k.v AS\n    SELECT *\n    FROM k.t\n    WHERE a "
	  "IS NOT "
	  "NULL\n    PRIMARY KEY (a)\n WITH CLUSTERING ORDER BY (b ASC) AND " TWCS
	  " AND gc_grace_seconds = 3;", "k.v(view) " TW " window=86400 ttl=0 gc=3; " },
	{ "statements that are passed over", "CREATE TYPE k.y (a text, b int);\nCREATE INDEX i "
	  "ON k.t "
	  "(b);\nCREATE CUSTOM INDEX j ON k.t (b) USING 'x' WITH OPTIONS = {'a': 'b;'};\n"
	  "CREATE OR REPLACE FUNCTION k.f (x int) CALLED ON NULL INPUT RETURNS int LANGUAGE "
	  "java AS $$\n"
	  "CREATE TABLE k.x (a int PRIMARY KEY); return 'it';\n$$;\nINSERT INTO k.t (a) VALUES ('\n"
	  "CREATE TABLE k.z (a int PRIMARY KEY);');\nCREATE ROLE r WITH PASSWORD = 'p';\n"
	  "CREATE TABLE k.t" COLUMNS ";", "k.t ttl=0 gc=864000; " },
	{ "warnings of cqlsh first", "WARNING: cqlsh was built against 5.0.0, but this server "
	  "is 5.0.6. "
	  " All features may not work!\n\nIt can't be helped\nUse of this host is logged\nCREATE a "
	  "better world\n\nCREATE TABLE k.t" COLUMNS ";", "k.t ttl=0 gc=864000; " },
	{ "prompts", "cqlsh> DESC TABLE k.t\n\ncqlsh:k> CREATE TABLE k.t" COLUMNS ";\ncqlsh:k> "
	  "exit\n",
	  "k.t ttl=0 gc=864000; " },
	{ "carriage returns and a byte-order mark", "\xef\xbb\xbf" "CREATE TABLE k.t (a int "
	  "PRIMARY KEY)\r\n"
	  " WITH gc_grace_seconds = 1\r\n AND default_time_to_live = 2;\r\n", "k.t ttl=2 gc=1; " },

	/* keyspaces */
	{ "SimpleStrategy", "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', "
	  "'replication_factor': '2'}  AND durable_writes = true;", "k: SimpleStrategy "
	  "replicas=2; " },
	{ "the largest datacenter", "CREATE KEYSPACE IF NOT EXISTS \"K\" WITH durable_writes = "
	  "false AND "
	  "replication = {'class': 'org.apache.cassandra.locator.NetworkTopologyStrategy', "
	  "'dc1': 1, "
	  "'dc2': '3', 'dc3': '2'};", "K: NetworkTopologyStrategy replicas=3; " },
	{ "transient replicas", "CREATE KEYSPACE k WITH replication = {'class': "
	  "'NetworkTopologyStrategy', 'dc1': '3/1'};", "k: NetworkTopologyStrategy replicas=3; " },
	{ "racks of a datacenter", "CREATE KEYSPACE k WITH replication = {'class': "
	  "'NetworkTopologyStrategy', 'dc1': ['r1', 'r2']};", "k: NetworkTopologyStrategy "
	  "replicas=2; " },
	{ "no replicas", "CREATE KEYSPACE k WITH replication = {'class': 'LocalStrategy'};",
	  "k: LocalStrategy; " },
	{ "a keyspace altered", "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', "
	  "'replication_factor': '2'}; ALTER KEYSPACE k WITH replication = {'class': "
	  "'NetworkTopologyStrategy', 'dc': 3};", "k: NetworkTopologyStrategy replicas=3; " },
	{ "an alteration cut off", "CREATE KEYSPACE k WITH replication = {'class': "
	  "'SimpleStrategy', "
	  "'replication_factor': '2'};\nALTER KEYSPACE k WITH replication = {'class': 'Net",
	  "k: -; PARTIAL ! 2 the text ends inside the options of a keyspace" },

	/* later statements */
	{ "a table altered", "CREATE TABLE k.t" COLUMNS "WITH " TWCS " AND gc_grace_seconds = 1;\n"
	  "ALTER TABLE k.t WITH compaction = {'class': 'LeveledCompactionStrategy'} AND "
	  "default_time_to_live = 9;\nALTER TABLE k.t ADD c int;",
	  "k.t LeveledCompactionStrategy ttl=9 gc=1; " },
	{ "an alteration alone", "ALTER TABLE k.t WITH " TWCS ";", "k.t " TW " window=86400; " },
	{ "an alteration of a table cut off", "CREATE TABLE k.t" COLUMNS "WITH gc_grace_seconds "
	  "= 1;\n"
	  "ALTER TABLE k.t WITH gc_grace_seconds = 2 AND default_time_to_li",
	  "k.t; PARTIAL ! 5 the text ends inside the options of a table" },
	{ "a table dropped", "CREATE TABLE k.t" COLUMNS ";CREATE TABLE k.u" COLUMNS ";DROP "
	  "TABLE IF "
	  "EXISTS k.t;", "k.u ttl=0 gc=864000; " },
	{ "dropped and made again", "CREATE TABLE k.t" COLUMNS ";DROP TABLE k.t;CREATE TABLE "
	  "k.t" COLUMNS
	  "WITH gc_grace_seconds = 4;", "k.t ttl=0 gc=4; " },
	{ "a keyspace dropped", "CREATE TABLE k.t" COLUMNS ";CREATE TABLE l.u" COLUMNS ";DROP "
	  "KEYSPACE k;",
	  "l.u ttl=0 gc=864000; " },
	{ "IF NOT EXISTS keeps what is there", "CREATE TABLE k.t" COLUMNS ";CREATE TABLE IF NOT "
	  "EXISTS k.t"
	  COLUMNS "WITH gc_grace_seconds = 4;", "k.t ttl=0 gc=864000; " },

	/* pieces */
	{ "options without a table", "WITH CLUSTERING ORDER BY (id ASC)\n    AND " TWCS "\n    AND "
	  "gc_grace_seconds = 5;", ". " TW " window=86400 ttl=0 gc=5; PARTIAL ! 1 options "
	  "without the "
	  "name of their table" },
	{ "from an AND on", "    AND " TWCS "\n    AND gc_grace_seconds = 0\n",
	  ". " TW " window=86400 gc=0; PARTIAL ! 1 the text ends inside the options of a table" },
	{ "the end of a table, then a table", "    b int\n) WITH gc_grace_seconds = 5;\nCREATE "
	  "TABLE k.t"
	  COLUMNS ";", ". ttl=0 gc=5; k.t ttl=0 gc=864000; PARTIAL ! 2 options without the name of "
	  "their table" },

	/* cut or broken */
	{ "cut in a number", "CREATE TABLE k.t" COLUMNS "WITH " TWCS " AND gc_grace_seconds = "
	  "86400",
	  "k.t " TW " window=86400; PARTIAL ! 1 the text ends inside the options of a table" },
	{ "cut in the map", "CREATE TABLE k.t" COLUMNS "WITH gc_grace_seconds = 5 AND compaction = "
	  "{'class': 'TimeWindowCompactionStrategy', 'compaction_window_size': '1'",
	  "k.t gc=5; PARTIAL ! 1 the text ends inside the options of a table" },
	{ "cut before the semicolon", "CREATE TABLE k.a" COLUMNS ";\nCREATE TABLE "
	  "k.t" COLUMNS "WITH "
	  TWCS "\n", "k.a ttl=0 gc=864000; k.t " TW " window=86400; PARTIAL ! 5 the text ends "
	  "inside "
	  "the options of a table" },
	{ "cut in the columns", "CREATE TABLE k.t (a int", "k.t; PARTIAL ! 1 the text ends "
	  "inside a "
	  "CREATE TABLE" },
	{ "cut in the name", "CREATE TABLE k.t", "FAILED ! 1 the text ends inside a CREATE TABLE" },
	{ "cut in a string", "CREATE TABLE k.t" COLUMNS "WITH comment = 'no end; AND "
	  "gc_grace_seconds = "
	  "1;", "k.t; PARTIAL ! 1 the text ends inside the options of a table" },
	{ "a semicolon is missing", "CREATE TABLE k.a" COLUMNS "WITH gc_grace_seconds = 1\n\n"
	  "CREATE TABLE k.b" COLUMNS ";", "k.a gc=1; k.b ttl=0 gc=864000; PARTIAL ! 6 the "
	  "options of a "
	  "table cannot be read at 'CREATE'" },
	{ "an option that is none", "CREATE TABLE k.t" COLUMNS "WITH gc_grace_seconds = 1 AND = "
	  "4 AND "
	  "default_time_to_live = 2;\nCREATE TABLE k.u" COLUMNS ";",
	  "k.t gc=1; k.u ttl=0 gc=864000; PARTIAL ! 4 the options of a table cannot be read at "
	  "'='" },
	{ "no schema (3.11)", "WARN: DESCRIBE|DESC was moved to server side in Cassandra 4.0. As a "
	  "consequence DESCRIBE|DESC will not work in cqlsh '6.2.2' connected to Cassandra "
	  "'3.11.19'\n",
	  "FAILED ! 0 no schema in it" },
	{ "empty", "", "FAILED ! 0 empty, no schema in it" },
	{ "refused credentials", "Connection error: ('Unable to connect to any servers', "
	  "{'h:9042': "
	  "AuthenticationFailed('x')})\n", "FAILED ! 1 an error message: Connection error: "
	  "('Unable to "
	  "connect to any servers', {'h:9042': AuthenticationFailed('x')})" },
};

static void test_cases(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		case_run(&c, parse_schema, cases[i].input);
		if (strcmp(schema_text(&c), cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s", cases[i].name, schema_text(&c),
				 cases[i].expected);
		case_close(&c);
	}
}

static const struct {
	const char *name, *map, *expected;
} maps[] = {
	{ "as it stands", "{'class': 'a.B', 'k': 'v'}", "{'class': 'a.B', 'k': 'v'}" },
	{ "made regular", "{ 'k':5,\n  'class' : 'B' ,'q': true}", "{'k': '5', 'class': 'B', "
	  "'q': 'true'}" },
	{ "quotes", "{'class': 'B', 'k': 'it''s'}", "{'class': 'B', 'k': 'it''s'}" },
	{ "no plain value", "{'class': 'B', 'k': {'x': 'y'}}", NULL },
};

static void test_compaction_map(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		struct parse_case c;
		const char *text, *got;

		case_open(&c);
		text = arena_printf(c.arena, "CREATE TABLE k.t (a int PRIMARY KEY) WITH "
			"compaction = %s;",
				    maps[i].map);
		case_parse(&c, parse_schema, "text", slice_of(text));
		assert_int_equal(c.cluster.schema.tables.n, 1);
		got = c.cluster.schema.tables.v[0]->settings.compaction_map;
		if (!got != !maps[i].expected || (got && strcmp(got, maps[i].expected) != 0))
			fail_msg("%s: %s", maps[i].name, got ? got : "nothing");
		case_close(&c);
	}
}

#define SHORT(options) "CREATE TABLE k.t (a int PRIMARY KEY) WITH " options ";"

static const struct {
	const char *name, *first, *second, *expected, *note;
} merges[] = {
	{ "the same twice", SHORT(TWCS), SHORT(TWCS), "k.t " TW " window=86400 ttl=0 "
	  "gc=864000; ", NULL },
	{ "the first counts", SHORT("gc_grace_seconds = 1"), SHORT("gc_grace_seconds = 2"),
	  "k.t ttl=0 gc=1; ",
	  "the schema of k.t differs in its gc_grace_seconds between a:1 and b:1, the first is "
	  "used" },
	{ "another table is added", SHORT(TWCS), "CREATE TABLE k.u (a int PRIMARY KEY);",
	  "k.t " TW " window=86400 ttl=0 gc=864000; k.u ttl=0 gc=864000; ", NULL },
	{ "a cut one gives way to a whole one", "CREATE TABLE k.t (a int PRIMARY KEY) WITH com",
	  SHORT(TWCS), "k.t " TW " window=86400 ttl=0 gc=864000; ", NULL },
	{ "a whole one stays", SHORT(TWCS), "CREATE TABLE k.t (a int PRIMARY KEY) WITH com",
	  "k.t " TW " window=86400 ttl=0 gc=864000; ! 1 the text ends inside the options of a "
	  "table",
	  NULL },
};

static void test_merge(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(merges); i++) {
		struct parse_case c;
		const char *note;

		case_open(&c);
		case_parse(&c, parse_schema, "a", slice_of(merges[i].first));
		case_parse(&c, parse_schema, "b", slice_of(merges[i].second));
		if (strcmp(schema_text(&c), merges[i].expected) != 0)
			fail_msg("%s: %s", merges[i].name, schema_text(&c));
		note = c.cluster.notes.n ? c.cluster.notes.v[0] : NULL;
		if (!note != !merges[i].note || (note && strcmp(note, merges[i].note) != 0))
			fail_msg("%s: note %s", merges[i].name, note ? note : "missing");
		assert_string_equal(c.cluster.schema.source, "a");
		case_close(&c);
	}
}

static const struct {
	const char *file;
	size_t tables;
	const char *part;	/* of the text */
} files[] = {
	{ "schema/3.11.19-describe.txt", 8, "metrics.rollup_1m " TW
	  " window=1209600 ttl=31536000 gc=86400 chance=0.1; " },
	{ "schema/4.1.9-describe.txt", 7, "metrics.x_purge_repaired " TW
	  " window=86400 ttl=2592000 gc=86400 purge-repaired repair=BLOCKING; " },
	{ "schema/5.0.6-describe.txt", 6, " disabled repair=BLOCKING; " },
	{ "schema/5.0.6-describe-pending.txt", 2, "metrics: SimpleStrategy replicas=3; " },
	{ "schema/5.0.6-describe-table.txt", 2, "MetricsEU.Readings_Raw " TW
	  " window=86400 ttl=2592000 gc=86400 repair=BLOCKING; MetricsEU.ByUnit(view) "
	  "SizeTieredCompactionStrategy ttl=0 gc=864000 repair=BLOCKING; " },
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct parse_case c;

		case_open(&c);
		case_parse(&c, parse_schema, files[i].file, case_fixture(c.arena, files[i].file));
		if (!c.ok || c.err.kind != ERR_NONE ||
		    c.cluster.schema.tables.n != files[i].tables ||
		    !strstr(schema_text(&c), files[i].part))
			fail_msg("%s: %s", files[i].file, schema_text(&c));
		case_close(&c);
	}
}

static void test_no_schema(void **state)
{
	struct parse_case c;

	(void)state;
	case_open(&c);
	case_parse(&c, parse_schema, "x", case_fixture(c.arena,
		"schema/3.11.19-describe-none.txt"));
	assert_false(c.ok);
	assert_int_equal(c.err.kind, ERR_FORMAT);
	assert_null(c.cluster.schema.source);
	case_close(&c);
}

static void test_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		case_prefixes(parse_schema, files[i].file, schema_compare_prefix);
}

/* Lines that begin like this, counted without the parser. */
static size_t count_lines(struct slice text, const char *start)
{
	struct lines it = lines_of(text);
	struct slice line;
	size_t n = 0;

	while (lines_next(&it, &line))
		n += slice_starts(line, slice_of(start));
	return n;
}

static void check_recording(const char *path)
{
	struct parse_case c;
	struct slice text;
	size_t expected;

	case_open(&c);
	text = case_read(c.arena, path);
	expected = count_lines(text, "CREATE TABLE ") + count_lines(text, "CREATE MATERIALIZED "
		"VIEW ");
	case_parse(&c, parse_schema, path, text);
	if (!c.ok || c.err.kind != ERR_NONE || c.cluster.schema.partial)
		fail_msg("%s", err_text(c.arena, &c.err));
	if (expected == 0 || c.cluster.schema.tables.n != expected)
		fail_msg("%s: %zu tables of %zu", path, c.cluster.schema.tables.n, expected);
	for (size_t i = 0; i < expected; i++) {
		const struct settings *s = &c.cluster.schema.tables.v[i]->settings;

		if (!s->strategy || !s->gc_grace_s.known || !s->default_ttl_s.known ||
		    s->twcs != s->window_s.known)
			fail_msg("%s: %s", path, c.cluster.schema.tables.v[i]->name);
	}
	case_close(&c);
}

static void test_recordings(void **state)
{
	static const char *const patterns[] = {
		"cassandra-*/describe.cql", "cluster3-*/nodes/*/schema.cql",
	};
	char pattern[4096];
	glob_t found;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		snprintf(pattern, sizeof(pattern), "%s/fixtures/%s", case_shared(), patterns[i]);
		if (glob(pattern, 0, NULL, &found) != 0) {
			print_message("no recordings in %s: skipped\n", case_shared());
			skip();
		}
		for (size_t j = 0; j < found.gl_pathc; j++)
			check_recording(found.gl_pathv[j]);
		print_message("%zu schemas read\n", found.gl_pathc);
		globfree(&found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_compaction_map),
		cmocka_unit_test(test_merge), cmocka_unit_test(test_files),
		cmocka_unit_test(test_no_schema), cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
