/*
 * Evidence: what one request brought back, uninterpreted.
 *
 * A source hands evidence out one piece at a time and knows nothing of formats; the bytes are only
 * valid during that call. Absence of evidence is never health: a failed command is evidence too.
 */
#ifndef TWCSCHECK_EVIDENCE_H
#define TWCSCHECK_EVIDENCE_H

#include "base/base.h"

enum evidence_kind { /* bits, so that a check can say what it needs */
		     EV_BUNDLE = 1 << 0, /* bundle.json */
		     EV_NODE = 1 << 1, /* node.json */
		     EV_STATUS = 1 << 2,
		     EV_INFO = 1 << 3,
		     EV_VERSION = 1 << 4,
		     EV_DATAPATHS = 1 << 5,
		     EV_DESCRIBECLUSTER = 1 << 6,
		     EV_STATUSAUTOCOMPACTION = 1 << 7,
		     EV_DISK_USAGE = 1 << 8,
		     EV_TABLESTATS = 1 << 9,
		     EV_TABLEHISTOGRAMS = 1 << 10,
		     EV_COMPACTIONSTATS = 1 << 11,
		     EV_SCHEMA = 1 << 12,
		     EV_LISTING = 1 << 13, /* listing.tsv of one table directory */
		     EV_SSTABLEMETADATA = 1 << 14,
		     EV_STATISTICS_DB = 1 << 15, /* Statistics.db of one SSTable */
		     EV_KEYS_DB = 1 << 16, /* Summary.db or Partitions.db of one SSTable */
		     EV_SETTINGS = 1 << 17, /* the lines of cassandra.yaml that are used */
		     EV_EXPIREDBLOCKERS = 1
					  << 18, /* sstableexpiredblockers, from saved files only */
		     EV_LOOSE =
			     1 << 19, /* a file of any kind: parse/ recognises it by its content */
		     /* either form of an SSTable's metadata */
		     EV_METADATA = EV_SSTABLEMETADATA | EV_STATISTICS_DB,
};

/* "tablestats", "sstable-listing", ...: the names of design.md section 2. */
const char *evidence_kind_name(enum evidence_kind kind);

struct evidence {
	enum evidence_kind kind;
	const char *node;	/* name of the node's folder; "-" when there is none */
	/* Below: NULL where it does not apply. Names are decoded, as the node has them. */
	const char *keyspace;	/* of a listing, an SSTable's file, or one table's output */
	const char *table;	/* of one table's output */
	const char *directory;	/* "<table>-<id>": name of the SSTable directory */
	const char *file;	/* file name of an SSTable's component */
	unsigned disk;		/* number of the data directory, 0 when there is only one */
	const char *path;	/* where the bytes came from: the subject of errors */
	const char *relative;	/* the same below the node's folder, as node.json names it */
	struct slice out;	/* the bytes; valid only during the call */
	bool more;		/* EV_LOOSE: the text goes on in the next piece of this path */
	struct opt_i64 mtime_s;	/* modification time of the file they were saved in */
	struct err err;		/* ERR_NONE when `out` is usable */
	/* How a live source came by it; command NULL = from a saved file. */
	const char *command;	/* as a person would type it */
	struct opt_i64 exit_status;
	const char *signal;	/* "KILL"; NULL = it ended by itself */
	const char *errout;	/* its standard error, the first of it */
	struct opt_i64 started_s, duration_ms;
};

#endif
