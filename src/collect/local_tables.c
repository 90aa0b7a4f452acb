/*
 * SSTables of the machine itself: listings made here, Statistics.db read where it lies, and
 * sstablemetadata only where that can't be read.
 *
 * Compaction goes on meanwhile: a file that is gone when its turn comes makes the directory be
 * listed once more. Snapshots, backups and index folders are folders, and left out.
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
#include "collect/local_source.h"
#include "collect/sstable_files.h"

enum {
	BATCH = 64,			/* files for one call of sstablemetadata */
	KEYS_MAX = 64 * 1024 * 1024,	/* of a Summary.db: more is not worth reading */
};

/* A table whose Statistics.db can't be read: what the tool is asked about. */
struct unread_table {
	const char *keyspace, *directory;	/* of its first such directory */
	VEC(const char *) data_files;		/* paths */
	const char *first_error;
};

struct listed_file { const char *name; int64_t bytes, mtime_s; bool done; };

/* One directory of SSTables while it is read. */
struct folder {
	struct source *s;
	const char *path, *keyspace, *directory;
	unsigned disk;
	int fd;
	VEC(struct listed_file) files;		/* sorted by name */
	bool vanished;
};

static struct evidence piece_of(const struct folder *f, enum evidence_kind kind)
{
	return (struct evidence){ .kind = kind, .keyspace = f->keyspace, .disk = f->disk,
				  .directory = f->directory, .path = f->path };
}

/* ---- listings ---- */

static int by_name(const void *p, const void *q)
{
	return strcmp(((const struct listed_file *)p)->name, ((const struct listed_file *)q)->name);
}

static bool was_done(const struct folder *f, const char *name)
{
	struct listed_file key = { .name = name }, *found;

	if (!f->files.n)
		return false;
	found = bsearch(&key, f->files.v, f->files.n, sizeof(key), by_name);
	return found && found->done;
}

