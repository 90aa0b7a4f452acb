/* known_hosts files: src/collect/known_hosts.c, known_hosts_file.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/base64.h"
#include "base/slice.h"
#include "collect/known_hosts.h"
#include "collect/run.h"
#include "files.h"
#include "folder.h"
#include "text_assert.h"

/* Keys as ssh-keygen made them, with what `ssh-keygen -l` says of each. */
#define B1 "AAAAC3NzaC1lZDI1NTE5AAAAIBtvUcHy+Cy0Cwam9yrSgwSXmKYTLuIp0RbLvNdXJwG2"
#define B2 "AAAAC3NzaC1lZDI1NTE5AAAAII1k1ELfBBCAkMHv6bdZ4NFs1lImERsogKJOzRIj/R77"
#define B3 "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBAQIrTSrxPWNn+RMSGvqKGHk" \
	   "UKciKOQnL+RUg5Sy3XmxMsSNHv8yHBfPpg3NtjQOB+2hDHzhkNAB0SAJ8jt/2C4="
#define K1 "ssh-ed25519 " B1 "\n"
#define K2 "ssh-ed25519 " B2 "\n"
#define K3 "ecdsa-sha2-nistp256 " B3 "\n"

/* As `ssh-keygen -H` wrote them, for node-1.example and for [node-2.example]:2222. */
#define HASHED_1 "|1|sWOhLrbhZ88O5xtvzxZsVgD9GTM=|m7OXvrLXJuGmKtik0c78Molt/HY="
#define HASHED_2 "|1|FT/mPqrc9MhIu3QhIcrp9xUMnjg=|vhmTVqbwid0GkkARnOkQxr7lNvw="

static struct slice blob(struct arena *a, const char *text)
{
	struct slice key;

	assert_true(base64_decode(a, slice_of(text), &key));
	return key;
}

static enum host_key_verdict check(struct arena *a, const struct known_hosts *k,
				   const struct known_host_name *name, const char *text,
				   struct known_host_place *place)
{
	struct slice key = blob(a, text);

	return known_hosts_check(k, name, known_hosts_key_type(key), key, place);
}

static void test_keys(void **state)
{
	static const struct { const char *text, *type, *fingerprint; } cases[] = {
		{ B1, "ssh-ed25519", "SHA256:574PC7VgQUlLerDuJ43ugKiLxY/eKwqShXqKrbgoS2Y" },
		{ B2, "ssh-ed25519", "SHA256:0tpuW4KEITsKDN6WZxb14lppGGQRFgNEEJMyZOJIUkM" },
		{ B3, "ecdsa-sha2-nistp256",
		  "SHA256:UqkTQfQcKU8ihZdZigX9qqizgrz7vLzlOPWs/o/7N48" },
	};
	static const struct slice damaged[] = {
		SLICE(""), SLICE("\0\0\0"), SLICE("\0\0\0\0"), SLICE("\0\0\0\2a"),
		SLICE("\xff\xff\xff\xff" "a"), SLICE("\0\0\0\1,"), SLICE("\0\0\0\1 "),
		SLICE("\0\0\0\1\0"), SLICE("\0\0\0\1\x80"),
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice key = blob(a, cases[i].text);

		assert_true(slice_eq_str(known_hosts_key_type(key), cases[i].type));
		assert_string_equal(known_hosts_fingerprint(a, key), cases[i].fingerprint);
	}
	for (size_t i = 0; i < ARRAY_LEN(damaged); i++)
		if (known_hosts_key_type(damaged[i]).p)
			fail_msg("damaged key %zu has a type", i);
	assert_true(slice_eq_str(known_hosts_key_type(SLICE("\0\0\0\1a")), "a"));
	arena_destroy(a);
}

enum { KNOWN = HOST_KEY_KNOWN, UNKNOWN = HOST_KEY_UNKNOWN, CHANGED = HOST_KEY_CHANGED,
       REVOKED = HOST_KEY_REVOKED };

/*
 * What is said of key 1. Those with a port were compared with ssh itself: it takes a key known for
 * the name alone, and with a key that differs the host is new to it. Only in one thing it is less
 * strict: a key that is revoked for the name alone it takes as new for a port.
 */
