/*
 * The check page: for somebody woken at night. The verdict first, then the findings worst first,
 * the same finding on many nodes or tables told once, then every table on a line, then what to
 * type next. One screen unless -v asks for all.
 */
#include "render/human.h"

#include <stdlib.h>
#include <string.h>

enum {
	ENTRIES_MAX = 3,	/* told in full; -v: all */
	SHORT_MAX = 8,		/* after them, and below the worst severity: in one line */
	ALIKE_MAX = 2,		/* more tables with the same finding: a line each, then names */
	NODES_MAX = 4,		/* named in a line; more are counted as well */
	TABLES_MAX = 3,
	TEXT_COLUMN = 10,	/* where texts start */
};

/* The findings of one check and severity about one table, from one or many nodes. */
struct entry {
	const struct finding **members;
	size_t n;
	size_t first;		/* position of the first one in the report */
	size_t alike_before, alike;	/* entries of the same check and severity */
	bool last_shown_alike;	/* names the tables of those that are left out */
};

struct numbered { const struct finding *f; size_t at; };

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* What makes findings one entry: the table, or the reason where evidence is missing. */
static const char *entry_subject(const struct finding *f)
{
	if (f->missing_evidence)
		return or_empty(f->summary);
	return f->table ? f->table->full_name : "";
}

/* By what the page says of them; NULL first. */
static int compare_silences(const struct silence *a, const struct silence *b)
{
	int c;

	if (!a || !b)
		return (a != NULL) - (b != NULL);
	c = strcmp(a->until, b->until);
	return c ? c : strcmp(a->reason, b->reason);
}

static int compare_kind(const struct finding *a, const struct finding *b)
{
	int c;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->missing_evidence != b->missing_evidence)
		return a->missing_evidence ? 1 : -1;
	c = a->missing_evidence ? 0 : strcmp(finding_check_id(a), finding_check_id(b));
	return c ? c : compare_silences(a->silenced, b->silenced);
}

static int compare_numbered(const void *pa, const void *pb)
{
	const struct numbered *a = pa, *b = pb;
	int c = compare_kind(a->f, b->f);

	if (!c)
		c = strcmp(entry_subject(a->f), entry_subject(b->f));
	return c ? c : (a->at > b->at) - (a->at < b->at);
}

static size_t check_position(const struct check *c)
{
	size_t i = 0;

	while (check_table[i] && check_table[i] != c)
		i++;
	return i;
}

/* Worst first, then by check: the page tells a check's tables together; evidence comes last. */
static int compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	const struct finding *fa = a->members[0], *fb = b->members[0];
	size_t ca = check_position(fa->check), cb = check_position(fb->check);

	if (fa->severity != fb->severity)
		return fa->severity > fb->severity ? -1 : 1;
	if (fa->missing_evidence != fb->missing_evidence)
		return fa->missing_evidence ? 1 : -1;
	if (ca != cb && !fa->missing_evidence)
		return ca < cb ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

struct entries { VEC(struct entry) list; };

/* Counts the entries of the same check and severity; they lie side by side here. */
static void count_alike(struct entries *e)
{
	size_t start = 0;

	for (size_t i = 1; i <= e->list.n; i++) {
		if (i < e->list.n && compare_kind(e->list.v[i].members[0],
						  e->list.v[start].members[0]) == 0)
			continue;
		for (size_t k = start; k < i; k++)
			e->list.v[k].alike = i - start;
		start = i;
	}
}

/* After sorting as the page goes: which of its kind is each entry. */
static void number_alike(struct entries *e)
{
	for (size_t i = 0; i < e->list.n; i++) {
		struct entry *x = &e->list.v[i];

		if (x->alike < 2)
			continue;
		for (size_t k = i; k-- > 0 && x->alike_before == 0;) {
			if (compare_kind(e->list.v[k].members[0], x->members[0]) == 0)
				x->alike_before = e->list.v[k].alike_before + 1;
		}
	}
}

