/* Listings as people save them: src/parse/file_listing.c, file_row.c, listed_files.c. */
#include "facts_prefix.h"
#include "shared_facts.h"

#include <unistd.h>

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"
#define OTHER "6b1c3f70b1d011ee8c55a5d4f2f1c0de"
#define LS "-rw-r--r-- 1 cassandra cassandra "

static const char *number(struct arena *a, struct opt_i64 v)
{
	return v.known ? arena_printf(a, "%lld", (long long)v.v) : "-";
}

/* "keyspace/directory@disk flags: name bytes data mtime toc;" for each listing. */
static const char *describe(const struct parse_case *c)
{
	struct arena *a = c->arena;
	const char *text = "";

	for (size_t i = 0; i < c->node.listings.n; i++) {
		const struct listing *l = c->node.listings.v[i];

		text = arena_printf(a, "%s%s/%s@%u%s%s%s:", text, l->keyspace ? l->keyspace : "-",
				    l->directory, l->disk, l->partial ? " partial" : "",
				    l->names_only ? " names" : "", l->rounded ? " rounded" : "");
		for (size_t k = 0; k < l->sstables.n; k++) {
			const struct listed_sstable *s = &l->sstables.v[k];

			text = arena_printf(a, "%s %s %lld %s %s%s;", text, s->name,
					    (long long)s->bytes, number(a, s->data_bytes),
					    number(a, s->mtime_s), s->has_toc ? " toc" : "");
			assert_true(s->has_data || !s->data_bytes.known);
		}
	}
	return text;
}

struct made { const char *name, *text, *expected, *err; };

