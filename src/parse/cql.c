/* See cql.h. */
#include "parse/cql.h"

enum { MAP_MAX = 64, UUID_LENGTH = 36 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_byte(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The byte at an offset from the current one; 0 past the end. */
static char peek(const struct cql *c, size_t ahead)
{
	return c->pos + ahead < c->text.n ? c->text.p[c->pos + ahead] : '\0';
}

static bool at_end(const struct cql *c)
{
	return c->pos >= c->text.n;
}

static void step(struct cql *c)
{
	if (c->text.p[c->pos++] == '\n') {
		c->line++;
		c->line_start = c->pos;
	}
}

static void skip_to_line_end(struct cql *c)
{
	while (!at_end(c) && peek(c, 0) != '\n')
		c->pos++;
}

static void skip_block_comment(struct cql *c)
{
	c->pos += 2;
	while (!at_end(c) && !(peek(c, 0) == '*' && peek(c, 1) == '/'))
		step(c);
	c->pos = c->pos + 2 < c->text.n ? c->pos + 2 : c->text.n;
}

static void skip_blanks(struct cql *c)
{
	while (!at_end(c)) {
		char b = peek(c, 0), next = peek(c, 1);

		if (b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == '\f')
			step(c);
		else if ((b == '-' && next == '-') || (b == '/' && next == '/'))
			skip_to_line_end(c);
		else if (b == '/' && next == '*')
			skip_block_comment(c);
		else
			return;
	}
}

/* Length of a UUID at the current position; 0 = none. */
static size_t uuid_length(const struct cql *c)
{
	for (size_t i = 0; i < UUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? peek(c, i) != '-' : !is_hex(peek(c, i)))
			return 0;
	}
	return is_word_byte(peek(c, UUID_LENGTH)) ? 0 : UUID_LENGTH;
}

/* To behind the closing quote; a doubled quote is one inside. False when it is not closed. */
static bool pass_quoted(struct cql *c, char quote)
{
	c->pos++;
	while (!at_end(c)) {
		if (peek(c, 0) != quote) {
			step(c);
		} else if (peek(c, 1) == quote) {
			c->pos += 2;
		} else {
			c->pos++;
			return true;
		}
	}
	return false;
}

static bool pass_dollars(struct cql *c)
{
	c->pos += 2;
	while (!at_end(c)) {
		if (peek(c, 0) == '$' && peek(c, 1) == '$') {
			c->pos += 2;
			return true;
		}
		step(c);
	}
	return false;
}

static void pass_number(struct cql *c)
{
	while (is_digit(peek(c, 0)))
		c->pos++;
	if (peek(c, 0) == '.' && is_digit(peek(c, 1)))
		for (c->pos++; is_digit(peek(c, 0));)
			c->pos++;
	if (lower(peek(c, 0)) == 'e') {
		size_t sign = peek(c, 1) == '-' || peek(c, 1) == '+';

		if (is_digit(peek(c, 1 + sign)))
			for (c->pos += 1 + sign; is_digit(peek(c, 0));)
				c->pos++;
	}
}

/* Passes over one token; false when it has no end. */
static bool pass_token(struct cql *c, enum cql_kind *kind)
{
	char b = peek(c, 0);
	size_t n;

	if (b == '\'' || b == '"') {
		*kind = b == '"' ? CQL_QUOTED : CQL_STRING;
		return pass_quoted(c, b);
	}
	if (b == '$' && peek(c, 1) == '$') {
		*kind = CQL_STRING;
		return pass_dollars(c);
	}
	n = is_hex(b) ? uuid_length(c) : 0;
	if (n) {
		*kind = CQL_UUID;
		c->pos += n;
	} else if (is_digit(b)) {
		*kind = CQL_NUMBER;
		pass_number(c);
	} else if (is_word_byte(b)) {
		*kind = CQL_WORD;
		while (is_word_byte(peek(c, 0)))
			c->pos++;
	} else {
		*kind = CQL_PUNCT;
		step(c);
	}
	return true;
}

static bool only_blanks_before(const struct cql *c)
{
	for (size_t i = c->line_start; i < c->pos; i++)
		if (c->text.p[i] != ' ' && c->text.p[i] != '\t')
			return false;
	return true;
}

void cql_next(struct cql *c)
{
	struct cql_token *t = &c->now;
	size_t start;
	bool closed = true;

	skip_blanks(c);
	*t = (struct cql_token){ .line = c->line, .text = { c->text.p + c->pos, 0 } };
	if (at_end(c)) {
		t->cut = true;
		return;
	}
	start = c->pos;
	t->first = only_blanks_before(c);
	closed = pass_token(c, &t->kind);
	t->text.n = c->pos - start;
	t->cut = !closed || (at_end(c) && t->kind != CQL_PUNCT);
}

struct cql cql_open(struct slice text)
{
	struct cql c = { .text = lines_of(text).rest, .line = 1 };

