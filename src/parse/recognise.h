/*
 * What kind of output is a line of? By lines that only one command prints.
 */
#ifndef TWCSCHECK_RECOGNISE_H
#define TWCSCHECK_RECOGNISE_H

#include "base/slice.h"
#include "parse/parse.h"

enum loose_kind {
	LOOSE_NONE, LOOSE_TABLESTATS, LOOSE_TABLESTATS_DATA, LOOSE_HISTOGRAMS,
	LOOSE_COMPACTIONSTATS, LOOSE_METADATA, LOOSE_SCHEMA, LOOSE_SCHEMA_ROWS, LOOSE_STATUS,
	LOOSE_INFO, LOOSE_VERSION, LOOSE_DESCRIBECLUSTER, LOOSE_AUTOCOMPACTION, LOOSE_DATAPATHS,
	LOOSE_DF, LOOSE_LISTING, LOOSE_FILES, LOOSE_BLOCKERS, LOOSE_SETTINGS,
	LOOSE_JSON,		/* which one its text tells when it is whole: recognise_json() */
	LOOSE_DUMP_STATISTICS, LOOSE_NODE, LOOSE_BUNDLE,
	LOOSE_COMPLAINT,	/* an error message in place of an output */
	LOOSE_KINDS,
};

/* How the pieces of a kind are read. */
struct loose_form {
	enum evidence_kind kind;
	parse_fn *parse;
	const char *name;		/* of the output, for people */
};

extern const struct loose_form loose_forms[LOOSE_KINDS];

enum line_role {
	LINE_OTHER,	/* says nothing */
	LINE_JOINS,	/* is of that kind, from within its output */
	LINE_STARTS,	/* is the first line of such an output */
};

struct line_sign { enum loose_kind kind; enum line_role role; };

/* A cleaned line, with its indentation. */
struct line_sign recognise_line(struct slice line);

/* A line that stands in the middle of an output of `kind`, whatever it would be elsewhere. */
bool recognise_stays(enum loose_kind kind, struct slice line, struct line_sign sign);

/* What a whole JSON document is; LOOSE_JSON when it is none of ours. */
enum loose_kind recognise_json(struct slice text);

/* The kind of a command's output, for a text that does not show it; LOOSE_NONE when none. */
enum loose_kind recognise_kind_of(unsigned evidence_kind);

/* The first name of the title of a table's histograms, "ks/table histograms". */
bool recognise_title(struct slice line, struct slice *keyspace, struct slice *table);

#endif
