/*
 * Shell prompts with their commands, and headings between outputs: they tell which command made
 * what follows, on which host, and about which table.
 */
#ifndef TWCSCHECK_PROMPT_H
#define TWCSCHECK_PROMPT_H

#include "base/slice.h"
#include "model/evidence.h"

/* What a prompt, a heading or a file's name says of the output. Slices are of the line. */
struct command_hint {
	unsigned kind;			/* enum evidence_kind; 0 = it does not say */
	bool unused;			/* of a command whose output is of no use here */
	struct slice host;		/* empty = it does not say */
	struct slice keyspace, table;
	struct slice path;		/* that was listed or shown, or the working directory */
	struct slice rest;		/* behind a prompt of cqlsh: may be a statement */
};

/* "user@node1:~$ nodetool tablestats ks", "$ …", "cqlsh> …", or a bare command of the tools. */
bool prompt_read(struct slice line, struct command_hint *out);

/* "==> file <==", "=== node1 ===", "node1 | CHANGED | rc=0 >>": false for any other line. */
bool prompt_heading(struct slice line, struct command_hint *out);

/* What the command's name says, "tablestats" or "cfstats": kind or unused; false when unknown. */
bool prompt_command(struct slice name, struct command_hint *out);

/* Could be the name of a host: an address, or a name with a digit or a full stop. */
bool prompt_is_host(struct slice s);

#endif
