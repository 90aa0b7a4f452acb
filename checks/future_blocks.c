/* Windows that are not expired yet and will be held past their expiry by what is on disk today. */
#include "base/quote.h"
#include "text.h"

enum { P_HELD };

static const struct check_param params[] = {
	[P_HELD] = { "held", UNIT_PERCENT, "@10:", NULL,
		     "share of the table's bytes that will be held" },
	{ 0 },
};

struct later {
	size_t windows, n;
	int64_t bytes, from_s;
	const struct sstable *worst;	/* the blocker that clears last */
};

static bool add_sstable(const struct sstable *s, struct later *l)
{
	if (!s->too_late || s->state == SST_BLOCKED)
		return false;
	l->n++;
	l->bytes = add_saturated(l->bytes, s->bytes.v);
	if (s->expired_at_s.v < l->from_s)
		l->from_s = s->expired_at_s.v;
	if (s->blocked_by &&
	    (!l->worst || s->blocked_by->expired_at_s.v > l->worst->expired_at_s.v))
		l->worst = s->blocked_by;
	return true;
}

static struct later find_later(const struct table *t)
{
	struct later l = { .from_s = TIME_NEVER };

	for (size_t i = 0; i < t->n_windows; i++) {
		bool any = false;

		for (size_t k = 0; k < t->windows[i].n_sstables; k++)
			any = add_sstable(t->windows[i].sstables[k], &l) || any;
		l.windows += any;
	}
	return l;
}

static void add_details(const struct check_ctx *ctx, struct findings *out, struct finding *f)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;

	for (size_t i = 0, shown = 0; i < t->n_blockers && shown < DETAILS_SHOWN; i++) {
		const struct blocker *b = &t->blockers[i];

		if (!b->n_will_block)
			continue;
		finding_detail(out, f, "%s will hold %s %s: %s: %s", b->sstable->name,
			       plural(a, b->n_will_block, "SSTable"), until(a, b->clears_at_s),
			       cause_name(b->cause), b->evidence);
		shown++;
	}
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	struct later l = find_later(ctx->table);
	struct arena *a = ctx->arena;
	const char *by = "";
	struct finding *f;
	double share;

	if (!l.windows)
		return;
	if (l.worst)
		by = arena_printf(a, ", by %s %s", l.worst->name,
				  until(a, l.worst->expired_at_s.v));
	share = ctx->table->bytes_known
			? percent_of(l.bytes, ctx->table->bytes)
			: percent_of((int64_t)l.n, (int64_t)ctx->table->n_sstables);
	f = finding_add(ctx, out, check_judge(ctx, P_HELD, share),
			"%s of %s (%s, %.0f %%) will be held past expiry, from %s on%s",
			plural(a, l.windows, "window"), table_name(ctx),
			size_text(ctx, l.bytes), share, num_format_minute(a, l.from_s), by);
	add_details(ctx, out, f);
	finding_action(out, f,
		       "count on the space being freed that much later, or see twcscheck blockers "
		       "%s", quote_shell(ctx->arena, table_name(ctx)));
	finding_metric(ctx, out, f, "will_block_windows", UNIT_NONE, (double)l.windows, -1);
	finding_metric(ctx, out, f, "will_hold_share", UNIT_PERCENT, share, P_HELD);
}

static const char explain[] =
"The same rule as blocked-windows, applied to the days to come: for every SSTable that has not "
"expired yet, when will it be dropped, by what is on disk today? Where that is later than its own "
"expiry by more than one window and a check interval, its window is counted here.\n"
"\n"
"Threshold: a warning when the windows concerned hold 10 % of the table's bytes or more; less is "
"information. It is a forecast: data that arrives late tomorrow is not in it, and a blocker that "
"is rewritten or expires takes its part away.\n"
"\n"
"Normal: nothing. A healthy table's windows wait one window at most.\n"
"\n"
"Confirm: twcscheck windows KEYSPACE.TABLE draws each SSTable along time; the one that reaches "
"back is the one. The forecast by day is in twcscheck blockers KEYSPACE.TABLE.\n"
"\n"
"Remedies: the windows are live, nothing must be done now. Plan the disk for the later date, find "
"the late writer, and when they expire act as under blocked-windows.\n"
"\n"
"Versions: as blocked-windows. Table options are not counted here, see strategy.";

const struct check check_future_blocks = {
	.id = "future-blocks",
	.title = "windows that will be held past their expiry",
	.explain = explain,
	.scope = SCOPE_TABLE,
	.tables = TABLES_TWCS,
	.cls = CLASS_STATE,
	.needs = EV_METADATA,
	.params = params,
	.run = run,
};
