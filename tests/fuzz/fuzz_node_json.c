/* Any bytes as node.json and as bundle.json: no crash, and every error has its line. */
#include <assert.h>
#include <string.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(parse_fn *parse, const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);
	struct evidence ev = { .kind = EV_NODE, .path = "input",
			       .out = { (const char *)data, size } };
	struct err err = { 0 };
	bool ok = parse(a, &ev, cluster_node(c, "-"), &err);

	assert(ok || err.kind == ERR_FORMAT);
	assert(err.kind == ERR_NONE || err.line || strcmp(err.text, "the file is empty") == 0);
	for (size_t i = 0; i < c->nodes.v[0]->commands.n; i++)
		assert(c->nodes.v[0]->commands.v[i]);
	arena_destroy(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(parse_node_json, data, size);
	check(parse_bundle_json, data, size);
	return 0;
}
