/*
 * nodetool tablehistograms: Cassandra 2.1 to 6.0 and ScyllaDB, one table or many.
 *
 * Columns are found by the words of the heading: 4.0 moved the one of SSTables behind the
 * latencies. Sizes and cells are the fourth and fifth number in every release; where the heading is
 * missing only they are taken. A row has all of its numbers or none. The last block of a table
 * counts (4.0 and 4.1 print all tables many times).
 *
 * The form of 1.x and 2.0, counts by offset, is refused.
 *
 * Source: nodetool's TableHistograms (3.0 to 6.0), scylla-nodetool.cc.
 */
#include "base/num.h"
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/figure.h"
#include "parse/name_index.h"
#include "parse/nodetool.h"
#include "parse/parse.h"

enum { NUMBERS = 5, SIZE_AT = 3, CELLS_AT = 4 };

/* From here on a number is the server's "above the last bucket": it prints Long.MAX_VALUE. */
static const double overflow_from = 9.2e18;

static const char *const rank_names[RANKS] = {
	[RANK_P50] = "50%", [RANK_P75] = "75%", [RANK_P95] = "95%", [RANK_P98] = "98%",
	[RANK_P99] = "99%", [RANK_MIN] = "Min", [RANK_MAX] = "Max",
};

struct reader {
	struct arena *a;
	const struct evidence *ev;
	const char *source;
	struct err *err;
	struct node *node;
	struct name_index index;	/* tables already in node->histograms */
	bool used;
	bool notice;			/* it said that the next table has no SSTables */

	bool in_block, has_heading;
	struct slice keyspace, table;
	size_t sstables_at;		/* number of the column; NUMBERS = not known */
	unsigned seen, empty;		/* bits by rank: whole rows; those with NaN for sizes */
	struct table_histograms block;
};

static bool complain(struct reader *r, unsigned line, const char *what, struct slice value)
{
	return err_set(r->a, r->err, ERR_FORMAT, r->source, line, "%s '%s'", what,
		       complaint_tidy(r->a, value));
}

/* ---- blocks ---- */

static struct table_histograms *entry_of(struct reader *r)
{
	struct name_entry *e = name_index_get(r->a, &r->index, r->keyspace, r->table);

	if (e->value == NAME_NEW) {
		e->value = r->node->histograms.n;
		*(struct table_histograms **)vec_add(r->a, &r->node->histograms) =
			arena_alloc(r->a, sizeof(r->block));
	}
	r->block.keyspace = *e->keyspace ? e->keyspace : NULL;
	r->block.name = e->name;
	return r->node->histograms.v[e->value];
}

static void end_block(struct reader *r)
{
	const unsigned all = (1u << RANKS) - 1;
	struct table_histograms *to;

	if (!r->in_block)
		return;
	r->in_block = false;
	r->used = true;
	if (r->empty == all)
		r->block.no_sstables = true;	/* 3.x says so on standard error only */
	to = entry_of(r);
	if (r->seen != all)
		err_set(r->a, r->err, ERR_FORMAT, r->source, r->block.line,
			"not all rows of the histograms of '%s' are there", r->block.name);
	*to = r->block;
}

static void start_block(struct reader *r, struct slice keyspace, struct slice table, unsigned line)
{
	end_block(r);
	r->in_block = true;
	r->has_heading = false;
	r->keyspace = keyspace;
	r->table = table;
	r->sstables_at = NUMBERS;
	r->seen = r->empty = 0;
	r->block = (struct table_histograms){ .no_sstables = r->notice, .line = line };
	r->notice = false;
}

/* A block whose title is not in the text: the evidence may tell whose it is. */
static void start_nameless(struct reader *r, unsigned line)
{
	const char *table = r->ev->table ? r->ev->table : "-";

	start_block(r, slice_of(r->ev->keyspace), slice_of(table), line);
}

