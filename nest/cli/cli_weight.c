/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processor time that control clients owe, and the moment to yield (cli_weight.h).
 * Tested by test/unit/test_cli_weight.c.
 *
 * I1  `owing` counts the weights with debt (owed_ns not 0).
 *
 * Loop: see cli_weight.h. */
#include "nest/cli/cli_weight.h"
#include "lib/base/check.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define SHORT_NS   (NS_PER_MS / 5)
#define ALLOWED_NS (10 * NS_PER_MS)
#define LEAST_NS   NS_PER_MS /* least allowance of a client */
#define SHARE      16
/* Interval of looks at a debt: other clients may have paid. */
#define LOOK_NS (500 * NS_PER_MS)

static uint64_t
weight_owing_cnt(const struct cli_weights *all)
{
	return max_u64(counter32_get(&all->owing), 1);
}

/* weight_allowed_ns - allowed debt of one client of @all. */
static uint64_t
weight_allowed_ns(const struct cli_weights *all)
{
	return max_u64(ALLOWED_NS / weight_owing_cnt(all), LEAST_NS);
}

static void
weight_set_owed(struct cli_weight *cw, uint64_t owed_ns)
{
	if (owed_ns && !cw->owed_ns)
		counter32_add(&cw->all->owing, 1);
	else if (!owed_ns && cw->owed_ns)
		counter32_sub_acq_rel(&cw->all->owing, 1);
	cw->owed_ns = owed_ns;
}

/* cli_weight_pay - pay for the time since the last calculation. */
static void
cli_weight_pay(struct cli_weight *cw, uint64_t now_ns)
{
	uint64_t paid = (now_ns - cw->at_ns) / (SHARE * weight_owing_cnt(cw->all));

	weight_set_owed(cw, cw->owed_ns - min_u64(paid, cw->owed_ns));
	cw->at_ns = now_ns;
}

/* cli_weight_weigh - begin or end yielding, and set the timer for the expected end of the
 * debt. */
static void
cli_weight_weigh(struct cli_weight *cw)
{
	uint64_t until_ns = cw->owed_ns * SHARE * weight_owing_cnt(cw->all);

	if (!cw->owed_ns)
		worker_nice(cw->worker, false);
	else if (cw->owed_ns >= weight_allowed_ns(cw->all))
		worker_nice(cw->worker, true);
	if (cw->owed_ns)
		timer_set(&cw->rested, cw->at_ns + min_u64(until_ns, LOOK_NS));
}

static void
weight_rested_fired(struct timer *t)
{
	struct cli_weight *cw = container_of(t, struct cli_weight, rested);

	cli_weight_turn(cw, loop_now_ns(cw->worker), 0, false);
}

/* weight_pay_left - pay the debt of clients that left. */
static void
weight_pay_left(struct cli_weights *all, uint64_t now_ns)
{
	uint64_t paid = (now_ns - all->left_at_ns) / SHARE;

	all->left_ns -= min_u64(paid, all->left_ns);
	all->left_at_ns = now_ns;
}

void
cli_weight_init(
    struct cli_weight *cw, struct cli_weights *all, struct worker *w, uint64_t now_ns)
{
	weight_pay_left(all, now_ns);
	*cw = (struct cli_weight){ .all = all, .worker = w, .at_ns = now_ns };
	weight_set_owed(cw, min_u64(all->left_ns, weight_allowed_ns(all) - SHORT_NS));
}

void
cli_weight_start(struct cli_weight *cw)
{
	timer_init(&cw->rested, cw->worker, weight_rested_fired);
	cli_weight_weigh(cw); /* an idle client pays too */
}

void
cli_weight_turn(struct cli_weight *cw, uint64_t now_ns, uint64_t cpu_ns, bool junk)
{
	uint64_t more = junk ? cpu_ns : cpu_ns - min_u64(cpu_ns, SHORT_NS);

	cli_weight_pay(cw, now_ns);
	if (more)
		weight_set_owed(cw, min_u64(cw->owed_ns + more, 2 * ALLOWED_NS));
	cli_weight_weigh(cw);
}

void
cli_weight_end(struct cli_weight *cw)
{
	timer_cancel(&cw->rested);
}

void
cli_weight_left(struct cli_weight *cw, uint64_t now_ns)
{
	struct cli_weights *all = cw->all;

	weight_pay_left(all, now_ns);
	all->left_ns = min_u64(all->left_ns + cw->owed_ns, ALLOWED_NS);
	weight_set_owed(cw, 0);
}
