/*
 * Any bytes as what `ssh -G` printed, and a node and options by the first byte: no crash, and the
 * settings can be used without another look: a host and a user that nothing takes for more, a
 * port, and paths. What the run says is not changed by what is printed.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/slice.h"
#include "collect/ssh_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_word(const char *s)
{
	assert(*s && *s != '-' && strpbrk(s, "'\"`;&<>|(){}") == NULL);
	for (; *s; s++)
		assert((unsigned char)*s >= ' ' && *s != 127);
}

static void check_paths(const char *const *v, size_t n)
{
	assert(n <= 100);
	for (size_t i = 0; i < n; i++) {
		assert(*v[i] && strlen(v[i]) <= 16 * 1024 + 4096);
		assert(strcasecmp(v[i], "none") != 0);
	}
}

static void check_settings(const struct ssh_settings *s)
{
	long port = strtol(s->port, NULL, 10);

	check_word(s->hostname);
	check_word(s->user);
	assert(port >= 1 && port <= 65535 && *s->port != '0');
	assert(s->connect_timeout_s > 0);
	check_paths(s->identities.v, s->identities.n);
	check_paths(s->user_known_hosts.v, s->user_known_hosts.n);
	check_paths(s->global_known_hosts.v, s->global_known_hosts.n);
	assert(!s->agent || *s->agent);
	assert(!s->proxy_jump || (*s->proxy_jump && strcasecmp(s->proxy_jump, "none") != 0));
	assert(!s->host_key_alias || *s->host_key_alias);
	assert(!s->identity_given || (s->identities.n == 1 && s->identities_only));
}

static void check_run(const struct ssh_settings *s, const struct remote_options *o)
{
	if (s->node->port)
		assert(strcmp(s->port, s->node->port) == 0);
	if (strchr(s->node->host, '@'))
		assert(strcmp(s->user, "jo") == 0);
	else if (o->user)
		assert(strcmp(s->user, o->user) == 0);
	if (o->known_hosts)
		assert(s->user_known_hosts.n == 1 && s->global_known_hosts.n == 0);
	if (o->identity)
		assert(strcmp(s->identities.v[0], o->identity) == 0);
	if (o->jump)
		assert(strcmp(s->proxy_jump, o->jump) == 0 && !s->proxy_command);
	if (o->connect_timeout_s)
		assert(s->connect_timeout_s == o->connect_timeout_s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned bits = size ? data[0] : 0;
	const struct remote_node node = {
		.name = "n", .host = bits & 1 ? "jo@node-1" : "node-1",
		.port = bits & 2 ? "2222" : NULL,
	};
	const struct remote_options o = {
		.user = bits & 4 ? "monitor" : NULL,
		.identity = bits & 8 ? "/keys/id" : NULL,
		.known_hosts = bits & 16 ? "/keys/known" : NULL,
		.jump = bits & 32 ? "bastion" : NULL,
		.connect_timeout_s = bits & 64 ? 7 : 0,
	};
	struct arena *a = arena_create();
	struct slice text = slice_from((struct slice){ (const char *)data, size }, 1);
	struct ssh_settings s;
	struct err err = { 0 };

	setenv("SSH_AUTH_SOCK", "/run/agent", 1);
	assert(ssh_settings_read(a, &o, &node, text, &s, &err));
	check_settings(&s);
	check_run(&s, &o);
	arena_destroy(a);
	return 0;
}
