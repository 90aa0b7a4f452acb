/*
 * Sorting by a number: linear time, stable, nothing but the numbers is looked at. What is sorted
 * lies elsewhere, the result says in what order.
 */
#ifndef TWCSCHECK_SORT_H
#define TWCSCHECK_SORT_H

#include "base/base.h"

struct sort_item {
	int64_t key;
	uint32_t at;	/* the caller's: position of what the key belongs to */
};

/* Sorts `v` by key, rising; equal keys keep their order. `spare` has room for n items. */
void sort_by_key(struct sort_item *v, struct sort_item *spare, size_t n);

#endif
