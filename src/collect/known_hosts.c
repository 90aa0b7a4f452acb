/* known_hosts files: reading and looking up. See known_hosts.h. */
#include "collect/known_hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/slice.h"
#include "collect/known_hosts_file.h"

enum {
	LINE_MAX_BYTES = 1024 * 1024,
	TYPE_MAX_BYTES = 64,
	NAME_MAX_BYTES = 1024,
};

/* One line with a key. */
struct known_key {
	struct known_host_place place;
	bool revoked;
	struct slice hosts;		/* patterns parted by commas; p NULL = the name is hashed */
	struct slice salt, hash;	/* of a hashed name: SHA1_BYTES each */
	struct slice type, key;
};

struct known_hosts {
	struct arena *arena;
	VEC(struct known_key) keys;
	size_t bad, authorities;
};

struct known_hosts *known_hosts_create(struct arena *a)
{
	struct known_hosts *k = arena_alloc(a, sizeof(*k));

	k->arena = a;
	return k;
}

/* ---- keys ---- */

struct slice known_hosts_key_type(struct slice key)
{
	const struct slice none = { NULL, 0 };
	const unsigned char *p = (const unsigned char *)key.p;
	uint32_t n;

	if (key.n < 4)
		return none;
	n = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	if (n == 0 || n > TYPE_MAX_BYTES || n > key.n - 4)
		return none;
	for (size_t i = 0; i < n; i++)
		if (p[4 + i] <= ' ' || p[4 + i] > '~' || p[4 + i] == ',')
			return none;
	return (struct slice){ key.p + 4, n };
}

const char *known_hosts_fingerprint(struct arena *a, struct slice key)
{
	unsigned char digest[SHA256_BYTES];
	char *text;

	digest_sha256(key, digest);
	text = base64_encode(a, (struct slice){ (const char *)digest, sizeof(digest) });
	text[strcspn(text, "=")] = '\0';
	return arena_printf(a, "SHA256:%s", text);
}

/* ---- reading ---- */

enum mark { MARK_NONE, MARK_REVOKED, MARK_AUTHORITY, MARK_BAD };

/* Takes the marker off the line, if there is one. */
static enum mark take_mark(struct slice *line)
{
	struct slice word;

	if (!slice_starts(*line, SLICE("@")))
		return MARK_NONE;
	slice_word(line, &word);
	*line = slice_trim(*line);
	if (slice_starts(*line, SLICE("@")))
		return MARK_BAD;
	if (slice_eq(word, SLICE("@revoked")))
		return MARK_REVOKED;
	return slice_eq(word, SLICE("@cert-authority")) ? MARK_AUTHORITY : MARK_BAD;
}

static struct slice copy(struct arena *a, struct slice s)
{
	return (struct slice){ arena_copy(a, s), s.n };
}

/* "|1|salt|hash" */
static bool read_hashed(struct arena *a, struct slice name, struct known_key *out)
{
	struct slice rest = slice_from(name, 3), salt, hash;

	return slice_starts(name, SLICE("|1|")) && slice_field(&rest, '|', &salt) &&
	       slice_field(&rest, '|', &hash) && !rest.p &&
	       base64_decode(a, salt, &out->salt) && out->salt.n == SHA1_BYTES &&
	       base64_decode(a, hash, &out->hash) && out->hash.n == SHA1_BYTES;
}

/* A line without its marker: names, type, key, and a comment that does not matter. */
static bool read_key(struct arena *a, struct slice line, struct known_key *out)
{
	struct slice hosts, type, text;

	if (!slice_word(&line, &hosts) || !slice_word(&line, &type) || !slice_word(&line, &text) ||
	    !base64_decode(a, text, &out->key))
		return false;
	out->type = known_hosts_key_type(out->key);
	if (!out->type.p || !slice_eq(out->type, type))
		return false;
	if (slice_starts(hosts, SLICE("|")))
		return read_hashed(a, hosts, out);
	out->hosts = copy(a, hosts);
	return true;
}

static void add_line(struct known_hosts *k, const struct known_host_place *place,
		     struct slice line)
{
	struct known_key key = { .place = *place };
	enum mark mark;

	if (line.n > LINE_MAX_BYTES) {
		k->bad++;
		return;
	}
	line = slice_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return;
	mark = take_mark(&line);
	key.revoked = mark == MARK_REVOKED;
	if (mark == MARK_BAD || !read_key(k->arena, line, &key))
		k->bad++;
	else if (mark == MARK_AUTHORITY)
		k->authorities++;
	else
		*vec_add(k->arena, &k->keys) = key;
}

void known_hosts_add(struct known_hosts *k, const char *path, struct slice text)
{
	struct known_host_place place = { .path = arena_strdup(k->arena, path) };
	struct lines it = lines_of(text);
	struct slice line;

	while (lines_next(&it, &line)) {
		place.line = it.number;
		add_line(k, &place, line);
	}
}

bool known_hosts_read(struct known_hosts *k, const char *path, struct err *err)
{
	/* without O_NONBLOCK a named pipe would be waited for */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error = errno;
	struct slice text;
	const char *why;

	if (fd < 0 && (error == ENOENT || error == ENOTDIR))
		return true;
	if (fd < 0)
		return err_set(k->arena, err, ERR_IO, path, 0, "cannot be opened: %s",
			       strerror(error));
	why = known_hosts_slurp(fd, &text);
	close(fd);
	if (why)
		return err_set(k->arena, err, ERR_IO, path, 0, "%s", why);
	known_hosts_add(k, path, text);
	free((char *)text.p);
	return true;
}

struct known_hosts_counts known_hosts_counts(const struct known_hosts *k)
{
	return (struct known_hosts_counts){ .keys = k->keys.n, .bad = k->bad,
					    .authorities = k->authorities };
}

