/*
 * Any bytes as a loose text, through to the tables; and in small parts, which must give the same.
 */
#include <assert.h>
#include <string.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cluster *read_text(struct arena *a, const char *text, size_t size, size_t part)
{
	const struct assemble_options o = { .now_s = some_i64(1796061782) };
	struct evidence ev = { .kind = EV_LOOSE, .node = "-", .path = "fuzz.txt" };
	struct cluster *c = cluster_create(a);
	size_t at = 0;

	do {
		size_t n = size - at < part ? size - at : part;

		ev.out = (struct slice){ text + at, n };
		at += n;
		ev.more = at < size;
		parse_evidence(c, &ev);
	} while (ev.more);
	parse_finish(c);
	assert(!c->loose);
	cluster_assemble(c, &o);
	return c;
}

static void check(const struct cluster *c)
{
	for (size_t i = 0; i < c->notes.n; i++)
		for (const char *p = c->notes.v[i]; *p; p++)
			assert((unsigned char)*p >= ' ');
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct node *n = c->nodes.v[i];

		assert(n->name && *n->name);
		for (size_t k = 0; k < n->evidence.n; k++)
			assert(!n->evidence.v[k].error == (n->evidence.v[k].status == EVIDENCE_OK));
		for (size_t k = 0; k < n->table_stats.n; k++)
			assert(n->table_stats.v[k]->name);
		for (size_t k = 0; k < n->n_tables; k++)
			assert(n->tables[k]->full_name);
	}
}

static void compare(const struct cluster *p, const struct cluster *q)
{
	assert(p->nodes.n == q->nodes.n);
	assert(p->schema.tables.n == q->schema.tables.n);
	for (size_t i = 0; i < p->nodes.n; i++) {
		const struct node *x = p->nodes.v[i], *y = q->nodes.v[i];

		assert(strcmp(x->name, y->name) == 0);
		assert(x->evidence.n == y->evidence.n);
		for (size_t k = 0; k < x->evidence.n; k++)
			assert(x->evidence.v[k].kind == y->evidence.v[k].kind &&
			       x->evidence.v[k].status == y->evidence.v[k].status);
		assert(x->metas.n == y->metas.n && x->listings.n == y->listings.n);
		assert(x->table_stats.n == y->table_stats.n && x->n_tables == y->n_tables);
		assert(x->histograms.n == y->histograms.n && x->status.n == y->status.n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	size_t part = 4 + (size ? data[0] % 64 : 0);
	const char *text = (const char *)data + (size > 0);
	struct cluster *whole, *parts;

	size -= size > 0;
	/* what is looked at to tell text from bytes is more than one part */
	if (!memchr(text, '\0', size) && memchr(text, '\n', size)) {
		whole = read_text(a, text, size, SIZE_MAX);
		parts = read_text(a, text, size, part);
		check(whole);
		compare(whole, parts);
	} else {
		check(read_text(a, text, size, SIZE_MAX));
	}
	arena_destroy(a);
	return 0;
}
