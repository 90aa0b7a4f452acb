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

static struct table *t_counted_more(void)
{
	struct table *t = healthy(11);
	struct table_stats *st = arena_alloc(a, sizeof(*st));

	*st = (struct table_stats){ .keyspace = "metrics", .name = "readings",
				    .sstable_count = some_i64(31) };
	t->stats = st;
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

/* ---- checks that read nodetool ---- */

static struct table *with_histograms(double p95, int64_t max_bytes)
{
	struct table *t = healthy(11);
	struct table_histograms *h = arena_alloc(a, sizeof(*h));

	for (int i = 0; i < RANKS; i++)
		h->rows[i] = (struct histogram_row){ .sstables = some_f64(p95),
						     .size_bytes = some_i64(max_bytes),
						     .cells = some_i64(10) };
	t->histograms = h;
	return t;
}

static struct table *t_reads_0(void) { return with_histograms(0, 1000); }
static struct table *t_reads_4(void) { return with_histograms(4, 1000); }
static struct table *t_reads_5(void) { return with_histograms(5, 1000); }
static struct table *t_reads_10(void) { return with_histograms(10, 1000); }
static struct table *t_reads_absurd(void) { return with_histograms(223875792, 1000); }
static struct table *t_size_below(void) { return with_histograms(1, 89970660); }
static struct table *t_size_limit(void) { return with_histograms(1, 107964792); }
static struct table *t_size_over(void) { return with_histograms(1, 129557750); }
static struct table *t_size_far_over(void) { return with_histograms(1, 386857368); }
static struct table *t_size_absurd(void) { return with_histograms(1, 20000000000000); }

static struct table *t_reads_nan(void)
{
	struct table *t = with_histograms(0, 1000);

	((struct table_histograms *)t->histograms)->rows[RANK_P95].sstables.known = false;
	return t;
}

/* Four SSTables of one window with 36 MB of a partition each: 145 MB once compacted, perhaps. */
static struct table *t_size_parts(void)
{
	struct table *t = healthy(11);

	for (size_t i = 0; i < t->n_sstables; i++)
		build_meta(t->sstables[i])->max_partition_bytes = some_i64(1000);
	for (int i = 0; i < 4; i++) {
		struct sstable *s = day(t, arena_printf(a, "nb-%d-big", 100 + i), 1, 10);

		build_meta(s)->max_partition_bytes = some_i64(36157190);
		build_tokens(s, 0, 1000);
	}
	return t;
}

/* One SSTable's size is not known: small as the others are, the largest may be that one's. */
static struct table *t_size_one_unknown(void)
{
	struct table *t = t_size_parts();

	build_meta(build_find(t, "nb-3-big"))->max_partition_bytes.known = false;
	return t;
}

/* ... and tablestats says that it is. */
static struct table *t_size_by_stats(void)
{
	struct table *t = t_size_one_unknown();
	struct table_stats *st = arena_alloc(a, sizeof(*st));

	*st = (struct table_stats){ .keyspace = "metrics", .name = "readings",
				    .partition_max_bytes = some_i64(464228842) };
	t->stats = st;
	return t;
}

static struct table *t_size_parts_apart(void)
{
	struct table *t = t_size_parts();

	for (int i = 0; i < 4; i++)
		build_tokens(build_find(t, arena_printf(a, "nb-%d-big", 100 + i)), 2000 * i,
			     2000 * i + 1000);
	return t;
}

static struct table *with_stats(double average, double max, int64_t snapshots)
{
	struct table *t = healthy(11);
	struct table_stats *st = arena_alloc(a, sizeof(*st));

	*st = (struct table_stats){
		.keyspace = "metrics", .name = "readings", .sstable_count = some_i64(11),
		.bytes_live = some_i64(1000), .bytes_snapshots = some_i64(snapshots),
		.tombstones_average = some_f64(average), .tombstones_max = some_f64(max),
	};
	t->stats = st;
	return t;
}

static struct table *t_tombstones_few(void) { return with_stats(100, 999, 0); }
static struct table *t_tombstones_average(void) { return with_stats(101, 200, 0); }
static struct table *t_tombstones_max(void) { return with_stats(1, 1000, 0); }
static struct table *t_tombstones_critical(void) { return with_stats(1, 50000, 0); }
static struct table *t_snapshots_fifth(void) { return with_stats(0, 0, 200); }
static struct table *t_snapshots_more(void) { return with_stats(0, 0, 210); }

static struct table *t_stats_cut(void)
{
	struct table *t = with_stats(0, 0, 0);

	((struct table_stats *)t->stats)->tombstones_max.known = false;
	return t;
}

static struct table *with_pending(int64_t n, const char *release)
{
	struct table *t = healthy(11);

	t->node->release = release;
	t->node->have |= EV_COMPACTIONSTATS;
	t->node->compactions = arena_alloc(a, sizeof(*t->node->compactions));
	t->node->compactions->pending = some_i64(n);
	return t;
}

static struct table *t_pending_0(void) { return with_pending(0, "5.0.6"); }
static struct table *t_pending_20(void) { return with_pending(20, "5.0.6"); }
static struct table *t_pending_21(void) { return with_pending(21, "5.0.6"); }
static struct table *t_pending_absurd(void) { return with_pending(858255, "5.0.6"); }
static struct table *t_pending_phantom(void) { return with_pending(1, "3.11.5"); }
static struct table *t_pending_one(void) { return with_pending(1, "3.11.6"); }

static struct table *with_pending_repair(const char *id)
{
	struct table *t = healthy(11);

	build_meta(build_find(t, "nb-5-big"))->pending_repair = id;
	return t;
}

/* Time UUIDs of four days and of one hour before NOW. */
static struct table *t_repair_old(void)
{
	return with_pending_repair("327ad000-e9c3-11f1-8000-000000000000");
}
static struct table *t_repair_new(void)
{
	return with_pending_repair("7a5d6800-ecdf-11f1-8000-000000000000");
}
static struct table *t_repair_no_uuid(void) { return with_pending_repair("x"); }

static struct table *t_repaired_some(void)
{
	struct table *t = healthy(11);

	build_meta(build_find(t, "nb-5-big"))->repaired_at_ms = 1;
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
		cmocka_unit_test(test_order), cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
