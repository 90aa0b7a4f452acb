#include "base/sort.h"

#include <string.h>

/* Digits of eleven bits: six passes for 64 bits, and a pass writes to few enough places. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 48 };

/* Orders signed numbers as unsigned ones. */
static uint64_t ordered(int64_t key)
{
	return (uint64_t)key ^ (uint64_t)1 << 63;
}

static void sort_few(struct sort_item *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_item item = v[i];
		size_t k = i;

		for (; k && v[k - 1].key > item.key; k--)
			v[k] = v[k - 1];
		v[k] = item;
	}
}

/* Moves everything to the place that its digit, `shift` bits up, gives it. */
static void sort_digit(const struct sort_item *from, struct sort_item *to, size_t n,
		       unsigned shift)
{
	uint32_t place[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		place[ordered(from[i].key) >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t count = place[i];

		place[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[place[ordered(from[i].key) >> shift & (DIGITS - 1)]++] = from[i];
}

void sort_by_key(struct sort_item *v, struct sort_item *spare, size_t n)
{
	struct sort_item *from = v, *to = spare;
	uint64_t differ = 0;
	unsigned shift = 0;

	if (n <= FEW) {
		sort_few(v, n);
		return;
	}
	for (size_t i = 1; i < n; i++)
		differ |= ordered(v[i].key) ^ ordered(v[0].key);
	while (differ >> shift) {
		struct sort_item *other = from;

		if (!(differ >> shift & 1)) {	/* a bit that is the same in all needs no pass */
			shift++;
			continue;
		}
		sort_digit(from, to, n, shift);
		from = to;
		to = other;
		shift += DIGIT_BITS;
		if (shift > 63)
			break;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}
