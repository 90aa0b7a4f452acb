/*
 * Routing: each piece of evidence to the parser of its kind, and what became of it to the node's
 * evidence records. One record stands for all pieces of a kind and subject: thousands of
 * Statistics.db files of a table are one row, with the first error and how many failed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "parse/loose.h"

enum { REASON_MAX = 200, KINDS = 32 };

/* The pieces of one kind and subject so far. */
struct tally {
	enum evidence_kind kind;
	const char *subject;	/* "keyspace.table", NULL = the node as a whole */
	uint64_t hash;		/* of the subject */
	size_t n, n_partial, n_failed;
	const char *error;	/* of the first that was not ok */
};

struct parse_state {
	VEC(struct tally) tallies;
	size_t last[KINDS];	/* by kind: index of the tally used last */
	VEC(bool) command_seen;	/* by index of the node's commands: its file was read */
};

struct outcome { enum evidence_status status; const char *error; };

/* ---- tallies ---- */

static struct parse_state *state_of(struct node *n)
{
	if (!n->parsing)
		n->parsing = arena_alloc(n->cluster->arena, sizeof(*n->parsing));
	return n->parsing;
}

static unsigned bit_index(enum evidence_kind kind)
{
	unsigned i = 0;

	for (unsigned bits = (unsigned)kind; bits > 1; bits >>= 1)
		i++;
	return i;
}

/* FNV-1a: compares quickly with many subjects. */
static uint64_t hash_text(const char *s)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; s && *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return h;
}

static bool is_same(const struct tally *t, enum evidence_kind kind, const char *subject,
		    uint64_t hash)
{
	if (t->kind != kind || t->hash != hash || !t->subject != !subject)
		return false;
	return !subject || strcmp(t->subject, subject) == 0;
}

static struct tally *tally_of(struct node *n, enum evidence_kind kind, const char *subject)
{
	struct parse_state *s = state_of(n);
	size_t *last = &s->last[bit_index(kind)];
	uint64_t hash = hash_text(subject);
	struct tally *t;

	if (*last < s->tallies.n && is_same(&s->tallies.v[*last], kind, subject, hash))
		return &s->tallies.v[*last];
	for (*last = 0; *last < s->tallies.n; ++*last)
		if (is_same(&s->tallies.v[*last], kind, subject, hash))
			return &s->tallies.v[*last];
	t = vec_add(n->cluster->arena, &s->tallies);
	t->kind = kind;
	t->subject = subject ? arena_strdup(n->cluster->arena, subject) : NULL;
	t->hash = hash;
	return t;
}

static void tally(struct node *n, enum evidence_kind kind, const char *subject, struct outcome o)
{
	struct tally *t = tally_of(n, kind, subject);

	t->n++;
	t->n_failed += o.status == EVIDENCE_FAILED;
	t->n_partial += o.status == EVIDENCE_PARTIAL;
	if (o.status != EVIDENCE_OK && !t->error)
		t->error = o.error;
}

static void record_tally(struct node *n, const struct tally *t)
{
	size_t bad = t->n_failed + t->n_partial;
	enum evidence_status status = EVIDENCE_PARTIAL;
	const char *error = t->error;

	/* A schema comes in two forms, and either of them is enough. */
	if (!bad || (t->kind == EV_SCHEMA && bad < t->n)) {
		status = EVIDENCE_OK;
		error = NULL;
	} else if (t->n_failed == t->n) {
		status = EVIDENCE_FAILED;
	}
	if (error && bad > 1)
		error = arena_printf(n->cluster->arena, "%s (and %zu more of %zu)", error, bad - 1,
				     t->n);
	node_record_evidence(n, t->kind, t->subject, status, error);
}

/* ---- commands ---- */

static bool has_failed(const struct command *c)
{
	return c->signal || (c->exit_status.known && c->exit_status.v != 0);
}

/* The line of stderr that says what is wrong: not what a JVM says of itself. */
static struct slice first_words(const char *errout)
{
	struct lines it = lines_of(slice_of(errout));
	struct slice line;

	while (lines_next(&it, &line)) {
		line = slice_trim(line);
		if (line.n && !slice_starts(line, SLICE("Picked up ")))
			return line;
	}
	return (struct slice){ "", 0 };
}

