/*
 * SSTables of a node: its directories listed, Statistics.db (and the keys of those that have none)
 * fetched in tar streams, and sstablemetadata asked only where they can't be read.
 *
 * Compaction goes on meanwhile: where a file did not come its directory is listed once more. One
 * that is gone then has vanished; one that is still there can't be read.
 */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/quote.h"
#include "base/slice.h"
#include "collect/conversation_state.h"
#include "collect/layout.h"
#include "collect/sstable_files.h"
#include "collect/tar.h"

enum {
	FETCH_FILES = 4096,			/* files for one tar stream, */
	FETCH_BYTES = 32 * 1024 * 1024,		/* and their bytes: it is held in memory */
	KEYS_MAX = 64 * 1024 * 1024,		/* of a Summary.db: more is not worth fetching */
	TAR_BYTES = 2048,			/* of a stream, for each file: header and padding */
	TAR_END_BYTES = 1024 * 1024,
	FOLDERS_MAX = 10000,
};

enum file_state { FILE_NEW, FILE_ASKED, FILE_HAD };

struct remote_file {
	const char *name;
	int64_t bytes, mtime_s;
	enum file_state state;
};

/* One directory of SSTables. */
struct remote_folder {
	const char *path, *keyspace, *directory;
	unsigned disk;
	VEC(struct remote_file) files;		/* sorted by name once listed */
	const char *problem;			/* why it is not listed; NULL = it is */
	int64_t started_s;
	bool again;				/* something of it did not come */
};

struct fetched_file {
	const struct remote_folder *folder;
	struct remote_file *file;
};

static struct evidence piece_of(const struct remote_folder *f, enum evidence_kind kind)
{
	return (struct evidence){ .kind = kind, .keyspace = f->keyspace, .disk = f->disk,
				  .directory = f->directory, .path = f->path };
}

/* ---- where they lie ---- */

static void add_root(struct conversation *c, const char *root)
{
	for (size_t i = 0; i < c->roots.paths.n; i++)
		if (strcmp(c->roots.paths.v[i], root) == 0)
			return;
	*vec_add(c->arena, &c->roots.paths) = root;
}

static struct remote_folder *add_folder(struct conversation *c, const char *path,
					const char *keyspace, unsigned disk)
{
	struct remote_folder *f = arena_alloc(c->arena, sizeof(*f));
	struct slice rest = slice_of(path);

	f->path = path;
	f->keyspace = keyspace;
	f->directory = arena_copy(c->arena, slice_take_last(&rest));
	f->disk = disk;
	f->problem = "was not listed";
	*vec_add(c->arena, &c->folders) = f;
	return f;
}

static bool has_folder(const struct conversation *c, const char *path)
{
	for (size_t i = 0; i < c->folders.n; i++)
		if (strcmp(c->folders.v[i]->path, path) == 0)
			return true;
	return false;
}

static unsigned disk_of(const struct conversation *c, const char *root)
{
	for (size_t i = 0; root && i < c->roots.paths.n; i++)
		if (strcmp(c->roots.paths.v[i], root) == 0)
			return (unsigned)i;
	return 0;
}

/* datapaths says it best, for it knows of links and of what -D gave; else cassandra.yaml. */
static void find_folders(struct conversation *c)
{
	struct live_directories d = { 0 };

	c->o->guide->directories(c->o->guide->ctx, c->node->name, c->arena, &d);
	for (size_t i = 0; i < d.list.n; i++) {
		const char *root = live_root_of(c->arena, d.list.v[i].path);

		if (root)
			add_root(c, root);
	}
	for (size_t i = 0; i < d.list.n && i < FOLDERS_MAX; i++)
		if (!has_folder(c, d.list.v[i].path))
			add_folder(c, d.list.v[i].path, d.list.v[i].keyspace,
				   disk_of(c, live_root_of(c->arena, d.list.v[i].path)));
	for (size_t i = 0; i < c->settings_roots.paths.n && !d.list.n; i++)
		add_root(c, c->settings_roots.paths.v[i]);
	c->whole_roots = !d.list.n;
}

