/*
 * The link through libssh2 against a scripted library: what no server gives, in the order in which
 * it must be asked. Real servers are in tests/integration.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <libssh2.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/slice.h"
#include "collect/known_hosts.h"
#include "collect/link.h"
#include "collect/ssh_keys.h"
#include "fake_libssh2.h"

const char node_script[] = "script";

enum { AGAIN = LIBSSH2_ERROR_EAGAIN };

/* A listening socket that never says anything, and a link to it. */
struct sheet {
	struct arena *a;
	struct remote_options o;
	struct ssh_settings set;
	struct remote_node node;
	struct remote_request q;
	struct link *link;
	int listener;
	char port[8];
};

static const char key_blob[] = "\0\0\0\x0bssh-ed25519\0\0\0\x04" "abcd";
enum { KEY_BYTES = sizeof(key_blob) - 1 };
/* the same in base64 */
static const char known_line[] = "127.0.0.1 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAABGFiY2Q=\n";

static struct sheet *setup(const char *known)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t n = sizeof(to);
	struct arena *a = arena_create();
	struct sheet *s = arena_alloc(a, sizeof(*s));
	struct known_hosts *k = known_hosts_create(a);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->a = a;
	s->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(s->listener, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(listen(s->listener, 4), 0);
	assert_int_equal(getsockname(s->listener, (struct sockaddr *)&to, &n), 0);
	(void)snprintf(s->port, sizeof(s->port), "%d", ntohs(to.sin_port));
	/* '#' stands for this port: a name without one is also looked up, but can't have changed */
	if (*known == '#')
		known = arena_printf(a, "[127.0.0.1]:%s%s", s->port, known + 1);
	known_hosts_add(k, "known", slice_of(known));
	s->node = (struct remote_node){ .name = "n", .host = "127.0.0.1" };
	s->set = (struct ssh_settings){ .node = &s->node, .hostname = "127.0.0.1",
					.user = "me", .port = s->port, .hosts = k,
					.keys = ssh_keys_create(a, &s->o),
					.connect_timeout_s = 5 };
	s->q = (struct remote_request){ .word = "hello", .command = "the command",
					.timeout_ms = 5000, .out_max = 64 };
	s->q.input = slice_of("input");
	fake_host_key(key_blob, KEY_BYTES);
	fake_version(0x010a00, "1.10.0");
	return s;
}

static void teardown(struct sheet *s)
{
	if (s->link)
		link_ssh.close(s->link);
	close(s->listener);
	arena_destroy(s->a);
}

/* Steps until something comes of it; a real socket is in between only for connecting. */
static enum link_event run(struct sheet *s)
{
	enum link_event event = LINK_WAITS;

	for (int i = 0; i < 1000 && event == LINK_WAITS; i++) {
		struct pollfd p[LINK_POLLS];
		int64_t wait_ms = 10;
		size_t n;

		event = link_ssh.step(s->link);
		if (event != LINK_WAITS)
			break;
		n = link_ssh.polls(s->link, p, &wait_ms);
		(void)poll(p, n, wait_ms < 1 ? (int)wait_ms : 1);
	}
	return event;
}

static enum link_event connect_by(struct sheet *s, const struct fake_call *script)
{
	fake_script(script);
	s->link = link_ssh.open(s->a, &s->o, &s->set);
	return run(s);
}

static const char *error_of(const struct sheet *s)
{
	return link_ssh.error(s->link)->text;
}

#define LOGIN { "method_pref", 0, NULL, false }, { "handshake", 0, NULL, false }, \
	{ "userauth_list", AGAIN, NULL, false }, { "userauth_list", 1, NULL, false }, \
	{ "authenticated", 1, NULL, false }

/* Connects and asks; the rest of the script is the command's. */
static void ask(struct sheet *s, const struct fake_call *script, struct run_result *r)
{
	assert_int_equal(connect_by(s, script), LINK_READY);
	link_ssh.ask(s->link, &s->q);
	assert_int_equal(run(s), LINK_ANSWERED);
	assert_int_equal(fake_left(), 0);
	link_ssh.answer(s->link, r);
}

