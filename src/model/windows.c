/*
 * The pass over all SSTables that writes the verdicts, and what they add up to: windows with their
 * states, totals, bytes freed by day, and how many SSTables the design allows.
 */
#include "model/analysis.h"

#include <string.h>

enum { AHEAD = 16 };

static enum window_state sstable_in_window(const struct analysis *an, const struct sstable *s,
					   const struct window *w)
{
	bool open = w->start_s > an->now_s || (w->start_s <= an->now_s && an->now_s < w->end_s) ||
		    w->start_s == an->t->instances[s->instance].highest_window_s;

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

static void add_total(struct table *t, enum sstable_state state, int64_t bytes)
{
	if (state == SST_BLOCKED) {
		t->n_blocked++;
		t->held_bytes = add_saturated(t->held_bytes, bytes);
	} else if (state == SST_DROPPABLE) {
		t->n_droppable++;
		t->droppable_bytes = add_saturated(t->droppable_bytes, bytes);
	}
}

/* The items are the days from now on, until the forecast is made. */
static void add_day(struct analysis *an, const struct sstable *s, uint32_t number)
{
	int64_t at = s->droppable_at_s.v;

	if (!s->droppable_at_s.known || at == TIME_NEVER || !an->keys[number].bytes_known)
		return;
	at = at > an->now_s ? at : an->now_s;
	an->items[an->n_days++] = (struct sort_item){ at - at % 86400, number };
}

/* Fetches the verdict's place in an SSTable that comes soon. */
static void fetch_ahead(const struct analysis *an, size_t number)
{
	struct sstable *s = number < an->n_usable ? an->t->sstables[number] : NULL;

	if (s) {
		PREFETCH(&s->instance);
		PREFETCH(&s->makes_late);
	}
}

/* The SSTables from `first` on, w->n_sstables of them, are judged and added up. */
static void fill_window(struct analysis *an, struct sweep *sw, struct window *w, size_t first)
{
	bool has[WIN_UNKNOWN + 1] = { false };

	w->expired_at_s = w->droppable_at_s = some_i64(0);
	for (size_t i = 0; i < w->n_sstables; i++) {
		const struct sstable *s = w->sstables[i];
		const struct key *k = &an->keys[first + i];

		fetch_ahead(an, first + i + AHEAD);
		judge_sstable(an, sw, (uint32_t)(first + i));
		add_total(an->t, s->state, k->bytes);
		add_day(an, s, (uint32_t)(first + i));
		has[sstable_in_window(an, s, w)] = true;
		w->bytes = add_saturated(w->bytes, k->bytes);
		if (s->state == SST_BLOCKED)
			w->held_bytes = add_saturated(w->held_bytes, k->bytes);
		w->too_late = w->too_late || s->too_late;
		latest_time(&w->expired_at_s, some_i64(k->expiry_s), i == 0);
		latest_time(&w->droppable_at_s, s->droppable_at_s, i == 0);
	}
	for (size_t i = ARRAY_LEN(precedence); i > 0; i--)
		if (has[precedence[i - 1]])
			w->state = precedence[i - 1];
}

void make_windows(struct analysis *an, struct sweep *sw)
{
	struct table *t = an->t;
	const struct key *k = an->keys;
	size_t n = 0;

	an->blocked_by = arena_array(an->tmp, an->n_usable, sizeof(*an->blocked_by));
	for (size_t i = 0; i < an->n_usable; i++)
		n += i == 0 || k[i].window_start_s != k[i - 1].window_start_s;
	t->windows = arena_array(an->a, n, sizeof(*t->windows));
	for (size_t i = 0; i < an->n_usable;) {
		struct window *w = &t->windows[t->n_windows++];
		size_t end = i;

		w->start_s = k[i].window_start_s;
		w->end_s = add_saturated(w->start_s, t->settings.window_s.v);
		while (end < an->n_usable && k[end].window_start_s == w->start_s)
			end++;
		w->sstables = &t->sstables[i];
		w->n_sstables = end - i;
		fill_window(an, sw, w, i);
		i = end;
	}
}

/* ---- forecast ---- */

void make_forecast(struct analysis *an)
{
	struct table *t = an->t;
	size_t n = an->n_days < FORECAST_DAYS ? an->n_days : FORECAST_DAYS;

	sort_by_key(an->items, an->spare, an->n_days);
	t->forecast = arena_array(an->a, n, sizeof(*t->forecast));
	for (size_t i = 0; i < an->n_days; i++) {
		struct forecast_day *last = &t->forecast[t->n_forecast];

		if (!t->n_forecast || last[-1].day_s != an->items[i].key) {
			if (t->n_forecast == FORECAST_DAYS)
				break;
			t->n_forecast++;
			*last++ = (struct forecast_day){ .day_s = an->items[i].key };
		}
		last[-1].freed_bytes = add_saturated(last[-1].freed_bytes,
						     an->keys[an->items[i].at].bytes);
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
