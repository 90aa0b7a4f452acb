/*
 * From binary evidence to facts: src/parse/statistics_meta.c.
 * What the decoder says of recorded SSTables is what the release's own sstablemetadata printed.
 */
#include "statistics_case.h"

#include "parse/parse.h"

/* ---- evidence ---- */

static void node_open(struct node *n, struct cluster *c, struct arena *a)
{
	*c = (struct cluster){ .arena = a };
	*n = (struct node){ .cluster = c, .name = "node" };
}

/* One piece of evidence whose bytes go away after the call. */
static bool feed(struct arena *a, struct node *n, parse_fn *parse, const char *directory,
		 unsigned disk, const char *file, struct slice bytes, struct err *err)
{
	char *copy = malloc(bytes.n ? bytes.n : 1);
	struct evidence ev = {
		.node = "node", .keyspace = "metrics", .directory = directory, .disk = disk,
		.file = file, .path = file, .out = { copy, bytes.n },
	};
	bool ok;

	assert_non_null(copy);
	if (bytes.n)
		memcpy(copy, bytes.p, bytes.n);
	*err = (struct err){ 0 };
	ok = parse(a, &ev, n, err);
	free(copy);
	if (!ok && (!err->text || err->kind == ERR_NONE))
		fail_msg("%s: no result and no error", file);
	return ok;
}

static const char dir[] = "readings-2b08e750d09e11f1bb95955e7e48e9e1";

static struct slice fixture(struct arena *a, const char *name)
{
	char *relative = arena_printf(a, "fixtures/statistics/%s", name);
	struct slice s = file_bytes(a, tests_path(a, relative));

	if (!s.p)
		fail_msg("cannot read %s", name);
	return s;
}

