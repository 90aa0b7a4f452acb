/*
 * Performance data: the same labels on every run, whatever state the run ends in.
 *
 * Labels follow from the arguments and the configuration alone (render_options.perf_tables), are
 * made of [A-Za-z0-9_.-], and what could not be determined is "U". Over several nodes counts and
 * bytes are sums, partition sizes and pending tasks the largest; a total with an unknown part is
 * unknown. Thresholds stand only at a value that they are compared with.
 */
#include "render/nagios.h"

#include <math.h>
#include <string.h>

#include "finding/thresholds.h"
#include "model/sizes.h"

enum { MOST_PENDING = 100000 };		/* more is an implausible number: not a value */
static const double most_partition_bytes = 10e12;

struct perf {
	struct arena *a;
	const struct report *report;	/* NULL = there is none: all unknown */
	const struct render_options *o;
	const char *text;
};

/* A value over nodes and tables. */
struct total {
	bool largest;		/* else the sum */
	bool unknown;
	double value;
	size_t n;
};

static void total_add(struct total *t, struct opt_f64 v)
{
	t->n++;
	t->unknown = t->unknown || !v.known;
	if (!v.known)
		return;
	if (!t->largest)
		t->value += v.v;
	else if (v.v > t->value)
		t->value = v.v;
}

static struct opt_f64 as_f64(struct opt_i64 v)
{
	return (struct opt_f64){ .v = (double)v.v, .known = v.known };
}

/* ---- one item ---- */

/* "12.5"; NULL when it has too many digits for a graph. */
static const char *number(struct arena *a, double v)
{
	char *text;
	size_t n;

	if (!(fabs(v) < 1e15))
		return NULL;
	text = arena_printf(a, v == floor(v) ? "%.0f" : "%.6f", v + 0.0);
	n = strlen(text);
	if (strchr(text, '.'))
		while (text[n - 1] == '0')
			text[--n] = '\0';
	return strcmp(text, "-0") == 0 ? "0" : text;
}

/* A range without units, as simple as it can be: a plain N when it is 0:N. */
static const char *range_text(struct arena *a, const struct range *r)
{
	const char *start = isinf(r->start) ? "~" : number(a, r->start);
	const char *end = isinf(r->end) ? "" : number(a, r->end);

	if (!r->text || !start || !end || (!r->inside && isinf(r->start) && isinf(r->end)))
		return "";
	if (!r->inside && r->start == 0 && *end)
		return end;
	return arena_printf(a, "%s%s:%s", r->inside ? "@" : "", start, end);
}

/* A sum is over 0 when one of its parts is: of a sum no other threshold says anything. */
static bool stands(const struct range *r, const struct total *t)
{
	return t->largest || t->n < 2 || (r->start == 0 && r->end == 0 && !r->inside);
}

static void add_item(struct perf *p, const char *label, const struct total *t, const char *unit,
		     const struct threshold *limits)
{
	const char *value = p->report && !t->unknown ? number(p->a, t->value) : NULL;
	const char *warn = "", *crit = "";

	if (limits && stands(&limits->warn, t))
		warn = range_text(p->a, &limits->warn);
	if (limits && stands(&limits->crit, t))
		crit = range_text(p->a, &limits->crit);
	p->text = arena_printf(p->a, "%s%s%s=%s%s%s%s%s%s", p->text, *p->text ? " " : "", label,
			       value ? value : "U", value ? unit : "", *warn || *crit ? ";" : "",
			       warn, *crit ? ";" : "", crit);
}

/* ---- thresholds ---- */

/* Some table has thresholds of its own. */
static bool differs_by_table(const struct run_checks_options *o, const char *check)
{
	for (size_t i = 0; i < o->overrides.n; i++)
		if (o->overrides.v[i].table && strcmp(o->overrides.v[i].check, check) == 0)
			return true;
	return false;
}

/* Of the first parameter of a check; false when it was not made or has none for all of it. */
static bool find_threshold(struct perf *p, const char *check, const char *table,
			   struct threshold *out)
{
	static const struct run_checks_options defaults;
	const struct run_checks_options *o = p->o->checks ? p->o->checks : &defaults;
	struct table stub = { .full_name = table };
	struct check_ctx ctx = { .arena = p->a, .check = check_find(check),
				 .table = table ? &stub : NULL };

