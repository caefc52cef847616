/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests and services (bfd_ask.h).
 *
 * I1  A request is attached while `at` is not NULL: an ASK was sent, and its GONE has not
 *     arrived. The service answers each ASK with one GONE: after a LEAVE, or when the
 *     service ends. A late LEAVE, which finds no session, has no effect.
 * I2  References: the asker's until `gone`; one for each call under way; the reference of
 *     the ASK stays with the service until GONE, whose message carries it; one for `msg`
 *     under way.
 * I3  The upper bits of `state` count losses, over all services of the request; so the
 *     asker sees a loss even if the session has returned. The thread that sets `posted`
 *     to 1 posts the message, and the handler reads the `state` of that time.
 * I4  GONE follows each `msg` of the service: the service's worker posts both, or the
 *     service never reported.
 * I5  A service found under RCU lives until the asker's next quiescent state.
 *     ask_free_service answers calls pushed after the service's last look.
 *
 * Loop: the asker's worker for requests, the service's worker for answers, as bfd_ask.h
 * says. Tests: test_bfd_ask.c, test/net/test_bfd.py. */
#include "nest/bfd/bfd_ask.h"

#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/bfd/bfd_shown.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"

#include <errno.h>

/* The word in `state`. */
#define WORD_STATE 0x3u /* enum bfd_state */
#define WORD_ADMIN 0x4u
#define WORD_GRACE 0x8u
#define WORD_LOSS  0x10u /* counts from here */

/* ---- references, calls ---- */

struct bfd_ask *
bfd_ask_ref(struct bfd_ask *a)
{
	counter32_add(&a->refs, 1);
	return a;
}

static void
bfd_ask_put(TAKE struct bfd_ask *a)
{
	if (counter32_sub_acq_rel(&a->refs, 1) != 1)
		return;
	mem_free(MEM_PROTO, a->opts);
	mem_free(MEM_PROTO, a->session_opts);
	mem_free(MEM_PROTO, a);
}

void
bfd_call_free(TAKE struct bfd_call *c)
{
	bfd_ask_put(c->ask);
	mem_free(MEM_PROTO, c->opts);
	mem_free(MEM_PROTO, c);
}

static struct bfd_call *
ask_call_of(struct stack_node *n)
{
	return n ? container_of(n, struct bfd_call, node) : NULL;
}

OWNED struct bfd_call *
bfd_service_take(struct bfd_service *s)
{
	return ask_call_of(stack_take(&s->inbox));
}

OWNED struct bfd_call *
bfd_call_next(const struct bfd_call *c)
{
	return ask_call_of(stack_next(&c->node));
}

/* ask_still_there - true: the list has service @s. Under RCU. */
static bool
ask_still_there(const struct tern *t, const struct bfd_service *s)
{
	const struct bfd_service_list *l = bfd_service_list_get(t);

	for (uint32_t i = 0; l && i < l->cnt; i++)
		if (l->at[i] == s)
			return true;
	return false;
}

static void
bfd_ask_call(struct bfd_ask *a, enum bfd_call_kind k)
{
	struct bfd_call *c = mem_zalloc(MEM_PROTO, sizeof(*c));

	c->kind = (uint8_t)k;
	c->ask = bfd_ask_ref(a);
	if (k != BFD_CALL_LEAVE)
		c->opts = bfd_opts_copy(a->opts);
	if (stack_push(&a->at->inbox, &c->node))
		proto_wake(a->at->proto);
}

/* ---- reports ---- */

static void
ask_handle_gone(struct worker *w, TAKE struct msg *m)
{
	struct bfd_ask *a = container_of(m, struct bfd_ask, gone_msg);
	bool was_up = bfd_ask_is_up(a);

	(void)w;
	a->at = NULL;
	a->seen = load_acquire32(&a->state); /* pairs: BFDNOTIFY */
	if (a->deleted) {
		a->ops->gone(a);
		bfd_ask_put(a); /* the asker's */
	} else {
		if (was_up)
			a->ops->news(a, BFD_NEWS_ADMIN);
		bfd_ask_look(a); /* unless the call deleted the request */
	}
	bfd_ask_put(a); /* the service's */
}

