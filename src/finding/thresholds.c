/* Thresholds and the validation of options that name checks. */
#include "finding/thresholds.h"

#include <string.h>

#include "base/slice.h"

/* Edit distance, for "did you mean"; both texts are short. */
static size_t distance(const char *x, const char *y)
{
	size_t n = strlen(y), row[64];

	if (n >= ARRAY_LEN(row) || strlen(x) >= ARRAY_LEN(row))
		return SIZE_MAX;
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 1; x[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= n; k++) {
			size_t best = diagonal + (x[i - 1] != y[k - 1]);

			diagonal = row[k];
			if (row[k] + 1 < best)
				best = row[k] + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			row[k] = best;
		}
	}
	return row[n];
}

static const char *nearest_check(const char *id)
{
	const char *best = check_table[0]->id;
	size_t least = SIZE_MAX;

	for (size_t i = 0; check_table[i]; i++) {
		size_t d = distance(id, check_table[i]->id);

		if (d < least) {
			least = d;
			best = check_table[i]->id;
		}
	}
	return best;
}

static bool known_check(struct arena *a, const char *option, const char *id, struct err *err)
{
	if (check_find(id))
		return true;
	return err_set(a, err, ERR_USAGE, option, 0, "no check '%s'; hint: the nearest is '%s', "
		       "'twcscheck explain' lists all", id, nearest_check(id));
}

static int param_index(const struct check *c, const char *name)
{
	for (int i = 0; c->params && c->params[i].name; i++)
		if (!name || strcmp(c->params[i].name, name) == 0)
			return i;
	return -1;
}

static const char *param_list(struct arena *a, const struct check *c)
{
	char *list = arena_strdup(a, "");

	for (size_t i = 0; c->params && c->params[i].name; i++)
		list = arena_printf(a, "%s%s%s", list, i ? ", " : "", c->params[i].name);
	return *list ? list : "none";
}

static bool valid_range(struct arena *a, const char *option, const char *text,
			const struct check_param *p, struct err *err)
{
	const char *why = NULL;
	struct range r;

	if (!text || range_parse(a, slice_of(text), p->unit, &r, &why))
		return true;
	return err_set(a, err, ERR_USAGE, option, 0, "cannot read the range '%s': %s", text, why);
}

static bool valid_override(struct arena *a, const struct threshold_override *o, struct err *err)
{
	const char *option = o->warn ? "-w" : "-c";
	const struct check *c = check_find(o->check);
	int i;

	if (!c)
		return known_check(a, option, o->check, err);
	i = param_index(c, o->param);
	if (i < 0)
		return err_set(a, err, ERR_USAGE, option, 0, "check '%s' has no parameter '%s'; hint: it has %s",
			       c->id, o->param ? o->param : "", param_list(a, c));
	return valid_range(a, option, o->warn, &c->params[i], err) &&
	       valid_range(a, option, o->crit, &c->params[i], err);
}

bool run_checks_validate(struct arena *a, const struct run_checks_options *o, struct err *err)
{
	for (size_t i = 0; i < o->only.n; i++)
		if (!known_check(a, "--only", o->only.v[i], err))
			return false;
	for (size_t i = 0; i < o->skip.n; i++)
		if (!known_check(a, "--skip", o->skip.v[i], err))
			return false;
	for (size_t i = 0; i < o->overrides.n; i++)
		if (!valid_override(a, &o->overrides.v[i], err))
			return false;
	return true;
}

static void set_range(struct arena *a, const char *text, enum unit unit, struct range *r)
{
	const char *why;

	if (text && !range_parse(a, slice_of(text), unit, r, &why))
		r->text = NULL;		/* validated before: only an empty range gets here */
}

void thresholds_fill(struct arena *a, const struct run_checks_options *o, struct check_ctx *ctx)
{
	const struct check *c = ctx->check;

	memset(ctx->thresholds, 0, sizeof(ctx->thresholds));
	for (int i = 0; c->params && c->params[i].name && i < PARAMS_MAX; i++) {
		set_range(a, c->params[i].warn, c->params[i].unit, &ctx->thresholds[i].warn);
		set_range(a, c->params[i].crit, c->params[i].unit, &ctx->thresholds[i].crit);
	}
	for (size_t k = 0; k < o->overrides.n; k++) {
		const struct threshold_override *ov = &o->overrides.v[k];
		int i = strcmp(ov->check, c->id) == 0 ? param_index(c, ov->param) : -1;

		if (i < 0)
			continue;
		set_range(a, ov->warn, c->params[i].unit, &ctx->thresholds[i].warn);
		set_range(a, ov->crit, c->params[i].unit, &ctx->thresholds[i].crit);
	}
}
