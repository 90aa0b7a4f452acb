/*
 * Any bytes as a configuration file, read twice as from two places: no crash, every error has its
 * place, and what is accepted keeps what the rest of the program relies on.
 */
#include <assert.h>
#include <string.h>

#include "cli/config.h"
#include "cli/config_text.h"
#include "cli/remote_nodes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_design(const struct table_design *d)
{
	assert(d->table && *d->table);
	assert(!d->window_s.known || (d->window_s.v > 0 && d->window_s.v % 60 == 0));
	assert(!d->ttl_s.known || d->ttl_s.v >= 0);
	assert(!d->gc_grace_s.known || d->gc_grace_s.v >= 0);
	assert(!d->lateness_s.known || d->lateness_s.v > 0);
}

static void check_options(struct run_options *o)
{
	struct table t = { .full_name = "metrics.readings" };
	struct table_design d;

	assert(run_checks_validate(o->arena, &o->checks, NULL));
	for (size_t i = 0; i < o->assemble.n_designs; i++) {
		check_design(&o->assemble.designs[i]);
		assert(i == 0 || table_pattern_compare(o->assemble.designs[i - 1].table,
						       o->assemble.designs[i].table) <= 0);
	}
	d = table_design_merge(o->assemble.designs, o->assemble.n_designs, t.full_name);
	check_design(&d);
	for (size_t i = 0; i < o->checks.silences.n; i++) {
		const struct silence *s = &o->checks.silences.v[i];

		assert(check_find(s->check) && s->until && s->reason && *s->reason);
	}
}

/* Whatever the file says: no word that ssh or a shell would take for its own. */
static void check_nodes(const struct run_options *o)
{
	struct remote_nodes chosen = { 0 };
	struct err err = { 0 };

	assert(remote_nodes_choose(o, &chosen, &err));
	assert(chosen.list.n == o->nodes.list.n);
	for (size_t i = 0; i < chosen.list.n; i++) {
		const struct remote_node *n = &chosen.list.v[i];

		assert(!remote_host_flaw(n->host) && !remote_host_flaw(n->name));
		assert(!n->user || !remote_user_flaw(n->user));
		assert(!n->port || (strspn(n->port, "0123456789") == strlen(n->port) && *n->port));
		for (size_t k = 0; k < i; k++)
			assert(strcmp(n->name, chosen.list.v[k].name) != 0);
	}
	assert(!o->ssh.user || !remote_user_flaw(o->ssh.user));
	assert(!o->ssh.sudo || !remote_sudo_flaw(o->ssh.sudo));
	assert(!o->ssh.jump || *o->ssh.jump != '-');
	assert(o->ssh.parallel >= 1 && o->ssh.parallel <= 1000);
	assert(o->ssh.connect_timeout_s >= 0 && o->ssh.command_timeout_s >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_create();
	struct run_options o = { .arena = a };
	struct config c = { 0 };
	struct slice text = { (const char *)data, size };
	struct err err = { 0 };

	if (config_read(a, "input", text, &c, &err)) {
		size_t n = c.tables.n;

		assert(config_read(a, "input", text, &c, &err));
		assert(c.tables.n == n); /* the same once more changes nothing */
		config_apply(&c, &o);
		check_options(&o);
		check_nodes(&o);
	} else {
		assert(err.text && (size > CONFIG_FILE_MAX || (err.line && err.column)));
	}
	arena_destroy(a);
	return 0;
}
