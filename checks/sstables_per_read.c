/* How many SSTables a read opens. */
#include "text.h"

enum { P_P95 };
enum { IMPLAUSIBLE = 100000 };

static const struct check_param params[] = {
	[P_P95] = { "p95", UNIT_NONE, "@5:", "@10:", "SSTables per read, 95th percentile" },
	{ 0 },
};

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct histogram_row *rows = ctx->table->histograms->rows;
	struct opt_f64 p95 = rows[RANK_P95].sstables, max = rows[RANK_MAX].sstables;
	struct finding *f;
	enum severity s;

	if (!p95.known) {
		if (!ctx->table->histograms->no_sstables)
			out->gap = arena_printf(ctx->arena,
						"SSTables per read of %s could not be read",
						table_name(ctx));
		return;
	}
	if (p95.v > IMPLAUSIBLE || (max.known && max.v > IMPLAUSIBLE)) {
		out->gap = arena_printf(
			ctx->arena,
			"SSTables per read of %s are printed as an implausible number "
			"(%.0f)",
			table_name(ctx), max.known && max.v > p95.v ? max.v : p95.v);
		return;
	}
	s = p95.v > 0 ? check_judge(ctx, P_P95, p95.v) : SEV_OK;
	if (s == SEV_OK)
		return;
	f = finding_add(ctx, out, s, "5 %% of the reads of %s open %s SSTables or more",
			table_name(ctx), num_format_f64(ctx->arena, p95.v));
	if (max.known)
		finding_detail(out, f, "at most %s", num_format_f64(ctx->arena, max.v));
	finding_action(
		out, f,
		"queries that span many windows, windows that are not compacted, or partitions "
		"without a time bucket: compare with window-compaction");
	finding_metric(ctx, out, f, "sstables_per_read_p95", UNIT_NONE, p95.v, P_P95);
}

static const char explain[] =
"How many SSTables recent reads opened on this node (nodetool tablehistograms, column SSTables). "
"With TWCS and time-bucketed partitions a read opens one or two.\n"
"\n"
"Thresholds: 95th percentile of 5 or more is a warning, 10 or more critical.\n"
"\n"
"Normal: 1 or 2, more for queries over many windows. The histogram decays: it tells of the last "
"minutes; a table that was not read is silent.\n"
"\n"
"Confirm: nodetool tablehistograms KEYSPACE TABLE.\n"
"\n"
"Remedies: bring closed windows down to one SSTable (see window-compaction); put a time bucket "
"into the partition key; narrow the queries.\n"
"\n"
"Versions: the columns' order changed with 4.0; ScyllaDB's numbers are known to be absurd at "
"times and are then called implausible.";

const struct check check_sstables_per_read = {
	.id = "sstables-per-read", .title = "SSTables that a read opens", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_UNLESS_OTHER, .cls = CLASS_STATE,
	.needs_any = EV_TABLEHISTOGRAMS, .params = params, .run = run,
};
