/*
 * Reports against docs/report-v1.schema.json: reports made here, golden files, and the files given
 * as arguments. Members that the schema does not describe are errors here, so that every field is
 * documented.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_model.h"
#include "schema_check.h"

static cJSON *schema;
static char **files;
static int n_files;

static const char *tests_dir(void)
{
	const char *dir = getenv("TWCS_TESTS");

	return dir && *dir ? dir : "tests";
}

static int read_schema(void **state)
{
	char path[4096], *text;

	(void)state;
	snprintf(path, sizeof(path), "%s/../docs/report-v1.schema.json", tests_dir());
	text = schema_read_file(path);
	if (!text)
		fail_msg("cannot read '%s'", path);
	schema = cJSON_ParseWithOpts(text, NULL, 1);
	free(text);
	return schema ? 0 : -1;
}

static int free_schema(void **state)
{
	(void)state;
	cJSON_Delete(schema);
	return 0;
}

static void assert_fits(const char *name, const char *text)
{
	cJSON *report = cJSON_ParseWithOpts(text, NULL, 1);
	struct schema_check c;
	bool fits;

	if (!report)
		fail_msg("%s: is not JSON", name);
	fits = schema_check_value(&c, schema, report, true);
	cJSON_Delete(report);
	if (!fits)
		fail_msg("%s: %s %s", name, c.path, c.why);
}

static void schema_uses_known_keywords(void **state)
{
	struct schema_check c;

	(void)state;
	if (!schema_check_schema(&c, schema))
		fail_msg("schema: %s", c.why);
}

static const char *sample_text(struct arena *a)
{
	struct render_options o = { .width = 80 };
	struct render_model m;

	rm_sample(&m, a);
	return rm_render(&m, &renderer_json, &o);
}

static void sample_fits(void **state)
{
	struct arena *a = arena_create();

	(void)state;
	assert_fits("sample", sample_text(a));
	arena_destroy(a);
}

/* A finding that was accepted, and checks that were left out: everywhere, on a table. */
static void accepted_fits(void **state)
{
	static const struct silence silence = { "gc-grace", NULL, RM_NOW + 1, "2027-03-31", "r" };
	struct arena *a = arena_create();
	struct render_options o = { .width = 80 };
	struct render_model m;
	struct finding *f;
	const char *text;

	(void)state;
	rm_sample(&m, a);
	f = m.report.findings.list.v[0];
	f->silenced_from = f->severity;
	f->severity = SEV_OK;
	f->silenced = &silence;
	*vec_add(a, &m.report.skipped) = (struct skipped_check){ f->check, NULL };
	*vec_add(a, &m.report.skipped) = (struct skipped_check){ f->check, "metrics.readings" };
	text = rm_render(&m, &renderer_json, &o);
	assert_fits("accepted", text);
	assert_non_null(strstr(text, "\"until\": \"2027-03-31\""));
	arena_destroy(a);
}

/* All that can be unknown or absent is. */
static void unknown_values_fit(void **state)
{
	struct arena *a = arena_create();
	struct render_options o = { .width = 80 };
	struct render_model m;
	struct node *n;
	struct table *t;
	struct sstable *s;

	(void)state;
	rm_init(&m, a);
	m.cluster->name = NULL;
	assert_fits("empty", rm_render(&m, &renderer_json, &o));
	n = rm_node(&m, "-");
	n->product = n->release = n->clock_from = NULL;
	n->now_s.known = false;
	t = rm_table(&m, n, "x");
	s = rm_sstable(&m, t, "nb-1-big", 3, 0, 10, 10, SST_UNKNOWN, WIN_UNKNOWN);
	s->meta = arena_alloc(a, sizeof(*s->meta));
	s->usable = false;
	s->metadata = METADATA_NONE;
	s->bytes.known = s->expired_at_s.known = s->droppable_at_s.known = false;
	s->directory = s->version = s->format = NULL;
	t->windows[0].expired_at_s.known = t->windows[0].droppable_at_s.known = false;
	t->settings = (struct settings){ .origin = SETTINGS_NONE };
	t->analysed = t->listed = t->bytes_known = false;
	rm_finding(&m, SEV_UNKNOWN, "strategy", NULL, NULL, "the schema is missing", NULL);
	assert_fits("unknown", rm_render(&m, &renderer_json, &o));
	arena_destroy(a);
}

