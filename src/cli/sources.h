/* Reading what the command line names as sources of evidence: --local, --from. */
#ifndef TWCSCHECK_SOURCES_H
#define TWCSCHECK_SOURCES_H

#include "cli/cli.h"
#include "collect/live.h"
#include "collect/source.h"

/* Who else wants each piece of evidence, beside the parsers. */
struct evidence_tap {
	evidence_fn *each;
	void (*next_source)(void *ctx);
	void *ctx;
};

/* Was any source named? */
bool sources_given(const struct run_options *o);

/*
 * Read every source into `c`; parse_finish() is the caller's. `tap` may be NULL. False and err set
 * when a source is nothing that can be read; one that could not be read to its end is a note.
 */
bool sources_read(struct run_options *o, struct cluster *c, const struct evidence_tap *tap,
		  struct err *err) MUST_USE;

/*
 * SIGINT, SIGTERM and SIGHUP from now on only set a flag, once: what is being written is taken
 * away before the program ends. True when one of them came.
 */
void sources_catch_signals(void);
bool sources_interrupted(void);

/* The answers that a live source needs, by what was parsed of the node `folder` (guide.c). */
struct live_guide *guide_create(struct run_options *o, struct cluster *c, const char **folder);

#endif
