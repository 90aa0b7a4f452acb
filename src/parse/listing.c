/*
 * listing.tsv: the files of one table directory, a row each, columns named by a heading line.
 *
 * Files are put together to SSTables. What is no component of an SSTable (transaction logs,
 * unfinished files, subfolders) is left out. The listing of a directory is sorted, and TOC.txt is
 * the last component in that order as well as the last one written: a listing that was cut off
 * between two rows leaves at most one SSTable incomplete, and that one is without TOC.txt.
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/slice.h"
#include "parse/parse.h"

/* Components that every release has at most once; bits, so that a second one shows. */
static const char *const components[] = {
	"Data.db", "Index.db", "Summary.db", "Statistics.db", "Filter.db", "CompressionInfo.db",
	"TOC.txt", "Partitions.db", "Rows.db", "CRC.db", "Scylla.db", "Digest.crc32",
	"Digest.adler32", "Digest.sha1",
};
enum { DATA = 0, TOC = 6 };

enum column {
	COLUMN_NAME, COLUMN_BYTES, COLUMN_MTIME, COLUMN_KEYSPACE, COLUMN_TABLE,
	COLUMN_COUNT,
};

/* One SSTable while its rows come in; names are slices of the evidence. */
struct group {
	struct sstable_name name;
	unsigned components;	/* bits of the table above */
	int64_t bytes;
	struct opt_i64 data_bytes, mtime_s;
	bool broken;		/* its size can't be told */
};

struct reader {
	struct arena *arena;
	const struct evidence *ev;
	struct err *err;
	struct slice table;		/* of the directory; rows of others are left out */
	int column[COLUMN_COUNT];	/* position, -1 = not there */
	VEC(struct group) groups;
	unsigned line;
};

static bool read_heading(struct reader *r, struct slice line)
{
	static const struct {
		const char *name;
		enum column column;
	} names[] = {
		{ "name", COLUMN_NAME }, { "file", COLUMN_NAME }, { "bytes", COLUMN_BYTES },
		{ "mtime_s", COLUMN_MTIME }, { "mtime_epoch", COLUMN_MTIME },
		{ "keyspace", COLUMN_KEYSPACE }, { "table", COLUMN_TABLE },
	};
	struct slice rest = line, field;

	for (int at = 0; slice_field(&rest, '\t', &field); at++)
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (slice_eq_str(slice_trim(field), names[i].name))
				r->column[names[i].column] = at;
	return r->column[COLUMN_NAME] >= 0 && r->column[COLUMN_BYTES] >= 0;
}

/* Without a heading, as some tools write it: name, bytes, time. */
static bool is_headless(struct reader *r, struct slice line)
{
	struct slice rest = line, name, bytes;
	struct sstable_name parts;
	int64_t n;

	if (!slice_field(&rest, '\t', &name) || !slice_field(&rest, '\t', &bytes) ||
	    !parse_sstable_name(name, &parts) || !num_parse_i64(slice_trim(bytes), &n))
		return false;
	r->column[COLUMN_NAME] = 0;
	r->column[COLUMN_BYTES] = 1;
	r->column[COLUMN_MTIME] = 2;
	return true;
}

static void split_row(const struct reader *r, struct slice line, struct slice *cell)
{
	struct slice rest = line, field;

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		cell[i] = (struct slice){ NULL, 0 };
	for (int at = 0; slice_field(&rest, '\t', &field); at++)
		for (size_t i = 0; i < COLUMN_COUNT; i++)
			if (r->column[i] == at)
				cell[i] = slice_trim(field);
}

/* Listings of several tables in one file have columns that tell them apart. */
static bool is_of_table(const struct reader *r, const struct slice *cell)
{
	if (r->column[COLUMN_KEYSPACE] >= 0 && r->ev->keyspace &&
	    !slice_eq_str(cell[COLUMN_KEYSPACE], r->ev->keyspace))
		return false;
	return r->column[COLUMN_TABLE] < 0 || !r->table.n ||
	       slice_eq(cell[COLUMN_TABLE], r->table);
}

static void complain(struct reader *r, struct group *g, const char *why)
{
	g->broken = true;
	err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, r->line, "%s: %s",
		arena_copy(r->arena, g->name.base), why);
}

static void count_component(struct reader *r, struct group *g, struct slice component)
{
	for (size_t i = 0; i < ARRAY_LEN(components); i++) {
		if (!slice_eq_str(component, components[i]))
			continue;
		if (g->components & (1u << i))
			complain(r, g, "a file is listed twice");
		g->components |= 1u << i;
	}
}

