/*
 * Effective settings for one host: what `ssh -G` prints, with the run's own options over it. Where
 * there is no ssh program only the run's options count, and OpenSSH's defaults.
 */
#ifndef TWCSCHECK_SSH_SETTINGS_H
#define TWCSCHECK_SSH_SETTINGS_H

#include "base/arena.h"
#include "collect/remote.h"

struct known_hosts;
struct ssh_keys;

struct ssh_settings {
	const struct remote_node *node;
	const char *hostname;		/* to connect to */
	const char *user;
	const char *port;		/* decimal, 1 to 65535 */
	const char *host_key_alias;	/* name in known_hosts; NULL = hostname */
	/* Paths of private keys, in order, ~ and %-tokens expanded; most need not be there. */
	VEC(const char *) identities;
	bool identity_given;		/* by the run: then that alone, but the agent may hold it */
	bool identities_only;		/* the agent only for keys that are in `identities` */
	const char *agent;		/* socket of the agent; NULL = none */
	VEC(const char *) user_known_hosts, global_known_hosts;	/* paths; the first is written */
	const char *proxy_jump, *proxy_command;	/* NULL = none; as written, with their tokens */
	const char *host_key_algorithms;	/* as HostKeyAlgorithms; NULL = default */
	int64_t connect_timeout_s;	/* the run's if it has one, else the file's, else 5 */
	bool from_ssh;			/* the ssh program told them */
	/* Of all nodes with the same files; filled in by who opens links. */
	struct known_hosts *hosts;
	struct ssh_keys *keys;
};

/*
 * argv of `ssh -G` for the node, NULL-terminated. NULL when its host, port or user cannot be used:
 * ssh_settings_read() says why. Such a host must not reach ssh, where `Match exec` and a
 * ProxyCommand give it to a shell (OpenSSH before 9.6).
 */
char **ssh_settings_argv(struct arena *a, const struct remote_options *o,
			 const struct remote_node *n);

/*
 * From what `ssh -G` printed; `printed` with p NULL: there is no ssh program. Values that are no
 * settings are skipped; false and err set (ERR_USAGE) when host, port or user cannot be used.
 * The user is the node's own ("user" or user@host), else the run's, else the configuration's, else
 * the process's. He and his home are as the system has them, as with ssh, not as $HOME says.
 */
bool ssh_settings_read(struct arena *a, const struct remote_options *o,
		       const struct remote_node *n, struct slice printed, struct ssh_settings *out,
		       struct err *err) MUST_USE;

#endif
