/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Negotiation.
 *
 * I1  A capability counts only if both sides announced it (RFC 5492, 3).
 * I2  A peer without any multiprotocol capability gets IPv4 unicast as classic NLRI (RFC
 *     4760, section 8).
 *
 * Any loop: pure functions. */
#include "proto/bgp/session/bgp_nego.h"

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_params.h"
#include "nest/channel/channel.h"
#include "nest/conf/config.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/out/bgp_rules.h"
#include <bsd/string.h>
#include <stdio.h>

static uint8_t
bgp_nego_families(const struct conf_proto *p)
{
	uint8_t fam = 0;

	for (const struct conf_channel *c = p->chan; c; c = c->next)
		fam |= FAM_BIT(c->family);
	return fam;
}

static bool
nego_any_ext_next_hop(const struct conf_proto *p)
{
	for (const struct conf_channel *c = p->chan; c; c = c->next)
		if (c->family == FAM_IP4 && bgp_channel_conf_of(c)->extended_next_hop)
			return true;
	return false;
}

/* nego_with_add_path - the families of channels with @way of `add paths`. */
static uint8_t
nego_with_add_path(const struct conf_proto *p, enum bgp_addpath way)
{
	uint8_t fam = 0;

	for (const struct conf_channel *c = p->chan; c; c = c->next)
		if (bgp_channel_conf_of(c)->add_paths & way)
			fam |= FAM_BIT(c->family);
	return fam;
}

static bool
nego_any_aigp(const struct conf_proto *p)
{
	for (const struct conf_channel *c = p->chan; c; c = c->next)
		if (bgp_channel_conf_of(c)->aigp)
			return true;
	return false;
}

bool
bgp_nego_restarts(const struct bgp_conf *cf, const struct bgp_channel_conf *cc)
{
	return cf->gr.mode != BGP_GR_OFF &&
	       (cc->gr == BGP_NOT_GIVEN ? cf->gr.mode == BGP_GR_ON : cc->gr);
}

bool
bgp_nego_long_lived(const struct bgp_conf *cf, const struct bgp_channel_conf *cc)
{
	return cf->gr.mode != BGP_GR_OFF && cf->llgr.mode != BGP_GR_OFF &&
	       (cc->llgr == BGP_NOT_GIVEN ? cf->llgr.mode == BGP_GR_ON : cc->llgr);
}

/* nego_open_restart - RFC 4724, 3; RFC 9494, 3. */
static void
nego_open_restart(const struct conf_proto *p, unsigned again, struct bgp_caps *caps)
{
	const struct bgp_conf *cf = bgp_conf_of(p);

	caps->gr.on = cf->gr.mode != BGP_GR_OFF;
	caps->gr.time = (uint16_t)cf->gr.time_s;
	caps->gr.restarting = caps->gr.on && (again & BGP_OPEN_R);
	caps->gr.notify = caps->gr.on && cf->gr.notify;
	caps->llgr.on = caps->gr.on && cf->llgr.mode != BGP_GR_OFF;
	for (const struct conf_channel *c = p->chan; c; c = c->next) {
		const struct bgp_channel_conf *cc = bgp_channel_conf_of(c);

		if (bgp_nego_restarts(cf, cc))
			caps->gr.fam |= FAM_BIT(c->family);
		if (!bgp_nego_long_lived(cf, cc))
			continue;
		caps->llgr.fam |= FAM_BIT(c->family);
		caps->llgr.time[c->family] = cc->llgr_s == BGP_TIME_NOT_GIVEN
						 ? cf->llgr.time_s
						 : cc->llgr_s;
	}
	if (again & BGP_OPEN_F) {
		caps->gr.forward = caps->gr.fam;
		caps->llgr.forward = caps->llgr.fam;
	}
}

