/* Bundles in one file: src/collect/archive.c and archive_index.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "collect/archive.h"

#define DIR_LATE "sstables/0/ks/late-5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define PACKED_MAX ((size_t)1 << 20)

/* One entry to be packed. */
struct item {
	const char *name, *text;	/* text NULL = of the type below */
	unsigned type;			/* 0 = a file */
	const char *link;
	int64_t size;			/* of a file without text: zeros, or a hole */
};

struct sheet {
	struct arena *arena;
	char *packed;
	size_t n;
	const char *seen;		/* a line for each piece */
	size_t n_seen;
	struct err err;
};

static int setup(void **state)
{
	struct sheet *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->arena = arena_create();
	s->packed = malloc(PACKED_MAX);
	s->seen = "";
	*state = s;
	return s->packed ? 0 : -1;
}

static int teardown(void **state)
{
	struct sheet *s = *state;

	arena_destroy(s->arena);
	free(s->packed);
	free(s);
	return 0;
}

static void pack_item(struct archive *out, const struct item *item)
{
	struct archive_entry *e = archive_entry_new();
	size_t n = item->text ? strlen(item->text) : 0;

	archive_entry_set_pathname(e, item->name);
	archive_entry_set_filetype(e, item->type ? item->type : AE_IFREG);
	archive_entry_set_perm(e, 0600);
	archive_entry_set_mtime(e, 1796061782, 0);
	archive_entry_set_size(e, item->text ? (int64_t)n : item->size);
	if (item->type == AE_IFLNK)
		archive_entry_set_symlink(e, item->link);
	else if (item->link)
		archive_entry_set_hardlink(e, item->link);
	if (!item->text && item->size)	/* a hole: no bytes of it are in the archive */
		archive_entry_sparse_add_entry(e, 0, 1);
	assert_int_equal(archive_write_header(out, e), ARCHIVE_OK);
	if (n)
		assert_int_equal(archive_write_data(out, item->text, n), (la_ssize_t)n);
	else if (item->size)
		(void)archive_write_data(out, "x", 1);
	archive_entry_free(e);
}

static void pack(struct sheet *s, const struct item *items, size_t n,
		 int (*filter)(struct archive *))
{
	struct archive *out = archive_write_new();

	assert_int_equal(archive_write_set_format_pax_restricted(out), ARCHIVE_OK);
	assert_int_equal(filter(out), ARCHIVE_OK);
	assert_int_equal(archive_write_open_memory(out, s->packed, PACKED_MAX, &s->n), ARCHIVE_OK);
	for (size_t i = 0; i < n; i++)
		pack_item(out, &items[i]);
	assert_int_equal(archive_write_close(out), ARCHIVE_OK);
	archive_write_free(out);
}

static void see(void *ctx, const struct evidence *ev)
{
	struct sheet *s = ctx;
	const char *body = ev->err.kind ? arena_printf(s->arena, "! %s", ev->err.text)
					: arena_copy(s->arena, ev->out);

	s->seen = arena_printf(s->arena, "%s%u %s %s|%s\n", s->seen, (unsigned)ev->kind, ev->node,
			       ev->relative ? ev->relative : "-", body);
	s->n_seen++;
}

/* False when it does not open; *whole: it was read to its end. */
static bool read_packed(struct sheet *s, size_t n, int64_t held_max, bool *whole)
{
	struct slice bytes = { s->packed, n };
	struct source *source;

	s->seen = "";
	s->n_seen = 0;
	s->err = (struct err){ 0 };
	*whole = false;
	source = archive_open_memory(s->arena, "x.tar", bytes, held_max, &s->err);
	if (!source)
		return false;
	*whole = source_archive.read(source, see, s, &s->err);
	source_archive.close(source);
	return true;
}

static void assert_seen(struct sheet *s, const char *name, const char *expected)
{
	if (strcmp(s->seen, expected) != 0)
		fail_msg("%s:\n%s\ninstead of\n%s", name, s->seen, expected);
}

