/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reply of `show protocols all` about a session, between the status row and the
 * channels.
 *
 * I1  Tools parse the text: columns and words are BIRD 2's.
 *
 * Any thread, under RCU: as bgp_show.c, I1. Tested by test/net/test_birdc.py,
 * test/net/test_json.py and test/unit/test_bgp_session.c. */
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bgp/bgp_params.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "proto/bgp/show/bgp_snap_priv.h"

struct ip_addr
bgp_snap_next_hop(const struct bgp_snap *n, const struct conf_channel *cc)
{
	const struct bgp_channel_conf *bc = bgp_channel_conf_of(cc);
	bool v4 = cc->family == FAM_IP4;

	if (!ip_is_none(bc->next_hop_address))
		return bc->next_hop_address;
	if (ip_is_v4(n->local_ip) == v4 ||
	    (v4 && n->ours.ext_next_hop && n->theirs.ext_next_hop))
		return n->local_ip;
	return n->other_local;
}

const char *
bgp_role_text(unsigned role)
{
	static const char *const text[] = { "provider", "rs_server", "rs_client",
		"customer", "peer" };

	return role < ARRAY_LEN(text) ? text[role] : "unknown";
}

uint32_t
bgp_llgr_most_s(const struct bgp_caps *c)
{
	uint32_t most = 0;

	for (unsigned f = 0; f < FAM_CNT; f++)
		if (c->llgr.fam & FAM_BIT(f))
			most = (uint32_t)max_u64(most, c->llgr.time[f]);
	return most;
}

/* bgp_reply_families - @label NULL: JSON alone. */
static void
bgp_reply_families(struct reply *r, const char *key, const char *label, uint8_t fam)
{
	const char *form = label ? " %s" : NULL;

	if (label)
		reply_text(r, "        %s:", label);
	reply_list(r, key);
	reply_str(r, NULL, form, fam & FAM_BIT(FAM_IP4) ? "ipv4" : NULL);
	reply_str(r, NULL, form, fam & FAM_BIT(FAM_IP6) ? "ipv6" : NULL);
	reply_close(r);
	if (label)
		reply_text(r, "\n");
}

/* bgp_reply_restart - without families the speaker only supports restarts of its peer:
 * the text has no more values. */
static void
bgp_reply_restart(struct reply *r, const struct bgp_caps *c)
{
	bool own = c->gr.fam;

	if (!c->gr.on)
		return;
	reply_text(r, "      Graceful restart\n");
	reply_open(r, "graceful_restart");
	reply_bool(r, "notification", "        Also after NOTIFICATION\n", c->gr.notify);
	reply_u64(r, "time_s", own ? "        Restart time: %s\n" : NULL, c->gr.time);
	reply_bool(
	    r, "restarting", own ? "        Restart recovery\n" : NULL, c->gr.restarting);
	bgp_reply_families(r, "families", own ? "AF supported" : NULL, c->gr.fam);
	bgp_reply_families(r, "preserved", own ? "AF preserved" : NULL, c->gr.forward);
	reply_close(r);
}

static void
bgp_reply_long_lived(struct reply *r, const struct bgp_caps *c)
{
	bool own = c->llgr.fam;

	if (!c->llgr.on)
		return;
	reply_text(r, "      Long-lived graceful restart\n");
	reply_open(r, "long_lived_graceful_restart");
	reply_u64(r, "stale_time_s", own ? "        LL stale time: %s\n" : NULL,
	    bgp_llgr_most_s(c));
	bgp_reply_families(r, "families", own ? "AF supported" : NULL, c->llgr.fam);
	bgp_reply_families(r, "preserved", own ? "AF preserved" : NULL, c->llgr.forward);
	reply_close(r);
}

