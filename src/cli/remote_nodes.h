/*
 * Nodes that are asked over SSH, as people write them: HOST, USER@HOST, HOST:PORT, [ADDRESS]:PORT.
 *
 * Names end up in the arguments of ssh and in what ~/.ssh/config makes of them (ProxyCommand is a
 * shell's command): what a shell or an option parser would take for its own is refused, as ssh
 * itself does.
 */
#ifndef TWCSCHECK_REMOTE_NODES_H
#define TWCSCHECK_REMOTE_NODES_H

#include "cli/cli.h"

/* NULL, or why it cannot be the name of a host, of a user there, of a user for sudo. */
const char *remote_host_flaw(const char *text);
const char *remote_user_flaw(const char *text);
const char *remote_sudo_flaw(const char *text);

/* NULL, or why the text is no node. The node's name in the report is its host. */
const char *remote_node_parse(struct arena *a, const char *text, struct remote_node *out);

/*
 * The nodes to ask: those of -H, else the configuration's. A name that is the name or host of a
 * node of the configuration is that node. What is typed wins: HOST:PORT over -p over the
 * configuration. One host with several ports is several nodes, named HOST:PORT; what is given
 * twice is asked once. False and err set when one is no node.
 */
bool remote_nodes_choose(const struct run_options *o, struct remote_nodes *out,
			 struct err *err) MUST_USE;

#endif
