# Makes node_script.c of node.sh: the script in one line, which is refused when a login shell could
# read anything in it otherwise than sh does.

/^[ \t]*(#|$)/ { next }

{
	sub(/^[ \t]+/, "")
	goes_on = sub(/[ \t]*\\$/, "")
	script = script separator $0
	separator = goes_on || /(^|[ ;(])(then|do|else|in|[{(]|;;|&&|\|\|?)$/ ? " " : "; "
}

END {
	if (script ~ /['\\!]/ || script ~ /[^ -~]/ || script == "") {
		print "node.sh: a byte that not every login shell lets pass" | "cat 1>&2"
		exit 1
	}
	print "/* Generated from node.sh. */"
	print "#include \"collect/node_script.h\""
	printf "const char node_script[] ="
	for (i = 1; i <= length(script); i += 60) {
		piece = substr(script, i, 60)
		gsub(/"/, "\\\"", piece)
		printf "\n\t\"%s\"", piece
	}
	print ";"
}
