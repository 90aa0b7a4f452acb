/* The keys of the configuration that say which nodes are asked over SSH, and how. */
#include "cli/config_values.h"

#include <stddef.h>
#include <string.h>

#include "base/slice.h"
#include "cli/remote_nodes.h"

enum { CONNECT_MAX_S = 600, COMMAND_MAX_S = 3600, PORT_MAX = 65535, PARALLEL_MAX = 1000 };

/* ---- values ---- */

/* A word that ends up among the arguments of ssh; `flaw` says what is wrong with it. */
static bool read_word(struct reader *r, const struct key *k, const struct config_value *v,
		      void *into, const char *(*flaw)(const char *text))
{
	const char *why;

	if (!config_expect_name(r, v, "a text"))
		return false;
	why = flaw(v->text);
	if (why)
		return config_complain(&r->src, v->at, "cannot use the %s '%s': %s", k->name,
				       v->text, why);
	*(const char **)((char *)into + k->offset) = v->text;
	return true;
}

static bool read_host(struct reader *r, const struct key *k, const struct config_value *v,
		      void *into)
{
	return read_word(r, k, v, into, remote_host_flaw);
}

static bool read_user(struct reader *r, const struct key *k, const struct config_value *v,
		      void *into)
{
	return read_word(r, k, v, into, remote_user_flaw);
}

static bool read_sudo(struct reader *r, const struct key *k, const struct config_value *v,
		      void *into)
{
	return read_word(r, k, v, into, remote_sudo_flaw);
}

/* As ProxyJump has it: one host after the other, or "none". */
static const char *jump_flaw(const char *text)
{
	struct slice rest = slice_of(text), hop;
	struct arena *a = arena_create();
	struct remote_node n;
	const char *flaw = NULL;

	while (!flaw && slice_field(&rest, ',', &hop))
		flaw = remote_node_parse(a, arena_copy(a, hop), &n);
	arena_destroy(a);
	return flaw;
}

static bool read_jump(struct reader *r, const struct key *k, const struct config_value *v,
		      void *into)
{
	return read_word(r, k, v, into, jump_flaw);
}

/* A whole number between the key's bounds. */
static bool read_number(struct reader *r, const struct key *k, const struct config_value *v,
			int64_t *n)
{
	if (v->kind == CONFIG_NUMBER && num_parse_i64(slice_of(v->text), n) && *n >= k->least &&
	    *n <= k->most)
		return true;
	return config_complain(&r->src, v->at, "'%s' must be a number from %lld to %lld", k->name,
			       (long long)k->least, (long long)k->most);
}

static bool read_count(struct reader *r, const struct key *k, const struct config_value *v,
		       void *into)
{
	int64_t n;

	if (!read_number(r, k, v, &n))
		return false;
	*(unsigned *)((char *)into + k->offset) = (unsigned)n;
	return true;
}

static bool read_port(struct reader *r, const struct key *k, const struct config_value *v,
		      void *into)
{
	int64_t n;

	if (!read_number(r, k, v, &n))
		return false;
	*(const char **)((char *)into + k->offset) =
		arena_printf(r->src.arena, "%lld", (long long)n);
	return true;
}

/* One of several words: its place among them. */
static bool read_choice(struct reader *r, const struct config_value *v, const char *const *words,
			size_t n, size_t *choice)
{
	if (!config_expect_name(r, v, "a text"))
		return false;
	for (*choice = 0; *choice < n; ++*choice)
		if (strcmp(v->text, words[*choice]) == 0)
			return true;
	return config_unknown(r, v->at, v->key, v->text, words, n);
}

static bool read_transport(struct reader *r, const struct key *k, const struct config_value *v,
			   void *into)
{
	static const char *const words[] = { "auto", "libssh2", "openssh" };
	size_t choice;

	(void)k;
	if (!read_choice(r, v, words, ARRAY_LEN(words), &choice))
		return false;
	((struct config *)into)->ssh.transport = (enum transport)choice;
	return true;
}

static bool read_host_keys(struct reader *r, const struct key *k, const struct config_value *v,
			   void *into)
{
	static const char *const words[] = { "strict", "accept-new" };
	size_t choice;

	(void)k;
	if (!read_choice(r, v, words, ARRAY_LEN(words), &choice))
		return false;
	((struct config *)into)->ssh.host_keys = (enum host_key_policy)choice;
	return true;
}

