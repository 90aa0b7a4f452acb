/* What lines, prompts, headings and paths say: src/parse/recognise.c, prompt.c, loose_place.c. */
#include "parse_case.h"

#include "parse/loose.h"

#define ID "5a1c3f70b1d011ee8c55a5d4f2f1c0de"

static bool is_text(struct slice got, const char *wanted)
{
	return slice_eq(got, slice_of(wanted));
}

static void test_lines(void **state)
{
	static const struct {
		const char *line;
		enum loose_kind kind;
		enum line_role role;
	} cases[] = {
		{ "Total number of tables: 41", LOOSE_TABLESTATS, LINE_STARTS },
		{ "Keyspace : metrics", LOOSE_TABLESTATS, LINE_STARTS },
		{ "Keyspace: metrics", LOOSE_TABLESTATS, LINE_STARTS },
		{ "\t\tTable: readings", LOOSE_TABLESTATS, LINE_JOINS },
		{ "\t\tColumn Family: readings", LOOSE_TABLESTATS, LINE_JOINS },
		{ "SSTable count: 3", LOOSE_TABLESTATS, LINE_JOINS },
		{ "total_number_of_tables: 41", LOOSE_TABLESTATS_DATA, LINE_STARTS },
		{ "metrics/readings histograms", LOOSE_HISTOGRAMS, LINE_STARTS },
		{ "metrics/readings histograms    ", LOOSE_HISTOGRAMS, LINE_STARTS },
		{ "two words/readings histograms", LOOSE_NONE, LINE_OTHER },
		{ "Percentile  SSTables     Write Latency", LOOSE_HISTOGRAMS, LINE_STARTS },
		{ "50%             1.00             17.08", LOOSE_HISTOGRAMS, LINE_JOINS },
		{ "    50%             0.00", LOOSE_HISTOGRAMS, LINE_JOINS },
		{ "50 % of the tables", LOOSE_NONE, LINE_OTHER },
		{ "pending tasks: 3", LOOSE_COMPACTIONSTATS, LINE_STARTS },
		{ "pending tasks                        3    ", LOOSE_COMPACTIONSTATS,
		  LINE_STARTS },
		{ "pending tasks are many", LOOSE_NONE, LINE_OTHER },
		{ "concurrent compactors                2", LOOSE_COMPACTIONSTATS, LINE_STARTS },
		{ "id     compaction type keyspace table completed total unit progress",
		  LOOSE_COMPACTIONSTATS, LINE_JOINS },
		{ "          compaction type        keyspace", LOOSE_COMPACTIONSTATS, LINE_JOINS },
		{ "SSTable: /d/ks/t-" ID "/nb-1-big", LOOSE_METADATA, LINE_STARTS },
		{ "No such file: /d/nb-1-big-Data.db", LOOSE_METADATA, LINE_STARTS },
		{ "SSTable max local deletion time: 2147483647", LOOSE_METADATA, LINE_JOINS },
		{ "Partitioner: org.apache.cassandra.dht.Murmur3Partitioner", LOOSE_METADATA,
		  LINE_JOINS },
		{ "\tPartitioner: org.apache.cassandra.dht.Murmur3Partitioner", LOOSE_NONE,
		  LINE_OTHER },
		{ "CREATE TABLE ks.t (", LOOSE_SCHEMA, LINE_STARTS },
		{ "create table if not exists t (", LOOSE_SCHEMA, LINE_STARTS },
		{ "CREATE TABLE IF NOT EXISTS ${keyspace}.t (", LOOSE_SCHEMA, LINE_STARTS },
		{ "ALTER TABLE ks.t WITH gc_grace_seconds = 5;", LOOSE_SCHEMA, LINE_STARTS },
		{ "USE metrics;", LOOSE_SCHEMA, LINE_STARTS },
		{ "use the index", LOOSE_NONE, LINE_OTHER },
		{ "    AND compaction = {'class': 'x'}", LOOSE_SCHEMA, LINE_JOINS },
		{ "WITH CLUSTERING ORDER BY (id ASC)", LOOSE_SCHEMA, LINE_JOINS },
		{ "default_time_to_live = 5", LOOSE_SCHEMA, LINE_JOINS },
		{ "and comment on it", LOOSE_NONE, LINE_OTHER },
		{ " [json]", LOOSE_SCHEMA_ROWS, LINE_STARTS },
		{ "  {\"keyspace_name\": \"ks\"}", LOOSE_SCHEMA_ROWS, LINE_JOINS },
		{ "{\"sstables\": {", LOOSE_JSON, LINE_STARTS },
		{ "{", LOOSE_JSON, LINE_STARTS },
		{ "{{template}}", LOOSE_NONE, LINE_OTHER },
		{ "Datacenter: dc1", LOOSE_STATUS, LINE_STARTS },
		{ "UN  10.0.0.11  1.02 TiB  16  33.4%  x  rack1", LOOSE_STATUS, LINE_JOINS },
		{ "UN member states", LOOSE_NONE, LINE_OTHER },
		{ "ID                     : 9c544bf3-8c13-49be-82b3-2ebcb0410317", LOOSE_INFO,
		  LINE_STARTS },
		{ "ID : 12", LOOSE_NONE, LINE_OTHER },
		{ "ReleaseVersion: 5.0.6", LOOSE_VERSION, LINE_STARTS },
		{ "Cluster Information:", LOOSE_DESCRIBECLUSTER, LINE_STARTS },
		{ "metrics   readings   not running", LOOSE_AUTOCOMPACTION, LINE_JOINS },
		{ "the node is running", LOOSE_NONE, LINE_OTHER },
		{ "Filesystem     1K-blocks  Used Available Use% Mounted on", LOOSE_DF,
		  LINE_STARTS },
		{ "Filesystem      Size  Used Avail Use% Mounted on", LOOSE_DF, LINE_STARTS },
		{ "name\tbytes\tmtime_s", LOOSE_LISTING, LINE_STARTS },
		{ "keyspace\ttable\tfile\tbytes\tmtime_epoch", LOOSE_LISTING, LINE_STARTS },
		{ "keyspace\ttable\tsstable\tdropped", LOOSE_NONE, LINE_OTHER },
		{ "-rw-r--r-- 1 root root  164M Jul 31 20:02 mc-1-big-Data.db", LOOSE_FILES,
		  LINE_JOINS },
		{ "drwxr-xr-x 2 root root 4096 Jul 31 20:02 backups", LOOSE_FILES, LINE_JOINS },
		{ "nb-1-big-Data.db", LOOSE_FILES, LINE_JOINS },
		{ "/d/ks/t-" ID "/nb-1-big-Data.db\t5\t17.5", LOOSE_FILES, LINE_JOINS },
		{ "aa-9-bti-Rows.db", LOOSE_FILES, LINE_JOINS },
		{ "me-3gsd_0w0h_1abcd2efghij3klmno-big-Data.db", LOOSE_FILES, LINE_JOINS },
		{ "ks-t-ka-7-Data.db", LOOSE_FILES, LINE_JOINS },
		{ "see nb-1-big-Data.db in the log", LOOSE_NONE, LINE_OTHER },
		{ "[/d/nb-1 (minTS = 1, maxTS = 2, maxLDT = 3)],  blocks 1", LOOSE_BLOCKERS,
		  LINE_JOINS },
		{ "No sstables for metrics.readings", LOOSE_BLOCKERS, LINE_STARTS },
		{ "cluster_name: 'metrics'", LOOSE_SETTINGS, LINE_STARTS },
		{ "nodetool: Unknown keyspace: x", LOOSE_COMPLAINT, LINE_STARTS },
		{ "", LOOSE_NONE, LINE_OTHER },
		{ "Here is what I see:", LOOSE_NONE, LINE_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct line_sign got = recognise_line(slice_of(cases[i].line));

		if (got.kind != cases[i].kind || got.role != cases[i].role)
			fail_msg("'%s': %s, role %d; wanted %s, %d", cases[i].line,
				 loose_forms[got.kind].name, got.role,
				 loose_forms[cases[i].kind].name, cases[i].role);
	}
}

static void test_json(void **state)
{
	static const struct { const char *text; enum loose_kind kind; } cases[] = {
		{ "{\"total_number_of_tables\" : 14}", LOOSE_TABLESTATS_DATA },
		{ "{\"ks.t\": {\"space_used_live\": \"5\"}}", LOOSE_TABLESTATS_DATA },
		{ "{\"sstables\":{\"/d/me-1-big-Data.db\":{}}}", LOOSE_DUMP_STATISTICS },
		{ "{\"format\": \"twcscheck-bundle\"}", LOOSE_BUNDLE },
		{ "{\"now_s\": 5, \"commands\": [{\"stderr\": \"no /d/nb-1-big-Data.db\"}]}",
		  LOOSE_NODE },
		{ "{\"name\": \"something else\"}", LOOSE_JSON },
		{ "{", LOOSE_JSON },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (recognise_json(slice_of(cases[i].text)) != cases[i].kind)
			fail_msg("%s: not %s", cases[i].text, loose_forms[cases[i].kind].name);
}

/* ---- prompts ---- */

static void test_prompts(void **state)
{
	static const struct {
		const char *line;
		bool found;
		unsigned kind;
		const char *host, *keyspace, *table;
	} cases[] = {
		{ "$ nodetool tablestats metrics.readings", true, EV_TABLESTATS, "", "metrics",
		  "readings" },
		{ "$ nodetool tablestats metrics", true, EV_TABLESTATS, "", "metrics", "" },
		{ "$ nodetool tablestats a.b c.d", true, EV_TABLESTATS, "", "", "" },
		{ "user@node1:~$ nodetool cfhistograms ks t   ", true, EV_TABLEHISTOGRAMS,
		  "node1", "ks",
		  "t" },
		{ "[user@node1 ~]$ nodetool compactionstats", true, EV_COMPACTIONSTATS, "node1",
		  "", "" },
		{ "root@node1:~# nodetool cfhistograms ks.t", true, EV_TABLEHISTOGRAMS, "node1",
		  "ks", "t" },
		{ "sh-4.2$ nodetool tablestats ks | head", true, EV_TABLESTATS, "", "ks", "" },
		{ "me@mac ~ % docker exec node0 nodetool tablestats ks.t", true, EV_TABLESTATS,
		  "node0",
		  "ks", "t" },
		{ "$ docker exec -it -u root node0 nodetool info", true, EV_INFO, "node0", "", "" },
		{ "$ kubectl exec -n db -it pod/cass-0 -c cassandra -- nodetool status", true,
		  EV_STATUS,
		  "cass-0", "", "" },
		{ "me@desk:~$ ssh -i key -p 22 root@cass-01 sudo -u cassandra nodetool "
		  "tablestats", true,
		  EV_TABLESTATS, "cass-01", "", "" },
		{ "$ ssh cass-01 'nodetool compactionstats -H'", true, EV_COMPACTIONSTATS,
		  "cass-01", "",
		  "" },
		{ "$ nodetool -h 10.0.0.11 -p 7199 -u x -pw y tablestats ks", true, EV_TABLESTATS,
		  "10.0.0.11", "ks", "" },
		{ "nodetool -h 127.0.0.1 -p 7100 compactionstats -H", true, EV_COMPACTIONSTATS,
		  "", "",
		  "" },
		{ "nodetool compactionstats", true, EV_COMPACTIONSTATS, "", "", "" },
		{ "LC_ALL=C TZ=UTC nodetool tablestats ks", true, EV_TABLESTATS, "", "ks", "" },
		{ "# /opt/cassandra/bin/nodetool tablestats -F json ks", true, EV_TABLESTATS, "",
		  "ks",
		  "" },
		{ "+ nodetool status", true, EV_STATUS, "", "", "" },
		{ "    $ nodetool status", true, EV_STATUS, "", "", "" },
		{ "$ for t in a b; do sstablemetadata /d/*-Data.db; done", true, 0, "", "", "" },
		{ "$ sudo sstablemetadata /d/ks/t/nb-1-big-Data.db", true, EV_SSTABLEMETADATA,
		  "", "", "" },
		{ "$ sstableexpiredblockers ks t", true, EV_EXPIREDBLOCKERS, "", "ks", "t" },
		{ "$ scylla sstable dump-statistics x", true, EV_SSTABLEMETADATA, "", "", "" },
		{ "$ nodetool tpstats", true, 0, "", "", "" },
		{ "cqlsh:metrics> DESCRIBE TABLE readings;", true, EV_SCHEMA, "", "", "" },
		{ "admin@cqlsh> ", true, EV_SCHEMA, "", "", "" },
		{ "user@node1:~$ ", true, 0, "node1", "", "" },
		{ "$ date", true, 0, "", "", "" },
		{ "$5.00 and more", false, 0, NULL, NULL, NULL },
		{ "50%             1.00             17.08", false, 0, NULL, NULL, NULL },
		{ "# a heading of a text", false, 0, NULL, NULL, NULL },
		{ "nodetool: Unknown keyspace: x", false, 0, NULL, NULL, NULL },
		{ "See 'nodetool help' or 'nodetool help <command>'.", false, 0, NULL, NULL, NULL },
		{ "Run nodetool status > out.txt for me", false, 0, NULL, NULL, NULL },
		{ "", false, 0, NULL, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct command_hint h;
		bool found = prompt_read(slice_of(cases[i].line), &h);

		if (found != cases[i].found)
			fail_msg("'%s': found %d", cases[i].line, found);
		if (!found)
			continue;
		if (h.kind != cases[i].kind)
			fail_msg("'%s': kind %x", cases[i].line, h.kind);
		if (!is_text(h.host, cases[i].host) || !is_text(h.keyspace, cases[i].keyspace) ||
		    !is_text(h.table, cases[i].table))
			fail_msg("'%s': host '%.*s', '%.*s'.'%.*s'", cases[i].line, (int)h.host.n,
				 h.host.p, (int)h.keyspace.n, h.keyspace.p, (int)h.table.n,
				 h.table.p);
	}
}

static void test_listed_folder(void **state)
{
	static const struct { const char *line, *folder; } cases[] = {
		{ "user@node1:~/d/ks/t-" ID "$ ls -ltar", "~/d/ks/t-" ID },
		{ "$ ls -l /d/ks/t-" ID "/", "/d/ks/t-" ID "/" },
		{ "user@node1:~$ ls -l /d/ks/t-" ID, "/d/ks/t-" ID },
		{ "$ find /d/ks/t-" ID " -maxdepth 1 -printf '%f\\t%s\\n'", "/d/ks/t-" ID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct command_hint h;

		assert_true(prompt_read(slice_of(cases[i].line), &h));
		if (!is_text(h.path, cases[i].folder))
			fail_msg("'%s': '%.*s'", cases[i].line, (int)h.path.n, h.path.p);
	}
}

static void test_headings(void **state)
{
	static const struct {
		const char *line;
		bool found;
		unsigned kind;
		const char *host, *path;
	} cases[] = {
		{ "==> cass-01/tablestats.txt <==", true, 0, "", "cass-01/tablestats.txt" },
		{ "cass-01 | CHANGED | rc=0 >>", true, 0, "cass-01", "" },
		{ "cass-01 | FAILED! | rc=1 >>", true, 0, "cass-01", "" },
		{ "=== cass-01 ===", true, 0, "cass-01", "" },
		{ "### 10.0.0.11", true, 0, "10.0.0.11", "" },
		{ "=== cass-01: tablestats ===", true, EV_TABLESTATS, "cass-01", "" },
		{ "=== nodetool tablestats ===", true, EV_TABLESTATS, "", "" },
		{ "----------------", false, 0, NULL, NULL },
		{ "=======================", false, 0, NULL, NULL },
		{ "--  Address    Load        Tokens  Owns", false, 0, NULL, NULL },
		{ "## What I have tried with 4.1 so far", false, 0, NULL, NULL },
		{ "=== readings ===", false, 0, NULL, NULL },
		{ "pending tasks: 3", false, 0, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct command_hint h;
		bool found = prompt_heading(slice_of(cases[i].line), &h);

		if (found != cases[i].found)
			fail_msg("'%s': found %d", cases[i].line, found);
		if (found && (h.kind != cases[i].kind || !is_text(h.host, cases[i].host) ||
			      !is_text(h.path, cases[i].path)))
			fail_msg("'%s': kind %x, host '%.*s', path '%.*s'", cases[i].line, h.kind,
				 (int)h.host.n, h.host.p, (int)h.path.n, h.path.p);
	}
}

/* ---- paths ---- */

static void test_places(void **state)
{
	static const struct {
		const char *path;
		unsigned kind;
		const char *keyspace, *table, *directory;
	} cases[] = {
		{ "x/tablestats.txt", EV_TABLESTATS, NULL, NULL, NULL },
		{ "x/nodetool_cfstats.info", EV_TABLESTATS, NULL, NULL, NULL },
		{ "tablehistograms-metrics-readings.txt", EV_TABLEHISTOGRAMS, "metrics",
		  "readings", NULL },
		{ "tablehistograms-metrics.readings.txt", EV_TABLEHISTOGRAMS, "metrics",
		  "readings", NULL },
		{ "tablehistograms-readings_ok.txt", EV_TABLEHISTOGRAMS, NULL, "readings_ok",
		  NULL },
		{ "tablehistograms/metrics.readings.txt", EV_TABLEHISTOGRAMS, "metrics",
		  "readings", NULL },
		{ "tablehistograms-all.txt", EV_TABLEHISTOGRAMS, NULL, NULL, NULL },
		{ "metrics.readings.sstablemetadata", EV_SSTABLEMETADATA, "metrics", "readings",
		  NULL },
		{ "metrics.readings.txt", 0, "metrics", "readings", NULL },
		{ "sstablemetadata/metrics.readings.txt", EV_SSTABLEMETADATA, "metrics",
		  "readings", NULL },
		{ "sstablemetadata/readings_ok/nb-1-big.txt", EV_SSTABLEMETADATA, NULL,
		  "readings_ok",
		  NULL },
		{ "d/metrics/readings-" ID "/ls.txt", 0, "metrics", "readings", "readings-" ID },
		{ "readings-" ID "/nb-1-big.txt", 0, NULL, "readings", "readings-" ID },
		{ "tablestats-cass-01.txt", EV_TABLESTATS, NULL, NULL, NULL },
		{ "notes.txt", 0, NULL, NULL, NULL },
		{ "output.log", 0, NULL, NULL, NULL },
		{ "standard input", 0, NULL, NULL, NULL },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct loose_hint h = loose_place(a, cases[i].path);
		const char *got[] = { h.keyspace, h.table, h.directory };
		const char *wanted[] = { cases[i].keyspace, cases[i].table, cases[i].directory };

		if (h.kind != cases[i].kind)
			fail_msg("%s: kind %x", cases[i].path, h.kind);
		for (size_t k = 0; k < ARRAY_LEN(got); k++)
			if (!got[k] != !wanted[k] || (got[k] && strcmp(got[k], wanted[k]) != 0))
				fail_msg("%s: '%s', wanted '%s'", cases[i].path,
					 got[k] ? got[k] : "(null)",
					 wanted[k] ? wanted[k] : "(null)");
	}
	arena_destroy(a);
}

/* Files of commands that are of no use are not looked into. */
static void test_unused(void **state)
{
	struct arena *a = arena_create();

	(void)state;
	assert_true(loose_place(a, "x/getsstables.txt").unused);
	assert_true(loose_place(a, "tpstats.txt").unused);
	assert_false(loose_place(a, "repair-problem.txt").unused);
	assert_false(loose_place(a, "tablestats.txt").unused);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_json),
		cmocka_unit_test(test_prompts), cmocka_unit_test(test_listed_folder),
		cmocka_unit_test(test_headings), cmocka_unit_test(test_places),
		cmocka_unit_test(test_unused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
