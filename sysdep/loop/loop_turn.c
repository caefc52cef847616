/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns of workers: a worker of a loop gets a turn in this round, or in the next round if
 * the turns have begun. The thread of the loop calls. Tested by test/unit/test_loop.c. */
#include "sysdep/loop/loop_priv.h"
#include "lib/base/list.h"
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

void
loop_add_turn(struct loop *l, struct worker *w)
{
	if (list_empty(&w->turn))
		list_add_tail(w->first ? &l->first : &l->turns, &w->turn);
}

void
worker_again(struct worker *w)
{
	DCHECK(loop_is_mine(w->loop));
	w->again = true;
	loop_add_turn(w->loop, w);
}
