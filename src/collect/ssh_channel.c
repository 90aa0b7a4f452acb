/*
 * One request over a connection: open -> exec -> talk -> close -> free.
 *
 * While it talks both output streams are read in turn: a stream that nobody reads stops the other
 * one. A status is only believed with node.sh's own last line, for libssh2 says 0 also when none
 * came.
 */
#include <stdlib.h>
#include <string.h>

#include "collect/ssh_link.h"

enum { PIECE = 32 * 1024, PATIENCE_MS = 2000 };

static enum ssh_went fail_broken(struct link *l)
{
	return ssh_fail(l, ERR_CONNECT, "the connection to %s broke while '%s' ran: %s",
			l->s->hostname, l->command.q->command, ssh_complaint(l));
}

/* The answer is there, whole or not. */
static enum ssh_went answered(struct link *l)
{
	struct ssh_command *c = &l->command;
	struct run_result *r = &c->result;

	if (c->out.n)
		r->out = (struct slice){ c->out.p, c->out.n };
	else
		buf_free(&c->out);
	c->out = (struct buf){ 0 };
	r->started_s = c->started_s;
	r->duration_ms = run_clock_ms() - c->begin_ms;
	l->deadline_ms = INT64_MAX;
	return ssh_tell(l, SSH_IDLE, LINK_ANSWERED);
}

/* ---- open, exec ---- */

static enum ssh_went refuse(struct link *l, const char *what)
{
	struct run_result *r = &l->command.result;

	r->exit_status = some_i64(RUN_NOT_RUN);
	r->errout = arena_printf(l->arena, "%s %s: %s", l->s->hostname, what, ssh_complaint(l));
	return answered(l);
}

enum ssh_went ssh_open(struct link *l)
{
	int code;

	if (!l->command.text)
		return refuse(l, "is not asked: its owner's name can't be one");
	l->command.channel = libssh2_channel_open_session(l->session);
	if (l->command.channel)
		return ssh_go(l, SSH_EXEC);
	code = libssh2_session_last_errno(l->session);
	if (code == LIBSSH2_ERROR_EAGAIN)
		return SSH_WAITS;
	if (ssh_is_broken(code))
		return fail_broken(l);
	return refuse(l, "opens no channel (MaxSessions?)");
}

enum ssh_went ssh_exec(struct link *l)
{
	struct ssh_command *c = &l->command;
	int code = libssh2_channel_process_startup(c->channel, "exec", 4, c->text,
						   (unsigned)strlen(c->text));

	if (code == LIBSSH2_ERROR_EAGAIN)
		return SSH_WAITS;
	if (code == 0)
		return ssh_go(l, SSH_TALK);
	if (ssh_is_broken(code))
		return fail_broken(l);
	c->problem = "";
	c->result.exit_status = some_i64(RUN_NOT_RUN);
	c->result.errout = arena_printf(l->arena, "%s runs no commands for %s: %s",
					l->s->hostname, l->s->user, ssh_complaint(l));
	return ssh_go(l, SSH_FREE);
}

/* ---- talk ---- */

/*
 * After EAGAIN with bytes left to send libssh2 wants the same call again before any other on this
 * session. True when it is so.
 */
static bool is_stuck(struct link *l, enum ssh_pending call)
{
	bool outbound = (libssh2_session_block_directions(l->session) &
			 LIBSSH2_SESSION_BLOCK_OUTBOUND) != 0;

	l->command.pending = outbound ? call : PENDING_NONE;
	return outbound;
}

/* 0 or a libssh2 error; EAGAIN only when stuck. A full window is not waited for here. */
static int write_input(struct link *l)
{
	struct ssh_command *c = &l->command;
	const struct slice *in = &c->q->input;

	while (c->written < in->n) {
		size_t piece = in->n - c->written < PIECE ? in->n - c->written : PIECE;
		ssize_t n;

		if (c->pending != PENDING_WRITE &&
		    !libssh2_channel_window_write_ex(c->channel, NULL))
			return 0;
		n = libssh2_channel_write(c->channel, in->p + c->written, piece);
		if (n == LIBSSH2_ERROR_EAGAIN)
			return is_stuck(l, PENDING_WRITE) ? LIBSSH2_ERROR_EAGAIN : 0;
		c->pending = PENDING_NONE;
		if (n < 0)
			return (int)n;
		c->written += (size_t)n;
	}
	return 0;
}

static int send_eof(struct link *l)
{
	struct ssh_command *c = &l->command;
	int code;

	if (c->eof_sent || c->written < c->q->input.n)
		return 0;
	code = libssh2_channel_send_eof(c->channel);
	if (code == LIBSSH2_ERROR_EAGAIN)
		return is_stuck(l, PENDING_EOF) ? LIBSSH2_ERROR_EAGAIN : 0;
	c->pending = PENDING_NONE;
	c->eof_sent = code == 0;
	return code;
}

