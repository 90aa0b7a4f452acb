/* See recognise.h. */
#include "parse/recognise.h"

#include "parse/nodetool.h"
#include "parse/pattern.h"

const struct loose_form loose_forms[LOOSE_KINDS] = {
	[LOOSE_NONE] = { EV_LOOSE, NULL, "output" },
	[LOOSE_TABLESTATS] = { EV_TABLESTATS, parse_tablestats, "tablestats" },
	[LOOSE_TABLESTATS_DATA] = { EV_TABLESTATS, parse_tablestats_json, "tablestats" },
	[LOOSE_HISTOGRAMS] = { EV_TABLEHISTOGRAMS, parse_tablehistograms, "tablehistograms" },
	[LOOSE_COMPACTIONSTATS] = { EV_COMPACTIONSTATS, parse_compactionstats, "compactionstats" },
	[LOOSE_METADATA] = { EV_SSTABLEMETADATA, parse_sstablemetadata, "sstablemetadata" },
	[LOOSE_SCHEMA] = { EV_SCHEMA, parse_schema, "schema" },
	[LOOSE_SCHEMA_ROWS] = { EV_SCHEMA, parse_schema_json, "schema" },
	[LOOSE_STATUS] = { EV_STATUS, parse_status, "status" },
	[LOOSE_INFO] = { EV_INFO, parse_info, "info" },
	[LOOSE_VERSION] = { EV_VERSION, parse_version, "version" },
	[LOOSE_DESCRIBECLUSTER] = { EV_DESCRIBECLUSTER, parse_describecluster, "describecluster" },
	[LOOSE_AUTOCOMPACTION] = { EV_STATUSAUTOCOMPACTION, parse_statusautocompaction,
				   "statusautocompaction" },
	[LOOSE_DATAPATHS] = { EV_DATAPATHS, parse_datapaths, "datapaths" },
	[LOOSE_DF] = { EV_DISK_USAGE, parse_df, "df" },
	[LOOSE_LISTING] = { EV_LISTING, parse_listing, "listing" },
	[LOOSE_FILES] = { EV_LISTING, parse_file_listing, "listing" },
	[LOOSE_BLOCKERS] = { EV_EXPIREDBLOCKERS, parse_expiredblockers, "sstableexpiredblockers" },
	[LOOSE_SETTINGS] = { EV_SETTINGS, NULL, "cassandra.yaml" },
	[LOOSE_JSON] = { EV_LOOSE, NULL, "JSON" },
	[LOOSE_DUMP_STATISTICS] = { EV_SSTABLEMETADATA, parse_dump_statistics_json,
				    "dump-statistics" },
	[LOOSE_NODE] = { EV_NODE, parse_node_json, "node.json" },
	[LOOSE_BUNDLE] = { EV_BUNDLE, parse_bundle_json, "bundle.json" },
	[LOOSE_COMPLAINT] = { EV_LOOSE, NULL, "error message" },
};

/* ---- lines by their beginning ---- */

struct opening {
	const char *text;
	enum loose_kind kind;
	enum line_role role;
	bool indented;		/* may stand behind blanks */
};

#define STARTS(kind, text) { text, LOOSE_##kind, LINE_STARTS, true }
#define JOINS(kind, text) { text, LOOSE_##kind, LINE_JOINS, true }
#define JOINS_AT_MARGIN(kind, text) { text, LOOSE_##kind, LINE_JOINS, false }

