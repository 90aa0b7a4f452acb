/*
 * One node's connection through libssh2, never waiting: an explicit state machine.
 *
 * resolve -> connect (each address in turn) -> handshake -> host key -> authentication -> idle, and
 * for each request open -> exec -> talk -> close -> free -> idle (ssh_channel.c). The host key is
 * decided before anything is said of the user (ssh_auth.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/slice.h"
#include "collect/known_hosts.h"
#include "collect/ssh_link.h"

/*
 * Logging in has its own time after the connection stands: a server that does its part slowly is
 * still a server.
 */
enum { LOGIN_TIMES = 3, STALL_MS = 20000, STEP_BYTES = 1024 * 1024 };

/* ---- the machine ---- */

enum ssh_went ssh_go(struct link *l, enum ssh_state state)
{
	l->state = state;
	return SSH_ON;
}

enum ssh_went ssh_tell(struct link *l, enum ssh_state state, enum link_event event)
{
	l->state = state;
	l->event = event;
	return SSH_EVENT;
}

enum ssh_went ssh_fail(struct link *l, enum err_kind kind, const char *fmt, ...)
{
	va_list args;
	char *one_line;

	va_start(args, fmt);
	one_line = arena_vprintf(l->arena, fmt, args);
	va_end(args);
	for (char *p = one_line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '\x7f')
			*p = ' ';
	l->err = (struct err){ .kind = kind, .subject = l->s->node->name, .text = one_line };
	return ssh_tell(l, SSH_FAILED, LINK_FAILED);
}

const char *ssh_complaint(struct link *l)
{
	char *text = NULL;

	libssh2_session_last_error(l->session, &text, NULL, 0);
	return text && *text ? text : "no reason given";
}

bool ssh_older_than(int major, int minor)
{
	return libssh2_version((major << 16) | (minor << 8)) == NULL;
}

bool ssh_is_broken(int code)
{
	return code == LIBSSH2_ERROR_SOCKET_DISCONNECT || code == LIBSSH2_ERROR_SOCKET_RECV ||
	       code == LIBSSH2_ERROR_SOCKET_SEND || code == LIBSSH2_ERROR_SOCKET_TIMEOUT ||
	       code == LIBSSH2_ERROR_PROTO || code == LIBSSH2_ERROR_INVALID_MAC ||
	       code == LIBSSH2_ERROR_DECRYPT;
}

/* "10.0.0.12 port 2222" */
static const char *peer_of(const struct link *l)
{
	return arena_printf(l->arena, "%s port %s", l->address ? l->address : l->s->hostname,
			    l->s->port);
}

/* ---- address and connection ---- */

static enum ssh_went step_resolve(struct link *l)
{
	const char *why;

	if (!l->resolve)
		l->resolve = resolve_begin(l->s->hostname, l->s->port);
	if (!resolve_done(l->resolve, l->arena, &l->addresses, &why))
		return SSH_WAITS;
	resolve_end(l->resolve);
	l->resolve = NULL;
	if (why || !l->addresses.list.n)
		return ssh_fail(l, ERR_CONNECT, "'%s' does not resolve: %s", l->s->hostname,
				why ? why : "no address");
	return ssh_go(l, SSH_CONNECT);
}

static void set_options(int fd)
{
	int on = 1;

	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
#ifdef TCP_USER_TIMEOUT
	{
		unsigned stall_ms = STALL_MS;

		(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof(stall_ms));
	}
#endif
}

