#!/bin/sh
# Many nodes at once over a real sshd: wall time with commands that take a while against the same run
# with commands that take none (which is the server's own time), the client's CPU time and memory for
# each node, and how often it was woken. All nodes are one machine under many names: the server pays.
#
#	TWCSCHECK=PROGRAM TWCS_TESTS=FOLDER bench_ssh.sh [NODES [SECONDS]]
#
# The client's memory is compared with that of a run over one node.
. "$TWCS_TESTS/integration/lib.sh"
. "$TWCS_TESTS/integration/fake_node.sh"
. "$TWCS_TESTS/integration/sshd.sh"
nodes=${1:-32} seconds=${2:-5}
sshd_ready
make_node "$TWCS_TESTS/fixtures/demo/nodes/cass-01" one
sshd_start one 'MaxStartups 500' 'MaxSessions 50'
use_node one

configure() { # NODES
	{
		printf '{"nodes": ['
		for i in $(seq "$1"); do
			[ "$i" -eq 1 ] || printf ', '
			printf '{"name": "n%03d", "host": "127.0.0.1", "port": %s}' "$i" "$port"
		done
		printf '], "ssh": {"transport": "libssh2", "identity": "%s", "known_hosts": "%s",' \
			"$user_key" "$known_hosts"
		printf ' "config": "/dev/null", "connect_timeout": "60s", "parallel": %s}}' "$1"
	} >"$scratch/config.json"
}

measure() { # NAME; prints the figures, sets $wall $cpu $memory
	measure_name=$1
	shift
	python3 - "$TWCSCHECK" "$scratch/config.json" "$@" >"$scratch/figures" <<-'EOF'
		import os, subprocess, sys, time
		t = time.time()
		# without an ssh program in PATH no children count: ssh -G is 20 ms of another process's time
		p = subprocess.Popen([sys.argv[1]] + sys.argv[3:] + ["--config", sys.argv[2], "--format", "json",
			"metrics.readings_ok"], stdout=subprocess.DEVNULL, env=dict(os.environ, PATH="/nowhere"))
		_, status, r = os.wait4(p.pid, 0)
		print("%.2f %.1f %d %d %d %d" % (time.time() - t, (r.ru_utime + r.ru_stime) * 1000, r.ru_maxrss,
			r.ru_nvcsw, r.ru_nivcsw, os.waitstatus_to_exitcode(status)))
	EOF
	read -r wall cpu memory waits pushed end <"$scratch/figures"
	echo "$measure_name: $wall s, CPU $cpu ms, peak $memory KiB, waited $waits times, preempted $pushed times, exit status $end"
}

configure 1
measure "1 node" check
one_cpu=$cpu one_memory=$memory
configure "$nodes"
measure "$nodes nodes, commands that take no time" check
base=$wall
act nodetool tablestats "sleep $seconds"
measure "$nodes nodes, one command of $seconds s" check
echo "$nodes $seconds $base $wall $one_cpu $cpu $one_memory $memory" | awk '{
	printf "the commands cost %.2f s of wall time, %.2f of what one takes\n", $4 - $3, ($4 - $3) / $2
	printf "for each further node: CPU %.1f ms, memory %d KiB\n", ($6 - $5) / ($1 - 1), ($8 - $7) / ($1 - 1)
}'
