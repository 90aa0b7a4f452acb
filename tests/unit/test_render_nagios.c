/*
 * The plugin's output of literal models: the summary line, the levels of -v, performance data, the
 * size limit, hostile names. Every output is taken to pieces by plugin_output.h, which knows the
 * rules and not the renderer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plugin_output.h"
#include "render_model.h"
#include "text_assert.h"

static const char *render(const char *name, struct render_model *m, const struct render_options *o,
			  struct plugin_output *out)
{
	const char *text = rm_render(m, &renderer_nagios, o);
	const char *wrong =
		parse_plugin_output(text, o->max_output ? o->max_output : MAX_OUTPUT_DEFAULT, out);

	if (wrong)
		fail_msg("%s: %s:\n%s", name, wrong, text);
	return text;
}

static const struct perf_item *find_item(const char *name, const struct plugin_output *out,
					 const char *label)
{
	for (size_t i = 0; i < out->n_items; i++)
		if (strcmp(out->items[i].label, label) == 0)
			return &out->items[i];
	fail_msg("%s: no item %s", name, label);
	return NULL;
}

static void assert_item(const char *name, const struct plugin_output *out, const char *label,
			const char *want)
{
	const struct perf_item *it = find_item(name, out, label);
	char got[512];

	snprintf(got, sizeof(got), "%s%s;%s;%s", it->value, it->unit, it->warn, it->crit);
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s is %s instead of %s", name, label, got, want);
}

static void assert_labels(const char *name, const struct plugin_output *a,
			  const struct plugin_output *b)
{
	assert_int_equal(a->n_items, b->n_items);
	for (size_t i = 0; i < a->n_items; i++)
		assert_text(name, a->items[i].label, b->items[i].label);
}

/* ---- the summary line ---- */

/* Findings of one table on a node; NULL ends them. */
struct told { enum severity s; const char *check, *summary; };

