/*
 * The layout of a bundle: which path stands for which evidence, and the other way round.
 *
 * Readers of directories and of archives and the writer share it, so that they cannot differ.
 * Names of keyspaces and table directories are percent-encoded in paths and plain in evidence.
 * The limits of a bundle stand here as well.
 */
#ifndef TWCSCHECK_LAYOUT_H
#define TWCSCHECK_LAYOUT_H

#include "base/arena.h"
#include "model/evidence.h"

enum { LAYOUT_ENTRIES_MAX = 1000000, LAYOUT_DISK_MAX = 9999 };

#define LAYOUT_FILE_MAX (INT64_C(256) << 20)
#define LAYOUT_STATISTICS_MAX (INT64_C(1) << 20)
#define LAYOUT_TOTAL_MAX (INT64_C(16) << 30)

/* Largest size of a file of that kind, in bytes; and what to say of a larger one. */
int64_t layout_size_max(enum evidence_kind kind);
const char *layout_too_large(enum evidence_kind kind);

/* Percent-decoded; what is no escape, or of a NUL byte, stays as it stands. */
const char *layout_decode(struct arena *a, struct slice s);
/* Bytes outside [A-Za-z0-9_.-] percent-encoded, so that it is one component of a path. */
const char *layout_encode(struct arena *a, const char *name);

/* A file in a node's own folder: sets *kind. */
bool layout_node_file(const char *name, enum evidence_kind *kind);
/* A folder in a node's own folder: sets *kind to what its files are, of "sstables" the listing. */
bool layout_node_folder(const char *name, enum evidence_kind *kind);
/* "<keyspace>.<table>.txt", one table's output of a command: sets keyspace and table. */
bool layout_table_output(struct arena *a, const char *name, struct evidence *ev);
/* A file in the folder of a table's SSTables: sets kind and, of a component, file. */
bool layout_sstable_file(struct arena *a, const char *name, struct evidence *ev);
/* "0", "12": the number of a data directory. */
bool layout_disk(const char *name, unsigned *disk);

/*
 * What the file `path` below the bundle's root stands for: sets kind, node, relative, and what
 * names the kind has. With `has_nodes` the nodes have folders, else it is the tree of one node,
 * "-". False when the path is not of the layout.
 */
bool layout_find(struct arena *a, const char *path, bool has_nodes, struct evidence *ev);

/*
 * Path of a piece of evidence below its node's folder: its own relative path where that is of the
 * layout and of the same kind, else the one that the kind has. NULL when the kind has none.
 */
const char *layout_path(struct arena *a, const struct evidence *ev);

/* "keyspace.table" that the evidence is of, without a directory's id; NULL = the whole node. */
const char *layout_subject(struct arena *a, const struct evidence *ev);

/*
 * Order of paths as a reader of directories meets them: by name at each level. Less than, equal
 * to, or greater than 0.
 */
int layout_compare(const char *p, const char *q);

#endif
