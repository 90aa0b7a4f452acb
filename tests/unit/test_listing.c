/* listing.tsv: src/parse/listing.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice.h"
#include "files.h"
#include "parse/parse.h"

#define DIRECTORY "readings-5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define HEADING "name\tbytes\tmtime_s\n"

struct parsed {
	struct arena *arena;
	struct node node;
	struct err err;
	bool ok;
};

static void parse(struct parsed *p, struct slice text)
{
	struct evidence ev = { .kind = EV_LISTING, .path = "listing.tsv", .keyspace = "metrics",
			       .directory = DIRECTORY, .disk = 3, .out = text };

	memset(p, 0, sizeof(*p));
	p->arena = arena_create();
	p->ok = parse_listing(p->arena, &ev, &p->node, &p->err);
}

static const struct listing *listing_of(const char *name, const struct parsed *p)
{
	if (!p->ok || p->node.listings.n != 1)
		fail_msg("%s: %zu listings: %s", name, p->node.listings.n,
			 err_text(p->arena, &p->err));
	return p->node.listings.v[0];
}

/* "name bytes data mtime toc;…", a dash for what is not known. */
static const char *summary(struct arena *a, const struct listing *l)
{
	char *text = arena_strdup(a, "");

	for (size_t i = 0; i < l->sstables.n; i++) {
		const struct listed_sstable *s = &l->sstables.v[i];
		const char *data = s->data_bytes.known
				   ? arena_printf(a, "%lld", (long long)s->data_bytes.v) : "-";
		const char *mtime = s->mtime_s.known
				    ? arena_printf(a, "%lld", (long long)s->mtime_s.v) : "-";

		text = arena_printf(a, "%s%s %lld %s %s %s;", text, s->name, (long long)s->bytes,
				    data, mtime, s->has_toc ? "toc" : "-");
	}
	return text;
}