static const struct line_case {
	const char *name;
	unsigned nodes;			/* each has all the findings */
	const char *table;
	struct told told[4];
	const char *want;
} line_cases[] = {
	{ "nothing wrong", 1, "readings", { { 0 } },
	  "TWCS OK - metrics.readings on cass-01: 0 SSTables, 0 B, nothing held past expiry" },
	{ "nothing wrong on two nodes", 2, "readings", { { 0 } },
	  "TWCS OK - metrics.readings on 2 nodes: 0 SSTables, 0 B, nothing held past expiry" },
	{ "information only",
	  1,
	  "readings",
	  { { SEV_OK, "mixed-ttl", "a note" } },
	  "TWCS OK - metrics.readings on cass-01: 0 SSTables, 0 B, nothing held past "
	  "expiry, 1 note" },
	{ "all of it fits",
	  1,
	  "r",
	  { { SEV_WARNING, "mixed-ttl", "3 SSTables of metrics.r with a TTL of 90 d" } },
	  "TWCS WARNING - metrics.r on cass-01: 3 SSTables with a TTL of 90 d" },
	{ "the table stands first",
	  1,
	  "r",
	  { { SEV_WARNING, "gc-grace", "metrics.r keeps data for 10 d" } },
	  "TWCS WARNING - metrics.r on cass-01: keeps data for 10 d" },
	{ "... with a colon",
	  1,
	  "r",
	  { { SEV_WARNING, "strategy", "metrics.r: window too long" } },
	  "TWCS WARNING - metrics.r on cass-01: window too long" },
	{ "not the start of a longer name",
	  1,
	  "r",
	  { { SEV_WARNING, "strategy", "metrics.r_old is held" } },
	  "TWCS WARNING - metrics.r on cass-01: metrics.r_old is held" },
	{ "the same on several nodes",
	  3,
	  "r",
	  { { SEV_WARNING, "mixed-ttl", "3 SSTables of metrics.r" } },
	  "TWCS WARNING - metrics.r on 3 nodes: 3 SSTables" },
	{ "a long SSTable name does not push out node and date",
	  1,
	  "readings",
	  { { SEV_CRITICAL, "blocked-windows",
	      "6 expired windows (30.8 KiB, 26 % of metrics.readings) held by "
	      "oa-3h5o_1faj_3t6a22v1fed9yidpo4-big (wrong-unit) until 2026-12-21 18:19" } },
	  "TWCS CRITICAL - metrics.readings on cass-01: 6 windows held by oa-3h5o_1faj_...-big "
	  "(wrong-unit) until 2026-12-21" },
	{ "the rest is counted",
	  1,
	  "r",
	  { { SEV_CRITICAL, "blocked-windows", "2 windows" },
	    { SEV_WARNING, "late-writes", "late" },
	    { SEV_UNKNOWN, "sstable-count", "no count" } },
	  "TWCS CRITICAL - metrics.r on cass-01: 2 windows, 2 more findings" },
	{ "worst first, whatever the order",
	  1,
	  "r",
	  { { SEV_UNKNOWN, "sstable-count", "no count" },
	    { SEV_WARNING, "late-writes", "late" },
	    { SEV_CRITICAL, "timestamps", "wrong" } },
	  "TWCS CRITICAL - metrics.r on cass-01: wrong, 2 more findings" },
	{ "of one severity the first check",
	  1,
	  "r",
	  { { SEV_CRITICAL, "timestamps", "wrong" }, { SEV_CRITICAL, "blocked-windows", "held" } },
	  "TWCS CRITICAL - metrics.r on cass-01: held, 1 more finding" },
	{ "time of day goes first",
	  1,
	  "readings_of_the_cellar",
	  { { SEV_WARNING, "late-writes",
	      "5 SSTables (27.8 KiB, 26 %) held by nb-16-big until "
	      "2026-12-28 18:19" } },
	  "TWCS WARNING - metrics.readings_of_the_cellar on cass-01: 5 SSTables (27.8 "
	  "KiB, 26 %) held "
	  "by nb-16-big until 2026-12-28" },
	{ "the bytes go before the node and the end",
	  1,
	  "readings_late",
	  { { SEV_CRITICAL, "blocked-windows",
	      "5 expired windows (27.8 KiB, 26 % of metrics.readings_late) held by "
	      "nb-6-big (late-write) "
	      "until 2026-12-28 18:19" } },
	  "TWCS CRITICAL - metrics.readings_late on cass-01: 5 expired windows held by nb-6-big "
	  "(late-write) until 2026-12-28" },
	{ "... also with a longer name",
	  1,
	  "readings_later",
	  { { SEV_CRITICAL, "blocked-windows",
	      "5 expired windows (27.8 KiB, 26 % of metrics.readings_later) held by nb-16-big "
	      "(late-write) until 2026-12-28 18:19" } },
	  "TWCS CRITICAL - metrics.readings_later on cass-01: 5 expired windows held by nb-16-big "
	  "(late-write) until 2026-12-28" },
	{ "several nodes: the same",
	  3,
	  "readings_late",
	  { { SEV_CRITICAL, "blocked-windows",
	      "5 expired windows (27.8 KiB, 26 % of metrics.readings_late) held by "
	      "nb-6-big (late-write) "
	      "until 2026-12-28 18:19" } },
	  "TWCS CRITICAL - metrics.readings_late on 3 nodes: 5 expired windows held by nb-6-big "
	  "(late-write) until 2026-12-28" },
	{ "a long path keeps its end",
	  1,
	  "r",
	  { { SEV_WARNING, "late-writes",
	      "/var/lib/twcscheck/a/very/long/path/nodes/cass-01/"
	      "tablehistograms/metrics.r.txt: cannot be read: permission denied" } },
	  "TWCS WARNING - metrics.r on cass-01: .../metrics.r.txt: cannot be read: "
	  "permission denied" },
	{ "since when, in short",
	  1,
	  "readings_future",
	  { { SEV_CRITICAL, "expired-not-dropped",
	      "6 SSTables of metrics.readings_future (33.9 KiB) droppable but still on disk, the "
	      "oldest since 2026-11-25 18:19 (5.0 d)" } },
	  "TWCS CRITICAL - metrics.readings_future on cass-01: 6 SSTables (33.9 KiB) droppable but "
	  "still on disk since 2026-11-25" },
	{ "a semicolon becomes a comma",
	  1,
	  "r",
	  { { SEV_WARNING, "strategy", "a; b" } },
	  "TWCS WARNING - metrics.r on cass-01: a, b" },
	{ "quotes go",
	  1,
	  "r",
	  { { SEV_WARNING, "strategy", "'enabled': 'false' in \"r\"" } },
	  "TWCS WARNING - metrics.r on cass-01: enabled: false in r" },
	{ "typography becomes ASCII",
	  1,
	  "r",
	  { { SEV_WARNING, "strategy", "TTL ÷ window ≥ 5 → …" } },
	  "TWCS WARNING - metrics.r on cass-01: TTL / window at least 5 - ..." },
};

