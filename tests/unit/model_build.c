/* Tables for tests: see model_build.h. */
#include "model_build.h"

#include <assert.h>
#include <string.h>

static void default_settings(struct settings *s, int64_t window_s, int64_t gc_grace_s)
{
	s->origin = SETTINGS_SCHEMA;
	s->strategy = "TimeWindowCompactionStrategy";
	s->twcs = true;
	s->window_s = some_i64(window_s);
	s->resolution = TS_MICROSECONDS;
	s->default_ttl_s = some_i64(0);
	s->gc_grace_s = some_i64(gc_grace_s);
	s->check_interval_s = 600;
	s->min_threshold = 4;
	s->max_threshold = 32;
	s->enabled = true;
	s->compaction_map = "{'class': 'TimeWindowCompactionStrategy'}";
	s->read_repair = "BLOCKING";
}

static struct node *build_node(struct arena *a, int64_t now_s)
{
	struct cluster *c = arena_alloc(a, sizeof(*c));
	struct node *n = arena_alloc(a, sizeof(*n));

	c->arena = a;
	*vec_add(a, &c->nodes) = n;
	n->cluster = c;
	n->name = "cass-01";
	n->product = "cassandra";
	n->release = "5.0.6";
	n->now_s = some_i64(now_s);
	n->clock_s = now_s;
	n->clock_from = "node";
	return n;
}

struct table *build_table(struct arena *a, int64_t now_s, int64_t window_s, int64_t gc_grace_s)
{
	struct node *n = build_node(a, now_s);
	struct table *t = arena_alloc(a, sizeof(*t));

	n->tables = arena_array(a, 1, sizeof(*n->tables));
	n->tables[0] = t;
	n->n_tables = 1;
	n->have = EV_LISTING | EV_SSTABLEMETADATA | EV_SCHEMA;
	t->node = n;
	t->keyspace = "metrics";
	t->name = "readings";
	t->full_name = "metrics.readings";
	t->listed = true;
	t->evidence = n->have;
	t->sstables = arena_array(a, BUILD_SSTABLES_MAX, sizeof(*t->sstables));
	t->bytes_known = true;
	default_settings(&t->settings, window_s, gc_grace_s);
	return t;
}

/* What assemble derives from all SSTables of a table. */
static void count_again(struct table *t)
{
	t->n_disks = 0;
	t->n_unusable = 0;
	t->bytes = 0;
	t->bytes_known = true;
	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];
		bool seen = false;

		for (size_t j = 0; j < i; j++)
			seen = seen || t->sstables[j]->disk == s->disk;
		t->n_disks += !seen;
		t->n_unusable += s->metadata < METADATA_PARTIAL;
		t->bytes += s->bytes.known ? s->bytes.v : 0;
		t->bytes_known = t->bytes_known && s->bytes.known;
	}
}

struct sstable *build_sstable(struct arena *a, struct table *t, const char *name, int64_t min_ts,
			      int64_t max_ts, int64_t max_ldt_s)
{
	struct sstable *s = arena_alloc(a, sizeof(*s));
	struct sstable_meta *m = arena_alloc(a, sizeof(*m));

	assert(t->n_sstables < BUILD_SSTABLES_MAX);
	m->name = arena_strdup(a, name);
	m->state = METADATA_COMPLETE;
	m->native = true;
	m->min_ts = some_i64(min_ts);
	m->max_ts = some_i64(max_ts);
	m->min_ldt_s = m->max_ldt_s = some_i64(max_ldt_s);
	m->min_ttl_s = m->max_ttl_s = some_i64(max_ldt_s == TIME_NEVER ? 0 : 3600);
	m->level = some_i64(0);
	m->repair_known = true;
	m->disk_known = true;
	s->table = t;
	s->name = m->name;
	s->version = "nb";
	s->format = "big";
	s->listed = true;
	s->bytes = some_i64(BUILD_BYTES);
	s->meta = m;
	s->metadata = METADATA_COMPLETE;
	t->sstables[t->n_sstables++] = s;
	count_again(t);
	return s;
}

struct sstable_meta *build_meta(struct sstable *s)
{
	return (struct sstable_meta *)s->meta;
}

void build_tokens(struct sstable *s, int64_t first, int64_t last)
{
	build_meta(s)->first_token = some_i64(first);
	build_meta(s)->last_token = some_i64(last);
}

void build_ttls(struct sstable *s, int64_t min_ttl_s, int64_t max_ttl_s, int64_t min_ldt_s)
{
	build_meta(s)->min_ttl_s = some_i64(min_ttl_s);
	build_meta(s)->max_ttl_s = some_i64(max_ttl_s);
	build_meta(s)->min_ldt_s = some_i64(min_ldt_s);
}

void build_disk(struct sstable *s, unsigned disk)
{
	s->disk = disk;
	build_meta(s)->disk = disk;
	count_again(s->table);
}

void build_bytes(struct sstable *s, struct opt_i64 bytes)
{
	s->bytes = bytes;
	count_again(s->table);
}

void build_inconclusive(struct sstable *s)
{
	struct sstable_meta *m = build_meta(s);

	m->state = s->metadata = METADATA_INCONCLUSIVE;
	m->min_ts = some_i64(INT64_MIN);
	m->max_ts = some_i64(INT64_MAX);
	m->max_ldt_s = m->min_ldt_s = some_i64(TIME_NEVER);
	m->min_ttl_s = m->max_ttl_s = some_i64(0);
	m->first_token = m->last_token = (struct opt_i64){ .known = false };
	m->repair_known = false;
	m->problem = "no statistics were recorded";
	count_again(s->table);
}

struct sstable *build_find(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n_sstables; i++)
		if (strcmp(t->sstables[i]->name, name) == 0)
			return t->sstables[i];
	assert(!"no SSTable of that name in the test's table");
	return NULL;
}
