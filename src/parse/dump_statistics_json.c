/*
 * "scylla sstable dump-statistics": one JSON object with all SSTables of a call, or several such
 * objects one after the other.
 *
 * The text is walked over rather than parsed into a tree: integers keep all their digits,
 * clustering bounds may be raw bytes (releases before 6.2), and a thousand SSTables are tens of
 * megabytes. An SSTable is used only when its whole object is there. Raw bytes can hold quotes:
 * what they fake then comes twice, and a value that comes twice in two versions is not believed.
 *
 * Sources: ScyllaDB tools/scylla-sstable.cc, sstables/types.hh (5.0 to 2026.1), Cassandra
 * EstimatedHistogram's serializer.
 */
#include <string.h>

#include "base/num.h"
#include "base/slice.h"
#include "model/statistics.h"
#include "parse/complaint.h"
#include "parse/json_walk.h"
#include "parse/metadata_place.h"
#include "parse/metadata_record.h"
#include "parse/parse.h"

enum { BUCKETS_MAX = 1024 };

struct dump {
	struct arena *arena;
	const struct evidence *ev;
	struct node *node;
	struct err *err;
	struct json_walk walk;
	struct metadata_record record;		/* of the SSTable that is being read */
	struct histogram sizes, cells;
	const char *name;			/* of that SSTable, for messages */
	size_t n_seen, n_read;
	size_t counted;				/* bytes of the text whose lines are counted */
	unsigned line;				/* the line there, from 1 */
	const struct sstable_meta *last;	/* to share strings and bounds */
};

static const struct { const char *member; enum metadata_label label; } numbers[] = {
	{ "min_timestamp", LABEL_MIN_TS }, { "max_timestamp", LABEL_MAX_TS },
	{ "min_local_deletion_time", LABEL_MIN_LDT }, { "max_local_deletion_time", LABEL_MAX_LDT },
	{ "min_ttl", LABEL_TTL_MIN }, { "max_ttl", LABEL_TTL_MAX },
	{ "sstable_level", LABEL_LEVEL }, { "repaired_at", LABEL_REPAIRED },
	{ "columns_count", LABEL_COLUMNS }, { "rows_count", LABEL_ROWS },
};

static bool complain(struct dump *d, const struct json_walk *at, const char *why)
{
	unsigned line, column;

	if (!d->err || d->err->kind != ERR_NONE)	/* looking for the place takes time */
		return false;
	json_walk_place(at, &line, &column);
	return err_set(d->arena, d->err, ERR_FORMAT, d->ev->path, line, "column %u%s%s: %s", column,
		       d->name ? ", in " : "", d->name ? d->name : "", why);
}

static void doubt(struct dump *d, const struct json_walk *at, enum metadata_label label,
		  struct slice member, const char *why)
{
	struct metadata_record *rec = &d->record;
	const char *text = arena_printf(d->arena, "'%.*s' %s", (int)member.n, member.p, why);

	rec->doubted |= BIT(label);
	if (!rec->problem)
		rec->problem = text;
	(void)complain(d, at, text);
}

/* ---- values ---- */

static bool is_null(struct json_walk *w)
{
	return json_walk_peek(w) == 'n';
}

static bool read_number(struct dump *d, struct json_walk *w, enum metadata_label label,
			struct slice member)
{
	struct metadata_record *rec = &d->record;
	struct json_walk start = *w;
	struct slice text;
	int64_t v;

	if (is_null(w))
		return json_walk_skip(w);
	if (!json_walk_number(w, &text) || !num_parse_i64(text, &v)) {
		*w = start;
		doubt(d, &start, label, member, "must be a whole number");
		rec->seen |= BIT(label);
		return json_walk_skip(w);
	}
	if ((rec->seen & BIT(label)) && rec->number[label] != v)
		doubt(d, &start, label, member, "comes with two different values");
	rec->number[label] = v;
	rec->seen |= BIT(label);
	return true;
}

static bool read_text(struct dump *d, struct json_walk *w, enum metadata_label label,
		      struct slice member)
{
	struct metadata_record *rec = &d->record;
	struct json_walk start = *w;
	struct slice text;
	bool taken;

	if (is_null(w))
		return json_walk_skip(w);
	taken = label == LABEL_RATIO ? json_walk_number(w, &text) : json_walk_string(w, &text);
	if (!taken) {
		*w = start;
		doubt(d, &start, label, member, "has a value of another kind");
		return json_walk_skip(w);
	}
	if ((rec->seen & BIT(label)) && !slice_eq(rec->text[label], text))
		doubt(d, &start, label, member, "comes with two different values");
	rec->text[label] = text;
	rec->seen |= BIT(label);
	return true;
}

/* ---- histograms ---- */

struct buckets { int64_t offset[BUCKETS_MAX]; uint64_t count[BUCKETS_MAX]; size_t n; };

