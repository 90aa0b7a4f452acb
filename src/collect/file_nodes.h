/*
 * Which node a loose file is of, by its path: below "nodes", below an address, in one of several
 * sibling folders that hold the same outputs, or with a host beside the command in its name.
 */
#ifndef TWCSCHECK_FILE_NODES_H
#define TWCSCHECK_FILE_NODES_H

#include "base/arena.h"

/*
 * paths  n of them, relative to the folder that is read, without "./"
 * nodes  room for n: the name of the node, "-" when nothing tells
 */
void file_nodes_find(struct arena *a, const char *const *paths, size_t n, const char **nodes);

#endif
