/* Expired windows that cannot be dropped: what is lost now, to whom, and until when. */
#include "base/quote.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { P_WINDOWS, P_HELD, P_FOREVER };

static const struct check_param params[] = {
	[P_WINDOWS] = { "windows", UNIT_NONE, "0", NULL, "expired windows that are held" },
	[P_HELD] = { "held", UNIT_PERCENT, NULL, "@10:", "share of the table's bytes in them" },
	[P_FOREVER] = { "forever", UNIT_NONE, NULL, "0",
			"windows held by something that never ends" },
	{ 0 },
};

enum { YEAR_1980_S = 315532800 };

struct held {
	size_t windows, forever;
	size_t n, by_option, by_future;	/* SSTables */
	int64_t bytes;
	const struct sstable *worst;	/* the blocker that clears last */
};

/* Only what waits longer than the normal delay counts. */
static void add_window(const struct window *w, struct held *h)
{
	bool any = false, forever = false;

	for (size_t i = 0; i < w->n_sstables; i++) {
		const struct sstable *s = w->sstables[i];

		if (s->state != SST_BLOCKED || !s->too_late)
			continue;
		any = true;
		h->n++;
		h->bytes = add_saturated(h->bytes, s->bytes.v);
		h->by_option += s->hold == HOLD_PURGE_REPAIRED;
		h->by_future += s->hold == HOLD_OWN_FUTURE;
		forever = forever || (s->droppable_at_s.known && s->droppable_at_s.v == TIME_NEVER);
		if (s->blocked_by &&
		    (!h->worst || s->blocked_by->expired_at_s.v > h->worst->expired_at_s.v))
			h->worst = s->blocked_by;
	}
	h->windows += any;
	h->forever += forever;
}

static const char *holder_text(struct arena *a, const struct held *h)
{
	const struct sstable *w = h->worst;

	if (h->by_option == h->n || (h->by_option && !w))
		return "by only_purge_repaired_tombstones, for ever";
	if (!w)
		return "by their own future timestamps";
	return arena_printf(a, "by %s%s%s%s %s%s", w->name, w->as_blocker ? " (" : "",
			    w->as_blocker ? cause_name(w->as_blocker->cause) : "",
			    w->as_blocker ? ")" : "", until(a, w->expired_at_s.v),
			    h->by_option ? " and by only_purge_repaired_tombstones" : "");
}

static void add_details(const struct check_ctx *ctx, struct findings *out, struct finding *f)
{
	const struct table *t = ctx->table;
	size_t shown = 0;

	for (size_t i = 0; i < t->n_blockers && shown < DETAILS_SHOWN; i++) {
		const struct blocker *b = &t->blockers[i];

		if (!b->n_blocks)
			continue;
		finding_detail(out, f, "%s blocks %s (%s) %s: %s: %s", b->sstable->name,
			       plural(ctx->arena, b->n_blocks, "SSTable"),
			       size_text(ctx, b->held_bytes),
			       until(ctx->arena, b->clears_at_s), cause_name(b->cause),
			       b->evidence);
		shown++;
	}
	for (size_t i = 0; i < t->n_windows && shown < 2 * DETAILS_SHOWN; i++) {
		const struct window *w = &t->windows[i];

		if (w->state != WIN_BLOCKED)
			continue;
		finding_detail(out, f, "window %s: %s, held %s",
			       num_format_minute(ctx->arena, w->start_s),
			       plural(ctx->arena, w->n_sstables, "SSTable"),
			       size_text(ctx, w->held_bytes));
		shown++;
	}
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	struct held h = { 0 };
	double share;
	enum severity s;
	struct finding *f;

	for (size_t i = 0; i < t->n_windows; i++)
		add_window(&t->windows[i], &h);
	if (!h.windows)
		return;
	share = t->bytes_known ? percent_of(h.bytes, t->bytes)
			       : percent_of((int64_t)h.n, (int64_t)t->n_sstables);
	s = worst_of(check_judge(ctx, P_WINDOWS, (double)h.windows),
		     worst_of(check_judge(ctx, P_HELD, share),
			      check_judge(ctx, P_FOREVER, (double)h.forever)));
	f = finding_add(ctx, out, s, "%s (%s, %.0f %% of %s) held %s",
			plural(a, h.windows, "expired window"), size_text(ctx, h.bytes), share,
			table_name(ctx), holder_text(a, &h));
	add_details(ctx, out, f);
	if (h.by_option)
		finding_action(
			out, f,
			"the table option only_purge_repaired_tombstones keeps unrepaired data "
			"for ever: repair it, or take the option off");
	else
		finding_action(out, f,
			       "twcscheck blockers %s: remedies, safest first, with commands",
			       quote_shell(ctx->arena, table_name(ctx)));
	finding_metric(ctx, out, f, "blocked_windows", UNIT_NONE, (double)h.windows, P_WINDOWS);
	finding_metric(ctx, out, f, "held_bytes", UNIT_BYTES, (double)h.bytes, -1);
	finding_metric(ctx, out, f, "held_share", UNIT_PERCENT, share, P_HELD);
}

