/* Any bytes as tablehistograms' text: parsed twice, the second time over what is there. */
#include <assert.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct node node = { 0 };
	struct evidence ev = { .kind = EV_TABLEHISTOGRAMS, .path = "fuzz",
			       .out = { (const char *)data, size } };
	size_t tables = 0;

	for (int i = 0; i < 2; i++) {
		struct err err = { 0 };

		if (!parse_tablehistograms(a, &ev, &node, &err))
			assert(err.kind != ERR_NONE);
		assert(i == 0 || tables == node.histograms.n);
		tables = node.histograms.n;
	}
	for (size_t i = 0; i < tables; i++) {
		const struct table_histograms *t = node.histograms.v[i];

		assert(t->name && t->line > 0);
		for (size_t k = 0; k < RANKS; k++)
			assert(!t->rows[k].size_bytes.known || !t->rows[k].size_overflow);
	}
	arena_destroy(a);
	return 0;
}
