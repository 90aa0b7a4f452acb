/*
 * Many nodes at once as a source: one thread, one loop of poll() over all links. A node that is
 * down, slow or broken costs its own evidence and nothing else.
 */
#ifndef TWCSCHECK_FLEET_H
#define TWCSCHECK_FLEET_H

#include "collect/remote.h"
#include "collect/source.h"

/* Never fails; options and nodes must live as long as the source. */
struct source *source_ssh_open(struct arena *a, const struct remote_options *o,
			       const struct remote_node *nodes, size_t n);

/*
 * Its open() is not to be called: it has no path. Pieces of different nodes come mixed; each
 * node's own are in order, node.json first.
 */
extern const struct source_ops source_ssh;

#endif
