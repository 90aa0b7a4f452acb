/*
 * Cluster and nodes: creation, evidence records, what the configuration says of tables, names of
 * the report's enumerations.
 */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/slice.h"

struct cluster *cluster_create(struct arena *a)
{
	struct cluster *c = arena_alloc(a, sizeof(*c));

	c->arena = a;
	return c;
}

struct node *cluster_node(struct cluster *c, const char *name)
{
	struct node *n;

	for (size_t i = c->nodes.n; i > 0;
	     i--) /* evidence comes node by node: the last is likely */
		if (strcmp(c->nodes.v[i - 1]->name, name) == 0)
			return c->nodes.v[i - 1];
	n = arena_alloc(c->arena, sizeof(*n));
	n->cluster = c;
	n->name = arena_strdup(c->arena, name);
	*vec_add(c->arena, &c->nodes) = n;
	return n;
}

void node_record_evidence(struct node *n, enum evidence_kind kind, const char *subject,
			  enum evidence_status status, const char *error)
{
	*vec_add(n->cluster->arena, &n->evidence) = (struct evidence_record){
		.kind = kind, .subject = subject, .status = status, .error = error,
	};
	if (status == EVIDENCE_OK || status == EVIDENCE_PARTIAL)
		n->have |= kind;
	if (status == EVIDENCE_PARTIAL || status == EVIDENCE_FAILED)
		n->failed |= kind;
}

bool keyspace_is_system(const char *ks)
{
	static const char *const names[] = { "system", "solr_admin", "OpsCenter", "audit" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(ks, names[i]) == 0)
			return true;
	return strncmp(ks, "system_", 7) == 0 || strncmp(ks, "dse_", 4) == 0;
}

void cluster_note(struct cluster *c, const char *text)
{
	for (size_t i = 0; i < c->notes.n; i++)
		if (strcmp(c->notes.v[i], text) == 0)
			return;
	*vec_add(c->arena, &c->notes) = text;
}

/* ---- what the configuration says of tables ---- */

bool table_pattern_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;	/* the last '*', and what it takes from there on */

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			from = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

int table_pattern_compare(const char *x, const char *y)
{
	bool exact_x = !strchr(x, '*'), exact_y = !strchr(y, '*');
	size_t nx = strlen(x), ny = strlen(y);

	if (exact_x != exact_y)
		return exact_x ? 1 : -1;
	return exact_x ? 0 : (nx > ny) - (nx < ny);
}

struct table_design table_design_merge(const struct table_design *v, size_t n,
				       const char *full_name)
{
	struct table_design d = { .table = full_name };

	for (size_t i = 0; i < n; i++) {
		if (!table_pattern_matches(v[i].table, full_name))
			continue;
		d.window_s = v[i].window_s.known ? v[i].window_s : d.window_s;
		d.ttl_s = v[i].ttl_s.known ? v[i].ttl_s : d.ttl_s;
		d.gc_grace_s = v[i].gc_grace_s.known ? v[i].gc_grace_s : d.gc_grace_s;
		d.lateness_s = v[i].lateness_s.known ? v[i].lateness_s : d.lateness_s;
	}
	return d;
}

/* The reader changed the configuration, and something better is used all the same. */
static void note_other_window(const struct table *t, struct opt_i64 configured, bool schema)
{
	struct cluster *c = t->node->cluster;
	struct arena *a = c->arena;
	const struct settings *s = &t->settings;

	if (!configured.known || !s->window_s.known || s->window_s.v == configured.v)
		return;
	cluster_note(c,
		     arena_printf(a, "the window of %s is %s by %s, %s by the configuration; %s",
				  t->full_name, num_format_duration(a, s->window_s.v),
				  schema ? "its schema" : "tablestats",
				  num_format_duration(a, configured.v),
				  schema ? "the schema's is used" : "the configuration's is used"));
}

