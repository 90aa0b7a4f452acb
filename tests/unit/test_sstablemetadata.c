/* sstablemetadata's text: src/parse/sstablemetadata.c and metadata_*.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice.h"
#include "files.h"
#include "metadata_text.h"

#define FIXTURES "fixtures/sstablemetadata/"
#define TABLE_ID "-5a1c3f70b1d011ee8c55a5d4f2f1c0de"

/* ---- real output ---- */

struct expected {
	const char *file;
	size_t records, index;
	const char *name, *keyspace, *table_dir;
	int64_t min_ts, max_ts, min_ldt, max_ldt, min_ttl, max_ttl, first, last;
	int64_t repaired;
	const char *pending;
	int64_t columns, rows, largest;
	const char *host_id;
};

static const struct expected recordings[] = {
	{ "3.11.19-readings_ok.txt", 1, 0, "me-1-big", "metrics",
	  "readings_ok-2be201e0d0a111f1abacf31b8a8c1388", 1792952609528000, 1792952609568005,
	  1795544609, 1795544609, 2592000, 2592000, -8974406347386841334, -2741956534810519861, 0,
	  NULL, 80, 40, 372, "633fb9ad-67c8-44da-a7e8-9603d314423a" },
	{ "3.11.19-readings_nottl.txt", 1, 0, "me-2-big", "metrics",
	  "readings_nottl-2c16a670d0a111f1abacf31b8a8c1388", 1793039010412000, 1793039010421000,
	  1795631010, NEVER, 0, 2592000, -7391344847191442046, 5254540861807279505, 0, NULL, 40, 20,
	  215, "633fb9ad-67c8-44da-a7e8-9603d314423a" },
	{ "4.0.17-two.txt", 2, 1, "nb-19-big", "metrics",
	  "readings_late-8afeb890d0a011f1a345551650d60451", 1796062761101000, 1796062761103009,
	  1798654761, 1798654761, 2592000, 2592000, -4715511363518905084, 8601753730564534143, 0,
	  NULL, 40, 20, 215, "395de718-36f8-49e0-807c-0320a2c2a6c1" },
	{ "4.1.9-readings_nottl.txt", 1, 0, "nb-2-big", "metrics",
	  "readings_nottl-9d45f0a0d09f11f18c719d50f71272ac", 1793038341988000, 1793038342000000,
	  1795630341, NEVER, 0, 2592000, -7391344847191442046, 5254540861807279505, 0, NULL, 40, 20,
	  215, "2642f450-8526-4e71-a1eb-bcc52a771006" },
	{ "5.0.6-readings_nottl.txt", 1, 0, "nb-2-big", "metrics",
	  "readings_nottl-2b6f7150d09e11f1bb95955e7e48e9e1", 1793037722322000, 1793037722340000,
	  1795629722, NEVER, 0, 2592000, -7391344847191442046, 5254540861807279505, 0, NULL, 40, 20,
	  215, "9c544bf3-8c13-49be-82b3-2ebcb0410317" },
	{ "5.0.6-pending.txt", 1, 0, "nb-2-big", "metrics",
	  "p_disjoint-b8501f30ecf411f18c74e5f0a984d77d", 1796065328517040, 1796065328517040,
	  1796067158, 1796067159, 30, 30, -4715511363518905084, 8601753730564534143, 0,
	  "bd1a5170-ecf4-11f1-8c74-e5f0a984d77d", 16, 8, 60,
	  "f80a2a2a-7c91-44d5-9702-43689b446826" },
	{ "5.0.6-repaired.txt", 1, 0, "nb-2-big", "metrics",
	  "rep_expired_far-ca920a00e38511f1aa572d658bb6f573", 1795029923855000, 1795029923869001,
	  1795461923, 1795461923, 432000, 432000, 623342615247265299, 8701230785641159706,
	  1796066724546, NULL, 48, 24, 258, "b5f0aba5-19bf-4626-8ec3-580d67a1ffa9" },
	{ "5.0.6-oa-uuid.txt", 1, 0, "oa-3h4y_1fa5_33vsa2v1fed9yidpo4-big", "metrics",
	  "readings_nottl-c1c41040d0a111f1bc36cf9a4cdbad34", 1792952861313000, 1792952861326001,
	  1795544861, 1795544861, 2592000, 2592000, -8974406347386841334, -2741956534810519861, 0,
	  NULL, 40, 20, 179, "6c5e4884-8fe7-4c78-8a7a-1ebc58487def" },
	{ "5.0.6-missing-then-good.txt", 2, 1, "nb-9-big", "metrics", "readings", 1793815328518000,
	  1793815328526002, 1796407328, 1796407328, 2592000, 2592000, NONE, NONE, 0, NULL, 40, 20,
	  215, "9c544bf3-8c13-49be-82b3-2ebcb0410317" },
	{ "5.0.6-scan.txt", 1, 0, "nb-37-big", "metrics",
	  "readings_ok-2b08e750d09e11f1bb95955e7e48e9e1", 1796061743752000, 1796061743756000,
	  1798653743, 1798653743, 2592000, 2592000, -4715511363518905084, 8601753730564534143, 0,
	  NULL, 80, 40, 372, "9c544bf3-8c13-49be-82b3-2ebcb0410317" },
};

