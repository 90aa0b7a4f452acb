/*
 * sstablemetadata's text: any number of SSTables in one output, 2.0 to 5.0, of ScyllaDB's tools and
 * of DSE, whole or as a grep left it.
 *
 * A record is read label by label; only at its end it is decided which values can be trusted,
 * because keys are printed raw: a partition key with line feeds in it can fake any label. What
 * shows such a fake (a label twice with two values, labels of keys behind the labels that follow
 * them, a record that begins among the keys of another) makes the values concerned unknown. A key
 * that fakes the whole rest of its record, cut off within that key, can't be told.
 *
 * Values that no name stands above are kept as those of an unnamed SSTable, which is called after
 * the place where they stand ("file:line") and belongs to no table.
 *
 * Sources: Cassandra SSTableMetadataViewer, MetadataSerializer (2.0 to 5.0).
 */
#include "base/slice.h"
#include "parse/metadata_place.h"
#include "parse/metadata_record.h"
#include "parse/parse.h"
#include "parse/pattern.h"

enum { QUOTE_MAX = 60 };

struct reader {
	struct arena *arena;
	const struct evidence *ev;
	struct node *node;
	struct err *err;
	struct lines lines;
	struct metadata_record record;
	struct slice first_line;	/* the first one that says anything */
	bool orphans;			/* lines of a record that nothing names */
	size_t n_records;
	const struct sstable_meta *last;	/* to share the strings of one folder */
	struct slice last_folder;
};

/* The values of these labels can't be told; the first reason is kept. */
static void doubt(struct reader *r, uint32_t labels, const char *problem)
{
	struct metadata_record *rec = &r->record;

	rec->doubted |= labels;
	if (rec->problem)
		return;
	rec->problem = problem;
	rec->problem_line = r->lines.number;
}

static void doubt_value(struct reader *r, enum metadata_label label, const char *what)
{
	const char *problem = r->record.problem;	/* later ones would not be kept */

	if (!problem)
		problem = arena_printf(r->arena, "%s '%s'", what, metadata_label_text(label));
	doubt(r, BIT(label), problem);
}

/* ---- where it lies ---- */

static bool is_last_folder(const struct reader *r, struct slice folder)
{
	return r->last && slice_eq(folder, r->last_folder);
}

/* Names of 2.1 and older tell their table themselves: nothing to share. */
static bool has_place_of_last(const struct reader *r, const struct metadata_place *p)
{
	return is_last_folder(r, p->folder) &&
	       (slice_ends(p->name, SLICE("-big")) || slice_ends(p->name, SLICE("-bti")));
}

static void set_place(struct reader *r, struct sstable_meta *m)
{
	const struct metadata_place p = { r->record.folder, r->record.name };

	if (has_place_of_last(r, &p)) {
		m->name = arena_copy(r->arena, p.name);
		m->source = r->ev->path;
		m->directory = r->last->directory;
		m->keyspace = r->last->keyspace;
		m->table_dir = r->last->table_dir;
		m->path = metadata_place_path(r->arena, m);
	} else {
		metadata_place_set(r->arena, r->ev, &p, m);
	}
	r->last_folder = p.folder;
}

/* It is called after its place in the evidence: "sstablemetadata.txt:7". */
static void set_nameless(struct reader *r, struct sstable_meta *m)
{
	struct slice file = parse_file_name(slice_of(r->ev->path));

	m->name = arena_printf(r->arena, "%.*s:%u", (int)file.n, file.p, m->line);
	m->path = m->name;
	m->source = r->ev->path;
}

static void add_meta(struct reader *r, struct sstable_meta *m)
{
	*vec_add(r->arena, &r->node->metas) = m;
	if (!r->record.nameless)
		r->last = m;
	r->n_records++;
}

/* ---- the end of a record ---- */

