/*
 * The keys of the configuration. Each object is a table of keys: name, what reads it, where it
 * goes. A new key is a row here and a row in docs/configuration.md.
 */
#include <stddef.h>
#include <string.h>

#include "base/slice.h"
#include "cli/config_values.h"

/* Limits of the server: TTL at most 20 years, the others whole seconds of 32 bits. */
enum { MINUTE_S = 60, TTL_MAX_S = 20 * 365 * 86400, SECONDS_MAX = INT32_MAX };

enum { NAMES_MAX = 256 };

/* ---- windows ---- */

/* The windows of TimeWindowCompactionStrategy are minutes, hours or days. */
static bool read_window(struct reader *r, const struct key *k, const struct config_value *v,
			void *into)
{
	struct opt_i64 *to = (struct opt_i64 *)((char *)into + k->offset);

	if (!config_duration(r, k, v, into))
		return false;
	if (to->v % MINUTE_S)
		return config_complain(&r->src, v->at,
				       "'%s' must be whole minutes: the server has "
				       "windows of minutes, hours and days",
				       k->name);
	return true;
}

/* ---- checks ---- */

static bool complain_check(const struct reader *r, size_t at, const char *id)
{
	const char *names[NAMES_MAX];
	size_t n = 0;

	while (check_table[n] && n < NAMES_MAX) {
		names[n] = check_table[n]->id;
		n++;
	}
	return config_unknown(r, at, "check", id, names, n);
}

/* Only what is judged table by table can be set for a table; `table` NULL = everywhere. */
static bool judges_tables(const struct reader *r, const struct check *c, const char *table,
			  size_t at)
{
	if (!table || c->scope == SCOPE_TABLE)
		return true;
	return config_complain(&r->src, at,
			       "'%s' is judged for %s, not for a table; hint: put it at the "
			       "top level",
			       c->id, c->scope == SCOPE_NODE ? "each node" : "the cluster");
}

/* "skip": a list of check ids, which replaces the one before. */
static bool read_skip_list(struct reader *r, const struct config_value *v, const char *table,
			   const char ***ids, size_t *n)
{
	const char **list;

	if (!config_expect(r, v, CONFIG_LIST, "a list of checks"))
		return false;
	list = arena_array(r->src.arena, v->n, sizeof(*list));
	*n = 0;
	for (const struct config_value *c = v->child; c; c = c->next) {
		const struct check *check;

		if (!config_expect_name(r, c, "the id of a check"))
			return false;
		check = check_find(c->text);
		if (!check)
			return complain_check(r, c->at, c->text);
		if (!judges_tables(r, check, table, c->at))
			return false;
		list[(*n)++] = check->id;
	}
	*ids = list;
	return true;
}

static bool read_skip(struct reader *r, const struct key *k, const struct config_value *v,
		      void *into)
{
	struct config *c = into;

	(void)k;
	c->skip.cap = 0;
	return read_skip_list(r, v, NULL, &c->skip.v, &c->skip.n);
}

static bool read_table_skip(struct reader *r, const struct key *k, const struct config_value *v,
			    void *into)
{
	struct config_table *t = into;

	(void)k;
	t->skip.cap = 0;
	return read_skip_list(r, v, t->design.table, &t->skip.v, &t->skip.n);
}

/* ---- thresholds ---- */

/* The thresholds of one check that are being read. */
struct check_thresholds {
	const struct check *check;
	const char *table;
	struct threshold_override **v; /* the list they go to */
	size_t *n, *cap;
};

static struct threshold_override *override_of(struct reader *r, const struct check_thresholds *t,
					      const char *param)
{
	struct threshold_override *o;

	for (size_t i = 0; i < *t->n; i++) {
		o = &(*t->v)[i];
		if (strcmp(o->check, t->check->id) == 0 && strcmp(o->param, param) == 0)
			return o;
	}
	*t->v = vec_room(r->src.arena, *t->v, *t->n, t->cap, sizeof(**t->v));
	o = &(*t->v)[(*t->n)++];
	*o = (struct threshold_override){ .check = t->check->id,
					  .param = param,
					  .table = t->table };
	return o;
}

