/* What an archive holds. See archive_index.h. */
#include "collect/archive_index.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/slice.h"
#include "collect/file_nodes.h"
#include "collect/layout.h"

enum { NAME_MAX_BYTES = 4096 };

/* ---- headers ---- */

static bool refuse(struct archive_index *x, const char *name, const char *why, struct err *err)
{
	return err_set(x->arena, err, ERR_FORMAT, x->where, 0, "refused: the entry '%s' %s", name,
		       why);
}

/*
 * A clean relative path: no "." components, no slashes twice or at the end. NULL when it is
 * absolute, leaves the bundle, or is longer than any path of a bundle.
 */
static const char *clean_name(struct arena *a, const char *name)
{
	struct slice rest = slice_of(name), part;
	char *out, *to;

	if (name[0] == '/' || rest.n > NAME_MAX_BYTES)
		return NULL;
	out = to = arena_alloc(a, rest.n + 1);
	while (slice_field(&rest, '/', &part)) {
		if (!part.n || slice_eq(part, SLICE(".")))
			continue;
		if (slice_eq(part, SLICE("..")))
			return NULL;
		if (to != out)
			*to++ = '/';
		memcpy(to, part.p, part.n);
		to += part.n;
	}
	*to = '\0';
	return out;
}

/* NULL when a bundle may have it. */
static const char *why_refused(const struct archive_header *h)
{
	if (h->hard_link || S_ISLNK(h->type))
		return "is a link";
	if (S_ISDIR(h->type))
		return NULL;
	if (!S_ISREG(h->type))
		return "is a device file or the like";
	if (h->size < 0 || h->size > LAYOUT_FILE_MAX)
		return "is larger than 256 MiB";
	return NULL;
}

