/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One connection: socket, timers and received octets. The state machine decides their
 * meaning. bgp_conn_tx.c sends.
 *
 * I1  The socket is read while the session accepts octets: not while a channel's ring has
 *     no room (paused). Octets that were read before stay in `part`.
 * I2  The receive buffer is borrowed from the heap for one call: an idle session holds
 *     only the octets of an unfinished message.
 * I3  The hold time does not expire while octets of the peer wait here or in the kernel,
 *     because the local side is slow then.
 * I4  KEEPALIVE is queued whatever waits, but not twice.
 * I5  A yielding connection (bgp_rx.c) continues when the other connection has succeeded
 *     or failed, or when the time for yielding is over; the hold timer watches this time.
 *
 * Loop: the session's. Tested by test/unit/test_bgp_session.c and
 * test/fuzz/fuzz_session.c. */
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_open.h"
#include "nest/core/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/out/bgp_tx.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "proto/bgp/session/bgp_nego.h"
#include "sysdep/iface/iface.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_ao.h"
#include "sysdep/sock/sock_opt.h"
#include <errno.h>
#include <net/if.h>

/* Octets that a call handles at most: about 1,000 UPDATEs, 1 ms. */
#define RX_CAP 65536
/* Reads of a connection that cannot be written any more. A read may return less than the
 * kernel holds; the last read finds the end. The kernel's buffer has 6 MB at most, if
 * nobody changes net.ipv4.tcp_rmem. */
#define LAST_READS 100
#define RX_BEHIND  16 /* readable octets behind, for prefix_get */

#define HOLD_GRACE_NS (2 * NS_PER_S) /* look again whether octets still wait */

static struct bgp_conn *
bgp_conn_of(struct sock_tcp *sock)
{
	return container_of(sock, struct bgp_conn, sock);
}

static uint64_t
bgp_conn_now_of(const struct bgp_conn *c)
{
	return loop_now_ns(&c->s->p.worker);
}

static void
conn_sock_writable(struct sock_tcp *sock)
{
	conn_flush(bgp_conn_of(sock));
}

/* ---- in ---- */

/* bgp_conn_keep - @len octets at @p are for later. */
static void
bgp_conn_keep(struct bgp_conn *c, const uint8_t *p, uint32_t len)
{
	if (!len)
		return;
	c->part.at = mem_alloc(MEM_PROTO, len);
	memcpy(c->part.at, p, len);
	c->part.len = len;
}

/* bgp_conn_handle - the @len octets at @buf. Returns: false if the connection is another
 * one now. / */
static bool
bgp_conn_handle(struct bgp_conn *c, const uint8_t *buf, uint32_t len)
{
	uint32_t life = c->sock.life, done = rx_octets(c, buf, len);

	bgp_chan_work_put(c->s);
	if (!conn_has_socket(c) || c->sock.life != life)
		return false;
	bgp_conn_keep(c, buf + done, len - done);
	/* A channel that was seen without room posts a message later: bgp_chan_ready is
	 * not asked twice. */
	if (!c->paused && c->s->est == c && !bgp_chan_ready(c->s))
		c->paused = true;
	return true;
}

/* bgp_conn_read_once - handle the kept octets and the octets of the kernel, up to RX_CAP
 * octets. */
static void
bgp_conn_read_once(struct bgp_conn *c)
{
	uint32_t len = c->part.len;
	/* Read as much as waits, so that a KEEPALIVE does not cost a large block; at
	 * least some octets, to find the end. */
	uint32_t ask = (uint32_t)max_u64(512, min_u64(RX_CAP, sock_tcp_unread(&c->sock)));
	uint32_t cap = len + ask;
	uint8_t *buf = mem_alloc(MEM_PROTO, cap + RX_BEHIND);
	ssize_t n;

	if (len)
		memcpy(buf, c->part.at, len);
	mem_free(MEM_PROTO, c->part.at);
	c->part.at = NULL;
	c->part.len = 0;
	n = sock_tcp_read(&c->sock, buf + len, ask);
	if (n > 0)
		len += (uint32_t)n;
	memset(buf + len, 0, RX_BEHIND);
	if (bgp_conn_handle(c, buf, len) && n < 0) {
		c->eof = true;
		session_note(c->s, BGP_ERR_SOCKET,
		    n == -EPIPE ? "Connection closed" : strerror((int)-n));
		if (!c->paused)
			session_event(c, BGP_EV_TCP_FAILS);
	}
	mem_free(MEM_PROTO, buf);
	conn_want(c);
}

void
conn_last_words(struct bgp_conn *c)
{
	uint32_t life = c->sock.life;

	for (unsigned i = 0; i < LAST_READS && conn_has_socket(c) &&
			     c->sock.life == life && !c->paused && !c->eof;
	     i++)
		bgp_conn_read_once(c);
}

static void
conn_sock_readable(struct sock_tcp *sock)
{
	bgp_conn_read_once(bgp_conn_of(sock));
}

