#include "model/sizes.h"

#include <math.h>
#include <stdlib.h>

static double next_offset(double v)
{
	double n = floor(v * 1.2 + 0.5);

	return n == v ? v + 1 : n;
}

struct interval bucket_of(double printed)
{
	double low = 0, high = 1;

	if (!(printed > 0) || printed > 9e18)
		return (struct interval){ .known = false };
	while (high < printed && (printed - high) > printed * 0.005) {
		low = high;
		high = next_offset(high);
	}
	/* The bound may lie a little to either side of a rounded number. */
	if (fabs(high - printed) > printed * 0.005)
		return (struct interval){ .low = printed, .high = printed, .known = true };
	return (struct interval){ .low = low, .high = high, .known = true };
}

static struct interval of_sstable(const struct sstable *s)
{
	if (!s->meta->max_partition_bytes.known)
		return (struct interval){ .known = false };
	return bucket_of((double)s->meta->max_partition_bytes.v);
}

/* ---- one window: the most that SSTables sharing a token can add up to ---- */

struct edge { int64_t token; bool end; double bytes; };

static int by_token(const void *x, const void *y)
{
	const struct edge *p = x, *q = y;

	if (p->token != q->token)
		return p->token < q->token ? -1 : 1;
	return (int)p->end - (int)q->end;	/* ranges include their ends: starts come first */
}

static double most_in_window(struct arena *a, const struct window *w)
{
	struct edge *edges = arena_array(a, 2 * w->n_sstables, sizeof(*edges));
	double everywhere = 0, sum = 0, most = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->n_sstables; i++) {
		const struct sstable_meta *m = w->sstables[i]->meta;
		struct interval size = of_sstable(w->sstables[i]);

		if (!size.known)
			continue;
		if (!m->first_token.known || !m->last_token.known ||
		    m->first_token.v > m->last_token.v) {
			everywhere += size.high;
			continue;
		}
		edges[n++] = (struct edge){ m->first_token.v, false, size.high };
		edges[n++] = (struct edge){ m->last_token.v, true, size.high };
	}
	if (n)
		qsort(edges, n, sizeof(*edges), by_token);
	for (size_t i = 0; i < n; i++) {
		sum += edges[i].end ? -edges[i].bytes : edges[i].bytes;
		most = sum > most ? sum : most;
	}
	return most + everywhere;
}

static struct interval from_sstables(struct arena *a, const struct table *t,
				     const struct window **window)
{
	struct interval out = { .known = false };

	for (size_t i = 0; i < t->n_sstables; i++) {
		struct interval size = of_sstable(t->sstables[i]);

		if (!size.known)
			continue;
		out.low = size.low > out.low ? size.low : out.low;
		out.high = size.high > out.high ? size.high : out.high;
		out.known = true;
	}
	for (size_t i = 0; i < t->n_windows; i++) {
		double most = t->windows[i].n_sstables > 1 ? most_in_window(a, &t->windows[i]) : 0;

		if (out.known && most > out.high) {
			out.high = most;
			*window = &t->windows[i];
		}
	}
	return out;
}

/* The largest partition is no smaller than any percentile. */
static struct interval at_least_percentile(const struct table_histograms *h)
{
	struct interval out = { .known = false };

	for (int i = RANK_P50; i <= RANK_P99; i++) {
		struct interval v = { .known = false };

		if (h->rows[i].size_bytes.known && !h->rows[i].size_overflow)
			v = bucket_of((double)h->rows[i].size_bytes.v);
		if (v.known && (!out.known || v.low > out.low))
			out = v;
	}
	out.at_least = out.known;
	return out;
}

static struct interval from_nodetool(const struct table *t)
{
	const struct histogram_row *max = t->histograms ? &t->histograms->rows[RANK_MAX] : NULL;

	if (max && max->size_bytes.known && !max->size_overflow)
		return bucket_of((double)max->size_bytes.v);
	if (t->stats && t->stats->partition_max_bytes.known)
		return bucket_of((double)t->stats->partition_max_bytes.v);
	if (t->histograms && !max->size_overflow)
		return at_least_percentile(t->histograms);
	return (struct interval){ .known = false };
}

/* Every SSTable's size was read; a part alone must not be taken for the whole. */
static bool all_known(const struct table *t)
{
	for (size_t i = 0; i < t->n_sstables; i++)
		if (!of_sstable(t->sstables[i]).known)
			return false;
	return t->n_sstables > 0;
}

/* What some SSTables tell, and what nodetool prints of all of them. */
static struct interval combine(struct interval some, struct interval all)
{
	if (!some.known)
		return all;
	if (!all.known) {
		some.at_least = true;
		return some;
	}
	all.low = some.low > all.low ? some.low : all.low;
	all.high = some.high > all.high ? some.high : all.high;
	return all;
}

struct interval table_largest_partition(const struct table *t,
					const struct window **window)
{
	struct arena *tmp = arena_create();
	const struct window *w = NULL;
	struct interval size = from_sstables(tmp, t, &w);

	arena_destroy(tmp);
	if (window)
		*window = w;
	return all_known(t) ? size : combine(size, from_nodetool(t));
}