/* ---- listing ---- */

static void begin_listing(struct conversation *c)
{
	conversation_ask(c, "list", "list the data directories");
	c->request.as_owner = true;
	c->asked_folders.n = 0;
}

static void ask_for(struct conversation *c, struct remote_folder *f)
{
	if (!conversation_add(c, arena_printf(c->arena, "dir %s", f->path))) {
		f->problem = "not listed: a line break in its name";
		return;
	}
	*vec_add(c->arena, &c->asked_folders) = f;
}

enum made tables_list(struct conversation *c)
{
	if (c->turn)
		return MADE_NOTHING;
	find_folders(c);
	begin_listing(c);
	for (size_t i = 0; i < c->folders.n; i++)
		ask_for(c, c->folders.v[i]);
	for (size_t i = 0; c->whole_roots && i < c->roots.paths.n; i++)
		(void)conversation_add(c, arena_printf(c->arena, "root %s", c->roots.paths.v[i]));
	if (c->whole_roots ? c->roots.paths.n : c->asked_folders.n)
		return MADE_REQUEST;
	if (c->whole_roots)
		conversation_miss(c, (struct evidence){ .kind = EV_LISTING },
				  "list the data directories", 1,
				  "neither nodetool datapaths nor cassandra.yaml tells where they "
				  "are");
	return MADE_NOTHING;
}

/* Where the lines of a listing go. */
struct list_reader {
	struct conversation *c;
	struct remote_folder *folder;	/* NULL: of no table of the run */
	VEC(struct remote_file) files;	/* of the folder so far */
	size_t lines;
	size_t n_roots;			/* data directories that came to their end */
};

static int by_name(const void *p, const void *q)
{
	return strcmp(((const struct remote_file *)p)->name, ((const struct remote_file *)q)->name);
}

static enum file_state state_of(const struct remote_folder *f, const char *name)
{
	struct remote_file key = { .name = name }, *found;

	if (!f->files.n)
		return FILE_NEW;
	found = bsearch(&key, f->files.v, f->files.n, sizeof(key), by_name);
	return found ? found->state : FILE_NEW;
}

/* "f SIZE MTIME NAME" */
static void take_file(struct list_reader *r, struct slice rest)
{
	struct slice size, mtime;
	struct remote_file file = { 0 };

	if (!r->folder || r->lines++ >= LAYOUT_ENTRIES_MAX || !slice_word(&rest, &size) ||
	    !slice_word(&rest, &mtime) || !num_parse_i64(size, &file.bytes) ||
	    !num_parse_i64(mtime, &file.mtime_s) || file.bytes < 0)
		return;
	rest = slice_trim(rest);
	if (slice_starts(rest, SLICE("./")))
		rest = slice_from(rest, 2);
	if (!rest.n || slice_find(rest, '/') < rest.n || slice_find(rest, '\t') < rest.n)
		return;
	file.name = arena_copy(r->c->arena, rest);
	file.state = state_of(r->folder, file.name);
	*vec_add(r->c->arena, &r->files) = file;
}

/* A name stands once in a folder, whatever the node says. */
static size_t without_twins(struct remote_file *v, size_t n)
{
	size_t kept = n ? 1 : 0;

	for (size_t i = 1; i < n; i++)
		if (strcmp(v[i].name, v[kept - 1].name) != 0)
			v[kept++] = v[i];
	return kept;
}

/* The folder's listing is whole, or says why it is not. */
static void end_folder(struct list_reader *r, const char *problem)
{
	struct remote_folder *f = r->folder;

	if (!f)
		return;
	f->problem = problem;
	if (!problem) {
		if (r->files.n)
			qsort(r->files.v, r->files.n, sizeof(*r->files.v), by_name);
		r->files.n = without_twins(r->files.v, r->files.n);
		f->files.v = r->files.v;
		f->files.n = r->files.n;
		f->files.cap = r->files.cap;
	}
	r->folder = NULL;
}

