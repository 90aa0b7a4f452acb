/*
 * The rules of a plugin's output, written down once more and apart from the renderer: whatever is
 * printed is taken to pieces by them.
 */
#ifndef TWCSCHECK_TEST_PLUGIN_OUTPUT_H
#define TWCSCHECK_TEST_PLUGIN_OUTPUT_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERF_ITEMS_MAX = 64, SUMMARY_MAX = 120 };

struct perf_item {
	char label[256], value[64], unit[8], warn[128], crit[128];
};

struct plugin_output {
	char state[16], summary[512];	/* summary: line 1 before the performance data */
	struct perf_item items[PERF_ITEMS_MAX];
	size_t n_items;
	const char *rest;		/* after line 1 */
};

/* digits ["." digits], with a sign where `sign` says so. Returns its end; NULL = no number. */
static inline const char *skip_number(const char *s, bool sign)
{
	if (sign && *s == '-')
		s++;
	if (!isdigit((unsigned char)*s))
		return NULL;
	while (isdigit((unsigned char)*s))
		s++;
	if (*s != '.')
		return s;
	if (!isdigit((unsigned char)*++s))
		return NULL;
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

/* [@][start:][end] of plain numbers; a plain end when the start is 0. Empty = no range. */
static inline bool is_plain_range(const char *s)
{
	const char *start = s, *end;

	if (!*s)
		return true;
	if (*s == '@')
		s++;
	end = *s == '~' ? s + 1 : skip_number(s, true);
	if (!end)
		return false;
	if (!*end)
		return *s != '~';
	if (*end++ != ':')
		return false;
	if (*start != '@' && strncmp(start, "0:", 2) == 0 && *end)
		return false;		/* not the simple form */
	return !*end || ((end = skip_number(end, true)) && !*end);
}

static inline void copy_field(char *to, size_t room, const char *from, size_t n)
{
	assert_true(n < room);
	memcpy(to, from, n);
	to[n] = '\0';
}

/* One item, without blanks. Returns what is wrong with it; NULL = nothing. */
static inline const char *parse_item(const char *s, size_t n, struct perf_item *it)
{
	static const char *const units[] = { "",   "s",	 "us", "ms", "%", "B",
					     "KB", "MB", "GB", "TB", "c" };
	char text[512], *value, *field, *semicolon;
	const char *end;
	bool known = false;

	copy_field(text, sizeof(text), s, n);
	value = strchr(text, '=');
	if (!value || value == text)
		return "no label, or no value";
	*value++ = '\0';
	copy_field(it->label, sizeof(it->label), text, strlen(text));
	if (strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") !=
	    strlen(text))
		return "a label of other bytes";
	semicolon = strchr(value, ';');
	field = semicolon ? semicolon + 1 : NULL;
	if (semicolon)
		*semicolon = '\0';
	end = strcmp(value, "U") == 0 ? value + 1 : skip_number(value, true);
	if (!end)
		return "no value";
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		known = known || strcmp(end, units[i]) == 0;
	if (!known || (value[0] == 'U' && *end))
		return "no unit";
	copy_field(it->unit, sizeof(it->unit), end, strlen(end));
	copy_field(it->value, sizeof(it->value), value, (size_t)(end - value));
	it->warn[0] = it->crit[0] = '\0';
	if (!field)
		return NULL;
	semicolon = strchr(field, ';');
	copy_field(it->warn, sizeof(it->warn), field,
		   semicolon ? (size_t)(semicolon - field) : strlen(field));
	if (semicolon)
		copy_field(it->crit, sizeof(it->crit), semicolon + 1, strlen(semicolon + 1));
	if (!it->warn[0] && !it->crit[0])
		return "empty fields at its end";
	return is_plain_range(it->warn) && is_plain_range(it->crit) ? NULL : "no range";
}

static inline const char *parse_perfdata(const char *s, size_t n, struct plugin_output *out)
{
	size_t from = 0;

	for (size_t i = 0; i <= n; i++) {
		const char *wrong;

		if (i < n && s[i] != ' ')
			continue;
		if (i == from)
			return "a second blank between items";
		assert_true(out->n_items < PERF_ITEMS_MAX);
		wrong = parse_item(s + from, i - from, &out->items[out->n_items]);
		if (wrong)
			return wrong;
		for (size_t k = 0; k < out->n_items; k++)
			if (strcmp(out->items[k].label, out->items[out->n_items].label) == 0)
				return "a label twice";
		out->n_items++;
		from = i + 1;
	}
	return NULL;
}

/* Returns what is wrong with the whole output; NULL = nothing, and *out is filled. */
static inline const char *parse_plugin_output(const char *text, size_t max,
					      struct plugin_output *out)
{
	const char *end = strchr(text, '\n'), *bar = strchr(text, '|'), *dash;
	size_t n;

	memset(out, 0, sizeof(*out));
	if (!end || text[strlen(text) - 1] != '\n')
		return "no end of line";
	if (strlen(text) > max)
		return "longer than its limit";
	for (const char *p = text; *p; p++)
		if (*p != '\n' && (*p < 0x20 || *p > 0x7e))
			return "a byte that is no printable ASCII";
	if (bar && (bar > end || strchr(bar + 1, '|')))
		return "a '|' that parts nothing";
	n = bar ? (size_t)(bar - text) : (size_t)(end - text);
	if (bar && (text[n - 1] != ' ' || text[n + 1] != ' '))
		return "no blanks around the '|'";
	n -= bar != NULL;
	if (n > SUMMARY_MAX)
		return "a summary of more than 120 characters";
	copy_field(out->summary, sizeof(out->summary), text, n);
	if (strpbrk(out->summary, "`~$&|'\"<>\\;"))
		return "a character that Nagios changes or takes out of macros";
	dash = strstr(out->summary, " - ");
	if (strncmp(text, "TWCS ", 5) != 0 || !dash)
		return "not TWCS STATE - text";
	copy_field(out->state, sizeof(out->state), text + 5, (size_t)(dash - out->summary) - 5);
	if (strcmp(out->state, "OK") != 0 && strcmp(out->state, "WARNING") != 0 &&
	    strcmp(out->state, "CRITICAL") != 0 && strcmp(out->state, "UNKNOWN") != 0)
		return "no state";
	if (!dash[3] || out->summary[n - 1] == ' ')
		return "no text, or a blank at its end";
	out->rest = end + 1;
	return bar ? parse_perfdata(bar + 2, (size_t)(end - bar) - 2, out) : NULL;
}

#endif
