/*
 * What a live source needs to know of the evidence that it handed out: its release, where SSTables
 * lie, which tables are of this run. A table is of the run when it is named on the command line,
 * without names when it is no system table.
 */
#include <string.h>

#include "base/slice.h"
#include "cli/sources.h"
#include "parse/parse.h"

struct guide {
	struct live_guide live;
	struct run_options *o;
	struct cluster *cluster;
};

static struct node *node_of(const struct guide *g, const char *folder)
{
	for (size_t i = g->cluster->nodes.n; i > 0; i--) {
		struct node *n = g->cluster->nodes.v[i - 1];

		if (strcmp(n->folder ? n->folder : n->name, folder) == 0)
			return n;
	}
	return NULL;
}

static bool is_named(const struct run_options *o, const char *keyspace, const char *table)
{
	for (size_t i = 0; i < o->selections.n; i++) {
		const struct selection *s = &o->selections.v[i];

		if ((!s->keyspace || strcmp(s->keyspace, keyspace) == 0) &&
		    (!s->table || strcmp(s->table, table) == 0))
			return true;
	}
	return false;
}

static bool is_of_run(const struct guide *g, const char *keyspace, const char *table)
{
	return g->o->selections.n ? is_named(g->o, keyspace, table) : !keyspace_is_system(keyspace);
}

static int guide_release(void *ctx, const char *folder)
{
	struct node *n = node_of(ctx, folder);

	return n ? node_release_number(n) : 0;
}

static void guide_directories(void *ctx, const char *folder, struct arena *a,
			      struct live_directories *out)
{
	const struct guide *g = ctx;
	struct node *n = node_of(g, folder);

	for (size_t i = 0; n && i < n->datapaths.n; i++) {
		const struct datapath *d = n->datapaths.v[i];

		if (is_of_run(g, d->keyspace, d->table))
			*vec_add(a, &out->list) = (struct live_directory){ d->keyspace, d->path };
	}
}

static bool guide_wants(void *ctx, const char *keyspace, const char *directory)
{
	const struct guide *g = ctx;
	struct slice table, id;

	parse_table_dir(slice_of(directory), &table, &id);
	return id.n && is_of_run(g, keyspace, arena_copy(g->o->arena, table));
}

static void add_table(struct arena *a, struct live_tables *out, const char *keyspace,
		      const char *table)
{
	for (size_t i = 0; i < out->list.n; i++)
		if (strcmp(out->list.v[i].keyspace, keyspace) == 0 &&
		    strcmp(out->list.v[i].table, table) == 0)
			return;
	*vec_add(a, &out->list) = (struct live_table){ keyspace, table };
}

/* By the schema the tables on TWCS and those that are named; without one all that lie on disk. */
static void guide_tables(void *ctx, const char *folder, struct arena *a, struct live_tables *out)
{
	const struct guide *g = ctx;
	const struct schema *schema = &g->cluster->schema;
	struct node *n = node_of(g, folder);
	struct slice table, id;

	for (size_t i = 0; i < schema->tables.n; i++) {
		const struct schema_table *t = schema->tables.v[i];

		if (t->keyspace && is_of_run(g, t->keyspace, t->name) &&
		    (t->settings.twcs || g->o->selections.n))
			add_table(a, out, t->keyspace, t->name);
	}
	for (size_t i = 0; n && !schema->source && i < n->listings.n; i++) {
		const struct listing *l = n->listings.v[i];

		parse_table_dir(slice_of(l->directory), &table, &id);
		if (l->sstables.n)
			add_table(a, out, l->keyspace, arena_copy(a, table));
	}
}

static bool guide_has_schema(void *ctx)
{
	const struct guide *g = ctx;

	return g->cluster->schema.source != NULL;
}

struct live_guide *guide_create(struct run_options *o, struct cluster *c)
{
	struct guide *g = arena_alloc(o->arena, sizeof(*g));

	g->o = o;
	g->cluster = c;
	g->live = (struct live_guide){ .ctx = g, .release = guide_release,
				       .directories = guide_directories, .wants = guide_wants,
				       .tables = guide_tables, .has_schema = guide_has_schema };
	return &g->live;
}
