/* From argv to a command: the command table, help, version, complaints. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/plugin.h"

const struct cli_command cli_commands[] = {
	{ .name = "check", .arguments = "[SOURCE] [KEYSPACE[.TABLE] ...]",
	  .help = "judge every table: is the design holding, what is held, what to do (default)",
	  .run = cmd_check, .view = VIEW_CHECK },
	{ .name = "windows", .arguments = "[SOURCE] KEYSPACE.TABLE ...",
	  .help = "every window: SSTables, bytes, span, TTL, state, when it drops; as a timeline",
	  .run = cmd_check, .view = VIEW_WINDOWS },
	{ .name = "blockers", .arguments = "[SOURCE] KEYSPACE.TABLE ...",
	  .help = "who blocks whom, why, until when, what is safe to do, bytes freed by day",
	  .run = cmd_check, .view = VIEW_BLOCKERS },
	{ .name = "collect", .arguments = "[SOURCE] -o DIRECTORY|ARCHIVE [KEYSPACE[.TABLE] ...]",
	  .help = "save all evidence as a bundle: a directory, .tar.gz or .tar.zst",
	  .run = cmd_collect },
	{ .name = "metadata", .arguments = "FILE|DIR|- ...",
	  .help = "decode Statistics.db without a JVM", .run_raw = cmd_metadata },
	{ .name = "explain", .arguments = "[CHECK ...]",
	  .help = "what a check means, its thresholds and where they come from, what to do",
	  .run = cmd_explain },
	{ 0 },
};

/* What comes from arguments and files must not drive the terminal. */
static const char *harmless(struct arena *a, const char *text)
{
	char *out = arena_strdup(a, text);

	for (char *c = out; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return out;
}

void cli_complain(struct arena *a, const struct err *err)
{
	if (plugin_active()) {
		plugin_unknown(a, err_text(a, err), 0);
		return;
	}
	fprintf(stderr, "twcscheck: %s\n", harmless(a, err_text(a, err)));
}

static void print_options(void)
{
	const char *group = "";

	for (const struct option_def *d = cli_options; d->name; d++) {
		char left[64];

		if (strcmp(group, d->group) != 0)
			printf("\n%s:\n", d->group);
		group = d->group;
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", d->letter ? '-' : ' ',
			 d->letter ? d->letter : ' ', d->letter ? ", " : "  ", d->name,
			 d->arg ? " " : "", d->arg ? d->arg : "");
		if (strlen(left) > 28)
			printf("  %s\n  %-28s %s\n", left, "", d->help);
		else
			printf("  %-28s %s\n", left, d->help);
	}
}

static void cli_print_plugin_help(void)
{
	puts("usage: check_twcs -H NODE[,NODE] [OPTION ...] [KEYSPACE[.TABLE] ...]\n"
	     "       check_twcs --from BUNDLE [-H NODE] [OPTION ...] [KEYSPACE[.TABLE] ...]\n\n"
	     "A monitoring plugin for Nagios and Icinga: which time windows of TWCS tables in "
	     "Cassandra and\n"
	     "ScyllaDB are held on disk past their expiry, by which SSTable, why, and until when.\n"
	     "-t is 50s, and --max-age 1h with --from, unless they are given.");
	print_options();
	puts("\nExit status: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN, an error, this help.");
}

void cli_print_help(const struct cli_command *c)
{
	if (c) {
		printf("usage: twcscheck %s %s\n\n%s\n", c->name, c->arguments, c->help);
	} else {
		puts("usage: twcscheck [COMMAND] [OPTION ...] [KEYSPACE[.TABLE] ...]\n\n"
		     "Says which time windows of TWCS tables in Cassandra and ScyllaDB are held "
		     "on disk past\n"
		     "their expiry, by which SSTable, why, until when, and what is safe to "
		     "do.\n\nCommands:");
		for (c = cli_commands; c->name; c++)
			printf("  %-10s %s\n", c->name, c->help);
	}
	print_options();
	puts("\nExit status: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN or an error.");
}

/* Memory is out: the exit status must still be UNKNOWN, and nothing may be allocated. */
static void out_of_memory(void)
{
	static const char text[] = "twcscheck UNKNOWN: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	_exit(EXIT_UNKNOWN);
}

static const struct cli_command *find_command(const char *name)
{
	for (const struct cli_command *c = cli_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static int run_command(struct run_options *o, const struct cli_command *c, bool named, int argc,
		       char **argv)
{
	struct err err = { 0 };

	if (!options_parse(o, argc, argv, &err)) {
		cli_complain(o->arena, &err);
		return EXIT_UNKNOWN;
	}
	if (o->help || o->version) {
		if (o->help && o->by_plugin_name)
			cli_print_plugin_help();
		else if (o->help)
			cli_print_help(named ? c : NULL);
		else
			puts(o->by_plugin_name ? "check_twcs " PACKAGE_VERSION
					       : PACKAGE_NAME " " PACKAGE_VERSION);
		/* The habit of plugins: these are no result of a check. */
		return fflush(stdout) == 0 && !o->by_plugin_name ? EXIT_OK : EXIT_UNKNOWN;
	}
	if (!named && !o->by_plugin_name && o->arguments.n && find_command(o->arguments.v[0])) {
		c = find_command(o->arguments.v[0]);	/* options came first */
		o->arguments.v++;
		o->arguments.n--;
		if (!c->run) {
			err_set(o->arena, &err, ERR_USAGE, c->name, 0,
				"must come before the options");
			cli_complain(o->arena, &err);
			return EXIT_UNKNOWN;
		}
	}
	return c->run(o, c);
}

/* Called as check_twcs: no commands, every argument that is no option is a table. */
static int run_plugin(int argc, char **argv)
{
	struct arena *a;
	struct run_options o;
	int status;

	plugin_begin();
	a = arena_create();
	o = (struct run_options){ .arena = a, .format = &renderer_nagios, .by_plugin_name = true };
	status = run_command(&o, &cli_commands[0], false, argc, argv);
	arena_destroy(a);
	return plugin_exit_status(status);
}

int cli_run(int argc, char **argv)
{
	const struct cli_command *c = argc > 1 ? find_command(argv[1]) : NULL;
	struct arena *a;
	struct run_options o;
	int status;

	plugin_open_descriptors();
	arena_on_out_of_memory(out_of_memory);
	if (argc > 0 && plugin_is_name(argv[0]))
		return run_plugin(argc, argv);
	if (plugin_is_asked(argc, argv))
		plugin_begin();
	if (c && c->run_raw)
		return c->run_raw(argc - 1, argv + 1);
	a = arena_create();
	o = (struct run_options){ .arena = a, .format = &renderer_human };
	if (c)
		status = run_command(&o, c, true, argc - 1, argv + 1);
	else
		status = run_command(&o, &cli_commands[0], false, argc, argv);
	arena_destroy(a);
	return status;
}