static const struct opening openings[] = {
	STARTS(TABLESTATS, "Total number of tables:"), STARTS(TABLESTATS, "Keyspace: "),
	STARTS(TABLESTATS, "Keyspace : "), JOINS(TABLESTATS, "Table: "),
	JOINS(TABLESTATS, "Table (index): "), JOINS(TABLESTATS, "Column Family: "),
	JOINS(TABLESTATS, "SSTable count:"), JOINS(TABLESTATS, "SSTables in each level:"),
	JOINS(TABLESTATS, "SSTable Compression Ratio:"), JOINS(TABLESTATS, "SSTables Time Window:"),
	JOINS(TABLESTATS, "Space used "), JOINS(TABLESTATS, "Old SSTable count:"),
	JOINS(TABLESTATS, "Off heap memory used"), JOINS(TABLESTATS, "Number of partitions ("),
	JOINS(TABLESTATS, "Number of keys ("), JOINS(TABLESTATS, "Number of Keys ("),
	JOINS(TABLESTATS, "Memtable "), JOINS(TABLESTATS, "Local read "),
	JOINS(TABLESTATS, "Local write "), JOINS(TABLESTATS, "Compacted partition "),
	JOINS(TABLESTATS, "Compacted row "), JOINS(TABLESTATS, "Average live cells "),
	JOINS(TABLESTATS, "Average tombstones "), JOINS(TABLESTATS, "Maximum live cells "),
	JOINS(TABLESTATS, "Maximum tombstones "), JOINS(TABLESTATS, "Bloom filter "),
	JOINS(TABLESTATS, "Droppable tombstone ratio:"), JOINS(TABLESTATS, "Percent repaired:"),
	JOINS(TABLESTATS, "Dropped Mutations:"), JOINS(TABLESTATS, "Read Latency:"),
	JOINS(TABLESTATS, "Read Count:"), JOINS(TABLESTATS, "Write Count:"),
	JOINS(TABLESTATS, "Write Latency:"), JOINS(TABLESTATS, "Pending Flushes:"),
	JOINS(TABLESTATS, "Pending flushes:"),
	STARTS(TABLESTATS_DATA, "total_number_of_tables:"),
	STARTS(HISTOGRAMS, "No SSTables exists"), STARTS(HISTOGRAMS, "Row sizes are larger than "),
	STARTS(HISTOGRAMS, "Column counts are larger than "), STARTS(HISTOGRAMS, "Percentile  "),
	STARTS(HISTOGRAMS, "Offset  "),
	STARTS(COMPACTIONSTATS, "pending tasks:"), STARTS(COMPACTIONSTATS, "concurrent "
									   "compactors "),
	JOINS(COMPACTIONSTATS, "Active compaction remaining time"),
	JOINS(COMPACTIONSTATS, "active compaction remaining time"),
	JOINS(COMPACTIONSTATS, "compactions completed "), JOINS(COMPACTIONSTATS, "data compacted "),
	STARTS(METADATA, "SSTable: "), STARTS(METADATA, "No such file: "),
	JOINS(METADATA, "Minimum timestamp:"), JOINS(METADATA, "Maximum timestamp:"),
	JOINS(METADATA, "SSTable min local deletion time:"),
	JOINS(METADATA, "SSTable max local deletion time:"),
	JOINS(METADATA, "Bloom Filter FP chance:"), JOINS(METADATA, "Compression ratio:"),
	JOINS(METADATA, "TTL min:"), JOINS(METADATA, "TTL max:"), JOINS(METADATA, "First token:"),
	JOINS(METADATA, "Last token:"), JOINS(METADATA, "Estimated droppable tombstones:"),
	JOINS(METADATA, "SSTable Level:"), JOINS(METADATA, "Repaired at:"),
	JOINS(METADATA, "Pending repair:"), JOINS(METADATA, "Replay positions covered:"),
	JOINS(METADATA, "totalColumnsSet:"), JOINS(METADATA, "totalRows:"),
	JOINS(METADATA, "Estimated tombstone drop times:"), JOINS(METADATA, "EncodingStats min"),
	JOINS(METADATA, "Covered clusterings:"), JOINS(METADATA, "minClust"),
	JOINS(METADATA, "maxClust"), JOINS(METADATA, "Originating host id:"),
	JOINS_AT_MARGIN(METADATA, "Partitioner: "), JOINS_AT_MARGIN(METADATA, "Compressor: "),
	JOINS_AT_MARGIN(METADATA, "KeyType: "),
	STARTS(STATUS, "Datacenter: "), JOINS(STATUS, "Status=Up/Down"),
	JOINS(STATUS, "|/ State="), STARTS(VERSION, "ReleaseVersion:"),
	STARTS(DESCRIBECLUSTER, "Cluster Information:"), JOINS(DATAPATHS, "Paths:"),
	STARTS(SETTINGS, "data_file_directories:"), STARTS(SETTINGS, "cluster_name:"),
	STARTS(SCHEMA_ROWS, "[json]"), STARTS(BLOCKERS, "No sstables for "),
	STARTS(COMPLAINT, "nodetool: "), STARTS(COMPLAINT, "error: "), STARTS(COMPLAINT, "Error: "),
	STARTS(COMPLAINT, "ERROR: "), STARTS(COMPLAINT, "Exception in thread "),
	STARTS(COMPLAINT, "Connection error: "), STARTS(COMPLAINT, "Traceback (most recent "),
	STARTS(COMPLAINT, "cqlsh: "), STARTS(COMPLAINT, "-- StackTrace --"),
	STARTS(COMPLAINT, "See 'nodetool help'"), STARTS(COMPLAINT, "Usage: sstable"),
};

