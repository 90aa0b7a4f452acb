/*
 * Statistics.db, Summary.db and Partitions.db decoded from bytes: golden files of every version,
 * damaged files, hostile counts. src/parse/statistics_*.c, keys_db.c, src/render/metadata.c.
 */
#include "statistics_case.h"

#include "cli/metadata_files.h"
#include "parse/statistics_read.h"
#include "render/metadata.h"

/* ---- golden files ---- */

struct outcome { struct buf json; char *error; struct arena *arena; };

static void keep_json(struct metadata_run *run, const struct metadata_record *m)
{
	struct outcome *o = run->ctx;

	metadata_render_json(run->scratch, m, &o->json);
}

static void keep_error(struct metadata_run *run, const char *path, const char *text,
		       bool no_record)
{
	struct outcome *o = run->ctx;

	(void)path;
	(void)no_record;
	o->error = arena_strdup(o->arena, text);
}

static void read_outcome(struct arena *a, const char *path, struct outcome *out)
{
	struct metadata_run run = { .each = keep_json, .failed = keep_error, .ctx = out };

	*out = (struct outcome){ .arena = a };
	buf_init(&out->json, 1 << 20);
	metadata_run_path(&run, path);
	metadata_run_end(&run);
	buf_char(&out->json, '\0');
}

/* Without "path", which golden files do not have: they lie somewhere else. */
static void cut_path(char *json)
{
	char *from = strstr(json, "\"path\":\""), *to = from ? strchr(from + 8, '"') : NULL;

	if (to)
		memmove(from, to + 2, strlen(to + 2) + 1);
}

struct golden { struct arena *arena; size_t refused; };

static void compare_golden(void *ctx, const char *path)
{
	struct golden *g = ctx;
	struct arena *a = arena_create();
	char *json = other_component(a, path, "Statistics.json");
	struct outcome got;
	char *want;

	read_outcome(a, path, &got);
	want = squeeze_json(a, file_bytes(a, json));
	if (strstr(want, "{\"error\":") == want) {
		if (!got.error)
			fail_msg("%s: is to be refused: %s", path, want);
		g->refused++;
	} else {
		if (got.error)
			fail_msg("%s: %s", path, got.error);
		cut_path(got.json.p);
		if (got.json.n > 1)
			got.json.p[strlen(got.json.p) - 1] = '\0';	/* the line end */
		assert_same_text(path, got.json.p, want);
	}
	buf_free(&got.json);
	arena_destroy(a);
}

static void test_golden_files(void **state)
{
	struct arena *a = arena_create();
	struct golden g = { .arena = a };

	(void)state;
	assert_int_equal(each_file(a, tests_path(a, "fixtures/statistics"), "-Statistics.db",
				   compare_golden, &g), 11);
	assert_int_equal(g.refused, 0);
	arena_destroy(a);
}

/* One for each layout, with rare values and with faults under right checksums. */
static void test_made_golden_files(void **state)
{
	struct arena *a = arena_create();
	struct golden g = { .arena = a };

	(void)state;
	assert_int_equal(each_file(a, tests_path(a, "fixtures/statistics-made"), "-Statistics.db",
				   compare_golden, &g), 33);
	assert_int_equal(g.refused, 15);
	arena_destroy(a);
}

/* Every version from "jb" to "oa" and "da", and ScyllaDB's. */
static void test_shared_golden_files(void **state)
{
	struct arena *a = arena_create();
	struct golden g = { .arena = a };
	const char *folder = shared_path(a, "fixtures/legacy-statistics");

	(void)state;
	if (!folder) {
		arena_destroy(a);
		print_message("skipped: no recordings beside the source\n");
		skip();
	}
	assert_int_equal(each_file(a, folder, "-Statistics.db", compare_golden, &g), 158);
	assert_int_equal(g.refused, 1);
	arena_destroy(a);
}

/* ---- versions ---- */

