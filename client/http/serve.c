/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server of HTTP.
 *
 * I1  Each round of the loop handles events of the daemons, runs the woken jobs, and
 *     then lets libmicrohttpd work, so that a connection that was resumed goes on in the
 *     round.
 * I2  A connection is suspended exactly while its job waits for a daemon.
 *
 * Tested by test/net/test_http.py. */
#include "client/http/serve.h"

#include "client/http/answer.h"
#include "client/http/api/stream.h"
#include "client/http/counted/counted.h"
#include "client/http/job/feed.h"
#include "client/http/job/request.h"
#include "client/http/request_log.h"
#include "client/http/right/rate.h"
#include "client/http/right/rights.h"
#include "client/http/right/visitor.h"
#include "client/http/views.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SERVE_TICK_MS 500
#define SERVE_STEPS   64 /* rounds of libmicrohttpd without new events */

struct serve {
	struct web *web;
	struct MHD_Daemon *mhd;
	int listen_fd;
};

/* --- Requests --- */

static struct job *
serve_job_of_node(struct list *n)
{
	return (struct job *)((char *)n - offsetof(struct job, node));
}

static struct job *
serve_job_of_all(const struct list *n)
{
	return (struct job *)((char *)n - offsetof(struct job, all));
}

/* What serve_header looks for. */
struct serve_look {
	const char *name;
	struct right_header found;
};

static enum MHD_Result
serve_header(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct serve_look *l = cls;

	(void)kind;
	if (!strcasecmp(key, l->name)) {
		l->found.value = value ? value : "";
		l->found.cnt++;
	}
	return MHD_YES;
}

/* serve_find - the header @name of the request; "": none. */
static struct right_header
serve_find(struct MHD_Connection *c, const char *name)
{
	struct serve_look l = { .name = name };

	if (*name)
		(void)MHD_get_connection_values(c, MHD_HEADER_KIND, serve_header, &l);
	return l.found;
}

/* serve_no_method - refuse a request that is neither GET nor HEAD. */
static enum MHD_Result
serve_no_method(struct job *j)
{
	if (!j)
		return MHD_NO;
	views_choose(j);
	job_problem(j, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are served here");
	return answer_send(j) ? MHD_YES : MHD_NO;
}

/* --- Calls of libmicrohttpd --- */

/* serve_target - the request line has arrived: the job of the request begins. */
static void *
serve_target(void *cls, const char *target, struct MHD_Connection *c)
{
	struct serve *s = cls;
	struct job *j = job_new(s->web, target);

	j->http.conn = c;
	j->http.fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)
			 ->connect_fd;
	return j;
}

/* serve_raw - escapes stay: request.c decodes them. */
static size_t
serve_raw(void *cls, struct MHD_Connection *c, char *s)
{
	(void)cls;
	(void)c;
	return strlen(s);
}

/* serve_peer - the address of the client; IP_NONE: unknown. */
static struct ip_addr
serve_peer(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *i = MHD_get_connection_info(
	    c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *a = i ? i->client_addr : NULL;

	if (a && a->sa_family == AF_INET)
		return ip4(ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr));
	if (a && a->sa_family == AF_INET6)
		return ip_get16(((const struct sockaddr_in6 *)a)->sin6_addr.s6_addr);
	return IP_NONE;
}

/* serve_client - the address of the client; behind a proxy the last address that the
 * proxy names. */
static struct ip_addr
serve_client(const struct rights *r, struct MHD_Connection *c)
{
	struct ip_addr peer = serve_peer(c), client;
	const char *s = serve_find(c, "X-Forwarded-For").value, *comma;

	if (!s || !rights_of_proxy(r, peer))
		return peer;
	comma = strrchr(s, ',');
	s = comma ? comma + 1 : s;
	return ip_parse(&client, s + strspn(s, " ")) ? peer : client;
}

/* serve_is_busy - has the client of @j as many requests under way as it may have? */
static bool
serve_is_busy(const struct job *j)
{
	const struct web *w = j->web;
	unsigned cnt = 0;

	/* without a proxy libmicrohttpd bounds the connections */
	if (!w->rights.proxy_cnt || !w->per_client)
		return false;
	for (const struct list *n = w->all.next; n != &w->all; n = n->next)
		cnt += ip_equal(serve_job_of_all(n)->http.client, j->http.client);
	return cnt > w->per_client;
}

/* serve_is_fast - does the client of @j send more requests than the rate permits? The
 * programs of the exchange have no bound. */
static bool
serve_is_fast(struct job *j)
{
	if (j->web->rights.closed && j->visitor.exchange)
		return false;
	j->http.retry_s = rate_take(&j->web->rate, j->http.client, feed_now_ms());
	return j->http.retry_s != 0;
}

