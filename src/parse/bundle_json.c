/* bundle.json: what kind of bundle it is, and the cluster's name. */
#include <string.h>

#include "parse/parse.h"
#include "parse/read_json.h"

enum { VERSION_MAX = 1 };

/* Hand-made bundles may leave both out; what is there must be ours. */
static bool is_readable(const struct json_object *root)
{
	const char *format = json_member_string(root, "format");
	struct opt_i64 version = json_member_integer(root, "version");

	if (format && strcmp(format, "twcscheck-bundle") != 0)
		return json_complain(root, "format", "is not \"twcscheck-bundle\"");
	if (version.known && version.v > VERSION_MAX)
		return json_complain(root, "version",
				     "is above 1: a newer twcscheck is needed to read it");
	if (version.known && version.v < 1)
		return json_complain(root, "version", "is below 1");
	return true;
}

bool parse_bundle_json(struct arena *a, const struct evidence *ev, struct node *into,
		       struct err *err)
{
	struct json_object root;
	struct json_doc doc;
	const char *cluster;
	bool ok;

	if (!json_open(a, ev, err, &doc))
		return false;
	root = json_root(&doc);
	ok = is_readable(&root);
	cluster = ok ? json_member_string(&root, "cluster") : NULL;
	if (cluster && *cluster)
		into->cluster->name = cluster;
	json_close(&doc);
	return ok;
}
