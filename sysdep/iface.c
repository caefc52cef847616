/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the list of interfaces, and following what changes.
 *
 * getifaddrs gives an entry for each interface (AF_PACKET), then one for each address; an
 * IPv4 address may be under a label, "eth0:1", which stands for its interface. The
 * messages of rtnetlink only say that something has changed: a burst of them makes two
 * readings, one at its begin and one IFACE_PAUSE_NS later.
 *
 * Loop: that of the source's owner. */
#include "sysdep/iface.h"

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/vec.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "sysdep/clock.h"
#include "sysdep/log.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netpacket/packet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define AGAIN_NS NS_PER_S /* between two readings that fail */

const struct iface_list iface_list_none;

/* ---- reading ---- */

/* An address on its way into the list. */
struct found {
	uint32_t iface; /* which one in the list */
	struct iface_addr addr;
};

struct reading {
	struct iface *iface;
	uint32_t iface_cnt, iface_cap;
	struct found *found;
	uint32_t found_cnt, found_cap;
};

static bool
get_addr(const struct sockaddr *sa, struct ip_addr *out)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	if (!sa || (sa->sa_family != AF_INET && sa->sa_family != AF_INET6))
		return false;
	if (sa->sa_family == AF_INET) {
		memcpy(&in, sa, sizeof(in));
		*out = ip4(ntohl(in.sin_addr.s_addr));
	} else {
		memcpy(&in6, sa, sizeof(in6));
		*out = ip_get16(in6.sin6_addr.s6_addr);
	}
	return true;
}

/* get_subnet - without a mask that of all addresses, as for a tunnel's own one. */
static bool
get_subnet(const struct ifaddrs *i, struct iface_addr *out)
{
	struct ip_addr mask;
	bool v4;
	unsigned len;

	if (!get_addr(i->ifa_addr, &out->own))
		return false;
	v4 = ip_is_v4(out->own);
	if (!get_addr(i->ifa_netmask, &mask))
		len = 0;
	else if (v4)
		len = (unsigned)__builtin_popcount(ip_to_v4(mask));
	else
		len = (unsigned)(__builtin_popcountll(mask.hi) +
				 __builtin_popcountll(mask.lo));
	out->subnet = prefix_make(out->own, len, v4 ? FAM_IP4 : FAM_IP6);
	return true;
}

/* place_of - the number of the interface called @name, which is new or known. */
static uint32_t
place_of(struct reading *r, const char *name)
{
	size_t len = strcspn(name, ":");

	for (uint32_t i = 0; i < r->iface_cnt; i++)
		if (!strncmp(r->iface[i].name, name, len) && !r->iface[i].name[len])
			return i;
	r->iface = vec_room(
	    MEM_OTHER, r->iface, &r->iface_cap, r->iface_cnt + 1, sizeof(*r->iface));
	r->iface[r->iface_cnt] = (struct iface){ .index = 0 };
	snprintf(r->iface[r->iface_cnt].name, IF_NAMESIZE, "%.*s", (int)len, name);
	return r->iface_cnt++;
}

static void
take_entry(struct reading *r, const struct ifaddrs *i)
{
	uint32_t at = place_of(r, i->ifa_name);
	struct found f = { .iface = at };
	struct sockaddr_ll ll;

	if (i->ifa_addr && i->ifa_addr->sa_family == AF_PACKET) {
		memcpy(&ll, i->ifa_addr, sizeof(ll));
		r->iface[at].index = (uint32_t)ll.sll_ifindex;
	}
	r->iface[at].flags = i->ifa_flags;
	if (!get_subnet(i, &f.addr))
		return;
	r->iface[at].addr_cnt++;
	r->found = vec_room(
	    MEM_OTHER, r->found, &r->found_cap, r->found_cnt + 1, sizeof(*r->found));
	r->found[r->found_cnt++] = f;
}

/* list_of - all that was read, in an arena of its own. */
static struct iface_list *
list_of(const struct reading *r)
{
	struct iface_list *l = mem_zalloc(MEM_OTHER, sizeof(*l));
	struct iface_addr *addr;
	struct iface *iface;

	l->arena = mem_zalloc(MEM_OTHER, sizeof(*l->arena));
	arena_init(l->arena, MEM_OTHER, 1024);
	iface = arena_alloc(l->arena, (r->iface_cnt + 1) * sizeof(*iface));
	addr = arena_alloc(l->arena, (r->found_cnt + 1) * sizeof(*addr));
	for (uint32_t i = 0; i < r->iface_cnt; i++) {
		iface[i] = r->iface[i];
		iface[i].addr = addr;
		for (uint32_t k = 0; k < r->found_cnt; k++)
			if (r->found[k].iface == i)
				*addr++ = r->found[k].addr;
	}
	l->iface = iface;
	l->cnt = r->iface_cnt;
	return l;
}

