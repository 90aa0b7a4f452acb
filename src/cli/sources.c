/* Reading the sources that the command line names. See sources.h. */
#include "cli/sources.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "cli/plugin.h"
#include "collect/local.h"

enum { TIMEOUT_S = 300, COMMAND_TIMEOUT_S = 60 };

static volatile sig_atomic_t interrupted;

/* Where each piece goes. */
struct outlet {
	struct arena *arena;
	const struct evidence_tap *tap;
	const char *node;		/* of the piece before: whose questions a guide answers */
};

static void take(void *ctx, const struct evidence *ev)
{
	struct outlet *to = ctx;

	if (!to->node || strcmp(to->node, ev->node) != 0)
		to->node = arena_strdup(to->arena, ev->node);
	to->tap->each(to->tap->ctx, ev);
}

static void read_open(struct run_options *o, const struct source_ops *ops, struct source *s,
		      const char *where, struct outlet *to)
{
	struct err stopped = { 0 };

	if (to->tap->next_source)
		to->tap->next_source(to->tap->ctx);
	if (!ops->read(s, take, to, &stopped))
		to->tap->stopped(to->tap->ctx,
				 arena_printf(o->arena, "%s: not read to the end: %s", where,
					      stopped.text));
	ops->close(s);
}

/*
 * Time for the local tools: the rest is for ending one that does not end, and for the report.
 * In seconds, at least 1.
 */
static int64_t local_timeout_s(const struct run_options *o)
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

static bool read_local(struct run_options *o, struct cluster *c, struct outlet *to,
		       struct err *err)
{
	const char *places[3];
	struct local_options local = {
		.nodetool = o->nodetool, .cqlsh = o->cqlsh, .sstablemetadata = o->sstablemetadata,
		.settings = places, .n_settings = settings_places(o->arena, places),
		.timeout_s = local_timeout_s(o),
		.command_timeout_s = COMMAND_TIMEOUT_S, .stop = &interrupted,
		.guide = guide_create(o, c, &to->node),
	};
	struct source *s = source_local_open(o->arena, &local, err);

	if (!s)
		return false;
	read_open(o, &source_local, s, "--local", to);
	return true;
}

static bool read_path(struct run_options *o, const char *where, struct outlet *to, struct err *err)
{
	const struct source_ops *ops = source_for(where);
	struct source *s = ops->open(o->arena, where, err);

	if (!s)
		return false;
	read_open(o, ops, s, where, to);
	return true;
}

bool sources_given(const struct run_options *o)
{
	return o->local || o->from.n;
}

bool sources_read(struct run_options *o, struct cluster *c, const struct evidence_tap *tap,
		  struct err *err)
{
	struct outlet to = { .arena = o->arena, .tap = tap };

	if (o->local) {
		sources_catch_signals();
		if (!read_local(o, c, &to, err))
			return false;
	}
	for (size_t i = 0; i < o->from.n && !interrupted; i++)
		if (!read_path(o, o->from.v[i], &to, err))
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
