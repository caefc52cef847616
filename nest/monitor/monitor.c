/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of monitors, and the events for monitors (monitor.h).
 *
 * I1  Threads replace the list by compare and exchange. A list has the number of the
 *     previous list plus 1 (0 is skipped), so a session recognises new monitors. The last
 *     monitor leaves an empty list: without a previous list, two lists could have equal
 *     numbers, and a session would miss a monitor. No list is freed during an exchange,
 *     because the exchange lies in a single RCU section; so equal pointers mean equal
 *     lists.
 * I2  The thread that pushes into an empty inbox wakes the monitor's worker. The session
 *     found the monitor's list under RCU, so the instance lives until the session's next
 *     quiescent state: the instance ends grace periods after monitor_remove.
 * I3  tern.monitors.nr never decreases: if two threads have exchanged lists, the slower
 *     thread leaves the number unchanged.
 *
 * Tests: test_monitor.c, test/net/test_bmp.py. */
#include "nest/monitor/monitor.h"

#include "lib/mem/mem.h"
#include "lib/base/wrap.h"
#include "lib/base/scan.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "sysdep/os/clock.h"

#include <errno.h>

/* ---- counted objects ---- */

OWNED struct monitor_life *
monitor_life_new(struct tern *t, size_t open_len)
{
	struct monitor_life *l = mem_zalloc(MEM_PROTO, sizeof(*l) + open_len);

	counter32_add(&l->refs, 1);
	do
		l->nr = counter32_add(&t->monitors.lives, 1) + 1;
	while (!l->nr);
	return l;
}

void
monitor_life_put(TAKE struct monitor_life *l)
{
	if (counter32_sub_acq_rel(&l->refs, 1) == 1)
		mem_free(MEM_PROTO, l);
}

OWNED struct monitor_octets *
monitor_octets_new(const uint8_t *p, size_t len)
{
	struct monitor_octets *o = mem_alloc(MEM_PROTO, sizeof(*o) + len);

	*o = (struct monitor_octets){ .len = (uint32_t)len };
	counter32_add(&o->refs, 1);
	if (len)
		memcpy(o->at, p, len);
	return o;
}

void
monitor_octets_put(TAKE struct monitor_octets *o)
{
	if (o && counter32_sub_acq_rel(&o->refs, 1) == 1)
		mem_free(MEM_PROTO, o);
}

/* ---- the list ---- */

static void
monitor_free_list(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct monitor_list, rcu));
}

static OWNED struct monitor_list *
monitor_list_new(const struct monitor_list *old, uint32_t more)
{
	uint32_t cnt = (old ? old->cnt : 0) + more;
	struct monitor_list *l = mem_zalloc(
	    MEM_PROTO, sizeof(*l) + cnt * sizeof(struct monitor *));

	l->nr = (old ? old->nr : (uint32_t)wrap_start(0, 32)) + 1;
	l->nr += !l->nr;
	return l;
}

/* monitor_list_read - I3. */
static void
monitor_list_read(struct tern *t, uint32_t nr)
{
	uint32_t now = load_relaxed32(&t->monitors.nr);

	while ((!now || monitor_nr_after(nr, now)) &&
	       !cas_acq_rel32(&t->monitors.nr, &now, nr)) /* pairs: MONNR */
		;
}

/* monitor_replace - I1. */
static bool
monitor_replace(struct tern *t, struct monitor_list *old, TAKE struct monitor_list *l)
{
	uint32_t nr = l->nr;
	void *was = old;

	if (!cas_acq_rel_ptr(&t->monitors.list, &was, l)) { /* pairs: MONLIST */
		mem_free(MEM_PROTO, l);
		return false;
	}
	monitor_list_read(t, nr);
	if (old)
		rcu_free_later(&old->rcu, monitor_free_list);
	return true;
}

/* monitor_wake_sessions - sessions that are up report MON_UP to new monitors. */
static void
monitor_wake_sessions(struct tern *t)
{
	const struct tern_view *v = tern_view_get(t);

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (v->proto[i]->cls->monitors)
			proto_wake(v->proto[i]);
}

int
monitor_add(struct tern *t, struct monitor *m)
{
	struct monitor_list *old, *l;

	do {
		old = load_acquire_ptr(&t->monitors.list); /* pairs: MONLIST */
		if (old && old->cnt == MONITOR_MAX)
			return -ENOSPC;
		l = monitor_list_new(old, 1);
		for (; old && l->cnt < old->cnt; l->cnt++)
			l->at[l->cnt] = old->at[l->cnt];
		l->at[l->cnt++] = m;
		m->since = l->nr;
	} while (!monitor_replace(t, old, l));
	fence_seq_cst(); /* a session that starts now sees the list, or is in the view */
	monitor_wake_sessions(t);
	return 0;
}

