/*
 * Each check on small tables: what makes it speak, at which severity, and what leaves it silent.
 * The tables are the smallest that show the rule; the recordings show the whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "finding/finding.h"
#include "model_build.h"

enum { DAY = 86400, NOW = 1796061600 };	/* 2026-11-30T18:00:00Z */
enum { SILENT = -1 };

static struct arena *a;

/* An SSTable of one day's data, `age` days old, with the table's TTL of `ttl` days. */
static struct sstable *day(struct table *t, const char *name, int age, int ttl)
{
	int64_t max = NOW - (int64_t)age * DAY, min = max - 3600;
	struct sstable *s = build_sstable(a, t, name, min * 1000000, max * 1000000,
					  max + (int64_t)ttl * DAY);

	build_ttls(s, (int64_t)ttl * DAY, (int64_t)ttl * DAY, min + (int64_t)ttl * DAY);
	return s;
}

/* Windows of a day, TTL 10 days, gc_grace 1 day; the days 0 to `days` - 1 ago. */
static struct table *healthy(int days)
{
	struct table *t = build_table(a, NOW, DAY, DAY);

	t->settings.default_ttl_s = some_i64(10 * DAY);
	for (int i = days - 1; i >= 0; i--)
		day(t, arena_printf(a, "nb-%d-big", days - i), i, 10);
	return t;
}

/* Something written `written` days ago with a timestamp of `age` days ago. */
static struct sstable *late(struct table *t, int age, int written)
{
	struct sstable *s = day(t, "nb-99-big", written, 10);
	struct sstable_meta *m = build_meta(s);

	m->min_ts = some_i64((NOW - (int64_t)age * DAY) * 1000000);
	return s;
}

static struct table *t_healthy(void)
{
	return healthy(11);
}

static struct table *t_blocked(void)
{
	struct table *t = healthy(15);

	late(t, 14, 2);
	return t;
}

static struct table *t_blocked_little(void)
{
	struct table *t = t_blocked();

	build_bytes(day(t, "nb-50-big", 1, 10), some_i64(1000000));
	return t;
}

static struct table *t_never(void)
{
	struct table *t = healthy(15);

	build_meta(build_find(t, "nb-2-big"))->max_ldt_s = some_i64(TIME_NEVER);
	build_ttls(build_find(t, "nb-2-big"), 0, 10 * DAY, NOW - 3 * DAY);
	return t;
}

/* Late by a little more than a day, and no window waits longer than its neighbour anyway. */
static struct table *t_late_harmless(void)
{
	struct table *t = healthy(8);
	struct sstable *s = day(t, "nb-99-big", 2, 10);

	build_meta(s)->min_ts = some_i64((NOW - 3LL * DAY - 7200) * 1000000);
	build_meta(s)->min_ldt_s = some_i64(NOW - 2LL * DAY - 1800 + 10LL * DAY);
	return t;
}

static struct table *t_late_twice(void)
{
	struct table *t = t_late_harmless();
	struct sstable *s = day(t, "nb-98-big", 1, 10);

	build_meta(s)->min_ts = some_i64((NOW - 2LL * DAY - 7200) * 1000000);
	build_meta(s)->min_ldt_s = some_i64(NOW - 1LL * DAY - 1800 + 10LL * DAY);
	return t;
}

static struct table *t_droppable_fresh(void)
{
	struct table *t = healthy(11);
	struct sstable *s = day(t, "nb-50-big", 11, 10);

	build_meta(s)->max_ldt_s = some_i64(NOW - DAY - 600);
	return t;
}

static struct table *t_droppable_hours(void)
{
	struct table *t = t_droppable_fresh();

	build_meta(build_find(t, "nb-50-big"))->max_ldt_s = some_i64(NOW - DAY - 7200);
	return t;
}

static struct table *t_droppable_days(void)
{
	return healthy(15);
}

static struct table *t_longer_ttl(void)
{
	struct table *t = healthy(11);

