/*
 * Benchmark of the analysis: one table of 10 000 and one of 100 000 SSTables, in the shapes that
 * cost most: many blocked windows under many blockers, two data directories, repaired and not.
 * Prints seconds and the ratio t(100k) / t(10k), the median of five alternating rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/model.h"

enum { ROUNDS = 5 };

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t random_state = 42;

static uint64_t next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 16;
}

/* Hourly windows; one SSTable in ten reaches back to a random earlier hour. */
static struct table *make_table(struct arena *a, size_t n)
{
	struct node *node = arena_alloc(a, sizeof(*node));
	struct table *t = arena_alloc(a, sizeof(*t));
	int64_t start = 1700000000;

	node->name = "bench";
	node->release = "5.0.6";
	node->clock_s = start + (int64_t)n * 3600;
	t->node = node;
	t->keyspace = "metrics";
	t->name = "readings";
	t->full_name = "metrics.readings";
	t->settings = (struct settings){
		.origin = SETTINGS_SCHEMA, .strategy = "TimeWindowCompactionStrategy", .twcs = true,
		.window_s = some_i64(3600), .default_ttl_s = some_i64((int64_t)n * 1800),
		.gc_grace_s = some_i64(86400), .check_interval_s = 600, .enabled = true,
	};
	t->sstables = arena_array(a, n, sizeof(*t->sstables));
	t->n_sstables = n;
	for (size_t i = 0; i < n; i++) {
		struct sstable *s = arena_alloc(a, sizeof(*s));
		struct sstable_meta *m = arena_alloc(a, sizeof(*m));
		int64_t max = start + (int64_t)i * 3600 + 1800, min = max - 1700;

		if (next_random() % 10 == 0)
			min = start + (int64_t)(next_random() % (i + 1)) * 3600;
		*m = (struct sstable_meta){
			.state = METADATA_COMPLETE, .repair_known = true,
			.min_ts = some_i64(min * 1000000), .max_ts = some_i64(max * 1000000),
			.min_ldt_s = some_i64(max + (int64_t)n * 1800),
			.max_ldt_s = some_i64(max + (int64_t)n * 1800),
			.min_ttl_s = some_i64((int64_t)n * 1800),
			.max_ttl_s = some_i64((int64_t)n * 1800),
			.repaired_at_ms = next_random() % 3 == 0,
		};
		m->first_token = some_i64((int64_t)(next_random() << 15));
		m->last_token = some_i64(m->first_token.v + (1LL << 40));
		*s = (struct sstable){ .table = t, .name = arena_printf(a, "nb-%zu-big", i + 1),
				       .disk = (unsigned)(next_random() % 2),
				       .bytes = some_i64(1000000),
				       .meta = m, .metadata = METADATA_COMPLETE };
		m->name = s->name;
		t->sstables[i] = s;
	}
	return t;
}

/*
 * The parsers go over far more bytes than the analysis: what was parsed first is in no cache any
 * more. Both sizes are measured like that, the small one does not start warm.
 */
static void empty_caches(void)
{
	static unsigned char big[96 * 1024 * 1024];
	static volatile unsigned sum;

	for (size_t i = 0; i < sizeof(big); i += 64)
		sum += ++big[i];
}

static double measure(size_t n, size_t *memory)
{
	struct arena *a = arena_create();
	struct table *t = make_table(a, n);
	size_t before = arena_bytes(a);
	double start;

	empty_caches();
	start = now_s();
	table_analyse(a, t);
	start = now_s() - start;
	*memory = arena_bytes(a) - before;
	if (!t->analysed || !t->n_blocked)
		exit(1);
	arena_destroy(a);
	return start;
}

static int by_value(const void *x, const void *y)
{
	double p = *(const double *)x, q = *(const double *)y;

	return (p > q) - (p < q);
}

int main(void)
{
	double small[ROUNDS], large[ROUNDS];
	size_t memory = 0, ignored;

	for (int i = 0; i < ROUNDS; i++) {
		small[i] = measure(10000, &ignored);
		large[i] = measure(100000, &memory);
	}
	qsort(small, ROUNDS, sizeof(*small), by_value);
	qsort(large, ROUNDS, sizeof(*large), by_value);
	printf("analysis of 10000 SSTables: %.4f s, of 100000: %.4f s; ratio %.1f; "
	       "%.1f MiB lasting\n",
	       small[ROUNDS / 2], large[ROUNDS / 2], large[ROUNDS / 2] / small[ROUNDS / 2],
	       (double)memory / 1048576);
	return 0;
}