static void judge_record(struct reader *r, struct sstable_meta *m)
{
	struct metadata_record *rec = &r->record;

	if (!rec->seen) {
		m->state = METADATA_PARTIAL;
		m->problem = "its record is cut off";
		err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->line,
			"the record of %s is cut off", m->name);
		return;
	}
	metadata_record_fill(r->arena, rec, r->last ? r->last->partitioner : NULL, m);
	if (m->state == METADATA_INCONCLUSIVE)
		return;
	if (rec->tokens_reversed)
		err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->line,
			"the first token of %s is above its last one", m->name);
	if (rec->problem) {
		m->state = METADATA_PARTIAL;
		m->problem = rec->problem;
		err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->problem_line, "%s: %s",
			m->name, rec->problem);
	} else if (m->state == METADATA_PARTIAL) {
		m->problem = metadata_why_partial(m);
		if (!m->min_ts.known || !m->max_ts.known || !m->max_ldt_s.known)
			err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->line, "%s: %s",
				m->name, m->problem);
	}
}

/* Something of it helps: lines of another part of a record say nothing without a name. */
static bool says_something(const struct sstable_meta *m)
{
	return m->min_ts.known || m->max_ts.known || m->max_ldt_s.known || m->max_ttl_s.known;
}

static void end_nameless(struct reader *r)
{
	struct metadata_record *rec = &r->record;
	struct sstable_meta *m = arena_alloc(r->arena, sizeof(*m));

	m->line = rec->line;
	metadata_record_fill(r->arena, rec, r->last ? r->last->partitioner : NULL, m);
	err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->line,
		"metadata of an unnamed SSTable: no 'SSTable:' line stands before it");
	r->orphans = true;
	if (m->state == METADATA_INCONCLUSIVE || !says_something(m))
		return;
	m->state = METADATA_PARTIAL;
	m->problem = "unnamed: no 'SSTable:' line stands before it";
	set_nameless(r, m);
	add_meta(r, m);
}

static void end_record(struct reader *r)
{
	struct metadata_record *rec = &r->record;
	struct sstable_meta *m;

	if (rec->open && rec->nameless) {
		end_nameless(r);
	} else if (rec->open && !rec->ignored && (rec->titled || rec->seen)) {
		m = arena_alloc(r->arena, sizeof(*m));
		m->line = rec->line;
		set_place(r, m);
		judge_record(r, m);
		add_meta(r, m);
	}
	*rec = (struct metadata_record){ 0 };
}

/* ---- lines ---- */

/* "No such file: /data/…/nb-7-big-Data.db": it went away before the tool came to it. */
static void read_vanished(struct reader *r, struct slice path)
{
	struct metadata_place place;
	struct sstable_meta *m;

	end_record(r);
	if (!r->lines.terminated || !metadata_place_split(path, &place) ||
	    metadata_place_is_foreign(path))
		return;
	m = arena_alloc(r->arena, sizeof(*m));
	m->line = r->lines.number;
	m->vanished = true;
	m->problem = "it was gone when its metadata was asked for";
	r->record.folder = place.folder;
	r->record.name = place.name;
	set_place(r, m);
	add_meta(r, m);
}

static bool is_among_keys(const struct metadata_record *rec)
{
	return rec->open && (rec->seen & KEY_LABELS) && !(rec->seen & TAIL_LABELS);
}

static void begin_record(struct reader *r, struct slice path)
{
	struct metadata_record *rec = &r->record;
	bool among_keys = is_among_keys(rec);
	struct metadata_place place;

	end_record(r);
	rec->open = rec->titled = true;
	rec->line = r->lines.number;
	rec->ignored = true;
	if (!r->lines.terminated) {	/* its name may be longer */
		err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->line,
			"the text is cut off in the name of an SSTable");
	} else if (!metadata_place_split(path, &place)) {
		err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->line,
			"'SSTable:' is followed by something that is no SSTable's name");
	} else {
		rec->folder = place.folder;
		rec->name = place.name;
		rec->ignored = !has_place_of_last(r, &place) && metadata_place_is_foreign(path);
		r->n_records += rec->ignored;
	}
	if (among_keys)
		doubt(r, ALL_LABELS, "its record begins among the keys of another one");
}

/*
 * A file's name alone on its line, as a loop prints it before what a grep leaves of the output.
 * Where there are "SSTable:" lines they are believed, and this is only an echo.
 */
