/* Commands for nodes, and standard error that comes back: src/collect/remote.c, remote_errout.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "collect/node_script.h"
#include "collect/remote.h"
#include "collect/run.h"

/* One of this test's own; it has what a shell might take for something else. */
const char node_script[] = "x=\"$(echo a b;echo c)\"; echo \"$1: $x $# * ~\" `echo d`; "
			   "echo e >&2; echo >&2; echo twcscheck-end 3 >&2; exit 3";

static void test_command(void **state)
{
	static const struct {
		const char *name, *sudo;
		bool as_owner;
		const char *before;
	} cases[] = {
		{ "as oneself", NULL, false, "exec sh -c '" },
		{ "nobody to be", NULL, true, "exec sh -c '" },
		{ "not for this one", "cassandra", false, "exec sh -c '" },
		{ "the owner", "cassandra", true, "exec sudo -n -u cassandra sh -c '" },
		{ "with all letters", "a.b_c-D9", true, "exec sudo -n -u a.b_c-D9 sh -c '" },
		{ "no user", "", true, NULL },
		{ "an option", "-s", true, NULL },
		{ "a command", "x;reboot", true, NULL },
		{ "a blank", "x y", true, NULL },
		{ "a newline", "x\n", true, NULL },
		{ "a quote", "x'", true, NULL },
		{ "a number", "#0", true, NULL },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct remote_options o = { .sudo = cases[i].sudo };
		struct remote_request q = { .word = "find", .as_owner = cases[i].as_owner };
		const char *text = remote_command(a, &o, &q);
		struct slice end = SLICE("exit 3' twcscheck-node find");

		if (!text != !cases[i].before)
			fail_msg("%s: %s", cases[i].name, text ? text : "none");
		if (!text)
			continue;
		if (strncmp(text, cases[i].before, strlen(cases[i].before)) != 0)
			fail_msg("%s: %s", cases[i].name, text);
		if (!slice_ends(slice_of(text), end))
			fail_msg("%s: its end is %s", cases[i].name, text);
		if (strpbrk(text, "\\!\n"))
			fail_msg("%s: not for every shell: %s", cases[i].name, text);
	}
	arena_destroy(a);
}

/* Each login shell that is there must hand the script on as it is. */
static void test_shells(void **state)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ksh", "zsh", "csh", "fish" };
	const struct run_limits limits = { .timeout_ms = 20000, .out_max = 1000, .err_max = 1000 };
	struct remote_options o = { 0 };
	struct remote_request q = { .word = "word" };
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
		char *argv[] = { arena_strdup(a, shells[i]), arena_strdup(a, "-c"),
				 arena_strdup(a, remote_command(a, &o, &q)), NULL };
		struct run_result r;
		int64_t status = -1;
		char *errout;

		run_command(a, argv, &limits, &r);
		if (i && r.exit_status.v == RUN_NOT_FOUND)	/* it is not there */
			continue;
		errout = arena_strdup(a, r.errout);
		if (!remote_take_end(errout, &status) || status != 3)
			fail_msg("%s: no end: %s", shells[i], r.errout);
		if (strcmp(errout, "e\n") != 0)
			fail_msg("%s: '%s'", shells[i], errout);
		if (!r.out.p || !slice_eq_str(r.out, "word: a b\nc 1 * ~ d\n"))
			fail_msg("%s: %.*s", shells[i], (int)r.out.n, r.out.p ? r.out.p : "");
		run_free(&r);
	}
	arena_destroy(a);
}

static void test_take_end(void **state)
{
	static const struct {
		const char *name, *errout;
		int64_t status;
		const char *left;
	} cases[] = {
		{ "nothing said", "\ntwcscheck-end 0\n", 0, "" },
		{ "without the newline before", "twcscheck-end 0\n", 0, "" },
		{ "something said", "e\n\ntwcscheck-end 12\n", 12, "e\n" },
		{ "said without a newline", "e\ntwcscheck-end 255\n", 255, "e" },
		{ "noise after it", "e\n\ntwcscheck-end 1\nlogout\nbye", 1, "e\n" },
		{ "one that is printed in the middle", "\ntwcscheck-end 0\nmore\n\ntwcscheck-end "
		  "1\n",
		  1, "\ntwcscheck-end 0\nmore\n" },
		{ "a terminal's line end", "e\r\n\r\ntwcscheck-end 7\r\n", 7, "e\r\n\r" },
		{ "noise before", "banner\n\ntwcscheck-begin\ne\n\ntwcscheck-end 0\n", 0, "e\n" },
		{ "a second beginning is the command's", "\ntwcscheck-begin\na\ntwcscheck-begin\n\n"
		  "twcscheck-end 0\n", 0, "a\ntwcscheck-begin\n" },
		{ "not there", "e\n", -1, "e\n" },
		{ "nothing at all", "", -1, "" },
		{ "cut in its number", "e\n\ntwcscheck-end 1", -1, NULL },
		{ "cut in its word", "e\n\ntwcscheck-e", -1, NULL },
		{ "no number", "\ntwcscheck-end \n", -1, NULL },
		{ "no number but a word", "\ntwcscheck-end x\n", -1, NULL },
		{ "a sign", "\ntwcscheck-end +1\n", -1, NULL },
		{ "a negative one", "\ntwcscheck-end -1\n", -1, NULL },
		{ "too large", "\ntwcscheck-end 256\n", -1, NULL },
		{ "far too large", "\ntwcscheck-end 99999999999999999999\n", -1, NULL },
		{ "more in its line", "\ntwcscheck-end 0 ok\n", -1, NULL },
		{ "not at the line's start", "\n twcscheck-end 0\n", -1, NULL },
		{ "behind something", "\nx twcscheck-end 0\n", -1, NULL },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *text = arena_strdup(a, cases[i].errout);
		const char *left = cases[i].left ? cases[i].left : cases[i].errout;
		int64_t status = -1;

		if (remote_take_end(text, &status) != (cases[i].status >= 0))
			fail_msg("%s: wrong", cases[i].name);
		if (status != cases[i].status)
			fail_msg("%s: status %lld", cases[i].name, (long long)status);
		if (strcmp(text, left) != 0)
			fail_msg("%s: '%s' is left", cases[i].name, text);
	}
	arena_destroy(a);
}

