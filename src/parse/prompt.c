/* See prompt.h. */
#include "parse/prompt.h"

#include "parse/nodetool.h"
#include "parse/pattern.h"

enum { PROMPT_MAX = 2000 };

/* Commands by name, with the kind of their output; 0 = it is of no use here. */
static const struct { const char *name; unsigned kind; } commands[] = {
	{ "tablestats", EV_TABLESTATS }, { "cfstats", EV_TABLESTATS },
	{ "tablehistograms", EV_TABLEHISTOGRAMS }, { "cfhistograms", EV_TABLEHISTOGRAMS },
	{ "compactionstats", EV_COMPACTIONSTATS }, { "status", EV_STATUS }, { "info", EV_INFO },
	{ "version", EV_VERSION }, { "describecluster", EV_DESCRIBECLUSTER },
	{ "statusautocompaction", EV_STATUSAUTOCOMPACTION }, { "datapaths", EV_DATAPATHS },
	{ "sstablemetadata", EV_SSTABLEMETADATA }, { "dump-statistics", EV_SSTABLEMETADATA },
	{ "sstableexpiredblockers", EV_EXPIREDBLOCKERS }, { "listing", EV_LISTING },
	{ "schema", EV_SCHEMA }, { "describe", EV_SCHEMA }, { "df", EV_DISK_USAGE },
	{ "compactionhistory", 0 }, { "getsstables", 0 }, { "tpstats", 0 }, { "netstats", 0 },
	{ "gossipinfo", 0 }, { "proxyhistograms", 0 }, { "ring", 0 }, { "gcstats", 0 },
	{ "getcompactionthroughput", 0 }, { "setcompactionthroughput", 0 }, { "toppartitions", 0 },
	{ "getendpoints", 0 }, { "describering", 0 }, { "listsnapshots", 0 }, { "flush", 0 },
	{ "sstableinfo", 0 }, { "viewbuildstatus", 0 }, { "repair", 0 }, { "help", 0 },
};

bool prompt_command(struct slice name, struct command_hint *out)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (!slice_eq_str(name, commands[i].name))
			continue;
		out->kind = commands[i].kind;
		out->unused = !commands[i].kind;
		return true;
	}
	return false;
}

bool prompt_is_host(struct slice s)
{
	static struct pattern name = PATTERN("^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$");
	static struct pattern number = PATTERN("^[0-9]+(?:\\.[0-9]*)?$");
	static struct pattern mark = PATTERN("[0-9.]");
	struct command_hint none = { 0 };

	return s.n > 1 && s.n < 254 && pattern_match(&name, s, NULL, 0) &&
	       pattern_match(&mark, s, NULL, 0) && !pattern_match(&number, s, NULL, 0) &&
	       !prompt_command(s, &none);
}

/* ---- words of a command ---- */

static bool is_word(struct slice s, const char *const *words)
{
	for (; *words; words++)
		if (slice_eq_str(s, *words))
			return true;
	return false;
}

/* The next word without quotes around it; false at the end of the simple command. */
static bool next_word(struct slice *rest, struct slice *word)
{
	if (!slice_word(rest, word))
		return false;
	while (word->n && (word->p[0] == '\'' || word->p[0] == '"'))
		*word = slice_from(*word, 1);
	while (word->n && (word->p[word->n - 1] == '\'' || word->p[word->n - 1] == '"' ||
			   word->p[word->n - 1] == ';'))
		word->n--;
	return !(word->n && (word->p[0] == '|' || word->p[0] == '>' || word->p[0] == '&' ||
			     slice_starts(*word, SLICE("2>")) || slice_starts(*word, SLICE("1>"))));
}

/* The next word that is no option; `with_value` are those that take the word behind them. */
static bool next_operand(struct slice *rest, const char *const *with_value, struct slice *word)
{
	while (next_word(rest, word)) {
		if (!word->n)
			continue;
		if (word->p[0] != '-')
			return true;
		if (is_word(*word, with_value) && !next_word(rest, word))
			return false;
	}
	return false;
}

static struct slice base_name(struct slice s)
{
	size_t slash = slice_rfind(s, '/');

	return slash < s.n ? slice_from(s, slash + 1) : s;
}

static bool is_local(struct slice host)
{
	return slice_eq(host, SLICE("localhost")) || slice_starts(host, SLICE("127.")) ||
	       slice_eq(host, SLICE("::1")) || slice_eq(host, SLICE("0.0.0.0"));
}

/* ---- tools ---- */

