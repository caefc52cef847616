/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of events.
 *
 * I1  Only the control worker writes the ring. An event is complete before the ring
 *     publishes the event, and does not change afterwards.
 * I2  slot[nr & mask] holds the event `nr` or a younger event, or NULL. A reader
 *     compares the number.
 * I3  The control worker wakes a subscriber's worker only while `left` is 0. The
 *     subscriber sets `left` in its own loop before the worker stops; the worker lives
 *     until the control worker's next quiescent state.
 *
 * Loop: the control worker's, but for the calls that the header marks. Tested by
 * test/unit/test_event.c. */
#include "nest/event/event_ring.h"

#include "lib/json/json.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/core/tern.h"
#include "nest/event/event.h"
#include "sysdep/loop/loop.h"

#include <stdio.h>

/* Owner: the control worker. Lives: until control_gone. */
struct event_ring {
	struct tern *tern;
	uint64_t boot; /* constant */
	struct counter32 under_way;
	struct counter64 lost; /* events that were not admitted */
	uint64_t lost_seen; /* of `lost`, as numbered */
	struct pub64 next; /* number of the next event */
	struct pub64 oldest; /* lowest number that the ring may have */
	size_t octets; /* of the events of the ring */
	bool news; /* subscribers were not woken yet */
	struct list subs; /* struct event_sub */
	struct pubptr slot[EVENT_RING_CNT];
	/* copies of events about configurations, in no order. The control worker replaces
	 * the event of slot conf_next */
	struct pubptr conf[EVENT_CONF_CNT];
	unsigned conf_next;
};

/* Owner: the subscriber until event_sub_leave, then the control worker. Freed by:
 * event_sub_left. */
struct event_sub {
	struct msg join, leave;
	struct list link; /* control worker's */
	struct event_ring *ring;
	struct worker *worker;
	struct pub32 left; /* the subscriber has left */
};

/* ---- the ring ---- */

struct event_ring *
event_ring_new(struct tern *t, uint64_t boot)
{
	struct event_ring *r = mem_zalloc(MEM_OTHER, sizeof(*r));

	r->tern = t;
	r->boot = boot;
	store_relaxed64(&r->next, 1);
	store_relaxed64(&r->oldest, 1);
	list_init(&r->subs);
	return r;
}

void
event_ring_free(TAKE struct event_ring *r)
{
	DCHECK(list_empty(&r->subs));
	for (unsigned i = 0; i < EVENT_RING_CNT; i++)
		if (load_relaxed_ptr(&r->slot[i]))
			event_free(load_relaxed_ptr(&r->slot[i]));
	for (unsigned i = 0; i < EVENT_CONF_CNT; i++)
		if (load_relaxed_ptr(&r->conf[i]))
			event_free(load_relaxed_ptr(&r->conf[i]));
	mem_free(MEM_OTHER, r);
}

bool
event_ring_admit(struct event_ring *r)
{
	if (counter32_add(&r->under_way, 1) < EVENT_WAY_MAX)
		return true;
	counter32_sub_acq_rel(&r->under_way, 1);
	counter64_add(&r->lost, 1);
	return false;
}

static void
event_ring_freed(struct rcu_node *n)
{
	event_free(container_of(n, struct event, rcu));
}

static size_t
event_octets(const struct event *e)
{
	return sizeof(*e) + e->open.object.len + e->open.text.len + e->shut.object.len +
	       e->shut.text.len;
}

/* event_ring_drop - remove the event in the slot of the number @nr. */
static void
event_ring_drop(struct event_ring *r, uint64_t nr)
{
	struct pubptr *slot = &r->slot[nr & (EVENT_RING_CNT - 1)];
	struct event *e = load_relaxed_ptr(slot);

	if (!e)
		return;
	r->octets -= event_octets(e);
	store_release_ptr(slot, NULL); /* pairs: EVSLOT */
	rcu_free_later(&e->rcu, event_ring_freed);
}

/* event_ring_trim - G2, for a new event of @octets with the number @nr. */
static void
event_ring_trim(struct event_ring *r, uint64_t nr, size_t octets)
{
	uint64_t oldest = load_relaxed64(&r->oldest);

	while (oldest < nr &&
	       (nr - oldest >= EVENT_RING_CNT || r->octets + octets > EVENT_RING_OCTETS))
		event_ring_drop(r, oldest++);
	store_relaxed64(&r->oldest, oldest);
}

/* event_ring_close - complete the object of @f with the event's id. */
static void
event_ring_close(const struct event_ring *r, struct event_face *f, uint64_t nr)
{
	json_fmt(&f->json, "id", "%llu-%llu", (unsigned long long)r->boot,
	    (unsigned long long)nr);
	json_close(&f->json);
	DCHECK(json_done(&f->json));
}

