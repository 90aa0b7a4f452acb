/*
 * The literal reading of the expiry rules: see reference.h. Nothing here is clever on purpose.
 */
#include "reference.h"

#include <string.h>

int64_t reference_window_start(int64_t ts, int64_t units_per_second, int64_t window_s)
{
	int64_t ms, sec;

	if (units_per_second >= 1000)
		ms = ts / (units_per_second / 1000);
	else if (ts > INT64_MAX / 1000)
		ms = INT64_MAX;
	else if (ts < INT64_MIN / 1000)
		ms = INT64_MIN;
	else
		ms = ts * 1000;
	sec = ms / 1000;
	return sec - sec % window_s;
}

static bool usable(const struct ref_file *f)
{
	return !f->inconclusive && f->group_known && f->min_ts.known && f->max_ts.known &&
	       f->max_ldt_s.known;
}

static bool never_expires(const struct ref_file *f)
{
	return f->max_ldt_s.v == TIME_NEVER;
}

bool reference_expired(const struct ref_table *t, const struct ref_file *f)
{
	return usable(f) && !never_expires(f) && f->max_ldt_s.v < t->now_s - t->gc_grace_s;
}

static bool alive(const struct ref_table *t, const struct ref_file *f)
{
	return usable(f) && !reference_expired(t, f);
}

/* When the rule first calls it expired. */
static int64_t expires_at(const struct ref_table *t, const struct ref_file *f)
{
	return never_expires(f) ? TIME_NEVER : f->max_ldt_s.v + t->gc_grace_s + 1;
}

/* Before 3.2 all directories shared a pair of instances, and before 4.0 nothing was pending. */
bool reference_same_instance(const struct ref_table *t, const struct ref_file *a,
			     const struct ref_file *b)
{
	if (!t->cassandra30)
		return a->disk == b->disk && a->group == b->group;
	return (a->group == REF_REPAIRED) == (b->group == REF_REPAIRED);
}

static bool range_known(const struct ref_file *f)
{
	return f->first.known && f->last.known && f->first.v <= f->last.v;
}

bool reference_share_keys(const struct ref_file *a, const struct ref_file *b)
{
	if (!range_known(a) || !range_known(b))
		return true;
	return a->first.v <= b->last.v && b->first.v <= a->last.v;
}

/*
 * One number decides: the lowest minimum timestamp of what is not expired, in the group or
 * overlapping it. Without any it is the highest timestamp there is, and the comparison stays
 * strict: an SSTable with that very maximum timestamp is never dropped.
 */
void reference_fully_expired(const struct ref_table *t, const bool *group, bool *overlap,
			     bool *drop)
{
	int64_t barrier = INT64_MAX;
	bool all_repaired = true;

	for (size_t h = 0; h < t->n; h++) {
		overlap[h] = false;
		for (size_t g = 0; g < t->n && !group[h]; g++)
			if (group[g] && reference_share_keys(&t->files[g], &t->files[h]))
				overlap[h] = true;
		if ((group[h] || overlap[h]) && alive(t, &t->files[h]) &&
		    t->files[h].min_ts.v < barrier)
			barrier = t->files[h].min_ts.v;
		if (group[h] && t->files[h].group != REF_REPAIRED)
			all_repaired = false;
	}
	for (size_t f = 0; f < t->n; f++) {
		drop[f] = group[f] && reference_expired(t, &t->files[f]) &&
			(t->ignore_overlaps || t->files[f].max_ts.v < barrier);
		if (t->only_purge_repaired && !all_repaired)
			drop[f] = false;
	}
}

bool reference_tool_blocks(const struct ref_table *t, const struct ref_file *b,
			   const struct ref_file *s)
{
	int64_t gc_before_s = t->now_s - t->gc_grace_s;

	return b != s && s->max_ldt_s.v < gc_before_s && b->max_ldt_s.v > gc_before_s &&
	       b->min_ts.v <= s->max_ts.v;
}

/* How far an SSTable h plays a part in the instance of f. */
enum reach {
	OUTSIDE,	/* other instance, no key shared with any of this one */
	PERHAPS,	/* shares keys only with an SSTable of this one that cannot be judged */
	INSIDE,		/* same instance, or shares keys with it */
};

static enum reach reach_of(const struct ref_table *t, const struct ref_file *f,
			   const struct ref_file *h)
{
	enum reach best = OUTSIDE;

	if (!h->group_known || reference_same_instance(t, f, h))
		return INSIDE;
	for (size_t i = 0; i < t->n; i++) {
		const struct ref_file *g = &t->files[i];

		if (g->group_known && !reference_same_instance(t, f, g))
			continue;
		if (!reference_share_keys(g, h))
			continue;
		if (usable(g))
			return INSIDE;
		best = PERHAPS;
	}
	return best;
}

