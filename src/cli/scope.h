/* Which nodes and tables a run is about, and what of it could not be had. */
#ifndef TWCSCHECK_SCOPE_H
#define TWCSCHECK_SCOPE_H

#include "cli/cli.h"

/*
 * Keep the nodes that -H names, by name or address; without -H all of them. Each name that no node
 * has becomes a gap of the run: UNKNOWN, never silence. Call after cluster_assemble().
 */
void scope_nodes(struct run_options *o, struct cluster *c);

/* A keyspace that was named and of which no node has a table becomes a gap of the run. */
void scope_keyspaces(struct run_options *o, const struct cluster *c);

/*
 * The tables with labels of their own in the performance data, from arguments and configuration
 * alone: those named, else those that the configuration names without wildcard. Sorted by name.
 */
void scope_perf_tables(const struct run_options *o, struct render_options *ro);

/* Adds a gap to the run's options. */
void scope_gap(struct run_options *o, const char *reason, const char *action, bool is_node);

#endif
