/* The configuration's keys about nodes that are asked over SSH. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "cli/config.h"
#include "text_assert.h"

static struct arena *a;

static const char *line(const char *page, const char *name, const char *value)
{
	return value ? arena_printf(a, "%s%s=%s\n", page, name, value) : page;
}

static const char *number(const char *page, const char *name, int64_t value)
{
	return value ? arena_printf(a, "%s%s=%lld\n", page, name, (long long)value) : page;
}

static const char *dump(const struct remote_nodes *nodes, const struct remote_options *o)
{
	static const char *const transports[] = { NULL, "libssh2", "openssh" };
	const char *page = "";

	for (size_t i = 0; i < nodes->list.n; i++) {
		const struct remote_node *n = &nodes->list.v[i];

		page = arena_printf(a, "%snode %s %s %s %s\n", page, n->name, n->host,
				    n->port ? n->port : "-", n->user ? n->user : "-");
	}
	page = line(line(page, "transport", transports[o->transport]), "user", o->user);
	page = line(line(page, "identity", o->identity), "known_hosts", o->known_hosts);
	page = line(line(page, "jump", o->jump), "sudo", o->sudo);
	page = line(line(page, "passphrase", o->passphrase_command), "config", o->ssh_config);
	page = number(number(page, "parallel", o->parallel), "accept-new", o->host_keys);
	return number(page, "no_nice", o->no_nice);
}

static const struct {
	const char *name, *text, *want;
} good[] = {
	{ "nothing", "{\"nodes\": [], \"ssh\": {}}", "" },
	{ "nodes",
	  "{\"nodes\": [\"cass-01\", \"m@cass-02:2222\", \"[::1]:22\", {\"host\": \"10.0.0.12\"}, "
	  "{\"name\": \"c4\", \"host\": \"x\", \"port\": 65535, \"user\": \"u\"}]}",
	  "node cass-01 cass-01 - -\nnode cass-02 cass-02 2222 m\nnode ::1 ::1 22 -\n"
	  "node 10.0.0.12 10.0.0.12 - -\nnode c4 x 65535 u\n" },
	{ "all of ssh",
	  "{\"ssh\": {\"transport\": \"openssh\", \"user\": \"monitor\", \"identity\": \"id\", "
	  "\"known_hosts\": \"~/kh\", \"host_keys\": \"accept-new\", "
	  "\"jump\": \"a@gate:22,[::1]:23\", \"sudo\": \"cassandra\", \"parallel\": 1000, "
	  "\"passphrase_command\": \"pass show key\", \"config\": \"/c/ssh\"}}",
	  "transport=openssh\nuser=monitor\nidentity=/etc/x/id\nknown_hosts=~/kh\n"
	  "jump=a@gate:22,[::1]:23\nsudo=cassandra\npassphrase=pass show key\nconfig=/c/ssh\n"
	  "parallel=1000\naccept-new=1\n" },
	{ "what is usual", "{\"ssh\": {\"transport\": \"auto\", \"host_keys\": \"strict\", "
			   "\"jump\": \"none\"}, \"node\": {\"nice\": true}}",
	  "jump=none\n" },
	{ "the least", "{\"ssh\": {\"transport\": \"libssh2\", \"parallel\": 1}}",
	  "transport=libssh2\nparallel=1\n" },
	{ "not nice", "{\"node\": {\"nice\": false}}", "no_nice=1\n" },
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct config c = { 0 };
		struct err err = { 0 };

		if (!config_read(a, "/etc/x/t.json", slice_of(good[i].text), &c, &err))
			fail_msg("%s: %s", good[i].name, err_text(a, &err));
		assert_text(good[i].name, dump(&c.nodes, &c.ssh), good[i].want);
	}
}

#define NODES(text) "{\"nodes\": [" text "]}"
#define SSH(text) "{\"ssh\": {" text "}}"
#define SSH_KEYS                                                                                   \
	"transport, user, identity, known_hosts, host_keys, jump, sudo, connect_timeout, "         \
	"command_timeout, parallel, passphrase_command, config"

static const struct {
	const char *text, *want;
} bad[] = {
	{ "{\"nodes\": \"cass-01\"}", "1:11: 'nodes' must be a list of nodes" },
	{ NODES("5"), "1:12: an element must be a node: a host's name, or an object with "
		      "\"host\"" },
	{ NODES("\"\""), "1:12: 'an element' is empty" },
	{ NODES("\"a\",\n \"-x\""), "2:2: cannot use the node '-x': it begins with '-'" },
	{ NODES("\"a b\""), "1:12: cannot use the node 'a b': it holds a blank" },
	{ NODES("\"a\\u0007\""), "1:12: 'an element' holds a control character" },
	{ NODES("\"a'b\""), "1:12: cannot use the node 'a'b': it holds a quote" },
	{ NODES("\"a:b\""),
	  "1:12: cannot use the node 'a:b': a port is a number from 1 to 65535" },
	{ NODES("{\"port\": 22}"), "1:12: a node without 'host'" },
	{ NODES("{\"hots\": \"x\"}"), "1:13: no key 'hots'; hint: the nearest is 'host'" },
	{ NODES("{\"host\": \"x\", \"port\": 0}"),
	  "1:34: 'port' must be a number from 1 to 65535" },
	{ NODES("{\"host\": \"x\", \"port\": 65536}"),
	  "1:34: 'port' must be a number from 1 to 65535" },
	{ NODES("{\"host\": \"x\", \"port\": 22.5}"),
	  "1:34: 'port' must be a number from 1 to 65535" },
	{ NODES("{\"host\": \"x\", \"port\": \"22\"}"),
	  "1:34: 'port' must be a number from 1 to 65535" },
	{ NODES("{\"host\": \"$(x)\"}"), "1:21: cannot use the host '$(x)': it holds a character "
					 "that is special to shells or ssh" },
	{ NODES("{\"host\": \"x\", \"name\": \"-\"}"),
	  "1:34: cannot use the name '-': it begins with '-'" },
	{ NODES("\"x:1\", \"x:2\""), "1:19: the node 'x' is there twice; hint: \"name\" tells two "
				     "on one host apart" },
	{ "{\"ssh\": []}", "1:9: 'ssh' must be an object of settings" },
	{ SSH("\"transprot\": \"auto\""),
	  "1:10: no key 'transprot'; hint: the nearest is 'transport'" },
	{ SSH("\"x\": 1"), "1:10: no key 'x'; hint: the nearest is 'user' of " SSH_KEYS },
	{ SSH("\"transport\": \"opensh\""),
	  "1:23: no transport 'opensh'; hint: the nearest is 'openssh'" },
	{ SSH("\"transport\": true"), "1:23: 'transport' must be a text" },
	{ SSH("\"host_keys\": \"no\""), "1:23: no host_keys 'no'; hint: the nearest is 'strict' "
					"of strict, accept-new" },
	{ SSH("\"user\": \"a b\""), "1:18: cannot use the user 'a b': it holds a blank" },
	{ SSH("\"user\": \"-x\""), "1:18: cannot use the user '-x': it begins with '-'" },
	{ SSH("\"sudo\": \"a;b\""),
	  "1:18: cannot use the sudo 'a;b': a user has letters, digits, '_', '.' and '-'" },
	{ SSH("\"jump\": \"a,-b\""), "1:18: cannot use the jump 'a,-b': it begins with '-'" },
	{ SSH("\"jump\": \"a, b\""), "1:18: cannot use the jump 'a, b': it holds a blank" },
	{ SSH("\"jump\": \"a,\""), "1:18: cannot use the jump 'a,': it is empty" },
	{ SSH("\"connect_timeout\": 5"), "1:29: 'connect_timeout' must be a duration in quotes, "
					 "such as \"30d\" or \"12h\"" },
	{ SSH("\"connect_timeout\": \"0s\""), "1:29: 'connect_timeout' must be at least 1 s" },
	{ SSH("\"connect_timeout\": \"601s\""), "1:29: 'connect_timeout' must be at most 10 min" },
	{ SSH("\"command_timeout\": \"2h\""), "1:29: 'command_timeout' must be at most 1 h" },
	{ SSH("\"parallel\": 0"), "1:22: 'parallel' must be a number from 1 to 1000" },
	{ SSH("\"parallel\": 1001"), "1:22: 'parallel' must be a number from 1 to 1000" },
	{ SSH("\"identity\": \"\""), "1:22: 'identity' is empty" },
	{ "{\"node\": {\"nice\": \"yes\"}}", "1:19: 'nice' must be true or false" },
	{ "{\"node\": {\"nice\": 1}}", "1:19: 'nice' must be true or false" },
	{ "{\"node\": {\"nice\": null}}", "1:19: 'nice' must be true or false" },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct config c = { 0 };
		struct err err = { 0 };

		if (config_read(a, "t.json", slice_of(bad[i].text), &c, &err))
			fail_msg("%s: is not refused", bad[i].text);
		assert_text(bad[i].text, err_text(a, &err),
			    arena_printf(a, "t.json:%s", bad[i].want));
	}
}

/* Key by key; the list of nodes is replaced whole. */
static void test_two_files(void **state)
{
	struct config c = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(config_read(a, "1", SLICE("{\"nodes\": [\"a\", \"b\"], \"ssh\": {\"user\": "
					      "\"u\", \"transport\": \"openssh\", "
					      "\"host_keys\": \"accept-new\"}, "
					      "\"node\": {\"nice\": false}}"), &c, &err));
	assert_true(config_read(a, "2", SLICE("{\"nodes\": [\"c\"], \"ssh\": {\"sudo\": \"s\", "
					      "\"transport\": \"auto\", "
					      "\"host_keys\": \"strict\"}, "
					      "\"node\": {\"nice\": true}}"), &c, &err));
	assert_text("two files", dump(&c.nodes, &c.ssh), "node c c - -\nuser=u\nsudo=s\n");
}

