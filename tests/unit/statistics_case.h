/* Finding and decoding Statistics.db files: what the tests of the binary decoders share. */
#ifndef TWCSCHECK_STATISTICS_CASE_H
#define TWCSCHECK_STATISTICS_CASE_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/slice.h"
#include "files.h"
#include "parse/statistics_db.h"

typedef void each_file_fn(void *ctx, const char *path);

/* Calls `each` for every file below `folder` whose name ends with `suffix`; returns how many. */
static inline size_t each_file(struct arena *a, const char *folder, const char *suffix,
			       each_file_fn *each, void *ctx)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		char *path = arena_printf(a, "%s/%s", folder, e->d_name);
		struct stat st;

		if (e->d_name[0] == '.' || stat(path, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			n += each_file(a, path, suffix, each, ctx);
		} else if (slice_ends(slice_of(path), slice_of(suffix))) {
			each(ctx, path);
			n++;
		}
	}
	if (d)
		closedir(d);
	return n;
}

static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "x/nb-1-big-Statistics.db", "Summary.db" -> "x/nb-1-big-Summary.db". */
static inline char *other_component(struct arena *a, const char *path, const char *component)
{
	size_t n = strlen(path) - strlen("Statistics.db");

	return arena_printf(a, "%.*s%s", (int)n, path, component);
}

/* JSON without blanks between its tokens, and null where a writer put NaN, which is no JSON. */
static inline char *squeeze_json(struct arena *a, struct slice text)
{
	char *out = arena_alloc(a, text.n + 8), *p = out;
	bool inside = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (inside && c == '\\' && i + 1 < text.n) {
			*p++ = c;
			*p++ = text.p[++i];
			continue;
		}
		if (c == '"')
			inside = !inside;
		if (!inside && strchr(" \n\t\r", c))
			continue;
		if (!inside && slice_starts(slice_from(text, i), SLICE("NaN"))) {
			memcpy(p, "null", 4);
			p += 4;
			i += 2;
			continue;
		}
		*p++ = c;
	}
	*p = '\0';
	return out;
}

/* Fails with the first place where two texts differ. */
static inline void assert_same_text(const char *name, const char *got, const char *want)
{
	size_t i = 0, from;

	while (got[i] && got[i] == want[i])
		i++;
	if (got[i] == want[i])
		return;
	from = i > 60 ? i - 60 : 0;
	fail_msg("%s: at %zu it is '...%.120s', not '...%.120s'", name, i, got + from, want + from);
}

#endif
