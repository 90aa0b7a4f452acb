/* Every recorded output of sstablemetadata there is, against an extraction of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <string.h>

#include "base/num.h"
#include "base/slice.h"
#include "files.h"
#include "metadata_text.h"

/* The value text behind "\n<label>: ", by plain search. */
static struct slice plain_value(struct arena *a, struct slice text, const char *label)
{
	const char *p = strstr(text.p, arena_printf(a, "\n%s: ", label)), *end;

	if (!p)
		return (struct slice){ NULL, 0 };
	p += strlen(label) + 3;
	end = strchr(p, '\n');
	return (struct slice){ p, end ? (size_t)(end - p) : strlen(p) };
}

/* The number of a value: the last one in brackets if nothing else stands there, else the first. */
static int64_t plain_number(struct arena *a, struct slice text, const char *label, bool key_behind)
{
	struct slice s = plain_value(a, text, label);
	const char *open = NULL;
	int64_t v;

	if (!s.p)
		return NONE;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '(')
			open = s.p + i;
	if (open && !key_behind && s.p[s.n - 1] == ')' &&
	    num_parse_i64((struct slice){ open + 1, (size_t)(s.p + s.n - 1 - open - 1) }, &v))
		return v;
	s.n = slice_find(s, ' ');
	return num_parse_i64(s, &v) ? v : NONE;
}

static int64_t plain_deletion_time(struct arena *a, struct slice text, const char *label)
{
	int64_t v = plain_number(a, text, label, false);

	return v == INT32_MAX ? NEVER : v;
}

/* The largest filled bucket: the maximum below "Partition Size:", or by column in 3.11. */
static int64_t plain_largest(struct slice text)
{
	const char *p = strstr(text.p, "\nPartition Size:"), *max;
	long long size, count, largest = NONE;

	if (p) {
		max = strstr(p, "\n   Max       ");
		return max && sscanf(max + 14, "%lld", &size) == 1 ? size : NONE;
	}
	p = strstr(text.p, "\nCount  ");
	for (p = p ? strchr(p + 1, '\n') : NULL; p; p = strchr(p + 1, '\n')) {
		if (sscanf(p + 1, "%lld %lld", &size, &count) != 2)
			break;
		if (count > 0)
			largest = size;
	}
	return largest;
}

static void check_recording(struct arena *a, const char *path)
{
	struct slice text = file_bytes(a, path), pending, host;
	const struct sstable_meta *m;
	struct parsed p;

	parse(&p, text);
	if (!p.ok || p.err.kind != ERR_NONE || p.node.metas.n != 1)
		fail_msg("%s: %zu records, %s", path, p.node.metas.n, err_text(a, &p.err));
	m = p.node.metas.v[0];
	assert_number(path, "minimum timestamp", m->min_ts,
		      plain_number(a, text, "Minimum timestamp", false));
	assert_number(path, "maximum timestamp", m->max_ts,
		      plain_number(a, text, "Maximum timestamp", false));
	assert_number(path, "minimum deletion time", m->min_ldt_s,
		      plain_deletion_time(a, text, "SSTable min local deletion time"));
	assert_number(path, "maximum deletion time", m->max_ldt_s,
		      plain_deletion_time(a, text, "SSTable max local deletion time"));
	assert_number(path, "minimum TTL", m->min_ttl_s, plain_number(a, text, "TTL min", true));
	assert_number(path, "maximum TTL", m->max_ttl_s, plain_number(a, text, "TTL max", true));
	assert_number(path, "first token", m->first_token,
		      plain_number(a, text, "First token", true));
	assert_number(path, "last token", m->last_token, plain_number(a, text, "Last token", true));
	assert_number(path, "level", m->level, plain_number(a, text, "SSTable Level", false));
	assert_number(path, "rows", m->rows, plain_number(a, text, "totalRows", false));
	assert_number(path, "columns", m->columns_set,
		      plain_number(a, text, "totalColumnsSet", false));
	assert_number(path, "largest partition", m->max_partition_bytes, plain_largest(text));
	assert_true(m->repair_known);
	assert_number(path, "repaired at", some_i64(m->repaired_at_ms),
		      plain_number(a, text, "Repaired at", true));
	pending = plain_value(a, text, "Pending repair");
	assert_string(path, "pending repair", m->pending_repair,
		      pending.n > 2 ? arena_copy(a, pending) : NULL);
	host = plain_value(a, text, "Originating host id");
	assert_string(path, "host id", m->host_id, host.p ? arena_copy(a, host) : NULL);
	if (m->state != METADATA_COMPLETE)
		fail_msg("%s: %s", path, m->problem);
	if (strncmp(text.p + strlen("SSTable: "), m->path, strlen(m->path)) != 0)
		fail_msg("%s: path is %s", path, m->path);
	release(&p);
}

/* Files below a folder that end in ".txt", one level of folders in between. */
static size_t check_folder(const char *path, int depth)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t n = 0;

	while (dir && (e = readdir(dir))) {
		struct arena *a = arena_create();
		const char *inner = arena_printf(a, "%s/%s", path, e->d_name);

		if (e->d_name[0] == '.') {
			arena_destroy(a);
			continue;
		}
		if (depth > 0) {
			n += check_folder(inner, depth - 1);
		} else if (slice_ends(slice_of(inner), SLICE(".txt"))) {
			check_recording(a, inner);
			n++;
		}
		arena_destroy(a);
	}
	if (dir)
		closedir(dir);
	return n;
}

static void test_all_recordings(void **state)
{
	struct arena *a = arena_create();
	const char *root = shared_path(a, "fixtures");
	DIR *dir = root ? opendir(root) : NULL;
	struct dirent *e;
	size_t n = 0;

	(void)state;
	if (!dir) {
		print_message("the shared recordings are not there: skipped\n");
		arena_destroy(a);
		skip();
	}
	while ((e = readdir(dir)))
		if (strncmp(e->d_name, "cassandra-", 10) == 0)
			n += check_folder(arena_printf(a, "%s/%s/sstablemetadata", root,
				e->d_name), 1);
	closedir(dir);
	print_message("%zu recordings read\n", n);
	assert_true(n > 1000);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
