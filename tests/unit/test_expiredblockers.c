/*
 * sstableexpiredblockers: src/parse/expiredblockers.c, what its word counts for
 * (src/model/hearsay.c) and what blocked-windows says of it.
 */
#include "facts_prefix.h"
#include "finding/finding.h"
#include "shared_facts.h"

#include <dirent.h>

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define FOLDER "/d/ks/t-" ID "/"
#define READER(n, min, max, ldt)                                                                   \
	"[BigTableReader(path='" FOLDER "mc-" n "-big-Data.db') (minTS = " min ", maxTS = " max    \
	", maxLDT = " ldt ")]"
#define BLOCKS(n) ",  blocks " n " expired sstables from getting dropped: "
#define OLD READER("3", "1536349775157606", "1536349780311159", "1536349780")

static const char *number(struct arena *a, struct opt_i64 v)
{
	if (!v.known)
		return "-";
	return v.v == TIME_NEVER ? "never" : arena_printf(a, "%lld", (long long)v.v);
}

/* "name n: blocked,blocked,;" for each line, "name min_ts max_ts max_ldt;" for each SSTable. */
static const char *describe(const struct parse_case *c)
{
	struct arena *a = c->arena;
	const char *text = "";

	for (size_t i = 0; i < c->node.tool_blockers.n; i++) {
		const struct tool_blocker *b = c->node.tool_blockers.v[i];

		text = arena_printf(a, "%s%s %lld: ", text, b->name, (long long)b->n_blocked);
		for (size_t k = 0; k < b->blocked.n; k++)
			text = arena_printf(a, "%s%s,", text, b->blocked.v[k]);
		text = arena_printf(a, "%s;", text);
	}
	for (size_t i = 0; i < c->node.metas.n; i++) {
		const struct sstable_meta *m = c->node.metas.v[i];

		assert_true(m->hearsay && m->state == METADATA_PARTIAL && !m->repair_known);
		text = arena_printf(a, "%s%s %s %s %s;", text, m->name, number(a, m->min_ts),
				    number(a, m->max_ts), number(a, m->max_ldt_s));
	}
	return text;
}

