/*
 * The tables and keyspaces of one piece of schema evidence while it is read, and how they become
 * part of the cluster's schema.
 */
#ifndef TWCSCHECK_SCHEMA_SET_H
#define TWCSCHECK_SCHEMA_SET_H

#include "model/model.h"
#include "parse/name_index.h"
#include "parse/settings.h"

struct schema_slot {
	struct schema_table *table;		/* NULL when it was dropped again */
	size_t older_same, older_keyspace;	/* the slot before of that name, keyspace */
};

struct schema_set {
	VEC(struct schema_slot) tables;
	VEC(struct schema_keyspace *) keyspaces;
	struct name_index same, in_keyspace;	/* the newest slot of a name, of a keyspace */
	struct name_index keyspace_index;
};

/* The table of that name (keyspace NULL = not known); NULL when there is none. */
struct schema_table *schema_set_find(struct arena *a, struct schema_set *set,
				     const char *keyspace, const char *name);
/*
 * Adds a new table. When the set has one of that name already, the new one is kept beside it, and
 * schema_set_find() finds the new one; the merge settles which counts. A table without a name is
 * never found.
 */
struct schema_table *schema_set_add(struct arena *a, struct schema_set *set, const char *keyspace,
				    const char *name, const char *source, unsigned line);
/* Forgets all tables of that name, or of the keyspace when `name` is NULL. */
void schema_set_drop(struct arena *a, struct schema_set *set, const char *keyspace,
		     const char *name);
/* The keyspace of that name, made when it is new. */
struct schema_keyspace *schema_set_keyspace(struct arena *a, struct schema_set *set,
					    const char *name);

/*
 * Take over a keyspace's replication map: its class and the largest number of replicas that a
 * datacenter has. Source: SimpleStrategy, NetworkTopologyStrategy (3.0 to 5.0).
 */
void schema_set_replication(struct schema_keyspace *k, const struct option_map *m);

/*
 * Add the set to the cluster's schema. Of several records of one table the first counts, unless a
 * later one knows more of strategy, TTL and gc_grace; where their settings differ the cluster
 * gets a note. The cluster's schema is partial while every text that was read was.
 */
void schema_set_merge(struct arena *a, const struct schema_set *set, struct cluster *c,
		      const char *source, bool partial);

#endif
