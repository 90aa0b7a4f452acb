/*
 * The machine itself as a source (--local): the tools run as child processes, one at a time, and
 * SSTables' files are read where they lie.
 *
 * Nothing is written on the machine but what the tools themselves leave. Every command has a time
 * limit, and the run has one: what it cut off is evidence of a failed command. A source of its own
 * opening function, because it needs more than a path.
 */
#ifndef TWCSCHECK_LOCAL_H
#define TWCSCHECK_LOCAL_H

#include <signal.h>

#include "collect/live.h"
#include "collect/source.h"

struct local_options {
	/* Programs, options after them allowed: "cqlsh --ssl". NULL = by their usual names. */
	const char *nodetool, *cqlsh, *sstablemetadata;
	const char *const *settings;	/* places of cassandra.yaml; the first one there is read */
	size_t n_settings;
	const char *node;		/* its name in the report; NULL = the host's */
	int64_t timeout_s;		/* of the whole run */
	int64_t command_timeout_s;	/* of one command */
	const volatile sig_atomic_t *stop;	/* not 0: come to an end; may be NULL */
	const struct live_guide *guide;
};

/* Never fails but for a host without a name; the options must live as long as the source. */
struct source *source_local_open(struct arena *a, const struct local_options *o, struct err *err);

/* Its open() is not to be called: it has no path. */
extern const struct source_ops source_local;

#endif
