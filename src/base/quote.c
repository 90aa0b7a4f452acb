#include "base/quote.h"

#include <string.h>

static bool is_plain(const char *s, const char *extra)
{
	for (; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
		      (*s >= '0' && *s <= '9') || strchr(extra, *s)))
			return false;
	return true;
}

const char *quote_shell(struct arena *a, const char *s)
{
	char *out, *p;

	if (*s && is_plain(s, "_-./:=+,@%"))
		return s;
	p = out = arena_alloc(a, 4 * strlen(s) + 3);
	*p++ = '\'';
	for (; *s; s++) {
		if (*s == '\'') {
			memcpy(p, "'\\''", 4);
			p += 4;
		} else {
			*p++ = *s;
		}
	}
	*p = '\'';
	return out;
}

const char *quote_cql(struct arena *a, const char *s)
{
	bool plain = *s >= 'a' && *s <= 'z';
	char *out, *p;

	for (const char *c = s; *c && plain; c++)
		plain = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_';
	if (plain)
		return s;
	p = out = arena_alloc(a, 2 * strlen(s) + 3);
	*p++ = '"';
	for (; *s; s++) {
		if (*s == '"')
			*p++ = '"';
		*p++ = *s;
	}
	*p = '"';
	return out;
}
