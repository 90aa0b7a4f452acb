/*
 * Gathering a piece: which lines belong to it, and whether something in it is still open. See
 * loose.h.
 */
#include "parse/loose.h"

enum { HOLD_MAX = LOOSE_HOLD_MAX, FOLDER_MAX = 4096 };

size_t loose_piece_size(const struct loose_piece *p)
{
	return p->copied ? p->copy.n : p->range.n;
}

static struct slice indent_of(struct slice line)
{
	size_t n = 0;

	while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	return (struct slice){ line.p, n };
}

/* Kinds whose first line stands at the margin: its indentation is that of the whole block. */
static bool has_block_indent(enum loose_kind kind, struct line_sign sign)
{
	return sign.role == LINE_STARTS || (kind != LOOSE_TABLESTATS && kind != LOOSE_SCHEMA &&
					    kind != LOOSE_HISTOGRAMS && kind != LOOSE_STATUS);
}

void loose_piece_begin(struct loose_text *t, struct loose_lane *lane, struct slice line,
			struct line_sign sign)
{
	struct loose_piece *p = &lane->piece;
	struct slice indent = indent_of(line);
	struct buf copy = p->copy, folder = p->folder;

	copy.n = folder.n = 0;
	copy.truncated = false;
	if (!copy.max)
		buf_init(&copy, HOLD_MAX);
	if (!folder.max)
		buf_init(&folder, FOLDER_MAX);
	*p = (struct loose_piece){
		.kind = sign.kind, .copy = copy, .folder = folder, .first_line = t->line,
		.last_line = t->line - 1,
	};
	if (has_block_indent(sign.kind, sign) && indent.n <= sizeof(p->indent)) {
		memcpy(p->indent, indent.p, indent.n);
		p->indent_n = indent.n;
	}
}

/* From now on the piece's bytes are its own. */
void loose_piece_copy(struct loose_piece *p)
{
	if (p->copied)
		return;
	p->copied = true;
	if (p->range.n)
		buf_add(&p->copy, p->range.p, p->range.n);
	p->range = (struct slice){ NULL, 0 };
}

/* The line without the indentation of its block. */
static struct slice unindent(const struct loose_piece *p, struct slice line, struct line_sign sign)
{
	struct slice indent = { p->indent, p->indent_n };

	if (p->kind == LOOSE_METADATA && sign.kind == LOOSE_METADATA && sign.role != LINE_OTHER)
		return slice_from(line, indent_of(line).n);
	if (p->kind == LOOSE_SCHEMA && slice_starts(line, SLICE("   ... ")))
		return slice_from(line, 7);	/* cqlsh: the statement goes on */
	return indent.n && slice_starts(line, indent) ? slice_from(line, indent.n) : line;
}

/* ---- what a line means within its piece ---- */

/* Through a statement's line: is it still open behind it? Source: CQL's lexical rules. */
static void scan_statement(struct loose_piece *p, struct slice line)
{
	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i], next = i + 1 < line.n ? line.p[i + 1] : '\0';

		if (p->comment) {
			p->comment = !(c == '*' && next == '/');
		} else if (p->quote) {
			p->quote = c == p->quote ? '\0' : p->quote;
		} else if ((c == '-' && next == '-') || (c == '/' && next == '/')) {
			return;
		} else if (c == '/' && next == '*') {
			p->comment = true;
		} else if (c == '\'' || c == '"') {
			p->quote = c;
			p->open = true;
		} else if (c == ';') {
			p->open = false;
		} else if (c != ' ' && c != '\t') {
			p->open = true;
		}
	}
}

/* Through a line of a JSON document; it is not open any more when its last bracket closed. */
static void scan_json(struct loose_piece *p, struct slice line)
{
	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i];

		if (p->quote) {
			if (p->escaped)
				p->escaped = false;
			else if (c == '\\')
				p->escaped = true;
			else if (c == '"')
				p->quote = '\0';
		} else if (c == '"') {
			p->quote = c;
		} else if (c == '{' || c == '[') {
			p->depth++;
		} else if ((c == '}' || c == ']') && p->depth) {
			p->depth--;
		}
	}
	p->open = p->depth > 0;
	p->quote = '\0';	/* no text of JSON goes on in the next line */
	p->escaped = false;
}

bool loose_starts_with(struct slice line, const char *text)
{
	return slice_starts(slice_trim(line), slice_of(text));
}

static void scan_metadata(struct loose_piece *p, struct slice line)
{
	if (loose_starts_with(line, "First token:") || loose_starts_with(line, "Last token:") ||
	    loose_starts_with(line, "minClust") || loose_starts_with(line, "maxClust") ||
	    loose_starts_with(line, "Covered clusterings:"))
		p->in_keys = true;
	else if (loose_starts_with(line, "Estimated droppable tombstones:"))
		p->in_keys = false;
}

/* "Keyspace : x" of tablestats. */
static bool keyspace_of(struct slice line, struct slice *name)
{
	struct slice s = slice_trim(line);

	if (slice_starts(s, SLICE("Keyspace: ")))
		*name = slice_trim(slice_from(s, 10));
	else if (slice_starts(s, SLICE("Keyspace : ")))
		*name = slice_trim(slice_from(s, 11));
	else
		return false;
	return true;
}

