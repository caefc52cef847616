/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sleep of a loop, and the stack of the loop's thread during a long sleep.
 *
 * A turn uses more stack than a sleeping thread needs. A thread that has slept for a
 * while returns the pages below the present frame to the system, and sleeps on. A busy
 * loop does not sleep that long and pays nothing.
 *
 * I1  The loop may be parked, and a lender may run the worker (loop_lease.c). The thread
 *     therefore touches only its stack and the descriptors that loop_poll_prepare noted.
 * I2  MARGIN octets below the frame stay: the frames of the system call lie there.
 *     Signals are blocked in the threads of loops, so no handler uses the octets below.
 *
 * Loop: the loop's thread. Tested by test/unit/test_loop_stack.c. */
#include "lib/base/check.h"
#include "sysdep/loop/loop_priv.h"
#include "sysdep/os/os.h"

#define MARGIN (1024 * STACK_FACTOR)

/* stack_return - not inlined: the frame must lie below the frames of all callers. */
static __attribute__((noinline)) void
stack_return(const struct loop *l)
{
	uint8_t *base = l->pool.stack;
	size_t unused = (size_t)((uint8_t *)__builtin_frame_address(0) - base);

	DCHECK(unused > MARGIN && unused < l->pool.stack_len);
	os_return_pages(base, unused - MARGIN);
}

int
loop_rest(struct loop *l, uint64_t rest_ns, uint64_t wait_ns)
{
	int cnt;

	if (!l->pool.stack || wait_ns <= rest_ns)
		return loop_poll_wait(l, wait_ns);
	cnt = loop_poll_wait(l, rest_ns);
	if (cnt)
		return cnt;
	stack_return(l);
	return loop_poll_wait(l, wait_ns == UINT64_MAX ? wait_ns : wait_ns - rest_ns);
}