/* bfd_ask_changes - report the changes between the last seen word and @now. */
static void
bfd_ask_changes(struct bfd_ask *a, uint32_t old, uint32_t now)
{
	bool was_up = (old & WORD_STATE) == BFD_UP, is_up = (now & WORD_STATE) == BFD_UP;
	bool lost = old / WORD_LOSS != now / WORD_LOSS;

	if (lost)
		a->ops->news(a, BFD_NEWS_DOWN);
	else if (was_up && !is_up)
		a->ops->news(a, BFD_NEWS_ADMIN);
	if (is_up && (!was_up || lost) && !a->deleted)
		a->ops->news(a, BFD_NEWS_UP);
}

static void
ask_handle_state(struct worker *w, TAKE struct msg *m)
{
	struct bfd_ask *a = container_of(m, struct bfd_ask, msg);
	uint32_t old = a->seen;

	(void)w;
	(void)xchg_acq_rel32(&a->posted, 0); /* pairs: BFDNOTIFY */
	a->seen = load_acquire32(&a->state); /* pairs: BFDNOTIFY */
	if (!a->deleted)
		bfd_ask_changes(a, old, a->seen);
	bfd_ask_put(a);
}

void
bfd_ask_notify(struct bfd_ask *a, enum bfd_state s, bool lost, bool admin, bool graceful)
{
	a->word = (a->word & ~(WORD_LOSS - 1)) | (uint32_t)s | (admin ? WORD_ADMIN : 0) |
		  (graceful ? WORD_GRACE : 0);
	if (lost)
		a->word += WORD_LOSS;
	store_release32(&a->state, a->word); /* pairs: BFDNOTIFY */
	if (xchg_acq_rel32(&a->posted, 1)) /* pairs: BFDNOTIFY */
		return;
	bfd_ask_ref(a);
	a->msg.handle = ask_handle_state;
	worker_post(&a->proto->worker, &a->msg);
}

void
bfd_ask_gone(TAKE struct bfd_ask *a)
{
	mem_free(MEM_PROTO, a->session_opts);
	a->session_opts = NULL;
	a->session = NULL;
	a->word &= ~(WORD_LOSS - 1); /* I3: keep the number of losses */
	store_release32(&a->state, a->word); /* pairs: BFDNOTIFY */
	a->gone_msg.handle = ask_handle_gone;
	worker_post(&a->proto->worker, &a->gone_msg);
}

/* ---- askers ---- */

bool
bfd_ask_is_up(const struct bfd_ask *a)
{
	return (a->seen & WORD_STATE) == BFD_UP;
}

bool
bfd_ask_is_graceful(const struct bfd_ask *a)
{
	return a->seen & WORD_GRACE;
}

void
bfd_ask_look(struct bfd_ask *a)
{
	const struct bfd_service_list *l = bfd_service_list_get(a->proto->tern);
	unsigned need = bfd_takes_bit(ip_is_v4(a->place.peer), a->place.multihop);

	if (a->at || a->deleted)
		return;
	for (uint32_t i = 0; l && i < l->cnt; i++)
		if (l->at[i]->takes & need) {
			a->at = l->at[i];
			bfd_ask_call(a, BFD_CALL_ASK);
			return;
		}
}

OWNED struct bfd_ask *
bfd_ask_new(struct proto *p, const struct bfd_ask_ops *ops, void *arg,
    const struct bfd_place *place, const struct bfd_opts *opts)
{
	struct bfd_ask *a = mem_zalloc(MEM_PROTO, sizeof(*a));

	a->proto = p;
	a->ops = ops;
	a->arg = arg;
	a->place = *place;
	a->opts = bfd_opts_copy(opts);
	list_init(&a->link);
	counter32_add(&a->refs, 1);
	bfd_ask_look(a);
	return a;
}

void
bfd_ask_opts(struct bfd_ask *a, const struct bfd_opts *opts)
{
	mem_free(MEM_PROTO, a->opts);
	a->opts = bfd_opts_copy(opts);
	if (a->at && ask_still_there(a->proto->tern, a->at))
		bfd_ask_call(a, BFD_CALL_OPTS);
}

