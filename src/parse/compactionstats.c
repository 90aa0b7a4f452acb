/*
 * nodetool compactionstats: the lines of 1.2 to 4.1 and ScyllaDB, the padded table of 5.0 and
 * later, also with -H and -V. Of several outputs in one text the last one counts.
 *
 * 3.11 to 4.1:		pending tasks: 3	5.0:	pending tasks      3
 *			- metrics.readings: 2		metrics            readings   2
 *			- metrics.latest: 1		metrics            latest     1
 *							compactions completed  1870
 * then, when something runs, the rows of compaction_rows.c and a last line with the time left.
 * Numbers are kept as printed, also those that cannot be true.
 *
 * Source: nodetool's CompactionStats (3.0 to 6.0), NodeCmd (2.x), scylla-nodetool.cc.
 */
#include "parse/compaction_rows.h"
#include "parse/complaint.h"
#include "parse/figure.h"
#include "parse/nodetool.h"
#include "parse/parse.h"

struct reader {
	struct arena *a;
	const char *source;
	struct err *err;
	struct compaction_stats *stats;	/* of this output; NULL = none began yet */
	struct compaction_header header;
	bool table_form;		/* the table of 5.0 */
	bool in_tables;			/* ... after its total, before its other lines */
	bool form_whole;		/* ... its last line was there */
	bool in_rows, rows_open;	/* after the heading; no line with the time left yet */
	unsigned rows_line;		/* of the heading; 0 = none yet */
	int64_t sum;			/* of the tables' pending tasks */
};

static bool complain(struct reader *r, unsigned line, const char *what, struct slice value)
{
	return err_set(r->a, r->err, ERR_FORMAT, r->source, line, "%s '%s'", what,
		       complaint_tidy(r->a, slice_trim(value)));
}

/* ---- one output ---- */

/* What shows that lines are missing: an output always has all of it. */
static void end_output(struct reader *r, unsigned line)
{
	const struct compaction_stats *s = r->stats;

	if (!s)
		return;
	if (!s->pending.known)
		err_set(r->a, r->err, ERR_FORMAT, r->source, r->rows_line ? r->rows_line : line,
			"the number of pending tasks is missing");
	else if (s->tables.n && r->sum != s->pending.v)
		err_set(r->a, r->err, ERR_FORMAT, r->source, line,
			"%lld pending tasks, but %lld in the list of tables: lines are missing",
			(long long)s->pending.v, (long long)r->sum);
	if ((r->table_form && !r->form_whole) || r->rows_open)
		err_set(r->a, r->err, ERR_FORMAT, r->source, line, "the text ends inside the "
								   "output");
}

static void start_output(struct reader *r, unsigned line)
{
	end_output(r, line);
	*r = (struct reader){ .a = r->a, .source = r->source, .err = r->err };
	r->stats = arena_alloc(r->a, sizeof(*r->stats));
}

/* ---- pending tasks ---- */

/* A number at the end of a text that was cut may be longer, unless padding follows. */
static bool read_pending(struct reader *r, struct slice value, unsigned line, bool whole)
{
	struct slice rest = value, word;
	struct opt_i64 n;

	if (!slice_word(&rest, &word) || (!whole && !rest.n))
		return err_set(r->a, r->err, ERR_FORMAT, r->source, line,
			       "the text ends inside the number of pending tasks");
	if (slice_trim(rest).n || !figure_whole(word, &n) || !n.known)
		return complain(r, line, "this is no number of pending tasks:", value);
	r->stats->pending = n;
	return true;
}

/* "pending tasks: 3", also behind the prefix of a log line. */
static bool read_total(struct reader *r, struct slice line, unsigned number, bool whole)
{
	static const struct slice label = { "pending tasks:", 14 };

	for (size_t i = slice_find(line, 'p'); i + label.n <= line.n;
	     i += 1 + slice_find(slice_from(line, i + 1), 'p')) {
		if ((i && line.p[i - 1] != ' ' && line.p[i - 1] != '\t') ||
		    memcmp(line.p + i, label.p, label.n) != 0)
			continue;
		start_output(r, number);
		(void)read_pending(r, slice_from(line, i + label.n), number, whole);
		return true;
	}
	return false;
}

static void add_table(struct reader *r, struct slice keyspace, struct slice table, int64_t n)
{
	struct pending_tasks *p = vec_add(r->a, &r->stats->tables);

	p->keyspace = arena_copy(r->a, keyspace);
	p->table = arena_copy(r->a, table);
	p->n = n;
	r->sum = add_saturated(r->sum, n);
}

