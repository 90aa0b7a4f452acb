/* See tablestats.h. */
#include "parse/tablestats.h"

#include <stddef.h>

#include "base/num.h"
#include "parse/figure.h"

const char stats_not_certain[] = "this value cannot be read with certainty:";

/* ---- values ---- */

/* "1 DAYS, max duration: …": only options that are set are printed, null is the default. */
static bool read_window(struct slice value, struct opt_i64 *out)
{
	struct slice rest = value, size, unit;
	int64_t n = 1, seconds;

	if (!slice_word(&rest, &size) || !slice_word(&rest, &unit) || !slice_ends(unit, SLICE(",")))
		return false;
	unit.n--;
	if (slice_eq(unit, SLICE("DAYS")) || slice_eq(unit, SLICE("null")))
		seconds = 86400;
	else if (slice_eq(unit, SLICE("HOURS")))
		seconds = 3600;
	else if (slice_eq(unit, SLICE("MINUTES")))
		seconds = 60;
	else
		return false;
	if (!slice_eq(size, SLICE("null")) && (!num_parse_i64(size, &n) || n < 1 || n > INT32_MAX))
		return false;
	*out = some_i64(n * seconds);
	return true;
}

static bool read_float(struct slice value, struct opt_f64 *out)
{
	struct opt_f64 v;

	if (!figure_float(value, &v) || (v.known && v.v < 0 && v.v != -1))
		return false;
	if (v.known && v.v >= 0)
		*out = v;
	return true;
}

bool stats_read(struct slice value, enum stats_type type, size_t offset, struct table_stats *t)
{
	char *field = (char *)t + offset;
	struct opt_i64 v;

	if (type == STATS_FLOAT)
		return read_float(value, (struct opt_f64 *)(void *)field);
	if (type == STATS_WINDOW)
		return read_window(value, (struct opt_i64 *)(void *)field);
	if (type == STATS_COUNT ? !figure_whole(value, &v)
				: !figure_bytes(value, KILO_1024, &v, &t->rounded))
		return false;
	if (v.known && v.v < -1)
		return false;
	if (v.known && v.v >= 0)
		*(struct opt_i64 *)(void *)field = v;
	return true;
}

/* ---- members ---- */

#define MEMBER(text, type, field) { text, STATS_##type, offsetof(struct table_stats, field) }

static const struct stats_member members[] = {
	MEMBER("average_tombstones_per_slice_last_five_minutes", FLOAT, tombstones_average),
	MEMBER("compacted_partition_maximum_bytes", BYTES, partition_max_bytes),
	MEMBER("compacted_partition_mean_bytes", BYTES, partition_mean_bytes),
	MEMBER("droppable_tombstone_ratio", FLOAT, droppable_ratio),
	MEMBER("maximum_tombstones_per_slice_last_five_minutes", FLOAT, tombstones_max),
	MEMBER("number_of_partitions_estimate", COUNT, partitions),
	MEMBER("space_used_by_snapshots_total", BYTES, bytes_snapshots),
	MEMBER("space_used_live", BYTES, bytes_live),
	MEMBER("space_used_total", BYTES, bytes_total),
	MEMBER("sstable_compression_ratio", FLOAT, compression_ratio),
	MEMBER("sstable_count", COUNT, sstable_count),
	MEMBER("twcs", WINDOW, window_s),
};

const struct stats_member *stats_member_find(struct slice name)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (slice_eq_str(name, members[i].name))
			return &members[i];
	return NULL;
}

/* ---- names ---- */

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

bool stats_is_name(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_name_byte(s.p[i]))
			return false;
	return s.n > 0 && s.p[0] != '.' && s.p[s.n - 1] != '.';
}

struct slice stats_index_name(struct slice name)
{
	if (name.n % 2 == 0 && memcmp(name.p, name.p + name.n / 2, name.n / 2) == 0)
		name.n /= 2;
	return name;
}

/* ---- tables ---- */

void stats_set_open(struct stats_set *s, struct arena *a, struct node *n)
{
	*s = (struct stats_set){ .arena = a, .node = n };
	for (size_t i = 0; i < n->table_stats.n; i++) {
		const struct table_stats *t = n->table_stats.v[i];
		struct slice keyspace = slice_of(t->keyspace), name = slice_of(t->name);

		name_index_get(a, &s->index, keyspace, name)->value = i;
	}
}

static void keep_known(struct table_stats *t, const struct table_stats *old)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		char *to = (char *)t + members[i].offset;
		const char *from = (const char *)old + members[i].offset;

		if (members[i].type == STATS_FLOAT && !((struct opt_f64 *)(void *)to)->known)
			memcpy(to, from, sizeof(struct opt_f64));
		else if (members[i].type != STATS_FLOAT && !((struct opt_i64 *)(void *)to)->known)
			memcpy(to, from, sizeof(struct opt_i64));
	}
	t->rounded = t->rounded || old->rounded;
}

struct table_stats *stats_set_put(struct stats_set *s, struct slice keyspace, struct slice name,
				  const struct table_stats *values, bool keep)
{
	struct name_entry *e = name_index_get(s->arena, &s->index, keyspace, name);
	struct table_stats copy = *values, *t;
	bool is_new = e->value == NAME_NEW;

	if (is_new) {
		e->value = s->node->table_stats.n;
		*(struct table_stats **)vec_add(s->arena, &s->node->table_stats) =
			arena_alloc(s->arena, sizeof(copy));
	}
	t = s->node->table_stats.v[e->value];
	if (keep && !is_new)
		keep_known(&copy, t);
	copy.keyspace = *e->keyspace ? e->keyspace : NULL;
	copy.name = e->name;
	*t = copy;
	return t;
}
