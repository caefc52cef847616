/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's table of neighbors, which tests write (bridge_link.c) and rtnetlink lists.
 *
 * I1  A neighbor is found by interface and address. No message reports a change: daemons
 *     ask for the table.
 * I2  The neighbors of an interface that is gone are not listed.
 * I3  A neighbor without a MAC address is in state NUD_FAILED. */
#include "test/sim/link.h"
#include "test/sim/sim_netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* owner: the world. */
struct neighbor {
	struct neighbor *next;
	unsigned host;
	int index;
	unsigned char family;
	unsigned char octets[16];
	bool has_mac;
	unsigned char mac[6];
};

struct neighbors {
	struct neighbor *first;
};

struct neighbor_message {
	struct nlmsghdr h;
	struct ndmsg m;
	char room[64];
};

static struct neighbors *
neigh_get(void)
{
	return sim_root(&sim->neighbors, sizeof(struct neighbors));
}

/* neigh_find - the place of the neighbor in the list, or the end of the list. @want: its
 * facts from the words. Returns: NULL with errno: wrong words. */
static struct neighbor **
neigh_find(unsigned host, const char *name, const char *address, struct neighbor *want)
{
	struct neighbor **at = &neigh_get()->first;
	const struct link *l = link_find(host, name);

	*want = (struct neighbor){ .host = host };
	if (!l)
		return NULL;
	want->index = l->index;
	want->family = strchr(address, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(want->family, address, want->octets) != 1) {
		errno = EINVAL;
		return NULL;
	}
	while (*at && ((*at)->index != want->index || (*at)->family != want->family ||
			  memcmp((*at)->octets, want->octets, sizeof(want->octets))))
		at = &(*at)->next;
	return at;
}

static bool
neigh_read_mac(const char *text, unsigned char mac[6])
{
	unsigned o[6];
	char more;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%c", o, o + 1, o + 2, o + 3, o + 4,
		o + 5, &more) != 6)
		return false;
	for (unsigned i = 0; i < 6; i++)
		mac[i] = (unsigned char)o[i];
	return true;
}

int
neigh_set(unsigned host, const char *name, const char *address, const char *mac)
{
	struct neighbor want, **at = neigh_find(host, name, address, &want);

	if (!at)
		return -1;
	want.has_mac = mac != NULL;
	if (mac && !neigh_read_mac(mac, want.mac)) {
		errno = EINVAL;
		return -1;
	}
	want.next = *at ? (*at)->next : NULL;
	if (!*at)
		*at = malloc(sizeof(**at));
	**at = want;
	return 0;
}

int
neigh_delete(unsigned host, const char *name, const char *address)
{
	struct neighbor want, **at = neigh_find(host, name, address, &want), *gone;

	if (!at)
		return -1;
	gone = *at;
	if (!gone) {
		errno = ENOENT;
		return -1;
	}
	*at = gone->next;
	free(gone);
	return 0;
}

void
neigh_dump(struct nl *n, const struct nlmsghdr *h)
{
	for (const struct neighbor *e = neigh_get()->first; e; e = e->next) {
		struct neighbor_message b = { 0 };

		if (e->host != n->f.host || !link_by_index(e->index))
			continue;
		b.h.nlmsg_len = NLMSG_LENGTH(sizeof(b.m));
		b.h.nlmsg_type = RTM_NEWNEIGH;
		b.h.nlmsg_flags = NLM_F_MULTI;
		b.h.nlmsg_seq = h->nlmsg_seq;
		b.m.ndm_family = e->family;
		b.m.ndm_ifindex = e->index;
		b.m.ndm_state = e->has_mac ? NUD_REACHABLE : NUD_FAILED;
		nl_put_attr(&b, NDA_DST, e->octets, e->family == AF_INET ? 4 : 16);
		if (e->has_mac)
			nl_put_attr(&b, NDA_LLADDR, e->mac, sizeof(e->mac));
		nl_queue(n, &b, b.h.nlmsg_len, true);
	}
}