	build_ttls(build_find(t, "nb-3-big"), 10 * DAY, 90 * DAY, NOW);
	return t;
}

static struct table *t_shorter_ttl(void)
{
	struct table *t = healthy(11);

	build_ttls(build_find(t, "nb-3-big"), DAY, 10 * DAY, NOW);
	return t;
}

static struct table *t_millis(void)
{
	struct table *t = healthy(11);

	build_meta(build_find(t, "nb-3-big"))->min_ts = some_i64(1795000000000);
	return t;
}

static struct table *t_hour_ahead(void)
{
	struct table *t = healthy(11);

	build_meta(build_find(t, "nb-11-big"))->max_ts = some_i64((NOW + 3600LL) * 1000000);
	return t;
}

static struct table *t_minutes_ahead(void)
{
	struct table *t = healthy(11);

	build_meta(build_find(t, "nb-11-big"))->max_ts = some_i64((NOW + 600LL) * 1000000);
	return t;
}

static struct table *t_years_ahead(void)
{
	struct table *t = healthy(11);

	build_meta(build_find(t, "nb-3-big"))->max_ts = some_i64((NOW + 3650LL * DAY) * 1000000);
	return t;
}

static struct table *with_copies(int extra)	/* bound: 12 windows kept + 9 = 21 */
{
	struct table *t = healthy(11);

	for (int i = 0; i < extra; i++)
		day(t, arena_printf(a, "nb-%d-big", 100 + i), i % 10, 10);
	return t;
}

static struct table *t_count_bound(void)
{
	return with_copies(20);		/* 31 of 21: 1.48 */
}

static struct table *t_count_warning(void)
{
	return with_copies(22);		/* 33 of 21: 1.57 */
}

static struct table *t_count_critical(void)
{
	return with_copies(53);		/* 64 of 21: 3.05 */
}

static struct table *t_open_windows(void)	/* ages 4 to 6 have two each */
{
	struct table *t = healthy(60);

	t->settings.default_ttl_s = some_i64(60 * DAY);
	for (int i = 4; i <= 6; i++)
		day(t, arena_printf(a, "nb-%d-big", 100 + i), i, 60);
	return t;
}

static struct table *t_open_windows_many(void)
{
	struct table *t = healthy(11);

	for (int i = 4; i <= 7; i++)
		day(t, arena_printf(a, "nb-%d-big", 100 + i), i, 10);
	return t;
}

static struct table *t_open_windows_two_disks(void)
{
	struct table *t = t_open_windows();

	for (int i = 4; i <= 6; i++)
		build_disk(build_find(t, arena_printf(a, "nb-%d-big", 100 + i)), 1);
	return t;
}

static struct table *with_ttl(int days)
{
	struct table *t = build_table(a, NOW, DAY, DAY);

	t->settings.default_ttl_s = some_i64((int64_t)days * DAY);
	return t;
}

static struct table *t_ttl_6(void) { return with_ttl(6); }
static struct table *t_ttl_7(void) { return with_ttl(7); }
static struct table *t_ttl_50(void) { return with_ttl(50); }
static struct table *t_ttl_51(void) { return with_ttl(51); }
static struct table *t_ttl_201(void) { return with_ttl(201); }

static struct table *t_no_default(void)
{
	struct table *t = healthy(11);

	t->settings.default_ttl_s = some_i64(0);
	return t;
}

static struct table *t_no_default_no_ttl(void)
{
	struct table *t = t_no_default();

	build_ttls(build_find(t, "nb-3-big"), 0, 0, TIME_NEVER);
	return t;
}

static struct table *t_purge_repaired(void)
{
	struct table *t = healthy(15);

	t->settings.only_purge_repaired = true;
	return t;
}

static struct table *t_unsafe(void)
{
	struct table *t = healthy(11);

	t->settings.unsafe_aggressive = true;
	return t;
}

static struct table *t_window_over_ttl(void)
{
	struct table *t = with_ttl(10);