static void build(struct render_model *m, struct arena *a, const struct line_case *c)
{
	static const char *const names[] = { "cass-01", "cass-02", "cass-03" };

	rm_init(m, a);
	for (unsigned i = 0; i < c->nodes; i++) {
		struct node *n = rm_node(m, names[i]);
		struct table *t = rm_table(m, n, c->table);

		rm_fine(m, "blocked-windows", t);
		for (size_t k = 0; k < ARRAY_LEN(c->told) && c->told[k].check; k++) {
			struct finding *f = rm_finding(m, c->told[k].s, c->told[k].check, n, t,
						       c->told[k].summary, NULL);

			f->check = check_find(c->told[k].check);
			assert_non_null(f->check);
		}
	}
}

static void summary_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(line_cases); i++) {
		const struct line_case *c = &line_cases[i];
		const struct render_options o = { .verbose = 0 };
		struct arena *a = arena_create();
		struct plugin_output out;
		struct render_model m;

		build(&m, a, c);
		render(c->name, &m, &o, &out);
		assert_text(c->name, out.summary, c->want);
		assert_text(c->name, out.rest, "");
		arena_destroy(a);
	}
}

/* Names as long as they can be: number and culprit are still told, and the limit holds. */
static void long_names(void **state)
{
	char table[60], node[260];

	(void)state;
	for (size_t n = 1; n < sizeof(table); n += 3) {
		struct arena *a = arena_create();
		const struct render_options o = { .verbose = 1 };
		struct plugin_output out;
		struct render_model m;
		struct table *t;

		memset(table, 't', n);
		table[n] = '\0';
		memset(node, 'n', n * 4);
		node[n * 4] = '\0';
		rm_init(&m, a);
		t = rm_table(&m, rm_node(&m, node), table);
		rm_finding(
			&m, SEV_CRITICAL, "blocked-windows", t->node, t,
			arena_printf(a,
				     "5 expired windows (27.8 KiB, 26 %% of %s) held by nb-16-big "
				     "(late-write) until 2026-12-28 18:19",
				     t->full_name),
			"do this");
		render(table, &m, &o, &out);
		assert_has(table, out.summary, "metrics.t");
		assert_has(table, out.summary, "5 ");
		assert_has(table, out.summary, "windows");
		assert_has(table, out.summary, "held by nb-16-big");
		arena_destroy(a);
	}
}

/* ---- levels ---- */

