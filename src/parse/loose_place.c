/*
 * What names of files and folders say of a loose text: "tablehistograms-metrics-readings.txt",
 * "sstablemetadata/metrics.readings.txt", ".../metrics/readings-<id>/ls.txt". Only for what the
 * text itself does not say.
 */
#include "base/arena.h"
#include "parse/loose.h"
#include "parse/pattern.h"

static struct pattern identifier = PATTERN("^\\w{1,200}$");

static bool is_identifier(struct slice s)
{
	return pattern_match(&identifier, s, NULL, 0);
}

/* Words that stand beside a command's name in files' names, and are no table's. */
static bool is_plain_word(struct slice s)
{
	static const char *const words[] = {
		"all", "out", "output", "log", "logs", "txt", "before", "after", "old", "new",
		"data",
		"nodetool", "stdout", "stderr", "H", "human", "full", "result", "results",
		"sstables",
		"json", "test", "info", "running", "tables", "cassandra", "scylla", "node", "nodes",
		"full", "short", "raw", "dump", "tmp", "files", "sstable",
	};
	static struct pattern number = PATTERN("^[0-9]+[A-Za-z]?$");

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (slice_eq_str(s, words[i]))
			return true;
	return s.n < 2 || pattern_match(&number, s, NULL, 0);
}

static struct slice without_endings(struct slice base)
{
	static const char *const endings[] = {
		".txt", ".log", ".out", ".info", ".cql", ".json", ".yaml", ".yml", ".tsv", ".csv",
		".md", ".stdout", ".stderr", ".lst", ".list",
	};
	bool cut;

	do {
		cut = false;
		for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
			struct slice e = slice_of(endings[i]);

			if (base.n > e.n && slice_ends(base, e)) {
				base.n -= e.n;
				cut = true;
			}
		}
	} while (cut);
	return base;
}

static bool is_separator(char c)
{
	return c == '-' || c == '_' || c == '.' || c == '@' || c == ' ';
}

/*
 * Takes a command's name off the beginning or the end of a file's name; what stays is its subject.
 * False when there is none.
 */
static bool take_command(struct slice *name, struct command_hint *h)
{
	struct slice rest = *name;

	if (slice_starts(rest, SLICE("nodetool")) && rest.n > 9 && is_separator(rest.p[8]))
		rest = slice_from(rest, 9);
	for (size_t i = rest.n; i > 0; i--) {
		if (i < rest.n && !is_separator(rest.p[i]))
			continue;
		if (prompt_command((struct slice){ rest.p, i }, h)) {
			*name = slice_from(rest, i < rest.n ? i + 1 : i);
			return true;
		}
	}
	for (size_t i = 1; i + 1 < rest.n; i++) {
		if (is_separator(rest.p[i]) && prompt_command(slice_from(rest, i + 1), h)) {
			*name = (struct slice){ rest.p, i };
			return true;
		}
	}
	return false;
}

/* "metrics.readings", "metrics-readings", "readings". */
static void set_names(struct arena *a, struct slice s, struct loose_hint *out)
{
	size_t cut = slice_find(s, '.');

	if (cut == s.n)
		cut = slice_find(s, '-');
	if (cut < s.n) {
		struct slice keyspace = { s.p, cut }, table = slice_from(s, cut + 1);

		if (!is_identifier(keyspace) || !is_identifier(table) || is_plain_word(keyspace) ||
		    is_plain_word(table))
			return;
		out->keyspace = arena_copy(a, keyspace);
		out->table = arena_copy(a, table);
	} else if (is_identifier(s) && !is_plain_word(s)) {
		out->table = arena_copy(a, s);
	}
}

static bool set_directory(struct arena *a, struct slice folder, struct slice above,
			  struct loose_hint *out)
{
	struct slice table, id, keyspace;

	parse_table_dir(folder, &table, &id);
	if (!id.n)
		return false;
	keyspace = slice_take_last(&above);
	out->directory = arena_copy(a, folder);
	out->table = arena_copy(a, table);
	if (is_identifier(keyspace))
		out->keyspace = arena_copy(a, keyspace);
	return true;
}

/* A file's name below the folders that are named after commands, tables or table directories. */
static void look_at_folders(struct arena *a, struct slice path, bool is_sstable,
			    struct loose_hint *out)
{
	struct command_hint h = { 0 };
	bool nearest = true;

	while (path.n) {
		struct slice folder = slice_take_last(&path), rest = folder;

		if (set_directory(a, folder, path, out))
			return;
		if (take_command(&rest, &h)) {
			out->kind = out->kind ? out->kind : h.kind;
			return;
		}
		/* one file for each SSTable, in a folder of the table */
		if (nearest && is_sstable)
			set_names(a, folder, out);
		nearest = false;
	}
}

/* "cass-01", "10.0.0.11" beside a command; "metrics.readings" is no host. */
static bool is_host_part(struct slice s)
{
	size_t dot = slice_find(s, '.');

	return prompt_is_host(s) &&
	       !(dot == slice_rfind(s, '.') && is_identifier(slice_from(s, dot + 1)) &&
		 is_identifier((struct slice){ s.p, dot }));
}

struct loose_hint loose_place(struct arena *a, const char *path)
{
	struct loose_hint out = { 0 }, above = { 0 };
	struct slice rest = slice_of(path), base = without_endings(slice_take_last(&rest));
	struct command_hint h = { 0 };
	struct sstable_name parts;
	bool is_sstable = parse_sstable_name(base, &parts);

	if (is_sstable) {
		look_at_folders(a, rest, true, &out);
		return out;
	}
	look_at_folders(a, rest, false, &above);
	if (take_command(&base, &h)) {
		out.kind = h.kind;
		out.unused = h.unused && !base.n;
		if (!is_host_part(base))
			set_names(a, base, &out);
	} else {
		out.kind = above.kind;
		/* what lies in a folder of a command, or has both names */
		if (above.kind || slice_find(base, '.') < base.n)
			set_names(a, base, &out);
	}
	if (above.directory) {
		out.directory = above.directory;
		out.table = above.table;
		out.keyspace = above.keyspace;
	}
	return out;
}

const char *loose_path_host(struct arena *a, struct slice path)
{
	struct slice folder, table, id;

	(void)slice_take_last(&path);
	while (path.n) {
		folder = slice_take_last(&path);
		parse_table_dir(folder, &table, &id);
		if (!id.n && prompt_is_host(folder))
			return arena_copy(a, folder);
	}
	return NULL;
}

static const char *copy_or_null(struct arena *a, struct slice s)
{
	return s.n ? arena_copy(a, s) : NULL;
}

struct loose_hint loose_hint_copy(struct arena *a, const struct command_hint *h)
{
	struct loose_hint out = {
		.kind = h->kind, .unused = h->unused, .host = copy_or_null(a, h->host),
		.keyspace = copy_or_null(a, h->keyspace), .table = copy_or_null(a, h->table),
	};
	struct slice path = h->path;

	/* a folder that was listed, or the one where it was */
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	while (!out.directory && path.n) {
		struct slice whole = path, folder = slice_take_last(&path);

		if (set_directory(a, folder, path, &out) && whole.p[0] == '/')
			out.folder = arena_copy(a, whole);
	}
	return out;
}
