/*
 * Names to addresses without waiting: the C library's resolver in a thread of its own, since it
 * may take half a minute. One that is given up ends by itself and leaves nothing behind.
 */
#ifndef TWCSCHECK_RESOLVE_H
#define TWCSCHECK_RESOLVE_H

#include <sys/socket.h>

#include "base/arena.h"

struct resolve;
struct resolved_address { struct sockaddr_storage address; socklen_t length; };
struct resolved { VEC(struct resolved_address) list; };

struct resolve *resolve_begin(const char *host, const char *port);
/* Becomes readable when it is done; -1 = it is done already. */
int resolve_descriptor(const struct resolve *r);
/*
 * False: not yet. True: *why is NULL and *out has addresses in the resolver's order, or *why says
 * what went wrong.
 */
bool resolve_done(struct resolve *r, struct arena *a, struct resolved *out, const char **why);
void resolve_end(struct resolve *r);

/* "192.0.2.1" or "2001:db8::1" */
const char *resolve_text(struct arena *a, const struct resolved_address *address);

#endif