static void test_verdicts(void **state)
{
	static const struct {
		const char *name, *text, *host, *port;
		int verdict;
		unsigned line;
		const char *types;
	} cases[] = {
		{ "nothing", "", "h", NULL, UNKNOWN, 0, "" },
		{ "another host", "i " K1, "h", NULL, UNKNOWN, 0, "" },
		{ "known", "h " K1, "h", NULL, KNOWN, 1, "ssh-ed25519" },
		{ "with a comment", "h ssh-ed25519 " B1 " me@here # x\r\n", "h", "22", KNOWN, 1,
		  "ssh-ed25519" },
		{ "without an end", "#\n\nh\tssh-ed25519\t " B1, "h", "22", KNOWN, 3,
		  "ssh-ed25519" },
		{ "upper case", "Node-1.EXAMPLE " K1, "nOde-1.Example", NULL, KNOWN, 1,
		  "ssh-ed25519" },
		{ "several names", "g,h,i " K1, "h", NULL, KNOWN, 1, "ssh-ed25519" },
		{ "part of a name", "node " K1, "node1", NULL, UNKNOWN, 0, "" },
		{ "an address", "2001:db8::1 " K1, "2001:db8::1", NULL, KNOWN, 1, "ssh-ed25519" },
		{ "changed", "h " K2, "h", NULL, CHANGED, 1, "ssh-ed25519" },
		{ "another type only", "h " K3, "h", NULL, CHANGED, 1, "ecdsa-sha2-nistp256" },
		{ "that of the same type is shown", "h " K3 "h " K2 "h " K2, "h", NULL, CHANGED, 2,
		  "ecdsa-sha2-nistp256,ssh-ed25519" },
		{ "one of several", "h " K3 "h " K2 "h " K1, "h", NULL, KNOWN, 3,
		  "ecdsa-sha2-nistp256,ssh-ed25519" },
		{ "revoked", "h " K1 "@revoked h " K1, "h", NULL, REVOKED, 2, "ssh-ed25519" },
		{ "revoked first", "@revoked * " K1 "h " K1, "h", "22", REVOKED, 1, "ssh-ed25519" },
		{ "revoked for all with a port", "@revoked * " K1, "h", "2222", REVOKED, 1, "" },
		{ "revoked for the name", "[h]:2222 " K1 "@revoked h " K1, "h", "2222", REVOKED, 2,
		  "ssh-ed25519" },
		{ "revoked for a port", "h " K1 "@revoked [h]:2222 " K1, "h", "2222", REVOKED, 2,
		  "ssh-ed25519" },
		{ "revoked for another port", "h " K1 "@revoked [h]:2222 " K1, "h", NULL, KNOWN, 1,
		  "ssh-ed25519" },
		{ "revoked elsewhere", "@revoked i " K1 "h " K1, "h", NULL, KNOWN, 2,
		  "ssh-ed25519" },
		{ "revoked with a tab, which ssh takes for bad", "@revoked\th " K1, "h", NULL,
		  REVOKED, 1, "" },
		{ "another is revoked", "@revoked h " K2, "h", NULL, UNKNOWN, 0, "" },
		{ "revoked with hashed name", "@revoked " HASHED_1 " " K1, "node-1.example", NULL,
		  REVOKED, 1, "" },
		{ "an authority", "@cert-authority * " K1, "h", NULL, UNKNOWN, 0, "" },
		{ "a port", "[h]:2222 " K1, "h", "2222", KNOWN, 1, "ssh-ed25519" },
		{ "another port", "[h]:2222 " K1, "h", "2223", UNKNOWN, 0, "" },
		{ "a port is not all of them", "[h]:2222 " K1, "h", "22", UNKNOWN, 0, "" },
		{ "port 22 has none", "[h]:22 " K1, "h", "22", UNKNOWN, 0, "" },
		{ "the name alone", "h " K1, "h", "2222", KNOWN, 1, "ssh-ed25519" },
		{ "the name alone differs", "h " K2, "h", "2222", UNKNOWN, 0, "ssh-ed25519" },
		{ "the port differs", "h " K1 "[h]:2222 " K2, "h", "2222", CHANGED, 2,
		  "ssh-ed25519" },
		{ "types of the port", "h " K1 "[h]:2222 " K3, "h", "2222", CHANGED, 2,
		  "ecdsa-sha2-nistp256" },
		{ "hashed", HASHED_1 " " K1, "Node-1.example", NULL, KNOWN, 1, "ssh-ed25519" },
		{ "hashed, another", HASHED_1 " " K1, "node-2.example", NULL, UNKNOWN, 0, "" },
		{ "hashed with a port", HASHED_2 " " K1, "node-2.example", "2222", KNOWN, 1,
		  "ssh-ed25519" },
		{ "hashed, another port", HASHED_2 " " K1, "node-2.example", "22", UNKNOWN, 0, "" },
		{ "hashed name alone", HASHED_1 " " K1, "node-1.example", "9", KNOWN, 1,
		  "ssh-ed25519" },
		{ "a star", "*.example " K1, "node-1.example", NULL, KNOWN, 1, "ssh-ed25519" },
		{ "stars", "*e*1*.ex*le* " K1, "node-1.example", NULL, KNOWN, 1, "ssh-ed25519" },
		{ "a star too many", "*e*2*.example " K1, "node-1.example", NULL, UNKNOWN, 0, "" },
		{ "a question mark", "node-?.example " K1, "node-1.example", NULL, KNOWN, 1,
		  "ssh-ed25519" },
		{ "for one byte", "node-?.example " K1, "node-10.example", NULL, UNKNOWN, 0, "" },
		{ "at the end", "node? " K1, "node", NULL, UNKNOWN, 0, "" },
		{ "but not", "*.example,!node-1.* " K1, "node-1.example", NULL, UNKNOWN, 0, "" },
		{ "but not, first", "!node-1.*,*.example " K1, "node-1.example", NULL, UNKNOWN, 0,
		  "" },
		{ "but not another", "!node-2.*,*.EXAMPLE " K1, "node-1.example", NULL, KNOWN, 1,
		  "ssh-ed25519" },
		{ "only but not", "!node-2.example " K1, "node-1.example", NULL, UNKNOWN, 0, "" },
		{ "all ports", "[*.example]:* " K1, "node-1.example", "2222", KNOWN, 1,
		  "ssh-ed25519" },
		{ "no comment", "h #ssh-ed25519 " B1 "\n# h " K1, "h", NULL, UNKNOWN, 0, "" },
		{ "a star that was typed", "node " K1, "*", NULL, UNKNOWN, 0, "" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct known_host_name name = { cases[i].host, cases[i].port };
		struct known_hosts *k = known_hosts_create(a);
		struct known_host_place place;
		int verdict;

		known_hosts_add(k, "file", slice_of(cases[i].text));
		verdict = check(a, k, &name, B1, &place);
		if (verdict != cases[i].verdict || place.line != cases[i].line ||
		    !place.path != (verdict == UNKNOWN))
			fail_msg("%s: verdict %d by line %u", cases[i].name, verdict, place.line);
		assert_text(cases[i].name, known_hosts_types(k, &name), cases[i].types);
	}
	arena_destroy(a);
}

/* A bad line costs itself: all of these have a good one behind them. */
static void test_bad_lines(void **state)
{
	static const struct {
		const char *name, *text;
		size_t bad, authorities;
	} cases[] = {
		{ "none", "\n  \n# a comment\n \t# another\n", 0, 0 },
		{ "one word", "x\n", 1, 0 },
		{ "two words", "x ssh-ed25519\n", 1, 0 },
		{ "no base64", "x ssh-ed25519 ????\n", 1, 0 },
		{ "cut off", "x ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtvUcHy+Cy0Cwa\n", 1, 0 },
		{ "too short for its type", "x ssh-ed25519 AAAAC3Nz\n", 1, 0 },
		{ "another type's key", "x ssh-rsa " B1 "\n", 1, 0 },
		{ "protocol 1", "x 1024 35 1234567890\n", 1, 0 },
		{ "an unknown marker", "@no x " K2, 1, 0 },
		{ "two markers", "@revoked @revoked x " K2, 1, 0 },
		{ "a marker alone", "@revoked\n", 1, 0 },
		{ "a marker too long", "@revokedx x " K2, 1, 0 },
		{ "a hash without salt", "|1||m7OXvrLXJuGmKtik0c78Molt/HY= " K2, 1, 0 },
		{ "a hash cut off", "|1|sWOhLrbhZ88O5xtvzxZsVgD9GTM= " K2, 1, 0 },
		{ "a short salt", "|1|sWOh|m7OXvrLXJuGmKtik0c78Molt/HY= " K2, 1, 0 },
		{ "a short hash", "|1|sWOhLrbhZ88O5xtvzxZsVgD9GTM=|m7OX " K2, 1, 0 },
		{ "another hash",
		  "|2|sWOhLrbhZ88O5xtvzxZsVgD9GTM=|m7OXvrLXJuGmKtik0c78Molt/HY= " K2, 1, 0 },
		{ "more than a hash", HASHED_1 "|x " K2, 1, 0 },
		{ "authorities", "@cert-authority * " K2 "\t@cert-authority * " K3, 0, 2 },
		{ "a bad authority", "@cert-authority * ssh-ed25519\n", 1, 0 },
		{ "all", "x\ny\n@cert-authority * " K2 "@x x " K2, 3, 1 },
	};
	const struct known_host_name name = { .host = "h" };
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct known_hosts *k = known_hosts_create(a);
		struct known_hosts_counts counts;
		struct known_host_place place;

		known_hosts_add(k, "file",
				slice_of(arena_printf(a, "%sh " K1, cases[i].text)));
		counts = known_hosts_counts(k);
		if (counts.bad != cases[i].bad || counts.authorities != cases[i].authorities ||
		    counts.keys != 1)
			fail_msg("%s: %zu keys, %zu bad, %zu authorities", cases[i].name,
				 counts.keys, counts.bad, counts.authorities);
		if (check(a, k, &name, B1, &place) != HOST_KEY_KNOWN)
			fail_msg("%s: the line after it is lost", cases[i].name);
	}
	arena_destroy(a);
}

