/*
 * The windows page: each window of a table with its SSTables, bytes, span, TTLs and drop time, then
 * the same windows as bars along time. Runs of windows that are alike and well are folded.
 */
#include "render/human.h"

#include <string.h>

enum {
	FOLD_MIN = 3,		/* a run of quiet windows from here on is one row */
	SAME_MAX = 8,		/* a longer run held by the same SSTable is folded as well */
	SAME_HEAD = 3,		/* ... after so many, and before the last one */
};

/* ---- which windows make a row ---- */

static bool is_interesting(const struct window *w)
{
	if (w->state == WIN_BLOCKED || w->state == WIN_WILL_BLOCK || w->state == WIN_UNKNOWN ||
	    w->state == WIN_NEVER || w->too_late)
		return true;
	for (size_t i = 0; i < w->n_sstables; i++) {
		const struct sstable *s = w->sstables[i];

		if (s->as_blocker || s->future || s->wrong_unit || s->late)
			return true;
	}
	return false;
}

/* A window without peculiarities of its own: what blocks it is all there is to say. */
static bool is_only_held(const struct window *w)
{
	for (size_t i = 0; i < w->n_sstables; i++) {
		if (w->sstables[i]->as_blocker || w->sstables[i]->future ||
		    w->sstables[i]->wrong_unit || w->sstables[i]->late)
			return false;
	}
	return true;
}

static bool are_alike(const struct window *a, const struct window *b)
{
	bool quiet = !is_interesting(a);

	if (a->state != b->state || quiet != !is_interesting(b))
		return false;
	if (quiet)
		return true;
	if (!is_only_held(a) || !is_only_held(b) || a->n_blockers != b->n_blockers)
		return false;
	return a->n_blockers == 0 || a->blockers[0] == b->blockers[0];
}

static void add_rows(struct arena *a, struct window_rows *rows, size_t first, size_t n, bool folded)
{
	if (folded) {
		*vec_add(a, &rows->list) = (struct window_row){ first, n, true };
		return;
	}
	for (size_t i = 0; i < n; i++)
		*vec_add(a, &rows->list) = (struct window_row){ first + i, 1, false };
}

static void add_run(struct arena *a, struct window_rows *rows, const struct table *t, size_t first,
		    size_t n)
{
	bool quiet = !is_interesting(&t->windows[first]);

	if (quiet && n >= FOLD_MIN) {
		add_rows(a, rows, first, n, true);
	} else if (!quiet && n > SAME_MAX) {
		add_rows(a, rows, first, SAME_HEAD, false);
		add_rows(a, rows, first + SAME_HEAD, n - SAME_HEAD - 1, true);
		add_rows(a, rows, first + n - 1, 1, false);
	} else {
		add_rows(a, rows, first, n, false);
	}
}

static struct window_rows choose_rows(struct page *p, const struct table *t)
{
	struct window_rows rows = { .list = { 0 } };
	size_t start = 0;

	if (p->o->verbose) {
		add_rows(p->t.arena, &rows, 0, t->n_windows, false);
		return rows;
	}
	for (size_t i = 1; i <= t->n_windows; i++) {
		if (i < t->n_windows && are_alike(&t->windows[i - 1], &t->windows[i]))
			continue;
		add_run(p->t.arena, &rows, t, start, i - start);
		start = i;
	}
	return rows;
}

/* ---- the list ---- */

/* Seconds from the oldest to the newest write of a window's SSTables. */
static struct opt_i64 window_span(const struct table *t, const struct window *w)
{
	struct opt_i64 low = { 0 }, high = { 0 };

	for (size_t i = 0; i < w->n_sstables; i++) {
		const struct sstable_meta *m = w->sstables[i]->meta;

		if (!w->sstables[i]->usable)
			continue;
		if (!low.known || m->min_ts.v < low.v)
			low = m->min_ts;
		if (!high.known || m->max_ts.v > high.v)
			high = m->max_ts;
	}
	if (!low.known || !high.known)
		return (struct opt_i64){ .known = false };
	return some_i64(sub_saturated(timestamp_seconds(high.v, t->settings.resolution),
				      timestamp_seconds(low.v, t->settings.resolution)));
}

static const char *ttl_text(struct arena *a, int64_t ttl_s)
{
	return ttl_s == 0 ? "none" : num_format_duration(a, ttl_s);
}

