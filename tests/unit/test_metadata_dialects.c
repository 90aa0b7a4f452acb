/*
 * sstablemetadata's text as other tools than a whole call of Cassandra's leave it: ScyllaDB, DSE,
 * 2.x, a grep, a loop, and the real texts of the shared cases.
 */
#include "facts_prefix.h"
#include "finding/finding.h"
#include "shared_facts.h"

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define UNKNOWN INT64_MIN
#define PARTITIONER "Partitioner: org.apache.cassandra.dht.Murmur3Partitioner\n"
#define TIMES "Minimum timestamp: 1700006400123456\nMaximum timestamp: 1700092799876543\n"
#define LDTS                                                                                       \
	"SSTable min local deletion time: 1702598400\nSSTable max local deletion time: 1702684799\n"
#define STATE "SSTable Level: 0\nRepaired at: 0\n"
#define NAMELESS "no 'SSTable:' line stands before it"

/* "name keyspace/table_dir state min_ts max_ts max_ldt max_ttl repaired;" for each record. */
static const char *describe_number(struct arena *a, struct opt_i64 v)
{
	if (!v.known)
		return "-";
	return v.v == TIME_NEVER ? "never" : arena_printf(a, "%lld", (long long)v.v);
}

static const char *describe(const struct parse_case *c)
{
	static const char *const states[] = { "none", "empty", "partial", "complete" };
	struct arena *a = c->arena;
	const char *text = "";

	for (size_t i = 0; i < c->node.metas.n; i++) {
		const struct sstable_meta *m = c->node.metas.v[i];
		struct opt_i64 repaired = { m->repaired_at_ms, m->repair_known };

		text = arena_printf(a, "%s%s %s/%s %s %s %s %s %s %s;", text, m->name,
				    m->keyspace ? m->keyspace : "-",
				    m->table_dir ? m->table_dir : "-", states[m->state],
				    describe_number(a, m->min_ts), describe_number(a, m->max_ts),
				    describe_number(a, m->max_ldt_s),
				    describe_number(a, m->max_ttl_s), describe_number(a, repaired));
	}
	return text;
}

struct text { const char *name, *input, *expected, *err; };

#define VALUES "1700006400123456 1700092799876543 1702684799"

