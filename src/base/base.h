/*
 * The types that every module shares: numbers that may be unknown, borrowed bytes, errors.
 *
 * Invariants: an unknown number is never 0 or -1 but `known == false`; a slice does not own its
 * bytes and is not NUL-terminated; an error's text is one line, lower case, without full stop.
 */
#ifndef TWCSCHECK_BASE_H
#define TWCSCHECK_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_USE __attribute__((warn_unused_result))
#define PREFETCH(p) __builtin_prefetch(p)	/* will be needed soon: hides the wait for memory */
#else
#define PRINTF_LIKE(fmt, args)
#define MUST_USE
#define PREFETCH(p) ((void)(p))
#endif

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* "Never" for a time in seconds: a cell without TTL, a block that does not end by itself. */
#define TIME_NEVER INT64_MAX

struct opt_i64 { int64_t v; bool known; };	/* a number the source may not have printed */
struct opt_f64 { double v; bool known; };

static inline struct opt_i64 some_i64(int64_t v)
{
	return (struct opt_i64){ .v = v, .known = true };
}

static inline struct opt_f64 some_f64(double v)
{
	return (struct opt_f64){ .v = v, .known = true };
}

/* a + b, kept inside the range of int64_t; TIME_NEVER stays TIME_NEVER. */
static inline int64_t add_saturated(int64_t a, int64_t b)
{
	if (a == TIME_NEVER || (b > 0 && a > INT64_MAX - b))
		return INT64_MAX;
	if (b < 0 && a < INT64_MIN - b)
		return INT64_MIN;
	return a + b;
}

/* a - b without overflow. */
static inline int64_t sub_saturated(int64_t a, int64_t b)
{
	if (b < 0 && a > INT64_MAX + b)
		return INT64_MAX;
	if (b > 0 && a < INT64_MIN + b)
		return INT64_MIN;
	return a - b;
}

struct slice { const char *p; size_t n; };	/* borrowed bytes, not NUL-terminated */

enum err_kind {
	ERR_NONE, ERR_USAGE, ERR_CONNECT, ERR_HOSTKEY, ERR_AUTH,
	ERR_REMOTE,		/* the command ran and exited non-zero */
	ERR_TIMEOUT, ERR_FORMAT, ERR_IO,
};

struct err {
	enum err_kind kind;
	const char *subject;	/* node, file or option the error is about; may be NULL */
	unsigned line;		/* 1-based line of the evidence; 0 = not about a line */
	const char *text;	/* lower case, no full stop, no newline */
	unsigned column;	/* 1-based byte in that line; 0 = not told */
};

struct arena;

/*
 * Fill `e` (when not NULL and not already set: the first error wins) with a formatted text that
 * lives in `a`. Always returns false, so that a function can `return err_set(...)`.
 */
bool err_set(struct arena *a, struct err *e, enum err_kind kind, const char *subject,
	     unsigned line, const char *fmt, ...) PRINTF_LIKE(6, 7);

/* "subject:line:column: text", whatever of it is known; in the arena. */
const char *err_text(struct arena *a, const struct err *e);

#endif