static const struct made made[] = {
	{ "ls -l",
	  "total 36296\n" LS "100 Jun 12 04:41 nb-1-big-Data.db\n" LS
	  "  7 Jun 12 04:41 nb-1-big-TOC.txt\ndrwxr-xr-x 2 c c 4096 Jun 12  2025 backups\n",
	  "-/-@0: nb-1-big 107 100 - toc;", NULL },
	{ "nothing but Data.db, full paths, old years",
	  LS "100 Jun 12  2025 /d/ks/t-" ID "/nb-1-big-Data.db\n" LS "200 Jun 12  2025 /d/ks/t-" ID
	     "/nb-2-big-Data.db\n",
	  "ks/t-" ID "@0: nb-1-big 100 100 - toc; nb-2-big 200 200 - toc;", NULL },
	{ "still being written",
	  LS "100 Jun 12 04:41 nb-1-big-Data.db\n" LS "9 Jun 12 04:41 nb-1-big-Index.db\n",
	  "-/-@0: nb-1-big 109 100 -;", NULL },
	{ "-h",
	  LS "164M Jul 31 20:02 mc-1-big-Data.db\n" LS "1.5G Jul 31 20:02 mc-2-big-Data.db\n" LS
	     "4.0K Jul 31 20:02 mc-3-big-Data.db\n" LS "893 Jul 31 20:02 mc-4-big-Data.db\n",
	  "-/-@0 rounded: mc-1-big 171966464 171966464 - toc; "
	  "mc-2-big 1610612736 1610612736 - toc; "
	  "mc-3-big 4096 4096 - toc; mc-4-big 893 893 - toc;",
	  NULL },
	{ "--si", LS "201k Jul 31 20:02 mc-1-big-Data.db\n",
	  "-/-@0 rounded: mc-1-big 201000 201000 - toc;", NULL },
	{ "BSD -h", LS "512B Jul 31 20:02 mc-1-big-Data.db\n",
	  "-/-@0 rounded: mc-1-big 512 512 - toc;", NULL },
	{ "-h with a decimal comma",
	  LS "1,5G Jul 31 20:02 mc-1-big-Data.db\n" LS "5 Jul 31 20:02 mc-2-big-Data.db\n",
	  "-/-@0 partial: mc-2-big 5 5 - toc;", "1: mc-1-big: the size of a file is no number" },
	{ "thousands", LS "97,752,242 Jul 31 20:02 mc-1-big-Data.db\n",
	  "-/-@0 partial:", "the size of a file is no number" },
	{ "full-iso", LS "5 2026-11-30 18:02:01.123456789 +0100 nb-1-big-Data.db\n",
	  "-/-@0: nb-1-big 5 5 1796058121 toc;", NULL },
	{ "long-iso: no zone", LS "5 2026-11-30 18:02 nb-1-big-Data.db\n",
	  "-/-@0: nb-1-big 5 5 - toc;", NULL },
	{ "iso, both ages",
	  LS "5 11-30 18:02 nb-1-big-Data.db\n" LS "6 2025-11-30  nb-2-big-Data.db\n",
	  "-/-@0: nb-1-big 5 5 - toc; nb-2-big 6 6 - toc;", NULL },
	{ "+%s", LS "5 1796058121 nb-1-big-Data.db\n", "-/-@0: nb-1-big 5 5 1796058121 toc;",
	  NULL },
	{ "BSD -T", "-rw-r--r--@ 1 c  staff  5 Jun 12 04:41:09 2026 nb-1-big-Data.db\n",
	  "-/-@0: nb-1-big 5 5 - toc;", NULL },
	{ "busybox -e", "-rw-r--r--    1 c    c    5 Thu Jun 12 04:41:09 2026 nb-1-big-Data.db\n",
	  "-/-@0: nb-1-big 5 5 - toc;", NULL },
	{ "days before months, months of other languages",
	  LS "5 12. Jun 04:41 nb-1-big-Data.db\n" LS "6 12 Mär  2025 nb-2-big-Data.db\n" LS
	     "7 6月 12 04:41 nb-3-big-Data.db\n" LS "8 août 12 04:41 nb-4-big-Data.db\n",
	  "-/-@0: nb-1-big 5 5 - toc; nb-2-big 6 6 - toc; nb-3-big 7 7 - toc; nb-4-big 8 8 - toc;",
	  NULL },
	{ "numeric owners, inodes and blocks, no group",
	  "-rw-r--r-- 1 999 999 1234567890 Jun 12 04:41 nb-1-big-Data.db\n"
	  " 10010684 196 -rw-r--r-- 1 0 0 200123 Jun 12 04:41 nb-2-big-Data.db\n"
	  "-rw-r--r--. 1 200124 Jun 12 04:41 nb-3-big-Data.db\n",
	  "-/-@0: nb-1-big 1234567890 1234567890 - toc; nb-2-big 200123 200123 - toc; "
	  "nb-3-big 200124 200124 - toc;",
	  NULL },
	{ "owners with blanks", "-rw-r--r-- 1 DOM\\domain users 77 Jun 12 04:41 nb-1-big-Data.db\n",
	  "-/-@0: nb-1-big 77 77 - toc;", NULL },
	{ "links and sockets",
	  "lrwxrwxrwx 1 c c 9 Jun 12 04:41 nb-1-big-Data.db -> /x\n" LS
	  "5 Jun 12 04:41 nb-2-big-Data.db\n",
	  "-/-@0: nb-2-big 5 5 - toc;", NULL },
	{ "-F, -Q",
	  "-rwxr-xr-x 1 c c 5 Jun 12 04:41 nb-1-big-Data.db*\n" LS
	  "6 Jun 12 04:41 \"nb-2-big-Data.db\"\n",
	  "-/-@0: nb-1-big 5 5 - toc; nb-2-big 6 6 - toc;", NULL },
	{ "a path with a blank is no path that can be read",
	  LS "5 Jun 12 04:41 /d d/ks/t-" ID "/nb-1-big-Data.db\n" LS
	     "6 Jun 12 04:41 nb-2-big-Data.db\n" LS "7 Jun 12 04:41 /d d/nb-3-big-Data.db\n",
	  "-/-@0 partial: nb-2-big 6 6 - toc;",
	  "1: a file whose size and name can't be told apart" },
	{ "ls -lR",
	  "/d/ks/t-" ID ":\ntotal 4\n" LS "5 Jun 12 04:41 nb-1-big-Data.db\n\n"
	  "/d/ks/t-" ID "/snapshots/a:\ntotal 4\n" LS "5 Jun 12 04:41 nb-9-big-Data.db\n\n"
	  "/d/ks/u-" OTHER ":\ntotal 4\n" LS "6 Jun 12 04:41 nb-1-big-Data.db\n",
	  "ks/t-" ID "@0: nb-1-big 5 5 - toc;ks/u-" OTHER "@0: nb-1-big 6 6 - toc;", NULL },
	{ "relative headings",
	  ".:\ntotal 4\n" LS "5 Jun 12 04:41 nb-1-big-Data.db\n\n./backups:\n" LS
	  "5 Jun 12 04:41 nb-9-big-Data.db\n",
	  "-/-@0: nb-1-big 5 5 - toc;", NULL },
	{ "the prompt tells the directory",
	  "u@n:~/d/ks/t-" ID "$ ls -ltar\ntotal 4\n" LS "5 Jun 12 04:41 nb-1-big-Data.db\n",
	  "ks/t-" ID "@0: nb-1-big 5 5 - toc;", NULL },
	{ "the command tells the directory",
	  "[u@n ~]$ ls -l /d/ks/t-" ID "/\ntotal 4\n" LS "5 Jun 12 04:41 nb-1-big-Data.db\n",
	  "ks/t-" ID "@0: nb-1-big 5 5 - toc;", NULL },
	{ "two data directories",
	  LS "6 Jun 12 04:41 /d2/ks/t-" ID "/nb-2-big-Data.db\n" LS "5 Jun 12 04:41 /d1/ks/t-" ID
	     "/nb-1-big-Data.db\n",
	  "ks/t-" ID "@0: nb-1-big 5 5 - toc;ks/t-" ID "@1: nb-2-big 6 6 - toc;", NULL },
	{ "old names, one folder without an id",
	  LS "5 Aug 13 09:51 /d/ks/t/ks-t-ic-22-Data.db\n" LS
	     "6 Aug 13 09:51 /d/ks/t/ks-t-jb-23-Data.db\n" LS
	     "7 Aug 13 09:51 /d/ks/t/ks-t.i-jb-24-Data.db\n",
	  "ks/t@0: ks-t-ic-22 5 5 - toc; ks-t-jb-23 6 6 - toc;", NULL },
	{ "2.1 names, folder with an id", LS "5 Aug 13 09:51 /d/ks/t-" ID "/ks-t-ka-22-Data.db\n",
	  "ks/t-" ID "@0: ks-t-ka-22 5 5 - toc;", NULL },
	{ "listed again: the last block counts",
	  "$ ls -l\ntotal 8\n" LS "5 Jun 12 04:41 nb-1-big-Data.db\n" LS
	  "5 Jun 12 04:41 nb-2-big-Data.db\n$ ls -l\ntotal 8\n" LS
	  "6 Jun 12 04:42 nb-2-big-Data.db\n",
	  "-/-@0: nb-2-big 6 6 - toc;", NULL },
	{ "listed again, by its first file",
	  LS "5 Jun 12 04:41 nb-1-big-Data.db\n" LS "5 Jun 12 04:41 nb-2-big-Data.db\n" LS
	     "7 Jun 12 04:42 nb-1-big-Data.db\n",
	  "-/-@0: nb-1-big 7 7 - toc;", NULL },
	{ "a file twice in one block",
	  LS "4 Jun 12 04:41 nb-3-big-Data.db\n" LS "5 Jun 12 04:41 nb-1-big-Data.db\n" LS
	     "7 Jun 12 04:42 nb-1-big-Data.db\n",
	  "-/-@0 partial: nb-3-big 4 4 - toc;", "3: nb-1-big: a file is listed twice" },
	{ "find -printf, path and size", "./nb-1-big-Data.db 5\n./nb-1-big-TOC.txt 7\n",
	  "-/-@0: nb-1-big 12 5 - toc;", NULL },
	{ "find -printf, with tabs and time", "nb-1-big-Data.db\t5\t1796065326.4225291180\n",
	  "-/-@0: nb-1-big 5 5 1796065326 toc;", NULL },
	{ "stat, size first", "5 /d/ks/t-" ID "/nb-1-big-Data.db\n",
	  "ks/t-" ID "@0: nb-1-big 5 5 - toc;", NULL },
	{ "du: any unit", "5\tnb-1-big-Data.db\n", "-/-@0 names: nb-1-big 0 - - toc;", NULL },
	{ "names, in columns",
	  "backups  nb-1-big-Data.db  nb-1-big-TOC.txt\n"
	  "manifest.json  nb-2-big-Data.db  nb-2-big-TOC.txt  snapshots\n",
	  "-/-@0 names: nb-1-big 0 - - toc; nb-2-big 0 - - toc;", NULL },
	{ "words that hold a name are no names",
	  "compacting nb-1-big-Data.db now\n" LS "5 Jun 12 04:41 nb-2-big-Data.db\n",
	  "-/-@0: nb-2-big 5 5 - toc;", NULL },
	{ "the tail of a loop over sstablemetadata",
	  "Max: 05/20/2018 Min: 05/19/2018 Estimated "
	  "droppable tombstones: 0.0 \t 164M May 20 08:40 mc-1-big-Data.db\n",
	  "-/-@0 rounded: mc-1-big 171966464 171966464 - toc;", NULL },
	{ "no line end, a whole name", LS "5 Jun 12 04:41 nb-1-big-Data.db",
	  "-/-@0: nb-1-big 5 5 - toc;", NULL },
	{ "cut in a name", LS "5 Jun 12 04:41 nb-1-big-Data.db\n" LS "6 Jun 12 04:41 nb-1-big-Ind",
	  "-/-@0 partial:", "2: nb-1-big: the listing is cut off here" },
	{ "cut in a row", LS "5 Jun 12 04:41 nb-1-big-Data.db\n-rw-r--r-- 1 cas",
	  "-/-@0 partial:", "the listing is cut off" },
	{ "cut in a size", "nb-1-big-Data.db 5\nnb-2-big-Data.db 6",
	  "-/-@0 partial:", "the listing is cut off" },
	{ "no SSTable in the directory", "/d/ks/t-" ID ":\ntotal 0\n", "ks/t-" ID "@0:", NULL },
};