/* An SSTable that cannot be judged plays a part in the instance of f. */
static bool unjudged_in_reach(const struct ref_table *t, const struct ref_file *f)
{
	for (size_t i = 0; i < t->n; i++)
		if (&t->files[i] != f && !usable(&t->files[i]) &&
		    reach_of(t, f, &t->files[i]) != OUTSIDE)
			return true;
	return false;
}

static bool is_future(const struct ref_table *t, const struct ref_file *f)
{
	return f->max_ts.v / t->units_per_second > t->now_s + t->future_tolerance_s;
}

/* Unusable files are never blockers for certain; f and h are usable. */
static bool reaches_down(const struct ref_file *f, const struct ref_file *h)
{
	return h != f && usable(h) && h->min_ts.v <= f->max_ts.v;
}

static void find_blockers(struct ref_table *t, size_t f)
{
	struct ref_file *file = &t->files[f];

	for (size_t h = 0; h < t->n; h++) {
		const struct ref_file *other = &t->files[h];
		enum reach reach = reach_of(t, file, other);

		if (!alive(t, other) || reach == OUTSIDE)
			continue;
		if (reach == INSIDE && (!file->barrier_ts.known ||
					other->min_ts.v < file->barrier_ts.v))
			file->barrier_ts = some_i64(other->min_ts.v);
		if (!reaches_down(file, other))
			continue;
		if (reach == PERHAPS)
			file->unsure = true;
		else if (reference_expired(t, file) && !t->ignore_overlaps)
			t->blocks[f][h] = true;
	}
}

/* Its maximum timestamp is below no barrier that there can be. */
static bool below_no_barrier(const struct ref_table *t, const struct ref_file *f)
{
	return f->max_ts.v == INT64_MAX && !t->ignore_overlaps;
}

static bool any_blocker(const struct ref_table *t, size_t f)
{
	for (size_t h = 0; h < t->n; h++)
		if (t->blocks[f][h])
			return true;
	return false;
}

static void judge_expired(struct ref_table *t, size_t f)
{
	struct ref_file *file = &t->files[f];

	if (t->only_purge_repaired && file->group != REF_REPAIRED) {
		file->state = REF_BLOCKED;
		file->hold = REF_HOLD_OPTION;
	} else if (t->ignore_overlaps) {
		file->state = REF_DROPPABLE;
	} else if (any_blocker(t, f) || below_no_barrier(t, file)) {
		file->state = REF_BLOCKED;
		file->hold = file->future ? REF_HOLD_FUTURE : REF_HOLD_SSTABLE;
	} else {
		file->state = unjudged_in_reach(t, file) ? REF_UNKNOWN : REF_DROPPABLE;
	}
}

static void judge_state(struct ref_table *t, size_t f)
{
	struct ref_file *file = &t->files[f];

	if (!usable(file))
		file->state = REF_UNKNOWN;
	else if (never_expires(file))
		file->state = REF_NEVER_EXPIRES;
	else if (reference_expired(t, file))
		judge_expired(t, f);
	else
		file->state = t->now_s < file->max_ldt_s.v ? REF_LIVE : REF_GC_GRACE;
}

/*
 * The drop: its own expiry or that of the last one among all others of the instance and in
 * overlap that reach down to its maximum timestamp.
 */
static void judge_drop(struct ref_table *t, size_t f)
{
	struct ref_file *file = &t->files[f];
	bool expired = reference_expired(t, file);

	file->expired_at_s = some_i64(expires_at(t, file));
	file->at_least_s = file->expired_at_s.v;
	for (size_t h = 0; h < t->n && !t->ignore_overlaps; h++)
		if (reaches_down(file, &t->files[h]) &&
		    reach_of(t, file, &t->files[h]) == INSIDE &&
		    expires_at(t, &t->files[h]) > file->at_least_s)
			file->at_least_s = expires_at(t, &t->files[h]);
	if ((expired && file->hold == REF_HOLD_OPTION) || below_no_barrier(t, file))
		file->at_least_s = TIME_NEVER;
	if (file->at_least_s == TIME_NEVER || t->ignore_overlaps || !unjudged_in_reach(t, file))
		file->droppable_at_s = some_i64(file->at_least_s);
}

static bool longer_than_normal(const struct ref_table *t, int64_t from_s, int64_t to_s)
{
	return to_s == TIME_NEVER || to_s - from_s > t->window_s + t->check_interval_s;
}

