/* See metadata_files.h. */
#include "cli/metadata_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parse/parse.h"
#include "parse/statistics_db.h"
#include "parse/token.h"

enum {
	SCRATCH_MAX = 1 << 20,		/* then the scratch arena is renewed */
	WHOLE_MAX = 1 << 16,		/* a keys file up to this size is read whole */
	DEPTH_MAX = 64,
};

/* One SSTable: its folder (open) and what is known of the files beside its Statistics.db. */
struct sstable_files {
	int folder;
	const char *path, *name;	/* of Statistics.db */
	bool known, named;		/* siblings below were listed; named by the user */
	bool summary, partitions, data, scylla;
};

static const char statistics_suffix[] = "Statistics.db";

static void fail_errno(struct metadata_run *run, const char *path, int error, bool no_record)
{
	run->failed(run, path, arena_printf(run->scratch, "cannot read: %s", strerror(error)),
		    no_record);
}

/* Never waits at a named pipe. */
static int open_file(int folder, const char *name)
{
	return openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* False and errno when it is no regular file. */
static bool ask_size(int fd, off_t *size)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	*size = st.st_size;
	if (!S_ISREG(st.st_mode))
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	return S_ISREG(st.st_mode);
}

/* Up to `want` bytes from an offset; less only at the end of the file, -1 on errors. */
static ssize_t read_fully(int fd, unsigned char *to, size_t want, off_t offset)
{
	size_t got = 0;

	while (got < want) {
		ssize_t n = pread(fd, to + got, want - got, offset + (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/*
 * The start of a file, up to `want` bytes, and its size. Most files end before: they need not be
 * asked for their size. -1 and errno on errors, and when it is no regular file.
 */
static ssize_t read_start(int fd, unsigned char *to, size_t want, off_t *size)
{
	ssize_t n = pread(fd, to, want, 0);

	if (n > 0 && (size_t)n < want) {
		*size = n;
		return n;
	}
	return ask_size(fd, size) ? read_fully(fd, to, want, 0) : -1;
}

/* ---- keys ---- */

static bool read_at(void *ctx, uint64_t offset, size_t n, unsigned char *to)
{
	int fd = *(int *)ctx;

	return read_fully(fd, to, n, (off_t)offset) == (ssize_t)n;
}

/* "nb-1-big-Statistics.db" -> "nb-1-big-<component>". */
static char *sibling_of(struct arena *a, const char *path, const char *component)
{
	size_t n = strlen(path) - strlen(statistics_suffix);

	return arena_printf(a, "%.*s%s", (int)n, path, component);
}

static void read_keys_file(struct metadata_run *run, const struct sstable_files *f, int fd,
			   const char *component, struct keys_db *keys)
{
	struct byte_source source = { .read_at = read_at, .ctx = &fd };
	unsigned char *room = run->room + STATISTICS_BYTES_MAX;
	char *name = sibling_of(run->scratch, f->name, component);
	struct err err = { 0 };
	off_t size;
	ssize_t n = read_start(fd, room, WHOLE_MAX, &size);

	if (n < 0) {
		fail_errno(run, sibling_of(run->scratch, f->path, component), errno, false);
		return;
	}
	source.size = (uint64_t)size;
	if (source.size <= WHOLE_MAX) {
		source.all = (struct slice){ (const char *)room, (size_t)n };
		source.size = (uint64_t)n;
	}
	if (!keys_decode(run->scratch, slice_of(name), NULL, &source, keys, &err)) {
		*keys = (struct keys_db){ .source = KEYS_NONE };
		run->failed(run, sibling_of(run->scratch, f->path, component), err.text, false);
	}
}

/* True when there is such a file, readable or not. */
static bool try_keys_file(struct metadata_run *run, const struct sstable_files *f,
			  const char *component, struct keys_db *keys)
{
	int fd = open_file(f->folder, sibling_of(run->scratch, f->name, component));

	if (fd < 0) {
		if (errno == ENOENT)
			return false;
		fail_errno(run, sibling_of(run->scratch, f->path, component), errno, false);
		return true;
	}
	read_keys_file(run, f, fd, component, keys);
	close(fd);
	return true;
}

/* Of the "big" versions only ScyllaDB's "ms" and later have a Partitions.db. */
static bool may_have_partitions(const struct statistics_db *db)
{
	return db->format.p[1] == 't' || db->version.p[0] == 'm';
}

/* From Statistics.db where the version has them in it, else from Summary.db, Partitions.db. */
static void find_keys(struct metadata_run *run, const struct sstable_files *f,
		      const struct statistics_db *db, struct keys_db *keys)
{
	*keys = (struct keys_db){ .source = KEYS_NONE };
	if (db->stats.has_key_range) {
		keys->source = KEYS_STATISTICS;
		keys->first = db->stats.first_key;
		keys->last = db->stats.last_key;
		return;
	}
	if ((!f->known || f->summary) && try_keys_file(run, f, "Summary.db", keys))
		return;
	if (f->known ? f->partitions : may_have_partitions(db))
		try_keys_file(run, f, "Partitions.db", keys);
}

/* ---- one SSTable ---- */

/* The versions that ScyllaDB writes: "ka", "la" and those of 3.0. */
static bool may_be_scylla(const struct statistics_db *db)
{
	return db->version.p[0] >= 'k' && db->version.p[0] <= 'm';
}

static void find_data(struct metadata_run *run, const struct sstable_files *f,
		      struct metadata_record *m)
{
	struct stat st;

	if ((!f->known || f->data) &&
	    fstatat(f->folder, sibling_of(run->scratch, f->name, "Data.db"), &st, 0) == 0)
		m->data_bytes = some_i64(st.st_size);
	m->scylla = f->scylla;
	if (!f->known && may_be_scylla(m->db))
		m->scylla = faccessat(f->folder, sibling_of(run->scratch, f->name, "Scylla.db"),
				      F_OK, 0) == 0;
}

static void decode_bytes(struct metadata_run *run, const struct sstable_files *f,
			 struct slice bytes)
{
	struct statistics_db db;
	struct keys_db keys;
	struct metadata_record m = { .path = f->path, .db = &db, .keys = &keys,
				     .now_s = run->now_s };
	struct err err = { 0 };

	if (!statistics_decode(run->scratch, slice_of(f->name), NULL, bytes, &db, &err)) {
		run->failed(run, f->path, err.text, true);
		return;
	}
	find_keys(run, f, &db, &keys);
	if (keys.source != KEYS_NONE) {
		m.first_token = token_of_key(db.partitioner, keys.first);
		m.last_token = token_of_key(db.partitioner, keys.last);
	}
	find_data(run, f, &m);
	run->n_read++;
	run->each(run, &m);
}

/* Its size once it is in run->room; -1 when that went wrong, which has been told then. */
static ssize_t read_statistics(struct metadata_run *run, const struct sstable_files *f, int fd)
{
	off_t size = 0;
	ssize_t n;

	if (!run->room)
		run->room = malloc(STATISTICS_BYTES_MAX + WHOLE_MAX);
	if (!run->room) {
		run->failed(run, f->path, "out of memory", true);
		return -1;
	}
	n = read_start(fd, run->room, WHOLE_MAX, &size);
	if (n >= 0 && size > STATISTICS_BYTES_MAX) {
		run->failed(run, f->path, "too large for a Statistics.db", true);
		return -1;
	}
	if (n >= 0 && size > n)
		n = read_fully(fd, run->room, (size_t)size, 0);
	if (n < 0)
		fail_errno(run, f->path, errno, true);
	return n;
}

static void read_sstable(struct metadata_run *run, const struct sstable_files *f)
{
	int fd = open_file(f->folder, f->name);
	ssize_t n;

	if (fd < 0) {
		if (errno != ENOENT || f->named)
			fail_errno(run, f->path, errno, true);
		return;
	}
	n = read_statistics(run, f, fd);
	close(fd);
	if (n >= 0)
		decode_bytes(run, f, (struct slice){ (const char *)run->room, (size_t)n });
	if (arena_bytes(run->scratch) > SCRATCH_MAX) {
		arena_destroy(run->scratch);
		run->scratch = arena_create();
	}
}

/* ---- directories ---- */

struct entry { const char *name; bool is_folder; };
struct folder_list { struct arena *arena; VEC(struct entry) entries; };

/* What is of interest in a folder of SSTables. */
static bool is_wanted(struct slice name)
{
	static const char *const suffixes[] = {
		"-Statistics.db", "-Summary.db", "-Partitions.db", "-Data.db", "-Scylla.db",
	};

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
		if (slice_ends(name, slice_of(suffixes[i])))
			return true;
	return false;
}

/* Other files of an SSTable: no folder has such a name, which saves asking what it is. */
static bool is_other_file(struct slice name)
{
	static const char *const suffixes[] = {
		".db", ".txt", ".crc32", ".adler32", ".sha1", ".log",
	};

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
		if (slice_ends(name, slice_of(suffixes[i])))
			return true;
	return false;
}

/* Folders whose SSTables are not part of the table. Source: Cassandra Directories, ScyllaDB. */
static bool is_set_aside(const char *name)
{
	static const char *const names[] = {
		"backups", "snapshots", "staging", "upload", "quarantine",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return name[0] == '.';
}

static bool is_folder(int parent, const struct dirent *e)
{
	struct stat st;

	if (is_set_aside(e->d_name))
		return false;
	return fstatat(parent, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* Folders after files, each sorted by name. */
static int by_name(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->is_folder != b->is_folder)
		return a->is_folder - b->is_folder;
	return strcmp(a->name, b->name);
}

/* False and errno when the folder could not be listed to its end. */
static bool list_folder(DIR *d, struct folder_list *out)
{
	struct dirent *e;

	for (;;) {
		bool wanted;

		errno = 0;
		e = readdir(d);
		if (!e)
			break;
		wanted = is_wanted(slice_of(e->d_name));
		if (!wanted && (is_other_file(slice_of(e->d_name)) || !is_folder(dirfd(d), e)))
			continue;
		*vec_add(out->arena, &out->entries) = (struct entry){
			.name = arena_strdup(out->arena, e->d_name), .is_folder = !wanted,
		};
	}
	if (errno)
		return false;
	if (out->entries.n)
		qsort(out->entries.v, out->entries.n, sizeof(*out->entries.v), by_name);
	return true;
}

/* Note what stands around entry i with the same name up to the component. */
static void find_siblings(const struct folder_list *l, size_t i, struct sstable_files *f)
{
	struct slice prefix = slice_of(l->entries.v[i].name);
	size_t first = i;

	prefix.n -= strlen(statistics_suffix);
	while (first > 0 && slice_starts(slice_of(l->entries.v[first - 1].name), prefix))
		first--;
	for (i = first; i < l->entries.n; i++) {
		struct slice name = slice_of(l->entries.v[i].name), component;

		if (!slice_starts(name, prefix))
			break;
		component = slice_from(name, prefix.n);
		f->summary |= slice_eq_str(component, "Summary.db");
		f->partitions |= slice_eq_str(component, "Partitions.db");
		f->data |= slice_eq_str(component, "Data.db");
		f->scylla |= slice_eq_str(component, "Scylla.db");
	}
	f->known = true;
}

static const char *join_path(struct arena *a, const char *folder, const char *name)
{
	size_t n = strlen(folder);

	return arena_printf(a, n && folder[n - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

/* Of the time before 3.0, and being written. */
static bool is_unfinished(const char *name)
{
	return strstr(name, "-tmp-") || strstr(name, "-tmplink-");
}

static void walk(struct metadata_run *run, int fd, const char *path, unsigned depth);

static void walk_entry(struct metadata_run *run, const struct folder_list *l, size_t i, int fd,
		       const char *path, unsigned depth)
{
	const struct entry *e = &l->entries.v[i];
	struct sstable_files f = { .folder = fd, .name = e->name };

	if (e->is_folder) {
		int child = openat(fd, e->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (child >= 0)
			walk(run, child, join_path(l->arena, path, e->name), depth + 1);
		else if (errno != ENOENT)
			fail_errno(run, join_path(l->arena, path, e->name), errno, true);
		return;
	}
	if (!slice_ends(slice_of(e->name), SLICE("-Statistics.db")) || is_unfinished(e->name))
		return;
	find_siblings(l, i, &f);
	f.path = join_path(run->scratch, path, e->name);
	read_sstable(run, &f);
}

/* Takes over fd. */
static void walk(struct metadata_run *run, int fd, const char *path, unsigned depth)
{
	struct folder_list list = { .arena = arena_create() };
	DIR *d = depth < DEPTH_MAX ? fdopendir(fd) : NULL;

	if (!d) {
		fail_errno(run, path, depth < DEPTH_MAX ? errno : ELOOP, true);
		close(fd);
	} else {
		if (!list_folder(d, &list))
			fail_errno(run, path, errno, true);
		for (size_t i = 0; i < list.entries.n; i++)
			walk_entry(run, &list, i, dirfd(d), path, depth);
		closedir(d);
	}
	arena_destroy(list.arena);
}

/* ---- what the user names ---- */

/* "…/nb-1-big-Data.db" or "…/nb-1-big" -> "…/nb-1-big-Statistics.db"; others stay as they are. */
static const char *statistics_path(struct arena *a, const char *path)
{
	struct slice whole = slice_of(path), file;
	size_t slash = slice_rfind(whole, '/');
	struct sstable_name name;
	size_t folder;

	file = slash < whole.n ? slice_from(whole, slash + 1) : whole;
	folder = whole.n - file.n;
	if (!parse_sstable_name(file, &name) || slice_eq_str(name.component, statistics_suffix))
		return path;
	return arena_printf(a, "%.*s%.*s-%s", (int)folder, path, (int)name.base.n, name.base.p,
			    statistics_suffix);
}

/*
 * The folder of a path up to its last slash, open: the one of the path before when it is the same,
 * as names given together mostly lie together. -1 and errno when it cannot be opened.
 */
static int open_folder(struct metadata_run *run, const char *path, const char *slash)
{
	struct slice name = { path, (size_t)(slash - path) };

	if (run->folder_path && slice_eq_str(name, run->folder_path))
		return run->folder;
	if (run->folder_path) {
		free(run->folder_path);
		close(run->folder);
	}
	run->folder_path = strndup(path, name.n);
	if (!run->folder_path)
		return -1;
	run->folder = open(name.n ? run->folder_path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run->folder < 0) {
		free(run->folder_path);
		run->folder_path = NULL;
	}
	return run->folder;
}

static void run_file(struct metadata_run *run, const char *path)
{
	struct sstable_files f = { .named = true, .folder = AT_FDCWD, .path = path };
	const char *slash = strrchr(path, '/');

	f.name = slash ? slash + 1 : path;
	if (slash)
		f.folder = open_folder(run, path, slash);
	if (slash && f.folder < 0)
		fail_errno(run, path, errno, true);
	else
		read_sstable(run, &f);
}

static void run_other(struct metadata_run *run, const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder >= 0)
		walk(run, folder, path, 0);
	else if (errno == ENOTDIR)
		run->failed(run, path, "not the name of an SSTable's file", true);
	else
		fail_errno(run, path, errno, true);
}

void metadata_run_path(struct metadata_run *run, const char *path)
{
	const char *file;

	if (!run->scratch)
		run->scratch = arena_create();
	file = statistics_path(run->scratch, path);
	if (slice_ends(slice_of(file), slice_of(statistics_suffix)))
		run_file(run, file);
	else
		run_other(run, path);
}

void metadata_run_end(struct metadata_run *run)
{
	if (run->folder_path) {
		free(run->folder_path);
		close(run->folder);
		run->folder_path = NULL;
	}
	arena_destroy(run->scratch);
	free(run->room);
	run->scratch = NULL;
	run->room = NULL;
}
