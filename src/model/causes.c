/*
 * Causes: why an SSTable reaches back, from its metadata alone (twcs-semantics section 7).
 *
 * Hints, read repair and late clients cannot be told apart this way: they are all "late-write".
 */
#include "model/analysis.h"

#include <string.h>

#include "base/num.h"

enum {
	YEAR_1980_S = 315532800,
	YEAR_2000_S = 946684800,
};
static const int64_t DECADES_S = 20LL * 366 * 86400;	/* "decades ahead" */
static const int64_t PLAUSIBLE_AHEAD_S = 366LL * 86400;
static const int64_t ENCODING_EPOCH_US = 1442880000000000;	/* CASSANDRA-18118 */

static int64_t min_s(const struct table *t, const struct sstable *s)
{
	return timestamp_seconds(s->meta->min_ts.v, t->settings.resolution);
}

static int64_t max_s(const struct table *t, const struct sstable *s)
{
	return timestamp_seconds(s->meta->max_ts.v, t->settings.resolution);
}

/* ---- timestamps ---- */

static bool is_absurd(int64_t seconds, int64_t now_s)
{
	return seconds < YEAR_1980_S || seconds > add_saturated(now_s, DECADES_S);
}

/* The raw number read in another unit is a date that a writer may have meant. */
static bool plausible_otherwise(int64_t ts, enum ts_resolution own, int64_t now_s)
{
	static const enum ts_resolution units[] = {
		TS_SECONDS, TS_MILLISECONDS, TS_MICROSECONDS, TS_NANOSECONDS,
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		int64_t s = timestamp_seconds(ts, units[i]);

		if (units[i] != own && s >= YEAR_2000_S &&
		    s <= add_saturated(now_s, PLAUSIBLE_AHEAD_S))
			return true;
	}
	return false;
}

static bool is_wrong_unit(int64_t ts, enum ts_resolution r, int64_t now_s)
{
	return is_absurd(timestamp_seconds(ts, r), now_s) && plausible_otherwise(ts, r, now_s);
}

/* ---- late data ---- */

/* The one TTL of everything in the SSTable, 0 when there is not exactly one. */
static int64_t single_ttl(const struct sstable_meta *m)
{
	if (!m->min_ttl_s.known || !m->max_ttl_s.known || m->min_ttl_s.v != m->max_ttl_s.v)
		return 0;
	return m->min_ttl_s.v > 0 ? m->min_ttl_s.v : 0;
}

/*
 * With one TTL t, cells and row markers expire within one window and a little; a minimum deletion
 * time a whole t earlier is a deletion's own time.
 */
static bool has_deletion(const struct table *t, const struct sstable_meta *m)
{
	int64_t ttl = single_ttl(m), w = t->settings.window_s.v;

	if (!ttl || ttl <= 2 * w || !m->min_ldt_s.known || m->min_ldt_s.v == TIME_NEVER ||
	    m->max_ldt_s.v == TIME_NEVER)
		return false;
	return sub_saturated(m->max_ldt_s.v, m->min_ldt_s.v) > ttl - w;
}

/* Its oldest data lies more than one window before its own window. */
static bool reaches_back(const struct table *t, const struct sstable *s)
{
	return min_s(t, s) < sub_saturated(s->window_start_s, t->settings.window_s.v);
}

static bool measured_late(const struct table *t, struct sstable *s)
{
	const struct sstable_meta *m = s->meta;
	int64_t ttl = single_ttl(m), oldest, newest;

	if (!ttl || !m->min_ldt_s.known || m->max_ldt_s.v == TIME_NEVER)
		return false;
	oldest = sub_saturated(sub_saturated(m->min_ldt_s.v, ttl), min_s(t, s));
	newest = sub_saturated(sub_saturated(m->max_ldt_s.v, ttl), max_s(t, s));
	if (oldest <= t->lateness_s && newest <= t->lateness_s)
		return false;
	s->late_newest = newest > oldest;
	s->lateness_s = some_i64(oldest > newest ? oldest : newest);
	s->written_s = some_i64(
		sub_saturated(oldest > newest ? m->min_ldt_s.v : m->max_ldt_s.v, ttl));
	return true;
}

static void judge_late(struct table *t, struct sstable *s)
{
	bool deletion = has_deletion(t, s->meta);

	if (deletion && reaches_back(t, s)) {
		s->late = s->late_probably = s->back_dated_delete = true;
		s->written_s = s->meta->min_ldt_s;
		s->lateness_s = some_i64(sub_saturated(s->meta->min_ldt_s.v, min_s(t, s)));
	} else if (!deletion && single_ttl(s->meta)) {
		s->late = measured_late(t, s);
	} else if (reaches_back(t, s)) {
		s->late = s->late_probably = true;
		s->written_s = some_i64(max_s(t, s));
	}
}

