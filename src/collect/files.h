/* Whether a path is for the source of loose files. */
#ifndef TWCSCHECK_FILES_H
#define TWCSCHECK_FILES_H

#include <stdbool.h>

/*
 * True for "-" (standard input), for a plain file, and for a folder that is no bundle: without
 * bundle.json, node.json (also of one of its nodes), or numbered folders in "sstables".
 */
bool files_is_loose(const char *where);

#endif
