/*
 * The report as JSON: the contract of docs/report-v1.schema.json, streamed table by table.
 *
 * Times are UTC strings, "never" or null; integers are exact; what is not known is null.
 */
#include "render/json_write.h"
#include "render/lookup.h"
#include "render/render.h"

#include <math.h>

struct report_writer {
	struct json j;
	struct arena *arena;	/* for the texts of one table */
	const struct report *report;
	struct result_index results;
};

static void put_time(struct report_writer *w, const char *key, struct opt_i64 t)
{
	json_put_string(&w->j, key, t.known ? num_format_time(w->arena, t.v) : NULL);
}

/* A local deletion time: null = never expires or not known; "metadata" tells which. */
static void put_deletion_time(struct report_writer *w, const char *key, struct opt_i64 t)
{
	json_put_opt_i64(&w->j, key, t.v == TIME_NEVER ? (struct opt_i64){ .known = false } : t);
}

static void put_timestamp_us(struct report_writer *w, const char *key, struct opt_i64 ts,
			     const struct table *t)
{
	json_put_opt_i64(&w->j, key,
			 ts.known ? some_i64(timestamp_us(ts.v, t->settings.resolution)) : ts);
}

static void put_names(struct report_writer *w, const char *key, struct sstable *const *v, size_t n)
{
	json_key(&w->j, key);
	json_array_begin(&w->j);
	for (size_t i = 0; i < n; i++)
		json_string(&w->j, v[i]->name);
	json_array_end(&w->j);
}

static void put_checks(struct report_writer *w, const struct node *node, const struct table *table)
{
	size_t n, i = 0;
	const struct check_result *const *r = result_index_find(&w->results, node, table, &n);

	json_key(&w->j, "checks");
	json_object_begin(&w->j);
	while (i < n) {
		const struct check *check = r[i]->check;
		enum severity worst = r[i]->severity;

		/* One member for each check, also when it was run more than once. */
		for (i++; i < n && r[i]->check == check; i++)
			worst = r[i]->severity > worst ? r[i]->severity : worst;
		json_put_string(&w->j, check->id, severity_name(worst));
	}
	json_object_end(&w->j);
}

static void write_evidence(struct report_writer *w, const struct node *n)
{
	json_key(&w->j, "evidence");
	json_array_begin(&w->j);
	for (size_t i = 0; i < n->evidence.n; i++) {
		const struct evidence_record *e = &n->evidence.v[i];

		json_object_begin(&w->j);
		json_put_string(&w->j, "kind", evidence_kind_name(e->kind));
		json_put_string(&w->j, "subject", e->subject);
		json_put_string(&w->j, "status", evidence_status_name(e->status));
		json_put_string(&w->j, "error", e->error);
		json_object_end(&w->j);
	}
	json_array_end(&w->j);
}

static void write_node(struct report_writer *w, const struct node *n)
{
	json_object_begin(&w->j);
	json_put_string(&w->j, "name", n->name);
	json_put_string(&w->j, "product", n->product);
	json_put_string(&w->j, "release", n->release);
	json_put_string(&w->j, "datacenter", n->datacenter);
	if (n->transport)
		json_put_string(&w->j, "transport", n->transport);
	put_time(w, "now", n->now_s);
	put_time(w, "judged_by", (struct opt_i64){ n->clock_s, n->clock_from != NULL });
	json_put_string(&w->j, "judged_by_from", n->clock_from);
	put_checks(w, n, NULL);
	write_evidence(w, n);
	json_object_end(&w->j);
}

static void write_window(struct report_writer *w, const struct window *win)
{
	json_object_begin(&w->j);
	put_time(w, "start", some_i64(win->start_s));
	put_time(w, "end", some_i64(win->end_s));
	json_put_string(&w->j, "state", window_state_name(win->state));
	json_put_opt_i64(&w->j, "bytes", window_total_bytes(win));
	json_put_opt_i64(&w->j, "held_bytes", window_held_bytes(win));
	put_names(w, "sstables", win->sstables, win->n_sstables);
	put_time(w, "expired_at", win->expired_at_s);
	put_time(w, "droppable_at", win->droppable_at_s);
	json_put_bool(&w->j, "too_late", win->too_late);
	put_names(w, "blocked_by", win->blockers,
		  win->n_blockers < LIST_MAX ? win->n_blockers : LIST_MAX);
	json_put_i64(&w->j, "blocked_by_count", (int64_t)win->n_blockers);
	json_object_end(&w->j);
}

