/* Settings of one host: src/collect/ssh_settings.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/slice.h"
#include "collect/run.h"
#include "collect/ssh_settings.h"
#include "files.h"
#include "folder.h"
#include "text_assert.h"

/* As settings stand in the cases below: the process's home is "~", its user "me". */
static const char *shown(struct arena *a, const char *path)
{
	const struct passwd *pw = getpwuid(getuid());
	size_t n = strlen(pw->pw_dir);

	if (strncmp(path, pw->pw_dir, n) == 0 && path[n] == '/')
		return arena_printf(a, "~%s", path + n);
	return path;
}

static const char *list(struct arena *a, const char *const *v, size_t n)
{
	const char *text = "";

	for (size_t i = 0; i < n; i++)
		text = arena_printf(a, "%s[%s]", text, shown(a, v[i]));
	return text;
}

static const char *text_of(struct arena *a, const struct ssh_settings *s)
{
	const char *me = getpwuid(getuid())->pw_name;

	return arena_printf(a, "%s@%s:%s alias %s in %lld s\nkeys%s %s\nagent %s%s\n"
			       "known %s\nglobal %s\njump %s\ncommand %s\nalgorithms %.40s\n",
			    strcmp(s->user, me) == 0 ? "me" : s->user, s->hostname, s->port,
			    s->host_key_alias ? s->host_key_alias : "-",
			    (long long)s->connect_timeout_s, s->identity_given ? " (given)" : "",
			    list(a, s->identities.v, s->identities.n),
			    s->agent ? shown(a, s->agent) : "-",
			    s->identities_only ? " (only)" : "",
			    list(a, s->user_known_hosts.v, s->user_known_hosts.n),
			    list(a, s->global_known_hosts.v, s->global_known_hosts.n),
			    s->proxy_jump ? s->proxy_jump : "-",
			    s->proxy_command ? s->proxy_command : "-",
			    s->host_key_algorithms ? s->host_key_algorithms : "-");
}

static void set_environment(void)
{
	setenv("SSH_AUTH_SOCK", "/run/agent", 1);
	setenv("TWCS_TEST_AGENT", "/run/jo/agent", 1);
	setenv("TWCS_TEST_KEYS", "/etc/keys", 1);
	setenv("HOME", "/nowhere", 1);	/* ssh does not look at it */
}

#define GLOBAL "global [/etc/ssh/ssh_known_hosts][/etc/ssh/ssh_known_hosts2]\n"
#define NO_PROXY "jump -\ncommand -\n"
#define FIRST_ALGORITHMS "algorithms ssh-ed25519-cert-v01@openssh.com,ecdsa-s\n"

