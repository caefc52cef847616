/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of a route server.
 *
 * The decision is written as the elimination of RFC 4271, 9.1.2.2, over all candidates of
 * a net, which is slow, obvious, and quite unlike what a daemon does: local preference,
 * length of the path, origin, MED among routes by way of the same neighbour AS, BGP
 * identifier, address of the peer. All clients are eBGP peers whose next hops are
 * resolved alike, so the steps about those drop out.
 *
 * The order of all paths is that of repeated elections: who would be chosen if all before
 * weren't there. It is the order of a sorted table of bird2 as long as MED decides
 * nothing there: clients' paths begin with their own AS, and paths of one client differ
 * in length (load_gen.c).
 *
 * I1  The routes of a net hang in one list from head[net], also those withdrawn.
 * I2  There is at most one route of a client, net and path identifier. */
#include "test/load/load_model.h"

#include "lib/mem/mem.h"

void
load_model_init(struct load_model *m, struct load_nets *nets, struct load_sets *sets,
    struct load_board *board, struct model_client *client, uint32_t clients)
{
	memset(m, 0, sizeof(*m));
	m->nets = nets;
	m->sets = sets;
	m->board = board;
	m->client = client;
	m->clients = clients;
}

void
load_model_fini(struct load_model *m)
{
	mem_free(MEM_OTHER, m->route);
	mem_free(MEM_OTHER, m->head);
	mem_free(MEM_OTHER, m->best);
	mem_free(MEM_OTHER, m->order);
	mem_free(MEM_OTHER, m->path);
}

static void
grow_heads(struct load_model *m)
{
	uint32_t cap = m->nets->cnt + m->nets->cnt / 16 + 64;

	if (m->nets->cnt <= m->head_cap)
		return;
	m->head = mem_realloc(MEM_OTHER, m->head, cap, sizeof(*m->head));
	memset(m->head + m->head_cap, 0xff, (cap - m->head_cap) * sizeof(*m->head));
	m->head_cap = cap;
}

uint32_t
load_model_route(struct load_model *m, uint32_t client, uint32_t net)
{
	return load_model_path(m, client, net, 0);
}

uint32_t
load_model_path(struct load_model *m, uint32_t client, uint32_t net, uint8_t id)
{
	uint32_t r;

	grow_heads(m);
	for (r = m->head[net]; r != LOAD_NONE; r = m->route[r].next)
		if (m->route[r].client == client && m->route[r].id == id)
			return r;
	if (m->route_cnt == m->route_cap) {
		m->route_cap = m->route_cap ? m->route_cap * 2 : 1024;
		m->route = mem_realloc(
		    MEM_OTHER, m->route, m->route_cap, sizeof(*m->route));
	}
	m->route[m->route_cnt] = (struct model_route){ client, net, 0, m->head[net],
		false, id };
	return m->head[net] = m->route_cnt++;
}

/* Nets that the import filter refuses: 10.0.0.0/8+, 192.168.0.0/16+. */
static bool
net_refused(const struct load_model *m, uint32_t net)
{
	const struct load_net *n = &m->nets->net[net];
	uint32_t a = (uint32_t)(n->hi >> 32), len = n->key & 0xff;

	if (!m->sets->policy.filter || load_net_family(n) != FAM_IP4)
		return false;
	return (a >> 24 == 10 && len >= 8) || (a >> 16 == (192 << 8 | 168) && len >= 16);
}

enum rule { BY_LOCAL_PREF, BY_PATH_LEN, BY_ORIGIN, BY_ROUTER_ID, RULE_CNT };

/* Smaller is better. */
static uint32_t
load_model_value_of(const struct load_model *m, enum rule rule, uint32_t r)
{
	const struct load_set *s = &m->sets->set[m->route[r].set];

	switch (rule) {
	case BY_LOCAL_PREF:
		return ~(uint32_t)s->local_pref;
	case BY_PATH_LEN:
		return s->facts.path_len;
	case BY_ORIGIN:
		return s->facts.origin;
	default:
		return m->client[m->route[r].client].router_id;
	}
}

static uint32_t
keep_least(struct load_model *m, enum rule rule, uint32_t cnt)
{
	uint32_t least = UINT32_MAX, i, kept = 0;

	for (i = 0; i < cnt; i++)
		if (load_model_value_of(m, rule, m->best[i]) < least)
			least = load_model_value_of(m, rule, m->best[i]);
	for (i = 0; i < cnt; i++)
		if (load_model_value_of(m, rule, m->best[i]) == least)
			m->best[kept++] = m->best[i];
	return kept;
}

/* Whether some other candidate by the same neighbour AS has a lower MED. */
static bool
med_beaten(const struct load_model *m, uint32_t r, uint32_t cnt)
{
	const struct attr_facts *f = &m->sets->set[m->route[r].set].facts, *g;
	uint32_t i;

	for (i = 0; i < cnt; i++) {
		g = &m->sets->set[m->route[m->best[i]].set].facts;
		if (g->path_first == f->path_first && g->med < f->med)
			return true;
	}
	return false;
}

