/*
 * Text on a page for a terminal: cleaning, columns, colours, wrapping.
 */
#include "render/term.h"

#include <stdio.h>
#include <string.h>

struct span { uint32_t first, last; };

/* East Asian wide and emoji blocks, as terminals draw them. */
static const struct span wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xa960, 0xa97f },
	{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff01, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
	{ 0x20000, 0x3fffd },
};

static const struct span combining[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0900, 0x0902 }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a },
	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f },
};

/* C1 controls, direction marks, line separators, invisible operators, tags, private use. */
static const struct span harmful[] = {
	{ 0x80, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x180e, 0x180e }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xd800, 0xf8ff }, { 0xfeff, 0xfeff },
	{ 0xfff0, 0xfffb }, { 0xe0000, 0x10ffff },
};

static const struct { uint32_t c; const char *ascii; } plain_forms[] = {
	{ 0xa0, " " }, { 0xb1, "+-" }, { 0xb5, "u" }, { 0xb7, "." }, { 0xd7, "x" }, { 0xf7, "/" },
	{ 0x2013, "-" }, { 0x2014, "-" }, { 0x2018, "'" }, { 0x2019, "'" }, { 0x201c, "\"" },
	{ 0x201d, "\"" }, { 0x2026, "..." }, { 0x2192, "->" }, { 0x2212, "-" }, { 0x2264, "<=" },
	{ 0x2265, ">=" },
};

static const struct { const char *utf8, *ascii; } glyphs[] = {
	[GLYPH_BAR] = { "█", "=" },
	[GLYPH_REACH] = { "━", "-" },
	[GLYPH_WINDOW] = { "░", "." },
	[GLYPH_NOW] = { "│", "|" },
	[GLYPH_BEFORE] = { "◀", "<" },
	[GLYPH_AFTER] = { "▶", ">" },
	[GLYPH_ARROW] = { "→", ">" },
	[GLYPH_ELLIPSIS] = { "…", "~" },
};

static const char *const paint_codes[] = {
	[PAINT_PLAIN] = "",
	[PAINT_GOOD] = "\033[32m",
	[PAINT_NOTE] = "\033[36m",
	[PAINT_UNKNOWN] = "\033[35m",
	[PAINT_WARNING] = "\033[33m",
	[PAINT_CRITICAL] = "\033[1;31m",
};

static bool in_spans(uint32_t c, const struct span *spans, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (c >= spans[i].first && c <= spans[i].last)
			return true;
	}
	return false;
}

/*
 * One character of UTF-8 at s (not at the end); returns its bytes. Overlong forms, surrogates and
 * broken sequences are one byte with *c = UINT32_MAX.
 */
static size_t utf8_next(const char *s, uint32_t *c)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	*c = n == 1 ? p[0] : n == 2 ? p[0] & 0x1fu : n == 3 ? p[0] & 0x0fu : p[0] & 0x07u;
	if (n == 0 || p[0] > 0xf4) {
		*c = UINT32_MAX;
		return 1;
	}
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			*c = UINT32_MAX;
			return 1;
		}
		*c = *c << 6 | (p[i] & 0x3fu);
	}
	if (*c < lowest[n] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff)) {
		*c = UINT32_MAX;
		return 1;
	}
	return n;
}

static const char *plain_form(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_LEN(plain_forms); i++) {
		if (plain_forms[i].c == c)
			return plain_forms[i].ascii;
	}
	return "?";
}

static size_t clean_char(char *out, const char *s, size_t n, uint32_t c, bool ascii)
{
	if (c < 0x20 || c == 0x7f)
		return (size_t)snprintf(out, 5, "\\x%02x", (unsigned)c);
	if (c == UINT32_MAX || in_spans(c, harmful, ARRAY_LEN(harmful))) {
		*out = '?';
		return 1;
	}
	if (c >= 0x80 && ascii) {
		s = plain_form(c);
		n = strlen(s);
	}
	memcpy(out, s, n);
	return n;
}

const char *term_clean(struct arena *a, const char *s, bool ascii)
{
	const char *p = s;
	char *out;
	size_t n = 0;
	uint32_t c;

	if (!s)
		return "";
	while (*p >= 0x20 && *p < 0x7f)
		p++;
	if (!*p)
		return s;
	out = arena_alloc(a, strlen(s) * 4 + 5);
	for (p = s; *p;) {
		size_t len = utf8_next(p, &c);

		n += clean_char(out + n, p, len, c, ascii);
		p += len;
	}
	return out;
}

static unsigned char_columns(uint32_t c)
{
	if (c < 0x300)
		return 1;
	if (in_spans(c, combining, ARRAY_LEN(combining)))
		return 0;
	return in_spans(c, wide, ARRAY_LEN(wide)) ? 2 : 1;
}

