/*
 * A link is one node's connection, or what stands for it: ssh.c talks through libssh2, openssh.c
 * runs the ssh program. The loop over all nodes (fleet.c) never asks which one it has.
 *
 * A link never waits. It is stepped: it does what can be done now and tells what it waits for.
 * Deadlines of connecting and of commands are the link's own; the loop only has that of the run.
 */
#ifndef TWCSCHECK_LINK_H
#define TWCSCHECK_LINK_H

#include <poll.h>

#include "collect/remote.h"
#include "collect/run.h"
#include "collect/ssh_settings.h"

struct link;

enum link_event {
	LINK_WAITS,		/* for its descriptors, or for its time */
	LINK_READY,		/* connected, and may be asked */
	LINK_ANSWERED,		/* the answer to the request is there */
	LINK_FAILED,		/* link_ops.error says why; it can only be closed */
};

enum { LINK_POLLS = 4 };

struct link_ops {
	const char *name;	/* "libssh2", "openssh" */
	/* Begins to connect. All arguments must live as long as the link. Never NULL. */
	struct link *(*open)(struct arena *a, const struct remote_options *o,
			     const struct ssh_settings *s);
	/* After LINK_READY, and again after each LINK_ANSWERED. */
	void (*ask)(struct link *l, const struct remote_request *q);
	enum link_event (*step)(struct link *l);
	/* What it waits for after LINK_WAITS; *wait_ms is lowered to when it must be stepped. */
	size_t (*polls)(const struct link *l, struct pollfd p[LINK_POLLS], int64_t *wait_ms);
	/* After LINK_ANSWERED, once: the caller frees it with run_free(). */
	void (*answer)(struct link *l, struct run_result *out);
	/* After LINK_FAILED: ERR_CONNECT, ERR_HOSTKEY, ERR_AUTH, ERR_TIMEOUT, with a remedy. */
	const struct err *(*error)(const struct link *l);
	/*
	 * Would the ssh program perhaps do what this one could not? True only for what libssh2
	 * cannot do: no common algorithm, a key it can't use, a jump host. Never because a host key
	 * is not the right one.
	 */
	bool (*other_may_do)(const struct link *l);
	/* Address of the peer, or NULL. */
	const char *(*address)(const struct link *l);
	/* At once, whatever it was doing; nothing is left behind. */
	void (*close)(struct link *l);
};

extern const struct link_ops link_ssh, link_openssh;

#endif
