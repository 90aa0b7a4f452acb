/*
 * The small outputs of nodetool: status, version, describecluster, statusautocompaction,
 * datapaths, info.
 */
#include "parse_case.h"

#include <glob.h>

#include "base/buf.h"

static void put_status(struct buf *b, const struct node *n)
{
	for (size_t i = 0; i < n->status.n; i++) {
		const struct status_line *s = n->status.v[i];

		buf_printf(b, "%s/%s "
			"%s", s->datacenter ? s->datacenter : "-", s->address, s->state);
		buf_printf(b, " %.8s; ", s->host_id ? s->host_id : "-");
	}
}

static void put_versions(struct buf *b, const struct node *n)
{
	for (size_t i = 0; i < n->versions.n; i++) {
		buf_printf(b, "%s:", n->versions.v[i]->version);
		for (size_t j = 0; j < n->versions.v[i]->addresses.n; j++)
			buf_printf(b, " %s", n->versions.v[i]->addresses.v[j]);
		buf_str(b, "; ");
	}
}

static void put_autocompaction(struct buf *b, const struct node *n)
{
	if (n->autocompaction_all.known)
		buf_printf(b, "all=%d; ", (int)n->autocompaction_all.v);
	for (size_t i = 0; i < n->autocompaction.n; i++)
		buf_printf(b, "%s.%s=%d; ", n->autocompaction.v[i]->keyspace,
			   n->autocompaction.v[i]->table, n->autocompaction.v[i]->running);
}

/* All that was read, as one text. */
static const char *result(struct parse_case *c)
{
	const struct node *n = &c->node;
	const char *text;
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_str(&b, c->ok ? "" : "FAILED ");
	if (n->release)
		buf_printf(&b, "release %s; ", n->release);
	if (n->cluster_name)
		buf_printf(&b, "cluster %s; ", n->cluster_name);
	if (n->host_id)
		buf_printf(&b, "id %s; ", n->host_id);
	if (n->datacenter)
		buf_printf(&b, "datacenter %s; ", n->datacenter);
	put_status(&b, n);
	put_versions(&b, n);
	put_autocompaction(&b, n);
	for (size_t i = 0; i < n->datapaths.n; i++)
		buf_printf(&b, "%s.%s %s; ", n->datapaths.v[i]->keyspace, n->datapaths.v[i]->table,
			   n->datapaths.v[i]->path);
	if (c->err.kind != ERR_NONE)
		buf_printf(&b, "! %u %s", c->err.line, c->err.text);
	text = arena_copy(c->arena, (struct slice){ b.p, b.n });
	buf_free(&b);
	return text;
}

#define DC                                                                                         \
	"Datacenter: dc1\n===============\nStatus=Up/Down\n"                                      \
	"|/ State=Normal/Leaving/Joining/Moving\n"                                                 \
	"--  Address  Load  Tokens  Owns (effective)  Host ID  Rack\n"
#define ID0 "0f0e0d0c-0b0a-4908-8706-050403020100"
#define ID1 "1f0e0d0c-0b0a-4908-8706-050403020100"
#define USAGE "nodetool: Found unexpected parameters: [x]\nSee 'nodetool help'.\n"
#define USAGE_ERROR "FAILED ! 1 an error message: nodetool: Found unexpected parameters: [x]"

