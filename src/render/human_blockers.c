/*
 * The blockers page: who holds expired SSTables on disk, why, until when, what to do about it, and
 * what that frees. Commands stand on lines of their own and are never wrapped.
 */
#include "render/human.h"

#include <string.h>

enum { BLOCKERS_SHOWN = 5, DAYS_SHOWN = 14, BAR_COLUMNS = 30 };

struct held {
	size_t windows;			/* expired ones with something blocked in them */
	size_t will_block;		/* windows that will drop too late */
	int64_t will_block_bytes;
	size_t by_option, by_future;	/* SSTables that no other SSTable holds */
	struct opt_i64 until;		/* when the last blocked SSTable goes */
	bool too_late;			/* one of them waits longer than the normal delay */
};

static struct held count_held(const struct table *t)
{
	struct held h = { .until = some_i64(INT64_MIN) };

	for (size_t i = 0; i < t->n_windows; i++) {
		const struct window *w = &t->windows[i];

		h.windows += w->state == WIN_BLOCKED;
		if (w->state == WIN_WILL_BLOCK) {
			h.will_block++;
			h.will_block_bytes = add_saturated(h.will_block_bytes, w->bytes);
		}
	}
	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];

		if (s->state != SST_BLOCKED)
			continue;
		h.too_late |= s->too_late;
		h.by_option += s->hold == HOLD_PURGE_REPAIRED;
		h.by_future += s->hold == HOLD_OWN_FUTURE;
		if (!s->droppable_at_s.known)
			h.until.known = false;
		else if (s->droppable_at_s.v > h.until.v)
			h.until.v = s->droppable_at_s.v;
	}
	return h;
}

static size_t blocking_now(const struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_blockers; i++)
		n += t->blockers[i].n_blocks > 0;
	return n + (t->n_blockers_all > t->n_blockers && n == t->n_blockers ?
		    t->n_blockers_all - t->n_blockers : 0);
}

static const char *until_words(struct arena *a, struct opt_i64 until)
{
	if (!until.known)
		return "until a time that cannot be told";
	if (until.v == TIME_NEVER)
		return "for ever unless something is done";
	return arena_printf(a, "until %s", num_format_minute(a, until.v));
}

/* "5 expired windows, 28.2 KiB, held by 1 SSTable until 2026-12-28 18:02". */
static void print_summary(struct page *p, const struct table *t, const struct held *h)
{
	struct arena *a = p->t.arena;
	size_t blockers = blocking_now(t);

	term_pad(&p->t, 2);
	term_text(&p->t, PAINT_CRITICAL, human_count(a, (int64_t)h->windows, "expired window"));
	term_flowf(&p->t, 2, ", %s in %s, held%s%s %s",
		   human_size(a, table_held_bytes(t)),
		   human_count(a, (int64_t)t->n_blocked, "SSTable"), blockers ? " by " : "",
		   blockers ? human_count(a, (int64_t)blockers, "SSTable") : "",
		   until_words(a, h->until));
	term_newline(&p->t);
	if (!h->too_late)
		term_line(&p->t, 2, "within the normal delay: an expired window may have to wait "
			  "for its neighbour, nothing to do");
	if (h->by_option)
		term_line(&p->t, 2, "%s held by the option only_purge_repaired_tombstones: data "
			  "that is not repaired is never dropped under it",
			  human_count(a, (int64_t)h->by_option, "SSTable"));
	if (h->by_future)
		term_line(&p->t, 2, "%s held by timestamps of its own that lie in the future",
			  human_count(a, (int64_t)h->by_future, "SSTable"));
}

/* Findings about this table that the page does not show by itself. */
static void print_other_findings(struct page *p, const struct table *t)
{
	const struct findings *all = &p->report->findings;

	for (size_t i = 0; i < all->list.n; i++) {
		const struct finding *f = all->list.v[i];
		const char *id = finding_check_id(f);

		if (f->table != t || f->severity == SEV_OK || strcmp(id, "blocked-windows") == 0 ||
		    strcmp(id, "future-blocks") == 0)
			continue;
		term_pad(&p->t, 2);
		term_text(&p->t, PAINT_PLAIN, "see also: ");
		term_text(&p->t, human_severity_paint(f->severity),
			  human_severity_word(f->severity));
		term_flowf(&p->t, 4, " %s: %s", id, f->summary ? f->summary : "");
		term_newline(&p->t);
		if (f->severity >= SEV_WARNING && f->action)
			term_line(&p->t, 4, "to do: %s", f->action);
	}
}

