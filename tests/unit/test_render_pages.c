/* The windows and blockers pages, and what holds for every page, from literal models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "render/term.h"
#include "render_model.h"
#include "text_assert.h"

static const struct render_options plain = { .width = 80, .ascii = true };

/* ---- windows and blockers ---- */

/* One node, one table: a file of 2026-11-28 reaches back over what has expired. */
static struct table *short_table(struct render_model *m, struct arena *a)
{
	struct table *t;
	struct sstable *s;

	rm_init(m, a);
	t = rm_table(m, rm_node(m, "cass-01"), "readings");
	rm_sstable(m, t, "nb-1-big", 15, 0, RM_DAY - 1, 2048, SST_BLOCKED, WIN_BLOCKED);
	rm_sstable(m, t, "nb-2-big", 9, 0, RM_DAY - 1, 2048, SST_LIVE, WIN_LIVE);
	rm_sstable(m, t, "nb-3-big", 8, 0, RM_DAY - 1, 2048, SST_LIVE, WIN_LIVE);
	rm_sstable(m, t, "nb-4-big", 7, 0, RM_DAY - 1, 2048, SST_LIVE, WIN_LIVE);
	s = rm_sstable(m, t, "nb-5-big", 2, -12 * RM_DAY, RM_DAY - 1, 4096, SST_LIVE, WIN_LIVE);
	rm_sstable(m, t, "nb-6-big", 0, 0, 18 * 3600 - 1, 1024, SST_LIVE, WIN_OPEN);
	rm_blocker(m, t, s, CAUSE_LATE_WRITE, "minimum timestamp 12 days before its window",
		   RM_TODAY + 10 * RM_DAY);
	return t;
}

static void windows_page(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;

	(void)state;
	short_table(&m, a);
	o.view = VIEW_WINDOWS;
	assert_text(
		"windows", rm_render(&m, &renderer_human, &o),
		"metrics.readings on cass-01 (cassandra 5.0.6)\n"
		"  TimeWindowCompactionStrategy, windows of 1 d, TTL 10 d, gc_grace 1 d (from the\n"
		"  schema)\n"
		"  6 SSTables, 13.0 KiB in 6 windows; held now: 1 SSTable, 2.00 KiB\n"
		"\n"
		"  window      state    SST      size    span  TTL   drops             held by\n"
		"  2026-11-15  blocked    1  2.00 KiB    24 h  10 d  2026-12-10 00:00  nb-5-big\n"
		"  ... 3 live windows, 2026-11-21 to 2026-11-23, 1 SSTable each, 6.00 KiB (-v:\n"
		"  all)\n"
		"  2026-11-28  live       1  4.00 KiB  13.0 d  10 d  2026-12-10 00:00\n"
		"  2026-11-30  open       1  1.00 KiB  18.0 h  10 d  2026-12-11 18:00\n"
		"\n"
		"                     2026-11-15                                       2026-12-01\n"
		"2026-11-15  nb-1-big ====                                                      |\n"
		"... 3 live                                 ============                        |\n"
		"2026-11-28 !nb-5-big    --------------------------------------------=====      |\n"
		"2026-11-30  nb-6-big                                                        ====\n"
		"  = written in its own window   - written outside it   . its window   | now\n"
		"  ! blocker\n"
		"\n"
		"judged by 2026-11-30 18:00 UTC, the clock of the node\n");
	arena_destroy(a);
}

/* Timestamps far from all others do not press the axis together; they are marked at its edge. */
static void implausible_times_leave_the_axis_alone(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	struct table *t;
	const char *page;

	(void)state;
	rm_init(&m, a);
	t = rm_table(&m, rm_node(&m, "cass-01"), "readings");
	rm_sstable(&m, t, "nb-1-big", 20000, 0, 10, 2048, SST_LIVE, WIN_OPEN)->wrong_unit = true;
	rm_sstable(&m, t, "nb-2-big", 1, 0, RM_DAY - 1, 2048, SST_LIVE, WIN_LIVE);
	rm_sstable(&m, t, "nb-3-big", 0, -RM_DAY * 900, 100, 2048, SST_LIVE, WIN_OPEN);
	rm_sstable(&m, t, "nb-4-big", -4000, 0, 100, 2048, SST_LIVE, WIN_OPEN)->future = true;
	o.view = VIEW_WINDOWS;
	page = rm_render(&m, &renderer_human, &o);
	assert_has(
		"axis", page,
		"                     2026-11-27                                       2026-12-01\n"
		"1972-02-27  nb-1-big <                                                      |\n"
		"2026-11-29  nb-2-big                              ================          |\n"
		"2026-11-30  nb-3-big <-------------------------------------------=..............\n"
		"2037-11-12  nb-4-big                                                        "
		"|  >\n");
	arena_destroy(a);
}