static const struct {
	const char *name;
	parse_fn *parse;
	const char *input, *expected;
} cases[] = {
	{ "status: two nodes", parse_status, DC
	  "UN  10.0.0.11  1.02 TiB  16  33.4%  " ID0 "  rack1\n"
	  "DN  10.0.0.12  ?         16  33.3%  " ID1 "  rack1\n\n",
	  "dc1/10.0.0.11 UN 0f0e0d0c; dc1/10.0.0.12 DN 1f0e0d0c; " },
	{ "status: IPv6, ports, names, a rack with a blank", parse_status, DC
	  "?N  2001:db8::5  12.3 GiB  16  ?  " ID0 "  rack 2\n"
	  "UJ  [2001:db8::6]:7000  12.3 GiB  16  ?  " ID1 "  rack 2\n"
	  "UL  10.0.0.12:7000  ?  1  ?  " ID1 "  r\nUM  host-1.example  1 KiB 1 ? " ID1 " r\n",
	  "dc1/2001:db8::5 ?N 0f0e0d0c; dc1/2001:db8::6 UJ 1f0e0d0c; dc1/10.0.0.12 UL 1f0e0d0c; "
	  "dc1/host-1.example UM 1f0e0d0c; " },
	{ "status: two datacenters", parse_status, DC "UN  10.0.0.1 1 GB 1 ? " ID0 " r\n\n"
	  "Datacenter: dc 2\n=====\nUN  10.0.0.2 1 GB 1 ? " ID1 " r\n",
	  "dc1/10.0.0.1 UN 0f0e0d0c; dc 2/10.0.0.2 UN 1f0e0d0c; " },
	{ "status: excluded (ScyllaDB)", parse_status, "Datacenter: "
	  "a\n==\nStatus=Up/Down/eXcluded\n"
	  "XN 10.0.0.1 ? 1 ? " ID0 " r\nXUN 10.0.0.2 ? 1 ? " ID1 " r\n",
	  "a/10.0.0.1 XN 0f0e0d0c; a/10.0.0.2 XUN 1f0e0d0c; " },
	{ "status: no host id", parse_status, DC "UN  10.0.0.1 1 GB 1 ? null r\n",
	  "dc1/10.0.0.1 UN -; " },
	{ "status: the last of two outputs counts", parse_status, DC "UN  10.0.0.1 1 GB 1 ? " ID0
	  " r\n" DC "DN  10.0.0.1 1 GB 1 ? " ID0 " r\n", "dc1/10.0.0.1 DN 0f0e0d0c; " },
	{ "status: lines that are none", parse_status, "UNKNOWN host\nUN\nUX 10.0.0.1 x\nDN "
	  "10.0.0.1\n",
	  "FAILED ! 0 no line of a node in it" },
	{ "status: cut in the address", parse_status, DC "UN  10.0.0.1 1 GB 1 ? " ID0 " r\nUN  "
	  "10.0.0",
	  "dc1/10.0.0.1 UN 0f0e0d0c; ! 7 the text ends inside a node's line" },
	{ "status: cut in the host id", parse_status, DC "UN  10.0.0.1 1 GB 1 ? 0f0e0d0c-0b0a",
	  "FAILED ! 6 the text ends inside a node's line" },
	{ "status: cut in the rack", parse_status, DC "UN  10.0.0.1 1 GB 1 ? " ID0 "  ra",
	  "dc1/10.0.0.1 UN 0f0e0d0c; " },
	{ "status: carriage returns", parse_status, "Datacenter: dc1\r\nUN  10.0.0.1 1 GB 1 ? " ID0
	  "  r\r\n", "dc1/10.0.0.1 UN 0f0e0d0c; " },
	{ "status: usage error", parse_status, USAGE, USAGE_ERROR },

	{ "version", parse_version, "ReleaseVersion: 5.0.6\n", "release 5.0.6; " },
	{ "version: with -v", parse_version, "noise\r\nReleaseVersion: "
	  "4.0.11.0-SNAPSHOT\r\nGitSHA: x\n",
	  "release 4.0.11.0-SNAPSHOT; " },
	{ "version: before a release", parse_version, "ReleaseVersion: 5.0-beta1\n",
	  "release 5.0-beta1; " },
	{ "version: cut", parse_version, "ReleaseVersion: 4.0.1",
	  "FAILED ! 1 the text ends inside the release" },
	{ "version: no number", parse_version, "ReleaseVersion: unknown\n",
	  "FAILED ! 0 no release in it" },
	{ "version: empty", parse_version, "", "FAILED ! 0 empty, no release in it" },
	{ "version: wrong password", parse_version, "error: Authentication failed! Credentials "
	  "required\n",
	  "FAILED ! 1 an error message: error: Authentication failed! Credentials required" },

	{ "describecluster", parse_describecluster, "Cluster Information:\n\tName: my cluster\n"
	  "\tSchema versions:\n\t\tc5a7317a: [10.0.0.1, 10.0.0.2]\n\nDatabase versions:\n"
	  "\t5.0.6: [10.0.0.1:7000, [2001:db8::5]:7000]\n\t4.1.9: [/10.0.0.2:7000]\n\nKeyspaces:\n"
	  "\tx: [y]\n", "cluster my cluster; 5.0.6: 10.0.0.1 2001:db8::5; 4.1.9: 10.0.0.2; " },
	{ "describecluster: cut", parse_describecluster, "Cluster Information:\n\tName: a\n\n"
	  "Database versions:\n\t5.0.6: [10.0.0.1:70",
	  "cluster a; ! 5 the text ends inside a line" },
	{ "describecluster: cut in the name", parse_describecluster, "Cluster "
	  "Information:\n\tName: a",
	  "FAILED ! 2 the text ends inside a line" },
	{ "describecluster: usage error", parse_describecluster, USAGE, USAGE_ERROR },

	{ "autocompaction: tables", parse_statusautocompaction, "Keyspace Table Status\n"
	  "k        a     running    \nk        b     not running\n", "k.a=1; k.b=0; " },
	{ "autocompaction: all off", parse_statusautocompaction, "not running\n", "all=0; " },
	{ "autocompaction: on", parse_statusautocompaction, "running\r\n", "all=1; " },
	{ "autocompaction: cut", parse_statusautocompaction, "Keyspace Table Status\n"
	  "k        a     running\nk        b     not run",
	  "k.a=1; ! 3 the text ends inside a line" },
	{ "autocompaction: not in 3.11", parse_statusautocompaction, USAGE, USAGE_ERROR },

	{ "datapaths", parse_datapaths, "Keyspace: k\n\tTable: "
	  "a\n\tPaths:\n\t\t/d/1/k/a-1\n\t\t/d 2/a-1\n"
	  "\n\tTable: b\n\tPaths:\n\t\t/d/k/b-1\n\nKeyspace: l\n\tTable: "
	  "a\n\tPaths:\n\t\t/d/l/a-2\n\n",
	  "k.a /d/1/k/a-1; k.a /d 2/a-1; k.b /d/k/b-1; l.a /d/l/a-2; " },
	{ "datapaths: cut", parse_datapaths, "Keyspace: k\n\tTable: "
	  "a\n\tPaths:\n\t\t/d/k/a-1\n\t\t/d/k",
	  "k.a /d/k/a-1; ! 5 the text ends inside a line" },
	{ "datapaths: usage error", parse_datapaths, USAGE, USAGE_ERROR },

	{ "info", parse_info, "ID                     : " ID0 "\nGossip active          : true\n"
	  "Data Center            : dc 1\nRack                   : r\n",
	  "id " ID0 "; datacenter dc 1; " },
	{ "info: cut in the id", parse_info, "ID                     : 0f0e0d0c-0b0a",
	  "FAILED ! 1 the text ends inside a line" },
	{ "info: cut in the datacenter", parse_info, "ID : " ID0 "\nData Center : dc",
	  "id " ID0 "; ! 2 the text ends inside a line" },
	{ "info: refused", parse_info, "nodetool: Failed to connect to 'h:7199' - "
	  "ConnectException: 'x'.\n",
	  "FAILED ! 1 an error message: nodetool: Failed to connect to 'h:7199' - "
	  "ConnectException: 'x'" },
};

