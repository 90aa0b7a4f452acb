/*
 * The schema as CQL text: DESCRIBE's output of all releases, hand-written files, and the pieces
 * of either that people paste.
 *
 * Statements run up to their semicolon. A statement that is cut off or cannot be read is an error
 * at its line; of such a table only options that stand there whole are taken over (the server
 * refuses an option that comes twice, so nothing after them changes them), and no default is
 * filled in. Text between statements (warnings of cqlsh, prompts) is passed over line by line.
 */
#include "parse/complaint.h"
#include "parse/cql.h"
#include "parse/parse.h"
#include "parse/schema_set.h"

struct reader {
	struct arena *a;
	struct cql c;
	const char *source;
	struct err *err;
	const char *keyspace;	/* of USE; NULL = none yet */
	struct schema_set set;
	bool partial;		/* cut off, or something could not be read */
};

struct name { const char *keyspace, *name; };	/* NULL = not said; name NULL = a placeholder */

/* A statement ends here in error: its line, what is wrong. */
static bool fail(struct reader *r, unsigned line, const char *what)
{
	struct slice at = r->c.now.text;

	r->partial = true;
	if (r->c.now.cut)
		return err_set(r->a, r->err, ERR_FORMAT, r->source, line,
			       "the text ends inside %s", what);
	if (at.n > 40)
		at.n = 40;
	return err_set(r->a, r->err, ERR_FORMAT, r->source, r->c.now.line,
		       "%s cannot be read at '%s'", what, complaint_tidy(r->a, at));
}

/*
 * Passes over the rest of a statement. A line that begins with CREATE starts the next one even
 * where the semicolon is missing.
 */
static void skip_statement(struct reader *r)
{
	while (r->c.now.kind != CQL_END && !(r->c.now.first && cql_is_word(&r->c, "create")) &&
	       !cql_take(&r->c, ';'))
		cql_next(&r->c);
}

/*
 * One part of a name. Placeholders of templates (${keyspace}, <name>, {{name}}) are runs of
 * several tokens without a blank: *out is NULL. False when there is no part, or it is cut off.
 */
static bool read_name_part(struct reader *r, const char **out)
{
	struct cql_token first = r->c.now;
	size_t n = 0;

	for (; r->c.now.kind != CQL_END; n++) {
		if (cql_is(&r->c, '.') || cql_is(&r->c, '(') || cql_is(&r->c, ';'))
			break;
		if (r->c.now.cut)
			return false;
		if (n && r->c.now.text.p != first.text.p + first.text.n)
			break;
		first.text.n += n ? r->c.now.text.n : 0;
		cql_next(&r->c);
	}
	*out = NULL;
	if (n == 1 && (first.kind == CQL_WORD || first.kind == CQL_QUOTED))
		*out = cql_name(r->a, &first);
	return n > 0;
}

/* "[IF [NOT] EXISTS] [keyspace.]name"; without keyspace the one of USE. */
static bool read_name(struct reader *r, struct name *out)
{
	if (cql_take_word(&r->c, "if")) {
		cql_take_word(&r->c, "not");
		cql_take_word(&r->c, "exists");
	}
	*out = (struct name){ .keyspace = r->keyspace };
	if (!read_name_part(r, &out->name))
		return false;
	if (cql_take(&r->c, '.')) {
		out->keyspace = out->name;
		if (!read_name_part(r, &out->name))
			return false;
	}
	return r->c.now.kind != CQL_END;	/* "ks" could be the start of "ks.table" */
}

/* 32 hex digits of "ID = 5a1c395e-b41f-…". */
static const char *id_digits(struct arena *a, const char *uuid)
{
	char *p = arena_strdup(a, uuid), *to = p;

	for (const char *from = uuid; *from; from++)
		if (*from != '-')
			*to++ = *from >= 'A' && *from <= 'F' ? (char)(*from - 'A' + 'a') : *from;
	*to = '\0';
	return to - p == 32 ? p : NULL;
}

