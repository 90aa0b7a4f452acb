/* Which configuration files count, and what a run makes of them. See config.h. */
#include "cli/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "cli/config_text.h"
#include "parse/parse.h"

static const char system_file[] = "/etc/twcscheck/twcscheck.json";

enum { SCHEMA_FILE_MAX = 64 * 1024 * 1024 };

/* Where the configuration says nothing. */
enum { COMMAND_TIMEOUT_S = 60, PARALLEL = 64 };

/* ---- files ---- */

/* All bytes of a file or pipe, at most `max`; false and err set. *absent: it is not there. */
static bool read_bytes(struct arena *a, const char *path, size_t max, struct slice *out,
		       bool *absent, struct err *err)
{
	FILE *f = fopen(path, "rb");
	size_t room = 64 * 1024, n = 0, got;
	char *p;
	int error;

	*absent = !f && (errno == ENOENT || errno == ENOTDIR);
	if (!f)
		return err_set(a, err, ERR_IO, path, 0, "cannot read the file: %s",
			       strerror(errno));
	p = malloc(room);
	while (p && n <= max && (got = fread(p + n, 1, room - n, f)) > 0) {
		n += got;
		if (n == room) {
			char *larger = realloc(p, room *= 2);

			if (!larger)
				free(p);
			p = larger;
		}
	}
	error = ferror(f) ? errno : 0;
	fclose(f);
	if (!p)
		return err_set(a, err, ERR_IO, path, 0, "no memory to read the file");
	if (!error && n <= max)
		*out = (struct slice){ arena_copy(a, (struct slice){ p, n }), n };
	free(p);
	if (error)
		return err_set(a, err, ERR_IO, path, 0, "cannot read the file: %s",
			       strerror(error));
	return n <= max || err_set(a, err, ERR_IO, path, 0, "larger than %zu MiB", max >> 20);
}

static bool read_file(struct arena *a, const char *path, bool may_be_absent, struct config *c,
		      struct err *err)
{
	struct err why = { 0 };
	struct slice text;
	bool absent;

	if (read_bytes(a, path, CONFIG_FILE_MAX, &text, &absent, &why))
		return config_read(a, path, text, c, err);
	if (absent && may_be_absent)
		return true;
	*err = why;
	return false;
}

/* $XDG_CONFIG_HOME/twcscheck.json, else ~/.config/twcscheck.json; NULL when there is no home. */
static const char *user_file(struct arena *a)
{
	const char *dir = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (dir && dir[0] == '/') /* a relative one is to be ignored, by its specification */
		return arena_printf(a, "%s/twcscheck.json", dir);
	return home && *home ? arena_printf(a, "%s/.config/twcscheck.json", home) : NULL;
}

bool config_load(struct run_options *o, struct err *err)
{
	struct config *c = arena_alloc(o->arena, sizeof(*c));
	const char *user = o->config ? NULL : user_file(o->arena);

	if (o->config ? !read_file(o->arena, o->config, false, c, err)
		      : !read_file(o->arena, system_file, true, c, err))
		return false;
	if (user && !read_file(o->arena, user, true, c, err))
		return false;
	config_apply(c, o);
	return true;
}

/* ---- what the run makes of it ---- */

struct ranked {
	const struct config_table *t;
	size_t at;
};

static int by_rank(const void *x, const void *y)
{
	const struct ranked *p = x, *q = y;
	int c = table_pattern_compare(p->t->design.table, q->t->design.table);

	return c ? c : (p->at > q->at) - (p->at < q->at);
}

/* The tables' entries, the more specific pattern later. */
static const struct ranked *rank_tables(struct arena *a, const struct config *c)
{
	struct ranked *v = arena_array(a, c->tables.n, sizeof(*v));

	for (size_t i = 0; i < c->tables.n; i++)
		v[i] = (struct ranked){ c->tables.v[i], i };
	if (c->tables.n)
		qsort(v, c->tables.n, sizeof(*v), by_rank);
	return v;
}

/* For all tables, then for some, then those of the command line, which win. */
static void apply_thresholds(const struct config *c, const struct ranked *tables,
			     struct run_options *o)
{
	struct run_checks_options typed = o->checks;

	memset(&o->checks.overrides, 0, sizeof(o->checks.overrides));
	for (size_t i = 0; i < c->thresholds.n; i++)
		*vec_add(o->arena, &o->checks.overrides) = c->thresholds.v[i];
	for (size_t i = 0; i < c->tables.n; i++)
		for (size_t k = 0; k < tables[i].t->thresholds.n; k++)
			*vec_add(o->arena, &o->checks.overrides) = tables[i].t->thresholds.v[k];
	for (size_t i = 0; i < typed.overrides.n; i++)
		*vec_add(o->arena, &o->checks.overrides) = typed.overrides.v[i];
}

