/* node.json and bundle.json: src/parse/{node,bundle,read}_json.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice.h"
#include "parse/parse.h"

struct parsed {
	struct arena *arena;
	struct cluster *cluster;
	struct node *node;
	struct err err;
	bool ok;
};

static void parse(struct parsed *p, parse_fn *fn, const char *name, struct slice text)
{
	struct evidence ev = { .kind = EV_NODE, .path = "x.json", .out = text };

	memset(p, 0, sizeof(*p));
	p->arena = arena_create();
	p->cluster = cluster_create(p->arena);
	p->node = cluster_node(p->cluster, name);
	p->ok = fn(p->arena, &ev, p->node, &p->err);
}

static void release(struct parsed *p)
{
	arena_destroy(p->arena);
}

static const char full[] =
	"{\"name\": \"cass-01\", \"address\": \"10.0.0.11\", \"now_s\": 1796061782,\n"
	" \"product\": \"cassandra\", \"release\": \"5.0.6\", \"transport\": \"openssh: why\",\n"
	" \"color\": [1, {\"a\": null}],\n"
	" \"commands\": [{\"kind\": \"tablestats\", \"subject\": null, \"command\": \"nodetool "
	"tablestats\",\n"
	"   \"exit_status\": 0, \"signal\": null, \"file\": \"tablestats.txt\", \"stderr\": \"\",\n"
	"   \"started_s\": 1796061780, \"duration_ms\": 1720},\n"
	"  {\"kind\": \"sstablemetadata\", \"subject\": \"ks.t\", \"exit_status\": 1, \"signal\": "
	"\"KILL\"}]}\n";

static void test_full(void **state)
{
	const struct command *c;
	struct parsed p;

	(void)state;
	parse(&p, parse_node_json, "cass-01", SLICE(full));
	assert_true(p.ok);
	assert_int_equal(p.err.kind, ERR_NONE);
	assert_string_equal(p.node->name, "cass-01");
	assert_null(p.node->folder);
	assert_string_equal(p.node->address, "10.0.0.11");
	assert_string_equal(p.node->product, "cassandra");
	assert_string_equal(p.node->release, "5.0.6");
	assert_string_equal(p.node->transport, "openssh: why");
	assert_true(p.node->now_s.known && p.node->now_s.v == 1796061782);
	assert_int_equal(p.node->commands.n, 2);
	c = p.node->commands.v[0];
	assert_string_equal(c->kind, "tablestats");
	assert_null(c->subject);
	assert_string_equal(c->command, "nodetool tablestats");
	assert_string_equal(c->file, "tablestats.txt");
	assert_string_equal(c->errout, "");
	assert_null(c->signal);
	assert_true(c->exit_status.known && c->exit_status.v == 0);
	assert_true(c->started_s.known && c->started_s.v == 1796061780);
	c = p.node->commands.v[1];
	assert_string_equal(c->subject, "ks.t");
	assert_string_equal(c->signal, "KILL");
	assert_null(c->file);
	assert_true(c->exit_status.v == 1 && !c->started_s.known);
	release(&p);
}

/* A tree without a folder for its node gets its name from here; another folder keeps its own. */
static void test_name(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, parse_node_json, "-", SLICE(full));
	assert_string_equal(p.node->name, "cass-01");
	assert_string_equal(p.node->folder, "-");
	release(&p);
	parse(&p, parse_node_json, "-", SLICE("{}"));
	assert_true(p.ok);
	assert_string_equal(p.node->name, "-");
	release(&p);
	parse(&p, parse_node_json, "10.0.0.11", SLICE(full));
	assert_string_equal(p.node->name, "10.0.0.11");
	release(&p);
}

struct faulty {
	const char *name, *text;
	bool ok;
	unsigned line, column;	/* column 0: where the library stops */
	const char *err;
};

static void check_faulty(parse_fn *fn, const struct faulty *c)
{
	const char *place;
	struct parsed p;

	parse(&p, fn, "n", slice_of(c->text));
	place = arena_printf(p.arena, "column %u: ", c->column);
	if (p.ok != c->ok || p.err.kind != ERR_FORMAT || p.err.line != c->line ||
	    !strstr(p.err.text, c->err) || (c->column && !strstr(p.err.text, place)))
		fail_msg("%s: %s", c->name, err_text(p.arena, &p.err));
	release(&p);
}