void
bgp_nego_open(const struct conf_proto *p, uint32_t router_id, bool with_caps,
    unsigned again, struct bgp_open *out)
{
	const struct bgp_conf *cf = bgp_conf_of(p);
	struct bgp_caps *caps = &out->caps;

	memset(out, 0, sizeof(*out));
	out->as = bgp_conf_public_as(cf);
	out->hold_time = (uint16_t)cf->timers.hold_s;
	out->router_id = router_id;
	bgp_caps_init(caps);
	if (!with_caps)
		return;
	caps->present = true;
	caps->mp = true;
	caps->fam = bgp_nego_families(p);
	caps->refresh = cf->caps.enable_refresh;
	caps->enh_refresh = cf->caps.enable_refresh && cf->caps.enable_enhanced_refresh;
	nego_open_restart(p, again, caps);
	caps->ext_msg = cf->caps.enable_extended_messages;
	caps->ext_next_hop = nego_any_ext_next_hop(p);
	caps->as4 = cf->caps.enable_as4;
	caps->as = bgp_conf_public_as(cf);
	caps->role = cf->policy.role;
	caps->ids_rx = nego_with_add_path(p, BGP_ADDPATH_RX);
	caps->ids_tx = nego_with_add_path(p, BGP_ADDPATH_TX);
	caps->add_path = caps->ids_rx | caps->ids_tx;
	caps->has_hostname = cf->caps.advertise_hostname;
	if (cf->caps.advertise_hostname && p->hostname)
		strlcpy(caps->hostname, p->hostname, sizeof(caps->hostname));
}

static struct bgp_err
bgp_nego_refuse(unsigned subcode, const char *text)
{
	return bgp_err_make(BGP_SEV_RESET, BGP_E_OPEN, subcode, text);
}

/* nego_check_identity - check AS and identifier of the peer. */
static struct bgp_err
nego_check_identity(const struct bgp_conf *cf, const struct bgp_open *ours,
    const struct bgp_open *theirs, struct bgp_terms *out)
{
	struct bgp_err e;

	/* `external` without a number: anyone but ourselves */
	if (cf->id.remote_as
		? theirs->as != cf->id.remote_as
		: theirs->as == cf->id.local_as || theirs->as == bgp_conf_public_as(cf)) {
		e = bgp_nego_refuse(
		    BGP_EO_PEER_AS, "AS number isn't the configured AS number");
		put_be32(out->err_data, theirs->as);
		e.data = out->err_data;
		e.data_len = 4;
		return e;
	}
	/* RFC 6286, 2.1 and 2.2: unique within an AS. */
	if (theirs->router_id == ours->router_id && cf->id.remote_as == cf->id.local_as) {
		e = bgp_nego_refuse(BGP_EO_ID, "router id is our own");
		put_be32(out->err_data, theirs->router_id);
		e.data = out->err_data;
		e.data_len = 4;
		return e;
	}
	return BGP_OK;
}

/* nego_role_fits - RFC 9234, 4.2: the allowed pairs. */
static bool
nego_role_fits(unsigned ours, unsigned theirs)
{
	switch (ours) {
	case BGP_ROLE_PROVIDER:
		return theirs == BGP_ROLE_CUSTOMER;
	case BGP_ROLE_CUSTOMER:
		return theirs == BGP_ROLE_PROVIDER;
	case BGP_ROLE_RS_SERVER:
		return theirs == BGP_ROLE_RS_CLIENT;
	case BGP_ROLE_RS_CLIENT:
		return theirs == BGP_ROLE_RS_SERVER;
	case BGP_ROLE_PEER:
		return theirs == BGP_ROLE_PEER;
	}
	return false;
}

static struct bgp_err
nego_check_role(const struct bgp_conf *cf, const struct bgp_caps *c)
{
	if (cf->policy.role == BGP_ROLE_NONE)
		return BGP_OK;
	if (c->role_clash)
		return bgp_nego_refuse(BGP_EO_ROLE, "several roles that differ");
	if (c->role == BGP_ROLE_NONE)
		return cf->policy.require_roles
			   ? bgp_nego_refuse(BGP_EO_ROLE, "role is missing")
			   : BGP_OK;
	if (!nego_role_fits(cf->policy.role, c->role))
		return bgp_nego_refuse(BGP_EO_ROLE, "role doesn't fit ours");
	return BGP_OK;
}

/* nego_add_path_fits - true if the peer supports the configured directions of ADD-PATH.
 */
