/* See json_write.h. */
#include "render/json_write.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void json_init(struct json *j, struct buf *out, unsigned indent)
{
	*j = (struct json){ .out = out, .indent = indent };
}

static void new_line(struct json *j)
{
	if (!j->indent)
		return;
	buf_char(j->out, '\n');
	buf_repeat(j->out, ' ', (size_t)j->indent * j->depth);
}

/* What stands between the previous value and the next one. */
static void separate(struct json *j)
{
	uint64_t bit = UINT64_C(1) << j->depth;

	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->has_items & bit)
		buf_char(j->out, ',');
	j->has_items |= bit;
	if (j->depth)
		new_line(j);
}

static void begin(struct json *j, char c)
{
	separate(j);
	buf_char(j->out, c);
	assert(j->depth < JSON_DEPTH_MAX);
	j->depth++;
	j->has_items &= ~(UINT64_C(1) << j->depth);
}

static void end(struct json *j, char c)
{
	bool any = j->has_items & (UINT64_C(1) << j->depth);

	assert(j->depth > 0);
	j->depth--;
	if (any)
		new_line(j);
	buf_char(j->out, c);
}

void json_object_begin(struct json *j)
{
	begin(j, '{');
}

void json_object_end(struct json *j)
{
	end(j, '}');
}

void json_array_begin(struct json *j)
{
	begin(j, '[');
}

void json_array_end(struct json *j)
{
	end(j, ']');
}

/* Lowest and highest second byte that may follow `first`; 0 length = no first byte. */
static size_t utf8_expect(unsigned char first, unsigned char *low, unsigned char *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef) {
		if (first == 0xe0)
			*low = 0xa0;
		if (first == 0xed)
			*high = 0x9f;
		return 3;
	}
	if (first >= 0xf0 && first <= 0xf4) {
		if (first == 0xf0)
			*low = 0x90;
		if (first == 0xf4)
			*high = 0x8f;
		return 4;
	}
	return 0;
}

size_t utf8_length(struct slice s, size_t *bad)
{
	const unsigned char *p = (const unsigned char *)s.p;
	unsigned char low, high;
	size_t want;

	*bad = 1;
	if (!s.n)
		return 0;
	if (p[0] < 0x80)
		return 1;
	want = utf8_expect(p[0], &low, &high);
	for (size_t i = 1; i < want; i++) {
		if (i >= s.n || p[i] < low || p[i] > high) {
			*bad = i;
			return 0;
		}
		low = 0x80;
		high = 0xbf;
	}
	return want;
}

static void write_escape(struct buf *b, unsigned char c)
{
	switch (c) {
	case '"':
		buf_add(b, "\\\"", 2);
		break;
	case '\\':
		buf_add(b, "\\\\", 2);
		break;
	case '\n':
		buf_add(b, "\\n", 2);
		break;
	case '\r':
		buf_add(b, "\\r", 2);
		break;
	case '\t':
		buf_add(b, "\\t", 2);
		break;
	default:
		buf_printf(b, "\\u%04x", c);
	}
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void write_ill_formed(struct buf *b, struct slice s, bool as_hex)
{
	if (!as_hex) {
		buf_str(b, "\xef\xbf\xbd");
		return;
	}
	for (size_t i = 0; i < s.n; i++)
		buf_printf(b, "\\\\x%02x", (unsigned char)s.p[i]);
}

static void write_text(struct buf *b, struct slice s, bool as_hex)
{
	buf_char(b, '"');
	while (s.n) {
		size_t run = 0, bad;

		while (run < s.n && is_plain((unsigned char)s.p[run]))
			run++;
		buf_add(b, s.p, run);
		s = slice_from(s, run);
		if (!s.n)
			break;
		run = utf8_length(s, &bad);
		if (!run) {
			run = bad;
			write_ill_formed(b, (struct slice){ s.p, bad }, as_hex);
		} else if (run == 1) {
			write_escape(b, (unsigned char)s.p[0]);
		} else {
			buf_add(b, s.p, run);
		}
		s = slice_from(s, run);
	}
	buf_char(b, '"');
}

void json_key_slice(struct json *j, struct slice key)
{
	separate(j);
	write_text(j->out, key, false);
	buf_add(j->out, ": ", j->indent ? 2 : 1);
	j->after_key = true;
}

/* Names known to the program are plain and short: on one line they go out in one piece. */
void json_key(struct json *j, const char *key)
{
	uint64_t bit = UINT64_C(1) << j->depth;
	size_t n = strlen(key), at = 0;
	char piece[64];

	if (j->indent || n > sizeof(piece) - 4) {
		json_key_slice(j, (struct slice){ key, n });
		return;
	}
	if (j->has_items & bit)
		piece[at++] = ',';
	j->has_items |= bit;
	j->after_key = true;
	piece[at++] = '"';
	memcpy(piece + at, key, n);
	at += n;
	piece[at++] = '"';
	piece[at++] = ':';
	buf_add(j->out, piece, at);
}

void json_slice(struct json *j, struct slice s)
{
	separate(j);
	write_text(j->out, s, false);
}

void json_slice_bytes(struct json *j, struct slice s)
{
	separate(j);
	write_text(j->out, s, true);
}

void json_string(struct json *j, const char *s)
{
	if (s)
		json_slice(j, slice_of(s));
	else
		json_null(j);
}

void json_hex(struct json *j, struct slice bytes)
{
	static const char digits[] = "0123456789abcdef";
	char part[64];
	size_t n = 0;

	separate(j);
	buf_char(j->out, '"');
	for (size_t i = 0; i < bytes.n; i++) {
		unsigned char c = (unsigned char)bytes.p[i];

		part[n++] = digits[c >> 4];
		part[n++] = digits[c & 15];
		if (n == sizeof(part)) {
			buf_add(j->out, part, n);
			n = 0;
		}
	}
	buf_add(j->out, part, n);
	buf_char(j->out, '"');
}

static char *digits_before(char *p, uint64_t v)
{
	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	return p;
}

const char *decimal_i64(char room[DECIMAL_ROOM], int64_t v)
{
	uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char *p = room + DECIMAL_ROOM - 1;

	*p = '\0';
	p = digits_before(p, magnitude);
	if (v < 0)
		*--p = '-';
	return p;
}

void json_i64(struct json *j, int64_t v)
{
	char room[DECIMAL_ROOM];
	const char *p = decimal_i64(room, v);

	separate(j);
	buf_add(j->out, p, (size_t)(room + sizeof(room) - 1 - p));
}

void json_u64(struct json *j, uint64_t v)
{
	char room[DECIMAL_ROOM];
	char *p = digits_before(room + sizeof(room), v);

	separate(j);
	buf_add(j->out, p, (size_t)(room + sizeof(room) - p));
}

/* One more in the last of the digits before the exponent; false when that would carry. */
static bool bump_last_digit(char *text)
{
	char *e = strchr(text, 'e');

	if (!e || e == text || e[-1] < '0' || e[-1] >= '9')
		return false;
	e[-1]++;
	return true;
}

/*
 * Significant digits and decimal exponent of the shortest text that reads back as v. Below the
 * normal range fewer than 15 digits can do, so the search starts at one digit there. At a power of
 * two the numbers below lie closer: there the neighbour above may read back when the rounded text
 * does not.
 */
static void shortest_digits(double v, char digits[24], size_t *n, int *exponent)
{
	char text[40];
	int precision = fabs(v) < 2.3e-308 ? 1 : 15;
	size_t len;

	for (;; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision - 1, v);
		if (precision >= 17 || strtod(text, NULL) == v)
			break;
		if (precision == 16 && bump_last_digit(text) && strtod(text, NULL) == v)
			break;
	}
	*n = 0;
	for (len = 0; text[len] != 'e'; len++)
		if (text[len] >= '0' && text[len] <= '9')
			digits[(*n)++] = text[len];
	*exponent = atoi(text + len + 1);
	while (*n > 1 && digits[*n - 1] == '0')
		(*n)--;
}