/* serve_begin - find out who asks, and choose the view. */
static void
serve_begin(struct job *j, struct MHD_Connection *c)
{
	const struct rights *r = &j->web->rights;
	struct right_claims claims = { .peer = serve_peer(c),
		.authorization = serve_find(c, MHD_HTTP_HEADER_AUTHORIZATION),
		.proxy = serve_find(c, r->header),
		.jwt = serve_find(c, r->jwt.header),
		.now = time(NULL) };
	char why[RIGHTS_WHY_MAX];
	const char *have = serve_find(c, MHD_HTTP_HEADER_IF_NONE_MATCH).value;
	int status = rights_visitor(r, &j->visitor, &claims, why);

	if (have && strlen(have) < sizeof(j->http.have))
		memcpy(j->http.have, have, strlen(have) + 1);
	j->http.client = serve_client(r, c);
	j->http.last_event = serve_find(c, "Last-Event-ID").value;
	views_choose(j);
	j->req.openmetrics = request_openmetrics(
	    serve_find(c, MHD_HTTP_HEADER_ACCEPT).value);
	if (serve_is_fast(j))
		job_problem(j, 429, "this client sends too many requests");
	else if (serve_is_busy(j))
		job_problem(j, 429, "this client has too many requests under way");
	else if (status != 200)
		job_problem(j, status, why);
	if (!j->finished)
		job_run(j);
	if (!j->finished)
		job_watch(j);
}

/* serve_note_method - put the method @method into the line of the log, and for a request
 * that no view answers the status @status. */
static void
serve_note_method(struct job *j, const char *method, int status)
{
	size_t len = strlen(method);

	if (!j)
		return;
	j->status = status;
	if (len < sizeof(j->http.method) &&
	    strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == len)
		memcpy(j->http.method, method, len + 1);
}

static enum MHD_Result
serve_request(void *cls, struct MHD_Connection *c, const char *url, const char *method,
    const char *version, const char *body, size_t *body_len, void **con_cls)
{
	struct job *j = *con_cls;

	(void)cls;
	(void)url;
	(void)version;
	(void)body;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		serve_note_method(j, method, MHD_HTTP_METHOD_NOT_ALLOWED);
		return serve_no_method(j);
	}
	if (*body_len) {
		*body_len = 0;
		return MHD_YES;
	}
	if (!j)
		return MHD_NO;
	/* libmicrohttpd closes the connection behind an answer to the first call */
	if (!j->http.seen) {
		j->http.seen = true;
		serve_note_method(j, method, 0);
		return MHD_YES;
	}
	if (!j->view)
		serve_begin(j, c);
	if (j->failed && !j->started) /* the client has left */
		return MHD_NO;
	if (job_ready(j))
		return answer_send(j) ? MHD_YES : MHD_NO;
	j->http.suspended = true;
	MHD_suspend_connection(c);
	return MHD_YES;
}

/* serve_log - the request of @j has ended. */
static void
serve_log(struct job *j, struct MHD_Connection *c, bool aborted)
{
	struct timespec now;
	struct request_log_line line = {
		.client = ip_is_none(j->http.client) ? serve_peer(c) : j->http.client,
		.method = j->http.method,
		.target = j->http.target,
		.status = (unsigned)j->status,
		.octets = j->http.sent,
		.took_ms = feed_now_ms() - j->http.began_ms,
		.aborted = aborted,
	};

	clock_gettime(CLOCK_REALTIME, &now);
	line.at_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	request_log_put(&j->web->log, &line);
}

static void
serve_completed(void *cls, struct MHD_Connection *c, void **con_cls,
    enum MHD_RequestTerminationCode why)
{
	struct job *j = *con_cls;

	(void)cls;
	if (!j)
		return;
	serve_log(j, c, why != MHD_REQUEST_TERMINATED_COMPLETED_OK);
	job_free(j);
	*con_cls = NULL;
}

/* --- The loop --- */

/* serve_room - how many clients may have a connection (G4). */
static unsigned
serve_room(const struct web *w)
{
	rlim_t kept = SERVE_FILES + SERVE_FILES_DAEMON * w->server_cnt;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return SERVE_CONNECTIONS;
	if (files.rlim_cur < kept + SERVE_CONNECTIONS) {
		files.rlim_cur = files.rlim_max < kept + SERVE_CONNECTIONS
				     ? files.rlim_max
				     : kept + SERVE_CONNECTIONS;
		(void)setrlimit(RLIMIT_NOFILE, &files);
		(void)getrlimit(RLIMIT_NOFILE, &files);
	}
	if (files.rlim_cur >= kept + SERVE_CONNECTIONS)
		return SERVE_CONNECTIONS;
	return files.rlim_cur > kept ? (unsigned)(files.rlim_cur - kept) : 1;
}

