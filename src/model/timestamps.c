/* Write timestamps: units and windows, with the server's own rounding. */
#include "model/model.h"

static int64_t per_second(enum ts_resolution r)
{
	switch (r) {
	case TS_SECONDS:
		return 1;
	case TS_MILLISECONDS:
		return 1000;
	case TS_NANOSECONDS:
		return 1000000000;
	default:
		return 1000000;
	}
}

bool sstable_is_dated(const struct sstable *s)
{
	const struct sstable_meta *m = s->meta;

	return s->metadata >= METADATA_PARTIAL && m->min_ts.known && m->max_ts.known &&
	       m->min_ts.v <= m->max_ts.v;
}

int64_t timestamp_seconds(int64_t ts, enum ts_resolution r)
{
	return ts / per_second(r);
}

int64_t timestamp_us(int64_t ts, enum ts_resolution r)
{
	int64_t factor = 1000000 / per_second(r);

	if (r == TS_NANOSECONDS)
		return ts / 1000;
	if (ts > INT64_MAX / factor)
		return INT64_MAX;
	if (ts < INT64_MIN / factor)
		return INT64_MIN;
	return ts * factor;
}

/*
 * The server converts to milliseconds first. TimeUnit.convert saturates, so that seconds beyond
 * 2^63 / 1000 end up in one far window.
 */
int64_t window_start(int64_t ts, enum ts_resolution r, int64_t window_s)
{
	int64_t ms, s;

	if (r == TS_SECONDS)
		ms = ts > INT64_MAX / 1000   ? INT64_MAX
		     : ts < INT64_MIN / 1000 ? INT64_MIN
					     : ts * 1000;
	else
		ms = ts / (per_second(r) / 1000);
	s = ms / 1000;
	return s - s % window_s;
}