static uint32_t
keep_least_med(struct load_model *m, uint32_t cnt)
{
	uint32_t i, kept = 0;

	/* Those beaten go to the end first, so that they still beat others. */
	for (i = 0; i < cnt; i++) {
		uint32_t r = m->best[i];

		if (med_beaten(m, r, cnt))
			continue;
		m->best[i] = m->best[kept];
		m->best[kept++] = r;
	}
	return kept;
}

static void
grow_best(struct load_model *m)
{
	size_t cap = m->best_cap ? 2 * m->best_cap : 16;

	m->best = mem_realloc(MEM_OTHER, m->best, cap, sizeof(*m->best));
	m->order = mem_realloc(MEM_OTHER, m->order, cap, sizeof(*m->order));
	m->path = mem_realloc(MEM_OTHER, m->path, cap, sizeof(*m->path));
	m->best_cap = (uint32_t)cap;
}

static uint32_t
load_model_candidates(struct load_model *m, uint32_t net)
{
	uint32_t r, cnt = 0;

	if (net >= m->head_cap || net_refused(m, net))
		return 0;
	for (r = m->head[net]; r != LOAD_NONE; r = m->route[r].next) {
		if (!m->route[r].set || m->route[r].refused ||
		    !m->client[m->route[r].client].up ||
		    load_set_judge(m->sets, m->route[r].set)->rejected)
			continue;
		if (cnt == m->best_cap)
			grow_best(m);
		m->best[cnt++] = r;
	}
	return cnt;
}

/* The best of the first @cnt candidates, whose order is lost. */
static uint32_t
load_model_elect(struct load_model *m, uint32_t cnt)
{
	uint32_t i, least = 0;

	if (cnt > 1) {
		cnt = keep_least(m, BY_LOCAL_PREF, cnt);
		cnt = keep_least(m, BY_PATH_LEN, cnt);
		cnt = keep_least(m, BY_ORIGIN, cnt);
		cnt = keep_least_med(m, cnt);
		cnt = keep_least(m, BY_ROUTER_ID, cnt);
	}
	if (!cnt)
		return LOAD_NONE;
	for (i = 1; i < cnt; i++)
		if (ip_cmp(m->client[m->route[m->best[i]].client].addr,
			m->client[m->route[m->best[least]].client].addr) < 0)
			least = i;
	return m->best[least];
}

uint32_t
load_model_best(struct load_model *m, uint32_t net)
{
	return load_model_elect(m, load_model_candidates(m, net));
}

uint32_t
load_model_order(struct load_model *m, uint32_t net, const uint32_t **order)
{
	uint32_t cnt = load_model_candidates(m, net), i, j, r;

	if (cnt)
		memcpy(m->order, m->best, cnt * sizeof(*m->best));
	for (i = 0; i < cnt; i++) {
		memcpy(m->best, m->order + i, (cnt - i) * sizeof(*m->best));
		r = load_model_elect(m, cnt - i);
		for (j = i; m->order[j] != r; j++)
			;
		m->order[j] = m->order[i];
		m->order[i] = r;
	}
	*order = m->order;
	return cnt;
}

/* load_model_decide where more than the best route counts. */
static void
decide_order(struct load_model *m, uint32_t net, uint64_t now)
{
	struct load_goal g = { 0, LOAD_NONE, 0, NULL };
	const uint32_t *order;
	uint32_t cnt = load_model_order(m, net, &order), i, out;

	for (i = 0; i < cnt; i++) {
		const struct model_route *q = &m->route[order[i]];

		if (load_set_judge(m->sets, q->set)->kept_in)
			continue;
		out = m->sets->set[q->set].out;
		load_set_judge(m->sets, out); /* about control communities */
		m->path[g.cnt++] = (struct load_path){ out, q->client };
		if (i == 0 || (m->board->secondary && g.cnt == 1)) {
			g.want = out;
			g.src = q->client;
		}
	}
	g.path = m->path;
	load_board_offer(m->board, net, &g, now);
}

void
load_model_decide(struct load_model *m, uint32_t net, uint64_t now)
{
	uint32_t r, want;
	const struct load_set *s;

	if (m->all_paths) {
		decide_order(m, net, now);
		return;
	}
	r = load_model_best(m, net);
	if (r == LOAD_NONE) {
		load_board_want(m->board, net, 0, LOAD_NONE, now);
		return;
	}
	s = load_set_judge(m->sets, m->route[r].set);
	want = s->kept_in ? 0 : s->out;
	if (want)
		load_set_judge(
		    m->sets, want); /* the board asks it about control communities */
	load_board_want(m->board, net, want, m->route[r].client, now);
}

void
load_model_set(struct load_model *m, uint32_t route, uint32_t set, uint64_t now)
{
	m->route[route].set = set;
	load_model_decide(m, m->route[route].net, now);
}

void
load_model_client(struct load_model *m, uint32_t client, bool up, uint64_t now)
{
	uint32_t r;

	if (m->client[client].up == up)
		return;
	m->client[client].up = up;
	for (r = 0; r < m->route_cnt; r++)
		if (m->route[r].client == client)
			load_model_decide(m, m->route[r].net, now);
}

void
load_model_decide_all(struct load_model *m, uint64_t now)
{
	uint32_t n;

	grow_heads(m);
	load_board_bulk(m->board);
	for (n = 0; n < m->nets->cnt; n++)
		load_model_decide(m, n, now);
	load_board_recount(m->board, now);
}
