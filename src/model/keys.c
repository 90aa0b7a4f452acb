/*
 * Keys: the one pass over SSTables and their metadata that takes out what the rules look at, and
 * the order of a table's SSTables.
 */
#include "model/analysis.h"

#include <stdlib.h>
#include <string.h>

enum { FUTURE_TOLERANCE_S = 600, AHEAD = 8 };

/* ---- groups ---- */

struct group group_of(const struct analysis *an, const struct sstable *s)
{
	const struct sstable_meta *m = s->meta;
	bool old = an->one_for_all_disks;

	return (struct group){ .disk = old ? 0 : s->disk,
			       .pending = old ? NULL : m->pending_repair,
			       .repaired = m->repaired_at_ms && (old || !m->pending_repair) };
}

int group_compare(const struct group *p, const struct group *q)
{
	int c = (p->disk > q->disk) - (p->disk < q->disk);

	if (!c)
		c = (p->pending != NULL) - (q->pending != NULL);
	if (!c && p->pending)
		c = strcmp(p->pending, q->pending);
	return c ? c : (int)p->repaired - (int)q->repaired;
}

/* Its place among the groups met so far. When there are too many, any: nothing is judged then. */
static uint16_t find_group(struct analysis *an, const struct sstable *s)
{
	struct group g = group_of(an, s);
	size_t i = 0;

	if (an->n_groups > INSTANCES_MAX)
		return 0;
	while (i < an->n_groups && group_compare(&an->groups[i], &g) != 0)
		i++;
	if (i == an->n_groups)
		an->groups[an->n_groups++] = g;
	return (uint16_t)i;
}

/* ---- keys ---- */

static bool is_usable(const struct sstable *s)
{
	const struct sstable_meta *m = s->meta;

	return s->metadata >= METADATA_PARTIAL && m->min_ts.known && m->max_ts.known &&
	       m->max_ldt_s.known && m->repair_known && m->min_ts.v <= m->max_ts.v;
}

/* Tokens of an SSTable that cannot be judged count as well: may it block? */
static void fill_key(struct analysis *an, struct sstable *s, struct key *k)
{
	const struct sstable_meta *m = s->meta;
	const struct settings *set = &an->t->settings;

	k->tokens = (struct span){ m->first_token.v, m->last_token.v };
	k->has_range = m->first_token.known && m->last_token.known &&
		       k->tokens.first <= k->tokens.last;
	k->instance = NOT_USABLE;
	if (!s->usable)
		return;
	k->min_ts = m->min_ts.v;
	k->max_ts = m->max_ts.v;
	k->expiry_s = add_saturated(add_saturated(m->max_ldt_s.v, an->gc_grace_s), 1);
	k->live = k->expiry_s > an->now_s;
	k->in_grace = an->now_s >= m->max_ldt_s.v;
	k->bytes = s->bytes.v;
	k->bytes_known = s->bytes.known;
	k->instance = find_group(an, s);
	if (set->gc_grace_s.known)
		s->expired_at_s = some_i64(k->expiry_s);
	if (set->window_s.known)
		s->window_start_s = k->window_start_s =
			window_start(k->max_ts, set->resolution, set->window_s.v);
}

/* TTL for the arithmetic: the default, else the largest one seen. */
static void note_ttls(struct analysis *an, const struct sstable_meta *m)
{
	struct table *t = an->t;
	struct opt_i64 max = m->max_ttl_s, def = t->settings.default_ttl_s, least = m->min_ttl_s;

	if (!(def.known && def.v > 0) && max.known && max.v > 0 &&
	    (!t->ttl_s.known || max.v > t->ttl_s.v))
		t->ttl_s = max;
	if (!least.known || least.v <= 0)
		least = max;
	if (least.known && least.v > 0 && least.v < an->shortest_ttl_s)
		an->shortest_ttl_s = least.v;
}

static void settle_settings(struct analysis *an)
{
	struct table *t = an->t;

	if (t->settings.default_ttl_s.known && t->settings.default_ttl_s.v > 0)
		t->ttl_s = t->settings.default_ttl_s;
	if (!t->future_tolerance_s && t->lateness_s > FUTURE_TOLERANCE_S)
		t->future_tolerance_s = t->lateness_s;
	if (!t->lateness_s && t->settings.window_s.known)
		t->lateness_s = t->settings.window_s.v;
	if (!t->future_tolerance_s)
		t->future_tolerance_s = FUTURE_TOLERANCE_S;
}

