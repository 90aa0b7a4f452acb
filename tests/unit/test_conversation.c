/*
 * The conversation with a node, without any node: answers are played, and what is asked and what
 * evidence comes of it is compared.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/slice.h"
#include "collect/conversation.h"

/* What was handed out, a line each: "kind subject|file status: first of errout". */
struct play {
	struct arena *a;
	struct buf asked, handed;
	struct remote_options o;
	struct live_guide guide;
	bool datapaths, schema;
	int release;
};

static int play_release(void *ctx, const char *node)
{
	(void)node;
	return ((struct play *)ctx)->release;
}

static void play_directories(void *ctx, const char *node, struct arena *a,
			     struct live_directories *out)
{
	(void)node;
	if (((struct play *)ctx)->datapaths)
		*vec_add(a, &out->list) = (struct live_directory){ "ks", "/data/ks/t-1" };
}

static bool play_wants(void *ctx, const char *keyspace, const char *directory)
{
	(void)ctx;
	return strcmp(keyspace, "ks") == 0 && strncmp(directory, "t-", 2) == 0;
}

static void play_tables(void *ctx, const char *node, struct arena *a, struct live_tables *out)
{
	(void)ctx;
	(void)node;
	*vec_add(a, &out->list) = (struct live_table){ "ks", "t" };
	*vec_add(a, &out->list) = (struct live_table){ "ks", "u" };
}

static void note(void *ctx, const struct evidence *ev)
{
	struct play *p = ctx;

	buf_printf(&p->handed, "%s %s", evidence_kind_name(ev->kind),
		   ev->file ? ev->file : ev->table ? ev->table
				       : ev->directory ? ev->directory : "-");
	if (ev->exit_status.known)
		buf_printf(&p->handed, " %lld", (long long)ev->exit_status.v);
	if (ev->signal)
		buf_printf(&p->handed, " %s", ev->signal);
	if (ev->errout && *ev->errout)
		buf_printf(&p->handed, ": %.*s", (int)strcspn(ev->errout, "\n"), ev->errout);
	buf_char(&p->handed, '\n');
}

static struct play *setup(void)
{
	struct arena *a = arena_create();
	struct play *p = arena_alloc(a, sizeof(*p));

	p->a = a;
	buf_init(&p->asked, 1 << 20);
	buf_init(&p->handed, 1 << 20);
	p->guide = (struct live_guide){ .ctx = p, .release = play_release,
					.directories = play_directories, .wants = play_wants,
					.tables = play_tables };
	p->o = (struct remote_options){ .command_timeout_s = 60, .guide = &p->guide };
	p->datapaths = true;
	p->release = 50006;
	return p;
}

static void teardown(struct play *p)
{
	buf_free(&p->asked);
	buf_free(&p->handed);
	arena_destroy(p->a);
}

static const char *handed(struct play *p)
{
	return arena_copy(p->a, (struct slice){ p->handed.p, p->handed.n });
}

static const struct remote_node node_a = { .name = "a", .host = "a" };
static const struct remote_node node_b = { .name = "b", .host = "b" };

static struct conversation *begin(struct play *p, const struct remote_node *n, struct errands *e)
{
	struct conversation *c = conversation_create(p->a, &p->o, n, e, note, p);

	conversation_begin(c, "192.0.2.1", NULL);
	return c;
}

/* The next request's word and parameters: "nodetool version", "fetch /data/x /data/y". */
static const char *next(struct play *p, struct conversation *c)
{
	const struct remote_request *q = conversation_next(c);
	struct lines it;
	struct slice line;
	bool parameters = false;
	const char *text;

	if (!q)
		return conversation_is_over(c) ? "over" : "waits";
	text = q->word;
	it = lines_of(q->input);
	while (lines_next(&it, &line)) {
		if (parameters)
			text = arena_printf(p->a, "%s %.*s", text, (int)line.n, line.p);
		parameters = parameters || !line.n;
	}
	assert_true(parameters);
	return q->as_owner ? arena_printf(p->a, "owner: %s", text) : text;
}