static void test_long_line(void **state)
{
	const struct known_host_name name = { .host = "h" };
	struct arena *a = arena_create();
	struct known_hosts *k = known_hosts_create(a);
	struct known_host_place place;
	size_t n = 2 * 1024 * 1024;
	char *text = arena_alloc(a, n + 200);

	(void)state;
	memset(text, 'x', n);
	strcpy(text + n, ",h " K2 "h " K1);
	known_hosts_add(k, "file", slice_of(text));
	assert_int_equal(check(a, k, &name, B1, &place), HOST_KEY_KNOWN);
	assert_int_equal(place.line, 2);
	assert_int_equal(known_hosts_counts(k).bad, 1);
	arena_destroy(a);
}

/* Revoked in the last file, known in the first; a file that is not there; none; a folder. */
static void test_several_files(void **state)
{
	const struct known_host_name name = { .host = "h" };
	struct arena *a = arena_create();
	struct known_hosts *k = known_hosts_create(a);
	char *dir = folder_create(a), *user = arena_printf(a, "%s/user", dir);
	char *global = arena_printf(a, "%s/global", dir);
	struct known_host_place place;
	struct err err = { 0 };

	(void)state;
	assert_true(folder_add(a, dir, "user", SLICE("h " K1)));
	assert_true(folder_add(a, dir, "global", SLICE("#\n@revoked h " K1 "h " K2)));
	assert_true(known_hosts_read(k, user, &err));
	assert_true(known_hosts_read(k, arena_printf(a, "%s/none", dir), &err));
	assert_true(known_hosts_read(k, arena_printf(a, "%s/none/at/all", dir), &err));
	assert_true(known_hosts_read(k, arena_printf(a, "%s/below", user), &err));
	assert_true(known_hosts_read(k, "/dev/null", &err));
	assert_int_equal(check(a, k, &name, B1, &place), HOST_KEY_KNOWN);
	assert_string_equal(place.path, user);
	assert_true(known_hosts_read(k, global, &err));
	assert_int_equal(check(a, k, &name, B1, &place), HOST_KEY_REVOKED);
	assert_string_equal(place.path, global);
	assert_int_equal(place.line, 2);
	assert_int_equal(check(a, k, &name, B2, &place), HOST_KEY_KNOWN);
	assert_int_equal(place.line, 3);
	assert_int_equal(known_hosts_counts(k).keys, 3);
	assert_int_equal(err.kind, ERR_NONE);
	assert_false(known_hosts_read(k, dir, &err));
	assert_int_equal(err.kind, ERR_IO);
	assert_string_equal(err_text(a, &err), arena_printf(a, "%s: Is a directory", dir));
	folder_remove(a, dir);
	arena_destroy(a);
}