/* Lists the directory anew, keeping what was done already. 0 or an errno. */
static int list_folder(struct folder *f)
{
	struct folder fresh = { .fd = -1 };
	int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	struct stat st;

	if (!dir) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return error;
	}
	while ((e = readdir(dir)) && fresh.files.n < LAYOUT_ENTRIES_MAX) {
		struct listed_file *file;

		if (strpbrk(e->d_name, "\t\n") ||
		    fstatat(f->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		file = vec_add(f->s->arena, &fresh.files);
		*file = (struct listed_file){ arena_strdup(f->s->arena, e->d_name), st.st_size,
					      st.st_mtime, was_done(f, e->d_name) };
	}
	closedir(dir);
	if (fresh.files.n)
		qsort(fresh.files.v, fresh.files.n, sizeof(*fresh.files.v), by_name);
	f->files.v = fresh.files.v;
	f->files.n = fresh.files.n;
	f->files.cap = fresh.files.cap;
	return 0;
}

static void hand_listing(struct folder *f, int64_t started_s)
{
	struct run_result r = { .started_s = started_s, .exit_status = some_i64(0), .errout = "" };
	struct buf text;

	buf_init(&text, LAYOUT_FILE_MAX);
	buf_str(&text, "name\tbytes\tmtime_s\n");
	for (size_t i = 0; i < f->files.n; i++)
		buf_printf(&text, "%s\t%lld\t%lld\n", f->files.v[i].name,
			   (long long)f->files.v[i].bytes, (long long)f->files.v[i].mtime_s);
	r.out = (struct slice){ text.p, text.n };
	local_hand(f->s, piece_of(f, EV_LISTING), arena_printf(f->s->arena, "list %s", f->path),
		   &r);
	buf_free(&text);
}

/* ---- metadata ---- */

/* The file with the keys, right after its Statistics.db; that there is none is legal. */
static void hand_keys(struct folder *f, const char *statistics)
{
	const char *base = sstable_file_base(f->s->arena, statistics);
	struct evidence ev = piece_of(f, EV_KEYS_DB);

	if (sstable_file_has_keys(statistics))
		return;
	for (const char *const *part = sstable_key_components; *part; part++) {
		ev.file = arena_printf(f->s->arena, "%s%s", base, *part);
		if (local_read(f->s, f->fd, ev.file, KEYS_MAX, &ev.out) != 0)
			continue;
		ev.node = f->s->node;
		ev.relative = layout_path(f->s->arena, &ev);
		ev.path = arena_printf(f->s->arena, "%s/%s", f->path, ev.file);
		f->s->each(f->s->ctx, &ev);
		return;
	}
}

static struct unread_table *unread_of(struct source *s, const struct folder *f)
{
	struct unread_table *u;

	for (size_t i = 0; i < s->unread.n; i++)
		if (strcmp(s->unread.v[i]->keyspace, f->keyspace) == 0 &&
		    strcmp(s->unread.v[i]->directory, f->directory) == 0)
			return s->unread.v[i];
	u = arena_alloc(s->arena, sizeof(*u));
	u->keyspace = f->keyspace;
	u->directory = f->directory;
	*vec_add(s->arena, &s->unread) = u;
	return u;
}

static void note_unread(struct folder *f, const char *file, int error)
{
	struct unread_table *u = unread_of(f->s, f);
	struct arena *a = f->s->arena;

	if (!u->first_error)
		u->first_error = arena_printf(a, "%s cannot be read: %s", file,
					      error == EFBIG ? layout_too_large(EV_STATISTICS_DB)
							     : strerror(error));
	*vec_add(a, &u->data_files) =
		arena_printf(a, "%s/%sData.db", f->path, sstable_file_base(a, file));
}

static void hand_statistics(struct folder *f, struct listed_file *file)
{
	struct evidence ev = piece_of(f, EV_STATISTICS_DB);
	int error = local_read(f->s, f->fd, file->name, LAYOUT_STATISTICS_MAX, &ev.out);

	if (error == ENOENT) {
		f->vanished = true;
		return;
	}
	file->done = true;
	if (error) {
		note_unread(f, file->name, error);
		return;
	}
	ev.file = file->name;
	ev.node = f->s->node;
	ev.relative = layout_path(f->s->arena, &ev);
	ev.path = arena_printf(f->s->arena, "%s/%s", f->path, file->name);
	f->s->each(f->s->ctx, &ev);
	hand_keys(f, file->name);
}

static void hand_all_statistics(struct folder *f)
{
	for (size_t i = 0; i < f->files.n && !local_is_over(f->s); i++) {
		struct listed_file *file = &f->files.v[i];

		if (!file->done && slice_ends(slice_of(file->name), SLICE("-Statistics.db")))
			hand_statistics(f, file);
	}
}

/* ---- one directory ---- */

/* 0 or an errno. */
static int read_open_folder(struct folder *f)
{
	int64_t started_s = run_now_s();
	int error = list_folder(f);

	if (error)
		return error;
	hand_all_statistics(f);
	if (f->vanished) {		/* compacted away: see what took its place, once */
		error = list_folder(f);
		if (error)
			return error;
		hand_all_statistics(f);
	}
	hand_listing(f, started_s);
	return 0;
}

static void read_folder(struct source *s, unsigned disk, const char *keyspace, const char *path)
{
	const char *slash = strrchr(path, '/'), *command = arena_printf(s->arena, "list %s", path);
	struct folder f = { .s = s, .path = path, .keyspace = keyspace, .disk = disk,
			    .directory = slash ? slash + 1 : path };
	int error = 0;

	if (local_is_over(s)) {
		local_fail(s, piece_of(&f, EV_LISTING), command, RUN_TIMEOUT, local_why_over(s));
		return;
	}
	f.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = f.fd < 0 ? errno : read_open_folder(&f);
	if (f.fd >= 0)
		close(f.fd);
	if (error)
		local_fail(s, piece_of(&f, EV_LISTING), command, 1,
			   arena_printf(s->arena, "cannot be read: %s", strerror(error)));
}

/* ---- what only the tool can read ---- */

/* Batches, so that one file that ends the tool does not hide the rest. */
static void ask_tool(struct source *s, const struct unread_table *u)
{
	const char *program = s->o->sstablemetadata ? s->o->sstablemetadata : "sstablemetadata";
	struct evidence of = { .directory = u->directory }, ev = { .kind = EV_SSTABLEMETADATA };
	struct run_result all = { .started_s = run_now_s(), .exit_status = some_i64(0),
				  .errout = "" }, r;
	const char *text = program, *first = NULL;
	struct buf out;

	buf_init(&out, LAYOUT_FILE_MAX);
	for (size_t i = 0; i < u->data_files.n; i += BATCH) {
		const char *words[BATCH + 1] = { NULL };

		for (size_t k = 0; k < BATCH && i + k < u->data_files.n; k++)
			words[k] = u->data_files.v[i + k];
		local_run(s, local_argv(s, program, words, &text), &r);
		buf_add(&out, r.out.p ? r.out.p : "", r.out.n);
		live_merge_end(&all, &r);
		run_free(&r);
		first = first ? first : text;
	}
	if (out.n)
		all.out = (struct slice){ out.p, out.n };
	ev.keyspace = u->keyspace;
	ev.table = layout_subject(s->arena, &of);
	if (u->data_files.n > 1)
		first = arena_printf(s->arena, "%s <%zu files>", program, u->data_files.n);
	local_hand(s, ev, first, &all);
	buf_free(&out);
}

static void ask_about_unread(struct source *s)
{
	for (size_t i = 0; i < s->unread.n; i++) {
		const struct unread_table *u = s->unread.v[i];

		local_fail(s, (struct evidence){ .kind = EV_STATISTICS_DB, .keyspace = u->keyspace,
						 .directory = u->directory },
			   "read Statistics.db", 1,
			   u->data_files.n == 1 ? u->first_error
			   : arena_printf(s->arena, "%s (and %zu more)", u->first_error,
					  u->data_files.n - 1));
		ask_tool(s, u);
	}
}

/* ---- all of them ---- */

static int by_text(const void *p, const void *q)
{
	return strcmp(*(const char *const *)p, *(const char *const *)q);
}

/* The folders in a folder, sorted, but for hidden ones; an errno when it can't be read. */
static int folders_in(struct source *s, const char *path, struct path_list *out)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	struct stat st;

	if (!dir)
		return errno;
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && fstatat(dirfd(dir), e->d_name, &st, 0) == 0 &&
		    S_ISDIR(st.st_mode))
			*vec_add(s->arena, &out->paths) = arena_strdup(s->arena, e->d_name);
	closedir(dir);
	if (out->paths.n)
		qsort(out->paths.v, out->paths.n, sizeof(*out->paths.v), by_text);
	return 0;
}

