/*
 * From listed files to SSTables: what every form of a listing of one directory shares.
 *
 * Files are added in any order; those of one SSTable are put together, sorted by version and id.
 * An SSTable whose size can't be told is left out, and the listing is partial then.
 */
#ifndef TWCSCHECK_LISTED_FILES_H
#define TWCSCHECK_LISTED_FILES_H

#include "model/evidence.h"
#include "model/facts.h"
#include "parse/parse.h"

/* One SSTable while its files come in; names are slices of the evidence. */
struct file_group {
	struct sstable_name name;
	unsigned components;	/* bits: those that every release has at most once */
	int64_t bytes;
	struct opt_i64 data_bytes, mtime_s;
	bool broken;		/* its size can't be told */
};

/* The files of one directory. */
struct listed_files {
	struct arena *arena;
	const struct evidence *ev;
	struct err *err;
	unsigned line;		/* of what is added, for messages */
	VEC(struct file_group) groups;
	bool names_only, rounded;
	bool by_pattern;	/* it may be a choice of files ("ls *-Data.db") */
	bool other_files;	/* something else than Data.db was listed */
};

/* False for what is no component that a table's SSTables have ("Data.db", "TOC.txt", ...). */
bool listed_files_is_component(struct slice component);

/*
 * Add one file; `name` has a component. An unknown size is an error, but in a list of names alone
 * (names_only).
 */
void listed_files_add(struct listed_files *f, const struct sstable_name *name,
		      struct opt_i64 bytes, struct opt_i64 mtime_s);

/* The listing ends within the files of this SSTable (NULL: of the last one added, if any). */
void listed_files_cut(struct listed_files *f, const struct sstable_name *name);

/*
 * Make the listing, with the evidence's disk and source; keyspace and directory are the caller's.
 * A choice of nothing but Data.db files does not tell which SSTables are still being written: all
 * of them count as complete.
 */
struct listing *listed_files_make(struct listed_files *f, bool partial);

#endif
