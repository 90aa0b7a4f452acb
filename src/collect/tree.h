/*
 * Reading a tree of files for a source: sorted, bounded, and without following any link.
 *
 * What can't be read is handed out as evidence with an error; only a limit of the whole tree stops
 * reading. Files are read, not mapped, into one buffer: a file that shrinks meanwhile must not end
 * the program. Limits: 1 000 000 entries, 256 MiB a file (1 MiB a Statistics.db), 16 GiB in all.
 */
#ifndef TWCSCHECK_TREE_H
#define TWCSCHECK_TREE_H

#include "base/arena.h"
#include "collect/source.h"

struct source {
	struct arena *arena;
	const char *where;
	int fd;			/* of the bundle's directory */
	char *buffer;		/* of the file that is handed out */
	size_t room;
	size_t entries;
	int64_t total;
	bool stopped;		/* a limit was reached: err is set */
	evidence_fn *each;
	void *ctx;
	struct err *err;
};

/* A directory of the bundle, and what its place says of the evidence in it. */
struct place {
	int fd;
	const char *path;		/* for messages, without slash at its end */
	size_t relative;		/* length of what stands before the node's own paths */
	struct evidence about;		/* keyspace, directory, disk, node */
};

struct tree_names { char **v; size_t n, cap; };

/*
 * Go into the directory `name` of a place. False when there is none, or when it can't be opened:
 * that is handed out as evidence of `kind`. The caller closes out->fd.
 */
bool tree_enter(struct source *s, const struct place *in, const char *name,
		enum evidence_kind kind, struct place *out);

/* The names in a place, sorted, to be released with tree_free_names(). */
bool tree_list(struct source *s, const struct place *in, struct tree_names *names);
void tree_free_names(struct tree_names *names);

/* Each name of a place, in order, until a limit stops reading. */
void tree_walk(struct source *s, const struct place *in,
	       void (*visit)(struct source *, const struct place *, const char *));

/* Hand out the file `name` of a place; `ev` has all but paths and bytes. */
void tree_hand_file(struct source *s, const struct place *in, const char *name,
		    struct evidence ev);

#endif