static void begin_folder(struct list_reader *r, struct remote_folder *f)
{
	r->folder = f;
	r->files.v = NULL;
	r->files.n = r->files.cap = 0;
}

/* "sub K keyspace/table-id": a folder of a data directory that may be a table's. */
static void take_sub(struct list_reader *r, struct slice rest, int64_t started_s)
{
	struct conversation *c = r->c;
	struct slice number, name;
	const char *keyspace, *directory, *path;
	int64_t k;

	r->folder = NULL;
	if (!slice_word(&rest, &number) || !num_parse_i64(number, &k) || k < 0 ||
	    (size_t)k >= c->roots.paths.n || c->folders.n >= FOLDERS_MAX)
		return;
	name = slice_trim(rest);
	directory = arena_copy(c->arena, slice_take_last(&name));
	keyspace = arena_copy(c->arena, name);
	if (!*keyspace || !c->o->guide->wants(c->o->guide->ctx, keyspace, directory))
		return;
	path = arena_printf(c->arena, "%s/%s/%s", c->roots.paths.v[k], keyspace, directory);
	if (has_folder(c, path))	/* a node tells of each once */
		return;
	begin_folder(r, add_folder(c, path, keyspace, (unsigned)k));
	r->folder->started_s = started_s;
}

static void take_root_end(struct list_reader *r, struct slice rest, bool failed)
{
	struct conversation *c = r->c;
	struct slice number;
	int64_t k;

	if (!slice_word(&rest, &number) || !num_parse_i64(number, &k) || k < 0 ||
	    (size_t)k >= c->roots.paths.n)
		return;
	r->n_roots++;
	if (!failed)
		return;
	conversation_miss(c, (struct evidence){ .kind = EV_LISTING },
			  arena_printf(c->arena, "list %s", c->roots.paths.v[k]), 1,
			  arena_printf(c->arena, "cannot be read: %s",
				       arena_copy(c->arena, slice_trim(rest))));
}

/* "dir K": one of those that were asked for. */
static void take_dir(struct list_reader *r, struct slice rest, int64_t started_s)
{
	struct slice number;
	int64_t k;

	r->folder = NULL;
	if (!slice_word(&rest, &number) || !num_parse_i64(number, &k) || k < 0 ||
	    (size_t)k >= r->c->asked_folders.n)
		return;
	begin_folder(r, r->c->asked_folders.v[k]);
	r->folder->started_s = started_s;
}

/* The end of a directory: "ok K", "failed K WHY" of those asked for, "end" or "failed-sub WHY". */
static void take_end(struct list_reader *r, struct slice word, struct slice rest)
{
	bool failed = slice_starts(word, SLICE("failed"));
	struct slice number;

	if (r->c->whole_roots && !slice_eq_str(word, "end") && !slice_eq_str(word, "failed-sub")) {
		take_root_end(r, rest, failed);
		return;
	}
	if (!r->c->whole_roots)
		slice_word(&rest, &number);
	end_folder(r, failed ? arena_printf(r->c->arena, "cannot be read: %s",
					    arena_copy(r->c->arena, slice_trim(rest)))
			     : NULL);
}

static void take_line(struct list_reader *r, struct slice line, int64_t started_s)
{
	struct slice rest = line, word;

	if (!slice_word(&rest, &word))
		return;
	if (slice_eq_str(word, "f"))
		take_file(r, rest);
	else if (slice_eq_str(word, "dir") && !r->c->whole_roots)
		take_dir(r, rest, started_s);
	else if (slice_eq_str(word, "sub") && r->c->whole_roots)
		take_sub(r, rest, started_s);
	else if (slice_eq_str(word, "ok") || slice_eq_str(word, "end") ||
		 slice_starts(word, SLICE("failed")))
		take_end(r, word, rest);
}

