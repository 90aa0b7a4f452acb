/* Small readers that several of nodetool's outputs share. */
#ifndef TWCSCHECK_NODETOOL_H
#define TWCSCHECK_NODETOOL_H

#include "base/slice.h"

/* The value of "Label: value" or "Label   : value", trimmed; false when it is another line. */
bool nodetool_value(struct slice line, const char *label, struct slice *value);

/* True when the whole slice is a UUID in its usual form. */
bool nodetool_is_uuid(struct slice s);

/* "10.0.0.11:7000", "/10.0.0.11", "host/10.0.0.11:7000", "[2001:db8::5]:7000": the address. */
struct slice nodetool_address(struct slice s);

/* True when it has no control characters: fit for a name that is shown. */
bool nodetool_is_plain(struct slice s);

#endif