static void assert_expected(const char *variant, const struct expected *e, struct parsed *p)
{
	const char *name = arena_printf(p->arena, "%s (%s)", e->file, variant);
	const struct sstable_meta *m;

	if (!p->ok || p->err.kind != ERR_NONE)
		fail_msg("%s: %s", name, err_text(p->arena, &p->err));
	if (p->node.metas.n != e->records)
		fail_msg("%s: %zu records, not %zu", name, p->node.metas.n, e->records);
	m = p->node.metas.v[e->index];
	assert_string(name, "name", m->name, e->name);
	assert_string(name, "keyspace", m->keyspace, e->keyspace);
	assert_string(name, "table directory", m->table_dir, e->table_dir);
	assert_string(name, "path", m->path, arena_printf(p->arena, "%s/%s", m->directory,
		m->name));
	assert_number(name, "minimum timestamp", m->min_ts, e->min_ts);
	assert_number(name, "maximum timestamp", m->max_ts, e->max_ts);
	assert_number(name, "minimum deletion time", m->min_ldt_s, e->min_ldt);
	assert_number(name, "maximum deletion time", m->max_ldt_s, e->max_ldt);
	assert_number(name, "minimum TTL", m->min_ttl_s, e->min_ttl);
	assert_number(name, "maximum TTL", m->max_ttl_s, e->max_ttl);
	assert_number(name, "first token", m->first_token, e->first);
	assert_number(name, "last token", m->last_token, e->last);
	assert_number(name, "level", m->level, 0);
	assert_true(m->repair_known);
	assert_number(name, "repaired at", some_i64(m->repaired_at_ms), e->repaired);
	assert_string(name, "pending repair", m->pending_repair, e->pending);
	assert_string(name, "partitioner", m->partitioner,
		      "org.apache.cassandra.dht.Murmur3Partitioner");
	assert_string(name, "problem", m->problem, NULL);
	assert_number(name, "columns", m->columns_set, e->columns);
	assert_number(name, "rows", m->rows, e->rows);
	assert_number(name, "largest partition", m->max_partition_bytes, e->largest);
	assert_string(name, "host id", m->host_id, e->host_id);
	if (m->state != METADATA_COMPLETE || m->vanished || m->native)
		fail_msg("%s: state %d", name, m->state);
}

/* With CR before each LF. */
static struct slice with_crlf(struct arena *a, struct slice s)
{
	char *out = arena_alloc(a, s.n * 2 + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n')
			out[n++] = '\r';
		out[n++] = s.p[i];
	}
	return (struct slice){ out, n };
}

static struct slice with_noise(struct arena *a, struct slice s)
{
	static const char noise[] = "\xef\xbb\xbf"
		"OpenJDK 64-Bit Server VM warning: Option X was deprecated in version 9.0\n"
		"WARN  18:02:01,123 Some: text of a logger\n\nTotal: 5\n12\n";
	char *out = arena_alloc(a, sizeof(noise) + s.n);

	memcpy(out, noise, sizeof(noise) - 1);
	memcpy(out + sizeof(noise) - 1, s.p, s.n);
	return (struct slice){ out, sizeof(noise) - 1 + s.n };
}

