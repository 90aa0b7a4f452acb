/*
 * tablestats in its other forms: JSON, YAML, -H. Their values are the text's, for every recording;
 * ScyllaDB's JSON that is none; the real cases.
 */
#include "parse_case.h"

#include <glob.h>
#include <math.h>

#include "base/buf.h"

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

/* ---- JSON and YAML by hand ---- */

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

static const char *result(struct parse_case *c)
{
	struct buf b;
	const char *text;

	buf_init(&b, 1 << 16);
	buf_str(&b, c->ok ? "" : "FAILED ");
	for (size_t i = 0; i < c->node.table_stats.n; i++) {
		const struct table_stats *t = c->node.table_stats.v[i];

		buf_printf(&b, "%s.%s@%u%s", t->keyspace ? t->keyspace : "", t->name, t->line,
			   t->is_index ? "(index)" : "");
		put_i64(&b, "count", t->sstable_count);
		put_i64(&b, "live", t->bytes_live);
		put_i64(&b, "max", t->partition_max_bytes);
		put_i64(&b, "partitions", t->partitions);
		put_f64(&b, "average", t->tombstones_average);
		put_f64(&b, "most", t->tombstones_max);
		put_f64(&b, "droppable", t->droppable_ratio);
		put_i64(&b, "window", t->window_s);
		buf_str(&b, t->rounded ? " rounded; " : "; ");
	}
	if (c->err.kind != ERR_NONE)
		buf_printf(&b, "! %u %s", c->err.line, c->err.text);
	text = arena_copy(c->arena, (struct slice){ b.p, b.n });
	buf_free(&b);
	return text;
}

/* A keyspace of Cassandra with the table "a" and these members. */
#define JSON(members) "{\"total_number_of_tables\":1,\n\"m\":{\"read_latency\":0.5,\"tables\":\n" \
	"{\"a\":{" members "}}}}\n"
#define YAML(members) "total_number_of_tables: 1\nm:\n  read_latency: 0.5\n  tables:\n    a:\n" \
	members \
	"      compacted_partition_maximum_bytes: 310\n  read_count: 1\n\n"
#define UNSURE "this value cannot be read with certainty: "
#define EMPTY "has no value, which is no JSON (ScyllaDB prints so what is not a number)"

