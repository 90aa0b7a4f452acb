/* Facts of loose texts made fit for assembly. See tidy.h. */
#include "model/tidy.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"

enum { ID_HEX = 32, ID_DASHED = 36 };

static int cmp_str(const char *p, const char *q)
{
	return strcmp(p ? p : "", q ? q : "");
}

/* ---- directories without an id ---- */

/* Where a fact keeps its table's directory. */
struct directory {
	const char *keyspace;
	const char **where;	/* the fact's own pointer */
	struct slice table;
	bool has_id;
};

static bool is_id(const char *s, size_t n)
{
	size_t hex = 0;

	for (size_t i = 0; i < n; i++) {
		if ((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f'))
			hex++;
		else if (s[i] != '-')
			return false;
	}
	return hex == ID_HEX;
}

static void split_directory(struct directory *d)
{
	const char *s = *d->where;
	size_t n = strlen(s);

	d->table = (struct slice){ s, n };
	if (n > ID_HEX + 1 && s[n - ID_HEX - 1] == '-' && is_id(s + n - ID_HEX, ID_HEX))
		d->table.n = n - ID_HEX - 1;
	else if (n > ID_DASHED + 1 && s[n - ID_DASHED - 1] == '-' &&
		 is_id(s + n - ID_DASHED, ID_DASHED))
		d->table.n = n - ID_DASHED - 1;
	d->has_id = d->table.n < n;
}

static int cmp_tables(const struct directory *p, const struct directory *q)
{
	int c = cmp_str(p->keyspace, q->keyspace);

	return c ? c : slice_cmp(p->table, q->table);
}

/* Those with an id first, by id. */
static int by_table(const void *x, const void *y)
{
	const struct directory *p = x, *q = y;
	int c = cmp_tables(p, q);

	if (!c)
		c = (int)q->has_id - (int)p->has_id;
	return c ? c : strcmp(*p->where, *q->where);
}

typedef VEC(struct directory) directory_vec;

static void add_directory(struct arena *a, directory_vec *v, const char *keyspace,
			  const char **where)
{
	struct directory *d;

	if (!*where)
		return;
	d = vec_add(a, v);
	d->keyspace = keyspace;
	d->where = where;
	split_directory(d);
}

static void give_ids(struct node *n)
{
	struct arena *a = n->cluster->arena;
	directory_vec v = { 0 };
	bool any = false;

	for (size_t i = 0; i < n->listings.n; i++)
		add_directory(a, &v, n->listings.v[i]->keyspace, &n->listings.v[i]->directory);
	for (size_t i = 0; i < n->metas.n; i++)
		add_directory(a, &v, n->metas.v[i]->keyspace, &n->metas.v[i]->table_dir);
	for (size_t i = 0; i < v.n && !any; i++)
		any = !v.v[i].has_id;
	if (!any)
		return;
	qsort(v.v, v.n, sizeof(*v.v), by_table);
	for (size_t i = 0, end; i < v.n; i = end) {
		size_t ids = i;

		for (end = i; end < v.n && !cmp_tables(&v.v[i], &v.v[end]); end++)
			ids += v.v[end].has_id;
		/* Sorted: with the first and the last alike there is one id. */
		if (ids == i || strcmp(*v.v[i].where, *v.v[ids - 1].where) != 0)
			continue;
		for (size_t k = ids; k < end; k++)
			*v.v[k].where = *v.v[i].where;
	}
}

/* ---- listings told twice ---- */

struct numbered_listing { struct listing *l; size_t at; };

static int cmp_places(const struct listing *p, const struct listing *q)
{
	int c = cmp_str(p->keyspace, q->keyspace);

	if (!c)
		c = cmp_str(p->directory, q->directory);
	return c ? c : (p->disk > q->disk) - (p->disk < q->disk);
}

/* The best of one place comes last. */
static int by_worth(const void *x, const void *y)
{
	const struct numbered_listing *p = x, *q = y;
	int c = cmp_places(p->l, q->l);

	if (!c)
		c = (int)q->l->names_only - (int)p->l->names_only;
	if (!c)
		c = (int)q->l->rounded - (int)p->l->rounded;
	if (!c)
		c = (int)q->l->partial - (int)p->l->partial;
	return c ? c : (p->at > q->at) - (p->at < q->at);
}

static void note_listing(struct node *n, const struct listing *l, const struct listing *better)
{
	struct arena *a = n->cluster->arena;

	if (better && cmp_str(better->source, l->source))
		cluster_note(n->cluster, arena_printf(
			a, "%s: directory %s was listed more than once: %s is used, %s is not",
			n->name, l->directory, better->source, l->source));
	if (!better && l->rounded)
		cluster_note(n->cluster, arena_printf(
			a, "%s: the sizes in %s are rounded", n->name, l->source));
}

static void keep_best_listings(struct node *n)
{
	struct numbered_listing *v = arena_array(n->cluster->arena, n->listings.n, sizeof(*v));
	size_t kept = 0, count = n->listings.n;

	for (size_t i = 0; i < count; i++)
		v[i] = (struct numbered_listing){ n->listings.v[i], i };
	if (count)
		qsort(v, count, sizeof(*v), by_worth);
	for (size_t i = 0; i < count; i++) {
		bool best = i + 1 == count || cmp_places(v[i].l, v[i + 1].l) != 0;

		note_listing(n, v[i].l, best ? NULL : v[i + 1].l);
		if (best)
			n->listings.v[kept++] = v[i].l;
	}
	n->listings.n = kept;
}

/* ---- hearsay ---- */

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

static bool has_name(const name_vec *v, const struct sstable_meta *m)
{
	struct named_sstable key = { m->keyspace, m->table_dir, m->name };

	return v->n && bsearch(&key, v->v, v->n, sizeof(key), by_name);
}

/* The listings are sorted by place. */
static bool is_listed(const struct node *n, const struct sstable_meta *m)
{
	size_t lo = 0, hi = n->listings.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct listing *l = n->listings.v[mid];
		int c = cmp_str(l->keyspace, m->keyspace);

		if (!c)
			c = cmp_str(l->directory, m->table_dir);
		if (!c)
			return !l->partial;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static void drop_hearsay(struct node *n)
{
	struct arena *a = n->cluster->arena;
	name_vec own = { 0 }, listed = { 0 };
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < n->metas.n && !any; i++)
		any = n->metas.v[i]->hearsay;
	if (!any)
		return;
	for (size_t i = 0; i < n->metas.n; i++) {
		const struct sstable_meta *m = n->metas.v[i];

		if (!m->hearsay)
			*vec_add(a, &own) = (struct named_sstable){ m->keyspace, m->table_dir,
								    m->name };
	}
	for (size_t i = 0; i < n->listings.n; i++) {
		const struct listing *l = n->listings.v[i];

		for (size_t k = 0; k < l->sstables.n; k++)
			*vec_add(a, &listed) = (struct named_sstable){
				l->keyspace, l->directory, l->sstables.v[k].name };
	}
	if (own.n)
		qsort(own.v, own.n, sizeof(*own.v), by_name);
	if (listed.n)
		qsort(listed.v, listed.n, sizeof(*listed.v), by_name);
	for (size_t i = 0; i < n->metas.n; i++) {
		struct sstable_meta *m = n->metas.v[i];

		if (m->hearsay && (has_name(&own, m) || (is_listed(n, m) && !has_name(&listed, m))))
			continue;
		n->metas.v[kept++] = m;
	}
	n->metas.n = kept;
}

void tidy_facts(struct node *n)
{
	give_ids(n);
	keep_best_listings(n);
	drop_hearsay(n);
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

void tidy_attach_blockers(struct node *n)
{
	for (size_t i = 0; i < n->tool_blockers.n; i++) {
		struct tool_blocker *b = n->tool_blockers.v[i];
		const char *dir = b->table_dir ? b->table_dir : "-";
		struct directory d = { .keyspace = b->keyspace, .where = &dir };
		struct table *t;

		split_directory(&d);
		t = find_table(n, b->keyspace, d.table);
		if (!t)
			continue;
		*vec_add(n->cluster->arena, &t->tool_blockers) = b;
		t->evidence |= EV_EXPIREDBLOCKERS;
	}
}

static bool is_number(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

void tidy_split_name(struct arena *a, struct sstable *s)
{
	struct slice name = slice_of(s->name), rest;
	size_t last = slice_rfind(name, '-'), before;

	if (last >= name.n)
		return;
	if (name.n > 2 && name.p[2] == '-' && !is_number(slice_from(name, last + 1))) {
		s->version = arena_copy(a, (struct slice){ name.p, 2 });
		s->format = arena_copy(a, slice_from(name, last + 1));
		return;
	}
	rest = (struct slice){ name.p, last };		/* "ks-table-ka" */
	before = slice_rfind(rest, '-');
	if (is_number(slice_from(name, last + 1)) && before < rest.n && rest.n - before == 3)
		s->version = arena_copy(a, slice_from(rest, before + 1));
}
