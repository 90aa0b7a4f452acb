# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # variables of lib.sh and fake_node.sh, and for the tests
# Real sshd, one for each fake node, on loopback ports, as the user who runs the tests. To be sourced
# after lib.sh and fake_node.sh. Nothing of it is left when the test ends.
#
#   sshd_ready                  skips the test where there is no sshd; makes the user's key
#   sshd_start NAME [LINE...]   for the node $scratch/NAME, with further lines of sshd_config, which
#                               win; sets $port, adds the host key to $known_hosts
#   sshd_stop NAME              it, and what still runs of its sessions
#   sshd_port NAME              prints the port
#   sshd_node NAME WORD         a request by plain ssh: settings, an empty line and parameters on
#                               standard input
#   sshd_sessions               the ids of processes that run on the nodes, without the sshds
#   fault_start MODE [BYTES PORT]   a server as fault_server.c has them; sets $port
#
# $user_key is the private key that all of them take, $known_hosts the file that knows them. All that
# is about a node lies in $scratch/NAME: sshd_config, host_key, sshd.log, sshd.pid, and home, which is
# empty: what the login shell reads at its start is the test's matter, not that of the tester.

user_key=$scratch/user_key
known_hosts=$scratch/known_hosts
sshd=/usr/sbin/sshd
server_pids=
FAULT_SERVER=${FAULT_SERVER:-$(dirname "$TWCSCHECK")/tests/integration/fault_server}

sshd_skip() {
	echo "1..0 # SKIP $*"
	exit 0
}

sshd_ready() {
	[ -x "$sshd" ] || sshd_skip "no $sshd here (package openssh-server)"
	for sshd_program in ssh ssh-keygen ps; do
		command -v "$sshd_program" >/dev/null || sshd_skip "no $sshd_program here"
	done
	if [ "$(id -u)" -eq 0 ] && [ ! -d /run/sshd ]; then
		mkdir -m 755 /run/sshd || sshd_skip "no /run/sshd, which sshd needs"
	fi
	trap 'sshd_end; rm -rf "$scratch"' EXIT
	ssh-keygen -q -t ed25519 -N '' -C '' -f "$user_key" || bail "no user key"
	cp "$user_key.pub" "$scratch/authorized_keys"
	: >"$known_hosts"
}

# ---- what runs on the nodes ----

# Every process of a session has this in its environment, whoever its parent is by now.
sshd_marker=TWCSCHECK_FAKE_NODE=

sshd_sessions() { # [NAME]
	grep -l -a -s "$sshd_marker$scratch/${1:-}" /proc/[0-9]*/environ |
		sed -e 's,^/proc/,,' -e 's,/environ$,,'
}

# The processes below a process.
sshd_below() { # PID
	ps -A -o pid= -o ppid= | awk -v top="$1" '
		{ parent[$1] = $2 }
		END {
			for (p in parent)
				for (q = parent[p]; q > 1; q = parent[q])
					if (q == top) { print p; break }
		}'
}

sshd_kill() { # PID...
	for sshd_pid in "$@"; do
		kill -KILL "$sshd_pid" 2>/dev/null
	done
	return 0
}

# What was begun meanwhile is seen in a later round.
sshd_stop() { # NAME
	sshd_listener=$(cat "$scratch/$1/sshd.pid") || return
	# shellcheck disable=SC2046 # a list of numbers
	sshd_kill $(sshd_below "$sshd_listener") "$sshd_listener"
	wait "$sshd_listener" 2>/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		sshd_left=$(sshd_sessions "$1/")
		[ -n "$sshd_left" ] || break
		# shellcheck disable=SC2086 # a list of numbers
		sshd_kill $sshd_left
		sleep 0.1
	done
	rm -f "$scratch/$1/sshd.pid"
}

sshd_end() {
	for sshd_file in "$scratch"/*/sshd.pid; do
		[ -f "$sshd_file" ] || continue
		sshd_name=${sshd_file%/sshd.pid}
		sshd_stop "${sshd_name##*/}"
	done
	for sshd_pid in $server_pids; do
		kill -TERM "$sshd_pid" 2>/dev/null
	done
}

# ---- starting ----

