/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that change the server's policy: a mark on all that it sends, or what one
 * client's list of prefixes holds. ternload knows what comes of it; the command given as
 * --reload makes the daemon read its new configuration.
 *
 * The beacon shows whether clients are served meanwhile: one route that comes and goes
 * all the time, so that every client gets UPDATEs even when it has all else. What
 * clients hold of it doesn't count while it runs. */
#include "test/load/load_irr.h"
#include "test/load/load_step.h"

#include "lib/mem/mem.h"

#include <bsd/unistd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command knows the step's value by the name STEP. */
static void
load_step_policy_reload(struct load_run *r, const struct load_step *s)
{
	char value[32];

	if (!r->opt->reload)
		return;
	r->reload_pid = fork();
	if (r->reload_pid == 0) {
		dup2(2, 1);
		snprintf(value, sizeof(value), "%g", s->a);
		setenv("STEP", value, 1);
		closefrom(STDERR_FILENO + 1);
		execl("/bin/sh", "sh", "-c", r->opt->reload, (char *)NULL);
		_exit(127);
	}
	if (r->reload_pid < 0) {
		perror("ternload: --reload");
		r->reload_pid = 0;
		r->fatal = true;
	}
}

/* Has the command ended well? It may take as long as it likes. */
static void
watch_reload(struct load_run *r)
{
	int status;

	if (!r->reload_pid || waitpid(r->reload_pid, &status, WNOHANG) == 0)
		return;
	r->reload_pid = 0;
	if (status) {
		fprintf(stderr, "ternload: --reload failed with status %d\n", status);
		r->fatal = true;
	}
}

/* Everything is computed; from now on time runs. */
static void
start_clock(struct load_run *r, struct load_step *s)
{
	uint32_t c;

	s->start_ns = r->now = load_now();
	for (c = 0; c < r->clients; c++) {
		r->client[c].update_ns = r->now;
		r->client[c].gap_ns = 0;
	}
}

static void
mark_start(struct load_run *r, struct load_step *s)
{
	load_sets_mark(&r->sets, (uint32_t)s->a & 0xffff);
	load_model_decide_all(&r->model, r->now);
	start_clock(r, s);
	load_step_policy_reload(r, s);
}

/* The time from the last UPDATE on is a gap, too, for those who see the beacon. */
static void
note_gaps(struct load_run *r, struct load_step *s)
{
	uint64_t *gap = mem_zalloc(MEM_OTHER, r->clients * sizeof(*gap));
	uint32_t c, cnt = 0, source = LOAD_NONE;

	if (r->steps->beacon > 0)
		source = r->model.route[r->steps->beacon_route].client;
	for (c = 0; c < r->clients; c++) {
		uint64_t last = r->now - r->client[c].update_ns;

		if (c == source)
			continue;
		gap[cnt] = r->client[c].gap_ns;
		if (source != LOAD_NONE && last > gap[cnt])
			gap[cnt] = last;
		cnt++;
	}
	load_sort(gap, cnt);
	s->gap_median_ns = load_percentile(gap, cnt, 50);
	s->gap_ns = load_percentile(gap, cnt, 100);
	mem_free(MEM_OTHER, gap);
}

static bool
policy_done(struct load_run *r, struct load_step *s)
{
	watch_reload(r);
	if (!load_steps_quiet(r) || r->reload_pid)
		return false;
	note_gaps(r, s);
	return true;
}

void
load_step_unlist(struct load_run *r, uint32_t cnt)
{
	const struct load_client *c = &r->client[0];
	uint32_t i;

	for (i = 0; i < c->route_cnt; i++)
		r->model.route[c->route[i]].refused = i < cnt;
}

static void
unlisted_start(struct load_run *r, struct load_step *s)
{
	load_step_unlist(r, (uint32_t)s->a);
	load_model_decide_all(&r->model, r->now);
	start_clock(r, s);
	load_step_policy_reload(r, s);
}

static void
irr_start(struct load_run *r, struct load_step *s)
{
	load_irr_apply(r, (uint32_t)s->a);
	load_model_decide_all(&r->model, r->now);
	start_clock(r, s);
	load_step_policy_reload(r, s);
}

static void
beacon_now(struct load_run *r, uint32_t set)
{
	uint32_t route = r->steps->beacon_route;
	struct load_client *c = &r->client[r->model.route[route].client];

	load_model_set(&r->model, route, set, r->now);
	if (c->state == CL_ESTABLISHED)
		load_update_send(r, c, &route, 1);
	r->steps->changes++;
}

void
load_beacon_tick(struct load_run *r)
{
	struct load_steps *ss = r->steps;

	if (ss->beacon <= 0 ||
	    (double)(r->now - ss->beacon_ns) * ss->beacon < (double)NS_S)
		return;
	ss->beacon_ns = r->now;
	beacon_now(r, r->model.route[ss->beacon_route].set ? 0 : ss->beacon_set);
}

/* It stops with its route as it was, and what clients hold of it counts again. */
static void
beacon_start(struct load_run *r, struct load_step *s)
{
	struct load_steps *ss = r->steps;

	if (ss->beacon > 0) {
		ss->beacon = 0;
		beacon_now(r, ss->beacon_set);
		load_board_loosen(&r->board, LOAD_NONE, r->now);
	}
	if (s->a <= 0)
		return;
	if (r->pair) {
		fprintf(stderr, "ternload: no beacon with --pair\n");
		r->fatal = true;
		return;
	}
	ss->beacon_route = load_choose_route(r, false);
	if (ss->beacon_route == LOAD_NONE) {
		fprintf(stderr, "ternload: no route will do as a beacon\n");
		r->fatal = true;
		return;
	}
	ss->beacon = s->a;
	ss->beacon_ns = r->now;
	ss->beacon_set = r->model.route[ss->beacon_route].set;
	load_board_loosen(&r->board, r->model.route[ss->beacon_route].net, r->now);
}

static bool
at_once(struct load_run *r, struct load_step *s)
{
	(void)r;
	(void)s;
	return true;
}

const struct step_kind step_beacon = { "beacon",
	"N: from now on one route changes N times a second (0: no more)", 10,
	beacon_start, at_once };
const struct step_kind step_mark = { "mark",
	"N: --reload makes the server add community (server AS, N) to all routes sent", 1,
	mark_start, policy_done };
const struct step_kind step_irr = { "irr",
	"N: --reload makes the server take lists and community of its Nth reload (--irr)",
	1, irr_start, policy_done };
const struct step_kind step_unlisted = { "unlisted",
	"N: --reload takes the first N prefixes of client 0 from its list", 1,
	unlisted_start, policy_done };
