/*
 * Parsers: evidence in, facts out. A parser knows one command's output in all its dialects and
 * nothing of where the bytes came from. pcre2 is used only in this folder; cJSON in *_json.c.
 *
 * Rules for every parser: right values or a named, located error, never a wrong value. A line
 * that was cut off (no line end at the end of the text) yields no number that could be longer.
 * Unknown lines are skipped. A parser appends to the node's facts and copies what it keeps into
 * the arena: the evidence's bytes go away after the call. It returns false when nothing could be
 * used (err is set); when some of it could, it returns true and sets err as well: the evidence is
 * then "partial".
 */
#ifndef TWCSCHECK_PARSE_H
#define TWCSCHECK_PARSE_H

#include "model/model.h"

typedef bool parse_fn(struct arena *a, const struct evidence *ev, struct node *into,
		      struct err *err);

parse_fn parse_bundle_json;		/* bundle_json.c: into->cluster->name */
parse_fn parse_node_json;		/* node_json.c */
parse_fn parse_version;			/* version.c */
parse_fn parse_status;			/* status.c */
parse_fn parse_describecluster;		/* describecluster.c */
parse_fn parse_statusautocompaction;	/* statusautocompaction.c */
parse_fn parse_datapaths;		/* datapaths.c */
parse_fn parse_info;			/* info.c */
parse_fn parse_tablestats;		/* tablestats.c */
parse_fn parse_schema;			/* schema.c (DESCRIBE text) */
parse_fn parse_schema_json;		/* schema_json.c (rows of system_schema as SELECT JSON) */
parse_fn parse_listing;			/* listing.c */
parse_fn parse_sstablemetadata;		/* sstablemetadata.c */
/*
 * statistics_meta.c: Statistics.db of one SSTable, and its Summary.db or Partitions.db. They share
 * one record when they follow each other. A damaged Statistics.db leaves a record of state
 * METADATA_NONE with `problem` set.
 */
parse_fn parse_statistics_db;
parse_fn parse_keys_db;

/*
 * Route one piece of evidence to its parser and record how it went in the node's evidence.
 * The node of the evidence is made when it is new.
 */
void parse_evidence(struct cluster *c, const struct evidence *ev);

/*
 * After the last piece: commands of node.json that failed or whose file was never seen become
 * evidence records.
 */
void parse_finish(struct cluster *c);

/*
 * Split an SSTable's base name, "nb-16-big" or "nb-16-big-Data.db" (also the older
 * "ks-table-ka-7-Data.db"): what is not there is an empty slice. False when it is no SSTable name.
 */
struct sstable_name { struct slice base, version, id, format, component; };
bool parse_sstable_name(struct slice file, struct sstable_name *out);

/*
 * Split "/data/ks/readings-<32 hex>/nb-16-big" into the folder, the keyspace, "readings-<id>" and
 * the last component; parts that are not there are empty.
 */
struct sstable_path { struct slice folder, keyspace, table_dir, name; };
struct sstable_path parse_sstable_path(struct slice path);

/* "readings-<32 hex>" or "readings-<uuid>" -> table name, id (may be empty). */
void parse_table_dir(struct slice dir, struct slice *table, struct slice *id);

#endif