static void levels_of_verbosity(void **state)
{
	static const struct { unsigned verbose; const char *has[6], *lacks[4];
	} cases[] = {
		{ 0,
		  { "TWCS CRITICAL - metrics.readings_late on 2 nodes: 8 expired windows" },
		  { "Do first", "\nCRITICAL", "Next:" } },
		{ 1,
		  { "\nCRITICAL blocked-windows: metrics.readings_late on cass-01, "
		    "cass-02: 8 expired",
		    ". Do first: ", "\nCluster metrics-prod, 2 nodes, judged by 2026-11-30 18:00",
		    "\nNext: twcscheck blockers --from b metrics.readings_late\n" },
		  { "\nNOTE", "\nNode " } },
		{ 2,
		  { "\nCRITICAL blocked-windows: ", "\nNote: the note\n",
		    "\n  cass-01: the detail\n" },
		  { "\nNode " } },
		{ 3,
		  { "\nNode cass-01: cassandra 5.0.6, clock 2026-11-30 18:00 UTC (node)\n",
		    "\ntwcscheck 0.1.0\n" },
		  { NULL } },
	};
	struct arena *a = arena_create();
	struct render_model m;

	(void)state;
	rm_sample(&m, a);
	*vec_add(a, &m.cluster->notes) = "the note";
	for (size_t i = 0; i < m.report.findings.list.n; i++)
		if (m.report.findings.list.v[i]->severity == SEV_CRITICAL)
			*vec_add(a, &m.report.findings.list.v[i]->details) = "the detail";
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct render_options o = { .verbose = cases[i].verbose,
					    .source_args = "--from b" };
		const char *name = arena_printf(a, "level %u", cases[i].verbose);
		struct plugin_output out;
		const char *text = render(name, &m, &o, &out);

		for (size_t k = 0; k < 6 && cases[i].has[k]; k++)
			assert_has(name, text, cases[i].has[k]);
		for (size_t k = 0; k < 4 && cases[i].lacks[k]; k++)
			assert_lacks(name, text, cases[i].lacks[k]);
		o.quiet = true;
		render(name, &m, &o, &out);
		assert_text("quiet", out.rest, "");
	}
	arena_destroy(a);
}

/* Different things that one check says of a table are never put together. */
static void findings_of_one_check(void **state)
{
	static const struct line_case two = {
		"two", 2, "r",
		{ { SEV_WARNING, "gc-grace", "metrics.r keeps data for long" },
		  { SEV_WARNING, "gc-grace", "metrics.r has too little" } }, NULL,
	};
	const struct render_options o = { .verbose = 1 };
	struct arena *a = arena_create();
	struct plugin_output out;
	struct render_model m;
	const char *text;

	(void)state;
	build(&m, a, &two);
	text = render("two", &m, &o, &out);
	assert_has("two", text,
		   "\nWARNING gc-grace: metrics.r on cass-01, cass-02: keeps data for long\n");
	assert_has("two", text,
		   "\nWARNING gc-grace: metrics.r on cass-01, cass-02: has too little\n");
	arena_destroy(a);
}

/* A run that ended early says so on every level, also below something worse. */
static void early_end_is_told(void **state)
{
	struct arena *a = arena_create();
	const struct render_options o = { .verbose = 0 };
	struct plugin_output out;
	struct render_model m;
	struct finding *f;

	(void)state;
	rm_sample(&m, a);
	f = rm_finding(&m, SEV_UNKNOWN, "strategy", NULL, NULL, "time limit of 50 s reached", NULL);
	f->check = NULL;
	f->missing_evidence = true;
	assert_text("below", render("below", &m, &o, &out) ? out.rest : "",
		    "UNKNOWN evidence: time limit of 50 s reached\n");
	assert_text("below", out.state, "CRITICAL");
	arena_destroy(a);
}

static void no_finding_explains_it(void **state)
{
	struct arena *a = arena_create();
	const struct render_options o = { .verbose = 0 };
	struct plugin_output out;
	struct render_model m;

	(void)state;
	rm_init(&m, a);
	m.report.worst = SEV_UNKNOWN;
	render("no nodes", &m, &o, &out);
	assert_text("the word is the status", out.state, "UNKNOWN");
	assert_item("no nodes", &out, "nodes_unknown", "U;;");
	arena_destroy(a);
}

/* ---- performance data ---- */

