/*
 * Runs the checks: which apply where, is their evidence there, what became of each.
 *
 * Absence of evidence is UNKNOWN, never OK. UNKNOWNs with one reason are told once for each node,
 * with the tables and checks it costs.
 */
#include "finding/finding.h"

#include <stdlib.h>
#include <string.h>

#include "finding/thresholds.h"

/* One reason why checks could not be made on a node. */
struct gap {
	const struct node *node;
	const char *reason, *action;
	VEC(const struct check *) checks;
	VEC(const struct table *) tables;
};

struct runner {
	struct arena *a;
	const struct cluster *c;
	const struct run_checks_options *o;
	struct report *out;
	VEC(struct gap *) gaps;
};

static bool has_id(const char *const *list, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], id) == 0)
			return true;
	return false;
}

bool check_is_selected(const struct run_checks_options *o, const struct check *c)
{
	if (o->only.n && !has_id(o->only.v, o->only.n, c->id))
		return false;
	if (has_id(o->skip.v, o->skip.n, c->id))
		return false;
	return !o->class_set || o->cls == c->cls;
}

static void note_skipped(struct runner *r, const struct check *c, const struct table *t)
{
	*vec_add(r->a, &r->out->skipped) = (struct skipped_check){
		.check = c, .table = t ? t->full_name : NULL,
	};
}

/* Left out by the configuration, here or everywhere; then it is told as skipped. */
static bool is_left_out(struct runner *r, const struct check *c, const struct table *t)
{
	bool everywhere = check_is_accepted(r->o, c, NULL);

	if (!everywhere && !(t && check_is_accepted(r->o, c, t)))
		return false;
	note_skipped(r, c, everywhere ? NULL : t);
	return true;
}

/* ---- gaps ---- */

static bool gap_has_check(const struct gap *g, const struct check *c)
{
	for (size_t i = 0; i < g->checks.n; i++)
		if (g->checks.v[i] == c)
			return true;
	return false;
}

static void add_gap(struct runner *r, const struct check_ctx *ctx, const char *reason,
		    const char *action)
{
	struct gap *g = NULL;

	for (size_t i = r->gaps.n; i > 0 && !g; i--)
		if (r->gaps.v[i - 1]->node == ctx->node &&
		    !strcmp(r->gaps.v[i - 1]->reason, reason))
			g = r->gaps.v[i - 1];
	if (!g) {
		g = arena_alloc(r->a, sizeof(*g));
		*g = (struct gap){ .node = ctx->node, .reason = reason, .action = action };
		*vec_add(r->a, &r->gaps) = g;
	}
	if (!gap_has_check(g, ctx->check))
		*vec_add(r->a, &g->checks) = ctx->check;
	if (ctx->table && (!g->tables.n || g->tables.v[g->tables.n - 1] != ctx->table))
		*vec_add(r->a, &g->tables) = ctx->table;
}

static const char *error_of(const struct node *n, unsigned kinds, const char *subject)
{
	for (size_t i = 0; i < n->evidence.n; i++) {
		const struct evidence_record *e = &n->evidence.v[i];

		if ((e->kind & kinds) && e->error &&
		    (!e->subject || !subject || strcmp(e->subject, subject) == 0))
			return e->error;
	}
	return NULL;
}

/* "tablestats: could not be read: <error>", or that it is not there. */
static const char *missing_text(struct runner *r, const struct node *n, unsigned kinds,
				const char *subject, const char *what)
{
	const char *error = n ? error_of(n, kinds, subject) : NULL;

	if (error)
		return arena_printf(r->a, "%s failed: %s", what, error);
	return arena_printf(r->a, "%s is not in the evidence", what);
}

/*
 * tablestats counts more SSTables than were found. Beside a listing a few may have been compacted
 * or dropped meanwhile; without one, each that is missing may be the one that blocks.
 */
static bool counted_more(const struct table *t)
{
	int64_t count = t->stats && t->stats->sstable_count.known ? t->stats->sstable_count.v : 0;
	int64_t found = (int64_t)t->n_sstables;

	return t->listed ? count > found + 2 + count / 10 : t->n_sstables && count > found;
}

