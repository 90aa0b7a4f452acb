/* Any bytes as tablestats' JSON or YAML: parsed twice, the second time over what is there. */
#include <assert.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct node node = { 0 };
	struct evidence ev = { .kind = EV_TABLESTATS, .path = size % 2 ? "fuzz.yaml" : "fuzz.json",
			       .out = { (const char *)data, size } };
	size_t tables = 0;

	for (int i = 0; i < 2; i++) {
		struct err err = { 0 };

		if (!parse_tablestats_json(a, &ev, &node, &err))
			assert(err.kind != ERR_NONE);
		assert(i == 0 || tables == node.table_stats.n);
		tables = node.table_stats.n;
	}
	for (size_t i = 0; i < tables; i++) {
		const struct table_stats *t = node.table_stats.v[i];

		assert(t->name && *t->name && t->line > 0);
		assert(!t->bytes_live.known || t->bytes_live.v >= 0);
		assert(!t->window_s.known || t->window_s.v >= 60);
	}
	arena_destroy(a);
	return 0;
}