static struct entries group_findings(struct page *p)
{
	const struct findings *all = &p->report->findings;
	struct arena *a = p->t.arena;
	size_t n = all->list.n;
	struct numbered *sorted = arena_array(a, n + 1, sizeof(*sorted));
	const struct finding **members = arena_array(a, n + 1, sizeof(*members));
	struct entries e = { .list = { 0 } };
	struct entry *x = NULL;

	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct numbered){ all->list.v[i], i };
	qsort(sorted, n, sizeof(*sorted), compare_numbered);
	for (size_t i = 0; i < n; i++) {
		members[i] = sorted[i].f;
		if (!x || compare_kind(members[i], x->members[0]) != 0 ||
		    strcmp(entry_subject(members[i]), entry_subject(x->members[0])) != 0) {
			x = vec_add(a, &e.list);
			x->members = &members[i];
			x->first = sorted[i].at;
		}
		x->n++;
	}
	count_alike(&e);
	if (e.list.n)
		qsort(e.list.v, e.list.n, sizeof(*e.list.v), compare_entries);
	number_alike(&e);
	return e;
}

/* ---- one entry ---- */

/* Members are in the order of nodes. */
static size_t count_nodes(const struct entry *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct node *node = x->members[i]->node;

		n += node && (i == 0 || node != x->members[i - 1]->node);
	}
	return n;
}

/* "cass-01, cass-02", "12 nodes: a, b, c, d, …"; NULL when there is nothing to tell. */
static const char *entry_nodes(struct page *p, const struct entry *x)
{
	const char *names[NODES_MAX + 1], *list;
	const struct node *last = NULL;
	size_t n = count_nodes(x), named = 0;

	if (!x->members[0]->node || p->report->cluster->nodes.n < 2)
		return NULL;
	for (size_t i = 0; i < x->n && named < ARRAY_LEN(names); i++) {
		if (x->members[i]->node != last && x->members[i]->node)
			names[named++] = x->members[i]->node->name;
		last = x->members[i]->node;
	}
	list = human_names(p->t.arena, names, n, NODES_MAX);
	return n > NODES_MAX ? arena_printf(p->t.arena, "%zu nodes: %s", n, list) : list;
}

/* "blocked-windows: metrics.readings on cass-01"; `nodes` may be NULL. */
static const char *entry_title(struct page *p, const struct entry *x, const char *nodes)
{
	const struct finding *f = x->members[0];

	if (f->table)
		return arena_printf(p->t.arena, "%s: %s%s%s", finding_check_id(f),
				    f->table->full_name, nodes ? " on " : "", or_empty(nodes));
	return arena_printf(p->t.arena, "%s%s%s", finding_check_id(f), nodes ? ": " : "",
			    nodes ? nodes : f->node ? "" : ": the cluster");
}

static void print_tag(struct page *p, enum severity s)
{
	term_text(&p->t, human_severity_paint(s), human_severity_word(s));
	term_pad(&p->t, TEXT_COLUMN);
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(or_empty(a), or_empty(b)) == 0;
}

static bool all_same_summary(const struct entry *x)
{
	for (size_t i = 1; i < x->n; i++) {
		if (!same_text(x->members[i]->summary, x->members[0]->summary))
			return false;
	}
	return true;
}

/* The summary without " of KEYSPACE.TABLE", which the line before it or around it has said. */
static const char *short_summary(struct page *p, const struct finding *f)
{
	const char *s = or_empty(f->summary), *at;
	const char *of = f->table ? arena_printf(p->t.arena, " of %s", f->table->full_name) : NULL;
	size_t n = of ? strlen(of) : 0;

	at = of ? strstr(s, of) : NULL;
	/* Not the start of a longer name. */
	if (!at || (at[n] && !strchr(" ,;:)", at[n])))
		return s;
	return arena_printf(p->t.arena, "%.*s%s", (int)(at - s), s, at + n);
}

static void print_summary(struct page *p, const struct finding *f, bool with_node)
{
	const char *summary = short_summary(p, f);

	if (with_node && f->node)
		term_line(&p->t, TEXT_COLUMN, "%s: %s", f->node->name, summary);
	else
		term_line(&p->t, TEXT_COLUMN, "%s", summary);
}

