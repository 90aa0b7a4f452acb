/*
 * nodetool tablestats -F yaml. A line reader for what snakeyaml (Cassandra 3.11 to 6.0) and
 * yaml-cpp (ScyllaDB) print of it: nested maps by indentation, scalars plain or quoted, lists that
 * are passed over. The place in the document is the names of the maps around a line.
 *
 * As in the JSON form ScyllaDB's maximum of tombstones is that of live cells and left unknown.
 *
 * Source: StatsPrinter.YamlPrinter (3.11 to 6.0), scylla-nodetool.cc.
 */
#include "parse/tablestats.h"

#include <stddef.h>

#include "parse/complaint.h"

enum { DEPTH_MAX = 6 };

struct map { size_t indent; struct slice name; };

struct reader {
	struct arena *a;
	const char *source;
	struct err *err;
	struct stats_set set;
	bool used;
	struct map around[DEPTH_MAX];
	size_t depth;
	char quote;		/* of a value that goes on on the next line; 0 = none */

	bool in_table, in_keyspace;
	struct slice keyspace, table;
	struct table_stats stats;
	bool sizes;		/* the table has what is needed of it */
	bool cassandra;		/* the keyspace has a key that only Cassandra prints */
	bool counts;		/* the keyspace has its counters */
	VEC(struct table_stats *) tables;	/* of this keyspace */
};

static void end_table(struct reader *r)
{
	struct slice name = r->table;

	if (!r->in_table)
		return;
	r->in_table = false;
	if (!stats_is_name(name) || (r->keyspace.n && !stats_is_name(r->keyspace))) {
		err_set(r->a, r->err, ERR_FORMAT, r->source, r->stats.line,
			"this is no name of a table: '%s'", complaint_tidy(r->a, name));
		return;
	}
	r->stats.is_index = slice_find(name, '.') < name.n;
	if (r->stats.is_index)
		name = stats_index_name(name);
	*vec_add(r->a, &r->tables) =
		stats_set_put(&r->set, r->keyspace, name, &r->stats, true);
	r->used = true;
}

static void end_keyspace(struct reader *r)
{
	const char *product = r->set.node->product;
	bool scylla = product ? strcmp(product, "scylla") == 0 : !r->cassandra;

	end_table(r);
	for (size_t i = 0; r->in_keyspace && scylla && i < r->tables.n; i++) {
		r->tables.v[i]->tombstones_max = (struct opt_f64){ 0 };
		r->tables.v[i]->is_index = false;	/* Alternator has dots in names */
	}
	r->tables.n = 0;
	r->in_keyspace = r->cassandra = r->counts = false;
}

static void start_table(struct reader *r, struct slice keyspace, struct slice name, unsigned line)
{
	end_table(r);
	r->in_table = true;
	r->sizes = false;
	r->keyspace = keyspace;
	r->table = name;
	r->stats = (struct table_stats){ .line = line };
}

/* Maps that ended where a line begins at `indent`. */
static void close_maps(struct reader *r, size_t indent)
{
	while (r->depth && r->around[r->depth - 1].indent >= indent) {
		r->depth--;
		if (r->depth == 2)
			end_table(r);
		else if (r->depth == 0)
			end_keyspace(r);
	}
}

static void open_map(struct reader *r, size_t indent, struct slice name, unsigned line)
{
	if (r->depth == DEPTH_MAX)
		return;
	r->around[r->depth++] = (struct map){ indent, name };
	if (r->depth == 1)
		r->in_keyspace = true;
	else if (r->depth == 3 && slice_eq(r->around[1].name, SLICE("tables")))
		start_table(r, r->around[0].name, name, line);
}

/* Without its quotes; a value whose end is on a later line loses only the first one. */
static struct slice unquote(struct reader *r, struct slice s, bool is_value)
{
	char quote = s.n ? s.p[0] : '\0';

	if (quote != '\'' && quote != '"')
		return s;
	s = slice_from(s, 1);
	if (s.n && s.p[s.n - 1] == quote)
		s.n--;
	else if (is_value)
		r->quote = quote;
	return s;
}

static void read_value(struct reader *r, struct slice key, struct slice value, unsigned line)
{
	const struct stats_member *m = stats_member_find(key);

	if (r->depth == 1) {
		r->cassandra = r->cassandra || slice_eq(key, SLICE("read_latency"));
		r->counts = r->counts || slice_eq(key, SLICE("read_count"));
	}
	/* printed with -s: "keyspace.table" stands where keyspaces do */
	if (m && r->depth == 1 && !r->in_table) {
		struct slice name = r->around[0].name;
		size_t dot = slice_find(name, '.');

		if (dot == name.n || r->counts)
			return;
		start_table(r, (struct slice){ name.p, dot }, slice_from(name, dot + 1), line);
		r->in_keyspace = false;
	}
	if (!m || !r->in_table || (r->depth != 3 && r->depth != 1))
		return;
	r->sizes = r->sizes || m->offset == offsetof(struct table_stats, partition_max_bytes);
	if (slice_eq(value, SLICE("null")) || slice_eq(value, SLICE("~")) || !value.n)
		return;
	if (!stats_read(value, m->type, m->offset, &r->stats))
		err_set(r->a, r->err, ERR_FORMAT, r->source, line, "%s %s '%s'", m->name,
			stats_not_certain, complaint_tidy(r->a, value));
}

/* "key: value", "key:"; false for anything else. */
static bool split_line(struct reader *r, struct slice body, struct slice *key, struct slice *value)
{
	size_t i = 0;

	if (body.p[0] == '\'' || body.p[0] == '"')
		for (i = 1; i < body.n && body.p[i] != body.p[0];)
			i++;
	for (; i < body.n; i++)
		if (body.p[i] == ':' && (i + 1 == body.n || body.p[i + 1] == ' '))
			break;
	if (i >= body.n)
		return false;
	*key = unquote(r, (struct slice){ body.p, i }, false);
	*value = unquote(r, slice_trim(slice_from(body, i + 1)), true);
	return key->n > 0;
}

static void take_line(struct reader *r, struct slice line, unsigned number, bool whole)
{
	struct slice body = slice_trim(line), key, value;
	size_t indent = (size_t)(body.p - line.p);

	if (r->quote) {
		if (body.n && body.p[body.n - 1] == r->quote)
			r->quote = '\0';
		return;
	}
	if (!body.n || body.p[0] == '#' || body.p[0] == '-' || slice_eq(body, SLICE("...")))
		return;
	close_maps(r, indent);
	if (!whole || !split_line(r, body, &key, &value))
		return;
	if (body.p[body.n - 1] == ':')
		open_map(r, indent, key, number);
	else
		read_value(r, key, value, number);
}

bool tablestats_parse_yaml(struct arena *a, const struct evidence *ev, struct node *into,
			   struct err *err)
{
	struct reader r = { .a = a, .err = err };
	struct lines it = lines_of(ev->out);
	struct slice line;
	bool cut;

	r.source = ev->path ? arena_strdup(a, ev->path) : NULL;
	stats_set_open(&r.set, a, into);
	it.terminated = true;
	while (lines_next(&it, &line))
		take_line(&r, line, it.number, it.terminated);
	cut = !it.terminated || r.quote || (r.in_table && !r.sizes) ||
	      (r.in_keyspace && !r.counts);
	end_keyspace(&r);
	if (r.used && cut && !complaint_find(a, ev->out, r.source, err))
		err_set(a, err, ERR_FORMAT, r.source, it.number, "the text ends inside a keyspace");
	if (!r.used)
		return complaint_report(a, ev->out, r.source, "table statistics", err);
	return true;
}
