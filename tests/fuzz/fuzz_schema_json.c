/* Any bytes as rows of system_schema: parsed twice, as from two nodes. */
#include <assert.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct schema *s)
{
	for (size_t i = 0; i < s->tables.n; i++) {
		const struct schema_table *t = s->tables.v[i];

		assert(t && t->name);
		assert(!t->settings.window_s.known || t->settings.twcs);
		assert(!t->settings.window_s.known || t->settings.window_s.v >= 60);
		assert(!t->settings.gc_grace_s.known || t->settings.gc_grace_s.v >= 0);
	}
	for (size_t i = 0; i < s->keyspaces.n; i++)
		assert(s->keyspaces.v[i]->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct cluster cluster = { .arena = a };
	struct node node = { .cluster = &cluster };
	struct evidence ev = { .kind = EV_SCHEMA, .path = "fuzz",
			       .out = { (const char *)data, size } };

	for (int i = 0; i < 2; i++) {
		struct err err = { 0 };

		if (!parse_schema_json(a, &ev, &node, &err))
			assert(err.kind != ERR_NONE);
		check(&cluster.schema);
	}
	arena_destroy(a);
	return 0;
}
