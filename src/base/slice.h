/* Borrowed byte ranges: lines, fields, comparisons. Nothing here allocates. */
#ifndef TWCSCHECK_SLICE_H
#define TWCSCHECK_SLICE_H

#include <string.h>

#include "base/base.h"

#define SLICE(literal) ((struct slice){ (literal), sizeof(literal) - 1 })

static inline struct slice slice_of(const char *s)
{
	return (struct slice){ s, s ? strlen(s) : 0 };
}

static inline bool slice_eq(struct slice a, struct slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool slice_eq_str(struct slice a, const char *s)
{
	return slice_eq(a, slice_of(s));
}

static inline bool slice_starts(struct slice a, struct slice prefix)
{
	return a.n >= prefix.n && memcmp(a.p, prefix.p, prefix.n) == 0;
}

static inline bool slice_ends(struct slice a, struct slice suffix)
{
	return a.n >= suffix.n && memcmp(a.p + a.n - suffix.n, suffix.p, suffix.n) == 0;
}

static inline struct slice slice_from(struct slice a, size_t skip)
{
	return skip >= a.n ? (struct slice){ a.p + a.n, 0 }
			   : (struct slice){ a.p + skip, a.n - skip };
}

/* Without blanks, tabs and carriage returns at both ends. */
struct slice slice_trim(struct slice s);

/* Order as memcmp, shorter first when one is a prefix of the other. */
int slice_cmp(struct slice a, struct slice b);

/* Position of byte c, or s.n when it is not there. */
size_t slice_find(struct slice s, char c);

/* Position of the last byte c, or s.n when it is not there. */
size_t slice_rfind(struct slice s, char c);

/* Takes the last component off a path: what stands behind the last '/', all of it without one. */
struct slice slice_take_last(struct slice *path);

/*
 * Bytes to insert, leave out or change to make one text of the other, for "did you mean": by the
 * first 63 bytes of each.
 */
size_t slice_distance(struct slice x, struct slice y);

/*
 * Walks over lines. Line ends are LF or CRLF; a byte-order mark at the start is skipped.
 * `terminated` tells whether the line just returned had its line end: the last line of a text
 * that was cut off has not, and numbers on it may be cut as well.
 */
struct lines {
	struct slice rest;
	unsigned number;	/* 1-based number of the line just returned */
	bool terminated;
};

struct lines lines_of(struct slice text);
bool lines_next(struct lines *it, struct slice *line);

/*
 * Split off the next field of *rest at `sep`; false when nothing is left. An empty text has no
 * field, "a\t" has two.
 */
bool slice_field(struct slice *rest, char sep, struct slice *field);

/* Split off the next run of bytes that are neither blank nor tab; false when nothing is left. */
bool slice_word(struct slice *rest, struct slice *word);

#endif
