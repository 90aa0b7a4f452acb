/* SSTables on a node against the design's arithmetic. */
#include "base/quote.h"
#include "text.h"

enum { P_RATIO };

static const struct check_param params[] = {
	[P_RATIO] = { "ratio", UNIT_RATIO, "~:1.5", "~:3", "SSTables ÷ the upper bound" },
	{ 0 },
};

static bool applies(const struct check_ctx *ctx)
{
	return ctx->table->ttl_s.known && !node_is_scylla(ctx->node);
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct finding *f;
	enum severity s;
	double ratio;

	if (!t->expected_high.known || t->expected_high.v <= 0)
		return;
	ratio = (double)t->n_sstables / (double)t->expected_high.v;
	s = check_judge(ctx, P_RATIO, ratio);
	if (s == SEV_OK)
		return;
	f = finding_add(ctx, out, s,
			"%zu SSTables of %s, %.1f times the %lld that its design allows",
			t->n_sstables, table_name(ctx), ratio, (long long)t->expected_high.v);
	finding_detail(
		out, f,
		"(TTL %s + gc_grace %s) ÷ window %s, for each of %u data directories and the "
		"repair groups in use, and 9 for the current window",
		num_format_duration(ctx->arena, t->ttl_s.v),
		num_format_duration(ctx->arena, t->settings.gc_grace_s.v),
		num_format_duration(ctx->arena, t->settings.window_s.v), t->n_disks);
	finding_action(out, f,
		       "twcscheck windows %s: windows that are held, or that hold many SSTables",
		       quote_shell(ctx->arena, table_name(ctx)));
	finding_metric(ctx, out, f, "sstables", UNIT_NONE, (double)t->n_sstables, -1);
	finding_metric(ctx, out, f, "sstable_ratio", UNIT_RATIO, ratio, P_RATIO);
}

static const char explain[] =
"A window's SSTable stays for TTL + gc_grace and is gone within a check interval. So a node "
"should have, for each data directory and repair group, (TTL + gc_grace + check interval) ÷ "
"window SSTables, and a few for the window being written: (min_threshold - 1) × (1 + log of the "
"flushes a window), 9 where the flushes are not known.\n"
"\n"
"With TTL 30 days, gc_grace 10 days (the default) and windows of a day that is 41 and the current "
"one, not 30: forgetting gc_grace is the commonest \"too many SSTables\".\n"
"\n"
"Thresholds: 1.5 times this bound is a warning, 3 times is critical.\n"
"\n"
"Normal: fewer, in quiet tables. More for a while after streaming or repair.\n"
"\n"
"Confirm: nodetool tablestats, \"SSTable count\"; twcscheck windows shows where they are.\n"
"\n"
"Remedies: look at blocked-windows (expired ones that stay), window-compaction (closed windows "
"that were not merged), window-count (windows too small for the TTL).\n"
"\n"
"Versions: before 3.2 the directories were not apart. ScyllaDB multiplies by its shards or "
"tablets; without their number this is not judged.";

const struct check check_sstable_count = {
	.id = "sstable-count", .title = "SSTables against the design", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_TWCS, .cls = CLASS_STATE, .needs = EV_METADATA,
	.params = params, .applies = applies, .run = run,
};
