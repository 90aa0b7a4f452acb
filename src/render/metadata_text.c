/*
 * The text form of an SSTable's metadata: what sstablemetadata shows, as far as it has meaning.
 * Left out on purpose: percentiles of drop times (the tools compute them from 20 % wide buckets of
 * epoch seconds, years off) and the cardinality estimate. Times are UTC, with the raw number.
 */
#include <string.h>

#include "base/num.h"
#include "render/json_write.h"
#include "render/metadata.h"

enum { LABEL_WIDTH = 26, BINS_SHOWN = 20 };

struct page { struct arena *arena; struct buf *out; };

/* Control characters and what is not UTF-8 become "\xNN": a name can hold anything. */
static void add_clean(struct buf *out, struct slice s)
{
	while (s.n) {
		unsigned char c = (unsigned char)s.p[0];
		size_t bad, n = utf8_length(s, &bad);

		/* the second line is U+0080 to U+009F: control characters too */
		if (!n || c < 0x20 || c == 0x7f ||
		    (c == 0xc2 && (unsigned char)s.p[1] < 0xa0)) {
			n = 1;
			buf_printf(out, "\\x%02x", c);
		} else {
			buf_add(out, s.p, n);
		}
		s = slice_from(s, n);
	}
}

static void label(struct page *p, const char *name)
{
	size_t n = strlen(name);

	buf_add(p->out, "  ", 2);
	buf_str(p->out, name);
	buf_repeat(p->out, ' ', n < LABEL_WIDTH ? LABEL_WIDTH - n : 1);
}

static void line(struct page *p, const char *name, const char *text)
{
	label(p, name);
	add_clean(p->out, slice_of(text));
	buf_char(p->out, '\n');
}

static void line_slice(struct page *p, const char *name, struct slice text)
{
	label(p, name);
	add_clean(p->out, text);
	buf_char(p->out, '\n');
}

static void line_number(struct page *p, const char *name, int64_t v)
{
	char room[DECIMAL_ROOM];

	line(p, name, decimal_i64(room, v));
}

static void line_f64(struct page *p, const char *name, double v)
{
	char room[40];

	decimal_f64(room, v);
	line(p, name, room);
}

/* A write timestamp, in microseconds as clients and servers write it unless told otherwise. */
static void line_timestamp(struct page *p, const char *name, int64_t us)
{
	int64_t s = us / 1000000 - (us % 1000000 < 0);
	const char *time = num_format_time(p->arena, s);
	char room[DECIMAL_ROOM];

	if (us == INT64_MIN || us == INT64_MAX)
		time = "nothing recorded";
	else if (time[0] >= '0' && time[0] <= '9')
		time = arena_printf(p->arena, "%.19s.%06lldZ", time, (long long)(us - s * 1000000));
	line(p, name, arena_printf(p->arena, "%s (%s)", time, decimal_i64(room, us)));
}

static void line_deletion_time(struct page *p, const char *name, int64_t s)
{
	char room[DECIMAL_ROOM];

	line(p, name, arena_printf(p->arena, "%s (%s)", num_format_time(p->arena, s),
				   decimal_i64(room, s)));
}

static void line_ttl(struct page *p, const char *name, struct opt_i64 s)
{
	char room[DECIMAL_ROOM];

	if (!s.known || s.v < 0 || s.v == INT32_MAX)
		line(p, name, "not recorded");
	else if (s.v == 0)
		line(p, name, "none (0)");
	else
		line(p, name, arena_printf(p->arena, "%s (%s)", num_format_duration(p->arena, s.v),
					   decimal_i64(room, s.v)));
}

static void line_total(struct page *p, const char *name, struct opt_i64 v)
{
	if (v.known && v.v >= 0)
		line_number(p, name, v.v);
	else
		line(p, name, "not recorded");
}

static void line_uuid(struct page *p, const char *name, const struct uuid *u)
{
	char room[UUID_TEXT];
	const char *text = uuid_format(u, room);

	line(p, name, text ? text : "none");
}

/* ---- keys and clusterings ---- */

static void add_hex(struct buf *out, struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_printf(out, "%02x", (unsigned char)s.p[i]);
}

static bool is_text_type(struct slice type)
{
	return slice_ends(type, SLICE(".UTF8Type")) || slice_ends(type, SLICE(".AsciiType"));
}

static void line_key(struct page *p, const char *name, const struct metadata_record *m,
		     struct slice key, const struct token *t)
{
	char room[DECIMAL_ROOM];

	label(p, name);
	buf_str(p->out, "0x");
	add_hex(p->out, key);
	if (m->db->has[COMPONENT_HEADER] && is_text_type(m->db->header.key_type)) {
		buf_str(p->out, " '");
		add_clean(p->out, key);
		buf_char(p->out, '\'');
	}
	if (t->kind == TOKEN_MURMUR3)
		buf_printf(p->out, ", token %s", decimal_i64(room, t->murmur3));
	else if (t->kind == TOKEN_RANDOM)
		buf_printf(p->out, ", token %s", t->random);
	buf_char(p->out, '\n');
}