void table_apply_design(struct table *t, const struct table_design *d)
{
	struct settings *s = &t->settings;

	t->designed = d->window_s.known;
	t->lateness_s = d->lateness_s.known ? d->lateness_s.v : 0;
	note_other_window(t, d->window_s, t->schema != NULL);
	if (t->schema)
		return;
	if (d->window_s.known) {
		s->strategy = "TimeWindowCompactionStrategy";
		s->twcs = true;
		s->window_s = d->window_s;
	}
	if (d->ttl_s.known)
		s->default_ttl_s = d->ttl_s;
	if (d->gc_grace_s.known)
		s->gc_grace_s = d->gc_grace_s;
	/* tablestats may prove strategy and window instead; gc_grace is from nowhere else. */
	if (s->twcs && (d->window_s.known || d->gc_grace_s.known))
		s->origin = SETTINGS_CONFIGURATION;
}

static int by_schema_table(const void *x, const void *y)
{
	const struct schema_table *p = *(struct schema_table *const *)x;
	const struct schema_table *q = *(struct schema_table *const *)y;
	int c = strcmp(p->keyspace ? p->keyspace : "", q->keyspace ? q->keyspace : "");

	return c ? c : strcmp(p->name ? p->name : "", q->name ? q->name : "");
}

static int by_keyspace_name(const void *x, const void *y)
{
	return strcmp((*(struct schema_keyspace *const *)x)->name,
		      (*(struct schema_keyspace *const *)y)->name);
}

static void *find_same(const void *key, void *sorted, size_t n, size_t size,
		       int (*compare)(const void *, const void *))
{
	return n ? bsearch(key, sorted, n, size, compare) : NULL;
}

void cluster_override_schema(struct cluster *c, const struct schema *own)
{
	struct schema all = { .source = own->source, .partial = own->partial }, *old = &c->schema;
	struct schema_table **tables = arena_array(c->arena, own->tables.n, sizeof(*tables));
	struct schema_keyspace **spaces = arena_array(c->arena, own->keyspaces.n, sizeof(*spaces));

	for (size_t i = 0; i < own->tables.n; i++)
		*vec_add(c->arena, &all.tables) = tables[i] = own->tables.v[i];
	for (size_t i = 0; i < own->keyspaces.n; i++)
		*vec_add(c->arena, &all.keyspaces) = spaces[i] = own->keyspaces.v[i];
	if (own->tables.n)
		qsort(tables, own->tables.n, sizeof(*tables), by_schema_table);
	if (own->keyspaces.n)
		qsort(spaces, own->keyspaces.n, sizeof(*spaces), by_keyspace_name);
	for (size_t i = 0; i < old->tables.n; i++) {
		struct schema_table *t = old->tables.v[i], **same;

		same = find_same(&t, tables, own->tables.n, sizeof(*tables), by_schema_table);
		if (!same)
			*vec_add(c->arena, &all.tables) = t;
		else if (!(*same)->id)
			(*same)->id = t->id;	/* tells the directories of dropped tables */
	}
	for (size_t i = 0; i < old->keyspaces.n; i++)
		if (!find_same(&old->keyspaces.v[i], spaces, own->keyspaces.n, sizeof(*spaces),
			       by_keyspace_name))
			*vec_add(c->arena, &all.keyspaces) = old->keyspaces.v[i];
	c->schema = all;
}

int node_release_number(const struct node *n)
{
	struct slice rest = slice_of(n->release ? n->release : ""), field;
	int number = 0;

	for (int i = 0; i < 3; i++) {
		int part = 0;

		if (slice_field(&rest, '.', &field))
			for (size_t k = 0; k < field.n && field.p[k] >= '0' && field.p[k] <= '9';
			     k++)
				part = part < 100 ? part * 10 + (field.p[k] - '0') : part;
		number = number * 100 + (part < 100 ? part : 99);
	}
	return number;
}

bool node_is_scylla(const struct node *n)
{
	return n->product && strncmp(n->product, "scylla", 6) == 0;
}

const char *cause_name(enum cause c)
{
	static const char *const names[] = {
		[CAUSE_NONE] = "none", [CAUSE_WRONG_UNIT] = "wrong-unit", [CAUSE_FUTURE] = "future",
		[CAUSE_NO_TTL] = "no-ttl", [CAUSE_MIXED_TTL] = "mixed-ttl",
		[CAUSE_TOMBSTONE] = "tombstone", [CAUSE_LATE_WRITE] = "late-write",
		[CAUSE_REPAIR] = "repair", [CAUSE_BORDER] = "border", [CAUSE_UNKNOWN] = "unknown",
	};

	return names[c];
}

