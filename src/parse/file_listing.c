/*
 * Listings as people save them: "ls" in all its forms, "find", "stat", or names alone. One text can
 * list many directories; each becomes a listing of its own.
 *
 * Which directory rows are of is told by their own paths, by the "dir:" headings of ls -R, by the
 * prompt or the command above them, else by the evidence. What lies below a table's directory
 * (snapshots, backups, indexes) is left out. A directory that is listed again replaces what was
 * listed of it before: a block begins with "total", a heading, a command, or its own first file.
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/file_row.h"
#include "parse/listed_files.h"
#include "parse/metadata_place.h"
#include "parse/name_index.h"
#include "parse/parse.h"
#include "parse/pattern.h"

struct folder {
	struct slice path;		/* as printed; empty = nothing tells */
	struct slice keyspace, table_dir;	/* of the path, or of old file names */
	bool foreign;			/* not a table's own directory: its rows are left out */
	unsigned block;			/* the block that its files are of */
	struct slice first;		/* name of the first file of that block */
	bool partial;
	struct listed_files files;
};

struct reader {
	struct arena *arena;
	const struct evidence *ev;
	struct err *err;
	struct lines lines;
	struct slice here;		/* the directory of rows without a path of their own */
	unsigned block;
	struct name_index index;	/* of folders, by path and table */
	VEC(struct folder) folders;
	size_t last;			/* index of the last row's folder */
	bool any_row;			/* something was listed, were it only another file */
	bool local_dates;		/* lines of a loop that prints dates and no names */
};

/* ---- directories ---- */

#define TABLE_ID "-(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"

/* The directory in a prompt, or in the command behind it. */
static struct pattern directory_text = PATTERN(
	"(?:^|[\\s:'\"=])((?:[^\\s:'\"=]*/)?[A-Za-z0-9_]+" TABLE_ID "(?:/[^\\s:'\"$#>*]*)?)");
static struct pattern heading = PATTERN("^([^\\s:][^:]*):$");
static struct pattern total = PATTERN("^total [0-9][0-9.,]*[A-Za-z]?$");
static struct pattern command = PATTERN("(?:^|[$#>%] ?)(?:sudo )?(?:ls|ll|find|stat|du|tree)\\b");
static struct pattern loop_dates = PATTERN("^Max: .*Min: ");
static struct pattern side_folder = PATTERN(
	"(?:^|/)(?:snapshots|backups|staging|quarantine|upload|pending_delete|\\.[^./][^/]*)"
	"(?:/|$)");

static struct slice without_slash(struct slice path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return path;
}

/* Only a path that is of a table's directory, or leads to one, says where rows lie. */
static void read_directory(struct reader *r, struct slice line)
{
	struct slice m[2], path, file;
	struct sstable_name name;
	size_t slash;

	if (!pattern_match(&directory_text, line, m, ARRAY_LEN(m)))
		return;
	path = m[1];
	slash = slice_rfind(path, '/');
	file = slash < path.n ? slice_from(path, slash + 1) : path;
	if (parse_sstable_name(file, &name) || !file.n)
		path.n = slash < path.n ? slash : path.n;
	r->here = without_slash(path);
}

/* Keyspace and table of a folder, from its path or, before 2.1, from a file's name in it. */
static void describe_folder(struct reader *r, struct folder *f, struct slice file)
{
	const char *full = f->path.n ? arena_printf(r->arena, "%.*s/%.*s", (int)f->path.n,
						    f->path.p, (int)file.n, file.p)
				     : arena_copy(r->arena, file);
	struct sstable_path parts = parse_sstable_path(slice_of(full));

	f->keyspace = parts.keyspace;
	f->table_dir = parts.table_dir;
	f->foreign = metadata_place_is_foreign(slice_of(full)) ||
		     pattern_match(&side_folder, f->path, NULL, 0);
}

static struct folder *folder_of(struct reader *r, struct slice path, struct slice file)
{
	struct slice keyspace = { "", 0 }, table = { "", 0 };
	struct name_entry *e;
	struct folder *f;

