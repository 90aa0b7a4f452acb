/* What a report says of one table or node: an index over its results, and words for values. */
#ifndef TWCSCHECK_LOOKUP_H
#define TWCSCHECK_LOOKUP_H

#include "finding/finding.h"

struct result_index {
	const struct check_result **v;
	size_t n;
};

/* O(n log n) over the report's results; the entries point into the report. */
struct result_index result_index_build(struct arena *a, const struct report *r);

/*
 * The results of a table, or with `table` NULL of a node itself, or with both NULL of the cluster,
 * in check order. Returns the first one; *n = how many.
 */
const struct check_result *const *result_index_find(const struct result_index *ix,
						     const struct node *node,
						     const struct table *table, size_t *n);

/* SSTables of a table: counted in its directory, else as tablestats says, else what was seen. */
struct opt_i64 table_sstable_count(const struct table *t);
/* Its bytes: from its directory, else as tablestats says. */
struct opt_i64 table_total_bytes(const struct table *t);
/* Bytes of its blocked and of its droppable SSTables; unknown when a size or the verdict is. */
struct opt_i64 table_held_bytes(const struct table *t);
struct opt_i64 table_droppable_bytes(const struct table *t);
/* Bytes of a window and of what is held in it; unknown when one of the sizes is. */
struct opt_i64 window_total_bytes(const struct window *w);
struct opt_i64 window_held_bytes(const struct window *w);

/* Label of the strategy instance of `s`; NULL when it is not known. */
const char *sstable_group(struct arena *a, const struct sstable *s);

/* The id of a finding's check; "evidence" where the runner made it without one. */
const char *finding_check_id(const struct finding *f);

#endif