static void close_socket(struct link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

/* This address is no good: the next one, or what the last one said. */
static enum ssh_went next_address(struct link *l, const char *why)
{
	close_socket(l);
	l->connect_error = why;
	l->at_address++;
	if (l->at_address < l->addresses.list.n)
		return SSH_ON;
	return ssh_fail(l, ERR_CONNECT, "cannot connect to %s: %s", peer_of(l), why);
}

/* A share of the time for each address, so that a black hole does not hide the next one. */
static enum ssh_went begin_address(struct link *l)
{
	const struct resolved_address *to = &l->addresses.list.v[l->at_address];
	int64_t now_ms = run_clock_ms(), left = (int64_t)(l->addresses.list.n - l->at_address);

	l->address = resolve_text(l->arena, to);
	l->address_deadline_ms = now_ms + (l->deadline_ms - now_ms) / left;
	l->fd = socket(to->address.ss_family, SOCK_STREAM, 0);
	if (l->fd < 0)
		return next_address(l, strerror(errno));
	set_options(l->fd);
	if (connect(l->fd, (const struct sockaddr *)&to->address, to->length) == 0 ||
	    errno == EINPROGRESS || errno == EINTR)
		return SSH_WAITS;
	return next_address(l, strerror(errno));
}

static enum ssh_went begin_session(struct link *l);

static enum ssh_went step_connect(struct link *l)
{
	struct pollfd p = { .fd = l->fd, .events = POLLOUT };
	int error = 0;
	socklen_t n = sizeof(error);

	if (l->fd < 0)
		return begin_address(l);
	if (poll(&p, 1, 0) < 1) {
		if (run_clock_ms() < l->address_deadline_ms)
			return SSH_WAITS;
		return next_address(l, "no answer");
	}
	if (getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0 || error)
		return next_address(l, strerror(error ? error : errno));
	l->deadline_ms = run_clock_ms() + l->s->connect_timeout_s * 1000 * LOGIN_TIMES;
	return begin_session(l);
}

/* ---- handshake ---- */

/* An alias stands without a port, as with ssh: else a key that differs would be a new port's. */
static struct known_host_name name_of(const struct link *l)
{
	if (l->s->host_key_alias)
		return (struct known_host_name){ l->s->host_key_alias, NULL };
	return (struct known_host_name){ l->s->hostname, l->s->port };
}

/* An RSA key is one key with three ways to sign; the newer ones first. */
static const char *algorithms_of(struct arena *a, const char *types)
{
	struct slice rest = slice_of(types), type;
	const char *list = "";

	while (slice_field(&rest, ',', &type)) {
		const char *name = slice_eq_str(type, "ssh-rsa")
					   ? "rsa-sha2-512,rsa-sha2-256,ssh-rsa"
					   : arena_copy(a, type);

		list = arena_printf(a, "%s%s%s", list, *list ? "," : "", name);
	}
	return list;
}

/*
 * What libssh2 knows of a list. Its own way to pass over the rest moves overlapping bytes by
 * memcpy() (1.10.0, libssh2_session_method_pref), so it gets no name that it does not know.
 */
static const char *known_of(struct link *l, const char *wanted)
{
	struct slice rest = slice_of(wanted), name;
	const char **names = NULL, *list = "";
	int n = libssh2_session_supported_algs(l->session, LIBSSH2_METHOD_HOSTKEY, &names);

	while (slice_field(&rest, ',', &name))
		for (int i = 0; i < n; i++)
			if (slice_eq_str(name, names[i]))
				list = arena_printf(l->arena, "%s%s%s", list, *list ? "," : "",
						    names[i]);
	if (n > 0)
		libssh2_free(l->session, names);
	return list;
}

/*
 * Only keys of types that are known for the host are asked for: libssh2 would else choose another
 * one of the server's, which then looks like an unknown one.
 */
static bool set_host_key_types(struct link *l)
{
	const struct known_host_name name = name_of(l);
	const char *types = known_hosts_types(l->s->hosts, &name);
	const char *wanted = *types ? algorithms_of(l->arena, types) : l->s->host_key_algorithms;

	if (!wanted || !*wanted || strchr("+-^", *wanted))
		return true;
	wanted = known_of(l, wanted);
	if (*wanted && !libssh2_session_method_pref(l->session, LIBSSH2_METHOD_HOSTKEY, wanted))
		return true;
	return !*types;		/* its own default stays in force, and there is nothing to miss */
}

/*
 * libssh2 reads on inside one call while there is something to read: what a server may send in one
 * step has an end here, so that the loop comes back to the other nodes and to the time.
 */
static ssize_t receive(libssh2_socket_t fd, void *buffer, size_t n, int flags, void **abstract)
{
	struct link *l = *abstract;
	ssize_t got;

	if (!l->budget || (l->state != SSH_IDLE && run_clock_ms() >= l->deadline_ms))
		return -EAGAIN;
	got = recv(fd, buffer, n < l->budget ? n : l->budget, flags | MSG_NOSIGNAL);
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	l->budget -= (size_t)got;
	return got;
}

static enum ssh_went begin_session(struct link *l)
{
	l->session = libssh2_session_init_ex(NULL, NULL, NULL, l);
	if (!l->session)
		return ssh_fail(l, ERR_CONNECT, "libssh2 cannot begin: memory is out");
	libssh2_session_set_blocking(l->session, 0);
	libssh2_session_callback_set(l->session, LIBSSH2_CALLBACK_RECV, (void *)receive);
	if (!set_host_key_types(l)) {
		const struct known_host_name name = name_of(l);

		l->other_may_do = true;
		return ssh_fail(l, ERR_HOSTKEY, "libssh2 %s cannot use the host keys that are "
				"known for %s (%s); hint: \"transport\": \"openssh\"",
				libssh2_version(0), name.host,
				known_hosts_types(l->s->hosts, &name));
	}
	return ssh_go(l, SSH_HANDSHAKE);
}

/* What we offer: the library does not tell what the server has. */
static const char *offer_of(struct link *l, int method)
{
	const char **names = NULL;
	int n = libssh2_session_supported_algs(l->session, method, &names);
	const char *list = "";

	for (int i = 0; i < n; i++)
		list = arena_printf(l->arena, "%s%s%s", list, i ? "," : "", names[i]);
	if (n > 0)
		libssh2_free(l->session, names);
	return list;
}

static enum ssh_went fail_handshake(struct link *l, int code)
{
	if (code == LIBSSH2_ERROR_KEX_FAILURE || code == LIBSSH2_ERROR_KEY_EXCHANGE_FAILURE) {
		l->other_may_do = true;
		return ssh_fail(l, ERR_CONNECT, "no algorithm in common with %s: libssh2 %s "
				"offers host keys %s; ciphers %s; MACs %s; hint: \"transport\": "
				"\"openssh\"", peer_of(l), libssh2_version(0),
				offer_of(l, LIBSSH2_METHOD_HOSTKEY),
				offer_of(l, LIBSSH2_METHOD_CRYPT_CS),
				offer_of(l, LIBSSH2_METHOD_MAC_CS));
	}
	if (code == LIBSSH2_ERROR_BANNER_RECV || !libssh2_session_banner_get(l->session))
		return ssh_fail(l, ERR_CONNECT, "%s is no SSH server, or drops connections: %s",
				peer_of(l), ssh_complaint(l));
	return ssh_fail(l, ERR_CONNECT, "%s broke off while keys were exchanged: %s", peer_of(l),
			ssh_complaint(l));
}

static enum ssh_went step_handshake(struct link *l)
{
	int code = libssh2_session_handshake(l->session, l->fd);

	if (code == LIBSSH2_ERROR_EAGAIN)
		return SSH_WAITS;
	return code ? fail_handshake(l, code) : ssh_go(l, SSH_HOST_KEY);
}

/* ---- host key ---- */

static const char *place_text(struct arena *a, const struct known_host_place *place)
{
	return place->path ? arena_printf(a, "%s:%u", place->path, place->line) : "known_hosts";
}

static enum ssh_went take_new_key(struct link *l, struct slice key, const char *print)
{
	const struct known_host_name name = name_of(l);
	const char *path = l->s->user_known_hosts.n ? l->s->user_known_hosts.v[0] : NULL;
	struct err err = { 0 };

	if (l->o->host_keys != HOST_KEYS_ACCEPT_NEW)
		return ssh_fail(l, ERR_HOSTKEY, "the host key of %s is not known: %s; hint: "
				"compare it and log in once with ssh, or \"host_keys\": "
				"\"accept-new\"",
				name.host, print);
	if (!path)
		return ssh_fail(l, ERR_HOSTKEY, "no known_hosts file to add the key of %s to",
				name.host);
	if (!known_hosts_append(l->arena, path, &name, key, &err))
		return ssh_fail(l, ERR_HOSTKEY, "the key of %s cannot be added: %s", name.host,
				err_text(l->arena, &err));
	return ssh_go(l, SSH_METHODS);
}

static enum ssh_went step_host_key(struct link *l)
{
	const struct known_host_name name = name_of(l);
	struct known_host_place place = { 0 };
	struct slice key = { 0 }, type;
	const char *print, *at;
	int kind;

	key.p = libssh2_session_hostkey(l->session, &key.n, &kind);
	type = key.p ? known_hosts_key_type(key) : (struct slice){ NULL, 0 };
	if (!type.p)
		return ssh_fail(l, ERR_HOSTKEY, "the host key of %s cannot be read", name.host);
	print = arena_printf(l->arena, "%s %s", arena_copy(l->arena, type),
			     known_hosts_fingerprint(l->arena, key));
	switch (known_hosts_check(l->s->hosts, &name, type, key, &place)) {
	case HOST_KEY_KNOWN:
		return ssh_go(l, SSH_METHODS);
	case HOST_KEY_UNKNOWN:
		return take_new_key(l, key, print);
	case HOST_KEY_REVOKED:
		return ssh_fail(l, ERR_HOSTKEY, "the host key of %s is revoked in %s: %s",
				name.host, place_text(l->arena, &place), print);
	case HOST_KEY_CHANGED:
		break;
	}
	at = place_text(l->arena, &place);
	return ssh_fail(l, ERR_HOSTKEY, "the host key of %s has changed: it is %s, and %s has "
			"another; hint: ask who runs the host before you remove that line",
			name.host, print, at);
}

/* ---- a link ---- */

static struct link *link_open(struct arena *a, const struct remote_options *o,
			      const struct ssh_settings *s)
{
	struct link *l = arena_alloc(a, sizeof(*l));

	l->arena = a;
	l->o = o;
	l->s = s;
	l->fd = -1;
	l->tried = "";
	l->deadline_ms = run_clock_ms() + s->connect_timeout_s * 1000;
	if (s->proxy_jump || s->proxy_command) {
		l->other_may_do = true;
		(void)ssh_fail(l, ERR_CONNECT, "%s is behind a jump host or proxy command, which "
			       "libssh2 is not used for; hint: \"transport\": \"openssh\"",
			       s->hostname);
	}
	return l;
}

static void link_ask(struct link *l, const struct remote_request *q)
{
	struct ssh_command *c = &l->command;

	*c = (struct ssh_command){ .q = q, .begin_ms = run_clock_ms(),
				   .started_s = run_now_s() };
	/* mostly one word after the other: its text is kept */
	if (!l->text || l->text_as_owner != q->as_owner || strcmp(l->text_word, q->word) != 0)
		l->text = remote_command(l->arena, l->o, q);
	l->text_word = q->word;
	l->text_as_owner = q->as_owner;
	c->text = l->text;
	buf_init(&c->out, q->out_max);
	l->deadline_ms = c->begin_ms + q->timeout_ms;
	l->state = SSH_OPEN;
}

static enum ssh_went fail_late(struct link *l)
{
	const char *peer = peer_of(l);

	if (l->state > SSH_IDLE)
		return ssh_command_late(l);
	switch (l->state) {
	case SSH_RESOLVE:
		return ssh_fail(l, ERR_TIMEOUT, "'%s' does not resolve: no answer within %lld s",
				l->s->hostname, (long long)l->s->connect_timeout_s);
	case SSH_CONNECT:
		return ssh_fail(l, ERR_TIMEOUT, "cannot connect to %s: no answer within %lld s",
				peer, (long long)l->s->connect_timeout_s);
	case SSH_HANDSHAKE:
		return ssh_fail(l, ERR_TIMEOUT, "%s took the connection and then said nothing for "
				"%lld s", peer, (long long)l->s->connect_timeout_s * LOGIN_TIMES);
	default:
		return ssh_fail(l, ERR_TIMEOUT, "logging in to %s took longer than %lld s", peer,
				(long long)l->s->connect_timeout_s * LOGIN_TIMES);
	}
}

static enum ssh_went advance(struct link *l)
{
	switch (l->state) {
	case SSH_RESOLVE:
		return step_resolve(l);
	case SSH_CONNECT:
		return step_connect(l);
	case SSH_HANDSHAKE:
		return step_handshake(l);
	case SSH_HOST_KEY:
		return step_host_key(l);
	case SSH_METHODS:
		return ssh_methods(l);
	case SSH_AGENT:
		return ssh_agent(l);
	case SSH_FILE:
		return ssh_file(l);
	case SSH_OPEN:
		return ssh_open(l);
	case SSH_EXEC:
		return ssh_exec(l);
	case SSH_TALK:
		return ssh_talk(l);
	case SSH_CLOSE:
		return ssh_close(l);
	case SSH_FREE:
		return ssh_free(l);
	case SSH_IDLE:
	case SSH_FAILED:
		break;
	}
	return SSH_EVENT;	/* told already */
}

static enum link_event link_step(struct link *l)
{
	enum ssh_went went = SSH_ON;

	l->budget = STEP_BYTES;
	while (went == SSH_ON) {
		went = advance(l);
		if (went == SSH_WAITS && run_clock_ms() >= l->deadline_ms)
			went = fail_late(l);
	}
	return went == SSH_EVENT ? l->event : LINK_WAITS;
}

static size_t link_polls(const struct link *l, struct pollfd p[LINK_POLLS], int64_t *wait_ms)
{
	int64_t left = l->deadline_ms - run_clock_ms();
	int directions;

	if (l->state == SSH_CONNECT && l->address_deadline_ms < l->deadline_ms)
		left = l->address_deadline_ms - run_clock_ms();
	if (!l->budget)			/* there may be more, decoded already */
		left = 0;
	if (left < *wait_ms)
		*wait_ms = left < 0 ? 0 : left;
	if (l->state == SSH_RESOLVE) {
		p[0] = (struct pollfd){ .fd = resolve_descriptor(l->resolve), .events = POLLIN };
		return p[0].fd >= 0;
	}
	if (l->fd < 0)
		return 0;
	p[0] = (struct pollfd){ .fd = l->fd, .events = POLLOUT };
	if (l->state == SSH_CONNECT)
		return 1;
	directions = libssh2_session_block_directions(l->session);
	p[0].events = 0;
	if (!directions || directions & LIBSSH2_SESSION_BLOCK_INBOUND)
		p[0].events |= POLLIN;
	if (directions & LIBSSH2_SESSION_BLOCK_OUTBOUND)
		p[0].events |= POLLOUT;
	return 1;
}

static void link_answer(struct link *l, struct run_result *out)
{
	*out = l->command.result;
	l->command.result = (struct run_result){ 0 };
}

static const struct err *link_error(const struct link *l)
{
	return &l->err;
}

static bool link_other_may_do(const struct link *l)
{
	return l->other_may_do;
}

static const char *link_address(const struct link *l)
{
	return l->address;
}

/* The socket first: on a closed one libssh2 waits for nothing. */
static void link_close(struct link *l)
{
	if (l->resolve)
		resolve_end(l->resolve);
	l->resolve = NULL;
	if (l->session && l->state == SSH_IDLE)
		(void)libssh2_session_disconnect(l->session, "done");
	if (l->fd >= 0)
		(void)shutdown(l->fd, SHUT_RDWR);
	ssh_auth_close(l);
	if (l->session)
		for (int i = 0; i < 8 && libssh2_session_free(l->session); i++)
			;
	l->session = NULL;
	close_socket(l);
	buf_free(&l->command.out);
	run_free(&l->command.result);
}

const struct link_ops link_ssh = {
	.name = "libssh2",
	.open = link_open,
	.ask = link_ask,
	.step = link_step,
	.polls = link_polls,
	.answer = link_answer,
	.error = link_error,
	.other_may_do = link_other_may_do,
	.address = link_address,
	.close = link_close,
};