static bool
nego_add_path_fits(
    const struct bgp_channel_conf *cc, unsigned fam, const struct bgp_caps *theirs)
{
	uint8_t f = FAM_BIT(fam);

	return (!(cc->add_paths & BGP_ADDPATH_RX) || (theirs->ids_tx & f)) &&
	       (!(cc->add_paths & BGP_ADDPATH_TX) || (theirs->ids_rx & f));
}

/* nego_check_required - `require ...` and `mandatory`. */
static struct bgp_err
nego_check_required(
    const struct conf_proto *p, const struct bgp_caps *c, const struct bgp_terms *t)
{
	const struct bgp_conf *cf = bgp_conf_of(p);
	const char *missing = NULL;

	if (cf->caps.require_as4 && !t->params.as4)
		missing = "4-octet AS numbers are required";
	else if (cf->caps.require_refresh && !t->refresh)
		missing = "route refresh is required";
	else if (cf->caps.require_enhanced_refresh && !t->enh_refresh)
		missing = "enhanced refresh is required";
	else if (cf->caps.require_extended_messages && !t->params.ext_msg)
		missing = "extended messages are required";
	else if (cf->gr.required && !c->gr.on)
		missing = "graceful restart is required";
	else if (cf->llgr.required && !c->llgr.on)
		missing = "long-lived graceful restart is required";
	else if (cf->caps.require_hostname && !c->has_hostname)
		missing = "a hostname is required";
	for (const struct conf_channel *ch = p->chan; ch && !missing; ch = ch->next) {
		const struct bgp_channel_conf *cc = bgp_channel_conf_of(ch);

		if (cc->mandatory && !(t->params.fam & FAM_BIT(ch->family)))
			missing = "a mandatory address family is missing";
		else if (cc->require_extended_next_hop && !t->params.ext_next_hop)
			missing = "extended next hop is required";
		else if (cc->require_add_paths && !nego_add_path_fits(cc, ch->family, c))
			missing = "add-path is required";
	}
	if (!missing && !t->params.fam)
		missing = "no address family in common";
	return missing ? bgp_nego_refuse(BGP_EO_CAPABILITY, missing) : BGP_OK;
}

/* nego_refuse_hold - the hold time that the peer wants. */
static struct bgp_err
nego_refuse_hold(struct bgp_terms *t, const struct bgp_open *theirs, const char *text)
{
	struct bgp_err e = bgp_nego_refuse(BGP_EO_HOLD_TIME, text);

	put_be16(t->err_data, theirs->hold_time);
	e.data = t->err_data;
	e.data_len = 2;
	return e;
}

/* RFC 4271, 4.2: the smaller hold time; keepalives scale with it. */
struct bgp_err
bgp_nego_timers(
    const struct bgp_conf *cf, const struct bgp_open *theirs, struct bgp_terms *t)
{
	uint32_t hold = (uint32_t)min_u64(cf->timers.hold_s, theirs->hold_time), keep;

	if (hold < cf->timers.min_hold_s)
		return nego_refuse_hold(t, theirs, "hold time is too short");
	t->hold_s = hold;
	keep = hold / 3;
	if (cf->timers.keepalive_s && cf->timers.hold_s)
		keep = (uint32_t)((uint64_t)cf->timers.keepalive_s * hold /
				  cf->timers.hold_s);
	if (hold && keep < 1)
		keep = 1;
	if (hold && keep < cf->timers.min_keepalive_s)
		return nego_refuse_hold(t, theirs, "keepalive time is too short");
	t->keepalive_s = hold ? keep : 0;
	t->send_hold_s = cf->timers.has_send_hold ? cf->timers.send_hold_s : 2 * hold;
	return BGP_OK;
}

static uint32_t
bgp_nego_clamp(uint32_t v, uint32_t min, uint32_t max)
{
	return v < min ? min : v > max ? max : v;
}

