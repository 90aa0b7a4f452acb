/* Compiled line patterns. See pattern.h. */
#include "parse/pattern.h"

#include <assert.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { MATCH_LIMIT = 10 * 1000 * 1000, HEAP_LIMIT_KIB = 64 * 1024, COMPILED_MAX = 256 };

/* Every compiled pattern, so that all can be released; the rest of the table is a leak at exit. */
static struct pattern *compiled[COMPILED_MAX];
static size_t n_compiled;
static pcre2_match_context *limits;
static pcre2_compile_context *newlines;

static void give_up(struct pattern *p)
{
	if (p->match)
		pcre2_match_data_free(p->match);
	if (p->code)
		pcre2_code_free(p->code);
	p->match = p->code = NULL;
	p->broken = true;
	assert(!"a line pattern does not compile");
}

/* Without a context pcre2 takes its own limits and the newline it was built for. */
static void create_contexts(void)
{
	if (!limits)
		limits = pcre2_match_context_create(NULL);
	if (limits) {
		pcre2_set_match_limit(limits, MATCH_LIMIT);
		pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
	}
	if (!newlines)
		newlines = pcre2_compile_context_create(NULL);
	if (newlines)
		pcre2_set_newline(newlines, PCRE2_NEWLINE_LF);
}

static bool compile(struct pattern *p)
{
	int error;
	PCRE2_SIZE where;

	create_contexts();
	p->code = pcre2_compile((PCRE2_SPTR)p->text, PCRE2_ZERO_TERMINATED,
				PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF, &error, &where, newlines);
	if (p->code)
		p->match = pcre2_match_data_create_from_pattern(p->code, NULL);
	if (!p->code || !p->match) {
		give_up(p);
		return false;
	}
	/* Where the system forbids writable code pages, the interpreter does the same, slower. */
	(void)pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	if (n_compiled < COMPILED_MAX)
		compiled[n_compiled++] = p;
	return true;
}

static bool ready(struct pattern *p)
{
	return p->code || (!p->broken && compile(p));
}

bool pattern_match(struct pattern *p, struct slice s, struct slice *group, size_t n_group)
{
	const PCRE2_SIZE *at;
	int n;

	for (size_t i = 0; i < n_group; i++)
		group[i] = (struct slice){ NULL, 0 };
	if (!ready(p))
		return false;
	n = pcre2_match(p->code, s.n ? (PCRE2_SPTR)s.p : (PCRE2_SPTR)"", s.n, 0, 0, p->match,
			limits);
	if (n <= 0)
		return false;
	at = pcre2_get_ovector_pointer(p->match);
	for (size_t i = 0; i < n_group && i < (size_t)n; i++) {
		if (at[2 * i] == PCRE2_UNSET)
			continue;
		group[i].p = s.p + at[2 * i];
		group[i].n = at[2 * i + 1] - at[2 * i];
	}
	return true;
}

unsigned pattern_group(struct pattern *p, const char *name)
{
	int n;

	if (!ready(p))
		return 0;
	n = pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)name);
	return n > 0 ? (unsigned)n : 0;
}

void pattern_release_all(void)
{
	for (size_t i = 0; i < n_compiled; i++) {
		pcre2_match_data_free(compiled[i]->match);
		pcre2_code_free(compiled[i]->code);
		compiled[i]->match = compiled[i]->code = NULL;
	}
	n_compiled = 0;
	pcre2_match_context_free(limits);
	pcre2_compile_context_free(newlines);
	limits = NULL;
	newlines = NULL;
}
