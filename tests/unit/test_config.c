/*
 * The configuration's files: what each key gives, what is refused and where, how two files go
 * together, where they are looked for, the schema that they name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/slice.h"
#include "cli/config.h"
#include "files.h"
#include "text_assert.h"

static struct arena *a;

/* ---- a configuration as text ---- */

static const char *line(const char *page, const char *name, const char *value)
{
	return value ? arena_printf(a, "%s%s=%s\n", page, name, value) : page;
}

static const char *seconds(const char *page, const char *name, struct opt_i64 v)
{
	return v.known ? arena_printf(a, "%s%s=%lld\n", page, name, (long long)v.v) : page;
}

static const char *thresholds(const char *page, const struct threshold_override *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		page = arena_printf(a, "%s%s.%s w=%s c=%s%s%s\n", page, v[i].check, v[i].param,
				    v[i].warn ? v[i].warn : "-", v[i].crit ? v[i].crit : "-",
				    v[i].table ? " of " : "", v[i].table ? v[i].table : "");
	return page;
}

static const char *dump(const struct config *c)
{
	const char *page = line(line("", "cluster", c->cluster), "schema", c->schema);

	page = line(line(page, "nodetool", c->nodetool), "cqlsh", c->cqlsh);
	page = line(page, "sstablemetadata", c->sstablemetadata);
	for (size_t i = 0; i < c->tables.n; i++) {
		const struct config_table *t = c->tables.v[i];

		page = line(page, "table", t->design.table);
		page = seconds(page, "window", t->design.window_s);
		page = seconds(page, "ttl", t->design.ttl_s);
		page = seconds(page, "gc_grace", t->design.gc_grace_s);
		page = seconds(page, "lateness", t->design.lateness_s);
		page = thresholds(page, t->thresholds.v, t->thresholds.n);
		for (size_t k = 0; k < t->skip.n; k++)
			page = line(page, "skip", t->skip.v[k]);
	}
	page = thresholds(page, c->thresholds.v, c->thresholds.n);
	for (size_t i = 0; i < c->skip.n; i++)
		page = line(page, "skip all", c->skip.v[i]);
	for (size_t i = 0; i < c->silences.n; i++) {
		const struct silence *s = &c->silences.v[i];

		page = arena_printf(a, "%ssilence %s of %s until %s (%s): %s\n", page, s->check,
				    s->table ? s->table : "-", num_format_time(a, s->until_s),
				    s->until, s->reason);
	}
	return page;
}

