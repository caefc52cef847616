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

#include <linux/if_addr.h>
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

/* say_head - its name, and that of the one that it belongs to. */
static void
say_head(struct cli_session *s, const struct iface_list *l, const struct iface *i)
{
	const struct iface *master = i->master ? iface_by_index(l, i->master) : NULL;
	char of[IF_NAMESIZE + 16] = "";

	if (master)
		snprintf(of, sizeof(of), " master=%s", master->name);
	else if (i->master)
		snprintf(of, sizeof(of), " master=#%u", i->master);
	cli_say(s, CLI_IFACE, "%s %s (index=%u%s)", i->name,
	    i->flags & IFF_UP ? "up" : "down", i->index, of);
}

static void
say_flags(struct cli_session *s, const struct iface *i)
{
	bool loopback = i->flags & IFF_LOOPBACK;
	bool ptp = !loopback && (i->flags & IFF_POINTOPOINT);
	bool broadcast = !loopback && !ptp && (i->flags & IFF_BROADCAST);

	cli_say(s, CLI_IFACE_FLAGS, "\t%s%s%s Admin%s Link%s%s MTU=%u",
	    ptp ? "PtP" : "MultiAccess", broadcast ? " Broadcast" : "",
	    ptp || broadcast || (i->flags & IFF_MULTICAST) ? " Multicast" : "",
	    i->flags & IFF_UP ? "Up" : "Down", iface_has_carrier(i) ? "Up" : "Down",
	    loopback ? " Loopback Ignored" : "", i->mtu);
}

static void
say_addr(struct cli_session *s, const struct iface_addr *a)
{
	static const char *const scope[] = { [IP_SCOPE_HOST] = "host",
		[IP_SCOPE_LINK] = "link",
		[IP_SCOPE_SITE] = "site",
		[IP_SCOPE_UNIVERSE] = "univ" };
	struct ip_addr other = iface_opposite(a);
	char ip[IP_STR_MAX], to[IP_STR_MAX] = "";

	if (!ip_is_none(other))
		ip_str(to, other);
	cli_say(s, CLI_IFACE_ADDR, "\t%s/%u (%s%s%s%s%sscope %s)", ip_str(ip, a->own),
	    a->subnet.len, a->preferred ? "Preferred, " : "",
	    a->flags & IFA_F_SECONDARY ? "Secondary, " : "", to[0] ? "opposite " : "", to,
	    to[0] ? ", " : "", scope[ip_scope(a->own)]);
}

static void
say_iface(struct cli_session *s, const struct iface_list *l, const struct iface *i)
{
	say_head(s, l, i);
	say_flags(s, i);
	for (uint32_t k = 0; k < i->addr_cnt; k++)
		say_addr(s, &i->addr[k]);
}

static void
say_summary(struct cli_session *s, const struct iface *i)
{
	char text[FAM_CNT][IP_STR_MAX + 8] = { "", "" }, ip[IP_STR_MAX];

	for (uint32_t k = 0; k < i->addr_cnt; k++) {
		const struct iface_addr *a = &i->addr[k];

		if (a->preferred && !ip_is_link_local(a->own))
			snprintf(text[a->subnet.fam], sizeof(text[0]), "%s/%u",
			    ip_str(ip, a->own), a->subnet.len);
	}
	cli_say(s, CLI_IFACE_SUMMARY, "%-10s %-6s %-18s %s", i->name,
	    i->flags & IFF_UP ? "up" : "down", text[FAM_IP4], text[FAM_IP6]);
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
			say_iface(s, l, &l->iface[i]);
	cli_end(s, CLI_DONE, "%s", "");
}
