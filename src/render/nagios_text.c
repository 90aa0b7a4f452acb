/* Words of the plugin's output: harmless, short, with the object named once. */
#include "render/nagios.h"

#include <string.h>

#include "base/slice.h"
#include "render/json_write.h"

/* ---- harmless ---- */

/* Typographic characters of our own texts, and what stands for them. */
static const char *ascii_form(const char *p, size_t n)
{
	static const struct { const char *utf8, *ascii;
	} forms[] = {
		{ "…", "..." },	    { "→", "-" }, { "÷", "/" }, { "×", "x" },
		{ "≥", "at least" },
		{ "≤", "at most" }, { "–", "-" }, { "—", "-" }, { "µ", "u" }, { "\u00a0", " " },
	};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (strlen(forms[i].utf8) == n && memcmp(forms[i].utf8, p, n) == 0)
			return forms[i].ascii;
	return "?";
}

/* What stands for an ASCII character; 0 = nothing at all. */
static char harmless(unsigned char c, bool line1)
{
	if (c < 0x20 || c == 0x7f)
		return ' ';
	switch (c) {
	case '|': case '\\':
		return '/';
	case '<':
		return '(';
	case '>':
		return ')';
	case '`': case '\'': case '"':
		return line1 ? 0 : '\'';
	case ';':	/* Nagios makes a colon of it, on line 1 */
		return line1 ? ',' : (char)c;
	case '$': case '~': case '&':
		return '_';
	default:
		return (char)c;
	}
}

/* "!" ends an argument of a Nagios command and "=" is perfdata's: harmless in text, left alone. */
const char *alert_clean(struct arena *a, const char *s, bool line1)
{
	struct slice rest = slice_of(s ? s : "");
	char *out = arena_alloc(a, 3 * rest.n + 1), *p = out;
	size_t bad;

	while (rest.n) {
		size_t n = utf8_length(rest, &bad);
		const char *form = "?";
		char one[2] = { 0 };

		if (n == 1) {
			one[0] = harmless((unsigned char)rest.p[0], line1);
			form = one;
		} else if (n) {
			form = ascii_form(rest.p, n);
		}
		/* Control characters often come in pairs: one blank stands for all of them. */
		if (!(form[0] == ' ' && !form[1] && (p == out || p[-1] == ' '))) {
			memcpy(p, form, strlen(form));
			p += strlen(form);
		}
		rest = slice_from(rest, n ? n : bad);
	}
	while (p > out && p[-1] == ' ')
		p--;
	*p = '\0';
	return out;
}

const char *alert_state(enum severity s)
{
	static const char *const words[] = { "OK", "UNKNOWN", "WARNING", "CRITICAL" };

	return words[s];
}

/* ---- the object ---- */

static const char *without(struct arena *a, const char *s, const char *at, size_t n)
{
	return arena_printf(a, "%.*s%s", (int)(at - s), s, at + n);
}

/* Where `part` stands in `s` as a whole name; NULL = nowhere. */
static const char *find_name(const char *s, const char *part)
{
	size_t n = strlen(part);

	for (const char *at = strstr(s, part); at && n; at = strstr(at + 1, part))
		if (!at[n] || strchr(" ,;:)", at[n]))
			return at;
	return NULL;
}

/* "40 pending compactions on cass-01" of a node that is named before it. */
static const char *without_node(struct arena *a, const char *summary, const struct node *n)
{
	const char *on = n ? arena_printf(a, " on %s", n->name) : "";
	const char *at = n ? find_name(summary, on) : NULL;

	return at ? without(a, summary, at, strlen(on)) : summary;
}

const char *alert_fact(struct arena *a, const struct finding *f, const char *summary,
		       const char *object)
{
	const char *at, *name = f->table ? f->table->full_name : NULL;
	size_t n = name ? strlen(name) : 0;

	if (!name)
		return *object ? without_node(a, summary, f->node) : summary;
	at = find_name(summary, arena_printf(a, " of %s", name));
	if (at)
		return without(a, summary, at, n + 4);
	if (find_name(summary, name) == summary) {
		summary += n + (summary[n] == ':');
		return summary + strspn(summary, " ");
	}
	return summary;
}

const char *alert_nodes(struct alert *al, const struct alert_entry *e)
{
	const struct node *last = NULL;
	const char *list = "";
	size_t named = 0;

	for (size_t i = 0; i < e->n && named < 4; i++) {
		const struct node *n = e->members[i]->node;

		if (!n || n == last)
			continue;
		list = arena_printf(al->a, "%s%s%s", list, named++ ? ", " : "", n->name);
		last = n;
	}
	if (e->n_nodes > named)
		list = arena_printf(al->a, "%s and %zu more", list, e->n_nodes - named);
	return list;
}

bool alert_tells_node(const struct alert_entry *e)
{
	const struct finding *f = e->worst;
	const char *at = f->node ? find_name(f->summary, f->node->name) : NULL;

	if (!at || f->table || f->missing_evidence || e->n_nodes > 1)
		return false;
	return at == f->summary || at[-1] == ' ';
}

/* "cass-01"; for many "3 nodes", or where what is said is one node's: "cass-01 and 2 more "
								       "nodes". */