	t->settings.window_s = some_i64(11 * DAY);
	return t;
}

static struct table *t_not_twcs(void)
{
	struct table *t = healthy(11);

	t->settings.strategy = "SizeTieredCompactionStrategy";
	t->settings.twcs = false;
	t->settings.window_s.known = false;
	return t;
}

static struct table *t_grace_half(void)
{
	struct table *t = with_ttl(20);

	t->settings.gc_grace_s = some_i64(10 * DAY);
	return t;
}

static struct table *t_grace_more(void)
{
	struct table *t = with_ttl(19);

	t->settings.gc_grace_s = some_i64(10 * DAY);
	return t;
}

static struct table *t_grace_short(void)
{
	struct table *t = with_ttl(20);

	t->settings.gc_grace_s = some_i64(10799);
	t->replicas = some_i64(3);
	return t;
}

static struct table *t_grace_short_rf1(void)
{
	struct table *t = t_grace_short();

	t->replicas = some_i64(1);
	return t;
}

static struct table *t_unknown_strategy(void)
{
	struct table *t = healthy(15);

	t->settings = (struct settings){ .origin = SETTINGS_INFERRED, .check_interval_s = 600 };
	return t;
}

static struct table *t_one_unreadable(void)
{
	struct table *t = healthy(11);

	build_inconclusive(build_find(t, "nb-4-big"));
	return t;
}

static struct table *t_no_metadata(void)
{
	struct table *t = with_ttl(10);

	t->listed = false;
	t->evidence = EV_SCHEMA;
	return t;
}

static struct table *t_empty(void)
{
	return with_ttl(10);
}

static struct table *t_compaction_off(void)
{
	struct table *t = healthy(11);

	t->autocompaction = some_i64(0);
	return t;
}

