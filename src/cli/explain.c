/*
 * Documents made of the checks' own texts, so that they cannot differ from the program: Markdown
 * for docs/checks.md, mdoc for man/twcscheck-checks.7. `make docs` writes them, a test compares.
 *
 * A check's explanation is paragraphs parted by empty lines; all but the first begin with a word or
 * two and a colon ("Thresholds:", "Remedies, safest first:"), which documents set apart.
 */
#include "cli/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/slice.h"

const char *explain_class(const struct check *c)
{
	return c->cls == CLASS_STATE ? "state" : "design";
}

const char *explain_scope(const struct check *c)
{
	switch (c->scope) {
	case SCOPE_TABLE: return "each table on each node";
	case SCOPE_NODE: return "each node";
	case SCOPE_CLUSTER: break;
	}
	return "the cluster";
}

/* Length of a paragraph's heading with its colon; 0 = it has none. */
static size_t heading(struct slice paragraph)
{
	static const char *const words[] = { "Thresholds", "Normal", "Confirm", "Remed",
					     "Versions" };
	size_t n = slice_find(paragraph, ':');

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (slice_starts(paragraph, slice_of(words[i])) && n < 40)
			return n + 1;
	return 0;
}

/* Paragraph by paragraph; a single line break inside one is a blank. */
static bool next_paragraph(struct slice *rest, struct slice *out)
{
	const char *end;

	while (rest->n && rest->p[0] == '\n')
		*rest = slice_from(*rest, 1);
	if (!rest->n)
		return false;
	end = strstr(rest->p, "\n\n");
	*out = (struct slice){ rest->p, end ? (size_t)(end - rest->p) : rest->n };
	*rest = slice_from(*rest, out->n);
	return true;
}

enum { TITLE_ROOM = 160 };

/* "Expired windows that cannot be dropped." */
static struct slice title_sentence(const struct check *c, char room[TITLE_ROOM])
{
	snprintf(room, TITLE_ROOM, "%s.", c->title);
	if (room[0] >= 'a' && room[0] <= 'z' && room[1] >= 'a' && room[1] <= 'z')
		room[0] = (char)(room[0] - 'a' + 'A');
	return slice_of(room);
}

static const char *range_or(const char *range, const char *none)
{
	return range ? range : none;
}

/* ---- Markdown ---- */

static void put_markdown(struct buf *out, struct slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (strchr("*_<>|`", s.p[i]))
			buf_char(out, '\\');
		buf_char(out, s.p[i] == '\n' ? ' ' : s.p[i]);
	}
}

static void markdown_params(struct buf *out, const struct check *c)
{
	if (!c->params)
		return;
	buf_str(out, "\n| parameter | warning | critical | |\n| --- | --- | --- | --- |\n");
	for (const struct check_param *p = c->params; p->name; p++) {
		buf_printf(out, "| `%s` | %s%s%s | %s%s%s | ", p->name, p->warn ? "`" : "",
			   range_or(p->warn, ""), p->warn ? "`" : "", p->crit ? "`" : "",
			   range_or(p->crit, ""), p->crit ? "`" : "");
		put_markdown(out, slice_of(p->help));
		buf_str(out, " |\n");
	}
}

static void markdown_check(struct buf *out, const struct check *c)
{
	struct slice rest = slice_of(c->explain), paragraph;
	char title[TITLE_ROOM];

	buf_printf(out, "\n## %s\n\n", c->id);
	put_markdown(out, title_sentence(c, title));
	buf_printf(out, " Class %s, judged for %s.\n", explain_class(c), explain_scope(c));
	markdown_params(out, c);
	while (next_paragraph(&rest, &paragraph)) {
		size_t n = heading(paragraph);

		buf_char(out, '\n');
		if (n) {
			buf_str(out, "**");
			put_markdown(out, (struct slice){ paragraph.p, n });
			buf_str(out, "**");
		}
		put_markdown(out, slice_from(paragraph, n));
		buf_char(out, '\n');
	}
}

void explain_markdown(struct buf *out)
{
	buf_str(out,
		"<!-- Written by `make docs` from the checks' own texts: change those. -->\n"
		"# The checks\n\n"
		"What each check means, its thresholds and where they come from, what is "
		"normal, how to confirm\n"
		"it, and what to do. `twcscheck explain CHECK` prints the same. Ranges "
		"are those of monitoring\n"
		"plugins; `-w CHECK.PARAMETER=RANGE` and `-c` set them, without PARAMETER "
		"the first one.\n\n");
	for (size_t i = 0; check_table[i]; i++) {
		buf_printf(out, "- [%s](#%s): ", check_table[i]->id, check_table[i]->id);
		put_markdown(out, slice_of(check_table[i]->title));
		buf_char(out, '\n');
	}
	for (size_t i = 0; check_table[i]; i++)
		markdown_check(out, check_table[i]);
}

