/*
 * The plugin's output: a summary line with performance data, then as much as -v asks for.
 *
 * -v levels: none = line 1 alone; 1 = a line for each thing that is wrong, with what to do first;
 * 2 = several lines for each, every node, and what is information only; 3 = what was read, the
 * notes, what was left out. The whole stays below render_options.max_output.
 */
#include "render/nagios.h"

#include <string.h>

enum { SOURCE_SHOWN = 120 };	/* longer source options are left out of a hint */

struct page {
	struct alert al;
	VEC(const char *) lines;	/* after line 1, harmless */
};

static void add_line(struct page *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void add_line(struct page *p, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	text = arena_vprintf(p->al.a, fmt, ap);
	va_end(ap);
	/* Details are indented, which cleaning takes away. */
	*vec_add(p->al.a, &p->lines) = arena_printf(p->al.a, "%.*s%s", (int)strspn(text, " "), text,
						    alert_clean(p->al.a, text, false));
}

/* ---- line by line: what is wrong ---- */

static const char *entry_tag(const struct finding *f)
{
	if (f->silenced)
		return "SILENCED";
	return f->severity == SEV_OK ? "NOTE" : alert_state(f->severity);
}

/* "CRITICAL blocked-windows: metrics.readings on cass-01, cass-02: 5 expired windows ..." */
static void add_entry(struct page *p, const struct alert_entry *e)
{
	const struct finding *f = e->worst;
	struct arena *a = p->al.a;
	const char *nodes = alert_nodes(&p->al, e), *object = f->table ? f->table->full_name : "";
	const char *fact, *which = "";

	if (alert_tells_node(e))
		nodes = "";
	if (f->table && *nodes)
		object = arena_printf(a, "%s on %s", object, nodes);
	else if (!f->table)
		object = nodes;
	fact = alert_fact(a, f, f->summary, object);
	if (!e->same && f->node)
		which = arena_printf(a, "at %s: ", f->node->name);
	add_line(p, "%s %s: "
		    "%s%s%s%s%s%s", entry_tag(f), finding_check_id(f), object, *object ? ": " : "",
		 which, fact, f->action ? ". Do first: " : "", f->action ? f->action : "");
	if (f->silenced)
		add_line(p, "  silenced until %s: %s", f->silenced->until, f->silenced->reason);
}

static bool same_details(const struct finding *x, const struct finding *y)
{
	if (x->details.n != y->details.n)
		return false;
	for (size_t i = 0; i < x->details.n; i++)
		if (strcmp(x->details.v[i], y->details.v[i]) != 0)
			return false;
	return true;
}

/* What each node has to add to the entry's line: what is the same is told once. */
static void add_members(struct page *p, const struct alert_entry *e)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct finding *f = e->members[i];
		const char *at = f->node && e->n_nodes > 1 ? f->node->name : NULL;

		if (f != e->worst && !e->same)
			add_line(p, "  %s%s%s", at ? at : "", at ? ": " : "",
				 alert_fact(p->al.a, f, f->summary, at ? at : ""));
		if (i && same_details(f, e->members[i - 1]))
			continue;
		for (size_t k = 0; k < f->details.n; k++)
			add_line(p, "  %s%s%s", at ? at : "", at ? ": " : "", f->details.v[k]);
	}
}

static void add_entries(struct page *p)
{
	unsigned verbose = p->al.o->verbose;

	for (size_t i = 0; i < p->al.n_entries; i++) {
		const struct alert_entry *e = &p->al.entries[i];

		if (e->members[0]->severity == SEV_OK && verbose < 2)
			continue;
		add_entry(p, e);
		if (verbose >= 2)
			add_members(p, e);
	}
}

/* A run that could not go to its end says so on any level, also where something worse is first. */
static void add_early_end(struct page *p)
{
	for (size_t i = 1; i < p->al.n_bad; i++)
		if (p->al.entries[i].worst->missing_evidence && !p->al.entries[i].worst->check)
			add_entry(p, &p->al.entries[i]);
}

/* ---- what it goes by ---- */

static void add_context(struct page *p)
{
	const struct report *r = p->al.report;
	const struct cluster *c = r->cluster;

	if (!c->nodes.n)
		return;
	add_line(p, "%s%s%zu node%s, judged by %s UTC (%s)", c->name ? "Cluster " : "",
		 c->name ? arena_printf(p->al.a, "%s, ", c->name) : "", c->nodes.n,
		 c->nodes.n == 1 ? "" : "s", num_format_minute(p->al.a, r->now_s),
		 r->now_from ? r->now_from : "clock not known");
}

/* The next thing to type, about the worst finding that has a table. */
static void add_next(struct page *p)
{
	const char *source = p->al.o->source_args;

	for (size_t i = 0; i < p->al.n_bad; i++) {
		const struct finding *f = p->al.entries[i].worst;

		if (!f->table || f->missing_evidence)
			continue;
		add_line(p, "Next: twcscheck %s %s%s%s",
			 f->table->n_blockers || f->table->n_blocked ? "blockers" : "windows",
			 source ? source : "", source && *source ? " " : "", f->table->full_name);
		return;
	}
}

