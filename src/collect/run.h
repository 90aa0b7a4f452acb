/*
 * Running one command as a child process: no shell, both streams drained together, a time limit,
 * limits on what it may print. Also the only clock of the live sources.
 *
 * The child gets LC_ALL=C and TZ=UTC (numbers and times must not depend on the user), nothing on
 * standard input, and a process group of its own: a wrapper script ends with what it started.
 */
#ifndef TWCSCHECK_RUN_H
#define TWCSCHECK_RUN_H

#include <signal.h>

#include "base/arena.h"

struct run_limits {
	int64_t timeout_ms;
	size_t out_max;		/* bytes of standard output; more ends the child */
	size_t err_max;		/* bytes of standard error to keep; more is read and dropped */
	const volatile sig_atomic_t *stop;	/* not 0: end the child at once; may be NULL */
};

struct run_result {
	struct slice out;	/* p NULL = nothing was printed; run_free() releases it */
	const char *errout;	/* standard error; before it, why this is no whole result */
	/* One of the two is there; a result that is not whole never has exit status 0. */
	struct opt_i64 exit_status;
	const char *signal;	/* "KILL"; NULL = none */
	int64_t started_s, duration_ms;
};

/* Exit statuses of what could not run, as shells and timeout(1) have them. */
enum { RUN_TIMEOUT = 124, RUN_NOT_RUN = 126, RUN_NOT_FOUND = 127 };

/* argv[0] is looked up in PATH. Never fails: what went wrong is in the result. */
void run_command(struct arena *a, char *const argv[], const struct run_limits *limits,
		 struct run_result *out);
void run_free(struct run_result *r);

/* Seconds since the epoch; milliseconds of a clock that only goes forward. */
int64_t run_now_s(void);
int64_t run_clock_ms(void);

#endif
