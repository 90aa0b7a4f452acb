/*
 * The configuration: what the files say (struct config), and how a run takes it over.
 *
 * /etc/twcscheck/twcscheck.json, over it key by key ~/.config/twcscheck.json; with --config that
 * file alone. Whatever is wrong in a file is an error with line and column and ends the run: a
 * threshold that is not in force must not go unnoticed. docs/configuration.md has every key.
 */
#ifndef TWCSCHECK_CONFIG_H
#define TWCSCHECK_CONFIG_H

#include "cli/cli.h"

/* One entry of "tables"; its pattern is design.table. */
struct config_table {
	struct table_design design;
	VEC(struct threshold_override) thresholds;
	VEC(const char *) skip;
};

struct config {
	const char *cluster;		/* NULL = not given, as below */
	const char *schema;		/* path of a saved schema */
	const char *nodetool, *cqlsh, *sstablemetadata;
	struct remote_nodes nodes;
	struct remote_options ssh;	/* what "ssh" and "node" say; 0 = not given */
	struct opt_i64 connect_timeout_s, command_timeout_s;
	VEC(struct config_table *) tables;
	VEC(struct threshold_override) thresholds;
	VEC(const char *) skip;
	VEC(struct silence) silences;
};

/*
 * Read one file's text into `c`: what it says wins over what is there, key by key; lists are
 * replaced. `path` is for messages, and relative paths in the text start from its folder.
 */
bool config_read(struct arena *a, const char *path, struct slice text, struct config *c,
		 struct err *err) MUST_USE;

/*
 * Find and read the files that count for the run, and make its options of them: command-line
 * options win. False and err set when one cannot be read or something in it is wrong.
 */
bool config_load(struct run_options *o, struct err *err) MUST_USE;

/* The second half of config_load(): make the run's options of what was read. */
void config_apply(const struct config *c, struct run_options *o);

/*
 * After all evidence is parsed, before the tables are assembled: the configured schema and the
 * cluster's name, where the evidence has none.
 */
bool config_finish_cluster(const struct run_options *o, struct cluster *c, struct err *err)
	MUST_USE;

/* After the tables are assembled: a table that the configuration names and nobody has is noted. */
void config_note_missing(const struct run_options *o, struct cluster *c);

#endif
