/* A scripted libssh2. See fake_libssh2.h. */
#include "fake_libssh2.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <libssh2.h>
#include <stdlib.h>
#include <string.h>

static const struct fake_call *at;
static int last_error;
static const char *last_text = "";
static bool outbound;
static int version_number = 0x010a00;
static const char *version_text = "1.10.0";
static const char *key_blob = "";
static size_t key_length;
static const char *methods = "";
static char anything[8];

void fake_script(const struct fake_call *script)
{
	at = script;
	last_error = 0;
	last_text = "";
	outbound = false;
	methods = "";
}

size_t fake_left(void)
{
	size_t n = 0;

	while (at[n].name)
		n++;
	return n;
}

void fake_version(int number, const char *text)
{
	version_number = number;
	version_text = text;
}

void fake_host_key(const char *blob, size_t n)
{
	key_blob = blob;
	key_length = n;
}

const char *fake_methods(void)
{
	return methods;
}

static const struct fake_call *play(const char *name)
{
	const struct fake_call *c = at;

	if (!c->name || strcmp(c->name, name) != 0)
		fail_msg("libssh2 call '%s' where the script has '%s'", name,
			 c->name ? c->name : "its end");
	at++;
	last_error = c->code < 0 ? c->code : 0;
	last_text = c->code < 0 && c->data ? c->data : "";
	outbound = c->code == LIBSSH2_ERROR_EAGAIN && c->outbound;
	return c;
}

/* ---- calls that are always allowed ---- */

LIBSSH2_SESSION *libssh2_session_init_ex(LIBSSH2_ALLOC_FUNC((*a)), LIBSSH2_FREE_FUNC((*f)),
					 LIBSSH2_REALLOC_FUNC((*r)), void *abstract)
{
	(void)a;
	(void)f;
	(void)r;
	(void)abstract;
	return (LIBSSH2_SESSION *)(void *)anything;
}

int libssh2_init(int flags)
{
	(void)flags;
	return 0;
}

void libssh2_exit(void)
{
}

void *libssh2_session_callback_set(LIBSSH2_SESSION *s, int type, void *callback)
{
	(void)s;
	assert_int_equal(type, LIBSSH2_CALLBACK_RECV);
	return callback;
}

void libssh2_session_set_blocking(LIBSSH2_SESSION *s, int blocking)
{
	(void)s;
	assert_int_equal(blocking, 0);
}

int libssh2_session_block_directions(LIBSSH2_SESSION *s)
{
	(void)s;
	return outbound ? LIBSSH2_SESSION_BLOCK_OUTBOUND : LIBSSH2_SESSION_BLOCK_INBOUND;
}

int libssh2_session_last_errno(LIBSSH2_SESSION *s)
{
	(void)s;
	return last_error;
}

int libssh2_session_last_error(LIBSSH2_SESSION *s, char **text, int *n, int want)
{
	(void)s;
	(void)want;
	*text = (char *)(uintptr_t)last_text;
	if (n)
		*n = (int)strlen(last_text);
	return last_error;
}

const char *libssh2_version(int required)
{
	return required <= version_number ? version_text : NULL;
}

const char *libssh2_session_hostkey(LIBSSH2_SESSION *s, size_t *n, int *type)
{
	(void)s;
	*n = key_length;
	*type = 0;
	return key_length ? key_blob : NULL;
}

int libssh2_session_supported_algs(LIBSSH2_SESSION *s, int method, const char ***names)
{
	static const char *const offer[] = { "ssh-ed25519", "two" };

	(void)s;
	(void)method;
	*names = (const char **)(uintptr_t)offer;
	return 2;
}

void libssh2_free(LIBSSH2_SESSION *s, void *p)
{
	(void)s;
	(void)p;
}

int libssh2_session_free(LIBSSH2_SESSION *s)
{
	(void)s;
	return 0;
}

const char *libssh2_session_banner_get(LIBSSH2_SESSION *s)
{
	(void)s;
	return "SSH-2.0-fake";
}

int libssh2_session_disconnect_ex(LIBSSH2_SESSION *s, int reason, const char *text,
				  const char *language)
{
	(void)s;
	(void)reason;
	(void)text;
	(void)language;
	return 0;
}

/* ---- calls of the script ---- */

int libssh2_session_method_pref(LIBSSH2_SESSION *s, int method, const char *list)
{
	(void)s;
	assert_int_equal(method, LIBSSH2_METHOD_HOSTKEY);
	methods = list;
	return play("method_pref")->code;
}

int libssh2_session_handshake(LIBSSH2_SESSION *s, libssh2_socket_t fd)
{
	(void)s;
	assert_true(fd >= 0);
	return play("handshake")->code;
}

char *libssh2_userauth_list(LIBSSH2_SESSION *s, const char *user, unsigned n)
{
	const struct fake_call *c = play("userauth_list");

	(void)s;
	assert_int_equal(n, strlen(user));
	return c->code ? NULL : (char *)(uintptr_t)c->data;
}

int libssh2_userauth_authenticated(LIBSSH2_SESSION *s)
{
	(void)s;
	return play("authenticated")->code;
}