static void add_file(struct reader *r, struct group *g, struct slice component,
		     const struct slice *cell)
{
	int64_t bytes, mtime;

	count_component(r, g, component);
	if (!num_parse_i64(cell[COLUMN_BYTES], &bytes) || bytes < 0) {
		complain(r, g, "the size of a file is no number");
		return;
	}
	g->bytes = add_saturated(g->bytes, bytes);
	if (!slice_eq_str(component, components[DATA]))
		return;
	g->data_bytes = some_i64(bytes);
	if (num_parse_i64(cell[COLUMN_MTIME], &mtime))
		g->mtime_s = some_i64(mtime);
}

static struct group *group_of(struct reader *r, const struct sstable_name *name)
{
	struct group *g;

	if (r->groups.n && slice_eq(r->groups.v[r->groups.n - 1].name.base, name->base))
		return &r->groups.v[r->groups.n - 1];
	g = vec_add(r->arena, &r->groups);
	g->name = *name;
	return g;
}

static void read_row(struct reader *r, struct slice line, bool whole)
{
	struct slice cell[COLUMN_COUNT];
	struct sstable_name name;
	struct group *g;

	split_row(r, line, cell);
	/* The half name of a file may be one of the SSTable before it. */
	if (!whole && r->groups.n)
		complain(r, &r->groups.v[r->groups.n - 1], "the listing is cut off here");
	if (!is_of_table(r, cell) || !parse_sstable_name(cell[COLUMN_NAME], &name) ||
	    !name.component.n)
		return;
	g = group_of(r, &name);
	if (whole)
		add_file(r, g, name.component, cell);
	else
		complain(r, g, "the listing is cut off here");
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
	const struct sstable_name *a = &((const struct group *)va)->name;
	const struct sstable_name *b = &((const struct group *)vb)->name;
	int c = slice_cmp(a->version, b->version);

	if (!c)
		c = compare_id(a->id, b->id);
	return c ? c : slice_cmp(a->base, b->base);
}

/* Rows of one SSTable that did not follow each other. */
static void merge(struct reader *r, struct group *into, const struct group *g)
{
	if (into->components & g->components)
		complain(r, into, "a file is listed twice");
	into->components |= g->components;
	into->bytes = add_saturated(into->bytes, g->bytes);
	into->broken |= g->broken;
	if (g->data_bytes.known) {
		into->data_bytes = g->data_bytes;
		into->mtime_s = g->mtime_s;
	}
}

static void merge_groups(struct reader *r)
{
	size_t n = 0;

	if (r->groups.n)
		qsort(r->groups.v, r->groups.n, sizeof(*r->groups.v), compare_names);
	for (size_t i = 0; i < r->groups.n; i++) {
		struct group *g = &r->groups.v[i];

		if (n && slice_eq(r->groups.v[n - 1].name.base, g->name.base))
			merge(r, &r->groups.v[n - 1], g);
		else
			r->groups.v[n++] = *g;
	}
	r->groups.n = n;
}

static struct listing *make_listing(struct reader *r, bool partial)
{
	struct listing *l = arena_alloc(r->arena, sizeof(*l));

	l->keyspace = r->ev->keyspace;
	l->directory = r->ev->directory;
	l->disk = r->ev->disk;
	l->source = r->ev->path;
	l->partial = partial;
	for (size_t i = 0; i < r->groups.n; i++) {
		const struct group *g = &r->groups.v[i];
		struct listed_sstable *s;

		if (g->broken) {
			l->partial = true;
			continue;
		}
		s = vec_add(r->arena, &l->sstables);
		s->name = arena_copy(r->arena, g->name.base);
		s->bytes = g->bytes;
		s->data_bytes = g->data_bytes;
		s->mtime_s = g->mtime_s;
		s->has_toc = (g->components & (1u << TOC)) != 0;
	}
	return l;
}

bool parse_listing(struct arena *a, const struct evidence *ev, struct node *into, struct err *err)
{
	struct reader r = { .arena = a, .ev = ev, .err = err, .column = { -1, -1, -1, -1, -1 } };
	struct lines it = lines_of(ev->out), rows;
	struct slice line, id;

	if (ev->directory)
		parse_table_dir(slice_of(ev->directory), &r.table, &id);
	do
		rows = it;
	while (lines_next(&it, &line) && slice_trim(line).n == 0);
	if (it.number && it.terminated && is_headless(&r, line))
		it = rows;
	else if (!it.number || !it.terminated || !read_heading(&r, line))
		return err_set(a, err, ERR_FORMAT, ev->path, it.number ? it.number : 1,
			       "no heading line with the columns 'name' and 'bytes'");
	while (lines_next(&it, &line)) {
		r.line = it.number;
		read_row(&r, line, it.terminated);
	}
	if (!it.terminated)
		err_set(a, err, ERR_FORMAT, ev->path, it.number, "the listing is cut off");
	merge_groups(&r);
	*vec_add(a, &into->listings) = make_listing(&r, !it.terminated);
	return true;
}
