/* Writing a bundle. See write.h. */
#include "collect/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "collect/layout.h"
#include "collect/pack.h"
#include "collect/save.h"

enum { TEXT_MAX = 16 * 1024 * 1024 };	/* what readers of JSON take */

struct written_node {
	const char *name;		/* of its folder, as evidence has it */
	unsigned source;
	bool own_json;			/* node.json is made here, at the end */
	struct slice json;		/* what the source had; p NULL = none */
	struct opt_i64 json_mtime_s;
	VEC(struct command *) failures;	/* pieces that came with an error */
};

struct bundle_writer {
	struct arena *arena;
	const char *path;		/* the final name */
	char *folder;			/* the temporary one; NULL = it is gone */
	enum pack_format format;
	bool force;
	unsigned source;
	struct written_node *current;
	VEC(struct written_node *) nodes;
	VEC(const char *) files;	/* below the folder */
	bool has_about;			/* bundle.json came from a source */
	int64_t bytes;
	struct err err;			/* the first thing that could not be written */
};

/* ---- beginning ---- */

/* Without slashes at its end, so that a name can be put beside it. */
static const char *trimmed(struct arena *a, const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return arena_copy(a, (struct slice){ path, n });
}

static bool is_bundle_folder(struct arena *a, const char *path)
{
	struct stat st;

	return stat(arena_printf(a, "%s/bundle.json", path), &st) == 0 && S_ISREG(st.st_mode);
}

static bool may_write(struct bundle_writer *w, struct err *err)
{
	struct stat st;

	if (!*w->path)
		return err_set(w->arena, err, ERR_USAGE, "--output", 0, "needs a name");
	if (lstat(w->path, &st) != 0)
		return true;
	if (!w->force)
		return err_set(w->arena, err, ERR_IO, w->path, 0,
			       "exists already; hint: --force replaces a bundle");
	if (S_ISDIR(st.st_mode) &&
	    (w->format != PACK_NONE || !is_bundle_folder(w->arena, w->path)))
		return err_set(w->arena, err, ERR_IO, w->path, 0,
			       "is a folder that is no bundle, and is not replaced");
	if (!S_ISDIR(st.st_mode) && (w->format == PACK_NONE || !S_ISREG(st.st_mode)))
		return err_set(w->arena, err, ERR_IO, w->path, 0,
			       "is not a bundle of that form, and is not replaced");
	return true;
}

struct bundle_writer *bundle_writer_create(struct arena *a, const char *path, bool force,
					   struct err *err)
{
	struct bundle_writer *w = arena_alloc(a, sizeof(*w));

	w->arena = a;
	w->path = trimmed(a, path);
	w->format = pack_format_of(w->path);
	w->force = force;
	if (!may_write(w, err))
		return NULL;
	w->folder = arena_printf(a, "%s.XXXXXX", w->path);
	if (mkdtemp(w->folder))	/* mode 0700 */
		return w;
	err_set(a, err, ERR_IO, w->path, 0, "cannot be written: %s", strerror(errno));
	return NULL;
}

void bundle_writer_next_source(struct bundle_writer *w)
{
	w->source++;
	w->current = NULL;
}

struct bundle_counts bundle_writer_counts(const struct bundle_writer *w)
{
	return (struct bundle_counts){ w->nodes.n, w->files.n, w->bytes };
}

/* ---- pieces ---- */

static void save(struct bundle_writer *w, const char *name, struct slice bytes,
		 struct opt_i64 mtime_s)
{
	const char *path = arena_printf(w->arena, "%s/%s", w->folder, name);

	if (w->err.kind != ERR_NONE)
		return;
	if (save_make_folders(w->arena, w->folder, name) && save_file(path, bytes, mtime_s)) {
		*vec_add(w->arena, &w->files) = arena_strdup(w->arena, name);
		w->bytes += (int64_t)bytes.n;
		return;
	}
	err_set(w->arena, &w->err, ERR_IO, arena_printf(w->arena, "%s/%s", w->path, name), 0,
		errno == EEXIST ? "came twice%.0s" : "cannot be written: %s", strerror(errno));
}

static struct written_node *node_of(struct bundle_writer *w, const char *name)
{
	struct written_node *n = w->current;

