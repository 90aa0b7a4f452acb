/*
 * Compares a JSON report with what is known to be right, for the tests of the whole program:
 *
 *   compare_report findings EXPECTED RECORDING CHECKS NAMES REPORT [TABLE...]
 *   compare_report dropped DROPPED NODE NAMES REPORT [TABLE...]
 *   compare_report node-state COUNT NODE REPORT [TABLE...]
 *
 * findings: every table of RECORDING in EXPECTED (expected-findings.json) has exactly these
 * findings, information, blockers with causes, counts and bytes; and the report has no other
 * table. Only checks named in CHECKS (one a line) and covered by EXPECTED are compared.
 * dropped: an SSTable's state is droppable exactly where DROPPED (a dropped.tsv) says yes.
 * With TABLEs (names before renaming) both look at these alone.
 * node-state: the node has COUNT node-state warnings (or worse), all of them findings of the node
 * itself; when TABLEs are given one of them names them all.
 *
 * NAMES: what was renamed in the evidence, "old<tab>new" a line, for nodes, keyspaces and tables;
 * "-" = nothing. NODE: "-" = any, where the report has only one.
 * Each difference is a line on standard output. Exit status 0 = none, 1 = some, 2 = cannot compare.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAMES_MAX = 200, CHECKS_MAX = 64, FILE_MAX = 256 * 1024 * 1024 };

/*
 * A table in a memtable of which a late row lies that no file shows: so many SSTables are
 * droppable by every file, and were not dropped.
 */
static const char held_by_memtable[] = "metrics.x_memtable";
enum { HELD_BY_MEMTABLE = 3 };

/*
 * In four recordings a major compaction was started after the evidence was taken: the one SSTable
 * it made is in dropped.tsv (as left) and cannot be in the report.
 */
enum { MADE_AFTERWARDS_MAX = 1 };

/* What expected-findings.json covers: findings of other checks are not judged by it. */
static const char *const covered[] = {
	"blocked-windows", "future-blocks", "late-writes", "expired-not-dropped", "never-expires",
	"mixed-ttl", "timestamps", "sstable-count", "window-compaction", "window-count", "strategy",
	"gc-grace", "partition-size", "sstables-per-read", "tombstones", "snapshots", "repair-mix",
};

static const char *const severities[] = { "ok", "unknown", "warning", "critical" };

struct name { char *old, *new; };

struct context {
	struct name names[NAMES_MAX];
	size_t n_names;
	char *checks[CHECKS_MAX];
	size_t n_checks;
	char **only;		/* tables to look at; none = all */
	int n_only;
	cJSON *report;
	unsigned differences, compared;
};

_Noreturn static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("compare_report: ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
	exit(2);
}

static void differ(struct context *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
	c->differences++;
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || size > FILE_MAX)
		die("cannot read '%s': %s", path, strerror(errno));
	rewind(f);
	text = malloc((size_t)size + 1);
	if (!text || fread(text, 1, (size_t)size, f) != (size_t)size)
		die("cannot read '%s'", path);
	text[size] = '\0';
	fclose(f);
	return text;
}

static cJSON *read_json(const char *path)
{
	char *text = read_file(path);
	cJSON *j = cJSON_ParseWithOpts(text, NULL, true);

	free(text);
	if (!j)
		die("'%s' is not JSON", path);
	return j;
}

