/* Reading a tree of files. See tree.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/slice.h"
#include "collect/layout.h"
#include "collect/tree.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tree_free_names(struct tree_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct tree_names){ 0 };
}

static bool add_name(struct tree_names *names, const char *name)
{
	char **v = names->v;
	size_t cap = names->cap;

	if (names->n == cap) {
		cap = cap ? cap * 2 : 64;
		v = realloc(v, cap * sizeof(*v));
		if (!v)
			return false;
		names->v = v;
		names->cap = cap;
	}
	names->v[names->n] = strdup(name);
	return names->v[names->n] && ++names->n;
}

/* Reading ends here: a limit of the whole bundle. */
static bool stop(struct source *s, const char *path, const char *why)
{
	s->stopped = true;
	return err_set(s->arena, s->err, ERR_IO, path, 0, "%s", why);
}

/* Hand out what can't be read as evidence that says so. */
static void hand_error(struct source *s, const struct evidence *about, const char *why)
{
	struct evidence ev = *about;

	ev.out = (struct slice){ "", 0 };
	err_set(s->arena, &ev.err, ERR_IO, ev.path, 0, "%s", why);
	s->each(s->ctx, &ev);
}

static const char *because(struct source *s, int error)
{
	return arena_printf(s->arena, "cannot be read: %s", strerror(error));
}

/* NULL when it is of the type that is wanted. */
static const char *why_refused(mode_t mode, bool want_directory)
{
	if (S_ISLNK(mode))
		return "is a link, and links are not followed";
	if (want_directory && !S_ISDIR(mode))
		return "is no directory";
	if (!want_directory && !S_ISREG(mode))
		return "is no plain file";
	return NULL;
}

/* ---- directories ---- */

/* The names in a directory, sorted; takes `fd`. What can't be read is handed out as `about`. */
static bool read_names(struct source *s, int fd, const struct evidence *about,
		       struct tree_names *names)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	bool ok = dir != NULL;

	*names = (struct tree_names){ 0 };
	if (!dir) {
		hand_error(s, about, because(s, errno));
		close(fd);
		return false;
	}
	for (errno = 0; ok && (e = readdir(dir)); errno = 0) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (++s->entries > LAYOUT_ENTRIES_MAX)
			ok = stop(s, arena_printf(s->arena, "%s/%s", about->path, e->d_name),
				  "the bundle has more than 1 000 000 entries");
		else if (!add_name(names, e->d_name))
			ok = stop(s, about->path, "memory is out");
	}
	if (ok && errno)
		hand_error(s, about, because(s, errno));
	closedir(dir);
	if (ok && names->n)
		qsort(names->v, names->n, sizeof(*names->v), compare_names);
	if (!ok)
		tree_free_names(names);
	return ok;
}

static const char *path_in(struct source *s, const struct place *in, const char *name)
{
	return arena_printf(s->arena, "%s/%s", in->path, name);
}

bool tree_enter(struct source *s, const struct place *in, const char *name,
		enum evidence_kind kind, struct place *out)
{
	struct stat st;
	const char *why;

	if (fstatat(in->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	*out = *in;
	out->path = path_in(s, in, name);
	out->about.path = out->path;
	out->about.relative = out->path + (in->relative < strlen(out->path) ? in->relative : 0);
	out->about.kind = kind;
	why = why_refused(st.st_mode, true);
	if (!why) {
		out->fd = openat(in->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (out->fd >= 0)
			return true;
		why = because(s, errno);
	}
	hand_error(s, &out->about, why);
	return false;
}

/* Through a descriptor of its own: reading a directory moves the one that it is given. */
bool tree_list(struct source *s, const struct place *in, struct tree_names *names)
{
	int fd = openat(in->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		*names = (struct tree_names){ 0 };
		hand_error(s, &in->about, because(s, errno));
		return false;
	}
	return read_names(s, fd, &in->about, names);
}

/* ---- files ---- */

static bool make_room(struct source *s, size_t size)
{
	char *p;

	if (s->room >= size)
		return true;
	p = realloc(s->buffer, size);
	if (!p)
		return false;
	s->buffer = p;
	s->room = size;
	return true;
}

/* Read to the end, also of a file that grows meanwhile; NULL or what is wrong. */
static const char *read_all(struct source *s, int fd, int64_t size, int64_t max, size_t *n)
{
	size_t want = (size_t)size + 1;	/* one more byte shows the end */

	*n = 0;
	for (;;) {
		ssize_t got;

		if (!make_room(s, want))
			return "memory is out";
		got = read(fd, s->buffer + *n, want - *n);
		if (got < 0 && errno == EINTR && !deadline_passed())
			continue;
		if (got < 0)
			return because(s, errno);
		if (got == 0)
			return NULL;
		*n += (size_t)got;
		if (*n > (size_t)max)
			return "grew past its limit while it was read";
		if (*n == (size_t)size)
			return NULL;	/* the byte more that was asked for is not there */
		if (*n == want)
			want += 64 * 1024;
	}
}

static void hand_open_file(struct source *s, struct evidence *ev, int fd)
{
	int64_t max = layout_size_max(ev->kind);
	const char *why;
	struct stat st;
	size_t n;

	if (fstat(fd, &st) != 0)
		why = because(s, errno);
	else
		why = why_refused(st.st_mode, false);
	if (!why && st.st_size > max)
		why = layout_too_large(ev->kind);
	if (why) {
		hand_error(s, ev, why);
		return;
	}
	if (st.st_size > LAYOUT_TOTAL_MAX - s->total) {
		stop(s, ev->path, "the bundle has more than 16 GiB of files");
		return;
	}
	why = read_all(s, fd, st.st_size, max, &n);
	s->total += (int64_t)n;
	if (why) {
		hand_error(s, ev, why);
		return;
	}
	ev->out = (struct slice){ s->buffer, n };
	ev->mtime_s = some_i64(st.st_mtime);
	s->each(s->ctx, ev);
}

/* A link or a socket is better named than by the error it gives. */
static const char *why_not_opened(struct source *s, const struct place *in, const char *name,
				  int error)
{
	const char *why = NULL;
	struct stat st;

	if (fstatat(in->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		why = why_refused(st.st_mode, false);
	return why ? why : because(s, error);
}

void tree_hand_file(struct source *s, const struct place *in, const char *name,
		    struct evidence ev)
{
	int fd;

	ev.path = path_in(s, in, name);
	ev.relative = ev.path + in->relative;
	if (deadline_passed()) {
		hand_error(s, &ev, DEADLINE_TEXT);
		return;
	}
	/* Not blocking, it may be a pipe. What it is is asked of the open file, once. */
	fd = openat(in->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		hand_error(s, &ev, why_not_opened(s, in, name, errno));
		return;
	}
	hand_open_file(s, &ev, fd);
	close(fd);
}

void tree_walk(struct source *s, const struct place *in,
	       void (*visit)(struct source *, const struct place *, const char *))
{
	struct tree_names names;

	if (!tree_list(s, in, &names))
		return;
	for (size_t i = 0; i < names.n && !s->stopped; i++)
		visit(s, in, names.v[i]);
	tree_free_names(&names);
}
