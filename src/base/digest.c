/* MD5 (RFC 1321) and SHA-1 (FIPS 180-4). See digest.h. */
#include "base/digest.h"

#include <string.h>

enum { BLOCK = 64 };

/* Works one block of 64 bytes into the state. */
typedef void block_fn(uint32_t *state, const unsigned char *block);

static uint32_t rotate(uint32_t v, unsigned n)
{
	return v << n | v >> (32 - n);
}

/*
 * Both algorithms cut the message into blocks, and end it with a 1 bit, zeros and its length in
 * bits; they differ in the order of the bytes.
 */
static void run_blocks(struct slice s, uint32_t *state, block_fn *block, bool big_endian)
{
	const unsigned char *p = (const unsigned char *)s.p;
	unsigned char last[2 * BLOCK] = { 0 };
	uint64_t bits = (uint64_t)s.n * 8;
	size_t left = s.n, end;

	for (; left >= BLOCK; left -= BLOCK, p += BLOCK)
		block(state, p);
	if (left)
		memcpy(last, p, left);
	last[left] = 0x80;
	end = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;
	for (unsigned i = 0; i < 8; i++)
		last[end - 8 + i] = (unsigned char)(bits >> 8 * (big_endian ? 7 - i : i));
	for (size_t at = 0; at < end; at += BLOCK)
		block(state, last + at);
}

static uint32_t word_le(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t word_be(const unsigned char *p)
{
	return p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

/* The integer parts of 2^32 times |sin(i + 1)|. */
static const uint32_t md5_sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
	0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
	0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
	0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
	0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
	0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static void md5_block(uint32_t *state, const unsigned char *block)
{
	static const unsigned char turns[4][4] = {
		{ 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 },
	};
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];

	for (unsigned i = 0; i < 64; i++) {
		uint32_t mix, old_d = d;
		unsigned word;

		if (i < 16) {
			mix = (b & c) | (~b & d);
			word = i;
		} else if (i < 32) {
			mix = (d & b) | (~d & c);
			word = 5 * i + 1;
		} else if (i < 48) {
			mix = b ^ c ^ d;
			word = 3 * i + 5;
		} else {
			mix = c ^ (b | ~d);
			word = 7 * i;
		}
		mix += a + md5_sines[i] + word_le(block + 4 * (word % 16));
		a = old_d;
		d = c;
		c = b;
		b += rotate(mix, turns[i / 16][i % 4]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void digest_md5(struct slice s, unsigned char out[MD5_BYTES])
{
	uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };

	run_blocks(s, state, md5_block, false);
	for (unsigned i = 0; i < MD5_BYTES; i++)
		out[i] = (unsigned char)(state[i / 4] >> 8 * (i % 4));
}

static void sha1_block(uint32_t *state, const unsigned char *block)
{
	uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];

	for (unsigned i = 0; i < 16; i++)
		w[i] = word_be(block + 4 * i);
	for (unsigned i = 16; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (unsigned i = 0; i < 80; i++) {
		uint32_t mix;

		if (i < 20)
			mix = ((b & c) | (~b & d)) + 0x5a827999;
		else if (i < 40)
			mix = (b ^ c ^ d) + 0x6ed9eba1;
		else if (i < 60)
			mix = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
		else
			mix = (b ^ c ^ d) + 0xca62c1d6;
		mix += rotate(a, 5) + e + w[i];
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = mix;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
}

void digest_sha1(struct slice s, unsigned char out[SHA1_BYTES])
{
	uint32_t state[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };

	run_blocks(s, state, sha1_block, true);
	for (unsigned i = 0; i < SHA1_BYTES; i++)
		out[i] = (unsigned char)(state[i / 4] >> 8 * (3 - i % 4));
}
