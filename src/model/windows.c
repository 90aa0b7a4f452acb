/*
 * What the verdicts on SSTables add up to: windows with their states, totals, bytes freed by day,
 * and how many SSTables the design allows.
 */
#include "model/analysis.h"

#include <stdlib.h>
#include <string.h>

static int cmp_i64(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static enum window_state sstable_in_window(const struct analysis *an, const struct sstable *s,
					   const struct window *w)
{
	bool open = w->start_s > an->now_s || (w->start_s <= an->now_s && an->now_s < w->end_s) ||
		    w->start_s == an->t->instances[s->key.instance].highest_window_s;

	switch (s->state) {
	case SST_BLOCKED:
		return WIN_BLOCKED;
	case SST_NEVER_EXPIRES:
		return WIN_NEVER;
	case SST_UNKNOWN:
		return WIN_UNKNOWN;
	case SST_DROPPABLE:
		return WIN_DROPPABLE;
	default:
		if (s->too_late)
			return WIN_WILL_BLOCK;
		if (open)
			return WIN_OPEN;
		return s->state == SST_LIVE ? WIN_LIVE : WIN_GC_GRACE;
	}
}

/* The report's order: the first of these that any SSTable has. */
static const enum window_state precedence[] = {
	WIN_BLOCKED, WIN_NEVER, WIN_UNKNOWN, WIN_WILL_BLOCK, WIN_OPEN, WIN_LIVE, WIN_GC_GRACE,
	WIN_DROPPABLE,
};

static void latest_time(struct opt_i64 *into, struct opt_i64 v, bool first)
{
	if ((v.known && v.v == TIME_NEVER) || (!first && into->known && into->v == TIME_NEVER))
		*into = some_i64(TIME_NEVER);
	else if (!v.known || (!first && !into->known))
		into->known = false;
	else if (first || v.v > into->v)
		*into = v;
}

static void fill_window(struct analysis *an, struct window *w)
{
	bool has[WIN_UNKNOWN + 1] = { false };

	w->expired_at_s = w->droppable_at_s = some_i64(0);
	for (size_t i = 0; i < w->n_sstables; i++) {
		const struct sstable *s = w->sstables[i];

		has[sstable_in_window(an, s, w)] = true;
		w->bytes = add_saturated(w->bytes, s->bytes.v);
		if (s->state == SST_BLOCKED)
			w->held_bytes = add_saturated(w->held_bytes, s->bytes.v);
		w->too_late = w->too_late || s->too_late;
		latest_time(&w->expired_at_s, s->expired_at_s, i == 0);
		latest_time(&w->droppable_at_s, s->droppable_at_s, i == 0);
	}
	for (size_t i = ARRAY_LEN(precedence); i > 0; i--)
		if (has[precedence[i - 1]])
			w->state = precedence[i - 1];
}

void make_windows(struct analysis *an)
{
	struct table *t = an->t;
	size_t n = 0;

	for (size_t i = 0; i < an->n_usable; i++)
		n += i == 0 || t->sstables[i]->window_start_s != t->sstables[i - 1]->window_start_s;
	t->windows = arena_array(an->a, n, sizeof(*t->windows));
	for (size_t i = 0; i < an->n_usable;) {
		struct window *w = &t->windows[t->n_windows++];
		size_t end = i;

		w->start_s = t->sstables[i]->window_start_s;
		w->end_s = add_saturated(w->start_s, t->settings.window_s.v);
		while (end < an->n_usable && t->sstables[end]->window_start_s == w->start_s)
			end++;
		w->sstables = &t->sstables[i];
		w->n_sstables = end - i;
		fill_window(an, w);
		i = end;
	}
}

/* ---- totals and forecast ---- */

static int by_day(const void *x, const void *y)
{
	const struct forecast_day *p = x, *q = y;

	return cmp_i64(p->day_s, q->day_s);
}

void make_forecast(struct analysis *an)
{
	struct table *t = an->t;
	struct forecast_day *days = arena_array(an->a, an->n_usable, sizeof(*days));
	size_t n = 0, out = 0;

	for (size_t i = 0; i < an->n_usable; i++) {
		const struct sstable *s = t->sstables[i];
		int64_t at = s->droppable_at_s.v;

		if (!s->droppable_at_s.known || at == TIME_NEVER || !s->bytes.known)
			continue;
		at = at > an->now_s ? at : an->now_s;
		days[n++] = (struct forecast_day){ at - at % 86400, s->bytes.v };
	}
	qsort(days, n, sizeof(*days), by_day);
	for (size_t i = 0; i < n; i++) {
		if (out && days[out - 1].day_s == days[i].day_s)
			days[out - 1].freed_bytes = add_saturated(days[out - 1].freed_bytes,
								  days[i].freed_bytes);
		else
			days[out++] = days[i];
	}
	t->forecast = days;
	t->n_forecast = out < FORECAST_DAYS ? out : FORECAST_DAYS;
}

void add_totals(struct analysis *an)
{
	struct table *t = an->t;

	for (size_t i = 0; i < an->n_usable; i++) {
		const struct sstable *s = t->sstables[i];

		if (s->state == SST_BLOCKED) {
			t->n_blocked++;
			t->held_bytes = add_saturated(t->held_bytes, s->bytes.v);
		} else if (s->state == SST_DROPPABLE) {
			t->n_droppable++;
			t->droppable_bytes = add_saturated(t->droppable_bytes, s->bytes.v);
		}
	}
}

/*
 * TTL ÷ window SSTables at least; at most what sstable-count allows: for each directory and repair
 * group one for each window kept, and 9 for the current one (min_threshold 4).
 */
void expect_counts(struct analysis *an)
{
	struct table *t = an->t;
	int64_t w = t->settings.window_s.v, ttl = t->ttl_s.v, keep, groups = 0;

	if (!t->ttl_s.known || ttl <= 0 || node_is_scylla(t->node))
		return;
	for (size_t i = 0; i < t->n_instances; i++) {
		size_t k = 0;

		while (k < i && strcmp(t->instances[k].repair, t->instances[i].repair) != 0)
			k++;
		groups += k == i;
	}
	groups = groups ? groups : 1;
	keep = add_saturated(add_saturated(ttl, an->gc_grace_s), t->settings.check_interval_s);
	t->expected_low = some_i64(((ttl - 1) / w + 1) * t->n_disks);
	t->expected_high = some_i64(groups * t->n_disks * ((keep - 1) / w + 1 + 9));
}