	if (!p->report || !ctx.check || !alert_made(p->report, check) ||
	    (!table && differs_by_table(o, check)))
		return false;
	thresholds_fill(p->a, o, &ctx);
	*out = ctx.thresholds[0];
	return true;
}

/* ---- a table's values ---- */

static bool is_on_twcs(const struct table *t)
{
	return t->settings.twcs || !t->settings.strategy;
}

static bool is_empty(const struct table *t)
{
	return !t->n_sstables && (t->listed || (t->stats && t->stats->sstable_count.known &&
						!t->stats->sstable_count.v));
}

/* Everything that says which windows are held was read. */
static bool is_whole(const struct table *t)
{
	if (is_empty(t))
		return true;
	return t->analysed && !t->n_unusable && t->n_sstables &&
	       !(t->evidence_failed & EV_LISTING) &&
	       (t->listed || !(t->evidence_failed & EV_METADATA));
}

/* Windows with something that waits longer than is normal: what blocked-windows counts. */
static size_t count_blocked(const struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_windows; i++) {
		const struct window *w = &t->windows[i];
		bool held = false;

		for (size_t k = 0; k < w->n_sstables && !held; k++)
			held = w->sstables[k]->state == SST_BLOCKED && w->sstables[k]->too_late;
		n += held;
	}
	return n;
}

static struct opt_f64 blocked_windows(const struct table *t)
{
	if (is_on_twcs(t) && !is_whole(t))
		return (struct opt_f64){ .known = false };
	return some_f64((double)count_blocked(t));
}

static struct opt_f64 held_bytes(const struct table *t)
{
	if (!is_on_twcs(t) || is_empty(t))
		return some_f64(0);
	return is_whole(t) ? as_f64(table_held_bytes(t)) : (struct opt_f64){ .known = false };
}

static struct opt_f64 sstables(const struct table *t)
{
	return as_f64(table_sstable_count(t));
}

static struct opt_f64 max_partition(const struct table *t)
{
	struct interval v = { .known = true };

	if (!is_empty(t))
		v = table_largest_partition(t, NULL);
	return (struct opt_f64){ .v = v.high, .known = v.known && v.high <= most_partition_bytes };
}

static const struct {
	const char *name, *unit;
	const char *check;		/* whose first parameter the value is compared with */
	struct opt_f64 (*of)(const struct table *);
	bool largest;
} values[] = {
	{ "blocked_windows", "", "blocked-windows", blocked_windows, false },
	{ "held_bytes", "B", NULL, held_bytes, false },
	{ "sstables", "", NULL, sstables, false },
	{ "max_partition_bytes", "B", NULL, max_partition, true },
};

/* ---- nodes ---- */

static bool is_stale(struct perf *p, const struct node *n)
{
	return p->o->checks && evidence_too_old(p->a, p->o->checks, n);
}

/* Nodes that were asked for and are not in the report at all. */
static size_t count_absent(const struct perf *p)
{
	size_t n = 0;

	for (size_t i = 0; p->o->checks && i < p->o->checks->gaps.n; i++)
		n += p->o->checks->gaps.v[i].is_node;
	return n;
}

static bool has_unknown(const struct report *r, const struct node *n)
{
	for (size_t i = 0; i < r->findings.list.n; i++)
		if (r->findings.list.v[i]->node == n &&
		    r->findings.list.v[i]->severity == SEV_UNKNOWN)
			return true;
	for (size_t i = 0; i < r->results.n; i++)
		if (r->results.v[i].node == n && r->results.v[i].severity == SEV_UNKNOWN)
			return true;
	return false;
}

/* A node of which no table is known, and nothing says that it has none. */
static bool knows_tables(const struct node *n)
{
	return n->n_tables || (n->have & EV_TABLESTATS);
}

/* Of one table by name, or with `table` NULL of all that are on TWCS or may be. */
static struct total table_total(struct perf *p, size_t value, const char *table)
{
	struct total t = { .largest = values[value].largest, .unknown = count_absent(p) > 0 };

