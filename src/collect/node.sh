# shellcheck shell=sh
# All that ever runs on a node: sh -c '<this>' twcscheck-node WORD. It reads; it writes nothing.
#
# Standard input: settings as "key value" lines (nodetool, cqlsh, sstablemetadata: a program with
# options; nice 0 or 1; limit SECONDS, after which a tool is ended), an empty line, then the word's
# parameters, one a line. No parameter is ever parsed by a shell.
#
#   hello            clock, host, tools, and those lines of cassandra.yaml that are used
#   nodetool         parameters: its words
#   cqlsh            parameter: tables, keyspaces, views or columns, of system_schema
#   list             parameters: "dir /path" (one folder) or "root /path" (a data directory)
#   fetch            parameters: paths of files; prints a tar stream of them
#   sstablemetadata  parameters: paths of Data.db files
#   df               parameters: paths
#
# The last line on standard error is "twcscheck-end STATUS". What cannot be found has status 127,
# what is no request 2.
#
# node.awk makes one line of it that every login shell lets pass. So there are no single quotes, no
# exclamation marks, no backslashes but for lines that go on, no comments but on lines of their own,
# and no line ends with a pattern of case. Only what GNU and BusyBox userlands both have is used.

LC_ALL=C TZ=UTC
export LC_ALL TZ
unset TAR_OPTIONS
word=$1
nl=$(echo && echo x)
nl=${nl%x}
dollar="$"
nodetool=nodetool
cqlsh=cqlsh
sstablemetadata=sstablemetadata
nice=1
limit=

say() {
	printf %s "$*$nl"
}

finish() {
	say "${nl}twcscheck-end $1" >&2
	exit "$1"
}

refuse() {
	say "twcscheck-node: $*" >&2
	finish 2
}

# ---- tools ----

# The path of a program. Of several installations in one folder, the one with the highest name.
place() {
	case $1 in
	*/*) [ -f "$1" ] && [ -x "$1" ] && say "$1"; return ;;
	esac
	command -v "$1" && return
	found=
	for home in /opt/scylladb/share/cassandra /opt/dse /usr/local/cassandra \
		/usr/local/apache-cassandra* /opt/apache-cassandra* /opt/cassandra \
		/usr/share/cassandra ${CASSANDRA_HOME:+"$CASSANDRA_HOME"}
	do
		for file in "$home/tools/bin/$1" "$home/bin/$1"
		do
			[ -f "$file" ] && [ -x "$file" ] && found=$file
		done
	done
	[ -n "$found" ] && say "$found"
}

# The node has other work to do. Each of the helpers may be missing, or not be allowed.
gently() {
	if [ "$nice" = 1 ]; then
		ionice -c3 true 2>/dev/null && set -- ionice -c3 "$@"
		nice -n 19 true 2>/dev/null && set -- nice -n 19 "$@"
	fi
	if [ -n "$limit" ]; then
		timeout -k 5 1 true 2>/dev/null && set -- timeout -k 5 "$limit" "$@"
	fi
	"$@" </dev/null
}

# tool WORDS PARAMETER...: a program with its options as a setting has them, never none.
tool() {
	words=$1
	shift
	set -f
	# shellcheck disable=SC2086
	set -- $words "$@"
	set +f
	program=$1
	shift
	path=$(place "$program") || {
		say "$program: not found in PATH, ${dollar}CASSANDRA_HOME/bin and the usual places" >&2
		return 127
	}
	gently "$path" "$@"
}

schema() {
	case $#$1 in
	1tables | 1keyspaces | 1views | 1columns) ;;
	*) refuse "no such table of system_schema" ;;
	esac
	tool "$cqlsh" -e "SELECT JSON * FROM system_schema.$1"
}

only_paths() {
	for path in "$@"; do
		case $path in
		/*) ;;
		*) refuse "no absolute path: $path" ;;
		esac
	done
}

# ---- hello ----

introduce() {
	name=$1
	set -f
	# shellcheck disable=SC2086
	set -- $2
	set +f
	path=$(place "$1") || return
	shift
	say "$name $path${1:+ $*}"
}

# The file holds passwords: nothing but the settings that are used may leave the machine.
used_lines() {
	sed -n -E -e "/^data_file_directories:/{" -e p -e ":list" -e n \
		-e "/^[[:blank:]]*-[[:blank:]]/{" -e p -e "b list" -e "}" \
		-e "/^[[:space:]]*(#|$)/b list" -e "}" \
		-e "/^(cluster_name|num_tokens|partitioner|concurrent_compactors):/b used" \
		-e "/^compaction_throughput(_mb_per_sec)?:/b used" \
		-e "/^(incremental_backups|auto_snapshot|max_hint_window(_in_ms)?):/b used" \
		-e "/^(tombstone_warn_threshold|tombstone_failure_threshold):/b used" \
		-e "/^(uuid_sstable_identifiers_enabled|storage_compatibility_mode):/b used" \
		-e d -e ":used" -e p
}

# False when it is not there.
yaml() {
	reason=$(head -c 1 "$1" 2>&1 >/dev/null) && {
		say "settings $1"
		{ head -c 4194304 "$1"; echo; } | used_lines | sed -e "s/^/| /"
		return 0
	}
	case $reason in
	*"No such file or directory" | *"Not a directory") return 1 ;;
	esac
	say "settings-failed $1 ${reason##*: }"
}

settings() {
	# shellcheck disable=SC2086
	path=$(set -f; set -- $nodetool; set +f; place "$1") && path=$(readlink -f "$path")
	for folder in "$CASSANDRA_CONF" /etc/cassandra /etc/cassandra/conf "$CASSANDRA_HOME/conf" \
		"${path%/*/*}/conf" /etc/dse/cassandra
	do
		yaml "$folder/cassandra.yaml" && return
	done
	yaml /etc/scylla/scylla.yaml
}

