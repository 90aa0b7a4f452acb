/*
 * One SSTable's decoded metadata as text, as a JSON object or as a row of tab-separated values.
 * Pure: fills a buffer.
 */
#ifndef TWCSCHECK_RENDER_METADATA_H
#define TWCSCHECK_RENDER_METADATA_H

#include "base/buf.h"
#include "model/statistics.h"

struct metadata_record {
	const char *path;		/* as given */
	const struct statistics_db *db;
	const struct keys_db *keys;	/* source KEYS_NONE: not found */
	struct token first_token, last_token;
	struct opt_i64 data_bytes;	/* size of Data.db; unknown = not there */
	bool scylla;			/* has a Scylla.db beside it */
	int64_t now_s;			/* for the droppable estimate of the text form */
};

/*
 * One line, keys in alphabetical order, 64-bit numbers exact. Times are UTC; a key that the
 * version does not store is absent or null, "never" is 9223372036854775807. `a` is for scratch.
 */
void metadata_render_json(struct arena *a, const struct metadata_record *m, struct buf *out);
/* The object that stands for a file that could not be read. */
void metadata_render_json_error(const char *path, const char *error, struct buf *out);

/*
 * One row; unknown is an empty field, "never" is 9223372036854775807. Tab, line feed and backslash
 * inside a field are written \t, \n and \\.
 */
void metadata_render_tsv_head(struct buf *out);
void metadata_render_tsv(const struct metadata_record *m, struct buf *out);

/* A paragraph for people; each number with its raw form. `a` is for scratch. */
void metadata_render_text(struct arena *a, const struct metadata_record *m, struct buf *out);

/* "Statistics.db", "Summary.db", "Partitions.db"; NULL for KEYS_NONE. */
const char *keys_source_name(enum keys_source s);
#endif
