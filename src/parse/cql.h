/*
 * CQL as far as a schema needs it: tokens, names and option values. Knows nothing of tables.
 *
 * A text may be cut off anywhere: a token that reaches the end of the text could be longer and is
 * marked `cut`; nothing is concluded from it.
 */
#ifndef TWCSCHECK_CQL_H
#define TWCSCHECK_CQL_H

#include "base/slice.h"
#include "parse/settings.h"

enum cql_kind {
	CQL_END,
	CQL_WORD,	/* letters, digits and underscores; case does not count */
	CQL_QUOTED,	/* "Name" */
	CQL_STRING,	/* 'text' or $$text$$ */
	CQL_NUMBER, CQL_UUID,
	CQL_PUNCT,	/* one byte of anything else */
};

struct cql_token {
	enum cql_kind kind;
	struct slice text;	/* as it stands, with its quotes */
	unsigned line;
	bool first;		/* only blanks before it on its line */
	bool cut;		/* reaches the end of the text, or is not closed */
};

struct cql {
	struct slice text;
	size_t pos, line_start;
	unsigned line;
	struct cql_token now;	/* the current token */
};

/* Starts at the first token. */
struct cql cql_open(struct slice text);
/* To the next token; comments and blanks are passed over. At the end it stays there. */
void cql_next(struct cql *c);
/* Passes over the rest of the current token's line, uninterpreted, to the token after it. */
void cql_skip_line(struct cql *c);

bool cql_is(const struct cql *c, char punct);
bool cql_is_word(const struct cql *c, const char *lower_case_word);
/* When it is that word (or byte), goes on to the next token. */
bool cql_take(struct cql *c, char punct);
bool cql_take_word(struct cql *c, const char *lower_case_word);
/* Passes over a bracket and all up to its counterpart; false when that is not there. */
bool cql_skip_brackets(struct cql *c);

/* The name that a word or a quoted name stands for; words are lowered. */
const char *cql_name(struct arena *a, const struct cql_token *t);

/*
 * Read a value: a string, number, word, UUID, or a map, set or list of such. For a plain value
 * `*text` is set, for a map `*map`. Elements that are no plain values are NULL there; a list or
 * set is NULL in both, as a map's element its number of elements ("3").
 * False when it is none, is cut off, or the map has more than 64 entries.
 */
bool cql_value(struct arena *a, struct cql *c, const char **text, const struct option_map **map);

#endif
