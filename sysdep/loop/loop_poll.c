/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors of a loop: which descriptors are ready, and the watches of workers.
 *
 * A loop that was made for one worker watches few descriptors and calls ppoll, so the
 * loop needs no descriptor of an epoll. From the watch number FEW_CNT + 1 on, and for a
 * loop that workers share, an epoll holds the watches. If the system refuses an epoll,
 * the loop goes on with ppoll.
 *
 * I1  A removed descriptor gets no callback, though the kernel may have reported the
 *     descriptor in this round: watch_del looks through the waiting events.
 * I2  The kernel always reports errors and hang-ups. A watch without interest gets one
 *     report of an error, because a handler that ignores the report would keep the loop
 *     from sleeping. With epoll, EPOLLONESHOT ensures this; with ppoll, the field `told`.
 * I3  With ppoll, a lender cannot change the set for which the owner sleeps. A lender
 *     that changes a watch therefore asks for a turn in the owner's thread, and the
 *     owner's next call of ppoll has the change.
 * I4  The owner reads the watches for ppoll before the owner parks, and writes the events
 *     after the end of the lease (loop_lease.c).
 *
 * Loop: the loop's thread; a lender calls watch_set. Tested by test/unit/test_loop.c. */
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_priv.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define FEW_CNT 8

_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLERR == EPOLLERR &&
		   POLLHUP == EPOLLHUP,
    "events of ppoll and epoll have the same values");

static uint32_t
poll_interest(const struct watch *wa)
{
	return (wa->events & WATCH_READ ? EPOLLIN : 0u) |
	       (wa->events & WATCH_WRITE ? EPOLLOUT : 0u);
}

/* ---- epoll ---- */

static void
poll_epoll_control(struct loop *l, struct watch *wa, int op)
{
	struct epoll_event e = { .events = poll_interest(wa), .data.ptr = wa };

	if (!e.events)
		e.events = EPOLLONESHOT; /* I2 */
	/* The call fails only without kernel memory or for a descriptor that cannot be
	 * polled. */
	ASSERT(epoll_ctl(l->fds.epoll_fd, op, wa->fd.os_nr, &e) == 0);
}

/* poll_epoll_new - an epoll with the socketpair. Returns: true: the loop has an epoll. */
static bool
poll_epoll_new(struct loop *l)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = l };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0)
		return false;
	if (epoll_ctl(fd, EPOLL_CTL_ADD, l->wake_rd, &e)) {
		close(fd);
		return false;
	}
	l->fds.epoll_fd = fd;
	return true;
}

/* poll_to_epoll - put all watches but the newest, @but, into a new epoll. */
static void
poll_to_epoll(struct loop *l, const struct watch *but)
{
	struct list *n, *k;

	if (!poll_epoll_new(l))
		return;
	list_for_each (n, &l->workers)
		list_for_each (k, &container_of(n, struct worker, link)->watches) {
			struct watch *wa = container_of(k, struct watch, link);

			if (wa != but)
				poll_epoll_control(l, wa, EPOLL_CTL_ADD);
		}
}

static int
poll_epoll_wait(struct loop *l, const struct timespec *ts, uint64_t wait_ns)
{
	int cnt = -1;

	if (!l->no_pwait2) {
		cnt = epoll_pwait2(
		    l->fds.epoll_fd, l->events.at, LOOP_EVENT_CNT, ts, NULL);
		l->no_pwait2 = cnt < 0 && errno == ENOSYS;
	}
	if (l->no_pwait2) {
		uint64_t wait_ms = wait_ns / NS_PER_MS + (wait_ns % NS_PER_MS != 0);

		cnt = epoll_wait(l->fds.epoll_fd, l->events.at, LOOP_EVENT_CNT,
		    ts ? (int)min_u64(wait_ms, INT32_MAX) : -1);
	}
	return cnt;
}

/* ---- ppoll ---- */

static void
poll_ask(struct loop *l, int fd, uint32_t events, struct watch *wa)
{
	struct loop_fds *f = &l->fds;
	uint32_t cap = f->cap;

	f->ask = vec_room(MEM_LOOP, f->ask, &cap, f->ask_cnt + 1, sizeof(*f->ask));
	f->asked = vec_room(
	    MEM_LOOP, f->asked, &f->cap, f->ask_cnt + 1, sizeof(*f->asked));
	f->ask[f->ask_cnt] = (struct pollfd){ .fd = fd, .events = (short)events };
	f->asked[f->ask_cnt++] = wa;
}

