/* The line that tells how far a run over SSH has come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/progress.h"

static const struct remote_progress some = { 32, 12, 18, 2, "cass-07", "nodetool tablestats" };
static const struct remote_progress one = { .nodes = 1, .running = 1 };
static const struct remote_progress hostile = { 2, 0, 2, 0, "a\033[2J\n", "b\303\244\t" };
static const struct remote_progress largest = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, "n", "d" };

static const struct {
	const char *name;
	const struct remote_progress *p;
	size_t width;
	const char *want;
} cases[] = {
	{ "all of it", &some, 80,
	  "12 of 32 nodes done (2 failed), 18 running; cass-07: nodetool tablestats" },
	{ "just as wide", &some, 72,
	  "12 of 32 nodes done (2 failed), 18 running; cass-07: nodetool tablestats" },
	{ "the command is cut", &some, 71,
	  "12 of 32 nodes done (2 failed), 18 running; cass-07: nodetool tables..." },
	{ "no room for the command", &some, 55,
	  "12 of 32 nodes done (2 failed), 18 running; cass-07" },
	{ "the slowest goes", &some, 50, "12 of 32 nodes done (2 failed), 18 running" },
	{ "what runs goes", &some, 40, "12 of 32 nodes done (2 failed)" },
	{ "narrow", &some, 10, "12 of 32 n" },
	{ "nothing", &some, 0, "" },
	{ "one node, nothing told", &one, 80, "0 of 1 node done, 1 running" },
	{ "marks of the terminal", &hostile, 80,
	  "0 of 2 nodes done, 2 running; a?[2J?: b???" },
	{ "the largest numbers", &largest, 300,
	  "18446744073709551615 of 18446744073709551615 nodes done, 184467" },
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[PROGRESS_LINE_BYTES];

		progress_format(cases[i].p, cases[i].width, line);
		if (cases[i].p == &largest ? strncmp(line, cases[i].want, 40) != 0
					   : strcmp(line, cases[i].want) != 0)
			fail_msg("%s: '%s' instead of '%s'", cases[i].name, line, cases[i].want);
	}
}

/* Whatever the width: never wider, and a longer line only says more. */
static void test_widths(void **state)
{
	char name[2 * PROGRESS_LINE_BYTES], before[PROGRESS_LINE_BYTES] = "";
	struct remote_progress p = some;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	p.doing = name;
	for (size_t width = 0; width < 2 * PROGRESS_LINE_BYTES; width++) {
		char line[PROGRESS_LINE_BYTES];

		progress_format(&p, width, line);
		assert_true(strlen(line) <= width);
		assert_true(strlen(line) >= strlen(before));
		strcpy(before, line);
	}
	assert_int_equal(strlen(before), PROGRESS_LINE_BYTES - 1);
}

/* Standard error is no terminal here: nothing is drawn, and nothing breaks. */
static void test_no_terminal(void **state)
{
	volatile sig_atomic_t stop = 0;
	struct progress g;

	(void)state;
	progress_begin(&g, true, &stop);
	assert_false(g.shown);
	progress_show(&g, &some);
	assert_int_equal(g.drawn, 0);
	progress_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
