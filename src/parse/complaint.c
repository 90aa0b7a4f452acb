/* See complaint.h. */
#include "parse/complaint.h"

#include "base/slice.h"

enum { MESSAGE_MAX = 200 };

static const char *const openings[] = {
	"nodetool: ", "error: ", "Error: ", "ERROR: ", "Exception in thread ", "Connection error: ",
	"Traceback (most recent call last)", "cqlsh: ", "-- StackTrace --",
};

static const struct { const char *word; enum err_kind kind; } kinds[] = {
	{ "Failed to connect", ERR_CONNECT }, { "Connection refused", ERR_CONNECT },
	{ "Unable to connect", ERR_CONNECT }, { "UnknownHostException", ERR_CONNECT },
	{ "Authentication", ERR_AUTH }, { "username", ERR_AUTH }, { "Access denied", ERR_AUTH },
};

static bool contains(struct slice s, const char *word)
{
	struct slice w = slice_of(word);

	for (; s.n >= w.n; s = slice_from(s, 1))
		if (memcmp(s.p, w.p, w.n) == 0)
			return true;
	return false;
}

static bool is_message(struct slice line)
{
	for (size_t i = 0; i < ARRAY_LEN(openings); i++)
		if (slice_starts(line, slice_of(openings[i])))
			return true;
	return false;
}

const char *complaint_tidy(struct arena *a, struct slice s)
{
	char *p;
	size_t n;

	s = slice_trim(s);
	if (s.n > MESSAGE_MAX)
		s.n = MESSAGE_MAX;
	while (s.n && s.p[s.n - 1] == '.')
		s.n--;
	p = arena_copy(a, s);
	for (n = 0; n < s.n; n++)
		if ((unsigned char)p[n] < 0x20 || p[n] == 0x7f)
			p[n] = ' ';
	return p;
}

bool complaint_find(struct arena *a, struct slice text, const char *subject, struct err *err)
{
	struct lines it = lines_of(text);
	struct slice line;

	while (lines_next(&it, &line)) {
		/* an authentication failure also fails to connect: the narrower word wins */
		enum err_kind kind = ERR_REMOTE;

		if (!is_message(line))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
			if (contains(line, kinds[i].word))
				kind = kinds[i].kind;
		err_set(a, err, kind, subject, it.number, "an error message: %s",
			complaint_tidy(a, line));
		return true;
	}
	return false;
}

bool complaint_report(struct arena *a, struct slice text, const char *subject, const char *what,
		      struct err *err)
{
	if (complaint_find(a, text, subject, err))
		return false;
	if (slice_trim(text).n == 0)
		return err_set(a, err, ERR_FORMAT, subject, 0, "empty, no %s in it", what);
	return err_set(a, err, ERR_FORMAT, subject, 0, "no %s in it", what);
}
