/* The check page, from literal models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "render_model.h"
#include "text_assert.h"

static const struct render_options plain = { .width = 80, .ascii = true };

static size_t count_lines(const char *page)
{
	size_t n = 0;

	for (; *page; page++)
		n += *page == '\n';
	return n;
}

static void check_page_of_the_sample(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;

	(void)state;
	rm_sample(&m, a);
	assert_text(
		"sample", rm_render(&m, &renderer_human, &plain),
		"CRITICAL: 1 of 2 tables on 2 nodes: blocked-windows\n"
		"cluster metrics-prod, nodes cass-01, cass-02; judged by 2026-11-30 18:00 UTC,\n"
		"the clock of the nodes\n"
		"\n"
		"CRITICAL  blocked-windows: metrics.readings_late on cass-01, cass-02\n"
		"          8 expired windows (44.5 KiB) are held by nb-18-big\n"
		"          > see 'twcscheck blockers metrics.readings_late'\n"
		"\n"
		"table                  worst     SSTables     size      held  droppable  nodes\n"
		"metrics.readings_late  critical        40  223 KiB  89.1 KiB          -      2\n"
		"metrics.readings_ok    ok              20  111 KiB         -          -      2\n"
		"\n"
		"2 tables on 2 nodes checked; 1 fine; no check applies to 1 more table\n"
		"next:\n"
		"  twcscheck blockers metrics.readings_late\n"
		"  twcscheck explain blocked-windows\n");
	arena_destroy(a);
}

static void empty_cluster(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;

	(void)state;
	rm_init(&m, a);
	m.cluster->name = NULL;
	m.report.worst = SEV_UNKNOWN;
	assert_text("check", rm_render(&m, &renderer_human, &o),
		    "UNKNOWN: no table was checked on 0 nodes\n"
		    "judged by 2026-11-30 18:00 UTC, the clock of the node\n\n"
		    "0 tables on 0 nodes checked; 0 fine\n");
	o.view = VIEW_WINDOWS;
	assert_text("windows", rm_render(&m, &renderer_human, &o),
		    "no such table in the evidence of 0 nodes\n"
		    "judged by 2026-11-30 18:00 UTC, the clock of the node\n");
	o.view = VIEW_BLOCKERS;
	assert_text("blockers", rm_render(&m, &renderer_human, &o),
		    "no such table in the evidence of 0 nodes\n"
		    "judged by 2026-11-30 18:00 UTC, the clock of the node\n");
	arena_destroy(a);
}

static void healthy_cluster_says_that_it_looked(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;
	struct table *t;

	(void)state;
	rm_init(&m, a);
	t = rm_table(&m, rm_node(&m, "cass-01"), "readings");
	rm_fine(&m, "blocked-windows", t);
	assert_text(
		"fine", rm_render(&m, &renderer_human, &plain),
		"OK: 1 table on 1 node checked, all fine\n"
		"cluster metrics-prod, node cass-01; judged by 2026-11-30 18:00 UTC, the clock of\n"
		"the node\n"
		"\n"
		"table             worst  SSTables  size  held  droppable\n"
		"metrics.readings  ok            0   0 B     -          -\n"
		"\n"
		"1 table on 1 node checked; 1 fine\n");
	arena_destroy(a);
}

/* Whatever order the checks came in, the page goes by the report's order: worst first. */
static void severities_in_order(void **state)
{
	static const struct {
		const char *check;
		enum severity s;
	} findings[] = {
		{ "blocked-windows", SEV_CRITICAL },
		{ "late-writes", SEV_WARNING },
		{ "strategy", SEV_OK },
	};
	static const char *const first[] = {
		[SEV_OK] = "OK: ",
		[SEV_WARNING] = "WARNING: ",
		[SEV_CRITICAL] = "CRITICAL: ",
	};

	(void)state;
	for (int order = 0; order < 2; order++) {
		for (size_t n = 1; n <= ARRAY_LEN(findings); n++) {
			struct arena *a = arena_create();
			enum severity worst = SEV_OK;
			struct render_model m;
			struct table *t;
			const char *page;

			rm_init(&m, a);
			t = rm_table(&m, rm_node(&m, "cass-01"), "readings");
			for (size_t i = 0; i < n; i++) {
				size_t k = order ? ARRAY_LEN(findings) - 1 - i : i;

				rm_finding(&m, findings[k].s, findings[k].check, t->node, t, "x",
					   NULL);
				worst = findings[k].s > worst ? findings[k].s : worst;
			}
			page = rm_render(&m, &renderer_human, &plain);
			if (strncmp(page, first[worst], strlen(first[worst])) != 0)
				fail_msg("order %d, %zu findings: %s", order, n, page);
			if (n == 3 && strstr(page, "CRITICAL  bl") > strstr(page, "WARNING   la"))
				fail_msg("order %d: not worst first: %s", order, page);
			assert_has("overview", page,
				   arena_printf(a, "metrics.readings  %s", severity_name(worst)));
			arena_destroy(a);
		}
	}
}

