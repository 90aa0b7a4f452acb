/* node.sh in one line, made from it by node.awk. It knows a few words; see there. */
#ifndef TWCSCHECK_NODE_SCRIPT_H
#define TWCSCHECK_NODE_SCRIPT_H

extern const char node_script[];

#endif
