/*
 * One piece of a loose text to its parser: of which node, keyspace and table it is, by its content,
 * else by the prompt before it, else by the path of its text.
 */
#include "parse/loose.h"

#include "parse/complaint.h"

/* How much of a node was known before a piece was read. */
struct mark { size_t table_stats, histograms, metas, listings, blockers, schema; };

static struct slice text_of(const struct loose_piece *p)
{
	return p->copied ? (struct slice){ p->copy.p ? p->copy.p : "", p->copy.n } : p->range;
}

/* ---- whose is it ---- */

/* What holds for the whole cluster is nobody's of those that were asked from a desk. */
static bool is_of_cluster(enum evidence_kind kind)
{
	return kind == EV_SCHEMA;
}

static const char *node_of_piece(const struct loose_text *t, const struct loose_lane *lane,
				 enum evidence_kind kind)
{
	if (strcmp(t->about.node, "-") != 0 || is_of_cluster(kind))
		return t->about.node;
	if (lane->host)
		return lane->host;
	if (lane->prompt.host)
		return lane->prompt.host;
	return lane->heading.host ? lane->heading.host : t->about.node;
}

/* The first of prompt, heading and path that names a table. */
static struct loose_hint hint_of_piece(const struct loose_text *t, const struct loose_lane *lane)
{
	const struct loose_hint *all[] = { &lane->prompt, &lane->heading, &t->place };
	struct loose_hint out = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i]->table || all[i]->directory)
			return *all[i];
	out.keyspace = lane->prompt.keyspace;
	return out;
}

static bool has_line_with(struct slice text, const char *start)
{
	struct lines it = lines_of(text);
	struct slice line, s = slice_of(start);

	while (lines_next(&it, &line))
		if (slice_starts(slice_trim(line), s))
			return true;
	return false;
}

/* tablestats: the path of a text without any heading may name its table. */
static void name_tablestats(const struct loose_text *t, const struct loose_lane *lane,
			    struct slice text, struct evidence *ev)
{
	const struct loose_hint *place = lane->heading.table ? &lane->heading : &t->place;

	if (lane->prompt.keyspace) {
		ev->keyspace = lane->prompt.keyspace;
		ev->table = lane->prompt.table;
	} else if (place->table && !has_line_with(text, "Table") &&
		   !has_line_with(text, "Column Family")) {
		ev->keyspace = place->keyspace;
		ev->table = place->table;
	}
}

static void name_histograms(struct cluster *c, struct slice text, struct loose_hint h,
			    struct evidence *ev)
{
	struct lines it = lines_of(text);
	struct slice line, keyspace, table;

	while (lines_next(&it, &line) && !slice_starts(slice_trim(line), SLICE("50%"))) {
		if (!recognise_title(line, &keyspace, &table))
			continue;
		ev->keyspace = arena_copy(c->arena, keyspace);
		ev->table = arena_copy(c->arena, table);
		return;
	}
	ev->keyspace = h.keyspace;
	ev->table = h.table;
}

/* sstablemetadata: all SSTables of a piece lie in one folder. */
static void name_metadata(struct cluster *c, const struct loose_piece *p, struct loose_hint h,
			  struct evidence *ev)
{
	char *path = arena_printf(c->arena, "%.*s/nb-1-big", (int)p->folder.n,
				  p->folder.p ? p->folder.p : "");
	struct sstable_path parts = parse_sstable_path(slice_of(path));
	struct slice table, id;

	ev->keyspace = h.keyspace;
	ev->table = h.table;
	if (!parts.table_dir.n)
		return;
	parse_table_dir(parts.table_dir, &table, &id);
	ev->table = arena_copy(c->arena, table);
	ev->keyspace = parts.keyspace.n ? arena_copy(c->arena, parts.keyspace) : NULL;
}

static void name_piece(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
		       struct slice text, struct evidence *ev)
{
	struct loose_hint h = hint_of_piece(t, lane);