struct iface_list *
iface_list_read(void)
{
	struct reading r = { .iface = NULL };
	struct iface_list *l;
	struct ifaddrs *all;

	if (getifaddrs(&all))
		return NULL;
	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		take_entry(&r, i);
	l = list_of(&r);
	freeifaddrs(all);
	mem_free(MEM_OTHER, r.iface);
	mem_free(MEM_OTHER, r.found);
	return l;
}

void
iface_list_free(TAKE struct iface_list *l)
{
	if (!l)
		return;
	arena_fini(l->arena);
	mem_free(MEM_OTHER, l->arena);
	mem_free(MEM_OTHER, l);
}

/* ---- looking ---- */

const struct iface *
iface_find(const struct iface_list *l, const char *name)
{
	for (uint32_t i = 0; i < l->cnt; i++)
		if (!strcmp(l->iface[i].name, name))
			return &l->iface[i];
	return NULL;
}

const struct iface *
iface_by_index(const struct iface_list *l, uint32_t index)
{
	for (uint32_t i = 0; i < l->cnt; i++)
		if (l->iface[i].index == index)
			return &l->iface[i];
	return NULL;
}

const struct iface *
iface_with(const struct iface_list *l, struct ip_addr own)
{
	for (uint32_t i = 0; i < l->cnt; i++)
		for (uint32_t k = 0; k < l->iface[i].addr_cnt; k++)
			if (ip_equal(l->iface[i].addr[k].own, own))
				return &l->iface[i];
	return NULL;
}

bool
iface_is_host(const struct prefix *subnet, struct ip_addr a)
{
	uint32_t host;

	if ((subnet->fam == FAM_IP4) != ip_is_v4(a) || !prefix_has_ip(subnet, a))
		return false;
	if (subnet->fam == FAM_IP6 || subnet->len > 30)
		return true;
	host = ip_to_v4(a) & ~mask4(subnet->len);
	return host && host != ~mask4(subnet->len);
}

unsigned
iface_mtu(const struct iface *i)
{
	struct ifreq r = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), mtu = 0;

	if (fd < 0)
		return 0;
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", i->name);
	if (!ioctl(fd, SIOCGIFMTU, &r))
		mtu = r.ifr_mtu;
	close(fd);
	return (unsigned)mtu;
}

/* ---- the source ---- */

static void
list_drop(struct rcu_node *n)
{
	iface_list_free(container_of(n, struct iface_list, rcu));
}

void
iface_source_refresh(struct iface_source *s)
{
	struct iface_list *old = load_relaxed_ptr(&s->list), *l = iface_list_read();

	if (!l) {
		if (!s->failed)
			log_msg(
			    LOG_C_ERR, "Can't read the interfaces: %s", strerror(errno));
		s->failed = true;
		if (s->timer.worker)
			timer_set(&s->timer, loop_now_ns(s->timer.worker) + AGAIN_NS);
		return;
	}
	s->failed = false;
	store_release_ptr(&s->list, l); /* pairs: IFACES */
	if (old)
		rcu_free_later(&old->rcu, list_drop);
}

static void
timer_fires(struct timer *t)
{
	struct iface_source *s = container_of(t, struct iface_source, timer);

	s->read_ns = loop_now_ns(t->worker);
	iface_source_refresh(s);
}

/* said - what the messages say is read from the system, and errors (too many came for the
 * socket's buffer) say the same: something has changed. */
static void
said(struct watch *wa, uint32_t events)
{
	struct iface_source *s = container_of(wa, struct iface_source, watch);
	uint64_t now = loop_now_ns(s->timer.worker);
	uint8_t drop[8192];

	(void)events;
	while (recv(wa->fd, drop, sizeof(drop), 0) > 0 || errno == EINTR)
		;
	if (timer_active(&s->timer))
		return;
	if (now - s->read_ns < IFACE_PAUSE_NS)
		timer_set(&s->timer, s->read_ns + IFACE_PAUSE_NS);
	else
		timer_fires(&s->timer);
}

int
iface_source_watch(struct iface_source *s, struct worker *w)
{
	struct sockaddr_nl sa = { .nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR };
	int fd = socket(
	    AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	int rc;

	s->watch.fd = -1;
	timer_init(&s->timer, w, timer_fires);
	rc = fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) ? -errno : 0;
	if (!rc)
		watch_add(&s->watch, w, fd, WATCH_READ, said);
	else if (fd >= 0)
		close(fd);
	iface_source_refresh(s); /* what came before the socket */
	return rc;
}

void
iface_source_stop(struct iface_source *s)
{
	int fd;

	timer_cancel(&s->timer);
	if (s->watch.fd < 0)
		return;
	fd = s->watch.fd;
	watch_del(&s->watch);
	close(fd);
}

void
iface_source_fini(struct iface_source *s)
{
	iface_list_free(load_relaxed_ptr(&s->list));
	store_relaxed_ptr(&s->list, NULL);
}