bool config_nice(struct reader *r, const struct key *k, const struct config_value *v, void *into)
{
	bool yes = v->kind == CONFIG_WORD && strcmp(v->text, "true") == 0;

	if (!yes && (v->kind != CONFIG_WORD || strcmp(v->text, "false") != 0))
		return config_complain(&r->src, v->at, "'%s' must be true or false", k->name);
	*(bool *)((char *)into + k->offset) = !yes;
	return true;
}

/* ---- "nodes" ---- */

static const struct key node_keys[] = {
	{ "host", read_host, offsetof(struct remote_node, host), 0, 0 },
	{ "port", read_port, offsetof(struct remote_node, port), 1, PORT_MAX },
	{ "name", read_host, offsetof(struct remote_node, name), 0, 0 },
	{ "user", read_user, offsetof(struct remote_node, user), 0, 0 },
};

static bool read_node(struct reader *r, const struct config_value *v, struct remote_node *n)
{
	const char *flaw;

	if (v->kind == CONFIG_OBJECT) {
		if (!config_object(r, v, node_keys, ARRAY_LEN(node_keys), n))
			return false;
		if (!n->host)
			return config_complain(&r->src, v->at, "a node without 'host'");
		if (!n->name)
			n->name = n->host;
		return true;
	}
	if (!config_expect_name(r, v, "a node: a host's name, or an object with \"host\""))
		return false;
	flaw = remote_node_parse(r->src.arena, v->text, n);
	return !flaw || config_complain(&r->src, v->at, "cannot use the node '%s': %s", v->text,
					flaw);
}

static bool is_new(const struct remote_nodes *nodes, const struct remote_node *n)
{
	for (size_t i = 0; i < nodes->list.n; i++)
		if (strcmp(nodes->list.v[i].name, n->name) == 0)
			return false;
	return true;
}

/* A list of nodes, which replaces the one before. */
bool config_nodes(struct reader *r, const struct key *k, const struct config_value *v, void *into)
{
	struct remote_nodes *nodes = (struct remote_nodes *)((char *)into + k->offset);

	if (!config_expect(r, v, CONFIG_LIST, "a list of nodes"))
		return false;
	*nodes = (struct remote_nodes){ 0 };
	for (const struct config_value *e = v->child; e; e = e->next) {
		struct remote_node n = { 0 };

		if (!read_node(r, e, &n))
			return false;
		if (!is_new(nodes, &n))
			return config_complain(&r->src, e->at,
					       "the node '%s' is there twice; hint: \"name\" "
					       "tells two on one host apart",
					       n.name);
		*vec_add(r->src.arena, &nodes->list) = n;
	}
	return true;
}

/* ---- "ssh" ---- */

#define SSH(member) offsetof(struct config, ssh.member)

static const struct key ssh_keys[] = {
	{ "transport", read_transport, 0, 0, 0 },
	{ "user", read_user, SSH(user), 0, 0 },
	{ "identity", config_path, SSH(identity), 0, 0 },
	{ "known_hosts", config_path, SSH(known_hosts), 0, 0 },
	{ "host_keys", read_host_keys, 0, 0, 0 },
	{ "jump", read_jump, SSH(jump), 0, 0 },
	{ "sudo", read_sudo, SSH(sudo), 0, 0 },
	{ "connect_timeout", config_duration, offsetof(struct config, connect_timeout_s), 1,
	  CONNECT_MAX_S },
	{ "command_timeout", config_duration, offsetof(struct config, command_timeout_s), 1,
	  COMMAND_MAX_S },
	{ "parallel", read_count, SSH(parallel), 1, PARALLEL_MAX },
	{ "passphrase_command", config_name, SSH(passphrase_command), 0, 0 },
	{ "config", config_path, SSH(ssh_config), 0, 0 },
};

bool config_ssh(struct reader *r, const struct key *k, const struct config_value *v, void *into)
{
	(void)k;
	return config_expect(r, v, CONFIG_OBJECT, "an object of settings") &&
	       config_object(r, v, ssh_keys, ARRAY_LEN(ssh_keys), into);
}
