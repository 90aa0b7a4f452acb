/* Tombstones that reads step over. */
#include "text.h"

enum { P_AVERAGE, P_MAX };

static const struct check_param params[] = {
	[P_AVERAGE] = { "average", UNIT_NONE, "100", NULL,
			"tombstones per read, average of five minutes" },
	[P_MAX] = { "max", UNIT_NONE, "@1000:", "@50000:", "tombstones in one read, five minutes" },
	{ 0 },
};

static void run(const struct check_ctx *ctx, struct findings *out)
{
	struct opt_f64 average = ctx->table->stats->tombstones_average;
	struct opt_f64 max = ctx->table->stats->tombstones_max;
	struct finding *f;
	enum severity s;

	if (!max.known) {
		out->gap = arena_printf(ctx->arena, "tombstones per read of %s could not be read",
					table_name(ctx));
		return;
	}
	s = worst_of(average.known ? check_judge(ctx, P_AVERAGE, average.v) : SEV_OK,
		     check_judge(ctx, P_MAX, max.v));
	if (s == SEV_OK)
		return;
	f = finding_add(ctx, out, s, "reads of %s step over %s tombstones on average, up to %s",
			table_name(ctx),
			average.known ? num_format_f64(ctx->arena, average.v) : "?",
			num_format_f64(ctx->arena, max.v));
	finding_action(
		out, f,
		"find the query: the server logs reads over 1 000 tombstones with key and table; "
		"deletes, null binds and expired rows before gc_grace are the usual sources");
	if (average.known)
		finding_metric(ctx, out, f, "tombstones_average", UNIT_NONE, average.v, P_AVERAGE);
	finding_metric(ctx, out, f, "tombstones_max", UNIT_NONE, max.v, P_MAX);
}

static const char explain[] =
"A read has to step over tombstones and expired rows that are still on disk. nodetool tablestats "
"counts them per read (slice) over the last five minutes.\n"
"\n"
"Thresholds: the server's own. It warns at 1 000 in one read (tombstone_warn_threshold) and "
"refuses the read at 100 000 (tombstone_failure_threshold): 1 000 or more at most, or more than "
"100 on average, is a warning; 50 000 or more, half of the refusal, is critical.\n"
"\n"
"Normal: none on a table whose data only expires and whose queries stay within the TTL.\n"
"\n"
"Confirm: nodetool tablestats KEYSPACE.TABLE; the server's log names table and key of such reads.\n"
"\n"
"Remedies: let queries end before the TTL does; no deletes and no null binds on time series; a "
"shorter gc_grace where data only expires; see to blocked windows, which keep expired rows in "
"reach.\n"
"\n"
"Versions: ScyllaDB's JSON form has the live cells in place of the tombstones; its text is right.";

const struct check check_tombstones = {
	.id = "tombstones", .title = "tombstones that reads step over", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_UNLESS_OTHER, .cls = CLASS_STATE,
	.needs_any = EV_TABLESTATS, .params = params, .run = run,
};
