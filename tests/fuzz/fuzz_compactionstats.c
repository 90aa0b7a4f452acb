/* Any bytes as compactionstats' text; a first byte of 'd' makes them df's. */
#include <assert.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tasks(const struct compaction_stats *s)
{
	assert(s->pending.known || s->tasks.n);
	for (size_t i = 0; i < s->tasks.n; i++) {
		const struct compaction_task *t = &s->tasks.v[i];

		assert(t->type && *t->type && t->keyspace && t->table && t->unit && *t->unit);
		assert(!t->id || *t->id);
	}
	for (size_t i = 0; i < s->tables.n; i++)
		assert(s->tables.v[i].keyspace && s->tables.v[i].table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool df = size && data[0] == 'd';
	struct arena *a = arena_create();
	struct node node = { 0 };
	struct evidence ev = { .kind = df ? EV_DISK_USAGE : EV_COMPACTIONSTATS, .path = "fuzz",
			       .out = { (const char *)data + df, size - df } };
	struct err err = { 0 };

	if (!(df ? parse_df(a, &ev, &node, &err) : parse_compactionstats(a, &ev, &node, &err)))
		assert(err.kind != ERR_NONE);
	else
		assert(df ? node.disks.n > 0 : node.compactions != NULL);
	if (node.compactions)
		check_tasks(node.compactions);
	for (size_t i = 0; i < node.disks.n; i++)
		assert(*node.disks.v[i]->device && node.disks.v[i]->mount[0] == '/');
	arena_destroy(a);
	return 0;
}
