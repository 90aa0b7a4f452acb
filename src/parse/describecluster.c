/*
 * nodetool describecluster: the cluster's name, and from 4.0 on which node runs which release.
 * Source: nodetool's DescribeCluster (3.0 to 5.0); ScyllaDB prints no releases.
 */
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/nodetool.h"
#include "parse/parse.h"
#include "parse/pattern.h"

static void add_version(struct arena *a, struct node *n, struct slice version,
			struct slice addresses)
{
	struct version_line *v = arena_alloc(a, sizeof(*v));
	struct slice field;

	v->version = arena_copy(a, version);
	while (slice_field(&addresses, ',', &field)) {
		field = slice_trim(field);
		if (field.n)
			*(const char **)vec_add(a, &v->addresses) =
				arena_copy(a, nodetool_address(field));
	}
	*(struct version_line **)vec_add(a, &n->versions) = v;
}

/* The version lists of an earlier output of the same node are replaced. */
static void start_versions(struct node *n, bool *in_versions)
{
	n->versions.n = 0;
	*in_versions = true;
}

bool parse_describecluster(struct arena *a, const struct evidence *ev, struct node *into,
			   struct err *err)
{
	static struct pattern version_line = PATTERN("^\\s+(\\S+): \\[(.*)\\]\\s*$");
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct lines it = lines_of(ev->out);
	struct slice line, m[3];
	bool in_versions = false, used = false;

	it.terminated = true;
	while (lines_next(&it, &line)) {
		if (!it.terminated)
			break;
		if (nodetool_value(line, "Name", &m[0]) && m[0].n) {
			into->cluster_name = arena_copy(a, m[0]);
			used = true;
		} else if (slice_starts(line, SLICE("Database versions:"))) {
			start_versions(into, &in_versions);
		} else if (in_versions && pattern_match(&version_line, line, m, ARRAY_LEN(m))) {
			add_version(a, into, m[1], m[2]);
			used = true;
		} else {
			in_versions = false;
		}
	}
	if (!it.terminated)
		err_set(a, err, ERR_FORMAT, source, it.number, "the text ends inside a line");
	return used || complaint_report(a, ev->out, source, "description of a cluster", err);
}
