/* parse_compactionstats: every layout, odd rows, absurd numbers, cut texts, several runs. */
#include "parse_case.h"

#include <glob.h>

#include "base/buf.h"

static void put_number(struct buf *b, struct opt_i64 v)
{
	if (v.known)
		buf_printf(b, "%lld", (long long)v.v);
	else
		buf_str(b, "?");
}

static void put_task(struct buf *b, const struct compaction_task *t)
{
	buf_printf(b, " [%.8s|%s|%s.%s|", t->id ? t->id : "-", t->type, t->keyspace, t->table);
	put_number(b, t->completed);
	buf_char(b, '/');
	put_number(b, t->total);
	buf_printf(b, " %s", t->unit);
	if (t->progress_percent.known)
		buf_printf(b, " %g%%", t->progress_percent.v);
	buf_char(b, ']');
}

static const char *result(struct parse_case *c)
{
	const struct compaction_stats *s = c->node.compactions;
	struct buf b;
	const char *text;

	buf_init(&b, 1 << 16);
	buf_str(&b, c->ok ? "" : "FAILED ");
	if (s) {
		put_number(&b, s->pending);
		for (size_t i = 0; i < s->tables.n; i++)
			buf_printf(&b, " %s.%s:%lld", s->tables.v[i].keyspace, s->tables.v[i].table,
				   (long long)s->tables.v[i].n);
		for (size_t i = 0; i < s->tasks.n; i++)
			put_task(&b, &s->tasks.v[i]);
		buf_char(&b, ';');
	}
	if (c->err.kind != ERR_NONE)
		buf_printf(&b, " ! %u %s", c->err.line, c->err.text);
	text = arena_copy(c->arena, (struct slice){ b.p, b.n });
	buf_free(&b);
	return text;
}

#define ID "7c2e5d80-0cdb-11f0-9b2f-d974ead2032d"
#define HEAD "id                                   compaction type             keyspace table    " \
	"completed total      unit  progress\n"
#define ROW ID " Compaction                  metrics  readings 672798574 3625542455 bytes 18.56% " \
	" \n"
#define ROW_READ " [7c2e5d80|Compaction|metrics.readings|672798574/3625542455 bytes 18.56%]"
#define LEFT "Active compaction remaining time :   0h00m46s\n"
#define FORM(pending, tables) \
	"concurrent compactors                2           \n" \
	"pending tasks                        " pending "\n" tables \
	"compactions completed                1870        \n" \
	"data compacted                       403         \n" \
	"mean rate                            149.62/hour \n" \
	"compaction throughput (MiB/s)        64.0        \n"
#define BAD_ROW(line, row) " ! " line " this row of a running task is cut or cannot be read: '" \
	row "'"

