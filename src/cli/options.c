/* Options as rows: name, letter, argument, group, help, and what it sets. */
#include "cli/cli.h"

#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

#include "base/slice.h"

static bool bad_value(struct run_options *o, struct err *err, const char *option, const char *value,
		      const char *hint)
{
	return err_set(o->arena, err, ERR_USAGE, option, 0, "cannot use '%s'; hint: %s", value,
		       hint);
}

static bool set_from(struct run_options *o, const char *value, struct err *err)
{
	(void)err;
	*vec_add(o->arena, &o->from) = value;
	return true;
}

static bool set_local(struct run_options *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	o->local = true;
	return true;
}

static bool set_force(struct run_options *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	o->force = true;
	return true;
}

static bool set_format(struct run_options *o, const char *value, struct err *err)
{
	static const struct renderer *const renderers[] = {
		&renderer_human, &renderer_json, &renderer_nagios,
	};

	o->document = NULL;
	for (size_t i = 0; i < ARRAY_LEN(renderers); i++) {
		if (strcmp(renderers[i]->name, value) == 0) {
			o->format = renderers[i];
			return true;
		}
	}
	if (strcmp(value, "markdown") == 0 || strcmp(value, "man") == 0) {
		o->document = value;
		return true;
	}
	return bad_value(o, err, "--format", value, "human, json or nagios");
}

static bool set_output(struct run_options *o, const char *value, struct err *err)
{
	(void)err;
	o->output = value;
	return true;
}

static bool set_color(struct run_options *o, const char *value, struct err *err)
{
	static const char *const names[] = { "auto", "always", "never" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], value) == 0) {
			o->color = (enum color_mode)i;
			return true;
		}
	}
	return bad_value(o, err, "--color", value, "auto, always or never");
}

static bool set_verbose(struct run_options *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	if (o->verbose < 3)
		o->verbose++;
	return true;
}

static bool set_quiet(struct run_options *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	o->quiet = true;
	return true;
}

/* "CHECK[.PARAM]=RANGE" */
static bool set_threshold(struct run_options *o, const char *option, const char *value, bool warn,
			  struct err *err)
{
	struct slice v = slice_of(value), name = { v.p, slice_find(v, '=') }, check = name;
	struct threshold_override *t;
	size_t dot = slice_find(name, '.');

	if (name.n == v.n || !name.n)
		return bad_value(o, err, option, value, "CHECK[.PARAM]=RANGE, for instance "
				 "blocked-windows=2 or gc-grace.share=80");
	check.n = dot;
	t = vec_add(o->arena, &o->checks.overrides);
	t->check = arena_copy(o->arena, check);
	t->param = dot < name.n ? arena_copy(o->arena, slice_from(name, dot + 1)) : NULL;
	if (warn)
		t->warn = value + name.n + 1;
	else
		t->crit = value + name.n + 1;
	return true;
}

static bool set_warning(struct run_options *o, const char *value, struct err *err)
{
	return set_threshold(o, "--warning", value, true, err);
}

static bool set_critical(struct run_options *o, const char *value, struct err *err)
{
	return set_threshold(o, "--critical", value, false, err);
}

static bool set_only(struct run_options *o, const char *value, struct err *err)
{
	(void)err;
	*vec_add(o->arena, &o->checks.only) = value;
	return true;
}

static bool set_skip(struct run_options *o, const char *value, struct err *err)
{
	(void)err;
	*vec_add(o->arena, &o->checks.skip) = value;
	return true;
}

static bool set_class(struct run_options *o, const char *value, struct err *err)
{
	bool state = strcmp(value, "state") == 0;

	if (!state && strcmp(value, "design") != 0)
		return bad_value(o, err, "--class", value, "state or design");
	o->checks.class_set = true;
	o->checks.cls = state ? CLASS_STATE : CLASS_DESIGN;
	return true;
}

static const int64_t YEAR_9999_S = 253402300799;

static bool set_now(struct run_options *o, const char *value, struct err *err)
{
	int64_t *now = &o->assemble.now_s.v;

	if (!num_parse_time(slice_of(value), now) || *now < 0 || *now > YEAR_9999_S)
		return bad_value(o, err, "--now", value,
				 "2026-11-30T18:00:00Z, or seconds since 1970");
	o->assemble.now_s.known = true;
	return true;
}

