/* Labels and values of sstablemetadata's lines. See metadata_line.h. */
#include "parse/metadata_line.h"

#include "base/num.h"
#include "base/slice.h"
#include "parse/pattern.h"

/* Sorted by first letter; within a letter the frequent ones first. */
static const struct {
	struct slice text;
	enum metadata_label label;
} labels[] = {
#define ROW(literal, label) { { literal, sizeof(literal) - 1 }, label }
	ROW("Bloom Filter FP chance", LABEL_NONE),
	ROW("Compression ratio", LABEL_RATIO),
	ROW("Covered clusterings", LABEL_CLUSTERINGS),
	ROW("Column Count", LABEL_LATER),
	ROW("ClusteringTypes", LABEL_LATER),
	ROW("Estimated droppable tombstones", LABEL_DROPPABLE),
	ROW("Estimated tombstone drop times", LABEL_DROP_TIMES),
	ROW("Estimated cardinality", LABEL_LATER),
	ROW("EncodingStats minTTL", LABEL_LATER),
	ROW("EncodingStats minLocalDeletionTime", LABEL_LATER),
	ROW("EncodingStats minTimestamp", LABEL_LATER),
	ROW("First token", LABEL_FIRST_TOKEN),
	ROW("IsTransient", LABEL_LAST_LINE),
	ROW("KeyType", LABEL_LATER),
	ROW("Last token", LABEL_LAST_TOKEN),
	ROW("Local token space coverage", LABEL_LATER),
	ROW("Minimum timestamp", LABEL_MIN_TS),
	ROW("Maximum timestamp", LABEL_MAX_TS),
	ROW("No such file", LABEL_NO_SUCH_FILE),
	ROW("Originating host id", LABEL_HOST_ID),
	ROW("Partitioner", LABEL_PARTITIONER),
	ROW("Pending repair", LABEL_PENDING),
	ROW("Partition Size", LABEL_SIZES),
	ROW("Repaired at", LABEL_REPAIRED),
	ROW("Replay positions covered", LABEL_REPLAY),
	ROW("RegularColumns", LABEL_LAST_LINE),
	ROW("SSTable", LABEL_SSTABLE),
	ROW("SSTable min local deletion time", LABEL_MIN_LDT),
	ROW("SSTable max local deletion time", LABEL_MAX_LDT),
	ROW("SSTable Level", LABEL_LEVEL),
	ROW("StaticColumns", LABEL_LATER),
	ROW("TTL min", LABEL_TTL_MIN),
	ROW("TTL max", LABEL_TTL_MAX),
	ROW("maxClusteringValues", LABEL_MAX_CLUSTERING),
	ROW("maxClustringValues", LABEL_MAX_CLUSTERING),
	ROW("minClusteringValues", LABEL_MIN_CLUSTERING),
	ROW("minClustringValues", LABEL_MIN_CLUSTERING),
	ROW("totalColumnsSet", LABEL_COLUMNS),
	ROW("totalRows", LABEL_ROWS),
#undef ROW
};

/*
 * In brackets only digits count: key and date texts stand there too, but never alone behind a
 * label that takes a number.
 */
static struct pattern number_line = PATTERN(
	"^(-?[0-9]+)(?: \\(.*\\))?[ \\t]*$|^[^(]*\\((-?[0-9]+)\\)[ \\t]*$");
/* ... of a line without its end: what follows the number proves that it is whole. */
static struct pattern number_open = PATTERN("^(-?[0-9]+) \\(|^[^(]*\\((-?[0-9]+)\\)");
static struct pattern token_line = PATTERN("^(-?[0-9]+)(?: \\(|[ \\t]*$)");
static struct pattern token_open = PATTERN("^(-?[0-9]+) \\(");
static struct pattern uuid_line = PATTERN(
	"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$");
