/* Any bytes as listing.tsv: no crash, SSTables sorted and each there once. */
#include <assert.h>
#include <string.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_listing(const struct listing *l)
{
	for (size_t i = 0; i < l->sstables.n; i++) {
		const struct listed_sstable *s = &l->sstables.v[i];

		assert(s->name && s->bytes >= 0);
		assert(!s->data_bytes.known ||
		       (s->data_bytes.v >= 0 && s->data_bytes.v <= s->bytes));
		assert(i == 0 || strcmp(l->sstables.v[i - 1].name, s->name) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct evidence ev = { .kind = EV_LISTING, .path = "input", .keyspace = "ks",
			       .directory = "t-5a1c3f70b1d011ee8c55a5d4f2f1c0de",
			       .out = { (const char *)data, size } };
	struct node n = { 0 };
	struct err err = { 0 };
	bool ok = parse_listing(a, &ev, &n, &err);

	assert(ok ? n.listings.n == 1 : err.kind != ERR_NONE && n.listings.n == 0);
	if (ok) {
		assert(n.listings.v[0]->partial == (err.kind != ERR_NONE));
		check_listing(n.listings.v[0]);
	}
	arena_destroy(a);
	return 0;
}
