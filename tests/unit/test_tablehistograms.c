/* parse_tablehistograms: both orders of columns, what stands for nothing, cut rows, many tables. */
#include "parse_case.h"

#include <glob.h>

#include "base/buf.h"

static void put_bucket(struct buf *b, struct opt_i64 v, bool overflow)
{
	if (overflow)
		buf_str(b, ":over");
	else if (v.known)
		buf_printf(b, ":%lld", (long long)v.v);
	else
		buf_str(b, ":-");
}

/* "ks.t p50=SSTables:size:cells …"; rows of which nothing is known are not in it. */
static void put_table(struct buf *b, const struct table_histograms *h)
{
	static const char *const names[RANKS] = { "50", "75", "95", "98", "99", "min", "max" };

	buf_printf(b, "%s%s%s", h->keyspace ? h->keyspace : "", h->keyspace ? "." : "", h->name);
	for (size_t i = 0; i < RANKS; i++) {
		const struct histogram_row *r = &h->rows[i];

		if (!r->sstables.known && !r->size_bytes.known && !r->cells.known &&
		    !r->size_overflow && !r->cells_overflow)
			continue;
		buf_printf(b, " %s=", names[i]);
		if (r->sstables.known)
			buf_printf(b, "%.10g", r->sstables.v);
		else
			buf_str(b, "-");
		put_bucket(b, r->size_bytes, r->size_overflow);
		put_bucket(b, r->cells, r->cells_overflow);
	}
	buf_str(b, h->no_sstables ? " none; " : "; ");
}

static const char *result(struct parse_case *c)
{
	struct buf b;
	const char *text;

	buf_init(&b, 1 << 20);
	buf_str(&b, c->ok ? "" : "FAILED ");
	for (size_t i = 0; i < c->node.histograms.n; i++)
		put_table(&b, c->node.histograms.v[i]);
	if (c->err.kind != ERR_NONE)
		buf_printf(&b, "! %u %s", c->err.line, c->err.text);
	text = arena_copy(c->arena, (struct slice){ b.p, b.n });
	buf_free(&b);
	return text;
}

#define TITLE "m/a histograms\n"
#define OLD_HEAD "Percentile  SSTables     Write Latency      Read Latency    Partition Size     " \
	"   Cell Count\n"
#define NEW_HEAD "Percentile      Read Latency     Write Latency          SSTables    Partition " \
	"Size        Cell Count\n"
#define UNITS "                              (micros)          (micros)           (bytes)        " \
	"          \n"
#define ROWS(a, b, c, d) \
	"50% " a " " b " " c " 10 1\n75% " a " " b " " c " 20 2\n95% " a " " b " " c " 30 3\n" \
	"98% " a " " b " " c " 40 4\n99% " a " " b " " c " 50 5\nMin " a " " b " " c " 1 0\n" \
	"Max " a " " b " " c " " d " 6\n\n"
#define READ_AS(s) \
	"50=" s ":10:1 75=" s ":20:2 95=" s ":30:3 98=" s ":40:4 99=" s ":50:5 min=" s ":1:0 " \
	"max=" s ":60:6; "
#define ALL_NAN "50% 0.00 0 0 NaN NaN\n75% 0.00 0 0 NaN NaN\n95% 0.00 0 0 NaN NaN\n" \
	"98% 0.00 0 0 NaN NaN\n99% 0.00 0 0 NaN NaN\nMin 0.00 0 0 NaN NaN\nMax 0.00 0 0 NaN NaN\n\n"
#define NOTHING "50=0:-:- 75=0:-:- 95=0:-:- 98=0:-:- 99=0:-:- min=0:-:- max=0:-:- none; "
#define NOTICE "No SSTables exists, unable to calculate 'Partition Size' and 'Cell Count' " \
	"percentiles\n"
#define NOT_ALL(line, name) "! " line " not all rows of the histograms of '" name "' are there"