static struct slice fixture(struct arena *a, const char *file)
{
	struct slice s = file_bytes(a, tests_path(a, arena_printf(a, FIXTURES "%s", file)));

	if (!s.n)
		fail_msg("%s cannot be read", file);
	return s;
}

static void test_recordings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(recordings); i++) {
		struct arena *a = arena_create();
		struct slice text = fixture(a, recordings[i].file);
		const struct { const char *name; struct slice text; } variants[] = {
			{ "as recorded", text },
			{ "CRLF", with_crlf(a, text) },
			{ "noise before", with_noise(a, text) },
			{ "no line end", { text.p, text.n - 1 } },
		};
		struct parsed p;

		for (size_t k = 0; k < ARRAY_LEN(variants); k++) {
			parse(&p, variants[k].text);
			assert_expected(variants[k].name, &recordings[i], &p);
			release(&p);
		}
		arena_destroy(a);
	}
}

static void test_vanished(void **state)
{
	struct arena *a = arena_create();
	const struct sstable_meta *m;
	struct parsed p;

	(void)state;
	parse(&p, fixture(a, "5.0.6-missing-then-good.txt"));
	m = p.node.metas.v[0];
	assert_true(m->vanished);
	assert_int_equal(m->state, METADATA_NONE);
	assert_string_equal(m->name, "nb-77-big");
	assert_string_equal(m->directory, "/var/lib/cassandra/tmp/cut");
	assert_false(m->min_ts.known);
	release(&p);
	parse(&p, SLICE("No such file: /d/ks/t" TABLE_ID "/nb-1-big-Data.db\n"
			"No such file: /d/notes.txt\n"));
	assert_true(p.ok);
	assert_int_equal(p.err.kind, ERR_NONE);
	assert_int_equal(p.node.metas.n, 1);
	assert_string_equal(p.node.metas.v[0]->keyspace, "ks");
	release(&p);
	arena_destroy(a);
}

/* ---- made texts ---- */

#define HEAD(name) "SSTable: /d/ks/t" TABLE_ID "/" name "\n"
#define PARTITIONER "Partitioner: org.apache.cassandra.dht.Murmur3Partitioner\n"
#define TIMES                                                                                      \
	"Minimum timestamp: 1700006400123456 (11/15/2023 00:00:00)\n"                              \
	"Maximum timestamp: 1700092799876543 (11/15/2023 23:59:59)\n"                              \
	"SSTable min local deletion time: 1702598400 (12/15/2023 00:00:00)\n"                      \
	"SSTable max local deletion time: 1702684799 (12/15/2023 23:59:59)\n"
#define TTLS "TTL min: 2592000 (30 days)\nTTL max: 2592000 (30 days)\n"
#define STATE "SSTable Level: 0\nRepaired at: 0\nPending repair: --\n"
#define TAIL "Replay positions covered: {}\ntotalColumnsSet: 8\ntotalRows: 4\n"
#define KEYS "First token: -5 (a)\nLast token: 7 (b)\n"

struct made {
	const char *name, *text;
	enum metadata_state state;	/* of the first record */
	int64_t min_ts, max_ldt, max_ttl, first_token, repaired, rows;	/* NONE = not known */
	unsigned err_line;		/* 0 = no error */
	const char *err;
};

#define MIN_TS INT64_C(1700006400123456)
#define MAX_LDT INT64_C(1702684799)

