/* One parser run on one text: what the tests of the parsers share. */
#ifndef TWCSCHECK_PARSE_CASE_H
#define TWCSCHECK_PARSE_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/slice.h"
#include "parse/parse.h"

struct parse_case {
	struct arena *arena;
	struct cluster cluster;
	struct node node;
	struct err err;
	bool ok;
};

static inline void case_open(struct parse_case *c)
{
	memset(c, 0, sizeof(*c));
	c->arena = arena_create();
	c->cluster.arena = c->arena;
	c->node.cluster = &c->cluster;
	c->node.name = "node";
}

/* The text is copied to the end of a block of its own, so that a checker sees reads past it. */
static inline void case_parse(struct parse_case *c, parse_fn *parse, const char *path,
			      struct slice text)
{
	char *copy = malloc(text.n ? text.n : 1);
	struct evidence ev = { .node = "node", .path = path, .out = { copy, text.n } };

	assert_non_null(copy);
	if (text.n)
		memcpy(copy, text.p, text.n);
	c->err = (struct err){ 0 };
	c->ok = parse(c->arena, &ev, &c->node, &c->err);
	memset(copy, 'x', text.n);	/* the bytes go away after the call */
	free(copy);
}

static inline void case_run(struct parse_case *c, parse_fn *parse, const char *text)
{
	case_open(c);
	case_parse(c, parse, "text", slice_of(text));
}

static inline void case_close(struct parse_case *c)
{
	arena_destroy(c->arena);
}

/* A whole file in the arena; a NULL slice when it cannot be read. */
static inline struct slice case_read(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct slice s = { NULL, 0 };
	char *p;
	long n;

	if (!f)
		return s;
	if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
		p = arena_alloc(a, (size_t)n + 1);
		s = (struct slice){ p, fread(p, 1, (size_t)n, f) };
	}
	fclose(f);
	return s;
}

/* A file of the tests' own data; it must be there. */
static inline struct slice case_fixture(struct arena *a, const char *name)
{
	const char *tests = getenv("TWCS_TESTS");
	const char *path = arena_printf(a, "%s/fixtures/%s", tests ? tests : "tests", name);
	struct slice s = case_read(a, path);

	if (!s.p)
		fail_msg("cannot read %s", path);
	return s;
}

/* The folder of the recordings that do not come with the source. */
static inline const char *case_shared(void)
{
	const char *shared = getenv("TWCSCHECK_SHARED");

	return shared ? shared : "../shared";
}

/* What a prefix test does with a prefix of the whole text. */
typedef void prefix_fn(const struct parse_case *prefix, const struct parse_case *whole,
		       const char *where);

/* Every line end and 200 other places: what a cut text says must be what the whole one says. */
static inline void case_prefixes(parse_fn *parse, const char *name, prefix_fn *compare)
{
	struct parse_case whole, part;
	uint32_t random = 12345;
	struct slice text;
	size_t cut = 0;

	case_open(&whole);
	text = case_fixture(whole.arena, name);
	case_parse(&whole, parse, name, text);
	assert_true(whole.ok);
	for (unsigned i = 0; cut < text.n || i < 200;) {
		char where[128];
		size_t n;

		if (cut < text.n) {
			cut += slice_find(slice_from(text, cut), '\n') + 1;
			n = cut > text.n ? text.n : cut;
		} else {
			random = random * 1664525u + 1013904223u;
			n = random % text.n;
			i++;
		}
		snprintf(where, sizeof(where), "%s cut at byte %zu", name, n);
		case_open(&part);
		case_parse(&part, parse, name, (struct slice){ text.p, n });
		if (!part.ok && part.err.kind == ERR_NONE)
			fail_msg("%s: no result and no error", where);
		compare(&part, &whole, where);
		case_close(&part);
	}
	case_close(&whole);
}

#endif
