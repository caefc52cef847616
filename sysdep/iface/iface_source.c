/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker that follows the kernel's messages about interfaces.
 *
 * I1  The state is the result of the last scan plus all later messages, in order.
 * I2  The worker takes all messages in the socket before a scan, for the case that the
 *     scan fails, and never applies earlier messages after a successful scan, which is
 *     newer. After dropped messages (ENOBUFS) this order is necessary: a message that
 *     adds an address could be applied after the scan, while the message that removes the
 *     address was dropped.
 * I3  A scan uses a separate socket. The kernel answers within the call of recv, so the
 *     worker never waits, and no other message arrives in between.
 * I4  A failed socket is closed; a second later the worker opens a new socket and scans.
 *
 * Loop: the source's worker. Tested by test/unit/test_iface.c. */
#include "sysdep/iface/iface.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/rtnl.h"
#include "lib/wire/wbuf.h"
#include "sysdep/iface/iface_state.h"
#include "sysdep/iface/iface_tune.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/netlink.h"
#include "sysdep/sock/sock_opt.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <unistd.h>

#define BUF_LEN       32768 /* as much as the kernel puts into one answer */
#define RECV_MOST     64 /* calls of recv in a callback */
#define DRAIN_MOST    4096 /* calls of recv before a scan */
#define SCAN_TRIES    3 /* while the listed objects change */
#define AGAIN_NS      NS_PER_S /* after a failure */
#define SCAN_PAUSE_NS (100 * NS_PER_MS) /* between two scans that weren't asked for */
#define SAY_NS        (600 * NS_PER_S) /* messages that were dropped are logged again */

/* ---- a scan ---- */

/* iface_source_take_answer - apply the messages of one recv. Sets *@torn if the kernel
 * reports a change during the answer. Returns: RTNL_DONE: end of the answer; *@rc: its
 * error. */
static enum rtnl_kind
iface_source_take_answer(
    struct iface_state *st, struct rbuf r, uint32_t seq, bool *torn, int *rc)
{
	struct rtnl_msg m;

	while (rtnl_next(&r, &m) != RTNL_END) {
		if (m.seq != seq && m.kind != RTNL_BROKEN)
			continue;
		*torn |= m.interrupted;
		if (m.kind == RTNL_DONE && m.error)
			*rc = m.error;
		if (m.kind == RTNL_BROKEN)
			*rc = -EBADMSG;
		if (m.kind == RTNL_DONE || m.kind == RTNL_BROKEN)
			return RTNL_DONE;
		iface_state_take(st, &m);
	}
	return RTNL_OTHER;
}

/* iface_source_ask - Returns: 0 or negative errno. */
static int
iface_source_ask(int fd, struct iface_state *st, uint8_t *buf, const struct wbuf *w,
    uint32_t seq, bool *torn)
{
	enum rtnl_kind k = RTNL_OTHER;
	int rc;

	rc = netlink_send(os_fd_of(fd), w->start, wbuf_len(w));
	if (rc)
		return rc;
	while (k != RTNL_DONE) {
		ssize_t len = netlink_recv(os_fd_of(fd), buf, BUF_LEN);

		if (len <= 0)
			return len ? (int)len : -ETIMEDOUT;
		k = iface_source_take_answer(
		    st, rbuf_of(buf, (size_t)len), seq, torn, &rc);
	}
	return rc;
}

/* source_scan_by - links, then addresses. */
static int
source_scan_by(int fd, struct iface_state *st, uint8_t *buf, bool *torn)
{
	uint8_t request[RTNL_ASK_MAX];
	struct wbuf w = wbuf_of(request, sizeof(request));
	int rc;

	rtnl_ask_links(&w, 1);
	rc = iface_source_ask(fd, st, buf, &w, 1, torn);
	if (rc)
		return rc;
	w = wbuf_of(request, sizeof(request));
	rtnl_ask_addrs(&w, 2);
	return iface_source_ask(fd, st, buf, &w, 2, torn);
}

