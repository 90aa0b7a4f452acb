/*
 * What all renderers share.
 */
#include "render/render.h"

int severity_exit_status(enum severity s)
{
	switch (s) {
	case SEV_OK: return 0;
	case SEV_WARNING: return 1;
	case SEV_CRITICAL: return 2;
	case SEV_UNKNOWN: break;
	}
	return 3;
}
