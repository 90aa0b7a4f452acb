/* The layout of a bundle. See layout.h. */
#include "collect/layout.h"

#include <string.h>

#include "base/slice.h"

/* The files of a node's own folder; the first of a kind is the one that is written. */
static const struct { const char *name; enum evidence_kind kind; } node_files[] = {
	{ "cassandra.yaml.txt", EV_SETTINGS },
	{ "compactionstats.txt", EV_COMPACTIONSTATS },
	{ "datapaths.txt", EV_DATAPATHS },
	{ "describecluster.txt", EV_DESCRIBECLUSTER },
	{ "df.txt", EV_DISK_USAGE },
	{ "info.txt", EV_INFO },
	{ "node.json", EV_NODE },
	{ "schema.cql", EV_SCHEMA },
	{ "schema.json", EV_SCHEMA },
	{ "status.txt", EV_STATUS },
	{ "statusautocompaction.txt", EV_STATUSAUTOCOMPACTION },
	{ "tablestats.txt", EV_TABLESTATS },
	{ "tablestats.json", EV_TABLESTATS },
	{ "version.txt", EV_VERSION },
};

static const struct { const char *suffix; enum evidence_kind kind; } sstable_files[] = {
	{ "-Statistics.db", EV_STATISTICS_DB },
	{ "-Summary.db", EV_KEYS_DB },
	{ "-Partitions.db", EV_KEYS_DB },
};

static const struct { const char *name; enum evidence_kind kind; } node_folders[] = {
	{ "sstablemetadata", EV_SSTABLEMETADATA },
	{ "sstables", EV_LISTING },
	{ "tablehistograms", EV_TABLEHISTOGRAMS },
};

static const char listing_name[] = "listing.tsv";

/* ---- sizes ---- */

int64_t layout_size_max(enum evidence_kind kind)
{
	return kind == EV_STATISTICS_DB ? LAYOUT_STATISTICS_MAX : LAYOUT_FILE_MAX;
}

const char *layout_too_large(enum evidence_kind kind)
{
	return kind == EV_STATISTICS_DB ? "is larger than 1 MiB: no Statistics.db is"
					: "is larger than 256 MiB";
}

/* ---- names ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

const char *layout_decode(struct arena *a, struct slice s)
{
	char *out = arena_copy(a, s);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		int high = s.p[i] == '%' && i + 2 < s.n ? hex_digit(s.p[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(s.p[i + 2]) : -1;

		if (low >= 0 && high * 16 + low > 0) {
			out[n++] = (char)(high * 16 + low);
			i += 2;
		} else {
			out[n++] = s.p[i];
		}
	}
	out[n] = '\0';
	return out;
}

static bool is_plain(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

const char *layout_encode(struct arena *a, const char *name)
{
	static const char digits[] = "0123456789ABCDEF";
	bool dots = name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
	char *out = arena_array(a, strlen(name) + 1, 3), *to = out;

	for (const char *p = name; *p; p++) {
		if (is_plain(*p) && !dots) {
			*to++ = *p;
			continue;
		}
		*to++ = '%';
		*to++ = digits[(unsigned char)*p >> 4];
		*to++ = digits[(unsigned char)*p & 15];
	}
	return out;
}

/* ---- single names ---- */

bool layout_node_file(const char *name, enum evidence_kind *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(node_files); i++) {
		if (strcmp(name, node_files[i].name) == 0) {
			*kind = node_files[i].kind;
			return true;
		}
	}
	return false;
}

bool layout_node_folder(const char *name, enum evidence_kind *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(node_folders); i++) {
		if (strcmp(name, node_folders[i].name) == 0) {
			*kind = node_folders[i].kind;
			return true;
		}
	}
	return false;
}

bool layout_table_output(struct arena *a, const char *name, struct evidence *ev)
{
	struct slice rest = slice_of(name);
	size_t dot;

	if (!slice_ends(rest, SLICE(".txt")))
		return false;
	rest.n -= 4;
	dot = slice_find(rest, '.');
	if (dot == 0 || dot + 1 >= rest.n)
		return false;
	ev->keyspace = layout_decode(a, (struct slice){ rest.p, dot });
	ev->table = layout_decode(a, slice_from(rest, dot + 1));
	return true;
}

bool layout_sstable_file(struct arena *a, const char *name, struct evidence *ev)
{
	if (strcmp(name, listing_name) == 0) {
		ev->kind = EV_LISTING;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(sstable_files); i++) {
		if (!slice_ends(slice_of(name), slice_of(sstable_files[i].suffix)))
			continue;
		ev->kind = sstable_files[i].kind;
		ev->file = arena_strdup(a, name);
		return true;
	}
	return false;
}

bool layout_disk(const char *name, unsigned *disk)
{
	*disk = 0;
	for (const char *p = name; *p; p++) {
		if (*p < '0' || *p > '9')
			return false;
		*disk = *disk * 10 + (unsigned)(*p - '0');
		if (*disk > LAYOUT_DISK_MAX)
			return false;
	}
	return *name != '\0';
}