sshd_config() { # NAME LINE...
	sshd_folder=$scratch/$1
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@"
	cat <<-END
		Port $port
		ListenAddress 127.0.0.1
		HostKey $sshd_folder/host_key
		AuthorizedKeysFile $scratch/authorized_keys
		PidFile none
		LogLevel VERBOSE
		UsePAM no
		StrictModes no
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		MaxStartups 200:30:400
		SetEnv "HOME=$sshd_folder/home" "PATH=$sshd_folder/bin:$PATH" "FAKE=$sshd_folder/fake" "CASSANDRA_CONF=$sshd_folder/conf" "$sshd_marker$sshd_folder/"
	END
}

sshd_says() { # NAME TEXT
	grep -qF -e "$2" "$scratch/$1/sshd.log" 2>/dev/null
}

# True when it listens; 2 when something else has the port.
sshd_launch() { # NAME
	: >"$scratch/$1/sshd.log"
	# New releases hold failed logins against an address, here that of every client.
	set -- "$1" "$scratch/$1/sshd_config"
	if "$sshd" -t -f "$2" -o 'PerSourcePenalties no' 2>/dev/null; then
		set -- "$@" -o 'PerSourcePenalties no'
	fi
	sshd_name=$1
	shift
	sshd_conf=$1
	shift
	"$sshd" -D -f "$sshd_conf" -E "$scratch/$sshd_name/sshd.log" "$@" </dev/null >/dev/null 2>&1 &
	sshd_pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		if sshd_says "$sshd_name" "Server listening on"; then
			echo "$sshd_pid" >"$scratch/$sshd_name/sshd.pid"
			return 0
		fi
		kill -0 "$sshd_pid" 2>/dev/null || break
		sleep 0.1
	done
	sshd_kill "$sshd_pid"
	wait "$sshd_pid" 2>/dev/null
	sshd_says "$sshd_name" "already in use" && return 2
	return 1
}

sshd_next_port=$((20000 + $$ % 10000))

sshd_start() { # NAME [LINE...]
	mkdir -p "$scratch/$1/home"
	[ -f "$scratch/$1/host_key" ] ||
		ssh-keygen -q -t ed25519 -N '' -C '' -f "$scratch/$1/host_key" || bail "no host key"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		port=$sshd_next_port
		sshd_next_port=$((sshd_next_port + 1))
		sshd_config "$@" >"$scratch/$1/sshd_config"
		sshd_launched=0
		sshd_launch "$1" || sshd_launched=$?
		[ "$sshd_launched" -eq 2 ] || break
	done
	if [ "$sshd_launched" -ne 0 ]; then
		diagnose "$scratch/$1/sshd.log"
		bail "sshd does not start"
	fi
	echo "$port" >"$scratch/$1/port"
	for sshd_key in "$scratch/$1"/host_key*.pub; do
		printf '[127.0.0.1]:%s %s\n' "$port" "$(cat "$sshd_key")" >>"$known_hosts"
	done
}

sshd_port() { # NAME
	cat "$scratch/$1/port"
}

# ---- asking ----

sshd_node() { # NAME WORD
	ssh -F none -T -o BatchMode=yes -o IdentitiesOnly=yes -i "$user_key" \
		-o UserKnownHostsFile="$known_hosts" -o GlobalKnownHostsFile=/dev/null \
		-o StrictHostKeyChecking=yes -o LogLevel=ERROR -p "$(sshd_port "$1")" 127.0.0.1 \
		"exec sh -c '$(node_script)' twcscheck-node $2"
}

# Some accounts let nobody in, whatever key they have: that is the machine's matter.
sshd_must_let_in() { # NAME
	sshd_node "$1" hello </dev/null >"$scratch/out" 2>"$scratch/err" && return
	sshd_says "$1" "not allowed because" &&
		sshd_skip "sshd refuses this account: $(grep -F 'not allowed because' "$scratch/$1/sshd.log")"
	diagnose "$scratch/err"
	diagnose "$scratch/$1/sshd.log"
	bail "no login"
}

# ---- faults ----

fault_start() { # MODE [BYTES PORT]
	: >"$scratch/fault.port"
	"$FAULT_SERVER" "$@" >"$scratch/fault.port" </dev/null &
	server_pids="$server_pids $!"
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -s "$scratch/fault.port" ] && break
		sleep 0.1
	done
	port=$(cat "$scratch/fault.port")
	[ -n "$port" ] || bail "fault_server $1 does not start"
}
