/* Reading what the command line names as sources of evidence: --local, --from. */
#ifndef TWCSCHECK_SOURCES_H
#define TWCSCHECK_SOURCES_H

#include "cli/cli.h"
#include "collect/live.h"
#include "collect/source.h"

/* Who takes what is read. */
struct evidence_tap {
	evidence_fn *each;
	void (*next_source)(void *ctx);		/* another one begins; may be NULL */
	/* A source could not be read to its end: `why` names it. What came before stays. */
	void (*stopped)(void *ctx, const char *why);
	void *ctx;
};

/* Was any source named? */
bool sources_given(const struct run_options *o);

/*
 * Read every source; each piece goes to the tap, which hands it to parse_evidence() with the
 * cluster `c`: of that a live source asks what it needs to know. False and err set when a source is
 * nothing that can be read, or when the run was interrupted.
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
