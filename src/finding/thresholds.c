/* Options that name checks: their validation, thresholds, what is left out, what is silenced. */
#include "finding/thresholds.h"

#include <string.h>

#include "base/slice.h"

static const char *nearest_check(const char *id)
{
	const char *best = check_table[0]->id;
	size_t least = SIZE_MAX;

	for (size_t i = 0; check_table[i]; i++) {
		size_t d = slice_distance(slice_of(id), slice_of(check_table[i]->id));

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
		return err_set(a, err, ERR_USAGE, option, 0,
			       "check '%s' has no parameter '%s'; hint: it has %s", c->id,
			       o->param ? o->param : "", param_list(a, c));
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
	for (size_t i = 0; check_table[i]; i++)
		if (check_is_selected(o, check_table[i]))
			return true;
	return err_set(a, err, ERR_USAGE, "--only, --skip, --class", 0,
		       "leave no check to be made");
}

static void set_range(struct arena *a, const char *text, enum unit unit, struct range *r)
{
	const char *why;

	if (text && !range_parse(a, slice_of(text), unit, r, &why))
		r->text = NULL;		/* validated before: only an empty range gets here */
}

/* Pattern NULL = everywhere; any other but "*" needs a table. */
static bool is_about(const char *pattern, const struct table *t)
{
	if (!pattern || strcmp(pattern, "*") == 0)
		return true;
	return t && table_pattern_matches(pattern, t->full_name);
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

		if (i < 0 || !is_about(ov->table, ctx->table))
			continue;
		set_range(a, ov->warn, c->params[i].unit, &ctx->thresholds[i].warn);
		set_range(a, ov->crit, c->params[i].unit, &ctx->thresholds[i].crit);
	}
}

bool check_is_accepted(const struct run_checks_options *o, const struct check *c,
		       const struct table *table)
{
	for (size_t i = 0; i < o->only.n && !table; i++)
		if (strcmp(o->only.v[i], c->id) == 0)
			return false;	/* asked for by name */
	for (size_t i = 0; i < o->accepted.n; i++) {
		const struct check_skip *s = &o->accepted.v[i];

		if (strcmp(s->check, c->id) == 0 && !s->table == !table &&
		    is_about(s->table, table))
			return true;
	}
	return false;
}

void finding_silence(const struct run_checks_options *o, int64_t now_s, struct findings *out,
		     struct finding *f)
{
	const struct silence *ended = NULL;

	if (f->severity == SEV_OK || f->missing_evidence)
		return;
	for (size_t i = 0; i < o->silences.n; i++) {
		const struct silence *s = &o->silences.v[i];

		if (strcmp(s->check, f->check->id) != 0 || !is_about(s->table, f->table))
			continue;
		if (now_s >= s->until_s) {
			ended = s;
			continue;
		}
		f->silenced = s;
		f->silenced_from = f->severity;
		f->severity = SEV_OK;
		return;
	}
	if (ended)
		finding_detail(out, f, "was silenced until %s: %s", ended->until, ended->reason);
}