	/* Old layouts can have several tables in one folder. */
	(void)parse_old_sstable_name(file, &keyspace, &table);
	e = name_index_get(r->arena, &r->index, path, table);
	if (e->value == NAME_NEW) {
		e->value = r->folders.n;
		f = vec_add(r->arena, &r->folders);
		f->path = path;
		f->files = (struct listed_files){ .arena = r->arena, .ev = r->ev, .err = r->err,
						  .by_pattern = true };
		describe_folder(r, f, file);
	}
	r->last = e->value;
	return &r->folders.v[e->value];
}

/* ---- rows ---- */

static void begin_block(struct reader *r, struct folder *f, struct slice file)
{
	if (f->block != r->block || slice_eq(f->first, file)) {
		f->files.groups.n = 0;
		f->files.names_only = f->files.rounded = f->files.other_files = false;
		f->partial = false;
		f->first = file;
		f->block = r->block;
	}
}

static struct opt_i64 size_of(struct folder *f, const struct file_row *row)
{
	switch (row->size) {
	case SIZE_NONE:
		f->files.names_only = true;
		return (struct opt_i64){ 0 };
	case SIZE_UNREADABLE:
		return (struct opt_i64){ 0 };
	case SIZE_ROUNDED:
		f->files.rounded = true;
		break;
	default:
		break;
	}
	return some_i64(row->bytes);
}

static void add_row(struct reader *r, const struct file_row *row)
{
	size_t slash = slice_rfind(row->path, '/');
	bool own_folder = slash < row->path.n;
	struct slice file = own_folder ? slice_from(row->path, slash + 1) : row->path;
	struct slice path = own_folder ? (struct slice){ row->path.p, slash ? slash : 1 } : r->here;
	struct sstable_name name;
	struct folder *f;

	r->any_row = true;
	if (own_folder && r->here.n && slice_eq(path, SLICE(".")))
		path = r->here;
	if (!parse_sstable_name(file, &name) || !name.component.n)
		return;
	f = folder_of(r, path, file);
	if (f->foreign)
		return;
	begin_block(r, f, file);
	f->files.line = r->lines.number;
	listed_files_add(&f->files, &name, size_of(f, row), row->mtime_s);
}

/* Files that stand beside SSTables in a list of names. */
static struct pattern other_name = PATTERN(
	"(?:/|\\.log|\\.json|\\.cql|\\.tmp|\\.txt|\\.db)$"
	"|^(?:backups|snapshots|staging|upload|quarantine)$");

/* "ls" alone, in one column or several: every word of the line is a name. */
static bool read_names(struct reader *r, struct slice line)
{
	struct slice rest = line, word;
	bool any = false;

	while (slice_word(&rest, &word)) {
		struct sstable_name name;

		word = file_row_path(word);
		if (parse_sstable_name(parse_file_name(word), &name) && name.component.n)
			any = true;
		else if (!pattern_match(&other_name, word, NULL, 0))
			return false;
	}
	for (rest = line; any && slice_word(&rest, &word);)
		add_row(r, &(struct file_row){ .path = file_row_path(word), .size = SIZE_NONE });
	return any;
}

static void read_unreadable(struct reader *r, struct slice line)
{
	r->any_row = true;
	if (!slice_ends(line, SLICE(".db")))
		return;
	err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, r->lines.number,
		"a file whose size and name can't be told apart");
	if (r->folders.n)
		r->folders.v[r->last].partial = true;
}

static void read_line(struct reader *r, struct slice line)
{
	struct slice m[2];
	struct file_row row;

	switch (file_row_long(line, &row)) {
	case ROW_FILE:
		add_row(r, &row);
		return;
	case ROW_OTHER:
		r->any_row = true;
		return;
	case ROW_UNREADABLE:
		read_unreadable(r, line);
		return;
	case ROW_NONE:
		break;
	}
	if (file_row_short(line, &row) == ROW_FILE) {
		add_row(r, &row);
	} else if (read_names(r, line)) {
		return;
	} else if (pattern_match(&total, line, NULL, 0)) {
		r->block++;
		r->any_row = true;
	} else if (pattern_match(&heading, line, m, ARRAY_LEN(m))) {
		r->block++;
		if (!r->here.n || !slice_eq(m[1], SLICE(".")))
			r->here = without_slash(m[1]);
	} else {
		r->block += pattern_match(&command, line, NULL, 0);
		r->local_dates |= pattern_match(&loop_dates, line, NULL, 0);
		read_directory(r, line);
	}
}

