/*
 * A configuration file as a tree of values, each with its place in the text: JSON with comments
 * from // to the end of the line.
 *
 * Invariants: keys and texts are strings without NUL bytes; the order is the file's; members of
 * one object have different keys. A file without any value is an object without members.
 */
#ifndef TWCSCHECK_CONFIG_TEXT_H
#define TWCSCHECK_CONFIG_TEXT_H

#include "base/arena.h"

enum { CONFIG_FILE_MAX = 1024 * 1024, CONFIG_DEPTH_MAX = 16 };

enum config_kind { CONFIG_OBJECT, CONFIG_LIST, CONFIG_TEXT, CONFIG_NUMBER, CONFIG_WORD };

struct config_value {
	enum config_kind kind;
	const char *key;		/* in an object; NULL elsewhere */
	size_t key_at, at;		/* where key and value begin: offsets into the text */
	const char *text;		/* a text's bytes; a number or a word as written */
	struct config_value *child, *next;
	size_t n;			/* children */
};

/* Where errors are reported; `text` is what offsets count in. */
struct config_source {
	struct arena *arena;
	const char *path;
	struct slice text;
	struct err *err;
};

/*
 * Parse `text`, at most CONFIG_FILE_MAX bytes. NULL and err set, with line and column, when it is
 * not well formed. src->text is set to what the offsets count in.
 */
struct config_value *config_text_parse(struct config_source *src, struct slice text);

/* Set the error at an offset: line and column are counted in characters from 1. Always false. */
bool config_complain(const struct config_source *src, size_t at, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif
