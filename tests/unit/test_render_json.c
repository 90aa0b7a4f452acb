/*
 * The JSON report of literal models: values, nulls, order, hostile names. Its form as a whole is
 * test_report_schema's matter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "render_model.h"

static const struct render_options options = { .width = 80 };

/* A value by a path like "tables/1/windows/0/state"; NULL when there is none. */
static const cJSON *at(const cJSON *root, const char *path)
{
	while (root && *path) {
		char part[64];
		size_t n = strcspn(path, "/");

		assert_true(n < sizeof(part));
		memcpy(part, path, n);
		part[n] = '\0';
		root = cJSON_IsArray(root)
			       ? cJSON_GetArrayItem(root, part[0] == '-'
								  ? cJSON_GetArraySize(root) - 1
								  : (int)strtol(part, NULL, 10))
			       : cJSON_GetObjectItemCaseSensitive(root, part);
		path += path[n] ? n + 1 : n;
	}
	return root;
}

static void assert_value(const cJSON *root, const char *path, const char *want)
{
	const cJSON *v = at(root, path);
	char *text = v ? cJSON_PrintUnformatted(v) : NULL;

	if (!text || strcmp(text, want) != 0)
		fail_msg("%s: %s instead of %s", path, text ? text : "nothing", want);
	cJSON_free(text);
}

static cJSON *parse(const char *name, const char *text)
{
	cJSON *root = cJSON_ParseWithOpts(text, NULL, 1);

	if (!root)
		fail_msg("%s: is not JSON", name);
	return root;
}

static void sample_values(void **state)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "format", "\"twcscheck-report\"" },
		{ "version", "1" },
		{ "program", "\"twcscheck 0.1.0\"" },
		{ "cluster", "\"metrics-prod\"" },
		{ "now", "\"2026-11-30T18:00:00Z\"" },
		{ "status", "\"critical\"" },
		{ "nodes/1/name", "\"cass-02\"" },
		{ "nodes/0/release", "\"5.0.6\"" },
		{ "tables/0/name", "\"metrics.latest\"" },
		{ "tables/0/windows", "[]" },
		{ "tables/0/window_s", "null" },
		{ "tables/0/held_bytes", "null" },
		{ "tables/0/checks", "{}" },
		{ "tables/1/node", "\"cass-01\"" },
		{ "tables/1/window_s", "86400" },
		{ "tables/1/settings_from", "\"schema\"" },
		{ "tables/1/sstable_count", "20" },
		{ "tables/1/bytes", "114000" },
		{ "tables/1/held_bytes", "45600" },
		{ "tables/1/checks", "{\"blocked-windows\":\"critical\",\"timestamps\":\"ok\"}" },
		{ "tables/1/windows/0/start", "\"2026-11-11T00:00:00Z\"" },
		{ "tables/1/windows/0/end", "\"2026-11-12T00:00:00Z\"" },
		{ "tables/1/windows/0/state", "\"blocked\"" },
		{ "tables/1/windows/0/sstables", "[\"nb-1-big\"]" },
		{ "tables/1/windows/0/expired_at", "\"2026-11-22T23:59:01Z\"" },
		{ "tables/1/windows/0/droppable_at", "\"2026-12-12T02:00:00Z\"" },
		{ "tables/1/windows/0/blocked_by", "[\"nb-18-big\"]" },
		{ "tables/1/windows/0/blocked_by_count", "1" },
		{ "tables/1/sstables/0/group", "\"unrepaired\"" },
		{ "tables/1/sstables/0/blocked_by", "\"nb-18-big\"" },
		{ "tables/1/sstables/0/cause", "null" },
		{ "tables/1/sstables/0/metadata", "\"complete\"" },
		{ "tables/1/sstables/17/cause", "\"late-write\"" },
		{ "tables/1/blockers/0/sstable", "\"nb-18-big\"" },
		{ "tables/1/blockers/0/blocks_count", "8" },
		{ "tables/1/blockers/0/clears_at", "\"2026-12-12T02:00:00Z\"" },
		{ "tables/1/blockers/0/actions/0/commands", "[]" },
		{ "tables/1/forecast/1", "{\"day\":\"2026-12-02\",\"freed_bytes\":11400}" },
		{ "findings/0/check", "\"blocked-windows\"" },
		{ "findings/0/class", "\"state\"" },
		{ "findings/0/node", "\"cass-01\"" },
		{ "findings/0/window", "null" },
		{ "findings/0/metrics/0",
		  "{\"name\":\"blocked_windows\",\"value\":8,\"unit\":\"\",\"warning\":\"0\","
		  "\"critical\":null}" },
		{ "findings/1/node", "\"cass-02\"" },
	};
	struct arena *a = arena_create();
	struct render_model m;
	cJSON *root;

	(void)state;
	rm_sample(&m, a);
	root = parse("sample", rm_render(&m, &renderer_json, &options));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_value(root, cases[i].path, cases[i].want);
	cJSON_Delete(root);
	arena_destroy(a);
}