static void line_values(struct page *p, const char *name, const struct slices *v)
{
	label(p, name);
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			buf_add(p->out, ", ", 2);
		if (!v->v[i].p) {
			buf_str(p->out, "null");
			continue;
		}
		buf_str(p->out, "0x");
		add_hex(p->out, v->v[i]);
	}
	if (!v->n)
		buf_str(p->out, "none");
	buf_char(p->out, '\n');
}

static void line_names(struct page *p, const char *name, const struct slices *v)
{
	label(p, name);
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			buf_add(p->out, ", ", 2);
		add_clean(p->out, v->v[i]);
	}
	if (!v->n)
		buf_str(p->out, "none");
	buf_char(p->out, '\n');
}

static void line_columns(struct page *p, const char *name, const struct columns *c)
{
	label(p, name);
	for (size_t i = 0; i < c->n; i++) {
		if (i)
			buf_add(p->out, ", ", 2);
		add_clean(p->out, c->v[i].name);
		buf_str(p->out, ": ");
		add_clean(p->out, c->v[i].type);
	}
	if (!c->n)
		buf_str(p->out, "none");
	buf_char(p->out, '\n');
}

/* ---- histograms ---- */

static const char *amount(struct page *p, int64_t v, bool bytes)
{
	char room[DECIMAL_ROOM];

	if (bytes && v >= 1024)
		return arena_printf(p->arena, "%s (%s)", num_format_size(p->arena, v),
				    decimal_i64(room, v));
	return arena_strdup(p->arena, decimal_i64(room, v));
}

static void line_histogram(struct page *p, const char *name, const struct histogram *h, bool bytes)
{
	static const struct { const char *name; double p; } percentiles[] = {
		{ "p50", 0.50 }, { "p75", 0.75 }, { "p95", 0.95 }, { "p98", 0.98 }, { "p99", 0.99 },
	};
	uint64_t total = histogram_total(h);
	struct opt_i64 mean = histogram_mean(h);

	label(p, name);
	buf_printf(p->out, "%llu", (unsigned long long)total);
	if (total) {
		buf_printf(p->out, ": min %s", amount(p, histogram_min(h), bytes));
		if (mean.known)
			buf_printf(p->out, ", mean %s", amount(p, mean.v, bytes));
	}
	for (size_t i = 0; total && i < ARRAY_LEN(percentiles); i++) {
		struct opt_i64 v = histogram_percentile(h, percentiles[i].p);

		if (v.known)
			buf_printf(p->out, ", %s %s", percentiles[i].name, amount(p, v.v, bytes));
	}
	if (h->count[h->n - 1])
		buf_printf(p->out, ", %llu above %s", (unsigned long long)h->count[h->n - 1],
			   amount(p, h->offset[h->n - 2], bytes));
	else if (total)
		buf_printf(p->out, ", max %s", amount(p, histogram_max(h), bytes));
	buf_char(p->out, '\n');
}

static void lines_drop_times(struct page *p, const struct statistics_stats *s)
{
	size_t shown = s->n_drop_times > BINS_SHOWN ? BINS_SHOWN : s->n_drop_times;

	if (s->n_drop_times)
		buf_str(p->out, "  tombstone drop times\n");
	else
		line(p, "tombstone drop times", "none");
	for (size_t i = 0; i < shown; i++) {
		const struct drop_time *d = &s->drop_times[i];
		int64_t s_or_never = d->whole_s == INT32_MAX ? TIME_NEVER : d->whole_s;
		char room[40];

		if (d->whole) {
			buf_printf(p->out, "    %s (%lld): %lld\n",
				   num_format_time(p->arena, s_or_never), (long long)d->whole_s,
				   (long long)d->count);
			continue;
		}
		decimal_f64(room, d->point_s);
		buf_printf(p->out, "    %s: %lld\n", room, (long long)d->count);
	}
	if (shown < s->n_drop_times)
		buf_printf(p->out, "    and %zu more\n", s->n_drop_times - shown);
}

/* ---- parts of the page ---- */

static void page_times(struct page *p, const struct metadata_record *m)
{
	const struct statistics_stats *s = &m->db->stats;
	struct opt_f64 ratio = statistics_droppable_ratio(s, m->now_s);

	line_timestamp(p, "minimum timestamp", s->min_ts);
	line_timestamp(p, "maximum timestamp", s->max_ts);
	if (s->min_ldt_s.known)
		line_deletion_time(p, "min local deletion time", s->min_ldt_s.v);
	line_deletion_time(p, "max local deletion time", s->max_ldt_s);
	line_ttl(p, "minimum TTL", s->min_ttl_s);
	line_ttl(p, "maximum TTL", s->max_ttl_s);
	if (ratio.known)
		line(p, "droppable by now",
		     arena_printf(p->arena, "%s (estimate, without gc_grace)",
				  num_format_f64(p->arena, ratio.v)));
	lines_drop_times(p, s);
}

