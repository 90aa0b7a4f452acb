/*
 * What the configuration does to a run: settings of tables without a schema, whose thresholds win,
 * checks that are left out, findings that are silenced.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice.h"
#include "cli/config.h"
#include "finding/thresholds.h"
#include "model_build.h"
#include "text_assert.h"

enum { DAY = 86400, NOW = 1796061600 };	/* 2026-11-30T18:00:00Z */

#define TABLE(text) "{\"tables\": {\"a.b\": {" text "}}}"

static struct arena *a;

/* The options of a run with this configuration, and thresholds that were typed. */
static struct run_options *options_of(const char *text)
{
	struct run_options *o = arena_alloc(a, sizeof(*o));
	struct config *c = arena_alloc(a, sizeof(*c));
	struct err err = { 0 };

	o->arena = a;
	if (!config_read(a, "t.json", slice_of(text), c, &err))
		fail_msg("%s: %s", text, err_text(a, &err));
	config_apply(c, o);
	assert_true(run_checks_validate(a, &o->checks, &err));
	return o;
}

static const char specific[] =
	"{\"tables\": {\"metrics.readings\": {\"ttl\": \"1d\"}, \"*\": {\"window\": \"1h\", "
	"\"ttl\": \"2d\","
	" \"gc_grace\": \"3d\", \"lateness\": \"5s\"}, \"metrics.*\": {\"window\": \"2h\", "
	"\"ttl\": \"4d\"},"
	" \"*.readings\": {\"window\": \"3h\"}}}";

static void test_specific_wins(void **state)
{
	struct run_options *o = options_of(specific);
	struct table_design d = table_design_merge(o->assemble.designs, o->assemble.n_designs,
						   "metrics.readings");

	(void)state;
	assert_int_equal(d.window_s.v, 3 * 3600); /* the longer pattern */
	assert_int_equal(d.ttl_s.v, DAY);
	assert_int_equal(d.gc_grace_s.v, 3 * DAY);
	assert_int_equal(d.lateness_s.v, 5);
	d = table_design_merge(o->assemble.designs, o->assemble.n_designs, "other.table");
	assert_int_equal(d.window_s.v, 3600);
}

static const char *range_of(const struct run_options *o, const char *full_name, bool critical)
{
	struct table t = { .full_name = full_name };
	struct check_ctx ctx = { .arena = a, .check = check_find("window-count"), .table = &t };
	const struct range *r = critical ? &ctx.thresholds[0].crit : &ctx.thresholds[0].warn;

	thresholds_fill(a, &o->checks, &ctx);
	return r->text ? r->text : "none";
}

static void test_thresholds(void **state)
{
	struct run_options *o = options_of(
		"{\"tables\": {\"metrics.readings\": {\"thresholds\": {\"window-count\": "
		"{\"warning\": \"1:4\"}}},"
		" \"metrics.*\": {\"thresholds\": {\"window-count\": {\"warning\": \"1:3\", "
		"\"critical\": \"\"}}}},"
		" \"thresholds\": {\"window-count\": {\"warning\": \"1:2\", \"critical\": "
		"\"1:9\"}}}");
	struct config empty = { 0 };

	(void)state;
	assert_string_equal(range_of(o, "metrics.readings", false), "1:4");
	assert_string_equal(range_of(o, "metrics.readings", true), "none");
	assert_string_equal(range_of(o, "metrics.other", false), "1:3");
	assert_string_equal(range_of(o, "other.readings", false), "1:2");
	assert_string_equal(range_of(o, "other.readings", true), "1:9");
	o = arena_alloc(a, sizeof(*o));
	o->arena = a;
	config_apply(&empty, o);
	assert_string_equal(range_of(o, "other.readings", false), "7:50");
}

/* What is typed wins over what is configured, also for one table. */
static void test_typed_wins(void **state)
{
	struct run_options *o = arena_alloc(a, sizeof(*o));
	struct config c = { 0 };
	struct err err = { 0 };

	(void)state;
	o->arena = a;
	o->nodetool = "typed";
	*vec_add(a, &o->checks.overrides) = (struct threshold_override){ .check = "window-count",
									 .warn = "1:5" };
	assert_true(config_read(
		a, "t.json",
		slice_of(
			"{\"node\": {\"nodetool\": \"x\", \"cqlsh\": \"y\"}, \"tables\": "
			"{\"a.b\": {\"thresholds\": "
			"{\"window-count\": {\"warning\": \"1:4\", \"critical\": \"1:6\"}}}}}"),
		&c, &err));
	config_apply(&c, o);
	assert_string_equal(range_of(o, "a.b", false), "1:5");
	assert_string_equal(range_of(o, "a.b", true), "1:6");
	assert_string_equal(o->nodetool, "typed");
	assert_string_equal(o->cqlsh, "y");
}