/* iface_source_scan - read all links and addresses into @out, which is empty after an
 * error. *@torn: each try met a change, so @out may lack parts. */
static int
iface_source_scan(struct iface_state *out, bool *torn)
{
	struct netlink_conf c = { .wait_s = 1 };
	int fd = netlink_new(&c).os_nr, rc = 0;
	uint8_t *buf;

	*out = (struct iface_state){ .in_order = true };
	if (fd < 0)
		return fd;
	buf = mem_alloc(MEM_OTHER, BUF_LEN);
	*torn = true;
	for (unsigned i = 0; i < SCAN_TRIES && *torn && !rc; i++) {
		iface_state_fini(out);
		out->in_order = true;
		*torn = false;
		rc = source_scan_by(fd, out, buf, torn);
	}
	mem_free(MEM_OTHER, buf);
	close(fd);
	if (rc)
		iface_state_fini(out);
	out->in_order = false;
	return rc;
}

/* ---- publishing ---- */

static void
source_list_drop(struct rcu_node *n)
{
	iface_list_free(container_of(n, struct iface_list, rcu));
}

static void
iface_source_publish(struct iface_source *s)
{
	struct iface_list *old = load_relaxed_ptr(&s->list), *l;

	l = iface_state_list(s->state, s->tune);
	s->dirty = false;
	store_release_ptr(&s->list, l); /* pairs: IFACES */
	store_release32(&s->nr, load_relaxed32(&s->nr) + 1); /* pairs: IFACENR */
	if (s->ops && s->ops->changed)
		s->ops->changed(s, old ? old : &iface_list_none, l);
	if (old)
		rcu_free_later(&old->rcu, source_list_drop);
}

int
iface_source_read(struct iface_source *s)
{
	struct iface_state now;
	bool torn;
	int rc = iface_source_scan(&now, &torn);

	if (rc && !s->failed)
		log_msg(LOG_C_ERR, "Can't read the interfaces: %s", strerror(-rc));
	s->failed = rc;
	/* At first the parts that there are are better than nothing; later, what was
	 * followed until now. */
	if (!rc && torn && s->state) {
		iface_state_fini(&now);
		rc = -EAGAIN;
	}
	if (rc)
		return rc;
	if (s->state)
		iface_state_fini(s->state);
	else
		s->state = mem_zalloc(MEM_OTHER, sizeof(*s->state));
	*s->state = now;
	iface_source_publish(s);
	return torn ? -EAGAIN : 0;
}

/* ---- the worker ---- */

static struct iface_source *
iface_source_of(struct worker *w)
{
	return container_of(w, struct iface_source, worker);
}

static uint64_t
source_scan_time_ns(const struct iface_source *s)
{
	return (s->tune ? s->tune->scan_time_s : IFACE_SCAN_S) * NS_PER_S;
}

static void
source_socket_close(struct iface_source *s)
{
	struct os_fd fd = s->watch.fd;

	if (!os_fd_is_open(fd))
		return;
	watch_del(&s->watch);
	close(fd.os_nr);
}

/* source_socket_failed - close the socket after the negative errno @err. EBADF and
 * ENOTSOCK mean that other code has closed the socket; the number may now belong to
 * another file, so the descriptor is not closed. */
static void
source_socket_failed(struct iface_source *s, int err)
{
	log_msg(LOG_C_ERR, "The kernel's messages about interfaces end: %s",
	    err != -EPIPE ? strerror(-err) : "no reason given");
	if (err == -EBADF || err == -ENOTSOCK)
		watch_lost(&s->watch);
	else
		source_socket_close(s);
}

static void iface_source_readable(struct watch *wa, uint32_t events);

