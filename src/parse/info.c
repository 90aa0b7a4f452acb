/*
 * nodetool info: the node's own host id and datacenter.
 * Source: nodetool's Info (3.0 to 5.0), scylla-nodetool.cc.
 */
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/nodetool.h"
#include "parse/parse.h"

bool parse_info(struct arena *a, const struct evidence *ev, struct node *into, struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct lines it = lines_of(ev->out);
	struct slice line, value;
	bool used = false;

	it.terminated = true;
	while (lines_next(&it, &line) && it.terminated) {
		if (nodetool_value(line, "ID", &value) && nodetool_is_uuid(value)) {
			into->host_id = arena_copy(a, value);
			used = true;
		} else if (nodetool_value(line, "Data Center", &value) && value.n) {
			into->datacenter = arena_copy(a, value);
			used = true;
		}
	}
	if (!it.terminated)
		err_set(a, err, ERR_FORMAT, source, it.number, "the text ends inside a line");
	return used || complaint_report(a, ev->out, source, "description of a node", err);
}
