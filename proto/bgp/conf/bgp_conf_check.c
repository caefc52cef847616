/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cross-checks of a whole BGP instance, and the defaults that depend on the peer's role
 * and type. Loop: the thread that parses; functions on parsed options run in any thread.
 * Tested by test/unit/test_conf_golden.c. */
#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "filter/filter.h"
#include "filter/lang/diag.h"
#include "lib/base/hash.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_igp.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/conf/hop_map.h"
#include "sysdep/os/priv.h"
#include "sysdep/sock/sock_ao.h"

static bool
check_endpoints(struct conf_ctx *c, struct conf_proto *p, struct bgp_conf *b)
{
	struct ip_addr remote = b->dynamic.has_range ? b->dynamic.range.addr
						     : b->id.remote_ip;

	if (!b->given.local_as) {
		conf_error(c, p->pos, "the local AS number is missing (local as N)");
		return false;
	}
	if (ip_is_none(b->id.remote_ip) && !b->dynamic.has_range) {
		conf_error(c, p->pos, "the neighbor is missing (neighbor ADDRESS as N)");
		return false;
	}
	if (!b->given.remote_as && !b->given.internal && !b->given.external) {
		conf_error(c, p->pos,
		    "the neighbor's AS number or type is missing (as N, internal or "
		    "external)");
		return false;
	}
	if (b->given.internal && !b->given.remote_as)
		b->id.remote_as = b->id.local_as;
	b->id.ebgp = b->id.remote_as != b->id.local_as;
	if ((b->given.internal && b->id.ebgp) || (b->given.external && !b->id.ebgp)) {
		conf_error(c, p->pos, "the neighbor's AS number makes the neighbor %s",
		    b->id.ebgp ? "external" : "internal");
		return false;
	}
	if (!bgp_conf_check_range(c, p, b))
		return false;
	if (!b->dynamic.has_range && !ip_is_host(b->id.remote_ip)) {
		conf_warning(c, p->pos,
		    "the neighbor's address isn't a host's address: the session stays "
		    "down");
		b->tcp.passive = true; /* a connection to 0.0.0.0 reaches this host */
	}
	if (!ip_is_none(b->id.local_ip) && ip_is_v4(b->id.local_ip) != ip_is_v4(remote))
		conf_warning(c, p->pos,
		    "our address and the neighbor's are of different families: the "
		    "session stays down");
	if (b->tcp.strict_bind && ip_is_none(b->id.local_ip)) {
		conf_error(c, p->pos, "strict bind needs a local address");
		return false;
	}
	if (b->tcp.onlink && (!b->id.iface || b->given.multihop)) {
		conf_error(c, p->pos, "onlink needs %s",
		    b->id.iface ? "a direct session" : "an interface");
		return false;
	}
	if (ip_is_link_local(b->id.local_ip) && !b->id.iface) {
		conf_error(c, p->pos, "a link-local local address needs an interface");
		return false;
	}
	if (ip_is_link_local(b->id.remote_ip) && !b->id.iface) {
		conf_error(c, p->pos, "a link-local neighbor needs an interface");
		return false;
	}
	return true;
}

/* check_keys - Returns: the error in the keys; NULL: none. */
static const char *
check_keys(const struct bgp_conf *b)
{
	if (b->dynamic.has_range)
		return "authentication ao doesn't go with neighbor range";
	if (b->auth.password)
		return "authentication ao goes with keys, not with a password";
	if (!b->auth.ao.cnt)
		return "authentication ao needs keys";
	if (!sock_ao_best(&b->auth.ao))
		return "all keys are deprecated";
	return sock_ao_built() ? NULL
			       : "authentication ao isn't in this build: the system's "
				 "headers had no TCP-AO";
}

