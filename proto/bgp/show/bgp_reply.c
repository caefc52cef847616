/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON form of a session, and functions on the snapshot for both printers.
 *
 * Any thread, under RCU: as bgp_show.c, I1. Tested by test/net/test_json.py. */
#include "lib/base/json.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_params.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/bgp/conf/bgp_conf.h"
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

static void
bgp_json_put_families(struct json *j, const char *key, uint8_t fam)
{
	json_list(j, key);
	if (fam & FAM_BIT(FAM_IP4))
		json_str(j, NULL, "ipv4");
	if (fam & FAM_BIT(FAM_IP6))
		json_str(j, NULL, "ipv6");
	json_close(j);
}

/* json_put_restarts - graceful and long-lived. */
static void
json_put_restarts(struct json *j, const struct bgp_caps *c)
{
	if (c->gr.on) {
		json_open(j, "graceful_restart");
		json_u64(j, "time_s", c->gr.time);
		json_bool(j, "restarting", c->gr.restarting);
		json_bool(j, "notification", c->gr.notify);
		bgp_json_put_families(j, "families", c->gr.fam);
		bgp_json_put_families(j, "preserved", c->gr.forward);
		json_close(j);
	}
	if (c->llgr.on) {
		json_open(j, "long_lived_graceful_restart");
		json_u64(j, "stale_time_s", bgp_llgr_most_s(c));
		bgp_json_put_families(j, "families", c->llgr.fam);
		bgp_json_put_families(j, "preserved", c->llgr.forward);
		json_close(j);
	}
}

static void
json_put_caps(struct json *j, const char *whose, const struct bgp_caps *c)
{
	json_open(j, whose);
	bgp_json_put_families(j, "families", c->mp ? c->fam : 0);
	json_bool(j, "route_refresh", c->refresh);
	json_bool(j, "enhanced_refresh", c->enh_refresh);
	json_bool(j, "extended_message", c->ext_msg);
	json_bool(j, "extended_next_hop", c->ext_next_hop);
	json_bool(j, "as4", c->as4);
	if (c->add_path) {
		bgp_json_put_families(j, "add_path_rx", c->ids_rx);
		bgp_json_put_families(j, "add_path_tx", c->ids_tx);
	}
	json_put_restarts(j, c);
	if (c->has_hostname)
		json_str(j, "hostname", c->hostname);
	if (c->role != BGP_ROLE_NONE)
		json_str(j, "role", bgp_role_text(c->role));
	json_close(j);
}

static void
json_put_up(struct json *j, const struct bgp_session *s, const struct bgp_conf *cf,
    const struct bgp_snap *n)
{
	json_ip(j, "neighbor_id", ip4(n->neighbor_id));
	json_ip(j, "local_address", n->local_ip);
	json_str(j, "session", cf->id.ebgp ? "external" : "internal");
	json_bool(j, "multihop", cf->tcp.multihop);
	json_bool(j, "rr_client", cf->policy.rr_client);
	json_bool(j, "rs_client", cf->policy.rs_client);
	json_bool(j, "as4", n->as4);
	json_open(j, "capabilities");
	json_put_caps(j, "local", &n->ours);
	json_put_caps(j, "neighbor", &n->theirs);
	json_close(j);
	if (n->hold_s) {
		proto_json_left(j, "hold_left_s", "hold_s", &s->shown.hold_ns, n->hold_s);
		proto_json_left(j, "keepalive_left_s", "keepalive_s",
		    &s->shown.keepalive_ns, n->keepalive_s);
	}
	proto_json_left(
	    j, "send_hold_left_s", "send_hold_s", &s->shown.send_hold_ns, n->send_hold_s);
	json_u64(j, "as_sets_refused", counter64_get(&s->rx.as_sets));
}

/* json_put_waits - the timers of a session that is down. */
static void
json_put_waits(struct json *j, const struct bgp_session *s, const struct bgp_snap *n)
{
	proto_json_left(
	    j, "error_wait_left_s", "error_wait_s", &s->shown.wait_ns, n->wait_s);
	proto_json_left(
	    j, "connect_left_s", "connect_delay_s", &s->shown.retry_ns, n->retry_s);
	proto_json_left(j, "restart_left_s", NULL, &s->restart.show_ns, 0);
}

void
bgp_json(const struct proto *p, struct json *j)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */
	const struct bgp_conf *cf = bgp_conf_of(proto_conf_get(p));

	json_open(j, "bgp");
	json_str(j, "state", n ? n->state : "Down");
	if (cf->dynamic.has_range)
		json_prefix(j, "neighbor_range", &cf->dynamic.range);
	else
		json_ip(j, "neighbor_address", cf->id.remote_ip);
	json_str(j, "neighbor_interface", cf->id.iface);
	json_u64(
	    j, "neighbor_as", cf->id.remote_as || !n ? cf->id.remote_as : n->peer_as);
	json_u64(j, "local_as", cf->id.local_as);
	bgp_downs_json(s, j);
	if (n) {
		json_bool(j, "neighbor_restarts", n->stale);
		if (n->up)
			json_put_up(j, s, cf, n);
		else
			json_put_waits(j, s, n);
		json_str(j, "last_error", n->error[0] ? n->error : NULL);
	}
	json_close(j);
}

void
bgp_json_channel(const struct proto *p, const struct channel *ch, struct json *j)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */
	const struct conf_channel *cc = channel_conf(ch);

	if (n && n->up)
		json_ip(j, "next_hop", bgp_snap_next_hop(n, cc));
	if (n && (n->stale & FAM_BIT(cc->family)))
		json_str(j, "neighbor_restart",
		    n->llgr & FAM_BIT(cc->family) ? "long_lived" : "graceful");
	proto_json_left(
	    j, "long_lived_left_s", NULL, &s->restart.show_llgr_ns[cc->family], 0);
}
