/* What one node is asked. See conversation.h. */
#include "collect/conversation.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/quote.h"
#include "base/slice.h"
#include "collect/conversation_state.h"
#include "collect/layout.h"

enum { INPUT_MAX = 64 * 1024 * 1024, TEXT_MAX = 16 * 1024 };

/* Releases from which on nodetool has a command. Source: nodetool's commands, 3.0 to 5.0. */
enum { WITH_DATAPATHS = 40100, WITH_AUTOCOMPACTION_LIST = 40000 };

enum { SSH_FAILED = 255 };	/* as ssh itself exits */

/* The node ends a command by itself where it can (timeout(1)); then it can say so. */
enum { GRACE_S = 7 };

/* ---- requests ---- */

static void add_setting(struct conversation *c, const char *key, const char *value)
{
	if (value)
		buf_printf(&c->input, "%s %s\n", key, value);
}

void conversation_ask(struct conversation *c, const char *word, const char *command)
{
	int64_t timeout_s = c->o->command_timeout_s;

	buf_free(&c->input);
	buf_init(&c->input, INPUT_MAX);
	add_setting(c, "nodetool", c->o->nodetool);
	add_setting(c, "cqlsh", c->o->cqlsh);
	add_setting(c, "sstablemetadata", c->o->sstablemetadata);
	add_setting(c, "nice", c->o->no_nice ? "0" : NULL);
	buf_printf(&c->input, "limit %lld\n", (long long)timeout_s);
	buf_char(&c->input, '\n');
	c->request = (struct remote_request){
		.word = word, .command = command,
		.timeout_ms = (timeout_s + GRACE_S) * 1000,
		.out_max = LAYOUT_FILE_MAX,
	};
}

bool conversation_add(struct conversation *c, const char *parameter)
{
	if (strpbrk(parameter, "\r\n"))
		return false;
	buf_printf(&c->input, "%s\n", parameter);
	return !c->input.truncated;
}

void conversation_hand(struct conversation *c, struct evidence ev, const char *command,
		       const struct run_result *r)
{
	ev = live_piece(c->arena, ev, c->node->name, command, r);
	c->had |= (unsigned)ev.kind;
	c->each(c->ctx, &ev);
}

void conversation_miss(struct conversation *c, struct evidence ev, const char *command, int status,
		       const char *why)
{
	struct run_result r = { .exit_status = some_i64(status), .errout = why,
				.started_s = run_now_s() };

	conversation_hand(c, ev, command, &r);
}

/* Options after which a password stands: of nodetool (-pw), of cqlsh (-p). */
static bool takes_password(struct slice word)
{
	static const char *const options[] = { "-pw", "-p", "--password", "--pass" };

	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (slice_eq_str(word, options[i]))
			return true;
	return false;
}

const char *conversation_program(struct conversation *c, const char *given, const char *usual)
{
	struct slice rest = slice_of(given ? given : usual), word;
	bool secret = false;
	const char *text = "";

	while (slice_word(&rest, &word)) {
		size_t equals = slice_find(word, '=');
		bool with = takes_password((struct slice){ word.p, equals }) && equals < word.n;
		struct slice shown = secret ? SLICE("***") : with
			? (struct slice){ word.p, equals + 1 } : word;

		text = arena_printf(c->arena, "%s%s%.*s%s", text, *text ? " " : "", (int)shown.n,
				    shown.p, with && !secret ? "***" : "");
		secret = !secret && takes_password(word);
	}
	return text;
}

/* ---- hello ---- */

/* node.json as far as it is known at the start: whose evidence follows, and its clock. */
static void hand_node(struct conversation *c, struct opt_i64 now_s)
{
	struct bundle_node n = { .name = c->node->name, .address = c->address, .now_s = now_s,
				 .transport = c->transport };
	struct evidence ev = { .kind = EV_NODE, .node = c->node->name, .relative = "node.json",
			       .exit_status = some_i64(0) };
	struct buf text;

	buf_init(&text, TEXT_MAX);
	bundle_text_node(&text, &n, NULL, 0);
	ev.out = (struct slice){ text.p, text.n };
	ev.path = ev.command = "the clock";
	c->had |= EV_NODE;
	c->each(c->ctx, &ev);
	buf_free(&text);
}

static enum made ask_hello(struct conversation *c)
{
	if (c->turn)
		return MADE_NOTHING;
	conversation_ask(c, "hello", "date; cassandra.yaml");
	return MADE_REQUEST;
}