/* Nothing on disk, as far as a listing or tablestats tells. */
static bool is_empty(const struct table *t)
{
	if (t->n_sstables || counted_more(t))
		return false;
	return t->listed ||
	       (t->stats && t->stats->sstable_count.known && !t->stats->sstable_count.v);
}

static const char *first_unusable(struct runner *r, const struct table *t, const struct check *c)
{
	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];

		if (c->timestamps_only ? !sstable_is_dated(s) : !s->usable)
			return arena_printf(r->a, "%s: %s", s->name,
					    s->meta->problem ? s->meta->problem
							     : "no metadata of it");
	}
	return "";
}

static size_t n_undated(const struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_sstables; i++)
		n += !sstable_is_dated(t->sstables[i]);
	return n;
}

/* Why the metadata of a table does not cover it; NULL when it does. */
static const char *metadata_gap(struct runner *r, const struct table *t, const struct check *c)
{
	size_t n_unusable = c->timestamps_only ? n_undated(t) : t->n_unusable;
	const struct node *n = t->node;
	bool native = t->evidence & EV_STATISTICS_DB;
	unsigned kind = native ? EV_STATISTICS_DB : EV_SSTABLEMETADATA;

	if (is_empty(t))
		return NULL;
	if (!(t->evidence & EV_METADATA) && !t->listed)
		return missing_text(r, n, EV_METADATA | EV_LISTING, t->full_name,
				    "SSTable metadata");
	if (!(t->evidence & EV_METADATA))
		return missing_text(r, n, EV_METADATA, t->full_name, "SSTable metadata");
	if (n_unusable)
		return arena_printf(r->a, "%zu of %zu SSTables of %s without usable metadata (%s)",
				    n_unusable, t->n_sstables, t->full_name,
				    first_unusable(r, t, c));
	if (t->evidence_failed & EV_LISTING)
		return missing_text(r, n, EV_LISTING, t->full_name, "the listing of SSTables");
	if (!t->listed && (t->evidence_failed & kind))
		return missing_text(r, n, kind, t->full_name, "SSTable metadata");
	if (counted_more(t))
		return arena_printf(
			r->a, "%zu SSTables of %s were read, tablestats counts %lld",
			t->n_sstables, t->full_name, (long long)t->stats->sstable_count.v);
	return NULL;
}

/* NULL when strategy, window and gc_grace are known well enough to judge by. */
static const char *settings_gap(struct runner *r, const struct table *t)
{
	if (t->settings.origin == SETTINGS_SCHEMA && t->settings.strategy)
		return t->settings.twcs && !t->settings.window_s.known
			       ? arena_printf(
					 r->a,
					 "the window of %s is not known: its options could not "
					 "be read",
					 t->full_name)
			       : NULL;
	if (t->settings.origin == SETTINGS_CONFIGURATION)
		return NULL;
	if (t->settings.origin == SETTINGS_SCHEMA)
		return missing_text(r, t->node, EV_SCHEMA, NULL, "the table's part of the schema");
	return r->c->schema.source ? "the table is not in the schema"
				   : missing_text(r, t->node, EV_SCHEMA, NULL, "the schema");
}

/* ---- one check ---- */

static enum severity worse_of(enum severity x, enum severity y)
{
	return x > y ? x : y;
}

static enum severity run_part(struct runner *r, struct check_ctx *ctx,
			      void (*run)(const struct check_ctx *, struct findings *))
{
	size_t before = r->out->findings.list.n;
	enum severity worst = SEV_OK;

	r->out->findings.gap = NULL;
	run(ctx, &r->out->findings);
	if (r->out->findings.gap) {
		add_gap(r, ctx, r->out->findings.gap, NULL);
		worst = SEV_UNKNOWN;
	}
	for (size_t i = before; i < r->out->findings.list.n; i++)
		finding_silence(r->o, r->out->now_s, &r->out->findings, r->out->findings.list.v[i]);
	for (size_t i = before; i < r->out->findings.list.n; i++)
		if (r->out->findings.list.v[i]->severity > worst)
			worst = r->out->findings.list.v[i]->severity;
	return worst;
}

