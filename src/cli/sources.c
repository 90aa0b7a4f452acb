/* Reading the sources that the command line names. See sources.h. */
#include "cli/sources.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "base/deadline.h"
#include "base/quote.h"
#include "cli/plugin.h"
#include "cli/progress.h"
#include "cli/remote_nodes.h"
#include "collect/fleet.h"
#include "collect/local.h"

enum { TIMEOUT_S = 300, COMMAND_TIMEOUT_S = 60 };

static volatile sig_atomic_t interrupted;

static void read_open(struct run_options *o, const struct source_ops *ops, struct source *s,
		      const char *where, const struct evidence_tap *tap)
{
	struct err stopped = { 0 };

	if (tap->next_source)
		tap->next_source(tap->ctx);
	/* that it was interrupted is told once, by who reads */
	if (!ops->read(s, tap->each, tap->ctx, &stopped) && !interrupted)
		tap->stopped(tap->ctx, arena_printf(o->arena, "%s: not read to the end: %s", where,
						    stopped.text));
	ops->close(s);
}

/*
 * Time for asking: the rest is for ending a command that does not end, and for the report.
 * In seconds, at least 1.
 */
static int64_t live_timeout_s(const struct run_options *o)
{
	double left = deadline_left();

	if (isinf(left))
		left = o->timeout_s.known ? o->timeout_s.v : TIMEOUT_S;
	left -= left > 10 ? 3 : left * 0.3;
	return left < 1 ? 1 : (int64_t)left;
}

/* $CASSANDRA_CONF, then where the packages have it. */
static size_t settings_places(struct arena *a, const char *places[3])
{
	const char *folder = getenv("CASSANDRA_CONF");
	size_t n = 0;

	if (folder && *folder)
		places[n++] = arena_printf(a, "%s/cassandra.yaml", folder);
	places[n++] = "/etc/cassandra/cassandra.yaml";
	places[n++] = "/etc/cassandra/conf/cassandra.yaml";
	return n;
}

static bool read_local(struct run_options *o, struct cluster *c, const struct evidence_tap *tap,
		       struct err *err)
{
	const char *places[3];
	struct local_options local = {
		.nodetool = o->nodetool, .cqlsh = o->cqlsh, .sstablemetadata = o->sstablemetadata,
		.settings = places, .n_settings = settings_places(o->arena, places),
		.timeout_s = live_timeout_s(o),
		.command_timeout_s = COMMAND_TIMEOUT_S, .stop = &interrupted,
		.guide = guide_create(o, c),
	};
	struct source *s = source_local_open(o->arena, &local, err);

	if (!s)
		return false;
	read_open(o, &source_local, s, "--local", tap);
	return true;
}

/* A run that is interrupted ends in good order: what was learnt counts. */
static bool read_ssh(struct run_options *o, struct cluster *c, const struct evidence_tap *tap,
		     struct err *err)
{
	struct remote_nodes nodes = { 0 };
	struct remote_options ssh = o->ssh;
	struct progress progress;

	if (!remote_nodes_choose(o, &nodes, err))
		return false;
	sources_catch_signals();
	(void)signal(SIGPIPE, SIG_IGN);		/* a connection that breaks is no end */
	progress_begin(&progress, o->quiet || plugin_active(), &interrupted);
	ssh.nodetool = o->nodetool;
	ssh.cqlsh = o->cqlsh;
	ssh.sstablemetadata = o->sstablemetadata;
	ssh.timeout_s = live_timeout_s(o);
	ssh.stop = &interrupted;
	ssh.guide = guide_create(o, c);
	ssh.progress = progress_show;
	ssh.progress_ctx = &progress;
	read_open(o, &source_ssh,
		  source_ssh_open(o->arena, &ssh, nodes.list.v, nodes.list.n), "over SSH", tap);
	progress_end(&progress);
	return true;
}

static bool read_path(struct run_options *o, const char *where, const struct evidence_tap *tap,
		      struct err *err)
{
	const struct source_ops *ops = source_for(where);
	struct source *s = ops->open(o->arena, where, err);

	if (!s)
		return false;
	read_open(o, ops, s, where, tap);
	return true;
}

bool sources_over_ssh(const struct run_options *o)
{
	return !o->local && !o->from.n && (o->hosts.n || o->nodes.list.n);
}

bool sources_given(const struct run_options *o)
{
	return o->local || o->from.n || sources_over_ssh(o);
}

const char *sources_arguments(const struct run_options *o)
{
	struct arena *a = o->arena;
	const char *text = o->local ? "--local" : "", *hosts = "";

	for (size_t i = 0; i < o->from.n; i++)
		text = arena_printf(a, "%s%s--from %s", text, *text ? " " : "",
				    quote_shell(a, o->from.v[i]));
	if (!sources_over_ssh(o))
		return text;
	for (size_t i = 0; i < o->hosts.n; i++)
		hosts = arena_printf(a, "%s%s%s", hosts, i ? "," : "", o->hosts.v[i]);
	if (o->config)
		text = arena_printf(a, "--config %s", quote_shell(a, o->config));
	if (*hosts)
		text = arena_printf(a, "%s%s-H %s", text, *text ? " " : "", quote_shell(a, hosts));
	if (o->port)
		text = arena_printf(a, "%s%s-p %s", text, *text ? " " : "", o->port);
	return text;
}

bool sources_read(struct run_options *o, struct cluster *c, const struct evidence_tap *tap,
		  struct err *err)
{
	if (o->local) {
		sources_catch_signals();
		if (!read_local(o, c, tap, err))
			return false;
	}
	if (sources_over_ssh(o))
		return read_ssh(o, c, tap, err);
	for (size_t i = 0; i < o->from.n && !interrupted; i++)
		if (!read_path(o, o->from.v[i], tap, err))
			return false;
	if (interrupted)
		return err_set(o->arena, err, ERR_TIMEOUT, NULL, 0, "interrupted");
	return true;
}

/* ---- signals ---- */

static void note_signal(int number)
{
	(void)number;
	interrupted = 1;
}

/* Once: who asks twice wants it to end at once. */
void sources_catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	/* A plugin has to end with a status of its own whatever comes. */
	struct sigaction action = {
		.sa_handler = note_signal, .sa_flags = plugin_active() ? 0 : SA_RESETHAND,
	};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct sigaction old;

		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			(void)sigaction(numbers[i], &action, NULL);
	}
}

bool sources_interrupted(void)
{
	return interrupted != 0;
}
