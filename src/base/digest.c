/* Digests, by libmd. */
#include "base/digest.h"

#include <md5.h>
#include <sha1.h>
#include <sha2.h>
#include <string.h>

enum { SHA1_BLOCK = 64 };

void digest_md5(struct slice s, unsigned char out[MD5_BYTES])
{
	MD5_CTX ctx;

	MD5Init(&ctx);
	MD5Update(&ctx, (const uint8_t *)s.p, s.n);
	MD5Final(out, &ctx);
}

void digest_sha1(struct slice s, unsigned char out[SHA1_BYTES])
{
	SHA1_CTX ctx;

	SHA1Init(&ctx);
	SHA1Update(&ctx, (const uint8_t *)s.p, s.n);
	SHA1Final(out, &ctx);
}

void digest_sha256(struct slice s, unsigned char out[SHA256_BYTES])
{
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)s.p, s.n);
	SHA256Final(out, &ctx);
}

/* SHA-1 of the key, each byte changed by `mask`, and what follows it. */
static void keyed_sha1(const unsigned char key[SHA1_BLOCK], unsigned char mask, const void *p,
		       size_t n, unsigned char out[SHA1_BYTES])
{
	unsigned char block[SHA1_BLOCK];
	SHA1_CTX ctx;

	for (size_t i = 0; i < SHA1_BLOCK; i++)
		block[i] = key[i] ^ mask;
	SHA1Init(&ctx);
	SHA1Update(&ctx, block, sizeof(block));
	SHA1Update(&ctx, p, n);
	SHA1Final(out, &ctx);
}

void digest_hmac_sha1(struct slice key, struct slice s, unsigned char out[SHA1_BYTES])
{
	unsigned char padded[SHA1_BLOCK] = { 0 }, inner[SHA1_BYTES];

	if (key.n > sizeof(padded))
		digest_sha1(key, padded);
	else if (key.n)
		memcpy(padded, key.p, key.n);
	keyed_sha1(padded, 0x36, s.p, s.n, inner);
	keyed_sha1(padded, 0x5c, inner, sizeof(inner), out);
}
