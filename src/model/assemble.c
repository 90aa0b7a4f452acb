/*
 * Facts become tables: listings are matched with metadata, settings attached, SSTables that went
 * away during collection and directories of dropped tables left out.
 *
 * Everything is sorted and merged, so that the result does not depend on the order of evidence.
 */
#include "model/measure.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "model/hearsay.h"

/* One SSTable directory of a table as the evidence has it: a listing, metadata, or both. */
struct place {
	const char *keyspace, *directory;	/* "readings-<id>" */
	struct slice table, id;
	struct listing **listings;		/* one for each disk */
	size_t n_listings;
	struct sstable_meta **metas;		/* by name, then disk */
	size_t n_metas;
	int64_t newest_s;
};

struct builder {
	struct arena *a;
	struct node *node;
	const struct assemble_options *o;
	VEC(struct place) places;
	VEC(struct table *) tables;
	struct schema_table **schema;	/* sorted by keyspace and name */
	size_t n_schema;
};

static int cmp_str(const char *p, const char *q)
{
	return strcmp(p ? p : "", q ? q : "");
}

/* ---- selection ---- */

static bool is_named(const struct assemble_options *o, const char *ks, const char *table)
{
	for (size_t i = 0; i < o->n_selections; i++) {
		const struct selection *s = &o->selections[i];

		if ((!s->keyspace || strcmp(s->keyspace, ks) == 0) &&
		    (!s->table || strcmp(s->table, table) == 0))
			return true;
	}
	return false;
}

static bool is_wanted(const struct assemble_options *o, const char *ks, const char *table)
{
	return o->n_selections ? is_named(o, ks, table) : !keyspace_is_system(ks);
}

/* ---- tables ---- */

static int by_table_name(const void *x, const void *y)
{
	const struct table *p = *(struct table *const *)x, *q = *(struct table *const *)y;
	int c = strcmp(p->keyspace, q->keyspace);

	return c ? c : strcmp(p->name, q->name);
}

/* The tables are kept sorted; NULL when the table is not wanted in this run. */
static struct table *builder_table(struct builder *b, const char *ks, const char *name)
{
	struct table key = { .keyspace = ks ? ks : "", .name = name }, *pkey = &key, **found, *t;
	size_t i;

	if (!is_wanted(b->o, key.keyspace, name))
		return NULL;
	found = b->tables.n ? bsearch(&pkey, b->tables.v, b->tables.n, sizeof(pkey), by_table_name)
			    : NULL;
	if (found)
		return *found;
	t = arena_alloc(b->a, sizeof(*t));
	t->node = b->node;
	t->keyspace = arena_strdup(b->a, key.keyspace);
	t->name = arena_strdup(b->a, name);
	t->full_name = *t->keyspace ? arena_printf(b->a, "%s.%s", t->keyspace, name) : t->name;
	t->is_system = keyspace_is_system(t->keyspace);
	t->named = is_named(b->o, t->keyspace, name);
	(void)vec_add(b->a, &b->tables);
	for (i = b->tables.n - 1; i > 0 && by_table_name(&b->tables.v[i - 1], &t) > 0; i--)
		b->tables.v[i] = b->tables.v[i - 1];
	b->tables.v[i] = t;
	return t;
}

/* ---- places ---- */

/* "readings-<id>": the last hyphen parts name and id, when what follows looks like an id. */
static void split_directory(struct place *p)
{
	struct slice d = slice_of(p->directory);
	size_t i;

	p->table = d;
	p->id = (struct slice){ d.p + d.n, 0 };
	i = slice_rfind(d, '-');
	if (i < d.n && d.n - i - 1 == 32) {
		p->table.n = i;
		p->id = slice_from(d, i + 1);
	} else if (d.n > 37 && d.p[d.n - 37] == '-') {	/* a UUID with hyphens */
		p->table.n = d.n - 37;
		p->id = slice_from(d, d.n - 36);
	}
}

