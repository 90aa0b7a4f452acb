/*
 * Blockers: who holds what, in the order they must go, what each frees, and whether a compaction
 * of one blocked SSTable alone would drop it.
 *
 * A blocked SSTable's blockers are a prefix of the not expired SSTables by minimum timestamp: each
 * of them must go, no smaller set helps (twcs-semantics 6 G). So everything here is prefixes,
 * suffixes and binary searches; only the lists that are printed are written out.
 */
#include "model/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* Which instances an SSTable counts for, one bit each. */
struct mask { uint64_t w[INSTANCES_MAX / 64]; };

struct candidate {
	struct sstable *s;
	struct mask seen_by;
	size_t n_blocks, n_alone;
	int64_t held_bytes, freed_bytes;
	bool blocks_later;	/* makes a live SSTable too late by its own expiry */
};

struct work {
	struct analysis *an;
	struct candidate *c;	/* by minimum timestamp: rank order */
	size_t n;
	size_t *index;		/* of by_min position -> candidate, SIZE_MAX = none */
};

static void lower(int64_t *slot, int64_t v)
{
	if (v < *slot)
		*slot = v;
}

/* ---- alone: would a user-defined compaction of this one drop it? ---- */

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

/* Number of ranges that begin at or before the token. */
static size_t begin_up_to(const struct analysis *an, int64_t token)
{
	size_t lo = 0, hi = an->n_ranged;

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
	for (size_t i = 0; i < al->n; i++) {
		const struct sstable_key *k = &an->t->sstables[an->by_first[i].at]->key;

		al->tree[al->n + i] = k->live ? k->min_ts : INT64_MAX;
	}
	for (size_t i = al->n; i > 1; i--)
		al->tree[i - 1] = al->tree[2 * i - 2] < al->tree[2 * i - 1] ? al->tree[2 * i - 2]
									     : al->tree[2 * i - 1];
	for (size_t i = 0; i < an->n_usable; i++) {
		const struct sstable_key *k = &an->t->sstables[i]->key;

		if (k->live && !k->has_range)
			lower(&al->anywhere, k->min_ts);
	}
}

/* The ranges [from, to) all begin at one token. */
static void ask_alone(struct alone *al, size_t from, size_t to)
{
	const struct analysis *an = al->an;

	for (size_t i = from; i < to; i++) {
		const struct span *r = &an->by_first[i].span;
		struct sstable *s = an->t->sstables[an->by_first[i].at];
		int64_t lowest = al->anywhere;

		if (s->key.live)
			continue;
		while (al->n_heap && al->heap[0].last < r->first)
			heap_pop(al);
		if (al->n_heap)
			lower(&lowest, al->heap[0].min_ts);
		lower(&lowest, lowest_beginning(al, from, begin_up_to(an, r->last)));
		s->alone = s->key.max_ts < lowest;
	}
	for (size_t i = from; i < to; i++) {
		const struct sstable_key *k = &an->t->sstables[an->by_first[i].at]->key;

		if (k->live)
			heap_push(al, (struct begun){ k->min_ts, k->last_token });
	}
}

void analyse_alone(struct analysis *an)
{
	struct alone al;
	int64_t all = INT64_MAX;

	if (an->t->n_unusable)
		return;		/* one that cannot be judged may share keys: not promised */
	alone_init(&al, an);
	for (size_t i = 0, end; i < al.n; i = end) {
		for (end = i + 1; end < al.n &&
				  an->by_first[end].span.first == an->by_first[i].span.first; end++)
			;
		ask_alone(&al, i, end);
	}
	for (size_t i = 0; i < an->n_usable; i++)
		if (an->t->sstables[i]->key.live)
			lower(&all, an->t->sstables[i]->key.min_ts);
	for (size_t i = 0; i < an->n_usable; i++) {
		struct sstable *s = an->t->sstables[i];

		if (s->key.live)
			continue;
		if (!s->key.has_range)
			s->alone = s->key.max_ts < all;
		s->alone = (s->alone || an->ignore_overlaps) &&
			   !an->views[s->key.instance].purge_held;
	}
}

/* ---- candidates ---- */

static bool is_held(const struct sstable *s)
{
	return s->state == SST_BLOCKED && s->hold == HOLD_SSTABLE;
}

/* Its expiry comes later than the normal delay after that one (INT64_MAX = there is none). */
static bool outlasts(const struct analysis *an, const struct sstable *h, int64_t expiry)
{
	return expiry != INT64_MAX &&
	       sub_saturated(expiry_of(an, h), expiry) > table_normal_delay_s(an->t);
}

