/* Why the ssh program could not do it. See ssh_reason.h. */
#include "collect/ssh_reason.h"

#include "base/quote.h"
#include "base/slice.h"

enum { LINE_MAX_BYTES = 300 };

/* Texts of OpenSSH's client, 7.6 to 10; the first row that is found in the line counts. */
static const struct known {
	const char *words;
	enum err_kind kind;
	const char *what, *hint;
} known[] = {
	{ "Host key verification failed", ERR_HOSTKEY, NULL, NULL },
	{ "REMOTE HOST IDENTIFICATION HAS CHANGED", ERR_HOSTKEY, NULL, NULL },
	{ "REVOKED HOST KEY", ERR_HOSTKEY, NULL, NULL },
	{ "Permission denied (", ERR_AUTH, "the login was refused",
	  "nobody can be asked for a password: load the key into the agent, or name one that needs "
	  "no passphrase, and check the user's name" },
	{ "Too many authentication failures", ERR_AUTH, "the login was refused",
	  "the agent has many keys: name the right one" },
	{ "Could not resolve hostname", ERR_CONNECT, "cannot connect",
	  "check the name, or add a HostName to ~/.ssh/config" },
	{ "Connection refused", ERR_CONNECT, "cannot connect",
	  "check that sshd runs there, and its port" },
	{ "timed out", ERR_CONNECT, "cannot connect",
	  "check the address, and firewalls on the way" },
	{ "No route to host", ERR_CONNECT, "cannot connect",
	  "check the address, and firewalls on the way" },
	{ "Network is unreachable", ERR_CONNECT, "cannot connect",
	  "check the address, and this machine's network" },
	{ "Unable to negotiate", ERR_CONNECT, "cannot connect",
	  "server and client have no algorithm in common: update the older one" },
	{ "open failed", ERR_CONNECT, "cannot connect",
	  "the jump host must allow it (AllowTcpForwarding) and reach the node" },
	{ "closed by remote host", ERR_CONNECT, "the connection broke", NULL },
	{ "Broken pipe", ERR_CONNECT, "the connection broke", NULL },
	{ "not responding", ERR_CONNECT, "the connection broke", NULL },
	{ "onfiguration option", ERR_CONNECT, "ssh cannot be used", "correct its configuration" },
	{ "Bad owner or permissions", ERR_CONNECT, "ssh cannot be used",
	  "correct the file's owner and mode" },
};

/* What ssh says when another one, to the jump host, has failed and has told why. */
static const char *const consequences[] = {
	"kex_exchange_identification: ", "ssh_exchange_identification: ",
	"banner exchange: ", "stdio forwarding failed", "Connection closed by ",
	"Connection reset by ", "Disconnected from ", "Killed by signal ",
};

/* On the way to a refused login: why a key was not offered. */
static const char *const omens[] = {
	"Load key ", "Warning: Identity file ", "sign_and_send_pubkey: ",
};

static bool has(struct slice line, const char *words)
{
	struct slice w = slice_of(words);

	for (size_t i = 0; i + w.n <= line.n; i++)
		if (slice_starts(slice_from(line, i), w))
			return true;
	return false;
}

static bool starts_with_one(struct slice line, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_starts(line, slice_of(words[i])))
			return true;
	return false;
}

static const struct known *known_of(struct slice line)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (has(line, known[i].words))
			return &known[i];
	return NULL;
}

/* From the last line upwards; blank ones are left out. False: no more. */
static bool line_before(struct slice *text, struct slice *line)
{
	while (text->n) {
		size_t at = slice_rfind(*text, '\n');

		*line = at == text->n ? *text : slice_from(*text, at + 1);
		text->n = at == text->n ? 0 : at;
		*line = slice_trim(*line);
		if (line->n)
			return true;
	}
	return false;
}

/*
 * The last line, but for those that only tell that something else has failed: if that is not told
 * above, they are all there is.
 */
static struct slice reason_line(const char *said)
{
	struct slice text = slice_of(said), line, last = { "", 0 };

	while (line_before(&text, &line)) {
		bool weak = starts_with_one(line, consequences, ARRAY_LEN(consequences)) &&
			    !has(line, "timed out");

		if (!weak)
			return !last.n || known_of(line) ? line : last;
		if (!last.n)
			last = line;
	}
	return last;
}

