/* The ssh program as a link: src/collect/openssh.c, with programs that act as ssh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/slice.h"
#include "collect/link.h"
#include "collect/node_script.h"
#include "files.h"
#include "folder.h"

/* What it is told, and a word on standard error. */
const char node_script[] = "cat; echo told $1 >&2; echo >&2; echo twcscheck-end 0 >&2; exit 0";

/* The last argument is the command: the login shell of the node gets it. */
#define COMMAND "for c; do :; done; exec sh -c \"$c\""
#define END(status) "echo >&2; echo twcscheck-end " #status " >&2; "
#define BEGIN "echo >&2; echo twcscheck-begin >&2; "

struct sheet {
	struct arena *arena;
	char *dir;
	struct remote_options o;
	struct remote_node node;
	struct ssh_settings s;
	struct remote_request q;
	size_t descriptors;
};

static size_t open_descriptors(void)
{
	size_t n = 0;

	for (int i = 0; i < 256; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

static int set_up(void **state)
{
	struct arena *a = arena_create();
	struct sheet *t = arena_alloc(a, sizeof(*t));

	t->arena = a;
	t->dir = folder_create(a);
	t->node = (struct remote_node){ .name = "n1", .host = "cass-01" };
	t->s.node = &t->node;
	t->s.connect_timeout_s = 5;
	t->o.ssh = arena_printf(a, "%s/ssh", t->dir);
	t->q = (struct remote_request){ .word = "word", .input = SLICE("in\n"), .timeout_ms = 20000,
					.out_max = 1 << 20 };
	t->descriptors = open_descriptors();
	*state = t;
	return 0;
}

/* Whatever happened, no child and no descriptor is left. */
static int tear_down(void **state)
{
	struct sheet *t = *state;
	bool clean = waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD &&
		     open_descriptors() == t->descriptors;

	folder_remove(t->arena, t->dir);
	arena_destroy(t->arena);
	return clean ? 0 : -1;
}

static void act(struct sheet *t, const char *body)
{
	const char *text = arena_printf(t->arena, "#!/bin/sh\n%s\n", body);

	if (!folder_add(t->arena, t->dir, "ssh", slice_of(text)) || chmod(t->o.ssh, 0700) != 0)
		fail_msg("the program that acts as ssh cannot be written");
}

static enum link_event wait_for(struct link *l)
{
	int64_t until = run_clock_ms() + 30000;
	enum link_event event;

	while ((event = link_openssh.step(l)) == LINK_WAITS && run_clock_ms() < until) {
		struct pollfd p[LINK_POLLS];
		int64_t wait_ms = 10000;
		size_t n = link_openssh.polls(l, p, &wait_ms);

		(void)poll(p, n, (int)wait_ms);
	}
	return event;
}

static struct link *connected(struct sheet *t)
{
	struct link *l = link_openssh.open(t->arena, &t->o, &t->s);

	assert_non_null(l);
	assert_int_equal(link_openssh.step(l), LINK_READY);
	assert_null(link_openssh.address(l));
	return l;
}

static const char *end_of(struct arena *a, const struct run_result *r)
{
	if (r->signal)
		return arena_printf(a, "SIG%s", r->signal);
	return r->exit_status.known ? arena_printf(a, "%lld", (long long)r->exit_status.v) : "?";
}

/* ---- answers ---- */

static const struct answer_case {
	const char *name, *body;
	const char *end, *out, *errout;
	int64_t timeout_ms;	/* 0 = the usual one */
} answers[] = {
	{ "a good answer", COMMAND, "0", "in\n", "told word\n", 0 },
	{ "a banner, and what the login shell says", "echo 'Permission denied (x)' >&2; "
	  "printf 'stty: no tty' >&2; " COMMAND, "0", "in\n", "told word\n", 0 },
	{ "noise after the end", "(" COMMAND "); s=$?; echo logout >&2; exit $s", "0", "in\n",
	  "told word\n", 0 },
	{ "a command's status", BEGIN "echo no >&2; " END(5) "exit 5", "5", NULL, "no\n", 0 },
	{ "a command's 255", BEGIN "echo no >&2; " END(255) "exit 255", "255", NULL, "no\n", 0 },
	{ "nothing of it", END(0), "0", NULL, "", 0 },
	{ "an end that the command prints itself", BEGIN END(0) "echo; " END(3) "exit 3", "3",
	  "\n", "\ntwcscheck-end 0\n", 0 },
	{ "input that is not read", "exec <&-; " END(0), "0", NULL, "", 0 },
	{ "cut off", "printf 'one\\ntw'; exit 0", "255", "one\ntw", "the answer broke off", 0 },
	{ "cut off in its end", "printf one; printf 'e\\n\\ntwcscheck-end 1' >&2; exit 1", "1",
	  "one", "the answer broke off\ne\n\ntwcscheck-end 1", 0 },
	{ "no script", "echo 'This account is not available.' >&2; exit 1", "1", NULL,
	  "the answer broke off\nThis account is not available.\n", 0 },
	{ "no sudo", "echo 'sudo: a password is required' >&2; exit 1", "1", NULL,
	  "the answer broke off\nsudo: a password is required\n", 0 },
	{ "an end, and then another status", END(0) "echo half; exit 137", "137", "half\n",
	  "the answer broke off", 0 },
	{ "ssh is killed", "echo half; kill -KILL $$", "SIGKILL", "half\n",
	  "the answer broke off", 0 },
	{ "ssh is killed after the end", END(0) "kill -SEGV $$", "SIGSEGV", NULL,
	  "the answer broke off", 0 },
	{ "the script is killed", BEGIN "echo half; exit 255", "255", "half\n",
	  "the answer broke off", 0 },
	{ "the script is killed after a word", BEGIN "echo e >&2; exit 255", "255", NULL,
	  "the answer broke off\ne\n", 0 },
	{ "it hangs", "echo half; echo e >&2; exec sleep 60", "124", "half\n",
	  "took longer than 1 s\ne\n", 300 },
	{ "it hangs with children", BEGIN "sleep 60 | sleep 60", "124", NULL,
	  "took longer than 1 s", 300 },
	{ "it hangs and does not want to end", "trap '' TERM; while :; do sleep 1; done", "124",
	  NULL, "took longer than 1 s", 300 },
	{ "it hangs, and ends well when it is asked", "trap 'exit 0' TERM; " END(0)
	  "sleep 60 & wait", "124", NULL, "took longer than 1 s", 300 },
	{ "too much", "while :; do echo much; done", "SIGTERM", "",
	  "printed more than 1 MiB", 0 },
};

static void check_answer(struct sheet *t, const struct answer_case *c, struct link *l)
{
	struct run_result r;

	act(t, c->body);
	t->q.timeout_ms = c->timeout_ms ? c->timeout_ms : 20000;
	link_openssh.ask(l, &t->q);
	if (wait_for(l) != LINK_ANSWERED)
		fail_msg("%s: no answer: %s", c->name, link_openssh.error(l)->text);
	link_openssh.answer(l, &r);
	if (strcmp(end_of(t->arena, &r), c->end) != 0)
		fail_msg("%s: it ended with %s: %s", c->name, end_of(t->arena, &r), r.errout);
	if (!r.out.p != !c->out || (c->out && *c->out && !slice_eq_str(r.out, c->out)))
		fail_msg("%s: it printed %.*s", c->name, (int)r.out.n,
			 r.out.p ? r.out.p : "nothing");
	if (strcmp(r.errout, c->errout) != 0)
		fail_msg("%s: '%s'", c->name, r.errout);
	assert_true(r.started_s > 0 && r.duration_ms >= 0 && r.duration_ms < 15000);
	run_free(&r);
}

static void test_answers(void **state)
{
	struct sheet *t = *state;

	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct link *l = connected(t);

		check_answer(t, &answers[i], l);
		/* it stays usable */
		check_answer(t, &answers[0], l);
		link_openssh.close(l);
		if (waitpid(-1, NULL, WNOHANG) != -1 || open_descriptors() != t->descriptors)
			fail_msg("%s: something is left", answers[i].name);
	}
}

static void test_large(void **state)
{
	struct sheet *t = *state;
	struct link *l = connected(t);
	char *input = arena_alloc(t->arena, 1 << 20);
	struct run_result r;

	memset(input, 'i', 1 << 20);
	t->q.input = (struct slice){ input, 1 << 20 };
	t->q.out_max = 2 << 20;
	act(t, "head -c 3000000 /dev/zero | tr '\\0' b >&2; " COMMAND);
	link_openssh.ask(l, &t->q);
	assert_int_equal(wait_for(l), LINK_ANSWERED);
	link_openssh.answer(l, &r);
	/* so much before the beginning that its mark is lost, but the end is there */
	assert_string_equal(end_of(t->arena, &r), "0");
	assert_true(slice_eq(r.out, t->q.input));
	assert_true(strlen(r.errout) <= REMOTE_ERROUT_MAX);
	run_free(&r);
	act(t, BEGIN "head -c 3000000 /dev/zero | tr '\\0' e >&2; " END(4) "exit 4");
	link_openssh.ask(l, &t->q);
	assert_int_equal(wait_for(l), LINK_ANSWERED);
	link_openssh.answer(l, &r);
	assert_string_equal(end_of(t->arena, &r), "4");
	assert_int_equal(r.errout[0], 'e');
	assert_int_equal(r.errout[strlen(r.errout) - 1], 'e');
	link_openssh.close(l);
}

static void test_garbage(void **state)
{
	struct sheet *t = *state;
	struct link *l = connected(t);
	struct run_result r;

	act(t, "head -c 300000 /dev/urandom; head -c 300000 /dev/urandom >&2; exit 3");
	link_openssh.ask(l, &t->q);
	assert_int_equal(wait_for(l), LINK_ANSWERED);
	link_openssh.answer(l, &r);
	assert_string_equal(end_of(t->arena, &r), "3");
	assert_int_equal(r.out.n, 300000);
	assert_int_equal(strncmp(r.errout, "the answer broke off\n", 21), 0);
	run_free(&r);
	link_openssh.close(l);
}

/* ---- failures ---- */

static void test_failures(void **state)
{
	static const struct {
		const char *name, *body;
		enum err_kind kind;
		const char *words;
	} cases[] = {
		{ "the login", "echo 'op@h: Permission denied (publickey).' >&2; exit 255",
		  ERR_AUTH,
		  "the login was refused: op@h: Permission denied (publickey); hint: " },
		{ "the login, after a banner", "echo 'Could not resolve hostname' >&2; echo >&2; "
		  "echo 'op@h: Permission denied (publickey).' >&2; exit 255", ERR_AUTH,
		  "the login was refused: op@h" },
		{ "the key", "echo 'No RSA host key is known for h and x' >&2; "
		  "echo 'Host key verification failed.' >&2; exit 255", ERR_HOSTKEY,
		  "the host key cannot be verified: No RSA host key is known for h" },
		{ "the name", "echo 'ssh: Could not resolve hostname h: -2' >&2; exit 255",
		  ERR_CONNECT,
		  "cannot connect: Could not resolve hostname h: -2; hint: " },
		{ "nothing is said", "exit 255", ERR_CONNECT, "ssh failed and said nothing" },
		{ "broken in the middle", BEGIN "echo half; echo e >&2; "
		  "echo 'Connection to h closed by remote host.' >&2; exit 255", ERR_CONNECT,
		  "the connection broke: Connection to h closed by remote host" },
		{ "broken after an end", BEGIN END(0)
		  "echo 'Connection to h closed by remote host.' >&2; exit 255", ERR_CONNECT,
		  "the connection broke: Connection to h closed by remote host" },
		{ "megabytes before it", "head -c 3000000 /dev/zero >&2; echo >&2; "
		  "echo 'ssh: connect to host h port 22: Connection refused' >&2; exit 255",
		  ERR_CONNECT, "cannot connect: connect to host h port 22: Connection refused; "
		  "hint: " },
	};
	struct sheet *t = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct link *l = connected(t);
		const struct err *err;

		act(t, cases[i].body);
		link_openssh.ask(l, &t->q);
		if (wait_for(l) != LINK_FAILED)
			fail_msg("%s: no failure", cases[i].name);
		err = link_openssh.error(l);
		if (err->kind != cases[i].kind ||
		    strncmp(err->text, cases[i].words, strlen(cases[i].words)) != 0)
			fail_msg("%s: %d, %s", cases[i].name, (int)err->kind, err->text);
		assert_string_equal(err->subject, "n1");
		assert_false(link_openssh.other_may_do(l));
		assert_int_equal(link_openssh.step(l), LINK_FAILED);
		link_openssh.close(l);
	}
}

