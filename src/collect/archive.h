/*
 * Bundles in one file: .tar, also compressed with gzip, zstd, xz or bzip2, in any order of entries.
 *
 * An archive is looked through once when it is opened: what must not be in a bundle (paths that
 * leave it, links, device files, too many or too large entries) refuses it as a whole. Evidence is
 * handed out in the order of a directory. Small archives are kept in memory meanwhile; of larger
 * ones a bounded part, and they are read again as often as their order makes it necessary.
 *
 * A damaged archive gives what came before the damage. The rest is handed out as evidence with an
 * error for each node that the damage may have struck.
 */
#ifndef TWCSCHECK_ARCHIVE_H
#define TWCSCHECK_ARCHIVE_H

#include "base/arena.h"
#include "collect/source.h"

/* Most bytes of files that are kept in memory at once, but for the one handed out. */
#define ARCHIVE_HELD_MAX (INT64_C(256) << 20)

/* The first bytes of a file: are they of a format that this source reads? 512 are enough. */
bool archive_is_likely(struct slice head);

/*
 * Read an archive from memory: for tests. `name` stands for its path in messages; `held_max` as
 * above. As source_archive.open; the bytes must stay until it is closed.
 */
struct source *archive_open_memory(struct arena *a, const char *name, struct slice bytes,
				   int64_t held_max, struct err *err);

#endif
