/* See render_model.h. */
#include "render_model.h"

#include <string.h>

#include "base/num.h"

void rm_init(struct render_model *m, struct arena *a)
{
	*m = (struct render_model){ .a = a, .cluster = arena_alloc(a, sizeof(*m->cluster)) };
	m->cluster->arena = a;
	m->cluster->name = "metrics-prod";
	m->report = (struct report){
		.cluster = m->cluster,
		.findings.arena = a,
		.worst = SEV_OK,
		.program = "twcscheck 0.1.0",
		.now_s = RM_NOW,
		.now_from = "node",
	};
}

struct node *rm_node(struct render_model *m, const char *name)
{
	struct node *n = arena_alloc(m->a, sizeof(*n));

	*vec_add(m->a, &m->cluster->nodes) = n;
	n->cluster = m->cluster;
	n->name = name;
	n->product = "cassandra";
	n->release = "5.0.6";
	n->now_s = some_i64(RM_NOW);
	n->clock_s = RM_NOW;
	n->clock_from = "node";
	n->tables = arena_array(m->a, 64, sizeof(*n->tables));
	return n;
}

struct table *rm_table(struct render_model *m, struct node *n, const char *name)
{
	struct table *t = arena_alloc(m->a, sizeof(*t));
	struct instance *in = arena_alloc(m->a, sizeof(*in));

	n->tables[n->n_tables++] = t;
	t->node = n;
	t->keyspace = "metrics";
	t->name = name;
	t->full_name = arena_printf(m->a, "metrics.%s", name);
	t->settings = (struct settings){
		.origin = SETTINGS_SCHEMA,
		.strategy = "TimeWindowCompactionStrategy",
		.twcs = true,
		.window_s = some_i64(RM_DAY),
		.default_ttl_s = some_i64(10 * RM_DAY),
		.gc_grace_s = some_i64(RM_DAY),
		.enabled = true,
	};
	t->ttl_s = t->settings.default_ttl_s;
	t->listed = t->analysed = t->bytes_known = true;
	t->sstables = arena_array(m->a, RM_SSTABLES_MAX, sizeof(*t->sstables));
	t->windows = arena_array(m->a, RM_WINDOWS_MAX, sizeof(*t->windows));
	*in = (struct instance){ .repair = "unrepaired", .group = "unrepaired" };
	t->instances = in;
	t->n_instances = 1;
	return t;
}

static struct window *window_of(struct render_model *m, struct table *t, int64_t start_s,
				struct sstable **first)
{
	struct window *w = t->n_windows ? &t->windows[t->n_windows - 1] : NULL;

	if (w && w->start_s == start_s)
		return w;
	w = &t->windows[t->n_windows++];
	w->start_s = start_s;
	w->end_s = start_s + RM_DAY;
	w->sstables = first;
	w->blockers = arena_array(m->a, LIST_MAX, sizeof(*w->blockers));
	return w;
}

static struct sstable_meta *meta_of(struct render_model *m, int64_t min_s, int64_t max_s)
{
	struct sstable_meta *meta = arena_alloc(m->a, sizeof(*meta));

	*meta = (struct sstable_meta){
		.state = METADATA_COMPLETE,
		.min_ts = some_i64(min_s * 1000000),
		.max_ts = some_i64(max_s * 1000000),
		.min_ldt_s = some_i64(min_s + 10 * RM_DAY),
		.max_ldt_s = some_i64(max_s + 10 * RM_DAY),
		.min_ttl_s = some_i64(10 * RM_DAY),
		.max_ttl_s = some_i64(10 * RM_DAY),
		.level = some_i64(0),
		.repair_known = true,
	};
	return meta;
}

struct sstable *rm_sstable(struct render_model *m, struct table *t, const char *name, int days_ago,
			   int64_t from_s, int64_t to_s, int64_t bytes, enum sstable_state state,
			   enum window_state window)
{
	int64_t start = RM_TODAY - (int64_t)days_ago * RM_DAY;
	struct sstable *s = arena_alloc(m->a, sizeof(*s));
	struct window *w = window_of(m, t, start, &t->sstables[t->n_sstables]);
	struct sstable_meta *meta = meta_of(m, start + from_s, start + to_s);

