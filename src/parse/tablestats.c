/*
 * nodetool tablestats as text: Cassandra 2.0 to 5.x and ScyllaDB, with or without indentation.
 *
 * A table's block begins with its "Table: " line and ends with an empty line, a rule of dashes or
 * the next heading. Its values are the lines indented like its first one: deeper lines (the tables
 * of top partitions, whose keys are free text) are none. Labels that are not used are passed over.
 *
 * Source: nodetool's TableStats (3.0), TableStatsPrinter (3.11 to 5.0), scylla-nodetool.cc.
 */
#include <stddef.h>

#include "base/num.h"
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/name_index.h"
#include "parse/parse.h"

enum value_type { COUNT, BYTES, FLOAT, WINDOW };

enum label_flag {
	SIZES = 1,	/* with it the block has what is needed of it */
	TAIL = 2,	/* printed at the end of a block of 2.0 */
};

struct label {
	const char *text;
	size_t n;
	enum value_type type;
	size_t offset;		/* in struct table_stats */
	unsigned flags;
};

#define LABEL(text, type, field, flags)                                                            \
	{ text, sizeof(text) - 1, type, offsetof(struct table_stats, field), flags }

/* Sorted by the first byte, which picks what a line is compared with. */
static const struct label labels[] = {
	LABEL("Average tombstones per slice (last five minutes)", FLOAT, tombstones_average, TAIL),
	LABEL("Compacted partition maximum bytes", BYTES, partition_max_bytes, SIZES),
	LABEL("Compacted partition mean bytes", BYTES, partition_mean_bytes, 0),
	LABEL("Droppable tombstone ratio", FLOAT, droppable_ratio, 0),
	LABEL("Maximum tombstones per slice (last five minutes)", FLOAT, tombstones_max, 0),
	LABEL("Number of keys (estimate)", COUNT, partitions, 0),	/* 3.0, 3.11.0 */
	LABEL("Number of partitions (estimate)", COUNT, partitions, 0),
	LABEL("SSTable Compression Ratio", FLOAT, compression_ratio, 0),
	LABEL("SSTable count", COUNT, sstable_count, 0),
	LABEL("SSTables Time Window", WINDOW, window_s, 0),
	LABEL("Space used (live)", BYTES, bytes_live, 0),
	LABEL("Space used (total)", BYTES, bytes_total, 0),
	LABEL("Space used by snapshots (total)", BYTES, bytes_snapshots, 0),
};

static const char not_plain[] =
	"not a plain number (was it printed with -H, or in another locale?):";

/* A block whose heading is not in the text: values without the name of their table. */
static const struct slice no_name = { "-", 1 };

struct reader {
	struct arena *a;
	const char *source;
	struct err *err;
	struct node *node;
	struct name_index index;	/* tables already in node->table_stats */

	struct slice keyspace;		/* empty = none yet */
	bool in_keyspace;		/* after its heading, before its first table */
	bool no_keyspace;		/* its name could not be read: nor can its tables */
	bool rules, closed;		/* rules of dashes are used; one closed the last keyspace */
	bool skipping;			/* in lines that are no values: up to the next heading */
	bool used;			/* a block was taken over */
	bool old;			/* labels as 2.0 has them */

	bool in_table;
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
	struct name_entry *e;

	if (!r->in_table)
		return;
	r->in_table = false;
	r->used = true;
	e = name_index_get(r->a, &r->index, r->table_keyspace, r->table);
	if (e->value == NAME_NEW) {
		e->value = r->node->table_stats.n;
		*(struct table_stats **)vec_add(r->a, &r->node->table_stats) =
			arena_alloc(r->a, sizeof(r->stats));
	}
	r->stats.keyspace = *e->keyspace ? e->keyspace : NULL;
	r->stats.name = e->name;
	*r->node->table_stats.v[e->value] = r->stats;
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

static bool is_name(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_name_byte(s.p[i]))
			return false;
	return s.n > 0 && s.p[0] != '.' && s.p[s.n - 1] != '.';
}

static void start_table(struct reader *r, struct slice name, bool is_index, unsigned line,
			bool whole)
{
	size_t dot = slice_find(name, '.');

	end_table(r);
	r->skipping = !whole || r->no_keyspace || !is_name(name);
	if (r->skipping) {
		if (whole && !r->no_keyspace)
			complain(r, line, "this is no name of a table:", name);
		return;
	}
	/* 3.11.0 to 3.11.4 print an index's name twice */
	if (is_index && name.n % 2 == 0 && memcmp(name.p, name.p + name.n / 2, name.n / 2) == 0)
		name.n /= 2;
	r->table_keyspace = r->keyspace;
	r->table = name;
	if (!r->keyspace.n && dot < name.n && !(is_index && dot == slice_rfind(name, '.'))) {
		r->table_keyspace = (struct slice){ name.p, dot };	/* printed with -s */
		r->table = slice_from(name, dot + 1);
	}
	r->in_table = true;
	r->in_keyspace = false;
	r->indent = (struct slice){ NULL, 0 };
	r->seen = r->flags = 0;
	r->stats = (struct table_stats){ .is_index = is_index, .line = line };
}

