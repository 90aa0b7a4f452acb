/*
 * The loop over all nodes: settings, link, conversation, one node beside the other.
 *
 * Invariants: a node is stepped only when one of its descriptors is ready or its time has come, so
 * that an idle fleet costs nothing; every wait has an end; whatever ends the run, each node has
 * handed out what it has and said why the rest is missing.
 */
#include "collect/fleet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/conversation.h"
#include "collect/known_hosts.h"
#include "collect/link.h"
#include "collect/ssh_keys.h"

enum {
	PARALLEL = 64,
	SETTINGS_MAX = 1024 * 1024, SETTINGS_TIME_MS = 10000,
	TICK_MS = 100, LONGEST_MS = 1000,
	IDLE_MS = 250,			/* how often one that waits for others looks up */
};

enum node_state {
	NODE_QUEUED,
	NODE_SETTINGS,		/* ssh -G runs */
	NODE_LINKED,		/* its link is stepped */
	NODE_IDLE,		/* connected; waits for what another node is asked */
	NODE_DONE,
};

struct fleet_node {
	const struct remote_node *node;
	enum node_state state;
	bool failed, connected;
	int64_t begin_ms;
	struct run *settings_run;
	struct ssh_settings settings;
	const struct link_ops *ops;
	struct link *link;
	const char *transport;		/* to be said of the way; NULL = nothing */
	struct conversation *talk;
	/* of the last poll */
	size_t first_poll, n_polls;
	int64_t due_ms;
};

struct host_files { const char *paths; struct known_hosts *hosts; };

struct source {
	struct arena *arena;
	const struct remote_options *o;
	struct fleet_node *nodes;
	size_t n_nodes, n_running, n_done, n_failed, next;
	struct errands *errands;
	struct ssh_keys *keys;
	VEC(struct host_files) hosts;
	int64_t deadline_ms, progress_ms;
	struct pollfd *polls;
};

/* ---- one node's ends ---- */

static void close_node(struct fleet_node *n)
{
	struct run_result r;

	if (n->settings_run) {
		run_end(n->settings_run, &r);
		run_free(&r);
	}
	n->settings_run = NULL;
	if (n->link)
		n->ops->close(n->link);
	n->link = NULL;
	conversation_close(n->talk);
}

static void finish_node(struct source *s, struct fleet_node *n)
{
	if (n->state != NODE_QUEUED)
		s->n_running--;
	n->state = NODE_DONE;
	s->n_done++;
	close_node(n);
}

static void fail_node(struct source *s, struct fleet_node *n, const struct err *why)
{
	if (!n->connected)
		conversation_begin(n->talk, n->link ? n->ops->address(n->link) : NULL,
				   n->transport);
	conversation_fail(n->talk, why);
	n->failed = true;
	s->n_failed++;
	finish_node(s, n);
}

/* ---- settings ---- */

static const char *all_paths(struct arena *a, const struct ssh_settings *set)
{
	const char *text = "";

	for (size_t i = 0; i < set->user_known_hosts.n; i++)
		text = arena_printf(a, "%s%s\n", text, set->user_known_hosts.v[i]);
	for (size_t i = 0; i < set->global_known_hosts.n; i++)
		text = arena_printf(a, "%s%s\n", text, set->global_known_hosts.v[i]);
	return text;
}

/* The files are read once, however many nodes have them. */
static bool find_hosts(struct source *s, struct ssh_settings *set, struct err *err)
{
	const char *paths = all_paths(s->arena, set);
	struct known_hosts *k;

	for (size_t i = 0; i < s->hosts.n; i++) {
		if (strcmp(s->hosts.v[i].paths, paths) != 0)
			continue;
		set->hosts = s->hosts.v[i].hosts;
		return true;
	}
	k = known_hosts_create(s->arena);
	for (size_t i = 0; i < set->user_known_hosts.n; i++)
		if (!known_hosts_read(k, set->user_known_hosts.v[i], err))
			return false;
	for (size_t i = 0; i < set->global_known_hosts.n; i++)
		if (!known_hosts_read(k, set->global_known_hosts.v[i], err))
			return false;
	*vec_add(s->arena, &s->hosts) = (struct host_files){ paths, k };
	set->hosts = k;
	return true;
}

static void open_link(struct source *s, struct fleet_node *n, const struct link_ops *ops)
{
	n->ops = ops;
	n->link = ops->open(s->arena, s->o, &n->settings);
	n->state = NODE_LINKED;
	n->due_ms = 0;
}

static void take_settings(struct source *s, struct fleet_node *n, struct slice printed)
{
	bool openssh = s->o->transport == TRANSPORT_OPENSSH;
	struct err err = { 0 };

	if (!ssh_settings_read(s->arena, s->o, n->node, printed, &n->settings, &err)) {
		fail_node(s, n, &err);
		return;
	}
	n->settings.keys = s->keys;
	ssh_keys_prepare(s->keys, &n->settings);
	if (!openssh && !find_hosts(s, &n->settings, &err)) {
		err.kind = ERR_HOSTKEY;
		err.text = err_text(s->arena, &err);
		fail_node(s, n, &err);
		return;
	}
	open_link(s, n, openssh ? &link_openssh : &link_ssh);
}

