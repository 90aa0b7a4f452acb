/*
 * The command line. Commands are rows of a table (commands.c), options are rows of a table
 * (options.c): parser, --help and the tests that compare them with the man page read those.
 */
#ifndef TWCSCHECK_CLI_H
#define TWCSCHECK_CLI_H

#include "collect/remote.h"
#include "finding/finding.h"
#include "render/render.h"

/* Exit statuses of every command. */
enum { EXIT_OK = 0, EXIT_WARNING = 1, EXIT_CRITICAL = 2, EXIT_UNKNOWN = 3 };

int cli_run(int argc, char **argv);

struct remote_nodes { VEC(struct remote_node) list; };

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct run_options {
	struct arena *arena;
	VEC(const char *) from;
	const struct renderer *format;
	const char *output;		/* -o FILE; NULL = standard output */
	enum color_mode color;
	unsigned verbose;
	bool quiet, help, version;
	struct assemble_options assemble;
	VEC(struct selection) selections;
	struct run_checks_options checks;
	VEC(const char *) arguments;	/* what is no option */
	const char *config;		/* --config FILE; NULL = the usual ones */
	/* From the configuration; NULL = not given. */
	const char *cluster_name, *schema_file;
	const char *nodetool, *cqlsh, *sstablemetadata;
	struct remote_nodes nodes;
	struct remote_options ssh;	/* of it what a configuration can say, with defaults */
	VEC(const char *) hosts; /* -H: names or addresses; none = all nodes of the source */
	const char *port;		/* -p; NULL = not given */
	struct opt_f64 timeout_s;	/* --timeout for the whole run; unknown = the default */
	size_t max_output;		/* bytes of --format nagios; 0 = not given */
	bool local;			/* --local: this machine is a source */
	bool force;			/* collect: replace a bundle that is there */
	bool by_plugin_name;		/* called as check_twcs */
	const char *document;		/* explain: "markdown" or "man"; NULL = text */
	bool all;			/* explain: every check */
};

struct cli_command {
	const char *name, *arguments, *help;
	int (*run)(struct run_options *o, const struct cli_command *self);
	int (*run_raw)(int argc, char **argv);	/* parses its own options; argv[0] is the command */
	enum view view;
};

extern const struct cli_command cli_commands[];

/* One option: everything that parser, help and tests need. */
struct option_def {
	const char *name;	/* long, without dashes */
	char letter;		/* 0 = none */
	const char *arg;	/* placeholder; NULL = takes none */
	const char *group, *help;
	/* False and err set when the value is not usable. value is NULL without arg. */
	bool (*set)(struct run_options *o, const char *value, struct err *err);
};

extern const struct option_def cli_options[];

/* Parse everything after the command's name. False and err set on a usage error. */
bool options_parse(struct run_options *o, int argc, char **argv, struct err *err) MUST_USE;
/* KEYSPACE[.TABLE] arguments into o->selections. */
bool options_select(struct run_options *o, struct err *err) MUST_USE;

/* Prints "twcscheck: <text>" (and a hint line) to standard error. */
void cli_complain(struct arena *a, const struct err *err);

/* Commands. */
int cmd_check(struct run_options *o, const struct cli_command *self);
int cmd_collect(struct run_options *o, const struct cli_command *self);
int cmd_explain(struct run_options *o, const struct cli_command *self);
int cmd_metadata(int argc, char **argv);
void cli_print_help(const struct cli_command *c);

/* Writing the result: standard output, or a file that appears whole or not at all. */
struct output {
	const char *path;	/* NULL = standard output */
	char *temporary;
	int fd;
	int error;		/* errno of the first write that failed */
	struct buf buf;
};
bool output_open(struct arena *a, struct output *out, const char *path, struct err *err) MUST_USE;
/* Flushes and renames; false and err set when anything was not written. */
bool output_close(struct arena *a, struct output *out, struct err *err) MUST_USE;

/* What the terminal (or the environment) allows. */
/* Columns: COLUMNS, else the terminal's; 0 when standard output is no terminal. */
unsigned terminal_width(void);
bool terminal_is_utf8(void);
bool terminal_wants_color(enum color_mode mode);

#endif
