/* Nodes as people write them, and which of them a run asks: src/cli/remote_nodes.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice.h"
#include "cli/config.h"
#include "cli/remote_nodes.h"
#include "cli/sources.h"
#include "text_assert.h"

static struct arena *a;

/* "name host port user", "-" for what is not given. */
static const char *as_text(const struct remote_node *n)
{
	return arena_printf(a, "%s %s %s %s", n->name, n->host, n->port ? n->port : "-",
			    n->user ? n->user : "-");
}

#define SPECIAL "it holds a character that is special to shells or ssh"
#define PORT "a port is a number from 1 to 65535"
#define CONTROL "it holds a control character, or one beyond ASCII"

static const struct {
	const char *text, *want;	/* the node, or after '!' why it is none */
} typed[] = {
	{ "cass-01", "cass-01 cass-01 - -" },
	{ "cass-01.example.org", "cass-01.example.org cass-01.example.org - -" },
	{ "10.0.0.12:2222", "10.0.0.12 10.0.0.12 2222 -" },
	{ "monitor@cass-01", "cass-01 cass-01 - monitor" },
	{ "monitor@cass-01:22", "cass-01 cass-01 22 monitor" },
	{ "a@example.org@cass-01", "cass-01 cass-01 - a@example.org" },
	{ "::1", "::1 ::1 - -" },
	{ "2001:db8::1", "2001:db8::1 2001:db8::1 - -" },
	{ "fe80::1%eth0", "fe80::1%eth0 fe80::1%eth0 - -" },
	{ "[::1]", "::1 ::1 - -" },
	{ "[2001:db8::1]:65535", "2001:db8::1 2001:db8::1 65535 -" },
	{ "m@[::1]:0022", "::1 ::1 22 m" },
	{ "prod/cass-01", "prod/cass-01 prod/cass-01 - -" },	/* a Host of ~/.ssh/config */
	{ "", "!it is empty" },
	{ "@cass-01", "!it is empty" },
	{ "m@", "!it is empty" },
	{ ":22", "!it is empty" },
	{ "[]:22", "!it is empty" },
	{ "-oProxyCommand=x", "!it begins with '-'" },
	{ "m@-x", "!it begins with '-'" },
	{ "-l@cass-01", "!it begins with '-'" },
	{ "[-x]:22", "!it begins with '-'" },
	{ "cass 01", "!it holds a blank" },
	{ "cass\t01", "!it holds a blank" },
	{ "cass\n01", "!" CONTROL },
	{ "cass\177", "!" CONTROL },
	{ "c\303\244ss", "!" CONTROL },
	{ "cass'01", "!it holds a quote" },
	{ "cass\"01", "!it holds a quote" },
	{ "`id`", "!it holds a quote" },
	{ "$(id)", "!" SPECIAL },
	{ "a;b", "!" SPECIAL },
	{ "a|b", "!" SPECIAL },
	{ "a&b", "!" SPECIAL },
	{ "a\\b", "!" SPECIAL },
	{ "a*b", "!" SPECIAL },
	{ "x y@cass-01", "!it holds a blank" },
	{ "x;y@cass-01", "!" SPECIAL },
	{ "x:y@cass-01", "!" SPECIAL },
	{ "cass-01:", "!" PORT },
	{ "cass-01:0", "!" PORT },
	{ "cass-01:65536", "!" PORT },
	{ "cass-01:+22", "!" PORT },
	{ "cass-01:22x", "!" PORT },
	{ "cass-01:99999999999999999999", "!" PORT },
	{ "[::1]:", "!" PORT },
	{ "[::1", "!a ']' is missing" },
	{ "[::1]22", "!something other than ':' follows the ']'" },
};

static void test_typed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(typed); i++) {
		struct remote_node n;
		const char *flaw = remote_node_parse(a, typed[i].text, &n);

		assert_text(typed[i].text, flaw ? arena_printf(a, "!%s", flaw) : as_text(&n),
			    typed[i].want);
	}
}

static void test_long(void **state)
{
	char name[256];
	struct remote_node n;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[254] = '\0';
	assert_non_null(remote_node_parse(a, name, &n));
	name[253] = '\0';
	assert_null(remote_node_parse(a, name, &n));
	assert_null(remote_sudo_flaw("cassandra_1.x-y"));
	assert_non_null(remote_sudo_flaw(""));
	assert_non_null(remote_sudo_flaw("-u"));
	assert_non_null(remote_sudo_flaw("a b"));
	assert_non_null(remote_sudo_flaw("#0"));
}

/* ---- the nodes of a run ---- */

static const char config[] =
	"{\"nodes\": [\"cass-01\", "
	"{\"host\": \"10.0.0.2\", \"port\": 2222, \"name\": \"cass-02\"}, "
	"\"m@cass-03:23\", {\"host\": \"gate\", \"port\": 1, \"name\": \"g1\"}, "
	"{\"host\": \"gate\", \"port\": 2, \"name\": \"g2\"}]}";

