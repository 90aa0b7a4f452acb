/* Routing of evidence and its records: src/parse/parse.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice.h"
#include "parse/parse.h"

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define RECORD                                                                                     \
	"SSTable: /d/ks/t-" ID "/nb-1-big\n"                                                       \
	"Partitioner: org.apache.cassandra.dht.Murmur3Partitioner\n"                               \
	"Minimum timestamp: 5 (x)\nMaximum timestamp: 6 (x)\n"                                     \
	"SSTable max local deletion time: 7 (x)\nTTL min: 1\nTTL max: 1\nSSTable Level: 0\n"       \
	"Repaired at: 0\nPending repair: --\nReplay positions covered: {}\n"

static void feed(struct cluster *c, struct evidence ev, const char *text)
{
	ev.out = slice_of(text);
	if (!ev.node)
		ev.node = "n1";
	if (!ev.path)
		ev.path = ev.relative;
	parse_evidence(c, &ev);
}

static const struct evidence_record *record_of(const struct cluster *c, enum evidence_kind kind,
					       const char *subject)
{
	const struct evidence_record *found = NULL;
	const struct node *n = c->nodes.v[0];

	for (size_t i = 0; i < n->evidence.n; i++) {
		const struct evidence_record *r = &n->evidence.v[i];

		if (r->kind != kind || !r->subject != !subject ||
		    (subject && strcmp(r->subject, subject) != 0))
			continue;
		if (found)
			fail_msg("%s %s: two records", evidence_kind_name(kind), subject ? subject
				: "-");
		found = r;
	}
	return found;
}

static void assert_record(const struct cluster *c, enum evidence_kind kind, const char *subject,
			  enum evidence_status status, const char *error)
{
	const struct evidence_record *r = record_of(c, kind, subject);
	const char *name = evidence_kind_name(kind);

	if (!r)
		fail_msg("%s %s: no record", name, subject ? subject : "-");
	if (r->status != status || !r->error != !error || (error && !strstr(r->error, error)))
		fail_msg("%s %s: status %d, '%s'", name, subject ? subject : "-", r->status,
			 r->error ? r->error : "(null)");
}

static void test_kinds(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);

	(void)state;
	feed(c, (struct evidence){ .kind = EV_SSTABLEMETADATA, .keyspace = "ks", .table = "t",
	     .relative = "sstablemetadata/ks.t.txt", .mtime_s = some_i64(50) }, RECORD);
	feed(c, (struct evidence){ .kind = EV_LISTING, .keyspace = "ks", .directory = "t-" ID,
	     .relative = "sstables/0/ks/t-" ID "/listing.tsv", .mtime_s = some_i64(40) },
	     "name\tbytes\tmtime_s\nnb-1-big-Data.db\t5\t5\n");
	feed(c, (struct evidence){ .kind = EV_DISK_USAGE, .relative = "df.txt" },
	     "Filesystem 1-blocks Used Available Capacity Mounted on\n/dev/sda1 3 2 1 67% /\n");
	feed(c, (struct evidence){ .kind = EV_COMPACTIONSTATS, .relative = "compactionstats.txt" },
		"");
	feed(c, (struct evidence){ .kind = EV_TABLEHISTOGRAMS, .keyspace = "ks", .table = "t",
	     .relative = "tablehistograms/ks.t.txt",
	     .err = { .kind = ERR_IO, .subject = "x", .text = "is a link" } }, "");
	parse_finish(c);
	assert_int_equal(c->nodes.n, 1);
	assert_record(c, EV_SSTABLEMETADATA, "ks.t", EVIDENCE_OK, NULL);
	assert_record(c, EV_LISTING, "ks.t", EVIDENCE_OK, NULL);
	assert_record(c, EV_DISK_USAGE, NULL, EVIDENCE_OK, NULL);
	assert_record(c, EV_COMPACTIONSTATS, NULL, EVIDENCE_FAILED,
		"compactionstats.txt: empty, no compaction statistics in it");
	assert_record(c, EV_TABLEHISTOGRAMS, "ks.t", EVIDENCE_FAILED, "x: is a link");
	assert_int_equal(c->nodes.v[0]->evidence.n, 5);
	assert_int_equal(c->nodes.v[0]->have, EV_SSTABLEMETADATA | EV_LISTING | EV_DISK_USAGE);
	assert_int_equal(c->nodes.v[0]->failed, EV_COMPACTIONSTATS | EV_TABLEHISTOGRAMS);
	assert_true(c->nodes.v[0]->newest_mtime_s.v == 50);
	assert_int_equal(c->nodes.v[0]->metas.n, 1);
	assert_int_equal(c->nodes.v[0]->listings.n, 1);
	arena_destroy(a);
}

/* A command that failed is evidence of its failure, also where its output gave something. */
static void test_commands(void **state)
{
	static const char node[] = "{\"commands\": ["
		"{\"kind\": \"sstablemetadata\", \"subject\": \"ks.t\", \"file\": "
		"\"sstablemetadata/ks.t.txt\","
		" \"command\": \"sstablemetadata x\", \"exit_status\": 1,"
		" \"stderr\": \"Picked up JAVA_TOOL_OPTIONS: -Dx\\n\\nCorrupted: "
		"nb-2\\u0007-big\\nat x\"},"
		"{\"kind\": \"info\", \"file\": \"info.txt\", \"command\": \"nodetool info\", "
		"\"exit_status\": 2,"
		" \"stderr\": \"\"},"
		"{\"kind\": \"df\", \"file\": \"df.txt\", \"command\": \"df\", \"exit_status\": 0, "
		"\"signal\": \"KILL\"},"
		"{\"kind\": \"status\", \"file\": \"status.txt\", \"command\": \"nodetool "
		"status\", \"exit_status\": 0},"
		"{\"kind\": \"tablehistograms\", \"subject\": \"ks.t\", \"command\": \"nodetool "
		"tablehistograms\","
		" \"exit_status\": 127, \"file\": null, \"stderr\": \"not found\"},"
		"{\"kind\": \"statistics-db\", \"subject\": \"ks.t\", \"exit_status\": 0, "
		"\"file\": \"sstables\"},"
		"{\"kind\": \"version\", \"exit_status\": 0},"
		"{\"kind\": \"clock\", \"exit_status\": 1}]}";
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);

	(void)state;
	feed(c, (struct evidence){ .kind = EV_NODE, .relative = "node.json" }, node);
	feed(c, (struct evidence){ .kind = EV_SSTABLEMETADATA, .keyspace = "ks", .table = "t",
	     .relative = "sstablemetadata/ks.t.txt" }, RECORD);
	feed(c, (struct evidence){ .kind = EV_INFO, .relative = "info.txt" }, "");
	feed(c, (struct evidence){ .kind = EV_DISK_USAGE, .relative = "df.txt" }, "Filesystem\n");
	parse_finish(c);
	assert_record(c, EV_NODE, NULL, EVIDENCE_OK, NULL);
	assert_record(c, EV_SSTABLEMETADATA, "ks.t", EVIDENCE_PARTIAL,
		      "'sstablemetadata x' ended with exit status 1: Corrupted: nb-2 -big");
	assert_record(c, EV_INFO, NULL, EVIDENCE_FAILED,
		"'nodetool info' ended with exit status 2");
	assert_record(c, EV_DISK_USAGE, NULL, EVIDENCE_FAILED, "'df' was ended by signal KILL");
	assert_record(c, EV_STATUS, NULL, EVIDENCE_FAILED, "its output 'status.txt' is missing");
	assert_record(c, EV_TABLEHISTOGRAMS, "ks.t", EVIDENCE_FAILED, "exit status 127: not found");
	assert_null(record_of(c, EV_STATISTICS_DB, "ks.t"));
	assert_null(record_of(c, EV_VERSION, NULL));
	assert_int_equal(c->nodes.v[0]->metas.n, 1);
	assert_int_equal(c->nodes.v[0]->evidence.n, 6);
	arena_destroy(a);
}

