#!/bin/sh
# How long `twcscheck metadata --format json` takes for 720 SSTables, against `cat` of the same files
# and against sstablemetadata, one call for all and one call for each. Prints medians and ratios.
#
#   bench_metadata.sh [TWCSCHECK]
#
# Environment: TWCSCHECK_SHARED, the folder of recordings (default ../shared beside the source);
# RUNS, alternating runs (default 7, at least 5); SSTABLEMETADATA, a command that runs the real tool,
# to measure it here. Without it the recorded times of that tool are used, and said to be recorded.
LC_ALL=C
export LC_ALL

srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
program=${1:-${TWCSCHECK:-./twcscheck}}
shared=${TWCSCHECK_SHARED:-$srcdir/../shared}
runs=${RUNS:-7}
[ "$runs" -ge 5 ] || runs=5

if [ ! -f "$shared/fixtures/bench720/statistics.tar.gz" ]; then
	echo "bench_metadata: skipped, no recordings at $shared"
	exit 77
fi
if [ ! -x "$program" ]; then
	echo "bench_metadata: no program at $program" >&2
	exit 1
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
tar -xzf "$shared/fixtures/bench720/statistics.tar.gz" -C "$scratch" || exit 1
# A Summary.db for each, so that both read what a node of that version has.
summary=$srcdir/tests/fixtures/statistics/cassandra-5.0.6/readings_deleted/nb-1-big-Summary.db
for file in "$scratch"/bench720/*-Statistics.db; do
	cp "$summary" "${file%Statistics.db}Summary.db"
done
n=$(find "$scratch/bench720" -name '*-Statistics.db' | wc -l | tr -d ' ')

# Milliseconds of one run, with standard output to /dev/null.
elapsed() {
	start=$(date +%s%N)
	"$@" >/dev/null || echo "bench_metadata: $1 failed" >&2
	echo $((($(date +%s%N) - start) / 1000)) | awk '{ printf "%.2f\n", $1 / 1000 }'
}

median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}


cat "$scratch"/bench720/*.db >/dev/null	# a warm cache for both
i=0
while [ "$i" -lt "$runs" ]; do
	elapsed cat "$scratch"/bench720/*.db >>"$scratch/cat"
	elapsed "$program" metadata --format json "$scratch/bench720" >>"$scratch/json"
	i=$((i + 1))
done
cat_ms=$(median "$scratch/cat")
json_ms=$(median "$scratch/json")
echo "$n SSTables, medians of $runs alternating runs, warm cache, output to /dev/null"
echo "cat of Statistics.db and Summary.db   $cat_ms ms"
echo "twcscheck metadata --format json      $json_ms ms"
awk -v a="$json_ms" -v b="$cat_ms" 'BEGIN { printf "  %.2f x cat\n", a / b }'

# Seconds of one call for all files, and of one call for each.
if [ -n "$SSTABLEMETADATA" ]; then
	origin="measured here"
	# shellcheck disable=SC2086 # a command and its arguments
	one_call=$(elapsed $SSTABLEMETADATA "$scratch"/bench720/*-Statistics.db)
	sample=10
	: >"$scratch/each"
	for file in $(find "$scratch/bench720" -name '*-Statistics.db' | sort | head -n $sample); do
		# shellcheck disable=SC2086
		elapsed $SSTABLEMETADATA "$file" >>"$scratch/each"
	done
	each=$(awk -v n="$n" '{ s += $1 } END { print s / NR * n }' "$scratch/each")
else
	origin="recorded (bench720/timings.tsv)"
	times=$shared/fixtures/bench720/timings.tsv
	awk -F '\t' '$1 == "sstablemetadata, 720 files in one call" { print $3 * 1000 }' "$times" \
		>"$scratch/one"
	one_call=$(median "$scratch/one")
	each=$(awk -F '\t' -v n="$n" '$1 ~ /^sstablemetadata, 10 files, one call each/ {
		print $3 * 1000 / 10 * n }' "$times")
	awk -F '\t' '$1 ~ /^sstableexpiredblockers/ { print $3 * 1000 }' "$times" >"$scratch/blockers"
	blockers=$(median "$scratch/blockers")
fi
awk -v o="$origin" -v a="$json_ms" -v one="$one_call" -v each="$each" 'BEGIN {
	printf "sstablemetadata, one call             %.0f ms, %s\n  %.0f x faster\n", one, o, one / a
	printf "sstablemetadata, one call for each    %.0f ms, a sample of 10 scaled, %s\n  %.0f x faster\n",
		each, o, each / a }'
[ -z "$blockers" ] || awk -v a="$json_ms" -v b="$blockers" 'BEGIN {
	printf "sstableexpiredblockers                %.0f ms, recorded\n  %.0f x faster\n", b, b / a }'
