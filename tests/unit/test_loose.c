/* Whole loose texts, from bytes to facts: src/parse/loose*.c, src/model/attribute.c. */
#include "parse_case.h"

#include "base/buf.h"

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define RECORD(path)                                                                               \
	"SSTable: " path "\n"                                                                      \
	"Partitioner: org.apache.cassandra.dht.Murmur3Partitioner\n"                               \
	"Minimum timestamp: 5\nMaximum timestamp: 6\nSSTable max local deletion time: 7\n"         \
	"TTL min: 1\nTTL max: 1\nEstimated droppable tombstones: 0.0\nSSTable Level: 0\n"          \
	"Repaired at: 0\nReplay positions covered: {}\ntotalColumnsSet: 1\n"
#define STATS(table, count)                                                                        \
	"\t\tTable: " table "\n\t\tSSTable count: " count "\n\t\tSpace used (live): 5\n"           \
	"\t\tCompacted partition maximum bytes: 60\n\n"
#define TABLE "CREATE TABLE ks.t (a int PRIMARY KEY) WITH gc_grace_seconds = 5;\n"
#define HISTOGRAMS(title)                                                                          \
	title "Percentile  SSTables     Write Latency      Read Latency    Partition Size        " \
	"Cell Count\n                              (micros)          (micros)           (bytes)\n" \
	"50%             1.00             17.08            315.85           1629722             3\n"

/* ---- one text, given in parts of `part` bytes (0 = whole) ---- */

static struct cluster *open_cluster(struct arena *a)
{
	return cluster_create(a);
}

static void give(struct cluster *c, const char *path, struct slice text, size_t part)
{
	struct evidence ev = { .kind = EV_LOOSE, .node = "-", .path = path,
		.mtime_s = some_i64(9) };

	do {
		size_t n = part && part < text.n ? part : text.n;
		char *copy = malloc(n ? n : 1);

		assert_non_null(copy);
		memcpy(copy, text.p, n);
		ev.out = (struct slice){ copy, n };
		ev.more = n < text.n;
		parse_evidence(c, &ev);
		memset(copy, 'x', n);	/* the bytes go away after the call */
		free(copy);
		text = slice_from(text, n);
	} while (ev.more);
}

static void finish(struct cluster *c)
{
	const struct assemble_options o = { .now_s = some_i64(1000) };

	parse_finish(c);
	cluster_assemble(c, &o);
}

/* "tablestats, sstablemetadata ks.t partial": the evidence of all nodes, sorted by kind. */
static const char *evidence_of(struct arena *a, const struct cluster *c)
{
	const char *text = "";

	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct node *n = c->nodes.v[i];

		if (i || strcmp(n->name, "-") != 0)
			text = arena_printf(a, "%s%s%s: ", text, i ? "; " : "", n->name);
		for (size_t k = 0; k < n->evidence.n; k++) {
			const struct evidence_record *e = &n->evidence.v[k];

			text = arena_printf(a, "%s%s%s%s%s%s", text, k ? ", " : "",
					    evidence_kind_name(e->kind), e->subject ? " " : "",
					    e->subject ? e->subject : "",
					    e->status == EVIDENCE_OK ? "" :
					    e->status == EVIDENCE_PARTIAL ? " partial" : " failed");
		}
	}
	return text;
}