static void test_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		struct parse_case c;
		const char *got;

		case_run(&c, parse_file_listing, made[i].text);
		got = describe(&c);
		if (!c.ok || strcmp(got, made[i].expected) != 0)
			fail_msg("%s: %s (%s)", made[i].name, got, err_text(c.arena, &c.err));
		if (!made[i].err != (c.err.kind == ERR_NONE) ||
		    (made[i].err && !strstr(err_text(c.arena, &c.err), made[i].err)))
			fail_msg("%s: %s", made[i].name, err_text(c.arena, &c.err));
		case_close(&c);
	}
}

static void test_refused(void **state)
{
	static const struct { const char *name, *text, *err;
	} cases[] = {
		{ "empty", "", "empty, no file of an SSTable in it" },
		{ "a message", "ls: cannot access '/d': No such file or directory\n",
		  "no file of an SSTable in it" },
		{ "an empty directory of nothing known", "total 0\n", "no file of an SSTable" },
		{ "other files", LS "5 Jun 12 04:41 notes.txt\n", "no file of an SSTable in it" },
		{ "a loop's dates",
		  "Max: 05/20/2018 08:39:54 Min: **05/19/2018** 08:51:54 Estimated "
		  "droppabl",
		  "dates of a loop, without names and without a time zone" },
		{ "a snapshot alone",
		  "/d/ks/t-" ID "/snapshots/a:\n" LS "5 Jun 12 04:41 nb-9-big-Data.db\n",
		  "no file of an SSTable in it" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct parse_case c;

		case_run(&c, parse_file_listing, cases[i].text);
		if (c.ok || c.node.listings.n || !strstr(err_text(c.arena, &c.err), cases[i].err))
			fail_msg("%s: %s", cases[i].name, err_text(c.arena, &c.err));
		case_close(&c);
	}
}

/* What the text itself does not tell comes from the evidence. */
static void test_attributes(void **state)
{
	struct evidence ev = { .path = "ls.txt", .keyspace = "ks", .directory = "t-" ID, .disk = 2,
			       .out = SLICE(LS "5 Jun 12 04:41 nb-1-big-Data.db\n") };
	struct parse_case c;

	(void)state;
	case_open(&c);
	assert_true(parse_file_listing(c.arena, &ev, &c.node, &c.err));
	assert_string_equal(describe(&c), "ks/t-" ID "@2: nb-1-big 5 5 - toc;");
	case_close(&c);
}

/* ---- cut texts ---- */

static const struct listed_sstable *find(const struct parse_case *c, const struct listing *l,
					 const char *name)
{
	for (size_t i = 0; i < c->node.listings.n; i++) {
		const struct listing *own = c->node.listings.v[i];

		if (!same_text(own->keyspace, l->keyspace) ||
		    !same_text(own->directory, l->directory))
			continue;
		for (size_t k = 0; k < own->sstables.n; k++)
			if (strcmp(own->sstables.v[k].name, name) == 0)
				return &own->sstables.v[k];
	}
	return NULL;
}

/* Sizes of an SSTable whose TOC.txt, its last file, is there; the time of its data. */
static void compare(const struct parse_case *part, const struct parse_case *whole,
		    const char *where)
{
	for (size_t i = 0; i < part->node.listings.n; i++) {
		const struct listing *l = part->node.listings.v[i];

		for (size_t k = 0; k < l->sstables.n; k++) {
			const struct listed_sstable *p = &l->sstables.v[k];
			const struct listed_sstable *w = find(whole, l, p->name);

			if (!w)
				fail_msg("%s: %s is not in the whole text", where, p->name);
			prefix_number(where, p->name, "Data.db", p->data_bytes, w->data_bytes);
			prefix_number(where, p->name, "time", p->mtime_s, w->mtime_s);
			if (p->has_toc && w->has_toc && p->bytes > w->bytes)
				fail_msg("%s: %s has %lld bytes, not %lld", where, p->name,
					 (long long)p->bytes, (long long)w->bytes);
		}
	}
}

static void test_starts(void **state)
{
	(void)state;
	case_prefixes(parse_file_listing, "listing/5.0.6-find-printf-sessions.txt", compare);
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		struct slice text = slice_of(made[i].text);
		struct parse_case whole, part;

		if (strstr(made[i].name, "again") || strstr(made[i].name, "twice"))
			continue;	/* the last block counts: a cut one is another text */
		case_run(&whole, parse_file_listing, made[i].text);
		for (size_t n = 0; n < text.n; n++) {
			char where[128];

			snprintf(where, sizeof(where), "%s cut at byte %zu", made[i].name, n);
			case_open(&part);
			case_parse(&part, parse_file_listing, "text", (struct slice){ text.p, n });
			if (!part.ok && part.err.kind == ERR_NONE)
				fail_msg("%s: no result and no error", where);
			if (whole.err.kind == ERR_NONE)
				compare(&part, &whole, where);
			case_close(&part);
		}
		case_close(&whole);
	}
}

