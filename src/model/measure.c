#include "model/measure.h"

#include <string.h>

enum { DIFFERENCES_TOLD = 20 };

/* ---- rows, TTLs, droppable share ---- */

static double data_weight(const struct sstable *s)
{
	return s->data_bytes.known && s->data_bytes.v > 0 ? (double)s->data_bytes.v : 1;
}

static void measure_rows(struct table *t)
{
	double bytes = 0, rows = 0;

	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];
		double ratio = s->meta->compression_ratio.known ? s->meta->compression_ratio.v : 1;

		if (!s->data_bytes.known || !s->meta->rows.known || s->meta->rows.v <= 0 ||
		    ratio <= 0)
			continue;
		bytes += (double)s->data_bytes.v / ratio;
		rows += (double)s->meta->rows.v;
	}
	if (rows > 0)
		t->measures.bytes_per_row = some_f64(bytes / rows);
}

static void measure_ttls(struct table *t)
{
	struct measures *m = &t->measures;
	double droppable = 0, weight = 0;

	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable_meta *s = t->sstables[i]->meta;

		if (s->min_ttl_s.known && (!m->min_ttl_s.known || s->min_ttl_s.v < m->min_ttl_s.v))
			m->min_ttl_s = s->min_ttl_s;
		if (s->max_ttl_s.known && (!m->max_ttl_s.known || s->max_ttl_s.v > m->max_ttl_s.v))
			m->max_ttl_s = s->max_ttl_s;
		if (s->droppable_ratio.known) {
			droppable += s->droppable_ratio.v * data_weight(t->sstables[i]);
			weight += data_weight(t->sstables[i]);
		}
	}
	if (weight > 0)
		m->droppable_ratio = some_f64(droppable / weight);
}

/* ---- histograms ---- */

/* Buckets agree as far as both go: the series is the same, only its length differs. */
static bool same_buckets(const struct histogram *x, const struct histogram *y)
{
	size_t n = (x->n < y->n ? x->n : y->n) - 1;

	return memcmp(x->offset, y->offset, n * sizeof(*x->offset)) == 0;
}

static const struct histogram *part_of(const struct sstable *s, bool cells)
{
	return cells ? &s->meta->cell_counts : &s->meta->partition_sizes;
}

/*
 * Into the longest series of all. An SSTable's overflow (its last bucket) goes to the overflow of
 * the sum. One SSTable with other buckets, or without any, makes the sum unknown: a part would be
 * taken for the whole.
 */
static struct histogram merge(struct arena *a, const struct table *t, bool cells)
{
	const struct histogram *longest = NULL;
	struct histogram sum = { 0 };
	uint64_t *count;

	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct histogram *h = part_of(t->sstables[i], cells);

		if (h->n < 2)
			return sum;
		if (!longest || h->n > longest->n)
			longest = h;
	}
	if (!longest)
		return sum;
	count = arena_array(a, longest->n, sizeof(*count));
	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct histogram *h = part_of(t->sstables[i], cells);

		if (!same_buckets(h, longest))
			return sum;
		for (size_t k = 0; k + 1 < h->n; k++)
			count[k] += h->count[k];
		count[longest->n - 1] += h->count[h->n - 1];
	}
	return (struct histogram){ .n = longest->n, .offset = longest->offset, .count = count };
}

void measure_table(struct arena *a, struct table *t)
{
	t->measures = (struct measures){ 0 };
	measure_rows(t);
	measure_ttls(t);
	t->measures.partition_sizes = merge(a, t, false);
	t->measures.cell_counts = merge(a, t, true);
}

/* ---- both forms ---- */

static bool differs(struct opt_i64 x, struct opt_i64 y)
{
	return x.known && y.known && x.v != y.v;
}

static const char *first_difference(const struct sstable_meta *x, const struct sstable_meta *y)
{
	const struct { const char *name; struct opt_i64 x, y; } fields[] = {
		{ "minimum timestamp", x->min_ts, y->min_ts },
		{ "maximum timestamp", x->max_ts, y->max_ts },
		{ "minimum local deletion time", x->min_ldt_s, y->min_ldt_s },
		{ "maximum local deletion time", x->max_ldt_s, y->max_ldt_s },
		{ "minimum TTL", x->min_ttl_s, y->min_ttl_s },
		{ "maximum TTL", x->max_ttl_s, y->max_ttl_s },
		{ "first token", x->first_token, y->first_token },
		{ "last token", x->last_token, y->last_token },
		{ "level", x->level, y->level },
	};

	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (differs(fields[i].x, fields[i].y))
			return fields[i].name;
	if (x->repair_known && y->repair_known && x->repaired_at_ms != y->repaired_at_ms)
		return "repair time";
	return NULL;
}

void measure_difference(struct node *n, const struct table *t, const struct sstable_meta *x,
			const struct sstable_meta *y)
{
	struct cluster *c = n->cluster;
	const char *what = x->native != y->native ? first_difference(x, y) : NULL;

	if (!what || c->fine_notes.n >= DIFFERENCES_TOLD)
		return;
	*vec_add(c->arena, &c->fine_notes) = arena_printf(
		c->arena,
		"%s: %s of %s: Statistics.db and sstablemetadata differ in the %s; %s is used",
		n->name, x->name, t->full_name, what, x->native ? "Statistics.db" : "the text");
}
