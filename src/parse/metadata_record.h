/*
 * One record of sstablemetadata while it is read, and what can be trusted of it at its end.
 */
#ifndef TWCSCHECK_METADATA_RECORD_H
#define TWCSCHECK_METADATA_RECORD_H

#include "model/facts.h"
#include "parse/metadata_line.h"

#define BIT(label) (UINT32_C(1) << (label))
#define KEY_LABELS                                                                                 \
	(BIT(LABEL_FIRST_TOKEN) | BIT(LABEL_LAST_TOKEN) | BIT(LABEL_MIN_CLUSTERING) |              \
	 BIT(LABEL_MAX_CLUSTERING) | BIT(LABEL_CLUSTERINGS))
/* Behind the keys, up to the pending repair. */
#define STATE_LABELS                                                                               \
	(BIT(LABEL_DROPPABLE) | BIT(LABEL_LEVEL) | BIT(LABEL_REPAIRED) | BIT(LABEL_HOST_ID) |      \
	 BIT(LABEL_PENDING))
/* Behind those: one of them proves that the record was not cut off before. */
#define TAIL_LABELS                                                                                \
	(BIT(LABEL_REPLAY) | BIT(LABEL_COLUMNS) | BIT(LABEL_ROWS) | BIT(LABEL_DROP_TIMES) |        \
	 BIT(LABEL_SIZE_TABLE) | BIT(LABEL_SIZES) | BIT(LABEL_LATER) | BIT(LABEL_LAST_LINE))
#define TOTAL_LABELS                                                                               \
	(BIT(LABEL_COLUMNS) | BIT(LABEL_ROWS) | BIT(LABEL_SIZE_TABLE) | BIT(LABEL_SIZES))
#define ALL_LABELS UINT32_MAX

_Static_assert(LABEL_COUNT <= 32, "labels are bits of 32");

enum histogram_form { FORM_NONE, FORM_TABLE, FORM_BARS };

/* The record that is being read. Slices point into the evidence. */
struct metadata_record {
	bool open;
	bool ignored;			/* of something that is not the table's: nothing is kept */
	bool titled;			/* it began with an "SSTable:" line */
	bool nameless;			/* nothing names its SSTable */
	unsigned line;
	struct slice folder, name;	/* of its path */
	struct slice text[LABEL_COUNT];
	uint32_t seen, doubted;		/* bits by label */
	enum metadata_label last;	/* the furthest one so far, in print order */
	int64_t number[LABEL_COUNT];
	bool text_first;		/* 5.0: deletion times are 64 bit */
	enum histogram_form form;	/* histogram of sizes that is being read */
	int64_t largest;		/* its last filled bucket */
	bool largest_whole;		/* the histogram was read to its end */
	bool tokens_reversed;		/* found when the values were taken out */
	const char *problem;		/* the first reason for a doubt */
	unsigned problem_line;
};

/*
 * Take the values out of a record that has ended, and set the state: COMPLETE when timestamps,
 * maximum local deletion time, repair state and TTLs are known, INCONCLUSIVE (with `problem`) when
 * nothing is recorded in it, else PARTIAL.
 *
 * partitioner  a string to share when it is the same one; may be NULL
 */
void metadata_record_fill(struct arena *a, struct metadata_record *rec, const char *partitioner,
			  struct sstable_meta *m);

/* What is missing of a record that could be read, as a text for people. */
const char *metadata_why_partial(const struct sstable_meta *m);

#endif
