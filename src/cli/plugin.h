/*
 * The program as a monitoring plugin: called as check_twcs, or with --format nagios.
 *
 * Invariants from plugin_begin() on: the program ends with 0, 1, 2 or 3 whatever happens, nothing
 * is written to standard error, and what ends the run early (a bad option, no memory, a signal, the
 * time limit) is one line on standard output, "TWCS UNKNOWN - ...". Builds with sanitizers keep
 * standard error and the signals of crashes for the sanitizers' reports.
 */
#ifndef TWCSCHECK_PLUGIN_H
#define TWCSCHECK_PLUGIN_H

#include "base/base.h"

/* Defaults, in seconds: below the 60 s that Nagios and Icinga wait, and the limit of other runs. */
enum { PLUGIN_TIMEOUT_S = 50, PLUGIN_MAX_AGE_S = 3600, RUN_TIMEOUT_S = 300 };

/* True when the last part of argv[0] is check_twcs (also lt-check_twcs and the like). */
bool plugin_is_name(const char *argv0);
/* True when the arguments ask for --format nagios. */
bool plugin_is_asked(int argc, char **argv);

/* Descriptors 0 to 2 that were closed get /dev/null, so that no file takes their place. */
void plugin_open_descriptors(void);

void plugin_begin(void);
bool plugin_active(void);

/*
 * What the run is doing, for the line of a run that is ended from outside: "reading the evidence",
 * and of which node; NULL = of none.
 */
void plugin_stage(const char *stage, const char *node);
const char *plugin_stage_name(void);
const char *plugin_stage_node(void);
/* The performance data of a run that ends early; "" = none. Labels with the value "U". */
void plugin_perfdata(const char *text);

/*
 * The run's time limit: a little before `seconds` have passed deadline_passed() becomes true and
 * blocking calls are interrupted; when they have passed and the run is still there, it ends.
 */
void plugin_limit(double seconds);
/* The limit as it was set, in seconds; 0 = none. */
double plugin_limit_s(void);

/* From here on the report is being written: a signal ends the run with its exit status. */
void plugin_writes(int status);

/* Prints "TWCS UNKNOWN - text" with the performance data. Returns the exit status, 3. */
int plugin_unknown(struct arena *a, const char *text, size_t max_output);
/* 0 to 3 as it is, anything else 3. */
int plugin_exit_status(int status);

#endif