static const struct item bundle[] = {
	{ .name = "nodes/b/version.txt", .text = "bV" },
	{ .name = "nodes/a/tablestats.txt", .text = "aT" },
	{ .name = "nodes/a/" DIR_LATE "/nb-1-big-Statistics.db", .text = "aS1" },
	{ .name = "nodes/a/" DIR_LATE "/nb-1-big-Data.db", .text = "nobody's" },
	{ .name = "nodes/b/node.json", .text = "bN" },
	{ .name = "README", .text = "nobody's" },
	{ .name = "nodes/a/" DIR_LATE "/listing.tsv", .text = "aL" },
	{ .name = "nodes/a", .type = AE_IFDIR },
	{ .name = "bundle.json", .text = "B" },
	{ .name = "nodes/a/node.json", .text = "aN" },
	{ .name = "nodes/a/status.txt", .text = "" },
};

static const char *expected_of_bundle(struct sheet *s)
{
	return arena_printf(s->arena,
			    "%u - bundle.json|B\n%u a node.json|aN\n%u a " DIR_LATE
			    "/listing.tsv|aL\n%u a " DIR_LATE "/nb-1-big-Statistics.db|aS1\n"
			    "%u a status.txt|\n%u a tablestats.txt|aT\n%u b node.json|bN\n"
			    "%u b version.txt|bV\n",
			    EV_BUNDLE, EV_NODE, EV_LISTING, EV_STATISTICS_DB, EV_STATUS,
			    EV_TABLESTATS, EV_NODE, EV_VERSION);
}

/* In the order of a directory, whatever is kept in memory, and by any compressor. */
static void test_order(void **state)
{
	static int (*const filters[])(struct archive *) = {
		archive_write_add_filter_none, archive_write_add_filter_gzip,
		archive_write_add_filter_zstd, archive_write_add_filter_xz,
		archive_write_add_filter_bzip2,
	};
	static const int64_t held[] = { 0, 1, 2, 3, 5, 9, 100, ARCHIVE_HELD_MAX };
	struct sheet *s = *state;
	bool whole;

	for (size_t f = 0; f < ARRAY_LEN(filters); f++) {
		pack(s, bundle, ARRAY_LEN(bundle), filters[f]);
		assert_true(archive_is_likely((struct slice){ s->packed, s->n }));
		for (size_t i = 0; i < ARRAY_LEN(held); i++) {
			const char *name = arena_printf(s->arena, "filter %zu, %lld bytes held", f,
							(long long)held[i]);

			if (!read_packed(s, s->n, held[i], &whole) || !whole)
				fail_msg("%s: %s", name, s->err.text);
			assert_seen(s, name, expected_of_bundle(s));
		}
	}
}