static const char *why_failed(struct arena *a, const struct command *c)
{
	struct slice words = first_words(c->errout);
	const char *what = c->command ? c->command : c->kind ? c->kind : "the command";
	char *text;

	if (words.n > REASON_MAX)
		words.n = REASON_MAX;
	/* not reached: the words say it all, and are the same for all that is missing */
	if (words.n && c->command && strncmp(c->command, "ssh ", 4) == 0)
		text = arena_copy(a, words);
	else if (c->signal)
		text = arena_printf(a, "'%.*s' was ended by signal %s%s%.*s", REASON_MAX, what,
				    c->signal, words.n ? ": " : "", (int)words.n, words.p);
	else
		text = arena_printf(a, "'%.*s' ended with exit status %lld%s%.*s", REASON_MAX, what,
				    (long long)c->exit_status.v, words.n ? ": " : "",
				    (int)words.n, words.p);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	return text;
}

/*
 * The command that made this piece, from node.json; NULL when nothing tells. SSTables' files have
 * none of their own: one command brings all of them.
 */
static const struct command *command_of(struct node *n, const struct evidence *ev)
{
	struct parse_state *s = state_of(n);

	if (!ev->relative || ev->kind == EV_STATISTICS_DB || ev->kind == EV_KEYS_DB)
		return NULL;
	while (s->command_seen.n < n->commands.n)
		*vec_add(n->cluster->arena, &s->command_seen) = false;
	for (size_t i = 0; i < n->commands.n; i++) {
		const struct command *c = n->commands.v[i];

		if (c->file && strcmp(c->file, ev->relative) == 0) {
			s->command_seen.v[i] = true;
			return c;
		}
	}
	return NULL;
}

/* "keyspace.table" of one table's evidence; NULL when it is of the whole node. */
static const char *subject_of(struct node *n, const struct evidence *ev, char *room, size_t size)
{
	struct slice table, id, keyspace = slice_of(ev->keyspace);
	char *out = room;

	if (ev->table)
		table = slice_of(ev->table);
	else if (ev->directory)
		parse_table_dir(slice_of(ev->directory), &table, &id);
	else
		return NULL;
	if (keyspace.n + table.n + 2 > size)
		out = arena_alloc(n->cluster->arena, keyspace.n + table.n + 2);
	if (keyspace.n) {
		memcpy(out, keyspace.p, keyspace.n);
		out[keyspace.n] = '.';
		keyspace.n++;
	}
	memcpy(out + keyspace.n, table.p, table.n);
	out[keyspace.n + table.n] = '\0';
	return out;
}

/* A live source tells with the piece what node.json tells of a saved one. */
static void note_command(struct node *n, const struct evidence *ev)
{
	struct arena *a = n->cluster->arena;
	struct command *c = arena_alloc(a, sizeof(*c));
	const char *subject = subject_of(n, ev, NULL, 0);

	*c = (struct command){
		.kind = evidence_kind_name(ev->kind),
		.subject = subject,
		.command = arena_strdup(a, ev->command),
		.file = ev->out.p && ev->relative ? arena_strdup(a, ev->relative) : NULL,
		.errout = ev->errout ? arena_strdup(a, ev->errout) : NULL,
		.exit_status = ev->exit_status,
		.started_s = ev->started_s,
		.duration_ms = ev->duration_ms,
		.signal = ev->signal ? arena_strdup(a, ev->signal) : NULL,
	};
	*vec_add(a, &n->commands) = c;
}

/* ---- one piece ---- */

static bool is_json(const struct evidence *ev)
{
	return ev->relative && slice_ends(slice_of(ev->relative), SLICE(".json"));
}

/* tablestats' form shows in its first byte; a file's name counts when that tells nothing. */
static parse_fn *tablestats_parser(const struct evidence *ev)
{
	struct slice path = slice_of(ev->path), text = ev->out;

	while (text.n && (text.p[0] == '\n' || text.p[0] == '\r' || text.p[0] == ' '))
		text = slice_from(text, 1);
	if (slice_starts(text, SLICE("{")) ||
	    slice_starts(text, SLICE("total_number_of_tables:")) ||
	    slice_ends(path, SLICE(".json")) || slice_ends(path, SLICE(".yaml")))
		return parse_tablestats_json;
	return parse_tablestats;
}

/* ScyllaDB's tool writes JSON, whatever the file is called. */
static bool begins_with_brace(const struct evidence *ev)
{
	struct slice text = lines_of(ev->out).rest;

	while (text.n && (text.p[0] == '\n' || text.p[0] == '\r' || text.p[0] == ' '))
		text = slice_from(text, 1);
	return text.n && text.p[0] == '{';
}