static const struct made made[] = {
	{ "whole", HEAD("nb-1-big") PARTITIONER TIMES TTLS KEYS STATE TAIL, METADATA_COMPLETE,
	  MIN_TS, MAX_LDT, 2592000, -5, 0, 4, 0, NULL },
	{ "3.0: no TTL, no tokens",
	  HEAD("mc-1-big") PARTITIONER "Bloom Filter FP chance: 0.010000\n"
	  "Minimum timestamp: 1700006400123456\nMaximum timestamp: 1700092799876543\n"
	  "SSTable max local deletion time: 1702684799\nCompression ratio: -1.0\n"
	  "Estimated droppable tombstones: 0.0\nSSTable Level: 0\nRepaired at: 0\n"
	  "Replay positions covered: {}\nEstimated tombstone drop times:\n",
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, NONE, NONE, 0, NONE, 0, NULL },
	{ "5.0: zero timestamp, 2147483647 is a time there",
	  HEAD("oa-1-big") PARTITIONER "Minimum timestamp: -- (0)\n"
	  "Maximum timestamp: 11/15/2023 23:59:59 (1700092799876543)\n"
	  "Duration: Days: 0 Hours: 23 Minutes: 59 Seconds: 59\n"
	  "SSTable max local deletion time: 01/19/2038 03:14:07 (2147483647)\n" TTLS STATE TAIL,
	  METADATA_COMPLETE, 0, 2147483647, 2592000, NONE, 0, 4, 0, NULL },
	{ "5.0: above 32 bits",
	  HEAD("oa-1-big") PARTITIONER "Minimum timestamp: 11/15/2023 00:00:00 (1700006400123456)\n"
	  "Maximum timestamp: 11/15/2023 23:59:59 (1700092799876543)\n"
	  "SSTable max local deletion time: 02/07/2106 06:28:13 (4294967293)\n" TTLS STATE TAIL,
	  METADATA_COMPLETE, MIN_TS, INT64_C(4294967293), 2592000, NONE, 0, 4, 0, NULL },
	{ "4.x: sentinel with words",
	  HEAD("nb-1-big") PARTITIONER "Minimum timestamp: 1700006400123456 (x)\n"
	  "Maximum timestamp: 1700092799876543 (x)\n"
	  "SSTable min local deletion time: 2147483647 (no tombstones)\n"
	  "SSTable max local deletion time: 2147483647 (no tombstones)\n"
	  "TTL min: 0\nTTL max: 0\n" STATE TAIL,
	  METADATA_COMPLETE, MIN_TS, NEVER, 0, NONE, 0, 4, 0, NULL },
	{ "TTL not recorded: 2147483647 (never)",
	  HEAD("la-1-big") PARTITIONER TIMES "TTL min: 0\nTTL max: 2147483647 (never)\n" STATE
	  "Replay positions covered: {}\ntotalColumnsSet: -1\ntotalRows: -1\n",
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, NONE, NONE, 0, NONE, 0, NULL },
	{ "TTL not recorded: -1", HEAD("me-1-big") PARTITIONER TIMES "TTL min: -1\nTTL max: 5\n"
	  STATE
	  TAIL, METADATA_PARTIAL, MIN_TS, MAX_LDT, NONE, NONE, 0, 4, 0, NULL },
	{ "Statistics.db missing: no Partitioner line",
	  HEAD("nb-1-big") "Minimum timestamp: -9223372036854775808 (x)\n"
	  "Maximum timestamp: 9223372036854775807 (x)\n"
	  "SSTable max local deletion time: 2147483647 (no tombstones)\n" TTLS STATE TAIL,
	  METADATA_INCONCLUSIVE, NONE, NONE, NONE, NONE, NONE, NONE, 0, NULL },
	{ "nothing recorded: sentinel timestamps",
	  HEAD("nb-1-big") PARTITIONER "Minimum timestamp: -9223372036854775808 (x)\n"
	  "Maximum timestamp: 9223372036854775807 (x)\n"
	  "SSTable max local deletion time: 2147483647 (no tombstones)\n" TTLS STATE TAIL,
	  METADATA_INCONCLUSIVE, NONE, NONE, NONE, NONE, NONE, NONE, 0, NULL },
	{ "another partitioner: no tokens",
	  HEAD("me-1-big") "Partitioner: org.apache.cassandra.dht.RandomPartitioner\n" TIMES TTLS
	  "First token: 170141183460469231731687303715884105727 (k)\n"
	  "Last token: 170141183460469231731687303715884105727 (k)\n" STATE TAIL,
	  METADATA_COMPLETE, MIN_TS, MAX_LDT, 2592000, NONE, 0, 4, 0, NULL },
	{ "ends of the token range",
	  HEAD("me-1-big") PARTITIONER TIMES TTLS "First token: -9223372036854775808 (key=)\n"
	  "Last token: 9223372036854775807 (key=a) (b)\n" STATE TAIL,
	  METADATA_COMPLETE, MIN_TS, MAX_LDT, 2592000, INT64_MIN + 0, 0, 4, 0, NULL },
	{ "tokens in the wrong order",
	  HEAD("me-1-big") PARTITIONER TIMES TTLS "First token: 7 (a)\nLast token: -5 (b)\n" STATE
	  TAIL,
	  METADATA_COMPLETE, MIN_TS, MAX_LDT, 2592000, NONE, 0, 4, 1, "above its last one" },
	{ "token above 64 bits",
	  HEAD("me-1-big") PARTITIONER TIMES TTLS "First token: 9223372036854775808 (a)\n" KEYS
	  STATE
	  TAIL, METADATA_PARTIAL, MIN_TS, MAX_LDT, 2592000, NONE, 0, 4, 9, "no number behind" },
	{ "key with a bracket and a line feed",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS
	  "First token: -5 (a) (5)\nb (9)\nLast token: 7 (c)\n" STATE TAIL,
	  METADATA_COMPLETE, MIN_TS, MAX_LDT, 2592000, -5, 0, 4, 0, NULL },
	{ "first key fakes the repair state",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS
	  "First token: -5 (a\nRepaired at: 5\n)\nLast token: 7 (c)\n" STATE TAIL,
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, 2592000, -5, NONE, NONE, 12,
	  "a key in it looks like other lines" },
	{ "last key fakes the repair state",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS
	  "First token: -5 (a)\nLast token: 7 (c\nRepaired at: 5\n)\n" STATE TAIL,
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, 2592000, -5, NONE, 4, 14, "two different values" },
	{ "key fakes a timestamp",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS
	  "First token: -5 (a\nMinimum timestamp: 5\n)\nLast token: 7 (c)\n" STATE TAIL,
	  METADATA_PARTIAL, NONE, MAX_LDT, 2592000, -5, 0, 4, 10, "two different values" },
	{ "key fakes the timestamp that is there",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS
	  "First token: -5 (a\nMinimum timestamp: 1700006400123456\n)\nLast token: 7 (c)\n" STATE
	  TAIL,
	  METADATA_COMPLETE, MIN_TS, MAX_LDT, 2592000, -5, 0, 4, 0, NULL },
	{ "key fakes a pending repair",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS "First token: -5 (a)\nLast token: 7 (c\n"
	  "Pending repair: bd1a5170-ecf4-11f1-8c74-e5f0a984d77d\n)\n" STATE TAIL,
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, 2592000, -5, NONE, 4, 15, "two different values" },
	{ "key fakes a partitioner",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS "First token: -5 (a\n" PARTITIONER ")\n"
	  "Last token: 7 (c)\n" STATE TAIL,
	  METADATA_PARTIAL, NONE, NONE, NONE, NONE, NONE, NONE, 10, "out of order" },
	{ "key fakes an SSTable",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS "First token: -5 (a\n" HEAD("nb-2-big")
	  PARTITIONER
	  "Minimum timestamp: 5\n)\nLast token: 7 (c)\n" STATE TAIL,
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, 2592000, NONE, NONE, NONE, 10,
	  "begins among the keys of another one" },
	{ "ends before the repair state",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS KEYS "Estimated droppable tombstones: 1.0\n",
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, 2592000, -5, NONE, NONE, 0, NULL },
	{ "ends within what may come again",
	  HEAD("nb-1-big") PARTITIONER TIMES TTLS KEYS STATE,
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, 2592000, -5, NONE, NONE, 0, NULL },
	{ "cut off in a number",
	  HEAD("nb-1-big") PARTITIONER "Minimum timestamp: 1700006400123",
	  METADATA_PARTIAL, NONE, NONE, NONE, NONE, NONE, NONE, 3, "cut off at 'Minimum timestamp'"
	  },
	{ "cut off behind a number",
	  HEAD("nb-1-big") PARTITIONER "Minimum timestamp: 1700006400123456 (11/1",
	  METADATA_PARTIAL, MIN_TS, NONE, NONE, NONE, NONE, NONE, 1, "timestamps are not known" },
	{ "cut off in a 5.0 number",
	  HEAD("nb-1-big") PARTITIONER "Minimum timestamp: 11/15/2023 00:00:00 (170000640012345",
	  METADATA_PARTIAL, NONE, NONE, NONE, NONE, NONE, NONE, 3, "cut off at" },
	{ "cut off in a date", HEAD("nb-1-big") PARTITIONER "Minimum timestamp: 11",
	  METADATA_PARTIAL, NONE, NONE, NONE, NONE, NONE, NONE, 3, "cut off at" },
	{ "nothing but a name", HEAD("nb-1-big"), METADATA_PARTIAL, NONE, NONE, NONE, NONE, NONE,
	  NONE, 1, "the record of nb-1-big is cut off" },
	{ "no number", HEAD("nb-1-big") PARTITIONER "Minimum timestamp: soon\n"
	  "Maximum timestamp: 1700092799876543\nSSTable max local deletion time: 1702684799\n" TTLS
	  STATE TAIL, METADATA_PARTIAL, NONE, MAX_LDT, 2592000, NONE, 0, 4, 3,
	  "no number behind 'Minimum timestamp'" },
	{ "number above 64 bits", HEAD("nb-1-big") PARTITIONER
	  "Minimum timestamp: 99999999999999999999 (x)\nMaximum timestamp: 1700092799876543\n"
	  "SSTable max local deletion time: 1702684799\n" TTLS STATE TAIL,
	  METADATA_PARTIAL, NONE, MAX_LDT, 2592000, NONE, 0, 4, 3, "no number behind" },
	{ "number with group marks", HEAD("nb-1-big") PARTITIONER
	  "Minimum timestamp: 1.700.006.400\nMaximum timestamp: 1700092799876543\n"
	  "SSTable max local deletion time: 1702684799\n" TTLS STATE TAIL,
	  METADATA_PARTIAL, NONE, MAX_LDT, 2592000, NONE, 0, 4, 3, "no number behind" },
	{ "pending repair that is no session", HEAD("nb-1-big") PARTITIONER TIMES TTLS KEYS
	  "SSTable Level: 0\nRepaired at: 0\nPending repair: ????\n" TAIL,
	  METADATA_PARTIAL, MIN_TS, MAX_LDT, 2592000, -5, NONE, 4, 13, "no session behind" },
};

