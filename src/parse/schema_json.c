/*
 * The schema as rows of system_schema, one JSON object a line: what SELECT JSON prints in cqlsh
 * (a heading, a rule, padded rows, "(n rows)"; it doubles backslashes), or a bundle's schema.json,
 * whose rows say in "from" which table they are of. Rows of other tables are passed over.
 *
 * Source: SchemaKeyspace (3.0 to 5.0) for the columns.
 */
#include <cjson/cJSON.h>
#include <math.h>

#include "base/num.h"
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/parse.h"
#include "parse/schema_set.h"
#include "parse/settings.h"

enum { ROW_MAX = 1024 * 1024, MAP_MAX = 64 };

struct reader {
	struct arena *a;
	const char *source;
	struct err *err;
	struct schema_set set;
	bool cqlsh;		/* after a heading of cqlsh */
	bool open;		/* its number of rows has not come yet */
	int64_t n_rows;		/* since that heading */
	bool partial, rows;	/* rows: a row of system_schema was read */
};

static const char *text_of(const cJSON *row, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, key));
}

/* A string, number or boolean as the CQL text has it; NULL for anything else. */
static const char *plain_value(struct arena *a, const cJSON *item)
{
	if (cJSON_IsString(item))
		return arena_strdup(a, item->valuestring);
	if (cJSON_IsBool(item))
		return cJSON_IsTrue(item) ? "true" : "false";
	if (!cJSON_IsNumber(item))
		return NULL;
	if (fabs(item->valuedouble) < 9e15 && floor(item->valuedouble) == item->valuedouble)
		return arena_printf(a, "%lld", (long long)item->valuedouble);
	return arena_printf(a, "%.17g", item->valuedouble);
}

/* An object as a map of options; NULL when it is none or has more entries than any table. */
static struct option_map *map_of(struct arena *a, const cJSON *object)
{
	struct option_map *m;
	const cJSON *item;

	if (!cJSON_IsObject(object) || cJSON_GetArraySize(object) > MAP_MAX)
		return NULL;
	m = arena_alloc(a, sizeof(*m));
	cJSON_ArrayForEach(item, object)
		option_map_set(a, m, arena_strdup(a, item->string), plain_value(a, item));
	return m;
}

/* 32 hex digits of a UUID; NULL when it is none. */
static const char *id_of(struct arena *a, const char *uuid)
{
	char *p, *to;

	if (!uuid || strlen(uuid) != 36)
		return NULL;
	p = to = arena_strdup(a, uuid);
	for (const char *from = uuid; *from; from++)
		if (*from != '-')
			*to++ = *from;
	*to = '\0';
	return to - p == 32 ? p : NULL;
}

static void read_options(struct reader *r, const cJSON *row, struct schema_table *t)
{
	static const char *const columns[] = {
		"compaction", "default_time_to_live", "gc_grace_seconds", "read_repair",
		"read_repair_chance", "dclocal_read_repair_chance", "tombstone_gc",
	};
	const struct option_place at = { r->source, t->line };

	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, columns[i]);
		const char *value = item ? plain_value(r->a, item) : NULL;
		struct option_map *map = item ? map_of(r->a, item) : NULL;

		if (!item || cJSON_IsNull(item))
			continue;	/* not selected, or not set */
		if (!value && !map)
			value = "no plain value";
		if (!settings_set(r->a, &t->settings, columns[i], value, map, at, r->err))
			r->partial = true;
	}
}

static void read_table(struct reader *r, const cJSON *row, const char *keyspace, const char *name,
		       bool is_view, unsigned line)
{
	struct schema_table *t = schema_set_add(r->a, &r->set, arena_strdup(r->a, keyspace),
						arena_strdup(r->a, name), r->source, line);

	t->is_view = is_view;
	t->id = id_of(r->a, text_of(row, "id"));
	read_options(r, row, t);
	/* the server has no such column for views, whose rows keep the table's expiry */
	if (is_view && !t->settings.default_ttl_s.known)
		t->settings.default_ttl_s = some_i64(0);
}

static void read_keyspace(struct reader *r, const cJSON *row, const char *name)
{
	struct schema_keyspace *k = schema_set_keyspace(r->a, &r->set, arena_strdup(r->a, name));
	struct option_map *m = map_of(r->a, cJSON_GetObjectItemCaseSensitive(row, "replication"));

	if (m)
		schema_set_replication(k, m);
}