static void answer(struct conversation *c, int status, const char *out, const char *errout)
{
	struct run_result r = { .exit_status = some_i64(status), .errout = errout,
				.started_s = 1000, .duration_ms = 5 };

	if (out)
		r.out = slice_of(out);
	conversation_take(c, &r);
}

/* Expects the request and answers it. */
static void expect(struct play *p, struct conversation *c, const char *request, int status,
		   const char *out, const char *errout)
{
	assert_string_equal(next(p, c), request);
	answer(c, status, out, errout);
}

static const char hello[] = "clock 1796061782\nhost a\nsettings /etc/cassandra/cassandra.yaml\n"
			    "| data_file_directories:\n|     - /data\n| password: secret\n";

static const char schema_rows[] = "\n [json]\n-----\n {\"keyspace_name\": \"ks\"}\n\n(1 rows)\n";

static void expect_schema(struct play *p, struct conversation *c)
{
	static const char *const tables[] = { "tables", "keyspaces", "views", "columns" };

	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		expect(p, c, arena_printf(p->a, "cqlsh %s", tables[i]), 0, schema_rows, "");
}

/* Up to the listing. */
static void expect_beginning(struct play *p, struct conversation *c)
{
	expect(p, c, "hello", 0, hello, "");
	expect(p, c, "nodetool version", 0, "ReleaseVersion: 5.0.6\n", "");
	expect(p, c, "nodetool datapaths", 0, "x\n", "");
	expect_schema(p, c);
}

static void expect_late(struct play *p, struct conversation *c)
{
	expect(p, c, "nodetool tablehistograms ks t", 0, "x\n", "");
	expect(p, c, "nodetool tablehistograms ks u", 0, "x\n", "");
	assert_string_equal(next(p, c), "over");
}

/* After SSTables and before what comes last. */
static void expect_rest(struct play *p, struct conversation *c)
{
	expect(p, c, "nodetool tablestats", 0, "x\n", "");
	expect(p, c, "nodetool compactionstats", 0, "x\n", "");
	expect(p, c, "nodetool status", 0, "x\n", "");
	expect(p, c, "nodetool statusautocompaction -a", 0, "x\n", "");
	expect(p, c, "nodetool describecluster", 0, "x\n", "");
	expect(p, c, "nodetool info", 0, "x\n", "");
	expect(p, c, "df /data", 0, "x\n", "");
}

static void expect_end(struct play *p, struct conversation *c)
{
	expect_rest(p, c);
	expect_late(p, c);
}

/* ---- tar ---- */

/* One member: header, bytes, padding. */
static void add_member(struct buf *b, const char *name, const char *bytes, char type)
{
	char h[512] = { 0 };
	size_t n = strlen(bytes);
	unsigned sum = 0;

	(void)snprintf(h, 100, "%s", name);
	(void)snprintf(h + 100, 8, "%07o", 0644U);
	(void)snprintf(h + 108, 8, "%07o", 0U);
	(void)snprintf(h + 116, 8, "%07o", 0U);
	(void)snprintf(h + 124, 12, "%011o", (unsigned)n & 0777777);
	(void)snprintf(h + 136, 12, "%011o", 1U);
	memset(h + 148, ' ', 8);
	h[156] = type;
	memcpy(h + 257, "ustar\0" "00", 8);
	for (size_t i = 0; i < sizeof(h); i++)
		sum += (unsigned char)h[i];
	(void)snprintf(h + 148, 8, "%06o", sum);
	buf_add(b, h, sizeof(h));
	buf_add(b, bytes, n);
	buf_repeat(b, '\0', (512 - n % 512) % 512);
}

