/* How far a run over SSH has come. See progress.h. */
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collect/run.h"

enum { REDRAW_MS = 100, COLUMNS_USUAL = 80 };

/* ---- the line ---- */

/* Names come from outside: nothing of them may drive the terminal. */
static void append(char *line, size_t room, const char *text)
{
	size_t n = strlen(line);

	for (; *text && n + 1 < room; text++)
		line[n++] = *text >= ' ' && *text <= '~' ? *text : '?';
	line[n] = '\0';
}

/* All of the texts, or as before when they do not fit. */
static bool append_whole(char *line, size_t room, const char *const *texts, size_t n)
{
	size_t length = strlen(line);

	for (size_t i = 0; i < n; i++)
		length += strlen(texts[i]);
	if (length + 1 > room)
		return false;
	for (size_t i = 0; i < n; i++)
		append(line, room, texts[i]);
	return true;
}

void progress_format(const struct remote_progress *p, size_t width, char line[PROGRESS_LINE_BYTES])
{
	size_t room = (width < PROGRESS_LINE_BYTES - 1 ? width : PROGRESS_LINE_BYTES - 1) + 1;
	char counts[64], running[40];
	const char *const end[] = { running };
	const char *const slowest[] = { "; ", p->slowest ? p->slowest : "" };
	const char *const doing[] = { ": ", p->doing ? p->doing : "" };
	int n = snprintf(counts, sizeof(counts), "%zu of %zu node%s done", p->done, p->nodes,
			 p->nodes == 1 ? "" : "s");

	if (p->failed && n > 0 && (size_t)n < sizeof(counts))
		snprintf(counts + n, sizeof(counts) - (size_t)n, " (%zu failed)", p->failed);
	snprintf(running, sizeof(running), ", %zu running", p->running);
	line[0] = '\0';
	append(line, room, counts);
	if (!append_whole(line, room, end, 1) || !p->slowest ||
	    !append_whole(line, room, slowest, 2) || !p->doing)
		return;
	if (!append_whole(line, room, doing, 2) && strlen(line) + 8 < room) {
		append(line, room - 3, doing[0]);	/* its beginning tells which one it is */
		append(line, room - 3, doing[1]);
		append(line, room, "...");
	}
}

/* ---- the terminal ---- */

/* One less than there are: a full line makes some terminals go on to the next. */
static size_t columns(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
		return size.ws_col - 1u;
	return COLUMNS_USUAL - 1;
}

/* A line over the one before, whose end is blanked out; no terminal needs to be told more. */
static void draw(struct progress *g, const char *line)
{
	char out[2 * PROGRESS_LINE_BYTES + 8];
	size_t length = strlen(line);
	size_t blanks = g->drawn > length ? g->drawn - length : 0;
	int n = snprintf(out, sizeof(out), "\r%s%*s%s", line, (int)blanks, "",
			 length ? "" : "\r");

	if (n > 0 && write(STDERR_FILENO, out, (size_t)n) < 0)
		g->shown = false;
	g->drawn = length;
}

void progress_begin(struct progress *g, bool quiet, const volatile sig_atomic_t *stop)
{
	const char *term = getenv("TERM");

	*g = (struct progress){ .stop = stop };
	g->shown = !quiet && isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

void progress_show(void *progress, const struct remote_progress *p)
{
	struct progress *g = progress;
	int64_t now_ms = run_clock_ms();
	char line[PROGRESS_LINE_BYTES];

	if (!g->shown)
		return;
	if (g->stop && *g->stop) {
		progress_end(g);
		return;
	}
	if (g->drawn && now_ms - g->last_ms < REDRAW_MS)
		return;
	progress_format(p, columns(), line);
	g->last_ms = now_ms;
	if (strcmp(line, g->line) == 0 && g->drawn)
		return;
	strcpy(g->line, line);
	draw(g, line);
}

void progress_end(struct progress *g)
{
	if (g->shown && g->drawn)
		draw(g, "");
	g->shown = false;
}
