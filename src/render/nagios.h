/*
 * The plugin's output for Nagios and Icinga: parts that its files share.
 *
 * Invariants of everything that is printed: US-ASCII without control characters, no '|' but the one
 * before the performance data, which stands on line 1 alone; nothing that a shell, a macro or HTML
 * could take for more than text; lines are whole.
 */
#ifndef TWCSCHECK_NAGIOS_H
#define TWCSCHECK_NAGIOS_H

#include "render/lookup.h"
#include "render/render.h"

/* Characters of line 1 before the performance data; less than the least is not worth a line. */
enum { ALERT_LINE_MAX = 120, ALERT_REST_LEAST = 40 };

/* Findings of one check and severity about one table (or one kind of fact), from all nodes. */
struct alert_entry {
	const struct finding **members;	/* in the order of the report */
	size_t n, n_nodes;
	const struct finding *worst;	/* of the members: most bytes at stake, then the first */
	double weight;			/* bytes at stake, of all members */
	size_t first;			/* position of the first one in the report */
	const char *said;		/* by the first one, without its node's name */
	bool same;			/* all members say the same */
};

struct alert {
	struct arena *a;
	const struct report *report;
	const struct render_options *o;
	struct alert_entry *entries;	/* worst and most important first */
	size_t n_entries;
	size_t n_bad;			/* the first ones, above SEV_OK */
};

/* Sort the report's findings into entries. */
void alert_group(struct alert *al);

/* True when the check of that id was made anywhere. */
bool alert_made(const struct report *r, const char *check);

/* ---- text (nagios_text.c) ---- */

/* `s` made harmless, see above; NULL becomes "". `line1`: without quotes as well. */
const char *alert_clean(struct arena *a, const char *s, bool line1);
/* "metrics.readings on cass-01", "... on 3 nodes", "cass-01"; "" when the fact names it all. */
const char *alert_object(struct alert *al, const struct alert_entry *e, bool with_nodes);
/* The fact of a single node names it already. */
bool alert_tells_node(const struct alert_entry *e);
/* The nodes of an entry by name: "cass-01, cass-02 and 7 more"; "" when it has none. */
const char *alert_nodes(struct alert *al, const struct alert_entry *e);
/* The summary of `f`, as it is or in brief, without what `object` names already. */
const char *alert_fact(struct arena *a, const struct finding *f, const char *summary,
		       const char *object);
/*
 * `fact` in fewer words: 0 leaves it as it is, each level up to FACT_LEVELS - 1 drops more of what
 * a summary can spare: time of day, percentages, dates, sizes.
 */
enum { FACT_LEVELS = 6 };
const char *alert_shorten(struct arena *a, const char *fact, unsigned level);
/* The first `max` bytes, cut at a word and ended with "..." when it is longer. */
const char *alert_cut(struct arena *a, const char *s, size_t max);
/* "CRITICAL" */
const char *alert_state(enum severity s);

/* ---- the lines ---- */

/* Line 1 without performance data, at most ALERT_LINE_MAX characters. */
const char *alert_line(struct alert *al);
/* The performance data, items parted by one blank. `report` NULL: every value is "U". */
const char *alert_perfdata(struct arena *a, const struct report *report,
			   const struct render_options *o);

#endif