static bool
check_roles(struct conf_ctx *c, struct conf_proto *p, struct bgp_conf *b)
{
	const char *text = NULL;

	if (b->policy.confed_member && !b->policy.confederation)
		text = "a member of a confederation needs the confederation's number "
		       "(confederation N)";
	else if (b->policy.rr_client && b->id.ebgp)
		text = "only an internal neighbor can be a route reflector client";
	else if (b->policy.confederation && b->id.remote_as == b->policy.confederation &&
		 !bgp_conf_interior(b))
		text = "the neighbor's AS number is our confederation's, and the "
		       "neighbor isn't a member";
	else if (b->policy.rs_client && b->policy.confed_member)
		text = "a member of our confederation can't be a route server client";
	else if (b->policy.rs_client && !b->id.ebgp)
		text = "only an external neighbor can be a route server client";
	else if (b->policy.role != BGP_ROLE_NONE && bgp_conf_interior(b))
		text = "roles are for external neighbors";
	else if (b->policy.require_roles && b->policy.role == BGP_ROLE_NONE)
		text = "require roles needs a local role";
	else if (b->timers.keepalive_s && b->timers.hold_s &&
		 b->timers.keepalive_s > b->timers.hold_s)
		text = "keepalive time is longer than hold time";
	else if (b->auth.method == BGP_AUTH_AO)
		text = check_keys(b);
	else if (b->auth.method == BGP_AUTH_MD5 && !b->auth.password)
		text = "authentication md5 needs a password";
	else if (b->gr.min_s > b->gr.max_s)
		text =
		    "min graceful restart time is longer than max graceful restart time";
	else if (b->gr.required && b->gr.mode == BGP_GR_OFF)
		text = "require graceful restart needs graceful restart";
	else if (b->gr.notify && b->gr.mode == BGP_GR_OFF)
		text = "graceful restart notification needs graceful restart";
	else if (b->llgr.min_s > b->llgr.max_s)
		text =
		    "min long lived stale time is longer than max long lived stale time";
	else if (b->llgr.required &&
		 (b->llgr.mode == BGP_GR_OFF || b->gr.mode == BGP_GR_OFF))
		text = "require long lived graceful restart needs long lived graceful "
		       "restart and graceful restart";
	else if (b->llgr.mode == BGP_GR_ON && b->gr.mode == BGP_GR_OFF)
		text = "long lived graceful restart needs graceful restart";
	if (!text)
		return true;
	conf_error(c, p->pos, "%s", text);
	return false;
}

/* check_imports_none - can no route come in by @ch? */
static bool
check_imports_none(const struct conf_channel *ch)
{
	enum filter_verdict v;

	return ch->import && filter_is_const(ch->import, &v) && v == FILTER_REJECT;
}

/* check_default_igp - the table for next hops of family @f of @ch, in BIRD's order: the
 * channel's own table, the igp table and the table of the channel of the other family,
 * master4 or master6. */
static const struct conf_table *
check_default_igp(const struct conf_ctx *c, const struct conf_proto *p,
    const struct conf_channel *ch, enum family f)
{
	const struct conf_channel *other = p->chan;

	if (ch->table->kind == f)
		return ch->table;
	while (other && (other->is_rpki || other->family == ch->family))
		other = other->next;
	if (other && bgp_channel_conf_of(other)->igp_given[f])
		return bgp_channel_conf_of(other)->igp_given[f];
	return other && other->table->kind == f ? other->table : conf_igp_default(c, f);
}

/* check_igp_fits - false: the given table of family @f is of no use for @ch. */
static bool
check_igp_fits(const struct conf_channel *ch, enum family f)
{
	const struct bgp_channel_conf *o = ch->opt;

	return !o->gateway_recursive || !o->igp_given[f] || f == ch->family ||
	       (o->extended_next_hop && ch->family == FAM_IP4);
}

/* check_igp_repeats - does an instance above @p have the same option, of one template, to
 * no use? One message for the option is enough. */
static bool
check_igp_repeats(const struct conf_ctx *c, struct src_pos at, enum family f)
{
	for (unsigned i = 0; i < c->protos.cnt; i++) {
		const struct conf_proto *q = c->protos.item[i];

		for (const struct conf_channel *ch = q->kind == PROTO_BGP ? q->chan
									  : NULL;
		     ch; ch = ch->next) {
			struct src_pos of = bgp_channel_conf_of(ch)->given.igp[f];

			if (of.file == at.file && of.line == at.line &&
			    of.col == at.col && !check_igp_fits(ch, f))
				return true;
		}
	}
	return false;
}