static void test_cases(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		case_run(&c, cases[i].parse, cases[i].input);
		if (strcmp(result(&c), cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s", cases[i].name, result(&c),
				 cases[i].expected);
		case_close(&c);
	}
}

static const struct {
	const char *name, *text;
	enum err_kind kind;
} failures[] = {
	{ "usage", "nodetool: Unknown keyspace: x\n", ERR_REMOTE },
	{ "stack trace", "error: null\n-- StackTrace --\n", ERR_REMOTE },
	{ "refused", "nodetool: Failed to connect to '127.0.0.1:7199' - ConnectException: "
	  "'Connection "
	  "refused'.\n", ERR_CONNECT },
	{ "unknown host", "nodetool: Failed to connect to 'x:7199' - UnknownHostException: 'x'.\n",
	  ERR_CONNECT },
	{ "password", "error: Invalid username or password\n", ERR_AUTH },
	{ "cqlsh", "Connection error: ('Unable to connect to any servers', {'h': "
	  "AuthenticationFailed('x')})\n", ERR_AUTH },
	{ "prose", "hello\n", ERR_FORMAT },
	{ "empty", "", ERR_FORMAT },
};

static void test_error_kinds(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(failures); i++) {
		case_run(&c, parse_status, failures[i].text);
		if (c.ok || c.err.kind != failures[i].kind)
			fail_msg("%s: kind %d", failures[i].name, (int)c.err.kind);
		assert_string_equal(c.err.subject, "text");
		case_close(&c);
	}
}

