/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol bgp` and of its channels after parsing: all defaults are applied,
 * all cross-checks are done. Immutable. Owner: the struct config. Life: the arena of the
 * config. Loop: the thread that parses; functions on parsed options run in any
 * thread. */
#ifndef TERN_PROTO_BGP_CONF_BGP_CONF_H
#define TERN_PROTO_BGP_CONF_BGP_CONF_H

#include "filter/lang/diag.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/opt/conf_opt.h"
#include "sysdep/sock/sock_ao.h"

#define BGP_PORT 179

struct bfd_opts;
struct hop_map;
struct iface_pattern;

enum bgp_bfd { BGP_BFD_OFF, BGP_BFD_ON, BGP_BFD_GRACEFUL };

enum bgp_auth { BGP_AUTH_NONE, BGP_AUTH_MD5, BGP_AUTH_AO };

/* Values of `next hop keep` and `next hop self`: from whom the route came. */
enum bgp_nh_mode { BGP_NH_NO = 0, BGP_NH_ALL, BGP_NH_IBGP, BGP_NH_EBGP };

enum bgp_addpath {
	BGP_ADDPATH_OFF = 0,
	BGP_ADDPATH_RX = 1,
	BGP_ADDPATH_TX = 2,
	BGP_ADDPATH_BOTH = 3
};

/* Levels of `graceful restart` and `long lived graceful restart`. */
enum bgp_gr { BGP_GR_OFF = 0, BGP_GR_AWARE, BGP_GR_ON };

/* Who the two speakers of a session are. */
struct bgp_identity {
	uint32_t local_as; /* never 0 after parsing */
	uint32_t remote_as; /* 0: any but the local AS (`external`) */
	bool ebgp; /* conf_remote_as != conf_local_as */
	struct ip_addr local_ip; /* IP_NONE: chosen by the system */
	struct ip_addr remote_ip; /* IP_NONE: the peer is any address of the range */
	const char *iface; /* NULL: none */
	const char *vrf; /* conf_proto's */
	uint16_t local_port; /* to listen at: BGP_PORT by default */
	uint16_t remote_port; /* to connect to: BGP_PORT by default */
};

/* `neighbor range`: the instance only listens; each peer from the range gets an instance
 * (nest/conf/conf_member.h). */
struct bgp_dynamic {
	bool has_range;
	struct prefix range;
	const struct iface_pattern *iface_range; /* on these interfaces; NULL: on any */
	const char *iface_range_text; /* to compare */
	const char *name; /* the instances' names begin with this text */
	uint32_t digits, max, age_s;
};

/* The TCP connection. */
struct bgp_transport {
	bool multihop; /* else direct */
	uint8_t ttl; /* of multihop: 64 by default; direct: 1 (0 stands for neither) */
	bool ttl_security; /* RFC 5082: send 255, refuse below 256 - hops */
	bool strict_bind; /* listen at local_ip only */
	bool free_bind;
	bool passive;
	bool check_link;
	bool onlink; /* the peer is on iface's link whatever its address is */
	bool disable_rx;
	uint8_t tx_class; /* DSCP octet, 0xc0 */
	uint32_t tx_priority;
	uint32_t tx_size_warning; /* prefixes that wait to be sent; 0: off */
};

/* Authentication of the TCP connection. */
struct bgp_auth_conf {
	const char *password; /* NULL: none */
	uint8_t method; /* enum bgp_auth: MD5 if there is a password */
	struct sock_ao ao; /* keys of BGP_AUTH_AO */
};

/* The options of the BFD session. Owner: the configuration. Freed by: the arena of the
 * configuration. */
struct bgp_bfd_conf {
	uint8_t mode; /* enum bgp_bfd */
	const struct bfd_opts *opts; /* NULL: nothing special */
	const char *text; /* of the options, to compare */
};

/* Relation of both sides (RFC 4456, 5065, 7947, 9234), and checks of received UPDATEs.
 */
struct bgp_policy_conf {
	uint32_t confederation; /* number of the confederation; 0: none */
	bool confed_member; /* given */
	bool rs_client;
	bool quarantine; /* until `quarantine release` */
	bool rr_client;
	uint32_t rr_cluster_id; /* host order; 0: the router id */
	uint8_t role; /* enum bgp_role */
	bool require_roles;
	bool interpret_communities;
	bool enforce_first_as;
	/* own AS so often in the path is no loop; UINT32_MAX: any number */
	uint32_t allow_local_as;
	bool allow_as_sets;
	/* accept LOCAL_PREF from eBGP peers, and send LOCAL_PREF to them */
	bool allow_local_pref;
	/* pass a received MED on to eBGP peers; MED from eBGP peers is always accepted */
	bool allow_med;
};

/* Timers; fields with _s in seconds, 0: off. */
struct bgp_timers_conf {
	uint32_t hold_s, min_hold_s, startup_hold_s;
	/* 0: a third of the negotiated hold time; else scaled with it */
	uint32_t keepalive_s;
	uint32_t min_keepalive_s;
	bool has_send_hold; /* given; else twice the negotiated hold time */
	uint32_t send_hold_s; /* RFC 9687 */
	uint32_t connect_delay_s; /* `connect delay time`, `start delay time` */
	uint32_t connect_retry_s;
	uint32_t error_wait_min_s, error_wait_max_s;
	uint32_t error_forget_s;
	bool disable_after_error;
	uint32_t disable_after_cease; /* 1 << subcode of Cease */
};

/* Capabilities (RFC 5492) apart from those of the restart. */
struct bgp_caps_conf {
	bool enable; /* `capabilities` */
	bool enable_as4, enable_refresh, enable_extended_messages;
	bool enable_enhanced_refresh;
	bool advertise_hostname, require_hostname;
	bool require_as4, require_refresh, require_enhanced_refresh,
	    require_extended_messages;
};

/* `graceful restart` (RFC 4724), or `long lived graceful restart` (RFC 9494). */
struct bgp_restart_conf {
	uint8_t mode; /* enum bgp_gr */
	uint32_t time_s; /* time for which the peer keeps the (long-lived stale) routes */
	uint32_t min_s, max_s; /* bounds of the time that the peer announces */
	bool notify; /* also after NOTIFICATIONs (RFC 8538); of gr alone */
	bool required;
};

/* Best route selection. */
struct bgp_decision_conf {
	bool path_metric, med_metric, deterministic_med, igp_metric, prefer_older;
	uint32_t default_med, default_local_pref;
};

/* Values of options before defaults by role: 255 where no value was given. Private to the
 * files of proto/bgp/conf. Embedded in struct bgp_channel_conf. Owner and life: as the
 * configuration. */
struct bgp_channel_given {
	uint8_t keep, self, gateway, aigp;
	struct src_pos igp[FAM_CNT]; /* the places of igp_given */
};

/* `next hop map` of an instance or a channel. Embedded. Owner and life: as the
 * configuration. */
struct bgp_hop_given {
	bool given; /* also `off` */
	const struct hop_map *map; /* NULL: off */
};

/* The next hop map of a channel; check_hop_map makes map and hash. Embedded in struct
 * bgp_channel_conf. Owner and life: as the configuration. */
struct bgp_hop_conf {
	struct bgp_hop_given of_channel;
	const struct hop_map *map; /* NULL: none */
	uint64_t hash[2]; /* of the map's entries, to compare; 0: none */
};

/* The given options; private to proto/bgp/conf. */
struct bgp_given {
	bool local_as, remote_as, multihop, direct, internal, external;
};

/* The options of an instance. Owner: the configuration. Freed by: the arena of the
 * configuration. */
struct bgp_conf {
	struct bgp_identity id;
	struct bgp_dynamic dynamic;
	struct bgp_transport tcp;
	struct bgp_auth_conf auth;
	struct bgp_bfd_conf bfd;
	struct bgp_policy_conf policy;
	struct bgp_timers_conf timers;
	struct bgp_caps_conf caps;
	struct bgp_restart_conf gr, llgr;
	struct bgp_decision_conf decision;
	struct bgp_hop_given hop; /* for channels without the option */
	struct bgp_given given;
};

/* The options of a channel. Owner: the configuration. Freed by: the arena of the
 * configuration. */
struct bgp_channel_conf {
	uint8_t next_hop_keep,
	    next_hop_self; /* enum bgp_nh_mode, defaults by role applied */
	struct ip_addr next_hop_address; /* IP_NONE: local address */
	bool gateway_recursive; /* default: for multihop sessions */
	/* tables for lookups of next hops, by the family of the next hop. igp_given: of
	 * the option `igp table`. igp: the given tables and the defaults, if
	 * gateway_recursive; the check makes igp anew, so a template passes on the given
	 * tables alone. NULL: no lookups */
	const struct conf_table *igp_given[FAM_CNT], *igp[FAM_CNT];
	uint8_t next_hop_prefer; /* 1: prefer the link-local next hop of two */
	bool mandatory;
	bool import_table, export_table;
	bool secondary;
	bool extended_next_hop, require_extended_next_hop;
	uint8_t ll_form; /* enum bgp_ll_form: `link local next hop format` */
	uint8_t add_paths; /* enum bgp_addpath */
	bool require_add_paths;
	/* BGP_NOT_GIVEN: as the session; effective unless the session's option is off */
	uint8_t gr, llgr;
	/* BGP_TIME_NOT_GIVEN: as the session */
	uint32_t llgr_s, llgr_min_s, llgr_max_s;
	uint8_t aigp; /* accept and send AIGP: 0, 1, BGP_AIGP_ORIGINATE */
	uint32_t cost; /* of the link to a direct neighbor; 0: not given */
	struct bgp_hop_conf hop;
	struct bgp_channel_given given;
};

#define BGP_NOT_GIVEN      255
#define BGP_TIME_NOT_GIVEN UINT32_MAX
#define BGP_AIGP_ORIGINATE 2 /* value of given.aigp; 0: off, 1: on */

/* bgp_conf_igp - the table for lookups of next hops of family @f. NULL: no lookups of
 * such next hops, also if no protocol fills the table with routes to next hops: no lookup
 * would succeed. bgp_conf_looks_up - true if next hops of some family are looked up. */
const struct conf_table *bgp_conf_igp(const struct conf_channel *ch, enum family f);
bool bgp_conf_looks_up(const struct conf_channel *ch);

extern const struct conf_class bgp_conf_class;
extern const struct conf_opt bgp_channel_options[];

/* bgp_conf_keys.c */
extern const struct conf_opt bgp_conf_keys_options[];
bool bgp_conf_parse_keys(struct conf_args *a, void *to);

struct conf_ctx;
/* bgp_conf_parse_map - read `next hop map` ("FILE" | off) into *@out. Returns: false: an
 * error was reported. */
bool bgp_conf_parse_map(struct conf_args *a, struct bgp_hop_given *out);
/* bgp_conf_check - check and complete @p. Returns: false: an error was reported. */
bool bgp_conf_check(struct conf_ctx *c, struct conf_proto *p);
/* bgp_conf_through, bgp_conf_clashes, bgp_conf_lacks - struct conf_class: through,
 * clashes, lacks. */
bool bgp_conf_through(const struct conf_channel *ch);
bool bgp_conf_clashes(const struct conf_proto *p, const struct conf_proto *q);
void bgp_conf_lacks(const struct conf_proto *p, struct strbuf *out);
/* bgp_conf_peer_hash - struct conf_class: peer_hash. */
uint64_t bgp_conf_peer_hash(const struct conf_proto *p);

extern const struct conf_member_ops bgp_conf_members; /* bgp_conf_range.c */
/* bgp_conf_listens - true if the protocol listens in @vrf (NULL: none) at @port of @local
 * (IP_NONE: any address). */
bool bgp_conf_listens(
    const struct bgp_conf *b, const char *vrf, uint16_t port, struct ip_addr local);
/* bgp_conf_check_range - the checks of a range. Returns: false: an error was reported. */
bool bgp_conf_check_range(
    struct conf_ctx *c, const struct conf_proto *p, const struct bgp_conf *b);

static inline const struct bgp_conf *
bgp_conf_of(const struct conf_proto *p)
{
	return (const struct bgp_conf *)p->opt;
}

/* bgp_conf_min_ttl - the lowest TTL of packets of the peer (RFC 5082, 3); 0: any. */
static inline uint8_t
bgp_conf_min_ttl(const struct bgp_conf *b)
{
	if (!b->tcp.ttl_security)
		return 0;
	return (uint8_t)(256 - (b->tcp.multihop ? b->tcp.ttl : 1));
}

/* bgp_conf_interior - true if the peer is in the local AS or the local confederation (RFC
 * 5065). */
static inline bool
bgp_conf_interior(const struct bgp_conf *b)
{
	return !b->id.ebgp || b->policy.confed_member;
}

/* bgp_conf_public_as - the AS that the peer sees: outside of a confederation the
 * confederation's number, not the member AS. */
static inline uint32_t
bgp_conf_public_as(const struct bgp_conf *b)
{
	return b->policy.confederation && !bgp_conf_interior(b) ? b->policy.confederation
								: b->id.local_as;
}

static inline const struct bgp_channel_conf *
bgp_channel_conf_of(const struct conf_channel *c)
{
	return (const struct bgp_channel_conf *)c->opt;
}

#endif