/* "ks.table", "ks/table", or "ks" and "table" one after the other. */
static void set_table(struct command_hint *out, struct slice first, struct slice second)
{
	size_t cut = slice_find(first, '.');

	if (cut == first.n)
		cut = slice_find(first, '/');
	if (cut < first.n) {
		out->keyspace = (struct slice){ first.p, cut };
		out->table = slice_from(first, cut + 1);
	} else {
		out->keyspace = first;
		out->table = second;
	}
}

/* Options before the subcommand, then it and its operands. */
static bool read_nodetool(struct slice rest, struct command_hint *out)
{
	static const char *const hosts[] = { "-h", "--host", NULL };
	static const char *const with_value[] = {
		"-p", "--port", "-u", "--username", "-pw", "--password", "-pwf", "-F", "--format",
		"-t", "--top", "-s", "--sort", "-K", NULL,
	};
	struct slice word, operand[3] = { { "", 0 }, { "", 0 }, { "", 0 } };
	struct slice before;
	size_t n = 0;

	for (;;) {
		before = rest;
		if (!next_word(&rest, &word))
			return false;
		if (is_word(word, hosts)) {
			if (!next_word(&rest, &word))
				return false;
			if (!is_local(word))
				out->host = nodetool_address(word);
		} else if (word.n && word.p[0] != '-') {
			break;
		} else {
			rest = before;	/* an option: with its value when it takes one */
			next_word(&rest, &word);
			if (is_word(word, with_value) && !next_word(&rest, &word))
				return false;
		}
	}
	if (!prompt_command(word, out))
		out->unused = true;
	while (n < ARRAY_LEN(operand) && next_operand(&rest, with_value, &word))
		operand[n++] = word;
	if (out->kind == EV_TABLESTATS ? n == 1 : n == 1 || n == 2)
		set_table(out, operand[0], operand[1]);
	return true;
}

/* The folder that was listed; with several ones the listing has them itself. */
static void read_list(struct slice rest, struct command_hint *out)
{
	static const char *const none[] = { NULL };
	struct slice word;

	if (next_operand(&rest, none, &word))
		out->path = word;
}

static bool read_scylla(struct slice rest, struct command_hint *out)
{
	static const char *const none[] = { NULL };
	struct slice word;

	while (next_operand(&rest, none, &word)) {
		if (slice_eq(word, SLICE("nodetool")))
			return read_nodetool(rest, out);
		if (slice_eq(word, SLICE("dump-statistics"))) {
			out->kind = EV_SSTABLEMETADATA;
			return true;
		}
	}
	out->unused = true;
	return true;
}

static bool read_tool(struct slice tool, struct slice rest, struct command_hint *out)
{
	static const char *const lists[] = { "ls", "ll", "find", NULL };
	static const char *const none[] = { NULL };
	struct slice first = { "", 0 }, second = { "", 0 };

	if (slice_eq(tool, SLICE("nodetool")))
		return read_nodetool(rest, out);
	if (slice_eq(tool, SLICE("scylla")) || slice_eq(tool, SLICE("scylla-sstable")))
		return read_scylla(rest, out);
	if (slice_eq(tool, SLICE("sstableexpiredblockers"))) {
		out->kind = EV_EXPIREDBLOCKERS;
		if (next_operand(&rest, none, &first) && next_operand(&rest, none, &second))
			set_table(out, first, second);
		return true;
	}
	if (is_word(tool, lists)) {
		out->kind = EV_LISTING;
		read_list(rest, out);
		return true;
	}
	if (slice_eq(tool, SLICE("sstablemetadata")))
		out->kind = EV_SSTABLEMETADATA;
	else if (slice_eq(tool, SLICE("cqlsh")))
		out->kind = EV_SCHEMA;
	else if (slice_eq(tool, SLICE("df")))
		out->kind = EV_DISK_USAGE;
	else
		return false;
	return true;
}

/* ---- what stands before a tool: sudo, ssh, containers ---- */

/* Takes "exec [options] NAME [-c container] [--]" off a container tool's command. */
static void read_container(struct slice *rest, struct command_hint *out)
{
	static const char *const with_value[] = {
		"-u", "--user", "-e", "--env", "-w", "--workdir", "-n", "--namespace", "-c",
		"--container", "--context", "-f", "--index", NULL,
	};
	struct slice word, ahead;

	while (next_operand(rest, with_value, &word))
		if (slice_eq(word, SLICE("exec")))
			break;
	if (!next_operand(rest, with_value, &word))
		return;
	out->host = base_name(word);
	for (ahead = *rest; next_word(&ahead, &word) && word.n && word.p[0] == '-'; *rest = ahead)
		if (is_word(word, with_value))
			(void)next_word(&ahead, &word);
}

