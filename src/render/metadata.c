/*
 * JSON and tab-separated forms of an SSTable's metadata. The JSON keys are a contract: they are
 * alphabetical, and their names and values are those of the reference decoder's golden files.
 */
#include "render/metadata.h"

#include "base/digest.h"
#include "base/num.h"
#include "render/json_write.h"

static const char *const component_names[COMPONENTS_MAX] = {
	[COMPONENT_VALIDATION] = "validation", [COMPONENT_COMPACTION] = "compaction",
	[COMPONENT_STATS] = "stats", [COMPONENT_HEADER] = "header",
};

const char *keys_source_name(enum keys_source s)
{
	static const char *const names[] = {
		[KEYS_NONE] = NULL, [KEYS_STATISTICS] = "Statistics.db",
		[KEYS_SUMMARY] = "Summary.db", [KEYS_PARTITIONS] = "Partitions.db",
	};

	return names[s];
}

static void put_uuid(struct json *j, const char *key, const struct uuid *u)
{
	char room[UUID_TEXT];

	json_put_string(j, key, uuid_format(u, room));
}

static void put_hex(struct json *j, const char *key, struct slice bytes)
{
	json_key(j, key);
	json_hex(j, bytes);
}

/* ---- histograms ---- */

static void put_filled_buckets(struct json *j, const struct histogram *h)
{
	json_key(j, "nonzero");
	json_array_begin(j);
	for (size_t i = 0; i < h->n; i++) {
		if (!h->count[i])
			continue;
		json_array_begin(j);
		if (i + 1 < h->n)
			json_i64(j, h->offset[i]);
		else
			json_null(j);
		json_u64(j, h->count[i]);
		json_array_end(j);
	}
	json_array_end(j);
}

static void put_percentiles(struct json *j, const struct histogram *h)
{
	static const char *const keys[] = { "p50", "p75", "p95", "p98", "p99" };
	static const double shares[] = { 0.50, 0.75, 0.95, 0.98, 0.99 };
	struct opt_i64 v[ARRAY_LEN(shares)];

	histogram_percentiles(h, shares, ARRAY_LEN(shares), v);
	for (size_t i = 0; i < ARRAY_LEN(shares); i++)
		json_put_opt_i64(j, keys[i], v[i]);
}

static void put_histogram(struct json *j, const char *key, const struct histogram *h)
{
	json_key(j, key);
	json_object_begin(j);
	json_put_u64(j, "buckets", h->n);
	json_put_u64(j, "count", histogram_total(h));
	json_put_i64(j, "max", histogram_max(h));
	json_put_opt_i64(j, "mean", histogram_mean(h));
	json_put_i64(j, "min", histogram_min(h));
	put_filled_buckets(j, h);
	json_put_u64(j, "overflow", h->count[h->n - 1]);
	put_percentiles(j, h);
	json_object_end(j);
}

static void put_drop_times(struct json *j, const struct statistics_stats *s)
{
	json_key(j, "tombstone_drop_times");
	json_array_begin(j);
	for (size_t i = 0; i < s->n_drop_times; i++) {
		json_array_begin(j);
		if (s->drop_times[i].whole)
			json_i64(j, s->drop_times[i].whole_s);
		else
			json_f64(j, s->drop_times[i].point_s);
		json_i64(j, s->drop_times[i].count);
		json_array_end(j);
	}
	json_array_end(j);
	json_put_i64(j, "tombstone_max_bins", s->drop_times_max_bins);
}

/* ---- components ---- */

static void put_compaction(struct json *j, const struct statistics_db *db)
{
	unsigned char sha1[SHA1_BYTES];

	json_key(j, "compaction");
	json_object_begin(j);
	if (db->has_ancestors) {
		json_key(j, "ancestors");
		json_array_begin(j);
		for (size_t i = 0; i < db->n_ancestors; i++)
			json_i64(j, db->ancestors[i]);
		json_array_end(j);
	}
	if (!db->flat) {
		digest_sha1(db->cardinality, sha1);
		json_put_u64(j, "cardinality_bytes", db->cardinality.n);
		put_hex(j, "cardinality_sha1", (struct slice){ (const char *)sha1, sizeof(sha1) });
	}
	if (db->stray_ancestors)
		json_put_string(j, "quirk", "ancestor list in a version that has none");
	json_object_end(j);
}

static void put_slices(struct json *j, const char *key, const struct slices *s, bool hex)
{
	json_key(j, key);
	json_array_begin(j);
	for (size_t i = 0; i < s->n; i++) {
		if (!s->v[i].p)
			json_null(j);
		else if (hex)
			json_hex(j, s->v[i]);
		else
			json_slice(j, s->v[i]);
	}
	json_array_end(j);
}