/* What hello says: lines of a word and its value. */
struct greeting {
	struct opt_i64 clock_s;
	const char *settings, *settings_problem;	/* path of cassandra.yaml; why unreadable */
	struct buf yaml;
};

static void take_greeting_line(struct arena *a, struct greeting *g, struct slice line)
{
	struct slice rest = line, word;

	if (slice_starts(line, SLICE("| "))) {
		buf_add(&g->yaml, line.p + 2, line.n - 2);
		buf_char(&g->yaml, '\n');
		return;
	}
	if (!slice_word(&rest, &word))
		return;
	rest = slice_trim(rest);
	if (slice_eq_str(word, "clock")) {
		g->clock_s.known = num_parse_i64(rest, &g->clock_s.v);
	} else if (slice_eq_str(word, "settings")) {
		g->settings = arena_copy(a, rest);
	} else if (slice_eq_str(word, "settings-failed")) {
		slice_word(&rest, &word);
		g->settings = arena_copy(a, word);
		g->settings_problem = arena_copy(a, slice_trim(rest));
	}
}

/* Only the lines that are used, whatever the node sent: the file holds passwords. */
static void take_settings(struct conversation *c, const struct greeting *g, int64_t started_s)
{
	struct run_result r = { .exit_status = some_i64(0), .errout = "", .started_s = started_s };
	const char *command = arena_printf(c->arena, "read %s", g->settings);
	struct evidence ev = { .kind = EV_SETTINGS };
	struct buf lines;

	buf_init(&lines, TEXT_MAX * 4);
	saved_yaml_lines(c->arena, (struct slice){ g->yaml.p, g->yaml.n }, &lines,
			 &c->settings_roots);
	if (lines.n) {
		r.out = (struct slice){ lines.p, lines.n };
		conversation_hand(c, ev, command, &r);
	}
	buf_free(&lines);
}

const char *conversation_reason(struct conversation *c, const struct run_result *r)
{
	struct lines it = lines_of(slice_of(r->errout));
	struct slice line, first = { NULL, 0 };

	while (lines_next(&it, &line)) {
		line = slice_trim(line);
		/* wherever it stands it is why, and there is something to be done */
		if (slice_starts(line, SLICE("sudo: ")))
			return arena_printf(c->arena, "%.*s; hint: sudoers(5) must let %s run "
					    "commands as %s without a password",
					    (int)line.n, line.p, c->o->user ? c->o->user : "you",
					    c->o->sudo ? c->o->sudo : "the owner of the data");
		/* but not the mark of what was left out */
		if (line.n && !first.n && !slice_starts(line, SLICE("[... ")))
			first = line;
	}
	if (first.n)
		return arena_copy(c->arena, first);
	if (r->signal)
		return arena_printf(c->arena, "ended by signal %s", r->signal);
	return "the answer broke off";
}

static void take_hello(struct conversation *c, const struct run_result *r)
{
	struct greeting g = { 0 };
	struct lines it = lines_of(r->out);
	struct slice line;

	buf_init(&g.yaml, TEXT_MAX * 4);
	while (r->out.p && lines_next(&it, &line))
		take_greeting_line(c->arena, &g, line);
	if (g.clock_s.known && live_is_good(r)) {
		hand_node(c, g.clock_s);
		if (g.yaml.n)
			take_settings(c, &g, r->started_s);
		else if (g.settings_problem)
			conversation_miss(c, (struct evidence){ .kind = EV_SETTINGS },
					  arena_printf(c->arena, "read %s", g.settings), 1,
					  g.settings_problem);
	} else {
		/* what the node's shell can't do at all is the node's failure */
		conversation_fail(c, &(struct err){ .kind = ERR_REMOTE,
						    .text = conversation_reason(c, r) });
	}
	buf_free(&g.yaml);
}

/* ---- nodetool ---- */

/* "nodetool tablestats", as a person would type it. */
static const char *nodetool_text(struct conversation *c, const char *const *words)
{
	const char *text = conversation_program(c, c->o->nodetool, "nodetool");

	for (size_t i = 0; words[i]; i++)
		text = arena_printf(c->arena, "%s %s", text, quote_shell(c->arena, words[i]));
	return text;
}