static struct pattern row_three = PATTERN("^([0-9]+) +([0-9]+)(?: +[0-9]+)? *$");
static struct pattern row_bar = PATTERN("^ +([0-9]+)(?: \\([^)|]*\\))? *\\| *([0-9]+)(?: |$)");

/* Where the labels of a first letter begin in the table; 0 = nowhere, else 1 + index. */
static unsigned char first_row[128];

static void index_labels(void)
{
	for (size_t i = ARRAY_LEN(labels); i > 0; i--)
		first_row[(unsigned char)labels[i - 1].text.p[0]] = (unsigned char)i;
}

/* The heading of 3.x's histograms has no colon: "Count    Row Size    Cell Count". */
static bool is_size_heading(struct slice line)
{
	struct slice word, rest = line;

	return slice_starts(line, SLICE("Count ")) && slice_word(&rest, &word) &&
	       slice_word(&rest, &word) && slice_eq(word, SLICE("Row")) &&
	       slice_word(&rest, &word) && slice_eq(word, SLICE("Size"));
}

enum metadata_label metadata_label(struct slice line, struct slice *value)
{
	unsigned char c = line.n ? (unsigned char)line.p[0] : 0;

	if (!first_row['T'])
		index_labels();
	if (c >= sizeof(first_row) || !first_row[c])
		return LABEL_NONE;
	for (size_t i = first_row[c] - 1u; i < ARRAY_LEN(labels); i++) {
		struct slice text = labels[i].text;

		if (text.p[0] != (char)c)
			break;
		if (line.n > text.n && line.p[text.n] == ':' && slice_starts(line, text) &&
		    (line.n == text.n + 1 || line.p[text.n + 1] == ' ')) {
			*value = slice_trim(slice_from(line, text.n + 1));
			return labels[i].label;
		}
	}
	*value = (struct slice){ line.p + line.n, 0 };
	return c == 'C' && is_size_heading(line) ? LABEL_SIZE_TABLE : LABEL_NONE;
}

const char *metadata_label_text(enum metadata_label label)
{
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		if (labels[i].label == label)
			return labels[i].text.p;
	return "Row Size";
}

bool metadata_number(struct slice value, bool whole, int64_t *out, bool *text_first)
{
	struct slice m[3];

	if (!pattern_match(whole ? &number_line : &number_open, value, m, ARRAY_LEN(m)))
		return false;
	if (text_first)
		*text_first = m[1].p == NULL;
	return num_parse_i64(m[1].p ? m[1] : m[2], out);
}

bool metadata_token(struct slice value, bool whole, int64_t *out)
{
	struct slice m[2];

	return pattern_match(whole ? &token_line : &token_open, value, m, ARRAY_LEN(m)) &&
	       num_parse_i64(m[1], out);
}

bool metadata_is_uuid(struct slice value)
{
	return pattern_match(&uuid_line, value, NULL, 0);
}

bool metadata_session(struct slice value, bool whole, struct slice *id)
{
	*id = (struct slice){ value.p, 0 };
	if (!whole)
		return false;
	if (slice_eq(value, SLICE("--")))
		return true;
	if (!metadata_is_uuid(value))
		return false;
	*id = value;
	return true;
}

/* A row of 3.x with a count of 0, as nearly all are: known without a pattern. */
static bool is_empty_row(struct slice line)
{
	size_t i = 0;

	while (i < line.n && line.p[i] >= '0' && line.p[i] <= '9')
		i++;
	while (i < line.n && line.p[i] == ' ')
		i++;
	return i + 1 < line.n && line.p[i] == '0' && line.p[i + 1] == ' ';
}

bool metadata_size_row(struct slice line, bool three_columns, int64_t *size, int64_t *count)
{
	struct slice m[3];

	*count = 0;
	if (three_columns && is_empty_row(line))
		return true;
	return pattern_match(three_columns ? &row_three : &row_bar, line, m, ARRAY_LEN(m)) &&
	       num_parse_i64(m[1], size) && num_parse_i64(m[2], count);
}