/* An error's text is one short line whatever the node sent. */
static void test_hostile_message(void **state)
{
	struct parse_case c;
	char text[1000];

	(void)state;
	memset(text, '\x1b', sizeof(text));
	memcpy(text, "error: ", 7);
	text[sizeof(text) - 1] = '\0';
	case_run(&c, parse_status, text);
	assert_false(c.ok);
	assert_true(strlen(c.err.text) < 300);
	for (const char *p = c.err.text; *p; p++)
		assert_true((unsigned char)*p >= 0x20);
	case_close(&c);
}

static const struct {
	const char *file;
	parse_fn *parse;
	const char *expected;
} files[] = {
	{ "3.11.19-version.txt", parse_version, "release 3.11.19; " },
	{ "5.0.6-version.txt", parse_version, "release 5.0.6; " },
	{ "3.11.19-status.txt", parse_status, "datacenter1/127.0.0.1 UN 633fb9ad; " },
	{ "5.0.6-status.txt", parse_status, "datacenter1/10.0.0.13 UN bb759507; "
	  "datacenter1/10.0.0.12 UN 9e423b1d; datacenter1/10.0.0.11 UN f547a624; " },
	{ "5.0.6-status-down.txt", parse_status, "datacenter1/127.0.0.3 UN 72d98897; "
	  "datacenter1/127.0.0.2 UN f80a2a2a; datacenter1/127.0.0.1 DN 4e4b5184; " },
	{ "3.11.19-info.txt", parse_info,
	  "id 633fb9ad-67c8-44da-a7e8-9603d314423a; datacenter datacenter1; " },
	{ "5.0.6-info.txt", parse_info,
	  "id 9c544bf3-8c13-49be-82b3-2ebcb0410317; datacenter datacenter1; " },
	{ "3.11.19-describecluster.txt", parse_describecluster, "cluster lab; " },
	{ "5.0.6-describecluster.txt", parse_describecluster,
	  "cluster metrics-prod; 5.0.6: 10.0.0.11 10.0.0.12 10.0.0.13; " },
	{ "3.11.19-statusautocompaction.txt", parse_statusautocompaction, "FAILED ! 1 an error "
	  "message: "
	  "nodetool: Found unexpected parameters: [statusautocompaction, metrics]" },
	{ "5.0.6-statusautocompaction.txt", parse_statusautocompaction, "all=0; " },
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct parse_case c;

		case_open(&c);
		case_parse(&c, files[i].parse, files[i].file,
			   case_fixture(c.arena,
					arena_printf(c.arena, "nodetool/%s", files[i].file)));
		if (strcmp(result(&c), files[i].expected) != 0)
			fail_msg("%s: %s", files[i].file, result(&c));
		case_close(&c);
	}
}