static void information_only_with_v(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	struct finding *f;
	struct table *t;

	(void)state;
	rm_init(&m, a);
	t = rm_table(&m, rm_node(&m, "cass-01"), "readings");
	f = rm_finding(&m, SEV_OK, "gc-grace", t->node, t, "a quarter is gc_grace", NULL);
	*vec_add(a, &f->details) = "a detail";
	assert_lacks("without", rm_render(&m, &renderer_human, &o), "a quarter");
	o.verbose = 1;
	assert_has("with", rm_render(&m, &renderer_human, &o),
		   "info      gc-grace: metrics.readings\n"
		   "          a quarter is gc_grace\n"
		   "            a detail\n");
	arena_destroy(a);
}

/* 12 nodes with the same finding are one entry; their own words come with -v. */
static void nodes_are_merged(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	const char *page;

	(void)state;
	rm_init(&m, a);
	for (int i = 1; i <= 12; i++) {
		struct node *n = rm_node(&m, arena_printf(a, "n%02d", i));
		struct table *t = rm_table(&m, n, "readings");

		rm_finding(&m, SEV_CRITICAL, "blocked-windows", n, t,
			   arena_printf(a, "%d windows are held", i), "do this");
	}
	page = rm_render(&m, &renderer_human, &o);
	assert_has(
		"merged", page,
		"CRITICAL  blocked-windows: metrics.readings on 12 nodes: n01, n02, n03, n04, ...\n"
		"          n01: 1 windows are held\n"
		"          ... and 11 more like it (-v)\n"
		"          > do this\n");
	assert_lacks("merged", page, "n05: 5 windows");
	o.verbose = 1;
	page = rm_render(&m, &renderer_human, &o);
	assert_has("verbose", page, "          n05: 5 windows are held\n");
	assert_has("verbose", page, "          n12: 12 windows are held\n          > do this\n");
	arena_destroy(a);
}

/* A big sick cluster still fits a screen, and -v tells everything. */
static void big_cluster_fits_a_screen(void **state)
{
	static const char *const checks[] = {
		"blocked-windows", "expired-not-dropped", "future-blocks",
		"late-writes",	   "mixed-ttl",
	};
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;
	const char *page;

	(void)state;
	rm_init(&m, a);
	for (int n = 0; n < 3; n++) {
		struct node *node = rm_node(&m, arena_printf(a, "cass-%02d", n));

		for (int i = 0; i < 40; i++)
			rm_table(&m, node, arena_printf(a, "t%02d", i));
	}
	for (int sev = SEV_CRITICAL; sev >= SEV_WARNING; sev--) {
		for (size_t n = 0; n < m.cluster->nodes.n; n++) {
			struct node *node = m.cluster->nodes.v[n];

			for (size_t i = 0; i < 40; i++)
				for (size_t c = 0; c < ARRAY_LEN(checks); c++)
					if ((c < 2) == (sev == SEV_CRITICAL))
						rm_finding(&m, (enum severity)sev, checks[c], node,
							   node->tables[i],
							   "something is wrong with it",
							   "do something about it");
		}
	}
	page = rm_render(&m, &renderer_human, &o);
	if (count_lines(page) > 40)
		fail_msg("%zu lines:\n%s", count_lines(page), page);
	assert_has("verdict", page,
		   "CRITICAL: 40 of 40 tables on 3 nodes: blocked-windows on 40, "
		   "expired-not-dropped\non 40, future-blocks on 40");
	assert_has(
		"alike", page,
		"          also metrics.t01: something is wrong with it\n"
		"          also metrics.t02: something is wrong with it\n"
		"          the same on 37 more tables: metrics.t03, metrics.t04, "
		"metrics.t05, ...\n");
	assert_has("short", page,
		   "\nWARNING   mixed-ttl: metrics.t00 on 3 nodes and 39 more tables: ");
	assert_has("overview", page, "... and 33 more tables, 0 of them fine (-v)\n");
	o.verbose = 1;
	page = rm_render(&m, &renderer_human, &o);
	assert_has("verbose", page,
		   "WARNING   mixed-ttl: metrics.t39 on cass-00, cass-01, cass-02\n");
	arena_destroy(a);
}

