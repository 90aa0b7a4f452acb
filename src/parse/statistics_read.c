/* Reader of big-endian records with bounds, and the table of versions. See statistics_read.h. */
#include "parse/statistics_read.h"

#include <string.h>

/*
 * The first version of each format with its features; versions between two rows have those of the
 * row above. "da" sorts before every "big" version and yet has all of "oa": the format comes first.
 */
static const struct version_row {
	const char *format, *version;
	unsigned features;
} version_rows[] = {
	{ "big", "ja", FEATURE_FLAT | FEATURE_MIN_MAX },
	{ "big", "ka", FEATURE_ANCESTORS | FEATURE_MIN_MAX | FEATURE_SAMPLING },
	{ "big", "lb", FEATURE_ANCESTORS | FEATURE_MIN_MAX | FEATURE_SAMPLING | FEATURE_LOG_LOWER },
	{ "big", "ma", FEATURE_ROWS | FEATURE_MIN_MAX | FEATURE_SAMPLING },
	{ "big", "mb", FEATURE_ROWS | FEATURE_MIN_MAX | FEATURE_SAMPLING | FEATURE_LOG_LOWER },
	{ "big", "mc", FEATURE_ROWS | FEATURE_MIN_MAX | FEATURE_SAMPLING | FEATURE_LOG_LOWER |
		       FEATURE_LOG_INTERVALS },
	{ "big", "me", FEATURE_ROWS | FEATURE_MIN_MAX | FEATURE_SAMPLING | FEATURE_LOG_LOWER |
		       FEATURE_LOG_INTERVALS | FEATURE_HOST_ID },
	{ "big", "na", FEATURE_ROWS | FEATURE_MIN_MAX | FEATURE_SAMPLING | FEATURE_LOG_LOWER |
		       FEATURE_LOG_INTERVALS | FEATURE_CHECKSUMS },
	{ "big", "nb", FEATURE_ROWS | FEATURE_MIN_MAX | FEATURE_SAMPLING | FEATURE_LOG_LOWER |
		       FEATURE_LOG_INTERVALS | FEATURE_CHECKSUMS | FEATURE_HOST_ID },
	{ "big", "nc", FEATURE_ROWS | FEATURE_MIN_MAX | FEATURE_SAMPLING | FEATURE_LOG_LOWER |
		       FEATURE_LOG_INTERVALS | FEATURE_CHECKSUMS | FEATURE_HOST_ID |
		       FEATURE_COVERED },
	{ "big", "oa", FEATURE_ROWS | FEATURE_SAMPLING | FEATURE_LOG_LOWER | FEATURE_LOG_INTERVALS |
		       FEATURE_CHECKSUMS | FEATURE_HOST_ID | FEATURE_COVERED | FEATURE_WIDE },
	{ "big", "pa", 0 },	/* not known */
	{ "bti", "da", FEATURE_ROWS | FEATURE_SAMPLING | FEATURE_LOG_LOWER | FEATURE_LOG_INTERVALS |
		       FEATURE_CHECKSUMS | FEATURE_HOST_ID | FEATURE_COVERED | FEATURE_WIDE },
	{ "bti", "ea", 0 },	/* not known */
};

bool version_features(struct slice format, struct slice version, unsigned *features)
{
	*features = 0;
	if (version.n != 2)
		return false;
	if (!format.n)
		format = SLICE("big");
	for (size_t i = 0; i < ARRAY_LEN(version_rows); i++) {
		const struct version_row *row = &version_rows[i];

		if (slice_eq_str(format, row->format) &&
		    slice_cmp(version, slice_of(row->version)) >= 0)
			*features = row->features;
	}
	return *features != 0;
}

struct reader reader_of(struct arena *a, struct slice bytes, const char *subject, struct err *err)
{
	const unsigned char *p = (const unsigned char *)bytes.p;

	return (struct reader){ .arena = a, .p = p, .start = p, .end = p + bytes.n,
				.subject = subject, .part = "file", .err = err };
}

bool read_fail(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	if (!r->failed && r->err && r->err->kind == ERR_NONE) {
		va_start(ap, fmt);
		err_set(r->arena, r->err, ERR_FORMAT, r->subject, 0, "%s, offset %zu: %s", r->part,
			(size_t)(r->p - r->start), arena_vprintf(r->arena, fmt, ap));
		va_end(ap);
	}
	r->failed = true;
	return false;
}

