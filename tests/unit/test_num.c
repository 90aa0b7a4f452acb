/* Numbers, sizes, durations, times, ranges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "base/quote.h"
#include "base/slice.h"

static void test_integers(void **state)
{
	static const struct { const char *text; bool ok; int64_t v;
	} cases[] = {
		{ "0", true, 0 },
		{ "-1", true, -1 },
		{ "+7", true, 7 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "-9223372036854775809", false, 0 },
		{ "99999999999999999999", false, 0 },
		{ "", false, 0 },
		{ "-", false, 0 },
		{ "1 ", false, 0 },
		{ "1.0", false, 0 },
		{ "0x10", false, 0 },
		{ "1,000", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t v = 0;
		bool ok = num_parse_i64(slice_of(cases[i].text), &v);

		if (ok != cases[i].ok || (ok && v != cases[i].v))
			fail_msg("'%s': got %d %lld", cases[i].text, ok, (long long)v);
	}
}

static void test_sizes_and_durations(void **state)
{
	static const struct { const char *text; bool ok; double v;
	} sizes[] = {
		{ "80MB", true, 80e6 }, { "1 KiB", true, 1024 }, { "1.5GiB", true, 1610612736.0 },
		{ "12", true, 12 }, { "12 bytes", true, 12 },
		{ "12 MiBs", false, 0 }, { "MB", false, 0 },
		{ "1e3B", true, 1000 }, { "nan", false, 0 }, { "inf", false, 0 },
	}, durations[] = {
		{ "2h", true, 7200 }, { "1d12h", true, 129600 }, { "90", true, 90 },
		{ "500ms", true, 0.5 },
		{ "3 h", false, 0 }, { "1h30", false, 0 }, { "", false, 0 }, { "h", false, 0 },
		{ "30min", true, 1800 }, { "2w", true, 1209600 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		double v = 0;
		bool ok = num_parse_size(slice_of(sizes[i].text), &v);

		if (ok != sizes[i].ok || (ok && v != sizes[i].v))
			fail_msg("size '%s': got %d %g", sizes[i].text, ok, v);
	}
	for (size_t i = 0; i < ARRAY_LEN(durations); i++) {
		double v = 0;
		bool ok = num_parse_duration(slice_of(durations[i].text), &v);

		if (ok != durations[i].ok || (ok && v != durations[i].v))
			fail_msg("duration '%s': got %d %g", durations[i].text, ok, v);
	}
}

static void test_times(void **state)
{
	static const struct { const char *text; bool ok; int64_t v;
	} cases[] = {
		{ "1970-01-01", true, 0 },
		{ "2026-11-30T18:00:00Z", true, 1796061600 },
		{ "2026-11-30 18:00", true, 1796061600 },
		{ "1796061600", true, 1796061600 },
		{ "2024-02-29", true, 1709164800 },
		{ "2023-02-29", false, 0 },
		{ "2100-02-29", false, 0 },
		{ "2026-13-01", false, 0 },
		{ "2026-11-30T24:00:00Z", false, 0 },
		{ "2026-11-30T1", false, 0 },
		{ "yesterday", false, 0 },
		{ "2026-11-30T18:00:00+01:00", false, 0 },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t v = 0;
		bool ok = num_parse_time(slice_of(cases[i].text), &v);

		if (ok != cases[i].ok || (ok && v != cases[i].v))
			fail_msg("time '%s': got %d %lld", cases[i].text, ok, (long long)v);
	}
	assert_string_equal(num_format_time(a, 1796061600), "2026-11-30T18:00:00Z");
	assert_string_equal(num_format_time(a, -1), "1969-12-31T23:59:59Z");
	assert_string_equal(num_format_time(a, TIME_NEVER), "never");
	assert_string_equal(num_format_time(a, 253402300800), "@253402300800");
	for (int64_t t = -70000000000; t < 250000000000; t += 86399 * 1013) {
		int64_t back;

		assert_true(num_parse_time(slice_of(num_format_time(a, t)), &back) ||
			    t < -62135596800);
		if (t >= -62135596800)
			assert_int_equal(back, t);
	}
	arena_destroy(a);
}

static void test_formats(void **state)
{
	struct arena *a = arena_create();

	(void)state;
	assert_string_equal(num_format_size(a, 512), "512 B");
	assert_string_equal(num_format_size(a, 1024), "1.00 KiB");
	assert_string_equal(num_format_size(a, 178257920), "170 MiB");
	assert_string_equal(num_format_duration(a, 45), "45 s");
	assert_string_equal(num_format_duration(a, 3600), "1 h");
	assert_string_equal(num_format_duration(a, 2592000), "30 d");
	assert_string_equal(num_format_duration(a, 5400), "90 min");
	assert_string_equal(num_format_duration(a, TIME_NEVER), "for ever");
	assert_string_equal(num_format_f64(a, 1.5), "1.5");
	assert_string_equal(num_format_f64(a, 30), "30");
	arena_destroy(a);
}

static void test_ranges(void **state)
{
	static const struct {
		const char *text;
		enum unit unit;
		double value;
		int alerts;
	} cases[] = {
		{ "10", UNIT_NONE, 10, 0 },	     { "10", UNIT_NONE, 11, 1 },
		{ "10", UNIT_NONE, -1, 1 },	     { "10:", UNIT_NONE, 9, 1 },
		{ "10:", UNIT_NONE, 1e9, 0 },	     { "~:10", UNIT_NONE, -1e9, 0 },
		{ "~:10", UNIT_NONE, 10.5, 1 },	     { "7:50", UNIT_NONE, 7, 0 },
		{ "7:50", UNIT_NONE, 6.9, 1 },	     { "@10:20", UNIT_NONE, 10, 1 },
		{ "@10:20", UNIT_NONE, 21, 0 },	     { "@10:", UNIT_NONE, 10, 1 },
		{ "80MB", UNIT_BYTES, 80000001, 1 }, { "80MB", UNIT_BYTES, 8e7, 0 },
		{ "3h:", UNIT_SECONDS, 10799, 1 },   { "50%", UNIT_PERCENT, 51, 1 },
		{ "2x", UNIT_RATIO, 2, 0 },	     { "", UNIT_NONE, 1e300, 0 },
		{ "20:10", UNIT_NONE, 0, -1 },	     { "x", UNIT_NONE, 0, -1 },
		{ "10MB", UNIT_NONE, 0, -1 },	     { "@", UNIT_NONE, 0, -1 },
		{ "1:2:3", UNIT_NONE, 0, -1 },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *why = NULL;
		struct range r;
		bool ok = range_parse(a, slice_of(cases[i].text), cases[i].unit, &r, &why);
		int got = ok ? range_alerts(&r, cases[i].value) : -1;

		if (got != cases[i].alerts || (!ok && !why))
			fail_msg("range '%s' of %g: got %d", cases[i].text, cases[i].value, got);
	}
	arena_destroy(a);
}

static void test_quotes(void **state)
{
	struct arena *a = arena_create();

	(void)state;
	assert_string_equal(quote_shell(a, "/var/lib/x-1.db"), "/var/lib/x-1.db");
	assert_string_equal(quote_shell(a, ""), "''");
	assert_string_equal(quote_shell(a, "a b"), "'a b'");
	assert_string_equal(quote_shell(a, "x'; rm -rf /"), "'x'\\''; rm -rf /'");
	assert_string_equal(quote_cql(a, "readings_1"), "readings_1");
	assert_string_equal(quote_cql(a, "MetricsEU"), "\"MetricsEU\"");
	assert_string_equal(quote_cql(a, "a\"b"), "\"a\"\"b\"");
	arena_destroy(a);
}

static void test_saturation(void **state)
{
	(void)state;
	assert_int_equal(add_saturated(INT64_MAX - 1, 5), INT64_MAX);
	assert_int_equal(add_saturated(INT64_MIN + 1, -5), INT64_MIN);
	assert_int_equal(add_saturated(TIME_NEVER, -5), TIME_NEVER);
	assert_int_equal(sub_saturated(INT64_MIN, 1), INT64_MIN);
	assert_int_equal(sub_saturated(INT64_MAX, -1), INT64_MAX);
	assert_int_equal(sub_saturated(5, 7), -2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),   cmocka_unit_test(test_sizes_and_durations),
		cmocka_unit_test(test_times),	   cmocka_unit_test(test_formats),
		cmocka_unit_test(test_ranges),	   cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_saturation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
