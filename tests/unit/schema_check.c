/* See schema_check.h. */
#include "schema_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static bool check(struct schema_check *c, const cJSON *schema, const cJSON *v);

static bool fail(struct schema_check *c, const char *what, const char *which)
{
	if (!c->why[0])
		snprintf(c->why, sizeof(c->why), "%s %s", what, which ? which : "");
	return false;
}

static bool has_type(const cJSON *v, const char *type)
{
	if (strcmp(type, "integer") == 0)
		return cJSON_IsNumber(v) && v->valuedouble == floor(v->valuedouble);
	if (strcmp(type, "number") == 0)
		return cJSON_IsNumber(v);
	if (strcmp(type, "string") == 0)
		return cJSON_IsString(v);
	if (strcmp(type, "boolean") == 0)
		return cJSON_IsBool(v);
	if (strcmp(type, "null") == 0)
		return cJSON_IsNull(v);
	if (strcmp(type, "object") == 0)
		return cJSON_IsObject(v);
	return strcmp(type, "array") == 0 && cJSON_IsArray(v);
}

static bool check_type(struct schema_check *c, const cJSON *type, const cJSON *v)
{
	const cJSON *one;

	if (cJSON_IsString(type))
		return has_type(v, type->valuestring)
			       ? true
			       : fail(c, "is not of type", type->valuestring);
	cJSON_ArrayForEach(one, type) {
		if (has_type(v, one->valuestring))
			return true;
	}
	return fail(c, "is of none of the types", NULL);
}

static bool check_enum(struct schema_check *c, const cJSON *list, const cJSON *v)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, list) {
		if (cJSON_Compare(one, v, 1))
			return true;
	}
	return fail(c, "is not one of the values:", cJSON_IsString(v) ? v->valuestring : "?");
}

static bool check_pattern(struct schema_check *c, const char *pattern, const cJSON *v)
{
	PCRE2_SIZE at;
	int error, rc;
	pcre2_code *re;
	pcre2_match_data *md;

	if (!cJSON_IsString(v))
		return true;
	re = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			   PCRE2_DOLLAR_ENDONLY | PCRE2_UTF, &error, &at, NULL);
	if (!re)
		return fail(c, "pattern does not compile:", pattern);
	md = pcre2_match_data_create_from_pattern(re, NULL);
	rc = pcre2_match(re, (PCRE2_SPTR)v->valuestring, strlen(v->valuestring), 0, 0, md, NULL);
	pcre2_match_data_free(md);
	pcre2_code_free(re);
	return rc >= 0 ? true : fail(c, "does not match its pattern:", v->valuestring);
}

static bool check_required(struct schema_check *c, const cJSON *list, const cJSON *v)
{
	const cJSON *name;

	if (!cJSON_IsObject(v))
		return true;
	cJSON_ArrayForEach(name, list) {
		if (!cJSON_GetObjectItemCaseSensitive(v, name->valuestring))
			return fail(c, "lacks", name->valuestring);
	}
	return true;
}

/* A step down the value: the path is kept when something is wrong below. */
static bool check_below(struct schema_check *c, const cJSON *schema, const cJSON *v,
			const char *name, int index)
{
	size_t n = strlen(c->path);

	if (name)
		snprintf(c->path + n, sizeof(c->path) - n, "/%s", name);
	else
		snprintf(c->path + n, sizeof(c->path) - n, "/%d", index);
	if (!check(c, schema, v))
		return false;
	c->path[n] = '\0';
	return true;
}

static bool is_first_of_name(const cJSON *object, const cJSON *member)
{
	return cJSON_GetObjectItemCaseSensitive(object, member->string) == member;
}

static bool check_members(struct schema_check *c, const cJSON *schema, const cJSON *v)
{
	const cJSON *props = cJSON_GetObjectItemCaseSensitive(schema, "properties");
	const cJSON *more = cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties");
	const cJSON *member;

	if (!cJSON_IsObject(v))
		return true;
	cJSON_ArrayForEach(member, v) {
		const cJSON *sub = cJSON_GetObjectItemCaseSensitive(props, member->string);

		if (!is_first_of_name(v, member))
			return fail(c, "has twice the member", member->string);
		if (!sub && cJSON_IsObject(more))
			sub = more;
		if (!sub && (cJSON_IsFalse(more) || (c->closed && props)))
			return fail(c, "has an undescribed member", member->string);
		if (sub && !check_below(c, sub, member, member->string, 0))
			return false;
	}
	return true;
}

static bool check_items(struct schema_check *c, const cJSON *items, const cJSON *v)
{
	const cJSON *item;
	int i = 0;

	if (!cJSON_IsArray(v))
		return true;
	cJSON_ArrayForEach(item, v) {
		if (!check_below(c, items, item, NULL, i++))
			return false;
	}
	return true;
}

