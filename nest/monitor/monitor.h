/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who watches BGP sessions, and what they are told: what a session has received, as it
 * came, what it has sent, as it went, what it would send if its export filters accepted
 * all (its offer), and that it came up or went.
 *
 * A monitor is one who watches (protocol bmp). Sessions find the list of monitors in
 * struct tern, and look at it once an UPDATE: without monitors that is one comparison.
 * What a session tells goes into the monitor's inbox; octets are copied once, whoever
 * wants them. The session never waits.
 *
 * Which calls may run at the same time: monitor_tell from any thread that is a worker's;
 * monitor_add, monitor_remove and monitor_take by the monitors' owners, each in its own.
 * G1  A monitor is told of one session's events in the order in which they happened.
 * G2  What a session's peer holds is told, too, when the monitor asks (monitor_ask_out):
 *     between MON_OUT_BEGIN and MON_OUT_END, among what is sent meanwhile. So is its
 *     offer.
 * G3  Of UPDATEs no more octets wait for a monitor than it allows. What doesn't fit is
 *     dropped, and MON_LOST is told, once a session between two monitor_take. Other
 *     events always come. */
#ifndef TERN_NEST_MONITOR_H
#define TERN_NEST_MONITOR_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "lib/net/ip.h"

struct proto;
struct tern;

#define MONITOR_MAX  32
#define MONITOR_NAME 64

/* One life of a session. Immutable; counted; freed with its last reference. */
struct monitor_life {
	struct counter32 refs;
	uint32_t nr; /* of all lives; not 0 */
	char name[MONITOR_NAME]; /* of the instance */
	struct ip_addr peer, local;
	uint16_t peer_port, local_port;
	uint32_t peer_as, local_as, router_id; /* router_id: the peer's */
	uint64_t up_us; /* when it came up, after 1970 */
	uint16_t msg_max; /* octets of the longest message that the peer may send */
	bool as4; /* AS numbers have 4 octets */
	bool local_pref; /* LOCAL_PREF is taken from this peer */
	uint8_t fam, ids; /* FAM_BIT of families; of those with path identifiers */
	uint16_t sent_len, received_len;
	uint8_t open[]; /* the OPEN that we have sent, then the peer's: whole messages */
};

/* Octets that several may hold. Immutable; counted. */
struct monitor_octets {
	struct counter32 refs;
	uint32_t len;
	uint8_t at[];
};

enum monitor_kind {
	MON_UP, /* reason 1: all its UPDATEs follow; 0: it has been up before */
	MON_DOWN, /* reason, octets: as a BMP message has it; octets NULL: none */
	MON_UPDATE, /* octets: a whole message */
	MON_MIRROR, /* octets: a message that was malformed */
	MON_LOST, /* some of the life's UPDATEs were dropped here */
	/* octets: whole UPDATEs for the peer, back to back; reason 1: it has them */
	MON_OUT,
	MON_OUT_BEGIN, /* all that the peer holds follows */
	MON_OUT_END, /* that was all */
	MON_OFFER, /* the same of the offer */
	MON_OFFER_BEGIN,
	MON_OFFER_END,
	MON_END, /* reason: FAM_BIT of families whose End-of-RIB has come from the peer */
};

/* owner: who has taken it. */
struct monitor_event {
	struct stack_node node; /* private */
	uint8_t kind; /* enum monitor_kind */
	uint8_t reason;
	uint64_t time_us; /* after 1970 */
	struct monitor_life *life; /* a reference */
	struct monitor_octets *octets; /* a reference; NULL: none */
};

/* owner: who watches, but for what is marked; freed by: a grace period after
 * monitor_remove. */
struct monitor {
	struct proto *proto; /* constant; its worker runs when something was told */
	char *pattern; /* constant; names of instances. MEM_PROTO */
	bool updates; /* constant: UPDATEs are wanted, too */
	bool mirror; /* constant: and malformed ones */
	bool outs, offers; /* constant: what is sent, and what would be, is wanted */
	bool ends; /* constant: MON_END is */
	uint64_t room; /* constant: octets that may wait */
	/* owner's, read by any: octets that it keeps for those that it tells; number of
	 * the list of monitors since which all that peers hold is wanted */
	struct pub64 kept;
	struct pub32 out_since;
	/* any thread */
	struct stack inbox; /* struct monitor_event */
	struct counter64 waiting; /* octets of UPDATEs */
	struct counter32 takes; /* how often the inbox was taken */
	/* private */
	struct rcu_node rcu;
	uint32_t since; /* number of the first list that has it */
};

/* Immutable; replaced whole. */
struct monitor_list {
	struct rcu_node rcu;
	uint32_t nr;
	uint32_t cnt;
	struct monitor *at[];
};

/* monitor_new - @pattern: copied. Nobody knows it yet. */
OWNED struct monitor *monitor_new(struct proto *p, const char *pattern);
/* monitor_add - sessions tell it from now on what happens; those that are up say so.
 * Returns: 0, or -ENOSPC: there are too many. monitor_remove - nobody finds it anew; it
 * is freed with what is still in its inbox. In its owner's worker. */
MUST_CHECK int monitor_add(struct tern *t, struct monitor *m);
void monitor_remove(struct tern *t, TAKE struct monitor *m);
/* monitor_ask_out - sessions that are up tell what their peers hold. Its owner. */
void monitor_ask_out(struct tern *t, struct monitor *m);
/* monitor_take - what was told since the last call, oldest first, by monitor_next; NULL:
 * nothing. Its owner. */
OWNED struct monitor_event *monitor_take(struct monitor *m);
OWNED struct monitor_event *monitor_next(const struct monitor_event *e);
void monitor_event_free(TAKE struct monitor_event *e);

/* ---- for sessions ---- */

/* monitor_spare - octets that may be told now of what can wait elsewhere. It would fill
 * the queues else. monitor_is_free - are there any? */
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

/* monitor_list - who there is, under RCU; NULL: nobody. */
const struct monitor_list *monitor_list_get(const struct tern *t);
/* monitor_nr_after - is list number @a later than @b? Numbers wrap; neither is 0. */
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
/* monitor_tell - @life, @octets: borrowed. Returns: false: there was no room, and it
 * isn't told. Under RCU. */
bool monitor_tell(struct monitor *m, enum monitor_kind k, unsigned reason,
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

/* monitor_octets_put - @o: NULL: nothing. */
void monitor_octets_put(TAKE struct monitor_octets *o);

#endif
