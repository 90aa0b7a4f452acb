/* Closed windows that were not brought down to one SSTable. */
#include <string.h>

#include "text.h"

enum { P_WINDOWS, P_SHARE };

static const struct check_param params[] = {
	[P_WINDOWS] = { "windows", UNIT_NONE, "2", NULL, "old windows with more than one SSTable" },
	[P_SHARE] = { "share", UNIT_PERCENT, NULL, "25",
		      "their share of the old windows; only when there are enough to warn" },
	{ 0 },
};

struct tally {
	size_t judged, open, most, shown;
	const struct window *worst;
	struct { const struct window *w; size_t n; } list[DETAILS_SHOWN];
};

/* A window counts once for each instance that has SSTables in it. */
static void add_window(const struct table *t, const struct window *w, int64_t now, size_t *per,
		       struct tally *y)
{
	if (add_saturated(w->end_s, 2 * t->settings.window_s.v) >= now)
		return;
	memset(per, 0, t->n_instances * sizeof(*per));
	for (size_t i = 0; i < w->n_sstables; i++)
		per[w->sstables[i]->instance]++;
	for (size_t k = 0; k < t->n_instances; k++) {
		if (!per[k] || t->instances[k].highest_window_s == w->start_s)
			continue;
		y->judged++;
		if (per[k] < 2)
			continue;
		y->open++;
		if (y->shown < DETAILS_SHOWN) {
			y->list[y->shown].w = w;
			y->list[y->shown++].n = per[k];
		}
		if (per[k] > y->most) {
			y->most = per[k];
			y->worst = w;
		}
	}
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	size_t *per = arena_array(ctx->arena, t->n_instances, sizeof(*per));
	struct tally y = { 0 };
	struct finding *f;
	enum severity s;
	double share;

	for (size_t i = 0; i < t->n_windows; i++)
		add_window(t, &t->windows[i], ctx->node->clock_s, per, &y);
	if (!y.open)
		return;
	share = 100.0 * (double)y.open / (double)y.judged;
	s = check_judge(ctx, P_WINDOWS, (double)y.open);
	if (s > SEV_OK)
		s = worst_of(s, check_judge(ctx, P_SHARE, share));
	f = finding_add(
		ctx, out, s,
		"%s of %s closed for more than two windows with several SSTables, %s has %zu",
		plural(ctx->arena, y.open, "window"), table_name(ctx),
		num_format_minute(ctx->arena, y.worst->start_s), y.most);
	for (size_t i = 0; i < y.shown; i++)
		finding_detail(out, f, "window %s: %zu SSTables of one directory and repair group",
			       num_format_minute(ctx->arena, y.list[i].w->start_s), y.list[i].n);
	finding_action(
		out, f,
		t->autocompaction.known && !t->autocompaction.v
			? "automatic compaction is off for this table"
			: "nodetool compactionstats: the newest window is compacted first, so "
			  "with a "
			  "backlog old ones wait");
	finding_metric(ctx, out, f, "open_windows", UNIT_NONE, (double)y.open, P_WINDOWS);
	finding_metric(ctx, out, f, "open_windows_share", UNIT_PERCENT, share, P_SHARE);
}

static const char explain[] =
"When a window is over, its SSTables are merged into one for each strategy instance (data "
"directory and repair state). A window that ended more than two windows ago and still has several "
"was not.\n"
"\n"
"Not judged: the newest window an instance has seen. When writes stop it stays \"current\" and is "
"never merged.\n"
"\n"
"Thresholds: more than 2 such windows is a warning; critical when they are more than 25 % of the "
"old windows as well. Fewer are information.\n"
"\n"
"Normal: one file for each data directory and repair group. A second small one for a while after "
"late data or repair.\n"
"\n"
"Confirm: twcscheck windows KEYSPACE.TABLE; nodetool compactionstats for a backlog.\n"
"\n"
"Remedies: let the backlog drain (compaction_throughput, concurrent_compactors); switch automatic "
"compaction on; see to repairs and late writers that keep adding to old windows. Not nodetool "
"compact: it merges all windows into one.\n"
"\n"
"Versions: ScyllaDB merges a closed window only while it remembers it as recently active; up to 3 "
"SSTables a shard in an old window are normal there.";

const struct check check_window_compaction = {
	.id = "window-compaction",
	.title = "closed windows with several SSTables",
	.explain = explain,
	.scope = SCOPE_TABLE,
	.tables = TABLES_TWCS,
	.cls = CLASS_STATE,
	.needs = EV_METADATA,
	.params = params,
	.run = run,
};
