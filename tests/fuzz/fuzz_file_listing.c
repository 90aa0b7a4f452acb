/* Any bytes as a listing: no crash, each directory and disk once, each SSTable once in it. */
#include <assert.h>
#include <string.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_listing(const struct listing *l)
{
	assert(l->directory && l->source);
	for (size_t i = 0; i < l->sstables.n; i++) {
		const struct listed_sstable *s = &l->sstables.v[i];

		assert(s->name && s->bytes >= 0);
		assert(!s->data_bytes.known || (s->has_data && s->data_bytes.v >= 0 &&
						s->data_bytes.v <= s->bytes));
		assert(i == 0 || strcmp(l->sstables.v[i - 1].name, s->name) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct evidence ev = { .path = "input", .out = { (const char *)data, size } };
	struct cluster c = { .arena = a };
	struct node n = { .cluster = &c };
	struct err err = { 0 };
	bool ok = parse_file_listing(a, &ev, &n, &err);

	assert(ok ? n.listings.n > 0 : err.kind != ERR_NONE && n.listings.n == 0);
	assert(!err.text || !strchr(err.text, '\n'));
	for (size_t i = 0; i < n.listings.n; i++)
		check_listing(n.listings.v[i]);
	arena_destroy(a);
	return 0;
}
