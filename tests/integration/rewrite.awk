# Rewrites one text of an evidence bundle: names by a list, times by a distance.
#
#   awk -f rewrite.awk -v names=LIST -v shift=SECONDS -v kind=KIND FILE
#
# names   file of "old<tab>new" lines; an old name is replaced wherever it stands as a whole word
# shift   seconds that are added to every time: write timestamps (in the unit that their size
#         shows: microseconds, or milliseconds as a client wrote them), deletion times, repair
#         times and sessions, clocks, modification times. Sentinels ("never", "unrepaired") stay.
# kind    metadata (sstablemetadata's text), listing, node (node.json), or anything else: names only
#
# Dates in brackets beside a number stay as they are: nothing may read them.

function is_word(c)
{
	return c ~ /[A-Za-z0-9_]/
}

function rename(line,    out, word, i, c)
{
	out = word = ""
	for (i = 1; i <= length(line) + 1; i++) {
		c = substr(line, i, 1)
		if (c != "" && is_word(c)) {
			word = word c
		} else {
			out = out ((word in new) ? new[word] : word) c
			word = ""
		}
	}
	return out
}

# A time moved on; its number of digits tells its unit.
function move(number,    n)
{
	n = length(number)
	if (n >= 18 || number + 0 == 2147483647)
		return number
	if (n >= 15)
		return sprintf("%.0f", number + shift * 1000000)
	if (n >= 12)
		return sprintf("%.0f", number + shift * 1000)
	if (n >= 9)
		return sprintf("%.0f", number + shift)
	return number
}

function from_hex(text,    v, i)
{
	for (i = 1; i <= length(text); i++)
		v = v * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return v + 0
}

function to_hex(v, digits,    text)
{
	while (digits-- > 0) {
		text = substr("0123456789abcdef", v % 16 + 1, 1) text
		v = int(v / 16)
	}
	return text
}

# A time UUID (low-middle-version and high-...) moved on: it counts 100 ns. Its number is wider than
# awk's are exact, so it is added up in two parts.
function move_uuid(uuid,    part, low, rest, step)
{
	split(uuid, part, "-")
	step = shift * 10000000
	low = from_hex(part[1]) + step % 4294967296
	rest = from_hex(substr(part[3], 2) part[2]) + int(step / 4294967296) + int(low / 4294967296)
	return to_hex(low % 4294967296, 8) "-" to_hex(rest % 65536, 4) "-" \
		substr(part[3], 1, 1) to_hex(int(rest / 65536), 3) "-" part[4] "-" part[5]
}

# The first number of at least nine digits in the line, moved on.
function move_first(line)
{
	if (!match(line, /[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+/))
		return line
	return substr(line, 1, RSTART - 1) move(substr(line, RSTART, RLENGTH)) \
		substr(line, RSTART + RLENGTH)
}

BEGIN {
	while ((getline line < names) > 0) {
		split(line, pair, "\t")
		new[pair[1]] = pair[2]
	}
}

kind == "metadata" && /^Estimated tombstone drop times/ { in_drops = 1 }
kind == "metadata" && /^(Count|Partition Size)/ { in_drops = 0 }

kind == "metadata" && (in_drops ||
	/^(Minimum timestamp|Maximum timestamp|SSTable m[inax]+ local deletion time|Repaired at):/ ||
	/^EncodingStats (minLocalDeletionTime|minTimestamp):/) {
	$0 = move_first($0)
}

kind == "metadata" && /^Pending repair: [0-9a-f]+-[0-9a-f]+-1[0-9a-f]+-/ {
	$0 = "Pending repair: " move_uuid($3)
}

kind == "listing" && FNR > 1 {
	n = split($0, field, "\t")
	$0 = field[1] "\t" field[2] "\t" move(field[3])
}

kind == "node" && /"(now_s|started_s)"/ {
	$0 = move_first($0)
}

{ print rename($0) }
