/* Outputs that are not kept as they are: src/collect/saved_lines.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice.h"
#include "collect/saved_lines.h"
#include "files.h"

static const char *join(struct arena *a, const struct path_list *list)
{
	const char *text = "";

	for (size_t i = 0; i < list->paths.n; i++)
		text = arena_printf(a, "%s%s;", text, list->paths.v[i]);
	return text;
}

static void test_yaml(void **state)
{
	static const struct { const char *name, *yaml, *lines, *directories;
	} cases[] = {
		{ "a list below",
		  "data_file_directories:\n  - /a\n  - \"/b c/\" # slow\n\n# - /x\n"
		  "  - '/d'\ncommitlog_directory: /log\n  - /not\n",
		  "data_file_directories:\n  - /a\n  - \"/b c/\" # slow\n  - '/d'\n",
		  "/a;/b c;/d;" },
		{ "a list at the margin", "data_file_directories:\n- /a\n- /b\nx: y\n- /c\n",
		  "data_file_directories:\n- /a\n- /b\n", "/a;/b;" },
		{ "a list in a line", "data_file_directories: [ \"/a\", /b ] # two\n",
		  "data_file_directories: [ \"/a\", /b ] # two\n", "/a;/b;" },
		{ "no absolute path", "data_file_directories:\n  - relative\n  - /\n",
		  "data_file_directories:\n  - relative\n  - /\n", "/;" },
		{ "commented out", "# data_file_directories:\n#  - /a\n", "", "" },
		{ "passwords stay",
		  "cluster_name: 'c'\nkeystore_password: hunter2\nclient_options:\n"
		  "  cluster_name: no\n  truststore_password: hunter2\n",
		  "cluster_name: 'c'\n", "" },
		{ "a key that only begins alike", "cluster_name_x: 1\npartitioner: P\r\n",
		  "partitioner: P\n", "" },
		{ "cut off", "num_tokens: 16\ndata_file_directories:\n  - /a",
		  "num_tokens: 16\n"
		  "data_file_directories:\n  - /a\n",
		  "/a;" },
		{ "nothing", "", "", "" },
		{ "no setting", ": x\n-\n - \n", "", "" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct path_list directories = { 0 };
		struct buf out;

		buf_init(&out, 1 << 16);
		saved_yaml_lines(a, slice_of(cases[i].yaml), &out, &directories);
		buf_char(&out, '\0');
		if (strcmp(out.p, cases[i].lines) != 0)
			fail_msg("%s: '%s'", cases[i].name, out.p);
		if (strcmp(join(a, &directories), cases[i].directories) != 0)
			fail_msg("%s: directories %s", cases[i].name, join(a, &directories));
		buf_free(&out);
	}
	arena_destroy(a);
}

#define HEAD "WARNING: cqlsh was built against 5.0.0\n\n [json]\n------\n"

static void test_rows(void **state)
{
	static const struct { const char *name, *printed, *rows, *why;
	} cases[] = {
		{ "two rows",
		  HEAD "   {\"keyspace_name\": \"a\"}\n {\"keyspace_name\": \"b\"}\n\n(2 rows)\n",
		  "{\"from\": \"tables\", \"keyspace_name\": \"a\"}\n"
		  "{\"from\": \"tables\", \"keyspace_name\": \"b\"}\n",
		  NULL },
		{ "backslashes are shown twice",
		  HEAD "{\"c\": \"a \\\\\"b\\\\\" \\\\\\\\ \\\\n\"}\n(1 rows)\n",
		  "{\"from\": \"tables\", \"c\": \"a \\\"b\\\" \\\\ \\n\"}\n", NULL },
		{ "no row", HEAD "\n(0 rows)\n", "", NULL },
		{ "an empty object", HEAD "{}\n(1 rows)\n", "{\"from\": \"tables\"}\n", NULL },
		{ "too few", HEAD "{\"a\": 1}\n(2 rows)\n", "{\"from\": \"tables\", \"a\": 1}\n",
		  "2 rows of system_schema.tables are counted, 1 were read" },
		{ "a row that was cut", HEAD "{\"a\": 1}\n{\"b\": \n(2 rows)\n",
		  "{\"from\": \"tables\", \"a\": 1}\n",
		  "2 rows of system_schema.tables are counted, 1 were read" },
		{ "cut off", HEAD "{\"a\": 1}\n", "{\"from\": \"tables\", \"a\": 1}\n",
		  "cqlsh printed no whole answer for system_schema.tables" },
		{ "cut off in the number", HEAD "{\"a\": 1}\n(1 rows)",
		  "{\"from\": \"tables\", \"a\": 1}\n",
		  "cqlsh printed no whole answer for system_schema.tables" },
		{ "rows without a heading", "{\"a\": 1}\n(1 rows)\n", "",
		  "cqlsh printed no whole answer for system_schema.tables" },
		{ "nothing", "", "", "cqlsh printed no whole answer for system_schema.tables" },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf out;
		const char *why;

		buf_init(&out, 1 << 16);
		why = saved_schema_rows(a, slice_of(cases[i].printed), "tables", &out);
		buf_char(&out, '\0');
		if (strcmp(out.p, cases[i].rows) != 0)
			fail_msg("%s: %s", cases[i].name, out.p);
		if (!why != !cases[i].why || (why && strcmp(why, cases[i].why) != 0))
			fail_msg("%s: %s", cases[i].name, why ? why : "no complaint");
		buf_free(&out);
	}
	arena_destroy(a);
}

/* What real servers' cqlsh printed. */
static void test_recorded_rows(void **state)
{
	static const struct { const char *file; size_t rows; } cases[] = {
		{ "fixtures/schema/3.11.19-select-json.txt", 15 },
		{ "fixtures/schema/5.0.6-select-json.txt", 15 },
	};
	struct arena *a = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct slice text = file_bytes(a, tests_path(a, cases[i].file)), line;
		struct lines it;
		size_t n = 0;
		struct buf out;

		assert_non_null(text.p);
		buf_init(&out, 1 << 20);
		assert_null(saved_schema_rows(a, text, "tables", &out));
		it = lines_of((struct slice){ out.p, out.n });
		while (lines_next(&it, &line))
			n += slice_starts(line,
					  SLICE("{\"from\": \"tables\", \"keyspace_name\": ")) &&
			     slice_ends(line, SLICE("}"));
		assert_int_equal(n, cases[i].rows);
		buf_free(&out);
	}
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_yaml),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_recorded_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