static bool read_range(struct reader *r, const struct config_value *v, const struct check_param *p,
		       struct threshold_override *o)
{
	const char *why = NULL;
	struct range range;

	if (v->kind != CONFIG_NUMBER &&
	    !config_expect(r, v, CONFIG_TEXT,
		    "a range in quotes, such as \"80MB\" or \"7:50\", or a number"))
		return false;
	if (!range_parse(r->src.arena, slice_of(v->text), p->unit, &range, &why))
		return config_complain(&r->src, v->at, "cannot read the range '%s': %s", v->text,
				       why);
	if (strcmp(v->key, "warning") == 0)
		o->warn = v->text;
	else
		o->crit = v->text;
	return true;
}

static bool is_level(const char *key)
{
	return strcmp(key, "warning") == 0 || strcmp(key, "critical") == 0;
}

static bool read_param(struct reader *r, const struct config_value *v, const struct check_param *p,
		       const struct check_thresholds *t)
{
	static const char *const levels[] = { "warning", "critical" };
	struct threshold_override *o = override_of(r, t, p->name);

	if (!config_expect(r, v, CONFIG_OBJECT, "an object with \"warning\" and \"critical\""))
		return false;
	for (const struct config_value *c = v->child; c; c = c->next) {
		if (!is_level(c->key))
			return config_unknown(r, c->key_at, "key", c->key, levels,
						ARRAY_LEN(levels));
		if (!read_range(r, c, p, o))
			return false;
	}
	return true;
}

static bool complain_param(const struct reader *r, const struct config_value *v,
			   const struct check *check)
{
	const char *names[PARAMS_MAX + 2] = { "warning", "critical" };
	size_t n = 2;

	for (size_t i = 0; check->params[i].name && n < ARRAY_LEN(names); i++)
		names[n++] = check->params[i].name;
	return config_unknown(r, v->key_at, "key", v->key, names, n);
}

/* {"warning": …, "critical": …} for the check's first parameter, {"param": {…}} for each. */
static bool read_check_thresholds(struct reader *r, const struct config_value *v,
				  const struct check_thresholds *t)
{
	const struct check_param *params = t->check->params;

	if (!config_expect(r, v, CONFIG_OBJECT, "an object with \"warning\" and \"critical\""))
		return false;
	for (const struct config_value *c = v->child; c; c = c->next) {
		size_t i = 0;

		if (is_level(c->key)) {
			if (!read_range(r, c, &params[0], override_of(r, t, params[0].name)))
				return false;
			continue;
		}
		while (params[i].name && strcmp(params[i].name, c->key) != 0)
			i++;
		if (!params[i].name)
			return complain_param(r, c, t->check);
		if (!read_param(r, c, &params[i], t))
			return false;
	}
	return true;
}

static bool read_threshold_map(struct reader *r, const struct config_value *v, const char *table,
			       struct check_thresholds t)
{
	if (!config_expect(r, v, CONFIG_OBJECT, "an object of checks"))
		return false;
	for (const struct config_value *c = v->child; c; c = c->next) {
		t.check = check_find(c->key);
		t.table = table;
		if (!t.check)
			return complain_check(r, c->key_at, c->key);
		if (!t.check->params)
			return config_complain(&r->src, c->key_at, "'%s' has no thresholds",
					       c->key);
		if (!judges_tables(r, t.check, table, c->key_at) ||
		    !read_check_thresholds(r, c, &t))
			return false;
	}
	return true;
}

static bool read_thresholds(struct reader *r, const struct key *k, const struct config_value *v,
			    void *into)
{
	struct config *c = into;
	struct check_thresholds t = { .v = &c->thresholds.v,
				      .n = &c->thresholds.n,
				      .cap = &c->thresholds.cap };

	(void)k;
	return read_threshold_map(r, v, NULL, t);
}