/* Every call is told to come again once. */
static void test_again(void **state)
{
	static const struct fake_call script[] = {
		{ "method_pref", 0, NULL, false },
		{ "handshake", AGAIN, NULL, true },
		{ "handshake", AGAIN, NULL, false },
		{ "handshake", 0, NULL, false },
		{ "userauth_list", AGAIN, NULL, false },
		{ "userauth_list", 1, NULL, false },
		{ "authenticated", 1, NULL, false },
		{ "open", AGAIN, NULL, false },
		{ "open", 0, NULL, false },
		{ "exec", AGAIN, NULL, true },
		{ "exec", 0, NULL, false },
		{ "window", 100, NULL, false },
		{ "write", AGAIN, "input", true },
		{ "write", 3, "input", false },
		{ "window", 100, NULL, false },
		{ "write", 2, "ut", false },
		{ "send_eof", AGAIN, NULL, true },
		{ "send_eof", 0, NULL, false },
		{ "read:0", 0, "out", false },
		{ "read:0", AGAIN, NULL, true },
		/* bytes are left to send: that very call, and no other before it */
		{ "read:0", AGAIN, NULL, false },
		{ "read:0", AGAIN, NULL, false },
		{ "read:1", 0, "err\n", false },
		{ "read:1", AGAIN, NULL, false },
		{ "eof", 0, NULL, false },
		{ "read:0", 0, NULL, false },
		{ "read:1", 0, "\ntwcscheck-end 3\n", false },
		{ "read:1", 0, NULL, false },
		{ "eof", 1, NULL, false },
		{ "close", AGAIN, NULL, false },
		{ "close", 0, NULL, false },
		{ "free", AGAIN, NULL, false },
		{ "free", 0, NULL, false },
		{ NULL, 0, NULL, false },
	};
	struct sheet *s = setup(known_line);
	struct run_result r;

	(void)state;
	ask(s, script, &r);
	assert_string_equal(fake_methods(), "ssh-ed25519");
	assert_int_equal(r.exit_status.v, 3);
	assert_null(r.signal);
	assert_int_equal(r.out.n, 3);
	assert_string_equal(r.errout, "err\n");
	assert_string_equal(link_ssh.address(s->link), "127.0.0.1");
	run_free(&r);
	teardown(s);
}

#define TALK(out, err) { "open", 0, NULL, false }, { "exec", 0, NULL, false }, \
	{ "window", 100, NULL, false }, { "write", 5, NULL, false }, \
	{ "send_eof", 0, NULL, false }, { "read:0", 0, out, false }, \
	{ "read:0", 0, NULL, false }, { "read:1", 0, err, false }, \
	{ "read:1", 0, NULL, false }, { "eof", 1, NULL, false }, { "close", 0, NULL, false }

/* A status of 0 without the script's last line is no success: none may have come. */
static void test_no_end_line(void **state)
{
	static const struct fake_call script[] = {
		LOGIN, TALK("half", "x"), { "exit_signal", 0, NULL, false },
		{ "exit_status", 0, NULL, false }, { "free", 0, NULL, false },
		{ NULL, 0, NULL, false },
	};
	struct sheet *s = setup(known_line);
	struct run_result r;

	(void)state;
	ask(s, script, &r);
	assert_true(r.exit_status.known && r.exit_status.v != 0);
	assert_string_equal(r.errout, "x");
	run_free(&r);
	teardown(s);
}

static void test_signal(void **state)
{
	static const struct fake_call script[] = {
		LOGIN, TALK("half", "x"), { "exit_signal", 0, "KILL", false },
		{ "free", 0, NULL, false }, { NULL, 0, NULL, false },
	};
	struct sheet *s = setup(known_line);
	struct run_result r;

	(void)state;
	ask(s, script, &r);
	assert_string_equal(r.signal, "KILL");
	assert_false(r.exit_status.known);
	run_free(&r);
	teardown(s);
}

