/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets whose route the kernel refused, each with a reason.
 *
 * The owner notes failures while answers arrive, and publishes the list after the write.
 * So a reader sees no gap while a refused route is tried again.
 *
 * Loop: the instance's; krt_failed_get and krt_failed_cnt in any thread, under RCU. */
#ifndef TERN_PROTO_KERNEL_KRT_FAILED_H
#define TERN_PROTO_KERNEL_KRT_FAILED_H

#include "lib/mt/atomic.h"
#include "nest/core/reason.h"

/* Owner: the worker of the sink that embeds the struct. Zeroed: no route failed. Freed
 * by: krt_failed_fini. */
struct krt_failed {
	/* private */
	uint8_t *why; /* by net id: enum reason. MEM_PROTO */
	uint32_t cap, cnt;
	bool changed; /* since the list was last published */
	struct pubptr list; /* NULL: no route failed */
};

/* krt_failed_note - the kernel does not have the route of net @id because of @why;
 * REASON_NONE: the kernel has the route, or a write tries the route. */
void krt_failed_note(struct krt_failed *f, uint32_t id, enum reason why);
/* krt_failed_noted, krt_failed_is - the noted reason of net @id. For the owner. */
enum reason krt_failed_noted(const struct krt_failed *f, uint32_t id);
bool krt_failed_is(const struct krt_failed *f, uint32_t id);
/* krt_failed_publish - make the noted reasons visible to readers. @count: counters by
 * enum reason; each new failure increments the counter of its reason. NULL: count
 * nothing. */
void krt_failed_publish(struct krt_failed *f, struct counter64 *count);
/* krt_failed_get - the published reason of net @id. Any thread under RCU. Cost: O(log
 * cnt). */
enum reason krt_failed_get(const struct krt_failed *f, uint32_t id);
/* krt_failed_cnt - number of published nets. Any thread under RCU. Cost: O(1). */
uint32_t krt_failed_cnt(const struct krt_failed *f);
/* krt_failed_fini - free all. No reader is left. */
void krt_failed_fini(struct krt_failed *f);

#endif
