/*
 * Windows, strategy instances and expiry: which SSTables the server drops whole, which are held,
 * and when each goes.
 *
 * Rules: Cassandra TimeWindowCompactionStrategy.getNextBackgroundSSTables and
 * CompactionController.getFullyExpiredSSTables, 3.0 to 5.0 (twcs-semantics sections 4 and 6).
 * Sorting, then sweeps over merged token ranges and over both orders of timestamps: O(n) memory for
 * each instance; pairs are never listed.
 */
#include "model/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"

int64_t table_normal_delay_s(const struct table *t)
{
	return add_saturated(t->settings.window_s.v, t->settings.check_interval_s);
}

bool is_forecast_candidate(const struct key *k)
{
	return k->live && !k->future && k->expiry_s != TIME_NEVER;
}

static bool is_release_30(const struct node *n)
{
	int r = node_release_number(n);

	return r && r < 30200 && !node_is_scylla(n);
}

/* ---- instances ---- */

static void name_instance(struct analysis *an, struct instance *in, const struct group *g)
{
	in->disk = g->disk;
	in->repair = g->pending ? arena_printf(an->a, "pending:%s", g->pending)
		     : g->repaired ? "repaired" : "unrepaired";
	in->group = an->t->n_disks > 1 ? arena_printf(an->a, "%s/%u", in->repair, g->disk)
				       : in->repair;
}

struct placed { struct group group; uint16_t met; };

static int by_group(const void *x, const void *y)
{
	const struct placed *p = x, *q = y;

	return group_compare(&p->group, &q->group);
}

/* The groups in order become the instances; the keys tell them by the order they were met in. */
static void number_instances(struct analysis *an)
{
	struct placed *sorted = arena_array(an->tmp, an->n_groups, sizeof(*sorted));
	uint16_t *number = arena_array(an->tmp, an->n_groups, sizeof(*number));
	struct table *t = an->t;

	for (size_t i = 0; i < an->n_groups; i++)
		sorted[i] = (struct placed){ an->groups[i], (uint16_t)i };
	if (an->n_groups)
		qsort(sorted, an->n_groups, sizeof(*sorted), by_group);
	for (size_t i = 0; i < an->n_groups; i++) {
		number[sorted[i].met] = (uint16_t)i;
		name_instance(an, &t->instances[i], &sorted[i].group);
	}
	for (size_t i = 0; i < an->n_usable; i++) {
		struct instance *in;

		an->keys[i].instance = number[an->keys[i].instance];
		in = &t->instances[an->keys[i].instance];
		in->n_sstables++;
		in->highest_window_s = an->keys[i].window_start_s;
	}
}

/* False when there are more instances than we judge. */
static bool make_instances(struct analysis *an)
{
	struct table *t = an->t;
	size_t n = an->n_groups;

	if (n > INSTANCES_MAX || n * an->n_usable > VIEWS_MAX)
		return false;
	t->n_instances = n;
	t->instances = arena_array(an->a, n, sizeof(*t->instances));
	an->views = arena_array(an->tmp, n, sizeof(*an->views));
	number_instances(an);
	for (size_t i = 0; i < n; i++) {
		struct instance_view *v = &an->views[i];

		v->members = arena_array(an->tmp, t->instances[i].n_sstables, sizeof(*v->members));
		v->member_max = arena_array(an->tmp, t->instances[i].n_sstables, sizeof(int64_t));
	}
	for (size_t i = 0; i < an->n_usable; i++) {
		struct instance_view *v = &an->views[an->keys[i].instance];

		v->member_max[v->n_members] = an->keys[i].max_ts;
		v->members[v->n_members++] = (uint32_t)i;
	}
	return true;
}

/* ---- orders ---- */

/* By minimum timestamp; those of one are in the order of t->sstables already. */
static void sort_lows(struct analysis *an)
{
	struct sort_item *v = an->items;
	size_t n = an->n_usable;

	an->low = (struct lows){
		.at = arena_array(an->tmp, n, sizeof(uint32_t)),
		.min_ts = arena_array(an->tmp, n, sizeof(int64_t)),
		.expiry_s = arena_array(an->tmp, n, sizeof(int64_t)),
		.live = arena_array(an->tmp, n, sizeof(bool)),
	};
	for (size_t i = 0; i < n; i++)
		v[i] = (struct sort_item){ an->keys[i].min_ts, (uint32_t)i };
	sort_by_key(v, an->spare, n);
	for (size_t i = 0; i < n; i++) {
		const struct key *k = &an->keys[v[i].at];

		an->low.at[i] = v[i].at;
		an->low.min_ts[i] = k->min_ts;
		an->low.expiry_s[i] = k->expiry_s;
		an->low.live[i] = k->live;
	}
}

