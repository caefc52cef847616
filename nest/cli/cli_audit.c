/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit trail of a client. Tested by test/net/test_audit.py.
 *
 * I1  The log's thread writes the lines: a full disk or a slow log does not delay a
 *     command.
 * I2  The login name is read from /etc/passwd alone. A server of names (LDAP) could
 *     delay the command, and with `threads` also sessions of the same thread.
 * I3  A line has its fields before the command: whatever a client writes, the command
 *     forges no field, and a long command loses only its own end.
 * I4  The mask splits a command as the commands do (cli_scan.c), so that no spelling of a
 *     word escapes. The line has no comments: a comment hides no secret, and the word
 *     `key` in a comment hides no command.
 *
 * Loop: the session's. */
#include "nest/cli/cli_audit.h"

#include "lib/base/secret.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "nest/cli/cli_scan.h"
#include "sysdep/log/log.h"
#include "sysdep/os/priv.h"
#include "sysdep/sock/sock_info.h"

/* octets of a command in its line: the log truncates lines */
#define COMMAND_MAX 600u

/* audit_token_end - the end of the keyword in the present token whose value is a secret
 * (password, secret); NULL: the token has no such keyword. */
static const char *
audit_token_end(const struct cli_scan *sc)
{
	size_t len = (size_t)(sc->next - sc->at);

	if (sc->tok == TOK_WORD)
		return secret_word(sc->at, len) ? sc->next : NULL;
	if (sc->tok == TOK_NAME || sc->tok == TOK_TEXT || sc->tok == TOK_OPEN)
		return secret_end(sc->at, len);
	return NULL;
}

/* cli_audit_mask - append @line without secrets: everything behind the word of an option
 * with a secret becomes ***. Blanks outside of quotes become one blank. */
static void
cli_audit_mask(struct strbuf *out, const char *line)
{
	const char *last = line, *end;
	struct cli_scan sc;

	for (cli_scan_init(&sc, line); sc.tok != TOK_END; cli_scan_step(&sc)) {
		if (last != line && sc.at != last)
			strbuf_addc(out, ' ');
		last = sc.next;
		end = audit_token_end(&sc);
		strbuf_add(out, sc.at, (size_t)((end ? end : last) - sc.at));
		if (!end)
			continue;
		if (end[strspn(end, " \t\"'")])
			strbuf_adds(out, " " SECRET_MASK);
		return;
	}
}

/* audit_put_who - write the user and the process of the client behind @fd. */
static void
audit_put_who(struct strbuf *out, struct os_fd fd, const char *path)
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

const char *
cli_audit_who(struct cli_audit *a, struct os_fd fd, const char *path)
{
	struct strbuf who;

	if (a->who)
		return a->who;
	strbuf_init(&who);
	audit_put_who(&who, fd, path);
	a->who = strbuf_take(&who);
	return a->who;
}

void
cli_audit_begin(struct cli_audit *a, struct os_fd fd, const char *path, const char *line)
{
	struct strbuf command;

	if (!log_takes(LOG_C_AUDIT))
		return;
	cli_audit_end(a, -1);
	cli_audit_who(a, fd, path);
	strbuf_init(&command);
	cli_audit_mask(&command, line);
	if (command.len > COMMAND_MAX) {
		size_t rest = command.len - COMMAND_MAX;

		strbuf_truncate(&command, COMMAND_MAX);
		strbuf_addf(&command, "... (%zu more octets)", rest);
	}
	a->command = strbuf_take(&command);
}

void
cli_audit_end(struct cli_audit *a, int code)
{
	if (!a->command)
		return;
	if (code >= 0)
		log_msg(
		    LOG_C_AUDIT, "%s result %04d command: %s", a->who, code, a->command);
	else
		log_msg(LOG_C_AUDIT, "%s result none command: %s", a->who, a->command);
	mem_free(MEM_OTHER, a->command);
	a->command = NULL;
}

void
cli_audit_fini(struct cli_audit *a)
{
	mem_free(MEM_OTHER, a->command);
	mem_free(MEM_OTHER, a->who);
	*a = (struct cli_audit){ 0 };
}

void
cli_audit_debug(const char *line)
{
	struct strbuf b;

	strbuf_init(&b);
	cli_audit_mask(&b, line);
	log_msg(LOG_C_TRACE, "CLI: %s", b.s);
	strbuf_fini(&b);
}

uint32_t
cli_audit_uid(struct os_fd fd)
{
	struct sock_peer peer;

	return sock_info_peer(fd, &peer) ? peer.uid : UINT32_MAX;
}
