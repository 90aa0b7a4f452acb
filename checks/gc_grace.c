/* Disk kept only because of gc_grace, and a gc_grace too short for hints. */
#include "text.h"

enum { P_SHARE, P_MINIMUM };

static const struct check_param params[] = {
	[P_SHARE] = { "share", UNIT_PERCENT, "50", NULL, "gc_grace ÷ TTL" },
	[P_MINIMUM] = { "minimum", UNIT_SECONDS, "3h:", NULL,
			"gc_grace where data has several replicas" },
	{ 0 },
};

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	int64_t grace = t->settings.gc_grace_s.v;
	struct finding *f;
	enum severity s;

	if (t->ttl_s.known && t->ttl_s.v > 0) {
		double share = percent_of(grace, t->ttl_s.v);

		s = check_judge(ctx, P_SHARE, share);
		if (s > SEV_OK) {
			f = finding_add(
				ctx, out, s,
				"%s keeps data for %s of gc_grace after a TTL of %s: %.0f %% more "
				"disk",
				table_name(ctx), num_format_duration(a, grace),
				num_format_duration(a, t->ttl_s.v), share);
			finding_action(
				out, f,
				"TTL-only tables need no more than the hint window (3 h by "
				"default) and "
				"a little; with deletes, not less than the repair interval");
			finding_metric(ctx, out, f, "gc_grace_share", UNIT_PERCENT, share, P_SHARE);
		}
	}
	s = t->replicas.known && t->replicas.v > 1 ? check_judge(ctx, P_MINIMUM, (double)grace)
						   : SEV_OK;
	if (s > SEV_OK) {
		f = finding_add(
			ctx, out, s,
			"%s has gc_grace %s, below the hint window: hints are dropped early",
			table_name(ctx), num_format_duration(a, grace));
		finding_action(out, f, "at least max_hint_window (3 h by default)");
		finding_metric(ctx, out, f, "gc_grace", UNIT_SECONDS, (double)grace, P_MINIMUM);
	}
}

static bool applies(const struct check_ctx *ctx)
{
	return ctx->table->settings.gc_grace_s.known;
}

static const char explain[] =
"Expired data stays for gc_grace_seconds more before its SSTable is dropped: the disk holds TTL + "
"gc_grace of data. The default of 10 days protects deletes; data that only expires needs little "
"of it.\n"
"\n"
"Thresholds: more than 50 % of the TTL is a warning. Less than 3 hours with several replicas is a "
"warning too: hints for a node that is down are kept no longer than gc_grace.\n"
"\n"
"Normal: a day or less on TTL-only tables.\n"
"\n"
"Confirm: DESCRIBE TABLE, gc_grace_seconds.\n"
"\n"
"Remedies: ALTER TABLE ... WITH gc_grace_seconds = ...; takes effect at once for what is on disk. "
"Below the repair interval, deletes can be undone by a replica that missed them; where nothing is "
"ever deleted that does not matter.\n"
"\n"
"Versions: ScyllaDB with tombstone_gc other than timeout does not use gc_grace.";

const struct check check_gc_grace = {
	.id = "gc-grace", .title = "gc_grace against TTL and hint window", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_TWCS, .cls = CLASS_DESIGN, .needs = EV_SCHEMA,
	.params = params, .applies = applies, .run = run,
};
