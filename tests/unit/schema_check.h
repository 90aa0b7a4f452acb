/*
 * The part of JSON Schema (draft 2020-12) that docs/report-v1.schema.json uses, and no more: a
 * keyword that is not known here is an error, so that a schema never promises what is not checked.
 */
#ifndef TWCSCHECK_TEST_SCHEMA_CHECK_H
#define TWCSCHECK_TEST_SCHEMA_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

struct schema_check {
	const cJSON *root;	/* the schema */
	/* Members that the schema does not describe are errors, although it allows additions. */
	bool closed;
	char path[512];		/* where in the value the first error is */
	char why[256];
};

/* False, with path and why set, when `value` does not fit the schema. */
bool schema_check_value(struct schema_check *c, const cJSON *root, const cJSON *value, bool closed);

/* False when one of the schema's keywords is not known. */
bool schema_check_schema(struct schema_check *c, const cJSON *root);

/* The whole file, NUL-terminated; NULL when it cannot be read. To be freed. */
char *schema_read_file(const char *path);

#endif
