/* Random tables: see random_tables.h. */
#include "random_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

int64_t rng_below(struct rng *r, int64_t n)
{
	return (int64_t)(rng_next(r) % (uint64_t)n);
}

bool rng_chance(struct rng *r, unsigned percent)
{
	return rng_below(r, 100) < (int64_t)percent;
}

#define PICK(r, values) ((values)[rng_below((r), (int64_t)ARRAY_LEN(values))])

/* How the SSTables of one table are drawn. */
struct draw {
	struct rng rng;
	struct ref_table *t;
	bool series;		/* one SSTable after the other, as a healthy table has them */
	int64_t ttl_s;		/* of a series */
	unsigned disks;
	int groups;		/* 1 unrepaired, 2 and repaired, more: and pending sessions */
	unsigned strange;	/* percent of SSTables with strange timestamps */
	unsigned unusable;	/* percent of SSTables without usable record */
	int64_t token_span;
	unsigned tokens_unknown;	/* percent */
};

static const struct { enum ts_resolution resolution; int64_t units; } resolutions[] = {
	{ TS_MICROSECONDS, 1000000 }, { TS_MICROSECONDS, 1000000 }, { TS_MICROSECONDS, 1000000 },
	{ TS_MICROSECONDS, 1000000 }, { TS_MILLISECONDS, 1000 }, { TS_SECONDS, 1 },
	{ TS_NANOSECONDS, 1000000000 },
};

static void draw_rules(struct draw *d, struct random_table *x)
{
	static const char *const releases[] = {
		"3.0.29", "3.11.19", "4.0.17", "4.1.9", "5.0.6", "5.0.6",
	};
	static const int64_t windows[] = { 60, 3600, 5400, 5 * 3600, 86400, 7 * 86400 };
	static const int64_t graces[] = { 0, 0, 1, 60, 3600, 864000 };
	static const int64_t checks[] = { 600, 600, 600, 60, 7200 };
	struct ref_table *t = d->t;
	size_t resolution = (size_t)rng_below(&d->rng, ARRAY_LEN(resolutions));

	x->release = PICK(&d->rng, releases);
	x->resolution = resolutions[resolution].resolution;
	x->unsafe_aggressive = rng_chance(&d->rng, 8);
	x->lateness_s = rng_chance(&d->rng, 80) ? 0 : 1 + rng_below(&d->rng, 7200);
	t->now_s = 1790000000 + rng_below(&d->rng, 10000000);
	t->window_s = PICK(&d->rng, windows);
	t->gc_grace_s = PICK(&d->rng, graces);
	t->check_interval_s = PICK(&d->rng, checks);
	t->future_tolerance_s = x->lateness_s > 600 ? x->lateness_s : 600;
	t->units_per_second = resolutions[resolution].units;
	t->cassandra30 = strncmp(x->release, "3.0.", 4) == 0;
	t->only_purge_repaired = rng_chance(&d->rng, 8);
	t->ignore_overlaps = x->unsafe_aggressive && !t->cassandra30;
}

static void draw_shape(struct draw *d, const struct random_table *x)
{
	static const int64_t spans[] = { 3, 12, 1000 };
	static const unsigned percents[] = { 0, 10, 50 };
	bool pending = strcmp(x->release, "3.11.19") != 0;	/* 3.0: to be ignored there */

	d->series = rng_chance(&d->rng, 40);
	d->ttl_s = d->t->window_s * (1 + rng_below(&d->rng, 6));
	d->disks = rng_chance(&d->rng, 50) ? 1 : 1 + (unsigned)rng_below(&d->rng, 3);
	d->groups = rng_chance(&d->rng, 40) ? 1 : 1 + (int)rng_below(&d->rng, pending ? 4 : 2);
	d->strange = rng_chance(&d->rng, 25) ? 20 : 0;
	d->unusable = rng_chance(&d->rng, 20) ? 12 : 0;
	d->token_span = PICK(&d->rng, spans);
	d->tokens_unknown = PICK(&d->rng, percents);
	d->t->n = (size_t)(1 + rng_below(&d->rng, rng_chance(&d->rng, 3) ? 40 : 16));
	if (rng_chance(&d->rng, 1))
		d->t->n = REF_MAX;
}

static int64_t raw(const struct draw *d, int64_t seconds)
{
	return seconds * d->t->units_per_second;
}

/* Timestamps from a few values a third of a window apart, sometimes one unit beside them. */
static int64_t grid_ts(struct draw *d)
{
	int64_t third = d->t->window_s / 3;
	int64_t s = d->t->now_s / third * third + (rng_below(&d->rng, 16) - 14) * third;

	return raw(d, s) + (rng_chance(&d->rng, 20) ? rng_below(&d->rng, 3) - 1 : 0);
}

