/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sockets of an instance (RFC 5881, 4 and 5; RFC 5883, 5).
 *
 * One socket for each family and kind receives at any address; with `strict bind` one
 * socket receives for each local address of a session. One socket for each address and
 * interface sends, from a separate port from 49152 up, with TTL 255.
 *
 * A socket that cannot be opened, because its address or interface is missing, is retried
 * when a packet is due, once a second.
 *
 * Loop: the instance's. Tested by test/net/test_bfd.py. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/wire/bfd.h"
#include "nest/bfd/bfd_ask.h"
#include "nest/core/tern.h"
#include "proto/bfd/bfd_conf.h"
#include "proto/bfd/bfd_priv.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_udp.h"

#include <errno.h>
#include <string.h>

#define TTL         255
#define CLASS       0xc0 /* internetwork control */
#define PRIORITY    7
#define SOURCE_MIN  49152u /* RFC 5881, 4 */
#define SOURCE_CNT  16384u
#define SOURCE_TRY  32
#define RETRY_NS    NS_PER_S
#define ROOM        (1024 * 1024) /* for a second of a thousand sessions */
#define PORT(multi) ((uint16_t)((multi) ? BFD_PORT_FAR : BFD_PORT))

/* ---- what comes ---- */

static struct sock_udp_conf
sock_port_conf(
    const struct bfd_proto *b, struct ip_addr at, uint32_t ifindex, bool multihop)
{
	return (struct sock_udp_conf){ .local = { at, PORT(multihop), ifindex },
		.reuse = bfd_conf_of(b)->strict_bind,
		.info = true,
		.zero_checksum = bfd_conf_of(b)->zero_checksum,
		.buffer = ROOM };
}

static int
sock_open_port(struct bfd_proto *b, struct bfd_port *p)
{
	struct sock_udp_conf c = sock_port_conf(
	    b, p->v4 ? ip4(0) : IP_NONE, 0, p->in.multihop);
	struct os_fd fd = sock_udp_new(&c);

	if (!os_fd_is_open(fd))
		return os_fd_error(fd);
	bfd_in_open(&p->in, fd);
	return 0;
}

/* bfd_sock_wants - does the instance take such packets? */
static bool
bfd_sock_wants(const struct bfd_proto *b, const struct bfd_port *p)
{
	return bfd_conf_takes(bfd_conf_of(b)) & bfd_takes_bit(p->v4, p->in.multihop);
}

bool
bfd_ports_open(struct bfd_proto *b)
{
	bool all = true;

	for (unsigned i = 0; i < BFD_PORTS; i++) {
		struct bfd_port *p = &b->port[i];
		int rc;

		if (os_fd_is_open(p->in.watch.fd) || !bfd_sock_wants(b, p) ||
		    bfd_conf_of(b)->strict_bind)
			continue;
		rc = sock_open_port(b, p);
		/* a machine without IPv6 */
		if (!rc || (!p->v4 && (rc == -EAFNOSUPPORT || rc == -EADDRNOTAVAIL)))
			continue;
		all = false;
		bfd_odd(b, BFD_ODD_SEND, "Can't listen at UDP port %u (%s): %s",
		    PORT(p->in.multihop), p->v4 ? "IPv4" : "IPv6", strerror(-rc));
	}
	return all;
}

void
bfd_ports_close(struct bfd_proto *b)
{
	for (unsigned i = 0; i < BFD_PORTS; i++)
		bfd_in_close(&b->port[i].in);
}

/* ---- what goes ---- */

static const char *
sock_device_of(const struct bfd_sock *k)
{
	const struct iface *i = iface_by_index(
	    iface_list_get(&k->b->p.tern->ifaces), k->ifindex);

	return i ? i->name : NULL;
}

static int
sock_open_out(struct bfd_sock *k)
{
	struct sock_udp_conf c = { .local = { k->local, 0,
				       ip_is_link_local(k->local) ? k->ifindex : 0 },
		.device = k->multihop ? NULL : sock_device_of(k),
		.ttl = TTL,
		.dscp_ecn = CLASS,
		.priority = PRIORITY };
	int rc = -EADDRINUSE;

	if (!k->multihop && !c.device)
		return -ENODEV;
	for (unsigned i = 0; i < SOURCE_TRY && rc == -EADDRINUSE; i++) {
		c.local.port = (uint16_t)(SOURCE_MIN + bfd_random(k->b) % SOURCE_CNT);
		k->fd = sock_udp_new(&c);
		rc = os_fd_error(k->fd);
	}
	return rc;
}

