/* Which nodes and tables a run is about. */
#include "cli/scope.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void scope_gap(struct run_options *o, const char *reason, const char *action, bool is_node)
{
	*vec_add(o->arena, &o->checks.gaps) = (struct known_gap){ reason, action, is_node };
}

/* ---- nodes ---- */

static bool is_called(const struct node *n, const char *host)
{
	return strcasecmp(n->name, host) == 0 || (n->address && strcmp(n->address, host) == 0);
}

static const char *known_nodes(struct run_options *o, const struct cluster *c)
{
	const char *list = "";
	size_t most = c->nodes.n < 4 ? c->nodes.n : 4;

	for (size_t i = 0; i < most; i++)
		list = arena_printf(o->arena, "%s%s%s", list, i ? ", " : "", c->nodes.v[i]->name);
	return most < c->nodes.n
		       ? arena_printf(o->arena, "%s and %zu more", list, c->nodes.n - most)
		       : list;
}

void scope_nodes(struct run_options *o, struct cluster *c)
{
	bool *keep = arena_array(o->arena, c->nodes.n + 1, sizeof(*keep));
	const char *known = known_nodes(o, c);
	size_t n = 0;

	if (!o->hosts.n)
		return;
	/* Loose files say nothing of their node: it is the one that was named. */
	if (c->nodes.n == 1 && o->hosts.n == 1 && strcmp(c->nodes.v[0]->name, "-") == 0)
		c->nodes.v[0]->name = o->hosts.v[0];
	for (size_t h = 0; h < o->hosts.n; h++) {
		bool found = false;

		for (size_t i = 0; i < c->nodes.n; i++) {
			if (!is_called(c->nodes.v[i], o->hosts.v[h]))
				continue;
			keep[i] = true;
			found = true;
		}
		if (!found)
			scope_gap(o, arena_printf(o->arena, "node %s is not in the evidence, "
							    "which has %s",
						  o->hosts.v[h], known),
				  "collect it, or name it as the evidence does: by node name or "
				  "address", true);
	}
	for (size_t i = 0; i < c->nodes.n; i++)
		if (keep[i])
			c->nodes.v[n++] = c->nodes.v[i];
	c->nodes.n = n;
}

/* ---- tables ---- */

static bool has_keyspace(const struct cluster *c, const char *keyspace)
{
	for (size_t i = 0; i < c->nodes.n; i++)
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++)
			if (strcmp(c->nodes.v[i]->tables[k]->keyspace, keyspace) == 0)
				return true;
	return false;
}

void scope_keyspaces(struct run_options *o, const struct cluster *c)
{
	for (size_t i = 0; i < o->selections.n; i++) {
		const struct selection *s = &o->selections.v[i];

		if (!s->table && c->nodes.n && !has_keyspace(c, s->keyspace))
			scope_gap(o, arena_printf(o->arena, "no table of keyspace %s is in the "
							    "evidence",
						  s->keyspace),
				  "check the spelling: names are as nodetool tablestats prints "
				  "them", false);
	}
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* More than there may be labels for, or a whole keyspace: then all tables are told together. */
void scope_perf_tables(const struct run_options *o, struct render_options *ro)
{
	VEC(const char *) names = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < o->selections.n; i++) {
		if (!o->selections.v[i].table)
			return;
		*vec_add(o->arena, &names) = arena_printf(
			o->arena, "%s.%s", o->selections.v[i].keyspace, o->selections.v[i].table);
	}
	for (size_t i = 0; i < o->assemble.n_designs && !o->selections.n; i++)
		if (!strchr(o->assemble.designs[i].table, '*'))
			*vec_add(o->arena, &names) = o->assemble.designs[i].table;
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_name);
	for (size_t i = 0; i < names.n; i++)
		if (i == 0 || strcmp(names.v[i], names.v[n - 1]) != 0)
			names.v[n++] = names.v[i];
	ro->perf_tables = names.v;
	ro->n_perf_tables = n;
}
