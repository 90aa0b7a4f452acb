/*
 * What the readers of tablestats' three forms (text, JSON, YAML) share: values become fields of
 * struct table_stats in one way, and each table is in the node once.
 */
#ifndef TWCSCHECK_TABLESTATS_H
#define TWCSCHECK_TABLESTATS_H

#include "base/slice.h"
#include "parse/name_index.h"
#include "parse/parse.h"

enum stats_type { STATS_COUNT, STATS_BYTES, STATS_FLOAT, STATS_WINDOW };

/*
 * Read a value as printed into the field at `offset` of `t`. NaN, and -1 ("none"), leave it
 * unknown. False when it can't be read with certainty. KB, MB, ... are powers of 1024 here.
 */
bool stats_read(struct slice value, enum stats_type type, size_t offset, struct table_stats *t)
	MUST_USE;

/* The text of an error about such a value. */
extern const char stats_not_certain[];

/* A member of a table in the JSON and YAML forms that is used; NULL when it is another one. */
struct stats_member { const char *name; enum stats_type type; size_t offset; };
const struct stats_member *stats_member_find(struct slice name);

/* True when a keyspace or table can be called that. */
bool stats_is_name(struct slice s);

/* 3.11.0 to 3.11.4 print an index's name twice: that name once. */
struct slice stats_index_name(struct slice name);

/* The tables of a node, by name. */
struct stats_set {
	struct arena *arena;
	struct node *node;
	struct name_index index;
};

void stats_set_open(struct stats_set *s, struct arena *a, struct node *n);

/*
 * Take over the values of a table; an unknown keyspace is an empty slice. The last ones of a table
 * count as a whole. With `keep` those of its fields that are unknown keep what they were: not
 * every form has every value. Returns the table in the node.
 */
struct table_stats *stats_set_put(struct stats_set *s, struct slice keyspace, struct slice name,
				  const struct table_stats *values, bool keep);

/*
 * tablestats_yaml.c: the YAML form, as snakeyaml (Cassandra) and yaml-cpp (ScyllaDB) print it;
 * nothing else of YAML.
 */
parse_fn tablestats_parse_yaml;

#endif
