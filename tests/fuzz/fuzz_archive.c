/*
 * Any bytes as an archive: no crash, and every piece that comes out has its place in the layout,
 * whatever is kept in memory meanwhile.
 */
#include <assert.h>
#include <string.h>

#include "base/deadline.h"
#include "base/slice.h"
#include "collect/archive.h"
#include "collect/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SECONDS = 2, PIECES_MAX = 100000 };	/* archives of nothing but holes take long */

struct seen { struct arena *arena; uint64_t hash; size_t n, errors; };

static void see(void *ctx, const struct evidence *ev)
{
	struct seen *s = ctx;
	struct evidence found;

	assert(ev->node && *ev->node && !strchr(ev->node, '/'));
	assert(ev->path && ev->out.p && ++s->n < PIECES_MAX);
	s->errors += ev->err.kind != ERR_NONE;
	if (ev->err.kind != ERR_NONE)
		return;
	assert(ev->relative && ev->relative[0] != '/' && !strstr(ev->relative, "../"));
	if (ev->kind == EV_LOOSE)
		return;
	assert(layout_find(s->arena, ev->relative, false, &found) && found.kind == ev->kind);
	for (size_t i = 0; i < ev->out.n; i++)
		s->hash = (s->hash ^ (unsigned char)ev->out.p[i]) * UINT64_C(1099511628211);
}

/* A hash of what came out; *whole: without any error. */
static uint64_t read_all(const uint8_t *data, size_t size, int64_t held_max, bool *whole)
{
	struct arena *a = arena_create();
	struct seen s = { .arena = a };
	struct err err = { 0 };
	struct slice bytes = { (const char *)data, size };
	struct source *source = archive_open_memory(a, "input", bytes,
						    held_max, &err);
	bool ok = source && source_archive.read(source, see, &s, &err);

	assert(ok || (err.kind != ERR_NONE && err.text && *err.text));
	source_archive.close(source);
	arena_destroy(a);
	*whole = ok && !s.errors;
	return s.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool whole, also_whole;
	uint64_t kept, streamed;

	deadline_set(SECONDS);
	kept = read_all(data, size, 1 << 20, &whole);
	streamed = read_all(data, size, 0, &also_whole);
	if (whole && also_whole)
		assert(kept == streamed);
	deadline_set(0);
	return 0;
}