static enum severity run_one(struct runner *r, struct check_ctx *ctx)
{
	return run_part(r, ctx, ctx->check->run);
}

static void add_result(struct runner *r, const struct check_ctx *ctx, enum severity s)
{
	*vec_add(r->a, &r->out->results) = (struct check_result){
		.check = ctx->check, .node = ctx->node, .table = ctx->table, .severity = s,
	};
}

/*
 * The command ended badly: what it printed may be less than the truth. A text that was cut off
 * later is another matter, its parser says what can be believed.
 */
static bool command_failed(const struct node *n, enum evidence_kind kind)
{
	for (size_t i = 0; i < n->commands.n; i++) {
		const struct command *c = n->commands.v[i];

		if (c->kind && strcmp(c->kind, evidence_kind_name(kind)) == 0 &&
		    (c->signal || (c->exit_status.known && c->exit_status.v != 0)))
			return true;
	}
	return false;
}

static const char *node_gap(struct runner *r, const struct check_ctx *ctx)
{
	unsigned needs = ctx->check->needs;

	for (unsigned bit = 1; bit && bit <= needs; bit <<= 1)
		if ((needs & bit) &&
		    (!(ctx->node->have & bit) ||
		     command_failed(ctx->node, (enum evidence_kind)bit)))
			return missing_text(r, ctx->node, bit, NULL,
					    evidence_kind_name((enum evidence_kind)bit));
	return NULL;
}

static bool has_any(const struct table *t, unsigned kinds)
{
	if ((kinds & EV_METADATA) && t->n_sstables > t->n_unusable)
		return true;
	if ((kinds & EV_TABLEHISTOGRAMS) && t->histograms)
		return true;
	return (kinds & EV_TABLESTATS) && t->stats;
}

/* "tablehistograms, tablestats or SSTable metadata": none of it is there for the table. */
static const char *any_gap(struct runner *r, const struct table *t, unsigned kinds)
{
	const char *list = "", *error = NULL;
	unsigned n = 0;

	if (has_any(t, kinds) || is_empty(t))
		return NULL;
	for (unsigned bit = 1; bit && bit <= kinds; bit <<= 1) {
		if (!(kinds & bit) || bit == EV_STATISTICS_DB)
			continue;
		list = arena_printf(r->a, "%s%s%s", list, n++ ? " or " : "",
				    bit == EV_SSTABLEMETADATA
					    ? "SSTable metadata"
					    : evidence_kind_name((enum evidence_kind)bit));
	}
	error = error_of(t->node, kinds, t->full_name);
	if (error)
		return arena_printf(r->a, "%s failed: %s", list, error);
	return arena_printf(r->a, "%s is not in the evidence", list);
}

static const char hint_settings[] =
	"save the output of cqlsh -e \"DESCRIBE SCHEMA\" of any node as schema.cql in the "
	"evidence, or "
	"give window, ttl and gc_grace of the table in the configuration";
static const char hint_metadata[] =
	"see which command failed; sstablemetadata needs read access to the data directory";

static void run_table_check(struct runner *r, struct check_ctx *ctx)
{
	const struct table *t = ctx->table;
	const struct check *c = ctx->check;
	const char *settings = c->tables == TABLES_TWCS || (c->needs & EV_SCHEMA)
				       ? settings_gap(r, t) : NULL;
	const char *metadata = c->needs & EV_METADATA ? metadata_gap(r, t, c) : NULL;
	const char *any = c->needs_any ? any_gap(r, t, c->needs_any) : NULL;
	enum severity s = SEV_OK;

	if (t->settings.strategy && !t->settings.twcs &&
	    (c->tables == TABLES_TWCS || (c->tables == TABLES_UNLESS_OTHER && !t->named)))
		return;
	if (((c->needs & EV_METADATA) || c->needs_any) && is_empty(t))
		return;
	if (!settings && c->applies && !c->applies(ctx))
		return;
	thresholds_fill(r->a, r->o, ctx);
	if (!settings && !any && (!metadata || t->n_sstables))
		s = run_one(r, ctx);
	if ((settings || metadata) && c->fallback && s < SEV_WARNING)
		s = worse_of(s, run_part(r, ctx, c->fallback));
	if (settings)
		add_gap(r, ctx, settings, hint_settings);
	else if (metadata)
		add_gap(r, ctx, metadata, hint_metadata);
	else if (any)
		add_gap(r, ctx, any, NULL);
	else if (c->tables == TABLES_TWCS && (c->needs & EV_METADATA) && t->not_analysed)
		add_gap(r, ctx, t->not_analysed, NULL);
	else
		goto done;
	if (s < SEV_UNKNOWN)
		s = SEV_UNKNOWN;
done:
	add_result(r, ctx, s);
}

