/* figure_*: what can be read with certainty, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/slice.h"
#include "parse/figure.h"

#define REFUSED INT64_MIN
#define UNKNOWN (INT64_MIN + 1)

static const struct {
	const char *text;
	int64_t expected;
} wholes[] = {
	{ "0", 0 }, { "1907", 1907 }, { "-5", -5 }, { "9223372036854775807", INT64_MAX },
	{ "9223372036854775808", REFUSED }, { "1.2E7", 12000000 }, { "1.2E-7", REFUSED },
	{ "1e300", REFUSED }, { "5.0", 5 }, { "1.5", REFUSED }, { "NaN", UNKNOWN },
	{ "NAN", UNKNOWN }, { ".NaN", UNKNOWN }, { "1,178", 1178 }, { "2,816,159", 2816159 },
	{ "4,966,933,177", INT64_C(4966933177) }, { "0,123", REFUSED }, { "012,345", REFUSED },
	{ "1,17", REFUSED }, { "1,1789", REFUSED }, { "1178,000", REFUSED }, { "52,66", REFUSED },
	{ "12,00", REFUSED }, { ",178", REFUSED }, { "1,,178", REFUSED }, { "1,178,", REFUSED },
	{ "1,2E7", REFUSED }, { "1.178,5", REFUSED }, { "", REFUSED }, { "-", REFUSED },
	{ "1 178", REFUSED }, { "12x", REFUSED }, { "99,999,999,999,999,999,999", REFUSED },
	{ "999,999,999,999,999,999,999,999,999,999,999,999,999", REFUSED },
};

static void test_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wholes); i++) {
		struct opt_i64 v;
		bool ok = figure_whole(slice_of(wholes[i].text), &v);
		int64_t got = !ok ? REFUSED : !v.known ? UNKNOWN : v.v;

		if (got != wholes[i].expected)
			fail_msg("'%s': %lld", wholes[i].text, (long long)got);
	}
}

#define NO -1e300
#define NONE -2e300

static const struct {
	const char *text;
	double expected;
} floats[] = {
	{ "0.25", 0.25 }, { "-1.0", -1 }, { "1E-2", 0.01 }, { "0,58182", 0.58182 },
	{ "0,461", 0.461 }, { "-0,461", -0.461 }, { "0,000", 0 }, { "52,66", 52.66 },
	{ "1,5", 1.5 }, { "2,4E-4", 2.4e-4 }, { "1,178", NO }, { "12,345", NO },
	{ "1,234.5", 1234.5 }, { "2,816,159", 2816159 }, { "1,469,901.75", 1469901.75 },
	{ "1.469.901,75", NO }, { "1,2,3", NO }, { "1,", NO }, { ",5", NO }, { "0,5x", NO },
	{ "52,66%", NO }, { "NaN", NONE }, { "nan", NONE }, { "", NO }, { "inf", NO },
	{ "0,0000000000000000000000000000000000000000000000000000001", NO },
};

static void test_float(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(floats); i++) {
		struct opt_f64 v;
		bool ok = figure_float(slice_of(floats[i].text), &v);
		double got = !ok ? NO : !v.known ? NONE : v.v;

		if (got != floats[i].expected)
			fail_msg("'%s': %g", floats[i].text, got);
	}
}

static const struct {
	const char *text;
	double expected;
} percents[] = {
	{ "18.56%", 18.56 }, { "18,56%", 18.56 }, { "108.21%", 108.21 }, { "0%", 0 },
	{ "50 %", 50 }, { "n/a", NONE }, { "NaN", NONE }, { "NaN%", NONE }, { "18.56", NO }, { "%",
	  NO },
	{ "1,856%", NO }, { "", NO },
};

static void test_percent(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(percents); i++) {
		struct opt_f64 v;
		bool ok = figure_percent(slice_of(percents[i].text), &v);
		double got = !ok ? NO : !v.known ? NONE : v.v;

		if (got != percents[i].expected)
			fail_msg("'%s': %g", percents[i].text, got);
	}
}

static const struct {
	const char *text;
	enum figure_kilo kilo;
	int64_t expected;
	bool rounded;
} sizes[] = {
	{ "318081", KILO_1024, 318081, false },
	{ "512 bytes", KILO_1024, 512, false },
	{ "0B", KILO_1024, 0, false },
	{ "900B", KILO_1024, 900, false },
	{ "24.81 KiB", KILO_1024, 25405, true },
	{ "24,81 KiB", KILO_1024, 25405, true },
	{ "5.057GiB", KILO_1024, INT64_C(5429912404), true },
	{ "5,057GiB", KILO_1024, REFUSED, false },
	{ "0.000KiB", KILO_1024, 0, true },
	{ "14.07 GB", KILO_1024, INT64_C(15107547464), true },
	{ "12.30 MB", KILO_1024, 12897485, true },
	{ "12.30 MB", KILO_1000, 12300000, true },
	{ "12.30 MiB", KILO_1000, 12897485, true },
	{ "252G", KILO_1024, INT64_C(252) << 30, true },
	{ "252Gi", KILO_1000, INT64_C(252) << 30, true },
	{ "1.5T", KILO_1024, INT64_C(3) << 39, true },
	{ "1.5E", KILO_1024, INT64_C(3) << 59, true },
	{ "9E", KILO_1024, REFUSED, false },
	{ "1,023.5 KiB", KILO_1024, 1048064, true },
	{ "2,816,159 bytes (~2.81 MB)", KILO_1024, 2816159, false },
	{ "2952244 (about 3 MB)", KILO_1024, 2952244, false },
	{ "1.2E7", KILO_1024, 12000000, false },
	{ "-2", KILO_1024, -2, false },
	{ "-2 KiB", KILO_1024, REFUSED, false },
	{ "1.5 bytes", KILO_1024, REFUSED, false },
	{ "0 ", KILO_1024, 0, false },
	{ "24.81 QiB", KILO_1024, REFUSED, false },
	{ "24.81 KiBs", KILO_1024, REFUSED, false },
	{ "24.81 Kilo", KILO_1024, REFUSED, false },
	{ "3 | SSTable count: 4", KILO_1024, REFUSED, false },
	{ "3\t|\t4", KILO_1024, REFUSED, false },
	{ "KiB", KILO_1024, REFUSED, false },
	{ "(5)", KILO_1024, REFUSED, false },
	{ "NaN", KILO_1024, UNKNOWN, false },
	{ "", KILO_1024, REFUSED, false },
};

static void test_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct opt_i64 v;
		bool rounded = false;
		bool ok = figure_bytes(slice_of(sizes[i].text), sizes[i].kilo, &v, &rounded);
		int64_t got = !ok ? REFUSED : !v.known ? UNKNOWN : v.v;

		if (got != sizes[i].expected || (ok && rounded != sizes[i].rounded))
			fail_msg("'%s': %lld%s", sizes[i].text, (long long)got,
				 rounded ? " rounded" : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_float),
		cmocka_unit_test(test_percent), cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
