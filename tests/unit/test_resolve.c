/*
 * Names to addresses: src/collect/resolve.c. The C library's resolver is there, but names below
 * .test have one of their own, which waits for as long as it is told to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/slice.h"
#include "collect/resolve.h"
#include "text_assert.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool held;
static unsigned waiting, left, with_signals;
static int family, flags, type;

int __real_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **res);
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **res);

/* Under the mutex: what a thread was asked, and whether a signal could interrupt it. */
static void note(const struct addrinfo *hints)
{
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	with_signals += !sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGPIPE);
	family = hints->ai_family;
	flags = hints->ai_flags;
	type = hints->ai_socktype;
}

int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **res)
{
	bool ours = slice_ends(slice_of(node), SLICE(".test"));

	if (!ours || (hints->ai_flags & AI_NUMERICHOST))
		return __real_getaddrinfo(node, service, hints, res);
	pthread_mutex_lock(&mutex);
	note(hints);
	waiting++;
	pthread_cond_broadcast(&changed);
	while (held)
		pthread_cond_wait(&changed, &mutex);
	waiting--;
	left++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	if (strcmp(node, "system.test") == 0) {
		errno = EMFILE;
		return EAI_SYSTEM;
	}
	return strcmp(node, "none.test") == 0
		       ? EAI_AGAIN
		       : __real_getaddrinfo("192.0.2.7", service, hints, res);
}

