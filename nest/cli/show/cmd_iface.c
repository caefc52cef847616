/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show interfaces, and the interface of a next hop.
 *
 * Loop: the session's. */
#include "nest/cli/show/cmd_iface.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"

#include <linux/if_addr.h>
#include <stdio.h>

const char *
iface_of(const struct iface_list *l, struct ip_addr a, uint32_t link_if)
{
	const struct iface *link = iface_by_index(l, link_if);
	const char *best = NULL;
	unsigned best_len = 0;

	if (link && ip_is_link_local(a)) /* every link has the link-local subnet */
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

/* cmd_iface_reply_head - names of the interface and of its master. */
static void
cmd_iface_reply_head(struct reply *r, const struct iface_list *l, const struct iface *i)
{
	const struct iface *master = i->master ? iface_by_index(l, i->master) : NULL;

	reply_str(r, "name", "%s", i->name);
	reply_text(r, i->flags & IFF_UP ? " up" : " down");
	reply_u64(r, "index", " (index=%s", i->index);
	if (master)
		reply_str(r, "master", " master=%s", master->name);
	else if (i->master)
		reply_text(r, " master=#%u", i->master);
	reply_text(r, ")\n");
}

/* Properties from the flags of an interface. */
struct kind {
	bool loopback, ptp, broadcast, multicast;
};

static struct kind
cmd_iface_kind_of(const struct iface *i)
{
	struct kind k = { .loopback = i->flags & IFF_LOOPBACK };

	k.ptp = !k.loopback && (i->flags & IFF_POINTOPOINT);
	k.broadcast = !k.loopback && !k.ptp && (i->flags & IFF_BROADCAST);
	k.multicast = k.ptp || k.broadcast || (i->flags & IFF_MULTICAST);
	return k;
}

static void
iface_reply_flags(struct reply *r, const struct iface *i)
{
	struct kind k = cmd_iface_kind_of(i);
	bool up = i->flags & IFF_UP, link = iface_has_carrier(i);

	reply_text(r, "\t%s%s%s Admin%s Link%s%s", k.ptp ? "PtP" : "MultiAccess",
	    k.broadcast ? " Broadcast" : "", k.multicast ? " Multicast" : "",
	    up ? "Up" : "Down", link ? "Up" : "Down",
	    k.loopback ? " Loopback Ignored" : "");
	reply_bool(r, "admin_up", NULL, up);
	reply_bool(r, "link_up", NULL, link);
	reply_bool(r, "loopback", NULL, k.loopback);
	reply_bool(r, "point_to_point", NULL, k.ptp);
	reply_bool(r, "broadcast", NULL, k.broadcast);
	reply_bool(r, "multicast", NULL, k.multicast);
	reply_u64(r, "mtu_octets", " MTU=%s\n", i->mtu);
}

static const char *const scope_name[] = { [IP_SCOPE_HOST] = "host",
	[IP_SCOPE_LINK] = "link",
	[IP_SCOPE_SITE] = "site",
	[IP_SCOPE_UNIVERSE] = "univ" };

/* iface_reply_addr - the text has the opposite behind the flags. */
static void
iface_reply_addr(struct reply *r, const struct iface_addr *a)
{
	struct ip_addr other = iface_opposite(a);

	reply_open(r, NULL);
	reply_ip(r, "address", "\t%s", a->local);
	reply_u64(r, "length", "/%s (", a->subnet.len);
	reply_part(r, 1);
	reply_ip(r, "opposite", ip_is_none(other) ? NULL : "opposite %s, ", other);
	reply_part(r, 0);
	reply_bool(r, "preferred", "Preferred, ", a->preferred);
	reply_bool(r, "secondary", "Secondary, ", a->flags & IFA_F_SECONDARY);
	reply_part(r, 1);
	reply_str(r, "scope", "scope %s)\n", scope_name[ip_scope(a->local)]);
	reply_close(r);
}

static void
iface_reply(struct cli_session *s, const struct iface_list *l, const struct iface *i)
{
	struct reply *r = cli_reply(s, "interface");

	cmd_iface_reply_head(r, l, i);
	cli_reply_lines(s, CLI_IFACE);
	iface_reply_flags(r, i);
	cli_reply_lines(s, CLI_IFACE_FLAGS);
	reply_list(r, "addresses");
	for (uint32_t k = 0; k < i->addr_cnt; k++) {
		iface_reply_addr(r, &i->addr[k]);
		cli_reply_lines(s, CLI_IFACE_ADDR);
	}
	reply_close(r);
	cli_reply_end(s, CLI_IFACE_ADDR);
}

static void
iface_say_summary(struct cli_session *s, const struct iface *i)
{
	char text[FAM_CNT][IP_STR_MAX + 8] = { "", "" }, ip[IP_STR_MAX];

	for (uint32_t k = 0; k < i->addr_cnt; k++) {
		const struct iface_addr *a = &i->addr[k];

		if (a->preferred && !ip_is_link_local(a->local))
			snprintf(text[a->subnet.fam], sizeof(text[0]), "%s/%u",
			    ip_str(ip, a->local), a->subnet.len);
	}
	cli_say(s, CLI_IFACE_SUMMARY, "%-10s %-6s %-18s %s", i->name,
	    i->flags & IFF_UP ? "up" : "down", text[FAM_IP4], text[FAM_IP6]);
}

void
cmd_show_interfaces(struct cli_session *s, struct cli_scan *sc)
{
	bool summary = cli_scan_word(sc, "summary");
	const struct iface_list *l = iface_list_get(&s->tern->ifaces);

	if (sc->tok != TOK_END) {
		cli_syntax(
		    s, sc, summary ? CLI_EXPECT_END : "'summary' or " CLI_EXPECT_END);
		return;
	}
	if (summary)
		cli_say(s, CLI_IFACE_HEAD, "%-10s %-6s %-18s %s", "Interface", "State",
		    "IPv4 address", "IPv6 address");
	for (uint32_t i = 0; i < l->cnt; i++)
		if (summary && !s->json)
			iface_say_summary(s, &l->iface[i]);
		else
			iface_reply(s, l, &l->iface[i]);
	cli_end(s, CLI_DONE, "%s", "");
}
