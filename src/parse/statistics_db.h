/*
 * Decoders of the binary components of an SSTable: Statistics.db, and the first and last key from
 * Summary.db or Partitions.db. Every version from 2.0 ("ja") to 5.0 ("oa", "da") and ScyllaDB's.
 *
 * They work on bytes, read nothing outside them, allocate only from the arena and are strict: a
 * file decodes to its last byte and with right checksums, or it is an error that names the file,
 * its component and the offset. Layout: see the Cassandra classes named in statistics.h.
 */
#ifndef TWCSCHECK_STATISTICS_DB_H
#define TWCSCHECK_STATISTICS_DB_H

#include "model/statistics.h"

/* The largest Statistics.db that is read, in bytes; real ones have 4 to 100 KiB. */
enum { STATISTICS_BYTES_MAX = 1 << 20 };

/*
 * Decode a Statistics.db.
 *
 * file     its name ("nb-1-big-Statistics.db"), which tells version and format
 * subject  what messages call it
 * bytes    the whole file; `out` borrows from it and from `file`
 *
 * False and err set when it is damaged, cut off, of an unknown version, or no Statistics.db.
 */
bool statistics_decode(struct arena *a, struct slice file, const char *subject, struct slice bytes,
		       struct statistics_db *out, struct err *err) MUST_USE;

/*
 * A file that need not be in memory: `read_at` copies n bytes from an offset (which are inside
 * `size`) and returns false when it cannot. With `all.p` set, read_at is not used.
 */
struct byte_source {
	struct slice all;
	uint64_t size;
	bool (*read_at)(void *ctx, uint64_t offset, size_t n, unsigned char *to);
	void *ctx;
};

/*
 * First and last key of an SSTable. Only the head and the tail of the file are read. Keys are
 * copied into the arena.
 *
 * file     its name, "nb-1-big-Summary.db" or "da-1-bti-Partitions.db"
 */
bool keys_decode(struct arena *a, struct slice file, const char *subject,
		 const struct byte_source *source, struct keys_db *out, struct err *err) MUST_USE;

#endif
