/* Building findings, judging values. */
#include "finding/finding.h"

#include <string.h>

const char *severity_name(enum severity s)
{
	static const char *const names[] = { "ok", "unknown", "warning", "critical" };

	return names[s];
}

const struct check *check_find(const char *id)
{
	for (size_t i = 0; check_table[i]; i++)
		if (strcmp(check_table[i]->id, id) == 0)
			return check_table[i];
	return NULL;
}

struct finding *finding_add(const struct check_ctx *ctx, struct findings *out,
			    enum severity severity, const char *fmt, ...)
{
	struct finding *f = arena_alloc(out->arena, sizeof(*f));
	va_list ap;

	f->check = ctx->check;
	f->severity = severity;
	f->node = ctx->node;
	f->table = ctx->table;
	va_start(ap, fmt);
	f->summary = arena_vprintf(out->arena, fmt, ap);
	va_end(ap);
	*vec_add(out->arena, &out->list) = f;
	return f;
}

void finding_detail(struct findings *out, struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*vec_add(out->arena, &f->details) = arena_vprintf(out->arena, fmt, ap);
	va_end(ap);
}

void finding_action(struct findings *out, struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	f->action = arena_vprintf(out->arena, fmt, ap);
	va_end(ap);
}

void finding_metric(const struct check_ctx *ctx, struct findings *out, struct finding *f,
		    const char *name, enum unit unit, double value, int param)
{
	struct metric *m = vec_add(out->arena, &f->metrics);

	m->name = name;
	m->unit = unit;
	m->value = value;
	if (param >= 0) {
		m->warning = ctx->thresholds[param].warn.text;
		m->critical = ctx->thresholds[param].crit.text;
	}
}

enum severity check_judge(const struct check_ctx *ctx, unsigned param, double value)
{
	if (range_alerts(&ctx->thresholds[param].crit, value))
		return SEV_CRITICAL;
	if (range_alerts(&ctx->thresholds[param].warn, value))
		return SEV_WARNING;
	return SEV_OK;
}