	ev->keyspace = ev->table = ev->directory = NULL;
	switch (lane->piece.kind) {
	case LOOSE_TABLESTATS:
		name_tablestats(t, lane, text, ev);
		break;
	case LOOSE_HISTOGRAMS:
		name_histograms(c, text, h, ev);
		break;
	case LOOSE_METADATA:
		name_metadata(c, &lane->piece, h, ev);
		break;
	case LOOSE_FILES: case LOOSE_LISTING:
		ev->keyspace = h.keyspace;
		ev->directory = h.directory;
		ev->table = h.directory ? NULL : h.table;
		break;
	case LOOSE_BLOCKERS:
		ev->keyspace = h.keyspace;
		ev->table = h.table;
		break;
	default:
		break;
	}
}

/* ---- after its parser ---- */

static struct mark mark_of(const struct node *n)
{
	return (struct mark){ n->table_stats.n, n->histograms.n, n->metas.n, n->listings.n,
			      n->tool_blockers.n, n->cluster->schema.tables.n };
}

/* Lines are counted in the text, not in the piece; facts know which text they are of. */
static void finish_facts(struct node *n, struct mark m, const char *path, unsigned before)
{
	for (size_t i = m.table_stats; i < n->table_stats.n; i++) {
		n->table_stats.v[i]->source = path;
		n->table_stats.v[i]->line += before;
	}
	for (size_t i = m.histograms; i < n->histograms.n; i++) {
		n->histograms.v[i]->source = path;
		n->histograms.v[i]->line += before;
	}
	for (size_t i = m.metas; i < n->metas.n; i++)
		n->metas.v[i]->line += n->metas.v[i]->line ? before : 0;
	for (size_t i = m.blockers; i < n->tool_blockers.n; i++)
		n->tool_blockers.v[i]->line += before;
	for (size_t i = m.schema; i < n->cluster->schema.tables.n; i++)
		n->cluster->schema.tables.v[i]->line += before;
}

/* What was listed, when only the prompt tells. */
static void give_folder(struct node *n, struct mark m, const char *folder)
{
	for (size_t i = m.listings; i < n->listings.n; i++)
		if (!n->listings.v[i]->folder)
			n->listings.v[i]->folder = folder;
}

/* A keyspace that only the prompt tells, of tables that the text names. */
static void give_keyspace(struct node *n, struct mark m, const struct evidence *ev)
{
	for (size_t i = m.table_stats; ev->keyspace && i < n->table_stats.n; i++) {
		struct table_stats *s = n->table_stats.v[i];

		if (!s->keyspace && (!ev->table || strcmp(s->name, ev->table) == 0))
			s->keyspace = ev->keyspace;
	}
}

/*
 * Names and results of node.json's commands belong to a bundle: loose files may have other names.
 * What failed is told all the same.
 */
static void keep_failed_commands(struct node *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->commands.n; i++) {
		struct command *c = n->commands.v[i];

		if (!c->signal && !(c->exit_status.known && c->exit_status.v != 0))
			continue;
		c->file = NULL;
		n->commands.v[kept++] = c;
	}
	n->commands.n = kept;
}

/* ---- error messages ---- */

/* "nodetool: cfhistograms requires …": the command that the message itself names; 0 = none. */
static unsigned kind_in_message(struct slice text)
{
	struct command_hint h = { 0 };
	struct slice rest = text, word;

	if (rest.n > 400)
		rest.n = 400;
	while (slice_word(&rest, &word)) {
		while (word.n && (word.p[0] == '[' || word.p[0] == '\''))
			word = slice_from(word, 1);
		while (word.n && strchr("],.:;'\r\n", word.p[word.n - 1]))
			word.n--;
		if (prompt_command(word, &h) && h.kind)
			return h.kind;
	}
	return 0;
}