/* A folder around the bundle, "./" before names, one node's tree without nodes/. */
static void test_roots(void **state)
{
	static const struct {
		const char *name;
		struct item items[3];
		const char *expected;
	} cases[] = {
		{ "a folder around it", { { .name = "case/nodes/a/version.txt", .text = "V" },
					  { .name = "case/bundle.json", .text = "B" },
					  { .name = "case/x", .text = "nobody's" } },
		  "1 - bundle.json|B\n16 a version.txt|V\n" },
		{ "something beside it", { { .name = "aaa.txt", .text = "nobody's" },
					   { .name = "case/nodes/a/node.json", .text = "N" },
					   { .name = "._case", .text = "nobody's" } },
		  "2 a node.json|N\n" },
		{ "dots before names", { { .name = "./nodes//a/version.txt", .text = "V" },
					 { .name = "./bundle.json", .text = "B" },
					 { .name = "./", .type = AE_IFDIR } },
		  "1 - bundle.json|B\n16 a version.txt|V\n" },
		{ "one node's tree", { { .name = "version.txt", .text = "V" },
				       { .name = "node.json", .text = "N" },
				       { .name = "notes.txt", .text = "nobody's" } },
		  "2 - node.json|N\n16 - version.txt|V\n" },
		{ "one node's tree in a folder", { { .name = "cass-01/version.txt", .text = "V" },
						   { .name = "cass-01/node.json", .text = "N" },
						   { .name = "cass-01/x", .text = "nobody's" } },
		  "2 - node.json|N\n16 - version.txt|V\n" },
		{ "a later entry replaces", { { .name = "version.txt", .text = "old" },
					      { .name = "node.json", .text = "N" },
					      { .name = "./version.txt", .text = "new" } },
		  "2 - node.json|N\n16 - version.txt|new\n" },
		{ "numbered folders alone", { { .name = "version.txt", .text = "V" },
					      { .name = DIR_LATE "/listing.tsv", .text = "L" },
					      { .name = "x", .text = "nobody's" } },
		  "8192 - " DIR_LATE "/listing.tsv|L\n16 - version.txt|V\n" },
		{ "outputs alone are loose files", { { .name = "version.txt", .text = "V" },
						     { .name = "tablestats.txt", .text = "T" },
						     { .name = "x.txt", .text = "X" } },
		  "524288 - tablestats.txt|T\n524288 - version.txt|V\n524288 - x.txt|X\n" },
		{ "two bundles are loose files", { { .name = "c1/nodes/a/node.json", .text = "1" },
						   { .name = "c2/nodes/b/node.json", .text = "2" },
						   { .name = "c2/bundle.json", .text = "B" } },
		  "524288 - c2/bundle.json|B\n524288 a c1/nodes/a/node.json|1\n"
		  "524288 b c2/nodes/b/node.json|2\n" },
		{ "nothing of the layout", { { .name = "b/stats.log", .text = "1" },
					     { .name = "a.txt", .text = "2" },
					     { .name = "b", .type = AE_IFDIR } },
		  "524288 - a.txt|2\n524288 - b/stats.log|1\n" },
		{ "SSTables' files in any folders", {
			{ .name = "x/ks/t-5a1c3f70b1d011ee8c55a5d4f2f1c0de/nb-1-big-Statistics.db",
			  .text = "S" },
			{ .name = "x/ks/t-5a1c3f70b1d011ee8c55a5d4f2f1c0de/nb-1-big-Index.db",
			  .text = "nobody's" },
			{ .name = "x/.hidden/a.txt", .text = "nobody's" } },
		  "32768 - x/ks/t-5a1c3f70b1d011ee8c55a5d4f2f1c0de/nb-1-big-Statistics.db|S\n" },
	};
	struct sheet *s = *state;
	bool whole;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		pack(s, cases[i].items, 3, archive_write_add_filter_none);
		if (!read_packed(s, s->n, ARCHIVE_HELD_MAX, &whole) || !whole)
			fail_msg("%s: %s", cases[i].name, s->err.text);
		assert_seen(s, cases[i].name, cases[i].expected);
	}
}

/* What must not be in a bundle refuses all of it, and is named. */
static void test_refused(void **state)
{
	static const struct {
		const char *name;
		struct item item;
		const char *expected;
	} cases[] = {
		{ "up",
		  { .name = "../x", .text = "x" },
		  "refused: the entry '../x' has a path that leaves the bundle" },
		{ "up inside",
		  { .name = "nodes/a/../../../x", .text = "x" },
		  "refused: the entry 'nodes/a/../../../x' has a path that leaves the bundle" },
		{ "absolute",
		  { .name = "/etc/x", .text = "x" },
		  "refused: the entry '/etc/x' has a path that leaves the bundle" },
		{ "control bytes are not shown",
		  { .name = "../\033[31mx\n", .text = "x" },
		  "refused: the entry '../?[31mx?' has a path that leaves the bundle" },
		{ "a symbolic link",
		  { .name = "nodes/a/status.txt", .type = AE_IFLNK, .link = "/etc/passwd" },
		  "refused: the entry 'nodes/a/status.txt' is a link" },
		{ "a hard link",
		  { .name = "nodes/a/status.txt", .link = "nodes/a/node.json" },
		  "refused: the entry 'nodes/a/status.txt' is a link" },
		{ "a link that is nobody's",
		  { .name = "x", .type = AE_IFLNK, .link = "y" },
		  "refused: the entry 'x' is a link" },
		{ "a character device",
		  { .name = "nodes/a/status.txt", .type = AE_IFCHR },
		  "refused: the entry 'nodes/a/status.txt' is a device file or the like" },
		{ "a block device",
		  { .name = "d", .type = AE_IFBLK },
		  "refused: the entry 'd' is a device file or the like" },
		{ "a pipe",
		  { .name = "p", .type = AE_IFIFO },
		  "refused: the entry 'p' is a device file or the like" },
		{ "a file that is too large",
		  { .name = "nodes/a/tablestats.txt", .size = (INT64_C(256) << 20) + 1 },
		  "refused: the entry 'nodes/a/tablestats.txt' is larger than 256 MiB" },
	};
	struct sheet *s = *state;
	bool whole;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct item items[] = { { .name = "nodes/a/node.json", .text = "N" },
					cases[i].item };

		pack(s, items, 2, archive_write_add_filter_none);
		if (read_packed(s, s->n, ARCHIVE_HELD_MAX, &whole))
			fail_msg("%s: it was read", cases[i].name);
		if (strcmp(s->err.text, cases[i].expected) != 0)
			fail_msg("%s: '%s'", cases[i].name, s->err.text);
		assert_string_equal(s->err.subject, "x.tar");
	}
}

