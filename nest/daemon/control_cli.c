/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control sockets: the permanent socket of the command line, and the sockets of the
 * configuration.
 *
 * I1  A new socket is bound before any part of a configuration is committed: if binding
 *     fails, the configuration is refused and nothing has changed.
 * I2  The control worker itself removes the file of a dropped socket, so that the next
 *     configuration can use the path at once.
 * I3  Clients of a dropped socket are closed after the answer to the command, which a
 *     client may have sent, and after their running replies.
 *
 * Loop: the control worker's; before the first commit main's. Tested by
 * test/unit/test_cli.c and test/net/test_configure.py. */
#include "nest/daemon/control_priv.h"

#include "lib/mem/mem.h"
#include "nest/cli/cli.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/sock_unix.h"
#include "sysdep/os/fd.h"

#include <errno.h>

static struct control_socket *
control_cli_find(struct control *c, const char *path)
{
	for (unsigned i = 0; i < c->cli_cnt; i++)
		if (!strcmp(c->cli[i].path, path))
			return &c->cli[i];
	return NULL;
}

static const struct conf_cli *
conf_of(const struct config *conf, const char *path)
{
	for (unsigned i = 0; i < conf->cli_cnt; i++)
		if (!strcmp(conf->cli[i].path, path))
			return &conf->cli[i];
	return NULL;
}

/* take_out - remove a socket without a server from the list. */
static void
take_out(struct control *c, struct control_socket *s)
{
	mem_free(MEM_CONFIG, s->path);
	*s = c->cli[--c->cli_cnt];
}

int
control_socket_bind(struct control *c, const char *path, bool restricted)
{
	struct control_socket *s = &c->cli[c->cli_cnt];
	int fd;

	ASSERT(c->cli_cnt < ARRAY_LEN(c->cli));
	if (control_cli_find(c, path))
		return -EADDRINUSE;
	fd = sock_unix_bind(path, &s->inode);
	if (fd < 0)
		return fd;
	s->path = mem_strdup(MEM_CONFIG, path);
	s->restricted = restricted;
	s->fd = fd;
	s->sv = NULL;
	c->cli_cnt++;
	return 0;
}

void
control_sockets_unbind(struct control *c)
{
	for (unsigned i = c->cli_cnt; i-- > 0;) {
		struct control_socket *s = &c->cli[i];

		if (s->sv)
			continue;
		fd_close(s->fd);
		sock_unix_remove(s->path, s->inode);
		take_out(c, s);
	}
}

int
control_sockets_bind(struct control *c, const struct config *conf, const char **bad)
{
	for (unsigned i = 0; i < conf->cli_cnt; i++) {
		const struct conf_cli *cf = &conf->cli[i];
		struct control_socket *s = control_cli_find(c, cf->path);
		int rc;

		if (s && s != &c->cli[0])
			continue;
		rc = control_socket_bind(c, cf->path, cf->restricted);
		if (!rc)
			continue;
		*bad = cf->path;
		return rc;
	}
	return 0;
}

void
control_sockets_plan(struct control *c, const struct config *conf,
    void (*say)(void *arg, const char *path, const char *what), void *arg)
{
	for (unsigned i = 1; i < c->cli_cnt; i++) {
		const struct control_socket *s = &c->cli[i];
		const struct conf_cli *cf = conf_of(conf, s->path);

		if (!cf)
			say(arg, s->path, "removed");
		else if (s->sv && cf->restricted != s->restricted)
			say(arg, s->path, cf->restricted ? "restricted" : "unrestricted");
	}
	for (unsigned i = 0; i < conf->cli_cnt; i++) {
		const struct control_socket *s = control_cli_find(c, conf->cli[i].path);

		if (!s || !s->sv)
			say(arg, conf->cli[i].path, "added");
	}
}

static void
control_cli_drop(struct control *c, struct control_socket *s)
{
	log_msg(LOG_C_INFO, "Closing control socket %s", s->path);
	sock_unix_remove(s->path, s->inode); /* I2 */
	c->cli_old[c->cli_old_cnt++] = s->sv; /* I3 */
	take_out(c, s);
}

void
control_sockets_commit(struct control *c, const struct config *conf)
{
	for (unsigned i = c->cli_cnt; i-- > 0;) {
		struct control_socket *s = &c->cli[i];
		const struct conf_cli *cf = i ? conf_of(conf, s->path) : NULL;

		if (!s->sv) {
			s->sv = cli_server_new(
			    c->tern, s->path, s->fd, s->inode, s->restricted);
		} else if (cf && cf->restricted != s->restricted) {
			s->restricted = cf->restricted;
			cli_server_restrict(s->sv, s->restricted);
		} else if (i && !cf) {
			control_cli_drop(c, s);
		}
	}
}

void
control_sockets_tell(struct control *c, enum log_class class, const char *text)
{
	log_msg(class, "%s", text);
	for (unsigned i = 0; i < c->cli_cnt; i++)
		if (c->cli[i].sv)
			cli_server_tell(c->cli[i].sv, 1u << class, text);
}

void
control_sockets_close_dropped(struct control *c)
{
	while (c->cli_old_cnt)
		cli_server_close(c->cli_old[--c->cli_old_cnt]);
}

void
control_sockets_close(struct control *c)
{
	control_sockets_close_dropped(c);
	while (c->cli_cnt) {
		struct control_socket *s = &c->cli[c->cli_cnt - 1];

		cli_server_close(s->sv);
		take_out(c, s);
	}
}