static void answer_tar(struct conversation *c, struct buf *tar, int status, const char *errout)
{
	struct run_result r = { .exit_status = some_i64(status), .errout = errout };

	buf_repeat(tar, '\0', 1024);
	r.out = (struct slice){ tar->p, tar->n };
	conversation_take(c, &r);
	buf_free(tar);
}

#define LIST_REQUEST "owner: list dir /data/ks/t-1"
#define FETCH_REQUEST "owner: fetch /data/ks/t-1/nb-1-big-Statistics.db " \
	"/data/ks/t-1/nb-1-big-Summary.db"

/* ---- tests ---- */

static void test_whole(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));
	struct buf tar;

	(void)state;
	expect_beginning(p, c);
	expect(p, c, LIST_REQUEST, 0,
	       "dir 0\nf 7 5 nb-1-big-Summary.db\nf 5 5 ./nb-1-big-Statistics.db\n"
	       "f 9 5 nb-1-big-Data.db\nf 1 1 ../x\nf 1 y\nok 0\n", "");
	assert_string_equal(next(p, c), FETCH_REQUEST);
	buf_init(&tar, 1 << 20);
	buf_str(&tar, "Welcome to this machine\n");	/* a login shell that talks */
	add_member(&tar, "etc/shadow", "not asked for", '0');
	add_member(&tar, "data/ks/t-1/nb-1-big-Statistics.db", "bytes", '0');
	add_member(&tar, "./data/ks/t-1/nb-1-big-Summary.db", "summary", '0');
	answer_tar(c, &tar, 0, "");
	expect_end(p, c);
	assert_string_equal(handed(p),
			    "node - 0\nsettings - 0\nversion - 0\ndatapaths - 0\nschema - 0\n"
			    "statistics-db nb-1-big-Statistics.db\nkeys-db nb-1-big-Summary.db\n"
			    "sstable-listing t-1 0\ntablestats - 0\ncompactionstats - 0\n"
			    "status - 0\nstatusautocompaction - 0\ndescribecluster - 0\n"
			    "info - 0\ndisk-usage - 0\ntablehistograms t 0\n"
			    "tablehistograms u 0\n");
	conversation_close(c);
	teardown(p);
}

/* nb-1 vanishes, nb-2 can't be read, nb-3 is what compaction made meanwhile. */
static void test_vanished(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));
	struct buf tar;

	(void)state;
	expect_beginning(p, c);
	expect(p, c, LIST_REQUEST, 0,
	       "dir 0\nf 5 5 nb-1-big-Statistics.db\nf 5 5 nb-2-big-Statistics.db\nok 0\n", "");
	expect(p, c, "owner: fetch /data/ks/t-1/nb-1-big-Statistics.db "
		     "/data/ks/t-1/nb-2-big-Statistics.db", 2, NULL,
	       "tar: data/ks/t-1/nb-2-big-Statistics.db: Cannot open: Permission denied\n");
	expect_rest(p, c);
	/* nothing came at all: no second listing, the tool is asked */
	expect(p, c, "owner: sstablemetadata /data/ks/t-1/nb-1-big-Data.db "
		     "/data/ks/t-1/nb-2-big-Data.db", 1, "SSTable: x\n", "boom");
	expect_late(p, c);
	assert_non_null(strstr(handed(p), "statistics-db t-1 1: nb-1-big-Statistics.db cannot be "
					    "read: tar: data/ks/t-1/nb-2-big-Statistics.db: Cannot "
					    "open: Permission denied (and 1 more)\n"));
	assert_non_null(strstr(handed(p), "sstablemetadata t-1 1: boom\n"));
	conversation_close(c);

	p->handed.n = 0;
	c = begin(p, &node_a, errands_create(p->a));
	expect_beginning(p, c);
	expect(p, c, LIST_REQUEST, 0,
	       "dir 0\nf 5 5 nb-1-big-Statistics.db\nf 5 5 nb-2-big-Statistics.db\n"
	       "f 5 5 nb-4-big-Statistics.db\nok 0\n", "");
	(void)next(p, c);
	buf_init(&tar, 1 << 20);
	add_member(&tar, "data/ks/t-1/nb-4-big-Statistics.db", "bytes", '0');
	answer_tar(c, &tar, 2, "tar: nb-2-big-Statistics.db: Cannot open: Permission denied\n");
	expect(p, c, LIST_REQUEST, 0,
	       "dir 0\nf 5 5 nb-2-big-Statistics.db\nf 5 5 nb-3-big-Statistics.db\n"
	       "f 5 5 nb-4-big-Statistics.db\nok 0\n", "");
	assert_string_equal(next(p, c), "owner: fetch /data/ks/t-1/nb-3-big-Statistics.db");
	buf_init(&tar, 1 << 20);
	add_member(&tar, "data/ks/t-1/nb-3-big-Statistics.db", "bytes", '0');
	answer_tar(c, &tar, 0, "");
	expect_rest(p, c);
	expect(p, c, "owner: sstablemetadata /data/ks/t-1/nb-2-big-Data.db", 0, "SSTable: x\n", "");
	expect_late(p, c);
	assert_non_null(strstr(handed(p), "statistics-db nb-4-big-Statistics.db\n"
					    "statistics-db nb-3-big-Statistics.db\n"
					    "sstable-listing t-1 0\n"
					    "statistics-db t-1 1: nb-2-big-Statistics.db cannot be "
					    "read: tar: nb-2-big-Statistics.db: Cannot open: "
					    "Permission denied\n"));
	assert_non_null(strstr(handed(p), "sstablemetadata t-1 0\n"));
	assert_null(strstr(handed(p), "nb-1"));
	conversation_close(c);
	teardown(p);
}

