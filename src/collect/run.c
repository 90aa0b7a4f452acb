/* Running one command as a child process. See run.h. */
#include "collect/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/slice.h"

extern char **environ;

enum {
	CHUNK = 64 * 1024,
	TICK_MS = 100,		/* how often it is seen whether the child has ended */
	PATIENCE_MS = 2000,	/* between asking it to end and ending it */
	LINGER_MS = 1000,	/* for output of what the child left behind */
};

struct child {
	struct arena *arena;
	const struct run_limits *limits;
	pid_t pid;
	int fd[2];		/* its standard output and error; -1 = closed */
	struct buf text[2];
	bool ended;
	int status;		/* of waitpid */
	int64_t deadline_ms, ended_ms;
	int blows;		/* 0, then after SIGTERM, after SIGKILL */
	const char *problem;	/* why the result is not whole */
};

int64_t run_now_s(void)
{
	return (int64_t)time(NULL);
}

int64_t run_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- starting ---- */

static bool is_of(const char *setting, const char *name)
{
	size_t n = strlen(name);

	return strncmp(setting, name, n) == 0 && setting[n] == '=';
}

/* The program's own environment, with locale and time zone replaced. */
static char **child_environment(struct arena *a)
{
	char **env;
	size_t n = 0, k = 0;

	while (environ[n])
		n++;
	env = arena_array(a, n + 3, sizeof(*env));
	for (size_t i = 0; i < n; i++)
		if (!is_of(environ[i], "LC_ALL") && !is_of(environ[i], "TZ"))
			env[k++] = environ[i];
	env[k++] = arena_strdup(a, "LC_ALL=C");
	env[k++] = arena_strdup(a, "TZ=UTC");
	return env;
}

static bool make_pipe(int fd[2])
{
	if (pipe(fd) != 0)
		return false;
	(void)fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(fd[1], F_SETFD, FD_CLOEXEC);
	(void)fcntl(fd[0], F_SETFL, O_NONBLOCK);
	return true;
}

/* 0, or what posix_spawnp says. */
static int spawn(struct child *c, char *const argv[], int out, int errout)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int error;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGINT);
	sigaddset(&usual, SIGXFSZ);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, errout, 2);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	error = posix_spawnp(&c->pid, argv[0], &actions, &attributes, argv,
			     child_environment(c->arena));
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* 0, or the errno of what failed. */
static int start(struct child *c, char *const argv[])
{
	int out[2], errout[2], error;

	if (!make_pipe(out))
		return errno;
	if (!make_pipe(errout)) {
		error = errno;
		close(out[0]);
		close(out[1]);
		return error;
	}
	error = spawn(c, argv, out[1], errout[1]);
	close(out[1]);
	close(errout[1]);
	c->fd[0] = out[0];
	c->fd[1] = errout[0];
	return error;
}

/* ---- watching ---- */

/* Reads what is there. */
static void drain(struct child *c, int which)
{
	char chunk[CHUNK];
	ssize_t got;

	do {
		got = read(c->fd[which], chunk, sizeof(chunk));
		if (got > 0)
			buf_add(&c->text[which], chunk, (size_t)got);
	} while (got > 0 && !c->text[0].truncated);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		close(c->fd[which]);
		c->fd[which] = -1;
	}
}

static void look_whether_ended(struct child *c)
{
	if (!c->ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid) {
		c->ended = true;
		c->ended_ms = run_clock_ms();
	}
}

/* Ask it to end, and when it does not, end it. */
static void strike(struct child *c, const char *why)
{
	if (!c->problem)
		c->problem = why;
	if (kill(-c->pid, c->blows ? SIGKILL : SIGTERM) != 0 && !c->ended)
		kill(c->pid, c->blows ? SIGKILL : SIGTERM);
	c->blows++;
	c->deadline_ms = run_clock_ms() + PATIENCE_MS;
}

/* What ends the child before it does so itself. */
static void check_limits(struct child *c)
{
	bool late = run_clock_ms() >= c->deadline_ms;

	if (c->blows) {
		if (late)
			strike(c, NULL);
	} else if (c->limits->stop && *c->limits->stop) {
		strike(c, "interrupted");
	} else if (c->text[0].truncated) {
		strike(c, arena_printf(c->arena, "printed more than %zu MiB",
				       c->limits->out_max >> 20));
	} else if (late) {
		strike(c, arena_printf(c->arena, "took longer than %lld s",
				       (long long)(c->limits->timeout_ms + 999) / 1000));
	}
}

