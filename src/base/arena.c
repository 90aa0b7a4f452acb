/* Bump allocation from malloc'd chunks; large blocks get a chunk of their own. */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { CHUNK = 64 * 1024, ALIGN = 16 };

struct chunk {
	struct chunk *next;
	size_t size, used;
	_Alignas(ALIGN) unsigned char data[];
};

struct arena {
	struct chunk *head;
	size_t bytes;
	size_t next_size;	/* grows, so that a big run needs few chunks */
};

static void (*out_of_memory)(void) = abort;

void arena_on_out_of_memory(void (*handler)(void))
{
	out_of_memory = handler ? handler : abort;
}

static void *must_calloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p) {
		out_of_memory();
		abort();
	}
	return p;
}

/*
 * Each table's scratch arena is as large as the one before. What is given back is kept for the
 * next: a page that the system has to find anew costs more than what is done with it.
 */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
	static bool done;

	if (done)
		return;
	done = true;
	(void)mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
	(void)mallopt(M_TRIM_THRESHOLD, 1024 * 1024 * 1024);
#endif
}

struct arena *arena_create(void)
{
	struct arena *a;

	keep_freed_memory();
	a = must_calloc(sizeof(*a));
	a->next_size = CHUNK;
	return a;
}

void arena_destroy(struct arena *a)
{
	if (!a)
		return;
	for (struct chunk *c = a->head, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

static struct chunk *add_chunk(struct arena *a, size_t size)
{
	struct chunk *c = must_calloc(sizeof(*c) + size);

	c->size = size;
	a->bytes += sizeof(*c) + size;
	return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct chunk *c = a->head;
	void *p;

	if (size > SIZE_MAX / 4) {
		out_of_memory();
		abort();
	}
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (size == 0)
		size = ALIGN;
	if (c && c->size - c->used >= size) {
		p = c->data + c->used;
		c->used += size;
		return p;
	}
	if (size > a->next_size / 4) {	/* behind the head, which keeps its free room */
		struct chunk *big = add_chunk(a, size);

		big->used = size;
		if (c) {
			big->next = c->next;
			c->next = big;
		} else {
			a->head = big;
		}
		return big->data;
	}
	c = add_chunk(a, a->next_size);
	if (a->next_size < 64 * (size_t)CHUNK)
		a->next_size *= 2;
	c->next = a->head;
	a->head = c;
	c->used = size;
	return c->data;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / 4 / size) {
		out_of_memory();
		abort();
	}
	return arena_alloc(a, n * size);
}

char *arena_copy(struct arena *a, struct slice s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_copy(a, (struct slice){ s, strlen(s) });
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char small[256];
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n < 0)
		n = 0;
	p = arena_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof(small))
		memcpy(p, small, (size_t)n);
	else
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

size_t arena_bytes(const struct arena *a)
{
	return a->bytes;
}

void *vec_room(struct arena *a, void *items, size_t n, size_t *cap, size_t size)
{
	size_t want;
	void *p;

	if (n < *cap)
		return items;
	want = *cap ? *cap * 2 : 8;
	p = arena_array(a, want, size);
	if (n)
		memcpy(p, items, n * size);
	*cap = want;
	return p;
}
