/*
 * Walking over a JSON text as it stands: for outputs that are large, that hold integers no double
 * can, or whose strings are not UTF-8. Nothing is built and nothing is allocated; numbers and
 * strings are slices of the text. Strings are any bytes up to the closing quote.
 *
 * The walker stands before a value; each call takes something and moves on. The first thing that
 * is wrong, or the end of the text, sets `problem` and `at` stays there; all calls fail from then.
 */
#ifndef TWCSCHECK_JSON_WALK_H
#define TWCSCHECK_JSON_WALK_H

#include "base/arena.h"

enum { JSON_DEPTH_MAX = 64 };

struct json_walk {
	struct slice text;
	size_t at;
	const char *problem;	/* "cut off within a string"; NULL = all is well */
};

/* The first byte of the next value: '{', '[', '"', a digit or '-', 't', 'f', 'n'; 0 at the end. */
char json_walk_peek(struct json_walk *w);

/*
 * Members of the object (elements of the list) that the walker stands before: *first starts true.
 * True: the walker stands before the member's value, which must be taken (or skipped) before the
 * next call. False: the end was taken, or `problem` is set. The key is as written, with escapes.
 */
bool json_walk_member(struct json_walk *w, bool *first, struct slice *key) MUST_USE;
bool json_walk_element(struct json_walk *w, bool *first) MUST_USE;

/* Take a number (a string): its text as written. */
bool json_walk_number(struct json_walk *w, struct slice *number) MUST_USE;
bool json_walk_string(struct json_walk *w, struct slice *string) MUST_USE;

/* Take the next value, whatever it is, checking its form. At most JSON_DEPTH_MAX levels. */
bool json_walk_skip(struct json_walk *w) MUST_USE;

/* Line and column (both from 1) of where the walker stands. */
void json_walk_place(const struct json_walk *w, unsigned *line, unsigned *column);

/* A copy of a string without its escapes; "\u0000" and what is no escape are kept as written. */
const char *json_walk_unescape(struct arena *a, struct slice s);

#endif
