/*
 * One line of a file listing. See file_row.h.
 *
 * Dates are only read where they tell an instant: "Aug 13 09:51" has no year and no zone. All they
 * are needed for otherwise is to know where the path begins.
 * Sources: GNU coreutils ls and stat, findutils, FreeBSD ls, busybox ls (their printed forms).
 */
#include "parse/file_row.h"

#include <math.h>

#include "base/num.h"
#include "base/slice.h"
#include "parse/parse.h"
#include "parse/pattern.h"

#define CLOCK "[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
/* "Aug 13", "13. Aug", "8月 13日": months by name, in any language, before or behind the day */
#define DAY                                                                                        \
	"(?:[^\\s0-9]\\S*\\s+[0-9]{1,2}\\.?|[0-9]{1,2}\\.?\\s+[^\\s0-9]\\S*"                       \
	"|[0-9]{1,2}[^\\s0-9:.,-]+\\s+[0-9]{1,2}[^\\s0-9]*)"

/* Groups: 1 size, 2-4 date, clock and zone of full-iso, 5 seconds since 1970, 6 path. */
static struct pattern long_row = PATTERN(
	"(?:^|\\s)([0-9][0-9.,']*[A-Za-z]{0,3})\\s+"
	"(?:(?:[^\\s0-9]\\S*\\s+)?" DAY "\\s+(?:" CLOCK "(?:\\s+[0-9]{4})?|[0-9]{4})"
	"|([0-9]{4}-[0-9]{2}-[0-9]{2})\\s+(" CLOCK ")(?:\\s+([+-][0-9]{4}))?"
	"|(?:[0-9]{4}-)?[0-9]{2}-[0-9]{2}(?:\\s+" CLOCK ")?"
	"|([0-9]{9,10})(?:\\.[0-9]+)?)"
	"\\s+(\\S+)$");

/* "-rw-r--r--.", with the inode and the blocks of -i and -s before it. */
static struct pattern permissions = PATTERN(
	"^\\s*(?:[0-9][0-9.]*[KMGT]?\\s+){0,2}([-bcdlpsD])[-rwxsStTlL]{9}[.+@]?\\s");

static struct pattern size_text = PATTERN("^([0-9]+(?:\\.[0-9]+)?)(?:([kKMGTPE])(?:i?B)?|B)?$");

static struct pattern path_first = PATTERN(
	"^(\\S+)[ \\t]+([0-9]+)(?:[ \\t]+([0-9]{9,10})(?:\\.[0-9]+)?)?$");
static struct pattern size_first = PATTERN("^([0-9]+)([ \\t]+)(\\S+)$");

/* "97752242", "164M", "4.0K", "512B". A decimal comma or thousands make it unreadable. */
static enum file_size read_size(struct slice text, int64_t *bytes)
{
	struct slice m[3];
	double v;

	if (num_parse_i64(text, bytes))
		return *bytes >= 0 ? SIZE_EXACT : SIZE_UNREADABLE;
	if (!pattern_match(&size_text, text, m, ARRAY_LEN(m)) || !num_parse_f64(m[1], &v))
		return SIZE_UNREADABLE;
	if (m[2].n && *m[2].p == 'k')
		v *= 1000;		/* only --si writes it so */
	else if (m[2].n)
		v *= pow(1024, (double)slice_find(SLICE("KMGTPE"), *m[2].p) + 1);
	if (v >= 9e18)
		return SIZE_UNREADABLE;
	*bytes = (int64_t)llround(v);
	return SIZE_ROUNDED;
}

static int digits(struct slice s, size_t at, size_t n)
{
	int v = 0;

	for (size_t i = at; i < at + n && i < s.n; i++)
		v = v * 10 + (s.p[i] - '0');
	return v;
}

/* "2026-11-30", "18:02:01.123456789", "+0100". */
static struct opt_i64 read_instant(struct slice date, struct slice clock, struct slice zone)
{
	int month = digits(date, 5, 2), day = digits(date, 8, 2);
	int64_t s, offset;

	if (!date.n || zone.n != 5 || clock.n < 5 || clock.p[2] != ':' || month < 1 || month > 12 ||
	    day < 1 || day > 31)
		return (struct opt_i64){ 0 };
	s = num_epoch_from_civil(digits(date, 0, 4), month, day);
	s += digits(clock, 0, 2) * 3600 + digits(clock, 3, 2) * 60;
	if (clock.n >= 8)
		s += digits(clock, 6, 2);
	offset = digits(zone, 1, 2) * 3600 + digits(zone, 3, 2) * 60;
	return some_i64(zone.p[0] == '-' ? s + offset : s - offset);
}

static struct opt_i64 read_seconds(struct slice text)
{
	int64_t v;

	return text.n && num_parse_i64(text, &v) ? some_i64(v) : (struct opt_i64){ 0 };
}

struct slice file_row_path(struct slice path)
{
	if (path.n > 2 && (*path.p == '"' || *path.p == '\'') && path.p[path.n - 1] == *path.p)
		return (struct slice){ path.p + 1, path.n - 2 };
	if (path.n > 1 && path.p[path.n - 1] == '*')
		path.n--;
	return path;
}

enum row_kind file_row_long(struct slice line, struct file_row *out)
{
	struct slice m[7], type[2];
	bool has_permissions = pattern_match(&permissions, line, type, ARRAY_LEN(type));

	*out = (struct file_row){ .size = SIZE_NONE };
	if (has_permissions && *type[1].p != '-')
		return ROW_OTHER;
	if (!pattern_match(&long_row, line, m, ARRAY_LEN(m)))
		return has_permissions ? ROW_UNREADABLE : ROW_NONE;
	out->path = file_row_path(m[6]);
	out->size = read_size(m[1], &out->bytes);
	out->mtime_s = m[5].n ? read_seconds(m[5]) : read_instant(m[2], m[3], m[4]);
	return ROW_FILE;
}

static bool is_sstable_file(struct slice path)
{
	struct sstable_name name;

	return parse_sstable_name(parse_file_name(path), &name) && name.component.n;
}

enum row_kind file_row_short(struct slice line, struct file_row *out)
{
	struct slice m[4];

	*out = (struct file_row){ .size = SIZE_NONE };
	if (pattern_match(&path_first, line, m, ARRAY_LEN(m)) && is_sstable_file(m[1])) {
		out->path = m[1];
		out->size = read_size(m[2], &out->bytes);
		out->mtime_s = read_seconds(m[3]);
		return ROW_FILE;
	}
	if (pattern_match(&size_first, line, m, ARRAY_LEN(m)) && is_sstable_file(m[3])) {
		out->path = m[3];
		if (slice_find(m[2], '\t') == m[2].n)
			out->size = read_size(m[1], &out->bytes);
		return ROW_FILE;
	}
	return ROW_NONE;
}
