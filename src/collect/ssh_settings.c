/* Effective settings for one host. See ssh_settings.h. */
#include "collect/ssh_settings.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/slice.h"

enum {
	HOST_MAX_BYTES = 1024,
	USER_MAX_BYTES = 256,
	PATH_MAX_BYTES = 4096,
	VALUE_MAX_BYTES = 16 * 1024,
	PATHS_MAX = 100,	/* of keys, as ssh has it */
	CONNECT_TIMEOUT_S = 5,
};

/* ---- what may be a host, a port, a user ---- */

/* No control characters, none of `not`; not empty, not like an option. */
static bool is_word(const char *s, size_t max, const char *not)
{
	size_t n = 0;

	for (; s[n] && n <= max; n++)
		if ((unsigned char)s[n] < ' ' || s[n] == 127 || strchr(not, s[n]))
			return false;
	return n > 0 && n <= max && *s != '-';
}

static bool is_host(const char *s)
{
	return is_word(s, HOST_MAX_BYTES, " '`\"$\\;&<>|(){},/");
}

/* As ssh: nothing that a shell would take as more than a word, once in a ProxyCommand. */
static bool is_user(const char *s)
{
	return is_word(s, USER_MAX_BYTES, "'`\";&<>|(){}") && !strstr(s, " -") &&
	       s[strlen(s) - 1] != '\\';
}

static bool read_port(struct slice s, int64_t *port)
{
	return num_parse_i64(s, port) && *port >= 1 && *port <= 65535;
}

/*
 * The node's host without "user@". *user is the node's own, else that of the run; NULL = neither.
 */
static const char *host_of(struct arena *a, const struct remote_options *o,
			   const struct remote_node *n, const char **user)
{
	const char *at = strrchr(n->host, '@');

	*user = n->user ? n->user : o->user;
	if (at && !n->user)
		*user = arena_copy(a, (struct slice){ n->host, (size_t)(at - n->host) });
	return at ? at + 1 : n->host;
}

/* For a message, which has one line. */
static const char *harmless(struct arena *a, const char *s)
{
	char *text = arena_strdup(a, s);

	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return text;
}

static bool check_node(struct arena *a, const struct remote_options *o,
		       const struct remote_node *n, struct err *err)
{
	const char *user, *host = host_of(a, o, n, &user);
	int64_t port;

	if (!is_host(host))
		return err_set(a, err, ERR_USAGE, n->name, 0, "'%s' is no name of a host",
			       harmless(a, host));
	if (n->port && !read_port(slice_of(n->port), &port))
		return err_set(a, err, ERR_USAGE, n->name, 0,
			       "'%s' is no port: it must be 1 to 65535", harmless(a, n->port));
	if (user && !is_user(user))
		return err_set(a, err, ERR_USAGE, n->name, 0, "'%s' is no name of a user",
			       harmless(a, user));
	return true;
}

/* ---- asking ssh ---- */

char **ssh_settings_argv(struct arena *a, const struct remote_options *o,
			 const struct remote_node *n)
{
	const char *user, *host = host_of(a, o, n, &user);
	VEC(char *) v = { 0 };

	if (!check_node(a, o, n, NULL))
		return NULL;
	*vec_add(a, &v) = arena_strdup(a, o->ssh ? o->ssh : "ssh");
	*vec_add(a, &v) = arena_strdup(a, "-GT");
	if (o->ssh_config) {
		*vec_add(a, &v) = arena_strdup(a, "-F");
		*vec_add(a, &v) = arena_strdup(a, o->ssh_config);
	}
	if (user) {
		*vec_add(a, &v) = arena_strdup(a, "-l");
		*vec_add(a, &v) = arena_strdup(a, user);
	}
	if (n->port) {
		*vec_add(a, &v) = arena_strdup(a, "-p");
		*vec_add(a, &v) = arena_strdup(a, n->port);
	}
	if (o->jump) {
		*vec_add(a, &v) = arena_strdup(a, "-o");
		*vec_add(a, &v) = arena_printf(a, "ProxyJump=%s", o->jump);
	}
	*vec_add(a, &v) = arena_strdup(a, "--");
	*vec_add(a, &v) = arena_strdup(a, host);
	*vec_add(a, &v) = NULL;
	return v.v;
}