/* The next line of *text, terminated in place; NULL at the end. */
static char *next_line(char **text)
{
	char *line = *text, *end;

	if (!*line)
		return NULL;
	end = line + strcspn(line, "\n");
	*text = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

static void read_names(struct context *c, const char *path)
{
	char *text, *line, *tab;

	if (!strcmp(path, "-"))
		return;
	for (text = read_file(path); (line = next_line(&text));) {
		tab = strchr(line, '\t');
		if (!tab || c->n_names == NAMES_MAX)
			die("'%s': bad line '%s'", path, line);
		*tab = '\0';
		c->names[c->n_names++] = (struct name){ line, tab + 1 };
	}
}

static void read_checks(struct context *c, const char *path)
{
	char *text, *line;

	for (text = read_file(path); (line = next_line(&text));) {
		if (c->n_checks == CHECKS_MAX)
			die("'%s': too many checks", path);
		c->checks[c->n_checks++] = line;
	}
}

static const char *renamed(const struct context *c, const char *old)
{
	for (size_t i = 0; i < c->n_names; i++)
		if (!strcmp(c->names[i].old, old))
			return c->names[i].new;
	return old;
}

/* "keyspace.table" under its new names; in a buffer that the next call uses again. */
static const char *renamed_table(const struct context *c, const char *old)
{
	static char name[512];
	char keyspace[256];
	const char *dot = strchr(old, '.');

	if (!dot || (size_t)(dot - old) >= sizeof(keyspace))
		die("'%s' is not keyspace.table", old);
	memcpy(keyspace, old, (size_t)(dot - old));
	keyspace[dot - old] = '\0';
	snprintf(name, sizeof(name), "%s.%s", renamed(c, keyspace), renamed(c, dot + 1));
	return name;
}

static const char *text_of(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsString(v) ? v->valuestring : "";
}

/* A number, or -1 where there is none (sizes and counts are never negative). */
static double number_of(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(v) ? v->valuedouble : -1;
}

static const cJSON *list_of(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!cJSON_IsArray(v))
		die("no list '%s' where the report needs one", key);
	return v;
}

static const cJSON *find_table(const struct context *c, const char *node, const char *name)
{
	const cJSON *t, *found = NULL;

	cJSON_ArrayForEach(t, list_of(c->report, "tables")) {
		if (strcmp(text_of(t, "name"), name) || (node && strcmp(text_of(t, "node"), node)))
			continue;
		if (found)
			die("'%s' is in the report twice", name);
		found = t;
	}
	return found;
}

static int severity_rank(const char *name)
{
	for (size_t i = 0; i < sizeof(severities) / sizeof(*severities); i++)
		if (!strcmp(severities[i], name))
			return (int)i;
	die("unknown severity '%s'", name);
}

static bool is_compared(const struct context *c, const char *check)
{
	bool in_list = false, known = false;

	for (size_t i = 0; i < sizeof(covered) / sizeof(*covered); i++)
		in_list |= !strcmp(covered[i], check);
	for (size_t i = 0; i < c->n_checks; i++)
		known |= !strcmp(c->checks[i], check);
	return in_list && known;
}

static bool is_looked_at(const struct context *c, const char *table)
{
	for (int i = 0; i < c->n_only; i++)
		if (!strcmp(c->only[i], table))
			return true;
	return c->n_only == 0;
}

static bool list_has(const cJSON *list, const char *text)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, list)
		if (cJSON_IsString(v) && !strcmp(v->valuestring, text))
			return true;
	return false;
}

/* One check's findings about one table against the expected ones. */
static void compare_check(struct context *c, const char *key, const cJSON *expected,
			  const cJSON *table, const char *check)
{
	const cJSON *f, *wanted = cJSON_GetObjectItemCaseSensitive(expected, "findings");
	int worst = 0, want;
	bool information = false;

	cJSON_ArrayForEach(f, list_of(c->report, "findings")) {
		int rank = severity_rank(text_of(f, "severity"));

		if (strcmp(text_of(f, "check"), check) ||
		    strcmp(text_of(f, "table"), text_of(table, "name")) ||
		    strcmp(text_of(f, "node"), text_of(table, "node")))
			continue;
		information |= rank == 0;
		worst = rank > worst ? rank : worst;
	}
	wanted = cJSON_GetObjectItemCaseSensitive(wanted, check);
	want = wanted ? severity_rank(wanted->valuestring) : 0;
	if (worst != want)
		differ(c, "%s: %s is %s, expected %s", key, check, severities[worst],
		       severities[want]);
	wanted = cJSON_GetObjectItemCaseSensitive(expected, "information");
	if (information != list_has(wanted, check))
		differ(c, "%s: %s information from %s", key, information ? "unexpected" : "no",
		       check);
	c->compared += 2;
}

