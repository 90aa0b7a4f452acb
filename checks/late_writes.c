/* Data written much later than its timestamp says. */
#include <string.h>

#include "text.h"

enum { P_BLOCKING, P_WINDOWS };

static const struct check_param params[] = {
	[P_BLOCKING] = { "blocking", UNIT_NONE, "0", NULL,
			 "SSTables with late data that make a window too late" },
	[P_WINDOWS] = { "windows", UNIT_NONE, "1", NULL,
			"of the last 3 windows, in how many late data was written" },
	{ 0 },
};

struct late {
	size_t n, blocking;
	int64_t bytes;
	bool recent[3];		/* the current window, the one before, the one before that */
	const struct sstable *newest;
};

static void add_sstable(const struct check_ctx *ctx, const struct sstable *s, struct late *l)
{
	int64_t w = ctx->table->settings.window_s.v, now = ctx->node->clock_s, age;

	l->n++;
	l->bytes = add_saturated(l->bytes, s->bytes.v);
	l->blocking += s->makes_late;
	if (!s->written_s.known)
		return;
	if (!l->newest || s->written_s.v > l->newest->written_s.v)
		l->newest = s;
	age = sub_saturated(now - now % w, s->written_s.v - s->written_s.v % w) / w;
	if (age >= 0 && age < 3)
		l->recent[age] = true;
}

static void add_detail(const struct check_ctx *ctx, struct findings *out, struct finding *f,
		       const struct sstable *s)
{
	struct arena *a = ctx->arena;
	int64_t ts = s->late_newest ? s->meta->max_ts.v : s->meta->min_ts.v;
	const char *what = s->back_dated_delete
				   ? "a back-dated delete, or late data beside a delete"
			   : s->late_probably ? "probably late data"
					      : "late data";

	finding_detail(out, f, "%s: %s, timestamps of %s%s%s%s%s", s->name, what,
		       num_format_minute(a, timestamp_seconds(ts, ctx->table->settings.resolution)),
		       s->written_s.known ? ", written about " : "",
		       s->written_s.known ? num_format_minute(a, s->written_s.v) : "",
		       s->lateness_s.known ? ", late by " : "",
		       s->lateness_s.known ? num_format_duration(a, s->lateness_s.v) : "");
}

/* Read repair writes old data to replicas that missed it: one origin that the schema tells. */
static void add_read_repair(const struct table *t, struct findings *out, struct finding *f)
{
	if (!t->replicas.known || t->replicas.v < 2)
		return;
	if (t->settings.read_repair && strcmp(t->settings.read_repair, "NONE") != 0)
		finding_detail(
			out, f,
			"read_repair is %s: a read may have written the old rows to a replica "
			"that missed them",
			t->settings.read_repair);
	else if (t->settings.read_repair_chance > 0)
		finding_detail(
			out, f,
			"read repair chance is %.2f: a read may have written the old rows to a "
			"replica that missed them",
			t->settings.read_repair_chance);
}

static void run(const struct check_ctx *ctx, struct findings *out)
{
	const struct table *t = ctx->table;
	struct arena *a = ctx->arena;
	struct late l = { 0 };
	size_t recent, shown = 0;
	struct finding *f;

	for (size_t i = 0; i < t->n_sstables; i++)
		if (t->sstables[i]->usable && t->sstables[i]->late)
			add_sstable(ctx, t->sstables[i], &l);
	if (!l.n)
		return;
	recent = (size_t)l.recent[0] + l.recent[1] + l.recent[2];
	f = finding_add(ctx, out,
			worst_of(check_judge(ctx, P_BLOCKING, (double)l.blocking),
				 check_judge(ctx, P_WINDOWS, (double)recent)),
			"%s of %s with data written later than %s after its timestamp%s%s",
			plural(a, l.n, "SSTable"), table_name(ctx),
			num_format_duration(a, t->lateness_s), l.newest ? ", last about " : "",
			l.newest ? num_format_minute(a, l.newest->written_s.v) : "");
	for (size_t i = t->n_sstables; i > 0 && shown < DETAILS_SHOWN; i--) {
		if (t->sstables[i - 1]->usable && t->sstables[i - 1]->late) {
			add_detail(ctx, out, f, t->sstables[i - 1]);
			shown++;
		}
	}
	add_read_repair(t, out, f);
	finding_action(
		out, f,
		"find who writes late: clients that buffer or backfill, hints after an outage, "
		"read repair, repair streams, bulk loads");
	finding_metric(ctx, out, f, "late_sstables", UNIT_NONE, (double)l.n, -1);
	finding_metric(ctx, out, f, "late_windows", UNIT_NONE, (double)recent, P_WINDOWS);
}

static const char explain[] =
"Every cell carries two times: its write timestamp, mostly set by the client, and its local "
"deletion time, the server's clock when it was written plus its TTL. In an SSTable with one TTL "
"their difference shows how late data arrived: minimum local deletion time - TTL - minimum "
"timestamp. Without one TTL, or with deletions in the SSTable, a minimum timestamp more than one "
"window before its own window is taken for late data, and the text says \"probably\".\n"
"\n"
"Late data is what breaks TWCS: it lands in today's SSTable with an old timestamp and holds every "
"expired window from that timestamp on.\n"
"\n"
"Thresholds: the lateness that is normal is one window. A warning when late data makes a window "
"too late, or came in 2 of the last 3 windows; a single arrival without consequence is "
"information.\n"
"\n"
"Normal: a memtable that covered several windows (a quiet table, a slow flush) reaches back "
"without being late, and is told apart by the measurement. SSTables with wrong-unit or future "
"timestamps are left to the timestamps check.\n"
"\n"
"Confirm: sstablemetadata of the SSTable named: timestamps, local deletion times, TTL. The "
"server's log around its write time shows hints, repairs and streams.\n"
"\n"
"Remedies: fix the source. Clients that buffer must send within a window, or write into a table "
"of their own. On TWCS tables set read_repair = 'NONE' (4.0 and later; dclocal_read_repair_chance "
"= 0 before), run full instead of incremental repair, or none at all on TTL-only data. Hints, "
"read repair and late clients cannot be told apart from metadata.\n"
"\n"
"Versions: 3.0 prints no TTL, there only the second form is left. ScyllaDB splits SSTables by "
"window when it writes them: there late data makes a small SSTable in the old window.";

const struct check check_late_writes = {
	.id = "late-writes", .title = "data written long after its timestamp", .explain = explain,
	.scope = SCOPE_TABLE, .tables = TABLES_TWCS, .cls = CLASS_STATE, .needs = EV_METADATA,
	.params = params, .run = run,
};
