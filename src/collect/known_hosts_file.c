/* known_hosts files on disk: all of one, and a line more. See known_hosts.h. */
#include "collect/known_hosts_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/slice.h"

enum {
	ROOM = 16 * 1024,
	LOCK_TRIES = 200,
	LOCK_PAUSE_NS = 10 * 1000 * 1000,
};

const char *known_hosts_slurp(int fd, struct slice *text)
{
	size_t room = ROOM, n = 0;
	char *p = malloc(room);

	while (p) {
		ssize_t got = pread(fd, p + n, room - n, (off_t)n);
		char *more;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(p);
			return strerror(errno);
		}
		n += (size_t)got;
		if (got == 0) {
			*text = (struct slice){ p, n };
			return NULL;
		}
		if (n > KNOWN_HOSTS_FILE_MAX) {
			free(p);
			return "is larger than 16 MiB";
		}
		if (n < room)
			continue;
		more = realloc(p, room *= 2);
		if (!more)
			free(p);
		p = more;
	}
	return "memory is out";
}

/* ---- a line more ---- */

struct file {
	struct arena *arena;
	const char *path;
	int fd;
	struct err *err;
};

static bool fail(const struct file *f, const char *what, const char *why)
{
	return err_set(f->arena, f->err, ERR_IO, f->path, 0, "%s: %s", what, why);
}

static int open_to_append(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0600);
}

/* Makes the file when it is not there, and its folder, but none above it. */
static bool open_file(struct file *f)
{
	struct slice folder = slice_of(f->path);

	f->fd = open_to_append(f->path);
	if (f->fd < 0 && errno == ENOENT) {
		slice_take_last(&folder);
		if (folder.n && mkdir(arena_copy(f->arena, folder), 0700) != 0 && errno != EEXIST)
			return fail(f, "its folder cannot be made", strerror(errno));
		f->fd = open_to_append(f->path);
	}
	return f->fd >= 0 || fail(f, "cannot be opened for writing", strerror(errno));
}

/* Waits for other runs, but not for long. What knows no locks (NFS may) goes without one. */
static bool lock_file(struct file *f)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (fcntl(f->fd, F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES))
			return true;
		nanosleep(&pause, NULL);
	}
	return fail(f, "cannot be written", "another program has locked it");
}

/* What the file says of the key now that it is locked: another run may have been faster. */
static bool is_wanted(struct file *f, const struct known_host_name *name, struct slice key,
		      struct slice text, bool *wanted)
{
	struct arena *a = arena_create();
	struct known_hosts *k = known_hosts_create(a);
	struct known_host_place place;
	enum host_key_verdict verdict;

	known_hosts_add(k, f->path, text);
	verdict = known_hosts_check(k, name, known_hosts_key_type(key), key, &place);
	arena_destroy(a);
	*wanted = verdict == HOST_KEY_UNKNOWN;
	if (*wanted || verdict == HOST_KEY_KNOWN)
		return true;
	return err_set(f->arena, f->err, ERR_HOSTKEY, f->path, place.line,
		       verdict == HOST_KEY_REVOKED ? "the key is revoked"
						   : "another key is known for the host");
}

/* All of the line, or nothing of it. */
static bool write_line(struct file *f, const char *line)
{
	size_t n = strlen(line), done = 0;
	struct stat st;

	while (done < n) {
		ssize_t put = write(f->fd, line + done, n - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			break;
		done += (size_t)put;
	}
	if (done == n)
		return true;
	fail(f, "cannot be written", strerror(errno));
	if (done && fstat(f->fd, &st) == 0)
		(void)!ftruncate(f->fd, st.st_size - (off_t)done);
	return false;
}

static bool append(struct file *f, const struct known_host_name *name, struct slice key)
{
	struct slice type = known_hosts_key_type(key), text;
	const char *why = known_hosts_slurp(f->fd, &text), *line;
	bool wanted, ok;

	if (why)
		return fail(f, "cannot be read", why);
	ok = is_wanted(f, name, key, text, &wanted);
	line = arena_printf(f->arena, "%s%s %.*s %s\n",
			    text.n && text.p[text.n - 1] != '\n' ? "\n" : "",
			    known_hosts_name(f->arena, name), (int)type.n, type.p,
			    base64_encode(f->arena, key));
	free((char *)text.p);
	return ok && (!wanted || write_line(f, line));
}

/* Could the name stand in a line and be that name again? */
static bool can_be_written(const char *host)
{
	if (!*host || strchr("#@|!", *host))
		return false;
	for (const char *c = host; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 127 || strchr(",*?", *c))
			return false;
	return true;
}

bool known_hosts_append(struct arena *a, const char *path, const struct known_host_name *name,
			struct slice key, struct err *err)
{
	struct file f = { .arena = a, .path = path, .err = err };
	bool ok;

	if (!can_be_written(known_hosts_name(a, name)))
		return err_set(a, err, ERR_HOSTKEY, path, 0, "a host of that name has no line");
	if (!known_hosts_key_type(key).p)
		return err_set(a, err, ERR_HOSTKEY, path, 0, "the host's key is damaged");
	if (!open_file(&f))
		return false;
	ok = lock_file(&f) && append(&f, name, key);
	close(f.fd);
	return ok;
}