/* False when it needs not be asked, or can't: then that is handed out already. */
static bool ask_nodetool(struct conversation *c, struct evidence ev, const char *const *words)
{
	const char *text = nodetool_text(c, words);

	if (c->no_nodetool) {
		conversation_miss(c, ev, text, RUN_NOT_FOUND, c->no_nodetool);
		return false;
	}
	conversation_ask(c, "nodetool", text);
	for (size_t i = 0; words[i]; i++) {
		if (!conversation_add(c, words[i])) {
			conversation_miss(c, ev, text, RUN_NOT_RUN, "not run: a line break in a "
								    "name");
			return false;
		}
	}
	return true;
}

static enum made ask_once(struct conversation *c, enum evidence_kind kind, const char *word,
			  const char *option)
{
	const char *const words[] = { word, option, NULL };

	if (c->turn || !ask_nodetool(c, (struct evidence){ .kind = kind }, words))
		return MADE_NOTHING;
	return MADE_REQUEST;
}

/* What is not there now, or hangs, will be so for the next command; one JVM at a time. */
static void note_nodetool(struct conversation *c, const struct run_result *r)
{
	if (r->exit_status.known && r->exit_status.v == RUN_NOT_FOUND && !r->out.p)
		c->no_nodetool = r->errout;
	if (r->exit_status.known && r->exit_status.v == RUN_TIMEOUT)
		c->no_nodetool = arena_printf(c->arena, "not asked, for '%s' did not end: %s",
					      c->request.command, conversation_reason(c, r));
}

static void take_piece(struct conversation *c, enum evidence_kind kind, const struct run_result *r)
{
	note_nodetool(c, r);
	conversation_hand(c, (struct evidence){ .kind = kind }, c->request.command, r);
}

static enum made ask_version(struct conversation *c)
{
	return ask_once(c, EV_VERSION, "version", NULL);
}

static void take_version(struct conversation *c, const struct run_result *r)
{
	take_piece(c, EV_VERSION, r);
	c->release = c->o->guide->release(c->o->guide->ctx, c->node->name);
}

static enum made ask_datapaths(struct conversation *c)
{
	if (c->release && c->release < WITH_DATAPATHS)
		return MADE_NOTHING;
	return ask_once(c, EV_DATAPATHS, "datapaths", NULL);
}

static void take_datapaths(struct conversation *c, const struct run_result *r)
{
	take_piece(c, EV_DATAPATHS, r);
}

static enum made ask_tablestats(struct conversation *c)
{
	return ask_once(c, EV_TABLESTATS, "tablestats", NULL);
}

static void take_tablestats(struct conversation *c, const struct run_result *r)
{
	take_piece(c, EV_TABLESTATS, r);
}

static enum made ask_compactionstats(struct conversation *c)
{
	return ask_once(c, EV_COMPACTIONSTATS, "compactionstats", NULL);
}

static void take_compactionstats(struct conversation *c, const struct run_result *r)
{
	take_piece(c, EV_COMPACTIONSTATS, r);
}

static enum made ask_autocompaction(struct conversation *c)
{
	if (c->release && c->release < WITH_AUTOCOMPACTION_LIST)
		return MADE_NOTHING;
	return ask_once(c, EV_STATUSAUTOCOMPACTION, "statusautocompaction", "-a");
}

static void take_autocompaction(struct conversation *c, const struct run_result *r)
{
	take_piece(c, EV_STATUSAUTOCOMPACTION, r);
}

/* ---- what one node tells for all ---- */

static enum made ask_for_all(struct conversation *c, enum errand_kind errand,
			     enum evidence_kind kind, const char *word)
{
	enum made made = c->turn ? MADE_NOTHING : errand_begin(c, errand);

	if (made != MADE_REQUEST)
		return made;
	made = ask_once(c, kind, word, NULL);
	if (made == MADE_NOTHING)
		errand_end(c, errand, false);
	return made;
}

static void take_for_all(struct conversation *c, enum errand_kind errand, enum evidence_kind kind,
			 const struct run_result *r)
{
	errand_end(c, errand, live_is_good(r));
	take_piece(c, kind, r);
}

static enum made ask_status(struct conversation *c)
{
	return ask_for_all(c, ERRAND_STATUS, EV_STATUS, "status");
}

static void take_status(struct conversation *c, const struct run_result *r)
{
	take_for_all(c, ERRAND_STATUS, EV_STATUS, r);
}

static enum made ask_describecluster(struct conversation *c)
{
	return ask_for_all(c, ERRAND_DESCRIBECLUSTER, EV_DESCRIBECLUSTER, "describecluster");
}

