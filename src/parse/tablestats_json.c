/*
 * nodetool tablestats -F json: 3.11 (one line), 4.0 and later (printed over many), with or without
 * -H and -s, and ScyllaDB. Several documents may follow each other; the last one of a table counts.
 *
 * Before cJSON sees it, a copy is made in which ScyllaDB's empty values (what it prints for NaN)
 * and bare NaNs are null, and whole numbers too long for a double are strings. Values then go the
 * way of those of the text. ScyllaDB prints the live cells' maximum as that of the tombstones: it
 * is left unknown. Only Cassandra prints "read_latency" in a keyspace.
 *
 * Source: StatsHolder and TableStatsHolder (3.11 to 6.0), scylla-nodetool.cc.
 */
#include <cjson/cJSON.h>
#include <stdio.h>

#include "parse/complaint.h"
#include "parse/tablestats.h"

enum {
	TEXT_MAX = 64 * 1024 * 1024,
	EXACT_DIGITS = 15,	/* a double holds any whole number of so many */
};

struct reader {
	struct arena *a;
	const char *source;
	struct err *err;
	struct stats_set set;
	bool used;
	VEC(unsigned) lines;	/* of each object of the document, in the order of their braces */
	size_t object;		/* that many of them were passed */
};

/* ---- the copy ---- */

struct copier {
	struct reader *r;
	struct slice text;
	size_t i;		/* place in the text */
	char *out;
	size_t n;
	unsigned line;
	size_t depth;
	struct slice key;	/* the last string */
	char last;		/* last byte outside of strings that is no blank */
};

static void put(struct copier *c, const char *p, size_t n)
{
	memcpy(c->out + c->n, p, n);
	c->n += n;
}

static void copy_string(struct copier *c)
{
	size_t start = c->i++;

	while (c->i < c->text.n && c->text.p[c->i] != '"') {
		if (c->text.p[c->i] == '\\')
			c->i++;
		else if (c->text.p[c->i] == '\n')
			c->line++;	/* cJSON lets it pass */
		c->i++;
	}
	c->i = c->i < c->text.n ? c->i + 1 : c->text.n;
	put(c, c->text.p + start, c->i - start);
	c->key = (struct slice){ c->text.p + start + 1, c->i - start - 1 };
	if (c->key.n)
		c->key.n--;
}

static bool is_word_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '+' || c == '-' || c == '.';
}

