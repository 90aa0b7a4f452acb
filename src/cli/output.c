/* Where results go: standard output, or a file that appears whole or not at all. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "cli/plugin.h"

static bool write_all(void *ctx, const char *p, size_t n)
{
	struct output *out = ctx;

	while (n) {
		ssize_t done = write(out->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			out->error = done < 0 ? errno : EIO;
			return false;
		}
		p += done;
		n -= (size_t)done;
	}
	return true;
}

bool output_open(struct arena *a, struct output *out, const char *path, struct err *err)
{
	struct stat st;
	char *target = path ? realpath(path, NULL) : NULL;

	if (target) {		/* through a link to what it stands for */
		path = arena_strdup(a, target);
		free(target);
	}
	*out = (struct output){ .path = path, .fd = STDOUT_FILENO };
	if (path && stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC); /* a device or pipe is not replaced */
		if (out->fd < 0)
			return err_set(a, err, ERR_IO, path, 0, "cannot be written: %s",
				       strerror(errno));
	} else if (path) {
		out->temporary = arena_printf(a, "%s.XXXXXX", path);
		out->fd = mkstemp(out->temporary);
		if (out->fd < 0)
			return err_set(a, err, ERR_IO, path, 0, "cannot be written: %s",
				       strerror(errno));
	}
	buf_init_sink(&out->buf, write_all, out);
	return true;
}

/* mkstemp makes 0600: give the file what the umask allows. */
static bool finish_file(struct output *out)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(out->fd, 0666 & ~mask) != 0 || fsync(out->fd) != 0)
		return false;
	if (close(out->fd) != 0)
		return false;
	return rename(out->temporary, out->path) == 0;
}

bool output_close(struct arena *a, struct output *out, struct err *err)
{
	bool ok = buf_flush(&out->buf);

	buf_free(&out->buf);
	/* Who reads a page has seen enough of it; who reads a plugin must get all. */
	if (!out->path && out->error == EPIPE && !plugin_active())
		return true;
	if (!out->path)
		return ok || err_set(a, err, ERR_IO, "standard output", 0,
				     "could not be written whole: %s",
				     strerror(out->error ? out->error : errno));
	if (ok && (out->temporary ? finish_file(out) : close(out->fd) == 0))
		return true;
	err_set(a, err, ERR_IO, out->path, 0, "could not be written: %s",
		strerror(out->error ? out->error : errno));
	if (out->temporary)
		unlink(out->temporary);
	return false;
}

unsigned terminal_width(void)
{
	struct winsize size = { 0 };
	const char *columns = getenv("COLUMNS");
	int64_t n;

	if (columns && num_parse_i64(slice_of(columns), &n) && n >= 40 && n <= 1000)
		return (unsigned)n;
	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col < 40 ? 40 : size.ws_col;
	return 80;
}

/* The character set is the last part of the first of these that is set. */
bool terminal_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return strstr(v, "UTF-8") || strstr(v, "utf8") || strstr(v, "UTF8") ||
			       strstr(v, "utf-8");
	}
	return false;
}

bool terminal_wants_color(enum color_mode mode)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	if (mode != COLOR_AUTO)
		return mode == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(none && *none) && !(term && strcmp(term, "dumb") == 0);
}