static void print_action(struct page *p, const char *action)
{
	if (!action)
		return;
	term_pad(&p->t, TEXT_COLUMN);
	term_glyph(&p->t, PAINT_PLAIN, GLYPH_ARROW, 1);
	term_pad(&p->t, TEXT_COLUMN + 2);
	term_flow(&p->t, TEXT_COLUMN + 2, action);
	term_newline(&p->t);
}

static bool same_details(const struct finding *a, const struct finding *b)
{
	if (a->details.n != b->details.n)
		return false;
	for (size_t i = 0; i < a->details.n; i++) {
		if (!same_text(a->details.v[i], b->details.v[i]))
			return false;
	}
	return true;
}

/* With -v: every member's summary and details; what members have in common is told once. */
static void print_members(struct page *p, const struct entry *x)
{
	bool nodes = p->report->cluster->nodes.n > 1, same = all_same_summary(x);

	for (size_t i = 0; i < x->n; i++) {
		const struct finding *f = x->members[i];
		bool own_details = i == 0 || !same_details(f, x->members[0]);

		if (i == 0 || !same || own_details)
			print_summary(p, f, nodes && (i > 0 || !same));
		for (size_t k = 0; k < f->details.n && own_details; k++)
			term_line(&p->t, TEXT_COLUMN + 2, "%s", f->details.v[k]);
		if (i + 1 == x->n || !same_text(f->action, x->members[i + 1]->action))
			print_action(p, f->action);
	}
}

static void print_first_member(struct page *p, const struct entry *x)
{
	const struct finding *f = x->members[0];
	bool same = all_same_summary(x);

	print_summary(p, f, !same && p->report->cluster->nodes.n > 1);
	if (!same)
		term_line(&p->t, TEXT_COLUMN, "… and %zu more like it (-v)", x->n - 1);
	print_action(p, f->action);
}

/* Missing evidence: the reason, where, and the checks that it costs. */
static void print_missing(struct page *p, const struct entry *x)
{
	const struct finding *f = x->members[0];
	const char *nodes = entry_nodes(p, x), *costs;

	print_tag(p, f->severity);
	if (nodes && x->n > 1)
		term_flowf(&p->t, TEXT_COLUMN, "%s (on %s)", or_empty(f->summary), nodes);
	else if (nodes && !strstr(or_empty(f->summary), f->node->name))
		term_flowf(&p->t, TEXT_COLUMN, "%s: %s", nodes, or_empty(f->summary));
	else
		term_flow(&p->t, TEXT_COLUMN, or_empty(f->summary));
	term_newline(&p->t);
	if (f->details.n) {
		costs = f->details.v[0];
		for (size_t i = 1; i < f->details.n; i++)
			costs = arena_printf(p->t.arena, "%s; %s", costs, f->details.v[i]);
		term_line(&p->t, TEXT_COLUMN, "%s", costs);
	}
	print_action(p, f->action);
}

static void print_full(struct page *p, const struct entry *x)
{
	const struct silence *s = x->members[0]->silenced;

	if (x->members[0]->missing_evidence) {
		print_missing(p, x);
		return;
	}
	if (s) {
		term_text(&p->t, human_severity_paint(SEV_OK), "silenced");
		term_pad(&p->t, TEXT_COLUMN);
	} else {
		print_tag(p, x->members[0]->severity);
	}
	term_flow(&p->t, TEXT_COLUMN, entry_title(p, x, entry_nodes(p, x)));
	term_newline(&p->t);
	if (s)
		term_line(&p->t, TEXT_COLUMN, "silenced until %s: %s; else it would be "
					      "%s", s->until,
			  s->reason, human_severity_word(x->members[0]->silenced_from));
	if (p->o->verbose)
		print_members(p, x);
	else
		print_first_member(p, x);
}