/* A link in the stream is nothing to read. */
static void test_link_in_tar(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));
	struct buf tar;

	(void)state;
	expect_beginning(p, c);
	expect(p, c, LIST_REQUEST, 0, "dir 0\nf 5 5 nb-1-big-Statistics.db\nok 0\n", "");
	(void)next(p, c);
	buf_init(&tar, 1 << 20);
	add_member(&tar, "data/ks/t-1/nb-1-big-Statistics.db", "", '2');
	answer_tar(c, &tar, 0, "");
	expect(p, c, LIST_REQUEST, 0, "dir 0\nf 5 5 nb-1-big-Statistics.db\nok 0\n", "");
	expect_rest(p, c);
	expect(p, c, "owner: sstablemetadata /data/ks/t-1/nb-1-big-Data.db", 127, NULL,
	       "sstablemetadata: not found");
	expect_late(p, c);
	assert_null(strstr(handed(p), "statistics-db nb-1"));
	assert_non_null(strstr(handed(p), "sstablemetadata t-1 127: sstablemetadata: not found\n"));
	conversation_close(c);
	teardown(p);
}

/* Without datapaths the roots of cassandra.yaml are listed, and other tables passed over. */
static void test_roots(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));

	(void)state;
	p->datapaths = false;
	p->release = 40017;
	expect(p, c, "hello", 0, hello, "");
	expect(p, c, "nodetool version", 0, "ReleaseVersion: 4.0.17\n", "");
	expect_schema(p, c);
	expect(p, c, "owner: list root /data", 0,
	       "sub 0 system/local-1\nf 5 5 nb-9-big-Statistics.db\nend\n"
	       "sub 0 ks/t-1\nf 5 5 nb-1-big-Data.db\nend\n"
	       "sub 0 ks/t-2\nfailed-sub Permission denied\n"
	       "sub 0 ks/t-1\nf 1 1 nb-7-big-Data.db\nend\nok 0\n", "");
	expect_end(p, c);
	assert_null(strstr(handed(p), "broke off"));
	assert_null(strstr(handed(p), "local-1"));
	assert_non_null(strstr(handed(p), "sstable-listing t-1 0\n"));
	assert_non_null(strstr(handed(p), "sstable-listing t-2 1: cannot be read: "
					    "Permission denied\n"));
	conversation_close(c);
	teardown(p);
}

