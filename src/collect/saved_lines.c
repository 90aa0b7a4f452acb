/* Outputs that are not kept as they are. See saved_lines.h. */
#include "collect/saved_lines.h"

#include "base/num.h"
#include "base/slice.h"

/* ---- cassandra.yaml ---- */

static const char directories_key[] = "data_file_directories";

/* Source: Config (3.0 to 5.0) for the names, older spellings beside the newer ones. */
static const char *const used[] = {
	"cluster_name", "num_tokens", "partitioner", "concurrent_compactors",
	"compaction_throughput", "compaction_throughput_mb_per_sec", "incremental_backups",
	"auto_snapshot", "max_hint_window", "max_hint_window_in_ms", "tombstone_warn_threshold",
	"tombstone_failure_threshold", "uuid_sstable_identifiers_enabled",
	"storage_compatibility_mode", directories_key,
};

/* "key: value" at the start of a line. */
static bool split_setting(struct slice line, struct slice *key, struct slice *value)
{
	size_t colon = slice_find(line, ':');

	if (!colon || colon == line.n || line.p[0] == ' ' || line.p[0] == '\t' ||
	    line.p[0] == '#' || line.p[0] == '-')
		return false;
	*key = (struct slice){ line.p, colon };
	*value = slice_trim(slice_from(line, colon + 1));
	return true;
}

static bool is_used(struct slice key)
{
	for (size_t i = 0; i < ARRAY_LEN(used); i++)
		if (slice_eq_str(key, used[i]))
			return true;
	return false;
}

/* Without a comment after it and without quotes. */
static struct slice scalar(struct slice s)
{
	s = slice_trim(s);
	if (s.n && (s.p[0] == '"' || s.p[0] == '\'')) {
		struct slice inner = slice_from(s, 1);
		size_t end = slice_find(inner, s.p[0]);

		return end < inner.n ? (struct slice){ inner.p, end } : s;
	}
	for (size_t i = 1; i < s.n; i++)
		if (s.p[i] == '#' && (s.p[i - 1] == ' ' || s.p[i - 1] == '\t'))
			return slice_trim((struct slice){ s.p, i });
	return s;
}

static void add_directory(struct arena *a, struct path_list *list, struct slice s)
{
	s = scalar(s);
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	if (s.n && s.p[0] == '/')
		*vec_add(a, &list->paths) = arena_copy(a, s);
}

/* [ "/data1", /data2 ] */
static void add_flow(struct arena *a, struct path_list *list, struct slice value)
{
	struct slice rest, item;
	size_t end = slice_find(value, ']');

	rest = slice_from((struct slice){ value.p, end }, 1);
	while (slice_field(&rest, ',', &item))
		add_directory(a, list, item);
}

static void keep(struct buf *out, struct slice line)
{
	buf_add(out, line.p, line.n);
	buf_char(out, '\n');
}

void saved_yaml_lines(struct arena *a, struct slice yaml, struct buf *out,
		      struct path_list *directories)
{
	struct lines it = lines_of(yaml);
	struct slice line, key, value;
	bool in_list = false;

	while (lines_next(&it, &line)) {
		struct slice text = slice_trim(line);

		if (split_setting(line, &key, &value)) {
			in_list = slice_eq_str(key, directories_key);
			if (!is_used(key))
				continue;
			keep(out, line);
			if (in_list && value.n && value.p[0] == '[')
				add_flow(a, directories, value);
		} else if (in_list && text.n > 1 && text.p[0] == '-' && text.p[1] == ' ') {
			keep(out, line);
			add_directory(a, directories, slice_from(text, 2));
		} else if (text.n && text.p[0] != '#') {
			in_list = false;
		}
	}
}

/* ---- rows of system_schema ---- */

/* cqlsh shows each backslash of a value twice. */
static void add_row(struct buf *out, struct slice row, const char *from)
{
	buf_printf(out, "{\"from\": \"%s\"%s", from, row.n > 2 ? ", " : "");
	for (size_t i = 1; i < row.n; i++) {
		buf_char(out, row.p[i]);
		if (row.p[i] == '\\' && i + 1 < row.n && row.p[i + 1] == '\\')
			i++;
	}
	buf_char(out, '\n');
}

/* "(12 rows)" */
static bool read_count(struct slice line, int64_t *n)
{
	struct slice rest = slice_from(line, 1), word;

	return slice_starts(line, SLICE("(")) && slice_ends(line, SLICE(" rows)")) &&
	       slice_word(&rest, &word) && num_parse_i64(word, n);
}

const char *saved_schema_rows(struct arena *a, struct slice printed, const char *from,
			      struct buf *out)
{
	struct lines it = lines_of(printed);
	bool heading = false;
	int64_t seen = 0, n;
	struct slice line;

	while (lines_next(&it, &line)) {
		line = slice_trim(line);
		if (slice_eq(line, SLICE("[json]"))) {
			heading = true;
		} else if (heading && line.n > 1 && line.p[0] == '{' &&
			   line.p[line.n - 1] == '}') {
			add_row(out, line, from);
			seen++;
		} else if (heading && it.terminated && read_count(line, &n)) {
			return n == seen ? NULL
					 : arena_printf(a, "%lld rows of system_schema.%s are "
							   "counted, "
							"%lld were read", (long long)n, from,
							(long long)seen);
		}
	}
	return arena_printf(a, "cqlsh printed no whole answer for system_schema.%s", from);
}
