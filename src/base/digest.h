/*
 * Digests of short byte strings.
 *
 * MD5 and SHA-1 are names for data (RandomPartitioner's tokens, a fingerprint of a sketch, hashed
 * names in known_hosts files), never a protection.
 */
#ifndef TWCSCHECK_DIGEST_H
#define TWCSCHECK_DIGEST_H

#include "base/base.h"

enum { MD5_BYTES = 16, SHA1_BYTES = 20, SHA256_BYTES = 32 };

void digest_md5(struct slice s, unsigned char out[MD5_BYTES]);
void digest_sha1(struct slice s, unsigned char out[SHA1_BYTES]);
void digest_sha256(struct slice s, unsigned char out[SHA256_BYTES]);

/* HMAC (RFC 2104) with SHA-1. */
void digest_hmac_sha1(struct slice key, struct slice s, unsigned char out[SHA1_BYTES]);

#endif