static void test_recorded(void **state)
{
	static const struct {
		const char *file;
		struct remote_node node;
		const char *settings;
	} cases[] = {
		{ "plain", { "n", "node-1.example", NULL, NULL },
		  "jo@node-1.example:22 alias - in 5 s\n"
		  "keys [~/.ssh/id_rsa][~/.ssh/id_ecdsa][~/.ssh/id_ecdsa_sk][~/.ssh/id_ed25519]"
		  "[~/.ssh/id_ed25519_sk][~/.ssh/id_xmss][~/.ssh/id_dsa]\nagent /run/agent\n"
		  "known [/home/jo/.ssh/known_hosts][/home/jo/.ssh/known_hosts2]\n"
		  GLOBAL NO_PROXY FIRST_ALGORITHMS },
		{ "configured", { "n", "cass-01", NULL, NULL },
		  "monitor@cass-01.example.org:2200 alias metrics in 12 s\n"
		  "keys [~/.ssh/monitor_cass-01.example.org][/ROOT/a b/key][/etc/keys/key]\n"
		  "agent /home/jo/agent.sock (only)\n"
		  "known [/home/jo/.ssh/kh_cass-01.example.org][/home/jo/known hosts]"
		  "[/home/jo/.ssh/known_hosts2]\nglobal \n"
		  "jump jump@bastion:2222\ncommand -\nalgorithms ssh-ed25519,rsa-sha2-512\n" },
		{ "none", { "n", "none", "22", NULL },
		  "jo@none:22 alias - in 5 s\nkeys \nagent -\nknown \nglobal \n"
		  NO_PROXY FIRST_ALGORITHMS },
		{ "command", { "n", "jo@command", "2022", NULL },
		  "jo@command:2022 alias - in 5 s\n"
		  "keys [~/.ssh/id_rsa][~/.ssh/id_ecdsa][~/.ssh/id_ecdsa_sk][~/.ssh/id_ed25519]"
		  "[~/.ssh/id_ed25519_sk][~/.ssh/id_xmss][~/.ssh/id_dsa]\nagent /run/jo/agent\n"
		  "known [/home/jo/.ssh/known_hosts][/home/jo/.ssh/known_hosts2]\n" GLOBAL
		  "jump -\ncommand nc -X connect %h %p\n" FIRST_ALGORITHMS },
	};
	const struct remote_options none = { 0 };
	struct arena *a = arena_create();

	(void)state;
	set_environment();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *path = arena_printf(a, "fixtures/ssh/openssh-9.2-%s.txt",
						cases[i].file);
		const char *want = cases[i].settings, *root = strstr(want, "/ROOT");
		struct ssh_settings s;
		struct err err = { 0 };
		struct slice printed = file_bytes(a, tests_path(a, path));

		assert_non_null(printed.p);
		if (root)
			want = arena_printf(a, "%.*s%s%s", (int)(root - want), want,
					    shown(a, arena_printf(a, "%s/a",
								  getpwnam("root")->pw_dir)),
					    root + strlen("/ROOT/a"));
		if (!ssh_settings_read(a, &none, &cases[i].node, printed, &s, &err))
			fail_msg("%s: %s", cases[i].file, err_text(a, &err));
		assert_text(cases[i].file, text_of(a, &s), want);
		assert_true(s.from_ssh);
		assert_ptr_equal(s.node, &cases[i].node);
	}
	arena_destroy(a);
}

static void test_run_goes_first(void **state)
{
	static const struct remote_options o = {
		.user = "admin", .identity = "~/key%h", .known_hosts = "~/known hosts",
		.jump = "other", .connect_timeout_s = 3,
	};
	static const struct remote_options no_jump = { .jump = "none" };
	static const struct remote_node node = { "n", "cass-01", "0022", NULL };
	struct arena *a = arena_create();
	struct slice printed = file_bytes(a, tests_path(a,
					"fixtures/ssh/openssh-9.2-configured.txt"));
	struct slice command = file_bytes(a, tests_path(a,
					"fixtures/ssh/openssh-9.2-command.txt"));
	struct ssh_settings s;
	struct err err = { 0 };

	(void)state;
	set_environment();
	assert_true(ssh_settings_read(a, &o, &node, printed, &s, &err));
	assert_text("all", text_of(a, &s),
		    "admin@cass-01.example.org:22 alias metrics in 3 s\nkeys (given) [~/key%h]\n"
		    "agent /home/jo/agent.sock (only)\nknown [~/known hosts]\nglobal \n"
		    "jump other\ncommand -\nalgorithms ssh-ed25519,rsa-sha2-512\n");
	assert_true(ssh_settings_read(a, &no_jump, &node, printed, &s, &err));
	assert_null(s.proxy_jump);
	assert_true(ssh_settings_read(a, &o, &node, command, &s, &err));
	assert_null(s.proxy_command);
	assert_true(s.identities_only);
	arena_destroy(a);
}

