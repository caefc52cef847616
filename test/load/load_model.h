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
	uint8_t id; /* path identifier, of clients that send them; else 0 */
};

struct load_model {
	struct load_nets *nets;
	struct load_sets *sets;
	struct load_board *board;
	struct model_client *client;
	uint32_t clients;
	bool all_paths; /* clients may have others than the best one: load_board_offer */
	struct model_route *route;
	uint32_t route_cnt;
	/* private */
	uint32_t route_cap;
	uint32_t *head; /* first route by net */
	uint32_t head_cap;
	uint32_t *best; /* candidates, scratch */
	uint32_t *order; /* likewise, in order of preference */
	struct load_path *path; /* what is passed on of them */
	uint32_t best_cap; /* room in the three */
};

void load_model_init(struct load_model *m, struct load_nets *nets, struct load_sets *sets,
    struct load_board *board, struct model_client *client, uint32_t clients);
void load_model_fini(struct load_model *m);
/* load_model_route - the route of this client and net with path identifier 0, made
 * (withdrawn) if it isn't there. Returns: its number, which never changes. */
uint32_t load_model_route(struct load_model *m, uint32_t client, uint32_t net);
/* load_model_path - likewise, with identifier @id. */
uint32_t load_model_path(struct load_model *m, uint32_t client, uint32_t net, uint8_t id);
/* load_model_order - all routes of @net that can be chosen, best first. *@order: borrowed
 * until the next call of any function here. Returns: how many. */
uint32_t load_model_order(struct load_model *m, uint32_t net, const uint32_t **order);
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
