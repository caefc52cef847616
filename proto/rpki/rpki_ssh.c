/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SSH to a cache (RFC 8210, 9.1): the subsystem "rpki-rtr", by libssh, in a separate
 * thread.
 *
 * The SSH session does not block: when libssh would wait, the thread polls the cache's
 * socket and the instance's socket, so the thread ends when the instance has closed its
 * end.
 *
 * I1  Octets pass in either direction through a buffer that is emptied before the next
 *     read: a side that does not read stops the other side.
 * I2  The cache's key must be in the given file: as a line of known_hosts for the cache's
 *     name, or as a public key alone. Without a file any key is accepted (with a
 *     warning).
 * I3  libssh closes the given descriptor in some of its states only. libssh therefore
 *     gets a copy. While the original is open, the thread can see whether the copy is
 *     still the same connection or belongs to another file.
 *
 * Loop: none; the thread shares only the descriptor with the instance. */
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "proto/rpki/rpki_ssh.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/file.h"
#include "sysdep/os/file_replace.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_opt.h"

#include <libssh/libssh.h>
#include <stdio.h>

#define BUF_OCTETS 16384
#define KEY_MAX    8192 /* a line of a file with keys */
#define KEYS_MAX   (16u << 20) /* the file */

/* owner: its thread. */
struct relay {
	struct os_fd fd; /* to the instance */
	struct os_fd lent; /* to libssh: the connection */
	ssh_session ssh;
	ssh_channel ch;
	const struct ssh_task *task;
	char why[RPKI_TEXT_MAX];
};

/* ssh_wait_for_either - wait until the instance or the cache has sent octets, or the
 * cache accepts waiting octets; task->wait_ms at most. *@instance: the instance has sent
 * octets. Returns: false: timeout. */
static bool
ssh_wait_for_either(struct relay *r, bool *instance)
{
	bool waits = ssh_get_poll_flags(r->ssh) & SSH_WRITE_PENDING;
	struct fd_want w[2] = { { .fd = r->fd, .read = true },
		{ .fd = os_fd_of(ssh_get_fd(r->ssh)), .read = true, .write = waits } };
	bool any = fd_wait(w, 2, (int)r->task->wait_ms) != 0;

	*instance = w[0].ready;
	return any;
}

/* ssh_wait_for_cache - until something may go on. Returns: false: the instance is gone,
 * or it takes too long. */
static bool
ssh_wait_for_cache(struct relay *r, unsigned *tries)
{
	bool instance;

	if (!ssh_wait_for_either(r, &instance) && ++*tries == RPKI_SSH_TRIES) {
		snprintf(r->why, sizeof(r->why), "no answer");
		return false;
	}
	return !instance;
}

/* rpki_ssh_explain - Returns: false. */
static bool
rpki_ssh_explain(struct relay *r, const char *what)
{
	snprintf(r->why, sizeof(r->why), "%s: %s", what, ssh_get_error(r->ssh));
	return false;
}

/* rpki_ssh_note_unreadable - if the file is missing or unreadable, make the error the
 * reason. */
static void
rpki_ssh_note_unreadable(struct relay *r, const char *what, const char *path)
{
	int rc = file_may_read(path);

	if (rc)
		snprintf(r->why, sizeof(r->why), "can't read %s %s: %s", what, path,
		    strerror(-rc));
}

/* ---- the cache's key ---- */

/* ssh_in_file - does a line of the file consist of the server's key alone ("type
 * base64")? */
static bool
ssh_in_file(const char *path, const char *type, const char *base64)
{
	char a[128], b[KEY_MAX];
	struct strbuf text;
	bool found = false;
	char *line, *next;

	strbuf_init(&text);
	if (file_read(&text, path, KEYS_MAX))
		strbuf_reset(&text);
	for (line = text.s; *line && !found; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		found = sscanf(line, "%127s %8191s", a, b) == 2 && !strcmp(a, type) &&
			!strcmp(b, base64);
	}
	strbuf_fini(&text);
	return found;
}

