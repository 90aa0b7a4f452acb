/* Which nodes are asked over SSH, and how people write them. See remote_nodes.h. */
#include "cli/remote_nodes.h"

#include <string.h>

#include "base/slice.h"

enum { NAME_MAX_BYTES = 253, PORT_MAX = 65535 };	/* the first as DNS has it */

/* ---- words ---- */

/* What no host and no user has in common; the shell's and ssh's own marks are in `refused`. */
static const char *word_flaw(const char *text, const char *refused)
{
	if (!*text)
		return "it is empty";
	if (*text == '-')
		return "it begins with '-'";
	if (strlen(text) > NAME_MAX_BYTES)
		return "it is longer than 253 bytes";
	for (const char *p = text; *p; p++) {
		if (*p == ' ' || *p == '\t')
			return "it holds a blank";
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			return "it holds a control character, or one beyond ASCII";
		if (strchr("\"'`", *p))
			return "it holds a quote";
		if (strchr(refused, *p))
			return "it holds a character that is special to shells or ssh";
	}
	return NULL;
}

const char *remote_host_flaw(const char *text)
{
	return word_flaw(text, "$\\;&|<>(){}[]*?!#,@=");
}

const char *remote_user_flaw(const char *text)
{
	return word_flaw(text, "$\\;&|<>(){}[]*?!#,:/%~=");
}

const char *remote_sudo_flaw(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.-";

	if (!*text || *text == '-' || text[strspn(text, plain)])
		return "a user has letters, digits, '_', '.' and '-'";
	return NULL;
}

/* ---- one node ---- */

static const char *take_port(struct arena *a, struct slice text, const char **port)
{
	int64_t n;

	if (!text.n || text.p[0] == '+' || !num_parse_i64(text, &n) || n < 1 || n > PORT_MAX)
		return "a port is a number from 1 to 65535";
	*port = arena_printf(a, "%lld", (long long)n);
	return NULL;
}

/* An address of IPv6 has colons of its own: with a port it stands in brackets. */
static const char *take_host(struct arena *a, struct slice text, struct remote_node *out)
{
	size_t colon = slice_find(text, ':'), end = slice_find(text, ']');
	struct slice rest = { text.p + text.n, 0 };

	if (text.n && text.p[0] == '[') {
		if (end == text.n)
			return "a ']' is missing";
		rest = slice_from(text, end + 1);
		text = (struct slice){ text.p + 1, end - 1 };
		if (rest.n && rest.p[0] != ':')
			return "something other than ':' follows the ']'";
	} else if (colon < text.n && slice_rfind(text, ':') == colon) {
		rest = slice_from(text, colon);
		text.n = colon;
	}
	out->host = out->name = arena_copy(a, text);
	return rest.n ? take_port(a, slice_from(rest, 1), &out->port) : NULL;
}

const char *remote_node_parse(struct arena *a, const char *text, struct remote_node *out)
{
	struct slice rest = slice_of(text);
	size_t at = slice_rfind(rest, '@');
	const char *flaw = NULL;

	*out = (struct remote_node){ 0 };
	if (at < rest.n) {
		out->user = arena_copy(a, (struct slice){ rest.p, at });
		rest = slice_from(rest, at + 1);
		flaw = remote_user_flaw(out->user);
	}
	if (!flaw)
		flaw = take_host(a, rest, out);
	return flaw ? flaw : remote_host_flaw(out->host);
}

/* ---- the nodes of a run ---- */

static bool same(const char *x, const char *y)
{
	return x == y || (x && y && strcmp(x, y) == 0);
}

/* By its name, else by its host when only one node fits. */
static const struct remote_node *configured(const struct run_options *o,
					    const struct remote_node *typed)
{
	const struct remote_node *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < o->nodes.list.n; i++)
		if (same(o->nodes.list.v[i].name, typed->host))
			return &o->nodes.list.v[i];
	for (size_t i = 0; i < o->nodes.list.n; i++) {
		const struct remote_node *known = &o->nodes.list.v[i];

		if (!same(known->host, typed->host) ||
		    (typed->port && !same(known->port, typed->port)))
			continue;
		found = known;
		n++;
	}
	return n == 1 ? found : NULL;
}

/* What is typed over what is configured. */
static struct remote_node merged(const struct run_options *o, struct remote_node typed)
{
	const struct remote_node *known = configured(o, &typed);
	struct remote_node n = known ? *known : typed;

	if (typed.user)
		n.user = typed.user;
	if (o->port)
		n.port = o->port;
	if (typed.port)
		n.port = typed.port;
	return n;
}

/* Evidence is kept by the node's name: two nodes must not share one. */
static void name_by_port(struct arena *a, struct remote_nodes *nodes)
{
	bool *twice = arena_array(a, nodes->list.n + 1, sizeof(*twice));

	for (size_t i = 0; i < nodes->list.n; i++)
		for (size_t k = 0; k < nodes->list.n; k++)
			twice[i] |= k != i && same(nodes->list.v[i].name, nodes->list.v[k].name);
	for (size_t i = 0; i < nodes->list.n; i++) {
		struct remote_node *n = &nodes->list.v[i];

		if (twice[i] && n->port)
			n->name = arena_printf(a, strchr(n->name, ':') ? "[%s]:%s" : "%s:%s",
					       n->name, n->port);
	}
}

/* Added, unless the very same is there; false: another one has its name. */
static bool add_typed(struct arena *a, struct remote_nodes *out, struct remote_node n)
{
	for (size_t i = 0; i < out->list.n; i++) {
		const struct remote_node *other = &out->list.v[i];

		if (!same(other->name, n.name) || !same(other->port, n.port))
			continue;
		return same(other->host, n.host) && same(other->user, n.user);
	}
	*vec_add(a, &out->list) = n;
	return true;
}

bool remote_nodes_choose(const struct run_options *o, struct remote_nodes *out, struct err *err)
{
	struct arena *a = o->arena;

	for (size_t i = 0; i < o->hosts.n; i++) {
		struct remote_node typed;
		const char *flaw = remote_node_parse(a, o->hosts.v[i], &typed);

		if (flaw)
			return err_set(a, err, ERR_USAGE, "--hostname", 0, "cannot use '%s': %s",
				       o->hosts.v[i], flaw);
		if (!add_typed(a, out, merged(o, typed)))
			return err_set(a, err, ERR_USAGE, "--hostname", 0,
				       "'%s' is named twice, as different users", typed.host);
	}
	for (size_t i = 0; i < o->nodes.list.n && !o->hosts.n; i++) {
		struct remote_node *n = vec_add(a, &out->list);

		*n = o->nodes.list.v[i];
		if (o->port)
			n->port = o->port;
	}
	name_by_port(a, out);
	return true;
}