static bool read_bucket(struct json_walk *w, struct buckets *b)
{
	bool first = true, has_offset = false, has_count = false;
	struct slice key, text;
	int64_t v;

	while (json_walk_member(w, &first, &key)) {
		if (!json_walk_number(w, &text) || !num_parse_i64(text, &v) || v < 0)
			return false;
		if (slice_eq(key, SLICE("offset"))) {
			b->offset[b->n] = v;
			has_offset = true;
		} else if (slice_eq(key, SLICE("value"))) {
			b->count[b->n] = (uint64_t)v;
			has_count = true;
		}
	}
	b->n++;
	return !w->problem && has_offset && has_count;
}

/* Each entry has its own count and the bound of the bucket before it; the first one has its own. */
static bool are_bounds(const struct buckets *b)
{
	if (b->n < 2 || b->offset[0] != b->offset[1])
		return false;
	for (size_t i = 2; i < b->n; i++)
		if (b->offset[i] <= b->offset[i - 1])
			return false;
	return true;
}

static const int64_t *keep_bounds(struct arena *a, const struct buckets *b,
				  const struct histogram *last)
{
	size_t n = b->n - 1;
	int64_t *own;

	if (last && last->n == b->n && !memcmp(last->offset, &b->offset[1], n * sizeof(*own)))
		return last->offset;
	own = arena_array(a, n, sizeof(*own));
	memcpy(own, &b->offset[1], n * sizeof(*own));
	return own;
}

/* One that is not well formed is left out: nothing is made of half of it. */
static bool read_histogram(struct dump *d, struct json_walk *w, const struct histogram *last,
			   struct histogram *out)
{
	struct json_walk start = *w;
	struct buckets b = { .n = 0 };
	bool first = true, fine = true;
	uint64_t *count;

	*out = (struct histogram){ .n = 0 };
	while (fine && json_walk_element(w, &first))
		fine = b.n < BUCKETS_MAX && read_bucket(w, &b);
	if (!fine || w->problem || !are_bounds(&b)) {
		*w = start;
		if (b.n)
			(void)complain(d, &start, "a histogram that is not well formed");
		return json_walk_skip(w);
	}
	count = arena_array(d->arena, b.n, sizeof(*count));
	memcpy(count, b.count, b.n * sizeof(*count));
	*out = (struct histogram){ .n = b.n, .count = count,
				   .offset = keep_bounds(d->arena, &b, last) };
	return true;
}

/* ---- one SSTable ---- */

static bool read_stats(struct dump *d, struct json_walk *w)
{
	const struct sstable_meta *last = d->last;
	bool first = true, fine = true;
	struct slice key;

	while (fine && json_walk_member(w, &first, &key)) {
		size_t i = 0;

		while (i < ARRAY_LEN(numbers) && !slice_eq_str(key, numbers[i].member))
			i++;
		if (i < ARRAY_LEN(numbers))
			fine = read_number(d, w, numbers[i].label, key);
		else if (slice_eq(key, SLICE("compression_ratio")))
			fine = read_text(d, w, LABEL_RATIO, key);
		else if (slice_eq(key, SLICE("originating_host_id")))
			fine = read_text(d, w, LABEL_HOST_ID, key);
		else if (slice_eq(key, SLICE("estimated_partition_size")))
			fine = read_histogram(d, w, last ? &last->partition_sizes : NULL,
					      &d->sizes);
		else if (slice_eq(key, SLICE("estimated_cells_count")))
			fine = read_histogram(d, w, last ? &last->cell_counts : NULL, &d->cells);
		else
			fine = json_walk_skip(w);
	}
	return fine && !w->problem;
}

static bool read_validation(struct dump *d, struct json_walk *w)
{
	bool first = true, fine = true;
	struct slice key;

	while (fine && json_walk_member(w, &first, &key))
		fine = slice_eq(key, SLICE("partitioner"))
		       ? read_text(d, w, LABEL_PARTITIONER, key) : json_walk_skip(w);
	return fine && !w->problem;
}

/* Returns whether there were statistics at all: other dumps have other members. */
static bool read_blocks(struct dump *d, struct json_walk *w)
{
	bool first = true, fine = true, stats = false;
	struct slice key;

	while (fine && json_walk_member(w, &first, &key)) {
		bool object = json_walk_peek(w) == '{';

		if (object && slice_eq(key, SLICE("validation"))) {
			fine = read_validation(d, w);
		} else if (object && slice_eq(key, SLICE("stats"))) {
			fine = read_stats(d, w);
			stats = true;
		} else {
			fine = json_walk_skip(w);
		}
	}
	return stats;
}

