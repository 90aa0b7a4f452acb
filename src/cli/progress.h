/*
 * How far a run over SSH has come: one line on standard error that is drawn again and again, and
 * taken away before anything else is written.
 */
#ifndef TWCSCHECK_PROGRESS_H
#define TWCSCHECK_PROGRESS_H

#include <signal.h>

#include "collect/remote.h"

enum { PROGRESS_LINE_BYTES = 256 };

/*
 * The line, at most `width` columns and PROGRESS_LINE_BYTES - 1 bytes, all of them ASCII. What is
 * least worth goes first: the command, the slowest node, what is running.
 */
void progress_format(const struct remote_progress *p, size_t width,
		     char line[PROGRESS_LINE_BYTES]);

struct progress {
	bool shown;			/* is there a terminal, and is it wanted? */
	const volatile sig_atomic_t *stop;	/* not 0: show nothing more */
	size_t drawn;			/* columns that stand there now */
	int64_t last_ms;
	char line[PROGRESS_LINE_BYTES];
};

/* On a terminal and not `quiet` it will be shown. */
void progress_begin(struct progress *g, bool quiet, const volatile sig_atomic_t *stop);
/* As remote_options.progress, with the struct as its context: at most ten times a second. */
void progress_show(void *progress, const struct remote_progress *p);
/* Takes the line away. */
void progress_end(struct progress *g);

#endif
