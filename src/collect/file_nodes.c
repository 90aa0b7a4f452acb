/* See file_nodes.h. */
#include "collect/file_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"

enum { DEPTH_MAX = 64 };

/* A folder (of several beside each other) with an output of a whole node in it. */
struct sighting {
	struct slice above;	/* path of the folder it lies in */
	struct slice folder;	/* its own name */
	struct slice rest;	/* path of the output below it */
	bool is_node;
};

struct finder {
	struct arena *a;
	VEC(struct sighting) seen;	/* of folders */
	VEC(struct sighting) files;	/* folder = the host in a file's name, rest = command */
};

/* Outputs that tell of a whole node; names of tables do not stand beside them by themselves. */
static const char *const outputs[] = {
	"tablestats", "cfstats", "compactionstats", "status", "info", "version", "describecluster",
	"statusautocompaction", "datapaths", "df", "node", "nodetool",
};

/* What files of one node may be numbered by. */
static const char *const part_words[] = {
	"part", "out", "output", "log", "file", "page", "case", "run", "test", "paste", "screen",
	"sample", "copy", "day", "text", "step", "try",
};

/* Folders of several runs on one node, not of several nodes. */
static const char *const other_words[] = {
	"before", "after", "old", "new", "prev", "previous", "errors", "stderr", "stdout", "today",
	"yesterday", "first", "second", "start", "end", "now", "then",
};

static bool is_one_of(struct slice s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_eq_str(s, words[i]))
			return true;
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "cass-01", "node3": letters and hyphens, then digits. */
static bool is_numbered(struct slice s)
{
	size_t digits = 0;

	while (digits < s.n && is_digit(s.p[s.n - 1 - digits]))
		digits++;
	if (!digits || digits == s.n || !is_letter(s.p[0]))
		return false;
	for (size_t i = 0; i < s.n - digits; i++)
		if (!is_letter(s.p[i]) && s.p[i] != '-')
			return false;
	return true;
}

/* "10.0.0.11", "cass-01.example.com": it can be nothing but a host. */
static bool is_address(struct slice s)
{
	size_t dots = 0, first = slice_find(s, '.');
	bool letters = false;

	for (size_t i = 0; i < s.n; i++) {
		if (!is_letter(s.p[i]) && !is_digit(s.p[i]) && s.p[i] != '.' && s.p[i] != '-')
			return false;
		dots += s.p[i] == '.';
		letters |= is_letter(s.p[i]);
	}
	if (s.n < 7 || first == 0 || s.p[s.n - 1] == '.')
		return false;
	return letters ? dots >= 2 && is_numbered((struct slice){ s.p, first }) : dots == 3;
}

static bool is_separator(char c)
{
	return c == '-' || c == '_' || c == '.' || c == '@';
}

/* The file's name without what stands behind its first full stop that begins an ending. */
static struct slice without_ending(struct slice base)
{
	static const char *const endings[] = {
		".txt", ".log", ".out", ".info", ".json", ".yaml", ".cql", ".tsv",
	};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (base.n > strlen(endings[i]) && slice_ends(base, slice_of(endings[i])))
			return (struct slice){ base.p, base.n - strlen(endings[i]) };
	return base;
}

/* "cass-01.txt": all outputs of a node in one file. */
static bool is_named_after_node(struct slice name)
{
	struct slice word = name;

	while (word.n && (is_digit(word.p[word.n - 1]) || word.p[word.n - 1] == '-'))
		word.n--;
	return is_address(name) ||
	       (is_numbered(name) && !is_one_of(word, part_words, ARRAY_LEN(part_words)));
}

/* "tablestats", "nodetool_cfstats", "10.0.0.11-info": the command, and the rest as host. */
static bool split_output(struct slice base, struct slice *command, struct slice *host)
{
	base = without_ending(base);
	if (slice_starts(base, SLICE("nodetool")) && base.n > 9 && is_separator(base.p[8]))
		base = slice_from(base, 9);
	for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
		struct slice c = slice_of(outputs[i]);

		if (slice_starts(base, c) && (base.n == c.n || is_separator(base.p[c.n]))) {
			*command = (struct slice){ base.p, c.n };
			*host = slice_from(base, base.n == c.n ? c.n : c.n + 1);
			return true;
		}
		if (base.n > c.n + 1 && slice_ends(base, c) &&
		    is_separator(base.p[base.n - c.n - 1])) {
			*command = slice_from(base, base.n - c.n);
			*host = (struct slice){ base.p, base.n - c.n - 1 };
			return true;
		}
	}
	return false;
}

static struct slice base_of(struct slice path, struct slice *above)
{
	size_t slash = slice_rfind(path, '/');

	*above = (struct slice){ path.p, slash < path.n ? slash : 0 };
	return slash < path.n ? slice_from(path, slash + 1) : path;
}

/* ---- what was seen ---- */

static void add_folders(struct finder *f, struct slice path)
{
	struct slice rest = path;
	size_t depth = 0;

	for (size_t slash; depth < DEPTH_MAX && (slash = slice_find(rest, '/')) < rest.n; depth++) {
		struct slice name = { rest.p, slash };
		size_t before = (size_t)(rest.p - path.p);

		*vec_add(f->a, &f->seen) = (struct sighting){
			.above = { path.p, before ? before - 1 : 0 }, .folder = name,
			.rest = slice_from(rest, slash + 1),
		};
		rest = slice_from(rest, slash + 1);
	}
}

