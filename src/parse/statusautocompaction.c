/*
 * nodetool statusautocompaction: with -a a line for each table, without it one word for all,
 * where "running" means that it runs for one table at least.
 * Source: nodetool's StatusAutoCompaction (4.0 to 5.0); the command is not in 3.x.
 */
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/name_index.h"
#include "parse/parse.h"

struct reader {
	struct arena *a;
	struct node *node;
	struct name_index index;
};

/* False when the words say something else. */
static bool read_state(struct slice s, bool *running)
{
	s = slice_trim(s);
	*running = slice_eq(s, SLICE("running"));
	return *running || slice_eq(s, SLICE("not running"));
}

static void set_table(struct reader *r, struct slice keyspace, struct slice table, bool running)
{
	struct name_entry *e = name_index_get(r->a, &r->index, keyspace, table);

	if (e->value == NAME_NEW) {
		struct autocompaction_line *l = arena_alloc(r->a, sizeof(*l));

		l->keyspace = e->keyspace;
		l->table = e->name;
		e->value = r->node->autocompaction.n;
		*(struct autocompaction_line **)vec_add(r->a, &r->node->autocompaction) = l;
	}
	r->node->autocompaction.v[e->value]->running = running;
}

bool parse_statusautocompaction(struct arena *a, const struct evidence *ev, struct node *into,
				struct err *err)
{
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct reader r = { .a = a, .node = into };
	struct lines it = lines_of(ev->out);
	struct slice line, rest, keyspace, table;
	bool used = false, running;

	for (size_t i = 0; i < into->autocompaction.n; i++)
		name_index_get(a, &r.index, slice_of(into->autocompaction.v[i]->keyspace),
			       slice_of(into->autocompaction.v[i]->table))->value = i;
	while (lines_next(&it, &line)) {
		rest = line;
		if (read_state(line, &running))
			into->autocompaction_all = some_i64(running);
		else if (slice_word(&rest, &keyspace) && slice_word(&rest, &table) &&
			 read_state(rest, &running))
			set_table(&r, keyspace, table, running);
		else {
			if (!it.terminated && line.n)
				err_set(a, err, ERR_FORMAT, source, it.number,
					"the text ends inside a line");
			continue;
		}
		used = true;
	}
	return used || complaint_report(a, ev->out, source, "state of automatic compaction", err);
}
