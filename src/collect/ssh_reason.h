/*
 * What the ssh program said on standard error before it ended with exit status 255, as an error
 * that names the remedy. Of banners and warnings on the way nothing is taken for the reason.
 */
#ifndef TWCSCHECK_SSH_REASON_H
#define TWCSCHECK_SSH_REASON_H

#include "collect/remote.h"

/*
 * Sets *err: ERR_HOSTKEY, ERR_AUTH, else ERR_CONNECT; its subject is the node's name. `said` may
 * be empty, and hold any bytes.
 */
void ssh_reason(struct arena *a, const struct remote_options *o, const struct remote_node *node,
		const char *said, struct err *err);

/* Whether the last line is one of those that ssh itself ends with. */
bool ssh_reason_known(const char *said);

#endif
