/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interfaces and addresses of the simulated hosts.
 *
 * I1  Host 0 has the members and the daemons of most tests. Other hosts stand for network
 *     namespaces: a daemon sees the interfaces of its host alone.
 * I2  An address that is on an interface of some host is reachable from each host, as if
 *     routes led there, unless a link between them is down.
 * I3  As in the kernel: a link that is set down loses its IPv6 addresses; a link whose
 *     IPv4 primary address is deleted loses the secondary addresses of the subnet; the
 *     ends of a pair have a carrier while both are up, and are deleted together.
 * I4  IPv6 addresses are never tentative. */
#include "test/sim/link.h"

#include "test/sim/sim_priv.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_links {
	struct link *first;
	int last_index;
};

static struct sim_links *
link_links(void)
{
	return sim_root(&sim->links, sizeof(struct sim_links));
}

struct link *
link_first(void)
{
	return link_links()->first;
}

struct link *
link_by_index(int index)
{
	struct link *l = link_first();

	while (l && l->index != index)
		l = l->next;
	return l;
}

struct link *
link_find(unsigned host, const char *name)
{
	for (struct link *l = link_first(); l; l = l->next)
		if (l->host == host && !strcmp(l->name, name))
			return l;
	errno = ENODEV;
	return NULL;
}

bool
link_runs(const struct link *l)
{
	return l->is_up && l->has_cable && (!l->pair || l->pair->is_up);
}

static bool
is_loopback(const struct link *l)
{
	return !strcmp(l->name, "lo");
}

/* ---- octets ---- */

/* octets_of - of "ADDRESS" or "ADDRESS%INDEX". Sets *@index, 0: none. Returns: the
 * family, 0: no address. */
static sa_family_t
link_octets_of(const char *address, unsigned char out[16], int *index)
{
	char text[64];
	char *zone;

	strlcpy(text, address, sizeof(text));
	zone = strchr(text, '%');
	if (zone)
		*zone++ = 0;
	*index = zone ? atoi(zone) : 0;
	if (inet_pton(AF_INET, text, out) == 1)
		return AF_INET;
	return inet_pton(AF_INET6, text, out) == 1 ? AF_INET6 : 0;
}

static size_t
link_size_of(sa_family_t family)
{
	return family == AF_INET ? 4 : 16;
}

/* roa_same_bits - are the first @len bits equal? */
static bool
link_same(const unsigned char *a, const unsigned char *b, int len)
{
	unsigned char mask = (unsigned char)(0xff00 >> len % 8);

	return !memcmp(a, b, (size_t)len / 8) &&
	       (!(len % 8) || !((a[len / 8] ^ b[len / 8]) & mask));
}

static bool
is_link_local(sa_family_t family, const unsigned char *octets)
{
	return family == AF_INET6 && octets[0] == 0xfe && (octets[1] & 0xc0) == 0x80;
}

/* ---- changes ---- */

static void
link_changed(const struct link *l)
{
	sim_event(
	    "link %s of host %u is %s", l->name, l->host, link_runs(l) ? "up" : "down");
	netlink_link_changed(l);
	if (l->pair)
		netlink_link_changed(l->pair);
	sim_moment(sim_now() + 1);
}

/* has_address - an IPv4 address may stand on a link once with each length, as in the
 * kernel. @len: -1: each length. */
static bool
link_holds(const struct link *l, sa_family_t family, const unsigned char *octets, int len)
{
	const struct link_address *a = l->first;

	while (a &&
	       (a->family != family || (family == AF_INET && len >= 0 && a->len != len) ||
		   memcmp(a->octets, octets, link_size_of(family))))
		a = a->next;
	return a;
}

