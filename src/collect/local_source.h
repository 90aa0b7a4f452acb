/* Private to local.c and local_tables.c: the state of a local run. */
#ifndef TWCSCHECK_LOCAL_SOURCE_H
#define TWCSCHECK_LOCAL_SOURCE_H

#include "collect/local.h"
#include "collect/bundle_text.h"
#include "collect/run.h"
#include "collect/saved_lines.h"

struct unread_table;

struct source {
	struct arena *arena;
	const struct local_options *o;
	const char *node;
	int64_t deadline_ms;
	struct path_list roots;		/* data directories, by their number */
	VEC(struct unread_table *) unread;	/* tables whose Statistics.db can't be read */
	char *buffer;			/* of the file that is handed out */
	size_t room;
	evidence_fn *each;
	void *ctx;
};

/* The time of the run is over, or it was interrupted: nothing more is to be begun. */
bool local_is_over(const struct source *s);
/* Why, for a piece of evidence that was not had. */
const char *local_why_over(const struct source *s);

/*
 * argv of a command: the program's words, then `arguments`, NULL-terminated. *text is the same as a
 * person would type it.
 */
char **local_argv(struct source *s, const char *program, const char *const *arguments,
		  const char **text);

/* Runs it within the limits that are left. Without time left the result says so. */
void local_run(struct source *s, char *const argv[], struct run_result *r);

/* Hand out a piece that a command made; `ev` has its kind and names. */
void local_hand(struct source *s, struct evidence ev, const char *command,
		const struct run_result *r);

/* Hand out that something could not be had, as a command that failed. */
void local_fail(struct source *s, struct evidence ev, const char *command, int status,
		const char *why);

/* Read a file into s->buffer, at most `max` bytes; 0 or an errno, EFBIG when it is larger. */
int local_read(struct source *s, int folder, const char *name, int64_t max, struct slice *bytes);

/* Listings and SSTables' files of every table of the run (local_tables.c). */
void local_read_tables(struct source *s);

#endif
