/* The largest partition against what Cassandra handles well. */
#include "model/sizes.h"
#include "text.h"

enum { P_MAX };

static const double IMPLAUSIBLE_BYTES = 10e12;

static const struct check_param params[] = {
	[P_MAX] = { "max", UNIT_BYTES, "100MB", "300MB", "largest partition, uncompressed" },
	{ 0 },
};

/* True when nothing was printed because there is nothing: no SSTables, or no data. */
static bool has_nothing(const struct table *t)
{
	const struct table_histograms *h = t->histograms;

	if (h && (h->no_sstables ||
		  (h->rows[RANK_MAX].size_bytes.known && !h->rows[RANK_MAX].size_bytes.v)))
		return true;
	return t->stats && t->stats->partition_max_bytes.known &&
	       t->stats->partition_max_bytes.v == 0;
}

static bool overflows(const struct table *t)
{
	return (t->histograms && t->histograms->rows[RANK_MAX].size_overflow) ||
	       (t->stats && t->stats->partition_max_bytes.known &&
		t->stats->partition_max_bytes.v > (int64_t)IMPLAUSIBLE_BYTES);
}

static const char *range_of(struct arena *a, struct interval v)
{
	if (v.at_least)
		return arena_printf(a, "%s to %s or more", num_format_size(a, (int64_t)v.low),
				    num_format_size(a, (int64_t)v.high));
	if (v.low == v.high)
		return num_format_size(a, (int64_t)v.high);
	return arena_printf(a, "%s to %s", num_format_size(a, (int64_t)v.low),
			    num_format_size(a, (int64_t)v.high));
}

/* Seen on a server whose percentiles were wrong; uniform partitions look the same. */
static bool all_equal(const struct table *t)
{
	const struct histogram_row *rows = t->histograms ? t->histograms->rows : NULL;

	return rows && rows[RANK_P50].size_bytes.known && rows[RANK_P95].size_bytes.known &&
	       rows[RANK_P50].size_bytes.v == rows[RANK_P95].size_bytes.v &&
	       (!rows[RANK_MAX].size_bytes.known ||
		rows[RANK_MAX].size_bytes.v == rows[RANK_P50].size_bytes.v);
}

/* Only what is surely over a limit alarms; what may be over it is told. */
static void tell(const struct check_ctx *ctx, struct findings *out, struct interval v,
		 const struct window *w)
{
	enum severity sure = check_judge(ctx, P_MAX, v.low), may = check_judge(ctx, P_MAX, v.high);
	struct arena *a = ctx->arena;
	struct finding *f;

	if (sure == SEV_OK && may == SEV_OK)
		return;
	if (sure > SEV_OK)
		f = finding_add(ctx, out, sure, "largest partition of %s is over the limit: %s",
				table_name(ctx), range_of(a, v));
	else if (w)
		f = finding_add(ctx, out, SEV_OK,
				"largest partition of %s may be up to %s once window %s is "
				"compacted; the largest part in one SSTable is over %s",
				table_name(ctx), num_format_size(a, (int64_t)v.high),
				num_format_minute(a, w->start_s),
				num_format_size(a, (int64_t)v.low));
	else
		f = finding_add(ctx, out, SEV_OK, "largest partition of %s is at the limit: %s",
				table_name(ctx), range_of(a, v));
	if (all_equal(ctx->table))
		finding_detail(out, f,
			       "all percentiles are equal: compare with \"Compacted partition "
			       "maximum bytes\" of tablestats before believing it");
	finding_detail(
		out, f,
		"sizes are upper bounds of buckets, up to 20 %% high, uncompressed; a partition "
		"without a time bucket shows only its slice of each window");
	finding_action(
		out, f,
		"a smaller time bucket in the partition key; find the key: nodetool "
		"toppartitions, or "
		"sstablemetadata -s on the largest SSTable");
	finding_metric(ctx, out, f, "max_partition_low_bytes", UNIT_BYTES, v.low, P_MAX);
	finding_metric(ctx, out, f, "max_partition_bytes", UNIT_BYTES, v.high, -1);
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	const struct window *w = NULL;
	struct interval v = table_largest_partition(t, &w);

	if ((v.known && v.high > IMPLAUSIBLE_BYTES) || (!v.known && overflows(t)))
		out->gap = arena_printf(
			ctx->arena, "largest partition of %s is printed as an implausible number",
			table_name(ctx));
	else if (v.known && (!v.at_least || check_judge(ctx, P_MAX, v.low) > SEV_OK))
		tell(ctx, out, v, w);
	else if (!has_nothing(t))
		out->gap = arena_printf(ctx->arena, "largest partition of %s could not be read",
					table_name(ctx));
}

static const char explain[] =
"A partition is read, repaired and compacted as a whole in many places: tens of megabytes are "
"well, from 100 MB on latency and memory suffer, from some hundred on compaction and repair do.\n"
"\n"
"The numbers are intervals. Cassandra counts sizes in buckets and prints a bucket's upper bound, "
"up to 20 % above the truth; 100 MB and 100 MiB lie in one bucket, printed as 107964792: that is "
"\"at the limit\". They are uncompressed, and count each SSTable by itself: a partition spread "
"over four SSTables of one window shows as a quarter each until they are compacted.\n"
"\n"
"Thresholds: a warning when the largest partition is surely over 100 MB, critical when surely "
"over 300 MB. What may be over the limit, or will be once its window is compacted, is "
"information.\n"
"\n"
"Normal: tens of megabytes. A table that was never flushed has no sizes.\n"
"\n"
"Confirm: nodetool tablehistograms KEYSPACE TABLE, row Max; nodetool tablestats, \"Compacted "
"partition maximum bytes\". With a partition key without time bucket each shows only the slice in "
"one window.\n"
"\n"
"Remedies: a smaller time bucket in the partition key, for new data; old partitions go with their "
"TTL. Nothing makes an existing partition smaller but deleting or expiring its rows.\n"
"\n"
"Versions: buckets end at 1.3 TiB up to 4.1, at 3.2 TiB from 5.0 on; larger ones are printed as "
"overflow. ScyllaDB prints zeros where there is nothing.";

const struct check check_partition_size = {
	.id = "partition-size", .title = "the largest partition", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_UNLESS_OTHER, .cls = CLASS_STATE,
	.needs_any = EV_METADATA | EV_TABLEHISTOGRAMS | EV_TABLESTATS, .params = params, .run = run,
};
