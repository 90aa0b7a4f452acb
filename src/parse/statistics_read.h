/*
 * Shared by the decoders of Statistics.db and its siblings: a reader that cannot leave its bytes,
 * and what each version stores. Only for parse/.
 *
 * A reader fails once: after that every read gives zeros and empty slices, so that a decoder can
 * read a whole record and look at `failed` at its end. Counts are checked against a limit and the
 * bytes left before anything is allocated for them.
 */
#ifndef TWCSCHECK_STATISTICS_READ_H
#define TWCSCHECK_STATISTICS_READ_H

#include "model/statistics.h"

struct reader {
	struct arena *arena;
	const unsigned char *p, *end;
	const unsigned char *start;	/* of the file: offsets in messages count from here */
	const char *subject;		/* file, for messages */
	const char *part;		/* "component stats", for messages */
	struct err *err;
	bool failed;
};

/* What a version stores; see version_features(). */
enum version_feature {
	FEATURE_FLAT = 1 << 0,		/* one record without table of contents */
	FEATURE_ANCESTORS = 1 << 1,
	FEATURE_LOG_LOWER = 1 << 2,
	FEATURE_LOG_INTERVALS = 1 << 3,
	FEATURE_ROWS = 1 << 4,		/* header, TTLs, minimum deletion time, totals */
	FEATURE_HOST_ID = 1 << 5,
	FEATURE_CHECKSUMS = 1 << 6,	/* also pending repair and the transient flag */
	FEATURE_MIN_MAX = 1 << 7,	/* minimum and maximum clustering */
	FEATURE_COVERED = 1 << 8,	/* covered slice, partition deletions, key range */
	FEATURE_WIDE = 1 << 9,		/* unsigned deletion times, wide bins, token coverage */
	FEATURE_SAMPLING = 1 << 10,	/* Summary.db: sampling level */
};

/*
 * Features of a version of a format ("big", "bti"; empty = "big"). False when no decoder knows it:
 * letters of releases that do not exist yet, of releases before 2.0, of vendors' forks.
 * Source: Cassandra BigFormat.BigVersion, BtiFormat.BtiVersion (2.0 to 5.0).
 */
bool version_features(struct slice format, struct slice version, unsigned *features);

struct reader reader_of(struct arena *a, struct slice bytes, const char *subject, struct err *err);

/* Sets the error "PART, offset N: ..." for the current position; always returns false. */
bool read_fail(struct reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

size_t read_left(const struct reader *r);
struct slice read_bytes(struct reader *r, uint64_t n);
uint8_t read_u8(struct reader *r);
bool read_bool(struct reader *r);		/* a byte that is neither 0 nor 1 fails */
uint16_t read_u16(struct reader *r);
uint32_t read_u32(struct reader *r);
int32_t read_i32(struct reader *r);
int64_t read_i64(struct reader *r);
double read_f64(struct reader *r);
uint64_t read_uvint(struct reader *r);
struct slice read_vbytes(struct reader *r);	/* length as uvint */
struct slice read_sbytes(struct reader *r);	/* length as u16 */
/* An i32 count of things of at least `size` bytes each; fails when it is negative or too large. */
size_t read_count(struct reader *r, size_t limit, size_t size, const char *what);
/* The same for a count as uvint. */
size_t read_uvint_count(struct reader *r, size_t limit, size_t size, const char *what);
struct uuid read_optional_uuid(struct reader *r);

/* ---- components ---- */

enum {
	HISTOGRAM_BUCKETS_MAX = 4096, DROP_TIMES_MAX = 100000, CLUSTERINGS_MAX = 65535,
	LOG_INTERVALS_MAX = 1 << 20, COLUMNS_MAX = 1 << 17,
};

/* statistics_stats.c */
void read_histogram(struct reader *r, struct histogram *out);
struct log_position read_log_position(struct reader *r);
void read_drop_times(struct reader *r, bool wide, struct statistics_stats *out);
/* `count` slices with a length of 16 bits each, the form of clusterings before "oa". */
void read_min_max(struct reader *r, struct slices *out, const char *what);
int64_t narrow_deletion_time(int32_t v);
void read_stats(struct reader *r, unsigned features, struct slice version,
		struct statistics_stats *out);

/* statistics_header.c */
void read_header(struct reader *r, unsigned features, struct serialization_header *out);
void read_type_names(struct reader *r, struct slices *out);
void read_covered_slice(struct reader *r, struct statistics_stats *out);

#endif