static void print_nothing_held(struct page *p, const struct table *t)
{
	struct arena *a = p->t.arena;

	term_pad(&p->t, 2);
	term_text(&p->t, t->n_unusable ? PAINT_PLAIN : PAINT_GOOD, "nothing is held");
	term_flow(&p->t, 2, ": no expired SSTable is blocked");
	if (t->n_droppable)
		term_flowf(&p->t, 2, "; %s (%s) can be dropped as they stand",
			   human_count(a, (int64_t)t->n_droppable, "expired SSTable"),
			   human_size(a, table_droppable_bytes(t)));
	else
		term_flow(&p->t, 2, "; nothing expired waits to be dropped");
	term_newline(&p->t);
}

/* ---- one blocker ---- */

static void print_blocks(struct page *p, const struct blocker *b)
{
	struct arena *a = p->t.arena;
	size_t listed = b->n_blocks < LIST_MAX ? b->n_blocks : LIST_MAX;

	if (b->n_blocks)
		term_line(&p->t, 5, "holds now: %s, %s: %s",
			  human_count(a, (int64_t)b->n_blocks, "SSTable"),
			  num_format_size(a, b->held_bytes),
			  human_sstable_names(a, b->blocks, listed, b->n_blocks,
					      p->o->verbose ? LIST_MAX : 5));
	else
		term_line(&p->t, 5, "holds nothing yet");
	if (b->n_will_block)
		term_line(&p->t, 5, "will hold: %s past their expiry",
			  human_count(a, (int64_t)b->n_will_block, "more SSTable"));
	if (b->freed_bytes)
		term_line(&p->t, 5, b->rank == 1 ? "frees %s once it is gone" :
			  "frees %s once it and all above are gone",
			  num_format_size(a, b->freed_bytes));
	term_line(&p->t, 5, b->clears_at_s == TIME_NEVER ? "clears by itself: never" :
		  "clears by itself: %s", num_format_minute(a, b->clears_at_s));
}

static void print_action(struct page *p, const struct action *action, size_t number)
{
	term_pad(&p->t, 5);
	term_printf(&p->t, PAINT_PLAIN, "%c) ", (int)('a' + number % 26));
	term_flow(&p->t, 8, action->text ? action->text : "");
	term_newline(&p->t);
	if (action->risk)
		term_line(&p->t, 8, "risk: %s", action->risk);
	for (size_t i = 0; i < action->commands.n; i++) {
		term_pad(&p->t, 8);
		term_text(&p->t, PAINT_PLAIN, action->commands.v[i]);
		term_newline(&p->t);
	}
}

static bool same_actions(const struct blocker *a, const struct blocker *b)
{
	if (a->actions.n != b->actions.n)
		return false;
	for (size_t i = 0; i < a->actions.n; i++) {
		const struct action *x = &a->actions.v[i], *y = &b->actions.v[i];

		if (strcmp(x->text, y->text) != 0 || x->commands.n != y->commands.n)
			return false;
		for (size_t k = 0; k < x->commands.n; k++) {
			if (strcmp(x->commands.v[k], y->commands.v[k]) != 0)
				return false;
		}
	}
	return true;
}

static void print_blocker(struct page *p, const struct table *t, size_t i)
{
	const struct blocker *b = &t->blockers[i];

	term_newline(&p->t);
	term_pad(&p->t, 2);
	term_printf(&p->t, PAINT_PLAIN, "%u. ", b->rank);
	term_text(&p->t, b->n_blocks ? PAINT_CRITICAL : PAINT_WARNING, b->sstable->name);
	term_flowf(&p->t, 5, ": %s", cause_name(b->cause ? b->cause : CAUSE_UNKNOWN));
	if (b->sstable->bytes.known)
		term_flowf(&p->t, 5, ", %s", num_format_size(p->t.arena, b->sstable->bytes.v));
	term_newline(&p->t);
	if (b->evidence)
		term_line(&p->t, 5, "evidence: %s", b->evidence);
	print_blocks(p, b);
	if (b->actions.n == 0)
		return;
	if (i > 0 && !p->o->verbose && same_actions(b, &t->blockers[i - 1])) {
		term_line(&p->t, 5, "to do: as above");
		return;
	}
	term_line(&p->t, 5, "to do, safest first:");
	for (size_t k = 0; k < b->actions.n; k++)
		print_action(p, &b->actions.v[k], k);
}