static void test_without_ssh(void **state)
{
	static const struct {
		const char *name;
		struct remote_node node;
		struct remote_options o;
		const char *head;
	} cases[] = {
		{ "plain", { "n", "node-1", NULL, NULL }, { 0 }, "me@node-1:22 alias - in 5 s\n" },
		{ "a port", { "n", "2001:db8::1", "2222", NULL }, { 0 },
		  "me@2001:db8::1:2222 alias - in 5 s\n" },
		{ "a user", { "n", "jo@node-1", NULL, NULL }, { 0 },
		  "jo@node-1:22 alias - in 5 s\n" },
		{ "the run's user", { "n", "node-1", NULL, NULL }, { .user = "admin" },
		  "admin@node-1:22 alias - in 5 s\n" },
		{ "the node's own", { "n", "node-1", NULL, "jo" }, { .user = "admin" },
		  "jo@node-1:22 alias - in 5 s\n" },
		{ "the node's own in its host", { "n", "jo@node-1", NULL, NULL },
		  { .user = "admin" }, "jo@node-1:22 alias - in 5 s\n" },
		{ "both", { "n", "jo@node-1", NULL, "al" }, { .user = "admin" },
		  "al@node-1:22 alias - in 5 s\n" },
		{ "a user of a domain", { "n", "jo@example.org@node-1", NULL, NULL }, { 0 },
		  "jo@example.org@node-1:22 alias - in 5 s\n" },
	};
	struct arena *a = arena_create();
	struct ssh_settings s;
	struct err err = { 0 };

	(void)state;
	set_environment();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(ssh_settings_read(a, &cases[i].o, &cases[i].node,
					      (struct slice){ NULL, 0 }, &s, &err));
		assert_false(s.from_ssh);
		assert_text(cases[i].name, text_of(a, &s),
			    arena_printf(a, "%skeys [~/.ssh/id_ed25519][~/.ssh/id_ecdsa]"
					    "[~/.ssh/id_rsa]\nagent /run/agent\n"
					    "known [~/.ssh/known_hosts][~/.ssh/known_hosts2]\n"
					    GLOBAL NO_PROXY "algorithms -\n", cases[i].head));
	}
	unsetenv("SSH_AUTH_SOCK");
	assert_true(ssh_settings_read(a, &cases[0].o, &cases[0].node, (struct slice){ NULL, 0 },
				      &s, &err));
	assert_null(s.agent);
	setenv("SSH_AUTH_SOCK", "", 1);
	assert_true(ssh_settings_read(a, &cases[0].o, &cases[0].node, (struct slice){ NULL, 0 },
				      &s, &err));
	assert_null(s.agent);
	arena_destroy(a);
}