static void fails_with(struct sheet *t, enum err_kind kind, const char *text)
{
	struct link *l = link_openssh.open(t->arena, &t->o, &t->s);

	if (link_openssh.step(l) == LINK_READY)
		link_openssh.ask(l, &t->q);
	assert_int_equal(wait_for(l), LINK_FAILED);
	assert_int_equal(link_openssh.error(l)->kind, kind);
	assert_string_equal(link_openssh.error(l)->text, text);
	link_openssh.close(l);
}

static void test_unusable(void **state)
{
	struct sheet *t = *state;

	act(t, "echo it was run >\"$0.run\"");
	t->node.host = "-oProxyCommand=x";
	fails_with(t, ERR_USAGE, "the host name '-oProxyCommand=x' cannot be used");
	t->node.host = "";
	fails_with(t, ERR_USAGE, "the host name '' cannot be used");
	t->node.host = "cass-01";
	t->q.as_owner = true;
	t->o.sudo = "x;y";
	fails_with(t, ERR_USAGE, "the user for sudo 'x;y' cannot be used");
	assert_int_equal(folder_count(t->dir), 1);
	t->o.sudo = NULL;
	t->o.ssh = arena_printf(t->arena, "%s/none", t->dir);
	fails_with(t, ERR_CONNECT, arena_printf(t->arena,
			"'%s' cannot be run: No such file or directory", t->o.ssh));
}