static void
bgp_reply_names(struct reply *r, const struct bgp_caps *c)
{
	char name[BGP_HOSTNAME_MAX + 1];

	if (c->has_hostname) {
		reply_str(r, "hostname", NULL, c->hostname);
		reply_text(r, "      Hostname: %s\n",
		    bgp_text_clean(name, sizeof(name), c->hostname));
	}
	if (c->role != BGP_ROLE_NONE)
		reply_str(r, "role", "      Role: %s\n", bgp_role_text(c->role));
}

static void
bgp_reply_caps(
    struct reply *r, const char *key, const char *whose, const struct bgp_caps *c)
{
	reply_text(r, "    %s capabilities\n", whose);
	reply_open(r, key);
	if (c->mp)
		reply_text(r, "      Multiprotocol\n");
	bgp_reply_families(
	    r, "families", c->mp ? "AF announced" : NULL, c->mp ? c->fam : 0);
	reply_bool(r, "route_refresh", "      Route refresh\n", c->refresh);
	reply_bool(r, "extended_next_hop",
	    "      Extended next hop\n        IPv6 nexthop: ipv4\n", c->ext_next_hop);
	reply_bool(r, "extended_message", "      Extended message\n", c->ext_msg);
	bgp_reply_restart(r, c);
	reply_bool(r, "as4", "      4-octet AS numbers\n", c->as4);
	if (c->add_path) {
		reply_text(r, "      ADD-PATH\n");
		bgp_reply_families(r, "add_path_rx", "RX", c->ids_rx);
		bgp_reply_families(r, "add_path_tx", "TX", c->ids_tx);
	}
	reply_bool(r, "enhanced_refresh", "      Enhanced refresh\n", c->enh_refresh);
	bgp_reply_long_lived(r, c);
	bgp_reply_names(r, c);
	reply_close(r);
}

static void
bgp_reply_up(struct reply *r, const struct bgp_session *s, const struct bgp_conf *cf,
    const struct bgp_snap *n)
{
	uint64_t as_sets = counter64_get(&s->rx.as_sets);

	reply_ip(r, "neighbor_id", "    Neighbor ID:      %s\n", ip4(n->neighbor_id));
	reply_open(r, "capabilities");
	bgp_reply_caps(r, "local", "Local", &n->ours);
	bgp_reply_caps(r, "neighbor", "Neighbor", &n->theirs);
	reply_close(r);
	reply_str(r, "session", "    Session:          %s",
	    cf->id.ebgp ? "external" : "internal");
	reply_bool(r, "multihop", " multihop", cf->tcp.multihop);
	reply_bool(r, "rr_client", " route-reflector", cf->policy.rr_client);
	reply_bool(r, "rs_client", " route-server", cf->policy.rs_client);
	reply_bool(r, "as4", " AS4", n->as4);
	reply_text(r, "\n");
	reply_ip(r, "local_address", "    Source address:   %s\n", n->local_ip);
	if (n->hold_s) {
		reply_left(r, "hold_left_s", "hold_s", "    Hold timer:       %s\n",
		    &s->shown.hold_ns, n->hold_s);
		reply_left(r, "keepalive_left_s", "keepalive_s",
		    "    Keepalive timer:  %s\n", &s->shown.keepalive_ns, n->keepalive_s);
	}
	reply_left(r, "send_hold_left_s", "send_hold_s", "    Send hold timer:  %s\n",
	    &s->shown.send_hold_ns, n->send_hold_s);
	reply_u64(
	    r, "as_sets_refused", as_sets ? "    AS_SETs refused:  %s\n" : NULL, as_sets);
}

/* bgp_reply_waits - the timers of a session that is down. */
static void
bgp_reply_waits(struct reply *r, const struct bgp_session *s, const struct bgp_snap *n)
{
	bool active = !strcmp(n->state, bgp_state_text(BGP_ACTIVE));

	reply_left(r, "error_wait_left_s", "error_wait_s", "    Error wait:       %s\n",
	    &s->shown.wait_ns, n->wait_s);
	reply_left(r, "connect_left_s", "connect_delay_s",
	    active ? "    Connect delay:    %s\n" : NULL, &s->shown.retry_ns, n->retry_s);
	reply_left(r, "restart_left_s", NULL, "    Restart timer:    %s\n",
	    &s->restart.show_ns, 0);
}