/* What must not fit: one text of the sample replaced, once. */
static void violations_are_found(void **state)
{
	static const struct {
		const char *name, *from, *to, *why;
	} cases[] = {
		{ "wrong enum value", "\"status\": \"critical\"", "\"status\": \"bad\"",
		  "/status" },
		{ "renamed member", "\"held_bytes\": 45600", "\"held\": 45600", "held" },
		{ "wrong type", "\"bytes\": 114000", "\"bytes\": \"114000\"", "/bytes" },
		{ "not an integer", "\"bytes\": 114000", "\"bytes\": 114000.5", "/bytes" },
		{ "below minimum", "\"rank\": 1", "\"rank\": 0", "/rank" },
		{ "time format", "2026-11-30T18:00:00Z", "2026-11-30 18:00:00", "/now" },
		{ "undescribed member", "\"status\":", "\"extra\": 1, \"status\":", "extra" },
		{ "member twice", "\"status\":", "\"status\": \"ok\", \"status\":", "twice" },
		{ "null where never", "\"clears_at\": \"2026-12-12T02:00:00Z\"",
		  "\"clears_at\": null", "/clears_at" },
		{ "window state", "\"state\": \"will-block\"", "\"state\": \"willblock\"",
		  "/state" },
		{ "check severity", "\"timestamps\": \"ok\"", "\"timestamps\": \"fine\"",
		  "/checks/timestamps" },
	};
	struct arena *a = arena_create();
	const char *text = sample_text(a);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *at = strstr(text, cases[i].from);
		struct schema_check c;
		char where[1024];
		cJSON *report;
		bool fits;

		if (!at)
			fail_msg("%s: the sample has no such text", cases[i].name);
		report = cJSON_ParseWithOpts(arena_printf(a, "%.*s%s%s", (int)(at - text), text,
							  cases[i].to, at + strlen(cases[i].from)),
					     NULL, 1);
		if (!report)
			fail_msg("%s: is not JSON", cases[i].name);
		fits = schema_check_value(&c, schema, report, true);
		cJSON_Delete(report);
		if (fits)
			fail_msg("%s: was not found", cases[i].name);
		snprintf(where, sizeof(where), "%s %s", c.path, c.why);
		if (!strstr(where, cases[i].why))
			fail_msg("%s: found something else: %s", cases[i].name, where);
	}
	arena_destroy(a);
}

/* A later program of the same version may add members: the schema itself lets them pass. */
static void additions_are_allowed(void **state)
{
	struct arena *a = arena_create();
	const char *text = sample_text(a);
	struct schema_check c;
	cJSON *report = cJSON_Parse(text);

	(void)state;
	cJSON_AddStringToObject(report, "extra", "x");
	assert_true(schema_check_value(&c, schema, report, false));
	assert_false(schema_check_value(&c, schema, report, true));
	cJSON_Delete(report);
	arena_destroy(a);
}

static void check_file(const char *path)
{
	char *text = schema_read_file(path);

	if (!text)
		fail_msg("cannot read '%s'", path);
	assert_fits(path, text);
	free(text);
}

static void golden_files_fit(void **state)
{
	char dir_path[4096], path[8192];
	struct dirent *e;
	DIR *dir;
	int n = 0;

	(void)state;
	snprintf(dir_path, sizeof(dir_path), "%s/golden", tests_dir());
	dir = opendir(dir_path);
	while (dir && (e = readdir(dir))) {
		size_t len = strlen(e->d_name);

		if (len < 6 || strcmp(e->d_name + len - 5, ".json") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir_path, e->d_name);
		check_file(path);
		n++;
	}
	if (dir)
		closedir(dir);
	if (n == 0) {
		print_message("no golden reports in '%s'\n", dir_path);
		skip();
	}
}

static void given_files_fit(void **state)
{
	(void)state;
	if (n_files == 0)
		skip();
	for (int i = 0; i < n_files; i++)
		check_file(files[i]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schema_uses_known_keywords),
		cmocka_unit_test(sample_fits),
		cmocka_unit_test(accepted_fits),
		cmocka_unit_test(unknown_values_fit),
		cmocka_unit_test(violations_are_found),
		cmocka_unit_test(additions_are_allowed),
		cmocka_unit_test(golden_files_fit),
		cmocka_unit_test(given_files_fit),
	};

	files = argv + 1;
	n_files = argc - 1;
	return cmocka_run_group_tests(tests, read_schema, free_schema);
}