static void begin_node(struct source *s, struct fleet_node *n)
{
	const struct run_limits limits = {
		.timeout_ms = SETTINGS_TIME_MS, .out_max = SETTINGS_MAX,
		.err_max = REMOTE_ERROUT_MAX, .stop = s->o->stop,
	};
	const struct slice nothing = { NULL, 0 };
	char **argv = ssh_settings_argv(s->arena, s->o, n->node);

	s->n_running++;
	n->begin_ms = run_clock_ms();
	n->state = NODE_SETTINGS;
	n->due_ms = 0;
	if (s->o->transport == TRANSPORT_OPENSSH || !argv)
		take_settings(s, n, nothing);
	else
		n->settings_run = run_begin(s->arena, argv, nothing, &limits);
}

static void step_settings(struct source *s, struct fleet_node *n)
{
	struct run_result r;

	if (!run_step(n->settings_run))
		return;
	run_end(n->settings_run, &r);
	n->settings_run = NULL;
	if (r.exit_status.known && r.exit_status.v == 0) {
		take_settings(s, n, r.out);
	} else if (r.exit_status.known && r.exit_status.v == RUN_NOT_FOUND) {
		take_settings(s, n, (struct slice){ NULL, 0 });
	} else {
		const struct err err = {
			.kind = ERR_CONNECT,
			.text = arena_printf(s->arena, "ssh -G %s: %s", n->node->host,
					     *r.errout ? r.errout : "failed"),
		};

		fail_node(s, n, &err);
	}
	run_free(&r);
}

/* ---- link and conversation ---- */

/* Asks what is next; true = the link is busy with it. */
static bool ask_next(struct source *s, struct fleet_node *n)
{
	const struct remote_request *q = conversation_next(n->talk);

	if (q) {
		n->ops->ask(n->link, q);
		n->state = NODE_LINKED;
		return true;
	}
	if (conversation_is_over(n->talk))
		finish_node(s, n);
	else
		n->state = NODE_IDLE;
	return false;
}

/* What another transport can do is not yet a failure. */
static bool fall_back(struct source *s, struct fleet_node *n)
{
	if (n->connected || s->o->transport != TRANSPORT_AUTO || n->ops != &link_ssh ||
	    !n->ops->other_may_do(n->link))
		return false;
	n->transport = arena_printf(s->arena, "openssh: %s", n->ops->error(n->link)->text);
	n->ops->close(n->link);
	open_link(s, n, &link_openssh);
	return true;
}

/* True = step again at once. */
static bool take_event(struct source *s, struct fleet_node *n, enum link_event event)
{
	struct run_result answer = { 0 };

	switch (event) {
	case LINK_WAITS:
		return false;
	case LINK_READY:
		n->connected = true;
		conversation_begin(n->talk, n->ops->address(n->link), n->transport);
		return ask_next(s, n);
	case LINK_ANSWERED:
		n->ops->answer(n->link, &answer);
		conversation_take(n->talk, &answer);
		run_free(&answer);
		if (!conversation_is_over(n->talk))
			return ask_next(s, n);
		n->failed = true;	/* it gave up by itself */
		s->n_failed++;
		finish_node(s, n);
		return false;
	case LINK_FAILED:
		break;
	}
	if (fall_back(s, n))
		return true;
	fail_node(s, n, n->ops->error(n->link));
	return false;
}

static void step_node(struct source *s, struct fleet_node *n)
{
	if (n->state == NODE_SETTINGS)
		step_settings(s, n);
	else if (n->state == NODE_IDLE)
		(void)ask_next(s, n);
	while (n->state == NODE_LINKED && take_event(s, n, n->ops->step(n->link)))
		;
}

/* ---- the loop ---- */

static bool is_ready(const struct source *s, const struct fleet_node *n, int64_t now_ms)
{
	if (n->due_ms <= now_ms)
		return true;
	for (size_t i = 0; i < n->n_polls; i++)
		if (s->polls[n->first_poll + i].revents)
			return true;
	return false;
}

static void step_all(struct source *s)
{
	int64_t now_ms = run_clock_ms();

	for (size_t i = 0; i < s->n_nodes; i++) {
		struct fleet_node *n = &s->nodes[i];

		if (n->state != NODE_QUEUED && n->state != NODE_DONE && is_ready(s, n, now_ms))
			step_node(s, n);
	}
	/* what they waited for may have come */
	for (size_t i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].state == NODE_IDLE)
			step_node(s, &s->nodes[i]);
}

static bool may_begin(const struct source *s)
{
	return s->next < s->n_nodes &&
	       s->n_running < (s->o->parallel ? s->o->parallel : PARALLEL);
}

static void begin_some(struct source *s)
{
	while (may_begin(s))
		begin_node(s, &s->nodes[s->next++]);
}

