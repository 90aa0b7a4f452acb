/* A tar stream that is whole in memory: what a node sent of its files. */
#ifndef TWCSCHECK_TAR_H
#define TWCSCHECK_TAR_H

#include "base/arena.h"

/* `name` as the archive has it; the bytes are only valid during the call. */
typedef void tar_fn(void *ctx, const char *name, struct slice bytes, struct opt_i64 mtime_s);

/*
 * Hands out each regular file of at most `max` bytes; links, folders and devices are passed over.
 * NULL, or what is wrong with the stream: what came before that stays valid.
 */
const char *tar_read(struct arena *a, struct slice stream, int64_t max, tar_fn *each, void *ctx);

#endif
