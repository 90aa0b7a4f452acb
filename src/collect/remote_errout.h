/*
 * Standard error of a command on a node, of any length, in little room: its beginning, where what
 * went wrong is told, and its end, where node.sh says that the answer is whole.
 */
#ifndef TWCSCHECK_REMOTE_ERROUT_H
#define TWCSCHECK_REMOTE_ERROUT_H

#include "base/arena.h"

enum {
	REMOTE_ERROUT_MAX = 16 * 1024,	/* bytes of the text */
	REMOTE_ERROUT_TAIL = 1024,
	REMOTE_ERROUT_HEAD = REMOTE_ERROUT_MAX - REMOTE_ERROUT_TAIL - 64,
};

/* All zero at the start. Owns nothing. */
struct remote_errout {
	size_t head_n, tail_n;
	uint64_t n;			/* bytes added so far */
	char head[REMOTE_ERROUT_HEAD], tail[REMOTE_ERROUT_TAIL];
};

void remote_errout_add(struct remote_errout *e, const char *p, size_t n);

/*
 * In the arena; NUL bytes are blanks. Where something was dropped stands
 * "[... N bytes left out ...]", at the start of a line.
 */
char *remote_errout_text(struct arena *a, const struct remote_errout *e);

#endif
