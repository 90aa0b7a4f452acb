/* bundle.json and node.json as text. See bundle_text.h. */
#include "collect/bundle_text.h"

/* Length of the UTF-8 sequence at `p`, 0 when it is none. */
static size_t utf8_length(const unsigned char *p)
{
	size_t n = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/* A JSON string, or null. Bytes that are no UTF-8 become question marks. */
static void put_text(struct buf *b, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!text) {
		buf_str(b, "null");
		return;
	}
	buf_char(b, '"');
	while (*p) {
		size_t n = *p < 0x80 ? 1 : utf8_length(p);

		if (*p == '"' || *p == '\\')
			buf_printf(b, "\\%c", *p);
		else if (*p == '\n')
			buf_str(b, "\\n");
		else if (*p < ' ' || *p == 127)
			buf_printf(b, "\\u%04x", *p);
		else if (n)
			buf_add(b, p, n);
		else
			buf_char(b, '?');
		p += n ? n : 1;
	}
	buf_char(b, '"');
}

static void put_member(struct buf *b, const char *indent, const char *name, const char *text)
{
	buf_printf(b, "%s\"%s\": ", indent, name);
	put_text(b, text);
}

static void put_number(struct buf *b, const char *indent, const char *name, struct opt_i64 n)
{
	if (n.known)
		buf_printf(b, "%s\"%s\": %lld", indent, name, (long long)n.v);
	else
		buf_printf(b, "%s\"%s\": null", indent, name);
}

void bundle_text_bundle(struct buf *b, const char *cluster, const char *created,
			const char *program)
{
	buf_str(b, "{\n \"format\": \"twcscheck-bundle\",\n \"version\": 1");
	put_member(b, ",\n ", "cluster", cluster);
	put_member(b, ",\n ", "created", created);
	put_member(b, ",\n ", "program", program);
	buf_str(b, "\n}\n");
}

static void put_command(struct buf *b, const struct command *c, bool first)
{
	put_member(b, first ? "\n  {" : ",\n  {", "kind", c->kind);
	put_member(b, ", ", "subject", c->subject);
	put_member(b, ", ", "command", c->command);
	put_number(b, ", ", "exit_status", c->exit_status);
	put_member(b, ", ", "signal", c->signal);
	put_member(b, ", ", "file", c->file);
	put_member(b, ", ", "stderr", c->errout);
	put_number(b, ", ", "started_s", c->started_s);
	put_number(b, ", ", "duration_ms", c->duration_ms);
	buf_char(b, '}');
}

void bundle_text_node(struct buf *b, const struct bundle_node *n, struct command *const *more,
		      size_t n_more)
{
	put_member(b, "{\n ", "name", n->name);
	put_member(b, ",\n ", "address", n->address);
	put_number(b, ",\n ", "now_s", n->now_s);
	put_member(b, ",\n ", "product", n->product);
	put_member(b, ",\n ", "release", n->release);
	if (n->transport)
		put_member(b, ",\n ", "transport", n->transport);
	buf_str(b, ",\n \"commands\": [");
	for (size_t i = 0; i < n->n_commands; i++)
		put_command(b, n->commands[i], i == 0);
	for (size_t i = 0; i < n_more; i++)
		put_command(b, more[i], i == 0 && !n->n_commands);
	buf_str(b, "\n ]\n}\n");
}
