/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of events, and its subscribers. Loop: stated at each function.
 *
 *   call                                   may run beside
 *   event_post, event_ring_admit           all calls, itself
 *   event_ring_add, _run, subscriptions'   the readers' calls
 *     messages: the control worker's
 *   event_ring_next, _oldest, _get         all calls, themselves
 *
 * G1  Numbers begin at 1 and rise by 1. A number without an event stands for an event
 *     that was lost: too many events were under way.
 * G2  The ring has at most EVENT_RING_CNT events of EVENT_RING_OCTETS octets together,
 *     the youngest ones.
 * G3  A subscriber's worker is woken after each publication until event_sub_leave. A
 *     slow subscriber delays neither the ring nor other subscribers.
 * G4  The last EVENT_CONF_CNT events about configurations stay, whatever the ring has
 *     dropped.
 * Progress: wait-free. */
#ifndef TERN_NEST_EVENT_EVENT_RING_H
#define TERN_NEST_EVENT_EVENT_RING_H

#include "lib/base/check.h"

#define EVENT_RING_CNT    4096 /* a power of 2 */
#define EVENT_RING_OCTETS (2 * 1024 * 1024)
#define EVENT_WAY_MAX     4096 /* events under way to the control worker */
#define EVENT_CONF_CNT    10 /* events about configurations */
#define EVENT_ID_MAX      44 /* octets of "BOOT-N", with NUL */

struct event;
struct event_ring;
struct event_sub;
struct tern;
struct worker;

/* event_ring_new - @boot names this run of the daemon. Before the control worker
 * starts. */
OWNED struct event_ring *event_ring_new(struct tern *t, uint64_t boot);
/* event_ring_free - no event and no subscription is under way. */
void event_ring_free(TAKE struct event_ring *r);
/* event_post - publish @e. If too many events are under way, the ring counts @e as lost.
 * Any thread. */
void event_post(TAKE struct event *e);
/* event_ring_admit - count an event under way. Returns: false: too many are; the event
 * counts as lost. Any thread. */
bool event_ring_admit(struct event_ring *r);
/* event_ring_add - number and publish @e. event_ring_run - wake the subscribers, if
 * events were published. Control worker. */
void event_ring_add(struct event_ring *r, TAKE struct event *e);
void event_ring_run(struct event_ring *r);
/* event_ring_watched - is a subscriber there? Control worker. */
bool event_ring_watched(const struct event_ring *r);

/* event_ring_boot - constant. event_ring_next - number of the next event: all lower
 * numbers are published. event_ring_oldest - the lowest number that the ring may have.
 * event_ring_get - NULL: the ring does not have @nr (any more). Any thread, under
 * RCU. */
uint64_t event_ring_boot(const struct event_ring *r);
uint64_t event_ring_next(const struct event_ring *r);
uint64_t event_ring_oldest(const struct event_ring *r);
const struct event *event_ring_get(const struct event_ring *r, uint64_t nr);
/* event_ring_confs - the kept events about configurations, the oldest first. Returns: the
 * number in @to. Any thread, under RCU. */
unsigned event_ring_confs(
    const struct event_ring *r, const struct event *to[EVENT_CONF_CNT]);

/* event_sub_new - @w is woken after each publication. event_sub_leave - no more; @w lives
 * until a grace period later. In the loop of @w. */
OWNED struct event_sub *event_sub_new(struct event_ring *r, struct worker *w);
void event_sub_leave(TAKE struct event_sub *s);

#endif
