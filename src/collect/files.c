/*
 * Loose files: single ones, folders in any layout, and standard input. Each is handed out as it is,
 * to be recognised by its content; only the binary components of SSTables are known by their names.
 *
 * A folder is read whole, sorted, without following links; hidden files and what lies in snapshots
 * and backups of a table's directory are left out. Long texts and standard input are handed out in
 * parts. A folder with Data.db files gives a listing of them: what `ls` would have told.
 */
#include "collect/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/slice.h"
#include "collect/file_nodes.h"
#include "collect/tree.h"

enum { PART = 4 << 20, DEPTH_MAX = 64, NAME_DIGITS = 32 };

/* A table's directory; the same one at another place is on another disk. */
struct table_folder { struct slice path, name; const char *node; unsigned disk; };

struct files {
	struct source base;	/* first: the source that callers hold */
	const char *root;	/* path of the folder for messages, without slash at its end */
	const char *real;	/* the same, resolved; NULL = it is no folder */
	bool folder;
	VEC(const char *) paths;	/* below the folder, sorted */
	VEC(struct slice) listed;	/* folders whose SSTables were listed */
	VEC(struct table_folder) tables;
};

/* ---- names ---- */

static bool ends(const char *name, const char *with)
{
	return slice_ends(slice_of(name), slice_of(with));
}

/* EV_STATISTICS_DB, EV_KEYS_DB, or 0. */
static unsigned component_kind(const char *name)
{
	if (ends(name, "-Statistics.db"))
		return EV_STATISTICS_DB;
	return ends(name, "-Summary.db") || ends(name, "-Partitions.db") ? EV_KEYS_DB : 0;
}

/* Any component of an SSTable: nothing that a person would read. */
static bool is_component(const char *name)
{
	static const char *const endings[] = {
		".db", "-TOC.txt", "-Digest.crc32", "-Digest.adler32", "-Digest.sha1",
		"-CompressionInfo.db", ".crc32",
	};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (ends(name, endings[i]) && strchr(name, '-'))
			return true;
	return false;
}

static bool is_packed(const char *name)
{
	static const char *const endings[] = {
		".gz", ".tgz", ".zst", ".xz", ".bz2", ".tar", ".zip", ".7z", ".rar", ".lz4",
	};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (ends(name, endings[i]))
			return true;
	return false;
}

/* "readings-<32 hex digits>", also with a UUID's hyphens. */
static bool has_table_id(struct slice name)
{
	size_t digits = 0, i = name.n;

	while (i > 0 && digits < NAME_DIGITS) {
		char c = name.p[i - 1];
		bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');

		if (!hex && c != '-')
			return false;
		digits += hex;
		i--;
	}
	return digits == NAME_DIGITS && i > 1 && name.p[i - 1] == '-';
}

static bool is_plain_folder(struct slice name)
{
	static const char *const words[] = {
		"sstables", "data", "statistics", "db", "files", "sstable-statistics", "dump",
		"tmp",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (slice_eq_str(name, words[i]))
			return true;
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] < '0' || name.p[i] > '9')
			return false;
	return true;	/* a number, or nothing */
}

static bool is_identifier(struct slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_'))
			return false;
	}
	return s.n > 0;
}

/* Table directory and keyspace of the SSTables in a folder, by its path. */
static void place_sstables(struct files *f, const char *folder, struct evidence *ev)
{
	struct arena *a = f->base.arena;
	struct slice rest = slice_of(arena_printf(a, "%s%s%s", f->real ? f->real : "",
						  f->real && *folder ? "/" : "", folder));
	struct slice name = slice_take_last(&rest), above = slice_take_last(&rest);

	if (is_plain_folder(name) || !(has_table_id(name) || is_identifier(name)))
		return;
	ev->directory = arena_copy(a, name);
	if (has_table_id(name) && is_identifier(above) && !is_plain_folder(above))
		ev->keyspace = arena_copy(a, above);
}

/* The number of a table directory among those of its name, in order of paths; 0 for others. */
static unsigned disk_of(struct files *f, struct slice folder, const char *node)
{
	struct slice rest = folder, name = slice_take_last(&rest);
	struct table_folder t = { folder, name, node, 0 };

	if (!has_table_id(name))
		return 0;
	for (size_t i = f->tables.n; i > 0; i--) {
		const struct table_folder *seen = &f->tables.v[i - 1];

		if (slice_eq(seen->path, folder))
			return seen->disk;
		t.disk += slice_eq(seen->name, name) && strcmp(seen->node, node) == 0;
	}
	*vec_add(f->base.arena, &f->tables) = t;
	return t.disk;
}

