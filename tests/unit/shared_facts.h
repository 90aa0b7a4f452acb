/*
 * The "facts" of the shared cases (cases/expect.json): what a right parser reads from each case's
 * files. They do not come with the source; a test that finds none says so and skips.
 */
#ifndef TWCSCHECK_TESTS_SHARED_FACTS_H
#define TWCSCHECK_TESTS_SHARED_FACTS_H

#include "files.h"
#include "parse_case.h"

/* One fact, '"sstable:ks.t/nb-1-big:min_ttl_s": 0', of a row of expect.json. */
struct shared_fact {
	const char *folder;	/* of the case */
	const char *kind;	/* "sstable" */
	const char *table;	/* "ks.t"; NULL = not told */
	const char *object;	/* "nb-1-big" */
	const char *field;
	const char *value;	/* as in the JSON, without quotes */
};

typedef void shared_fact_fn(void *ctx, const struct shared_fact *f);

static inline const char *json_token(struct arena *a, const char *from, const char **end)
{
	const char *stop = *from == '"' ? strchr(from + 1, '"')
					: from + strcspn(from, ",}\n");

	if (*from == '"')
		from++;
	*end = stop;
	return arena_copy(a, (struct slice){ from, (size_t)(stop - from) });
}

/* "sstable:ks.t/nb-1-big:min_ttl_s" and its value, which stands behind `p`. */
static inline void shared_fact_tell(struct arena *a, const char *folder, char *key, const char *p,
				    shared_fact_fn *each, void *ctx)
{
	struct shared_fact f = { .folder = folder, .kind = key };
	char *object = strchr(key, ':'), *field = strrchr(key, ':'), *slash;
	const char *end;

	if (!object || field == object)
		return;
	*object++ = *field = '\0';
	slash = strrchr(object, '/');
	if (slash)
		*slash = '\0';
	f.table = slash ? object : NULL;
	f.object = slash ? slash + 1 : object;
	f.field = field + 1;
	f.value = json_token(a, p + strspn(p, " :"), &end);
	each(ctx, &f);
}

/* Every fact there is; false when the cases are not here. */
static inline bool shared_facts(struct arena *a, shared_fact_fn *each, void *ctx)
{
	const char *path = shared_path(a, "cases/expect.json");
	struct lines it = lines_of(path ? file_bytes(a, path) : (struct slice){ NULL, 0 });
	struct slice line;

	while (path && lines_next(&it, &line)) {
		const char *row = arena_copy(a, line), *name = strstr(row, "\"case\": \"");
		const char *p = strstr(row, "\"facts\": {"), *end, *folder;

		if (!name || !p)
			continue;
		folder = json_token(a, name + 8, &end);
		for (p += 10; *p == '"' || *p == ' ' || *p == ',';) {
			if (*p != '"') {
				p++;
				continue;
			}
			end = strchr(p + 1, '"');
			shared_fact_tell(a, folder,
					 arena_copy(a, (struct slice){ p + 1,
								       (size_t)(end - p - 1) }),
					 end + 1, each, ctx);
			p = end + 1 + strspn(end + 1, " :");
			(void)json_token(a, p, &end);
			p = *p == '"' ? end + 1 : end;
		}
	}
	return path != NULL;
}

/* "ks.t" is the table of "ks" and "t-<id>". */
static inline bool shared_fact_is_of(const struct shared_fact *f, const char *keyspace,
				     const char *table_dir)
{
	const char *dot = f->table ? strchr(f->table, '.') : NULL;
	struct slice table, id;

	if (!dot)
		return true;
	parse_table_dir(slice_of(table_dir), &table, &id);
	return keyspace && strncmp(keyspace, f->table, (size_t)(dot - f->table)) == 0 &&
	       slice_eq_str(table, dot + 1);
}

/* What a fact says of an SSTable's metadata; true when it is about metadata at all. */
static inline bool shared_fact_number(const struct shared_fact *f, const struct sstable_meta *m,
				      struct opt_i64 *got, struct opt_i64 *want)
{
	const struct { const char *field; struct opt_i64 v; } fields[] = {
		{ "max_local_deletion_time_s", m->max_ldt_s },
		{ "min_timestamp_us", m->min_ts }, { "max_timestamp_us", m->max_ts },
		{ "min_local_deletion_time", m->min_ldt_s }, { "max_ttl", m->max_ttl_s },
		{ "min_ttl_s", m->min_ttl_s }, { "max_ttl_s", m->max_ttl_s },
	};

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (strcmp(f->field, fields[i].field) != 0)
			continue;
		*got = fields[i].v;
		if (strcmp(f->value, "not recorded") == 0)
			*want = (struct opt_i64){ 0 };
		else if (strcmp(f->value, "null") == 0)
			*want = some_i64(TIME_NEVER);
		else
			*want = some_i64(strtoll(f->value, NULL, 10));
		return true;
	}
	return false;
}

#endif
