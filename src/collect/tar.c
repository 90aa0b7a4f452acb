/* Reading a tar stream. See tar.h. */
#include "collect/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

/* archive_error_string() in printable ASCII. */
static const char *complaint_of(struct arena *a, struct archive *ar)
{
	const char *text = archive_error_string(ar);
	char *out = arena_strdup(a, text ? text : "it is damaged");

	for (char *p = out; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
			*p = ' ';
	return out;
}

/* The bytes of the current entry: `buffer` has room for `size`. */
static bool read_body(struct archive *ar, char *buffer, size_t size)
{
	size_t n = 0;

	while (n < size) {
		la_ssize_t got = archive_read_data(ar, buffer + n, size - n);

		if (got == ARCHIVE_RETRY)
			continue;
		if (got <= 0)
			return false;
		n += (size_t)got;
	}
	return true;
}

static bool is_wanted(struct archive_entry *e, int64_t max)
{
	return archive_entry_filetype(e) == AE_IFREG && !archive_entry_hardlink(e) &&
	       archive_entry_size(e) >= 0 && archive_entry_size(e) <= max &&
	       archive_entry_pathname(e);
}

/* `left`: files of a plain tar are never longer than the stream; only sparse ones could be. */
struct reading { struct arena *arena; tar_fn *each; void *ctx; int64_t max; size_t left; };

/* NULL, or what is wrong with the entry. */
static const char *read_entry(struct reading *to, struct archive *ar, struct archive_entry *e)
{
	size_t size = (size_t)archive_entry_size(e);
	struct opt_i64 mtime_s = { 0 };
	const char *why = NULL;
	char *buffer;

	if (size > to->left)
		return "its files are longer than itself";
	to->left -= size;
	buffer = malloc(size ? size : 1);
	if (archive_entry_mtime_is_set(e))
		mtime_s = some_i64(archive_entry_mtime(e));
	if (!buffer)
		return "memory is out";
	if (read_body(ar, buffer, size))
		to->each(to->ctx, archive_entry_pathname(e), (struct slice){ buffer, size },
			 mtime_s);
	else
		why = arena_printf(to->arena, "'%s' is cut off", archive_entry_pathname(e));
	free(buffer);
	return why;
}

static const char *read_entries(struct reading *to, struct archive *ar)
{
	for (;;) {
		struct archive_entry *e;
		int r = archive_read_next_header(ar, &e);
		const char *why = NULL;

		if (r == ARCHIVE_EOF)
			return NULL;
		if (r == ARCHIVE_RETRY)
			continue;
		if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
			return complaint_of(to->arena, ar);
		if (is_wanted(e, to->max))
			why = read_entry(to, ar, e);
		if (why)
			return why;
	}
}

const char *tar_read(struct arena *a, struct slice stream, int64_t max, tar_fn *each, void *ctx)
{
	struct reading to = { .arena = a, .each = each, .ctx = ctx, .max = max,
			      .left = stream.n };
	struct archive *ar = archive_read_new();
	const char *why = "memory is out";

	if (!ar)
		return why;
	archive_read_support_format_tar(ar);
	if (archive_read_open_memory(ar, stream.p, stream.n) == ARCHIVE_OK)
		why = read_entries(&to, ar);
	else
		why = complaint_of(a, ar);
	archive_read_free(ar);
	return why;
}