/* A table with one SSTable, to be changed by the test. */
static struct table *one_table(struct render_model *m, struct arena *a)
{
	struct table *t;

	rm_init(m, a);
	t = rm_table(m, rm_node(m, "cass-01"), "readings");
	rm_sstable(m, t, "nb-1-big", 3, 0, 10, 4096, SST_LIVE, WIN_LIVE);
	return t;
}

static void never_and_unknown(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;
	struct table *t = one_table(&m, a);
	struct sstable *s = t->sstables[0];
	struct sstable_meta *meta = arena_alloc(a, sizeof(*meta));
	cJSON *root;

	(void)state;
	*meta = *s->meta;
	meta->max_ldt_s = some_i64(TIME_NEVER);
	meta->min_ttl_s.known = false;
	meta->repair_known = false;
	s->meta = meta;
	s->expired_at_s = s->droppable_at_s = some_i64(TIME_NEVER);
	s->bytes.known = false;
	s->state = SST_BLOCKED;
	t->windows[0].droppable_at_s.known = false;
	t->bytes_known = false;
	rm_blocker(&m, t, s, CAUSE_NO_TTL, NULL, TIME_NEVER);
	root = parse("never", rm_render(&m, &renderer_json, &options));
	assert_value(root, "tables/0/sstables/0/max_local_deletion_time_s", "null");
	assert_value(root, "tables/0/sstables/0/expired_at", "\"never\"");
	assert_value(root, "tables/0/sstables/0/droppable_at", "\"never\"");
	assert_value(root, "tables/0/sstables/0/min_ttl_s", "null");
	assert_value(root, "tables/0/sstables/0/repaired_at_ms", "null");
	assert_value(root, "tables/0/sstables/0/bytes", "null");
	assert_value(root, "tables/0/windows/0/droppable_at", "null");
	assert_value(root, "tables/0/windows/0/bytes", "null");
	assert_value(root, "tables/0/bytes", "null");
	assert_value(root, "tables/0/held_bytes", "null");
	assert_value(root, "tables/0/blockers/0/clears_at", "\"never\"");
	assert_value(root, "tables/0/blockers/0/evidence", "null");
	cJSON_Delete(root);
	arena_destroy(a);
}

