/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rtnetlink: sockets, and their news about the interfaces and addresses of link.c.
 * kroutes.c has the routes.
 *
 * I1  A socket answers requests in the call of send.
 * I2  A change goes to the sockets of the host whose groups ask for the change.
 * I3  A socket without room loses news, and the next recv says ENOBUFS. */
#include "test/sim/link.h"
#include "test/sim/sim_netlink.h"
#include "test/sim/sim_sock.h"
#include "test/sim/sim_priv.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <linux/filter.h>
#include <linux/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MESSAGE_COST 1024 /* of the buffer, beside its octets */

struct nl *
nl_first(void)
{
	return sim->netlink;
}

void
nl_queue(struct nl *n, const void *data, size_t len, bool answer)
{
	struct nl_message *m;

	if (!answer && n->queued + len + MESSAGE_COST > n->room) {
		n->lost = true;
		return;
	}
	m = malloc(sizeof(*m) + len);
	m->next = NULL;
	m->len = len;
	memcpy(m->data, data, len);
	*n->last = m;
	n->last = &m->next;
	n->queued += len + MESSAGE_COST;
}

void
nl_put_attr(void *msg, unsigned short type, const void *data, size_t len)
{
	struct nlmsghdr *h = msg;
	char *at = (char *)msg + NLMSG_ALIGN(h->nlmsg_len);
	struct rtattr a = { .rta_type = type,
		.rta_len = (unsigned short)RTA_LENGTH(len) };

	memcpy(at, &a, sizeof(a));
	memcpy(at + RTA_LENGTH(0), data, len);
	h->nlmsg_len = (unsigned)(NLMSG_ALIGN(h->nlmsg_len) + RTA_ALIGN(a.rta_len));
}

/* tell - I2, I3. */
static void
netlink_notify(unsigned host, unsigned group, const void *data, size_t len)
{
	for (struct nl *n = nl_first(); n; n = n->next)
		if (n->f.host == host && n->groups & group)
			nl_queue(n, data, len, false);
}

/* A message with room for its attributes. */
struct link_message {
	struct nlmsghdr h;
	struct ifinfomsg m;
	char room[256];
};

struct address_message {
	struct nlmsghdr h;
	struct ifaddrmsg m;
	char room[128];
};

static struct link_message
link_message(const struct link *l, unsigned short type)
{
	struct link_message b = { 0 };
	bool is_lo = !strcmp(l->name, "lo"), runs = link_runs(l);
	unsigned mtu = l->mtu;
	unsigned char state = runs ? 6 : 2;

	b.h.nlmsg_len = NLMSG_LENGTH(sizeof(b.m));
	b.h.nlmsg_type = type;
	b.m.ifi_family = AF_UNSPEC;
	b.m.ifi_type = is_lo ? 772 : 1; /* ARPHRD_LOOPBACK, ARPHRD_ETHER */
	b.m.ifi_index = l->index;
	b.m.ifi_flags = (l->is_up ? IFF_UP : 0) |
			(is_lo ? IFF_LOOPBACK : IFF_BROADCAST | IFF_MULTICAST) |
			(runs ? IFF_RUNNING | 0x10000 : 0);
	nl_put_attr(&b, IFLA_IFNAME, l->name, strlen(l->name) + 1);
	nl_put_attr(&b, IFLA_MTU, &mtu, sizeof(mtu));
	nl_put_attr(&b, IFLA_OPERSTATE, &state, sizeof(state));
	if (l->pair && l->pair->host == l->host)
		nl_put_attr(&b, IFLA_LINK, &l->pair->index, sizeof(int));
	return b;
}

/* scope_of - as the kernel derives the scope of an address. */
static unsigned char
scope_of(const struct link_address *a)
{
	static const unsigned char one[16] = { [15] = 1 };

	if (a->family == AF_INET)
		return a->octets[0] == 127 ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
	if (!memcmp(a->octets, one, 16))
		return RT_SCOPE_HOST;
	return a->octets[0] == 0xfe && (a->octets[1] & 0xc0) == 0x80 ? RT_SCOPE_LINK
								     : RT_SCOPE_UNIVERSE;
}

