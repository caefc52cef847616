/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read the kernel's routes (krt_read.h).
 *
 * The kernel makes the next part of an answer after the previous part was received, so a
 * scan costs the kernel and the daemon about 0.2 ms a round, whatever the length of the
 * table. A missing table counts as an empty table (ENOENT if the kernel selects by
 * table). Tested by test/net/test_kernel.py and test/sim/stories/kernel.story.
 *
 * Loop: the instance's. */
#include "proto/kernel/krt_read.h"

#include "lib/mem/mem.h"
#include "lib/wire/rtnl.h"
#include "lib/wire/wbuf.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/netlink.h"
#include "sysdep/sock/sock_opt.h"

#include <errno.h>
#include <linux/rtnetlink.h>

#define BUF_LEN   32768 /* the most octets of one part of an answer */
#define RECV_MOST 2 /* calls of recv in a callback */
#define RX_BUFFER (4 << 20)

/* ---- the socket ---- */

static void krt_read_ready(struct watch *wa, uint32_t events);

int
krt_read_open(struct krt_read *r, struct worker *w, uint32_t groups, uint32_t rx_buffer,
    const struct krt_read_ops *ops)
{
	/* the daemon needs no notifications about its own changes */
	struct netlink_conf c = { .groups = groups,
		.rx_buffer = rx_buffer ? rx_buffer : RX_BUFFER,
		.strict = true,
		.deaf_to = groups ? RTPROT_BIRD : 0 };
	struct os_fd fd = netlink_new(&c);

	if (!os_fd_is_open(fd))
		return os_fd_error(fd);
	r->ops = ops;
	r->buf = mem_alloc(MEM_PROTO, BUF_LEN);
	r->hop = mem_alloc(MEM_PROTO, RTNL_HOPS_MAX * sizeof(*r->hop));
	r->rest = rbuf_of(r->buf, 0);
	r->seq = 0;
	r->mark = sock_mark(fd);
	watch_add(&r->watch, w, fd, WATCH_READ, krt_read_ready);
	return 0;
}

bool
krt_read_is_open(const struct krt_read *r)
{
	return r->buf && sock_mark(r->watch.fd) == r->mark;
}

void
krt_read_close(struct krt_read *r)
{
	struct os_fd fd = r->watch.fd;

	if (!r->buf)
		return;
	if (krt_read_is_open(r)) {
		watch_del(&r->watch);
		fd_close(fd);
	} else {
		watch_lost(&r->watch); /* foreign code closed the socket */
	}
	r->watch.fd = OS_FD_NONE;
	mem_free(MEM_PROTO, r->buf);
	mem_free(MEM_PROTO, r->hop);
	r->buf = NULL;
	r->seq = 0;
}

int
krt_read_ask(struct krt_read *r, enum family fam, uint32_t table, uint8_t protocol)
{
	uint8_t octets[RTNL_ASK_ROUTES];
	struct wbuf w = wbuf_of(octets, sizeof(octets));
	int rc;

	if (!++r->last_seq)
		r->last_seq = 1;
	rtnl_route_ask(&w, r->last_seq, fam, table, protocol);
	rc = netlink_send(r->watch.fd, octets, wbuf_len(&w));
	if (rc)
		return rc;
	r->seq = r->last_seq;
	r->torn = false;
	return 0;
}

/* ---- received messages ---- */

static void
krt_read_end(struct krt_read *r, int err)
{
	r->seq = 0;
	r->ops->done(r, err == -ENOENT ? 0 : err, r->torn);
}

static void
krt_read_take(struct krt_read *r, const struct rtnl_msg *m)
{
	struct rtnl_route got = { .hop = r->hop };

	if (m->seq != r->seq && m->seq)
		return; /* answer to a cancelled question */
	r->torn |= m->interrupted;
	if (m->kind == RTNL_DONE && r->seq)
		krt_read_end(r, m->error);
	else if (m->kind == RTNL_BROKEN && r->seq)
		krt_read_end(r, -EBADMSG);
	else if ((m->kind == RTNL_ROUTE || m->kind == RTNL_ROUTE_GONE) &&
		 rtnl_route_get(m->route, &got))
		r->ops->route(r, &got, m->kind == RTNL_ROUTE_GONE);
}

/* read_take_rest - process received messages. Returns: false: the user has no room, or
 * the socket is closed. */
static bool
read_take_rest(struct krt_read *r)
{
	struct rtnl_msg m;

	while (r->buf && rbuf_left(&r->rest)) {
		if (!r->ops->ready(r))
			return false;
		if (rtnl_next(&r->rest, &m) == RTNL_END)
			return true;
		krt_read_take(r, &m);
	}
	return r->buf;
}

/* krt_read_receive - Returns: has something come? */
static bool
krt_read_receive(struct krt_read *r)
{
	ssize_t len = netlink_recv(r->watch.fd, r->buf, BUF_LEN);

	r->rest = rbuf_of(r->buf, len > 0 ? (size_t)len : 0);
	if (len >= 0)
		return len;
	if (len == -ENOBUFS) {
		r->ops->lost(r, -ENOBUFS);
		return true;
	}
	krt_read_close(r);
	r->ops->lost(r, (int)len);
	return false;
}

static void
krt_read_ready(struct watch *wa, uint32_t events)
{
	struct krt_read *r = container_of(wa, struct krt_read, watch);

	(void)events;
	for (unsigned i = 0; i < RECV_MOST; i++) {
		if (!read_take_rest(r)) {
			if (r->buf)
				watch_set(&r->watch, 0); /* krt_read_go */
			return;
		}
		if (!krt_read_receive(r))
			return;
	}
	if (!read_take_rest(r) && r->buf)
		watch_set(&r->watch, 0);
}

void
krt_read_go(struct krt_read *r)
{
	if (!r->buf || r->watch.events || !read_take_rest(r))
		return;
	if (krt_read_is_open(r)) {
		watch_set(&r->watch, WATCH_READ);
	} else {
		krt_read_close(r);
		r->ops->lost(r, -EBADF);
	}
}