/* address_put - @octets on @l. Returns: false: the link has the address. */
static bool
address_put(struct link *l, sa_family_t family, const unsigned char *octets,
    const unsigned char *peer, int len)
{
	struct link_address *a, **at = &l->first;

	if (link_holds(l, family, octets, len))
		return false;
	a = calloc(1, sizeof(*a));
	a->family = family;
	a->len = len;
	memcpy(a->octets, octets, link_size_of(family));
	if (peer) {
		a->has_peer = true;
		memcpy(a->peer, peer, link_size_of(family));
	}
	for (; *at && !(family == AF_INET && (*at)->family == AF_INET6);
	     at = &(*at)->next)
		if (family == AF_INET && (*at)->len == len && !peer &&
		    link_same((*at)->octets, octets, len))
			a->is_secondary = true;
	a->next = *at;
	*at = a;
	netlink_address_changed(l, a, false);
	return true;
}

/* address_drop - the address at @at. */
static void
address_drop(struct link *l, struct link_address **at)
{
	struct link_address *a = *at;

	*at = a->next;
	netlink_address_changed(l, a, true);
	free(a);
}

static void
link_drop_all(struct link *l, sa_family_t family)
{
	struct link_address **at = &l->first;

	while (*at)
		if (!family || (*at)->family == family)
			address_drop(l, at);
		else
			at = &(*at)->next;
}

/* generate - add the addresses that the kernel gives to a new running link. */
static void
link_generate(struct link *l)
{
	unsigned char octets[16] = { 0xfe, 0x80, [11] = 0xff, [12] = 0xfe };

	if (is_loopback(l)) {
		link_octets_of("127.0.0.1", octets, &(int){ 0 });
		address_put(l, AF_INET, octets, NULL, 8);
		link_octets_of("::1", octets, &(int){ 0 });
		address_put(l, AF_INET6, octets, NULL, 128);
		return;
	}
	octets[14] = (unsigned char)(l->index >> 8);
	octets[15] = (unsigned char)l->index;
	for (const struct link_address *a = l->first; a; a = a->next)
		if (is_link_local(a->family, a->octets))
			return;
	if (l->generates && link_runs(l))
		address_put(l, AF_INET6, octets, NULL, 64);
}

static struct link *
link_new(unsigned host, const char *name)
{
	struct link *l = calloc(1, sizeof(*l)), **at = &link_links()->first;

	while (*at)
		at = &(*at)->next;
	*at = l;
	l->host = host;
	l->index = ++link_links()->last_index;
	strlcpy(l->name, name, sizeof(l->name));
	l->has_cable = l->generates = true;
	l->mtu = is_loopback(l) ? 65536 : 1500;
	return l;
}

int
link_make(unsigned host, const char *name, const char *pair)
{
	struct link *l;

	if (link_find(host, name) || (pair && link_find(host, pair))) {
		errno = EEXIST;
		return -1;
	}
	l = link_new(host, name);
	if (pair) {
		l->pair = link_new(host, pair);
		l->pair->pair = l;
	}
	link_changed(l);
	return 0;
}

static void
link_drop(struct link *l)
{
	struct link **at = &link_links()->first;

	l->is_up = false;
	link_drop_all(l, 0);
	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	netlink_link_gone(l);
	if (l->pair)
		l->pair->pair = NULL;
	sim_event("link %s of host %u is gone", l->name, l->host);
	free(l);
}

int
link_delete(unsigned host, const char *name)
{
	struct link *l = link_find(host, name);

	if (!l || is_loopback(l)) {
		errno = l ? EOPNOTSUPP : ENODEV;
		return -1;
	}
	if (l->pair)
		link_drop(l->pair);
	link_drop(l);
	sim_moment(sim_now() + 1);
	return 0;
}

int
link_set_up(unsigned host, const char *name, bool up)
{
	struct link *l = link_find(host, name);

	if (!l)
		return -1;
	if (l->is_up == up)
		return 0;
	l->is_up = up;
	if (!up)
		link_drop_all(l, AF_INET6);
	link_changed(l);
	if (up)
		link_generate(l);
	if (up && l->pair)
		link_generate(l->pair);
	return 0;
}

int
link_rename(unsigned host, const char *name, const char *now)
{
	struct link *l = link_find(host, name);

	if (!l || link_find(host, now) || l->is_up) {
		errno = !l ? ENODEV : l->is_up ? EBUSY : EEXIST;
		return -1;
	}
	strlcpy(l->name, now, sizeof(l->name));
	link_changed(l);
	return 0;
}