static const struct made *find_made(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		if (strcmp(made[i].name, name) == 0)
			return &made[i];
	return NULL;
}

static void test_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		const struct made *c = &made[i];
		const struct sstable_meta *m;
		struct parsed p;

		parse(&p, slice_of(c->text));
		if (!p.ok || p.node.metas.n == 0)
			fail_msg("%s: no record: %s", c->name, err_text(p.arena, &p.err));
		m = p.node.metas.v[0];
		if (m->state != c->state)
			fail_msg("%s: state %d, not %d", c->name, m->state, c->state);
		if (!m->problem != (m->state == METADATA_COMPLETE))
			fail_msg("%s: problem is '%s'", c->name, m->problem ? m->problem :
				"(null)");
		assert_number(c->name, "minimum timestamp", m->min_ts, c->min_ts);
		assert_number(c->name, "maximum deletion time", m->max_ldt_s, c->max_ldt);
		assert_number(c->name, "maximum TTL", m->max_ttl_s, c->max_ttl);
		if (strcmp(c->name, "ends of the token range") == 0)
			assert_true(m->first_token.known && m->first_token.v == INT64_MIN &&
				    m->last_token.known && m->last_token.v == INT64_MAX);
		else
			assert_number(c->name, "first token", m->first_token, c->first_token);
		assert_number(c->name, "repaired at", (struct opt_i64){ m->repaired_at_ms,
			      m->repair_known }, c->repaired);
		assert_number(c->name, "rows", m->rows, c->rows);
		if (!c->err != (p.err.kind == ERR_NONE) || p.err.line != c->err_line ||
		    (c->err && !strstr(p.err.text, c->err)))
			fail_msg("%s: error '%s'", c->name, err_text(p.arena, &p.err));
		release(&p);
	}
}

