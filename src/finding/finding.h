/*
 * Findings, checks, thresholds. A check is a pure function from the model to findings; the runner
 * decides where it runs, whether its evidence is there, and which thresholds apply.
 */
#ifndef TWCSCHECK_FINDING_H
#define TWCSCHECK_FINDING_H

#include "base/num.h"
#include "model/model.h"

enum severity { SEV_OK, SEV_UNKNOWN, SEV_WARNING, SEV_CRITICAL };	/* worst-of order */

const char *severity_name(enum severity s);	/* "ok", "unknown", "warning", "critical" */

enum check_scope { SCOPE_TABLE, SCOPE_NODE, SCOPE_CLUSTER };

/*
 * state: what happens now. design: how the table is laid out, true for months.
 */
enum check_class { CLASS_STATE, CLASS_DESIGN };

struct metric {
	const char *name;	/* snake_case */
	enum unit unit;
	double value;
	const char *warning, *critical;	/* ranges as typed; NULL = none */
};

/*
 * A finding that somebody accepted until a day. `table` is a pattern of full names, see
 * table_pattern_matches(); NULL = whatever it is about.
 */
struct silence {
	const char *check, *table;
	int64_t until_s;		/* from then on it counts again */
	const char *until, *reason;	/* as written */
};

struct finding {
	const struct check *check;
	enum severity severity;		/* SEV_OK = information, shown with -v */
	const char *summary;		/* one line, plain: number, object, culprit */
	const char *brief;		/* the summary in fewer words; NULL = there are none */
	VEC(const char *) details;
	const char *action;		/* what the operator does next; NULL = nothing */
	const struct node *node;	/* NULL = the whole cluster */
	const struct table *table;	/* NULL = the whole node */
	const struct window *window;	/* NULL = no single one */
	VEC(struct metric) metrics;
	bool missing_evidence;		/* made by the runner: the checks it costs are in details */
	const struct silence *silenced;	/* accepted: severity is SEV_OK; NULL = not */
	enum severity silenced_from;	/* what it would be */
};

struct findings {
	struct arena *arena;
	/*
	 * Set by a check that cannot judge although its evidence is there (a value that was not
	 * printed, or is implausible): why. The runner makes it an UNKNOWN.
	 */
	const char *gap;
	VEC(struct finding *) list;
};

struct check_param {
	const char *name;		/* the first one is what "-w CHECK=RANGE" sets */
	enum unit unit;
	const char *warn, *crit;	/* default ranges as typed; NULL = none */
	const char *help;
};

struct threshold { struct range warn, crit; };

enum { PARAMS_MAX = 6 };

struct check_ctx {
	struct arena *arena;
	const struct cluster *cluster;
	const struct node *node;	/* NULL for SCOPE_CLUSTER */
	const struct table *table;	/* NULL for SCOPE_NODE and SCOPE_CLUSTER */
	const struct check *check;
	struct threshold thresholds[PARAMS_MAX];	/* in the order of check->params */
};

/* Which tables a table check is run on. */
enum check_tables {
	TABLES_ALL,
	TABLES_TWCS,		/* unknown strategy: UNKNOWN */
	TABLES_UNLESS_OTHER,	/* TWCS and unknown strategy; other strategies only when named */
};

struct check {
	const char *id;			/* stable, kebab-case, never reused */
	const char *title;		/* a few words */
	const char *explain;		/* paragraphs: meaning, thresholds' source, normal, confirm,
					   remedies and risks, version differences */
	enum check_scope scope;
	enum check_tables tables;	/* SCOPE_TABLE only */
	enum check_class cls;
	/*
	 * Evidence kinds without which the check is UNKNOWN. Several bits of EV_METADATA mean
	 * "either of them".
	 */
	unsigned needs;
	bool timestamps_only;	/* of SSTable metadata it needs no more than write timestamps */
	/* SCOPE_TABLE: kinds of which one must be there for the table; 0 = none. */
	unsigned needs_any;
	const struct check_param *params;	/* ends with a NULL name; may be NULL */
	/*
	 * True when the check applies here. Called before the evidence is looked at; NULL = always.
	 */
	bool (*applies)(const struct check_ctx *ctx);
	void (*run)(const struct check_ctx *ctx, struct findings *out);
	/*
	 * SCOPE_TABLE: what lesser evidence says, when settings or metadata are missing. That it is
	 * UNKNOWN is told as well. NULL = nothing does.
	 */
	void (*fallback)(const struct check_ctx *ctx, struct findings *out);
};

/* Generated from checks/Makefile.inc; ends with NULL. */
extern const struct check *const check_table[];

const struct check *check_find(const char *id);

/* Adds a finding for the context's node and table. The summary is formatted into the arena. */
struct finding *finding_add(const struct check_ctx *ctx, struct findings *out,
			    enum severity severity, const char *fmt, ...) PRINTF_LIKE(4, 5);
void finding_detail(struct findings *out, struct finding *f, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void finding_action(struct findings *out, struct finding *f, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* A metric with the thresholds of parameter `param` (index); param < 0: without. */
void finding_metric(const struct check_ctx *ctx, struct findings *out, struct finding *f,
		    const char *name, enum unit unit, double value, int param);

/* SEV_OK, SEV_WARNING or SEV_CRITICAL of `value` against the parameter's ranges. */
enum severity check_judge(const struct check_ctx *ctx, unsigned param, double value);

/* ---- runner ---- */

/* `param` NULL = the first one; `table` a pattern of full names, NULL = everywhere. */
struct threshold_override { const char *check, *param, *warn, *crit, *table; };

/* A check that the configuration leaves out; `table` as above. */
struct check_skip { const char *check, *table; };

/* Something that the caller could not get: the runner makes an UNKNOWN of it. */
struct known_gap {
	const char *reason, *action;
	bool is_node;			/* a node that was asked for */
};

struct run_checks_options {
	VEC(const char *) only, skip;
	VEC(struct threshold_override) overrides;	/* later ones win */
	VEC(struct check_skip) accepted;	/* `only` wins over those of all tables */
	VEC(struct silence) silences;
	bool class_set;
	enum check_class cls;
	struct opt_i64 max_age_s;	/* older evidence is UNKNOWN */
	int64_t wall_clock_s;		/* what --max-age compares with */
	VEC(struct known_gap) gaps;
};

/* What became of one check on one table (or node): also when it found nothing. */
struct check_result {
	const struct check *check;
	const struct node *node;
	const struct table *table;
	enum severity severity;
};

/* A check that was not made because the configuration leaves it out. */
struct skipped_check {
	const struct check *check;
	const char *table;	/* full name, NULL = everywhere */
};

struct report {
	const struct cluster *cluster;
	struct findings findings;	/* sorted: worst first, then node, table, window, check */
	VEC(struct check_result) results;	/* by node, table, check order */
	VEC(struct skipped_check) skipped;	/* by check order, then table; each once */
	enum severity worst;
	const char *program;		/* "twcscheck 0.1.0" */
	int64_t now_s;			/* the latest of the nodes' clocks */
	const char *now_from;		/* where it comes from */
};

/*
 * Checks an option set against the check table: unknown ids (with the nearest known one), ranges
 * that do not parse. False and err set when something is wrong.
 */
bool run_checks_validate(struct arena *a, const struct run_checks_options *o, struct err *err);

void run_checks(struct arena *a, const struct cluster *c, const struct run_checks_options *o,
		struct report *out);

/* Why evidence of that age says nothing about now (--max-age); NULL when it does. */
const char *evidence_too_old(struct arena *a, const struct run_checks_options *o,
			     const struct node *n);

#endif