static const struct text texts[] = {
	{ "ScyllaDB, format mc, empty compressor, no tokens",
	  "SSTable: /var/lib/scylla/data/ks/t-" ID "/mc-7-big\n" PARTITIONER
	  "Bloom Filter FP chance: 0.010000\n" TIMES LDTS "Compressor: -\nTTL min: 2592000\n"
	  "TTL max: 2592000\nminClustringValues: []\nmaxClustringValues: []\n"
	  "Estimated droppable tombstones: 0.0\n" STATE "Replay positions covered: {}\n"
	  "totalColumnsSet: 8\ntotalRows: 4\nEstimated tombstone drop times:\n",
	  "mc-7-big ks/t-" ID " complete " VALUES " 2592000 0;", NULL },
	{ "format la: TTL and totals are not recorded",
	  "SSTable: /d/ks/t-" ID "/la-7-big\n" PARTITIONER TIMES
	  "SSTable min local deletion time: 2147483647\n"
	  "SSTable max local deletion time: 1702684799\nTTL min: 0\nTTL max: 2147483647\n" STATE
	  "Replay positions covered: {CommitLogPosition(segmentId=-1, position=0)=x}\n"
	  "totalColumnsSet: -1\ntotalRows: -1\n",
	  "la-7-big ks/t-" ID " partial " VALUES " - 0;", NULL },
	{ "DSE, cut before the repair state",
	  "SSTable: /d/ks/t-" ID "/ac-2150-bti\n" PARTITIONER
	  "Minimum timestamp: 1700006400123456 (11/15/2023 00:00:00)\n"
	  "Maximum timestamp: 1700092799876543 (11/15/2023 23:59:59)\n"
	  "SSTable min local deletion time: 2147483647 (no tombstones)\n"
	  "SSTable max local deletion time: 2147483647 (no tombstones)\nTTL min: 0\nTTL max: 0\n"
	  "First token: -5 (a)\nLast token: 7 (b)\nminClusteringValues: [ x ]\n"
	  "maxClusteringValues: [y]\nEstimated droppable tombstones: 1.0\n",
	  "ac-2150-bti ks/t-" ID " partial 1700006400123456 1700092799876543 never 0 -;", NULL },
	{ "2.0: the name tells keyspace and table, ReplayPosition has no label",
	  "SSTable: ./ks-t-jb-7\n" PARTITIONER TIMES
	  "SSTable max local deletion time: 1702684799\nCompression ratio: -1.0\n" STATE
	  "ReplayPosition(segmentId=1, position=2)\nEstimated tombstone drop times:\n"
	  "SSTable: ./ks-u-jb-8\n" PARTITIONER TIMES
	  "SSTable max local deletion time: 1702684799\n" STATE "Estimated tombstone drop times:\n",
	  "ks-t-jb-7 ks/t partial " VALUES " - 0;ks-u-jb-8 ks/u partial " VALUES " - 0;", NULL },
	{ "2.1: the folder's id counts, an index is no table",
	  "SSTable: /d/ks/t-" ID "/ks-t-ka-7\n" PARTITIONER TIMES
	  "SSTable max local deletion time: 1702684799\n" STATE "Estimated tombstone drop times:\n"
	  "SSTable: /d/ks/t-" ID "/ks-t.i-ka-1\n" PARTITIONER TIMES,
	  "ks-t-ka-7 ks/t-" ID " partial " VALUES " - 0;", NULL },
	{ "a path without keyspace and table",
	  "SSTable: /123/mc-7-big\n" PARTITIONER TIMES LDTS "TTL min: 5\nTTL max: 5\n" STATE
	  "totalRows: 4\n", "mc-7-big -/- complete " VALUES " 5 0;", NULL },
	{ "a grep that left the name",
	  "SSTable: /d/ks/t-" ID "/mc-7-big\n" TIMES LDTS "Repaired at: 0\n",
	  "mc-7-big ks/t-" ID " partial " VALUES " - 0;", NULL },
	{ "... of 4.0, without the pending repair",
	  "SSTable: /d/ks/t-" ID "/nb-7-big\n" TIMES LDTS "Repaired at: 0\n",
	  "nb-7-big ks/t-" ID " partial " VALUES " - -;", NULL },
	{ "... of 4.0, with it",
	  "SSTable: /d/ks/t-" ID "/nb-7-big\n" TIMES LDTS "Repaired at: 0\nPending repair: --\n",
	  "nb-7-big ks/t-" ID " partial " VALUES " - 0;", NULL },
	{ "... of a Statistics.db that is missing",
	  "SSTable: /d/ks/t-" ID "/nb-7-big\nMinimum timestamp: -9223372036854775808\n"
	  "Maximum timestamp: 9223372036854775807\nSSTable max local deletion time: 2147483647\n",
	  "nb-7-big ks/t-" ID " empty - - - - -;", NULL },
	{ "... that leaves only what a missing one has as well",
	  "SSTable: /d/ks/t-" ID "/nb-7-big\nSSTable max local deletion time: 2147483647\n",
	  "nb-7-big ks/t-" ID " empty - - - - -;", NULL },
	{ "a grep without names", TIMES LDTS "Estimated droppable tombstones: 0.9\n",
	  "text:1 -/- partial " VALUES " - -;", NAMELESS },
	{ "two of them", "\n" TIMES "SSTable max local deletion time: 5\n"
	  "Minimum timestamp: 7\nSSTable max local deletion time: 1702684799\n",
	  "text:2 -/- partial 1700006400123456 1700092799876543 5 - -;"
	  "text:5 -/- partial 7 - 1702684799 - -;", NAMELESS },
	{ "one label again and again", "Maximum timestamp: 1\nMaximum timestamp: 2\n",
	  "text:1 -/- partial - 1 - - -;text:2 -/- partial - 2 - - -;", NAMELESS },
	{ "one line", "SSTable max local deletion time: 2147483647\n",
	  "text:1 -/- partial - - never - -;", NAMELESS },
	{ "sentinels without a name", "Minimum timestamp: -9223372036854775808\n"
	  "SSTable max local deletion time: 2147483647\n", "", NAMELESS },
	{ "the end of a record, then a whole one", "totalRows: 4\nIsTransient: false\n"
	  "SSTable: /d/ks/t-" ID "/mc-7-big\n" PARTITIONER TIMES LDTS STATE "totalRows: 4\n",
	  "mc-7-big ks/t-" ID " partial " VALUES " - 0;", NAMELESS },
	{ "a key that fakes a label before the record's first one",
	  "First token: -5 (a)\nLast token: 7 (c\nMinimum timestamp: 5\n)\n" STATE
	  "totalRows: 4\n", "", NAMELESS },
	{ "a key that fakes the label after it",
	  "Maximum timestamp: 9\nFirst token: -5 (a\nMaximum timestamp: 5\n)\n" STATE
	  "totalRows: 4\n", "", NAMELESS },
	{ "a loop that prints names", "/d/ks/t-" ID "/mc-7-big-Data.db\n" TIMES LDTS
	  "mc-8-big-Data.db:\nMaximum timestamp: 5\n",
	  "mc-7-big ks/t-" ID " partial " VALUES " - -;mc-8-big -/- partial - 5 - - -;",
	  "mc-8-big: its timestamps are not known" },
	{ "... and whole outputs", "/d/ks/t-" ID "/mc-7-big-Data.db\n"
	  "SSTable: /d/ks/t-" ID "/mc-7-big\n" PARTITIONER TIMES LDTS "TTL min: 5\nTTL max: 5\n"
	  STATE "totalRows: 4\n/d/ks/t-" ID "/mc-8-big-Data.db\n"
	  "SSTable: /d/ks/t-" ID "/mc-8-big\n" PARTITIONER TIMES LDTS "TTL min: 5\nTTL max: 5\n"
	  STATE "totalRows: 4\n",
	  "mc-7-big ks/t-" ID " complete " VALUES " 5 0;mc-8-big ks/t-" ID " complete " VALUES
	  " 5 0;", NULL },
	{ "a name of a snapshot's file", "/d/ks/t-" ID "/snapshots/x/mc-7-big-Data.db\n" TIMES,
	  "", NULL },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct parse_case c;
		const char *got, *err;

		case_run(&c, parse_sstablemetadata, texts[i].input);
		got = describe(&c);
		err = c.err.kind == ERR_NONE ? NULL : c.err.text;
		if (strcmp(got, texts[i].expected) != 0)
			fail_msg("%s: %s", texts[i].name, got);
		if (!err != !texts[i].err || (err && !strstr(err, texts[i].err)))
			fail_msg("%s: error '%s'", texts[i].name, err ? err : "(none)");
		case_close(&c);
	}
}