static void quiet_runs_fold(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	struct table *t;
	const char *page;

	(void)state;
	rm_init(&m, a);
	t = rm_table(&m, rm_node(&m, "cass-01"), "readings");
	for (int i = 50; i > 20; i--)
		rm_sstable(&m, t, arena_printf(a, "nb-%d-big", 60 - i), i, 0, 10, 1024, SST_BLOCKED,
			   WIN_BLOCKED);
	for (int i = 20; i > 0; i--)
		rm_sstable(&m, t, arena_printf(a, "nb-%d-big", 60 - i), i, 0, 10, 1024, SST_LIVE,
			   WIN_LIVE);
	rm_blocker(&m, t, t->sstables[49], CAUSE_NO_TTL, "never", TIME_NEVER);
	o.view = VIEW_WINDOWS;
	page = rm_render(&m, &renderer_human, &o);
	assert_has("live run", page,
		   "... 19 live windows, 2026-11-10 to 2026-11-28, 1 SSTable each, "
		   "19.0 KiB (-v:");
	assert_has("blocked run", page,
		   "... 26 blocked windows, 2026-10-14 to 2026-11-08, 1 SSTable "
		   "each, 26.0 KiB,\n  held by nb-59-big (-v: all)\n");
	assert_has("ends", page, "2026-11-09  blocked");
	assert_lacks("folded", page, "2026-11-05");
	o.verbose = 1;
	assert_has("verbose", rm_render(&m, &renderer_human, &o), "2026-11-05  blocked");
	arena_destroy(a);
}

static void blockers_page(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	struct table *t;
	const char *page;

	(void)state;
	t = short_table(&m, a);
	o.view = VIEW_BLOCKERS;
	rm_action(&m, t->blockers, "wait: it expires by itself", "none", NULL);
	rm_action(&m, t->blockers, "rewrite it", "I/O of one SSTable",
		  "nodetool compact --user-defined /a/path/that/is/longer/than/what/is/left/of/the/"
		  "line/nb-1-big-Data.db");
	rm_forecast(&m, t, 2, 2048);
	page = rm_render(&m, &renderer_human, &o);
	assert_text(
		"blockers", page,
		"metrics.readings on cass-01 (cassandra 5.0.6)\n"
		"  1 expired window, 2.00 KiB in 1 SSTable, held by 1 SSTable until 2026-12-10\n"
		"  00:00\n"
		"\n"
		"  1. nb-5-big: late-write, 4.00 KiB\n"
		"     evidence: minimum timestamp 12 days before its window\n"
		"     holds now: 1 SSTable, 2.00 KiB: nb-1-big\n"
		"     frees 2.00 KiB once it is gone\n"
		"     clears by itself: 2026-12-10 00:00\n"
		"     to do, safest first:\n"
		"     a) wait: it expires by itself\n"
		"        risk: none\n"
		"     b) rewrite it\n"
		"        risk: I/O of one SSTable\n"
		"        nodetool compact --user-defined /a/path/that/is/longer/than/what/is/left/"
		"of/the/line/nb-1-big-Data.db\n"
		"\n"
		"  freed by day, if nothing is done and nothing is written:\n"
		"    2026-12-01    2.00 KiB  ===============\n"
		"    2026-12-02    4.00 KiB  ==============================\n"
		"\n"
		"judged by 2026-11-30 18:00 UTC, the clock of the node\n");
	arena_destroy(a);
}

static void nothing_held_is_said(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	struct table *t;

	(void)state;
	rm_init(&m, a);
	t = rm_table(&m, rm_node(&m, "cass-01"), "readings");
	rm_sstable(&m, t, "nb-1-big", 15, 0, 10, 2048, SST_DROPPABLE, WIN_DROPPABLE);
	rm_finding(&m, SEV_CRITICAL, "timestamps", t->node, t, "a timestamp in the future", NULL);
	o.view = VIEW_BLOCKERS;
	assert_text(
		"nothing", rm_render(&m, &renderer_human, &o),
		"metrics.readings on cass-01 (cassandra 5.0.6)\n"
		"  nothing is held: no expired SSTable is blocked; 1 expired SSTable (2.00 KiB)\n"
		"  can be dropped as they stand\n"
		"  see also: CRITICAL timestamps: a timestamp in the future\n"
		"\n"
		"judged by 2026-11-30 18:00 UTC, the clock of the node\n");
	arena_destroy(a);
}