/* ---- TTLs ---- */

static bool has_default_ttl(const struct table *t)
{
	return t->settings.default_ttl_s.known && t->settings.default_ttl_s.v > 0;
}

static bool has_longer_ttl(const struct analysis *an, const struct sstable *s)
{
	const struct table *t = an->t;
	struct opt_i64 ttl = s->meta->max_ttl_s;

	if (!ttl.known || ttl.v <= 0)
		return false;
	if (has_default_ttl(t))
		return ttl.v > t->settings.default_ttl_s.v;
	return t->settings.window_s.known &&
	       sub_saturated(ttl.v, an->shortest_ttl_s) > t->settings.window_s.v;
}

void analyse_cause(struct analysis *an, struct sstable *s, struct key *k)
{
	struct table *t = an->t;
	enum ts_resolution r = t->settings.resolution;

	if (!sstable_is_dated(s))
		return;
	/* Of one that cannot be judged at least what its timestamps alone tell. */
	s->wrong_unit = is_wrong_unit(s->meta->min_ts.v, r, an->now_s) ||
			is_wrong_unit(s->meta->max_ts.v, r, an->now_s);
	s->future = max_s(t, s) > add_saturated(an->now_s, t->future_tolerance_s);
	if (!k)
		return;
	k->future = s->future;
	if (has_default_ttl(t))
		s->longer_ttl = has_longer_ttl(an, s);
	if (!s->wrong_unit && !s->future && t->settings.window_s.known)
		judge_late(t, s);
}

void analyse_ttls(struct analysis *an)
{
	for (size_t i = 0; i < an->n_usable && !has_default_ttl(an->t); i++)
		an->t->sstables[i]->longer_ttl = has_longer_ttl(an, an->t->sstables[i]);
}

/* ---- the label of a blocker ---- */

static bool is_streamed(const struct table *t, const struct sstable *s)
{
	return s->meta->host_id && t->node->host_id &&
	       strcmp(s->meta->host_id, t->node->host_id) != 0;
}

static const char *reach_text(struct arena *a, const struct table *t, const struct sstable *s)
{
	int64_t back = sub_saturated(s->window_start_s, min_s(t, s));

	if (back <= 0)
		return arena_printf(a, "minimum timestamp %s", num_format_minute(a, min_s(t, s)));
	return arena_printf(a, "minimum timestamp %s is %s before its window",
			    num_format_minute(a, min_s(t, s)), num_format_duration(a, back));
}

static const char *unit_of(int64_t ts, enum ts_resolution own, int64_t now_s)
{
	static const struct { enum ts_resolution r; const char *name; } units[] = {
		{ TS_SECONDS, "seconds" }, { TS_MILLISECONDS, "milliseconds" },
		{ TS_MICROSECONDS, "microseconds" }, { TS_NANOSECONDS, "nanoseconds" },
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		int64_t s = timestamp_seconds(ts, units[i].r);

		if (units[i].r != own && s >= YEAR_2000_S &&
		    s <= add_saturated(now_s, PLAUSIBLE_AHEAD_S))
			return units[i].name;
	}
	return "another unit";
}

static const char *unit_text(const struct analysis *an, const struct sstable *s)
{
	enum ts_resolution r = an->t->settings.resolution;
	bool low = is_wrong_unit(s->meta->min_ts.v, r, an->now_s);
	int64_t ts = low ? s->meta->min_ts.v : s->meta->max_ts.v;

	return arena_printf(an->a, "%s timestamp %lld reads as %s; as %s it would be plausible",
			    low ? "minimum" : "maximum", (long long)ts,
			    num_format_day(an->a, timestamp_seconds(ts, r)),
			    unit_of(ts, r, an->now_s));
}

static const char *late_text(struct arena *a, const struct table *t, const struct sstable *s)
{
	if (s->late_probably)
		return arena_printf(a, "%s: probably written late", reach_text(a, t, s));
	return arena_printf(a,
			    "data with timestamps from %s written %s later, on %s "
			    "(local deletion time - TTL - timestamp)",
			    num_format_minute(a, s->late_newest ? max_s(t, s) : min_s(t, s)),
			    num_format_duration(a, s->lateness_s.v),
			    num_format_minute(a, s->written_s.v));
}

