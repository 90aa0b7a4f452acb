/*
 * sstablemetadata, asked about the tables whose Statistics.db can't be read: last of all but the
 * histograms, for it starts a JVM for every batch of files.
 */
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/slice.h"
#include "collect/conversation_state.h"
#include "collect/layout.h"

enum { TOOL_BATCH = 64 };			/* files for one call */

static struct evidence tool_piece(struct conversation *c, const struct unread_files *u)
{
	struct evidence of = { .directory = u->directory };

	return (struct evidence){ .kind = EV_SSTABLEMETADATA, .keyspace = u->keyspace,
				  .table = layout_subject(c->arena, &of) };
}

static void miss_tool(struct conversation *c, const struct unread_files *u)
{
	conversation_miss(c, tool_piece(c, u), "sstablemetadata", RUN_NOT_RUN, c->no_tool);
}

/* Batches, so that one file that ends the tool does not hide the rest. */
enum made tool_ask(struct conversation *c)
{
	const char *tool = conversation_program(c, c->o->sstablemetadata, "sstablemetadata");
	struct unread_files *u;

	for (; c->no_tool && c->at_unread < c->unread.n; c->at_unread++)
		miss_tool(c, c->unread.v[c->at_unread]);
	if (c->at_unread >= c->unread.n)
		return MADE_NOTHING;
	u = c->unread.v[c->at_unread];
	if (!u->asked) {
		buf_init(&u->out, LAYOUT_FILE_MAX);
		u->all = (struct run_result){ .started_s = run_now_s(), .exit_status = some_i64(0),
					      .errout = "" };
	}
	conversation_ask(c, "sstablemetadata", u->data_files.n == 1
		? arena_printf(c->arena, "%s %s", tool, quote_shell(c->arena, u->data_files.v[0]))
		: arena_printf(c->arena, "%s <%zu files>", tool, u->data_files.n));
	c->request.as_owner = true;
	for (size_t i = 0; i < TOOL_BATCH && u->asked < u->data_files.n; i++)
		(void)conversation_add(c, u->data_files.v[u->asked++]);
	return MADE_REQUEST;
}

static void hand_tool(struct conversation *c, struct unread_files *u)
{
	if (u->out.n)
		u->all.out = (struct slice){ u->out.p, u->out.n };
	conversation_hand(c, tool_piece(c, u), c->request.command, &u->all);
	buf_free(&u->out);
	c->at_unread++;
}

void tool_take(struct conversation *c, const struct run_result *r)
{
	struct unread_files *u = c->unread.v[c->at_unread];
	int64_t status = r->exit_status.known ? r->exit_status.v : 0;
	const char *why = conversation_reason(c, r);

	/* what is not there, hangs, or is refused by sudo will be so for the next files */
	if (status == RUN_TIMEOUT || (status == RUN_NOT_FOUND && !r->out.p) ||
	    strncmp(why, "sudo: ", 6) == 0)
		c->no_tool = why;
	if (r->out.p)
		buf_add(&u->out, r->out.p, r->out.n);
	live_merge_end(&u->all, r);
	if (u->asked >= u->data_files.n || c->no_tool)
		hand_tool(c, u);
}

void tool_give_up(struct conversation *c, const char *why)
{
	struct unread_files *u = c->at_unread < c->unread.n ? c->unread.v[c->at_unread] : NULL;

	if (!u || !u->asked)
		return;
	live_merge_end(&u->all, &(struct run_result){ .exit_status = some_i64(RUN_TIMEOUT),
						 .errout = why });
	hand_tool(c, u);
}
