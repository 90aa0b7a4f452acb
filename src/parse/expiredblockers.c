/*
 * sstableexpiredblockers: one line for each SSTable that holds expired ones, with all of those.
 *
 * Nothing printed means nothing blocked. What a line says of its SSTables (timestamps, maximum
 * local deletion time) is kept as metadata, marked as that tool's word: there is no repair state
 * and no token range in it, so the server's rule can't be applied to it.
 *
 * Sources: Cassandra SSTableExpiredBlockers, SSTableReader.toString (2.1 to 5.0).
 */
#include "base/num.h"
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/metadata_place.h"
#include "parse/name_index.h"
#include "parse/parse.h"
#include "parse/pattern.h"

struct reader {
	struct arena *arena;
	const struct evidence *ev;
	struct node *node;
	struct err *err;
	struct lines lines;
	struct name_index known;	/* SSTables with metadata already, by folder and name */
	bool said_something;
};

/* "[BigTableReader:big(path='…') (minTS = 5, maxTS = 5, maxLDT = 2147483647)]" */
static struct pattern reader_text = PATTERN(
	"^\\[[A-Za-z0-9_$.]+(:[a-z0-9]+)?\\(path='([^']*)'\\) "
	"\\(minTS = (-?[0-9]+), maxTS = (-?[0-9]+), maxLDT = (-?[0-9]+)\\)\\]");
static struct pattern blocks_text = PATTERN(
	"^,?[ \\t]*blocks ([0-9]+) expired sstables? from getting dropped:[ \\t]*");
static struct pattern no_sstables = PATTERN("^No sstables for [^ ]+$");

struct named_reader {
	struct metadata_place place;
	struct slice path;
	int64_t min_ts, max_ts, max_ldt_s;
};

/* Take one off *rest; false when none, or none that can be read, stands there. */
static bool take_reader(struct slice *rest, struct named_reader *out)
{
	struct slice m[6];

	if (!pattern_match(&reader_text, *rest, m, ARRAY_LEN(m)) ||
	    !num_parse_i64(m[3], &out->min_ts) || !num_parse_i64(m[4], &out->max_ts) ||
	    !num_parse_i64(m[5], &out->max_ldt_s) || !metadata_place_split(m[2], &out->place))
		return false;
	out->path = m[2];
	/* Up to 4.1 deletion times have 32 bits; 5.0 is the first to print the format. */
	if (out->max_ldt_s == INT32_MAX && !m[1].p)
		out->max_ldt_s = TIME_NEVER;
	*rest = slice_from(*rest, m[0].n);
	return true;
}

static void skip_separator(struct slice *rest)
{
	while (rest->n && (rest->p[0] == ',' || rest->p[0] == ' '))
		*rest = slice_from(*rest, 1);
}

/* Its metadata, made once for each SSTable; its name is good for the whole run. */
static const struct sstable_meta *keep_meta(struct reader *r, const struct named_reader *n)
{
	struct name_entry *e = name_index_get(r->arena, &r->known, n->place.folder, n->place.name);
	struct sstable_meta *m;

	if (e->value != NAME_NEW)
		return r->node->metas.v[e->value];
	e->value = r->node->metas.n;
	m = arena_alloc(r->arena, sizeof(*m));
	metadata_place_set(r->arena, r->ev, &n->place, m);
	m->line = r->lines.number;
	m->state = METADATA_PARTIAL;
	m->hearsay = true;
	m->problem = "known from sstableexpiredblockers alone";
	m->min_ts = some_i64(n->min_ts);
	m->max_ts = some_i64(n->max_ts);
	m->max_ldt_s = some_i64(n->max_ldt_s);
	*vec_add(r->arena, &r->node->metas) = m;
	return m;
}

static void complain(struct reader *r, const char *why)
{
	err_set(r->arena, r->err, ERR_FORMAT, r->ev->path, r->lines.number, "%s", why);
}

static void read_blocked(struct reader *r, struct slice rest, struct tool_blocker *b)
{
	struct named_reader n;

	skip_separator(&rest);
	while (take_reader(&rest, &n)) {
		*vec_add(r->arena, &b->blocked) = keep_meta(r, &n)->name;
		skip_separator(&rest);
	}
	if (!r->lines.terminated && (rest.n || (int64_t)b->blocked.n != b->n_blocked))
		complain(r, "the text is cut off");
	else if (rest.n)
		complain(r, "a blocked SSTable that can't be read");
	else if ((int64_t)b->blocked.n != b->n_blocked)
		complain(r, arena_printf(r->arena, "%lld SSTables are said to be blocked, %zu are "
						   "named",
					 (long long)b->n_blocked, b->blocked.n));
}

static void read_line(struct reader *r, struct slice line)
{
	struct slice rest = line, m[2];
	const struct sstable_meta *meta;
	struct tool_blocker *b;
	struct named_reader n;
	int64_t count;

	if (pattern_match(&no_sstables, line, NULL, 0)) {
		r->said_something = true;
		return;
	}
	if (line.p[0] != '[')
		return;
	if (!take_reader(&rest, &n) || !pattern_match(&blocks_text, rest, m, ARRAY_LEN(m)) ||
	    !num_parse_i64(m[1], &count)) {
		complain(r, r->lines.terminated ? "a line that can't be read"
						: "the text is cut off");
		return;
	}
	meta = keep_meta(r, &n);
	b = arena_alloc(r->arena, sizeof(*b));
	*b = (struct tool_blocker){
		.path = meta->path, .keyspace = meta->keyspace, .table_dir = meta->table_dir,
		.name = meta->name, .min_ts = some_i64(n.min_ts), .max_ts = some_i64(n.max_ts),
		.max_ldt_s = some_i64(n.max_ldt_s), .n_blocked = count, .line = r->lines.number,
	};
	*vec_add(r->arena, &r->node->tool_blockers) = b;
	r->said_something = true;
	read_blocked(r, slice_from(rest, m[0].n), b);
}

bool parse_expiredblockers(struct arena *a, const struct evidence *ev, struct node *into,
			   struct err *err)
{
	struct reader r = { .arena = a, .ev = ev, .node = into, .err = err,
			    .lines = lines_of(ev->out) };
	struct slice line;

	while (lines_next(&r.lines, &line)) {
		line = slice_trim(line);
		if (line.n)
			read_line(&r, line);
	}
	if (r.said_something || !slice_trim(ev->out).n)
		return true;
	if (err && err->kind != ERR_NONE)
		return false;
	for (struct lines it = lines_of(ev->out); lines_next(&it, &line);)
		if (slice_trim(line).n)		/* line feeds alone: nothing is blocked */
			return complaint_report(a, ev->out, ev->path,
						"output of sstableexpiredblockers", err);
	return true;
}
