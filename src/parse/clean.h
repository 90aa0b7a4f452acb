/*
 * What surrounds an output where people saved or pasted it: terminal escapes, byte-order marks,
 * marks of quoting, prefixes that a logger or a container tool put before every line. A line that
 * has none of it comes back as it stands, without a copy.
 */
#ifndef TWCSCHECK_CLEAN_H
#define TWCSCHECK_CLEAN_H

#include "base/buf.h"
#include "base/slice.h"

struct cleaner {
	struct buf scratch;	/* the last line that had to be changed */
	bool marked;		/* the text has bytes that must be looked at in every line */
};

void cleaner_open(struct cleaner *c);
void cleaner_close(struct cleaner *c);
/*
 * Looks through (a part of) the text whose lines come next, for bytes that have to go. `marked`
 * stays set until the next text.
 */
void cleaner_look(struct cleaner *c, struct slice text);

/*
 * One line, without its line end: without terminal escapes, control characters and what a carriage
 * return or backspaces overwrote; no-break spaces are blanks. The result is (a part of) the line,
 * or lies in the cleaner's scratch until the next call.
 */
struct slice clean_line(struct cleaner *c, struct slice line);

/* Without marks of quoting at its start: "> " (repeated) and "| ". */
struct slice clean_unquote(struct slice line);

/* "```", "~~~", "{code}", "{noformat}", "<pre>": a line around a block, no part of it. */
bool clean_is_fence(struct slice line);

enum prefix_shape {
	PREFIX_NONE,
	PREFIX_CONTAINER,	/* "cassandra-0  | " */
	PREFIX_BRACKETS,	/* "[node1] ", "[pod/cassandra-0/cassandra] " */
	PREFIX_COLON,		/* "node1: ", "pod/cassandra-0: " */
	PREFIX_LEVEL,		/* "dtest: DEBUG: " */
	PREFIX_SYSLOG,		/* "Mar  1 10:00:00 node1 app[12]: " */
	PREFIX_TIME,		/* "INFO  [main] 2021-03-01 10:00:00,123 Foo.java:12 - " */
};

struct prefix {
	enum prefix_shape shape;
	struct slice host;	/* of whom the line is; empty = it does not say */
	size_t n;		/* its length */
};

/* The line's prefix of the next shape after `after` that fits; false when there is none. */
bool clean_prefix(struct slice line, enum prefix_shape after, struct prefix *out);
/* The line's prefix of just that shape. */
bool clean_prefix_of(struct slice line, enum prefix_shape shape, struct prefix *out);

/*
 * Text in UTF-16 with its byte-order mark (a shell of Windows writes it) as UTF-8, added to `out`.
 * False when it is none; then nothing was added.
 */
bool clean_utf16(struct slice text, struct buf *out);

#endif
