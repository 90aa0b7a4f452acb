/*
 * Loose texts: lines are cleaned, gathered to pieces of one command's output each, and each piece
 * is handed to its parser when it ends.
 *
 * A piece that stands in the text as it is is handed on without a copy; its lines are copied once
 * one of them had to be changed, when lines of others stand in between, or when the text goes on in
 * a later call (a stream). A long piece of a stream is handed on in parts, cut before a table's
 * heading or an SSTable's record, so that memory stays bounded.
 */
#include "parse/loose.h"

enum {
	PART_MAX = 16 << 20,		/* from here on a piece is cut where that is safe */
	HOLD_MAX = LOOSE_HOLD_MAX,	/* a piece that cannot be cut ends here */
	LANES_MAX = 4096, LOOK_MAX = 4096, QUOTE_MAX = 60,
};

static size_t indent_of(struct slice line)
{
	size_t n = 0;

	while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	return n;
}

/* ---- long pieces ---- */

/*
 * A stream's piece is long enough: hand on what there is of it, and go on with its headings made up
 * anew. Only before a table's or an SSTable's first line.
 */
static void cut_long_piece(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
			   struct slice line, struct line_sign sign)
{
	struct loose_piece *p = &lane->piece;
	const char *keyspace = p->keyspace;

	if (loose_piece_size(p) < PART_MAX || p->in_keys)
		return;
	if (p->kind == LOOSE_METADATA && sign.role == LINE_STARTS) {
		loose_piece_end(c, t, lane);
		loose_piece_begin(t, lane, line, sign);
	} else if (p->kind == LOOSE_TABLESTATS && loose_starts_with(line, "Table: ")) {
		loose_piece_copy(p);
		if (keyspace)
			buf_str(&p->copy, "----------------\n");
		loose_piece_end(c, t, lane);
		loose_piece_begin(t, lane, line, (struct line_sign){ LOOSE_TABLESTATS,
			LINE_JOINS });
		p->values = true;
		p->keyspace = keyspace;
		p->copied = true;
		if (!keyspace)
			return;
		buf_printf(&p->copy, "----------------\nKeyspace : %s\n", keyspace);
		p->put_before = 2;
	}
}

static void refuse_long_piece(struct cluster *c, struct loose_text *t, struct loose_lane *lane)
{
	const struct loose_form *form = &loose_forms[lane->piece.kind];

	if (loose_piece_size(&lane->piece) < HOLD_MAX)
		return;
	loose_complain(c, t, lane, form->kind,
		       arena_printf(c->arena, "%s: %s of more than 128 MiB in one piece",
				    t->about.path, form->name));
	lane->piece.kind = LOOSE_NONE;
}

/* ---- lines ---- */

static void note_unknown(struct loose_text *t, struct arena *a, struct slice line)
{
	struct slice s = slice_trim(line);
	bool letters = false;

	for (size_t i = 0; i < s.n && !letters; i++)
		letters = s.p[i] != '-' && s.p[i] != '=' && s.p[i] != '#' && s.p[i] != '*' &&
			  s.p[i] != '_';
	if (t->unknown || !letters)
		return;
	if (s.n > QUOTE_MAX)
		s.n = QUOTE_MAX;
	t->unknown = arena_copy(a, s);
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)t->unknown[i] < ' ' || t->unknown[i] == 0x7f)
			t->unknown[i] = '?';
}

/* What only the command tells: "running" of statusautocompaction. */
static struct line_sign sign_by_hint(const struct loose_text *t, const struct loose_lane *lane,
				     struct slice line)
{
	unsigned kind = lane->prompt.kind ? lane->prompt.kind : lane->heading.kind;
	struct slice s = slice_trim(line);

	kind = kind ? kind : t->place.kind;
	if (kind == EV_STATUSAUTOCOMPACTION &&
	    (slice_eq(s, SLICE("running")) || slice_eq(s, SLICE("not running"))))
		return (struct line_sign){ LOOSE_AUTOCOMPACTION, LINE_JOINS };
	return (struct line_sign){ LOOSE_NONE, LINE_OTHER };
}

static void take_content(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
			 struct slice line, struct line_sign sign, struct slice raw, bool whole)
{
	struct loose_piece *p = &lane->piece;

	if (p->kind && !loose_piece_continues(p, line, sign))
		loose_piece_end(c, t, lane);
	if (!p->kind && sign.role == LINE_OTHER)
		sign = sign_by_hint(t, lane, line);
	if (!p->kind) {
		if (sign.role == LINE_OTHER || lane->prompt.unused) {
			if (!lane->prompt.unused)
				note_unknown(t, c->arena, line);
			return;
		}
		loose_piece_begin(t, lane, line, sign);
	} else {
		cut_long_piece(c, t, lane, line, sign);
	}
	loose_piece_add(c, t, lane, line, sign, raw, whole);
	if (p->kind == LOOSE_JSON && !p->open)
		loose_piece_end(c, t, lane);
	else
		refuse_long_piece(c, t, lane);
}