static const struct opening *find_opening(struct slice text, bool indented)
{
	for (size_t i = 0; i < ARRAY_LEN(openings); i++) {
		const struct opening *o = &openings[i];

		if (o->text[0] == text.p[0] && (o->indented || !indented) &&
		    slice_starts(text, slice_of(o->text)))
			return o;
	}
	return NULL;
}

static bool contains(struct slice s, struct slice word)
{
	for (size_t i = 0; s.n >= word.n && i <= s.n - word.n; i++) {
		const char *at = memchr(s.p + i, word.p[0], s.n - word.n - i + 1);

		if (!at)
			return false;
		i = (size_t)(at - s.p);
		if (memcmp(at, word.p, word.n) == 0)
			return true;
	}
	return false;
}

/* ---- lines by their form ---- */

bool recognise_title(struct slice line, struct slice *keyspace, struct slice *table)
{
	struct slice rest = slice_trim(line), name, word;
	size_t slash;

	if (!slice_ends(rest, SLICE(" histograms")) || !slice_word(&rest, &name) ||
	    !slice_word(&rest, &word) || !slice_eq(word, SLICE("histograms")))
		return false;
	slash = slice_find(name, '/');
	if (!slash || slash + 1 >= name.n)
		return false;
	*keyspace = (struct slice){ name.p, slash };
	*table = slice_from(name, slash + 1);
	return true;
}

/* "pending tasks   3" of 5.0, and headings of running compactions. */
static bool is_compaction_line(struct slice text, enum line_role *role)
{
	struct slice rest = text, word;

	*role = LINE_JOINS;
	if (slice_starts(text, SLICE("pending tasks  ")) && slice_word(&rest, &word) &&
	    slice_word(&rest, &word) && slice_word(&rest, &word)) {
		*role = LINE_STARTS;
		return word.p[0] >= '0' && word.p[0] <= '9';
	}
	rest = text;
	if (!slice_word(&rest, &word))
		return false;
	if (slice_eq(word, SLICE("id")))
		rest = slice_trim(rest);
	else if (slice_eq(word, SLICE("keyspace")))
		return slice_starts(slice_trim(rest), SLICE("table ")) &&
		       slice_ends(text, SLICE("unit"));
	else
		rest = text;
	return slice_starts(rest, SLICE("compaction type "));
}