/* "30 d", "none..30 d": smallest to largest TTL. */
static const char *window_ttls(struct arena *a, const struct window *w)
{
	struct opt_i64 low = { 0 }, high = { 0 };
	const char *from, *to;

	for (size_t i = 0; i < w->n_sstables; i++) {
		const struct sstable_meta *m = w->sstables[i]->meta;

		if (m->min_ttl_s.known && (!low.known || m->min_ttl_s.v < low.v))
			low = m->min_ttl_s;
		if (m->max_ttl_s.known && (!high.known || m->max_ttl_s.v > high.v))
			high = m->max_ttl_s;
	}
	if (!low.known || !high.known)
		return "?";
	from = ttl_text(a, low.v);
	to = ttl_text(a, high.v);
	return strcmp(from, to) == 0 ? to : arena_printf(a, "%s..%s", from, to);
}

const char *human_window_label(struct arena *a, const struct table *t, int64_t start_s)
{
	bool days = t->settings.window_s.known && t->settings.window_s.v % 86400 == 0;

	return days ? num_format_day(a, start_s) : num_format_minute(a, start_s);
}

/* Who holds it, in few words; the blockers page tells more. */
static const char *window_holder(struct arena *a, const struct window *w)
{
	if (w->n_blockers == 1)
		return w->blockers[0]->name;
	if (w->n_blockers)
		return arena_printf(a, "%s and %zu more", w->blockers[0]->name, w->n_blockers - 1);
	for (size_t i = 0; i < w->n_sstables; i++) {
		if (w->sstables[i]->hold == HOLD_PURGE_REPAIRED)
			return "only_purge_repaired_tombstones";
		if (w->sstables[i]->hold == HOLD_OWN_FUTURE)
			return "its own future timestamp";
	}
	return "";
}

/* "blocked, partly": some of it goes; "live, overdue": past window, TTL and gc_grace, and alive. */
static const char *window_words(struct arena *a, const struct table *t, const struct window *w)
{
	const struct settings *s = &t->settings;
	size_t blocked = 0, expired = 0;
	int64_t due;

	for (size_t i = 0; i < w->n_sstables; i++) {
		blocked += w->sstables[i]->state == SST_BLOCKED;
		expired += w->sstables[i]->state == SST_BLOCKED ||
			   w->sstables[i]->state == SST_DROPPABLE;
	}
	if (w->state == WIN_BLOCKED && blocked < w->n_sstables)
		return arena_printf(a, "%s, partly", window_state_name(w->state));
	if (expired || !t->ttl_s.known || w->state == WIN_UNKNOWN)
		return window_state_name(w->state);
	due = add_saturated(add_saturated(w->end_s, t->ttl_s.v),
			    add_saturated(s->gc_grace_s.v, table_normal_delay_s(t)));
	if (due < t->node->clock_s)
		return arena_printf(a, "%s, overdue", window_state_name(w->state));
	return window_state_name(w->state);
}

static void fill_window(struct page *p, const struct table *t, const struct window *w,
			struct term_cell *cells)
{
	struct arena *a = p->t.arena;
	struct opt_i64 span = window_span(t, w);

	cells[0].text = human_window_label(a, t, w->start_s);
	cells[1].text = window_words(a, t, w);
	cells[1].paint = human_window_paint(w->state);
	cells[2].text = arena_printf(a, "%zu", w->n_sstables);
	cells[3].text = human_size(a, window_total_bytes(w));
	cells[4].text = span.known ? num_format_duration(a, span.v) : "?";
	cells[5].text = window_ttls(a, w);
	cells[6].text = human_time(a, w->droppable_at_s);
	cells[7].text = window_holder(a, w);
	if (w->n_sstables == 1)
		cells[8].text = w->sstables[0]->name;
	else
		cells[8].text =
			human_sstable_names(a, w->sstables, w->n_sstables, w->n_sstables, 3);
}

