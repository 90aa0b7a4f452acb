/* See loose.h. */
#include "parse/loose.h"

void loose_finish(struct cluster *c)
{
	(void)c;
}