static int
sock_open_in(struct bfd_sock *k)
{
	struct sock_udp_conf c = sock_port_conf(
	    k->b, k->local, ip_is_link_local(k->local) ? k->ifindex : 0, k->multihop);
	struct os_fd fd;

	c.device = k->multihop ? NULL : sock_device_of(k);
	fd = sock_udp_new(&c);
	if (!os_fd_is_open(fd))
		return os_fd_error(fd);
	bfd_in_open(&k->in, fd);
	return 0;
}

static void
bfd_sock_try_open(struct bfd_sock *k)
{
	uint64_t now = bfd_now(k->b);
	char local[IP_STR_MAX];
	int rc = 0;

	if (k->tried_ns && now - k->tried_ns < RETRY_NS)
		return;
	k->tried_ns = now;
	if (!os_fd_is_open(k->in.watch.fd) && bfd_conf_of(k->b)->strict_bind)
		rc = sock_open_in(k);
	if (!rc && !os_fd_is_open(k->fd))
		rc = sock_open_out(k);
	if (rc < 0)
		bfd_odd(k->b, BFD_ODD_SEND, "Can't use address %s: %s",
		    ip_str(local, k->local), strerror(-rc));
}

struct bfd_sock *
bfd_sock_get(struct bfd_proto *b, const struct bfd_place *place)
{
	struct bfd_sock *k;
	struct list *n;

	list_for_each (n, &b->socks) {
		k = container_of(n, struct bfd_sock, link);
		if (ip_equal(k->local, place->local) && k->ifindex == place->ifindex &&
		    k->multihop == place->multihop) {
			k->uses++;
			return k;
		}
	}
	k = mem_zalloc(MEM_PROTO, sizeof(*k));
	k->b = b;
	k->local = place->local;
	k->ifindex = place->ifindex;
	k->multihop = place->multihop;
	k->uses = 1;
	k->fd = OS_FD_NONE;
	bfd_in_init(&k->in, b, k->multihop);
	list_add_tail(&b->socks, &k->link);
	bfd_sock_try_open(k);
	return k;
}

void
bfd_sock_put(TAKE struct bfd_sock *k)
{
	if (--k->uses)
		return;
	if (k->b->out.sock == k) {
		bfd_out_flush(k->b);
		k->b->out.sock = NULL;
	}
	bfd_in_close(&k->in);
	if (os_fd_is_open(k->fd))
		fd_close(k->fd);
	list_del(&k->link);
	mem_free(MEM_PROTO, k);
}

/* ---- packets that wait ---- */

void
bfd_out_flush(struct bfd_proto *b)
{
	struct bfd_out *o = &b->out;
	char peer[IP_STR_MAX];
	int err;

	if (!o->cnt)
		return;
	sock_udp_send(o->sock->fd, o->d, o->cnt, &err);
	if (err)
		bfd_odd(b, BFD_ODD_SEND, "Can't send, to %s for instance: %s",
		    ip_str(peer, o->d[o->cnt - 1].from.addr), strerror(-err));
	o->cnt = 0;
}

uint8_t *
bfd_out_room(struct bfd_session *s)
{
	struct bfd_out *o = &s->b->out;

	if (!os_fd_is_open(s->sock->fd) ||
	    (bfd_conf_of(s->b)->strict_bind && !os_fd_is_open(s->sock->in.watch.fd)))
		bfd_sock_try_open(s->sock);
	if (!os_fd_is_open(s->sock->fd))
		return NULL;
	if (o->sock != s->sock || o->cnt == SOCK_UDP_BATCH)
		bfd_out_flush(s->b);
	o->sock = s->sock;
	return o->octet[o->cnt];
}

void
bfd_out_add(struct bfd_session *s, size_t len)
{
	struct bfd_out *o = &s->b->out;

	o->d[o->cnt] = (struct sock_dgram){
		.from = { s->place.peer, PORT(s->place.multihop),
		    ip_is_link_local(s->place.peer) ? s->place.ifindex : 0 },
		.len = (uint32_t)len,
		.octet = o->octet[o->cnt]
	};
	o->cnt++;
}