static const struct { const char *name, *path, *text, *expected; } texts[] = {
	{ "one output", "x", STATS("t", "3"), "tablestats" },
	{ "without its end", "x", "pending tasks: 0", "compactionstats failed" },
	{ "two outputs one after the other", "x", "pending tasks: 0\n\n" STATS("t", "3"),
	  "tablestats, compactionstats" },
	{ "prompts", "x", "$ nodetool compactionstats\npending tasks: 0\n\n$ nodetool version\n"
	  "ReleaseVersion: 5.0.6\n$ exit\n", "version, compactionstats" },
	{ "prose around", "x", "Hello, this is what we see:\n\npending tasks: 0\n\nAny idea?\n",
	  "compactionstats" },
	{ "fences", "x", "# Node 1\n```\npending tasks: 0\n```\nand\n```text\n" TABLE "```\n",
	  "compactionstats, schema" },
	{ "quoted", "x", "> pending tasks: 0\n> > ReleaseVersion: 5.0.6\n",
	  "version, compactionstats" },
	{ "indented", "x", "    " "ReleaseVersion: 5.0.6\n\n    pending tasks: 0\n",
	  "version, compactionstats" },
	{ "colours", "x", "\x1b[1mpending tasks:\x1b[0m 0\x1b[K\r\n", "compactionstats" },
	{ "a banner", "x", "Welcome to Debian\n  * docs: https://x\nLast login: now\n"
	  "pending tasks: 0\n", "compactionstats" },
	{ "a log's prefix", "x", "dtest: DEBUG: pending tasks: 0\n", "compactionstats" },
	{ "a prefix of every line", "x", "c-0  | Keyspace : ks\nc-0  | \t\tTable: t\n"
	  "c-0  | \t\tSSTable count: 3\nc-0  | \t\tCompacted partition maximum bytes: 60\n",
	  "c-0: tablestats" },
	{ "metadata by table", "x",
	  RECORD("/d/ks/t-" ID "/nb-1-big") RECORD("/d/ks/t-" ID "/nb-2-big")
	  RECORD("/d/ks/u-" ID "/nb-1-big"), "sstablemetadata ks.t, sstablemetadata ks.u" },
	{ "metadata cut off in the last table", "x", RECORD("/d/ks/t-" ID "/nb-1-big")
	  "SSTable: /d/ks/u-" ID "/nb-1-big\nPartitioner: org.apa",
	  "sstablemetadata ks.t, sstablemetadata ks.u partial" },
	{ "metadata without a name", "x", "Minimum timestamp: 5\nMaximum timestamp: 6\n"
	  "SSTable max local deletion time: 7\n", "sstablemetadata partial" },
	{ "histograms by title", "x", HISTOGRAMS("ks/t histograms\n") "\n"
	  HISTOGRAMS("ks/u histograms\n"),
	  	"tablehistograms ks.t partial, tablehistograms ks.u partial" },
	{ "histograms by prompt", "x", "$ nodetool tablehistograms ks t\n" HISTOGRAMS(""),
	  "tablehistograms ks.t partial" },
	{ "histograms by path", "tablehistograms-metrics-readings.txt", HISTOGRAMS(""),
	  "tablehistograms metrics.readings partial" },
	{ "data paths, not tablestats", "x",
	  "Keyspace: ks\n\tTable: t\n\tPaths:\n\t\t/d/ks/t-" ID "\n",
	  "datapaths" },
	{ "running, by the command", "x", "$ nodetool statusautocompaction\nnot running\n",
	  "statusautocompaction" },
	{ "running, by the file", "statusautocompaction.txt", "running\n", "statusautocompaction" },
	{ "JSON by its content", "x",
	  "{\n \"total_number_of_tables\" : 1,\n \"ks\" : {\"tables\" : "
	  "{\"t\" : {\"space_used_live\" : \"5\"}}}\n}\npending tasks: 0\n",
	  "tablestats, compactionstats" },
	{ "rows of the schema", "x", "{\"from\": \"tables\", \"keyspace_name\": \"ks\", "
	  "\"table_name\": \"t\"}\n", "schema" },
	{ "listing", "x", "$ ls -l /d/ks/t-" ID "\ntotal 5\n"
	  "-rw-r--r-- 1 c c 5 Nov 30 18:02 nb-1-big-Data.db\n", "sstable-listing ks.t" },
	{ "error for an output", "tablehistograms.txt",
	  "nodetool: cfhistograms requires ks and cf args\n"
	  "See 'nodetool help'\n", "tablehistograms failed" },
	{ "error that names its command", "x", "nodetool: cfhistograms requires ks and cf args\n",
	  "tablehistograms failed" },
	{ "error beside the output", "x", "$ nodetool tablestats -F json\nerror: x\n"
	  "$ nodetool tablestats\n" STATS("t", "3"), "tablestats" },
	{ "empty file of a command", "tablestats.txt", "", "tablestats failed" },
	{ "nothing known", "x", "Hello\n", "loose-file x failed" },
	{ "output of a useless command", "x", "$ nodetool tpstats\nPool Name  Active\n"
	  "pending tasks: 3\n$ nodetool version\nReleaseVersion: 5.0.6\n", "version" },
	{ "two hosts", "x",
	  "a@n1:~$ nodetool version\nReleaseVersion: 5.0.6\na@n2:~$ nodetool version\n"
	  "ReleaseVersion: 5.0.7\n", "n1: version; n2: version" },
	{ "one host is all there is", "x", "pending tasks: 0\na@n1:~$ nodetool version\n"
	  "ReleaseVersion: 5.0.6\n", "n1: version, compactionstats" },
	{ "lines of two hosts mixed", "x", "n-1: pending tasks: 0\nn-2: Keyspace : ks\n"
	  "n-1: - ks.t: 0\nn-2: \t\tTable: t\nn-2: \t\tSSTable count: 3\n"
	  "n-2: \t\tCompacted partition maximum bytes: 60\n",
	  "n-1: compactionstats; n-2: tablestats" },
	{ "a schema is nobody's", "x", "me@desk:~$ cqlsh -e x\n" TABLE "a@n1:~$ nodetool version\n"
	  "ReleaseVersion: 5.0.6\n", "n1: version, schema" },
	{ "headings of files", "x", "==> n-1/version.txt <==\nReleaseVersion: 5.0.6\n\n"
	  "==> n-2/version.txt <==\nReleaseVersion: 5.0.6\n", "n-1: version; n-2: version" },
	{ "names between rules", "x",
	  "----------------\nn-1\n----------------\nReleaseVersion: 5.0.6\n"
	  "----------------\nn-2\n----------------\nReleaseVersion: 5.0.6\n",
	  "n-1: version; n-2: version" },
	{ "statement of cqlsh", "x", "cqlsh> CREATE TABLE ks.t (a int PRIMARY KEY)\n"
	  "   ... WITH gc_grace_seconds = 5;\ncqlsh> exit\n", "schema" },
	{ "an apostrophe behind a statement", "x", TABLE "\nI don't know.\n\n"
	  "CREATE TABLE ks.u (a int PRIMARY KEY) WITH gc_grace_seconds = 5;\n", "schema" },
	{ "a key that looks like an output", "x", "SSTable: /d/ks/t-" ID "/nb-1-big\n"
	  "Partitioner: org.apache.cassandra.dht.Murmur3Partitioner\nMinimum timestamp: 5\n"
	  "First token: 5 (a\npending tasks: 7\nReleaseVersion: 1.0\n)\n"
	  "Estimated droppable tombstones: 0.0\nSSTable Level: 0\nRepaired at: 0\n"
	  "Replay positions covered: {}\n", "sstablemetadata ks.t partial" },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct arena *a = arena_create();
		struct cluster *c = open_cluster(a);
		const char *got;

		give(c, texts[i].path, slice_of(texts[i].text), 0);
		finish(c);
		got = evidence_of(a, c);
		if (strcmp(got, texts[i].expected) != 0)
			fail_msg("%s: '%s', wanted '%s'", texts[i].name, got, texts[i].expected);
		arena_destroy(a);
	}
}