static int64_t edge_ldt(struct draw *d)
{
	int64_t gc_before_s = d->t->now_s - d->t->gc_grace_s;
	int64_t near = rng_below(&d->rng, 5) - 2;

	switch (rng_below(&d->rng, 8)) {
	case 0: return TIME_NEVER;
	case 1: return d->t->now_s + near;
	case 2: return gc_before_s + near + rng_below(&d->rng, 4 * d->t->window_s + 1);
	case 3: case 4: return gc_before_s + near;
	default: return gc_before_s - 1 - rng_below(&d->rng, 4 * d->t->window_s + 1);
	}
}

static void draw_grid_file(struct draw *d, struct ref_file *f)
{
	int64_t a = grid_ts(d), b = grid_ts(d);

	f->min_ts = some_i64(a < b ? a : b);
	f->max_ts = some_i64(a < b ? b : a);
	f->max_ldt_s = some_i64(edge_ldt(d));
}

/* The i-th window back from now, written in time; now and then with late rows or another TTL. */
static void draw_series_file(struct draw *d, struct ref_file *f, size_t i)
{
	int64_t w = d->t->window_s, start = (d->t->now_s / w - (int64_t)(i % 12)) * w;
	int64_t end = start + w - 1, low = start - (rng_chance(&d->rng, 30) ? w / 7 : 0);

	if (rng_chance(&d->rng, 10))
		low -= w * rng_below(&d->rng, 12);
	f->min_ts = some_i64(raw(d, low));
	f->max_ts = some_i64(raw(d, end) + (d->t->units_per_second - 1));
	f->max_ldt_s = some_i64(end + d->ttl_s);
	if (rng_chance(&d->rng, 10))
		f->max_ldt_s.v += d->ttl_s;
	if (rng_chance(&d->rng, 4))
		f->max_ldt_s.v = TIME_NEVER;
}

/* Other units, negative times, the ends of the range, the edge of what counts as future. */
static void draw_strange_timestamps(struct draw *d, struct ref_file *f)
{
	int64_t ahead = d->t->now_s + d->t->future_tolerance_s;
	const int64_t lows[] = {
		INT64_MIN, -1, -100 * d->t->units_per_second, 0, d->t->now_s * 1000, d->t->now_s,
		f->min_ts.v, f->min_ts.v,
	};
	const int64_t highs[] = {
		INT64_MAX, d->t->now_s * 1000, d->t->now_s * 1000000000, -1, 1,
		raw(d, ahead), raw(d, ahead + 1), raw(d, ahead - 1), raw(d, ahead + d->t->window_s),
		raw(d, d->t->now_s + 2 * d->t->window_s), f->max_ts.v,
	};
	int64_t low = PICK(&d->rng, lows), high = PICK(&d->rng, highs);

	if (high < low)
		low = high;
	if (low == INT64_MIN && high == INT64_MAX)
		low = 0;	/* both together mean that nothing was recorded */
	f->min_ts.v = low;
	f->max_ts.v = high;
}

static void draw_tokens(struct draw *d, struct ref_file *f)
{
	int64_t first = rng_below(&d->rng, d->token_span * 2) - d->token_span;

	if (rng_chance(&d->rng, d->tokens_unknown))
		return;
	f->first = some_i64(first);
	f->last = some_i64(first);
	if (rng_chance(&d->rng, 50))
		f->last.v += rng_below(&d->rng, d->token_span);
	if (rng_chance(&d->rng, 2))
		f->first.v = INT64_MIN;
	if (rng_chance(&d->rng, 2))
		f->last.v = INT64_MAX;
}

static void spoil(struct draw *d, struct ref_file *f)
{
	const struct opt_i64 unknown = { .known = false };

	f->group_known = rng_chance(&d->rng, 50);
	switch (rng_below(&d->rng, 5)) {
	case 0: f->min_ts = unknown; break;
	case 1: f->max_ts = unknown; break;
	case 2: f->max_ldt_s = unknown; break;
	case 3: f->group_known = false; break;
	default: f->inconclusive = true;
	}
	if (f->inconclusive || rng_chance(&d->rng, 50))
		f->first = f->last = unknown;
	if (f->inconclusive)
		f->group_known = false;
}

