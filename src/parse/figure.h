/*
 * Figures as tools and people print them: whole numbers with thousands separators, decimal commas,
 * exponents, sizes in units. What has two readings is refused: a wrong number is worse than none.
 */
#ifndef TWCSCHECK_FIGURE_H
#define TWCSCHECK_FIGURE_H

#include "base/base.h"

/* What "KB" stands for: nodetool of 3.0 and ScyllaDB mean 1024 by it, df --si means 1000. */
enum figure_kilo { KILO_1024, KILO_1000 };

/*
 * A whole number, negative or not: "123", "1.2E7" when that is exact, "2,816,159" (groups of three
 * can mean nothing else where no fraction is possible). NaN is unknown and no failure.
 */
bool figure_whole(struct slice s, struct opt_i64 *out) MUST_USE;

/*
 * A number that may have a fraction: "0.25", "4.1E-3", and with a decimal comma "0,58182". One
 * comma before three digits ("1,178") can be either and is refused. NaN is unknown and no failure.
 */
bool figure_float(struct slice s, struct opt_f64 *out) MUST_USE;

/* "18.56%", "18,56%"; "n/a" and NaN are unknown and no failure. */
bool figure_percent(struct slice s, struct opt_f64 *out) MUST_USE;

/*
 * Bytes: a whole number, bare or followed by "B" or "bytes", or a number in a unit ("24.81 KiB",
 * "5.057GiB", "14.07 GB", "1.5T"), then *rounded is set: it is off by up to half of its last digit.
 * A remark in parentheses at the end is passed over. A negative number needs to be bare.
 */
bool figure_bytes(struct slice s, enum figure_kilo kilo, struct opt_i64 *out, bool *rounded)
	MUST_USE;

#endif
