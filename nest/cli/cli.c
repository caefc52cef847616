/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket: accepts clients and keeps the list of their sessions.
 *
 * I1  The list has a session from the session's start until the session has reported its
 *     end; only then the server stops the session. So a message to a listed session finds
 *     a living session.
 * I2  The server ends when it was closed and the list is empty.
 *
 * Loop: the server's own thread. */
#include "nest/cli/cli.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"
#include "nest/cli/cli_serve.h"
#include "nest/cli/cli_session.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_unix.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/sock/sock_io.h"

#include <sys/stat.h>

#define SESSION_MAX 256
#define SAY_NS      (60 * NS_PER_S)

struct cli_server {
	struct cli_host host; /* first */
	struct worker worker;
	struct tern *tern;
	struct sock_unix sock;
	struct os_fd fd; /* until the worker has started */
	uint64_t inode;
	char *path;
	bool closing;
	struct list sessions;
	unsigned session_cnt;
	uint64_t said_ns; /* time of the last log line about too many clients */
	struct msg close;
};

static void
cli_try_stop(struct cli_server *sv)
{
	if (sv->closing && list_empty(&sv->sessions))
		worker_stop(&sv->worker);
}

static void
cli_ended(struct cli_host *h, struct cli_session *s)
{
	struct cli_server *sv = container_of(h, struct cli_server, host);

	list_del(&s->link);
	sv->session_cnt--;
	counter32_sub_acq_rel(&sv->tern->clients.cnt, 1);
	cli_session_stop(s);
	cli_try_stop(sv);
}

/* cli_refuse - answer a client above the limit; octets that the socket does not accept at
 * once are dropped. */
static void
cli_refuse(TAKE struct os_fd fd)
{
	struct cli_writer w = { 0 };
	char line[CLI_LINE_MAX];
	size_t len = cli_put(&w, line, CLI_FAILED, true, "Too many clients");

	sock_send(fd, line, len);
	fd_close(fd);
}

static void
cli_accepted(struct sock_unix *u, struct os_fd fd)
{
	struct cli_server *sv = container_of(u, struct cli_server, sock);
	uint32_t all = counter32_get(&sv->tern->clients.cnt);
	uint32_t max = load_relaxed32(&sv->tern->clients.max);
	struct cli_session *s;

	if (sv->session_cnt == SESSION_MAX || all >= max) {
		if (log_due(&sv->said_ns, loop_now_ns(&sv->worker), SAY_NS))
			log_msg(LOG_C_WARN,
			    "Control socket %s has %u clients of %u, all sockets %u of "
			    "%u: more are refused",
			    sv->path, sv->session_cnt, SESSION_MAX, all, max);
		cli_refuse(fd);
		return;
	}
	s = cli_session_new(&sv->host, sv->tern, fd);
	list_add_tail(&sv->sessions, &s->link);
	sv->session_cnt++;
	counter32_add(&sv->tern->clients.cnt, 1);
}

static void
cli_start(struct worker *w)
{
	struct cli_server *sv = container_of(w, struct cli_server, worker);

	sock_unix_start(&sv->sock, w, sv->fd, sv->inode, sv->path, cli_accepted);
}

static void
cli_gone(struct worker *w)
{
	struct cli_server *sv = container_of(w, struct cli_server, worker);
	struct tern *t = sv->tern;

	mem_free(MEM_OTHER, sv->path);
	mem_free(MEM_OTHER, sv);
	tern_worker_gone(t);
}

static const struct worker_ops server_ops = { .start = cli_start, .gone = cli_gone };

static void
cli_closed(struct worker *w, TAKE struct msg *m)
{
	struct cli_server *sv = container_of(w, struct cli_server, worker);
	struct list *n;

	(void)m;
	sv->closing = true;
	sock_unix_close(&sv->sock);
	list_for_each (n, &sv->sessions)
		cli_session_close(container_of(n, struct cli_session, link));
	cli_try_stop(sv);
}

struct cli_notice {
	struct msg msg;
	uint32_t class;
	char text[];
};

static void
cli_on_notice(struct worker *w, TAKE struct msg *m)
{
	struct cli_server *sv = container_of(w, struct cli_server, worker);
	struct cli_notice *ct = container_of(m, struct cli_notice, msg);
	struct list *n;

	list_for_each (n, &sv->sessions)
		cli_session_notify(
		    container_of(n, struct cli_session, link), ct->class, ct->text);
	mem_free(MEM_OTHER, ct);
}

void
cli_server_notify(struct cli_server *sv, uint32_t class, const char *text)
{
	size_t len = strlen(text) + 1;
	struct cli_notice *ct = mem_zalloc(MEM_OTHER, sizeof(*ct) + len);

	ct->msg.handle = cli_on_notice;
	ct->class = class;
	memcpy(ct->text, text, len);
	worker_post(&sv->worker, &ct->msg);
}

/* cli_on_check - a client of a file that is no longer the socket's stays: whoever
 * replaced the file decides. */
static void
cli_on_check(struct worker *w, TAKE struct msg *m)
{
	struct cli_server *sv = container_of(w, struct cli_server, worker);
	struct list *n;
	struct stat st;

	mem_free(MEM_OTHER, m);
	if (sv->closing || !sock_unix_stat(sv->path, sv->inode, &st))
		return;
	list_for_each (n, &sv->sessions)
		cli_session_check(container_of(n, struct cli_session, link), &st);
}

void
cli_server_check(struct cli_server *sv)
{
	struct msg *m = mem_zalloc(MEM_OTHER, sizeof(*m));

	m->handle = cli_on_check;
	worker_post(&sv->worker, m);
}

struct cli_server *
cli_server_new(
    struct tern *t, const char *path, struct os_fd fd, uint64_t inode, bool is_main)
{
	struct cli_server *sv = mem_zalloc(MEM_OTHER, sizeof(*sv));

	sv->host = (struct cli_host){
		.worker = &sv->worker, .ended = cli_ended, .is_main = is_main
	};
	sv->tern = t;
	sv->fd = fd;
	sv->inode = inode;
	sv->path = mem_strdup(MEM_OTHER, path);
	sv->host.path = sv->path;
	sv->close.handle = cli_closed;
	list_init(&sv->sessions);
	tern_worker_start(t);
	worker_start(&sv->worker, &server_ops, WORKER_CONTROL, "cli-listen");
	return sv;
}

void
cli_server_close(TAKE struct cli_server *sv)
{
	worker_post(&sv->worker, &sv->close);
}
