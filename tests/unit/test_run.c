/* Child processes: src/collect/run.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/slice.h"
#include "collect/remote_errout.h"
#include "collect/run.h"

static const struct run_limits usual = { .timeout_ms = 20000, .out_max = 1 << 20, .err_max = 1000 };

static void run_script(struct arena *a, const char *script, const struct run_limits *limits,
		       struct run_result *r)
{
	char *const argv[] = { arena_strdup(a, "sh"), arena_strdup(a, "-c"),
			       arena_strdup(a, script), NULL };

	run_command(a, argv, limits, r);
}

static const char *end_of(struct arena *a, const struct run_result *r)
{
	if (r->signal)
		return arena_printf(a, "SIG%s", r->signal);
	return r->exit_status.known ? arena_printf(a, "%lld", (long long)r->exit_status.v) : "?";
}

static void test_ends(void **state)
{
	static const struct { const char *name, *script, *end, *out, *errout; } cases[] = {
		{ "both streams", "echo o; echo e >&2", "0", "o\n", "e\n" },
		{ "nothing", "exit 0", "0", NULL, "" },
		{ "a status with an output", "echo usage; exit 1", "1", "usage\n", "" },
		{ "not found", "exec no-such-program-here 2>/dev/null", "127", NULL, "" },
		{ "a signal", "echo half; kill -SEGV $$", "SIGSEGV", "half\n", "" },
		{ "locale and zone", "printf %s \"$LC_ALL $TZ\"", "0", "C UTC", "" },
		{ "nothing on standard input", "read x || echo none", "0", "none\n", "" },
		{ "a NUL in standard error", "printf 'a\\000b' >&2", "0", NULL, "a b" },
	};
	struct arena *a = arena_create();
	struct run_result r;

	(void)state;
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	setenv("TZ", "America/Sao_Paulo", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		run_script(a, cases[i].script, &usual, &r);
		if (strcmp(end_of(a, &r), cases[i].end) != 0)
			fail_msg("%s: it ended with %s", cases[i].name, end_of(a, &r));
		if (!r.out.p != !cases[i].out || (r.out.p && !slice_eq_str(r.out, cases[i].out)))
			fail_msg("%s: it printed %.*s", cases[i].name, (int)r.out.n,
				 r.out.p ? r.out.p : "nothing");
		if (strcmp(r.errout, cases[i].errout) != 0)
			fail_msg("%s: on standard error '%s'", cases[i].name, r.errout);
		run_free(&r);
	}
	arena_destroy(a);
}

static void test_no_program(void **state)
{
	struct arena *a = arena_create();
	char *const argv[] = { arena_strdup(a, "no-such-program-here"), NULL };
	struct run_result r;

	(void)state;
	run_command(a, argv, &usual, &r);
	assert_string_equal(end_of(a, &r), "127");
	assert_string_equal(r.errout,
			    "'no-such-program-here' cannot be run: No such file or directory");
	assert_null(r.out.p);
	arena_destroy(a);
}

/* Megabytes on both streams at once: all of one is kept, the head of the other. */
static void test_much_output(void **state)
{
	struct arena *a = arena_create();
	struct run_result r;

	(void)state;
	run_script(a, "head -c 1000000 /dev/zero | tr '\\0' e >&2; head -c 1000000 /dev/zero | "
		      "tr '\\0' o; head -c 1000000 /dev/zero | tr '\\0' e >&2", &usual, &r);
	assert_string_equal(end_of(a, &r), "0");
	assert_int_equal(r.out.n, 1000000);
	assert_int_equal(strlen(r.errout), 1000);
	assert_int_equal(r.errout[999], 'e');
	run_free(&r);
	arena_destroy(a);
}

