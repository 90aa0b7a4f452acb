/* Repaired, pending and unrepaired SSTables beside each other. */
#include <string.h>

#include "base/slice.h"
#include "text.h"

enum { P_PENDING_AGE };

static const struct check_param params[] = {
	[P_PENDING_AGE] = { "pending_age", UNIT_SECONDS, "1d", NULL,
			    "age of the oldest pending repair" },
	{ 0 },
};

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Seconds since 1970 of a time UUID (version 1); unknown for any other text. */
static struct opt_i64 uuid_time(const char *id)
{
	static const int order[] = { 15, 16, 17, 9, 10, 11, 12, 0, 1, 2, 3, 4, 5, 6, 7 };
	const int64_t gregorian_s = 12219292800;	/* from 1582-10-15 to 1970 */
	int64_t ticks = 0;

	if (strlen(id) != 36 || id[14] != '1')
		return (struct opt_i64){ .known = false };
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		int d = hex_digit(id[order[i]]);

		if (d < 0)
			return (struct opt_i64){ .known = false };
		ticks = ticks * 16 + d;
	}
	return some_i64(ticks / 10000000 - gregorian_s);
}

struct mix { size_t repaired, unrepaired, pending; const char *oldest; struct opt_i64 since_s; };

static struct mix count(const struct table *t)
{
	struct mix m = { 0 };

	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable_meta *s = t->sstables[i]->meta;
		struct opt_i64 since;

		if (!t->sstables[i]->usable)
			continue;
		if (!s->pending_repair) {
			m.repaired += s->repaired_at_ms != 0;
			m.unrepaired += s->repaired_at_ms == 0;
			continue;
		}
		m.pending++;
		since = uuid_time(s->pending_repair);
		if (!m.oldest || (since.known && (!m.since_s.known || since.v < m.since_s.v))) {
			m.oldest = s->pending_repair;
			m.since_s = since;
		}
	}
	return m;
}

static void tell_pending(const struct check_ctx *ctx, struct findings *out, const struct mix *m)
{
	int64_t age = m->since_s.known ? sub_saturated(ctx->node->clock_s, m->since_s.v) : 0;
	enum severity s = m->since_s.known ? check_judge(ctx, P_PENDING_AGE, (double)age) : SEV_OK;
	struct finding *f;

	f = finding_add(ctx, out, s, "%s of %s in a pending repair%s%s, session %s",
			plural(ctx->arena, m->pending, "SSTable"), table_name(ctx),
			m->since_s.known ? " since " : "",
			m->since_s.known ? num_format_minute(ctx->arena, m->since_s.v) : "",
			m->oldest);
	finding_action(
		out, f,
		"nodetool repair_admin list: a session that is listed hangs, one that is not has "
		"finished and waits for automatic compaction to move its SSTables");
	finding_metric(ctx, out, f, "pending_repair_age", UNIT_SECONDS, (double)age, P_PENDING_AGE);
}

static void tell_read_repair(const struct check_ctx *ctx, struct findings *out)
{
	const struct settings *s = &ctx->table->settings;
	struct finding *f;

	if (!ctx->table->replicas.known || ctx->table->replicas.v < 2)
		return;
	if (s->read_repair && strcmp(s->read_repair, "NONE") != 0)
		f = finding_add(ctx, out, SEV_OK,
				"%s has read_repair %s: a read can write old rows to a replica",
				table_name(ctx), s->read_repair);
	else if (s->read_repair_chance > 0)
		f = finding_add(ctx, out, SEV_OK,
				"%s has a read repair chance of %.2f: a read can write old rows to "
				"a replica",
				table_name(ctx), s->read_repair_chance);
	else
		return;
	finding_action(
		out, f,
		"on a TWCS table read repair is one origin of late data: switch it off if "
		"late-writes "
		"speaks");
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	struct mix m = count(ctx->table);
	size_t groups = (m.repaired > 0) + (m.unrepaired > 0) + (m.pending > 0);

	if (m.pending)
		tell_pending(ctx, out, &m);
	if (groups > 1)
		finding_add(
			ctx, out, SEV_OK,
			"%s has %zu repaired, %zu pending and %zu unrepaired SSTables: each group "
			"is compacted and dropped by itself",
			table_name(ctx), m.repaired, m.pending, m.unrepaired);
	tell_read_repair(ctx, out);
}

static const char explain[] =
"Incremental repair keeps repaired, pending and unrepaired SSTables apart: each group has its own "
"windows, and a closed window comes down to one SSTable in each. Read repair writes rows with old "
"timestamps to a replica that missed them.\n"
"\n"
"Threshold: a pending repair older than a day (by the time in its id) is a warning. The rest is "
"information: several groups are the steady state of incremental repair, and read_repair BLOCKING "
"is every table's default.\n"
"\n"
"Normal: pending ids for as long as a repair runs.\n"
"\n"
"Confirm: nodetool repair_admin list shows unfinished sessions only. A finished session's "
"SSTables stay pending while automatic compaction is off.\n"
"\n"
"Remedies: nodetool repair_admin cancel --session ID for a session that hangs: its SSTables "
"become unrepaired again. Run full repair on TWCS tables, or none where data only expires.\n"
"\n"
"Versions: pending ids from 4.0 on. 3.x has read_repair_chance and dclocal_read_repair_chance, "
"removed in 4.0 in favour of read_repair. ScyllaDB has no repaired state with vnodes.";

const struct check check_repair_mix = {
	.id = "repair-mix", .title = "repaired and unrepaired SSTables", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_TWCS, .cls = CLASS_STATE, .needs = EV_METADATA,
	.params = params, .run = run,
};
