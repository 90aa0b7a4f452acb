/*
 * Evidence of the binary kind into facts: one struct sstable_meta for an SSTable, from its
 * Statistics.db and, where that has no keys, its Summary.db or Partitions.db.
 *
 * The pieces of one SSTable arrive one after the other, sorted by name: Partitions.db before
 * Statistics.db, Summary.db after it. The node's last record is the one to complete.
 */
#include <math.h>

#include "parse/parse.h"
#include "parse/statistics_db.h"
#include "parse/token.h"

enum { TTL_NONE = INT32_MAX };	/* maximum of a file that recorded no TTL */

/* Where an SSTable lies, as far as the evidence tells. */
struct place { struct slice name, keyspace, table_dir; unsigned disk; bool disk_known; };

static bool find_place(const struct evidence *ev, struct slice *file, struct place *out)
{
	struct sstable_path path = parse_sstable_path(slice_of(ev->path));
	struct sstable_name name;

	*file = ev->file ? slice_of(ev->file) : path.name;
	if (!parse_sstable_name(*file, &name))
		return false;
	out->name = name.base;
	out->keyspace = ev->keyspace ? slice_of(ev->keyspace) : path.keyspace;
	out->table_dir = ev->directory ? slice_of(ev->directory) : path.table_dir;
	out->disk = ev->disk;
	out->disk_known = ev->directory != NULL;
	return true;
}

static bool same_text(const char *a, struct slice b)
{
	return a ? slice_eq_str(b, a) : b.n == 0;
}

static struct sstable_meta *last_meta(const struct node *n)
{
	return n->metas.n ? n->metas.v[n->metas.n - 1] : NULL;
}

/* The node's last record when it is from the same form and of the same SSTable, else NULL. */
static struct sstable_meta *find_meta(const struct node *n, const struct place *p)
{
	struct sstable_meta *m = last_meta(n);

	if (m && m->native && m->disk == p->disk && m->disk_known == p->disk_known &&
	    same_text(m->name, p->name) && same_text(m->table_dir, p->table_dir) &&
	    same_text(m->keyspace, p->keyspace))
		return m;
	return NULL;
}

/* `old` when it says the same: neighbours mostly share such texts. */
static const char *share_text(struct arena *a, const char *old, struct slice s)
{
	if (!s.n)
		return NULL;
	return old && slice_eq_str(s, old) ? old : arena_copy(a, s);
}

static struct sstable_meta *add_meta(struct arena *a, struct node *n, const struct place *p)
{
	const struct sstable_meta *before = last_meta(n);
	struct sstable_meta *m = arena_alloc(a, sizeof(*m));

	m->name = arena_copy(a, p->name);
	m->path = m->name;
	m->keyspace = share_text(a, before ? before->keyspace : NULL, p->keyspace);
	m->table_dir = share_text(a, before ? before->table_dir : NULL, p->table_dir);
	m->partitioner = before ? before->partitioner : NULL;
	m->disk = p->disk;
	m->disk_known = p->disk_known;
	m->native = true;
	*vec_add(a, &n->metas) = m;
	return m;
}

/* ---- histograms, kept small ---- */

enum { SERIES_MAX = 240 };

/*
 * The bounds that every writer uses: each 1.2 times the one before, rounded, at least 1 more.
 * Source: Cassandra EstimatedHistogram.newOffsets.
 */
static const int64_t *standard_bounds(size_t *n)
{
	static int64_t bounds[SERIES_MAX];
	static size_t n_bounds;

	if (!n_bounds) {
		int64_t v = 1;

		while (n_bounds < SERIES_MAX && v < INT64_MAX / 2) {
			int64_t next = (int64_t)floor((double)v * 1.2 + 0.5);

			bounds[n_bounds++] = v;
			v = next == v ? v + 1 : next;
		}
	}
	*n = n_bounds;
	return bounds;
}

/*
 * Without the empty buckets at the end, and with the bounds shared where they are the usual ones:
 * a node can have 100 000 of these.
 */
static struct histogram keep_histogram(struct arena *a, const struct histogram *h)
{
	size_t n_standard, n = h->n - 1;
	const int64_t *standard = standard_bounds(&n_standard);
	uint64_t *count;
	int64_t *offset;

	while (n > 1 && !h->count[n - 1])
		n--;
	count = arena_array(a, n + 1, sizeof(*count));
	memcpy(count, h->count, n * sizeof(*count));
	count[n] = h->count[h->n - 1];
	if (n <= n_standard && !memcmp(h->offset, standard, n * sizeof(*standard)))
		return (struct histogram){ .n = n + 1, .offset = standard, .count = count };
	offset = arena_array(a, n, sizeof(*offset));
	memcpy(offset, h->offset, n * sizeof(*offset));
	return (struct histogram){ .n = n + 1, .offset = offset, .count = count };
}

/* ---- values ---- */

static const char *uuid_text(struct arena *a, const struct uuid *u)
{
	char room[UUID_TEXT];
	const char *text = uuid_format(u, room);

	return text ? arena_strdup(a, text) : NULL;
}

static struct opt_i64 not_negative(struct opt_i64 v)
{
	v.known = v.known && v.v >= 0;
	return v;
}

/* Files older than 3.0 have none; some writers' sentinels are -1, or 2147483647 as the maximum. */
static void set_ttls(const struct statistics_stats *s, struct sstable_meta *m)
{
	m->min_ttl_s = not_negative(s->min_ttl_s);
	m->max_ttl_s = not_negative(s->max_ttl_s);
	if (m->max_ttl_s.v == TTL_NONE || !m->min_ttl_s.known || !m->max_ttl_s.known)
		m->min_ttl_s.known = m->max_ttl_s.known = false;
}