/* Per member, from the newest back: held SSTables and bytes, soonest expiries. */
struct suffixes { int64_t *bytes, *soonest, *soonest_held; };

static struct suffixes sum_members(const struct analysis *an, struct instance_view *v)
{
	size_t n = v->n_members;
	struct suffixes sum = {
		.bytes = arena_array(an->tmp, n + 1, sizeof(int64_t)),
		.soonest = arena_array(an->tmp, n + 1, sizeof(int64_t)),
		.soonest_held = arena_array(an->tmp, n + 1, sizeof(int64_t)),
	};

	v->held_from = arena_array(an->tmp, n + 1, sizeof(*v->held_from));
	v->alone_from = arena_array(an->tmp, n + 1, sizeof(*v->alone_from));
	v->later = arena_array(an->tmp, n, sizeof(*v->later));
	sum.soonest[n] = sum.soonest_held[n] = INT64_MAX;
	for (size_t i = n; i > 0; i--) {
		const struct sstable *f = v->members[i - 1];
		bool held = is_held(f);

		v->held_from[i - 1] = v->held_from[i] + held;
		v->alone_from[i - 1] = v->alone_from[i] + (held && f->alone);
		v->later[i - 1] = is_forecast_candidate(an, f) ? expiry_of(an, f) : INT64_MAX;
		sum.bytes[i - 1] = add_saturated(sum.bytes[i], held ? f->bytes.v : 0);
		sum.soonest[i - 1] = sum.soonest[i];
		sum.soonest_held[i - 1] = sum.soonest_held[i];
		lower(&sum.soonest[i - 1], v->later[i - 1]);
		if (held)
			lower(&sum.soonest_held[i - 1], expiry_of(an, f));
	}
	return sum;
}

/* Counts what each SSTable seen by the instance blocks there; marks those that will. */
static void count_blocks(struct work *w, size_t index, struct candidate *per, const size_t *slot)
{
	const struct analysis *an = w->an;
	struct instance_view *v = &an->views[index];
	struct suffixes sum = sum_members(an, v);

	for (size_t i = 0; i < v->n_seen; i++) {
		struct sstable *h = v->seen[i];
		struct candidate *c = &per[slot[i]];
		size_t from;

		if (has_expired(an, h))
			continue;
		from = view_member_from(v, h->key.min_ts);
		c->s = h;
		c->seen_by.w[index / 64] |= (uint64_t)1 << index % 64;
		c->n_blocks += v->held_from[from];
		c->n_alone += v->alone_from[from];
		c->held_bytes = add_saturated(c->held_bytes, sum.bytes[from]);
		c->blocks_later = c->blocks_later || outlasts(an, h, sum.soonest[from]);
		h->makes_late = h->makes_late || c->blocks_later ||
				outlasts(an, h, sum.soonest_held[from]);
	}
}

/* Position in by_min of everything the instance sees; both lists have the same order. */
static size_t *seen_slots(const struct analysis *an, const struct instance_view *v)
{
	size_t *slot = arena_array(an->tmp, v->n_seen, sizeof(*slot));

	for (size_t i = 0, k = 0; i < v->n_seen; i++, k++) {
		while (an->by_min[k] != v->seen[i])
			k++;
		slot[i] = k;
	}
	return slot;
}

static void find_candidates(struct work *w)
{
	struct analysis *an = w->an;
	struct candidate *per = arena_array(an->tmp, an->n_usable, sizeof(*per));

	w->index = arena_array(an->tmp, an->n_usable, sizeof(*w->index));
	for (size_t i = 0; i < an->t->n_instances; i++)
		count_blocks(w, i, per, seen_slots(an, &an->views[i]));
	for (size_t i = 0; i < an->n_usable; i++) {
		w->index[i] = SIZE_MAX;
		if (!per[i].n_blocks && !per[i].blocks_later)
			continue;
		w->index[i] = w->n;
		per[w->n++] = per[i];
	}
	w->c = per;
}

static void add_bytes(int64_t *sum, const struct sstable *s)
{
	*sum = add_saturated(*sum, s->bytes.v);
}

/*
 * An SSTable goes when the last blocker of its prefix goes; what goes with the first k blockers is
 * the sum over ranks up to k.
 */
