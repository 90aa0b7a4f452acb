/*
 * How fast sstablemetadata's text is parsed: FILE is repeated in memory to about SIZE MB, then
 * three loops over that text take turns: the parser, a bare pcre2 loop over its lines, and a bare
 * memchr loop over its lines. Prints the median of each in MB/s, and the ratios.
 *
 *	bench_sstablemetadata FILE [SIZE [ROUNDS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/slice.h"
#include "parse/parse.h"
#include "parse/pattern.h"

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
	char *one = malloc(FILE_MAX), *all;
	size_t n, filled = 0;

	if (!f || !one) {
		fprintf(stderr, "cannot read '%s'\n", path);
		exit(1);
	}
	n = fread(one, 1, FILE_MAX, f);
	fclose(f);
	all = n ? malloc(size + n) : NULL;
	if (!all) {
		fprintf(stderr, "'%s' is empty, or memory is out\n", path);
		exit(1);
	}
	for (; filled < size; filled += n)
		memcpy(all + filled, one, n);
	free(one);
	return (struct slice){ all, filled };
}

static size_t loop_parse(struct slice text)
{
	struct arena *a = arena_create();
	struct evidence ev = { .kind = EV_SSTABLEMETADATA, .path = "bench", .out = text };
	struct node *n = arena_alloc(a, sizeof(*n));
	struct err err = { 0 };
	size_t records;

	if (!parse_sstablemetadata(a, &ev, n, &err))
		fprintf(stderr, "%s\n", err_text(a, &err));
	records = n->metas.n;
	arena_destroy(a);
	return records;
}

static size_t loop_pattern(struct slice text)
{
	static struct pattern line_pattern = PATTERN("^[A-Za-z][A-Za-z ]*: ");
	struct lines it = lines_of(text);
	struct slice line;
	size_t n = 0;

	while (lines_next(&it, &line))
		n += pattern_match(&line_pattern, line, NULL, 0);
	return n;
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

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		size_t (*run)(struct slice);
	} loops[] = {
		{ "parse", loop_parse }, { "pcre2 lines", loop_pattern },
		{ "memchr lines", loop_memchr },
	};
	double speed[ARRAY_LEN(loops)][ROUNDS_MAX], median[ARRAY_LEN(loops)];
	size_t size, result[ARRAY_LEN(loops)], rounds;
	struct slice text;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE [SIZE_MB [ROUNDS]]\n", argv[0]);
		return 1;
	}
	size = (argc > 2 ? strtoul(argv[2], NULL, 10) : 200) * 1000000;
	rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 7;
	if (rounds < 1 || rounds > ROUNDS_MAX)
		rounds = 7;
	text = read_repeated(argv[1], size);
	for (size_t i = 0; i < rounds; i++) {
		for (size_t k = 0; k < ARRAY_LEN(loops); k++) {
			double start = seconds();

			result[k] = loops[k].run(text);
			speed[k][i] = (double)text.n / 1e6 / (seconds() - start);
		}
	}
	for (size_t k = 0; k < ARRAY_LEN(loops); k++) {
		qsort(speed[k], rounds, sizeof(double), compare);
		median[k] = speed[k][rounds / 2];
		printf("%-13s %8.0f MB/s  %9zu %s\n", loops[k].name, median[k], result[k],
		       k ? "lines" : "records");
	}
	printf("pcre2 lines / parse: %.2f, memchr lines / parse: %.2f\n", median[1] / median[0],
	       median[2] / median[0]);
	return 0;
}
