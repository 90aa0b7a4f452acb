/*
 * Line 1 of the plugin's output: what lists, text messages and dashboards show.
 *
 * "TWCS CRITICAL - metrics.readings on 3 nodes: 5 expired windows (30.8 KiB) held by nb-18-big
 * (late-write), 9 more". Number, object and culprit have to fit: the words that can be spared go
 * first, the end of the line is cut only when nothing else helps.
 */
#include "render/nagios.h"

#include <stdlib.h>
#include <string.h>

/* One try: how much of the object and of the fact is told. */
struct form { bool nodes; unsigned level; };

/* An SSTable's name says little without its node: the node goes late, the date of the end last. */
static const struct form forms[] = {
	{ true, 0 }, { true, 1 }, { true, 2 }, { true, 3 }, { true, 4 }, { false, 3 }, { false, 4 },
	{ false, 5 },
};

/* What else is wrong: ", 9 more findings", or shorter ", 9 more". */
static const char *more_words(struct alert *al, bool brief)
{
	size_t n = al->n_bad - 1;

	if (!n)
		return "";
	return arena_printf(al->a, ", %zu more%s", n,
			    brief ? "" : n == 1 ? " finding" : " findings");
}

static const char *compose(struct alert *al, const struct alert_entry *e, struct form form,
			   const char *more)
{
	const struct finding *f = e->worst;
	const char *object = alert_object(al, e, form.nodes), *fact = f->summary;

	if (form.level && f->brief)
		fact = f->brief;
	fact = alert_shorten(al->a, alert_fact(al->a, f, fact, object), form.level);
	return alert_clean(al->a,
			   arena_printf(al->a, "TWCS %s - %s%s%s%s", alert_state(f->severity),
					object, *object ? ": " : "", fact, more),
			   true);
}

/* A name of any length must not push out what is wrong: only its start is shown. */
static const char *cut_to_fit(struct alert *al, const struct alert_entry *e, const char *more)
{
	const struct finding *f = e->worst;
	const char *object = alert_clean(al->a, alert_object(al, e, false), true);
	const char *fact = alert_fact(al->a, f, f->brief ? f->brief : f->summary, object);
	const char *start;
	size_t used;

	fact = alert_clean(al->a, alert_shorten(al->a, fact, FACT_LEVELS - 1), true);
	used = strlen(fact) + strlen(more) + strlen("TWCS CRITICAL - : ");
	object = alert_cut(al->a, object, used + 40 < ALERT_LINE_MAX ? ALERT_LINE_MAX - used : 40);
	start = arena_printf(al->a, "TWCS %s - %s%s%s", alert_state(f->severity), object,
			     *object ? ": " : "", fact);
	return arena_printf(al->a, "%s%s", alert_cut(al->a, start, ALERT_LINE_MAX - strlen(more)),
			    more);
}

static const char *bad_line(struct alert *al)
{
	const struct alert_entry *e = &al->entries[0];
	const char *line = compose(al, e, forms[0], more_words(al, false));

	for (size_t i = 0; i < 2 * ARRAY_LEN(forms) && strlen(line) > ALERT_LINE_MAX; i++)
		line = compose(al, e, forms[i / 2], more_words(al, i % 2 == 1));
	return strlen(line) > ALERT_LINE_MAX ? cut_to_fit(al, e, more_words(al, true)) : line;
}

/* ---- nothing is wrong ---- */

struct seen {
	const char *name;	/* of the first table */
	const char *node;	/* of the first node */
	size_t tables, nodes;	/* different tables; nodes */
	struct opt_i64 sstables, bytes, held;
	bool late;		/* something is held longer than is normal, and accepted */
};

struct names { VEC(const char *) list; };

static void add_value(struct opt_i64 *sum, struct opt_i64 v)
{
	sum->known = sum->known && v.known;
	sum->v = add_saturated(sum->v, v.known ? v.v : 0);
}

static int by_name(const void *px, const void *py)
{
	return strcmp(*(const char *const *)px, *(const char *const *)py);
}

/* Names that differ: a table has an entry for each node. */
static size_t count_names(struct names *names)
{
	size_t n = 0;

	if (names->list.n)
		qsort(names->list.v, names->list.n, sizeof(*names->list.v), by_name);
	for (size_t i = 0; i < names->list.n; i++)
		n += i == 0 || strcmp(names->list.v[i], names->list.v[i - 1]) != 0;
	return n;
}