/* A stream of any parts gives what the whole text gives. */
static void test_parts(void **state)
{
	static const size_t parts[] = { 1, 2, 3, 7, 16, 61 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		for (size_t k = 0; k < ARRAY_LEN(parts); k++) {
			struct arena *a = arena_create();
			struct cluster *c = open_cluster(a);
			const char *got;

			give(c, texts[i].path, slice_of(texts[i].text), parts[k]);
			finish(c);
			got = evidence_of(a, c);
			if (strcmp(got, texts[i].expected) != 0)
				fail_msg("%s in parts of %zu: '%s', wanted '%s'", texts[i].name,
					 parts[k], got, texts[i].expected);
			arena_destroy(a);
		}
	}
}

/* ---- notes and places of errors ---- */

static const char *notes_of(struct arena *a, const struct cluster *c)
{
	const char *text = "";

	for (size_t i = 0; i < c->notes.n; i++)
		text = arena_printf(a, "%s%s%s", text, i ? "; " : "", c->notes.v[i]);
	return text;
}

static void test_notes(void **state)
{
	static const struct { const char *name, *path, *text, *expected; } cases[] = {
		{ "nothing to tell", "x", "Keyspace: ks\n" STATS("t", "3"), "" },
		{ "unknown text", "notes.txt", "\n\nHello, you\n",
		  "notes.txt: no output in it that is known; it begins with 'Hello, you'" },
		{ "unknown JSON", "x.json", "{\"a\": 1}\n",
		  "x.json: no output in it that is known; it begins with '{\"a\": 1}'" },
		{ "control characters", "x", "\x01\x02z",
		  "x: no output in it that is known; it begins with '" "?" "?z'" },
		{ "a bare table", "x", STATS("t", "3"), "x: the keyspace of 't' is not told" },
		{ "no table", "x",
		  "\t\tSSTable count: 3\n\t\tCompacted partition maximum bytes: 60\n",
		  "x: the table of numbers of tablestats is not told: '-'" },
		{ "an error message", "x", "nodetool: Unknown keyspace: ks\n",
		  "x:1: an error message: nodetool: Unknown keyspace: ks" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct cluster *c = open_cluster(a);
		const char *got;

		give(c, cases[i].path, slice_of(cases[i].text), 0);
		finish(c);
		got = notes_of(a, c);
		if (strcmp(got, cases[i].expected) != 0)
			fail_msg("%s: '%s', wanted '%s'", cases[i].name, got, cases[i].expected);
		arena_destroy(a);
	}
}

/* Errors are located in the text, not in the piece. */
static void test_lines_of_errors(void **state)
{
	static const char text[] =
		"$ nodetool version\nReleaseVersion: 5.0.6\n$ sstablemetadata x\n"
		"SSTable: /d/ks/t-" ID "/nb-1-big\nPartitioner: org.apache.cassandra.dht.Mur";
	struct arena *a = arena_create();
	struct cluster *c = open_cluster(a);
	const struct node *n;

	(void)state;
	give(c, "x", slice_of(text), 0);
	finish(c);
	n = c->nodes.v[0];
	assert_int_equal(n->evidence.n, 2);
	if (strncmp(n->evidence.v[1].error, "x:5: ", 5) != 0)
		fail_msg("%s", n->evidence.v[1].error);
	assert_int_equal(n->metas.v[0]->line, 4);
	arena_destroy(a);
}

/* ---- who is meant ---- */

static const struct table *find_table(const struct cluster *c, const char *name)
{
	for (size_t i = 0; i < c->nodes.n; i++)
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++)
			if (strcmp(c->nodes.v[i]->tables[k]->full_name, name) == 0)
				return c->nodes.v[i]->tables[k];
	return NULL;
}