static bool read_table_thresholds(struct reader *r, const struct key *k,
				  const struct config_value *v, void *into)
{
	struct config_table *x = into;
	struct check_thresholds t = { .v = &x->thresholds.v,
				      .n = &x->thresholds.n,
				      .cap = &x->thresholds.cap };

	(void)k;
	return read_threshold_map(r, v, x->design.table, t);
}

/* ---- tables ---- */

#define DESIGN(member) offsetof(struct config_table, design.member)

static const struct key table_keys[] = {
	{ "window", read_window, DESIGN(window_s), MINUTE_S, SECONDS_MAX },
	{ "ttl", config_duration, DESIGN(ttl_s), 0, TTL_MAX_S },
	{ "gc_grace", config_duration, DESIGN(gc_grace_s), 0, SECONDS_MAX },
	{ "lateness", config_duration, DESIGN(lateness_s), 1, SECONDS_MAX },
	{ "thresholds", read_table_thresholds, 0, 0, 0 },
	{ "skip", read_table_skip, 0, 0, 0 },
};

/* A table's name as nodetool prints it, or with '*' for any run of characters. */
static bool valid_pattern(const struct reader *r, const char *text, size_t at)
{
	if (!*text)
		return config_complain(&r->src, at, "a table without a name");
	if (strpbrk(text, "\"'`"))
		return config_complain(&r->src, at,
				       "quotes in the table name '%s'; hint: write it as "
				       "nodetool prints it, keyspace.table",
				       text);
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == '\x7f')
			return config_complain(&r->src, at,
					       "a blank in the table name '%s'; hint: it is "
					       "keyspace.table",
					       text);
	if (text[0] == '.' || text[strlen(text) - 1] == '.')
		return config_complain(&r->src, at,
				       "'%s' is no table; hint: keyspace.table, \"keyspace.*\", "
				       "\"*.table\" or \"*\"",
				       text);
	return true;
}

static struct config_table *table_of(struct reader *r, const char *pattern)
{
	struct config *c = r->config;
	struct config_table *t;

	for (size_t i = 0; i < r->n_before; i++)
		if (strcmp(c->tables.v[i]->design.table, pattern) == 0)
			return c->tables.v[i];
	t = arena_alloc(r->src.arena, sizeof(*t));
	t->design.table = pattern;
	*vec_add(r->src.arena, &c->tables) = t;
	return t;
}

static bool read_tables(struct reader *r, const struct key *k, const struct config_value *v,
			void *into)
{
	(void)k;
	(void)into;
	if (!config_expect(r, v, CONFIG_OBJECT, "an object of tables"))
		return false;
	for (const struct config_value *c = v->child; c; c = c->next) {
		if (!valid_pattern(r, c->key, c->key_at) ||
		    !config_expect(r, c, CONFIG_OBJECT, "an object of settings") ||
		    !config_object(r, c, table_keys, ARRAY_LEN(table_keys), table_of(r, c->key)))
			return false;
	}
	return true;
}

/* ---- silences ---- */

static bool read_silence_check(struct reader *r, const struct key *k, const struct config_value *v,
			       void *into)
{
	struct silence *s = into;

	(void)k;
	if (!config_expect_name(r, v, "the id of a check"))
		return false;
	s->check = v->text;
	return check_find(v->text) || complain_check(r, v->at, v->text);
}

static bool read_silence_table(struct reader *r, const struct key *k, const struct config_value *v,
			       void *into)
{
	struct silence *s = into;

	(void)k;
	s->table = v->text;
	return config_expect_name(r, v, "a table") && valid_pattern(r, v->text, v->at);
}