static struct address_message
address_message(const struct link *l, const struct link_address *a, unsigned short type)
{
	struct address_message b = { 0 };
	bool v4 = a->family == AF_INET;
	size_t size = v4 ? 4 : 16;

	b.h.nlmsg_len = NLMSG_LENGTH(sizeof(b.m));
	b.h.nlmsg_type = type;
	b.m.ifa_family = (unsigned char)a->family;
	b.m.ifa_prefixlen = (unsigned char)a->len;
	b.m.ifa_flags = IFA_F_PERMANENT | (a->is_secondary ? IFA_F_SECONDARY : 0);
	b.m.ifa_scope = scope_of(a);
	b.m.ifa_index = (unsigned)l->index;
	nl_put_attr(&b, IFA_ADDRESS, a->has_peer ? a->peer : a->octets, size);
	if (v4 || a->has_peer)
		nl_put_attr(&b, IFA_LOCAL, a->octets, size);
	return b;
}

void
netlink_link_changed(const struct link *l)
{
	struct link_message b = link_message(l, RTM_NEWLINK);

	netlink_notify(l->host, RTMGRP_LINK, &b, b.h.nlmsg_len);
}

void
netlink_link_gone(const struct link *l)
{
	struct link_message b = link_message(l, RTM_DELLINK);

	netlink_notify(l->host, RTMGRP_LINK, &b, b.h.nlmsg_len);
}

void
netlink_address_changed(const struct link *l, const struct link_address *a, bool gone)
{
	struct address_message b = address_message(
	    l, a, gone ? RTM_DELADDR : RTM_NEWADDR);

	netlink_notify(l->host,
	    a->family == AF_INET ? RTMGRP_IPV4_IFADDR : RTMGRP_IPV6_IFADDR, &b,
	    b.h.nlmsg_len);
}

static void
dump_link(struct nl *n, const struct link *l, unsigned seq)
{
	struct link_message b = link_message(l, RTM_NEWLINK);

	b.h.nlmsg_flags = NLM_F_MULTI;
	b.h.nlmsg_seq = seq;
	nl_queue(n, &b, b.h.nlmsg_len, true);
}

static void
dump_addresses(struct nl *n, const struct link *l, unsigned seq)
{
	for (const struct link_address *a = l->first; a; a = a->next) {
		struct address_message b = address_message(l, a, RTM_NEWADDR);

		b.h.nlmsg_flags = NLM_F_MULTI;
		b.h.nlmsg_seq = seq;
		nl_queue(n, &b, b.h.nlmsg_len, true);
	}
}

static short
nl_events(struct sim_file *f)
{
	const struct nl *n = (const struct nl *)f;

	return POLLOUT | (n->first || n->lost ? POLLIN : 0) | (n->lost ? POLLERR : 0);
}

static ssize_t
nl_read(struct sim_file *f, void *buf, size_t len, int flags)
{
	struct nl *n = (struct nl *)f;
	struct nl_message *m = n->first;
	size_t whole;

	if (n->lost || !m) {
		errno = n->lost ? ENOBUFS : EAGAIN;
		n->lost = false;
		return -1;
	}
	whole = m->len;
	memcpy(buf, m->data, whole < len ? whole : len);
	n->first = m->next;
	if (!n->first)
		n->last = &n->first;
	n->queued -= m->len + MESSAGE_COST;
	free(m);
	return (ssize_t)(flags & MSG_TRUNC || whole < len ? whole : len);
}

/* nl_dump - all links, or all addresses. */
static void
nl_dump(struct nl *n, const struct nlmsghdr *h)
{
	for (const struct link *l = link_first(); l; l = l->next) {
		if (l->host != n->f.host)
			continue;
		if (h->nlmsg_type == RTM_GETLINK)
			dump_link(n, l, h->nlmsg_seq);
		if (h->nlmsg_type == RTM_GETADDR)
			dump_addresses(n, l, h->nlmsg_seq);
	}
}