static void add_freed(struct work *w)
{
	const struct analysis *an = w->an;
	int64_t sum = 0;

	for (size_t k = 0; k < an->t->n_instances; k++) {
		const struct instance_view *v = &an->views[k];
		size_t *slot = seen_slots(an, v);
		size_t *last_live = arena_array(an->tmp, v->n_seen + 1, sizeof(*last_live));

		for (size_t i = 0; i < v->n_seen; i++)
			last_live[i + 1] = has_expired(an, v->seen[i]) ? last_live[i] : slot[i];
		for (size_t i = 0; i < v->n_members; i++) {
			const struct sstable *f = v->members[i];

			if (is_held(f))
				add_bytes(&w->c[w->index[last_live[view_reaching(
							v, f->key.max_ts)]]].freed_bytes, f);
		}
	}
	for (size_t i = 0; i < w->n; i++) {
		sum = add_saturated(sum, w->c[i].freed_bytes);
		w->c[i].freed_bytes = sum;
	}
}

/* ---- the windows' lists ---- */

struct mask_class {
	struct mask seen_by;
	size_t *ranks;		/* of candidates that block now, rising */
	int64_t *min_ts;	/* theirs */
	size_t n;
};

struct classes { struct mask_class *v; size_t n; };

static const struct work *sort_work;	/* qsort has no context; one thread */

static int by_mask(const void *x, const void *y)
{
	size_t p = *(const size_t *)x, q = *(const size_t *)y;
	int c = memcmp(&sort_work->c[p].seen_by, &sort_work->c[q].seen_by, sizeof(struct mask));

	return c ? c : (p > q) - (p < q);
}

/* Groups the blocking candidates by the instances that see them: few groups, each by rank. */
static struct classes make_classes(struct work *w)
{
	struct classes out = { 0 };
	size_t *ranks = arena_array(w->an->tmp, w->n, sizeof(*ranks));
	int64_t *min_ts = arena_array(w->an->tmp, w->n, sizeof(*min_ts));
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->c[i].n_blocks)
			ranks[n++] = i;
	sort_work = w;
	qsort(ranks, n, sizeof(*ranks), by_mask);
	out.v = arena_array(w->an->tmp, n, sizeof(*out.v));
	for (size_t i = 0; i < n; i++) {
		struct mask_class *last = out.n ? &out.v[out.n - 1] : NULL;

		if (!last || memcmp(&last->seen_by, &w->c[ranks[i]].seen_by, sizeof(struct mask))) {
			last = &out.v[out.n++];
			last->seen_by = w->c[ranks[i]].seen_by;
			last->ranks = &ranks[i];
			last->min_ts = &min_ts[i];
		}
		min_ts[i] = w->c[ranks[i]].s->key.min_ts;
		last->n++;
	}
	return out;
}

static bool mask_has(const struct mask *m, unsigned i)
{
	return m->w[i / 64] >> i % 64 & 1;
}

static size_t ranks_up_to(const struct mask_class *c, int64_t ts)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->min_ts[mid] <= ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int cmp_size(const void *x, const void *y)
{
	size_t p = *(const size_t *)x, q = *(const size_t *)y;

	return (p > q) - (p < q);
}

/* The union of the prefixes of the window's blocked SSTables: its true, minimal blocker set. */
/* `found` has room for LIST_MAX ranks of each class. */
static void list_blocked(struct work *w, const struct classes *cl, size_t *found,
			 struct window *win)
{
	size_t n_found = 0;

	for (size_t k = 0; k < cl->n; k++) {
		const struct mask_class *c = &cl->v[k];
		int64_t reach = INT64_MIN;
		bool any = false;
		size_t n;

		for (size_t i = 0; i < win->n_sstables; i++) {
			const struct sstable *s = win->sstables[i];

			if (is_held(s) && mask_has(&c->seen_by, s->key.instance)) {
				any = true;
				if (s->key.max_ts > reach)
					reach = s->key.max_ts;
			}
		}
		n = any ? ranks_up_to(c, reach) : 0;
		win->n_blockers += n;
		for (size_t i = 0; i < n && i < LIST_MAX; i++)
			found[n_found++] = c->ranks[i];
	}
	if (n_found)
		qsort(found, n_found, sizeof(*found), cmp_size);
	n_found = n_found < LIST_MAX ? n_found : LIST_MAX;
	win->blockers = arena_array(w->an->a, n_found, sizeof(*win->blockers));
	for (size_t i = 0; i < n_found; i++)
		win->blockers[i] = w->c[found[i]].s;
}

static int by_min_ts(const void *x, const void *y)
{
	const struct sstable *p = *(struct sstable *const *)x, *q = *(struct sstable *const *)y;
	int64_t a = p->key.min_ts, b = q->key.min_ts;

	int c = a != b ? (a > b) - (a < b) : strcmp(p->name, q->name);

	return c ? c : (p->disk > q->disk) - (p->disk < q->disk);
}

/*
 * A window that is not blocked yet: those that clear last for each of its SSTables. `by` has room
 * for one each.
 */