struct serve *
serve_new(struct web *w, const struct sockaddr *addr, socklen_t len)
{
	struct serve *s = mem_zalloc(MEM_OTHER, sizeof(*s));
	struct epoll_event ev = { .events = EPOLLIN };
	const struct MHD_OptionItem tls[] = {
		{ w->cert ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0,
		    (void *)(uintptr_t)w->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)w->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		    (void *)(uintptr_t) "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" },
		{ MHD_OPTION_END, 0, NULL },
	};
	int one = 1, zero = 0, err;

	s->web = w;
	s->listen_fd = socket(
	    addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->listen_fd < 0)
		goto err_free;
	(void)setsockopt(s->listen_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* "::" serves both families */
	if (addr->sa_family == AF_INET6)
		(void)setsockopt(
		    s->listen_fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (bind(s->listen_fd, addr, len) || listen(s->listen_fd, 256))
		goto err_socket;
	s->mhd = MHD_start_daemon(
	    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (w->cert ? MHD_USE_TLS : 0u), 0,
	    NULL, NULL, serve_request, s, MHD_OPTION_LISTEN_SOCKET, s->listen_fd,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVE_MEMORY,
	    MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (size_t)1024,
	    MHD_OPTION_CONNECTION_LIMIT, serve_room(w),
	    MHD_OPTION_PER_IP_CONNECTION_LIMIT, w->rights.proxy_cnt ? 0u : w->per_client,
	    MHD_OPTION_CONNECTION_TIMEOUT, w->silent_s, MHD_OPTION_URI_LOG_CALLBACK,
	    serve_target, s, MHD_OPTION_UNESCAPE_CALLBACK, serve_raw, NULL,
	    MHD_OPTION_NOTIFY_COMPLETED, serve_completed, s, MHD_OPTION_STRICT_FOR_CLIENT,
	    1, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	if (!s->mhd) {
		errno = EINVAL;
		goto err_socket;
	}
	if (!epoll_ctl(w->epoll, EPOLL_CTL_ADD,
		MHD_get_daemon_info(s->mhd, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, &ev))
		return s;
	err = errno;
	MHD_stop_daemon(s->mhd); /* closes the socket */
	mem_free(MEM_OTHER, s);
	errno = err;
	return NULL;
err_socket:
	err = errno;
	close(s->listen_fd);
	errno = err;
err_free:
	mem_free(MEM_OTHER, s);
	return NULL;
}

unsigned
serve_port(const struct serve *s)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	if (getsockname(s->listen_fd, (struct sockaddr *)&a, &len))
		return 0;
	return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
					     : ((struct sockaddr_in *)&a)->sin_port);
}

/* serve_jobs - run the woken jobs, and let the connections of ready jobs go on. */
static void
serve_jobs(struct web *w)
{
	while (!list_empty(&w->wake)) {
		struct job *j = serve_job_of_node(w->wake.next);

		list_del(&j->node);
		if (!j->finished && !j->failed)
			job_run(j);
		if (j->http.suspended && job_ready(j)) {
			j->http.suspended = false;
			MHD_resume_connection(j->http.conn);
		}
	}
}

/* serve_mhd - let libmicrohttpd work until the library waits for events. Returns: how
 * long the loop may wait, in ms. */
static int
serve_mhd(struct serve *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	for (int i = 0; i < SERVE_STEPS; i++) {
		(void)MHD_run(s->mhd);
		if (!list_empty(&s->web->wake))
			return 0;
		if (MHD_get_timeout(s->mhd, &ms) != MHD_YES)
			return SERVE_TICK_MS;
		if (ms)
			return ms < SERVE_TICK_MS ? (int)ms : SERVE_TICK_MS;
	}
	return 0;
}

static void
serve_event(struct watch *w, unsigned events)
{
	w->ready(w, events);
}

/* serve_tick - what is due after a time. */
static void
serve_tick(struct web *w, uint64_t now_ms)
{
	for (unsigned i = 0; i < w->server_cnt; i++) {
		feed_tick(&w->server[i].feed);
		counted_tick(&w->server[i].counted);
	}
	stream_tick_all(w);
	for (const struct list *n = w->all.next; n != &w->all; n = n->next)
		job_pace(serve_job_of_all(n), now_ms);
}

void
serve_loop(struct serve *s, int stop_fd)
{
	struct epoll_event ev[64], stop = { .events = EPOLLIN, .data.ptr = s };
	uint64_t ticked = feed_now_ms();
	int ms = 0;

	if (epoll_ctl(s->web->epoll, EPOLL_CTL_ADD, stop_fd, &stop))
		return;
	for (;;) {
		int n = epoll_wait(s->web->epoll, ev, 64, ms);

		for (int i = 0; i < n; i++) {
			if (ev[i].data.ptr == s)
				return;
			if (ev[i].data.ptr)
				serve_event(ev[i].data.ptr, ev[i].events);
		}
		if (feed_now_ms() - ticked >= SERVE_TICK_MS) {
			ticked = feed_now_ms();
			serve_tick(s->web, ticked);
		}
		serve_jobs(s->web);
		ms = serve_mhd(s);
	}
}

void
serve_free(struct serve *s)
{
	/* libmicrohttpd wants no suspended connection at its end */
	for (unsigned i = 0; i < s->web->server_cnt; i++) {
		feed_fini(&s->web->server[i].feed);
		feed_fini(&s->web->server[i].live);
	}
	stream_end_all(s->web);
	serve_jobs(s->web);
	/* a job that asked a further question waits in vain */
	for (struct list *n = s->web->all.next; n != &s->web->all; n = n->next) {
		struct job *j = serve_job_of_all(n);

		if (!j->http.suspended)
			continue;
		j->failed = true;
		j->http.suspended = false;
		MHD_resume_connection(j->http.conn);
	}
	MHD_stop_daemon(s->mhd);
	mem_free(MEM_OTHER, s);
}