static bool
rpki_ssh_is_alone(struct relay *r)
{
	ssh_key key = NULL;
	char *base64 = NULL;
	bool ok = false;

	if (!ssh_get_server_publickey(r->ssh, &key) &&
	    !ssh_pki_export_pubkey_base64(key, &base64))
		ok = ssh_in_file(
		    r->task->public_key, ssh_key_type_to_char(ssh_key_type(key)), base64);
	ssh_string_free_char(base64);
	ssh_key_free(key);
	return ok;
}

static bool
ssh_key_known(struct relay *r)
{
	if (!r->task->public_key || rpki_ssh_is_alone(r))
		return true;
	switch (ssh_session_is_known_server(r->ssh)) {
	case SSH_KNOWN_HOSTS_OK:
		return true;
	case SSH_KNOWN_HOSTS_CHANGED:
	case SSH_KNOWN_HOSTS_OTHER:
		snprintf(r->why, sizeof(r->why), "the cache's key has changed");
		return false;
	default:
		snprintf(r->why, sizeof(r->why), "the cache's key isn't known");
		rpki_ssh_note_unreadable(r, "the cache's key", r->task->public_key);
		return false;
	}
}

/* ---- steps of the connection ---- */

static bool
rpki_ssh_set_up(struct relay *r)
{
	const struct ssh_task *t = r->task;
	unsigned port = t->port;
	int no = 0;

	return !ssh_options_set(r->ssh, SSH_OPTIONS_FD, &r->lent.os_nr) &&
	       !ssh_options_set(r->ssh, SSH_OPTIONS_PROCESS_CONFIG, &no) &&
	       !ssh_options_set(r->ssh, SSH_OPTIONS_HOST, t->host) &&
	       !ssh_options_set(r->ssh, SSH_OPTIONS_PORT, &port) &&
	       !ssh_options_set(r->ssh, SSH_OPTIONS_USER, t->user) &&
	       (!t->public_key ||
		   (!ssh_options_set(r->ssh, SSH_OPTIONS_KNOWNHOSTS, t->public_key) &&
		       !ssh_options_set(
			   r->ssh, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null")));
}

static bool
ssh_connect_it(struct relay *r)
{
	unsigned tries = 0;
	int rc;

	ssh_set_blocking(r->ssh, 0);
	while ((rc = ssh_connect(r->ssh)) == SSH_AGAIN)
		if (!ssh_wait_for_cache(r, &tries))
			return false;
	return rc == SSH_OK ? ssh_key_known(r) : rpki_ssh_explain(r, "can't connect");
}

static bool
ssh_log_in(struct relay *r)
{
	ssh_key key = NULL;
	unsigned tries = 0;
	int rc;

	if (!r->task->private_key) {
		snprintf(r->why, sizeof(r->why), "no bird private key");
		return false;
	}
	if (ssh_pki_import_privkey_file(r->task->private_key, NULL, NULL, NULL, &key)) {
		snprintf(r->why, sizeof(r->why), "can't read the private key %s",
		    r->task->private_key);
		rpki_ssh_note_unreadable(r, "the private key", r->task->private_key);
		return false;
	}
	while ((rc = ssh_userauth_publickey(r->ssh, NULL, key)) == SSH_AUTH_AGAIN)
		if (!ssh_wait_for_cache(r, &tries))
			break;
	ssh_key_free(key);
	if (rc == SSH_AUTH_SUCCESS)
		return true;
	if (rc == SSH_AUTH_AGAIN)
		return false;
	snprintf(
	    r->why, sizeof(r->why), "the cache doesn't let user %s in", r->task->user);
	return false;
}

static bool
ssh_open_channel(struct relay *r)
{
	unsigned tries = 0;
	int rc;

	r->ch = ssh_channel_new(r->ssh);
	if (!r->ch)
		return rpki_ssh_explain(r, "no channel");
	while ((rc = ssh_channel_open_session(r->ch)) == SSH_AGAIN)
		if (!ssh_wait_for_cache(r, &tries))
			return false;
	if (rc != SSH_OK)
		return rpki_ssh_explain(r, "no channel");
	while ((rc = ssh_channel_request_subsystem(r->ch, "rpki-rtr")) == SSH_AGAIN)
		if (!ssh_wait_for_cache(r, &tries))
			return false;
	return rc == SSH_OK || rpki_ssh_explain(r, "no subsystem rpki-rtr");
}

/* ---- octets ---- */

/* ssh_to_instance - send all octets; blocks while the instance does not read (I1). */
static bool
ssh_to_instance(struct relay *r, const char *p, size_t len)
{
	return !sock_send_all(r->fd, p, len);
}

/* ssh_from_cache - pass on the octets that libssh has. Returns: false: the end. */
static bool
ssh_from_cache(struct relay *r, char *buf)
{
	int n;

	while ((n = ssh_channel_read_nonblocking(r->ch, buf, BUF_OCTETS, 0)) > 0)
		if (!ssh_to_instance(r, buf, (size_t)n))
			return false;
	return n != SSH_ERROR && !ssh_channel_is_eof(r->ch) && ssh_channel_is_open(r->ch);
}

/* ssh_from_instance - queries; they are short. Returns: false: the end. */
static bool
ssh_from_instance(struct relay *r, char *buf)
{
	ssize_t n = sock_recv(r->fd, buf, BUF_OCTETS);

	return n >= 0 && (!n || ssh_channel_write(r->ch, buf, (uint32_t)n) == n);
}

static void
ssh_pass_on(struct relay *r)
{
	char *buf = mem_alloc(MEM_PROTO, BUF_OCTETS);
	bool on = true, instance;

	while (on) {
		on = ssh_from_cache(r, buf);
		if (on && ssh_wait_for_either(r, &instance) && instance)
			on = ssh_from_instance(r, buf);
	}
	mem_free(MEM_PROTO, buf);
}

static void
rpki_ssh_say(struct relay *r, bool ok)
{
	char line[RPKI_TEXT_MAX + 2];

	/* The server's own words may be part of it. */
	for (char *c = r->why; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			*c = *c == '\n' || *c == '\r' ? ' ' : '?';
	snprintf(line, sizeof(line), "%c%s\n", ok ? '+' : '-', ok ? "" : r->why);
	ssh_to_instance(r, line, strlen(line));
}

static void
rpki_ssh_talk(struct relay *r)
{
	bool ok;

	if (rpki_ssh_set_up(r))
		ok = ssh_connect_it(r) && ssh_log_in(r) && ssh_open_channel(r);
	else
		ok = rpki_ssh_explain(r, "can't begin");
	rpki_ssh_say(r, ok);
	if (ok)
		ssh_pass_on(r);
}

void
rpki_ssh_thread(TAKE struct os_fd fd, TAKE void *arg)
{
	struct ssh_task *t = arg;
	struct relay r = {
		.fd = fd, .task = t, .ssh = os_fd_is_open(fd) ? ssh_new() : NULL
	};

	if (r.ssh) {
		r.lent = fd_dup(t->fd);
		rpki_ssh_talk(&r);
		if (r.ch)
			ssh_channel_free(r.ch);
		ssh_disconnect(r.ssh);
		ssh_free(r.ssh);
		if (os_fd_is_open(r.lent) &&
		    sock_mark(r.lent) == sock_mark(t->fd)) /* I3 */
			fd_close(r.lent);
	}
	fd_close(t->fd);
	if (os_fd_is_open(fd))
		fd_close(fd);
	mem_free(MEM_PROTO, t->host);
	mem_free(MEM_PROTO, t->user);
	mem_free(MEM_PROTO, t->private_key);
	mem_free(MEM_PROTO, t->public_key);
	mem_free(MEM_PROTO, t);
}
