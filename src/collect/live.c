/* What live sources do with answers alike. See live.h. */
#include "collect/live.h"

#include "base/slice.h"
#include "collect/layout.h"
#include "collect/run.h"

bool live_is_good(const struct run_result *r)
{
	return !r->signal && r->exit_status.known && r->exit_status.v == 0;
}

struct evidence live_piece(struct arena *a, struct evidence ev, const char *node,
			   const char *command, const struct run_result *r)
{
	ev.node = node;
	ev.command = command;
	ev.path = command;
	ev.relative = layout_path(a, &ev);
	ev.out = r->out;
	/* an output that is empty is an output, when the command says that it is well */
	if (!ev.out.p && live_is_good(r))
		ev.out = (struct slice){ "", 0 };
	ev.exit_status = r->exit_status;
	ev.signal = r->signal;
	ev.errout = r->errout;
	ev.started_s = some_i64(r->started_s);
	ev.duration_ms = some_i64(r->duration_ms);
	return ev;
}

const char *live_root_of(struct arena *a, const char *directory)
{
	struct slice s = slice_of(directory);

	for (int i = 0; i < 2; i++) {
		size_t slash = slice_rfind(s, '/');

		if (slash == s.n)
			return NULL;
		s.n = slash;
	}
	return s.n ? arena_copy(a, s) : NULL;
}

void live_merge_end(struct run_result *all, const struct run_result *r)
{
	all->duration_ms += r->duration_ms;
	if (live_is_good(r) || all->signal || all->exit_status.v != 0)
		return;
	all->exit_status = r->exit_status;
	all->signal = r->signal;
	all->errout = r->errout;
}
