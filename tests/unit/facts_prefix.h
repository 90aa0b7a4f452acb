/*
 * What a cut text says must be what the whole one says: comparing the facts of both, for the tests
 * of parsers that name SSTables.
 */
#ifndef TWCSCHECK_TESTS_FACTS_PREFIX_H
#define TWCSCHECK_TESTS_FACTS_PREFIX_H

#include "parse_case.h"

static inline bool same_text(const char *p, const char *q)
{
	return !p == !q && (!p || strcmp(p, q) == 0);
}

static inline void prefix_number(const char *where, const char *name, const char *what,
				 struct opt_i64 part, struct opt_i64 whole)
{
	if (part.known && (!whole.known || part.v != whole.v))
		fail_msg("%s: %s of %s is %lld, in the whole text %s%lld", where, what, name,
			 (long long)part.v, whole.known ? "" : "unknown ", (long long)whole.v);
}

/* The record that a parser made for the same SSTable at the same line. */
static inline const struct sstable_meta *prefix_meta(const struct parse_case *c,
						     const struct sstable_meta *m)
{
	for (size_t i = 0; i < c->node.metas.n; i++)
		if (same_text(c->node.metas.v[i]->path, m->path) &&
		    c->node.metas.v[i]->line == m->line)
			return c->node.metas.v[i];
	return NULL;
}

static inline void prefix_metas(const struct parse_case *part, const struct parse_case *whole,
				const char *where)
{
	for (size_t i = 0; i < part->node.metas.n; i++) {
		const struct sstable_meta *p = part->node.metas.v[i], *w = prefix_meta(whole, p);

		if (!w)
			fail_msg("%s: %s is not in the whole text", where, p->path);
		if (!same_text(p->keyspace, w->keyspace) || !same_text(p->table_dir, w->table_dir))
			fail_msg("%s: %s is of another table", where, p->path);
		prefix_number(where, p->name, "minimum timestamp", p->min_ts, w->min_ts);
		prefix_number(where, p->name, "maximum timestamp", p->max_ts, w->max_ts);
		prefix_number(where, p->name, "minimum deletion time", p->min_ldt_s, w->min_ldt_s);
		prefix_number(where, p->name, "maximum deletion time", p->max_ldt_s, w->max_ldt_s);
		prefix_number(where, p->name, "minimum TTL", p->min_ttl_s, w->min_ttl_s);
		prefix_number(where, p->name, "maximum TTL", p->max_ttl_s, w->max_ttl_s);
		prefix_number(where, p->name, "level", p->level, w->level);
		prefix_number(where, p->name, "rows", p->rows, w->rows);
		prefix_number(where, p->name, "first token", p->first_token, w->first_token);
		prefix_number(where, p->name, "largest partition", p->max_partition_bytes,
			      w->max_partition_bytes);
		prefix_number(where, p->name, "repair",
			      (struct opt_i64){ p->repaired_at_ms, p->repair_known },
			      (struct opt_i64){ w->repaired_at_ms, w->repair_known });
	}
}

#endif
