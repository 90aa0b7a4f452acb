# shellcheck shell=sh
# shellcheck disable=SC2016,SC2034,SC2154 # names with '$'; variables of lib.sh and of the tests
# The plugin and evidence for it, for the tests that run it by itself and by daemons. To be sourced
# after lib.sh.
#
#   plugin_ready       sets $plugins, a folder with check_twcs, and $check, its path
#   plugin_evidence    sets $demo, $healthy, $hostile (bundles) and $slow (a pipe that says nothing
#                      as long as slow_begin's writer holds it)
#   slow_begin, slow_end

# Evidence is recorded: without this it would be too old.
plugin_age='--max-age 100000d'

plugin_ready() {
	plugins=$scratch/plugins
	check=$plugins/check_twcs
	mkdir -p "$plugins" && ln -s "$TWCSCHECK" "$check"
}

# Everything that a name can do to the text of a plugin. A '/' no name can have, '!' and '$' are
# read by the daemons when they stand in arguments.
hostile_table="me'trics.a|b\`d\"e::x=1 <b>;ü"

# A node, a cluster and an error that carry such names.
make_hostile() {
	hostile=$scratch/hostile
	hostile_node="ca|ss '1' <b>\`x\`::ü"
	mkdir -p "$hostile/nodes/$hostile_node" || return 1
	printf '{"format": "twcscheck-bundle", "version": 1, "cluster": "a|b=1 \\"c\\"\\n$(d)"}\n' \
		>"$hostile/bundle.json"
	printf 'Total number of tables: 1\n----------------\nKeyspace : met|rics\n\t\tTable: x\n' \
		>"$hostile/nodes/$hostile_node/tablestats.txt"
	printf 'error: not "con|nected"\r\n\033[31m at `x` $(y)\n' \
		>"$hostile/nodes/$hostile_node/status.txt"
}

plugin_evidence() {
	demo=$TWCS_TESTS/fixtures/demo
	unpack cassandra-5.0.6-healthy native || return 1
	healthy=$bundle
	slow=$scratch/slow.txt
	mkfifo "$slow" && make_hostile
}

slow_begin() {
	sleep 120 >"$slow" &
	slow_writer=$!
}

slow_end() {
	kill "$slow_writer" 2>/dev/null
	wait "$slow_writer" 2>/dev/null
}
