/*
 * A finished report for the renderers' tests, put together by hand: nothing here is judged by the
 * program's own analysis, so a page's text depends on these values alone.
 *
 * The days are those of November 2026; windows are one day long, gc_grace is one day, now is
 * 2026-11-30 18:00 UTC.
 */
#ifndef TWCSCHECK_TEST_RENDER_MODEL_H
#define TWCSCHECK_TEST_RENDER_MODEL_H

#include "finding/finding.h"
#include "render/render.h"

enum { RM_DAY = 86400, RM_WINDOWS_MAX = 64, RM_SSTABLES_MAX = 128 };
#define RM_NOW INT64_C(1796061600)	/* 2026-11-30 18:00:00 UTC */
#define RM_TODAY INT64_C(1795996800)	/* 2026-11-30 00:00:00 UTC */

struct render_model {
	struct arena *a;
	struct cluster *cluster;
	struct report report;
};

/* A cluster named "metrics-prod" without nodes; the report is OK. */
void rm_init(struct render_model *m, struct arena *a);
/* A Cassandra 5.0.6 node. */
struct node *rm_node(struct render_model *m, const char *name);
/* A table "metrics.NAME" on TWCS with TTL 10 d, listed and analysed, still without SSTables. */
struct table *rm_table(struct render_model *m, struct node *n, const char *name);
/*
 * An SSTable of `bytes` in the window `days_ago` days before today, written from `from_s` to `to_s`
 * (seconds after that window's start, may be negative). Add them oldest window first; the window
 * takes the state of the last one added to it.
 */
struct sstable *rm_sstable(struct render_model *m, struct table *t, const char *name, int days_ago,
			   int64_t from_s, int64_t to_s, int64_t bytes, enum sstable_state state,
			   enum window_state window);
/* A blocker of rank 1 for every SSTable of the table that is blocked. */
struct blocker *rm_blocker(struct render_model *m, struct table *t, struct sstable *s,
			   enum cause cause, const char *evidence, int64_t clears_at_s);
void rm_action(struct render_model *m, struct blocker *b, const char *text, const char *risk,
	       const char *command);
void rm_forecast(struct render_model *m, struct table *t, int days, int64_t bytes);

/* A check of that id, the same one for the same id. */
const struct check *rm_check(struct render_model *m, const char *id);
/* A finding and the result that goes with it; table NULL = of the node. The caller keeps order. */
struct finding *rm_finding(struct render_model *m, enum severity s, const char *check,
			   const struct node *n, const struct table *t, const char *summary,
			   const char *action);
/* A check that found nothing. */
void rm_fine(struct render_model *m, const char *check, const struct table *t);

/*
 * Two nodes with the same three tables: readings_late (blocked and will-block), readings_ok, and
 * latest, which is not on TWCS.
 */
void rm_sample(struct render_model *m, struct arena *a);

/* The page or report as text in the arena. */
const char *rm_render(struct render_model *m, const struct renderer *renderer,
		      const struct render_options *o);

#endif
