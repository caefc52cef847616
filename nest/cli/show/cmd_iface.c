/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show interfaces, and the interface of a next hop.
 *
 * Loop: the session's. */
#include "nest/cli/show/cmd_iface.h"
#include "lib/base/json.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
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

/* cmd_iface_say_head - names of the interface and of its master. */
static void
cmd_iface_say_head(
    struct cli_session *s, const struct iface_list *l, const struct iface *i)
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
iface_say_flags(struct cli_session *s, const struct iface *i)
{
	struct kind k = cmd_iface_kind_of(i);

	cli_say(s, CLI_IFACE_FLAGS, "\t%s%s%s Admin%s Link%s%s MTU=%u",
	    k.ptp ? "PtP" : "MultiAccess", k.broadcast ? " Broadcast" : "",
	    k.multicast ? " Multicast" : "", i->flags & IFF_UP ? "Up" : "Down",
	    iface_has_carrier(i) ? "Up" : "Down", k.loopback ? " Loopback Ignored" : "",
	    i->mtu);
}

static const char *const scope_name[] = { [IP_SCOPE_HOST] = "host",
	[IP_SCOPE_LINK] = "link",
	[IP_SCOPE_SITE] = "site",
	[IP_SCOPE_UNIVERSE] = "univ" };

static void
iface_say_addr(struct cli_session *s, const struct iface_addr *a)
{
	struct ip_addr other = iface_opposite(a);
	char ip[IP_STR_MAX], to[IP_STR_MAX] = "";

	if (!ip_is_none(other))
		ip_str(to, other);
	cli_say(s, CLI_IFACE_ADDR, "\t%s/%u (%s%s%s%s%sscope %s)", ip_str(ip, a->local),
	    a->subnet.len, a->preferred ? "Preferred, " : "",
	    a->flags & IFA_F_SECONDARY ? "Secondary, " : "", to[0] ? "opposite " : "", to,
	    to[0] ? ", " : "", scope_name[ip_scope(a->local)]);
}

static void
iface_say(struct cli_session *s, const struct iface_list *l, const struct iface *i)
{
	cmd_iface_say_head(s, l, i);
	iface_say_flags(s, i);
	for (uint32_t k = 0; k < i->addr_cnt; k++)
		iface_say_addr(s, &i->addr[k]);
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

/* ---- as JSON ---- */

static void
cmd_iface_put_addr(struct json *j, const struct iface_addr *a)
{
	json_open(j, NULL);
	json_ip(j, "address", a->local);
	json_u64(j, "length", a->subnet.len);
	json_ip(j, "opposite", iface_opposite(a));
	json_bool(j, "preferred", a->preferred);
	json_bool(j, "secondary", a->flags & IFA_F_SECONDARY);
	json_str(j, "scope", scope_name[ip_scope(a->local)]);
	json_close(j);
}

static void
iface_put(struct cli_session *s, const struct iface_list *l, const struct iface *i)
{
	const struct iface *master = i->master ? iface_by_index(l, i->master) : NULL;
	struct json *j = cli_object(s, "interface");
	struct kind k = cmd_iface_kind_of(i);

	json_str(j, "name", i->name);
	json_u64(j, "index", i->index);
	json_str(j, "master", master ? master->name : NULL);
	json_bool(j, "admin_up", i->flags & IFF_UP);
	json_bool(j, "link_up", iface_has_carrier(i));
	json_bool(j, "loopback", k.loopback);
	json_bool(j, "point_to_point", k.ptp);
	json_bool(j, "broadcast", k.broadcast);
	json_bool(j, "multicast", k.multicast);
	json_u64(j, "mtu_octets", i->mtu);
	json_list(j, "addresses");
	for (uint32_t n = 0; n < i->addr_cnt; n++)
		cmd_iface_put_addr(j, &i->addr[n]);
	json_close(j);
	cli_object_end(s);
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
	if (summary && !s->json)
		cli_say(s, CLI_IFACE_HEAD, "%-10s %-6s %-18s %s", "Interface", "State",
		    "IPv4 address", "IPv6 address");
	for (uint32_t i = 0; i < l->cnt; i++)
		if (s->json)
			iface_put(s, l, &l->iface[i]);
		else if (summary)
			iface_say_summary(s, &l->iface[i]);
		else
			iface_say(s, l, &l->iface[i]);
	cli_end(s, CLI_DONE, "%s", "");
}
