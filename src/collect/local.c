/* The machine itself as a source. See local.h. */
#include "collect/local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "base/slice.h"
#include "collect/layout.h"
#include "collect/local_source.h"

enum {
	ERROUT_MAX = 16 * 1024,
	YAML_MAX = 4 * 1024 * 1024,
	WORDS_MAX = 16,			/* of a program's name with its options */
	HOST_NAME_BYTES = 256,
};

/* Releases from which on nodetool has a command. Source: nodetool's commands, 3.0 to 5.0. */
enum { WITH_DATAPATHS = 40100, WITH_AUTOCOMPACTION_LIST = 40000 };

/* ---- commands ---- */

bool local_is_over(const struct source *s)
{
	return (s->o->stop && *s->o->stop) || run_clock_ms() >= s->deadline_ms;
}

const char *local_why_over(const struct source *s)
{
	if (s->o->stop && *s->o->stop)
		return "not run: interrupted";
	return "not run: the time for the whole run was over";
}

char **local_argv(struct source *s, const char *program, const char *const *arguments,
		  const char **text)
{
	struct slice rest = slice_of(program), word;
	size_t n = 0, k = 0;
	char **argv;

	while (arguments[n])
		n++;
	argv = arena_array(s->arena, n + WORDS_MAX + 1, sizeof(*argv));
	n = 0;
	while (n < WORDS_MAX && slice_word(&rest, &word))
		argv[n++] = arena_copy(s->arena, word);
	while (n && arguments[k])	/* without a program nothing else must become one */
		argv[n++] = arena_strdup(s->arena, arguments[k++]);
	*text = n ? "" : arguments[0];
	for (size_t i = 0; i < n; i++)
		*text = arena_printf(s->arena, "%s%s%s", *text, i ? " " : "",
				     quote_shell(s->arena, argv[i]));
	return argv;
}

void local_run(struct source *s, char *const argv[], struct run_result *r)
{
	struct run_limits limits = {
		.timeout_ms = s->o->command_timeout_s * 1000, .out_max = LAYOUT_FILE_MAX,
		.err_max = ERROUT_MAX, .stop = s->o->stop,
	};
	int64_t left = s->deadline_ms - run_clock_ms();

	if (local_is_over(s) || !argv[0]) {
		*r = (struct run_result){ .exit_status = some_i64(RUN_TIMEOUT),
					  .errout = argv[0] ? local_why_over(s)
							    : "no program is named",
					  .started_s = run_now_s() };
		return;
	}
	if (left < limits.timeout_ms)
		limits.timeout_ms = left;
	run_command(s->arena, argv, &limits, r);
}

void local_hand(struct source *s, struct evidence ev, const char *command,
		const struct run_result *r)
{
	ev = live_piece(s->arena, ev, s->node, command, r);
	s->each(s->ctx, &ev);
}

void local_fail(struct source *s, struct evidence ev, const char *command, int status,
		const char *why)
{
	struct run_result r = { .exit_status = some_i64(status), .errout = why,
				.started_s = run_now_s() };

	local_hand(s, ev, command, &r);
}

static const char *nodetool_of(const struct source *s)
{
	return s->o->nodetool ? s->o->nodetool : "nodetool";
}

/* `words` are the subcommand and its arguments, NULL-terminated. */
static void nodetool(struct source *s, struct evidence ev, const char *const *words)
{
	struct run_result r;
	const char *text;
	char **argv = local_argv(s, nodetool_of(s), words, &text);

	local_run(s, argv, &r);
	local_hand(s, ev, text, &r);
	run_free(&r);
}

static void nodetool_node(struct source *s, enum evidence_kind kind, const char *subcommand)
{
	const char *const words[] = { subcommand, NULL };

	nodetool(s, (struct evidence){ .kind = kind }, words);
}

/* ---- the schema ---- */

/* Rows of one table of system_schema into `rows`; the result is that of the command. */
static void ask_schema(struct source *s, const char *table, struct buf *rows, const char **texts,
		       struct run_result *r)
{
	const char *select = arena_printf(s->arena, "SELECT JSON * FROM system_schema.%s", table);
	const char *const words[] = { "-e", select, NULL };
	const char *text, *why = NULL;
	char **argv = local_argv(s, s->o->cqlsh ? s->o->cqlsh : "cqlsh", words, &text);

