/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of a route server: who announces what, and which route of each net is best. */
#ifndef TERN_TEST_LOAD_MODEL_H
#define TERN_TEST_LOAD_MODEL_H

#include "test/load/load_board.h"

/* What the decision knows of a client. */
struct model_client {
	uint32_t as;
	uint32_t router_id;
	struct ip_addr addr;
	bool up; /* its routes count */
};

/* owner: struct load_model. set 0: withdrawn. */
struct model_route {
	uint32_t client, net, set;
	uint32_t next; /* route of the same net, LOAD_NONE: last */
	bool refused; /* its client's list of prefixes doesn't have it */
};

struct load_model {
	struct load_nets *nets;
	struct load_sets *sets;
	struct load_board *board;
	struct model_client *client;
	uint32_t clients;
	struct model_route *route;
	uint32_t route_cnt;
	/* private */
	uint32_t route_cap;
	uint32_t *head; /* first route by net */
	uint32_t head_cap;
	uint32_t *best; /* candidates, scratch */
	uint32_t best_cap;
};

void load_model_init(struct load_model *m, struct load_nets *nets, struct load_sets *sets,
    struct load_board *board, struct model_client *client, uint32_t clients);
void load_model_fini(struct load_model *m);
/* load_model_route - the route of this client and net, made (withdrawn) if it isn't
 * there. Returns: its number, which never changes. */
uint32_t load_model_route(struct load_model *m, uint32_t client, uint32_t net);
/* load_model_decide - choose the best route of @net and tell the board. */
void load_model_decide(struct load_model *m, uint32_t net, uint64_t now);
/* load_model_best - Returns: number of the best route or LOAD_NONE. */
uint32_t load_model_best(struct load_model *m, uint32_t net);
/* load_model_set - announce (@set) or withdraw (0) a route and decide anew. */
void load_model_set(struct load_model *m, uint32_t route, uint32_t set, uint64_t now);
/* load_model_client - @client's routes count from now on, or no more. */
void load_model_client(struct load_model *m, uint32_t client, bool up, uint64_t now);
void load_model_decide_all(struct load_model *m, uint64_t now);

#endif