static bool is_rule(struct slice line)
{
	if (line.n < 8)
		return false;
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != '-' && line.p[i] != ':')
			return false;
	return true;
}

/* Of tools that ask many hosts: the name between two rules of dashes, or of colons (files). */
static bool read_ruled_name(const struct loose_lane *lane, struct slice line,
			    struct command_hint *h)
{
	struct slice name = slice_trim(line);

	if (!lane->ruled || !name.n || slice_find(name, ' ') < name.n || !prompt_is_host(name))
		return false;
	*h = (struct command_hint){ .host = name };
	return true;
}

static void set_heading(struct cluster *c, struct loose_lane *lane, const struct command_hint *h)
{
	lane->prompt = (struct loose_hint){ 0 };
	if (!h->path.n || h->kind || h->host.n) {
		lane->heading = loose_hint_copy(c->arena, h);
		return;
	}
	lane->heading = loose_place(c->arena, arena_copy(c->arena, h->path));
	lane->heading.host = loose_path_host(c->arena, h->path);
}

/* Prompts and headings end a piece. False: the line is (what it leaves in *line is) content. */
static bool take_prompt(struct cluster *c, struct loose_text *t, struct loose_lane *lane,
			struct slice *line)
{
	struct loose_piece *p = &lane->piece;
	struct line_sign none = { LOOSE_NONE, LINE_OTHER };
	bool within = p->kind && loose_piece_is_within(p, none);
	struct command_hint h;

	if (prompt_read(*line, &h)) {
		if (within && !h.kind)
			return false;
		loose_piece_end(c, t, lane);
		lane->prompt = loose_hint_copy(c->arena, &h);
		*line = h.rest;
		return h.rest.n == 0 || recognise_line(h.rest).kind != LOOSE_SCHEMA;
	}
	if (within || (!prompt_heading(*line, &h) && !read_ruled_name(lane, *line, &h)))
		return false;
	loose_piece_end(c, t, lane);
	set_heading(c, lane, &h);
	lane->ruled = false;
	return true;
}

static struct loose_lane *lane_of(struct cluster *c, struct loose_text *t, struct slice host)
{
	struct loose_lane *lane;

	for (size_t i = 0; i < t->lanes.n; i++)
		if (slice_eq(slice_of(t->lanes.v[i]->host), host))
			return t->lanes.v[i];
	if (t->lanes.n >= LANES_MAX)
		return t->lanes.v[0];
	lane = arena_alloc(c->arena, sizeof(*lane));
	lane->host = host.n ? arena_copy(c->arena, host) : NULL;
	*vec_add(c->arena, &t->lanes) = lane;
	return lane;
}

static bool is_known_host(const struct loose_text *t, struct slice host)
{
	for (size_t i = 0; i < t->lanes.n; i++)
		if (host.n && slice_eq(slice_of(t->lanes.v[i]->host), host))
			return true;
	return false;
}

/* Is what follows a prefix a line of an output, so that it must be one? */
static bool reveals_output(const struct loose_text *t, struct slice line, const struct prefix *p)
{
	struct line_sign sign = recognise_line(slice_from(line, p->n));

	if (p->shape == PREFIX_COLON && !prompt_is_host(p->host))
		return false;	/* "RegularColumns: {...}" */
	if (t->lane->piece.kind)
		return sign.role == LINE_STARTS && sign.kind != LOOSE_JSON;
	return sign.role != LINE_OTHER;
}

/* A prefix counts when what follows it is a line of an output, or the text has it anyway. */
static bool find_prefix(const struct loose_text *t, struct slice line, struct prefix *out)
{
	enum prefix_shape from = PREFIX_NONE;

	if (t->shape && clean_prefix_of(line, t->shape, out)) {
		if (t->shape == PREFIX_TIME || t->shape == PREFIX_LEVEL ||
		    is_known_host(t, out->host))
			return true;
		return reveals_output(t, line, out);
	}
	while (clean_prefix(line, from, out)) {
		if (reveals_output(t, line, out))
			return true;
		from = out->shape;
	}
	return false;
}

static bool may_have_prefix(const struct loose_text *t, struct slice line)
{
	char c = line.n ? line.p[0] : ' ';

	if (c == ' ' || c == '\t')
		return false;
	return t->shape || slice_find(line, ':') < line.n || slice_find(line, '|') < line.n ||
	       c == '[';
}

