/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that keep the server busy, and ask how long others wait meanwhile.
 *
 * Who floods sends all its routes again and again, as fast as its socket takes them, in
 * turn as the model has them and with other attributes. What clients must hold is what
 * the model has, so nobody is right meanwhile, and all have to be when the flood has
 * ended with the former. */
#include "test/load/load_gen.h"
#include "test/load/load_pair.h"
#include "test/load/load_step.h"

#include "lib/mem/mem.h"

#include <stdio.h>

#define FLOOD_PART (32 * 1024) /* octets queued at a time */

/* owner: struct load_steps; one for each client that floods. */
struct load_flood {
	struct load_client *c;
	uint8_t *octets; /* all its routes twice, whole messages */
	uint32_t len, at;
};

/* Other attributes for all routes of @c, as many sets as it has now, and alike for the
 * same routes. */
static void
other_sets(struct load_run *r, struct load_client *c)
{
	uint32_t i, old = 0, new = 0, id = 0;

	for (i = 0; i < c->route_cnt; i++) {
		struct model_route *q = &r->model.route[c->route[i]];

		if (!new || q->set != old || q->id != id)
			new = load_gen_set(
			    r, c->nr, load_net_family(&r->nets.net[q->net]), q->id);
		old = q->set;
		id = q->id;
		if (q->set)
			q->set = new;
	}
}

static void
make_flood(struct load_run *r, struct load_client *c, struct load_flood *f)
{
	uint32_t *had = mem_alloc(MEM_OTHER, (c->route_cnt + 1) * sizeof(*had)), i;
	size_t before = load_client_room(c) - c->tx;
	uint64_t msgs = c->tx_msgs;

	load_update_put(r, c, c->route, c->route_cnt);
	for (i = 0; i < c->route_cnt; i++)
		had[i] = r->model.route[c->route[i]].set;
	other_sets(r, c);
	load_update_put(r, c, c->route, c->route_cnt);
	for (i = 0; i < c->route_cnt; i++)
		r->model.route[c->route[i]].set = had[i];
	mem_free(MEM_OTHER, had);
	f->c = c;
	f->len = (uint32_t)(c->tx_len - before);
	f->octets = mem_alloc(MEM_OTHER, f->len + 1);
	memcpy(f->octets, c->tx + before, f->len);
	c->tx_len = before;
	c->tx_msgs = msgs;
}

static void
flood_end(struct load_run *r)
{
	struct load_steps *ss = r->steps;
	uint32_t i;

	for (i = 0; i < ss->flood_cnt; i++) {
		if (ss->flood[i].c->state == CL_ESTABLISHED)
			load_update_send_all(r, ss->flood[i].c);
		mem_free(MEM_OTHER, ss->flood[i].octets);
	}
	mem_free(MEM_OTHER, ss->flood);
	ss->flood = NULL;
	ss->flood_cnt = 0;
}

static void
flood_start(struct load_run *r, struct load_step *s)
{
	struct load_steps *ss = r->steps;
	uint32_t want = (uint32_t)s->a, i;

	flood_end(r);
	ss->flood = mem_zalloc(MEM_OTHER, (want + 1) * sizeof(*ss->flood));
	for (i = r->clients; i-- && ss->flood_cnt < want;)
		if (r->client[i].state == CL_ESTABLISHED && !r->client[i].stalled &&
		    r->client[i].route_cnt)
			make_flood(r, &r->client[i], &ss->flood[ss->flood_cnt++]);
	if (ss->flood_cnt < want) {
		fprintf(stderr, "ternload: only %u clients can flood\n", ss->flood_cnt);
		r->fatal = true;
	}
}

static bool
flood_done(struct load_run *r, struct load_step *s)
{
	(void)r;
	(void)s;
	return true;
}

void
load_flood_tick(struct load_run *r)
{
	struct load_steps *ss = r->steps;
	uint32_t i, mlen, from;

	for (i = 0; i < ss->flood_cnt; i++) {
		struct load_flood *f = &ss->flood[i];

		if (f->c->state != CL_ESTABLISHED || f->c->tx_pos < f->c->tx_len)
			continue;
		if (f->at == f->len)
			f->at = 0;
		for (from = f->at; f->at < f->len && f->at - from < FLOOD_PART;
		     f->at += mlen) {
			mlen = get_be16(f->octets + f->at + 16);
			memcpy(load_client_room(f->c), f->octets + f->at, mlen);
			load_client_queue(f->c, mlen);
		}
		ss->changes += 2ull * f->c->route_cnt * (f->at - from) / f->len;
		load_client_flush(r, f->c);
	}
}

void
load_flood_fini(struct load_steps *ss)
{
	uint32_t i;

	for (i = 0; i < ss->flood_cnt; i++)
		mem_free(MEM_OTHER, ss->flood[i].octets);
	mem_free(MEM_OTHER, ss->flood);
}

static void
pair_fails(struct load_run *r, const char *why)
{
	fprintf(stderr, "ternload: step pair: %s\n", why);
	r->fatal = true;
}

static void
pair_start(struct load_run *r, struct load_step *s)
{
	s->left = 1;
	s->busy = !load_steps_quiet(r);
	if (r->pair)
		load_pair_go(r->pair);
	else
		pair_fails(r, "--pair is missing");
}

static void
take_samples(struct load_run *r, struct load_step *s)
{
	uint64_t *sample;

	s->sample_cnt = s->sample_cap = load_pair_take(r->pair, &sample);
	if (!s->sample_cnt) {
		pair_fails(r, "no sample was measured");
		return;
	}
	s->sample = mem_alloc(MEM_OTHER, s->sample_cnt * sizeof(*sample));
	memcpy(s->sample, sample, s->sample_cnt * sizeof(*sample));
}

/* It ends with its time, or when what kept the server busy at its beginning is
 * through. */
static bool
pair_done(struct load_run *r, struct load_step *s)
{
	bool over = r->now >= s->start_ns + (uint64_t)(s->a * (double)NS_S);

	if (!r->pair)
		return true;
	if (load_pair_failed(r->pair)) {
		pair_fails(r, "the process of --pair has ended");
		return true;
	}
	if (s->left &&
	    (over || (s->busy && !r->steps->flood_cnt && load_steps_quiet(r)))) {
		s->left = 0;
		load_pair_stop(r->pair);
	}
	if (s->left || !load_pair_has_stopped(r->pair))
		return false;
	take_samples(r, s);
	return true;
}

const struct step_kind step_flood = { "flood",
	"N: from now on N clients, the last, change all their routes without pause (0: "
	"none)",
	0, flood_start, flood_done };
const struct step_kind step_pair = { "pair",
	"S: how long do changes take between two members of their own (--pair), for S "
	"seconds",
	10, pair_start, pair_done };