static bool is_digits(struct slice s)
{
	if (s.n && s.p[0] == '-')
		s = slice_from(s, 1);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

static void copy_word(struct copier *c)
{
	static const char *const no_numbers[] = {
		"NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf",
	};
	struct slice word = { c->text.p + c->i, 0 };

	while (c->i < c->text.n && is_word_byte(c->text.p[c->i]))
		c->i++;
	word.n = (size_t)(c->text.p + c->i - word.p);
	for (size_t i = 0; i < ARRAY_LEN(no_numbers); i++)
		if (slice_eq_str(word, no_numbers[i]))
			word = SLICE("null");
	if (word.n > EXACT_DIGITS && is_digits(word)) {
		put(c, "\"", 1);
		put(c, word.p, word.n);
		put(c, "\"", 1);
	} else {
		put(c, word.p, word.n);
	}
}

static void fill_empty(struct copier *c)
{
	put(c, "null", 4);
	if (c->key.n > 60)
		c->key.n = 60;
	err_set(c->r->a, c->r->err, ERR_FORMAT, c->r->source, c->line,
		"'%s' has no value, which is no JSON (ScyllaDB prints so what is not a number)",
		complaint_tidy(c->r->a, c->key));
}

static void copy_mark(struct copier *c)
{
	char mark = c->text.p[c->i];

	if (c->last == ':' && (mark == ',' || mark == '}' || mark == ']'))
		fill_empty(c);
	if (mark == '{')
		*vec_add(c->r->a, &c->r->lines) = c->line;
	if (mark == '{' || mark == '[')
		c->depth++;
	else if ((mark == '}' || mark == ']') && c->depth)
		c->depth--;
	put(c, &mark, 1);
	c->i++;
}

/* One document from an opening brace on; false when it is not closed. */
static bool copy_document(struct copier *c)
{
	while (c->i < c->text.n) {
		char b = c->text.p[c->i];

		if (b == '"')
			copy_string(c);
		else if (is_word_byte(b))
			copy_word(c);
		else if ((unsigned char)b > ' ')
			copy_mark(c);
		else {
			c->line += b == '\n';
			put(c, &b, 1);
			c->i++;
			continue;
		}
		c->last = b;
		if (!c->depth)
			return true;
	}
	return false;
}

/* ---- values ---- */

static bool complain(struct reader *r, unsigned line, const char *table, const char *member,
		     const char *what)
{
	return err_set(r->a, r->err, ERR_FORMAT, r->source, line, "%s of '%s': %s", member,
		       complaint_tidy(r->a, slice_of(table)), what);
}

static void read_member(struct reader *r, const cJSON *item, unsigned line, const char *table,
			struct table_stats *t)
{
	const struct stats_member *m = stats_member_find(slice_of(item->string));
	char number[32];
	const char *text = number;

	if (!m || cJSON_IsNull(item))
		return;
	if (cJSON_IsString(item))
		text = item->valuestring;
	else if (cJSON_IsNumber(item))
		snprintf(number, sizeof(number), "%.17g", item->valuedouble);
	else
		text = "[]";
	if (!stats_read(slice_of(text), m->type, m->offset, t))
		complain(r, line, table, m->name,
			 arena_printf(r->a, "%s '%s'", stats_not_certain,
				      complaint_tidy(r->a, slice_of(text))));
}

/* Objects inside of a value that is not used, so that the next one's line is the right one. */
static void pass_over(struct reader *r, const cJSON *item)
{
	const cJSON *inner;

	r->object += cJSON_IsObject(item);
	cJSON_ArrayForEach(inner, item)
		pass_over(r, inner);
}

static void read_table(struct reader *r, struct slice keyspace, const cJSON *table, bool scylla)
{
	struct slice name = slice_of(table->string);
	unsigned line = r->object < r->lines.n ? r->lines.v[r->object] : 1;
	struct table_stats t = { .line = line };
	const cJSON *item;

	r->object++;
	cJSON_ArrayForEach(item, table) {
		read_member(r, item, line, table->string, &t);
		pass_over(r, item);
	}
	if (scylla)
		t.tombstones_max = (struct opt_f64){ 0 };
	if (!stats_is_name(name) || (keyspace.n && !stats_is_name(keyspace))) {
		complain(r, line, table->string, "the name", "this is no name of a table");
		return;
	}
	t.is_index = !scylla && slice_find(name, '.') < name.n;
	stats_set_put(&r->set, keyspace, t.is_index ? stats_index_name(name) : name, &t, true);
	r->used = true;
}

static bool is_scylla(const struct reader *r, const cJSON *keyspace)
{
	const char *product = r->set.node->product;

	if (product)
		return strcmp(product, "scylla") == 0;
	return !cJSON_GetObjectItemCaseSensitive(keyspace, "read_latency");
}

static void read_keyspace(struct reader *r, const cJSON *keyspace)
{
	struct slice name = slice_of(keyspace->string);
	const cJSON *item, *table;

	r->object++;
	cJSON_ArrayForEach(item, keyspace) {
		if (strcmp(item->string, "tables") != 0 || !cJSON_IsObject(item)) {
			pass_over(r, item);
			continue;
		}
		r->object++;
		cJSON_ArrayForEach(table, item) {
			if (cJSON_IsObject(table))
				read_table(r, name, table, is_scylla(r, keyspace));
			else
				pass_over(r, table);
		}
	}
}

/* Printed with -s: "keyspace.table" stands where keyspaces do. */
static void read_sorted(struct reader *r, cJSON *table)
{
	struct slice name = slice_of(table->string);
	size_t dot = slice_find(name, '.');
	char *full = table->string;

	if (dot == name.n || !cJSON_GetObjectItemCaseSensitive(table, "space_used_live")) {
		pass_over(r, table);
		return;
	}
	table->string = full + dot + 1;
	read_table(r, (struct slice){ full, dot }, table, false);
	table->string = full;
}

static void read_document(struct reader *r, cJSON *root)
{
	cJSON *item;

	r->object = 1;
	cJSON_ArrayForEach(item, root) {
		if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(item, "tables")))
			read_keyspace(r, item);
		else if (cJSON_IsObject(item))
			read_sorted(r, item);
		else
			pass_over(r, item);
	}
}

