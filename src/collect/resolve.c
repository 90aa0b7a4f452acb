/* Names to addresses in threads. See resolve.h. */
#include "collect/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADDRESSES_MAX = 64 };

/*
 * Owned by the caller and the thread: who of the two is the last to let go frees it. None of it
 * is in an arena, since the thread may outlive that.
 */
struct resolve {
	pthread_mutex_t mutex;		/* over done and given_up */
	bool done, given_up;
	int fd[2];			/* the thread writes one byte; -1 = there is no thread */
	const char *unable;		/* why nothing was asked at all; NULL = it was */
	int error, system_error;	/* of getaddrinfo, and errno with EAI_SYSTEM */
	struct addrinfo *list;
	char *host, *port;
};

static struct resolve no_memory = { .done = true, .fd = { -1, -1 }, .unable = "memory is out" };

static void release(struct resolve *r)
{
	if (r->list)
		freeaddrinfo(r->list);
	if (r->fd[1] >= 0)
		close(r->fd[1]);
	pthread_mutex_destroy(&r->mutex);
	free(r->host);
	free(r->port);
	free(r);
}

static void ask(struct resolve *r, int flags)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
					.ai_flags = AI_NUMERICSERV | flags };

	r->error = getaddrinfo(r->host, r->port, &hints, &r->list);
	r->system_error = errno;
	if (r->error != 0)
		r->list = NULL;
}

static void *run(void *ctx)
{
	struct resolve *r = ctx;
	bool last;

	ask(r, 0);
	pthread_mutex_lock(&r->mutex);
	r->done = true;
	last = r->given_up;
	if (!last)
		(void)!write(r->fd[1], "", 1);
	pthread_mutex_unlock(&r->mutex);
	if (last)
		release(r);
	return NULL;
}

static bool make_pipe(int fd[2])
{
	if (pipe(fd) != 0)
		return false;
	for (int i = 0; i < 2; i++)
		(void)fcntl(fd[i], F_SETFD, FD_CLOEXEC);
	return true;
}

/* Signals are for the thread that called: they end its poll(). */
static int start_thread(struct resolve *r)
{
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int error;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attr, run, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

static void close_both(int fd[2])
{
	for (int i = 0; i < 2; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
		fd[i] = -1;
	}
}

struct resolve *resolve_begin(const char *host, const char *port)
{
	struct resolve *r = calloc(1, sizeof(*r));

	if (!r)
		return &no_memory;
	r->fd[0] = r->fd[1] = -1;
	pthread_mutex_init(&r->mutex, NULL);
	r->host = strdup(host);
	r->port = strdup(port);
	if (!r->host || !r->port) {
		release(r);
		return &no_memory;
	}
	ask(r, AI_NUMERICHOST);
	r->done = r->error != EAI_NONAME;
	if (r->done)
		return r;
	if (!make_pipe(r->fd)) {
		r->unable = "no pipe to be had";
		r->done = true;
	} else if (start_thread(r) != 0) {
		r->unable = "no thread to be had";
		r->done = true;
		close_both(r->fd);
	}
	return r;
}

int resolve_descriptor(const struct resolve *r)
{
	return r->fd[0];
}

static bool is_done(struct resolve *r)
{
	bool done;

	if (r->fd[0] < 0)
		return true;
	pthread_mutex_lock(&r->mutex);
	done = r->done;
	pthread_mutex_unlock(&r->mutex);
	return done;
}

static const char *reason(const struct resolve *r, struct arena *a)
{
	const char *why = r->unable;

	if (!why && r->error == EAI_SYSTEM)
		why = strerror(r->system_error);
	else if (!why)
		why = gai_strerror(r->error);
	return arena_printf(a, "cannot be resolved: %s", why);
}

bool resolve_done(struct resolve *r, struct arena *a, struct resolved *out, const char **why)
{
	*out = (struct resolved){ 0 };
	*why = NULL;
	if (!is_done(r))
		return false;
	for (struct addrinfo *i = r->list; i && out->list.n < ADDRESSES_MAX; i = i->ai_next) {
		struct resolved_address *address;

		if (i->ai_addrlen > sizeof(address->address))
			continue;
		address = vec_add(a, &out->list);
		memcpy(&address->address, i->ai_addr, i->ai_addrlen);
		address->length = i->ai_addrlen;
	}
	if (out->list.n == 0)
		*why = reason(r, a);
	return true;
}

void resolve_end(struct resolve *r)
{
	bool last;

	if (r == &no_memory)
		return;
	if (r->fd[0] < 0) {
		release(r);
		return;
	}
	pthread_mutex_lock(&r->mutex);
	r->given_up = true;
	last = r->done;
	close(r->fd[0]);
	pthread_mutex_unlock(&r->mutex);
	if (last)
		release(r);
}

const char *resolve_text(struct arena *a, const struct resolved_address *address)
{
	char text[NI_MAXHOST];
	int error = getnameinfo((const struct sockaddr *)(const void *)&address->address,
				address->length, text, sizeof(text), NULL, 0, NI_NUMERICHOST);

	return error == 0 ? arena_strdup(a, text) : "?";
}
