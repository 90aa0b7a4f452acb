/*
 * Line patterns: a thin layer over pcre2. Patterns match bytes, not UTF-8 characters, and never
 * depend on the locale. A pattern is a static variable that compiles itself at its first use:
 *
 *	static struct pattern version_line = PATTERN("^ReleaseVersion: (\\S+)");
 *	struct slice m[2];
 *
 *	if (pattern_match(&version_line, line, m, ARRAY_LEN(m)))
 *		... m[0] is the whole match, m[1] the first group
 *
 * A pattern that does not compile is a defect of this program: it ends in assert(), and with
 * assertions off such a pattern never matches. Not for use from several threads.
 */
#ifndef TWCSCHECK_PATTERN_H
#define TWCSCHECK_PATTERN_H

#include "base/base.h"

struct pattern {
	const char *text;	/* pcre2 syntax; '.' never matches a line feed, '$' only the end */
	void *code, *match;	/* private: compiled form and match data */
	bool broken;		/* private: did not compile */
};

#define PATTERN(literal) { .text = (literal) }

/*
 * Search `s` for the pattern (anchor it with '^' where the match must start at the beginning).
 *
 * group    room for `n_group` slices, may be NULL when n_group is 0; filled with the whole match
 *          and the numbered groups, all slices of `s`. A group that took no part, or that the
 *          pattern does not have, is { NULL, 0 }.
 *
 * False when it does not match; then `group` is all { NULL, 0 }. A match that would need more
 * work than the limit (10 million steps, 64 MiB of memory) counts as no match.
 */
bool pattern_match(struct pattern *p, struct slice s, struct slice *group, size_t n_group);

/* The number of the group "(?<name>…)", for indexing `group`; 0 when there is none. */
unsigned pattern_group(struct pattern *p, const char *name);

/* Release what the patterns hold (for leak checkers); they compile again when used again. */
void pattern_release_all(void);

#endif
