/* See schema_set.h. */
#include "parse/schema_set.h"

#include "base/num.h"
#include "base/slice.h"

/* The name as people write it. */
static const char *full_name(struct arena *a, const struct schema_table *t)
{
	if (!t->keyspace || !*t->keyspace)
		return t->name;
	return arena_printf(a, "%s.%s", t->keyspace, t->name);
}

static size_t *newest_same(struct arena *a, struct schema_set *set, const char *keyspace,
			   const char *name)
{
	return &name_index_get(a, &set->same, slice_of(keyspace), slice_of(name))->value;
}

static size_t *newest_in(struct arena *a, struct schema_set *set, const char *keyspace)
{
	return &name_index_get(a, &set->in_keyspace, slice_of(keyspace), SLICE(""))->value;
}

struct schema_table *schema_set_find(struct arena *a, struct schema_set *set,
				     const char *keyspace, const char *name)
{
	size_t slot = *name ? *newest_same(a, set, keyspace, name) : NAME_NEW;

	return slot == NAME_NEW ? NULL : set->tables.v[slot].table;
}

struct schema_table *schema_set_add(struct arena *a, struct schema_set *set, const char *keyspace,
				    const char *name, const char *source, unsigned line)
{
	struct schema_table *t = arena_alloc(a, sizeof(*t));
	struct schema_slot slot = { t, NAME_NEW, NAME_NEW };
	size_t *newest;

	*t = (struct schema_table){ .keyspace = keyspace, .name = name, .source = source,
				    .line = line };
	settings_init(&t->settings);
	if (*name) {
		newest = newest_same(a, set, keyspace, name);
		slot.older_same = *newest;
		*newest = set->tables.n;
		newest = newest_in(a, set, keyspace);
		slot.older_keyspace = *newest;
		*newest = set->tables.n;
	}
	*vec_add(a, &set->tables) = slot;
	return t;
}

void schema_set_drop(struct arena *a, struct schema_set *set, const char *keyspace,
		     const char *name)
{
	size_t *newest = name ? newest_same(a, set, keyspace, name) : newest_in(a, set, keyspace);
	size_t i = *newest;

	*newest = NAME_NEW;	/* so that no slot is passed twice */
	while (i != NAME_NEW) {
		struct schema_slot *slot = &set->tables.v[i];

		slot->table = NULL;
		i = name ? slot->older_same : slot->older_keyspace;
	}
}

struct schema_keyspace *schema_set_keyspace(struct arena *a, struct schema_set *set,
					    const char *name)
{
	struct name_entry *e = name_index_get(a, &set->keyspace_index, slice_of(name), SLICE(""));
	struct schema_keyspace *k;

	if (e->value != NAME_NEW)
		return set->keyspaces.v[e->value];
	e->value = set->keyspaces.n;
	k = arena_alloc(a, sizeof(*k));
	k->name = name;
	*(struct schema_keyspace **)vec_add(a, &set->keyspaces) = k;
	return k;
}

static const char *class_component(const char *class)
{
	const char *dot = class ? strrchr(class, '.') : NULL;

	return dot ? dot + 1 : class;
}

void schema_set_replication(struct schema_keyspace *k, const struct option_map *m)
{
	k->replication_class = class_component(option_map_get(m, "class"));
	k->replicas = (struct opt_i64){ 0 };
	for (size_t i = 0; i < m->entries.n; i++) {
		struct slice v = slice_of(m->entries.v[i].value);
		int64_t n;

		v.n = slice_find(v, '/');	/* "3/1": three, one of them transient */
		if (strcmp(m->entries.v[i].key, "class") == 0 || !num_parse_i64(v, &n))
			continue;
		if (n >= 0 && (!k->replicas.known || n > k->replicas.v))
			k->replicas = some_i64(n);
	}
}

static void note_difference(struct cluster *c, const struct schema_table *kept,
			    const struct schema_table *other)
{
	const char *what = settings_difference(&kept->settings, &other->settings);

	if (!what)
		return;
	*(const char **)vec_add(c->arena, &c->notes) = arena_printf(
		c->arena,
		"the schema of %s differs in its %s between %s:%u and %s:%u, the first is used",
		full_name(c->arena, kept), what, kept->source ? kept->source : "-", kept->line,
		other->source ? other->source : "-", other->line);
}

static void merge_table(struct cluster *c, struct name_index *ix, struct schema_table *t)
{
	struct schema *s = &c->schema;
	struct name_entry *e = NULL;
	struct schema_table *kept;

	if (*t->name)
		e = name_index_get(c->arena, ix, slice_of(t->keyspace), slice_of(t->name));
	if (!e || e->value == NAME_NEW) {
		if (e)
			e->value = s->tables.n;
		*(struct schema_table **)vec_add(c->arena, &s->tables) = t;
		return;
	}
	kept = s->tables.v[e->value];
	if (settings_completeness(&t->settings) > settings_completeness(&kept->settings)) {
		s->tables.v[e->value] = t;
		note_difference(c, t, kept);
		if (!t->id)
			t->id = kept->id;
		return;
	}
	note_difference(c, kept, t);
	if (!kept->id)
		kept->id = t->id;
}

static void merge_keyspaces(struct cluster *c, const struct schema_set *set)
{
	struct schema *s = &c->schema;
	struct name_index ix = { 0 };
	struct name_entry *e;

	for (size_t i = 0; i < s->keyspaces.n; i++) {
		e = name_index_get(c->arena, &ix, slice_of(s->keyspaces.v[i]->name), SLICE(""));
		e->value = i;
	}
	for (size_t i = 0; i < set->keyspaces.n; i++) {
		struct schema_keyspace *k = set->keyspaces.v[i];

		e = name_index_get(c->arena, &ix, slice_of(k->name), SLICE(""));
		if (e->value == NAME_NEW) {
			e->value = s->keyspaces.n;
			*(struct schema_keyspace **)vec_add(c->arena, &s->keyspaces) = k;
		} else if (!s->keyspaces.v[e->value]->replication_class) {
			s->keyspaces.v[e->value] = k;
		}
	}
}

void schema_set_merge(struct arena *a, const struct schema_set *set, struct cluster *c,
		      const char *source, bool partial)
{
	struct schema *s = &c->schema;
	struct name_index ix = { 0 };

	for (size_t i = 0; i < s->tables.n; i++) {
		const struct schema_table *t = s->tables.v[i];

		if (*t->name)
			name_index_get(a, &ix, slice_of(t->keyspace), slice_of(t->name))->value = i;
	}
	for (size_t i = 0; i < set->tables.n; i++)
		if (set->tables.v[i].table)
			merge_table(c, &ix, set->tables.v[i].table);
	merge_keyspaces(c, set);
	s->partial = s->source ? s->partial && partial : partial;
	if (!s->source)
		s->source = source ? source : "-";
}