/* Sorted once; every instance's merged ranges and what meets them come from sweeps over this. */
static void sort_ranges(struct analysis *an)
{
	struct sort_item *v = an->items;
	size_t n = 0, rest = 0;

	for (size_t i = 0; i < an->n_usable; i++)
		rest += !an->keys[i].has_range;
	an->unranged = arena_array(an->tmp, rest, sizeof(*an->unranged));
	for (size_t i = 0; i < an->n_usable; i++) {
		if (an->keys[i].has_range)
			v[n++] = (struct sort_item){ an->keys[i].tokens.first, (uint32_t)i };
		else
			an->unranged[an->n_unranged++] = (uint32_t)i;
	}
	sort_by_key(v, an->spare, n);
	an->by_first = arena_array(an->tmp, n, sizeof(*an->by_first));
	an->n_ranged = n;
	for (size_t i = 0; i < n; i++) {
		const struct key *k = &an->keys[v[i].at];

		an->by_first[i] = (struct ranged){
			.span = k->tokens, .min_ts = k->min_ts, .max_ts = k->max_ts,
			.at = v[i].at, .instance = k->instance, .live = k->live,
		};
	}
}

/* ---- token ranges ---- */

static void merge_ranges(struct analysis *an)
{
	for (size_t i = 0; i < an->t->n_instances; i++) {
		struct instance_view *v = &an->views[i];

		v->spans = arena_array(an->tmp, v->n_members, sizeof(*v->spans));
	}
	for (size_t i = 0; i < an->n_ranged; i++) {
		const struct span *r = &an->by_first[i].span;
		struct instance_view *v = &an->views[an->by_first[i].instance];
		struct span *last = v->n_spans ? &v->spans[v->n_spans - 1] : NULL;

		if (!last || r->first > last->last)
			v->spans[v->n_spans++] = *r;
		else if (r->last > last->last)
			last->last = r->last;
	}
	for (size_t i = 0; i < an->n_unranged; i++)
		an->views[an->keys[an->unranged[i]].instance].everything = true;
}

/* meets[at] for every SSTable: its own, unknown ranges, and what its merged ranges meet. */
static void find_meeting(const struct analysis *an, const struct instance_view *v, bool *meets)
{
	size_t span = 0;

	for (size_t i = 0; i < an->n_usable; i++)
		meets[i] = v->everything;
	if (v->everything)
		return;
	for (size_t i = 0; i < v->n_members; i++)
		meets[v->members[i]] = true;
	for (size_t i = 0; i < an->n_unranged; i++)
		meets[an->unranged[i]] = true;
	for (size_t i = 0; i < an->n_ranged; i++) {
		const struct span *r = &an->by_first[i].span;

		while (span < v->n_spans && v->spans[span].last < r->first)
			span++;
		if (span == v->n_spans)
			break;
		if (v->spans[span].first <= r->last)
			meets[an->by_first[i].at] = true;
	}
}