static void test_versions(void **state)
{
	static const struct { const char *format, *version; bool known; unsigned with, without; }
	cases[] = {
		{ "", "jb", true, FEATURE_FLAT, FEATURE_SAMPLING },
		{ "big", "ka", true, FEATURE_ANCESTORS, FEATURE_FLAT | FEATURE_LOG_LOWER },
		{ "big", "la", true, FEATURE_ANCESTORS, FEATURE_LOG_LOWER },
		{ "big", "lb", true, FEATURE_ANCESTORS | FEATURE_LOG_LOWER, FEATURE_ROWS },
		{ "big", "ma", true, FEATURE_ROWS, FEATURE_LOG_LOWER | FEATURE_ANCESTORS },
		{ "big", "mb", true, FEATURE_LOG_LOWER, FEATURE_LOG_INTERVALS },
		{ "big", "md", true, FEATURE_LOG_INTERVALS, FEATURE_HOST_ID },
		{ "big", "me", true, FEATURE_HOST_ID, FEATURE_CHECKSUMS },
		{ "big", "ms", true, FEATURE_HOST_ID, FEATURE_CHECKSUMS },
		{ "big", "na", true, FEATURE_CHECKSUMS, FEATURE_HOST_ID },
		{ "big", "nb", true, FEATURE_CHECKSUMS | FEATURE_HOST_ID, FEATURE_COVERED },
		{ "big", "nc", true, FEATURE_COVERED | FEATURE_MIN_MAX, FEATURE_WIDE },
		{ "big", "oa", true, FEATURE_COVERED | FEATURE_WIDE, FEATURE_MIN_MAX },
		{ "bti", "da", true, FEATURE_COVERED | FEATURE_WIDE, FEATURE_MIN_MAX },
		{ "big", "ib", false, 0, 0 },
		{ "big", "pa", false, 0, 0 },
		{ "big", "da", false, 0, 0 },
		{ "bti", "aa", false, 0, 0 },
		{ "bti", "cz", false, 0, 0 },
		{ "bti", "ea", false, 0, 0 },
		{ "bti", "oa", false, 0, 0 },
		{ "big", "", false, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned f;
		bool known = version_features(slice_of(cases[i].format),
					      slice_of(cases[i].version), &f);

		if (known != cases[i].known || (f & cases[i].with) != cases[i].with ||
		    f & cases[i].without)
			fail_msg("%s-%s: known %d, features %x", cases[i].format, cases[i].version,
				 known, f);
	}
}

static void test_uvint(void **state)
{
	static const struct { const char *name, *bytes; size_t n; bool ok; uint64_t want; }
	cases[] = {
		{ "127", "\x7f", 1, true, 127 },
		{ "128", "\x80\x80", 2, true, 128 },
		{ "16383", "\xbf\xff", 2, true, 16383 },
		{ "16384", "\xc0\x40\x00", 3, true, 16384 },
		{ "all 64 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, true, UINT64_MAX },
		{ "cut off", "\xc0\x40", 2, false, 0 },
		{ "nothing", "", 0, false, 0 },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = { 0 };
		struct reader r = reader_of(a, (struct slice){ cases[i].bytes, cases[i].n }, "x",
					    &err);
		uint64_t v = read_uvint(&r);

		if (r.failed == cases[i].ok || v != cases[i].want)
			fail_msg("%s: %llu", cases[i].name, (unsigned long long)v);
	}
	arena_destroy(a);
}

/* ---- damage ---- */

static const char file_nb[] = "fixtures/statistics/cassandra-4.1.9/readings_mixed_ttl/"
	"nb-5-big-Statistics.db";
static const char file_oa[] = "fixtures/statistics/cassandra-5.0.6-oa/readings_mixed_ttl/"
	"oa-3h52_1fa8_3mqsq2v1fed9yidpo4-big-Statistics.db";
static const char file_da[] = "fixtures/statistics/cassandra-5.0.6-bti/readings_ok/"
	"da-1-bti-Statistics.db";
static const char file_me[] = "fixtures/statistics/cassandra-3.11.19/readings_mixed_ttl/"
	"me-5-big-Statistics.db";

/* Decodes a copy that ends where its block ends; the JSON of it, or NULL and err. */
static char *decode_copy(struct arena *a, const char *name, struct slice bytes, struct err *err)
{
	char *copy = malloc(bytes.n ? bytes.n : 1), *out = NULL;
	struct keys_db keys = { .source = KEYS_NONE };
	struct statistics_db db;
	struct metadata_record m = { .path = name, .db = &db, .keys = &keys };
	struct buf json;

	assert_non_null(copy);
	if (bytes.n)
		memcpy(copy, bytes.p, bytes.n);
	if (statistics_decode(a, slice_of(base_name(name)), name, (struct slice){ copy, bytes.n },
			      &db, err)) {
		buf_init(&json, 1 << 20);
		metadata_render_json(a, &m, &json);
		metadata_render_text(a, &m, &json);
		metadata_render_tsv(&m, &json);
		out = arena_copy(a, (struct slice){ json.p, json.n });
		buf_free(&json);
	}
	free(copy);
	return out;
}

static void test_truncations(void **state)
{
	static const char *const files[] = { file_me, file_nb, file_oa, file_da };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct arena *a = arena_create();
		struct slice bytes = file_bytes(a, tests_path(a, files[i]));

		assert_true(bytes.n > 4000);
		for (size_t n = 0; n < bytes.n; n++) {
			struct arena *each = arena_create();
			struct err err = { 0 };

			if (decode_copy(each, files[i], (struct slice){ bytes.p, n }, &err))
				fail_msg("%s: %zu bytes of %zu are taken for the whole", files[i],
					 n, bytes.n);
			if (err.kind != ERR_FORMAT || !err.text || !err.subject)
				fail_msg("%s: %zu bytes: no error", files[i], n);
			arena_destroy(each);
		}
		arena_destroy(a);
	}
}

/* Files with checksums: every bit is covered by one. */
static void test_flipped_bits(void **state)
{
	static const char *const files[] = { file_nb, file_oa, file_da };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct arena *a = arena_create();
		struct slice bytes = file_bytes(a, tests_path(a, files[i]));
		char *copy = arena_copy(a, bytes);

		assert_true(bytes.n > 4000);
		for (size_t bit = 0; bit < bytes.n * 8; bit++) {
			struct arena *each = arena_create();
			struct err err = { 0 };

			copy[bit / 8] ^= (char)(1u << bit % 8);
			if (decode_copy(each, files[i], (struct slice){ copy, bytes.n }, &err))
				fail_msg("%s: bit %zu of byte %zu does not matter", files[i],
					 bit % 8, bit / 8);
			copy[bit / 8] ^= (char)(1u << bit % 8);
			arena_destroy(each);
		}
		arena_destroy(a);
	}
}

