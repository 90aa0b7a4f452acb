/*
 * One line of a file listing: "ls -l" of GNU, BSD and busybox, "find -ls", "find -printf", "stat".
 */
#ifndef TWCSCHECK_FILE_ROW_H
#define TWCSCHECK_FILE_ROW_H

#include "base/base.h"

enum file_size { SIZE_NONE, SIZE_EXACT, SIZE_ROUNDED, SIZE_UNREADABLE };

struct file_row {
	struct slice path;	/* as printed, without what "ls -F" puts behind it */
	enum file_size size;
	int64_t bytes;		/* when exact or rounded */
	struct opt_i64 mtime_s;	/* only when the line tells the time zone, or seconds since 1970 */
};

/* What an attempt to read a line as a row came to. */
enum row_kind {
	ROW_NONE,	/* it is no row */
	ROW_OTHER,	/* of a folder, a link, a socket */
	ROW_UNREADABLE,	/* of a file, but where its size and name stand can't be told */
	ROW_FILE,
};

/* A line with permissions, or size and date before the path, as "ls -l" and "find -ls" print. */
enum row_kind file_row_long(struct slice line, struct file_row *out);

/*
 * "path size [time]", "path<TAB>size<TAB>time" or "size path": find -printf, stat. The path must
 * be an SSTable's file. A size before a tab may be any unit (du): it is SIZE_NONE.
 */
enum row_kind file_row_short(struct slice line, struct file_row *out);

/* A path without the mark that "ls -F" puts behind it and without the quotes of "ls -Q". */
struct slice file_row_path(struct slice path);

#endif
