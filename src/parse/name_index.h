/*
 * A table of "keyspace, name" pairs with a number for each: finds what was seen before without
 * comparing with all of it. Lives in the arena like everything else.
 */
#ifndef TWCSCHECK_NAME_INDEX_H
#define TWCSCHECK_NAME_INDEX_H

#include "base/arena.h"

struct name_entry {
	const char *keyspace, *name;	/* in the arena; NULL = this slot is free */
	uint64_t hash;
	size_t value;			/* NAME_NEW until the caller sets it */
};

struct name_index { struct name_entry *v; size_t n, cap; };

#define NAME_NEW SIZE_MAX

/*
 * The entry of that pair, made with the value NAME_NEW when there is none. An unknown keyspace is
 * an empty slice. The pointer is good until the next call.
 */
struct name_entry *name_index_get(struct arena *a, struct name_index *ix, struct slice keyspace,
				  struct slice name);

#endif
