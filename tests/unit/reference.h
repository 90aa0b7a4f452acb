/*
 * A second opinion on expiry: the rules of the server, written down literally and pairwise.
 *
 * It knows nothing of the program's model and shares no code with it. Every question is answered
 * by looking at each pair of SSTables, O(n^2) or worse, so that a reader can hold it against the
 * rules line by line. Tests compare the program's fast analysis with it.
 *
 * Source: Cassandra, TimeWindowCompactionStrategy.getNextBackgroundSSTables,
 * CompactionController.getFullyExpiredSSTables, CompactionStrategyManager (instances);
 * SSTableExpiredBlockers for reference_tool_blocks().
 */
#ifndef TWCSCHECK_TEST_REFERENCE_H
#define TWCSCHECK_TEST_REFERENCE_H

#include "base/base.h"

enum { REF_MAX = 128 };		/* SSTables of one table */

enum ref_group { REF_UNREPAIRED, REF_REPAIRED, REF_PENDING };	/* REF_PENDING + k: session k */

enum ref_state {
	REF_UNKNOWN, REF_NEVER_EXPIRES, REF_LIVE, REF_GC_GRACE, REF_DROPPABLE, REF_BLOCKED,
};

enum ref_hold { REF_HOLD_NONE, REF_HOLD_SSTABLE, REF_HOLD_OPTION, REF_HOLD_FUTURE };

struct ref_file {
	const char *name;
	unsigned disk;
	int group;			/* enum ref_group */
	bool group_known;
	bool inconclusive;		/* its record cannot be trusted */
	struct opt_i64 min_ts, max_ts;	/* raw, in the table's resolution */
	struct opt_i64 max_ldt_s;	/* TIME_NEVER = never */
	struct opt_i64 first, last;	/* tokens; unknown = may share keys with anything */
	int64_t bytes;

	/* the verdict */
	enum ref_state state;
	/*
	 * The rules do not decide between blocked and unknown: what would block it meets its
	 * instance only through an SSTable that cannot be judged itself.
	 */
	bool unsure;
	enum ref_hold hold;
	struct opt_i64 expired_at_s;	/* TIME_NEVER = never */
	struct opt_i64 droppable_at_s;	/* ... by all SSTables; unknown = cannot be told */
	int64_t at_least_s;		/* not droppable before this, by what is known */
	bool future;
	bool too_late;
	bool alone;
	/*
	 * What clears last of all that blocks it (or, not expired yet, will): of equals those with
	 * the lowest minimum timestamp. None where an option or its own timestamp holds it.
	 */
	bool last_blockers[REF_MAX];
	size_t n_blocks;		/* expired SSTables that it blocks */
	size_t n_will_block;		/* not expired ones that it makes too late */
	int64_t held_bytes;
	struct opt_i64 barrier_ts;	/* of its instance; unknown = nothing blocks there */
};

struct ref_table {
	/* the rules in force */
	int64_t now_s, gc_grace_s, window_s, check_interval_s;
	int64_t future_tolerance_s;
	int64_t units_per_second;	/* of the timestamps: 1, 1000, 1000000, 1000000000 */
	bool cassandra30;		/* one instance for all directories, no pending sessions */
	bool only_purge_repaired;
	bool ignore_overlaps;		/* unsafe_aggressive_sstable_expiration in force */

	struct ref_file files[REF_MAX];
	size_t n;

	/* the verdict */
	bool unsure;			/* of one of its files */
	bool blocks[REF_MAX][REF_MAX];	/* [f][h]: h keeps the expired f on disk */
	bool will_block[REF_MAX][REF_MAX];	/* [f][h]: h will make f too late */
	int64_t held_bytes, droppable_bytes;
};

/* Start of a window in seconds: milliseconds, seconds, multiple of the window, all truncated. */
int64_t reference_window_start(int64_t ts, int64_t units_per_second, int64_t window_s);

bool reference_expired(const struct ref_table *t, const struct ref_file *f);
bool reference_same_instance(const struct ref_table *t, const struct ref_file *a,
			     const struct ref_file *b);
/* The token ranges meet, or one of them is not known. */
bool reference_share_keys(const struct ref_file *a, const struct ref_file *b);

/*
 * The engine's check of one group of SSTables: which live ones outside the group count as
 * overlapping, and which of the group may be dropped whole. `group`, `overlap` and `drop` have
 * t->n elements.
 */
void reference_fully_expired(const struct ref_table *t, const bool *group, bool *overlap,
			     bool *drop);

/* What the offline tool says: live `b` blocks expired `s`, whatever the ranges. */
bool reference_tool_blocks(const struct ref_table *t, const struct ref_file *b,
			   const struct ref_file *s);

/* Fill in every verdict. */
void reference_judge(struct ref_table *t);

/*
 * Bytes of blocked SSTables that go when the SSTables with gone[h] are no longer there: those of
 * which every blocker is gone.
 */
int64_t reference_freed_bytes(const struct ref_table *t, const bool *gone);

#endif