/* "late-writes: metrics.a on 3 nodes and 4 more tables: 1 SSTable …" on one line. */
static void print_short(struct page *p, const struct entry *x)
{
	const struct finding *f = x->members[0];
	struct arena *a = p->t.arena;
	const char *more = "", *text = or_empty(f->summary), *nodes = entry_nodes(p, x);

	if (nodes && x->n > 1)
		nodes = human_count(a, (int64_t)count_nodes(x), "node");
	if (f->table && x->alike > 1)
		more = arena_printf(a, " and %s",
				    human_count(a, (int64_t)x->alike - 1, "more table"));
	if (!f->missing_evidence)
		text = arena_printf(a, "%s%s: %s", entry_title(p, x, nodes), more,
				    short_summary(p, f));
	print_tag(p, f->severity);
	term_cut(&p->t, PAINT_PLAIN, text, p->t.width ? p->t.width - TEXT_COLUMN : UINT32_MAX);
	term_newline(&p->t);
}

/* True when the entry is told in brief below the first one of its kind. */
static bool is_left_to_alike(const struct page *p, const struct entry *x)
{
	const struct finding *f = x->members[0];

	return !p->o->verbose && f->table && !f->missing_evidence && x->alike_before > 0;
}

/* Other tables with the same finding: "also metrics.b: …", then "the same on 5 more tables". */
static void print_alike(struct page *p, const struct entries *e, const struct entry *shown)
{
	const char *names[TABLES_MAX + 1], *text;
	size_t n = 0;

	for (size_t i = 0; i < e->list.n; i++) {
		const struct entry *x = &e->list.v[i];
		const struct finding *f = x->members[0];

		if (compare_kind(f, shown->members[0]) != 0 || !is_left_to_alike(p, x))
			continue;
		if (x->alike_before <= ALIKE_MAX) {
			text = arena_printf(p->t.arena, "also %s: %s", f->table->full_name,
					    short_summary(p, f));
			term_pad(&p->t, TEXT_COLUMN);
			term_cut(&p->t, PAINT_PLAIN, text, p->t.width ? p->t.width - TEXT_COLUMN :
				 UINT32_MAX);
			term_newline(&p->t);
			continue;
		}
		if (n < ARRAY_LEN(names))
			names[n] = f->table->full_name;
		n++;
	}
	if (n)
		term_line(&p->t, TEXT_COLUMN, "the same on %s: %s",
			  human_count(p->t.arena, (int64_t)n, "more table"),
			  human_names(p->t.arena, names, n, TABLES_MAX));
}

/* Told in full: the first entries of the worst severity, and whatever could not be judged. */
static bool is_told_in_full(const struct page *p, const struct entry *x, size_t in_full)
{
	const struct finding *f = x->members[0];

	return p->o->verbose || (in_full < ENTRIES_MAX && (f->severity == p->report->worst ||
							   f->severity == SEV_UNKNOWN));
}

static void print_entries(struct page *p, const struct entries *e)
{
	size_t in_full = 0, in_short = 0, left_out = 0;

	for (size_t i = 0; i < e->list.n; i++) {
		const struct entry *x = &e->list.v[i];
		bool info = x->members[0]->severity == SEV_OK;

		if ((info && !p->o->verbose) || is_left_to_alike(p, x))
			continue;
		if (is_told_in_full(p, x, in_full)) {
			print_full(p, x);
			print_alike(p, e, x);
			in_full++;
		} else if (in_short < SHORT_MAX) {
			print_short(p, x);
			in_short++;
		} else {
			left_out++;
		}
	}
	if (left_out)
		term_line(&p->t, TEXT_COLUMN, "… and %s (-v)",
			  human_count(p->t.arena, (int64_t)left_out, "more finding"));
	if (in_full + in_short)
		term_newline(&p->t);
}

/* ---- the verdict and the end ---- */

