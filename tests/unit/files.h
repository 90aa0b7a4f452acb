/*
 * Files that tests read: below $TWCS_TESTS (the tests/ folder of the source), and recordings below
 * $TWCSCHECK_SHARED, which may be absent.
 */
#ifndef TWCSCHECK_TESTS_FILES_H
#define TWCSCHECK_TESTS_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/arena.h"

/* "tests/fixtures/x" for "fixtures/x". */
static inline char *tests_path(struct arena *a, const char *relative)
{
	const char *dir = getenv("TWCS_TESTS");

	return arena_printf(a, "%s/%s", dir ? dir : "tests", relative);
}

/* A path in the shared recordings; NULL when they are not there. */
static inline char *shared_path(struct arena *a, const char *relative)
{
	const char *dir = getenv("TWCSCHECK_SHARED");
	char *path = arena_printf(a, "%s/%s", dir ? dir : "../shared", relative);
	struct stat st;

	return stat(path, &st) == 0 ? path : NULL;
}

/* The whole of a file; { NULL, 0 } when it can't be read. */
static inline struct slice file_bytes(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *p;
	size_t n;

	if (!f)
		return (struct slice){ NULL, 0 };
	if (fstat(fileno(f), &st) != 0 || st.st_size > 64 * 1024 * 1024) {
		fclose(f);
		return (struct slice){ NULL, 0 };
	}
	p = arena_alloc(a, (size_t)st.st_size + 1);
	n = fread(p, 1, (size_t)st.st_size, f);
	fclose(f);
	return (struct slice){ p, n };
}

#endif