/* Of a number without a fraction and of at most 15 digits they are its own; most are like that. */
static bool integer_digits(double v, char digits[24], size_t *n, int *exponent)
{
	double magnitude = fabs(v);
	char *p;

	if (magnitude >= 1e15 || magnitude != floor(magnitude))
		return false;
	p = digits_before(digits + 24, (uint64_t)magnitude);
	*n = (size_t)(digits + 24 - p);
	memmove(digits, p, *n);
	*exponent = (int)*n - 1;
	while (*n > 1 && digits[*n - 1] == '0')
		(*n)--;
	return true;
}

static char *add_chars(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

void decimal_f64(char room[40], double v)
{
	char digits[24], *p = room;
	int exponent;
	size_t n;

	if (isnan(v) || isinf(v)) {
		strcpy(room, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
		return;
	}
	if (!integer_digits(v, digits, &n, &exponent))
		shortest_digits(v, digits, &n, &exponent);
	if (signbit(v))
		*p++ = '-';
	if (exponent < -4 || exponent >= 16) {
		*p++ = digits[0];
		if (n > 1) {
			*p++ = '.';
			p = add_chars(p, digits + 1, n - 1);
		}
		snprintf(p, 8, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent) % 1000);
		return;
	}
	if (exponent < 0) {
		p = add_chars(p, "0.000", (size_t)(1 - exponent));
		p = add_chars(p, digits, n);
	} else {
		for (int i = 0; i <= exponent; i++)
			*p++ = (size_t)i < n ? digits[i] : '0';
		*p++ = '.';
		if (n > (size_t)exponent + 1)
			p = add_chars(p, digits + exponent + 1, n - (size_t)exponent - 1);
		else
			*p++ = '0';
	}
	*p = '\0';
}

void json_f64(struct json *j, double v)
{
	char room[40];

	if (!isfinite(v)) {
		json_null(j);
		return;
	}
	decimal_f64(room, v);
	json_number(j, room);
}

void json_number(struct json *j, const char *number)
{
	separate(j);
	buf_str(j->out, number);
}

void json_bool(struct json *j, bool v)
{
	json_number(j, v ? "true" : "false");
}

void json_null(struct json *j)
{
	json_number(j, "null");
}

void json_opt_i64(struct json *j, struct opt_i64 v)
{
	if (v.known)
		json_i64(j, v.v);
	else
		json_null(j);
}

void json_opt_f64(struct json *j, struct opt_f64 v)
{
	if (v.known)
		json_f64(j, v.v);
	else
		json_null(j);
}

void json_put_string(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_string(j, s);
}

void json_put_slice(struct json *j, const char *key, struct slice s)
{
	json_key(j, key);
	json_slice(j, s);
}

void json_put_i64(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_i64(j, v);
}

void json_put_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

void json_put_f64(struct json *j, const char *key, double v)
{
	json_key(j, key);
	json_f64(j, v);
}

void json_put_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}

void json_put_null(struct json *j, const char *key)
{
	json_key(j, key);
	json_null(j);
}

void json_put_opt_i64(struct json *j, const char *key, struct opt_i64 v)
{
	json_key(j, key);
	json_opt_i64(j, v);
}

void json_put_opt_f64(struct json *j, const char *key, struct opt_f64 v)
{
	json_key(j, key);
	json_opt_f64(j, v);
}