/* A table that was asked for by name is in the overview, however many others there are. */
static void named_tables_are_shown(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;
	struct node *n;

	(void)state;
	rm_init(&m, a);
	n = rm_node(&m, "cass-01");
	for (int i = 0; i < 40; i++)
		rm_fine(&m, "timestamps", rm_table(&m, n, arena_printf(a, "t%02d", i)));
	assert_lacks("not named", rm_render(&m, &renderer_human, &plain), "metrics.t39");
	n->tables[39]->named = true;
	assert_has("named", rm_render(&m, &renderer_human, &plain), "\nmetrics.t39");
	arena_destroy(a);
}

static void missing_evidence_is_told_once(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;
	const char *page;

	(void)state;
	rm_init(&m, a);
	for (int i = 1; i <= 3; i++) {
		struct node *n = rm_node(&m, arena_printf(a, "n%d", i));
		struct table *t = rm_table(&m, n, "readings");
		struct finding *f = rm_finding(&m, SEV_UNKNOWN, "strategy", n, t,
					       "the schema is not in the evidence", "save it");

		f->missing_evidence = true;
		*vec_add(a, &f->details) = "checks not made: strategy, gc-grace";
	}
	page = rm_render(&m, &renderer_human, &plain);
	assert_text("missing", page,
		    "UNKNOWN: 1 of 1 table on 3 nodes: missing evidence\n"
		    "cluster metrics-prod, nodes n1, n2, n3; judged by 2026-11-30 18:00 UTC, the\n"
		    "clock of the nodes\n"
		    "\n"
		    "UNKNOWN   the schema is not in the evidence (on n1, n2, n3)\n"
		    "          checks not made: strategy, gc-grace\n"
		    "          > save it\n"
		    "\n"
		    "table             worst    SSTables  size  held  droppable  nodes\n"
		    "metrics.readings  unknown         0   0 B     -          -      3\n"
		    "\n"
		    "1 table on 3 nodes checked; 0 fine\n");
	arena_destroy(a);
}

static void quiet_is_one_line(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = { .width = 0, .quiet = true };
	struct render_model m;

	(void)state;
	rm_sample(&m, a);
	for (int view = VIEW_CHECK; view <= VIEW_BLOCKERS; view++) {
		o.view = (enum view)view;
		assert_text("quiet", rm_render(&m, &renderer_human, &o),
			    "CRITICAL: 1 of 2 tables on 2 nodes: blocked-windows\n");
	}
	arena_destroy(a);
}

static void next_command_repeats_the_source(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;

	(void)state;
	rm_sample(&m, a);
	o.source_args = "--from case.tar.gz";
	assert_has("source", rm_render(&m, &renderer_human, &o),
		   "  twcscheck blockers --from case.tar.gz metrics.readings_late\n");
	m.cluster->nodes.v[0]->tables[1]->full_name = "metrics.it's";
	assert_has("quoted", rm_render(&m, &renderer_human, &o),
		   "  twcscheck blockers --from case.tar.gz 'metrics.it'\\''s'\n");
	arena_destroy(a);
}

static void ways_are_told_with_v(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = plain;
	struct render_model m;

	(void)state;
	rm_sample(&m, a);
	rm_node(&m, "cass-03")->transport = "libssh2: other";
	rm_node(&m, "cass-04")->transport = "openssh: why";
	m.cluster->nodes.v[1]->transport = "openssh: why";
	assert_null(strstr(rm_render(&m, &renderer_human, &o), "reached by"));
	o.verbose = 1;
	assert_has("ways", rm_render(&m, &renderer_human, &o),
		   "\ncass-02, cass-04 reached by openssh: why\n"
		   "cass-03 reached by libssh2: other\n");
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_page_of_the_sample),
		cmocka_unit_test(empty_cluster),
		cmocka_unit_test(healthy_cluster_says_that_it_looked),
		cmocka_unit_test(severities_in_order),
		cmocka_unit_test(information_only_with_v),
		cmocka_unit_test(nodes_are_merged),
		cmocka_unit_test(big_cluster_fits_a_screen),
		cmocka_unit_test(named_tables_are_shown),
		cmocka_unit_test(missing_evidence_is_told_once),
		cmocka_unit_test(quiet_is_one_line),
		cmocka_unit_test(next_command_repeats_the_source),
		cmocka_unit_test(ways_are_told_with_v),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