/* "blocked-windows (7), expired-not-dropped (3)": checks above OK with their numbers of entries. */
static const char *verdict_checks(struct page *p, const struct entries *e)
{
	struct arena *a = p->t.arena;
	VEC(const char *) names = { 0 };
	size_t evidence = 0;

	for (size_t i = 0; i < e->list.n; i++) {
		const struct entry *x = &e->list.v[i];
		const struct finding *f = x->members[0];

		if (f->severity == SEV_OK || x->alike_before > 0)
			continue;
		if (f->missing_evidence)
			evidence = x->alike;
		else
			*vec_add(a, &names) = arena_printf(a, x->alike > 1 ? "%s on %zu" : "%s",
							   finding_check_id(f), x->alike);
	}
	if (evidence)
		*vec_add(a, &names) = "missing evidence";
	return human_names(a, names.v, names.n, 5);
}

/* "; 2 findings silenced", or nothing. */
static const char *silenced_words(struct page *p)
{
	const struct findings *all = &p->report->findings;
	size_t n = 0;

	for (size_t i = 0; i < all->list.n; i++)
		n += all->list.v[i]->silenced != NULL;
	return n ? arena_printf(p->t.arena, "; %s silenced",
				human_count(p->t.arena, (int64_t)n, "finding")) : "";
}

static void print_verdict(struct page *p, const struct table_rows *rows, const struct entries *e)
{
	struct arena *a = p->t.arena;
	enum severity worst = p->report->worst;
	size_t n_nodes = p->report->cluster->nodes.n, bad = rows->n_checked - rows->n_fine;
	const char *nodes = human_count(a, (int64_t)n_nodes, "node");
	const char *checks = verdict_checks(p, e);

	term_text(&p->t, human_severity_paint(worst),
		  worst == SEV_OK ? "OK" : human_severity_word(worst));
	if (rows->n_checked == 0)
		term_flowf(&p->t, 0, ": no table was checked on %s%s%s", nodes,
			   *checks ? ": " : "", checks);
	else if (worst == SEV_OK)
		term_flowf(&p->t, 0, ": %s on %s checked, all fine%s",
			   human_count(a, (int64_t)rows->n_checked, "table"), nodes,
			   silenced_words(p));
	else if (bad == 0)
		term_flowf(&p->t, 0, ": %s; %s on %s fine", checks,
			   human_count(a, (int64_t)rows->n_checked, "table"), nodes);
	else
		term_flowf(&p->t, 0, ": %zu of %s on %s: %s", bad,
			   human_count(a, (int64_t)rows->n_checked, "table"), nodes, checks);
	term_newline(&p->t);
}

static void print_context(struct page *p)
{
	const struct cluster *c = p->report->cluster;
	struct arena *a = p->t.arena;
	const char *names[NODES_MAX + 1];
	size_t n = c->nodes.n;

	for (size_t i = 0; i < n && i < ARRAY_LEN(names); i++)
		names[i] = c->nodes.v[i]->name;
	term_line(&p->t, 0, "%s%s%s%s%s%sjudged by %s", c->name ? "cluster " : "",
		  or_empty(c->name), c->name && n ? ", " : "",
		  n == 0 ? "" : n == 1 ? "node " : "nodes ", human_names(a, names, n, NODES_MAX),
		  c->name || n ? "; " : "", human_clock(p));
	term_newline(&p->t);
}

/* "cass-01, cass-02 reached by openssh: …", a line for each way. */
static void print_ways(struct page *p)
{
	const struct cluster *c = p->report->cluster;
	const char **names = arena_array(p->t.arena, c->nodes.n + 1, sizeof(*names));

	for (size_t i = 0; i < c->nodes.n; i++) {
		const char *way = c->nodes.v[i]->transport;
		size_t n = 0, first = 0;

		if (!way)
			continue;
		while (!c->nodes.v[first]->transport ||
		       strcmp(c->nodes.v[first]->transport, way) != 0)
			first++;
		if (first < i)
			continue;	/* told already */
		for (size_t k = i; k < c->nodes.n; k++)
			if (c->nodes.v[k]->transport &&
			    strcmp(c->nodes.v[k]->transport, way) == 0)
				names[n++] = c->nodes.v[k]->name;
		term_line(&p->t, 0, "%s reached by %s",
			  human_names(p->t.arena, names, n, NODES_MAX), way);
	}
}

