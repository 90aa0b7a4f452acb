#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SINK_CHUNK = 64 * 1024 };

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void buf_init_sink(struct buf *b, bool (*sink)(void *, const char *, size_t), void *ctx)
{
	*b = (struct buf){ .max = SIZE_MAX / 2, .sink = sink, .sink_ctx = ctx };
}

void buf_free(struct buf *b)
{
	free(b->p);
	b->p = NULL;
	b->n = b->cap = 0;
}

static bool hand_over(struct buf *b)
{
	if (b->n && !b->failed && !b->sink(b->sink_ctx, b->p, b->n))
		b->failed = true;
	b->n = 0;
	return !b->failed;
}

static bool make_room(struct buf *b, size_t n)
{
	size_t want = b->cap ? b->cap : 1024;
	char *p;

	if (b->cap - b->n >= n)
		return true;
	while (want - b->n < n) {
		if (want > SIZE_MAX / 2)
			return false;
		want *= 2;
	}
	p = realloc(b->p, want);
	if (!p)
		return false;
	b->p = p;
	b->cap = want;
	return true;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (b->sink && b->n + n > SINK_CHUNK)
		hand_over(b);
	if (n > b->max - b->n) {
		n = b->max - b->n;
		b->truncated = true;
	}
	if (n == 0)
		return;
	if (!make_room(b, n)) {
		b->truncated = true;
		return;
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

void buf_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_repeat(struct buf *b, char c, size_t n)
{
	while (n--)
		buf_char(b, c);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	char small[512];
	va_list ap, again;
	char *big;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < sizeof(small)) {
		buf_add(b, small, (size_t)n);
	} else if (n > 0) {
		big = malloc((size_t)n + 1);
		if (big) {
			vsnprintf(big, (size_t)n + 1, fmt, again);
			buf_add(b, big, (size_t)n);
			free(big);
		} else {
			b->truncated = true;
		}
	}
	va_end(again);
}

bool buf_flush(struct buf *b)
{
	if (b->sink)
		hand_over(b);
	return !b->failed && !b->truncated;
}
