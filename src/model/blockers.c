/*
 * Blockers: who holds what, in the order they must go, and what each frees.
 *
 * A blocked SSTable's blockers are a prefix of the not expired SSTables by minimum timestamp: each
 * of them must go, no smaller set helps (twcs-semantics 6 G). So everything here is prefixes,
 * suffixes and sweeps over both orders; only the lists that are printed are written out.
 */
#include "model/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* Which instances an SSTable counts for, one bit each. */
struct mask { uint64_t w[INSTANCES_MAX / 64]; };

struct candidate {
	uint32_t low;
	struct mask seen_by;
	size_t n_blocks, n_alone;
	int64_t held_bytes, freed_bytes;
	bool blocks_later;	/* makes a live SSTable too late by its own expiry */
	bool makes_late;	/* ... or one that is held already */
};

struct work {
	struct analysis *an;
	struct candidate *c;	/* by minimum timestamp: rank order */
	size_t n;
	uint32_t *index;	/* of low -> candidate; only of candidates */
};

/* ---- candidates ---- */

static struct sstable *sstable_at(const struct analysis *an, uint32_t low)
{
	return an->t->sstables[an->low.at[low]];
}

/* Its expiry comes later than the normal delay after that one (INT64_MAX = there is none). */
static bool outlasts(const struct analysis *an, int64_t blocker_expiry, int64_t expiry)
{
	return expiry != INT64_MAX &&
	       sub_saturated(blocker_expiry, expiry) > table_normal_delay_s(an->t);
}

/* Per member, from the newest back: held bytes, soonest expiries. */
struct suffix { int64_t bytes, soonest, soonest_held; };

static struct suffix *sum_members(const struct analysis *an, struct instance_view *v)
{
	size_t n = v->n_members;
	struct suffix *sum = arena_array(an->tmp, n + 1, sizeof(*sum));

	v->held_from = arena_array(an->tmp, n + 1, sizeof(*v->held_from));
	v->alone_from = arena_array(an->tmp, n + 1, sizeof(*v->alone_from));
	v->later = arena_array(an->tmp, n, sizeof(*v->later));
	sum[n].soonest = sum[n].soonest_held = INT64_MAX;
	for (size_t i = n; i > 0; i--) {
		const struct key *f = &an->keys[v->members[i - 1]];

		v->held_from[i - 1] = v->held_from[i] + f->held;
		v->alone_from[i - 1] =
			v->alone_from[i] + (f->held && an->alone[v->members[i - 1]]);
		v->later[i - 1] = is_forecast_candidate(f) ? f->expiry_s : INT64_MAX;
		sum[i - 1] = sum[i];
		lower(&sum[i - 1].soonest, v->later[i - 1]);
		if (f->held) {
			sum[i - 1].bytes = add_saturated(sum[i].bytes, f->bytes);
			lower(&sum[i - 1].soonest_held, f->expiry_s);
		}
	}
	return sum;
}

/* How far an instance has been gone through, by rising minimum timestamps. */
struct cursor {
	size_t seen;		/* the next of `seen` */
	size_t member;		/* the first member that the last asked-for one may hold */
	struct suffix *sum;
};

/* What a live SSTable that the instance sees blocks there. */
static void count_blocks(const struct analysis *an, size_t index, struct cursor *at,
			 struct candidate *c)
{
	const struct instance_view *v = &an->views[index];
	int64_t min_ts = an->low.min_ts[c->low], expiry = an->low.expiry_s[c->low];
	const struct suffix *sum;

	while (at->member < v->n_members && v->member_max[at->member] < min_ts)
		at->member++;
	sum = &at->sum[at->member];
	c->seen_by.w[index / 64] |= (uint64_t)1 << index % 64;
	c->n_blocks += v->held_from[at->member];
	c->n_alone += v->alone_from[at->member];
	c->held_bytes = add_saturated(c->held_bytes, sum->bytes);
	c->blocks_later = c->blocks_later || outlasts(an, expiry, sum->soonest);
	c->makes_late = c->makes_late || c->blocks_later ||
			outlasts(an, expiry, sum->soonest_held);
}

static size_t count_live(const struct analysis *an)
{
	size_t n = 0;

	for (size_t i = 0; i < an->n_usable; i++)
		n += an->low.live[i];
	return n;
}

