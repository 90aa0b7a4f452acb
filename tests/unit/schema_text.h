/* A schema as one text, for the tests of its two parsers: only what is known is in it. */
#ifndef TWCSCHECK_SCHEMA_TEXT_H
#define TWCSCHECK_SCHEMA_TEXT_H

#include "base/buf.h"
#include "parse_case.h"

static inline void schema_put_number(struct buf *b, const char *name, struct opt_i64 v)
{
	if (v.known)
		buf_printf(b, " %s=%lld", name, (long long)v.v);
}

static inline void schema_put_settings(struct buf *b, const struct settings *s)
{
	static const char *const units[] = { "", " milliseconds", " seconds", " nanoseconds" };

	if (s->strategy)
		buf_printf(b, " %s%s", s->strategy, s->twcs ? "(twcs)" : "");
	schema_put_number(b, "window", s->window_s);
	buf_str(b, units[s->resolution]);
	schema_put_number(b, "ttl", s->default_ttl_s);
	schema_put_number(b, "gc", s->gc_grace_s);
	if (s->check_interval_s != 600)
		buf_printf(b, " check=%lld", (long long)s->check_interval_s);
	if (s->min_threshold != 4 || s->max_threshold != 32)
		buf_printf(b, " thresholds=%lld,%lld", (long long)s->min_threshold,
			   (long long)s->max_threshold);
	buf_str(b, s->enabled ? "" : " disabled");
	buf_str(b, s->only_purge_repaired ? " purge-repaired" : "");
	buf_str(b, s->unsafe_aggressive ? " unsafe" : "");
	buf_str(b, s->tombstone_compaction ? " tombstones" : "");
	if (s->read_repair)
		buf_printf(b, " repair=%s", s->read_repair);
	if (s->read_repair_chance > 0)
		buf_printf(b, " chance=%g", s->read_repair_chance);
	if (s->tombstone_gc)
		buf_printf(b, " gc-mode=%s", s->tombstone_gc);
}

static inline const char *schema_text(struct parse_case *c)
{
	const struct schema *s = &c->cluster.schema;
	const char *text;
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_str(&b, c->ok ? "" : "FAILED ");
	for (size_t i = 0; i < s->keyspaces.n; i++) {
		buf_printf(&b, "%s: %s", s->keyspaces.v[i]->name,
			   s->keyspaces.v[i]->replication_class ?
			   s->keyspaces.v[i]->replication_class : "-");
		schema_put_number(&b, "replicas", s->keyspaces.v[i]->replicas);
		buf_str(&b, "; ");
	}
	for (size_t i = 0; i < s->tables.n; i++) {
		const struct schema_table *t = s->tables.v[i];

		buf_printf(&b, "%s.%s%s", t->keyspace ? t->keyspace : "(none)", t->name,
			   t->is_view ? "(view)" : "");
		if (t->id)
			buf_printf(&b, " id=%s", t->id);
		schema_put_settings(&b, &t->settings);
		buf_str(&b, "; ");
	}
	buf_str(&b, s->partial ? "PARTIAL " : "");
	if (c->err.kind != ERR_NONE)
		buf_printf(&b, "! %u %s", c->err.line, c->err.text);
	text = arena_copy(c->arena, (struct slice){ b.p, b.n });
	buf_free(&b);
	return text;
}

static inline const struct schema_table *schema_find(const struct parse_case *c,
						     const char *keyspace, const char *name)
{
	for (size_t i = 0; i < c->cluster.schema.tables.n; i++) {
		const struct schema_table *t = c->cluster.schema.tables.v[i];

		if (strcmp(t->name, name) == 0 &&
		    slice_eq(slice_of(t->keyspace), slice_of(keyspace)))
			return t;
	}
	return NULL;
}

static inline void schema_same_number(struct opt_i64 part, struct opt_i64 whole, const char *where)
{
	if (part.known && (!whole.known || part.v != whole.v))
		fail_msg("%s: %lld", where, (long long)part.v);
}

static inline void schema_same_text(const char *part, const char *whole, const char *where)
{
	if (part && (!whole || strcmp(part, whole) != 0))
		fail_msg("%s: '%s' for '%s'", where, part, whole ? whole : "nothing");
}

static inline void schema_same_settings(const struct settings *p, const struct settings *w,
					const char *where)
{
	schema_same_text(p->strategy, w->strategy, where);
	schema_same_number(p->window_s, w->window_s, where);
	schema_same_number(p->default_ttl_s, w->default_ttl_s, where);
	schema_same_number(p->gc_grace_s, w->gc_grace_s, where);
	schema_same_text(p->read_repair, w->read_repair, where);
	schema_same_text(p->tombstone_gc, w->tombstone_gc, where);
	schema_same_text(p->compaction_map, w->compaction_map, where);
	if (p->read_repair_chance > w->read_repair_chance)
		fail_msg("%s: read repair chance", where);
	if (p->strategy &&
	    (p->twcs != w->twcs || p->resolution != w->resolution || p->enabled != w->enabled ||
	     p->check_interval_s != w->check_interval_s || p->min_threshold != w->min_threshold ||
	     p->max_threshold != w->max_threshold || p->unsafe_aggressive != w->unsafe_aggressive ||
	     p->only_purge_repaired != w->only_purge_repaired ||
	     p->tombstone_compaction != w->tombstone_compaction))
		fail_msg("%s: compaction options", where);
}

/* What a cut text says of a table must be what the whole text says. */
static inline void schema_compare_prefix(const struct parse_case *part,
					 const struct parse_case *whole, const char *where)
{
	const struct schema *s = &part->cluster.schema;

	for (size_t i = 0; i < s->tables.n; i++) {
		const struct schema_table *p = s->tables.v[i];
		const struct schema_table *w = schema_find(whole, p->keyspace, p->name);

		if (!w || w->is_view != p->is_view)
			fail_msg("%s: there is no %s.%s", where, p->keyspace, p->name);
		schema_same_settings(&p->settings, &w->settings, where);
	}
	for (size_t i = 0; i < s->keyspaces.n; i++) {
		const struct schema_keyspace *p = s->keyspaces.v[i], *w = NULL;

		for (size_t j = 0; j < whole->cluster.schema.keyspaces.n; j++)
			if (strcmp(whole->cluster.schema.keyspaces.v[j]->name, p->name) == 0)
				w = whole->cluster.schema.keyspaces.v[j];
		if (!w)
			fail_msg("%s: there is no keyspace %s", where, p->name);
		schema_same_number(p->replicas, w->replicas, where);
	}
	assert_int_equal(part->cluster.notes.n, 0);
}

#endif
