/*
 * A growing output buffer with a stated maximum, or a stream when it has a sink.
 * It owns its memory: buf_free() releases it. Past the maximum, bytes are dropped and
 * `truncated` is set; a failing sink sets `failed`. Never returns an error by itself.
 */
#ifndef TWCSCHECK_BUF_H
#define TWCSCHECK_BUF_H

#include <stdarg.h>

#include "base/base.h"

struct buf {
	char *p;
	size_t n, cap, max;
	bool truncated, failed;
	/* When set, full buffers are handed over: false means that writing failed. */
	bool (*sink)(void *ctx, const char *p, size_t n);
	void *sink_ctx;
};

void buf_init(struct buf *b, size_t max);
void buf_init_sink(struct buf *b, bool (*sink)(void *, const char *, size_t), void *ctx);
void buf_free(struct buf *b);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_repeat(struct buf *b, char c, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Hand what is left to the sink; false when a write failed or something was dropped. */
bool buf_flush(struct buf *b);

#endif