static void take_describecluster(struct conversation *c, const struct run_result *r)
{
	take_for_all(c, ERRAND_DESCRIBECLUSTER, EV_DESCRIBECLUSTER, r);
}

static enum made ask_info(struct conversation *c)
{
	return ask_for_all(c, ERRAND_INFO, EV_INFO, "info");
}

static void take_info(struct conversation *c, const struct run_result *r)
{
	take_for_all(c, ERRAND_INFO, EV_INFO, r);
}

/* ---- the schema ---- */

/* Views come after what is needed; their rows are as those of tables. */
static const char *const schema_tables[] = { "tables", "keyspaces", "views", "columns" };

static enum made ask_schema(struct conversation *c)
{
	const char *table, *text, *program = conversation_program(c, c->o->cqlsh, "cqlsh");
	enum made made = c->turn ? MADE_REQUEST : errand_begin(c, ERRAND_SCHEMA);

	if (c->turn >= ARRAY_LEN(schema_tables) || made != MADE_REQUEST)
		return made == MADE_REQUEST ? MADE_NOTHING : made;
	table = schema_tables[c->turn];
	text = arena_printf(c->arena, "%s -e 'SELECT JSON * FROM system_schema.%s'", program,
			    table);
	c->schema_texts = c->schema_texts ? arena_printf(c->arena, "%s; %s", c->schema_texts, text)
					  : text;
	conversation_ask(c, "cqlsh", text);
	conversation_add(c, table);
	return MADE_REQUEST;
}

/* All of it is one piece; the first failure ends it: what is refused once is refused again. */
static void take_schema(struct conversation *c, const struct run_result *answer)
{
	struct evidence ev = { .kind = EV_SCHEMA, .relative = "schema.json" };
	struct run_result all = *answer;
	const char *why = NULL;

	if (c->turn == 1)
		buf_init(&c->rows, LAYOUT_FILE_MAX);
	c->schema_ms += answer->duration_ms;
	if (live_is_good(answer))
		why = saved_schema_rows(c->arena, answer->out, schema_tables[c->turn - 1],
					&c->rows);
	if (why) {	/* it said that all was well, but it was not */
		all.exit_status = some_i64(1);
		all.errout = *all.errout ? arena_printf(c->arena, "%s\n%s", why, all.errout) : why;
	}
	if (live_is_good(&all) && c->turn < ARRAY_LEN(schema_tables))
		return;
	all.duration_ms = c->schema_ms;
	all.out = c->rows.n ? (struct slice){ c->rows.p, c->rows.n } : (struct slice){ NULL, 0 };
	errand_end(c, ERRAND_SCHEMA, live_is_good(&all));
	conversation_hand(c, ev, c->schema_texts, &all);
	buf_free(&c->rows);
	c->turn = ARRAY_LEN(schema_tables);
}

/* ---- disks, histograms ---- */

static enum made ask_disk_usage(struct conversation *c)
{
	const char *text = "df -P -k";

	if (c->turn || !c->roots.paths.n)
		return MADE_NOTHING;
	for (size_t i = 0; i < c->roots.paths.n; i++)
		text = arena_printf(c->arena, "%s %s", text,
				    quote_shell(c->arena, c->roots.paths.v[i]));
	conversation_ask(c, "df", text);
	for (size_t i = 0; i < c->roots.paths.n; i++)
		(void)conversation_add(c, c->roots.paths.v[i]);
	return MADE_REQUEST;
}

static void take_disk_usage(struct conversation *c, const struct run_result *r)
{
	conversation_hand(c, (struct evidence){ .kind = EV_DISK_USAGE }, c->request.command, r);
}

/* Which tables these are is decided once: another node's schema may come meanwhile. */
static bool histograms_of(struct conversation *c, struct evidence *ev)
{
	struct live_tables *tables = &c->histograms;

	if (!c->has_histograms)
		c->o->guide->tables(c->o->guide->ctx, c->node->name, c->arena, tables);
	c->has_histograms = true;
	if (c->turn >= tables->list.n)
		return false;
	*ev = (struct evidence){ .kind = EV_TABLEHISTOGRAMS,
				 .keyspace = tables->list.v[c->turn].keyspace,
				 .table = tables->list.v[c->turn].table };
	return true;
}

/*
 * From here on errands are waited for: the schema tells of which tables there are histograms, and
 * when a node could not run its errand the next one does.
 */
static enum made begin_late(struct conversation *c)
{
	c->late = true;
	return MADE_NOTHING;
}

