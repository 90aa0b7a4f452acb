/*
 * Names that the evidence leaves open: a bare table name gets its keyspace when only one table of
 * that name is known, a folder without id gets its id when only one is known. What stays open keeps
 * the name it has ("readings", or "-"), and is told. Listings of one folder become one.
 */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"

enum { NOTES_MAX = 20 };

struct known { const char *keyspace; struct slice name; const char *directory; };

struct names {
	struct arena *a;
	VEC(struct known) v;	/* sorted by name, keyspace, directory after sort_names() */
	size_t n_notes;
};

static bool is_open(const char *keyspace)
{
	return !keyspace || !*keyspace;
}

static bool is_nameless(const char *name)
{
	return !name || !*name || strcmp(name, "-") == 0;
}

/* "readings-<32 hex digits>": the name, and whether there is an id. */
static struct slice table_of(const char *directory, bool *has_id)
{
	struct slice d = slice_of(directory);
	size_t digits = 0, i = d.n;

	while (i > 0 && digits < 32) {
		char c = d.p[i - 1];
		bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');

		if (!hex && c != '-')
			break;
		digits += hex;
		i--;
	}
	*has_id = digits == 32 && i > 1 && d.p[i - 1] == '-';
	return *has_id ? (struct slice){ d.p, i - 1 } : d;
}

/* ---- what is known ---- */

static void add(struct names *k, const char *keyspace, struct slice name, const char *directory)
{
	const struct known *last = k->v.n ? &k->v.v[k->v.n - 1] : NULL;

	if (is_open(keyspace) || !name.n ||
	    (last && slice_eq(last->name, name) && strcmp(last->keyspace, keyspace) == 0 &&
	     !last->directory == !directory &&
	     (!directory || strcmp(last->directory, directory) == 0)))
		return;
	*vec_add(k->a, &k->v) = (struct known){ keyspace, name, directory };
}

static void add_directory(struct names *k, const char *keyspace, const char *directory)
{
	bool has_id;
	struct slice name;

	if (!directory)
		return;
	name = table_of(directory, &has_id);
	add(k, keyspace, name, has_id ? directory : NULL);
}

static void add_node(struct names *k, const struct node *n)
{
	for (size_t i = 0; i < n->table_stats.n; i++)
		add(k, n->table_stats.v[i]->keyspace, slice_of(n->table_stats.v[i]->name), NULL);
	for (size_t i = 0; i < n->histograms.n; i++)
		add(k, n->histograms.v[i]->keyspace, slice_of(n->histograms.v[i]->name), NULL);
	for (size_t i = 0; i < n->metas.n; i++)
		add_directory(k, n->metas.v[i]->keyspace, n->metas.v[i]->table_dir);
	for (size_t i = 0; i < n->listings.n; i++)
		add_directory(k, n->listings.v[i]->keyspace, n->listings.v[i]->directory);
	for (size_t i = 0; i < n->datapaths.n; i++) {
		const char *base = strrchr(n->datapaths.v[i]->path, '/');

		add_directory(k, n->datapaths.v[i]->keyspace, base ? base + 1 : NULL);
	}
}

static void add_asked_for(struct names *k, const struct assemble_options *o)
{
	for (size_t i = 0; i < o->n_selections; i++)
		if (o->selections[i].keyspace && o->selections[i].table)
			add(k, o->selections[i].keyspace, slice_of(o->selections[i].table), NULL);
	for (size_t i = 0; i < o->n_designs; i++) {
		const char *table = o->designs[i].table, *dot = strchr(table, '.');

		if (dot && !strchr(table, '*'))
			add(k, arena_copy(k->a, (struct slice){ table, (size_t)(dot - table) }),
			    slice_of(dot + 1), NULL);
	}
}

static int by_name(const void *x, const void *y)
{
	const struct known *p = x, *q = y;
	int c = slice_cmp(p->name, q->name);

	if (!c)
		c = strcmp(p->keyspace, q->keyspace);
	return c ? c : strcmp(p->directory ? p->directory : "", q->directory ? q->directory : "");
}

static void find_names(struct names *k, const struct cluster *c, const struct assemble_options *o)
{
	for (size_t i = 0; i < c->schema.tables.n; i++) {
		const struct schema_table *t = c->schema.tables.v[i];
		const char *directory = t->id && t->name
					? arena_printf(k->a, "%s-%s", t->name, t->id) : NULL;

		add(k, t->keyspace, slice_of(t->name), directory);
	}
	for (size_t i = 0; i < c->nodes.n; i++)
		add_node(k, c->nodes.v[i]);
	add_asked_for(k, o);
	if (k->v.n)
		qsort(k->v.v, k->v.n, sizeof(*k->v.v), by_name);
}

