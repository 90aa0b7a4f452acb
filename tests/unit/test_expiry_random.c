/*
 * table_analyse() against the literal reference on random tables: verdicts, times, blockers, what
 * they hold and free, windows, instances, forecast; and that a verdict flips to droppable at
 * exactly the second that was promised. A failure prints the table and its seed;
 * TWCS_SEED=<seed> runs that table alone.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_tables.h"

enum { TABLES = 12000 };

static const enum ref_state state_of[] = {
	[SST_UNKNOWN] = REF_UNKNOWN, [SST_NEVER_EXPIRES] = REF_NEVER_EXPIRES,
	[SST_LIVE] = REF_LIVE, [SST_GC_GRACE] = REF_GC_GRACE, [SST_DROPPABLE] = REF_DROPPABLE,
	[SST_BLOCKED] = REF_BLOCKED,
};

static const enum ref_hold hold_of[] = {
	[HOLD_NONE] = REF_HOLD_NONE, [HOLD_SSTABLE] = REF_HOLD_SSTABLE,
	[HOLD_PURGE_REPAIRED] = REF_HOLD_OPTION, [HOLD_OWN_FUTURE] = REF_HOLD_FUTURE,
};

/* One table: the input, the reference's verdict and the program's. */
struct run {
	struct random_table x;
	struct arena *arena;
	struct table *t;
	struct sstable *made[REF_MAX];
	size_t seen[6];			/* SSTables by state, over all tables */
	size_t blockers, flips, too_late;
};

