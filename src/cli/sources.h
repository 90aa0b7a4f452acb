/*
 * Reading the sources of evidence: --local, --from, and over SSH the nodes that -H names, or the
 * configuration's when the command line names no source.
 */
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

/* Is there any source? After config_load(), as below. */
bool sources_given(const struct run_options *o);
/* Are nodes asked over SSH? */
bool sources_over_ssh(const struct run_options *o);
/* The sources as they were given, as arguments for a shell; "" = the configuration's nodes. */
const char *sources_arguments(const struct run_options *o);

/*
 * Read every source; each piece goes to the tap, which hands it to parse_evidence() with the
 * cluster `c`: of that a live source asks what it needs to know. False and err set when a source is
 * nothing that can be read, or when the run was interrupted; over SSH an interrupted run ends
 * early, its missing pieces handed out as failed, and sources_interrupted() tells.
 */
bool sources_read(struct run_options *o, struct cluster *c, const struct evidence_tap *tap,
		  struct err *err) MUST_USE;

/*
 * SIGINT, SIGTERM and SIGHUP from now on only set a flag, once: what is being written is taken
 * away before the program ends. True when one of them came.
 */
void sources_catch_signals(void);
bool sources_interrupted(void);

/* The answers that a live source needs, by what was parsed so far (guide.c). */
struct live_guide *guide_create(struct run_options *o, struct cluster *c);

#endif