/* NULL where there is nothing to name. */
static const char *metadata_name(enum metadata_state state)
{
	static const char *const names[] = {
		[METADATA_NONE] = NULL,
		[METADATA_INCONCLUSIVE] = "inconclusive",
		[METADATA_PARTIAL] = "partial",
		[METADATA_COMPLETE] = "complete",
	};

	return names[state];
}

static const char *hold_name(enum hold hold)
{
	static const char *const names[] = {
		[HOLD_NONE] = NULL,
		[HOLD_SSTABLE] = "sstable",
		[HOLD_PURGE_REPAIRED] = "only-purge-repaired",
		[HOLD_OWN_FUTURE] = "own-future-timestamp",
	};

	return names[hold];
}

/* What the SSTable's metadata says, in the report's units. */
static void write_metadata(struct report_writer *w, const struct sstable *s)
{
	const struct sstable_meta *m = s->meta;

	put_timestamp_us(w, "min_timestamp_us", m->min_ts, s->table);
	put_timestamp_us(w, "max_timestamp_us", m->max_ts, s->table);
	put_deletion_time(w, "min_local_deletion_time_s", m->min_ldt_s);
	put_deletion_time(w, "max_local_deletion_time_s", m->max_ldt_s);
	json_put_opt_i64(&w->j, "min_ttl_s", m->min_ttl_s);
	json_put_opt_i64(&w->j, "max_ttl_s", m->max_ttl_s);
	json_put_opt_i64(&w->j, "level", m->level);
	json_put_opt_i64(&w->j, "repaired_at_ms",
			 (struct opt_i64){ m->repaired_at_ms, m->repair_known });
	json_put_string(&w->j, "pending_repair", m->pending_repair);
}

static void write_sstable(struct report_writer *w, const struct sstable *s)
{
	struct opt_i64 start = {
		.v = s->window_start_s,
		.known = s->usable && s->table->settings.window_s.known,
	};

	json_object_begin(&w->j);
	json_put_string(&w->j, "name", s->name);
	json_put_string(&w->j, "directory", s->directory);
	json_put_string(&w->j, "version", s->version);
	json_put_string(&w->j, "format", s->format);
	json_put_opt_i64(&w->j, "bytes", s->bytes);
	put_time(w, "window_start", start);
	write_metadata(w, s);
	json_put_string(&w->j, "group", sstable_group(w->arena, s));
	json_put_string(&w->j, "state", sstable_state_name(s->state));
	put_time(w, "expired_at", s->expired_at_s);
	put_time(w, "droppable_at", s->droppable_at_s);
	json_put_string(&w->j, "blocked_by", s->blocked_by ? s->blocked_by->name : NULL);
	json_put_string(&w->j, "held_by", hold_name(s->hold));
	json_put_string(&w->j, "cause", s->as_blocker && s->as_blocker->cause != CAUSE_NONE ?
			cause_name(s->as_blocker->cause) : NULL);
	json_put_bool(&w->j, "alone", s->alone);
	json_put_string(&w->j, "metadata", metadata_name(s->metadata));
	json_object_end(&w->j);
}

static void write_action(struct report_writer *w, const struct action *action)
{
	json_object_begin(&w->j);
	json_put_string(&w->j, "text", action->text);
	json_put_string(&w->j, "risk", action->risk);
	json_key(&w->j, "commands");
	json_array_begin(&w->j);
	for (size_t i = 0; i < action->commands.n; i++)
		json_string(&w->j, action->commands.v[i]);
	json_array_end(&w->j);
	json_object_end(&w->j);
}

static void write_blocker(struct report_writer *w, const struct blocker *b)
{
	json_object_begin(&w->j);
	json_put_string(&w->j, "sstable", b->sstable->name);
	json_put_i64(&w->j, "rank", b->rank);
	/* A blocker always has a label; one that the analysis left out is not known. */
	json_put_string(&w->j, "cause", cause_name(b->cause ? b->cause : CAUSE_UNKNOWN));
	json_put_string(&w->j, "evidence", b->evidence);
	put_names(w, "blocks", b->blocks, b->n_blocks < LIST_MAX ? b->n_blocks : LIST_MAX);
	json_put_i64(&w->j, "blocks_count", (int64_t)b->n_blocks);
	json_put_i64(&w->j, "will_block_count", (int64_t)b->n_will_block);
	json_put_opt_i64(&w->j, "held_bytes",
			 (struct opt_i64){ b->held_bytes, b->sstable->table->bytes_known });
	json_put_opt_i64(&w->j, "freed_bytes",
			 (struct opt_i64){ b->freed_bytes, b->sstable->table->bytes_known });
	put_time(w, "clears_at", some_i64(b->clears_at_s));
	json_key(&w->j, "actions");
	json_array_begin(&w->j);
	for (size_t i = 0; i < b->actions.n; i++)
		write_action(w, &b->actions.v[i]);
	json_array_end(&w->j);
	json_object_end(&w->j);
}