/* What the committed files say, number by number, from the texts beside them. */
static void test_values(void **state)
{
	static const struct {
		const char *folder, *file, *keys;
		enum metadata_state state;
		int64_t min_ts, max_ts, max_ldt_s, min_ttl_s, max_ttl_s, repaired_at_ms, rows;
		const char *pending_repair, *host_id;
		int64_t first_token, last_token, max_partition_bytes;
		bool tokens;
	} cases[] = {
		{ "cassandra-3.11.19/latest",
		  "me-1-big-Statistics.db", "me-1-big-Summary.db",
		  METADATA_COMPLETE, INT64_C(1792952609523076), INT64_C(1792952609523076),
		  TIME_NEVER, 0, 0, 0, 4, NULL,
		  "633fb9ad-67c8-44da-a7e8-9603d314423a",
		  INT64_C(-6714795586405897679), INT64_C(5539362456089112676), 42, true },
		{ "cassandra-3.11.19/readings_mixed_ttl",
		  "me-5-big-Statistics.db", NULL,
		  METADATA_COMPLETE, INT64_C(1793298212304000), INT64_C(1793298212306008),
		  INT64_C(1795890212), 2592000, 2592000, 0, 20, NULL,
		  "633fb9ad-67c8-44da-a7e8-9603d314423a",
		  0, 0, 215, false },
		{ "cassandra-4.0.17/ByUnit",
		  "nb-1-big-Statistics.db", "nb-1-big-Summary.db",
		  METADATA_COMPLETE, INT64_C(1792952340502000), INT64_C(1792952340526000),
		  INT64_C(1795544340), 2592000, 2592000, 0, 16, NULL,
		  "395de718-36f8-49e0-807c-0320a2c2a6c1",
		  INT64_C(-8692134701444027338), INT64_C(-6795415773213603245), 535, true },
		{ "cassandra-4.1.9/readings_mixed_ttl",
		  "nb-5-big-Statistics.db", NULL,
		  METADATA_COMPLETE, INT64_C(1793297544237000), INT64_C(1793297544242003),
		  INT64_C(1795889544), 2592000, 2592000, 0, 20, NULL,
		  "2642f450-8526-4e71-a1eb-bcc52a771006",
		  0, 0, 215, false },
		{ "cassandra-5.0.6-bti/readings_nottl",
		  "da-2-bti-Statistics.db", NULL,
		  METADATA_COMPLETE, INT64_C(1793039414573000), INT64_C(1793039414588000),
		  TIME_NEVER, 0, 2592000, 0, 20, NULL,
		  "3fdeaf7d-95b1-4334-bf96-36380a1736ea",
		  INT64_C(-7391344847191442046), INT64_C(5254540861807279505), 179, true },
		{ "cassandra-5.0.6-bti/readings_ok",
		  "da-1-bti-Statistics.db", NULL,
		  METADATA_COMPLETE, INT64_C(1792953013347000), INT64_C(1792953013380002),
		  INT64_C(1795545013), 2592000, 2592000, 0, 40, NULL,
		  "3fdeaf7d-95b1-4334-bf96-36380a1736ea",
		  INT64_C(-8974406347386841334), INT64_C(-2741956534810519861), 372, true },
		{ "cassandra-5.0.6-groups/rep_expired_far",
		  "nb-2-big-Statistics.db", "nb-2-big-Summary.db",
		  METADATA_COMPLETE, INT64_C(1795029923855000), INT64_C(1795029923869001),
		  INT64_C(1795461923), 432000, 432000, INT64_C(1796066724546), 24, NULL,
		  "b5f0aba5-19bf-4626-8ec3-580d67a1ffa9",
		  INT64_C(623342615247265299), INT64_C(8701230785641159706), 258, true },
		{ "cassandra-5.0.6-oa/readings_mixed_ttl",
		  "oa-3h52_1fa8_3mqsq2v1fed9yidpo4-big-Statistics.db", NULL,
		  METADATA_COMPLETE, INT64_C(1793298464449000), INT64_C(1793298464454000),
		  INT64_C(1795890464), 2592000, 2592000, 0, 20, NULL,
		  "6c5e4884-8fe7-4c78-8a7a-1ebc58487def",
		  INT64_C(-828295692876341529), INT64_C(6730954759206832882), 179, true },
		{ "cassandra-5.0.6-pending/p_disjoint",
		  "nb-1-big-Statistics.db", "nb-1-big-Summary.db",
		  METADATA_COMPLETE, INT64_C(1796064728517040), INT64_C(1796064728517040),
		  INT64_C(1796067158), 30, 30, 0, 8, "bd1a5170-ecf4-11f1-8c74-e5f0a984d77d",
		  "f80a2a2a-7c91-44d5-9702-43689b446826",
		  INT64_C(-4715511363518905084), INT64_C(8601753730564534143), 60, true },
		{ "cassandra-5.0.6/readings_deleted",
		  "nb-1-big-Statistics.db", "nb-1-big-Summary.db",
		  METADATA_COMPLETE, INT64_C(1792951321226000), INT64_C(1792951321258000),
		  INT64_C(1795543321), 2592000, 2592000, 0, 20, NULL,
		  "9c544bf3-8c13-49be-82b3-2ebcb0410317",
		  INT64_C(-8974406347386841334), INT64_C(-2741956534810519861), 215, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct sstable_meta *m;
		struct cluster c;
		struct node n;
		struct err err;

		node_open(&n, &c, a);
		assert_true(feed(a, &n, parse_statistics_db, dir, 1, cases[i].file,
				 fixture(a, arena_printf(a, "%s/%s", cases[i].folder,
							 cases[i].file)), &err));
		if (cases[i].keys)
			assert_true(feed(a, &n, parse_keys_db, dir, 1, cases[i].keys,
					 fixture(a, arena_printf(a, "%s/%s", cases[i].folder,
								 cases[i].keys)), &err));
		assert_int_equal(n.metas.n, 1);
		m = n.metas.v[0];
		if (m->state != cases[i].state || !m->native || !m->disk_known || m->disk != 1 ||
		    strcmp(m->table_dir, dir) || strcmp(m->keyspace, "metrics"))
			fail_msg("%s: state %d", cases[i].file, m->state);
#define SAME(field) \
	if (!m->field.known || m->field.v != cases[i].field) \
		fail_msg("%s: " #field " %lld", cases[i].file, (long long)m->field.v)
		SAME(min_ts);
		SAME(max_ts);
		SAME(max_ldt_s);
		SAME(min_ttl_s);
		SAME(max_ttl_s);
		SAME(rows);
		SAME(max_partition_bytes);
		if (m->first_token.known != cases[i].tokens)
			fail_msg("%s: tokens known: %d", cases[i].file, m->first_token.known);
		if (cases[i].tokens) {
			SAME(first_token);
			SAME(last_token);
		}
#undef SAME
		assert_true(m->repair_known);
		if (m->repaired_at_ms != cases[i].repaired_at_ms)
			fail_msg("%s: repaired at %lld", cases[i].file,
				 (long long)m->repaired_at_ms);
		if (!m->pending_repair != !cases[i].pending_repair ||
		    (m->pending_repair && strcmp(m->pending_repair, cases[i].pending_repair)))
			fail_msg("%s: pending repair %s", cases[i].file, m->pending_repair);
		if (!m->host_id || strcmp(m->host_id, cases[i].host_id))
			fail_msg("%s: host id %s", cases[i].file, m->host_id);
		arena_destroy(a);
	}
}

static void assert_kept(const char *path, const struct histogram *whole,
			const struct histogram *kept)
{
	if (histogram_total(whole) != histogram_total(kept) ||
	    histogram_max(whole) != histogram_max(kept) || kept->n > whole->n || kept->n < 2)
		fail_msg("%s: %zu buckets of %zu are kept", path, kept->n, whole->n);
	for (size_t i = 0; i + 1 < kept->n; i++)
		if (kept->offset[i] != whole->offset[i] || kept->count[i] != whole->count[i])
			fail_msg("%s: bucket %zu", path, i);
	if (kept->count[kept->n - 1] != whole->count[whole->n - 1])
		fail_msg("%s: the overflow", path);
}

static void compare_histograms(void *ctx, const char *path)
{
	struct arena *a = arena_create();
	struct slice bytes = file_bytes(a, path);
	struct statistics_db db;
	struct cluster c;
	struct node n;
	struct err err;
	bool decodes;

	node_open(&n, &c, a);
	err = (struct err){ 0 };
	decodes = statistics_decode(a, slice_of(base_name(path)), path, bytes, &db, &err);
	if (decodes != feed(a, &n, parse_statistics_db, dir, 0, base_name(path), bytes, &err))
		fail_msg("%s: decodes: %d", path, decodes);
	if (decodes && n.metas.v[0]->state != METADATA_INCONCLUSIVE) {
		assert_kept(path, &db.stats.partition_sizes, &n.metas.v[0]->partition_sizes);
		assert_kept(path, &db.stats.cell_counts, &n.metas.v[0]->cell_counts);
		++*(size_t *)ctx;
	}
	arena_destroy(a);
}

/* Empty buckets at the end are left out, nothing else. */
static void test_kept_histograms(void **state)
{
	struct arena *a = arena_create();
	size_t n = 0;

	(void)state;
	each_file(a, tests_path(a, "fixtures/statistics"), "-Statistics.db", compare_histograms,
		  &n);
	each_file(a, tests_path(a, "fixtures/statistics-made"), "-Statistics.db",
		  compare_histograms, &n);
	assert_int_equal(n, 11 + 17);
	arena_destroy(a);
}

/* Keys before and after their SSTable, of another one, of another disk, damaged, in wrong order. */
static void test_pieces(void **state)
{
	enum { STATS = 1, SUMMARY, PARTITIONS };
	/* keys: tokens of "a" is below that of "abc" */
	static const char up[] = "\0\0\0\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\0\0\0\0"
		"\0\0\0\1" "a" "\0\0\0\3" "abc";
	static const char down[] = "\0\0\0\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\0\0\0\0"
		"\0\0\0\3" "abc" "\0\0\0\1" "a";
	static const char footer[] = "\0\1" "a" "\0\3" "abc" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\2"
		"\0\0\0\0\0\0\0\0";
	static const struct {
		const char *name;
		struct { int what; const char *base; unsigned disk; const char *bytes; size_t n; }
			pieces[3];
		size_t records;
		enum metadata_state state;	/* of the last record */
		bool tokens;
	} cases[] = {
		{ "summary after", { { STATS, "nb-5-big", 0, NULL, 0 },
				     { SUMMARY, "nb-5-big", 0, up, sizeof(up) - 1 } },
		  1, METADATA_COMPLETE, true },
		{ "partitions before", { { PARTITIONS, "nb-5-big", 0, footer, sizeof(footer) - 1 },
					 { STATS, "nb-5-big", 0, NULL, 0 } },
		  1, METADATA_COMPLETE, true },
		{ "without keys", { { STATS, "nb-5-big", 0, NULL, 0 } },
		  1, METADATA_COMPLETE, false },
		{ "keys in the wrong order", { { STATS, "nb-5-big", 0, NULL, 0 },
					       { SUMMARY, "nb-5-big", 0, down, sizeof(down) - 1 } },
		  1, METADATA_COMPLETE, false },
		{ "damaged keys", { { STATS, "nb-5-big", 0, NULL, 0 },
				    { SUMMARY, "nb-5-big", 0, up, sizeof(up) - 2 } },
		  1, METADATA_COMPLETE, false },
		{ "no bytes of keys", { { STATS, "nb-5-big", 0, NULL, 0 },
					{ SUMMARY, "nb-5-big", 0, "", 0 } },
		  1, METADATA_COMPLETE, false },
		{ "keys of another one", { { STATS, "nb-5-big", 0, NULL, 0 },
					   { SUMMARY, "nb-6-big", 0, up, sizeof(up) - 1 } },
		  1, METADATA_COMPLETE, false },
		{ "keys of another disk", { { STATS, "nb-5-big", 0, NULL, 0 },
					    { SUMMARY, "nb-5-big", 1, up, sizeof(up) - 1 } },
		  1, METADATA_COMPLETE, false },
		{ "the same name on two disks", { { STATS, "nb-5-big", 0, NULL, 0 },
						  { STATS, "nb-5-big", 1, NULL, 0 },
						  { SUMMARY, "nb-5-big", 1, up, sizeof(up) - 1 } },
		  2, METADATA_COMPLETE, true },
		{ "partitions alone", { { PARTITIONS, "nb-5-big", 0, footer, sizeof(footer) - 1 } },
		  1, METADATA_NONE, true },
		{ "damaged statistics", { { STATS, "nb-5-big", 0, "\0\0\0\4", 4 },
					  { SUMMARY, "nb-5-big", 0, up, sizeof(up) - 1 } },
		  1, METADATA_NONE, false },
		{ "partitions, damaged statistics",
		  { { PARTITIONS, "nb-5-big", 0, footer, sizeof(footer) - 1 },
		    { STATS, "nb-5-big", 0, "", 0 } },
		  1, METADATA_NONE, false },
		{ "partitions of one, statistics of another",
		  { { PARTITIONS, "nb-4-big", 0, footer, sizeof(footer) - 1 },
		    { STATS, "nb-5-big", 0, NULL, 0 } },
		  2, METADATA_COMPLETE, false },
	};
	static const char *const components[] = {
		"", "Statistics.db", "Summary.db", "Partitions.db",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct slice good = fixture(a, "cassandra-4.1.9/readings_mixed_ttl/"
					       "nb-5-big-Statistics.db");
		struct sstable_meta *m;
		struct cluster c;
		struct node n;
		struct err err;

		node_open(&n, &c, a);
		for (size_t k = 0; k < 3 && cases[i].pieces[k].what; k++) {
			int what = cases[i].pieces[k].what;
			struct slice bytes = { cases[i].pieces[k].bytes, cases[i].pieces[k].n };

			if (!bytes.p)
				bytes = good;
			(void)feed(a, &n, what == STATS ? parse_statistics_db : parse_keys_db, dir,
				   cases[i].pieces[k].disk,
				   arena_printf(a, "%s-%s", cases[i].pieces[k].base,
						components[what]), bytes, &err);
		}
		if (n.metas.n != cases[i].records)
			fail_msg("%s: %zu records", cases[i].name, n.metas.n);
		m = n.metas.v[n.metas.n - 1];
		if (m->state != cases[i].state)
			fail_msg("%s: state %d", cases[i].name, m->state);
		if (m->first_token.known != cases[i].tokens ||
		    m->last_token.known != cases[i].tokens)
			fail_msg("%s: tokens known: %d", cases[i].name, m->first_token.known);
		if (m->state == METADATA_NONE && !m->problem != cases[i].tokens)
			fail_msg("%s: problem %s", cases[i].name, m->problem);
		arena_destroy(a);
	}
}

/* Values that are no values: numbers put into a file without checksums. */
static void test_sentinels(void **state)
{
	/* Offsets from the end of the two histograms: log position 0, timestamps 12 and 20, local
	   deletion times 28 and 32, TTLs 36 and 40, ratio 44. */
	static const struct { const char *name; size_t at; const char *bytes; size_t n;
			      enum metadata_state state; bool ttl, ratio; int64_t max_ldt_s; }
	cases[] = {
		{ "as it is", 0, "", 0, METADATA_COMPLETE, true, true, 0 },
		{ "nothing recorded", 12, "\x80\0\0\0\0\0\0\0", 8, METADATA_INCONCLUSIVE, false,
		  false, 0 },
		{ "timestamp 2^63-1 is one", 20, "\x7f\xff\xff\xff\xff\xff\xff\xff", 8,
		  METADATA_COMPLETE, true, true, 0 },
		{ "never", 32, "\x7f\xff\xff\xff", 4, METADATA_COMPLETE, true, true, TIME_NEVER },
		{ "capped in 2038", 32, "\x7f\xff\xff\xfe", 4, METADATA_COMPLETE, true, true,
		  2147483646 },
		{ "overflowed", 32, "\xff\xff\xff\xfe", 4, METADATA_COMPLETE, true, true, -2 },
		{ "TTL -1", 36, "\xff\xff\xff\xff", 4, METADATA_PARTIAL, false, true, 0 },
		{ "TTL 2147483647", 40, "\x7f\xff\xff\xff", 4, METADATA_PARTIAL, false, true, 0 },
		{ "not compressed", 44, "\xbf\xf0\0\0\0\0\0\0", 8, METADATA_COMPLETE, true, false,
		  0 },
		{ "a ratio that is no number", 44, "\x7f\xf8\0\0\0\0\0\0", 8, METADATA_COMPLETE,
		  true, false, 0 },
	};
	struct arena *a = arena_create();
	struct slice good = fixture(a, "cassandra-3.11.19/readings_mixed_ttl/"
				       "me-5-big-Statistics.db");
	size_t stats = (size_t)(unsigned char)good.p[26] << 8 | (unsigned char)good.p[27];
	size_t fields = stats + 4 + (unsigned char)good.p[stats + 3] * 16u;

	(void)state;
	fields += 4 + (unsigned char)good.p[fields + 3] * 16u;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *copy = arena_copy(a, good);
		struct sstable_meta *m;
		struct cluster c;
		struct node n;
		struct err err;

		memcpy(copy + fields + cases[i].at, cases[i].bytes, cases[i].n);
		node_open(&n, &c, a);
		if (!feed(a, &n, parse_statistics_db, dir, 0, "me-5-big-Statistics.db",
			  (struct slice){ copy, good.n }, &err))
			fail_msg("%s: %s", cases[i].name, err.text);
		m = n.metas.v[0];
		if (m->state != cases[i].state || !m->problem != (m->state == METADATA_COMPLETE))
			fail_msg("%s: state %d, %s", cases[i].name, m->state, m->problem);
		if (m->min_ttl_s.known != cases[i].ttl || m->max_ttl_s.known != cases[i].ttl)
			fail_msg("%s: TTL known: %d", cases[i].name, m->min_ttl_s.known);
		if (m->compression_ratio.known != cases[i].ratio)
			fail_msg("%s: ratio known: %d", cases[i].name, m->compression_ratio.known);
		if (cases[i].max_ldt_s && m->max_ldt_s.v != cases[i].max_ldt_s)
			fail_msg("%s: max_ldt_s %lld", cases[i].name, (long long)m->max_ldt_s.v);
	}
	arena_destroy(a);
}

/* ---- against the tool's text ---- */

struct comparison { struct arena *arena; size_t compared, fields; };

static void same_i64(struct comparison *c, const char *path, const char *field, struct opt_i64 text,
		     struct opt_i64 native)
{
	if (!text.known)
		return;
	c->fields++;
	if (!native.known || native.v != text.v)
		fail_msg("%s: %s is %lld (known: %d), the text says %lld", path, field,
			 (long long)native.v, native.known, (long long)text.v);
}

static void same_str(struct comparison *c, const char *path, const char *field, const char *text,
		     const char *native)
{
	if (!text)
		return;
	c->fields++;
	if (!native || strcmp(text, native) != 0)
		fail_msg("%s: %s is %s, the text says %s", path, field, native ? native : "unknown",
			 text);
}

static void compare_metas(struct comparison *c, const char *path, const struct sstable_meta *text,
			  const struct sstable_meta *native, bool keys)
{
	if (text->state != native->state)
		fail_msg("%s: state %d, by the text %d", path, native->state, text->state);
	same_i64(c, path, "min_ts", text->min_ts, native->min_ts);
	same_i64(c, path, "max_ts", text->max_ts, native->max_ts);
	same_i64(c, path, "min_ldt_s", text->min_ldt_s, native->min_ldt_s);
	same_i64(c, path, "max_ldt_s", text->max_ldt_s, native->max_ldt_s);
	same_i64(c, path, "min_ttl_s", text->min_ttl_s, native->min_ttl_s);
	same_i64(c, path, "max_ttl_s", text->max_ttl_s, native->max_ttl_s);
	same_i64(c, path, "level", text->level, native->level);
	same_i64(c, path, "rows", text->rows, native->rows);
	same_i64(c, path, "columns_set", text->columns_set, native->columns_set);
	same_i64(c, path, "max_partition_bytes", text->max_partition_bytes,
		 native->max_partition_bytes);
	if (keys) {
		same_i64(c, path, "first_token", text->first_token, native->first_token);
		same_i64(c, path, "last_token", text->last_token, native->last_token);
	}
	same_str(c, path, "partitioner", text->partitioner, native->partitioner);
	same_str(c, path, "pending_repair", text->pending_repair, native->pending_repair);
	same_str(c, path, "host_id", text->host_id, native->host_id);
	if (text->repair_known && (!native->repair_known ||
				   native->repaired_at_ms != text->repaired_at_ms))
		fail_msg("%s: repaired at %lld, by the text %lld", path,
			 (long long)native->repaired_at_ms, (long long)text->repaired_at_ms);
	if (!text->pending_repair && native->pending_repair)
		fail_msg("%s: pending repair %s", path, native->pending_repair);
	if (text->compression_ratio.known) {
		c->fields++;
		if (!native->compression_ratio.known ||
		    native->compression_ratio.v != text->compression_ratio.v)
			fail_msg("%s: compression ratio %.17g, by the text %.17g", path,
				 native->compression_ratio.v, text->compression_ratio.v);
	}
}

/* The text's path: beside the file, or in the folder of texts of its recording. */
static struct slice text_of(struct arena *a, const char *path)
{
	char *base = other_component(a, path, ""), *found;
	size_t n = strlen(base) - 1;	/* without the last '-' */
	struct slice s;

	s = file_bytes(a, arena_printf(a, "%.*s.txt", (int)n, base));
	found = strstr(base, "/sstables/");
	if (s.p || !found)
		return s;
	return file_bytes(a, arena_printf(a, "%.*s/sstablemetadata/%.*s.txt", (int)(found - base),
					  base, (int)(base + n - found - 10), found + 10));
}

static void compare_with_text(void *ctx, const char *path)
{
	struct comparison *c = ctx;
	struct arena *a = arena_create();
	struct slice text = text_of(a, path), keys;
	struct node by_text, native;
	struct cluster cluster;
	struct err err;

	if (!text.p) {
		arena_destroy(a);
		return;
	}
	node_open(&by_text, &cluster, a);
	node_open(&native, &cluster, a);
	if (!feed(a, &by_text, parse_sstablemetadata, NULL, 0, "text", text, &err))
		fail_msg("%s: its text: %s", path, err.text);
	if (!feed(a, &native, parse_statistics_db, dir, 0, base_name(path), file_bytes(a, path),
		  &err))
		fail_msg("%s: %s", path, err.text);
	keys = file_bytes(a, other_component(a, path, "Summary.db"));
	if (keys.p)
		assert_true(feed(a, &native, parse_keys_db, dir, 0,
				 base_name(other_component(a, path, "Summary.db")), keys, &err));
	assert_int_equal(by_text.metas.n, 1);
	assert_int_equal(native.metas.n, 1);
	compare_metas(c, path, by_text.metas.v[0], native.metas.v[0],
		      keys.p || native.metas.v[0]->first_token.known);
	c->compared++;
	arena_destroy(a);
}

static void test_committed_texts(void **state)
{
	struct arena *a = arena_create();
	struct comparison c = { .arena = a };

	(void)state;
	each_file(a, tests_path(a, "fixtures/statistics"), "-Statistics.db", compare_with_text, &c);
	assert_int_equal(c.compared, 10);
	assert_true(c.fields > c.compared * 12);
	arena_destroy(a);
}

static void test_recorded_texts(void **state)
{
	static const char *const recordings[] = {
		"3.11.19", "3.11.19-extra", "3.11.19-healthy", "4.0.17", "4.1.9", "4.1.9-extra",
		"4.1.9-healthy", "5.0.6", "5.0.6-bti", "5.0.6-extra", "5.0.6-groups",
		"5.0.6-healthy", "5.0.6-oa", "5.0.6-pending",
	};
	struct arena *a = arena_create();
	struct comparison c = { .arena = a };

	(void)state;
	if (!shared_path(a, "fixtures")) {
		arena_destroy(a);
		print_message("skipped: no recordings beside the source\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_LEN(recordings); i++) {
		size_t before = c.compared;
		char *relative = arena_printf(a, "fixtures/cassandra-%s/sstables", recordings[i]);
		const char *folder = shared_path(a, relative);

		assert_non_null(folder);
		each_file(a, folder, "-Statistics.db", compare_with_text, &c);
		if (c.compared == before)
			fail_msg("cassandra-%s: nothing compared", recordings[i]);
	}
	print_message("%zu SSTables, %zu values\n", c.compared, c.fields);
	assert_true(c.compared > 1000);
	assert_true(c.fields > c.compared * 12);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_kept_histograms),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_sentinels),
		cmocka_unit_test(test_committed_texts),
		cmocka_unit_test(test_recorded_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