/* A data directory that did not come to its end has more than was said. */
static void test_broken_root(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));

	(void)state;
	p->datapaths = false;
	expect(p, c, "hello", 0, hello, "");
	expect(p, c, "nodetool version", 0, "x\n", "");
	expect(p, c, "nodetool datapaths", 1, NULL, "no");
	expect_schema(p, c);
	expect(p, c, "owner: list root /data", 0,
	       "sub 0 ks/t-1\nf 5 5 nb-1-big-Data.db\nf 5 5 nb-1-big-Data.db\nend\n", "");
	expect_end(p, c);
	assert_non_null(strstr(handed(p), "sstable-listing - 1: the listing broke off\n"));
	assert_non_null(strstr(handed(p), "sstable-listing t-1 0\n"));
	conversation_close(c);
	teardown(p);
}

/* sudo refuses: listing and tool fail with its word, the rest goes on. */
static void test_sudo(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));

	(void)state;
	expect_beginning(p, c);
	p->o.user = "monitor";
	p->o.sudo = "cassandra";
	expect(p, c, LIST_REQUEST, 1, NULL, "Welcome\nsudo: a password is required\n");
	expect_end(p, c);
	assert_non_null(strstr(handed(p),
			       "sstable-listing t-1 1: sudo: a password is required; hint: "
			       "sudoers(5) must let monitor run commands as cassandra without a "
			       "password\n"));
	conversation_close(c);
	teardown(p);
}

/* nodetool that is not there, or hangs, is not asked again and again. */
static void test_no_nodetool(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));

	(void)state;
	p->datapaths = false;
	expect(p, c, "hello", 0, hello, "");
	expect(p, c, "nodetool version", 127, NULL, "nodetool: not found");
	expect_schema(p, c);
	expect(p, c, "owner: list root /data", 0, "ok 0\n", "");
	expect(p, c, "df /data", 0, "x\n", "");
	assert_string_equal(next(p, c), "over");
	assert_non_null(strstr(handed(p), "tablestats - 127: nodetool: not found\n"));
	assert_non_null(strstr(handed(p), "tablehistograms u 127: nodetool: not found\n"));
	conversation_close(c);

	p->handed.n = 0;
	c = begin(p, &node_a, errands_create(p->a));
	expect(p, c, "hello", 0, hello, "");
	expect(p, c, "nodetool version", 124, NULL, "took longer than 60 s");
	expect_schema(p, c);
	expect(p, c, "owner: list root /data", 0, "ok 0\n", "");
	expect(p, c, "df /data", 0, "x\n", "");
	assert_non_null(strstr(handed(p), "tablestats - 127: not asked, for 'nodetool version' "
					    "did not end: took longer than 60 s\n"));
	conversation_close(c);
	teardown(p);
}

