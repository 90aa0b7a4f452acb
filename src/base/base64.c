/* Base64. See base64.h. */
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(struct arena *a, struct slice s)
{
	char *out = arena_alloc(a, (s.n + 2) / 3 * 4 + 1), *w = out;

	for (size_t i = 0; i < s.n; i += 3) {
		size_t left = s.n - i;
		uint32_t v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (k < left ? (unsigned char)s.p[i + k] : 0);
		*w++ = digits[v >> 18];
		*w++ = digits[v >> 12 & 63];
		*w++ = left > 1 ? digits[v >> 6 & 63] : '=';
		*w++ = left > 2 ? digits[v & 63] : '=';
	}
	return out;
}

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(struct arena *a, struct slice text, struct slice *out)
{
	size_t pad = 0;
	uint32_t bits = 0;
	char *p, *w;

	if (text.n % 4 != 0)
		return false;
	while (pad < 2 && pad < text.n && text.p[text.n - 1 - pad] == '=')
		pad++;
	w = p = arena_alloc(a, text.n / 4 * 3 + 1);
	for (size_t i = 0; i < text.n; i++) {
		int v = i < text.n - pad ? value_of(text.p[i]) : 0;

		if (v < 0)
			return false;
		bits = bits << 6 | (uint32_t)v;
		if (i % 4 != 3)
			continue;
		*w++ = (char)(bits >> 16);
		*w++ = (char)(bits >> 8);
		*w++ = (char)bits;
	}
	w -= pad;
	*out = (struct slice){ p, (size_t)(w - p) };
	return pad == 0 || (bits & (pad == 1 ? 0xff : 0xffff)) == 0;
}
