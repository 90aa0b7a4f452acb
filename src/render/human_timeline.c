/*
 * A table's windows drawn along time: a bar from each SSTable's oldest to its newest write, on the
 * ground of its own window, so that the file that reaches back is seen at a glance.
 */
#include "render/human.h"

#include <string.h>

enum {
	SSTABLES_MAX = 4,	/* bars of one window; the rest is one bar */
	TINY = 60, NARROW = 100,	/* widths that leave no or little room for names */
	NAME_NARROW = 12, NAME_WIDE = 36,
	DEFAULT_WIDTH = 100,	/* when there is no terminal */
	CELLS_MAX = 400,
};

/* The axis: columns of equal length from `start_s` on. */
struct axis {
	int64_t start_s, end_s, now_s;
	unsigned columns, label;	/* width of the bars, and of what stands before them */
};

struct bar {
	const char *label, *name;
	bool blocker;
	enum paint paint;
	int64_t from_s, to_s;		/* oldest and newest write */
	int64_t own_from_s, own_to_s;	/* its window, half-open */
};

static int64_t oldest_s(const struct sstable *s)
{
	return timestamp_seconds(s->meta->min_ts.v, s->table->settings.resolution);
}

static int64_t newest_s(const struct sstable *s)
{
	return timestamp_seconds(s->meta->max_ts.v, s->table->settings.resolution);
}

static bool is_plausible(const struct sstable *s)
{
	return s->usable && !s->wrong_unit && !s->future;
}

/*
 * From the oldest plausible write to now. A single file that reaches back very far must not press
 * all windows into one column: at most as much again as the windows themselves take.
 */
static struct axis find_axis(const struct page *p, const struct table *t)
{
	struct axis x = { .start_s = INT64_MAX, .end_s = INT64_MIN, .now_s = t->node->clock_s };
	int64_t oldest = INT64_MAX;

	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];

		if (!is_plausible(s))
			continue;
		if (s->window_start_s < x.start_s)
			x.start_s = s->window_start_s;
		if (add_saturated(s->window_start_s, t->settings.window_s.v) > x.end_s)
			x.end_s = add_saturated(s->window_start_s, t->settings.window_s.v);
		oldest = oldest_s(s) < oldest ? oldest_s(s) : oldest;
	}
	if (x.start_s > x.end_s) {
		x.end_s = x.now_s;
		x.start_s = sub_saturated(x.now_s, t->settings.window_s.v);
	}
	if (x.now_s > x.end_s)
		x.end_s = x.now_s;
	if (oldest < x.start_s) {
		int64_t limit = sub_saturated(x.start_s, sub_saturated(x.end_s, x.start_s));

		x.start_s = oldest > limit ? oldest : limit;
	}
	if (x.end_s <= x.start_s)
		x.end_s = add_saturated(x.start_s, 1);
	x.columns = p->t.width ? p->t.width : DEFAULT_WIDTH;
	return x;
}

/* Column of a time; -1 before the axis, x->columns behind it. */
static long column_of(const struct axis *x, int64_t t)
{
	if (t < x->start_s)
		return -1;
	if (t >= x->end_s)
		return (long)x->columns;
	return (long)(((double)t - (double)x->start_s) * x->columns /
		      ((double)x->end_s - (double)x->start_s));
}

static void fill(enum glyph *cells, bool *set, const struct axis *x, long from, long to,
		 enum glyph g)
{
	for (long i = from < 0 ? 0 : from; i <= to && i < (long)x->columns; i++) {
		cells[i] = g;
		set[i] = true;
	}
}

static void draw_cells(struct term *t, const struct bar *b, const enum glyph *cells,
		       const bool *set, unsigned n)
{
	unsigned start = t->col;

	for (unsigned i = 0; i < n;) {
		unsigned run = 1;
		bool data = set[i] && cells[i] != GLYPH_WINDOW && cells[i] != GLYPH_NOW;

		while (i + run < n && set[i + run] == set[i] && cells[i + run] == cells[i])
			run++;
		if (set[i]) {
			term_pad(t, start + i);
			term_glyph(t, data ? b->paint : PAINT_PLAIN, cells[i], run);
		}
		i += run;
	}
}

