/*
 * The stats component of Statistics.db: histograms, times, TTLs, repair state.
 * Layout: Cassandra StatsMetadata.StatsMetadataSerializer, EstimatedHistogram, StreamingHistogram,
 * TombstoneHistogram, IntervalSet (2.0 to 5.0).
 */
#include <math.h>

#include "parse/statistics_read.h"

/* In this form compilers make one load of it. */
static uint64_t load_u64(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 | (uint64_t)p[2] << 40 |
	       (uint64_t)p[3] << 32 | (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
	       (uint64_t)p[6] << 8 | p[7];
}

/* What is wrong with pair i, or NULL; offset[] holds the bounds so far. */
static const char *pair_problem(size_t i, uint64_t bound, uint64_t count, const int64_t *offset)
{
	if (count > INT64_MAX || bound > INT64_MAX)
		return "negative number in a histogram";
	if (i == 1 && (int64_t)bound != offset[0])
		return "histogram does not repeat its first bound";
	if (i > 1 && (int64_t)bound <= offset[i - 2])
		return "histogram bounds do not rise";
	return NULL;
}

/*
 * Pair i carries the count of bucket i and the upper bound of bucket i - 1; pair 0 repeats the
 * first bound. Bounds rise, or the file is damaged. Most of a Statistics.db are such pairs, so
 * they are not read one number at a time.
 */
void read_histogram(struct reader *r, struct histogram *out)
{
	size_t n = read_count(r, HISTOGRAM_BUCKETS_MAX, 16, "histogram buckets");
	struct slice pairs;
	int64_t *offset;
	uint64_t *count;

	if (r->failed)
		return;
	if (n < 2) {
		read_fail(r, "histogram with %zu buckets", n);
		return;
	}
	offset = arena_array(r->arena, n - 1, sizeof(*offset));
	count = arena_array(r->arena, n, sizeof(*count));
	pairs = read_bytes(r, n * 16);
	for (size_t i = 0; i < n; i++) {
		uint64_t bound = load_u64(pairs.p + i * 16);
		const char *problem;

		count[i] = load_u64(pairs.p + i * 16 + 8);
		problem = pair_problem(i, bound, count[i], offset);
		if (problem) {
			r->p = (const unsigned char *)pairs.p + i * 16;
			read_fail(r, "%s", problem);
			return;
		}
		offset[i ? i - 1 : 0] = (int64_t)bound;
	}
	*out = (struct histogram){ .n = n, .offset = offset, .count = count };
}

struct log_position read_log_position(struct reader *r)
{
	struct log_position p = { .segment = read_i64(r) };

	p.offset = read_i32(r);
	return p;
}

static struct drop_time read_wide_bin(struct reader *r)
{
	struct drop_time d = { .whole = true, .whole_s = read_i64(r) };

	d.point_s = (double)d.whole_s;
	d.count = read_i32(r);
	return d;
}

static struct drop_time read_narrow_bin(struct reader *r)
{
	struct drop_time d = { .point_s = read_f64(r) };

	d.count = read_i64(r);
	if (!isfinite(d.point_s)) {
		read_fail(r, "a tombstone bin at no number");
		return d;
	}
	d.whole = fabs(d.point_s) < 9.2e18 && d.point_s == floor(d.point_s);
	if (d.whole)
		d.whole_s = (int64_t)d.point_s;
	return d;
}

void read_drop_times(struct reader *r, bool wide, struct statistics_stats *out)
{
	size_t n;

	out->drop_times_max_bins = read_i32(r);
	n = read_count(r, DROP_TIMES_MAX, wide ? 12 : 16, "tombstone bins");
	if (!n)
		return;
	out->drop_times = arena_array(r->arena, n, sizeof(*out->drop_times));
	for (size_t i = 0; i < n && !r->failed; i++)
		out->drop_times[i] = wide ? read_wide_bin(r) : read_narrow_bin(r);
	out->n_drop_times = n;
}

void read_min_max(struct reader *r, struct slices *out, const char *what)
{
	size_t n = read_count(r, CLUSTERINGS_MAX, 2, what);

	if (!n)
		return;
	out->v = arena_array(r->arena, n, sizeof(*out->v));
	for (size_t i = 0; i < n && !r->failed; i++)
		out->v[i] = read_sbytes(r);
	out->n = n;
}

int64_t narrow_deletion_time(int32_t v)
{
	return v == INT32_MAX ? TIME_NEVER : v;
}

static int64_t read_deletion_time(struct reader *r, unsigned features)
{
	uint32_t wide;

	if (!(features & FEATURE_WIDE))
		return narrow_deletion_time(read_i32(r));
	wide = read_u32(r);
	return wide == UINT32_MAX ? TIME_NEVER : (int64_t)wide;
}

static void read_log_intervals(struct reader *r, struct statistics_stats *out)
{
	size_t n = read_count(r, LOG_INTERVALS_MAX, 24, "commit log intervals");

	if (!n)
		return;
	out->log_intervals = arena_array(r->arena, n, sizeof(*out->log_intervals));
	for (size_t i = 0; i < n && !r->failed; i++) {
		out->log_intervals[i].start = read_log_position(r);
		out->log_intervals[i].end = read_log_position(r);
	}
	out->n_log_intervals = n;
}

/* Fields 1 to 13 of the layout: those that are in every version. */
static void read_times(struct reader *r, unsigned features, struct statistics_stats *out)
{
	read_histogram(r, &out->partition_sizes);
	read_histogram(r, &out->cell_counts);
	out->log_upper = read_log_position(r);
	out->min_ts = read_i64(r);
	out->max_ts = read_i64(r);
	if (features & FEATURE_ROWS)
		out->min_ldt_s = some_i64(read_deletion_time(r, features));
	out->max_ldt_s = read_deletion_time(r, features);
	if (features & FEATURE_ROWS) {
		out->min_ttl_s = some_i64(read_i32(r));
		out->max_ttl_s = some_i64(read_i32(r));
	}
	out->compression_ratio = read_f64(r);
	read_drop_times(r, features & FEATURE_WIDE, out);
	out->level = read_i32(r);
	out->repaired_at_ms = read_i64(r);
}

static void read_origin(struct reader *r, unsigned features, struct slice version,
			struct statistics_stats *out)
{
	if (features & FEATURE_CHECKSUMS) {
		out->has_pending_repair = true;
		out->pending_repair = read_optional_uuid(r);
		/* "na" of the time before the release ends here */
		if (slice_eq_str(version, "na") && !r->failed && read_left(r) == 0)
			out->no_transient_flag = true;
		else
			out->is_transient = read_bool(r);
	}
	if (features & FEATURE_HOST_ID) {
		out->has_host_id = true;
		out->host_id = read_optional_uuid(r);
	}
}

static void read_key_range(struct reader *r, struct statistics_stats *out)
{
	out->has_key_range = true;
	out->first_key = read_vbytes(r);
	out->last_key = read_vbytes(r);
}

void read_stats(struct reader *r, unsigned features, struct slice version,
		struct statistics_stats *out)
{
	bool wide = features & FEATURE_WIDE, covered = features & FEATURE_COVERED;

	read_times(r, features, out);
	if (features & FEATURE_MIN_MAX) {
		out->has_min_max_clustering = true;
		read_min_max(r, &out->min_clustering, "minimum clusterings");
		read_min_max(r, &out->max_clustering, "maximum clusterings");
	} else {
		read_covered_slice(r, out);
	}
	out->has_counter_shards_flag = true;
	out->legacy_counter_shards = read_bool(r);
	if (features & FEATURE_ROWS) {
		out->columns_set = some_i64(read_i64(r));
		out->rows = some_i64(read_i64(r));
	}
	out->has_log_lower = features & FEATURE_LOG_LOWER;
	if (out->has_log_lower)
		out->log_lower = read_log_position(r);
	out->has_log_intervals = features & FEATURE_LOG_INTERVALS;
	if (out->has_log_intervals)
		read_log_intervals(r, out);
	read_origin(r, features, version, out);
	if (covered) {
		out->has_partition_deletions_flag = true;
		out->partition_deletions = read_bool(r);
		if (features & FEATURE_MIN_MAX)		/* "nc" has it here, and both forms */
			read_covered_slice(r, out);
		read_key_range(r, out);
	}
	out->has_token_coverage = wide;
	if (wide)
		out->token_coverage = read_f64(r);
}
