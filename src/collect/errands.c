/* What one node tells for all: schema, status, describecluster, info. */
#include "collect/conversation_state.h"

/*
 * How many nodes are asked for what one of them can tell, when it can't; and how long one waits for
 * those before it, so that it is always the same node that tells where that node is well.
 */
enum { ERRAND_TRIES = 3, PATIENCE_MS = 10000 };

struct errand {
	const struct conversation *by;	/* who is asking; NULL = nobody */
	unsigned tries;
	bool done;
};

struct errands {
	struct errand list[ERRANDS];
	VEC(const struct conversation *) all;	/* in the order of the nodes */
};

struct errands *errands_create(struct arena *a)
{
	return arena_alloc(a, sizeof(struct errands));
}

void errands_join(struct conversation *c)
{
	*vec_add(c->arena, &c->errands->all) = c;
}

/* Is there a node before this one that may still run the errand? */
static bool has_earlier(const struct conversation *c, enum errand_kind kind)
{
	for (size_t i = 0; i < c->errands->all.n && c->errands->all.v[i] != c; i++)
		if (!c->errands->all.v[i]->over && !(c->errands->all.v[i]->tried & 1U << kind))
			return true;
	return false;
}

static bool is_patient(struct conversation *c)
{
	if (!c->late)
		return true;
	if (!c->waiting_ms)
		c->waiting_ms = run_clock_ms();
	return run_clock_ms() - c->waiting_ms < PATIENCE_MS;
}

enum made errand_begin(struct conversation *c, enum errand_kind kind)
{
	struct errand *e = &c->errands->list[kind];

	if (e->done || e->tries >= ERRAND_TRIES || c->tried & 1U << kind)
		return MADE_NOTHING;
	if (e->by || (has_earlier(c, kind) && is_patient(c)))
		return c->late ? MADE_WAIT : MADE_NOTHING;
	e->by = c;
	e->tries++;
	c->tried |= 1U << kind;
	return MADE_REQUEST;
}

void errand_end(struct conversation *c, enum errand_kind kind, bool good)
{
	struct errand *e = &c->errands->list[kind];

	if (e->by != c)
		return;
	e->by = NULL;
	e->done = good;
}
