/*
 * What is said to a node over SSH, whatever carries it: one request at a time, and what came of it.
 *
 * All that is ever run on a node is one shell script, node.sh, that knows a few words. The client
 * sends it whole with each request ("exec sh -c '<script>' twcscheck-node WORD"); names and paths
 * go to its standard input, so that no shell ever parses them.
 */
#ifndef TWCSCHECK_REMOTE_H
#define TWCSCHECK_REMOTE_H

#include <signal.h>

#include "base/arena.h"
#include "collect/live.h"
#include "collect/remote_errout.h"

enum transport { TRANSPORT_AUTO, TRANSPORT_LIBSSH2, TRANSPORT_OPENSSH };

/* Nothing accepts a key that differs from the known one. */
enum host_key_policy { HOST_KEYS_STRICT, HOST_KEYS_ACCEPT_NEW };

/* One node as the command line or the configuration names it. */
struct remote_node {
	const char *name;	/* in the report */
	const char *host;	/* name or address, as typed */
	const char *port;	/* NULL = as ~/.ssh/config has it, else 22 */
	const char *user;	/* of this node alone; NULL = that of the run */
};

struct remote_progress {
	size_t nodes, done, running, failed;	/* done: the failed ones as well */
	const char *slowest, *doing;	/* the node that runs longest, and its command; or NULL */
};

/* What is the same for all nodes of a run. NULL = not given. */
struct remote_options {
	enum transport transport;
	enum host_key_policy host_keys;
	const char *user;
	const char *identity;		/* path of a private key; ~/ is the home folder */
	const char *known_hosts;	/* path of the one file to use */
	const char *jump;		/* as ProxyJump */
	const char *ssh;		/* the ssh program; NULL = "ssh" */
	const char *ssh_config;		/* as ssh -F */
	const char *passphrase_command;	/* its first line of output unlocks the private key */
	const char *sudo;		/* user that may read the data directories */
	/* Programs on the nodes, options after them allowed. */
	const char *nodetool, *cqlsh, *sstablemetadata;
	bool no_nice;
	unsigned parallel;		/* connections at once */
	int64_t connect_timeout_s, command_timeout_s;
	int64_t timeout_s;		/* of the whole run */
	const volatile sig_atomic_t *stop;	/* not 0: come to an end; may be NULL */
	const struct live_guide *guide;
	/* Called when a node's state changed and about ten times a second; may be NULL. */
	void (*progress)(void *ctx, const struct remote_progress *p);
	void *progress_ctx;
};

struct remote_request {
	const char *word;		/* of node.sh */
	bool as_owner;			/* run by the owner of the data, when sudo is asked for */
	struct slice input;		/* settings, an empty line, parameters; one a line */
	const char *command;		/* as a person would type it */
	int64_t timeout_ms;
	size_t out_max;			/* bytes of standard output; more ends it */
};

/*
 * The text that the node's login shell gets: right in sh, csh and fish, since it holds neither
 * backslash nor exclamation mark. NULL when sudo is needed for a user that cannot be one.
 */
const char *remote_command(struct arena *a, const struct remote_options *o,
			   const struct remote_request *q);

/* A user's name that no shell and no sudo takes for anything else. */
bool remote_sudo_user_usable(const char *user);

/*
 * Before node.sh the command prints a line on standard error, a newline before it. What stands
 * above is not the command's: banners, and what the login shell has to say. Takes all that off;
 * false when the line is not there.
 */
bool remote_take_begin(char *errout);

/*
 * node.sh ends every answer with a line on standard error, so that a connection that broke, or a
 * status of ssh itself, is never taken for the command's end: a newline, "twcscheck-end STATUS",
 * another newline. Cuts `errout` off there, for what follows is not the command's, and sets
 * *status (0 to 255); false when it is not there. The last one counts. The beginning is taken off
 * as well.
 */
bool remote_take_end(char *errout, int64_t *status);

#endif
