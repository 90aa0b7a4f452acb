/*
 * The pages for people: one file for each view, on the shared ground of this header.
 * All text of the model and the findings reaches the page through term.h, which makes it harmless.
 */
#ifndef TWCSCHECK_HUMAN_H
#define TWCSCHECK_HUMAN_H

#include "render/lookup.h"
#include "render/render.h"
#include "render/term.h"

struct page {
	struct term t;
	const struct report *report;
	const struct render_options *o;
	struct result_index results;
};

/* The views. Each writes its whole page. */
void human_check_page(struct page *p);
void human_windows_page(struct page *p);
void human_blockers_page(struct page *p);
/* The bars of a table's windows along time; `rows` says which windows make a row. */
struct window_rows;
void human_timeline(struct page *p, const struct table *t, const struct window_rows *rows);

/* A window's start: the day where windows are whole days, else to the minute. */
const char *human_window_label(struct arena *a, const struct table *t, int64_t start_s);

/* Windows of a table as rows: one each, or a run of windows that are alike. */
struct window_row {
	size_t first, n;	/* windows first .. first + n - 1 */
	bool folded;
};
struct window_rows { VEC(struct window_row) list; };

/* A table as the check page shows it: merged over the nodes that have it. */
struct table_row {
	const char *name;
	size_t n_nodes;
	struct opt_i64 sstables, bytes, held, droppable;
	enum severity worst;
	bool checked;		/* at least one check was made */
	bool named;		/* on the command line */
	const char *not_analysed;
	const char *strategy;
};
struct table_rows { VEC(struct table_row) list; size_t n_checked, n_fine; };

/* The cluster's tables by name. */
struct table_rows human_table_rows(struct page *p);
void human_overview(struct page *p, struct table_rows *rows);

/* ---- words ---- */

const char *human_severity_word(enum severity s);	/* "CRITICAL"; "info" for SEV_OK */
enum paint human_severity_paint(enum severity s);
enum paint human_window_paint(enum window_state s);
enum paint human_sstable_paint(enum sstable_state s);
/* "16.6 KiB", "?" when not known. */
const char *human_size(struct arena *a, struct opt_i64 bytes);
/* "2026-11-30 18:00", "never", "not known". */
const char *human_time(struct arena *a, struct opt_i64 t);
/* "1 SSTable", "3 SSTables". */
const char *human_count(struct arena *a, int64_t n, const char *noun);
/* "a, b, c, …": at most `most` names of n. */
const char *human_names(struct arena *a, const char *const *names, size_t n, size_t most);
const char *human_sstable_names(struct arena *a, struct sstable *const *v, size_t listed, size_t n,
				size_t most);
/* "TimeWindowCompactionStrategy, windows of 1 d, TTL 30 d, gc_grace 10 d (from the schema)". */
const char *human_settings(struct arena *a, const struct table *t);
/* "metrics.readings on cass-01 (cassandra 5.0.6)". */
const char *human_table_title(struct page *p, const struct table *t);
/* "twcscheck VIEW [source options] SUBJECT" on a line of its own, not wrapped. */
void human_command(struct page *p, unsigned indent, const char *view, const char *subject);
/* The clock that the verdicts go by. */
const char *human_clock(struct page *p);

#endif
