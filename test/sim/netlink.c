/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rtnetlink: sockets, and the kernel's interfaces and addresses. Routes are in kroutes.c.
 *
 * A socket answers requests in the call of send. Changes are told to the sockets of the
 * group; what finds no room in a socket is lost, and the next recv says ENOBUFS. */
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

#define LINK_MAX 16

struct link {
	char name[16];
	bool up;
	char ip4[16], ip6[16]; /* octets */
	int len4, len6; /* -1: no address */
};

struct sim_links {
	struct link link[LINK_MAX];
	unsigned cnt;
	struct nl *first;
};

static struct sim_links *
links(void)
{
	return sim_root(&sim->links, sizeof(struct sim_links));
}

struct nl *
nl_first(void)
{
	return links()->first;
}

void
nl_queue(struct nl *n, const void *data, size_t len, bool answer)
{
	struct nl_message *m;

	if (!answer && n->queued + len > n->room) {
		n->lost = true;
		return;
	}
	m = malloc(sizeof(*m) + len);
	m->next = NULL;
	m->len = len;
	memcpy(m->data, data, len);
	*n->last = m;
	n->last = &m->next;
	n->queued += len;
}

void
nl_put_attr(void *msg, unsigned short type, const void *data, size_t len)
{
	struct nlmsghdr *h = msg;
	struct rtattr *a = (struct rtattr *)((char *)msg + NLMSG_ALIGN(h->nlmsg_len));

	a->rta_type = type;
	a->rta_len = (unsigned short)RTA_LENGTH(len);
	memcpy(RTA_DATA(a), data, len);
	h->nlmsg_len = (unsigned)(NLMSG_ALIGN(h->nlmsg_len) + RTA_ALIGN(a->rta_len));
}

static void
put_link(struct nl *n, unsigned i, unsigned seq, unsigned short flags)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg m;
		char room[256];
	} b = { 0 };
	const struct link *l = &links()->link[i];
	unsigned mtu = 1500;
	unsigned char state = l->up ? 6 : 2;

	b.h.nlmsg_len = NLMSG_LENGTH(sizeof(b.m));
	b.h.nlmsg_type = RTM_NEWLINK;
	b.h.nlmsg_flags = flags;
	b.h.nlmsg_seq = seq;
	b.m.ifi_family = AF_UNSPEC;
	b.m.ifi_type = i ? 1 : 772; /* ARPHRD_ETHER, ARPHRD_LOOPBACK */
	b.m.ifi_index = (int)i + 1;
	b.m.ifi_flags = IFF_UP | IFF_MULTICAST | (i ? IFF_BROADCAST : IFF_LOOPBACK) |
			(l->up ? IFF_RUNNING | 0x10000 : 0);
	nl_put_attr(&b, IFLA_IFNAME, l->name, strlen(l->name) + 1);
	nl_put_attr(&b, IFLA_MTU, &mtu, sizeof(mtu));
	nl_put_attr(&b, IFLA_OPERSTATE, &state, sizeof(state));
	nl_queue(n, &b, b.h.nlmsg_len, flags & NLM_F_MULTI);
}

static void
put_addr(struct nl *n, unsigned i, unsigned seq, unsigned char family)
{
	struct {
		struct nlmsghdr h;
		struct ifaddrmsg m;
		char room[128];
	} b = { 0 };
	const struct link *l = &links()->link[i];
	bool v4 = family == AF_INET;
	int len = v4 ? l->len4 : l->len6;

	if (len < 0)
		return;
	b.h.nlmsg_len = NLMSG_LENGTH(sizeof(b.m));
	b.h.nlmsg_type = RTM_NEWADDR;
	b.h.nlmsg_flags = NLM_F_MULTI;
	b.h.nlmsg_seq = seq;
	b.m.ifa_family = family;
	b.m.ifa_prefixlen = (unsigned char)len;
	b.m.ifa_flags = IFA_F_PERMANENT;
	b.m.ifa_scope = i ? RT_SCOPE_UNIVERSE : RT_SCOPE_HOST;
	b.m.ifa_index = i + 1;
	nl_put_attr(&b, IFA_ADDRESS, v4 ? l->ip4 : l->ip6, v4 ? 4 : 16);
	if (v4)
		nl_put_attr(&b, IFA_LOCAL, l->ip4, 4);
	nl_queue(n, &b, b.h.nlmsg_len, true);
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
	n->queued -= m->len;
	free(m);
	return (ssize_t)(flags & MSG_TRUNC || whole < len ? whole : len);
}

