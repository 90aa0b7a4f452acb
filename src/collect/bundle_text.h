/* The two JSON files of a bundle as text: bundle.json and node.json. */
#ifndef TWCSCHECK_BUNDLE_TEXT_H
#define TWCSCHECK_BUNDLE_TEXT_H

#include "base/buf.h"
#include "model/facts.h"

/* What is known of a node beside its outputs; NULL and unknown are null, but for transport. */
struct bundle_node {
	const char *folder;		/* its folder in the bundle */
	const char *name, *address, *product, *release;
	const char *transport;		/* as struct node has it; NULL = is left out */
	struct opt_i64 now_s;
	struct command *const *commands;
	size_t n_commands;
};

void bundle_text_bundle(struct buf *b, const char *cluster, const char *created,
			const char *program);
/* `more` is of the same form as the node's commands and comes after them. */
void bundle_text_node(struct buf *b, const struct bundle_node *n, struct command *const *more,
		      size_t n_more);

#endif
