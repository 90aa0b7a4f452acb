/*
 * The time limit of the run: one point in time that everything which may take long looks at.
 *
 * Invariants: without deadline_set() no time limit ever passes; the clock is the monotonic one, so
 * that setting the system's clock changes nothing. A blocking call that comes back with EINTR is
 * to be repeated only while deadline_passed() says no.
 */
#ifndef TWCSCHECK_DEADLINE_H
#define TWCSCHECK_DEADLINE_H

#include "base/base.h"

/* What failed evidence says of it. */
#define DEADLINE_TEXT "not read: the time limit of the run was reached"

/* The limit is `seconds` from now; 0 or less takes it away. */
void deadline_set(double seconds);
bool deadline_passed(void);
/* Seconds that are left: 0 when it has passed, INFINITY without a limit. */
double deadline_left(void);

#endif
