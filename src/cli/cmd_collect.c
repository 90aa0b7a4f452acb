/* collect: save all evidence as a bundle, to be judged elsewhere. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/config.h"
#include "cli/sources.h"
#include "collect/write.h"
#include "parse/parse.h"

enum { KINDS_TOLD = 3 };

/* What comes in, and what of it could not be had. */
struct collection {
	struct arena *arena;
	struct cluster *cluster;
	struct bundle_writer *writer;
	bool live;			/* nodes are asked, no bundle is read */
	VEC(const char *) failures;
};

/* One line for each reason: what damage took has the same one for every kind. */
static void add_failure(struct collection *c, const char *text)
{
	if (!c->failures.n || strcmp(c->failures.v[c->failures.n - 1], text) != 0)
		*vec_add(c->arena, &c->failures) = text;
}

static void save(void *ctx, const struct evidence *ev)
{
	struct collection *c = ctx;

	parse_evidence(c->cluster, ev);
	bundle_writer_add(c->writer, ev);
	if (ev->err.kind != ERR_NONE && !c->live)
		add_failure(c, err_text(c->arena, &ev->err));
}

static void next_source(void *ctx)
{
	struct collection *c = ctx;

	bundle_writer_next_source(c->writer);
}

static void stopped(void *ctx, const char *why)
{
	add_failure(ctx, why);
}

/* NULL when it is well. */
static const char *why_failed(const struct evidence_record *e)
{
	if (e->status != EVIDENCE_FAILED && e->status != EVIDENCE_PARTIAL)
		return NULL;
	return e->error ? e->error : "failed";
}

/* What failed for one reason is one line: of a node that is down that is everything. */
static void note_reason(struct collection *to, const struct node *n, size_t first)
{
	const char *why = why_failed(&n->evidence.v[first]), *list = "";
	size_t told = 0, more = 0;

	for (size_t i = 0; i < n->evidence.n; i++) {
		const struct evidence_record *e = &n->evidence.v[i];
		const char *reason = why_failed(e);

		if (!reason || strcmp(reason, why) != 0)
			continue;
		if (i < first)
			return;		/* told already */
		if (told == KINDS_TOLD) {
			more++;
			continue;
		}
		list = arena_printf(to->arena, "%s%s%s%s%s", list, told++ ? ", " : "",
				    evidence_kind_name(e->kind), e->subject ? " of " : "",
				    e->subject ? e->subject : "");
	}
	if (more)
		list = arena_printf(to->arena, "%s and %zu more", list, more);
	add_failure(to, arena_printf(to->arena, "%s: %s: %s", n->name, list, why));
}

/* Of a live source the outputs themselves are looked at: what says nothing has failed too. */
static void note_failed_evidence(struct collection *to, const struct cluster *c)
{
	for (size_t i = 0; i < c->nodes.n; i++)
		for (size_t k = 0; k < c->nodes.v[i]->evidence.n; k++)
			if (why_failed(&c->nodes.v[i]->evidence.v[k]))
				note_reason(to, c->nodes.v[i], k);
}

static void describe(struct arena *a, struct cluster *c, struct bundle_about *about)
{
	struct bundle_node *nodes = arena_array(a, c->nodes.n, sizeof(*nodes));

	about->cluster = c->name;
	for (size_t i = 0; i < c->nodes.n; i++) {
		struct node *n = c->nodes.v[i];

		nodes[i] = (struct bundle_node){
			.folder = n->folder ? n->folder : n->name, .name = n->name,
			.address = n->address, .product = n->product, .release = n->release,
			.transport = n->transport,
			.now_s = n->now_s, .commands = n->commands.v, .n_commands = n->commands.n,
		};
		if (!about->cluster)
			about->cluster = n->cluster_name;
	}
	about->nodes = nodes;
	about->n_nodes = c->nodes.n;
	about->program = PACKAGE_NAME " " PACKAGE_VERSION;
	about->created = num_format_time(a, (int64_t)time(NULL));
}

/* False and err set when the command line asks for what can't be done. */
static bool check_usage(struct run_options *o, struct err *err)
{
	if (!options_select(o, err) || !config_load(o, err))
		return false;
	if (!sources_given(o))
		return err_set(o->arena, err, ERR_USAGE, "collect", 0,
			       "needs a source; hint: -H NODE, --local, or --from BUNDLE to save "
			       "it anew");
	if (!o->output)
		return err_set(o->arena, err, ERR_USAGE, "collect", 0,
			       "needs -o DIRECTORY, or -o NAME.tar.gz or NAME.tar.zst");
	if (o->selections.n && o->from.n && !o->local)
		return err_set(o->arena, err, ERR_USAGE, o->arguments.v[0], 0,
			       "can only be chosen with -H or --local: a bundle is saved whole");
	return true;
}

static bool collect(struct run_options *o, struct collection *to, struct err *err)
{
	const struct evidence_tap tap = { save, next_source, stopped, to };
	struct cluster *c = to->cluster = cluster_create(o->arena);
	struct bundle_about about = { 0 };

	to->live = o->local || sources_over_ssh(o);
	if (!sources_read(o, c, &tap, err))
		return false;
	parse_finish(c);
	if (!c->nodes.n)
		return err_set(o->arena, err, ERR_IO, o->from.n ? o->from.v[0] : NULL, 0,
			       "holds no node's evidence");
	if (to->live)
		note_failed_evidence(to, c);
	describe(o->arena, c, &about);
	return bundle_writer_finish(to->writer, &about, err);
}

static void tell(const struct run_options *o, const struct collection *to)
{
	struct bundle_counts n = bundle_writer_counts(to->writer);

	if (sources_interrupted())
		fprintf(stderr, "twcscheck: interrupted: what was learnt is saved\n");
	for (size_t i = 0; i < to->failures.n; i++)
		fprintf(stderr, "twcscheck: not collected: %s\n", to->failures.v[i]);
	if (o->quiet)
		return;
	fprintf(stderr, "twcscheck: '%s': %zu node%s, %zu files, %s; it holds partition keys and "
		"clustering bounds, which may be personal data\n", o->output, n.nodes,
		n.nodes == 1 ? "" : "s", n.files, num_format_size(to->arena, n.bytes));
}

int cmd_collect(struct run_options *o, const struct cli_command *self)
{
	struct collection to = { .arena = o->arena };
	struct err err = { 0 };

	(void)self;
	sources_catch_signals();
	(void)signal(SIGXFSZ, SIG_IGN);	/* a file too large is an error, not an end */
	if (check_usage(o, &err))
		to.writer = bundle_writer_create(o->arena, o->output, o->force, &err);
	if (to.writer && collect(o, &to, &err)) {
		tell(o, &to);
		return to.failures.n || sources_interrupted() ? EXIT_UNKNOWN : EXIT_OK;
	}
	bundle_writer_discard(to.writer);
	cli_complain(o->arena, &err);
	return EXIT_UNKNOWN;
}