/* ---- settings of tables ---- */

static const struct {
	const char *name, *config;
	bool schema,
		stats; /* with a schema (window 1 d, STCS when !twcs); tablestats' window 1 d */
	bool twcs;
	enum settings_origin origin;
	const char *want; /* "window ttl gc_grace", - = unknown */
	size_t n_notes;
} designs[] = {
	{ "nothing", "{}", false, false, false, SETTINGS_INFERRED, "- - -", 0 },
	{ "a window alone", TABLE("\"window\": \"1h\""), false, false, true, SETTINGS_CONFIGURATION,
	  "3600 - -", 0 },
	{ "all", TABLE("\"window\": \"1h\", \"ttl\": \"30d\", \"gc_grace\": \"1d\""), false, false,
	  true, SETTINGS_CONFIGURATION, "3600 2592000 86400", 0 },
	{ "no window: the strategy stays unknown", TABLE("\"ttl\": \"30d\", \"gc_grace\": \"10d\""),
	  false, false, false, SETTINGS_INFERRED, "- 2592000 864000", 0 },
	{ "a window by tablestats", "{}", false, true, true, SETTINGS_INFERRED, "86400 - -", 0 },
	{ "a window by tablestats, gc_grace configured", TABLE("\"gc_grace\": \"1d\""), false, true,
	  true, SETTINGS_CONFIGURATION, "86400 - 86400", 0 },
	{ "a window by tablestats, only the TTL configured", TABLE("\"ttl\": \"1d\""), false, true,
	  true, SETTINGS_INFERRED, "86400 86400 -", 0 },
	{ "another window than tablestats", TABLE("\"window\": \"1h\""), false, true, true,
	  SETTINGS_CONFIGURATION, "3600 - -", 1 },
	{ "a schema wins", TABLE("\"window\": \"1h\", \"ttl\": \"1d\", \"gc_grace\": \"1d\""), true,
	  false, true, SETTINGS_SCHEMA, "86400 5 6", 1 },
	{ "a schema with the same window", TABLE("\"window\": \"24h\""), true, false, true,
	  SETTINGS_SCHEMA, "86400 5 6", 0 },
	{ "a schema on another strategy", TABLE("\"window\": \"1h\""), true, false, false,
	  SETTINGS_SCHEMA, "- 5 6", 0 },
	{ "another table", "{\"tables\": {\"a.c\": {\"window\": \"1h\"}}}", false, false, false,
	  SETTINGS_INFERRED, "- - -", 0 },
};

static void add_schema(struct cluster *c, bool twcs)
{
	struct schema_table *s = arena_alloc(a, sizeof(*s));

	s->keyspace = "a";
	s->name = "b";
	s->settings = (struct settings){
		.origin = SETTINGS_SCHEMA,
		.strategy = twcs ? "TimeWindowCompactionStrategy" : "Other",
		.twcs = twcs,
		.window_s = { DAY, twcs },
		.default_ttl_s = some_i64(5),
		.gc_grace_s = some_i64(6),
		.check_interval_s = 600,
		.enabled = true,
	};
	*vec_add(a, &c->schema.tables) = s;
	c->schema.source = "schema.cql";
}

static const char *opt(struct opt_i64 v)
{
	return v.known ? arena_printf(a, "%lld", (long long)v.v) : "-";
}

static void test_designs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(designs); i++) {
		struct run_options *o = options_of(designs[i].config);
		struct cluster *c = cluster_create(a);
		struct table_stats *s = arena_alloc(a, sizeof(*s));
		const struct table *t;

		s->keyspace = "a";
		s->name = "b";
		s->window_s = (struct opt_i64){ DAY, designs[i].stats };
		*vec_add(a, &cluster_node(c, "n")->table_stats) = s;
		if (designs[i].schema)
			add_schema(c, designs[i].twcs);
		cluster_assemble(c, &o->assemble);
		t = c->nodes.v[0]->tables[0];
		assert_text(designs[i].name,
			    arena_printf(a, "%s %s %s", opt(t->settings.window_s),
					 opt(t->settings.default_ttl_s),
					 opt(t->settings.gc_grace_s)),
			    designs[i].want);
		if (t->settings.twcs != designs[i].twcs || t->settings.origin != designs[i].origin)
			fail_msg("%s: origin %s", designs[i].name,
				 settings_origin_name(t->settings.origin));
		if (c->notes.n != designs[i].n_notes)
			fail_msg("%s: %zu notes", designs[i].name, c->notes.n);
	}
}