static void compare_blockers(struct context *c, const char *key, const cJSON *expected,
			     const cJSON *table)
{
	const cJSON *got = list_of(table, "blockers"), *want, *b;
	int i = 0, n = cJSON_GetArraySize(got);

	if (n != (int)number_of(expected, "blockers_count"))
		differ(c, "%s: %d blockers, expected %.0f", key, n,
		       number_of(expected, "blockers_count"));
	cJSON_ArrayForEach(want, list_of(expected, "blockers")) {
		b = cJSON_GetArrayItem(got, i++);
		if (!b || strcmp(text_of(b, "sstable"), text_of(want, "sstable")) ||
		    strcmp(text_of(b, "cause"), text_of(want, "cause")) ||
		    (int)number_of(b, "rank") != i)
			differ(c, "%s: blocker %d is %s (%s), expected %s (%s)", key, i,
			       b ? text_of(b, "sstable") : "none", b ? text_of(b, "cause") : "-",
			       text_of(want, "sstable"), text_of(want, "cause"));
	}
	c->compared += 1 + (unsigned)i;
}

static unsigned count_state(const cJSON *table, const char *state)
{
	const cJSON *s;
	unsigned n = 0;

	cJSON_ArrayForEach(s, list_of(table, "sstables"))
		n += !strcmp(text_of(s, "state"), state);
	return n;
}

static double bytes_in_state(const cJSON *table, const char *state)
{
	const cJSON *s;
	double sum = 0;

	cJSON_ArrayForEach(s, list_of(table, "sstables"))
		if (!strcmp(text_of(s, "state"), state))
			sum += number_of(s, "bytes");
	return sum;
}

static void compare_number(struct context *c, const char *key, const char *what, double got,
			   double want)
{
	if (got != want)
		differ(c, "%s: %s %.0f, expected %.0f", key, what, got, want);
	c->compared++;
}

static void compare_counts(struct context *c, const char *key, const cJSON *expected,
			   const cJSON *table)
{
	compare_number(c, key, "blocked SSTables", count_state(table, "blocked"),
		       number_of(expected, "blocked"));
	compare_number(c, key, "droppable SSTables", count_state(table, "droppable"),
		       number_of(expected, "droppable"));
	compare_number(c, key, "held_bytes", number_of(table, "held_bytes"),
		       number_of(expected, "held_bytes"));
	compare_number(c, key, "bytes of blocked SSTables", bytes_in_state(table, "blocked"),
		       number_of(expected, "held_bytes"));
	compare_number(c, key, "droppable_bytes", number_of(table, "droppable_bytes"),
		       bytes_in_state(table, "droppable"));
}

/* Evidence that was not renamed keeps its times: the node's clock is the expected one. */
static void compare_clock(struct context *c, const char *key, const cJSON *expected,
			  const cJSON *table)
{
	time_t now = (time_t)number_of(expected, "now");
	struct tm *utc = gmtime(&now);
	char text[32] = "";
	const cJSON *n;

	if (utc)
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", utc);
	cJSON_ArrayForEach(n, list_of(c->report, "nodes"))
		if (!strcmp(text_of(n, "name"), text_of(table, "node")) &&
		    strcmp(text_of(n, "now"), text))
			differ(c, "%s: judged by %s, expected %s", key, text_of(n, "now"), text);
	c->compared++;
}

static const cJSON *compare_table(struct context *c, const cJSON *expected, const char *rest)
{
	const char *slash = strchr(rest, '/'), *node = NULL, *key = expected->string;
	char old_node[128] = "";
	const cJSON *table;

	if (slash && (size_t)(slash - rest) < sizeof(old_node)) {
		memcpy(old_node, rest, (size_t)(slash - rest));
		node = renamed(c, old_node);
		rest = slash + 1;
	}
	table = find_table(c, node, renamed_table(c, rest));
	if (!table) {
		differ(c, "%s: not in the report", key);
		return NULL;
	}
	if (!c->n_names)
		compare_clock(c, key, expected, table);
	for (size_t i = 0; i < sizeof(covered) / sizeof(*covered); i++)
		if (is_compared(c, covered[i]))
			compare_check(c, key, expected, table, covered[i]);
	if (cJSON_GetObjectItemCaseSensitive(expected, "blockers")) {
		compare_blockers(c, key, expected, table);
		compare_counts(c, key, expected, table);
	}
	return table;
}

