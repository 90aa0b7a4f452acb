/*
 * Tables for tests, in a few calls: what assemble would have made of the evidence.
 *
 *	struct arena *a = arena_create();
 *	struct table *t = build_table(a, now_s, 86400, 864000);
 *	struct sstable *s = build_sstable(a, t, "nb-1-big", min_ts, max_ts, max_ldt_s);
 *	build_tokens(s, -5, 100);
 *	table_analyse(a, t);
 *
 * The table is on TWCS, of Cassandra 5.0.6, without default TTL, settings from the schema; change
 * what the test is about in place. build_sstable() keeps n_sstables, n_disks and bytes up to date.
 */
#ifndef TWCSCHECK_TEST_MODEL_BUILD_H
#define TWCSCHECK_TEST_MODEL_BUILD_H

#include "model/model.h"

enum { BUILD_SSTABLES_MAX = 256, BUILD_BYTES = 1000 };

/* A cluster with node "cass-01" and table "metrics.readings". */
struct table *build_table(struct arena *a, int64_t now_s, int64_t window_s, int64_t gc_grace_s);

/*
 * An unrepaired SSTable of BUILD_BYTES in data directory 0 with complete metadata; its tokens are
 * not known. Timestamps are raw; max_ldt_s may be TIME_NEVER.
 */
struct sstable *build_sstable(struct arena *a, struct table *t, const char *name, int64_t min_ts,
			      int64_t max_ts, int64_t max_ldt_s);

/* The SSTable's metadata, to be changed before the analysis. */
struct sstable_meta *build_meta(struct sstable *s);

void build_tokens(struct sstable *s, int64_t first, int64_t last);
void build_ttls(struct sstable *s, int64_t min_ttl_s, int64_t max_ttl_s, int64_t min_ldt_s);
/* Moves it to another data directory. */
void build_disk(struct sstable *s, unsigned disk);
void build_bytes(struct sstable *s, struct opt_i64 bytes);
/* Its record is one of sentinels: nothing of it can be used, not even the repair state. */
void build_inconclusive(struct sstable *s);

/* The table's SSTable of that name, which must exist. */
struct sstable *build_find(const struct table *t, const char *name);

#endif