static bool set_config(struct run_options *o, const char *value, struct err *err)
{
	(void)err;
	o->config = value;
	return true;
}

static bool set_max_age(struct run_options *o, const char *value, struct err *err)
{
	double s;

	if (!num_parse_duration(slice_of(value), &s) || s < 0 || s > 1e12)
		return bad_value(o, err, "--max-age", value,
				 "a duration such as 90s, 30min, 2h or 1d");
	o->checks.max_age_s = some_i64((int64_t)s);
	return true;
}

/* "cass-01,10.0.0.12" */
static bool set_hosts(struct run_options *o, const char *value, struct err *err)
{
	struct slice rest = slice_of(value), name;

	while (slice_field(&rest, ',', &name)) {
		name = slice_trim(name);
		if (!name.n)
			return bad_value(o, err, "--hostname", value,
					 "names or addresses, parted by commas");
		*vec_add(o->arena, &o->hosts) = arena_copy(o->arena, name);
	}
	return o->hosts.n || bad_value(o, err, "--hostname", value, "a name or address");
}

static bool set_port(struct run_options *o, const char *value, struct err *err)
{
	int64_t port;

	if (!num_parse_i64(slice_of(value), &port) || port < 1 || port > 65535)
		return bad_value(o, err, "--port", value, "a number from 1 to 65535");
	o->port = arena_printf(o->arena, "%lld", (long long)port);
	return true;
}

static bool set_timeout(struct run_options *o, const char *value, struct err *err)
{
	double s;

	if (!num_parse_duration(slice_of(value), &s) || s < 1 || s > 86400)
		return bad_value(o, err, "--timeout", value,
				 "seconds, or a duration such as 2min; 1 s to 1 d");
	o->timeout_s = some_f64(s);
	return true;
}

static bool set_max_output(struct run_options *o, const char *value, struct err *err)
{
	double bytes;

	if (!num_parse_size(slice_of(value), &bytes) || bytes < MAX_OUTPUT_LEAST || bytes > 1e7)
		return bad_value(o, err, "--max-output", value,
				 "bytes, 400 to 10MB; 1000 for NRPE 2");
	o->max_output = (size_t)bytes;
	return true;
}

static bool set_all(struct run_options *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	o->all = true;
	return true;
}

static bool set_help(struct run_options *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	o->help = true;
	return true;
}

static bool set_version(struct run_options *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	o->version = true;
	return true;
}

const struct option_def cli_options[] = {
	{ "from", 0, "BUNDLE", "Source",
	  "read the evidence bundle BUNDLE, a directory or an archive; repeatable", set_from },
	{ "local", 0, NULL, "Source",
	  "ask this machine: nodetool, cqlsh, and SSTables' files where they lie", set_local },
	{ "now", 0, "TIME", "Source",
	  "judge by this time (ISO 8601 or epoch seconds), not by the nodes' clocks", set_now },
	{ "max-age", 0, "DURATION", "Source", "older evidence is UNKNOWN", set_max_age },
	{ "config", 0, "FILE", "Source",
	  "read the configuration from FILE alone, not from its usual places", set_config },
	{ "hostname", 'H', "NODE[,NODE]", "Source",
	  "ask these nodes over SSH: [USER@]HOST[:PORT]; with --from or --local these nodes alone",
	  set_hosts },
	{ "port", 'p', "PORT", "Source", "SSH port, where a node has none of its own", set_port },
	{ "timeout", 't', "DURATION", "Source",
	  "end the run by then: 5min, as check_twcs 50s; what was not read is UNKNOWN",
	  set_timeout },
	{ "format", 0, "FORMAT", "Output",
	  "human (default), json or nagios; of explain also markdown and man", set_format },
	{ "output", 'o', "FILE", "Output", "write to FILE, which appears whole or not at all",
	  set_output },
	{ "force", 0, NULL, "Output", "collect: replace a bundle that exists already", set_force },
	{ "color", 0, "WHEN", "Output", "auto (default), always or never; NO_COLOR is honoured",
	  set_color },
	{ "verbose", 'v', NULL, "Output", "more: details and information; up to three times",
	  set_verbose },
	{ "max-output", 0, "BYTES", "Output",
	  "nagios: at most so many bytes, cut at a line's end (4000)", set_max_output },
	{ "quiet", 'q', NULL, "Output", "the summary line alone", set_quiet },
	{ "warning", 'w', "CHECK[.PARAM]=RANGE", "Checks",
	  "threshold for a warning; an empty RANGE takes it off", set_warning },
	{ "critical", 'c', "CHECK[.PARAM]=RANGE", "Checks", "threshold for critical",
	  set_critical },
	{ "only", 0, "CHECK", "Checks", "make this check alone; repeatable", set_only },
	{ "skip", 0, "CHECK", "Checks", "leave this check out; repeatable", set_skip },
	{ "class", 0, "CLASS", "Checks",
	  "state (what happens now) or design (how tables are laid out) alone", set_class },
	{ "all", 0, NULL, "Checks", "explain: every check", set_all },
	{ "help", 'h', NULL, "Other", "this text, or a command's", set_help },
	{ "version", 'V', NULL, "Other", "name and version", set_version },
	{ 0 },
};

