/* Walking over a JSON text as it stands (RFC 8259). See json_walk.h. */
#include "parse/json_walk.h"

#include "base/slice.h"

static bool stop(struct json_walk *w, const char *problem)
{
	if (!w->problem)
		w->problem = problem;
	return false;
}

static bool is_end(const struct json_walk *w)
{
	return w->at >= w->text.n;
}

char json_walk_peek(struct json_walk *w)
{
	while (!is_end(w)) {
		char c = w->text.p[w->at];

		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return c;
		w->at++;
	}
	return '\0';
}

/* Take one mark; `cut` is what the text's end means here. */
static bool take(struct json_walk *w, char mark, const char *problem, const char *cut)
{
	char c = json_walk_peek(w);

	if (w->problem)
		return false;
	if (is_end(w))
		return stop(w, cut);
	if (c != mark)
		return stop(w, problem);
	w->at++;
	return true;
}

bool json_walk_string(struct json_walk *w, struct slice *string)
{
	size_t start;

	if (!take(w, '"', "a string is expected", "cut off"))
		return false;
	start = w->at;
	for (; !is_end(w); w->at++) {
		if (w->text.p[w->at] == '"') {
			*string = (struct slice){ w->text.p + start, w->at - start };
			w->at++;
			return true;
		}
		w->at += w->text.p[w->at] == '\\';
	}
	w->at = w->text.n;
	return stop(w, "cut off within a string");
}

static size_t digits(struct json_walk *w)
{
	size_t start = w->at;

	while (!is_end(w) && w->text.p[w->at] >= '0' && w->text.p[w->at] <= '9')
		w->at++;
	return w->at - start;
}

static bool is_at(const struct json_walk *w, char x, char y)
{
	return !is_end(w) && (w->text.p[w->at] == x || w->text.p[w->at] == y);
}

bool json_walk_number(struct json_walk *w, struct slice *number)
{
	size_t start, whole;
	bool fine;

	json_walk_peek(w);
	start = w->at;
	if (w->problem)
		return false;
	w->at += is_at(w, '-', '-');
	whole = digits(w);
	fine = whole == 1 || (whole && w->text.p[w->at - whole] != '0');
	if (fine && is_at(w, '.', '.')) {
		w->at++;
		fine = digits(w) > 0;
	}
	if (fine && is_at(w, 'e', 'E')) {
		w->at++;
		w->at += is_at(w, '+', '-');
		fine = digits(w) > 0;
	}
	/* A number at the text's end could go on. */
	if (is_end(w))
		return stop(w, "cut off within a number");
	if (!fine) {
		w->at = start;
		return stop(w, "a number is expected");
	}
	*number = (struct slice){ w->text.p + start, w->at - start };
	return true;
}

static bool take_word(struct json_walk *w)
{
	static const struct slice words[] = {
		{ "true", 4 }, { "false", 5 }, { "null", 4 },
	};
	struct slice rest = slice_from(w->text, w->at);

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (slice_starts(rest, words[i])) {
			w->at += words[i].n;
			return true;
		}
		if (rest.n < words[i].n && slice_starts(words[i], rest)) {
			w->at = w->text.n;
			return stop(w, "cut off within a word");
		}
	}
	return stop(w, "no value of JSON");
}

bool json_walk_member(struct json_walk *w, bool *first, struct slice *key)
{
	bool begins = *first;

	*first = false;
	if (begins && !take(w, '{', "an object is expected", "cut off"))
		return false;
	if (json_walk_peek(w) == '}' && !w->problem) {
		w->at++;
		return false;
	}
	if (!begins && !take(w, ',', "a comma is expected", "cut off within an object"))
		return false;
	if (is_end(w) || (json_walk_peek(w), is_end(w)))
		return stop(w, "cut off within an object");
	return json_walk_string(w, key) &&
	       take(w, ':', "a colon is expected", "cut off behind a name");
}

bool json_walk_element(struct json_walk *w, bool *first)
{
	bool begins = *first;

	*first = false;
	if (begins && !take(w, '[', "a list is expected", "cut off"))
		return false;
	if (json_walk_peek(w) == ']' && !w->problem) {
		w->at++;
		return false;
	}
	if (!begins && !take(w, ',', "a comma is expected", "cut off within a list"))
		return false;
	json_walk_peek(w);
	return is_end(w) ? stop(w, "cut off within a list") : !w->problem;
}

static bool skip(struct json_walk *w, unsigned depth)
{
	bool first = true;
	struct slice text;
	char c = json_walk_peek(w);

	if (w->problem)
		return false;
	if (is_end(w))
		return stop(w, "cut off");
	if (depth > JSON_DEPTH_MAX)
		return stop(w, "too many levels");
	if (c == '"')
		return json_walk_string(w, &text);
	if (c == '-' || (c >= '0' && c <= '9'))
		return json_walk_number(w, &text);
	if (c == '{') {
		while (json_walk_member(w, &first, &text))
			if (!skip(w, depth + 1))
				return false;
		return !w->problem;
	}
	if (c == '[') {
		while (json_walk_element(w, &first))
			if (!skip(w, depth + 1))
				return false;
		return !w->problem;
	}
	return take_word(w);
}

bool json_walk_skip(struct json_walk *w)
{
	return skip(w, 0);
}

void json_walk_place(const struct json_walk *w, unsigned *line, unsigned *column)
{
	size_t start = 0;

	*line = 1;
	for (size_t i = 0; i < w->at && i < w->text.n; i++) {
		if (w->text.p[i] != '\n')
			continue;
		++*line;
		start = i + 1;
	}
	*column = (unsigned)(w->at - start) + 1;
}

static int hex_value(struct slice s)
{
	int v = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c >= '0' && c <= '9')
			v = v * 16 + (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			v = v * 16 + ((c | 0x20) - 'a') + 10;
		else
			return -1;
	}
	return v;
}

/* Only ASCII comes escaped this way in names: the rest stays as it is written. */
static size_t unescape_one(struct slice s, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *p = s.n > 1 && s.p[1] ? strchr(from, s.p[1]) : NULL;
	int v;

	if (p) {
		*out = to[p - from];
		return 2;
	}
	if (s.n >= 6 && s.p[1] == 'u' &&
	    (v = hex_value((struct slice){ s.p + 2, 4 })) > 0 && v < 0x80) {
		*out = (char)v;
		return 6;
	}
	*out = '\\';
	return 1;
}

const char *json_walk_unescape(struct arena *a, struct slice s)
{
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	while (s.n) {
		size_t taken = 1;

		if (s.p[0] == '\\')
			taken = unescape_one(s, &out[n]);
		else
			out[n] = s.p[0];
		n++;
		s = slice_from(s, taken);
	}
	return out;
}