static void look_at(struct finder *f, const char *p)
{
	struct slice path = slice_of(p), above, base = base_of(path, &above), command, host;

	if (!split_output(base, &command, &host)) {
		host = without_ending(base);
		command = (struct slice){ "", 0 };
		if (!is_named_after_node(host))
			return;
	} else {
		add_folders(f, path);
	}
	if (host.n)
		*vec_add(f->a, &f->files) = (struct sighting){
			.above = above, .folder = host, .rest = command,
		};
}

static int by_place(const void *x, const void *y)
{
	const struct sighting *p = x, *q = y;
	int c = slice_cmp(p->above, q->above);

	if (!c)
		c = slice_cmp(p->rest, q->rest);
	return c ? c : slice_cmp(p->folder, q->folder);
}

static int by_folder(const void *x, const void *y)
{
	const struct sighting *p = x, *q = y;
	int c = slice_cmp(p->above, q->above);

	return c ? c : slice_cmp(p->folder, q->folder);
}

static bool same_place(const struct sighting *p, const struct sighting *q)
{
	return slice_eq(p->above, q->above) && slice_eq(p->rest, q->rest);
}

static bool may_be_node(struct slice name)
{
	return !is_one_of(name, other_words, ARRAY_LEN(other_words)) &&
	       !is_one_of(name, outputs, ARRAY_LEN(outputs)) && !is_digit(name.p[0]);
}

/* The same output in two folders (or with two hosts in its name): these are nodes. */
static void mark_siblings(struct sighting *v, size_t n, bool files)
{
	if (n)
		qsort(v, n, sizeof(*v), by_place);
	for (size_t i = 0, end; i < n; i = end) {
		const struct slice *first = NULL;
		bool several = false;

		for (end = i; end < n && same_place(&v[i], &v[end]); end++) {
			const struct slice *name = &v[end].folder;

			v[end].is_node = files ? is_numbered(*name) : may_be_node(*name);
			several |= v[end].is_node && first && !slice_eq(*first, *name);
			first = v[end].is_node && !first ? name : first;
		}
		for (size_t k = i; k < end; k++)
			v[k].is_node = is_address(v[k].folder) || (v[k].is_node && several);
	}
	if (n)
		qsort(v, n, sizeof(*v), by_folder);
	for (size_t i = 1; i < n; i++)	/* one sighting is enough for all of a folder */
		v[i].is_node |= by_folder(&v[i - 1], &v[i]) == 0 && v[i - 1].is_node;
	for (size_t i = n; i > 1; i--)
		v[i - 2].is_node |= by_folder(&v[i - 2], &v[i - 1]) == 0 && v[i - 1].is_node;
}

static bool is_marked(const struct sighting *v, size_t n, struct slice above, struct slice folder)
{
	struct sighting key = { .above = above, .folder = folder };
	const struct sighting *found = n ? bsearch(&key, v, n, sizeof(*v), by_folder) : NULL;

	return found && found->is_node;
}

/* ---- answers ---- */

/* The deepest folder of the path that is a node's. */
static struct slice folder_node(const struct finder *f, struct slice path)
{
	struct slice found = { "", 0 }, rest = path, last = { "", 0 };

	for (size_t slash; (slash = slice_find(rest, '/')) < rest.n;) {
		struct slice name = { rest.p, slash };
		size_t before = (size_t)(rest.p - path.p);
		struct slice above = { path.p, before ? before - 1 : 0 };

		if (slice_eq(last, SLICE("nodes")))
			return name;
		if (is_address(name) || is_marked(f->seen.v, f->seen.n, above, name))
			found = name;
		last = name;
		rest = slice_from(rest, slash + 1);
	}
	return found;
}

/* A host that other files of the folder tell, at the beginning or the end of this one's name. */
static struct slice host_beside(const struct finder *f, struct slice above, struct slice base)
{
	for (size_t i = base.n; i > 0; i--) {
		struct slice first = { base.p, i };

		if ((i == base.n || is_separator(base.p[i])) &&
		    is_marked(f->files.v, f->files.n, above, first))
			return first;
	}
	for (size_t i = 1; i + 1 < base.n; i++)
		if (is_separator(base.p[i]) &&
		    is_marked(f->files.v, f->files.n, above, slice_from(base, i + 1)))
			return slice_from(base, i + 1);
	return (struct slice){ "-", 1 };
}

static struct slice node_of(const struct finder *f, const char *p)
{
	struct slice path = slice_of(p), above, base, command, host;
	struct slice node = folder_node(f, path);

	if (node.n)
		return node;
	base = base_of(path, &above);
	if (split_output(base, &command, &host) && host.n &&
	    is_marked(f->files.v, f->files.n, above, host))
		return host;
	return host_beside(f, above, without_ending(base));
}

void file_nodes_find(struct arena *a, const char *const *paths, size_t n, const char **nodes)
{
	struct finder f = { .a = a };

	for (size_t i = 0; i < n; i++)
		look_at(&f, paths[i]);
	mark_siblings(f.seen.v, f.seen.n, false);
	mark_siblings(f.files.v, f.files.n, true);
	for (size_t i = 0; i < n; i++)
		nodes[i] = arena_copy(a, node_of(&f, paths[i]));
}