const char *sstable_state_name(enum sstable_state s)
{
	static const char *const names[] = {
		[SST_UNKNOWN] = "unknown",     [SST_NEVER_EXPIRES] = "never-expires",
		[SST_LIVE] = "live",	       [SST_GC_GRACE] = "gc-grace",
		[SST_DROPPABLE] = "droppable", [SST_BLOCKED] = "blocked",
	};

	return names[s];
}

const char *window_state_name(enum window_state s)
{
	static const char *const names[] = {
		[WIN_OPEN] = "open", [WIN_LIVE] = "live", [WIN_GC_GRACE] = "gc-grace",
		[WIN_DROPPABLE] = "droppable", [WIN_BLOCKED] = "blocked",
		[WIN_WILL_BLOCK] = "will-block", [WIN_NEVER] = "never-expires",
		[WIN_UNKNOWN] = "unknown",
	};

	return names[s];
}

const char *evidence_status_name(enum evidence_status s)
{
	static const char *const names[] = {
		[EVIDENCE_OK] = "ok", [EVIDENCE_PARTIAL] = "partial", [EVIDENCE_FAILED] = "failed",
		[EVIDENCE_ABSENT] = "absent",
	};

	return names[s];
}

const char *settings_origin_name(enum settings_origin o)
{
	static const char *const names[] = {
		[SETTINGS_NONE] = "inferred", [SETTINGS_SCHEMA] = "schema",
		[SETTINGS_CONFIGURATION] = "configuration", [SETTINGS_INFERRED] = "inferred",
	};

	return names[o];
}

/* ---- names ---- */

static bool is_number(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

void sstable_split_name(struct arena *a, struct sstable *s)
{
	struct slice name = slice_of(s->name), rest;
	size_t last = slice_rfind(name, '-'), before;

	if (last >= name.n)
		return;
	if (name.n > 2 && name.p[2] == '-' && !is_number(slice_from(name, last + 1))) {
		s->version = arena_copy(a, (struct slice){ name.p, 2 });
		s->format = arena_copy(a, slice_from(name, last + 1));
		return;
	}
	rest = (struct slice){ name.p, last };		/* "ks-table-ka" */
	before = slice_rfind(rest, '-');
	if (is_number(slice_from(name, last + 1)) && before < rest.n && rest.n - before == 3)
		s->version = arena_copy(a, slice_from(rest, before + 1));
}

/* Of a node that could not be asked only node.json is there, and it tells no time. */
static bool has_evidence(const struct node *n)
{
	for (size_t i = 0; i < n->evidence.n; i++)
		if (n->evidence.v[i].kind != EV_NODE &&
		    (n->evidence.v[i].status == EVIDENCE_OK ||
		     n->evidence.v[i].status == EVIDENCE_PARTIAL))
			return true;
	return false;
}

void node_set_clock(struct node *n, const struct assemble_options *o)
{
	if (o->now_s.known) {
		n->clock_s = o->now_s.v;
		n->clock_from = "--now";
	} else if (n->now_s.known) {
		n->clock_s = n->now_s.v;
		n->clock_from = "node";
	} else if (n->newest_mtime_s.known && has_evidence(n)) {
		n->clock_s = n->newest_mtime_s.v;
		n->clock_from = "newest file";
	}
}

/* What other nodes' status says of this one, by address. */
void node_set_identity(struct node *n)
{
	for (size_t i = 0; i < n->cluster->nodes.n; i++) {
		const struct node *o = n->cluster->nodes.v[i];

		for (size_t k = 0; n->address && k < o->status.n; k++) {
			if (strcmp(o->status.v[k]->address, n->address) != 0)
				continue;
			if (!n->host_id)
				n->host_id = o->status.v[k]->host_id;
			if (!n->datacenter)
				n->datacenter = o->status.v[k]->datacenter;
		}
		if (n->host_id && n->datacenter)
			break;
	}
	if (!n->cluster->name)
		n->cluster->name = n->cluster_name;
}
