/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of nets whose route the kernel refused (krt_failed.h). Each publication makes
 * a new list: failures are few, or thousands arrive in one write.
 *
 * Loop: the instance's; krt_failed_get and krt_failed_cnt in any thread, under RCU.
 * Tested by test/unit/test_krt_failed.c. */
#include "proto/kernel/krt_failed.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"

#include <string.h>

struct krt_failed_net {
	uint32_t id;
	uint8_t why;
};

struct krt_failed_list {
	struct rcu_node rcu;
	uint32_t cnt;
	struct krt_failed_net net[]; /* ascending */
};

static void
failed_list_free(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct krt_failed_list, rcu));
}

void
krt_failed_note(struct krt_failed *f, uint32_t id, enum reason why)
{
	if (id >= f->cap && why == REASON_NONE)
		return;
	f->why = vec_zeroed(MEM_PROTO, f->why, &f->cap, id + 1, 1); /* REASON_NONE */
	if (f->why[id] == why)
		return;
	f->cnt += (why != REASON_NONE) - (f->why[id] != REASON_NONE);
	f->why[id] = (uint8_t)why;
	f->changed = true;
}

enum reason
krt_failed_noted(const struct krt_failed *f, uint32_t id)
{
	return id < f->cap ? (enum reason)f->why[id] : REASON_NONE;
}

bool
krt_failed_is(const struct krt_failed *f, uint32_t id)
{
	return krt_failed_noted(f, id) != REASON_NONE;
}

void
krt_failed_publish(struct krt_failed *f, struct counter64 *count)
{
	struct krt_failed_list *old = load_relaxed_ptr(&f->list), *l = NULL;
	uint32_t at = 0;

	if (!f->changed)
		return;
	f->changed = false;
	if (f->cnt)
		l = mem_zalloc(MEM_PROTO, sizeof(*l) + f->cnt * sizeof(*l->net));
	for (uint32_t id = 0; l && l->cnt < f->cnt; id++)
		if (f->why[id] != REASON_NONE) {
			while (old && at < old->cnt && old->net[at].id < id)
				at++;
			if (count && !(old && at < old->cnt && old->net[at].id == id &&
					 old->net[at].why == f->why[id]))
				counter64_bump(&count[f->why[id]], 1);
			l->net[l->cnt++] = (struct krt_failed_net){ id, f->why[id] };
		}
	store_release_ptr(&f->list, l); /* pairs: KRTFAILED */
	if (old)
		rcu_free_later(&old->rcu, failed_list_free);
}

enum reason
krt_failed_get(const struct krt_failed *f, uint32_t id)
{
	const struct krt_failed_list *l = load_acquire_ptr(
	    &f->list); /* pairs: KRTFAILED */
	uint32_t from = 0, to = l ? l->cnt : 0;

	while (from < to) {
		uint32_t mid = (from + to) / 2;

		if (l->net[mid].id == id)
			return (enum reason)l->net[mid].why;
		if (l->net[mid].id < id)
			from = mid + 1;
		else
			to = mid;
	}
	return REASON_NONE;
}

uint32_t
krt_failed_cnt(const struct krt_failed *f)
{
	const struct krt_failed_list *l = load_acquire_ptr(
	    &f->list); /* pairs: KRTFAILED */

	return l ? l->cnt : 0;
}

void
krt_failed_fini(struct krt_failed *f)
{
	mem_free(MEM_PROTO, load_relaxed_ptr(&f->list));
	mem_free(MEM_PROTO, f->why);
	*f = (struct krt_failed){ .why = NULL };
}
