/* Data with a longer TTL than the table's: its SSTable lives longer than its window should. */
#include "text.h"

enum { P_SSTABLES };

static const struct check_param params[] = {
	[P_SSTABLES] = { "sstables", UNIT_NONE, "0", NULL,
			 "SSTables with a longer TTL than the table's" },
	{ 0 },
};

static bool is_shorter(const struct table *t, const struct sstable *s)
{
	int64_t def = t->settings.default_ttl_s.v;
	struct opt_i64 lo = s->meta->min_ttl_s, hi = s->meta->max_ttl_s;

	return def > 0 &&
	       ((lo.known && lo.v > 0 && lo.v < def) || (hi.known && hi.v > 0 && hi.v < def));
}

static void tell_shorter(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	const struct sstable *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n_sstables; i++) {
		if (is_shorter(t, t->sstables[i])) {
			first = first ? first : t->sstables[i];
			n++;
		}
	}
	if (n)
		finding_add(ctx, out, SEV_OK,
			    "%s of %s with a TTL below the default of %s, such as %s: holds "
			    "nothing back",
			    plural(ctx->arena, n, "SSTable"), table_name(ctx),
			    num_format_duration(ctx->arena, t->settings.default_ttl_s.v),
			    first->name);
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	const struct sstable *longest = NULL;
	bool has_default = t->settings.default_ttl_s.v > 0;
	size_t n = 0, shown = 0;
	struct finding *f;

	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];

		if (!s->longer_ttl)
			continue;
		n++;
		if (!longest || s->meta->max_ttl_s.v > longest->meta->max_ttl_s.v)
			longest = s;
	}
	if (!n) {
		tell_shorter(ctx, out);
		return;
	}
	f = finding_add(
		ctx, out, check_judge(ctx, P_SSTABLES, (double)n),
		"%s of %s with a TTL of up to %s, %s%s: they live and block that much longer",
		plural(a, n, "SSTable"), table_name(ctx),
		num_format_duration(a, longest->meta->max_ttl_s.v),
		has_default ? "over the default of " : "while other data has less",
		has_default ? num_format_duration(a, t->settings.default_ttl_s.v) : "");
	for (size_t i = 0; i < t->n_sstables && shown < DETAILS_SHOWN; i++) {
		const struct sstable *s = t->sstables[i];

		if (!s->longer_ttl)
			continue;
		finding_detail(out, f, "%s: TTL %s to %s", s->name,
			       s->meta->min_ttl_s.known
				       ? num_format_duration(a, s->meta->min_ttl_s.v)
				       : "?",
			       num_format_duration(a, s->meta->max_ttl_s.v));
		shown++;
	}
	finding_action(out, f,
		       "give data with a longer TTL a table of its own; rows written before "
		       "default_time_to_live was lowered keep theirs and go in time");
	finding_metric(ctx, out, f, "mixed_ttl_sstables", UNIT_NONE, (double)n, P_SSTABLES);
}

static const char explain[] =
"An SSTable is dropped when its longest-lived cell has expired. A few rows with a TTL above the "
"table's default keep the whole file, and from its minimum timestamp on it holds the other "
"expired windows.\n"
"\n"
"Compared: the maximum TTL in each SSTable with default_time_to_live; without a default, TTLs "
"above 0 that differ by more than one window. TTLs below the default hold nothing back and are "
"information. TTL 0 is the never-expires check's matter, or a tombstone.\n"
"\n"
"Threshold: any SSTable is a warning.\n"
"\n"
"Normal: after default_time_to_live was lowered, older SSTables have the old TTL until they are "
"gone.\n"
"\n"
"Confirm: sstablemetadata, TTL min and TTL max.\n"
"\n"
"Remedies: one TTL for one table. Wait for the rows to expire, or delete them and compact that "
"SSTable alone (user-defined compaction).\n"
"\n"
"Versions: 3.0 does not print TTLs; read Statistics.db there.";

const struct check check_mixed_ttl = {
	.id = "mixed-ttl", .title = "TTLs longer than the table's", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_TWCS, .cls = CLASS_STATE, .needs = EV_METADATA,
	.params = params, .run = run,
};
