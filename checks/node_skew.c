/* One node far from the others on the same table. */
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "text.h"

enum { P_FACTOR };
enum { NODES_MIN = 3, SSTABLES_APART = 20 };
static const int64_t BYTES_APART = 1LL << 30;

static const struct check_param params[] = {
	[P_FACTOR] = { "factor", UNIT_RATIO, "~:2", NULL,
		       "value ÷ median of the datacenter, when at least 1 GiB or 20 SSTables "
		       "apart" },
	{ 0 },
};

static const char *datacenter_of(const struct table *t)
{
	return t->node->datacenter ? t->node->datacenter : "";
}

static int by_place(const void *x, const void *y)
{
	const struct table *p = *(struct table *const *)x, *q = *(struct table *const *)y;
	int c = strcmp(p->full_name, q->full_name);

	if (!c)
		c = strcmp(datacenter_of(p), datacenter_of(q));
	return c ? c : strcmp(p->node->name, q->node->name);
}

enum measure { BYTES, SSTABLES, HELD };

static int64_t measured(const struct table *t, enum measure m)
{
	return m == BYTES ? t->bytes : m == HELD ? t->held_bytes : (int64_t)t->n_sstables;
}

static int cmp_i64(const void *x, const void *y)
{
	int64_t p = *(const int64_t *)x, q = *(const int64_t *)y;

	return (p > q) - (p < q);
}

static const char *value_text(struct arena *a, enum measure m, int64_t v)
{
	return m == SSTABLES ? plural(a, (size_t)v, "SSTable") : num_format_size(a, v);
}

static void compare(const struct check_ctx *ctx, struct findings *out, struct table **t, size_t n,
		    enum measure m)
{
	static const char *const names[] = { "data", "SSTables", "held data" };
	int64_t *v = arena_array(ctx->arena, n, sizeof(*v)), median;

	for (size_t i = 0; i < n; i++)
		v[i] = measured(t[i], m);
	qsort(v, n, sizeof(*v), cmp_i64);
	median = n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
	for (size_t i = 0; i < n; i++) {
		int64_t x = measured(t[i], m);
		double factor = median > 0 ? (double)x / (double)median : x > 0 ? 1e9 : 1;
		enum severity s = check_judge(ctx, P_FACTOR, factor);
		struct finding *f;

		if (x - median <= (m == SSTABLES ? SSTABLES_APART : BYTES_APART) || s == SEV_OK)
			continue;
		f = finding_add(ctx, out, s,
				"%s has %s of %s, the median of its datacenter is %s (%s)",
				t[i]->node->name, value_text(ctx->arena, m, x), t[i]->full_name,
				value_text(ctx->arena, m, median), names[m]);
		f->node = t[i]->node;
		f->table = t[i];
		finding_action(out, f,
			       "twcscheck windows %s, and compare its windows with another node's",
			       quote_shell(ctx->arena, t[i]->full_name));
	}
}

static const struct blocker *holding(const struct table *t)
{
	for (size_t i = 0; i < t->n_blockers; i++)
		if (t->blockers[i].n_blocks && t->blockers[i].cause != CAUSE_BORDER)
			return &t->blockers[i];
	return NULL;
}

/* Held on one replica only, or everywhere for the same cause: where to look for the writer. */
static void tell_cause(const struct check_ctx *ctx, struct findings *out, struct table **t,
		       size_t n)
{
	const struct table *one = NULL;
	size_t held = 0, same = 0;
	struct finding *f;

	for (size_t i = 0; i < n; i++) {
		const struct blocker *b = holding(t[i]);

		held += b != NULL;
		one = b && !one ? t[i] : one;
		same += b && one && holding(one)->cause == b->cause;
	}
	if (!held || !one->replicas.known || one->replicas.v < (int64_t)n)
		return;		/* other nodes may simply not have the data */
	if (held == 1) {
		f = finding_add(
			ctx, out, SEV_OK,
			"%s is held on %s alone of %zu replicas (%s): what came late reached "
			"one replica only",
			one->full_name, one->node->name, n, cause_name(holding(one)->cause));
		f->node = one->node;
		f->table = one;
	} else if (held == n && same == n) {
		f = finding_add(
			ctx, out, SEV_OK,
			"%s is held on all %zu replicas for the same cause (%s): the writer, "
			"not a node",
			one->full_name, n, cause_name(holding(one)->cause));
		f->table = one;
	}
}

/* Only what was read whole can be compared. */
static bool is_whole(const struct table *t)
{
	int64_t n = (int64_t)t->n_sstables;

	if (!t->analysed || !t->bytes_known || t->n_unusable || (t->evidence_failed & EV_LISTING))
		return false;
	if (!t->listed && !t->stats)
		return false;
	return !t->stats || !t->stats->sstable_count.known ||
	       t->stats->sstable_count.v <= n + 2 + t->stats->sstable_count.v / 10;
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct cluster *c = ctx->cluster;
	struct table **all;
	size_t n = 0;

	for (size_t i = 0; i < c->nodes.n; i++)
		n += c->nodes.v[i]->n_tables;
	all = arena_array(ctx->arena, n, sizeof(*all));
	n = 0;
	for (size_t i = 0; i < c->nodes.n; i++)
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++)
			if (is_whole(c->nodes.v[i]->tables[k]))
				all[n++] = c->nodes.v[i]->tables[k];
	if (n)
		qsort(all, n, sizeof(*all), by_place);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && strcmp(all[i]->full_name, all[end]->full_name) == 0 &&
				  strcmp(datacenter_of(all[i]), datacenter_of(all[end])) == 0;
		     end++)
			;
		if (end - i < NODES_MIN)
			continue;
		compare(ctx, out, &all[i], end - i, BYTES);
		compare(ctx, out, &all[i], end - i, SSTABLES);
		compare(ctx, out, &all[i], end - i, HELD);
		tell_cause(ctx, out, &all[i], end - i);
	}
}

static bool applies(const struct check_ctx *ctx)
{
	return ctx->cluster->nodes.n >= NODES_MIN;
}

static const char explain[] =
"Replicas of one table should look alike. A node with far more bytes, SSTables or held bytes than "
"the median of its datacenter has a problem of its own: it missed drops, got late data that the "
"others did not, or compacts too slowly.\n"
"\n"
"Thresholds: more than twice the median, and more than 1 GiB or 20 SSTables apart, with at least "
"3 nodes in the datacenter.\n"
"\n"
"Information: whether windows are held on one replica alone (a write, hint or read repair that "
"reached one node) or on all for the same cause (the writer).\n"
"\n"
"Normal: differences by token ownership; vnodes make them small.\n"
"\n"
"Confirm: nodetool tablestats on both nodes, nodetool status for what each owns.\n"
"\n"
"Remedies: those of the check that explains the difference.\n"
"\n"
"Versions: none.";

const struct check check_node_skew = {
	.id = "node-skew",
	.title = "one node far from the others",
	.explain = explain,
	.scope = SCOPE_CLUSTER,
	.cls = CLASS_STATE,
	.params = params,
	.applies = applies,
	.run = run,
};
