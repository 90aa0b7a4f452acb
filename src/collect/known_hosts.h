/*
 * known_hosts files: which keys are known for a host, and whether one is the right one.
 *
 * Hashed names, [host]:port, patterns with * ? and !, @revoked and @cert-authority are understood
 * as OpenSSH's client does (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"); a line that cannot be read is
 * skipped and counted, never the end of the file.
 */
#ifndef TWCSCHECK_KNOWN_HOSTS_H
#define TWCSCHECK_KNOWN_HOSTS_H

#include "base/arena.h"

struct known_hosts;

struct known_hosts *known_hosts_create(struct arena *a);

/* Adds a file's lines; `path` is for messages. Nothing of both need stay. */
void known_hosts_add(struct known_hosts *k, const char *path, struct slice text);

/*
 * Reads the file, of 16 MiB at most; one that is not there is no error. False and err set (ERR_IO)
 * when it can't be read.
 */
bool known_hosts_read(struct known_hosts *k, const char *path, struct err *err) MUST_USE;

/*
 * Who is looked up: with a port other than 22 "[host]:port", and where nothing is known for that,
 * the name alone: a key known for it is right for any port, one that differs says nothing. Port
 * NULL: the name alone, as is right for a HostKeyAlias. Upper and lower case are the same.
 */
struct known_host_name { const char *host, *port; };

/*
 * Types of the keys known for the host, without repetition, in the order of the files, parted by
 * commas ("ssh-ed25519,ssh-rsa"); "" = no key is known. Revoked ones do not count.
 */
const char *known_hosts_types(const struct known_hosts *k, const struct known_host_name *name);

enum host_key_verdict {
	HOST_KEY_KNOWN, HOST_KEY_UNKNOWN,
	HOST_KEY_CHANGED,	/* another key of this type is known, or only keys of other types */
	HOST_KEY_REVOKED,
};

struct known_host_place { const char *path; unsigned line; };

/*
 * `type` is the key's own ("ssh-ed25519"), `key` its blob as it goes over the wire. *place is the
 * line that decided, with path NULL where none did. Revoked is looked for first, in all files.
 */
enum host_key_verdict known_hosts_check(const struct known_hosts *k,
					const struct known_host_name *name, struct slice type,
					struct slice key, struct known_host_place *place);

/* Type of a key's blob, the first string in it; p NULL when it is damaged. */
struct slice known_hosts_key_type(struct slice key);

/* "SHA256:…", as ssh-keygen -l prints it. */
const char *known_hosts_fingerprint(struct arena *a, struct slice key);

/* Lines with a key (revoked ones too), skipped lines, and @cert-authority lines. */
struct known_hosts_counts { size_t keys, bad, authorities; };
struct known_hosts_counts known_hosts_counts(const struct known_hosts *k);

/*
 * Appends the key to a file as OpenSSH writes it, under a lock; the file (and ~/.ssh) is made when
 * it is not there, for its owner alone. A key that the file has by now is not written twice. False
 * and err set: ERR_IO, or ERR_HOSTKEY when the file has another key for the host by now, or the
 * name cannot be written as one.
 */
bool known_hosts_append(struct arena *a, const char *path, const struct known_host_name *name,
			struct slice key, struct err *err) MUST_USE;

#endif