/* A record without a name never falls to the table that the evidence is of. */
static void test_nameless_is_unattributed(void **state)
{
	struct evidence ev = { .path = "nodes/n1/ks/sstablemetadata.txt", .keyspace = "ks",
			       .table = "t", .out = SLICE(TIMES) };
	struct parse_case c;

	(void)state;
	case_open(&c);
	assert_true(parse_sstablemetadata(c.arena, &ev, &c.node, &c.err));
	assert_int_equal(c.node.metas.n, 1);
	assert_string_equal(c.node.metas.v[0]->name, "sstablemetadata.txt:1");
	assert_null(c.node.metas.v[0]->keyspace);
	assert_null(c.node.metas.v[0]->table_dir);
	assert_int_equal(c.err.kind, ERR_FORMAT);
	case_close(&c);
}

static void compare_starts(struct slice text, const char *name)
{
	struct parse_case whole, part;

	case_open(&whole);
	case_parse(&whole, parse_sstablemetadata, "text", text);
	for (size_t n = 0; n < text.n; n++) {
		char where[128];

		snprintf(where, sizeof(where), "%s cut at byte %zu", name, n);
		case_open(&part);
		case_parse(&part, parse_sstablemetadata, "text", (struct slice){ text.p, n });
		if (!part.ok && part.err.kind == ERR_NONE)
			fail_msg("%s: no result and no error", where);
		prefix_metas(&part, &whole, where);
		case_close(&part);
	}
	case_close(&whole);
}

/* But those where the end of the text takes a doubt away, which no reader can know. */
static void test_starts_of_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!strstr(texts[i].name, "fakes"))
			compare_starts(slice_of(texts[i].input), texts[i].name);
}

/* ---- what a cut record is still good for ---- */

