/*
 * A table's options as the server names them, made into struct settings: one code for the CQL
 * text and for the rows of system_schema.
 */
#ifndef TWCSCHECK_SETTINGS_H
#define TWCSCHECK_SETTINGS_H

#include "model/facts.h"

/* A map of options in the order of the text. `value` NULL = it was no plain value. */
struct option_entry { const char *key, *value; };
struct option_map { VEC(struct option_entry) entries; };

/* Where an option stands, for messages. */
struct option_place { const char *source; unsigned line; };

/* Sets a key; a repeated key keeps its place and takes the later value, as the server does. */
void option_map_set(struct arena *a, struct option_map *m, const char *key, const char *value);
/* The value; NULL when it is not there or no plain value. Keys are compared exactly. */
const char *option_map_get(const struct option_map *m, const char *key);
/* The CQL literal, "{'class': '…', 'k': 'v'}". */
const char *option_map_literal(struct arena *a, const struct option_map *m);

/* Nothing known yet, with the origin SETTINGS_SCHEMA. */
void settings_init(struct settings *s);

/*
 * Take over one table option. `name` is lower case; one of `value` and `map` is NULL. Options that
 * are not used are accepted and forgotten. A value that the server would refuse leaves its setting
 * unknown (or at its default where it has no unknown) and sets err; the result is false then.
 *
 * Source: TableAttributes, CompactionParams, TimeWindowCompactionStrategyOptions,
 * AbstractCompactionStrategy (3.0 to 5.0); tombstone_gc: ScyllaDB.
 */
bool settings_set(struct arena *a, struct settings *s, const char *name, const char *value,
		  const struct option_map *map, struct option_place at, struct err *err);

/*
 * The options were all there: those that were not printed have the server's default,
 * gc_grace_seconds 864000 and default_time_to_live 0. What the default compaction is depends on
 * the release and on cassandra.yaml: without the option the strategy stays unknown.
 */
void settings_fill_defaults(struct settings *s);

/* The name of the first setting that both know and that differs; NULL when there is none. */
const char *settings_difference(const struct settings *a, const struct settings *b);

/* How many of strategy, gc_grace and default TTL are known, 0 to 3. */
unsigned settings_completeness(const struct settings *s);

#endif
