/*
 * Between parsers and assembly: facts of loose texts, which can name one thing in two ways or tell
 * it twice, made such that assemble.c can match them.
 */
#ifndef TWCSCHECK_TIDY_H
#define TWCSCHECK_TIDY_H

#include "model/model.h"

/*
 * Before tables are made of a node's facts:
 * - a table directory without an id ("readings") gets the one of its table, when there is just one;
 * - of several listings of one directory the best stays (sizes, exact ones, whole, the latest);
 * - sstableexpiredblockers' word goes where an SSTable's own metadata is there, or where the
 *   directory was listed without it: it is gone since.
 */
void tidy_facts(struct node *n);

/* After it: each table gets the lines of sstableexpiredblockers that are about it. */
void tidy_attach_blockers(struct node *n);

/*
 * Set version and format from the SSTable's name: "nb-16-big", or "ks-table-ka-7", which has no
 * format.
 */
void tidy_split_name(struct arena *a, struct sstable *s);

#endif