/* ---- what it printed ---- */

/* As printed; NULL = no such line, or an empty one. */
struct told {
	const char *hostname, *user, *port, *alias, *identities_only, *agent;
	const char *user_known_hosts, *global_known_hosts, *jump, *command, *algorithms;
	const char *timeout;
	VEC(const char *) identities;
};

static const char **place_of(struct told *t, struct slice key)
{
	static const struct { const char *key; size_t offset; } keys[] = {
		{ "hostname", offsetof(struct told, hostname) },
		{ "user", offsetof(struct told, user) },
		{ "port", offsetof(struct told, port) },
		{ "hostkeyalias", offsetof(struct told, alias) },
		{ "identitiesonly", offsetof(struct told, identities_only) },
		{ "identityagent", offsetof(struct told, agent) },
		{ "userknownhostsfile", offsetof(struct told, user_known_hosts) },
		{ "globalknownhostsfile", offsetof(struct told, global_known_hosts) },
		{ "proxyjump", offsetof(struct told, jump) },
		{ "proxycommand", offsetof(struct told, command) },
		{ "hostkeyalgorithms", offsetof(struct told, algorithms) },
		{ "connecttimeout", offsetof(struct told, timeout) },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (slice_eq_str(key, keys[i].key))
			return (const char **)(void *)((char *)t + keys[i].offset);
	return NULL;
}

static bool is_text(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' && s.p[i] != '\t')
			return false;
	return s.n > 0 && s.n <= VALUE_MAX_BYTES;
}

static void read_told(struct arena *a, struct slice printed, struct told *t)
{
	struct lines it = lines_of(printed);
	struct slice line, key;

	while (lines_next(&it, &line)) {
		const char **place;

		if (!slice_word(&line, &key))
			continue;
		line = slice_trim(line);
		if (!is_text(line))
			continue;
		place = place_of(t, key);
		if (place && !*place)
			*place = arena_copy(a, line);
		else if (slice_eq_str(key, "identityfile") && t->identities.n < PATHS_MAX)
			*vec_add(a, &t->identities) = arena_copy(a, line);
	}
}

static bool is_none(const char *s)
{
	return strcasecmp(s, "none") == 0;
}

/* ---- paths ---- */

/* What paths are made of. */
struct person {
	struct arena *arena;
	const char *name, *home;	/* of the process; NULL = not known */
	const struct ssh_settings *settings;
	const char *host;		/* as typed */
};

static const char *filled(const char *s)
{
	return s && *s ? s : NULL;
}

static struct person person_of(struct arena *a, const struct ssh_settings *s, const char *host)
{
	const struct passwd *pw = getpwuid(getuid());
	struct person p = { .arena = a, .settings = s, .host = host };
	const char *name = filled(pw ? pw->pw_name : NULL);
	const char *home = filled(pw ? pw->pw_dir : NULL);

	name = name ? name : filled(getenv("USER"));
	home = home ? home : filled(getenv("HOME"));
	p.name = name ? arena_strdup(a, name) : NULL;
	p.home = home ? arena_strdup(a, home) : NULL;
	return p;
}

/* "~/x" and "~user/x"; NULL when there is no such home. */
static const char *expand_home(const struct person *p, const char *path)
{
	const char *rest = path + strcspn(path, "/"), *home = p->home;

	if (*path != '~')
		return path;
	if (rest != path + 1) {
		size_t n = (size_t)(rest - path) - 1;
		const struct passwd *pw;

		pw = getpwnam(arena_copy(p->arena, (struct slice){ path + 1, n }));
		home = pw ? pw->pw_dir : NULL;
	}
	return home ? arena_printf(p->arena, "%s%s", home, rest) : NULL;
}

/* Of this machine, as far as the first `end`. */
static const char *local_name(const struct person *p, char end)
{
	char name[HOST_MAX_BYTES] = "";

	if (gethostname(name, sizeof(name) - 1) != 0)
		return NULL;
	return arena_copy(p->arena, (struct slice){ name, slice_find(slice_of(name), end) });
}

/* Of ssh_config(5), TOKENS; NULL for those that are not known here, such as %C. */
static const char *token(const struct person *p, char c)
{
	const struct ssh_settings *s = p->settings;

	switch (c) {
	case '%': return "%";
	case 'd': return p->home;
	case 'h': return s->hostname;
	case 'i': return arena_printf(p->arena, "%ld", (long)getuid());
	case 'j': return s->proxy_jump ? s->proxy_jump : "";
	case 'l': return local_name(p, '\0');
	case 'L': return local_name(p, '.');
	case 'k': return s->host_key_alias ? s->host_key_alias : p->host;
	case 'n': return p->host;
	case 'p': return s->port;
	case 'r': return s->user;
	case 'u': return p->name;
	default: return NULL;
	}
}

/* "${NAME}" at *s, which is moved to its end; NULL when there is no such variable. */
static const char *variable(const struct person *p, const char **s)
{
	size_t n = strcspn(*s + 2, "}");
	struct slice name = { *s + 2, n };

	if ((*s)[2 + n] != '}')
		return NULL;
	*s += 2 + n;
	return getenv(arena_copy(p->arena, name));
}

/* A path of the configuration in full; NULL when a part of it is not known, or it is too long. */
static const char *expand(const struct person *p, const char *path)
{
	const char *out = NULL, *part = "";
	struct buf b;

	path = expand_home(p, path);
	if (!path)
		return NULL;
	buf_init(&b, PATH_MAX_BYTES);
	for (; part && *path; path++) {
		if (*path != '%' && strncmp(path, "${", 2) != 0) {
			buf_char(&b, *path);
			continue;
		}
		part = *path == '$' ? variable(p, &path) : token(p, path[1]);
		path += *path == '%' && part;
		buf_str(&b, part ? part : "");
	}
	if (part && b.n && !b.truncated)
		out = arena_copy(p->arena, (struct slice){ b.p, b.n });
	buf_free(&b);
	return out;
}

/* ---- one setting after the other ---- */

static void set_identities(struct ssh_settings *s, const struct person *p,
			   const struct remote_options *o, const struct told *t)
{
	static const char *const usual[] = {
		"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa",
	};
	const char *const *paths = t->identities.v;
	size_t n = t->identities.n;

	if (!s->from_ssh) {
		paths = usual;
		n = ARRAY_LEN(usual);
	}
	s->identity_given = o->identity != NULL;
	s->identities_only = o->identity ||
			     (t->identities_only && strcmp(t->identities_only, "yes") == 0);
	if (o->identity) {
		const char *path = expand_home(p, o->identity);

		*vec_add(p->arena, &s->identities) = path ? path : o->identity;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const char *path = is_none(paths[i]) ? NULL : expand(p, paths[i]);

		if (path)
			*vec_add(p->arena, &s->identities) = path;
	}
}

/* A path, "none", "SSH_AUTH_SOCK", or "$NAME" for what that variable holds. */
static void set_agent(struct ssh_settings *s, const struct person *p, const struct told *t)
{
	const char *agent = t->agent ? t->agent : "SSH_AUTH_SOCK";

	if (is_none(agent))
		return;
	if (strcmp(agent, "SSH_AUTH_SOCK") == 0)
		agent = getenv("SSH_AUTH_SOCK");
	else if (agent[0] == '$')
		agent = getenv(agent + 1);
	else
		agent = expand_home(p, agent);
	agent = filled(agent);
	s->agent = agent ? arena_strdup(p->arena, agent) : NULL;
}

/*
 * Paths parted by blanks. ssh prints blanks in a path as they are: a word that begins no path
 * belongs to the one before it, as in "/Users/jo doe/.ssh/known_hosts".
 */
static bool next_path(struct slice *rest, struct slice *path)
{
	struct slice word, after;

	if (!slice_word(rest, path))
		return false;
	for (after = *rest; slice_word(&after, &word); *rest = after) {
		if (*word.p == '/' || *word.p == '~')
			break;
		path->n = (size_t)(word.p + word.n - path->p);
	}
	return true;
}

/* The next of them; ssh has expanded all tokens but, before 8.4, the home. NULL = no more. */
static const char *next_known_hosts(const struct person *p, struct slice *rest)
{
	struct slice word;
	const char *path = NULL;

	while (!path && next_path(rest, &word)) {
		const char *text = arena_copy(p->arena, word);

		path = is_none(text) ? NULL : expand_home(p, text);
	}
	return path;
}

static void set_known_hosts(struct ssh_settings *s, const struct person *p,
			    const struct remote_options *o, const struct told *t)
{
	const char *user = t->user_known_hosts, *global = t->global_known_hosts, *path;
	struct slice rest;

	if (o->known_hosts) {
		path = expand_home(p, o->known_hosts);
		*vec_add(p->arena, &s->user_known_hosts) = path ? path : o->known_hosts;
		return;
	}
	user = user ? user : "~/.ssh/known_hosts ~/.ssh/known_hosts2";
	global = global ? global : "/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2";
	rest = slice_of(user);
	while (s->user_known_hosts.n < PATHS_MAX && (path = next_known_hosts(p, &rest)))
		*vec_add(p->arena, &s->user_known_hosts) = path;
	rest = slice_of(global);
	while (s->global_known_hosts.n < PATHS_MAX && (path = next_known_hosts(p, &rest)))
		*vec_add(p->arena, &s->global_known_hosts) = path;
}

static const char *unless_none(const char *s)
{
	return s && !is_none(s) ? s : NULL;
}

static void set_proxy(struct ssh_settings *s, const struct remote_options *o,
		      const struct told *t)
{
	s->proxy_jump = unless_none(o->jump ? o->jump : t->jump);
	s->proxy_command = o->jump ? NULL : unless_none(t->command);
}

static void set_timeout(struct ssh_settings *s, const struct remote_options *o,
			const struct told *t)
{
	int64_t told_s;

	s->connect_timeout_s = CONNECT_TIMEOUT_S;
	if (o->connect_timeout_s > 0)
		s->connect_timeout_s = o->connect_timeout_s;
	else if (t->timeout && num_parse_i64(slice_of(t->timeout), &told_s) && told_s > 0)
		s->connect_timeout_s = told_s;
}

/* Host, port and user: first what the run says, then the configuration. */
static bool set_target(struct ssh_settings *s, struct person *p, const char *user,
		       const struct told *t, struct err *err)
{
	int64_t port = 22;

	s->hostname = t->hostname && is_host(t->hostname) ? t->hostname : p->host;
	if (s->node->port)
		(void)!read_port(slice_of(s->node->port), &port);
	else if (t->port && !read_port(slice_of(t->port), &port))
		port = 22;
	s->port = arena_printf(p->arena, "%d", (int)port);
	s->user = user;
	if (!s->user && t->user && is_user(t->user))
		s->user = t->user;
	if (!s->user)
		s->user = p->name;
	if (!s->user || !is_user(s->user))
		return err_set(p->arena, err, ERR_USAGE, s->node->name, 0,
			       "whom to log in as is not known; hint: name the user");
	s->host_key_alias = t->alias;
	return true;
}

bool ssh_settings_read(struct arena *a, const struct remote_options *o,
		       const struct remote_node *n, struct slice printed, struct ssh_settings *out,
		       struct err *err)
{
	struct told t = { 0 };
	const char *user;
	struct person p;

	*out = (struct ssh_settings){ .node = n, .from_ssh = printed.p != NULL };
	if (!check_node(a, o, n, err))
		return false;
	p = person_of(a, out, host_of(a, o, n, &user));
	read_told(a, printed, &t);
	if (!set_target(out, &p, user, &t, err))
		return false;
	out->host_key_algorithms = t.algorithms;
	set_proxy(out, o, &t);
	set_timeout(out, o, &t);
	set_identities(out, &p, o, &t);
	set_agent(out, &p, &t);
	set_known_hosts(out, &p, o, &t);
	return true;
}
