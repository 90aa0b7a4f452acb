/* Measured sizes: rows, TTLs, merged histograms, intervals of partition sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/measure.h"
#include "model/sizes.h"
#include "model_build.h"

enum { NOW = 1796061600 };

static const int64_t bounds[] = { 1, 2, 3, 4, 5 };

static void set_histogram(struct sstable *s, const uint64_t *count, size_t n)
{
	build_meta(s)->partition_sizes = (struct histogram){ .n = n,
							     .offset = bounds,
							     .count = count };
}

static void test_histograms(void **state)
{
	static const uint64_t one[] = { 0, 3, 1, 0, 0, 0 }, two[] = { 1, 0, 7 };
	struct arena *a = arena_create();
	struct table *t = build_table(a, NOW, 86400, 86400);
	struct histogram *h = &t->measures.partition_sizes;

	(void)state;
	set_histogram(build_sstable(a, t, "nb-1-big", 1, 2, 3), one, 6);
	set_histogram(build_sstable(a, t, "nb-2-big", 1, 2, 3), two, 3);
	measure_table(a, t);
	assert_int_equal(h->n, 6);
	assert_int_equal(h->count[0], 1);
	assert_int_equal(h->count[1], 3);
	assert_int_equal(h->count[2], 1);
	assert_int_equal(h->count[5], 7);	/* overflow goes to overflow */
	assert_int_equal(t->measures.cell_counts.n, 0);
	build_sstable(a, t, "nb-3-big", 1, 2, 3); /* without histogram: not the whole */
	measure_table(a, t);
	assert_int_equal(h->n, 0);
	arena_destroy(a);
}

static void test_rows(void **state)
{
	struct arena *a = arena_create();
	struct table *t = build_table(a, NOW, 86400, 86400);
	struct sstable *s = build_sstable(a, t, "nb-1-big", 1, 2, 3);

	(void)state;
	measure_table(a, t);
	assert_false(t->measures.bytes_per_row.known);
	s->data_bytes = some_i64(1000);
	build_meta(s)->rows = some_i64(50);
	build_meta(s)->compression_ratio = some_f64(0.4);
	build_ttls(s, 60, 600, 0);
	measure_table(a, t);
	assert_true(t->measures.bytes_per_row.v > 49.9 && t->measures.bytes_per_row.v < 50.1);
	assert_int_equal(t->measures.min_ttl_s.v, 60);
	assert_int_equal(t->measures.max_ttl_s.v, 600);
	arena_destroy(a);
}

static void test_buckets(void **state)
{
	static const struct { double printed, low, high; } cases[] = {
		{ 1, 0, 1 }, { 2, 1, 2 }, { 10, 8, 10 }, { 12, 10, 12 },
		{ 107964792, 89970660, 107964792 }, { 129557750, 107964792, 129557750 },
		{ 89970660, 74975550, 89970660 }, { 1155149911, 962624926, 1155149911 },
		{ 100000000, 100000000, 100000000 },	/* no bound: another program's number */
		{ 108e6, 89970660, 107964792 },		/* a bound that was rounded */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct interval v = bucket_of(cases[i].printed);

		if (!v.known || v.low != cases[i].low || v.high != cases[i].high)
			fail_msg("%.0f: got %.0f to %.0f", cases[i].printed, v.low, v.high);
	}
	assert_false(bucket_of(0).known);
	assert_false(bucket_of(9223372036854776000.0).known);
}

/* A difference between the two forms is told; what only one of them knows is none. */
static void test_difference(void **state)
{
	struct arena *a = arena_create();
	struct table *t = build_table(a, NOW, 86400, 86400);
	struct sstable_meta native = { .name = "nb-1-big", .native = true, .min_ts = some_i64(1) };
	struct sstable_meta text = { .name = "nb-1-big", .min_ts = some_i64(1) };
	struct cluster *c = t->node->cluster;

	(void)state;
	native.max_ttl_s = some_i64(5);
	measure_difference(t->node, t, &native, &text);
	assert_int_equal(c->fine_notes.n, 0);
	text.max_ttl_s = some_i64(6);
	measure_difference(t->node, t, &native, &text);
	assert_int_equal(c->fine_notes.n, 1);
	assert_non_null(strstr(c->fine_notes.v[0], "maximum TTL; Statistics.db is used"));
	for (int i = 0; i < 100; i++)
		measure_difference(t->node, t, &native, &text);
	assert_int_equal(c->fine_notes.n, 20);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histograms), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_buckets), cmocka_unit_test(test_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