static const struct {
	const char *name, *text, *want;
} good[] = {
	{ "nothing", "", "" },
	{ "blanks and comments", " \n// nothing\n\t// to see", "" },
	{ "an empty object", "{ } // end", "" },
	{ "a byte-order mark", "\xef\xbb\xbf{\"cluster\": \"x\"}", "cluster=x\n" },
	{ "line ends of DOS", "{\r\n\"cluster\": \"x\" // y\r\n}\r\n", "cluster=x\n" },
	{ "a comment's mark in a text", "{\"cluster\": \"a // b\"}", "cluster=a // b\n" },
	{ "an escaped quote before a comment's mark", "{\"cluster\": \"a\\\" // b\"} // c",
	  "cluster=a\" // b\n" },
	{ "an escaped backslash at the end", "{\"cluster\": \"a\\\\\"} // \"c", "cluster=a\\\n" },
	{ "escapes", "{\"cluster\": \"\\u0061\\u00e4\"}", "cluster=a\xc3\xa4\n" },
	{ "an escaped key", "{\"\\u0063luster\": \"x\"}", "cluster=x\n" },
	{ "paths", "{\"schema\": \"schema.cql\"}", "schema=/etc/x/schema.cql\n" },
	{ "an absolute path", "{\"schema\": \"/s/schema.cql\"}", "schema=/s/schema.cql\n" },
	{ "a path at home", "{\"schema\": \"~/schema.cql\"}", "schema=~/schema.cql\n" },
	{ "programs",
	  "{\"node\": {\"nodetool\": \"/opt/nodetool\", \"cqlsh\": \"cqlsh --ssl\", "
	  "\"sstablemetadata\": \"sm\"}}",
	  "nodetool=/opt/nodetool\ncqlsh=cqlsh --ssl\n"
	  "sstablemetadata=sm\n" },
	{ "all of a table",
	  "{\"tables\": {\"metrics.readings\": {\"window\": \"1d\", \"ttl\": \"30d\", "
	  "\"gc_grace\": \"0s\", \"lateness\": \"1h30m\", \"skip\": [\"gc-grace\", "
	  "\"strategy\"]}}}",
	  "table=metrics.readings\nwindow=86400\nttl=2592000\ngc_grace=0\nlateness=5400\n"
	  "skip=gc-grace\nskip=strategy\n" },
	{ "the least and the most",
	  "{\"tables\": {\"a.b\": {\"window\": \"1min\", \"ttl\": \"7300d\", "
	  "\"lateness\": \"1s\"}, \"*\": {\"window\": \"60\", \"ttl\": \"0s\"}}}",
	  "table=a.b\nwindow=60\nttl=630720000\nlateness=1\ntable=*\nwindow=60\nttl=0\n" },
	{ "patterns", "{\"tables\": {\"ks.*\": {}, \"*.t\": {}, \"*\": {}, \"t\": {}}}",
	  "table=ks.*\ntable=*.t\ntable=*\ntable=t\n" },
	{ "thresholds",
	  "{\"thresholds\": {\"gc-grace\": {\"warning\": \"80%\", \"minimum\": {\"warning\": "
	  "\"1h:\", \"critical\": \"\"}}, \"window-count\": {\"critical\": 100}}}",
	  "gc-grace.share w=80% c=-\ngc-grace.minimum w=1h: c=\nwindow-count.windows w=- c=100\n" },
	{ "thresholds of a table",
	  "{\"tables\": {\"a.*\": {\"thresholds\": {\"window-count\": "
	  "{\"warning\": \"1:9\", \"critical\": \"1:99\"}}}}}",
	  "table=a.*\nwindow-count.windows w=1:9 c=1:99 of a.*\n" },
	{ "a day is silenced to its end",
	  "{\"silence\": [{\"check\": \"gc-grace\", \"table\": "
	  "\"metrics.*\", \"until\": \"2027-03-31\", \"reason\": \"migration\"}]}",
	  "silence gc-grace of metrics.* until 2027-04-01T00:00:00Z (2027-03-31): migration\n" },
	{ "a time is silenced up to it",
	  "{\"silence\": [{\"reason\": \"r\", \"until\": "
	  "\"2027-03-31T18:00:00Z\", \"check\": \"node-state\"}]}",
	  "silence node-state of - until 2027-03-31T18:00:00Z (2027-03-31T18:00:00Z): r\n" },
	{ "a check of nodes on every table",
	  "{\"silence\": [{\"check\": \"node-state\", \"table\": "
	  "\"*\", \"until\": \"2027-01-01\", \"reason\": \"r\"}]}",
	  "silence node-state of * until 2027-01-02T00:00:00Z (2027-01-01): r\n" },
	{ "skip", "{\"skip\": [\"window-count\", \"node-skew\"]}",
	  "skip all=window-count\nskip all=node-skew\n" },
	{ "empty lists", "{\"skip\": [], \"silence\": [ ], \"tables\": {}, \"thresholds\": {}}",
	  "" },
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct config c = { 0 };
		struct err err = { 0 };

		if (!config_read(a, "/etc/x/t.json", slice_of(good[i].text), &c, &err))
			fail_msg("%s: %s", good[i].name, err_text(a, &err));
		assert_text(good[i].name, dump(&c), good[i].want);
	}
}

/* ---- what is refused ---- */

#define TABLE(text) "{\"tables\": {\"a.b\": {" text "}}}"
#define SILENCE(text) "{\"silence\": [{" text "}]}"
#define DURATION_HINT "hint: a number and s, m, h, d or w, such as \"30d\" or \"1d12h\""
#define TOP_KEYS "cluster, tables, thresholds, silence, skip, schema, node, nodes, ssh"
#define TABLE_KEYS "window, ttl, gc_grace, lateness, thresholds, skip"