static bool is_done(const struct child *c)
{
	bool closed = c->fd[0] < 0 && c->fd[1] < 0;

	if (!c->ended)
		return c->blows > 3;	/* it can't be ended: leave it */
	return closed || run_clock_ms() - c->ended_ms > LINGER_MS;
}

static void watch(struct child *c)
{
	while (!is_done(c)) {
		struct pollfd p[2] = { { .fd = c->fd[0], .events = POLLIN },
				       { .fd = c->fd[1], .events = POLLIN } };
		/* with both streams closed there is only its end to wait for */
		int wait_ms = p[0].fd < 0 && p[1].fd < 0 ? TICK_MS / 10 : TICK_MS;

		if (poll(p, 2, wait_ms) > 0) {
			for (int i = 0; i < 2; i++)
				if (p[i].revents)
					drain(c, i);
		}
		look_whether_ended(c);
		if (!c->ended)
			check_limits(c);
	}
	if (c->blows || c->fd[0] >= 0 || c->fd[1] >= 0)
		kill(-c->pid, SIGKILL);	/* what it left behind */
	for (int i = 0; i < 2; i++)
		if (c->fd[i] >= 0)
			close(c->fd[i]);
}

/* ---- the result ---- */

static const char *signal_name(struct arena *a, int number)
{
	static const struct { int number; const char *name; } names[] = {
		{ SIGHUP, "HUP" }, { SIGINT, "INT" }, { SIGQUIT, "QUIT" }, { SIGILL, "ILL" },
		{ SIGABRT, "ABRT" }, { SIGBUS, "BUS" }, { SIGFPE, "FPE" }, { SIGKILL, "KILL" },
		{ SIGSEGV, "SEGV" }, { SIGPIPE, "PIPE" }, { SIGALRM, "ALRM" }, { SIGTERM, "TERM" },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].number == number)
			return names[i].name;
	return arena_printf(a, "%d", number);
}

static void set_end(struct child *c, struct run_result *r)
{
	if (c->ended && WIFSIGNALED(c->status))
		r->signal = signal_name(c->arena, WTERMSIG(c->status));
	else if (c->ended && WIFEXITED(c->status))
		r->exit_status = some_i64(WEXITSTATUS(c->status));
	else
		r->exit_status = some_i64(RUN_TIMEOUT);
	/* some end properly when they are asked to: what they printed is not whole */
	if (c->problem && r->exit_status.known && r->exit_status.v == 0)
		r->exit_status.v = RUN_TIMEOUT;
}

static const char *text_of(struct child *c)
{
	struct slice said = { c->text[1].p, c->text[1].n };
	char *text = arena_copy(c->arena, said.n ? said : (struct slice){ "", 0 });

	for (size_t i = 0; i < said.n; i++)
		if (!text[i])
			text[i] = ' ';
	if (!c->problem)
		return text;
	return said.n ? arena_printf(c->arena, "%s\n%s", c->problem, text) : c->problem;
}

void run_command(struct arena *a, char *const argv[], const struct run_limits *limits,
		 struct run_result *r)
{
	struct child c = { .arena = a, .limits = limits, .fd = { -1, -1 } };
	int64_t begin = run_clock_ms();
	int error;

	*r = (struct run_result){ .started_s = run_now_s() };
	c.deadline_ms = begin + limits->timeout_ms;
	buf_init(&c.text[0], limits->out_max);
	buf_init(&c.text[1], limits->err_max);
	error = start(&c, argv);
	if (error) {
		r->exit_status = some_i64(error == ENOENT ? RUN_NOT_FOUND : RUN_NOT_RUN);
		r->errout = arena_printf(a, "'%s' cannot be run: %s", argv[0], strerror(error));
		for (int i = 0; i < 2; i++)
			if (c.fd[i] >= 0)
				close(c.fd[i]);
	} else {
		watch(&c);
		set_end(&c, r);
		r->errout = text_of(&c);
	}
	if (c.text[0].n)
		r->out = (struct slice){ c.text[0].p, c.text[0].n };
	else
		buf_free(&c.text[0]);
	buf_free(&c.text[1]);
	r->duration_ms = run_clock_ms() - begin;
}

void run_free(struct run_result *r)
{
	free((void *)(uintptr_t)r->out.p);
	r->out = (struct slice){ NULL, 0 };
}
