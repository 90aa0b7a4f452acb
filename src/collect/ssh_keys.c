/* Private keys. See ssh_keys.h. */
#include "collect/ssh_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/slice.h"
#include "collect/run.h"

enum {
	KEY_MAX = 64 * 1024,
	PASSPHRASE_MAX = 1024, PASSPHRASE_TIME_MS = 30000,
	AGENT_TIME_MS = 2000,
	ANSWER_TIME_MS = 60000,
};

struct ssh_agent_socket { const char *path; bool answers; };

struct ssh_keys {
	struct arena *arena;
	const struct remote_options *o;
	VEC(struct ssh_key *) list;
	bool asked;
	const char *passphrase, *no_passphrase;	/* of the command */
	VEC(struct ssh_agent_socket) agents;
};

struct ssh_keys *ssh_keys_create(struct arena *a, const struct remote_options *o)
{
	struct ssh_keys *k = arena_alloc(a, sizeof(*k));

	k->arena = a;
	k->o = o;
	return k;
}

/* ---- files ---- */

/* At most KEY_MAX bytes; p NULL when there is no such file that can be read. */
static struct slice read_small(struct arena *a, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct slice none = { NULL, 0 };
	struct stat st;
	char *p;
	ssize_t n;

	if (fd < 0)
		return none;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return none;
	}
	p = arena_alloc(a, KEY_MAX);
	n = read(fd, p, KEY_MAX);
	close(fd);
	return n < 0 ? none : (struct slice){ p, (size_t)n };
}

/* A base64 text on several lines, up to its first byte that is none of it. */
static struct slice decode(struct arena *a, struct slice text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
	char *p = arena_alloc(a, text.n + 1);
	struct slice out = { NULL, 0 };
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n' || text.p[i] == '\r')
			continue;
		if (!memchr(digits, text.p[i], sizeof(digits) - 1))
			break;
		p[n++] = text.p[i];
	}
	return base64_decode(a, (struct slice){ p, n }, &out) ? out : (struct slice){ NULL, 0 };
}

/* ---- OpenSSH's own form: PROTOCOL.key of OpenSSH ---- */

static bool take_number(struct slice *rest, uint32_t *v)
{
	const unsigned char *p = (const unsigned char *)rest->p;

	if (rest->n < 4)
		return false;
	*v = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	*rest = slice_from(*rest, 4);
	return true;
}

static bool take_string(struct slice *rest, struct slice *s)
{
	uint32_t n;

	if (!take_number(rest, &n) || n > rest->n)
		return false;
	*s = (struct slice){ rest->p, n };
	*rest = slice_from(*rest, n);
	return true;
}

/* Position behind `mark`, or text.n. */
static size_t behind(struct slice text, const char *mark)
{
	struct slice m = slice_of(mark);

	for (size_t i = 0; i + m.n <= text.n; i++)
		if (memcmp(text.p + i, m.p, m.n) == 0)
			return i + m.n;
	return text.n;
}

/* Its public part and the cipher's name are never encrypted. */
static void look_into_openssh(struct ssh_keys *k, struct ssh_key *key, struct slice body)
{
	struct slice rest = decode(k->arena, body), cipher, kdf, options, blob;
	static const char magic[] = "openssh-key-v1";	/* with its NUL byte */
	uint32_t n;

	if (!rest.p || !slice_starts(rest, (struct slice){ magic, sizeof(magic) }))
		return;
	rest = slice_from(rest, sizeof(magic));
	if (!take_string(&rest, &cipher) || !take_string(&rest, &kdf) ||
	    !take_string(&rest, &options) || !take_number(&rest, &n) || !take_string(&rest, &blob))
		return;
	key->encrypted = !slice_eq_str(cipher, "none");
	key->blob = blob;
}

/* "ssh-ed25519 AAAA… comment" */
static struct slice public_blob(struct ssh_keys *k, const char *path)
{
	struct slice text = read_small(k->arena, arena_printf(k->arena, "%s.pub", path)), word;

	if (!text.p || !slice_word(&text, &word) || !slice_word(&text, &word))
		return (struct slice){ NULL, 0 };
	return decode(k->arena, word);
}

struct ssh_key *ssh_keys_get(struct ssh_keys *k, const char *path)
{
	struct ssh_key *key;
	struct slice text;
	size_t at;