/* Wherever an answer is cut, its end is either all there or not there. */
static void test_every_cut(void **state)
{
	static const char whole[] = "one\ntwo\n\ntwcscheck-end 127\n";
	struct arena *a = arena_create();

	(void)state;
	for (size_t n = 0; n < sizeof(whole); n++) {
		char *text = arena_copy(a, (struct slice){ whole, n });
		int64_t status = -1;

		assert_int_equal(remote_take_end(text, &status), n == sizeof(whole) - 1);
		assert_int_equal(status, n == sizeof(whole) - 1 ? 127 : -1);
	}
	arena_destroy(a);
}

static char *made(struct arena *a, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = i % 7 == 6 ? '\n' : (char)('a' + i % 26);
	return p;
}

/* Of n bytes all is there as long as there is room; the text does not depend on the portions. */
static void test_errout(void **state)
{
	enum { ALL = REMOTE_ERROUT_HEAD + REMOTE_ERROUT_TAIL };
	static const size_t sizes[] = { 0, 1, REMOTE_ERROUT_HEAD - 1, REMOTE_ERROUT_HEAD,
					REMOTE_ERROUT_HEAD + 1, ALL - 1, ALL, ALL + 1, ALL + 9999,
					3 * ALL };
	static const size_t portions[] = { 1, 7, REMOTE_ERROUT_TAIL - 1, REMOTE_ERROUT_TAIL,
					   REMOTE_ERROUT_TAIL + 1, ALL, 4 * ALL };
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes) * ARRAY_LEN(portions); i++) {
		size_t n = sizes[i / ARRAY_LEN(portions)], step = portions[i % ARRAY_LEN(portions)];
		struct remote_errout *e = arena_alloc(a, sizeof(*e));
		char *p = made(a, n), *text, *mark;

		for (size_t at = 0; at < n; at += step)
			remote_errout_add(e, p + at, n - at < step ? n - at : step);
		text = remote_errout_text(a, e);
		assert_true(strlen(text) <= REMOTE_ERROUT_MAX);
		if (n <= ALL) {
			if (strcmp(text, p) != 0)
				fail_msg("%zu bytes in portions of %zu", n, step);
			continue;
		}
		mark = arena_printf(a, "%s[... %zu bytes left out ...]",
				    p[REMOTE_ERROUT_HEAD - 1] == '\n' ? "" : "\n", n - ALL);
		if (strncmp(text, p, REMOTE_ERROUT_HEAD) != 0 ||
		    strncmp(text + REMOTE_ERROUT_HEAD, mark, strlen(mark)) != 0 ||
		    strcmp(text + REMOTE_ERROUT_HEAD + strlen(mark), p + n - REMOTE_ERROUT_TAIL)
		  != 0)
			fail_msg("%zu bytes in portions of %zu, shortened", n, step);
	}
	arena_destroy(a);
}

static void test_errout_end(void **state)
{
	static const char end[] = "\ntwcscheck-end 5\n", fake[] = "x twcscheck-end 0\n";
	struct arena *a = arena_create();
	struct remote_errout *e = arena_alloc(a, sizeof(*e));
	char *fill = made(a, 4096), *text;
	int64_t status = -1;

	(void)state;
	for (int i = 0; i < 1000; i++)
		remote_errout_add(e, fill, 4096);
	remote_errout_add(e, "a\0b", 3);
	remote_errout_add(e, end, sizeof(end) - 1);
	text = remote_errout_text(a, e);
	assert_true(remote_take_end(text, &status));
	assert_int_equal(status, 5);
	assert_string_equal(text + strlen(text) - 3, "a b");
	/* a tail that begins in the middle of a line must not make an end of it */
	memset(e, 0, sizeof(*e));
	for (int i = 0; i < 1000; i++)
		remote_errout_add(e, fill, 4096);
	remote_errout_add(e, fake, sizeof(fake) - 1);
	remote_errout_add(e, fill, REMOTE_ERROUT_TAIL - (sizeof(fake) - 1) + 2);
	text = remote_errout_text(a, e);
	assert_non_null(strstr(text, "left out ...]twcscheck-end 0\n"));
	assert_false(remote_take_end(text, &status));
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_shells),
		cmocka_unit_test(test_take_end),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_errout),
		cmocka_unit_test(test_errout_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
