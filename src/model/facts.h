/*
 * Facts: what the parsers take out of the evidence, one struct per kind, still as printed.
 *
 * Parsers append to the lists of `struct node` and `struct cluster`; model/assemble.c makes tables
 * of them. Sizes are bytes, times seconds unless the name says otherwise. What was not printed is
 * unknown, never 0. All strings live in the run's arena.
 */
#ifndef TWCSCHECK_FACTS_H
#define TWCSCHECK_FACTS_H

#include "base/arena.h"

/* ---- sstablemetadata, Statistics.db ---- */

enum metadata_state {
	METADATA_NONE, /* no record of it */
	METADATA_INCONCLUSIVE, /* sentinels: Statistics.db missing, or nothing recorded */
	METADATA_PARTIAL, /* cut off, or a release that does not print all of it */
	METADATA_COMPLETE,
};

struct histogram {		/* estimated histogram: bucket i counts (offset[i-1], offset[i]] */
	size_t n;		/* buckets; the last one is the overflow */
	const int64_t *offset;	/* n - 1 upper bounds */
	const uint64_t *count;	/* n counts */
};

/* One SSTable's metadata, from either form. */
struct sstable_meta {
	const char *path;	/* as printed, without component: "/…/readings-<id>/nb-16-big" */
	const char *name;	/* "nb-16-big" */
	const char *directory;	/* path of its folder, NULL when none was printed */
	const char *keyspace;	/* from the path or the evidence; NULL = not known */
	const char *table_dir;	/* "readings-<id>"; NULL = not known */
	unsigned disk;		/* number of its data directory, when the evidence tells it */
	bool disk_known;
	enum metadata_state state;
	bool vanished;		/* the tool said that there is no such file */
	bool native;		/* from Statistics.db */
	/* sstableexpiredblockers' word: timestamps and max_ldt_s, nothing else; a last resort */
	bool hearsay;
	struct opt_i64 min_ts, max_ts;		/* raw, in the table's timestamp_resolution */
	struct opt_i64 min_ldt_s, max_ldt_s;	/* local deletion time; TIME_NEVER = never */
	struct opt_i64 min_ttl_s, max_ttl_s;	/* 0 = something without TTL */
	struct opt_i64 first_token, last_token;	/* Murmur3 only; unknown = may overlap anything */
	struct opt_i64 level;
	bool repair_known;	/* the two below were printed (pending: 4.0 and later) */
	int64_t repaired_at_ms;	/* 0 = unrepaired */
	const char *pending_repair;	/* session id, NULL = none */
	const char *host_id;	/* originating host id, NULL = not recorded */
	const char *partitioner;	/* full class name, NULL = not printed */
	struct opt_f64 compression_ratio; /* compressed / uncompressed; unknown = not compressed */
	struct opt_f64 droppable_ratio;		/* the tool's estimate with its own gc_grace of 0 */
	struct opt_i64 rows, columns_set;
	struct histogram partition_sizes, cell_counts;	/* n = 0: not read */
	struct opt_i64 max_partition_bytes;	/* upper bound of the largest partition's bucket */
	const char *source;	/* evidence it came from, for messages */
	unsigned line;		/* first line of its record, 0 for a binary file */
	const char *problem;	/* why it is not complete; NULL when it is */
};

/* ---- listing.tsv ---- */

struct listed_sstable {
	const char *name;	/* "nb-16-big" */
	int64_t bytes;		/* all its files together */
	struct opt_i64 data_bytes;	/* Data.db; unknown = none was listed, or without a size */
	bool has_data;			/* a Data.db was listed, with or without a size */
	struct opt_i64 mtime_s;	/* of Data.db */
	bool has_toc;		/* without TOC.txt it is still being written */
};

struct listing {
	const char *keyspace, *directory;	/* "<table>-<id>" */
	unsigned disk;
	const char *folder;	/* its full path on the node; NULL = not told */
	VEC(struct listed_sstable) sstables;	/* sorted by name */
	const char *source;
	bool partial;		/* cut off */
	bool names_only;	/* an `ls` without sizes: bytes are not known */
	bool rounded;		/* ls -h: sizes are rounded up to two or three digits */
};

/* ---- schema ---- */

enum ts_resolution { TS_MICROSECONDS, TS_MILLISECONDS, TS_SECONDS, TS_NANOSECONDS };

enum settings_origin { SETTINGS_NONE, SETTINGS_SCHEMA, SETTINGS_CONFIGURATION, SETTINGS_INFERRED };

/*
 * Compaction and expiry settings of a table.
 * Sources: Cassandra CompactionParams, TimeWindowCompactionStrategyOptions (3.0 to 5.0),
 * TableParams for the defaults.
 */
