/*
 * What real nodes dropped: the recordings of running nodes of 3.11.19, 4.0.17, 4.1.9 and 5.0.6,
 * read with the program's own parsers. Of every SSTable the analysis says droppable exactly where
 * the node then dropped it, and the reference agrees on the state.
 *
 * The recordings are outside the source tree: TWCSCHECK_SHARED/fixtures. Without them the test
 * says that it skips; the integration tests do the same with the bundles in tests/fixtures.
 */
#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "base/slice.h"
#include "parse/parse.h"
#include "reference.h"

enum { FILE_MAX = 4 << 20 };

/* How many SSTables there are to be judged: fewer means that something was not compared. */
static const struct { const char *name, *release; size_t judged; } recordings[] = {
	{ "cassandra-3.11.19", "3.11.19", 211 }, { "cassandra-3.11.19-extra", "3.11.19", 53 },
	{ "cassandra-3.11.19-healthy", "3.11.19", 157 }, { "cassandra-4.0.17", "4.0.17", 211 },
	{ "cassandra-4.1.9", "4.1.9", 211 }, { "cassandra-4.1.9-extra", "4.1.9", 53 },
	{ "cassandra-4.1.9-healthy", "4.1.9", 157 }, { "cassandra-5.0.6", "5.0.6", 211 },
	{ "cassandra-5.0.6-bti", "5.0.6", 94 }, { "cassandra-5.0.6-extra", "5.0.6", 53 },
	{ "cassandra-5.0.6-groups", "5.0.6", 158 }, { "cassandra-5.0.6-healthy", "5.0.6", 157 },
	{ "cassandra-5.0.6-oa", "5.0.6", 211 }, { "cassandra-5.0.6-pending", "5.0.6", 10 },
};

static const char *shared(void)
{
	const char *root = getenv("TWCSCHECK_SHARED");

	return root ? root : "../shared";
}

static struct slice read_all(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(FILE_MAX);
	struct slice s = { text, 0 };

	if (!f || !text)
		fail_msg("cannot read %s", path);
	s.n = fread(text, 1, FILE_MAX, f);
	fclose(f);
	s.p = arena_copy(a, s);
	free(text);
	assert_true(s.n < FILE_MAX);
	return s;
}

/* ---- a recording as evidence ---- */

static void feed(struct cluster *c, enum evidence_kind kind, const char *path)
{
	struct evidence ev = {
		.kind = kind, .node = "cass-01", .path = path,
		.relative = strrchr(path, '/') + 1, .out = read_all(c->arena, path),
	};

	parse_evidence(c, &ev);
}

static void feed_table(struct cluster *c, const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *e;

	if (!d)
		fail_msg("cannot open %s", dir);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			feed(c, EV_SSTABLEMETADATA,
			     arena_printf(c->arena, "%s/%s", dir, e->d_name));
	closedir(d);
}

static void feed_recording(struct cluster *c, const char *root)
{
	const char *dir = arena_printf(c->arena, "%s/sstablemetadata", root);
	DIR *d = opendir(dir);
	const struct dirent *e;

	if (!d)
		fail_msg("cannot open %s", dir);
	feed(c, EV_SCHEMA, arena_printf(c->arena, "%s/describe.cql", root));
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			feed_table(c, arena_printf(c->arena, "%s/%s", dir, e->d_name));
	closedir(d);
}

/* ---- the reference's view of a table ---- */

static int group_of(const struct sstable_meta *m, const char **sessions, size_t *n_sessions)
{
	size_t k = 0;

	if (!m->pending_repair)
		return m->repaired_at_ms ? REF_REPAIRED : REF_UNREPAIRED;
	while (k < *n_sessions && strcmp(sessions[k], m->pending_repair) != 0)
		k++;
	sessions[k] = m->pending_repair;
	*n_sessions += k == *n_sessions;
	return REF_PENDING + (int)k;
}

static void judge(struct ref_table *ref, const struct table *t)
{
	static const int64_t units[] = {
		[TS_MICROSECONDS] = 1000000, [TS_MILLISECONDS] = 1000, [TS_SECONDS] = 1,
		[TS_NANOSECONDS] = 1000000000,
	};
	const char *sessions[REF_MAX];
	size_t n_sessions = 0;

	memset(ref, 0, sizeof(*ref));
	ref->now_s = t->node->clock_s;
	ref->gc_grace_s = t->settings.gc_grace_s.v;
	ref->window_s = t->settings.window_s.v;
	ref->check_interval_s = t->settings.check_interval_s;
	ref->future_tolerance_s = 600;
	ref->units_per_second = units[t->settings.resolution];
	ref->only_purge_repaired = t->settings.only_purge_repaired;
	ref->ignore_overlaps = t->settings.unsafe_aggressive;
	assert_true(t->n_sstables <= REF_MAX);
	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];

		ref->files[ref->n++] = (struct ref_file){
			.name = s->name, .disk = s->disk, .group_known = s->meta->repair_known,
			.group = group_of(s->meta, sessions, &n_sessions),
			.min_ts = s->meta->min_ts, .max_ts = s->meta->max_ts,
			.max_ldt_s = s->meta->max_ldt_s, .first = s->meta->first_token,
			.last = s->meta->last_token,
		};
	}
	reference_judge(ref);
}