static void values(void **state)
{
	static const char *const tables[] = { "metrics.readings_late", "metrics.readings_ok",
					      "metrics.none" };
	struct arena *a = arena_create();
	struct render_options o = { .perf_tables = tables, .n_perf_tables = ARRAY_LEN(tables) };
	struct compaction_stats stats = { .pending = some_i64(7) },
				more = { .pending = some_i64(9) };
	struct plugin_output out;
	struct render_model m;

	(void)state;
	rm_sample(&m, a);
	m.cluster->nodes.v[0]->compactions = &stats;
	m.cluster->nodes.v[1]->compactions = &more;
	render("values", &m, &o, &out);
	assert_int_equal(out.n_items, 3 * 4 + 2);
	/* Two nodes with the same: sums. The threshold is 0: true of the sum as of its parts. */
	assert_item("sum", &out, "metrics.readings_late.blocked_windows", "16;0;");
	assert_item("sum", &out, "metrics.readings_late.held_bytes", "91200B;;");
	assert_item("sum", &out, "metrics.readings_late.sstables", "40;;");
	assert_item("not known", &out, "metrics.readings_late.max_partition_bytes", "U;;");
	assert_item("nothing held", &out, "metrics.readings_ok.blocked_windows", "0;0;");
	assert_item("no such table", &out, "metrics.none.sstables", "U;;");
	assert_item("largest", &out, "pending_tasks", "9;;");
	stats.pending.known = false;
	render("a part is not known", &m, &o, &out);
	assert_item("a part is not known", &out, "pending_tasks", "U;;");
	stats.pending = some_i64(4000000000);
	render("implausible", &m, &o, &out);
	assert_item("implausible", &out, "pending_tasks", "U;;");
	o.n_perf_tables = 0;
	render("all", &m, &o, &out);
	assert_int_equal(out.n_items, 4 + 2);
	assert_item("all", &out, "all.blocked_windows", "16;0;");
	assert_item("all", &out, "all.sstables", "60;;");
	arena_destroy(a);
}

static void sizes_of_partitions(void **state)
{
	struct arena *a = arena_create();
	const struct render_options o = { .verbose = 0 };
	struct table_stats stats[2] = { { .partition_max_bytes = some_i64(1597) },
					{ .partition_max_bytes = some_i64(107964792) } };
	struct plugin_output out;
	struct render_model m;

	(void)state;
	rm_init(&m, a);
	for (size_t i = 0; i < ARRAY_LEN(stats); i++) {
		struct table *t = rm_table(&m, rm_node(&m, i ? "b" : "a"), "r");

		t->stats = &stats[i];
		t->listed = false;
	}
	render("largest", &m, &o, &out);
	assert_item("largest", &out, "all.max_partition_bytes", "107964792B;;");
	stats[1].partition_max_bytes = some_i64(INT64_C(20000000000000));
	render("implausible", &m, &o, &out);
	assert_item("implausible", &out, "all.max_partition_bytes", "U;;");
	arena_destroy(a);
}

/* Of one node and table as they were set; of a sum only what holds for its parts as well. */
static void thresholds(void **state)
{
	static const struct {
		const char *name, *warn, *crit;
		const char *one,
			*two; /* what follows the value: for one node, for the sum of two */
	} cases[] = {
		{ "defaults", NULL, NULL, ";0;", ";0;" },
		{ "simple form", "0:5", "10", ";5;10", ";;" },
		{ "start and end", "2:5", "@10:20", ";2:5;@10:20", ";;" },
		{ "open ends", "3:", "~:7", ";3:;~:7", ";;" },
		{ "inside from 0", "@0:4", NULL, ";@0:4;", ";;" },
		{ "a fraction", "2.50", NULL, ";2.5;", ";;" },
		{ "never", "~:", NULL, ";;", ";;" },
		{ "taken off", "", "", ";;", ";;" },
		{ "no number for a graph", "1e17", "1", ";;1", ";;" },
		{ "critical alone", "", "0", ";;0", ";;0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (int nodes = 1; nodes <= 2; nodes++) {
			struct arena *a = arena_create();
			struct run_checks_options checks = { .wall_clock_s = RM_NOW };
			const char *tables[] = { "metrics.r" };
			struct render_options o = { .perf_tables = tables, .n_perf_tables = 1,
						    .checks = &checks };
			struct plugin_output out;
			struct render_model m;

			*vec_add(a, &checks.overrides) = (struct threshold_override){
				"blocked-windows", NULL, cases[i].warn, cases[i].crit, NULL };
			rm_init(&m, a);
			for (int n = 0; n < nodes; n++) {
				struct table *t = rm_table(&m, rm_node(&m, n ? "b" : "a"), "r");

				rm_sstable(&m, t, "nb-1-big", 1, 0, 60, 100, SST_LIVE, WIN_LIVE);
				rm_fine(&m, "blocked-windows", t);
			}
			render(cases[i].name, &m, &o, &out);
			assert_item(cases[i].name, &out, "metrics.r.blocked_windows",
				    arena_printf(a, "0%s",
						 nodes == 1 ? cases[i].one : cases[i].two));
			arena_destroy(a);
		}
	}
}

