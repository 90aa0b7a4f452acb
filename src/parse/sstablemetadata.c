/*
 * sstablemetadata's text: any number of SSTables in one output, 3.0 to 5.0, also as run on files
 * of ScyllaDB or DSE.
 *
 * A record is read label by label; only at its end it is decided which values can be trusted,
 * because keys are printed raw: a partition key with line feeds in it can fake any label. What
 * shows such a fake (a label twice with two values, labels of keys behind the labels that follow
 * them, a record that begins among the keys of another) makes the values concerned unknown. A key
 * that fakes the whole rest of its record, cut off within that key, can't be told.
 *
 * Sources: Cassandra SSTableMetadataViewer, MetadataSerializer (3.0 to 5.0).
 */
#include "base/slice.h"
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
	unsigned orphan_line;		/* first label line before any record */
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

/* An SSTable below a table's directory: of a snapshot, a backup, an index. */
static struct pattern below_table = PATTERN(
	"/[^/]+-(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/[^/]+/");

static bool is_last_folder(const struct reader *r, struct slice folder)
{
	return r->last && slice_eq(folder, r->last_folder);
}

/* Split a path; false when it names no SSTable. */
static bool split_path(struct slice path, struct slice *folder, struct slice *name)
{
	size_t slash = slice_rfind(path, '/');
	struct sstable_name parts;

	*folder = (struct slice){ path.p, slash < path.n ? slash : 0 };
	if (!parse_sstable_name(slash < path.n ? slice_from(path, slash + 1) : path, &parts))
		return false;
	*name = parts.base;
	return true;
}

static void set_place(struct reader *r, struct sstable_meta *m, struct slice folder,
		      struct slice name)
{
	m->name = arena_copy(r->arena, name);
	m->source = r->ev->path;
	if (is_last_folder(r, folder)) {
		m->directory = r->last->directory;
		m->keyspace = r->last->keyspace;
		m->table_dir = r->last->table_dir;
	} else {
		struct sstable_path parts = parse_sstable_path((struct slice){
			folder.p, (size_t)(name.p + name.n - folder.p) });

		if (folder.n)
			m->directory = arena_copy(r->arena, folder);
		m->keyspace = parts.keyspace.n ? arena_copy(r->arena, parts.keyspace)
					       : r->ev->keyspace;
		m->table_dir = parts.table_dir.n ? arena_copy(r->arena, parts.table_dir)
						 : r->ev->table;
	}
	m->path = m->directory ? arena_printf(r->arena, "%s/%s", m->directory, m->name) : m->name;
	r->last_folder = folder;
}

static void add_meta(struct reader *r, struct sstable_meta *m)
{
	*vec_add(r->arena, &r->node->metas) = m;
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

static void end_record(struct reader *r)
{
	struct metadata_record *rec = &r->record;
	struct sstable_meta *m;

	if (rec->open && !rec->ignored) {
		m = arena_alloc(r->arena, sizeof(*m));
		m->line = rec->line;
		set_place(r, m, rec->folder, rec->name);
		judge_record(r, m);
		add_meta(r, m);
	}
	*rec = (struct metadata_record){ 0 };
}

/* ---- lines ---- */

/* "No such file: /data/…/nb-7-big-Data.db": it went away before the tool came to it. */
static void read_vanished(struct reader *r, struct slice path)
{
	struct slice folder, name;
	struct sstable_meta *m;

	end_record(r);
	if (!r->lines.terminated || !split_path(path, &folder, &name) ||
	    pattern_match(&below_table, path, NULL, 0))
		return;
	m = arena_alloc(r->arena, sizeof(*m));
	m->line = r->lines.number;
	m->vanished = true;
	m->problem = "it was gone when its metadata was asked for";
	set_place(r, m, folder, name);
	add_meta(r, m);
}

static void begin_record(struct reader *r, struct slice path)
{
	struct metadata_record *rec = &r->record;
	bool among_keys = rec->open && (rec->seen & KEY_LABELS) && !(rec->seen & TAIL_LABELS);

	end_record(r);
	rec->open = true;
	rec->line = r->lines.number;
	rec->ignored = true;
	if (!r->lines.terminated) {	/* its name may be longer */
		err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->line,
			"the text is cut off in the name of an SSTable");
	} else if (!split_path(path, &rec->folder, &rec->name)) {
		err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, rec->line,
			"'SSTable:' is followed by something that is no SSTable's name");
	} else if (!is_last_folder(r, rec->folder) &&
		   pattern_match(&below_table, path, NULL, 0)) {
		r->n_records++;
	} else {
		rec->ignored = false;
	}
	if (among_keys)
		doubt(r, ALL_LABELS, "its record begins among the keys of another one");
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
	if (!rec->open) {
		if (!r->orphan_line)
			r->orphan_line = r->lines.number;
		return;
	}
	end_histogram(rec);
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
	if (r->orphan_line)
		return err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, r->orphan_line,
			       "metadata without an 'SSTable:' line before it");
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