/* source_socket_open - Returns: 0 or negative errno. */
static int
source_socket_open(struct iface_source *s)
{
	struct netlink_conf c = { .groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR |
					    RTMGRP_IPV6_IFADDR };
	struct os_fd fd = netlink_new(&c);

	if (!os_fd_is_open(fd))
		return os_fd_error(fd);
	s->mark = sock_mark(fd);
	watch_add(&s->watch, &s->worker, fd, WATCH_READ, iface_source_readable);
	return 0;
}

/* iface_source_take - apply the messages of one recv. */
static void
iface_source_take(struct iface_source *s, size_t len)
{
	struct rbuf r = rbuf_of(s->buf, len);
	struct rtnl_msg m;

	while (s->state && rtnl_next(&r, &m) != RTNL_END) {
		s->dirty |= iface_state_take(s->state, &m);
		s->lost |= m.kind == RTNL_BROKEN;
	}
}

/* iface_source_drain - apply all waiting messages (I2), and open a socket if the source
 * has no open socket. Returns: 0 or negative errno. */
static int
iface_source_drain(struct iface_source *s)
{
	ssize_t len = 1;

	if (os_fd_is_open(s->watch.fd) && sock_mark(s->watch.fd) != s->mark)
		/* the descriptor may belong to another socket */
		source_socket_failed(s, -EBADF);
	for (unsigned i = 0; os_fd_is_open(s->watch.fd) && i < DRAIN_MOST; i++) {
		len = netlink_recv(s->watch.fd, s->buf, BUF_LEN);
		if (!len)
			return 0;
		if (len > 0)
			iface_source_take(s, (size_t)len);
		else if (len != -ENOBUFS)
			source_socket_failed(s, (int)len);
	}
	s->lost = false; /* a scan follows */
	return os_fd_is_open(s->watch.fd) ? 0 : source_socket_open(s);
}

/* source_read_all - replace the state by the system's present state; a failure is retried
 * later. */
static void
source_read_all(struct iface_source *s)
{
	uint64_t now = loop_now_ns(&s->worker);
	int deaf = iface_source_drain(s), rc;

	if (deaf && !s->deaf)
		log_msg(LOG_C_ERR, "Can't follow the interfaces: %s", strerror(-deaf));
	s->deaf = deaf;
	s->scanned_ns = now;
	rc = iface_source_read(s);
	if (rc && s->dirty)
		iface_source_publish(s);
	s->published_ns = now;
	if (rc || deaf)
		timer_set(&s->scan, now + AGAIN_NS);
	else if (source_scan_time_ns(s))
		timer_set(&s->scan, now + source_scan_time_ns(s));
	else
		timer_cancel(&s->scan);
}

static void
source_scan_fires(struct timer *t)
{
	source_read_all(container_of(t, struct iface_source, scan));
}

static void
source_pause_fires(struct timer *t)
{
	struct iface_source *s = container_of(t, struct iface_source, pause);

	s->published_ns = loop_now_ns(t->worker);
	if (s->dirty)
		iface_source_publish(s);
}

/* iface_source_overrun - all is read again, and not too often. */
static void
iface_source_overrun(struct iface_source *s, uint64_t now)
{
	uint64_t at = s->scanned_ns + SCAN_PAUSE_NS;

	s->lost = false;
	if (log_due(&s->overrun_said_ns, now, SAY_NS))
		log_msg(LOG_C_WARN, "Messages of the kernel about interfaces were lost "
				    "or can't be read: all are read again");
	timer_set(&s->scan, at > now ? at : now);
}

/* iface_source_receive - Returns: true: the socket is empty. */
static bool
iface_source_receive(struct iface_source *s)
{
	ssize_t len = netlink_recv(s->watch.fd, s->buf, BUF_LEN);

	if (len == -ENOBUFS) {
		s->lost = true;
		return false;
	}
	if (len > 0) {
		iface_source_take(s, (size_t)len);
		return false;
	}
	if (len) {
		source_socket_failed(s, (int)len); /* I4 */
		timer_set(&s->scan, loop_now_ns(&s->worker) + AGAIN_NS);
	}
	return true;
}