static void put_columns(struct json *j, const char *key, const struct columns *c)
{
	json_key(j, key);
	json_array_begin(j);
	for (size_t i = 0; i < c->n; i++) {
		json_array_begin(j);
		json_slice_bytes(j, c->v[i].name);
		json_slice(j, c->v[i].type);
		json_array_end(j);
	}
	json_array_end(j);
}

static void put_header(struct json *j, const struct serialization_header *h)
{
	json_key(j, "header");
	json_object_begin(j);
	put_slices(j, "clustering_types", &h->clustering_types, false);
	json_put_slice(j, "key_type", h->key_type);
	json_put_i64(j, "min_local_deletion_time", h->min_local_deletion_time_s);
	json_put_i64(j, "min_timestamp", h->min_timestamp);
	json_put_i64(j, "min_ttl", h->min_ttl_s);
	put_columns(j, "regular_columns", &h->regular_columns);
	put_columns(j, "static_columns", &h->static_columns);
	json_object_end(j);
}

static void put_position(struct json *j, struct log_position p)
{
	json_array_begin(j);
	json_i64(j, p.segment);
	json_i64(j, p.offset);
	json_array_end(j);
}

static void put_commitlog(struct json *j, const struct statistics_stats *s)
{
	if (s->has_log_intervals) {
		json_key(j, "commitlog_intervals");
		json_array_begin(j);
		for (size_t i = 0; i < s->n_log_intervals; i++) {
			json_array_begin(j);
			put_position(j, s->log_intervals[i].start);
			put_position(j, s->log_intervals[i].end);
			json_array_end(j);
		}
		json_array_end(j);
	}
	if (s->has_log_lower) {
		json_key(j, "commitlog_lower");
		put_position(j, s->log_lower);
	}
	json_key(j, "commitlog_upper");
	put_position(j, s->log_upper);
}

static void put_bound(struct json *j, const char *key, const struct clustering_bound *b)
{
	/* ClusteringPrefix.Kind, in the order of its ordinals */
	static const char *const kinds[] = {
		"EXCL_END_BOUND", "INCL_START_BOUND", "EXCL_END_INCL_START_BOUNDARY",
		"STATIC_CLUSTERING", "CLUSTERING", "INCL_END_EXCL_START_BOUNDARY",
		"INCL_END_BOUND", "EXCL_START_BOUND", "SSTABLE_LOWER_BOUND", "SSTABLE_UPPER_BOUND",
	};

	json_key(j, key);
	json_object_begin(j);
	json_put_string(j, "kind", kinds[b->kind]);
	put_slices(j, "values", &b->values, true);
	json_object_end(j);
}

/* The keys up to "max_ttl". */
static void put_stats_head(struct json *j, const struct statistics_stats *s)
{
	put_histogram(j, "cells_per_partition", &s->cell_counts);
	if (s->has_covered_slice)
		put_slices(j, "clustering_types", &s->clustering_types, false);
	put_commitlog(j, s);
	json_put_f64(j, "compression_ratio", s->compression_ratio);
	if (s->has_covered_slice) {
		put_bound(j, "covered_end", &s->covered_end);
		put_bound(j, "covered_start", &s->covered_start);
	}
	if (s->has_key_range)
		put_hex(j, "first_key", s->first_key);
	if (s->has_counter_shards_flag)
		json_put_bool(j, "has_legacy_counter_shards", s->legacy_counter_shards);
	if (s->has_partition_deletions_flag)
		json_put_bool(j, "has_partition_level_deletions", s->partition_deletions);
	json_put_bool(j, "is_transient", s->is_transient);
	if (s->has_key_range)
		put_hex(j, "last_key", s->last_key);
	if (s->has_min_max_clustering)
		put_slices(j, "max_clustering", &s->max_clustering, true);
	json_put_i64(j, "max_local_deletion_time", s->max_ldt_s);
	json_put_i64(j, "max_timestamp", s->max_ts);
	json_put_opt_i64(j, "max_ttl", s->max_ttl_s);
}