/* The first one of that name (and keyspace, unless NULL). */
static size_t first_of(const struct names *k, struct slice name, const char *keyspace)
{
	size_t lo = 0, hi = k->v.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = slice_cmp(k->v.v[mid].name, name);

		if (!c && keyspace)
			c = strcmp(k->v.v[mid].keyspace, keyspace);
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * The keyspace of the only table of that name; NULL when there are none or several. The server's
 * own tables stand back behind those of others.
 */
static const char *keyspace_of(const struct names *k, struct slice name)
{
	const char *found = NULL, *system = NULL;
	size_t n = 0, n_system = 0;

	for (size_t i = first_of(k, name, NULL);
	     i < k->v.n && slice_eq(k->v.v[i].name, name); i++) {
		const char *keyspace = k->v.v[i].keyspace;
		bool is_system = keyspace_is_system(keyspace);
		const char **last = is_system ? &system : &found;

		if (*last && strcmp(*last, keyspace) == 0)
			continue;
		*last = keyspace;
		n += !is_system;
		n_system += is_system;
	}
	if (n == 1)
		return found;
	return n == 0 && n_system == 1 ? system : NULL;
}

/* The only directory with an id that the table has; NULL when there are none or several. */
static const char *directory_of(const struct names *k, const char *keyspace, struct slice name)
{
	const char *found = NULL;

	for (size_t i = first_of(k, name, keyspace);
	     i < k->v.n && slice_eq(k->v.v[i].name, name) && !strcmp(k->v.v[i].keyspace, keyspace);
	     i++) {
		const char *d = k->v.v[i].directory;

		if (d && found && strcmp(found, d) != 0)
			return NULL;
		found = d ? d : found;
	}
	return found;
}

/* ---- names that are open ---- */

/* `what`: "numbers of tablestats", "mc-1-big and 2 more SSTables". */
static void note(struct names *k, struct cluster *c, const char *source, const char *what,
		 const char *name)
{
	const char *of = source ? source : "the evidence", *text;
	size_t before = c->notes.n;

	if (k->n_notes >= NOTES_MAX)
		return;
	if (is_nameless(name))
		text = arena_printf(k->a, "%s: the table of %s is not told: '-'", of, what);
	else
		text = arena_printf(k->a, "%s: the keyspace of '%s' is not told", of, name);
	cluster_note(c, text);
	k->n_notes += c->notes.n - before;
}

/* False: the keyspace stays open. */
static bool settle(struct names *k, const char **keyspace, struct slice name)
{
	if (is_open(*keyspace) && name.n && !slice_eq(name, SLICE("-"))) {
		*keyspace = keyspace_of(k, name);
		return *keyspace != NULL;
	}
	return !is_open(*keyspace);
}

/* A table directory: its keyspace, and its id. */
static bool settle_directory(struct names *k, const char **keyspace, const char **directory)
{
	bool has_id = false;
	struct slice name = { "", 0 };
	const char *with_id;

	if (*directory)
		name = table_of(*directory, &has_id);
	if (!settle(k, keyspace, name))
		return false;
	if (has_id || !*directory)
		return true;
	with_id = directory_of(k, *keyspace, name);
	if (with_id)
		*directory = with_id;
	return true;
}

static bool is_same_open(const struct sstable_meta *p, const struct sstable_meta *q)
{
	return is_open(q->keyspace) && !strcmp(p->table_dir ? p->table_dir : "-",
					       q->table_dir ? q->table_dir : "-");
}

/* One note for all SSTables of one name: "mc-1-big and 2 more SSTables". */
static void note_metas(struct names *k, struct cluster *c, const struct node *n, size_t at)
{
	const struct sstable_meta *m = n->metas.v[at];
	size_t more = 0;

	for (size_t i = 0; i < at; i++)
		if (is_same_open(m, n->metas.v[i]))
			return;
	for (size_t i = at + 1; i < n->metas.n; i++)
		more += is_same_open(m, n->metas.v[i]);
	note(k, c, m->source, more ? arena_printf(k->a, "%s and %zu more SSTables", m->name, more)
				   : m->name, m->table_dir);
}

static void settle_metas(struct names *k, struct cluster *c, struct node *n)
{
	for (size_t i = 0; i < n->metas.n; i++)
		(void)settle_directory(k, &n->metas.v[i]->keyspace, &n->metas.v[i]->table_dir);
	for (size_t i = 0; i < n->metas.n && k->n_notes < NOTES_MAX; i++)
		if (is_open(n->metas.v[i]->keyspace))
			note_metas(k, c, n, i);
}

static void settle_listings(struct names *k, struct cluster *c, struct node *n)
{
	for (size_t i = 0; i < n->listings.n; i++) {
		struct listing *l = n->listings.v[i];

		if (!settle_directory(k, &l->keyspace, &l->directory))
			note(k, c, l->source, l->sstables.n ? l->sstables.v[0].name : "a listing",
			     l->directory);
	}
}

static void settle_node(struct names *k, struct cluster *c, struct node *n)
{
	for (size_t i = 0; i < n->table_stats.n; i++) {
		struct table_stats *s = n->table_stats.v[i];

		if (!settle(k, &s->keyspace, slice_of(s->name)))
			note(k, c, s->source, "numbers of tablestats", s->name);
	}
	for (size_t i = 0; i < n->histograms.n; i++) {
		struct table_histograms *h = n->histograms.v[i];

		if (!settle(k, &h->keyspace, slice_of(h->name)))
			note(k, c, h->source, "histograms", h->name);
	}
	settle_metas(k, c, n);
	settle_listings(k, c, n);
	for (size_t i = 0; i < n->tool_blockers.n; i++) {
		struct tool_blocker *b = n->tool_blockers.v[i];

		if (!settle_directory(k, &b->keyspace, &b->table_dir))
			note(k, c, NULL, b->name, b->table_dir);
	}
}

/* ---- the schema ---- */

static bool has_schema(const struct cluster *c, const char *keyspace, const char *name)
{
	for (size_t i = 0; i < c->schema.tables.n; i++) {
		const struct schema_table *t = c->schema.tables.v[i];

		if (!is_open(t->keyspace) && t->name && strcmp(t->keyspace, keyspace) == 0 &&
		    strcmp(t->name, name) == 0)
			return true;
	}
	return false;
}

/* Anything else that nothing names: its settings may be another table's. */
static bool has_nameless(const struct cluster *c)
{
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct node *n = c->nodes.v[i];

		for (size_t k = 0; k < n->table_stats.n; k++)
			if (is_nameless(n->table_stats.v[k]->name))
				return true;
		for (size_t k = 0; k < n->histograms.n; k++)
			if (is_nameless(n->histograms.v[k]->name))
				return true;
		for (size_t k = 0; k < n->metas.n; k++)
			if (is_open(n->metas.v[k]->keyspace) &&
			    is_nameless(n->metas.v[k]->table_dir))
				return true;
		for (size_t k = 0; k < n->listings.n; k++)
			if (is_open(n->listings.v[k]->keyspace) &&
			    is_nameless(n->listings.v[k]->directory))
				return true;
	}
	return false;
}