/* 65 files of 256 MiB without bytes: the last one is too much. */
static void test_refused_total(void **state)
{
	struct item items[65];
	struct sheet *s = *state;
	bool whole;

	for (size_t i = 0; i < ARRAY_LEN(items); i++)
		items[i] = (struct item){ .name = arena_printf(s->arena, "f%zu", i),
					  .size = INT64_C(256) << 20 };
	pack(s, items, ARRAY_LEN(items), archive_write_add_filter_none);
	/* only the headers count: nothing is read of what is not kept */
	assert_false(read_packed(s, s->n, 0, &whole));
	assert_string_equal(s->err.text,
			    "refused: the entry 'f64' is too much: with it there are more "
			    "than 16 GiB");
}

/* A Statistics.db of more than 1 MiB is evidence with an error, as in a directory. */
static void test_large_statistics(void **state)
{
	struct sheet *s = *state;
	struct item items[] = {
		{ .name = DIR_LATE "/nb-1-big-Statistics.db", .size = (1 << 20) + 1 },
		{ .name = "node.json", .text = "N" },
	};
	bool whole;

	pack(s, items, 2, archive_write_add_filter_none);
	for (int64_t held = 0; held <= 4 << 20; held += 4 << 20) {
		assert_true(read_packed(s, s->n, held, &whole));
		assert_true(whole);
		assert_seen(
			s, "large",
			"2 - node.json|N\n32768 - " DIR_LATE
			"/nb-1-big-Statistics.db|! is larger than 1 MiB: no Statistics.db is\n");
	}
}

static bool has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at && (at == text || at[-1] == '\n');
}

/* Every line of `seen` is a whole piece of the bundle, or one that says what is wrong. */
static void assert_true_pieces(struct sheet *s, const char *all, size_t cut)
{
	struct lines it = lines_of(slice_of(s->seen));
	struct slice line;

	while (lines_next(&it, &line)) {
		const char *text = arena_printf(s->arena, "%s\n", arena_copy(s->arena, line));

		if (!strstr(text, "|! ") && !has_line(all, text))
			fail_msg("cut at %zu: %s", cut, text);
	}
}