size_t read_left(const struct reader *r)
{
	return r->failed ? 0 : (size_t)(r->end - r->p);
}

/* n bytes, or NULL (and failed) when there are fewer. */
static const unsigned char *take(struct reader *r, uint64_t n)
{
	const unsigned char *p = r->p;

	if (r->failed)
		return NULL;
	if (n > (uint64_t)(r->end - r->p)) {
		read_fail(r, "cut off: %llu bytes wanted, %zu left", (unsigned long long)n,
			  (size_t)(r->end - r->p));
		return NULL;
	}
	r->p += n;
	return p;
}

struct slice read_bytes(struct reader *r, uint64_t n)
{
	const unsigned char *p = take(r, n);

	return p ? (struct slice){ (const char *)p, (size_t)n } : (struct slice){ "", 0 };
}

static uint64_t read_big_endian(struct reader *r, size_t n)
{
	const unsigned char *p = take(r, n);
	uint64_t v = 0;

	if (!p)
		return 0;
	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

uint8_t read_u8(struct reader *r)
{
	return (uint8_t)read_big_endian(r, 1);
}

bool read_bool(struct reader *r)
{
	uint8_t v = read_u8(r);

	if (v > 1) {
		r->p--;
		read_fail(r, "a flag of value %u", v);
	}
	return v == 1;
}

uint16_t read_u16(struct reader *r)
{
	return (uint16_t)read_big_endian(r, 2);
}

uint32_t read_u32(struct reader *r)
{
	return (uint32_t)read_big_endian(r, 4);
}

int32_t read_i32(struct reader *r)
{
	uint32_t v = read_u32(r);
	int32_t out;

	memcpy(&out, &v, sizeof(out));
	return out;
}

int64_t read_i64(struct reader *r)
{
	uint64_t v = read_big_endian(r, 8);
	int64_t out;

	memcpy(&out, &v, sizeof(out));
	return out;
}

double read_f64(struct reader *r)
{
	uint64_t v = read_big_endian(r, 8);
	double out;

	memcpy(&out, &v, sizeof(out));
	return out;
}

/* As many more bytes as the first one has leading ones; its other bits lead the value. */
uint64_t read_uvint(struct reader *r)
{
	uint8_t first = read_u8(r);
	const unsigned char *p;
	unsigned more = 0;
	uint64_t v;

	while (more < 8 && (first & (0x80u >> more)))
		more++;
	v = more < 8 ? first & (0xffu >> more) : 0;
	p = take(r, more);
	if (!p)
		return 0;
	for (unsigned i = 0; i < more; i++)
		v = v << 8 | p[i];
	return v;
}

struct slice read_vbytes(struct reader *r)
{
	return read_bytes(r, read_uvint(r));
}

struct slice read_sbytes(struct reader *r)
{
	return read_bytes(r, read_u16(r));
}

static size_t check_count(struct reader *r, const unsigned char *at, uint64_t n, size_t limit,
			  size_t size, const char *what)
{
	if (r->failed)
		return 0;
	if (n > limit || n * size > read_left(r)) {
		r->p = at;
		read_fail(r, "implausible number of %s: %llu", what, (unsigned long long)n);
		return 0;
	}
	return (size_t)n;
}

size_t read_count(struct reader *r, size_t limit, size_t size, const char *what)
{
	const unsigned char *at = r->p;
	int32_t n = read_i32(r);

	if (n < 0) {
		r->p = at;
		read_fail(r, "negative number of %s: %d", what, n);
		return 0;
	}
	return check_count(r, at, (uint64_t)n, limit, size, what);
}

size_t read_uvint_count(struct reader *r, size_t limit, size_t size, const char *what)
{
	const unsigned char *at = r->p;

	return check_count(r, at, read_uvint(r), limit, size, what);
}

struct uuid read_optional_uuid(struct reader *r)
{
	struct uuid u = { .known = read_bool(r) };
	struct slice s;

	if (!u.known)
		return u;
	s = read_bytes(r, sizeof(u.bytes));
	if (s.n == sizeof(u.bytes))
		memcpy(u.bytes, s.p, s.n);
	return u;
}