static void count_disks(struct analysis *an, const bool *disks, size_t n)
{
	struct table *t = an->t;

	t->n_disks = 0;
	for (size_t i = 0; i < n; i++)
		t->n_disks += disks[i];
	if (!t->n_disks || an->one_for_all_disks)
		t->n_disks = 1;		/* before 3.2 the directories shared their strategies */
}

/* The metadata of what comes soon is asked for early, what points to it still earlier. */
static void fetch_ahead(const struct table *t, size_t i)
{
	if (i + 2 * AHEAD < t->n_sstables)
		PREFETCH(t->sstables[i + 2 * AHEAD]);
	if (i + AHEAD < t->n_sstables) {
		const char *meta = (const char *)t->sstables[i + AHEAD]->meta;

		for (size_t at = 0; at < sizeof(struct sstable_meta); at += 64)
			PREFETCH(meta + at);
	}
}

/* Keys in the order in which the SSTables were found. */
static void make_keys(struct analysis *an)
{
	struct table *t = an->t;
	bool disks[256] = { false };

	for (size_t i = 0; i < t->n_sstables; i++) {
		struct sstable *s = t->sstables[i];

		fetch_ahead(t, i);
		s->usable = is_usable(s);
		t->n_unusable += !s->usable;
		fill_key(an, s, &an->keys[i]);
		analyse_cause(an, s, s->usable ? &an->keys[i] : NULL);
		note_ttls(an, s->meta);
		disks[s->disk % ARRAY_LEN(disks)] = true;
	}
	count_disks(an, disks, ARRAY_LEN(disks));
}

/* ---- order ---- */

struct named { const struct sstable *s; uint32_t at; };

/* Name, then directory; what has even these in common stays as it was found. */
static int by_name(const void *x, const void *y)
{
	const struct named *p = x, *q = y;
	int c = strcmp(p->s->name, q->s->name);

	if (!c)
		c = (p->s->disk > q->s->disk) - (p->s->disk < q->s->disk);
	return c ? c : (p->at > q->at) - (p->at < q->at);
}

static void sort_named(struct analysis *an, struct sort_item *v, size_t n)
{
	struct named *named = arena_array(an->tmp, n, sizeof(*named));

	for (size_t i = 0; i < n; i++)
		named[i] = (struct named){ an->t->sstables[v[i].at], v[i].at };
	qsort(named, n, sizeof(*named), by_name);
	for (size_t i = 0; i < n; i++)
		v[i].at = named[i].at;
}

/* The usable ones by maximum timestamp, then the rest; each by name where that leaves it open. */
static void find_order(struct analysis *an)
{
	struct sort_item *v = an->items;
	size_t n = 0, rest = an->n_usable;

	for (size_t i = 0; i < an->t->n_sstables; i++)
		v[an->keys[i].instance == NOT_USABLE ? rest++ : n++] =
			(struct sort_item){ an->keys[i].max_ts, (uint32_t)i };
	sort_by_key(v, an->spare, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end].key == v[i].key; end++)
			;
		if (end - i > 1)
			sort_named(an, &v[i], end - i);
	}
	if (rest - n > 1)
		sort_named(an, &v[n], rest - n);
}

/* Moves keys and SSTables to their places, one circle of moves after the other. */
static void put_in_order(struct analysis *an)
{
	struct sstable **s = an->t->sstables;

	for (uint32_t i = 0; i < an->t->n_sstables; i++) {
		struct key key = an->keys[i];
		struct sstable *first = s[i];
		uint32_t to = i, from;

		for (; (from = an->items[to].at) != i; to = from) {
			an->keys[to] = an->keys[from];
			s[to] = s[from];
			an->items[to].at = to;
		}
		an->keys[to] = key;
		s[to] = first;
		an->items[to].at = to;
	}
}

void analyse_keys(struct analysis *an)
{
	struct table *t = an->t;
	size_t n = t->n_sstables;

	t->n_unusable = t->n_blocked = t->n_droppable = 0;
	an->shortest_ttl_s = INT64_MAX;
	an->keys = arena_array(an->tmp, n, sizeof(*an->keys));
	an->items = arena_array(an->tmp, n, sizeof(*an->items));
	an->spare = arena_array(an->tmp, n, sizeof(*an->spare));
	an->groups = arena_array(an->tmp, INSTANCES_MAX + 1, sizeof(*an->groups));
	settle_settings(an);
	make_keys(an);
	an->n_usable = n - t->n_unusable;
	find_order(an);
	put_in_order(an);
	analyse_ttls(an);
}