/* One node tells for all; histograms wait for the schema; a failure gives it to the next one. */
static void test_errands(void **state)
{
	struct play *p = setup();
	struct errands *e = errands_create(p->a);
	struct conversation *x = begin(p, &node_a, e), *y = begin(p, &node_b, e);

	(void)state;
	expect(p, x, "hello", 0, hello, "");
	expect(p, x, "nodetool version", 0, "x\n", "");
	expect(p, x, "nodetool datapaths", 0, "x\n", "");
	assert_string_equal(next(p, x), "cqlsh tables");
	expect(p, y, "hello", 0, hello, "");
	expect(p, y, "nodetool version", 0, "x\n", "");
	expect(p, y, "nodetool datapaths", 0, "x\n", "");
	expect(p, y, LIST_REQUEST, 0, "dir 0\nok 0\n", "");
	expect(p, y, "nodetool tablestats", 0, "x\n", "");
	expect(p, y, "nodetool compactionstats", 0, "x\n", "");
	expect(p, y, "nodetool statusautocompaction -a", 0, "x\n", "");
	expect(p, y, "df /data", 0, "x\n", "");
	assert_string_equal(next(p, y), "waits");
	answer(x, 1, NULL, "Connection error");
	assert_non_null(strstr(handed(p), "schema - 1: Connection error\n"));
	expect_schema(p, y);
	/* the others are still the first node's */
	assert_string_equal(next(p, y), "waits");
	conversation_fail(x, &(struct err){ .kind = ERR_CONNECT, .text = "gone" });
	assert_string_equal(next(p, x), "over");
	expect(p, y, "nodetool status", 0, "x\n", "");
	expect(p, y, "nodetool describecluster", 0, "x\n", "");
	expect(p, y, "nodetool info", 0, "x\n", "");
	assert_string_equal(next(p, y), "nodetool tablehistograms ks t");
	conversation_close(x);
	conversation_close(y);
	teardown(p);
}

/* A node that is not reached at all, and one that is lost on the way. */
static void test_fail(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));

	(void)state;
	conversation_fail(c, &(struct err){ .kind = ERR_CONNECT, .text = "refused" });
	assert_true(conversation_is_over(c));
	assert_string_equal(handed(p),
			    "node - 0\nsstable-listing - 255: refused\n"
			    "statistics-db - 255: refused\n"
			    "version - 255: refused\ntablestats - 255: refused\n"
			    "compactionstats - 255: refused\ntablehistograms - 255: refused\n");
	conversation_fail(c, &(struct err){ .kind = ERR_CONNECT, .text = "again" });
	assert_null(strstr(handed(p), "again"));
	conversation_close(c);

	p->handed.n = 0;
	c = begin(p, &node_a, errands_create(p->a));
	expect_beginning(p, c);
	expect(p, c, LIST_REQUEST, 0, "dir 0\nf 5 5 nb-1-big-Statistics.db\nok 0\n", "");
	assert_string_equal(next(p, c), "owner: fetch /data/ks/t-1/nb-1-big-Statistics.db");
	conversation_fail(c, &(struct err){ .kind = ERR_TIMEOUT, .text = "late" });
	assert_non_null(strstr(handed(p), "sstable-listing t-1 0\n"
					    "statistics-db t-1 1: nb-1-big-Statistics.db cannot be "
					    "read: late\ntablestats - 124: late\n"));
	conversation_close(c);

	p->handed.n = 0;
	c = begin(p, &node_a, errands_create(p->a));
	expect(p, c, "hello", 127, NULL, "sh: not found\nmore");
	assert_true(conversation_is_over(c));
	assert_non_null(strstr(handed(p), "tablestats - 255: sh: not found\n"));
	conversation_close(c);
	teardown(p);
}

/* A listing that is cut off is no listing; what came whole before it counts. */
static void test_broken_listing(void **state)
{
	struct play *p = setup();
	struct conversation *c = begin(p, &node_a, errands_create(p->a));

	(void)state;
	expect_beginning(p, c);
	expect(p, c, LIST_REQUEST, 124, "dir 0\nf 5 5 nb-1-big-Statistics.db\nf 5 5 nb-2",
	       "took longer than 60 s");
	expect_end(p, c);
	assert_non_null(strstr(handed(p), "sstable-listing t-1 1: took longer than 60 s\n"));
	conversation_close(c);
	teardown(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	      cmocka_unit_test(test_vanished),
		cmocka_unit_test(test_link_in_tar),   cmocka_unit_test(test_roots),
		cmocka_unit_test(test_broken_root),
		cmocka_unit_test(test_sudo),	      cmocka_unit_test(test_no_nodetool),
		cmocka_unit_test(test_errands),	      cmocka_unit_test(test_fail),
		cmocka_unit_test(test_broken_listing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
