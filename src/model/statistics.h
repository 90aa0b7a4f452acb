/*
 * Everything that one SSTable's Statistics.db says, decoded but not interpreted.
 *
 * parse/ fills it, render/metadata.c prints it, and the few numbers that the analysis wants go into
 * a struct sstable_meta. Byte strings (keys, clusterings, type names) are borrowed from the file's
 * bytes and live as long as those; arrays live in the arena. What a version does not store is
 * unknown or has `has_…` false.
 * Sources: Cassandra MetadataSerializer, StatsMetadata, ValidationMetadata, CompactionMetadata,
 * SerializationHeader, 2.0 to 5.0; ScyllaDB sstables/types.hh.
 */
#ifndef TWCSCHECK_STATISTICS_H
#define TWCSCHECK_STATISTICS_H

#include "base/arena.h"
#include "base/slice.h"
#include "model/facts.h"

enum statistics_component {
	COMPONENT_VALIDATION, COMPONENT_COMPACTION, COMPONENT_STATS, COMPONENT_HEADER,
	COMPONENTS_MAX,
};

struct toc_entry { enum statistics_component type; int32_t offset; };	/* from the file's start */

struct log_position { int64_t segment; int32_t offset; };
struct log_interval { struct log_position start, end; };

/* A bin of the tombstone drop-time histogram; old files have averages of bins with fractions. */
struct drop_time {
	bool whole;		/* whole_s holds; otherwise point_s alone does */
	int64_t whole_s;
	double point_s;
	int64_t count;
};

struct uuid { bool known; unsigned char bytes[16]; };

struct slices { struct slice *v; size_t n; };

/* A bound of the covered clusterings; a value with p == NULL is null. */
struct clustering_bound { unsigned kind; struct slices values; };

struct column { struct slice name, type; };
struct columns { struct column *v; size_t n; };

/* Encoding bases, not statistics: of no use for expiry. */
struct serialization_header {
	int64_t min_timestamp, min_local_deletion_time_s;
	int32_t min_ttl_s;
	struct slice key_type;
	struct slices clustering_types;
	struct columns static_columns, regular_columns;
};

struct statistics_stats {
	struct histogram partition_sizes, cell_counts;
	struct log_position log_upper, log_lower;
	struct log_interval *log_intervals;
	size_t n_log_intervals;
	bool has_log_lower, has_log_intervals;
	int64_t min_ts, max_ts;			/* raw */
	struct opt_i64 min_ldt_s;		/* TIME_NEVER = never */
	int64_t max_ldt_s;			/* TIME_NEVER = never */
	struct opt_i64 min_ttl_s, max_ttl_s;
	double compression_ratio;		/* -1 = not compressed */
	int32_t drop_times_max_bins;
	struct drop_time *drop_times;
	size_t n_drop_times;
	int32_t level;
	int64_t repaired_at_ms;			/* 0 = unrepaired */
	bool has_min_max_clustering;
	struct slices min_clustering, max_clustering;
	bool has_counter_shards_flag, legacy_counter_shards;
	struct opt_i64 columns_set, rows;	/* -1 in the file: unknown to its writer */
	struct uuid pending_repair, host_id;
	bool has_pending_repair, has_host_id;	/* the version stores them */
	bool is_transient, no_transient_flag;	/* the latter: a pre-release "na" file */
	bool has_covered_slice;
	struct slices clustering_types;
	struct clustering_bound covered_start, covered_end;
	bool has_partition_deletions_flag, partition_deletions;
	bool has_key_range;
	struct slice first_key, last_key;
	bool has_token_coverage;
	double token_coverage;			/* NaN = unknown */
	size_t padding;				/* zero bytes at the end, "oa" and "da" */
};

/* A token in its partitioner's form. */
enum token_kind { TOKEN_UNKNOWN, TOKEN_MURMUR3, TOKEN_RANDOM, TOKEN_BYTES };
struct token {
	enum token_kind kind;
	int64_t murmur3;
	char random[41];	/* RandomPartitioner: decimal, up to 2^127 */
	struct slice bytes;	/* ByteOrderedPartitioner: the key itself */
};

/* What a Summary.db or Partitions.db says of its SSTable. */
enum keys_source { KEYS_NONE, KEYS_STATISTICS, KEYS_SUMMARY, KEYS_PARTITIONS };
struct keys_db {
	enum keys_source source;
	struct slice first, last;
	int32_t min_index_interval, entries;	/* KEYS_SUMMARY */
	size_t trailing;			/* KEYS_SUMMARY: bytes after the keys */
	int64_t partitions;			/* KEYS_PARTITIONS */
};

struct statistics_db {
	struct slice file;		/* "nb-1-big-Statistics.db" */
	struct slice base;		/* "nb-1-big" */
	struct slice version, generation, format;
	size_t bytes;			/* of the file */
	bool flat;			/* "ja", "jb": one record, no table of contents */
	struct toc_entry toc[COMPONENTS_MAX];	/* in file order */
	size_t n_toc;
	bool has[COMPONENTS_MAX];

	struct slice partitioner;	/* full class name; n = 0: no validation component */
	double bloom_filter_chance;	/* -1 or 1: the filter is off */

	bool has_ancestors, stray_ancestors;
	int32_t *ancestors;
	size_t n_ancestors;
	struct slice cardinality;	/* the HyperLogLog++ sketch */

	struct statistics_stats stats;
	struct serialization_header header;
};

/* ---- derived numbers (statistics.c) ---- */

/* All counts together, the overflow's too; saturates. */
uint64_t histogram_total(const struct histogram *h);
/* Lowest value that the first non-empty bucket can hold; 0 when all are empty. */
int64_t histogram_min(const struct histogram *h);
/* Upper bound of the last non-empty bucket; INT64_MAX when the overflow is not empty. */
int64_t histogram_max(const struct histogram *h);
/*
 * Mean of the buckets' upper bounds, rounded up, without the overflow; 0 when all are empty.
 * Unknown when the sum is beyond 64 bits. Source: Cassandra EstimatedHistogram.mean.
 */
struct opt_i64 histogram_mean(const struct histogram *h);
/*
 * Upper bound of the first bucket up to which a share of `p` (0 to 1) of all lies. Unknown when
 * the overflow is not empty. Source: Cassandra EstimatedHistogram.percentile.
 */
struct opt_i64 histogram_percentile(const struct histogram *h, double p);
/* The same for n shares, rising; in one walk over the buckets. */
void histogram_percentiles(const struct histogram *h, const double *p, size_t n,
			   struct opt_i64 *out);

/*
 * Share of an SSTable's cells that are tombstones or expired before `gc_before_s`, as the tools
 * estimate it; it can exceed 1. Bins at 2147483647 (never; an old writer's mistake) do not count.
 * Unknown when the histograms do not allow it.
 * Source: Cassandra SSTableReader / StatsMetadata.getEstimatedDroppableTombstoneRatio,
 * StreamingHistogram.sum.
 */
struct opt_f64 statistics_droppable_ratio(const struct statistics_stats *s, int64_t gc_before_s);

/* "6c5e4884-8fe7-4c78-8a7a-1ebc58487def" in `room`, or NULL when it is unknown. */
enum { UUID_TEXT = 37 };
const char *uuid_format(const struct uuid *u, char room[UUID_TEXT]);

#endif
