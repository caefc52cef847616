/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of instances: numbers in the order of the configuration
 * (nest/rib/table/path_tie.h).
 *
 * An instance keeps its place for life, since paths in tables are ordered by place. The
 * first configuration leaves a gap behind each instance. A later configuration puts a new
 * instance into the middle of the gap between its two neighbors. After 32 new instances
 * at one point the places there are equal, and names decide.
 *
 * Loop: the control worker's. Tests: test_places.c, test/net/test_ties.py. */
#include "lib/mem/mem.h"
#include "nest/conf/config.h"
#include "nest/daemon/control_priv.h"

#define PLACE_GAP (1ull << 32)

OWNED uint64_t *
places_behind(const struct control *c, const struct config *conf)
{
	uint64_t *next = mem_alloc(MEM_CONFIG, (conf->proto_cnt + 1) * sizeof(*next));
	const struct instance *in;

	next[conf->proto_cnt] = 0;
	for (unsigned i = conf->proto_cnt; i > 0; i--) {
		in = i < conf->proto_cnt ? instance_find(c, conf->proto[i]->name) : NULL;
		next[i - 1] = in && !in->deleting ? in->place : next[i];
	}
	return next;
}

uint64_t
place_between(uint64_t before, uint64_t behind)
{
	return behind > before ? before + (behind - before) / 2 : before + PLACE_GAP;
}

uint64_t
place_again(struct instance *in, uint64_t before, uint64_t behind)
{
	if (in->deleting)
		in->place = place_between(before, behind);
	return in->place;
}
