/* Where an SSTable lies, as texts name it. See metadata_place.h. */
#include "parse/metadata_place.h"

#include "base/slice.h"
#include "parse/parse.h"
#include "parse/pattern.h"

static struct pattern below_table = PATTERN(
	"/[^/]+-(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/[^/]+/");

/* Before 2.1 the table's folder had no id that would mark it. */
static struct pattern side_folder = PATTERN("/(?:snapshots|backups)/");

bool metadata_place_split(struct slice path, struct metadata_place *out)
{
	size_t slash = slice_rfind(path, '/');
	struct sstable_name parts;

	out->folder = (struct slice){ path.p, slash < path.n ? slash : 0 };
	if (!parse_sstable_name(parse_file_name(path), &parts))
		return false;
	out->name = parts.base;
	return true;
}

bool metadata_place_is_foreign(struct slice path)
{
	struct slice keyspace, table;

	if (pattern_match(&below_table, path, NULL, 0))
		return true;
	return parse_old_sstable_name(parse_file_name(path), &keyspace, &table) &&
	       (slice_find(table, '.') < table.n || pattern_match(&side_folder, path, NULL, 0));
}

const char *metadata_place_path(struct arena *a, const struct sstable_meta *m)
{
	return m->directory ? arena_printf(a, "%s/%s", m->directory, m->name) : m->name;
}

void metadata_place_set(struct arena *a, const struct evidence *ev,
			const struct metadata_place *p, struct sstable_meta *m)
{
	struct sstable_path parts = parse_sstable_path((struct slice){
		p->folder.p, (size_t)(p->name.p + p->name.n - p->folder.p) });

	m->name = arena_copy(a, p->name);
	m->source = ev->path;
	m->directory = p->folder.n ? arena_copy(a, p->folder) : NULL;
	m->keyspace = parts.keyspace.n ? arena_copy(a, parts.keyspace) : ev->keyspace;
	m->table_dir = parts.table_dir.n ? arena_copy(a, parts.table_dir) : ev->table;
	m->path = metadata_place_path(a, m);
}