/* check_igp - the tables for next hops of both families. A channel without `extended next
 * hop` has next hops of its own family alone. */
static bool
check_igp(struct conf_ctx *c, const struct conf_proto *p, struct conf_channel *ch)
{
	struct bgp_channel_conf *o = ch->opt;
	enum family f, fam = (enum family)ch->family;

	for (f = 0; f < FAM_CNT; f++)
		o->igp[f] = o->igp_given[f];
	for (f = 0; o->gateway_recursive && f < FAM_CNT; f++) {
		bool said = !check_igp_fits(ch, f) &&
			    check_igp_repeats(c, o->given.igp[f], f);

		if (o->igp[f] && f != fam && !o->extended_next_hop) {
			if (!said)
				conf_error(c, o->given.igp[f],
				    "igp table '%s' is of another type than table '%s', "
				    "and the %s channel of '%s' has no extended next hop",
				    o->igp[f]->name, ch->table->name, ch->name, p->name);
			return false;
		}
		if (o->igp[f] && f != fam && fam != FAM_IP4) {
			if (!said)
				conf_warning(c, o->given.igp[f],
				    "igp table '%s' has no effect: routes of the %s "
				    "channel of '%s' have no IPv4 next hops",
				    o->igp[f]->name, ch->name, p->name);
			o->igp[f] = NULL;
		} else if (!o->igp[f] &&
			   (f == fam || (o->extended_next_hop && fam == FAM_IP4))) {
			o->igp[f] = check_default_igp(c, p, ch, f);
		}
	}
	return true;
}

/* check_hop_map - the channel's map, or the map of the instance. */
static bool
check_hop_map(struct conf_ctx *c, const struct bgp_conf *b, struct conf_channel *ch)
{
	struct bgp_hop_conf *h = &((struct bgp_channel_conf *)ch->opt)->hop;

	if (ch->family != FAM_IP4 && h->of_channel.map) {
		conf_error(c, ch->pos,
		    "next hop map is for IPv4 routes: an IPv6 route has no IPv4 next "
		    "hop");
		return false;
	}
	h->map = h->of_channel.given ? h->of_channel.map : b->hop.map;
	if (ch->family != FAM_IP4)
		h->map = NULL;
	hop_map_hash(h->map, h->hash);
	return true;
}

static bool
check_channel(struct conf_ctx *c, const struct conf_proto *p, struct bgp_conf *b,
    struct conf_channel *ch)
{
	struct bgp_channel_conf *o = ch->opt;

	if (!bgp_conf_interior(b) && (!ch->import || !ch->export)) { /* RFC 8212 */
		conf_error(c, ch->pos, "an external neighbor needs an explicit %s policy",
		    !ch->import ? "import" : "export");
		return false;
	}
	o->next_hop_keep = o->given.keep != BGP_NOT_GIVEN ? o->given.keep
			   : b->policy.rs_client          ? BGP_NH_ALL
			   : b->policy.rr_client          ? BGP_NH_IBGP
							  : BGP_NH_NO;
	o->next_hop_self = o->given.self != BGP_NOT_GIVEN ? o->given.self : BGP_NH_NO;
	o->gateway_recursive = o->given.gateway != BGP_NOT_GIVEN ? o->given.gateway
								 : b->tcp.multihop;
	if (!check_igp(c, p, ch) || !check_hop_map(c, b, ch))
		return false;
	if (ch->family != FAM_IP4) { /* those of IPv6 routes are nothing special */
		o->extended_next_hop = false;
		o->require_extended_next_hop = false;
	}
	o->aigp = o->given.aigp != BGP_NOT_GIVEN ? o->given.aigp : bgp_conf_interior(b);
	if (b->tcp.multihop && !o->gateway_recursive) {
		conf_error(c, ch->pos, "a multihop session needs recursive gateways");
		return false;
	}
	if (o->gateway_recursive && ch->table->sorted)
		conf_ext(
		    c, ch->pos, KNOWN_TERN, "recursive gateways with a sorted table");
	if (o->gateway_recursive && ch->table->sorted && !check_imports_none(ch)) {
		conf_error(c, ch->pos,
		    "recursive gateways don't go with the sorted table '%s'",
		    ch->table->name);
		return false;
	}
	ch->prefer_local = o->next_hop_prefer && !o->gateway_recursive;
	ch->over_link = b->id.vrf && !o->gateway_recursive;
	if (o->next_hop_prefer && o->gateway_recursive)
		conf_warning(
		    c, ch->pos, "next hop prefer has no effect with recursive gateways");
	if (b->decision.deterministic_med && ch->table->sorted) {
		conf_error(c, ch->pos,
		    "deterministic med doesn't go with the sorted table '%s'",
		    ch->table->name);
		return false;
	}
	if (o->secondary && !ch->table->sorted) {
		conf_error(c, ch->pos, "secondary needs a sorted table");
		return false;
	}
	return true;
}