static void test_limits(void **state)
{
	static const struct {
		const char *name, *script;
		struct run_limits limits;
		const char *end, *why;
	} cases[] = {
		{ "too long", "echo half; exec sleep 60",
		  { .timeout_ms = 200, .out_max = 100, .err_max = 100 }, "SIGTERM",
		  "took longer than 1 s" },
		{ "too long, with its children", "sleep 60; echo no",
		  { .timeout_ms = 200, .out_max = 100, .err_max = 100 }, "SIGTERM",
		  "took longer than 1 s" },
		{ "it ends well when it is asked", "trap 'exit 0' TERM; sleep 60 & wait",
		  { .timeout_ms = 200, .out_max = 100, .err_max = 100 }, "124",
		  "took longer than 1 s" },
		{ "it does not want to end", "trap '' TERM; while :; do sleep 1; done",
		  { .timeout_ms = 200, .out_max = 100, .err_max = 100 }, "SIGKILL",
		  "took longer than 1 s" },
		{ "too much", "while :; do echo much; done",
		  { .timeout_ms = 20000, .out_max = 2 << 20, .err_max = 100 }, "SIGTERM",
		  "printed more than 2 MiB" },
	};
	struct arena *a = arena_create();
	struct run_result r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		run_script(a, cases[i].script, &cases[i].limits, &r);
		if (strcmp(end_of(a, &r), cases[i].end) != 0)
			fail_msg("%s: it ended with %s", cases[i].name, end_of(a, &r));
		if (strncmp(r.errout, cases[i].why, strlen(cases[i].why)) != 0)
			fail_msg("%s: '%s'", cases[i].name, r.errout);
		if (r.duration_ms > 10000)
			fail_msg("%s: %lld ms", cases[i].name, (long long)r.duration_ms);
		run_free(&r);
	}
	arena_destroy(a);
}

/* What it left behind holds the streams open: that is not waited for. */
static void test_left_behind(void **state)
{
	struct arena *a = arena_create();
	struct run_result r;

	(void)state;
	run_script(a, "sleep 60 & echo done", &usual, &r);
	assert_string_equal(end_of(a, &r), "0");
	assert_true(slice_eq_str(r.out, "done\n"));
	assert_true(r.duration_ms < 5000);
	run_free(&r);
	arena_destroy(a);
}

static void test_interrupted(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	struct run_limits limits = usual;
	struct arena *a = arena_create();
	struct run_result r;

	(void)state;
	limits.stop = &stop;
	run_script(a, "exec sleep 60", &limits, &r);
	assert_string_equal(end_of(a, &r), "SIGTERM");
	assert_string_equal(r.errout, "interrupted");
	run_free(&r);
	arena_destroy(a);
}

/* ---- without waiting ---- */

static struct run *begin_script(struct arena *a, const char *script, struct slice input,
				const struct run_limits *limits)
{
	char *const argv[] = { arena_strdup(a, "sh"), arena_strdup(a, "-c"),
			       arena_strdup(a, script), NULL };

	return run_begin(a, argv, input, limits);
}

/* The loop over several, as their owners have it; false when it takes longer than 20 s. */
static bool run_all(struct run **runs, size_t n, size_t *steps)
{
	int64_t until = run_clock_ms() + 20000;
	size_t left;

	for (left = n; left && run_clock_ms() < until; (*steps)++) {
		struct pollfd p[RUN_POLLS * 16];
		int64_t wait_ms = 10000;
		size_t k = 0;

		left = 0;
		for (size_t i = 0; i < n; i++) {
			if (run_step(runs[i]))
				continue;
			left++;
			k += run_polls(runs[i], &p[k], &wait_ms);
		}
		if (left)
			(void)poll(p, k, (int)wait_ms);
	}
	return !left;
}

static void finish(struct run *run, struct run_result *r)
{
	size_t steps = 0;

	if (!run_all(&run, 1, &steps))
		fail_msg("it is not over");
	run_end(run, r);
}

static struct slice made_input(struct arena *a, size_t n)
{
	char *p = arena_alloc(a, n);