#define EXPECT(run, ok, ...)                                                                       \
	do {                                                                                       \
		if (!(ok)) {                                                                       \
			random_table_print(&(run)->x);                                             \
			fprintf(stderr, __VA_ARGS__);                                              \
			fail_msg("seed %" PRIu64 ": %s", (run)->x.seed, #ok);                      \
		}                                                                                  \
	} while (0)

static size_t index_of(const struct run *r, const struct sstable *s)
{
	for (size_t i = 0; i < r->x.ref.n; i++)
		if (r->made[i] == s)
			return i;
	EXPECT(r, !"an SSTable that is not of the table", "%s\n", s ? s->name : "(null)");
	return 0;
}

static bool same_opt(struct opt_i64 a, struct opt_i64 b)
{
	return a.known == b.known && (!a.known || a.v == b.v);
}

static void check_state(struct run *r, size_t i)
{
	const struct ref_file *f = &r->x.ref.files[i];
	const struct sstable *s = r->made[i];

	r->seen[s->state]++;
	if (f->unsure && s->state == SST_UNKNOWN)
		return;
	EXPECT(r, state_of[s->state] == f->state, "%s: state %d, reference %d\n", s->name,
	       s->state, f->state);
	EXPECT(r, hold_of[s->hold] == f->hold || f->unsure, "%s: hold %d, reference %d\n",
	       s->name, s->hold, f->hold);
}

static void check_times(struct run *r, size_t i)
{
	const struct ref_file *f = &r->x.ref.files[i];
	const struct sstable *s = r->made[i];

	EXPECT(r, same_opt(s->expired_at_s, f->expired_at_s),
	       "%s: expired_at %d %" PRId64 ", reference %d %" PRId64 "\n", s->name,
	       s->expired_at_s.known, s->expired_at_s.v, f->expired_at_s.known, f->expired_at_s.v);
	if (f->unsure)
		return;
	EXPECT(r, same_opt(s->droppable_at_s, f->droppable_at_s),
	       "%s: droppable_at %d %" PRId64 ", reference %d %" PRId64 "\n", s->name,
	       s->droppable_at_s.known, s->droppable_at_s.v, f->droppable_at_s.known,
	       f->droppable_at_s.v);
	EXPECT(r, s->too_late == f->too_late, "%s: too late %d, reference %d\n", s->name,
	       s->too_late, f->too_late);
	/* the reference says nothing of what cannot be judged */
	EXPECT(r, !s->usable || s->future == f->future, "%s: future %d, reference %d\n", s->name,
	       s->future, f->future);
	r->too_late += f->too_late;
}

static void check_blocked_by(struct run *r, size_t i)
{
	const struct ref_file *f = &r->x.ref.files[i];
	const struct sstable *s = r->made[i];
	bool any = false;

	for (size_t h = 0; h < r->x.ref.n; h++)
		any |= f->last_blockers[h];
	/* a short wait that is still to come may be left out */
	if (!any || (!s->blocked_by && !f->too_late && f->state != REF_BLOCKED))
		EXPECT(r, s->blocked_by == NULL, "%s: blocked by %s, reference by nothing\n",
		       s->name, s->blocked_by->name);
	else
		EXPECT(r, s->blocked_by && f->last_blockers[index_of(r, s->blocked_by)],
		       "%s: blocked by %s, not the one that clears last\n", s->name,
		       s->blocked_by ? s->blocked_by->name : "nothing");
}

static void check_sstable(struct run *r, size_t i)
{
	const struct ref_file *f = &r->x.ref.files[i];
	const struct sstable *s = r->made[i];

	check_state(r, i);
	check_times(r, i);
	if (f->unsure)
		return;
	check_blocked_by(r, i);
	/* beside SSTables that cannot be judged, "no" is always a good answer */
	if (f->state == REF_BLOCKED && (s->alone || r->t->n_unusable == 0))
		EXPECT(r, s->alone == f->alone, "%s: alone %d, reference %d\n", s->name,
		       s->alone, f->alone);
}

static void check_blocks(struct run *r, const struct blocker *b, size_t h)
{
	const struct ref_table *ref = &r->x.ref;
	size_t listed = b->n_blocks < LIST_MAX ? b->n_blocks : LIST_MAX;

	for (size_t k = 0; k < listed; k++) {
		EXPECT(r, ref->blocks[index_of(r, b->blocks[k])][h],
		       "%s is said to block %s\n", b->sstable->name, b->blocks[k]->name);
		for (size_t m = 0; m < k; m++)
			EXPECT(r, b->blocks[m] != b->blocks[k], "%s twice in a list\n",
			       b->blocks[k]->name);
	}
}

static void check_blocker(struct run *r, size_t rank, bool *gone)
{
	const struct blocker *b = &r->t->blockers[rank];
	size_t h = index_of(r, b->sstable);
	const struct ref_file *f = &r->x.ref.files[h];
	int64_t clears_at_s = f->expired_at_s.v;

	gone[h] = true;
	EXPECT(r, b->rank == rank + 1, "%s: rank %u\n", b->sstable->name, b->rank);
	EXPECT(r, rank == 0 || b[-1].sstable->meta->min_ts.v <= b->sstable->meta->min_ts.v,
	       "%s: not in the order of minimum timestamps\n", b->sstable->name);
	EXPECT(r, b->n_blocks == f->n_blocks, "%s: blocks %zu, reference %zu\n",
	       b->sstable->name, b->n_blocks, f->n_blocks);
	EXPECT(r, b->n_will_block == f->n_will_block, "%s: will block %zu, reference %zu\n",
	       b->sstable->name, b->n_will_block, f->n_will_block);
	EXPECT(r, b->held_bytes == f->held_bytes, "%s: holds %" PRId64 ", reference %" PRId64
	       "\n", b->sstable->name, b->held_bytes, f->held_bytes);
	EXPECT(r, b->clears_at_s == clears_at_s, "%s: clears at %" PRId64 ", reference %" PRId64
	       "\n", b->sstable->name, b->clears_at_s, clears_at_s);
	EXPECT(r, b->freed_bytes == reference_freed_bytes(&r->x.ref, gone),
	       "%s: frees %" PRId64 ", reference %" PRId64 "\n", b->sstable->name,
	       b->freed_bytes, reference_freed_bytes(&r->x.ref, gone));
	EXPECT(r, b->sstable->as_blocker == b, "%s: as_blocker\n", b->sstable->name);
	check_blocks(r, b, h);
	r->blockers++;
}

static void check_blockers(struct run *r)
{
	bool gone[REF_MAX] = { false };
	size_t expected = 0;

	for (size_t h = 0; h < r->x.ref.n; h++)
		expected += r->x.ref.files[h].n_blocks > 0 || r->x.ref.files[h].n_will_block > 0;
	EXPECT(r, r->t->n_blockers_all == expected, "%zu blockers, reference %zu\n",
	       r->t->n_blockers_all, expected);
	if (expected > BLOCKERS_MAX)
		expected = BLOCKERS_MAX;
	EXPECT(r, r->t->n_blockers == expected, "%zu listed, reference %zu\n",
	       r->t->n_blockers, expected);
	for (size_t i = 0; i < expected; i++)
		check_blocker(r, i, gone);
}

static void check_totals(struct run *r)
{
	const struct ref_table *ref = &r->x.ref;
	size_t blocked = 0, droppable = 0;

	for (size_t i = 0; i < ref->n; i++) {
		blocked += ref->files[i].state == REF_BLOCKED;
		droppable += ref->files[i].state == REF_DROPPABLE;
	}
	EXPECT(r, r->t->held_bytes == ref->held_bytes, "held %" PRId64 ", reference %" PRId64
	       "\n", r->t->held_bytes, ref->held_bytes);
	EXPECT(r, r->t->droppable_bytes == ref->droppable_bytes,
	       "droppable %" PRId64 ", reference %" PRId64 "\n", r->t->droppable_bytes,
	       ref->droppable_bytes);
	EXPECT(r, r->t->n_blocked == blocked, "%zu blocked, reference %zu\n", r->t->n_blocked,
	       blocked);
	EXPECT(r, r->t->n_droppable == droppable, "%zu droppable, reference %zu\n",
	       r->t->n_droppable, droppable);
}

/* Usable SSTables that the rules keep apart are in different instances, others in one. */
static void check_instances(struct run *r)
{
	const struct ref_table *ref = &r->x.ref;

	for (size_t i = 0; i < ref->n; i++) {
		const struct sstable *s = r->made[i];

		if (!s->usable)
			continue;
		EXPECT(r, s->instance < r->t->n_instances, "%s: no instance\n", s->name);
		if (!r->x.ref.unsure && !ref->ignore_overlaps)
			EXPECT(r, same_opt(r->t->instances[s->instance].barrier_ts,
					   ref->files[i].barrier_ts),
			       "%s: barrier %d %" PRId64 ", reference %d %" PRId64 "\n", s->name,
			       r->t->instances[s->instance].barrier_ts.known,
			       r->t->instances[s->instance].barrier_ts.v,
			       ref->files[i].barrier_ts.known, ref->files[i].barrier_ts.v);
		for (size_t j = 0; j < i; j++)
			EXPECT(r, !r->made[j]->usable ||
			       (r->made[j]->instance == s->instance) ==
			       reference_same_instance(ref, &ref->files[i], &ref->files[j]),
			       "%s and %s: wrongly together or apart\n", s->name,
			       r->made[j]->name);
	}
}

/* ---- windows ---- */

/* The window of i counts as current for it: it is still open while i has not expired. */
static bool in_open_window(const struct run *r, size_t i)
{
	const struct ref_table *ref = &r->x.ref;
	int64_t start = r->made[i]->window_start_s, highest = 0;

	for (size_t j = 0; j < ref->n; j++)
		if (r->made[j]->usable &&
		    reference_same_instance(ref, &ref->files[i], &ref->files[j]) &&
		    r->made[j]->window_start_s > highest)
			highest = r->made[j]->window_start_s;
	return start >= highest || start + ref->window_s > ref->now_s;
}

/* The first in the order of precedence that one of the window's SSTables has. */
static enum window_state expected_window(const struct run *r, const struct window *w)
{
	static const enum window_state order[] = {
		WIN_BLOCKED, WIN_NEVER, WIN_UNKNOWN, WIN_WILL_BLOCK, WIN_OPEN, WIN_LIVE,
		WIN_GC_GRACE, WIN_DROPPABLE,
	};
	bool has[ARRAY_LEN(order)] = { false };

	for (size_t i = 0; i < r->x.ref.n; i++) {
		const struct ref_file *f = &r->x.ref.files[i];
		bool waits = f->state == REF_LIVE || f->state == REF_GC_GRACE;

		if (!r->made[i]->usable || r->made[i]->window_start_s != w->start_s)
			continue;
		has[WIN_BLOCKED] |= f->state == REF_BLOCKED;
		has[WIN_NEVER] |= f->state == REF_NEVER_EXPIRES;
		has[WIN_UNKNOWN] |= f->state == REF_UNKNOWN;
		has[WIN_WILL_BLOCK] |= waits && f->too_late;
		has[WIN_OPEN] |= waits && in_open_window(r, i);
		has[WIN_LIVE] |= f->state == REF_LIVE;
		has[WIN_GC_GRACE] |= f->state == REF_GC_GRACE;
		has[WIN_DROPPABLE] |= f->state == REF_DROPPABLE;
	}
	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		if (has[order[k]])
			return order[k];
	return WIN_UNKNOWN;
}

/* h blocks (or, when `later`, makes too late) an SSTable of the window. */
static bool blocks_in_window(const struct run *r, const struct window *w, size_t h, bool later)
{
	const struct ref_table *ref = &r->x.ref;

	for (size_t f = 0; f < ref->n; f++)
		if ((later ? ref->will_block[f][h] : ref->blocks[f][h]) &&
		    r->made[f]->window_start_s == w->start_s)
			return true;
	return false;
}

/* A blocked window names all its blockers; one that will block at least one of them. */
static void check_window_blockers(struct run *r, const struct window *w)
{
	bool later = w->state != WIN_BLOCKED;
	size_t expected = 0, listed = w->n_blockers < LIST_MAX ? w->n_blockers : LIST_MAX;

	for (size_t h = 0; h < r->x.ref.n; h++)
		expected += blocks_in_window(r, w, h, later);
	EXPECT(r, w->n_blockers == expected ||
	       (later && w->n_blockers > 0 && w->n_blockers < expected),
	       "window %" PRId64 ": %zu blockers, reference %zu\n", w->start_s, w->n_blockers,
	       expected);
	for (size_t k = 0; k < listed; k++)
		EXPECT(r, blocks_in_window(r, w, index_of(r, w->blockers[k]), later),
		       "window %" PRId64 ": %s is no blocker\n", w->start_s,
		       w->blockers[k]->name);
}

static void check_window(struct run *r, const struct window *w)
{
	enum window_state expected = expected_window(r, w);
	int64_t bytes = 0, held = 0;
	bool too_late = false;

	for (size_t i = 0; i < r->x.ref.n; i++) {
		const struct ref_file *f = &r->x.ref.files[i];

		if (!r->made[i]->usable || r->made[i]->window_start_s != w->start_s)
			continue;
		bytes += f->bytes;
		held += f->state == REF_BLOCKED ? f->bytes : 0;
		too_late |= f->too_late;
	}
	EXPECT(r, w->state == expected, "window %" PRId64 ": state %d, reference %d\n",
	       w->start_s, w->state, expected);
	EXPECT(r, w->bytes == bytes && w->held_bytes == held,
	       "window %" PRId64 ": %" PRId64 " bytes, %" PRId64 " held, reference %" PRId64
	       ", %" PRId64 "\n", w->start_s, w->bytes, w->held_bytes, bytes, held);
	EXPECT(r, w->too_late == too_late, "window %" PRId64 ": too late %d, reference %d\n",
	       w->start_s, w->too_late, too_late);
	check_window_blockers(r, w);
}

static void check_window_times(struct run *r, const struct window *w)
{
	struct opt_i64 expired = some_i64(INT64_MIN), droppable = some_i64(INT64_MIN);

	for (size_t i = 0; i < w->n_sstables; i++) {
		const struct sstable *s = w->sstables[i];

		if (s->expired_at_s.v > expired.v)
			expired.v = s->expired_at_s.v;
		if (!s->droppable_at_s.known)
			droppable.known = false;
		else if (s->droppable_at_s.v > droppable.v)
			droppable.v = s->droppable_at_s.v;
	}
	if (droppable.v == TIME_NEVER)
		droppable.known = true;
	EXPECT(r, same_opt(w->expired_at_s, expired),
	       "window %" PRId64 ": expired_at %" PRId64 ", reference %" PRId64 "\n", w->start_s,
	       w->expired_at_s.v, expired.v);
	EXPECT(r, same_opt(w->droppable_at_s, droppable),
	       "window %" PRId64 ": droppable_at %d %" PRId64 ", reference %d %" PRId64 "\n",
	       w->start_s, w->droppable_at_s.known, w->droppable_at_s.v, droppable.known,
	       droppable.v);
}

static void check_windows(struct run *r)
{
	size_t members = 0, usable = 0;

	for (size_t i = 0; i < r->x.ref.n; i++) {
		const struct ref_file *f = &r->x.ref.files[i];
		const struct sstable *s = r->made[i];

		usable += s->usable;
		if (s->usable)
			EXPECT(r, s->window_start_s == reference_window_start(f->max_ts.v,
			       r->x.ref.units_per_second, r->x.ref.window_s),
			       "%s: window %" PRId64 "\n", s->name, s->window_start_s);
	}
	for (size_t k = 0; k < r->t->n_windows; k++) {
		const struct window *w = &r->t->windows[k];

		EXPECT(r, k == 0 || w[-1].start_s < w->start_s, "windows not in order\n");
		for (size_t i = 0; i < w->n_sstables; i++)
			EXPECT(r, w->sstables[i]->usable &&
			       w->sstables[i]->window_start_s == w->start_s,
			       "window %" PRId64 ": %s is not of it\n", w->start_s,
			       w->sstables[i]->name);
		members += w->n_sstables;
		check_window(r, w);
		check_window_times(r, w);
	}
	EXPECT(r, members == usable, "%zu SSTables in windows of %zu\n", members, usable);
}

/* ---- forecast ---- */

static int64_t day_of(int64_t s)
{
	return s - (s % 86400 + 86400) % 86400;
}

/* Bytes of what drops on that day, later than now; what can go already is not a forecast. */
static int64_t expected_day(const struct run *r, int64_t day_s)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < r->x.ref.n; i++) {
		const struct ref_file *f = &r->x.ref.files[i];

		if (f->droppable_at_s.known && f->droppable_at_s.v != TIME_NEVER &&
		    f->droppable_at_s.v > r->x.ref.now_s && day_of(f->droppable_at_s.v) == day_s)
			bytes += f->bytes;
	}
	return bytes;
}