/* The table that the command was asked for: names of files are too vague for that. */
static const char *subject_of_prompt(struct arena *a, const struct loose_hint *h)
{
	return h->keyspace && h->table ? arena_printf(a, "%s.%s", h->keyspace, h->table) : NULL;
}

void loose_complain(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
		    enum evidence_kind kind, const char *error)
{
	t->n_pieces++;
	loose_note_time(c->loose, &t->about);
	*vec_add(c->arena, &c->loose->complaints) = (struct loose_complaint){
		.node = parse_node(c, node_of_piece(t, lane, kind)), .kind = kind,
		.subject = subject_of_prompt(c->arena, &lane->prompt), .error = error,
	};
}

static void end_complaint(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
			  struct slice text)
{
	unsigned kind = lane->prompt.kind ? lane->prompt.kind : lane->heading.kind;
	struct err err = { 0 };

	kind = kind ? kind : t->place.kind;
	kind = kind ? kind : kind_in_message(text);
	if (!complaint_find(c->arena, text, t->about.path, &err))
		err_set(c->arena, &err, ERR_REMOTE, t->about.path, 1, "an error message: %s",
			complaint_tidy(c->arena, (struct slice){ text.p, slice_find(text, '\n') }));
	err.line += lane->piece.first_line - 1;
	loose_complain(c, t, lane, kind ? (enum evidence_kind)kind : EV_LOOSE,
		       err_text(c->arena, &err));
}

/* ---- pieces ---- */

static void route_piece(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
			struct slice text)
{
	const struct loose_piece *p = &lane->piece;
	const struct loose_form *form = &loose_forms[p->kind];
	unsigned before = p->first_line - 1 - p->put_before;
	struct evidence ev = t->about;
	struct node *n;
	struct mark m;

	ev.kind = form->kind;
	ev.out = text;
	name_piece(c, t, lane, text, &ev);
	if (form->kind == EV_BUNDLE) {
		parse_evidence(c, &ev);
		return;
	}
	n = parse_node(c, node_of_piece(t, lane, form->kind));
	m = mark_of(n);
	(void)parse_route(n, &ev, form->parse, p->scattered ? 0 : before);
	finish_facts(n, m, ev.path, p->scattered ? 0 : before);
	if (p->kind == LOOSE_TABLESTATS)
		give_keyspace(n, m, &ev);
	if (p->kind == LOOSE_FILES)
		give_folder(n, m, hint_of_piece(t, lane).folder);
	if (p->kind == LOOSE_NODE)
		keep_failed_commands(n);
}

/* A JSON document of somebody else. */
static void note_unknown_json(struct cluster *c, struct loose_text *t, struct slice text)
{
	text.n = slice_find(text, '\n') < 60 ? slice_find(text, '\n') : text.n < 60 ? text.n : 60;
	if (!t->unknown)
		t->unknown = arena_strdup(c->arena, complaint_tidy(c->arena, text));
}

void loose_piece_end(struct cluster *c, struct loose_text *t, struct loose_lane *lane)
{
	struct loose_piece *p = &lane->piece;
	struct slice text = text_of(p);

	if (p->kind == LOOSE_JSON)
		p->kind = recognise_json(text);
	if (p->kind == LOOSE_JSON) {
		note_unknown_json(c, t, text);
	} else if (p->kind == LOOSE_COMPLAINT) {
		end_complaint(c, t, lane, text);
	} else if (p->kind) {
		t->n_pieces++;
		route_piece(c, t, lane, text);
	}
	p->kind = LOOSE_NONE;
	p->copy.n = 0;
	p->copied = false;
	p->range = (struct slice){ NULL, 0 };
}

void loose_text_close(struct loose_text *t)
{
	for (size_t i = 0; i < t->lanes.n; i++) {
		buf_free(&t->lanes.v[i]->piece.copy);
		buf_free(&t->lanes.v[i]->piece.folder);
	}
	buf_free(&t->carry);
	t->started = false;
}
