# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # variables of lib.sh and plugin.sh, and for the tests
# What the tests with real monitoring daemons share. To be sourced after lib.sh and plugin.sh.
#
#   cases              the table: NAME STATE TABLE ARGUMENTS, parted by tabs; TABLE "-" = none.
#                      @demo, @healthy, @hostile, @slow stand for paths
#   expand TEXT        TEXT with the paths
#   expect NAME ...    runs the plugin by itself: $scratch/NAME.text (line 1 without performance
#                      data), .long (all further lines), .perf (an item a line), .status
#   field FILE HOST SERVICE NAME   a value of a status file
#   stored NAME STATUS-FILE HOST SERVICE   test points: what a daemon stored is what was printed
#   wait_for SECONDS CMD...        until CMD succeeds

tab=$(printf '\t')

cases() {
	cat <<END
ok${tab}0${tab}metrics.readings_ok${tab}--from @demo $plugin_age
warning${tab}1${tab}-${tab}--from @demo $plugin_age --only late-writes
critical${tab}2${tab}-${tab}--from @demo $plugin_age -c blocked-windows=2
unknown${tab}3${tab}metrics.nowhere${tab}--from @healthy $plugin_age
usage${tab}3${tab}metrics.readings_ok${tab}--from @demo -w blocked-window=1
timeout${tab}3${tab}-${tab}--from @slow -t 2
hostile${tab}3${tab}-${tab}--from @hostile $plugin_age -vv
END
}

expand() {
	printf '%s\n' "$1" | sed -e "s|@demo|$demo|" -e "s|@healthy|$healthy|" \
		-e "s|@hostile|$hostile|" -e "s|@slow|$slow|"
}

# The machine's own minute goes on between two runs.
without_minute() {
	sed -e 's/judged by [^(]* UTC (this machine)/judged by this machine/'
}

# Splits what the plugin printed.
split_output() { # FILE NAME
	sed -n -e '1s/ | .*//' -e 1p "$1" >"$scratch/$2.text"
	sed -e 1d "$1" | without_minute >"$scratch/$2.long"
	sed -n -e '1s/^.* | //p' "$1" | tr ' ' '\n' >"$scratch/$2.perf"
}

expect() { # NAME ARG...
	expect_name=$1
	shift
	run "$check" "$@"
	echo "$status" >"$scratch/$expect_name.status"
	split_output "$scratch/out" "$expect_name"
}

# Both daemons write the classic status file: blocks "servicestatus {" of "name=value" lines.
field() { # FILE HOST SERVICE NAME
	awk -v host="host_name=$2" -v service="service_description=$3" -v name="$4=" '
		/^[ \t]*servicestatus/ { inside = 1; right_host = right_service = 0; value = "" }
		{ sub(/^[ \t]+/, "") }
		inside && $0 == host { right_host = 1 }
		inside && $0 == service { right_service = 1 }
		inside && index($0, name) == 1 { value = substr($0, length(name) + 1) }
		/^}/ && inside {
			if (right_host && right_service) { print value; exit }
			inside = 0
		}' "$1" | sed -e 's/[ \t]*$//'
}

checked() { # FILE HOST SERVICE
	[ "$(field "$1" "$2" "$3" has_been_checked)" = 1 ]
}

stored() { # NAME FILE HOST SERVICE
	is "$1: state" "$(field "$2" "$3" "$4" current_state)" "$(cat "$scratch/$1.status")"
	is "$1: text" "$(field "$2" "$3" "$4" plugin_output)" "$(cat "$scratch/$1.text")"
	field "$2" "$3" "$4" long_plugin_output | sed -e 's/\\n/\n/g' -e 's/\n$//' |
		sed -e '/^$/d' | without_minute >"$scratch/long"
	ok "$1: every further line" diff "$scratch/$1.long" "$scratch/long"
	field "$2" "$3" "$4" performance_data | tr ' ' '\n' | sed -e '/^$/d' >"$scratch/perf"
	ok "$1: every item of performance data" diff "$scratch/$1.perf" "$scratch/perf"
}

wait_for() {
	wait_until=$(($(date +%s) + $1))
	shift
	while ! "$@"; do
		[ "$(date +%s)" -lt "$wait_until" ] || return 1
		sleep 0.2
	done
}

# Daemons find the scratch folder also where they have a user of their own.
open_scratch() {
	chmod 755 "$scratch"
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}
