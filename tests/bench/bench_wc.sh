#!/bin/sh
# How fast wc -lw goes over the text that bench_sstablemetadata parses: FILE repeated to about 200 MB.
# Prints the median of five runs in MB/s.
#
#	bench_wc.sh FILE
set -eu
big=$(mktemp)
trap 'rm -f "$big"' EXIT
cat "$1" >"$big"
while [ "$(wc -c <"$big")" -lt 100000000 ]; do
	cat "$big" "$big" >"$big.twice" && mv "$big.twice" "$big"
done
bytes=$(wc -c <"$big")
for _ in 1 2 3 4 5; do
	from=$(date +%s%N)
	wc -lw <"$big" >/dev/null
	echo $((bytes * 1000 / ($(date +%s%N) - from)))
done | sort -n | sed -n 3p | sed -e 's/.*/wc -lw: & MB\/s/'
