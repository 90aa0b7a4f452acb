/* Pending compactions of a node. */
#include <string.h>

#include "text.h"

enum { P_PENDING };
enum { IMPLAUSIBLE = 100000, FIXED_15409 = 31106 };

static const struct check_param params[] = {
	[P_PENDING] = { "pending", UNIT_NONE, "20", NULL, "pending compaction tasks of the node" },
	{ 0 },
};

/* 3.0, and 3.11 before 3.11.6, count one task of an idle TWCS table for ever (CASSANDRA-15409). */
static int64_t without_phantom(const struct node *n, int64_t pending)
{
	int r = node_release_number(n);

	return pending == 1 && r && r < FIXED_15409 ? 0 : pending;
}

static void add_tasks(const struct check_ctx *ctx, struct findings *out, struct finding *f)
{
	const struct compaction_stats *c = ctx->node->compactions;

	for (size_t i = 0; i < c->tables.n && i < DETAILS_SHOWN; i++)
		finding_detail(out, f, "%s.%s: %lld pending", c->tables.v[i].keyspace,
			       c->tables.v[i].table, (long long)c->tables.v[i].n);
	for (size_t i = 0; i < c->tasks.n && i < DETAILS_SHOWN; i++) {
		const struct compaction_task *t = &c->tasks.v[i];
		bool over = t->progress_percent.known && t->progress_percent.v > 100;

		finding_detail(out, f, "running: %s of %s.%s%s%s%s", t->type, t->keyspace, t->table,
			       t->progress_percent.known ? ", " : "",
			       t->progress_percent.known
				       ? arena_printf(ctx->arena, "%.2f %%", t->progress_percent.v)
				       : "",
			       over ? " (above 100 %: its total is an estimate)" : "");
	}
}

/* " (metrics.readings: 3)": the table with most of them, as far as it is told. */
static const char *most_of(struct arena *a, const struct compaction_stats *c)
{
	const struct pending_tasks *most = NULL;

	for (size_t i = 0; i < c->tables.n; i++)
		if (!most || c->tables.v[i].n > most->n)
			most = &c->tables.v[i];
	if (!most)
		return "";
	return arena_printf(a, " (%s.%s: %lld)", most->keyspace, most->table, (long long)most->n);
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct compaction_stats *c = ctx->node->compactions;
	struct finding *f;
	int64_t pending;
	enum severity s;

	if (!c || !c->pending.known) {
		out->gap = "the number of pending compactions could not be read";
		return;
	}
	if (c->pending.v < 0 || c->pending.v > IMPLAUSIBLE) {
		out->gap = arena_printf(ctx->arena,
					"%lld pending compactions are an implausible number%s",
					(long long)c->pending.v, most_of(ctx->arena, c));
		return;
	}
	pending = without_phantom(ctx->node, c->pending.v);
	s = check_judge(ctx, P_PENDING, (double)pending);
	if (s == SEV_OK && !pending && !c->tasks.n)
		return;
	f = finding_add(ctx, out, s, "%lld pending compactions on %s, %zu running",
			(long long)pending, ctx->node->name, c->tasks.n);
	add_tasks(ctx, out, f);
	if (s > SEV_OK)
		finding_action(
			out, f,
			"while there is a backlog old windows wait: compaction_throughput and "
			"concurrent_compactors, or a repair or bootstrap that will end by itself");
	finding_metric(ctx, out, f, "pending_tasks", UNIT_NONE, (double)pending, P_PENDING);
}

static const char explain[] =
"Compactions that the strategies of all tables of the node would like to run. With TWCS it is "
"about one for each closed window with more than one SSTable.\n"
"\n"
"Thresholds: more than 20 is a warning.\n"
"\n"
"Normal: a few, more for a while after repair, bootstrap or an ALTER of the window. The number is "
"an estimate, renewed only when a strategy is asked for work. Numbers below 0 or above 100 000 "
"are called implausible and are UNKNOWN.\n"
"\n"
"Confirm: nodetool compactionstats, twice, some minutes apart: does it fall?\n"
"\n"
"Remedies: more compaction_throughput or concurrent_compactors where disk and CPU have room. The "
"newest window is compacted first, so with a backlog old windows keep several SSTables; expired "
"windows are dropped all the same.\n"
"\n"
"Versions: 3.0, and 3.11 before 3.11.6, show 1 for an idle TWCS table for ever (CASSANDRA-15409): "
"that one is not counted. ScyllaDB may print more than 100 % progress for a reshape.";

const struct check check_compaction_backlog = {
	.id = "compaction-backlog",
	.title = "pending compactions",
	.explain = explain,
	.scope = SCOPE_NODE,
	.cls = CLASS_STATE,
	.needs = EV_COMPACTIONSTATS,
	.params = params,
	.run = run,
};
