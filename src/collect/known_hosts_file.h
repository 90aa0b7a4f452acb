/* What reading and writing known_hosts files share. */
#ifndef TWCSCHECK_KNOWN_HOSTS_FILE_H
#define TWCSCHECK_KNOWN_HOSTS_FILE_H

#include "collect/known_hosts.h"

enum { KNOWN_HOSTS_FILE_MAX = 16 * 1024 * 1024 };

/*
 * The whole of an open file, from its start; text->p is for free(). NULL, or why it can't be read:
 * then there is nothing to free, and the text is good until the next call.
 */
const char *known_hosts_slurp(int fd, struct slice *text);

/* "host", or "[host]:port" when the port is not 22; in lower case. */
const char *known_hosts_name(struct arena *a, const struct known_host_name *name);

#endif