/* ---- what this machine's own tools print ---- */

static struct slice output_of(struct arena *a, const char *dir, const char *command)
{
	FILE *f = popen(arena_printf(a, "cd '%s' && %s 2>&1", dir, command), "r");
	char *text = arena_alloc(a, 65536);
	size_t n = f ? fread(text, 1, 65536, f) : 0;

	return f && pclose(f) == 0 ? (struct slice){ text, n } : (struct slice){ NULL, 0 };
}

static void make_file(struct arena *a, const char *dir, const char *name, size_t size)
{
	FILE *f = fopen(arena_printf(a, "%s/%s", dir, name), "wb");

	assert_non_null(f);
	for (size_t i = 0; i < size; i++)
		fputc('x', f);
	assert_int_equal(fclose(f), 0);
}

static const struct { const char *command; bool rounded, names; } tools[] = {
	{ "ls -l", false, false }, { "ls -la", false, false }, { "ls -ltr", false, false },
	{ "LC_ALL=de_DE.UTF-8 ls -l", false, false }, { "ls -lh", true, false },
	{ "ls -n", false, false }, { "ls -l $PWD/*", false, false }, { "ls -lR", false, false },
	{ "ls -lis", false, false }, { "ls -lF", false, false },
	{ "ls -l --full-time", false, false }, { "ls -l --time-style=long-iso", false, false },
	{ "ls -l --time-style=iso", false, false }, { "ls -l --time-style=+%s", false, false },
	{ "ls -lQ", false, false }, { "ls -lZ", false, false }, { "ls -go", false, false },
	{ "ls -lT", false, false }, { "busybox ls -l", false, false },
	{ "busybox ls -le", false, false }, { "find . -ls", false, false },
	{ "find . -type f -printf '%p %s\\n'", false, false },
	{ "find . -type f -printf '%s %p\\n'", false, false },
	{ "find . -type f -printf '%f\\t%s\\t%T@\\n'", false, false },
	{ "stat -c '%n %s %Y' *.db *.txt", false, false }, { "ls", false, true },
	{ "ls -C", false, true }, { "ls -x", false, true }, { "ls -Q", false, true },
	{ "ls -d $PWD/*", false, true },
};