static void page_state(struct page *p, const struct metadata_record *m)
{
	const struct statistics_stats *s = &m->db->stats;
	char room[DECIMAL_ROOM];

	line_number(p, "level", s->level);
	if (s->repaired_at_ms)
		line(p, "repaired at",
		     arena_printf(p->arena, "%s (%s)",
				  num_format_time(p->arena, s->repaired_at_ms / 1000),
				  decimal_i64(room, s->repaired_at_ms)));
	else
		line(p, "repaired at", "unrepaired (0)");
	if (s->has_pending_repair)
		line_uuid(p, "pending repair", &s->pending_repair);
	if (s->is_transient)
		line(p, "transient", "yes");
	if (s->has_host_id)
		line_uuid(p, "originating host id", &s->host_id);
	if (s->has_counter_shards_flag && s->legacy_counter_shards)
		line(p, "legacy counter shards", "yes");
	if (s->has_partition_deletions_flag)
		line(p, "partition deletions", s->partition_deletions ? "yes" : "no");
	if (s->has_token_coverage && s->token_coverage == s->token_coverage)
		line_f64(p, "token space coverage", s->token_coverage);
	for (size_t i = 0; i < s->n_log_intervals; i++)
		line(p, i ? "" : "commit log covered",
		     arena_printf(p->arena, "%lld:%d to %lld:%d",
				  (long long)s->log_intervals[i].start.segment,
				  s->log_intervals[i].start.offset,
				  (long long)s->log_intervals[i].end.segment,
				  s->log_intervals[i].end.offset));
}

static void page_content(struct page *p, const struct metadata_record *m)
{
	const struct statistics_stats *s = &m->db->stats;

	if (m->data_bytes.known)
		line(p, "Data.db", amount(p, m->data_bytes.v, true));
	if (s->compression_ratio < 0)
		line(p, "compression ratio", "not compressed");
	else if (s->compression_ratio >= 0)
		line_f64(p, "compression ratio", s->compression_ratio);
	else
		line(p, "compression ratio", "not recorded");
	line_total(p, "rows", s->rows);
	line_total(p, "columns set", s->columns_set);
	line_histogram(p, "partition sizes", &s->partition_sizes, true);
	line_histogram(p, "cells of partitions", &s->cell_counts, false);
	if (m->keys->source != KEYS_NONE) {
		line_key(p, "first key", m, m->keys->first, &m->first_token);
		line_key(p, "last key", m, m->keys->last, &m->last_token);
		line(p, "keys from", keys_source_name(m->keys->source));
	} else {
		line(p, "keys", "not known");
	}
	if (s->has_covered_slice) {
		line_values(p, "covered clusterings from", &s->covered_start.values);
		line_values(p, "covered clusterings to", &s->covered_end.values);
	} else {
		line_values(p, "minimum clustering", &s->min_clustering);
		line_values(p, "maximum clustering", &s->max_clustering);
	}
}

static void page_schema(struct page *p, const struct statistics_db *db)
{
	if (db->has[COMPONENT_VALIDATION]) {
		line_slice(p, "partitioner", db->partitioner);
		line_f64(p, "bloom filter FP chance", db->bloom_filter_chance);
	}
	if (!db->has[COMPONENT_HEADER])
		return;
	line_slice(p, "key type", db->header.key_type);
	line_names(p, "clustering types", &db->header.clustering_types);
	line_columns(p, "static columns", &db->header.static_columns);
	line_columns(p, "regular columns", &db->header.regular_columns);
	line_timestamp(p, "encoding base: timestamp", db->header.min_timestamp);
	line_deletion_time(p, "encoding base: deletion", db->header.min_local_deletion_time_s);
	line_number(p, "encoding base: TTL", db->header.min_ttl_s);
}

void metadata_render_text(struct arena *a, const struct metadata_record *m, struct buf *out)
{
	struct page p = { .arena = a, .out = out };
	const struct statistics_db *db = m->db;

	add_clean(out, slice_of(m->path));
	buf_char(out, '\n');
	line(&p, "version", arena_printf(a, "%.*s, format %.*s%s", (int)db->version.n,
					 db->version.p, (int)db->format.n, db->format.p,
					 m->scylla ? ", written by ScyllaDB" : ""));
	page_times(&p, m);
	page_state(&p, m);
	page_content(&p, m);
	page_schema(&p, db);
	if (db->stats.no_transient_flag)
		line(&p, "note", "written before the release of 4.0: no transient flag");
	if (db->stray_ancestors)
		line(&p, "note", "a list of ancestors in a version that has none");
}