static const struct {
	const char *text, *want;
} bad[] = {
	/* unknown names, the nearest named */
	{ TABLE("\"windw\": \"1d\""), "1:21: no key 'windw'; hint: the nearest is 'window'" },
	{ "{\n\n    \"tables\": {\n\t\"a.b\": {\"gcgrace\": \"1d\"}\n}}",
	  "4:10: no key 'gcgrace'; hint: the nearest is 'gc_grace'" },
	{ "{\"silences\": []}", "1:2: no key 'silences'; hint: the nearest is 'silence'" },
	{ "{\"cluster\": \"\xc3\xa4\", \"Skip\": []}",
	  "1:18: no key 'Skip'; hint: the nearest is 'skip'" },
	{ "{\"remote\": {}}", "1:2: no key 'remote'; hint: the nearest is 'node' of " TOP_KEYS },
	{ TABLE("\"bucket\": \"1d\""),
	  "1:21: no key 'bucket'; hint: the nearest is 'skip' of " TABLE_KEYS },
	{ "{\"\": 1}", "1:2: no key ''; hint: the nearest is 'ssh' of " TOP_KEYS },
	{ "{\"node\": {\"nodetol\": \"x\"}}",
	  "1:11: no key 'nodetol'; hint: the nearest is 'nodetool'" },
	{ "{\"skip\": [\"strategy\",\n \"gc-graze\"]}",
	  "2:2: no check 'gc-graze'; hint: the nearest is 'gc-grace'" },
	{ TABLE("\"skip\": [\"window-cuont\"]"),
	  "1:30: no check 'window-cuont'; hint: the nearest is 'window-count'" },
	{ "{\"thresholds\": {\"late-write\": {}}}",
	  "1:17: no check 'late-write'; hint: the nearest is 'late-writes'" },
	{ "{\"thresholds\": {\"gc-grace\": {\"warnin\": \"1\"}}}",
	  "1:30: no key 'warnin'; hint: the nearest is 'warning'" },
	{ "{\"thresholds\": {\"gc-grace\": {\"minimun\": {}}}}",
	  "1:30: no key 'minimun'; hint: the nearest is 'minimum'" },
	{ "{\"thresholds\": {\"gc-grace\": {\"minimum\": {\"crit\": \"1\"}}}}",
	  "1:42: no key 'crit'; hint: the nearest is 'critical'" },
	{ SILENCE("\"check\": \"node-stat\""),
	  "1:24: no check 'node-stat'; hint: the nearest is 'node-state'" },
	/* types */
	{ "[]", "1:1: an object is expected: '{'" },
	{ "{\"cluster\": 5}", "1:13: 'cluster' must be a text" },
	{ "{\"cluster\": null}", "1:13: 'cluster' must be a text" },
	{ "{\"cluster\": \" \"}", "1:13: 'cluster' is empty" },
	{ "{\"cluster\": \"a\\nb\"}", "1:13: 'cluster' holds a control character" },
	{ "{\"tables\": []}", "1:12: 'tables' must be an object of tables" },
	{ "{\"tables\": {\"a.b\": \"1d\"}}", "1:20: 'a.b' must be an object of settings" },
	{ "{\"skip\": \"gc-grace\"}", "1:10: 'skip' must be a list of checks" },
	{ "{\"skip\": [1]}", "1:11: an element must be the id of a check" },
	{ "{\"silence\": {}}", "1:13: 'silence' must be a list of silences" },
	{ "{\"silence\": [\"gc-grace\"]}",
	  "1:14: an element must be an object with \"check\", \"until\" and \"reason\"" },
	{ "{\"thresholds\": {\"gc-grace\": \"80%\"}}",
	  "1:29: 'gc-grace' must be an object with \"warning\" and \"critical\"" },
	{ "{\"thresholds\": {\"gc-grace\": {\"minimum\": 1}}}",
	  "1:41: 'minimum' must be an object with \"warning\" and \"critical\"" },
	{ "{\"thresholds\": {\"gc-grace\": {\"warning\": true}}}",
	  "1:41: 'warning' must be a range in "
	  "quotes, such as \"80MB\" or \"7:50\", or a number" },
	/* durations */
	{ TABLE("\"window\": 3600"),
	  "1:31: 'window' must be a duration in quotes, such as \"30d\" or \"12h\"" },
	{ TABLE("\"window\": \"1 day\""),
	  "1:31: cannot read the duration '1 day' of 'window'; " DURATION_HINT },
	{ TABLE("\"ttl\": \"\""), "1:28: cannot read the duration '' of 'ttl'; " DURATION_HINT },
	{ TABLE("\"window\": \"30s\""), "1:31: 'window' must be at least 1 min" },
	{ TABLE("\"window\": \"90s\""),
	  "1:31: 'window' must be whole minutes: the server has windows of "
	  "minutes, hours and days" },
	{ TABLE("\"ttl\": \"-1d\""), "1:28: 'ttl' must be at least 0 s" },
	{ TABLE("\"ttl\": \"1500ms\""), "1:28: 'ttl' must be whole seconds" },
	{ TABLE("\"lateness\": \"0s\""), "1:33: 'lateness' must be at least 1 s" },
	{ TABLE("\"gc_grace\": \"99999999999d\""), "1:33: 'gc_grace' must be at most 24855 d" },
	/* ranges and days */
	{ "{\"thresholds\": {\"gc-grace\": {\"warning\": \"1MB\"}}}",
	  "1:41: cannot read the range '1MB': '1MB' is no number of this kind" },
	{ "{\"thresholds\": {\"gc-grace\": {\"warning\": \"5:1\"}}}",
	  "1:41: cannot read the range '5:1': the start is above the end" },
	{ "{\"thresholds\": {\"strategy\": {\"warning\": \"1\"}}}",
	  "1:17: 'strategy' has no thresholds" },
	{ SILENCE("\"check\": \"gc-grace\", \"until\": \"2027-02-30\", \"reason\": \"r\""),
	  "1:45: cannot read the day '2027-02-30'; hint: such as \"2027-03-31\" or "
	  "\"2027-03-31T18:00:00Z\"" },
	{ SILENCE("\"check\": \"gc-grace\", \"until\": \"1806451200\""),
	  "1:45: cannot read the day '1806451200'; hint: such as \"2027-03-31\" or "
	  "\"2027-03-31T18:00:00Z\"" },
	{ SILENCE("\"until\": 1806451200"), "1:24: 'until' must be a day in quotes, such as "
					    "\"2027-03-31\"" },
	{ SILENCE("\"check\": \"gc-grace\", \"until\": \"2027-03-31\""),
	  "1:14: a silence without 'reason'" },
	{ SILENCE("\"check\": \"gc-grace\", \"reason\": \"r\""),
	  "1:14: a silence without 'until'" },
	{ SILENCE("\"until\": \"2027-03-31\", \"reason\": \"r\""),
	  "1:14: a silence without 'check'" },
	{ SILENCE("\"reason\": \"\""), "1:25: 'reason' is empty" },
	/* tables, and what is judged elsewhere */
	{ "{\"tables\": {\"\": {}}}", "1:13: a table without a name" },
	{ "{\"tables\": {\"metrics.\": {}}}", "1:13: 'metrics.' is no table; hint: keyspace.table, "
					      "\"keyspace.*\", \"*.table\" or \"*\"" },
	{ "{\"tables\": {\"a b\": {}}}",
	  "1:13: a blank in the table name 'a b'; hint: it is keyspace.table" },
	{ "{\"tables\": {\"\\\"A\\\".t\": {}}}",
	  "1:13: quotes in the table name '\"A\".t'; hint: write it "
	  "as nodetool prints it, keyspace.table" },
	{ TABLE("\"skip\": [\"node-state\"]"),
	  "1:30: 'node-state' is judged for the cluster, not for a "
	  "table; hint: put it at the top level" },
	{ TABLE("\"thresholds\": {\"node-skew\": {}}"),
	  "1:36: 'node-skew' is judged for the cluster, not "
	  "for a table; hint: put it at the top level" },
	/* twice */
	{ "{\"cluster\": \"a\",\n\"cluster\": \"b\"}", "2:1: the key 'cluster' is there twice" },
	{ "{\"cluster\": \"a\", \"clu\\u0073ter\": \"b\"}",
	  "1:18: the key 'cluster' is there twice" },
	{ TABLE("\"ttl\": \"1d\"}, \"a.c\": {}, \"a.b\": {"),
	  "1:46: the key 'a.b' is there twice" },
	/* the form of the text */
	{ "{\"skip\": [\"gc-grace\",]}", "1:22: a comma before ']'" },
	{ "{\"skip\": [],}", "1:13: a comma before '}'" },
	{ "{\"cluster\": \"a\"\n \"skip\": []}", "2:2: a ',' or '}' is missing here" },
	{ "{\"skip\": [\"gc-grace\" \"strategy\"]}", "1:22: a ',' or ']' is missing here" },
	{ "{\"skip\" []}", "1:9: a ':' is missing after the key" },
	{ "{skip: []}", "1:2: a key in double quotes is expected" },
	{ "{\"cluster\": x}", "1:13: 'x' is no value; hint: texts stand in double quotes" },
	{ "{\"cluster\": 'x'}", "1:13: ''x'' is no value; hint: texts stand in double quotes" },
	{ "{\"cluster\": }", "1:13: a value is missing here" },
	{ "{\"cluster\":", "1:12: the file ends too early" },
	{ "{\"cluster\": \"x\"", "1:16: the file ends before '}'" },
	{ "{\"cluster\": \"x\n\"}",
	  "1:13: this text is not closed; hint: a '\"' is missing at its end" },
	{ "{\"cluster\": \"x\\",
	  "1:13: this text is not closed; hint: a '\"' is missing at its end" },
	{ "{\"cluster\": \"\\u0000\"}", "1:14: a NUL character in a text" },
	{ "{\"cluster\": \"\x01\"}", "1:14: a control character in a text" },
	{ "{\"cluster\": \"\\q\"}", "1:14: this cannot be read as JSON" },
	{ "{} {}", "1:4: something follows the closing '}'" },
	{ "/* no */ {}", "1:1: an object is expected: '{'" },
	{ "{\"a\":[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]}", "1:21: nested too deeply" },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct config c = { 0 };
		struct err err = { 0 };

		if (config_read(a, "t.json", slice_of(bad[i].text), &c, &err))
			fail_msg("%s: is not refused", bad[i].text);
		assert_text(bad[i].text, err_text(a, &err),
			    arena_printf(a, "t.json:%s", bad[i].want));
	}
}

