/* See token.h. */
#include "parse/token.h"

#include "base/digest.h"

static const uint64_t factor1 = UINT64_C(0x87c37b91114253d5);
static const uint64_t factor2 = UINT64_C(0x4cf5ad432745937f);

static uint64_t rotate(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static uint64_t word_le(const unsigned char *p)
{
	uint64_t v = 0;

	for (unsigned i = 8; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static uint64_t scramble1(uint64_t k)
{
	return rotate(k * factor1, 31) * factor2;
}

static uint64_t scramble2(uint64_t k)
{
	return rotate(k * factor2, 33) * factor1;
}

static uint64_t finish(uint64_t k)
{
	k = (k ^ k >> 33) * UINT64_C(0xff51afd7ed558ccd);
	k = (k ^ k >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return k ^ k >> 33;
}

/* A byte widened with its sign, then shifted: one of 0x80 and more flips what lies above it. */
static uint64_t signed_byte(unsigned char c, unsigned shift)
{
	uint64_t v = c < 0x80 ? c : c | ~UINT64_C(0xff);

	return v << shift;
}

/* h[0] is the first half of the hash; `full` leaves out the bytes after the last full block. */
static void mix_blocks(const unsigned char *p, size_t full, uint64_t h[2])
{
	for (size_t i = 0; i < full; i += 16) {
		h[0] ^= scramble1(word_le(p + i));
		h[0] = (rotate(h[0], 27) + h[1]) * 5 + 0x52dce729;
		h[1] ^= scramble2(word_le(p + i + 8));
		h[1] = (rotate(h[1], 31) + h[0]) * 5 + 0x38495ab5;
	}
}

int64_t token_murmur3(struct slice key)
{
	const unsigned char *p = (const unsigned char *)key.p;
	uint64_t h[2] = { 0, 0 }, tail[2] = { 0, 0 };
	size_t full = key.n & ~(size_t)15;

	if (!key.n)
		return INT64_MIN;
	mix_blocks(p, full, h);
	for (size_t i = full; i < key.n; i++)
		tail[i - full >= 8] ^= signed_byte(p[i], 8 * (i & 7));
	h[1] ^= scramble2(tail[1]);
	h[0] ^= scramble1(tail[0]);
	h[0] ^= key.n;
	h[1] ^= key.n;
	h[0] += h[1];
	h[1] += h[0];
	h[0] = finish(h[0]) + finish(h[1]);
	/* the lowest token is kept for the empty key */
	if (h[0] == UINT64_C(1) << 63)
		return INT64_MAX;
	return h[0] > INT64_MAX ? -(int64_t)(UINT64_MAX - h[0]) - 1 : (int64_t)h[0];
}

/* Two's complement of 16 bytes, most significant first. */
static void negate(unsigned char *v)
{
	unsigned carry = 1;

	for (size_t i = MD5_BYTES; i-- > 0;) {
		carry += (unsigned char)~v[i];
		v[i] = (unsigned char)carry;
		carry >>= 8;
	}
}

/* Decimal digits of a 128-bit number, most significant byte first; destroys it. */
static void format_u128(unsigned char *v, char out[41])
{
	char digits[40], *p = digits + sizeof(digits);
	bool more;

	do {
		unsigned rest = 0;

		more = false;
		for (size_t i = 0; i < MD5_BYTES; i++) {
			rest = rest << 8 | v[i];
			v[i] = (unsigned char)(rest / 10);
			rest %= 10;
			more = more || v[i];
		}
		*--p = (char)('0' + rest);
	} while (more);
	memcpy(out, p, (size_t)(digits + sizeof(digits) - p));
	out[digits + sizeof(digits) - p] = '\0';
}

static void random_token(struct slice key, char out[41])
{
	unsigned char md5[MD5_BYTES];

	if (!key.n) {
		strcpy(out, "-1");
		return;
	}
	digest_md5(key, md5);
	if (md5[0] & 0x80)
		negate(md5);
	format_u128(md5, out);
}

struct token token_of_key(struct slice partitioner, struct slice key)
{
	struct slice name = slice_from(partitioner, slice_rfind(partitioner, '.') + 1);
	struct token t = { .kind = TOKEN_UNKNOWN };

	if (slice_rfind(partitioner, '.') == partitioner.n)
		name = partitioner;
	if (slice_eq_str(name, "Murmur3Partitioner")) {
		t.kind = TOKEN_MURMUR3;
		t.murmur3 = token_murmur3(key);
	} else if (slice_eq_str(name, "RandomPartitioner")) {
		t.kind = TOKEN_RANDOM;
		random_token(key, t.random);
	} else if (slice_eq_str(name, "ByteOrderedPartitioner") ||
		   slice_eq_str(name, "OrderPreservingPartitioner")) {
		t.kind = TOKEN_BYTES;
		t.bytes = key;
	}
	return t;
}