/* ---- labels ---- */

/* The labels of a run follow from its options, whatever it found, and without a report as well. */
static void labels_are_stable(void **state)
{
	static const char *const names[] = { "metrics.readings_late",
					     "metrics.readings_ok",
					     "a.b",
					     "a.c",
					     "a.d",
					     "a.e",
					     "a.f",
					     "a.g",
					     "a.h" };
	static const size_t limits[] = { 400, 700, 1000, 4000, 100000 };

	(void)state;
	for (size_t n = 0; n <= ARRAY_LEN(names); n++) {
		for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
			struct arena *a = arena_create();
			const struct render_options o = { .perf_tables = names, .n_perf_tables = n,
							  .max_output = limits[i], .verbose = 2 };
			const char *name = arena_printf(a, "%zu tables, %zu bytes", n, limits[i]);
			struct plugin_output sick, well, none, error;
			struct render_model m;
			struct buf b;

			rm_sample(&m, a);
			render(name, &m, &o, &sick);
			rm_init(&m, a);
			rm_fine(&m, "blocked-windows",
				rm_table(&m, rm_node(&m, "x"), "readings_ok"));
			render(name, &m, &o, &well);
			rm_init(&m, a);
			m.report.worst = SEV_UNKNOWN;
			render(name, &m, &o, &none);
			buf_init(&b, SIZE_MAX);
			nagios_render_unknown(a, "no", nagios_perfdata_unknown(a, &o), limits[i],
					      &b);
			assert_null(parse_plugin_output(arena_copy(a, (struct slice){ b.p, b.n }),
							limits[i], &error));
			buf_free(&b);
			assert_labels(name, &sick, &well);
			assert_labels(name, &sick, &none);
			assert_labels(name, &sick, &error);
			if (n == 0 || n > PERF_TABLES_MAX)
				assert_text(name, sick.items[0].label, "all.blocked_windows");
			else if (limits[i] >= 4000)
				assert_int_equal(sick.n_items, 4 * n + 2);
			arena_destroy(a);
		}
	}
}

static void labels_that_look_alike(void **state)
{
	static const char *const names[] = { "a b.t", "a|b.t", "a::b.t", "", "ü.t" };
	static const char *const want[] = { "a_b.t.sstables", "a_b.t_2.sstables", "a__b.t.sstables",
					    "_.sstables", "__.t.sstables" };
	struct arena *a = arena_create();
	const struct render_options o = { .perf_tables = names, .n_perf_tables = ARRAY_LEN(names) };
	struct plugin_output out;
	struct render_model m;

	(void)state;
	rm_sample(&m, a);
	render("alike", &m, &o, &out);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		find_item("alike", &out, want[i]);
	arena_destroy(a);
}

/* ---- hostile text ---- */

