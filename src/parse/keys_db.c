/*
 * First and last key of an SSTable: the tail of Summary.db, the footer of Partitions.db.
 * Layout: Cassandra IndexSummary.IndexSummarySerializer, SSTableReader.saveSummary (2.0 to 5.0),
 * PartitionIndex (5.0); ScyllaDB writes both the same way.
 */
#include "parse/parse.h"
#include "parse/statistics_db.h"
#include "parse/statistics_read.h"

enum { KEY_BYTES_MAX = 65535 };

/* `n` bytes at `offset` as a reader; failed, with the error set, when they cannot be had. */
static struct reader reader_at(struct arena *a, const struct byte_source *source, uint64_t offset,
			       size_t n, const char *subject, struct err *err)
{
	struct reader r = { .arena = a, .subject = subject, .part = "file", .err = err };
	unsigned char *room;

	if (offset > source->size || n > source->size - offset) {
		err_set(a, err, ERR_FORMAT, subject, 0, "offset %llu: cut off: %zu bytes wanted, "
			"the file has %llu", (unsigned long long)offset, n,
			(unsigned long long)source->size);
		r.failed = true;
		return r;
	}
	if (source->all.p) {
		r.p = (const unsigned char *)source->all.p + offset;
	} else {
		room = arena_alloc(a, n);
		if (!source->read_at(source->ctx, offset, n, room)) {
			err_set(a, err, ERR_IO, subject, 0, "cannot read %zu bytes at offset %llu",
				n, (unsigned long long)offset);
			r.failed = true;
		}
		r.p = room;
	}
	/* messages count from the start of the file, which need not be in memory */
	r.start = r.p;
	r.end = r.p + n;
	return r;
}

/* A key with its length before it, of `width` bytes; *offset moves on. */
static bool read_key(struct arena *a, const struct byte_source *source, uint64_t *offset,
		     size_t width, struct slice *key, const char *subject, struct err *err)
{
	struct reader r = reader_at(a, source, *offset, width, subject, err);
	int32_t n = width == 2 ? (int32_t)read_u16(&r) : read_i32(&r);

	if (r.failed)
		return false;
	if (n < 0 || n > KEY_BYTES_MAX)
		return err_set(a, err, ERR_FORMAT, subject, 0,
			       "offset %llu: implausible length of a key: %d",
			       (unsigned long long)*offset, n);
	*offset += width;
	r = reader_at(a, source, *offset, (size_t)n, subject, err);
	if (r.failed)
		return false;
	*key = (struct slice){ arena_copy(a, (struct slice){ (const char *)r.p, (size_t)n }),
			       (size_t)n };
	*offset += (size_t)n;
	return true;
}

/* The entries are skipped: their positions and they themselves are `size` bytes together. */
static bool decode_summary(struct arena *a, const struct byte_source *source, bool sampling,
			   const char *subject, struct keys_db *out, struct err *err)
{
	uint64_t offset = sampling ? 24 : 16;
	struct reader r = reader_at(a, source, 0, (size_t)offset, subject, err);
	int64_t size;

	out->min_index_interval = read_i32(&r);
	out->entries = read_i32(&r);
	size = read_i64(&r);
	if (r.failed)
		return false;
	if (out->entries < 0 || size < (int64_t)out->entries * 4 ||
	    (uint64_t)size > source->size - offset)
		return err_set(a, err, ERR_FORMAT, subject, 0,
			       "offset 4: implausible index summary: %d entries in %lld bytes",
			       out->entries, (long long)size);
	offset += (uint64_t)size;
	if (!read_key(a, source, &offset, 4, &out->first, subject, err) ||
	    !read_key(a, source, &offset, 4, &out->last, subject, err))
		return false;
	out->trailing = (size_t)(source->size - offset);
	out->source = KEYS_SUMMARY;
	return true;
}

static bool decode_partitions(struct arena *a, const struct byte_source *source,
			      const char *subject, struct keys_db *out, struct err *err)
{
	struct byte_source body = *source;
	struct reader r;
	int64_t position;
	uint64_t offset;

	if (source->size < 24)
		return err_set(a, err, ERR_FORMAT, subject, 0, "shorter than its footer");
	body.size -= 24;
	r = reader_at(a, source, body.size, 24, subject, err);
	position = read_i64(&r);
	out->partitions = read_i64(&r);
	if (r.failed)
		return false;
	if (position < 0 || (uint64_t)position > body.size)
		return err_set(a, err, ERR_FORMAT, subject, 0,
			       "offset %llu: the footer points outside the file",
			       (unsigned long long)body.size);
	offset = (uint64_t)position;
	if (!read_key(a, &body, &offset, 2, &out->first, subject, err) ||
	    !read_key(a, &body, &offset, 2, &out->last, subject, err))
		return false;
	out->source = KEYS_PARTITIONS;
	return true;
}

bool keys_decode(struct arena *a, struct slice file, const char *subject,
		 const struct byte_source *source, struct keys_db *out, struct err *err)
{
	struct sstable_name name;
	unsigned features;

	*out = (struct keys_db){ .source = KEYS_NONE };
	if (!parse_sstable_name(file, &name))
		return err_set(a, err, ERR_FORMAT, subject, 0, "not the name of an SSTable's file");
	if (!version_features(name.format, name.version, &features))
		return err_set(a, err, ERR_FORMAT, subject, 0, "unknown version '%.*s'",
			       (int)name.version.n, name.version.p);
	if (slice_eq_str(name.component, "Summary.db"))
		return decode_summary(a, source, features & FEATURE_SAMPLING, subject, out, err);
	if (slice_eq_str(name.component, "Partitions.db"))
		return decode_partitions(a, source, subject, out, err);
	return err_set(a, err, ERR_FORMAT, subject, 0, "a component without keys");
}