	*texts = *texts ? arena_printf(s->arena, "%s; %s", *texts, text) : text;
	local_run(s, argv, r);
	if (r->exit_status.known && r->exit_status.v == 0)
		why = saved_schema_rows(s->arena, r->out, table, rows);
	run_free(r);
	if (!why)
		return;
	/* it said that all was well, but it was not */
	r->exit_status = some_i64(1);
	r->errout = *r->errout ? arena_printf(s->arena, "%s\n%s", why, r->errout) : why;
}

/*
 * The first failure ends it: what is refused once is refused four times. Views come after what is
 * needed; their rows are as those of tables.
 */
static void read_schema(struct source *s)
{
	static const char *const tables[] = { "tables", "keyspaces", "views", "columns" };
	struct evidence ev = { .kind = EV_SCHEMA, .relative = "schema.json" };
	struct run_result all = { .started_s = run_now_s() }, r;
	int64_t begin = run_clock_ms();
	const char *texts = NULL;
	struct buf rows;

	buf_init(&rows, LAYOUT_FILE_MAX);
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		ask_schema(s, tables[i], &rows, &texts, &r);
		all.exit_status = r.exit_status;
		all.signal = r.signal;
		all.errout = r.errout;
		if (!live_is_good(&r))
			break;
	}
	all.duration_ms = run_clock_ms() - begin;
	if (rows.n)
		all.out = (struct slice){ rows.p, rows.n };
	local_hand(s, ev, texts, &all);
	buf_free(&rows);
}

/* ---- cassandra.yaml, data directories, disks ---- */

static bool make_room(struct source *s, size_t n)
{
	char *p;

	if (s->room >= n)
		return true;
	p = realloc(s->buffer, n);
	if (!p)
		return false;
	s->buffer = p;
	s->room = n;
	return true;
}

/* Not blocking and not through a link: a name must not make it read something else. */
int local_read(struct source *s, int folder, const char *name, int64_t max, struct slice *bytes)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), error = 0;
	size_t n = 0;
	struct stat st;

	if (fd < 0)
		return errno;
	if (fstat(fd, &st) != 0)
		error = errno;
	else if (!S_ISREG(st.st_mode))
		error = EINVAL;
	else if (st.st_size > max)
		error = EFBIG;
	while (!error) {
		ssize_t got;

		if (!make_room(s, n + (n < (size_t)st.st_size ? (size_t)st.st_size - n : 4096) + 1))
			error = ENOMEM;
		else if ((got = read(fd, s->buffer + n, s->room - n)) < 0)
			error = errno == EINTR ? 0 : errno;
		else if (got == 0)
			break;
		else if ((n += (size_t)got) > (size_t)max)
			error = EFBIG;
	}
	close(fd);
	*bytes = (struct slice){ s->buffer, n };
	return error;
}

static void read_settings(struct source *s, struct path_list *roots)
{
	struct run_result r = { .started_s = run_now_s(), .exit_status = some_i64(0),
				.errout = "" };
	struct evidence ev = { .kind = EV_SETTINGS };
	int error = ENOENT;
	struct slice bytes;
	const char *path = NULL;
	struct buf lines;

	for (size_t i = 0; i < s->o->n_settings && error == ENOENT; i++) {
		path = s->o->settings[i];
		/* the file itself may be a link, of the distribution's making */
		char *real = realpath(path, NULL);

		error = real ? local_read(s, AT_FDCWD, real, YAML_MAX, &bytes) : errno;
		free(real);
	}
	if (error) {
		if (path && !s->roots.paths.n)	/* nothing else told the data directories */
			local_fail(s, ev, arena_printf(s->arena, "read %s", path), 1,
				   arena_printf(s->arena, "cannot be read: %s", strerror(error)));
		return;
	}
	buf_init(&lines, YAML_MAX);
	saved_yaml_lines(s->arena, bytes, &lines, roots);
	if (lines.n)
		r.out = (struct slice){ lines.p, lines.n };
	local_hand(s, ev, arena_printf(s->arena, "read %s", path), &r);
	buf_free(&lines);
}

static void add_root(struct source *s, const char *root)
{
	for (size_t i = 0; root && i < s->roots.paths.n; i++)
		if (strcmp(s->roots.paths.v[i], root) == 0)
			return;
	if (root)
		*vec_add(s->arena, &s->roots.paths) = root;
}

/* datapaths says it best, for it knows of links and of what -D gave; else cassandra.yaml. */
static void find_roots(struct source *s)
{
	struct live_directories d = { 0 };
	struct path_list from_settings = { 0 };

	s->o->guide->directories(s->o->guide->ctx, s->node, s->arena, &d);
	for (size_t i = 0; i < d.list.n; i++)
		add_root(s, live_root_of(s->arena, d.list.v[i].path));
	read_settings(s, &from_settings);
	for (size_t i = 0; i < from_settings.paths.n && !d.list.n; i++)
		add_root(s, from_settings.paths.v[i]);
}

