/* See compaction_rows.h. Source: TableBuilder (3.0 to 6.0), CompactionStats, NodeCmd (2.x). */
#include "parse/compaction_rows.h"

#include "base/num.h"
#include "parse/figure.h"
#include "parse/nodetool.h"
#include "parse/pattern.h"

/* ---- the heading ---- */

static const struct {
	const char *name;
	enum compaction_cell cell;
} names[] = {	/* longer ones before those that they begin with */
	{ "compaction type", CELL_TYPE }, { "kind", CELL_TYPE }, { "task id", CELL_ID },
	{ "id", CELL_ID }, { "keyspace", CELL_KEYSPACE }, { "table", CELL_TABLE },
	{ "column family", CELL_TABLE }, { "columnfamily", CELL_TABLE },
	{ "completed", CELL_COMPLETED }, { "completion ratio", CELL_RATIO },
	{ "total compressed", CELL_OTHER }, { "total", CELL_TOTAL }, { "unit", CELL_UNIT },
	{ "progress", CELL_PROGRESS }, { "sstables", CELL_OTHER },
	{ "target directory", CELL_OTHER },
};

/* Index of the name at the start of `s`, which a blank or the end follows; else their number. */
static size_t name_at(struct slice s)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct slice name = slice_of(names[i].name);

		if (slice_starts(s, name) && (name.n == s.n || s.p[name.n] == ' '))
			return i;
	}
	return ARRAY_LEN(names);
}

static size_t skip_blanks(struct slice s, size_t i)
{
	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\r'))
		i++;
	return i;
}

/* With -V "completion ratio" is the progress, and "progress" the part that is completed. */
static bool settle(struct compaction_header *h)
{
	unsigned seen = 0;
	const unsigned needed = 1u << CELL_TYPE | 1u << CELL_KEYSPACE | 1u << CELL_TABLE |
				1u << CELL_COMPLETED | 1u << CELL_TOTAL | 1u << CELL_UNIT |
				1u << CELL_PROGRESS;

	for (size_t i = 0; i < h->n; i++) {
		enum compaction_cell *c = &h->columns[i].cell;

		if (h->long_form && *c == CELL_PROGRESS)
			*c = CELL_COMPLETED;
		else if (*c == CELL_RATIO)
			*c = CELL_PROGRESS;
		seen |= 1u << *c;
	}
	return (seen & needed) == needed;
}

bool compaction_header_read(struct slice line, struct compaction_header *h)
{
	size_t at = skip_blanks(line, 0), k;
	struct compaction_header found = { 0 };

	for (; at < line.n; at = skip_blanks(line, at)) {
		k = name_at(slice_from(line, at));
		if (k == ARRAY_LEN(names) || found.n == COMPACTION_COLUMNS_MAX)
			return false;
		found.columns[found.n].cell = names[k].cell;
		found.columns[found.n].start = at;
		at += strlen(names[k].name);
		found.columns[found.n++].end = at;
		found.long_form = found.long_form || names[k].cell == CELL_RATIO;
	}
	if (!settle(&found))
		return false;
	*h = found;
	return true;
}

/* ---- values ---- */

/* A keyspace or table, or nothing: some tasks are of none. */
static bool is_name(struct slice s)
{
	return slice_find(s, ' ') == s.n && nodetool_is_plain(s);
}

static bool is_no_id(struct slice id)
{
	return !id.n || slice_eq_str(id, "<none>") || slice_eq_str(id, "n/a");
}

static bool is_id(struct slice id)
{
	return is_no_id(id) || nodetool_is_uuid(id);
}

/* As printed, also a negative one. */
static bool read_bytes(struct slice s, struct opt_i64 *out)
{
	bool rounded = false;

	return s.n > 0 && figure_bytes(s, KILO_1024, out, &rounded);
}

static bool is_type(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= '0' && s.p[i] <= '9')
			return false;
	return s.n > 0 && nodetool_is_plain(s);
}

