/*
 * nodetool tablestats as text: Cassandra 1.2 to 6.0, DSE and ScyllaDB, with or without indentation,
 * also as printed with -H and -s.
 *
 * A table's block begins with its "Table: " line and ends with an empty line, a rule of dashes or
 * the next heading. Its values are the lines indented like its first one: deeper lines (the tables
 * of top partitions, whose keys are free text) are none. Labels that are not used are passed over.
 *
 * Source: NodeCmd.printColumnFamilyStats (1.2, 2.0), nodetool's TableStats (3.0), TableStatsPrinter
 * (3.11 to 6.0), scylla-nodetool.cc.
 */
#include <stddef.h>

#include "parse/complaint.h"
#include "parse/tablestats.h"

enum label_flag {
	SIZES = 1,	/* with it the block has what is needed of it */
	TAIL = 2,	/* printed at the end of a block of 2.0 */
};

struct label {
	const char *text;
	size_t n;
	enum stats_type type;
	size_t offset;		/* in struct table_stats */
	unsigned flags;
};

#define LABEL(text, type, field, flags)                                                            \
	{ text, sizeof(text) - 1, STATS_##type, offsetof(struct table_stats, field), flags }

/* Sorted by the first byte, which picks what a line is compared with. */
static const struct label labels[] = {
	LABEL("Average tombstones per slice (last five minutes)", FLOAT, tombstones_average, TAIL),
	LABEL("Compacted partition maximum bytes", BYTES, partition_max_bytes, SIZES),
	LABEL("Compacted partition mean bytes", BYTES, partition_mean_bytes, 0),
	LABEL("Compacted row maximum size", BYTES, partition_max_bytes, SIZES),	/* 1.2 */
	LABEL("Compacted row mean size", BYTES, partition_mean_bytes, 0),
	LABEL("Droppable tombstone ratio", FLOAT, droppable_ratio, 0),
	LABEL("Maximum tombstones per slice (last five minutes)", FLOAT, tombstones_max, 0),
	LABEL("Number of Keys (estimate)", COUNT, partitions, 0),	/* 1.2 */
	LABEL("Number of keys (estimate)", COUNT, partitions, 0),	/* 3.0, 3.11.0 */
	LABEL("Number of partitions (estimate)", COUNT, partitions, 0),
	LABEL("SSTable Compression Ratio", FLOAT, compression_ratio, 0),
	LABEL("SSTable count", COUNT, sstable_count, 0),
	LABEL("SSTables Time Window", WINDOW, window_s, 0),
	LABEL("Space used (live)", BYTES, bytes_live, 0),
	LABEL("Space used (total)", BYTES, bytes_total, 0),
	LABEL("Space used by snapshots (total)", BYTES, bytes_snapshots, 0),
};

/* A block whose heading is not in the text: values without the name of their table. */
static const struct slice no_name = { "-", 1 };

struct reader {
	struct arena *a;
	const struct evidence *ev;
	const char *source;
	struct err *err;
	struct stats_set set;

	struct slice keyspace;		/* empty = none yet */
	bool in_keyspace;		/* after its heading, before its first table */
	bool no_keyspace;		/* its name could not be read: nor can its tables */
	bool rules, closed;		/* rules of dashes are used; one closed the last keyspace */
	bool skipping;			/* in lines that are no values: up to the next heading */
	bool used;			/* a block was taken over */
	bool headed;			/* a keyspace's heading was there */
	bool old;			/* labels as 2.0 has them */

	bool in_table;
	bool nameless;			/* the block has no heading */
	struct slice table_keyspace, table;
	struct slice indent;		/* of the block's values; p NULL = not seen yet */
	unsigned seen;			/* bits: index into labels */
	unsigned flags;			/* label_flag bits seen */
	struct table_stats stats;
};

static bool complain(struct reader *r, unsigned line, const char *what, struct slice value)
{
	if (value.n > 40)
		value.n = 40;
	return err_set(r->a, r->err, ERR_FORMAT, r->source, line, "%s '%s'", what,
		       complaint_tidy(r->a, value));
}

/* Take over the block that was read; the last one of a table counts. */
static void end_table(struct reader *r)
{
	if (!r->in_table)
		return;
	r->in_table = false;
	r->used = true;
	stats_set_put(&r->set, r->table_keyspace, r->table, &r->stats, false);
}

/* The right half of what diff -y prints begins after tabs, with a heading of its own. */
static bool is_side_by_side(struct slice name)
{
	size_t tab = slice_find(name, '\t');
	struct slice right = slice_trim(slice_from(name, tab));

	return slice_starts(right, SLICE("Keyspace")) || slice_starts(right, SLICE("Table")) ||
	       slice_starts(right, SLICE("Column Family"));
}

static bool refuse_name(struct reader *r, unsigned line, const char *what, struct slice name)
{
	if (is_side_by_side(name))
		return complain(r, line, "two outputs side by side cannot be read:", name);
	return complain(r, line, what, name);
}

/* Without any heading of a keyspace the evidence may tell whose table it is. */
static void set_name(struct reader *r, struct slice name, bool is_index)
{
	size_t dot = slice_find(name, '.');

	r->table_keyspace = r->keyspace;
	r->table = name;
	if (r->keyspace.n)
		return;
	if (dot < name.n && !(is_index && dot == slice_rfind(name, '.'))) {
		r->table_keyspace = (struct slice){ name.p, dot };	/* printed with -s */
		r->table = slice_from(name, dot + 1);
	} else if (!r->headed && !r->rules) {
		r->table_keyspace = slice_of(r->ev->keyspace);
		if (r->nameless && r->ev->table)
			r->table = slice_of(r->ev->table);
	}
}

static void start_table(struct reader *r, struct slice name, bool is_index, unsigned line,
			bool whole)
{
	end_table(r);
	r->skipping = !whole || r->no_keyspace || !stats_is_name(name);
	if (r->skipping) {
		if (whole && !r->no_keyspace)
			refuse_name(r, line, "this is no name of a table:", name);
		return;
	}
	r->nameless = slice_eq(name, no_name);
	set_name(r, is_index ? stats_index_name(name) : name, is_index);
	r->in_table = true;
	r->in_keyspace = false;
	r->indent = (struct slice){ NULL, 0 };
	r->seen = r->flags = 0;
	r->stats = (struct table_stats){ .is_index = is_index, .line = line };
}

static void read_value(struct reader *r, const struct label *l, struct slice value, unsigned line)
{
	unsigned bit = 1u << (l - labels);

	if (r->seen & bit)
		return;		/* no block has a label twice: this is somebody's text */
	r->seen |= bit;
	r->flags |= l->flags;
	if (!stats_read(value, l->type, l->offset, &r->stats))
		complain(r, line, stats_not_certain, value);
}

/* Where the labels with that first byte begin. Most lines of an output have none. */
static const struct label *first_label(char c)
{
	switch (c) {
	case 'A':
		return labels;
	case 'C':
		return labels + 1;
	case 'D':
		return labels + 5;
	case 'M':
		return labels + 6;
	case 'N':
		return labels + 7;
	case 'S':
		return labels + 10;
	default:
		return NULL;
	}
}

/* The label that a line begins with, and the place behind its colon. */
static const struct label *find_label(struct reader *r, struct slice body, size_t *value)
{
	const struct label *l = first_label(body.p[0]);

	for (; l && l < labels + ARRAY_LEN(labels) && l->text[0] == body.p[0]; l++) {
		if (l->n >= body.n || (body.p[l->n] != ':' && body.p[l->n] != ',') ||
		    memcmp(l->text, body.p, l->n) != 0)
			continue;
		*value = l->n + 1;
		if (body.p[l->n] == ':')
			return l;
		if (slice_starts(slice_from(body, l->n), SLICE(", bytes:"))) {
			r->old = true;
			*value = l->n + 8;
			return l;
		}
	}
	return NULL;
}

/* As slice_eq(): indentations are a few bytes long, and this is done for every line. */
static bool same_indent(struct slice a, struct slice b)
{
	size_t i = 0;

	if (a.n != b.n)
		return false;
	while (i < a.n && a.p[i] == b.p[i])
		i++;
	return i == a.n;
}

/* A value's line in a block, or before any heading (a piece of an output). */
static void read_line(struct reader *r, struct slice indent, struct slice body, unsigned line,
		      bool whole)
{
	const struct label *l;
	size_t value = 0;

	if (r->in_table && r->indent.p && !same_indent(indent, r->indent))
		return;
	l = find_label(r, body, &value);
	if (!r->in_table) {
		if (!l || !whole || r->used || r->skipping || r->rules || r->in_keyspace)
			return;
		start_table(r, no_name, false, line, true);
	}
	if (!r->indent.p)
		r->indent = indent;
	if (!l)
		return;
	if (whole)
		read_value(r, l, slice_trim(slice_from(body, value)), line);
	else
		r->flags |= l->flags & TAIL;	/* its number may be longer than what is here */
}

/* "Keyspace: x" and "Keyspace : x". */
static bool read_keyspace(struct reader *r, struct slice body, unsigned line, bool whole)
{
	struct slice name;

	if (slice_starts(body, SLICE("Keyspace: ")))
		name = slice_trim(slice_from(body, 10));
	else if (slice_starts(body, SLICE("Keyspace : ")))
		name = slice_trim(slice_from(body, 11));
	else
		return false;
	end_table(r);
	r->in_keyspace = true;
	r->closed = false;
	r->keyspace = (struct slice){ NULL, 0 };
	r->headed = true;
	r->no_keyspace = r->skipping = !whole || !stats_is_name(name);
	if (!r->no_keyspace)
		r->keyspace = name;
	else if (whole)
		refuse_name(r, line, "this is no name of a keyspace:", name);
	return true;
}

/* "Table: x", "Table (index): x"; up to 1.2 "Column Family: x". */
static bool read_heading(struct reader *r, struct slice body, unsigned line, bool whole)
{
	static const struct {
		const char *text;
		size_t n;
		bool is_index;
	} headings[] = {
		{ "Table: ", 7, false }, { "Table (index): ", 15, true },
		{ "Column Family: ", 15, false }, { "Column Family (index): ", 23, true },
	};

	if (body.p[0] == 'K')
		return read_keyspace(r, body, line, whole);
	for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
		if (body.n < headings[i].n || memcmp(body.p, headings[i].text, headings[i].n) != 0)
			continue;
		start_table(r, slice_trim(slice_from(body, headings[i].n)), headings[i].is_index,
			    line, whole);
		return true;
	}
	return false;
}