static void test_long_files(void **state)
{
	struct parse_case c;

	(void)state;
	case_open(&c);
	case_parse(&c, parse_statusautocompaction, "x",
		   case_fixture(c.arena, "nodetool/5.0.6-statusautocompaction-a.txt"));
	assert_true(c.ok);
	assert_int_equal(c.node.autocompaction.n, 56);
	assert_false(c.node.autocompaction_all.known);
	case_close(&c);
	case_open(&c);
	case_parse(&c, parse_datapaths, "x", case_fixture(c.arena, "nodetool/5.0.6-datapaths.txt"));
	assert_true(c.ok);
	assert_int_equal(c.node.datapaths.n, 15);
	assert_string_equal(c.node.datapaths.v[14]->table, "latest");
	case_close(&c);
}

/* What a cut output says is a part of what the whole one says: piece by piece, in order. */
static void compare_prefix(const struct parse_case *part, const struct parse_case *whole,
			   const char *where)
{
	struct parse_case p = *part, w = *whole;
	struct slice rest;
	const char *all;

	p.err = w.err = (struct err){ 0 };
	p.ok = w.ok = true;
	rest = slice_of(result(&p));
	all = result(&w);
	while (rest.n) {
		size_t n = slice_find(rest, ';') + 1;
		const char *piece = arena_copy(p.arena, (struct slice){ rest.p, n });

		if (!strstr(all, piece))
			fail_msg("%s: '%s'", where, piece);
		rest = slice_from(rest, n + 1);
	}
}

static void test_prefixes(void **state)
{
	static const struct { const char *file; parse_fn *parse; } long_files[] = {
		{ "nodetool/5.0.6-version.txt", parse_version },
		{ "nodetool/5.0.6-status.txt", parse_status },
		{ "nodetool/3.11.19-status.txt", parse_status },
		{ "nodetool/5.0.6-info.txt", parse_info },
		{ "nodetool/5.0.6-describecluster.txt", parse_describecluster },
		{ "nodetool/5.0.6-statusautocompaction.txt", parse_statusautocompaction },
		{ "nodetool/5.0.6-statusautocompaction-a.txt", parse_statusautocompaction },
		{ "nodetool/5.0.6-datapaths.txt", parse_datapaths },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(long_files); i++)
		case_prefixes(long_files[i].parse, long_files[i].file, compare_prefix);
}

static const struct {
	const char *pattern;
	parse_fn *parse;
} recordings[] = {
	{ "version.txt", parse_version }, { "status.txt", parse_status }, { "info.txt",
	  parse_info },
	{ "describecluster.txt", parse_describecluster }, { "datapaths.txt", parse_datapaths },
};

static void test_recordings(void **state)
{
	char pattern[4096];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(recordings); i++) {
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/fixtures/cassandra-*/%s", case_shared(),
			 recordings[i].pattern);
		if (glob(pattern, 0, NULL, &found) != 0) {
			print_message("no recordings in %s: skipped\n", case_shared());
			skip();
		}
		for (size_t j = 0; j < found.gl_pathc; j++, n++) {
			struct parse_case c;

			case_open(&c);
			case_parse(&c, recordings[i].parse, found.gl_pathv[j],
				   case_read(c.arena, found.gl_pathv[j]));
			if (!c.ok || c.err.kind != ERR_NONE)
				fail_msg("%s", err_text(c.arena, &c.err));
			case_close(&c);
		}
		globfree(&found);
	}
	print_message("%zu outputs read\n", n);
	assert_true(n > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_error_kinds),
		cmocka_unit_test(test_hostile_message), cmocka_unit_test(test_files),
		cmocka_unit_test(test_long_files), cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
