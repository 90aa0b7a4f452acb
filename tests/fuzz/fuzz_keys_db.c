/*
 * Summary.db and Partitions.db from any bytes, whole and read in parts: both must say the same.
 * The first byte picks the form.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/parse.h"
#include "parse/statistics_db.h"
#include "parse/token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	"nb-1-big-Summary.db", "da-1-bti-Partitions.db", "ks-t-jb-1-Summary.db",
	"ms-1-big-Partitions.db",
};

static bool read_part(void *ctx, uint64_t offset, size_t n, unsigned char *to)
{
	const struct slice *s = ctx;

	if (offset > s->n || n > s->n - offset)
		abort();	/* the contract: only what is inside is asked for */
	memcpy(to, s->p + offset, n);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = size ? arena_create() : NULL;
	struct cluster c = { .arena = a };
	struct node n = { .cluster = &c, .name = "x" };
	struct keys_db whole, parts;
	struct err err = { 0 };
	struct slice bytes;
	struct byte_source source;
	struct evidence ev;
	const char *name;
	char *copy;
	bool ok;

	if (!size)
		return 0;
	name = names[data[0] % (sizeof(names) / sizeof(names[0]))];
	copy = malloc(size - 1 ? size - 1 : 1);
	if (!copy)
		abort();
	memcpy(copy, data + 1, size - 1);
	bytes = (struct slice){ copy, size - 1 };
	source = (struct byte_source){ .all = bytes, .size = bytes.n };
	ok = keys_decode(a, slice_of(name), name, &source, &whole, &err);
	if (!ok && !err.text)
		abort();
	source = (struct byte_source){ .size = bytes.n, .read_at = read_part, .ctx = &bytes };
	if (keys_decode(a, slice_of(name), name, &source, &parts, NULL) != ok)
		abort();
	if (ok) {
		if (!slice_eq(whole.first, parts.first) || !slice_eq(whole.last, parts.last))
			abort();
		(void)token_of_key(SLICE("RandomPartitioner"), whole.first);
		(void)token_of_key(SLICE("Murmur3Partitioner"), whole.last);
	}
	ev = (struct evidence){ .node = "x", .keyspace = "k", .directory = "t-0", .file = name,
				.path = name, .out = bytes };
	err = (struct err){ 0 };
	if (parse_keys_db(a, &ev, &n, &err) != ok)
		abort();
	free(copy);
	arena_destroy(a);
	return 0;
}
