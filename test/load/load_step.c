/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a run, in order.
 *
 * A step starts, and is done when its condition holds; for most that is "every client
 * holds exactly what it must hold". Each step notes when its clients became complete,
 * what was received, and what the daemon has used up to then. */
#include "test/load/load_step.h"

#include "lib/mem/mem.h"
#include "test/load/load_dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int
load_step_cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void
load_sort(uint64_t *v, uint32_t cnt)
{
	if (cnt)
		qsort(v, cnt, sizeof(*v), load_step_cmp_u64);
}

uint64_t
load_percentile(const uint64_t *v, uint32_t cnt, double p)
{
	return cnt ? v[(uint32_t)((cnt - 1) * p / 100 + 0.5)] : 0;
}

bool
load_steps_quiet(const struct load_run *r)
{
	uint32_t c, excused = 0;

	if (r->board.complete_cnt == r->clients)
		return true;
	if (r->board.complete_cnt + r->away_cnt + 64 < r->clients)
		return false;
	for (c = 0; c < r->clients; c++)
		excused += (r->client[c].stalled || r->client[c].away) &&
			   r->board.row[c].wrong;
	return r->board.complete_cnt + excused == r->clients;
}

static bool
when_quiet(struct load_run *r, struct load_step *s)
{
	(void)s;
	return load_steps_quiet(r);
}

static void
announce_start(struct load_run *r, struct load_step *s)
{
	uint32_t c;

	(void)s;
	r->announce_ns = r->now;
	if (r->record_cnt) {
		r->announcing = true;
		r->replaying = true;
		load_update_replay(r);
		return;
	}
	for (c = 0; c < r->clients && !r->announcing; c++)
		if (r->client[c].state == CL_ESTABLISHED)
			load_update_send_all(r, &r->client[c]);
	r->announcing = true;
}

static bool
announce_done(struct load_run *r, struct load_step *s)
{
	return !r->replaying && when_quiet(r, s);
}

static void
no_start(struct load_run *r, struct load_step *s)
{
	(void)r;
	(void)s;
}

/* For so long nothing must be wrong: what a daemon sends late would show. */
static bool
settle_done(struct load_run *r, struct load_step *s)
{
	uint64_t need = (uint64_t)(s->a * (double)NS_MS);

	return load_steps_quiet(r) && r->now >= s->start_ns + need &&
	       r->now >= r->board.broken_ns + need;
}

static void
hold_start(struct load_run *r, struct load_step *s)
{
	r->steps->held_ns += (uint64_t)(s->a * (double)NS_S);
}

static bool
hold_done(struct load_run *r, struct load_step *s)
{
	return r->now >= s->start_ns + (uint64_t)(s->a * (double)NS_S);
}

static const struct step_kind
    step_announce = { "announce", "announce all routes", 0, announce_start,
	    announce_done },
    step_settle = { "settle", "MS: wait until all routes were right for MS milliseconds",
	    500, no_start, settle_done },
    step_hold = { "hold", "S: stay S seconds in any case", 10, hold_start, hold_done };

bool
load_step_is_hold(const struct load_step *s)
{
	return s->kind == &step_hold;
}

const struct step_kind *const load_step_kinds[] = { &step_announce, &step_settle,
	&step_hold, &step_churn, &step_rate, &step_flap, &step_busyflap, &step_drop,
	&step_die, &step_join, &step_feed, &step_beacon, &step_mark, &step_unlisted,
	&step_irr, &step_flood, &step_pair, &step_garbage, &step_mute, &step_stall,
	&step_unstall, &step_refresh, &step_storm, NULL };

static int
load_step_parse_one(struct load_steps *ss, char *text)
{
	char *value = strchr(text, '='), *end = NULL, *at;
	struct load_step s = { .b = -1 };
	uint32_t i;

	if (value)
		*value++ = 0;
	at = value;
	for (i = 0; load_step_kinds[i] && strcmp(load_step_kinds[i]->name, text); i++)
		;
	s.kind = load_step_kinds[i];
	if (!s.kind) {
		fprintf(stderr, "ternload: no step has the name '%s'\n", text);
		return -EINVAL;
	}
	s.a = value ? strtod(value, &end) : s.kind->value;
	if (value && end > value && *end == ':') {
		at = end + 1;
		s.b = strtod(at, &end);
	}
	if (value && (end == at || *end || s.a < 0)) {
		fprintf(stderr, "ternload: step %s: '%s' is no number\n", text, value);
		return -EINVAL;
	}
	if (ss->cnt == LOAD_STEPS_MAX) {
		fprintf(stderr, "ternload: more than %d steps\n", LOAD_STEPS_MAX);
		return -EINVAL;
	}
	ss->step[ss->cnt++] = s;
	return 0;
}

