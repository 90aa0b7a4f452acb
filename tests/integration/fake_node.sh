# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # variables of lib.sh, and for the tests that source it
# A machine that plays a recorded node: data directories with the recorded SSTables' files, and
# nodetool, cqlsh and sstablemetadata that print what was recorded. To be sourced after lib.sh.
#
#   make_node BUNDLE-NODE         makes it in $scratch and puts its tools first in PATH
#   make_node BUNDLE-NODE NAME    one of several, in $scratch/NAME; PATH stays as it is
#   use_node NAME                 go back to one of them
#   act TOOL NAME TEXT            shell text that a tool of the node in use runs before it answers;
#                                 without TEXT none again
#   fix_clock EPOCH-SECONDS       the `date` of the node in use tells this time
#
# The node in use has its folder in $node, its data directory in $data, its answers in $FAKE.
# Answers are files TOOL.NAME in $FAKE, where NAME is nodetool's subcommand or cqlsh's table; the
# tools write every call to $FAKE/calls.

# shellcheck disable=SC2016 # the tool's variables
fake_tool='#!/bin/sh
tool=${0##*/}
case $tool in
nodetool) name=$1 ;;
cqlsh) name=${2##*.} ;;
*) name=files ;;
esac
printf "%s" "$tool" >>"$FAKE/calls"
[ $# -eq 0 ] || printf " %s" "$@" >>"$FAKE/calls"
echo >>"$FAKE/calls"
if [ "$LC_ALL,$TZ" != C,UTC ]; then
	echo "the environment is $LC_ALL,$TZ" >&2
	exit 90
fi
if [ -f "$FAKE/$tool.$name.act" ]; then
	. "$FAKE/$tool.$name.act"
fi
cat "$FAKE/$tool.$name"
'

# The files that a listing has, with sizes and times; the bytes of those that were recorded.
fill_folder() { # RECORDED-FOLDER FOLDER
	mkdir -p "$2"
	tail -n +2 "$1/listing.tsv" | while read -r file bytes mtime; do
		if [ -f "$1/$file" ]; then
			cp "$1/$file" "$2/$file"
		else
			head -c "$bytes" /dev/zero >"$2/$file"
		fi
		touch -d "@$mtime" "$2/$file"
	done
}

# Rows of system_schema as cqlsh prints them.
cqlsh_answer() { # TABLE; rows on standard input
	{
		echo
		echo " [json]"
		echo "----------------------------------------"
		sed -e 's/^/    /' -e 's/\\/\\\\/g' | tee "$FAKE/rows"
		echo
		echo "($(wc -l <"$FAKE/rows" | tr -d ' ') rows)"
	} >"$FAKE/cqlsh.$1"
}

schema_answers() {
	twcs='{"class": "org.apache.cassandra.db.compaction.TimeWindowCompactionStrategy", "compaction_window_size": "1", "compaction_window_unit": "DAYS", "max_threshold": "32", "min_threshold": "4"}'
	stcs='{"class": "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy", "max_threshold": "32", "min_threshold": "4"}'
	for folder in "$data"/metrics/*; do
		folder=${folder##*/}
		options="\"default_time_to_live\": 2592000, \"gc_grace_seconds\": 86400, \"read_repair\": \"BLOCKING\", \"compaction\": $twcs"
		[ "${folder%-*}" != latest ] ||
			options="\"default_time_to_live\": 0, \"gc_grace_seconds\": 864000, \"compaction\": $stcs"
		printf '%s\n' "{\"keyspace_name\": \"metrics\", \"table_name\": \"${folder%-*}\", \"comment\": \"a \\\"b\\\" \\\\ c\", $options}"
	done | cqlsh_answer tables
	echo '{"keyspace_name": "metrics", "durable_writes": true, "replication": {"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "datacenter1": "3"}}' |
		cqlsh_answer keyspaces
	: | cqlsh_answer views
	echo '{"keyspace_name": "metrics", "table_name": "latest", "column_name": "sensor", "type": "text"}' |
		cqlsh_answer columns
}

# What a `date` that stands still does.
# shellcheck disable=SC2016 # the tool's variables
fake_date='case $* in
+%s) cat "$FAKE/clock" ;;
*) exec "$real" "$@" ;;
esac
'

use_node() { # [NAME]
	node=$scratch${1:+/$1}
	data=$node/data FAKE=$node/fake CASSANDRA_CONF=$node/conf
	export FAKE CASSANDRA_CONF
}

make_node() { # BUNDLE-NODE [NAME]
	use_node "${2:-}"
	mkdir -p "$data" "$FAKE" "$node/bin" "$node/conf"
	for tool in nodetool cqlsh sstablemetadata; do
		printf '%s' "$fake_tool" >"$node/bin/$tool"
		chmod +x "$node/bin/$tool"
	done
	[ -n "${2:-}" ] || PATH=$node/bin:$PATH
	export PATH
	for folder in "$1"/sstables/0/*/*; do
		fill_folder "$folder" "$data/${folder#"$1"/sstables/0/}"
	done
	for answer in version status info describecluster statusautocompaction tablestats \
		compactionstats; do
		cp "$1/$answer.txt" "$FAKE/nodetool.$answer"
	done
	sed -e "s,/var/lib/cassandra/data,$data," "$1/datapaths.txt" >"$FAKE/nodetool.datapaths"
	cp "$1/tablehistograms/metrics.readings_ok.txt" "$FAKE/nodetool.tablehistograms"
	# shellcheck disable=SC2016 # the tool's variables
	act nodetool tablehistograms 'sed -e "s/readings_ok/$3/" "$FAKE/nodetool.tablehistograms"; exit'
	cat "$1"/sstablemetadata/*readings_ok.txt |
		sed -e "s,/var/lib/cassandra/data,$data," >"$FAKE/sstablemetadata.files"
	printf '%s\n' 'cluster_name: metrics-prod' 'keystore_password: hunter2' \
		'data_file_directories:' "    - $data  # fast disk" '# - /old' 'num_tokens: 16' \
		>"$node/conf/cassandra.yaml"
	schema_answers
	: >"$FAKE/calls"
}

act() { # TOOL NAME [TEXT]
	if [ -n "${3:-}" ]; then
		printf '%s\n' "$3" >"$FAKE/$1.$2.act"
	else
		rm -f "$FAKE/$1.$2.act"
	fi
}

fix_clock() { # EPOCH-SECONDS
	echo "$1" >"$FAKE/clock"
	printf '#!/bin/sh\nreal=%s\n%s' "$(command -v date)" "$fake_date" >"$node/bin/date"
	chmod +x "$node/bin/date"
}
