/*
 * The pages for people: choice of the view, and the words that all views share.
 */
#include "render/human.h"

#include <string.h>

#include "base/quote.h"

static void human_render(const struct report *r, const struct render_options *o, struct buf *out)
{
	struct page p = { .report = r, .o = o };

	p.t = (struct term){
		.out = out, .arena = arena_create(), .width = o->width, .color = o->color,
		.ascii = o->ascii,
	};
	if (o->width && o->width < 40)
		p.t.width = 40;
	p.results = result_index_build(p.t.arena, r);
	switch (o->quiet ? VIEW_CHECK : o->view) {
	case VIEW_CHECK:
		human_check_page(&p);
		break;
	case VIEW_WINDOWS:
		human_windows_page(&p);
		break;
	case VIEW_BLOCKERS:
		human_blockers_page(&p);
		break;
	}
	arena_destroy(p.t.arena);
}

const struct renderer renderer_human = {
	.name = "human",
	.help = "a page for people, worst first",
	.render = human_render,
};

const char *human_severity_word(enum severity s)
{
	static const char *const words[] = { "info", "UNKNOWN", "WARNING", "CRITICAL" };

	return words[s];
}

enum paint human_severity_paint(enum severity s)
{
	static const enum paint paints[] = {
		[SEV_OK] = PAINT_GOOD,
		[SEV_UNKNOWN] = PAINT_UNKNOWN,
		[SEV_WARNING] = PAINT_WARNING,
		[SEV_CRITICAL] = PAINT_CRITICAL,
	};

	return paints[s];
}

enum paint human_window_paint(enum window_state s)
{
	static const enum paint paints[] = {
		[WIN_OPEN] = PAINT_PLAIN,	  [WIN_LIVE] = PAINT_PLAIN,
		[WIN_GC_GRACE] = PAINT_NOTE,	  [WIN_DROPPABLE] = PAINT_GOOD,
		[WIN_BLOCKED] = PAINT_CRITICAL,	  [WIN_WILL_BLOCK] = PAINT_WARNING,
		[WIN_NEVER] = PAINT_WARNING,	  [WIN_UNKNOWN] = PAINT_UNKNOWN,
	};

	return paints[s];
}

enum paint human_sstable_paint(enum sstable_state s)
{
	static const enum paint paints[] = {
		[SST_UNKNOWN] = PAINT_UNKNOWN,	[SST_NEVER_EXPIRES] = PAINT_WARNING,
		[SST_LIVE] = PAINT_PLAIN,	[SST_GC_GRACE] = PAINT_NOTE,
		[SST_DROPPABLE] = PAINT_GOOD,	[SST_BLOCKED] = PAINT_CRITICAL,
	};

	return paints[s];
}

const char *human_size(struct arena *a, struct opt_i64 bytes)
{
	return bytes.known ? num_format_size(a, bytes.v) : "?";
}

const char *human_time(struct arena *a, struct opt_i64 t)
{
	return t.known ? num_format_minute(a, t.v) : "not known";
}

const char *human_count(struct arena *a, int64_t n, const char *noun)
{
	return arena_printf(a, "%lld %s%s", (long long)n, noun, n == 1 ? "" : "s");
}

const char *human_names(struct arena *a, const char *const *names, size_t n, size_t most)
{
	const char *text = "";

	for (size_t i = 0; i < n && i < most; i++)
		text = arena_printf(a, "%s%s%s", text, i ? ", " : "", names[i]);
	return n > most ? arena_printf(a, "%s, …", text) : text;
}

const char *human_sstable_names(struct arena *a, struct sstable *const *v, size_t listed, size_t n,
				size_t most)
{
	const char *text = "";
	size_t shown = listed < most ? listed : most;

	for (size_t i = 0; i < shown; i++)
		text = arena_printf(a, "%s%s%s", text, i ? ", " : "", v[i]->name);
	return n > shown ? arena_printf(a, "%s, …", text) : text;
}

static const char *origin_words(enum settings_origin origin)
{
	static const char *const words[] = {
		[SETTINGS_NONE] = "no schema",
		[SETTINGS_SCHEMA] = "from the schema",
		[SETTINGS_CONFIGURATION] = "from the configuration",
		[SETTINGS_INFERRED] = "inferred from the SSTables: shown, not judged by",
	};

	return words[origin];
}

const char *human_settings(struct arena *a, const struct table *t)
{
	const struct settings *s = &t->settings;
	const char *window = "", *ttl = ", default TTL not known", *grace = ", gc_grace not known";

	if (s->window_s.known)
		window = arena_printf(a, ", windows of %s", num_format_duration(a, s->window_s.v));
	if (s->default_ttl_s.known && s->default_ttl_s.v == 0)
		ttl = t->ttl_s.known && t->ttl_s.v > 0 ?
		      arena_printf(a, ", no default TTL (largest seen %s)",
				   num_format_duration(a, t->ttl_s.v)) : ", no default TTL";
	else if (s->default_ttl_s.known)
		ttl = arena_printf(a, ", TTL %s", num_format_duration(a, s->default_ttl_s.v));
	if (s->gc_grace_s.known)
		grace = arena_printf(a, ", gc_grace %s", num_format_duration(a, s->gc_grace_s.v));
	return arena_printf(a, "%s%s%s%s (%s)", s->strategy ? s->strategy : "strategy not known",
			    window, ttl, grace, origin_words(s->origin));
}

const char *human_table_title(struct page *p, const struct table *t)
{
	const struct node *n = t->node;
	struct arena *a = p->t.arena;

	if (strcmp(n->name, "-") == 0)
		return t->full_name;
	if (!n->product && !n->release)
		return arena_printf(a, "%s on %s", t->full_name, n->name);
	return arena_printf(a, "%s on %s (%s%s%s)", t->full_name, n->name,
			    n->product ? n->product : "", n->product && n->release ? " " : "",
			    n->release ? n->release : "");
}

void human_command(struct page *p, unsigned indent, const char *view, const char *subject)
{
	term_pad(&p->t, indent);
	term_printf(&p->t, PAINT_PLAIN, "twcscheck %s%s%s %s", view,
		    p->o->source_args && *p->o->source_args ? " " : "",
		    p->o->source_args ? p->o->source_args : "",
		    quote_shell(p->t.arena, subject));
	term_newline(&p->t);
}

const char *human_clock(struct page *p)
{
	const struct report *r = p->report;
	const char *minute = num_format_minute(p->t.arena, r->now_s);
	const char *from = r->now_from ? r->now_from : "";

	if (strcmp(from, "node") == 0)
		return arena_printf(p->t.arena, "%s UTC, the clock of the node%s", minute,
				    r->cluster->nodes.n > 1 ? "s" : "");
	if (strcmp(from, "--now") == 0)
		return arena_printf(p->t.arena, "%s UTC, as given by --now", minute);
	if (strcmp(from, "newest file") == 0)
		return arena_printf(p->t.arena, "%s UTC, the time of the newest file: no clock was "
				    "saved", minute);
	if (strcmp(from, "this machine") == 0)
		return arena_printf(p->t.arena, "%s UTC, the clock of this machine: no node told "
				    "its own", minute);
	return arena_printf(p->t.arena, "%s UTC%s%s", minute, *from ? ", " : "", from);
}