/* Every live SSTable against every instance that sees it. */
static void find_candidates(struct work *w)
{
	struct analysis *an = w->an;
	size_t n = an->t->n_instances;
	struct cursor *at = arena_array(an->tmp, n, sizeof(*at));

	w->c = arena_array(an->tmp, count_live(an), sizeof(*w->c));
	w->index = arena_array(an->tmp, an->n_usable, sizeof(*w->index));
	for (size_t i = 0; i < n; i++)
		at[i].sum = sum_members(an, &an->views[i]);
	for (uint32_t low = 0; low < an->n_usable; low++) {
		struct candidate c = { .low = low };

		for (size_t i = 0; i < n; i++) {
			const struct instance_view *v = &an->views[i];

			if (at[i].seen == v->n_seen || v->seen[at[i].seen] != low)
				continue;
			at[i].seen++;
			if (an->low.live[low])
				count_blocks(an, i, &at[i], &c);
		}
		if (c.makes_late)
			sstable_at(an, low)->makes_late = true;
		if (!c.n_blocks && !c.blocks_later)
			continue;
		w->index[low] = (uint32_t)w->n;
		w->c[w->n++] = c;
	}
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
		uint32_t last = 0;
		size_t at = 0;

		for (size_t i = 0; i < v->n_members; i++) {
			const struct key *f = &an->keys[v->members[i]];

			for (; at < v->n_seen && an->low.min_ts[v->seen[at]] <= f->max_ts; at++)
				if (an->low.live[v->seen[at]])
					last = v->seen[at];
			if (f->held) {
				struct candidate *c = &w->c[w->index[last]];

				c->freed_bytes = add_saturated(c->freed_bytes, f->bytes);
			}
		}
	}
	for (size_t i = 0; i < w->n; i++) {
		sum = add_saturated(sum, w->c[i].freed_bytes);
		w->c[i].freed_bytes = sum;
	}
}

/* ---- the windows' lists ---- */

/* The candidates that block now and are seen by the same instances. */
struct mask_class {
	struct mask seen_by;
	uint32_t *ranks;	/* rising */
	int64_t *min_ts;	/* theirs */
	size_t n;
	size_t reached;		/* how many the windows so far have reached */
};

struct classes { struct mask_class *v; size_t n; };

/* Candidates that block now, those seen by the same instances together, each lot by rank. */
static struct sort_item *sort_by_mask(const struct work *w, size_t *n)
{
	struct sort_item *v = w->an->items;

	for (size_t i = 0; i < w->n; i++)
		if (w->c[i].n_blocks)
			v[(*n)++].at = (uint32_t)i;
	for (size_t word = 0; word * 64 < w->an->t->n_instances; word++) {
		for (size_t i = 0; i < *n; i++)
			v[i].key = (int64_t)w->c[v[i].at].seen_by.w[word];
		sort_by_key(v, w->an->spare, *n);
	}
	return v;
}

/* Few, as there are few groups. */
static struct classes make_classes(struct work *w)
{
	struct classes out = { 0 };
	size_t n = 0;
	struct sort_item *v = sort_by_mask(w, &n);
	uint32_t *ranks = arena_array(w->an->tmp, n, sizeof(*ranks));
	int64_t *min_ts = arena_array(w->an->tmp, n, sizeof(*min_ts));

	out.v = arena_array(w->an->tmp, n, sizeof(*out.v));
	for (size_t i = 0; i < n; i++) {
		const struct candidate *c = &w->c[v[i].at];
		struct mask_class *last = out.n ? &out.v[out.n - 1] : NULL;

		if (!last || memcmp(&last->seen_by, &c->seen_by, sizeof(struct mask))) {
			last = &out.v[out.n++];
			last->seen_by = c->seen_by;
			last->ranks = &ranks[i];
			last->min_ts = &min_ts[i];
		}
		ranks[i] = v[i].at;
		min_ts[i] = w->an->low.min_ts[c->low];
		last->n++;
	}
	return out;
}

static bool mask_has(const struct mask *m, unsigned i)
{
	return m->w[i / 64] >> i % 64 & 1;
}

/*
 * How many of the class hold one of the SSTables [from, to), a window: those down to its newest
 * held one that they are seen from. Windows come in rising order, so does what they reach.
 */
static size_t reach_of_window(const struct analysis *an, struct mask_class *c, size_t from,
			      size_t to)
{
	for (size_t i = to; i > from; i--) {
		const struct key *k = &an->keys[i - 1];

		if (!k->held || !mask_has(&c->seen_by, k->instance))
			continue;
		while (c->reached < c->n && c->min_ts[c->reached] <= k->max_ts)
			c->reached++;
		return c->reached;
	}
	return 0;
}

/* Adds to the LIST_MAX lowest ranks, which are rising. False when it is none of them. */
static bool add_lowest(uint32_t *lowest, size_t *n, uint32_t rank)
{
	size_t i = *n;

	if (i == LIST_MAX && lowest[i - 1] < rank)
		return false;
	if (i == LIST_MAX)
		i--;
	else
		(*n)++;
	for (; i && lowest[i - 1] > rank; i--)
		lowest[i] = lowest[i - 1];
	lowest[i] = rank;
	return true;
}

