/* parse_tablestats: labels of all releases, odd numbers, pieces, cut texts. */
#include "parse_case.h"

#include <glob.h>
#include <math.h>

#include <cjson/cJSON.h>

#include "base/buf.h"

static void put_i64(struct buf *b, const char *name, struct opt_i64 v)
{
	if (v.known)
		buf_printf(b, " %s=%lld", name, (long long)v.v);
}

static void put_f64(struct buf *b, const char *name, struct opt_f64 v)
{
	if (v.known)
		buf_printf(b, " %s=%g", name, v.v);
}

static void put_table(struct buf *b, const struct table_stats *t)
{
	buf_printf(b, "%s%s%s%s", t->keyspace ? t->keyspace : "", t->keyspace ? "." : "", t->name,
		   t->is_index ? "(index)" : "");
	put_i64(b, "count", t->sstable_count);
	put_i64(b, "live", t->bytes_live);
	put_i64(b, "total", t->bytes_total);
	put_i64(b, "snapshots", t->bytes_snapshots);
	put_f64(b, "ratio", t->compression_ratio);
	put_i64(b, "partitions", t->partitions);
	put_i64(b, "max", t->partition_max_bytes);
	put_i64(b, "mean", t->partition_mean_bytes);
	put_f64(b, "average", t->tombstones_average);
	put_f64(b, "most", t->tombstones_max);
	put_f64(b, "droppable", t->droppable_ratio);
	put_i64(b, "window", t->window_s);
	buf_str(b, t->rounded ? " rounded" : "");
	buf_str(b, "; ");
}

/* All that was read, as one text: only what is known is in it. */
static const char *result(struct parse_case *c)
{
	struct buf b;
	const char *text;

	buf_init(&b, 1 << 20);
	buf_str(&b, c->ok ? "" : "FAILED ");
	for (size_t i = 0; i < c->node.table_stats.n; i++)
		put_table(&b, c->node.table_stats.v[i]);
	if (c->err.kind != ERR_NONE)
		buf_printf(&b, "! %u %s", c->err.line, c->err.text);
	text = arena_copy(c->arena, (struct slice){ b.p, b.n });
	buf_free(&b);
	return text;
}

#define K "Keyspace : m\n\tRead Count: 5\n"
#define T "\t\tTable: a\n"
#define SIZE "\t\tCompacted partition maximum bytes: 310\n"
#define RULE "----------------\n"
#define NOT_PLAIN "this value cannot be read with certainty: "