void
monitor_ask_out(struct tern *t, struct monitor *m)
{
	struct monitor_list *old, *l;

	do { /* replace the list by a copy with the next number */
		old = load_acquire_ptr(&t->monitors.list); /* pairs: MONLIST */
		if (!old)
			return;
		l = monitor_list_new(old, 0);
		for (; l->cnt < old->cnt; l->cnt++)
			l->at[l->cnt] = old->at[l->cnt];
		store_relaxed32(&m->out_since, l->nr);
	} while (!monitor_replace(t, old, l));
	fence_seq_cst(); /* as in monitor_add */
	monitor_wake_sessions(t);
}

static void
monitor_free(struct rcu_node *n)
{
	struct monitor *m = container_of(n, struct monitor, rcu);
	struct monitor_event *e = monitor_take(m), *next;

	for (; e; e = next) {
		next = monitor_next(e);
		monitor_event_free(e);
	}
	mem_free(MEM_PROTO, m->pattern);
	mem_free(MEM_PROTO, m);
}

void
monitor_remove(struct tern *t, TAKE struct monitor *m)
{
	struct monitor_list *old, *l;

	do {
		old = load_acquire_ptr(&t->monitors.list); /* pairs: MONLIST */
		l = monitor_list_new(old, 0);
		for (uint32_t i = 0; old && i < old->cnt; i++)
			if (old->at[i] != m)
				l->at[l->cnt++] = old->at[i];
	} while (!monitor_replace(t, old, l));
	rcu_free_later(&m->rcu, monitor_free);
}

OWNED struct monitor *
monitor_new(struct proto *p, const char *pattern)
{
	struct monitor *m = mem_zalloc(MEM_PROTO, sizeof(*m));

	m->proto = p;
	m->pattern = mem_strdup(MEM_PROTO, pattern);
	return m;
}

const struct monitor_list *
monitor_list_get(const struct tern *t)
{
	const struct monitor_list *l = load_acquire_ptr(
	    &t->monitors.list); /* pairs: MONLIST */

	return l && l->cnt ? l : NULL;
}

void
monitor_lists_fini(struct tern *t)
{
	mem_free(MEM_PROTO, load_relaxed_ptr(&t->monitors.list));
	store_relaxed_ptr(&t->monitors.list, NULL);
}

/* ---- events ---- */

bool
monitor_wants(const struct monitor *m, const char *name)
{
	return scan_glob(m->pattern, name);
}

/* monitor_cost - octets of the monitor's room that an event uses. */
static uint64_t
monitor_cost(enum monitor_kind k, const struct monitor_octets *o)
{
	return k == MON_UPDATE || k == MON_MIRROR || k == MON_OUT || k == MON_OFFER
		   ? sizeof(struct monitor_event) + o->len
		   : 0;
}

bool
monitor_report(struct monitor *m, enum monitor_kind k, unsigned reason,
    struct monitor_life *life, struct monitor_octets *octets)
{
	uint64_t takes = monitor_cost(k, octets);
	struct monitor_event *e;

	if (takes && counter64_get(&m->waiting) + takes > m->room)
		return false;
	counter64_add(&m->waiting, takes);
	e = mem_alloc(MEM_PROTO, sizeof(*e));
	*e = (struct monitor_event){ .kind = (uint8_t)k,
		.reason = (uint8_t)reason,
		.time_us = clock_real_ns(clock_now_ns()) / NS_PER_US,
		.life = monitor_life_ref(life),
		.octets = octets ? monitor_octets_ref(octets) : NULL };
	if (stack_push(&m->inbox, &e->node)) /* I2 */
		proto_wake(m->proto);
	return true;
}

static struct monitor_event *
monitor_event_of(struct stack_node *n)
{
	return n ? container_of(n, struct monitor_event, node) : NULL;
}

OWNED struct monitor_event *
monitor_take(struct monitor *m)
{
	struct monitor_event *all, *e;
	uint64_t took = 0;

	/* count first: a session that lost an event after the take may report MON_LOST
	 * again */
	counter32_add(&m->takes, 1);
	fence_seq_cst();
	all = monitor_event_of(stack_take(&m->inbox));
	for (e = all; e; e = monitor_next(e))
		took += monitor_cost(e->kind, e->octets);
	if (took)
		counter64_add(&m->waiting, -took);
	return all;
}

OWNED struct monitor_event *
monitor_next(const struct monitor_event *e)
{
	return monitor_event_of(stack_next(&e->node));
}

void
monitor_event_free(TAKE struct monitor_event *e)
{
	monitor_life_put(e->life);
	monitor_octets_put(e->octets);
	mem_free(MEM_PROTO, e);
}
