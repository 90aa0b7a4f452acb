/*
 * The model: cluster -> node -> table -> windows -> SSTables, and what the analysis says of them.
 *
 * Filled in three steps: parsers append facts to nodes and cluster (facts.h); cluster_assemble()
 * makes tables of them; table_analyse() judges one table by the server's rules. After that nothing
 * changes: checks and renderers only read.
 *
 * Order everywhere: nodes by name, tables by keyspace and name, windows by start, SSTables by
 * maximum timestamp, then name.
 */
#ifndef TWCSCHECK_MODEL_H
#define TWCSCHECK_MODEL_H

#include "model/evidence.h"
#include "model/facts.h"

struct table;
struct node;
struct cluster;

enum evidence_status { EVIDENCE_OK, EVIDENCE_PARTIAL, EVIDENCE_FAILED, EVIDENCE_ABSENT };

/* What became of one piece (or one kind) of evidence: a row of the report. */
struct evidence_record {
	enum evidence_kind kind;
	const char *subject;	/* "keyspace.table", NULL = the node as a whole */
	enum evidence_status status;
	const char *error;	/* NULL when ok */
};

enum sstable_state {
	SST_UNKNOWN, SST_NEVER_EXPIRES, SST_LIVE, SST_GC_GRACE, SST_DROPPABLE, SST_BLOCKED,
};

/* Why a blocker reaches back; the labels of the report. In order of precedence. */
enum cause {
	CAUSE_NONE, CAUSE_WRONG_UNIT, CAUSE_FUTURE, CAUSE_NO_TTL, CAUSE_MIXED_TTL, CAUSE_TOMBSTONE,
	CAUSE_LATE_WRITE, CAUSE_REPAIR, CAUSE_BORDER, CAUSE_UNKNOWN,
};

/* What holds a blocked SSTable when it is no other SSTable. */
enum hold { HOLD_NONE, HOLD_SSTABLE, HOLD_PURGE_REPAIRED, HOLD_OWN_FUTURE };

struct sstable {
	struct table *table;
	const char *name;		/* "nb-16-big" */
	const char *version, *format;	/* "nb", "big" */
	const char *directory;		/* full path of its folder on the node; NULL = not known */
	unsigned disk;			/* number of its data directory */
	bool listed;			/* seen in a listing */
	struct opt_i64 bytes;		/* all its files; unknown without a listing */
	struct opt_i64 data_bytes, mtime_s;
	const struct sstable_meta *meta;	/* never NULL; METADATA_NONE when there was none */
	enum metadata_state metadata;

	/* by the analysis, from its metadata */
	bool usable;			/* timestamps and deletion time known: it can be judged */
	bool future;			/* maximum timestamp ahead of the node's clock */
	bool wrong_unit;		/* its timestamps make sense only in another unit */
	bool late; /* data written later than the lateness (semantics section 7) */
	bool late_probably;		/* by the second form of the test: not measured */
	bool late_newest;		/* it is its newest data that came latest */
	bool back_dated_delete;		/* ... and it is a deletion's timestamp that reaches back */
	bool longer_ttl;		/* holds data with a longer TTL than the table's */
	struct opt_i64 lateness_s;	/* by how much, when it could be measured */
	struct opt_i64 written_s;	/* when its late data was written, as far as it shows */
	int64_t window_start_s;		/* when usable and the window is known */
	struct opt_i64 expired_at_s;	/* TIME_NEVER = never; unknown = cannot be told */

	/* the verdict: side by side, since it is written in one pass over all SSTables */
	unsigned instance;		/* index into table->instances, when usable */
	enum sstable_state state;
	struct opt_i64 droppable_at_s;	/* TIME_NEVER = never; unknown = cannot be told */
	struct sstable *blocked_by;	/* the blocker that clears last */
	enum hold hold;
	bool too_late;			/* is (or will be) held longer than the normal delay */
	bool alone; /* a user-defined compaction of it alone would drop it whole */
	bool makes_late;		/* by its own expiry it makes another one too late */
	struct blocker *as_blocker;	/* NULL = it is listed as nobody's blocker */
};

