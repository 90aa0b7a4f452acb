/* The JSON writer: escapes, exact numbers, layout. src/render/json_write.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/json_write.h"

static const char *text_of(struct buf *b)
{
	buf_char(b, '\0');
	return b->p;
}

static void test_strings(void **state)
{
	static const struct { const char *name, *in; size_t n; const char *text, *bytes; }
	cases[] = {
#define CASE(name, in, text, bytes) { name, in, sizeof(in) - 1, text, bytes }
		CASE("empty", "", "\"\"", "\"\""),
		CASE("plain", "nb-1-big", "\"nb-1-big\"", "\"nb-1-big\""),
		CASE("quotes", "a\"b\\c/", "\"a\\\"b\\\\c/\"", "\"a\\\"b\\\\c/\""),
		CASE("controls", "\n\r\t\x01\x1f\x7f\0",
		     "\"\\n\\r\\t\\u0001\\u001f\\u007f\\u0000\"",
		     "\"\\n\\r\\t\\u0001\\u001f\\u007f\\u0000\""),
		CASE("characters of 2, 3 and 4 bytes", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		     "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
		     "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""),
		CASE("a byte alone", "a\xff" "b", "\"a\xef\xbf\xbd" "b\"", "\"a\\\\xffb\""),
		CASE("a cut character", "\xe2\x82", "\"\xef\xbf\xbd\"", "\"\\\\xe2\\\\x82\""),
		CASE("a cut character before another", "\xe2\x82x", "\"\xef\xbf\xbdx\"",
		     "\"\\\\xe2\\\\x82x\""),
		CASE("too long a form", "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"",
		     "\"\\\\xc0\\\\xaf\""),
		CASE("half of a surrogate pair", "\xed\xa0\x80",
		     "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "\"\\\\xed\\\\xa0\\\\x80\""),
		CASE("beyond U+10FFFF", "\xf4\x90\x80\x80",
		     "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
		     "\"\\\\xf4\\\\x90\\\\x80\\\\x80\""),
#undef CASE
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice in = { cases[i].in, cases[i].n };
		struct buf b;
		struct json j;

		buf_init(&b, 4096);
		json_init(&j, &b, 0);
		json_slice(&j, in);
		if (strcmp(text_of(&b), cases[i].text))
			fail_msg("%s: %s", cases[i].name, b.p);
		buf_free(&b);
		buf_init(&b, 4096);
		json_init(&j, &b, 0);
		json_slice_bytes(&j, in);
		if (strcmp(text_of(&b), cases[i].bytes))
			fail_msg("%s, bytes: %s", cases[i].name, b.p);
		buf_free(&b);
	}
}

static void test_integers(void **state)
{
	struct buf b;
	struct json j;

	(void)state;
	buf_init(&b, 4096);
	json_init(&j, &b, 0);
	json_array_begin(&j);
	json_i64(&j, 0);
	json_i64(&j, -1);
	json_i64(&j, INT64_MAX);
	json_i64(&j, INT64_MIN);
	json_u64(&j, UINT64_MAX);
	json_opt_i64(&j, some_i64(7));
	json_opt_i64(&j, (struct opt_i64){ .v = 7, .known = false });
	json_number(&j, "170141183460469231731687303715884105728");
	json_array_end(&j);
	assert_string_equal(text_of(&b), "[0,-1,9223372036854775807,-9223372036854775808,"
			    "18446744073709551615,7,null,170141183460469231731687303715884105728]");
	buf_free(&b);
}

static void test_doubles(void **state)
{
	static const struct { double v; const char *want; } cases[] = {
		{ 0.0, "0.0" }, { -0.0, "-0.0" }, { 1, "1.0" }, { -1, "-1.0" }, { 0.01, "0.01" },
		{ 0.1 + 0.2, "0.30000000000000004" }, { 1.0 / 3, "0.3333333333333333" },
		{ 100, "100.0" }, { 123456789012345680.0, "1.2345678901234568e+17" },
		{ 1e15, "1000000000000000.0" }, { 1e16, "1e+16" }, { 0.0001, "0.0001" },
		{ 0.00001, "1e-05" }, { 1.5e-7, "1.5e-07" }, { 5e-324, "5e-324" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
		/* powers of two, where the numbers below lie closer than those above */
		{ 0x1p-24, "5.960464477539063e-08" }, { 0x1p-44, "5.684341886080802e-14" },
		{ 2.2250738585072014e-308, "2.2250738585072014e-308" },
		{ 0.43319268635724334, "0.43319268635724334" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char room[40];

		decimal_f64(room, cases[i].v);
		if (strcmp(room, cases[i].want))
			fail_msg("%s: %s", cases[i].want, room);
	}
}

static void test_no_numbers(void **state)
{
	struct buf b;
	struct json j;

	(void)state;
	buf_init(&b, 4096);
	json_init(&j, &b, 0);
	json_array_begin(&j);
	json_f64(&j, (double)NAN);
	json_f64(&j, (double)INFINITY);
	json_f64(&j, -(double)INFINITY);
	json_opt_f64(&j, (struct opt_f64){ .v = 1, .known = false });
	json_string(&j, NULL);
	json_array_end(&j);
	assert_string_equal(text_of(&b), "[null,null,null,null,null]");
	buf_free(&b);
}

static void write_sample(struct json *j)
{
	json_object_begin(j);
	json_put_i64(j, "a", 1);
	json_key(j, "empty");
	json_object_begin(j);
	json_object_end(j);
	json_key(j, "list");
	json_array_begin(j);
	json_bool(j, true);
	json_array_begin(j);
	json_array_end(j);
	json_object_begin(j);
	json_put_string(j, "b", "c");
	json_put_null(j, "d");
	json_object_end(j);
	json_array_end(j);
	json_key_slice(j, SLICE("quo\"te"));
	json_hex(j, SLICE("\x00\xfe"));
	json_object_end(j);
}

static void test_layout(void **state)
{
	static const struct { unsigned indent; const char *want; } cases[] = {
		{ 0, "{\"a\":1,\"empty\":{},\"list\":[true,[],{\"b\":\"c\",\"d\":null}],"
		     "\"quo\\\"te\":\"00fe\"}" },
		{ 2, "{\n  \"a\": 1,\n  \"empty\": {},\n  \"list\": [\n    true,\n    [],\n    {\n"
		     "      \"b\": \"c\",\n      \"d\": null\n    }\n  ],\n"
		     "  \"quo\\\"te\": \"00fe\"\n}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b;
		struct json j;

		buf_init(&b, 4096);
		json_init(&j, &b, cases[i].indent);
		write_sample(&j);
		assert_string_equal(text_of(&b), cases[i].want);
		buf_free(&b);
	}
}

/* A key that is too long for one piece, and hexadecimal digits that are too. */
static void test_long_pieces(void **state)
{
	char key[200], bytes[100];
	struct buf b;
	struct json j;

	(void)state;
	memset(key, 'k', sizeof(key));
	key[sizeof(key) - 1] = '\0';
	memset(bytes, 0x5a, sizeof(bytes));
	buf_init(&b, 4096);
	json_init(&j, &b, 0);
	json_object_begin(&j);
	json_key(&j, key);
	json_hex(&j, (struct slice){ bytes, sizeof(bytes) });
	json_put_i64(&j, "x", 1);
	json_object_end(&j);
	assert_int_equal(strlen(text_of(&b)), 1 + 201 + 1 + 202 + 1 + 5 + 1);
	assert_non_null(strstr(b.p, "k\":\"5a5a"));
	assert_non_null(strstr(b.p, "5a5a\",\"x\":1}"));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_no_numbers),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_long_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