/*
 * Most lines of a long text: numbers within tablestats and histograms within sstablemetadata, that
 * can be nothing else. Looking at them closely would take most of the time.
 */
static bool is_inner_line(const struct loose_text *t, const struct loose_piece *p,
			  struct slice line, struct line_sign *sign)
{
	size_t n = 0;

	if (t->shape || p->indent_n || !line.n)
		return false;
	if (p->kind == LOOSE_TABLESTATS && line.p[0] == '\t') {
		n = indent_of(line);
		*sign = (struct line_sign){ LOOSE_TABLESTATS, LINE_JOINS };
		return n < line.n && line.p[n] != 'T' && line.p[n] != 'P' && line.p[n] != 'K' &&
		       line.p[n] >= 'A' && line.p[n] <= 'Z';
	}
	if (p->kind != LOOSE_METADATA)
		return false;
	n = indent_of(line);
	*sign = (struct line_sign){ LOOSE_NONE, LINE_OTHER };
	return n + 5 < line.n && line.p[n] >= '0' && line.p[n] <= '9' && line.p[n + 4] != '-' &&
	       (slice_find(line, '|') < line.n ||
		(slice_find(line, '%') == line.n && slice_find(line, '/') == line.n &&
		 slice_find(line, '$') == line.n && slice_find(line, '>') == line.n &&
		 slice_find(line, '#') == line.n));
}

static void take_line(struct cluster *c, struct loose_text *t, struct slice raw_line,
		      struct slice raw, bool whole)
{
	struct slice line = clean_line(&c->loose->cleaner, raw_line);
	struct loose_lane *lane = t->lane;
	struct line_sign sign;
	struct prefix prefix;

	t->line++;
	if (is_inner_line(t, &lane->piece, line, &sign)) {
		lane->ruled = false;
		take_content(c, t, lane, line, sign, raw, whole);
		return;
	}
	if (clean_is_fence(line)) {
		loose_piece_end(c, t, lane);
		return;
	}
	line = clean_unquote(line);
	sign = recognise_line(line);
	if (sign.role == LINE_OTHER && take_prompt(c, t, lane, &line))
		return;
	if (sign.role == LINE_OTHER && may_have_prefix(t, line) && find_prefix(t, line, &prefix)) {
		t->shape = prefix.shape;
		t->lane = lane = lane_of(c, t, prefix.host);
		line = slice_from(line, prefix.n);
		sign = recognise_line(line);
		if (sign.role == LINE_OTHER && take_prompt(c, t, lane, &line))
			return;
	}
	if (sign.role == LINE_OTHER && line.p != raw_line.p)
		sign = recognise_line(line);
	lane->ruled = is_rule(line);
	take_content(c, t, lane, line, sign, raw, whole);
}

/* ---- texts ---- */

static void text_open(struct cluster *c, const struct evidence *ev)
{
	struct loose_text *t = &c->loose->text;

	*t = (struct loose_text){ .about = *ev, .started = true };
	c->loose->cleaner.marked = false;
	t->about.path = arena_strdup(c->arena, ev->path ? ev->path : "-");
	t->about.node = arena_strdup(c->arena, ev->node ? ev->node : "-");
	t->about.relative = NULL;
	t->about.out = (struct slice){ "", 0 };
	t->place = loose_place(c->arena, t->about.path);
	t->lane = lane_of(c, t, (struct slice){ "", 0 });
	buf_init(&t->carry, HOLD_MAX);
	t->utf16 = slice_starts(ev->out, SLICE("\xff\xfe")) ||
		   slice_starts(ev->out, SLICE("\xfe\xff"));
}

/* What does not fit is a cut document: it is not read half. */
static void refuse_long_line(struct cluster *c, struct loose_text *t)
{
	if (!t->carry.truncated)
		return;
	loose_complain(c, t, t->lane, EV_LOOSE,
		       arena_printf(c->arena, "%s:%u: a line of more than 128 MiB",
				    t->about.path, t->line + 1));
	t->carry.n = 0;
	t->carry.truncated = false;
}

static void take_text(struct cluster *c, struct loose_text *t, struct slice text, bool more)
{
	while (text.n) {
		size_t end = slice_find(text, '\n');
		bool whole = end < text.n;
		struct slice raw = { text.p, whole ? end + 1 : text.n };

		if (!whole && more) {	/* the rest of the line comes with the next call */
			buf_add(&t->carry, text.p, text.n);
			refuse_long_line(c, t);
			return;
		}
		if (t->carry.n) {
			buf_add(&t->carry, raw.p, raw.n);
			take_line(c, t, (struct slice){ t->carry.p, t->carry.n - whole },
				  (struct slice){ t->carry.p, t->carry.n }, whole);
			loose_piece_copy(&t->lane->piece);
			t->carry.n = 0;
		} else {
			take_line(c, t, (struct slice){ raw.p, end }, raw, whole);
		}
		text = slice_from(text, raw.n);
	}
	if (!more && t->carry.n) {	/* nothing came after the beginning of a line */
		take_line(c, t, (struct slice){ t->carry.p, t->carry.n },
			  (struct slice){ t->carry.p, t->carry.n }, false);
		loose_piece_copy(&t->lane->piece);
		t->carry.n = 0;
	}
}

