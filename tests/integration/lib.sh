# shellcheck shell=sh
# shellcheck disable=SC2034 # variables for the tests that source it
# Helpers of the shell tests: TAP output, a scratch folder, the program under test. To be sourced.
#
# Environment: srcdir (the source root), TWCSCHECK (the program), TWCS_TESTS (the tests folder of
# the source), COMPARE_REPORT (the comparer, a test program), NODE_SCRIPT (node_script.c). All have
# defaults for a run by hand from the build folder.
#
#   run CMD...           runs it; $status, and its output in $scratch/out and $scratch/err
#   ok NAME CMD...       a test point: passes when CMD succeeds; its output is shown when it fails
#   exits N CMD...       for ok: succeeds when CMD's exit status is N
#   is NAME GOT WANTED   a test point: two texts are equal
#   skip NAME WHY        a test point that was not tried
#   bail WHY             nothing can be tested
#   node_script          prints the script that runs on nodes, as it is in the program
#   done_testing         prints the plan; the last call of every test

LC_ALL=C
export LC_ALL
unset NO_COLOR COLUMNS
# No configuration of the person who runs the tests.
XDG_CONFIG_HOME=/nonexistent
export XDG_CONFIG_HOME

srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
TWCS_TESTS=${TWCS_TESTS:-$srcdir/tests}
TWCSCHECK=${TWCSCHECK:-./twcscheck}
case $TWCSCHECK in
/*) ;;
*) TWCSCHECK=$PWD/$TWCSCHECK ;;
esac
COMPARE_REPORT=${COMPARE_REPORT:-$(dirname "$TWCSCHECK")/tests/integration/compare_report}
NODE_SCRIPT=${NODE_SCRIPT:-$(dirname "$TWCSCHECK")/src/collect/node_script.c}
test_count=0
test_failed=0
status=0

bail() {
	echo "Bail out! $*"
	exit 1
}

scratch=$(mktemp -d "./scratch.$(basename "$0" .test).XXXXXX") || bail "cannot make a scratch folder"
scratch=$(cd "$scratch" && pwd)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# Shows a file as TAP diagnostics, the first lines of it.
diagnose() {
	sed -e 's/^/# /' "$1" | head -n 40
}

report_point() { # PASSED NAME [DIRECTIVE]
	test_count=$((test_count + 1))
	if [ "$1" = yes ]; then
		echo "ok $test_count - $2${3:+ # $3}"
	else
		test_failed=$((test_failed + 1))
		echo "not ok $test_count - $2"
	fi
}

run() {
	status=0
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
}

ok() {
	ok_name=$1
	shift
	if "$@" >"$scratch/ok.log" 2>&1; then
		report_point yes "$ok_name"
	else
		report_point no "$ok_name"
		diagnose "$scratch/ok.log"
	fi
}

exits() {
	exits_wanted=$1 exits_got=0
	shift
	"$@" || exits_got=$?
	[ "$exits_got" -eq "$exits_wanted" ] && return 0
	echo "exit status $exits_got, expected $exits_wanted"
	return 1
}

is() {
	if [ "$2" = "$3" ]; then
		report_point yes "$1"
	else
		report_point no "$1"
		printf '%s\n' "got:    $2" "wanted: $3" | sed -e 's/^/# /'
	fi
}

skip() {
	report_point yes "$1" "SKIP $2"
}

done_testing() {
	echo "1..$test_count"
	[ "$test_failed" -eq 0 ]
}

# Unpacks a recording's bundle: unpack <recording> text|native. Sets $bundle to its folder.
unpack() {
	bundle=$scratch/$1-$2
	[ -d "$bundle" ] && return 0
	gzip -dc "$TWCS_TESTS/fixtures/recordings/$1.$2.tar.gz" | (cd "$scratch" && tar -xf -) &&
		[ -f "$bundle/bundle.json" ]
}

# The tables that can be judged by the unpacked bundle, when these are not all: of -bti most have no
# text of sstablemetadata.
judged_tables() { # RECORDING FORM
	case $1-$2 in
	*-bti-text) (cd "$bundle/nodes/cass-01/sstablemetadata" && ls) | sed -e 's/\.txt$//' ;;
	esac
}

# Removes the unpacked bundle, to keep the scratch folder small.
forget() {
	rm -rf "$bundle"
}

node_script() {
	sed -n 's/^	"\(.*\)";*$/\1/p' "$NODE_SCRIPT" | tr -d '\n' | sed -e 's/\\"/"/g'
}

require_program() {
	[ -x "$TWCSCHECK" ] || bail "no program at $TWCSCHECK"
}

# The ids of the checks that the program has, one a line, in $scratch/checks.
list_checks() {
	"$TWCSCHECK" explain >"$scratch/explain" 2>"$scratch/err" || bail "explain failed"
	awk '$2 == "state" || $2 == "design" { print $1 }' "$scratch/explain" >"$scratch/checks"
	[ -s "$scratch/checks" ] || bail "explain lists no checks"
}