	if (n && strcmp(n->name, name) == 0)
		return n;
	for (size_t i = 0; i < w->nodes.n; i++) {
		n = w->nodes.v[i];
		if (strcmp(n->name, name) != 0)
			continue;
		if (n->source != w->source)
			err_set(w->arena, &w->err, ERR_USAGE, name, 0,
				"is a node of two sources: each needs a bundle of its own");
		return w->current = n;
	}
	n = arena_alloc(w->arena, sizeof(*n));
	n->name = arena_strdup(w->arena, name);
	n->source = w->source;
	*vec_add(w->arena, &w->nodes) = n;
	return w->current = n;
}

static const char *path_of_node(struct bundle_writer *w, const char *node, const char *relative)
{
	return arena_printf(w->arena, "nodes/%s/%s",
			    strcmp(node, "-") == 0 ? "-" : layout_encode(w->arena, node), relative);
}

/* What could not be had stays visible in the bundle as a command that failed. */
static void note_failure(struct bundle_writer *w, struct written_node *n,
			 const struct evidence *ev)
{
	struct command *c = arena_alloc(w->arena, sizeof(*c));

	c->kind = evidence_kind_name(ev->kind);
	c->subject = layout_subject(w->arena, ev);
	c->command = arena_printf(w->arena, "read %s",
				  ev->relative ? ev->relative : evidence_kind_name(ev->kind));
	c->exit_status = some_i64(1);
	c->errout = ev->err.text;
	*vec_add(w->arena, &n->failures) = c;
	n->own_json = true;
}

static void take_node_json(struct bundle_writer *w, struct written_node *n,
			   const struct evidence *ev)
{
	if (ev->command)
		n->own_json = true;
	else
		n->json = (struct slice){ arena_copy(w->arena, ev->out), ev->out.n };
	n->json_mtime_s = ev->mtime_s;
}

void bundle_writer_add(void *writer, const struct evidence *ev)
{
	struct bundle_writer *w = writer;
	struct written_node *n;
	const char *path;

	if (ev->kind == EV_BUNDLE) {
		if (ev->err.kind == ERR_NONE && !w->has_about)
			save(w, "bundle.json", ev->out, ev->mtime_s);
		w->has_about = w->has_about || ev->err.kind == ERR_NONE;
		return;
	}
	n = node_of(w, ev->node);
	if (ev->err.kind != ERR_NONE) {
		note_failure(w, n, ev);
		return;
	}
	if (ev->kind == EV_NODE) {
		take_node_json(w, n, ev);
		return;
	}
	if (!ev->out.p)		/* a command without output: node.json tells of it */
		return;
	path = layout_path(w->arena, ev);
	if (path)
		save(w, path_of_node(w, ev->node, path), ev->out, ev->mtime_s);
	else
		err_set(w->arena, &w->err, ERR_USAGE, ev->path, 0,
			"has no place in a bundle: its kind only shows in its content");
}

/* ---- the end ---- */

static const struct bundle_node *about_node(const struct bundle_about *about, const char *name)
{
	for (size_t i = 0; i < about->n_nodes; i++)
		if (strcmp(about->nodes[i].folder, name) == 0)
			return &about->nodes[i];
	return NULL;
}

static void save_node_json(struct bundle_writer *w, const struct written_node *n,
			   const struct bundle_about *about)
{
	const struct bundle_node none = { .folder = n->name }, *facts = about_node(about, n->name);
	const char *path = path_of_node(w, n->name, "node.json");
	struct buf text;

	if (!n->own_json) {
		if (n->json.p)
			save(w, path, n->json, n->json_mtime_s);
		return;
	}
	buf_init(&text, TEXT_MAX);
	bundle_text_node(&text, facts ? facts : &none, n->failures.v, n->failures.n);
	if (text.truncated)
		err_set(w->arena, &w->err, ERR_IO, path, 0, "would be larger than 16 MiB");
	save(w, path, (struct slice){ text.p, text.n }, n->json_mtime_s);
	buf_free(&text);
}

