/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show interfaces, and which interface a next hop is behind.
 *
 * Loop: the session's. */
#include "nest/cli/show/cmd_iface.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
#include "nest/tern.h"

#include <stdio.h>

const char *
iface_of(const struct iface_list *l, struct ip_addr a, uint32_t link_if)
{
	const struct iface *link = iface_by_index(l, link_if);
	const char *best = NULL;
	unsigned best_len = 0;

	if (link && ip_is_link_local(a)) /* each link has that subnet */
		return link->name;
	for (uint32_t i = 0; i < l->cnt; i++)
		for (uint32_t k = 0; k < l->iface[i].addr_cnt; k++) {
			const struct prefix *p = &l->iface[i].addr[k].subnet;

			if ((p->fam == FAM_IP4) != ip_is_v4(a) || !prefix_has_ip(p, a) ||
			    (best && p->len <= best_len))
				continue;
			best = l->iface[i].name;
			best_len = p->len;
		}
	return best;
}

/* ---- show interfaces ---- */

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

static bool
is_up(const struct iface *i)
{
	return (i->flags & IFF_UP) && (i->flags & IFF_RUNNING);
}

static void
say_iface(struct cli_session *s, const struct iface *i)
{
	unsigned f = i->flags;
	char ip[IP_STR_MAX];

	cli_say(s, CLI_IFACE, "%s %s (index=%u)", i->name, is_up(i) ? "up" : "down",
	    i->index);
	cli_say(s, CLI_IFACE_FLAGS, "\t%s%s%s Admin%s Link%s%s MTU=%u",
	    f & IFF_POINTOPOINT ? "PtP" : "MultiAccess",
	    f & IFF_BROADCAST ? " Broadcast" : "",
	    f & IFF_MULTICAST || f & IFF_LOOPBACK ? (f & IFF_LOOPBACK ? "" : " Multicast")
						  : "",
	    f & IFF_UP ? "Up" : "Down", f & IFF_RUNNING ? "Up" : "Down",
	    f & IFF_LOOPBACK ? " Loopback Ignored" : "", iface_mtu(i));
	for (uint32_t k = 0; k < i->addr_cnt; k++)
		cli_say(s, CLI_IFACE_ADDR, "\t%s/%u (Preferred, scope %s)",
		    ip_str(ip, i->addr[k].own), i->addr[k].subnet.len,
		    scope_of(i->addr[k].own));
}

static void
say_summary(struct cli_session *s, const struct iface *i)
{
	char text[FAM_CNT][IP_STR_MAX + 8] = { "", "" }, ip[IP_STR_MAX];

	for (uint32_t k = 0; k < i->addr_cnt; k++) {
		const struct iface_addr *a = &i->addr[k];

		if (!text[a->subnet.fam][0] && !ip_is_link_local(a->own))
			snprintf(text[a->subnet.fam], sizeof(text[0]), "%s/%u",
			    ip_str(ip, a->own), a->subnet.len);
	}
	cli_say(s, CLI_IFACE_SUMMARY, "%-10s %-6s %-18s %s", i->name,
	    is_up(i) ? "up" : "down", text[FAM_IP4], text[FAM_IP6]);
}

void
cmd_show_interfaces(struct cli_session *s, struct cli_scan *sc)
{
	bool summary = cli_scan_word(sc, "summary");
	const struct iface_list *l = iface_list_get(&s->tern->ifaces);

	if (!cli_at_end(s, sc))
		return;
	if (summary)
		cli_say(s, CLI_IFACE_HEAD, "%-10s %-6s %-18s %s", "Interface", "State",
		    "IPv4 address", "IPv6 address");
	for (uint32_t i = 0; i < l->cnt; i++)
		if (summary)
			say_summary(s, &l->iface[i]);
		else
			say_iface(s, &l->iface[i]);
	cli_end(s, CLI_DONE, "%s", "");
}
