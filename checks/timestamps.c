/* Write timestamps in the wrong unit or ahead of the node's clock. */
#include "text.h"

enum { P_SSTABLES, P_AHEAD };

static const struct check_param params[] = {
	[P_SSTABLES] = { "sstables", UNIT_NONE, "0", NULL,
			 "SSTables with wrong-unit or future timestamps" },
	[P_AHEAD] = { "ahead", UNIT_NONE, NULL, "~:1",
		      "windows that the furthest one starts ahead" },
	{ 0 },
};

struct bad { size_t wrong, future; double ahead; const struct sstable *first; };

static void add_sstable(const struct check_ctx *ctx, const struct sstable *s, struct bad *b)
{
	const struct settings *set = &ctx->table->settings;

	b->wrong += s->wrong_unit;
	b->future += s->future && !s->wrong_unit;
	if (!b->first)
		b->first = s;
	if (s->future && set->window_s.known) {
		int64_t start = window_start(s->meta->max_ts.v, set->resolution, set->window_s.v);
		double ahead = (double)sub_saturated(start, ctx->node->clock_s) /
			       (double)set->window_s.v;

		if (ahead > b->ahead)
			b->ahead = ahead;
	}
}

static void add_detail(const struct check_ctx *ctx, struct findings *out, struct finding *f,
		       const struct sstable *s)
{
	enum ts_resolution r = ctx->table->settings.resolution;
	struct arena *a = ctx->arena;

	finding_detail(out, f, "%s: timestamps %lld (%s) to %lld (%s)%s%s", s->name,
		       (long long)s->meta->min_ts.v,
		       num_format_minute(a, timestamp_seconds(s->meta->min_ts.v, r)),
		       (long long)s->meta->max_ts.v,
		       num_format_minute(a, timestamp_seconds(s->meta->max_ts.v, r)),
		       s->wrong_unit ? ", plausible in another unit" : "",
		       s->future ? ", ahead of the node's clock" : "");
}

static bool is_bad(const struct sstable *s)
{
	return sstable_is_dated(s) && (s->wrong_unit || s->future);
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	struct bad b = { 0 };
	size_t shown = 0;
	struct finding *f;

	for (size_t i = 0; i < t->n_sstables; i++)
		if (is_bad(t->sstables[i]))
			add_sstable(ctx, t->sstables[i], &b);
	if (!b.first)
		return;
	f = finding_add(ctx, out,
			worst_of(check_judge(ctx, P_SSTABLES, (double)(b.wrong + b.future)),
				 check_judge(ctx, P_AHEAD, b.ahead)),
			"%s of %s with %s%s%s timestamps: %s",
			plural(a, b.wrong + b.future, "SSTable"), table_name(ctx),
			b.wrong ? "wrong-unit" : "", b.wrong && b.future ? " and " : "",
			b.future ? "future" : "", b.first->name);
	for (size_t i = 0; i < t->n_sstables && shown < DETAILS_SHOWN; i++) {
		const struct sstable *s = t->sstables[i];

		if (is_bad(s)) {
			add_detail(ctx, out, f, s);
			shown++;
		}
	}
	if (b.future)
		finding_detail(
			out, f,
			"an SSTable ahead of the clock stays until everything written before its "
			"timestamp has expired, and makes the server take every real window for "
			"closed");
	finding_action(
		out, f,
		"find the writer: USING TIMESTAMP must be microseconds, client clocks must be "
		"right");
	finding_metric(ctx, out, f, "wrong_unit_sstables", UNIT_NONE, (double)b.wrong, -1);
	finding_metric(ctx, out, f, "future_sstables", UNIT_NONE, (double)b.future, -1);
}

static const char explain[] =
"Windows are made from write timestamps, which clients set. A timestamp in milliseconds or "
"seconds reads as January 1970: its SSTable holds every expired window for as long as it is not "
"expired itself. A timestamp ahead of the clock (a wrong client clock, nanoseconds) puts its "
"SSTable into a far window, which becomes the newest one seen: all real windows count as closed "
"and are compacted at once, and the SSTable itself stays until its own timestamp has passed and "
"all data before it has expired.\n"
"\n"
"Wrong unit: the date is before 1980 or decades ahead, and another unit gives a plausible one. "
"Future: the maximum is more than 10 minutes ahead of the node's clock (or the configured "
"lateness, if longer).\n"
"\n"
"Thresholds: any is a warning; critical when the window starts more than one window ahead.\n"
"\n"
"Normal: none.\n"
"\n"
"Confirm: sstablemetadata, minimum and maximum timestamp; SELECT WRITETIME(column) for the rows.\n"
"\n"
"Remedies: fix the client. Wrong rows go with their TTL; deleting them needs a tombstone with a "
"higher timestamp, USING TIMESTAMP for those ahead of the clock.\n"
"\n"
"Versions: timestamp_resolution tells the server which unit clients write; it does not change "
"what they write, and anything but MICROSECONDS makes other tools misread. ScyllaDB knows only "
"micro- and milliseconds.";

const struct check check_timestamps = {
	.id = "timestamps",
	.title = "wrong-unit or future timestamps",
	.explain = explain,
	.scope = SCOPE_TABLE,
	.tables = TABLES_UNLESS_OTHER,
	.cls = CLASS_STATE,
	.needs = EV_METADATA,
	.timestamps_only = true,
	.params = params,
	.run = run,
};
