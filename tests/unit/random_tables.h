/*
 * Random tables for holding the analysis against the reference: the same SSTables once as the
 * reference's input and once as the program's model. One seed, one table.
 *
 * They are drawn to be hard rather than likely: timestamps and expiries from few values, so that
 * equalities are common; expiries a second around gcBefore; several directories and repair groups;
 * token ranges that meet, touch or are not known; records that cannot be used.
 */
#ifndef TWCSCHECK_TEST_RANDOM_TABLES_H
#define TWCSCHECK_TEST_RANDOM_TABLES_H

#include "model_build.h"
#include "reference.h"

struct rng { uint64_t state; };

uint64_t rng_next(struct rng *r);
/* 0 <= result < n; n > 0. */
int64_t rng_below(struct rng *r, int64_t n);
bool rng_chance(struct rng *r, unsigned percent);

struct random_table {
	uint64_t seed;
	const char *release;
	enum ts_resolution resolution;
	bool unsafe_aggressive;		/* as the schema has it; in force only where it exists */
	int64_t lateness_s;		/* 0 = not configured */
	bool bytes_known[REF_MAX];
	struct ref_table ref;		/* not judged yet */
};

void random_table_draw(struct random_table *x, uint64_t seed);

/*
 * The table as a model, by the clock `now_s`; made[i] is what became of x->ref.files[i], before and
 * after the analysis has sorted the table's own array.
 */
struct table *random_table_build(struct arena *a, const struct random_table *x, int64_t now_s,
				 struct sstable **made);

/* One line for the rules and one for each SSTable, on standard error. */
void random_table_print(const struct random_table *x);

#endif
