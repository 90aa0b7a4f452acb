/*
 * The tables of test_checks.c: each the smallest that shows one rule. All are on TWCS with windows
 * of a day unless the name says otherwise. Only test_checks.c includes this.
 */
#ifndef TWCSCHECK_TEST_CHECK_TABLES_H
#define TWCSCHECK_TEST_CHECK_TABLES_H

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

#endif