/* Write timestamps are judged without the repair state, which the server's drop rule needs. */
static void test_timestamps_alone(void **state)
{
#define CUT(min, max)                                                                              \
	"SSTable: /d/ks/t-" ID "/ac-7-bti\n" PARTITIONER "Minimum timestamp: " min "\n"            \
	"Maximum timestamp: " max "\n" LDTS "TTL min: 0\nTTL max: 0\nFirst token: -5 (a)\n"
	static const struct { const char *text; enum severity expected; } runs[] = {
		{ CUT("1700006400123456", "1700092799876543"), SEV_OK },
		{ CUT("1700006400123456", "1800092799876543"), SEV_WARNING },
		{ CUT("1700006400", "1700092799"), SEV_WARNING },
		{ "SSTable: /d/ks/t-" ID "/ac-7-bti\n" PARTITIONER, SEV_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		struct arena *a = arena_create();
		struct cluster *c = cluster_create(a);
		struct run_checks_options o = { 0 };
		struct report r = { 0 };

		parse_evidence(c, &(struct evidence){ .kind = EV_SSTABLEMETADATA,
						      .node = "n",
						      .path = "m.txt",
						      .out = slice_of(runs[i].text) });
		parse_finish(c);
		cluster_assemble(c, &(struct assemble_options){ .now_s = some_i64(1700100000) });
		table_analyse(a, c->nodes.v[0]->tables[0]);
		assert_false(c->nodes.v[0]->tables[0]->sstables[0]->usable);
		*vec_add(a, &o.only) = "timestamps";
		run_checks(a, c, &o, &r);
		if (r.worst != runs[i].expected)
			fail_msg("run %zu: %s", i, severity_name(r.worst));
		arena_destroy(a);
	}
}

/* ---- the shared cases ---- */

static void read_case(struct parse_case *c, const char *folder, struct slice *text)
{
	const char *path;

	case_open(c);
	path = shared_path(c->arena,
			   arena_printf(c->arena, "cases/%s/sstablemetadata.txt", folder));
	*text = path ? case_read(c->arena, path) : (struct slice){ NULL, 0 };
	if (path)
		case_parse(c, parse_sstablemetadata, "text", *text);
}

/* "(no name)" is the one record that nothing names. */
static const struct sstable_meta *find_meta(const struct parse_case *c, const struct shared_fact *f)
{
	for (size_t i = 0; i < c->node.metas.n; i++) {
		const struct sstable_meta *m = c->node.metas.v[i];

		if (strcmp(f->object, "(no name)") == 0 && strncmp(m->name, "text:", 5) == 0)
			return m;
		if (strcmp(m->name, f->object) == 0 &&
		    shared_fact_is_of(f, m->keyspace, m->table_dir))
			return m;
	}
	return NULL;
}

static void check_fact(void *ctx, const struct shared_fact *f)
{
	const struct sstable_meta *m;
	struct opt_i64 got, want;
	struct parse_case c;
	struct slice text;

	if (strcmp(f->kind, "sstable") != 0 && strcmp(f->kind, "metadata") != 0)
		return;
	read_case(&c, f->folder, &text);
	m = find_meta(&c, f);
	if (text.p && !m)
		fail_msg("%s: %s is not there", f->folder, f->object);
	if (text.p && shared_fact_number(f, m, &got, &want)) {
		++*(size_t *)ctx;
		if (got.known != want.known || (got.known && got.v != want.v))
			fail_msg("%s: %s of %s is %s%lld, not %s", f->folder, f->field, f->object,
				 got.known ? "" : "unknown ", (long long)got.v, f->value);
	}
	case_close(&c);
}

static void test_shared_facts(void **state)
{
	struct arena *a = arena_create();
	size_t n = 0;
	bool here = shared_facts(a, check_fact, &n);

	(void)state;
	arena_destroy(a);
	if (!here) {
		print_message("the shared cases are not here\n");
		skip();
	}
	print_message("%zu facts compared\n", n);
	assert_true(n > 20);
}

static void test_starts_of_shared(void **state)
{
	static const char *const folders[] = {
		"02-scylla-mixed-ttl-hourly-windows", "08-scylla-wide-span-file-no-ttl",
		"12-scylla-key-only-rows-schema", "18-scylla-la-format-sentinels-mixed-ttl",
		"22-cassandra311-empty-compressor", "24-dse-bti-sstablemetadata",
		"59-scylla-fully-expired-ratio-below-1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		struct parse_case c;
		struct slice text;

		read_case(&c, folders[i], &text);
		if (text.p)
			compare_starts(text, folders[i]);
		case_close(&c);
		if (!text.p) {
			print_message("the shared cases are not here\n");
			skip();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_nameless_is_unattributed),
		cmocka_unit_test(test_starts_of_texts),
		cmocka_unit_test(test_timestamps_alone),
		cmocka_unit_test(test_shared_facts),
		cmocka_unit_test(test_starts_of_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