size_t term_fit(const char *s, unsigned columns, unsigned *used)
{
	size_t n = 0;
	uint32_t c;

	*used = 0;
	while (s[n]) {
		size_t len = utf8_next(s + n, &c);
		unsigned w = char_columns(c);

		if (w > columns - *used)
			break;
		*used += w;
		n += len;
	}
	return n;
}

unsigned term_columns(const char *s)
{
	unsigned used;

	term_fit(s, UINT32_MAX, &used);
	return used;
}

/* Clean text that takes `columns`, in its colour. */
static void put(struct term *t, enum paint paint, const char *s, size_t n, unsigned columns)
{
	bool painted = t->color && paint != PAINT_PLAIN && n > 0;

	if (painted)
		buf_str(t->out, paint_codes[paint]);
	buf_add(t->out, s, n);
	if (painted)
		buf_str(t->out, "\033[0m");
	t->col += columns;
}

void term_text(struct term *t, enum paint paint, const char *s)
{
	s = term_clean(t->arena, s, t->ascii);
	put(t, paint, s, strlen(s), term_columns(s));
}

void term_printf(struct term *t, enum paint paint, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	term_text(t, paint, arena_vprintf(t->arena, fmt, ap));
	va_end(ap);
}

void term_cut(struct term *t, enum paint paint, const char *s, unsigned columns)
{
	unsigned used;
	size_t n;

	s = term_clean(t->arena, s, t->ascii);
	n = term_fit(s, columns, &used);
	if (s[n] && columns > 0)
		n = term_fit(s, columns - 1, &used);
	put(t, paint, s, n, used);
	if (s[n] && columns > 0)
		term_glyph(t, paint, GLYPH_ELLIPSIS, 1);
}

void term_pad(struct term *t, unsigned col)
{
	if (t->col >= col)
		return;
	buf_repeat(t->out, ' ', col - t->col);
	t->col = col;
}

void term_glyph(struct term *t, enum paint paint, enum glyph g, unsigned n)
{
	const char *s = t->ascii ? glyphs[g].ascii : glyphs[g].utf8;

	if (n == 0)
		return;
	if (t->color && paint != PAINT_PLAIN)
		buf_str(t->out, paint_codes[paint]);
	for (unsigned i = 0; i < n; i++)
		buf_str(t->out, s);
	if (t->color && paint != PAINT_PLAIN)
		buf_str(t->out, "\033[0m");
	t->col += n;
}

void term_newline(struct term *t)
{
	buf_char(t->out, '\n');
	t->col = 0;
}

/* Room left on the line; at least one column, so that flowing text always gets on. */
static unsigned room(const struct term *t)
{
	if (t->width == 0)
		return UINT32_MAX - t->col;
	return t->width > t->col ? t->width - t->col : 0;
}

/* One word of `n` bytes: on this line, on the next, or broken over several. */
static void flow_word(struct term *t, unsigned indent, const char *p, size_t n, bool blank)
{
	const char *word = arena_copy(t->arena, (struct slice){ p, n });
	unsigned columns = term_columns(word), used;

	if (columns + blank > room(t) && t->col > indent && columns <= t->width - indent) {
		term_newline(t);
		term_pad(t, indent);
		blank = false;
	}
	if (blank && room(t) > 1)
		put(t, PAINT_PLAIN, " ", 1, 1);
	while (*word) {
		size_t fits = term_fit(word, room(t), &used);

		if (fits == 0 && t->col <= indent)
			fits = strlen(word);	/* a line too narrow for one character */
		put(t, PAINT_PLAIN, word, fits, used);
		word += fits;
		if (*word) {
			term_newline(t);
			term_pad(t, indent);
		}
	}
}

void term_flow(struct term *t, unsigned indent, const char *s)
{
	bool blank = false;

	if (t->width && indent > t->width / 2)
		indent = t->width / 2;
	s = term_clean(t->arena, s, t->ascii);
	while (*s) {
		size_t n = strcspn(s, " ");

		if (n)
			flow_word(t, indent, s, n, blank);
		s += n;
		blank = *s == ' ' && t->col > indent;
		s += strspn(s, " ");
	}
}

void term_flowf(struct term *t, unsigned indent, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	term_flow(t, indent, arena_vprintf(t->arena, fmt, ap));
	va_end(ap);
}

void term_line(struct term *t, unsigned indent, const char *fmt, ...)
{
	va_list ap;

	term_pad(t, indent);
	va_start(ap, fmt);
	term_flow(t, indent, arena_vprintf(t->arena, fmt, ap));
	va_end(ap);
	term_newline(t);
}
