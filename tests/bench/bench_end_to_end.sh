#!/bin/sh
# 100 000 SSTables end to end: read Statistics.db and Summary.db from a bundle directory, decode,
# analyse, report as JSON. The files are those of the demo cluster under new numbers. Prints seconds
# and peak memory of the whole process, median of three runs.
#
#	bench_end_to_end.sh TWCSCHECK TESTS_FOLDER [SSTABLES]
set -eu
program=$1
source=$2/fixtures/demo/nodes/cass-01
n=${3:-100000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=$(cd "$source/sstables/0/metrics" && echo readings_ok-*)
folder=$work/bundle/nodes/cass-01/sstables/0/metrics/$table
mkdir -p "$folder"
cp "$source/node.json" "$source/schema.cql" "$source/version.txt" "$work/bundle/nodes/cass-01/"
python3 - "$source/sstables/0/metrics/$table" "$folder" "$n" <<'EOF'
import os, re, sys
source, target, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
names = sorted(f for f in os.listdir(source) if f.endswith("-Statistics.db"))
data = [(open(f"{source}/{f}", "rb").read(), open(f"{source}/{f[:-13]}Summary.db", "rb").read()) for f in names]
with open(f"{target}/listing.tsv", "w") as out:
    out.write("name\tbytes\tmtime_s\n")
    for i in range(1, n + 1):
        stats, summary = data[i % len(data)]
        open(f"{target}/nb-{i}-big-Statistics.db", "wb").write(stats)
        open(f"{target}/nb-{i}-big-Summary.db", "wb").write(summary)
        for c, size in (("Data.db", 5000), ("Statistics.db", len(stats)), ("Summary.db", len(summary)), ("TOC.txt", 92)):
            out.write(f"nb-{i}-big-{c}\t{size}\t1796066958\n")
EOF
for _ in 1 2 3; do
	python3 - "$program" "$work/bundle" <<'EOF'
import os, resource, subprocess, sys, time
t = time.time()
subprocess.run([sys.argv[1], "--from", sys.argv[2], "--format", "json"], stdout=subprocess.DEVNULL)
print("%.2f s, %d MiB" % (time.time() - t, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
EOF
done | sort -n | sed -n 2p | sed -e "s/^/$n SSTables end to end: /"