static const struct {
	const char *name, *input, *expected;
} cases[] = {
	{ "3.x and ScyllaDB", TITLE OLD_HEAD UNITS ROWS("7.00", "1.5", "2.5", "60"), "m.a "
	  READ_AS("7") },
	{ "4.0 and later", TITLE NEW_HEAD UNITS ROWS("1.5", "2.5", "7.00", "60"), "m.a "
	  READ_AS("7") },
	{ "SSTables between the latencies",
	  TITLE "Percentile Write Latency SSTables Read Latency Partition Size Cell Count\n"
	  ROWS("1.5", "7.00", "2.5", "60"), "m.a " READ_AS("7") },
	{ "decimal commas", TITLE OLD_HEAD ROWS("7,00", "1,5", "2,5", "60"), "m.a " READ_AS("7") },
	{ "thousands", TITLE OLD_HEAD "Max 1,469,901.75 0.00 2,202.00 4,966,933,177 75,974\n",
	  "m.a max=1469901.75:4966933177:75974; " NOT_ALL("1", "a") },
	{ "a comma that can be both", TITLE OLD_HEAD "Max 1,469 0.00 2202.00 10 1\n",
	  "m.a; ! 3 this row has something that is no number: 'Max 1,469 0.00 2202.00 10 1'" },
	{ "fractions of percentages", TITLE OLD_HEAD "50.0% 1 0 0 10 1\n99.9% 1 0 0 20 2\n",
	  "m.a 50=1:10:1; " NOT_ALL("1", "a") },
	{ "nothing was flushed (4.0)", NOTICE TITLE NEW_HEAD ALL_NAN, "m.a " NOTHING },
	{ "nothing was flushed, said on standard error (3.x)", TITLE OLD_HEAD ALL_NAN, "m.a "
	  NOTHING },
	{ "a notice is for the next table only", NOTICE TITLE OLD_HEAD ALL_NAN "m/b histograms\n"
	  OLD_HEAD
	  ROWS("7.00", "1.5", "2.5", "60"), "m.a " NOTHING "m.b " READ_AS("7") },
	{ "nothing on ScyllaDB", TITLE OLD_HEAD "50% 0 0 0 0 0\n75% 0 0 0 0 0\n95% 0 0 0 0 0\n98% "
	  "0 0 0 0 0\n"
	  "99% 0 0 0 0 0\nMin 0 0 0 0 0\nMax 0 0 0 0 0\n",
	  "m.a 50=0:0:0 75=0:0:0 95=0:0:0 98=0:0:0 99=0:0:0 min=0:0:0 max=0:0:0; " },
	{ "above the last bucket (Java)", "Row sizes are larger than 1414838745986, unable to "
	  "calculate "
	  "percentiles\n" TITLE OLD_HEAD "50% 1 0 0 NaN 1\n75% 1 0 0 NaN 1\n95% 1 0 0 NaN 1\n98% 1 "
	  "0 0 NaN 1\n"
	  "99% 1 0 0 NaN 1\nMin 1 0 0 1 1\nMax 1 0 0 9223372036854776000 1\n",
	  "m.a 50=1:-:1 75=1:-:1 95=1:-:1 98=1:-:1 99=1:-:1 min=1:1:1 max=1:over:1; " },
	{ "above the last bucket (ScyllaDB)", TITLE OLD_HEAD
	  "Max 1 0 0 9223372036854775807 9223372036854775807\n",
	  "m.a max=1:over:over; " NOT_ALL("1", "a") },
	{ "absurd numbers are kept", TITLE OLD_HEAD "Max 9799345.00 0 0 99999999999999 -3\n",
	  "m.a max=9799345:99999999999999:-3; " NOT_ALL("1", "a") },
	{ "an index", "m/a.i histograms\n" OLD_HEAD ROWS("7.00", "1.5", "2.5", "60"), "m.a.i "
	  READ_AS("7") },
	{ "no title", OLD_HEAD UNITS ROWS("7.00", "1.5", "2.5", "60"), "- " READ_AS("7") },
	{ "indented rows", TITLE OLD_HEAD "    50%  1.00 0 0 10 1\n", "m.a 50=1:10:1; " NOT_ALL("1",
	  "a") },
	{ "no heading", TITLE ROWS("7.00", "1.5", "2.5", "60"), "m.a " READ_AS("-") },
	{ "rows alone", "Max 1 2 3 10 1\n", "- max=-:10:1; " NOT_ALL("1", "-") },
	{ "a cut heading", TITLE "Percentile  SSTables     Write Lat\nMax 1 2 3 10 1\n",
	  "m.a max=-:10:1; ! 2 this heading has not all columns of the histograms: "
	  "'Percentile  SSTables     Write Lat'" },
	{ "the last of two outputs counts", TITLE OLD_HEAD ROWS("9.00", "1.5", "2.5",
	  "99") TITLE OLD_HEAD
	  ROWS("7.00", "1.5", "2.5", "60"), "m.a " READ_AS("7") },
	{ "two without titles", OLD_HEAD "Max 1 2 3 10 1\n" OLD_HEAD "Max 1 2 3 20 2\n",
	  "- max=1:20:2; " NOT_ALL("1", "-") },
	{ "a row that is cut", TITLE OLD_HEAD "50% 1.00 0 9.00 100 7\n98%\n",
	  "m.a 50=1:100:7; ! 4 this row is cut: '98%'" },
	{ "a row without its last number", TITLE OLD_HEAD "50%  0.00 12.00 0.00 446\n",
	  "m.a; ! 3 this row is cut: '50%  0.00 12.00 0.00 446'" },
	{ "the text ends in the last number", TITLE OLD_HEAD "50%  1.00 12.00 0.00 446 1",
	  "m.a 50=1:446:-; ! 3 the text ends inside a row" },
	{ "the text ends in a size", TITLE OLD_HEAD "50%  1.00 12.00 0.00 44",
	  "m.a; ! 3 the text ends inside a row" },
	{ "a title and no more", TITLE, "m.a; " NOT_ALL("1", "a") },
	{ "two outputs side by side", TITLE OLD_HEAD "50% 1 0 0 10 1 50% 1 0 0 20 2\n",
	  "m.a; ! 3 this row has too many numbers: '50% 1 0 0 10 1 50% 1 0 0 20 2'" },
	{ "a word for a number", TITLE OLD_HEAD "50% 1 x 0 10 1\n",
	  "m.a; ! 3 this row has something that is no number: '50% 1 x 0 10 1'" },
	{ "carriage returns", "m/a histograms\r\nPercentile  SSTables     Write Latency      Read "
	  "Latency    "
	  "Partition Size        Cell Count\r\nMax 1 2 3 10 1\r\n", "m.a max=1:10:1; " NOT_ALL("1",
	  "a") },
	{ "counts by offset (1.x)", TITLE "Offset      SSTables     Write Latency      Read "
	  "Latency          "
	  "Row Size      Column Count\n1              10                 0                 0\n",
	  "FAILED ! 2 histograms as counts by offset, as 1.x and 2.0 print them, are not read" },
	{ "lists of counts (2.0)", TITLE "\nSSTables per Read\n     1 sstables: 84\n\nWrite "
	  "Latency "
	  "(microseconds)\nNo Data\n",
	  "FAILED ! 3 histograms as counts by offset, as 1.x and 2.0 print them, are not read" },
	{ "empty", "", "FAILED ! 0 empty, no histograms of a table in it" },
	{ "usage error", "nodetool: cfhistograms requires ks and cf args\nSee 'nodetool help'.\n",
	  "FAILED ! 1 an error message: nodetool: cfhistograms requires ks and cf args" },
	{ "another document", "pending tasks: 0\n", "FAILED ! 0 no histograms of a table in it" },
};