static void test_lateness(void **state)
{
	struct run_options *o = options_of(TABLE("\"window\": \"1d\", \"lateness\": \"1h\""));
	struct table *t = build_table(a, NOW, DAY, DAY);
	struct table_design d = table_design_merge(o->assemble.designs, 1, "a.b");

	(void)state;
	table_apply_design(t, &d);
	table_analyse(a, t);
	assert_int_equal(t->lateness_s, 3600);
	assert_int_equal(t->future_tolerance_s, 3600);
	t = build_table(a, NOW, DAY, DAY);
	d.lateness_s = some_i64(60);
	table_apply_design(t, &d);
	table_analyse(a, t);
	assert_int_equal(t->lateness_s, 60);
	assert_int_equal(t->future_tolerance_s, 600);
}

static void test_missing_tables(void **state)
{
	struct run_options *o = options_of("{\"tables\": {\"a.x\": {}, \"a.b\": {}, \"z.*\": {}, "
					   "\"system.batches\": {}}}");
	struct cluster *c = cluster_create(a);
	struct table_stats *s = arena_alloc(a, sizeof(*s));

	(void)state;
	s->keyspace = "a";
	s->name = "b";
	*vec_add(a, &cluster_node(c, "n")->table_stats) = s;
	cluster_assemble(c, &o->assemble);
	config_note_missing(o, c);
	config_note_missing(o, c);
	assert_int_equal(c->notes.n, 1);
	assert_string_equal(c->notes.v[0],
			    "table 'a.x' of the configuration is not in the evidence");
}

/* ---- silences and skipped checks in a run ---- */

/* TTL 51 days in windows of a day: window-count warns; gc_grace over half of the TTL: gc-grace. */
static struct table *design_faults(void)
{
	struct table *t = build_table(a, NOW, DAY, 40 * DAY);

	t->settings.default_ttl_s = some_i64(51 * DAY);
	t->node->cluster->arena = a;
	return t;
}

#define UNTIL(check, day) "{\"check\": \"" check "\", \"until\": \"" day "\", \"reason\": \"r\"}"

static const struct {
	const char *name, *config, *only[2];
	enum severity worst;
	size_t n_silenced, n_skipped, n_results;
	const char *detail; /* of the first finding; NULL = not looked at */
} runs[] = {
	{ "as it is", "{}", { "window-count", "gc-grace" }, SEV_WARNING, 0, 0, 2, NULL },
	{ "one silenced",
	  "{\"silence\": [" UNTIL("gc-grace", "2027-01-01") "]}",
	  { "window-count", "gc-grace" },
	  SEV_WARNING,
	  1,
	  0,
	  2,
	  NULL },
	{ "both silenced",
	  "{\"silence\": [" UNTIL("gc-grace", "2027-01-01") ", " UNTIL("window-count",
								       "2027-01-01") "]}",
	  { "window-count", "gc-grace" },
	  SEV_OK,
	  2,
	  0,
	  2,
	  NULL },
	{ "to the end of the day",
	  "{\"silence\": [" UNTIL("gc-grace", "2026-11-30") "]}",
	  { "gc-grace" },
	  SEV_OK,
	  1,
	  0,
	  1,
	  NULL },
	{ "up to the second",
	  "{\"silence\": [" UNTIL("gc-grace", "2026-11-30T18:00:01Z") "]}",
	  { "gc-grace" },
	  SEV_OK,
	  1,
	  0,
	  1,
	  NULL },
	{ "over",
	  "{\"silence\": [" UNTIL("gc-grace", "2026-11-30T18:00:00Z") "]}",
	  { "gc-grace" },
	  SEV_WARNING,
	  0,
	  0,
	  1,
	  "was silenced until 2026-11-30T18:00:00Z: r" },
	{ "one over, one not",
	  "{\"silence\": [" UNTIL("gc-grace", "2026-11-01") ", " UNTIL("gc-grace",
								       "2027-01-01") "]}",
	  { "gc-grace" },
	  SEV_OK,
	  1,
	  0,
	  1,
	  NULL },
	{ "on another table",
	  "{\"silence\": [{\"check\": \"gc-grace\", \"table\": \"metrics.r\", "
	  "\"until\": \"2027-01-01\", \"reason\": \"r\"}]}",
	  { "gc-grace" },
	  SEV_WARNING,
	  0,
	  0,
	  1,
	  NULL },
	{ "on its keyspace",
	  "{\"silence\": [{\"check\": \"gc-grace\", \"table\": \"metrics.*\", "
	  "\"until\": \"2027-01-01\", \"reason\": \"r\"}]}",
	  { "gc-grace" },
	  SEV_OK,
	  1,
	  0,
	  1,
	  NULL },
	{ "skipped on a table",
	  "{\"tables\": {\"metrics.readings\": {\"skip\": [\"gc-grace\"]}}}",
	  { "window-count", "gc-grace" },
	  SEV_WARNING,
	  0,
	  1,
	  1,
	  NULL },
	{ "skipped on another table",
	  "{\"tables\": {\"metrics.r\": {\"skip\": [\"gc-grace\"]}}}",
	  { "gc-grace" },
	  SEV_WARNING,
	  0,
	  0,
	  1,
	  NULL },
	{ "skipped everywhere, asked for all the same",
	  "{\"skip\": [\"gc-grace\"]}",
	  { "gc-grace" },
	  SEV_WARNING,
	  0,
	  0,
	  1,
	  NULL },
	{ "a table's wins over being asked for",
	  "{\"tables\": {\"*\": {\"skip\": [\"gc-grace\"]}}}",
	  { "gc-grace" },
	  SEV_OK,
	  0,
	  1,
	  0,
	  NULL },
};