static const struct { const char *name, *text, *expected, *err; bool refused;
} cases[] = {
	{ "nothing blocked", "", "", NULL, false },
	{ "nothing blocked, line feeds", "\n\r\n \n", "", NULL, false },
	{ "no SSTables", "No sstables for ks.t\n", "", NULL, false },
	{ "one line", READER("2", "5", "5", "2147483647") BLOCKS("1") OLD ", \n",
	  "mc-2-big 1: mc-3-big,;mc-2-big 5 5 never;"
	  "mc-3-big 1536349775157606 1536349780311159 1536349780;",
	  NULL, false },
	{ "CRLF, noise before",
	  "WARN  12:00:00,123 x\r\n" READER("2", "5", "5", "7") BLOCKS("1") OLD ", \r\n\r\n",
	  "mc-2-big 1: mc-3-big,;mc-2-big 5 5 7;"
	  "mc-3-big 1536349775157606 1536349780311159 1536349780;",
	  NULL, false },
	{ "two lines with one blocked",
	  READER("2", "5", "5", "7") BLOCKS("1") OLD ", \n\n" READER("1", "-1", "10", "7")
		  BLOCKS("1") OLD ", \n",
	  "mc-2-big 1: mc-3-big,;mc-1-big 1: mc-3-big,;mc-2-big 5 5 7;"
	  "mc-3-big 1536349775157606 1536349780311159 1536349780;mc-1-big -1 10 7;",
	  NULL, false },
	{ "several blocked, without commas at the end",
	  READER("2", "5", "5", "7") BLOCKS("2") OLD ", " READER("4", "1", "2", "3"),
	  "mc-2-big 2: mc-3-big,mc-4-big,;mc-2-big 5 5 7;"
	  "mc-3-big 1536349775157606 1536349780311159 1536349780;mc-4-big 1 2 3;",
	  NULL, false },
	{ "5.0 prints the format, and 2147483647 is a time there",
	  "[BtiTableReader:bti(path='" FOLDER "da-2-bti-Data.db') (minTS = 5, maxTS = 6, "
	  "maxLDT = 2147483647)]" BLOCKS("0") "\n"
					      "[BigTableReader:big(path='" FOLDER
					      "oa-3-big-Data.db') (minTS = 5, maxTS = 6, "
					      "maxLDT = 9223372036854775807)]" BLOCKS("0") "\n",
	  "da-2-bti 0: ;oa-3-big 0: ;da-2-bti 5 6 2147483647;oa-3-big 5 6 never;", NULL, false },
	{ "2.1",
	  "[SSTableReader(path='" FOLDER "ks-t-ka-7-Data.db') (minTS = 5, maxTS = 6, "
	  "maxLDT = 7)]" BLOCKS("0") "\n",
	  "ks-t-ka-7 0: ;ks-t-ka-7 5 6 7;", NULL, false },
	{ "fewer than are said", READER("2", "5", "5", "7") BLOCKS("3") OLD ", \n",
	  "mc-2-big 3: mc-3-big,;mc-2-big 5 5 7;"
	  "mc-3-big 1536349775157606 1536349780311159 1536349780;",
	  "1: 3 SSTables are said to be blocked, 1 are named", false },
	{ "cut in a blocked one",
	  READER("2", "5", "5", "7") BLOCKS("2") OLD ", [BigTableReader(path='" FOLDER "mc-4",
	  "mc-2-big 2: mc-3-big,;mc-2-big 5 5 7;"
	  "mc-3-big 1536349775157606 1536349780311159 1536349780;",
	  "1: the text is cut off", false },
	{ "cut in the blocker", "[BigTableReader(path='" FOLDER "mc-4-big-Data.db') (minTS = 1", "",
	  "1: the text is cut off", true },
	{ "cut in the number", READER("2", "5", "5", "7") ",  blocks 1", "",
	  "1: the text is cut off", true },
	{ "a number above 64 bits",
	  READER("2", "99999999999999999999", "5", "7") BLOCKS("1") OLD ", \n", "",
	  "1: a line that can't be read", true },
	{ "a path that is no SSTable",
	  "[BigTableReader(path='/x') (minTS = 1, maxTS = 1, maxLDT = 1)]" BLOCKS("1") OLD ", \n",
	  "", "a line that can't be read", true },
	{ "garbage behind", READER("2", "5", "5", "7") BLOCKS("1") OLD ", and more\n",
	  "mc-2-big 1: mc-3-big,;mc-2-big 5 5 7;"
	  "mc-3-big 1536349775157606 1536349780311159 1536349780;",
	  "a blocked SSTable that can't be read", false },
	{ "usage", "Usage: sstableexpiredblockers <keyspace> <table>\n", "",
	  "no output of sstableexpiredblockers in it", true },
	{ "an exception",
	  "Exception in thread \"main\" java.lang.IllegalArgumentException: Unknown "
	  "keyspace/table ks.x\n",
	  "", "an error message: Exception", true },
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct parse_case c;
		const char *got;

		case_run(&c, parse_expiredblockers, cases[i].text);
		got = describe(&c);
		if (strcmp(got, cases[i].expected) != 0 || c.ok == cases[i].refused)
			fail_msg("%s: %d %s", cases[i].name, c.ok, got);
		if (!cases[i].err != (c.err.kind == ERR_NONE) ||
		    (cases[i].err && !strstr(err_text(c.arena, &c.err), cases[i].err)))
			fail_msg("%s: %s", cases[i].name, err_text(c.arena, &c.err));
		case_close(&c);
	}
}

/* A place: they name keyspace and table. */
static void test_places(void **state)
{
	struct parse_case c;
	const struct tool_blocker *b;

	(void)state;
	case_run(&c, parse_expiredblockers, READER("2", "5", "5", "7") BLOCKS("1") OLD ", \n");
	b = c.node.tool_blockers.v[0];
	assert_string_equal(b->path, FOLDER "mc-2-big");
	assert_string_equal(b->keyspace, "ks");
	assert_string_equal(b->table_dir, "t-" ID);
	assert_int_equal(b->line, 1);
	assert_string_equal(c.node.metas.v[1]->directory, "/d/ks/t-" ID);
	case_close(&c);
}

static void compare(const struct parse_case *part, const struct parse_case *whole,
		    const char *where)
{
	prefix_metas(part, whole, where);
	for (size_t i = 0; i < part->node.tool_blockers.n; i++) {
		const struct tool_blocker *p = part->node.tool_blockers.v[i];
		const struct tool_blocker *w;

		assert_true(i < whole->node.tool_blockers.n);
		w = whole->node.tool_blockers.v[i];
		if (strcmp(p->path, w->path) != 0 || p->n_blocked != w->n_blocked ||
		    p->blocked.n > w->blocked.n)
			fail_msg("%s: line %u says something else", where, p->line);
		for (size_t k = 0; k < p->blocked.n; k++)
			if (strcmp(p->blocked.v[k], w->blocked.v[k]) != 0)
				fail_msg("%s: %s", where, p->blocked.v[k]);
	}
}