static void test_too_large(void **state)
{
	struct arena *a = arena_create();
	struct known_hosts *k = known_hosts_create(a);
	char *dir = folder_create(a), *path = arena_printf(a, "%s/x", dir);
	struct err err = { 0 };

	(void)state;
	assert_true(folder_add(a, dir, "x", SLICE("h " K1)));
	assert_int_equal(truncate(path, 16 * 1024 * 1024), 0);
	assert_true(known_hosts_read(k, path, &err));
	assert_int_equal(truncate(path, 16 * 1024 * 1024 + 1), 0);
	assert_false(known_hosts_read(k, path, &err));
	assert_string_equal(err.text, "is larger than 16 MiB");
	folder_remove(a, dir);
	arena_destroy(a);
}

/* ---- a line more ---- */

static bool append(struct arena *a, const char *path, const char *host, const char *port,
		   const char *key, struct err *err)
{
	const struct known_host_name name = { host, port };

	*err = (struct err){ 0 };
	return known_hosts_append(a, path, &name, blob(a, key), err);
}

static void assert_file(struct arena *a, const char *name, const char *path, const char *want)
{
	struct slice text = file_bytes(a, path);

	assert_text(name, text.p ? arena_copy(a, text) : "no file", want);
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void test_append_new(void **state)
{
	struct arena *a = arena_create();
	char *dir = folder_create(a), *home = arena_printf(a, "%s/.ssh", dir);
	char *path = arena_printf(a, "%s/known_hosts", home);
	mode_t before = umask(0);
	struct err err;

	(void)state;
	assert_true(append(a, path, "Node-1.Example", "22", B1, &err));
	assert_int_equal(mode_of(home), 0700);
	assert_int_equal(mode_of(path), 0600);
	assert_file(a, "new", path, "node-1.example " K1);
	assert_true(append(a, path, "node-1.example", "2222", B2, &err));
	assert_true(append(a, path, "2001:db8::1", NULL, B3, &err));
	assert_file(a, "three", path,
		    "node-1.example " K1 "[node-1.example]:2222 " K2 "2001:db8::1 " K3);
	assert_true(append(a, path, "node-1.example", NULL, B1, &err));
	assert_true(append(a, path, "node-1.example", "2222", B2, &err));
	assert_file(a, "twice", path,
		    "node-1.example " K1 "[node-1.example]:2222 " K2 "2001:db8::1 " K3);
	umask(before);
	folder_remove(a, dir);
	arena_destroy(a);
}

static void test_append_to(void **state)
{
	static const struct { const char *name, *before, *host, *why, *after; } cases[] = {
		{ "an empty file", "", "h", NULL, "h " K1 },
		{ "a newline is missing", "i " K2 "# end", "h", NULL, "i " K2 "# end\nh " K1 },
		{ "a bad line", "bad", "h", NULL, "bad\nh " K1 },
		{ "another key by now", "#\nh " K2, "h",
		  "file:2: another key is known for the host", "#\nh " K2 },
		{ "another type by now", "h " K3, "h", "file:1: another key is known for the host",
		  "h " K3 },
		{ "revoked by now", "@revoked * " K1, "h", "file:1: the key is revoked",
		  "@revoked * " K1 },
		{ "a pattern", "", "h*", "file: a host of that name has no line", "" },
		{ "two names", "", "h,i", "file: a host of that name has no line", "" },
		{ "a negation", "", "!h", "file: a host of that name has no line", "" },
		{ "a comment", "", "#h", "file: a host of that name has no line", "" },
		{ "a hash", "", "|1|h", "file: a host of that name has no line", "" },
		{ "a marker", "", "@revoked", "file: a host of that name has no line", "" },
		{ "a blank", "", "h i", "file: a host of that name has no line", "" },
		{ "a line end", "", "h\ni", "file: a host of that name has no line", "" },
		{ "nothing", "", "", "file: a host of that name has no line", "" },
	};
	struct arena *a = arena_create();
	char *dir = folder_create(a), *path = arena_printf(a, "%s/x", dir);
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool ok;

		assert_true(folder_add(a, dir, "x", slice_of(cases[i].before)));
		ok = append(a, path, cases[i].host, NULL, B1, &err);
		if (ok != !cases[i].why)
			fail_msg("%s: %s", cases[i].name, err_text(a, &err));
		assert_file(a, cases[i].name, path, cases[i].after);
		if (ok)
			continue;
		err.subject = "file";
		assert_text(cases[i].name, err_text(a, &err), cases[i].why);
		assert_int_equal(err.kind, ERR_HOSTKEY);
	}
	folder_remove(a, dir);
	arena_destroy(a);
}

