/*
 * Windows, strategy instances and expiry: which SSTables the server drops whole, which are held,
 * and when each goes.
 *
 * Rules: Cassandra TimeWindowCompactionStrategy.getNextBackgroundSSTables and
 * CompactionController.getFullyExpiredSSTables, 3.0 to 5.0 (twcs-semantics sections 4 and 6).
 * Sorting, one sweep over merged token ranges, prefix maxima and binary searches: O(n log n) time
 * and O(n) memory for each instance; pairs are never listed.
 */
#include "model/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"

enum { FUTURE_TOLERANCE_S = 600 };

static int cmp_i64(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

int64_t table_normal_delay_s(const struct table *t)
{
	return add_saturated(t->settings.window_s.v, t->settings.check_interval_s);
}

int64_t expiry_of(const struct analysis *an, const struct sstable *s)
{
	(void)an;
	return s->key.expiry_s;
}

bool has_expired(const struct analysis *an, const struct sstable *s)
{
	(void)an;
	return !s->key.live;
}

bool is_forecast_candidate(const struct analysis *an, const struct sstable *s)
{
	return !has_expired(an, s) && !s->key.future && s->key.expiry_s != TIME_NEVER;
}

/*
 * Sorting keys lie beside the pointers: with 100 000 SSTables, following two pointers in every
 * comparison costs more than the sort.
 */
struct keyed { int64_t key; struct sstable *s; };

/* SSTables of one key: by maximum timestamp, then name, then directory. */
static int by_identity(const struct sstable *p, const struct sstable *q)
{
	int c = 0;

	if (p->usable && q->usable)
		c = cmp_i64(p->key.max_ts, q->key.max_ts);
	if (!c)
		c = strcmp(p->name, q->name);
	return c ? c : cmp_i64(p->disk, q->disk);
}

static int by_key(const void *x, const void *y)
{
	const struct keyed *p = x, *q = y;
	int c = cmp_i64(p->key, q->key);

	return c ? c : by_identity(p->s, q->s);
}

static void sort_by(struct analysis *an, struct sstable **v, size_t n, bool by_max)
{
	struct keyed *k = arena_array(an->tmp, n, sizeof(*k));

	for (size_t i = 0; i < n; i++)
		k[i] = (struct keyed){ by_max ? v[i]->key.max_ts : v[i]->key.min_ts, v[i] };
	if (n)
		qsort(k, n, sizeof(*k), by_key);
	for (size_t i = 0; i < n; i++)
		v[i] = k[i].s;
}

/* The usable ones first, by maximum timestamp; then the rest by name. */
static void sort_sstables(struct analysis *an)
{
	struct table *t = an->t;
	struct sstable **rest = arena_array(an->tmp, t->n_unusable, sizeof(*rest));
	size_t n = 0, r = 0;

	for (size_t i = 0; i < t->n_sstables; i++) {
		if (t->sstables[i]->usable)
			t->sstables[n++] = t->sstables[i];
		else
			rest[r++] = t->sstables[i];
	}
	sort_by(an, t->sstables, n, true);
	for (size_t i = 0; i < r; i++)
		t->sstables[n + i] = rest[i];
	if (r) {
		struct keyed *k = arena_array(an->tmp, r, sizeof(*k));

		for (size_t i = 0; i < r; i++)
			k[i] = (struct keyed){ 0, rest[i] };
		qsort(k, r, sizeof(*k), by_key);
		for (size_t i = 0; i < r; i++)
			t->sstables[n + i] = k[i].s;
	}
}

static bool is_usable(const struct sstable *s)
{
	const struct sstable_meta *m = s->meta;

	return s->metadata >= METADATA_PARTIAL && m->min_ts.known && m->max_ts.known &&
	       m->max_ldt_s.known && m->repair_known && m->min_ts.v <= m->max_ts.v;
}

/* ---- instances ---- */

static bool is_release_30(const struct node *n)
{
	int r = node_release_number(n);

	return r && r < 30200 && !node_is_scylla(n);
}

/* What keeps SSTables apart. Before 4.0 there are no pending repairs: an id is not looked at. */
struct group { unsigned disk; bool repaired; const char *pending; };

static struct group group_of(const struct analysis *an, const struct sstable *s)
{
	const struct sstable_meta *m = s->meta;
	bool old = an->one_for_all_disks;

	return (struct group){ .disk = old ? 0 : s->disk,
			       .pending = old ? NULL : m->pending_repair,
			       .repaired = m->repaired_at_ms && (old || !m->pending_repair) };
}

static int cmp_groups(const struct group *p, const struct group *q)
{
	int c = cmp_i64(p->disk, q->disk);

	if (!c)
		c = (p->pending != NULL) - (q->pending != NULL);
	if (!c && p->pending)
		c = strcmp(p->pending, q->pending);
	return c ? c : (int)p->repaired - (int)q->repaired;
}

static int by_group(const void *x, const void *y)
{
	return cmp_groups(x, y);
}

/* Distinct groups, at most INSTANCES_MAX + 1; neighbours mostly are of one group. */
static size_t find_groups(const struct analysis *an, struct group *out)
{
	size_t n = 0;

	for (size_t i = 0; i < an->n_usable && n <= INSTANCES_MAX; i++) {
		struct group g = group_of(an, an->t->sstables[i]);
		size_t k = 0;

		while (k < n && cmp_groups(&out[k], &g) != 0)
			k++;
		if (k == n)
			out[n++] = g;
	}
	if (n)
		qsort(out, n, sizeof(*out), by_group);
	return n;
}

static void name_instance(struct analysis *an, struct instance *in, const struct group *g)
{
	in->disk = g->disk;
	in->repair = g->pending ? arena_printf(an->a, "pending:%s", g->pending)
		     : g->repaired ? "repaired" : "unrepaired";
	in->group = an->t->n_disks > 1 ? arena_printf(an->a, "%s/%u", in->repair, g->disk)
				       : in->repair;
}

/* False when there are more instances than we judge. */
static bool make_instances(struct analysis *an)
{
	struct group *groups = arena_array(an->tmp, INSTANCES_MAX + 1, sizeof(*groups));
	struct table *t = an->t;
	size_t n = find_groups(an, groups);

	if (n > INSTANCES_MAX || n * an->n_usable > VIEWS_MAX)
		return false;
	t->n_instances = n;
	t->instances = arena_array(an->a, n, sizeof(*t->instances));
	an->views = arena_array(an->tmp, n, sizeof(*an->views));
	for (size_t i = 0; i < n; i++)
		name_instance(an, &t->instances[i], &groups[i]);
	for (size_t i = 0; i < an->n_usable; i++) {
		struct group g = group_of(an, t->sstables[i]);
		const struct group *at = bsearch(&g, groups, n, sizeof(*groups), by_group);

		t->sstables[i]->instance = t->sstables[i]->key.instance = (unsigned)(at - groups);
		t->instances[at - groups].n_sstables++;
	}
	for (size_t i = 0; i < n; i++) {
		struct instance_view *v = &an->views[i];

		v->members = arena_array(an->tmp, t->instances[i].n_sstables, sizeof(*v->members));
		v->member_max = arena_array(an->tmp, t->instances[i].n_sstables, sizeof(int64_t));
	}
	for (size_t i = 0; i < an->n_usable; i++) {
		struct sstable *s = t->sstables[i];
		struct instance_view *v = &an->views[s->key.instance];

		v->member_max[v->n_members] = s->key.max_ts;
		v->members[v->n_members++] = s;
		t->instances[s->key.instance].highest_window_s = s->window_start_s;
	}
	return true;
}

/* ---- token ranges ---- */

static int by_first_token(const void *x, const void *y)
{
	const struct ranged *p = x, *q = y;
	int c = cmp_i64(p->span.first, q->span.first);

	return c ? c : (p->at > q->at) - (p->at < q->at);
}

/* Sorted once; every instance's merged ranges and what meets them come from sweeps over this. */
static void sort_ranges(struct analysis *an)
{
	an->by_first = arena_array(an->tmp, an->n_usable, sizeof(*an->by_first));
	for (size_t i = 0; i < an->n_usable; i++) {
		struct sstable_key *k = &an->t->sstables[i]->key;

		k->at = (uint32_t)i;
		if (k->has_range)
			an->by_first[an->n_ranged++] = (struct ranged){
				{ k->first_token, k->last_token }, k->at };
	}
	if (an->n_ranged)
		qsort(an->by_first, an->n_ranged, sizeof(*an->by_first), by_first_token);
}

static void merge_ranges(struct analysis *an, size_t index)
{
	struct instance_view *v = &an->views[index];
	size_t n = 0, members = 0;

	v->spans = arena_array(an->tmp, v->n_members, sizeof(*v->spans));
	for (size_t i = 0; i < an->n_ranged; i++) {
		const struct span *r = &an->by_first[i].span;

		if (an->t->sstables[an->by_first[i].at]->key.instance != index)
			continue;
		members++;
		if (!n || r->first > v->spans[n - 1].last)
			v->spans[n++] = *r;
		else if (r->last > v->spans[n - 1].last)
			v->spans[n - 1].last = r->last;
	}
	v->n_spans = n;
	v->everything = members < v->n_members;
}

/* meets[at] for every SSTable: its own, unknown ranges, and what its merged ranges meet. */
static void find_meeting(const struct analysis *an, size_t index, bool *meets)
{
	const struct instance_view *v = &an->views[index];
	size_t at = 0;

	for (size_t i = 0; i < an->n_usable; i++) {
		const struct sstable_key *k = &an->t->sstables[i]->key;

		meets[i] = v->everything || !k->has_range || k->instance == index;
	}
	for (size_t i = 0; i < an->n_ranged && !v->everything; i++) {
		const struct span *r = &an->by_first[i].span;

		while (at < v->n_spans && v->spans[at].last < r->first)
			at++;
		if (at == v->n_spans)
			break;
		if (v->spans[at].first <= r->last)
			meets[an->by_first[i].at] = true;
	}
}

bool view_meets(const struct instance_view *v, const struct sstable *s)
{
	size_t lo = 0, hi = v->n_spans;

	if (v->everything || !s->key.has_range)
		return true;
	while (lo < hi) {	/* first merged range that ends at or after our first token */
		size_t mid = lo + (hi - lo) / 2;

		if (v->spans[mid].last < s->key.first_token)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < v->n_spans && v->spans[lo].first <= s->key.last_token;
}

size_t view_reaching(const struct instance_view *v, int64_t ts)
{
	size_t lo = 0, hi = v->n_seen;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v->seen_min[mid] <= ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t view_member_from(const struct instance_view *v, int64_t ts)
{
	size_t lo = 0, hi = v->n_members;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v->member_max[mid] < ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* ---- what an instance sees ---- */

static void look(struct analysis *an, size_t index, bool *meets)
{
	struct instance_view *v = &an->views[index];
	struct instance *in = &an->t->instances[index];
	int64_t latest = INT64_MIN;
	size_t n = 0;

	merge_ranges(an, index);
	find_meeting(an, index, meets);
	v->seen = arena_array(an->tmp, an->n_usable, sizeof(*v->seen));
	for (size_t i = 0; i < an->n_usable; i++)
		if (meets[an->by_min[i]->key.at])
			v->seen[n++] = an->by_min[i];
	v->n_seen = n;
	v->seen_min = arena_array(an->tmp, n, sizeof(*v->seen_min));
	v->latest = arena_array(an->tmp, n, sizeof(*v->latest));
	v->live_before = arena_array(an->tmp, n + 1, sizeof(*v->live_before));
	for (size_t i = 0; i < n; i++) {
		const struct sstable *s = v->seen[i];
		bool live = !has_expired(an, s);

		v->seen_min[i] = s->key.min_ts;
		if (i && latest >= expiry_of(an, s)) {
			v->latest[i] = v->latest[i - 1];
		} else {
			v->latest[i] = i;
			latest = expiry_of(an, s);
		}
		v->live_before[i + 1] = v->live_before[i] + live;
		if (live && !in->barrier_ts.known)
			in->barrier_ts = some_i64(s->key.min_ts);
	}
	v->purge_held = an->t->settings.only_purge_repaired && strcmp(in->repair, "repaired") != 0;
}

/*
 * An SSTable without usable metadata may block: in every instance when its group is not known,
 * else in its own and where its range may meet.
 */
static bool may_block(const struct analysis *an, const struct sstable *s, size_t index)
{
	struct group mine = group_of(an, an->views[index].members[0]), g;

	if (s->metadata < METADATA_PARTIAL || !s->meta->repair_known)
		return true;
	g = group_of(an, s);
	if (cmp_groups(&g, &mine) == 0)
		return true;
	return view_meets(&an->views[index], s);
}

static void mark_unknown(struct analysis *an)
{
	for (size_t i = an->n_usable; i < an->t->n_sstables; i++)
		for (size_t k = 0; k < an->t->n_instances; k++)
			if (may_block(an, an->t->sstables[i], k))
				an->t->instances[k].has_unknown = true;
}

/* ---- verdicts ---- */

static void judge_expired(struct analysis *an, struct sstable *s, const struct instance *in,
			  const struct instance_view *v, size_t reaching)
{
	s->state = SST_BLOCKED;
	if (v->purge_held) {
		s->hold = HOLD_PURGE_REPAIRED;
		s->droppable_at_s = some_i64(TIME_NEVER);
		s->too_late = true;
	} else if (an->ignore_overlaps ||
		   (!v->live_before[reaching] && s->key.max_ts != INT64_MAX)) {
		s->state = !an->ignore_overlaps && in->has_unknown ? SST_UNKNOWN : SST_DROPPABLE;
	} else if (s->key.future) {
		s->hold = HOLD_OWN_FUTURE;
		s->too_late = true;
	} else {
		s->hold = HOLD_SSTABLE;
		s->blocked_by = v->seen[v->latest[reaching - 1]];
	}
}

static void judge_sstable(struct analysis *an, struct sstable *s)
{
	const struct instance *in = &an->t->instances[s->key.instance];
	const struct instance_view *v = &an->views[s->key.instance];
	size_t reaching = view_reaching(v, s->key.max_ts);
	struct sstable *last = v->seen[v->latest[reaching - 1]];
	int64_t expired = expiry_of(an, s), at = expired, delay = table_normal_delay_s(an->t);

	if (!an->ignore_overlaps && expiry_of(an, last) > at)
		at = expiry_of(an, last);
	if (!an->ignore_overlaps && s->key.max_ts == INT64_MAX)
		at = TIME_NEVER;
	s->droppable_at_s = some_i64(at);
	if (in->has_unknown && !an->ignore_overlaps && at != TIME_NEVER)
		s->droppable_at_s = (struct opt_i64){ .known = false };
	if (expired == TIME_NEVER) {
		s->state = SST_NEVER_EXPIRES;
		return;
	}
	if (has_expired(an, s)) {
		judge_expired(an, s, in, v, reaching);
	} else {
		s->state = an->now_s < s->meta->max_ldt_s.v ? SST_LIVE : SST_GC_GRACE;
	}
	if (s->state == SST_BLOCKED ? s->hold == HOLD_SSTABLE : is_forecast_candidate(an, s))
		s->too_late = sub_saturated(at, expired) > delay;
	if (s->too_late && s->hold == HOLD_NONE && last != s)
		s->blocked_by = last;
}

/* ---- the whole ---- */

/* TTL for the arithmetic: the default, else the largest one seen. */
static void find_ttl(struct table *t)
{
	if (t->settings.default_ttl_s.known && t->settings.default_ttl_s.v > 0) {
		t->ttl_s = t->settings.default_ttl_s;
		return;
	}
	for (size_t i = 0; i < t->n_sstables; i++) {
		struct opt_i64 ttl = t->sstables[i]->meta->max_ttl_s;

		if (ttl.known && ttl.v > 0 && (!t->ttl_s.known || ttl.v > t->ttl_s.v))
			t->ttl_s = ttl;
	}
}

/* Tokens of an SSTable that cannot be judged count as well: may it block? */
static void fill_key(const struct analysis *an, struct sstable *s)
{
	const struct sstable_meta *m = s->meta;
	const struct settings *set = &an->t->settings;
	struct sstable_key *k = &s->key;

	k->min_ts = m->min_ts.v;
	k->max_ts = m->max_ts.v;
	k->first_token = m->first_token.v;
	k->last_token = m->last_token.v;
	k->has_range = m->first_token.known && m->last_token.known &&
		       k->first_token <= k->last_token;
	if (!s->usable)
		return;
	k->expiry_s = add_saturated(add_saturated(m->max_ldt_s.v, an->gc_grace_s), 1);
	k->live = k->expiry_s > an->now_s;
	if (set->gc_grace_s.known)
		s->expired_at_s = some_i64(k->expiry_s);
	if (set->window_s.known)
		s->window_start_s = window_start(k->max_ts, set->resolution, set->window_s.v);
}

static void prepare(struct analysis *an)
{
	struct table *t = an->t;
	bool disks[256] = { false };

	t->n_unusable = t->n_blocked = t->n_droppable = 0;
	for (size_t i = 0; i < t->n_sstables; i++) {
		struct sstable *s = t->sstables[i];

		s->usable = is_usable(s);
		t->n_unusable += !s->usable;
		fill_key(an, s);
		disks[s->disk % ARRAY_LEN(disks)] = true;
	}
	for (size_t i = t->n_disks = 0; i < ARRAY_LEN(disks); i++)
		t->n_disks += disks[i];
	if (!t->n_disks || an->one_for_all_disks)
		t->n_disks = 1;		/* before 3.2 the directories shared their strategies */
	sort_sstables(an);
	an->n_usable = t->n_sstables - t->n_unusable;
	find_ttl(t);
	if (!t->future_tolerance_s && t->lateness_s > FUTURE_TOLERANCE_S)
		t->future_tolerance_s = t->lateness_s;
	if (!t->lateness_s && t->settings.window_s.known)
		t->lateness_s = t->settings.window_s.v;
	if (!t->future_tolerance_s)
		t->future_tolerance_s = FUTURE_TOLERANCE_S;
}

static const char *why_not(const struct table *t)
{
	if (!t->settings.strategy)
		return "its compaction strategy is not known (no schema)";
	if (!t->settings.twcs)
		return "it is not on TWCS";
	if (!t->settings.window_s.known)
		return "its window is not known";
	if (!t->settings.gc_grace_s.known)
		return "its gc_grace is not known (no schema)";
	if (node_is_scylla(t->node))
		return "the node's shard count is not known, and each shard judges its own "
		       "SSTables";
	return NULL;
}

/* States that need neither strategy nor window. */
static void judge_without_strategy(struct analysis *an)
{
	const struct table *t = an->t;

	for (size_t i = 0; i < an->n_usable; i++) {
		struct sstable *s = t->sstables[i];

		if (s->meta->max_ldt_s.v == TIME_NEVER)
			s->state = SST_NEVER_EXPIRES;
		else if (an->now_s < s->meta->max_ldt_s.v)
			s->state = SST_LIVE;
		else if (t->settings.gc_grace_s.known && !has_expired(an, s))
			s->state = SST_GC_GRACE;
	}
}

/* The server's rules, for a table on TWCS whose settings are known. */
static void judge(struct analysis *an)
{
	struct table *t = an->t;
	bool *meets;

	an->by_min = arena_array(an->tmp, an->n_usable, sizeof(*an->by_min));
	if (an->n_usable)
		memcpy(an->by_min, t->sstables, an->n_usable * sizeof(*an->by_min));
	sort_by(an, an->by_min, an->n_usable, false);
	sort_ranges(an);
	meets = arena_array(an->tmp, an->n_usable, sizeof(*meets));
	for (size_t i = 0; i < t->n_instances; i++)
		look(an, i, meets);
	mark_unknown(an);
	for (size_t i = 0; i < an->n_usable; i++)
		judge_sstable(an, t->sstables[i]);
	make_windows(an);
	add_totals(an);
	make_forecast(an);
	expect_counts(an);
	analyse_alone(an);
	analyse_blockers(an);
}

void table_analyse(struct arena *a, struct table *t)
{
	struct analysis an = {
		.a = a,
		.tmp = arena_create(),
		.t = t,
		.now_s = t->node->clock_s,
		.gc_grace_s = t->settings.gc_grace_s.v,
		.one_for_all_disks = is_release_30(t->node),
		.ignore_overlaps = t->settings.unsafe_aggressive && !is_release_30(t->node),
	};

	prepare(&an);
	analyse_causes(&an);
	t->not_analysed = why_not(t);
	if (!t->not_analysed && !make_instances(&an))
		t->not_analysed = "it has more data directories and repair groups than are judged";
	if (t->not_analysed) {
		judge_without_strategy(&an);
	} else {
		t->analysed = true;
		judge(&an);
	}
	arena_destroy(an.tmp);
}
