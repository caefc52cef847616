/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that change routes: many at once, some all the time, and one at a time for its
 * latency.
 *
 * The model learns of a change before it is sent, so what is expected is never behind
 * what a daemon may already have passed on. */
#include "test/load/load_gen.h"
#include "test/load/load_irr.h"
#include "test/load/load_step.h"

#include "lib/mem/mem.h"

/* Change a few neighbouring routes of one client. Returns: how many. */
static uint32_t
load_step_change_some(struct load_run *r, uint32_t most)
{
	struct load_client *c = &r->client[load_rng_below(&r->rng, r->clients)];
	uint32_t at, cnt, i, set = 0;
	enum family fam;
	uint8_t id;

	if (!c->route_cnt || (c->state != CL_ESTABLISHED && !c->elsewhere))
		return 0;
	at = load_rng_below(&r->rng, c->route_cnt);
	cnt = load_rng_geometric(&r->rng, r->opt->share, most);
	if (cnt > c->route_cnt - at)
		cnt = c->route_cnt - at;
	fam = load_net_family(&r->nets.net[r->model.route[c->route[at]].net]);
	id = r->model.route[c->route[at]].id;
	if (!r->model.route[c->route[at]].set || !load_rng_chance(&r->rng, 0.2))
		set = load_gen_set(r, c->nr, fam, id);
	for (i = 0; i < cnt; i++) {
		const struct model_route *q = &r->model.route[c->route[at + i]];

		if (load_net_family(&r->nets.net[q->net]) != fam || q->id != id)
			break;
		load_model_set(&r->model, c->route[at + i], set, r->now);
	}
	if (!c->elsewhere) {
		load_update_send(r, c, c->route + at, i);
		r->steps->changes += i;
	}
	return i;
}

void
load_churn(struct load_run *r, uint32_t cnt)
{
	uint32_t done = 0, tries = 0;

	while (done < cnt && tries++ < 10 * cnt + 1000)
		done += load_step_change_some(r, cnt - done);
}

static void
churn_start(struct load_run *r, struct load_step *s)
{
	load_churn(r, (uint32_t)s->a);
}

static bool
churn_done(struct load_run *r, struct load_step *s)
{
	(void)s;
	return load_steps_quiet(r);
}

static void
rate_start(struct load_run *r, struct load_step *s)
{
	r->steps->rate = s->a;
	r->steps->rate_ns = r->now;
}

static bool
rate_done(struct load_run *r, struct load_step *s)
{
	(void)r;
	(void)s;
	return true;
}

static void
flap_start(struct load_run *r, struct load_step *s)
{
	(void)r;
	s->left = (uint32_t)s->a;
	s->last = mem_zalloc(MEM_OTHER, (s->left + 1) * sizeof(*s->last));
	s->at_ns = 0;
	s->route = LOAD_NONE;
}

static bool
first_has(const struct load_run *r, uint32_t net)
{
	uint32_t q;

	for (q = r->model.head[net]; q != LOAD_NONE; q = r->model.route[q].next)
		if (!r->model.route[q].client)
			return true;
	return false;
}

uint32_t
load_choose_route(struct load_run *r, bool not_first)
{
	uint32_t tries, n, best;

	for (tries = 0; tries < 10000; tries++) {
		n = load_rng_below(&r->rng, r->nets.cnt);
		if (not_first && first_has(r, n))
			continue;
		best = load_model_best(&r->model, n);
		if (best != LOAD_NONE && r->nets.net[n].want &&
		    (!r->opt->irr || load_irr_is_steady(r, best)) &&
		    r->client[r->model.route[best].client].state == CL_ESTABLISHED)
			return best;
	}
	return LOAD_NONE;
}

static void
flap_now(struct load_run *r, struct load_step *s)
{
	uint32_t set = 0;

	if (s->route == LOAD_NONE) {
		s->route = load_choose_route(r, s->kind == &step_busyflap);
		if (s->route == LOAD_NONE) {
			s->left = 0;
			return;
		}
		s->set = r->model.route[s->route].set;
	} else {
		set = s->set;
	}
	s->at_ns = r->now = load_now();
	load_model_set(&r->model, s->route, set, r->now);
	if (s->kind == &step_busyflap)
		load_board_probe(&r->board, r->model.route[s->route].net);
	load_update_send(r, &r->client[r->model.route[s->route].client], &s->route, 1);
	r->steps->changes++;
	if (set)
		s->route = LOAD_NONE;
	s->busy = true;
}

static void
note_samples(struct load_run *r, struct load_step *s)
{
	bool busy = s->kind == &step_busyflap;
	uint64_t took, at;
	uint32_t c;

	if (s->sample_cap - s->sample_cnt < r->clients) {
		s->sample_cap = 2 * s->sample_cap + r->clients;
		s->sample = mem_realloc(
		    MEM_OTHER, s->sample, s->sample_cap, sizeof(*s->sample));
	}
	for (c = 0; c < r->clients; c++) {
		at = busy ? r->board.row[c].probe_ns : r->board.row[c].complete_ns;
		if (at <= s->at_ns)
			continue; /* nothing changed for it */
		took = at - s->at_ns;
		s->sample[s->sample_cnt++] = took;
		if (took > s->last[s->flap_cnt])
			s->last[s->flap_cnt] = took;
	}
	s->flap_cnt++;
}

/* Between two flaps everything rests for a few milliseconds, so that each is alone. */
static bool
flap_done(struct load_run *r, struct load_step *s)
{
	if (s->busy) {
		if (!load_steps_quiet(r))
			return false;
		note_samples(r, s);
		s->busy = false;
		s->left--;
		s->at_ns = r->now + 2 * NS_MS + load_rng_below(&r->rng, 8 * NS_MS);
	}
	if (s->left && r->now >= s->at_ns)
		flap_now(r, s);
	return !s->left;
}

/* While something else is under way: each flap is waited for by itself. It ends when
 * there were enough, or when nothing else goes on any more. */
static bool
busyflap_done(struct load_run *r, struct load_step *s)
{
	if (s->busy) {
		if (r->board.probe_left)
			return false;
		note_samples(r, s);
		load_board_probe(&r->board, LOAD_NONE);
		s->busy = false;
		s->left--;
		s->at_ns = r->now + 2 * NS_MS + load_rng_below(&r->rng, 8 * NS_MS);
		if (s->route == LOAD_NONE && load_steps_quiet(r))
			s->left = 0;
	}
	/* What was withdrawn last has to return. */
	if ((s->left || s->route != LOAD_NONE) && r->now >= s->at_ns)
		flap_now(r, s);
	return !s->busy && !s->left && s->route == LOAD_NONE;
}

const struct step_kind step_churn = { "churn", "N: change N routes at once", 1000,
	churn_start, churn_done };
const struct step_kind step_rate = { "rate",
	"N: from now on change N routes a second (0: none)", 0, rate_start, rate_done };
const struct step_kind step_flap = { "flap", "N: one prefix at a time, N times", 100,
	flap_start, flap_done };
const struct step_kind step_busyflap = { "busyflap",
	"N: likewise while other routes are under way, N times at most", 100, flap_start,
	busyflap_done };
