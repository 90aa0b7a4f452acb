/* What is said to a node over SSH. See remote.h. */
#include "collect/remote.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "base/slice.h"
#include "collect/node_script.h"

#define BEGIN "twcscheck-begin"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define PLAIN LETTERS "0123456789_.-"

static bool is_plain(const char *s)
{
	return *s && *s != '-' && !s[strspn(s, PLAIN)];
}

bool remote_sudo_user_usable(const char *user)
{
	return is_plain(user);
}

const char *remote_command(struct arena *a, const struct remote_options *o,
			   const struct remote_request *q)
{
	const char *as = "";

	assert(is_plain(q->word));
	assert(!strpbrk(node_script, "'\\!\r\n"));
	if (q->as_owner && o->sudo) {
		if (!remote_sudo_user_usable(o->sudo))
			return NULL;
		as = arena_printf(a, "sudo -n -u %s ", o->sudo);
	}
	return arena_printf(a, "exec %ssh -c 'echo >&2; echo " BEGIN " >&2; %s' twcscheck-node %s",
			    as, node_script, q->word);
}

bool remote_take_begin(char *errout)
{
	char *line = strstr(errout, "\n" BEGIN "\n");

	if (!line)
		return false;
	line += sizeof("\n" BEGIN "\n") - 1;
	memmove(errout, line, strlen(line) + 1);
	return true;
}

/* "twcscheck-end 0": three digits at most, and nothing else. */
static bool read_end(struct slice line, int64_t *status)
{
	struct slice word = SLICE("twcscheck-end "), number = slice_from(line, word.n);

	if (number.n && number.p[number.n - 1] == '\r')
		number.n--;
	if (!slice_starts(line, word) || !number.n || number.n > 3)
		return false;
	for (size_t i = 0; i < number.n; i++)
		if (number.p[i] < '0' || number.p[i] > '9')
			return false;
	return num_parse_i64(number, status) && *status <= 255;
}

bool remote_take_end(char *errout, int64_t *status)
{
	char *found = NULL;
	int64_t value;

	(void)remote_take_begin(errout);
	/* one without its newline may have lost a digit */
	for (char *line = errout, *end; (end = strchr(line, '\n')); line = end + 1) {
		if (!read_end((struct slice){ line, (size_t)(end - line) }, &value))
			continue;
		found = line;
		*status = value;
	}
	if (!found)
		return false;
	if (found > errout)	/* the newline that the script prints before it */
		found--;
	*found = '\0';
	return true;
}