void
bfd_ask_delete(TAKE struct bfd_ask *a)
{
	if (a->deleted)
		return;
	a->deleted = true;
	if (!a->at) {
		a->ops->gone(a);
		bfd_ask_put(a);
	} else if (ask_still_there(a->proto->tern, a->at)) {
		bfd_ask_call(a, BFD_CALL_LEAVE);
	} /* else GONE follows */
}

/* ---- the list of services ---- */

static void
bfd_ask_free_list(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct bfd_service_list, rcu));
}

const struct bfd_service_list *
bfd_service_list_get(const struct tern *t)
{
	return load_acquire_ptr(&t->bfd.list); /* pairs: BFDLIST */
}

/* bfd_ask_replace - publish @l if the published list is @old. An empty list becomes
 * NULL. */
static bool
bfd_ask_replace(
    struct tern *t, struct bfd_service_list *old, TAKE struct bfd_service_list *l)
{
	void *was = old, *now = l->cnt ? l : NULL;
	uint32_t nr = l->nr;

	if (!cas_acq_rel_ptr(&t->bfd.list, &was, now)) { /* pairs: BFDLIST */
		mem_free(MEM_PROTO, l);
		return false;
	}
	store_release32(&t->bfd.nr, nr); /* pairs: BFDNR */
	if (!now)
		mem_free(MEM_PROTO, l);
	if (old)
		rcu_free_later(&old->rcu, bfd_ask_free_list);
	return true;
}

static OWNED struct bfd_service_list *
bfd_ask_list_new(const struct tern *t, const struct bfd_service_list *old, uint32_t more)
{
	uint32_t cnt = (old ? old->cnt : 0) + more;
	struct bfd_service_list *l = mem_zalloc(
	    MEM_PROTO, sizeof(*l) + cnt * sizeof(struct bfd_service *));

	l->nr = (old ? old->nr : load_relaxed32(&t->bfd.nr)) + 1;
	return l;
}

/* ask_wake_askers - run the askers, whose requests may wait. */
static void
ask_wake_askers(struct tern *t)
{
	const struct tern_view *v = tern_view_get(t);

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (v->proto[i]->cls->bfd)
			proto_wake(v->proto[i]);
}

int
bfd_service_add(struct tern *t, struct bfd_service *s)
{
	struct bfd_service_list *old, *l;

	do {
		old = load_acquire_ptr(&t->bfd.list); /* pairs: BFDLIST */
		if (old && old->cnt == BFD_SERVICES_MAX)
			return -ENOSPC;
		l = bfd_ask_list_new(t, old, 1);
		for (; old && l->cnt < old->cnt; l->cnt++)
			l->at[l->cnt] = old->at[l->cnt];
		l->at[l->cnt++] = s;
	} while (!bfd_ask_replace(t, old, l));
	fence_seq_cst(); /* an asker that starts now sees the list, or is in the view */
	ask_wake_askers(t);
	return 0;
}

OWNED struct bfd_service *
bfd_service_new(struct proto *p, unsigned takes)
{
	struct bfd_service *s = mem_zalloc(MEM_PROTO, sizeof(*s));

	s->proto = p;
	s->takes = takes;
	return s;
}

static void
ask_free_service(struct rcu_node *n)
{
	struct bfd_service *s = container_of(n, struct bfd_service, rcu);
	struct bfd_call *c = bfd_service_take(s), *next;

	for (; c; c = next) { /* I5 */
		next = bfd_call_next(c);
		if (c->kind == BFD_CALL_ASK)
			bfd_ask_gone(bfd_ask_ref(c->ask));
		bfd_call_free(c);
	}
	bfd_shown_free(load_relaxed_ptr(&s->shown));
	mem_free(MEM_PROTO, s);
}

void
bfd_service_remove(struct tern *t, TAKE struct bfd_service *s)
{
	struct bfd_service_list *old, *l;

	do {
		old = load_acquire_ptr(&t->bfd.list); /* pairs: BFDLIST */
		l = bfd_ask_list_new(t, old, 0);
		for (uint32_t i = 0; old && i < old->cnt; i++)
			if (old->at[i] != s)
				l->at[l->cnt++] = old->at[i];
	} while (!bfd_ask_replace(t, old, l));
	rcu_free_later(&s->rcu, ask_free_service);
}