/* A line of dashes, wherever it begins: a whole text may be indented. */
static bool is_rule(struct slice body)
{
	if (body.p[0] != '-' || !slice_starts(body, SLICE("--------")))
		return false;
	body = slice_trim(body);
	for (size_t i = 8; i < body.n; i++)
		if (body.p[i] != '-')
			return false;
	return true;
}

static size_t indent_length(struct slice line)
{
	size_t i = 0;

	while (i < line.n && (line.p[i] == '\t' || line.p[i] == ' '))
		i++;
	return i;
}

static void take_line(struct reader *r, struct slice line, unsigned number, bool whole)
{
	size_t n = indent_length(line);
	struct slice indent = { line.p, n }, body = slice_from(line, n);

	if (!body.n) {
		end_table(r);
		return;
	}
	/* deeper than the values of this block: text of a table inside it */
	if (r->in_table && r->indent.p && n > r->indent.n && !r->nameless)
		return;
	if (is_rule(body)) {
		end_table(r);
		r->rules = r->closed = true;
		r->in_keyspace = r->no_keyspace = false;
		r->keyspace = (struct slice){ NULL, 0 };
		return;
	}
	if ((body.p[0] == 'K' || body.p[0] == 'T' || slice_starts(body, SLICE("Col"))) &&
	    read_heading(r, body, number, whole))
		return;
	read_line(r, indent, body, number, whole);
}

/* True when the last block or keyspace is not all there; `whole`: the last line has its end. */
static bool is_cut(const struct reader *r, bool whole)
{
	if (r->in_table && !(r->flags & SIZES))
		return true;
	if (!whole && r->old && (r->flags & TAIL))
		return false;	/* a copy that lost only the blank end of its selection */
	if (r->rules && !r->closed && r->keyspace.n)
		return true;	/* its closing rule is missing */
	return !whole && r->in_table;
}

bool parse_tablestats(struct arena *a, const struct evidence *ev, struct node *into,
		      struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .ev = ev, .source = source, .err = err };
	struct lines it = lines_of(ev->out);
	struct slice line;
	bool cut;

	stats_set_open(&r.set, a, into);
	it.terminated = true;
	while (lines_next(&it, &line))
		take_line(&r, line, it.number, it.terminated);
	cut = is_cut(&r, it.terminated);
	end_table(&r);
	if (cut && !complaint_find(a, ev->out, source, err))
		err_set(a, err, ERR_FORMAT, source, it.number, "the text ends inside %s",
			r.table.n ? "a table" : "a keyspace");
	if (!r.used)
		return complaint_report(a, ev->out, source, "table statistics", err);
	return true;
}