/* One record for all pieces of a kind and subject. */
static void test_many_pieces(void **state)
{
	static const struct {
		const char *name;
		const char *text[3];	/* "" = an empty listing file, which is refused */
		enum evidence_status status;
		const char *error;
	} cases[] = {
		{ "all good", { "name\tbytes\n", "name\tbytes\n", "name\tbytes\n" }, EVIDENCE_OK,
		  NULL },
		{ "one failed", { "name\tbytes\n", "", "name\tbytes\n" }, EVIDENCE_PARTIAL,
		  "1.tsv:1: no heading" },
		{ "two failed", { "", "name\tbytes\n", "" }, EVIDENCE_PARTIAL, "(and 1 more of 3)"
		  },
		{ "all failed", { "", "", "" }, EVIDENCE_FAILED, "(and 2 more of 3)" },
		{ "one partial", { "name\tbytes\n", "name\tbytes\nnb-1-big-D", "name\tbytes\n" },
		  EVIDENCE_PARTIAL, "1.tsv:2: the listing is cut off" },
	};
	static const char *const paths[] = { "0.tsv", "1.tsv", "2.tsv" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct cluster *c = cluster_create(a);

		for (unsigned k = 0; k < 3; k++) {
			feed(c, (struct evidence){ .kind = EV_LISTING, .keyspace = "ks",
			     .directory = "t-" ID, .disk = k, .relative = paths[k] },
			     cases[i].text[k]);
			feed(c, (struct evidence){ .kind = EV_LISTING, .keyspace = "ks",
			     .directory = "other-" ID, .disk = k, .relative = paths[k] },
			     "name\tbytes\n");
		}
		parse_finish(c);
		print_message("%s\n", cases[i].name);
		assert_record(c, EV_LISTING, "ks.t", cases[i].status, cases[i].error);
		assert_record(c, EV_LISTING, "ks.other", EVIDENCE_OK, NULL);
		assert_int_equal(c->nodes.v[0]->evidence.n, 2);
		arena_destroy(a);
	}
}

