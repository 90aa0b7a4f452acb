/* Droppable SSTables that the server has not dropped. */
#include "base/quote.h"
#include "text.h"

enum { P_AGE };

static const struct check_param params[] = {
	[P_AGE] = { "age", UNIT_SECONDS, "30min", "24h",
		    "time since the oldest became droppable; also at least 3 check intervals to "
		    "warn, one window to be critical" },
	{ 0 },
};

static enum severity judge(const struct check_ctx *ctx, int64_t age)
{
	const struct settings *s = &ctx->table->settings;
	const struct threshold *th = &ctx->thresholds[P_AGE];

	if (age > s->window_s.v && range_alerts(&th->crit, (double)age))
		return SEV_CRITICAL;
	if (age > 3 * s->check_interval_s && range_alerts(&th->warn, (double)age))
		return SEV_WARNING;
	return SEV_OK;
}

static bool is_switched_off(const struct table *t)
{
	return t->autocompaction.known && !t->autocompaction.v;
}

static void add_reasons(const struct check_ctx *ctx, struct findings *out, struct finding *f)
{
	const struct table *t = ctx->table;

	if (is_switched_off(t)) {
		finding_detail(
			out, f,
			"automatic compaction is off for this table%s: nothing is dropped while "
			"it is",
			t->settings.enabled ? ""
					    : " ('enabled': 'false' in its compaction options)");
		if (t->settings.enabled)
			finding_action(
				out, f,
				"nodetool enableautocompaction %s %s, if nobody needs it off",
				quote_shell(ctx->arena, t->keyspace),
				quote_shell(ctx->arena, t->name));
		else
			finding_action(
				out, f,
				"set 'enabled': 'true' in the compaction options, if nobody needs "
				"it off");
		return;
	}
	if (!t->autocompaction.known)
		finding_detail(out, f, "whether automatic compaction is on is not known (nodetool "
			       "statusautocompaction -a, 4.0 and later)");
	finding_detail(
		out, f,
		"also possible: old data in an unflushed memtable, which no SSTable shows; a "
		"compaction backlog; never_purge_tombstones switched on by JMX or system property");
	finding_action(
		out, f,
		"nodetool flush %s %s, then look again after the check interval of %s; it makes a "
		"memtable blocker visible and frees nothing by itself",
		quote_shell(ctx->arena, t->keyspace), quote_shell(ctx->arena, t->name),
		num_format_duration(ctx->arena, t->settings.check_interval_s));
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	const struct sstable *oldest = NULL;
	struct finding *f;
	enum severity s;
	int64_t age;
	size_t shown = 0;

	for (size_t i = 0; i < t->n_sstables; i++)
		if (t->sstables[i]->state == SST_DROPPABLE &&
		    t->sstables[i]->droppable_at_s.known &&
		    (!oldest || t->sstables[i]->droppable_at_s.v < oldest->droppable_at_s.v))
			oldest = t->sstables[i];
	if (!oldest)
		return;
	age = sub_saturated(ctx->node->clock_s, oldest->droppable_at_s.v);
	s = judge(ctx, age);
	if (s == SEV_OK)
		return;		/* the check interval's normal delay */
	f = finding_add(ctx, out, s,
			"%s of %s (%s) droppable but still on disk, the oldest since %s (%s)%s",
			plural(a, t->n_droppable, "SSTable"), table_name(ctx),
			num_format_size(a, t->droppable_bytes),
			num_format_minute(a, oldest->droppable_at_s.v), num_format_duration(a, age),
			is_switched_off(t) ? ": automatic compaction is off" : "");
	add_reasons(ctx, out, f);
	for (size_t i = 0; i < t->n_sstables && shown < DETAILS_SHOWN; i++) {
		const struct sstable *x = t->sstables[i];

		if (x->state != SST_DROPPABLE)
			continue;
		finding_detail(out, f, "%s, %s, since %s", x->name,
			       x->bytes.known ? num_format_size(a, x->bytes.v) : "size not known",
			       num_format_minute(a, x->droppable_at_s.v));
		shown++;
	}
	finding_metric(ctx, out, f, "droppable_sstables", UNIT_NONE, (double)t->n_droppable, -1);
	finding_metric(ctx, out, f, "droppable_bytes", UNIT_BYTES, (double)t->droppable_bytes, -1);
	finding_metric(ctx, out, f, "droppable_age", UNIT_SECONDS, (double)age, P_AGE);
}

static const char explain[] =
"These SSTables are expired and nothing on disk holds them: the server may drop them, and has "
"not.\n"
"\n"
"The server looks for expired SSTables after each flush and compaction and once a minute, but at "
"most once in expired_sstable_check_frequency_seconds (600). On a node started less than five "
"minutes ago it can take some minutes more.\n"
"\n"
"Thresholds: a warning after 30 minutes and three check intervals, critical after 24 hours and "
"one window.\n"
"\n"
"Normal: the check interval and a minute.\n"
"\n"
"Confirm and look at, in this order: automatic compaction switched off (nodetool "
"statusautocompaction -a from 4.0 on, or 'enabled': 'false' in the table's compaction options); "
"old data in a memtable, which holds the same windows as an SSTable would but is in no file "
"(nodetool flush makes it visible); a compaction backlog (nodetool compactionstats); "
"never_purge_tombstones.\n"
"\n"
"Remedies: nodetool enableautocompaction KEYSPACE TABLE; nodetool flush KEYSPACE TABLE and look "
"again. Both are safe. A full disk is no reason: dropping needs no free space.\n"
"\n"
"Versions: statusautocompaction does not exist before 4.0. ScyllaDB drops by tombstone_gc; in "
"repair mode nothing goes before a repair has run.";

const struct check check_expired_not_dropped = {
	.id = "expired-not-dropped",
	.title = "droppable SSTables still on disk",
	.explain = explain,
	.scope = SCOPE_TABLE,
	.tables = TABLES_TWCS,
	.cls = CLASS_STATE,
	.needs = EV_METADATA,
	.params = params,
	.run = run,
};
