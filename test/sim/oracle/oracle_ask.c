/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to the daemon, before the model exists: counts of each session, and the fate
 * of some networks. The copy of the process lets the daemon run for the answers; the
 * world rests, so that members keep their routes. */
#include "test/sim/oracle/oracle_model.h"

#include "test/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_NETS 8 /* networks of a check */

/* ask_add - the answer to one question. */
static void
ask_add(struct oracle *o, struct world *w, const char *line, const struct prefix *net,
    const struct member *to)
{
	struct oracle_answer *a;

	o->answer = reallocarray(o->answer, o->answer_cnt + 1, sizeof(*o->answer));
	a = &o->answer[o->answer_cnt++];
	*a = (struct oracle_answer){ .to = to, .text = strdup(world_command(w, line)) };
	if (net)
		a->net = *net;
}

static bool
ask_has(const struct oracle *o, const struct prefix *net)
{
	for (unsigned i = 0; i < o->answer_cnt; i++)
		if (o->answer[i].net.fam == net->fam &&
		    prefix_equal(&o->answer[i].net, net))
			return true;
	return false;
}

/* oracle_ask_net - the fate of the routes of a network, and the way of the network to a
 * member. */
static void
oracle_ask_net(
    struct oracle *o, struct world *w, const struct prefix *net, const struct member *to)
{
	char text[64], line[160];

	if (ask_has(o, net))
		return;
	prefix_str(text, net);
	snprintf(line, sizeof(line), "json show route why %s to %s", text, to->name);
	ask_add(o, w, line, net, to);
}

/* oracle_ask - the seed and the time choose networks. */
void
oracle_ask(struct oracle *o, struct world *w, const char *file)
{
	struct member *to = w->members;

	ask_add(o, w, "json show protocols all", NULL, NULL);
	if (strstr(file, " limit ")) {
		ask_add(o, w, "json show route table all", NULL, NULL);
		o->answer[o->answer_cnt - 1].has_routes = true;
	}
	for (unsigned n = 0; to && n < ASK_NETS; n++) {
		const struct member *m = w->members;
		const struct rib_route *r;
		struct prefix net;
		uint32_t at = 0;

		for (uint64_t skip = sim_random(64); skip; skip--)
			m = m->next ? m->next : w->members;
		for (uint64_t skip = m->told.cnt ? sim_random(m->told.cnt) : 0; skip;
		     skip--)
			rib_next(&m->told, &at);
		r = rib_next(&m->told, &at);
		if (!r)
			continue;
		net = oracle_prefix(&r->key);
		oracle_ask_net(o, w, &net, to);
		to = to->next ? to->next : w->members;
	}
}