static void check_forecast(struct run *r)
{
	int64_t today = day_of(r->x.ref.now_s), last = today - 86400;
	size_t rows = 0;

	for (size_t k = 0; k < r->t->n_forecast; k++) {
		const struct forecast_day *d = &r->t->forecast[k];
		int64_t bytes = expected_day(r, d->day_s);

		EXPECT(r, d->day_s > last && d->day_s % 86400 == 0,
		       "day %" PRId64 " not in order\n", d->day_s);
		/* today's row may or may not hold what is droppable already */
		EXPECT(r, d->freed_bytes == bytes ||
		       (d->day_s == today && d->freed_bytes == bytes + r->x.ref.droppable_bytes),
		       "day %" PRId64 ": %" PRId64 " bytes, reference %" PRId64 "\n", d->day_s,
		       d->freed_bytes, bytes);
		last = d->day_s;
		rows += d->day_s != today;
	}
	for (size_t i = 0; i < r->x.ref.n && rows < FORECAST_DAYS - 1; i++) {
		const struct ref_file *f = &r->x.ref.files[i];
		bool found = !f->droppable_at_s.known || f->droppable_at_s.v <= r->x.ref.now_s ||
			f->droppable_at_s.v == TIME_NEVER || f->bytes == 0 ||
			day_of(f->droppable_at_s.v) > today + (FORECAST_DAYS - 1) * INT64_C(86400);

		for (size_t k = 0; k < r->t->n_forecast && !found; k++)
			found = r->t->forecast[k].day_s == day_of(f->droppable_at_s.v);
		EXPECT(r, found, "%s: its day is not in the forecast\n", r->made[i]->name);
	}
}