/* Names go into a message: without what a terminal would obey. */
static const char *printable(struct arena *a, const char *name)
{
	char *out = arena_copy(a, (struct slice){ name, strnlen(name, 200) });

	for (char *p = out; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
	return out;
}

bool archive_index_add(struct archive_index *x, const struct archive_header *h,
		       struct archive_entry_info **out, struct err *err)
{
	const char *shown = h->name ? printable(x->arena, h->name) : "?", *why = why_refused(h);
	const char *name = h->name ? clean_name(x->arena, h->name) : NULL;
	struct archive_entry_info *e;

	*out = NULL;
	if (++x->n_headers > LAYOUT_ENTRIES_MAX)
		return refuse(x, shown, "is one too many: there are more than 1 000 000", err);
	if (!name)
		return refuse(x, shown, h->name ? "has a path that leaves the bundle"
						: "has no name that can be read", err);
	if (why)
		return refuse(x, shown, why, err);
	if (S_ISDIR(h->type))
		return true;
	if (h->size > LAYOUT_TOTAL_MAX - x->total)
		return refuse(x, shown, "is too much: with it there are more than 16 GiB", err);
	x->total += h->size;
	e = arena_alloc(x->arena, sizeof(*e));
	*e = (struct archive_entry_info){ .name = name, .ordinal = x->n_headers - 1,
					  .size = h->size, .mtime_s = h->mtime_s };
	*vec_add(x->arena, &x->entries) = e;
	*out = e;
	return true;
}

/* ---- which folder is the bundle's ---- */

/* The path inside the folder `root` ("" or "case/"); NULL when it is not in it. */
static const char *path_below(const char *name, const char *root)
{
	size_t n = strlen(root);

	return strncmp(name, root, n) == 0 ? name + n : NULL;
}

static bool has_nodes(const struct archive_index *x, const char *root)
{
	for (size_t i = 0; i < x->entries.n; i++) {
		const char *path = path_below(x->entries.v[i]->name, root);

		if (path && strncmp(path, "nodes/", 6) == 0)
			return true;
	}
	return false;
}

/* "<digits>/" */
static bool starts_with_number(const char *path)
{
	size_t n = strspn(path, "0123456789");

	return n && path[n] == '/';
}

/*
 * What makes a folder a bundle, and not a folder of loose files: bundle.json, node.json, or
 * numbered folders in "sstables", its own or a node's.
 */
static bool is_mark(const char *path)
{
	const char *in_node = path;

	if (strcmp(path, "bundle.json") == 0)
		return true;
	if (strncmp(path, "nodes/", 6) == 0) {
		in_node = strchr(path + 6, '/');
		if (!in_node++)
			return false;
	}
	return strcmp(in_node, "node.json") == 0 ||
	       (strncmp(in_node, "sstables/", 9) == 0 && starts_with_number(in_node + 9));
}

static bool is_bundle_at(const struct archive_index *x, const char *root)
{
	for (size_t i = 0; i < x->entries.n; i++) {
		const char *path = path_below(x->entries.v[i]->name, root);

		if (path && is_mark(path))
			return true;
	}
	return false;
}

/* "case/" of "case/nodes/…"; NULL for a name without folder. */
static const char *first_folder(struct arena *a, const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? arena_copy(a, (struct slice){ name, (size_t)(slash - name) + 1 }) : NULL;
}

/*
 * The bundle itself, or the one folder around it (a bundle that was packed by hand). NULL when
 * there is no bundle, or when there are several beside each other: these are loose files then.
 */
static const char *find_root(const struct archive_index *x)
{
	const char *root = NULL;

	if (is_bundle_at(x, ""))
		return "";
	for (size_t i = 0; i < x->entries.n; i++) {
		const char *name = x->entries.v[i]->name, *folder;

		if (root && path_below(name, root))
			continue;
		folder = first_folder(x->arena, name);
		if (!folder || !is_mark(name + strlen(folder)))
			continue;
		if (root)
			return NULL;
		root = folder;
	}
	return root;
}

/* ---- order ---- */

static int by_place(const void *p, const void *q)
{
	const struct archive_entry_info *e = *(struct archive_entry_info *const *)p;
	const struct archive_entry_info *f = *(struct archive_entry_info *const *)q;
	int c = (f->about.kind == EV_BUNDLE) - (e->about.kind == EV_BUNDLE);

	if (!c)
		c = strcmp(e->about.node, f->about.node);
	if (!c)
		c = (f->about.kind == EV_NODE) - (e->about.kind == EV_NODE);
	if (!c)
		c = layout_compare(e->about.relative, f->about.relative);
	return c ? c : (e->ordinal > f->ordinal) - (e->ordinal < f->ordinal);
}

static bool same_place(const struct archive_entry_info *e, const struct archive_entry_info *f)
{
	return strcmp(e->about.node, f->about.node) == 0 &&
	       strcmp(e->about.relative, f->about.relative) == 0;
}

static void forget(struct archive_entry_info *e)
{
	free(e->held);
	e->held = NULL;
}

/* What has no place in the bundle goes; its bytes with it. */
static void keep_evidence(struct archive_index *x, const char *root)
{
	bool nodes = has_nodes(x, root);
	size_t n = 0;

	for (size_t i = 0; i < x->entries.n; i++) {
		struct archive_entry_info *e = x->entries.v[i];
		const char *path = path_below(e->name, root);

		if (path && layout_find(x->arena, path, nodes, &e->about))
			x->entries.v[n++] = e;
		else
			forget(e);
	}
	x->entries.n = n;
}

/* ---- archives of loose files ---- */

static int by_name(const void *p, const void *q)
{
	return layout_compare((*(struct archive_entry_info *const *)p)->name,
			      (*(struct archive_entry_info *const *)q)->name);
}

/* ".x" or "a/.x/b": what systems and editors leave. */
static bool is_hidden(const char *name)
{
	return name[0] == '.' || strstr(name, "/.");
}

/* Table directory and keyspace of an SSTable's file by the folders that it lies in. */
static void place_component(struct arena *a, const char *name, struct evidence *ev)
{
	struct slice rest = slice_of(name), table, above;
	const char *subject;
	size_t slash;

	slash = slice_rfind(rest, '/');
	rest.n = slash < rest.n ? slash : 0;
	slash = slice_rfind(rest, '/');
	table = slash < rest.n ? slice_from(rest, slash + 1) : rest;
	rest.n = slash < rest.n ? slash : 0;
	slash = slice_rfind(rest, '/');
	above = slash < rest.n ? slice_from(rest, slash + 1) : rest;
	ev->directory = arena_copy(a, table);
	subject = layout_subject(a, ev);
	if (!subject || strcmp(subject, ev->directory) == 0)
		ev->directory = NULL;	/* without an id it may be any folder */
	else if (above.n)
		ev->keyspace = arena_copy(a, above);
}

/* Every file is evidence of a kind that its content tells, but for SSTables' own files. */
static void keep_loose(struct archive_index *x)
{
	const char **paths = arena_array(x->arena, x->entries.n, sizeof(*paths));
	const char **nodes = arena_array(x->arena, x->entries.n, sizeof(*nodes));
	size_t n = 0;

	qsort(x->entries.v, x->entries.n, sizeof(*x->entries.v), by_name);
	for (size_t i = 0; i < x->entries.n; i++) {
		struct archive_entry_info *e = x->entries.v[i];
		const char *slash = strrchr(e->name, '/'), *file = slash ? slash + 1 : e->name;

		e->about = (struct evidence){ .kind = EV_LOOSE, .relative = e->name };
		if (layout_sstable_file(x->arena, file, &e->about) && e->about.file)
			place_component(x->arena, e->name, &e->about);
		else
			e->about.kind = EV_LOOSE;
		if (is_hidden(e->name) || (e->about.kind == EV_LOOSE &&
					   slice_ends(slice_of(file), SLICE(".db")))) {
			forget(e);
			continue;
		}
		paths[n] = e->name;
		x->entries.v[n++] = e;
	}
	x->entries.n = n;
	file_nodes_find(x->arena, paths, n, nodes);
	for (size_t i = 0; i < n; i++)
		x->entries.v[i]->about.node = nodes[i] ? nodes[i] : "-";
}

/* ---- the finished index ---- */

/* A later entry of the same name replaces the earlier one, as for every reader of tar. */
static void drop_replaced(struct archive_index *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->entries.n; i++) {
		struct archive_entry_info *e = x->entries.v[i];

		if (i + 1 < x->entries.n && same_place(e, x->entries.v[i + 1])) {
			forget(e);
			continue;
		}
		x->entries.v[n++] = e;
	}
	x->entries.n = n;
}

