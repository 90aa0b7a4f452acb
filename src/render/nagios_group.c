/* Findings put together as an alert tells them: the same trouble on many nodes once. */
#include "render/nagios.h"

#include <stdlib.h>
#include <string.h>

struct numbered {
	const struct finding *f;
	const char *subject;
	size_t check, at;
	size_t ordinal;		/* of the findings of one check about one table of a node */
};

bool alert_made(const struct report *r, const char *check)
{
	for (size_t i = 0; i < r->results.n; i++)
		if (strcmp(r->results.v[i].check->id, check) == 0)
			return true;
	return false;
}

static size_t check_position(const struct check *c)
{
	size_t i = 0;

	while (check_table[i] && check_table[i] != c)
		i++;
	return i;
}

/* What makes findings one entry: the table, the reason, or what is said without the node's name. */
static const char *subject_of(struct arena *a, const struct finding *f)
{
	const char *s = f->summary, *at;

	if (f->missing_evidence || !f->node)
		return s;
	if (f->table)
		return f->table->full_name;
	at = strstr(s, f->node->name);
	return at ? arena_printf(a, "%.*s%s", (int)(at - s), s, at + strlen(f->node->name)) : s;
}

/* What could not be got at all comes before everything of its severity, missing evidence last. */
static int tier(const struct finding *f)
{
	if (!f->missing_evidence)
		return 1;
	return f->check ? 2 : 0;
}

static int compare_kind(const struct numbered *x, const struct numbered *y)
{
	int c = (int)y->f->severity - (int)x->f->severity;

	if (!c)
		c = tier(x->f) - tier(y->f);
	if (!c && !x->f->missing_evidence)
		c = (x->check > y->check) - (x->check < y->check);
	if (!c)
		c = strcmp(x->subject, y->subject);
	return c ? c : (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* Findings of one check about one table stand side by side in a node's part of the report. */
static size_t ordinal_of(const struct numbered *before, const struct finding *f)
{
	const struct finding *p = before->f;

	if (p->check != f->check || p->node != f->node || p->table != f->table || !f->table ||
	    p->severity != f->severity || p->missing_evidence != f->missing_evidence)
		return 0;
	return before->ordinal + 1;
}

static int by_kind(const void *px, const void *py)
{
	const struct numbered *x = px, *y = py;
	int c = compare_kind(x, y);

	return c ? c : (x->at > y->at) - (x->at < y->at);
}

static int by_importance(const void *px, const void *py)
{
	const struct alert_entry *x = px, *y = py;
	const struct finding *p = x->members[0], *q = y->members[0];
	size_t pc = check_position(p->check), qc = check_position(q->check);
	int c = (int)q->severity - (int)p->severity;

	if (!c)
		c = tier(p) - tier(q);
	if (!c)
		c = (pc > qc) - (pc < qc);
	if (!c)
		c = (x->weight < y->weight) - (x->weight > y->weight);
	return c ? c : (x->first > y->first) - (x->first < y->first);
}

/* Bytes that a finding is about: its first metric in bytes. */
static double weight_of(const struct finding *f)
{
	for (size_t i = 0; i < f->metrics.n; i++)
		if (f->metrics.v[i].unit == UNIT_BYTES)
			return f->metrics.v[i].value;
	return 0;
}

static void add_member(struct arena *a, struct alert_entry *e, const struct finding *f)
{
	const char *said = f->table ? f->summary : subject_of(a, f);


	if (e->n == 0 || weight_of(f) > weight_of(e->worst))
		e->worst = f;
	if (f->node && (e->n == 0 || f->node != e->members[e->n - 1]->node))
		e->n_nodes++;
	if (e->n == 0)
		e->said = said;
	e->same = e->n == 0 || (e->same && strcmp(said, e->said) == 0);
	e->weight += weight_of(f);
	e->n++;
}

void alert_group(struct alert *al)
{
	const struct findings *all = &al->report->findings;
	size_t n = all->list.n;
	struct numbered *sorted = arena_array(al->a, n + 1, sizeof(*sorted));
	const struct finding **members = arena_array(al->a, n + 1, sizeof(*members));
	struct alert_entry *e = NULL;

	al->entries = arena_array(al->a, n + 1, sizeof(*al->entries));
	for (size_t i = 0; i < n; i++) {
		const struct finding *f = all->list.v[i];

		sorted[i] = (struct numbered){
			.f = f, .subject = subject_of(al->a, f),
			.check = check_position(f->check), .at = i,
			.ordinal = i ? ordinal_of(&sorted[i - 1], f) : 0,
		};
	}
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_kind);
	for (size_t i = 0; i < n; i++) {
		members[i] = sorted[i].f;
		if (i == 0 || compare_kind(&sorted[i], &sorted[i - 1]) != 0) {
			e = &al->entries[al->n_entries++];
			e->members = &members[i];
			e->first = sorted[i].at;
			al->n_bad += members[i]->severity > SEV_OK;
		}
		add_member(al->a, e, members[i]);
	}
	if (al->n_entries)
		qsort(al->entries, al->n_entries, sizeof(*al->entries), by_importance);
}