int
load_steps_parse(struct load_steps *ss, const char *text)
{
	char *copy = mem_strdup(MEM_OTHER, text), *save, *word;
	int err = 0;

	for (word = strtok_r(copy, ",", &save); word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = load_step_parse_one(ss, word);
	mem_free(MEM_OTHER, copy);
	return err;
}

void
load_steps_fini(struct load_steps *ss)
{
	uint32_t i;

	load_flood_fini(ss);
	for (i = 0; i < ss->cnt; i++) {
		mem_free(MEM_OTHER, ss->step[i].sample);
		mem_free(MEM_OTHER, ss->step[i].last);
	}
}

bool
load_steps_in_parts(const struct load_steps *ss)
{
	static const struct step_kind *const fit[] = { &step_announce, &step_settle,
		&step_hold, &step_churn, &step_mark };
	uint32_t i, k;

	for (i = 0; i < ss->cnt; i++) {
		for (k = 0; k < ARRAY_LEN(fit) && fit[k] != ss->step[i].kind; k++)
			;
		if (k < ARRAY_LEN(fit))
			continue;
		fprintf(stderr, "ternload: step %s doesn't go with --play\n",
		    ss->step[i].kind->name);
		return false;
	}
	return true;
}

/* Add up what all clients received, and what changed; @sign -1: remember the state at the
 * start. */
static void
load_step_count(struct load_run *r, struct load_step *s, uint64_t sign)
{
	uint32_t c;

	s->changes += sign * r->steps->changes;
	for (c = 0; c < r->clients; c++) {
		s->rx_octets += sign * r->client[c].rx_octets;
		s->rx_msgs += sign * r->client[c].rx_msgs;
		s->prefixes += sign * r->board.row[c].prefixes;
		s->withdrawn += sign * r->board.row[c].withdrawn;
		s->lacked += sign * r->board.row[c].lacked;
	}
}

static void
load_step_finish(struct load_run *r, struct load_step *s)
{
	uint64_t *took = mem_zalloc(MEM_OTHER, r->clients * sizeof(*took)), at;
	uint32_t c, cnt = 0;

	load_proc_usage(&s->usage, r->opt->pid, r->opt->pid_cnt);
	s->finished = true;
	s->end_ns = r->now;
	load_step_count(r, s, 1);
	for (c = 0; c < r->clients; c++) {
		if (r->client[c].elsewhere)
			continue;
		at = r->board.row[c].complete_ns;
		took[cnt++] = at > s->start_ns ? at - s->start_ns : 0;
	}
	load_sort(took, cnt);
	s->median_ns = load_percentile(took, cnt, 50);
	s->last_ns = took[cnt - 1];
	mem_free(MEM_OTHER, took);
}

/* What a step computes before it starts its clock doesn't count. */
void
load_steps_lag(struct load_steps *ss, uint64_t began_ns)
{
	struct load_step *s = &ss->step[ss->cur];
	uint64_t now = load_now();

	if (ss->cur < ss->cnt && s->started && s->start_ns <= began_ns &&
	    now - began_ns > s->lag_ns)
		s->lag_ns = now - began_ns;
}

/* is_timely - do latencies count, and so short turns for all clients? */
static bool
is_timely(const struct load_step *s)
{
	return s->kind == &step_busyflap || s->kind == &step_mark ||
	       s->kind == &step_irr || s->kind == &step_pair;
}

/* waits - must the start of @s be the same moment for all who play this run? Sessions
 * that announce by themselves have begun, and settling is everybody's own. */
static bool
load_step_waits(const struct load_run *r, const struct load_step *s)
{
	return r->opt->stepwise && s->kind != &step_settle &&
	       !(s->kind == &step_announce && r->opt->at_once);
}

uint64_t
load_steps_lacked(const struct load_run *r)
{
	uint64_t sum = 0;
	uint32_t c;

	for (c = 0; c < r->clients; c++)
		sum += r->board.row[c].lacked;
	return sum - r->steps->lacked_before;
}

bool
load_steps_tick(struct load_run *r)
{
	struct load_steps *ss = r->steps;
	struct load_step *s;

	if (!r->all_up_ns)
		return true;
	if (ss->rate > 0 && r->now - ss->rate_ns >= 10 * NS_MS) {
		load_churn(r,
		    (uint32_t)(ss->rate * (double)(r->now - ss->rate_ns) / (double)NS_S));
		ss->rate_ns = r->now;
	}
	load_beacon_tick(r);
	load_flood_tick(r);
	while (ss->cur < ss->cnt) {
		s = &ss->step[ss->cur];
		if (!s->started) {
			if (load_step_waits(r, s) && !load_gate_pass(r, s->kind->name))
				return true;
			s->started = true;
			r->rx_len = is_timely(s) ? LOAD_RX_SHORT : LOAD_RX_BUF;
			load_step_count(r, s, (uint64_t)-1);
			s->start_ns = r->now = load_now();
			s->kind->start(r, s);
		}
		if (!s->kind->done(r, s))
			return true;
		load_step_finish(r, s);
		ss->cur++;
		if (!ss->settled && s->kind == &step_settle) {
			ss->settled = true;
			ss->lacked_before = load_steps_lacked(r);
			r->fatal = (r->opt->hashes && load_dump_hashes(r)) || r->fatal;
		}
	}
	return false;
}
