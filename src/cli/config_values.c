/* What the configuration's keys have in common. See config_values.h. */
#include "cli/config_values.h"

#include <string.h>

#include "base/slice.h"

/* ---- names ---- */

static const char *name_list(struct arena *a, const char *const *names, size_t n)
{
	const char *list = "";

	for (size_t i = 0; i < n; i++)
		list = arena_printf(a, "%s%s%s", list, i ? ", " : "", names[i]);
	return list;
}

bool config_unknown(const struct reader *r, size_t at, const char *what, const char *text,
		    const char *const *names, size_t n)
{
	size_t best = 0, least = SIZE_MAX;
	struct arena *a = r->src.arena;
	const char *all = "";

	for (size_t i = 0; i < n; i++) {
		size_t d = slice_distance(slice_of(text), slice_of(names[i]));

		if (d < least) {
			least = d;
			best = i;
		}
	}
	if (least > strlen(names[best]) / 2 && n <= CONFIG_KEYS_MAX)
		all = arena_printf(a, " of %s", name_list(a, names, n));
	return config_complain(&r->src, at, "no %s '%s'; hint: the nearest is '%s'%s", what, text,
			       names[best], all);
}

/* ---- values ---- */

bool config_expect(const struct reader *r, const struct config_value *v, enum config_kind kind,
		   const char *what)
{
	if (v->kind == kind)
		return true;
	return config_complain(&r->src, v->at, "%s%s%s must be %s", v->key ? "'" : "",
			       v->key ? v->key : "an element", v->key ? "'" : "", what);
}

bool config_expect_name(const struct reader *r, const struct config_value *v, const char *what)
{
	if (!config_expect(r, v, CONFIG_TEXT, what))
		return false;
	if (!v->text[strspn(v->text, " \t")])
		return config_complain(&r->src, v->at, "'%s' is empty",
				       v->key ? v->key : "an element");
	for (const char *p = v->text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '\x7f')
			return config_complain(&r->src, v->at, "'%s' holds a control character",
					       v->key ? v->key : "an element");
	return true;
}

bool config_name(struct reader *r, const struct key *k, const struct config_value *v, void *into)
{
	if (!config_expect_name(r, v, "a text"))
		return false;
	*(const char **)((char *)into + k->offset) = v->text;
	return true;
}

bool config_path(struct reader *r, const struct key *k, const struct config_value *v, void *into)
{
	const char *slash = strrchr(r->src.path, '/'),
		   **to = (const char **)((char *)into + k->offset);

	if (!config_expect_name(r, v, "a path"))
		return false;
	*to = v->text;
	if (v->text[0] != '/' && strncmp(v->text, "~/", 2) != 0 && slash)
		*to = arena_printf(r->src.arena, "%.*s/%s", (int)(slash - r->src.path), r->src.path,
				   v->text);
	return true;
}

bool config_duration(struct reader *r, const struct key *k, const struct config_value *v,
		     void *into)
{
	struct opt_i64 *to = (struct opt_i64 *)((char *)into + k->offset);
	struct arena *a = r->src.arena;
	double s;

	if (!config_expect(r, v, CONFIG_TEXT, "a duration in quotes, such as \"30d\" or \"12h\""))
		return false;
	if (!num_parse_duration(slice_of(v->text), &s))
		return config_complain(&r->src, v->at,
				       "cannot read the duration '%s' of '%s'; hint: "
				       "a number and s, m, h, d or w, such as \"30d\" or \"1d12h\"",
				       v->text, k->name);
	if (s < (double)k->least)
		return config_complain(&r->src, v->at, "'%s' must be at least %s", k->name,
				       num_format_duration(a, k->least));
	if (s > (double)k->most)
		return config_complain(&r->src, v->at, "'%s' must be at most %s", k->name,
				       num_format_duration(a, k->most));
	*to = some_i64((int64_t)s);
	if ((double)to->v != s)
		return config_complain(&r->src, v->at, "'%s' must be whole seconds", k->name);
	return true;
}

bool config_object(struct reader *r, const struct config_value *v, const struct key *keys,
		   size_t n, void *into)
{
	const char *names[CONFIG_KEYS_MAX];

	for (size_t i = 0; i < n; i++)
		names[i] = keys[i].name;
	for (const struct config_value *c = v->child; c; c = c->next) {
		size_t i = 0;

		while (i < n && strcmp(keys[i].name, c->key) != 0)
			i++;
		if (i == n)
			return config_unknown(r, c->key_at, "key", c->key, names, n);
		if (!keys[i].read(r, &keys[i], c, into))
			return false;
	}
	return true;
}
