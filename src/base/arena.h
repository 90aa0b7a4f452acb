/*
 * One arena per run: everything that lives to the end of the run is allocated here and nobody
 * frees pieces. Allocation never returns NULL: when memory is out, the handler set by cli/ ends
 * the program (exit status 3). Memory is zeroed.
 */
#ifndef TWCSCHECK_ARENA_H
#define TWCSCHECK_ARENA_H

#include <stdarg.h>

#include "base/base.h"

struct arena *arena_create(void);
void arena_destroy(struct arena *a);

/* Called when memory is out; must not return. Default: abort(). */
void arena_on_out_of_memory(void (*handler)(void));

void *arena_alloc(struct arena *a, size_t size);
/* n elements of `size` bytes; an overflowing product counts as out of memory. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* A copy with a terminating NUL; NUL bytes inside are kept as they are. */
char *arena_copy(struct arena *a, struct slice s);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);
/* Bytes taken from the system so far. */
size_t arena_bytes(const struct arena *a);

/*
 * A growing array in the arena: VEC(struct thing) things; thing = vec_add(a, &x->things).
 * Elements move when the array grows: keep indices, or make it a VEC of pointers.
 * vec_add() gives a pointer to a new zeroed element.
 */
#define VEC(type) struct { type *v; size_t n, cap; }
#define vec_add(a, vec)                                                                            \
	((vec)->v = vec_room((a), (vec)->v, (vec)->n, &(vec)->cap, sizeof(*(vec)->v)),             \
	 &(vec)->v[(vec)->n++])

/* Room for one more element after the first n; returns the array, moved when it had to grow. */
void *vec_room(struct arena *a, void *items, size_t n, size_t *cap, size_t size);

#endif