static void test_cases(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		case_run(&c, parse_tablehistograms, cases[i].input);
		if (strcmp(result(&c), cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s",
			cases[i].name, result(&c), cases[i].expected);
		case_close(&c);
	}
}

/* What the text does not name, the evidence may; a title in the text is the better word. */
static void test_name_of_evidence(void **state)
{
	static const char text[] = OLD_HEAD "Max 1 2 3 10 1\n", titled[] = TITLE OLD_HEAD "Max 1 2 "
	"3 10 1\n";
	struct evidence ev = { .node = "node", .path = "text", .keyspace = "k", .table = "t",
			       .out = SLICE(text) };
	struct parse_case c;

	(void)state;
	case_open(&c);
	assert_true(parse_tablehistograms(c.arena, &ev, &c.node, &c.err));
	ev.out = SLICE(titled);
	assert_true(parse_tablehistograms(c.arena, &ev, &c.node, &c.err));
	assert_int_equal(c.node.histograms.n, 2);
	assert_string_equal(c.node.histograms.v[0]->keyspace, "k");
	assert_string_equal(c.node.histograms.v[0]->name, "t");
	assert_string_equal(c.node.histograms.v[1]->keyspace, "m");
	assert_string_equal(c.node.histograms.v[1]->name, "a");
	case_close(&c);
}