static bool check_any(struct schema_check *c, const cJSON *list, const cJSON *v)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, list) {
		struct schema_check attempt = *c;

		if (check(&attempt, one, v))
			return true;
	}
	return fail(c, "fits none of anyOf:", cJSON_IsString(v) ? v->valuestring : "");
}

static bool check_ref(struct schema_check *c, const char *ref, const cJSON *v)
{
	static const char prefix[] = "#/$defs/";
	const cJSON *defs = cJSON_GetObjectItemCaseSensitive(c->root, "$defs"), *target = NULL;

	if (strncmp(ref, prefix, sizeof(prefix) - 1) == 0)
		target = cJSON_GetObjectItemCaseSensitive(defs, ref + sizeof(prefix) - 1);
	return target ? check(c, target, v) : fail(c, "dangling reference", ref);
}

static bool check_keyword(struct schema_check *c, const cJSON *schema, const cJSON *key,
			  const cJSON *v)
{
	const char *k = key->string;

	if (strcmp(k, "type") == 0)
		return check_type(c, key, v);
	if (strcmp(k, "enum") == 0)
		return check_enum(c, key, v);
	if (strcmp(k, "required") == 0)
		return check_required(c, key, v);
	if (strcmp(k, "additionalProperties") == 0)
		return check_members(c, schema, v);
	if (strcmp(k, "items") == 0)
		return check_items(c, key, v);
	if (strcmp(k, "pattern") == 0)
		return check_pattern(c, key->valuestring, v);
	if (strcmp(k, "anyOf") == 0)
		return check_any(c, key, v);
	if (strcmp(k, "$ref") == 0)
		return check_ref(c, key->valuestring, v);
	if (strcmp(k, "minimum") == 0)
		return !cJSON_IsNumber(v) || v->valuedouble >= key->valuedouble
			       ? true
			       : fail(c, "is below its minimum", NULL);
	if (strcmp(k, "maxItems") == 0)
		return !cJSON_IsArray(v) || cJSON_GetArraySize(v) <= key->valueint
			       ? true
			       : fail(c, "has too many items", NULL);
	return true;
}

static bool check(struct schema_check *c, const cJSON *schema, const cJSON *v)
{
	const cJSON *key;

	cJSON_ArrayForEach(key, schema) {
		if (!check_keyword(c, schema, key, v))
			return false;
	}
	return true;
}

bool schema_check_value(struct schema_check *c, const cJSON *root, const cJSON *value, bool closed)
{
	*c = (struct schema_check){ .root = root, .closed = closed };
	return check(c, root, value);
}

static bool is_known(const char *k)
{
	static const char *const known[] = {
		"$schema",
		"$id",
		"$defs",
		"$ref",
		"title",
		"description",
		"type",
		"enum",
		"required",
		"properties",
		"additionalProperties",
		"items",
		"pattern",
		"anyOf",
		"minimum",
		"maxItems",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i], k) == 0)
			return true;
	}
	return false;
}

static bool schema_is_known(struct schema_check *c, const cJSON *schema);

/* Every member (or item) of `map` is a schema. */
static bool all_known(struct schema_check *c, const cJSON *map)
{
	const cJSON *sub;

	cJSON_ArrayForEach(sub, map) {
		if (!schema_is_known(c, sub))
			return false;
	}
	return true;
}

static bool schema_is_known(struct schema_check *c, const cJSON *schema)
{
	const cJSON *key;

	if (cJSON_IsBool(schema))
		return true;
	/* Members are checked on the way of additionalProperties: it must not be left out. */
	if (cJSON_GetObjectItemCaseSensitive(schema, "properties") &&
	    !cJSON_GetObjectItemCaseSensitive(schema, "additionalProperties"))
		return fail(c, "properties without", "additionalProperties");
	cJSON_ArrayForEach(key, schema) {
		const char *k = key->string;
		bool ok = is_known(k) ? true : fail(c, "unknown keyword", k);

		if (strcmp(k, "$defs") == 0 || strcmp(k, "properties") == 0 ||
		    strcmp(k, "anyOf") == 0)
			ok = all_known(c, key);
		else if (strcmp(k, "items") == 0 || strcmp(k, "additionalProperties") == 0)
			ok = schema_is_known(c, key);
		if (!ok)
			return false;
	}
	return true;
}

bool schema_check_schema(struct schema_check *c, const cJSON *root)
{
	*c = (struct schema_check){ .root = root };
	return schema_is_known(c, root);
}

char *schema_read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0, cap = 0, got;

	if (!f)
		return NULL;
	do {
		cap = cap ? 2 * cap : 1 << 16;
		text = realloc(text, cap + 1);
		if (!text)
			abort();
		got = fread(text + n, 1, cap - n, f);
		n += got;
	} while (n == cap);
	fclose(f);
	text[n] = '\0';
	return text;
}
