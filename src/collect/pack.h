/* A folder's files into one archive. */
#ifndef TWCSCHECK_PACK_H
#define TWCSCHECK_PACK_H

#include "base/arena.h"

enum pack_format { PACK_NONE, PACK_TAR, PACK_TAR_GZ, PACK_TAR_ZST, PACK_TAR_XZ, PACK_TAR_BZ2 };

/* By the end of the name: ".tar", ".tar.gz", ".tgz", ...; PACK_NONE = it names a folder. */
enum pack_format pack_format_of(const char *path);

/*
 * Write the files `names` (paths below `root`, in that order) into the open file `fd`. What does
 * not count is left out of their headers (owner, machine), so that the same files give the same
 * archive. False and err set, with `shown` as its subject, when anything was not written whole.
 */
bool pack_files(struct arena *a, int fd, enum pack_format format, const char *root,
		const char *const *names, size_t n, const char *shown, struct err *err) MUST_USE;

#endif