static const struct {
	const char *check, *name;
	struct table *(*make)(void);
	int severity;
} cases[] = {
	{ "blocked-windows", "healthy", t_healthy, SILENT },
	{ "blocked-windows", "late row, a third held", t_blocked, SEV_CRITICAL },
	{ "blocked-windows", "late row, little held", t_blocked_little, SEV_WARNING },
	{ "blocked-windows", "held by something that never expires", t_never, SEV_CRITICAL },
	{ "blocked-windows", "purge repaired only", t_purge_repaired, SEV_CRITICAL },
	{ "blocked-windows", "strategy unknown", t_unknown_strategy, SEV_UNKNOWN },
	{ "blocked-windows", "one SSTable unreadable", t_one_unreadable, SEV_UNKNOWN },
	{ "blocked-windows", "no metadata", t_no_metadata, SEV_UNKNOWN },
	{ "blocked-windows", "no SSTables", t_empty, SILENT },
	{ "blocked-windows", "not on TWCS", t_not_twcs, SILENT },
	{ "future-blocks", "healthy", t_healthy, SILENT },
	{ "future-blocks", "late row", t_blocked, SEV_WARNING },
	{ "future-blocks", "late row, much live data", t_blocked_little, SEV_OK },
	{ "late-writes", "healthy", t_healthy, SILENT },
	{ "late-writes", "makes windows late", t_blocked, SEV_WARNING },
	{ "late-writes", "harmless, once", t_late_harmless, SEV_OK },
	{ "late-writes", "in two of three windows", t_late_twice, SEV_WARNING },
	{ "expired-not-dropped", "ten minutes", t_droppable_fresh, SILENT },
	{ "expired-not-dropped", "two hours", t_droppable_hours, SEV_WARNING },
	{ "expired-not-dropped", "days", t_droppable_days, SEV_CRITICAL },
	{ "never-expires", "healthy", t_healthy, SILENT },
	{ "never-expires", "one of fifteen", t_never, SEV_WARNING },
	{ "mixed-ttl", "healthy", t_healthy, SILENT },
	{ "mixed-ttl", "longer", t_longer_ttl, SEV_WARNING },
	{ "mixed-ttl", "shorter", t_shorter_ttl, SEV_OK },
	{ "timestamps", "healthy", t_healthy, SILENT },
	{ "timestamps", "milliseconds", t_millis, SEV_WARNING },
	{ "timestamps", "ten minutes ahead", t_minutes_ahead, SILENT },
	{ "timestamps", "an hour ahead", t_hour_ahead, SEV_WARNING },
	{ "timestamps", "ten years ahead", t_years_ahead, SEV_CRITICAL },
	{ "timestamps", "not on TWCS", t_not_twcs, SILENT },
	{ "sstable-count", "healthy", t_healthy, SILENT },
	{ "sstable-count", "1.48 times", t_count_bound, SILENT },
	{ "sstable-count", "1.57 times", t_count_warning, SEV_WARNING },
	{ "sstable-count", "3.05 times", t_count_critical, SEV_CRITICAL },
	{ "window-compaction", "healthy", t_healthy, SILENT },
	{ "window-compaction", "three of sixty", t_open_windows, SEV_WARNING },
	{ "window-compaction", "four of seven", t_open_windows_many, SEV_CRITICAL },
	{ "window-compaction", "one in each directory", t_open_windows_two_disks, SILENT },
	{ "window-count", "6", t_ttl_6, SEV_WARNING },
	{ "window-count", "7", t_ttl_7, SILENT },
	{ "window-count", "50", t_ttl_50, SILENT },
	{ "window-count", "51", t_ttl_51, SEV_WARNING },
	{ "window-count", "201", t_ttl_201, SEV_CRITICAL },
	{ "strategy", "healthy", t_healthy, SILENT },
	{ "strategy", "no default TTL, all with TTL", t_no_default, SEV_OK },
	{ "strategy", "no default TTL, one without", t_no_default_no_ttl, SEV_WARNING },
	{ "strategy", "purge repaired only", t_purge_repaired, SEV_CRITICAL },
	{ "strategy", "unsafe", t_unsafe, SEV_WARNING },
	{ "strategy", "window over TTL", t_window_over_ttl, SEV_WARNING },
	{ "strategy", "TTLs on another strategy", t_not_twcs, SEV_OK },
	{ "strategy", "unknown", t_unknown_strategy, SEV_UNKNOWN },
	{ "gc-grace", "half", t_grace_half, SILENT },
	{ "gc-grace", "over half", t_grace_more, SEV_WARNING },
	{ "gc-grace", "below the hint window", t_grace_short, SEV_WARNING },
	{ "gc-grace", "below the hint window, one replica", t_grace_short_rf1, SILENT },
	{ "node-state", "compaction off", t_compaction_off, SEV_WARNING },
	{ "node-state", "no status", t_healthy, SEV_UNKNOWN },
};

static int run_case(const char *check, struct table *t, struct report *r)
{
	struct run_checks_options o = { 0 };
	int worst = SILENT;

	*vec_add(a, &o.only) = check;
	table_analyse(a, t);
	run_checks(a, t->node->cluster, &o, r);
	for (size_t i = 0; i < r->findings.list.n; i++) {
		const struct finding *f = r->findings.list.v[i];

		assert_non_null(f->summary);
		assert_true(strlen(f->summary) < 400);
		assert_null(strchr(f->summary, '\n'));
		if ((int)f->severity > worst)
			worst = (int)f->severity;
	}
	return worst;
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct report r = { 0 };
		int got;

		a = arena_create();
		got = run_case(cases[i].check, cases[i].make(), &r);
		if (got != cases[i].severity)
			fail_msg("%s, %s: severity %d, expected %d: %s", cases[i].check, cases[i].name, got,
				 cases[i].severity, r.findings.list.n ? r.findings.list.v[0]->summary : "silent");
		arena_destroy(a);
	}
}

