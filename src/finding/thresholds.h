/* Thresholds of a check: its defaults, overridden by the run's options. */
#ifndef TWCSCHECK_THRESHOLDS_H
#define TWCSCHECK_THRESHOLDS_H

#include "finding/finding.h"

/* Fill ctx->thresholds for ctx->check. The options must have been validated. */
void thresholds_fill(struct arena *a, const struct run_checks_options *o, struct check_ctx *ctx);

#endif
