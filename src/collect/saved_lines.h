/*
 * Outputs that are not kept as they are: cassandra.yaml, of which only a few lines may leave the
 * machine, and cqlsh's rows of system_schema.
 */
#ifndef TWCSCHECK_SAVED_LINES_H
#define TWCSCHECK_SAVED_LINES_H

#include "base/buf.h"
#include "base/arena.h"

struct path_list { VEC(const char *) paths; };

/*
 * The lines of cassandra.yaml whose settings are used, and no others: the file holds passwords.
 * `directories` gets the data_file_directories, in order, in either form of a YAML list.
 */
void saved_yaml_lines(struct arena *a, struct slice yaml, struct buf *out,
		      struct path_list *directories);

/*
 * What cqlsh printed for SELECT JSON: its rows, one a line, with the table they are of as "from".
 * NULL, or why they are not all there.
 */
const char *saved_schema_rows(struct arena *a, struct slice printed, const char *from,
			      struct buf *out);

#endif
