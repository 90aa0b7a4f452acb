/* Names of the kinds of evidence. See evidence.h. */
#include "model/evidence.h"

static const struct {
	enum evidence_kind kind;
	const char *name;
} kinds[] = {
	{ EV_BUNDLE, "bundle" },
	{ EV_NODE, "node" },
	{ EV_STATUS, "status" },
	{ EV_INFO, "info" },
	{ EV_VERSION, "version" },
	{ EV_DATAPATHS, "datapaths" },
	{ EV_DESCRIBECLUSTER, "describecluster" },
	{ EV_STATUSAUTOCOMPACTION, "statusautocompaction" },
	{ EV_DISK_USAGE, "disk-usage" },
	{ EV_TABLESTATS, "tablestats" },
	{ EV_TABLEHISTOGRAMS, "tablehistograms" },
	{ EV_COMPACTIONSTATS, "compactionstats" },
	{ EV_SCHEMA, "schema" },
	{ EV_LISTING, "sstable-listing" },
	{ EV_SSTABLEMETADATA, "sstablemetadata" },
	{ EV_STATISTICS_DB, "statistics-db" },
	{ EV_KEYS_DB, "keys-db" },
	{ EV_SETTINGS, "settings" },
	{ EV_EXPIREDBLOCKERS, "sstableexpiredblockers" },
	{ EV_LOOSE, "loose-file" },
	{ EV_METADATA, "sstable-metadata" },
};

const char *evidence_kind_name(enum evidence_kind kind)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return "unknown";
}
