/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From options to a run that can start: clients, their routes, and what each must hold in
 * the end.
 *
 * What is expected is computed before the first connection, so that the computing costs
 * the measured time nothing. */
#include "test/load/load_setup.h"

#include "lib/mem/mem.h"
#include "test/load/load_gen.h"
#include "test/load/load_irr.h"
#include "test/load/load_mrt.h"
#include "test/load/load_pair.h"
#include "test/load/load_sock.h"
#include "test/load/load_step.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

static struct ip_addr
nth_address(struct ip_addr first, uint32_t n)
{
	first.lo += n;
	return first;
}

/* What others see of member @c, who speaks 2-octet AS numbers or not. */
static struct model_client
load_setup_facts_of(const struct load_run *r, uint32_t c, bool as2)
{
	return (struct model_client){
		.as = as2 ? 20000 + c : r->opt->first_as + c,
		/* An odd factor: different for all, and not in order of clients. */
		.router_id = 0x0b000000u | ((c * 0x9e3779u + 0x5bd1u) & 0xffffff),
		.addr = nth_address(r->opt->first_address, c),
		.up = c || !r->opt->full,
	};
}

static void
make_clients(struct load_run *r, const struct mrt_file *mrt)
{
	uint32_t c;

	r->facts = mem_zalloc(
	    MEM_OTHER, (r->clients + LOAD_PAIR_CNT) * sizeof(*r->facts));
	r->client = mem_zalloc(MEM_OTHER, r->clients * sizeof(*r->client));
	for (c = 0; c < r->clients; c++) {
		struct load_client *cl = &r->client[c];
		bool as2 = mrt ? !mrt->peer[c].as4 : c < r->opt->as2;

		cl->nr = c;
		cl->fd = -1;
		cl->as4_own = !as2;
		cl->elsewhere = r->opt->play_end &&
				(c < r->opt->play_first || c >= r->opt->play_end);
		cl->away = cl->elsewhere || (!c && r->opt->full);
		r->elsewhere_cnt += cl->elsewhere;
		r->away_cnt += cl->away;
		cl->last_net = LOAD_NONE;
		cl->seen = &r->seen[!as2];
		r->facts[c] = load_setup_facts_of(r, c, as2);
		if (mrt)
			r->facts[c].as = mrt->peer[c].as;
	}
	for (c = r->clients; c < r->clients + LOAD_PAIR_CNT; c++)
		r->facts[c] = load_setup_facts_of(r, c, false);
}

/* Withdraw (@set 0) or announce prefixes in the model. */
static int
load_setup_apply(
    struct load_run *r, uint32_t client, struct span s, enum family fam, uint32_t set)
{
	uint32_t key, net, route, before;
	uint64_t hi, lo;

	while (s.len) {
		if (!msg_next_prefix(&s, fam, &hi, &lo, &key))
			return -EPROTO;
		net = load_nets_add(&r->nets, hi, lo, key);
		before = r->model.route_cnt;
		route = load_model_route(&r->model, client, net);
		if (r->model.route_cnt != before)
			load_client_add_route(&r->client[client], route);
		r->model.route[route].set = set;
	}
	return 0;
}

/* The state after all messages; order between peers doesn't matter for it. */
static int
apply_records(struct load_run *r, const struct mrt_file *mrt)
{
	struct msg_update u;
	uint32_t i, set, bad = 0;
	char addr[IP_STR_MAX];

	for (i = 0; i < mrt->message_cnt; i++) {
		const struct mrt_message *m = &mrt->message[i];
		bool as4 = mrt->peer[m->peer].as4;

		if (msg_get_update(&u, m->p + MSG_HEADER, m->len - MSG_HEADER))
			goto err_update;
		set = u.nlri.len || u.mp_nlri.len ? load_set_of_update(&r->sets, &u, as4)
						  : 1;
		if (!set) {
			bad++;
			continue;
		}
		if (load_setup_apply(r, m->peer, u.withdrawn, FAM_IP4, 0) ||
		    load_setup_apply(
			r, m->peer, u.mp_withdrawn, u.mp_withdrawn_family, 0) ||
		    load_setup_apply(r, m->peer, u.nlri, FAM_IP4, set) ||
		    load_setup_apply(r, m->peer, u.mp_nlri, u.mp_family, set))
			goto err_update;
	}
	if (bad)
		fprintf(stderr,
		    "ternload: %u recorded messages have malformed attributes\n", bad);
	return 0;

err_update:
	fprintf(stderr, "ternload: UPDATE %u of the file, from %s AS %u, is malformed\n",
	    i + 1, ip_str(addr, mrt->peer[mrt->message[i].peer].addr),
	    mrt->peer[mrt->message[i].peer].as);
	return -EPROTO;
}

/* Messages in the order of the file, or shuffled between peers with the order of each
 * kept. */