/*
 * Options without the name of their table, as people paste them: what they say by themselves is
 * judged as the table "-". Several of them, or beside other nameless things, are only told.
 */
static void settle_fragments(struct names *k, struct cluster *c)
{
	struct schema_table *only = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->schema.tables.n; i++) {
		struct schema_table *t = c->schema.tables.v[i];

		if (!is_nameless(t->name))
			continue;
		only = t;
		n++;
		cluster_note(c, arena_printf(k->a, "%s:%u: options without the name of their table",
					     t->source ? t->source : "the schema", t->line));
	}
	if (n != 1 || !only->settings.twcs || has_nameless(c))
		return;
	only->keyspace = NULL;
	only->name = "-";
}

static void settle_schema(struct names *k, struct cluster *c)
{
	for (size_t i = 0; i < c->schema.tables.n; i++) {
		struct schema_table *t = c->schema.tables.v[i];
		const char *keyspace;

		if (is_nameless(t->name) || !is_open(t->keyspace))
			continue;
		keyspace = keyspace_of(k, slice_of(t->name));
		if (keyspace && !has_schema(c, keyspace, t->name))
			t->keyspace = keyspace;
		else
			note(k, c, t->source, "settings", t->name);
	}
	settle_fragments(k, c);
}

/* ---- listings of one folder ---- */

/* How much a listing tells. */
static int rank(const struct listing *l)
{
	if (l->names_only)
		return 0;
	if (l->rounded)
		return 1;
	return l->sstables.n && l->sstables.v[0].mtime_s.known ? 3 : 2;
}

static int cmp_open(const char *p, const char *q)
{
	return strcmp(p ? p : "", q ? q : "");
}