static void note_broken_listing(struct conversation *c, const struct run_result *r)
{
	const char *why = conversation_reason(c, r);

	c->no_files = r->out.p ? c->no_files : why;
	for (size_t i = 0; i < c->folders.n; i++)
		if (c->folders.v[i]->problem)
			c->folders.v[i]->problem = why;
	if (c->whole_roots)
		conversation_miss(c, (struct evidence){ .kind = EV_LISTING },
				  "list the data directories", 1, why);
}

void tables_take_list(struct conversation *c, const struct run_result *answer)
{
	struct list_reader r = { .c = c };
	struct lines it = lines_of(answer->out);
	struct slice line;

	c->listed = true;
	while (answer->out.p && lines_next(&it, &line))
		if (it.terminated)
			take_line(&r, line, answer->started_s);
	if (!live_is_good(answer))
		note_broken_listing(c, answer);
	else if (c->whole_roots && r.n_roots < c->roots.paths.n)
		conversation_miss(c, (struct evidence){ .kind = EV_LISTING },
				  "list the data directories", 1, "the listing broke off");
}

/* ---- fetching ---- */

static bool is_statistics(const char *name)
{
	return slice_ends(slice_of(name), SLICE("-Statistics.db"));
}

static void add_to_batch(struct conversation *c, struct remote_folder *f, struct remote_file *file,
			 int64_t *bytes)
{
	if (!conversation_add(c, arena_printf(c->arena, "%s/%s", f->path, file->name)))
		return;
	file->state = FILE_ASKED;
	*bytes += file->bytes + TAR_BYTES;
	c->batch[c->n_batch++] = (struct fetched_file){ f, file };
}

/* The file with the keys follows its Statistics.db; that there is none is legal. */
static void add_keys(struct conversation *c, struct remote_folder *f, const char *statistics,
		     int64_t *bytes)
{
	const char *base = sstable_file_base(c->arena, statistics);

	if (sstable_file_has_keys(statistics))
		return;
	for (const char *const *part = sstable_key_components; *part; part++) {
		struct remote_file key = { .name = arena_printf(c->arena, "%s%s", base, *part) };
		struct remote_file *found =
			bsearch(&key, f->files.v, f->files.n, sizeof(key), by_name);

		if (!found || found->bytes > KEYS_MAX)
			continue;
		add_to_batch(c, f, found, bytes);
		return;
	}
}

static bool is_due(const struct remote_file *file)
{
	return file->state == FILE_NEW && is_statistics(file->name) &&
	       file->bytes <= LAYOUT_STATISTICS_MAX;
}

enum made tables_fetch(struct conversation *c)
{
	int64_t bytes = 0;

	if (c->no_files)
		return MADE_NOTHING;
	if (!c->batch)
		c->batch = arena_array(c->arena, FETCH_FILES + 2, sizeof(*c->batch));
	if (!c->turn)
		c->at_folder = c->at_file = 0;
	c->n_batch = 0;
	conversation_ask(c, "fetch", "read Statistics.db");
	c->request.as_owner = true;
	for (; c->at_folder < c->folders.n; c->at_folder++, c->at_file = 0) {
		struct remote_folder *f = c->folders.v[c->at_folder];

		for (; c->at_file < f->files.n && bytes < FETCH_BYTES &&
		       c->n_batch < FETCH_FILES; c->at_file++) {
			if (!is_due(&f->files.v[c->at_file]))
				continue;
			add_to_batch(c, f, &f->files.v[c->at_file], &bytes);
			add_keys(c, f, f->files.v[c->at_file].name, &bytes);
		}
		if (c->at_file < f->files.n)
			break;
	}
	c->request.out_max = (size_t)(2 * bytes + TAR_END_BYTES);
	return c->n_batch ? MADE_REQUEST : MADE_NOTHING;
}

/* Files come in the order in which they were asked for. */
struct fetch_reader { struct conversation *c; size_t next, had; };