/* ---- mdoc ---- */

static const char *mdoc_form(char c)
{
	switch (c) {
	case '\\': return "\\e";
	case '-': return "\\-";
	case '\'': return "\\(aq";
	case '`': return "\\(ga";
	case '~': return "\\(ti";
	case '^': return "\\(ha";
	default: return NULL;
	}
}

/*
 * Text lines, a sentence each: that is how manuals are written, and what mandoc's lint asks for.
 * The last one has no end of line yet; false when there is no last one.
 */
static bool put_mdoc_text(struct buf *out, struct slice s)
{
	bool start = true;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool ends = i > 1 && (s.p[i - 1] == '.' || s.p[i - 1] == ':') && s.p[i - 2] != '.';
		const char *form = mdoc_form(c);

		if ((c == ' ' || c == '\n') && start)
			continue;
		if ((c == ' ' || c == '\n') && ends) {
			buf_char(out, '\n');
			start = true;
			continue;
		}
		if (start && (c == '.' || c == '\''))
			buf_str(out, "\\&");
		start = false;
		if (form)
			buf_str(out, form);
		else
			buf_char(out, c == '\n' ? ' ' : c);
	}
	return !start;
}

static void put_mdoc(struct buf *out, struct slice s)
{
	if (put_mdoc_text(out, s))
		buf_char(out, '\n');
}

static void mdoc_params(struct buf *out, const struct check *c)
{
	if (!c->params)
		return;
	buf_str(out, ".Bl -tag -width Ds\n");
	for (const struct check_param *p = c->params; p->name; p++) {
		buf_str(out, ".It Cm ");
		put_mdoc(out, slice_of(p->name));
		put_mdoc(out, slice_of(p->help));
		if (p->warn || p->crit)
			buf_str(out, ".br\n");
		if (p->warn)
			buf_printf(out, "Warning: %s.\n", p->warn);
		if (p->crit)
			buf_printf(out, "Critical: %s.\n", p->crit);
	}
	buf_str(out, ".El\n");
}

static void mdoc_check(struct buf *out, const struct check *c)
{
	struct slice rest = slice_of(c->explain), paragraph;
	char title[TITLE_ROOM];

	buf_str(out, ".Ss ");
	put_mdoc(out, slice_of(c->id));
	put_mdoc(out, title_sentence(c, title));
	buf_printf(out, "Class %s, judged for %s.\n", explain_class(c), explain_scope(c));
	mdoc_params(out, c);
	while (next_paragraph(&rest, &paragraph)) {
		size_t n = heading(paragraph);

		buf_str(out, ".Pp\n");
		if (n) {
			buf_str(out, ".Em ");
			put_mdoc_text(out, (struct slice){ paragraph.p, n - 1 });
			buf_str(out, " :\n");
		}
		put_mdoc(out, slice_from(paragraph, n));
	}
}

void explain_man(struct buf *out)
{
	buf_str(out,
		".\\\" Written by `make docs` from the checks' own texts: change those.\n"
		".Dd November 30, 2026\n.Dt TWCSCHECK-CHECKS 7\n.Os\n.Sh NAME\n.Nm "
		"twcscheck-checks\n"
		".Nd what each check of twcscheck means, and what to do\n.Sh DESCRIPTION\n"
		"What each check means, its thresholds and where they come from, what is "
		"normal, how to\n"
		"confirm it, and what to do.\n.Nm twcscheck Cm explain Ar check\nprints "
		"the same.\n.Pp\n"
		"Ranges are those of monitoring plugins, see\n.Xr twcscheck 1 .\n"
		"Options\n.Fl w Ar check Ns \\&. Ns Ar parameter Ns = Ns Ar range\nand\n.Fl "
		"c\nset them; without\n"
		".Ar parameter\nthe first one.\n.Sh CHECKS\n");
	for (size_t i = 0; check_table[i]; i++)
		mdoc_check(out, check_table[i]);
	buf_str(out, ".Sh SEE ALSO\n.Xr twcscheck 1\n");
}