/* Timestamps of every resolution come out in microseconds, exact to the last digit. */
static void timestamps_are_normalised(void **state)
{
	static const struct {
		const char *name;
		enum ts_resolution r;
		int64_t ts;
		const char *want;
	} cases[] = {
		{ "us", TS_MICROSECONDS, INT64_C(1796061600123457), "1796061600123457" },
		{ "ms", TS_MILLISECONDS, INT64_C(1796061600123), "1796061600123000" },
		{ "s", TS_SECONDS, INT64_C(1796061600), "1796061600000000" },
		{ "ns", TS_NANOSECONDS, INT64_C(1796061600123457999), "1796061600123457" },
		{ "sentinel", TS_MICROSECONDS, INT64_MIN, "-9223372036854775808" },
		{ "largest", TS_MICROSECONDS, INT64_MAX, "9223372036854775807" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct render_model m;
		struct table *t = one_table(&m, a);
		struct sstable_meta *meta = arena_alloc(a, sizeof(*meta));
		const char *text;

		*meta = *t->sstables[0]->meta;
		meta->min_ts = some_i64(cases[i].ts);
		t->sstables[0]->meta = meta;
		t->settings.resolution = cases[i].r;
		text = rm_render(&m, &renderer_json, &options);
		/* Not by cJSON, whose numbers are doubles. */
		if (!strstr(text, arena_printf(a, "\"min_timestamp_us\": %s,", cases[i].want)))
			fail_msg("%s: not %s", cases[i].name, cases[i].want);
		arena_destroy(a);
	}
}

static void lists_are_capped(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;
	struct table *t;
	struct sstable *s = NULL;
	cJSON *root;

	(void)state;
	rm_init(&m, a);
	t = rm_table(&m, rm_node(&m, "cass-01"), "readings");
	for (int i = 30; i > 0; i--)
		s = rm_sstable(&m, t, arena_printf(a, "nb-%d-big", i), i, 0, 10, 100, SST_BLOCKED,
			       WIN_BLOCKED);
	rm_blocker(&m, t, s, CAUSE_TOMBSTONE, "x", RM_NOW + 100);
	t->n_blockers_all = 250;
	t->windows[0].n_blockers = 1;
	root = parse("capped", rm_render(&m, &renderer_json, &options));
	assert_value(root, "tables/0/blockers/0/blocks_count", "30");
	assert_int_equal(cJSON_GetArraySize(at(root, "tables/0/blockers/0/blocks")), 10);
	assert_value(root, "tables/0/blockers_count", "250");
	cJSON_Delete(root);
	arena_destroy(a);
}

static void counts_without_a_listing(void **state)
{
	static const struct {
		const char *name;
		bool listed, stats;
		const char *want;
	} cases[] = {
		{ "listed", true, true, "1" },
		{ "tablestats", false, true, "720" },
		{ "metadata alone", false, false, "1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct table_stats stats = { .sstable_count = some_i64(720) };
		struct render_model m;
		struct table *t = one_table(&m, a);
		cJSON *root;

		t->listed = cases[i].listed;
		t->stats = cases[i].stats ? &stats : NULL;
		root = parse(cases[i].name, rm_render(&m, &renderer_json, &options));
		assert_value(root, "tables/0/sstable_count", cases[i].want);
		cJSON_Delete(root);
		arena_destroy(a);
	}
}

/* Three severities in both orders of the checks: each keeps its own, the same check its worst. */
static void checks_keep_their_severity(void **state)
{
	static const enum severity orders[2][3] = {
		{ SEV_WARNING, SEV_CRITICAL, SEV_OK },
		{ SEV_OK, SEV_CRITICAL, SEV_WARNING },
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(orders); k++) {
		struct arena *a = arena_create();
		struct render_model m;
		struct table *t = one_table(&m, a);
		cJSON *root;

		for (size_t i = 0; i < 3; i++)
			rm_finding(&m, orders[k][i], "timestamps", t->node, t, "x", NULL);
		rm_finding(&m, SEV_UNKNOWN, "node-state", t->node, NULL, "y", NULL);
		root = parse("order", rm_render(&m, &renderer_json, &options));
		assert_value(root, "tables/0/checks", "{\"timestamps\":\"critical\"}");
		assert_value(root, "nodes/0/checks", "{\"node-state\":\"unknown\"}");
		assert_value(root, "findings/3/table", "null");
		cJSON_Delete(root);
		arena_destroy(a);
	}
}

static void metric_numbers(void **state)
{
	static const struct {
		double v;
		enum unit unit;
		const char *want;
	} cases[] = {
		{ 3, UNIT_NONE, "{\"name\":\"m\",\"value\":3,\"unit\":\"\"," },
		{ 0.1, UNIT_PERCENT, "{\"name\":\"m\",\"value\":0.1,\"unit\":\"%\"," },
		{ 178257920, UNIT_BYTES, "{\"name\":\"m\",\"value\":178257920,\"unit\":\"B\"," },
		{ -86400, UNIT_SECONDS, "{\"name\":\"m\",\"value\":-86400,\"unit\":\"s\"," },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena *a = arena_create();
		struct render_model m;
		struct table *t = one_table(&m, a);
		struct finding *f = rm_finding(&m, SEV_OK, "x", t->node, t, "s", NULL);
		const cJSON *metric;
		cJSON *root;
		char *text;

		*vec_add(a, &f->metrics) = (struct metric){ "m", cases[i].unit, cases[i].v, NULL,
							    NULL };
		root = parse("metric", rm_render(&m, &renderer_json, &options));
		metric = at(root, "findings/0/metrics/0");
		text = cJSON_PrintUnformatted(metric);
		if (strncmp(text, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("%s instead of %s", text, cases[i].want);
		cJSON_free(text);
		cJSON_Delete(root);
		arena_destroy(a);
	}
}

static void transport_where_it_is_known(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;
	cJSON *root;

	(void)state;
	rm_sample(&m, a);
	m.cluster->nodes.v[1]->transport = "openssh: why";
	root = parse("transport", rm_render(&m, &renderer_json, &options));
	assert_value(root, "nodes/1/transport", "\"openssh: why\"");
	assert_null(at(root, "nodes/0/transport"));
	cJSON_Delete(root);
	arena_destroy(a);
}

static const char hostile[] =
	"\033]0;x\007\"'\\\n\r\t{}[],\x80\xff\xc0\xaf\xed\xa0\x80\x7f</script>";

static void fill_hostile(struct render_model *m, struct arena *a)
{
	struct table *t = one_table(m, a);
	struct node *n = t->node;
	struct sstable *s = t->sstables[0];
	struct sstable_meta *meta = arena_alloc(a, sizeof(*meta));
	struct blocker *b;
	struct finding *f;

	*meta = *s->meta;
	meta->pending_repair = hostile;
	s->meta = meta;
	n->name = n->product = n->release = n->datacenter = n->transport = n->clock_from = hostile;
	node_record_evidence(n, EV_TABLESTATS, hostile, EVIDENCE_FAILED, hostile);
	t->full_name = t->name = t->keyspace = t->settings.strategy = hostile;
	t->instances[0].group = hostile;
	s->name = s->directory = s->version = s->format = hostile;
	s->state = SST_BLOCKED;
	b = rm_blocker(m, t, s, CAUSE_REPAIR, hostile, TIME_NEVER);
	rm_action(m, b, hostile, hostile, hostile);
	f = rm_finding(m, SEV_CRITICAL, "timestamps", n, t, hostile, hostile);
	*vec_add(a, &f->details) = hostile;
	*vec_add(a, &m->cluster->notes) = hostile;
	m->cluster->name = m->report.now_from = hostile;
}

static void hostile_text_stays_valid(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;
	const char *text;
	cJSON *root;

	(void)state;
	fill_hostile(&m, a);
	text = rm_render(&m, &renderer_json, &options);
	for (const char *p = text; *p; p++) {
		if ((unsigned char)*p < 0x20 && *p != '\n')
			fail_msg("control character %d in the report", *p);
	}
	assert_null(strstr(text, "\x80"));
	root = parse("hostile", text);
	assert_non_null(strstr(at(root, "tables/0/name")->valuestring, "\033]0;x\007\"'\\\n"));
	assert_non_null(strstr(at(root, "tables/0/name")->valuestring, "\xef\xbf\xbd"));
	cJSON_Delete(root);
	arena_destroy(a);
}

static void same_model_same_bytes(void **state)
{
	struct arena *a = arena_create(), *b = arena_create();
	struct render_model m, n;

	(void)state;
	rm_sample(&m, a);
	rm_sample(&n, b);
	assert_string_equal(rm_render(&m, &renderer_json, &options),
			    rm_render(&n, &renderer_json, &options));
	arena_destroy(a);
	arena_destroy(b);
}

static size_t sink_calls, sink_bytes;

static bool count_sink(void *ctx, const char *p, size_t n)
{
	(void)ctx;
	(void)p;
	sink_calls++;
	sink_bytes += n;
	return true;
}

/* A report larger than a buffer goes out in pieces: it is never held as a whole. */
static void report_is_streamed(void **state)
{
	struct arena *a = arena_create();
	struct render_model m;
	struct buf b;

	(void)state;
	rm_init(&m, a);
	for (int k = 0; k < 40; k++) {
		struct table *t = rm_table(&m, k ? m.cluster->nodes.v[0] : rm_node(&m, "cass-01"),
					   arena_printf(a, "t%02d", k));

		for (int i = 60; i > 0; i--)
			rm_sstable(&m, t, "nb-1-big", i, 0, 10, 100, SST_LIVE, WIN_LIVE);
	}
	buf_init_sink(&b, count_sink, NULL);
	renderer_json.render(&m.report, &options, &b);
	assert_true(buf_flush(&b));
	assert_true(sink_bytes > 1000000);
	assert_true(sink_calls > 10);
	assert_true(b.cap < 200000);
	buf_free(&b);
	arena_destroy(a);
}

static void exit_statuses(void **state)
{
	(void)state;
	assert_int_equal(severity_exit_status(SEV_OK), 0);
	assert_int_equal(severity_exit_status(SEV_WARNING), 1);
	assert_int_equal(severity_exit_status(SEV_CRITICAL), 2);
	assert_int_equal(severity_exit_status(SEV_UNKNOWN), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_values),
		cmocka_unit_test(never_and_unknown),
		cmocka_unit_test(timestamps_are_normalised),
		cmocka_unit_test(lists_are_capped),
		cmocka_unit_test(counts_without_a_listing),
		cmocka_unit_test(checks_keep_their_severity),
		cmocka_unit_test(metric_numbers),
		cmocka_unit_test(transport_where_it_is_known),
		cmocka_unit_test(hostile_text_stays_valid),
		cmocka_unit_test(same_model_same_bytes),
		cmocka_unit_test(report_is_streamed),
		cmocka_unit_test(exit_statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