static void apply_accepted(const struct config *c, struct run_options *o)
{
	for (size_t i = 0; i < c->skip.n; i++)
		*vec_add(o->arena,
			 &o->checks.accepted) = (struct check_skip){ .check = c->skip.v[i] };
	for (size_t i = 0; i < c->tables.n; i++)
		for (size_t k = 0; k < c->tables.v[i]->skip.n; k++)
			*vec_add(o->arena, &o->checks.accepted) = (struct check_skip){
				.check = c->tables.v[i]->skip.v[k],
				.table = c->tables.v[i]->design.table,
			};
	for (size_t i = 0; i < c->silences.n; i++)
		*vec_add(o->arena, &o->checks.silences) = c->silences.v[i];
}

/* A path that may start with "~/". */
static const char *expand_home(struct arena *a, const char *path)
{
	const char *home = getenv("HOME");

	return path && strncmp(path, "~/", 2) == 0 && home ? arena_printf(a, "%s%s", home, path + 1)
							   : path;
}

static int64_t seconds_or(struct opt_i64 given, int64_t otherwise)
{
	return given.known ? given.v : otherwise;
}

static void apply_ssh(const struct config *c, struct run_options *o)
{
	o->nodes = c->nodes;
	o->ssh = c->ssh;
	o->ssh.identity = expand_home(o->arena, c->ssh.identity);
	o->ssh.known_hosts = expand_home(o->arena, c->ssh.known_hosts);
	o->ssh.ssh_config = expand_home(o->arena, c->ssh.ssh_config);
	o->ssh.connect_timeout_s = seconds_or(c->connect_timeout_s, 0);	/* then as ssh has it */
	o->ssh.command_timeout_s = seconds_or(c->command_timeout_s, COMMAND_TIMEOUT_S);
	if (!o->ssh.parallel)
		o->ssh.parallel = PARALLEL;
}

void config_apply(const struct config *c, struct run_options *o)
{
	const struct ranked *tables = rank_tables(o->arena, c);
	struct table_design *designs = arena_array(o->arena, c->tables.n, sizeof(*designs));

	for (size_t i = 0; i < c->tables.n; i++)
		designs[i] = tables[i].t->design;
	o->assemble.designs = designs;
	o->assemble.n_designs = c->tables.n;
	apply_thresholds(c, tables, o);
	apply_accepted(c, o);
	apply_ssh(c, o);
	o->cluster_name = c->cluster;
	o->schema_file = expand_home(o->arena, c->schema);
	if (!o->nodetool)
		o->nodetool = c->nodetool;
	if (!o->cqlsh)
		o->cqlsh = c->cqlsh;
	if (!o->sstablemetadata)
		o->sstablemetadata = c->sstablemetadata;
}

/* ---- the cluster ---- */

/* Rows of system_schema as JSON start with a bracket, a DESCRIBE does not. */
static bool is_json(struct slice text)
{
	text = slice_trim(text);
	while (text.n && text.p[0] == '\n')
		text = slice_trim(slice_from(text, 1));
	return text.n && (text.p[0] == '{' || text.p[0] == '[');
}

bool config_finish_cluster(const struct run_options *o, struct cluster *c, struct err *err)
{
	struct cluster *own;
	struct evidence ev = { .kind = EV_SCHEMA, .node = "-", .path = o->schema_file };
	struct err why = { 0 };
	bool absent;

	if (!c->name)
		c->name = o->cluster_name;
	if (!o->schema_file)
		return true;
	if (!read_bytes(o->arena, o->schema_file, SCHEMA_FILE_MAX, &ev.out, &absent, err))
		return false;
	own = cluster_create(o->arena);
	if (!(is_json(ev.out) ? parse_schema_json : parse_schema)(o->arena, &ev,
								  cluster_node(own, "-"), &why)) {
		*err = why;
		return false;
	}
	if (why.kind != ERR_NONE)
		cluster_note(c, arena_printf(o->arena,
					     "not all of the configured schema could be read: %s",
					     err_text(o->arena, &why)));
	for (size_t i = 0; i < own->notes.n; i++)
		cluster_note(c, own->notes.v[i]);
	cluster_override_schema(c, &own->schema);
	return true;
}

static bool is_there(const struct cluster *c, const char *full_name)
{
	for (size_t i = 0; i < c->nodes.n; i++)
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++)
			if (strcmp(c->nodes.v[i]->tables[k]->full_name, full_name) == 0)
				return true;
	return false;
}

/* Of a keyspace that is looked at only when it is asked for. */
static bool is_system(struct arena *a, const char *full_name)
{
	return keyspace_is_system(
		arena_copy(a, (struct slice){ full_name, strcspn(full_name, ".") }));
}

void config_note_missing(const struct run_options *o, struct cluster *c)
{
	if (o->assemble.n_selections)
		return; /* only some tables were asked for */
	for (size_t i = 0; i < o->assemble.n_designs; i++) {
		const char *name = o->assemble.designs[i].table;

		if (!strchr(name, '*') && !is_system(o->arena, name) && !is_there(c, name))
			cluster_note(c, arena_printf(o->arena,
						     "table '%s' of the configuration is not in "
						     "the evidence",
						     name));
	}
}