static void print_blockers(struct page *p, const struct table *t)
{
	size_t n = t->n_blockers;

	if (!p->o->verbose && n > BLOCKERS_SHOWN)
		n = BLOCKERS_SHOWN;
	for (size_t i = 0; i < n; i++)
		print_blocker(p, t, i);
	if (t->n_blockers_all > n) {
		term_newline(&p->t);
		term_line(&p->t, 2, "… and %zu more blockers%s", t->n_blockers_all - n,
			  n < t->n_blockers ? " (-v)" : "");
	}
}

/* ---- the days to come ---- */

static void print_day(struct page *p, const struct forecast_day *day, int64_t most)
{
	struct term *t = &p->t;
	unsigned room = t->width && t->width < 30 + BAR_COLUMNS ? t->width - 30 : BAR_COLUMNS;
	unsigned bar = most > 0 ? (unsigned)((double)day->freed_bytes / (double)most * room) : 0;
	const char *size = num_format_size(t->arena, day->freed_bytes);

	term_pad(t, 4);
	term_text(t, PAINT_PLAIN, num_format_day(t->arena, day->day_s));
	term_pad(t, 26 - term_columns(size));
	term_text(t, PAINT_PLAIN, size);
	term_pad(t, 28);
	term_glyph(t, PAINT_GOOD, GLYPH_BAR, bar ? bar : day->freed_bytes > 0);
	term_newline(t);
}

static void print_forecast(struct page *p, const struct table *t)
{
	size_t n = t->n_forecast;
	int64_t most = 0, rest = 0;

	if (n == 0)
		return;
	if (!p->o->verbose && n > DAYS_SHOWN)
		n = DAYS_SHOWN;
	for (size_t i = 0; i < t->n_forecast; i++) {
		most = t->forecast[i].freed_bytes > most ? t->forecast[i].freed_bytes : most;
		if (i >= n)
			rest = add_saturated(rest, t->forecast[i].freed_bytes);
	}
	term_newline(&p->t);
	term_line(&p->t, 2, "freed by day, if nothing is %s and nothing is written:",
		  t->settings.only_purge_repaired ? "done but repaired"
		  : t->autocompaction.known && !t->autocompaction.v
			  ? "done but automatic compaction switched on"
			  : "done");
	for (size_t i = 0; i < n; i++)
		print_day(p, &t->forecast[i], most);
	if (n < t->n_forecast)
		term_line(&p->t, 4, "… and %s on %zu more days (-v)",
			  num_format_size(p->t.arena, rest), t->n_forecast - n);
}

/* ---- the page ---- */

static void print_judged(struct page *p, const struct table *t)
{
	struct arena *a = p->t.arena;
	struct held h = count_held(t);

	if (t->n_blocked)
		print_summary(p, t, &h);
	else
		print_nothing_held(p, t);
	if (h.will_block)
		term_line(&p->t, 2, "%s, %s, will be dropped too late by what is on disk today",
			  human_count(a, (int64_t)h.will_block, "more window"),
			  num_format_size(a, h.will_block_bytes));
	if (t->n_unusable)
		term_line(&p->t, 2, "%s without usable metadata: may hold what is expired, cannot "
			  "be judged", human_count(a, (int64_t)t->n_unusable, "SSTable"));
	print_other_findings(p, t);
	print_blockers(p, t);
	print_forecast(p, t);
}

static void print_table(struct page *p, const struct table *t)
{
	term_line(&p->t, 0, "%s", human_table_title(p, t));
	if (t->analysed) {
		print_judged(p, t);
		return;
	}
	term_line(&p->t, 2, "not judged: %s",
		  t->not_analysed ? t->not_analysed : "nothing is known of it");
	print_other_findings(p, t);
}

void human_blockers_page(struct page *p)
{
	const struct cluster *c = p->report->cluster;
	bool any = false;

	for (size_t i = 0; i < c->nodes.n; i++) {
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++) {
			if (any)
				term_newline(&p->t);
			print_table(p, c->nodes.v[i]->tables[k]);
			any = true;
		}
	}
	if (any)
		term_newline(&p->t);
	else
		term_line(&p->t, 0, "no such table in the evidence of %s",
			  human_count(p->t.arena, (int64_t)c->nodes.n, "node"));
	term_line(&p->t, 0, "judged by %s", human_clock(p));
}
