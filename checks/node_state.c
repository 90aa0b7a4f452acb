/* Nodes that are down, releases that differ, automatic compaction that is off. */
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { P_DOWN, P_RELEASES, P_OFF };

static const struct check_param params[] = {
	[P_DOWN] = { "down", UNIT_NONE, "0", NULL, "times that another node calls a node down" },
	[P_RELEASES] = { "releases", UNIT_NONE, "1", NULL, "different releases in the cluster" },
	[P_OFF] = { "off", UNIT_NONE, "0", NULL, "tables of a node without automatic compaction" },
	{ 0 },
};

static const struct node *node_at(const struct cluster *c, const char *address)
{
	for (size_t i = 0; i < c->nodes.n; i++)
		if (c->nodes.v[i]->address && strcmp(c->nodes.v[i]->address, address) == 0)
			return c->nodes.v[i];
	return NULL;
}

/* "node says that address is down". */
struct down { const char *address; const struct node *by; };

static int by_address(const void *x, const void *y)
{
	const struct down *p = x, *q = y;
	int c = strcmp(p->address, q->address);

	return c ? c : strcmp(p->by->name, q->by->name);
}

/* The words [from, to) are all of one address. */
static void tell_down(const struct check_ctx *ctx, struct findings *out, const struct down *d,
		      size_t n)
{
	const struct node *who = node_at(ctx->cluster, d->address);
	const char *by = d[0].by->name;
	struct finding *f;

	for (size_t i = 1; i < n && i < NAMES_SHOWN; i++)
		by = arena_printf(ctx->arena, "%s, %s", by, d[i].by->name);
	if (n > NAMES_SHOWN)
		by = arena_printf(ctx->arena, "%s and %zu more", by, n - NAMES_SHOWN);
	f = finding_add(ctx, out, check_judge(ctx, P_DOWN, (double)n),
			"node %s%s%s%s is down, says %s", who ? who->name : d->address,
			who ? " (" : "", who ? d->address : "", who ? ")" : "", by);
	f->node = who;
	finding_action(
		out, f,
		"while a node is down the others keep hints for it: they arrive late when it "
		"is back");
}

static void check_down(const struct check_ctx *ctx, struct findings *out)
{
	const struct cluster *c = ctx->cluster;
	VEC(struct down) all = { 0 };

	for (size_t i = 0; i < c->nodes.n; i++)
		for (size_t k = 0; k < c->nodes.v[i]->status.n; k++)
			if (c->nodes.v[i]->status.v[k]->state[0] == 'D')
				*vec_add(ctx->arena, &all) = (struct down){
					c->nodes.v[i]->status.v[k]->address, c->nodes.v[i] };
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_address);
	for (size_t i = 0, end; i < all.n; i = end) {
		for (end = i + 1; end < all.n && !strcmp(all.v[i].address, all.v[end].address);
		     end++)
			;
		tell_down(ctx, out, &all.v[i], end - i);
	}
}

/* Adds the release to the list when it is new; returns how many there are. */
static size_t add_release(struct arena *a, const char **list, size_t n, const char *release,
			  const char **last)
{
	if (!release || (*last && strcmp(*last, release) == 0) ||
	    strstr(*list, arena_printf(a, " %s,", release)))
		return n;
	*list = arena_printf(a, "%s %s,", *list, release);
	*last = release;
	return n + 1;
}

static void check_releases(const struct check_ctx *ctx, struct findings *out)
{
	const struct cluster *c = ctx->cluster;
	const char *list = "", *last = NULL;
	struct finding *f;
	size_t n = 0;

	for (size_t i = 0; i < c->nodes.n; i++) {
		n = add_release(ctx->arena, &list, n, c->nodes.v[i]->release, &last);
		for (size_t k = 0; k < c->nodes.v[i]->versions.n; k++)
			n = add_release(ctx->arena, &list, n, c->nodes.v[i]->versions.v[k]->version,
					&last);
	}
	if (check_judge(ctx, P_RELEASES, (double)n) == SEV_OK)
		return;
	f = finding_add(ctx, out, check_judge(ctx, P_RELEASES, (double)n),
			"nodes run different releases:%.*s", (int)strlen(list) - 1, list);
	finding_action(out, f,
		       "finish the upgrade: streaming, repair and schema changes wait for it");
}