int libssh2_userauth_publickey_fromfile_ex(LIBSSH2_SESSION *s, const char *user, unsigned n,
					   const char *public_key, const char *private_key,
					   const char *passphrase)
{
	(void)s;
	(void)public_key;
	(void)passphrase;
	assert_int_equal(n, strlen(user));
	assert_non_null(private_key);
	return play("publickey")->code;
}

LIBSSH2_AGENT *libssh2_agent_init(LIBSSH2_SESSION *s)
{
	(void)s;
	return play("agent_init")->code ? NULL : (LIBSSH2_AGENT *)(void *)anything;
}

void libssh2_agent_set_identity_path(LIBSSH2_AGENT *agent, const char *path)
{
	(void)agent;
	assert_non_null(path);
}

int libssh2_agent_connect(LIBSSH2_AGENT *agent)
{
	(void)agent;
	return play("agent_connect")->code;
}

int libssh2_agent_list_identities(LIBSSH2_AGENT *agent)
{
	(void)agent;
	return play("agent_list")->code;
}

/* `data` is the key's comment; its blob is of type ssh-rsa. */
int libssh2_agent_get_identity(LIBSSH2_AGENT *agent, struct libssh2_agent_publickey **out,
			       struct libssh2_agent_publickey *before)
{
	static struct libssh2_agent_publickey key;
	static unsigned char blob[] = { 0, 0, 0, 7, 's', 's', 'h', '-', 'r', 's', 'a' };
	const struct fake_call *c = play("agent_get");

	(void)agent;
	(void)before;
	key.blob = blob;
	key.blob_len = sizeof(blob);
	key.comment = (char *)(uintptr_t)c->data;
	*out = &key;
	return c->code;
}

int libssh2_agent_userauth(LIBSSH2_AGENT *agent, const char *user,
			   struct libssh2_agent_publickey *key)
{
	(void)agent;
	(void)user;
	(void)key;
	return play("agent_userauth")->code;
}

int libssh2_agent_disconnect(LIBSSH2_AGENT *agent)
{
	(void)agent;
	return 0;
}

void libssh2_agent_free(LIBSSH2_AGENT *agent)
{
	(void)agent;
}

LIBSSH2_CHANNEL *libssh2_channel_open_ex(LIBSSH2_SESSION *s, const char *type, unsigned n,
					 unsigned window, unsigned packet, const char *message,
					 unsigned message_n)
{
	(void)s;
	(void)n;
	(void)window;
	(void)packet;
	(void)message;
	(void)message_n;
	assert_string_equal(type, "session");
	return play("open")->code ? NULL : (LIBSSH2_CHANNEL *)(void *)anything;
}

int libssh2_channel_process_startup(LIBSSH2_CHANNEL *c, const char *request, unsigned n,
				    const char *message, unsigned message_n)
{
	(void)c;
	(void)n;
	assert_string_equal(request, "exec");
	assert_int_equal(message_n, strlen(message));
	return play("exec")->code;
}

unsigned long libssh2_channel_window_write_ex(LIBSSH2_CHANNEL *c, unsigned long *initial)
{
	(void)c;
	(void)initial;
	return (unsigned long)play("window")->code;
}

/* A code above 0 is how many bytes it takes. */
ssize_t libssh2_channel_write_ex(LIBSSH2_CHANNEL *c, int stream, const char *p, size_t n)
{
	const struct fake_call *call = play("write");

	(void)c;
	assert_int_equal(stream, 0);
	if (call->data)
		assert_int_equal(strncmp(p, call->data, n < strlen(call->data)
							      ? n : strlen(call->data)), 0);
	return call->code;
}

int libssh2_channel_send_eof(LIBSSH2_CHANNEL *c)
{
	(void)c;
	return play("send_eof")->code;
}

ssize_t libssh2_channel_read_ex(LIBSSH2_CHANNEL *c, int stream, char *p, size_t n)
{
	const struct fake_call *call = play(stream ? "read:1" : "read:0");
	size_t length = call->code < 0 || !call->data ? 0 : strlen(call->data);

	(void)c;
	assert_true(length <= n);
	if (length)
		memcpy(p, call->data, length);
	return call->code < 0 ? call->code : (ssize_t)length;
}

int libssh2_channel_eof(LIBSSH2_CHANNEL *c)
{
	(void)c;
	return play("eof")->code;
}

int libssh2_channel_close(LIBSSH2_CHANNEL *c)
{
	(void)c;
	return play("close")->code;
}

int libssh2_channel_get_exit_status(LIBSSH2_CHANNEL *c)
{
	(void)c;
	return play("exit_status")->code;
}

int libssh2_channel_get_exit_signal(LIBSSH2_CHANNEL *c, char **name, size_t *n, char **text,
				    size_t *text_n, char **language, size_t *language_n)
{
	const struct fake_call *call = play("exit_signal");

	(void)c;
	(void)text_n;
	(void)language_n;
	*text = *language = NULL;
	*name = (char *)(uintptr_t)call->data;
	*n = call->data ? strlen(call->data) : 0;
	return call->code;
}

int libssh2_channel_free(LIBSSH2_CHANNEL *c)
{
	(void)c;
	return play("free")->code;
}