static void read_keyspace(struct source *s, unsigned disk, const char *keyspace, const char *path)
{
	struct path_list tables = { 0 };

	if (folders_in(s, path, &tables) != 0)
		return;		/* a keyspace that was dropped just now */
	for (size_t i = 0; i < tables.paths.n; i++)
		if (s->o->guide->wants(s->o->guide->ctx, keyspace, tables.paths.v[i]))
			read_folder(s, disk, keyspace,
				    arena_printf(s->arena, "%s/%s", path, tables.paths.v[i]));
}

/* Without datapaths: every folder of a data directory that may be a table's. */
static void read_root(struct source *s, unsigned disk)
{
	const char *root = s->roots.paths.v[disk];
	struct path_list keyspaces = { 0 };
	int error = folders_in(s, root, &keyspaces);

	if (error)
		local_fail(s, (struct evidence){ .kind = EV_LISTING },
			   arena_printf(s->arena, "list %s", root), 1,
			   arena_printf(s->arena, "cannot be read: %s", strerror(error)));
	for (size_t i = 0; i < keyspaces.paths.n; i++)
		read_keyspace(s, disk, keyspaces.paths.v[i],
			      arena_printf(s->arena, "%s/%s", root, keyspaces.paths.v[i]));
}

/* Number of the data directory that a table's directory is in. */
static unsigned disk_of(const struct source *s, const char *path)
{
	for (size_t i = 0; i < s->roots.paths.n; i++) {
		size_t n = strlen(s->roots.paths.v[i]);
		const char *rest = path + n;

		if (strncmp(path, s->roots.paths.v[i], n) == 0 && *rest == '/' &&
		    strchr(rest + 1, '/') == strrchr(rest, '/'))
			return (unsigned)i;
	}
	return 0;
}

void local_read_tables(struct source *s)
{
	struct live_directories d = { 0 };

	s->o->guide->directories(s->o->guide->ctx, s->node, s->arena, &d);
	for (size_t i = 0; i < d.list.n; i++)
		read_folder(s, disk_of(s, d.list.v[i].path), d.list.v[i].keyspace,
			    d.list.v[i].path);
	for (size_t i = 0; !d.list.n && i < s->roots.paths.n; i++)
		read_root(s, (unsigned)i);
	if (!s->roots.paths.n)
		local_fail(s, (struct evidence){ .kind = EV_LISTING }, "list the data "
								       "directories", 1,
			   "neither nodetool datapaths nor cassandra.yaml tells where they are");
	ask_about_unread(s);
}