static const struct {
	const char *file;
	const char *expected;
} files[] = {
	{ "3.11.19-tablehistograms.txt",
	  "metrics.readings_late 50=1:215:10 75=1:215:10 95=1:215:10 98=2:215:10 99=2:215:10 "
	  "min=1:51:2 max=2:215:10; " },
	{ "3.11.19-tablehistograms-empty.txt", "metrics.readings_empty " NOTHING },
	{ "3.11.19-tablehistograms-index.txt",
	  "MetricsEU.Readings_Raw.Unit_Idx 50=0:215:1 75=0:642:1 95=0:642:1 98=0:642:1 99=0:642:1 "
	  "min=0:180:0 max=0:642:1; " },
	{ "4.1.9-tablehistograms.txt",
	  "metrics.readings_big 50=0:72:2 75=0:72:2 95=0:72:2 98=0:72:2 99=0:72:2 min=0:61:2 "
	  "max=0:36157190:152321; " },
	{ "5.0.6-tablehistograms-empty.txt", "metrics.readings_empty " NOTHING },
	{ "5.0.6-tablehistograms-many.txt",
	  "metrics.readings_many 50=1:215:10 75=1:215:10 95=6:215:10 98=12:215:10 99=12:215:10 "
	  "min=1:104:6 max=12:215:10; metrics.readings_empty " NOTHING
	  "metrics.readings_mixed_ttl 50=0:215:10 75=0:215:10 95=0:215:10 98=0:215:10 99=0:215:10 "
	  "min=0:180:9 max=0:215:10; " },
	{ "5.0.6-tablehistograms-usage.txt",
	  "FAILED ! 1 an error message: nodetool: tablehistograms requires keyspace and table name "
	  "arguments" },
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct parse_case c;

		case_open(&c);
		case_parse(&c, parse_tablehistograms, files[i].file,
			   case_fixture(c.arena, arena_printf(c.arena, "nodetool/%s",
			   files[i].file)));
		if (strcmp(result(&c), files[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s",
			files[i].file, result(&c), files[i].expected);
		case_close(&c);
	}
}

static void same_row(const struct histogram_row *part, const struct histogram_row *whole,
		     const char *where)
{
	if ((part->sstables.known && part->sstables.v != whole->sstables.v) ||
	    (part->size_bytes.known && part->size_bytes.v != whole->size_bytes.v) ||
	    (part->cells.known && part->cells.v != whole->cells.v) ||
	    (part->size_overflow && !whole->size_overflow) ||
	    (part->cells_overflow && !whole->cells_overflow))
		fail_msg("%s: another value", where);
}

static void compare_prefix(const struct parse_case *part, const struct parse_case *whole,
			   const char *where)
{
	size_t n = part->node.histograms.n;

	if (n > whole->node.histograms.n)
		fail_msg("%s: more tables", where);
	for (size_t i = 0; i < n; i++) {
		const struct table_histograms *p = part->node.histograms.v[i];
		const struct table_histograms *w = whole->node.histograms.v[i];

		if (strcmp(p->name, w->name) != 0 || strcmp(p->keyspace, w->keyspace) != 0 ||
		    (p->no_sstables && !w->no_sstables))
			fail_msg("%s: another table", where);
		for (size_t k = 0; k < RANKS; k++) {
			same_row(&p->rows[k], &w->rows[k], where);
			if (part->ok && part->err.kind == ERR_NONE && w->rows[k].cells.known &&
			    !p->rows[k].cells.known)
				fail_msg("%s: a row is missing and it is no error", where);
		}
	}
}

static void test_prefixes(void **state)
{
	static const char *const names[] = {
		"nodetool/3.11.19-tablehistograms.txt", "nodetool/4.1.9-tablehistograms.txt",
		"nodetool/5.0.6-tablehistograms-many.txt",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		case_prefixes(parse_tablehistograms, names[i], compare_prefix);
}

/* ---- recordings and cases that do not come with the source ---- */

/* A row as sscanf sees it: sizes and cells are the last two numbers. */
static void compare_rows(struct parse_case *c, struct slice text, const char *path)
{
	static const char *const ranks[RANKS] = { "50%", "75%", "95%", "98%", "99%", "Min", "Max" };
	const struct table_histograms *h = c->node.histograms.v[c->node.histograms.n - 1];
	struct lines it = lines_of(text);
	struct slice line;

	while (lines_next(&it, &line))
		for (size_t i = 0; i < RANKS; i++) {
			const char *s = arena_copy(c->arena, line);
			double size, cells;

			if (strncmp(s, ranks[i], 3) != 0)
				continue;
			assert_int_equal(sscanf(s, "%*s %*f %*f %*f %lf %lf", &size, &cells), 2);
			if ((size == size) != h->rows[i].size_bytes.known ||
			    (size == size && (size != h->rows[i].size_bytes.v ||
					      cells != h->rows[i].cells.v)))
				fail_msg("%s: %s", path, ranks[i]);
		}
}

static unsigned parse_recording(const char *path)
{
	struct parse_case c;
	struct slice text;
	bool errors = strstr(path, "/errors/") != NULL, all = strstr(path, "-all") != NULL;
	unsigned n = 0;

	if (!errors && strstr(path, ".stderr.txt"))
		return 0;	/* 3.x prints its notice there */
	case_open(&c);
	text = case_read(c.arena, path);
	case_parse(&c, parse_tablehistograms, path, text);
	errors = errors || slice_starts(text, SLICE("nodetool: "));
	if (errors ? c.ok || c.err.kind == ERR_NONE : !c.ok || c.err.kind != ERR_NONE)
		fail_msg("%s: %s", path, result(&c));
	if (errors && text.n && c.err.kind != ERR_REMOTE && c.err.kind != ERR_CONNECT)
		fail_msg("%s: no error message was found in it", path);
	if (!errors && !all) {
		assert_int_equal(c.node.histograms.n, 1);
		compare_rows(&c, text, path);
	}
	n = (unsigned)c.node.histograms.n;
	case_close(&c);
	return n;
}

static unsigned glob_recordings(const char *pattern, unsigned (*visit)(const char *))
{
	char full[4096];
	unsigned n = 0;
	glob_t found;

	snprintf(full, sizeof(full), "%s/%s", case_shared(), pattern);
	if (glob(full, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++)
		n += visit(found.gl_pathv[i]);
	globfree(&found);
	return n;
}

static void test_recordings(void **state)
{
	unsigned n;

	(void)state;
	n = glob_recordings("fixtures/*/tablehistograms*.txt", parse_recording);
	if (!n) {
		print_message("no recordings in %s: skipped\n", case_shared());
		skip();
	}
	n += glob_recordings("fixtures/*/cfhistograms*.txt", parse_recording);
	n += glob_recordings("fixtures/*/after-major/tablehistograms*.txt", parse_recording);
	n += glob_recordings("fixtures/*/nodes/*/tablehistograms/*.txt", parse_recording);
	glob_recordings("fixtures/*/errors/*tablehistograms*", parse_recording);
	print_message("%u tables\n", n);
	assert_true(n > 100);
}

static const struct {
	const char *name, *expected;
} real_cases[] = {
	{ "36-cassandra50-docker-all-three",
	  "shop.basket 50=0:446:20 75=0:29521:20 95=0:1131752:51012 98=0:1131752:51012 "
	  "99=0:1131752:51012 min=0:373:9 max=0:1131752:51012; " },
	{ "40-cassandra21-error-text-instead-of-output",
	  "FAILED ! 1 an error message: nodetool: cfhistograms requires ks and cf args" },
	{ "51-scylla-bogus-partition-size",
	  "ks2.standard1 50=1:4966933177:74975550 75=1:4966933177:74975550 "
	  "95=1:4966933177:74975550; "
	  "! 8 the text ends inside a row" },
	{ "53-cassandra-histograms-nan-notice", "akka.messages_notification " NOTHING },
	{ "54-scylla-sstables-column-absurd",
	  "- 50=0:14237:72 75=0:105778:642 95=1469901.75:219342:1109 98=9799345:315852:1916 "
	  "99=9799345:379022:1916 min=0:771:5 max=9799345:785939:3973; " },
	{ "57-scylla-histogram-healthy",
	  "ks_idx.actions 50=1:152321:2299 75=1:182785:2759 95=1:263210:3973 98=2:379022:5722 "
	  "99=2:454826:6866 min=0:21:0 max=4:2816159:42510; ks_idx.actions_trx_id_index; "
	  "! 17 the text ends inside a row" },
};

static void test_real_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(real_cases); i++) {
		struct parse_case c;
		const char *path;
		struct slice text;

		case_open(&c);
		path = arena_printf(c.arena, "%s/cases/%s/tablehistograms.txt", case_shared(),
				    real_cases[i].name);
		text = case_read(c.arena, path);
		if (!text.p) {
			print_message("%s is not there: skipped\n", path);
			case_close(&c);
			skip();
		}
		case_parse(&c, parse_tablehistograms, path, text);
		if (strcmp(result(&c), real_cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s",
			path, result(&c), real_cases[i].expected);
		case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_name_of_evidence),
		cmocka_unit_test(test_files), cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_recordings), cmocka_unit_test(test_real_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
