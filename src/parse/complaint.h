/* What tools print in place of an output: usage errors, refused connections, stack traces. */
#ifndef TWCSCHECK_COMPLAINT_H
#define TWCSCHECK_COMPLAINT_H

#include "base/arena.h"

/*
 * Look for a tool's error message, and set err to the first line that looks like one:
 * ERR_CONNECT when the node (or its JMX port) could not be reached, ERR_AUTH when it refused the
 * credentials, else ERR_REMOTE. False when there is none.
 *
 * Source: NodeTool.badUse and NodeTool.err (3.0 to 5.0), cqlsh, sstable tools' main().
 */
bool complaint_find(struct arena *a, struct slice text, const char *subject, struct err *err);

/*
 * For a text without an output of the expected form: the tool's error message, or that there is
 * no `what` in it. Always returns false.
 */
bool complaint_report(struct arena *a, struct slice text, const char *subject, const char *what,
		      struct err *err);

/* A copy fit for a one-line text: no control characters, no full stop at its end, 200 bytes. */
const char *complaint_tidy(struct arena *a, struct slice s);

#endif