static bool is_called(const struct fetched_file *x, struct slice name)
{
	struct slice path = slice_of(x->folder->path), file = slice_of(x->file->name);

	while (name.n && (name.p[0] == '/' || slice_starts(name, SLICE("./"))))
		name = slice_from(name, name.p[0] == '/' ? 1 : 2);
	while (path.n && path.p[0] == '/')
		path = slice_from(path, 1);
	return name.n == path.n + 1 + file.n && slice_starts(name, path) &&
	       name.p[path.n] == '/' && slice_ends(name, file);
}

static void hand_file(struct conversation *c, const struct fetched_file *x, struct slice bytes)
{
	struct evidence ev = piece_of(x->folder, is_statistics(x->file->name) ? EV_STATISTICS_DB
									      : EV_KEYS_DB);

	if ((int64_t)bytes.n > (ev.kind == EV_STATISTICS_DB ? LAYOUT_STATISTICS_MAX : KEYS_MAX))
		return;
	x->file->state = FILE_HAD;
	ev.node = c->node->name;
	ev.file = x->file->name;
	ev.out = bytes;
	ev.relative = layout_path(c->arena, &ev);
	ev.path = arena_printf(c->arena, "%s/%s", x->folder->path, x->file->name);
	c->had |= (unsigned)ev.kind;
	c->each(c->ctx, &ev);
}

/* What was not asked for is not taken. */
static void take_fetched(void *ctx, const char *name, struct slice bytes, struct opt_i64 mtime_s)
{
	struct fetch_reader *r = ctx;

	(void)mtime_s;
	for (size_t i = r->next; i < r->c->n_batch; i++) {
		if (!is_called(&r->c->batch[i], slice_of(name)))
			continue;
		hand_file(r->c, &r->c->batch[i], bytes);
		r->next = i + 1;
		r->had++;
		return;
	}
}

static const char *reason_of(struct conversation *c, const struct run_result *r, const char *damage)
{
	if (!damage || (!live_is_good(r) && *r->errout))
		return conversation_reason(c, r);
	return arena_printf(c->arena, "the tar stream is damaged: %s", damage);
}

/* What a login shell prints before the stream is none of it. */
static struct slice without_noise(struct slice stream)
{
	enum { MAGIC_AT = 257, NOISE_MAX = 64 * 1024 };

	for (size_t i = 0; i < NOISE_MAX && i + MAGIC_AT + 5 <= stream.n; i++)
		if (memcmp(stream.p + i + MAGIC_AT, "ustar", 5) == 0)
			return slice_from(stream, i);
	return stream;
}

void tables_take_fetch(struct conversation *c, const struct run_result *answer)
{
	struct fetch_reader r = { .c = c };
	const char *damage = NULL;

	if (answer->out.p)
		damage = tar_read(c->arena, without_noise(answer->out), KEYS_MAX, take_fetched, &r);
	if (r.had == c->n_batch)
		return;
	c->fetch_problem = reason_of(c, answer, damage);
	/* sudo refuses, or there is no tar: it will be so for all */
	if (!r.had && !answer->out.p)
		c->no_files = c->fetch_problem;
	for (size_t i = 0; i < c->n_batch; i++)
		if (c->batch[i].file->state != FILE_HAD)
			((struct remote_folder *)(uintptr_t)c->batch[i].folder)->again = true;
}

/* ---- once more ---- */

enum made tables_list_again(struct conversation *c)
{
	if (c->turn || c->no_files)
		return MADE_NOTHING;
	begin_listing(c);
	c->whole_roots = false;		/* they are known now */
	for (size_t i = 0; i < c->folders.n; i++)
		if (c->folders.v[i]->again)
			ask_for(c, c->folders.v[i]);
	return c->asked_folders.n ? MADE_REQUEST : MADE_NOTHING;
}

/* ---- what is known then ---- */

