/*
 * Answers of Cassandra's own classes (tests/fixtures/engine-expiry, see its README.md): which
 * SSTables of a group overlap, which it calls fully expired, whom sstableexpiredblockers names,
 * and where windows begin. Both the reference and the program's analysis must say the same.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cjson/cJSON.h>

#include "base/num.h"
#include "base/slice.h"
#include "model_build.h"
#include "reference.h"

enum { FILE_MAX = 1 << 20 };

/* ---- reading ---- */

/* A fixture as text with a terminating NUL. */
static char *read_fixture(struct arena *a, const char *name)
{
	const char *root = getenv("TWCS_TESTS");
	const char *path = arena_printf(a, "%s/fixtures/engine-expiry/%s", root ? root : "tests",
					name);
	char *text = arena_alloc(a, FILE_MAX);
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		fail_msg("cannot open %s", path);
	n = fread(text, 1, FILE_MAX, f);
	fclose(f);
	assert_in_range(n, 1, FILE_MAX - 1);
	return text;
}

/*
 * Numbers outside strings become strings: tokens and timestamps have more digits than a double
 * keeps.
 */
static char *quote_numbers(struct arena *a, const char *json)
{
	char *out = arena_alloc(a, 3 * strlen(json) + 1), *o = out;
	bool string = false;

	while (*json) {
		size_t n = string ? 0 : strspn(json, "-0123456789");

		if (n > 0)
			*o++ = '"';
		for (size_t i = 0; i < n; i++)
			*o++ = *json++;
		if (n > 0) {
			*o++ = '"';
			continue;
		}
		string ^= *json == '"';
		*o++ = *json++;
	}
	return out;
}

static struct opt_i64 number(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
	struct opt_i64 v = { .known = false };

	if (text)
		assert_true(num_parse_i64(slice_of(text), &v.v));
	v.known = text != NULL;
	return v;
}

static int64_t needed(const cJSON *object, const char *key)
{
	struct opt_i64 v = number(object, key);

	if (!v.known)
		fail_msg("no number '%s'", key);
	return v.v;
}

static const char *text_of(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	if (!text)
		fail_msg("no text '%s'", key);
	return text;
}

/* ---- one run ---- */

struct engine_run {
	const char *name;
	struct arena *arena;
	cJSON *json;
	struct ref_table ref;
	struct table *t;
	struct sstable *made[REF_MAX];
};

static void add_sstable(struct engine_run *r, const cJSON *o)
{
	struct ref_file *f = &r->ref.files[r->ref.n];
	struct sstable *s;

	assert_true(r->ref.n < REF_MAX);
	f->name = text_of(o, "file");
	f->group = needed(o, "repaired_at") ? REF_REPAIRED : REF_UNREPAIRED;
	f->group_known = true;
	f->min_ts = some_i64(needed(o, "min_timestamp"));
	f->max_ts = some_i64(needed(o, "max_timestamp"));
	f->max_ldt_s = number(o, "max_local_deletion_time");
	if (!f->max_ldt_s.known || f->max_ldt_s.v >= INT32_MAX)
		f->max_ldt_s = some_i64(TIME_NEVER);
	f->first = number(o, "first_token");
	f->last = number(o, "last_token");
	f->bytes = BUILD_BYTES;
	s = build_sstable(r->arena, r->t, f->name, f->min_ts.v, f->max_ts.v, f->max_ldt_s.v);
	build_meta(s)->repaired_at_ms = needed(o, "repaired_at");
	build_meta(s)->first_token = f->first;
	build_meta(s)->last_token = f->last;
	r->made[r->ref.n++] = s;
}

static void open_run(struct engine_run *r, const char *name)
{
	const cJSON *o;
	int64_t window_s, now_s, gc_grace_s;

	memset(r, 0, sizeof(*r));
	r->name = name;
	r->arena = arena_create();
	r->json = cJSON_Parse(quote_numbers(r->arena, read_fixture(r->arena, name)));
	if (!r->json)
		fail_msg("%s is not JSON", name);
	assert_string_equal(text_of(r->json, "window_unit"), "HOURS");
	assert_string_equal(text_of(r->json, "timestamp_resolution"), "MICROSECONDS");
	window_s = needed(r->json, "window_size") * 3600;
	now_s = needed(r->json, "now");
	gc_grace_s = needed(r->json, "gc_grace_seconds");
	r->t = build_table(r->arena, now_s, window_s, gc_grace_s);
	r->t->node->release = "4.1.9";
	r->ref.now_s = now_s;
	r->ref.gc_grace_s = gc_grace_s;
	r->ref.window_s = window_s;
	r->ref.check_interval_s = 600;
	r->ref.future_tolerance_s = 600;
	r->ref.units_per_second = 1000000;
	cJSON_ArrayForEach(o, cJSON_GetObjectItemCaseSensitive(r->json, "sstables"))
		add_sstable(r, o);
	assert_true(r->ref.n > 0);
	reference_judge(&r->ref);
	table_analyse(r->arena, r->t);
}