	for (size_t i = 0; i < n; i++)
		p[i] = (char)(i * 2654435761u >> 13);
	return (struct slice){ p, n };
}

static void test_input(void **state)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 1 << 20 };
	struct run_limits limits = usual;
	struct arena *a = arena_create();
	struct run_result r;

	(void)state;
	limits.out_max = 2 << 20;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct slice input = made_input(a, sizes[i]);

		finish(begin_script(a, "exec cat", input, &limits), &r);
		assert_string_equal(end_of(a, &r), "0");
		if (!slice_eq(r.out, input))
			fail_msg("%zu bytes: %zu came back", sizes[i], r.out.n);
		assert_int_equal(r.cause, RUN_BY_ITSELF);
		run_free(&r);
	}
	arena_destroy(a);
}

/* The signal must not end the program, nor stay behind; a full pipe must not be waited for. */
static void test_input_not_read(void **state)
{
	static const char *const scripts[] = {
		"exit 7", "exec <&-; sleep 0.3; exit 7", "head -c 10 >/dev/null; exit 7",
		"sleep 0.3; exit 7",
	};
	struct arena *a = arena_create();
	struct run_result r;
	sigset_t waiting;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		finish(begin_script(a, scripts[i], made_input(a, 1 << 20), &usual), &r);
		if (strcmp(end_of(a, &r), "7") != 0 || *r.errout)
			fail_msg("%s: %s, '%s'", scripts[i], end_of(a, &r), r.errout);
		assert_int_equal(sigpending(&waiting), 0);
		assert_int_equal(sigismember(&waiting, SIGPIPE), 0);
	}
	arena_destroy(a);
}

static void test_several(void **state)
{
	enum { N = 12 };
	struct arena *a = arena_create();
	struct run *runs[N];
	struct run_result r;
	int64_t begin = run_clock_ms();
	size_t steps = 0;

	(void)state;
	for (size_t i = 0; i < N; i++)
		runs[i] = begin_script(a, "sleep 0.8; cat; echo e >&2", made_input(a, 100000 + i),
				       &usual);
	assert_true(run_all(runs, N, &steps));
	for (size_t i = 0; i < N; i++) {
		run_end(runs[i], &r);
		assert_string_equal(end_of(a, &r), "0");
		assert_int_equal(r.out.n, 100000 + i);
		assert_string_equal(r.errout, "e\n");
		run_free(&r);
	}
	if (run_clock_ms() - begin > 6000)
		fail_msg("not at once: %lld ms", (long long)(run_clock_ms() - begin));
	if (steps > 1000)
		fail_msg("a busy loop: %zu rounds", steps);
	arena_destroy(a);
}

/* One that closes its streams and goes on is waited for, but not in a busy loop. */
static void test_closed_streams(void **state)
{
	struct arena *a = arena_create();
	struct run *run = begin_script(a, "exec >&- 2>&-; sleep 1; exit 4",
				       (struct slice){ NULL, 0 }, &usual);
	struct run_result r;
	size_t steps = 0;

	(void)state;
	assert_true(run_all(&run, 1, &steps));
	run_end(run, &r);
	assert_string_equal(end_of(a, &r), "4");
	if (steps > 60)
		fail_msg("a busy loop: %zu rounds", steps);
	arena_destroy(a);
}

static size_t open_descriptors(void)
{
	size_t n = 0;

	for (int i = 0; i < 256; i++)
		n += fcntl(i, F_GETFD) >= 0;
	return n;
}