/* The union of the prefixes of the window's blocked SSTables: its true, minimal blocker set. */
static void list_blocked(struct work *w, const struct classes *cl, struct window *win)
{
	uint32_t lowest[LIST_MAX];
	size_t n_lowest = 0, from = (size_t)(win->sstables - w->an->t->sstables);

	for (size_t k = 0; k < cl->n; k++) {
		struct mask_class *c = &cl->v[k];
		size_t n = reach_of_window(w->an, c, from, from + win->n_sstables);

		win->n_blockers += n;
		for (size_t i = 0; i < n && add_lowest(lowest, &n_lowest, c->ranks[i]); i++)
			;
	}
	win->blockers = arena_array(w->an->a, n_lowest, sizeof(*win->blockers));
	for (size_t i = 0; i < n_lowest; i++)
		win->blockers[i] = sstable_at(w->an, w->c[lowest[i]].low);
}

static int by_min_ts(const void *x, const void *y)
{
	const struct sstable *p = *(struct sstable *const *)x, *q = *(struct sstable *const *)y;
	int64_t a = p->meta->min_ts.v, b = q->meta->min_ts.v;
	int c = a != b ? (a > b) - (a < b) : strcmp(p->name, q->name);

	return c ? c : (p->disk > q->disk) - (p->disk < q->disk);
}

/*
 * A window that is not blocked yet: those that clear last for each of its SSTables. `by` has room
 * for one each.
 */
static void list_later(struct work *w, struct sstable **by, struct window *win)
{
	size_t n = 0, kept = 0, from = (size_t)(win->sstables - w->an->t->sstables);

	for (size_t i = from; i < from + win->n_sstables; i++)
		if (w->an->blocked_by[i])
			by[n++] = sstable_at(w->an, w->an->blocked_by[i] - 1);
	if (n > 1)
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
	struct sstable **by = arena_array(w->an->tmp, w->an->n_usable, sizeof(*by));

	for (size_t i = 0; i < w->an->t->n_windows; i++) {
		struct window *win = &w->an->t->windows[i];

		if (win->held_bytes || win->state == WIN_BLOCKED)
			list_blocked(w, &cl, win);
		else if (win->too_late)
			list_later(w, by, win);
	}
}

/* ---- the report's list ---- */

/* Adds the first SSTables that a blocker holds in one instance; returns how many there are then. */
static size_t add_held(const struct instance_view *v, int64_t min_ts, uint32_t *list, size_t n)
{
	size_t from = view_member_from(v, min_ts), added = 0;

	for (size_t i = from; v->held_from[i] && added < LIST_MAX; i++) {
		if (v->held_from[i] == v->held_from[i + 1])
			continue;
		list[n++] = v->members[i];
		added++;
	}
	return n;
}

static size_t count_later(const struct analysis *an, const struct instance_view *v, uint32_t low)
{
	int64_t limit = sub_saturated(an->low.expiry_s[low], table_normal_delay_s(an->t));
	size_t n = 0;

	for (size_t i = view_member_from(v, an->low.min_ts[low]); i < v->n_members; i++)
		n += v->later[i] < limit;
	return n;
}

static int by_position(const void *x, const void *y)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;

	return (p > q) - (p < q);
}

static void fill_blocker(struct work *w, struct blocker *b, const struct candidate *c)
{
	const struct analysis *an = w->an;
	size_t n_instances = an->t->n_instances, n = 0;
	uint32_t *list = arena_array(an->tmp, n_instances * LIST_MAX, sizeof(*list));

	b->sstable = sstable_at(an, c->low);
	b->n_blocks = c->n_blocks;
	b->n_alone = c->n_alone;
	b->held_bytes = c->held_bytes;
	b->freed_bytes = c->freed_bytes;
	b->clears_at_s = an->low.expiry_s[c->low];
	for (size_t i = 0; i < n_instances; i++) {
		if (!mask_has(&c->seen_by, (unsigned)i))
			continue;
		n = add_held(&an->views[i], an->low.min_ts[c->low], list, n);
		b->n_will_block += count_later(an, &an->views[i], c->low);
	}
	if (n)
		qsort(list, n, sizeof(*list), by_position);
	n = n < LIST_MAX ? n : LIST_MAX;
	b->blocks = arena_array(an->a, LIST_MAX, sizeof(*b->blocks));
	for (size_t i = 0; i < n; i++)
		b->blocks[i] = an->t->sstables[list[i]];
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