/* One line each, and what becomes of it: the head, the keys and the agent. */
static void test_lines(void **state)
{
	static const struct { const char *printed, *settings; } cases[] = {
		{ "", "me@h:22 in 5 s, keys , agent /run/agent" },
		{ "hostname -x\nuser -x\nport 0\n", "me@h:22 in 5 s, keys , agent /run/agent" },
		{ "hostname $(x)\nuser a;b\nport 65536\n",
		  "me@h:22 in 5 s, keys , agent /run/agent" },
		{ "hostname\nuser \nport ssh\nconnecttimeout x\n",
		  "me@h:22 in 5 s, keys , agent /run/agent" },
		{ "hostname a\001b\nuser jo\r\nport 2222\r\n",
		  "jo@h:2222 in 5 s, keys , agent /run/agent" },
		{ "hostname one\nhostname two\nuser DOM\\jo\nport 1\nport 2\n",
		  "DOM\\jo@one:1 in 5 s, keys , agent /run/agent" },
		{ "hostnames x\n  hostname   i  \nPort 3\n",
		  "me@i:22 in 5 s, keys , agent /run/agent" },
		{ "identityfile %%a%i\nidentityfile %\nidentityfile x%\n"
		  "identityfile %C\nidentityfile ${x\n"
		  "identityfile ${TWCS_TEST_NONE}a\nidentityfile ~no-such-user-here/x\n"
		  "identityfile NONE\nidentityfile $x{\nidentityfile %h/%n/%p/%r/%k\n",
		  "me@h:22 in 5 s, keys [%a#][$x{][h/h/22/me/h], agent /run/agent" },
		{ "identityagent SSH_AUTH_SOCK\n", "me@h:22 in 5 s, keys , agent /run/agent" },
		{ "identityagent $TWCS_TEST_NONE\n", "me@h:22 in 5 s, keys , agent -" },
		{ "identityagent None\n", "me@h:22 in 5 s, keys , agent -" },
		{ "identityagent ~/a b%d\n", "me@h:22 in 5 s, keys , agent ~/a b%d" },
		{ "connecttimeout 0\n", "me@h:22 in 5 s, keys , agent /run/agent" },
		{ "connecttimeout 60\nidentitiesonly yes\n",
		  "me@h:22 in 60 s, keys only , agent /run/agent" },
	};
	const struct remote_options none = { 0 };
	const struct remote_node node = { "n", "h", NULL, NULL };
	const char *me = getpwuid(getuid())->pw_name;
	char id[32];
	struct arena *a = arena_create();

	(void)state;
	set_environment();
	snprintf(id, sizeof(id), "%ld", (long)getuid());
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *want = cases[i].settings, *hash = strchr(want, '#');
		struct ssh_settings s;
		struct err err = { 0 };

		if (hash)
			want = arena_printf(a, "%.*s%s][$x{][h/h/22/%s/h], agent /run/agent",
					    (int)(hash - want), want, id, me);
		assert_true(ssh_settings_read(a, &none, &node, slice_of(cases[i].printed), &s,
					      &err));
		assert_text(cases[i].printed,
			    arena_printf(a, "%s@%s:%s in %lld s, keys %s%s, agent %s",
					 strcmp(s.user, me) == 0 ? "me" : s.user, s.hostname,
					 s.port, (long long)s.connect_timeout_s,
					 s.identities_only ? "only " : "",
					 list(a, s.identities.v, s.identities.n),
					 s.agent ? shown(a, s.agent) : "-"), want);
	}
	arena_destroy(a);
}