/* Either form of the schema is enough. */
static void test_schema_forms(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);

	(void)state;
	feed(c, (struct evidence){ .kind = EV_SCHEMA, .relative = "schema.cql" },
	     "CREATE TABLE ks.t (\n    id int PRIMARY KEY\n) WITH compaction = {'class': "
	     "'TimeWindowCompactionStrategy'}\n    AND gc_grace_seconds = 5;\n");
	feed(c, (struct evidence){ .kind = EV_SCHEMA, .relative = "schema.json" }, "");
	parse_finish(c);
	assert_record(c, EV_SCHEMA, NULL, EVIDENCE_OK, NULL);
	arena_destroy(a);
}

/* A node that node.json names is found again by its folder. */
static void test_folder(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);

	(void)state;
	feed(c, (struct evidence){ .kind = EV_NODE, .node = "-", .relative = "node.json" },
	     "{\"name\": \"cass-01\"}");
	feed(c, (struct evidence){ .kind = EV_DISK_USAGE, .node = "-", .relative = "df.txt" },
		"x\n");
	parse_finish(c);
	assert_int_equal(c->nodes.n, 1);
	assert_string_equal(c->nodes.v[0]->name, "cass-01");
	assert_int_equal(c->nodes.v[0]->evidence.n, 2);
	arena_destroy(a);
}

/* What is wrong with the bundle itself is a note: it belongs to no node. */
static void test_bundle(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);

	(void)state;
	feed(c, (struct evidence){ .kind = EV_BUNDLE, .node = "-", .relative = "bundle.json" },
	     "{\"cluster\": \"metrics-prod\", \"version\": 1}");
	assert_int_equal(c->notes.n, 0);
	assert_string_equal(c->name, "metrics-prod");
	feed(c, (struct evidence){ .kind = EV_BUNDLE, .node = "-", .relative = "bundle.json" },
	     "{\"version\": 2}");
	assert_int_equal(c->notes.n, 1);
	assert_non_null(strstr(c->notes.v[0], "bundle.json:1: column 13: 'version' is above 1"));
	parse_finish(c);
	assert_int_equal(c->nodes.n, 0);
	arena_destroy(a);
}

static void test_names_of_kinds(void **state)
{
	(void)state;
	for (unsigned bit = EV_BUNDLE; bit <= EV_SETTINGS; bit <<= 1)
		for (unsigned other = bit << 1; other <= EV_SETTINGS; other <<= 1)
			assert_string_not_equal(evidence_kind_name((enum evidence_kind)bit),
						evidence_kind_name((enum evidence_kind)other));
	assert_string_equal(evidence_kind_name(EV_LISTING), "sstable-listing");
	assert_string_equal(evidence_kind_name(EV_SETTINGS), "settings");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_many_pieces),
		cmocka_unit_test(test_schema_forms),
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_bundle),
		cmocka_unit_test(test_names_of_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