/* Without checksums a flipped bit can be a right file with another value; never a crash. */
static void test_flipped_bytes_without_checksums(void **state)
{
	struct arena *a = arena_create();
	struct slice bytes = file_bytes(a, tests_path(a, file_me));
	char *copy = arena_copy(a, bytes);
	size_t refused = 0;

	(void)state;
	assert_true(bytes.n > 4000);
	for (size_t i = 0; i < bytes.n; i++) {
		for (unsigned flip = 1; flip < 256; flip = flip * 2 + 1) {
			struct arena *each = arena_create();
			struct err err = { 0 };

			copy[i] ^= (char)flip;
			if (!decode_copy(each, file_me, (struct slice){ copy, bytes.n }, &err)) {
				assert_int_equal(err.kind, ERR_FORMAT);
				refused++;
			}
			copy[i] ^= (char)flip;
			arena_destroy(each);
		}
	}
	/* counts, lengths, bounds of histograms: most of such a file has to fit the rest */
	assert_true(refused > bytes.n * 8 / 4);
	arena_destroy(a);
}

/* Bytes put over a good file without checksums, and what is said of it. */
static void test_hostile_values(void **state)
{
	static const struct { const char *name; size_t at; const char *bytes; size_t n;
			      const char *part, *text; } cases[] = {
		{ "no components", 0, "\0\0\0\0", 4, "table of contents",
		  "number of components: 0" },
		{ "negative components", 0, "\xff\xff\xff\xff", 4, "table of contents",
		  "number of components: -1" },
		{ "many components", 0, "\0\0\0\x11", 4, "table of contents",
		  "number of components: 17" },
		{ "unknown type", 4, "\0\0\0\x07", 4, "table of contents",
		  "unknown component type 7" },
		{ "type twice", 4, "\0\0\0\x01", 4, "table of contents", "component type 1 twice" },
		{ "offset in the contents", 8, "\0\0\0\x08", 4, "table of contents",
		  "offset 8 outside the file" },
		{ "offset after the end", 8, "\x7f\xff\xff\xff", 4, "table of contents",
		  "offset 2147483647 outside the file" },
		{ "negative offset", 8, "\xff\xff\xff\xf0", 4, "table of contents",
		  "offset -16 outside the file" },
		{ "partitioner longer than the file", 36, "\xff\xff", 2, "component validation",
		  "cut off: 65535 bytes wanted" },
		{ "sketch of 2 GiB", 0, "\x7f\xff\xff\xff", 4, "component compaction",
		  "implausible number of" },
		{ "histogram of 2 billion buckets", 0, "\x7f\xff\xff\xff", 4, "component stats",
		  "implausible number of histogram buckets" },
		{ "more buckets than bytes", 0, "\0\0\x10\0", 4, "component stats",
		  "implausible number of histogram buckets: 4096" },
		{ "histogram of -1 buckets", 0, "\xff\xff\xff\xff", 4, "component stats",
		  "negative number of histogram buckets" },
		{ "histogram of one bucket", 0, "\0\0\0\1", 4, "component stats",
		  "histogram with 1 buckets" },
		{ "negative bound", 4, "\x80", 1, "component stats",
		  "negative number in a histogram" },
		{ "negative count", 12, "\x80", 1, "component stats",
		  "negative number in a histogram" },
		{ "first bound not repeated", 20, "\0\0\0\0\0\0\0\x02", 8, "component stats",
		  "does not repeat" },
		{ "bounds that fall", 36, "\0\0\0\0\0\0\0\x01", 8, "component stats",
		  "do not rise" },
	};
	struct arena *a = arena_create();
	struct slice bytes = file_bytes(a, tests_path(a, file_me));
	char *pristine = arena_copy(a, bytes);

	(void)state;
	assert_true(bytes.n > 4000);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *copy = arena_copy(a, (struct slice){ pristine, bytes.n });
		struct err err = { 0 };
		size_t at = cases[i].at;

		/* offsets of components in a file of 3.11: validation 36, then by the contents */
		if (!strcmp(cases[i].part, "component compaction"))
			at += (size_t)(unsigned char)copy[18] << 8 | (unsigned char)copy[19];
		if (!strcmp(cases[i].part, "component stats"))
			at += (size_t)(unsigned char)copy[26] << 8 | (unsigned char)copy[27];
		memcpy(copy + at, cases[i].bytes, cases[i].n);
		if (decode_copy(a, file_me, (struct slice){ copy, bytes.n }, &err))
			fail_msg("%s: decodes", cases[i].name);
		if (!strstr(err.text, cases[i].text) || !strstr(err.text, cases[i].part) ||
		    !strstr(err.text, "offset "))
			fail_msg("%s: '%s'", cases[i].name, err.text);
	}
	arena_destroy(a);
}

