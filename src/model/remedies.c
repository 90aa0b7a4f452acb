/*
 * Remedies: what an operator can do about a blocker, safest first, with the exact command for the
 * node's release and the risk (twcs-semantics section 8, tried on nodes: verified-on-nodes 4, 5).
 *
 * Never here: a command that deletes files or switches unsafe expiration on. An ALTER repeats the
 * whole compaction map as it stands. A user-defined compaction gets the full path, one file a call.
 */
#include "model/analysis.h"

#include <string.h>

#include "base/num.h"
#include "base/quote.h"

static struct action *add(const struct analysis *an, struct blocker *b, const char *text,
			  const char *risk)
{
	struct action *act = vec_add(an->a, &b->actions);

	act->text = text;
	act->risk = risk;
	return act;
}

static void command(const struct analysis *an, struct action *act, const char *text)
{
	*vec_add(an->a, &act->commands) = text;
}

/* nodetool compact --user-defined came with 3.4 (CASSANDRA-10660); before that only JMX has it. */
static bool has_user_defined(const struct node *n)
{
	int r = node_release_number(n);

	return !node_is_scylla(n) && (!r || r >= 30400);
}

static bool add_compact_command(const struct analysis *an, struct action *act,
				const struct sstable *s)
{
	const char *path;

	if (!s->directory || !has_user_defined(an->t->node))
		return false;
	path = arena_printf(an->a, "%s/%s-Data.db", s->directory, s->name);
	command(an, act, arena_printf(an->a, "nodetool compact --user-defined %s",
				      quote_shell(an->a, path)));
	return true;
}

static const char *how_without_path(const struct analysis *an)
{
	if (!has_user_defined(an->t->node))
		return "; this release has it only as JMX operation forceUserDefinedCompaction of "
		       "org.apache.cassandra.db:type=CompactionManager";
	return "; its full path is not in this evidence, take it from the data directory (a bare "
	       "file "
	       "name does nothing and exits 0)";
}

static const char *table_words(const struct analysis *an)
{
	return arena_printf(an->a, "%s %s", quote_shell(an->a, an->t->keyspace),
			    quote_shell(an->a, an->t->name));
}

static bool is_off(const struct table *t)
{
	return t->autocompaction.known && !t->autocompaction.v;
}

/* While it is off nothing is dropped, whatever else is done but a user-defined compaction. */
static void add_switch_on(const struct analysis *an, struct blocker *b)
{
	const struct settings *s = &an->t->settings;
	struct action *act;

	if (!is_off(an->t))
		return;
	act = add(an, b, "switch automatic compaction on first: while it is off the server drops "
		  "nothing, also when nothing holds it",
		  "compactions that have waited begin at once");
	if (s->enabled)
		command(an, act, arena_printf(an->a, "nodetool enableautocompaction %s",
					      table_words(an)));
	else
		act->text = arena_printf(an->a,
					 "%s; here it is 'enabled': 'false' in the compaction "
					 "options: ALTER TABLE without that option",
					 act->text);
}

static void add_wait(const struct analysis *an, struct blocker *b)
{
	if (b->clears_at_s == TIME_NEVER)
		return;
	add(an, b,
	    arena_printf(an->a, "wait: it expires by itself on %s%s",
			 num_format_minute(an->a, b->clears_at_s),
			 is_off(an->t) ? ", and with automatic compaction on what it holds goes"
				       : ""),
	    "none, if the disk lasts until then");
}

static const char *rewrite_effect(const struct analysis *an, const struct blocker *b)
{
	if (b->n_alone == b->n_blocks)
		return "each would be dropped whole, since no live SSTable that shares its token "
		       "range reaches down to it";
	if (b->n_alone)
		return arena_printf(an->a,
				    "%zu of %zu would be dropped whole, the others lose every "
				    "partition that no live SSTable may hold",
				    b->n_alone, b->n_blocks);
	return "each loses every partition that no live SSTable may hold: all of it where the "
	       "partition key has a time bucket";
}

static void add_rewrite_blocked(const struct analysis *an, struct blocker *b)
{
	struct action *act;
	const char *more = "";
	size_t n = b->n_blocks < LIST_MAX ? b->n_blocks : LIST_MAX;
	bool any = false;

	if (!b->n_blocks || node_is_scylla(an->t->node))
		return;
	act = add(an, b, NULL,
		  "safe, normal purge rules; I/O of one SSTable. Exit status 0 says nothing: look "
		  "whether the file is gone. Never several files in one call: they would be merged "
		  "across windows");
	for (size_t i = 0; i < n; i++)
		any = add_compact_command(an, act, b->blocks[i]) || any;
	if (any && b->n_blocks > n)
		more = arena_printf(an->a, "; the first %zu here, then look again", n);
	act->text = arena_printf(
		an->a, "rewrite the blocked expired SSTables, one a call (%zu in all%s): %s%s",
		b->n_blocks, more, rewrite_effect(an, b), any ? "" : how_without_path(an));
}

static void add_garbagecollect(const struct analysis *an, struct blocker *b)
{
	int r = node_release_number(an->t->node);
	struct action *act;

	if (b->n_blocks < 2 || node_is_scylla(an->t->node) || (r && r < 31000))
		return;
	act = add(an, b,
		  "the same for all of them in one go, each SSTable alone, windows stay apart: "
		  "worth it where many windows are blocked",
		  "safe, but rewrites every live SSTable of the table as well");
	command(an, act, arena_printf(an->a, "nodetool garbagecollect %s", table_words(an)));
}

