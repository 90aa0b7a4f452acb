/* Open addressing with FNV-1a hashes, at most two thirds full. See name_index.h. */
#include "parse/name_index.h"

#include "base/slice.h"

static uint64_t hash_bytes(uint64_t h, struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return (h ^ 0xff) * 1099511628211u;	/* "ab","c" is not "a","bc" */
}

static struct name_entry *find_slot(const struct name_index *ix, uint64_t hash,
				    struct slice keyspace, struct slice name)
{
	size_t i = (size_t)(hash ^ hash >> 32) & (ix->cap - 1);

	for (;; i = (i + 1) & (ix->cap - 1)) {
		struct name_entry *e = &ix->v[i];

		if (!e->name)
			return e;
		if (e->hash == hash && slice_eq_str(name, e->name) &&
		    slice_eq_str(keyspace, e->keyspace))
			return e;
	}
}

static void grow(struct arena *a, struct name_index *ix)
{
	struct name_index bigger = { .cap = ix->cap ? ix->cap * 2 : 64, .n = ix->n };

	bigger.v = arena_array(a, bigger.cap, sizeof(*bigger.v));
	for (size_t i = 0; i < ix->cap; i++) {
		struct name_entry *e = &ix->v[i];

		if (e->name)
			*find_slot(&bigger, e->hash, slice_of(e->keyspace), slice_of(e->name)) = *e;
	}
	*ix = bigger;
}

/* Up to its first NUL byte: what a copy of it in the arena reads as. */
static struct slice as_text(struct slice s)
{
	s.n = slice_find(s, '\0');
	return s;
}

struct name_entry *name_index_get(struct arena *a, struct name_index *ix, struct slice keyspace,
				  struct slice name)
{
	struct name_entry *e;
	uint64_t hash;

	keyspace = as_text(keyspace);
	name = as_text(name);
	hash = hash_bytes(hash_bytes(14695981039346656037u, keyspace), name);
	if (ix->n * 3 >= ix->cap * 2)
		grow(a, ix);
	e = find_slot(ix, hash, keyspace, name);
	if (!e->name) {
		*e = (struct name_entry){ .keyspace = arena_copy(a, keyspace),
					  .name = arena_copy(a, name),
					  .hash = hash, .value = NAME_NEW };
		ix->n++;
	}
	return e;
}