/* nego_llgr - RFC 9494, 4.2: only together with graceful restart. */
static void
nego_llgr(const struct conf_proto *p, const struct bgp_caps *theirs, struct bgp_terms *t)
{
	const struct bgp_conf *cf = bgp_conf_of(p);

	for (const struct conf_channel *c = p->chan; c; c = c->next) {
		const struct bgp_channel_conf *cc = bgp_channel_conf_of(c);
		uint32_t min = cc->llgr_min_s, max = cc->llgr_max_s;

		if (!(t->params.fam & theirs->llgr.fam & FAM_BIT(c->family)))
			continue;
		if (min == BGP_TIME_NOT_GIVEN)
			min = cf->llgr.min_s;
		if (max == BGP_TIME_NOT_GIVEN)
			max = cf->llgr.max_s;
		t->llgr_s[c->family] = bgp_nego_clamp(
		    theirs->llgr.time[c->family], min, max);
		if (t->llgr_s[c->family])
			t->llgr_fam |= FAM_BIT(c->family);
	}
	t->llgr_kept = t->params.fam & theirs->llgr.fam & theirs->llgr.forward;
}

/* nego_gr - RFC 4724, 4.2. */
static void
nego_gr(const struct conf_proto *p, const struct bgp_caps *ours,
    const struct bgp_caps *theirs, struct bgp_terms *t)
{
	const struct bgp_conf *cf = bgp_conf_of(p);

	if (!ours->gr.on || !theirs->gr.on)
		return;
	t->gr_notify = ours->gr.notify && theirs->gr.notify;
	if (ours->llgr.on && theirs->llgr.on)
		nego_llgr(p, theirs, t);
	t->gr_s = bgp_nego_clamp(theirs->gr.time, cf->gr.min_s, cf->gr.max_s);
	t->gr_fam = t->gr_s ? t->params.fam & theirs->gr.fam : 0;
	t->gr_kept = t->params.fam & theirs->gr.fam & theirs->gr.forward;
}

struct bgp_err
bgp_nego(const struct conf_proto *p, const struct bgp_open *ours,
    const struct bgp_open *theirs, bool with_caps, struct bgp_terms *out)
{
	const struct bgp_conf *cf = bgp_conf_of(p);
	const struct bgp_caps *a = &ours->caps, *b = &theirs->caps;
	struct bgp_err e;

	memset(out, 0, sizeof(*out));
	out->peer_router_id = theirs->router_id;
	out->refresh = a->refresh && b->refresh;
	out->enh_refresh = a->enh_refresh && b->enh_refresh;
	out->params = (struct bgp_params){
		.local_as = cf->id.local_as,
		.peer_as = cf->id.remote_as ? cf->id.remote_as : theirs->as,
		.fam = (with_caps ? a->fam : bgp_nego_families(p)) &
		       (b->mp ? b->fam : FAM_BIT(FAM_IP4)),
		.as4 = a->as4 && b->as4,
		.ext_msg = a->ext_msg && b->ext_msg,
		.ibgp = !cf->id.ebgp,
		.confed = cf->policy.confederation && bgp_conf_interior(cf),
		.rs_client = cf->policy.rs_client,
		.allow_local_pref = cf->policy.allow_local_pref,
		.aigp = nego_any_aigp(p),
		.ext_next_hop = a->ext_next_hop && b->ext_next_hop,
		.ids = a->ids_rx & b->ids_tx,
	};
	out->ids_tx = a->ids_tx & b->ids_rx;
	if (!with_caps)
		out->params.fam &= FAM_BIT(FAM_IP4);
	nego_gr(p, a, b, out);
	e = nego_check_identity(cf, ours, theirs, out);
	if (!e.severity)
		e = bgp_nego_timers(cf, theirs, out);
	if (!e.severity)
		e = nego_check_role(cf, b);
	if (!e.severity)
		e = nego_check_required(p, b, out);
	return e;
}

/* bgp_nego_holds - does a mode of `next hop keep` or `self` hold for a route? */
static bool
bgp_nego_holds(uint8_t mode, bool from_ibgp)
{
	return mode == BGP_NH_ALL || mode == (from_ibgp ? BGP_NH_IBGP : BGP_NH_EBGP);
}

static enum bgp_next_hop_mode
nego_keep_mode(const struct bgp_conf *cf)
{
	return cf->tcp.multihop ? BGP_NH_KEEP_GLOBAL : BGP_NH_KEEP; /* RFC 2545, 3 */
}