/* The second record of the text whose first one has a key with a faked SSTable: nothing of it. */
static void test_faked_sstable(void **state)
{
	const struct made *c = find_made("key fakes an SSTable");
	const struct sstable_meta *m;
	struct parsed p;

	(void)state;
	assert_non_null(c);
	parse(&p, slice_of(c->text));
	assert_int_equal(p.node.metas.n, 2);
	m = p.node.metas.v[1];
	assert_int_equal(m->state, METADATA_PARTIAL);
	assert_false(m->min_ts.known || m->max_ts.known || m->max_ldt_s.known || m->repair_known ||
		     m->rows.known || m->level.known);
	release(&p);
}

/* The same text in one piece with what is no part of the table, and in pieces that are useless. */
static void test_refused(void **state)
{
	static const struct { const char *name, *text; unsigned line; const char *err; } cases[] = {
		{ "empty", "", 0, "the output is empty" },
		{ "blank", "\n\n", 0, "the output is empty" },
		{ "another text", "Exception (x) encountered during startup: y\n", 0,
		  "it begins with 'Exception (x)" },
		{ "with colours", "\x1b[34mSSTable\x1b[36m: \x1b[0m/d/nb-1-big\n", 0,
		  "'?[34mSSTable" },
		{ "no name and no value", "\n" PARTITIONER "IsTransient: false\n", 2,
		  "no 'SSTable:' line stands before it" },
		{ "cut off in a name", "SSTable: /d/ks/t" TABLE_ID "/nb-1-big", 1,
		  "cut off in the name of an SSTable" },
		{ "no SSTable's name", "SSTable: /d/ks/x.txt\n" PARTITIONER TIMES, 1,
		  "no SSTable's name" },
		{ "cut off in a missing file", "No such file: /d/ks/t" TABLE_ID
		  "/nb-1-big-Data.db", 0,
		  "no SSTable's metadata" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct parsed p;

		parse(&p, slice_of(cases[i].text));
		if (p.ok || p.node.metas.n || p.err.line != cases[i].line ||
		    !strstr(err_text(p.arena, &p.err), cases[i].err))
			fail_msg("%s: %s", cases[i].name, err_text(p.arena, &p.err));
		release(&p);
	}
}

/* Snapshots and indexes are no SSTables of the table; that they are there is no error. */
static void test_below_table(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, SLICE("SSTable: /d/ks/t" TABLE_ID "/snapshots/x/nb-1-big\n" PARTITIONER TIMES
			"SSTable: /d/ks/t" TABLE_ID "/.t_idx/nb-1-big\n" PARTITIONER TIMES));
	assert_true(p.ok);
	assert_int_equal(p.node.metas.n, 0);
	assert_int_equal(p.err.kind, ERR_NONE);
	release(&p);
}