static void test_size(void **state)
{
	struct slice text = { NULL, 1024 * 1024 + 1 };
	struct config c = { 0 };
	struct err err = { 0 };
	char *p = arena_alloc(a, text.n);

	(void)state;
	memset(p, ' ', text.n);
	text.p = p;
	assert_false(config_read(a, "t.json", text, &c, &err));
	assert_text("large", err_text(a, &err), "t.json: larger than 1 MiB");
	text.n--;
	assert_true(config_read(a, "t.json", text, &c, &err));
}

/* Cut off anywhere, a file is refused with its place: nothing of it is in force. */
static void test_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct slice text = slice_of(good[i].text);
		size_t end = slice_rfind(text, '}');

		for (size_t n = slice_find(text, '{') + 1; n <= end && end < text.n; n++) {
			struct config c = { 0 };
			struct err err = { 0 };

			if (config_read(a, "t.json", (struct slice){ text.p, n }, &c, &err))
				fail_msg("%s: the first %zu bytes are taken for whole",
					 good[i].name, n);
			if (!err.line || !err.column)
				fail_msg("%s: %s", good[i].name, err_text(a, &err));
		}
	}
}

/* ---- several sources ---- */

static const char first_file[] =
	"{\"cluster\": \"one\", \"skip\": [\"gc-grace\"], \"node\": {\"nodetool\": \"n1\", "
	"\"cqlsh\": \"c1\"},"
	" \"thresholds\": {\"gc-grace\": {\"warning\": \"10%\", \"critical\": \"20%\"}},"
	" \"tables\": {\"a.b\": {\"window\": \"1d\", \"ttl\": \"9d\", \"skip\": [\"strategy\"]},"
	" \"a.c\": {\"window\": \"2d\"}}, \"silence\": [{\"check\": \"gc-grace\", \"until\": "
	"\"2027-01-01\","
	" \"reason\": \"old\"}]}";
