/* From listed files to SSTables. See listed_files.h. */
#include "parse/listed_files.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/slice.h"

/* Components that every release has at most once; bits, so that a second one shows. */
static const char *const components[] = {
	"Data.db", "Index.db", "Summary.db", "Statistics.db", "Filter.db", "CompressionInfo.db",
	"TOC.txt", "Partitions.db", "Rows.db", "CRC.db", "Scylla.db", "Digest.crc32",
	"Digest.adler32", "Digest.sha1",
};
enum { DATA = 0, TOC = 6 };

static void complain(struct listed_files *f, struct file_group *g, const char *why)
{
	g->broken = true;
	err_set(f->arena, f->err, ERR_FORMAT, f->ev->path, f->line, "%s: %s",
		arena_copy(f->arena, g->name.base), why);
}

static size_t component_index(struct slice component)
{
	size_t i = 0;

	while (i < ARRAY_LEN(components) && !slice_eq_str(component, components[i]))
		i++;
	return i;
}

bool listed_files_is_component(struct slice component)
{
	return component_index(component) < ARRAY_LEN(components);
}

static struct file_group *group_of(struct listed_files *f, const struct sstable_name *name)
{
	struct file_group *g;

	if (f->groups.n && slice_eq(f->groups.v[f->groups.n - 1].name.base, name->base))
		return &f->groups.v[f->groups.n - 1];
	g = vec_add(f->arena, &f->groups);
	*g = (struct file_group){ .name = *name };	/* the room may be used again */
	return g;
}

void listed_files_add(struct listed_files *f, const struct sstable_name *name,
		      struct opt_i64 bytes, struct opt_i64 mtime_s)
{
	struct file_group *g = group_of(f, name);
	size_t i = component_index(name->component);

	f->other_files = f->other_files || i != DATA;
	if (i < ARRAY_LEN(components)) {
		if (g->components & (1u << i))
			complain(f, g, "a file is listed twice");
		g->components |= 1u << i;
	}
	if (!bytes.known || bytes.v < 0) {
		if (!f->names_only)
			complain(f, g, "the size of a file is no number");
		return;
	}
	g->bytes = add_saturated(g->bytes, bytes.v);
	if (i != DATA)
		return;
	g->data_bytes = bytes;
	g->mtime_s = mtime_s;
}

void listed_files_cut(struct listed_files *f, const struct sstable_name *name)
{
	if (name)
		complain(f, group_of(f, name), "the listing is cut off here");
	else if (f->groups.n)
		complain(f, &f->groups.v[f->groups.n - 1], "the listing is cut off here");
}

/* ---- from groups to the listing ---- */

static bool is_number(struct slice id)
{
	return slice_find(id, '_') == id.n;
}

/* Numbers by value, before time UUIDs, which are ordered as text. */
static int compare_id(struct slice a, struct slice b)
{
	int64_t x, y;

	if (is_number(a) != is_number(b))
		return is_number(a) ? -1 : 1;
	if (is_number(a) && num_parse_i64(a, &x) && num_parse_i64(b, &y) && x != y)
		return x < y ? -1 : 1;
	return slice_cmp(a, b);
}

static int compare_names(const void *va, const void *vb)
{
	const struct sstable_name *a = &((const struct file_group *)va)->name;
	const struct sstable_name *b = &((const struct file_group *)vb)->name;
	int c = slice_cmp(a->version, b->version);

	if (!c)
		c = compare_id(a->id, b->id);
	return c ? c : slice_cmp(a->base, b->base);
}

/* Rows of one SSTable that did not follow each other. */
static void merge(struct listed_files *f, struct file_group *into, const struct file_group *g)
{
	if (into->components & g->components)
		complain(f, into, "a file is listed twice");
	into->components |= g->components;
	into->bytes = add_saturated(into->bytes, g->bytes);
	into->broken |= g->broken;
	if (g->data_bytes.known) {
		into->data_bytes = g->data_bytes;
		into->mtime_s = g->mtime_s;
	}
}

static void merge_groups(struct listed_files *f)
{
	size_t n = 0;

	if (f->groups.n)
		qsort(f->groups.v, f->groups.n, sizeof(*f->groups.v), compare_names);
	for (size_t i = 0; i < f->groups.n; i++) {
		struct file_group *g = &f->groups.v[i];

		if (n && slice_eq(f->groups.v[n - 1].name.base, g->name.base))
			merge(f, &f->groups.v[n - 1], g);
		else
			f->groups.v[n++] = *g;
	}
	f->groups.n = n;
}

struct listing *listed_files_make(struct listed_files *f, bool partial)
{
	struct listing *l = arena_alloc(f->arena, sizeof(*l));

	merge_groups(f);
	l->disk = f->ev->disk;
	l->source = f->ev->path;
	l->partial = partial;
	l->names_only = f->names_only;
	l->rounded = f->rounded;
	for (size_t i = 0; i < f->groups.n; i++) {
		const struct file_group *g = &f->groups.v[i];
		struct listed_sstable *s;

		if (g->broken) {
			l->partial = true;
			continue;
		}
		s = vec_add(f->arena, &l->sstables);
		s->name = arena_copy(f->arena, g->name.base);
		s->bytes = g->bytes;
		s->data_bytes = g->data_bytes;
		s->mtime_s = g->mtime_s;
		s->has_data = (g->components & (1u << DATA)) != 0;
		s->has_toc = (g->components & (1u << TOC)) ||
			     (f->by_pattern && !f->other_files);
	}
	return l;
}