static void
nl_done(struct nl *n, const struct nlmsghdr *h)
{
	struct {
		struct nlmsghdr h;
		int error;
	} done = { .h = { .nlmsg_len = sizeof(done),
		       .nlmsg_type = NLMSG_DONE,
		       .nlmsg_flags = NLM_F_MULTI,
		       .nlmsg_seq = h->nlmsg_seq } };

	nl_queue(n, &done, sizeof(done), true);
}

/* nl_error - as with NETLINK_CAP_ACK: the request's header alone. */
static void
nl_error(struct nl *n, const struct nlmsghdr *h, int error)
{
	struct {
		struct nlmsghdr h;
		struct nlmsgerr e;
	} m = { .h = { .nlmsg_len = sizeof(m),
		    .nlmsg_type = NLMSG_ERROR,
		    .nlmsg_seq = h->nlmsg_seq },
		.e = { .error = error, .msg = *h } };

	nl_queue(n, &m, sizeof(m), true);
}

/* nl_write - several requests may lie in one call. */
static ssize_t
nl_write(struct sim_file *f, const void *buf, size_t len, int flags)
{
	struct nl *n = (struct nl *)f;

	(void)flags;
	for (size_t at = 0; at + sizeof(struct nlmsghdr) <= len;) {
		const struct nlmsghdr *h = (const void *)((const char *)buf + at);
		int error = 0;

		if (h->nlmsg_len < sizeof(*h) || h->nlmsg_len > len - at)
			sim_fail("a netlink message of %u octets", h->nlmsg_len);
		if (h->nlmsg_type == RTM_GETLINK || h->nlmsg_type == RTM_GETADDR)
			nl_dump(n, h);
		else if (h->nlmsg_type == RTM_GETNEIGH)
			neigh_dump(n, h);
		else
			error = kroutes_request(n, h);
		if (error || h->nlmsg_flags & NLM_F_ACK)
			nl_error(n, h, error);
		else if (h->nlmsg_flags & NLM_F_DUMP)
			nl_done(n, h);
		at += NLMSG_ALIGN(h->nlmsg_len);
	}
	return (ssize_t)len;
}

static int
nl_bind(struct sim_file *f, const struct sockaddr *sa, socklen_t len)
{
	const struct sockaddr_nl *want = (const void *)sa;

	(void)len;
	((struct nl *)f)->groups = want->nl_groups;
	return 0;
}

static int
nl_option(struct sim_file *f, int level, int option, const void *value, socklen_t len)
{
	struct nl *n = (struct nl *)f;

	(void)len;
	if (level == SOL_SOCKET && option == SO_RCVBUFFORCE)
		n->room = (size_t) * (const int *)value;
	if (level == SOL_SOCKET && option == SO_ATTACH_FILTER) {
		/* the program of sysdep/sock/netlink.c: its jump names the protocol */
		const struct sock_fprog *prog = value;

		n->deaf_to = prog->len == 4 ? (int)prog->filter[1].k : -1;
	}
	return 0;
}

static void
nl_close(struct sim_file *f)
{
	struct nl **at = (struct nl **)&sim->netlink, *n = (struct nl *)f;

	while (*at != (struct nl *)f)
		at = &(*at)->next;
	*at = (*at)->next;
	for (struct nl_message *m = n->first, *next; m; m = next) {
		next = m->next;
		free(m);
	}
	free(f);
}

static const struct sim_file_ops nl_ops = { .name = "netlink",
	.events = nl_events,
	.read = nl_read,
	.write = nl_write,
	.close = nl_close,
	.bind = nl_bind,
	.option = nl_option };

int
sim_netlink_new(int type, int protocol)
{
	struct nl *n;

	if (protocol != NETLINK_ROUTE) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	n = calloc(1, sizeof(*n));
	n->f.ops = &nl_ops;
	n->last = &n->first;
	n->room = 212992;
	n->deaf_to = -1;
	n->next = sim->netlink;
	sim->netlink = n;
	return sim_fd_new(&n->f, type & SOCK_NONBLOCK);
}