static void fill(struct dump *d, struct sstable_meta *m)
{
	int64_t largest;

	metadata_record_fill(d->arena, &d->record, d->last ? d->last->partitioner : NULL, m);
	if (m->state == METADATA_INCONCLUSIVE)
		return;
	if (d->record.problem) {
		m->state = METADATA_PARTIAL;
		m->problem = d->record.problem;
	} else if (m->state == METADATA_PARTIAL) {
		m->problem = metadata_why_partial(m);
	}
	m->partition_sizes = d->sizes;
	m->cell_counts = d->cells;
	largest = d->sizes.n ? histogram_max(&d->sizes) : 0;
	if (largest > 0 && largest < INT64_MAX)
		m->max_partition_bytes = some_i64(largest);
}

/* The line where the walker stands: counted on, as there can be thousands of SSTables. */
static unsigned line_here(struct dump *d)
{
	const char *p = d->walk.text.p + d->counted, *end = d->walk.text.p + d->walk.at;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		d->line++;
		p++;
	}
	d->counted = d->walk.at;
	return d->line;
}

/* The walker stands before its object; false when that is not whole. */
static bool read_sstable(struct dump *d, struct slice key)
{
	struct slice path = slice_of(json_walk_unescape(d->arena, key));
	struct json_walk start, *w = &d->walk;
	struct metadata_place place;
	struct sstable_meta *m;
	bool whole;

	if (!metadata_place_split(path, &place)) {
		(void)complain(d, w, "a member that is no SSTable's name");
		return json_walk_skip(w);
	}
	d->n_seen++;
	if (metadata_place_is_foreign(path))
		return json_walk_skip(w);
	m = arena_alloc(d->arena, sizeof(*m));
	metadata_place_set(d->arena, d->ev, &place, m);
	m->line = line_here(d);
	d->name = m->name;
	d->record = (struct metadata_record){ .name = place.name };
	d->sizes = d->cells = (struct histogram){ .n = 0 };
	json_walk_peek(w);
	start = *w;
	whole = json_walk_skip(w);
	start.text.n = w->at;
	if (!whole) {
		m->problem = "its part of the JSON is cut off or damaged";
	} else if (json_walk_peek(&start) != '{' || !read_blocks(d, &start)) {
		m->problem = "no statistics of it in the JSON";
		(void)complain(d, &start, m->problem);
	} else {
		fill(d, m);
		d->n_read++;
		d->last = m;
	}
	*vec_add(d->arena, &d->node->metas) = m;
	if (whole)	/* else it stays, as the place of the error */
		d->name = NULL;
	return whole;
}

/* ---- the document ---- */

static bool read_sstables(struct dump *d)
{
	bool first = true;
	struct slice key;

	if (json_walk_peek(&d->walk) != '{')
		return json_walk_skip(&d->walk);
	while (json_walk_member(&d->walk, &first, &key))
		if (!read_sstable(d, key))
			return false;
	return !d->walk.problem;
}

static bool read_document(struct dump *d)
{
	bool first = true, fine = true;
	struct sstable_name parts;
	struct slice key;

	while (fine && json_walk_member(&d->walk, &first, &key)) {
		if (slice_eq(key, SLICE("sstables")))
			fine = read_sstables(d);
		else if (parse_sstable_name(parse_file_name(key), &parts))
			fine = read_sstable(d, key);
		else
			fine = json_walk_skip(&d->walk);
	}
	return fine && !d->walk.problem;
}

/* From `at` on, the first line that begins with a brace; log lines may stand before it. */
static bool find_document(struct slice text, size_t *at)
{
	while (*at < text.n) {
		struct slice line = slice_from(text, *at);
		size_t end = slice_find(line, '\n'), blanks = 0;

		while (blanks < end && (line.p[blanks] == ' ' || line.p[blanks] == '\t'))
			blanks++;
		if (blanks < end && line.p[blanks] == '{') {
			*at += blanks;
			return true;
		}
		*at += end + 1;
	}
	return false;
}

bool parse_dump_statistics_json(struct arena *a, const struct evidence *ev, struct node *into,
				struct err *err)
{
	struct dump d = { .arena = a, .ev = ev, .node = into, .err = err, .line = 1 };
	struct slice text = lines_of(ev->out).rest;	/* without a byte-order mark */
	bool any = false;
	size_t at = 0;

	while (find_document(text, &at)) {
		d.walk = (struct json_walk){ .text = text, .at = at };
		any = true;
		if (!read_document(&d)) {
			(void)complain(&d, &d.walk, arena_printf(a, "this is no whole JSON: %s",
								 d.walk.problem));
			break;
		}
		at = d.walk.at;
		while (at < text.n && text.p[at] != '\n')
			at++;
	}
	if (!any)
		return complaint_report(a, ev->out, ev->path, "statistics of SSTables in "
							      "JSON", err);
	if (d.n_read && !into->product)
		into->product = "scylla";
	if (!d.n_seen)
		err_set(a, err, ERR_FORMAT, ev->path, 0, "no SSTable in it");
	return d.n_read > 0;
}
