/* See clean.h. */
#include "parse/clean.h"

#include "parse/pattern.h"

enum { ESC = 0x1b, PREFIX_MAX = 200 };

void cleaner_open(struct cleaner *c)
{
	buf_init(&c->scratch, SIZE_MAX / 2);
	c->marked = false;
}

void cleaner_close(struct cleaner *c)
{
	buf_free(&c->scratch);
}

static bool has(struct slice s, unsigned char c)
{
	return s.n && memchr(s.p, c, s.n) != NULL;
}

/* 0xc2, 0xe2, 0xef begin letters of other languages, or one of the blanks that have to go. */
static bool has_marks(struct slice s)
{
	static const unsigned char marks[] = { ESC, '\b', '\0', 0x07, 0xc2, 0xe2, 0xef };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (has(s, marks[i]))
			return true;
	return false;
}

void cleaner_look(struct cleaner *c, struct slice text)
{
	c->marked = c->marked || has_marks(text);
}

/* ---- one line ---- */

/* Length of the escape sequence that begins at `s` (ECMA-48); at least 1. */
static size_t escape_length(struct slice s)
{
	size_t i = 2;

	if (s.n < 2)
		return s.n;
	if (s.p[1] == '[') {		/* CSI … final byte */
		while (i < s.n && (s.p[i] < 0x40 || s.p[i] > 0x7e))
			i++;
		return i < s.n ? i + 1 : i;
	}
	if (s.p[1] == ']') {		/* OSC … BEL or ST */
		while (i < s.n && s.p[i] != 0x07 && s.p[i] != ESC)
			i++;
		if (i < s.n && s.p[i] == ESC)
			i++;
		return i < s.n ? i + 1 : i;
	}
	if (s.p[1] >= 0x20 && s.p[1] <= 0x2f) {	/* "ESC ( B" */
		while (i < s.n && s.p[i] >= 0x20 && s.p[i] <= 0x2f)
			i++;
		return i < s.n ? i + 1 : i;
	}
	return 2;
}