bool archive_index_finish(struct archive_index *x, struct err *err)
{
	const char *root = x->entries.n ? find_root(x) : NULL;

	if (!x->entries.n)
		return err_set(x->arena, err, ERR_FORMAT, x->where, 0,
			       "is no archive of a bundle: there is no file in it");
	if (root)
		keep_evidence(x, root);
	else
		keep_loose(x);
	x->in_order = true;
	for (size_t i = 1; i < x->entries.n; i++)
		if (strcmp(x->entries.v[i - 1]->about.node, x->entries.v[i]->about.node) > 0)
			x->in_order = false;
	qsort(x->entries.v, x->entries.n, sizeof(*x->entries.v), by_place);
	drop_replaced(x);
	for (size_t i = 0; i < x->n_headers; i++)
		*vec_add(x->arena, &x->ranks) = 0;
	for (size_t i = 0; i < x->entries.n; i++)
		x->ranks.v[x->entries.v[i]->ordinal] = i + 1;
	return true;
}

bool archive_index_rank(const struct archive_index *x, size_t ordinal, size_t *rank)
{
	if (ordinal >= x->ranks.n || !x->ranks.v[ordinal])
		return false;
	*rank = x->ranks.v[ordinal] - 1;
	return true;
}

/* ---- what damage may have taken ---- */

static const enum evidence_kind needed[] = {
	EV_STATUS, EV_TABLESTATS, EV_TABLEHISTOGRAMS, EV_COMPACTIONSTATS, EV_SCHEMA, EV_LISTING,
	EV_STATISTICS_DB,
};

/* With nodes one after the other only the last one of them lost something. */
static bool may_be_struck(const struct archive_index *x, const char *node)
{
	return !x->in_order || strcmp(node, x->entries.v[x->entries.n - 1]->about.node) == 0;
}

static bool has_kind(const struct archive_index *x, const char *node, enum evidence_kind kind)
{
	if (kind & (EV_LISTING | EV_STATISTICS_DB | EV_TABLEHISTOGRAMS))
		return false;		/* there may have been more of them */
	for (size_t i = 0; i < x->entries.n; i++)
		if (x->entries.v[i]->about.kind == kind &&
		    strcmp(x->entries.v[i]->about.node, node) == 0)
			return true;
	return false;
}

static bool is_first_of_node(const struct archive_index *x, size_t i)
{
	return i == 0 || x->entries.v[i - 1]->about.kind == EV_BUNDLE ||
	       strcmp(x->entries.v[i - 1]->about.node, x->entries.v[i]->about.node) != 0;
}

bool archive_index_loss(const struct archive_index *x, struct archive_loss *at,
			struct evidence *about)
{
	for (; at->entry < x->entries.n; at->entry++, at->kind = 0) {
		const struct evidence *ev = &x->entries.v[at->entry]->about;

		if (ev->kind == EV_BUNDLE || !may_be_struck(x, ev->node))
			continue;
		while (is_first_of_node(x, at->entry) && at->kind < ARRAY_LEN(needed)) {
			enum evidence_kind kind = needed[at->kind++];

			*about = (struct evidence){ .kind = kind, .node = ev->node };
			if (!has_kind(x, ev->node, kind))
				return true;
		}
		if (ev->kind == EV_LISTING && at->kind <= ARRAY_LEN(needed)) {
			at->kind = ARRAY_LEN(needed) + 1;
			*about = *ev;
			about->relative = NULL;
			return true;
		}
	}
	return false;
}