/* One line that is safe to print, without what belongs to a sentence's ends. */
static const char *tidy(struct arena *a, struct slice line)
{
	struct slice program = SLICE("ssh: ");
	char *text;

	if (slice_starts(line, program))
		line = slice_from(line, program.n);
	if (line.n && line.p[line.n - 1] == '.')
		line.n--;
	text = arena_copy(a, line.n > LINE_MAX_BYTES ? (struct slice){ line.p, LINE_MAX_BYTES }
						     : line);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	return text;
}

/* The last line that has all the words; n 0 = none. */
static struct slice find_line(const char *said, const char *words, const char *more)
{
	struct slice text = slice_of(said), line;

	while (line_before(&text, &line))
		if (has(line, words) && has(line, more))
			return line;
	return (struct slice){ "", 0 };
}

/* "[192.0.2.1]:2222" of "Host key for [192.0.2.1]:2222 has changed and ...". */
static const char *known_as(struct arena *a, const char *said, const struct remote_node *node)
{
	struct slice line = find_line(said, "Host key for ", " has changed"), word;

	line = slice_from(line, sizeof("Host key for ") - 1);
	return slice_word(&line, &word) ? tidy(a, word) : node->host;
}

/* The file of "Offending ED25519 key in FILE:1", when it is not the usual one. */
static const char *file_option(struct arena *a, const struct remote_options *o, struct slice line)
{
	struct slice in = SLICE(" key in ");

	line.n = slice_rfind(line, ':');
	while (line.n && !slice_starts(line, in))
		line = slice_from(line, 1);
	if (!o->known_hosts || !line.n)
		return "";
	return arena_printf(a, "-f %s ", quote_shell(a, tidy(a, slice_from(line, in.n))));
}

static void host_key(struct arena *a, const struct remote_options *o,
		     const struct remote_node *node, const char *said, struct err *err)
{
	struct slice line;

	if (find_line(said, "REVOKED HOST KEY", "").n) {
		line = find_line(said, "is marked as revoked", "");
		err_set(a, err, ERR_HOSTKEY, node->name, 0,
			"the host key is revoked: %s; hint: do not connect, ask the owner of the "
			"host for its new key", tidy(a, line));
	} else if (find_line(said, "HOST IDENTIFICATION HAS CHANGED", "").n) {
		line = find_line(said, "Offending ", " key in ");
		err_set(a, err, ERR_HOSTKEY, node->name, 0,
			"the host key has changed: %s; hint: check with the owner of the host, "
			"then ssh-keygen %s-R %s",
			line.n ? tidy(a, line) : "it is not the known one",
			file_option(a, o, line), quote_shell(a, known_as(a, said, node)));
	} else {
		line = find_line(said, "host key is known for ", "");
		err_set(a, err, ERR_HOSTKEY, node->name, 0,
			"the host key cannot be verified: %s; hint: compare its fingerprint with "
			"the owner's and connect once with ssh %s",
			line.n ? tidy(a, line) : "ssh says no more", quote_shell(a, node->host));
	}
}

static const char *omen(struct arena *a, const char *said)
{
	struct slice text = slice_of(said), line;

	while (line_before(&text, &line))
		if (starts_with_one(line, omens, ARRAY_LEN(omens)))
			return arena_printf(a, "%s; ", tidy(a, line));
	return "";
}

void ssh_reason(struct arena *a, const struct remote_options *o, const struct remote_node *node,
		const char *said, struct err *err)
{
	struct slice line = reason_line(said);
	const struct known *k = known_of(line);
	const char *text = tidy(a, line);

	if (!line.n)
		err_set(a, err, ERR_CONNECT, node->name, 0,
			"ssh failed and said nothing; hint: ssh %s true",
			quote_shell(a, node->host));
	else if (!k)
		err_set(a, err, ERR_CONNECT, node->name, 0, "ssh failed: %s", text);
	else if (k->kind == ERR_HOSTKEY)
		host_key(a, o, node, said, err);
	else
		err_set(a, err, k->kind, node->name, 0, "%s: %s%s%s%s", k->what,
			k->kind == ERR_AUTH ? omen(a, said) : "", text,
			k->hint ? "; hint: " : "", k->hint ? k->hint : "");
}

bool ssh_reason_known(const char *said)
{
	struct slice line = reason_line(said);

	return known_of(line) || starts_with_one(line, consequences, ARRAY_LEN(consequences));
}