static void draw_file(struct draw *d, struct random_table *x, size_t i)
{
	struct ref_file *f = &d->t->files[i];

	if (d->series)
		draw_series_file(d, f, i);
	else
		draw_grid_file(d, f);
	if (rng_chance(&d->rng, d->strange))
		draw_strange_timestamps(d, f);
	f->disk = (unsigned)rng_below(&d->rng, d->disks);
	f->group = (int)rng_below(&d->rng, d->groups);
	f->group_known = true;
	draw_tokens(d, f);
	x->bytes_known[i] = !rng_chance(&d->rng, 4);
	f->bytes = x->bytes_known[i] ? rng_below(&d->rng, 100000) : 0;
	if (rng_chance(&d->rng, d->unusable))
		spoil(d, f);
}

void random_table_draw(struct random_table *x, uint64_t seed)
{
	struct draw d = { .rng = { seed }, .t = &x->ref };

	memset(x, 0, sizeof(*x));
	x->seed = seed;
	draw_rules(&d, x);
	draw_shape(&d, x);
	for (size_t i = 0; i < x->ref.n; i++)
		draw_file(&d, x, i);
}

static void build_file(struct arena *a, struct table *t, const struct random_table *x, size_t i,
		       struct sstable **made)
{
	static const char *const sessions[] = {
		"1a4e7f10-b5a2-11f1-8a0e-000000000001", "1a4e7f10-b5a2-11f1-8a0e-000000000002",
	};
	const struct ref_file *f = &x->ref.files[i];
	struct sstable *s = build_sstable(a, t, arena_printf(a, "nb-%zu-big", i + 1), f->min_ts.v,
					  f->max_ts.v, f->max_ldt_s.v);
	struct sstable_meta *m = build_meta(s);

	if (f->inconclusive)
		build_inconclusive(s);
	else if (!f->min_ts.known || !f->max_ts.known || !f->max_ldt_s.known || !f->group_known)
		m->state = s->metadata = METADATA_PARTIAL;
	if (!f->inconclusive) {
		m->min_ts = f->min_ts;
		m->max_ts = f->max_ts;
		m->max_ldt_s = m->min_ldt_s = f->max_ldt_s;
	}
	m->first_token = f->first;
	m->last_token = f->last;
	m->repair_known = f->group_known;
	if (f->group_known) {
		m->repaired_at_ms = f->group == REF_REPAIRED ? 1790000000000 + (int64_t)i : 0;
		if (f->group >= REF_PENDING)
			m->pending_repair = sessions[f->group - REF_PENDING];
	}
	build_disk(s, f->disk);
	build_bytes(s, (struct opt_i64){ .v = f->bytes, .known = x->bytes_known[i] });
	made[i] = s;
}

struct table *random_table_build(struct arena *a, const struct random_table *x, int64_t now_s,
				 struct sstable **made)
{
	const struct ref_table *r = &x->ref;
	struct table *t = build_table(a, now_s, r->window_s, r->gc_grace_s);

	t->node->release = x->release;
	t->settings.resolution = x->resolution;
	t->settings.check_interval_s = r->check_interval_s;
	t->settings.only_purge_repaired = r->only_purge_repaired;
	t->settings.unsafe_aggressive = x->unsafe_aggressive;
	t->lateness_s = x->lateness_s;
	for (size_t i = 0; i < r->n; i++)
		build_file(a, t, x, i, made);
	return t;
}

static void print_opt(const char *label, struct opt_i64 v)
{
	if (!v.known)
		fprintf(stderr, " %s ?", label);
	else if (v.v == TIME_NEVER)
		fprintf(stderr, " %s never", label);
	else
		fprintf(stderr, " %s %" PRId64, label, v.v);
}

void random_table_print(const struct random_table *x)
{
	const struct ref_table *r = &x->ref;

	fprintf(stderr, "seed %" PRIu64 " release %s now %" PRId64 " gcBefore %" PRId64
		" window %" PRId64 " check %" PRId64 " units %" PRId64 " tolerance %" PRId64
		"%s%s\n",
		x->seed, x->release, r->now_s, r->now_s - r->gc_grace_s, r->window_s,
		r->check_interval_s, r->units_per_second, r->future_tolerance_s,
		r->only_purge_repaired ? " only_purge_repaired" : "",
		x->unsafe_aggressive ? " unsafe_aggressive" : "");
	for (size_t i = 0; i < r->n; i++) {
		const struct ref_file *f = &r->files[i];

		fprintf(stderr, "  nb-%zu-big disk %u group %d%s%s", i + 1, f->disk, f->group,
			f->group_known ? "" : "?", f->inconclusive ? " inconclusive" : "");
		print_opt("min", f->min_ts);
		print_opt("max", f->max_ts);
		print_opt("ldt", f->max_ldt_s);
		print_opt("first", f->first);
		print_opt("last", f->last);
		fprintf(stderr, " bytes %" PRId64 " -> state %d\n", f->bytes, f->state);
	}
}