/* "- metrics.readings: 2" */
static void read_table_line(struct reader *r, struct slice line, unsigned number, bool whole)
{
	struct slice body = slice_trim(line), name, value;
	size_t colon = slice_rfind(body, ':'), dot;
	struct opt_i64 n;

	if (!r->stats || !slice_starts(body, SLICE("- ")) || colon == body.n)
		return;
	name = slice_trim((struct slice){ body.p + 2, colon - 2 });
	value = slice_trim(slice_from(body, colon + 1));
	dot = slice_find(name, '.');
	if (!whole)
		return;		/* what is missing shows in the sum */
	if (dot == 0 || dot + 1 >= name.n || !nodetool_is_plain(name) || !figure_whole(value, &n) ||
	    !n.known)
		complain(r, number, "this is no number of a table's pending tasks:", body);
	else
		add_table(r, (struct slice){ name.p, dot }, slice_from(name, dot + 1), n.v);
}

/* ---- the table of 5.0 ---- */

/* "metrics    readings    2": only between the total and "compactions completed". */
static void read_table_row(struct reader *r, struct slice line, unsigned number, bool whole)
{
	struct slice rest = line, keyspace, table, value;
	struct opt_i64 n;

	if (!slice_word(&rest, &keyspace) || !slice_word(&rest, &table) ||
	    !slice_word(&rest, &value) || (!whole && !rest.n) || slice_trim(rest).n ||
	    !nodetool_is_plain(keyspace) || !nodetool_is_plain(table) || !figure_whole(value, &n) ||
	    !n.known) {
		if (whole && slice_trim(line).n)
			complain(r, number, "this is no number of a table's pending tasks:", line);
		return;
	}
	add_table(r, keyspace, table, n.v);
}

/* Labels have single blanks; names of keyspaces are padded to more than a label is long. */
static bool starts_with_label(struct slice body)
{
	static const char *const labels[] = {
		"compactions completed ", "data compacted ", "compressed data compacted ",
		"compactions aborted ", "compactions reduced ", "sstables dropped from compaction ",
		"15 minute rate ", "mean rate ", "compaction throughput ",
		"current compaction throughput ",
	};

	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		if (slice_starts(body, slice_of(labels[i])))
			return true;
	return false;
}

static bool begin_form(struct reader *r, struct slice body, unsigned number, bool whole)
{
	if (slice_starts(body, SLICE("concurrent compactors "))) {
		start_output(r, number);
		r->table_form = true;
		return true;
	}
	if (!slice_starts(body, SLICE("pending tasks ")))
		return false;
	if (!r->table_form || r->stats->pending.known || r->rows_line)
		start_output(r, number);
	r->table_form = true;
	r->in_tables = read_pending(r, slice_from(body, 14), number, whole);
	return true;
}

static bool read_form(struct reader *r, struct slice body, unsigned number, bool whole)
{
	if (!r->table_form)
		return false;
	if (starts_with_label(body)) {
		r->in_tables = false;
		r->form_whole = r->form_whole || slice_starts(body, SLICE("compaction "
									  "throughput "));
		return true;
	}
	if (!r->in_tables)
		return false;
	read_table_row(r, body, number, whole);
	return true;
}

/* ---- running tasks ---- */

static bool is_time_left(struct slice body)
{
	return slice_starts(body, SLICE("Active compaction remaining time")) ||
	       slice_starts(body, SLICE("active compaction remaining time"));
}

static void read_row(struct reader *r, struct slice line, unsigned number, bool whole)
{
	struct compaction_task t = { 0 };

	if (!slice_trim(line).n || !whole)
		return;
	if (compaction_row_read(r->a, &r->header, line, &t))
		*vec_add(r->a, &r->stats->tasks) = t;
	else
		complain(r, number, "this row of a running task is cut or cannot be read:", line);
}

static bool read_heading(struct reader *r, struct slice line, unsigned number)
{
	struct compaction_header found;

	if (!compaction_header_read(line, &found))
		return false;
	if (!r->stats || r->rows_line)
		start_output(r, number);
	r->header = found;
	r->in_rows = r->rows_open = true;
	r->in_tables = false;
	r->rows_line = number;
	return true;
}

/* Without the blanks in front; those behind tell that a number is whole. */
static struct slice without_indent(struct slice line)
{
	while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
		line = slice_from(line, 1);
	return line;
}

static void take_line(struct reader *r, struct slice line, unsigned number, bool whole)
{
	struct slice body = without_indent(line);

	if (is_time_left(body)) {
		r->in_rows = r->rows_open = false;
		return;
	}
	if (read_total(r, line, number, whole) || begin_form(r, body, number, whole) ||
	    (whole && read_heading(r, line, number)))
		return;
	if (r->in_rows)
		read_row(r, line, number, whole);
	else if (!read_form(r, body, number, whole))
		read_table_line(r, line, number, whole);
}

bool parse_compactionstats(struct arena *a, const struct evidence *ev, struct node *into,
			   struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .source = source, .err = err };
	struct lines it = lines_of(ev->out);
	struct slice line;

	while (lines_next(&it, &line))
		take_line(&r, line, it.number, it.terminated);
	if (!r.stats)
		return complaint_report(a, ev->out, source, "compaction statistics", err);
	if (!r.stats->pending.known && !r.stats->tasks.n) {
		end_output(&r, it.number);
		return false;
	}
	end_output(&r, it.number);
	into->compactions = r.stats;
	return true;
}
