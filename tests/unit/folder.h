/* A folder of a test's own, and what is in it. */
#ifndef TWCSCHECK_TEST_FOLDER_H
#define TWCSCHECK_TEST_FOLDER_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

static inline char *folder_create(struct arena *a)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = arena_printf(a, "%s/twcscheck-test-XXXXXX", tmp ? tmp : P_tmpdir);

	return mkdtemp(dir);
}

static inline void folder_remove(struct arena *a, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		const char *inner = arena_printf(a, "%s/%s", path, e->d_name);

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (unlink(inner) != 0)
			folder_remove(a, inner);
	}
	if (dir)
		closedir(dir);
	(void)rmdir(path);
}

/* Writes a file with the folders on the way; false when that fails. */
static inline bool folder_add(struct arena *a, const char *dir, const char *name,
			      struct slice text)
{
	char *path = arena_printf(a, "%s/%s", dir, name);
	FILE *f;
	bool ok;

	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "wb");
	if (!f)
		return false;
	ok = fwrite(text.p, 1, text.n, f) == text.n;
	return fclose(f) == 0 && ok;
}

/* Number of entries in a folder, hidden ones too. */
static inline size_t folder_count(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t n = 0;

	while (dir && (e = readdir(dir)))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	if (dir)
		closedir(dir);
	return n;
}

#endif