/* Cut at every byte: what came before, an error, and the rest is said to be lost. */
static void test_cut(void **state)
{
	static int (*const filters[])(struct archive *) = {
		archive_write_add_filter_none, archive_write_add_filter_gzip,
		archive_write_add_filter_zstd,
	};
	struct sheet *s = *state;
	const char *all = expected_of_bundle(s);
	struct item items[ARRAY_LEN(bundle)];
	size_t opened = 0, n = 1;
	bool whole;

	/* what shows that it is a bundle comes first: else a stump of it is of loose files */
	for (size_t i = 0; i < ARRAY_LEN(bundle); i++)
		items[strcmp(bundle[i].name, "bundle.json") == 0 ? 0 : n++] = bundle[i];

	for (size_t f = 0; f < ARRAY_LEN(filters); f++) {
		pack(s, items, ARRAY_LEN(items), filters[f]);
		for (size_t cut = 0; cut < s->n; cut += f ? 1 : 61) {
			bool open = read_packed(s, cut, cut % 2 ? 0 : ARCHIVE_HELD_MAX, &whole);

			/* zeros after the end mark are of no account */
			if (whole && strcmp(s->seen, all) == 0)
				continue;
			if (whole || s->err.kind == ERR_NONE)
				fail_msg("filter %zu, cut at %zu: no error", f, cut);
			assert_true_pieces(s, all, cut);
			if (!open)
				continue;
			opened++;
			/* cut in bundle.json, there is no node that could lose anything */
			if ((strstr(s->seen, " a ") || strstr(s->seen, " b ")) &&
			    !strstr(s->seen, "|! the rest of the archive is lost: "))
				fail_msg("cut at %zu: nothing is lost:\n%s", cut, s->seen);
		}
	}
	assert_true(opened > 20);
}

/* A plain archive that lost whole entries ends without its end mark. */
static void test_no_end_mark(void **state)
{
	static const struct item items[] = {
		{ .name = "nodes/a/node.json", .text = "N" },
		{ .name = "nodes/a/" DIR_LATE "/listing.tsv", .text = "L" },
		{ .name = "nodes/b/node.json", .text = "N" },
	};
	struct sheet *s = *state;
	bool whole;

	pack(s, items, 3, archive_write_add_filter_none);
	assert_true(read_packed(s, (size_t)2 * 1024, ARCHIVE_HELD_MAX, &whole));
	assert_false(whole);
	assert_string_equal(s->err.text, "the archive is damaged: it ends without its end mark");
	/* the listing that was seen may have had others beside it */
	assert_true(has_line(s->seen, "8192 a " DIR_LATE "/listing.tsv|L\n"));
	assert_non_null(strstr(s->seen, "8192 a -|! the rest"));
	assert_non_null(strstr(s->seen, "4 a -|! the rest"));
	assert_true(read_packed(s, (size_t)3 * 1024, ARCHIVE_HELD_MAX, &whole));
	assert_false(whole);
	/* node b came after node a: nothing of a is lost */
	assert_null(strstr(s->seen, " a -|!"));
	assert_non_null(strstr(s->seen, "512 b -|! the rest"));
}

static void test_other_files(void **state)
{
	static const struct { const char *text; size_t n; bool likely; } cases[] = {
		{ "", 0, false },
		{ "\x1f", 1, false },
		{ "\x1f\x8b", 2, true },
		{ "hello, this is text", 19, false },
		{ "\x28\xb5\x2f\xfd", 4, true },
		{ "PK\3\4", 4, false },
		{ "BZh9", 4, true },
		{ "\xfd" "7zXZ", 6, true },
	};
	struct sheet *s = *state;
	bool whole;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice head = { cases[i].text, cases[i].n };

		if (archive_is_likely(head) != cases[i].likely)
			fail_msg("case %zu", i);
		memcpy(s->packed, cases[i].text, cases[i].n);
		if (read_packed(s, cases[i].n, ARCHIVE_HELD_MAX, &whole) ||
		    s->err.kind == ERR_NONE)
			fail_msg("case %zu is read", i);
	}
	pack(s, NULL, 0, archive_write_add_filter_none);
	assert_false(read_packed(s, s->n, ARCHIVE_HELD_MAX, &whole));
}

static void test_open(void **state)
{
	struct sheet *s = *state;

	assert_null(source_archive.open(s->arena, "no/such/file.tar", &s->err));
	assert_string_equal(s->err.text, "cannot be opened: No such file or directory");
	s->err = (struct err){ 0 };
	assert_null(source_archive.open(s->arena, ".", &s->err));
	assert_string_equal(s->err.text, "is no file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_roots, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_total, setup, teardown),
		cmocka_unit_test_setup_teardown(test_large_statistics, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_end_mark, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