static void read_ssh(struct slice *rest, struct command_hint *out)
{
	static const char *const with_value[] = {
		"-i", "-p", "-l", "-o", "-F", "-J", "-L", "-b", "-c", "-m", "-S", NULL,
	};
	struct slice word;
	size_t at;

	if (!next_operand(rest, with_value, &word))
		return;
	at = slice_find(word, '@');
	out->host = at < word.n ? slice_from(word, at + 1) : word;
}

/* Words that only lead to the command proper; false when `word` is none of them. */
static bool read_leader(struct slice word, struct slice *rest, struct command_hint *out)
{
	static const char *const plain[] = {
		"sudo", "time", "nice", "env", "watch", "timeout", "bash", "sh", "-c", "exec", "do",
		"then", "ionice", "nohup", NULL,
	};
	static const char *const containers[] = {
		"docker", "podman", "kubectl", "oc", "docker-compose", "nerdctl", "lxc", "k", NULL,
	};

	if (is_word(word, containers))
		read_container(rest, out);
	else if (slice_eq(word, SLICE("ssh")))
		read_ssh(rest, out);
	else
		return is_word(word, plain) || slice_find(word, '=') < word.n;
	return true;
}

/* "-u cassandra", "-n 10": options of a leader and what belongs to them. */
static bool skip_options(struct slice *rest)
{
	static const char *const with_value[] = { "-u", "-g", "-n", "-c", "-k", NULL };
	struct slice ahead = *rest, word;

	if (!slice_word(&ahead, &word) || !word.n || word.p[0] != '-')
		return false;
	if (is_word(word, with_value) && !slice_eq(word, SLICE("-c")))
		slice_word(&ahead, &word);
	*rest = ahead;
	return true;
}

/* The first simple command that is one of the tools'. */
static bool read_command(struct slice rest, struct command_hint *out)
{
	struct slice word;

	if (rest.n > PROMPT_MAX)
		rest.n = PROMPT_MAX;
	while (slice_word(&rest, &word)) {
		while (word.n && (word.p[0] == '\'' || word.p[0] == '"' || word.p[0] == '('))
			word = slice_from(word, 1);
		if (read_tool(base_name(word), rest, out))
			return true;
		if (!read_leader(word, &rest, out))
			return false;
		while (skip_options(&rest))
			;
	}
	return false;
}

/* ---- prompts ---- */

/* Prompts that are surely ones, whatever command follows: user@host, [user@host dir], sh-4.2. */
static bool read_strong(struct slice line, struct command_hint *out, struct slice *command)
{
	static struct pattern prompt = PATTERN(
		"^(?:\\([^)]{1,40}\\) ?)?(?:"
		"\\[[\\w.+-]+@([\\w.-]+)(?:[ :]([^\\]]{0,300}))?\\]"
		"|[\\w.+-]+@([\\w.-]+)(?:[: ]([^$#%>|]{0,300}?))?"
		"|(?:sh|bash|ksh|zsh|dash)-[0-9.]+"
		") ?[$#%>](?: +(.*))?$");
	struct slice m[6], cwd;

	if (!pattern_match(&prompt, line, m, ARRAY_LEN(m)))
		return false;
	out->host = m[1].n ? m[1] : m[3];
	if (is_local(out->host))
		out->host = (struct slice){ "", 0 };
	cwd = m[2].n ? m[2] : m[4];
	out->path = cwd.p ? slice_trim(cwd) : cwd;
	*command = m[5].p ? m[5] : (struct slice){ line.p + line.n, 0 };
	return true;
}

/* "cqlsh> ", "cqlsh:ks> ", "admin@cqlsh:ks> ". */
static bool read_cqlsh(struct slice line, struct command_hint *out)
{
	static struct pattern prompt = PATTERN("^(?:[\\w.-]+@)?cqlsh(?::(\"?[\\w]+\"?))?> ?(.*)$");
	struct slice m[3];

	if (!pattern_match(&prompt, line, m, ARRAY_LEN(m)))
		return false;
	out->kind = EV_SCHEMA;
	out->rest = m[2];
	return true;
}

