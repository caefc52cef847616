/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of each net that the server passes on, best first, for runs in which more
 * than the best one counts: `secondary`, add-path. */
#ifndef TERN_TEST_LOAD_OFFER_H
#define TERN_TEST_LOAD_OFFER_H

#include "test/load/load_net.h"
#include "test/load/load_set.h"

struct load_path {
	uint32_t set; /* as others get it, before control communities */
	uint32_t src; /* the client it comes from, who doesn't get it */
};

/* owner: a load_offers; lives: until the net gets another one. */
struct load_offer {
	uint32_t cnt;
	bool control; /* some path has control communities */
	struct load_path path[];
};

/* owner: a load_board. */
struct load_offers {
	struct load_offer **at; /* by net; NULL: no path */
	uint32_t cap; /* room for so many nets */
};

void load_offers_fini(struct load_offers *os);
/* load_offers_grow - room for @cap nets. */
void load_offers_grow(struct load_offers *os, uint32_t cap);
/* load_offers_put - from now on @net has these @cnt paths, whose sets were judged. */
void load_offers_put(struct load_offers *os, const struct load_sets *ss, uint32_t net,
    const struct load_path *path, uint32_t cnt);

/* load_offers_get - the paths of @net; NULL: there are none. */
static inline const struct load_offer *
load_offers_get(const struct load_offers *os, uint32_t net)
{
	return net < os->cap ? os->at[net] : NULL;
}

/* load_path_for - what @client gets of @p. @ss: NULL if control communities mean nothing.
 * Returns: a set, or 0: nothing. */
static inline uint32_t
load_path_for(const struct load_path *p, const struct load_sets *ss, uint32_t client)
{
	if (p->src == client)
		return 0;
	return ss ? load_set_for(ss, p->set, client) : p->set;
}

/* load_offer_first - the first path that @client may have (`secondary`). Returns: its set
 * for that client, or 0: he may have none, or (@own_ends) his own comes first. @o may be
 * NULL. */
uint32_t load_offer_first(const struct load_offer *o, const struct load_sets *ss,
    uint32_t client, bool own_ends);

#endif
