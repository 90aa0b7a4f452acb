/* Bundles in one file. See archive.h. */
#include "collect/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/slice.h"
#include "collect/archive_index.h"
#include "collect/layout.h"

enum { BLOCK = 64 * 1024, TAR_BLOCK = 512 };

struct source {
	struct archive_index index;
	struct slice memory;		/* p == NULL: it is read from fd */
	int fd;
	int64_t held_max;
	char *buffer;			/* of the entry that is handed out */
	size_t room;
	size_t next;			/* rank of the entry to hand out next */
	size_t limit;			/* entries before it may be kept in memory, */
	int64_t window;			/* which have this many bytes together */
	evidence_fn *each;
	void *ctx;
};

bool archive_is_likely(struct slice head)
{
	static const struct { const char *magic; size_t n, at; } known[] = {
		{ "\x1f\x8b", 2, 0 },			/* gzip */
		{ "\x28\xb5\x2f\xfd", 4, 0 },		/* zstd */
		{ "\xfd" "7zXZ\0", 6, 0 },
		{ "BZh", 3, 0 },
		{ "ustar", 5, 257 },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (head.n >= known[i].at + known[i].n &&
		    memcmp(head.p + known[i].at, known[i].magic, known[i].n) == 0)
			return true;
	return false;
}

/* ---- one pass over the archive ---- */

/* NULL when memory is out or the file can't be read from its start. */
static struct archive *start_pass(struct source *s)
{
	struct archive *ar = archive_read_new();
	int r;

	if (!ar)
		return NULL;
	archive_read_support_format_tar(ar);
	archive_read_support_filter_gzip(ar);
	archive_read_support_filter_zstd(ar);
	archive_read_support_filter_xz(ar);
	archive_read_support_filter_bzip2(ar);
	if (s->memory.p)
		r = archive_read_open_memory(ar, s->memory.p, s->memory.n);
	else if (lseek(s->fd, 0, SEEK_SET) == 0)
		r = archive_read_open_fd(ar, s->fd, BLOCK);
	else
		r = ARCHIVE_FATAL;
	if (r == ARCHIVE_OK)
		return ar;
	archive_read_free(ar);
	return NULL;
}

static const char *complaint_of(struct source *s, struct archive *ar)
{
	const char *text = archive_error_string(ar);
	char *out;

	if (!text)
		return "it is damaged";
	out = arena_strdup(s->index.arena, text);
	for (char *p = out; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
			*p = ' ';
	return out;
}

static bool make_room(struct source *s, size_t n)
{
	size_t room = s->room ? s->room : BLOCK;
	char *p;

	while (room < n)
		room *= 2;
	if (room == s->room)
		return true;
	p = realloc(s->buffer, room);
	if (!p)
		return false;
	s->buffer = p;
	s->room = room;
	return true;
}

/* The bytes of the current entry into s->buffer; NULL, or what is wrong with them. */
static const char *read_body(struct source *s, struct archive *ar, int64_t size, size_t *n)
{
	*n = 0;
	for (;;) {
		la_ssize_t got;

		if (!make_room(s, *n + BLOCK))
			return "memory is out";
		got = archive_read_data(ar, s->buffer + *n, s->room - *n);
		if (got == ARCHIVE_RETRY)
			continue;
		if (got < 0)
			return arena_printf(s->index.arena, "is cut off: %s", complaint_of(s, ar));
		if (got == 0)
			return (int64_t)*n == size ? NULL : "is not as long as the archive says";
		*n += (size_t)got;
		if ((int64_t)*n > size)
			return "is longer than the archive says";
	}
}

/* Keep the current entry's bytes. */
static void hold(struct source *s, struct archive *ar, struct archive_entry_info *e)
{
	size_t n;

	e->problem = read_body(s, ar, e->size, &n);
	if (e->problem)
		return;
	e->held = malloc(n ? n : 1);
	if (!e->held)
		e->problem = "memory is out";
	else
		memcpy(e->held, s->buffer, n);
}

static void release(struct archive_entry_info *e)
{
	free(e->held);
	e->held = NULL;
}

/* ---- the first pass: what is in it ---- */

static const char *name_of(struct archive_entry *e)
{
	const char *name = archive_entry_pathname(e);

	/* not to be had in this locale, but in UTF-8 */
	return name ? name : archive_entry_pathname_utf8(e);
}

static bool is_cut_body(const char *problem)
{
	return problem && strncmp(problem, "is cut off", 10) == 0;
}

/* Takes one entry into the index; false and err set when it refuses the archive. */
static bool take_entry(struct source *s, struct archive *ar, struct archive_entry *e,
		       bool *holding, struct err *err)
{
	struct archive_index *x = &s->index;
	struct archive_entry_info *info;
	struct archive_header h = {
		.name = name_of(e), .type = archive_entry_filetype(e),
		.hard_link = archive_entry_hardlink(e) != NULL, .size = archive_entry_size(e),
		.mtime_s = archive_entry_mtime_is_set(e) ? some_i64(archive_entry_mtime(e))
							 : (struct opt_i64){ 0 },
	};

	if (!archive_index_add(x, &h, &info, err))
		return false;
	if (info && *holding && x->total <= s->held_max) {
		hold(s, ar, info);
		if (is_cut_body(info->problem))
			x->damage = arena_printf(x->arena, "the archive is damaged: '%s' %s",
						 info->name, info->problem);
	} else if (info && *holding) {
		*holding = false;	/* too much to keep: ranks decide what is, later */
		for (size_t i = 0; i < x->entries.n; i++)
			release(x->entries.v[i]);
	}
	return true;
}

/* A tar archive ends with a block of zeros: without it the rest was lost. */
static bool has_end_mark(struct archive *ar)
{
	return archive_filter_bytes(ar, 0) >= archive_read_header_position(ar) + TAR_BLOCK;
}

static bool fill_index(struct source *s, struct archive *ar, struct err *err)
{
	struct archive_index *x = &s->index;
	struct archive_entry *e;
	bool holding = true;

	while (!x->damage) {
		int r = archive_read_next_header(ar, &e);

		if (deadline_passed()) {
			x->damage = DEADLINE_TEXT;
			break;
		}
		if (r == ARCHIVE_RETRY)
			continue;
		if (r == ARCHIVE_EOF && !has_end_mark(ar) && x->n_headers)
			x->damage = "the archive is damaged: it ends without its end mark";
		if (r == ARCHIVE_EOF)
			break;
		if (r == ARCHIVE_OK || r == ARCHIVE_WARN) {
			if (!take_entry(s, ar, e, &holding, err))
				return false;
		} else {
			x->damage = arena_printf(x->arena, "the archive is damaged: %s",
						 complaint_of(s, ar));
		}
	}
	if (!x->n_headers)
		return err_set(x->arena, err, ERR_FORMAT, x->where, 0, "is no archive of a "
								       "bundle: %s",
			       x->damage ? x->damage : "it is empty");
	return true;
}

static bool look_through(struct source *s, struct err *err)
{
	struct archive *ar = start_pass(s);
	bool ok;

	if (!ar)
		return err_set(s->index.arena, err, ERR_IO, s->index.where, 0,
			       "is no archive that can be read");
	ok = fill_index(s, ar, err);
	archive_read_free(ar);
	return ok && archive_index_finish(&s->index, err);
}

/* ---- handing out ---- */

static void hand(struct source *s, const struct archive_entry_info *e, const char *why,
		 struct slice bytes)
{
	struct evidence ev = e->about;

	ev.path = arena_printf(s->index.arena, "%s/%s", s->index.where, e->name);
	ev.out = bytes;
	ev.mtime_s = e->mtime_s;
	if (why) {
		ev.out = (struct slice){ "", 0 };
		ev.mtime_s = (struct opt_i64){ 0 };
		err_set(s->index.arena, &ev.err, ERR_IO, ev.path, 0, "%s", why);
	}
	s->each(s->ctx, &ev);
}

static bool is_too_large(const struct archive_entry_info *e)
{
	return e->size > layout_size_max(e->about.kind);
}

/* Entries that may be kept: as many as come next and fit. */
static void move_window(struct source *s)
{
	const struct archive_index *x = &s->index;

	if (s->limit < s->next) {
		s->limit = s->next;
		s->window = 0;
	}
	while (s->limit < x->entries.n &&
	       s->window + x->entries.v[s->limit]->size <= s->held_max)
		s->window += x->entries.v[s->limit++]->size;
}

static void advance(struct source *s)
{
	struct archive_entry_info *e = s->index.entries.v[s->next];

	release(e);
	if (s->next++ < s->limit)
		s->window -= e->size;
	move_window(s);
}

/* Hand out what can be without reading on. */
static void drain(struct source *s)
{
	while (s->next < s->index.entries.n) {
		struct archive_entry_info *e = s->index.entries.v[s->next];

		if (is_too_large(e))
			hand(s, e, layout_too_large(e->about.kind), (struct slice){ "", 0 });
		else if (e->problem)
			hand(s, e, e->problem, (struct slice){ "", 0 });
		else if (e->held)
			hand(s, e, NULL, (struct slice){ e->held, (size_t)e->size });
		else
			return;
		advance(s);
	}
}

/* One entry that was met in a pass: handed out when it is its turn, kept when that is near. */
static void meet(struct source *s, struct archive *ar, size_t rank)
{
	struct archive_entry_info *e = s->index.entries.v[rank];
	const char *why;
	size_t n;

	if (rank == s->next) {
		why = read_body(s, ar, e->size, &n);
		hand(s, e, why, (struct slice){ s->buffer, n });
		advance(s);
		drain(s);
	} else if (rank > s->next && rank < s->limit && !e->held && !is_too_large(e)) {
		hold(s, ar, e);
	}
}

static void pass(struct source *s)
{
	struct archive *ar = start_pass(s);
	struct archive_entry *e;

	for (size_t ordinal = 0; ar && s->next < s->index.entries.n; ordinal++) {
		int r = archive_read_next_header(ar, &e);
		size_t rank;

		if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
			break;
		if (archive_index_rank(&s->index, ordinal, &rank))
			meet(s, ar, rank);
	}
	if (ar)
		archive_read_free(ar);
}

/* What the damage took is not known: say so for each kind of evidence that checks stand on. */
static void hand_damage(struct source *s)
{
	const struct archive_index *x = &s->index;
	struct archive_loss loss = { 0 };
	struct archive_entry_info e = { 0 };
	const char *why = arena_printf(x->arena, "the rest of the archive is lost: %s", x->damage);

	while (archive_index_loss(x, &loss, &e.about)) {
		e.name = e.about.node;
		hand(s, &e, why, (struct slice){ "", 0 });
	}
}

static bool archive_read_all(struct source *s, evidence_fn *each, void *ctx, struct err *err)
{
	struct archive_index *x = &s->index;

	s->each = each;
	s->ctx = ctx;
	s->next = s->limit = 0;
	s->window = 0;
	move_window(s);
	drain(s);
	while (s->next < x->entries.n && !deadline_passed()) {
		size_t before = s->next;

		pass(s);
		if (s->next == before) {	/* it was changed meanwhile */
			hand(s, x->entries.v[before], "cannot be read a second time",
			     (struct slice){ "", 0 });
			advance(s);
			drain(s);
		}
	}
	for (; s->next < x->entries.n; advance(s))
		hand(s, x->entries.v[s->next], DEADLINE_TEXT, (struct slice){ "", 0 });
	if (!x->damage)
		return true;
	hand_damage(s);
	return err_set(x->arena, err, ERR_FORMAT, x->where, 0, "%s", x->damage);
}

/* ---- opening and closing ---- */

static void archive_close(struct source *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->index.entries.n; i++)
		release(s->index.entries.v[i]);
	if (s->fd >= 0)
		close(s->fd);
	free(s->buffer);
	s->buffer = NULL;
	s->room = 0;
	s->fd = -1;
}

static struct source *finish_open(struct source *s, struct err *err)
{
	if (look_through(s, err))
		return s;
	archive_close(s);
	return NULL;
}

static struct source *archive_open(struct arena *a, const char *where, struct err *err)
{
	struct source *s;
	struct stat st;
	int fd = open(where, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		err_set(a, err, ERR_IO, where, 0, fd < 0 ? "cannot be opened: "
							   "%s" : "is no file%.0s",
			strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	s = arena_alloc(a, sizeof(*s));
	s->index = (struct archive_index){ .arena = a, .where = arena_strdup(a, where) };
	s->fd = fd;
	s->held_max = ARCHIVE_HELD_MAX;
	return finish_open(s, err);
}

struct source *archive_open_memory(struct arena *a, const char *name, struct slice bytes,
				   int64_t held_max, struct err *err)
{
	struct source *s = arena_alloc(a, sizeof(*s));

	s->index = (struct archive_index){ .arena = a, .where = name };
	s->memory = bytes.p ? bytes : (struct slice){ "", 0 };
	s->fd = -1;
	s->held_max = held_max;
	return finish_open(s, err);
}

const struct source_ops source_archive = {
	.name = "archive",
	.help = "a bundle in one file: .tar, .tar.gz, .tar.zst, .tar.xz, .tar.bz2",
	.open = archive_open,
	.read = archive_read_all,
	.close = archive_close,
};