static void read_disk_usage(struct source *s)
{
	const char **words = arena_array(s->arena, s->roots.paths.n + 3, sizeof(*words));
	struct run_result r;
	const char *text;
	char **argv;

	if (!s->roots.paths.n)
		return;
	words[0] = "-P";
	words[1] = "-k";
	for (size_t i = 0; i < s->roots.paths.n; i++)
		words[i + 2] = s->roots.paths.v[i];
	argv = local_argv(s, "df", words, &text);
	local_run(s, argv, &r);
	local_hand(s, (struct evidence){ .kind = EV_DISK_USAGE }, text, &r);
	run_free(&r);
}

/* ---- the run ---- */

static void read_histograms(struct source *s)
{
	struct live_tables tables = { 0 };

	s->o->guide->tables(s->o->guide->ctx, s->node, s->arena, &tables);
	for (size_t i = 0; i < tables.list.n; i++) {
		const struct live_table *t = &tables.list.v[i];
		const char *const words[] = { "tablehistograms", t->keyspace, t->table, NULL };

		nodetool(s, (struct evidence){ .kind = EV_TABLEHISTOGRAMS, .keyspace = t->keyspace,
					       .table = t->table }, words);
	}
}

/* node.json as far as it is known at the start: whose evidence follows, and the clock. */
static void hand_node(struct source *s)
{
	struct bundle_node n = { .name = s->node, .now_s = some_i64(run_now_s()) };
	struct evidence ev = { .kind = EV_NODE, .node = s->node, .relative = "node.json" };
	struct buf text;

	buf_init(&text, ERROUT_MAX);
	bundle_text_node(&text, &n, NULL, 0);
	ev.out = (struct slice){ text.p, text.n };
	ev.path = ev.command = "the clock";
	ev.exit_status = some_i64(0);
	s->each(s->ctx, &ev);
	buf_free(&text);
}

/* What matters most comes first: time may be short. */
static bool local_read_all(struct source *s, evidence_fn *each, void *ctx, struct err *err)
{
	static const char *const autocompaction[] = { "statusautocompaction", "-a", NULL };
	int release;

	s->each = each;
	s->ctx = ctx;
	s->deadline_ms = run_clock_ms() + s->o->timeout_s * 1000;
	hand_node(s);
	nodetool_node(s, EV_VERSION, "version");
	release = s->o->guide->release(s->o->guide->ctx, s->node);
	if (!release || release >= WITH_DATAPATHS)
		nodetool_node(s, EV_DATAPATHS, "datapaths");
	read_schema(s);
	find_roots(s);
	local_read_tables(s);
	nodetool_node(s, EV_TABLESTATS, "tablestats");
	nodetool_node(s, EV_COMPACTIONSTATS, "compactionstats");
	nodetool_node(s, EV_STATUS, "status");
	if (!release || release >= WITH_AUTOCOMPACTION_LIST)
		nodetool(s, (struct evidence){ .kind = EV_STATUSAUTOCOMPACTION }, autocompaction);
	nodetool_node(s, EV_DESCRIBECLUSTER, "describecluster");
	nodetool_node(s, EV_INFO, "info");
	read_disk_usage(s);
	read_histograms(s);
	if (s->o->stop && *s->o->stop)
		return err_set(s->arena, err, ERR_TIMEOUT, s->node, 0, "interrupted");
	return true;
}

struct source *source_local_open(struct arena *a, const struct local_options *o, struct err *err)
{
	struct source *s = arena_alloc(a, sizeof(*s));
	char host[HOST_NAME_BYTES] = "";

	s->arena = a;
	s->o = o;
	s->node = o->node;
	if (!s->node) {
		if (gethostname(host, sizeof(host) - 1) != 0 || !*host) {
			err_set(a, err, ERR_IO, "this machine", 0, "has no host name");
			return NULL;
		}
		s->node = arena_strdup(a, host);
	}
	return s;
}

static struct source *open_without_options(struct arena *a, const char *where, struct err *err)
{
	err_set(a, err, ERR_USAGE, where, 0, "the local machine is no path");
	return NULL;
}

static void local_close(struct source *s)
{
	if (!s)
		return;
	free(s->buffer);
	s->buffer = NULL;
	s->room = 0;
}

const struct source_ops source_local = {
	.name = "local",
	.help = "this machine: its tools and its data directories",
	.open = open_without_options,
	.read = local_read_all,
	.close = local_close,
};
