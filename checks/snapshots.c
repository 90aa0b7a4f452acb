/* Disk that snapshots keep. */
#include "text.h"

enum { P_SHARE };

static const struct check_param params[] = {
	[P_SHARE] = { "share", UNIT_PERCENT, "20", NULL, "snapshot bytes ÷ live bytes" },
	{ 0 },
};

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table_stats *st = ctx->table->stats;
	struct finding *f;
	enum severity s;
	double share;

	if (!st->bytes_snapshots.known || !st->bytes_live.known) {
		out->gap = arena_printf(ctx->arena, "snapshot bytes of %s could not be read",
					table_name(ctx));
		return;
	}
	if (!st->bytes_live.v || !st->bytes_snapshots.v)
		return;
	share = percent_of(st->bytes_snapshots.v, st->bytes_live.v);
	s = check_judge(ctx, P_SHARE, share);
	if (s == SEV_OK)
		return;
	f = finding_add(ctx, out, s, "snapshots of %s hold %s beside %s of live data (%.0f %%)",
			table_name(ctx), num_format_size(ctx->arena, st->bytes_snapshots.v),
			num_format_size(ctx->arena, st->bytes_live.v), share);
	finding_action(
		out, f,
		"nodetool listsnapshots; what no backup needs goes with nodetool clearsnapshot -t "
		"TAG");
	finding_metric(ctx, out, f, "snapshot_bytes", UNIT_BYTES, (double)st->bytes_snapshots.v,
		       -1);
	finding_metric(ctx, out, f, "snapshot_share", UNIT_PERCENT, share, P_SHARE);
}

static const char explain[] =
"A snapshot links every SSTable of its moment. When the server drops an expired window, the "
"snapshot keeps its files on disk: with TWCS a forgotten snapshot grows to a full copy within one "
"TTL.\n"
"\n"
"Threshold: more than 20 % of the live bytes is a warning.\n"
"\n"
"Normal: none, or the last backup's for some hours. The number is what the snapshots hold beyond "
"live files.\n"
"\n"
"Confirm: nodetool listsnapshots; nodetool tablestats, \"Space used by snapshots\".\n"
"\n"
"Remedies: nodetool clearsnapshot -t TAG for what no backup needs. A dropped or truncated table "
"leaves a snapshot by itself (auto_snapshot).\n"
"\n"
"Versions: none.";

const struct check check_snapshots = {
	.id = "snapshots", .title = "disk that snapshots keep", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_UNLESS_OTHER, .cls = CLASS_STATE,
	.needs_any = EV_TABLESTATS, .params = params, .run = run,
};