static void print_notes(struct page *p)
{
	const struct cluster *c = p->report->cluster;

	for (size_t i = 0; i < c->notes.n; i++)
		term_line(&p->t, 0, "note: %s", c->notes.v[i]);
	for (size_t i = 0; p->o->verbose >= 2 && i < c->fine_notes.n; i++)
		term_line(&p->t, 0, "note: %s", c->fine_notes.v[i]);
}

/* "2 findings silenced until 2027-03-31: migration", a line for each day and reason. */
static void print_silenced(struct page *p)
{
	const struct findings *all = &p->report->findings;
	struct told { const struct silence *s; int64_t n; };
	VEC(struct told) told = { 0 };

	for (size_t i = 0; i < all->list.n; i++) {
		const struct silence *s = all->list.v[i]->silenced;
		size_t k = 0;

		if (!s)
			continue;
		while (k < told.n && compare_silences(told.v[k].s, s) != 0)
			k++;
		if (k == told.n)
			vec_add(p->t.arena, &told)->s = s;
		told.v[k].n++;
	}
	for (size_t k = 0; k < told.n; k++)
		term_line(&p->t, 0, "%s silenced until %s: %s",
			  human_count(p->t.arena, told.v[k].n, "finding"), told.v[k].s->until,
			  told.v[k].s->reason);
}

static void print_skipped(struct page *p)
{
	const struct report *r = p->report;
	struct arena *a = p->t.arena;
	const char *list = "";

	for (size_t i = 0; i < r->skipped.n; i++) {
		const struct skipped_check *s = &r->skipped.v[i];
		bool same = i > 0 && s->check == r->skipped.v[i - 1].check;

		if (same)
			list = arena_printf(a, "%s, %s", list, s->table);
		else
			list = arena_printf(a, "%s%s%s%s%s", list, i ? "; " : "", s->check->id,
					    s->table ? " of " : "", or_empty(s->table));
	}
	if (r->skipped.n)
		term_line(&p->t, 0, "skipped by the configuration: %s", list);
}

static void print_looked_at(struct page *p, const struct table_rows *rows)
{
	size_t unchecked = rows->list.n - rows->n_checked;
	struct arena *a = p->t.arena;

	term_flowf(&p->t, 0, "%s on %s checked; %zu fine",
		   human_count(a, (int64_t)rows->n_checked, "table"),
		   human_count(a, (int64_t)p->report->cluster->nodes.n, "node"), rows->n_fine);
	if (unchecked)
		term_flowf(&p->t, 0, "; no check applies to %s",
			   human_count(a, (int64_t)unchecked, "more table"));
	term_newline(&p->t);
}

/* The next thing to type: about the worst finding that has a table. */
static void print_next(struct page *p, const struct entries *e)
{
	const struct finding *f = NULL;

	for (size_t i = 0; i < e->list.n && !(f && f->table); i++) {
		const struct finding *x = e->list.v[i].members[0];

		if (x->severity != SEV_OK && !x->missing_evidence && x->check && (!f || x->table))
			f = x;
	}
	if (!f)
		return;
	term_line(&p->t, 0, "next:");
	if (f->table)
		human_command(p, 2, f->table->n_blockers || f->table->n_blocked ? "blockers" :
			      "windows", f->table->full_name);
	term_pad(&p->t, 2);
	term_printf(&p->t, PAINT_PLAIN, "twcscheck explain %s", f->check->id);
	term_newline(&p->t);
}

void human_check_page(struct page *p)
{
	struct table_rows rows = human_table_rows(p);
	struct entries e = group_findings(p);

	print_verdict(p, &rows, &e);
	if (p->o->quiet)
		return;
	print_context(p);
	print_entries(p, &e);
	human_overview(p, &rows);
	print_looked_at(p, &rows);
	print_silenced(p);
	if (p->o->verbose) {
		print_skipped(p);
		print_ways(p);
	}
	print_notes(p);
	print_next(p, &e);
}
