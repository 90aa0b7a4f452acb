/* Why the ssh program failed, by what it says: src/collect/ssh_reason.c. Texts of OpenSSH 9.2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "collect/ssh_reason.h"

#define AT "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\r\n"
#define CHANGED                                                                                    \
	AT "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n" AT                    \
	"IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\r\n"                                \
	"The fingerprint for the ED25519 key sent by the remote host is\n"                         \
	"SHA256:v24JN2a9UaEdUCmHDjicCU+3VQjpQIAOWYuFasuL/Hw.\r\n"                                  \
	"Please contact your system administrator.\r\n"                                            \
	"Add correct host key in /h/k n to get rid of this message.\r\n"                           \
	"Offending RSA key in /h/k n:12\r\n  remove with:\r\n"                                     \
	"  ssh-keygen -f \"/h/k n\" -R \"[127.0.0.1]:2222\"\r\n"                                   \
	"Host key for [127.0.0.1]:2222 has changed and you have requested strict checking.\r\n"    \
	"Host key verification failed.\r\n"
#define REVOKED                                                                                    \
	AT "@       WARNING: REVOKED HOST KEY DETECTED!               @\r\n" AT                    \
	"The ED25519 host key for cass-01 is marked as revoked.\r\n"                               \
	"This could mean that a stolen key is being used to\r\nimpersonate this host.\r\n"         \
	"ED25519 host key for cass-01 was revoked and you have requested strict checking.\r\n"     \
	"Host key verification failed.\r\n"
#define JUMP_FAILED                                                                                \
	"kex_exchange_identification: Connection closed by remote host\r\n"                        \
	"Connection closed by UNKNOWN port 65535\r\n"
#define BANNER "*** Permission denied (for all) ***\nHost key verification failed, timed out\n\n"
#define COMPARE "compare its fingerprint with the owner's and connect once with ssh cass-01"
#define LOGIN                                                                                      \
	"nobody can be asked for a password: load the key into the agent, or name one that needs " \
	"no passphrase, and check the user's name"

static const struct {
	const char *name, *said;
	enum err_kind kind;
	const char *text;
} cases[] = {
	{ "the login is refused", "op@cass-01: Permission denied (publickey).\r\n", ERR_AUTH,
	  "the login was refused: op@cass-01: Permission denied (publickey); hint: " LOGIN },
	{ "an identity that is not there", "Warning: Identity file x not accessible: No such "
	  "file or directory.\nop@h: Permission denied (publickey).\r\n", ERR_AUTH,
	  "the login was refused: Warning: Identity file x not accessible: No such file or "
	  "directory; op@h: Permission denied (publickey); hint: " LOGIN },
	{ "too many keys", "Received disconnect from 192.0.2.1 port 22:2: Too many authentication "
	  "failures\r\nDisconnected from 192.0.2.1 port 22\r\n", ERR_AUTH,
	  "the login was refused: Received disconnect from 192.0.2.1 port 22:2: Too many "
	  "authentication failures; hint: the agent has many keys: name the right one" },
	{ "a changed key", CHANGED, ERR_HOSTKEY,
	  "the host key has changed: Offending RSA key in /h/k n:12; hint: check with the owner of "
	  "the host, then ssh-keygen -R '[127.0.0.1]:2222'" },
	{ "a revoked key", REVOKED, ERR_HOSTKEY,
	  "the host key is revoked: The ED25519 host key for cass-01 is marked as revoked; hint: "
	  "do not connect, ask the owner of the host for its new key" },
	{ "an unknown key", "No ED25519 host key is known for cass-01 and you have requested "
	  "strict checking.\r\nHost key verification failed.\r\n", ERR_HOSTKEY,
	  "the host key cannot be verified: No ED25519 host key is known for cass-01 and you have "
	  "requested strict checking; hint: " COMPARE },
	{ "the jump host's key", "Host key verification failed.\r\n" JUMP_FAILED, ERR_HOSTKEY,
	  "the host key cannot be verified: ssh says no more; hint: " COMPARE },
	{ "a changed key without its place", "WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\n",
	  ERR_HOSTKEY, "the host key has changed: it is not the known one; hint: check with the "
	  "owner of the host, then ssh-keygen -R cass-01" },
	{ "a name", "ssh: Could not resolve hostname x: Name or service not known\r\n", ERR_CONNECT,
	  "cannot connect: Could not resolve hostname x: Name or service not known; hint: check "
	  "the name, or add a HostName to ~/.ssh/config" },
	{ "refused", "ssh: connect to host 192.0.2.1 port 22: Connection refused\r\n", ERR_CONNECT,
	  "cannot connect: connect to host 192.0.2.1 port 22: Connection refused; hint: check that "
	  "sshd runs there, and its port" },
	{ "a black hole", "ssh: connect to host 192.0.2.1 port 22: Connection timed out\r\n",
	  ERR_CONNECT, "cannot connect: connect to host 192.0.2.1 port 22: Connection timed out; "
	  "hint: check the address, and firewalls on the way" },
	{ "silence", "Connection timed out during banner exchange\r\nConnection to 192.0.2.1 "
	  "port 22 "
	  "timed out\r\n", ERR_CONNECT, "cannot connect: Connection to 192.0.2.1 port 22 timed "
	  "out; hint: check the address, and firewalls on the way" },
	{ "no route", "ssh: connect to host 192.0.2.1 port 22: No route to host\r\n", ERR_CONNECT,
	  "cannot connect: connect to host 192.0.2.1 port 22: No route to host; hint: check the "
	  "address, and firewalls on the way" },
	{ "no cipher", "Unable to negotiate with 192.0.2.1 port 22: no matching cipher found. "
	  "Their offer: aes256-ctr\r\n", ERR_CONNECT, "cannot connect: Unable to negotiate with "
	  "192.0.2.1 "
	  "port 22: no matching cipher found. Their offer: aes256-ctr; hint: server and client "
	  "have no algorithm in common: update the older one" },
	{ "the jump host refuses the login", "op@j: Permission denied (publickey).\r\n" JUMP_FAILED,
	  ERR_AUTH, "the login was refused: op@j: Permission denied (publickey); hint: " LOGIN },
	{ "behind the jump host", "channel 0: open failed: connect failed: Connection refused\r\n"
	  "stdio forwarding failed\r\n" JUMP_FAILED, ERR_CONNECT, "cannot connect: channel 0: open "
	  "failed: connect failed: Connection refused; hint: check that sshd runs there, and its "
	  "port" },
	{ "dropped at once", "kex_exchange_identification: Connection closed by remote host\r\n"
	  "Connection closed by 192.0.2.1 port 22\r\n", ERR_CONNECT,
	  "ssh failed: Connection closed by 192.0.2.1 port 22" },
	{ "dropped later", BANNER "Connection to cass-01 closed by remote host.\r\n", ERR_CONNECT,
	  "the connection broke: Connection to cass-01 closed by remote host" },
	{ "a banner", BANNER "op@cass-01: Permission denied (publickey).\r\n", ERR_AUTH,
	  "the login was refused: op@cass-01: Permission denied (publickey); hint: " LOGIN },
	{ "a banner and no name", BANNER "ssh: something else\r\n", ERR_CONNECT,
	  "ssh failed: something else" },
	{ "a configuration", "command-line: line 0: Bad configuration option: nonsense\r\n",
	  ERR_CONNECT,
	  "ssh cannot be used: command-line: line 0: Bad configuration option: nonsense; hint: "
	  "correct its configuration" },
	{ "nothing", "", ERR_CONNECT, "ssh failed and said nothing; hint: ssh cass-01 true" },
	{ "blanks", " \r\n\n \t\n", ERR_CONNECT,
	  "ssh failed and said nothing; hint: ssh cass-01 true" },
	{ "bytes that are no text", "\x1b[31mred\x7f\ttext\n", ERR_CONNECT,
	  "ssh failed:  [31mred  text" },
};

static void test_reasons(void **state)
{
	const struct remote_node node = { .name = "n1", .host = "cass-01" };
	const struct remote_options o = { 0 };
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = { .kind = ERR_NONE };

		ssh_reason(a, &o, &node, cases[i].said, &err);
		if (err.kind != cases[i].kind)
			fail_msg("%s: kind %d", cases[i].name, (int)err.kind);
		if (strcmp(err.text, cases[i].text) != 0)
			fail_msg("%s: %s", cases[i].name, err.text);
		assert_string_equal(err.subject, "n1");
	}
	arena_destroy(a);
}

/* With a file of its own the remedy has to name it. */
static void test_own_known_hosts(void **state)
{
	const struct remote_node node = { .name = "n1", .host = "cass-01" };
	const struct remote_options o = { .known_hosts = "~/k n" };
	struct err err = { .kind = ERR_NONE };
	struct arena *a = arena_create();

	(void)state;
	ssh_reason(a, &o, &node, CHANGED, &err);
	assert_non_null(strstr(err.text, "ssh-keygen -f '/h/k n' -R '[127.0.0.1]:2222'"));
	arena_destroy(a);
}

