/*
 * What a live source has to ask of those who read its evidence: it knows no formats itself. The
 * answers stand on what was handed out so far; `node` is evidence.node of the pieces they are
 * about, so that pieces of several nodes may come mixed.
 */
#ifndef TWCSCHECK_LIVE_H
#define TWCSCHECK_LIVE_H

#include "base/arena.h"
#include "model/evidence.h"

struct run_result;

struct live_directory { const char *keyspace, *path; };	/* of one table's SSTables */
struct live_table { const char *keyspace, *table; };

struct live_directories { VEC(struct live_directory) list; };
struct live_tables { VEC(struct live_table) list; };

struct live_guide {
	void *ctx;
	/* The node's release as a number, 50006 for 5.0.6; 0 = not known. */
	int (*release)(void *ctx, const char *node);
	/* Where the tables of this run have their SSTables, in the order of data directories. */
	void (*directories)(void *ctx, const char *node, struct arena *a,
			    struct live_directories *out);
	/* Is the directory "<table>-<id>" of that keyspace of a table of this run? */
	bool (*wants)(void *ctx, const char *keyspace, const char *directory);
	/* Tables of this run that a command of their own is worth. */
	void (*tables)(void *ctx, const char *node, struct arena *a, struct live_tables *out);
	/* Has any node told the schema? One is enough for the cluster. */
	bool (*has_schema)(void *ctx);
};

/* It ended by itself, with status 0. */
bool live_is_good(const struct run_result *r);

/* The piece that a command's answer is; `ev` has its kind and names, `command` is for a person. */
struct evidence live_piece(struct arena *a, struct evidence ev, const char *node,
			   const char *command, const struct run_result *r);

/* "/data1" of "/data1/metrics/readings-<id>"; NULL when it has no such form. */
const char *live_root_of(struct arena *a, const char *directory);

/* Several calls are one piece: the first bad end counts, the times add up. */
void live_merge_end(struct run_result *all, const struct run_result *r);

#endif
