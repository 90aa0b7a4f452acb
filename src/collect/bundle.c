/*
 * A bundle on disk: a directory with bundle.json and nodes/<node>/…, or the tree of one node.
 *
 * Names that are not of the layout are ignored. What is of the layout and can't be read is handed
 * out as evidence with an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "collect/tree.h"

enum { DISK_MAX = 9999 };

/* The files of a node's own folder. */
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
	{ "tablestats.json", EV_TABLESTATS },
	{ "tablestats.txt", EV_TABLESTATS },
	{ "version.txt", EV_VERSION },
};

static const struct { const char *suffix; enum evidence_kind kind; } sstable_files[] = {
	{ "-Statistics.db", EV_STATISTICS_DB },
	{ "-Summary.db", EV_KEYS_DB },
	{ "-Partitions.db", EV_KEYS_DB },
};

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

/* Percent-decoded; what is no escape, or of a NUL byte, stays as it stands. */
static const char *decode(struct arena *a, struct slice s)
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

/* ---- one node ---- */

/* "<keyspace>.<table>.txt", one table's output of a command. */
static void read_table_output(struct source *s, const struct place *in, const char *name)
{
	struct slice rest = slice_of(name);
	struct evidence ev = in->about;
	size_t dot;

	if (!slice_ends(rest, SLICE(".txt")))
		return;
	rest.n -= 4;
	dot = slice_find(rest, '.');
	if (dot == 0 || dot + 1 >= rest.n)
		return;
	ev.keyspace = decode(s->arena, (struct slice){ rest.p, dot });
	ev.table = decode(s->arena, slice_from(rest, dot + 1));
	tree_hand_file(s, in, name, ev);
}

/* A file in the folder of a table's SSTables. */
static void read_sstable_file(struct source *s, const struct place *in, const char *name)
{
	struct evidence ev = in->about;

	if (strcmp(name, "listing.tsv") == 0) {
		ev.kind = EV_LISTING;
		tree_hand_file(s, in, name, ev);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(sstable_files); i++) {
		if (!slice_ends(slice_of(name), slice_of(sstable_files[i].suffix)))
			continue;
		ev.kind = sstable_files[i].kind;
		ev.file = arena_strdup(s->arena, name);
		tree_hand_file(s, in, name, ev);
	}
}

static void read_table_dir(struct source *s, const struct place *in, const char *name)
{
	struct place inner;

	if (!tree_enter(s, in, name, EV_LISTING, &inner))
		return;
	inner.about.directory = decode(s->arena, slice_of(name));
	tree_walk(s, &inner, read_sstable_file);
	close(inner.fd);
}

static void read_keyspace(struct source *s, const struct place *in, const char *name)
{
	struct place inner;

	if (!tree_enter(s, in, name, EV_LISTING, &inner))
		return;
	inner.about.keyspace = decode(s->arena, slice_of(name));
	tree_walk(s, &inner, read_table_dir);
	close(inner.fd);
}

static bool disk_number(const char *name, unsigned *disk)
{
	*disk = 0;
	for (const char *p = name; *p; p++) {
		if (*p < '0' || *p > '9')
			return false;
		*disk = *disk * 10 + (unsigned)(*p - '0');
		if (*disk > DISK_MAX)
			return false;
	}
	return *name != '\0';
}

static void read_disk(struct source *s, const struct place *in, const char *name)
{
	struct place inner;
	unsigned disk;

	if (!disk_number(name, &disk) || !tree_enter(s, in, name, EV_LISTING, &inner))
		return;
	inner.about.disk = disk;
	tree_walk(s, &inner, read_keyspace);
	close(inner.fd);
}

/* The folders of a node. */
static const struct {
	const char *name;
	enum evidence_kind kind;
	void (*visit)(struct source *, const struct place *, const char *);
} node_folders[] = {
	{ "sstablemetadata", EV_SSTABLEMETADATA, read_table_output },
	{ "sstables", EV_LISTING, read_disk },
	{ "tablehistograms", EV_TABLEHISTOGRAMS, read_table_output },
};

static bool is_node_json(const char *name)
{
	return strcmp(name, "node.json") == 0;
}

