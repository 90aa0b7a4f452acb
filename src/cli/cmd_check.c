/* check, windows, blockers: read the evidence, judge it, render one report. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/deadline.h"
#include "cli/cli.h"
#include "cli/config.h"
#include "cli/plugin.h"
#include "cli/scope.h"
#include "cli/sources.h"
#include "parse/parse.h"

/* A run that reads: what the time limit cut off is failed evidence of its node. */
struct reading {
	struct run_options *o;
	struct cluster *c;
	VEC(const char *) open;		/* nodes of which something was not read */
};

static void cut_off(struct reading *r, const struct evidence *ev)
{
	struct evidence failed = *ev;

	failed.out = (struct slice){ "", 0 };
	failed.err = (struct err){ .kind = ERR_TIMEOUT,
				   .subject = ev->path,
				   .text = DEADLINE_TEXT };
	if (ev->node && (!r->open.n || strcmp(r->open.v[r->open.n - 1], ev->node) != 0))
		*vec_add(r->c->arena, &r->open) = arena_strdup(r->c->arena, ev->node);
	parse_evidence(r->c, &failed);
}

static void take(void *ctx, const struct evidence *ev)
{
	struct reading *r = ctx;

	plugin_stage("reading the evidence", ev->node);
	if (deadline_passed())
		cut_off(r, ev);
	else
		parse_evidence(r->c, ev);
}

static void tell_cut_off(struct run_options *o, const struct reading *r)
{
	const char *names = "";
	size_t most = r->open.n < 4 ? r->open.n : 4;

	if (!r->open.n)
		return;
	for (size_t i = 0; i < most; i++)
		names = arena_printf(o->arena, "%s%s%s", names, i ? ", " : "", r->open.v[i]);
	if (most < r->open.n)
		names = arena_printf(o->arena, "%s and %zu more", names, r->open.n - most);
	scope_gap(o,
		  arena_printf(o->arena,
			       "time limit of %s reached while reading the evidence; "
			       "not read whole: "
			       "%s",
			       num_format_duration(o->arena, (int64_t)plugin_limit_s()), names),
		  "a longer -t below the daemon's own limit, or collect by cron and check with "
		  "--from",
		  false);
}

/* A source that could not be read because the time limit interrupted it. */
static struct err time_is_up(struct run_options *o, const struct err *err)
{
	const char *limit = num_format_duration(o->arena, (int64_t)plugin_limit_s());
	const char *text = arena_printf(o->arena, "time limit of %s reached while reading the "
					"evidence: %s", limit, err_text(o->arena, err));

	return (struct err){ .kind = ERR_TIMEOUT, .text = text };
}

static void not_to_the_end(void *ctx, const char *why)
{
	scope_gap(((struct reading *)ctx)->o, why, NULL, false);
}

static bool gather(struct run_options *o, struct cluster *c, struct err *err)
{
	struct reading r = { .o = o, .c = c };
	const struct evidence_tap tap = { .each = take, .stopped = not_to_the_end, .ctx = &r };

	plugin_stage("reading the evidence", NULL);
	if (!sources_read(o, c, &tap, err))
		return false;
	tell_cut_off(o, &r);
	if (sources_interrupted())
		scope_gap(o, "interrupted: not everything was asked", "run it again", false);
	plugin_stage("judging the tables", NULL);
	parse_finish(c);
	if (!c->nodes.n)
		return err_set(o->arena, err, ERR_IO, o->from.n ? o->from.v[0] : NULL, 0,
			       "holds no node's evidence; hint: docs/bundle.md shows the layout");
	if (!config_finish_cluster(o, c, err))
		return false;
	cluster_assemble(c, &o->assemble);
	config_note_missing(o, c);
	if (!sources_over_ssh(o))	/* else no other node was asked */
		scope_nodes(o, c);
	scope_keyspaces(o, c);
	for (size_t i = 0; i < c->nodes.n; i++)
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++)
			table_analyse(o->arena, c->nodes.v[i]->tables[k]);
	return true;
}

/* A plugin's report is made whole before any of it is written: an early end is told instead. */
static void render_whole(struct run_options *o, const struct report *r,
			 const struct render_options *ro, struct buf *out)
{
	struct buf whole;

	buf_init(&whole, SIZE_MAX);
	o->format->render(r, ro, &whole);
	plugin_writes(severity_exit_status(r->worst));
	buf_add(out, whole.p, whole.n);
	buf_free(&whole);
}

