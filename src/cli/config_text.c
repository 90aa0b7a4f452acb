/*
 * Configuration text to values with places.
 *
 * cJSON reads the values but keeps no places and says little of what is wrong; so the text is
 * walked once before: that finds the places, and tells of a comma too many in words.
 */
#include "cli/config_text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/slice.h"

struct walker {
	struct config_source *src;
	struct slice s;
	size_t at;
};

bool config_complain(const struct config_source *src, size_t at, const char *fmt, ...)
{
	unsigned line = 1, column = 1;
	va_list ap;

	for (size_t i = 0; i < at && i < src->text.n; i++) {
		unsigned char c = (unsigned char)src->text.p[i];

		if (c == '\n') {
			line++;
			column = 1;
		} else if ((c & 0xc0) != 0x80) { /* not the inside of a UTF-8 character */
			column++;
		}
	}
	if (!src->err || src->err->kind != ERR_NONE)
		return false;
	va_start(ap, fmt);
	err_set(src->arena, src->err, ERR_FORMAT, src->path, line, "%s",
		arena_vprintf(src->arena, fmt, ap));
	va_end(ap);
	src->err->column = column;
	return false;
}

/* Comments become blanks, so that every byte keeps its place. */
static char *without_comments(struct arena *a, struct slice text)
{
	char *p = arena_copy(a, text);
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		if (p[i] == '\n')
			quoted = false;
		else if (quoted && p[i] == '\\' && i + 1 < text.n && p[i + 1] != '\n')
			i++;
		else if (p[i] == '"')
			quoted = !quoted;
		else if (!quoted && p[i] == '/' && i + 1 < text.n && p[i + 1] == '/')
			while (i < text.n && p[i] != '\n')
				p[i++] = ' ';
	}
	return p;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char skip_blanks(struct walker *w)
{
	while (w->at < w->s.n && is_blank(w->s.p[w->at]))
		w->at++;
	return w->at < w->s.n ? w->s.p[w->at] : '\0';
}

static bool walk_string(struct walker *w)
{
	size_t start = w->at++;

	for (; w->at < w->s.n && w->s.p[w->at] != '"'; w->at++) {
		unsigned char c = (unsigned char)w->s.p[w->at];

		if (c == '\n')
			break;
		if (c < ' ')
			return config_complain(w->src, w->at, "a control character in a text");
		if (c == '\\' && slice_starts(slice_from(w->s, w->at), SLICE("\\u0000")))
			return config_complain(w->src, w->at, "a NUL character in a text");
		if (c == '\\' && w->at + 1 < w->s.n && w->s.p[w->at + 1] != '\n')
			w->at++;
	}
	if (w->at >= w->s.n || w->s.p[w->at] != '"')
		return config_complain(w->src, start,
				       "this text is not closed; hint: a '\"' is "
				       "missing at its end");
	w->at++;
	return true;
}

static bool is_delimiter(char c)
{
	return is_blank(c) || (c && strchr(",:{}[]\"", c));
}

/* A number, or true, false, null. */
static bool walk_scalar(struct walker *w, struct config_value *v)
{
	struct slice word = { w->s.p + w->at, 0 };
	double number;

	while (w->at < w->s.n && !is_delimiter(w->s.p[w->at]))
		w->at++;
	word.n = (size_t)(w->s.p + w->at - word.p);
	v->text = arena_copy(w->src->arena, word);
	v->kind = num_parse_f64(word, &number) ? CONFIG_NUMBER : CONFIG_WORD;
	if (v->kind == CONFIG_NUMBER || slice_eq_str(word, "true") || slice_eq_str(word, "false") ||
	    slice_eq_str(word, "null"))
		return true;
	if (!word.n)
		return config_complain(w->src, v->at,
				       v->at < w->s.n ? "a value is missing here"
						      : "the file ends too early");
	if (word.n > 40)
		word.n = 40;
	return config_complain(w->src, v->at,
			       "'%.*s' is no value; hint: texts stand in double quotes",
			       (int)word.n, word.p);
}

static bool walk_value(struct walker *w, struct config_value *v, unsigned depth);

/* "key" : of an object. */
static bool walk_key(struct walker *w, struct config_value *v)
{
	char c = skip_blanks(w);

	v->key_at = w->at;
	if (w->at >= w->s.n)
		return config_complain(w->src, w->at, "the file ends too early");
	if (c == '}')
		return config_complain(w->src, w->at, "a comma before '}'");
	if (c != '"')
		return config_complain(w->src, w->at, "a key in double quotes is expected");
	if (!walk_string(w))
		return false;
	if (skip_blanks(w) != ':')
		return config_complain(w->src, w->at, "a ':' is missing after the key");
	w->at++;
	return true;
}