static void test_bare_names(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = open_cluster(a);

	(void)state;
	give(c, "a", SLICE("CREATE TABLE ks.readings (a int PRIMARY KEY);\n"), 0);
	give(c, "b", SLICE(STATS("readings", "3")), 0);
	give(c, "c", SLICE(HISTOGRAMS("ks/readings histograms\n")), 0);
	give(c, "readings/nb-1-big.txt", SLICE(RECORD("nb-1-big")), 0);
	finish(c);
	assert_int_equal(c->nodes.n, 1);
	assert_int_equal(c->nodes.v[0]->n_tables, 1);
	assert_non_null(find_table(c, "ks.readings"));
	assert_int_equal(find_table(c, "ks.readings")->n_sstables, 1);
	assert_int_equal(find_table(c, "ks.readings")->stats->sstable_count.v, 3);
	assert_string_equal(notes_of(a, c), "");
	arena_destroy(a);
}

static void test_ambiguous_names(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = open_cluster(a);

	(void)state;
	give(c, "a", SLICE(TABLE "CREATE TABLE other.t (a int PRIMARY KEY);\n"), 0);
	give(c, "b", SLICE(STATS("t", "3")), 0);
	finish(c);
	assert_non_null(find_table(c, "t"));
	assert_int_equal(find_table(c, "t")->stats->sstable_count.v, 3);
	assert_null(find_table(c, "ks.t")->stats);
	arena_destroy(a);
}

