/* nodetool version: "ReleaseVersion: 5.0.6". Source: nodetool's Version (3.0 to 5.0). */
#include "base/slice.h"
#include "parse/complaint.h"
#include "parse/parse.h"
#include "parse/pattern.h"

bool parse_version(struct arena *a, const struct evidence *ev, struct node *into, struct err *err)
{
	static struct pattern release = PATTERN("^\\s*ReleaseVersion: *([0-9][\\w.+~-]*)\\s*$");
	const char *source = ev->path ? arena_strdup(a, ev->path) : NULL;
	struct lines it = lines_of(ev->out);
	struct slice line, m[2];

	while (lines_next(&it, &line)) {
		if (!pattern_match(&release, line, m, ARRAY_LEN(m)))
			continue;
		if (!it.terminated)	/* 4.0.1 of 4.0.17 */
			return err_set(a, err, ERR_FORMAT, source, it.number,
				       "the text ends inside the release");
		if (!into->release)
			into->release = arena_copy(a, m[1]);
		return true;
	}
	return complaint_report(a, ev->out, source, "release", err);
}