/* ---- names ---- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

const char *known_hosts_name(struct arena *a, const struct known_host_name *name)
{
	bool plain = !name->port || strcmp(name->port, "22") == 0;
	char *text = plain ? arena_strdup(a, name->host)
			   : arena_printf(a, "[%s]:%s", name->host, name->port);

	for (char *c = text; *c; c++)
		*c = lower(*c);
	return text;
}

/* The names under which a key may be known, the first one counts most. */
struct names { struct slice v[2]; size_t n; };

static struct names names_of(const struct known_hosts *k, const struct known_host_name *name)
{
	const struct known_host_name alone = { .host = name->host };
	struct names names = { .n = 2 };

	names.v[0] = slice_of(known_hosts_name(k->arena, name));
	names.v[1] = slice_of(known_hosts_name(k->arena, &alone));
	if (names.v[1].n > NAME_MAX_BYTES)
		names.n = 0;
	else if (slice_eq(names.v[0], names.v[1]))
		names.n = 1;
	return names;
}

/* `name` is in lower case already. '*' stands for any bytes, '?' for one. */
static bool is_like(struct slice name, struct slice pattern)
{
	size_t i = 0, k = 0, star = SIZE_MAX, from = 0;

	while (i < name.n) {
		if (k < pattern.n && pattern.p[k] == '*') {
			star = k++;
			from = i;
		} else if (k < pattern.n &&
			   (pattern.p[k] == '?' || lower(pattern.p[k]) == name.p[i])) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			k = star + 1;
			i = ++from;
		} else {
			return false;
		}
	}
	while (k < pattern.n && pattern.p[k] == '*')
		k++;
	return k == pattern.n;
}

/* One pattern at least, and none of those with '!'. */
static bool is_among(struct slice name, struct slice patterns)
{
	struct slice pattern;
	bool found = false;

	while (slice_field(&patterns, ',', &pattern)) {
		bool negated = slice_starts(pattern, SLICE("!"));

		if (!is_like(name, slice_from(pattern, negated)))
			continue;
		if (negated)
			return false;
		found = true;
	}
	return found;
}

static bool is_for(const struct known_key *key, struct slice name)
{
	unsigned char hash[SHA1_BYTES];

	if (key->hosts.p)
		return is_among(name, key->hosts);
	digest_hmac_sha1(key->salt, name, hash);
	return memcmp(hash, key->hash.p, sizeof(hash)) == 0;
}

/* ---- looking up ---- */

static bool is_listed(struct slice list, struct slice type)
{
	struct slice one;

	while (slice_field(&list, ',', &one))
		if (slice_eq(one, type))
			return true;
	return false;
}

static const char *types_of(const struct known_hosts *k, struct slice name)
{
	const char *list = "";

	for (size_t i = 0; i < k->keys.n; i++) {
		const struct known_key *key = &k->keys.v[i];

		if (!key->revoked && !is_listed(slice_of(list), key->type) && is_for(key, name))
			list = arena_printf(k->arena, "%s%s%.*s", list, *list ? "," : "",
					    (int)key->type.n, key->type.p);
	}
	return list;
}

const char *known_hosts_types(const struct known_hosts *k, const struct known_host_name *name)
{
	struct names names = names_of(k, name);
	const char *types = "";

	for (size_t i = 0; i < names.n && !*types; i++)
		types = types_of(k, names.v[i]);
	return types;
}

static bool is_revoked(const struct known_hosts *k, const struct names *names, struct slice key,
		       struct known_host_place *place)
{
	for (size_t i = 0; i < k->keys.n; i++) {
		const struct known_key *known = &k->keys.v[i];

		if (!known->revoked || !slice_eq(known->key, key))
			continue;
		for (size_t n = 0; n < names->n; n++) {
			if (!is_for(known, names->v[n]))
				continue;
			*place = known->place;
			return true;
		}
	}
	return false;
}

/* One name: known, changed or unknown. A changed key is shown by one of its type, if possible. */
static enum host_key_verdict check_name(const struct known_hosts *k, struct slice name,
					struct slice type, struct slice key,
					struct known_host_place *place)
{
	const struct known_key *other = NULL;

	for (size_t i = 0; i < k->keys.n; i++) {
		const struct known_key *known = &k->keys.v[i];

		if (known->revoked || !is_for(known, name))
			continue;
		if (slice_eq(known->key, key)) {
			*place = known->place;
			return HOST_KEY_KNOWN;
		}
		if (!other || (!slice_eq(other->type, type) && slice_eq(known->type, type)))
			other = known;
	}
	if (!other)
		return HOST_KEY_UNKNOWN;
	*place = other->place;
	return HOST_KEY_CHANGED;
}

enum host_key_verdict known_hosts_check(const struct known_hosts *k,
					const struct known_host_name *name, struct slice type,
					struct slice key, struct known_host_place *place)
{
	struct names names = names_of(k, name);
	enum host_key_verdict verdict = HOST_KEY_UNKNOWN;

	*place = (struct known_host_place){ .path = NULL };
	if (is_revoked(k, &names, key, place))
		return HOST_KEY_REVOKED;
	if (names.n > 0)
		verdict = check_name(k, names.v[0], type, key, place);
	if (verdict != HOST_KEY_UNKNOWN || names.n < 2)
		return verdict;
	/* another server may listen on that port: a key that differs says nothing of this one */
	verdict = check_name(k, names.v[1], type, key, place);
	if (verdict == HOST_KEY_KNOWN)
		return verdict;
	*place = (struct known_host_place){ .path = NULL };
	return HOST_KEY_UNKNOWN;
}