/* event_ring_keep - G4: one slot changes, so a reader beside misses no other event. */
static void
event_ring_keep(struct event_ring *r, const struct event *e)
{
	struct pubptr *slot = &r->conf[r->conf_next];
	struct event *old = load_relaxed_ptr(slot);

	store_release_ptr(slot, event_clone(e)); /* pairs: EVCONF */
	r->conf_next = (r->conf_next + 1) % EVENT_CONF_CNT;
	if (old)
		rcu_free_later(&old->rcu, event_ring_freed);
}

void
event_ring_add(struct event_ring *r, TAKE struct event *e)
{
	uint64_t lost = counter64_get(&r->lost), nr = load_relaxed64(&r->next);

	counter32_sub_acq_rel(&r->under_way, 1);
	nr += lost - r->lost_seen; /* G1 */
	r->lost_seen = lost;
	e->nr = nr;
	event_ring_close(r, &e->open, nr);
	if (e->shut.object.len)
		event_ring_close(r, &e->shut, nr);
	if (e->kind == EVENT_STARTED || e->kind == EVENT_CONFIGURED ||
	    e->kind == EVENT_CONFIGURE_FAILED)
		event_ring_keep(r, e);
	event_ring_trim(r, nr, event_octets(e));
	r->octets += event_octets(e);
	store_release_ptr(&r->slot[nr & (EVENT_RING_CNT - 1)], e); /* pairs: EVSLOT */
	store_release64(&r->next, nr + 1); /* pairs: EVNEXT */
	r->news = true;
	/* a subscriber learns of the event in the run that follows the message */
	worker_again(r->tern->control.worker);
}

void
event_ring_run(struct event_ring *r)
{
	const struct list *n;

	if (!r->news)
		return;
	r->news = false;
	list_for_each (n, &r->subs) {
		const struct event_sub *s = container_of(n, const struct event_sub, link);

		if (!load_acquire32(&s->left)) /* pairs: EVLEFT */
			worker_wake(s->worker);
	}
}

bool
event_ring_watched(const struct event_ring *r)
{
	return !list_empty(&r->subs);
}

static void
event_ring_taken(struct worker *control, TAKE struct msg *m)
{
	struct event *e = container_of(m, struct event, msg);

	(void)control;
	event_ring_add(e->tern->events, e);
}

void
event_post(TAKE struct event *e)
{
	if (!event_ring_admit(e->tern->events)) {
		event_free(e);
		return;
	}
	e->msg.handle = event_ring_taken;
	worker_post(e->tern->control.worker, &e->msg);
}

/* ---- readers ---- */

uint64_t
event_ring_boot(const struct event_ring *r)
{
	return r->boot;
}

uint64_t
event_ring_next(const struct event_ring *r)
{
	return load_acquire64(&r->next); /* pairs: EVNEXT */
}

uint64_t
event_ring_oldest(const struct event_ring *r)
{
	return load_relaxed64(&r->oldest);
}

const struct event *
event_ring_get(const struct event_ring *r, uint64_t nr)
{
	const struct event *e = load_acquire_ptr(
	    &r->slot[nr & (EVENT_RING_CNT - 1)]); /* pairs: EVSLOT */

	return e && e->nr == nr ? e : NULL;
}

unsigned
event_ring_confs(const struct event_ring *r, const struct event *to[EVENT_CONF_CNT])
{
	unsigned cnt = 0, at;

	for (unsigned i = 0; i < EVENT_CONF_CNT; i++) {
		const struct event *e = load_acquire_ptr(&r->conf[i]); /* pairs: EVCONF */

		if (!e)
			continue;
		for (at = cnt++; at && to[at - 1]->nr > e->nr; at--)
			to[at] = to[at - 1];
		to[at] = e;
	}
	return cnt;
}

/* ---- subscribers ---- */

static void
event_sub_joined(struct worker *control, TAKE struct msg *m)
{
	struct event_sub *s = container_of(m, struct event_sub, join);

	list_add_tail(&s->ring->subs, &s->link);
	/* events between the subscriber's last look and now */
	s->ring->news = true;
	worker_again(control);
}

static void
event_sub_left(struct worker *control, TAKE struct msg *m)
{
	struct event_sub *s = container_of(m, struct event_sub, leave);

	(void)control;
	list_del(&s->link);
	mem_free(MEM_OTHER, s);
}

struct event_sub *
event_sub_new(struct event_ring *r, struct worker *w)
{
	struct event_sub *s = mem_zalloc(MEM_OTHER, sizeof(*s));

	s->ring = r;
	s->worker = w;
	s->join.handle = event_sub_joined;
	s->leave.handle = event_sub_left;
	worker_post(r->tern->control.worker, &s->join);
	return s;
}

void
event_sub_leave(TAKE struct event_sub *s)
{
	store_release32(&s->left, 1); /* pairs: EVLEFT */
	worker_post(s->ring->tern->control.worker, &s->leave);
}