static const struct {
	const char *name, *input, *expected;
} cases[] = {
	{ "numbers and strings", JSON("\"sstable_count\":33,\"space_used_live\":\"17721533321\","
	  "\"compacted_partition_maximum_bytes\":129557750,"
	  "\"droppable_tombstone_ratio\":\"0.47458\","
	  "\"average_tombstones_per_slice_last_five_minutes\":1.5,"
	  "\"maximum_tombstones_per_slice_last_five_minutes\":17,"
	  "\"number_of_partitions_estimate\":9,"
	  "\"twcs\":\"2 HOURS, max duration: 3 seconds\""),
	  "m.a@3 count=33 live=17721533321 max=129557750 partitions=9 average=1.5 most=17 "
	  "droppable=0.47458 window=7200; " },
	{ "nothing known", JSON("\"average_tombstones_per_slice_last_five_minutes\":null,"
	  "\"twcs\":null,"
	  "\"droppable_tombstone_ratio\":\"NaN\",\"number_of_partitions_estimate\":-1"), "m.a@3; "
	  },
	{ "no value is no JSON (ScyllaDB)", "{\"total_number_of_tables\":1,\n"
	  "\"k\":{\"read_count\":0,\n"
	  "\"read_latency_ms\":,\"tables\":{\"t\":{\"space_used_live\":\"5\",\n"
	  "\"sstable_compression_ratio\":}}}}\n",
	  "k.t@3 live=5; ! 3 'read_latency_ms' " EMPTY },
	{ "bare NaN", JSON("\"average_tombstones_per_slice_last_five_minutes\":NaN,"
	  "\"space_used_live\":\"5\""),
	  "m.a@3 live=5; " },
	{ "the maximum of tombstones on ScyllaDB is that of live cells",
	  "{\"k\":{\"read_latency_ms\":0.1,"
	  "\"tables\":{\"t\":{\"maximum_tombstones_per_slice_last_five_minutes\":9,"
	  "\"space_used_live\":\"5\"}}}}", "k.t@1 live=5; " },
	{ "a keyspace without tables", "{\"k\":{\"read_latency\":0.1,\"tables\":{}}}",
	  "FAILED ! 0 no table statistics in it" },
	{ "whole numbers above 2^53",
	  JSON("\"compacted_partition_maximum_bytes\":9223372036854775807,"
	  "\"space_used_live\":9007199254740993"), "m.a@3 live=9007199254740993 "
	  "max=9223372036854775807; " },
	{ "sizes of -H", JSON("\"space_used_live\":\"24.81 KiB\",\"space_used_total\":\"512 "
	  "bytes\""),
	  "m.a@3 live=25405 rounded; " },
	{ "a decimal comma", JSON("\"droppable_tombstone_ratio\":\"0,58182\""), "m.a@3 "
	  "droppable=0.58182; " },
	{ "two readings", JSON("\"droppable_tombstone_ratio\":\"1,178\""),
	  "m.a@3; ! 3 droppable_tombstone_ratio of 'a': " UNSURE "'1,178'" },
	{ "a list for a number", JSON("\"sstable_count\":[3],\"space_used_live\":\"5\""),
	  "m.a@3 live=5; ! 3 sstable_count of 'a': " UNSURE "'[]'" },
	{ "lines after inner objects", "{\"m\":{\"read_latency\":1,\"tables\":{\n"
	  "\"a\":{\"top_size_partitions\":{\n"
	  "\"k\":{}},\"l\":[{},\n{}]},\n\"b\":{}}}}", "m.a@2; m.b@5; " },
	{ "keys and values that look like marks", JSON("\"x\":\"{,}:\\\"\","
	  "\"sstable_count\":3"), "m.a@3 count=3; " },
	{ "sorted", "{\"total_number_of_tables\":1,\"m.a\":{\"space_used_live\":\"5\",\n"
	  "\"sstable_count\":3},"
	  "\"x\":{\"y\":{}},\n\"m.b\":{\"space_used_live\":\"6\"}}", "m.a@1 count=3 live=5; m.b@3 "
	  "live=6; " },
	{ "an index, printed twice", "{\"m\":{\"read_latency\":1,"
	  "\"tables\":{\"a.ia.i\":{\"sstable_count\":3}}}}",
	  "m.a.i@1(index) count=3; " },
	{ "two documents and noise", "Picked up JAVA_TOOL_OPTIONS: {}\n"
	  JSON("\"sstable_count\":3") "\n$ again {\n"
	  JSON("\"sstable_count\":4"), "m.a@9 count=4; " },
	{ "a byte-order mark", "\xef\xbb\xbf" JSON("\"sstable_count\":3"), "m.a@3 count=3; " },
	{ "a name that is none", "{\"m\":{\"read_latency\":1,\"tables\":{\"a "
	  "b\":{\"sstable_count\":3}}}}",
	  "FAILED ! 1 the name of 'a b': this is no name of a table" },
	{ "cut", "{\"m\":{\"read_latency\":1,\n\"tables\":{\"a\":{\"sstable_count\":3",
	  "FAILED ! 2 the JSON text ends inside an object" },
	{ "cut in a string", "{\"m\":{\"read_la", "FAILED ! 1 the JSON text ends inside an object"
	  },
	{ "no JSON", "{\"m\":{\n\"a\" 5}}", "FAILED ! 2 this is no JSON" },
	{ "brackets that do not match", "{\"m\":{\"tables\":[}}}", "FAILED ! 1 this is no JSON" },
	{ "an error message", "nodetool: Found unexpected parameters: [-F, json, tablestats]\n",
	  "FAILED ! 1 an error message: nodetool: Found unexpected parameters: [-F, json, "
	  "tablestats]" },
	{ "empty", "", "FAILED ! 0 empty, no table statistics in it" },

	{ "YAML", YAML("      sstable_count: 3\n      space_used_live: '17721533321'\n"
	  "      droppable_tombstone_ratio: '0.47458'\n      sstables_in_each_level: []\n"
	  "      maximum_tombstones_per_slice_last_five_minutes: 7\n"),
	  "m.a@5 count=3 live=17721533321 max=310 most=7 droppable=0.47458; " },
	{ "YAML, nothing known", YAML("      average_tombstones_per_slice_last_five_minutes: .NaN\n"
	  "      droppable_tombstone_ratio: NaN\n      twcs: null\n      sstable_count: "
	  "~\n"), "m.a@5 max=310; " },
	{ "YAML, lists and inner maps", YAML("      sstables_in_each_level:\n      - '1'\n      - "
	  "'2: 3'\n"
	  "      top_size_partitions:\n        sstable_count: 9\n      sstable_count: 3\n"),
	  "m.a@5 count=3 max=310; " },
	{ "YAML, a value over two lines", YAML("      twcs: '1 DAYS, max duration: 20756 days 23 "
	  "hours\n"
	  "        sstable_count: 7 seconds'\n      sstable_count: 3\n"), "m.a@5 count=3 max=310 "
	  "window=86400; " },
	{ "YAML of ScyllaDB", "total_number_of_tables: 1\nk:\n  read_count: 0\n  read_latency_ms: "
	  ".nan\n  tables:\n"
	  "    t:\n      maximum_tombstones_per_slice_last_five_minutes: 9\n      space_used_live: "
	  "\"5\"\n"
	  "      compacted_partition_maximum_bytes: 1.2E7\n", "k.t@6 live=5 max=12000000; " },
	{ "YAML, sorted", "total_number_of_tables: 2\nm.a:\n  space_used_live: '5'\n"
	  "  compacted_partition_maximum_bytes: 3\nm.b:\n  space_used_live: '6'\n"
	  "  compacted_partition_maximum_bytes: 4\n", "m.a@3 live=5 max=3; m.b@6 live=6 max=4; " },
	{ "YAML with a comma that can be both", YAML("      droppable_tombstone_ratio: '1,178'\n"),
	  "m.a@5 max=310; ! 6 droppable_tombstone_ratio " UNSURE "'1,178'" },
	{ "YAML, cut in a table", "total_number_of_tables: 1\nm:\n  read_latency: 0.5\n  tables:\n "
	  "   a:\n"
	  "      sstable_count: 3\n", "m.a@5 count=3; ! 6 the text ends inside a keyspace" },
	{ "YAML, cut in a number", "total_number_of_tables: 1\nm:\n  tables:\n    a:\n"
	  "      compacted_partition_maximum_bytes: 3\n  read_count: 1", "m.a@4 max=3; ! 6 the "
	  "text ends inside a keyspace" },
	{ "YAML, two outputs", YAML("      sstable_count: 3\n") YAML("      sstable_count: 4\n"),
	  "m.a@14 count=4 max=310; " },
	{ "YAML without tables", "total_number_of_tables: 0\n\n", "FAILED ! 0 no table statistics "
	  "in it" },
};

