/*
 * Partition sizes as intervals. Every size that Cassandra prints of partitions is the upper bound
 * of a histogram bucket (up to 20 % high), and each SSTable is counted by itself.
 */
#ifndef TWCSCHECK_SIZES_H
#define TWCSCHECK_SIZES_H

#include "model/model.h"

/* The true value v: low < v <= high, in bytes. */
struct interval {
	double low, high;
	bool known;
	bool at_least;		/* only a part was printed: the value may be above high */
};

/*
 * The bucket whose upper bound is `printed`. A number that is none (rounded by -H, or of another
 * program) is taken for a bound within half a percent of it, else for the value itself.
 * Source: EstimatedHistogram.newOffsets (3.0 to 5.0): 1, 2, ... each round(1.2 x), at least +1.
 */
struct interval bucket_of(double printed);

/*
 * Largest partition of the table: `low` is what one SSTable alone proves; `high` is the most that
 * one partition can be once its window is compacted: the largest sum over SSTables of one window
 * whose token ranges meet. Without SSTable metadata: the bucket that tablehistograms or tablestats
 * print, or at least that of a percentile when their largest row was cut off. Unknown when
 * nothing tells it. *window, when not NULL, is set to the window that has the
 * highest bound (NULL when it is one SSTable's own).
 */
struct interval table_largest_partition(const struct table *t,
					const struct window **window);

#endif
