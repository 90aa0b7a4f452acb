/*
 * JSON documents of a bundle, with errors that name line and column.
 *
 * A document is parsed whole (cJSON) and its members are taken out one by one; what has the wrong
 * type is an error at its place, what is not there is unknown, what nobody asks for is ignored.
 */
#ifndef TWCSCHECK_READ_JSON_H
#define TWCSCHECK_READ_JSON_H

#include "base/arena.h"

struct cJSON;
struct evidence;

struct json_doc {
	struct arena *arena;
	const struct evidence *ev;
	struct err *err;
	struct cJSON *root;	/* an object */
};

/* One element of a list in the root, or the root itself: where members are looked up. */
struct json_object {
	struct json_doc *doc;
	const struct cJSON *object;
	const char *list;	/* name of the list, NULL = the root */
	size_t index;		/* in the list */
};

/*
 * Parse the evidence's bytes. False and err set when they are larger than 16 MiB, are no JSON, or
 * are no object. json_close() releases the document; strings that were taken out stay.
 */
bool json_open(struct arena *a, const struct evidence *ev, struct err *err, struct json_doc *doc)
	MUST_USE;
void json_close(struct json_doc *doc);

struct json_object json_root(struct json_doc *doc);

/* A copy in the arena; NULL when it is not there, is null, or is no string (err is set then). */
const char *json_member_string(const struct json_object *o, const char *member);

/* Unknown when it is not there, is null, or is no whole number within 2^53 (err is set then). */
struct opt_i64 json_member_integer(const struct json_object *o, const char *member);

/*
 * Walk over a list of objects in the root: *at starts as { 0 }; false after the last one, or when
 * it is not there. What is no list, or an element that is no object, is skipped and err is set.
 */
bool json_list_next(struct json_doc *doc, const char *list, struct json_object *at);

/* Set the document's error at the place of a member of `o`. Always false. */
bool json_complain(const struct json_object *o, const char *member, const char *why);

#endif