/* In the middle, with children of its own, and with one that does not want to end. */
static void test_ended_in_the_middle(void **state)
{
	static const char *const scripts[] = {
		"sleep 60 & sleep 60 & echo $$; wait",
		"trap '' TERM INT HUP; echo $$; while :; do sleep 1; done",
		"echo $$; while :; do echo much >&2; done",
	};
	struct arena *a = arena_create();
	size_t before = open_descriptors();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		struct run *run = begin_script(a, scripts[i], made_input(a, 1 << 20), &usual);
		struct run_result r;
		int64_t begin;
		pid_t group;

		for (int k = 0; k < 300; k++) {
			assert_false(run_step(run));
			poll(NULL, 0, 1);
		}
		begin = run_clock_ms();
		run_end(run, &r);
		assert_true(run_clock_ms() - begin < 1000);
		assert_string_equal(end_of(a, &r), "SIGKILL");
		assert_int_equal(r.cause, RUN_STOPPED);
		assert_int_equal(strncmp(r.errout, "interrupted", 11), 0);
		assert_non_null(r.out.p);
		group = (pid_t)strtol(arena_copy(a, r.out), NULL, 10);
		assert_true(group > 1);
		run_free(&r);
		/* init may need a moment for the grandchildren */
		for (int k = 0; k < 200 && kill(-group, 0) == 0; k++)
			poll(NULL, 0, 10);
		if (kill(-group, 0) == 0)
			fail_msg("%s: processes are left", scripts[i]);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_int_equal(open_descriptors(), before);
	}
	arena_destroy(a);
}

static void test_end_before_the_first_step(void **state)
{
	struct arena *a = arena_create();
	char *const argv[] = { arena_strdup(a, "no-such-program-here"), NULL };
	struct run_result r;

	(void)state;
	run_end(run_begin(a, argv, SLICE("x"), &usual), &r);
	assert_string_equal(end_of(a, &r), "127");
	assert_int_equal(r.cause, RUN_NOT_STARTED);
	assert_string_equal(r.errout, r.why);
	run_end(begin_script(a, "sleep 60", SLICE("x"), &usual), &r);
	assert_string_equal(end_of(a, &r), "SIGKILL");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	arena_destroy(a);
}

/* The end of megabytes of standard error is kept, and time limits hold meanwhile. */
static void test_end_of_errout(void **state)
{
	struct run_limits limits = { .timeout_ms = 20000, .out_max = 100, .err_end = true };
	struct arena *a = arena_create();
	struct run_result r;

	(void)state;
	run_script(a, "echo first >&2; head -c 3000000 /dev/zero >&2; echo last >&2", &limits, &r);
	assert_string_equal(end_of(a, &r), "0");
	assert_int_equal(strncmp(r.errout, "first\n  ", 8), 0);
	assert_string_equal(r.errout + strlen(r.errout) - 7, "  last\n");
	assert_true(strlen(r.errout) <= REMOTE_ERROUT_MAX);
	assert_non_null(strstr(r.errout, " bytes left out ...]"));
	limits.timeout_ms = 500;
	run_script(a, "while :; do head -c 1000000 /dev/zero >&2; done", &limits, &r);
	assert_int_equal(r.cause, RUN_TOO_LONG);
	assert_true(r.duration_ms < 5000);
	arena_destroy(a);
}

static void test_no_terminal(void **state)
{
	struct run_limits limits = usual;
	struct arena *a = arena_create();
	struct run_result r;

	(void)state;
	limits.no_terminal = true;
	/* the fourth word behind the name in /proc/PID/stat is the session */
	run_script(a, "(: </dev/tty) 2>/dev/null && echo there; "
		      "[ ! -r /proc/$$/stat ] || sed -e 's/.*) //' /proc/$$/stat | "
		      "cut -d ' ' -f 4 | grep -qx $$ || echo no session; "
		      "echo $SSH_ASKPASS_REQUIRE", &limits, &r);
	assert_true(slice_eq_str(r.out, "never\n"));
	run_free(&r);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_much_output),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_input),
		cmocka_unit_test(test_input_not_read),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_closed_streams),
		cmocka_unit_test(test_ended_in_the_middle),
		cmocka_unit_test(test_end_before_the_first_step),
		cmocka_unit_test(test_end_of_errout),
		cmocka_unit_test(test_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