static void look_at_table(struct seen *s, const struct table *t)
{
	/* Of other tables the performance data tells nothing either. */
	if (t->settings.strategy && !t->settings.twcs && !t->named)
		return;
	add_value(&s->sstables, table_sstable_count(t));
	add_value(&s->bytes, table_total_bytes(t));
	if (t->analysed)
		add_value(&s->held, table_held_bytes(t));
	for (size_t i = 0; i < t->n_sstables; i++)
		s->late = s->late ||
			  (t->sstables[i]->state == SST_BLOCKED && t->sstables[i]->too_late);
}

static struct seen look(struct alert *al)
{
	const struct cluster *c = al->report->cluster;
	struct result_index ix = result_index_build(al->a, al->report);
	struct seen s = { .sstables = some_i64(0), .bytes = some_i64(0), .held = some_i64(0) };
	struct names names = { .list = { 0 } };

	s.nodes = c->nodes.n;
	s.node = c->nodes.n ? c->nodes.v[0]->name : "nothing";
	for (size_t i = 0; i < c->nodes.n; i++) {
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++) {
			const struct table *t = c->nodes.v[i]->tables[k];
			size_t n;

			result_index_find(&ix, c->nodes.v[i], t, &n);
			if (!n)
				continue;
			s.name = s.name ? s.name : t->full_name;
			*vec_add(al->a, &names.list) = t->full_name;
			look_at_table(&s, t);
		}
	}
	s.tables = count_names(&names);
	return s;
}

/* "2 notes", "1 silenced": what -v would tell. */
static const char *notes_words(struct alert *al)
{
	size_t notes = 0, silenced = 0;
	const char *text = "";

	for (size_t i = 0; i < al->n_entries; i++) {
		silenced += al->entries[i].members[0]->silenced != NULL;
		notes += al->entries[i].members[0]->silenced == NULL;
	}
	if (silenced)
		text = arena_printf(al->a, ", %zu finding%s "
					   "silenced", silenced, silenced == 1 ? "" : "s");
	if (notes)
		text = arena_printf(al->a, "%s, %zu note%s", text, notes, notes == 1 ? "" : "s");
	return text;
}

/* Only what was looked at: a run of the design checks says nothing of what is held. */
static const char *held_words(struct alert *al, const struct seen *s)
{
	const char *size = num_format_size(al->a, s->held.v);

	if (!alert_made(al->report, "blocked-windows"))
		return "";
	if (!s->held.known)
		return ", held bytes not known";
	if (s->late)
		return arena_printf(al->a, ", %s held past expiry", size);
	if (s->held.v)
		return arena_printf(al->a, ", %s held within the normal delay", size);
	return ", nothing held past expiry";
}

static const char *fine_line(struct alert *al)
{
	struct seen s = look(al);
	const char *nodes = s.nodes == 1 ? s.node : arena_printf(al->a, "%zu nodes", s.nodes);
	const char *what, *size = "", *line;

	if (s.sstables.known && s.bytes.known)
		size = arena_printf(al->a, ": %lld SSTables, %s", (long long)s.sstables.v,
				    num_format_size(al->a, s.bytes.v));
	if (!s.tables)
		what = arena_printf(al->a, "%s fine, no table was checked", nodes);
	else if (s.tables == 1)
		what = arena_printf(al->a, "%s on %s%s%s", s.name, nodes, size, held_words(al, &s));
	else
		what = arena_printf(al->a, "%zu tables on %s%s%s", s.tables, nodes, size,
				    held_words(al, &s));
	line = arena_printf(al->a, "TWCS OK - %s%s", what, notes_words(al));
	return alert_cut(al->a, alert_clean(al->a, line, true), ALERT_LINE_MAX);
}

const char *alert_line(struct alert *al)
{
	if (al->n_bad)
		return bad_line(al);
	if (al->report->worst == SEV_OK)
		return fine_line(al);
	/* The word must be that of the exit status. */
	return arena_printf(al->a, "TWCS %s - nothing could be judged",
			    alert_state(al->report->worst));
}
