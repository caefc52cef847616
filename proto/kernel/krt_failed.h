/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks whose route the kernel has not taken, with the reason.
 *
 * The owner notes failures while answers come, and publishes the list when a write is
 * through: a reader sees no gap while a route is tried again. */
#ifndef TERN_PROTO_KERNEL_FAILED_H
#define TERN_PROTO_KERNEL_FAILED_H

#include "lib/mt/atomic.h"
#include "nest/rib/reason.h"

/* owner: the sink's worker. All 0: nothing has failed. */
struct krt_failed {
	/* private */
	uint8_t *why; /* by net id: enum reason. MEM_PROTO */
	uint32_t cap, cnt;
	bool changed; /* since the list was published */
	struct pubptr list; /* NULL: none has failed */
};

/* krt_failed_note - the route of net @id is not there because of @why; REASON_NONE: it is
 * there, or is tried. */
void krt_failed_note(struct krt_failed *f, uint32_t id, enum reason why);
/* krt_failed_noted, krt_failed_is - as it was noted. */
enum reason krt_failed_noted(const struct krt_failed *f, uint32_t id);
bool krt_failed_is(const struct krt_failed *f, uint32_t id);
/* krt_failed_publish - readers see what was noted. @count: counters by enum reason, of
 * which each failure that is published anew counts one; NULL: nothing is counted. */
void krt_failed_publish(struct krt_failed *f, struct counter64 *count);
/* krt_failed_get - as it was published. Any thread under RCU. Cost: O(log cnt). */
enum reason krt_failed_get(const struct krt_failed *f, uint32_t id);
/* krt_failed_cnt - how many networks were published. Likewise. Cost: O(1). */
uint32_t krt_failed_cnt(const struct krt_failed *f);
/* krt_failed_fini - nobody reads any more. */
void krt_failed_fini(struct krt_failed *f);

#endif