static const char second_file[] =
	"{\"cluster\": \"two\", \"skip\": [], \"node\": {\"cqlsh\": \"c2\"},"
	" \"thresholds\": {\"gc-grace\": {\"critical\": \"30%\"}},"
	" \"tables\": {\"a.b\": {\"ttl\": \"8d\", \"skip\": []}, \"a.d\": {\"window\": \"3d\"}},"
	" \"silence\": [{\"check\": \"strategy\", \"until\": \"2027-01-01\", \"reason\": "
	"\"new\"}]}";

static void test_two_files(void **state)
{
	struct config c = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(config_read(a, "1", slice_of(first_file), &c, &err));
	assert_true(config_read(a, "2", slice_of(second_file), &c, &err));
	assert_text("two files", dump(&c),
		    "cluster=two\nnodetool=n1\ncqlsh=c2\ntable=a.b\nwindow=86400\nttl=691200\n"
		    "table=a.c\nwindow=172800\ntable=a.d\nwindow=259200\n"
		    "gc-grace.share w=10% c=30%\n"
		    "silence strategy of - until 2027-01-02T00:00:00Z (2027-01-01): new\n");
}

static const struct {
	const char *pattern, *name;
	bool fits;
} patterns[] = {
	{ "metrics.readings", "metrics.readings", true },
	{ "metrics.readings", "metrics.readings2", false },
	{ "metrics.readings", "metrics.reading", false },
	{ "metrics.*", "metrics.readings", true },
	{ "metrics.*", "metrics2.readings", false },
	{ "metrics.*", "metrics", false },
	{ "*.readings", "metrics.readings", true },
	{ "*.readings", "metrics.old_readings", false },
	{ "*", "metrics.readings", true },
	{ "*", "readings", true },
	{ "readings", "metrics.readings", false },
	{ "readings", "readings", true },
	{ "m*.r*s", "metrics.readings", true },
	{ "m*.r*s", "metrics.reading", false },
	{ "*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
	{ "**x", "abx", true },
	{ "Metrics.*", "metrics.readings", false },
};

static void test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
		if (table_pattern_matches(patterns[i].pattern, patterns[i].name) !=
		    patterns[i].fits)
			fail_msg("'%s' and '%s'", patterns[i].pattern, patterns[i].name);
	assert_true(table_pattern_compare("a.b", "a.bbbbbbbb*") > 0);
	assert_true(table_pattern_compare("a.bb*", "a.b*") > 0);
	assert_true(table_pattern_compare("*", "*.b") < 0);
	assert_int_equal(table_pattern_compare("a.*", "*.b"), 0);
	assert_int_equal(table_pattern_compare("a.b", "ccc.d"), 0);
}

