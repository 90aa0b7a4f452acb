/*
 * Running one command as a child process: no shell, both streams drained together, a time limit,
 * limits on what it may print. Also the only clock of the live sources.
 *
 * The child gets LC_ALL=C and TZ=UTC (numbers and times must not depend on the user), nothing on
 * standard input but what it is given, and a process group of its own: a wrapper script ends with
 * what it started.
 */
#ifndef TWCSCHECK_RUN_H
#define TWCSCHECK_RUN_H

#include <poll.h>
#include <signal.h>

#include "base/arena.h"

struct run_limits {
	int64_t timeout_ms;
	size_t out_max;		/* bytes of standard output; more ends the child */
	size_t err_max;		/* bytes of standard error to keep; more is read and dropped */
	bool err_end;		/* keep its end as well, as remote_errout.h has it, not err_max */
	bool no_terminal;	/* the child and what it starts cannot ask anybody anything */
	const volatile sig_atomic_t *stop;	/* not 0: end the child at once; may be NULL */
};

/* What ended a child. A result that something else than itself ended is not whole. */
enum run_cause { RUN_BY_ITSELF, RUN_NOT_STARTED, RUN_STOPPED, RUN_TOO_LONG, RUN_TOO_MUCH };

struct run_result {
	struct slice out;	/* p NULL = nothing was printed; run_free() releases it */
	const char *errout;	/* standard error; before it, why this is no whole result */
	/* One of the two is there; a result that is not whole never has exit status 0. */
	struct opt_i64 exit_status;
	const char *signal;	/* "KILL"; NULL = none */
	enum run_cause cause;
	const char *why;	/* it is not whole, with which errout begins; NULL = it is */
	int64_t started_s, duration_ms;
};

/* Exit statuses of what could not run, as shells and timeout(1) have them. */
enum { RUN_TIMEOUT = 124, RUN_NOT_RUN = 126, RUN_NOT_FOUND = 127 };

/* argv[0] is looked up in PATH. Never fails: what went wrong is in the result. */
void run_command(struct arena *a, char *const argv[], const struct run_limits *limits,
		 struct run_result *out);
void run_free(struct run_result *r);

/*
 * The same without waiting: several children at once in somebody's loop of poll(). What could not
 * be started is over at the first step, and its result says so. argv and limits are not needed
 * after run_begin(); the arena is, until run_end(), and for the texts of the result.
 */
struct run;
enum { RUN_POLLS = 3 };

/*
 * `input` goes to its standard input (p NULL = nothing) and must stay until the end. A child that
 * does not read all of it is no error.
 */
struct run *run_begin(struct arena *a, char *const argv[], struct slice input,
		      const struct run_limits *limits);
/* Does what can be done now; true = it is over. */
bool run_step(struct run *r);
/* What it waits for; *wait_ms is lowered to when it must be stepped again all the same. */
size_t run_polls(const struct run *r, struct pollfd p[RUN_POLLS], int64_t *wait_ms);
/*
 * Gives the result; the run is gone after it. A child that is not over yet is ended at once, with
 * all of its process group.
 */
void run_end(struct run *r, struct run_result *out);

/* Seconds since the epoch; milliseconds of a clock that only goes forward. */
int64_t run_now_s(void);
int64_t run_clock_ms(void);

#endif
