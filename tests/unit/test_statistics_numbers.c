/*
 * Numbers derived from an SSTable's metadata: tokens of keys, digests, histograms, the droppable
 * estimate. src/parse/token.c, src/base/digest.c, src/model/statistics.c.
 */
#include <math.h>

#include "statistics_case.h"

#include "base/digest.h"
#include "base/num.h"
#include "parse/token.h"

/* ---- tokens ---- */

static struct slice from_hex(struct arena *a, struct slice hex)
{
	char *out = arena_alloc(a, hex.n / 2 + 1);

	for (size_t i = 0; i + 1 < hex.n; i += 2) {
		char pair[3] = { hex.p[i], hex.p[i + 1], '\0' };

		out[i / 2] = (char)strtoul(pair, NULL, 16);
	}
	return (struct slice){ out, hex.n / 2 };
}

/* Keys with the tokens that the partitioners of 4.1.9 gave them. */
static void test_token_vectors(void **state)
{
	struct arena *a = arena_create();
	struct lines it = lines_of(file_bytes(a, tests_path(a,
					"fixtures/engine-expiry/token-vectors.txt")));
	struct slice line, key, murmur3, random;
	size_t n = 0;

	(void)state;
	while (lines_next(&it, &line)) {
		struct token m, r;
		int64_t want;

		if (!slice_word(&line, &key) || !slice_word(&line, &murmur3) ||
		    !slice_word(&line, &random) || !num_parse_i64(murmur3, &want))
			fail_msg("line %u is no vector", it.number);
		key = slice_eq_str(key, "-") ? (struct slice){ "", 0 } : from_hex(a, key);
		m = token_of_key(SLICE("org.apache.cassandra.dht.Murmur3Partitioner"), key);
		r = token_of_key(SLICE("org.apache.cassandra.dht.RandomPartitioner"), key);
		if (m.kind != TOKEN_MURMUR3 || m.murmur3 != want)
			fail_msg("line %u: %lld", it.number, (long long)m.murmur3);
		if (r.kind != TOKEN_RANDOM || !slice_eq_str(random, r.random))
			fail_msg("line %u: '%s'", it.number, r.random);
		n++;
	}
	assert_int_equal(n, 128);
	arena_destroy(a);
}

