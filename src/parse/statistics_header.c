/*
 * The serialization header of Statistics.db, and the covered slice of "oa" and "da", whose values
 * can only be skipped with their types at hand.
 * Layout: Cassandra SerializationHeader, Slice.Serializer, ClusteringPrefix.Serializer (3.0 to
 * 5.0).
 */
#include "parse/statistics_read.h"

/* Deltas of the header start here: 22 September 2015, UTC. */
static const int64_t header_epoch_s = 1442880000;

enum { TYPE_DEPTH_MAX = 16 };

static const struct fixed_type { const char *name; uint32_t length; } fixed_types[] = {
	{ "BooleanType", 1 }, { "DateType", 8 }, { "DoubleType", 8 }, { "EmptyType", 0 },
	{ "FloatType", 4 }, { "Int32Type", 4 }, { "LexicalUUIDType", 16 }, { "LongType", 8 },
	{ "TimestampType", 8 }, { "TimeUUIDType", 16 }, { "UUIDType", 16 },
};

/* "Name(inside)" with that name: the part between the brackets. */
static bool unwrap(struct slice type, struct slice name, struct slice *inside)
{
	if (type.n < name.n + 2 || !slice_starts(type, name) || type.p[name.n] != '(' ||
	    type.p[type.n - 1] != ')')
		return false;
	*inside = (struct slice){ type.p + name.n + 1, type.n - name.n - 2 };
	return true;
}

/* Digits only, up to 2^20 dimensions; no sign, no blank but around it. */
static bool parse_dimension(struct slice s, uint64_t *out)
{
	s = slice_trim(s);
	*out = 0;
	if (!s.n || s.n > 7)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		*out = *out * 10 + (uint64_t)(s.p[i] - '0');
	}
	return true;
}

/*
 * Bytes of a serialized value of a type given by its class; false when the length varies (and is
 * written before each value). A vector is fixed when its elements are.
 */
static bool fixed_length(struct slice type, unsigned depth, uint64_t *length)
{
	static const struct slice package = { "org.apache.cassandra.db.marshal.", 32 };
	struct slice inside;
	uint64_t dimension;
	size_t comma;

	type = slice_trim(type);
	if (slice_starts(type, package))
		type = slice_from(type, package.n);
	if (depth < TYPE_DEPTH_MAX && unwrap(type, SLICE("ReversedType"), &inside))
		return fixed_length(inside, depth + 1, length);
	if (depth < TYPE_DEPTH_MAX && unwrap(type, SLICE("VectorType"), &inside)) {
		comma = slice_rfind(inside, ',');
		if (comma == inside.n ||
		    !parse_dimension(slice_from(inside, comma + 1), &dimension) ||
		    !fixed_length((struct slice){ inside.p, comma }, depth + 1, length) ||
		    *length > UINT32_MAX)
			return false;
		*length *= dimension;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(fixed_types); i++) {
		if (slice_eq_str(type, fixed_types[i].name)) {
			*length = fixed_types[i].length;
			return true;
		}
	}
	return false;
}

void read_type_names(struct reader *r, struct slices *out)
{
	size_t n = read_uvint_count(r, CLUSTERINGS_MAX, 1, "clustering types");

	if (!n)
		return;
	out->v = arena_array(r->arena, n, sizeof(*out->v));
	for (size_t i = 0; i < n && !r->failed; i++)
		out->v[i] = read_vbytes(r);
	out->n = n;
}

static struct slice read_value(struct reader *r, struct slice type)
{
	uint64_t length;

	if (fixed_length(type, 0, &length))
		return read_bytes(r, length);
	return read_vbytes(r);
}

/* Before each 32 values stand two bits for each of them: null above, empty below. */
static void read_bound(struct reader *r, const struct slices *types, struct clustering_bound *out)
{
	uint64_t bits = 0;
	size_t n;

	out->kind = read_u8(r);
	if (out->kind > 9)
		read_fail(r, "clustering bound of kind %u", out->kind);
	n = read_u16(r);
	if (n > types->n)
		read_fail(r, "clustering bound of %zu values for %zu types", n, types->n);
	if (r->failed || !n)
		return;
	out->values.v = arena_array(r->arena, n, sizeof(*out->values.v));
	for (size_t i = 0; i < n && !r->failed; i++) {
		if (i % 32 == 0)
			bits = read_uvint(r);
		if (bits >> (2 * (i % 32) + 1) & 1)
			out->values.v[i] = (struct slice){ NULL, 0 };
		else if (bits >> 2 * (i % 32) & 1)
			out->values.v[i] = (struct slice){ "", 0 };
		else
			out->values.v[i] = read_value(r, types->v[i]);
	}
	out->values.n = n;
}

void read_covered_slice(struct reader *r, struct statistics_stats *out)
{
	out->has_covered_slice = true;
	read_type_names(r, &out->clustering_types);
	read_bound(r, &out->clustering_types, &out->covered_start);
	read_bound(r, &out->clustering_types, &out->covered_end);
}

static void read_columns(struct reader *r, struct columns *out)
{
	size_t n = read_uvint_count(r, COLUMNS_MAX, 2, "columns");

	if (!n)
		return;
	out->v = arena_array(r->arena, n, sizeof(*out->v));
	for (size_t i = 0; i < n && !r->failed; i++) {
		out->v[i].name = read_vbytes(r);
		out->v[i].type = read_vbytes(r);
	}
	out->n = n;
}

static int32_t wrap_i32(uint64_t v)
{
	v &= UINT32_MAX;
	return v > INT32_MAX ? (int32_t)((int64_t)v - ((int64_t)UINT32_MAX + 1)) : (int32_t)v;
}

static int64_t wrap_i64(uint64_t v)
{
	return v > INT64_MAX ? -(int64_t)(UINT64_MAX - v) - 1 : (int64_t)v;
}

/* Sums wrap: sentinels of some writers make sense only modulo 2^32 or 2^64. */
void read_header(struct reader *r, unsigned features, struct serialization_header *out)
{
	uint64_t ldt;

	out->min_timestamp = wrap_i64(read_uvint(r) + (uint64_t)header_epoch_s * 1000000);
	ldt = read_uvint(r) + (uint64_t)header_epoch_s;
	out->min_local_deletion_time_s = features & FEATURE_WIDE ? wrap_i64(ldt) : wrap_i32(ldt);
	out->min_ttl_s = wrap_i32(read_uvint(r));
	out->key_type = read_vbytes(r);
	read_type_names(r, &out->clustering_types);
	read_columns(r, &out->static_columns);
	read_columns(r, &out->regular_columns);
}
