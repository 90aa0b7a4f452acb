/* SSTables with data without TTL in a table whose data is meant to expire. */
#include "text.h"

enum { P_SSTABLES, P_BYTES };

static const struct check_param params[] = {
	[P_SSTABLES] = { "sstables", UNIT_NONE, "0", NULL, "SSTables that never expire" },
	[P_BYTES] = { "bytes", UNIT_PERCENT, NULL, "@10:", "their share of the table's bytes" },
	{ 0 },
};

static bool applies(const struct check_ctx *ctx)
{
	const struct table *t = ctx->table;

	if (t->settings.default_ttl_s.known && t->settings.default_ttl_s.v > 0)
		return true;
	for (size_t i = 0; i < t->n_sstables; i++)
		if (t->sstables[i]->meta->max_ttl_s.known && t->sstables[i]->meta->max_ttl_s.v > 0)
			return true;
	return false;
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	const struct sstable *first = NULL;
	int64_t bytes = 0;
	size_t n = 0;
	struct finding *f;
	double share;

	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];

		if (!s->meta->max_ldt_s.known || s->meta->max_ldt_s.v != TIME_NEVER ||
		    s->metadata < METADATA_PARTIAL)
			continue;
		n++;
		bytes = add_saturated(bytes, s->bytes.v);
		first = first ? first : s;
	}
	if (!n)
		return;
	share = t->bytes_known ? percent_of(bytes, t->bytes)
			       : percent_of((int64_t)n, (int64_t)t->n_sstables);
	f = finding_add(ctx, out,
			worst_of(check_judge(ctx, P_SSTABLES, (double)n),
				 check_judge(ctx, P_BYTES, share)),
			"%s of %s (%s, %.0f %%) without TTL, never expiring: %s%s",
			plural(a, n, "SSTable"), table_name(ctx), size_text(ctx, bytes), share,
			first->name, n > 1 ? " and others" : "");
	for (size_t i = 0, shown = 0; i < t->n_sstables && shown < DETAILS_SHOWN; i++) {
		const struct sstable *s = t->sstables[i];

		if (s->metadata < METADATA_PARTIAL || s->meta->max_ldt_s.v != TIME_NEVER)
			continue;
		finding_detail(out, f, "%s: maximum local deletion time \"never\"%s", s->name,
			       s->as_blocker && s->as_blocker->n_blocks ? ", holds expired windows"
									: "");
		shown++;
	}
	finding_action(
		out, f,
		"find the statements that write without TTL (USING TTL 0, or before the default "
		"was set); delete those rows and run nodetool garbagecollect, or write them anew "
		"with TTL and today's timestamp");
	finding_metric(ctx, out, f, "never_expiring_sstables", UNIT_NONE, (double)n, P_SSTABLES);
	finding_metric(ctx, out, f, "never_expiring_share", UNIT_PERCENT, share, P_BYTES);
}

static const char explain[] =
"One cell or row marker without TTL makes the maximum local deletion time of its SSTable "
"\"never\": the file is never dropped whole, and from its minimum timestamp on it holds every "
"other expired window.\n"
"\n"
"Judged in tables that expire at all: with a default TTL, or with TTLs in some SSTable.\n"
"\n"
"Thresholds: any such SSTable is a warning; 10 % of the table's bytes or more is critical.\n"
"\n"
"Normal: none. A table of keys only is fine, row markers are tracked.\n"
"\n"
"Confirm: sstablemetadata shows \"SSTable max local deletion time\" as 2147483647 (up to 4.1) or "
"9223372036854775807 (5.0), also \"no tombstones\"; TTL min is 0.\n"
"\n"
"Remedies: find the writer. Deleted rows leave the SSTable with nodetool garbagecollect (3.10 and "
"later); a row written again with its old timestamp would reach back anew, so write it with "
"today's. Changing default_time_to_live does nothing to rows already written.\n"
"\n"
"Versions: counters cannot have a TTL at all. 5.0 can warn of or refuse TWCS tables without "
"default TTL (zero_ttl_on_twcs guardrail).";

const struct check check_never_expires = {
	.id = "never-expires", .title = "data without TTL in an expiring table", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_TWCS, .cls = CLASS_STATE, .needs = EV_METADATA,
	.params = params, .applies = applies, .run = run,
};