static int by_meta_place(const void *x, const void *y)
{
	const struct sstable_meta *p = *(struct sstable_meta *const *)x;
	const struct sstable_meta *q = *(struct sstable_meta *const *)y;
	int c = cmp_str(p->keyspace, q->keyspace);

	if (!c)
		c = cmp_str(p->table_dir, q->table_dir);
	if (!c)
		c = cmp_str(p->name, q->name);
	if (!c)
		c = (p->disk > q->disk) - (p->disk < q->disk);
	if (!c)
		c = cmp_str(p->directory, q->directory);
	if (!c)		/* the natively read one first: it is preferred */
		c = (int)q->native - (int)p->native;
	if (!c)
		c = (p->line > q->line) - (p->line < q->line);
	return c;
}

static int by_listing_place(const void *x, const void *y)
{
	const struct listing *p = *(struct listing *const *)x, *q = *(struct listing *const *)y;
	int c = cmp_str(p->keyspace, q->keyspace);

	if (!c)
		c = cmp_str(p->directory, q->directory);
	return c ? c : (p->disk > q->disk) - (p->disk < q->disk);
}

/* A timestamp after this is a mistake, not a date: 2100. */
static const int64_t PLAUSIBLE_S = 4102444800;

static void note_newest(struct place *p)
{
	for (size_t i = 0; i < p->n_listings; i++)
		for (size_t k = 0; k < p->listings[i]->sstables.n; k++)
			if (p->listings[i]->sstables.v[k].mtime_s.v > p->newest_s)
				p->newest_s = p->listings[i]->sstables.v[k].mtime_s.v;
	if (p->n_listings)
		return;
	for (size_t i = 0; i < p->n_metas; i++) {	/* without a listing: the newest write */
		int64_t ts = p->metas[i]->max_ts.v / 1000000;

		if (p->metas[i]->max_ts.known && ts > p->newest_s && ts < PLAUSIBLE_S)
			p->newest_s = ts;
	}
}

/* Merge the sorted listings and metadata into places. */
static void find_places(struct builder *b)
{
	struct node *n = b->node;
	size_t i = 0, k = 0;

	if (n->metas.n)
		qsort(n->metas.v, n->metas.n, sizeof(*n->metas.v), by_meta_place);
	if (n->listings.n)
		qsort(n->listings.v, n->listings.n, sizeof(*n->listings.v), by_listing_place);
	while (i < n->metas.n || k < n->listings.n) {
		const struct sstable_meta *m = i < n->metas.n ? n->metas.v[i] : NULL;
		const struct listing *l = k < n->listings.n ? n->listings.v[k] : NULL;
		int c = !m ? 1 : !l ? -1 : cmp_str(m->keyspace, l->keyspace);
		struct place *p = vec_add(b->a, &b->places);

		if (!c)
			c = cmp_str(m->table_dir, l->directory);
		p->keyspace = c <= 0 ? m->keyspace : l->keyspace;
		p->directory = c <= 0 ? m->table_dir : l->directory;
		p->keyspace = p->keyspace ? p->keyspace : "";
		p->directory = p->directory ? p->directory : "-";
		p->metas = n->metas.n ? &n->metas.v[i] : NULL;
		while (i < n->metas.n && !cmp_str(n->metas.v[i]->keyspace, p->keyspace) &&
		       !strcmp(n->metas.v[i]->table_dir ? n->metas.v[i]->table_dir : "-",
			       p->directory)) {
			p->n_metas++;
			i++;
		}
		p->listings = n->listings.n ? &n->listings.v[k] : NULL;
		while (k < n->listings.n && !cmp_str(n->listings.v[k]->keyspace, p->keyspace) &&
		       !strcmp(n->listings.v[k]->directory, p->directory)) {
			p->n_listings++;
			k++;
		}
		split_directory(p);
		note_newest(p);
	}
}

/* ---- SSTables of one place ---- */

static const struct sstable_meta no_metadata = { .state = METADATA_NONE };