/* "metrics/readings histograms" */
static bool read_title(struct reader *r, struct slice body, unsigned line)
{
	static const struct slice end = { " histograms", 11 };
	struct slice keyspace, table;
	size_t slash;

	if (!slice_ends(body, end))
		return false;
	body = slice_trim((struct slice){ body.p, body.n - end.n });
	slash = slice_find(body, '/');
	keyspace = (struct slice){ body.p, slash };
	table = slice_from(body, slash + 1);
	if (!keyspace.n || !table.n || slice_find(body, ' ') < body.n || !nodetool_is_plain(body))
		return false;
	start_block(r, keyspace, table, line);
	return true;
}

/* Where `name` stands in the heading; its length when it does not. */
static size_t place_of(struct slice heading, const char *name)
{
	struct slice word = slice_of(name);

	for (size_t i = 0; i + word.n <= heading.n; i++)
		if (memcmp(heading.p + i, word.p, word.n) == 0)
			return i;
	return heading.n;
}

/* "Percentile  SSTables     Write Latency …": the order of the first three columns. */
static bool read_heading(struct reader *r, struct slice body, unsigned line)
{
	size_t sstables, write, read;

	if (!slice_starts(body, SLICE("Percentile")))
		return false;
	if (!r->in_block || r->has_heading || r->seen)
		start_nameless(r, line);
	r->has_heading = true;
	sstables = place_of(body, "SSTables");
	write = place_of(body, "Write Latency");
	read = place_of(body, "Read Latency");
	if (sstables == body.n || write == body.n || read == body.n ||
	    place_of(body, "Cell Count") == body.n)
		complain(r, line, "this heading has not all columns of the histograms:", body);
	else
		r->sstables_at = (size_t)(write < sstables) + (size_t)(read < sstables);
	return true;
}

/* ---- rows ---- */

static bool equals_ignoring_case(struct slice s, const char *name)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] | 0x20) != (name[i] | 0x20) || !name[i])
			return false;
	return name[s.n] == '\0';
}

/* "50%", "50.0%", "Min": RANKS when the word is none of them. */
static enum histogram_rank rank_of(struct slice word)
{
	struct opt_f64 percent;
	int64_t wanted;

	if (!word.n || word.n > 8)
		return RANKS;
	for (enum histogram_rank i = RANK_P50; i < RANKS; i++)
		if (word.n == 3 && memcmp(word.p, rank_names[i], 3) == 0)
			return i;
	if (word.p[word.n - 1] != '%')
		return equals_ignoring_case(word, "min") ? RANK_MIN
		       : equals_ignoring_case(word, "max") ? RANK_MAX : RANKS;
	if (!figure_percent(word, &percent) || !percent.known)
		return RANKS;
	for (enum histogram_rank i = RANK_P50; i <= RANK_P99; i++)
		if (num_parse_i64((struct slice){ rank_names[i], 2 }, &wanted) &&
		    percent.v == (double)wanted)
			return i;
	return RANKS;
}

/* One number of sizes or cells. */
static bool read_bucket(struct slice word, struct opt_i64 *out, bool *overflow)
{
	double v;

	if (!figure_whole(word, out)) {
		*overflow = num_parse_f64(word, &v) && v >= overflow_from;
		return *overflow;
	}
	*overflow = out->known && (double)out->v >= overflow_from;
	if (*overflow)
		*out = (struct opt_i64){ 0 };
	return true;
}

/* Latencies are not used; but what stands there must look like one. */
static bool is_latency(struct slice word)
{
	char first = word.p[0];

	return (first >= '0' && first <= '9') || first == '-' || first == 'N' || first == 'n';
}

static bool read_numbers(const struct reader *r, const struct slice *words, size_t n,
			 struct histogram_row *row)
{
	for (size_t i = 0; i < SIZE_AT; i++)
		if (i == r->sstables_at ? !figure_float(words[i], &row->sstables)
					: !is_latency(words[i]))
			return false;
	if (!read_bucket(words[SIZE_AT], &row->size_bytes, &row->size_overflow))
		return false;
	return n <= CELLS_AT || read_bucket(words[CELLS_AT], &row->cells, &row->cells_overflow);
}