static const struct {
	const char *name, *hosts, *port, *want;	/* nodes parted by ", ", or after '!' an error */
} runs[] = {
	{ "nothing is typed", NULL, NULL,
	  "cass-01 cass-01 - -, cass-02 10.0.0.2 2222 -, cass-03 cass-03 23 m, g1 gate 1 -, "
	  "g2 gate 2 -" },
	{ "a port for all", NULL, "99",
	  "cass-01 cass-01 99 -, cass-02 10.0.0.2 99 -, cass-03 cass-03 99 m, g1 gate 99 -, "
	  "g2 gate 99 -" },
	{ "a name of the configuration", "cass-02", NULL, "cass-02 10.0.0.2 2222 -" },
	{ "a host of the configuration", "10.0.0.2", NULL, "cass-02 10.0.0.2 2222 -" },
	{ "one that it does not have", "cass-09", NULL, "cass-09 cass-09 - -" },
	{ "what is typed wins", "x@cass-02:9", NULL, "cass-02 10.0.0.2 9 x" },
	{ "the port of the node over -p", "cass-02:9,cass-03", "8",
	  "cass-02 10.0.0.2 9 -, cass-03 cass-03 8 m" },
	{ "two on one host", "g2", NULL, "g2 gate 2 -" },
	{ "two on one host, by the port", "gate:2", NULL, "g2 gate 2 -" },
	{ "two on one host, another port", "gate:3", NULL, "gate gate 3 -" },
	{ "twice the same", "cass-01,x,cass-01", NULL, "cass-01 cass-01 - -, x x - -" },
	{ "one host, several ports", "x:1,x:2,x,y:1", NULL,
	  "x:1 x 1 -, x:2 x 2 -, x x - -, y y 1 -" },
	{ "one address, several ports", "[::1]:1,[::1]:2", NULL,
	  "[::1]:1 ::1 1 -, [::1]:2 ::1 2 -" },
	{ "one host as two users", "a@x,b@x", NULL,
	  "!--hostname: 'x' is named twice, as different users" },
	{ "no host", "-x", NULL, "!--hostname: cannot use '-x': it begins with '-'" },
};

static void options(struct run_options *o, const char *hosts, const char *port)
{
	struct slice rest = slice_of(hosts), host;
	struct config *c = arena_alloc(a, sizeof(*c));
	struct err err = { 0 };

	*o = (struct run_options){ .arena = a, .port = port };
	while (slice_field(&rest, ',', &host))
		*vec_add(a, &o->hosts) = arena_copy(a, host);
	if (!config_read(a, "t.json", slice_of(config), c, &err))
		fail_msg("%s", err_text(a, &err));
	config_apply(c, o);
}

static void test_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		struct remote_nodes nodes = { 0 };
		struct err err = { 0 };
		struct run_options o;
		const char *got = "";

		options(&o, runs[i].hosts, runs[i].port);
		if (!remote_nodes_choose(&o, &nodes, &err))
			got = arena_printf(a, "!%s", err_text(a, &err));
		for (size_t k = 0; k < nodes.list.n && err.kind == ERR_NONE; k++)
			got = arena_printf(a, "%s%s%s", got, k ? ", " : "",
					   as_text(&nodes.list.v[k]));
		assert_text(runs[i].name, got, runs[i].want);
	}
}

/* ---- which source it is ---- */

static void test_source(void **state)
{
	struct run_options o;

	(void)state;
	options(&o, NULL, NULL);
	assert_true(sources_given(&o) && sources_over_ssh(&o));
	assert_string_equal(sources_arguments(&o), "");
	o.local = true;
	assert_true(sources_given(&o) && !sources_over_ssh(&o));
	assert_string_equal(sources_arguments(&o), "--local");
	options(&o, "cass-02", "22");
	assert_true(sources_over_ssh(&o));
	o.config = "my file";
	assert_string_equal(sources_arguments(&o), "--config 'my file' -H cass-02 -p 22");
	*vec_add(a, &o.from) = "b";
	assert_true(sources_given(&o) && !sources_over_ssh(&o));
	assert_string_equal(sources_arguments(&o), "--from b");
	o = (struct run_options){ .arena = a };
	assert_false(sources_given(&o) || sources_over_ssh(&o));
	*vec_add(a, &o.hosts) = "x";
	*vec_add(a, &o.hosts) = "$(y)";
	assert_true(sources_given(&o) && sources_over_ssh(&o));
	assert_string_equal(sources_arguments(&o), "-H 'x,$(y)'");
}

static int setup(void **state)
{
	(void)state;
	a = arena_create();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_destroy(a);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_typed),
		TEST(test_long),
		TEST(test_runs),
		TEST(test_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
