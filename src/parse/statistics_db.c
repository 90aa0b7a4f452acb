/*
 * Statistics.db as a whole: the table of contents, its checksums, and the small components.
 * Layout: Cassandra MetadataSerializer, LegacyMetadataSerializer, ValidationMetadata,
 * CompactionMetadata (2.0 to 5.0).
 */
#include "parse/statistics_db.h"

#include <assert.h>
#include <zlib.h>

#include "parse/parse.h"
#include "parse/statistics_read.h"

static const char *const component_parts[] = {
	[COMPONENT_VALIDATION] = "component validation",
	[COMPONENT_COMPACTION] = "component compaction",
	[COMPONENT_STATS] = "component stats",
	[COMPONENT_HEADER] = "component header",
};

static uint32_t crc_of(const unsigned char *p, const unsigned char *end)
{
	return (uint32_t)crc32(0, p, (uInt)(end - p));
}

/* Reads the stored checksum and compares it with that of the bytes from `from` to `to`. */
static bool check_crc(struct reader *r, const unsigned char *from, const unsigned char *to)
{
	uint32_t stored = read_u32(r), computed;

	if (r->failed)		/* then those bytes may not be there either */
		return false;
	assert(from >= r->start && from <= to && to <= r->end);
	computed = crc_of(from, to);
	if (stored == computed)
		return true;
	r->p = from;
	return read_fail(r, "wrong checksum: %08x is stored, %08x computed", stored, computed);
}

static void read_validation(struct reader *r, struct statistics_db *out)
{
	out->partitioner = read_sbytes(r);
	out->bloom_filter_chance = read_f64(r);
}

static void read_ancestors(struct reader *r, struct statistics_db *out)
{
	size_t n = read_count(r, 1 << 18, 4, "ancestors");

	out->has_ancestors = true;
	if (!n)
		return;
	out->ancestors = arena_array(r->arena, n, sizeof(*out->ancestors));
	for (size_t i = 0; i < n; i++)
		out->ancestors[i] = read_i32(r);
	out->n_ancestors = n;
}

/*
 * Early ScyllaDB wrote the list of ancestors in versions that have none: then the first number is
 * not the length of all the rest.
 */
static void read_compaction(struct reader *r, unsigned features, struct statistics_db *out)
{
	struct reader ahead = *r;
	size_t n = read_left(r);

	if (!(features & FEATURE_ANCESTORS) && n >= 8)
		out->stray_ancestors = (int64_t)read_i32(&ahead) + 4 != (int64_t)n;
	if (features & FEATURE_ANCESTORS || out->stray_ancestors)
		read_ancestors(r, out);
	n = read_count(r, STATISTICS_BYTES_MAX, 1, "bytes of the cardinality sketch");
	out->cardinality = read_bytes(r, n);
}

/* The writer of "oa" and "da" reserves 16 bytes for each bin of 12, and writes them all. */
static void skip_padding(struct reader *r, struct statistics_stats *s)
{
	size_t n = read_left(r);

	if (!n || n != 4 * s->n_drop_times)
		return;
	for (size_t i = 0; i < n; i++)
		if (r->p[i])
			return;
	s->padding = n;
	r->p += n;
}

static void read_component(struct reader *r, enum statistics_component type, unsigned features,
			   struct statistics_db *out)
{
	switch (type) {
	case COMPONENT_VALIDATION:
		read_validation(r, out);
		break;
	case COMPONENT_COMPACTION:
		read_compaction(r, features, out);
		break;
	case COMPONENT_STATS:
		read_stats(r, features, out->version, &out->stats);
		if (features & FEATURE_WIDE)
			skip_padding(r, &out->stats);
		break;
	default:
		read_header(r, features, &out->header);
	}
	if (read_left(r))
		read_fail(r, "%zu bytes after the last field", read_left(r));
}

/* Version 2.0: one record. */
static void read_flat(struct reader *r, struct statistics_db *out)
{
	struct statistics_stats *s = &out->stats;

	read_histogram(r, &s->partition_sizes);
	read_histogram(r, &s->cell_counts);
	s->log_upper = read_log_position(r);
	s->min_ts = read_i64(r);
	s->max_ts = read_i64(r);
	s->max_ldt_s = narrow_deletion_time(read_i32(r));
	out->bloom_filter_chance = read_f64(r);
	s->compression_ratio = read_f64(r);
	out->partitioner = read_sbytes(r);
	read_ancestors(r, out);
	read_drop_times(r, false, s);
	if (read_left(r))
		s->level = read_i32(r);
	s->has_min_max_clustering = true;
	read_min_max(r, &s->min_clustering, "minimum column names");
	read_min_max(r, &s->max_clustering, "maximum column names");
	out->has[COMPONENT_VALIDATION] = out->has[COMPONENT_COMPACTION] = true;
	out->has[COMPONENT_STATS] = true;
	if (read_left(r))
		read_fail(r, "%zu bytes after the last field", read_left(r));
}