/* A strategy instance: what Cassandra judges together. */
struct instance {
	unsigned disk;
	const char *repair;		/* "repaired", "unrepaired", "pending:<id>" */
	const char *group; /* label of the report, with "/<disk>" when there are several */
	size_t n_sstables;
	struct opt_i64 barrier_ts;	/* lowest minimum timestamp of what is not expired; raw */
	bool has_unknown;		/* an SSTable that cannot be judged may block in it */
	int64_t highest_window_s;	/* the window that counts as current */
};

enum window_state {
	WIN_OPEN, WIN_LIVE, WIN_GC_GRACE, WIN_DROPPABLE, WIN_BLOCKED, WIN_WILL_BLOCK, WIN_NEVER,
	WIN_UNKNOWN,
};

struct window {
	int64_t start_s, end_s;		/* [start, end) UTC */
	enum window_state state;
	struct sstable **sstables;	/* a slice of the table's sorted array */
	size_t n_sstables;
	int64_t bytes, held_bytes;
	struct opt_i64 expired_at_s;	/* the latest of its SSTables */
	struct opt_i64 droppable_at_s;
	bool too_late;			/* one of its SSTables is */
	/*
	 * Blocked now: all that must go, the first ones by rank, at most LIST_MAX. Not blocked yet
	 * but too late: those that clear last for one of its SSTables.
	 */
	struct sstable **blockers;
	size_t n_blockers;		/* all of them */
};

enum { LIST_MAX = 10, BLOCKERS_MAX = 100, FORECAST_DAYS = 400 };

/* An action that an operator can take, safest first. */
struct action {
	const char *text, *risk;
	VEC(const char *) commands;	/* exact, ready to paste on that node */
};

struct blocker {
	struct sstable *sstable;
	unsigned rank;			/* 1 = lowest minimum timestamp */
	enum cause cause;
	const char *evidence;		/* one line that proves the cause */
	struct sstable **blocks;	/* blocked now: the first ones, at most LIST_MAX */
	size_t n_blocks;		/* blocked now: all */
	size_t n_alone;			/* ... of them would be dropped whole by themselves */
	size_t n_will_block;		/* not expired yet, and made too late by it */
	int64_t held_bytes;		/* what it blocks now */
	int64_t freed_bytes;		/* what goes when it and all lower ranks are gone */
	int64_t clears_at_s;		/* TIME_NEVER = never */
	VEC(struct action) actions;
};

struct forecast_day { int64_t day_s; int64_t freed_bytes; };

/* What the metadata of all SSTables of a table adds up to (measure.c). */
struct measures {
	struct opt_f64 bytes_per_row;	/* uncompressed: data ÷ compression ratio ÷ rows */
	struct opt_i64 min_ttl_s, max_ttl_s;	/* 0 = something without TTL */
	struct opt_f64 droppable_ratio;	/* the SSTables' estimates, weighted by their data */
	struct histogram partition_sizes, cell_counts;	/* merged; n = 0: not known */
};

struct table {
	struct node *node;
	const char *keyspace, *name;	/* keyspace may be "" when nothing tells it */
	const char *full_name;		/* "keyspace.table", without quotes */
	bool is_system, named;		/* named on the command line */
	bool designed;			/* the configuration gives it a window */
	struct settings settings;
	const struct schema_table *schema;	/* NULL = none */
	const struct table_stats *stats;	/* NULL = none */
	const struct table_histograms *histograms;	/* NULL = none */
	VEC(struct tool_blocker *) tool_blockers;	/* sstableexpiredblockers' lines about it */
	struct opt_i64 replicas;
	int64_t lateness_s;		/* how late a write may be: one window unless configured */
	int64_t future_tolerance_s;
	unsigned n_disks;		/* data directories with SSTables of it */
	struct opt_i64 autocompaction;	/* 0 = off, 1 = on; unknown when nobody was asked */
	bool listed;			/* a listing of its directory was read */
	unsigned evidence;		/* evidence_kind bits that were read for it */
	unsigned evidence_failed;	/* ... and those that failed or were cut off */

