/*
 * Alone: would a user-defined compaction of one expired SSTable drop it whole? Then no SSTable that
 * is not expired and shares keys with it reaches down to its maximum timestamp.
 */
#include "model/analysis.h"

/*
 * Which not expired SSTables share keys with an expired one: those that begin in its range, and
 * those that begin before it and reach into it. Both are asked for while walking over the ranges
 * in the order of their first tokens: the former from a tree of minima over that order, the latter
 * from a heap of what has begun, by minimum timestamp, from which is thrown away what has ended.
 */
struct begun { int64_t min_ts, last; };

struct alone {
	const struct analysis *an;
	size_t n;		/* ranges */
	int64_t *tree;		/* 2 n minima; leaves from n on */
	struct begun *heap;
	size_t n_heap;
	int64_t anywhere;	/* lowest minimum timestamp of those whose range is not known */
};

static void heap_push(struct alone *al, struct begun b)
{
	size_t i = al->n_heap++;

	for (; i && al->heap[(i - 1) / 2].min_ts > b.min_ts; i = (i - 1) / 2)
		al->heap[i] = al->heap[(i - 1) / 2];
	al->heap[i] = b;
}

static void heap_pop(struct alone *al)
{
	struct begun last = al->heap[--al->n_heap];
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < al->n_heap; i = child) {
		if (child + 1 < al->n_heap && al->heap[child + 1].min_ts < al->heap[child].min_ts)
			child++;
		if (al->heap[child].min_ts >= last.min_ts)
			break;
		al->heap[i] = al->heap[child];
	}
	al->heap[i] = last;
}

/* Lowest minimum timestamp of what begins in the ranges [from, to). */
static int64_t lowest_beginning(const struct alone *al, size_t from, size_t to)
{
	int64_t best = INT64_MAX;

	for (from += al->n, to += al->n; from < to; from /= 2, to /= 2) {
		if (from & 1)
			lower(&best, al->tree[from++]);
		if (to & 1)
			lower(&best, al->tree[--to]);
	}
	return best;
}

/*
 * Number of ranges that begin at or before the token, of which there are `from` at least. Steps of
 * growing width: mostly it is not far.
 */
static size_t begin_up_to(const struct analysis *an, size_t from, int64_t token)
{
	size_t lo = from, hi = from, step = 1;

	for (; hi < an->n_ranged && an->by_first[hi].span.first <= token; step *= 2) {
		lo = hi + 1;
		hi = an->n_ranged - hi > step ? hi + step : an->n_ranged;
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (an->by_first[mid].span.first <= token)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void alone_init(struct alone *al, const struct analysis *an)
{
	*al = (struct alone){ .an = an, .n = an->n_ranged, .anywhere = INT64_MAX };
	al->tree = arena_array(an->tmp, 2 * al->n + 1, sizeof(*al->tree));
	al->heap = arena_array(an->tmp, al->n, sizeof(*al->heap));
	for (size_t i = 0; i < al->n; i++)
		al->tree[al->n + i] = an->by_first[i].live ? an->by_first[i].min_ts : INT64_MAX;
	for (size_t i = al->n; i > 1; i--)
		al->tree[i - 1] = al->tree[2 * i - 2] < al->tree[2 * i - 1] ? al->tree[2 * i - 2]
									     : al->tree[2 * i - 1];
	for (size_t i = 0; i < an->n_unranged; i++) {
		const struct key *k = &an->keys[an->unranged[i]];

		if (k->live)
			lower(&al->anywhere, k->min_ts);
	}
}

/* The ranges [from, to) all begin at one token. */
static void ask_alone(struct alone *al, size_t from, size_t to)
{
	const struct analysis *an = al->an;

	for (size_t i = from; i < to; i++) {
		const struct ranged *r = &an->by_first[i];
		int64_t lowest = al->anywhere;

		if (r->live)
			continue;
		while (al->n_heap && al->heap[0].last < r->span.first)
			heap_pop(al);
		if (al->n_heap)
			lower(&lowest, al->heap[0].min_ts);
		lower(&lowest, lowest_beginning(al, from, begin_up_to(an, to, r->span.last)));
		an->alone[r->at] = r->max_ts < lowest;
	}
	for (size_t i = from; i < to; i++)
		if (an->by_first[i].live)
			heap_push(al, (struct begun){ an->by_first[i].min_ts,
						      an->by_first[i].span.last });
}

/* Lowest minimum timestamp of all that is live. */
static int64_t lowest_live(const struct analysis *an)
{
	for (size_t i = 0; i < an->n_usable; i++)
		if (an->low.live[i])
			return an->low.min_ts[i];
	return INT64_MAX;
}

void analyse_alone(struct analysis *an)
{
	struct alone al;
	int64_t lowest = lowest_live(an);

	an->alone = arena_array(an->tmp, an->n_usable, sizeof(*an->alone));
	if (an->t->n_unusable)
		return;		/* one that cannot be judged may share keys: not promised */
	alone_init(&al, an);
	for (size_t i = 0, end; i < al.n; i = end) {
		for (end = i + 1; end < al.n &&
				  an->by_first[end].span.first == an->by_first[i].span.first; end++)
			;
		ask_alone(&al, i, end);
	}
	for (size_t i = 0; i < an->n_unranged; i++)
		an->alone[an->unranged[i]] = an->keys[an->unranged[i]].max_ts < lowest;
	for (size_t i = 0; i < an->n_usable; i++)
		an->alone[i] = (an->alone[i] || an->ignore_overlaps) && !an->keys[i].live &&
			       !an->views[an->keys[i].instance].purge_held;
}
