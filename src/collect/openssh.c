/*
 * The ssh program as a link: all of what it can do and of ~/.ssh/config, one process a request.
 * There is no connection between two requests but where the user's ControlMaster keeps one.
 */
#include <string.h>

#include "base/slice.h"
#include "collect/link.h"
#include "collect/ssh_reason.h"

enum { SSH_FAILED = 255 };	/* ssh's exit status for its own errors, and perhaps a command's */

enum state { IDLE, ASKED, ANSWERED, FAILED };

struct link {
	struct arena *arena;
	const struct remote_options *o;
	const struct ssh_settings *s;
	enum state state;
	struct arena *work;		/* of the request that runs: commands are long */
	struct run *run;
	struct run_result answer;
	struct err err;
};

struct words { struct arena *arena; VEC(char *) list; };

/* ---- the command line ---- */

static void add(struct words *w, const char *word)
{
	*vec_add(w->arena, &w->list) = word ? arena_strdup(w->arena, word) : NULL;
}

static void add_option(struct words *w, const char *letter, const char *value)
{
	if (!value)
		return;
	add(w, letter);
	add(w, value);
}

/* A path as the value of an option: one word in quotes, its percent signs no tokens. */
static const char *quoted_path(struct arena *a, const char *path)
{
	char *out = arena_alloc(a, 2 * strlen(path) + 3), *p = out;

	*p++ = '"';
	for (; *path; path++) {
		if (*path == '"' || *path == '\\')
			*p++ = '\\';
		if (*path == '%')
			*p++ = '%';
		*p++ = *path;
	}
	*p = '"';
	return out;
}

/* -i says when there is no such file, but looks for it before it reads tokens. */
static void add_files(struct words *w, const struct remote_options *o)
{
	if (o->identity) {
		if (strchr(o->identity, '%'))
			add_option(w, "-o", arena_printf(w->arena, "IdentityFile=%s",
							 quoted_path(w->arena, o->identity)));
		else
			add_option(w, "-i", o->identity);
		add_option(w, "-o", "IdentitiesOnly=yes");
	}
	if (o->known_hosts) {
		add_option(w, "-o", arena_printf(w->arena, "UserKnownHostsFile=%s",
						 quoted_path(w->arena, o->known_hosts)));
		add_option(w, "-o", "GlobalKnownHostsFile=/dev/null");
	}
}

/*
 * Of the user's configuration all counts but what would do more than run a command. Messages are
 * needed, but no more than the usual ones.
 */
static char **ssh_words(struct arena *a, const struct remote_options *o,
			const struct ssh_settings *s, const char *command)
{
	int64_t timeout_s = s->connect_timeout_s > 0 ? s->connect_timeout_s : o->connect_timeout_s;
	struct words w = { .arena = a };

	add(&w, o->ssh ? o->ssh : "ssh");
	add(&w, "-T");
	add(&w, "-a");
	add(&w, "-x");
	add_option(&w, "-F", o->ssh_config);
	add_option(&w, "-o", "BatchMode=yes");
	add_option(&w, "-o", "LogLevel=INFO");
	add_option(&w, "-o", "ClearAllForwardings=yes");
	if (timeout_s > 0)
		add_option(&w, "-o", arena_printf(a, "ConnectTimeout=%lld", (long long)timeout_s));
	add_option(&w, "-o", o->host_keys == HOST_KEYS_ACCEPT_NEW
				     ? "StrictHostKeyChecking=accept-new"
				     : "StrictHostKeyChecking=yes");
	add_option(&w, "-l", s->node->user ? s->node->user : o->user);
	add_option(&w, "-p", s->node->port);
	add_files(&w, o);
	add_option(&w, "-J", o->jump);
	add(&w, "--");
	add(&w, s->node->host);
	add(&w, command);
	add(&w, NULL);
	return w.list.v;
}

/* ---- what came of it ---- */

static bool is_whole(const struct run_result *r, int64_t status)
{
	/* what was printed may be cut all the same when ssh did not end as the command did */
	return r->cause == RUN_BY_ITSELF && !r->signal && r->exit_status.known &&
	       (r->exit_status.v == status || r->exit_status.v == 0);
}

/* What was said on standard error, by ssh or through it; in l->work. */
static char *said_by(struct link *l, const struct run_result *r)
{
	const char *text = r->errout;

	if (r->why)
		text += strlen(r->why) + (text[strlen(r->why)] == '\n');
	return arena_strdup(l->work, text);
}

static const char *with_cause(struct link *l, const char *why, const char *text)
{
	if (!why)
		return arena_strdup(l->arena, text);
	return *text ? arena_printf(l->arena, "%s\n%s", why, text) : arena_strdup(l->arena, why);
}

/* It ended by itself, ssh was well, and yet node.sh did not come to its end. */
static void break_off(struct run_result *r)
{
	if (r->exit_status.known && r->exit_status.v == 0)
		r->exit_status.v = SSH_FAILED;
	r->why = "the answer broke off";
}