static void close_run(struct engine_run *r)
{
	cJSON_Delete(r->json);
	arena_destroy(r->arena);
}

/* Marks the SSTables that a list names; returns how many. */
static size_t mark(const struct engine_run *r, const cJSON *list, bool *set)
{
	const cJSON *o;
	size_t n = 0;

	memset(set, 0, REF_MAX * sizeof(*set));
	assert_true(cJSON_IsArray(list));
	cJSON_ArrayForEach(o, list) {
		size_t i = 0;

		while (i < r->ref.n && strcmp(r->ref.files[i].name, cJSON_GetStringValue(o)) != 0)
			i++;
		assert_true(i < r->ref.n);
		set[i] = true;
		n++;
	}
	return n;
}

static void same_set(const struct engine_run *r, const char *what, size_t check, const bool *got,
		     const bool *want)
{
	for (size_t i = 0; i < r->ref.n; i++)
		if (got[i] != want[i])
			fail_msg("%s: check %zu: %s %s: %d, the engine says %d", r->name, check,
				 what, r->ref.files[i].name, got[i], want[i]);
}

/* The group is all SSTables of one repair state: what the program calls an instance. */
static bool is_instance(const struct engine_run *r, const bool *group, size_t n)
{
	size_t same = 0, first = 0;

	while (first < r->ref.n && !group[first])
		first++;
	for (size_t i = 0; i < r->ref.n; i++) {
		if (group[i] && r->ref.files[i].group != r->ref.files[first].group)
			return false;
		same += r->ref.files[i].group == r->ref.files[first].group;
	}
	return same == n;
}

struct counts { size_t checks, instances, singles, dropped, held; };

/* What the program says where its question is the engine's: a whole instance, or one alone. */
static void check_program(const struct engine_run *r, size_t check, const bool *group, size_t n,
			  const bool *expired, struct counts *c)
{
	bool got[REF_MAX] = { false };

	if (is_instance(r, group, n)) {
		for (size_t i = 0; i < r->ref.n; i++)
			got[i] = group[i] && r->made[i]->state == SST_DROPPABLE;
		same_set(r, "droppable", check, got, expired);
		c->instances++;
	}
	for (size_t i = 0; i < r->ref.n && n == 1; i++) {
		if (!group[i] || r->made[i]->state != SST_BLOCKED)
			continue;
		if (r->made[i]->alone != expired[i])
			fail_msg("%s: check %zu: %s alone: %d, the engine says %d", r->name, check,
				 r->ref.files[i].name, r->made[i]->alone, expired[i]);
		c->singles++;
	}
}

static void check_groups(const struct engine_run *r, struct counts *c)
{
	bool group[REF_MAX], overlap[REF_MAX], drop[REF_MAX], want[REF_MAX];
	const cJSON *o;
	size_t check = 0;

	cJSON_ArrayForEach(o, cJSON_GetObjectItemCaseSensitive(r->json, "checks")) {
		size_t n = mark(r, cJSON_GetObjectItemCaseSensitive(o, "group"), group);

		reference_fully_expired(&r->ref, group, overlap, drop);
		mark(r, cJSON_GetObjectItemCaseSensitive(o, "overlapping"), want);
		same_set(r, "overlapping", check, overlap, want);
		c->dropped += mark(r, cJSON_GetObjectItemCaseSensitive(o, "fully_expired"), want);
		same_set(r, "fully expired", check, drop, want);
		check_program(r, check, group, n, want, c);
		check++;
	}
	assert_true(check > 0);
	c->checks += check;
}

/* The strategy's next task holds all that is droppable; what else it takes is not. */
static void check_next(const struct engine_run *r, struct counts *c)
{
	static const char *const sides[] = { "unrepaired", "repaired" };
	const cJSON *next = cJSON_GetObjectItemCaseSensitive(r->json, "next_background");

	for (size_t side = 0; side < ARRAY_LEN(sides); side++) {
		bool taken[REF_MAX];
		int64_t window_s = 0;
		size_t others = 0;

		mark(r, cJSON_GetObjectItemCaseSensitive(next, sides[side]), taken);
		for (size_t i = 0; i < r->ref.n; i++) {
			const struct sstable *s = r->made[i];
			bool ours = (size_t)r->ref.files[i].group == side;

			if (taken[i] && !ours)
				fail_msg("%s: %s is not %s", r->name, s->name, sides[side]);
			if (ours && s->state == SST_DROPPABLE && !taken[i])
				fail_msg("%s: %s is droppable, the engine leaves it", r->name,
					 s->name);
			c->held += ours && s->state == SST_BLOCKED;
			if (!taken[i] || s->state == SST_DROPPABLE)
				continue;
			if (others++ && s->window_start_s != window_s)
				fail_msg("%s: %s is of another window", r->name, s->name);
			window_s = s->window_start_s;
		}
	}
}

