/* From a record of sstablemetadata to facts. See metadata_record.h. */
#include "parse/metadata_record.h"

#include "base/num.h"
#include "base/slice.h"

enum { NO_DELETION_32 = INT32_MAX, TTL_NONE = INT32_MAX };

static bool is_known(const struct metadata_record *rec, enum metadata_label label)
{
	return (rec->seen & ~rec->doubted & BIT(label)) != 0;
}

static struct opt_i64 known_number(const struct metadata_record *rec, enum metadata_label label)
{
	return is_known(rec, label) ? some_i64(rec->number[label]) : (struct opt_i64){ 0 };
}

static struct opt_f64 known_ratio(const struct metadata_record *rec, enum metadata_label label)
{
	double v;

	if (!is_known(rec, label) || !num_parse_f64(rec->text[label], &v) || v < 0)
		return (struct opt_f64){ 0 };	/* NaN, or -1 for "not compressed" */
	return some_f64(v);
}

/* Cell.NO_DELETION_TIME is 2147483647 up to 4.1 and INT64_MAX in 5.0. */
static struct opt_i64 deletion_time(const struct metadata_record *rec, enum metadata_label label)
{
	struct opt_i64 t = known_number(rec, label);

	if (t.known && t.v == NO_DELETION_32 && !rec->text_first)
		t.v = TIME_NEVER;
	return t;
}

static void set_deletion_times(const struct metadata_record *rec, struct sstable_meta *m)
{
	m->min_ldt_s = deletion_time(rec, LABEL_MIN_LDT);
	m->max_ldt_s = deletion_time(rec, LABEL_MAX_LDT);
	/*
	 * Files older than 3.0 have no minimum: the tool prints the sentinel. It is one that
	 * means something only beside the same maximum.
	 */
	if (m->min_ldt_s.known && m->min_ldt_s.v == TIME_NEVER &&
	    !(m->max_ldt_s.known && m->max_ldt_s.v == TIME_NEVER))
		m->min_ldt_s.known = false;
}

/*
 * A maximum from 2147483647 on, or a negative one: none was recorded (files older than 3.0),
 * whatever the minimum is. So each needs the other.
 */
static void set_ttls(const struct metadata_record *rec, struct sstable_meta *m)
{
	m->min_ttl_s = known_number(rec, LABEL_TTL_MIN);
	m->max_ttl_s = known_number(rec, LABEL_TTL_MAX);
	if (!m->min_ttl_s.known || !m->max_ttl_s.known || m->max_ttl_s.v >= TTL_NONE ||
	    m->min_ttl_s.v < 0 || m->max_ttl_s.v < 0)
		m->min_ttl_s.known = m->max_ttl_s.known = false;
}

/*
 * Other partitioners' tokens are no 64-bit numbers: their SSTables may overlap anything. One end
 * of the range alone says nothing either.
 */
static void set_tokens(struct metadata_record *rec, struct sstable_meta *m)
{
	if (!m->partitioner ||
	    !slice_ends(slice_of(m->partitioner), SLICE(".Murmur3Partitioner")))
		return;
	m->first_token = known_number(rec, LABEL_FIRST_TOKEN);
	m->last_token = known_number(rec, LABEL_LAST_TOKEN);
	rec->tokens_reversed = m->first_token.known && m->last_token.known &&
			       m->first_token.v > m->last_token.v;
	if (rec->tokens_reversed || !m->first_token.known || !m->last_token.known)
		m->first_token.known = m->last_token.known = false;
}

static void set_repair(struct arena *a, const struct metadata_record *rec, struct sstable_meta *m)
{
	struct slice session = rec->text[LABEL_PENDING];

	m->repair_known = is_known(rec, LABEL_REPAIRED) && !(rec->doubted & BIT(LABEL_PENDING));
	if (!m->repair_known)
		return;
	m->repaired_at_ms = rec->number[LABEL_REPAIRED];
	if (is_known(rec, LABEL_PENDING) && session.n)
		m->pending_repair = arena_copy(a, session);
}

/* Files older than 3.0 have no totals: the tool prints -1. */
static void set_totals(const struct metadata_record *rec, struct sstable_meta *m)
{
	struct opt_i64 columns = known_number(rec, LABEL_COLUMNS);
	struct opt_i64 rows = known_number(rec, LABEL_ROWS);

	if (columns.known && columns.v >= 0)
		m->columns_set = columns;
	if (rows.known && rows.v >= 0)
		m->rows = rows;
	if (rec->largest_whole && rec->largest > 0 &&
	    !(rec->doubted & (BIT(LABEL_SIZES) | BIT(LABEL_SIZE_TABLE))))
		m->max_partition_bytes = some_i64(rec->largest);
}