/* "name = value" of a table. False when it is not whole or not of that form. */
static bool read_option(struct reader *r, struct schema_table *t, bool *good)
{
	struct cql_token name = r->c.now;
	const struct option_place at = { r->source, name.line };
	const struct option_map *map;
	const char *text, *key;

	if (cql_take_word(&r->c, "clustering"))
		return cql_take_word(&r->c, "order") && cql_take_word(&r->c, "by") &&
		       cql_is(&r->c, '(') && cql_skip_brackets(&r->c);
	if (cql_take_word(&r->c, "compact"))
		return cql_take_word(&r->c, "storage");
	if (name.cut || (name.kind != CQL_WORD && name.kind != CQL_QUOTED))
		return false;
	cql_next(&r->c);
	if (!cql_take(&r->c, '=') || !cql_value(r->a, &r->c, &text, &map))
		return false;
	key = cql_name(r->a, &name);
	if (strcmp(key, "id") == 0 && text)
		t->id = id_digits(r->a, text);
	else if (text || map)
		*good &= settings_set(r->a, &t->settings, key, text, map, at, r->err);
	return true;
}

/* The options up to the end of the statement; true when all of it was there and right. */
static bool read_options(struct reader *r, struct schema_table *t, unsigned line)
{
	bool good = true, read;

	do {
		read = read_option(r, t, &good);
	} while (read && cql_take_word(&r->c, "and"));
	if (!read || !cql_take(&r->c, ';')) {
		good = fail(r, line, "the options of a table");
		skip_statement(r);
	}
	r->partial |= !good;
	return good;
}

/* What follows the name of a new table or view: its columns or its query, then its options. */
static void read_new_table(struct reader *r, struct schema_table *t, bool is_view, unsigned line)
{
	bool whole;

	while (is_view && !cql_is_word(&r->c, "with") && !cql_is(&r->c, ';') &&
	       r->c.now.kind != CQL_END)
		cql_next(&r->c);
	if (!is_view && !cql_skip_brackets(&r->c))
		goto bad;
	if (cql_take_word(&r->c, "with"))
		whole = read_options(r, t, line);
	else if (cql_take(&r->c, ';'))
		whole = true;
	else
		goto bad;
	if (whole)
		settings_fill_defaults(&t->settings);
	return;
bad:
	fail(r, line, is_view ? "a CREATE MATERIALIZED VIEW" : "a CREATE TABLE");
	skip_statement(r);
}

static bool is_name_end(const struct reader *r, bool is_view)
{
	return is_view ? cql_is_word(&r->c, "as") && !r->c.now.cut : cql_is(&r->c, '(');
}

static void read_create_table(struct reader *r, bool is_view, unsigned line)
{
	bool if_new = cql_is_word(&r->c, "if");
	struct schema_table *t, *known;
	struct schema_set scratch = { 0 };
	struct name name;

	if (!read_name(r, &name) || !is_name_end(r, is_view)) {
		fail(r, line, is_view ? "a CREATE MATERIALIZED VIEW" : "a CREATE TABLE");
		skip_statement(r);
		return;
	}
	if (!name.name) {
		fail(r, line, "the name of a table");
		name = (struct name){ "", "" };
	}
	known = if_new ? schema_set_find(r->a, &r->set, name.keyspace, name.name) : NULL;
	t = schema_set_add(r->a, known ? &scratch : &r->set, name.keyspace, name.name, r->source,
			   line);
	t->is_view = is_view;
	read_new_table(r, t, is_view, line);
}

