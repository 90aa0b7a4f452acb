/* Phrases that several checks use. */
#ifndef TWCSCHECK_CHECKS_TEXT_H
#define TWCSCHECK_CHECKS_TEXT_H

#include "finding/finding.h"

enum { NAMES_SHOWN = 3, DETAILS_SHOWN = 10 };

/* "1 SSTable", "3 SSTables". */
static inline const char *plural(struct arena *a, size_t n, const char *noun)
{
	return arena_printf(a, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}

/* "12 %" of `whole`, 0 when that is 0. */
static inline double percent_of(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* "for ever" or "until 2026-12-28 18:02". */
static inline const char *until(struct arena *a, int64_t time_s)
{
	if (time_s == TIME_NEVER)
		return "for ever";
	return arena_printf(a, "until %s", num_format_minute(a, time_s));
}

/* "28.2 KiB" of a sum over the table's SSTables, or that their sizes are not known. */
static inline const char *size_text(const struct check_ctx *ctx, int64_t bytes)
{
	return ctx->table->bytes_known ? num_format_size(ctx->arena, bytes) : "size not known";
}

/* "metrics.readings" of a check's table. */
static inline const char *table_name(const struct check_ctx *ctx)
{
	return ctx->table->full_name;
}

static inline enum severity worst_of(enum severity x, enum severity y)
{
	return x > y ? x : y;
}

#endif