static void test_overrides(void **state)
{
	struct run_checks_options o = { 0 };
	struct report r = { 0 };
	struct err err = { 0 };
	struct table *t;

	(void)state;
	a = arena_create();
	t = t_ttl_51();
	*vec_add(a, &o.only) = "window-count";
	*vec_add(a, &o.overrides) = (struct threshold_override){ .check = "window-count", .warn = "7:60" };
	assert_true(run_checks_validate(a, &o, &err));
	table_analyse(a, t);
	run_checks(a, t->node->cluster, &o, &r);
	assert_int_equal(r.worst, SEV_OK);
	assert_int_equal(r.results.n, 1);
	*vec_add(a, &o.overrides) = (struct threshold_override){ .check = "window-count",
								 .param = "windows", .crit = "~:10" };
	r = (struct report){ 0 };
	run_checks(a, t->node->cluster, &o, &r);
	assert_int_equal(r.worst, SEV_CRITICAL);
	arena_destroy(a);
}

static void test_validation(void **state)
{
	static const struct { struct threshold_override o; const char *says; } bad[] = {
		{ { .check = "window-cuont", .warn = "1" }, "window-count" },
		{ { .check = "gc-grace", .param = "shar", .warn = "1" }, "share, minimum" },
		{ { .check = "gc-grace", .warn = "1MB" }, "1MB" },
		{ { .check = "node-skew", .crit = "5:1" }, "above the end" },
	};

	(void)state;
	a = arena_create();
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct run_checks_options o = { 0 };
		struct err err = { 0 };

		*vec_add(a, &o.overrides) = bad[i].o;
		assert_false(run_checks_validate(a, &o, &err));
		if (!strstr(err.text, bad[i].says))
			fail_msg("'%s' does not say '%s'", err.text, bad[i].says);
	}
	arena_destroy(a);
}

/* Older evidence than --max-age must not stay OK. */
static void test_max_age(void **state)
{
	struct run_checks_options o = { .max_age_s = some_i64(3600), .wall_clock_s = NOW + 3601 };
	struct report r = { 0 };
	struct table *t;
	int told = 0;

	(void)state;
	a = arena_create();
	t = t_healthy();
	table_analyse(a, t);
	run_checks(a, t->node->cluster, &o, &r);
	assert_int_equal(r.worst, SEV_UNKNOWN);
	for (size_t i = 0; i < r.findings.list.n; i++)
		told += strstr(r.findings.list.v[i]->summary, "old, more than 1 h") != NULL;
	assert_int_equal(told, 1);
	arena_destroy(a);
}

/* Worst first, whatever the order they were made in. */
static void test_order(void **state)
{
	struct run_checks_options o = { 0 };
	struct report r = { 0 };
	struct table *t;

	(void)state;
	a = arena_create();
	t = t_blocked();
	table_analyse(a, t);
	run_checks(a, t->node->cluster, &o, &r);
	assert_true(r.findings.list.n > 3);
	for (size_t i = 1; i < r.findings.list.n; i++)
		assert_true(r.findings.list.v[i - 1]->severity >= r.findings.list.v[i]->severity);
	assert_int_equal(r.worst, r.findings.list.v[0]->severity);
	arena_destroy(a);
}

/* The table of checks is what users see: ids, texts, thresholds that parse. */
static void test_table(void **state)
{
	(void)state;
	a = arena_create();
	for (size_t i = 0; check_table[i]; i++) {
		const struct check *c = check_table[i];

		assert_ptr_equal(check_find(c->id), c);
		assert_true(strlen(c->explain) > 500 && strlen(c->title) > 10);
		for (const struct check_param *p = c->params; p && p->name; p++) {
			const char *why = NULL;
			struct range r;

			assert_true(!p->warn || range_parse(a, (struct slice){ p->warn, strlen(p->warn) }, p->unit, &r, &why));
			assert_true(!p->crit || range_parse(a, (struct slice){ p->crit, strlen(p->crit) }, p->unit, &r, &why));
		}
	}
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_overrides),
		cmocka_unit_test(test_validation), cmocka_unit_test(test_max_age),
		cmocka_unit_test(test_order), cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
