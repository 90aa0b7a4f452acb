/* What the tests of sstablemetadata's text share: parsing one text, comparing its values. */
#ifndef TWCSCHECK_TESTS_METADATA_TEXT_H
#define TWCSCHECK_TESTS_METADATA_TEXT_H

#include <string.h>

#include "parse/parse.h"

#define NEVER TIME_NEVER
#define NONE INT64_MIN			/* in a table: not known */

/* One parsed text. */
struct parsed {
	struct arena *arena;
	struct node node;
	struct err err;
	bool ok;
};

static inline void parse(struct parsed *p, struct slice text)
{
	struct evidence ev = { .kind = EV_SSTABLEMETADATA, .path = "text", .keyspace = "metrics",
			       .table = "readings", .out = text };

	memset(p, 0, sizeof(*p));
	p->arena = arena_create();
	p->ok = parse_sstablemetadata(p->arena, &ev, &p->node, &p->err);
}

static inline void release(struct parsed *p)
{
	arena_destroy(p->arena);
}

static inline void assert_number(const char *name, const char *what, struct opt_i64 got,
				 int64_t want)
{
	if (got.known != (want != NONE) || (got.known && got.v != want))
		fail_msg("%s: %s is %s%lld, not %lld", name, what, got.known ? "" : "unknown, ",
			 (long long)got.v, (long long)want);
}

static inline void assert_string(const char *name, const char *what, const char *got,
				 const char *want)
{
	if (!got != !want || (got && want && strcmp(got, want) != 0))
		fail_msg("%s: %s is '%s', not '%s'", name, what, got ? got : "(null)",
			 want ? want : "(null)");
}

#endif
