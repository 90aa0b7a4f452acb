/*
 * nodetool status: the nodes of the cluster as one node sees them.
 *
 * Only the state, the address and the host id (by its form) are safe to take: loads are one word
 * or two, racks may have blanks. Source: nodetool's Status (3.0 to 5.0), scylla-nodetool.cc.
 */
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/name_index.h"
#include "parse/nodetool.h"
#include "parse/parse.h"
#include "parse/pattern.h"

struct reader {
	struct arena *a;
	struct node *node;
	const char *datacenter;		/* NULL = none yet */
	struct name_index index;	/* addresses in node->status, under their datacenter */
	bool used;
};

static struct status_line *line_of(struct reader *r, struct slice address)
{
	struct name_entry *e = name_index_get(r->a, &r->index, slice_of(r->datacenter), address);

	if (e->value == NAME_NEW) {
		e->value = r->node->status.n;
		*(struct status_line **)vec_add(r->a, &r->node->status) =
			arena_alloc(r->a, sizeof(struct status_line));
	}
	return r->node->status.v[e->value];
}

static struct slice find_host_id(struct slice rest)
{
	struct slice word;

	while (slice_word(&rest, &word))
		if (nodetool_is_uuid(word))
			return word;
	return (struct slice){ NULL, 0 };
}

/* "UN  10.0.0.11  1.02 TiB  16  33.4%  0f0e0d0c-…  rack1"; false when it is cut off. */
static bool read_node(struct reader *r, const struct slice *m, bool whole)
{
	struct slice host_id = find_host_id(m[3]);
	struct status_line *s;

	if (!whole && !host_id.n)
		return false;
	s = line_of(r, nodetool_address(m[2]));
	*s = (struct status_line){ .datacenter = r->datacenter };
	memcpy(s->state, m[1].p, m[1].n);
	s->address = arena_copy(r->a, nodetool_address(m[2]));
	if (host_id.n)
		s->host_id = arena_copy(r->a, host_id);
	r->used = true;
	return true;
}

bool parse_status(struct arena *a, const struct evidence *ev, struct node *into, struct err *err)
{
	static struct pattern node_line = PATTERN(
		"^\\s*((?:U|D|\\?|XU|X)[NLJM])\\s+(\\S+)(\\s.*)$");
	static struct pattern start = PATTERN("^\\s*(?:U|D|\\?|XU|X)(?:[NLJM](?:\\s+\\S*)?)?$");
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .node = into };
	struct lines it = lines_of(ev->out);
	struct slice line, m[4];
	bool cut = false;

	for (size_t i = 0; i < into->status.n; i++)
		name_index_get(a, &r.index, slice_of(into->status.v[i]->datacenter),
			       slice_of(into->status.v[i]->address))->value = i;
	while (lines_next(&it, &line)) {
		if (nodetool_value(line, "Datacenter", &m[0]))
			r.datacenter = arena_copy(a, m[0]);
		else if (pattern_match(&node_line, line, m, ARRAY_LEN(m)))
			cut = !read_node(&r, m, it.terminated);
		else
			cut = !it.terminated && pattern_match(&start, line, NULL, 0);
	}
	if (cut)
		err_set(a, err, ERR_FORMAT, source, it.number,
			"the text ends inside a node's line");
	return r.used || complaint_report(a, ev->out, source, "line of a node", err);
}