	*s = (struct sstable){
		.table = t,
		.name = name,
		.version = "nb",
		.format = "big",
		.directory = "/data/metrics/readings-00",
		.listed = true,
		.bytes = some_i64(bytes),
		.data_bytes = some_i64(bytes),
		.meta = meta,
		.metadata = METADATA_COMPLETE,
		.usable = true,
		.window_start_s = start,
		.state = state,
		.expired_at_s = some_i64(meta->max_ldt_s.v + RM_DAY + 1),
		.droppable_at_s = some_i64(meta->max_ldt_s.v + RM_DAY + 1),
	};
	t->sstables[t->n_sstables++] = s;
	t->bytes += bytes;
	w->state = window;
	w->n_sstables++;
	w->bytes += bytes;
	w->expired_at_s = w->droppable_at_s = s->expired_at_s;
	if (state == SST_BLOCKED) {
		w->held_bytes += bytes;
		t->held_bytes += bytes;
		t->n_blocked++;
	} else if (state == SST_DROPPABLE) {
		t->droppable_bytes += bytes;
		t->n_droppable++;
	}
	return s;
}

/* What the blocker holds: the lists of the blocker, the SSTables and their windows. */
static void hold_all(struct table *t, struct blocker *b)
{
	for (size_t i = 0; i < t->n_sstables; i++) {
		struct sstable *s = t->sstables[i];

		if (s->state != SST_BLOCKED)
			continue;
		if (b->n_blocks < LIST_MAX)
			b->blocks[b->n_blocks] = s;
		b->n_blocks++;
		b->held_bytes += s->bytes.v;
		s->blocked_by = b->sstable;
		s->hold = HOLD_SSTABLE;
		s->too_late = true;
		s->droppable_at_s = some_i64(b->clears_at_s);
	}
	for (size_t i = 0; i < t->n_windows; i++) {
		struct window *w = &t->windows[i];

		if (w->state != WIN_BLOCKED)
			continue;
		w->blockers[0] = b->sstable;
		w->n_blockers = 1;
		w->too_late = true;
		w->droppable_at_s = some_i64(b->clears_at_s);
	}
}

struct blocker *rm_blocker(struct render_model *m, struct table *t, struct sstable *s,
			   enum cause cause, const char *evidence, int64_t clears_at_s)
{
	struct blocker *b = arena_alloc(m->a, sizeof(*b));

	*b = (struct blocker){
		.sstable = s,
		.rank = 1,
		.cause = cause,
		.evidence = evidence,
		.blocks = arena_array(m->a, LIST_MAX, sizeof(*b->blocks)),
		.clears_at_s = clears_at_s,
	};
	hold_all(t, b);
	b->freed_bytes = b->held_bytes;
	s->as_blocker = b;
	t->blockers = b;
	t->n_blockers = t->n_blockers_all = 1;
	return b;
}

void rm_action(struct render_model *m, struct blocker *b, const char *text, const char *risk,
	       const char *command)
{
	struct action *act = vec_add(m->a, &b->actions);

	act->text = text;
	act->risk = risk;
	if (command)
		*vec_add(m->a, &act->commands) = command;
}

void rm_forecast(struct render_model *m, struct table *t, int days, int64_t bytes)
{
	t->forecast = arena_array(m->a, (size_t)days, sizeof(*t->forecast));
	t->n_forecast = (size_t)days;
	for (int i = 0; i < days; i++)
		t->forecast[i] = (struct forecast_day){ RM_TODAY + (i + 1) * RM_DAY,
							bytes * (i + 1) };
}

const struct check *rm_check(struct render_model *m, const char *id)
{
	struct check *c;

	for (size_t i = 0; i < m->report.results.n; i++) {
		if (strcmp(m->report.results.v[i].check->id, id) == 0)
			return m->report.results.v[i].check;
	}
	c = arena_alloc(m->a, sizeof(*c));
	c->id = id;
	c->cls = strcmp(id, "strategy") == 0 ? CLASS_DESIGN : CLASS_STATE;
	return c;
}

static void add_result(struct render_model *m, const struct check *c, const struct node *n,
		       const struct table *t, enum severity s)
{
	*vec_add(m->a, &m->report.results) = (struct check_result){
		.check = c,
		.node = n,
		.table = t,
		.severity = s,
	};
	if (s > m->report.worst)
		m->report.worst = s;
}

