/* Private to ssh.c, ssh_auth.c and ssh_channel.c: one connection through libssh2. */
#ifndef TWCSCHECK_SSH_LINK_H
#define TWCSCHECK_SSH_LINK_H

#include <libssh2.h>

#include "base/buf.h"
#include "collect/link.h"
#include "collect/remote_errout.h"
#include "collect/resolve.h"
#include "collect/ssh_keys.h"

/* Each state waits for one thing alone; a call that said EAGAIN is repeated and nothing else. */
enum ssh_state {
	SSH_RESOLVE, SSH_CONNECT, SSH_HANDSHAKE, SSH_HOST_KEY, SSH_METHODS, SSH_AGENT, SSH_FILE,
	SSH_IDLE,
	SSH_OPEN, SSH_EXEC, SSH_TALK, SSH_CLOSE, SSH_FREE,
	SSH_FAILED,
};

/* What a step of the machine came to. */
enum ssh_went {
	SSH_ON,			/* to another state: go on at once */
	SSH_WAITS,		/* call again when the socket is ready */
	SSH_EVENT,		/* link->event is to be told */
};

/* What waits for the socket to take bytes: libssh2 wants that very call again. */
enum ssh_pending { PENDING_NONE, PENDING_WRITE, PENDING_EOF, PENDING_OUT, PENDING_ERROUT };

struct ssh_command {
	const struct remote_request *q;
	const char *text;
	LIBSSH2_CHANNEL *channel;
	enum ssh_pending pending;
	size_t written;
	bool eof_sent;
	struct buf out;
	struct remote_errout errout;
	int64_t begin_ms, started_s;
	const char *problem;		/* why the answer is not whole */
	struct run_result result;
};

struct link {
	struct arena *arena;
	const struct remote_options *o;
	const struct ssh_settings *s;
	enum ssh_state state;
	enum link_event event;
	struct err err;
	bool other_may_do;
	int64_t deadline_ms;		/* of connecting, of logging in, or of the command */

	struct resolve *resolve;
	struct resolved addresses;
	size_t at_address;
	int64_t address_deadline_ms;
	const char *connect_error;	/* of the address before */
	int fd;
	const char *address;

	LIBSSH2_SESSION *session;
	size_t budget;			/* bytes that may still be received in this step */
	LIBSSH2_AGENT *agent;
	struct libssh2_agent_publickey *agent_key;
	unsigned agent_round;		/* 0: keys that are named; 1: all others */
	size_t at_identity;
	const char *tried;		/* keys that were offered, for the error */
	unsigned n_tried;
	bool rsa_refused;

	const char *text, *text_word;	/* of the last request, and which one that was */
	bool text_as_owner;
	struct ssh_command command;
};

/* Sets the error and ends the machine. */
enum ssh_went ssh_fail(struct link *l, enum err_kind kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
enum ssh_went ssh_go(struct link *l, enum ssh_state state);
enum ssh_went ssh_tell(struct link *l, enum ssh_state state, enum link_event event);
/* libssh2's last complaint, as one line; never NULL. */
const char *ssh_complaint(struct link *l);
/* Does the error mean that the connection is gone? */
bool ssh_is_broken(int code);
/* Is libssh2 older than this at run time? */
bool ssh_older_than(int major, int minor);

enum ssh_went ssh_methods(struct link *l);
enum ssh_went ssh_agent(struct link *l);
enum ssh_went ssh_file(struct link *l);
void ssh_auth_close(struct link *l);

enum ssh_went ssh_open(struct link *l);
enum ssh_went ssh_exec(struct link *l);
enum ssh_went ssh_talk(struct link *l);
enum ssh_went ssh_close(struct link *l);
enum ssh_went ssh_free(struct link *l);
/* The command's time is over: its answer says so, and its channel is given up. */
enum ssh_went ssh_command_late(struct link *l);

#endif