static void add_rewrite_blocker(const struct analysis *an, struct blocker *b)
{
	struct action *act;

	if (b->cause != CAUSE_TOMBSTONE)
		return;
	act = add(an, b, NULL, "safe, may change nothing");
	act->text =
		add_compact_command(an, act, b->sstable)
			? "rewrite the blocker: helps once its old tombstones are past gc_grace "
			  "and "
			  "can be purged, its minimum timestamp then rises"
			: arena_printf(
				  an->a,
				  "rewrite the blocker by a user-defined compaction: helps "
				  "once its old tombstones are past gc_grace and can be purged%s",
				  how_without_path(an));
}

/* The compaction map as it stands with one option more. */
static const char *map_with(const struct analysis *an, const char *option)
{
	const char *map = an->t->settings.compaction_map;
	size_t n = map ? strlen(map) : 0;

	if (n < 2 || map[n - 1] != '}' || strstr(map, "unchecked_tombstone_compaction"))
		return NULL;
	return arena_printf(an->a, "%.*s, %s}", (int)(n - 1), map, option);
}

static void add_unchecked(const struct analysis *an, struct blocker *b)
{
	const char *map = map_with(an, "'unchecked_tombstone_compaction': 'true'");
	int r = node_release_number(an->t->node);
	struct action *act;

	if (!b->n_blocks || !map || is_off(an->t) || node_is_scylla(an->t->node) ||
	    (r && r < 40003))
		return;
	act = add(an, b,
		  "let the server do it: tombstone compaction takes blocked SSTables one by one, "
		  "smallest first",
		  "steady extra I/O; can rewrite the same SSTable daily without gain");
	command(an, act,
		arena_printf(an->a, "ALTER TABLE %s.%s WITH compaction = %s;",
			     quote_cql(an->a, an->t->keyspace), quote_cql(an->a, an->t->name),
			     map));
}

static void add_pending(const struct analysis *an, struct blocker *b)
{
	struct action *act;

	if (!b->sstable->meta->pending_repair)
		return;
	act = add(an, b,
		  "it belongs to a pending repair: see whether the session hangs (listed) or has "
		  "finished while automatic compaction was off (not listed)",
		  "looking is free; cancelling a session makes its SSTables unrepaired again");
	command(an, act, "nodetool repair_admin list");
}

/* 4.0 replaced the two chances by an option. */
static const char *read_repair_text(const struct node *n)
{
	int r = node_release_number(n);

	if (!r)
		return "read_repair = 'NONE' from 4.0 on, dclocal_read_repair_chance = 0 before";
	return r >= 40000 ? "read_repair = 'NONE'"
			  : "read_repair_chance = 0 and dclocal_read_repair_chance = 0";
}

/* What to change where the data comes from, so that it does not happen again. */
static const char *source_text(const struct analysis *an, enum cause c)
{
	switch (c) {
	case CAUSE_LATE_WRITE:
		return arena_printf(
			an->a,
			"find who writes late: clients that buffer or backfill, hints "
			"after an outage, read repair (on the table: %s), repair streams, "
			"bulk loads",
			read_repair_text(an->t->node));
	case CAUSE_MIXED_TTL:
		return "find the statements with USING TTL, or rows from before "
		       "default_time_to_live was "
		       "lowered; give long-lived data a table of its own";
	case CAUSE_NO_TTL:
		return "find the statements that write without TTL: as it is, this never drops by "
		       "itself. "
		       "Delete those rows; nodetool garbagecollect (3.10 and later) then takes "
		       "them out "
		       "of the SSTable, other compactions of it alone do not see the deletion. "
		       "Rows that "
		       "must live on are better written anew, with TTL and today's timestamp";
	case CAUSE_TOMBSTONE:
		return "stop deletes, null binds and collection overwrites on this table; let TTL "
		       "do it";
	case CAUSE_WRONG_UNIT:
		return "find the writer whose USING TIMESTAMP is not in microseconds";
	case CAUSE_FUTURE:
		return "find the client whose clock is ahead or whose timestamps are in another "
		       "unit";
	case CAUSE_REPAIR:
		return "run full, not incremental, repair on TWCS tables, or none on TTL-only data";
	default:
		return NULL;
	}
}

static void add_source(const struct analysis *an, struct blocker *b)
{
	const char *text = source_text(an, b->cause);

	if (text)
		add(an, b, text, "a decision about the application; frees nothing by itself");
}

static void add_scylla(const struct analysis *an, struct blocker *b)
{
	if (node_is_scylla(an->t->node))
		add(an, b,
		    "ScyllaDB has no compaction of single files: nodetool compact keeps windows "
		    "apart there; consider tombstone_gc mode immediate for data that is never "
		    "deleted",
		    "immediate mode needs a table without deletes; by the server's documented "
		    "rule");
}

void add_actions(const struct analysis *an, struct blocker *b)
{
	if (b->cause == CAUSE_BORDER && !b->n_will_block) {
		add_wait(an, b);
		return;
	}
	add_switch_on(an, b);
	add_wait(an, b);
	add_pending(an, b);
	add_rewrite_blocked(an, b);
	add_garbagecollect(an, b);
	add_rewrite_blocker(an, b);
	add_unchecked(an, b);
	add_scylla(an, b);
	add_source(an, b);
}