static void test_run(void **state)
{
	struct config c = { 0 }, none = { 0 };
	struct run_options o = { .arena = a };
	struct err err = { 0 };

	(void)state;
	setenv("HOME", "/home/me", 1);
	assert_true(config_read(a, "t.json", SLICE("{\"nodes\": [\"a\"], \"ssh\": {\"identity\": "
						   "\"~/id\", \"known_hosts\": \"/kh\", "
						   "\"config\": \"~/c\", \"parallel\": 7, "
						   "\"connect_timeout\": \"10min\", "
						   "\"command_timeout\": \"1s\"}}"), &c, &err));
	config_apply(&c, &o);
	assert_text("a run", dump(&o.nodes, &o.ssh), "node a a - -\nidentity=/home/me/id\n"
		    "known_hosts=/kh\nconfig=/home/me/c\nparallel=7\n");
	assert_int_equal(o.ssh.connect_timeout_s, 600);
	assert_int_equal(o.ssh.command_timeout_s, 1);
	config_apply(&none, &o);
	assert_text("defaults", dump(&o.nodes, &o.ssh), "parallel=64\n");
	assert_int_equal(o.ssh.connect_timeout_s, 0);
	assert_int_equal(o.ssh.command_timeout_s, 60);
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
		TEST(test_good),
		TEST(test_bad),
		TEST(test_two_files),
		TEST(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
