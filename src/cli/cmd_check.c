/* check, windows, blockers: read the evidence, judge it, render one report. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/quote.h"
#include "cli/cli.h"
#include "cli/config.h"
#include "collect/source.h"
#include "parse/parse.h"

static void take(void *ctx, const struct evidence *ev)
{
	parse_evidence(ctx, ev);
}

static bool read_source(struct run_options *o, const char *where, struct cluster *c, struct err *err)
{
	struct source *s = source_bundle.open(o->arena, where, err);
	struct err stopped = { 0 };

	if (!s)
		return false;
	if (!source_bundle.read(s, take, c, &stopped))
		*vec_add(o->arena, &c->notes) = arena_printf(o->arena, "%s: not read to the end: %s", where,
							      err_text(o->arena, &stopped));
	source_bundle.close(s);
	return true;
}

static bool gather(struct run_options *o, struct cluster *c, struct err *err)
{
	for (size_t i = 0; i < o->from.n; i++)
		if (!read_source(o, o->from.v[i], c, err))
			return false;
	parse_finish(c);
	if (!c->nodes.n)
		return err_set(o->arena, err, ERR_IO, o->from.v[0], 0,
			       "holds no node's evidence; hint: docs/bundle.md shows the layout");
	if (!config_finish_cluster(o, c, err))
		return false;
	cluster_assemble(c, &o->assemble);
	config_note_missing(o, c);
	for (size_t i = 0; i < c->nodes.n; i++)
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++)
			table_analyse(o->arena, c->nodes.v[i]->tables[k]);
	return true;
}

/* The source as it was given, for the commands that the page proposes. */
static const char *source_arguments(const struct run_options *o)
{
	const char *text = "";

	for (size_t i = 0; i < o->from.n; i++)
		text = arena_printf(o->arena, "%s%s--from %s", text, i ? " " : "",
				    quote_shell(o->arena, o->from.v[i]));
	return text;
}

static bool render(struct run_options *o, const struct report *r, enum view view, struct err *err)
{
	struct render_options ro = {
		.view = view, .width = terminal_width(), .color = terminal_wants_color(o->color),
		.ascii = !terminal_is_utf8(), .verbose = o->verbose, .quiet = o->quiet,
		.source_args = source_arguments(o),
	};
	struct output out;

	if (o->output && o->color == COLOR_AUTO)
		ro.color = false;
	if (!output_open(o->arena, &out, o->output, err))
		return false;
	o->format->render(r, &ro, &out.buf);
	return output_close(o->arena, &out, err);
}

static void complain_no_source(void)
{
	fputs("twcscheck: nothing to check: no source of evidence was given\n"
	      "  twcscheck --from BUNDLE        reads saved outputs of the nodes, a directory\n"
	      "  see docs/bundle.md for how to put one together with a few commands\n", stderr);
}

int cmd_check(struct run_options *o, const struct cli_command *self)
{
	struct cluster *c = cluster_create(o->arena);
	struct report report = { .program = PACKAGE_NAME " " PACKAGE_VERSION };
	struct err err = { 0 };

	if (!options_select(o, &err) || !config_load(o, &err)) {
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	if (!o->from.n) {
		complain_no_source();
		return EXIT_UNKNOWN;
	}
	if (self->view != VIEW_CHECK && !o->selections.n) {
		err_set(o->arena, &err, ERR_USAGE, self->name, 0, "needs KEYSPACE.TABLE");
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	o->checks.wall_clock_s = o->assemble.now_s.known ? o->assemble.now_s.v : (int64_t)time(NULL);
	if (!gather(o, c, &err)) {
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	run_checks(o->arena, c, &o->checks, &report);
	if (!render(o, &report, self->view, &err)) {
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	return severity_exit_status(report.worst);
}