static void
iface_source_readable(struct watch *wa, uint32_t events)
{
	struct iface_source *s = container_of(wa, struct iface_source, watch);
	uint64_t now = loop_now_ns(&s->worker);

	(void)events;
	for (unsigned i = 0; i < RECV_MOST; i++)
		if (iface_source_receive(s))
			break;
	if (s->lost)
		iface_source_overrun(s, now);
	if (!s->dirty || timer_active(&s->pause))
		return;
	if (now - s->published_ns < IFACE_PAUSE_NS)
		timer_set(&s->pause, s->published_ns + IFACE_PAUSE_NS);
	else
		source_pause_fires(&s->pause);
}

static void
iface_source_worker_start(struct worker *w)
{
	struct iface_source *s = iface_source_of(w);

	s->watch.fd = OS_FD_NONE;
	s->buf = mem_alloc(MEM_OTHER, BUF_LEN);
	timer_init(&s->pause, w, source_pause_fires);
	timer_init(&s->scan, w, source_scan_fires);
	source_read_all(s); /* changes before the socket was opened */
}

static void
iface_source_worker_stop(struct worker *w)
{
	struct iface_source *s = iface_source_of(w);

	mem_free(MEM_OTHER, s->buf);
	s->buf = NULL;
}

static void
iface_source_gone(struct worker *w)
{
	struct iface_source *s = iface_source_of(w);

	s->ops->gone(s);
}

/* A message from others. */
struct iface_notice {
	struct msg msg;
	struct iface_tune *tune;
	const void *by;
};

static void
iface_source_tuned(struct worker *w, TAKE struct msg *m)
{
	struct iface_source *s = iface_source_of(w);
	struct iface_notice *t = container_of(m, struct iface_notice, msg);

	if (t->tune || t->by == s->tuned_by) {
		iface_tune_free(s->tune);
		s->tune = t->tune;
		s->tuned_by = t->by;
		source_read_all(s);
	}
	mem_free(MEM_OTHER, t);
}

static void
iface_source_stopped(struct worker *w, TAKE struct msg *m)
{
	source_socket_close(iface_source_of(w));
	worker_stop(w);
	mem_free(MEM_OTHER, container_of(m, struct iface_notice, msg));
}

static void
iface_source_lost(struct worker *w, TAKE struct msg *m)
{
	struct iface_notice *t = container_of(m, struct iface_notice, msg);

	(void)w;
	iface_tune_free(t->tune);
	mem_free(MEM_OTHER, t);
}

static void
iface_source_notify(struct iface_source *s,
    void (*handle)(struct worker *w, TAKE struct msg *m), const void *by,
    TAKE struct iface_tune *tune)
{
	struct iface_notice *t = mem_zalloc(MEM_OTHER, sizeof(*t));

	t->msg.handle = handle;
	t->tune = tune;
	t->by = by;
	worker_post(&s->worker, &t->msg);
}

void
iface_source_start(struct iface_source *s, const struct iface_source_ops *ops)
{
	static const struct worker_ops worker_ops = { .start = iface_source_worker_start,
		.stop = iface_source_worker_stop,
		.gone = iface_source_gone,
		.lost = iface_source_lost };

	s->ops = ops;
	worker_start(&s->worker, &worker_ops, WORKER_CONTROL, "interfaces");
}

void
iface_source_tune(struct iface_source *s, const void *by, TAKE struct iface_tune *t)
{
	iface_source_notify(s, iface_source_tuned, by, t);
}

void
iface_source_stop(struct iface_source *s)
{
	iface_source_notify(s, iface_source_stopped, NULL, NULL);
}

void
iface_source_fini(struct iface_source *s)
{
	iface_list_free(load_relaxed_ptr(&s->list));
	store_relaxed_ptr(&s->list, NULL);
	if (s->state)
		iface_state_fini(s->state);
	mem_free(MEM_OTHER, s->state);
	s->state = NULL;
	iface_tune_free(s->tune);
	s->tune = NULL;
}
