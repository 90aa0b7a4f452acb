/* Any bytes as sstablemetadata's output: no crash, and what it says of itself holds. */
#include <assert.h>
#include <string.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_meta(const struct sstable_meta *m)
{
	assert(m->name && m->path && m->source && m->line);
	assert(!m->problem == (m->state == METADATA_COMPLETE));
	assert(m->vanished == (m->state == METADATA_NONE));
	if (m->state == METADATA_COMPLETE)
		assert(m->min_ts.known && m->max_ts.known && m->max_ldt_s.known &&
		       m->repair_known && m->min_ttl_s.known && m->max_ttl_s.known);
	if (m->state == METADATA_INCONCLUSIVE || m->vanished)
		assert(!m->min_ts.known && !m->max_ts.known && !m->max_ldt_s.known &&
		       !m->repair_known && !m->rows.known);
	assert(m->first_token.known == m->last_token.known);
	assert(!m->first_token.known || m->first_token.v <= m->last_token.v);
	assert(!m->max_ttl_s.known || (m->min_ttl_s.v >= 0 && m->max_ttl_s.v < INT32_MAX));
	assert(!m->max_partition_bytes.known || m->max_partition_bytes.v > 0);
	assert(!m->pending_repair || strlen(m->pending_repair) == 36);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct evidence ev = { .kind = EV_SSTABLEMETADATA, .path = "input", .keyspace = "ks",
			       .table = "t", .out = { (const char *)data, size } };
	struct node n = { 0 };
	struct err err = { 0 };
	bool ok = parse_sstablemetadata(a, &ev, &n, &err);

	assert(ok || (err.kind != ERR_NONE && err.text && n.metas.n == 0));
	assert(!err.text || !strchr(err.text, '\n'));
	for (size_t i = 0; i < n.metas.n; i++)
		check_meta(n.metas.v[i]);
	arena_destroy(a);
	return 0;
}
