/*
 * Any bytes as a known_hosts file: no crash, the same verdicts when it is read twice, and whatever
 * else is in it, a key that is revoked is never known, and one that is known is never unknown.
 */
#include <assert.h>
#include <string.h>

#include "base/slice.h"
#include "collect/known_hosts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The seeds know both; nobody knows the third. */
#define B1 "AAAAC3NzaC1lZDI1NTE5AAAAIBtvUcHy+Cy0Cwam9yrSgwSXmKYTLuIp0RbLvNdXJwG2"
static const char key_1[] = "\0\0\0\13ssh-ed25519\0\0\0\40"
	"\x1b\x6f\x51\xc1\xf2\xf8\x2c\xb4\x0b\x06\xa6\xf7\x2a\xd2\x83\x04"
	"\x97\x98\xa6\x13\x2e\xe2\x29\xd1\x16\xcb\xbc\xd7\x57\x27\x01\xb6";
static const char key_2[] = "\0\0\0\7ssh-rsa\0\0\0\3\1\0\1\0\0\0\4keys";

static const struct known_host_name names[] = {
	{ "node-1.example", NULL }, { "node-2.example", "2222" }, { "NODE-1.example", "22" },
	{ "2001:db8::1", "2222" }, { "h", NULL }, { "", "1" }, { "*", NULL },
};

static enum host_key_verdict check(const struct known_hosts *k, const struct known_host_name *name,
				   struct slice key)
{
	struct known_host_place place;
	enum host_key_verdict v =
		known_hosts_check(k, name, known_hosts_key_type(key), key, &place);

	assert(!place.path == (v == HOST_KEY_UNKNOWN) && !place.line == !place.path);
	return v;
}

static void check_types(const char *types)
{
	struct slice rest = slice_of(*types ? types : NULL), type, other, after;

	while (slice_field(&rest, ',', &type)) {
		assert(type.n > 0 && slice_find(type, ' ') == type.n);
		for (after = rest; slice_field(&after, ',', &other);)
			assert(!slice_eq(type, other));
	}
}

static bool has_type(const char *types, struct slice type)
{
	struct slice rest = slice_of(*types ? types : NULL), one;

	while (slice_field(&rest, ',', &one))
		if (slice_eq(one, type))
			return true;
	return false;
}

static void check_name(const struct known_hosts *once, const struct known_hosts *twice,
		       const struct known_hosts *revoking, const struct known_hosts *knowing,
		       const struct known_host_name *name)
{
	const struct slice keys[] = { { key_1, sizeof(key_1) - 1 }, { key_2, sizeof(key_2) - 1 } };
	const char *types = known_hosts_types(once, name);
	enum host_key_verdict v = HOST_KEY_UNKNOWN, known;
	bool alone = !name->port || strcmp(name->port, "22") == 0;

	check_types(types);
	assert(strcmp(types, known_hosts_types(twice, name)) == 0);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		v = check(once, name, keys[i]);
		assert(v == check(twice, name, keys[i]));
		assert(v != HOST_KEY_KNOWN || has_type(types, known_hosts_key_type(keys[i])));
		assert(v != HOST_KEY_CHANGED || *types);
		assert(v != HOST_KEY_UNKNOWN || !*types || !alone);
	}
	assert(check(revoking, name, keys[0]) == HOST_KEY_REVOKED);
	v = check(once, name, keys[0]);
	known = check(knowing, name, keys[0]);
	assert(known == (v == HOST_KEY_REVOKED ? HOST_KEY_REVOKED : HOST_KEY_KNOWN));
	assert(has_type(known_hosts_types(knowing, name), SLICE("ssh-ed25519")));
}

static size_t count_lines(struct slice text)
{
	struct lines it = lines_of(text);
	struct slice line;
	size_t n = 0;

	while (lines_next(&it, &line))
		n++;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct slice revoked = SLICE("@revoked * ssh-ed25519 " B1);
	static const struct slice known = SLICE("*,[*]:* ssh-ed25519 " B1);
	struct arena *a = arena_create();
	struct slice text = { (const char *)data, size };
	struct known_hosts *once = known_hosts_create(a), *twice = known_hosts_create(a);
	struct known_hosts *revoking = known_hosts_create(a), *knowing = known_hosts_create(a);
	struct known_hosts_counts counts;

	known_hosts_add(once, "once", text);
	known_hosts_add(twice, "first", text);
	known_hosts_add(twice, "second", text);
	known_hosts_add(revoking, "text", text);
	known_hosts_add(revoking, "revoked", revoked);
	known_hosts_add(knowing, "known", known);
	known_hosts_add(knowing, "text", text);
	counts = known_hosts_counts(once);
	assert(counts.keys + counts.bad + counts.authorities <= count_lines(text));
	assert(known_hosts_counts(twice).keys == 2 * counts.keys);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		check_name(once, twice, revoking, knowing, &names[i]);
	arena_destroy(a);
	return 0;
}
