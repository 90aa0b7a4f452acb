/* Private to conversation*.c and errands.c: the state of one node's conversation. */
#ifndef TWCSCHECK_CONVERSATION_STATE_H
#define TWCSCHECK_CONVERSATION_STATE_H

#include "base/buf.h"
#include "collect/bundle_text.h"
#include "collect/conversation.h"
#include "collect/saved_lines.h"

/* What making the next request of a step came to. */
enum made {
	MADE_NOTHING,		/* the step has nothing more to ask */
	MADE_REQUEST,
	MADE_WAIT,		/* for another node */
};

struct fetched_file;
struct remote_folder;

/* A table whose Statistics.db can't be read: what the tool is asked about. */
struct unread_files {
	const char *keyspace, *directory;	/* of its first such directory */
	VEC(const char *) data_files;		/* paths */
	const char *first_error;
	size_t asked;
	struct buf out;
	struct run_result all;
};

struct conversation {
	struct arena *arena;
	const struct remote_options *o;
	const struct remote_node *node;
	struct errands *errands;
	evidence_fn *each;
	void *ctx;
	const char *address, *transport;
	size_t step;
	size_t turn;			/* requests of the step so far */
	bool asked, over;
	bool late;			/* errands are waited for now, */
	int64_t waiting_ms;		/* since when */
	unsigned tried;			/* errands that this node was asked */
	unsigned had;			/* kinds of evidence that were handed out */
	int release;
	struct remote_request request;
	struct buf input;
	struct live_tables histograms;	/* tables whose histograms are asked for */
	bool has_histograms;		/* and that was decided */
	const char *no_nodetool;	/* why nodetool is not worth asking again; NULL = it is */

	/* the schema while it is asked for, table by table */
	struct buf rows;
	const char *schema_texts;
	int64_t schema_ms;

	/* where SSTables lie, and what is known of them (conversation_tables.c) */
	struct path_list roots;		/* data directories, by their number */
	struct path_list settings_roots;	/* as cassandra.yaml has them */
	bool listed;			/* an answer to the first listing came */
	bool whole_roots;		/* nothing told the tables' own directories */
	VEC(struct remote_folder *) folders, asked_folders;
	struct fetched_file *batch;	/* what the last fetch asked for */
	size_t n_batch;
	size_t at_folder, at_file;	/* of the next file to fetch */
	const char *no_files;		/* why no file can be fetched; NULL = they can */
	const char *fetch_problem;	/* of the last fetch that was not whole */
	bool settled;			/* listings and what can't be read were handed out */
	VEC(struct unread_files *) unread;
	size_t at_unread;
	const char *no_tool;		/* why sstablemetadata is not worth asking again */
};

/* Begins a request: its settings are written, parameters are added with conversation_add(). */
void conversation_ask(struct conversation *c, const char *word, const char *command);
/* One parameter; false when it can't be one (a line break in a name). */
bool conversation_add(struct conversation *c, const char *parameter);

/* Hand out a piece that an answer made; `ev` has its kind and names. */
void conversation_hand(struct conversation *c, struct evidence ev, const char *command,
		       const struct run_result *r);
/* Hand out that something could not be had, as a command that failed. */
void conversation_miss(struct conversation *c, struct evidence ev, const char *command, int status,
		       const char *why);
/* Why an answer is none: the first line of its standard error, or how it ended. */
const char *conversation_reason(struct conversation *c, const struct run_result *r);

/* A program with its options as it may be shown: passwords are masked. */
const char *conversation_program(struct conversation *c, const char *given, const char *usual);

/* Steps of conversation_tables.c. */
enum made tables_list(struct conversation *c);
void tables_take_list(struct conversation *c, const struct run_result *r);
enum made tables_fetch(struct conversation *c);
void tables_take_fetch(struct conversation *c, const struct run_result *r);
enum made tables_list_again(struct conversation *c);
enum made tables_settle(struct conversation *c);
/* No more answers: what was listed is handed out as far as it is known; the rest is missed. */
void tables_give_up(struct conversation *c, const char *command, int status, const char *why);

/* conversation_tool.c: sstablemetadata for what can't be read. */
enum made tool_ask(struct conversation *c);
void tool_take(struct conversation *c, const struct run_result *r);
void tool_give_up(struct conversation *c, const char *why);

/* errands.c: what one node tells for all. */
enum errand_kind { ERRAND_SCHEMA, ERRAND_STATUS, ERRAND_DESCRIBECLUSTER, ERRAND_INFO, ERRANDS };
void errands_join(struct conversation *c);
/*
 * May this node ask? MADE_REQUEST: it does, and then has to say how it ended. MADE_WAIT: another
 * one does, or should.
 */
enum made errand_begin(struct conversation *c, enum errand_kind kind);
void errand_end(struct conversation *c, enum errand_kind kind, bool good);

#endif