static void test_cases(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		case_run(&c, parse_tablestats_json, cases[i].input);
		if (strcmp(result(&c), cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s",
			cases[i].name, result(&c), cases[i].expected);
		case_close(&c);
	}
}

/* What a form does not have stays as another one had it. */
static void test_merge(void **state)
{
	struct parse_case c;

	(void)state;
	case_run(&c, parse_tablestats, "Keyspace: m\n\tRead Count: 1\n\t\tTable: a\n\t\tSSTable "
	"count: 3\n"
		 "\t\tSpace used (live): 5\n\t\tCompacted partition maximum bytes: 310\n\n");
	case_parse(&c, parse_tablestats_json, "text", SLICE(JSON("\"space_used_live\":\"6\"")));
	assert_string_equal(result(&c), "m.a@3 count=3 live=6 max=310; ");
	case_close(&c);
}

/* On a node that is known as ScyllaDB, or as Cassandra, the keys need not tell. */
static void test_product(void **state)
{
	static const char *const keyspaces[] = {
		"{\"k\":{\"read_latency\":1,"
		"\"tables\":{\"t\":{\"maximum_tombstones_per_slice_last_five_minutes\":9}}}}",
		"total_number_of_tables: 1\nk:\n  read_latency: 1\n  tables:\n    t:\n"
		"      maximum_tombstones_per_slice_last_five_minutes: 9\n"
		"      compacted_partition_maximum_bytes: 3\n  read_count: 1\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keyspaces); i++)
		for (int scylla = 0; scylla < 2; scylla++) {
			struct parse_case c;

			case_open(&c);
			c.node.product = scylla ? "scylla" : "cassandra";
			case_parse(&c, parse_tablestats_json, "text", slice_of(keyspaces[i]));
			assert_true(c.ok && c.err.kind == ERR_NONE);
			assert_int_equal(c.node.table_stats.v[0]->tombstones_max.known, !scylla);
			case_close(&c);
		}
}

/* ---- the forms of one output ---- */

static void same_i64(struct opt_i64 form, struct opt_i64 text, bool rounded, const char *where)
{
	double off = fabs((double)form.v - (double)text.v);

	/* two decimals of a number between 1 and 1024 */
	if (form.known != text.known || off > (rounded ? 0.005 * (double)text.v + 0.5 : 0))
		fail_msg("%s: %lld is not %lld", where, (long long)form.v, (long long)text.v);
}

/*
 * 5.0's text has five decimals of what its JSON has all of. The forms were asked for one after the
 * other: `drift` is what seconds change in estimates that decay or go with the clock.
 */
static void same_f64(struct opt_f64 form, struct opt_f64 text, double drift, const char *where)
{
	if (form.known != text.known || fabs(form.v - text.v) > 0.0000051 + drift * text.v)
		fail_msg("%s: %g is not %g", where, form.v, text.v);
}

static void same_table(const struct table_stats *f, const struct table_stats *t, bool rounded,
		       const char *path)
{
	char where[512];

	snprintf(where, sizeof(where), "%s: %s", path, t->name);
	if (f->is_index != t->is_index || t->rounded || (f->rounded && !rounded))
		fail_msg("%s: another kind", where);
	same_i64(f->sstable_count, t->sstable_count, false, where);
	same_i64(f->bytes_live, t->bytes_live, rounded, where);
	same_i64(f->bytes_total, t->bytes_total, rounded, where);
	same_i64(f->bytes_snapshots, t->bytes_snapshots, rounded, where);
	same_i64(f->partitions, t->partitions, false, where);
	same_i64(f->partition_max_bytes, t->partition_max_bytes, false, where);
	same_i64(f->partition_mean_bytes, t->partition_mean_bytes, false, where);
	same_i64(f->window_s, t->window_s, false, where);
	same_f64(f->compression_ratio, t->compression_ratio, 0, where);
	same_f64(f->droppable_ratio, t->droppable_ratio, 0.25, where);
	same_f64(f->tombstones_average, t->tombstones_average, 0.25, where);
	same_f64(f->tombstones_max, t->tombstones_max, 0, where);
}

/* Every table of the form is in the text, with the same values. Returns how many there are. */
static size_t compare_forms(struct slice text, struct slice form, parse_fn *parse, bool rounded,
			    const char *path)
{
	struct parse_case t, f;
	size_t n;

	case_open(&t);
	case_open(&f);
	case_parse(&t, parse_tablestats, path, text);
	case_parse(&f, parse, path, form);
	if (!t.ok || t.err.kind != ERR_NONE || !f.ok || f.err.kind != ERR_NONE)
		fail_msg("%s: %s %s", path, result(&t), result(&f));
	for (size_t i = 0; i < f.node.table_stats.n; i++) {
		const struct table_stats *s = f.node.table_stats.v[i];
		const struct table_stats *same = find(&t, s->keyspace, s->name);

		if (!same)
			fail_msg("%s: %s is not in the text", path, s->name);
		same_table(s, same, rounded, path);
	}
	n = f.node.table_stats.n;
	case_close(&f);
	case_close(&t);
	return n;
}

static void test_files(void **state)
{
	static const char *const releases[] = { "3.11.19", "5.0.6" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(releases); i++) {
		struct arena *a = arena_create();
		const char *base = arena_printf(a, "nodetool/%s-tablestats", releases[i]);
		struct slice text = case_fixture(a, arena_printf(a, "%s-plain.txt", base));

		assert_int_equal(compare_forms(text, case_fixture(a, arena_printf(a, "%s.json",
		base)),
					       parse_tablestats_json, false, base), 8);
		assert_int_equal(compare_forms(text, case_fixture(a, arena_printf(a, "%s-H.txt",
		base)),
					       parse_tablestats, true, base), 8);
		arena_destroy(a);
	}
}

static size_t compare_recording(const char *folder)
{
	static const struct {
		const char *name;
		bool rounded;
	} forms[] = {
		{ "tablestats.json", false }, { "tablestats.yaml", false },
		{ "tablestats-H.txt", true }, { "tablestats-metrics-H.txt", true },
	};
	struct arena *a = arena_create();
	const char *path = arena_printf(a, "%s/tablestats-metrics.txt", folder);
	struct slice text = case_read(a, path);
	size_t n = 0;

	if (!text.p)
		text = case_read(a, arena_printf(a, "%s/tablestats.txt", folder));
	for (size_t i = 0; text.p && i < ARRAY_LEN(forms); i++) {
		struct slice form;

		path = arena_printf(a, "%s/%s", folder, forms[i].name);
		form = case_read(a, path);
		if (form.p)
			n += compare_forms(text, form, forms[i].rounded ? parse_tablestats
									: parse_tablestats_json,
					   forms[i].rounded, path);
	}
	arena_destroy(a);
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
	assert_true(tables > 200);
}

/* Every text that begins with "tablestats", and what errors/ has of it. */
static void parse_recording(const char *path)
{
	struct parse_case c;
	struct slice text;
	bool error;

	case_open(&c);
	text = case_read(c.arena, path);
	error = slice_starts(text, SLICE("nodetool: "));
	case_parse(&c, parse_tablestats, path, text);
	if (error ? c.ok || c.err.kind != ERR_REMOTE : !c.ok || c.err.kind != ERR_NONE)
		fail_msg("%s: %s", path, result(&c));
	if (!error && strstr(path, "/errors/"))
		fail_msg("%s: this is no error", path);
	case_close(&c);
}

static void test_texts(void **state)
{
	static const char *const patterns[] = {
		"fixtures/*/*tablestats*.txt", "fixtures/*/cfstats*.txt",
		"fixtures/*/errors/tablestats*.txt",
		"fixtures/*/after-major/tablestats*.txt", "fixtures/*/nodes/*/tablestats.txt",
	};
	char full[4096];
	unsigned n = 0;
	glob_t found;

	(void)state;
	for (size_t p = 0; p < ARRAY_LEN(patterns); p++) {
		snprintf(full, sizeof(full), "%s/%s", case_shared(), patterns[p]);
		if (glob(full, 0, NULL, &found) != 0)
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++, n++)
			parse_recording(found.gl_pathv[i]);
		globfree(&found);
	}
	if (!n) {
		print_message("no recordings in %s: skipped\n", case_shared());
		skip();
	}
	print_message("%u texts\n", n);
	assert_true(n > 80);
}

