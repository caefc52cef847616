/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monitoring of BGP sessions. A session reports to each monitor:
 * - received UPDATEs, as received;
 * - sent UPDATEs, as sent;
 * - its offer: the UPDATEs that the session would send if its export filters accepted
 *   all;
 * - the session's going up and going down.
 *
 * A monitor belongs to an instance of protocol bmp. Sessions find the list of monitors in
 * struct tern, and look at the list for each UPDATE: without monitors the look is a
 * single comparison. A session pushes events into the inbox of the monitor, copies octets
 * once for all monitors, and never waits.
 *
 * Which calls may run at the same time: monitor_report from any thread with a worker;
 * monitor_add, monitor_remove and monitor_take by the owners of the monitors, in their
 * workers.
 * G1  A monitor gets a session's events in their order.
 * G2  On request (monitor_ask_out) a session reports all routes that its peer holds:
 *     between MON_OUT_BEGIN and MON_OUT_END, mixed with new UPDATEs. The session reports
 *     its offer in the same way.
 * G3  The monitor's room bounds the octets of waiting UPDATEs. The session drops an
 *     UPDATE that does not fit, and reports MON_LOST, at most once between two calls of
 *     monitor_take. No other event is ever dropped. */
#ifndef TERN_NEST_MONITOR_MONITOR_H
#define TERN_NEST_MONITOR_MONITOR_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "lib/net/ip.h"

struct proto;
struct tern;

#define MONITOR_MAX  32
#define MONITOR_NAME 64

/* A life of a session, from up to down. Immutable. Owner: the references; freed with the
 * last reference. */
struct monitor_life {
	struct counter32 refs;
	uint32_t nr; /* number among all lives; not 0 */
	char name[MONITOR_NAME]; /* of the instance */
	struct ip_addr peer, local;
	uint16_t peer_port, local_port;
	uint32_t peer_as, local_as, router_id; /* router_id: the peer's */
	uint64_t up_us; /* time of coming up, since 1970 */
	uint16_t msg_max; /* octets of the longest message that the peer may send */
	bool as4; /* AS numbers have 4 octets */
	bool local_pref; /* the session accepts LOCAL_PREF from the peer */
	uint8_t fam, ids; /* FAM_BIT of families; of families with path identifiers */
	uint16_t sent_len, received_len;
	uint8_t open[]; /* the sent OPEN, then the received OPEN, whole messages */
};

/* Octets shared by several holders. Immutable. Owner: the references; freed with the last
 * reference. */
struct monitor_octets {
	struct counter32 refs;
	uint32_t len;
	uint8_t at[];
};

enum monitor_kind {
	/* reason 1: all UPDATEs of the life follow; 0: the session was up before */
	MON_UP,
	MON_DOWN, /* reason, octets: as in a BMP message; octets NULL: none */
	MON_UPDATE, /* octets: a whole message */
	MON_MIRROR, /* octets: a malformed message */
	MON_LOST, /* UPDATEs of the life were dropped for this monitor */
	/* octets: whole UPDATEs for the peer, back to back; reason 1: the peer already
	 * has the routes */
	MON_OUT,
	MON_OUT_BEGIN, /* all routes that the peer holds follow */
	MON_OUT_END, /* the routes are complete */
	MON_OFFER, /* MON_OFFER*: as MON_OUT*, for the offer */
	MON_OFFER_BEGIN,
	MON_OFFER_END,
	MON_END, /* reason: FAM_BIT of families for which the peer sent End-of-RIB */
};

/* An event. Owner: the inbox; after monitor_take the monitor's owner. Freed by:
 * monitor_event_free. */
struct monitor_event {
	struct stack_node node; /* private */
	uint8_t kind; /* enum monitor_kind */
	uint8_t reason;
	uint64_t time_us; /* after 1970 */
	struct monitor_life *life; /* a reference */
	struct monitor_octets *octets; /* a reference; NULL: no octets */
};

/* Owner: the worker of `proto`; other threads use only fields marked so. Freed a grace
 * period after monitor_remove. */
