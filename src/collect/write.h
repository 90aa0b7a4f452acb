/*
 * Writing a bundle, a directory or an archive, from the evidence of any source.
 *
 * Everything goes into a folder with a temporary name beside the final one, is packed when an
 * archive is wanted, and renamed when it is whole: under the final name there is a whole bundle or
 * nothing, also when the disk fills up. Folders have mode 0700 and files 0600.
 */
#ifndef TWCSCHECK_WRITE_H
#define TWCSCHECK_WRITE_H

#include "base/arena.h"
#include "collect/bundle_text.h"
#include "model/evidence.h"

struct bundle_writer;

/*
 * NULL and err set when it can't be begun. What exists already under `path` is only replaced with
 * `force`, and only when it is a file or a bundle.
 */
struct bundle_writer *bundle_writer_create(struct arena *a, const char *path, bool force,
					   struct err *err);

/* A new source begins: a node that an earlier one had must not come again. */
void bundle_writer_next_source(struct bundle_writer *w);

/*
 * Save one piece: an evidence_fn with the writer as its context. A piece with an error becomes a
 * failed command in node.json. Writing that fails is told by bundle_writer_finish().
 */
void bundle_writer_add(void *writer, const struct evidence *ev);

struct bundle_about {
	const char *cluster, *created, *program;	/* where no source had a bundle.json */
	const struct bundle_node *nodes;	/* for each node.json that is made here */
	size_t n_nodes;
};

/*
 * Everything came: complete it and give it its name. False and err set when it is not written;
 * then nothing is left of it. Either way the writer is done.
 */
bool bundle_writer_finish(struct bundle_writer *w, const struct bundle_about *about,
			  struct err *err) MUST_USE;

/* Give it up: nothing is left of it. */
void bundle_writer_discard(struct bundle_writer *w);

struct bundle_counts { size_t nodes, files; int64_t bytes; };
struct bundle_counts bundle_writer_counts(const struct bundle_writer *w);

#endif