/* ---- the flip ---- */

static enum sstable_state state_at(struct run *r, size_t i, int64_t now_s)
{
	struct sstable *made[REF_MAX];
	struct table *t = random_table_build(r->arena, &r->x, now_s, made);

	table_analyse(r->arena, t);
	return made[i]->state;
}

static void check_flip(struct run *r, size_t i)
{
	const struct sstable *s = r->made[i];
	const struct ref_file *f = &r->x.ref.files[i];

	if (f->unsure || !s->droppable_at_s.known || s->droppable_at_s.v == TIME_NEVER ||
	    (r->x.ref.only_purge_repaired && f->group != REF_REPAIRED))
		return;
	EXPECT(r, state_at(r, i, s->droppable_at_s.v - 1) != SST_DROPPABLE,
	       "%s: droppable a second before %" PRId64 "\n", s->name, s->droppable_at_s.v);
	EXPECT(r, state_at(r, i, s->droppable_at_s.v) == SST_DROPPABLE,
	       "%s: not droppable at %" PRId64 "\n", s->name, s->droppable_at_s.v);
	r->flips++;
}

/* ---- */

/* Judge r->x by both and compare. */
static void run_drawn(struct run *r)
{
	reference_judge(&r->x.ref);
	r->arena = arena_create();
	r->t = random_table_build(r->arena, &r->x, r->x.ref.now_s, r->made);
	table_analyse(r->arena, r->t);
	EXPECT(r, r->t->analysed, "not analysed: %s\n", r->t->not_analysed);
	for (size_t i = 0; i < r->x.ref.n; i++)
		check_sstable(r, i);
	check_instances(r);
	if (!r->x.ref.unsure) {
		check_totals(r);
		check_blockers(r);
		check_windows(r);
		check_forecast(r);
	}
	check_flip(r, (size_t)(r->x.seed % r->x.ref.n));
	arena_destroy(r->arena);
}

