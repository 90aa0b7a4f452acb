/*
 * MD5 and SHA-1 of short byte strings: names for data (RandomPartitioner's tokens, a fingerprint of
 * a sketch), never a protection.
 */
#ifndef TWCSCHECK_DIGEST_H
#define TWCSCHECK_DIGEST_H

#include "base/base.h"

enum { MD5_BYTES = 16, SHA1_BYTES = 20 };

void digest_md5(struct slice s, unsigned char out[MD5_BYTES]);
void digest_sha1(struct slice s, unsigned char out[SHA1_BYTES]);

#endif