static const char *ttl_text(const struct analysis *an, const struct sstable *s)
{
	struct arena *a = an->a;
	const struct table *t = an->t;
	const char *ttl = num_format_duration(a, s->meta->max_ttl_s.v);

	if (has_default_ttl(t))
		return arena_printf(a, "maximum TTL %s is above the table's default of %s", ttl,
				    num_format_duration(a, t->settings.default_ttl_s.v));
	return arena_printf(a, "maximum TTL %s, while other data of the table has %s", ttl,
			    num_format_duration(a, an->shortest_ttl_s));
}

static const char *delete_text(struct arena *a, const struct table *t, const struct sstable *s)
{
	return arena_printf(
		a,
		"a deletion made on %s with a timestamp of %s (all data has one TTL of %s, "
		"but the minimum local deletion time is a deletion's own); a late row beside "
		"an ordinary delete looks the same",
		num_format_minute(a, s->meta->min_ldt_s.v), num_format_minute(a, min_s(t, s)),
		num_format_duration(a, s->meta->max_ttl_s.v));
}

static const char *tombstone_text(struct arena *a, const struct table *t, const struct sstable *s)
{
	if (s->back_dated_delete)
		return delete_text(a, t, s);
	if (s->meta->min_ttl_s.known && s->meta->min_ttl_s.v == 0)
		return arena_printf(a, "minimum TTL 0 and an expiry date: tombstones; %s",
				    reach_text(a, t, s));
	return arena_printf(a,
			    "all data has one TTL of %s, but the minimum local deletion time is a "
			    "deletion's own, %s; %s",
			    num_format_duration(a, s->meta->max_ttl_s.v),
			    num_format_minute(a, s->meta->min_ldt_s.v), reach_text(a, t, s));
}

static const char *repair_text(struct arena *a, const struct table *t, const struct sstable *s)
{
	if (s->meta->pending_repair)
		return arena_printf(a, "pending repair %s", s->meta->pending_repair);
	if (s->meta->repaired_at_ms)
		return arena_printf(a, "repaired at %s, %s",
				    num_format_minute(a, s->meta->repaired_at_ms / 1000),
				    reach_text(a, t, s));
	return arena_printf(a, "streamed from host %s, %s", s->meta->host_id, reach_text(a, t, s));
}

static enum cause label(const struct analysis *an, const struct sstable *s)
{
	const struct table *t = an->t;
	const struct sstable_meta *m = s->meta;

	if (s->wrong_unit)
		return CAUSE_WRONG_UNIT;
	if (s->window_start_s > an->now_s || m->max_ts.v == INT64_MAX)
		return CAUSE_FUTURE;
	if (m->max_ldt_s.v == TIME_NEVER)
		return CAUSE_NO_TTL;
	if (s->longer_ttl)
		return CAUSE_MIXED_TTL;
	if (s->back_dated_delete)
		return CAUSE_TOMBSTONE;
	if (s->late)
		return CAUSE_LATE_WRITE;
	if ((m->min_ttl_s.known && m->min_ttl_s.v == 0) || has_deletion(t, m))
		return CAUSE_TOMBSTONE;
	if (m->pending_repair || m->repaired_at_ms || is_streamed(t, s))
		return CAUSE_REPAIR;
	if (min_s(t, s) < s->window_start_s && !reaches_back(t, s))
		return CAUSE_BORDER;
	return CAUSE_UNKNOWN;
}

enum cause cause_of(const struct analysis *an, const struct sstable *s, const char **evidence)
{
	struct arena *a = an->a;
	const struct table *t = an->t;
	enum cause c = label(an, s);

	switch (c) {
	case CAUSE_WRONG_UNIT:
		*evidence = unit_text(an, s);
		break;
	case CAUSE_FUTURE:
		*evidence = arena_printf(a, "maximum timestamp %s is ahead of the node's clock",
					 num_format_minute(a, max_s(t, s)));
		break;
	case CAUSE_NO_TTL:
		*evidence = "maximum local deletion time is \"never\": something in it was written "
			    "without TTL";
		break;
	case CAUSE_MIXED_TTL:
		*evidence = ttl_text(an, s);
		break;
	case CAUSE_TOMBSTONE:
		*evidence = tombstone_text(a, t, s);
		break;
	case CAUSE_LATE_WRITE:
		*evidence = late_text(a, t, s);
		break;
	case CAUSE_REPAIR:
		*evidence = repair_text(a, t, s);
		break;
	case CAUSE_BORDER:
		*evidence = arena_printf(a, "%s: a flush across the border, normal",
					 reach_text(a, t, s));
		break;
	default:
		*evidence = s->meta->min_ts.v == ENCODING_EPOCH_US
			    ? "minimum timestamp is the server's encoding base of 2015 "
			      "(CASSANDRA-18118), not a write"
			    : "cannot tell from its metadata";
	}
	return c;
}
