/* sstableexpiredblockers' word in its place. See hearsay.h. */
#include "model/hearsay.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"

static int cmp_str(const char *p, const char *q)
{
	return strcmp(p ? p : "", q ? q : "");
}

struct named_sstable { const char *keyspace, *directory, *name; };

static int by_name(const void *x, const void *y)
{
	const struct named_sstable *p = x, *q = y;
	int c = cmp_str(p->keyspace, q->keyspace);

	if (!c)
		c = cmp_str(p->directory, q->directory);
	return c ? c : strcmp(p->name, q->name);
}

typedef VEC(struct named_sstable) name_vec;

static bool has_name(const name_vec *v, const struct sstable_meta *m, const char *name)
{
	struct named_sstable key = { m->keyspace, m->table_dir, name };

	return v->n && bsearch(&key, v->v, v->n, sizeof(key), by_name);
}

/* Listings as places: an SSTable that has no name. A part of a directory proves nothing. */
static void add_places(struct node *n, name_vec *places, name_vec *listed)
{
	struct arena *a = n->cluster->arena;

	for (size_t i = 0; i < n->listings.n; i++) {
		const struct listing *l = n->listings.v[i];

		if (!l->partial)
			*vec_add(a, places) = (struct named_sstable){ l->keyspace,
								      l->directory, "" };
		for (size_t k = 0; k < l->sstables.n; k++)
			*vec_add(a, listed) = (struct named_sstable){
				l->keyspace, l->directory, l->sstables.v[k].name };
	}
}

static void sort_names(name_vec *v)
{
	if (v->n)
		qsort(v->v, v->n, sizeof(*v->v), by_name);
}

void hearsay_drop(struct node *n)
{
	name_vec own = { 0 }, listed = { 0 }, places = { 0 };
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < n->metas.n && !any; i++)
		any = n->metas.v[i]->hearsay;
	if (!any)
		return;
	for (size_t i = 0; i < n->metas.n; i++) {
		const struct sstable_meta *m = n->metas.v[i];

		if (!m->hearsay)
			*vec_add(n->cluster->arena, &own) = (struct named_sstable){
				m->keyspace, m->table_dir, m->name };
	}
	add_places(n, &places, &listed);
	sort_names(&own);
	sort_names(&listed);
	sort_names(&places);
	for (size_t i = 0; i < n->metas.n; i++) {
		struct sstable_meta *m = n->metas.v[i];

		if (m->hearsay && (has_name(&own, m, m->name) ||
				   (has_name(&places, m, "") && !has_name(&listed, m, m->name))))
			continue;
		n->metas.v[kept++] = m;
	}
	n->metas.n = kept;
}

/* ---- for assembled tables ---- */

static struct table *find_table(const struct node *n, const char *keyspace, struct slice table)
{
	size_t lo = 0, hi = n->n_tables;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct table *t = n->tables[mid];
		int c = cmp_str(t->keyspace, keyspace);

		if (!c)
			c = slice_cmp(slice_of(t->name), table);
		if (!c)
			return t;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* "readings" of "readings-<id>"; an id has 32 hexadecimal digits, with or without hyphens. */
static struct slice table_of(const char *directory)
{
	enum { ID = 32, DASHED_ID = 36 };
	struct slice d = slice_of(directory);

	if (d.n > ID + 1 && d.p[d.n - ID - 1] == '-')
		d.n -= ID + 1;
	else if (d.n > DASHED_ID + 1 && d.p[d.n - DASHED_ID - 1] == '-' && d.p[d.n - 13] == '-')
		d.n -= DASHED_ID + 1;
	return d;
}

void hearsay_attach(struct node *n)
{
	for (size_t i = 0; i < n->tool_blockers.n; i++) {
		struct tool_blocker *b = n->tool_blockers.v[i];
		struct table *t = find_table(n, b->keyspace,
					     table_of(b->table_dir ? b->table_dir : "-"));

		if (!t)
			continue;
		*vec_add(n->cluster->arena, &t->tool_blockers) = b;
		t->evidence |= EV_EXPIREDBLOCKERS;
	}
}