static bool is_percent_row(struct slice text)
{
	static const struct slice rows[] = {
		{ "50% ", 4 }, { "75% ", 4 }, { "95% ", 4 }, { "98% ", 4 }, { "99% ", 4 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (slice_starts(text, rows[i]))
			return true;
	return false;
}

/* "UN  10.0.0.11  1.02 TiB  16 …" */
static bool is_status_line(struct slice text)
{
	static struct pattern line = PATTERN("^(?:U|D|\\?|XU|X)[NLJM] +[0-9A-Za-z\\[][^ ]* "
					     "+[0-9?]");

	return (text.p[0] == 'U' || text.p[0] == 'D' || text.p[0] == '?' || text.p[0] == 'X') &&
	       pattern_match(&line, text, NULL, 0);
}

static bool is_schema_line(struct slice text, enum line_role *role)
{
	static struct pattern start = PATTERN(
		"^(?i:(?:CREATE|ALTER|DROP) +(?:OR +REPLACE "
		"+)?(?:TABLE|COLUMNFAMILY|KEYSPACE|SCHEMA"
		"|MATERIALIZED +VIEW|TYPE|(?:CUSTOM +)?INDEX|FUNCTION|AGGREGATE|TRIGGER)\\b"
		"|USE +[\"\\w]+ *;)");
	static struct pattern option = PATTERN(
		"^(?i:(?:(?:WITH|AND) "
		"+)?(?:compaction|gc_grace_seconds|default_time_to_live|caching"
		"|compression|comment|bloom_filter_fp_chance|additional_write_policy"
		"|speculative_retry|(?:dclocal_)?read_repair_chance|read_repair|max_index_interval"
		"|min_index_interval|memtable_flush_period_in_ms|crc_check_chance|ID) *="
		"|WITH +(?:CLUSTERING +ORDER +BY|COMPACT +STORAGE)\\b|AND +CLUSTERING +ORDER "
		"+BY\\b)");
	char c = text.p[0] | 0x20;

	*role = LINE_JOINS;
	if (!((c >= 'a' && c <= 'd') || c == 'w' || c == 'u' || c == 'g' || c == 's' || c == 'r' ||
	      c == 'm' || c == 'i'))
		return false;
	if (pattern_match(&start, text, NULL, 0)) {
		*role = LINE_STARTS;
		return true;
	}
	return pattern_match(&option, text, NULL, 0);
}

/* The last word's file is a component of an SSTable, or the line is a row of `ls -l`. */
static bool is_file_line(struct slice text)
{
	static struct pattern row = PATTERN(
		"^[-dlbcps][-rwxsStT]{9}[.+@]? +[0-9]+ +\\S+ .*[0-9]");
	static struct pattern name = PATTERN(
		"^(?:\\S*/)?"
		"(?:[a-z]{2}-(?:[0-9]{1,19}|[0-9a-z]{4}_[0-9a-z]{4}_[0-9a-z]{18})-(?:big|bti)"
		"|[A-Za-z0-9_]+-[A-Za-z0-9_.]+-[h-k][a-z]-[0-9]{1,19})-[A-Za-z0-9_+]+"
		"\\.(?:db|txt|crc32|adler32|sha1)(?:[ \\t]+[0-9].*)?$");
	static struct pattern last = PATTERN(
		"^[0-9.]+[ \\t].*[ "
		"\\t/][a-z]{2}-[0-9a-z_]+-(?:big|bti)-[A-Za-z0-9_+]+\\.(?:db|txt)$");

	if (text.n < 12)
		return false;
	if (strchr("-dlbcps", text.p[0]) && pattern_match(&row, text, NULL, 0))
		return true;
	if (!contains(text, SLICE(".db")) && !contains(text, SLICE(".txt")) &&
	    !contains(text, SLICE(".crc32")) && !contains(text, SLICE(".adler32")) &&
	    !contains(text, SLICE(".sha1")))
		return false;
	return pattern_match(&name, text, NULL, 0) || pattern_match(&last, text, NULL, 0);
}

/* The heading of a table of files, with tabs between its columns. */
static bool is_listing_heading(struct slice text)
{
	struct slice rest = text, field;
	bool name = false, bytes = false;

	if (slice_find(text, '\t') == text.n)
		return false;
	while (slice_field(&rest, '\t', &field)) {
		field = slice_trim(field);
		name |= slice_eq(field, SLICE("name")) || slice_eq(field, SLICE("file"));
		bytes |= slice_eq(field, SLICE("bytes"));
	}
	return name && bytes;
}

static bool is_df_heading(struct slice text)
{
	static struct pattern heading = PATTERN(
		"^Filesystem +(?:Type +)?(?:[0-9]*[BKMG]?-?blocks|Size)\\b.*(?:Avail|Mounted)");

	return text.p[0] == 'F' && pattern_match(&heading, text, NULL, 0);
}

/* "ks  table  running" and "ks table not running" */
static bool is_autocompaction_line(struct slice text)
{
	static struct pattern line = PATTERN("^\\w+ +[\\w.]+ +(?:not )?running *$");

	return slice_ends(slice_trim(text), SLICE("running")) &&
	       pattern_match(&line, text, NULL, 0);
}

static bool is_info_line(struct slice text)
{
	struct slice value;

	return slice_starts(text, SLICE("ID ")) && nodetool_value(text, "ID", &value) &&
	       nodetool_is_uuid(value);
}

static struct line_sign json_line(struct slice text)
{
	if (contains(text, SLICE("\"keyspace_name\"")))
		return (struct line_sign){ LOOSE_SCHEMA_ROWS, LINE_JOINS };
	return (struct line_sign){ LOOSE_JSON, LINE_STARTS };
}

/* Lines that are told by their form; most begin with a byte that few others have. */
static struct line_sign by_form(struct slice text)
{
	struct slice keyspace, table;
	enum line_role role;

	if (text.p[0] == '{' && text.n > 0 && (text.n == 1 || text.p[1] != '{'))
		return json_line(text);
	if (text.p[0] == '[' && contains(text, SLICE("(minTS = ")))
		return (struct line_sign){ LOOSE_BLOCKERS, LINE_JOINS };
	if (text.p[0] >= '5' && text.p[0] <= '9' && is_percent_row(text))
		return (struct line_sign){ LOOSE_HISTOGRAMS, LINE_JOINS };
	if (is_status_line(text))
		return (struct line_sign){ LOOSE_STATUS, LINE_JOINS };
	if (is_info_line(text))
		return (struct line_sign){ LOOSE_INFO, LINE_STARTS };
	if (is_compaction_line(text, &role))
		return (struct line_sign){ LOOSE_COMPACTIONSTATS, role };
	if (is_df_heading(text))
		return (struct line_sign){ LOOSE_DF, LINE_STARTS };
	if (is_schema_line(text, &role))
		return (struct line_sign){ LOOSE_SCHEMA, role };
	if (is_listing_heading(text))
		return (struct line_sign){ LOOSE_LISTING, LINE_STARTS };
	if (recognise_title(text, &keyspace, &table))
		return (struct line_sign){ LOOSE_HISTOGRAMS, LINE_STARTS };
	if (is_file_line(text))
		return (struct line_sign){ LOOSE_FILES, LINE_JOINS };
	if (is_autocompaction_line(text))
		return (struct line_sign){ LOOSE_AUTOCOMPACTION, LINE_JOINS };
	return (struct line_sign){ LOOSE_NONE, LINE_OTHER };
}

struct line_sign recognise_line(struct slice line)
{
	struct slice text = slice_trim(line);
	const struct opening *o;

	if (!text.n)
		return (struct line_sign){ LOOSE_NONE, LINE_OTHER };
	o = find_opening(text, text.p != line.p);
	if (o)
		return (struct line_sign){ o->kind, o->role };
	return by_form(text);
}

bool recognise_stays(enum loose_kind kind, struct slice line, struct line_sign sign)
{
	bool at_margin = line.n && line.p[0] != ' ' && line.p[0] != '\t';

	if (sign.role == LINE_OTHER || sign.kind == kind)
		return true;
	switch (kind) {
	case LOOSE_DATAPATHS:	/* the same headings, without numbers below */
		return sign.kind == LOOSE_TABLESTATS && slice_find(line, ':') < line.n &&
		       (slice_starts(slice_trim(line), SLICE("Keyspace")) ||
			slice_starts(slice_trim(line), SLICE("Table")));
	case LOOSE_TABLESTATS_DATA:	/* keys of tables are any text */
		return !at_margin;
	case LOOSE_SETTINGS:
		return sign.kind == LOOSE_SETTINGS;
	default:	/* what a tool complains of within its output is its parser's matter */
		return sign.kind == LOOSE_COMPLAINT;
	}
}

enum loose_kind recognise_json(struct slice text)
{
	struct slice head = text;

	if (head.n > 64 * 1024)
		head.n = 64 * 1024;
	if (contains(head, SLICE("\"twcscheck-bundle\"")))
		return LOOSE_BUNDLE;
	if (contains(head, SLICE("\"now_s\"")) && contains(head, SLICE("\"commands\"")))
		return LOOSE_NODE;
	if (contains(head, SLICE("\"total_number_of_tables\"")) ||
	    contains(head, SLICE("\"space_used_live\"")))
		return LOOSE_TABLESTATS_DATA;
	if (contains(head, SLICE("\"sstables\"")) || contains(head, SLICE("-Data.db\"")) ||
	    contains(head, SLICE("\"max_local_deletion_time\"")))
		return LOOSE_DUMP_STATISTICS;
	if (contains(head, SLICE("\"keyspace_name\"")))
		return LOOSE_SCHEMA_ROWS;
	return LOOSE_JSON;
}

enum loose_kind recognise_kind_of(unsigned evidence_kind)
{
	for (unsigned k = LOOSE_TABLESTATS; k < LOOSE_KINDS; k++)
		if (loose_forms[k].parse && loose_forms[k].kind == evidence_kind)
			return (enum loose_kind)k;
	return LOOSE_NONE;
}