static void check_compaction(const struct check_ctx *ctx, struct findings *out,
			     const struct node *n)
{
	const char *names = "";
	struct finding *f;
	size_t off = 0;
	bool all = n->autocompaction_all.known && !n->autocompaction_all.v;
	enum severity s;

	for (size_t i = 0; i < n->n_tables; i++) {
		const struct table *t = n->tables[i];

		if (!t->autocompaction.known || t->autocompaction.v)
			continue;
		if (off < NAMES_SHOWN)
			names = arena_printf(ctx->arena, "%s%s%s", names, off ? ", " : "",
					     t->full_name);
		off++;
	}
	s = check_judge(ctx, P_OFF, (double)(off ? off : all));
	if ((!off && !all) || s == SEV_OK)
		return;
	f = finding_add(ctx, out, s, "automatic compaction is off on %s for %s%s%s%s", n->name,
			all ? "all tables" : plural(ctx->arena, off, "table"), off ? ": " : "",
			names, off > NAMES_SHOWN ? " and others" : "");
	f->node = n;
	for (size_t i = 0; i < n->n_tables; i++)
		if (n->tables[i]->autocompaction.known && !n->tables[i]->autocompaction.v)
			finding_detail(out, f, "%s%s", n->tables[i]->full_name,
				       n->tables[i]->settings.enabled
					       ? ""
					       : ": 'enabled': 'false' in its schema");
	finding_action(
		out, f,
		"nodetool enableautocompaction, if nobody needs it off: while it is, nothing is "
		"merged and no expired window is dropped");
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct cluster *c = ctx->cluster;
	bool status = false;

	for (size_t i = 0; i < c->nodes.n; i++) {
		status = status || c->nodes.v[i]->status.n;
		if (c->nodes.v[i]->failed & EV_STATUS)
			finding_add(ctx, out, SEV_UNKNOWN,
				    "status of %s was not read whole: whether nodes are down is "
				    "not known", c->nodes.v[i]->name)->missing_evidence = true;
	}
	if (!status)
		finding_add(ctx, out, SEV_UNKNOWN,
			    "no node's status is in the evidence: whether nodes are down is not "
			    "known")->missing_evidence = true;
	check_down(ctx, out);
	check_releases(ctx, out);
	for (size_t i = 0; i < c->nodes.n; i++)
		check_compaction(ctx, out, c->nodes.v[i]);
}

static bool applies(const struct check_ctx *ctx)
{
	return ctx->cluster->nodes.n > 0;
}

static const char explain[] =
"What a node says of the cluster and of itself: nodes that another node calls down, different "
"releases, and automatic compaction that is switched off for the node or for some of its tables. "
"Without automatic compaction nothing is merged and no expired window is dropped, and nothing but "
"this tells: a restart switches it on again, and neither schema nor disk shows it.\n"
"\n"
"Thresholds: any of these is a warning. A node that could not be asked is UNKNOWN, not a warning.\n"
"\n"
"Normal: all nodes up, one release, compaction running.\n"
"\n"
"Confirm: nodetool status, nodetool describecluster, nodetool statusautocompaction -a.\n"
"\n"
"Remedies: bring the node back (hints then arrive late and may hold old windows for a while); "
"finish the upgrade; nodetool enableautocompaction.\n"
"\n"
"Versions: statusautocompaction -a exists from 4.0 on; describecluster lists releases from 4.0 "
"on. 'enabled': 'false' in the compaction options is seen in every release.";

const struct check check_node_state = {
	.id = "node-state",
	.title = "nodes down, mixed releases, compaction off",
	.explain = explain,
	.scope = SCOPE_CLUSTER,
	.cls = CLASS_STATE,
	.params = params,
	.applies = applies,
	.run = run,
};
