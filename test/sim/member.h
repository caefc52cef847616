/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A member of the exchange: a BGP speaker with a table, as a task of the simulated world
 * (member.c).
 *
 * The speaker has its own codec, because a shared codec would hide faults of the
 * product's codec. */
#ifndef TERN_TEST_SIM_MEMBER_H
#define TERN_TEST_SIM_MEMBER_H

#include "test/sim/rib.h"

/* A route that waits to be sent. */
struct pending {
	struct rib_key key;
	struct rib_attrs *attrs; /* NULL: withdraw */
};

/* The restart time that members announce (codec_open.c has the octets). */
#define MEMBER_RESTART_S 120

/* May the session end against the member's wish? */
enum member_falls {
	MEMBER_STANDS, /* an end fails the run */
	MEMBER_MAY_FALL_ONCE, /* until it is up again */
	MEMBER_MAY_FALL
};

/* Roles of RFC 9234: the value on the wire, plus 1. */
enum member_role {
	ROLE_NONE, /* the member does not announce a role */
	ROLE_PROVIDER,
	ROLE_RS_SERVER,
	ROLE_RS_CLIENT,
	ROLE_CUSTOMER,
	ROLE_PEER
};

/* Graceful restart of the daemon in one family (member_stale.c): words of the last OPEN,
 * and state of stale routes. */
struct member_restart {
	bool agreed, kept; /* RFC 4724; kept: the daemon has preserved its state */
	bool long_kept; /* likewise of RFC 9494 */
	uint32_t long_s; /* the daemon's long-lived stale time; 0: none */
	bool is_long; /* the stale routes have LLGR_STALE */
	uint64_t until_ns; /* end of the time that runs */
};

struct member {
	struct member *next;
	char name[24], address[64], server[64], password[80];
	uint32_t as;
	uint16_t hold_s;
	/* the clock: the member's timers take so much of the due time; below 100: the
	 * clock is fast */
	uint32_t timer_percent;
	int ttl; /* TTL of sent octets; 0: the system's */
	/* capabilities: add-path both ways, graceful restart, IPv6 unicast, IPv6 next
	 * hops of IPv4 routes, messages of 65,535 octets, marks of a refresh, the
	 * long-lived stale time (0: no capability), the role */
	bool add_path, restarts, ipv6, extended_hop, extended_messages, enhanced_refresh;
	uint32_t long_lived_s;
	/* with restarts: the member comes back without its forwarding state, and sends
	 * no End-of-RIB */
	bool forgets;
	enum member_role role;
	/* wishes of the story */
	bool wanted, reads, silent, mute;
	enum member_falls falls; /* MEMBER_MAY_FALL in stories, which have `never` */
	struct rib announced; /* attributes by text, as the story says */
	/* state of the session */
	bool up, owes_keepalive; /* owes: the daemon's OPEN came before the member's */
	uint64_t up_ns, down_ns; /* the begin of the session; the end */
	int fd;
	uint16_t hold_used_s;
	bool peer_as4, sends_id[2], gets_id[2]; /* path identifiers of IPv4 and IPv6 */
	/* both sides have the capability */
	bool uses_extended_hop, uses_extended_messages, uses_enhanced_refresh;
	uint32_t peer_as;
	enum member_role peer_role;
	struct rib received; /* attributes as codec_text writes */
	/* routes sent in this session and not withdrawn, attributes by text; routes that
	 * the daemon may keep from an earlier session; the greatest number of IPv4 and
	 * IPv6 routes in told; octets as they are were sent */
	struct rib told, kept;
	uint32_t told_most[2], told_cnt[2];
	bool sent_raw, scripted; /* scripted: the script has the member */
	bool told_changed; /* a route of told has changed, or has gone */
	uint32_t received_most; /* greatest number of received routes of the session */
	/* graceful restart of the daemon: routes received in an earlier session; the
	 * families IPv4 and IPv6 */
	struct rib stale;
	struct member_restart restart[2];
	uint16_t peer_restart_s;
	/* End-of-RIB: came in this message; came in this session; is to be sent */
	bool ended[2], has_ended[2], ends_due;
	/* route refresh (member_refresh.c): routes that the daemon has not repeated; the
	 * refreshes that the member must end */
	struct rib again;
	bool refresh_due[2];
	uint64_t heard_ns, sent_ns, changed_ns;
	uint32_t downs, updates, eors;
	uint32_t refreshes; /* ends of refreshes since the member asked */
	uint32_t longest; /* octets of the longest message of the session */
	uint8_t error_code, error_subcode; /* of the last NOTIFICATION received */
	uint8_t in[65536];
	uint32_t in_len;
	uint8_t out[1 << 20];
	uint32_t out_len;
	bool work; /* the story has changed something */
	struct pending *pending; /* changes to send, from pending_at on */
	uint32_t pending_at, pending_cnt, pending_cap;
};

/* member_new - a member that is down; @server is the route server's address. */
struct member *member_new(
    const char *name, uint32_t as, const char *address, const char *server);
/* member_ns - how long @s seconds of the member's clock take. */
uint64_t member_ns(const struct member *m, uint64_t s);
/* member_up, member_down - want a session, or end the session (a Cease, or a TCP
 * reset). */
void member_up(struct member *m);
void member_down(struct member *m, bool reset);
/* member_mute - send nothing in new connections, not even an OPEN; or speak again. */
void member_mute(struct member *m, bool mute);
/* member_set_ttl - of packets from now on; 0: the system's. */
void member_set_ttl(struct member *m, int ttl);
/* member_reads - read octets of the daemon, or close the window. */
void member_reads(struct member *m, bool reads);
/* member_announce - @attrs: "path 1 2 {3 4} community (1,2) (3,4) large (1,2,3) med N
 * pref N otc N next hop A"; NULL: withdraw. Fails the run when the text is anything else,
 * or when an IPv4 route has an IPv6 next hop and the member lacks the capability. */
void member_announce(
    struct member *m, const char *prefix, uint32_t id, const char *attrs);
/* member_has - the attributes of a received route whose text holds @words ("": any), or
 * NULL. */
const char *member_has(const struct member *m, const char *prefix, const char *words);
/* member_send_raw - send octets unchanged, for tests of wrong messages. */
void member_send_raw(struct member *m, const void *octets, uint32_t len);
/* member_refresh - ask for the routes of each family. */
void member_refresh(struct member *m);
/* member_send_all - send the announced routes again. */
void member_send_all(struct member *m);

#endif