static const struct {
	const char *name, *input, *expected;
} cases[] = {
	{ "3.0, idle", "pending tasks: 0\n", "0;" },
	{ "3.11, idle", "pending tasks: 0\n\n", "0;" },
	{ "3.0, running", "pending tasks: 1\n" HEAD ROW LEFT, "1" ROW_READ ";" },
	{ "3.11 to 4.1", "pending tasks: 3\n- metrics.readings: 2\n- metrics.latest: 1\n\n" HEAD ROW
	  ID " Anticompaction after repair metrics  latest   1048576   4194304    bytes 25.00%\n"
	  LEFT,
	  "3 metrics.readings:2 metrics.latest:1" ROW_READ
	  " [7c2e5d80|Anticompaction after repair|metrics.latest|1048576/4194304 bytes 25%];" },
	{ "5.0, idle", FORM("0           ", ""), "0;" },
	{ "5.0, pending, keyspaces named like labels", FORM("6           ",
	  "metrics                              readings                    2\n"
	  "pending                              tasks                       3\n"
	  "compactions                          completed                   1\n"),
	  "6 metrics.readings:2 pending.tasks:3 compactions.completed:1;" },
	{ "5.0, running", FORM("1           ", "metrics                              readings "
	  "1\n") HEAD ROW
	  "active compaction remaining time     0h00m46s\n", "1 metrics.readings:1" ROW_READ ";" },
	{ "5.0, no list of compactors", "pending tasks       4  \ncompactions completed 4\n"
	  "compaction throughput (MiB/s) 64.0\n", "4;" },
	{ "6.0", "concurrent compactors 2\npending tasks 0 \ncompactions completed 1\n"
	  "compressed data compacted 40403908014\ncompaction throughput (MiB/s)  64.0\n"
	  "current compaction throughput (1 minute) 12.3 MiB/s\n", "0;" },
	{ "5.0, indented", "   concurrent compactors 2\n   pending tasks 7 \n   compactions "
	  "completed 1\n"
	  "   compaction throughput (MiB/s)  64.0\n", "7;" },
	{ "with -H", "pending tasks: 1\n\n"
	  "id                                   compaction type keyspace table         completed "
	  "total      unit  progress\n"
	  ID " Compaction      metrics  readings_wide 8.78 MiB  34.78 MiB  bytes 25.25%  \n" LEFT,
	  "1 [7c2e5d80|Compaction|metrics.readings_wide|9206497/36469473 bytes 25.25%];" },
	{ "with -V", "pending tasks: 1\n\n"
	  "keyspace table    task id                              completion ratio kind       "
	  "progress sstables total unit  target directory\n"
	  "metrics  readings " ID " 99.97%           Compaction 121      3        122   bytes "
	  "/var/lib/x y/z\n" LEFT,
	  "1 [7c2e5d80|Compaction|metrics.readings|121/122 bytes 99.97%];" },
	{ "with -V, 6.0", "pending tasks: 1\n\n"
	  "keyspace table    task id                              completion ratio kind       "
	  "progress sstables total total compressed unit\n"
	  "metrics  readings " ID " 99.97%           Compaction 121      3        122   60         "
	  "      bytes\n" LEFT,
	  "1 [7c2e5d80|Compaction|metrics.readings|121/122 bytes 99.97%];" },
	{ "no ids, aligned to the right (2.1)", "pending tasks: 5\n"
	  "          compaction type        keyspace           table       completed           "
	  "total      unit  progress\n"
	  "               Compaction       Keyspace1       Standard1       282310680       "
	  "302170540     bytes    93.43%\n"
	  LEFT, "5 [-|Compaction|Keyspace1.Standard1|282310680/302170540 bytes 93.43%];" },
	{ "no id (ScyllaDB)", "pending tasks: 1\n- k.t: 1\n\n"
	  "id     compaction type keyspace table completed total unit progress\n"
	  "<none> COMPACTION      k        t     1         2     keys 50.00%  \n"
	  "n/a    RESHAPE         k        t     30        20    keys 150.00% \n" LEFT,
	  "1 k.t:1 [-|COMPACTION|k.t|1/2 keys 50%] [-|RESHAPE|k.t|30/20 keys 150%];" },
	{ "cells that are empty", "pending tasks: 0\n\n"
	  "id                                   compaction type              keyspace table "
	  "completed total unit               progress\n"
	  ID " Index summary redistribution                1         0     bytes              n/a  "
	  "   \n"
	  ID " Anticompaction after repair  k        t     1         2     token range parts  "
	  "50.00%  \n" LEFT,
	  "0 [7c2e5d80|Index summary redistribution|.|1/0 bytes] "
	  "[7c2e5d80|Anticompaction after repair|k.t|1/2 token range parts 50%];" },
	{ "alignment lost", "pending tasks: 0\n\nid compaction type keyspace table completed total "
	  "unit progress\n"
	  ID " Anticompaction after repair metrics latest 1048576 4194304 token range parts "
	  "25.00%\n"
	  ID "\tCompaction\tmetrics\tlatest\t8.78 MiB\t34.78 MiB\tbytes\t25,25%\n"
	  ID " Key cache save 5 0 keys n/a\n" LEFT,
	  "0 [7c2e5d80|Anticompaction after repair|metrics.latest|1048576/4194304 token range "
	  "parts 25%] "
	  "[7c2e5d80|Compaction|metrics.latest|9206497/36469473 bytes 25.25%] "
	  "[7c2e5d80|Key cache save|.|5/0 keys];" },
	{ "absurd numbers are kept", "pending tasks: -5\n\n" HEAD
	  ID " Compaction                  metrics  readings -672798   3625542455 bytes 18.56%\n"
	  LEFT,
	  "-5 [7c2e5d80|Compaction|metrics.readings|-672798/3625542455 bytes 18.56%];" },
	{ "858255 tasks", "pending tasks: 858255\n- k.t: 858255\n\n", "858255 k.t:858255;" },
	{ "behind the prefix of a log", "dtest: DEBUG: pending tasks: 7\n", "7;" },
	{ "two runs: the last one counts", "pending tasks: 2\n- a.b: 2\n\n" HEAD ROW LEFT "\n"
	  "pending tasks: 0\n\n",
	  "0;" },
	{ "two runs of 5.0", FORM("2           ", "a   b 2\n") HEAD ROW "active compaction "
	  "remaining time 0h\n"
	  FORM("0           ", ""), "0;" },
	{ "two runs of 5.0, the first one cut", FORM("2           ", "a   b 2\n") HEAD ROW FORM("0 "
	  "          ", ""),
	  "0; ! 10 the text ends inside the output" },
	{ "no pending line", HEAD ROW LEFT, "?" ROW_READ "; ! 1 the number of pending tasks is "
	  "missing" },
	{ "no number", "pending tasks: n/a\n", "FAILED  ! 1 this is no number of pending tasks: "
	  "'n/a'" },
	{ "half a number", "pending tasks: 12,34\n", "FAILED  ! 1 this is no number of pending "
	  "tasks: '12,34'" },
	{ "thousands", "pending tasks: 858,255\n", "858255;" },
	{ "a table without its number", "pending tasks: 2\n- a.b: x\n\n",
	  "2; ! 2 this is no number of a table's pending tasks: '- a.b: x'" },
	{ "tables do not add up", "pending tasks: 3\n- a.b: 2\n", "3 a.b:2; ! 2 3 pending tasks, "
	  "but 2 in the list "
	  "of tables: lines are missing" },
	{ "a row that is cut", "pending tasks: 1\n\n"
	  HEAD ROW "c1b106d0-9c3a-11e7-a54d-09e2b6277f36 Compaction "
	  "     keyspace1\n",
	  "1" ROW_READ ";" BAD_ROW("5", "c1b106d0-9c3a-11e7-a54d-09e2b6277f36 Compaction      "
	  "keyspace1") },
	{ "the text ends in a row", "pending tasks: 1\n\n" HEAD ROW ID " Compaction                "
	  "  metrics  readings "
	  "672798574 3625542455 bytes 18.5", "1" ROW_READ "; ! 5 the text ends inside the output" },
	{ "the text ends after a row", "pending tasks: 1\n\n" HEAD ROW,
	  "1" ROW_READ "; ! 4 the text ends inside the output" },
	{ "the text ends in the total", "pending tasks: 1",
	  "FAILED  ! 1 the text ends inside the number of pending tasks" },
	{ "the total is whole, its line is not", "pending tasks: 1 ", "1;" },
	{ "5.0 cut in the list", "concurrent compactors 2\npending tasks 3 \na b 2",
	  "3; ! 3 the text ends inside the output" },
	{ "5.0, lines picked with grep", "pending tasks 3 \ndata compacted 2\n",
	  "3; ! 2 the text ends inside the output" },
	{ "carriage returns", "pending tasks: 1\r\n- a.b: 1\r\n\r\n", "1 a.b:1;" },
	{ "empty", "", "FAILED  ! 0 empty, no compaction statistics in it" },
	{ "usage error", "nodetool: Found unexpected parameters: [-x]\n",
	  "FAILED  ! 1 an error message: nodetool: Found unexpected parameters: [-x]" },
	{ "another document", "Datacenter: dc1\n- a.b: 1\n", "FAILED  ! 0 no compaction statistics "
	  "in it" },
};

