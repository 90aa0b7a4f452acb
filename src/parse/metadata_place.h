/*
 * Where an SSTable lies, as texts name it: the path that a tool printed, taken apart.
 */
#ifndef TWCSCHECK_METADATA_PLACE_H
#define TWCSCHECK_METADATA_PLACE_H

#include "model/evidence.h"
#include "model/facts.h"

/* Slices of one path: its folder (empty when there is none) and "nb-16-big". */
struct metadata_place { struct slice folder, name; };

/* Split "/data/ks/t-<id>/nb-16-big", with or without component. False: it names no SSTable. */
bool metadata_place_split(struct slice path, struct metadata_place *out) MUST_USE;

/*
 * True for an SSTable that is not the table's own: below its directory (of a snapshot, a backup,
 * an index, ScyllaDB's staging), or of an index by its name (2.x: "ks-table.index-ka-7").
 * Source: Cassandra Directories, Descriptor (2.0 to 5.0).
 */
bool metadata_place_is_foreign(struct slice path) MUST_USE;

/*
 * Fill name, path, directory, keyspace, table_dir and source of `m`. What the path does not tell
 * comes from the evidence, or stays NULL.
 */
void metadata_place_set(struct arena *a, const struct evidence *ev,
			const struct metadata_place *p, struct sstable_meta *m);

/* The path of an SSTable that has a name and perhaps a directory, without component. */
const char *metadata_place_path(struct arena *a, const struct sstable_meta *m);

#endif