static void list_later(struct work *w, struct sstable **by, struct window *win)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < win->n_sstables; i++)
		if (win->sstables[i]->blocked_by)
			by[n++] = win->sstables[i]->blocked_by;
	if (n)
		qsort(by, n, sizeof(*by), by_min_ts);
	for (size_t i = 0; i < n; i++)
		if (!i || by[i] != by[i - 1])
			by[kept++] = by[i];
	win->n_blockers = kept;
	kept = kept < LIST_MAX ? kept : LIST_MAX;
	win->blockers = arena_array(w->an->a, kept, sizeof(*win->blockers));
	if (kept)
		memcpy(win->blockers, by, kept * sizeof(*by));
}

static void list_windows(struct work *w)
{
	struct classes cl = make_classes(w);
	size_t *found = arena_array(w->an->tmp, cl.n * LIST_MAX, sizeof(*found));
	struct sstable **by = arena_array(w->an->tmp, w->an->n_usable, sizeof(*by));

	for (size_t i = 0; i < w->an->t->n_windows; i++) {
		struct window *win = &w->an->t->windows[i];

		if (win->held_bytes || win->state == WIN_BLOCKED)
			list_blocked(w, &cl, found, win);
		else if (win->too_late)
			list_later(w, by, win);
	}
}

/* ---- the report's list ---- */

static int by_max_ts(const void *x, const void *y)
{
	const struct sstable *p = *(struct sstable *const *)x, *q = *(struct sstable *const *)y;
	int64_t a = p->key.max_ts, b = q->key.max_ts;

	int c = a != b ? (a > b) - (a < b) : strcmp(p->name, q->name);

	return c ? c : (p->disk > q->disk) - (p->disk < q->disk);
}

/* Adds the first SSTables that `h` holds in one instance; returns how many there are then. */
static size_t add_held(const struct instance_view *v, const struct sstable *h,
		       struct sstable **list, size_t n)
{
	size_t from = view_member_from(v, h->key.min_ts), added = 0;

	for (size_t i = from; v->held_from[i] && added < LIST_MAX; i++) {
		if (v->held_from[i] == v->held_from[i + 1])
			continue;
		list[n++] = v->members[i];
		added++;
	}
	return n;
}

static size_t count_later(const struct analysis *an, const struct instance_view *v,
			  const struct sstable *h)
{
	int64_t limit = sub_saturated(expiry_of(an, h), table_normal_delay_s(an->t));
	size_t n = 0;

	for (size_t i = view_member_from(v, h->key.min_ts); i < v->n_members; i++)
		n += v->later[i] < limit;
	return n;
}

static void fill_blocker(struct work *w, struct blocker *b, const struct candidate *c)
{
	const struct analysis *an = w->an;
	size_t n_instances = an->t->n_instances, n = 0;
	struct sstable **list = arena_array(an->tmp, n_instances * LIST_MAX, sizeof(*list));

	b->sstable = c->s;
	b->n_blocks = c->n_blocks;
	b->n_alone = c->n_alone;
	b->held_bytes = c->held_bytes;
	b->freed_bytes = c->freed_bytes;
	b->clears_at_s = expiry_of(an, c->s);
	for (size_t i = 0; i < n_instances; i++) {
		if (!(c->seen_by.w[i / 64] >> i % 64 & 1))
			continue;
		n = add_held(&an->views[i], c->s, list, n);
		b->n_will_block += count_later(an, &an->views[i], c->s);
	}
	if (n)
		qsort(list, n, sizeof(*list), by_max_ts);
	n = n < LIST_MAX ? n : LIST_MAX;
	b->blocks = arena_array(an->a, LIST_MAX, sizeof(*b->blocks));
	if (n)
		memcpy(b->blocks, list, n * sizeof(*list));
}

void analyse_blockers(struct analysis *an)
{
	struct table *t = an->t;
	struct work w = { .an = an };

	if (an->ignore_overlaps)
		return;		/* nothing blocks while the option is in force */
	find_candidates(&w);
	add_freed(&w);
	list_windows(&w);
	t->n_blockers_all = w.n;
	t->n_blockers = w.n < BLOCKERS_MAX ? w.n : BLOCKERS_MAX;
	t->blockers = arena_array(an->a, t->n_blockers, sizeof(*t->blockers));
	for (size_t i = 0; i < t->n_blockers; i++) {
		struct blocker *b = &t->blockers[i];

		b->rank = (unsigned)i + 1;
		fill_blocker(&w, b, &w.c[i]);
		b->cause = cause_of(an, b->sstable, &b->evidence);
		b->sstable->as_blocker = b;
		add_actions(an, b);
	}
}
