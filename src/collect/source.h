/*
 * The contract of every source of evidence. The engine never asks which source it has.
 *
 * A source hands out evidence one piece at a time through a callback; the bytes are valid only
 * during the call. For each node, node.json (when there is one) comes first. Order is
 * deterministic: nodes by name, then paths by name. A source never fails as a whole once it is
 * open: what cannot be read is a piece of evidence with its error set.
 */
#ifndef TWCSCHECK_SOURCE_H
#define TWCSCHECK_SOURCE_H

#include "model/evidence.h"

struct source;

typedef void evidence_fn(void *ctx, const struct evidence *ev);

struct source_ops {
	const char *name, *help;	/* "bundle" */
	/* NULL and err set when `where` is nothing this source can read. */
	struct source *(*open)(struct arena *a, const char *where, struct err *err);
	/* False and err set when reading had to stop (limits); what came before stays valid. */
	bool (*read)(struct source *s, evidence_fn *each, void *ctx, struct err *err);
	void (*close)(struct source *s);
};

extern const struct source_ops source_bundle;
extern const struct source_ops source_archive;
extern const struct source_ops source_files;

/*
 * The source that reads `where`: a bundle's directory, a file that begins like an archive, else
 * loose files ("-" is standard input). Never NULL; its open() says what is wrong with the path.
 */
const struct source_ops *source_for(const char *where);

#endif
