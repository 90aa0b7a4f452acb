/*
 * Shared by the files of the analysis (keys.c, expiry.c, windows.c, alone.c, blockers.c, causes.c,
 * remedies.c); nobody else includes this.
 *
 * SSTables and their metadata lie far apart, and a table can have a hundred thousand of them. They
 * are visited twice: keys.c copies what the rules look at into dense arrays, windows.c writes the
 * verdicts. Everything between works on positions: `at` is the one in t->sstables (by maximum
 * timestamp, then name), `low` the one by minimum timestamp.
 */
#ifndef TWCSCHECK_ANALYSIS_H
#define TWCSCHECK_ANALYSIS_H

#include "base/sort.h"
#include "model/model.h"

/* More strategy instances than this (directories times repair groups) are not judged. */
enum { INSTANCES_MAX = 256, NOT_USABLE = UINT16_MAX, VIEWS_MAX = 8000000 };

/* What keeps SSTables apart. Before 4.0 there are no pending repairs: an id is not looked at. */
struct group { unsigned disk; bool repaired; const char *pending; };

struct span { int64_t first, last; };	/* tokens, both inclusive */

/* One cache line an SSTable. Tokens are there for all, the rest for usable ones. */
struct key {
	int64_t min_ts, max_ts;		/* raw */
	int64_t expiry_s;	/* max local deletion time + gc_grace + 1; TIME_NEVER = never */
	int64_t window_start_s;
	int64_t bytes;			/* 0 when they are not known */
	struct span tokens;
	uint16_t instance;		/* or NOT_USABLE */
	bool live;			/* not expired: may block */
	bool in_grace;			/* past its maximum local deletion time */
	bool future;
	bool has_range;			/* the tokens are known and in order */
	bool bytes_known;
	bool held;			/* by the verdict: blocked by another SSTable */
};

/* An SSTable whose tokens are known, with what is asked in their order. */
struct ranged {
	struct span span;
	int64_t min_ts, max_ts;
	uint32_t at;
	uint16_t instance;
	bool live;
};

/*
 * What one strategy instance sees. `seen` holds every usable SSTable that counts for it: its own,
 * and those elsewhere whose token range meets the union of its ranges.
 */
struct instance_view {
	uint32_t *members;		/* its own, at; rising */
	int64_t *member_max;		/* their maximum timestamps, for the binary searches */
	size_t n_members;
	struct span *spans;		/* merged ranges of its members, sorted; */
	size_t n_spans;
	bool everything;		/* ... or a member's range is unknown: meets all */
	bool purge_held;		/* only_purge_repaired_tombstones holds all of it */
	uint32_t *seen;			/* low; rising */
	size_t n_seen;
	uint32_t *held_from;		/* number of held members from i on; n_members + 1 */
	uint32_t *alone_from;		/* ... of those that would be dropped alone */
	int64_t *later; /* expiry of a member that is judged by the forecast, else INT64_MAX */
};

/* The usable SSTables by minimum timestamp, then `at`. */
struct lows {
	uint32_t *at;
	int64_t *min_ts, *expiry_s;
	bool *live;
};

struct analysis {
	struct arena *a;		/* lasts to the end of the run */
	struct arena *tmp;		/* gone when the table has been judged */
	struct table *t;
	int64_t now_s, gc_grace_s;
	bool one_for_all_disks;		/* 3.0: one pair of strategies for all directories */
	bool ignore_overlaps;		/* unsafe_aggressive_sstable_expiration in force */
	int64_t shortest_ttl_s;		/* smallest TTL above 0 in its SSTables; INT64_MAX = none */
	struct key *keys;		/* of all SSTables, at */
	size_t n_usable;		/* they come first */
	struct group *groups;		/* the distinct ones, at most INSTANCES_MAX + 1 */
	size_t n_groups;
	struct lows low;
	struct ranged *by_first;	/* those whose range is known, by first token, then at */
	size_t n_ranged;
	uint32_t *unranged;		/* the other usable ones, at */
	size_t n_unranged;
	bool *alone;			/* at: a compaction of it alone would drop it */
	uint32_t *blocked_by;		/* at: low + 1 of the one in the SSTable; 0 = none */
	struct sort_item *items, *spare; /* for sorting, used again and again; n_sstables */
	size_t n_days;			/* items: when something is dropped, at */
	struct instance_view *views;	/* one for each t->instances */
};

static inline void lower(int64_t *slot, int64_t v)
{
	if (v < *slot)
		*slot = v;
}

/* keys.c: usable SSTables, their keys and causes; sorts t->sstables. */
void analyse_keys(struct analysis *an);
struct group group_of(const struct analysis *an, const struct sstable *s);
int group_compare(const struct group *p, const struct group *q);

/* expiry.c */
/* First member whose maximum timestamp is >= ts. */
size_t view_member_from(const struct instance_view *v, int64_t ts);
/* A live SSTable that is judged against the forecast: expires, and is not in the future. */
bool is_forecast_candidate(const struct key *k);

/* The verdict on one SSTable. Ask in the order of t->sstables. */
struct sweep;
void judge_sstable(struct analysis *an, struct sweep *sw, uint32_t at);

/* windows.c: judges all SSTables, then what they add up to */
void make_windows(struct analysis *an, struct sweep *sw);
void make_forecast(struct analysis *an);
void expect_counts(struct analysis *an);

/* causes.c: future, wrong unit, late; before the verdicts. `k` NULL = not usable. */
void analyse_cause(struct analysis *an, struct sstable *s, struct key *k);
/* After that: which hold data with a TTL longer than other data of a table without default. */
void analyse_ttls(struct analysis *an);
enum cause cause_of(const struct analysis *an, const struct sstable *s, const char **evidence);

void analyse_alone(struct analysis *an);	/* alone.c */
void analyse_blockers(struct analysis *an);	/* t->blockers and the windows' lists */
void add_actions(const struct analysis *an, struct blocker *b);

#endif
