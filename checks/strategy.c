/* Is the table laid out the way TWCS needs it? */
#include <string.h>

#include "text.h"

static bool all_have_ttl(const struct table *t)
{
	for (size_t i = 0; i < t->n_sstables; i++)
		if (!t->sstables[i]->meta->min_ttl_s.known ||
		    t->sstables[i]->meta->min_ttl_s.v <= 0)
			return false;
	return t->n_sstables > 0;
}

static size_t count_unrepaired(const struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_sstables; i++)
		n += t->sstables[i]->usable && !t->sstables[i]->meta->repaired_at_ms;
	return n;
}

static void check_ttl(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	struct finding *f;

	if (t->settings.default_ttl_s.known && t->settings.default_ttl_s.v == 0) {
		bool all = all_have_ttl(t);

		f = finding_add(
			ctx, out, all ? SEV_OK : SEV_WARNING,
			all ? "%s has no default TTL; every SSTable has TTLs from its statements"
			    : "%s is on TWCS without default TTL: a row written without TTL never "
			      "goes",
			table_name(ctx));
		finding_action(out, f,
			       "set default_time_to_live; it counts for rows written from then on");
	}
	if (t->ttl_s.known && t->settings.window_s.known && t->settings.window_s.v > t->ttl_s.v) {
		f = finding_add(ctx, out, SEV_WARNING, "%s: window %s is longer than its TTL of %s",
				table_name(ctx), num_format_duration(a, t->settings.window_s.v),
				num_format_duration(a, t->ttl_s.v));
		finding_action(out, f, "a window of a twentieth to a thirtieth of the TTL");
	}
}

static void check_options(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct finding *f;

	if (t->settings.unsafe_aggressive) {
		f = finding_add(ctx, out, SEV_WARNING,
				"%s has unsafe_aggressive_sstable_expiration: expired SSTables "
				"go without regard to older data they may hide",
				table_name(ctx));
		finding_detail(
			out, f,
			"safe only for insert-only data with one TTL; in force only while the JVM "
			"allows it, which cannot be seen from outside");
		finding_action(
			out, f,
			"make sure that rows are never updated or deleted, or take the option off");
	}
	if (t->settings.only_purge_repaired) {
		size_t n = count_unrepaired(t);

		f = finding_add(
			ctx, out, n ? SEV_CRITICAL : SEV_WARNING,
			"%s has only_purge_repaired_tombstones: unrepaired data is never "
			"dropped%s%s",
			table_name(ctx), n ? ", and unrepaired are " : "",
			n ? plural(ctx->arena, n, "SSTable") : "");
		finding_action(out, f, "take the option off, or run incremental repair regularly");
	}
	if (t->settings.resolution != TS_MICROSECONDS) {
		f = finding_add(ctx, out, SEV_WARNING,
				"%s has a timestamp_resolution other than MICROSECONDS",
				table_name(ctx));
		finding_detail(
			out, f,
			"right only if every client writes its timestamps in that unit; the server "
			"itself and other tools take microseconds");
		finding_action(out, f, "check what clients write: SELECT WRITETIME(column)");
	}
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;

	if (t->settings.twcs) {
		check_ttl(ctx, out);
		check_options(ctx, out);
	} else if (t->designed) {
		struct finding *f = finding_add(ctx, out, SEV_WARNING,
						"%s has a window in the configuration and is "
						"on %s, not TWCS",
						table_name(ctx), t->settings.strategy);

		finding_action(
			out, f,
			"ALTER TABLE to TimeWindowCompactionStrategy, or take the window out of "
			"the "
			"configuration");
	} else if (all_have_ttl(t)) {
		struct finding *f = finding_add(
			ctx, out, SEV_OK, "%s has TTLs in every SSTable and is on %s, not TWCS",
			table_name(ctx), t->settings.strategy);

		finding_action(
			out, f,
			"if it is a time series, TWCS would drop expired data as whole files");
	}
}

static const char explain[] =
"TWCS drops whole files only when all data in them expires, in order of time. This check looks at "
"how the table is laid out: a default TTL, a window shorter than the TTL, and options that change "
"what is dropped.\n"
"\n"
"Warning: TWCS without default TTL (information where every SSTable has TTLs all the same); a "
"window longer than the TTL; a table that has a window in the configuration and is on another "
"strategy; unsafe_aggressive_sstable_expiration; only_purge_repaired_tombstones (critical when "
"there is unrepaired data, which is then never dropped); timestamp_resolution other than "
"MICROSECONDS. Information: a table on another strategy with TTLs in every SSTable.\n"
"\n"
"Normal: TWCS with default TTL, windows of a twentieth to a thirtieth of it, no further options.\n"
"\n"
"Confirm: DESCRIBE TABLE.\n"
"\n"
"Remedies: ALTER TABLE; an ALTER of compaction replaces the whole map, so repeat every option. "
"Changing default_time_to_live counts for new rows only. unsafe_aggressive_sstable_expiration can "
"bring old values back wherever rows are updated, deleted, or have different TTLs.\n"
"\n"
"Versions: the unsafe option exists from 3.11.1 on and needs a JVM property to take effect; "
"ScyllaDB ignores it. 5.0 has a guardrail against TWCS without default TTL, ScyllaDB "
"restrict_twcs_without_default_ttl. DateTieredCompactionStrategy was removed in 5.0.";

const struct check check_strategy = {
	.id = "strategy",
	.title = "compaction strategy and its options",
	.explain = explain,
	.scope = SCOPE_TABLE,
	.tables = TABLES_ALL,
	.cls = CLASS_DESIGN,
	.needs = EV_SCHEMA,
	.run = run,
};