static void test_partitioners(void **state)
{
	static const struct { const char *name; enum token_kind kind; } cases[] = {
		{ "org.apache.cassandra.dht.Murmur3Partitioner", TOKEN_MURMUR3 },
		{ "Murmur3Partitioner", TOKEN_MURMUR3 },
		{ "org.apache.cassandra.dht.RandomPartitioner", TOKEN_RANDOM },
		{ "org.apache.cassandra.dht.ByteOrderedPartitioner", TOKEN_BYTES },
		{ "org.apache.cassandra.dht.LocalPartitioner", TOKEN_UNKNOWN },
		{ "org.example.NotMurmur3Partitioner", TOKEN_UNKNOWN },
		{ "", TOKEN_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct token t = token_of_key(slice_of(cases[i].name), SLICE("a"));

		if (t.kind != cases[i].kind)
			fail_msg("'%s': %d", cases[i].name, t.kind);
	}
}

static void test_digests(void **state)
{
	/* RFC 1321 and FIPS 180-4's examples; lengths around the end of a block */
	static const struct {
		const char *text;
		size_t n;
		const char *md5, *sha1, *sha256;
	} cases[] = {
		{ "", 0, "d41d8cd98f00b204e9800998ecf8427e",
		  "da39a3ee5e6b4b0d3255bfef95601890afd80709",
		  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", 3, "900150983cd24fb0d6963f7d28e17f72",
		  "a9993e364706816aba3e25717850c26c9cd0d89d",
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
		  "8215ef0796a20bcaaae116d3876c664a", "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice s = { cases[i].text, cases[i].n };
		unsigned char out[SHA256_BYTES];

		digest_md5(s, out);
		assert_memory_equal(out, from_hex(a, slice_of(cases[i].md5)).p, MD5_BYTES);
		digest_sha1(s, out);
		assert_memory_equal(out, from_hex(a, slice_of(cases[i].sha1)).p, SHA1_BYTES);
		digest_sha256(s, out);
		assert_memory_equal(out, from_hex(a, slice_of(cases[i].sha256)).p, SHA256_BYTES);
	}
	arena_destroy(a);
}

static void test_hmac(void **state)
{
	/* RFC 2202, section 3: a short key, one that is a text, one longer than a block */
	static const struct { char key; size_t n; const char *text, *hmac; } cases[] = {
		{ '\x0b', 20, "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00" },
		{ 0, 4, "what do ya want for nothing?",
		  "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79" },
		{ '\xaa', 80, "Test Using Larger Than Block-Size Key - Hash Key First",
		  "aa4ae5e15272d00e95705637ce8a3b55ed402112" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned char out[SHA1_BYTES];
		char key[80] = "Jefe";

		if (cases[i].key)
			memset(key, cases[i].key, sizeof(key));
		digest_hmac_sha1((struct slice){ key, cases[i].n }, slice_of(cases[i].text), out);
		assert_memory_equal(out, from_hex(a, slice_of(cases[i].hmac)).p, SHA1_BYTES);
	}
	arena_destroy(a);
}

/* ---- histograms ---- */

static void test_histograms(void **state)
{
	static const int64_t bounds[] = { 1, 2, 3, 10, INT64_MAX / 2 };
	enum { N = ARRAY_LEN(bounds) + 1 };
	static const struct { const char *name; uint64_t count[N]; uint64_t total; int64_t min, max;
			      int64_t mean, p50, p99; bool mean_known, known; } cases[] = {
		{ "empty", { 0 }, 0, 0, 0, 0, 0, 0, true, true },
		{ "one in the first", { 1 }, 1, 0, 1, 1, 1, 1, true, true },
		{ "one in the middle", { 0, 0, 0, 1 }, 1, 4, 10, 10, 10, 10, true, true },
		{ "half and half", { 1, 0, 0, 1 }, 2, 0, 10, 6, 1, 10, true, true },
		{ "a mean rounded up", { 1, 1, 0, 0 }, 2, 0, 2, 2, 1, 2, true, true },
		{ "99 of 100", { 99, 0, 0, 1 }, 100, 0, 10, 2, 1, 1, true, true },
		{ "overflow", { 1, 0, 0, 0, 0, 1 }, 2, 0, INT64_MAX, 1, 0, 0, true, false },
		{ "a sum beyond 64 bits", { 0, 0, 0, 0, 9 }, 9, 11, INT64_MAX / 2, 0, INT64_MAX / 2,
		  INT64_MAX / 2, false, true },
		{ "counts beyond 64 bits", { UINT64_MAX, UINT64_MAX }, UINT64_MAX, 0, 2, 0, 1, 1,
		  false, true },
	};

	static const double shares[] = { 0, 0.5, 0.99, 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct histogram h = { .n = N, .offset = bounds, .count = cases[i].count };
		struct opt_i64 mean = histogram_mean(&h), p50 = histogram_percentile(&h, 0.5);
		struct opt_i64 p99 = histogram_percentile(&h, 0.99), all[ARRAY_LEN(shares)];

		histogram_percentiles(&h, shares, ARRAY_LEN(shares), all);
		for (size_t k = 0; k < ARRAY_LEN(shares); k++) {
			struct opt_i64 one = histogram_percentile(&h, shares[k]);

			if (all[k].known != one.known || (one.known && all[k].v != one.v))
				fail_msg("%s: %g in one walk %lld", cases[i].name, shares[k],
					 (long long)all[k].v);
		}
		if (histogram_total(&h) != cases[i].total || histogram_min(&h) != cases[i].min ||
		    histogram_max(&h) != cases[i].max)
			fail_msg("%s: total %llu, min %lld, max %lld", cases[i].name,
				 (unsigned long long)histogram_total(&h),
				 (long long)histogram_min(&h), (long long)histogram_max(&h));
		if (mean.known != cases[i].mean_known || (mean.known && mean.v != cases[i].mean))
			fail_msg("%s: mean %lld", cases[i].name, (long long)mean.v);
		if (p50.known != cases[i].known || p99.known != cases[i].known ||
		    (cases[i].known && (p50.v != cases[i].p50 || p99.v != cases[i].p99)))
			fail_msg("%s: p50 %lld, p99 %lld", cases[i].name, (long long)p50.v,
				 (long long)p99.v);
	}
}

static void test_droppable_ratio(void **state)
{
	/* 10 cells in all: 1 partition of 10 */
	static const int64_t bounds[] = { 1, 10 };
	static const uint64_t count[] = { 0, 1, 0 };
	static struct drop_time bins[] = {
		{ true, 100, 100, 4 }, { true, 200, 200, 8 }, { true, INT32_MAX, INT32_MAX, 100 },
	};
	static struct drop_time unsorted[] = { { true, 200, 200, 4 }, { true, 100, 100, 8 } };
	static const struct { const char *name; struct drop_time *bins; size_t n; int64_t at;
			      bool known; double want; } cases[] = {
		{ "no bins", bins, 0, 1000, true, 0 },
		{ "before the first", bins, 2, 99, true, 0 },
		{ "at the first: half of it", bins, 2, 100, true, 0.2 },
		/* 2 + (4 + 6) / 2 / 2 = half the first, and the slope up to its middle */
		{ "between the two", bins, 2, 150, true, 0.45 },
		{ "after the last", bins, 2, 200, true, 1.2 },
		{ "cells that never expire do not count", bins, 3, 200, true, 1.2 },
		{ "out of order", unsorted, 2, 1000, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct statistics_stats s = {
			.cell_counts = { .n = 3, .offset = bounds, .count = count },
			.drop_times = cases[i].bins, .n_drop_times = cases[i].n,
			.max_ldt_s = TIME_NEVER,
		};
		struct opt_f64 got = statistics_droppable_ratio(&s, cases[i].at);

		if (got.known != cases[i].known ||
		    (got.known && fabs(got.v - cases[i].want) > 1e-12))
			fail_msg("%s: %f", cases[i].name, got.v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token_vectors),
		cmocka_unit_test(test_partitioners),
		cmocka_unit_test(test_digests),
		cmocka_unit_test(test_hmac),
		cmocka_unit_test(test_histograms),
		cmocka_unit_test(test_droppable_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