static void hold(bool on)
{
	pthread_mutex_lock(&mutex);
	held = on;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static void wait_for(const unsigned *what, unsigned n)
{
	pthread_mutex_lock(&mutex);
	while (*what < n)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

static unsigned open_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

/* Addresses with their ports, or why there are none. Waits as the program does. */
static const char *answer(struct arena *a, struct resolve *r)
{
	const char *why, *text = "";
	struct resolved out;

	while (!resolve_done(r, a, &out, &why)) {
		struct pollfd p = { .fd = resolve_descriptor(r), .events = POLLIN };

		if (poll(&p, 1, 20000) != 1 || p.revents != POLLIN)
			fail_msg("it never became readable");
	}
	if (why) {
		assert_int_equal(out.list.n, 0);
		return why;
	}
	for (size_t i = 0; i < out.list.n; i++) {
		char port[NI_MAXSERV];
		const struct resolved_address *one = &out.list.v[i];

		assert_int_equal(getnameinfo((const void *)&one->address, one->length, NULL, 0,
					     port, sizeof(port), NI_NUMERICSERV), 0);
		text = arena_printf(a, "%s%s %s;", text, resolve_text(a, one), port);
	}
	return text;
}

static void test_numeric(void **state)
{
	static const struct { const char *host, *port, *text; } cases[] = {
		{ "192.0.2.1", "22", "192.0.2.1 22;" },
		{ "127.0.0.1", "65535", "127.0.0.1 65535;" },
		{ "2001:db8::1", "2222", "2001:db8::1 2222;" },
		{ "2001:DB8:0:0:0:0:0:1", "22", "2001:db8::1 22;" },
		{ "::1", "22", "::1 22;" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct resolve *r = resolve_begin(cases[i].host, cases[i].port);

		assert_int_equal(resolve_descriptor(r), -1);
		assert_text(cases[i].host, answer(a, r), cases[i].text);
		assert_text("once more", answer(a, r), cases[i].text);
		resolve_end(r);
	}
	arena_destroy(a);
}

static void test_names(void **state)
{
	static const struct { const char *host, *text; } cases[] = {
		{ "node-1.test", "192.0.2.7 2222;" },
		{ "none.test", "cannot be resolved: " },
		{ "system.test", "cannot be resolved: " },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct resolve *r = resolve_begin(cases[i].host, "2222");
		const char *text;

		assert_true(resolve_descriptor(r) >= 0);
		text = answer(a, r);
		if (strncmp(text, cases[i].text, strlen(cases[i].text)) != 0)
			fail_msg("%s: '%s'", cases[i].host, text);
		if (strcmp(cases[i].host, "none.test") == 0)
			assert_has("why", text, gai_strerror(EAI_AGAIN));
		if (strcmp(cases[i].host, "system.test") == 0)
			assert_has("why", text, strerror(EMFILE));
		resolve_end(r);
	}
	pthread_mutex_lock(&mutex);
	assert_int_equal(family, AF_UNSPEC);
	assert_int_equal(type, SOCK_STREAM);
	assert_int_equal(flags & AI_ADDRCONFIG, 0);
	assert_int_equal(with_signals, 0);
	pthread_mutex_unlock(&mutex);
	arena_destroy(a);
}

/* The only name that is there without a network. */
static void test_localhost(void **state)
{
	struct arena *a = arena_create();
	struct resolve *r = resolve_begin("localhost", "22");
	const char *text = answer(a, r);

	(void)state;
	/* in a bare system even that is missing */
	if (access("/etc/hosts", R_OK) != 0)
		print_message("not looked at: there is no /etc/hosts\n");
	else if (!strstr(text, "127.0.0.1 22;") && !strstr(text, "::1 22;"))
		fail_msg("localhost: %s", text);
	resolve_end(r);
	arena_destroy(a);
}

/* Nothing is told before its time, and many wait at once. */
static void test_waits(void **state)
{
	enum { MANY = 20 };
	struct arena *a = arena_create();
	struct resolve *r[MANY];
	unsigned before = open_descriptors();

	(void)state;
	hold(true);
	for (size_t i = 0; i < MANY; i++)
		r[i] = resolve_begin("node-1.test", "22");
	wait_for(&waiting, MANY);
	for (size_t i = 0; i < MANY; i++) {
		struct pollfd p = { .fd = resolve_descriptor(r[i]), .events = POLLIN };
		struct resolved out;
		const char *why;

		assert_int_equal(poll(&p, 1, 0), 0);
		assert_false(resolve_done(r[i], a, &out, &why));
	}
	hold(false);
	for (size_t i = 0; i < MANY; i++) {
		assert_text("it", answer(a, r[i]), "192.0.2.7 22;");
		resolve_end(r[i]);
	}
	assert_int_equal(open_descriptors(), before);
	arena_destroy(a);
}

static void wait_for_descriptors(unsigned n)
{
	const struct timespec moment = { .tv_nsec = 5 * 1000 * 1000 };

	for (int i = 0; i < 2000 && open_descriptors() != n; i++)
		nanosleep(&moment, NULL);
	assert_int_equal(open_descriptors(), n);
}

/* What is given up while its thread waits: the thread cleans up after itself. */
static void test_given_up(void **state)
{
	enum { MANY = 20 };
	struct resolve *r[MANY];
	unsigned before = open_descriptors(), had;

	(void)state;
	pthread_mutex_lock(&mutex);
	had = left;
	pthread_mutex_unlock(&mutex);
	hold(true);
	for (size_t i = 0; i < MANY; i++)
		r[i] = resolve_begin(i % 2 ? "none.test" : "node-1.test", "22");
	wait_for(&waiting, MANY);
	for (size_t i = 0; i < MANY; i++)
		resolve_end(r[i]);
	assert_int_equal(open_descriptors(), before + MANY);	/* each thread has its end still */
	hold(false);
	wait_for(&left, had + MANY);
	wait_for_descriptors(before);
}

/* Giving up and ending at the same moment: who is last cleans up, and only he. */
static void test_race(void **state)
{
	unsigned before = open_descriptors();
	struct arena *a = arena_create();

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		struct resolve *r = resolve_begin("node-1.test", "22");
		const struct timespec moment = { .tv_nsec = i % 100 * 1000 };
		struct resolved out;
		const char *why;

		nanosleep(&moment, NULL);
		(void)resolve_done(r, a, &out, &why);
		resolve_end(r);
	}
	wait_for_descriptors(before);
	arena_destroy(a);
}

static void test_text(void **state)
{
	const struct resolved_address none = { .length = 0 };
	struct arena *a = arena_create();

	(void)state;
	assert_string_equal(resolve_text(a, &none), "?");
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numeric),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_localhost),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_race),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