static const struct {
	const char *name, *input, *expected;
} cases[] = {
	{ "every label that is used",
	  RULE "Keyspace: m\n" T "\t\tSSTable count: 3\n\t\tOld SSTable count: 7\n"
	  "\t\tSSTables Time Window: 2 HOURS, max duration: 3 seconds\n"
	  "\t\tSpace used (live): 11\n\t\tSpace used (total): 12\n"
	  "\t\tSpace used by snapshots (total): 13\n\t\tSSTable Compression Ratio: 0.25\n"
	  "\t\tNumber of partitions (estimate): 14\n\t\tLocal read latency: NaN ms\n"
	  "\t\tCompacted partition minimum bytes: 15\n" SIZE
	  "\t\tCompacted partition mean bytes: 16\n"
	  "\t\tAverage live cells per slice (last five minutes): 99\n"
	  "\t\tAverage tombstones per slice (last five minutes): 1.5\n"
	  "\t\tMaximum tombstones per slice (last five minutes): 17\n"
	  "\t\tDroppable tombstone ratio: 0.75\n\n" RULE,
	  "m.a count=3 live=11 total=12 snapshots=13 ratio=0.25 partitions=14 max=310 mean=16 "
	  "average=1.5 most=17 droppable=0.75 window=7200; " },
	{ "3.0 without a rule first", "Keyspace: m\n" T SIZE "\n" RULE, "m.a max=310; " },
	{ "label of 3.0 for partitions", "Keyspace: m\n" T "\t\tNumber of keys (estimate): "
	  "9\n" SIZE,
	  "m.a partitions=9 max=310; " },
	{ "labels of 2.0", "Keyspace: m\n" T "\t\tSpace used (live), bytes: 9\n" SIZE,
	  "m.a live=9 max=310; " },
	{ "two tables, two keyspaces",
	  RULE K T SIZE "\n\t\tTable: b\n" SIZE "\n" RULE "Keyspace : n\n" T SIZE "\n" RULE,
	  "m.a max=310; m.b max=310; n.a max=310; " },
	{ "keyspace's own sizes (5.1)",
	  RULE "Keyspace: m\n\tSpace used (live): 5\n\tSpace used (total): 6\n" T SIZE "\n" RULE,
	  "m.a max=310; " },
	{ "an index", RULE K "\t\tTable (index): a.i\n" SIZE "\n" RULE, "m.a.i(index) max=310; " },
	{ "an index's name printed twice", RULE K "\t\tTable (index): a.ia.i\n" SIZE "\n" RULE,
	  "m.a.i(index) max=310; " },
	{ "sorted output", RULE "\tTable: m.a\n\tCompacted partition maximum bytes: 310\n\n",
	  "m.a max=310; " },
	{ "window by default", RULE K T "\t\tSSTables Time Window: null null, max duration: 1 day\n"
	  SIZE "\n" RULE, "m.a max=310 window=86400; " },
	{ "size by default", RULE K T "\t\tSSTables Time Window: null HOURS, max duration: 1 day\n"
	  SIZE "\n" RULE, "m.a max=310 window=3600; " },
	{ "a unit that is none", RULE K T "\t\tSSTables Time Window: 1 WEEKS, max duration: 1 day\n"
	  SIZE "\n" RULE, "m.a max=310; ! 5 " NOT_PLAIN "'1 WEEKS, max duration: 1 day'" },
	{ "a window of 0", RULE K T "\t\tSSTables Time Window: 0 DAYS, max duration: 1 day\n"
	  SIZE "\n" RULE, "m.a max=310; ! 5 " NOT_PLAIN "'0 DAYS, max duration: 1 day'" },
	{ "NaN and -1 are unknown",
	  RULE K T "\t\tSSTable Compression Ratio: -1.0\n\t\tNumber of partitions (estimate): -1\n"
	  SIZE "\t\tAverage tombstones per slice (last five minutes): NaN\n"
	  "\t\tMaximum tombstones per slice (last five minutes): NAN\n\n" RULE, "m.a max=310; " },
	{ "exponents", RULE K T "\t\tSpace used (live): 1.2E7\n\t\tDroppable tombstone ratio: "
	  "1E-2\n"
	  SIZE "\n" RULE, "m.a live=12000000 max=310 droppable=0.01; " },
	{ "a fraction is no count", RULE K T "\t\tSSTable count: 1.5\n" SIZE "\n" RULE,
	  "m.a max=310; ! 5 " NOT_PLAIN "'1.5'" },
	{ "negative bytes", RULE K T "\t\tSpace used (live): -2\n" SIZE "\n" RULE,
	  "m.a max=310; ! 5 " NOT_PLAIN "'-2'" },
	{ "above int64", RULE K T "\t\tSpace used (live): 9223372036854775808\n" SIZE "\n" RULE,
	  "m.a max=310; ! 5 " NOT_PLAIN "'9223372036854775808'" },
	{ "histogram overflow", RULE K T
	  "\t\tCompacted partition maximum bytes: 9223372036854775807\n\n" RULE,
	  "m.a max=9223372036854775807; " },
	{ "printed with -H", RULE K T "\t\tSpace used (live): 24.81 KiB\n" SIZE "\n" RULE,
	  "m.a live=25405 max=310 rounded; " },
	{ "decimal comma", RULE K T "\t\tDroppable tombstone ratio: 52,66%\n" SIZE "\n" RULE,
	  "m.a max=310; ! 5 " NOT_PLAIN "'52,66%'" },
	{ "decimal comma where nobody reads", RULE K T "\t\tLocal read latency: 0,000 "
	  "ms\n" SIZE "\n"
	  RULE, "m.a max=310; " },
	{ "thousands", RULE K T "\t\tSpace used (live): 2,952,244\n" SIZE "\n" RULE,
	  "m.a live=2952244 max=310; " },
	{ "carriage returns", RULE "Keyspace : m\r\n\t\tTable: a\r\n\t\tSSTable count: 3\r\n"
	  "\t\tCompacted partition maximum bytes: 310\r\n\r\n----------------\r\n",
	  "m.a count=3 max=310; " },
	{ "noise before it", "Picked up JAVA_TOOL_OPTIONS: x\nTotal number of tables: "
	  "1\n" RULE K T SIZE
	  "\n" RULE, "m.a max=310; " },
	{ "no indentation", "Keyspace: m\nRead Count: 0\nTable: a\nSSTable count: 17\n"
	  "Compacted partition maximum bytes: 310\n", "m.a count=17 max=310; " },
	{ "blanks for tabs", "Keyspace: m\n        Read Count: 1\n                Table: a\n"
	  "                SSTable count: 1\n                Compacted partition maximum bytes: "
	  "3\n",
	  "m.a count=1 max=3; " },
	{ "the last of two outputs counts",
	  RULE K T "\t\tSSTable count: 0\n\t\tSpace used (live): 5\n" SIZE "\n" RULE RULE K T
	  "\t\tSSTable count: 1\n" SIZE "\n" RULE, "m.a count=1 max=310; " },
	{ "keys of top partitions that look like labels", RULE K T "\t\tSSTable count: 2\n" SIZE
	  "\t\tTop partitions by size (last update: 2026-11-30T00:00:00Z):\n"
	  "\t\t  Key               Size\n\t\t  SSTable count: 9  5 B\n\t\t  Table: b          5 "
	  "B\n\n"
	  RULE, "m.a count=2 max=310; " },
	{ "a label twice", RULE K T "\t\tSSTable count: 2\n\t\tSSTable count: 9\n" SIZE "\n" RULE,
	  "m.a count=2 max=310; " },
	{ "values without a table", "\t\tSSTable count: 1\n" SIZE, "- count=1 max=310; " },
	{ "values without a table, then a table", "\tSpace used (live): 1\n" T SIZE "\n" RULE,
	  "- live=1; a max=310; " },
	{ "a table without keyspace", T "\t\tSSTable count: 1907\n",
	  "a count=1907; ! 2 the text ends inside a table" },
	{ "two outputs side by side", RULE "Keyspace : m\t\t\tKeyspace : m\n"
	  "\t\tTable: a\t\t\tTable: a\n\t\tSSTable count: 3\t|\tSSTable count: 4\n",
	  "FAILED ! 2 two outputs side by side cannot be read: 'm   Keyspace : m'" },
	{ "a sorted table without its name", RULE "\tTable: m.\n\tSSTable count: 1\n",
	  "FAILED ! 2 this is no name of a table: 'm" "'" },
	{ "a name that is none", RULE K "\t\tTable: a b\n" SIZE "\n" T SIZE "\n" RULE,
	  "m.a max=310; ! 4 this is no name of a table: 'a b'" },
	{ "cut in a number", RULE K T SIZE "\n\t\tTable: b\n" SIZE "\t\tSpace used (live): 12",
	  "m.a max=310; m.b max=310; ! 9 the text ends inside a table" },
	{ "cut in a name", RULE K T SIZE "\n\t\tTable: b", "m.a max=310; ! 7 the text ends "
	  "inside a "
	  "table" },
	{ "cut after a table", RULE K T SIZE "\n", "m.a max=310; ! 6 the text ends inside a "
	  "table" },
	{ "a copy of 2.0 without its blank end", RULE K T "\t\tSpace used (live), bytes: 5\n" SIZE
	  "\t\tAverage tombstones per slice (last five minutes): 0.0", "m.a live=5 max=310; " },
	{ "cut in the last value of a block", RULE K T SIZE
	  "\t\tAverage tombstones per slice (last five minutes): 1",
	  "m.a max=310; ! 6 the text ends inside a table" },
	{ "stack trace in the middle", RULE K T SIZE "\nerror: null\n-- StackTrace --\n",
	  "m.a max=310; ! 7 an error message: error: null" },
	{ "empty", "", "FAILED ! 0 empty, no table statistics in it" },
	{ "nothing selected", "Total number of tables: 0\n" RULE,
	  "FAILED ! 0 no table statistics in it" },
	{ "usage error", "nodetool: Unknown keyspace: nosuch\nSee 'nodetool help'.\n",
	  "FAILED ! 1 an error message: nodetool: Unknown keyspace: nosuch" },
	{ "refused", "nodetool: Failed to connect to '127.0.0.1:7199' - ConnectException: 'x'.\n",
	  "FAILED ! 1 an error message: nodetool: Failed to connect to '127.0.0.1:7199' - "
	  "ConnectException: 'x'" },
	{ "another document", "Datacenter: dc1\nUN 10.0.0.1\n", "FAILED ! 0 no table statistics "
	  "in it" },
};