static void same_known(struct opt_i64 part, struct opt_i64 whole, const char *where)
{
	if (part.known && (!whole.known || part.v != whole.v))
		fail_msg("%s: %lld", where, (long long)part.v);
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
		same_known(p->sstable_count, w->sstable_count, where);
		same_known(p->bytes_live, w->bytes_live, where);
		same_known(p->bytes_total, w->bytes_total, where);
		same_known(p->partitions, w->partitions, where);
		same_known(p->partition_max_bytes, w->partition_max_bytes, where);
		same_known(p->window_s, w->window_s, where);
		if ((p->compression_ratio.known &&
		     p->compression_ratio.v != w->compression_ratio.v) ||
		    (p->tombstones_max.known && p->tombstones_max.v != w->tombstones_max.v))
			fail_msg("%s: another value of %s", where, p->name);
	}
}

static void test_prefixes(void **state)
{
	(void)state;
	case_prefixes(parse_tablestats_json, "nodetool/3.11.19-tablestats.json", compare_prefix);
	case_prefixes(parse_tablestats_json, "nodetool/5.0.6-tablestats.json", compare_prefix);
	case_prefixes(parse_tablestats_json, "nodetool/3.11.19-tablestats.yaml", compare_prefix);
	case_prefixes(parse_tablestats_json, "nodetool/5.0.6-tablestats.yaml", compare_prefix);
	case_prefixes(parse_tablestats, "nodetool/3.11.19-tablestats-H.txt", compare_prefix);
	case_prefixes(parse_tablestats, "nodetool/5.0.6-tablestats-H.txt", compare_prefix);
}

