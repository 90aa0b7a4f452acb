/* Cluster and nodes: creation, evidence records, names of the report's enumerations. */
#include "model/model.h"

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

	for (size_t i = c->nodes.n; i > 0; i--)	/* evidence comes node by node: the last is likely */
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

int node_release_number(const struct node *n)
{
	struct slice rest = slice_of(n->release ? n->release : ""), field;
	int number = 0;

	for (int i = 0; i < 3; i++) {
		int part = 0;

		if (slice_field(&rest, '.', &field))
			for (size_t k = 0; k < field.n && field.p[k] >= '0' && field.p[k] <= '9'; k++)
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
		[SST_UNKNOWN] = "unknown", [SST_NEVER_EXPIRES] = "never-expires", [SST_LIVE] = "live",
		[SST_GC_GRACE] = "gc-grace", [SST_DROPPABLE] = "droppable", [SST_BLOCKED] = "blocked",
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
