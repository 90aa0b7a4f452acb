/* Sizes, durations, times, ranges. See num.h. */
#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool num_parse_i64(struct slice s, int64_t *out)
{
	bool negative = false;
	uint64_t v = 0, limit;
	size_t i = 0;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		negative = s.p[i++] == '-';
	if (i == s.n)
		return false;
	limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
	for (; i < s.n; i++) {
		unsigned d;

		if (!is_digit(s.p[i]))
			return false;
		d = (unsigned)(s.p[i] - '0');
		if (v > (limit - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* Length of a plain decimal number ("12", "1.5", ".5", "1e-3") at the start of s; 0 = none. */
static size_t decimal_length(struct slice s)
{
	size_t i = 0, digits = 0;

	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		i++;
	for (; i < s.n && is_digit(s.p[i]); i++)
		digits++;
	if (i < s.n && s.p[i] == '.')
		for (i++; i < s.n && is_digit(s.p[i]); i++)
			digits++;
	if (!digits)
		return 0;
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		size_t j = i + 1;

		if (j < s.n && (s.p[j] == '-' || s.p[j] == '+'))
			j++;
		if (j < s.n && is_digit(s.p[j])) {
			while (j < s.n && is_digit(s.p[j]))
				j++;
			i = j;
		}
	}
	return i;
}

/*
 * The program never calls setlocale(), so strtod reads the C locale's full stop.
 */
static bool decimal_value(struct slice s, double *out)
{
	char text[64];

	if (s.n == 0 || s.n >= sizeof(text))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	*out = strtod(text, NULL);
	return isfinite(*out);
}

bool num_parse_f64(struct slice s, double *out)
{
	size_t n = decimal_length(s);

	return n && n == s.n && decimal_value(s, out);
}

struct scale { const char *name; double factor; };

static bool scale_of(struct slice name, const struct scale *scales, size_t n, double *factor)
{
	for (size_t i = 0; i < n; i++) {
		if (slice_eq_str(name, scales[i].name)) {
			*factor = scales[i].factor;
			return true;
		}
	}
	return false;
}

static const struct scale size_scales[] = {
	{ "", 1 }, { "B", 1 }, { "bytes", 1 },
	{ "KB", 1e3 }, { "kB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 }, { "TB", 1e12 }, { "PB", 1e15 },
	{ "KiB", 1024.0 }, { "MiB", 1048576.0 }, { "GiB", 1073741824.0 },
	{ "TiB", 1099511627776.0 }, { "PiB", 1125899906842624.0 },
};

static const struct scale duration_scales[] = {
	{ "ms", 0.001 }, { "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 },
	{ "d", 86400 }, { "w", 604800 },
};

bool num_parse_size(struct slice s, double *bytes)
{
	size_t n = decimal_length(s);
	double v, factor;

	if (!n || !decimal_value((struct slice){ s.p, n }, &v))
		return false;
	if (!scale_of(slice_trim(slice_from(s, n)), size_scales, ARRAY_LEN(size_scales), &factor))
		return false;
	*bytes = v * factor;
	return true;
}

bool num_parse_duration(struct slice s, double *seconds)
{
	double total = 0;

	if (num_parse_f64(s, seconds))
		return true;
	while (s.n) {
		size_t n = decimal_length(s), u;
		double v, factor;

		if (!n || !decimal_value((struct slice){ s.p, n }, &v))
			return false;
		s = slice_from(s, n);
		for (u = 0; u < s.n && s.p[u] >= 'a' && s.p[u] <= 'z'; u++)
			;
		if (!scale_of((struct slice){ s.p, u }, duration_scales, ARRAY_LEN(duration_scales),
			      &factor))
			return false;
		total += v * factor;
		s = slice_from(s, u);
		if (!s.n) {
			*seconds = total;
			return true;
		}
	}
	return false;
}

/* Days since 1970-01-01, the usual era arithmetic with years that start in March. */
int64_t num_epoch_from_civil(int64_t y, int month, int day)
{
	int64_t era, yoe, doy, doe;

	y -= month <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = y - era * 400;
	doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
	return (era * 146097 + doe - 719468) * 86400;
}

struct civil { int64_t year; int month, day, hour, minute, second; };

static struct civil civil_of(int64_t t)
{
	int64_t days = t / 86400, rest = t % 86400, era, doe, yoe, doy, mp;
	struct civil c;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	doe = days - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	c.day = (int)(doy - (153 * mp + 2) / 5 + 1);
	c.month = (int)(mp < 10 ? mp + 3 : mp - 9);
	c.year = yoe + era * 400 + (c.month <= 2);
	c.hour = (int)(rest / 3600);
	c.minute = (int)(rest / 60 % 60);
	c.second = (int)(rest % 60);
	return c;
}

/* Exactly `n` digits at *s, which moves on. */
static bool take_digits(struct slice *s, size_t n, int *out)
{
	int v = 0;

	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_digit(s->p[i]))
			return false;
		v = v * 10 + (s->p[i] - '0');
	}
	*s = slice_from(*s, n);
	*out = v;
	return true;
}

static bool take_char(struct slice *s, char c)
{
	if (!s->n || s->p[0] != c)
		return false;
	*s = slice_from(*s, 1);
	return true;
}

static int days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	if (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
		return 29;
	return days[month - 1];
}

bool num_parse_time(struct slice s, int64_t *epoch_s)
{
	int year, month, day, hour = 0, minute = 0, second = 0;

	if (num_parse_i64(s, epoch_s))
		return true;
	if (!take_digits(&s, 4, &year) || !take_char(&s, '-') || !take_digits(&s, 2, &month) ||
	    !take_char(&s, '-') || !take_digits(&s, 2, &day))
		return false;
	if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
		return false;
	if (s.n && (s.p[0] == 'T' || s.p[0] == ' ')) {
		s = slice_from(s, 1);
		if (!take_digits(&s, 2, &hour) || !take_char(&s, ':') ||
		    !take_digits(&s, 2, &minute))
			return false;
		if (take_char(&s, ':') && !take_digits(&s, 2, &second))
			return false;
		take_char(&s, 'Z');
	}
	if (s.n || hour > 23 || minute > 59 || second > 59)
		return false;
	*epoch_s = num_epoch_from_civil(year, month, day) + hour * 3600 + minute * 60 + second;
	return true;
}

/* Years 0001 to 9999, what ISO 8601 writes with four digits. */
static bool has_date(int64_t t)
{
	return t >= -62135596800 && t <= 253402300799;
}

char *num_format_time(struct arena *a, int64_t t)
{
	struct civil c;

	if (t == TIME_NEVER)
		return arena_strdup(a, "never");
	if (!has_date(t))
		return arena_printf(a, "@%lld", (long long)t);
	c = civil_of(t);
	return arena_printf(a, "%04lld-%02d-%02dT%02d:%02d:%02dZ", (long long)c.year, c.month,
			    c.day, c.hour, c.minute, c.second);
}

char *num_format_minute(struct arena *a, int64_t t)
{
	struct civil c;

	if (t == TIME_NEVER || !has_date(t))
		return num_format_time(a, t);
	c = civil_of(t);
	return arena_printf(a, "%04lld-%02d-%02d %02d:%02d", (long long)c.year, c.month, c.day,
			    c.hour, c.minute);
}

char *num_format_day(struct arena *a, int64_t t)
{
	struct civil c;

	if (t == TIME_NEVER || !has_date(t))
		return num_format_time(a, t);
	c = civil_of(t);
	return arena_printf(a, "%04lld-%02d-%02d", (long long)c.year, c.month, c.day);
}

char *num_format_size(struct arena *a, int64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes;
	size_t u = 0;

	while (fabs(v) >= 1024 && u + 1 < ARRAY_LEN(units)) {
		v /= 1024;
		u++;
	}
	if (u == 0)
		return arena_printf(a, "%lld B", (long long)bytes);
	return arena_printf(a, fabs(v) < 10 ? "%.2f %s" : fabs(v) < 100 ? "%.1f %s" : "%.0f %s", v,
			    units[u]);
}

char *num_format_duration(struct arena *a, int64_t s)
{
	static const struct { int64_t span; const char *name; } units[] = {
		{ 86400, "d" }, { 3600, "h" }, { 60, "min" },
	};
	const char *sign = s < 0 ? "-" : "";
	int64_t v = s == INT64_MIN ? INT64_MAX : s < 0 ? -s : s;

	if (s == TIME_NEVER)
		return arena_strdup(a, "for ever");
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		double n = (double)v / (double)units[i].span;

		if (v < 2 * units[i].span && v != units[i].span)
			continue;
		if (n >= 20 || v % units[i].span == 0)
			return arena_printf(a, "%s%.0f %s", sign, n, units[i].name);
		return arena_printf(a, "%s%.1f %s", sign, n, units[i].name);
	}
	return arena_printf(a, "%s%lld s", sign, (long long)v);
}

char *num_format_f64(struct arena *a, double v)
{
	char *p = arena_printf(a, "%.4f", v);
	size_t n = strlen(p);

	while (n && p[n - 1] == '0')
		p[--n] = '\0';
	if (n && p[n - 1] == '.')
		p[--n] = '\0';
	return strcmp(p, "-0") == 0 ? p + 1 : p;
}

static bool parse_bound(struct slice s, enum unit unit, double *out)
{
	switch (unit) {
	case UNIT_BYTES:
		return num_parse_size(s, out);
	case UNIT_SECONDS:
		return num_parse_duration(s, out);
	case UNIT_PERCENT:
		if (slice_ends(s, SLICE("%")))
			s.n--;
		return num_parse_f64(s, out);
	case UNIT_RATIO:
		if (slice_ends(s, SLICE("x")))
			s.n--;
		return num_parse_f64(s, out);
	default:
		return num_parse_f64(s, out);
	}
}

bool range_parse(struct arena *a, struct slice s, enum unit unit, struct range *out,
		 const char **why)
{
	struct range r = { .start = 0, .end = INFINITY };
	struct slice whole = slice_trim(s), start, end;
	size_t colon;

	s = whole;
	if (!s.n) {
		*out = (struct range){ .text = NULL };
		return true;
	}
	if (s.p[0] == '@') {
		r.inside = true;
		s = slice_from(s, 1);
	}
	colon = slice_find(s, ':');
	start = colon < s.n ? (struct slice){ s.p, colon } : (struct slice){ s.p, 0 };
	end = colon < s.n ? slice_from(s, colon + 1) : s;
	if (slice_eq(start, SLICE("~")))
		r.start = -INFINITY;
	else if (start.n && !parse_bound(start, unit, &r.start)) {
		*why = arena_printf(a, "'%.*s' is no number of this kind", (int)start.n, start.p);
		return false;
	}
	if (end.n && !parse_bound(end, unit, &r.end)) {
		*why = arena_printf(a, "'%.*s' is no number of this kind", (int)end.n, end.p);
		return false;
	}
	if (!end.n && colon == s.n) {
		*why = "a range needs a number";
		return false;
	}
	if (r.start > r.end) {
		*why = "the start is above the end";
		return false;
	}
	r.text = arena_copy(a, whole);
	*out = r;
	return true;
}

bool range_alerts(const struct range *r, double v)
{
	bool in;

	if (!r->text || isnan(v))
		return false;
	in = v >= r->start && v <= r->end;
	return r->inside ? in : !in;
}
