/* Any bytes as sstableexpiredblockers: no crash, and its lines and SSTables fit together. */
#include <assert.h>
#include <string.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_meta(const struct node *n, const char *name)
{
	for (size_t i = 0; i < n->metas.n; i++)
		if (n->metas.v[i]->name == name)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct evidence ev = { .path = "input", .out = { (const char *)data, size } };
	struct node n = { 0 };
	struct err err = { 0 };
	bool ok = parse_expiredblockers(a, &ev, &n, &err);

	assert(ok || (err.kind != ERR_NONE && err.text && !n.tool_blockers.n));
	assert(!err.text || !strchr(err.text, '\n'));
	for (size_t i = 0; i < n.tool_blockers.n; i++) {
		const struct tool_blocker *b = n.tool_blockers.v[i];

		assert(b->name && b->path && b->line && b->n_blocked >= 0);
		assert(b->min_ts.known && b->max_ts.known && b->max_ldt_s.known);
		assert(has_meta(&n, b->name));
		for (size_t k = 0; k < b->blocked.n; k++)
			assert(has_meta(&n, b->blocked.v[k]));
		assert(err.kind != ERR_NONE || (int64_t)b->blocked.n == b->n_blocked);
	}
	for (size_t i = 0; i < n.metas.n; i++)
		assert(n.metas.v[i]->hearsay && n.metas.v[i]->state == METADATA_PARTIAL);
	arena_destroy(a);
	return 0;
}