static void check_tool(const char *dir, size_t i)
{
	struct parse_case c;
	const struct listing *l;
	struct slice text;

	case_open(&c);
	text = output_of(c.arena, dir, tools[i].command);
	if (!text.n) {
		print_message("%s is not here\n", tools[i].command);
		case_close(&c);
		return;
	}
	case_parse(&c, parse_file_listing, "text", text);
	if (!c.ok || c.err.kind != ERR_NONE || c.node.listings.n != 1)
		fail_msg("%s: %s", tools[i].command, err_text(c.arena, &c.err));
	l = c.node.listings.v[0];
	if (l->sstables.n != 2 || l->names_only != tools[i].names ||
	    l->rounded != tools[i].rounded || !l->sstables.v[0].has_toc)
		fail_msg("%s: %s", tools[i].command, describe(&c));
	if (!tools[i].names && !tools[i].rounded && (l->sstables.v[0].bytes != 20123 + 92 ||
						     l->sstables.v[1].data_bytes.v != 123))
		fail_msg("%s: %s", tools[i].command, describe(&c));
	case_close(&c);
}

static void test_own_tools(void **state)
{
	static const char *const files[] = {
		"nb-1-big-Data.db", "nb-1-big-TOC.txt", "nb-2-big-Data.db", "nb-2-big-TOC.txt",
	};
	static const size_t sizes[] = { 20123, 92, 123, 93 };
	char dir[] = "listing-XXXXXX";
	struct arena *a = arena_create();

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		make_file(a, dir, files[i], sizes[i]);
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		check_tool(dir, i);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		unlink(arena_printf(a, "%s/%s", dir, files[i]));
	assert_int_equal(rmdir(dir), 0);
	arena_destroy(a);
}

