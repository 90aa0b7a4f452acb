/*
 * The table of running tasks in compactionstats. Cells may be empty and may hold blanks, so rows
 * are cut at the columns of the heading: at where its words begin, or (2.x, old ScyllaDB) where
 * they end. A row that lost its alignment is read by what its values look like.
 */
#ifndef TWCSCHECK_COMPACTION_ROWS_H
#define TWCSCHECK_COMPACTION_ROWS_H

#include "base/slice.h"
#include "model/facts.h"

enum compaction_cell {
	CELL_ID, CELL_TYPE, CELL_KEYSPACE, CELL_TABLE, CELL_COMPLETED, CELL_TOTAL, CELL_UNIT,
	CELL_PROGRESS, CELL_RATIO, CELL_OTHER, COMPACTION_CELLS,
};

enum { COMPACTION_COLUMNS_MAX = 12 };

struct compaction_header {
	struct { enum compaction_cell cell; size_t start, end; } columns[COMPACTION_COLUMNS_MAX];
	size_t n;
	bool long_form;		/* printed with -V: columns in another order */
};

/* Read the heading, with its columns in any order; false when the line is none. */
bool compaction_header_read(struct slice line, struct compaction_header *h);

/*
 * Read one row. Sizes printed with -H are rounded. False when it is cut or not of that form; `out`
 * is then not changed. Its texts are copies in the arena.
 */
bool compaction_row_read(struct arena *a, const struct compaction_header *h, struct slice line,
			 struct compaction_task *out) MUST_USE;

#endif