static void write_forecast_day(struct report_writer *w, const struct forecast_day *day)
{
	json_object_begin(&w->j);
	json_put_string(&w->j, "day", num_format_day(w->arena, day->day_s));
	json_put_i64(&w->j, "freed_bytes", day->freed_bytes);
	json_object_end(&w->j);
}

static void write_lists(struct report_writer *w, const struct table *t)
{
	json_key(&w->j, "windows");
	json_array_begin(&w->j);
	for (size_t i = 0; i < t->n_windows; i++)
		write_window(w, &t->windows[i]);
	json_array_end(&w->j);
	json_key(&w->j, "sstables");
	json_array_begin(&w->j);
	for (size_t i = 0; i < t->n_sstables; i++)
		write_sstable(w, t->sstables[i]);
	json_array_end(&w->j);
	json_key(&w->j, "blockers");
	json_array_begin(&w->j);
	for (size_t i = 0; i < t->n_blockers; i++)
		write_blocker(w, &t->blockers[i]);
	json_array_end(&w->j);
	json_put_i64(&w->j, "blockers_count", (int64_t)t->n_blockers_all);
	json_key(&w->j, "forecast");
	json_array_begin(&w->j);
	for (size_t i = 0; i < t->n_forecast; i++)
		write_forecast_day(w, &t->forecast[i]);
	json_array_end(&w->j);
}

static void write_table(struct report_writer *w, const struct table *t)
{
	const struct settings *s = &t->settings;

	json_object_begin(&w->j);
	json_put_string(&w->j, "node", t->node->name);
	json_put_string(&w->j, "name", t->full_name);
	json_put_string(&w->j, "strategy", s->strategy);
	json_put_opt_i64(&w->j, "window_s", s->window_s);
	json_put_opt_i64(&w->j, "default_ttl_s", s->default_ttl_s);
	json_put_opt_i64(&w->j, "gc_grace_s", s->gc_grace_s);
	json_put_string(&w->j, "settings_from",
			s->origin == SETTINGS_NONE ? NULL : settings_origin_name(s->origin));
	json_put_string(&w->j, "not_analysed", t->analysed ? NULL : t->not_analysed);
	json_put_opt_i64(&w->j, "sstable_count", table_sstable_count(t));
	json_key(&w->j, "expected_sstable_count");
	json_object_begin(&w->j);
	json_put_opt_i64(&w->j, "low", t->expected_low);
	json_put_opt_i64(&w->j, "high", t->expected_high);
	json_object_end(&w->j);
	json_put_opt_i64(&w->j, "bytes", table_total_bytes(t));
	json_put_opt_i64(&w->j, "held_bytes", table_held_bytes(t));
	json_put_opt_i64(&w->j, "droppable_bytes", table_droppable_bytes(t));
	put_checks(w, t->node, t);
	write_lists(w, t);
	json_object_end(&w->j);
}

/* The units of Nagios performance data. */
static const char *unit_name(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_NONE] = "",     [UNIT_BYTES] = "B", [UNIT_SECONDS] = "s",
		[UNIT_PERCENT] = "%", [UNIT_RATIO] = "",
	};

	return names[unit];
}

static void write_metric(struct report_writer *w, const struct metric *m)
{
	json_object_begin(&w->j);
	json_put_string(&w->j, "name", m->name);
	if (fabs(m->value) < 9007199254740992.0 && m->value == floor(m->value))
		json_put_i64(&w->j, "value", (int64_t)m->value);
	else
		json_put_f64(&w->j, "value", m->value);
	json_put_string(&w->j, "unit", unit_name(m->unit));
	json_put_string(&w->j, "warning", m->warning);
	json_put_string(&w->j, "critical", m->critical);
	json_object_end(&w->j);
}

static void write_silenced(struct report_writer *w, const struct finding *f)
{
	json_key(&w->j, "silenced");
	if (!f->silenced) {
		json_null(&w->j);
		return;
	}
	json_object_begin(&w->j);
	json_put_string(&w->j, "until", f->silenced->until);
	json_put_string(&w->j, "reason", f->silenced->reason);
	json_put_string(&w->j, "severity", severity_name(f->silenced_from));
	json_object_end(&w->j);
}