/* The offline tool's pairs: the reference has exactly these, the program at most these. */
static void check_tool(const struct engine_run *r)
{
	const cJSON *tool = cJSON_GetObjectItemCaseSensitive(r->json, "sstableexpiredblockers");

	for (size_t b = 0; b < r->ref.n; b++) {
		const cJSON *list = cJSON_GetObjectItemCaseSensitive(tool, r->ref.files[b].name);
		const struct blocker *as = r->made[b]->as_blocker;
		bool want[REF_MAX] = { false }, got[REF_MAX];
		size_t n = list ? mark(r, list, want) : 0;

		for (size_t s = 0; s < r->ref.n; s++)
			got[s] = reference_tool_blocks(&r->ref, &r->ref.files[b], &r->ref.files[s]);
		same_set(r, "blocked, by the tool,", b, got, want);
		if (as && as->n_blocks > n)
			fail_msg("%s: %s blocks %zu, the tool says %zu", r->name,
				 r->ref.files[b].name, as->n_blocks, n);
	}
}

static void test_runs(void **unused)
{
	static const char *const runs[] = {
		"run-01.json", "run-02.json", "run-05.json", "run-11.json", "run-12.json",
		"run-13.json", "run-14.json", "run-15.json", "run-16.json",
	};
	static struct engine_run r;
	struct counts c = { 0 };

	(void)unused;
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		open_run(&r, runs[i]);
		check_groups(&r, &c);
		check_next(&r, &c);
		check_tool(&r);
		close_run(&r);
	}
	/* so many the recordings hold; fewer means that something was not compared */
	assert_int_equal(c.checks, 263);
	assert_int_equal(c.instances, 18);
	assert_int_equal(c.singles, 58);
	assert_int_equal(c.dropped, 355);
	assert_int_equal(c.held, 223);
}

/* ---- windows ---- */

static const struct { const char *name; int64_t value; } units[] = {
	{ "MINUTES", 60 }, { "HOURS", 3600 }, { "DAYS", 86400 },
};

static const struct { const char *name; enum ts_resolution value; int64_t per_second; }
resolutions[] = {
	{ "SECONDS", TS_SECONDS, 1 }, { "MILLISECONDS", TS_MILLISECONDS, 1000 },
	{ "MICROSECONDS", TS_MICROSECONDS, 1000000 },
	{ "NANOSECONDS", TS_NANOSECONDS, 1000000000 },
};

static void check_vector(struct slice line)
{
	struct slice field[6], rest = line;
	int64_t size = 0, ts = 0, start_ms = 0, end_ms = 0, window_s;
	size_t u = 0, k = 0;

	for (size_t i = 0; i < ARRAY_LEN(field); i++)
		assert_true(slice_word(&rest, &field[i]));
	while (u < ARRAY_LEN(units) && !slice_eq_str(field[0], units[u].name))
		u++;
	while (k < ARRAY_LEN(resolutions) && !slice_eq_str(field[2], resolutions[k].name))
		k++;
	assert_true(u < ARRAY_LEN(units) && k < ARRAY_LEN(resolutions));
	assert_true(num_parse_i64(field[1], &size) && num_parse_i64(field[3], &ts));
	assert_true(num_parse_i64(field[4], &start_ms) && num_parse_i64(field[5], &end_ms));
	window_s = size * units[u].value;
	if (window_start(ts, resolutions[k].value, window_s) * 1000 != start_ms)
		fail_msg("%.*s: window_start says %" PRId64, (int)line.n, line.p,
			 window_start(ts, resolutions[k].value, window_s));
	if (reference_window_start(ts, resolutions[k].per_second, window_s) * 1000 != start_ms)
		fail_msg("%.*s: the reference differs", (int)line.n, line.p);
	assert_int_equal(start_ms + (window_s - 1) * 1000, end_ms);
}

static void test_window_vectors(void **unused)
{
	struct arena *a = arena_create();
	struct lines it = lines_of(slice_of(read_fixture(a, "window-vectors.txt")));
	struct slice line;
	size_t n = 0;

	(void)unused;
	while (lines_next(&it, &line)) {
		check_vector(line);
		n++;
	}
	assert_int_equal(n, 792);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_window_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