/* Fills s->polls and when each node is due without them; milliseconds until the first. */
static int64_t gather_polls(struct source *s, size_t *n_polls)
{
	int64_t now_ms = run_clock_ms(), first_ms = s->deadline_ms - now_ms;

	*n_polls = 0;
	for (size_t i = 0; i < s->n_nodes; i++) {
		struct fleet_node *n = &s->nodes[i];
		int64_t wait_ms = INT64_MAX / 2;

		n->first_poll = *n_polls;
		n->n_polls = 0;
		if (n->state == NODE_SETTINGS)
			n->n_polls = run_polls(n->settings_run, s->polls + *n_polls, &wait_ms);
		else if (n->state == NODE_LINKED)
			n->n_polls = n->ops->polls(n->link, s->polls + *n_polls, &wait_ms);
		else if (n->state == NODE_IDLE)
			wait_ms = IDLE_MS;
		*n_polls += n->n_polls;
		n->due_ms = now_ms + wait_ms;
		if (wait_ms < first_ms)
			first_ms = wait_ms;
	}
	return first_ms < 0 ? 0 : first_ms;
}

static void tell_progress(struct source *s)
{
	struct remote_progress p = { .nodes = s->n_nodes, .done = s->n_done,
				     .running = s->n_running, .failed = s->n_failed };
	const struct fleet_node *slowest = NULL;
	int64_t now_ms = run_clock_ms();

	if (!s->o->progress || now_ms - s->progress_ms < TICK_MS)
		return;
	s->progress_ms = now_ms;
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct fleet_node *n = &s->nodes[i];

		if (n->state != NODE_QUEUED && n->state != NODE_DONE &&
		    (!slowest || n->begin_ms < slowest->begin_ms))
			slowest = n;
	}
	if (slowest) {
		p.slowest = slowest->node->name;
		p.doing = conversation_doing(slowest->talk);
	}
	s->o->progress(s->o->progress_ctx, &p);
}

static bool is_stopped(const struct source *s)
{
	return s->o->stop && *s->o->stop;
}

static void wait_for_some(struct source *s)
{
	size_t n;
	int64_t wait_ms = gather_polls(s, &n);

	if (s->o->progress && wait_ms > TICK_MS)
		wait_ms = TICK_MS;
	/* a signal may come between looking for it and waiting */
	if (wait_ms > LONGEST_MS)
		wait_ms = LONGEST_MS;
	/* a signal ends it as well, and then the loop looks at everything */
	if (poll(s->polls, (nfds_t)n, (int)wait_ms) < 0)
		for (size_t i = 0; i < n; i++)
			s->polls[i].revents = 0;
}

static void give_up(struct source *s, const char *why)
{
	const struct err err = { .kind = ERR_TIMEOUT, .text = why };

	for (size_t i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].state != NODE_DONE)
			fail_node(s, &s->nodes[i], &err);
}

static bool fleet_read(struct source *s, evidence_fn *each, void *ctx, struct err *err)
{
	for (size_t i = 0; i < s->n_nodes; i++)
		s->nodes[i].talk = conversation_create(s->arena, s->o, s->nodes[i].node, s->errands,
						       each, ctx);
	s->deadline_ms = run_clock_ms() + s->o->timeout_s * 1000;
	while (s->n_done < s->n_nodes) {
		if (is_stopped(s)) {
			give_up(s, "interrupted");
			return err_set(s->arena, err, ERR_TIMEOUT, NULL, 0, "interrupted");
		}
		if (run_clock_ms() >= s->deadline_ms) {
			give_up(s, "the time for the whole run was over");
			break;
		}
		begin_some(s);
		tell_progress(s);
		step_all(s);
		if (s->n_running && !may_begin(s))
			wait_for_some(s);
	}
	return true;
}

static void fleet_close(struct source *s)
{
	for (size_t i = 0; s && i < s->n_nodes; i++)
		if (s->nodes[i].state != NODE_DONE && s->nodes[i].talk)
			close_node(&s->nodes[i]);
	if (s)
		free(s->polls);
	if (s)
		s->polls = NULL;
}

static bool is_there(const struct source *s, const char *name)
{
	for (size_t i = 0; i < s->n_nodes; i++)
		if (strcmp(s->nodes[i].node->name, name) == 0)
			return true;
	return false;
}

struct source *source_ssh_open(struct arena *a, const struct remote_options *o,
			       const struct remote_node *nodes, size_t n)
{
	struct source *s = arena_alloc(a, sizeof(*s));

	s->arena = a;
	s->o = o;
	s->nodes = arena_array(a, n, sizeof(*s->nodes));
	s->polls = calloc(n ? n * LINK_POLLS : 1, sizeof(*s->polls));
	for (size_t i = 0; i < n && s->polls; i++)
		if (!is_there(s, nodes[i].name))
			s->nodes[s->n_nodes++].node = &nodes[i];
	s->errands = errands_create(a);
	s->keys = ssh_keys_create(a, o);
	return s;
}

static struct source *open_without_nodes(struct arena *a, const char *where, struct err *err)
{
	err_set(a, err, ERR_USAGE, where, 0, "nodes are no path");
	return NULL;
}

const struct source_ops source_ssh = {
	.name = "ssh",
	.help = "nodes, asked over SSH",
	.open = open_without_nodes,
	.read = fleet_read,
	.close = fleet_close,
};