static int by_folder(const void *x, const void *y)
{
	const struct listing *p = *(struct listing *const *)x, *q = *(struct listing *const *)y;
	int c = cmp_open(p->keyspace, q->keyspace);

	if (!c)
		c = cmp_open(p->directory, q->directory);
	return c ? c : cmp_open(p->folder, q->folder);
}

static bool same_table(const struct listing *p, const struct listing *q)
{
	return !cmp_open(p->keyspace, q->keyspace) && !cmp_open(p->directory, q->directory);
}

/* The folder's number among the table's data directories, as the node has them; -1 = not there. */
static int datapath_number(const struct node *n, const struct listing *l)
{
	int at = 0;

	for (size_t i = 0; i < n->datapaths.n; i++) {
		const char *path = n->datapaths.v[i]->path, *base = strrchr(path, '/');

		if (!base || cmp_open(n->datapaths.v[i]->keyspace, l->keyspace) ||
		    cmp_open(base + 1, l->directory))
			continue;
		if (strcmp(path, l->folder) == 0)
			return at;
		at++;
	}
	return -1;
}

/* Listings that tell their folder: the same directory at another place is on another disk. */
static void number_disks(struct arena *a, struct node *n)
{
	struct listing **v = arena_array(a, n->listings.n, sizeof(struct listing *));
	size_t count = 0;
	unsigned disk = 0;

	for (size_t i = 0; i < n->listings.n; i++)
		if (n->listings.v[i]->folder)
			v[count++] = n->listings.v[i];
	if (count)
		qsort(v, count, sizeof(struct listing *), by_folder);
	for (size_t i = 0; i < count; i++) {
		int known = datapath_number(n, v[i]);

		if (i == 0 || !same_table(v[i - 1], v[i]))
			disk = 0;
		else
			disk += strcmp(v[i - 1]->folder, v[i]->folder) != 0;
		v[i]->disk = known >= 0 ? (unsigned)known : disk;
	}
}

static bool share_names(const struct listing *p, const struct listing *q)
{
	for (size_t i = 0; i < p->sstables.n; i++)
		for (size_t k = 0; k < q->sstables.n; k++)
			if (strcmp(p->sstables.v[i].name, q->sstables.v[k].name) == 0)
				return true;
	return false;
}

/*
 * The better one counts, of equal ones the later. Parts of one folder, listed one after the other,
 * are put together.
 */
static void merge_listing(struct arena *a, struct listing *into, struct listing *l)
{
	struct listing older = *into;

	if (rank(l) < rank(into))
		return;
	*into = *l;
	if (rank(l) > rank(&older) || share_names(l, &older))
		return;
	into->partial |= older.partial;
	for (size_t i = 0; i < older.sstables.n; i++)
		*vec_add(a, &into->sstables) = older.sstables.v[i];
}

/* Like by_folder(), and stable: the later one of a folder stands behind the earlier. */
struct numbered { struct listing *l; size_t at; };

static int by_disk(const void *x, const void *y)
{
	const struct numbered *p = x, *q = y;
	int c = cmp_open(p->l->keyspace, q->l->keyspace);

	if (!c)
		c = cmp_open(p->l->directory, q->l->directory);
	if (!c)
		c = (p->l->disk > q->l->disk) - (p->l->disk < q->l->disk);
	return c ? c : (p->at > q->at) - (p->at < q->at);
}

static void merge_listings(struct arena *a, struct node *n)
{
	struct numbered *v = arena_array(a, n->listings.n, sizeof(*v));
	size_t kept = 0;

	for (size_t i = 0; i < n->listings.n; i++)
		v[i] = (struct numbered){ n->listings.v[i], i };
	if (n->listings.n)
		qsort(v, n->listings.n, sizeof(*v), by_disk);
	for (size_t i = 0; i < n->listings.n; i++) {
		struct listing *last = kept ? n->listings.v[kept - 1] : NULL;

		if (last && last->disk == v[i].l->disk && same_table(last, v[i].l))
			merge_listing(a, last, v[i].l);
		else
			n->listings.v[kept++] = v[i].l;
	}
	n->listings.n = kept;
}

void cluster_attribute(struct cluster *c, const struct assemble_options *o)
{
	struct names k = { .a = c->arena };

	find_names(&k, c, o);
	settle_schema(&k, c);
	for (size_t i = 0; i < c->nodes.n; i++) {
		settle_node(&k, c, c->nodes.v[i]);
		number_disks(c->arena, c->nodes.v[i]);
		merge_listings(c->arena, c->nodes.v[i]);
	}
}