static void write_finding(struct report_writer *w, const struct finding *f)
{
	const struct opt_i64 start = f->window ? some_i64(f->window->start_s) :
						 (struct opt_i64){ .known = false };
	bool design = f->check && f->check->cls == CLASS_DESIGN;

	json_object_begin(&w->j);
	json_put_string(&w->j, "check", finding_check_id(f));
	json_put_string(&w->j, "class", design ? "design" : "state");
	json_put_string(&w->j, "severity", severity_name(f->severity));
	json_put_string(&w->j, "node", f->node ? f->node->name : NULL);
	json_put_string(&w->j, "table", f->table ? f->table->full_name : NULL);
	put_time(w, "window", start);
	json_put_string(&w->j, "summary", f->summary);
	json_key(&w->j, "details");
	json_array_begin(&w->j);
	for (size_t i = 0; i < f->details.n; i++)
		json_string(&w->j, f->details.v[i]);
	json_array_end(&w->j);
	json_put_string(&w->j, "action", f->action);
	json_key(&w->j, "metrics");
	json_array_begin(&w->j);
	for (size_t i = 0; i < f->metrics.n; i++)
		write_metric(w, &f->metrics.v[i]);
	json_array_end(&w->j);
	write_silenced(w, f);
	json_object_end(&w->j);
}

static void write_skipped(struct report_writer *w)
{
	const struct report *r = w->report;

	json_key(&w->j, "skipped");
	json_array_begin(&w->j);
	for (size_t i = 0; i < r->skipped.n; i++) {
		json_object_begin(&w->j);
		json_put_string(&w->j, "check", r->skipped.v[i].check->id);
		json_put_string(&w->j, "table", r->skipped.v[i].table);
		json_object_end(&w->j);
	}
	json_array_end(&w->j);
}

static void write_head(struct report_writer *w)
{
	const struct report *r = w->report;

	json_put_string(&w->j, "format", "twcscheck-report");
	json_put_i64(&w->j, "version", 1);
	json_put_string(&w->j, "program", r->program);
	json_put_string(&w->j, "cluster", r->cluster->name);
	put_time(w, "now", some_i64(r->now_s));
	json_put_string(&w->j, "now_from", r->now_from);
	json_put_string(&w->j, "status", severity_name(r->worst));
	put_checks(w, NULL, NULL);
	write_skipped(w);
	json_key(&w->j, "notes");
	json_array_begin(&w->j);
	for (size_t i = 0; i < r->cluster->notes.n; i++)
		json_string(&w->j, r->cluster->notes.v[i]);
	json_array_end(&w->j);
}

/* All tables of a node; their texts go away after each one. */
static void write_tables_of(struct report_writer *w, const struct node *n)
{
	struct arena *outer = w->arena;

	for (size_t i = 0; i < n->n_tables; i++) {
		w->arena = arena_create();
		write_table(w, n->tables[i]);
		arena_destroy(w->arena);
	}
	w->arena = outer;
}

static void json_render(const struct report *r, const struct render_options *o, struct buf *out)
{
	struct report_writer w = { .report = r, .arena = arena_create() };
	const struct cluster *c = r->cluster;

	(void)o;
	w.results = result_index_build(w.arena, r);
	json_init(&w.j, out, 1);
	json_object_begin(&w.j);
	write_head(&w);
	json_key(&w.j, "nodes");
	json_array_begin(&w.j);
	for (size_t i = 0; i < c->nodes.n; i++)
		write_node(&w, c->nodes.v[i]);
	json_array_end(&w.j);
	json_key(&w.j, "tables");
	json_array_begin(&w.j);
	for (size_t i = 0; i < c->nodes.n; i++)
		write_tables_of(&w, c->nodes.v[i]);
	json_array_end(&w.j);
	json_key(&w.j, "findings");
	json_array_begin(&w.j);
	for (size_t i = 0; i < r->findings.list.n; i++)
		write_finding(&w, r->findings.list.v[i]);
	json_array_end(&w.j);
	json_object_end(&w.j);
	buf_char(out, '\n');
	arena_destroy(w.arena);
}

const struct renderer renderer_json = {
	.name = "json",
	.help = "the whole report for programs (docs/report-v1.schema.json)",
	.render = json_render,
};