/* ---- real cases ---- */

#define UNSAID INT64_MIN

static const struct {
	const char *name;
	size_t tables;
	const char *keyspace, *table;
	int64_t count, max, live;	/* UNSAID = must be unknown */
	const char *error;		/* how it begins; NULL = none */
} real_cases[] = {
	{ "09-twcs-1907-sstables", 1, NULL, "blob_cache", 1907, UNSAID, UNSAID, "the text ends" },
	{ "36-cassandra50-docker-all-three", 1, NULL, "-", 1, 1131752, UNSAID, NULL },
	{ "38-cassandra20-tablestats-comma-locale", 31, "users", "group_ids",
	  2, 943127, 315888, NULL },
	{ "40-cassandra21-error-text-instead-of-output", 20, "system", "schema_columns",
	  3, 61214, 27417, NULL },
	{ "43-scylla-human-readable-scientific", 1, "ks_sec", "events_by_sysid", 20, UNSAID,
	  INT64_C(15107547464), "the text ends" },
	{ "45-scylla-flat-tablestats", 1, "keyspace1", "standard1", 17, 310, 28331544, NULL },
	{ "47-dse-human-readable-side-by-side", 0, NULL, NULL, 0, 0, 0, "two outputs side by side"
	  },
	{ "49-openshift-pod-head", 1, "hawkular_metrics", "active_time_slices",
	  1, UNSAID, 318081, "the text ends" },
	{ "53-cassandra-histograms-nan-notice", 2, NULL, "messages_notification",
	  UNSAID, UNSAID, UNSAID,
	  "the text ends" },
	{ "60-cassandra4-docker-before-after-flush", 1, "test_ks", "sensor_temperatures",
	  1, 24601, 19734, NULL },
	{ "62-scylla62-twcs-edited-thousands", 1, NULL, "messages", 1, 2816159, 2952244, NULL },
	{ "63-cassandra311-tablestats-crlf", 37, "system_schema", "columns", 1, 8239, 11087, NULL },
};

