/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Publishes the list of the sessions of a BFD instance to readers under RCU. Loop: the
 * worker of the publishing instance; bfd_shown_get in any thread, under RCU. Tested by
 * test/net/test_bfd.py. */
#include "nest/bfd/bfd_shown.h"

#include "lib/mem/mem.h"

static void
shown_free(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct bfd_shown, rcu));
}

void
bfd_shown_put(TAKE struct bfd_shown *s)
{
	rcu_free_later(&s->rcu, shown_free);
}

void
bfd_shown_free(TAKE struct bfd_shown_list *l)
{
	mem_free(MEM_PROTO, l);
}

static void
bfd_shown_free_list(struct rcu_node *n)
{
	bfd_shown_free(container_of(n, struct bfd_shown_list, rcu));
}

void
bfd_shown_publish(struct pubptr *to, TAKE struct bfd_shown_list *l)
{
	struct bfd_shown_list *old = load_relaxed_ptr(to);

	store_release_ptr(to, l); /* pairs: BFDSHOWN */
	if (old)
		rcu_free_later(&old->rcu, bfd_shown_free_list);
}
