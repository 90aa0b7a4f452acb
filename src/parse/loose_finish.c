/*
 * After the last loose text: error messages in place of outputs, texts without a known output, and
 * nodes that nothing names.
 */
#include "parse/loose.h"

enum { NOTES_MAX = 10, NAMES_MAX = 40 };

/* Says nothing of a single node: any node can be asked for it. */
static const unsigned cluster_wide = EV_SCHEMA | EV_STATUS | EV_DESCRIBECLUSTER | EV_LOOSE;

/* ---- nodes ---- */

#define MOVE(list)                                                                                 \
	do {                                                                                       \
		for (size_t i_ = 0; i_ < from->list.n; i_++)                                       \
			*vec_add(a, &into->list) = from->list.v[i_];                               \
		from->list.n = 0;                                                                  \
	} while (0)

#define TAKE_UNKNOWN(value)                                                                        \
	do {                                                                                       \
		if (!into->value.known)                                                            \
			into->value = from->value;                                                 \
	} while (0)

#define TAKE_NULL(value)                                                                           \
	do {                                                                                       \
		if (!into->value)                                                                  \
			into->value = from->value;                                                 \
	} while (0)

static void merge_node(struct node *into, struct node *from)
{
	struct arena *a = into->cluster->arena;

	MOVE(commands);
	MOVE(listings);
	MOVE(metas);
	MOVE(table_stats);
	MOVE(histograms);
	MOVE(tool_blockers);
	MOVE(disks);
	MOVE(status);
	MOVE(versions);
	MOVE(autocompaction);
	MOVE(datapaths);
	TAKE_UNKNOWN(autocompaction_all);
	TAKE_UNKNOWN(now_s);
	TAKE_NULL(compactions);
	TAKE_NULL(address);
	TAKE_NULL(product);
	TAKE_NULL(release);
	TAKE_NULL(host_id);
	TAKE_NULL(datacenter);
	TAKE_NULL(cluster_name);
	if (from->newest_mtime_s.known &&
	    (!into->newest_mtime_s.known || from->newest_mtime_s.v > into->newest_mtime_s.v))
		into->newest_mtime_s = from->newest_mtime_s;
	parse_move_tallies(into, from);
}

static void drop_node(struct cluster *c, struct node *n, struct node *instead)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->nodes.n; i++)
		if (c->nodes.v[i] != n)
			c->nodes.v[kept++] = c->nodes.v[i];
	c->nodes.n = kept;
	for (size_t i = 0; c->loose && i < c->loose->complaints.n; i++)
		if (c->loose->complaints.v[i].node == n)
			c->loose->complaints.v[i].node = instead;
}

static bool is_nameless(const struct node *n)
{
	return strcmp(n->name, "-") == 0;
}

static struct node *first_node_but(const struct cluster *c, const struct node *n)
{
	struct node *first = NULL;

	for (size_t i = 0; i < c->nodes.n; i++)
		if (c->nodes.v[i] != n && (!first || strcmp(c->nodes.v[i]->name, first->name) < 0))
			first = c->nodes.v[i];
	return first;
}

/*
 * A node of which nothing is known but what any node tells is no node of its own; and what has no
 * node's name is of the one that there is.
 */
static void merge_nodes(struct cluster *c)
{
	bool again = true;

	while (again && c->nodes.n > 1) {
		again = false;
		for (size_t i = 0; i < c->nodes.n && !again; i++) {
			struct node *n = c->nodes.v[i], *into = first_node_but(c, n);

			if ((parse_kinds(n) & ~cluster_wide) &&
			    !(is_nameless(n) && c->nodes.n == 2))
				continue;
			merge_node(into, n);
			drop_node(c, n, into);
			again = true;
		}
	}
}

static void note_nameless_node(struct cluster *c)
{
	for (size_t i = 0; i < c->nodes.n; i++)
		if (is_nameless(c->nodes.v[i]) && c->nodes.n > 1)
			cluster_note(c, "outputs whose node nothing tells stand under the node "
					"'-'");
}

/* ---- messages ---- */

void loose_note_time(struct loose_state *s, const struct evidence *about)
{
	if (about->mtime_s.known && (!s->newest_s.known || about->mtime_s.v > s->newest_s.v))
		s->newest_s = about->mtime_s;
}

static void tell_complaints(struct cluster *c, struct loose_state *s)
{
	size_t n_noted = 0;

	for (size_t i = 0; i < s->complaints.n; i++) {
		const struct loose_complaint *x = &s->complaints.v[i];

		if (!parse_has_good(x->node, x->kind, x->subject))
			parse_tally(x->node, x->kind, x->subject, EVIDENCE_FAILED, x->error);
		if (n_noted++ < NOTES_MAX)
			cluster_note(c, x->error);
	}
	if (n_noted > NOTES_MAX)
		cluster_note(c, arena_printf(c->arena, "%zu more error messages in place of "
						       "outputs",
					     n_noted - NOTES_MAX));
}

static const char *names_of_unknown(struct arena *a, const struct loose_state *s)
{
	const char *text = "";
	size_t n = s->unknown_path.n < NAMES_MAX ? s->unknown_path.n : NAMES_MAX;

	for (size_t i = 0; i < n; i++) {
		const char *slash = strrchr(s->unknown_path.v[i], '/');

		text = arena_printf(a, "%s%s%s", text, i ? ", " : "",
				    slash ? slash + 1 : s->unknown_path.v[i]);
	}
	return n < s->unknown_path.n ? arena_printf(a, "%s and others", text) : text;
}

/* With nothing else to go by they are the evidence that failed. */
static void tell_unknown(struct cluster *c, struct loose_state *s)
{
	bool alone = !c->nodes.n;

	for (size_t i = 0; i < s->unknown.n; i++) {
		if (alone)
			parse_tally(parse_node(c, "-"), EV_LOOSE, s->unknown_path.v[i],
				    EVIDENCE_FAILED, s->unknown.v[i]);
		if (s->unknown.n <= NOTES_MAX)
			cluster_note(c, s->unknown.v[i]);
	}
	if (s->unknown.n > NOTES_MAX)
		cluster_note(c, arena_printf(c->arena,
			"%zu files without an output that is known: %s",
					     s->unknown.n, names_of_unknown(c->arena, s)));
}

void loose_finish(struct cluster *c)
{
	struct loose_state *s = c->loose;

	if (!s)
		return;
	merge_nodes(c);
	note_nameless_node(c);
	tell_complaints(c, s);
	tell_unknown(c, s);
	for (size_t i = 0; i < c->nodes.n; i++)
		if (!c->nodes.v[i]->newest_mtime_s.known)
			c->nodes.v[i]->newest_mtime_s = s->newest_s;
	if (s->text.started)
		loose_text_close(&s->text);
	cleaner_close(&s->cleaner);
	c->loose = NULL;
}