static bool make_task(struct arena *a, const struct slice *cells, struct compaction_task *out)
{
	struct compaction_task t = { 0 };

	if (!is_id(cells[CELL_ID]) || !is_type(cells[CELL_TYPE]) ||
	    !is_name(cells[CELL_KEYSPACE]) || !is_name(cells[CELL_TABLE]) ||
	    !cells[CELL_UNIT].n || !nodetool_is_plain(cells[CELL_UNIT]) ||
	    !read_bytes(cells[CELL_COMPLETED], &t.completed) ||
	    !read_bytes(cells[CELL_TOTAL], &t.total) ||
	    !figure_percent(cells[CELL_PROGRESS], &t.progress_percent))
		return false;
	if (!is_no_id(cells[CELL_ID]))
		t.id = arena_copy(a, cells[CELL_ID]);
	t.type = arena_copy(a, cells[CELL_TYPE]);
	t.keyspace = arena_copy(a, cells[CELL_KEYSPACE]);
	t.table = arena_copy(a, cells[CELL_TABLE]);
	t.unit = arena_copy(a, cells[CELL_UNIT]);
	*out = t;
	return true;
}

/* ---- cutting ---- */

static bool is_blank_at(struct slice line, size_t i)
{
	return i >= line.n || line.p[i] == ' ';
}

static struct slice part(struct slice line, size_t from, size_t to)
{
	if (from > line.n)
		from = line.n;
	if (to > line.n)
		to = line.n;
	return slice_trim((struct slice){ line.p + from, to > from ? to - from : 0 });
}

/* Left-aligned: a cell begins where its name in the heading does, or is empty. */
static bool cut_left(const struct compaction_header *h, struct slice line, struct slice *cells)
{
	for (size_t i = 0; i < h->n; i++) {
		size_t start = h->columns[i].start;
		size_t next = i + 1 < h->n ? h->columns[i + 1].start : line.n;
		struct slice cell = part(line, start, next);

		if ((start && !is_blank_at(line, start - 1)) ||
		    (cell.n && cell.p != line.p + start))
			return false;
		cells[h->columns[i].cell] = cell;
	}
	return part(line, 0, h->columns[0].start).n == 0;
}

/* Right-aligned: a cell ends where its name does, or is empty. */
static bool cut_right(const struct compaction_header *h, struct slice line, struct slice *cells)
{
	size_t from = 0;

	for (size_t i = 0; i < h->n; i++) {
		size_t end = h->columns[i].end;
		struct slice cell = part(line, from, end);

		if (!is_blank_at(line, end) || (cell.n && cell.p + cell.n != line.p + end))
			return false;
		cells[h->columns[i].cell] = cell;
		from = end;
	}
	return slice_trim(slice_from(line, from)).n == 0;
}

enum { LOOSE_MAX = 1024 };

#define NUMBER "-?[0-9][0-9.,]*+(?: ?(?:bytes|B|[KMGTP]i?B))?"

static struct pattern loose_row = PATTERN(
	"^\\s*+(?:(<none>|n/a|[0-9a-fA-F-]{36})\\s++)?"
	"([A-Za-z][A-Za-z/ ]*?)\\s++(\\S++)\\s++(\\S++)\\s++"
	"(" NUMBER ")\\s++(" NUMBER ")\\s++(bytes|keys|ranges|token range parts|[A-Za-z]+)\\s++"
	"([0-9.,]+%|n/a)\\s*$");

/* Tasks that belong to no table: without alignment their name looks like more than one cell. */
static bool is_of_no_table(struct slice type, struct slice table)
{
	static const char *const types[] = {
		"Index summary redistribution", "Key cache save", "Row cache save",
		"Counter cache save",
	};
	struct slice all = { type.p, (size_t)(table.p + table.n - type.p) };

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (slice_eq_str(all, types[i]))
			return true;
	return false;
}

/* Anchored at both ends: what stands between the type and the first number are two names. */
static bool cut_loose(const struct compaction_header *h, struct slice line, struct slice *cells)
{
	struct slice m[9];

	if (h->long_form || line.n > LOOSE_MAX ||
	    !pattern_match(&loose_row, line, m, ARRAY_LEN(m)))
		return false;
	if (is_of_no_table(m[2], m[4])) {
		m[2].n = (size_t)(m[4].p + m[4].n - m[2].p);
		m[3].n = m[4].n = 0;
	}
	for (size_t i = 0; i <= CELL_PROGRESS; i++)
		cells[CELL_ID + i] = m[1 + i];
	return true;
}

bool compaction_row_read(struct arena *a, const struct compaction_header *h, struct slice line,
			 struct compaction_task *out)
{
	static bool (*const cuts[])(const struct compaction_header *, struct slice,
				    struct slice *) = { cut_left, cut_right, cut_loose };

	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		struct slice cells[COMPACTION_CELLS] = { 0 };

		if (cuts[i](h, line, cells) && make_task(a, cells, out))
			return true;
	}
	return false;
}
