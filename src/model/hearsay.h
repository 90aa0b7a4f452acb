/*
 * sstableexpiredblockers' word: what it says of SSTables is a last resort, and it is that tool's
 * rule, not the server's.
 */
#ifndef TWCSCHECK_HEARSAY_H
#define TWCSCHECK_HEARSAY_H

#include "model/model.h"

/*
 * Before tables are made of a node's facts: hearsay about an SSTable goes where its own metadata is
 * there, or where its directory was listed without it: it is gone since. O(n log n).
 */
void hearsay_drop(struct node *n);

/* After it: each table gets the lines that are about it. */
void hearsay_attach(struct node *n);

#endif
