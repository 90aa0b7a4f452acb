/*
 * A streaming JSON writer on a struct buf: numbers exact to 64 bits, text always valid UTF-8.
 *
 * The caller keeps the order right (a key before each value inside an object); nesting is at most
 * JSON_DEPTH_MAX deep. With `indent` 0 the text is on one line, otherwise each value stands on a
 * line of its own. Nothing is allocated but the buffer's own bytes.
 */
#ifndef TWCSCHECK_JSON_WRITE_H
#define TWCSCHECK_JSON_WRITE_H

#include "base/buf.h"
#include "base/slice.h"

enum { JSON_DEPTH_MAX = 63 };

struct json {
	struct buf *out;
	unsigned indent;	/* blanks for each level; 0 = all on one line */
	unsigned depth;
	uint64_t has_items;	/* bit d: something was written at depth d */
	bool after_key;
};

void json_init(struct json *j, struct buf *out, unsigned indent);

void json_object_begin(struct json *j);
void json_object_end(struct json *j);
void json_array_begin(struct json *j);
void json_array_end(struct json *j);

/* json_key() is for names in the program: printable ASCII without quotes and backslashes. */
void json_key(struct json *j, const char *key);
void json_key_slice(struct json *j, struct slice key);

/* Control characters are escaped, each ill-formed UTF-8 sequence becomes U+FFFD. NULL: null. */
void json_string(struct json *j, const char *s);
void json_slice(struct json *j, struct slice s);
/* The same, but ill-formed bytes stay readable: "\xNN" as text. */
void json_slice_bytes(struct json *j, struct slice s);
/* Bytes as a string of lower-case hexadecimal digits. */
void json_hex(struct json *j, struct slice bytes);
void json_i64(struct json *j, int64_t v);
void json_u64(struct json *j, uint64_t v);
/* The shortest text that reads back as the same number, like 1.0 or 1e-05; NaN, inf: null. */
void json_f64(struct json *j, double v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
/* `number` as it stands: for numbers beyond 64 bits, digits only. */
void json_number(struct json *j, const char *number);
void json_opt_i64(struct json *j, struct opt_i64 v);	/* unknown: null */
void json_opt_f64(struct json *j, struct opt_f64 v);	/* unknown: null */

/* Key and value in one. */
void json_put_string(struct json *j, const char *key, const char *s);
void json_put_slice(struct json *j, const char *key, struct slice s);
void json_put_i64(struct json *j, const char *key, int64_t v);
void json_put_u64(struct json *j, const char *key, uint64_t v);
void json_put_f64(struct json *j, const char *key, double v);
void json_put_bool(struct json *j, const char *key, bool v);
void json_put_null(struct json *j, const char *key);
void json_put_opt_i64(struct json *j, const char *key, struct opt_i64 v);
void json_put_opt_f64(struct json *j, const char *key, struct opt_f64 v);

/* For writers of other forms: decimal digits of v at the end of `room`; where they start. */
enum { DECIMAL_ROOM = 24 };
const char *decimal_i64(char room[DECIMAL_ROOM], int64_t v);
/* The text that json_f64() writes, with "nan", "inf", "-inf" for what JSON has no number for. */
void decimal_f64(char room[40], double v);

/*
 * Length of the well-formed UTF-8 character at the start of s (1 to 4), or 0 when it is ill-formed:
 * *bad then says how many bytes stand for one replacement character.
 */
size_t utf8_length(struct slice s, size_t *bad);

#endif
