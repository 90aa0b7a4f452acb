/*
 * A monitoring plugin's life: names, signals, time limit, and the line of a run that ends early.
 *
 * Signal handlers use what is async-signal-safe alone: the line is put together in a static buffer
 * and goes out with one write(). The handlers of crashes run on a stack of their own.
 */
#include "cli/plugin.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/deadline.h"
#include "cli/cli.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer) || \
	__has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { STACK_BYTES = 64 * 1024, LINE_BYTES = 8192, NODE_BYTES = 64 };

static bool active;
static double limit_s;
static volatile sig_atomic_t writing, strikes;
static volatile sig_atomic_t status_if_writing = EXIT_UNKNOWN;
static const char *volatile stage = "starting";
static char node[NODE_BYTES];
static const char *volatile perfdata = "";

bool plugin_is_name(const char *argv0)
{
	static const char name[] = "check_twcs";
	const char *base = strrchr(argv0 ? argv0 : "", '/');

	base = base ? base + 1 : argv0 ? argv0 : "";
	if (strncmp(base, "lt-", 3) == 0)	/* libtool's wrapper */
		base += 3;
	return strcmp(base, name) == 0;
}

bool plugin_is_asked(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--format=nagios") == 0)
			return true;
		if (strcmp(argv[i], "--format") == 0 && i + 1 < argc &&
		    strcmp(argv[i + 1], "nagios") == 0)
			return true;
	}
	return false;
}

void plugin_open_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		/* The other way round than it is used: reading or writing it fails. */
		int flags = fd == 0 ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) < 0)
			return;
	}
}

bool plugin_active(void)
{
	return active;
}

int plugin_exit_status(int status)
{
	return status >= EXIT_OK && status <= EXIT_UNKNOWN ? status : EXIT_UNKNOWN;
}

/* ---- the line of a run that ends early ---- */

struct line { char text[LINE_BYTES]; size_t n; };

static void put(struct line *l, const char *s)
{
	while (*s && l->n < sizeof(l->text))
		l->text[l->n++] = *s++;
}

static void put_number(struct line *l, unsigned n)
{
	char digits[12], *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do {
		*--p = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	put(l, p);
}

/* Where a plugin has to speak: standard error is not read, or worse, taken for the summary. */
static void write_all(const char *p, size_t n)
{
	int fd = active ? STDOUT_FILENO : STDERR_FILENO;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done <= 0)
			return;
		p += done;
		n -= (size_t)done;
	}
}

/*
 * Async-signal-safe. `why` is a text and `number` what belongs behind it (0 = nothing).
 */
static void end_early(const char *why, unsigned number, const char *unit)
{
	static struct line l;	/* static: the stack may be the trouble */

	if (writing)
		_exit(status_if_writing);
	writing = 1;
	l.n = 0;
	if (active)
		put(&l, "TWCS UNKNOWN - ");
	else
		put(&l, "twcscheck UNKNOWN: ");
	put(&l, why);
	if (number)
		put_number(&l, number);
	put(&l, unit);
	put(&l, " while ");
	put(&l, (const char *)stage);
	if (node[0]) {
		put(&l, ", open: node ");
		put(&l, node);
	}
	if (active && *(const char *)perfdata) {
		put(&l, " | ");
		put(&l, (const char *)perfdata);
	}
	put(&l, "\n");
	write_all(l.text, l.n);
	_exit(EXIT_UNKNOWN);
}

static void plugin_out_of_memory(void)
{
	end_early("out of memory", 0, "");
}

void plugin_stage(const char *name, const char *of_node)
{
	size_t n = 0;

	node[0] = '\0';
	stage = name;
	/* A node's name is text from outside. */
	for (; of_node && of_node[n] && n < sizeof(node) - 1; n++) {
		unsigned char c = (unsigned char)of_node[n];

		node[n] = c < 0x20 || c >= 0x7f || strchr("|`'\"$<>&~\\", c) ? '_' : (char)c;
	}
	node[n] = '\0';
}

const char *plugin_stage_name(void)
{
	return (const char *)stage;
}

const char *plugin_stage_node(void)
{
	return node;
}

void plugin_perfdata(const char *text)
{
	perfdata = text;
}

void plugin_writes(int status)
{
	status_if_writing = plugin_exit_status(status);
	writing = 1;
}

/* ---- signals ---- */

static void on_crash(int sig)
{
	end_early("the program failed, signal ", (unsigned)sig, "");
}

static void on_end(int sig)
{
	end_early("ended by signal ", (unsigned)sig, "");
}

/* The first time only interrupts what blocks: the report of what was learnt follows. */
static void on_alarm(int sig)
{
	(void)sig;
	if (strikes++ > 0 || limit_s <= 0)
		end_early("time limit of ", (unsigned)limit_s, " s reached");
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };
	sigset_t own;

	sigfillset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
	/* A parent may have blocked it: then it would never come. */
	sigemptyset(&own);
	sigaddset(&own, sig);
	sigprocmask(SIG_UNBLOCK, &own, NULL);
}

static void handle_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS };
	static _Alignas(16) char room[STACK_BYTES];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

	if (SANITIZED)
		return;
	if (sigaltstack(&stack, NULL) != 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		handle(signals[i], on_crash, SA_ONSTACK);
}

void plugin_begin(void)
{
	static const int ends[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2,
				    SIGVTALRM, SIGPROF };
	int null;

	active = true;
	arena_on_out_of_memory(plugin_out_of_memory);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		handle(ends[i], on_end, SA_ONSTACK);
	handle(SIGALRM, on_alarm, SA_ONSTACK);
	handle(SIGPIPE, SIG_IGN, 0);
	handle(SIGXFSZ, SIG_IGN, 0);
	handle_crashes();
	if (SANITIZED)
		return;
	null = open("/dev/null", O_WRONLY);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

/* ---- the time limit ---- */

double plugin_limit_s(void)
{
	return limit_s;
}

static struct timeval as_timeval(double seconds)
{
	struct timeval t = { .tv_sec = (time_t)seconds };

	t.tv_usec = (suseconds_t)((seconds - (double)t.tv_sec) * 1e6);
	return t;
}

void plugin_limit(double seconds)
{
	double report = seconds / 10 > 2 ? 2 : seconds / 10;	/* for judging and writing */
	struct itimerval timer = {
		.it_value = as_timeval(seconds - report), .it_interval = as_timeval(report * 0.9),
	};

	limit_s = seconds;
	deadline_set(seconds - report);
	handle(SIGALRM, on_alarm, SA_ONSTACK);
	setitimer(ITIMER_REAL, &timer, NULL);
}

int plugin_unknown(struct arena *a, const char *text, size_t max_output)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	nagios_render_unknown(a, text, (const char *)perfdata, max_output, &out);
	plugin_writes(EXIT_UNKNOWN);
	write_all(out.p, out.n);
	buf_free(&out);
	return EXIT_UNKNOWN;
}