static void draw_bar(struct page *p, const struct axis *x, const struct bar *b)
{
	enum glyph cells[CELLS_MAX] = { 0 };
	bool set[CELLS_MAX] = { false };
	long own_from = column_of(x, b->own_from_s), own_to = column_of(x, b->own_to_s - 1);
	long from = column_of(x, b->from_s), to = column_of(x, b->to_s);
	long now = column_of(x, x->now_s);

	now = now >= (long)x->columns ? (long)x->columns - 1 : now;
	if (own_to >= 0)
		fill(cells, set, x, own_from, own_to, GLYPH_WINDOW);
	if (now >= 0 && !set[now])
		fill(cells, set, x, now, now, GLYPH_NOW);
	fill(cells, set, x, from, to, GLYPH_REACH);
	if (own_to >= 0)
		fill(cells, set, x, from > own_from ? from : own_from, to < own_to ? to : own_to,
		     GLYPH_BAR);
	if (from < 0)
		fill(cells, set, x, 0, 0, GLYPH_BEFORE);
	if (to >= (long)x->columns)
		fill(cells, set, x, (long)x->columns - 1, (long)x->columns - 1, GLYPH_AFTER);
	draw_cells(&p->t, b, cells, set, x->columns);
}

static void print_bar(struct page *p, const struct axis *x, const struct bar *b)
{
	term_cut(&p->t, PAINT_PLAIN, b->label, x->label);
	if (b->name && x->label > strlen(b->label) + 3) {
		term_text(&p->t, PAINT_PLAIN, b->blocker ? " !" : "  ");
		term_cut(&p->t, PAINT_PLAIN, b->name, x->label - p->t.col - 1);
	}
	term_pad(&p->t, x->label);
	draw_bar(p, x, b);
	term_newline(&p->t);
}

static const char *axis_time(struct arena *a, const struct axis *x, int64_t t)
{
	return x->end_s - x->start_s < 3 * 86400 ? num_format_minute(a, t) : num_format_day(a, t);
}

static void print_axis(struct page *p, const struct axis *x)
{
	struct term *t = &p->t;
	const char *end = axis_time(t->arena, x, x->end_s);
	unsigned columns = term_columns(end);

	term_pad(t, x->label);
	term_text(t, PAINT_PLAIN, axis_time(t->arena, x, x->start_s));
	if (x->columns > 2 * columns + 2) {
		term_pad(t, x->label + x->columns - columns);
		term_text(t, PAINT_PLAIN, end);
	}
	term_newline(t);
}

/* Room for an item of the legend: on this line or on the next. */
static void legend_gap(struct term *t, unsigned columns)
{
	if (t->col <= 2)
		return;
	if (t->width && t->col + 3 + columns > t->width) {
		term_newline(t);
		term_pad(t, 2);
	} else {
		term_pad(t, t->col + 3);
	}
}

static void print_legend(struct page *p)
{
	static const struct { enum glyph g; const char *text; } legend[] = {
		{ GLYPH_BAR, "written in its own window" }, { GLYPH_REACH, "written outside it" },
		{ GLYPH_WINDOW, "its window" }, { GLYPH_NOW, "now" },
	};
	struct term *t = &p->t;

	term_pad(t, 2);
	for (size_t i = 0; i < ARRAY_LEN(legend); i++) {
		legend_gap(t, 2 + term_columns(legend[i].text));
		term_glyph(t, PAINT_PLAIN, legend[i].g, 1);
		term_printf(t, PAINT_PLAIN, " %s", legend[i].text);
	}
	legend_gap(t, 9);
	term_text(t, PAINT_PLAIN, "! blocker");
	term_newline(t);
}

/* One bar for several SSTables. */
static void widen(struct bar *b, const struct sstable *s, bool first)
{
	int64_t from = oldest_s(s), to = newest_s(s);

	b->from_s = first || from < b->from_s ? from : b->from_s;
	b->to_s = first || to > b->to_s ? to : b->to_s;
}

