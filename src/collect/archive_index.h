/*
 * What an archive holds, by its headers: which entries are evidence, in the order of a directory,
 * and what must refuse the archive. Knows nothing of the library that reads it.
 */
#ifndef TWCSCHECK_ARCHIVE_INDEX_H
#define TWCSCHECK_ARCHIVE_INDEX_H

#include <sys/types.h>

#include "base/arena.h"
#include "model/evidence.h"

struct archive_entry_info {
	const char *name;		/* in the archive, without "./" before it */
	struct evidence about;
	size_t ordinal;			/* number of its header, from 0 */
	int64_t size;
	struct opt_i64 mtime_s;
	char *held;			/* its bytes; NULL = not kept */
	const char *problem;		/* why its bytes can't be had; NULL = none seen */
};

struct archive_index {
	struct arena *arena;
	const char *where;
	VEC(struct archive_entry_info *) entries;	/* by rank, once it is finished */
	VEC(size_t) ranks;		/* by ordinal: rank + 1, 0 = nobody's */
	size_t n_headers;
	int64_t total;			/* bytes of all files */
	bool in_order;			/* nodes follow each other in the archive */
	const char *damage;		/* NULL = it is whole */
};

/* One header as the library gives it. */
struct archive_header {
	const char *name;		/* NULL = it has none that can be read */
	mode_t type;			/* S_IFREG, ... */
	bool hard_link;
	int64_t size;
	struct opt_i64 mtime_s;
};

/*
 * The next header. *out is the entry, NULL for what has no bytes of interest. False and err set,
 * with the entry's name, when a bundle must not have it.
 */
bool archive_index_add(struct archive_index *x, const struct archive_header *h,
		       struct archive_entry_info **out, struct err *err) MUST_USE;

/*
 * After the last header: entries become evidence, sorted. A folder around the whole bundle is seen
 * through. Without anything of the layout every file is evidence of any kind (EV_LOOSE). False and
 * err set when there is no file at all.
 */
bool archive_index_finish(struct archive_index *x, struct err *err) MUST_USE;

/* Rank of the header's entry; false when it is nobody's. */
bool archive_index_rank(const struct archive_index *x, size_t ordinal, size_t *rank);

/*
 * What damage may have taken, one piece of evidence at a time: for each node that it may have
 * struck the kinds that are needed, and the tables whose SSTables were seen. `at` starts as { 0 }.
 */
struct archive_loss { size_t entry, kind; };
bool archive_index_loss(const struct archive_index *x, struct archive_loss *at,
			struct evidence *about);

#endif
