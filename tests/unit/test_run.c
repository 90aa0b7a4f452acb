/* Child processes: src/collect/run.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_much_output),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