/* Members or elements up to the closing mark; w->at is behind the opening one. */
static bool walk_children(struct walker *w, struct config_value *parent, unsigned depth)
{
	bool object = parent->kind == CONFIG_OBJECT;
	char close = object ? '}' : ']', c = skip_blanks(w);
	struct config_value **link = &parent->child;

	while (c != close || parent->n) {
		struct config_value *v = arena_alloc(w->src->arena, sizeof(*v));

		if (object && !walk_key(w, v))
			return false;
		if (!object && skip_blanks(w) == close)
			return config_complain(w->src, w->at, "a comma before ']'");
		if (!walk_value(w, v, depth))
			return false;
		*link = v;
		link = &v->next;
		parent->n++;
		c = skip_blanks(w);
		if (c == close)
			break;
		if (w->at >= w->s.n)
			return config_complain(w->src, w->at, "the file ends before '%c'", close);
		if (c != ',')
			return config_complain(w->src, w->at, "a ',' or '%c' is missing here",
					       close);
		w->at++;
	}
	w->at++;
	return true;
}

static bool walk_value(struct walker *w, struct config_value *v, unsigned depth)
{
	char c = skip_blanks(w);

	v->at = w->at;
	if (c == '"') {
		v->kind = CONFIG_TEXT;
		return walk_string(w);
	}
	if (c != '{' && c != '[')
		return walk_scalar(w, v);
	if (depth >= CONFIG_DEPTH_MAX)
		return config_complain(w->src, w->at, "nested too deeply");
	v->kind = c == '{' ? CONFIG_OBJECT : CONFIG_LIST;
	w->at++;
	return walk_children(w, v, depth + 1);
}

/* Keys and texts as cJSON read them; both trees are of one form. */
static bool take_values(struct config_source *src, struct config_value *v, const cJSON *json)
{
	const cJSON *item = json->child;

	if (v->kind == CONFIG_TEXT) {
		if (!cJSON_IsString(json))
			return config_complain(src, v->at, "this text cannot be read");
		v->text = arena_strdup(src->arena, json->valuestring);
	}
	for (struct config_value *c = v->child; c; c = c->next, item = item->next) {
		if (!item || (v->kind == CONFIG_OBJECT && !item->string))
			return config_complain(src, c->at, "this cannot be read");
		if (v->kind == CONFIG_OBJECT)
			c->key = arena_strdup(src->arena, item->string);
		if (!take_values(src, c, item))
			return false;
	}
	return true;
}

static int by_key(const void *x, const void *y)
{
	const struct config_value *p = *(struct config_value *const *)x;
	const struct config_value *q = *(struct config_value *const *)y;
	int c = strcmp(p->key, q->key);

	return c ? c : (p->at > q->at) - (p->at < q->at);
}

/* The first key that is there a second time is the one to tell. */
static bool refuse_duplicates(struct config_source *src, const struct config_value *v)
{
	struct config_value **sorted, *twice = NULL, *child = v->child;

	for (; child; child = child->next)
		if (!refuse_duplicates(src, child))
			return false;
	if (v->kind != CONFIG_OBJECT || v->n < 2)
		return true;
	sorted = arena_array(src->arena, v->n, sizeof(*sorted));
	child = v->child;
	for (size_t i = 0; i < v->n; i++, child = child->next)
		sorted[i] = child;
	qsort(sorted, v->n, sizeof(*sorted), by_key);
	for (size_t i = 1; i < v->n; i++)
		if (strcmp(sorted[i]->key, sorted[i - 1]->key) == 0 &&
		    (!twice || sorted[i]->at < twice->at))
			twice = sorted[i];
	return !twice ||
	       config_complain(src, twice->key_at, "the key '%s' is there twice", twice->key);
}

static bool read_values(struct walker *w, struct config_value *root)
{
	const char *end = w->s.p;
	cJSON *json = cJSON_ParseWithLengthOpts(w->s.p, w->s.n, &end, false);
	bool ok;

	if (!json)
		return config_complain(w->src, (size_t)(end - w->s.p),
				       "this cannot be read as JSON");
	ok = take_values(w->src, root, json) && refuse_duplicates(w->src, root);
	cJSON_Delete(json);
	return ok;
}

struct config_value *config_text_parse(struct config_source *src, struct slice text)
{
	struct config_value *root = arena_alloc(src->arena, sizeof(*root));
	struct walker w = { .src = src };

	if (slice_starts(text, SLICE("\xef\xbb\xbf")))
		text = slice_from(text, 3); /* a byte-order mark is no column */
	src->text = text;
	if (text.n > CONFIG_FILE_MAX) {
		err_set(src->arena, src->err, ERR_FORMAT, src->path, 0, "larger than 1 MiB");
		return NULL;
	}
	w.s = (struct slice){ without_comments(src->arena, text), text.n };
	root->kind = CONFIG_OBJECT;
	skip_blanks(&w);
	root->at = w.at;
	if (w.at == w.s.n)
		return root;
	if (w.s.p[w.at] != '{') {
		config_complain(src, w.at, "an object is expected: '{'");
		return NULL;
	}
	if (!walk_value(&w, root, 0))
		return NULL;
	skip_blanks(&w);
	if (w.at < w.s.n) {
		config_complain(src, w.at, "something follows the closing '}'");
		return NULL;
	}
	return read_values(&w, root) ? root : NULL;
}