/* ---- recordings, shared cases ---- */

static void test_recording(void **state)
{
	struct parse_case c;
	const struct listing *l;

	(void)state;
	case_open(&c);
	case_parse(&c, parse_file_listing, "text",
		   case_fixture(c.arena, "listing/5.0.6-find-printf-sessions.txt"));
	assert_true(c.ok && c.err.kind == ERR_NONE);
	l = c.node.listings.v[0];
	assert_string_equal(l->sstables.v[0].name, "nb-192-big");
	assert_int_equal(l->sstables.v[0].data_bytes.v, 1397);
	assert_int_equal(l->sstables.v[0].mtime_s.v, 1796065326);
	assert_int_equal(l->sstables.v[0].bytes, 7478);
	case_close(&c);
}

/* "bytes" is Data.db's. "bytes_about": within the rounding. */
static void check_fact(void *ctx, const struct shared_fact *f)
{
	struct parse_case c;
	const char *path;
	size_t count = 0;

	case_open(&c);
	path = shared_path(c.arena, arena_printf(c.arena, "cases/%s/listing.txt", f->folder));
	if (!path || strcmp(f->kind, "listing") != 0) {
		case_close(&c);
		return;
	}
	case_parse(&c, parse_file_listing, path, case_read(c.arena, path));
	for (size_t i = 0; i < c.node.listings.n; i++) {
		count += c.node.listings.v[i]->sstables.n;
		for (size_t k = 0; k < c.node.listings.v[i]->sstables.n; k++) {
			const struct listed_sstable *s = &c.node.listings.v[i]->sstables.v[k];

			if (strcmp(s->name, f->object) != 0)
				continue;
			assert_int_equal(s->data_bytes.v, strtoll(f->value, NULL, 10));
			++*(size_t *)ctx;
		}
	}
	if (strcmp(f->field, "count") == 0) {
		assert_int_equal(count, strtoll(f->value, NULL, 10));
		++*(size_t *)ctx;
	}
	case_close(&c);
}

