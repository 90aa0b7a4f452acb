/* Arena, buffers, slices, lines, errors, base64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/sort.h"

static void test_arena(void **state)
{
	struct arena *a = arena_create();
	struct { VEC(int) v; } x = { 0 };
	char *big = arena_alloc(a, 1000000), *small = arena_alloc(a, 1);

	(void)state;
	for (size_t i = 0; i < 1000000; i++)
		assert_int_equal(big[i], 0);
	memset(big, 'x', 1000000);
	assert_int_equal(small[0], 0);
	assert_int_equal((uintptr_t)small % 16, 0);
	for (int i = 0; i < 1000; i++)
		*vec_add(a, &x.v) = i;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(x.v.v[i], i);
	assert_string_equal(arena_printf(a, "%s-%d", "a", 7), "a-7");
	assert_int_equal(strlen(arena_printf(a, "%1000d", 1)), 1000);
	assert_true(arena_bytes(a) > 1000000);
	arena_destroy(a);
}

static bool count(void *ctx, const char *p, size_t n)
{
	(void)p;
	*(size_t *)ctx += n;
	return *(size_t *)ctx < 200000;
}

static void test_buf(void **state)
{
	struct buf b;
	size_t n = 0;

	(void)state;
	buf_init(&b, 10);
	buf_str(&b, "12345");
	buf_printf(&b, "%s", "6789");
	assert_true(buf_flush(&b));
	buf_str(&b, "abc");
	assert_false(buf_flush(&b));
	assert_true(b.truncated && b.n == 10 && memcmp(b.p, "123456789a", 10) == 0);
	buf_free(&b);
	buf_init_sink(&b, count, &n);
	for (int i = 0; i < 1000; i++)
		buf_repeat(&b, 'x', 100);
	assert_true(buf_flush(&b));
	assert_int_equal(n, 100000);
	for (int i = 0; i < 2000; i++)
		buf_repeat(&b, 'x', 100);
	assert_false(buf_flush(&b));	/* the sink said no */
	buf_free(&b);
}

static void test_lines(void **state)
{
	static const struct { const char *text; const char *lines; bool terminated; } cases[] = {
		{ "a\nb\n", "a|b|", true }, { "a\r\nb", "a|b|", false }, { "\n\n", "||", true },
		{ "\xef\xbb\xbfx\n", "x|", true }, { "", "", false }, { "\r\n", "|", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct lines it = lines_of(slice_of(cases[i].text));
		struct slice line;
		char got[64] = "";
		unsigned n = 0;

		while (lines_next(&it, &line)) {
			strncat(got, line.p, line.n);
			strcat(got, "|");
			n++;
		}
		if (strcmp(got, cases[i].lines) || (n && it.terminated != cases[i].terminated) ||
		    it.number != n)
			fail_msg("case %zu: got '%s'", i, got);
	}
}

static void test_fields(void **state)
{
	struct slice rest = SLICE("a\t\tb"), f;

	(void)state;
	assert_true(slice_field(&rest, '\t', &f) && slice_eq(f, SLICE("a")));
	assert_true(slice_field(&rest, '\t', &f) && f.n == 0);
	assert_true(slice_field(&rest, '\t', &f) && slice_eq(f, SLICE("b")));
	assert_false(slice_field(&rest, '\t', &f));
	rest = SLICE("  x \t yy ");
	assert_true(slice_word(&rest, &f) && slice_eq(f, SLICE("x")));
	assert_true(slice_word(&rest, &f) && slice_eq(f, SLICE("yy")));
	assert_false(slice_word(&rest, &f));
	assert_true(slice_eq(slice_trim(SLICE(" \tx y\r ")), SLICE("x y")));
	assert_int_equal(slice_rfind(SLICE("a/b/c"), '/'), 3);
	assert_int_equal(slice_rfind(SLICE("abc"), '/'), 3);
	assert_true(slice_cmp(SLICE("ab"), SLICE("abc")) < 0);
}

static void test_errors(void **state)
{
	struct arena *a = arena_create();
	struct err e = { 0 };

	(void)state;
	assert_false(err_set(a, &e, ERR_FORMAT, "f.txt", 3, "bad %d", 7));
	assert_false(err_set(a, &e, ERR_IO, "g", 0, "the first one wins"));
	assert_string_equal(err_text(a, &e), "f.txt:3: bad 7");
	assert_int_equal(e.kind, ERR_FORMAT);
	assert_false(err_set(a, NULL, ERR_IO, "g", 0, "nobody asked"));
	arena_destroy(a);
}

static void test_base64(void **state)
{
	/* RFC 4648, section 10; bytes that need the last digits */
	static const struct { const char *plain, *text; } cases[] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
		{ "\xff\xef\xbe", "/+++" },
	};
	static const char *const bad[] = {
		"Zg", "Zg=", "Zg===", "Z", "====", "=", "Zg==Zg==", "Z===", "Zh==", "Zm9=", "Zm 9",
		"Zm9v\n", "Zm9-", "Zm9_", "Zg=a",
	};
	struct arena *a = arena_create();
	struct slice out;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(base64_encode(a, slice_of(cases[i].plain)), cases[i].text);
		assert_true(base64_decode(a, slice_of(cases[i].text), &out));
		assert_true(out.p && slice_eq_str(out, cases[i].plain));
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (base64_decode(a, slice_of(bad[i]), &out))
			fail_msg("'%s' was decoded", bad[i]);
	arena_destroy(a);
}

/* The i-th of a row of keys: some by chance, some at the ends, some equal. */
static int64_t key_of(size_t kind, size_t i)
{
	uint64_t r = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	switch (kind) {
	case 0:
		return (int64_t)(r ^ r >> 29);
	case 1:
		return (int64_t)(r >> 60) - 8;
	case 2:
		return r >> 62 ? (int64_t)i * -1000000 : r & 1 << 20 ? INT64_MIN : INT64_MAX;
	case 3:
		return INT64_C(1700000000000000) + (int64_t)(r >> 50) * 1000000;
	default:
		return 7;
	}
}

static void test_sort(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 48, 49, 1000, 5000 };
	struct sort_item v[5000], spare[5000];

	(void)state;
	for (size_t kind = 0; kind < 5; kind++) {
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			size_t n = sizes[s];

			for (size_t i = 0; i < n; i++)
				v[i] = (struct sort_item){ key_of(kind, i), (uint32_t)i };
			sort_by_key(v, spare, n);
			for (size_t i = 0; i < n; i++) {
				assert_true(v[i].key == key_of(kind, v[i].at));
				assert_true(!i || v[i - 1].key < v[i].key ||
					    (v[i - 1].key == v[i].key && v[i - 1].at < v[i].at));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena),  cmocka_unit_test(test_buf),
		cmocka_unit_test(test_lines),  cmocka_unit_test(test_fields),
		cmocka_unit_test(test_errors), cmocka_unit_test(test_base64),
		cmocka_unit_test(test_errors), cmocka_unit_test(test_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