bool
bgp_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	struct bgp_conf *b = p->opt;
	struct conf_channel *ch;
	bool ok = true;

	b->id.vrf = p->vrf;
	if (!check_endpoints(c, p, b))
		return false;
	if (!b->given.multihop && !b->given.direct)
		b->tcp.multihop = !b->id.ebgp && !b->tcp.onlink;
	if (!b->tcp.multihop)
		b->tcp.ttl = 1;
	if (b->auth.password && b->auth.method != BGP_AUTH_AO)
		b->auth.method = BGP_AUTH_MD5;
	if (!check_roles(c, p, b))
		return false;
	if (b->bfd.mode && b->id.vrf) {
		conf_error(c, p->pos, "bfd doesn't go with vrf yet");
		ok = false;
	}
	if (b->bfd.mode && b->tcp.multihop && ip_is_none(b->id.local_ip)) {
		conf_error(c, p->pos, "multihop BGP with bfd needs a local address");
		return false;
	}
	if (b->auth.ao.cnt && b->auth.method != BGP_AUTH_AO)
		conf_warning(c, p->pos, "keys have no effect without authentication ao");
	for (ch = p->chan; ch; ch = ch->next)
		ok = check_channel(c, p, b, ch) && ok;
	return ok;
}

/* The peer gets one route a net, not all paths. */
bool
bgp_conf_through(const struct conf_channel *ch)
{
	return !(bgp_channel_conf_of(ch)->add_paths & BGP_ADDPATH_TX);
}

static bool
bgp_conf_check_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool
bgp_conf_clashes(const struct conf_proto *p, const struct conf_proto *q)
{
	const struct bgp_conf *a = p->opt, *b = q->opt;

	return ip_equal(a->id.remote_ip, b->id.remote_ip) &&
	       a->dynamic.has_range == b->dynamic.has_range &&
	       (!a->dynamic.has_range ||
		   prefix_equal(&a->dynamic.range, &b->dynamic.range)) &&
	       a->id.local_port == b->id.local_port &&
	       a->id.remote_port == b->id.remote_port &&
	       ip_equal(a->id.local_ip, b->id.local_ip) &&
	       bgp_conf_check_same_text(a->id.iface, b->id.iface) &&
	       bgp_conf_check_same_text(a->id.vrf, b->id.vrf);
}

uint64_t
bgp_conf_peer_hash(const struct conf_proto *p)
{
	const struct bgp_conf *b = p->opt;
	struct ip_addr a = b->dynamic.has_range ? b->dynamic.range.addr : b->id.remote_ip;

	return hash_u64(hash_u64(0, a.hi), a.lo);
}

void
bgp_conf_lacks(const struct conf_proto *p, struct strbuf *out)
{
	const struct bgp_conf *cf = p->opt;

	if (priv_lacks_port(cf->id.local_port))
		strbuf_addf(out,
		    "not permitted to listen at port %u (CAP_NET_BIND_SERVICE)",
		    cf->id.local_port);
}
