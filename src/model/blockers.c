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
	size_t n_blocks;
	int64_t held_bytes, freed_bytes;
	bool blocks_later;	/* makes a live SSTable too late by its own expiry */
};

struct work {
	struct analysis *an;
	struct candidate *c;	/* by minimum timestamp: rank order */
	size_t n;
	size_t *index;		/* of by_min position -> candidate, SIZE_MAX = none */
};

/* ---- alone: would a user-defined compaction of this one drop it? ---- */

static int cmp_tokens(const void *x, const void *y)
{
	int64_t p = *(const int64_t *)x, q = *(const int64_t *)y;

	return (p > q) - (p < q);
}

static size_t position(const int64_t *tokens, size_t n, int64_t token)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tokens[mid] < token)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Two trees over the sorted tokens: `start` answers "lowest minimum timestamp of the files that
 * begin in [a, b]", `cover` "... of the files whose range covers a".
 */
struct token_trees {
	int64_t *tokens;
	size_t n;
	int64_t *start, *cover;
	int64_t unknown_range;	/* lowest minimum timestamp of files that may hold any key */
	int64_t all;
};

static void lower(int64_t *slot, int64_t v)
{
	if (v < *slot)
		*slot = v;
}

static void trees_add(struct token_trees *tt, const struct sstable_meta *m)
{
	size_t l = position(tt->tokens, tt->n, m->first_token.v) + tt->n;
	size_t r = position(tt->tokens, tt->n, m->last_token.v) + tt->n + 1;

	for (size_t i = l; i; i /= 2)
		lower(&tt->start[i], m->min_ts.v);
	for (; l < r; l /= 2, r /= 2) {
		if (l & 1)
			lower(&tt->cover[l++], m->min_ts.v);
		if (r & 1)
			lower(&tt->cover[--r], m->min_ts.v);
	}
}

/* Lowest minimum timestamp of the files that share keys with the range. */
static int64_t trees_lowest(const struct token_trees *tt, int64_t first, int64_t last)
{
	size_t at = position(tt->tokens, tt->n, first), l = at + tt->n;
	size_t r = position(tt->tokens, tt->n, last) + tt->n + 1;
	int64_t best = tt->unknown_range;

	for (size_t i = l; i; i /= 2)
		lower(&best, tt->cover[i]);
	for (; l < r; l /= 2, r /= 2) {
		if (l & 1)
			lower(&best, tt->start[l++]);
		if (r & 1)
			lower(&best, tt->start[--r]);
	}
	return best;
}

static bool range_known(const struct sstable_meta *m)
{
	return m->first_token.known && m->last_token.known && m->first_token.v <= m->last_token.v;
}

static void trees_build(struct analysis *an, struct token_trees *tt)
{
	size_t size;

	tt->tokens = arena_array(an->tmp, 2 * an->n_usable, sizeof(*tt->tokens));
	for (size_t i = 0; i < an->n_usable; i++) {
		const struct sstable_meta *m = an->t->sstables[i]->meta;

		if (range_known(m)) {
			tt->tokens[tt->n++] = m->first_token.v;
			tt->tokens[tt->n++] = m->last_token.v;
		}
	}
	if (tt->n)
		qsort(tt->tokens, tt->n, sizeof(*tt->tokens), cmp_tokens);
	size = 2 * tt->n + 2;
	tt->start = arena_array(an->tmp, size, sizeof(*tt->start));
	tt->cover = arena_array(an->tmp, size, sizeof(*tt->cover));
	for (size_t i = 0; i < size; i++)
		tt->start[i] = tt->cover[i] = INT64_MAX;
	tt->unknown_range = tt->all = INT64_MAX;
	for (size_t i = 0; i < an->n_usable; i++) {
		const struct sstable *s = an->t->sstables[i];

		if (has_expired(an, s))
			continue;
		lower(&tt->all, s->meta->min_ts.v);
		if (range_known(s->meta))
			trees_add(tt, s->meta);
		else
			lower(&tt->unknown_range, s->meta->min_ts.v);
	}
}