/* A day counts to its end, in UTC; a time counts up to it. */
static bool read_until(struct reader *r, const struct key *k, const struct config_value *v,
		       void *into)
{
	struct silence *s = into;
	struct slice text;

	(void)k;
	if (!config_expect(r, v, CONFIG_TEXT, "a day in quotes, such as \"2027-03-31\""))
		return false;
	text = slice_of(v->text);
	if (slice_find(text, '-') != 4 || !num_parse_time(text, &s->until_s))
		return config_complain(&r->src, v->at,
				       "cannot read the day '%s'; hint: such as "
				       "\"2027-03-31\" or \"2027-03-31T18:00:00Z\"",
				       v->text);
	if (text.n == strlen("2027-03-31"))
		s->until_s += 86400;
	s->until = v->text;
	return true;
}

static const struct key silence_keys[] = {
	{ "check", read_silence_check, 0, 0, 0 },
	{ "table", read_silence_table, 0, 0, 0 },
	{ "until", read_until, 0, 0, 0 },
	{ "reason", config_name, offsetof(struct silence, reason), 0, 0 },
};

static bool read_silences(struct reader *r, const struct key *k, const struct config_value *v,
			  void *into)
{
	struct config *c = into;

	(void)k;
	if (!config_expect(r, v, CONFIG_LIST, "a list of silences"))
		return false;
	c->silences.n = 0;
	for (const struct config_value *e = v->child; e; e = e->next) {
		struct silence s = { 0 };
		const struct check *check;

		if (!config_expect(r, e, CONFIG_OBJECT,
			    "an object with \"check\", \"until\" and \"reason\"") ||
		    !config_object(r, e, silence_keys, ARRAY_LEN(silence_keys), &s))
			return false;
		if (!s.check || !s.until || !s.reason)
			return config_complain(&r->src, e->at, "a silence without '%s'",
					       !s.check	  ? "check"
					       : !s.until ? "until"
							  : "reason");
		check = check_find(s.check);
		if (s.table && strcmp(s.table, "*") != 0 && check->scope == SCOPE_NODE)
			return config_complain(&r->src, e->at,
					       "'%s' is judged for each node, not for a table; "
					       "hint: leave 'table' out",
					       check->id);
		*vec_add(r->src.arena, &c->silences) = s;
	}
	return true;
}

/* ---- top level ---- */

static const struct key node_keys[] = {
	{ "nodetool", config_name, offsetof(struct config, nodetool), 0, 0 },
	{ "cqlsh", config_name, offsetof(struct config, cqlsh), 0, 0 },
	{ "sstablemetadata", config_name, offsetof(struct config, sstablemetadata), 0, 0 },
	{ "nice", config_nice, offsetof(struct config, ssh.no_nice), 0, 0 },
};

static bool read_node(struct reader *r, const struct key *k, const struct config_value *v,
		      void *into)
{
	(void)k;
	return config_expect(r, v, CONFIG_OBJECT, "an object of settings") &&
	       config_object(r, v, node_keys, ARRAY_LEN(node_keys), into);
}

static const struct key top_keys[] = {
	{ "cluster", config_name, offsetof(struct config, cluster), 0, 0 },
	{ "tables", read_tables, 0, 0, 0 },
	{ "thresholds", read_thresholds, 0, 0, 0 },
	{ "silence", read_silences, 0, 0, 0 },
	{ "skip", read_skip, 0, 0, 0 },
	{ "schema", config_path, offsetof(struct config, schema), 0, 0 },
	{ "node", read_node, 0, 0, 0 },
	{ "nodes", config_nodes, offsetof(struct config, nodes), 0, 0 },
	{ "ssh", config_ssh, 0, 0, 0 },
};

bool config_read(struct arena *a, const char *path, struct slice text, struct config *c,
		 struct err *err)
{
	struct reader r = {
		.src = { .arena = a, .path = path, .err = err },
		.config = c,
		.n_before = c->tables.n,
	};
	const struct config_value *root = config_text_parse(&r.src, text);

	return root && config_object(&r, root, top_keys, ARRAY_LEN(top_keys), c);
}
