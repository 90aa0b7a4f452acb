/*
 * Shared by the files of the analysis (expiry.c, blockers.c, causes.c, remedies.c); nobody else
 * includes this.
 */
#ifndef TWCSCHECK_ANALYSIS_H
#define TWCSCHECK_ANALYSIS_H

#include "model/model.h"

/* More strategy instances than this (directories times repair groups) are not judged. */
enum { INSTANCES_MAX = 256, VIEWS_MAX = 8000000 };

struct span { int64_t first, last; };	/* tokens, both inclusive */

/* A token range and whose it is: position in the table's sorted array. */
struct ranged { struct span span; uint32_t at; };

/*
 * What one strategy instance sees. `seen` holds every usable SSTable that counts for it (its own,
 * and those elsewhere whose token range meets the union of its ranges), by minimum timestamp.
 */
struct instance_view {
	struct sstable **members;	/* its own, by maximum timestamp */
	size_t n_members;
	struct span *spans;		/* merged ranges of its members, sorted; */
	size_t n_spans;
	bool everything;		/* ... or a member's range is unknown: meets all */
	bool purge_held;		/* only_purge_repaired_tombstones holds all of it */
	struct sstable **seen;
	size_t n_seen;
	/* Timestamps beside the pointers, for the binary searches. */
	int64_t *member_max, *seen_min;
	size_t *latest;			/* seen[latest[i]] has the largest max_ldt of seen[0..i] */
	size_t *live_before;		/* number of not expired SSTables in seen[0..i) */
	size_t *held_from;		/* number of held members from i on; n_members + 1 */
	size_t *alone_from;		/* ... of those that would be dropped alone */
	int64_t *later; /* expiry of a member that is judged by the forecast, else INT64_MAX */
};

struct analysis {
	struct arena *a;		/* lasts to the end of the run */
	struct arena *tmp;		/* gone when the table has been judged */
	struct table *t;
	int64_t now_s, gc_grace_s;
	bool one_for_all_disks;		/* 3.0: one pair of strategies for all directories */
	bool ignore_overlaps;		/* unsafe_aggressive_sstable_expiration in force */
	int64_t shortest_ttl_s;		/* smallest TTL above 0 in its SSTables; INT64_MAX = none */
	struct sstable **by_min;	/* usable SSTables by minimum timestamp */
	struct ranged *by_first;	/* those whose range is known, by first token */
	size_t n_ranged;
	size_t n_usable;
	struct instance_view *views;	/* one for each t->instances */
};

/* max local deletion time + gc_grace + 1 s: first called expired; TIME_NEVER = never. */
int64_t expiry_of(const struct analysis *an, const struct sstable *s);
bool has_expired(const struct analysis *an, const struct sstable *s);
/* True when the token range of `s` meets the instance's; unknown ranges meet everything. */
bool view_meets(const struct instance_view *v, const struct sstable *s);
/* Number of seen SSTables with minimum timestamp <= ts. */
size_t view_reaching(const struct instance_view *v, int64_t ts);
/* First member whose maximum timestamp is >= ts. */
size_t view_member_from(const struct instance_view *v, int64_t ts);
/* A live SSTable that is judged against the forecast: expires, and is not in the future. */
bool is_forecast_candidate(const struct analysis *an, const struct sstable *s);

/* windows.c, after the verdicts */
void make_windows(struct analysis *an);
void add_totals(struct analysis *an);
void make_forecast(struct analysis *an);
void expect_counts(struct analysis *an);

void analyse_causes(struct analysis *an);	/* before the blockers: future, wrong unit, late */
void analyse_alone(struct analysis *an);
void analyse_blockers(struct analysis *an);	/* t->blockers and the windows' lists */
enum cause cause_of(const struct analysis *an, const struct sstable *s, const char **evidence);
void add_actions(const struct analysis *an, struct blocker *b);

#endif
