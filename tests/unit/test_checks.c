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

#include "check_tables.h"

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
	{ "blocked-windows", "tablestats counts many more", t_counted_more, SEV_UNKNOWN },
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
	{ "partition-size", "healthy, below", t_size_below, SILENT },
	{ "partition-size", "bucket of 100 MB", t_size_limit, SEV_OK },
	{ "partition-size", "surely over 100 MB", t_size_over, SEV_WARNING },
	{ "partition-size", "surely over 300 MB", t_size_far_over, SEV_CRITICAL },
	{ "partition-size", "implausible", t_size_absurd, SEV_UNKNOWN },
	{ "partition-size", "four parts", t_size_parts, SEV_OK },
	{ "partition-size", "one not known", t_size_one_unknown, SEV_UNKNOWN },
	{ "partition-size", "one not known, tablestats is", t_size_by_stats, SEV_CRITICAL },
	{ "partition-size", "four parts of different keys", t_size_parts_apart, SILENT },
	{ "sstables-per-read", "not read", t_reads_0, SILENT },
	{ "sstables-per-read", "4", t_reads_4, SILENT },
	{ "sstables-per-read", "5", t_reads_5, SEV_WARNING },
	{ "sstables-per-read", "10", t_reads_10, SEV_CRITICAL },
	{ "sstables-per-read", "implausible", t_reads_absurd, SEV_UNKNOWN },
	{ "sstables-per-read", "cut", t_reads_nan, SEV_UNKNOWN },
	{ "sstables-per-read", "no evidence", t_healthy, SEV_UNKNOWN },
	{ "tombstones", "few", t_tombstones_few, SILENT },
	{ "tombstones", "101 on average", t_tombstones_average, SEV_WARNING },
	{ "tombstones", "1000 at most", t_tombstones_max, SEV_WARNING },
	{ "tombstones", "50000 at most", t_tombstones_critical, SEV_CRITICAL },
	{ "tombstones", "cut", t_stats_cut, SEV_UNKNOWN },
	{ "snapshots", "a fifth", t_snapshots_fifth, SILENT },
	{ "snapshots", "more", t_snapshots_more, SEV_WARNING },
	{ "snapshots", "no evidence", t_healthy, SEV_UNKNOWN },
	{ "compaction-backlog", "none", t_pending_0, SILENT },
	{ "compaction-backlog", "20", t_pending_20, SEV_OK },
	{ "compaction-backlog", "21", t_pending_21, SEV_WARNING },
	{ "compaction-backlog", "implausible", t_pending_absurd, SEV_UNKNOWN },
	{ "compaction-backlog", "one before 3.11.6", t_pending_phantom, SILENT },
	{ "compaction-backlog", "one since 3.11.6", t_pending_one, SEV_OK },
	{ "compaction-backlog", "no evidence", t_healthy, SEV_UNKNOWN },
	{ "repair-mix", "all unrepaired", t_healthy, SILENT },
	{ "repair-mix", "some repaired", t_repaired_some, SEV_OK },
	{ "repair-mix", "pending for days", t_repair_old, SEV_WARNING },
	{ "repair-mix", "pending for an hour", t_repair_new, SEV_OK },
	{ "repair-mix", "pending, no time UUID", t_repair_no_uuid, SEV_OK },
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
			fail_msg("%s, %s: severity %d, expected %d: %s", cases[i].check,
				 cases[i].name, got, cases[i].severity,
				 r.findings.list.n ? r.findings.list.v[0]->summary : "silent");
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
	*vec_add(a, &o.overrides) = (struct threshold_override){ .check = "window-count",
								 .warn = "7:60" };
	assert_true(run_checks_validate(a, &o, &err));
	table_analyse(a, t);
	run_checks(a, t->node->cluster, &o, &r);
	assert_int_equal(r.worst, SEV_OK);
	assert_int_equal(r.results.n, 1);
	*vec_add(a, &o.overrides) = (struct threshold_override){ .check = "window-count",
								 .param = "windows",
								 .crit = "~:10" };
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
	assert_int_equal(told, 2);	/* of the node, and of the cluster's checks */
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

/* A node that could not be asked has no clock, and its node.json's time is none. */
static void test_clocks(void **state)
{
	const struct assemble_options none = { 0 };
	struct run_checks_options o = { .wall_clock_s = 9000 };
	struct report r = { 0 }, alone = { 0 };
	struct cluster *c;
	struct node *told, *dead;

	(void)state;
	a = arena_create();
	c = cluster_create(a);
	told = cluster_node(c, "told");
	told->newest_mtime_s = some_i64(5000);
	node_record_evidence(told, EV_TABLESTATS, NULL, EVIDENCE_PARTIAL, "cut off");
	node_set_clock(told, &none);
	assert_string_equal(told->clock_from, "newest file");
	dead = cluster_node(c, "dead");
	dead->newest_mtime_s = some_i64(7000);
	node_record_evidence(dead, EV_NODE, NULL, EVIDENCE_OK, NULL);
	node_record_evidence(dead, EV_TABLESTATS, NULL, EVIDENCE_FAILED, "refused");
	node_set_clock(dead, &none);
	assert_null(dead->clock_from);
	run_checks(a, c, &o, &r);
	assert_int_equal(r.now_s, 5000);
	assert_string_equal(r.now_from, "newest file");
	c->nodes.v[0] = dead;
	c->nodes.n = 1;
	run_checks(a, c, &o, &alone);
	assert_int_equal(alone.now_s, 9000);
	assert_string_equal(alone.now_from, "this machine");
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

			assert_true(!p->warn ||
				    range_parse(a, (struct slice){ p->warn, strlen(p->warn) },
						p->unit, &r, &why));
			assert_true(!p->crit ||
				    range_parse(a, (struct slice){ p->crit, strlen(p->crit) },
						p->unit, &r, &why));
		}
	}
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_overrides),
		cmocka_unit_test(test_validation), cmocka_unit_test(test_max_age),
		cmocka_unit_test(test_order), cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