static void add_evidence(struct page *p, const struct node *n)
{
	size_t ok = 0;

	for (size_t i = 0; i < n->evidence.n; i++) {
		const struct evidence_record *e = &n->evidence.v[i];

		ok += e->status == EVIDENCE_OK;
		if (e->status != EVIDENCE_OK)
			add_line(p, "  %s%s%s: %s%s%s", evidence_kind_name(e->kind),
				 e->subject ? " of " : "", e->subject ? e->subject : "",
				 evidence_status_name(e->status), e->error ? ": " : "",
				 e->error ? e->error : "");
	}
	add_line(p, "  %zu pieces of evidence read, %zu tables", ok, n->n_tables);
}

static void add_sources(struct page *p)
{
	const struct report *r = p->al.report;

	for (size_t i = 0; i < r->cluster->nodes.n; i++) {
		const struct node *n = r->cluster->nodes.v[i];

		add_line(p, "Node %s: %s %s, clock %s UTC "
			    "(%s)", n->name, n->product ? n->product : "product not known",
			 n->release ? n->release : "", num_format_minute(p->al.a, n->clock_s),
			 n->clock_from ? n->clock_from : "not known");
		add_evidence(p, n);
	}
	for (size_t i = 0; i < r->skipped.n; i++)
		add_line(p, "Skipped by the configuration: %s%s%s", r->skipped.v[i].check->id,
			 r->skipped.v[i].table ? " of " : "",
			 r->skipped.v[i].table ? r->skipped.v[i].table : "");
	add_line(p, "%s", r->program);
}

static void add_lines(struct page *p)
{
	const struct cluster *c = p->al.report->cluster;
	unsigned verbose = p->al.o->quiet ? 0 : p->al.o->verbose;

	if (!verbose) {
		add_early_end(p);
		return;
	}
	add_entries(p);
	add_context(p);
	add_next(p);
	for (size_t i = 0; i < c->notes.n && verbose >= 2; i++)
		add_line(p, "Note: %s", c->notes.v[i]);
	if (verbose >= 3)
		add_sources(p);
}

/* ---- writing ---- */

static void write_first(struct buf *out, const char *line, const char *perfdata)
{
	buf_str(out, line);
	if (*perfdata) {
		buf_str(out, " | ");
		buf_str(out, perfdata);
	}
	buf_char(out, '\n');
}

/* "... and 12 more lines (see twcscheck --from b -v)", without the source when that is long. */
static const char *more_line(struct page *p, size_t n)
{
	const char *source = p->al.o->source_args ? p->al.o->source_args : "";
	const char *blank = *source ? " " : "", *s = n == 1 ? "" : "s";

	if (strlen(source) > SOURCE_SHOWN)
		source = blank = "";
	return alert_clean(p->al.a, arena_printf(p->al.a, "... and %zu more line%s (see twcscheck "
						 "%s%s-v)", n, s, source, blank), false);
}

/* Whole lines as long as they fit, then how many are missing. */
static void write_lines(struct page *p, struct buf *out, size_t used)
{
	size_t max = p->al.o->max_output ? p->al.o->max_output : MAX_OUTPUT_DEFAULT, all = used;

	for (size_t i = 0; i < p->lines.n; i++)
		all += strlen(p->lines.v[i]) + 1;
	for (size_t i = 0; i < p->lines.n; i++) {
		size_t n = strlen(p->lines.v[i]) + 1;
		const char *more = more_line(p, p->lines.n - i);
		/* Room for what tells of the rest; its number never gets longer. */
		size_t rest = all <= max ? 0 : strlen(more) + 1;

		if (used + n + rest > max) {
			if (used + rest <= max)
				buf_printf(out, "%s\n", more);
			return;
		}
		buf_str(out, p->lines.v[i]);
		buf_char(out, '\n');
		used += n;
	}
}

static void nagios_render(const struct report *r, const struct render_options *o, struct buf *out)
{
	struct page p = { .al = { .a = arena_create(), .report = r, .o = o } };
	const char *line, *perfdata = alert_perfdata(p.al.a, r, o);

	alert_group(&p.al);
	line = alert_line(&p.al);
	write_first(out, line, perfdata);
	add_lines(&p);
	write_lines(&p, out, strlen(line) + 3 + strlen(perfdata) + 1);
	arena_destroy(p.al.a);
}

const char *nagios_perfdata_unknown(struct arena *a, const struct render_options *o)
{
	return alert_perfdata(a, NULL, o);
}

void nagios_render_unknown(struct arena *a, const char *text, const char *perfdata,
			   size_t max_output, struct buf *out)
{
	const char *line = arena_printf(a, "TWCS UNKNOWN - %s", alert_clean(a, text, true));
	size_t max = max_output ? max_output : MAX_OUTPUT_DEFAULT;
	size_t used = ALERT_LINE_MAX + strlen(" | ") + strlen(perfdata) + 2;

	write_first(out, alert_cut(a, line, ALERT_LINE_MAX), perfdata);
	if (strlen(line) > ALERT_LINE_MAX && used + ALERT_REST_LEAST < max)
		buf_printf(out, "%s\n", alert_cut(a, alert_clean(a, text, false), max - used));
}

const struct renderer renderer_nagios = {
	.name = "nagios",
	.help = "a monitoring plugin's output: one line and performance data",
	.render = nagios_render,
};
