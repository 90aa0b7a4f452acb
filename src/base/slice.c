#include "base/slice.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct slice slice_trim(struct slice s)
{
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

int slice_cmp(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

size_t slice_find(struct slice s, char c)
{
	const char *p = s.n ? memchr(s.p, c, s.n) : NULL;

	return p ? (size_t)(p - s.p) : s.n;
}

size_t slice_rfind(struct slice s, char c)
{
	for (size_t i = s.n; i > 0; i--)
		if (s.p[i - 1] == c)
			return i - 1;
	return s.n;
}

struct slice slice_take_last(struct slice *path)
{
	size_t slash = slice_rfind(*path, '/');
	struct slice name = *path;

	if (slash < path->n) {
		name = slice_from(*path, slash + 1);
		path->n = slash;
	} else {
		path->n = 0;
	}
	return name;
}

struct lines lines_of(struct slice text)
{
	if (slice_starts(text, SLICE("\xef\xbb\xbf")))
		text = slice_from(text, 3);
	return (struct lines){ .rest = text };
}

bool lines_next(struct lines *it, struct slice *line)
{
	const char *end;

	if (it->rest.n == 0)
		return false;
	it->number++;
	end = memchr(it->rest.p, '\n', it->rest.n);
	it->terminated = end != NULL;
	*line = it->rest;
	if (end) {
		line->n = (size_t)(end - it->rest.p);
		it->rest = slice_from(it->rest, line->n + 1);
		if (line->n && line->p[line->n - 1] == '\r')
			line->n--;
	} else {
		it->rest.p += it->rest.n;
		it->rest.n = 0;
	}
	return true;
}

bool slice_field(struct slice *rest, char sep, struct slice *field)
{
	size_t i;

	if (!rest->p)
		return false;
	i = slice_find(*rest, sep);
	*field = (struct slice){ rest->p, i };
	if (i < rest->n)
		*rest = slice_from(*rest, i + 1);
	else
		*rest = (struct slice){ NULL, 0 };
	return true;
}

bool slice_word(struct slice *rest, struct slice *word)
{
	size_t i = 0, start;

	while (i < rest->n && is_blank(rest->p[i]))
		i++;
	start = i;
	while (i < rest->n && !is_blank(rest->p[i]))
		i++;
	*word = (struct slice){ rest->p + start, i - start };
	*rest = slice_from(*rest, i);
	return word->n > 0;
}

size_t slice_distance(struct slice x, struct slice y)
{
	size_t row[64], nx = x.n < 63 ? x.n : 63, ny = y.n < 63 ? y.n : 63;

	for (size_t k = 0; k <= ny; k++)
		row[k] = k;
	for (size_t i = 1; i <= nx; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= ny; k++) {
			size_t best = diagonal + (x.p[i - 1] != y.p[k - 1]);

			diagonal = row[k];
			if (row[k] + 1 < best)
				best = row[k] + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			row[k] = best;
		}
	}
	return row[ny];
}