hello() {
	say "clock $(date +%s)"
	say "host $(uname -n)"
	introduce nodetool "$nodetool"
	introduce cqlsh "$cqlsh"
	introduce sstablemetadata "$sstablemetadata"
	settings
	return 0
}

# ---- list ----

# What stopped find or stat, without what vanished meanwhile; other messages are not theirs.
complaints() {
	sed -n -e "/No such file or directory$/d" -e "/^find: /p" -e "/^stat: /p"
}

# The files of a folder, on descriptor 3; $reason says why not all of them, in one line.
files() {
	reason=$({
		find "$1/." -maxdepth 1 -name "*[^A-Za-z0-9._+-]*" -o -type f \
			-exec stat -c "f %s %Y %n" {} + 2>&1 >&3 3>&- </dev/null
		[ $? -lt 126 ] || say "find: it was killed, or is not there"
	})
	[ -z "$reason" ] || reason=$(say "$reason" | complaints)
	[ -n "$reason" ] || [ -d "$1/." ] || reason="No such file or directory"
	reason=${reason%%"$nl"*}
	reason=${reason##*: }
}

verdict() {
	if [ -n "$reason" ]; then
		say "failed $1 $reason"
	else
		say "ok $1"
	fi
}

# keyspace/table-id of every folder that can be a table's, and complaints of find.
folders() {
	{
		find -L "$1/." -maxdepth 2 -name "*[^A-Za-z0-9_.-]*" -prune -o -name ".?*" -prune \
			-o -type d -print </dev/null
		[ $? -lt 126 ] || say "find: it was killed, or is not there"
	} 2>&1 |
		sed -e "s,^/.*/[.]/,," -e "/^[/]/d" -e "/No such file or directory$/d" |
		sort
}

one_table() {
	say "sub $1 $3"
	files "$2/$3"
	say "${reason:+failed-sub }${reason:-end}"
}

data_directory() {
	folders "$2" | {
		whole=
		while IFS= read -r sub; do
			case $sub in
			"find: "*) whole=${sub##*: } ;;
			*/*/*) ;;
			*/*) one_table "$1" "$2" "$sub" ;;
			esac
		done
		reason=$whole
		[ -n "$reason" ] || [ -d "$2/." ] || reason="No such file or directory"
		verdict "$1"
	}
}

every_item() {
	cd / && exec 3>&1
	k=0
	while IFS= read -r line || [ -n "$line" ]; do
		path=${line#* }
		case $line in
		"dir /"*) say "dir $k"; files "$path"; verdict $k ;;
		"root /"*) data_directory $k "$path" ;;
		*) reason="no absolute path"; verdict $k ;;
		esac
		k=$((k + 1))
	done
}

need() {
	for program in "$@"; do
		command -v "$program" >/dev/null || {
			say "$program: not found in PATH" >&2
			finish 127
		}
	done
}

list() {
	need find stat sed sort
	every_item | sed -e "/^f /s, /.*/, ,"
}

# ---- fetch ----

# Without the leading slash, and not to be mistaken for an option.
names() {
	sed -e "/^[^/]/d" -e "s,^//*,," -e "/^$/d" -e "s,^-,./-,"
}

# A tar that reads no list, as some builds of BusyBox have it, gets the names as arguments.
fetch() {
	need tar sed
	cd /
	set --
	if tar --no-unquote --verbatim-files-from --version >/dev/null 2>&1; then
		set -- --no-recursion --no-unquote --verbatim-files-from
	elif tar --no-unquote --version >/dev/null 2>&1; then
		set -- --no-recursion --no-unquote
	fi
	if say dev/null | tar -c -f - -T - >/dev/null 2>&1; then
		names | tar "$@" -c -f - -T -
	else
		names | {
			set -- "$@" --
			while IFS= read -r line; do
				set -- "$@" "$line"
			done
			tar -c -f - "$@"
		}
	fi
}

# ---- the request ----

while read -r key value && [ -n "$key" ]; do
	[ -n "$value" ] || continue
	case $key in
	nodetool) nodetool=$value ;;
	cqlsh) cqlsh=$value ;;
	sstablemetadata) sstablemetadata=$value ;;
	nice) nice=$value ;;
	limit) limit=$value ;;
	esac
done
set --
case $word in
nodetool | cqlsh | sstablemetadata | df) while IFS= read -r line || [ -n "$line" ]; do
		set -- "$@" "$line"
	done ;;
esac
case $word in
hello) hello ;;
nodetool) tool "$nodetool" "$@" ;;
cqlsh) schema "$@" ;;
list) list ;;
fetch) fetch ;;
sstablemetadata) only_paths "$@"; tool "$sstablemetadata" "$@" ;;
df) only_paths "$@"; df -P -k -- "$@" ;;
*) refuse "no such request" ;;
esac
finish $?
