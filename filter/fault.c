/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who moves the time of the next line forward may write this one. */
#include "filter/fault.h"

#include "lib/base/hash.h"

/* Its slot, or a free one that becomes its slot. With all taken, places share. */
static struct fault_place *
find(struct fault_gate *g, uint64_t place)
{
	unsigned i, first = (unsigned)(hash_u64(0, place) % FAULT_PLACES);

	for (i = 0; i < FAULT_PLACES; i++) {
		struct fault_place *p = &g->place[(first + i) % FAULT_PLACES];
		uint64_t have = load_relaxed64(&p->place);

		if (!have && cas_acq_rel64(&p->place, &have, place))
			return p;
		if (have == place)
			return p;
	}
	return &g->place[first];
}

bool
fault_gate_pass(struct fault_gate *g, uint64_t now_ns, uint64_t place, uint32_t *quiet)
{
	struct fault_place *p = find(g, place);
	uint64_t next = load_relaxed64(&p->next_ns);

	if (now_ns < next ||
	    !cas_acq_rel64(&p->next_ns, &next, now_ns + FAULT_INTERVAL_NS)) {
		counter32_add(&p->quiet, 1);
		return false;
	}
	*quiet = counter32_get(&p->quiet);
	counter32_sub_acq_rel(&p->quiet, *quiet);
	return true;
}