/* Reads one stream until it has no more now. */
static int drain(struct link *l, bool errout)
{
	struct ssh_command *c = &l->command;
	char piece[PIECE];
	ssize_t n;

	for (;;) {
		n = libssh2_channel_read_ex(c->channel, errout ? SSH_EXTENDED_DATA_STDERR : 0,
					    piece, sizeof(piece));
		if (n == LIBSSH2_ERROR_EAGAIN)
			return is_stuck(l, errout ? PENDING_ERROUT : PENDING_OUT)
				       ? LIBSSH2_ERROR_EAGAIN : 0;
		c->pending = PENDING_NONE;
		if (n <= 0)
			return (int)n;
		if (errout)
			remote_errout_add(&c->errout, piece, (size_t)n);
		else
			buf_add(&c->out, piece, (size_t)n);
		if (c->out.truncated)
			return 0;
	}
}

/* One round of all that can be done; the call that is stuck comes first, and alone. */
static int talk(struct link *l)
{
	struct ssh_command *c = &l->command;
	enum ssh_pending stuck = c->pending;
	int code = 0;

	if (stuck == PENDING_OUT || stuck == PENDING_ERROUT)
		code = drain(l, stuck == PENDING_ERROUT);
	else if (stuck == PENDING_WRITE)
		code = write_input(l);
	else if (stuck == PENDING_EOF)
		code = send_eof(l);
	if (code)
		return code;
	code = write_input(l);
	if (!code)
		code = send_eof(l);
	if (!code)
		code = drain(l, false);
	if (!code)
		code = drain(l, true);
	return code;
}

enum ssh_went ssh_talk(struct link *l)
{
	struct ssh_command *c = &l->command;
	int code = talk(l);

	if (code == LIBSSH2_ERROR_EAGAIN)
		return SSH_WAITS;
	if (ssh_is_broken(code))
		return fail_broken(l);
	if (c->out.truncated) {
		c->problem = arena_printf(l->arena, "printed more than %zu MiB",
					  c->q->out_max >> 20);
		l->deadline_ms = run_clock_ms() + PATIENCE_MS;
		return ssh_go(l, SSH_CLOSE);
	}
	/* what it does not read it does not need: its answer counts */
	if (code < 0 && !libssh2_channel_eof(c->channel) && code != LIBSSH2_ERROR_CHANNEL_CLOSED &&
	    code != LIBSSH2_ERROR_CHANNEL_EOF_SENT)
		return fail_broken(l);
	return libssh2_channel_eof(c->channel) ? ssh_go(l, SSH_CLOSE) : SSH_WAITS;
}

/* ---- the end of it ---- */

/* "TERM", or NULL. */
static const char *signal_of(struct link *l)
{
	char *name = NULL, *text = NULL, *language = NULL;
	const char *copy = NULL;
	size_t n = 0;

	libssh2_channel_get_exit_signal(l->command.channel, &name, &n, &text, NULL, &language,
					NULL);
	if (name && n)
		copy = arena_copy(l->arena, (struct slice){ name, n });
	if (name)
		libssh2_free(l->session, name);
	if (text)
		libssh2_free(l->session, text);
	if (language)
		libssh2_free(l->session, language);
	return copy;
}

static void set_result(struct link *l)
{
	struct ssh_command *c = &l->command;
	struct run_result *r = &c->result;
	char *errout = remote_errout_text(l->arena, &c->errout);
	int64_t status;

	r->errout = errout;
	if (!c->problem && remote_take_end(errout, &status)) {
		r->exit_status = some_i64(status);
		return;
	}
	r->signal = signal_of(l);
	if (!r->signal)
		r->exit_status = some_i64(libssh2_channel_get_exit_status(c->channel));
	if (r->exit_status.known && r->exit_status.v == 0)
		r->exit_status.v = RUN_TIMEOUT;
	if (!c->problem && !*errout)
		c->problem = "the answer broke off";
	if (c->problem)
		r->errout = *errout ? arena_printf(l->arena, "%s\n%s", c->problem, errout)
				    : c->problem;
}

enum ssh_went ssh_close(struct link *l)
{
	struct ssh_command *c = &l->command;
	int code = libssh2_channel_close(c->channel);

	if (code == LIBSSH2_ERROR_EAGAIN)
		return SSH_WAITS;
	if (ssh_is_broken(code) && !c->problem && !libssh2_channel_eof(c->channel))
		return fail_broken(l);
	set_result(l);
	return ssh_go(l, SSH_FREE);
}

enum ssh_went ssh_free(struct link *l)
{
	struct ssh_command *c = &l->command;

	if (libssh2_channel_free(c->channel) == LIBSSH2_ERROR_EAGAIN)
		return SSH_WAITS;
	c->channel = NULL;
	return answered(l);
}

/*
 * First the command is late: its channel is closed. When that is late too the connection is given
 * up, for libssh2 would wait for it for ever.
 */
enum ssh_went ssh_command_late(struct link *l)
{
	struct ssh_command *c = &l->command;

	if (l->state >= SSH_CLOSE || !c->channel || l->state < SSH_TALK ||
	    c->pending != PENDING_NONE)
		return ssh_fail(l, ERR_TIMEOUT, "%s did not answer '%s' within %lld s",
				l->s->hostname, c->q->command,
				(long long)(c->q->timeout_ms + 999) / 1000);
	c->problem = arena_printf(l->arena, "took longer than %lld s",
				  (long long)(c->q->timeout_ms + 999) / 1000);
	l->deadline_ms = run_clock_ms() + PATIENCE_MS;
	return ssh_go(l, SSH_CLOSE);
}