/* ---- the command line ---- */

static const char *words_of(struct sheet *t)
{
	struct link *l = connected(t);
	struct run_result r;
	struct slice text;
	char *words;

	act(t, "for w; do printf '%s|' \"$w\"; done; " END(0));
	link_openssh.ask(l, &t->q);
	assert_int_equal(wait_for(l), LINK_ANSWERED);
	link_openssh.answer(l, &r);
	text = r.out;
	words = arena_copy(t->arena, text);
	run_free(&r);
	link_openssh.close(l);
	return words;
}

#define FIRST "-T|-a|-x|"
#define USUAL "-o|BatchMode=yes|-o|LogLevel=INFO|-o|ClearAllForwardings=yes|-o|ConnectTimeout=5|"

static void test_words(void **state)
{
	struct sheet *t = *state;
	const char *end = arena_printf(t->arena, "%s|", remote_command(t->arena, &t->o, &t->q));

	assert_string_equal(words_of(t), arena_printf(t->arena, FIRST USUAL
			"-o|StrictHostKeyChecking=yes|--|cass-01|%s", end));
	t->o.host_keys = HOST_KEYS_ACCEPT_NEW;
	t->o.user = "op";
	t->node.port = "2222";
	t->o.identity = "~/a b";
	t->o.known_hosts = "/a \"b\\%c";
	t->o.jump = "me@bastion:22,other";
	t->o.ssh_config = "/etc/x y";
	t->o.sudo = "cassandra";
	assert_string_equal(words_of(t), arena_printf(t->arena, FIRST "-F|/etc/x y|" USUAL
			"-o|StrictHostKeyChecking=accept-new|-l|op|-p|2222|"
			"-i|~/a b|-o|IdentitiesOnly=yes|"
			"-o|UserKnownHostsFile=\"/a "
			"\\\"b\\\\%%%%c\"|-o|GlobalKnownHostsFile=/dev/null|"
			"-J|me@bastion:22,other|--|cass-01|%s", end));
	t->o.identity = "~/a 100%";
	assert_non_null(strstr(words_of(t),
			       "|-o|IdentityFile=\"~/a 100%%\"|-o|IdentitiesOnly=yes|"));
	/* sudo for what only the owner may read, and nothing else */
	t->q.as_owner = true;
	assert_non_null(strstr(words_of(t), "|cass-01|exec sudo -n -u cassandra sh -c 'echo"));
}

