/*
 * node.json: who the node is, its clock when it was asked, and how each command ended.
 * A member that can't be read is unknown; the rest is kept, and the evidence is partial.
 */
#include <string.h>

#include "parse/parse.h"
#include "parse/read_json.h"

static void read_command(struct arena *a, const struct json_object *o, struct node *into)
{
	struct command *c = arena_alloc(a, sizeof(*c));

	c->kind = json_member_string(o, "kind");
	c->subject = json_member_string(o, "subject");
	c->command = json_member_string(o, "command");
	c->file = json_member_string(o, "file");
	c->errout = json_member_string(o, "stderr");
	c->signal = json_member_string(o, "signal");
	c->exit_status = json_member_integer(o, "exit_status");
	c->started_s = json_member_integer(o, "started_s");
	c->duration_ms = json_member_integer(o, "duration_ms");
	*vec_add(a, &into->commands) = c;
}

static void set_text(const struct json_object *o, const char *member, const char **out)
{
	const char *text = json_member_string(o, member);

	if (text && *text)
		*out = text;
}

bool parse_node_json(struct arena *a, const struct evidence *ev, struct node *into,
		     struct err *err)
{
	struct json_object root, command = { 0 };
	struct json_doc doc;
	const char *name = NULL;

	if (!json_open(a, ev, err, &doc))
		return false;
	root = json_root(&doc);
	set_text(&root, "name", &name);
	if (name && into->name && strcmp(into->name, "-") == 0) {
		/* A tree without a folder for its node: only node.json knows the name. */
		into->folder = into->name;
		into->name = name;
	}
	set_text(&root, "address", &into->address);
	set_text(&root, "product", &into->product);
	set_text(&root, "release", &into->release);
	set_text(&root, "transport", &into->transport);
	into->now_s = json_member_integer(&root, "now_s");
	while (json_list_next(&doc, "commands", &command))
		read_command(a, &command, into);
	json_close(&doc);
	return true;
}
