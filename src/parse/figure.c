/* See figure.h. */
#include "parse/figure.h"

#include "base/num.h"
#include "base/slice.h"

enum { FIGURE_MAX = 48 };

static const double exact_max = 9007199254740992.0;	/* 2^53 */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(struct slice s)
{
	size_t i = 0;

	while (i < s.n && is_digit(s.p[i]))
		i++;
	return i;
}

static bool is_nan(struct slice s)
{
	static const char *const names[] = { "NaN", "NAN", "nan", ".NaN", ".nan", "-nan", "-NaN" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (slice_eq_str(s, names[i]))
			return true;
	return false;
}

/* "1,178", "2,816,159": one to three digits without a leading zero, then groups of three. */
static bool is_grouped(struct slice s)
{
	size_t n = digits(s);

	if (n < 1 || n > 3 || s.p[0] == '0' || n == s.n)
		return false;
	for (s = slice_from(s, n); s.n; s = slice_from(s, 4))
		if (s.p[0] != ',' || s.n < 4 || digits(slice_from(s, 1)) < 3)
			return false;
	return true;
}

static size_t count(struct slice s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* The text without its thousands separators, in `room`. */
static struct slice ungrouped(struct slice s, char *room)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ',')
			room[n++] = s.p[i];
	return (struct slice){ room, n };
}

/* "0,58182", "-1,0", "2,4E-4": a comma that can't part thousands. */
static bool is_decimal_comma(struct slice s, size_t comma)
{
	struct slice before = { s.p, comma }, after = slice_from(s, comma + 1);
	size_t n = digits(after);

	if (before.n && before.p[0] == '-')
		before = slice_from(before, 1);
	if (!before.n || digits(before) != before.n || !n)
		return false;
	if (n < after.n)
		return after.p[n] == 'E' || after.p[n] == 'e';
	return n != 3 || before.p[0] == '0';
}

static bool read_float(struct slice s, double *out)
{
	char room[FIGURE_MAX];
	size_t commas = count(s, ','), dot = slice_find(s, '.'), comma;

	if (!commas)
		return num_parse_f64(s, out);
	if (s.n > sizeof(room))
		return false;
	if (is_grouped((struct slice){ s.p, dot }) && (commas > 1 || dot < s.n))
		return num_parse_f64(ungrouped(s, room), out);
	comma = slice_find(s, ',');
	if (commas > 1 || dot < s.n || !is_decimal_comma(s, comma))
		return false;
	memcpy(room, s.p, s.n);
	room[comma] = '.';
	return num_parse_f64((struct slice){ room, s.n }, out);
}

bool figure_float(struct slice s, struct opt_f64 *out)
{
	double v;

	*out = (struct opt_f64){ 0 };
	if (is_nan(s))
		return true;
	if (!read_float(s, &v))
		return false;
	*out = some_f64(v);
	return true;
}

bool figure_whole(struct slice s, struct opt_i64 *out)
{
	char room[FIGURE_MAX];
	struct opt_f64 f;
	int64_t v;

	*out = (struct opt_i64){ 0 };
	if (num_parse_i64(s, &v)) {
		*out = some_i64(v);
		return true;
	}
	if (is_nan(s))
		return true;
	if (is_grouped(s) && s.n <= sizeof(room)) {
		if (!num_parse_i64(ungrouped(s, room), &v))
			return false;
		*out = some_i64(v);
		return true;
	}
	/* 1.2E7: exact as long as it is whole and a double can hold it */
	if (slice_find(s, ',') < s.n || !figure_float(s, &f) || f.v > exact_max ||
	    f.v < -exact_max || (double)(int64_t)f.v != f.v)
		return false;
	*out = some_i64((int64_t)f.v);
	return true;
}

bool figure_percent(struct slice s, struct opt_f64 *out)
{
	*out = (struct opt_f64){ 0 };
	if (slice_eq_str(s, "n/a") || is_nan(s))
		return true;
	if (!slice_ends(s, SLICE("%")))
		return false;
	s.n--;
	return figure_float(slice_trim(s), out);
}

/* ---- sizes ---- */

/* 1024 or 1000 to the power of the unit's letter; 0 when it is no unit, 1 for bytes. */
static double factor_of(struct slice unit, enum figure_kilo kilo)
{
	static const char letters[] = "KMGTPE";
	double base = kilo == KILO_1000 ? 1000 : 1024, factor = 1;
	struct slice rest = slice_from(unit, 1);
	size_t power;

	if (!unit.n || slice_eq_str(unit, "B") || slice_eq_str(unit, "bytes") ||
	    slice_eq_str(unit, "byte"))
		return 1;
	power = slice_find(SLICE("KMGTPE"), unit.p[0] == 'k' ? 'K' : unit.p[0]);
	if (power == sizeof(letters) - 1)
		return 0;
	if (!rest.n || slice_eq_str(rest, "i") || slice_eq_str(rest, "iB"))
		base = 1024;
	else if (!slice_eq_str(rest, "B"))
		return 0;
	for (size_t i = 0; i <= power; i++)
		factor *= base;
	return factor;
}

/* Where the unit begins: an E is part of the number only when digits follow. */
static size_t number_length(struct slice s)
{
	size_t i = 0, k;

	if (s.n && s.p[0] == '-')
		i++;
	while (i < s.n && (is_digit(s.p[i]) || s.p[i] == '.' || s.p[i] == ','))
		i++;
	if (i < s.n && (s.p[i] == 'E' || s.p[i] == 'e')) {
		k = i + 1;
		if (k < s.n && (s.p[k] == '+' || s.p[k] == '-'))
			k++;
		if (k < s.n && is_digit(s.p[k]))
			i = k + digits(slice_from(s, k));
	}
	return i;
}

/* "2,952,244 bytes (~2.95 MB)": what stands in parentheses is somebody's remark. */
static struct slice without_remark(struct slice s)
{
	size_t open = slice_find(s, '(');

	if (open < s.n && open > 0 && s.p[open - 1] == ' ' && s.p[s.n - 1] == ')')
		s.n = open;
	return slice_trim(s);
}

bool figure_bytes(struct slice s, enum figure_kilo kilo, struct opt_i64 *out, bool *rounded)
{
	struct slice number, unit;
	struct opt_f64 f;
	double factor;

	*out = (struct opt_i64){ 0 };
	if (!s.n || !is_digit(s.p[s.n - 1]))
		s = without_remark(s);
	number = (struct slice){ s.p, number_length(s) };
	if (!number.n || number.n == s.n)
		return figure_whole(s, out);
	unit = slice_trim(slice_from(s, number.n));
	factor = factor_of(unit, kilo);
	if (factor == 0 || number.p[0] == '-')
		return false;
	if (factor == 1)
		return figure_whole(number, out);
	if (!figure_float(number, &f) || f.v * factor > 9.2e18)
		return false;
	*out = some_i64((int64_t)(f.v * factor + 0.5));
	*rounded = true;
	return true;
}