	struct sstable **sstables;	/* sorted; those that exist, not the vanished ones */
	size_t n_sstables;
	size_t n_unusable;		/* without usable metadata */
	int64_t bytes;			/* of all SSTables with known size */
	bool bytes_known;		/* every SSTable's size is known */

	/* by the analysis */
	bool analysed;			/* TWCS, window and gc_grace known */
	const char *not_analysed;	/* why not; NULL when analysed */
	struct instance *instances;
	size_t n_instances;
	struct window *windows;
	size_t n_windows;
	struct blocker *blockers;	/* by rank, at most BLOCKERS_MAX */
	size_t n_blockers;		/* listed ones */
	size_t n_blockers_all;
	struct forecast_day *forecast;
	size_t n_forecast;
	int64_t held_bytes, droppable_bytes;
	size_t n_blocked, n_droppable;
	struct opt_i64 ttl_s;		/* default TTL, else the largest maximum TTL */
	struct opt_i64 expected_low, expected_high;	/* SSTables; see sstable-count */
	struct measures measures;
};

struct node {
	struct cluster *cluster;
	const char *name, *address;	/* address NULL = not known */
	const char *folder;		/* its folder in the evidence, when that is not its name */
	const char *product;		/* "cassandra", "scylla"; NULL = not known */
	const char *release;		/* "5.0.6"; NULL = not known */
	const char *host_id, *datacenter;	/* NULL = not known */
	const char *transport;		/* how it was reached, when that is worth saying; or NULL */
	struct opt_i64 now_s;		/* its own clock when it was asked */
	struct opt_i64 newest_mtime_s;	/* newest file of its evidence */
	int64_t clock_s;		/* the time it is judged by */
	const char *clock_from;		/* "node", "--now", "newest file"; NULL = there is none */

	/* facts */
	VEC(struct command *) commands;
	VEC(struct listing *) listings;
	VEC(struct sstable_meta *) metas;
	VEC(struct table_stats *) table_stats;
	VEC(struct table_histograms *) histograms;
	struct compaction_stats *compactions;	/* NULL = not read */
	VEC(struct tool_blocker *) tool_blockers;
	VEC(struct disk_usage *) disks;
	VEC(struct status_line *) status;
	VEC(struct version_line *) versions;
	VEC(struct autocompaction_line *) autocompaction;
	struct opt_i64 autocompaction_all;	/* without -a: 0 = off, 1 = on */
	VEC(struct datapath *) datapaths;
	const char *cluster_name;	/* describecluster */

	VEC(struct evidence_record) evidence;
	unsigned have, failed;		/* evidence_kind bits: read whole; failed or cut off */
	struct parse_state *parsing;	/* private to parse/, until parse_finish() */

	struct table **tables;
	size_t n_tables;
};

struct cluster {
	struct arena *arena;
	const char *name;		/* NULL = not known */
	VEC(struct node *) nodes;
	struct schema schema;
	VEC(const char *) notes;	/* things a reader must know, one line each */
	VEC(const char *) fine_notes;	/* the same for those who look closely: -vv */
	struct loose_state *loose;	/* private to parse/, until parse_finish() */
};

/* ---- building ---- */

struct cluster *cluster_create(struct arena *a);
/* The node of that name, made when it is new. */
struct node *cluster_node(struct cluster *c, const char *name);
/* Adds a row to the node's evidence and sets its have/failed bits. */
void node_record_evidence(struct node *n, enum evidence_kind kind, const char *subject,
			  enum evidence_status status, const char *error);

/*
 * What the configuration says of tables. `table` is a pattern of their full names, see
 * table_pattern_matches(). Unknown = it says nothing. A schema wins over window, TTL and gc_grace.
 */
struct table_design {
	const char *table;
	struct opt_i64 window_s;	/* above 0: the table is on TWCS */
	struct opt_i64 ttl_s;		/* default TTL, 0 = none */
	struct opt_i64 gc_grace_s;
	struct opt_i64 lateness_s;	/* above 0 */
};

/* True when the whole of `full_name` fits the pattern, in which '*' is any run of bytes. */
bool table_pattern_matches(const char *pattern, const char *full_name);
/*
 * Order of patterns: the one that is to win comes later. A name without '*' is above every
 * pattern, a longer pattern above a shorter one; 0 = neither.
 */