void
conn_resume(struct bgp_conn *c)
{
	if (!c->paused || !conn_has_socket(c))
		return;
	c->paused = false;
	if (c->part.len) {
		uint8_t *buf = mem_alloc(MEM_PROTO, c->part.len + RX_BEHIND);
		uint32_t len = c->part.len;
		bool same;

		memcpy(buf, c->part.at, len);
		memset(buf + len, 0, RX_BEHIND);
		mem_free(MEM_PROTO, c->part.at);
		c->part.at = NULL;
		c->part.len = 0;
		same = bgp_conn_handle(c, buf, len);
		mem_free(MEM_PROTO, buf);
		if (!same)
			return;
	}
	if (c->eof && !c->paused)
		session_event(c, BGP_EV_TCP_FAILS);
	else
		conn_want(c);
}

/* ---- the life of the socket ---- */

static void
conn_sock_connected(struct sock_tcp *sock, int err)
{
	struct bgp_conn *c = bgp_conn_of(sock);

	if (err) {
		session_note(c->s, BGP_ERR_SOCKET, strerror(-err));
		session_event(c, BGP_EV_TCP_FAILS);
		return;
	}
	c->local_ip = sock_local_end(sock_tcp_fd(sock)).addr;
	bgp_tx_init(&c->tx, sock_tcp_fd(sock), c->s->p.tern->messages.file,
	    &c->s->p.tern->spare.tx_lists);
	session_event(c, BGP_EV_TCP_ACKED);
}

static void
conn_sock_failed(struct sock_tcp *sock, int err)
{
	struct bgp_conn *c = bgp_conn_of(sock);

	session_note(c->s, BGP_ERR_SOCKET, strerror(-err));
	session_event(c, BGP_EV_TCP_FAILS);
}

static const struct sock_tcp_ops sock_ops = {
	.connected = conn_sock_connected,
	.readable = conn_sock_readable,
	.writable = conn_sock_writable,
	.failed = conn_sock_failed,
};

/* conn_sock_conf_of - options of both kinds of sockets. */
static struct sock_conf
conn_sock_conf_of(const struct bgp_conf *cf)
{
	struct sock_conf sc = { .dscp_ecn = cf->tcp.tx_class,
		.priority = (uint8_t)cf->tcp.tx_priority,
		.free_bind = cf->tcp.free_bind,
		.no_buffer_bulk = true,
		.device = cf->id.iface ? cf->id.iface : cf->id.vrf };
	unsigned hops = cf->tcp.multihop ? cf->tcp.ttl : 1;

	/* RFC 5082, 3: sent with 255, and nothing is taken that came from farther away.
	 */
	sc.ttl = cf->tcp.ttl_security ? 255 : (uint8_t)hops;
	sc.min_ttl = bgp_conf_min_ttl(cf);
	return sc;
}

void
conn_connect(struct bgp_conn *c)
{
	const struct bgp_conf *cf = session_conf(c->s);
	struct sock_tcp_dial dial = { .local = { .addr = cf->id.local_ip },
		.remote = { .addr = cf->id.remote_ip, .port = cf->id.remote_port },
		.conf = conn_sock_conf_of(cf),
		.md5_key = cf->auth.method == BGP_AUTH_MD5 ? cf->auth.password : NULL,
		.ao = cf->auth.method == BGP_AUTH_AO ? &cf->auth.ao : NULL };
	const struct iface *i = NULL;
	int rc;

	if (ip_is_link_local(cf->id.remote_ip) && cf->id.iface)
		i = iface_find(iface_list_get(&c->s->p.tern->ifaces), cf->id.iface);
	if (i)
		dial.local.ifindex = dial.remote.ifindex = i->index;
	rc = sock_tcp_connect(&c->sock, &dial);
	if (!rc)
		return;
	session_note(c->s, BGP_ERR_SOCKET,
	    dial.ao ? sock_ao_error(rc)
	    : rc == -ENODEV && dial.conf.device
		? "The peer's interface or VRF doesn't exist"
		: strerror(-rc));
	session_soon(c->s); /* finds CONNECT without a socket */
}

int
conn_adopt(struct bgp_conn *c, struct os_fd fd, struct ip_addr local)
{
	struct sock_conf sc = conn_sock_conf_of(session_conf(c->s));
	int rc = 0;

	sc.free_bind = false;
	sc.device = NULL;
	if (!c->s->p.tern->dry_run) { /* a dry run uses a pair of sockets */
		rc = sock_apply(fd, ip_is_v4(local) ? AF_INET : AF_INET6, &sc);
		if (!rc)
			rc = keys_adopt(c->s, fd);
	}
	if (rc) {
		fd_close(fd);
		return rc;
	}
	c->local_ip = local;
	sock_tcp_adopt(&c->sock, fd);
	bgp_tx_init(
	    &c->tx, fd, c->s->p.tern->messages.file, &c->s->p.tern->spare.tx_lists);
	return 0;
}