static void holds_without_a_blocker(void **state)
{
	static const struct {
		const char *name;
		enum hold hold;
		const char *want;
	} cases[] = {
		{ "option", HOLD_PURGE_REPAIRED,
		  "1 SSTable held by the option "
		  "only_purge_repaired_tombstones" },
		{ "future", HOLD_OWN_FUTURE,
		  "1 SSTable held by timestamps of its own that lie in the "
		  "future" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct render_options o = { .width = 0, .view = VIEW_BLOCKERS };
		struct render_model m;
		struct table *t;
		struct sstable *s;
		const char *page;

		rm_init(&m, a);
		t = rm_table(&m, rm_node(&m, "cass-01"), "readings");
		s = rm_sstable(&m, t, "nb-1-big", 15, 0, 10, 2048, SST_BLOCKED, WIN_BLOCKED);
		s->hold = cases[i].hold;
		s->too_late = true;
		s->droppable_at_s = some_i64(TIME_NEVER);
		page = rm_render(&m, &renderer_human, &o);
		assert_has(cases[i].name, page, cases[i].want);
		assert_has(cases[i].name, page,
			   "1 expired window, 2.00 KiB in 1 SSTable, held for ever "
			   "unless something is done\n");
		arena_destroy(a);
	}
}

static void normal_delay_is_no_reason_to_act(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	struct table *t = short_table(&m, a);

	(void)state;
	o.view = VIEW_BLOCKERS;
	assert_lacks("too late", rm_render(&m, &renderer_human, &o), "normal delay");
	t->sstables[0]->too_late = false;
	assert_has("in time", rm_render(&m, &renderer_human, &o), "within the normal delay");
	arena_destroy(a);
}

static void unjudged_table_says_why(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	struct table *t;

	(void)state;
	rm_init(&m, a);
	t = rm_table(&m, rm_node(&m, "-"), "readings");
	t->analysed = false;
	t->not_analysed = "gc_grace is not known";
	t->settings.gc_grace_s.known = t->settings.default_ttl_s.known = false;
	o.view = VIEW_BLOCKERS;
	assert_has("blockers", rm_render(&m, &renderer_human, &o),
		   "metrics.readings\n  not judged: gc_grace is not known\n");
	o.view = VIEW_WINDOWS;
	assert_has("windows", rm_render(&m, &renderer_human, &o),
		   "default TTL not known, gc_grace\n  not known (from the schema)\n");
	arena_destroy(a);
}

/* ---- every page ---- */

static bool is_command(const char *line)
{
	line += strspn(line, " ");
	return strncmp(line, "nodetool ", 9) == 0 || strncmp(line, "twcscheck ", 10) == 0;
}

static void assert_width(struct arena *a, const char *page, unsigned width, const char *name)
{
	while (*page) {
		size_t n = strcspn(page, "\n");
		const char *line = arena_copy(a, (struct slice){ page, n });

		if (term_columns(line) > width && !is_command(line))
			fail_msg("%s at %u: '%s'", name, width, line);
		if (n && line[n - 1] == ' ')
			fail_msg("%s at %u: blanks at the end of '%s'", name, width, line);
		page += n + (page[n] == '\n');
	}
}

static void no_line_is_too_long(void **state)
{
	static const unsigned widths[] = { 40, 50, 80, 100, 200, 600 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
		for (unsigned k = 0; k < 12; k++) {
			struct render_options o = {
				.view = (enum view)(k % 3),
				.width = widths[i],
				.ascii = k / 3 % 2,
				.verbose = k / 6,
			};
			struct arena *a = arena_create();
			struct render_model m;

			rm_sample(&m, a);
			m.cluster->nodes.v[0]->tables[2]->full_name =
				"a_keyspace_of_forty_eight_characters_that_is_full."
				"and_a_table_likewise";
			assert_width(a, rm_render(&m, &renderer_human, &o), widths[i], "page");
			arena_destroy(a);
		}
	}
}

static void ascii_pages_are_ascii(void **state)
{
	(void)state;
	for (unsigned view = 0; view < 3; view++) {
		struct render_options o = { .view = (enum view)view, .width = 100, .ascii = true };
		struct arena *a = arena_create();
		struct render_model m;

		rm_sample(&m, a);
		for (const char *p = rm_render(&m, &renderer_human, &o); *p; p++) {
			if ((unsigned char)*p > 0x7e)
				fail_msg("view %u: byte %02x", view, (unsigned char)*p);
		}
		arena_destroy(a);
	}
}

/* Colour changes nothing but colour: without its sequences the page is the same. */
static void colour_is_only_colour(void **state)
{
	(void)state;
	for (unsigned view = 0; view < 3; view++) {
		struct render_options o = { .view = (enum view)view, .width = 80 };
		struct arena *a = arena_create();
		struct render_model m;
		const char *without, *with;
		char *stripped;
		size_t n = 0;

		rm_sample(&m, a);
		without = rm_render(&m, &renderer_human, &o);
		o.color = true;
		with = rm_render(&m, &renderer_human, &o);
		assert_null(strchr(without, '\033'));
		assert_has("colour", with, "\033[1;31m");
		stripped = arena_alloc(a, strlen(with) + 1);
		for (const char *p = with; *p; p++) {
			if (*p == '\033')
				p += strcspn(p, "m");
			else
				stripped[n++] = *p;
		}
		assert_text("stripped", stripped, without);
		arena_destroy(a);
	}
}

static const char hostile[] = "x\033[2J\033]0;t\007\r\n\tCRITICAL\x9b"
			      "5m\xff\xe2\x80\xae'\"$(id)";

static void fill_hostile(struct render_model *m, struct arena *a)
{
	struct table *t = short_table(m, a);
	struct node *n = t->node;
	struct finding *f;

	n->name = n->product = n->release = n->clock_from = hostile;
	t->full_name = t->name = t->keyspace = t->settings.strategy = hostile;
	for (size_t i = 0; i < t->n_sstables; i++)
		t->sstables[i]->name = hostile;
	t->blockers[0].evidence = hostile;
	rm_action(m, t->blockers, hostile, hostile, hostile);
	f = rm_finding(m, SEV_CRITICAL, hostile, n, t, hostile, hostile);
	*vec_add(a, &f->details) = hostile;
	f = rm_finding(m, SEV_UNKNOWN, "strategy", n, t, hostile, hostile);
	f->missing_evidence = true;
	*vec_add(a, &f->details) = hostile;
	*vec_add(a, &m->cluster->notes) = hostile;
	m->cluster->name = m->report.now_from = hostile;
}

static void hostile_text_is_harmless(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 24; k++) {
		struct render_options o = {
			.view = (enum view)(k % 3),
			.width = k / 3 % 2 ? 80 : 0,
			.ascii = k / 6 % 2,
			.verbose = k / 12,
			.source_args = hostile,
		};
		struct arena *a = arena_create();
		struct render_model m;
		const char *page;

		fill_hostile(&m, a);
		page = rm_render(&m, &renderer_human, &o);
		for (const char *p = page; *p; p++) {
			if (((unsigned char)*p < 0x20 && *p != '\n') || *p == 0x7f)
				fail_msg("%u: control character %02x in\n%s", k, *p, page);
		}
		assert_lacks("line break", page, "\n\tCRITICAL");
		assert_lacks("C1", page, "\x9b");
		assert_lacks("invalid", page, "\xff");
		assert_lacks("override", page, "\xe2\x80\xae");
		assert_has("shown", page, "x\\x1b[2J");
		arena_destroy(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_page),
		cmocka_unit_test(implausible_times_leave_the_axis_alone),
		cmocka_unit_test(quiet_runs_fold),
		cmocka_unit_test(blockers_page),
		cmocka_unit_test(nothing_held_is_said),
		cmocka_unit_test(holds_without_a_blocker),
		cmocka_unit_test(normal_delay_is_no_reason_to_act),
		cmocka_unit_test(unjudged_table_says_why),
		cmocka_unit_test(no_line_is_too_long),
		cmocka_unit_test(ascii_pages_are_ascii),
		cmocka_unit_test(colour_is_only_colour),
		cmocka_unit_test(hostile_text_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