int table_pattern_compare(const char *x, const char *y);

/* What the designs say of one table, value by value: the last one that fits and has it. */
struct table_design table_design_merge(const struct table_design *v, size_t n,
				       const char *full_name);

/*
 * Take the settings of table `t` from the configuration, as far as nothing better is known: a
 * table with a configured window and no schema is on TWCS. Call after schema and tablestats.
 */
void table_apply_design(struct table *t, const struct table_design *d);

/*
 * Make `own` win over the cluster's schema, table by table and keyspace by keyspace: what it does
 * not have stays as it was read. `own` must be in the cluster's arena.
 */
void cluster_override_schema(struct cluster *c, const struct schema *own);

/* Adds a line to the cluster's notes, once. */
void cluster_note(struct cluster *c, const char *text);

/* What the run asks for: handed down by cli/. */
struct selection { const char *keyspace, *table; };	/* table NULL = the whole keyspace */
struct assemble_options {
	struct opt_i64 now_s;		/* --now */
	struct selection *selections;	/* none = all but system keyspaces */
	size_t n_selections;
	const struct table_design *designs;	/* the more specific pattern later */
	size_t n_designs;
};

/*
 * Settle the names that the evidence leaves open, as far as only one table can be meant, and put
 * listings of one folder together. What stays open is told in the cluster's notes.
 */
void cluster_attribute(struct cluster *c, const struct assemble_options *o);

/* The time a node is judged by: --now, its own clock, else its newest file. */
void node_set_clock(struct node *n, const struct assemble_options *o);
/* Host id and datacenter, as the nodes' status tells them by address. */
void node_set_identity(struct node *n);

/*
 * Make tables of the facts: match listings with metadata, attach settings, leave out vanished
 * SSTables and directories of dropped tables, set each node's clock. Deterministic.
 */
void cluster_assemble(struct cluster *c, const struct assemble_options *o);

/* True when it is a keyspace that is checked only when named. */
bool keyspace_is_system(const char *keyspace);

/* ---- analysis (see analysis.h) ---- */

/*
 * Judge one table by the rules of twcs-semantics section 6: windows, instances, states, drop
 * times, blockers with causes and remedies, forecast. O(n log n) time, O(n) memory for each
 * strategy instance. Does nothing but set not_analysed when the strategy, window or gc_grace is
 * unknown or the table is not on TWCS.
 */
void table_analyse(struct arena *a, struct table *t);

/*
 * Set version and format from the SSTable's name: "nb-16-big", or "ks-table-ka-7", which has no
 * format. What the name does not tell stays NULL.
 */
void sstable_split_name(struct arena *a, struct sstable *s);

/* Its write timestamps are known: the least that can be judged of an SSTable. */
bool sstable_is_dated(const struct sstable *s);

/* Write timestamp in the table's resolution as seconds since the epoch, truncated towards zero. */
int64_t timestamp_seconds(int64_t ts, enum ts_resolution r);
/* ... as microseconds; saturates. */
int64_t timestamp_us(int64_t ts, enum ts_resolution r);
/*
 * Start of the window of a raw timestamp, in seconds: C division, so that negative times round
 * towards zero like the server. Source: TimeWindowCompactionStrategy.getWindowBoundsInMillis,
 * identical in 3.11.19, 4.1.9, 5.0.6.
 */
int64_t window_start(int64_t ts, enum ts_resolution r, int64_t window_s);

/*
 * The normal delay between an SSTable's expiry and its drop: one window (its neighbour may have to
 * expire first) and one check interval, in seconds.
 */
int64_t table_normal_delay_s(const struct table *t);

const char *cause_name(enum cause c);		/* "late-write" */
const char *sstable_state_name(enum sstable_state s);
const char *window_state_name(enum window_state s);
const char *evidence_status_name(enum evidence_status s);
const char *settings_origin_name(enum settings_origin o);

/* Release as numbers, for comparing: "5.0.6" -> 5 * 10000 + 0 * 100 + 6. 0 = not known. */
int node_release_number(const struct node *n);
bool node_is_scylla(const struct node *n);

#endif
