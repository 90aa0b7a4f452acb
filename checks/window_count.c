/* TTL ÷ window: how many windows the design keeps. */
#include "text.h"

enum { P_WINDOWS };
enum { IDEAL = 20 };	/* windows, at least; 30 at most */

static const struct check_param params[] = {
	[P_WINDOWS] = { "windows", UNIT_NONE, "7:50", "~:200", "TTL ÷ window" },
	{ 0 },
};

static bool applies(const struct check_ctx *ctx)
{
	return ctx->table->ttl_s.known && ctx->table->settings.window_s.known;
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	double n = (double)t->ttl_s.v / (double)t->settings.window_s.v;
	enum severity s = check_judge(ctx, P_WINDOWS, n);
	struct finding *f;

	if (s == SEV_OK)
		return;
	f = finding_add(ctx, out, s, "%s keeps %s windows (TTL %s ÷ window %s), 20 to 30 are ideal",
			table_name(ctx), num_format_f64(a, n), num_format_duration(a, t->ttl_s.v),
			num_format_duration(a, t->settings.window_s.v));
	if (t->settings.default_ttl_s.v <= 0)
		finding_detail(out, f,
			       "the table has no default TTL: %s is the largest in its SSTables",
			       num_format_duration(a, t->ttl_s.v));
	if (n < IDEAL)
		finding_action(
			out, f,
			"a smaller window: as it is, up to one window in %s of data stays past its "
			"TTL",
			num_format_f64(a, n < 1 ? 1 : n));
	else
		finding_action(
			out, f,
			"a larger window: every window is an SSTable that reads may have to open");
	finding_metric(ctx, out, f, "windows", UNIT_NONE, n, P_WINDOWS);
}

static const char explain[] =
"TTL ÷ window is the number of windows, and so of SSTables, that a node keeps of a table. 20 to "
"30 is the ideal: few enough that reads open few files, enough that a dropped window is a small "
"part of the data.\n"
"\n"
"Thresholds: under 7 or over 50 is a warning, over 200 is critical. Without a default TTL the "
"largest TTL in the SSTables is taken.\n"
"\n"
"Normal: 30 days in windows of a day (30), a year in windows of 14 days (26), 2 days in windows "
"of an hour (48).\n"
"\n"
"Confirm: DESCRIBE TABLE: default_time_to_live, compaction_window_unit and "
"compaction_window_size.\n"
"\n"
"Remedies: ALTER TABLE with another window, repeating the whole compaction map. Existing SSTables "
"are put into the new windows at once by their newest timestamp; with a larger window they are "
"merged, which is compaction work in proportion to the table.\n"
"\n"
"Versions: ScyllaDB refuses more than twcs_max_window_count (50) windows at CREATE and ALTER.";

const struct check check_window_count = {
	.id = "window-count", .title = "windows that the design keeps", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_TWCS, .cls = CLASS_DESIGN, .needs = EV_SCHEMA,
	.params = params, .applies = applies, .run = run,
};