/* When the script was killed ssh has the same status, but nothing to say of it. */
static bool ssh_failed(const struct run_result *r, bool begun, const char *said)
{
	return r->cause == RUN_BY_ITSELF && r->exit_status.known &&
	       r->exit_status.v == SSH_FAILED && (!begun || ssh_reason_known(said));
}

static enum state judge(struct link *l, struct run_result *r)
{
	char *text = said_by(l, r), *all;
	bool begun = remote_take_begin(text), ended;
	int64_t status = 0;

	all = arena_strdup(l->work, text);
	ended = remote_take_end(text, &status);
	if (r->cause == RUN_NOT_STARTED) {
		err_set(l->arena, &l->err, ERR_CONNECT, l->s->node->name, 0, "%s", r->why);
		return FAILED;
	}
	if (r->cause == RUN_TOO_LONG) {	/* ssh was ended by a signal, not the command */
		r->exit_status = some_i64(RUN_TIMEOUT);
		r->signal = NULL;
	} else if (ended && is_whole(r, status)) {
		r->exit_status = some_i64(status);
	} else if (ssh_failed(r, begun, all)) {
		ssh_reason(l->arena, l->o, l->s->node, all, &l->err);
		return FAILED;
	} else if (r->cause == RUN_BY_ITSELF) {
		break_off(r);
	}
	r->why = r->why ? arena_strdup(l->arena, r->why) : NULL;
	r->errout = with_cause(l, r->why, text);
	r->signal = r->signal ? arena_strdup(l->arena, r->signal) : NULL;
	return ANSWERED;
}

static void end_run(struct link *l)
{
	if (l->run)
		run_end(l->run, &l->answer);
	l->run = NULL;
}

static void end_work(struct link *l)
{
	arena_destroy(l->work);
	l->work = NULL;
}

/* ---- the link ---- */

static enum state fail(struct link *l, enum err_kind kind, const char *what, const char *which)
{
	err_set(l->arena, &l->err, kind, l->s->node->name, 0, "the %s '%s' cannot be used", what,
		which);
	return FAILED;
}

static struct link *openssh_open(struct arena *a, const struct remote_options *o,
				 const struct ssh_settings *s)
{
	struct link *l = arena_alloc(a, sizeof(*l));

	*l = (struct link){ .arena = a, .o = o, .s = s };
	/* after "--" it would be no option, but it may come to a proxy command without one */
	if (!*s->node->host || *s->node->host == '-')
		l->state = fail(l, ERR_USAGE, "host name", s->node->host);
	return l;
}

static void openssh_ask(struct link *l, const struct remote_request *q)
{
	struct run_limits limits = {
		.timeout_ms = q->timeout_ms, .out_max = q->out_max, .err_end = true,
		.no_terminal = true,
	};
	const char *command;

	if (l->state == FAILED)
		return;
	l->work = arena_create();
	command = remote_command(l->work, l->o, q);
	if (!command) {
		end_work(l);
		l->state = fail(l, ERR_USAGE, "user for sudo", l->o->sudo);
		return;
	}
	l->run = run_begin(l->work, ssh_words(l->work, l->o, l->s, command), q->input, &limits);
	l->state = ASKED;
}

static enum link_event openssh_step(struct link *l)
{
	if (l->state == ASKED && run_step(l->run)) {
		end_run(l);
		l->state = judge(l, &l->answer);
		end_work(l);
	}
	switch (l->state) {
	case IDLE:
		return LINK_READY;
	case ASKED:
		return LINK_WAITS;
	case ANSWERED:
		return LINK_ANSWERED;
	case FAILED:
		break;
	}
	return LINK_FAILED;
}

static size_t openssh_polls(const struct link *l, struct pollfd p[LINK_POLLS], int64_t *wait_ms)
{
	if (l->state == ASKED)
		return run_polls(l->run, p, wait_ms);
	*wait_ms = 0;
	return 0;
}

static void openssh_answer(struct link *l, struct run_result *out)
{
	*out = l->answer;
	l->answer = (struct run_result){ 0 };
	l->state = IDLE;
}

static const struct err *openssh_error(const struct link *l)
{
	return &l->err;
}

static bool openssh_other_may_do(const struct link *l)
{
	(void)l;
	return false;
}

static const char *openssh_address(const struct link *l)
{
	(void)l;
	return NULL;
}

static void openssh_close(struct link *l)
{
	end_run(l);
	run_free(&l->answer);
	end_work(l);
}

const struct link_ops link_openssh = {
	.name = "openssh",
	.open = openssh_open,
	.ask = openssh_ask,
	.step = openssh_step,
	.polls = openssh_polls,
	.answer = openssh_answer,
	.error = openssh_error,
	.other_may_do = openssh_other_may_do,
	.address = openssh_address,
	.close = openssh_close,
};