/* ---- documents ---- */

static unsigned lines_in(const char *p, const char *end)
{
	unsigned n = 0;

	for (; p < end; p++)
		n += *p == '\n';
	return n;
}

/* Where the next document begins: a line that starts with a brace. */
static bool find_document(struct copier *c)
{
	bool start = true;

	for (; c->i < c->text.n; c->i++) {
		char b = c->text.p[c->i];

		if (b == '{' && start)
			return true;
		if (b == '\n') {
			c->line++;
			start = true;
		} else if (b != ' ' && b != '\t' && b != '\r') {
			start = c->i < 3 && (unsigned char)b > 0x7f;	/* a byte-order mark */
		}
	}
	return false;
}

static bool read_next(struct reader *r, struct copier *c)
{
	unsigned first = c->line;
	const char *end = NULL;
	cJSON *root;

	c->n = c->depth = 0;
	c->last = '\0';
	r->lines.n = 0;
	if (!copy_document(c)) {
		err_set(r->a, r->err, ERR_FORMAT, r->source, c->line, "the JSON text ends inside "
								      "an object");
		return false;
	}
	root = cJSON_ParseWithLengthOpts(c->out, c->n, &end, false);
	if (!root) {
		if (!end || end < c->out || end > c->out + c->n)
			end = c->out;
		err_set(r->a, r->err, ERR_FORMAT, r->source, first + lines_in(c->out, end),
			"this is no JSON");
		return false;
	}
	read_document(r, root);
	cJSON_Delete(root);
	return true;
}

static bool read_documents(struct reader *r, struct slice text)
{
	struct copier c = { .r = r, .text = text, .line = 1 };

	if (text.n > TEXT_MAX)
		return err_set(r->a, r->err, ERR_FORMAT, r->source, 0, "larger than 64 MiB");
	if (!find_document(&c))
		return false;
	/* an empty value is at least two bytes that become six, a long number grows by two */
	c.out = arena_alloc(r->a, text.n * 3 + 16);
	do {
		if (!read_next(r, &c))
			break;
	} while (find_document(&c));
	return r->used;
}

static bool is_yaml(const struct evidence *ev)
{
	struct lines it = lines_of(ev->out);
	struct slice line, path = slice_of(ev->path);

	while (lines_next(&it, &line)) {
		if (slice_starts(line, SLICE("total_number_of_tables:")))
			return true;
		if (line.n && line.p[0] == '{')
			return false;
	}
	return slice_ends(path, SLICE(".yaml")) || slice_ends(path, SLICE(".yml"));
}

bool parse_tablestats_json(struct arena *a, const struct evidence *ev, struct node *into,
			   struct err *err)
{
	struct reader r = { .a = a, .err = err };

	if (is_yaml(ev))
		return tablestats_parse_yaml(a, ev, into, err);
	r.source = ev->path ? arena_strdup(a, ev->path) : NULL;
	stats_set_open(&r.set, a, into);
	if (read_documents(&r, ev->out))
		return true;
	return complaint_report(a, ev->out, r.source, "table statistics", err);
}