enum { OPTIONS_MAX = 64, LONG_BASE = 1000 };

/* getopt's two descriptions, made from the table. */
static void describe(struct option *longs, char *shorts)
{
	size_t n = 0;

	*shorts++ = ':';
	for (; cli_options[n].name && n < OPTIONS_MAX - 1; n++) {
		const struct option_def *d = &cli_options[n];

		longs[n] = (struct option){ d->name, d->arg ? required_argument : no_argument, NULL,
					    LONG_BASE + (int)n };
		if (d->letter) {
			*shorts++ = d->letter;
			if (d->arg)
				*shorts++ = ':';
		}
	}
	*shorts = '\0';
}

static const struct option_def *find_option(int c)
{
	if (c >= LONG_BASE)
		return &cli_options[c - LONG_BASE];
	for (size_t i = 0; cli_options[i].name; i++)
		if (cli_options[i].letter == c)
			return &cli_options[i];
	return NULL;
}

bool options_parse(struct run_options *o, int argc, char **argv, struct err *err)
{
	struct option longs[OPTIONS_MAX] = { 0 };
	char shorts[2 * OPTIONS_MAX + 2];
	int c;

	describe(longs, shorts);
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const char *given = optind > 0 && optind <= argc ? argv[optind - 1] : "";
		const struct option_def *d;

		if (c == ':')
			return err_set(o->arena, err, ERR_USAGE, given, 0, "needs an argument");
		if (c == '?')
			return err_set(o->arena, err, ERR_USAGE, given, 0,
				       "no such option; hint: twcscheck --help lists them");
		d = find_option(c);
		if (d && !d->set(o, optarg, err))
			return false;
	}
	for (int i = optind; i < argc; i++)
		*vec_add(o->arena, &o->arguments) = argv[i];
	return run_checks_validate(o->arena, &o->checks, err);
}

/* "name" or "\"Name\"" up to `end`; quotes are CQL's. */
static const char *take_name(struct arena *a, struct slice *rest)
{
	struct slice name;
	size_t n;

	if (rest->n && rest->p[0] == '"') {
		*rest = slice_from(*rest, 1);
		n = slice_find(*rest, '"');
		name = (struct slice){ rest->p, n };
		*rest = slice_from(*rest, n + 1);
	} else {
		n = slice_find(*rest, '.');
		name = (struct slice){ rest->p, n };
		*rest = slice_from(*rest, n);
	}
	return arena_copy(a, name);
}

bool options_select(struct run_options *o, struct err *err)
{
	for (size_t i = 0; i < o->arguments.n; i++) {
		const char *arg = o->arguments.v[i];
		struct slice rest = slice_of(arg);
		struct selection s = { 0 };
		struct stat st;

		s.keyspace = take_name(o->arena, &rest);
		if (rest.n && rest.p[0] == '.') {
			rest = slice_from(rest, 1);
			s.table = take_name(o->arena, &rest);
		}
		if (strchr(arg, '/') || stat(arg, &st) == 0)
			return err_set(o->arena, err, ERR_USAGE, arg, 0,
				       "is a file, not KEYSPACE[.TABLE]; hint: --from %s", arg);
		if (!*s.keyspace || (s.table && !*s.table) || rest.n)
			return err_set(o->arena, err, ERR_USAGE, arg, 0, "is not KEYSPACE[.TABLE]");
		*vec_add(o->arena, &o->selections) = s;
	}
	o->assemble.selections = o->selections.v;
	o->assemble.n_selections = o->selections.n;
	return true;
}