/* ---- properties ---- */

static void assert_not_other(const char *name, size_t at, const char *what, struct opt_i64 cut,
			     struct opt_i64 whole)
{
	if (cut.known && (!whole.known || cut.v != whole.v))
		fail_msg("%s cut at %zu: %s is %lld, in the whole text %s%lld", name, at, what,
			 (long long)cut.v, whole.known ? "" : "unknown, ", (long long)whole.v);
}

static void assert_part_of(const char *name, size_t at, const struct sstable_meta *cut,
			   const struct sstable_meta *whole)
{
	assert_string(name, "name", cut->name, whole->name);
	assert_string(name, "path", cut->path, whole->path);
	assert_not_other(name, at, "minimum timestamp", cut->min_ts, whole->min_ts);
	assert_not_other(name, at, "maximum timestamp", cut->max_ts, whole->max_ts);
	assert_not_other(name, at, "minimum deletion time", cut->min_ldt_s, whole->min_ldt_s);
	assert_not_other(name, at, "maximum deletion time", cut->max_ldt_s, whole->max_ldt_s);
	assert_not_other(name, at, "minimum TTL", cut->min_ttl_s, whole->min_ttl_s);
	assert_not_other(name, at, "maximum TTL", cut->max_ttl_s, whole->max_ttl_s);
	assert_not_other(name, at, "first token", cut->first_token, whole->first_token);
	assert_not_other(name, at, "last token", cut->last_token, whole->last_token);
	assert_not_other(name, at, "level", cut->level, whole->level);
	assert_not_other(name, at, "columns", cut->columns_set, whole->columns_set);
	assert_not_other(name, at, "rows", cut->rows, whole->rows);
	assert_not_other(name, at, "largest partition", cut->max_partition_bytes,
			 whole->max_partition_bytes);
	assert_not_other(name, at, "repaired at", (struct opt_i64){ cut->repaired_at_ms,
			 cut->repair_known }, (struct opt_i64){ whole->repaired_at_ms,
			 whole->repair_known });
	if (cut->repair_known)
		assert_string(name, "pending repair", cut->pending_repair, whole->pending_repair);
	if (cut->host_id)
		assert_string(name, "host id", cut->host_id, whole->host_id);
	if (cut->partitioner)
		assert_string(name, "partitioner", cut->partitioner, whole->partitioner);
	if (cut->compression_ratio.known && (!whole->compression_ratio.known ||
	    cut->compression_ratio.v != whole->compression_ratio.v))
		fail_msg("%s cut at %zu: another compression ratio", name, at);
	if (cut->droppable_ratio.known && (!whole->droppable_ratio.known ||
	    cut->droppable_ratio.v != whole->droppable_ratio.v))
		fail_msg("%s cut at %zu: another droppable ratio", name, at);
	if (cut->state == METADATA_COMPLETE && whole->state != METADATA_COMPLETE)
		fail_msg("%s cut at %zu: complete", name, at);
}