/* ---- many, and the end of one that runs ---- */

static void test_several(void **state)
{
	enum { N = 8 };
	struct sheet *t = *state;
	struct link *links[N];
	int64_t begin = run_clock_ms();
	struct run_result r;

	act(t, "sleep 0.7; " COMMAND);
	for (size_t i = 0; i < N; i++) {
		links[i] = connected(t);
		link_openssh.ask(links[i], &t->q);
	}
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(wait_for(links[i]), LINK_ANSWERED);
		link_openssh.answer(links[i], &r);
		assert_string_equal(end_of(t->arena, &r), "0");
		run_free(&r);
		link_openssh.close(links[i]);
	}
	assert_true(run_clock_ms() - begin < 700 * N);
}

static void test_closed(void **state)
{
	struct sheet *t = *state;
	const char *path = arena_printf(t->arena, "%s/pid", t->dir);
	struct link *l = connected(t);
	struct slice text;
	int64_t begin;
	pid_t group;

	link_openssh.close(l);		/* before it was asked */
	l = connected(t);
	act(t, "trap '' TERM HUP; echo much; sleep 60 & echo $$ >\"${0%/*}/pid.new\"; "
	       "mv \"${0%/*}/pid.new\" \"${0%/*}/pid\"; wait; sleep 60");
	link_openssh.ask(l, &t->q);
	for (int i = 0; i < 1000 && !file_bytes(t->arena, path).p; i++) {
		assert_int_equal(link_openssh.step(l), LINK_WAITS);
		poll(NULL, 0, 10);
	}
	text = file_bytes(t->arena, path);
	group = (pid_t)strtol(arena_copy(t->arena, text), NULL, 10);
	assert_true(group > 1 && kill(-group, 0) == 0);
	begin = run_clock_ms();
	link_openssh.close(l);
	assert_true(run_clock_ms() - begin < 1000);
	for (int i = 0; i < 200 && kill(-group, 0) == 0; i++)
		poll(NULL, 0, 10);
	assert_int_equal(kill(-group, 0), -1);
	/* with an answer that nobody has taken */
	l = connected(t);
	act(t, COMMAND);
	link_openssh.ask(l, &t->q);
	assert_int_equal(wait_for(l), LINK_ANSWERED);
	link_openssh.close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_answers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_large, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_garbage, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_failures, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unusable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_several, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_closed, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