struct monitor {
	struct proto *proto; /* constant; its worker runs when an event arrived */
	char *pattern; /* constant; names of instances. MEM_PROTO */
	bool updates; /* constant: the monitor wants UPDATEs */
	bool mirror; /* constant: the monitor wants malformed UPDATEs too */
	bool outs, offers; /* constant: the monitor wants sent UPDATEs, the offer */
	bool ends; /* constant: the monitor wants MON_END */
	uint64_t room; /* constant: limit for the octets of waiting UPDATEs */
	/* written by the owner, read by any thread. kept: octets that the owner keeps for
	 * its stations. out_since: number of the first list of monitors at which sessions
	 * must report all routes that their peers hold */
	struct pub64 kept;
	struct pub32 out_since;
	/* any thread */
	struct stack inbox; /* struct monitor_event */
	struct counter64 waiting; /* octets of UPDATEs */
	struct counter32 takes; /* number of monitor_take calls */
	/* private */
	struct rcu_node rcu;
	uint32_t since; /* number of the first list with the monitor */
};

/* The monitors. Immutable. Owner: struct tern. Freed a grace period after the
 * replacement. */
struct monitor_list {
	struct rcu_node rcu;
	uint32_t nr;
	uint32_t cnt;
	struct monitor *at[];
};

/* monitor_new - make a monitor that is in no list. @pattern: copied. */
OWNED struct monitor *monitor_new(struct proto *p, const char *pattern);
/* monitor_add - publish @m: sessions report events from now on; sessions that are up
 * report MON_UP. Returns: 0, or -ENOSPC: too many monitors. monitor_remove - no session
 * finds @m any more; @m is freed later with its inbox. In the worker of the owner. */
MUST_CHECK int monitor_add(struct tern *t, struct monitor *m);
void monitor_remove(struct tern *t, TAKE struct monitor *m);
/* monitor_ask_out - ask sessions that are up for all routes that their peers hold.
 * Owner. */
void monitor_ask_out(struct tern *t, struct monitor *m);
/* monitor_take - take all events since the last call, oldest first, linked by
 * monitor_next; NULL: no event. Owner. */
OWNED struct monitor_event *monitor_take(struct monitor *m);
OWNED struct monitor_event *monitor_next(const struct monitor_event *e);
void monitor_event_free(TAKE struct monitor_event *e);

/* ---- for sessions ---- */

/* monitor_spare - octets that may be reported now by a session that can delay the report;
 * a larger report would fill the queues. monitor_is_free - true: monitor_spare is not
 * 0. */
static inline uint64_t
monitor_spare(const struct monitor *m)
{
	uint64_t used = counter64_get(&m->waiting) + load_relaxed64(&m->kept);

	return used < m->room / 4 ? m->room / 4 - used : 0;
}

static inline bool
monitor_is_free(const struct monitor *m)
{
	return monitor_spare(m) > 0;
}

/* monitor_list_get - the present monitors, under RCU; NULL: none. */
const struct monitor_list *monitor_list_get(const struct tern *t);
/* monitor_nr_after - true: list number @a is later than @b. Numbers wrap; neither is
 * 0. */
static inline bool
monitor_nr_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/* monitor_lists_fini - all loops have ended. */
void monitor_lists_fini(struct tern *t);
bool monitor_wants(const struct monitor *m, const char *name);
OWNED struct monitor_life *monitor_life_new(struct tern *t, size_t open_len);
OWNED struct monitor_octets *monitor_octets_new(const uint8_t *p, size_t len);
/* monitor_report - push an event to @m. @life, @octets: borrowed. Returns: false: no
 * room, and the event was dropped. Under RCU. */
bool monitor_report(struct monitor *m, enum monitor_kind k, unsigned reason,
    struct monitor_life *life, struct monitor_octets *octets);

static inline struct monitor_life *
monitor_life_ref(struct monitor_life *l)
{
	counter32_add(&l->refs, 1);
	return l;
}

void monitor_life_put(TAKE struct monitor_life *l);

static inline struct monitor_octets *
monitor_octets_ref(struct monitor_octets *o)
{
	counter32_add(&o->refs, 1);
	return o;
}

/* monitor_octets_put - drop a reference. @o NULL: no effect. */
void monitor_octets_put(TAKE struct monitor_octets *o);

#endif