static void put_stats(struct json *j, const struct statistics_stats *s)
{
	json_key(j, "stats");
	json_object_begin(j);
	put_stats_head(j, s);
	if (s->has_min_max_clustering)
		put_slices(j, "min_clustering", &s->min_clustering, true);
	json_put_opt_i64(j, "min_local_deletion_time", s->min_ldt_s);
	json_put_i64(j, "min_timestamp", s->min_ts);
	json_put_opt_i64(j, "min_ttl", s->min_ttl_s);
	put_uuid(j, "originating_host_id", &s->host_id);
	if (s->padding)
		json_put_u64(j, "padding", s->padding);
	put_histogram(j, "partition_size", &s->partition_sizes);
	put_uuid(j, "pending_repair", &s->pending_repair);
	if (s->no_transient_flag)
		json_put_string(j, "quirk", "no transient flag");
	json_put_i64(j, "repaired_at", s->repaired_at_ms);
	json_put_i64(j, "sstable_level", s->level);
	if (s->has_token_coverage)
		json_put_f64(j, "token_space_coverage", s->token_coverage);
	put_drop_times(j, s);
	if (s->has_counter_shards_flag) {
		json_put_opt_i64(j, "total_columns_set", s->columns_set);
		json_put_opt_i64(j, "total_rows", s->rows);
	}
	json_object_end(j);
}

static void put_toc(struct json *j, const struct statistics_db *db)
{
	json_key(j, "toc");
	json_array_begin(j);
	for (size_t i = 0; i < db->n_toc; i++) {
		json_array_begin(j);
		json_string(j, component_names[db->toc[i].type]);
		json_i64(j, db->toc[i].offset);
		json_array_end(j);
	}
	json_array_end(j);
}

static void put_keys_file(struct json *j, const struct keys_db *k)
{
	if (k->source == KEYS_PARTITIONS) {
		json_key(j, "partitions");
		json_object_begin(j);
		json_put_i64(j, "partitions", k->partitions);
		json_object_end(j);
	}
}

static void put_summary(struct json *j, const struct keys_db *k)
{
	if (k->source != KEYS_SUMMARY)
		return;
	json_key(j, "summary");
	json_object_begin(j);
	json_put_i64(j, "entries", k->entries);
	json_put_i64(j, "min_index_interval", k->min_index_interval);
	json_put_u64(j, "trailing_bytes", k->trailing);
	json_object_end(j);
}

static void put_token(struct json *j, const char *key, const struct token *t)
{
	json_key(j, key);
	switch (t->kind) {
	case TOKEN_MURMUR3:
		json_i64(j, t->murmur3);
		break;
	case TOKEN_RANDOM:
		json_number(j, t->random);
		break;
	case TOKEN_BYTES:
		json_hex(j, t->bytes);
		break;
	default:
		json_null(j);
	}
}

/* "2026-11-30T18:00:00Z"; null for what is no date of the years 1 to 9999. */
static void put_time(struct json *j, struct arena *a, const char *key, int64_t s)
{
	const char *text = num_format_time(a, s);

	json_put_string(j, key, text[0] >= '0' && text[0] <= '9' ? text : NULL);
}

/* Microseconds to seconds, towards the past. */
static int64_t floor_seconds(int64_t us)
{
	return us / 1000000 - (us % 1000000 < 0);
}

static void put_identity(struct json *j, const struct metadata_record *m)
{
	const struct statistics_db *db = m->db;
	bool keys = m->keys->source != KEYS_NONE;

	json_put_slice(j, "file", db->file);
	if (keys) {
		put_hex(j, "first_key", m->keys->first);
		put_token(j, "first_token", &m->first_token);
	}
	json_put_slice(j, "format", db->format);
	json_put_slice(j, "generation", db->generation);
	if (db->has[COMPONENT_HEADER])
		put_header(j, &db->header);
	json_put_string(j, "keys_from", keys_source_name(m->keys->source));
	if (keys) {
		put_hex(j, "last_key", m->keys->last);
		put_token(j, "last_token", &m->last_token);
	}
}

static void put_validation(struct json *j, const struct statistics_db *db)
{
	json_key(j, "validation");
	json_object_begin(j);
	json_put_f64(j, "bloom_filter_fp_chance", db->bloom_filter_chance);
	json_put_slice(j, "partitioner", db->partitioner);
	json_object_end(j);
}

void metadata_render_json(struct arena *a, const struct metadata_record *m, struct buf *out)
{
	const struct statistics_db *db = m->db;
	struct json j;

	json_init(&j, out, 0);
	json_object_begin(&j);
	if (db->has[COMPONENT_COMPACTION])
		put_compaction(&j, db);
	if (m->data_bytes.known)
		json_put_i64(&j, "data_bytes", m->data_bytes.v);
	put_identity(&j, m);
	put_time(&j, a, "max_local_deletion", db->stats.max_ldt_s);
	put_time(&j, a, "max_time", floor_seconds(db->stats.max_ts));
	put_time(&j, a, "min_time", floor_seconds(db->stats.min_ts));
	put_keys_file(&j, m->keys);
	json_put_string(&j, "path", m->path);
	if (m->scylla)
		json_put_bool(&j, "scylla", true);
	json_put_u64(&j, "statistics_bytes", db->bytes);
	put_stats(&j, &db->stats);
	put_summary(&j, m->keys);
	if (!db->flat)
		put_toc(&j, db);
	if (db->flat) {		/* the whole file is one record, with nothing after it */
		json_key(&j, "trailing");
		json_object_begin(&j);
		json_put_i64(&j, "file", 0);
		json_object_end(&j);
	}
	if (db->has[COMPONENT_VALIDATION])
		put_validation(&j, db);
	json_put_slice(&j, "version", db->version);
	json_object_end(&j);
	buf_char(out, '\n');
}

