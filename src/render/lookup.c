/*
 * An index over a report's results, and values of the model as renderers show them.
 */
#include "render/lookup.h"

#include <stdlib.h>

static const void *result_key(const struct node *node, const struct table *table)
{
	return table ? (const void *)table : (const void *)node;
}

static int compare_keys(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return (x > y) - (x < y);
}

static int compare_results(const void *pa, const void *pb)
{
	const struct check_result *a = *(const struct check_result *const *)pa;
	const struct check_result *b = *(const struct check_result *const *)pb;
	int c = compare_keys(result_key(a->node, a->table), result_key(b->node, b->table));

	return c ? c : compare_keys(a, b);
}

struct result_index result_index_build(struct arena *a, const struct report *r)
{
	struct result_index ix = { .n = r->results.n };

	ix.v = arena_array(a, ix.n ? ix.n : 1, sizeof(*ix.v));
	for (size_t i = 0; i < ix.n; i++)
		ix.v[i] = &r->results.v[i];
	if (ix.n)
		qsort(ix.v, ix.n, sizeof(*ix.v), compare_results);
	return ix;
}

const struct check_result *const *result_index_find(const struct result_index *ix,
						     const struct node *node,
						     const struct table *table, size_t *n)
{
	const void *key = result_key(node, table);
	size_t low = 0, high = ix->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_keys(result_key(ix->v[mid]->node, ix->v[mid]->table), key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < ix->n; ++*n) {
		if (result_key(ix->v[low + *n]->node, ix->v[low + *n]->table) != key)
			break;
	}
	return (const struct check_result *const *)ix->v + low;
}

struct opt_i64 table_sstable_count(const struct table *t)
{
	if (!t->listed && t->stats && t->stats->sstable_count.known)
		return t->stats->sstable_count;
	if (t->listed || t->n_sstables)
		return some_i64((int64_t)t->n_sstables);
	return (struct opt_i64){ .known = false };
}

struct opt_i64 table_total_bytes(const struct table *t)
{
	if (t->bytes_known && (t->listed || t->n_sstables))
		return some_i64(t->bytes);
	if (t->stats)
		return t->stats->bytes_live;
	return (struct opt_i64){ .known = false };
}

/* The sum when every SSTable in `state` has a known size. */
static struct opt_i64 sum_if_known(struct sstable *const *v, size_t n, enum sstable_state state,
				   int64_t sum)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i]->state == state && !v[i]->bytes.known)
			return (struct opt_i64){ .known = false };
	}
	return some_i64(sum);
}

struct opt_i64 table_held_bytes(const struct table *t)
{
	if (!t->analysed)
		return (struct opt_i64){ .known = false };
	return sum_if_known(t->sstables, t->n_sstables, SST_BLOCKED, t->held_bytes);
}

struct opt_i64 table_droppable_bytes(const struct table *t)
{
	if (!t->analysed)
		return (struct opt_i64){ .known = false };
	return sum_if_known(t->sstables, t->n_sstables, SST_DROPPABLE, t->droppable_bytes);
}

struct opt_i64 window_total_bytes(const struct window *w)
{
	for (size_t i = 0; i < w->n_sstables; i++) {
		if (!w->sstables[i]->bytes.known)
			return (struct opt_i64){ .known = false };
	}
	return some_i64(w->bytes);
}

struct opt_i64 window_held_bytes(const struct window *w)
{
	return sum_if_known(w->sstables, w->n_sstables, SST_BLOCKED, w->held_bytes);
}

const char *sstable_group(struct arena *a, const struct sstable *s)
{
	const struct table *t = s->table;
	const struct sstable_meta *m = s->meta;
	const char *label;

	if (s->usable && t->analysed && s->instance < t->n_instances)
		return t->instances[s->instance].group;
	if (!m || !m->repair_known)
		return NULL;
	label = m->pending_repair ? arena_printf(a, "pending:%s", m->pending_repair) :
		m->repaired_at_ms ? "repaired" : "unrepaired";
	return t->n_disks > 1 ? arena_printf(a, "%s/%u", label, s->disk) : label;
}

const char *finding_check_id(const struct finding *f)
{
	return f->check ? f->check->id : "evidence";
}