static void test_cases(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		case_run(&c, parse_tablestats, cases[i].input);
		if (strcmp(result(&c), cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s", cases[i].name, result(&c),
				 cases[i].expected);
		case_close(&c);
	}
}

static const struct {
	const char *file;
	size_t tables;
	const char *name;	/* the expected text begins with this table's */
	const char *expected;
} files[] = {
	{ "3.11.19-tablestats.txt", 3, "MetricsEU.Readings_Raw ",
	  "count=5 live=28108 total=28108 snapshots=0 ratio=0.479659 partitions=15 max=310 "
	  "mean=223 "
	  "average=1 most=1; " },
	{ "4.0.17-tablestats.txt", 3, "MetricsEU.Readings_Raw.Unit_Idx(index) ",
	  "count=5 live=27291 total=27291 snapshots=0 ratio=0.323664 partitions=2 max=642 mean=429 "
	  "most=0 droppable=3.2; " },
	{ "4.1.9-tablestats.txt", 3, "MetricsEU.ByUnit ",
	  "count=5 live=27800 total=27800 snapshots=0 ratio=0.474833 partitions=2 max=535 mean=357 "
	  "most=0 droppable=0; " },
	{ "5.0.6-tablestats.txt", 3, "MetricsEU.Readings_Raw ",
	  "count=5 live=28655 total=28655 snapshots=0 ratio=0.47929 partitions=15 max=310 mean=223 "
	  "average=1 most=1 droppable=0.58182 window=86400; " },
	{ "5.0.6-tablestats-sorted.txt", 3, "metrics.readings_big ",
	  "count=4 live=110285521 total=110285521 snapshots=0 ratio=0.93005 partitions=201 "
	  "max=36157190 mean=328231 most=0 droppable=0 window=86400; " },
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct parse_case c;
		const char *found;

		case_open(&c);
		case_parse(&c, parse_tablestats, files[i].file,
			   case_fixture(c.arena,
					arena_printf(c.arena, "nodetool/%s", files[i].file)));
		found = strstr(result(&c), files[i].name);
		if (!c.ok || c.err.kind != ERR_NONE || c.node.table_stats.n != files[i].tables ||
		    !found || strncmp(found + strlen(files[i].name), files[i].expected,
				      strlen(files[i].expected)) != 0)
			fail_msg("%s: %s", files[i].file, result(&c));
		case_close(&c);
	}
}