/* ---- sstableexpiredblockers' word ---- */

static int by_reach(const void *x, const void *y)
{
	const struct tool_blocker *p = *(struct tool_blocker *const *)x;
	const struct tool_blocker *q = *(struct tool_blocker *const *)y;

	if (p->min_ts.v != q->min_ts.v)
		return p->min_ts.v < q->min_ts.v ? -1 : 1;
	return strcmp(p->name, q->name);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* How many different SSTables the tool calls blocked: each of its lines may name it again. */
static size_t count_blocked(struct arena *a, const struct table *t)
{
	VEC(const char *) names = { 0 };
	size_t n = 0, said = 0;

	for (size_t i = 0; i < t->tool_blockers.n; i++) {
		const struct tool_blocker *b = t->tool_blockers.v[i];

		for (size_t k = 0; k < b->blocked.n; k++)
			*vec_add(a, &names) = b->blocked.v[k];
		if (b->n_blocked > 0 && (size_t)b->n_blocked > said)
			said = (size_t)b->n_blocked;
	}
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_text);
	for (size_t i = 0; i < names.n; i++)
		n += !i || strcmp(names.v[i - 1], names.v[i]) != 0;
	return n > said ? n : said;	/* names may be cut off, the number is not */
}

static const char *name_some(struct arena *a, const struct tool_blocker *b)
{
	const char *list = "";
	size_t n = b->blocked.n < NAMES_SHOWN ? b->blocked.n : NAMES_SHOWN;

	for (size_t i = 0; i < n; i++)
		list = arena_printf(a, "%s%s%s", list, i ? ", " : "", b->blocked.v[i]);
	if (b->n_blocked > (int64_t)n)
		list = arena_printf(a, "%s%s%lld more", list, n ? " and " : "",
				    (long long)(b->n_blocked - (int64_t)n));
	return list;
}

static void add_tool_detail(const struct check_ctx *ctx, struct findings *out, struct finding *f,
			    const struct tool_blocker *b)
{
	enum ts_resolution r = ctx->table->settings.resolution;
	struct arena *a = ctx->arena;
	int64_t newest = timestamp_seconds(b->max_ts.v, r);

	finding_detail(
		out, f, "%s holds %s: its timestamps are %lld to %lld (%s), and it %s", b->name,
		name_some(a, b), (long long)b->min_ts.v, (long long)b->max_ts.v,
		newest < YEAR_1980_S
			? "no date that a writer can mean: not microseconds"
			: arena_printf(a, "%s to %s",
				       num_format_minute(a, timestamp_seconds(b->min_ts.v, r)),
				       num_format_minute(a, newest)),
		b->max_ldt_s.v == TIME_NEVER
			? "never expires"
			: arena_printf(a, "lives until %s", num_format_minute(a, b->max_ldt_s.v)));
}