static void expect_i64(struct opt_i64 v, int64_t expected, const char *where, const char *what)
{
	if (v.known ? v.v != expected : expected != UNSAID)
		fail_msg("%s: %s: %lld", where, what, v.known ? (long long)v.v : -1LL);
}

static void test_real_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(real_cases); i++) {
		const struct table_stats *t;
		struct parse_case c;
		const char *path, *want = real_cases[i].error;
		struct slice text;

		case_open(&c);
		path = arena_printf(c.arena, "%s/cases/%s/tablestats.txt",
		case_shared(), real_cases[i].name);
		text = case_read(c.arena, path);
		if (!text.p) {
			print_message("%s is not there: skipped\n", path);
			case_close(&c);
			skip();
		}
		case_parse(&c, parse_tablestats, path, text);
		if (want ? !c.err.text || strncmp(c.err.text, want, strlen(want)) != 0
			 : c.err.kind != ERR_NONE)
			fail_msg("%s: %s", path, result(&c));
		assert_int_equal(c.node.table_stats.n, real_cases[i].tables);
		if (real_cases[i].tables) {
			t = find(&c, real_cases[i].keyspace, real_cases[i].table);
			if (!t)
				fail_msg("%s: %s", path, result(&c));
			expect_i64(t->sstable_count, real_cases[i].count, path, "SSTables");
			expect_i64(t->partition_max_bytes, real_cases[i].max, path, "largest "
			"partition");
			expect_i64(t->bytes_live, real_cases[i].live, path, "live bytes");
		}
		case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_merge),
		cmocka_unit_test(test_product), cmocka_unit_test(test_files),
		cmocka_unit_test(test_recordings), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_prefixes), cmocka_unit_test(test_real_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
