/*
 * Statistics.db from any bytes. The first byte picks the version, the rest is the file: half of the
 * picks set the checksums right first, so that damage behind them is reached.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "parse/parse.h"
#include "parse/statistics_db.h"
#include "render/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	"ks-t-jb-1-Statistics.db", "ks-t-ka-1-Statistics.db", "la-1-big-Statistics.db",
	"lb-1-big-Statistics.db", "ma-1-big-Statistics.db", "mb-1-big-Statistics.db",
	"mc-1-big-Statistics.db", "me-1-big-Statistics.db", "na-1-big-Statistics.db",
	"nb-1-big-Statistics.db", "nc-1-big-Statistics.db", "oa-1-big-Statistics.db",
	"da-1-bti-Statistics.db", "ms-1-big-Statistics.db",
};

static uint32_t load_u32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

static void store_u32(char *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (char)(v >> (24 - 8 * i));
}

/* Where the component ends that starts at `from`: at the next larger offset of the contents. */
static uint32_t end_of(const char *p, size_t n, uint32_t count, uint32_t from)
{
	uint32_t end = (uint32_t)n;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t offset = load_u32(p + 8 + i * 8 + 4);

		if (offset > from && offset < end)
			end = offset;
	}
	return end;
}

static void fix_checksums(char *p, size_t n)
{
	uint32_t count, crc;

	if (n < 12)
		return;
	count = load_u32(p);
	crc = (uint32_t)crc32(0, (const Bytef *)p, 4);
	store_u32(p + 4, crc);
	if (count > 4 || 12 + count * 8 > n)
		return;
	store_u32(p + 8 + count * 8, (uint32_t)crc32(crc, (const Bytef *)p + 8, count * 8));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = load_u32(p + 8 + i * 8 + 4), end;

		if (from >= n)
			continue;
		end = end_of(p, n, count, from);
		if (end - from >= 4)
			store_u32(p + end - 4,
				  (uint32_t)crc32(0, (const Bytef *)p + from, end - from - 4));
	}
}

static void render_all(struct arena *a, const struct statistics_db *db)
{
	struct keys_db keys = { .source = KEYS_NONE };
	struct metadata_record m = { .path = "x", .db = db, .keys = &keys, .now_s = 1796061782 };
	struct buf out;

	buf_init(&out, 1 << 22);
	metadata_render_json(a, &m, &out);
	metadata_render_text(a, &m, &out);
	metadata_render_tsv(&m, &out);
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = size ? arena_create() : NULL;
	struct cluster c = { .arena = a };
	struct node n = { .cluster = &c, .name = "x", .now_s = some_i64(1796061782) };
	struct statistics_db db;
	struct evidence ev;
	struct err err = { 0 };
	const char *name;
	char *copy;

	if (!size)
		return 0;
	name = names[(data[0] & 0x7f) % (sizeof(names) / sizeof(names[0]))];
	copy = malloc(size);	/* of its own: reads past its end are seen */
	if (!copy)
		abort();
	memcpy(copy, data + 1, size - 1);
	if (data[0] & 0x80)
		fix_checksums(copy, size - 1);
	ev = (struct evidence){ .node = "x", .keyspace = "k", .directory = "t-0", .file = name,
				.path = name, .out = { copy, size - 1 } };
	if (statistics_decode(a, slice_of(name), name, ev.out, &db, &err))
		render_all(a, &db);
	else if (!err.text)
		abort();
	err = (struct err){ 0 };
	if (!parse_statistics_db(a, &ev, &n, &err) && !err.text)
		abort();
	free(copy);
	arena_destroy(a);
	return 0;
}
