/*
 * What one node is asked, in which order, and what becomes of its answers: evidence.
 *
 * It knows no transport: it is asked for the next request and given the answer. What several nodes
 * need to be asked only once (schema, status, describecluster) they share through an errand.
 */
#ifndef TWCSCHECK_CONVERSATION_H
#define TWCSCHECK_CONVERSATION_H

#include "collect/remote.h"
#include "collect/run.h"
#include "collect/source.h"

struct conversation;
struct errands;

/* What the nodes of a run share. */
struct errands *errands_create(struct arena *a);

struct conversation *conversation_create(struct arena *a, const struct remote_options *o,
					 const struct remote_node *node, struct errands *errands,
					 evidence_fn *each, void *ctx);

/* How the node was reached, before the first request: its address, and what to say of the way. */
void conversation_begin(struct conversation *c, const char *address, const char *transport);

/* NULL: it is over, or it waits for another node's answer (conversation_is_over() tells). */
const struct remote_request *conversation_next(struct conversation *c);
bool conversation_is_over(const struct conversation *c);

/* The answer to the last request. */
void conversation_take(struct conversation *c, const struct run_result *answer);

/* There will be no more answers: all that is missing becomes failed evidence that says why. */
void conversation_fail(struct conversation *c, const struct err *why);

/* What the node is doing, for a person; NULL = nothing. */
const char *conversation_doing(const struct conversation *c);

void conversation_close(struct conversation *c);

#endif
