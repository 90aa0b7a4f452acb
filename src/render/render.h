/*
 * Renderers: a report in, one buffer out. Pure: no clock, no environment, no stdio. Each escapes
 * hostile text for its own format.
 */
#ifndef TWCSCHECK_RENDER_H
#define TWCSCHECK_RENDER_H

#include "base/buf.h"
#include "finding/finding.h"

enum view { VIEW_CHECK, VIEW_WINDOWS, VIEW_BLOCKERS };

struct render_options {
	enum view view;
	unsigned width;		/* columns of the terminal, at least 40; 0 = no terminal: nothing is
				   wrapped or cut */
	bool color, ascii;	/* ascii: no character outside US-ASCII in what we draw */
	unsigned verbose;	/* 0 to 3 */
	bool quiet;		/* the summary line alone */
	/* Source options as typed, for the commands that the page proposes; NULL = none. */
	const char *source_args;
};

struct renderer {
	const char *name, *help;	/* the --format value */
	void (*render)(const struct report *r, const struct render_options *o, struct buf *out);
};

extern const struct renderer renderer_human, renderer_json;

/* The exit status of a severity: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
int severity_exit_status(enum severity s);

#endif