static void hostile_text(void **state)
{
	static const char *const texts[] = {
		"pipe|label=1",
		"two\nlines\r\nand more",
		"tab\tbell\a nul-ish \x01 esc \x1b[31mred",
		"quote'quote\"back`tick",
		"$(reboot) $HOSTNAME$ & < > ~",
		"a::b::c",
		"=;=;=",
		"U",
		"bytes \xff\xfe\xc3",
		"cut \xe2\x82",
		"Zeitr\xc3\xa4ume \xe6\x97\xa5\xe6\x9c\xac",
		"back\\nslash\\",
		"   blanks   ",
		"|",
		"\n",
		"''''",
		("\xe2\x80\xae" "rtl"),
		"",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		for (unsigned verbose = 0; verbose <= 3; verbose++) {
			struct arena *a = arena_create();
			const char *x = texts[i], *tables[] = { x, "metrics.r" };
			const struct render_options o = { .verbose = verbose, .perf_tables = tables,
							  .n_perf_tables = 2, .source_args = x };
			struct plugin_output out;
			struct render_model m;
			struct finding *f;
			struct table *t;
			struct buf b;

			rm_init(&m, a);
			m.cluster->name = x;
			*vec_add(a, &m.cluster->notes) = x;
			t = rm_table(&m, rm_node(&m, x), x);
			t->node->release = t->node->clock_from = x;
			node_record_evidence(t->node, EV_TABLESTATS, x, EVIDENCE_FAILED, x);
			f = rm_finding(&m, SEV_WARNING, "late-writes", t->node, t,
				       arena_printf(a, "a %s b of %s", x, t->full_name), x);
			*vec_add(a, &f->details) = x;
			rm_finding(&m, SEV_UNKNOWN, "strategy", t->node, NULL, x, x);
			render(x, &m, &o, &out);
			assert_text(x, out.state, "WARNING");
			buf_init(&b, SIZE_MAX);
			nagios_render_unknown(a, arena_printf(a, "no %s", x),
					      nagios_perfdata_unknown(a, &o), 0, &b);
			if (parse_plugin_output(arena_copy(a, (struct slice){ b.p, b.n }), 4000,
						&out))
				fail_msg("an error with '%s': %.*s", x, (int)b.n, b.p);
			buf_free(&b);
			arena_destroy(a);
		}
	}
}

/* ---- the limit ---- */

/* Lines are whole, in the order of the full output, and the number of those left out is right. */
static void limits_cut_at_lines(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = { .verbose = 3,
				    .max_output = 1000000,
				    .source_args = "--from b" };
	struct plugin_output out;
	struct render_model m;
	const char *full;
	size_t lines = 0;

	(void)state;
	rm_sample(&m, a);
	for (int i = 0; i < 60; i++)
		*vec_add(a, &m.cluster->notes) = arena_printf(a, "note number %d, as long as %.*s",
							      i, i,
							      "............................"
							      "................................");
	full = render("full", &m, &o, &out);
	for (const char *p = full; *p; p++)
		lines += *p == '\n';
	for (size_t max = MAX_OUTPUT_LEAST; max < strlen(full) + 50; max += 13) {
		const char *name = arena_printf(a, "%zu bytes", max), *text, *more;
		size_t kept = 0;

		o.max_output = max;
		text = render(name, &m, &o, &out);
		more = strstr(text, "\n... and ");
		if (max >= strlen(full)) {
			assert_text(name, text, full);
			continue;
		}
		if (!more)
			fail_msg("%s: does not say that it is cut:\n%s", name, text);
		if (strncmp(full, text, (size_t)(more - text) + 1) != 0)
			fail_msg("%s: other lines than the full output:\n%s", name, text);
		for (const char *p = text; p <= more; p++)
			kept += *p == '\n';
		assert_int_equal(strtoul(more + 9, NULL, 10), lines - kept);
		assert_has(name, more, "(see twcscheck --from b -v)\n");
	}
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary_lines),
		cmocka_unit_test(long_names),
		cmocka_unit_test(levels_of_verbosity),
		cmocka_unit_test(findings_of_one_check),
		cmocka_unit_test(early_end_is_told),
		cmocka_unit_test(no_finding_explains_it),
		cmocka_unit_test(values),
		cmocka_unit_test(sizes_of_partitions),
		cmocka_unit_test(thresholds),
		cmocka_unit_test(labels_are_stable),
		cmocka_unit_test(labels_that_look_alike),
		cmocka_unit_test(hostile_text),
		cmocka_unit_test(limits_cut_at_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