static void run_table(struct run *r, uint64_t seed)
{
	random_table_draw(&r->x, seed);
	run_drawn(r);
}

static void test_random_tables(void **unused)
{
	static struct run r;
	const char *one = getenv("TWCS_SEED");

	(void)unused;
	if (one) {
		run_table(&r, strtoull(one, NULL, 10));
		return;
	}
	for (uint64_t seed = 1; seed <= TABLES; seed++)
		run_table(&r, seed);
	/* the draw is of no use when it does not reach every verdict often */
	for (size_t i = 0; i < ARRAY_LEN(r.seen); i++)
		assert_true(r.seen[i] > TABLES / 10);
	assert_true(r.blockers > TABLES);
	assert_true(r.flips > TABLES / 2);
	assert_true(r.too_late > TABLES / 2);
}

/* More blockers than a report lists: two directories, each its own expired SSTables. */
static void test_many_blockers(void **unused)
{
	static struct run r;
	struct ref_table *t = &r.x.ref;

	(void)unused;
	random_table_draw(&r.x, 1);
	t->n = REF_MAX;
	t->only_purge_repaired = t->ignore_overlaps = r.x.unsafe_aggressive = false;
	for (size_t i = 0; i < t->n; i++) {
		int64_t s = t->now_s - 20000 - (int64_t)(i * 7 % t->n) * 60;
		int64_t low = s * t->units_per_second;
		bool expired = i % 16 < 2;

		t->files[i] = (struct ref_file){
			.disk = i % 2, .group_known = true, .bytes = 1000 + (int64_t)i,
			.min_ts = some_i64(low),
			.max_ts = some_i64(low + 1),
			.max_ldt_s = some_i64(t->now_s - t->gc_grace_s + (expired ? -9 : 9)),
			.first = some_i64(i % 2 ? -100 : 100), .last = some_i64(i % 2 ? -99 : 101),
		};
		if (expired)
			t->files[i].max_ts.v += 9000 * t->units_per_second;
		r.x.bytes_known[i] = true;
	}
	run_drawn(&r);
	assert_true(r.blockers == BLOCKERS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_tables),
		cmocka_unit_test(test_many_blockers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