/* The connection breaks while a command runs: the link is at its end. */
static void test_broken(void **state)
{
	static const struct fake_call script[] = {
		LOGIN, { "open", 0, NULL, false }, { "exec", 0, NULL, false },
		{ "window", 0, NULL, false }, { "read:0", 0, "half", false },
		{ "read:0", LIBSSH2_ERROR_SOCKET_RECV, "reset", false }, { NULL, 0, NULL, false },
	};
	struct sheet *s = setup(known_line);

	(void)state;
	assert_int_equal(connect_by(s, script), LINK_READY);
	link_ssh.ask(s->link, &s->q);
	assert_int_equal(run(s), LINK_FAILED);
	assert_int_equal(fake_left(), 0);
	assert_string_equal(error_of(s), "the connection to 127.0.0.1 broke while 'the command' "
					 "ran: reset");
	assert_false(link_ssh.other_may_do(s->link));
	teardown(s);
}

/* A channel that is refused is one answer that failed, not the node. */
static void test_refused_channel(void **state)
{
	static const struct fake_call script[] = {
		LOGIN, { "open", LIBSSH2_ERROR_CHANNEL_FAILURE, "connect failed", false },
		{ NULL, 0, NULL, false },
	};
	struct sheet *s = setup(known_line);
	struct run_result r;

	(void)state;
	ask(s, script, &r);
	assert_int_equal(r.exit_status.v, RUN_NOT_RUN);
	assert_non_null(strstr(r.errout, "MaxSessions"));
	assert_non_null(strstr(r.errout, "connect failed"));
	run_free(&r);
	teardown(s);
}

/* More than is wanted ends the command; its channel is closed, the link stays. */
static void test_too_much(void **state)
{
	static const char much[] = "0123456789012345678901234567890123456789";
	static const struct fake_call script[] = {
		LOGIN, { "open", 0, NULL, false }, { "exec", 0, NULL, false },
		{ "window", 0, NULL, false }, { "read:0", 0, much, false },
		{ "read:0", 0, much, false }, { "read:1", AGAIN, NULL, false },
		{ "close", 0, NULL, false }, { "exit_signal", 0, NULL, false },
		{ "exit_status", 0, NULL, false }, { "free", 0, NULL, false },
		{ NULL, 0, NULL, false },
	};
	struct sheet *s = setup(known_line);
	struct run_result r;

	(void)state;
	ask(s, script, &r);
	assert_int_equal(r.exit_status.v, RUN_TIMEOUT);
	assert_non_null(strstr(r.errout, "printed more than"));
	assert_int_equal(r.out.n, 64);
	run_free(&r);
	teardown(s);
}

/* The command hangs: its channel is closed; when that hangs too the link is given up. */
static void test_late(void **state)
{
	static const struct fake_call closes[] = {
		LOGIN, { "open", 0, NULL, false }, { "exec", 0, NULL, false },
		{ "window", 0, NULL, false }, { "read:0", AGAIN, NULL, false },
		{ "read:1", AGAIN, NULL, false }, { "eof", 0, NULL, false },
		{ "close", 0, NULL, false }, { "exit_signal", 0, NULL, false },
		{ "exit_status", 0, NULL, false }, { "free", 0, NULL, false },
		{ NULL, 0, NULL, false },
	};
	static const struct fake_call hangs[] = {
		LOGIN, { "open", AGAIN, NULL, false }, { NULL, 0, NULL, false },
	};
	struct sheet *s = setup(known_line);
	struct run_result r;

	(void)state;
	s->q.timeout_ms = 0;
	ask(s, closes, &r);
	assert_int_equal(r.exit_status.v, RUN_TIMEOUT);
	assert_string_equal(r.errout, "took longer than 0 s");
	run_free(&r);
	link_ssh.close(s->link);
	assert_int_equal(connect_by(s, hangs), LINK_READY);
	link_ssh.ask(s->link, &s->q);
	assert_int_equal(run(s), LINK_FAILED);
	assert_int_equal(link_ssh.error(s->link)->kind, ERR_TIMEOUT);
	assert_non_null(strstr(error_of(s), "did not answer 'the command' within"));
	teardown(s);
}

/* ---- what ends it before it begins ---- */

