/*
 * Loose texts, private to parse/: what loose.c (lines to pieces), loose_piece.c (a piece to its
 * parser) and loose_finish.c (after the last text) share with each other and with parse.c.
 */
#ifndef TWCSCHECK_LOOSE_H
#define TWCSCHECK_LOOSE_H

#include "base/buf.h"
#include "parse/clean.h"
#include "parse/prompt.h"
#include "parse/recognise.h"

/* What is known of a text before it is read: a prompt, a heading, its path. In the arena. */
struct loose_hint {
	unsigned kind;			/* enum evidence_kind; 0 = not said */
	bool unused;			/* a command whose output is of no use, and nothing else */
	const char *host;		/* NULL = not said, as everything below */
	const char *keyspace, *table;
	const char *directory;		/* "<table>-<id>" of a table's SSTables */
	const char *folder;		/* its full path on the node */
};

/* By names of files and folders, "sstablemetadata/metrics.readings.txt". */
struct loose_hint loose_place(struct arena *a, const char *path);
/* The host that a folder of the path is named after; NULL when there is none. */
const char *loose_path_host(struct arena *a, struct slice path);
/* What a prompt or heading says, copied. */
struct loose_hint loose_hint_copy(struct arena *a, const struct command_hint *h);

/* The output that is being gathered. */
struct loose_piece {
	enum loose_kind kind;		/* LOOSE_NONE = none */
	struct slice range;		/* its bytes in the text, while they are as they stand */
	struct buf copy;		/* its lines, once one of them had to be changed */
	bool copied;
	unsigned first_line, last_line, put_before;	/* lines of the text; made up ones */
	bool scattered;			/* there are lines of others in between */
	char indent[64];		/* of the whole block */
	size_t indent_n;

	bool values;			/* more than headings was seen */
	bool in_keys;			/* sstablemetadata: among keys, which are any text */
	struct buf folder;		/* sstablemetadata: of the SSTables so far */
	const char *keyspace;		/* tablestats: the one that is open */
	bool open;			/* schema: a statement, JSON: a document is not finished */
	char quote;			/* ... and in it, a text: its quotation mark */
	bool escaped, comment;
	unsigned depth;			/* JSON */
};

/* Lines of one host (of a tool that asks many), or all of them. */
struct loose_lane {
	const char *host;		/* NULL = the text as such */
	struct loose_hint prompt;	/* the last one */
	struct loose_hint heading;	/* the last one of a file */
	bool ruled;			/* the line before is a rule of dashes */
	struct loose_piece piece;
};

/* A text that is being read; a stream's goes on over several calls. */
struct loose_text {
	struct evidence about;		/* path, node, time of the text */
	struct loose_hint place;
	VEC(struct loose_lane *) lanes;
	struct loose_lane *lane;	/* of the line before */
	enum prefix_shape shape;	/* of the prefixes; PREFIX_NONE = none so far */
	unsigned line;
	struct buf carry;		/* the beginning of a line, or a whole text of UTF-16 */
	bool utf16;
	bool started;
	size_t n_pieces;
	char *unknown;			/* the first line that is of no known output */
};

struct loose_complaint {
	struct node *node;
	enum evidence_kind kind;
	const char *subject, *error;
};

struct loose_state {
	struct cleaner cleaner;
	struct loose_text text;
	VEC(struct loose_complaint) complaints;
	VEC(const char *) unknown;	/* notes of texts without a known output */
	VEC(const char *) unknown_path;
	struct opt_i64 newest_s;	/* of these and of the complaints */
};

enum { LOOSE_HOLD_MAX = 128 << 20 };	/* of one piece, and of one line */

/* The line begins with `text`, whatever its indentation. */
bool loose_starts_with(struct slice line, const char *text);

/* ---- gathering a piece (loose_scan.c) ---- */

size_t loose_piece_size(const struct loose_piece *p);
void loose_piece_begin(struct loose_text *t, struct loose_lane *lane, struct slice line,
		       struct line_sign sign);
/* Takes a line into the piece; `raw` is it as it stands in the text, with its end when `whole`. */
void loose_piece_add(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
		     struct slice line, struct line_sign sign, struct slice raw, bool whole);
/* From now on the piece's bytes are its own: the text's go away. */
void loose_piece_copy(struct loose_piece *p);
/* Nothing but the end of the text or a command's prompt ends the piece here. */
bool loose_piece_is_within(const struct loose_piece *p, struct line_sign sign);
/* Does the line belong to the piece, or is it the first one of something else? */
bool loose_piece_continues(struct loose_piece *p, struct slice line, struct line_sign sign);

/* ---- the end of a piece (loose_piece.c) ---- */

/* Hand a gathered piece to its parser: the lane has none any more. */
void loose_piece_end(struct cluster *c, struct loose_text *t, struct loose_lane *lane);
/* Release what the pieces of a text hold. */
void loose_text_close(struct loose_text *t);
/* A text (or its place) that must have had an output, but has none or an error message. */
void loose_complain(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
		    enum evidence_kind kind, const char *error);

/* The time of a text without any output: there may be no other clock. */
void loose_note_time(struct loose_state *s, const struct evidence *about);

/* Before the evidence records are made: error messages, unknown texts, nodes without a name. */
void loose_finish(struct cluster *c);

/* ---- in parse.c ---- */

/*
 * Hand one piece to a parser and record how it went. `lines_before` is added to the line of an
 * error. False when nothing of it could be used.
 */
bool parse_route(struct node *n, const struct evidence *ev, parse_fn *parse,
		 unsigned lines_before);
/* The node of a folder's (or host's) name, made when it is new. */
struct node *parse_node(struct cluster *c, const char *folder);
void parse_tally(struct node *n, enum evidence_kind kind, const char *subject,
		 enum evidence_status status, const char *error);
/* True when a piece of that kind (and subject, unless NULL) was read. */
bool parse_has_good(struct node *n, enum evidence_kind kind, const char *subject);
/* Kinds of evidence that the node has so far, good or bad: bits. */
unsigned parse_kinds(struct node *n);
/* Adds the tallies of `from` to those of `into`. */
void parse_move_tallies(struct node *into, struct node *from);

#endif