/* Blanks that are no blanks, and marks without width: how many bytes, and what stands for them. */
static size_t odd_blank(struct slice s, const char **instead)
{
	static const struct {
		struct slice bytes;
		const char *instead;
	} odd[] = {
		{ { "\xc2\xa0", 2 }, " " }, { { "\xe2\x80\x8b", 3 }, "" },
		{ { "\xef\xbb\xbf", 3 }, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		if (slice_starts(s, odd[i].bytes)) {
			*instead = odd[i].instead;
			return odd[i].bytes.n;
		}
	}
	return 0;
}

/* One character or sequence of the line; returns how many bytes it took. */
static size_t take_character(struct buf *out, struct slice s)
{
	unsigned char c = (unsigned char)s.p[0];
	const char *instead;
	size_t n;

	if (c == ESC)
		return escape_length(s);
	if (c == '\b') {
		out->n -= out->n > 0;
		return 1;
	}
	if (c >= 0x80 && (n = odd_blank(s, &instead))) {
		buf_str(out, instead);
		return n;
	}
	if (c >= ' ' ? c != 0x7f : c == '\t')
		buf_char(out, (char)c);
	return 1;
}

/* What a progress display wrote last: a carriage return goes back to the line's start. */
static struct slice after_return(struct slice line)
{
	size_t at;

	while (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	at = slice_rfind(line, '\r');
	return at < line.n ? slice_from(line, at + 1) : line;
}

struct slice clean_line(struct cleaner *c, struct slice line)
{
	line = after_return(line);
	if (!c->marked || !has_marks(line))
		return line;
	c->scratch.n = 0;
	for (struct slice rest = line; rest.n;)
		rest = slice_from(rest, take_character(&c->scratch, rest));
	return (struct slice){ c->scratch.p ? c->scratch.p : line.p, c->scratch.n };
}

/* ---- marks around a block ---- */

struct slice clean_unquote(struct slice line)
{
	while (line.n && line.p[0] == '>' && (line.n == 1 || line.p[1] == ' ' || line.p[1] == '>'))
		line = slice_from(line, line.n > 1 && line.p[1] == ' ' ? 2 : 1);
	if (slice_starts(line, SLICE("| ")))
		line = slice_from(line, 2);
	return line;
}

bool clean_is_fence(struct slice line)
{
	static const char *const whole[] = {
		"<pre>", "</pre>", "<code>", "</code>", "<pre><code>", "</code></pre>", "[code]",
		"[/code]", "EOF",
	};

	line = slice_trim(line);
	if (slice_starts(line, SLICE("```")) || slice_starts(line, SLICE("~~~")))
		return true;
	if (slice_ends(line, SLICE("}")) && (slice_starts(line, SLICE("{code")) ||
					     slice_starts(line, SLICE("{noformat"))))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		if (slice_eq_str(line, whole[i]))
			return true;
	return false;
}

/* ---- prefixes ---- */

#define HOST "([A-Za-z0-9][A-Za-z0-9_.-]{0,99})"
#define LEVEL "(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|NOTICE)"
#define THREAD "(?:\\[[^\\]]{1,60}\\] +)?"
#define WHERE "(?:" LEVEL " +|\\[[^\\]]{1,60}\\] +|[\\w.$]+\\.java:[0-9]+ +)"
#define TIME                                                                                       \
	"\\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}"                                      \
	"(?::[0-9]{2}(?:[.,][0-9]+)?)?"                                                            \
	"(?:Z|[+-][0-9]{2}:?[0-9]{2})?\\]?:?"

static struct pattern shapes[] = {
	[PREFIX_NONE] = PATTERN("^(?!)"),
	[PREFIX_CONTAINER] = PATTERN("^" HOST " *\\| ?"),
	[PREFIX_BRACKETS] = PATTERN("^\\[(?:pod/)?" HOST "(?:/[\\w.-]+)?\\](?: out:)? ?"),
	[PREFIX_COLON] = PATTERN("^(?:pod/)?" HOST ": ?"),
	[PREFIX_LEVEL] = PATTERN("^()[\\w.-]+: " LEVEL ": ?"),
	[PREFIX_SYSLOG] = PATTERN("^[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} " HOST
				  " [\\w./-]+(?:\\[[0-9]+\\])?: ?"),
	/* a dash ends the prefix only behind a level, thread or source: "- ks.t: 2" is content */
	[PREFIX_TIME] = PATTERN(
		"^()(?:\\[?" LEVEL "\\]?:? +" THREAD TIME "(?: " WHERE "*(?:- )?)?"
		"|" THREAD TIME "(?: (?:" WHERE "+(?:- )?)?)?)"),
};

bool clean_prefix_of(struct slice line, enum prefix_shape shape, struct prefix *out)
{
	struct slice head = line, m[2];

	if (head.n > PREFIX_MAX)
		head.n = PREFIX_MAX;
	if (shape == PREFIX_NONE || !pattern_match(&shapes[shape], head, m, ARRAY_LEN(m)))
		return false;
	*out = (struct prefix){ shape, m[1], m[0].n };
	return true;
}

bool clean_prefix(struct slice line, enum prefix_shape after, struct prefix *out)
{
	for (unsigned s = (unsigned)after + 1; s < ARRAY_LEN(shapes); s++)
		if (clean_prefix_of(line, (enum prefix_shape)s, out))
			return true;
	return false;
}

/* ---- UTF-16 ---- */

static void add_utf8(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_char(out, (char)c);
	} else if (c < 0x800) {
		buf_char(out, (char)(0xc0 | c >> 6));
		buf_char(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_char(out, (char)(0xe0 | c >> 12));
		buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_char(out, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_char(out, (char)(0xf0 | c >> 18));
		buf_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_char(out, (char)(0x80 | (c & 0x3f)));
	}
}

static uint32_t unit_at(struct slice s, size_t i, bool big)
{
	unsigned char first = (unsigned char)s.p[i], second = (unsigned char)s.p[i + 1];

	return big ? (uint32_t)first << 8 | second : (uint32_t)second << 8 | first;
}

bool clean_utf16(struct slice text, struct buf *out)
{
	bool big = slice_starts(text, SLICE("\xfe\xff"));

	if (!big && !slice_starts(text, SLICE("\xff\xfe")))
		return false;
	for (size_t i = 2; i + 1 < text.n; i += 2) {
		uint32_t c = unit_at(text, i, big), low;

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < text.n) {
			low = unit_at(text, i + 2, big);
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		add_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	}
	return true;
}
