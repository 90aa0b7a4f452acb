/*
 * Finding and reading SSTables' metadata files for `twcscheck metadata`: single files, whole
 * directories. What goes wrong with one file is reported and the rest goes on.
 */
#ifndef TWCSCHECK_METADATA_FILES_H
#define TWCSCHECK_METADATA_FILES_H

#include "render/metadata.h"

struct metadata_run {
	struct arena *scratch;		/* renewed by the callee when it has grown */
	unsigned char *room;		/* for one file's bytes; made at the first use */
	char *folder_path;		/* private: the folder of the last file named, open */
	int folder;
	int64_t now_s;
	size_t n_read, n_failed;
	/* A record is good until the callback returns. */
	void (*each)(struct metadata_run *run, const struct metadata_record *m);
	/* `text`: what is wrong with `path`; `no_record` is false when one came all the same. */
	void (*failed)(struct metadata_run *run, const char *path, const char *text,
		       bool no_record);
	void *ctx;
};

/*
 * Read `path`: any file of an SSTable stands for its Statistics.db; a directory is walked, in
 * order of names. Directories of snapshots, backups, indexes, incoming and set-aside SSTables are
 * left out unless they are named themselves; symbolic links to directories are not followed;
 * files that vanish on the way are left out silently.
 */
void metadata_run_path(struct metadata_run *run, const char *path);

/* Releases what the run holds. */
void metadata_run_end(struct metadata_run *run);

#endif