int
link_move(unsigned host, const char *name, unsigned to)
{
	struct link *l = link_find(host, name);

	if (!l || link_find(to, name)) {
		errno = l ? EEXIST : ENODEV;
		return -1;
	}
	l->is_up = false;
	link_drop_all(l, 0);
	netlink_link_gone(l);
	l->host = to;
	link_changed(l);
	return 0;
}

int
link_set_mtu(unsigned host, const char *name, unsigned mtu)
{
	struct link *l = link_find(host, name);

	if (!l)
		return -1;
	l->mtu = mtu;
	link_changed(l);
	return 0;
}

int
link_set_generates(unsigned host, const char *name, bool on)
{
	struct link *l = link_find(host, name);

	if (!l)
		return -1;
	l->generates = on;
	return 0;
}

int
link_address_add(
    unsigned host, const char *name, const char *address, const char *peer, int len)
{
	struct link *l = link_find(host, name);
	unsigned char octets[16], other[16];
	sa_family_t family;
	int index;

	if (!l)
		return -1;
	family = link_octets_of(address, octets, &index);
	if (!family || (peer && link_octets_of(peer, other, &index) != family) ||
	    len < 0 || len > 8 * (int)link_size_of(family)) {
		errno = EINVAL;
		return -1;
	}
	if (family == AF_INET6 && !l->is_up)
		sim_event("%s is added to a link that is down", address);
	if (!address_put(l, family, octets, peer ? other : NULL, len)) {
		errno = EEXIST;
		return -1;
	}
	sim_moment(sim_now() + 1);
	return 0;
}

int
link_address_delete(unsigned host, const char *name, const char *address, int len)
{
	struct link *l = link_find(host, name);
	unsigned char octets[16];
	struct link_address **at, was;
	sa_family_t family;
	int index;

	if (!l)
		return -1;
	family = link_octets_of(address, octets, &index);
	at = &l->first;
	while (*at && ((*at)->family != family || (len >= 0 && (*at)->len != len) ||
			  memcmp((*at)->octets, octets, link_size_of(family))))
		at = &(*at)->next;
	if (!*at) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	was = **at;
	address_drop(l, at);
	for (at = &l->first; family == AF_INET && !was.is_secondary && *at;)
		if ((*at)->is_secondary && (*at)->family == family &&
		    (*at)->len == was.len && link_same((*at)->octets, octets, was.len))
			address_drop(l, at);
		else
			at = &(*at)->next;
	sim_moment(sim_now() + 1);
	return 0;
}

size_t
link_show(unsigned host, char *out, size_t room)
{
	size_t at = 0;

	for (const struct link *l = link_first(); l && at < room; l = l->next) {
		if (l->host != host)
			continue;
		at += (size_t)snprintf(out + at, room - at, "%d %s %s %s %u %s\n",
		    l->index, l->name, l->is_up ? "up" : "down",
		    link_runs(l) ? "runs" : "dead", l->mtu,
		    l->pair && l->pair->host == host ? l->pair->name : "-");
		for (const struct link_address *a = l->first; a && at < room;
		     a = a->next) {
			char own[64], peer[64] = "-";

			inet_ntop(a->family, a->octets, own, sizeof(own));
			if (a->has_peer)
				inet_ntop(a->family, a->peer, peer, sizeof(peer));
			at += (size_t)snprintf(
			    out + at, room - at, " %s %d %s\n", own, a->len, peer);
		}
	}
	return at < room ? at : room;
}

/* ---- stories ---- */

void
sim_link_add(const char *name, const char *ip4, int len4, const char *ip6, int len6)
{
	struct link *l = link_new(0, name);
	unsigned char octets[16];

	l->is_up = true;
	l->generates = false;
	if (ip4 && link_octets_of(ip4, octets, &(int){ 0 }) == AF_INET)
		address_put(l, AF_INET, octets, NULL, len4);
	if (ip6 && link_octets_of(ip6, octets, &(int){ 0 }) == AF_INET6)
		address_put(l, AF_INET6, octets, NULL, len6);
}