void metadata_render_json_error(const char *path, const char *error, struct buf *out)
{
	struct json j;

	json_init(&j, out, 0);
	json_object_begin(&j);
	json_put_string(&j, "error", error);
	json_put_string(&j, "path", path);
	json_object_end(&j);
	buf_char(out, '\n');
}

/* ---- tab-separated ---- */

static void tsv_slice(struct buf *out, struct slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '\t':
			buf_add(out, "\\t", 2);
			break;
		case '\n':
			buf_add(out, "\\n", 2);
			break;
		case '\r':
			buf_add(out, "\\r", 2);
			break;
		case '\\':
			buf_add(out, "\\\\", 2);
			break;
		default:
			buf_char(out, s.p[i]);
		}
	}
	buf_char(out, '\t');
}

static void tsv_text(struct buf *out, const char *s)
{
	tsv_slice(out, slice_of(s));
}

static void tsv_opt(struct buf *out, struct opt_i64 v)
{
	char room[DECIMAL_ROOM];

	tsv_text(out, v.known ? decimal_i64(room, v.v) : "");
}

static void tsv_token(struct buf *out, const struct token *t)
{
	char room[DECIMAL_ROOM];

	tsv_text(out, t->kind == TOKEN_MURMUR3 ? decimal_i64(room, t->murmur3)
	       : t->kind == TOKEN_RANDOM ? t->random : "");
}

void metadata_render_tsv_head(struct buf *out)
{
	buf_str(out, "path\tversion\tformat\tgeneration\tmin_timestamp\tmax_timestamp\t"
		"min_local_deletion_time\tmax_local_deletion_time\tmin_ttl\tmax_ttl\tlevel\t"
		"repaired_at\tpending_repair\ttotal_rows\ttotal_columns_set\tdata_bytes\t"
		"max_partition_bytes\tfirst_token\tlast_token\thost_id\tpartitioner\t"
		"compression_ratio\n");
}

/* -1 is some writers' word for unknown. */
static struct opt_i64 not_negative(struct opt_i64 v)
{
	v.known = v.known && v.v >= 0;
	return v;
}

static struct opt_i64 largest_partition(const struct histogram *h)
{
	int64_t v = histogram_max(h);

	return v > 0 && v < INT64_MAX ? some_i64(v) : (struct opt_i64){ .known = false };
}

void metadata_render_tsv(const struct metadata_record *m, struct buf *out)
{
	const struct statistics_db *db = m->db;
	const struct statistics_stats *s = &db->stats;
	char room[UUID_TEXT], ratio[40];
	const char *id;

	tsv_text(out, m->path);
	tsv_slice(out, db->version);
	tsv_slice(out, db->format);
	tsv_slice(out, db->generation);
	tsv_opt(out, some_i64(s->min_ts));
	tsv_opt(out, some_i64(s->max_ts));
	tsv_opt(out, s->min_ldt_s);
	tsv_opt(out, some_i64(s->max_ldt_s));
	tsv_opt(out, not_negative(s->min_ttl_s));
	tsv_opt(out, not_negative(s->max_ttl_s));
	tsv_opt(out, some_i64(s->level));
	tsv_opt(out, some_i64(s->repaired_at_ms));
	id = uuid_format(&s->pending_repair, room);
	tsv_text(out, id ? id : "");
	tsv_opt(out, not_negative(s->rows));
	tsv_opt(out, not_negative(s->columns_set));
	tsv_opt(out, m->data_bytes);
	tsv_opt(out, largest_partition(&s->partition_sizes));
	tsv_token(out, &m->first_token);
	tsv_token(out, &m->last_token);
	id = uuid_format(&s->host_id, room);
	tsv_text(out, id ? id : "");
	tsv_slice(out, db->partitioner);
	decimal_f64(ratio, s->compression_ratio);
	buf_str(out, s->compression_ratio >= 0 ? ratio : "");
	buf_char(out, '\n');
}
