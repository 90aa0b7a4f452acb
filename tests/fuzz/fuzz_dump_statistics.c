/* Any bytes as dump-statistics' JSON: no crash, and what a record says of itself holds. */
#include <assert.h>
#include <string.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_histogram(const struct histogram *h)
{
	assert(h->n != 1);
	for (size_t i = 1; h->n && i < h->n - 1; i++)
		assert(h->offset[i] > h->offset[i - 1]);
}

static void check_meta(const struct sstable_meta *m)
{
	assert(m->name && m->path && m->line);
	assert(!m->problem == (m->state == METADATA_COMPLETE));
	if (m->state == METADATA_NONE)
		assert(!m->min_ts.known && !m->max_ts.known && !m->max_ldt_s.known &&
		       !m->max_ttl_s.known && !m->rows.known);
	if (m->state == METADATA_COMPLETE)
		assert(m->min_ts.known && m->max_ts.known && m->max_ldt_s.known &&
		       m->repair_known && m->min_ttl_s.known && m->max_ttl_s.known);
	assert(!m->max_ttl_s.known || (m->min_ttl_s.v >= 0 && m->max_ttl_s.v < INT32_MAX));
	assert(!m->max_partition_bytes.known || m->max_partition_bytes.v > 0);
	check_histogram(&m->partition_sizes);
	check_histogram(&m->cell_counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct evidence ev = { .path = "input", .out = { (const char *)data, size } };
	struct node n = { 0 };
	struct err err = { 0 };
	bool ok = parse_dump_statistics_json(a, &ev, &n, &err), any = false;

	for (size_t i = 0; i < n.metas.n; i++) {
		check_meta(n.metas.v[i]);
		any = any || n.metas.v[i]->state != METADATA_NONE;
	}
	assert(ok == any);
	/* Only snapshots' files: nothing of the table's, and nothing wrong. */
	assert(ok || err.kind != ERR_NONE || n.metas.n == 0);
	assert(!err.text || !strchr(err.text, '\n'));
	arena_destroy(a);
	return 0;
}