static void compare_findings(struct context *c, const char *expected_path, const char *recording)
{
	cJSON *all = read_json(expected_path);
	const cJSON *e, *t;
	size_t n = strlen(recording), seen = 0;

	cJSON_ArrayForEach(e, all) {
		if (strncmp(e->string, recording, n) || e->string[n] != '/' ||
		    !is_looked_at(c, e->string + n + 1))
			continue;
		t = compare_table(c, e, e->string + n + 1);
		if (t && cJSON_HasObjectItem(t, "compared"))
			differ(c, "%s: compared twice", e->string);
		else if (t)
			cJSON_AddTrueToObject((cJSON *)(uintptr_t)t, "compared");
		seen++;
	}
	if (!seen || (c->n_only && seen != (size_t)c->n_only))
		die("'%s' has %zu of these tables of '%s'", expected_path, seen, recording);
	cJSON_ArrayForEach(t, list_of(c->report, "tables"))
		if (!c->n_only && !cJSON_HasObjectItem(t, "compared"))
			differ(c, "%s on %s: not an expected table", text_of(t, "name"),
			       text_of(t, "node"));
	cJSON_Delete(all);
	printf("%zu tables, %u comparisons, %u differences\n", seen, c->compared, c->differences);
}

static const cJSON *find_sstable(struct context *c, const char *node, const char *table,
				 const char *name)
{
	const cJSON *t = find_table(c, node, table), *s, *found = NULL;

	if (!t)
		return NULL;
	cJSON_ArrayForEach(s, list_of(t, "sstables")) {
		if (strcmp(text_of(s, "name"), name))
			continue;
		if (found)
			differ(c, "%s: two SSTables %s", table, name);
		found = s;
	}
	return found;
}

struct drop_counts { unsigned yes, no, compacted, by_memtable, afterwards; };

/* One row of a dropped.tsv: keyspace, table, SSTable, what became of it. */
static void compare_dropped_row(struct context *c, const char *node, char *row,
				struct drop_counts *counts)
{
	char *field[4], old[512];
	const cJSON *s;
	const char *state;
	bool droppable;

	for (int i = 0; i < 4; i++) {
		field[i] = strtok(i ? NULL : row, "\t");
		if (!field[i])
			die("a row of %d fields", i);
	}
	snprintf(old, sizeof(old), "%s.%s", field[0], field[1]);
	if (!is_looked_at(c, old))
		return;
	s = find_sstable(c, node, renamed_table(c, old), field[2]);
	if (!s) {
		if (strcmp(field[3], "no") || ++counts->afterwards > MADE_AFTERWARDS_MAX)
			differ(c, "%s %s: not in the report", old, field[2]);
		return;
	}
	state = text_of(s, "state");
	droppable = !strcmp(state, "droppable");
	cJSON_AddTrueToObject((cJSON *)(uintptr_t)s, "judged");
	c->compared++;
	if (!strcmp(field[3], "compacted")) {
		counts->compacted++;
	} else if (!strcmp(field[3], "yes")) {
		counts->yes++;
		if (!droppable)
			differ(c, "%s %s: dropped by the server, but %s", old, field[2], state);
	} else if (!strcmp(field[3], "no")) {
		counts->no++;
		if (droppable && !strcmp(old, held_by_memtable))
			counts->by_memtable++;
		else if (droppable)
			differ(c, "%s %s: left by the server, but droppable", old, field[2]);
	} else {
		die("unknown word '%s'", field[3]);
	}
}

