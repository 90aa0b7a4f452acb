/*
 * Aligned columns on a terminal: widths from the contents, what does not fit is left out or cut.
 */
#include "render/term.h"

enum { GAP = 2, FLEXIBLE_MIN = 8 };

struct layout {
	bool shown[TERM_COLUMNS_MAX];
	unsigned width[TERM_COLUMNS_MAX];
};

struct term_row *term_table_row(struct arena *a, struct term_table *tab)
{
	return vec_add(a, &tab->rows);
}

static const char *cell_text(const struct term *t, const struct term_row *r, size_t i)
{
	return term_clean(t->arena, r->cells[i].text, t->ascii);
}

static unsigned total_width(const struct term_table *tab, const struct layout *l)
{
	unsigned sum = 0;

	for (size_t i = 0; i < tab->n_columns; i++) {
		if (l->shown[i])
			sum += l->width[i] + (sum ? GAP : 0);
	}
	return sum;
}

/* The shown column that goes first when there is no room; n_columns = none may go. */
static size_t next_to_drop(const struct term_table *tab, const struct layout *l)
{
	size_t found = tab->n_columns;

	for (size_t i = 0; i < tab->n_columns; i++) {
		if (!l->shown[i] || tab->columns[i].drop == 0)
			continue;
		if (found == tab->n_columns || tab->columns[i].drop > tab->columns[found].drop)
			found = i;
	}
	return found;
}

static void cut_flexible(const struct term_table *tab, struct layout *l, unsigned room)
{
	for (size_t i = 0; i < tab->n_columns; i++) {
		unsigned total = total_width(tab, l), over;

		if (total <= room)
			return;
		if (!l->shown[i] || !tab->columns[i].flexible)
			continue;
		over = total - room;
		if (l->width[i] > over + FLEXIBLE_MIN)
			l->width[i] -= over;
		else if (l->width[i] > FLEXIBLE_MIN)
			l->width[i] = FLEXIBLE_MIN;
	}
}

static void lay_out(struct term *t, unsigned indent, const struct term_table *tab,
		    struct layout *l)
{
	unsigned room = t->width > indent ? t->width - indent : 0;

	for (size_t i = 0; i < tab->n_columns; i++) {
		unsigned most = 0;

		for (size_t r = 0; r < tab->rows.n; r++) {
			unsigned w = tab->rows.v[r].across ? 0 :
				     term_columns(cell_text(t, &tab->rows.v[r], i));

			most = w > most ? w : most;
		}
		/* A column of nothing is not shown, title or not. */
		l->shown[i] = most > 0;
		l->width[i] = term_columns(tab->columns[i].title);
		l->width[i] = most > l->width[i] ? most : l->width[i];
		/* One endless name must not push everything else off the page. */
		if (tab->columns[i].flexible && t->width && l->width[i] > room * 3 / 5)
			l->width[i] = room * 3 / 5;
	}
	if (t->width == 0)
		return;
	while (total_width(tab, l) > room) {
		size_t i = next_to_drop(tab, l);

		if (i == tab->n_columns)
			break;
		l->shown[i] = false;
	}
	cut_flexible(tab, l, room);
}

/* A cell at the current column; blanks to its right only when something follows. */
static void print_cell(struct term *t, const struct term_column *c, unsigned width, unsigned start,
		       const char *text, enum paint paint)
{
	unsigned columns = term_columns(text);

	if (!*text)
		return;
	term_pad(t, c->right && columns < width ? start + width - columns : start);
	if (t->width)
		term_cut(t, paint, text, width < t->width - start ? width : t->width - start);
	else
		term_text(t, paint, text);
}

static void print_row(struct term *t, unsigned indent, const struct term_table *tab,
		      const struct layout *l, const struct term_row *r)
{
	unsigned start = indent;

	for (size_t i = 0; i < tab->n_columns; i++) {
		if (!l->shown[i])
			continue;
		if (t->width && start >= t->width)
			break;
		print_cell(t, &tab->columns[i], l->width[i], start,
			   r ? cell_text(t, r, i) : tab->columns[i].title,
			   r ? r->cells[i].paint : PAINT_PLAIN);
		start += l->width[i] + GAP;
	}
	term_newline(t);
}

void term_table_print(struct term *t, unsigned indent, const struct term_table *tab)
{
	struct layout l = { .shown = { false } };

	lay_out(t, indent, tab, &l);
	print_row(t, indent, tab, &l, NULL);
	for (size_t r = 0; r < tab->rows.n; r++) {
		if (tab->rows.v[r].across)
			term_line(t, indent, "%s", tab->rows.v[r].across);
		else
			print_row(t, indent, tab, &l, &tab->rows.v[r]);
	}
}