static void test_starts(void **state)
{
	(void)state;
	case_prefixes(parse_expiredblockers, "expiredblockers/3.11.19-readings_nottl.txt", compare);
	case_prefixes(parse_expiredblockers, "expiredblockers/4.1.9-readings_late.txt", compare);
	case_prefixes(parse_expiredblockers, "expiredblockers/5.0.6-bti-readings_millis.txt",
		      compare);
	case_prefixes(parse_expiredblockers, "expiredblockers/5.0.6-oa-readings_unsafe.txt",
		      compare);
	case_prefixes(parse_expiredblockers, "expiredblockers/5.0.6-oa-readings_big.txt", compare);
}

/* ---- recordings ---- */

static size_t count_of(struct slice text, const char *word)
{
	size_t n = 0, w = strlen(word);

	for (size_t i = 0; i + w <= text.n; i++)
		n += memcmp(text.p + i, word, w) == 0;
	return n;
}

static void check_recording(const char *path, size_t *lines)
{
	struct parse_case c;
	struct slice text;
	size_t blocked = 0;

	case_open(&c);
	text = case_read(c.arena, path);
	case_parse(&c, parse_expiredblockers, path, text);
	if (!c.ok || c.err.kind != ERR_NONE)
		fail_msg("%s: %s", path, err_text(c.arena, &c.err));
	for (size_t i = 0; i < c.node.tool_blockers.n; i++)
		blocked += c.node.tool_blockers.v[i]->blocked.n;
	if (c.node.tool_blockers.n != count_of(text, " blocks ") ||
	    blocked + c.node.tool_blockers.n != count_of(text, "(minTS = "))
		fail_msg("%s: %zu lines, %zu blocked", path, c.node.tool_blockers.n, blocked);
	*lines += c.node.tool_blockers.n;
	case_close(&c);
}

static void check_folder(struct arena *a, const char *folder, size_t *files, size_t *lines)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.') {
			check_recording(arena_printf(a, "%s/%s", folder, e->d_name), lines);
			++*files;
		}
	if (d)
		closedir(d);
}

