/*
 * The line grammar of sstablemetadata: which label a line carries, and how its value is written.
 *
 * Labels stand at the start of a line. Values are never dates: the tool prints those in the node's
 * own time zone. Sources: Cassandra SSTableMetadataViewer, Util (3.0 to 5.0), and recordings of
 * 3.11, 4.0, 4.1 and 5.0.
 */
#ifndef TWCSCHECK_METADATA_LINE_H
#define TWCSCHECK_METADATA_LINE_H

#include "base/base.h"

/* In print order; what only matters as "comes later" shares LABEL_LATER. */
enum metadata_label {
	LABEL_NONE,
	LABEL_NO_SUCH_FILE,
	LABEL_SSTABLE,
	LABEL_PARTITIONER,
	LABEL_MIN_TS, LABEL_MAX_TS,
	LABEL_MIN_LDT, LABEL_MAX_LDT,
	LABEL_RATIO,
	LABEL_TTL_MIN, LABEL_TTL_MAX,
	LABEL_FIRST_TOKEN, LABEL_LAST_TOKEN,
	LABEL_MIN_CLUSTERING, LABEL_MAX_CLUSTERING, LABEL_CLUSTERINGS,
	LABEL_DROPPABLE,
	LABEL_LEVEL,
	LABEL_REPAIRED,
	LABEL_HOST_ID,
	LABEL_PENDING,
	LABEL_REPLAY,
	LABEL_COLUMNS, LABEL_ROWS,
	LABEL_DROP_TIMES,
	LABEL_SIZE_TABLE,	/* "Count  Row Size  Cell Count": 3.x, a row for every bucket */
	LABEL_SIZES,		/* "Partition Size:": 4.0 and later, filled buckets only */
	LABEL_LATER,
	LABEL_LAST_LINE,	/* printed last: "IsTransient:", in 3.x "RegularColumns:" */
	LABEL_COUNT,
};

/* The label of a line (without its line end) and what stands behind it, trimmed. */
enum metadata_label metadata_label(struct slice line, struct slice *value);

/* As the tool prints it, for messages: "Repaired at". */
const char *metadata_label_text(enum metadata_label label);

/*
 * A value of whole numbers: "5", "5 (text)" or "text (5)". The first form of a line that has no
 * line end could go on: it is refused then (`whole` is false).
 *
 * text_first  set when it was the third form, which only 5.0 and later print; may be NULL
 */
bool metadata_number(struct slice value, bool whole, int64_t *out, bool *text_first) MUST_USE;

/* A token with its key behind it, in brackets that the key may contain as well. */
bool metadata_token(struct slice value, bool whole, int64_t *out) MUST_USE;

/* "--" (none: *id is empty) or a session's UUID. */
bool metadata_session(struct slice value, bool whole, struct slice *id) MUST_USE;

/* True when it is a UUID. */
bool metadata_is_uuid(struct slice value) MUST_USE;

/*
 * A row of the histogram of partition sizes, with its count: `three_columns` is the form of 3.x.
 * Rows of the other form are indented and have the count behind a bar.
 */
bool metadata_size_row(struct slice line, bool three_columns, int64_t *size, int64_t *count)
	MUST_USE;

#endif