	cql_next(&c);
	return c;
}

void cql_skip_line(struct cql *c)
{
	/* back to the token: it may be a string that runs over many lines */
	if (c->now.kind == CQL_END)
		return;
	c->pos = (size_t)(c->now.text.p - c->text.p);
	c->line = c->now.line;
	skip_to_line_end(c);
	cql_next(c);
}

bool cql_is(const struct cql *c, char punct)
{
	return c->now.kind == CQL_PUNCT && c->now.text.p[0] == punct;
}

bool cql_is_word(const struct cql *c, const char *word)
{
	const struct cql_token *t = &c->now;

	if (t->kind != CQL_WORD || t->text.n != strlen(word))
		return false;
	for (size_t i = 0; i < t->text.n; i++)
		if (lower(t->text.p[i]) != word[i])
			return false;
	return true;
}

bool cql_take(struct cql *c, char punct)
{
	if (!cql_is(c, punct))
		return false;
	cql_next(c);
	return true;
}

bool cql_take_word(struct cql *c, const char *word)
{
	if (!cql_is_word(c, word))
		return false;
	cql_next(c);
	return true;
}

bool cql_skip_brackets(struct cql *c)
{
	size_t depth = 0;

	do {
		if (c->now.kind == CQL_END || c->now.cut)
			return false;
		if (cql_is(c, '(') || cql_is(c, '{') || cql_is(c, '['))
			depth++;
		else if (cql_is(c, ')') || cql_is(c, '}') || cql_is(c, ']'))
			depth--;
		cql_next(c);
	} while (depth);
	return true;
}

/* Without quotes and with doubled quotes made single. */
static char *unquote(struct arena *a, struct slice s, char quote)
{
	char *text = arena_alloc(a, s.n + 1), *p = text;

	for (size_t i = 0; i < s.n; i++) {
		*p++ = s.p[i];
		if (s.p[i] == quote && i + 1 < s.n && s.p[i + 1] == quote)
			i++;
	}
	return text;
}

const char *cql_name(struct arena *a, const struct cql_token *t)
{
	char *p;

	if (t->kind == CQL_QUOTED)
		return unquote(a, (struct slice){ t->text.p + 1, t->text.n - 2 }, '"');
	p = arena_copy(a, t->text);
	for (char *b = p; *b; b++)
		*b = lower(*b);
	return p;
}

static const char *string_text(struct arena *a, struct slice s)
{
	if (s.p[0] == '$')
		return arena_copy(a, (struct slice){ s.p + 2, s.n - 4 });
	return unquote(a, (struct slice){ s.p + 1, s.n - 2 }, '\'');
}

/* A string, number, word or UUID; moves on only when it is one and is whole. */
static bool plain_value(struct arena *a, struct cql *c, const char **text)
{
	bool negative = cql_is(c, '-');
	struct cql_token t;

	if (negative)
		cql_next(c);
	t = c->now;
	if (t.cut || t.kind == CQL_PUNCT || t.kind == CQL_QUOTED || t.kind == CQL_END)
		return false;
	if (negative && t.kind != CQL_NUMBER)
		return false;
	cql_next(c);
	if (t.kind == CQL_STRING)
		*text = string_text(a, t.text);
	else if (negative)
		*text = arena_printf(a, "-%.*s", (int)t.text.n, t.text.p);
	else
		*text = arena_copy(a, t.text);
	return true;
}

/* How many elements a list or set of plain values has, as a text; passes over it. */
static bool count_elements(struct arena *a, struct cql *c, const char **text)
{
	struct cql ahead = *c;
	unsigned n = 0, depth = 0;

	if (!cql_skip_brackets(c))
		return false;
	while (ahead.now.text.p < c->now.text.p) {
		bool opens = cql_is(&ahead, '[') || cql_is(&ahead, '{') || cql_is(&ahead, '(');
		bool closes = cql_is(&ahead, ']') || cql_is(&ahead, '}') || cql_is(&ahead, ')');

		if (depth == 1 && !opens && !closes && !cql_is(&ahead, ','))
			n++;
		depth += opens;
		depth -= closes;
		cql_next(&ahead);
	}
	*text = arena_printf(a, "%u", n);
	return true;
}

static bool map_element(struct arena *a, struct cql *c, const char **value)
{
	*value = NULL;
	if (cql_is(c, '['))
		return count_elements(a, c, value);
	if (cql_is(c, '{') || cql_is(c, '('))
		return cql_skip_brackets(c);
	return plain_value(a, c, value);
}

/* After the opening brace, up to and with the closing one. `*is_map` false = a set. */
static bool read_map(struct arena *a, struct cql *c, struct option_map *m, bool *is_map)
{
	while (!cql_take(c, '}')) {
		const char *key, *value;

		if (!map_element(a, c, &key))
			return false;
		if (cql_take(c, ':')) {
			if (!key || !map_element(a, c, &value) || m->entries.n >= MAP_MAX)
				return false;
			option_map_set(a, m, key, value);
		} else {
			*is_map = false;
		}
		if (!cql_take(c, ',') && !cql_is(c, '}'))
			return false;
	}
	return true;
}

bool cql_value(struct arena *a, struct cql *c, const char **text, const struct option_map **map)
{
	struct option_map *m;
	bool is_map = true;

	*text = NULL;
	*map = NULL;
	if (cql_is(c, '[') || cql_is(c, '('))
		return cql_skip_brackets(c);
	if (!cql_take(c, '{'))
		return plain_value(a, c, text);
	m = arena_alloc(a, sizeof(*m));
	if (!read_map(a, c, m, &is_map))
		return false;
	if (is_map)
		*map = m;
	return true;
}
