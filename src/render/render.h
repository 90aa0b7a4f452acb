/*
 * Renderers: a report in, one buffer out. Pure: no clock, no environment, no stdio. Each escapes
 * hostile text for its own format.
 */
#ifndef TWCSCHECK_RENDER_H
#define TWCSCHECK_RENDER_H

#include "base/buf.h"
#include "finding/finding.h"

enum view { VIEW_CHECK, VIEW_WINDOWS, VIEW_BLOCKERS };

struct render_options {
	enum view view;
	unsigned width;		/* columns of the terminal, at least 40; 0 = no terminal: nothing is
				   wrapped or cut */
	bool color, ascii;	/* ascii: no character outside US-ASCII in what we draw */
	unsigned verbose;	/* 0 to 3 */
	bool quiet;		/* the summary line alone */
	/* Source options as typed, for the commands that the page proposes; NULL = none. */
	const char *source_args;
	/* nagios: */
	size_t max_output;	/* bytes in all; 0 = MAX_OUTPUT_DEFAULT */
	/*
	 * Full names of the tables that have labels of their own in the performance data. They must
	 * follow from arguments and configuration alone. None = all tables once, under "all".
	 */
	const char *const *perf_tables;
	size_t n_perf_tables;
	const struct run_checks_options *checks; /* the run's, for thresholds; NULL = defaults */
};

/* Limits of the plugin's output. Below the least one the performance data would not fit. */
enum { MAX_OUTPUT_DEFAULT = 4000, MAX_OUTPUT_LEAST = 400, PERF_TABLES_MAX = 8 };

struct renderer {
	const char *name, *help;	/* the --format value */
	void (*render)(const struct report *r, const struct render_options *o, struct buf *out);
};

extern const struct renderer renderer_human, renderer_json, renderer_nagios;

/* The performance data of a run without a report: the labels of `o`, every value "U". */
const char *nagios_perfdata_unknown(struct arena *a, const struct render_options *o);
/*
 * What the plugin prints when there is no report: UNKNOWN, the text made harmless, and performance
 * data as it stands ("" = none). max_output 0 = MAX_OUTPUT_DEFAULT.
 */
void nagios_render_unknown(struct arena *a, const char *text, const char *perfdata,
			   size_t max_output, struct buf *out);

/* The exit status of a severity: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. */
int severity_exit_status(enum severity s);

#endif