/* The last run of one command counts. */
static void test_last_run(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = open_cluster(a);

	(void)state;
	give(c, "x", SLICE("$ nodetool tablestats ks\nKeyspace: ks\n" STATS("t", "3")
			   "$ nodetool tablestats ks\nKeyspace: ks\n" STATS("t", "4")), 0);
	finish(c);
	assert_int_equal(find_table(c, "ks.t")->stats->sstable_count.v, 4);
	assert_int_equal(c->nodes.v[0]->n_tables, 1);
	arena_destroy(a);
}

static void test_prompt_names(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = open_cluster(a);

	(void)state;
	give(c, "x", SLICE("$ nodetool tablestats ks.t | grep -E 'SSTable count|maximum'\n"
			   "\t\tSSTable count: 3\n\t\tCompacted partition maximum bytes: 60\n"
			   "$ nodetool tablestats ks | tail\n" STATS("u", "5")), 0);
	finish(c);
	assert_int_equal(find_table(c, "ks.t")->stats->sstable_count.v, 3);
	assert_int_equal(find_table(c, "ks.u")->stats->sstable_count.v, 5);
	arena_destroy(a);
}

/* One folder at two places is on two disks. */
static void test_disks(void **state)
{
	static const char text[] =
		"$ ls -l /d1/ks/t-" ID "\n-rw-r--r-- 1 c c 5 Nov 30 18:02 nb-1-big-Data.db\n"
		"-rw-r--r-- 1 c c 5 Nov 30 18:02 nb-1-big-TOC.txt\n"
		"$ ls -l /d2/ks/t-" ID "\n-rw-r--r-- 1 c c 7 Nov 30 18:02 nb-2-big-Data.db\n"
		"-rw-r--r-- 1 c c 5 Nov 30 18:02 nb-2-big-TOC.txt\n";
	struct arena *a = arena_create();
	struct cluster *c = open_cluster(a);
	const struct table *t;

	(void)state;
	give(c, "x", slice_of(text), 0);
	give(c, "y",
		SLICE(RECORD("/d1/ks/t-" ID "/nb-1-big") RECORD("/d2/ks/t-" ID "/nb-2-big")), 0);
	finish(c);
	t = find_table(c, "ks.t");
	assert_non_null(t);
	assert_int_equal(t->n_sstables, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(t->sstables[i]->disk, t->sstables[i]->name[3] - '1');
	arena_destroy(a);
}

/* ---- prefixes ---- */

static const char *const sources[] = {
	"nodetool/5.0.6-version.txt", "nodetool/5.0.6-status.txt", "nodetool/5.0.6-info.txt",
	"nodetool/5.0.6-tablestats.txt",
	"demo/nodes/cass-01/tablehistograms/metrics.readings_late.txt",
	"demo/nodes/cass-01/sstablemetadata/metrics.latest.txt", "demo/nodes/cass-01/schema.cql",
};

static struct slice paste(struct arena *a)
{
	struct buf b;
	struct slice text;

	buf_init(&b, 1 << 24);
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct slice s = case_fixture(a, sources[i]);

		buf_printf(&b, "user@node:~$ cat %s\r\n", sources[i]);
		buf_add(&b, s.p, s.n);
		buf_str(&b, "\n");
	}
	text = (struct slice){ arena_copy(a, (struct slice){ b.p, b.n }), b.n };
	buf_free(&b);
	return text;
}

static bool equal_i64(struct opt_i64 part, struct opt_i64 whole)
{
	return !part.known || (whole.known && part.v == whole.v);
}

