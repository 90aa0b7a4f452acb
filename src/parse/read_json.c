/* JSON documents with placed errors. See read_json.h. */
#include "parse/read_json.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "base/slice.h"
#include "model/evidence.h"

enum { DOCUMENT_MAX = 16 * 1024 * 1024 };

#define INTEGER_MAX 9007199254740992.0	/* 2^53: above it a double is not exact */

/* ---- places ---- */

static unsigned line_at(struct slice text, size_t offset, unsigned *column)
{
	unsigned line = 1;
	size_t start = 0;

	for (size_t i = 0; i < offset && i < text.n; i++) {
		if (text.p[i] != '\n')
			continue;
		line++;
		start = i + 1;
	}
	*column = (unsigned)(offset - start) + 1;
	return line;
}

static bool complain_at(struct json_doc *doc, size_t offset, const char *what, const char *why)
{
	unsigned column, line = line_at(doc->ev->out, offset, &column);

	return err_set(doc->arena, doc->err, ERR_FORMAT, doc->ev->path, line,
		       "column %u: %s%s%s", column, what, *what ? " " : "", why);
}

/*
 * Offsets are found by walking over the text once more: cJSON keeps none. The text is known to be
 * well formed, so that walking is all there is to do.
 */
static size_t skip_blank(struct slice s, size_t i)
{
	while (i < s.n && ((unsigned char)s.p[i] <= ' ' || s.p[i] == ',' || s.p[i] == ':'))
		i++;
	return i;
}

static size_t skip_string(struct slice s, size_t i)
{
	for (i++; i < s.n && s.p[i] != '"'; i++)
		if (s.p[i] == '\\')
			i++;
	return i < s.n ? i + 1 : s.n;
}

static size_t skip_value(struct slice s, size_t i)
{
	size_t depth = 0;

	while (i < s.n) {
		char c = s.p[i];

		if (c == '"') {
			i = skip_string(s, i);
			if (!depth)
				return i;
			continue;
		}
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && depth)
			depth--;
		else if (!depth && (c == ',' || c == '}' || c == ']' || (unsigned char)c <= ' '))
			return i;
		i++;
		if (!depth && (c == '}' || c == ']'))
			return i;
	}
	return i;
}

/* Where the value of a member begins; `i` is at the object's brace. The brace when not found. */
static size_t find_member(struct slice s, size_t i, const char *member)
{
	size_t brace = i, end;

	for (i = skip_blank(s, i + 1); i < s.n && s.p[i] == '"'; i = skip_blank(s, i)) {
		end = skip_string(s, i);
		if (end >= i + 2 &&
		    slice_eq_str((struct slice){ s.p + i + 1, end - i - 2 }, member))
			return skip_blank(s, end);
		i = skip_value(s, skip_blank(s, end));
	}
	return brace;
}

static size_t place_of(const struct json_object *o, const char *member)
{
	struct slice s = o->doc->ev->out;
	size_t i = slice_find(s, '{');

	if (o->list) {
		i = skip_blank(s, find_member(s, i, o->list) + 1);
		for (size_t n = 0; n < o->index && i < s.n; n++)
			i = skip_blank(s, skip_value(s, i));
	}
	return member && i < s.n && s.p[i] == '{' ? find_member(s, i, member) : i;
}

bool json_complain(const struct json_object *o, const char *member, const char *why)
{
	const char *what;

	/* The first error wins; without this, many errors in a long text took ages. */
	if (!o->doc->err || o->doc->err->kind != ERR_NONE)
		return false;
	what = member ? arena_printf(o->doc->arena, "'%s'", member) : "";
	return complain_at(o->doc, place_of(o, member), what, why);
}

/* ---- documents ---- */

/* The first byte from `i` on that is no white space. */
static size_t first_mark(struct slice s, size_t i)
{
	while (i < s.n && slice_find(SLICE(" \t\r\n"), s.p[i]) < 4)
		i++;
	return i;
}

bool json_open(struct arena *a, const struct evidence *ev, struct err *err, struct json_doc *doc)
{
	struct slice text = ev->out;
	const char *end = text.p;
	size_t rest;

	*doc = (struct json_doc){ .arena = a, .ev = ev, .err = err };
	if (text.n > DOCUMENT_MAX)
		return err_set(a, err, ERR_FORMAT, ev->path, 0, "larger than 16 MiB");
	if (first_mark(text, 0) == text.n)
		return err_set(a, err, ERR_FORMAT, ev->path, 0, "the file is empty");
	doc->root = cJSON_ParseWithLengthOpts(text.p, text.n, &end, false);
	if (!doc->root)
		return complain_at(doc, (size_t)(end - text.p), "", "this is no JSON");
	rest = first_mark(text, (size_t)(end - text.p));
	if (rest < text.n) {
		complain_at(doc, rest, "", "something follows the document");
		json_close(doc);
		return false;
	}
	if (!cJSON_IsObject(doc->root)) {
		complain_at(doc, 0, "", "an object is expected");
		json_close(doc);
		return false;
	}
	return true;
}

void json_close(struct json_doc *doc)
{
	cJSON_Delete(doc->root);
	doc->root = NULL;
}

struct json_object json_root(struct json_doc *doc)
{
	return (struct json_object){ .doc = doc, .object = doc->root };
}

static const cJSON *member_of(const struct json_object *o, const char *member)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o->object, member);

	return item && !cJSON_IsNull(item) ? item : NULL;
}

const char *json_member_string(const struct json_object *o, const char *member)
{
	const cJSON *item = member_of(o, member);

	if (!item)
		return NULL;
	if (!cJSON_IsString(item)) {
		json_complain(o, member, "must be a string");
		return NULL;
	}
	return arena_strdup(o->doc->arena, item->valuestring);
}

struct opt_i64 json_member_integer(const struct json_object *o, const char *member)
{
	const cJSON *item = member_of(o, member);

	if (!item)
		return (struct opt_i64){ 0 };
	if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) <= INTEGER_MAX) ||
	    item->valuedouble != floor(item->valuedouble)) {
		json_complain(o, member, "must be a whole number");
		return (struct opt_i64){ 0 };
	}
	return some_i64((int64_t)item->valuedouble);
}

bool json_list_next(struct json_doc *doc, const char *list, struct json_object *at)
{
	struct json_object root = json_root(doc);
	const cJSON *item;

	if (!at->doc) {
		item = member_of(&root, list);
		if (item && !cJSON_IsArray(item)) {
			json_complain(&root, list, "must be a list");
			item = NULL;
		}
		*at = (struct json_object){ .doc = doc, .list = list };
		item = item ? item->child : NULL;
	} else {
		item = at->object ? at->object->next : NULL;
		at->index++;
	}
	for (; item; item = item->next, at->index++) {
		at->object = item;
		if (cJSON_IsObject(item))
			return true;
		json_complain(at, NULL, "an object is expected");
	}
	at->object = NULL;
	return false;
}