	for (size_t i = 0; p->report && i < p->report->cluster->nodes.n; i++) {
		const struct node *n = p->report->cluster->nodes.v[i];
		bool stale = is_stale(p, n);

		for (size_t k = 0; k < n->n_tables; k++) {
			const struct table *x = n->tables[k];

			if (table ? strcmp(x->full_name, table) != 0 : !is_on_twcs(x))
				continue;
			total_add(&t,
				  stale ? (struct opt_f64){ .known = false } : values[value].of(x));
		}
		t.unknown = t.unknown || (!table && (stale || !knows_tables(n)));
	}
	/* Nothing to add up is nothing known, unless all was read and there is no such table. */
	t.unknown = t.unknown || (!t.n && (table || (p->o->checks && p->o->checks->gaps.n)));
	return t;
}

static struct total pending_tasks(struct perf *p)
{
	struct total t = { .largest = true, .unknown = count_absent(p) > 0 };

	for (size_t i = 0; p->report && i < p->report->cluster->nodes.n; i++) {
		const struct node *n = p->report->cluster->nodes.v[i];
		struct opt_i64 v = { .known = false };

		if (n->compactions && !is_stale(p, n))
			v = n->compactions->pending;
		v.known = v.known && v.v >= 0 && v.v <= MOST_PENDING;
		total_add(&t, as_f64(v));
	}
	return t;
}

static struct total nodes_unknown(struct perf *p)
{
	struct total t = { .value = (double)count_absent(p) };

	for (size_t i = 0; p->report && i < p->report->cluster->nodes.n; i++)
		t.value += has_unknown(p->report, p->report->cluster->nodes.v[i]);
	return t;
}

/* ---- labels ---- */

/* Bytes outside [A-Za-z0-9_.-] become '_', so that no quotes are needed. */
static const char *label_of(struct arena *a, const char *name)
{
	char *s = arena_strdup(a, name);

	for (char *c = s; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		      (*c >= '0' && *c <= '9') || *c == '_' || *c == '.' || *c == '-'))
			*c = '_';
	return *s ? s : "_";
}

/* The label of table i; a name that looks like an earlier one gets a number. */
static const char *table_label(struct perf *p, size_t i)
{
	const char *label = label_of(p->a, p->o->perf_tables[i]);
	size_t same = 0;

	for (size_t k = 0; k < i; k++)
		same += strcmp(label_of(p->a, p->o->perf_tables[k]), label) == 0;
	return same ? arena_printf(p->a, "%s_%zu", label, same + 1) : label;
}

/*
 * Whether the tables have labels of their own: by their number, and by the room that the longest
 * values would take of the output, so that labels never change with the values.
 */
static bool by_table(const struct render_options *o)
{
	/* Line 1 and the node's items; a table's four names with their signs; its values. */
	enum { FIXED = 180, NAMES = 64, VALUES = 90 };
	size_t room = o->max_output ? o->max_output : MAX_OUTPUT_DEFAULT, need = FIXED;

	for (size_t i = 0; i < o->n_perf_tables; i++)
		need += ARRAY_LEN(values) * strlen(o->perf_tables[i]) + NAMES + VALUES;
	return o->n_perf_tables && o->n_perf_tables <= PERF_TABLES_MAX && need <= room;
}

static void add_table(struct perf *p, const char *label, const char *table)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct total t = table_total(p, i, table);
		struct threshold limits;
		bool has = values[i].check && find_threshold(p, values[i].check, table, &limits);

		add_item(p, arena_printf(p->a, "%s.%s", label, values[i].name), &t, values[i].unit,
			 has ? &limits : NULL);
	}
}

const char *alert_perfdata(struct arena *a, const struct report *report,
			   const struct render_options *o)
{
	struct perf p = { .a = a, .report = report, .o = o, .text = "" };
	struct threshold limits;
	struct total t;

	if (report && !report->cluster->nodes.n)
		p.report = NULL;
	if (by_table(o))
		for (size_t i = 0; i < o->n_perf_tables; i++)
			add_table(&p, table_label(&p, i), o->perf_tables[i]);
	else
		add_table(&p, "all", NULL);
	t = pending_tasks(&p);
	add_item(&p, "pending_tasks", &t, "",
		 find_threshold(&p, "compaction-backlog", NULL, &limits) ? &limits : NULL);
	t = nodes_unknown(&p);
	add_item(&p, "nodes_unknown", &t, "", NULL);
	return p.text;
}