/* "WITH replication = {…} AND …"; what a cut ALTER changes is unknown. */
static void read_keyspace_options(struct reader *r, struct schema_keyspace *k, unsigned line)
{
	const struct option_map *map;
	const char *text;
	bool known = false, replication, read;

	do {
		replication = cql_is_word(&r->c, "replication");
		cql_next(&r->c);
		read = cql_take(&r->c, '=') && cql_value(r->a, &r->c, &text, &map);
		if (read && replication && map) {
			schema_set_replication(k, map);
			known = true;
		}
	} while (read && cql_take_word(&r->c, "and"));
	if (!read || !cql_is(&r->c, ';')) {
		fail(r, line, "the options of a keyspace");
		if (!known)
			*k = (struct schema_keyspace){ .name = k->name };
	}
	skip_statement(r);
}

static void read_keyspace(struct reader *r, unsigned line)
{
	bool if_new = cql_is_word(&r->c, "if");
	struct schema_keyspace *k, ignored = { 0 };
	struct name name;

	if (!read_name(r, &name) || !cql_take_word(&r->c, "with")) {
		fail(r, line, "the options of a keyspace");
		skip_statement(r);
		return;
	}
	k = name.name ? schema_set_keyspace(r->a, &r->set, name.name) : &ignored;
	if (if_new && k->replication_class)
		k = &ignored;	/* it was there: the server keeps it */
	read_keyspace_options(r, k, line);
}

/* ALTER TABLE and ALTER MATERIALIZED VIEW: only WITH changes settings. */
static void read_alter_table(struct reader *r, unsigned line)
{
	struct schema_table *t, changed;
	struct name name;

	if (!read_name(r, &name)) {
		fail(r, line, "an ALTER TABLE");
		skip_statement(r);
		return;
	}
	if (!cql_take_word(&r->c, "with") || !name.name) {
		skip_statement(r);
		return;
	}
	t = schema_set_find(r->a, &r->set, name.keyspace, name.name);
	if (!t)
		t = schema_set_add(r->a, &r->set, name.keyspace, name.name, r->source, line);
	changed = *t;
	if (!read_options(r, &changed, line))
		settings_init(&changed.settings);	/* what else it changed is not known */
	*t = changed;
}

static void read_drop(struct reader *r)
{
	struct name name;
	bool keyspace;

	cql_next(&r->c);
	keyspace = cql_is_word(&r->c, "keyspace");
	if (cql_take_word(&r->c, "materialized"))
		cql_take_word(&r->c, "view");
	else
		cql_next(&r->c);
	if (read_name(r, &name) && name.name && cql_is(&r->c, ';')) {
		if (keyspace)
			schema_set_drop(r->a, &r->set, name.name, NULL);
		else
			schema_set_drop(r->a, &r->set, name.keyspace, name.name);
	}
	skip_statement(r);
}

/*
 * Options whose table is not in the text, as pasted: "WITH … AND compaction = {…}" or from an AND
 * on. They are kept without a name: nobody can tell where they belong.
 */
static void read_fragment(struct reader *r)
{
	bool from_with = cql_is_word(&r->c, "with");
	unsigned line = r->c.now.line;
	struct schema_table *t = schema_set_add(r->a, &r->set, "", "", r->source, line);

	if (from_with || cql_is_word(&r->c, "and"))
		cql_next(&r->c);
	if (read_options(r, t, line) && from_with)
		settings_fill_defaults(&t->settings);
	r->partial = true;
	err_set(r->a, r->err, ERR_FORMAT, r->source, line,
		"options without the name of their table");
}

/* "WITH option = …", "AND option = …", or an option that begins a piece cut off at its head. */
static bool is_fragment(const struct reader *r)
{
	static const char *const options[] = {
		"compaction", "gc_grace_seconds", "default_time_to_live", "comment", "caching",
		"bloom_filter_fp_chance", "additional_write_policy", "id",
	};
	struct cql ahead = r->c;
	bool starts = cql_take_word(&ahead, "with") || cql_take_word(&ahead, "and");

	if (starts && (cql_is_word(&ahead, "clustering") || cql_is_word(&ahead, "compact")))
		return true;
	for (size_t i = 0; !starts && i < ARRAY_LEN(options); i++)
		starts = cql_is_word(&ahead, options[i]);
	if (!starts || ahead.now.kind != CQL_WORD)
		return false;
	cql_next(&ahead);
	return cql_is(&ahead, '=');
}

