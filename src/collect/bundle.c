/*
 * A bundle on disk: a directory with bundle.json and nodes/<node>/…, or the tree of one node.
 *
 * Names that are not of the layout are ignored. What is of the layout and can't be read is handed
 * out as evidence with an error.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "collect/layout.h"
#include "collect/tree.h"

/* ---- one node ---- */

/* "<keyspace>.<table>.txt", one table's output of a command. */
static void read_table_output(struct source *s, const struct place *in, const char *name)
{
	struct evidence ev = in->about;

	if (layout_table_output(s->arena, name, &ev))
		tree_hand_file(s, in, name, ev);
}

/* A file in the folder of a table's SSTables. */
static void read_sstable_file(struct source *s, const struct place *in, const char *name)
{
	struct evidence ev = in->about;

	if (layout_sstable_file(s->arena, name, &ev))
		tree_hand_file(s, in, name, ev);
}

static void read_table_dir(struct source *s, const struct place *in, const char *name)
{
	struct place inner;

	if (!tree_enter(s, in, name, EV_LISTING, &inner))
		return;
	inner.about.directory = layout_decode(s->arena, slice_of(name));
	tree_walk(s, &inner, read_sstable_file);
	close(inner.fd);
}

static void read_keyspace(struct source *s, const struct place *in, const char *name)
{
	struct place inner;

	if (!tree_enter(s, in, name, EV_LISTING, &inner))
		return;
	inner.about.keyspace = layout_decode(s->arena, slice_of(name));
	tree_walk(s, &inner, read_table_dir);
	close(inner.fd);
}

static void read_disk(struct source *s, const struct place *in, const char *name)
{
	struct place inner;
	unsigned disk;

	if (!layout_disk(name, &disk) || !tree_enter(s, in, name, EV_LISTING, &inner))
		return;
	inner.about.disk = disk;
	tree_walk(s, &inner, read_keyspace);
	close(inner.fd);
}

static bool is_node_json(const char *name)
{
	return strcmp(name, "node.json") == 0;
}

static void read_node_entry(struct source *s, const struct place *in, const char *name)
{
	struct evidence ev = in->about;
	enum evidence_kind kind;
	struct place inner;

	if (layout_node_file(name, &ev.kind)) {
		tree_hand_file(s, in, name, ev);
		return;
	}
	if (!layout_node_folder(name, &kind) || !tree_enter(s, in, name, kind, &inner))
		return;
	tree_walk(s, &inner, kind == EV_LISTING ? read_disk : read_table_output);
	close(inner.fd);
}

/* node.json comes before everything else of its node. */
/* A node of which nothing was collected is a node all the same. */
static void hand_empty_node(struct source *s, const struct place *in)
{
	struct evidence ev = in->about;

	ev.kind = EV_NODE;
	ev.path = in->path;
	ev.err = (struct err){ .kind = ERR_IO, .subject = in->path, .text = "is an empty folder" };
	s->each(s->ctx, &ev);
}

static void read_node(struct source *s, struct place *in, const char *node)
{
	struct tree_names names;

	in->about.node = node;
	in->relative = strlen(in->path) + 1;
	if (!tree_list(s, in, &names))
		return;
	if (!names.n)
		hand_empty_node(s, in);
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
	start.about.node = layout_decode(s->arena, slice_of(name));
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

/* Anything of the layout in it? A place of its own: reading names moves a descriptor. */
static bool is_bundle(int fd)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own >= 0 ? fdopendir(own) : NULL;
	enum evidence_kind kind;
	struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir)))
		found = strcmp(e->d_name, "bundle.json") == 0 || strcmp(e->d_name, "nodes") == 0 ||
			layout_node_file(e->d_name, &kind) || layout_node_folder(e->d_name, &kind);
	if (dir)
		closedir(dir);
	else if (own >= 0)
		close(own);
	return found;
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