static void test_refused_names(void **state)
{
	static const struct { const char *name, *text; } cases[] = {
		{ "nb-5-big-Summary.db", "not the name of a Statistics.db" },
		{ "nb-5-big", "not the name of a Statistics.db" },
		{ "Statistics.db", "not the name of a Statistics.db" },
		{ "", "not the name of a Statistics.db" },
		{ "pa-5-big-Statistics.db", "unknown version 'pa' of format 'big'" },
		{ "ac-5-bti-Statistics.db", "unknown version 'ac' of format 'bti'" },
		{ "me-5-big-Statistics.db", "" },	/* checksums where none are expected */
		{ "oa-5-big-Statistics.db", "" },
		{ "ks-t-jb-5-Statistics.db", "" },
	};
	struct arena *a = arena_create();
	struct slice bytes = file_bytes(a, tests_path(a, file_nb));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = { 0 };

		if (decode_copy(a, cases[i].name, bytes, &err))
			fail_msg("'%s': decodes", cases[i].name);
		if (!strstr(err.text, cases[i].text))
			fail_msg("'%s': '%s'", cases[i].name, err.text);
	}
	arena_destroy(a);
}

static void test_too_large(void **state)
{
	struct arena *a = arena_create();
	char *bytes = arena_alloc(a, STATISTICS_BYTES_MAX + 1);
	struct err err = { 0 };

	(void)state;
	assert_null(decode_copy(a, "nb-1-big-Statistics.db",
				(struct slice){ bytes, STATISTICS_BYTES_MAX + 1 }, &err));
	assert_non_null(strstr(err.text, "too large"));
	arena_destroy(a);
}