static void test_refused(void **state)
{
	static const struct {
		struct remote_node node;
		const char *user, *why;
	} cases[] = {
		{ { "n", "", NULL, NULL }, NULL, "n: '' is no name of a host" },
		{ { "n", "-oProxyCommand=x", NULL, NULL }, NULL,
		  "n: '-oProxyCommand=x' is no name of a host" },
		{ { "n", "a b", NULL, NULL }, NULL, "n: 'a b' is no name of a host" },
		{ { "n", "a\tb", NULL, NULL }, NULL, "n: 'a?b' is no name of a host" },
		{ { "n", "a\nb", NULL, NULL }, NULL, "n: 'a?b' is no name of a host" },
		{ { "n", "a\177", NULL, NULL }, NULL, "n: 'a?' is no name of a host" },
		{ { "n", "a;b", NULL, NULL }, NULL, "n: 'a;b' is no name of a host" },
		{ { "n", "$(a)", NULL, NULL }, NULL, "n: '$(a)' is no name of a host" },
		{ { "n", "`a`", NULL, NULL }, NULL, "n: '`a`' is no name of a host" },
		{ { "n", "ssh://a", NULL, NULL }, NULL, "n: 'ssh://a' is no name of a host" },
		{ { "n", "jo@", NULL, NULL }, NULL, "n: '' is no name of a host" },
		{ { "n", "jo@-x", NULL, NULL }, NULL, "n: '-x' is no name of a host" },
		{ { "n", "@h", NULL, NULL }, NULL, "n: '' is no name of a user" },
		{ { "n", "-x@h", NULL, NULL }, NULL, "n: '-x' is no name of a user" },
		{ { "n", "a;b@h", NULL, NULL }, "jo", "n: 'a;b' is no name of a user" },
		{ { "n", "h", NULL, NULL }, "a'b", "n: 'a'b' is no name of a user" },
		{ { "n", "h", NULL, NULL }, "", "n: '' is no name of a user" },
		{ { "n", "h", NULL, NULL }, "a -b", "n: 'a -b' is no name of a user" },
		{ { "n", "h", NULL, NULL }, "a\\", "n: 'a\\' is no name of a user" },
		{ { "n", "h", NULL, NULL }, "a\n", "n: 'a?' is no name of a user" },
		{ { "n", "h", "", NULL }, NULL, "n: '' is no port: it must be 1 to 65535" },
		{ { "n", "h", "0", NULL }, NULL, "n: '0' is no port: it must be 1 to 65535" },
		{ { "n", "h", "65536", NULL }, NULL,
		  "n: '65536' is no port: it must be 1 to 65535" },
		{ { "n", "h", "ssh", NULL }, NULL, "n: 'ssh' is no port: it must be 1 to 65535" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct remote_options o = { .user = cases[i].user };
		struct ssh_settings s;
		struct err err = { 0 };

		assert_null(ssh_settings_argv(a, &o, &cases[i].node));
		if (ssh_settings_read(a, &o, &cases[i].node, SLICE("hostname x\n"), &s, &err))
			fail_msg("'%s' was taken", cases[i].why);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_text("error", err_text(a, &err), cases[i].why);
	}
	arena_destroy(a);
}

static void test_argv(void **state)
{
	static const struct {
		struct remote_node node;
		struct remote_options o;
		const char *argv;
	} cases[] = {
		{ { "n", "h", NULL, NULL }, { 0 }, "ssh|-GT|--|h|" },
		{ { "n", "jo@h", "2222", NULL }, { 0 }, "ssh|-GT|-l|jo|-p|2222|--|h|" },
		{ { "n", "h", "2222", NULL },
		  { .ssh = "/opt/ssh", .ssh_config = "-x", .user = "jo", .jump = "a,b" },
		  "/opt/ssh|-GT|-F|-x|-l|jo|-p|2222|-o|ProxyJump=a,b|--|h|" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char **argv = ssh_settings_argv(a, &cases[i].o, &cases[i].node);
		const char *text = "";

		for (size_t k = 0; argv[k]; k++)
			text = arena_printf(a, "%s%s|", text, argv[k]);
		assert_text("argv", text, cases[i].argv);
	}
	arena_destroy(a);
}

/* The real ssh, where there is one: Match blocks see the run's user. */
static void test_real_ssh(void **state)
{
	static const struct run_limits limits = { .timeout_ms = 20000, .out_max = 1 << 20,
						  .err_max = 1000 };
	const struct remote_node node = { "n", "node-1", "2222", NULL };
	struct remote_options o = { .user = "monitor", .jump = "bastion" };
	struct arena *a = arena_create();
	char *dir = folder_create(a);
	struct ssh_settings s;
	struct err err = { 0 };
	struct run_result r;
	bool here;

	(void)state;
	assert_true(folder_add(a, dir, "config", SLICE("Match user monitor\nHostName %h.example\n"
						       "Port 7\nProxyCommand x\n")));
	o.ssh_config = arena_printf(a, "%s/config", dir);
	run_command(a, ssh_settings_argv(a, &o, &node), &limits, &r);
	folder_remove(a, dir);
	here = !r.exit_status.known || r.exit_status.v != RUN_NOT_FOUND;
	if (here) {
		assert_true(r.exit_status.known && r.exit_status.v == 0);
		assert_string_equal(r.errout, "");
		assert_true(ssh_settings_read(a, &o, &node, r.out, &s, &err));
		assert_string_equal(s.hostname, "node-1.example");
		assert_string_equal(s.port, "2222");
		assert_string_equal(s.user, "monitor");
		assert_string_equal(s.proxy_jump, "bastion");
		assert_null(s.proxy_command);
		assert_non_null(s.host_key_algorithms);
		assert_true(s.identities.n > 0 && s.user_known_hosts.n > 0);
	}
	run_free(&r);
	arena_destroy(a);
	if (!here)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_run_goes_first),
		cmocka_unit_test(test_without_ssh),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_argv),
		cmocka_unit_test(test_real_ssh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
