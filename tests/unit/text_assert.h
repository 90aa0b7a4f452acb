/* Assertions about texts that show the whole text when they fail. */
#ifndef TWCSCHECK_TEST_TEXT_ASSERT_H
#define TWCSCHECK_TEST_TEXT_ASSERT_H

#include <string.h>

static inline void assert_text(const char *name, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_msg("%s:\n%s\ninstead of\n%s", name, got, want);
}

static inline void assert_has(const char *name, const char *page, const char *want)
{
	if (!strstr(page, want))
		fail_msg("%s: no '%s' in\n%s", name, want, page);
}

static inline void assert_lacks(const char *name, const char *page, const char *text)
{
	if (strstr(page, text))
		fail_msg("%s: '%s' in\n%s", name, text, page);
}

#endif