/* Tokens in the wrong order mean that something is wrong with them: then they say nothing. */
static void set_tokens(struct sstable_meta *m, struct slice first, struct slice last)
{
	int64_t low = token_murmur3(first), high = token_murmur3(last);

	m->first_token.known = m->last_token.known = false;
	if (low <= high) {
		m->first_token = some_i64(low);
		m->last_token = some_i64(high);
	}
}

static bool is_murmur3(const struct sstable_meta *m)
{
	return m->partitioner && slice_ends(slice_of(m->partitioner), SLICE(".Murmur3Partitioner"));
}

static void set_sizes(struct arena *a, const struct statistics_stats *s, struct sstable_meta *m)
{
	int64_t largest = histogram_max(&s->partition_sizes);

	m->partition_sizes = keep_histogram(a, &s->partition_sizes);
	m->cell_counts = keep_histogram(a, &s->cell_counts);
	if (largest > 0 && largest < INT64_MAX)
		m->max_partition_bytes = some_i64(largest);
	m->rows = not_negative(s->rows);
	m->columns_set = not_negative(s->columns_set);
	if (s->compression_ratio > 0 && isfinite(s->compression_ratio))
		m->compression_ratio = some_f64(s->compression_ratio);
}

/*
 * A minimum timestamp of -2^63: nothing was recorded, and the other numbers are sentinels as well.
 * Source: Cassandra MetadataCollector.defaultStatsMetadata.
 */
static void set_values(struct arena *a, const struct statistics_db *db, struct opt_i64 now_s,
		       struct sstable_meta *m)
{
	const struct statistics_stats *s = &db->stats;

	m->partitioner = share_text(a, m->partitioner, db->partitioner);
	if (s->min_ts == INT64_MIN) {
		m->state = METADATA_INCONCLUSIVE;
		m->problem = "nothing is recorded in it";
		return;
	}
	m->min_ts = some_i64(s->min_ts);
	m->max_ts = some_i64(s->max_ts);
	m->min_ldt_s = s->min_ldt_s;
	m->max_ldt_s = some_i64(s->max_ldt_s);
	set_ttls(s, m);
	m->level = some_i64(s->level);
	m->repair_known = true;
	m->repaired_at_ms = s->repaired_at_ms;
	m->pending_repair = uuid_text(a, &s->pending_repair);
	m->host_id = uuid_text(a, &s->host_id);
	set_sizes(a, s, m);
	if (now_s.known)
		m->droppable_ratio = statistics_droppable_ratio(s, now_s.v);
	if (s->has_key_range && is_murmur3(m))
		set_tokens(m, s->first_key, s->last_key);
	else if (!is_murmur3(m))
		m->first_token.known = m->last_token.known = false;
	m->state = m->min_ttl_s.known ? METADATA_COMPLETE : METADATA_PARTIAL;
	if (m->state == METADATA_PARTIAL)
		m->problem = "its TTL is not recorded";
}

bool parse_statistics_db(struct arena *a, const struct evidence *ev, struct node *into,
			 struct err *err)
{
	struct arena *scratch;
	struct statistics_db db;
	struct sstable_meta *m;
	struct place place;
	struct err own = { 0 };
	struct slice file;

	if (!find_place(ev, &file, &place))
		return err_set(a, err, ERR_FORMAT, ev->path, 0,
			       "not the name of an SSTable's file");
	m = find_meta(into, &place);
	if (!m || m->state != METADATA_NONE || m->problem)
		m = add_meta(a, into, &place);
	m->source = ev->path;
	scratch = arena_create();
	if (statistics_decode(scratch, file, ev->path, ev->out, &db, &own)) {
		set_values(a, &db, into->now_s, m);
	} else {
		m->partitioner = NULL;
		m->first_token.known = m->last_token.known = false;
		m->problem = arena_strdup(a, own.text);
		err_set(a, err, own.kind, ev->path, 0, "%s", own.text);
	}
	arena_destroy(scratch);
	return m->state != METADATA_NONE;
}

/*
 * Keys that come before their Statistics.db are kept as if they were Murmur3Partitioner's; the
 * record then tells whether they are. Those that come without one are of no use.
 */
bool parse_keys_db(struct arena *a, const struct evidence *ev, struct node *into, struct err *err)
{
	struct byte_source source = { .all = ev->out, .size = ev->out.n };
	struct sstable_meta *m;
	struct keys_db keys;
	struct place place;
	struct err own = { 0 };
	struct arena *scratch;
	struct slice file;
	bool ok;

	if (!find_place(ev, &file, &place))
		return err_set(a, err, ERR_FORMAT, ev->path, 0,
			       "not the name of an SSTable's file");
	if (!source.all.p)
		source.all.p = "";
	scratch = arena_create();
	ok = keys_decode(scratch, file, ev->path, &source, &keys, &own);
	m = find_meta(into, &place);
	if (!ok) {
		err_set(a, err, own.kind, ev->path, 0, "%s", own.text);
	} else if (m && is_murmur3(m) && m->state > METADATA_INCONCLUSIVE &&
		   !m->first_token.known) {
		set_tokens(m, keys.first, keys.last);
	} else if (!m && keys.source == KEYS_PARTITIONS) {
		m = add_meta(a, into, &place);
		m->partitioner = NULL;
		m->source = ev->path;
		set_tokens(m, keys.first, keys.last);
	}
	arena_destroy(scratch);
	return ok;
}
