/* A folder's files into one archive. See pack.h. */
#include "collect/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"

enum { CHUNK = 64 * 1024 };

static const struct {
	const char *suffix;
	enum pack_format format;
	int (*add_filter)(struct archive *);
} formats[] = {
	{ ".tar", PACK_TAR, archive_write_add_filter_none },
	{ ".tar.gz", PACK_TAR_GZ, archive_write_add_filter_gzip },
	{ ".tgz", PACK_TAR_GZ, archive_write_add_filter_gzip },
	{ ".tar.zst", PACK_TAR_ZST, archive_write_add_filter_zstd },
	{ ".tzst", PACK_TAR_ZST, archive_write_add_filter_zstd },
	{ ".tar.xz", PACK_TAR_XZ, archive_write_add_filter_xz },
	{ ".tar.bz2", PACK_TAR_BZ2, archive_write_add_filter_bzip2 },
};

enum pack_format pack_format_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (slice_ends(slice_of(path), slice_of(formats[i].suffix)))
			return formats[i].format;
	return PACK_NONE;
}

struct packer {
	struct arena *arena;
	struct archive *out;
	struct archive_entry *entry;
	const char *root, *shown;
	struct err *err;
};

static bool complain(struct packer *p)
{
	const char *text = archive_error_string(p->out);

	return err_set(p->arena, p->err, ERR_IO, p->shown, 0, "cannot be written: %s",
		       text ? text : "the archive library gives no reason");
}

/* NULL when memory is out or this library has not that format. */
static struct archive *start(int fd, enum pack_format format)
{
	struct archive *out = archive_write_new();

	if (!out)
		return NULL;
	/* A warning means that an external program would do it. */
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (formats[i].format != format)
			continue;
		if (formats[i].add_filter(out) != ARCHIVE_OK)
			goto failed;
		break;
	}
	if (archive_write_set_format_pax_restricted(out) != ARCHIVE_OK)
		goto failed;
	if (format == PACK_TAR_GZ)
		(void)archive_write_set_filter_option(out, "gzip", "timestamp", NULL);
	if (archive_write_open_fd(out, fd) == ARCHIVE_OK)
		return out;
failed:
	archive_write_free(out);
	return NULL;
}

static bool copy_bytes(struct packer *p, int fd, const char *path)
{
	char chunk[CHUNK];
	ssize_t got;

	for (;;) {
		got = read(fd, chunk, sizeof(chunk));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (archive_write_data(p->out, chunk, (size_t)got) != got)
			return complain(p);
	}
	if (got < 0)
		return err_set(p->arena, p->err, ERR_IO, path, 0, "cannot be read back: %s",
			       strerror(errno));
	return archive_write_finish_entry(p->out) == ARCHIVE_OK || complain(p);
}

static bool pack_file(struct packer *p, const char *name)
{
	const char *path = arena_printf(p->arena, "%s/%s", p->root, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool ok;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err_set(p->arena, p->err, ERR_IO, path, 0, "cannot be read back: %s",
			strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	archive_entry_clear(p->entry);
	archive_entry_set_pathname(p->entry, name);
	archive_entry_set_filetype(p->entry, AE_IFREG);
	archive_entry_set_perm(p->entry, 0600);
	archive_entry_set_size(p->entry, st.st_size);
	archive_entry_set_mtime(p->entry, st.st_mtime, 0);
	ok = archive_write_header(p->out, p->entry) == ARCHIVE_OK || complain(p);
	ok = ok && copy_bytes(p, fd, path);
	close(fd);
	return ok;
}

bool pack_files(struct arena *a, int fd, enum pack_format format, const char *root,
		const char *const *names, size_t n, const char *shown, struct err *err)
{
	struct packer p = { .arena = a, .out = start(fd, format), .entry = archive_entry_new(),
			    .root = root, .shown = shown, .err = err };
	bool ok = p.out && p.entry;

	if (!ok)
		err_set(a, err, ERR_IO, shown, 0,
			"cannot be written: this archive library does not write that format");
	for (size_t i = 0; ok && i < n; i++)
		ok = pack_file(&p, names[i]);
	/* closing writes what is left in the compressor */
	if (ok && archive_write_close(p.out) != ARCHIVE_OK)
		ok = complain(&p);
	if (p.entry)
		archive_entry_free(p.entry);
	if (p.out)
		archive_write_free(p.out);
	return ok;
}