void
sim_link_set(const char *name, bool up)
{
	struct link *l = link_find(0, name);

	if (l) {
		l->has_cable = up;
		sim_event("link %s is %s", name, up ? "up" : "down");
		netlink_link_changed(l);
	}
	sim_moment(sim_now() + 1);
}

/* ---- questions ---- */

bool
link_has(unsigned host, const char *address)
{
	unsigned char octets[16];
	int index;
	sa_family_t family = link_octets_of(address, octets, &index);

	if (family == AF_INET && octets[0] == 127)
		return true;
	for (const struct link *l = link_first(); family && l; l = l->next)
		if (l->host == host && (!index || l->index == index) &&
		    link_holds(l, family, octets, -1))
			return true;
	return false;
}

const struct link *
link_toward(unsigned host, const char *address)
{
	unsigned char octets[16];
	int index;
	sa_family_t family = link_octets_of(address, octets, &index);

	if (index)
		return link_by_index(index);
	for (const struct link *l = link_first(); family && l; l = l->next) {
		if (l->host != host)
			continue;
		for (const struct link_address *a = l->first; a; a = a->next)
			if (a->family == family &&
			    link_same(octets, a->has_peer ? a->peer : a->octets, a->len))
				return l;
	}
	return NULL;
}

unsigned
link_index_toward(const char *address)
{
	const struct link *l = link_toward(0, address);

	return l ? (unsigned)l->index : 0;
}

const char *
link_name_of(int index)
{
	const struct link *l = link_by_index(index);

	return l ? l->name : NULL;
}

/* link_with - of any host: the interface that has the address itself. */
static const struct link *
link_with(const char *address)
{
	unsigned char octets[16];
	int index;
	sa_family_t family = link_octets_of(address, octets, &index);

	for (const struct link *l = link_first(); family && l; l = l->next)
		if ((!index || l->index == index) && link_holds(l, family, octets, -1))
			return l;
	return NULL;
}

bool
link_source(unsigned host, int family, const char *to, struct sockaddr_storage *out)
{
	const struct link *near = link_toward(host, to);
	unsigned char octets[16];
	bool is_local = is_link_local(link_octets_of(to, octets, &(int){ 0 }), octets);

	for (const struct link *l = link_first(); l; l = l->next) {
		if (l->host != host || is_loopback(l) ||
		    (near && l != near && !is_loopback(near)))
			continue;
		for (const struct link_address *a = l->first; a; a = a->next) {
			if (a->family != family ||
			    (is_local && !is_link_local(family, a->octets)))
				continue;
			out->ss_family = a->family;
			if (family == AF_INET6)
				memcpy(&((struct sockaddr_in6 *)out)->sin6_addr,
				    a->octets, 16);
			else
				memcpy(
				    &((struct sockaddr_in *)out)->sin_addr, a->octets, 4);
			return true;
		}
	}
	return false;
}

int
link_arrival(const char *address, int index)
{
	unsigned char octets[16];
	int none;
	sa_family_t family = link_octets_of(address, octets, &none);
	const struct link *l = link_by_index(index);

	if (!l || !family || link_holds(l, family, octets, -1) || !l->pair)
		return index;
	return l->pair->index;
}

/* hosts_are_apart - no pair between the hosts runs. */
static bool
hosts_are_apart(unsigned a, unsigned b)
{
	for (const struct link *l = link_first(); l; l = l->next)
		if (l->host == a && l->pair && l->pair->host == b && link_runs(l))
			return false;
	return a != b;
}

bool
link_path_is_down(const char *from, const char *to)
{
	const struct link *a = link_with(from), *b = link_with(to);

	if (!a || !b || a == b)
		return false;
	if (is_loopback(a) || is_loopback(b))
		return hosts_are_apart(a->host, b->host);
	return !link_runs(a) || !link_runs(b);
}
