/*
 * Private keys of a run: each file is looked at once, whatever the number of nodes, and a
 * passphrase is asked for at most once.
 */
#ifndef TWCSCHECK_SSH_KEYS_H
#define TWCSCHECK_SSH_KEYS_H

#include "base/arena.h"
#include "collect/ssh_settings.h"

struct ssh_key {
	const char *path;
	bool there, encrypted;
	struct slice blob;		/* the public key as on the wire; p NULL = not known */
	const char *certificate;	/* path of its user certificate; NULL = none */
	const char *passphrase;		/* NULL = none is known */
	const char *no_passphrase;	/* why not, when one was asked for */
};

struct ssh_keys;

struct ssh_keys *ssh_keys_create(struct arena *a, const struct remote_options *o);
/* The key of that path; the same one for the same path. Never NULL. */
struct ssh_key *ssh_keys_get(struct ssh_keys *k, const char *path);
/* Runs the passphrase command, or asks at the terminal, unless that was done before. */
void ssh_keys_unlock(struct ssh_keys *k, struct ssh_key *key);
/*
 * Does the agent at that socket answer within two seconds? Asked once for each socket: libssh2
 * would wait for one that hangs for ever.
 */
bool ssh_keys_agent_answers(struct ssh_keys *k, const char *path);
/*
 * Before the connection, when nothing runs against time: unlocks the one key that is given, when it
 * needs that and no agent may hold it.
 */
void ssh_keys_prepare(struct ssh_keys *k, const struct ssh_settings *set);

#endif
