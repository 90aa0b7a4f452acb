/*
 * Who logs in: keys of the agent that are named, all other keys of the agent, then key files, as
 * OpenSSH's client does it. A server ends the connection after a few refusals (MaxAuthTries), so
 * with a key that was given only that one is tried.
 */
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "collect/ssh_link.h"

static enum ssh_went logged_in(struct link *l)
{
	ssh_auth_close(l);
	l->deadline_ms = INT64_MAX;
	return ssh_tell(l, SSH_IDLE, LINK_READY);
}

static void note_tried(struct link *l, const char *name, const char *why)
{
	l->n_tried++;
	l->tried = arena_printf(l->arena, "%s%s%s%s%s", l->tried, *l->tried ? ", " : "", name,
				why ? ": " : "", why ? why : "");
}

static bool is_rsa(const char *name)
{
	return strstr(name, "rsa") != NULL;
}

/* The text of -18 is the same whatever the reason: what is known of it is said. */
static enum ssh_went fail_auth(struct link *l)
{
	const char *user = l->s->user, *name = l->s->hostname;

	if (l->rsa_refused && ssh_older_than(1, 11)) {
		l->other_may_do = true;
		return ssh_fail(l, ERR_AUTH, "%s refuses %s (%s): libssh2 %s cannot use RSA keys "
				"with OpenSSH 8.8 or newer; hint: use an ed25519 or ECDSA key, or "
				"\"transport\": \"openssh\"", name, user, l->tried,
				libssh2_version(0));
	}
	if (!l->n_tried)
		return ssh_fail(l, ERR_AUTH, "no key to log in to %s as %s with: no agent, and no "
				"key file; hint: \"identity\", or ssh-add", name, user);
	return ssh_fail(l, ERR_AUTH, "%s refuses %s (tried %s); hint: add the public key to "
			"authorized_keys of %s there", name, user, l->tried, user);
}

static enum ssh_went fail_broken(struct link *l)
{
	return ssh_fail(l, ERR_AUTH, "%s ended the connection while %s logged in%s%s%s; hint: too "
			"many keys in the agent, or MaxStartups; \"identity\" names one key",
			l->s->hostname, l->s->user, l->n_tried ? " (tried " : "", l->tried,
			l->n_tried ? ")" : "");
}

/* ---- what the server takes ---- */

enum ssh_went ssh_methods(struct link *l)
{
	const char *user = l->s->user;
	char *list = libssh2_userauth_list(l->session, user, (unsigned)strlen(user));

	if (!list) {
		int code = libssh2_session_last_errno(l->session);

		if (code == LIBSSH2_ERROR_EAGAIN)
			return SSH_WAITS;
		if (libssh2_userauth_authenticated(l->session))
			return logged_in(l);
		return ssh_is_broken(code) ? fail_broken(l)
				       : ssh_fail(l, ERR_AUTH, "%s does not say how to log in: %s",
						  l->s->hostname, ssh_complaint(l));
	}
	if (strstr(list, "publickey"))
		return ssh_go(l, l->s->agent && ssh_keys_agent_answers(l->s->keys, l->s->agent)
					 ? SSH_AGENT : SSH_FILE);
	l->other_may_do = true;
	return ssh_fail(l, ERR_AUTH, "%s does not take keys, only: %s", l->s->hostname, list);
}

/* ---- the agent ---- */

void ssh_auth_close(struct link *l)
{
	if (!l->agent)
		return;
	libssh2_agent_disconnect(l->agent);
	libssh2_agent_free(l->agent);
	l->agent = NULL;
	l->agent_key = NULL;
}

/* False when there is no agent that answers. */
static bool open_agent(struct link *l)
{
	l->agent = libssh2_agent_init(l->session);
	if (!l->agent)
		return false;
	libssh2_agent_set_identity_path(l->agent, l->s->agent);
	if (libssh2_agent_connect(l->agent) == 0 && libssh2_agent_list_identities(l->agent) == 0)
		return true;
	return false;
}

/* Is it one of the keys that are named for this host? */
static bool is_named(const struct link *l, const struct libssh2_agent_publickey *key)
{
	const struct slice blob = { (const char *)key->blob, key->blob_len };

	for (size_t i = 0; i < l->s->identities.n; i++)
		if (slice_eq(ssh_keys_get(l->s->keys, l->s->identities.v[i])->blob, blob))
			return true;
	return false;
}

/* The next key of this round, in the agent's order; NULL after the last one. */
static struct libssh2_agent_publickey *next_key(struct link *l)
{
	struct libssh2_agent_publickey *key = l->agent_key;
	unsigned rounds = l->s->identities_only || l->s->identity_given ? 1 : 2;

