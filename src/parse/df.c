/*
 * df: space of the filesystems that hold data directories. POSIX (-P) and GNU columns in any block
 * size, -h (rounded), -T, BSD and macOS with their inode columns, BusyBox; a long device name may
 * stand on a line of its own. The last row of a mount point counts.
 *
 * Sizes of -h are powers of 1024, unless a unit says "kB", "MB", ... (--si prints none: it can't be
 * told from -h, and makes a disk look up to 10 % larger).
 *
 * Source: POSIX df, GNU coreutils, BusyBox, FreeBSD.
 */
#include "base/num.h"
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/figure.h"
#include "parse/nodetool.h"
#include "parse/parse.h"
#include "parse/pattern.h"

enum { LONG_NAME = 12, ROW_MAX = 1024 };

#define SIZE "(-?[0-9][0-9.,]*+[kKMGTPE]?i?B?|-)"

/* device, size, used, available, capacity, (inodes,) mount point */
static struct pattern row = PATTERN(
	"^(.*?)\\s++" SIZE "\\s++" SIZE "\\s++" SIZE "\\s++([0-9]+%|-)\\s++"
	"(?:[0-9.]+[kKMGTP]?\\s++[0-9.]+[kKMGTP]?\\s++[0-9]+%\\s++)?(/.*)$");

static struct pattern blocks = PATTERN("\\s([0-9]*)([kKMGT]?i?B?)-blocks\\s");

struct reader {
	struct arena *a;
	const char *source;
	struct err *err;
	struct node *node;
	bool headed, used;
	bool has_type;		/* -T: a column of types after the device */
	struct opt_i64 block;	/* bytes of one unit; unknown = sizes carry their own */
	struct slice device;	/* on a line of its own, before its row */
};

static bool read_heading(struct reader *r, struct slice line, unsigned number)
{
	struct slice m[3];
	bool rounded = false;

	if (!slice_starts(line, SLICE("Filesystem")))
		return false;
	r->headed = true;
	r->block = (struct opt_i64){ 0 };
	r->device.n = 0;
	for (struct slice rest = line, word; slice_word(&rest, &word);)
		r->has_type = r->has_type || slice_eq_str(word, "Type");
	if (!pattern_match(&blocks, line, m, ARRAY_LEN(m)))
		return true;
	/* "1K-blocks", "1024-blocks", "1-blocks": a size like any other */
	m[1] = (struct slice){ m[1].p, (size_t)(m[2].p + m[2].n - m[1].p) };
	if (!figure_bytes(m[1], slice_ends(m[1], SLICE("B")) ? KILO_1000 : KILO_1024, &r->block,
			  &rounded) || !r->block.known || r->block.v < 1) {
		r->block = (struct opt_i64){ 0 };
		err_set(r->a, r->err, ERR_FORMAT, r->source, number,
			"this is no size of blocks: '%s'", complaint_tidy(r->a, m[1]));
	}
	return true;
}

/* "-" is what df prints for a filesystem that has no sizes. */
static bool read_size(const struct reader *r, struct slice s, struct opt_i64 *out, bool *rounded)
{
	int64_t v;

	*out = (struct opt_i64){ 0 };
	if (slice_eq_str(s, "-"))
		return true;
	if (num_parse_i64(s, &v) && r->block.known) {
		if (v > INT64_MAX / r->block.v || v < INT64_MIN / r->block.v)
			return false;
		*out = some_i64(v * r->block.v);
		*rounded = *rounded || r->block.v >= 1000 * 1000;
		return true;
	}
	if (r->block.known || (num_parse_i64(s, &v) && v != 0))
		return false;	/* a unit where there should be none, or none at all */
	return figure_bytes(s, slice_ends(s, SLICE("B")) ? KILO_1000 : KILO_1024, out, rounded);
}

static struct disk_usage *entry_of(struct reader *r, struct slice mount)
{
	struct disk_usage *d;

	for (size_t i = 0; i < r->node->disks.n; i++)
		if (slice_eq_str(mount, r->node->disks.v[i]->mount))
			return r->node->disks.v[i];
	d = arena_alloc(r->a, sizeof(*d));
	*(struct disk_usage **)vec_add(r->a, &r->node->disks) = d;
	d->mount = arena_copy(r->a, mount);
	return d;
}

/* Without the type that -T prints behind it. */
static struct slice device_of(const struct reader *r, struct slice s)
{
	size_t blank;

	s = slice_trim(s);
	if (!s.n)
		return r->device;
	blank = slice_rfind(s, ' ');
	if (r->has_type && blank < s.n)
		s.n = blank;
	else if (r->has_type && r->device.n)
		return r->device;	/* only the type stood before the sizes */
	return slice_trim(s);
}

static bool read_row(struct reader *r, struct slice line, unsigned number)
{
	struct disk_usage d = { 0 }, *to;
	struct slice m[7], device;

	if (line.n > ROW_MAX || !pattern_match(&row, line, m, ARRAY_LEN(m)))
		return false;
	device = device_of(r, m[1]);
	if (!device.n || !nodetool_is_plain(device) || !nodetool_is_plain(m[6]))
		return false;
	if (!read_size(r, m[2], &d.total, &d.rounded) || !read_size(r, m[3], &d.used, &d.rounded) ||
	    !read_size(r, m[4], &d.available, &d.rounded))
		return err_set(r->a, r->err, ERR_FORMAT, r->source, number,
			       "sizes in an unknown unit: '%s'", complaint_tidy(r->a, line));
	to = entry_of(r, slice_trim(m[6]));
	d.mount = to->mount;
	d.device = arena_copy(r->a, device);
	*to = d;
	r->used = true;
	r->device.n = 0;
	return true;
}

static void take_line(struct reader *r, struct slice line, unsigned number, bool whole)
{
	struct slice rest = line, word;

	if (slice_starts(line, SLICE("df: "))) {
		err_set(r->a, r->err, ERR_REMOTE, r->source, number, "an error message: %s",
			complaint_tidy(r->a, line));
		return;
	}
	if (read_heading(r, line, number) || !r->headed || !slice_word(&rest, &word))
		return;
	if (!whole) {
		err_set(r->a, r->err, ERR_FORMAT, r->source, number, "the text ends inside a row");
		return;
	}
	if (read_row(r, line, number))
		return;
	/* a name longer than its column: the numbers are on the next line */
	r->device = slice_trim(rest).n || word.n < LONG_NAME ? (struct slice){ NULL, 0 } : word;
}

bool parse_df(struct arena *a, const struct evidence *ev, struct node *into, struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .source = source, .err = err, .node = into };
	struct lines it = lines_of(ev->out);
	struct slice line;

	while (lines_next(&it, &line))
		take_line(&r, line, it.number, it.terminated);
	if (r.device.n)
		err_set(a, err, ERR_FORMAT, source, it.number, "the text ends inside a row");
	if (!r.used)
		return complaint_report(a, ev->out, source, "free space", err);
	return true;
}