static void test_recordings(void **state)
{
	struct arena *a = arena_create();
	const char *fixtures = shared_path(a, "fixtures");
	DIR *d = fixtures ? opendir(fixtures) : NULL;
	size_t files = 0, lines = 0;
	struct dirent *e;

	(void)state;
	if (!d) {
		arena_destroy(a);
		print_message("the recordings are not here\n");
		skip();
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			check_folder(a, arena_printf(a, "%s/%s/sstableexpiredblockers", fixtures,
						     e->d_name), &files, &lines);
	closedir(d);
	arena_destroy(a);
	print_message("%zu outputs, %zu lines\n", files, lines);
	assert_true(files > 100 && lines > 40);
}

static void check_fact(void *ctx, const struct shared_fact *f)
{
	struct opt_i64 got, want;
	struct parse_case c;
	const char *path;

	case_open(&c);
	path = shared_path(c.arena, arena_printf(c.arena, "cases/%s/sstableexpiredblockers.txt",
						 f->folder));
	if (path && strcmp(f->kind, "sstable") == 0) {
		case_parse(&c, parse_expiredblockers, path, case_read(c.arena, path));
		for (size_t i = 0; i < c.node.metas.n; i++) {
			const struct sstable_meta *m = c.node.metas.v[i];

			if (strcmp(m->name, f->object) != 0 ||
			    !shared_fact_number(f, m, &got, &want))
				continue;
			assert_true(got.known);
			assert_int_equal(got.v, want.v);
			++*(size_t *)ctx;
		}
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
	assert_true(n >= 5);
}

/* ---- in the model, and what is said of it ---- */

struct run {
	struct arena *a;
	struct cluster *c;
	struct report report;
};

static void begin(struct run *r)
{
	memset(r, 0, sizeof(*r));
	r->a = arena_create();
	r->c = cluster_create(r->a);
}

static void feed(struct run *r, enum evidence_kind kind, const char *path, const char *text)
{
	parse_evidence(r->c, &(struct evidence){ .kind = kind, .node = "n", .path = path,
						 .relative = path, .out = slice_of(text) });
}

static const struct table *finish(struct run *r)
{
	struct assemble_options assemble = { .now_s = some_i64(1536350000) };
	struct run_checks_options checks = { 0 };
	struct node *n;

	parse_finish(r->c);
	cluster_assemble(r->c, &assemble);
	n = r->c->nodes.v[0];
	for (size_t i = 0; i < n->n_tables; i++)
		table_analyse(r->a, n->tables[i]);
	*vec_add(r->a, &checks.only) = "blocked-windows";
	run_checks(r->a, r->c, &checks, &r->report);
	return n->n_tables ? n->tables[0] : NULL;
}

static const struct finding *find(const struct run *r, enum severity s)
{
	for (size_t i = 0; i < r->report.findings.list.n; i++)
		if (r->report.findings.list.v[i]->severity == s)
			return r->report.findings.list.v[i];
	return NULL;
}

#define OUTPUT                                                                                     \
	READER("2", "5", "5", "2147483647") BLOCKS("1") OLD ", \n"                                 \
	READER("1", "1", "10", "2147483647") BLOCKS("1") OLD ", \n"
#define SCHEMA                                                                                     \
	"CREATE TABLE ks.t (a int PRIMARY KEY) WITH compaction = "                                 \
	"{'class': 'TimeWindowCompactionStrategy'} AND gc_grace_seconds = 0;\n"
#define META(name, times, ldt)                                                                     \
	"SSTable: " FOLDER name "\nPartitioner: org.apache.cassandra.dht.Murmur3Partitioner\n"     \
	times "SSTable max local deletion time: " ldt "\nTTL min: 5\nTTL max: 5\n"                 \
	"SSTable Level: 0\nRepaired at: 0\ntotalRows: 4\n"

/* A warning by its word, and UNKNOWN for what would be better. */
static void test_warning(void **state)
{
	static const char *const schemas[] = { NULL, SCHEMA };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(schemas); i++) {
		const struct finding *f;
		const struct table *t;
		struct run r;

		begin(&r);
		feed(&r, EV_EXPIREDBLOCKERS, "sstableexpiredblockers.txt", OUTPUT);
		if (schemas[i])
			feed(&r, EV_SCHEMA, "schema.cql", schemas[i]);
		t = finish(&r);
		assert_string_equal(t->full_name, "ks.t");
		assert_int_equal(t->n_sstables, 3);
		assert_int_equal(t->tool_blockers.n, 2);
		assert_int_equal(r.report.worst, SEV_WARNING);
		f = find(&r, SEV_WARNING);
		assert_string_equal(
			f->summary,
			"sstableexpiredblockers says: mc-1-big and 1 more "
			"hold 1 expired SSTable of ks.t (that tool's word, by a simpler "
			"rule)");
		assert_int_equal(f->details.n, 2);
		assert_string_equal(
			f->details.v[1],
			"mc-2-big holds mc-3-big: its timestamps are 5 "
			"to 5 (no date that a writer can mean: not microseconds), and it "
			"never expires");
		assert_non_null(find(&r, SEV_UNKNOWN));
		arena_destroy(r.a);
	}
}

/* The SSTables' own metadata and the schema are better: then the server's rule speaks. */
static void test_better_evidence(void **state)
{
	const struct finding *f;
	const struct table *t;
	struct run r;

	(void)state;
	begin(&r);
	feed(&r, EV_EXPIREDBLOCKERS, "sstableexpiredblockers.txt", OUTPUT);
	feed(&r, EV_SCHEMA, "schema.cql", SCHEMA);
	feed(&r, EV_SSTABLEMETADATA, "sstablemetadata.txt",
	     META("mc-1-big", "Minimum timestamp: 1\nMaximum timestamp: 10\n", "2147483647")
	     META("mc-2-big", "Minimum timestamp: 5\nMaximum timestamp: 5\n", "2147483647")
	     META("mc-3-big", "Minimum timestamp: 1536249775157606\n"
		  "Maximum timestamp: 1536249780311159\n", "1536249780"));
	t = finish(&r);
	assert_int_equal(t->n_sstables, 3);
	for (size_t i = 0; i < t->n_sstables; i++)
		assert_false(t->sstables[i]->meta->hearsay);
	assert_null(find(&r, SEV_UNKNOWN));
	f = find(&r, SEV_CRITICAL);
	assert_non_null(f);
	assert_null(strstr(f->summary, "sstableexpiredblockers"));
	arena_destroy(r.a);
}

/* What a whole listing does not have is gone; a part of one proves nothing. */
static void test_gone(void **state)
{
	static const struct { const char *text; size_t n; } listings[] = {
		{ "name\tbytes\nmc-3-big-Data.db\t5\nmc-3-big-TOC.txt\t5\n", 1 },
		{ "name\tbytes\nmc-3-big-Data.db\t5\nmc-3-big-TOC.txt\t5\nmc-4-big-Da", 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(listings); i++) {
		struct run r;
		const struct table *t;

		begin(&r);
		feed(&r, EV_EXPIREDBLOCKERS, "sstableexpiredblockers.txt", OUTPUT);
		parse_evidence(r.c, &(struct evidence){
			.kind = EV_LISTING, .node = "n", .path = "listing.tsv", .keyspace = "ks",
			.directory = "t-" ID, .out = slice_of(listings[i].text) });
		t = finish(&r);
		if (t->n_sstables != listings[i].n)
			fail_msg("listing %zu: %zu SSTables", i, t->n_sstables);
		arena_destroy(r.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_starts),
		cmocka_unit_test(test_recordings),
		cmocka_unit_test(test_shared_facts),
		cmocka_unit_test(test_warning),
		cmocka_unit_test(test_better_evidence),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