static enum made ask_histograms(struct conversation *c)
{
	struct evidence ev;

	for (; histograms_of(c, &ev); c->turn++) {
		const char *const words[] = { "tablehistograms", ev.keyspace, ev.table, NULL };

		if (ask_nodetool(c, ev, words))
			return MADE_REQUEST;
	}
	return MADE_NOTHING;
}

static void take_histograms(struct conversation *c, const struct run_result *r)
{
	struct evidence ev;

	c->turn--;
	note_nodetool(c, r);
	if (histograms_of(c, &ev))
		conversation_hand(c, ev, c->request.command, r);
	c->turn++;
}

/* ---- the order ---- */

/* What matters most comes first: time may be short. */
static const struct {
	enum made (*ask)(struct conversation *c);
	void (*take)(struct conversation *c, const struct run_result *r);
} steps[] = {
	{ ask_hello, take_hello },
	{ ask_version, take_version },
	{ ask_datapaths, take_datapaths },
	{ ask_schema, take_schema },
	{ tables_list, tables_take_list },
	{ tables_fetch, tables_take_fetch },
	{ tables_list_again, tables_take_list },
	{ tables_fetch, tables_take_fetch },
	{ tables_settle, NULL },
	{ ask_tablestats, take_tablestats },
	{ ask_compactionstats, take_compactionstats },
	{ ask_status, take_status },
	{ ask_autocompaction, take_autocompaction },
	{ ask_describecluster, take_describecluster },
	{ ask_info, take_info },
	{ ask_disk_usage, take_disk_usage },
	{ tool_ask, tool_take },
	{ begin_late, NULL },
	{ ask_schema, take_schema },
	{ ask_status, take_status },
	{ ask_describecluster, take_describecluster },
	{ ask_info, take_info },
	{ ask_histograms, take_histograms },
};

struct conversation *conversation_create(struct arena *a, const struct remote_options *o,
					 const struct remote_node *node, struct errands *errands,
					 evidence_fn *each, void *ctx)
{
	struct conversation *c = arena_alloc(a, sizeof(*c));

	c->arena = a;
	c->o = o;
	c->node = node;
	c->errands = errands;
	c->each = each;
	c->ctx = ctx;
	errands_join(c);
	return c;
}

void conversation_begin(struct conversation *c, const char *address, const char *transport)
{
	c->address = address;
	c->transport = transport;
}

const struct remote_request *conversation_next(struct conversation *c)
{
	while (!c->over && c->step < ARRAY_LEN(steps)) {
		switch (steps[c->step].ask(c)) {
		case MADE_REQUEST:
			c->asked = true;
			c->request.input = (struct slice){ c->input.p, c->input.n };
			return &c->request;
		case MADE_WAIT:
			return NULL;
		case MADE_NOTHING:
			c->step++;
			c->turn = 0;
			break;
		}
	}
	c->over = true;
	return NULL;
}

bool conversation_is_over(const struct conversation *c)
{
	return c->over;
}

void conversation_take(struct conversation *c, const struct run_result *answer)
{
	c->asked = false;
	c->turn++;
	steps[c->step].take(c, answer);
}

const char *conversation_doing(const struct conversation *c)
{
	return c->asked ? c->request.command : NULL;
}

/* ---- the end before the end ---- */

static const enum evidence_kind needed[] = {
	EV_VERSION, EV_TABLESTATS, EV_COMPACTIONSTATS, EV_TABLEHISTOGRAMS,
};

void conversation_fail(struct conversation *c, const struct err *why)
{
	const char *command = arena_printf(c->arena, "ssh %s",
					   quote_shell(c->arena, c->node->host));
	int status = why->kind == ERR_TIMEOUT ? RUN_TIMEOUT : SSH_FAILED;

	if (c->over)
		return;
	c->over = true;
	for (int i = 0; i < ERRANDS; i++)
		errand_end(c, (enum errand_kind)i, false);
	if (!(c->had & EV_NODE))
		hand_node(c, (struct opt_i64){ 0 });
	tables_give_up(c, command, status, why->text);
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (!(c->had & (unsigned)needed[i]) || needed[i] == EV_TABLEHISTOGRAMS)
			conversation_miss(c, (struct evidence){ .kind = needed[i] }, command,
					  status, why->text);
}

void conversation_close(struct conversation *c)
{
	buf_free(&c->input);
	buf_free(&c->rows);
}