/* ---- the schema and the files ---- */

static const char *in_folder(const char *name, const char *text)
{
	static char dir[] = "config-test-XXXXXX";
	static bool made;
	const char *path;
	FILE *f;

	if (!made)
		assert_non_null(mkdtemp(dir));
	made = true;
	path = arena_printf(a, "%s/%s", dir, name);
	if (!text)
		return *name ? path : dir;
	f = fopen(path, "wb");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		fail_msg("%s cannot be written", path);
	return path;
}

#define TWCS(name, hours)                                                                          \
	"CREATE TABLE a." name " (k int PRIMARY KEY) WITH compaction = {'class': "                 \
	"'TimeWindowCompactionStrategy', 'compaction_window_unit': 'HOURS', "                      \
	"'compaction_window_size': '" hours                                                        \
	"'} AND default_time_to_live = 5 AND gc_grace_seconds = 6;\n"

static struct schema_table *add_table(struct cluster *c, const char *name)
{
	struct schema_table *s = arena_alloc(a, sizeof(*s));

	s->keyspace = "a";
	s->name = name;
	*vec_add(a, &c->schema.tables) = s;
	return s;
}

static void test_schema_file(void **state)
{
	struct cluster *c = cluster_create(a);
	struct run_options o = { .arena = a, .cluster_name = "prod" };
	struct err err = { 0 };

	(void)state;
	o.schema_file = in_folder("schema.cql", TWCS("b", "2") TWCS("d", "3"));
	add_table(c, "b")->id = "0123456789abcdef0123456789abcdef";
	add_table(c, "c");
	if (!config_finish_cluster(&o, c, &err))
		fail_msg("%s", err_text(a, &err));
	assert_string_equal(c->name, "prod");
	assert_int_equal(c->schema.tables.n, 3);
	assert_string_equal(c->schema.tables.v[0]->name, "b");
	assert_int_equal(c->schema.tables.v[0]->settings.window_s.v, 2 * 3600);
	assert_string_equal(c->schema.tables.v[0]->id, "0123456789abcdef0123456789abcdef");
	assert_string_equal(c->schema.tables.v[2]->name, "c");
	c->name = "from the bundle";
	o.schema_file = in_folder("none.cql", NULL);
	assert_false(config_finish_cluster(&o, c, &err));
	assert_has("no file", err_text(a, &err), "none.cql: cannot read the file: ");
	assert_string_equal(c->name, "from the bundle");
	err = (struct err){ 0 };
	o.schema_file = in_folder("garbage.cql", "nothing of a schema\n");
	assert_false(config_finish_cluster(&o, c, &err));
	assert_has("garbage", err_text(a, &err), "garbage.cql");
}