/* ---- the end of the text ---- */

static int by_place(const void *x, const void *y)
{
	const struct folder *p = x, *q = y;
	int c = slice_cmp(p->keyspace, q->keyspace);

	if (!c)
		c = slice_cmp(p->table_dir, q->table_dir);
	return c ? c : slice_cmp(p->path, q->path);
}

static void make_listing(struct reader *r, struct node *into, struct folder *f, unsigned disk)
{
	struct listing *l = listed_files_make(&f->files, f->partial);

	l->disk = disk;
	l->keyspace = f->keyspace.n ? arena_copy(r->arena, f->keyspace) : r->ev->keyspace;
	l->directory = f->table_dir.n ? arena_copy(r->arena, f->table_dir)
				      : r->ev->directory ? r->ev->directory : r->ev->table;
	if (!l->directory)
		l->directory = "-";
	if (slice_starts(f->path, SLICE("/")))
		l->folder = arena_copy(r->arena, f->path);
	*vec_add(r->arena, &into->listings) = l;
	if (l->rounded && into->cluster)
		cluster_note(into->cluster, arena_printf(r->arena, "%s: its sizes are rounded",
							 r->ev->path));
}

/* One directory at several places is on several disks, numbered in the order of their paths. */
static size_t make_listings(struct reader *r, struct node *into)
{
	size_t n = 0;
	unsigned disk = r->ev->disk;

	if (r->folders.n)
		qsort(r->folders.v, r->folders.n, sizeof(*r->folders.v), by_place);
	for (size_t i = 0; i < r->folders.n; i++) {
		struct folder *f = &r->folders.v[i];
		const struct folder *before = i ? f - 1 : NULL;

		if (f->foreign)
			continue;
		disk = before && f->table_dir.n && slice_eq(before->keyspace, f->keyspace) &&
		       slice_eq(before->table_dir, f->table_dir) ? disk + 1 : r->ev->disk;
		make_listing(r, into, f, disk);
		n++;
	}
	return n;
}

static bool refuse(struct reader *r)
{
	if (r->local_dates)
		return err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, 0,
			       "no SSTable's file in it: dates of a loop, without names and "
			       "without "
			       "a time zone");
	return complaint_report(r->arena, r->ev->out, r->ev->path, "file of an SSTable", r->err);
}

/* A row without a line end is whole when its name can't be longer. */
static bool is_whole(struct slice line)
{
	struct slice rest = line, word = line, next;
	struct sstable_name name;
	struct file_row row;

	if (file_row_long(line, &row) == ROW_OTHER)
		return true;
	while (slice_word(&rest, &next))
		word = next;
	return parse_sstable_name(parse_file_name(word), &name) &&
	       listed_files_is_component(name.component);
}

/* The text ends within a line: the files of the last SSTable may go on. */
static void read_cut(struct reader *r, struct slice line)
{
	struct folder *f;

	r->local_dates |= pattern_match(&loop_dates, line, NULL, 0);
	if (!r->folders.n)
		return;
	f = &r->folders.v[r->last];
	f->files.line = r->lines.number;
	f->partial = true;
	listed_files_cut(&f->files, NULL);
	err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, r->lines.number,
		"the listing is cut off");
}

/* The listing of a directory in which there is no SSTable. */
static void add_empty(struct reader *r)
{
	struct folder f = { .path = r->here };

	describe_folder(r, &f, (struct slice){ "", 0 });
	if (!f.foreign && (f.table_dir.n || r->ev->directory))
		(void)folder_of(r, r->here, (struct slice){ "", 0 });
}

bool parse_file_listing(struct arena *a, const struct evidence *ev, struct node *into,
			struct err *err)
{
	struct reader r = { .arena = a, .ev = ev, .err = err, .lines = lines_of(ev->out),
			    .here = { "", 0 }, .block = 1 };
	struct slice line;

	while (lines_next(&r.lines, &line)) {
		line = slice_trim(line);
		if (!line.n)
			continue;
		if (r.lines.terminated || is_whole(line))
			read_line(&r, line);
		else
			read_cut(&r, line);
	}
	if (!r.folders.n && r.any_row)
		add_empty(&r);
	if (make_listings(&r, into) > 0)
		return true;
	return refuse(&r);
}