static void test_append_fails(void **state)
{
	const struct known_host_name name = { .host = "h" };
	struct arena *a = arena_create();
	char *dir = folder_create(a);
	struct err err;

	(void)state;
	assert_false(append(a, arena_printf(a, "%s/no/such/file", dir), "h", NULL, B1, &err));
	assert_string_equal(err.text, "its folder cannot be made: No such file or directory");
	assert_false(append(a, dir, "h", NULL, B1, &err));
	assert_string_equal(err.text, "cannot be opened for writing: Is a directory");
	assert_int_equal(err.kind, ERR_IO);
	assert_true(append(a, "/dev/null", "h", NULL, B1, &err));
	assert_false(known_hosts_append(a, arena_printf(a, "%s/x", dir), &name,
					SLICE("\0\0\0\7ssh"), &err));
	assert_string_equal(err.text, "the host's key is damaged");
	assert_int_equal(folder_count(dir), 0);
	folder_remove(a, dir);
	arena_destroy(a);
}

/* Room for a part of the line only: the file stays as it was. */
static void test_append_full(void **state)
{
	struct arena *a = arena_create();
	char *dir = folder_create(a), *path = arena_printf(a, "%s/x", dir);
	struct rlimit before, less;
	struct err err;
	bool ok;

	(void)state;
	assert_true(folder_add(a, dir, "x", SLICE("i " K2)));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	less = before;
	less.rlim_cur = strlen("i " K2) + 10;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	ok = append(a, path, "h", NULL, B1, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_false(ok);
	assert_string_equal(err.text, "cannot be written: File too large");
	assert_file(a, "as before", path, "i " K2);
	folder_remove(a, dir);
	arena_destroy(a);
}

/* A child holds the lock for a while, and says so once it has it. */
static pid_t hold_lock(const char *path, long ms)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	int fd[2];
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		int file = open(path, O_RDWR | O_APPEND);

		if (fcntl(file, F_SETLK, &lock) != 0 || write(fd[1], "x", 1) != 1)
			_exit(1);
		nanosleep(&t, NULL);
		if (write(file, "i " K2, strlen("i " K2)) < 0)
			_exit(1);
		_exit(0);
	}
	close(fd[1]);
	assert_int_equal(read(fd[0], &c, 1), 1);
	close(fd[0]);
	return pid;
}