static void test_cases(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		case_run(&c, parse_compactionstats, cases[i].input);
		if (strcmp(result(&c), cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s",
			cases[i].name, result(&c), cases[i].expected);
		case_close(&c);
	}
}

#define RUNNING_50(wide, big) \
	"2 metrics.readings_wide:1 metrics.readings_big:1 [5f9c6cc0|Major " \
	"compaction|metrics.readings_wide|" wide \
	"/72976950 bytes " big "/118538329 bytes "

static const struct {
	const char *file, *expected;
} files[] = {
	{ "3.11.19-compactionstats.txt", "0;" },
	{ "3.11.19-compactionstats-running.txt",
	  "2 metrics.readings_wide:1 metrics.readings_big:1 "
	  "[91af23c0|Compaction|metrics.readings_big|127460659/127494716 bytes 99.97%] "
	  "[8e10ee60|Compaction|metrics.readings_wide|32569978/36449100 bytes 89.36%];" },
	{ "4.1.9-compactionstats-running-H.txt",
	  "2 metrics.readings_wide:1 metrics.readings_big:1 "
	  "[b41c5a30|Compaction|metrics.readings_wide|9206497/36469473 bytes 25.25%] "
	  "[b6851cd0|Compaction|metrics.readings_big|6533/127664128 bytes 0.01%];" },
	{ "5.0.6-compactionstats.txt", "0;" },
	{ "5.0.6-compactionstats-running.txt",
	  RUNNING_50("10029439", "13.74%] [62d72560|Major "
	  "compaction|metrics.readings_big|6531") "0.01%];" },
	{ "5.0.6-compactionstats-running-V.txt",
	  RUNNING_50("14568169", "19.96%] [62d72560|Major "
	  "compaction|metrics.readings_big|118507872")
	  "99.97%];" },
	{ "5.0.6-compactionstats-running-HV.txt",
	  "1 metrics.readings_big:1 "
	  "[02187b50|Major compaction|metrics.readings_big|118510060/118541517 bytes 99.97%];" },
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct parse_case c;

		case_open(&c);
		case_parse(&c, parse_compactionstats, files[i].file,
			   case_fixture(c.arena, arena_printf(c.arena, "nodetool/%s",
			   files[i].file)));
		if (strcmp(result(&c), files[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s",
			files[i].file, result(&c), files[i].expected);
		case_close(&c);
	}
}

static bool same_task(const struct compaction_task *p, const struct compaction_task *w)
{
	return strcmp(p->type, w->type) == 0 && strcmp(p->keyspace, w->keyspace) == 0 &&
	       strcmp(p->table, w->table) == 0 && p->completed.v == w->completed.v &&
	       p->total.v == w->total.v && p->progress_percent.v == w->progress_percent.v;
}

/* Where the table of running tasks would begin a text can end without showing it. */
static void compare_prefix(const struct parse_case *part, const struct parse_case *whole,
			   const char *where)
{
	const struct compaction_stats *p = part->node.compactions, *w = whole->node.compactions;

	if (!p)
		return;
	if (p->pending.known && p->pending.v != w->pending.v)
		fail_msg("%s: another number", where);
	if (p->tables.n > w->tables.n || p->tasks.n > w->tasks.n)
		fail_msg("%s: more than there is", where);
	for (size_t i = 0; i < p->tables.n; i++)
		if (strcmp(p->tables.v[i].table, w->tables.v[i].table) != 0 ||
		    p->tables.v[i].n != w->tables.v[i].n)
			fail_msg("%s: another table", where);
	for (size_t i = 0; i < p->tasks.n; i++)
		if (!same_task(&p->tasks.v[i], &w->tasks.v[i]))
			fail_msg("%s: another task", where);
	if (part->err.kind == ERR_NONE &&
	    (!p->pending.known || (p->tables.n && p->tables.n != w->tables.n) ||
	     (p->tasks.n && p->tasks.n != w->tasks.n)))
		fail_msg("%s: something is missing and it is no error", where);
}

static void test_prefixes(void **state)
{
	static const char *const names[] = {
		"nodetool/3.11.19-compactionstats-running.txt",
		"nodetool/4.1.9-compactionstats-running-H.txt",
		"nodetool/5.0.6-compactionstats-running.txt",
		"nodetool/5.0.6-compactionstats-running-HV.txt",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		case_prefixes(parse_compactionstats, names[i], compare_prefix);
}

/* ---- recordings and cases that do not come with the source ---- */

static size_t count_lines(struct slice text, char mark)
{
	struct lines it = lines_of(text);
	struct slice line;
	size_t n = 0;

	while (lines_next(&it, &line))
		n += slice_find(line, mark) < line.n;
	return n;
}

static void parse_recording(const char *path)
{
	struct parse_case c;
	struct slice text;

	case_open(&c);
	text = case_read(c.arena, path);
	case_parse(&c, parse_compactionstats, path, text);
	if (!c.ok || c.err.kind != ERR_NONE || !c.node.compactions->pending.known)
		fail_msg("%s: %s", path, result(&c));
	/* each running task is a line with a percentage, and nothing else has one */
	if (c.node.compactions->tasks.n != count_lines(text, '%'))
		fail_msg("%s: %s", path, result(&c));
	case_close(&c);
}

static void test_recordings(void **state)
{
	static const char *const patterns[] = {
		"fixtures/*/compactionstats*.txt", "fixtures/*/nodes/*/compactionstats.txt",
	};
	char full[4096];
	unsigned n = 0;
	glob_t found;

	(void)state;
	for (size_t p = 0; p < ARRAY_LEN(patterns); p++) {
		snprintf(full, sizeof(full), "%s/%s", case_shared(), patterns[p]);
		if (glob(full, 0, NULL, &found) != 0)
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++, n++)
			parse_recording(found.gl_pathv[i]);
		globfree(&found);
	}
	if (!n) {
		print_message("no recordings in %s: skipped\n", case_shared());
		skip();
	}
	print_message("%u outputs\n", n);
	assert_true(n > 30);
}

static const struct {
	const char *name, *expected;
} real_cases[] = {
	{ "29-scylla-reshape-over-100-percent",
	  "? [5bd1adf0|COMPACTION|ks_e.event|28653/265216 keys 10.8%] "
	  "[5ff58e10|COMPACTION|ks_e.event_key|66318/849152 keys 7.81%] "
	  "[78768bc1|RESHAPE|ks_e.event_key|68072273/62910208 keys 108.21%] "
	  "[d1f61351|RESHAPE|ks_e.event_key|89454404/87735936 keys 101.96%] "
	  "[9ddd2180|RESHAPE|ks_e.event_key|61084536/56056064 keys 108.97%]; "
	  "! 3 the number of pending tasks is missing" },
	{ "30-scylla-bogus-pending-858255",
	  "858255 keyspace1.standard1:858255 [-|COMPACTION|keyspace1.standard1|189342/439936 keys "
	  "43.04%]" },
	{ "32-cassandra311-compaction-backlog-cut",
	  "10 keyspace1.standard1:10 [1b0c8440|Compaction|keyspace1.standard1|672798574/3625542455 "
	  "bytes 18.56%]" },
	{ "34-scylla-tools-none-id-log-prefix",
	  "0 [-|COMPACTION|keyspace1.standard1|2615/31104 keys 8.41%];" },
	{ "36-cassandra50-docker-all-three", "0;" },
	{ "40-cassandra21-error-text-instead-of-output", "0;" },
	{ "66-cassandra21-compactionstats-no-id",
	  "5 [-|Compaction|Keyspace1.Standard1|282310680/302170540 bytes 93.43%] "
	  "[-|Compaction|Keyspace1.Standard1|58457931/307520780 bytes 19.01%];" },
};

static void test_real_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(real_cases); i++) {
		const char *want = real_cases[i].expected, *path, *got;
		struct parse_case c;
		struct slice text;

		case_open(&c);
		path = arena_printf(c.arena, "%s/cases/%s/compactionstats.txt", case_shared(),
				    real_cases[i].name);
		text = case_read(c.arena, path);
		if (!text.p) {
			print_message("%s is not there: skipped\n", path);
			case_close(&c);
			skip();
		}
		case_parse(&c, parse_compactionstats, path, text);
		got = result(&c);
		if (strncmp(got, want, strlen(want)) != 0 ||
		    (want[strlen(want) - 1] == ';' && strcmp(got, want) != 0))
			fail_msg("%s:\n got  %s\n want %s", path, got, want);
		/* 30 and 32: eight whole rows, and a ninth that is cut in the latter */
		if (want[strlen(want) - 1] == ']')
			assert_int_equal(c.node.compactions->tasks.n, 8);
		case_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_files),
		cmocka_unit_test(test_prefixes), cmocka_unit_test(test_recordings),
		cmocka_unit_test(test_real_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