/*
 * A start of a text has the text's values or none, and says so: what is not complete has its
 * reason, and a line that is cut off is an error, but for a last line that is whole as it stands.
 */
static void check_start(const char *name, struct slice text, size_t at, const struct parsed *whole)
{
	char *exact = malloc(at ? at : 1);	/* of its own, so that reading on shows */
	struct parsed p;

	assert_non_null(exact);
	memcpy(exact, text.p, at);
	parse(&p, (struct slice){ exact, at });
	if (p.node.metas.n > whole->node.metas.n)
		fail_msg("%s cut at %zu: %zu records", name, at, p.node.metas.n);
	for (size_t i = 0; i < p.node.metas.n; i++)
		assert_part_of(name, at, p.node.metas.v[i], whole->node.metas.v[i]);
	for (size_t i = 0; i < p.node.metas.n; i++)
		if (p.node.metas.v[i]->state != METADATA_COMPLETE && !p.node.metas.v[i]->problem)
			fail_msg("%s cut at %zu: no reason", name, at);
	if (!p.ok && p.err.kind == ERR_NONE)
		fail_msg("%s cut at %zu: refused without error", name, at);
	if (at && text.p[at - 1] != '\n' && at + 1 < text.n && text.p[at] != '\n' &&
	    p.err.kind == ERR_NONE)
		fail_msg("%s cut at %zu: no error", name, at);
	release(&p);
	free(exact);
}

static uint32_t next_random(uint32_t *x)
{
	*x = *x * UINT32_C(1664525) + UINT32_C(1013904223);
	return *x >> 8;
}

static void check_starts(const char *name, struct slice text, const struct parsed *truth,
			 bool every)
{
	uint32_t x = 20;

	for (size_t at = 0; at < text.n; at++)
		if (every || at == 0 || text.p[at - 1] == '\n' || text.p[at] == '\n')
			check_start(name, text, at, truth);
	for (int i = 0; i < 200; i++)
		check_start(name, text, next_random(&x) % text.n, truth);
}

static void test_starts_of_recordings(void **state)
{
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(recordings); i++) {
		struct slice text = fixture(a, recordings[i].file);
		struct parsed whole;

		parse(&whole, text);
		check_starts(recordings[i].file, text, &whole, i % 3 == 0);
		release(&whole);
	}
	arena_destroy(a);
}

/*
 * In a text with a faked line the whole text makes a value unknown that a start of it, without the
 * fake, has: it must be the one of the same record without fakes, which is the first case.
 */
static void test_starts_of_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		struct parsed whole, honest;

		parse(&whole, slice_of(made[i].text));
		parse(&honest, slice_of(made[0].text));
		if (strstr(made[i].name, "key fakes"))
			whole.node.metas.v[0] = honest.node.metas.v[0];
		check_starts(made[i].name, slice_of(made[i].text), &whole, true);
		release(&whole);
		release(&honest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recordings),
		cmocka_unit_test(test_vanished),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_faked_sstable),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_below_table),
		cmocka_unit_test(test_starts_of_recordings),
		cmocka_unit_test(test_starts_of_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
