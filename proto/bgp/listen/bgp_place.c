/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listening sockets.
 *
 * I1  Unused sockets are closed and kept for reuse, because a callback must not free a
 *     socket. The places are freed with the worker.
 * I2  Repeated failures are logged at a bounded rate.
 *
 * Loop: the listener's. Tested by test/unit/test_bgp_listen.c. */
#include "proto/bgp/listen/bgp_place.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_opt.h"
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#define PLACE_STR_MAX (IP_STR_MAX + 2 * IF_NAMESIZE + 10)

static struct bgp_place *
bgp_place_of(struct list *n)
{
	return container_of(n, struct bgp_place, link);
}

/* bgp_place_text - the place's address for the log. */
static const char *
bgp_place_text(const struct bgp_place *p, char to[PLACE_STR_MAX])
{
	char addr[IP_STR_MAX];

	snprintf(to, PLACE_STR_MAX, "%s%s%.*s%s%.*s", ip_str(addr, p->end.addr),
	    p->iface ? "%" : "", IF_NAMESIZE, p->iface ? p->iface : "",
	    p->vrf ? " in VRF " : "", IF_NAMESIZE, p->vrf ? p->vrf : "");
	return to;
}

/* place_in_our_way - true if the listener itself listens at the port. When a
 * configuration moves the listener, new instances join before all old instances have
 * left; the open is retried whenever a place closes. */
static bool
place_in_our_way(const struct bgp_place *p)
{
	struct list *n;

	list_for_each (n, &p->all->list)
		if (bgp_place_of(n) != p && bgp_place_of(n)->sock.open &&
		    bgp_place_of(n)->end.port == p->end.port)
			return true;
	return false;
}

/* bgp_place_failed - log the error if it is new, or was logged long ago. */
static void
bgp_place_failed(struct bgp_place *p, int err, bool moving)
{
	char at[PLACE_STR_MAX];

	if (moving && err == -EADDRINUSE && place_in_our_way(p))
		return; /* the earlier log line stays valid */
	if (err != p->err)
		p->said_ns = 0;
	p->err = err;
	if (!log_due(&p->said_ns, loop_now_ns(p->all->worker), PLACE_SAY_NS))
		return;
	log_msg(LOG_C_ERR, "BGP: Can't listen at %s port %u: %s (tried again every %u s)",
	    bgp_place_text(p, at), p->end.port, sock_listen_error(-err),
	    (unsigned)(PLACE_RETRY_NS / NS_PER_S));
}

/* bgp_place_index_of - the present number of an interface; 0: no name, or no such
 * interface. */
static uint32_t
bgp_place_index_of(const struct bgp_place *p, const char *name)
{
	const struct iface_list *l = iface_list_get(p->all->ifaces);
	const struct iface *i = name ? iface_find(l, name) : NULL;

	return i ? i->index : 0;
}

/* bgp_place_try - Returns: 0 or negative errno. */
static int
bgp_place_try(struct bgp_place *p)
{
	/* The answer to a SYN goes out with our TTL: a peer with `ttl security` wants
	 * 255. */
	struct sock_conf sc = { .ttl = 255,
		.dscp_ecn = 0xc0,
		.free_bind = p->free_bind,
		.save_syn = true,
		.device = p->vrf };

	p->end.ifindex = bgp_place_index_of(p, p->iface);
	p->vrf_index = bgp_place_index_of(p, p->vrf);
	if ((p->iface && !p->end.ifindex) || (p->vrf && !p->vrf_index))
		return -ENODEV;
	return sock_listen_open(&p->sock, p->all->worker, &p->end, &sc, p->all->accepted);
}

bool
bgp_place_open(struct bgp_place *p, bool moving)
{
	int rc = p->all->none ? 0 : bgp_place_try(p);
	char at[PLACE_STR_MAX];

	if (rc) {
		bgp_place_failed(p, rc, moving);
		return true;
	}
	if (p->err)
		log_msg(LOG_C_INFO, "BGP: Listening at %s port %u", bgp_place_text(p, at),
		    p->end.port);
	p->err = 0;
	return (p->iface || p->vrf) && !p->all->none;
}

static bool
place_same_iface(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

struct bgp_place *
bgp_place_get(struct bgp_places *all, const struct sock_end *end, TAKE char *iface,
    TAKE char *vrf, bool free_bind)
{
	struct bgp_place *p = NULL, *spare = NULL;
	struct list *n;

	list_for_each (n, &all->list) {
		p = bgp_place_of(n);
		if (p->users && ip_equal(p->end.addr, end->addr) &&
		    p->end.port == end->port && place_same_iface(p->iface, iface) &&
		    place_same_iface(p->vrf, vrf)) {
			mem_free(MEM_PROTO, iface);
			mem_free(MEM_PROTO, vrf);
			return p;
		}
		if (!p->users)
			spare = p;
	}
	p = spare ? spare : mem_zalloc(MEM_PROTO, sizeof(*p));
	if (!spare)
		list_add_tail(&all->list, &p->link);
	p->all = all;
	p->end = *end;
	mem_free(MEM_PROTO, p->iface);
	p->iface = iface;
	mem_free(MEM_PROTO, p->vrf);
	p->vrf = vrf;
	p->free_bind = free_bind;
	p->err = 0;
	return p;
}

void
bgp_place_renew(struct bgp_place *p)
{
	if (p->sock.open && (bgp_place_index_of(p, p->iface) != p->end.ifindex ||
				bgp_place_index_of(p, p->vrf) != p->vrf_index))
		sock_listen_close(&p->sock);
}

int
bgp_place_key(struct bgp_place *p, const struct prefix *peer, const char *key)
{
	return p->sock.open ? sock_listen_md5(&p->sock, peer, 0, key) : 0;
}

int
bgp_place_keys(struct bgp_place *p, const struct prefix *peer, const struct sock_ao *from,
    const struct sock_ao *to)
{
	return p->sock.open ? sock_listen_ao(&p->sock, peer, from, to) : 0;
}

void
bgp_places_fini(struct bgp_places *all)
{
	while (!list_empty(&all->list)) {
		struct bgp_place *p = bgp_place_of(all->list.next);

		list_del(&p->link);
		mem_free(MEM_PROTO, p->iface);
		mem_free(MEM_PROTO, p->vrf);
		mem_free(MEM_PROTO, p);
	}
}
