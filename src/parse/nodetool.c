/* See nodetool.h. */
#include "parse/nodetool.h"

#include "base/num.h"

bool nodetool_value(struct slice line, const char *label, struct slice *value)
{
	struct slice name = slice_of(label), rest;

	line = slice_trim(line);
	if (!slice_starts(line, name))
		return false;
	rest = slice_from(line, name.n);
	while (rest.n && rest.p[0] == ' ')
		rest = slice_from(rest, 1);
	if (!rest.n || rest.p[0] != ':')
		return false;
	*value = slice_trim(slice_from(rest, 1));
	return true;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool nodetool_is_uuid(struct slice s)
{
	if (s.n != 36)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s.p[i] != '-' : !is_hex(s.p[i]))
			return false;
	}
	return true;
}

struct slice nodetool_address(struct slice s)
{
	size_t slash = slice_rfind(s, '/'), colon;
	int64_t port;

	if (slash < s.n)
		s = slice_from(s, slash + 1);
	if (s.n && s.p[0] == '[') {
		size_t end = slice_find(s, ']');

		return end < s.n ? (struct slice){ s.p + 1, end - 1 } : s;
	}
	colon = slice_rfind(s, ':');
	/* one colon: a port; several: an IPv6 address without one */
	if (colon < s.n && slice_find(s, ':') == colon &&
	    num_parse_i64(slice_from(s, colon + 1), &port))
		s.n = colon;
	return s;
}

bool nodetool_is_plain(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return false;
	return true;
}