static void
order_records(struct load_run *r, const struct mrt_file *mrt)
{
	struct load_rng g = { r->opt->shuffle_seed };
	uint32_t *who, *next, i, c;

	who = mem_alloc(MEM_OTHER, mrt->message_cnt * sizeof(*who));
	next = mem_zalloc(MEM_OTHER, mrt->peer_cnt * sizeof(*next));
	r->record = mem_alloc(MEM_OTHER, mrt->message_cnt * sizeof(*r->record));
	r->record_cnt = mrt->message_cnt;
	for (i = 0; i < mrt->message_cnt; i++)
		who[i] = mrt->message[i].peer;
	if (r->opt->shuffle)
		load_rng_shuffle(&g, who, mrt->message_cnt);
	for (i = 0; i < mrt->message_cnt; i++) {
		c = who[i];
		while (mrt->message[next[c]].peer != c)
			next[c]++;
		r->record[i] = (struct load_record){ c, mrt->message[next[c]].len,
			mrt->message[next[c]].p };
		next[c]++;
	}
	mem_free(MEM_OTHER, who);
	mem_free(MEM_OTHER, next);
}

/* Clients may hold what they like of the pair's prefix. */
static void
loosen_pair(struct load_run *r)
{
	uint64_t hi = (uint64_t)LOAD_PAIR_NET << 32;
	uint32_t cnt = r->nets.cnt, key = load_key(FAM_IP4, 24), net;

	net = load_nets_add(&r->nets, hi, 0, key);
	if (net < cnt)
		fprintf(stderr, "ternload: clients announce the pair's prefix, too\n");
	load_board_loosen(&r->board, net, 0);
}

static void
begin_add_path(struct load_run *r)
{
	load_seen_init(&r->seen[2], LOAD_SEEN_MAX);
	load_seen_init(&r->seen[3], LOAD_SEEN_MAX);
	load_board_grow(&r->board);
	load_addpath_begin(&r->board, r->opt->no_add_paths, r->model.route_cnt);
}

int
load_setup(struct load_run *r, const struct mrt_file *mrt)
{
	struct load_policy policy = { r->opt->server_as, r->opt->lenient, r->opt->filter,
		r->opt->first_as,
		r->opt->irr ? LOAD_IRR_MARK + r->opt->irr_reload : r->opt->mark,
		r->opt->server };
	int err;

	r->epoll = -1;
	r->rng.state = r->opt->seed;
	r->retry_rng.state = r->opt->seed + r->opt->play_first;
	r->clients = mrt ? mrt->peer_cnt : r->opt->clients;
	if (r->opt->conf && r->opt->pair)
		r->clients += LOAD_PAIR_CNT;
	load_nets_init(&r->nets);
	load_sets_init(&r->sets, &policy);
	make_clients(r, mrt);
	load_seen_init(&r->seen[0], LOAD_SEEN_MAX);
	load_seen_init(&r->seen[1], LOAD_SEEN_MAX);
	load_board_init(&r->board, &r->nets, &r->sets, r->clients, r->opt->own_filter);
	r->board.lenient = r->opt->lenient;
	r->board.secondary = r->opt->secondary || r->opt->multi;
	r->board.own_ends = r->opt->multi;
	load_model_init(&r->model, &r->nets, &r->sets, &r->board, r->facts, r->clients);
	r->model.all_paths = r->board.secondary || r->opt->add_paths & ADD_PATH_TX;
	if (r->opt->conf && !r->opt->lists)
		return 0;
	if (mrt) {
		err = apply_records(r, mrt);
		order_records(r, mrt);
	} else {
		err = load_gen_nets(r);
		if (!err)
			load_gen_routes(r);
		if (r->opt->irr)
			load_irr_apply(r, r->opt->irr_reload);
		else
			load_step_unlist(r, r->opt->unlisted);
	}
	if (err)
		return err;
	if (r->opt->add_paths & ADD_PATH_TX)
		begin_add_path(r);
	load_model_decide_all(&r->model, 0);
	if (r->opt->pair)
		loosen_pair(r);
	r->announcing = r->opt->at_once && !mrt;
	return 0;
}

int
load_setup_net(struct load_run *r)
{
	int err = load_sock_limit(r->clients + 32);
	struct rusage u;

	if (err)
		return err;
	getrusage(RUSAGE_SELF, &u);
	r->setup_cpu_s = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
			 (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	if (r->opt->pair) {
		err = load_pair_start(r);
		if (err)
			return err;
	}
	r->rx_buf = mem_alloc(MEM_OTHER, LOAD_RX_BUF + MSG_SLACK);
	r->rx_len = LOAD_RX_BUF;
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0) {
		perror("ternload: epoll_create1");
		return -errno;
	}
	return 0;
}

void
load_setup_fini(struct load_run *r)
{
	uint32_t c;

	load_pair_end(r);
	for (c = 0; c < r->clients; c++) {
		if (r->client[c].fd >= 0)
			close(r->client[c].fd);
		mem_free(MEM_OTHER, r->client[c].tx);
		mem_free(MEM_OTHER, r->client[c].part);
		mem_free(MEM_OTHER, r->client[c].route);
	}
	if (r->epoll >= 0)
		close(r->epoll);
	load_curve_fini(&r->curve);
	mem_free(MEM_OTHER, r->rx_buf);
	mem_free(MEM_OTHER, r->record);
	mem_free(MEM_OTHER, r->client);
	mem_free(MEM_OTHER, r->facts);
	load_model_fini(&r->model);
	load_board_fini(&r->board);
	for (c = 0; c < ARRAY_LEN(r->seen); c++)
		if (r->seen[c].at)
			load_seen_fini(&r->seen[c]);
	load_sets_fini(&r->sets);
	load_nets_fini(&r->nets);
}
