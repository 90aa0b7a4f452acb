/*
 * libssh2 played from a script: for what no server gives. A test that links fake_libssh2.c has no
 * real library behind it; every call must be the next one of the script.
 */
#ifndef FAKE_LIBSSH2_H
#define FAKE_LIBSSH2_H

#include <stdbool.h>
#include <stddef.h>

struct fake_call {
	const char *name;	/* "handshake", "read:1" (the stream); NULL ends the script */
	int code;		/* what it returns; of a pointer: 0 = there is one */
	const char *data;	/* read: what comes; others: the text that is expected or given */
	bool outbound;		/* with EAGAIN: bytes are left to send */
};

/* `name` is what a failure names. The script must stay. */
void fake_script(const struct fake_call *script);
/* Calls that were not made; 0 = the script was played to its end. */
size_t fake_left(void);
/* What libssh2_version() says: 0x010a00. */
void fake_version(int number, const char *text);
/* The blob that the server shows as its host key. */
void fake_host_key(const char *blob, size_t n);
/* The last host-key methods that were asked for, "" = none. */
const char *fake_methods(void);

#endif
