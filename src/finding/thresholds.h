/* What the run's options say of a check: its thresholds, where it is left out, what is accepted. */
#ifndef TWCSCHECK_THRESHOLDS_H
#define TWCSCHECK_THRESHOLDS_H

#include "finding/finding.h"

/* Neither left out by --only, --skip nor by its class. */
bool check_is_selected(const struct run_checks_options *o, const struct check *c);

/* Fill ctx->thresholds for ctx->check on ctx->table. The options must have been validated. */
void thresholds_fill(struct arena *a, const struct run_checks_options *o, struct check_ctx *ctx);

/* The configuration leaves the check out: everywhere, or with `table` not NULL on that table. */
bool check_is_accepted(const struct run_checks_options *o, const struct check *c,
		       const struct table *table);

/*
 * Make a finding of a check harmless when a silence covers it at `now_s`: its text stays, its
 * severity becomes SEV_OK. A silence that has ended is told in the details. Information stays as
 * it is.
 */
void finding_silence(const struct run_checks_options *o, int64_t now_s, struct findings *out,
		     struct finding *f);

#endif