struct finding *rm_finding(struct render_model *m, enum severity s, const char *check,
			   const struct node *n, const struct table *t, const char *summary,
			   const char *action)
{
	struct finding *f = arena_alloc(m->a, sizeof(*f));

	*f = (struct finding){
		.check = rm_check(m, check),
		.severity = s,
		.summary = summary,
		.action = action,
		.node = n,
		.table = t,
	};
	*vec_add(m->a, &m->report.findings.list) = f;
	add_result(m, f->check, n, t, s);
	return f;
}

void rm_fine(struct render_model *m, const char *check, const struct table *t)
{
	add_result(m, rm_check(m, check), t->node, t, SEV_OK);
}

/* 20 days of data; those older than 11 days have expired and are held by a file of day 2. */
static struct table *late_table(struct render_model *m, struct node *n)
{
	struct table *t = rm_table(m, n, "readings_late");
	int64_t clears = RM_TODAY + 12 * RM_DAY + 7200;
	struct sstable *late = NULL;
	struct blocker *b;

	for (int day = 19; day >= 0; day--) {
		const char *name = arena_printf(m->a, "nb-%d-big", 20 - day);
		bool expired = day > 11, is_late = day == 2;
		struct sstable *s = rm_sstable(m, t, name, day, is_late ? -16 * RM_DAY : 60,
					       day ? RM_DAY - 60 : 64000, 5700,
					       expired	   ? SST_BLOCKED
					       : day == 11 ? SST_GC_GRACE
							   : SST_LIVE,
					       expired	 ? WIN_BLOCKED
					       : day > 3 ? WIN_WILL_BLOCK
					       : day	 ? WIN_LIVE
							 : WIN_OPEN);

		late = is_late ? s : late;
	}
	b = rm_blocker(m, t, late, CAUSE_LATE_WRITE, "minimum timestamp 16 days before its window",
		       clears);
	b->n_will_block = 8;
	rm_action(m, b, "wait: it expires by itself on 2026-12-12 02:00",
		  "none, if the disk lasts until then", NULL);
	rm_action(m, b, "rewrite the blocked expired SSTables, one a call",
		  "safe, normal purge rules; I/O of one SSTable",
		  "nodetool compact --user-defined /data/metrics/readings_late-"
		  "433d4a20d09511f195f2a3e29061fda2/nb-1-big-Data.db");
	rm_forecast(m, t, 3, 5700);
	return t;
}

static struct table *ok_table(struct render_model *m, struct node *n)
{
	struct table *t = rm_table(m, n, "readings_ok");

	for (int day = 9; day >= 0; day--)
		rm_sstable(m, t, arena_printf(m->a, "nb-%d-big", 10 - day), day, 60,
			   day ? RM_DAY - 60 : 64000, 5700, SST_LIVE, day ? WIN_LIVE : WIN_OPEN);
	return t;
}

static struct table *other_table(struct render_model *m, struct node *n)
{
	struct table *t = rm_table(m, n, "latest");

	t->analysed = false;
	t->not_analysed = "not on TWCS";
	t->settings.twcs = false;
	t->settings.strategy = "SizeTieredCompactionStrategy";
	t->settings.window_s.known = false;
	return t;
}

static void sample_node(struct render_model *m, const char *name, const char *summary)
{
	struct node *n = rm_node(m, name);
	struct table *late, *ok;
	struct finding *f;

	other_table(m, n);
	late = late_table(m, n);
	ok = ok_table(m, n);
	f = rm_finding(m, SEV_CRITICAL, "blocked-windows", n, late, summary,
		       "see 'twcscheck blockers metrics.readings_late'");
	*vec_add(m->a, &f->details) = "blocker nb-18-big: late-write";
	*vec_add(m->a, &f->metrics) = (struct metric){ "blocked_windows", UNIT_NONE, 8, "0", NULL };
	rm_fine(m, "blocked-windows", ok);
	rm_fine(m, "timestamps", late);
}

void rm_sample(struct render_model *m, struct arena *a)
{
	rm_init(m, a);
	sample_node(m, "cass-01", "8 expired windows (44.5 KiB) are held by nb-18-big");
	sample_node(m, "cass-02", "8 expired windows (44.5 KiB) are held by nb-18-big");
}

const char *rm_render(struct render_model *m, const struct renderer *renderer,
		      const struct render_options *o)
{
	struct buf b;
	const char *text;

	buf_init(&b, SIZE_MAX / 2);
	renderer->render(&m->report, o, &b);
	text = arena_copy(m->a, (struct slice){ b.p, b.n });
	buf_free(&b);
	return text;
}