static void read_toc_entry(struct reader *r, struct statistics_db *out, struct toc_entry *e)
{
	int32_t type = read_i32(r);

	e->offset = read_i32(r);
	if (type < 0 || type >= COMPONENTS_MAX) {
		read_fail(r, "unknown component type %d", type);
		return;
	}
	e->type = (enum statistics_component)type;
	if (out->has[type])
		read_fail(r, "component type %d twice", type);
	out->has[type] = true;
}

static bool read_toc(struct reader *r, unsigned features, struct statistics_db *out)
{
	const unsigned char *start = r->p;
	int32_t n;

	r->part = "table of contents";
	n = read_i32(r);
	if (features & FEATURE_CHECKSUMS)
		check_crc(r, start, start + 4);
	if (!r->failed && (n < 1 || n > COMPONENTS_MAX))
		return read_fail(r, "implausible number of components: %d", n);
	out->n_toc = r->failed ? 0 : (size_t)n;
	for (size_t i = 0; i < out->n_toc && !r->failed; i++)
		read_toc_entry(r, out, &out->toc[i]);
	if (features & FEATURE_CHECKSUMS && !r->failed) {
		/* the sum runs on from the count, and leaves out the count's own checksum */
		uint32_t crc = (uint32_t)crc32(crc_of(start, start + 4), start + 8,
					       (uInt)(r->p - start - 8));
		uint32_t stored = read_u32(r);

		if (!r->failed && stored != crc)
			read_fail(r, "wrong checksum: %08x is stored, %08x computed", stored, crc);
	}
	if (!r->failed && !out->has[COMPONENT_STATS])
		read_fail(r, "no stats component");
	return !r->failed;
}

/* Where the component at `offset` ends: at the next larger offset, in whatever order they stand. */
static bool find_end(struct reader *r, const struct statistics_db *s, size_t which, size_t bytes,
		     size_t *end)
{
	int64_t offset = s->toc[which].offset;

	*end = bytes;
	if (offset < (int64_t)(r->p - r->start) || offset > (int64_t)bytes)
		return read_fail(r, "component offset %lld outside the file", (long long)offset);
	for (size_t i = 0; i < s->n_toc; i++) {
		int64_t other = s->toc[i].offset;

		if (i != which && other == offset)
			return read_fail(r, "two components at offset %lld", (long long)offset);
		if (other > offset && (size_t)other < *end)
			*end = (size_t)other;
	}
	return true;
}

static bool read_components(struct reader *r, unsigned features, struct statistics_db *out)
{
	for (size_t i = 0; i < out->n_toc; i++) {
		struct reader part = *r;
		size_t end;

		if (!find_end(r, out, i, out->bytes, &end))
			return false;
		part.part = component_parts[out->toc[i].type];
		part.p = r->start + out->toc[i].offset;
		part.end = r->start + end;
		if (features & FEATURE_CHECKSUMS) {
			const unsigned char *start = part.p;

			if (read_left(&part) < 4)
				return read_fail(&part, "shorter than its checksum");
			part.p = part.end - 4;
			if (!check_crc(&part, start, part.p))
				return false;
			part.p = start;
			part.end -= 4;
		}
		read_component(&part, out->toc[i].type, features, out);
		if (part.failed)
			return false;
	}
	return true;
}

bool statistics_decode(struct arena *a, struct slice file, const char *subject, struct slice bytes,
		       struct statistics_db *out, struct err *err)
{
	struct reader r = reader_of(a, bytes, subject, err);
	struct sstable_name name;
	unsigned features;

	*out = (struct statistics_db){ .file = file, .bytes = bytes.n };
	if (!parse_sstable_name(file, &name) || !slice_eq_str(name.component, "Statistics.db"))
		return err_set(a, err, ERR_FORMAT, subject, 0, "not the name of a Statistics.db");
	out->base = name.base;
	out->version = name.version;
	out->generation = name.id;
	out->format = name.format.n ? name.format : SLICE("big");
	if (!version_features(out->format, out->version, &features))
		return err_set(a, err, ERR_FORMAT, subject, 0,
			       "unknown version '%.*s' of format '%.*s'", (int)out->version.n,
			       out->version.p, (int)out->format.n, out->format.p);
	if (bytes.n > STATISTICS_BYTES_MAX)
		return err_set(a, err, ERR_FORMAT, subject, 0,
			       "%zu bytes are too large for a Statistics.db", bytes.n);
	out->flat = features & FEATURE_FLAT;
	if (out->flat)
		read_flat(&r, out);
	else if (read_toc(&r, features, out))
		return read_components(&r, features, out);
	return !r.failed;
}
