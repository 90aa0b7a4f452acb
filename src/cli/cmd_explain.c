/* explain: what a check means, where its thresholds come from, what to do. */
#include <stdio.h>
#include <string.h>

#include "base/slice.h"
#include "cli/cli.h"
#include "cli/explain.h"

/* Columns of UTF-8 text without wide characters: what our own texts are made of. */
static size_t columns(struct slice s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

static void print_wrapped(struct buf *out, const char *text, size_t width)
{
	struct lines it = lines_of(slice_of(text));
	struct slice line, word;

	while (lines_next(&it, &line)) {
		size_t at = 0;

		while (slice_word(&line, &word)) {
			if (at && at + 1 + columns(word) > width) {
				buf_char(out, '\n');
				at = 0;
			}
			if (at) {
				buf_char(out, ' ');
				at++;
			}
			buf_add(out, word.p, word.n);
			at += columns(word);
		}
		buf_char(out, '\n');
	}
}

static const char *range_text(const char *range)
{
	return range ? range : "-";
}

static void explain_check(struct buf *out, const struct check *c, size_t width)
{
	buf_printf(out, "%s: %s\n", c->id, c->title);
	buf_printf(out, "class %s, judged for %s\n\n", explain_class(c), explain_scope(c));
	if (c->params) {
		buf_printf(out, "%-12s %-10s %-10s\n", "parameter", "warning", "critical");
		for (const struct check_param *p = c->params; p->name; p++)
			buf_printf(out, "%-12s %-10s %-10s %s\n", p->name, range_text(p->warn),
				   range_text(p->crit), p->help);
		buf_char(out, '\n');
	}
	print_wrapped(out, c->explain, width);
}

static void list_checks(struct buf *out)
{
	for (size_t i = 0; check_table[i]; i++)
		buf_printf(out, "%-22s %-7s %s\n", check_table[i]->id,
			   explain_class(check_table[i]), check_table[i]->title);
	buf_str(out,
		"\ntwcscheck explain CHECK tells what one means, its thresholds, and what to do\n");
}

/* Every check, as if it had been named. */
static void add_all(struct run_options *o)
{
	o->arguments.n = 0;
	for (size_t i = 0; check_table[i]; i++)
		*vec_add(o->arena, &o->arguments) = check_table[i]->id;
}

int cmd_explain(struct run_options *o, const struct cli_command *self)
{
	size_t columns_there = terminal_width();
	size_t width = columns_there && columns_there < 100 ? columns_there : 100;
	struct err err = { 0 };
	struct output out;

	(void)self;
	if (o->document && (o->arguments.n || !o->all)) {
		err_set(o->arena, &err, ERR_USAGE, "--format", 0,
			"%s is of all checks together; hint: explain --all --format %s",
			o->document, o->document);
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	if (o->all && !o->document)
		add_all(o);
	for (size_t i = 0; i < o->arguments.n; i++)
		*vec_add(o->arena, &o->checks.only) = o->arguments.v[i];
	if (!run_checks_validate(o->arena, &o->checks, &err) ||
	    !output_open(o->arena, &out, o->output, &err)) {
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	if (o->document && strcmp(o->document, "man") == 0)
		explain_man(&out.buf);
	else if (o->document)
		explain_markdown(&out.buf);
	else if (!o->arguments.n)
		list_checks(&out.buf);
	for (size_t i = 0; i < o->arguments.n; i++) {
		if (i)
			buf_char(&out.buf, '\n');
		explain_check(&out.buf, check_find(o->arguments.v[i]), width);
	}
	if (!output_close(o->arena, &out, &err)) {
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	return EXIT_OK;
}