/*
 * Held longer than normal, now or once it has expired. What can go already, as far as is known, is
 * held no longer; what its own future timestamp holds waits for all that is written until then.
 */
static void judge_lateness(struct ref_table *t, size_t f)
{
	struct ref_file *file = &t->files[f];
	bool expired = reference_expired(t, file);

	if (never_expires(file) || (file->future && !expired) ||
	    (expired && file->state != REF_BLOCKED))
		return;
	file->too_late = file->hold == REF_HOLD_FUTURE ||
		longer_than_normal(t, file->expired_at_s.v, file->at_least_s);
	for (size_t h = 0; h < t->n; h++)
		t->will_block[f][h] = !expired && !t->ignore_overlaps &&
			reaches_down(file, &t->files[h]) &&
			reach_of(t, file, &t->files[h]) == INSIDE &&
			longer_than_normal(t, file->expired_at_s.v, expires_at(t, &t->files[h]));
}

/* A user-defined compaction of f alone: the group is f, others count where keys are shared. */
static void judge_alone(struct ref_table *t, size_t f)
{
	bool group[REF_MAX] = { false }, overlap[REF_MAX], drop[REF_MAX];

	group[f] = true;
	reference_fully_expired(t, group, overlap, drop);
	for (size_t h = 0; h < t->n; h++)
		if (overlap[h] && !usable(&t->files[h]) && !t->ignore_overlaps)
			drop[f] = false;
	t->files[f].alone = drop[f];
}

/* h keeps f on disk, or will when f has expired and nothing else changes. */
static bool delays(const struct ref_table *t, size_t f, size_t h)
{
	const struct ref_file *file = &t->files[f], *other = &t->files[h];

	if (reference_expired(t, file))
		return file->hold == REF_HOLD_SSTABLE && t->blocks[f][h];
	return !t->ignore_overlaps && !file->future && !never_expires(file) &&
	       reaches_down(file, other) && reach_of(t, file, other) == INSIDE &&
	       expires_at(t, other) > expires_at(t, file);
}

static void find_last_blockers(struct ref_table *t, size_t f)
{
	struct ref_file *file = &t->files[f];
	const struct ref_file *best = NULL;

	for (size_t h = 0; h < t->n; h++) {
		const struct ref_file *c = &t->files[h];

		file->last_blockers[h] = delays(t, f, h);
		if (file->last_blockers[h] &&
		    (!best || c->max_ldt_s.v > best->max_ldt_s.v ||
		     (c->max_ldt_s.v == best->max_ldt_s.v && c->min_ts.v < best->min_ts.v)))
			best = c;
	}
	for (size_t h = 0; h < t->n; h++)
		file->last_blockers[h] = file->last_blockers[h] &&
			t->files[h].max_ldt_s.v == best->max_ldt_s.v &&
			t->files[h].min_ts.v == best->min_ts.v;
}

static void add_up(struct ref_table *t)
{
	for (size_t f = 0; f < t->n; f++) {
		const struct ref_file *file = &t->files[f];

		if (file->state == REF_BLOCKED)
			t->held_bytes += file->bytes;
		if (file->state == REF_DROPPABLE)
			t->droppable_bytes += file->bytes;
		t->unsure = t->unsure || file->unsure;
		for (size_t h = 0; h < t->n; h++) {
			if (file->hold != REF_HOLD_SSTABLE)
				t->blocks[f][h] = false;
			t->files[h].n_blocks += t->blocks[f][h];
			t->files[h].n_will_block += t->will_block[f][h];
			t->files[h].held_bytes += t->blocks[f][h] ? file->bytes : 0;
		}
	}
}

void reference_judge(struct ref_table *t)
{
	for (size_t f = 0; f < t->n; f++) {
		struct ref_file *file = &t->files[f];

		if (!usable(file)) {
			file->state = REF_UNKNOWN;
			continue;
		}
		file->future = is_future(t, file);
		find_blockers(t, f);
		judge_state(t, f);
		judge_drop(t, f);
		judge_lateness(t, f);
		judge_alone(t, f);
		find_last_blockers(t, f);
	}
	add_up(t);
}

int64_t reference_freed_bytes(const struct ref_table *t, const bool *gone)
{
	int64_t freed = 0;

	for (size_t f = 0; f < t->n; f++) {
		bool held = t->files[f].hold != REF_HOLD_SSTABLE;

		for (size_t h = 0; h < t->n; h++)
			if (t->blocks[f][h] && !gone[h])
				held = true;
		freed += held ? 0 : t->files[f].bytes;
	}
	return freed;
}