static void test_faulty_nodes(void **state)
{
	static const struct faulty cases[] = {
		{ "empty", "", false, 0, 0, "the file is empty" },
		{ "blank", " \n\t\n", false, 0, 0, "the file is empty" },
		{ "no JSON", "hello", false, 1, 1, "this is no JSON" },
		{ "cut off", "{\"name\":\n \"cass", false, 2, 0, "this is no JSON" },
		{ "comma missing", "{\n\"name\": \"a\"\n\"release\": \"b\"}", false, 3, 1,
		  "this is no JSON" },
		{ "a list", "[1]", false, 1, 1, "an object is expected" },
		{ "two documents", "{}\n {}", false, 2, 2, "something follows the document" },
		{ "name is a number", "{\n \"name\": 5}", true, 2, 10, "'name' must be a string" },
		{ "clock is a string", "{\"x\": \"{\\\"now_s\\\": [\",\n\n  \"now_s\": "
		  "\"1796061782\"}", true, 3, 12,
		  "'now_s' must be a whole number" },
		{ "clock with a fraction", "{\"now_s\": 1.5}", true, 1, 11,
		  "must be a whole number" },
		{ "clock above 2^53", "{\"now_s\": 1e300}", true, 1, 11, "must be a whole number" },
		{ "clock is infinite", "{\"now_s\": 1e999}", true, 1, 11,
		  "must be a whole number" },
		{ "clock is a list", "{\"now_s\": [1, 2]}", true, 1, 11, "must be a whole number" },
		{ "commands are an object", "{\"commands\": {}}", true, 1, 14,
		  "'commands' must be a list" },
		{ "command is a string", "{\"commands\": [\n {}, \"a\"]}", true, 2, 6,
		  "an object is expected" },
		{ "status of the third command",
		  "{\"a\": [{\"commands\": 1}], \"commands\": [{}, {\"x\": [{}]},\n"
		  "{\"file\": \"a,b}]\", \"exit_status\": true}]}", true, 2, 34,
		  "'exit_status' must be a whole number" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_faulty(parse_node_json, &cases[i]);
}

/* One wrong member costs that member alone. */
static void test_rest_is_kept(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, parse_node_json, "n",
		SLICE("{\"now_s\": \"x\", \"release\": \"5.0.6\", \"product\": null,"
		"\"commands\": [7, {\"kind\": \"info\", \"exit_status\": {}}]}"));
	assert_true(p.ok);
	assert_false(p.node->now_s.known);
	assert_string_equal(p.node->release, "5.0.6");
	assert_null(p.node->product);
	assert_int_equal(p.node->commands.n, 1);
	assert_string_equal(p.node->commands.v[0]->kind, "info");
	assert_false(p.node->commands.v[0]->exit_status.known);
	release(&p);
}

static void test_deep_and_long(void **state)
{
	struct arena *a = arena_create();
	size_t n = 200000;
	char *deep = arena_alloc(a, n), *wrong = arena_alloc(a, n + 32);
	struct parsed p;

	(void)state;
	memset(deep, '[', n);
	parse(&p, parse_node_json, "n", (struct slice){ deep, n });
	assert_false(p.ok);
	release(&p);
	/* Many faults in one document: only the first is looked up. */
	strcpy(wrong, "{\"commands\":[");
	for (size_t i = 13; i < n; i += 2)
		memcpy(wrong + i, "1,", 2);
	strcpy(wrong + n + 1, "1]}");
	parse(&p, parse_node_json, "n", slice_of(wrong));
	assert_true(p.ok);
	assert_int_equal(p.node->commands.n, 0);
	release(&p);
	arena_destroy(a);
}

static void test_bundles(void **state)
{
	static const struct faulty faulty[] = {
		{ "newer", "{\"format\": \"twcscheck-bundle\",\n \"version\": 2}", false, 2, 13,
		  "'version' is above 1" },
		{ "version 0", "{\"version\": 0}", false, 1, 13, "'version' is below 1" },
		{ "foreign", "{\"format\": \"tar\"}", false, 1, 12,
		  "'format' is not \"twcscheck-bundle\"" },
		{ "version is a string", "{\"version\": \"1\"}", true, 1, 13,
		  "must be a whole number" },
		{ "cluster is a number", "{\"cluster\": 1}", true, 1, 13, "must be a string" },
		{ "garbage", "{", false, 1, 0, "this is no JSON" },
	};
	struct parsed p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faulty); i++)
		check_faulty(parse_bundle_json, &faulty[i]);
	parse(&p, parse_bundle_json, "n",
		SLICE("{\"format\": \"twcscheck-bundle\", \"version\": 1, "
		"\"cluster\": \"metrics-prod\", \"created\": \"x\"}"));
	assert_true(p.ok);
	assert_int_equal(p.err.kind, ERR_NONE);
	assert_string_equal(p.cluster->name, "metrics-prod");
	release(&p);
	parse(&p, parse_bundle_json, "n", SLICE("{}"));
	assert_true(p.ok);
	assert_null(p.cluster->name);
	release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_faulty_nodes),
		cmocka_unit_test(test_rest_is_kept),
		cmocka_unit_test(test_deep_and_long),
		cmocka_unit_test(test_bundles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