	for (size_t i = 0; i < k->list.n; i++)
		if (strcmp(k->list.v[i]->path, path) == 0)
			return k->list.v[i];
	key = arena_alloc(k->arena, sizeof(*key));
	key->path = arena_strdup(k->arena, path);
	*vec_add(k->arena, &k->list) = key;
	text = read_small(k->arena, path);
	key->there = text.p != NULL;
	at = behind(text, "-----BEGIN OPENSSH PRIVATE KEY-----");
	if (at < text.n)
		look_into_openssh(k, key, slice_from(text, at));
	else
		key->encrypted = behind(text, "ENCRYPTED") < text.n;
	if (!key->blob.p)
		key->blob = public_blob(k, path);
	key->certificate = arena_printf(k->arena, "%s-cert.pub", path);
	if (access(key->certificate, R_OK) != 0)
		key->certificate = NULL;
	return key;
}

/* ---- passphrases ---- */

static void ask_command(struct ssh_keys *k)
{
	char *argv[] = { "/bin/sh", "-c", (char *)(uintptr_t)k->o->passphrase_command, NULL };
	const struct run_limits limits = { .timeout_ms = PASSPHRASE_TIME_MS,
					   .out_max = PASSPHRASE_MAX, .err_max = PASSPHRASE_MAX,
					   .stop = k->o->stop };
	struct run_result r;
	struct slice line = { NULL, 0 };

	run_command(k->arena, argv, &limits, &r);
	if (r.exit_status.known && r.exit_status.v == 0 && r.out.p) {
		struct lines it = lines_of(r.out);

		if (lines_next(&it, &line))
			k->passphrase = arena_copy(k->arena, line);
	}
	if (!k->passphrase)
		k->no_passphrase = "the passphrase command gave none";
	run_free(&r);
}

/* One line without echo; NULL when there is no terminal or no answer. */
static const char *ask_terminal(struct arena *a, const char *path)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct termios usual, silent;
	char line[PASSPHRASE_MAX];
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	if (tcgetattr(fd, &usual) == 0) {
		silent = usual;
		silent.c_lflag &= ~(tcflag_t)ECHO;
		dprintf(fd, "Passphrase of %s: ", path);
		(void)tcsetattr(fd, TCSAFLUSH, &silent);
		if (poll(&p, 1, ANSWER_TIME_MS) == 1)
			n = read(fd, line, sizeof(line));
		(void)tcsetattr(fd, TCSAFLUSH, &usual);
		dprintf(fd, "\n");
	}
	close(fd);
	while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
		n--;
	return n > 0 ? arena_copy(a, (struct slice){ line, (size_t)n }) : NULL;
}

void ssh_keys_unlock(struct ssh_keys *k, struct ssh_key *key)
{
	if (key->passphrase || key->no_passphrase)
		return;
	if (k->o->passphrase_command) {
		if (!k->asked)
			ask_command(k);
		k->asked = true;
		key->passphrase = k->passphrase;
		key->no_passphrase = k->no_passphrase;
		return;
	}
	/* only where somebody can answer: never from cron or a monitoring daemon */
	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
		key->passphrase = ask_terminal(k->arena, key->path);
	if (!key->passphrase)
		key->no_passphrase = "it needs a passphrase; hint: ssh-add it to an agent, or set "
				     "\"passphrase_command\"";
}

/* ---- the agent ---- */

/* Asks for its list of keys: SSH_AGENTC_REQUEST_IDENTITIES of the agent protocol. */
static bool agent_answers(const char *path)
{
	static const char request[] = { 0, 0, 0, 1, 11 };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool answers;

	if (fd < 0 || strlen(path) >= sizeof(to.sun_path)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	memcpy(to.sun_path, path, strlen(path));
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	answers = connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 &&
		  send(fd, request, sizeof(request), MSG_NOSIGNAL) == sizeof(request) &&
		  poll(&p, 1, AGENT_TIME_MS) == 1 && (p.revents & POLLIN);
	close(fd);
	return answers;
}

bool ssh_keys_agent_answers(struct ssh_keys *k, const char *path)
{
	for (size_t i = 0; i < k->agents.n; i++)
		if (strcmp(k->agents.v[i].path, path) == 0)
			return k->agents.v[i].answers;
	*vec_add(k->arena, &k->agents) =
		(struct ssh_agent_socket){ arena_strdup(k->arena, path), agent_answers(path) };
	return k->agents.v[k->agents.n - 1].answers;
}

void ssh_keys_prepare(struct ssh_keys *k, const struct ssh_settings *set)
{
	struct ssh_key *key;

	if (!set->identity_given || set->agent || !set->identities.n)
		return;
	key = ssh_keys_get(k, set->identities.v[0]);
	if (key->encrypted)
		ssh_keys_unlock(k, key);
}