/* Files of an old kind of machine, or a terminal's log: carriage returns alone end lines. */
static bool has_only_returns(struct slice text)
{
	return text.n && !memchr(text.p, '\n', text.n) && memchr(text.p, '\r', text.n);
}

static void take_returns(struct cluster *c, struct loose_text *t, struct slice text)
{
	struct buf copy;

	buf_init(&copy, SIZE_MAX / 2);
	buf_add(&copy, text.p, text.n);
	for (size_t i = 0; i < copy.n; i++)
		if (copy.p[i] == '\r')
			copy.p[i] = '\n';
	take_text(c, t, (struct slice){ copy.p, copy.n }, false);
	for (size_t i = 0; i < t->lanes.n; i++)
		loose_piece_copy(&t->lanes.v[i]->piece);
	buf_free(&copy);
}

static void take_utf16(struct cluster *c, struct loose_text *t)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	(void)clean_utf16((struct slice){ t->carry.p, t->carry.n }, &text);
	t->carry.n = 0;
	cleaner_look(&c->loose->cleaner, (struct slice){ text.p, text.n });
	take_text(c, t, (struct slice){ text.p, text.n }, false);
	for (size_t i = 0; i < t->lanes.n; i++)
		loose_piece_copy(&t->lanes.v[i]->piece);
	buf_free(&text);
}

static bool is_binary(struct slice text)
{
	struct slice head = text;

	if (head.n > LOOK_MAX)
		head.n = LOOK_MAX;
	return head.n && memchr(head.p, '\0', head.n);
}

/* Nothing of it is an output that is known. */
static void text_unknown(struct cluster *c, struct loose_text *t)
{
	struct arena *a = c->arena;
	const char *note;

	if (t->place.kind && !t->unknown) {
		/* no blockers: the tool prints nothing */
		if (t->place.kind != EV_EXPIREDBLOCKERS)
			loose_complain(c, t, t->lane, (enum evidence_kind)t->place.kind,
				       arena_printf(a, "%s: the output is empty", t->about.path));
		return;
	}
	if (!t->unknown || t->place.unused)
		return;
	note = arena_printf(a, "%s: no output in it that is known; it begins with '%s'",
			    t->about.path, t->unknown);
	loose_note_time(c->loose, &t->about);
	*vec_add(a, &c->loose->unknown) = note;
	*vec_add(a, &c->loose->unknown_path) = t->about.path;
}

static void text_end(struct cluster *c, struct loose_text *t)
{
	if (t->utf16)
		take_utf16(c, t);
	for (size_t i = 0; i < t->lanes.n; i++)
		loose_piece_end(c, t, t->lanes.v[i]);
	if (!t->n_pieces)
		text_unknown(c, t);
	loose_text_close(t);
}

static struct loose_state *state_of(struct cluster *c)
{
	if (!c->loose) {
		c->loose = arena_alloc(c->arena, sizeof(*c->loose));
		cleaner_open(&c->loose->cleaner);
	}
	return c->loose;
}

void parse_loose(struct cluster *c, const struct evidence *ev)
{
	struct loose_state *s = state_of(c);
	struct loose_text *t = &s->text;

	if (!t->started)
		text_open(c, ev);
	if (ev->err.kind != ERR_NONE) {
		*vec_add(c->arena, &s->unknown) = err_text(c->arena, &ev->err);
		*vec_add(c->arena, &s->unknown_path) = t->about.path;
		t->n_pieces++;
		text_end(c, t);
		return;
	}
	cleaner_look(&s->cleaner, ev->out);
	if (t->utf16) {
		buf_add(&t->carry, ev->out.p, ev->out.n);
	} else if (t->line == 0 && is_binary(ev->out)) {
		if (!t->unknown)
			t->unknown = arena_strdup(c->arena, "bytes that are no text");
	} else if (!t->place.unused) {
		if (t->line == 0 && !t->carry.n && !ev->more && has_only_returns(ev->out))
			take_returns(c, t, ev->out);
		else
			take_text(c, t, ev->out, ev->more);
	}
	if (ev->more) {
		for (size_t i = 0; i < t->lanes.n; i++)
			loose_piece_copy(&t->lanes.v[i]->piece);
	} else {
		text_end(c, t);
	}
}