/* nl_dump - all links, or all addresses. */
static void
nl_dump(struct nl *n, const struct nlmsghdr *h)
{
	for (unsigned i = 0; i < links()->cnt; i++) {
		if (h->nlmsg_type == RTM_GETLINK)
			put_link(n, i, h->nlmsg_seq, NLM_F_MULTI);
		if (h->nlmsg_type == RTM_GETADDR) {
			put_addr(n, i, h->nlmsg_seq, AF_INET);
			put_addr(n, i, h->nlmsg_seq, AF_INET6);
		}
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
		/* the program of sysdep/netlink.c: its jump names the protocol */
		const struct sock_fprog *prog = value;

		n->deaf_to = prog->len == 4 ? (int)prog->filter[1].k : -1;
	}
	return 0;
}

static void
nl_close(struct sim_file *f)
{
	struct nl **at = &links()->first, *n = (struct nl *)f;

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
	n->next = links()->first;
	links()->first = n;
	return sim_fd_new(&n->f, type & SOCK_NONBLOCK);
}

void
sim_link_add(const char *name, const char *ip4, int len4, const char *ip6, int len6)
{
	struct link *l = &links()->link[links()->cnt++];

	snprintf(l->name, sizeof(l->name), "%s", name);
	l->up = true;
	l->len4 = ip4 ? len4 : -1;
	l->len6 = ip6 ? len6 : -1;
	if (ip4)
		inet_pton(AF_INET, ip4, l->ip4);
	if (ip6)
		inet_pton(AF_INET6, ip6, l->ip6);
}

bool
sim_link_has(const char *address)
{
	bool v6 = strchr(address, ':');
	char octets[16];

	if (!strncmp(address, "127.", 4))
		return true;
	if (inet_pton(v6 ? AF_INET6 : AF_INET, address, octets) != 1)
		return false;
	for (unsigned i = 0; i < links()->cnt; i++) {
		const struct link *l = &links()->link[i];

		if ((v6 ? l->len6 : l->len4) >= 0 &&
		    !memcmp(octets, v6 ? l->ip6 : l->ip4, v6 ? 16 : 4))
			return true;
	}
	return false;
}

bool
sim_link_source(int family, struct sockaddr_storage *out)
{
	for (unsigned i = 0; i < links()->cnt; i++) {
		const struct link *l = &links()->link[i];

		if ((family == AF_INET6 ? l->len6 : l->len4) < 0 ||
		    !strcmp(l->name, "lo"))
			continue;
		out->ss_family = (sa_family_t)family;
		if (family == AF_INET6)
			memcpy(&((struct sockaddr_in6 *)out)->sin6_addr, l->ip6, 16);
		else
			memcpy(&((struct sockaddr_in *)out)->sin_addr, l->ip4, 4);
		return true;
	}
	return false;
}

/* same_bits - are the first @len bits the same? */
static bool
same_bits(const char *a, const char *b, int len)
{
	unsigned char mask = (unsigned char)(0xff00 >> len % 8);

	return !memcmp(a, b, (size_t)len / 8) &&
	       (!(len % 8) || !((a[len / 8] ^ b[len / 8]) & mask));
}

const char *
sim_link_name(int index)
{
	return index > 0 && index <= (int)links()->cnt ? links()->link[index - 1].name
						       : NULL;
}

int
sim_link_of(const char *address)
{
	bool v6 = strchr(address, ':');
	char octets[16];

	if (inet_pton(v6 ? AF_INET6 : AF_INET, address, octets) != 1)
		return 0;
	for (unsigned i = 0; i < links()->cnt; i++) {
		const struct link *l = &links()->link[i];
		int len = v6 ? l->len6 : l->len4;

		if (len >= 0 && same_bits(octets, v6 ? l->ip6 : l->ip4, len))
			return (int)i + 1;
	}
	return 0;
}

bool
sim_link_is_up(int index)
{
	return links()->link[index - 1].up;
}

void
sim_link_set(const char *name, bool up)
{
	for (unsigned i = 0; i < links()->cnt; i++) {
		if (strcmp(links()->link[i].name, name))
			continue;
		links()->link[i].up = up;
		sim_event("link %s is %s", name, up ? "up" : "down");
		for (struct nl *n = links()->first; n; n = n->next)
			if (n->groups & RTMGRP_LINK)
				put_link(n, i, 0, 0);
	}
	sim_moment(sim_now() + 1);
}