static void save_about(struct bundle_writer *w, const struct bundle_about *about)
{
	struct buf text;

	if (w->has_about)
		return;
	buf_init(&text, TEXT_MAX);
	bundle_text_bundle(&text, about->cluster, about->created, about->program);
	save(w, "bundle.json", (struct slice){ text.p, text.n }, (struct opt_i64){ 0 });
	buf_free(&text);
}

/* The order in which a reader hands out: what it needs first comes first in an archive. */
static int by_reading(const void *p, const void *q)
{
	const char *x = *(const char *const *)p, *y = *(const char *const *)q;
	bool x_about = strncmp(x, "nodes/", 6) != 0, y_about = strncmp(y, "nodes/", 6) != 0;
	size_t nx, ny;

	if (x_about || y_about)
		return (int)y_about - (int)x_about;
	nx = strcspn(x + 6, "/") + 6;
	ny = strcspn(y + 6, "/") + 6;
	if (nx != ny || strncmp(x, y, nx) != 0)
		return layout_compare(x, y);
	if (strcmp(x + nx, "/node.json") == 0 || strcmp(y + ny, "/node.json") == 0)
		return strcmp(x + nx, "/node.json") == 0 ? -1 : 1;
	return layout_compare(x, y);
}

/* Gives `temporary` the final name; without force only when that is still free. */
static bool give_name(struct bundle_writer *w, const char *temporary, struct err *err)
{
	const char *old = NULL;
	struct stat st;
	int error = 0;

	if (w->format != PACK_NONE && !w->force) {
		/* a link cannot replace anything */
		if (link(temporary, w->path) == 0)
			return unlink(temporary) == 0 || true;
		error = errno;
	}
	if (error == EEXIST || (!w->force && lstat(w->path, &st) == 0))
		return err_set(w->arena, err, ERR_IO, w->path, 0, "exists already");
	if (w->format == PACK_NONE && w->force && lstat(w->path, &st) == 0) {
		old = arena_printf(w->arena, "%s.old", temporary);
		if (rename(w->path, old) != 0)
			old = NULL;
	}
	if (rename(temporary, w->path) == 0) {
		if (old)
			(void)save_remove(w->arena, old);
		return true;
	}
	err_set(w->arena, err, ERR_IO, w->path, 0, "cannot be written: %s", strerror(errno));
	if (old)
		(void)rename(old, w->path);
	return false;
}

static bool finish_archive(struct bundle_writer *w, struct err *err)
{
	char *temporary = arena_printf(w->arena, "%s.XXXXXX", w->path);
	int fd = mkstemp(temporary);	/* mode 0600 */
	bool ok;

	if (fd < 0)
		return err_set(w->arena, err, ERR_IO, w->path, 0, "cannot be written: %s",
			       strerror(errno));
	ok = pack_files(w->arena, fd, w->format, w->folder, w->files.v, w->files.n, w->path, err);
	if (ok && fsync(fd) != 0)
		ok = err_set(w->arena, err, ERR_IO, w->path, 0, "cannot be written: %s",
			     strerror(errno));
	if (close(fd) != 0 && ok)
		ok = err_set(w->arena, err, ERR_IO, w->path, 0, "cannot be written: %s",
			     strerror(errno));
	ok = ok && give_name(w, temporary, err);
	if (!ok)
		unlink(temporary);
	return ok;
}

void bundle_writer_discard(struct bundle_writer *w)
{
	if (w && w->folder)
		(void)save_remove(w->arena, w->folder);
	if (w)
		w->folder = NULL;
}

bool bundle_writer_finish(struct bundle_writer *w, const struct bundle_about *about,
			  struct err *err)
{
	bool ok;

	save_about(w, about);
	for (size_t i = 0; i < w->nodes.n; i++)
		save_node_json(w, w->nodes.v[i], about);
	if (w->err.kind != ERR_NONE) {
		bundle_writer_discard(w);
		return err_set(w->arena, err, w->err.kind, w->err.subject, w->err.line, "%s",
			       w->err.text);
	}
	if (w->files.n)
		qsort(w->files.v, w->files.n, sizeof(*w->files.v), by_reading);
	ok = w->format == PACK_NONE ? give_name(w, w->folder, err) : finish_archive(w, err);
	if (ok && w->format == PACK_NONE)
		w->folder = NULL;	/* it is the bundle now */
	bundle_writer_discard(w);
	return ok;
}
