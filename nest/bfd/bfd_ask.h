/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests for BFD sessions, and the instances of `protocol bfd` that serve the requests.
 *
 * An instance of another protocol (the asker) requests a session with a neighbour
 * (bfd_ask_new). The first BFD instance that accepts such sessions serves the request;
 * without such an instance the request waits. One session serves all requests for a
 * neighbour. BFD's worker reports changes directly to the asker's worker.
 *
 *      asker's worker                       BFD's worker
 *      bfd_ask_new    -- ASK -->            attach to a session, or make a session
 *                     <-- state --          the session came up, went down
 *      bfd_ask_delete -- LEAVE -->          release; the last release ends the session
 *                     <-- gone --           no further message
 *
 * Which calls may run at the same time: calls of an asker, in its worker, with calls of a
 * BFD instance, in its worker.
 * G1  `gone` of a request is called once, after bfd_ask_delete; no call follows, and no
 *     message is under way. An asking instance must not end before.
 * G2  The loss of an up session is reported, however soon the session returns.
 * G3  At most two messages of a request are under way to the asker; each call to BFD is
 *     one message.
 * Progress: no side waits for the other. */
#ifndef TERN_NEST_BFD_BFD_ASK_H
#define TERN_NEST_BFD_BFD_ASK_H

#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "lib/wire/bfd.h"
#include "nest/bfd/bfd_place.h"
#include "sysdep/loop/loop.h"

struct bfd_ask;
struct bfd_opts;
struct bfd_service;
struct proto;
struct tern;

enum bfd_news {
	BFD_NEWS_UP,
	BFD_NEWS_DOWN, /* an up session was lost */
	/* an operator took the session down, on either side; the state of the path is
	 * unknown (RFC 5882, 4.2) */
	BFD_NEWS_ADMIN
};

/* Calls of an asker. Owner: the asker's file, as a constant. Lives: as long as the
 * process; nobody frees the calls. */
struct bfd_ask_ops {
	void (*news)(struct bfd_ask *a, enum bfd_news what);
	void (*gone)(struct bfd_ask *a); /* G1; @a lives until the call returns */
};

/* A request. Owner: by groups of fields; freed with the last reference. */
struct bfd_ask {
	/* constant */
	struct proto *proto; /* the asker */
	const struct bfd_ask_ops *ops;
	void *arg; /* of the asker */
	struct bfd_place place;
	/* the asker's fields: */
	struct bfd_service *at; /* the serving instance; NULL: none */
	struct bfd_opts *opts; /* wanted options. MEM_PROTO */
	bool deleted;
	uint32_t seen; /* the last reported state */
	/* fields of the serving BFD instance: */
	struct list link; /* in the list of the session */
	struct bfd_opts *session_opts; /* wanted options, BFD's copy. MEM_PROTO */
	void *session;
	uint32_t word; /* value of `state` */
	/* both sides: */
	struct pub32 state; /* enum bfd_state, and counts: bfd_ask.c */
	struct pub32 posted; /* `msg` is under way */
	struct msg msg, gone_msg;
	struct counter32 refs;
};

/* ---- for askers ---- */

/* bfd_ask_new - @opts: copied; NULL: no options. */
OWNED struct bfd_ask *bfd_ask_new(struct proto *p, const struct bfd_ask_ops *ops,
    void *arg, const struct bfd_place *place, const struct bfd_opts *opts);
/* bfd_ask_opts - change the wanted options. */
void bfd_ask_opts(struct bfd_ask *a, const struct bfd_opts *opts);
/* bfd_ask_look - the list of BFD instances changed (proto_class.bfd). */
void bfd_ask_look(struct bfd_ask *a);
/* bfd_ask_delete - end the request; `gone` follows, or is called directly. */
void bfd_ask_delete(TAKE struct bfd_ask *a);
/* bfd_ask_is_up - true: the last reported state is up. */
bool bfd_ask_is_up(const struct bfd_ask *a);
/* bfd_ask_is_graceful - true: by its options, a loss is a graceful restart; as last
 * reported. */
bool bfd_ask_is_graceful(const struct bfd_ask *a);

/* ---- for instances of BFD ---- */

/* Kinds of sessions that an instance accepts. */
#define BFD_TAKES_IP4_DIRECT   1u
#define BFD_TAKES_IP4_MULTIHOP 2u
#define BFD_TAKES_IP6_DIRECT   4u
#define BFD_TAKES_IP6_MULTIHOP 8u
#define BFD_TAKES_ALL          15u

static inline unsigned
bfd_takes_bit(bool v4, bool multihop)
{
	return (v4 ? BFD_TAKES_IP4_DIRECT : BFD_TAKES_IP6_DIRECT) << multihop;
}

#define BFD_SERVICES_MAX 32

struct bfd_shown_list; /* nest/bfd/bfd_shown.h */

/* A BFD instance, as askers see it. Owner: the instance's worker; other threads use only
 * fields marked so. Freed a grace period after bfd_service_remove. */
struct bfd_service {
	struct proto *proto; /* constant */
	unsigned takes; /* constant: BFD_TAKES_* */
	struct stack inbox; /* any thread: struct bfd_call */
	struct pubptr shown; /* struct bfd_shown_list *, for readers under RCU */
	struct rcu_node rcu; /* private */
};

/* The BFD instances. Immutable. Owner: struct tern; freed a grace period after its
 * replacement. */
struct bfd_service_list {
	struct rcu_node rcu;
	uint32_t nr, cnt;
	struct bfd_service *at[];
};

enum bfd_call_kind { BFD_CALL_ASK, BFD_CALL_OPTS, BFD_CALL_LEAVE };

/* A call of an asker. Owner: the inbox, then the receiver. Freed by: bfd_call_free. */
struct bfd_call {
	struct stack_node node;
	uint8_t kind; /* enum bfd_call_kind */
	struct bfd_ask *ask; /* a reference */
	struct bfd_opts *opts; /* ASK, OPTS. MEM_PROTO */
};

OWNED struct bfd_service *bfd_service_new(struct proto *p, unsigned takes);
/* bfd_service_add - publish the service. Returns: 0, or -ENOSPC. bfd_service_remove -
 * unpublish the service, and answer the calls in its inbox. Then the instance calls
 * bfd_ask_gone for all its requests. */
MUST_CHECK int bfd_service_add(struct tern *t, struct bfd_service *s);
void bfd_service_remove(struct tern *t, TAKE struct bfd_service *s);
/* bfd_service_list_get - under RCU; NULL: no instance. */
const struct bfd_service_list *bfd_service_list_get(const struct tern *t);
/* bfd_service_take - take all calls since the last call, oldest first, linked by
 * bfd_call_next. */
OWNED struct bfd_call *bfd_service_take(struct bfd_service *s);
OWNED struct bfd_call *bfd_call_next(const struct bfd_call *c);
/* bfd_call_free - also drops the reference and frees the options, unless NULL. */
void bfd_call_free(TAKE struct bfd_call *c);
struct bfd_ask *bfd_ask_ref(struct bfd_ask *a);
/* bfd_ask_notify - report state @s of the session; @lost: the session was up and is lost;
 * @admin: an operator took the session down; @graceful: from the options. */
void bfd_ask_notify(
    struct bfd_ask *a, enum bfd_state s, bool lost, bool admin, bool graceful);
/* bfd_ask_gone - the request has no session any more, and reports end: TAKE the reference
 * of its ASK. */
void bfd_ask_gone(TAKE struct bfd_ask *a);

#endif
