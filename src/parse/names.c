/*
 * Names of SSTables, of their components and of table directories.
 * Sources: Cassandra Descriptor, UUIDBasedSSTableId, Directories (2.0 to 5.0).
 */
#include "base/slice.h"
#include "parse/parse.h"
#include "parse/pattern.h"

#define COMPONENT "([A-Za-z0-9_+]+\\.(?:db|txt|crc32|adler32|sha1))"
#define DASHED_ID "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

/* 2.2 and later. The id is a number, or a time UUID in base 36. */
static struct pattern new_name = PATTERN(
	"^(([a-z]{2})-([0-9]{1,19}|[0-9a-z]{4}_[0-9a-z]{4}_[0-9a-z]{18})-(big|bti))"
	"(?:-" COMPONENT ")?$");

/* 2.1 and older. "tmp-" or "tmplink-" before the version marks an unfinished file: no match. */
static struct pattern old_name = PATTERN(
	"^([A-Za-z0-9_]+-[A-Za-z0-9_.]+-([h-k][a-z])-([0-9]{1,19}))(?:-" COMPONENT ")?$");

static struct pattern old_owner = PATTERN(
	"^([A-Za-z0-9_]+)-([A-Za-z0-9_.]+)-[h-k][a-z]-[0-9]{1,19}(?:-" COMPONENT ")?$");

static struct pattern table_dir = PATTERN("^(.+)-([0-9a-f]{32}|" DASHED_ID ")$");

struct slice parse_file_name(struct slice path)
{
	size_t slash = slice_rfind(path, '/');

	return slash < path.n ? slice_from(path, slash + 1) : path;
}

bool parse_sstable_name(struct slice file, struct sstable_name *out)
{
	struct slice m[6];

	*out = (struct sstable_name){ 0 };
	if (pattern_match(&new_name, file, m, ARRAY_LEN(m))) {
		*out = (struct sstable_name){ .base = m[1], .version = m[2], .id = m[3],
					      .format = m[4], .component = m[5] };
		return true;
	}
	if (pattern_match(&old_name, file, m, ARRAY_LEN(m))) {
		*out = (struct sstable_name){ .base = m[1], .version = m[2], .id = m[3],
					      .component = m[4] };
		return true;
	}
	return false;
}

bool parse_old_sstable_name(struct slice file, struct slice *keyspace, struct slice *table)
{
	struct slice m[3];

	if (!pattern_match(&old_owner, file, m, ARRAY_LEN(m)))
		return false;
	*keyspace = m[1];
	*table = m[2];
	return true;
}

void parse_table_dir(struct slice dir, struct slice *table, struct slice *id)
{
	struct slice m[3];

	if (pattern_match(&table_dir, dir, m, ARRAY_LEN(m))) {
		*table = m[1];
		*id = m[2];
	} else {
		*table = dir;
		*id = (struct slice){ dir.p + dir.n, 0 };
	}
}

struct sstable_path parse_sstable_path(struct slice path)
{
	struct sstable_path out = { 0 };
	struct slice rest = path, table, id, dir;

	out.name = slice_take_last(&rest);
	out.folder = rest;
	dir = slice_take_last(&rest);
	parse_table_dir(dir, &table, &id);
	if (!id.n) {	/* before 2.1 folders had no ids, but the files' names tell */
		(void)parse_old_sstable_name(out.name, &out.keyspace, &out.table_dir);
		return out;
	}
	out.table_dir = dir;
	out.keyspace = slice_take_last(&rest);
	return out;
}
