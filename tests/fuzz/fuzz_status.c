/* Any bytes as each of nodetool's small outputs. */
#include <assert.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static parse_fn *const parsers[] = {
		parse_status, parse_version, parse_describecluster, parse_statusautocompaction,
		parse_datapaths, parse_info,
	};
	struct arena *a = arena_create();
	struct cluster cluster = { .arena = a };
	struct node node = { .cluster = &cluster };
	struct evidence ev = { .path = "fuzz", .out = { (const char *)data, size } };

	for (size_t i = 0; i < 2 * ARRAY_LEN(parsers); i++) {
		struct err err = { 0 };

		if (!parsers[i % ARRAY_LEN(parsers)](a, &ev, &node, &err))
			assert(err.kind != ERR_NONE);
	}
	for (size_t i = 0; i < node.status.n; i++)
		assert(node.status.v[i]->address && node.status.v[i]->state[0]);
	for (size_t i = 0; i < node.datapaths.n; i++)
		assert(node.datapaths.v[i]->path[0] == '/');
	arena_destroy(a);
	return 0;
}
