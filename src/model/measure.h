/* Measured sizes: what the metadata of a table's SSTables adds up to. */
#ifndef TWCSCHECK_MEASURE_H
#define TWCSCHECK_MEASURE_H

#include "model/model.h"

/* Fill t->measures. Histograms are merged only where their buckets agree. */
void measure_table(struct arena *a, struct table *t);

/*
 * One SSTable was read in both forms, Statistics.db and the tool's text. Where they differ, a fine
 * note of the cluster says in what; at most a few for each node.
 */
void measure_difference(struct node *n, const struct table *t, const struct sstable_meta *x,
			const struct sstable_meta *y);

#endif