/* Whatever is said, cut off anywhere, there is one line of text that is not long. */
static void test_every_cut(void **state)
{
	const struct remote_node node = { .name = "n1", .host = "cass-01" };
	const struct remote_options o = { .known_hosts = "x" };
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t n = 0; n <= strlen(cases[i].said); n++) {
			struct err err = { .kind = ERR_NONE };
			char *said = arena_copy(a, (struct slice){ cases[i].said, n });

			ssh_reason(a, &o, &node, said, &err);
			assert_int_not_equal(err.kind, ERR_NONE);
			assert_null(strpbrk(err.text, "\r\n\t\x1b"));
			assert_true(strlen(err.text) < 1000);
		}
	}
	arena_destroy(a);
}

static void test_long(void **state)
{
	const struct remote_node node = { .name = "n1", .host = "cass-01" };
	const struct remote_options o = { 0 };
	struct err err = { .kind = ERR_NONE };
	struct arena *a = arena_create();
	char *said = arena_alloc(a, 100001);

	(void)state;
	memset(said, 'x', 100000);
	ssh_reason(a, &o, &node, said, &err);
	assert_int_equal(strlen(err.text), strlen("ssh failed: ") + 300);
	arena_destroy(a);
}

static void test_known(void **state)
{
	static const struct { const char *said; bool known; } lasts[] = {
		{ "Connection to h closed by remote host.\r\n", true },
		{ "client_loop: send disconnect: Broken pipe\r\n", true },
		{ "Connection reset by 192.0.2.1 port 22\r\n", true },
		{ "Timeout, server h not responding.\r\n", true },
		{ "", false },
		{ "java.lang.OutOfMemoryError\n", false },
		{ "Connection reset by 192.0.2.1 port 22\r\nsomething\n", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lasts); i++)
		if (ssh_reason_known(lasts[i].said) != lasts[i].known)
			fail_msg("%s", lasts[i].said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_own_known_hosts),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
