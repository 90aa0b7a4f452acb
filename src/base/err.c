/* Errors as values: one line of text with its subject and place. */
#include "base/arena.h"

bool err_set(struct arena *a, struct err *e, enum err_kind kind, const char *subject,
	     unsigned line, const char *fmt, ...)
{
	va_list ap;

	if (!e || e->kind != ERR_NONE)
		return false;
	va_start(ap, fmt);
	*e = (struct err){ .kind = kind, .subject = subject, .line = line,
			   .text = arena_vprintf(a, fmt, ap) };
	va_end(ap);
	return false;
}

const char *err_text(struct arena *a, const struct err *e)
{
	if (!e->text)
		return "no error";
	if (e->subject && e->line && e->column)
		return arena_printf(a, "%s:%u:%u: %s", e->subject, e->line, e->column, e->text);
	if (e->subject && e->line)
		return arena_printf(a, "%s:%u: %s", e->subject, e->line, e->text);
	if (e->subject)
		return arena_printf(a, "%s: %s", e->subject, e->text);
	return e->text;
}