void
bgp_conn_close(struct bgp_conn *c, bool linger)
{
	struct os_fd fd = OS_FD_NONE;

	timer_cancel(&c->timer.hold);
	timer_cancel(&c->timer.keepalive);
	timer_cancel(&c->timer.send_hold);
	if (linger && conn_has_socket(c) && !c->tx.err)
		fd = fd_dup(sock_tcp_fd(&c->sock));
	sock_tcp_close(&c->sock);
	if (os_fd_is_open(fd))
		linger_start(c->s, fd, &c->tx);
	bgp_tx_fini(&c->tx);
	mem_free(MEM_PROTO, c->open);
	c->open = NULL;
	c->open_len = 0;
	mem_free(MEM_PROTO, c->part.at);
	c->part.at = NULL;
	c->part.len = 0;
	c->paused = c->eof = false;
	c->timer.yield_ns = 0;
}

/* ---- timers ---- */

/* conn_gives_up - without a NOTIFICATION, after which the peer would keep nothing. */
static void
conn_gives_up(struct bgp_conn *c)
{
	session_note(c->s, BGP_ERR_SOCKET, "Hold timer expired");
	session_event(c, BGP_EV_TCP_FAILS);
}

/* The hold timer is not moved with each message: the timer compares hold_at_ns when it
 * fires. */
static void
conn_hold_fires(struct timer *t)
{
	struct bgp_conn *c = container_of(t, struct bgp_conn, timer.hold);
	uint64_t now = bgp_conn_now_of(c);

	if (c->timer.yield_ns && c->state == BGP_OPENCONFIRM) /* I5 */
		conn_resume(c);
	if (c->timer.yield_ns && !c->terms.hold_s)
		return;
	if (!conn_has_socket(c))
		return;
	if (now >= c->timer.hold_at_ns && conn_unread(c)) /* I3 */
		c->timer.hold_at_ns = now + HOLD_GRACE_NS;
	if (now < c->timer.hold_at_ns)
		timer_set(t, c->timer.hold_at_ns);
	else if (c->s->est == c && c->terms.llgr_fam &&
		 !c->terms.gr_notify) /* RFC 9494: as if it broke */
		conn_gives_up(c);
	else
		session_event(c, BGP_EV_HOLD_EXPIRES);
}

static void
conn_keepalive_fires(struct timer *t)
{
	session_event(
	    container_of(t, struct bgp_conn, timer.keepalive), BGP_EV_KEEPALIVE_EXPIRES);
}

static void
conn_send_hold_fires(struct timer *t)
{
	struct bgp_conn *c = container_of(t, struct bgp_conn, timer.send_hold);
	uint64_t now = bgp_conn_now_of(c), limit = c->terms.send_hold_s * NS_PER_S;

	if (!bgp_tx_pending(&c->tx))
		conn_progress(c);
	if (now - c->timer.progress_ns < limit)
		timer_set(t, c->timer.progress_ns + limit);
	else
		session_event(c, BGP_EV_SEND_HOLD_EXPIRES);
}

static void
conn_retime_keepalive(struct bgp_conn *c)
{
	uint64_t at = bgp_conn_now_of(c) + c->terms.keepalive_s * NS_PER_S;

	if (!c->terms.keepalive_s || timer_at_ns(&c->timer.keepalive) <= at)
		return;
	timer_set(&c->timer.keepalive, at);
	counter64_set(&c->s->shown.keepalive_ns, at);
}

/* conn_retime_send_hold - the new time counts from when the socket last took octets. */
static void
conn_retime_send_hold(struct bgp_conn *c)
{
	uint32_t limit_s = c->terms.send_hold_s;

	timer_cancel(&c->timer.send_hold);
	counter64_set(&c->s->shown.send_hold_ns,
	    limit_s ? c->timer.progress_ns + limit_s * NS_PER_S : 0);
	if (limit_s)
		conn_send_hold_fires(
		    &c->timer.send_hold); /* looks how long it has been */
}

bool
conn_retime(struct bgp_conn *c)
{
	const struct bgp_conf *cf = session_conf(c->s);
	struct bgp_terms t = c->terms;
	uint32_t send_hold_s = t.send_hold_s;

	if (c->state < BGP_OPENSENT)
		return true;
	if (c->state == BGP_OPENSENT) /* nothing is agreed */
		return c->ours.hold_time == cf->timers.hold_s;
	if (bgp_nego_timers(cf, &c->theirs, &t).severity || t.hold_s != c->terms.hold_s)
		return false;
	c->terms = t;
	conn_retime_keepalive(c);
	if (c->state == BGP_ESTABLISHED && t.send_hold_s != send_hold_s)
		conn_retime_send_hold(c);
	return true;
}

void
conn_init(struct bgp_conn *c, struct bgp_session *s, enum bgp_dir dir)
{
	struct worker *w = &s->p.worker;

	c->s = s;
	c->dir = (uint8_t)dir;
	c->state = BGP_IDLE;
	sock_tcp_init(&c->sock, w, &sock_ops);
	timer_init(&c->timer.hold, w, conn_hold_fires);
	timer_init(&c->timer.keepalive, w, conn_keepalive_fires);
	timer_init(&c->timer.send_hold, w, conn_send_hold_fires);
	bgp_tx_init(&c->tx, OS_FD_NONE, NULL, NULL);
}
