/*
 * Numbers, sizes, durations, times and ranges, as text and as values.
 *
 * Parsing is strict: the whole text must be the number, overflow is a failure, digits are ASCII
 * and no locale plays a part. Formatting never depends on the locale or the time zone: times are
 * UTC.
 */
#ifndef TWCSCHECK_NUM_H
#define TWCSCHECK_NUM_H

#include "base/arena.h"

enum unit {
	UNIT_NONE,	/* a count */
	UNIT_BYTES,
	UNIT_SECONDS,
	UNIT_PERCENT,
	UNIT_RATIO,	/* a factor, 1.5 = one and a half times */
};

/* "-12", "+5"; false on anything else, also on overflow. */
bool num_parse_i64(struct slice s, int64_t *out) MUST_USE;
/* Plain or exponent notation with a full stop; NaN and infinities are refused. */
bool num_parse_f64(struct slice s, double *out) MUST_USE;
/* "80MB", "1.5 GiB", "123": bytes. KB MB GB TB are powers of 1000, KiB MiB GiB TiB of 1024. */
bool num_parse_size(struct slice s, double *bytes) MUST_USE;
/* "2h", "1d12h", "90", "500ms": seconds. Units: ms s m (or min) h d w. */
bool num_parse_duration(struct slice s, double *seconds) MUST_USE;
/* "2026-11-30T18:00:00Z", "2026-11-30 18:00", "2026-11-30" (UTC), or epoch seconds. */
bool num_parse_time(struct slice s, int64_t *epoch_s) MUST_USE;

/* Seconds since the epoch of a civil date (proleptic Gregorian, UTC). month 1-12, day 1-31. */
int64_t num_epoch_from_civil(int64_t year, int month, int day);

/* "2026-11-30T18:00:00Z"; "never" for TIME_NEVER; times outside years 0001-9999 as "@seconds". */
char *num_format_time(struct arena *a, int64_t epoch_s);
/* "2026-11-30 18:00" for people. */
char *num_format_minute(struct arena *a, int64_t epoch_s);
/* "2026-11-30". */
char *num_format_day(struct arena *a, int64_t epoch_s);
/* "512 B", "16.6 KiB", "1.2 GiB". */
char *num_format_size(struct arena *a, int64_t bytes);
/* "45 s", "12 min", "3 h", "2.5 d", "31 d": one unit, for people. */
char *num_format_duration(struct arena *a, int64_t seconds);
/* A number without trailing zeros, at most 4 significant decimals. */
char *num_format_f64(struct arena *a, double v);

/*
 * A Nagios range, "[@][start:][end]": an alert outside the closed interval, with '@' inside.
 * `text` is the range as typed; NULL = no range, never alerts.
 */
struct range {
	double start, end;	/* may be -INFINITY, INFINITY */
	bool inside;
	const char *text;
};

/*
 * Parse a range whose numbers carry `unit` ("80MB", "2h", "10%"). An empty text is "no range".
 * On failure false, and *why says what is wrong.
 */
bool range_parse(struct arena *a, struct slice s, enum unit unit, struct range *out,
		 const char **why) MUST_USE;
bool range_alerts(const struct range *r, double value);

#endif