static bool is_from(const char *from, const char *table)
{
	const char *dot = from ? strrchr(from, '.') : NULL;

	return !from || strcmp(dot ? dot + 1 : from, table) == 0;
}

static void read_row(struct reader *r, const cJSON *row, unsigned line)
{
	const char *keyspace = text_of(row, "keyspace_name"), *from = text_of(row, "from");
	const char *table = text_of(row, "table_name"), *view = text_of(row, "view_name");
	bool options = cJSON_HasObjectItem(row, "compaction") ||
		       cJSON_HasObjectItem(row, "gc_grace_seconds") ||
		       cJSON_HasObjectItem(row, "default_time_to_live");

	if (!keyspace)
		return;
	r->rows = true;
	if (view && *view && options && is_from(from, "views"))
		read_table(r, row, keyspace, view, true, line);
	else if (table && *table && options && is_from(from, "tables"))
		read_table(r, row, keyspace, table, false, line);
	else if (cJSON_HasObjectItem(row, "replication") && is_from(from, "keyspaces"))
		read_keyspace(r, row, keyspace);
}

/* cqlsh shows each backslash of a value twice. */
static struct slice single_backslashes(struct arena *a, struct slice s)
{
	char *text, *to;

	if (slice_find(s, '\\') == s.n)
		return s;
	text = to = arena_alloc(a, s.n + 1);
	for (size_t i = 0; i < s.n; i++) {
		*to++ = s.p[i];
		if (s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] == '\\')
			i++;
	}
	return (struct slice){ text, (size_t)(to - text) };
}

/* The object of a line, all of the line; NULL when it is none. The caller deletes it. */
static cJSON *parse_object(struct slice s)
{
	const char *end = NULL;
	cJSON *row = cJSON_ParseWithLengthOpts(s.p, s.n, &end, false);

	if (row && (end != s.p + s.n || !cJSON_IsObject(row))) {
		cJSON_Delete(row);
		row = NULL;
	}
	return row;
}

static void bad_row(struct reader *r, unsigned line, const char *what)
{
	r->partial = true;
	err_set(r->a, r->err, ERR_FORMAT, r->source, line, "%s", what);
}

static void read_object(struct reader *r, struct slice line, unsigned number)
{
	cJSON *row = NULL;

	if (line.n > ROW_MAX) {
		bad_row(r, number, "the row is longer than any row of system_schema");
		return;
	}
	if (r->cqlsh)
		row = parse_object(single_backslashes(r->a, line));
	if (!row)
		row = parse_object(line);
	if (!row) {
		bad_row(r, number, "the row is no whole JSON object");
		return;
	}
	r->n_rows++;
	read_row(r, row, number);
	cJSON_Delete(row);
}

/* "(12 rows)": cqlsh's last line. */
static bool read_count(struct slice line, int64_t *n)
{
	struct slice word, rest;

	if (!slice_starts(line, SLICE("(")) || !slice_ends(line, SLICE(" rows)")))
		return false;
	rest = slice_from(line, 1);
	return slice_word(&rest, &word) && num_parse_i64(word, n);
}

/* The rows since the last heading of cqlsh must have been counted by it. */
static void end_section(struct reader *r, unsigned line)
{
	if (r->open)
		bad_row(r, line, "the number of rows is missing after them");
	r->open = false;
}

static void read_line(struct reader *r, struct slice line, unsigned number)
{
	int64_t n;

	line = slice_trim(line);
	if (slice_eq(line, SLICE("[json]"))) {
		end_section(r, number);
		r->cqlsh = r->open = true;
		r->n_rows = 0;
	} else if (line.n && line.p[0] == '{') {
		read_object(r, line, number);
	} else if (r->open && read_count(line, &n)) {
		r->open = false;
		if (n != r->n_rows)
			bad_row(r, number, "this is not the number of rows that were read");
	}
}

bool parse_schema_json(struct arena *a, const struct evidence *ev, struct node *into,
		       struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .source = source, .err = err };
	struct lines it = lines_of(ev->out);
	struct slice line;

	while (lines_next(&it, &line))
		read_line(&r, line, it.number);
	end_section(&r, it.number);
	if (!r.rows)
		return r.partial ? false :
		       complaint_report(a, ev->out, source, "row of system_schema", err);
	if (r.set.tables.n || r.set.keyspaces.n)
		schema_set_merge(a, &r.set, into->cluster, source, r.partial);
	return true;
}