static void test_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		struct run_options *o = options_of(runs[i].config);
		struct table *t = design_faults();
		struct report r = { 0 };
		size_t silenced = 0;

		for (size_t k = 0; k < 2 && runs[i].only[k]; k++)
			*vec_add(a, &o->checks.only) = runs[i].only[k];
		table_analyse(a, t);
		run_checks(a, t->node->cluster, &o->checks, &r);
		for (size_t k = 0; k < r.findings.list.n; k++) {
			const struct finding *f = r.findings.list.v[k];

			silenced += f->silenced != NULL;
			if (f->silenced &&
			    (f->severity != SEV_OK || f->silenced_from != SEV_WARNING))
				fail_msg("%s: severity of a silenced finding", runs[i].name);
		}
		if (r.worst != runs[i].worst || silenced != runs[i].n_silenced ||
		    r.skipped.n != runs[i].n_skipped || r.results.n != runs[i].n_results)
			fail_msg("%s: %s, %zu silenced, %zu skipped, %zu results", runs[i].name,
				 severity_name(r.worst), silenced, r.skipped.n, r.results.n);
		if (runs[i].detail)
			assert_text(runs[i].name, r.findings.list.v[0]->details.v[0],
				    runs[i].detail);
	}
}

/* Skipped at the top level: on no table, and told once. */
static void test_skipped_everywhere(void **state)
{
	struct run_options *o = options_of(
		"{\"skip\": [\"gc-grace\", \"window-count\", \"node-state\"]}");
	struct table *t = design_faults();
	struct report r = { 0 };

	(void)state;
	table_analyse(a, t);
	run_checks(a, t->node->cluster, &o->checks, &r);
	assert_int_equal(r.skipped.n, 3);
	assert_string_equal(r.skipped.v[0].check->id, "window-count");
	assert_string_equal(r.skipped.v[1].check->id, "gc-grace");
	assert_string_equal(r.skipped.v[2].check->id, "node-state");
	for (size_t i = 0; i < r.results.n; i++)
		for (size_t k = 0; k < r.skipped.n; k++)
			assert_ptr_not_equal(r.results.v[i].check, r.skipped.v[k].check);
}

/* What could not be looked at is no finding that somebody could have accepted. */
static void test_missing_evidence_stays(void **state)
{
	struct run_options *o = options_of("{\"silence\": [" UNTIL("gc-grace", "2027-01-01") "]}");
	struct table *t = design_faults();
	struct report r = { 0 };

	(void)state;
	*vec_add(a, &o->checks.only) = "gc-grace";
	t->settings = (struct settings){ .origin = SETTINGS_INFERRED, .check_interval_s = 600 };
	table_analyse(a, t);
	run_checks(a, t->node->cluster, &o->checks, &r);
	assert_int_equal(r.worst, SEV_UNKNOWN);
}

static void test_configured_elsewhere(void **state)
{
	struct run_options *o = options_of("{}");
	struct table *t = design_faults();
	struct report r = { 0 };

	(void)state;
	*vec_add(a, &o->checks.only) = "strategy";
	t->settings.twcs = false;
	t->settings.strategy = "SizeTieredCompactionStrategy";
	table_analyse(a, t);
	run_checks(a, t->node->cluster, &o->checks, &r);
	assert_int_equal(r.worst, SEV_OK);
	t->designed = true;
	run_checks(a, t->node->cluster, &o->checks, &r);
	assert_int_equal(r.worst, SEV_WARNING);
}

static int setup(void **state)
{
	(void)state;
	a = arena_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_destroy(a);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_specific_wins),
		TEST(test_thresholds),
		TEST(test_typed_wins),
		TEST(test_designs),
		TEST(test_lateness),
		TEST(test_missing_tables),
		TEST(test_runs),
		TEST(test_skipped_everywhere),
		TEST(test_missing_evidence_stays),
		TEST(test_configured_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