static void read_file_name(struct reader *r, struct slice line)
{
	struct metadata_record *rec = &r->record;
	struct metadata_place place;
	struct slice path = slice_trim(line);

	if ((rec->open && (rec->titled || is_among_keys(rec))) || !r->lines.terminated)
		return;
	if (path.n && path.p[path.n - 1] == ':')
		path.n--;
	if (!slice_ends(path, SLICE(".db")) || !metadata_place_split(path, &place))
		return;
	end_record(r);
	rec->open = true;
	rec->line = r->lines.number;
	rec->folder = place.folder;
	rec->name = place.name;
	rec->ignored = metadata_place_is_foreign(path);
	r->n_records += rec->ignored;
}

/*
 * Values without a name begin another SSTable where their order does: each label comes once, in
 * print order. What comes out of order among keys may be part of a key.
 */
static void order_nameless(struct reader *r, enum metadata_label label)
{
	struct metadata_record *rec = &r->record;

	if (rec->open && (label > rec->last || label >= LABEL_LATER))
		return;
	if (is_among_keys(rec)) {
		doubt(r, BIT(label), "a key in it looks like other lines");
		return;
	}
	end_record(r);
	rec->open = rec->nameless = true;
	rec->line = r->lines.number;
}

/* The numbers of a label that may come only once; a second one must say the same. */
static void keep_number(struct reader *r, enum metadata_label label, bool read, int64_t v)
{
	struct metadata_record *rec = &r->record;

	if (!read)
		doubt_value(r, label, r->lines.terminated ? "no number behind"
							  : "the text is cut off at");
	else if ((rec->seen & BIT(label)) && rec->number[label] != v)
		doubt_value(r, label, "two different values behind");
	rec->number[label] = v;
}

static void keep_text(struct reader *r, enum metadata_label label, struct slice value)
{
	struct metadata_record *rec = &r->record;

	if (!r->lines.terminated)
		doubt_value(r, label, "the text is cut off at");
	else if ((rec->seen & BIT(label)) && !slice_eq(rec->text[label], value))
		doubt_value(r, label, "two different values behind");
	rec->text[label] = value;
}

static void read_pending(struct reader *r, struct slice value)
{
	struct slice session;

	if (metadata_session(value, r->lines.terminated, &session))
		keep_text(r, LABEL_PENDING, session);
	else
		doubt_value(r, LABEL_PENDING, r->lines.terminated ? "no session behind"
								  : "the text is cut off at");
}

static void begin_histogram(struct reader *r, enum metadata_label label)
{
	struct metadata_record *rec = &r->record;

	if (rec->seen & (BIT(LABEL_SIZES) | BIT(LABEL_SIZE_TABLE))) {
		doubt_value(r, label, "two histograms behind");
		return;
	}
	/* One that stands before what it follows is part of a key. */
	if (rec->seen & BIT(LABEL_REPAIRED))
		rec->form = label == LABEL_SIZES ? FORM_BARS : FORM_TABLE;
}

static void read_value(struct reader *r, enum metadata_label label, struct slice value)
{
	struct metadata_record *rec = &r->record;
	bool text_first = false, read;
	int64_t v = 0;

	switch (label) {
	case LABEL_MIN_TS: case LABEL_MAX_TS: case LABEL_MIN_LDT: case LABEL_MAX_LDT:
	case LABEL_TTL_MIN: case LABEL_TTL_MAX: case LABEL_LEVEL: case LABEL_REPAIRED:
	case LABEL_COLUMNS: case LABEL_ROWS:
		read = metadata_number(value, r->lines.terminated, &v, &text_first);
		if (label == LABEL_MAX_LDT || label == LABEL_MIN_LDT)
			rec->text_first |= text_first;
		keep_number(r, label, read, v);
		break;
	case LABEL_FIRST_TOKEN: case LABEL_LAST_TOKEN:
		/* Tokens of other partitioners do not fit; nothing is made of them. */
		if (!slice_ends(rec->text[LABEL_PARTITIONER], SLICE(".Murmur3Partitioner")))
			break;
		read = metadata_token(value, r->lines.terminated, &v);
		keep_number(r, label, read, v);
		break;
	case LABEL_RATIO: case LABEL_DROPPABLE: case LABEL_HOST_ID:
		keep_text(r, label, value);
		break;
	case LABEL_PENDING:
		read_pending(r, value);
		break;
	case LABEL_SIZES: case LABEL_SIZE_TABLE:
		begin_histogram(r, label);
		break;
	default:
		break;
	}
}