/* "1 DAYS, max duration: …": only options that are set are printed, null stands for the default. */
static bool read_window(struct slice value, struct opt_i64 *out)
{
	struct slice rest = value, size, unit;
	int64_t n = 1, seconds;

	if (!slice_word(&rest, &size) || !slice_word(&rest, &unit) || !slice_ends(unit, SLICE(",")))
		return false;
	unit.n--;
	if (slice_eq(unit, SLICE("DAYS")) || slice_eq(unit, SLICE("null")))
		seconds = 86400;
	else if (slice_eq(unit, SLICE("HOURS")))
		seconds = 3600;
	else if (slice_eq(unit, SLICE("MINUTES")))
		seconds = 60;
	else
		return false;
	if (!slice_eq(size, SLICE("null")) && (!num_parse_i64(size, &n) || n < 1 || n > INT32_MAX))
		return false;
	*out = some_i64(n * seconds);
	return true;
}

/* -1 stands for "none"; NaN is no number of reads. Both are unknown and no error. */
static bool read_float(struct slice value, struct opt_f64 *out)
{
	double v;

	if (slice_eq(value, SLICE("NaN")) || slice_eq(value, SLICE("NAN")) ||
	    slice_eq(value, SLICE("nan")))
		return true;
	if (!num_parse_f64(value, &v) || (v < 0 && v != -1))
		return false;
	if (v >= 0)
		*out = some_f64(v);
	return true;
}

static bool read_whole(struct slice value, struct opt_i64 *out)
{
	struct opt_f64 f = { 0 };
	int64_t v;

	if (!num_parse_i64(value, &v)) {
		/* 1.2E7: exact as long as it is whole and a double can hold it */
		if (!read_float(value, &f))
			return false;
		if (!f.known)
			return true;
		if (f.v > 9e15 || (double)(int64_t)f.v != f.v)
			return false;
		v = (int64_t)f.v;
	}
	if (v < -1)
		return false;
	if (v >= 0)
		*out = some_i64(v);
	return true;
}

static void read_value(struct reader *r, const struct label *l, struct slice value, unsigned line)
{
	unsigned bit = 1u << (l - labels);
	char *field = (char *)&r->stats + l->offset;
	bool good;

	if (r->seen & bit)
		return;		/* no block has a label twice: this is somebody's text */
	r->seen |= bit;
	r->flags |= l->flags;
	if (l->type == FLOAT)
		good = read_float(value, (struct opt_f64 *)(void *)field);
	else if (l->type == WINDOW)
		good = read_window(value, (struct opt_i64 *)(void *)field);
	else
		good = read_whole(value, (struct opt_i64 *)(void *)field);
	if (!good)
		complain(r, line, not_plain, value);
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
		return labels + 3;
	case 'M':
		return labels + 4;
	case 'N':
		return labels + 5;
	case 'S':
		return labels + 7;
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
	r->no_keyspace = r->skipping = !whole || !is_name(name);
	if (!r->no_keyspace)
		r->keyspace = name;
	else if (whole)
		complain(r, line, "this is no name of a keyspace:", name);
	return true;
}

static bool read_heading(struct reader *r, struct slice body, unsigned line, bool whole)
{
	if (body.p[0] == 'K')
		return read_keyspace(r, body, line, whole);
	if (slice_starts(body, SLICE("Table: "))) {
		start_table(r, slice_trim(slice_from(body, 7)), false, line, whole);
		return true;
	}
	if (slice_starts(body, SLICE("Table (index): "))) {
		start_table(r, slice_trim(slice_from(body, 15)), true, line, whole);
		return true;
	}
	return false;
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
	if (slice_starts(body, SLICE("--------")) && n == 0) {
		end_table(r);
		r->rules = r->closed = true;
		r->in_keyspace = r->no_keyspace = false;
		r->keyspace = (struct slice){ NULL, 0 };
		return;
	}
	/* deeper than the values of this block: text of a table inside it */
	if (r->in_table && r->indent.p && n > r->indent.n && !slice_eq(r->table, no_name))
		return;
	if ((body.p[0] == 'K' || body.p[0] == 'T') && read_heading(r, body, number, whole))
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

static void index_known(struct reader *r)
{
	for (size_t i = 0; i < r->node->table_stats.n; i++) {
		const struct table_stats *t = r->node->table_stats.v[i];
		struct slice keyspace = slice_of(t->keyspace), name = slice_of(t->name);

		name_index_get(r->a, &r->index, keyspace, name)->value = i;
	}
}

bool parse_tablestats(struct arena *a, const struct evidence *ev, struct node *into,
		      struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .source = source, .err = err, .node = into };
	struct lines it = lines_of(ev->out);
	struct slice line;
	bool cut;

	index_known(&r);
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
