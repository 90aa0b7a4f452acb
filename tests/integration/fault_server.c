/*
 * A server on a loopback port that does what no good server does, for tests of what becomes of a
 * node behind it.
 *
 *   fault_server silent     accepts, says nothing
 *   fault_server banner     says who it is, then nothing
 *   fault_server garbage    sends random bytes, then nothing
 *   fault_server close      accepts and closes
 *   fault_server drip       a byte of a banner without an end, five times a second
 *   fault_server refuse     refuses connections
 *   fault_server blackhole  answers no packet: connecting neither succeeds nor fails
 *   fault_server cut BYTES PORT    goes between to PORT, and closes after BYTES to the client
 *   fault_server stall BYTES PORT  the same, but nothing more comes
 *
 * Prints the number of its port and stays until it is ended, or for ten minutes. One child for each
 * connection; they end with it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIFE_S = 600, GARBAGE = 65536, BACKLOG_TRIES = 64 };

struct target { long bytes; unsigned short port; };

static struct sockaddr_in loopback(unsigned short port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void wait_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* Until the peer goes away. */
static void stay(int fd)
{
	char dropped[4096];

	while (read(fd, dropped, sizeof(dropped)) > 0)
		;
}

static bool send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t sent = write(fd, p, n);

		if (sent < 0)
			return false;
		p += sent;
		n -= (size_t)sent;
	}
	return true;
}

static void act_silent(int fd, const struct target *t)
{
	(void)t;
	stay(fd);
}

static void act_banner(int fd, const struct target *t)
{
	static const char banner[] = "SSH-2.0-OpenSSH_9.2p1\r\n";

	(void)t;
	if (send_all(fd, banner, strlen(banner)))
		stay(fd);
}

static void act_garbage(int fd, const struct target *t)
{
	static char bytes[GARBAGE];
	unsigned state = 1;

	(void)t;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		state = state * 1103515245 + 12345;
		bytes[i] = (char)(state >> 16);
	}
	if (send_all(fd, bytes, sizeof(bytes)))
		stay(fd);
}

static void act_close(int fd, const struct target *t)
{
	(void)fd;
	(void)t;
}

static void act_drip(int fd, const struct target *t)
{
	static const char banner[] = "SSH-2.0-";

	(void)t;
	for (size_t i = 0; send_all(fd, i < strlen(banner) ? banner + i : "x", 1); i++)
		wait_ms(200);
}

/* ---- between a client and a real server ---- */

static int connect_to(unsigned short port)
{
	struct sockaddr_in a = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		fail("fault_server: the server behind it");
	return fd;
}

/* False at the end of either side. */
static bool pass_on(int from, int to, long *left)
{
	char bytes[8192];
	size_t most = left && *left < (long)sizeof(bytes) ? (size_t)*left : sizeof(bytes);
	ssize_t n = read(from, bytes, most);

	if (left && n > 0)
		*left -= n;
	return n > 0 && send_all(to, bytes, (size_t)n);
}

static void act_cut(int fd, const struct target *t)
{
	int server = connect_to(t->port);
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .fd = server, .events = POLLIN } };
	long left = t->bytes;

	while (left > 0 && poll(p, 2, -1) > 0) {
		if (p[0].revents && !pass_on(fd, server, NULL))
			return;
		if (p[1].revents && !pass_on(server, fd, &left))
			return;
	}
}

static void act_stall(int fd, const struct target *t)
{
	act_cut(fd, t);
	stay(fd);
}

/* ---- ports that nobody accepts at ---- */

static int bind_any(unsigned short *port)
{
	struct sockaddr_in a = loopback(0);
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, n) != 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &n) != 0)
		fail("fault_server: a port");
	*port = ntohs(a.sin_port);
	return fd;
}

/* Fills the queue of connections, so that the system answers no further ones. */
static void fill_queue(unsigned short port)
{
	struct sockaddr_in a = loopback(port);

	for (int i = 0; i < BACKLOG_TRIES; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		struct pollfd p = { .fd = fd, .events = POLLOUT };

		if (fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
			fail("fault_server: the queue");
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0 && errno != EINPROGRESS)
			fail("fault_server: the queue");
		if (poll(&p, 1, 300) == 0)
			return;
	}
	fprintf(stderr, "fault_server: the queue cannot be filled\n");
	exit(1);
}

static void tell(unsigned short port)
{
	printf("%u\n", port);
	fclose(stdout);
}

/* ---- main ---- */

static const struct mode {
	const char *name;
	void (*act)(int fd, const struct target *t);	/* NULL = nobody accepts */
	bool between;
} modes[] = {
	{ "silent", act_silent, false },
	{ "banner", act_banner, false },
	{ "garbage", act_garbage, false },
	{ "close", act_close, false },
	{ "drip", act_drip, false },
	{ "refuse", NULL, false },
	{ "blackhole", NULL, false },
	{ "cut", act_cut, true },
	{ "stall", act_stall, true },
};

static const struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	return NULL;
}

static void end_all(int signal_number)
{
	(void)signal_number;
	kill(0, SIGKILL);
}

static void serve(int listener, const struct mode *m, const struct target *t)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0 && fork() == 0) {
			close(listener);
			m->act(fd, t);
			_exit(0);
		}
		if (fd >= 0)
			close(fd);
	}
}

int main(int argc, char **argv)
{
	const struct mode *m = argc > 1 ? find_mode(argv[1]) : NULL;
	struct target t = { 0, 0 };
	unsigned short port;
	int fd;

	if (!m || argc != (m->between ? 4 : 2)) {
		fprintf(stderr, "usage: fault_server MODE | cut BYTES PORT | stall BYTES PORT\n");
		return 2;
	}
	if (m->between)
		t = (struct target){ atol(argv[2]), (unsigned short)atoi(argv[3]) };
	setpgid(0, 0);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGTERM, end_all);
	signal(SIGALRM, end_all);
	alarm(LIFE_S);
	fd = bind_any(&port);
	if (strcmp(m->name, "refuse") != 0 && listen(fd, m->act ? SOMAXCONN : 0) != 0)
		fail("fault_server: listen");
	if (strcmp(m->name, "blackhole") == 0)
		fill_queue(port);
	tell(port);
	if (m->act)
		serve(fd, m, &t);
	for (;;)
		pause();
}