struct settings {
	enum settings_origin origin;
	const char *strategy;		/* last component of the class name; NULL = unknown */
	bool twcs;
	struct opt_i64 window_s;	/* known only on TWCS */
	enum ts_resolution resolution;
	struct opt_i64 default_ttl_s;	/* 0 = none */
	struct opt_i64 gc_grace_s;
	int64_t check_interval_s;	/* expired_sstable_check_frequency_seconds, 600 */
	int64_t min_threshold, max_threshold;	/* 4, 32 */
	bool enabled;			/* 'enabled' of the compaction map */
	bool only_purge_repaired;	/* only_purge_repaired_tombstones */
	bool unsafe_aggressive;		/* unsafe_aggressive_sstable_expiration */
	bool tombstone_compaction;	/* one of the three tombstone options is set */
	const char *compaction_map; /* CQL map literal as it stands, for ALTER; NULL = unknown */
	const char *read_repair;	/* "BLOCKING", "NONE"; NULL = not printed (3.x) */
	double read_repair_chance;	/* the larger of the two, 3.x */
	const char *tombstone_gc;	/* ScyllaDB mode; NULL = not printed */
};

struct schema_table {
	const char *keyspace, *name;	/* without quotes; keyspace may be NULL in a fragment */
	const char *id;			/* 32 hex digits; NULL = not printed */
	bool is_view;
	struct settings settings;
	const char *source;
	unsigned line;
};

struct schema_keyspace {
	const char *name;
	const char *replication_class;	/* last component */
	struct opt_i64 replicas;	/* largest replication factor of a datacenter */
};

struct schema {
	VEC(struct schema_table *) tables;
	VEC(struct schema_keyspace *) keyspaces;
	const char *source;		/* NULL = no schema was read */
	bool partial;			/* cut off, or a statement could not be read */
};

/* ---- nodetool ---- */

struct table_stats {
	const char *keyspace, *name;	/* keyspace NULL = the text did not say */
	bool is_index;
	struct opt_i64 sstable_count, bytes_live, bytes_total, bytes_snapshots;
	struct opt_i64 partitions, partition_max_bytes, partition_mean_bytes;
	struct opt_f64 compression_ratio, droppable_ratio;
	struct opt_f64 tombstones_average, tombstones_max;	/* per read, last five minutes */
	struct opt_i64 window_s;	/* "SSTables Time Window", 5.0 and later: proves TWCS */
	bool rounded;		/* printed with -H: space is off by up to 0.5 % */
	const char *source;	/* evidence it came from, for messages; NULL = not kept */
	unsigned line;
};

/* One row of tablehistograms. Sizes and cells are upper bounds of their buckets. */
struct histogram_row {
	struct opt_f64 sstables;	/* read per query; unknown = NaN, or nothing read */
	struct opt_i64 size_bytes, cells;
	bool size_overflow, cells_overflow;	/* above the last bucket */
};

enum histogram_rank { RANK_P50, RANK_P75, RANK_P95, RANK_P98, RANK_P99, RANK_MIN, RANK_MAX, RANKS };

struct table_histograms {	/* tablehistograms */
	const char *keyspace, *name;	/* keyspace NULL = the text did not say */
	struct histogram_row rows[RANKS];
	bool no_sstables;	/* it said that there is nothing to compute from */
	const char *source;	/* evidence it came from, for messages; NULL = not kept */
	unsigned line;
};

struct pending_tasks { const char *keyspace, *table; int64_t n; };

struct compaction_task {
	const char *id;		/* NULL = not printed, "<none>" or "n/a" */
	const char *type;	/* "Compaction", "RESHAPE", "Anticompaction after repair" */
	const char *keyspace, *table;	/* "" where the cell was empty */
	struct opt_i64 completed, total;
	const char *unit;	/* "bytes", "keys", ...; NULL = not printed */
	struct opt_f64 progress_percent;	/* as printed; may be above 100 */
};

struct compaction_stats {	/* compactionstats */
	struct opt_i64 pending;	/* total */
	VEC(struct pending_tasks) tables;
	VEC(struct compaction_task) tasks;
};

/* One line of sstableexpiredblockers: that tool's word, by a simpler rule than the server's. */
struct tool_blocker {
	const char *path;	/* of the blocker, as printed, without component */
	const char *keyspace, *table_dir,
		*name; /* from the path; keyspace, table_dir may be NULL */
	struct opt_i64 min_ts, max_ts, max_ldt_s;
	int64_t n_blocked;
	VEC(const char *) blocked;	/* names, as many as were printed */
	unsigned line;
};

struct disk_usage {		/* df */
	const char *device, *mount;
	struct opt_i64 total, used, available;	/* bytes; available may be below 0 on BSD */
	bool rounded;		/* printed with -h: off by up to 10 % */
};

struct status_line {
	const char *datacenter;
	char state[4];		/* "UN", "DN", "?N", "XN" */
	const char *address;
	const char *host_id;	/* NULL = not printed */
};

struct version_line {		/* describecluster, 4.0 and later */
	const char *version;
	VEC(const char *) addresses;	/* without port */
};

struct autocompaction_line {	/* statusautocompaction -a */
	const char *keyspace, *table;
	bool running;
};

struct datapath {
	const char *keyspace, *table, *path;
};

/* A command of node.json: how it ended. */
struct command {
	const char *kind, *subject, *command, *file, *errout;	/* may be NULL */
	struct opt_i64 exit_status, started_s, duration_ms;
	const char *signal;	/* NULL = none */
};

#endif