static const struct table_stats *find(const struct parse_case *c, const char *keyspace,
				      const char *name)
{
	for (size_t i = 0; i < c->node.table_stats.n; i++) {
		const struct table_stats *t = c->node.table_stats.v[i];

		if (strcmp(t->name, name) == 0 &&
		    slice_eq(slice_of(t->keyspace), slice_of(keyspace)))
			return t;
	}
	return NULL;
}

static void same_i64(struct opt_i64 part, struct opt_i64 whole, const char *where)
{
	if (part.known && (!whole.known || part.v != whole.v))
		fail_msg("%s: %lld", where, (long long)part.v);
}

static void same_f64(struct opt_f64 part, struct opt_f64 whole, const char *where)
{
	if (part.known && (!whole.known || part.v != whole.v))
		fail_msg("%s: %g", where, part.v);
}

static void compare_prefix(const struct parse_case *part, const struct parse_case *whole,
			   const char *where)
{
	if (part->ok && part->err.kind == ERR_NONE &&
	    part->node.table_stats.n != whole->node.table_stats.n)
		fail_msg("%s: tables are missing and it is no error", where);
	for (size_t i = 0; i < part->node.table_stats.n; i++) {
		const struct table_stats *p = part->node.table_stats.v[i];
		const struct table_stats *w = find(whole, p->keyspace, p->name);

		if (!w || w->is_index != p->is_index)
			fail_msg("%s: there is no table %s", where, p->name);
		same_i64(p->sstable_count, w->sstable_count, where);
		same_i64(p->bytes_live, w->bytes_live, where);
		same_i64(p->bytes_total, w->bytes_total, where);
		same_i64(p->bytes_snapshots, w->bytes_snapshots, where);
		same_i64(p->partitions, w->partitions, where);
		same_i64(p->partition_max_bytes, w->partition_max_bytes, where);
		same_i64(p->partition_mean_bytes, w->partition_mean_bytes, where);
		same_i64(p->window_s, w->window_s, where);
		same_f64(p->compression_ratio, w->compression_ratio, where);
		same_f64(p->droppable_ratio, w->droppable_ratio, where);
		same_f64(p->tombstones_average, w->tombstones_average, where);
		same_f64(p->tombstones_max, w->tombstones_max, where);
	}
}