static void
bgp_reply_state(struct reply *r, const struct bgp_session *s, const struct bgp_conf *cf,
    const struct bgp_snap *n)
{
	reply_bool(
	    r, "neighbor_restarts", "    Neighbor graceful restart active\n", n->stale);
	if (n->up)
		bgp_reply_up(r, s, cf, n);
	else
		bgp_reply_waits(r, s, n);
	reply_fill(r, "last_error", "    Last error:       %s\n", n->error);
}

void
bgp_reply(const struct proto *p, struct reply *r)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */
	const struct bgp_conf *cf = bgp_conf_of(proto_conf_get(p));
	const char *dev = cf->id.iface;

	reply_open(r, "bgp");
	reply_str(r, "state", "  BGP state:          %s\n", n ? n->state : "Down");
	if (cf->dynamic.has_range) {
		reply_prefix(r, "neighbor_range", "    Neighbor range:   %s\n",
		    &cf->dynamic.range);
	} else {
		reply_ip(
		    r, "neighbor_address", "    Neighbor address: %s", cf->id.remote_ip);
		reply_text(r, "%s%s\n", dev ? "%" : "", dev ? dev : "");
	}
	reply_str(r, "neighbor_interface", NULL, dev);
	reply_u64(r, "neighbor_as", "    Neighbor AS:      %s\n",
	    cf->id.remote_as || !n ? cf->id.remote_as : n->peer_as);
	reply_u64(r, "local_as", "    Local AS:         %s\n", cf->id.local_as);
	if (n)
		bgp_reply_state(r, s, cf, n);
	bgp_downs_reply(s, r);
	reply_close(r);
}

/* bgp_reply_next_hop - our link-local address follows on a common link (RFC 2545, 3), as
 * bgp_chan.c sends the address; without a global address `::` stands before it. JSON has
 * the next hop alone. */
static void
bgp_reply_next_hop(
    struct reply *r, const struct bgp_snap *n, const struct conf_channel *cc)
{
	struct ip_addr hop = bgp_snap_next_hop(n, cc);
	bool two = !ip_is_none(n->local_ll) && !ip_is_v4(hop) && !ip_is_none(hop) &&
		   !ip_is_link_local(hop);

	reply_ip(r, "next_hop",
	    ip_is_link_local(hop) ? "    BGP Next hop:   :: %s"
				  : "    BGP Next hop:   %s",
	    hop);
	if (two && !r->json)
		reply_ip(r, NULL, " %s", n->local_ll);
	reply_text(r, "\n");
}

/* bgp_reply_channel - the next hop and, for multihop sessions, the IGP tables. */
void
bgp_reply_channel(const struct proto *p, const struct channel *ch, struct reply *r)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */
	const struct conf_channel *cc = channel_conf(ch);
	const struct bgp_channel_conf *bc = bgp_channel_conf_of(cc);

	if (n && n->up)
		bgp_reply_next_hop(r, n, cc);
	if (n && (n->stale & FAM_BIT(cc->family))) {
		bool llgr = n->llgr & FAM_BIT(cc->family);

		reply_str(r, "neighbor_restart", NULL, llgr ? "long_lived" : "graceful");
		reply_text(
		    r, "    Neighbor GR:    %s\n", llgr ? "Long-lived" : "Regular");
	}
	reply_left(r, "long_lived_left_s", NULL, "    LL stale timer: %s\n",
	    &s->restart.show_llgr_ns[cc->family], 0);
	for (int f = 0; bc->gateway_recursive && f < FAM_CNT; f++)
		if (bc->igp[f])
			reply_text(r, "    IGP %s table: %s\n",
			    f == FAM_IP4 ? "IPv4" : "IPv6", bc->igp[f]->name);
}