	for (; l->agent_round < rounds; l->agent_round++, key = NULL)
		while (libssh2_agent_get_identity(l->agent, &key, key) == 0)
			if (is_named(l, key) == (l->agent_round == 0))
				return key;
	return NULL;
}

/* Type of a key's blob: "ssh-ed25519". */
static const char *type_of(struct arena *a, const struct libssh2_agent_publickey *key)
{
	size_t n = key->blob_len > 4 ? key->blob[3] : 0;

	return n && n + 4 <= key->blob_len
		       ? arena_copy(a, (struct slice){ (const char *)key->blob + 4, n })
		       : "a key";
}

static void note_agent_key(struct link *l)
{
	const char *type = type_of(l->arena, l->agent_key);

	l->rsa_refused = l->rsa_refused || is_rsa(type);
	if (strncmp(type, "sk-", 3) == 0 || strstr(type, "-cert-"))
		l->other_may_do = true;
	note_tried(l, arena_printf(l->arena, "%s of the agent%s%s", type,
				   l->agent_key->comment && *l->agent_key->comment ? " " : "",
				   l->agent_key->comment ? l->agent_key->comment : ""), NULL);
}

enum ssh_went ssh_agent(struct link *l)
{
	int code;

	if (!l->agent && !open_agent(l)) {
		ssh_auth_close(l);
		return ssh_go(l, SSH_FILE);
	}
	if (!l->agent_key)
		l->agent_key = next_key(l);
	if (!l->agent_key) {
		ssh_auth_close(l);
		return ssh_go(l, SSH_FILE);
	}
	code = libssh2_agent_userauth(l->agent, l->s->user, l->agent_key);
	if (code == LIBSSH2_ERROR_EAGAIN)
		return SSH_WAITS;
	if (code == 0)
		return logged_in(l);
	note_agent_key(l);
	if (ssh_is_broken(code))
		return fail_broken(l);
	l->agent_key = next_key(l);
	if (l->agent_key)
		return SSH_ON;
	ssh_auth_close(l);
	return ssh_go(l, SSH_FILE);
}

/* ---- key files ---- */

/* Why a file did not do; NULL = the server refused it. */
static const char *reason_of(struct link *l, const struct ssh_key *key, int code)
{
	if (key->encrypted && !key->passphrase)
		return key->no_passphrase;
	if (code == LIBSSH2_ERROR_FILE)
		return key->encrypted ? "the passphrase is wrong, or libssh2 cannot read its form"
				      : "libssh2 cannot read it";
	if (code == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED ||
	    code == LIBSSH2_ERROR_AUTHENTICATION_FAILED)
		return NULL;
	return arena_strdup(l->arena, ssh_complaint(l));
}

/* With its certificate where it has one: libssh2 can use those of some types. */
static int try_file(struct link *l, const struct ssh_key *key)
{
	const char *user = l->s->user;

	return libssh2_userauth_publickey_fromfile_ex(l->session, user, (unsigned)strlen(user),
						      key->certificate, key->path,
						      key->passphrase);
}

static bool is_rsa_key(const struct ssh_key *key)
{
	return key->blob.n > 11 && memcmp(key->blob.p + 4, "ssh-rsa", 7) == 0;
}

static enum ssh_went refuse_file(struct link *l, const struct ssh_key *key, int code)
{
	l->rsa_refused = l->rsa_refused || (key->blob.n ? is_rsa_key(key) : is_rsa(key->path));
	if (key->certificate || (code == LIBSSH2_ERROR_FILE && !key->encrypted))
		l->other_may_do = true;
	note_tried(l, key->path, reason_of(l, key, code));
	if (ssh_is_broken(code))
		return fail_broken(l);
	l->at_identity++;
	return SSH_ON;
}

enum ssh_went ssh_file(struct link *l)
{
	struct ssh_key *key;
	int code;

	if (l->at_identity >= l->s->identities.n)
		return fail_auth(l);
	key = ssh_keys_get(l->s->keys, l->s->identities.v[l->at_identity]);
	if (!key->there) {
		if (l->s->identity_given)
			note_tried(l, key->path, "there is no such file that can be read");
		l->at_identity++;
		return SSH_ON;
	}
	if (key->encrypted)
		ssh_keys_unlock(l->s->keys, key);
	if (key->encrypted && !key->passphrase)
		return refuse_file(l, key, 0);
	code = try_file(l, key);
	if (code == LIBSSH2_ERROR_EAGAIN)
		return SSH_WAITS;
	return code == 0 ? logged_in(l) : refuse_file(l, key, code);
}