/* ---- keys ---- */

struct file_at { struct slice bytes; unsigned calls; };

static bool read_part(void *ctx, uint64_t offset, size_t n, unsigned char *to)
{
	struct file_at *f = ctx;

	f->calls++;
	if (offset > f->bytes.n || n > f->bytes.n - offset)
		return false;
	memcpy(to, f->bytes.p + offset, n);
	return true;
}

/* min interval 128, 1 entry, size 8, sampling level 128, 1 at full sampling; then 8 bytes, keys */
#define SUMMARY_HEAD "\0\0\0\x80" "\0\0\0\1" "\0\0\0\0\0\0\0\x08"
#define SUMMARY_KEYS "\0\0\0\2ab" "\0\0\0\3abc"
#define FOOTER "\0\0\0\0\0\0\0\2" "\0\0\0\0\0\0\0\x05" "\0\0\0\0\0\0\0\0"

static void test_keys(void **state)
{
	static const struct { const char *name, *file, *bytes; size_t n; const char *first, *last,
			      *error; } cases[] = {
#define CASE(name, file, bytes, first, last, error) \
	{ name, file, bytes, sizeof(bytes) - 1, first, last, error }
		CASE("summary", "nb-1-big-Summary.db", SUMMARY_HEAD "\0\0\0\x80\0\0\0\1" "12345678"
		     SUMMARY_KEYS, "ab", "abc", NULL),
		CASE("summary with boundaries behind", "la-1-big-Summary.db", SUMMARY_HEAD
		     "\0\0\0\x80\0\0\0\1" "12345678" SUMMARY_KEYS "xxxxxxxxxxxx", "ab", "abc",
		     NULL),
		CASE("summary of 2.0", "ks-t-jb-1-Summary.db", SUMMARY_HEAD "12345678" SUMMARY_KEYS,
		     "ab", "abc", NULL),
		CASE("summary cut in its keys", "nb-1-big-Summary.db", SUMMARY_HEAD
		     "\0\0\0\x80\0\0\0\1" "12345678" "\0\0\0\2ab" "\0\0\0\3ab", "", "", "cut off"),
		CASE("summary cut in its head", "nb-1-big-Summary.db", SUMMARY_HEAD, "", "",
		     "cut off"),
		CASE("summary with entries outside", "nb-1-big-Summary.db", SUMMARY_HEAD
		     "\0\0\0\x80\0\0\0\1" "1234567", "", "", "implausible index summary"),
		CASE("summary with more entries than bytes", "nb-1-big-Summary.db",
		     "\0\0\0\x80" "\0\0\0\3" "\0\0\0\0\0\0\0\x08" "\0\0\0\x80\0\0\0\3" "12345678"
		     SUMMARY_KEYS, "", "", "implausible index summary"),
		CASE("summary of negative size", "nb-1-big-Summary.db",
		     "\0\0\0\x80" "\0\0\0\0" "\xff\xff\xff\xff\xff\xff\xff\xff" "\0\0\0\x80\0\0\0\0"
		     SUMMARY_KEYS, "", "", "implausible index summary"),
		CASE("summary with a negative length", "nb-1-big-Summary.db", SUMMARY_HEAD
		     "\0\0\0\x80\0\0\0\1" "12345678" "\xff\xff\xff\xff" "ab", "", "",
		     "implausible length of a key: -1"),
		CASE("summary with a key of 65536 bytes", "nb-1-big-Summary.db", SUMMARY_HEAD
		     "\0\0\0\x80\0\0\0\1" "12345678" "\0\1\0\0" "ab", "", "",
		     "implausible length of a key: 65536"),
		CASE("partitions", "da-1-bti-Partitions.db", "xx\0\2ab\0\3abc" FOOTER, "ab", "abc",
		     NULL),
		CASE("partitions of ScyllaDB", "ms-1-big-Partitions.db", "xx\0\2ab\0\3abc" FOOTER,
		     "ab", "abc", NULL),
		CASE("partitions with keys in the footer", "da-1-bti-Partitions.db",
		     "xx\0\2ab\0\4abc" FOOTER, "", "", "cut off"),
		CASE("partitions that point outside", "da-1-bti-Partitions.db",
		     "x" "\0\0\0\0\0\0\0\2" "\0\0\0\0\0\0\0\x05" "\0\0\0\0\0\0\0\0", "", "",
		     "points outside"),
		CASE("partitions too short", "da-1-bti-Partitions.db", "xx\0\2ab\0\3abc", "", "",
		     "shorter than its footer"),
		CASE("no keys in it", "nb-1-big-Index.db", "xx", "", "", "without keys"),
		CASE("no SSTable", "Summary.db", "xx", "", "", "not the name"),
		CASE("unknown version", "zz-1-big-Summary.db", "xx", "", "", "unknown version"),
#undef CASE
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases) * 2; i++) {
		size_t c = i / 2;
		struct file_at file = { .bytes = { cases[c].bytes, cases[c].n } };
		struct byte_source source = {
			.size = cases[c].n, .read_at = read_part, .ctx = &file,
		};
		struct keys_db keys;
		struct err err = { 0 };
		bool ok;

		if (i % 2)	/* in memory, and read in parts */
			source.all = file.bytes;
		ok = keys_decode(a, slice_of(cases[c].file), "x", &source, &keys, &err);
		if (ok == (cases[c].error != NULL))
			fail_msg("%s: %s", cases[c].name, ok ? "decodes" : err.text);
		if (!ok && !strstr(err.text, cases[c].error))
			fail_msg("%s: '%s'", cases[c].name, err.text);
		if (ok && (!slice_eq_str(keys.first, cases[c].first) ||
			   !slice_eq_str(keys.last, cases[c].last)))
			fail_msg("%s: keys '%.*s' and '%.*s'", cases[c].name, (int)keys.first.n,
				 keys.first.p, (int)keys.last.n, keys.last.p);
		assert_true(file.calls == 0 || i % 2 == 0);
	}
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_files),
		cmocka_unit_test(test_made_golden_files),
		cmocka_unit_test(test_shared_golden_files),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_uvint),
		cmocka_unit_test(test_truncations),
		cmocka_unit_test(test_flipped_bits),
		cmocka_unit_test(test_flipped_bytes_without_checksums),
		cmocka_unit_test(test_hostile_values),
		cmocka_unit_test(test_refused_names),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