static void test_shared_facts(void **state)
{
	struct arena *a = arena_create();
	size_t n = 0;
	bool here = shared_facts(a, check_fact, &n);

	(void)state;
	arena_destroy(a);
	if (!here) {
		print_message("the shared cases are not here\n");
		skip();
	}
	assert_true(n >= 3);
}

/* ---- in the model ---- */

static void add_listing(struct node *n, const char *path, const char *text)
{
	struct evidence ev = { .path = path, .out = slice_of(text) };
	struct err err = { 0 };

	assert_true(parse_file_listing(n->cluster->arena, &ev, n, &err));
}

static const struct table *assemble(struct cluster *c)
{
	cluster_assemble(c, &(struct assemble_options){ .now_s = some_i64(1796061721) });
	assert_int_equal(c->nodes.v[0]->n_tables, 1);
	return c->nodes.v[0]->tables[0];
}

/* A directory without an id is the one with an id, when there is only one. */
static void test_one_directory(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);
	struct node *n = cluster_node(c, "n");
	struct evidence ev = { .path = "m.txt", .keyspace = "ks", .table = "t", .out =
		SLICE("SSTable: nb-1-big\nPartitioner: x\nMinimum timestamp: 5\n"
		      "Maximum timestamp: 6\nSSTable max local deletion time: 7\n"
		      "Repaired at: 0\nPending repair: --\ntotalRows: 1\n") };
	struct err err = { 0 };
	const struct table *t;

	(void)state;
	assert_true(parse_sstablemetadata(a, &ev, n, &err));
	add_listing(n, "ls.txt", LS "5 Jun 12 04:41 /d/ks/t-" ID "/nb-1-big-Data.db\n");
	t = assemble(c);
	assert_int_equal(t->n_sstables, 1);
	assert_true(t->sstables[0]->listed && t->sstables[0]->meta->min_ts.known);
	assert_int_equal(t->sstables[0]->bytes.v, 5);
	assert_string_equal(t->sstables[0]->version, "nb");
	arena_destroy(a);
}

/* One directory listed several times: sizes win over names, exact ones over rounded ones. */
static void test_best_listing(void **state)
{
	static const char names[] = "/d/ks/t-" ID "/nb-1-big-Data.db\n/d/ks/t-" ID
		"/nb-2-big-Data.db\n";
	static const char rounded[] = LS "5.0K Jun 12 04:41 /d/ks/t-" ID "/nb-1-big-Data.db\n";
	static const char exact[] = LS "5123 Jun 12 04:41 /d/ks/t-" ID "/nb-1-big-Data.db\n";
	static const struct {
		const char *text[3];
		size_t n;
		int64_t bytes;
		size_t notes;
	} cases[] = {
		{ { names, rounded, exact }, 1, 5123, 1 },
		{ { exact, names, rounded }, 1, 5123, 1 },
		{ { rounded, names, names }, 1, 5120, 1 },
		{ { names, names, names }, 2, -1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct cluster *c = cluster_create(a);
		struct node *n = cluster_node(c, "n");
		const struct table *t;

		for (size_t k = 0; k < 3; k++)
			add_listing(n, arena_printf(a, "ls-%zu.txt", k), cases[i].text[k]);
		t = assemble(c);
		if (t->n_sstables != cases[i].n || t->bytes_known != (cases[i].bytes >= 0) ||
		    (t->bytes_known && t->bytes != cases[i].bytes))
			fail_msg("case %zu: %zu SSTables, %lld bytes", i, t->n_sstables,
				 (long long)t->bytes);
		if (c->notes.n != cases[i].notes)
			fail_msg("case %zu: %zu notes", i, c->notes.n);
		arena_destroy(a);
	}
}

static void test_old_versions(void **state)
{
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);
	const struct table *t;

	(void)state;
	add_listing(cluster_node(c, "n"), "ls.txt",
		    LS "5 Aug 13 09:51 /d/ks/t/ks-t-ka-22-Data.db\n");
	t = assemble(c);
	assert_string_equal(t->full_name, "ks.t");
	assert_string_equal(t->sstables[0]->version, "ka");
	assert_null(t->sstables[0]->format);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_starts),
		cmocka_unit_test(test_own_tools),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_shared_facts),
		cmocka_unit_test(test_one_directory),
		cmocka_unit_test(test_best_listing),
		cmocka_unit_test(test_old_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
