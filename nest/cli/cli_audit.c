/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit trail of a client. Tested by test/net/test_audit.py.
 *
 * I1  The log's thread writes the lines: a full disk or a slow log does not delay a
 *     command.
 * I2  The login name is read from /etc/passwd alone. A server of names (LDAP) could
 *     delay the command, and with `threads` also sessions of the same thread.
 * I3  A line has its fields before the command: whatever a client writes, the command
 *     forges no field, and a long command loses only its own end. */
#include "nest/cli/cli_audit.h"

#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "sysdep/log/log.h"
#include "sysdep/os/priv.h"
#include "sysdep/sock/sock_info.h"

#include <ctype.h>
#include <strings.h>

/* octets of a command in its line: the log cuts lines */
#define COMMAND_MAX 600u

/* word_len - length of the text in quotes, the word or the sign at @p. */
static size_t
word_len(const char *p)
{
	size_t len = 1;

	if (*p == '"' || *p == '\'') {
		const char *end = strchr(p + 1, *p);

		return end ? (size_t)(end - p) + 1 : strlen(p);
	}
	if (!isalnum((unsigned char)*p) && *p != '_')
		return 1;
	while (isalnum((unsigned char)p[len]) || p[len] == '_')
		len++;
	return len;
}

static bool
is_secret(const char *word, size_t len)
{
	static const char *const name[] = { "password", "secret", "key" };

	for (unsigned i = 0; i < ARRAY_LEN(name); i++)
		if (len == strlen(name[i]) && !strncasecmp(word, name[i], len))
			return true;
	return false;
}

void
cli_audit_mask(struct strbuf *out, const char *line)
{
	bool secret = false;
	size_t len;

	for (const char *p = line + strspn(line, " \t\r"); *p; p += len) {
		len = strspn(p, " \t\r");
		if (len) {
			if (p[len])
				strbuf_addc(out, ' ');
			continue;
		}
		if (secret && *p != '=' && *p != ':') {
			len = strcspn(p, " \t\r");
			if (*p == '"' || *p == '\'')
				len = word_len(p);
			strbuf_adds(out, "***");
			secret = false;
			continue;
		}
		len = word_len(p);
		secret = secret || is_secret(p, len);
		strbuf_add(out, p, len);
	}
}

/* put_who - write the user and the process of the client behind @fd. */
static void
put_who(struct strbuf *out, int fd, const char *path)
{
	char login[PRIV_LOGIN_MAX];
	struct sock_peer peer;

	if (!sock_info_peer(fd, &peer))
		strbuf_adds(out, "uid ? login ? pid ?");
	else
		strbuf_addf(out, "uid %u login %s pid %d", (unsigned)peer.uid,
		    priv_login(login, peer.uid) ? login : "?", peer.pid);
	strbuf_addf(out, " socket %s", path);
}

void
cli_audit_begin(struct cli_audit *a, int fd, const char *path, const char *line)
{
	struct strbuf who, command;

	if (!log_takes(LOG_C_AUDIT))
		return;
	cli_audit_end(a, -1);
	strbuf_init(&who);
	strbuf_init(&command);
	put_who(&who, fd, path);
	cli_audit_mask(&command, line);
	if (command.len > COMMAND_MAX) {
		size_t rest = command.len - COMMAND_MAX;

		strbuf_truncate(&command, COMMAND_MAX);
		strbuf_addf(&command, "... (%zu more octets)", rest);
	}
	a->who = strbuf_take(&who);
	a->command = strbuf_take(&command);
}

void
cli_audit_end(struct cli_audit *a, int code)
{
	if (!a->who)
		return;
	if (code >= 0)
		log_msg(
		    LOG_C_AUDIT, "%s result %04d command: %s", a->who, code, a->command);
	else
		log_msg(LOG_C_AUDIT, "%s result none command: %s", a->who, a->command);
	mem_free(MEM_OTHER, a->who);
	mem_free(MEM_OTHER, a->command);
	*a = (struct cli_audit){ 0 };
}

uint32_t
cli_audit_uid(int fd)
{
	struct sock_peer peer;

	return sock_info_peer(fd, &peer) ? peer.uid : UINT32_MAX;
}