static void test_prefixes(void **state)
{
	static const char *const names[] = {
		"nodetool/3.11.19-tablestats.txt", "nodetool/4.0.17-tablestats.txt",
		"nodetool/4.1.9-tablestats.txt", "nodetool/5.0.6-tablestats.txt",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		case_prefixes(parse_tablestats, names[i], compare_prefix);
}

/* The recordings' JSON form of the same output, key by key. */
static void compare_json(const struct parse_case *c, const cJSON *keyspace, const char *path)
{
	const cJSON *table, *item;

	cJSON_ArrayForEach(table, cJSON_GetObjectItemCaseSensitive(keyspace, "tables")) {
		const struct table_stats *t = find(c, keyspace->string, table->string);

		if (!t)
			fail_msg("%s: %s.%s is missing", path, keyspace->string, table->string);
		item = cJSON_GetObjectItemCaseSensitive(table, "sstable_count");
		if (item && (!t->sstable_count.known || t->sstable_count.v != item->valuedouble))
			fail_msg("%s: %s: SSTables", path, t->name);
		item = cJSON_GetObjectItemCaseSensitive(table, "compacted_partition_maximum_bytes");
		if (!t->partition_max_bytes.known || t->partition_max_bytes.v != item->valuedouble)
			fail_msg("%s: %s: maximum partition", path, t->name);
		item = cJSON_GetObjectItemCaseSensitive(table, "space_used_live");
		if (!t->bytes_live.known || t->bytes_live.v != strtoll(item->valuestring, NULL, 10))
			fail_msg("%s: %s: live bytes", path, t->name);
	}
}

static size_t compare_recording(const char *folder)
{
	struct parse_case c;
	struct slice text, json;
	const cJSON *keyspace;
	cJSON *document;
	const char *path;
	size_t n;

	case_open(&c);
	path = arena_printf(c.arena, "%s/tablestats.txt", folder);
	text = case_read(c.arena, path);
	json = case_read(c.arena, arena_printf(c.arena, "%s/tablestats.json", folder));
	if (!text.p || !json.p) {
		case_close(&c);
		return 0;
	}
	case_parse(&c, parse_tablestats, path, text);
	if (!c.ok || c.err.kind != ERR_NONE)
		fail_msg("%s", err_text(c.arena, &c.err));
	document = cJSON_ParseWithLength(json.p, json.n);
	if (!document)
		fail_msg("%s: the JSON form cannot be read", folder);
	cJSON_ArrayForEach(keyspace, document)
		compare_json(&c, keyspace, path);
	cJSON_Delete(document);
	n = c.node.table_stats.n;
	case_close(&c);
	return n;
}

static void test_recordings(void **state)
{
	char pattern[4096];
	size_t tables = 0;
	glob_t found;

	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/fixtures/cassandra-*", case_shared());
	if (glob(pattern, 0, NULL, &found) != 0) {
		print_message("no recordings in %s: skipped\n", case_shared());
		skip();
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		tables += compare_recording(found.gl_pathv[i]);
	globfree(&found);
	print_message("%zu tables compared\n", tables);
	assert_true(tables > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_files),
		cmocka_unit_test(test_prefixes), cmocka_unit_test(test_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