void analyse_alone(struct analysis *an)
{
	struct token_trees tt = { 0 };

	if (an->t->n_unusable)
		return;		/* one that cannot be judged may share keys: not promised */
	trees_build(an, &tt);
	for (size_t i = 0; i < an->n_usable; i++) {
		struct sstable *s = an->t->sstables[i];
		const struct sstable_meta *m = s->meta;
		int64_t lowest = tt.all;

		if (!has_expired(an, s) || an->views[s->instance].purge_held)
			continue;
		if (range_known(m))
			lowest = trees_lowest(&tt, m->first_token.v, m->last_token.v);
		s->alone = an->ignore_overlaps || m->max_ts.v < lowest;
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
	v->later = arena_array(an->tmp, n, sizeof(*v->later));
	sum.soonest[n] = sum.soonest_held[n] = INT64_MAX;
	for (size_t i = n; i > 0; i--) {
		const struct sstable *f = v->members[i - 1];
		bool held = is_held(f);

		v->held_from[i - 1] = v->held_from[i] + held;
		v->later[i - 1] = is_forecast_candidate(an, f) ? expiry_of(an, f) : INT64_MAX;
		sum.bytes[i - 1] = sum.bytes[i] + (held ? f->bytes.v : 0);
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
		from = view_member_from(v, h->meta->min_ts.v);
		c->s = h;
		c->seen_by.w[index / 64] |= (uint64_t)1 << index % 64;
		c->n_blocks += v->held_from[from];
		c->held_bytes += sum.bytes[from];
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
				w->c[w->index[last_live[view_reaching(v, f->meta->max_ts.v)]]]
					.freed_bytes += f->bytes.v;
		}
	}
	for (size_t i = 0; i < w->n; i++) {
		sum += w->c[i].freed_bytes;
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
		min_ts[i] = w->c[ranks[i]].s->meta->min_ts.v;
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
static void list_blocked(struct work *w, const struct classes *cl, struct window *win)
{
	size_t n_found = 0;
	size_t *found = arena_array(w->an->tmp, cl->n * LIST_MAX, sizeof(*found));

	for (size_t k = 0; k < cl->n; k++) {
		const struct mask_class *c = &cl->v[k];
		int64_t reach = INT64_MIN;
		bool any = false;
		size_t n;

		for (size_t i = 0; i < win->n_sstables; i++) {
			const struct sstable *s = win->sstables[i];

			if (is_held(s) && mask_has(&c->seen_by, s->instance)) {
				any = true;
				if (s->meta->max_ts.v > reach)
					reach = s->meta->max_ts.v;
			}
		}
		n = any ? ranks_up_to(c, reach) : 0;
		win->n_blockers += n;
		for (size_t i = 0; i < n && i < LIST_MAX; i++)
			found[n_found++] = c->ranks[i];
	}
	if (n_found)
		qsort(found, n_found, sizeof(*found), cmp_size);
	win->blockers = arena_array(w->an->a, LIST_MAX, sizeof(*win->blockers));
	for (size_t i = 0; i < n_found && i < LIST_MAX; i++)
		win->blockers[i] = w->c[found[i]].s;
}

/* A window that is not blocked yet: those that clear last for each of its SSTables. */
static void list_later(struct work *w, struct window *win)
{
	win->blockers = arena_array(w->an->a, LIST_MAX, sizeof(*win->blockers));
	for (size_t i = 0; i < win->n_sstables; i++) {
		struct sstable *by = win->sstables[i]->blocked_by;
		size_t k = 0;

		while (k < win->n_blockers && win->blockers[k] != by)
			k++;
		if (by && k == win->n_blockers && k < LIST_MAX)
			win->blockers[win->n_blockers++] = by;
	}
}

static void list_windows(struct work *w)
{
	struct classes cl = make_classes(w);

	for (size_t i = 0; i < w->an->t->n_windows; i++) {
		struct window *win = &w->an->t->windows[i];

		if (win->held_bytes || win->state == WIN_BLOCKED)
			list_blocked(w, &cl, win);
		else if (win->too_late)
			list_later(w, win);
	}
}

/* ---- the report's list ---- */

static int by_max_ts(const void *x, const void *y)
{
	const struct sstable *p = *(struct sstable *const *)x, *q = *(struct sstable *const *)y;
	int64_t a = p->meta->max_ts.v, b = q->meta->max_ts.v;

	return a != b ? (a > b) - (a < b) : strcmp(p->name, q->name);
}

/* Adds the first SSTables that `h` holds in one instance; returns how many there are then. */
static size_t add_held(const struct instance_view *v, const struct sstable *h, struct sstable **list,
		       size_t n)
{
	size_t from = view_member_from(v, h->meta->min_ts.v), added = 0;

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

	for (size_t i = view_member_from(v, h->meta->min_ts.v); i < v->n_members; i++)
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
