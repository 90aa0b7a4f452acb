/* Standard error of a command on a node. See remote_errout.h. */
#include "collect/remote_errout.h"

#include <inttypes.h>
#include <string.h>

static void add_tail(struct remote_errout *e, const char *p, size_t n)
{
	size_t kept;

	if (n > REMOTE_ERROUT_TAIL) {
		p += n - REMOTE_ERROUT_TAIL;
		n = REMOTE_ERROUT_TAIL;
	}
	kept = REMOTE_ERROUT_TAIL - n;
	if (kept > e->tail_n)
		kept = e->tail_n;
	memmove(e->tail, e->tail + e->tail_n - kept, kept);
	memcpy(e->tail + kept, p, n);
	e->tail_n = kept + n;
}

void remote_errout_add(struct remote_errout *e, const char *p, size_t n)
{
	size_t room = REMOTE_ERROUT_HEAD - e->head_n, first = n < room ? n : room;

	if (!n)
		return;
	memcpy(e->head + e->head_n, p, first);
	e->head_n += first;
	e->n += n;
	if (n > first)
		add_tail(e, p + first, n - first);
}

/*
 * The tail follows in the mark's line: what may be the middle of a line must not look like the
 * line that node.sh ends with.
 */
char *remote_errout_text(struct arena *a, const struct remote_errout *e)
{
	uint64_t dropped = e->n - e->head_n - e->tail_n;
	const char *mark = "";
	size_t mark_n, n;
	char *text;

	if (dropped)
		mark = arena_printf(a, "%s[... %" PRIu64 " bytes left out ...]",
				    e->head[e->head_n - 1] == '\n' ? "" : "\n", dropped);
	mark_n = strlen(mark);
	n = e->head_n + mark_n + e->tail_n;
	text = arena_alloc(a, n + 1);
	memcpy(text, e->head, e->head_n);
	memcpy(text + e->head_n, mark, mark_n);
	memcpy(text + e->head_n + mark_n, e->tail, e->tail_n);
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return text;
}