static void test_files(void **state)
{
	struct run_options o = { .arena = a };
	struct err err = { 0 };

	(void)state;
	if (access("/etc/twcscheck/twcscheck.json", F_OK) == 0)
		skip(); /* the machine has a configuration of its own */
	in_folder("twcscheck.json", "{\"cluster\": \"home\"}");
	setenv("XDG_CONFIG_HOME",
	       arena_printf(a, "%s/%s", getcwd(arena_alloc(a, 4096), 4096), in_folder("", NULL)),
	       1);
	assert_true(config_load(&o, &err));
	assert_string_equal(o.cluster_name, "home");
	o = (struct run_options){
		.arena = a, .config = in_folder("alone.json", "{\"node\": {\"cqlsh\": \"c\"}}")
	};
	assert_true(config_load(&o, &err));
	assert_null(o.cluster_name);
	assert_string_equal(o.cqlsh, "c");
	setenv("XDG_CONFIG_HOME", in_folder("", NULL), 1); /* relative: not used */
	unsetenv("HOME");
	o = (struct run_options){ .arena = a };
	assert_true(config_load(&o, &err));
	assert_null(o.cluster_name);
	o.config = in_folder("none.json", NULL);
	assert_false(config_load(&o, &err));
	assert_has("no file", err_text(a, &err), "none.json: cannot read the file: No such file");
	err = (struct err){ 0 };
	o.config = in_folder("", NULL);
	assert_false(config_load(&o, &err));
	assert_has("a folder", err_text(a, &err), ": cannot read the file: Is a directory");
}

static int remove_files(void **state)
{
	static const char *const names[] = { "schema.cql", "garbage.cql", "twcscheck.json",
					     "alone.json" };

	(void)state;
	a = arena_create();
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unlink(in_folder(names[i], NULL));
	(void)rmdir(in_folder("", NULL));
	arena_destroy(a);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	a = arena_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_destroy(a);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_good),
		TEST(test_bad),
		TEST(test_size),
		TEST(test_prefixes),
		TEST(test_two_files),
		TEST(test_patterns),
		TEST(test_schema_file),
		TEST(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, remove_files);
}