static bool render(struct run_options *o, const struct report *r, enum view view, struct err *err)
{
	struct render_options ro = {
		.view = view,
		.width = terminal_width(),
		.color = terminal_wants_color(o->color),
		.ascii = !terminal_is_utf8(),
		.verbose = o->verbose,
		.quiet = o->quiet,
		.source_args = sources_arguments(o),
		.max_output = o->max_output,
		.checks = &o->checks,
	};
	struct output out;

	if (o->output && o->color == COLOR_AUTO)
		ro.color = false;
	scope_perf_tables(o, &ro);
	plugin_stage("writing the report", NULL);
	if (!output_open(o->arena, &out, o->output, err))
		return false;
	if (plugin_active())
		render_whole(o, r, &ro, &out.buf);
	else
		o->format->render(r, &ro, &out.buf);
	return output_close(o->arena, &out, err);
}

/* What a plugin run of these options prints after the '|' when it ends early. */
static void prepare_plugin(struct run_options *o)
{
	struct render_options ro = { .max_output = o->max_output, .checks = &o->checks };

	scope_perf_tables(o, &ro);
	plugin_perfdata(nagios_perfdata_unknown(o->arena, &ro));
	/* A bundle that nobody renews must not stay OK for ever. */
	if (o->by_plugin_name && o->from.n && !o->checks.max_age_s.known)
		o->checks.max_age_s = some_i64(PLUGIN_MAX_AGE_S);
}

/* Named tables give the labels also when the configuration cannot be read. */
static bool options_ready(struct run_options *o, struct err *err)
{
	if (o->document)
		return err_set(o->arena, err, ERR_USAGE, "--format", 0,
			       "markdown and man are formats of 'twcscheck explain'");
	if (!options_select(o, err))
		return false;
	if (plugin_active() && o->selections.n)
		prepare_plugin(o);
	if (!config_load(o, err))
		return false;
	if (plugin_active())
		prepare_plugin(o);
	return true;
}

static void complain_no_source(struct run_options *o)
{
	struct err err = { 0 };

	if (plugin_active()) {
		err_set(o->arena, &err, ERR_USAGE, NULL, 0,
			"no source of evidence was given; hint: -H NODE, or --from BUNDLE");
		cli_complain(o->arena, &err);
		return;
	}
	fputs("twcscheck: nothing to check: no source of evidence was given\n"
	      "  twcscheck -H cass-01,cass-02   asks nodes over SSH; the configuration can "
	      "name them\n"
	      "  twcscheck --local              asks this machine\n"
	      "  twcscheck --from BUNDLE        reads what 'twcscheck collect' or a few "
	      "commands saved\n",
	      stderr);
}

int cmd_check(struct run_options *o, const struct cli_command *self)
{
	struct cluster *c = cluster_create(o->arena);
	struct report report = { .program = PACKAGE_NAME " " PACKAGE_VERSION };
	struct err err = { 0 };

	plugin_limit(o->timeout_s.known ? o->timeout_s.v :
		     o->by_plugin_name ? PLUGIN_TIMEOUT_S : RUN_TIMEOUT_S);
	if (!options_ready(o, &err)) {
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	if (!sources_given(o)) {
		complain_no_source(o);
		return EXIT_UNKNOWN;
	}
	if (self->view != VIEW_CHECK && !o->selections.n) {
		err_set(o->arena, &err, ERR_USAGE, self->name, 0, "needs KEYSPACE.TABLE");
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	o->checks.wall_clock_s = o->assemble.now_s.known ? o->assemble.now_s.v
							 : (int64_t)time(NULL);
	if (!gather(o, c, &err)) {
		if (deadline_passed())
			err = time_is_up(o, &err);
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	run_checks(o->arena, c, &o->checks, &report);
	if (!render(o, &report, self->view, &err)) {
		cli_complain(o->arena, &err);
		/* Nobody reads standard output: the status tells what is worse than UNKNOWN. */
		if (plugin_active() && !o->output && report.worst > SEV_UNKNOWN)
			return severity_exit_status(report.worst);
		return EXIT_UNKNOWN;
	}
	return severity_exit_status(report.worst);
}
