/*
 * How fast tablestats' text is parsed: FILE is repeated in memory to about SIZE MB, then two loops
 * over that text take turns: the parser, and a bare memchr loop over its lines. Prints the median
 * of each in MB/s, and the ratio.
 *
 *	bench_tablestats FILE [SIZE [ROUNDS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/slice.h"
#include "parse/parse.h"

enum { ROUNDS_MAX = 99, FILE_MAX = 64 * 1024 * 1024 };

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct slice read_repeated(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	char *one = malloc(FILE_MAX), *all = NULL;
	size_t n = f && one ? fread(one, 1, FILE_MAX, f) : 0, filled = 0;

	if (n)
		all = malloc(size + n);
	if (!all) {
		fprintf(stderr, "cannot read '%s'\n", path);
		exit(1);
	}
	for (; filled < size; filled += n)
		memcpy(all + filled, one, n);
	fclose(f);
	free(one);
	return (struct slice){ all, filled };
}

static size_t loop_parse(struct slice text)
{
	struct arena *a = arena_create();
	struct evidence ev = { .kind = EV_TABLESTATS, .path = "bench", .out = text };
	struct node *n = arena_alloc(a, sizeof(*n));
	struct err err = { 0 };
	size_t tables;

	if (!parse_tablestats(a, &ev, n, &err))
		fprintf(stderr, "%s\n", err_text(a, &err));
	tables = n->table_stats.n;
	arena_destroy(a);
	return tables;
}

static size_t loop_memchr(struct slice text)
{
	const char *p = text.p, *end = text.p + text.n;
	size_t n = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		p++;
		n++;
	}
	return n;
}

struct loop {
	const char *name;
	size_t (*run)(struct slice text);
	double s[ROUNDS_MAX];
	size_t found;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_mb_per_s(struct loop *l, size_t rounds, size_t bytes)
{
	qsort(l->s, rounds, sizeof(l->s[0]), by_value);
	return (double)bytes / 1e6 / l->s[rounds / 2];
}

int main(int argc, char **argv)
{
	struct loop loops[] = { { .name = "tables", .run = loop_parse },
				{ .name = "lines", .run = loop_memchr } };
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
	size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 5;
	double rate[2];
	struct slice text;

	if (argc < 2 || size == 0 || size > 4096 || rounds == 0 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench_tablestats FILE [SIZE [ROUNDS]]\n");
		return 1;
	}
	text = read_repeated(argv[1], size * 1000000);
	for (size_t i = 0; i < rounds; i++) {
		for (size_t j = 0; j < 2; j++) {
			double start = seconds();

			loops[j].found = loops[j].run(text);
			loops[j].s[i] = seconds() - start;
		}
	}
	for (size_t j = 0; j < 2; j++) {
		rate[j] = median_mb_per_s(&loops[j], rounds, text.n);
		printf("%-8s %8zu %8.0f MB/s\n", loops[j].name, loops[j].found, rate[j]);
	}
	printf("parser / memchr %.3f\n", rate[0] / rate[1]);
	free((void *)(uintptr_t)text.p);
	return 0;
}