/* The listing of a bundle, as against what people save of ls or find. */
static bool is_tsv(const struct evidence *ev)
{
	struct lines it = lines_of(ev->out);
	struct slice line;

	if (ev->path && slice_ends(slice_of(ev->path), SLICE(".tsv")))
		return true;
	while (lines_next(&it, &line))
		if (slice_trim(line).n)
			return slice_find(line, '\t') < line.n;
	return true;
}

static parse_fn *parser_of(const struct evidence *ev)
{
	switch (ev->kind) {
	case EV_NODE: return parse_node_json;
	case EV_STATUS: return parse_status;
	case EV_INFO: return parse_info;
	case EV_VERSION: return parse_version;
	case EV_DATAPATHS: return parse_datapaths;
	case EV_DESCRIBECLUSTER: return parse_describecluster;
	case EV_STATUSAUTOCOMPACTION: return parse_statusautocompaction;
	case EV_TABLESTATS: return tablestats_parser(ev);
	case EV_TABLEHISTOGRAMS: return parse_tablehistograms;
	case EV_COMPACTIONSTATS: return parse_compactionstats;
	case EV_DISK_USAGE: return parse_df;
	case EV_SCHEMA: return is_json(ev) ? parse_schema_json : parse_schema;
	case EV_LISTING: return is_tsv(ev) ? parse_listing : parse_file_listing;
	case EV_SSTABLEMETADATA:
		return begins_with_brace(ev) ? parse_dump_statistics_json : parse_sstablemetadata;
	case EV_EXPIREDBLOCKERS: return parse_expiredblockers;
	case EV_STATISTICS_DB: return parse_statistics_db;
	case EV_KEYS_DB: return parse_keys_db;
	default: return NULL;	/* kept as evidence, nothing is taken out of it */
	}
}

static struct outcome parse_piece(struct node *n, const struct evidence *ev, parse_fn *parse,
				  const struct command *c, unsigned lines_before)
{
	struct arena *a = n->cluster->arena;
	struct err err = ev->err;
	bool failed = c && has_failed(c), useful;

	if (err.kind != ERR_NONE)
		return (struct outcome){ EVIDENCE_FAILED, err_text(a, &err) };
	useful = parse ? parse(a, ev, n, &err) : ev->out.n > 0 && !failed;
	if (!useful && !failed)
		err_set(a, &err, ERR_FORMAT, ev->path, 0, "the output is empty");
	if (err.line)
		err.line += lines_before;
	if (failed)
		return (struct outcome){ useful ? EVIDENCE_PARTIAL : EVIDENCE_FAILED,
					 why_failed(a, c) };
	if (err.kind != ERR_NONE)
		return (struct outcome){ useful ? EVIDENCE_PARTIAL : EVIDENCE_FAILED,
					 err_text(a, &err) };
	return (struct outcome){ EVIDENCE_OK, NULL };
}

/* node.json may have given a node another name than its folder's. */
struct node *parse_node(struct cluster *c, const char *folder)
{
	for (size_t i = c->nodes.n; i > 0; i--)
		if (c->nodes.v[i - 1]->folder && strcmp(c->nodes.v[i - 1]->folder, folder) == 0)
			return c->nodes.v[i - 1];
	return cluster_node(c, folder);
}

/* A bundle's own file belongs to no node: what is wrong with it is a note. */
static void parse_bundle(struct cluster *c, const struct evidence *ev)
{
	struct node none = { .cluster = c, .name = "" };
	struct err err = ev->err;

	if (err.kind == ERR_NONE)
		(void)parse_bundle_json(c->arena, ev, &none, &err);
	if (err.kind != ERR_NONE)
		*vec_add(c->arena, &c->notes) = err_text(c->arena, &err);
}

static void note_time(struct node *n, const struct evidence *ev)
{
	if (ev->mtime_s.known &&
	    (!n->newest_mtime_s.known || ev->mtime_s.v > n->newest_mtime_s.v))
		n->newest_mtime_s = ev->mtime_s;
}

bool parse_route(struct node *n, const struct evidence *ev, parse_fn *parse,
		 unsigned lines_before)
{
	struct outcome o = parse_piece(n, ev, parse, NULL, lines_before);
	char room[256];

	note_time(n, ev);
	tally(n, ev->kind, subject_of(n, ev, room, sizeof(room)), o);
	return o.status != EVIDENCE_FAILED;
}

