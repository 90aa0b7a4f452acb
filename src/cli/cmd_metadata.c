/*
 * twcscheck metadata: what Statistics.db says of SSTables, without a JVM.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/cli.h"
#include "cli/metadata_files.h"

enum { LIST_PATH_MAX = 1 << 16 };

enum metadata_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV };

struct options {
	enum metadata_format format;
	char separator;		/* of the names on standard input */
	const char *output;	/* NULL = standard output */
	struct opt_i64 now_s;
	char *const *paths;
	int n_paths;
};

struct printer {
	enum metadata_format format;
	struct output out;
	bool first;		/* nothing was printed yet */
	bool show_progress, progress_shown;
	struct timespec start, last;
};

static const char usage[] =
	"Usage: twcscheck metadata [--format text|json|tsv] [-0] [-o FILE] FILE|DIR|- ...\n";

static const char help[] =
	"\n"
	"Show what the Statistics.db of SSTables says, of any release from Cassandra 2.0 to 5.0\n"
	"and ScyllaDB, without a JVM. Any file of an SSTable stands for its Statistics.db.\n"
	"Folders are searched; snapshots, backups and indexes below them are left out. '-' reads\n"
	"names from standard input, one on a line.\n"
	"\n"
	"  --format text|json|tsv   text: a paragraph for each SSTable, times in UTC (default);\n"
	"                           json: one object on a line; tsv: one row, with a heading\n"
	"  -0, --null               names on standard input end with a NUL byte\n"
	"  -o, --output FILE        write to FILE (which appears when all is written)\n"
	"      --now TIME           the time that droppable tombstones are estimated for\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 when everything could be read, 3 when something could not: what could be\n"
	"read is shown all the same.\n";

/* ---- messages ---- */

static void clear_progress(struct printer *p)
{
	if (p->progress_shown)
		fputs("\r\033[K", stderr);
	p->progress_shown = false;
}

/* Names and texts of files can hold anything: no control character gets to the terminal. */
static void print_clean(const char *s)
{
	for (; *s; s++)
		fputc((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s, stderr);
}

static void print_error(const char *subject, const char *text)
{
	fputs("twcscheck: ", stderr);
	if (subject) {
		print_clean(subject);
		fputs(": ", stderr);
	}
	print_clean(text);
	fputc('\n', stderr);
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
	return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) / 1e9;
}

/* Nothing in the first second, then a few times a second. */
static void show_progress(struct printer *p, const struct metadata_run *run)
{
	struct timespec now;

	if (!p->show_progress || run->n_read % 64)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds_between(&p->start, &now) < 1 || seconds_between(&p->last, &now) < 0.2)
		return;
	p->last = now;
	p->progress_shown = true;
	fprintf(stderr, "\r%zu SSTables read", run->n_read);
	if (run->n_failed)
		fprintf(stderr, ", %zu files not", run->n_failed);
}

/* ---- records ---- */

static void print_record(struct metadata_run *run, const struct metadata_record *m)
{
	struct printer *p = run->ctx;

	switch (p->format) {
	case FORMAT_JSON:
		metadata_render_json(run->scratch, m, &p->out.buf);
		break;
	case FORMAT_TSV:
		metadata_render_tsv(m, &p->out.buf);
		break;
	default:
		if (!p->first)
			buf_char(&p->out.buf, '\n');
		metadata_render_text(run->scratch, m, &p->out.buf);
	}
	p->first = false;
	show_progress(p, run);
}

static void print_failure(struct metadata_run *run, const char *path, const char *text,
			  bool no_record)
{
	struct printer *p = run->ctx;

	run->n_failed++;
	clear_progress(p);
	print_error(path, text);
	if (no_record && p->format == FORMAT_JSON)
		metadata_render_json_error(path, text, &p->out.buf);
}

/* ---- input ---- */

static void run_list(struct metadata_run *run, char separator)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	errno = 0;
	while ((n = getdelim(&line, &room, separator, stdin)) > 0) {
		if (line[n - 1] == separator)
			line[--n] = '\0';
		if (n > LIST_PATH_MAX || strlen(line) != (size_t)n)
			run->failed(run, "standard input", "a name that is too long or has a NUL "
				    "byte in it (for names that end with NUL bytes use -0)", true);
		else if (n)
			metadata_run_path(run, line);
		errno = 0;
	}
	if (ferror(stdin))
		run->failed(run, "standard input", strerror(errno), true);
	free(line);
}

static void run_all(struct metadata_run *run, const struct options *o)
{
	for (int i = 0; i < o->n_paths; i++) {
		if (strcmp(o->paths[i], "-") == 0)
			run_list(run, o->separator);
		else
			metadata_run_path(run, o->paths[i]);
	}
}

static int run_metadata(struct arena *a, const struct options *o)
{
	struct printer p = { .format = o->format, .first = true };
	struct metadata_run run = { .each = print_record, .failed = print_failure, .ctx = &p };
	struct err err = { 0 };
	bool written;

	run.now_s = o->now_s.known ? o->now_s.v : (int64_t)time(NULL);
	if (!output_open(a, &p.out, o->output, &err)) {
		print_error(err.subject, err.text);
		return EXIT_UNKNOWN;
	}
	p.show_progress = isatty(STDERR_FILENO) && (o->output || !isatty(STDOUT_FILENO));
	clock_gettime(CLOCK_MONOTONIC, &p.start);
	if (p.format == FORMAT_TSV)
		metadata_render_tsv_head(&p.out.buf);
	run_all(&run, o);
	written = output_close(a, &p.out, &err);
	clear_progress(&p);
	if (!written)
		print_error(err.subject, err.text);
	metadata_run_end(&run);
	return written && !run.n_failed ? EXIT_OK : EXIT_UNKNOWN;
}

/* ---- options ---- */

static bool parse_format(const char *s, enum metadata_format *out)
{
	static const char *const names[] = {
		[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_TSV] = "tsv",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(s, names[i]) == 0) {
			*out = (enum metadata_format)i;
			return true;
		}
	}
	print_error(NULL, "--format is one of text, json, tsv");
	return false;
}

static int refuse(void)
{
	fputs(usage, stderr);
	return EXIT_UNKNOWN;
}

/*
 * argv[0] is the command's name. Returns the exit status: 0, or 3 when the usage is wrong, a file
 * could not be read or the output could not be written.
 */
int cmd_metadata(int argc, char **argv)
{
	enum { OPTION_FORMAT = 256, OPTION_NOW };
	static const struct option long_options[] = {
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "null", no_argument, NULL, '0' },
		{ "output", required_argument, NULL, 'o' },
		{ "now", required_argument, NULL, OPTION_NOW },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = { .separator = '\n' };
	struct arena *a;
	int c, status;

	optind = 1;
	while ((c = getopt_long(argc, argv, "0o:h", long_options, NULL)) != -1) {
		switch (c) {
		case OPTION_FORMAT:
			if (!parse_format(optarg, &o.format))
				return refuse();
			break;
		case OPTION_NOW:
			if (!num_parse_time(slice_of(optarg), &o.now_s.v)) {
				print_error(NULL, "--now wants a time, 2026-11-30T18:00:00Z or "
					    "seconds since 1970");
				return refuse();
			}
			o.now_s.known = true;
			break;
		case '0':
			o.separator = '\0';
			break;
		case 'o':
			o.output = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			fputs(help, stdout);
			return EXIT_OK;
		default:
			return refuse();
		}
	}
	o.paths = argv + optind;
	o.n_paths = argc - optind;
	if (!o.n_paths)
		return refuse();
	a = arena_create();
	status = run_metadata(a, &o);
	arena_destroy(a);
	return status;
}
