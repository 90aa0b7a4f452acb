/* Names of SSTables' files. */
#ifndef TWCSCHECK_SSTABLE_FILES_H
#define TWCSCHECK_SSTABLE_FILES_H

#include "base/arena.h"

/* "nb-16-big-Statistics.db" -> "nb-16-big-" */
const char *sstable_file_base(struct arena *a, const char *file);

/*
 * Has this Statistics.db the first and last key itself? From nc on, and in every bti version of
 * Cassandra. Source: StatsMetadata's serializer (5.0).
 */
bool sstable_file_has_keys(const char *statistics);

/* The components with the keys of those that have not; NULL at the end. */
extern const char *const sstable_key_components[];

#endif