void
loop_poll_prepare(struct loop *l)
{
	struct list *n, *k;

	if (l->fds.epoll_fd >= 0)
		return;
	l->fds.ask_cnt = 0;
	poll_ask(l, l->wake_rd, EPOLLIN, NULL);
	list_for_each (n, &l->workers)
		list_for_each (k, &container_of(n, struct worker, link)->watches) {
			struct watch *wa = container_of(k, struct watch, link);

			if (!wa->told)
				poll_ask(l, wa->fd.os_nr, poll_interest(wa), wa);
		}
}

int
loop_poll_wait(struct loop *l, uint64_t wait_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)min_u64(wait_ns / NS_PER_S, INT32_MAX),
		.tv_nsec = (long)(wait_ns % NS_PER_S),
	}, *until = wait_ns == UINT64_MAX ? NULL : &ts;
	int cnt;

	if (l->fds.epoll_fd >= 0)
		cnt = poll_epoll_wait(l, until, wait_ns);
	else
		cnt = ppoll(l->fds.ask, l->fds.ask_cnt, until, NULL);
	return cnt < 0 ? 0 : cnt;
}

int
loop_poll_collect(struct loop *l, int cnt)
{
	const struct loop_fds *f = &l->fds;
	int found = 0;

	if (f->epoll_fd >= 0)
		return cnt;
	if (cnt > LOOP_EVENT_CNT)
		cnt = LOOP_EVENT_CNT;
	for (uint32_t i = 0; i < f->ask_cnt && found < cnt; i++) {
		struct watch *wa = f->asked[i];

		if (!f->ask[i].revents)
			continue;
		if (wa)
			wa->told = !wa->events; /* I2 */
		l->events.at[found].events = (uint32_t)f->ask[i].revents;
		l->events.at[found++].data.ptr = wa ? (void *)wa : l;
	}
	return found;
}

/* ---- the watches ---- */

void
watch_add(struct watch *wa, struct worker *w, struct os_fd fd, uint32_t events,
    void (*ready)(struct watch *wa, uint32_t events))
{
	struct loop *l = w->loop;

	DCHECK(loop_is_mine(l) && !worker_is_lent(w));
	ASSERT(!w->stopping);
	wa->fd = fd;
	wa->events = events;
	wa->told = false;
	wa->worker = w;
	wa->ready = ready;
	list_add_tail(&w->watches, &wa->link);
	if (++l->fds.watch_cnt > FEW_CNT && l->fds.epoll_fd < 0)
		poll_to_epoll(l, wa);
	if (l->fds.epoll_fd >= 0)
		poll_epoll_control(l, wa, EPOLL_CTL_ADD);
}

void
watch_set(struct watch *wa, uint32_t events)
{
	struct loop *l;

	if (!os_fd_is_open(wa->fd) || wa->events == events)
		return;
	l = wa->worker->loop;
	DCHECK(loop_is_mine(l));
	wa->events = events;
	wa->told = false;
	if (l->fds.epoll_fd >= 0)
		poll_epoll_control(l, wa, EPOLL_CTL_MOD);
	else if (worker_is_lent(wa->worker))
		worker_again(wa->worker); /* I3 */
}

void
watch_lost(struct watch *wa)
{
	struct loop *l = wa->worker->loop;

	for (int i = l->events.pos; i < l->events.cnt; i++) /* I1 */
		if (l->events.at[i].data.ptr == wa)
			l->events.at[i].data.ptr = NULL;
	list_del(&wa->link);
	wa->fd = OS_FD_NONE;
	l->fds.watch_cnt--;
}

void
watch_del(struct watch *wa)
{
	if (!os_fd_is_open(wa->fd) || !wa->worker)
		return;
	/* The owner's thread may be about to get an event of the watch. */
	DCHECK(!worker_is_lent(wa->worker));
	if (wa->worker->loop->fds.epoll_fd >= 0)
		poll_epoll_control(wa->worker->loop, wa, EPOLL_CTL_DEL);
	watch_lost(wa);
}

/* ---- begin and end ---- */

bool
loop_poll_init(struct loop *l, bool few)
{
	l->fds.epoll_fd = -1;
	return few || poll_epoll_new(l);
}

void
loop_poll_fini(struct loop *l)
{
	if (l->fds.epoll_fd >= 0)
		close(l->fds.epoll_fd);
	mem_free(MEM_LOOP, l->fds.ask);
	mem_free(MEM_LOOP, l->fds.asked);
}
