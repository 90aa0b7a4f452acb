/*
 * listing.tsv: the files of one table directory, a row each, columns named by a heading line. With
 * columns "keyspace" and "table", and nothing that tells which directory it is of, it is one
 * listing for each of these tables.
 *
 * Files are put together to SSTables. What is no component of an SSTable (transaction logs,
 * unfinished files, subfolders) is left out. The listing of a directory is sorted, and TOC.txt is
 * the last component in that order as well as the last one written: a listing that was cut off
 * between two rows leaves at most one SSTable incomplete, and that one is without TOC.txt.
 */
#include "base/num.h"
#include "base/slice.h"
#include "parse/listed_files.h"
#include "parse/name_index.h"
#include "parse/parse.h"

enum column {
	COLUMN_NAME, COLUMN_BYTES, COLUMN_MTIME, COLUMN_KEYSPACE, COLUMN_TABLE,
	COLUMN_COUNT,
};

/* The rows of one table. */
struct table_files {
	struct slice keyspace, table;
	struct listed_files files;
};

struct reader {
	const struct evidence *ev;
	struct slice table;		/* of the directory; rows of others are left out */
	int column[COLUMN_COUNT];	/* position, -1 = not there */
	struct arena *arena;
	struct err *err;
	struct lines lines;
	struct name_index index;	/* into `tables` */
	VEC(struct table_files) tables;	/* one with empty names when the rows name none */
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

static struct opt_i64 number(struct slice cell)
{
	int64_t v;

	return num_parse_i64(cell, &v) ? some_i64(v) : (struct opt_i64){ 0 };
}

/* find's %T@ has a fraction. */
static struct slice whole_part(struct slice cell)
{
	cell.n = slice_find(cell, '.');
	return cell;
}

static struct listed_files *files_of(struct reader *r, const struct slice *cell)
{
	struct slice none = { "", 0 };
	bool named = !r->ev->directory && r->column[COLUMN_TABLE] >= 0;
	struct slice keyspace = named && cell[COLUMN_KEYSPACE].n ? cell[COLUMN_KEYSPACE] : none;
	struct slice table = named && cell[COLUMN_TABLE].n ? cell[COLUMN_TABLE] : none;
	struct name_entry *e = name_index_get(r->arena, &r->index, keyspace, table);

	if (e->value == NAME_NEW) {
		e->value = r->tables.n;
		*vec_add(r->arena, &r->tables) = (struct table_files){
			.keyspace = keyspace, .table = table,
			.files = { .arena = r->arena, .ev = r->ev, .err = r->err },
		};
	}
	return &r->tables.v[e->value].files;
}

static void read_row(struct reader *r, struct slice line, bool whole)
{
	struct slice cell[COLUMN_COUNT];
	struct sstable_name name;
	struct listed_files *files;

	split_row(r, line, cell);
	/* The half name of a file may be one of the SSTable before it. */
	if (!whole && r->tables.n) {
		r->tables.v[r->tables.n - 1].files.line = r->lines.number;
		listed_files_cut(&r->tables.v[r->tables.n - 1].files, NULL);
	}
	if (!is_of_table(r, cell) || !parse_sstable_name(cell[COLUMN_NAME], &name) ||
	    !name.component.n)
		return;
	files = files_of(r, cell);
	files->line = r->lines.number;
	if (whole)
		listed_files_add(files, &name, number(cell[COLUMN_BYTES]),
				 number(whole_part(cell[COLUMN_MTIME])));
	else
		listed_files_cut(files, &name);
}

static void make_listings(struct reader *r, struct node *into, bool partial)
{
	static const struct slice none[COLUMN_COUNT] = { { "", 0 } };

	if (!r->tables.n)
		(void)files_of(r, none);	/* a listing of no files is a listing */
	for (size_t i = 0; i < r->tables.n; i++) {
		struct table_files *t = &r->tables.v[i];
		struct listing *l = listed_files_make(&t->files, partial);

		l->keyspace = t->keyspace.n ? arena_copy(r->arena, t->keyspace) : r->ev->keyspace;
		l->directory = t->table.n ? arena_copy(r->arena, t->table) : r->ev->directory;
		if (!l->directory)
			l->directory = r->ev->table ? r->ev->table : "-";
		*vec_add(r->arena, &into->listings) = l;
	}
}

bool parse_listing(struct arena *a, const struct evidence *ev, struct node *into, struct err *err)
{
	struct reader r = { .arena = a, .ev = ev, .err = err, .column = { -1, -1, -1, -1, -1 },
			    .lines = lines_of(ev->out) };
	struct lines rows;
	struct slice line, id;

	if (ev->directory)
		parse_table_dir(slice_of(ev->directory), &r.table, &id);
	do
		rows = r.lines;
	while (lines_next(&r.lines, &line) && slice_trim(line).n == 0);
	if (r.lines.number && r.lines.terminated && is_headless(&r, line))
		r.lines = rows;
	else if (!r.lines.number || !r.lines.terminated || !read_heading(&r, line))
		return err_set(a, err, ERR_FORMAT, ev->path, r.lines.number ? r.lines.number : 1,
			       "no heading line with the columns 'name' and 'bytes'");
	while (lines_next(&r.lines, &line))
		read_row(&r, line, r.lines.terminated);
	if (!r.lines.terminated)
		err_set(a, err, ERR_FORMAT, ev->path, r.lines.number, "the listing is cut off");
	make_listings(&r, into, !r.lines.terminated);
	return true;
}
