/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of ternload without sockets, for tests of its steps: clients that the test brings
 * up and down, and a board that it fills in the server's place. */
#ifndef TERN_TEST_LIB_LOAD_RIG_H
#define TERN_TEST_LIB_LOAD_RIG_H

#include "test/lib/unit.h"
#include "test/load/load_setup.h"

struct load_rig {
	struct load_opt opt;
	struct load_run run;
	struct load_steps steps;
};

/* rig_up - a run with the @cnt words of @argv as its command line; all clients are
 * established. */
static inline void
load_rig_up(struct load_rig *g, const char *const *argv, int cnt)
{
	uint32_t c;

	memset(g, 0, sizeof(*g));
	assert_int_equal(load_opt_parse(&g->opt, cnt, (char **)argv), 0);
	g->run.opt = &g->opt;
	g->run.steps = &g->steps;
	assert_int_equal(load_setup(&g->run, NULL), 0);
	g->run.now = load_now();
	for (c = 0; c < g->opt.clients; c++)
		g->run.client[c].state = CL_ESTABLISHED;
	g->run.up_cnt = g->opt.clients;
}

static inline void
load_rig_down(struct load_rig *g)
{
	uint32_t c;

	for (c = 0; c < g->opt.clients; c++)
		g->run.client[c].state = CL_IDLE;
	load_setup_fini(&g->run);
}

/* rig_serve - client @c gets what it doesn't hold yet, if it is up. */
static inline void
rig_serve(struct load_rig *g, uint32_t c)
{
	uint32_t n;

	if (g->run.client[c].state != CL_ESTABLISHED)
		return;
	for (n = 0; n < g->run.nets.cnt; n++)
		load_board_receive(&g->run.board, c, n,
		    load_board_expected(&g->run.board, c, n), g->run.now);
}

static inline void
rig_serve_all(struct load_rig *g)
{
	uint32_t c;

	for (c = 0; c < g->opt.clients; c++)
		rig_serve(g, c);
}

#endif
