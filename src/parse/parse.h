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
parse_fn parse_tablehistograms;		/* tablehistograms.c */
parse_fn parse_compactionstats;		/* compactionstats.c */
parse_fn parse_tablestats_json;		/* tablestats_json.c */
parse_fn parse_dump_statistics_json;	/* dump_statistics_json.c (ScyllaDB) */
parse_fn parse_expiredblockers;		/* expiredblockers.c */
parse_fn parse_file_listing;		/* file_listing.c: ls -l, find -printf, names */
parse_fn parse_df;			/* df.c */

/*
 * EV_LOOSE: what kind of output is it? A text can hold several commands' outputs, with prompts,
 * colours, quoting marks and banners around them: it is cleaned, cut into pieces, and each piece
 * goes to its parser with what keyspace, table and node content and path tell (recognise.c).
 */
void parse_loose(struct cluster *c, const struct evidence *ev);
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

/* What stands behind the last slash of a path: all of it when there is none. */
struct slice parse_file_name(struct slice path);

/*
 * Split an SSTable's base name, "nb-16-big" or "nb-16-big-Data.db" (also the older
 * "ks-table-ka-7-Data.db"): what is not there is an empty slice. False when it is no SSTable name.
 */
struct sstable_name { struct slice base, version, id, format, component; };
bool parse_sstable_name(struct slice file, struct sstable_name *out);

/*
 * The keyspace and the table in a name of 2.1 and older, "ks-table-ka-7", with or without
 * component. False when it is none. A secondary index has a table of "table.index".
 */
bool parse_old_sstable_name(struct slice file, struct slice *keyspace, struct slice *table);

/*
 * Split "/data/ks/readings-<32 hex>/nb-16-big" into the folder, the keyspace, "readings-<id>" and
 * the last component; parts that are not there are empty. Below a folder without an id, a name of
 * 2.1 or older tells keyspace and table.
 */
struct sstable_path { struct slice folder, keyspace, table_dir, name; };
struct sstable_path parse_sstable_path(struct slice path);

/* "readings-<32 hex>" or "readings-<uuid>" -> table name, id (may be empty). */
void parse_table_dir(struct slice dir, struct slice *table, struct slice *id);

#endif
