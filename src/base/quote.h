/* Names in commands: one function for each language that quotes them. */
#ifndef TWCSCHECK_QUOTE_H
#define TWCSCHECK_QUOTE_H

#include "base/arena.h"

/* For a POSIX shell: plain words as they are, all else in single quotes. */
const char *quote_shell(struct arena *a, const char *s);
/* A CQL identifier: lower-case words as they are, all else in double quotes. */
const char *quote_cql(struct arena *a, const char *s);

#endif