static const char *node_words(struct alert *al, const struct alert_entry *e)
{
	const struct node *n = e->worst->node;

	if (!n)
		return "";
	if (e->n_nodes < 2)
		return n->name;
	if (e->same)
		return arena_printf(al->a, "%zu nodes", e->n_nodes);
	return arena_printf(al->a, "%s and %zu more node%s", n->name, e->n_nodes - 1,
			    e->n_nodes == 2 ? "" : "s");
}

const char *alert_object(struct alert *al, const struct alert_entry *e, bool with_nodes)
{
	const struct finding *f = e->worst;
	const char *nodes = node_words(al, e);

	if (f->table)
		return with_nodes && *nodes
			       ? arena_printf(al->a, "%s on %s", f->table->full_name, nodes)
			       : f->table->full_name;
	if (alert_tells_node(e))
		return "";
	return nodes;
}

/* ---- fewer words ---- */

/* "2026-12-28", and with `minutes` a time of day behind it. */
static size_t match_date(const char *s, bool minutes)
{
	static const char form[] = "0000-00-00 00:00";
	size_t n = 0;

	while (form[n] && (form[n] == '0' ? s[n] >= '0' && s[n] <= '9' : s[n] == form[n]))
		n++;
	return n >= 16 && minutes ? 16 : n >= 10 ? 10 : 0;
}

/*
 * Length of what fits `pattern` at the start of s; 0 = it does not. In a pattern D is a date, N a
 * number, P anything up to a closing bracket.
 */
static size_t match(const char *s, const char *pattern)
{
	const char *start = s;

	for (; *pattern; pattern++) {
		size_t n = *s == *pattern;

		if (*pattern == 'D')
			n = match_date(s, true);
		else if (*pattern == 'N')
			n = strspn(s, "0123456789.");
		else if (*pattern == 'P')
			n = strcspn(s, ")");
		if (!n)
			return 0;
		s += n;
	}
	return (size_t)(s - start);
}

static const char *drop(struct arena *a, const char *s, const char *pattern)
{
	for (const char *at = s; *at; at++) {
		size_t n = match(at, pattern);

		if (n)
			return without(a, s, at, n);
	}
	return s;
}

static const char *drop_times(struct arena *a, const char *s)
{
	for (const char *at = s; *at; at++)
		if (match_date(at, true) == 16)
			return drop_times(a, without(a, s, at + 10, 6));
	return s;
}

/* A long path keeps its last part: ".../tablestats.txt". */
static const char *shorten_paths(struct arena *a, const char *s)
{
	struct slice rest = slice_of(s), word;
	const char *out = "";

	while (slice_word(&rest, &word)) {
		size_t slash = slice_rfind(word, '/');

		if (word.n > 24 && slash < word.n && slash > 3)
			out = arena_printf(a, "%s%s...%.*s", out, *out ? " " : "",
					   (int)(word.n - slash), word.p + slash);
		else
			out = arena_printf(a, "%s%s%.*s", out, *out ? " " : "", (int)word.n,
					   word.p);
	}
	return out;
}

/* ", the oldest since 2026-11-25 (5.0 d)" becomes " since 2026-11-25". */
static const char *shorten_since(struct arena *a, const char *s)
{
	const char *at = strstr(s, ", the oldest");
	size_t n = at ? match(at, ", the oldest since D (P)") : 0;

	if (!n)
		return s;
	return arena_printf(a, "%.*s since %.10s%s", (int)(at - s), s,
			    at + strlen(", the oldest since "), at + n);
}

/* Whether an id such as "3h5o_1faj_3t6a22v1fed9yidpo4" begins here: day, second, rest, base 36. */
static bool is_uuid_id(const char *s)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

	return strspn(s, digits) == 4 && s[4] == '_' && strspn(s + 5, digits) == 4 &&
	       s[9] == '_' && strspn(s + 10, digits) == 18;
}

/* "oa-3h5o_1faj_3t6a22v1fed9yidpo4-big" becomes "oa-3h5o_1faj_...-big": when it was made stays. */
static const char *shorten_ids(struct arena *a, const char *s)
{
	for (const char *at = strchr(s, '-'); at; at = strchr(at + 1, '-'))
		if (is_uuid_id(at + 1))
			return shorten_ids(a, arena_printf(a, "%.*s...%s", (int)(at + 11 - s), s,
							   at + 29));
	return s;
}

const char *alert_shorten(struct arena *a, const char *fact, unsigned level)
{
	if (level >= 1)
		fact = drop_times(a, fact);
	if (level >= 2) {
		fact = drop(a, fact, ", N %");
		fact = drop(a, fact, ", from D on");
		fact = shorten_since(a, fact);
		fact = shorten_paths(a, fact);
	}
	if (level >= 3) {
		fact = drop(a, fact, " (N P)");
		fact = drop(a, fact, ", last about D");
		fact = shorten_ids(a, fact);
	}
	if (level >= 4)
		fact = drop(a, fact, "expired ");
	if (level >= 5) {	/* last: the end decides between sleeping and acting */
		fact = drop(a, fact, " until D");
		fact = drop(a, fact, " since D");
	}
	return fact;
}

const char *alert_cut(struct arena *a, const char *s, size_t max)
{
	size_t n = max > 3 ? max - 3 : 0;

	if (strlen(s) <= max)
		return s;
	for (size_t k = n; k > n / 2; k--) {
		if (s[k] == ' ') {
			n = k;
			break;
		}
	}
	while (n && strchr(" ,;:(", s[n - 1]))
		n--;
	return arena_printf(a, "%.*s...", (int)n, s);
}
