/* Columns, cleaning, wrapping and tables of src/render/term.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "render/term.h"

struct sheet {
	struct term t;
	struct buf b;
	struct arena *a;
};

static void sheet_open(struct sheet *s, unsigned width, bool color, bool ascii)
{
	s->a = arena_create();
	buf_init(&s->b, 1 << 20);
	s->t = (struct term){
		.out = &s->b,
		.arena = s->a,
		.width = width,
		.color = color,
		.ascii = ascii,
	};
}

static const char *sheet_text(struct sheet *s)
{
	return arena_copy(s->a, (struct slice){ s->b.p, s->b.n });
}

static void sheet_close(struct sheet *s)
{
	buf_free(&s->b);
	arena_destroy(s->a);
}

static void assert_text(const char *name, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_msg("%s:\n%s\ninstead of\n%s", name, got, want);
}

static void clean_makes_harmless(void **state)
{
	static const struct {
		const char *name, *in, *utf8, *ascii;
	} cases[] = {
		{ "plain", "nb-1-big", "nb-1-big", "nb-1-big" },
		{ "null", NULL, "", "" },
		{ "escape sequence", "a\033[31mb", "a\\x1b[31mb", "a\\x1b[31mb" },
		{ "newline, tab, cr", "a\nb\tc\r", "a\\x0ab\\x09c\\x0d", "a\\x0ab\\x09c\\x0d" },
		{ "delete", "a\x7f", "a\\x7f", "a\\x7f" },
		{ "C1 control",
		  "a\xc2\x9b"
		  "31m",
		  "a?31m", "a?31m" },
		{ "umlaut", "M\xc3\xbcller", "M\xc3\xbcller", "M?ller" },
		{ "lone continuation", "a\x80z", "a?z", "a?z" },
		{ "cut sequence", "a\xe2\x82", "a??", "a??" },
		{ "overlong slash", "\xc0\xaf", "??", "??" },
		{ "surrogate", "\xed\xa0\x80", "???", "???" },
		{ "beyond unicode", "\xf4\x90\x80\x80", "????", "????" },
		{ "right to left override", "a\xe2\x80\xaez", "a?z", "a?z" },
		{ "zero width space", "a\xe2\x80\x8bz", "a?z", "a?z" },
		{ "byte order mark",
		  "\xef\xbb\xbf"
		  "a",
		  "?a", "?a" },
		{ "typography", "\xe2\x80\xa6 \xc3\x97 \xe2\x89\xa5 \xe2\x86\x92",
		  "\xe2\x80\xa6 \xc3\x97 \xe2\x89\xa5 \xe2\x86\x92", "... x >= ->" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_text(cases[i].name, term_clean(a, cases[i].in, false), cases[i].utf8);
		assert_text(cases[i].name, term_clean(a, cases[i].in, true), cases[i].ascii);
	}
	arena_destroy(a);
}

static void columns_are_counted(void **state)
{
	static const struct {
		const char *name, *text;
		unsigned columns;
	} cases[] = {
		{ "empty", "", 0 },
		{ "ascii", "abc", 3 },
		{ "umlaut", "\xc3\xbc", 1 },
		{ "combining", "u\xcc\x88", 1 },
		{ "wide", "\xe6\x97\xa5\xe6\x9c\xac", 4 },
		{ "emoji", "\xf0\x9f\x98\x80", 2 },
		{ "bar", "\xe2\x96\x88\xe2\x96\x88", 2 },
		{ "hangul", "\xea\xb0\x80", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (term_columns(cases[i].text) != cases[i].columns)
			fail_msg("%s: %u", cases[i].name, term_columns(cases[i].text));
	}
}

static void fit_never_splits_a_character(void **state)
{
	unsigned used;

	(void)state;
	assert_int_equal(term_fit("\xe6\x97\xa5\xe6\x9c\xac", 3, &used), 3);
	assert_int_equal(used, 2);
	assert_int_equal(term_fit("u\xcc\x88x", 1, &used), 3);
	assert_int_equal(used, 1);
	assert_int_equal(term_fit("abc", 0, &used), 0);
}

static void text_is_wrapped(void **state)
{
	static const struct {
		const char *name;
		unsigned width, indent;
		const char *in, *want;
	} cases[] = {
		{ "fits", 20, 2, "one two", "  one two\n" },
		{ "exactly", 9, 2, "one two", "  one two\n" },
		{ "breaks", 8, 2, "one two", "  one\n  two\n" },
		{ "blanks collapse at the break", 8, 2, "one   two", "  one\n  two\n" },
		{ "long word is broken", 8, 2, "abcdefghij kl", "  abcdef\n  ghij\n  kl\n" },
		{ "long word after a short one", 8, 2, "ab cdefghijkl",
		  "  ab cde\n  fghijk\n  l\n" },
		{ "no width", 0, 2, "one two three four five six seven eight nine ten",
		  "  one two three four five six seven eight nine ten\n" },
		{ "wide characters", 7, 0, "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x9c\xac",
		  "\xe6\x97\xa5\xe6\x9c\xac\n\xe6\x97\xa5\xe6\x9c\xac\n" },
		{ "newline does not end a line", 40, 0, "a\nb", "a\\x0ab\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sheet s;

		sheet_open(&s, cases[i].width, false, false);
		term_line(&s.t, cases[i].indent, "%s", cases[i].in);
		assert_text(cases[i].name, sheet_text(&s), cases[i].want);
		sheet_close(&s);
	}
}

static void text_flows_on(void **state)
{
	struct sheet s;

	(void)state;
	sheet_open(&s, 16, false, false);
	term_text(&s.t, PAINT_PLAIN, "CRITICAL");
	term_flow(&s.t, 2, ": one two three");
	term_newline(&s.t);
	assert_text("after a tag", sheet_text(&s), "CRITICAL: one\n  two three\n");
	sheet_close(&s);
}

static void cut_ends_in_ellipsis(void **state)
{
	static const struct {
		const char *name, *in;
		unsigned columns;
		const char *utf8, *ascii;
	} cases[] = {
		{ "fits", "abc", 3, "abc", "abc" },
		{ "cut", "abcd", 3, "ab\xe2\x80\xa6", "ab~" },
		{ "one column", "abcd", 1, "\xe2\x80\xa6", "~" },
		{ "none", "abcd", 0, "", "" },
		{ "wide", "\xe6\x97\xa5\xe6\x9c\xac", 3, "\xe6\x97\xa5\xe2\x80\xa6", "??" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (int ascii = 0; ascii < 2; ascii++) {
			struct sheet s;

			sheet_open(&s, 80, false, ascii);
			term_cut(&s.t, PAINT_PLAIN, cases[i].in, cases[i].columns);
			assert_true(s.t.col <= cases[i].columns);
			assert_text(cases[i].name, sheet_text(&s),
				    ascii ? cases[i].ascii : cases[i].utf8);
			sheet_close(&s);
		}
	}
}

static void colour_only_when_asked(void **state)
{
	struct sheet s;

	(void)state;
	for (int color = 0; color < 2; color++) {
		sheet_open(&s, 80, color, true);
		term_text(&s.t, PAINT_CRITICAL, "CRITICAL\033[0m");
		term_text(&s.t, PAINT_PLAIN, " x");
		term_glyph(&s.t, PAINT_GOOD, GLYPH_BAR, 2);
		assert_int_equal(s.t.col, 8 + 4 + 3 + 2 + 2);
		assert_text("colour", sheet_text(&s),
			    color ? "\033[1;31mCRITICAL\\x1b[0m\033[0m x\033[32m==\033[0m"
				  : "CRITICAL\\x1b[0m x==");
		sheet_close(&s);
	}
}

static void fill_table(struct arena *a, struct term_table *tab)
{
	struct term_row *r;

	*tab = (struct term_table){
		.n_columns = 4,
		.columns = {
			{ .title = "table", .flexible = true }, { .title = "n", .right = true },
			{ .title = "size", .right = true, .drop = 1 },
			{ .title = "nodes", .right = true, .drop = 2 },
		},
	};
	r = term_table_row(a, tab);
	r->cells[0].text = "metrics.readings";
	r->cells[1].text = "7";
	r->cells[2].text = "1.2 GiB";
	r->cells[3].text = "3";
	r = term_table_row(a, tab);
	r->cells[0].text = "a.b";
	r->cells[1].text = "1234";
	r->cells[2].text = "5 B";
	r = term_table_row(a, tab);
	r->across = "and more";
}

static void table_is_laid_out(void **state)
{
	static const struct {
		const char *name;
		unsigned width;
		const char *want;
	} cases[] = {
		{ "all", 80,
		  "table                n     size  nodes\n"
		  "metrics.readings     7  1.2 GiB      3\n"
		  "a.b               1234      5 B\n"
		  "and more\n" },
		{ "no width", 0,
		  "table                n     size  nodes\n"
		  "metrics.readings     7  1.2 GiB      3\n"
		  "a.b               1234      5 B\n"
		  "and more\n" },
		{ "last one is left out", 34,
		  "table                n     size\n"
		  "metrics.readings     7  1.2 GiB\n"
		  "a.b               1234      5 B\n"
		  "and more\n" },
		{ "two are left out, name is cut", 16,
		  "table         n\n"
		  "metrics.~     7\n"
		  "a.b        1234\n"
		  "and more\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct term_table tab;
		struct sheet s;

		sheet_open(&s, cases[i].width, false, true);
		fill_table(s.a, &tab);
		term_table_print(&s.t, 0, &tab);
		assert_text(cases[i].name, sheet_text(&s), cases[i].want);
		sheet_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_makes_harmless),
		cmocka_unit_test(columns_are_counted),
		cmocka_unit_test(fit_never_splits_a_character),
		cmocka_unit_test(text_is_wrapped),
		cmocka_unit_test(text_flows_on),
		cmocka_unit_test(cut_ends_in_ellipsis),
		cmocka_unit_test(colour_only_when_asked),
		cmocka_unit_test(table_is_laid_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
