/* Base64 as in RFC 4648, section 4: with padding, in one line. */
#ifndef TWCSCHECK_BASE64_H
#define TWCSCHECK_BASE64_H

#include "base/arena.h"

char *base64_encode(struct arena *a, struct slice s);

/*
 * Strict: false when a byte is no digit, padding is missing or wrong, or bits are set that no
 * encoder sets; so equal bytes have equal texts. *out is never NULL then, also for an empty text.
 */
bool base64_decode(struct arena *a, struct slice text, struct slice *out) MUST_USE;

#endif
