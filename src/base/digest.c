/* MD5 and SHA-1, by libmd. */
#include "base/digest.h"

#include <md5.h>
#include <sha1.h>

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