static void hand_listing(struct conversation *c, const struct remote_folder *f)
{
	struct run_result r = { .started_s = f->started_s, .exit_status = some_i64(0),
				.errout = "" };
	const char *command = arena_printf(c->arena, "list %s", quote_shell(c->arena, f->path));
	struct buf text;

	if (f->problem) {
		conversation_miss(c, piece_of(f, EV_LISTING), command, 1, f->problem);
		return;
	}
	buf_init(&text, LAYOUT_FILE_MAX);
	buf_str(&text, "name\tbytes\tmtime_s\n");
	for (size_t i = 0; i < f->files.n; i++)
		buf_printf(&text, "%s\t%lld\t%lld\n", f->files.v[i].name,
			   (long long)f->files.v[i].bytes, (long long)f->files.v[i].mtime_s);
	r.out = (struct slice){ text.p, text.n };
	conversation_hand(c, piece_of(f, EV_LISTING), command, &r);
	buf_free(&text);
}

static struct unread_files *unread_of(struct conversation *c, const struct remote_folder *f)
{
	struct unread_files *u;

	for (size_t i = 0; i < c->unread.n; i++)
		if (strcmp(c->unread.v[i]->keyspace, f->keyspace) == 0 &&
		    strcmp(c->unread.v[i]->directory, f->directory) == 0)
			return c->unread.v[i];
	u = arena_alloc(c->arena, sizeof(*u));
	u->keyspace = f->keyspace;
	u->directory = f->directory;
	*vec_add(c->arena, &c->unread) = u;
	return u;
}

static void note_unread(struct conversation *c, const struct remote_folder *f,
			const struct remote_file *file)
{
	struct unread_files *u = unread_of(c, f);
	const char *why = file->bytes > LAYOUT_STATISTICS_MAX ? layout_too_large(EV_STATISTICS_DB)
			  : c->no_files			      ? c->no_files
			  : c->fetch_problem		      ? c->fetch_problem
							      : "it did not come";

	if (!u->first_error)
		u->first_error = arena_printf(c->arena, "%s cannot be read: %s", file->name, why);
	*vec_add(c->arena, &u->data_files) = arena_printf(
		c->arena, "%s/%sData.db", f->path, sstable_file_base(c->arena, file->name));
}

/* Once, when no more files will come. */
enum made tables_settle(struct conversation *c)
{
	if (c->settled)
		return MADE_NOTHING;
	c->settled = true;
	for (size_t i = 0; i < c->folders.n; i++) {
		const struct remote_folder *f = c->folders.v[i];

		hand_listing(c, f);
		for (size_t k = 0; k < f->files.n; k++)
			if (is_statistics(f->files.v[k].name) && f->files.v[k].state != FILE_HAD)
				note_unread(c, f, &f->files.v[k]);
	}
	for (size_t i = 0; i < c->unread.n; i++) {
		const struct unread_files *u = c->unread.v[i];

		conversation_miss(c, (struct evidence){ .kind = EV_STATISTICS_DB,
							.keyspace = u->keyspace,
							.directory = u->directory },
				  "read Statistics.db", 1,
				  u->data_files.n == 1 ? u->first_error
				  : arena_printf(c->arena, "%s (and %zu more)", u->first_error,
						 u->data_files.n - 1));
	}
	return MADE_NOTHING;
}

/* ---- the end before the end ---- */

void tables_give_up(struct conversation *c, const char *command, int status, const char *why)
{
	c->no_files = c->no_files ? c->no_files : why;
	for (size_t i = 0; i < c->folders.n; i++)
		if (c->folders.v[i]->problem)
			c->folders.v[i]->problem = why;
	(void)tables_settle(c);
	if (!c->listed) {
		conversation_miss(c, (struct evidence){ .kind = EV_LISTING }, command, status, why);
		conversation_miss(c, (struct evidence){ .kind = EV_STATISTICS_DB }, command, status,
				  why);
	}
	tool_give_up(c, why);
}