static void end_histogram(struct metadata_record *rec)
{
	if (rec->form != FORM_NONE)
		rec->largest_whole = true;
	rec->form = FORM_NONE;
}

static void read_label(struct reader *r, enum metadata_label label, struct slice value)
{
	struct metadata_record *rec = &r->record;

	if (label == LABEL_NO_SUCH_FILE) {
		read_vanished(r, value);
		return;
	}
	if (label == LABEL_SSTABLE) {
		begin_record(r, value);
		return;
	}
	if (!rec->open || rec->nameless)
		order_nameless(r, label);
	end_histogram(rec);
	if (label > rec->last)
		rec->last = label;
	if ((BIT(label) & KEY_LABELS) && (rec->seen & (STATE_LABELS | TAIL_LABELS)))
		doubt(r, STATE_LABELS | TOTAL_LABELS, "a key in it looks like other lines");
	if (label == LABEL_PARTITIONER) {
		if (rec->seen & ~BIT(LABEL_LATER))
			doubt(r, ALL_LABELS, "its lines are out of order");
		keep_text(r, label, value);
	} else {
		read_value(r, label, value);
	}
	rec->seen |= BIT(label);
}

static void read_row(struct reader *r, struct slice line)
{
	struct metadata_record *rec = &r->record;
	bool table = rec->form == FORM_TABLE;
	int64_t size, count;

	if (!table && line.n > 3 && line.p[3] == 'P') {		/* "   Percentiles" */
		end_histogram(rec);
		return;
	}
	if (!table && line.n > 3 && line.p[3] == 'S')		/* "   Size (bytes) | Count" */
		return;
	if (!metadata_size_row(line, table, &size, &count))
		doubt(r, BIT(LABEL_SIZES), "a row of its partition sizes can't be read");
	else if (count > 0 && size > rec->largest)
		rec->largest = size;
}

static void read_line(struct reader *r, struct slice line)
{
	enum metadata_label label;
	struct slice value;
	char c = line.p[0];

	if (c == ' ') {
		if (r->record.form == FORM_BARS)
			read_row(r, line);
		return;
	}
	if (c >= '0' && c <= '9') {
		if (r->record.form == FORM_TABLE)
			read_row(r, line);
		return;
	}
	if (!r->first_line.n)
		r->first_line = line;
	label = metadata_label(line, &value);
	if (label != LABEL_NONE)
		read_label(r, label, value);
	else if (!r->record.titled)
		read_file_name(r, line);
}

/* ---- the end of the text ---- */

/* The text ends within a line: is it one that the tool ends with, and whole as it stands? */
static bool is_whole_end(struct slice line)
{
	struct slice value;

	if (metadata_label(line, &value) != LABEL_LAST_LINE)
		return false;
	return slice_eq(value, SLICE("true")) || slice_eq(value, SLICE("false")) ||
	       slice_ends(value, SLICE("}"));
}

static const char *quote(struct arena *a, struct slice line)
{
	char *text;

	if (line.n > QUOTE_MAX)
		line.n = QUOTE_MAX;
	text = arena_copy(a, line);
	for (size_t i = 0; i < line.n; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == '\x7f')
			text[i] = '?';
	return text;
}

static bool refuse(struct reader *r)
{
	if (r->orphans)		/* that is the error already */
		return false;
	if (!r->first_line.n)
		return err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, 0, "the output is empty");
	return err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, 0,
		       "no SSTable's metadata in it; it begins with '%s'",
		       quote(r->arena, r->first_line));
}

bool parse_sstablemetadata(struct arena *a, const struct evidence *ev, struct node *into,
			   struct err *err)
{
	struct reader r = { .arena = a, .ev = ev, .node = into, .err = err,
			    .lines = lines_of(ev->out) };
	struct slice line = { NULL, 0 };

	while (lines_next(&r.lines, &line))
		if (line.n)
			read_line(&r, line);
	end_record(&r);
	if (r.n_records == 0)
		return refuse(&r);
	if (!r.lines.terminated && line.n && !is_whole_end(line))
		err_set(a, err, ERR_FORMAT, ev->path, r.lines.number, "the text is cut off");
	return true;
}
