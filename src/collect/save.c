/* Files and folders of a bundle that is being written. See save.h. */
#include "collect/save.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool save_make_folders(struct arena *a, const char *root, const char *path)
{
	char *whole = arena_printf(a, "%s/%s", root, path);

	for (char *p = whole + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdir(whole, 0700) != 0 && errno != EEXIST)
			return false;
		*p = '/';
	}
	return true;
}

static bool write_all(int fd, struct slice bytes)
{
	while (bytes.n) {
		ssize_t done = write(fd, bytes.p, bytes.n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes.p += done;
		bytes.n -= (size_t)done;
	}
	return true;
}

bool save_file(const char *path, struct slice bytes, struct opt_i64 mtime_s)
{
	struct timespec times[2] = { { .tv_sec = (time_t)mtime_s.v },
				     { .tv_sec = (time_t)mtime_s.v } };
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error;
	bool ok;

	if (fd < 0)
		return false;
	ok = write_all(fd, bytes) && (!mtime_s.known || futimens(fd, times) == 0);
	error = errno;
	if (close(fd) != 0 && ok)
		return false;
	errno = error;
	return ok;
}

bool save_remove(struct arena *a, const char *path)
{
	struct dirent *e;
	DIR *dir;
	int fd;

	if (unlink(path) == 0 || errno == ENOENT)
		return true;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			(void)save_remove(a, arena_printf(a, "%s/%s", path, e->d_name));
	closedir(dir);
	return rmdir(path) == 0;
}
