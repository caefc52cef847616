/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who wants a BFD session, and the instances of `protocol bfd` that have them.
 *
 * An instance of another protocol asks (bfd_ask_new) for a session with a neighbour. The
 * first instance of BFD that takes such sessions has it; while there is none the ask
 * waits. One session serves all who ask for the same neighbour. What becomes of it comes
 * straight from BFD's worker to the asker's.
 *
 *      asker's worker                       BFD's worker
 *      bfd_ask_new    -- ASK -->            attached to a session, or a new one
 *                     <-- state --          it came up, went
 *      bfd_ask_delete -- LEAVE -->          let go; the last one: the session, too
 *                     <-- gone --           nothing comes any more
 *
 * Which calls may run at the same time: those of an asker, in its worker, with those of
 * an instance of BFD, in its own.
 * G1  `gone` of an ask is called once, after bfd_ask_delete; nothing is called after it,
 *     and no message is under way. An instance mustn't end before.
 * G2  A session that goes while it was up is told, however soon it is back.
 * G3  At most two messages of an ask are under way to the asker; of calls to BFD there is
 *     one for each that was made.
 * Progress: nobody waits for anybody. */
#ifndef TERN_NEST_BFD_ASK_H
#define TERN_NEST_BFD_ASK_H

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
	BFD_NEWS_DOWN, /* it was up, and is lost */
	/* it was up; somebody has taken it down, here or there, and nothing is known of
	 * the path (RFC 5882, 4.2) */
	BFD_NEWS_ADMIN
};

struct bfd_ask_ops {
	void (*news)(struct bfd_ask *a, enum bfd_news what);
	void (*gone)(struct bfd_ask *a); /* G1; @a is there until it returns */
};

/* owner: as marked; freed by: the last reference. */
struct bfd_ask {
	/* constant */
	struct proto *proto; /* the asker */
	const struct bfd_ask_ops *ops;
	void *arg; /* of the asker */
	struct bfd_place place;
	/* the asker's */
	struct bfd_service *at; /* who has it; NULL: nobody */
	struct bfd_opts *opts; /* what it wants. MEM_PROTO */
	bool deleted;
	uint32_t seen; /* the state that was told last */
	/* of the instance of BFD that has it */
	struct list link; /* of its session */
	struct bfd_opts *session_opts; /* what it wants, in its hands. MEM_PROTO */
	void *session;
	uint32_t word; /* what is in `state` */
	/* any of the two */
	struct pub32 state; /* enum bfd_state, and counts: bfd_ask.c */
	struct pub32 posted; /* `msg` is under way */
	struct msg msg, gone_msg;
	struct counter32 refs;
};

/* ---- for those who ask ---- */

/* bfd_ask_new - @opts: copied; NULL: nothing special. */
OWNED struct bfd_ask *bfd_ask_new(struct proto *p, const struct bfd_ask_ops *ops,
    void *arg, const struct bfd_place *place, const struct bfd_opts *opts);
/* bfd_ask_opts - it wants something else now. */
void bfd_ask_opts(struct bfd_ask *a, const struct bfd_opts *opts);
/* bfd_ask_look - the list of instances of BFD is another one (proto_class.bfd). */
void bfd_ask_look(struct bfd_ask *a);
/* bfd_ask_delete - `gone` follows, or is called here. */
void bfd_ask_delete(TAKE struct bfd_ask *a);
/* bfd_ask_is_up - as far as the asker has been told. */
bool bfd_ask_is_up(const struct bfd_ask *a);
/* bfd_ask_is_graceful - is its loss a graceful restart, as its options say? Likewise. */
bool bfd_ask_is_graceful(const struct bfd_ask *a);

/* ---- for instances of BFD ---- */

/* What sessions an instance takes. */
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

/* owner: the instance's worker, but for what is marked; freed by: a grace period after
 * bfd_service_remove. */
struct bfd_service {
	struct proto *proto; /* constant */
	unsigned takes; /* constant: BFD_TAKES_* */
	struct stack inbox; /* any thread: struct bfd_call */
	struct pubptr shown; /* struct bfd_shown_list *, for readers under RCU */
	struct rcu_node rcu; /* private */
};

/* Immutable; replaced whole. */
struct bfd_service_list {
	struct rcu_node rcu;
	uint32_t nr, cnt;
	struct bfd_service *at[];
};

enum bfd_call_kind { BFD_CALL_ASK, BFD_CALL_OPTS, BFD_CALL_LEAVE };

/* owner: who has taken it. */
struct bfd_call {
	struct stack_node node;
	uint8_t kind; /* enum bfd_call_kind */
	struct bfd_ask *ask; /* a reference */
	struct bfd_opts *opts; /* ASK, OPTS. MEM_PROTO */
};

OWNED struct bfd_service *bfd_service_new(struct proto *p, unsigned takes);
/* bfd_service_add - it is asked from now on. Returns: 0, or -ENOSPC. bfd_service_remove -
 * nobody finds it anew; what is in its inbox is answered. Then the instance says
 * bfd_ask_gone to all that it has. */
MUST_CHECK int bfd_service_add(struct tern *t, struct bfd_service *s);
void bfd_service_remove(struct tern *t, TAKE struct bfd_service *s);
/* bfd_service_list_get - under RCU; NULL: there are none. */
const struct bfd_service_list *bfd_service_list_get(const struct tern *t);
/* bfd_service_take - what was called since, oldest first, by bfd_call_next. */
OWNED struct bfd_call *bfd_service_take(struct bfd_service *s);
OWNED struct bfd_call *bfd_call_next(const struct bfd_call *c);
/* bfd_call_free - with its reference, and its options unless they are NULL by then. */
void bfd_call_free(TAKE struct bfd_call *c);
struct bfd_ask *bfd_ask_ref(struct bfd_ask *a);
void bfd_ask_put(TAKE struct bfd_ask *a);
/* bfd_ask_tell - its session is in state @s; @lost: it was up, and is lost; @admin:
 * somebody has taken it down; @graceful: its options say so. */
void bfd_ask_tell(
    struct bfd_ask *a, enum bfd_state s, bool lost, bool admin, bool graceful);
/* bfd_ask_gone - it has no session any more, and nothing is told: TAKE the reference of
 * its ASK. */
void bfd_ask_gone(TAKE struct bfd_ask *a);

#endif
