/* What surrounds outputs in pastes: src/parse/clean.c. */
#include "parse_case.h"

#include "parse/clean.h"

#define S(literal) { (literal), sizeof(literal) - 1 }

static bool same(struct slice a, struct slice b)
{
	return slice_eq(a, b);
}

static void fail_text(const char *name, struct slice got, struct slice wanted)
{
	fail_msg("%s: got '%.*s', wanted '%.*s'", name, (int)got.n, got.p ? got.p : "",
		 (int)wanted.n, wanted.p ? wanted.p : "");
}

static void test_line(void **state)
{
	static const struct { const char *name; struct slice input, expected; } cases[] = {
		{ "plain", S("\t\tTable: readings"), S("\t\tTable: readings") },
		{ "empty", S(""), S("") },
		{ "carriage return at the end", S("pending tasks: 3\r"), S("pending tasks: 3") },
		{ "two of them", S("pending tasks: 3\r\r"), S("pending tasks: 3") },
		{ "colours", S("\x1b[1;32mpending\x1b[0m tasks: \x1b[31m3\x1b[m"),
		  S("pending tasks: 3") },
		{ "erase to the end of the line", S("pending tasks: 3\x1b[K"),
		  S("pending tasks: 3") },
		{ "title of the window", S("\x1b]0;cass-01: ~\x07$ nodetool info"),
		  S("$ nodetool info") },
		{ "title with a string terminator", S("\x1b]2;x\x1b\\y"), S("y") },
		{ "character set", S("\x1b(Bpending"), S("pending") },
		{ "bracketed paste", S("\x1b[?2004hls\x1b[?2004l"), S("ls") },
		{ "sequence cut off", S("abc\x1b["), S("abc") },
		{ "escape alone", S("abc\x1b"), S("abc") },
		{ "bold by overstriking", S("N\bNA\bAME"), S("NAME") },
		{ "backspace at the start", S("\b\bx"), S("x") },
		{ "progress display", S("10 %\r50 %\rSSTable: /d/nb-1-big"),
		  S("SSTable: /d/nb-1-big") },
		{ "no-break space", S("pending\xc2\xa0tasks: 3"), S("pending tasks: 3") },
		{ "zero width space", S("pend\xe2\x80\x8bing"), S("pending") },
		{ "byte-order mark", S("\xef\xbb\xbfpending"), S("pending") },
		{ "letters of other languages stay", S("M\xc3\xa4rz \xe2\x82\xac"),
		  S("M\xc3\xa4rz \xe2\x82\xac") },
		{ "bell and NUL", S("a\x07\0b"), S("ab") },
		{ "tab stays", S("\ta"), S("\ta") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cleaner c;
		struct slice got;

		cleaner_open(&c);
		cleaner_look(&c, cases[i].input);
		got = clean_line(&c, cases[i].input);
		if (!same(got, cases[i].expected))
			fail_text(cases[i].name, got, cases[i].expected);
		cleaner_close(&c);
	}
}

/* Nothing is copied where nothing has to be done. */
static void test_no_copy(void **state)
{
	static const char text[] = "\t\tSSTable count: 3\r";
	struct cleaner c;
	struct slice got;

	(void)state;
	cleaner_open(&c);
	cleaner_look(&c, SLICE("\x1b[0m elsewhere"));
	got = clean_line(&c, slice_of(text));
	assert_ptr_equal(got.p, text);
	assert_null(c.scratch.p);
	cleaner_close(&c);
}

static void test_unquote(void **state)
{
	static const struct { const char *name; struct slice input, expected; } cases[] = {
		{ "none", S("pending"), S("pending") },
		{ "mail", S("> pending"), S("pending") },
		{ "twice", S("> > pending"), S("pending") },
		{ "twice without a blank", S(">> pending"), S("pending") },
		{ "empty line", S(">"), S("") },
		{ "keeps the indentation", S("> \tTable: x"), S("\tTable: x") },
		{ "table", S("| pending"), S("pending") },
		{ "status of nodetool", S("|/ State=Normal"), S("|/ State=Normal") },
		{ "arrow", S(">x"), S(">x") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice got = clean_unquote(cases[i].input);

		if (!same(got, cases[i].expected))
			fail_text(cases[i].name, got, cases[i].expected);
	}
}

static void test_fence(void **state)
{
	static const struct { const char *input; bool expected; } cases[] = {
		{ "```", true }, { "```text", true }, { "  ```", true }, { "~~~", true },
		{ "{code}", true }, { "{code:java}", true }, { "{noformat}", true }, { "<pre>",
		  true },
		{ "----------------", false }, { "{", false }, { "pending tasks: 3", false },
		{ "{codes", false }, { "`pending`", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (clean_is_fence(slice_of(cases[i].input)) != cases[i].expected)
			fail_msg("'%s': wanted %d", cases[i].input, cases[i].expected);
}

static void test_prefix(void **state)
{
	static const struct {
		const char *name, *input;
		enum prefix_shape shape;
		const char *host, *rest;
	} cases[] = {
		{ "compose", "cassandra-0  | \tTable: x", PREFIX_CONTAINER, "cassandra-0",
		  "\tTable: x" },
		{ "compose, nothing behind", "cassandra-0 |", PREFIX_CONTAINER, "cassandra-0", "" },
		{ "brackets", "[node1] pending tasks: 3", PREFIX_BRACKETS, "node1",
		  "pending tasks: 3" },
		{ "pod", "[pod/cassandra-0/cassandra] x", PREFIX_BRACKETS, "cassandra-0", "x" },
		{ "fabric", "[10.0.0.1] out: x", PREFIX_BRACKETS, "10.0.0.1", "x" },
		{ "pdsh", "cass-01: \tTable: x", PREFIX_COLON, "cass-01", "\tTable: x" },
		{ "pod with a colon", "pod/x-0: x", PREFIX_COLON, "x-0", "x" },
		{ "test log", "dtest: DEBUG: pending tasks: 0", PREFIX_LEVEL, "",
		  "pending tasks: 0" },
		{ "syslog", "Mar  1 10:00:00 node1 app[12]: x", PREFIX_SYSLOG, "node1", "x" },
		{ "server log", "INFO  [main] 2021-03-01 10:00:00,123 Foo.java:12 - x",
		  PREFIX_TIME, "",
		  "x" },
		{ "level before the time", "INFO  2021-03-01 10:00:00,123 - x", PREFIX_TIME, "",
		  "x" },
		{ "level behind the time", "2021-03-01 10:00:00 INFO  [main] x", PREFIX_TIME, "",
		  "x" },
		{ "docker logs -t", "2021-03-01T10:00:00.123456789Z \tTable: x", PREFIX_TIME, "",
		  "\tTable: x" },
		{ "time keeps the indentation", "2021-03-01 10:00:00    50%", PREFIX_TIME, "",
		  "   50%" },
		{ "time keeps a list's dash", "2021-03-01 10:00:00 - ks.t: 2", PREFIX_TIME, "",
		  "- ks.t: 2" },
		{ "brackets round the time", "[2021-03-01 10:00:00] x", PREFIX_TIME, "", "x" },
		{ "none", "\tTable: x", PREFIX_CONTAINER, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice line = slice_of(cases[i].input);
		struct prefix p;
		bool found = clean_prefix_of(line, cases[i].shape, &p);

		if (found != (cases[i].rest != NULL))
			fail_msg("%s: found %d", cases[i].name, found);
		if (!found)
			continue;
		if (!slice_eq_str(p.host, cases[i].host))
			fail_text(cases[i].name, p.host, slice_of(cases[i].host));
		if (!slice_eq_str(slice_from(line, p.n), cases[i].rest))
			fail_text(cases[i].name, slice_from(line, p.n), slice_of(cases[i].rest));
	}
}

/* All shapes that fit are offered, in their order. */
static void test_prefix_order(void **state)
{
	struct slice line = SLICE("[node1] 2021");
	struct prefix p;

	(void)state;
	assert_true(clean_prefix(line, PREFIX_NONE, &p));
	assert_int_equal(p.shape, PREFIX_BRACKETS);
	assert_false(clean_prefix(line, p.shape, &p));
}

static void test_utf16(void **state)
{
	static const struct { const char *name; struct slice input, expected; } cases[] = {
		{ "little endian", S("\xff\xfe" "a\0\n\0"), S("a\n") },
		{ "big endian", S("\xfe\xff\0a\0\n"), S("a\n") },
		{ "two bytes", S("\xff\xfe\xe4\0"), S("\xc3\xa4") },
		{ "three bytes", S("\xff\xfe\xac\x20"), S("\xe2\x82\xac") },
		{ "surrogates", S("\xff\xfe\x3d\xd8\x00\xde"), S("\xf0\x9f\x98\x80") },
		{ "half a pair", S("\xff\xfe\x3d\xd8" "a\0"), S("\xef\xbf\xbd" "a") },
		{ "half a character at the end", S("\xff\xfe" "a\0b"), S("a") },
	};
	struct buf out;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		buf_init(&out, 100);
		if (!clean_utf16(cases[i].input, &out))
			fail_msg("%s: not taken for UTF-16", cases[i].name);
		if (!same((struct slice){ out.p, out.n }, cases[i].expected))
			fail_text(cases[i].name, (struct slice){ out.p, out.n }, cases[i].expected);
		buf_free(&out);
	}
	buf_init(&out, 100);
	assert_false(clean_utf16(SLICE("pending"), &out));
	assert_int_equal(out.n, 0);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line), cmocka_unit_test(test_no_copy),
		cmocka_unit_test(test_unquote), cmocka_unit_test(test_fence),
		cmocka_unit_test(test_prefix), cmocka_unit_test(test_prefix_order),
		cmocka_unit_test(test_utf16),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
