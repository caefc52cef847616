/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of the configuration of protocol device; a copy outlives the configuration. Any
 * thread. Tested by test/unit/test_iface_state.c. */
#include "sysdep/iface/iface_tune.h"

#include "lib/mem/mem.h"

static const struct iface_pattern *
tune_copy_patterns(struct arena *a, const struct iface_pattern *from)
{
	const struct iface_pattern *first = NULL, **end = &first;

	for (; from; from = from->next) {
		struct iface_pattern *p = arena_memdup(a, from, sizeof(*p));

		if (from->mask)
			p->mask = arena_strdup(a, from->mask);
		*end = p;
		end = &p->next;
	}
	return first;
}

struct iface_tune *
iface_tune_new(uint32_t scan_time_s, const struct iface_prefer *prefer)
{
	struct iface_tune *t = mem_zalloc(MEM_OTHER, sizeof(*t));
	const struct iface_prefer **end = &t->prefer;

	arena_init(&t->arena, MEM_OTHER, 1024);
	t->scan_time_s = scan_time_s;
	for (; prefer; prefer = prefer->next) {
		struct iface_prefer *p = arena_memdup(&t->arena, prefer, sizeof(*p));

		p->pattern = tune_copy_patterns(&t->arena, prefer->pattern);
		*end = p;
		end = &p->next;
	}
	return t;
}

void
iface_tune_free(TAKE struct iface_tune *t)
{
	if (!t)
		return;
	arena_fini(&t->arena);
	mem_free(MEM_OTHER, t);
}