static struct slice folder_of(const char *path)
{
	size_t slash = slice_rfind(slice_of(path), '/');

	return (struct slice){ path, slash < strlen(path) ? slash : 0 };
}

/* ---- finding the files ---- */

static bool is_left_out(const struct place *in, const char *name)
{
	static const char *const below_table[] = {
		"snapshots", "backups", "staging", "quarantine", "upload",
	};
	struct slice path = slice_of(in->path), folder = slice_take_last(&path);

	if (name[0] == '.')
		return true;
	for (size_t i = 0; has_table_id(folder) && i < ARRAY_LEN(below_table); i++)
		if (strcmp(name, below_table[i]) == 0)
			return true;
	return false;
}

static void find_files(struct files *f, const struct place *in, unsigned depth)
{
	struct source *s = &f->base;
	struct tree_names names;

	if (!tree_list(s, in, &names))
		return;
	for (size_t i = 0; i < names.n && !s->stopped; i++) {
		const char *name = names.v[i], *below = in->path + in->relative;
		struct place inner;
		struct stat st;

		below += *below == '/';
		if (is_left_out(in, name) || fstatat(in->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (!S_ISDIR(st.st_mode)) {
			*vec_add(s->arena, &f->paths) = arena_printf(
				s->arena, "%s%s%s", below, *below ? "/" : "", name);
		} else if (depth < DEPTH_MAX && tree_enter(s, in, name, EV_LOOSE, &inner)) {
			find_files(f, &inner, depth + 1);
			close(inner.fd);
		}
	}
	tree_free_names(&names);
}

/* ---- handing them out ---- */

static void hand(struct files *f, struct evidence *ev, const char *why)
{
	if (why) {
		ev->out = (struct slice){ "", 0 };
		err_set(f->base.arena, &ev->err, ERR_IO, ev->path, 0, "%s", why);
	}
	f->base.each(f->base.ctx, ev);
}

static const char *because(struct files *f, int error)
{
	return arena_printf(f->base.arena, "cannot be read: %s", strerror(error));
}

/* Fill the buffer; fewer than `size` bytes: the end. False: it can't be read. */
static bool read_part(int fd, char *p, size_t size, size_t *n)
{
	for (*n = 0; *n < size;) {
		ssize_t got = read(fd, p + *n, size - *n);

		if (got < 0 && errno == EINTR && !deadline_passed())
			continue;
		if (got < 0)
			return false;
		if (got == 0)
			return true;
		*n += (size_t)got;
	}
	return true;
}

/* A text of any length, in parts that end with a line where there is one. */
static void hand_stream(struct files *f, struct evidence *ev, int fd)
{
	char *p = malloc(PART);
	size_t n = 0, kept = 0;

	if (!p) {
		hand(f, ev, "memory is out");
		return;
	}
	do {
		size_t end;

		if (!read_part(fd, p + kept, PART - kept, &n)) {
			hand(f, ev, because(f, errno));
			break;
		}
		n += kept;
		ev->more = n == PART;
		end = ev->more ? slice_rfind((struct slice){ p, n }, '\n') + 1 : n;
		end = end > n ? n : end;	/* no line ends in it */
		ev->out = (struct slice){ p, end };
		f->base.total += (int64_t)end;
		hand(f, ev, NULL);
		kept = n - end;
		memmove(p, p + end, kept);
	} while (ev->more);
	free(p);
}

/* A file that is opened already. */
static void hand_open(struct files *f, struct evidence *ev, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		hand(f, ev, because(f, errno));
		return;
	}
	if (f->folder && !S_ISREG(st.st_mode)) {
		hand(f, ev, "is no plain file");
		return;
	}
	ev->mtime_s = some_i64(st.st_mtime);
	hand_stream(f, ev, fd);
}

static void hand_path(struct files *f, const struct place *root, const char *path,
		      const char *node)
{
	struct evidence ev = { .kind = EV_LOOSE, .node = node };
	const char *name = strrchr(path, '/');
	unsigned kind;
	int fd;

	name = name ? name + 1 : path;
	ev.path = arena_printf(f->base.arena, "%s/%s", f->root, path);
	ev.disk = disk_of(f, folder_of(path), node);
	kind = component_kind(name);
	if (kind) {
		ev.kind = (enum evidence_kind)kind;
		ev.file = arena_strdup(f->base.arena, name);
		place_sstables(f, arena_copy(f->base.arena, folder_of(path)), &ev);
		tree_hand_file(&f->base, root, path, ev);
		return;
	}
	if (is_component(name))
		return;
	if (is_packed(name)) {
		hand(f, &ev, "is packed: unpack it, or give an archive by a --from of its own");
		return;
	}
	fd = openat(root->fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		hand(f, &ev, errno == ELOOP ? "is a link, and links are not followed"
					    : because(f, errno));
		return;
	}
	hand_open(f, &ev, fd);
	close(fd);
}

/* ---- listings of folders with SSTables ---- */

/* Paths are sorted: all of a folder's files follow each other, but for its subfolders' files. */
static void hand_listing(struct files *f, const struct place *root, size_t at, const char *node)
{
	struct slice folder = folder_of(f->paths.v[at]);
	const char *in = arena_copy(f->base.arena, folder);
	struct evidence ev = { .kind = EV_LISTING, .node = node };
	bool data = false;
	struct buf text;

	place_sstables(f, in, &ev);
	if (!ev.directory)
		return;
	buf_init(&text, LONG_MAX);
	buf_str(&text, "name\tbytes\n");
	for (size_t i = at; i < f->paths.n; i++) {
		const char *path = f->paths.v[i], *name = path + (folder.n ? folder.n + 1 : 0);
		struct stat st;

		if (!slice_starts(slice_of(path), folder))
			break;
		if (!slice_eq(folder_of(path), folder) || !is_component(name) ||
		    fstatat(root->fd, path, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
			continue;
		data |= ends(name, "-Data.db");
		buf_printf(&text, "%s\t%lld\n", name, (long long)st.st_size);
	}
	ev.disk = disk_of(f, folder, node);
	ev.path = arena_printf(f->base.arena, "%s%s%s", f->root, *in ? "/" : "", in);
	ev.out = (struct slice){ text.p, text.n };
	if (data)
		f->base.each(f->base.ctx, &ev);
	buf_free(&text);
}

static bool is_listed(const struct files *f, struct slice folder)
{
	for (size_t i = f->listed.n; i > 0; i--)
		if (slice_eq(f->listed.v[i - 1], folder))
			return true;
	return false;
}

static void hand_listings(struct files *f, const struct place *root, const char **nodes)
{
	for (size_t i = 0; i < f->paths.n && !f->base.stopped; i++) {
		struct slice folder = folder_of(f->paths.v[i]);
		size_t first = i;

		if (!ends(f->paths.v[i], "-Data.db") || is_listed(f, folder))
			continue;
		*vec_add(f->base.arena, &f->listed) = folder;
		while (first > 0 && slice_starts(slice_of(f->paths.v[first - 1]), folder))
			first--;
		hand_listing(f, root, first, nodes[i]);
	}
}

/* ---- the source ---- */

static void read_folder(struct files *f)
{
	struct source *s = &f->base;
	struct place root = {
		.fd = s->fd, .path = f->root, .relative = strlen(f->root),
		.about = { .kind = EV_LOOSE, .node = "-", .path = f->root },
	};
	const char **nodes;

	find_files(f, &root, 0);
	nodes = arena_array(s->arena, f->paths.n, sizeof(*nodes));
	root.relative = strlen(f->root) + 1;
	file_nodes_find(s->arena, f->paths.v, f->paths.n, nodes);
	for (size_t i = 0; i < f->paths.n && !s->stopped; i++) {
		if (deadline_passed()) {
			err_set(s->arena, s->err, ERR_TIMEOUT, f->paths.v[i], 0,
				"the time limit has passed");
			s->stopped = true;
			return;
		}
		hand_path(f, &root, f->paths.v[i], nodes[i]);
	}
	hand_listings(f, &root, nodes);
}

/* A component of an SSTable by itself: through its folder, with the limits of one. */
static void read_component(struct files *f, struct evidence ev)
{
	struct arena *a = f->base.arena;
	char *real = realpath(f->root, NULL);
	struct slice path = slice_of(real ? real : f->root), folder = path;
	const char *name = arena_copy(a, slice_take_last(&folder)), *in = arena_copy(a, folder);
	struct place place = { .fd = open(*in ? in : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			       .path = in, .relative = strlen(in) + 1 };

	free(real);
	ev.file = name;
	place_sstables(f, in, &ev);
	if (place.fd < 0) {
		hand(f, &ev, because(f, errno));
		return;
	}
	tree_hand_file(&f->base, &place, name, ev);
	close(place.fd);
}

static void read_single(struct files *f)
{
	struct evidence ev = { .kind = EV_LOOSE, .node = "-", .path = f->root };
	const char *slash = strrchr(f->root, '/'), *name = slash ? slash + 1 : f->root;

	ev.kind = (enum evidence_kind)component_kind(name);
	if (ev.kind) {
		read_component(f, ev);
		return;
	}
	ev.kind = EV_LOOSE;
	hand_open(f, &ev, f->base.fd);
}

static bool files_read(struct source *s, evidence_fn *each, void *ctx, struct err *err)
{
	struct files *f = (struct files *)s;

	s->each = each;
	s->ctx = ctx;
	s->err = err;
	s->entries = 0;
	s->total = 0;
	s->stopped = false;
	f->paths.n = f->tables.n = f->listed.n = 0;
	if (f->folder)
		read_folder(f);
	else
		read_single(f);
	return !s->stopped;
}

static struct source *files_open(struct arena *a, const char *where, struct err *err)
{
	bool input = strcmp(where, "-") == 0;
	int fd = input ? dup(STDIN_FILENO) : open(where, O_RDONLY | O_CLOEXEC);
	size_t n = strlen(where);
	struct files *f;
	struct stat st;
	char *real;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err_set(a, err, ERR_IO, where, 0, "cannot be opened: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	while (n > 1 && where[n - 1] == '/')
		n--;
	f = arena_alloc(a, sizeof(*f));
	f->base.arena = a;
	f->base.where = arena_strdup(a, where);
	f->base.fd = fd;
	f->folder = S_ISDIR(st.st_mode);
	f->root = input ? "standard input" : arena_copy(a, (struct slice){ where, n });
	real = f->folder ? realpath(where, NULL) : NULL;
	f->real = real ? arena_strdup(a, real) : NULL;
	free(real);
	return &f->base;
}

static void files_close(struct source *s)
{
	if (!s)
		return;
	close(s->fd);
	free(s->buffer);
	s->buffer = NULL;
	s->room = 0;
}

/* ---- bundle or not ---- */

static bool exists(int fd, const char *name)
{
	struct stat st;

	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void ignore(void *ctx, const struct evidence *ev)
{
	(void)ctx;
	(void)ev;
}

/* A name in the folder `in` (of `fd`) for which `is` says yes. */
static bool any_name(int fd, const char *in, bool (*is)(int, const char *))
{
	struct err err = { 0 };
	struct arena *a = arena_create();
	struct source s = { .arena = a, .err = &err, .each = ignore };
	struct place place = {
		.fd = openat(fd, in, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .path = in,
	};
	struct tree_names names = { 0 };
	bool found = false;

	if (place.fd >= 0 && tree_list(&s, &place, &names))
		for (size_t i = 0; i < names.n && !found; i++)
			found = is(place.fd, names.v[i]);
	tree_free_names(&names);
	if (place.fd >= 0)
		close(place.fd);
	arena_destroy(a);
	return found;
}

static bool is_number(int fd, const char *name)
{
	(void)fd;
	return name[strspn(name, "0123456789")] == '\0';
}

/* The folder of a node as only a bundle has it. */
static bool is_node_folder(int fd, const char *name)
{
	int inner = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool found = false;

	if (inner >= 0) {
		found = exists(inner, "node.json") || any_name(inner, "sstables", is_number);
		close(inner);
	}
	return found;
}

bool files_is_loose(const char *where)
{
	int fd = open(where, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool loose = strcmp(where, "-") == 0;
	struct stat st;

	if (fd < 0)
		return loose;
	if (loose || fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode)) {
		close(fd);
		return true;
	}
	loose = !exists(fd, "bundle.json") && !exists(fd, "node.json") &&
		!any_name(fd, "nodes", is_node_folder) && !any_name(fd, "sstables", is_number);
	close(fd);
	return loose;
}

const struct source_ops source_files = {
	.name = "files",
	.help = "saved outputs of any kind: files, folders, or standard input",
	.open = files_open,
	.read = files_read,
	.close = files_close,
};