static size_t split_row(struct slice rest, struct slice *words)
{
	struct slice word;
	size_t n = 0;

	while (slice_word(&rest, &word)) {
		if (n <= NUMBERS)
			words[n] = word;
		n++;
	}
	return n;
}

/*
 * Words of a row: its rank and the numbers. A row without all of them is not known; of one that the
 * text ends in, the last number is not.
 */
static void read_row(struct reader *r, enum histogram_rank rank, struct slice body, unsigned line,
		     bool whole)
{
	struct histogram_row row = { 0 };
	struct slice words[NUMBERS + 1];
	size_t n = split_row(body, words) - 1;

	if (!r->in_block && n != NUMBERS)
		return;		/* a line of something else */
	if (!r->in_block || (r->seen & 1u << rank))
		start_nameless(r, line);
	if (!whole) {
		if (n == NUMBERS && read_numbers(r, words + 1, n - 1, &row))
			r->block.rows[rank] = row;
		err_set(r->a, r->err, ERR_FORMAT, r->source, line, "the text ends inside a row");
		return;
	}
	if (n != NUMBERS) {
		complain(r, line, n < NUMBERS ? "this row is cut:" : "this row has too many "
								     "numbers:",
			 body);
		return;
	}
	if (!read_numbers(r, words + 1, n, &row)) {
		complain(r, line, "this row has something that is no number:", body);
		return;
	}
	r->block.rows[rank] = row;
	r->seen |= 1u << rank;
	if (!row.size_bytes.known && !row.size_overflow && !row.cells.known && !row.cells_overflow)
		r->empty |= 1u << rank;
}

/* ---- lines ---- */

/* 1.x and 2.0: "Offset  SSTables  Write Latency …", or one list of counts for each column. */
static bool is_old_form(struct slice body)
{
	switch (body.p[0]) {
	case 'O':
		return slice_starts(body, SLICE("Offset")) &&
		       place_of(body, "SSTables") < body.n && place_of(body, "Latency") < body.n;
	case 'S':
		return slice_starts(body, SLICE("SSTables per Read"));
	case 'P':
		return slice_starts(body, SLICE("Partition Size (bytes)"));
	case 'R':
		return slice_starts(body, SLICE("Row Size (bytes)"));
	default:
		return false;
	}
}

static void take_line(struct reader *r, struct slice line, unsigned number, bool whole)
{
	struct slice body = slice_trim(line), rest = body, word;
	enum histogram_rank rank;

	if (slice_starts(body, SLICE("No SSTables exist"))) {
		end_block(r);
		r->notice = true;
		return;
	}
	if (read_title(r, body, number) || !slice_word(&rest, &word))
		return;
	if (is_old_form(body)) {
		r->in_block = false;
		err_set(r->a, r->err, ERR_FORMAT, r->source, number,
			"histograms as counts by offset, as 1.x and 2.0 print them, are not read");
		return;
	}
	rank = rank_of(word);
	if (rank != RANKS)
		read_row(r, rank, body, number, whole);
	else if (whole)
		read_heading(r, body, number);
}

static void index_known(struct reader *r)
{
	for (size_t i = 0; i < r->node->histograms.n; i++) {
		const struct table_histograms *h = r->node->histograms.v[i];
		struct slice keyspace = slice_of(h->keyspace), name = slice_of(h->name);

		name_index_get(r->a, &r->index, keyspace, name)->value = i;
	}
}

bool parse_tablehistograms(struct arena *a, const struct evidence *ev, struct node *into,
			   struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .ev = ev, .source = source, .err = err, .node = into };
	struct lines it = lines_of(ev->out);
	struct slice line;

	index_known(&r);
	while (lines_next(&it, &line))
		take_line(&r, line, it.number, it.terminated);
	end_block(&r);
	if (r.used)
		return true;
	return complaint_report(a, ev->out, source, "histograms of a table", err);
}