/*
 * The tool's rule is simpler than the server's (no token ranges, no instances, no normal delay): it
 * counts only where the server's cannot be applied, and as no more than a warning.
 */
static void run_by_tool(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	struct tool_blocker **v;
	size_t n = t->tool_blockers.n, blocked;
	enum severity s = check_judge(ctx, P_WINDOWS, 1);
	struct finding *f;

	if (!n || (t->analysed && (t->evidence & EV_METADATA)))
		return;
	v = arena_array(a, n, sizeof(struct tool_blocker *));
	memcpy(v, t->tool_blockers.v, n * sizeof(struct tool_blocker *));
	qsort(v, n, sizeof(*v), by_reach);
	blocked = count_blocked(a, t);
	f = finding_add(
		ctx, out, s > SEV_WARNING ? SEV_WARNING : s,
		"sstableexpiredblockers says: %s%s %s %s of %s (that tool's word, by a simpler "
		"rule)",
		v[0]->name, n > 1 ? arena_printf(a, " and %zu more", n - 1) : "",
		n > 1 ? "hold" : "holds", plural(a, blocked, "expired SSTable"), table_name(ctx));
	for (size_t i = 0; i < n && i < DETAILS_SHOWN; i++)
		add_tool_detail(ctx, out, f, v[i]);
	finding_action(out, f,
		       "save sstablemetadata of all its SSTables, and the schema: they tell "
		       "whether the server is held by them, until when, and how many bytes");
}

static const char explain[] =
"An SSTable whose newest data is past TTL and gc_grace is dropped whole, without being read, "
"unless something may still need it to hide older data. The server's rule is one number for each "
"strategy instance (data directory and repair state): the lowest minimum timestamp of everything "
"there that is not expired, and of not expired SSTables elsewhere whose token range meets theirs. "
"An expired SSTable whose maximum timestamp is not below that number stays. So one old row in a "
"new SSTable holds every expired window from its timestamp on.\n"
"\n"
"Thresholds: any window that waits longer than normal is a warning. It is critical when the held "
"bytes are 10 % of the table or more, or when something holds them that never expires, since then "
"the disk fills without end.\n"
"\n"
"Normal: a wait of up to one window and one check interval. Where client timestamps are a few "
"seconds out of order, each window's oldest row is older than the newest row of the window "
"before, which then waits for its neighbour: the steady state of many healthy tables, and no "
"finding.\n"
"\n"
"Confirm: twcscheck blockers KEYSPACE.TABLE names the SSTables, sstablemetadata shows their "
"minimum timestamp and maximum local deletion time; sstableexpiredblockers names similar pairs by "
"a simpler rule. Its saved output is a warning of its own where metadata or schema are missing.\n"
"\n"
"Remedies, safest first: wait until the blocker expires; rewrite the blocked expired SSTables one "
"by one with nodetool compact --user-defined and the full path (a bare name or wrong path exits 0 "
"and does nothing; several files in one call are merged across windows); nodetool garbagecollect "
"for many of them. Do not run nodetool compact on the table: it merges all windows into one "
"SSTable that lives as long as its newest row. unsafe_aggressive_sstable_expiration lifts the "
"rule, but old values can come back wherever rows are updated, deleted or have different TTLs.\n"
"\n"
"Versions: the rule is the same from 3.0 to 5.0; before 3.2 all data directories were one "
"instance, pending repairs are apart from 4.0 on. ScyllaDB judges for each shard or tablet, and "
"its tombstone_gc mode may keep everything until a repair.";

const struct check check_blocked_windows = {
	.id = "blocked-windows",
	.title = "expired windows that cannot be dropped",
	.explain = explain,
	.scope = SCOPE_TABLE,
	.tables = TABLES_TWCS,
	.cls = CLASS_STATE,
	.needs = EV_METADATA,
	.params = params,
	.run = run,
	.fallback = run_by_tool,
};