static void test_append_waits(void **state)
{
	struct arena *a = arena_create();
	char *dir = folder_create(a), *path = arena_printf(a, "%s/x", dir);
	struct err err;
	pid_t pid;

	(void)state;
	assert_true(folder_add(a, dir, "x", SLICE("#\n")));
	pid = hold_lock(path, 300);
	assert_true(append(a, path, "h", NULL, B1, &err));
	assert_file(a, "after the other", path, "#\ni " K2 "h " K1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	pid = hold_lock(path, 60000);
	assert_false(append(a, path, "g", NULL, B1, &err));
	assert_string_equal(err.text, "cannot be written: another program has locked it");
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	folder_remove(a, dir);
	arena_destroy(a);
}

/* ---- compared with ssh-keygen ---- */

static const char *key_n(struct arena *a, unsigned n)
{
	char key[4 + 11 + 4 + 32] = "\0\0\0\13ssh-ed25519\0\0\0\40";

	snprintf(key + 19, 32, "key %u", n);
	return base64_encode(a, (struct slice){ key, sizeof(key) });
}

/* What it prints; NULL when there is no such program. */
static const char *keygen(struct arena *a, const char *arguments)
{
	static const struct run_limits limits = { .timeout_ms = 20000, .out_max = 1 << 20,
						  .err_max = 1000 };
	char *const argv[] = { arena_strdup(a, "sh"), arena_strdup(a, "-c"),
			       arena_printf(a, "exec ssh-keygen %s", arguments), NULL };
	struct run_result r;
	const char *out;

	run_command(a, argv, &limits, &r);
	out = r.exit_status.known && r.exit_status.v == RUN_NOT_FOUND ? NULL
	      : r.out.p ? arena_copy(a, r.out) : "";
	run_free(&r);
	return out;
}

enum { LINES = 21 };
static const char *const hosts[LINES] = {
	"node-*.example,!node-9.example", "Node-1.Example", "[node-1.example]:2222", "[*]:2222",
	"10.0.0.?", "2001:db8::1", "a,b,c", "!node-1.example", "!x,node-1.example",
	"node-1.example,!node-1.example", ",node-1.example", "node-1.example,", "node-?.EXAMPLE",
	HASHED_1, HASHED_2, "@revoked *node-1.example*", "@cert-authority *.example",
	"\t b", "*", "**", "|1|x|y",
};

/* Each line by its own key: is the verdict as ssh-keygen finds the line, or does not? */
static void compare_lines(struct arena *a, const struct known_hosts *k, const char *file,
			  const char *host, const char *port)
{
	const struct known_host_name name = { host, port };
	const char *found = keygen(a, arena_printf(a, port ? "-F '[%s]:%s' -f %s"
							   : "-F '%s%.0s' -f %s",
						   host, port ? port : "", file));

	for (unsigned i = 1; i <= LINES; i++) {
		const char *host_text = hosts[i - 1];
		bool there = strstr(found, arena_printf(a, "found: line %u ", i)) != NULL;
		int want = !there || strncmp(host_text, "@cert", 5) == 0 ? HOST_KEY_CHANGED
			   : strncmp(host_text, "@rev", 4) == 0 ? HOST_KEY_REVOKED : HOST_KEY_KNOWN;
		struct known_host_place place;
		int verdict = check(a, k, &name, key_n(a, i), &place);

		if (verdict != want)
			fail_msg("%s %s, line %u: %d instead of %d\n%s", host,
				 port ? port : "22", i, verdict, want, found);
		if (want != HOST_KEY_CHANGED)
			assert_int_equal(place.line, i);
	}
}

static void test_as_ssh_keygen(void **state)
{
	static const struct known_host_name names[] = {
		{ "node-1.example", NULL }, { "node-1.example", "2222" },
		{ "node-9.example", NULL },
		{ "node-2.example", "2222" }, { "10.0.0.5", NULL }, { "10.0.0.55", NULL },
		{ "2001:db8::1", NULL }, { "b", NULL }, { "x", NULL }, { "b", "2222" },
	};
	struct arena *a = arena_create();
	char *dir = folder_create(a), *file = arena_printf(a, "%s/x", dir), *text = "";
	struct known_hosts *k = known_hosts_create(a);
	struct err err = { 0 };

	(void)state;
	if (!keygen(a, "-V '' </dev/null")) {
		folder_remove(a, dir);
		arena_destroy(a);
		skip();
	}
	for (unsigned i = 1; i <= LINES; i++)
		text = arena_printf(a, "%s%s ssh-ed25519 %s\n", text, hosts[i - 1], key_n(a, i));
	assert_true(folder_add(a, dir, "x", slice_of(text)));
	assert_true(known_hosts_read(k, file, &err));
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		compare_lines(a, k, file, names[i].host, names[i].port);
	folder_remove(a, dir);
	arena_destroy(a);
}

/* Names that ssh-keygen hashes with a salt of its own are found again, and fingerprints agree. */
static void test_hashed_by_ssh_keygen(void **state)
{
	const struct known_host_name name = { "node-7.example", "2222" };
	struct arena *a = arena_create();
	char *dir = folder_create(a), *file = arena_printf(a, "%s/x", dir);
	struct known_hosts *k = known_hosts_create(a);
	struct known_host_place place;
	struct err err = { 0 };
	const char *list;

	(void)state;
	assert_true(folder_add(a, dir, "x", SLICE("x " K1 "[node-7.example]:2222 " K3)));
	if (!keygen(a, arena_printf(a, "-q -H -f %s", file))) {
		folder_remove(a, dir);
		arena_destroy(a);
		skip();
	}
	assert_lacks("hashed", arena_copy(a, file_bytes(a, file)), "node-7");
	assert_true(known_hosts_read(k, file, &err));
	assert_int_equal(check(a, k, &name, B3, &place), HOST_KEY_KNOWN);
	assert_int_equal(place.line, 2);
	list = keygen(a, arena_printf(a, "-l -f %s", file));
	assert_has("fingerprints", list, known_hosts_fingerprint(a, blob(a, B1)));
	assert_has("fingerprints", list, known_hosts_fingerprint(a, blob(a, B3)));
	folder_remove(a, dir);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_append_new),
		cmocka_unit_test(test_append_to),
		cmocka_unit_test(test_append_fails),
		cmocka_unit_test(test_append_full),
		cmocka_unit_test(test_append_waits),
		cmocka_unit_test(test_as_ssh_keygen),
		cmocka_unit_test(test_hashed_by_ssh_keygen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