/* Full path of the table's folder on that disk, as datapaths has it. */
static const char *path_of(const struct builder *b, const struct place *p, unsigned disk)
{
	unsigned at = 0;

	for (size_t i = 0; i < b->node->datapaths.n; i++) {
		const struct datapath *d = b->node->datapaths.v[i];
		const char *base = strrchr(d->path, '/');

		if (strcmp(d->keyspace, p->keyspace) == 0 && base &&
		    strcmp(base + 1, p->directory) == 0 && at++ == disk)
			return d->path;
	}
	return NULL;
}

/* `folder` is its path where the metadata does not tell it; may be NULL. */
static struct sstable *new_sstable(struct builder *b, struct table *t, const char *folder,
				   const struct sstable_meta *m, const char *name, unsigned disk)
{
	struct sstable *s = arena_alloc(b->a, sizeof(*s));

	s->table = t;
	s->name = name;
	s->disk = disk;
	s->meta = m ? m : &no_metadata;
	s->metadata = s->meta->state;
	s->directory = s->meta->directory ? s->meta->directory : folder;
	sstable_split_name(b->a, s);
	return s;
}

/* First metadata of that name; the place's list is sorted by name. */
static size_t meta_from(const struct place *p, const char *name)
{
	size_t lo = 0, hi = p->n_metas;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cmp_str(p->metas[mid]->name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Metadata for a listed SSTable: of its disk when that is known, else by its folder's place among
 * the folders seen. A vanished or empty record counts only when there is no better one.
 */
struct match {
	const struct sstable_meta *best;	/* NULL = none */
	const struct sstable_meta *twin;	/* the same in the other form, NULL = none */
	const char *directory;			/* as one of them tells it */
};

static struct match match_meta(const struct place *p, const char *name, unsigned disk,
			       const char *folder, bool *taken)
{
	struct match out = { .directory = folder };

	for (size_t i = meta_from(p, name); i < p->n_metas && !cmp_str(p->metas[i]->name, name);
	     i++) {
		const struct sstable_meta *m = p->metas[i];

		if (m->disk_known && m->disk != disk)
			continue;
		if (!m->disk_known && folder && m->directory && p->n_listings > 1 &&
		    strcmp(m->directory, folder) != 0)
			continue;
		taken[i] = true;
		if (m->directory && !folder)
			out.directory = m->directory;
		if (!out.best || m->state > out.best->state ||
		    (m->state == out.best->state && m->native)) {
			out.twin = out.best;
			out.best = m;
		} else {
			out.twin = m;
		}
	}
	return out;
}

/* Folder that most of the disk's SSTables have by their metadata, when names decide it. */
static const char *folder_of_disk(const struct builder *b, const struct place *p,
				  const struct listing *l)
{
	const char *path = path_of(b, p, l->disk);

	if (path)
		return path;
	for (size_t k = 0; k < l->sstables.n; k++) {
		const char *name = l->sstables.v[k].name;
		size_t i = meta_from(p, name);

		if (i < p->n_metas && !cmp_str(p->metas[i]->name, name) && p->metas[i]->directory &&
		    (i + 1 == p->n_metas || cmp_str(p->metas[i + 1]->name, name)))
			return p->metas[i]->directory;
	}
	return NULL;
}

static bool is_gone(const struct listed_sstable *e, const struct sstable_meta *m)
{
	if (!e->data_bytes.known && !e->has_data)
		return true;		/* left-over components */
	if (m && m->vanished)
		return true;		/* compacted away since it was listed */
	return !m && !e->has_toc;	/* still being written */
}

typedef VEC(struct sstable *) sstable_vec;

static void add_listed(struct builder *b, struct table *t, const struct place *p,
		       const struct listing *l, bool *taken, sstable_vec *out)
{
	const char *folder = folder_of_disk(b, p, l);

	for (size_t i = 0; i < l->sstables.n; i++) {
		const struct listed_sstable *e = &l->sstables.v[i];
		struct match match = match_meta(p, e->name, l->disk, folder, taken);
		struct sstable *s;

		if (is_gone(e, match.best))
			continue;
		s = new_sstable(b, t, match.directory, match.best, e->name, l->disk);
		if (match.twin)
			measure_difference(b->node, t, match.best, match.twin);
		s->listed = true;
		s->bytes = (struct opt_i64){ e->bytes, !l->names_only };
		s->data_bytes = e->data_bytes;
		s->mtime_s = e->mtime_s;
		*vec_add(b->a, out) = s;
	}
}

/* The distinct folders that the place's metadata names, sorted. */
struct folders { const char **v; size_t n; };

static int by_text(const void *x, const void *y)
{
	return cmp_str(*(const char *const *)x, *(const char *const *)y);
}

static struct folders find_folders(struct arena *a, const struct place *p)
{
	struct folders f = { .v = arena_array(a, p->n_metas, sizeof(*f.v)) };
	size_t n = 0;

	for (size_t i = 0; i < p->n_metas; i++)
		if (!i || cmp_str(p->metas[i]->directory, p->metas[i - 1]->directory))
			f.v[n++] = p->metas[i]->directory;
	if (n)
		qsort(f.v, n, sizeof(*f.v), by_text);
	for (size_t i = 0; i < n; i++)
		if (!i || cmp_str(f.v[i], f.v[f.n - 1]))
			f.v[f.n++] = f.v[i];
	return f;
}

static unsigned folder_number(const struct folders *f, const char *folder)
{
	const char *const *at = f->n ? bsearch(&folder, f->v, f->n, sizeof(*f->v), by_text) : NULL;

	return at ? (unsigned)(at - f->v) : 0;
}

/* What has metadata but was not listed: newer than the listing, or nothing was listed. */
static void add_unlisted(struct builder *b, struct table *t, const struct place *p,
			 const bool *taken, sstable_vec *out)
{
	struct folders folders = find_folders(b->a, p);
	const char *folder = path_of(b, p, 0);
	unsigned folder_disk = 0;

	for (size_t i = 0; i < p->n_metas; i++) {
		const struct sstable_meta *m = p->metas[i];
		unsigned disk = m->disk_known ? m->disk : folder_number(&folders, m->directory);
		struct sstable *last = out->n ? out->v[out->n - 1] : NULL;

		if (taken[i] || m->vanished || (m->state == METADATA_NONE && p->n_listings))
			continue;
		if (last && !last->listed && last->disk == disk &&
		    strcmp(last->name, m->name) == 0) {
			if (m->state > last->metadata) {	/* the other form of the same one */
				last->meta = m;
				last->metadata = m->state;
			}
			continue;
		}
		if (disk != folder_disk) {
			folder = path_of(b, p, disk);
			folder_disk = disk;
		}
		*vec_add(b->a, out) = new_sstable(b, t, folder, m, m->name, disk);
	}
}

static void fill_table(struct builder *b, struct table *t, const struct place *p)
{
	bool *taken = arena_array(b->a, p->n_metas, sizeof(*taken));
	sstable_vec out = { 0 };

	for (size_t i = 0; i < p->n_listings; i++) {
		add_listed(b, t, p, p->listings[i], taken, &out);
		t->listed = true;
		t->evidence |= EV_LISTING;
		if (p->listings[i]->partial)
			t->evidence_failed |= EV_LISTING;
	}
	add_unlisted(b, t, p, taken, &out);
	t->sstables = out.v;
	t->n_sstables = out.n;
	for (size_t i = 0; i < p->n_metas; i++)
		t->evidence |= p->metas[i]->hearsay ? EV_EXPIREDBLOCKERS
			       : p->metas[i]->native ? EV_STATISTICS_DB : EV_SSTABLEMETADATA;
	t->bytes_known = true;
	for (size_t i = 0; i < t->n_sstables; i++) {
		t->bytes = add_saturated(t->bytes, t->sstables[i]->bytes.v);
		t->bytes_known = t->bytes_known && t->sstables[i]->bytes.known;
	}
}

/* ---- which directory is the table's ---- */

static bool same_id(struct slice id, const char *schema_id)
{
	size_t k = 0;

	if (!schema_id)
		return false;
	for (size_t i = 0; i < id.n; i++) {
		if (id.p[i] == '-')
			continue;
		while (schema_id[k] == '-')
			k++;
		if (schema_id[k++] != id.p[i])
			return false;
	}
	return schema_id[k] == '\0';
}

static int place_score(const struct builder *b, const struct place *p, const struct schema_table *s)
{
	if (s && same_id(p->id, s->id))
		return 3;
	if (path_of(b, p, 0))
		return 2;
	return p->n_listings || p->n_metas;
}

static void note_left_out(struct builder *b, const struct place *p, const struct table *t)
{
	*vec_add(b->a, &b->node->cluster->notes) = arena_printf(
		b->a,
		"%s: directory %s of %s left out, another directory of this table is the live one "
		"or newer",
		b->node->name, p->directory, t->full_name);
}

/* A dropped and recreated table leaves its old directory: the id decides, else the newest file. */
static void choose_places(struct builder *b)
{
	for (size_t i = 0, end; i < b->places.n; i = end) {
		struct place *p = &b->places.v[i], *best = p;
		struct table *t = builder_table(b, p->keyspace, arena_copy(b->a, p->table));

		for (end = i + 1; end < b->places.n;
		     end++) { /* sorted: the same table's are neighbours */
			struct place *q = &b->places.v[end];
			int c;

			if (strcmp(q->keyspace, p->keyspace) || !slice_eq(q->table, p->table))
				break;
			if (!t)
				continue;
			c = place_score(b, q, t->schema) - place_score(b, best, t->schema);
			if (c > 0 || (c == 0 && q->newest_s > best->newest_s))
				best = q;
		}
		if (!t)
			continue;
		fill_table(b, t, best);
		for (size_t k = i; k < end; k++)
			if (&b->places.v[k] != best)
				note_left_out(b, &b->places.v[k], t);
	}
}

/* ---- settings ---- */

static int by_schema_name(const void *x, const void *y)
{
	const struct schema_table *p = *(struct schema_table *const *)x;
	const struct schema_table *q = *(struct schema_table *const *)y;
	int c = cmp_str(p->keyspace, q->keyspace);

	return c ? c : cmp_str(p->name, q->name);
}

static const struct schema_table *find_schema(const struct builder *b, const struct table *t)
{
	struct schema_table key = { .keyspace = t->keyspace, .name = t->name }, *pkey = &key,
			    **found;

	found = b->n_schema ? bsearch(&pkey, b->schema, b->n_schema, sizeof(pkey), by_schema_name)
			    : NULL;
	return found ? *found : NULL;
}

static void set_settings(struct builder *b, struct table *t)
{
	const struct cluster *c = b->node->cluster;

	t->schema = find_schema(b, t);
	t->settings = (struct settings){
		.origin = SETTINGS_INFERRED, .check_interval_s = 600, .min_threshold = 4,
		.max_threshold = 32, .enabled = true,
	};
	if (t->schema) {
		t->settings = t->schema->settings;
		t->evidence |= EV_SCHEMA;
	} else if (t->stats && t->stats->window_s.known) {
		t->settings.strategy = "TimeWindowCompactionStrategy";
		t->settings.twcs = true;
		t->settings.window_s = t->stats->window_s;
	}
	if (b->o->n_designs) {
		struct table_design d = table_design_merge(b->o->designs, b->o->n_designs,
							   t->full_name);

		table_apply_design(t, &d);
	}
	for (size_t i = 0; i < c->schema.keyspaces.n; i++)
		if (strcmp(c->schema.keyspaces.v[i]->name, t->keyspace) == 0)
			t->replicas = c->schema.keyspaces.v[i]->replicas;
	t->autocompaction = b->node->autocompaction_all;
	for (size_t i = 0; i < b->node->autocompaction.n; i++) {
		const struct autocompaction_line *l = b->node->autocompaction.v[i];

		if (strcmp(l->keyspace, t->keyspace) == 0 && strcmp(l->table, t->name) == 0)
			t->autocompaction = some_i64(l->running);
	}
	if (!t->settings.enabled)
		t->autocompaction = some_i64(0);
}

static void add_stats(struct builder *b)
{
	for (size_t i = 0; i < b->node->table_stats.n; i++) {
		const struct table_stats *s = b->node->table_stats.v[i];
		struct table *t = s->is_index ? NULL : builder_table(b, s->keyspace, s->name);

		if (t) {
			t->stats = s;
			t->evidence |= EV_TABLESTATS;
		}
	}
}

/* Cassandra's indexes have a dot in their name and are no tables of their own. */
static void add_histograms(struct builder *b)
{
	bool dots = node_is_scylla(b->node);

	for (size_t i = 0; i < b->node->histograms.n; i++) {
		const struct table_histograms *h = b->node->histograms.v[i];
		bool is_index = !dots && strchr(h->name, '.');
		struct table *t = is_index ? NULL : builder_table(b, h->keyspace, h->name);

		if (t) {
			t->histograms = h;
			t->evidence |= EV_TABLEHISTOGRAMS;
		}
	}
}

static void add_schema_tables(struct builder *b)
{
	for (size_t i = 0; i < b->n_schema; i++)
		if (b->schema[i]->name && *b->schema[i]->name)
			builder_table(b, b->schema[i]->keyspace, b->schema[i]->name);
}

static void add_named(struct builder *b)
{
	for (size_t i = 0; i < b->o->n_selections; i++)
		if (b->o->selections[i].table)
			builder_table(b, b->o->selections[i].keyspace, b->o->selections[i].table);
}

/* ---- nodes ---- */

static int by_node_name(const void *x, const void *y)
{
	const struct node *p = *(struct node *const *)x, *q = *(struct node *const *)y;

	return strcmp(p->name, q->name);
}

/* Failures of one table's evidence: "keyspace.table" is how records name it. */
static void note_failures(struct builder *b)
{
	for (size_t i = 0; i < b->node->evidence.n; i++) {
		const struct evidence_record *r = &b->node->evidence.v[i];
		size_t dot = r->subject ? strcspn(r->subject, ".") : 0;
		struct table key, *pkey = &key, **found;

		if (r->status == EVIDENCE_OK || !r->subject || !r->subject[dot] || !b->tables.n)
			continue;
		key.keyspace = arena_copy(b->a, (struct slice){ r->subject, dot });
		key.name = r->subject + dot + 1;
		found = bsearch(&pkey, b->tables.v, b->tables.n, sizeof(pkey), by_table_name);
		if (found)
			(*found)->evidence_failed |= r->kind;
	}
}

static void assemble_node(struct builder *b)
{
	node_set_clock(b->node, b->o);
	node_set_identity(b->node);
	add_stats(b);
	add_histograms(b);
	add_schema_tables(b);
	add_named(b);
	hearsay_drop(b->node);
	find_places(b);
	for (size_t i = 0; i < b->places.n; i++)
		builder_table(b, b->places.v[i].keyspace, arena_copy(b->a, b->places.v[i].table));
	for (size_t i = 0; i < b->tables.n; i++)
		set_settings(b, b->tables.v[i]);
	choose_places(b);
	note_failures(b);
	for (size_t i = 0; i < b->tables.n; i++)
		measure_table(b->a, b->tables.v[i]);
	b->node->tables = b->tables.v;
	b->node->n_tables = b->tables.n;
	hearsay_attach(b->node);
}

void cluster_assemble(struct cluster *c, const struct assemble_options *o)
{
	struct schema_table **schema = arena_array(c->arena, c->schema.tables.n, sizeof(*schema));

	cluster_attribute(c, o);
	for (size_t i = 0; i < c->schema.tables.n; i++)
		schema[i] = c->schema.tables.v[i];
	if (c->schema.tables.n)
		qsort(schema, c->schema.tables.n, sizeof(*schema), by_schema_name);
	if (c->nodes.n)
		qsort(c->nodes.v, c->nodes.n, sizeof(*c->nodes.v), by_node_name);
	for (size_t i = 0; i < c->nodes.n; i++) {
		struct builder b = { .a = c->arena, .node = c->nodes.v[i], .o = o, .schema = schema,
				     .n_schema = c->schema.tables.n };

		assemble_node(&b);
	}
}
