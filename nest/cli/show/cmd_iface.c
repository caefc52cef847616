/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show interfaces, and which interface a next hop is behind. Asked of the kernel when a
 * command needs it: the daemon itself keeps no list of interfaces yet.
 *
 * Loop: the session's. */
#include "nest/cli/show/cmd_iface.h"
#include "nest/cli/cmd_list.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

void
iface_list_init(struct iface_list *l)
{
	if (getifaddrs(&l->all))
		l->all = NULL;
}

void
iface_list_fini(struct iface_list *l)
{
	if (l->all)
		freeifaddrs(l->all);
	l->all = NULL;
}

static bool
get_addr(const struct sockaddr *sa, struct ip_addr *out)
{
	if (!sa)
		return false;
	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, sa, sizeof(in));
		*out = ip4(ntohl(in.sin_addr.s_addr));
		return true;
	}
	if (sa->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, sa, sizeof(in6));
		*out = ip_get16(in6.sin6_addr.s6_addr);
		return true;
	}
	return false;
}

/* The subnet of one entry. */
static bool
get_subnet(const struct ifaddrs *i, struct prefix *out, struct ip_addr *addr)
{
	struct ip_addr mask;
	enum family fam;
	unsigned len;

	if (!get_addr(i->ifa_addr, addr))
		return false;
	fam = i->ifa_addr->sa_family == AF_INET ? FAM_IP4 : FAM_IP6;
	if (fam == FAM_IP4) {
		struct sockaddr_in in = { 0 };

		if (i->ifa_netmask)
			memcpy(&in, i->ifa_netmask, sizeof(in));
		len = (unsigned)__builtin_popcount(in.sin_addr.s_addr);
	} else {
		struct sockaddr_in6 in6 = { 0 };

		if (i->ifa_netmask)
			memcpy(&in6, i->ifa_netmask, sizeof(in6));
		mask = ip_get16(in6.sin6_addr.s6_addr);
		len = (unsigned)(__builtin_popcountll(mask.hi) +
				 __builtin_popcountll(mask.lo));
	}
	*out = prefix_make(*addr, len, fam);
	return true;
}

const char *
iface_of(const struct iface_list *l, struct ip_addr a)
{
	const char *best = NULL;
	unsigned best_len = 0;

	for (const struct ifaddrs *i = l->all; i; i = i->ifa_next) {
		struct prefix p;
		struct ip_addr own;

		if (!get_subnet(i, &p, &own) || !prefix_has_ip(&p, a) ||
		    (p.fam == FAM_IP4) != ip_is_v4(a))
			continue;
		if (!best || p.len > best_len) {
			best = i->ifa_name;
			best_len = p.len;
		}
	}
	return best;
}

/* ---- show interfaces ---- */

static int
mtu_of(const char *name)
{
	struct ifreq r = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), mtu = 0;

	if (fd < 0)
		return 0;
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	if (!ioctl(fd, SIOCGIFMTU, &r))
		mtu = r.ifr_mtu;
	close(fd);
	return mtu;
}

static const char *
scope_of(struct ip_addr a)
{
	uint32_t v4 = ip_to_v4(a);

	if (ip_is_v4(a)) {
		if (v4 >> 24 == 127)
			return "host";
		if (v4 >> 16 == 0xa9fe)
			return "link";
		return v4 >> 24 == 10 || v4 >> 20 == 0xac1 || v4 >> 16 == 0xc0a8 ? "site"
										 : "univ";
	}
	if (a.hi == 0 && a.lo == 1)
		return "host";
	if (ip_is_link_local(a))
		return "link";
	return a.hi >> 57 == 0xfc >> 1 ? "site" : "univ";
}

static void
say_addresses(struct cli_session *s, const struct iface_list *l, const char *name)
{
	char ip[IP_STR_MAX];

	for (const struct ifaddrs *i = l->all; i; i = i->ifa_next) {
		struct prefix p;
		struct ip_addr own;

		if (!strcmp(i->ifa_name, name) && get_subnet(i, &p, &own))
			cli_say(s, 1003, "\t%s/%u (Preferred, scope %s)", ip_str(ip, own),
			    p.len, scope_of(own));
	}
}

static bool
is_up(const struct ifaddrs *i)
{
	return (i->ifa_flags & IFF_UP) && (i->ifa_flags & IFF_RUNNING);
}

static void
say_iface(struct cli_session *s, const struct iface_list *l, const struct ifaddrs *i)
{
	unsigned f = i->ifa_flags;

	cli_say(s, 1001, "%s %s (index=%u)", i->ifa_name, is_up(i) ? "up" : "down",
	    if_nametoindex(i->ifa_name));
	cli_say(s, 1004, "\t%s%s%s Admin%s Link%s%s MTU=%d",
	    f & IFF_POINTOPOINT ? "PtP" : "MultiAccess",
	    f & IFF_BROADCAST ? " Broadcast" : "",
	    f & IFF_MULTICAST || f & IFF_LOOPBACK ? (f & IFF_LOOPBACK ? "" : " Multicast")
						  : "",
	    f & IFF_UP ? "Up" : "Down", f & IFF_RUNNING ? "Up" : "Down",
	    f & IFF_LOOPBACK ? " Loopback Ignored" : "", mtu_of(i->ifa_name));
	say_addresses(s, l, i->ifa_name);
}

static void
say_summary(struct cli_session *s, const struct iface_list *l, const struct ifaddrs *i)
{
	char text[2][IP_STR_MAX + 8] = { "", "" };

	for (const struct ifaddrs *a = l->all; a; a = a->ifa_next) {
		char ip[IP_STR_MAX];
		struct prefix p;
		struct ip_addr own;

		if (!strcmp(a->ifa_name, i->ifa_name) && get_subnet(a, &p, &own) &&
		    !text[p.fam][0] && !ip_is_link_local(own))
			snprintf(text[p.fam], sizeof(text[0]), "%s/%u", ip_str(ip, own),
			    p.len);
	}
	cli_say(s, 1005, "%-10s %-6s %-18s %s", i->ifa_name, is_up(i) ? "up" : "down",
	    text[0], text[1]);
}

void
cmd_show_interfaces(struct cli_session *s, struct cli_scan *sc)
{
	bool summary = cli_scan_word(sc, "summary");
	struct iface_list l;

	if (!cli_at_end(s, sc))
		return;
	iface_list_init(&l);
	if (summary)
		cli_say(s, 2005, "%-10s %-6s %-18s %s", "Interface", "State",
		    "IPv4 address", "IPv6 address");
	/* Each interface has one AF_PACKET entry. */
	for (const struct ifaddrs *i = l.all; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_PACKET)
			continue;
		if (summary)
			say_summary(s, &l, i);
		else
			say_iface(s, &l, i);
	}
	iface_list_fini(&l);
	cli_end(s, 0, "%s", "");
}