/* ---- whole paths ---- */

enum { PARTS_MAX = 6 };

/* The components of a path; 0 when there are more than any path of the layout has. */
static size_t split_path(struct arena *a, const char *path, const char *part[PARTS_MAX])
{
	struct slice rest = slice_of(path), name;
	size_t n = 0;

	while (slice_field(&rest, '/', &name)) {
		if (n == PARTS_MAX || !name.n)
			return 0;
		part[n++] = arena_copy(a, name);
	}
	return n;
}

/* "sstables/<disk>/<keyspace>/<table>-<id>/<file>" */
static bool find_sstable(struct arena *a, const char **part, size_t n, struct evidence *ev)
{
	if (n != 5 || !layout_disk(part[1], &ev->disk) || !layout_sstable_file(a, part[4], ev))
		return false;
	ev->keyspace = layout_decode(a, slice_of(part[2]));
	ev->directory = layout_decode(a, slice_of(part[3]));
	return true;
}

static bool find_in_node(struct arena *a, const char *relative, struct evidence *ev)
{
	const char *part[PARTS_MAX];
	size_t n = split_path(a, relative, part);

	if (n == 1)
		return layout_node_file(part[0], &ev->kind);
	if (n < 2 || !layout_node_folder(part[0], &ev->kind))
		return false;
	if (ev->kind == EV_LISTING)
		return find_sstable(a, part, n, ev);
	return n == 2 && layout_table_output(a, part[1], ev);
}

bool layout_find(struct arena *a, const char *path, bool has_nodes, struct evidence *ev)
{
	struct slice rest = slice_of(path), node;

	*ev = (struct evidence){ .node = "-", .relative = path };
	if (strcmp(path, "bundle.json") == 0) {
		ev->kind = EV_BUNDLE;
		return true;
	}
	if (!has_nodes)
		return find_in_node(a, path, ev);
	if (!slice_starts(rest, SLICE("nodes/")))
		return false;
	rest = slice_from(rest, 6);
	if (!slice_field(&rest, '/', &node) || !node.n || !rest.n)
		return false;
	ev->node = layout_decode(a, node);
	ev->relative = rest.p;
	return find_in_node(a, rest.p, ev);
}

/* The path that every piece of that kind has; NULL when there is none. */
static const char *path_of_kind(struct arena *a, const struct evidence *ev)
{
	for (size_t i = 0; i < ARRAY_LEN(node_files); i++)
		if (node_files[i].kind == ev->kind)
			return node_files[i].name;
	for (size_t i = 0; i < ARRAY_LEN(node_folders); i++)
		if (node_folders[i].kind == ev->kind && ev->keyspace && ev->table)
			return arena_printf(a, "%s/%s.%s.txt", node_folders[i].name,
					    layout_encode(a, ev->keyspace),
					    layout_encode(a, ev->table));
	return NULL;
}

/* A dot in a keyspace's name would part it from its table's in the wrong place. */
static bool is_ambiguous(const struct evidence *ev)
{
	return ev->table && ev->keyspace && strchr(ev->keyspace, '.');
}

const char *layout_path(struct arena *a, const struct evidence *ev)
{
	const char *file = ev->kind == EV_LISTING ? listing_name : ev->file;
	struct evidence found;

	if (ev->relative && layout_find(a, ev->relative, false, &found) && found.kind == ev->kind)
		return ev->relative;
	if (ev->keyspace && ev->directory && file)
		return arena_printf(a, "sstables/%u/%s/%s/%s", ev->disk,
				    layout_encode(a, ev->keyspace),
				    layout_encode(a, ev->directory), layout_encode(a, file));
	return is_ambiguous(ev) ? NULL : path_of_kind(a, ev);
}

/* "readings-<32 hex digits>" without its id. */
static struct slice table_of_directory(const char *directory)
{
	struct slice name = slice_of(directory);
	size_t dash = slice_rfind(name, '-');

	if (dash == name.n || name.n - dash - 1 != 32)
		return name;
	for (size_t i = dash + 1; i < name.n; i++)
		if (hex_digit(name.p[i]) < 0)
			return name;
	return (struct slice){ name.p, dash };
}

const char *layout_subject(struct arena *a, const struct evidence *ev)
{
	struct slice table = ev->table ? slice_of(ev->table) : (struct slice){ NULL, 0 };

	if (!ev->table && ev->directory)
		table = table_of_directory(ev->directory);
	if (!table.p)
		return NULL;
	return arena_printf(a, "%s%s%.*s", ev->keyspace ? ev->keyspace : "",
			    ev->keyspace ? "." : "", (int)table.n, table.p);
}

/* The end of a name comes before every byte that goes on with it. */
static int rank_of(char c)
{
	return c == '\0' ? -1 : c == '/' ? 0 : (unsigned char)c;
}

int layout_compare(const char *p, const char *q)
{
	size_t i = 0;

	while (p[i] && p[i] == q[i])
		i++;
	return rank_of(p[i]) - rank_of(q[i]);
}
