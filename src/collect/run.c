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
#include "collect/remote_errout.h"

extern char **environ;

enum {
	CHUNK = 64 * 1024,
	CHUNKS = 16,		/* at once: other children wait as well */
	TICK_MS = 100,		/* how often it is seen whether the child has ended */
	PATIENCE_MS = 2000,	/* between asking it to end and ending it */
	LINGER_MS = 1000,	/* for output of what the child left behind */
};

enum { IN, OUT, ERROUT };

struct run {
	struct arena *arena;
	struct run_limits limits;
	pid_t pid;
	int error;		/* why it could not be started */
	int fd[RUN_POLLS];	/* our ends of its standard streams; -1 = closed */
	struct slice input;	/* what is still to be written */
	struct buf out, errout;
	struct remote_errout *ends;	/* instead of errout */
	bool ended;
	int status;		/* of waitpid */
	int64_t begin_s, begin_ms, deadline_ms, closed_ms, ended_ms;
	int blows;		/* 0, then after SIGTERM, after SIGKILL */
	enum run_cause cause;
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
static char **child_environment(struct run *r)
{
	struct arena *a = r->arena;
	size_t n = 0, k = 0;
	char **env;

	while (environ[n])
		n++;
	env = arena_array(a, n + 4, sizeof(*env));
	for (size_t i = 0; i < n; i++)
		if (!is_of(environ[i], "LC_ALL") && !is_of(environ[i], "TZ"))
			env[k++] = environ[i];
	env[k++] = arena_strdup(a, "LC_ALL=C");
	env[k++] = arena_strdup(a, "TZ=UTC");
	/* ssh would open a window for each question that it cannot ask at a terminal */
	if (r->limits.no_terminal)
		env[k++] = arena_strdup(a, "SSH_ASKPASS_REQUIRE=never");
	return env;
}

/* fd[ours] stays here: nothing waits for it, and no other child gets it. */
static bool make_pipe(int fd[2], int ours)
{
	if (pipe(fd) != 0)
		return false;
	(void)fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(fd[1], F_SETFD, FD_CLOEXEC);
	(void)fcntl(fd[ours], F_SETFL, O_NONBLOCK);
	return true;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In a session of its own nothing it starts finds a terminal to ask for a password. */
static short spawn_flags(const struct run *r)
{
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;

#ifdef POSIX_SPAWN_SETSID
	if (r->limits.no_terminal)
		return (short)(flags | POSIX_SPAWN_SETSID);
#else
	(void)r;
#endif
	return (short)(flags | POSIX_SPAWN_SETPGROUP);
}

/* 0, or what posix_spawnp says. `theirs` are its standard streams; input may be -1. */
static int spawn(struct run *r, char *const argv[], const int theirs[RUN_POLLS])
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
	if (theirs[IN] < 0)
		posix_spawn_file_actions_addopen(&actions, IN, "/dev/null", O_RDONLY, 0);
	for (int i = theirs[IN] < 0 ? OUT : IN; i < RUN_POLLS; i++)
		posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
	posix_spawnattr_setflags(&attributes, spawn_flags(r));
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	error = posix_spawnp(&r->pid, argv[0], &actions, &attributes, argv, child_environment(r));
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* 0, or the errno of what failed. */
static int start(struct run *r, char *const argv[])
{
	int theirs[RUN_POLLS] = { -1, -1, -1 }, error = 0, fd[2];

	for (int i = r->input.p ? IN : OUT; i < RUN_POLLS && !error; i++) {
		int ours = i == IN;

		if (!make_pipe(fd, ours)) {
			error = errno;
			break;
		}
		r->fd[i] = fd[ours];
		theirs[i] = fd[!ours];
	}
	if (!error)
		error = spawn(r, argv, theirs);
	for (int i = 0; i < RUN_POLLS; i++) {
		close_end(&theirs[i]);
		if (error)
			close_end(&r->fd[i]);
	}
	return error;
}

struct run *run_begin(struct arena *a, char *const argv[], struct slice input,
		      const struct run_limits *limits)
{
	struct run *r = arena_alloc(a, sizeof(*r));

	*r = (struct run){ .arena = a, .limits = *limits, .fd = { -1, -1, -1 }, .input = input,
			   .begin_s = run_now_s(), .begin_ms = run_clock_ms() };
	r->deadline_ms = r->begin_ms + limits->timeout_ms;
	buf_init(&r->out, limits->out_max);
	buf_init(&r->errout, limits->err_max);
	if (limits->err_end)
		r->ends = arena_alloc(a, sizeof(*r->ends));
	r->error = start(r, argv);
	if (r->error) {
		r->cause = RUN_NOT_STARTED;
		r->problem = arena_printf(a, "'%s' cannot be run: %s", argv[0],
					  strerror(r->error));
	}
	return r;
}

/* ---- watching ---- */

/*
 * write() to a pipe that nobody may read any more, without the signal that would end the program:
 * whatever the program has done about it elsewhere.
 */
static ssize_t write_quietly(int fd, const char *p, size_t n)
{
	sigset_t broken_pipe, before, waiting;
	bool was_there;
	ssize_t done;
	int error, number;

	sigemptyset(&broken_pipe);
	sigaddset(&broken_pipe, SIGPIPE);
	sigpending(&waiting);
	was_there = sigismember(&waiting, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
	done = write(fd, p, n);
	error = errno;
	if (done < 0 && error == EPIPE && !was_there) {
		sigpending(&waiting);	/* it is not there when it is ignored */
		if (sigismember(&waiting, SIGPIPE) == 1)
			sigwait(&broken_pipe, &number);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return done;
}

/* Writes what there is room for. */
static void feed(struct run *r)
{
	ssize_t done = 1;

	while (r->input.n && done > 0) {
		done = write_quietly(r->fd[IN], r->input.p,
				     r->input.n < CHUNK ? r->input.n : CHUNK);
		if (done > 0)
			r->input = slice_from(r->input, (size_t)done);
	}
	if (!r->input.n || (done < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&r->fd[IN]);
}

static void keep(struct run *r, int which, const char *p, size_t n)
{
	if (which == OUT)
		buf_add(&r->out, p, n);
	else if (r->ends)
		remote_errout_add(r->ends, p, n);
	else
		buf_add(&r->errout, p, n);
}

/* Reads what is there. */
static void drain(struct run *r, int which)
{
	char chunk[CHUNK];
	ssize_t got = 1;

	for (int i = 0; i < CHUNKS && got > 0; i++) {
		got = read(r->fd[which], chunk, sizeof(chunk));
		if (got > 0)
			keep(r, which, chunk, (size_t)got);
		if (r->out.truncated)
			break;
	}
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&r->fd[which]);
}

static void look_whether_ended(struct run *r)
{
	if (!r->ended && waitpid(r->pid, &r->status, WNOHANG) == r->pid) {
		r->ended = true;
		r->ended_ms = run_clock_ms();
		close_end(&r->fd[IN]);
	}
}

/* Ask it to end, and when it does not, end it. */
static void strike(struct run *r, int number)
{
	if (kill(-r->pid, number) != 0 && !r->ended)
		kill(r->pid, number);
	r->blows++;
	r->deadline_ms = run_clock_ms() + PATIENCE_MS;
}

static void stop(struct run *r, enum run_cause cause, const char *why)
{
	r->cause = cause;
	r->problem = why;
	strike(r, SIGTERM);
}

/* What ends the child before it does so itself. */
static void check_limits(struct run *r)
{
	const struct run_limits *limits = &r->limits;
	bool late = run_clock_ms() >= r->deadline_ms;

	if (r->blows) {
		if (late)
			strike(r, SIGKILL);
	} else if (limits->stop && *limits->stop) {
		stop(r, RUN_STOPPED, "interrupted");
	} else if (r->out.truncated) {
		stop(r, RUN_TOO_MUCH, arena_printf(r->arena, "printed more than %zu MiB",
						   limits->out_max >> 20));
	} else if (late) {
		stop(r, RUN_TOO_LONG, arena_printf(r->arena, "took longer than %lld s",
						   (long long)(limits->timeout_ms + 999) / 1000));
	}
}

static bool is_closed(const struct run *r)
{
	return r->fd[OUT] < 0 && r->fd[ERROUT] < 0;
}

static bool is_done(const struct run *r)
{
	if (r->error)
		return true;
	if (!r->ended)
		return r->blows > 3;	/* it can't be ended: leave it */
	return is_closed(r) || run_clock_ms() - r->ended_ms > LINGER_MS;
}

bool run_step(struct run *r)
{
	if (is_done(r))
		return true;
	if (r->fd[IN] >= 0)
		feed(r);
	for (int i = OUT; i < RUN_POLLS; i++)
		if (r->fd[i] >= 0)
			drain(r, i);
	if (is_closed(r) && !r->closed_ms)
		r->closed_ms = run_clock_ms();
	look_whether_ended(r);
	if (!r->ended)
		check_limits(r);
	return is_done(r);
}

/* With its streams closed there is only its end to wait for: most end at once, some never do. */
static int64_t longest_wait_ms(const struct run *r)
{
	int64_t now = run_clock_ms(), until = r->deadline_ms - now;

	if (is_done(r))
		return 0;
	if (r->ended)
		until = r->ended_ms + LINGER_MS + 1 - now;
	else if (is_closed(r))
		until = now - r->closed_ms < until ? now - r->closed_ms : until;
	if (until < 1)
		return 1;
	return until < TICK_MS ? until : TICK_MS;
}

size_t run_polls(const struct run *r, struct pollfd p[RUN_POLLS], int64_t *wait_ms)
{
	int64_t wait = longest_wait_ms(r);
	size_t n = 0;

	for (int i = 0; i < RUN_POLLS; i++)
		if (r->fd[i] >= 0)
			p[n++] = (struct pollfd){ .fd = r->fd[i],
						  .events = i == IN ? POLLOUT : POLLIN };
	if (wait < *wait_ms)
		*wait_ms = wait;
	return n;
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

static void set_end(struct run *c, struct run_result *r)
{
	if (c->error)
		r->exit_status = some_i64(c->error == ENOENT ? RUN_NOT_FOUND : RUN_NOT_RUN);
	else if (c->ended && WIFSIGNALED(c->status))
		r->signal = signal_name(c->arena, WTERMSIG(c->status));
	else if (c->ended && WIFEXITED(c->status))
		r->exit_status = some_i64(WEXITSTATUS(c->status));
	else
		r->exit_status = some_i64(RUN_TIMEOUT);
	/* some end properly when they are asked to: what they printed is not whole */
	if (c->problem && r->exit_status.known && r->exit_status.v == 0)
		r->exit_status.v = RUN_TIMEOUT;
}

static const char *text_of(const struct run *c)
{
	struct slice said = { c->errout.p, c->errout.n };
	char *text;

	if (c->ends) {
		text = remote_errout_text(c->arena, c->ends);
	} else {
		text = arena_copy(c->arena, said.n ? said : (struct slice){ "", 0 });
		for (size_t i = 0; i < said.n; i++)
			if (!text[i])
				text[i] = ' ';
	}
	if (!c->problem)
		return text;
	return *text ? arena_printf(c->arena, "%s\n%s", c->problem, text) : c->problem;
}

/* All of it, at once; what does not even die of that is left. */
static void put_down(struct run *r)
{
	int64_t until = run_clock_ms() + PATIENCE_MS;

	if (!r->problem && !r->ended) {
		r->cause = RUN_STOPPED;
		r->problem = "interrupted";
	}
	strike(r, SIGKILL);
	look_whether_ended(r);
	while (!r->ended && run_clock_ms() < until) {
		poll(NULL, 0, 1);
		look_whether_ended(r);
	}
}

void run_end(struct run *r, struct run_result *out)
{
	if (!is_done(r))
		put_down(r);
	if (!r->error && (r->blows || !is_closed(r)))
		kill(-r->pid, SIGKILL);	/* what it left behind */
	for (int i = 0; i < RUN_POLLS; i++)
		close_end(&r->fd[i]);
	*out = (struct run_result){ .started_s = r->begin_s, .cause = r->cause,
				    .why = r->problem };
	set_end(r, out);
	out->errout = text_of(r);
	if (r->out.n)
		out->out = (struct slice){ r->out.p, r->out.n };
	else
		buf_free(&r->out);
	buf_free(&r->errout);
	out->duration_ms = run_clock_ms() - r->begin_ms;
}

void run_command(struct arena *a, char *const argv[], const struct run_limits *limits,
		 struct run_result *out)
{
	struct run *r = run_begin(a, argv, (struct slice){ NULL, 0 }, limits);

	while (!run_step(r)) {
		struct pollfd p[RUN_POLLS];
		int64_t wait_ms = TICK_MS;
		size_t n = run_polls(r, p, &wait_ms);

		(void)poll(p, n, (int)wait_ms);
	}
	run_end(r, out);
}

void run_free(struct run_result *r)
{
	free((void *)(uintptr_t)r->out.p);
	r->out = (struct slice){ NULL, 0 };
}