static enum severity worst(enum severity x, enum severity y)
{
	return x > y ? x : y;
}

static enum severity s_of_gap(const char *gap)
{
	return gap ? SEV_UNKNOWN : SEV_OK;
}

static void run_node_check(struct runner *r, struct check_ctx *ctx)
{
	const char *gap = node_gap(r, ctx);
	enum severity s = SEV_UNKNOWN;

	if (ctx->check->applies && !ctx->check->applies(ctx))
		return;
	thresholds_fill(r->a, r->o, ctx);
	if (gap)
		add_gap(r, ctx, gap, NULL);
	/* What a failed command printed may still show something worse. */
	if (!gap || (ctx->node->have & ctx->check->needs) == ctx->check->needs)
		s = worst(s_of_gap(gap), run_one(r, ctx));
	add_result(r, ctx, s);
}

/* Older evidence than --max-age says nothing about now: every check is UNKNOWN. */
const char *evidence_too_old(struct arena *a, const struct run_checks_options *o,
			     const struct node *n)
{
	struct opt_i64 taken = n->now_s.known ? n->now_s : n->newest_mtime_s;
	int64_t now = o->wall_clock_s, age;

	if (!o->max_age_s.known)
		return NULL;
	if (!taken.known)
		return "the age of the evidence is not known";
	age = sub_saturated(now, taken.v);
	if (age <= o->max_age_s.v)
		return NULL;
	return arena_printf(a, "the evidence is %s old, more than %s",
			    num_format_duration(a, age),
			    num_format_duration(a, o->max_age_s.v));
}

/* One reason for which no table of a node could be checked, for every check of tables. */
static void add_gap_of_tables(struct runner *r, const struct node *n, const char *reason)
{
	struct check_ctx ctx = { .arena = r->a, .cluster = r->c, .node = n };

	for (size_t k = 0; check_table[k]; k++) {
		ctx.check = check_table[k];
		if (ctx.check->scope == SCOPE_TABLE && check_is_selected(r->o, ctx.check) &&
		    !check_is_accepted(r->o, ctx.check, NULL))
			add_gap(r, &ctx, reason, NULL);
	}
}

/*
 * A node without any table: what should have told of them failed, or nothing was there. Looking at
 * nothing is not health.
 */
static void run_without_tables(struct runner *r, const struct node *n)
{
	const unsigned kinds = EV_TABLESTATS | EV_TABLEHISTOGRAMS | EV_LISTING |
			       EV_METADATA | EV_EXPIREDBLOCKERS | EV_LOOSE;
	bool failed = false;

	for (size_t i = 0; i < n->evidence.n; i++) {
		const struct evidence_record *e = &n->evidence.v[i];

		if (!(e->kind & kinds) || !e->error)
			continue;
		failed = true;
		add_gap_of_tables(r, n, arena_printf(r->a, "%s could not be read: %s",
						     evidence_kind_name(e->kind), e->error));
	}
	if (!failed && !(n->have & kinds))
		add_gap_of_tables(r, n, "nothing in the evidence tells of a table");
}

/* Nothing of the node was had, and for one reason: that is told, and once. NULL = it is not so. */
static const char *why_unread(const struct node *n)
{
	const char *error = NULL;

	if (n->have & ~(unsigned)(EV_NODE | EV_BUNDLE))
		return NULL;
	for (size_t i = 0; i < n->evidence.n; i++) {
		const struct evidence_record *e = &n->evidence.v[i];

		if (e->error && error && strcmp(e->error, error) != 0)
			return NULL;
		error = e->error ? e->error : error;
	}
	return error;
}