static bool deserves_own_bar(const struct sstable *s)
{
	return s->as_blocker || s->late || oldest_s(s) < s->window_start_s;
}

static void print_rest(struct page *p, const struct axis *x, struct bar b,
		       struct sstable *const *v, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i])
			widen(&b, v[i], found++ == 0);
	}
	if (!found)
		return;
	b.blocker = false;
	b.name = human_count(p->t.arena, (int64_t)found, found == n ? "SSTable" : "other SSTable");
	print_bar(p, x, &b);
}

/* The SSTables that reach back come first; what does not get a bar of its own shares one. */
static void print_window(struct page *p, const struct axis *x, const struct table *t,
			 const struct window *w)
{
	struct sstable **rest = arena_array(p->t.arena, w->n_sstables + 1, sizeof(*rest));
	struct bar b = {
		.label = human_window_label(p->t.arena, t, w->start_s),
		.own_from_s = w->start_s, .own_to_s = w->end_s,
	};
	size_t shown = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < w->n_sstables; i++) {
			struct sstable *s = w->sstables[i];

			if (!s->usable || deserves_own_bar(s) != (pass == 0))
				continue;
			if (shown == SSTABLES_MAX || (pass == 1 && w->n_sstables > SSTABLES_MAX)) {
				rest[i] = s;
				continue;
			}
			b.name = s->name;
			b.blocker = s->as_blocker != NULL;
			b.paint = human_sstable_paint(s->state);
			widen(&b, s, true);
			print_bar(p, x, &b);
			b.label = "";
			shown++;
		}
	}
	b.paint = human_window_paint(w->state);
	print_rest(p, x, b, rest, w->n_sstables);
}

/* A run of windows that are alike: one bar from the first to the last. */
static void print_folded(struct page *p, const struct axis *x, const struct table *t,
			 const struct window_row *row)
{
	const struct window *w = &t->windows[row->first], *last = &w[row->n - 1];
	struct bar b = {
		.label = arena_printf(p->t.arena, "… %zu %s", row->n, window_state_name(w->state)),
		.paint = human_window_paint(w->state),
		.own_from_s = w->start_s, .own_to_s = last->end_s,
	};
	bool any = false;

	for (size_t i = 0; i < row->n; i++) {
		for (size_t k = 0; k < w[i].n_sstables; k++) {
			if (!w[i].sstables[k]->usable)
				continue;
			widen(&b, w[i].sstables[k], !any);
			any = true;
		}
	}
	if (any)
		print_bar(p, x, &b);
}

/* Columns for a window's start and an SSTable's name, as much as the width allows. */
static unsigned label_columns(struct page *p, const struct table *t, unsigned width)
{
	unsigned start = term_columns(human_window_label(p->t.arena, t, t->node->clock_s));
	unsigned most = width < TINY ? 0 : width < NARROW ? NAME_NARROW : NAME_WIDE, name = 0;

	for (size_t i = 0; i < t->n_sstables; i++) {
		unsigned w = term_columns(term_clean(p->t.arena, t->sstables[i]->name, p->t.ascii));

		name = w > name ? w : name;
	}
	name = name < most ? name : most;
	return start + 1 + (name ? name + 2 : 0);
}

void human_timeline(struct page *p, const struct table *t, const struct window_rows *rows)
{
	struct axis x;
	unsigned width = p->t.width ? p->t.width : DEFAULT_WIDTH;

	if (!t->settings.window_s.known)
		return;
	x = find_axis(p, t);
	x.label = label_columns(p, t, width);
	x.columns = width - x.label > CELLS_MAX ? CELLS_MAX : width - x.label;
	print_axis(p, &x);
	for (size_t i = 0; i < rows->list.n; i++) {
		const struct window_row *row = &rows->list.v[i];

		if (row->folded)
			print_folded(p, &x, t, row);
		else
			print_window(p, &x, t, &t->windows[row->first]);
	}
	print_legend(p);
}