static void fails(const char *known, const struct fake_call *script, enum err_kind kind,
		  const char *words, bool other_may_do)
{
	struct sheet *s = setup(known);

	assert_int_equal(connect_by(s, script), LINK_FAILED);
	assert_int_equal(fake_left(), 0);
	assert_int_equal(link_ssh.error(s->link)->kind, kind);
	if (!strstr(error_of(s), words))
		fail_msg("'%s' is not in '%s'", words, error_of(s));
	assert_int_equal(link_ssh.other_may_do(s->link), other_may_do);
	teardown(s);
}

static void test_host_keys(void **state)
{
	static const struct fake_call to_key[] = {
		{ "handshake", 0, NULL, false }, { NULL, 0, NULL, false },
	};
	static const struct fake_call by_type[] = {
		{ "method_pref", 0, NULL, false }, { "handshake", 0, NULL, false },
		{ NULL, 0, NULL, false },
	};
	static const struct fake_call not_supported[] = { { NULL, 0, NULL, false } };

	(void)state;
	fails("", to_key, ERR_HOSTKEY, "is not known: ssh-ed25519 SHA256:", false);
	fails("# ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAABGFiY2U=\n", by_type, ERR_HOSTKEY,
	      "has changed: it is ssh-ed25519 SHA256:", false);
	fails("@revoked * ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAABGFiY2Q=\n", to_key, ERR_HOSTKEY,
	      "is revoked in known:1", false);
	fails("127.0.0.1 ssh-xmss AAAACHNzaC14bXNzAAAABGFiY2Q=\n", not_supported, ERR_HOSTKEY,
	      "cannot use the host keys that are known", true);
}

/* An alias is one host whatever the port: its key can change, and is then never a new one. */
static void test_alias(void **state)
{
	static const struct fake_call by_type[] = {
		{ "method_pref", 0, NULL, false }, { "handshake", 0, NULL, false },
		{ NULL, 0, NULL, false },
	};
	struct sheet *s = setup("cass ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAABGFiY2U=\n");

	(void)state;
	s->set.host_key_alias = "cass";
	s->o.host_keys = HOST_KEYS_ACCEPT_NEW;
	assert_int_equal(connect_by(s, by_type), LINK_FAILED);
	if (!strstr(error_of(s), "the host key of cass has changed"))
		fail_msg("'%s'", error_of(s));
	teardown(s);
}

static void test_handshakes(void **state)
{
	static const struct fake_call no_algorithm[] = {
		{ "method_pref", 0, NULL, false },
		{ "handshake", LIBSSH2_ERROR_KEX_FAILURE, "x", false }, { NULL, 0, NULL, false },
	};
	static const struct fake_call no_banner[] = {
		{ "method_pref", 0, NULL, false },
		{ "handshake", LIBSSH2_ERROR_BANNER_RECV, "x", false }, { NULL, 0, NULL, false },
	};
	static const struct fake_call closed[] = {
		{ "method_pref", 0, NULL, false },
		{ "handshake", LIBSSH2_ERROR_SOCKET_DISCONNECT, "gone", false },
		{ NULL, 0, NULL, false },
	};

	(void)state;
	fails(known_line, no_algorithm, ERR_CONNECT,
	      "host keys ssh-ed25519,two; ciphers ssh-ed25519,two", true);
	fails(known_line, no_banner, ERR_CONNECT, "is no SSH server", false);
	fails(known_line, closed, ERR_CONNECT, "broke off while keys were exchanged: gone", false);
}

/* An agent that says it has no keys, or says nothing; its process. */
static pid_t begin_agent(const char *path, bool answers)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t pid;

	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(listen(fd, 4), 0);
	pid = fork();
	if (pid == 0) {
		static const char none[] = { 0, 0, 0, 5, 12, 0, 0, 0, 0 };

		for (;;) {
			int client = accept(fd, NULL, NULL);

			if (answers && write(client, none, sizeof(none)) < 0)
				_exit(1);
		}
	}
	close(fd);
	return pid;
}

static void end_agent(pid_t pid, const char *path)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	unlink(path);
}