static void run_on_node(struct runner *r, const struct node *n)
{
	struct check_ctx ctx = { .arena = r->a, .cluster = r->c, .node = n };
	const char *unread = why_unread(n), *hint = unread ? NULL : "collect it again";
	const char *old = unread ? unread : evidence_too_old(r->a, r->o, n);

	for (size_t k = 0; check_table[k]; k++) {
		ctx.check = check_table[k];
		if (ctx.check->scope != SCOPE_NODE || !check_is_selected(r->o, ctx.check) ||
		    is_left_out(r, ctx.check, NULL))
			continue;
		if (old) {
			add_gap(r, &ctx, old, hint);
			add_result(r, &ctx, SEV_UNKNOWN);
		} else {
			run_node_check(r, &ctx);
		}
	}
	if (!n->n_tables && unread)
		add_gap_of_tables(r, n, unread);
	else if (!n->n_tables && !old)
		run_without_tables(r, n);
	for (size_t i = 0; i < n->n_tables; i++) {
		ctx.table = n->tables[i];
		for (size_t k = 0; check_table[k]; k++) {
			ctx.check = check_table[k];
			if (ctx.check->scope != SCOPE_TABLE ||
			    !check_is_selected(r->o, ctx.check) ||
			    is_left_out(r, ctx.check, ctx.table))
				continue;
			if (old) {
				add_gap(r, &ctx, old, hint);
				add_result(r, &ctx, SEV_UNKNOWN);
			} else {
				run_table_check(r, &ctx);
			}
		}
	}
}

/* Of the first node that is too old; NULL = none is. */
static const char *cluster_too_old(struct runner *r)
{
	const char *old = NULL;

	for (size_t i = 0; i < r->c->nodes.n && !old; i++)
		old = evidence_too_old(r->a, r->o, r->c->nodes.v[i]);
	return old;
}

static void run_on_cluster(struct runner *r)
{
	struct check_ctx ctx = { .arena = r->a, .cluster = r->c };
	const char *old = cluster_too_old(r);

	for (size_t k = 0; check_table[k]; k++) {
		ctx.check = check_table[k];
		if (ctx.check->scope != SCOPE_CLUSTER || !check_is_selected(r->o, ctx.check) ||
		    is_left_out(r, ctx.check, NULL))
			continue;
		if (ctx.check->applies && !ctx.check->applies(&ctx))
			continue;
		if (old) {
			add_gap(r, &ctx, old, "collect it again");
			add_result(r, &ctx, SEV_UNKNOWN);
			continue;
		}
		thresholds_fill(r->a, r->o, &ctx);
		add_result(r, &ctx, run_one(r, &ctx));
	}
}

/* ---- after the run ---- */

static const char *name_list(struct runner *r, const struct gap *g)
{
	const char *list = "";
	size_t n = g->tables.n < 10 ? g->tables.n : 10;

	for (size_t i = 0; i < n; i++)
		list = arena_printf(r->a, "%s%s%s", list, i ? ", " : "", g->tables.v[i]->full_name);
	if (n < g->tables.n)
		list = arena_printf(r->a, "%s and %zu more", list, g->tables.n - n);
	return list;
}

/* What the caller told. */
static void tell_known_gaps(struct runner *r)
{
	const struct check_ctx ctx = { .check = NULL };

	for (size_t i = 0; i < r->o->gaps.n; i++) {
		struct finding *f = finding_add(&ctx, &r->out->findings, SEV_UNKNOWN, "%s",
						r->o->gaps.v[i].reason);

		f->missing_evidence = true;
		f->action = r->o->gaps.v[i].action;
	}
}

