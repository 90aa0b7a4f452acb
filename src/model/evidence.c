/* Names of the kinds of evidence. See evidence.h. */
#include "model/evidence.h"

const char *evidence_kind_name(enum evidence_kind kind)
{
	switch (kind) {
	case EV_BUNDLE: return "bundle";
	case EV_NODE: return "node";
	case EV_STATUS: return "status";
	case EV_INFO: return "info";
	case EV_VERSION: return "version";
	case EV_DATAPATHS: return "datapaths";
	case EV_DESCRIBECLUSTER: return "describecluster";
	case EV_STATUSAUTOCOMPACTION: return "statusautocompaction";
	case EV_DISK_USAGE: return "disk-usage";
	case EV_TABLESTATS: return "tablestats";
	case EV_TABLEHISTOGRAMS: return "tablehistograms";
	case EV_COMPACTIONSTATS: return "compactionstats";
	case EV_SCHEMA: return "schema";
	case EV_LISTING: return "sstable-listing";
	case EV_SSTABLEMETADATA: return "sstablemetadata";
	case EV_STATISTICS_DB: return "statistics-db";
	case EV_KEYS_DB: return "keys-db";
	case EV_SETTINGS: return "settings";
	case EV_METADATA: return "sstable-metadata";
	}
	return "unknown";
}