static void test_listings(void **state)
{
	static const struct {
		const char *name, *text, *expected;
		bool partial;
		unsigned err_line;	/* 0 = no error */
		const char *err;
	} cases[] = {
		{ "one "
		  "SSTable", HEADING "nb-1-big-Data.db\t100\t1796061721\nnb-1-big-Index.db\t20\t5\n"
		  "nb-1-big-TOC.txt\t3\t5\n", "nb-1-big 123 100 1796061721 toc;", false, 0, NULL },
		{ "other column names and order",
		  "mtime_epoch\tfile\tbytes\n7\tnb-1-big-Data.db\t5\n",
		  "nb-1-big 5 5 7 -;", false, 0, NULL },
		{ "CRLF and a byte-order mark",
		  "\xef\xbb\xbfname\tbytes\tmtime_s\r\nnb-1-big-Data.db\t5\t7\r\n",
		  "nb-1-big 5 5 7 -;", false, 0, NULL },
		{ "no times", "name\tbytes\nnb-1-big-Data.db\t5\n", "nb-1-big 5 5 - -;", false, 0,
		  NULL },
		{ "no Data.db", HEADING "nb-1-big-Index.db\t5\t7\n", "nb-1-big 5 - - -;", false, 0,
		  NULL },
		{ "ids in the order of their numbers, then time UUIDs", HEADING
		  "nb-10-big-Data.db\t1\t1\nnb-2-big-Data.db\t2\t2\n"
		  "nb-3h4z_1fa6_2r8j42v1fed9yidpo4-big-Data.db\t3\t3\n"
		  "nb-3h4y_1fa5_33vsa2v1fed9yidpo4-big-Data.db\t4\t4\nme-30-big-Data.db\t5\t5\n",
		  "me-30-big 5 5 5 -;nb-2-big 2 2 2 -;nb-10-big 1 1 1 -;"
		  "nb-3h4y_1fa5_33vsa2v1fed9yidpo4-big 4 4 4 -;"
		  "nb-3h4z_1fa6_2r8j42v1fed9yidpo4-big 3 3 3 -;", false, 0, NULL },
		{ "rows of an SSTable apart", HEADING
		  "nb-1-big-TOC.txt\t1\t1\nnb-2-big-Data.db\t2\t2\n"
		  "nb-1-big-Data.db\t4\t4\n", "nb-1-big 5 4 4 toc;nb-2-big 2 2 2 -;", false, 0,
		  NULL },
		{ "no component of an SSTable", HEADING
		  "nb_txn_compaction_x.log\t9\t9\nbackups\t9\t9\n"
		  "nb-1-big-Data.db.tmp\t9\t9\ntmp-la-1-big-Data.db\t9\t9\n"
		  "snapshots/a/nb-1-big-Data.db\t9\t9\n"
		  "nb-1-big\t9\t9\n.idx/nb-1-big-Data.db\t9\t9\nmanifest.json\t9\t9\n", "", false,
		  0, NULL },
		{ "old names", HEADING "ks-t-ka-7-Data.db\t5\t5\nks-t-tmp-ka-8-Data.db\t5\t5\n",
		  "ks-t-ka-7 5 5 5 -;", false, 0, NULL },
		{ "rows of other tables", "keyspace\ttable\tfile\tbytes\tmtime_epoch\n"
		  "metrics\treadings\tnb-1-big-Data.db\t5\t5\n"
		  "metrics\tother\tnb-2-big-Data.db\t5\t5\n"
		  "else\treadings\tnb-3-big-Data.db\t5\t5\n", "nb-1-big 5 5 5 -;", false, 0, NULL },
		{ "no heading", "\nnb-1-big-Data.db\t5\t6\nnb-1-big-Index.db\t5\t6\n",
		  "nb-1-big 10 5 6 -;", false, 0, NULL },
		{ "heading alone", HEADING, "", false, 0, NULL },
		{ "size that is no number", HEADING
		  "nb-1-big-Data.db\t1,5\t5\nnb-2-big-Data.db\t5\t5\n",
		  "nb-2-big 5 5 5 -;", true, 2, "nb-1-big: the size of a file is no number" },
		{ "negative size", HEADING "nb-1-big-Data.db\t-5\t5\n", "", true, 2, "no number" },
		{ "size missing", HEADING "nb-1-big-Data.db\n", "", true, 2, "no number" },
		{ "listed twice", HEADING "nb-1-big-Data.db\t5\t5\nnb-1-big-Data.db\t5\t5\n", "",
		  true, 3,
		  "nb-1-big: a file is listed twice" },
		{ "listed twice, apart", HEADING "nb-1-big-Data.db\t5\t5\nnb-2-big-Data.db\t5\t5\n"
		  "nb-1-big-Data.db\t5\t5\n", "nb-2-big 5 5 5 -;", true, 4, "listed twice" },
		{ "cut off in a size", HEADING "nb-1-big-Data.db\t5\t5\nnb-2-big-Data.db\t5\t5\n"
		  "nb-2-big-Index.db\t5", "nb-1-big 5 5 5 -;", true, 4, "cut off" },
		{ "cut off in a name", HEADING
		  "nb-1-big-Data.db\t5\t5\nnb-2-big-Data.db\t5\t5\nnb-2-b",
		  "nb-1-big 5 5 5 -;", true, 4, "cut off" },
		{ "sizes at the end of the range", HEADING
		  "nb-1-big-Data.db\t9223372036854775807\t5\n"
		  "nb-1-big-Index.db\t9223372036854775807\t5\n",
		  "nb-1-big 9223372036854775807 9223372036854775807 5 -;", false, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct listing *l;
		struct parsed p;
		const char *got;

		parse(&p, slice_of(cases[i].text));
		l = listing_of(cases[i].name, &p);
		got = summary(p.arena, l);
		if (strcmp(got, cases[i].expected) != 0)
			fail_msg("%s: %s", cases[i].name, got);
		if (l->partial != cases[i].partial)
			fail_msg("%s: partial is %d", cases[i].name, l->partial);
		if (p.err.line != cases[i].err_line || !cases[i].err != (p.err.kind == ERR_NONE) ||
		    (cases[i].err && !strstr(p.err.text, cases[i].err)))
			fail_msg("%s: %s", cases[i].name, err_text(p.arena, &p.err));
		assert_string_equal(l->keyspace, "metrics");
		assert_string_equal(l->directory, DIRECTORY);
		assert_int_equal(l->disk, 3);
		arena_destroy(p.arena);
	}
}

static void test_refused(void **state)
{
	static const struct { const char *name, *text; } cases[] = {
		{ "empty", "" },
		{ "blank", "\n\n" },
		{ "no heading, no numbers", "nb-1-big-Data.db\tx\t5\n" },
		{ "no heading, cut off", "nb-1-big-Data.db\t5" },
		{ "no name", "bytes\tmtime_s\n5\t5\n" },
		{ "no bytes", "name\tmtime_s\nnb-1-big-Data.db\t5\n" },
		{ "heading cut off", "name\tbytes\tmtime" },
		{ "ls -l", "total 5\n-rw-r--r-- 1 c c 5 Jun 12 04:41 nb-1-big-Data.db\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct parsed p;

		parse(&p, slice_of(cases[i].text));
		if (p.ok || p.node.listings.n || p.err.kind != ERR_FORMAT || !p.err.line)
			fail_msg("%s: accepted", cases[i].name);
		arena_destroy(p.arena);
	}
}

static const struct listed_sstable *find(const struct listing *l, const char *name)
{
	for (size_t i = 0; i < l->sstables.n; i++)
		if (strcmp(l->sstables.v[i].name, name) == 0)
			return &l->sstables.v[i];
	return NULL;
}

/* A start of a listing: an SSTable with its TOC has its whole size. */
static void check_start(struct slice text, size_t at, const struct listing *whole)
{
	char *exact = malloc(at ? at : 1);
	struct parsed p;

	assert_non_null(exact);
	memcpy(exact, text.p, at);
	parse(&p, (struct slice){ exact, at });
	for (size_t i = 0; p.ok && i < p.node.listings.v[0]->sstables.n; i++) {
		const struct listed_sstable *s = &p.node.listings.v[0]->sstables.v[i];
		const struct listed_sstable *w = find(whole, s->name);

		if (!w || (s->has_toc && s->bytes != w->bytes) || s->bytes > w->bytes)
			fail_msg("cut at %zu: %s has %lld bytes", at, s->name, (long long)s->bytes);
		if (s->data_bytes.known && s->data_bytes.v != w->data_bytes.v)
			fail_msg("cut at %zu: another size of Data.db", at);
		if (s->mtime_s.known && s->mtime_s.v != w->mtime_s.v)
			fail_msg("cut at %zu: another time", at);
	}
	if (at && text.p[at - 1] != '\n' && p.err.kind == ERR_NONE)
		fail_msg("cut at %zu: no error", at);
	arena_destroy(p.arena);
	free(exact);
}

static void test_starts(void **state)
{
	struct arena *a = arena_create();
	struct slice text = file_bytes(a, tests_path(a, "fixtures/listing/5.0.6-readings_ok.tsv"));
	const struct listing *whole;
	struct parsed p;

	(void)state;
	assert_true(text.n > 1000);
	parse(&p, text);
	whole = listing_of("5.0.6-readings_ok.tsv", &p);
	assert_int_equal(p.err.kind, ERR_NONE);
	assert_true(whole->sstables.n >= 3);
	for (size_t i = 0; i < whole->sstables.n; i++)
		assert_true(whole->sstables.v[i].has_toc && whole->sstables.v[i].data_bytes.known);
	for (size_t at = 0; at <= text.n; at++)
		check_start(text, at, whole);
	arena_destroy(p.arena);
	arena_destroy(a);
}

/* One file for many tables, as a recording has it: nothing else tells what it is of. */
static void test_many_tables(void **state)
{
	static const char text[] = "keyspace\ttable\tfile\tbytes\tmtime_epoch\n"
		"metrics\treadings\tnb-1-big-Data.db\t5\t7.25\n"
		"metrics\treadings\tnb-1-big-TOC.txt\t3\t7\n"
		"metrics\tother\tnb-1-big-Data.db\t6\t8\n"
		"else\treadings\tnb-1-big-Data.db\t7\t9\n";
	static const struct { const char *keyspace, *directory, *summary; } expected[] = {
		{ "metrics", "readings", "nb-1-big 8 5 7 toc;" },
		{ "metrics", "other", "nb-1-big 6 6 8 -;" },
		{ "else", "readings", "nb-1-big 7 7 9 -;" },
	};
	struct evidence ev = { .kind = EV_LISTING, .path = "listing.tsv", .out = SLICE(text) };
	struct arena *a = arena_create();
	struct node n = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(parse_listing(a, &ev, &n, &err));
	assert_int_equal(err.kind, ERR_NONE);
	assert_int_equal(n.listings.n, ARRAY_LEN(expected));
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		assert_string_equal(n.listings.v[i]->keyspace, expected[i].keyspace);
		assert_string_equal(n.listings.v[i]->directory, expected[i].directory);
		assert_string_equal(summary(a, n.listings.v[i]), expected[i].summary);
	}
	arena_destroy(a);
}

/* The recorded listing of 720 SSTables against its number of Data.db rows. */
static void test_large(void **state)
{
	struct arena *a = arena_create();
	const char *path = shared_path(a, "fixtures/bench720/listing.tsv");
	struct evidence ev = { .kind = EV_LISTING, .path = "listing.tsv" };
	struct node n = { 0 };
	struct err err = { 0 };
	int64_t total = 0;

	(void)state;
	if (!path) {
		print_message("the shared recordings are not there: skipped\n");
		arena_destroy(a);
		skip();
	}
	ev.out = file_bytes(a, path);
	assert_true(parse_listing(a, &ev, &n, &err));
	assert_int_equal(err.kind, ERR_NONE);
	assert_int_equal(n.listings.v[0]->sstables.n, 720);
	for (size_t i = 0; i < 720; i++) {
		assert_true(n.listings.v[0]->sstables.v[i].has_toc);
		total += n.listings.v[0]->sstables.v[i].bytes;
	}
	assert_true(total > 720 * 100);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listings),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_starts),
		cmocka_unit_test(test_many_tables),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