static void find_unjudged(struct context *c, const char *node)
{
	const cJSON *t, *s;

	cJSON_ArrayForEach(t, list_of(c->report, "tables")) {
		if (node && strcmp(text_of(t, "node"), node))
			continue;
		cJSON_ArrayForEach(s, list_of(t, "sstables"))
			if (!c->n_only && !strcmp(text_of(s, "state"), "droppable") &&
			    !cJSON_HasObjectItem(s, "judged"))
				differ(c, "%s %s: droppable, but no row says what became of it",
				       text_of(t, "name"), text_of(s, "name"));
	}
}

static void compare_dropped(struct context *c, const char *path, const char *node)
{
	struct drop_counts counts = { 0 };
	char *rows = read_file(path), *text = rows, *line;
	bool has_memtable = strstr(rows, "x_memtable") != NULL;

	node = strcmp(node, "-") ? renamed(c, node) : NULL;
	while ((line = next_line(&text)))
		if (*line && *line != '#' && strncmp(line, "keyspace\t", 9))
			compare_dropped_row(c, node, line, &counts);
	free(rows);
	if (!c->compared)
		die("'%s' has no rows", path);
	if (has_memtable && counts.by_memtable != HELD_BY_MEMTABLE)
		differ(c, "%s: %u SSTables droppable by every file and left, expected %d",
		       held_by_memtable, counts.by_memtable, HELD_BY_MEMTABLE);
	find_unjudged(c, node);
	printf("%u rows: %u dropped, %u left (%u held by a memtable), %u compacted; %u made "
	       "afterwards; %u differences\n", c->compared, counts.yes, counts.no,
	       counts.by_memtable, counts.compacted, counts.afterwards, c->differences);
}

static bool finding_names(const cJSON *finding, const char *table)
{
	const cJSON *d;

	if (strstr(text_of(finding, "summary"), table))
		return true;
	cJSON_ArrayForEach(d, list_of(finding, "details"))
		if (cJSON_IsString(d) && strstr(d->valuestring, table))
			return true;
	return false;
}

static bool finding_names_all(const cJSON *finding, char **tables, int n)
{
	for (int i = 0; i < n; i++)
		if (!finding_names(finding, tables[i]))
			return false;
	return true;
}

static void compare_node_state(struct context *c, int count, const char *node, char **tables, int n)
{
	const cJSON *f;
	int findings = 0, naming = 0;

	cJSON_ArrayForEach(f, list_of(c->report, "findings")) {
		if (strcmp(text_of(f, "check"), "node-state") ||
		    severity_rank(text_of(f, "severity")) < severity_rank("warning") ||
		    (strcmp(node, "-") && strcmp(text_of(f, "node"), node)))
			continue;
		findings++;
		naming += finding_names_all(f, tables, n);
		if (!cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(f, "table")))
			differ(c, "node-state is a finding of table %s", text_of(f, "table"));
	}
	if (findings != count)
		differ(c, "%d node-state findings of node %s, expected %d", findings, node, count);
	if (n && naming != 1)
		differ(c, "%d node-state findings of node %s name the tables", naming, node);
}

int main(int argc, char **argv)
{
	static struct context c;

	if (argc >= 7 && !strcmp(argv[1], "findings")) {
		c.only = argv + 7;
		c.n_only = argc - 7;
		read_checks(&c, argv[4]);
		read_names(&c, argv[5]);
		c.report = read_json(argv[6]);
		compare_findings(&c, argv[2], argv[3]);
	} else if (argc >= 6 && !strcmp(argv[1], "dropped")) {
		c.only = argv + 6;
		c.n_only = argc - 6;
		read_names(&c, argv[4]);
		c.report = read_json(argv[5]);
		compare_dropped(&c, argv[2], argv[3]);
	} else if (argc >= 5 && !strcmp(argv[1], "node-state")) {
		c.report = read_json(argv[4]);
		compare_node_state(&c, atoi(argv[2]), argv[3], argv + 5, argc - 5);
	} else {
		die("usage: see the head of compare_report.c");
	}
	cJSON_Delete(c.report);
	return c.differences ? 1 : 0;
}
