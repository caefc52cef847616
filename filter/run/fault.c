/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rate limit of a filter's error lines. A thread that advances the time of the next line
 * by a CAS may write the present line. Any thread. */
#include "filter/run/fault.h"

#include "lib/base/hash.h"

static void
fault_add_one(struct pub32 *p)
{
	uint32_t v = load_relaxed32(p);

	while (!cas_acq_rel32(p, &v, v + 1))
		continue;
}

/* fault_find - the slot of @place: its present slot, else a free slot or a slot whose
 * interval has ended. If all slots are taken, places share a slot. A thread that loses a
 * race for a slot takes another slot; at worst a place has two slots for a while. */
static struct fault_place *
fault_find(struct fault_gate *g, uint64_t now_ns, uint64_t place)
{
	unsigned i, first = (unsigned)(hash_u64(0, place) % FAULT_PLACES);

	for (i = 0; i < FAULT_PLACES; i++)
		if (load_relaxed64(&g->place[i].place) == place)
			return &g->place[i];
	for (i = 0; i < FAULT_PLACES; i++) {
		struct fault_place *p = &g->place[(first + i) % FAULT_PLACES];
		uint64_t have = load_relaxed64(&p->place);

		if ((!have || load_relaxed64(&p->next_ns) <= now_ns) &&
		    cas_acq_rel64(&p->place, &have, place)) {
			xchg_acq_rel32(&p->quiet, 0);
			return p;
		}
	}
	return &g->place[first];
}

bool
fault_gate_pass(struct fault_gate *g, uint64_t now_ns, uint64_t place, uint32_t *quiet)
{
	struct fault_place *p = fault_find(g, now_ns, place);
	uint64_t next = load_relaxed64(&p->next_ns);

	if (now_ns < next ||
	    !cas_acq_rel64(&p->next_ns, &next, now_ns + FAULT_INTERVAL_NS)) {
		fault_add_one(&p->quiet);
		return false;
	}
	*quiet = xchg_acq_rel32(&p->quiet, 0);
	return true;
}