static void set_partitioner(struct arena *a, const struct metadata_record *rec,
			    const char *shared, struct sstable_meta *m)
{
	struct slice p = rec->text[LABEL_PARTITIONER];

	if (is_known(rec, LABEL_PARTITIONER))
		m->partitioner = shared && slice_eq_str(p, shared) ? shared : arena_copy(a, p);
}

/* 4.0 and later ("na", and every "bti") print a pending repair behind the repair time. */
static bool prints_pending(const struct metadata_record *rec)
{
	return rec->name.n && (rec->name.p[0] >= 'n' || slice_ends(rec->name, SLICE("-bti")));
}

/*
 * What can't be trusted because the record ends too early for it. A record without any keys is one
 * of a grep, or of a release that prints none: then nothing can have faked what follows them.
 */
static void doubt_what_was_cut(struct metadata_record *rec)
{
	bool keys = (rec->seen & KEY_LABELS) != 0, tail = (rec->seen & TAIL_LABELS) != 0;
	bool first_only = (rec->seen & BIT(LABEL_FIRST_TOKEN)) &&
			  !(rec->seen & BIT(LABEL_LAST_TOKEN));
	bool minimum_only = (rec->seen & BIT(LABEL_MIN_CLUSTERING)) &&
			    !(rec->seen & BIT(LABEL_MAX_CLUSTERING));

	if ((keys && !tail) || first_only || minimum_only)
		rec->doubted |= STATE_LABELS;
	if (!tail && !(rec->seen & BIT(LABEL_PENDING)) && (rec->nameless || prints_pending(rec)))
		rec->doubted |= BIT(LABEL_REPAIRED);
	if (first_only || minimum_only || !(rec->seen & BIT(LABEL_REPAIRED)))
		rec->doubted |= TOTAL_LABELS;
}

/*
 * A minimum timestamp of INT64_MIN: values of an empty record. Without Statistics.db there is no
 * Partitioner line either; but a grep leaves that out as well, and then there are real values.
 * Source: Cassandra MetadataCollector.defaultStatsMetadata (3.0 to 5.0).
 */
static bool is_empty(const struct metadata_record *rec)
{
	bool never;

	if (is_known(rec, LABEL_MIN_TS))
		return rec->number[LABEL_MIN_TS] == INT64_MIN;
	if ((rec->seen & BIT(LABEL_PARTITIONER)) || rec->nameless)
		return false;
	never = deletion_time(rec, LABEL_MAX_LDT).v == TIME_NEVER;
	return !(is_known(rec, LABEL_MAX_TS) && rec->number[LABEL_MAX_TS] != INT64_MAX) &&
	       !(is_known(rec, LABEL_MAX_LDT) && !never);
}

void metadata_record_fill(struct arena *a, struct metadata_record *rec, const char *partitioner,
			  struct sstable_meta *m)
{
	set_partitioner(a, rec, partitioner, m);
	if (is_empty(rec)) {
		m->state = METADATA_INCONCLUSIVE;
		m->problem = rec->seen & BIT(LABEL_PARTITIONER)
			     ? "nothing is recorded in it" : "its Statistics.db was missing";
		return;
	}
	doubt_what_was_cut(rec);
	m->min_ts = known_number(rec, LABEL_MIN_TS);
	m->max_ts = known_number(rec, LABEL_MAX_TS);
	set_deletion_times(rec, m);
	set_ttls(rec, m);
	set_tokens(rec, m);
	set_repair(a, rec, m);
	set_totals(rec, m);
	m->level = known_number(rec, LABEL_LEVEL);
	m->compression_ratio = known_ratio(rec, LABEL_RATIO);
	m->droppable_ratio = known_ratio(rec, LABEL_DROPPABLE);
	if (is_known(rec, LABEL_HOST_ID) && metadata_is_uuid(rec->text[LABEL_HOST_ID]))
		m->host_id = arena_copy(a, rec->text[LABEL_HOST_ID]);
	m->state = m->min_ts.known && m->max_ts.known && m->max_ldt_s.known && m->repair_known &&
		   m->min_ttl_s.known && m->max_ttl_s.known
		   ? METADATA_COMPLETE : METADATA_PARTIAL;
}

const char *metadata_why_partial(const struct sstable_meta *m)
{
	if (!m->min_ts.known || !m->max_ts.known)
		return "its timestamps are not known";
	if (!m->max_ldt_s.known)
		return "its maximum local deletion time is not known";
	if (!m->repair_known)
		return "its record ends before its repair state";
	return "its TTL is not recorded";
}