/* One UNKNOWN finding for each gap. */
static void tell_gaps(struct runner *r)
{
	for (size_t i = 0; i < r->gaps.n; i++) {
		const struct gap *g = r->gaps.v[i];
		struct check_ctx ctx = { .check = g->checks.v[0], .node = g->node };
		const char *checks = "";
		struct finding *f;

		if (g->tables.n == 1)
			ctx.table = g->tables.v[0];
		if (g->tables.n)
			f = finding_add(&ctx, &r->out->findings, SEV_UNKNOWN, "%s: %s not judged",
					g->reason, name_list(r, g));
		else
			f = finding_add(&ctx, &r->out->findings, SEV_UNKNOWN, "%s", g->reason);
		f->missing_evidence = true;
		if (g->tables.n > 1)
			f->brief = arena_printf(r->a, "%s: %zu tables not judged", g->reason,
						g->tables.n);
		for (size_t k = 0; k < g->checks.n; k++)
			checks = arena_printf(r->a, "%s%s%s", checks, k ? ", " : "",
					      g->checks.v[k]->id);
		finding_detail(&r->out->findings, f, "checks not made: %s", checks);
		for (size_t k = 10; k < g->tables.n; k++)
			finding_detail(&r->out->findings, f, "also %s", g->tables.v[k]->full_name);
		if (g->action)
			f->action = g->action;
	}
}

static size_t check_order(const struct check *c)
{
	size_t i = 0;

	while (check_table[i] && check_table[i] != c)
		i++;
	return i;
}

static int cmp_names(const char *p, const char *q)
{
	return strcmp(p ? p : "", q ? q : "");
}

/* Worst first, then node, table, window, check. */
static int by_rank(const void *x, const void *y)
{
	const struct finding *p = *(struct finding *const *)x, *q = *(struct finding *const *)y;
	int64_t pw = p->window ? p->window->start_s : INT64_MIN;
	int64_t qw = q->window ? q->window->start_s : INT64_MIN;
	int c = (int)q->severity - (int)p->severity;

	if (!c)
		c = cmp_names(p->node ? p->node->name : NULL, q->node ? q->node->name : NULL);
	if (!c)
		c = cmp_names(p->table ? p->table->full_name : NULL,
			      q->table ? q->table->full_name : NULL);
	if (!c)
		c = (pw > qw) - (pw < qw);
	if (!c)
		c = (check_order(p->check) > check_order(q->check)) -
		    (check_order(p->check) < check_order(q->check));
	return c ? c : strcmp(p->summary, q->summary);
}

static int by_skipped(const void *x, const void *y)
{
	const struct skipped_check *p = x, *q = y;
	size_t pc = check_order(p->check), qc = check_order(q->check);

	return pc != qc ? (pc > qc) - (pc < qc) : cmp_names(p->table, q->table);
}

/* Each check and table once: they were noted on every node. */
static void sort_skipped(struct report *out)
{
	size_t n = 0;

	if (out->skipped.n)
		qsort(out->skipped.v, out->skipped.n, sizeof(*out->skipped.v), by_skipped);
	for (size_t i = 0; i < out->skipped.n; i++)
		if (i == 0 || by_skipped(&out->skipped.v[i], &out->skipped.v[n - 1]) != 0)
			out->skipped.v[n++] = out->skipped.v[i];
	out->skipped.n = n;
}

/* The latest of the nodes' clocks; this machine's when none was told. */
static void set_clock(struct runner *r)
{
	bool told = false;

	r->out->now_s = r->o->wall_clock_s;
	r->out->now_from = "this machine";
	for (size_t i = 0; i < r->c->nodes.n; i++) {
		const struct node *n = r->c->nodes.v[i];

		if (!n->clock_from || (told && n->clock_s <= r->out->now_s))
			continue;
		told = true;
		r->out->now_s = n->clock_s;
		r->out->now_from = n->clock_from;
	}
}

void run_checks(struct arena *a, const struct cluster *c, const struct run_checks_options *o,
		struct report *out)
{
	struct runner r = { .a = a, .c = c, .o = o, .out = out };

	out->cluster = c;
	out->findings.arena = a;
	set_clock(&r);
	for (size_t i = 0; i < c->nodes.n; i++)
		run_on_node(&r, c->nodes.v[i]);
	run_on_cluster(&r);
	tell_gaps(&r);
	tell_known_gaps(&r);
	sort_skipped(out);
	if (out->findings.list.n)
		qsort(out->findings.list.v, out->findings.list.n, sizeof(*out->findings.list.v),
		      by_rank);
	for (size_t i = 0; i < out->findings.list.n; i++)
		if (out->findings.list.v[i]->severity > out->worst)
			out->worst = out->findings.list.v[i]->severity;
}