/* A weaker prompt, or none: it counts only before one of the tools. */
static bool read_weak(struct slice line, struct command_hint *out)
{
	static struct pattern prompt = PATTERN(
		"^[^|]{0,120}?(?:[$#%>]|\xe2\x9d\xaf|\xe2\x9e\x9c|\xc2\xbb) ?((?:\\w+=\\S* )*"
		"(?:sudo|time|nice|docker|podman|kubectl|oc|docker-compose|ssh|nodetool|cqlsh"
		"|sstable\\w+|scylla|scylla-sstable|ls|ll|find|df"
		"|\\S*/(?:nodetool|sstable\\w+|cqlsh|scylla))(?: .*)?)$");
	static struct pattern bare = PATTERN(
		"^\\+? ?((?:\\w+=\\S* "
		")*(?:(?:sudo|time|ssh|docker|podman|kubectl|oc|docker-compose) "
		".*?\\b)?(?:\\S*/)?(?:nodetool|sstablemetadata|sstableexpiredblockers"
		"|scylla-sstable|scylla sstable|ls -\\w+|find /\\S+) .*)$");
	static struct pattern dollar = PATTERN("^\\$ +[A-Za-z./]");
	struct slice m[2];

	if (pattern_match(&prompt, line, m, 2) && read_command(m[1], out))
		return true;
	if (pattern_match(&bare, line, m, 2) && read_command(m[1], out))
		return true;
	*out = (struct command_hint){ 0 };
	return pattern_match(&dollar, line, NULL, 0);
}

/* A bare command begins with a word in lower case, a path or a variable. */
static bool names_tool(struct slice line)
{
	static const char *const tools[] = {
		"nodetool ", "sstablemetadata ", "sstableexpiredblockers ", "scylla", "ls -",
		"find /",
	};
	char first = line.p[0];

	if (!(first >= 'a' && first <= 'z') && first != '/' && first != '+' &&
	    slice_find(line, '=') == line.n)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		struct slice tool = slice_of(tools[i]);

		for (size_t k = 0; k + tool.n <= line.n; k++)
			if (line.p[k] == tool.p[0] && slice_starts(slice_from(line, k), tool))
				return true;
	}
	return false;
}

/* Cheap, for lines of outputs: a prompt ends with one of these, a bare command names its tool. */
static bool may_be_prompt(struct slice line)
{
	static const char marks[] = { '$', '#', '%', '>', '\x9d', '\x9e', '\xbb' };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (memchr(line.p, marks[i], line.n))
			return true;
	return names_tool(line);
}

bool prompt_read(struct slice line, struct command_hint *out)
{
	struct slice command, path;

	*out = (struct command_hint){ 0 };
	while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
		line = slice_from(line, 1);
	if (!line.n || line.n > PROMPT_MAX || !may_be_prompt(line))
		return false;
	if (read_cqlsh(line, out))
		return true;
	if (!read_strong(line, out, &command))
		return read_weak(line, out);
	path = out->path;
	(void)read_command(command, out);
	if (!out->path.n || (path.n && out->path.p[0] != '/'))
		out->path = path;
	return true;
}

/* ---- headings ---- */

bool prompt_heading(struct slice line, struct command_hint *out)
{
	static struct pattern file = PATTERN("^==> (.+) <==$");
	static struct pattern ansible = PATTERN("^([\\w.-]+) \\| [A-Z]+!? \\| rc=[0-9]+ >>$");
	static struct pattern ruled = PATTERN(
		"^(?:={2,}|#{2,}|-{3,}|\\*{2,}|>{2,}) *(\\S[^=#*<>]{0,100}?)(?: *[=#*<>-]{2,})?$");
	struct slice m[2], rest, word;
	size_t n = 0;

	*out = (struct command_hint){ 0 };
	if (!line.n || line.n > PROMPT_MAX)
		return false;
	if (pattern_match(&file, line, m, 2)) {
		out->path = m[1];
		return true;
	}
	if (pattern_match(&ansible, line, m, 2)) {
		out->host = m[1];
		return true;
	}
	if (!pattern_match(&ruled, line, m, 2))
		return false;
	for (rest = m[1]; slice_word(&rest, &word); n++) {
		while (word.n && (word.p[word.n - 1] == ':' || word.p[word.n - 1] == ','))
			word.n--;
		if (!prompt_command(word, out) && !out->host.n && prompt_is_host(word))
			out->host = word;
	}
	/* "node1", "node1: tablestats", "nodetool tablestats": more words are a sentence */
	return n <= 2 && (out->host.n || out->kind || out->unused);
}
