/* What the checks say of themselves, as documents: docs/checks.md and the manual page. */
#ifndef TWCSCHECK_EXPLAIN_H
#define TWCSCHECK_EXPLAIN_H

#include "finding/finding.h"
#include "base/buf.h"

/* "state" or "design"; "each table on each node", "each node", "the cluster". */
const char *explain_class(const struct check *c);
const char *explain_scope(const struct check *c);

/* All checks, in the order of the report. */
void explain_markdown(struct buf *out);
void explain_man(struct buf *out);

#endif