/* What CREATE, ALTER and DROP are followed by; else it is a line of prose. */
static bool next_is_object(const struct reader *r)
{
	static const char *const objects[] = {
		"table", "columnfamily", "materialized", "keyspace", "index", "custom", "type",
		"function", "or", "aggregate", "trigger", "role", "user", "schema",
	};

	struct cql ahead = r->c;

	cql_next(&ahead);
	for (size_t i = 0; i < ARRAY_LEN(objects); i++)
		if (cql_is_word(&ahead, objects[i]))
			return true;
	return false;
}

static bool is_other_statement(const struct reader *r)
{
	static const char *const words[] = {
		"insert", "update", "delete", "select", "grant", "revoke", "truncate", "begin",
		"apply",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (cql_is_word(&r->c, words[i]))
			return true;
	return false;
}

static bool take_table_word(struct reader *r)
{
	return cql_take_word(&r->c, "table") || cql_take_word(&r->c, "columnfamily");
}

static bool take_view_words(struct reader *r)
{
	return cql_take_word(&r->c, "materialized") && cql_take_word(&r->c, "view");
}

static void read_create(struct reader *r)
{
	unsigned line = r->c.now.line;

	cql_next(&r->c);
	if (take_table_word(r))
		read_create_table(r, false, line);
	else if (take_view_words(r))
		read_create_table(r, true, line);
	else if (cql_take_word(&r->c, "keyspace") || cql_take_word(&r->c, "schema"))
		read_keyspace(r, line);
	else
		skip_statement(r);
}

static void read_alter(struct reader *r)
{
	unsigned line = r->c.now.line;

	cql_next(&r->c);
	if (take_table_word(r) || take_view_words(r))
		read_alter_table(r, line);
	else if (cql_take_word(&r->c, "keyspace") || cql_take_word(&r->c, "schema"))
		read_keyspace(r, line);
	else
		skip_statement(r);
}

/* "USE name;": anything else that begins with the word is prose. */
static void read_use(struct reader *r)
{
	struct cql start = r->c;
	struct name name;

	cql_next(&r->c);
	if (read_name(r, &name) && cql_take(&r->c, ';')) {
		r->keyspace = name.name;
		return;
	}
	r->c = start;
	cql_skip_line(&r->c);
}

/* "cqlsh:metrics> " before a pasted statement. */
static bool take_prompt(struct reader *r)
{
	struct cql start = r->c;

	if (!cql_take_word(&r->c, "cqlsh"))
		return false;
	if (cql_take(&r->c, ':'))
		cql_next(&r->c);
	if (cql_take(&r->c, '>'))
		return true;
	r->c = start;
	return false;
}

static void read_statement(struct reader *r)
{
	if (cql_is_word(&r->c, "create") && next_is_object(r))
		read_create(r);
	else if (cql_is_word(&r->c, "alter") && next_is_object(r))
		read_alter(r);
	else if (cql_is_word(&r->c, "drop") && next_is_object(r))
		read_drop(r);
	else if (cql_is_word(&r->c, "use"))
		read_use(r);
	else if (is_fragment(r))
		read_fragment(r);
	else if (is_other_statement(r))
		skip_statement(r);
	else if (!cql_take(&r->c, ';') && !cql_take(&r->c, ')') && !take_prompt(r))
		cql_skip_line(&r->c);
}

bool parse_schema(struct arena *a, const struct evidence *ev, struct node *into, struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .c = cql_open(ev->out), .source = source, .err = err };

	while (r.c.now.kind != CQL_END)
		read_statement(&r);
	if (!r.set.tables.n && !r.set.keyspaces.n)
		return r.partial ? false : complaint_report(a, ev->out, source, "schema", err);
	schema_set_merge(a, &r.set, into->cluster, source, r.partial);
	return true;
}
