#!/bin/sh
# From start to exit: the plugin on the demo cluster beside /bin/true, the median of 20 runs each
# under the same harness. The aim is less than 50 ms.
#
#   bench_start.sh [BUNDLE]      TWCSCHECK is the program (./twcscheck)
set -eu
program=${TWCSCHECK:-./twcscheck}
bundle=${1:-$(dirname "$0")/../fixtures/demo}
runs=20
aim_us=50000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case $program in
/*) ;;
*) program=$PWD/$program ;;
esac
ln -s "$program" "$scratch/check_twcs"

# Microseconds of one run: the clock is read by processes of its own, which both sides pay for.
median() { # CMD...
	i=0
	: >"$scratch/times"
	while [ $i -lt $runs ]; do
		begun=$(date +%s%N)
		"$@" >/dev/null 2>&1 || :
		ended=$(date +%s%N)
		echo $(((ended - begun) / 1000)) >>"$scratch/times"
		i=$((i + 1))
	done
	sort -n "$scratch/times" | sed -n "$(((runs + 1) / 2))p"
}

nothing=$(median /bin/true)
plugin=$(median "$scratch/check_twcs" --from "$bundle" --max-age 100000d)
printf 'check_twcs --from %s: %d.%03d ms from start to exit, /bin/true: %d.%03d ms (median of %d)\n' \
	"$(basename "$bundle")" $((plugin / 1000)) $((plugin % 1000)) $((nothing / 1000)) \
	$((nothing % 1000)) $runs
[ "$plugin" -lt $aim_us ] || {
	echo "more than 50 ms" >&2
	exit 1
}