/* "… 23 live windows, 2026-11-08 to 2026-11-30, 1 SSTable each, 1.2 GiB". */
static const char *folded_text(struct page *p, const struct table *t, const struct window_row *row)
{
	const struct window *w = &t->windows[row->first], *last = &w[row->n - 1];
	struct arena *a = p->t.arena;
	struct opt_i64 bytes = some_i64(0);
	size_t least = SIZE_MAX, most = 0;

	for (size_t i = 0; i < row->n; i++) {
		struct opt_i64 b = window_total_bytes(&w[i]);

		least = w[i].n_sstables < least ? w[i].n_sstables : least;
		most = w[i].n_sstables > most ? w[i].n_sstables : most;
		bytes = bytes.known && b.known ? some_i64(add_saturated(bytes.v, b.v)) :
						 (struct opt_i64){ .known = false };
	}
	return arena_printf(a, "… %zu %s windows, %s to %s, %s%s each, %s%s%s (-v: all)", row->n,
			    window_state_name(w->state), human_window_label(a, t, w->start_s),
			    human_window_label(a, t, last->start_s),
			    least == most ? "" : arena_printf(a, "%zu to ", least),
			    human_count(a, (int64_t)most, "SSTable"), human_size(a, bytes),
			    w->n_blockers ? ", held by " : "",
			    w->n_blockers ? window_holder(a, w) : "");
}

static void print_windows(struct page *p, const struct table *t, const struct window_rows *rows)
{
	struct arena *a = p->t.arena;
	struct term_table tab = {
		.n_columns = 9,
		.columns = {
			{ .title = "window" }, { .title = "state" },
			{ .title = "SST", .right = true, .drop = 2 },
			{ .title = "size", .right = true, .drop = 1 },
			{ .title = "span", .right = true, .drop = 4 },
			{ .title = "TTL", .drop = 5 }, { .title = "drops", .drop = 3 },
			{ .title = "held by", .flexible = true, .drop = 6 },
			{ .title = "SSTables", .flexible = true, .drop = 7 },
		},
	};

	for (size_t i = 0; i < rows->list.n; i++) {
		const struct window_row *row = &rows->list.v[i];
		struct term_row *r = term_table_row(a, &tab);

		if (row->folded)
			r->across = folded_text(p, t, row);
		else
			fill_window(p, t, &t->windows[row->first], r->cells);
	}
	term_table_print(&p->t, 2, &tab);
}

/* ---- the page ---- */

static void print_counts(struct page *p, const struct table *t)
{
	struct arena *a = p->t.arena;
	struct opt_i64 n = table_sstable_count(t);

	term_pad(&p->t, 2);
	term_flowf(&p->t, 2, "%s, %s in %s",
		   n.known ? human_count(a, n.v, "SSTable") : "number of SSTables not known",
		   human_size(a, table_total_bytes(t)),
		   human_count(a, (int64_t)t->n_windows, "window"));
	if (t->analysed && t->n_blocked)
		term_flowf(&p->t, 2, "; held now: %s, %s",
			   human_count(a, (int64_t)t->n_blocked, "SSTable"),
			   human_size(a, table_held_bytes(t)));
	if (t->analysed && t->n_droppable)
		term_flowf(&p->t, 2, "; droppable: %s, %s",
			   human_count(a, (int64_t)t->n_droppable, "SSTable"),
			   human_size(a, table_droppable_bytes(t)));
	if (t->n_unusable)
		term_flowf(&p->t, 2, "; without usable metadata: %zu", t->n_unusable);
	term_newline(&p->t);
}

static void print_table(struct page *p, const struct table *t)
{
	struct window_rows rows;

	term_line(&p->t, 0, "%s", human_table_title(p, t));
	term_line(&p->t, 2, "%s", human_settings(p->t.arena, t));
	print_counts(p, t);
	if (!t->analysed)
		term_line(&p->t, 2, "not judged: %s",
			  t->not_analysed ? t->not_analysed : "nothing is known of it");
	if (t->n_windows == 0)
		return;
	rows = choose_rows(p, t);
	term_newline(&p->t);
	print_windows(p, t, &rows);
	term_newline(&p->t);
	human_timeline(p, t, &rows);
}

void human_windows_page(struct page *p)
{
	const struct cluster *c = p->report->cluster;
	bool any = false;

	for (size_t i = 0; i < c->nodes.n; i++) {
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++) {
			if (any)
				term_newline(&p->t);
			print_table(p, c->nodes.v[i]->tables[k]);
			any = true;
		}
	}
	if (!any)
		term_line(&p->t, 0, "no such table in the evidence of %s",
			  human_count(p->t.arena, (int64_t)c->nodes.n, "node"));
	else
		term_newline(&p->t);
	term_line(&p->t, 0, "judged by %s", human_clock(p));
}