static void scan_tablestats(struct cluster *c, struct loose_piece *p, struct slice line,
			    struct line_sign sign)
{
	struct slice name;

	if (loose_starts_with(line, "----------------"))
		p->keyspace = NULL;
	else if (sign.role == LINE_STARTS && keyspace_of(line, &name))
		p->keyspace = arena_copy(c->arena, name);
	else if (sign.role == LINE_JOINS && !loose_starts_with(line, "Table"))
		p->values = true;
}

/* Folder of the SSTable in "SSTable: /data/ks/t-id/nb-1-big". */
static struct slice folder_of(struct slice line)
{
	struct slice path = slice_trim(line);
	size_t slash;

	path = slice_from(path, slice_find(path, ' '));
	slash = slice_rfind(path, '/');
	return (struct slice){ path.p, slash < path.n ? slash : 0 };
}

static void scan_line(struct cluster *c, struct loose_piece *p, struct slice line,
		      struct line_sign sign)
{
	struct slice folder;

	switch (p->kind) {
	case LOOSE_SCHEMA:
		scan_statement(p, line);
		break;
	case LOOSE_JSON:
		scan_json(p, line);
		break;
	case LOOSE_METADATA:
		if (sign.role == LINE_STARTS && !p->in_keys) {
			folder = folder_of(line);
			p->folder.n = 0;
			if (folder.n)
				buf_add(&p->folder, folder.p, folder.n);
		}
		scan_metadata(p, line);
		break;
	case LOOSE_TABLESTATS:
		scan_tablestats(c, p, line, sign);
		break;
	default:
		p->values |= sign.role == LINE_JOINS ||
			     (p->kind == LOOSE_COMPACTIONSTATS && loose_starts_with(line,
			     	"pending "));
	}
}

void loose_piece_add(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
		     struct slice line, struct line_sign sign, struct slice raw, bool whole)
{
	struct loose_piece *p = &lane->piece;
	bool follows = !p->range.n || p->range.p + p->range.n == raw.p;
	size_t end = line.n <= raw.n ? raw.n - line.n : 0;	/* "\n" or "\r\n", as it stands */
	bool plain = line.p == raw.p && (whole ? end <= 2 : end == 0);

	scan_line(c, p, line, sign);
	line = unindent(p, line, sign);
	if (p->last_line + 1 != t->line)
		p->scattered = true;
	p->last_line = t->line;
	plain = plain && line.p == raw.p;
	if (!p->copied && plain && follows) {
		p->range = (struct slice){ p->range.n ? p->range.p : raw.p, p->range.n + raw.n };
		return;
	}
	loose_piece_copy(p);
	if (plain) {
		buf_add(&p->copy, raw.p, raw.n);
		return;
	}
	buf_add(&p->copy, line.p, line.n);
	if (whole)
		buf_char(&p->copy, '\n');
}

/* ---- where a piece ends ---- */

bool loose_piece_is_within(const struct loose_piece *p, struct line_sign sign)
{
	if (p->kind == LOOSE_METADATA)
		return p->in_keys;
	if (p->kind == LOOSE_JSON)
		return p->open;
	if (p->kind != LOOSE_SCHEMA || !p->open)
		return false;
	return p->quote || p->comment || sign.role != LINE_STARTS || sign.kind == LOOSE_JSON ||
	       sign.kind == LOOSE_COMPLAINT;
}

bool loose_piece_continues(struct loose_piece *p, struct slice line, struct line_sign sign)
{
	bool blank = slice_trim(line).n == 0;

	if (loose_piece_is_within(p, sign))
		return true;
	if (p->kind == LOOSE_JSON)
		return blank;
	if (p->kind == LOOSE_SCHEMA && sign.role == LINE_OTHER)
		return blank || loose_starts_with(line, "--") || loose_starts_with(line, "//") ||
		       loose_starts_with(line, "/*") || loose_starts_with(line, ";");
	if (p->kind == LOOSE_FILES && loose_starts_with(line, "--------"))
		return false;
	if (p->kind == LOOSE_LISTING && slice_find(line, '\t') < line.n)
		return sign.role != LINE_STARTS;
	if (p->kind == LOOSE_TABLESTATS && sign.kind == LOOSE_DATAPATHS && !p->values) {
		p->kind = LOOSE_DATAPATHS;	/* the headings of both are the same */
		return true;
	}
	if (!recognise_stays(p->kind, line, sign))
		return false;
	if (sign.role != LINE_STARTS || sign.kind != p->kind)
		return true;
	switch (p->kind) {
	case LOOSE_TABLESTATS:
		return !p->values || !loose_starts_with(line, "Total number of tables");
	case LOOSE_HISTOGRAMS: case LOOSE_COMPACTIONSTATS:
		return !p->values;
	case LOOSE_METADATA:
		return slice_eq(folder_of(line), (struct slice){ p->folder.p, p->folder.n });
	case LOOSE_LISTING: case LOOSE_DF: case LOOSE_TABLESTATS_DATA:
		return false;
	default:
		return true;
	}
}