static const struct table_stats *find_stats(const struct node *n, const struct table_stats *like)
{
	for (size_t i = 0; i < n->table_stats.n; i++)
		if (strcmp(n->table_stats.v[i]->name, like->name) == 0 &&
		    (!like->keyspace || strcmp(n->table_stats.v[i]->keyspace, like->keyspace) == 0))
			return n->table_stats.v[i];
	return NULL;
}

/* What a cut text says is what the whole one says. */
static void compare(const struct cluster *part, const struct cluster *whole, size_t cut)
{
	const struct node *p = part->nodes.n ? part->nodes.v[0] : NULL, *w = whole->nodes.v[0];

	for (size_t i = 0; p && i < p->table_stats.n; i++) {
		const struct table_stats *x = p->table_stats.v[i], *y = find_stats(w, x);

		if (!y || !equal_i64(x->sstable_count, y->sstable_count) ||
		    !equal_i64(x->bytes_live, y->bytes_live) ||
		    !equal_i64(x->partition_max_bytes, y->partition_max_bytes))
			fail_msg("cut at byte %zu: statistics of %s", cut, x->name);
	}
	for (size_t i = 0; p && i < p->metas.n; i++) {
		const struct sstable_meta *x = p->metas.v[i], *y = w->metas.v[i];

		if (i >= w->metas.n || strcmp(x->name, y->name) != 0 ||
		    !equal_i64(x->min_ts, y->min_ts) || !equal_i64(x->max_ts, y->max_ts) ||
		    !equal_i64(x->max_ldt_s, y->max_ldt_s) || !equal_i64(x->max_ttl_s,
			y->max_ttl_s))
			fail_msg("cut at byte %zu: metadata of %s", cut, x->name);
	}
	for (size_t i = 0; p && i < p->histograms.n; i++)
		for (size_t r = 0; r < RANKS; r++)
			if (!equal_i64(p->histograms.v[i]->rows[r].size_bytes,
				       w->histograms.v[i]->rows[r].size_bytes))
				fail_msg("cut at byte %zu: histograms", cut);
	if (p && p->release && strcmp(p->release, w->release) != 0)
		fail_msg("cut at byte %zu: release %s", cut, p->release);
	for (size_t i = 0; i < part->schema.tables.n; i++)
		if (!equal_i64(part->schema.tables.v[i]->settings.gc_grace_s,
			       whole->schema.tables.v[i]->settings.gc_grace_s))
			fail_msg("cut at byte %zu: schema", cut);
}

static void test_prefixes(void **state)
{
	struct arena *a = arena_create();
	struct slice text = paste(a);
	struct cluster *whole = open_cluster(a);
	uint32_t random = 4711;

	(void)state;
	give(whole, "x", text, 0);
	parse_finish(whole);
	assert_int_equal(whole->nodes.n, 1);
	assert_int_equal(whole->nodes.v[0]->failed, 0);
	assert_true(whole->nodes.v[0]->metas.n > 0);
	assert_true(whole->nodes.v[0]->histograms.n > 0);
	assert_true(whole->nodes.v[0]->table_stats.n > 1);
	assert_true(whole->schema.tables.n > 0);
	for (unsigned i = 0; i < 400; i++) {
		struct arena *b = arena_create();
		struct cluster *part = open_cluster(b);
		size_t cut;

		random = random * 1664525u + 1013904223u;
		cut = random % text.n;
		if (i % 2)	/* at a line's end */
			cut += slice_find(slice_from(text, cut), '\n') + 1;
		if (cut > text.n)
			cut = text.n;
		give(part, "x", (struct slice){ text.p, cut }, i % 3 ? 0 : 4096);
		parse_finish(part);
		compare(part, whole, cut);
		arena_destroy(b);
	}
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_notes), cmocka_unit_test(test_lines_of_errors),
		cmocka_unit_test(test_bare_names), cmocka_unit_test(test_ambiguous_names),
		cmocka_unit_test(test_last_run), cmocka_unit_test(test_prompt_names),
		cmocka_unit_test(test_disks), cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
