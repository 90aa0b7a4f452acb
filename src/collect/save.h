/*
 * Files and folders of a bundle that is being written: readable by their owner alone, since keys
 * in them may be personal data.
 */
#ifndef TWCSCHECK_SAVE_H
#define TWCSCHECK_SAVE_H

#include "base/arena.h"

/* All folders on the way to `path` below `root`, mode 0700. False and errno when that fails. */
bool save_make_folders(struct arena *a, const char *root, const char *path);
/* A new file, mode 0600, with that modification time when it is known. False and errno. */
bool save_file(const char *path, struct slice bytes, struct opt_i64 mtime_s);
/* Removes a file or a folder with all in it; links are removed, never followed. */
bool save_remove(struct arena *a, const char *path);

#endif
