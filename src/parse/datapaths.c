/*
 * nodetool datapaths as text: the directories of each table.
 * Source: nodetool's DataPaths (4.1 to 5.0).
 */
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/nodetool.h"
#include "parse/parse.h"

bool parse_datapaths(struct arena *a, const struct evidence *ev, struct node *into,
		     struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	const char *keyspace = NULL, *table = NULL;
	struct lines it = lines_of(ev->out);
	struct slice line, value;
	bool used = false;

	it.terminated = true;
	while (lines_next(&it, &line) && it.terminated) {
		if (nodetool_value(line, "Keyspace", &value)) {
			keyspace = arena_copy(a, value);
			table = NULL;
		} else if (nodetool_value(line, "Table", &value)) {
			table = arena_copy(a, value);
		} else if (keyspace && table && slice_starts(slice_trim(line), SLICE("/"))) {
			struct datapath *p = arena_alloc(a, sizeof(*p));

			*p = (struct datapath){ keyspace, table, arena_copy(a, slice_trim(line)) };
			*(struct datapath **)vec_add(a, &into->datapaths) = p;
			used = true;
		}
	}
	if (!it.terminated)
		err_set(a, err, ERR_FORMAT, source, it.number, "the text ends inside a line");
	return used || complaint_report(a, ev->out, source, "path of a table", err);
}