/* One that hangs is passed over: libssh2 would wait for it for ever. */
static void test_hanging_agent(void **state)
{
	static const struct fake_call script[] = {
		{ "method_pref", 0, NULL, false }, { "handshake", 0, NULL, false },
		{ "userauth_list", 0, "publickey", false }, { NULL, 0, NULL, false },
	};
	struct sheet *s = setup(known_line);
	const char *path = arena_printf(s->a, "agent.%d", (int)getpid());
	pid_t pid = begin_agent(path, false);

	(void)state;
	s->set.agent = path;
	assert_int_equal(connect_by(s, script), LINK_FAILED);
	assert_int_equal(fake_left(), 0);
	assert_non_null(strstr(error_of(s), "no key to log in"));
	end_agent(pid, path);
	teardown(s);
}

/* RSA keys: what libssh2 before 1.11 can't do is said as that, and only then. */
static void test_rsa(void **state)
{
	static const struct fake_call script[] = {
		{ "method_pref", 0, NULL, false }, { "handshake", 0, NULL, false },
		{ "userauth_list", 0, "publickey", false }, { "agent_init", 0, NULL, false },
		{ "agent_connect", 0, NULL, false }, { "agent_list", 0, NULL, false },
		{ "agent_get", 1, NULL, false }, { "agent_get", 0, "me@here", false },
		{ "agent_userauth", AGAIN, NULL, true },
		{ "agent_userauth", LIBSSH2_ERROR_AUTHENTICATION_FAILED, "x", false },
		{ "agent_get", 1, NULL, false }, { NULL, 0, NULL, false },
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct sheet *s = setup(known_line);
		const char *path = arena_printf(s->a, "agent.%d", (int)getpid());
		pid_t pid = begin_agent(path, true);

		s->set.agent = path;
		if (i)
			fake_version(0x010b00, "1.11.0");
		assert_int_equal(connect_by(s, script), LINK_FAILED);
		assert_int_equal(fake_left(), 0);
		assert_int_equal(link_ssh.error(s->link)->kind, ERR_AUTH);
		assert_non_null(strstr(error_of(s), "ssh-rsa of the agent me@here"));
		assert_int_equal(strstr(error_of(s), "cannot use RSA keys") != NULL, !i);
		assert_int_equal(link_ssh.other_may_do(s->link), !i);
		end_agent(pid, path);
		teardown(s);
	}
}

static void test_no_key(void **state)
{
	static const struct fake_call none[] = {
		{ "method_pref", 0, NULL, false }, { "handshake", 0, NULL, false },
		{ "userauth_list", 0, "publickey,password", false }, { NULL, 0, NULL, false },
	};
	static const struct fake_call passwords[] = {
		{ "method_pref", 0, NULL, false }, { "handshake", 0, NULL, false },
		{ "userauth_list", 0, "password", false }, { NULL, 0, NULL, false },
	};

	(void)state;
	fails(known_line, none, ERR_AUTH, "no key to log in to 127.0.0.1 as me with", false);
	fails(known_line, passwords, ERR_AUTH, "does not take keys, only: password", true);
}

/* Nothing answers: each stage says which one it was. */
static void test_silence(void **state)
{
	static const struct fake_call script[] = { { NULL, 0, NULL, false } };
	struct sheet *s = setup(known_line);

	(void)state;
	close(s->listener);
	assert_int_equal(connect_by(s, script), LINK_FAILED);
	assert_int_equal(link_ssh.error(s->link)->kind, ERR_CONNECT);
	assert_non_null(strstr(error_of(s), "Connection refused"));
	s->listener = -1;
	teardown(s);
	s = setup(known_line);
	s->set.proxy_jump = "bastion";
	assert_int_equal(connect_by(s, script), LINK_FAILED);
	assert_true(link_ssh.other_may_do(s->link));
	teardown(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_again),	      cmocka_unit_test(test_no_end_line),
		cmocka_unit_test(test_signal),	      cmocka_unit_test(test_broken),
		cmocka_unit_test(test_refused_channel), cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_late),	      cmocka_unit_test(test_host_keys),
		cmocka_unit_test(test_alias),
		cmocka_unit_test(test_handshakes),    cmocka_unit_test(test_rsa),
		cmocka_unit_test(test_hanging_agent), cmocka_unit_test(test_no_key),
		cmocka_unit_test(test_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