/* True when the token range of that one meets the instance's; unknown ranges meet everything. */
static bool view_meets(const struct instance_view *v, const struct key *k)
{
	size_t lo = 0, hi = v->n_spans;

	if (v->everything || !k->has_range)
		return true;
	while (lo < hi) {	/* first merged range that ends at or after our first token */
		size_t mid = lo + (hi - lo) / 2;

		if (v->spans[mid].last < k->tokens.first)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < v->n_spans && v->spans[lo].first <= k->tokens.last;
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
	size_t n = 0;

	find_meeting(an, v, meets);
	v->seen = arena_array(an->tmp, an->n_usable, sizeof(*v->seen));
	for (size_t low = 0; low < an->n_usable; low++) {
		if (!meets[an->low.at[low]])
			continue;
		v->seen[n++] = (uint32_t)low;
		if (an->low.live[low] && !in->barrier_ts.known)
			in->barrier_ts = some_i64(an->low.min_ts[low]);
	}
	v->n_seen = n;
	v->purge_held = an->t->settings.only_purge_repaired && strcmp(in->repair, "repaired") != 0;
}

/*
 * An SSTable without usable metadata may block: in every instance when its group is not known,
 * else in its own and where its range may meet.
 */
static bool may_block(const struct analysis *an, size_t at, size_t index)
{
	const struct sstable *s = an->t->sstables[at];
	struct group mine = group_of(an, an->t->sstables[an->views[index].members[0]]), g;

	if (s->metadata < METADATA_PARTIAL || !s->meta->repair_known)
		return true;
	g = group_of(an, s);
	if (group_compare(&g, &mine) == 0)
		return true;
	return view_meets(&an->views[index], &an->keys[at]);
}

static void mark_unknown(struct analysis *an)
{
	for (size_t i = an->n_usable; i < an->t->n_sstables; i++)
		for (size_t k = 0; k < an->t->n_instances; k++)
			if (may_block(an, i, k))
				an->t->instances[k].has_unknown = true;
}

/* ---- verdicts ---- */

/*
 * What an instance has seen up to the maximum timestamp that was asked for last: those with a
 * minimum timestamp at or below it.
 */
struct sweep {
	size_t reached;		/* how many of `seen` */
	uint32_t latest;	/* the one of them that expires last, low */
	bool live;		/* one of them is live */
};

static void sweep_to(const struct analysis *an, const struct instance_view *v, struct sweep *sw,
		     int64_t max_ts)
{
	for (; sw->reached < v->n_seen; sw->reached++) {
		uint32_t low = v->seen[sw->reached];

		if (an->low.min_ts[low] > max_ts)
			break;
		if (!sw->reached || an->low.expiry_s[low] > an->low.expiry_s[sw->latest])
			sw->latest = low;
		sw->live = sw->live || an->low.live[low];
	}
}

static void judge_expired(struct analysis *an, struct sstable *s, struct key *k,
			  const struct sweep *sw)
{
	s->state = SST_BLOCKED;
	if (an->views[k->instance].purge_held) {
		s->hold = HOLD_PURGE_REPAIRED;
		s->droppable_at_s = some_i64(TIME_NEVER);
		s->too_late = true;
	} else if (an->ignore_overlaps || (!sw->live && k->max_ts != INT64_MAX)) {
		bool unknown = !an->ignore_overlaps && an->t->instances[k->instance].has_unknown;

		s->state = unknown ? SST_UNKNOWN : SST_DROPPABLE;
	} else if (k->future) {
		s->hold = HOLD_OWN_FUTURE;
		s->too_late = true;
	} else {
		s->hold = HOLD_SSTABLE;
		s->blocked_by = an->t->sstables[an->low.at[sw->latest]];
		k->held = true;
	}
}

/* When it goes; unknown when something that cannot be judged may hold it. */
static struct opt_i64 droppable_at(const struct analysis *an, const struct key *k, int64_t at)
{
	if (an->t->instances[k->instance].has_unknown && !an->ignore_overlaps && at != TIME_NEVER)
		return (struct opt_i64){ .known = false };
	return some_i64(at);
}

void judge_sstable(struct analysis *an, struct sweep *sweeps, uint32_t number)
{
	struct sstable *s = an->t->sstables[number];
	struct key *k = &an->keys[number];
	struct sweep *sw = &sweeps[k->instance];
	int64_t at = k->expiry_s;

	s->instance = k->instance;
	s->alone = an->alone[number];
	sweep_to(an, &an->views[k->instance], sw, k->max_ts);
	if (!an->ignore_overlaps && an->low.expiry_s[sw->latest] > at)
		at = an->low.expiry_s[sw->latest];
	if (!an->ignore_overlaps && k->max_ts == INT64_MAX)
		at = TIME_NEVER;
	s->droppable_at_s = droppable_at(an, k, at);
	if (k->expiry_s == TIME_NEVER) {
		s->state = SST_NEVER_EXPIRES;
		return;
	}
	if (!k->live)
		judge_expired(an, s, k, sw);
	else
		s->state = k->in_grace ? SST_GC_GRACE : SST_LIVE;
	if (s->state == SST_BLOCKED ? s->hold == HOLD_SSTABLE : is_forecast_candidate(k))
		s->too_late = sub_saturated(at, k->expiry_s) > table_normal_delay_s(an->t);
	if (s->too_late && s->hold == HOLD_NONE && an->low.at[sw->latest] != number)
		s->blocked_by = an->t->sstables[an->low.at[sw->latest]];
	if (s->blocked_by)
		an->blocked_by[number] = sw->latest + 1;
}

/* ---- the whole ---- */

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
		else if (!an->keys[i].in_grace)
			s->state = SST_LIVE;
		else if (t->settings.gc_grace_s.known && an->keys[i].live)
			s->state = SST_GC_GRACE;
	}
}

/* The server's rules, for a table on TWCS whose settings are known. */
static void judge(struct analysis *an)
{
	struct table *t = an->t;
	bool *meets = arena_array(an->tmp, an->n_usable, sizeof(*meets));
	struct sweep *sweeps = arena_array(an->tmp, t->n_instances, sizeof(*sweeps));

	sort_lows(an);
	sort_ranges(an);
	merge_ranges(an);
	for (size_t i = 0; i < t->n_instances; i++)
		look(an, i, meets);
	mark_unknown(an);
	analyse_alone(an);
	make_windows(an, sweeps);
	make_forecast(an);
	expect_counts(an);
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

	analyse_keys(&an);
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