/* ---- comparing ---- */

struct counts { size_t judged, hidden; };

/*
 * The late row of this table is in a memtable that no file shows: the node leaves what is droppable
 * by all files.
 */
static bool is_hidden(const struct table *t, const struct sstable *s, bool gone)
{
	return strcmp(t->name, "x_memtable") == 0 && s->state == SST_DROPPABLE && !gone;
}

static void check_truth(const char *rec, const struct table *t, struct slice name,
			struct slice dropped, struct counts *c)
{
	for (size_t i = 0; i < t->n_sstables; i++) {
		const struct sstable *s = t->sstables[i];
		bool gone = slice_eq_str(dropped, "yes");

		if (!slice_eq_str(name, s->name) || slice_eq_str(dropped, "compacted"))
			continue;
		if (gone != (s->state == SST_DROPPABLE) && !is_hidden(t, s, gone))
			fail_msg("%s: %s %s: the node dropped it: %.*s, the analysis says %s", rec,
				 t->full_name, s->name, (int)dropped.n, dropped.p,
				 sstable_state_name(s->state));
		c->judged++;
		c->hidden += is_hidden(t, s, gone);
	}
}

static void check_table(const char *rec, struct table *t, struct slice truth, struct counts *c)
{
	static struct ref_table ref;
	struct lines it = lines_of(truth);
	struct slice line, field[4];

	judge(&ref, t);
	for (size_t i = 0; i < t->n_sstables; i++)
		if (strcmp(sstable_state_name(t->sstables[i]->state),
			   sstable_state_name((enum sstable_state)ref.files[i].state)) != 0)
			fail_msg("%s: %s %s: the analysis says %s, the reference %d", rec,
				 t->full_name, t->sstables[i]->name,
				 sstable_state_name(t->sstables[i]->state), ref.files[i].state);
	while (lines_next(&it, &line)) {
		size_t n = 0;

		while (n < ARRAY_LEN(field) && slice_field(&line, '\t', &field[n]))
			n++;
		if (n == ARRAY_LEN(field) && slice_eq_str(field[0], t->keyspace) &&
		    slice_eq_str(field[1], t->name))
			check_truth(rec, t, field[2], field[3], c);
	}
}

/* "# recorded from epoch 1796066825 to ...": when automatic compaction was switched on. */
static int64_t recorded_at(struct slice truth)
{
	struct slice word;
	int64_t s;

	while (slice_word(&truth, &word))
		if (slice_eq_str(word, "epoch") && slice_word(&truth, &word) &&
		    num_parse_i64(word, &s))
			return s;
	fail_msg("the recording has no time");
	return 0;
}

static struct counts check_recording(size_t k)
{
	struct arena *a = arena_create();
	struct cluster *c = cluster_create(a);
	const char *rec = recordings[k].name;
	const char *root = arena_printf(a, "%s/fixtures/%s", shared(), rec);
	struct slice truth = read_all(a, arena_printf(a, "%s/dropped.tsv", root));
	struct assemble_options o = { .now_s = some_i64(recorded_at(truth)) };
	struct node *n = cluster_node(c, "cass-01");
	struct counts counts = { 0 };

	n->product = "cassandra";
	n->release = recordings[k].release;
	feed_recording(c, root);
	parse_finish(c);
	cluster_assemble(c, &o);
	for (size_t i = 0; i < n->n_tables; i++) {
		struct table *t = n->tables[i];

		table_analyse(a, t);
		if (t->analysed)
			check_table(rec, t, truth, &counts);
	}
	arena_destroy(a);
	return counts;
}

static void test_recordings(void **unused)
{
	struct arena *a = arena_create();
	FILE *f = fopen(arena_printf(a, "%s/fixtures/%s/dropped.tsv", shared(),
				     recordings[0].name), "rb");

	(void)unused;
	arena_destroy(a);
	if (!f) {
		print_message("skipped: no recordings under %s/fixtures\n", shared());
		skip();
	}
	fclose(f);
	for (size_t k = 0; k < ARRAY_LEN(recordings); k++) {
		struct counts c = check_recording(k);
		size_t hidden = strstr(recordings[k].name, "-extra") ? 3 : 0;

		if (c.judged != recordings[k].judged || c.hidden != hidden)
			fail_msg("%s: %zu SSTables judged, %zu hidden, not %zu, %zu",
				 recordings[k].name, c.judged, c.hidden, recordings[k].judged,
				 hidden);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