void parse_evidence(struct cluster *c, const struct evidence *ev)
{
	const struct command *command;
	struct node *n;
	char room[256];

	if (ev->kind == EV_BUNDLE) {
		parse_bundle(c, ev);
		return;
	}
	if (ev->kind == EV_LOOSE) {
		parse_loose(c, ev);
		return;
	}
	n = parse_node(c, ev->node);
	note_time(n, ev);
	if (ev->command && ev->kind != EV_NODE)
		note_command(n, ev);
	if (ev->command && !ev->out.p)
		return;		/* nothing came of it: parse_finish() tells why */
	command = command_of(n, ev);
	tally(n, ev->kind, subject_of(n, ev, room, sizeof(room)),
	      parse_piece(n, ev, parser_of(ev), command, 0));
}

/* ---- for loose texts ---- */

void parse_tally(struct node *n, enum evidence_kind kind, const char *subject,
		 enum evidence_status status, const char *error)
{
	tally(n, kind, subject, (struct outcome){ status, error });
}

bool parse_has_good(struct node *n, enum evidence_kind kind, const char *subject)
{
	struct parse_state *s = state_of(n);

	for (size_t i = 0; i < s->tallies.n; i++) {
		const struct tally *t = &s->tallies.v[i];

		if (t->kind == kind && t->n > t->n_failed &&
		    (!subject || (t->subject && strcmp(t->subject, subject) == 0)))
			return true;
	}
	return false;
}

unsigned parse_kinds(struct node *n)
{
	struct parse_state *s = state_of(n);
	unsigned kinds = 0;

	for (size_t i = 0; i < s->tallies.n; i++)
		kinds |= s->tallies.v[i].kind;
	return kinds;
}

void parse_move_tallies(struct node *into, struct node *from)
{
	struct parse_state *s = state_of(from);

	for (size_t i = 0; i < s->tallies.n; i++) {
		const struct tally *t = &s->tallies.v[i];
		struct tally *to = tally_of(into, t->kind, t->subject);

		to->n += t->n;
		to->n_partial += t->n_partial;
		to->n_failed += t->n_failed;
		to->error = to->error ? to->error : t->error;
	}
	s->tallies.n = 0;
}

/* ---- the end ---- */

/* The kind that a command of node.json is of; 0 when it is none of ours. */
static unsigned kind_of_command(const struct command *c)
{
	static const struct {
		const char *name;
		enum evidence_kind kind;
	} other_names[] = { { "df", EV_DISK_USAGE }, { "cassandra.yaml", EV_SETTINGS },
			    { "listing", EV_LISTING } };

	for (unsigned bit = EV_BUNDLE; c->kind && bit <= EV_EXPIREDBLOCKERS; bit <<= 1)
		if (strcmp(c->kind, evidence_kind_name((enum evidence_kind)bit)) == 0)
			return bit;
	for (size_t i = 0; c->kind && i < ARRAY_LEN(other_names); i++)
		if (strcmp(c->kind, other_names[i].name) == 0)
			return other_names[i].kind;
	return 0;
}

static void finish_command(struct node *n, const struct command *c)
{
	struct arena *a = n->cluster->arena;
	unsigned kind = kind_of_command(c);
	struct outcome o = { EVIDENCE_FAILED, NULL };

	if (!kind)
		return;
	if (has_failed(c))
		o.error = why_failed(a, c);
	else if (c->file && kind != EV_STATISTICS_DB && kind != EV_KEYS_DB)
		o.error = arena_printf(a, "its output '%s' is missing", c->file);
	else
		return;
	tally(n, (enum evidence_kind)kind, c->subject, o);
}

/* The records' order must not depend on the order in which a source came by the pieces. */
static int by_kind(const void *p, const void *q)
{
	const struct tally *t = p, *u = q;

	if (t->kind != u->kind)
		return t->kind < u->kind ? -1 : 1;
	if (!t->subject || !u->subject)
		return (t->subject != NULL) - (u->subject != NULL);
	return strcmp(t->subject, u->subject);
}

void parse_finish(struct cluster *c)
{
	loose_finish(c);
	for (size_t i = 0; i < c->nodes.n; i++) {
		struct node *n = c->nodes.v[i];
		struct parse_state *s = state_of(n);

		for (size_t k = 0; k < n->commands.n; k++)
			if (k >= s->command_seen.n || !s->command_seen.v[k])
				finish_command(n, n->commands.v[k]);
		if (s->tallies.n)
			qsort(s->tallies.v, s->tallies.n, sizeof(*s->tallies.v), by_kind);
		for (size_t k = 0; k < s->tallies.n; k++)
			record_tally(n, &s->tallies.v[k]);
		n->parsing = NULL;
	}
}