/* nego_next_hop_mode - RFC 4271, 5.1.3. */
static enum bgp_next_hop_mode
nego_next_hop_mode(
    const struct bgp_conf *cf, const struct bgp_channel_conf *cc, bool from_ibgp)
{
	if (bgp_nego_holds(cc->next_hop_self, from_ibgp) ||
	    (!bgp_conf_interior(cf) && !bgp_nego_holds(cc->next_hop_keep, from_ibgp)))
		return BGP_NH_SELF;
	return nego_keep_mode(cf);
}

uint8_t
bgp_nego_self_hop(const struct conf_proto *p, const struct conf_channel *c)
{
	const struct bgp_channel_conf *cc = bgp_channel_conf_of(c);
	uint8_t kinds = 0;

	if (bgp_conf_interior(bgp_conf_of(p)))
		return 0;
	for (int ibgp = 0; ibgp < 2; ibgp++)
		if (!bgp_nego_holds(cc->next_hop_self, ibgp) &&
		    !bgp_nego_holds(cc->next_hop_keep, ibgp))
			kinds |= ibgp ? HOP_INTERNAL : HOP_EXTERNAL;
	/* routes of our own are neither */
	if (cc->next_hop_self != BGP_NH_ALL && cc->next_hop_keep != BGP_NH_ALL)
		kinds |= HOP_OURS;
	return kinds;
}

void
bgp_nego_class_hop(const struct conf_proto *p, struct bgp_class *c)
{
	c->next_hop = (uint8_t)nego_keep_mode(bgp_conf_of(p));
}

void
bgp_nego_class(const struct conf_proto *p, const struct conf_channel *c,
    const struct bgp_terms *t, struct ip_addr local, bool from_ibgp,
    struct bgp_class *out)
{
	const struct bgp_conf *cf = bgp_conf_of(p);
	const struct bgp_channel_conf *cc = bgp_channel_conf_of(c);
	struct ip_addr nh = ip_is_none(cc->next_hop_address) ? local
							     : cc->next_hop_address;

	bgp_class_init(out);
	out->next_hop = (uint8_t)nego_next_hop_mode(cf, cc, from_ibgp);
	/* Also if next hops are kept: for routes without a next hop. Clients of one route
	 * server connect to one local address, so their classes are equal
	 * nevertheless. */
	if (ip_is_v4(nh))
		out->nh4 = nh;
	else if (ip_is_link_local(nh))
		out->nh6_ll = nh;
	else
		out->nh6 = nh;
	out->prepend_as = cf->id.ebgp && !cf->policy.rs_client ? bgp_conf_public_as(cf)
							       : 0;
	out->confed = cf->id.ebgp && bgp_conf_interior(cf);
	out->keep_confed = bgp_conf_interior(cf);
	/* RFC 9234, 5, on the way out, 1: to customers, peers and clients of ours. */
	if (cf->policy.role == BGP_ROLE_PROVIDER || cf->policy.role == BGP_ROLE_PEER ||
	    cf->policy.role == BGP_ROLE_RS_SERVER)
		out->otc = bgp_conf_public_as(cf);
	out->msg_max = t->params.ext_msg ? BGP_MSG_EXT_MAX : BGP_MSG_MAX;
	out->as4 = t->params.as4;
	out->ids = (t->ids_tx & FAM_BIT(c->family)) != 0;
	out->mp4 = c->family == FAM_IP4 && t->params.ext_next_hop;
	out->send_local_pref = bgp_conf_interior(cf) || cf->policy.allow_local_pref;
	out->local_pref = out->send_local_pref ? cf->decision.default_local_pref : 0;
	/* RFC 4271, 5.1.4: not to another AS, but a route server is transparent (RFC
	 * 7947, 2.2.3). */
	out->send_med = bgp_conf_interior(cf) || cf->policy.rs_client ||
			cf->policy.allow_med;
	out->send_reflect = !cf->id.ebgp;
	out->ll_form = cc->ll_form;
	out->send_aigp = cc->aigp != 0;
	out->strip_ec = !bgp_conf_interior(cf);
}
