/*
 * A page for a terminal: columns, wrapping, severity colours, glyphs with an ASCII form.
 *
 * Invariants: every byte of text that goes to the page passes term_clean(), so that nothing a node
 * said can move the cursor, end a line or change a colour; no escape sequence is written unless
 * `color` is set, no byte above 0x7f when `ascii` is; columns are counted, not bytes.
 */
#ifndef TWCSCHECK_TERM_H
#define TWCSCHECK_TERM_H

#include "base/arena.h"
#include "base/buf.h"

enum paint {
	PAINT_PLAIN, PAINT_GOOD, PAINT_NOTE, PAINT_UNKNOWN, PAINT_WARNING, PAINT_CRITICAL,
};

enum glyph {
	GLYPH_BAR,	/* data inside its own window; a bar of bytes */
	GLYPH_REACH,	/* data outside its own window */
	GLYPH_WINDOW,	/* the rest of the window */
	GLYPH_NOW,
	GLYPH_BEFORE,	/* goes on to the left of what is drawn */
	GLYPH_AFTER,	/* ... to the right */
	GLYPH_ARROW,
	GLYPH_ELLIPSIS,
};

struct term {
	struct buf *out;
	struct arena *arena;	/* for what is formatted on the way */
	unsigned width;		/* columns; 0 = nothing is wrapped or cut */
	bool color, ascii;
	unsigned col;		/* columns written on the current line */
	unsigned indent;	/* of the lines that term_flow() starts */
};

/*
 * `s` made harmless: control characters become "\x1b", bytes that are not UTF-8 and invisible
 * characters that change the direction or place of text become '?'. With `ascii`, typographic
 * characters become their ASCII form and all others '?'. NULL becomes "".
 */
const char *term_clean(struct arena *a, const char *s, bool ascii);

/* Columns that clean UTF-8 text takes: 0 for combining, 2 for wide characters. */
unsigned term_columns(const char *s);

/* Bytes of the longest start of clean text `s` that takes at most `columns`; *used: how many. */
size_t term_fit(const char *s, unsigned columns, unsigned *used);

/* Text on the current line, cleaned, neither wrapped nor cut. */
void term_text(struct term *t, enum paint paint, const char *s);
void term_printf(struct term *t, enum paint paint, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* At most `columns` of it, ending in an ellipsis where it was cut. */
void term_cut(struct term *t, enum paint paint, const char *s, unsigned columns);
/* Blanks up to column `col`. */
void term_pad(struct term *t, unsigned col);
void term_glyph(struct term *t, enum paint paint, enum glyph g, unsigned n);
void term_newline(struct term *t);

/*
 * Words that flow on from the current column and are broken at blanks to fit the width; lines
 * after the first start at column `indent`. Words longer than a line are broken anywhere.
 */
void term_flow(struct term *t, unsigned indent, const char *s);
void term_flowf(struct term *t, unsigned indent, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A whole line or paragraph: `indent` blanks, the text flowing, an end of line. */
void term_line(struct term *t, unsigned indent, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Rows with aligned columns. Columns that do not fit are left out (highest `drop` first), then
 * flexible ones are cut.
 */
enum { TERM_COLUMNS_MAX = 12 };

struct term_column {
	const char *title;
	bool right;		/* aligned to the right */
	bool flexible;		/* may be cut */
	unsigned drop;		/* 0 = never left out */
};

struct term_cell { const char *text; enum paint paint; };

struct term_row {
	struct term_cell cells[TERM_COLUMNS_MAX];
	const char *across;	/* not NULL: this text instead of cells */
};

struct term_table {
	size_t n_columns;
	struct term_column columns[TERM_COLUMNS_MAX];
	VEC(struct term_row) rows;
};

struct term_row *term_table_row(struct arena *a, struct term_table *tab);
void term_table_print(struct term *t, unsigned indent, const struct term_table *tab);

#endif
