/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control sockets: the permanent socket of the command line, and the sockets of the
 * configuration.
 *
 * I1  A new socket is bound before any part of a configuration is committed: if binding
 *     fails, the configuration is refused and nothing has changed.
 * I2  The control worker itself removes the file of a dropped socket, so that the next
 *     configuration can use the path at once.
 * I3  Files of kept sockets get their new rights before the commit, too, because the
 *     daemon may lack the right to give the file to a group. If a later step fails, the
 *     files get their former rights.
 * I4  Clients of a dropped socket, and clients that the changed rights of a file keep
 *     out, are closed after the answer to the command, which a client may have sent, and
 *     after their running replies.
 *
 * Loop: the control worker's; before the first commit main's. Tested by
 * test/unit/test_cli.c and test/net/test_configure.py. */
#include "nest/daemon/control_priv.h"

#include "lib/mem/mem.h"
#include "nest/cli/cli.h"
#include "nest/conf/config.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/sock_unix.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"

#include <errno.h>

static struct control_socket *
control_cli_find(struct control *c, const char *path)
{
	for (unsigned i = 0; i < c->cli.cnt; i++)
		if (!strcmp(c->cli.at[i].path, path))
			return &c->cli.at[i];
	return NULL;
}

/* control_cli_take_out - remove a socket without a server from the list. */
static void
control_cli_take_out(struct control *c, struct control_socket *s)
{
	mem_free(MEM_CONFIG, s->path);
	*s = c->cli.at[--c->cli.cnt];
}

static bool
cli_rights_same(const struct sock_rights *a, const struct sock_rights *b)
{
	return a->mode == b->mode && a->gid == b->gid;
}

static struct sock_rights
cli_rights_of(const struct conf_cli *cf)
{
	return (struct sock_rights){ cf->mode, cf->group ? cf->gid : SOCK_DEFAULT_GROUP };
}

/* control_cli_rights - I3. Returns: 0 or negative errno. */
static int
control_cli_rights(struct control_socket *s, const struct sock_rights *r)
{
	int rc;

	if (cli_rights_same(&s->rights, r))
		return 0;
	rc = sock_unix_rights(s->path, s->inode, r);
	if (!rc)
		s->rights = *r;
	return rc;
}

int
control_socket_bind(struct control *c, const char *path, const struct sock_rights *rights)
{
	struct control_socket *s = &c->cli.at[c->cli.cnt];
	struct os_fd fd;

	ASSERT(c->cli.cnt < ARRAY_LEN(c->cli.at));
	if (control_cli_find(c, path))
		return -EADDRINUSE;
	fd = sock_unix_bind(path, rights, &s->inode);
	if (!os_fd_is_open(fd))
		return os_fd_error(fd);
	s->path = mem_strdup(MEM_CONFIG, path);
	s->restricted = false;
	s->rights = rights ? *rights
			   : (struct sock_rights){ SOCK_MODE, SOCK_DEFAULT_GROUP };
	s->kept = s->rights;
	s->changed = false;
	s->fd = fd;
	s->sv = NULL;
	c->cli.cnt++;
	return 0;
}

void
control_sockets_unbind(struct control *c)
{
	for (unsigned i = c->cli.cnt; i-- > 0;) {
		struct control_socket *s = &c->cli.at[i];

		if (s->sv) {
			const struct sock_rights was = s->kept;
			int rc = control_cli_rights(s, &was);

			if (rc)
				log_msg(LOG_C_ERR, "Control socket %s: %s", s->path,
				    strerror(-rc));
			continue;
		}
		fd_close(s->fd);
		sock_unix_remove(s->path, s->inode);
		control_cli_take_out(c, s);
	}
}

int
control_sockets_bind(struct control *c, const struct config *conf, const char **bad)
{
	for (unsigned i = 0; i < conf->cli.cnt; i++) {
		const struct conf_cli *cf = &conf->cli.at[i];
		struct control_socket *s = control_cli_find(c, cf->path);
		const struct sock_rights r = cli_rights_of(cf);
		int rc;

		rc = s && s != &c->cli.at[0] ? control_cli_rights(s, &r)
					     : control_socket_bind(c, cf->path, &r);
		if (!rc)
			continue;
		*bad = cf->path;
		return rc;
	}
	return 0;
}

static void
cli_plan_socket_change(const struct control_socket *s, const struct conf_cli *cf,
    void (*say)(void *arg, const char *path, const char *what), void *arg)
{
	const struct sock_rights r = cli_rights_of(cf);

	if (cf->restricted != s->restricted)
		say(arg, s->path, cf->restricted ? "restricted" : "unrestricted");
	if (cf->plans != s->plans)
		say(arg, s->path, cf->plans ? "shows plans" : "hides plans");
	if (r.gid != s->kept.gid)
		say(arg, s->path, "another group");
	if (r.mode != s->kept.mode)
		say(arg, s->path, "another mode");
}

void
control_sockets_plan(struct control *c, const struct config *conf,
    void (*say)(void *arg, const char *path, const char *what), void *arg)
{
	for (unsigned i = 1; i < c->cli.cnt; i++) {
		const struct control_socket *s = &c->cli.at[i];
		const struct conf_cli *cf = config_find_cli(conf, s->path);

		if (!cf)
			say(arg, s->path, "removed");
		else if (s->sv)
			cli_plan_socket_change(s, cf, say, arg);
	}
	for (unsigned i = 0; i < conf->cli.cnt; i++) {
		const struct control_socket *s = control_cli_find(
		    c, conf->cli.at[i].path);

		if (!s || !s->sv)
			say(arg, conf->cli.at[i].path, "added");
	}
}

static void
control_cli_drop(struct control *c, struct control_socket *s)
{
	log_msg(LOG_C_INFO, "Closing control socket %s", s->path);
	sock_unix_remove(s->path, s->inode); /* I2 */
	c->cli.old[c->cli.old_cnt++] = s->sv; /* I4 */
	control_cli_take_out(c, s);
}

void
control_sockets_commit(struct control *c, const struct config *conf)
{
	for (unsigned i = c->cli.cnt; i-- > 0;) {
		struct control_socket *s = &c->cli.at[i];
		const struct conf_cli *cf = i ? config_find_cli(conf, s->path) : NULL;

		s->changed |= s->sv && !cli_rights_same(&s->kept, &s->rights);
		s->kept = s->rights;
		s->restricted = cf && cf->restricted;
		s->plans = cf && cf->plans;
		if (!s->sv)
			s->sv = cli_server_new(c->tern, s->path, s->fd, s->inode, i == 0);
		else if (i && !cf)
			control_cli_drop(c, s);
	}
}

void
control_sockets_notify(struct control *c, enum log_class class, const char *text)
{
	log_msg(class, "%s", text);
	for (unsigned i = 0; i < c->cli.cnt; i++)
		if (c->cli.at[i].sv)
			cli_server_notify(c->cli.at[i].sv, 1u << class, text);
}

void
control_sockets_close_dropped(struct control *c)
{
	while (c->cli.old_cnt)
		cli_server_close(c->cli.old[--c->cli.old_cnt]);
	for (unsigned i = 0; i < c->cli.cnt; i++) {
		if (c->cli.at[i].changed)
			cli_server_check(c->cli.at[i].sv);
		c->cli.at[i].changed = false;
	}
}

void
control_sockets_close(struct control *c)
{
	control_sockets_close_dropped(c);
	while (c->cli.cnt) {
		struct control_socket *s = &c->cli.at[c->cli.cnt - 1];

		cli_server_close(s->sv);
		control_cli_take_out(c, s);
	}
}