static void read_node_entry(struct source *s, const struct place *in, const char *name)
{
	struct evidence ev = in->about;
	struct place inner;

	for (size_t i = 0; i < ARRAY_LEN(node_files); i++) {
		if (strcmp(name, node_files[i].name) != 0)
			continue;
		ev.kind = node_files[i].kind;
		tree_hand_file(s, in, name, ev);
	}
	for (size_t i = 0; i < ARRAY_LEN(node_folders); i++) {
		if (strcmp(name, node_folders[i].name) != 0 ||
		    !tree_enter(s, in, name, node_folders[i].kind, &inner))
			continue;
		tree_walk(s, &inner, node_folders[i].visit);
		close(inner.fd);
	}
}

/* node.json comes before everything else of its node. */
static void read_node(struct source *s, struct place *in, const char *node)
{
	struct tree_names names;

	in->about.node = node;
	in->relative = strlen(in->path) + 1;
	if (!tree_list(s, in, &names))
		return;
	for (size_t i = 0; i < names.n && !s->stopped; i++)
		if (is_node_json(names.v[i]))
			read_node_entry(s, in, names.v[i]);
	for (size_t i = 0; i < names.n && !s->stopped; i++)
		if (!is_node_json(names.v[i]))
			read_node_entry(s, in, names.v[i]);
	tree_free_names(&names);
}

/* ---- the bundle ---- */

static void visit_node(struct source *s, const struct place *in, const char *name)
{
	struct place start = *in, inner;
	struct stat st;

	/* A plain file beside the nodes' folders is nobody's. */
	if (fstatat(in->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(st.st_mode))
		return;
	start.about.node = arena_strdup(s->arena, name);
	if (!tree_enter(s, &start, name, EV_NODE, &inner))
		return;
	read_node(s, &inner, start.about.node);
	close(inner.fd);
}

static struct place root_of(struct source *s)
{
	size_t n = strlen(s->where);

	while (n > 1 && s->where[n - 1] == '/')
		n--;
	return (struct place){
		.fd = s->fd,
		.path = arena_copy(s->arena, (struct slice){ s->where, n }),
		.about = { .kind = EV_NODE, .node = "-" },
	};
}

static bool exists(int fd, const char *name)
{
	struct stat st;

	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool bundle_read(struct source *s, evidence_fn *each, void *ctx, struct err *err)
{
	struct place root = root_of(s), nodes;
	struct evidence ev = { .kind = EV_BUNDLE, .node = "-" };

	s->each = each;
	s->ctx = ctx;
	s->err = err;
	s->entries = 0;
	s->total = 0;
	s->stopped = false;
	root.about.path = root.path;
	root.relative = strlen(root.path) + 1;
	if (exists(s->fd, "bundle.json"))
		tree_hand_file(s, &root, "bundle.json", ev);
	if (!exists(s->fd, "nodes")) {
		read_node(s, &root, "-");
	} else if (tree_enter(s, &root, "nodes", EV_NODE, &nodes)) {
		tree_walk(s, &nodes, visit_node);
		close(nodes.fd);
	}
	return !s->stopped;
}

/* Anything of the layout in it? */
static bool is_bundle(int fd)
{
	if (exists(fd, "bundle.json") || exists(fd, "nodes"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(node_files); i++)
		if (exists(fd, node_files[i].name))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(node_folders); i++)
		if (exists(fd, node_folders[i].name))
			return true;
	return false;
}

static struct source *bundle_open(struct arena *a, const char *where, struct err *err)
{
	struct source *s;
	int fd = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		err_set(a, err, ERR_IO, where, 0, "cannot be opened: %s", strerror(errno));
		return NULL;
	}
	if (!is_bundle(fd)) {
		close(fd);
		err_set(a, err, ERR_IO, where, 0,
			"is no bundle: neither bundle.json nor nodes nor a node's outputs in it");
		return NULL;
	}
	s = arena_alloc(a, sizeof(*s));
	s->arena = a;
	s->where = arena_strdup(a, where);
	s->fd = fd;
	return s;
}

static void bundle_close(struct source *s)
{
	if (!s)
		return;
	close(s->fd);
	free(s->buffer);
	s->buffer = NULL;
	s->room = 0;
}

const struct source_ops source_bundle = {
	.name = "bundle",
	.help = "a directory of saved outputs",
	.open = bundle_open,
	.read = bundle_read,
	.close = bundle_close,
};
