/* SPDX-License-Identifier: GPL-3.0-or-later */
/* epoll and ppoll: the events of many files.
 *
 * I1  An epoll names files, not numbers. The last close of a file takes the file out of
 *     each epoll.
 * I2  Each choice of a task asks every waiting epoll for events, so an epoll without
 *     events remembers the answer: "no event before quiet_ns, unless a watched file
 *     changes" (sim_file_changed). A debug build asks all files and compares.
 * I3  A call of ppoll is an epoll without a descriptor, which lives as long as the call.
 *     If the daemon of the caller ends first, sim_poll_end frees the epoll.
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/sim_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#define WATCH_MAX 4096

struct item {
	struct sim_file *file; /* NULL: free */
	uint32_t events;
	bool done; /* EPOLLONESHOT has been reported */
	epoll_data_t data;
};

/* owner: the descriptor, or a call of ppoll (I3). lives: until the last close; until the
 * call ends. */
struct epoll {
	struct sim_file f;
	struct epoll *next;
	uint64_t quiet_ns; /* no event holds before (I2); 0: unknown */
	unsigned call_of; /* the daemon whose call of ppoll waits; 0: a descriptor */
	unsigned cnt, cap; /* cap: WATCH_MAX at most */
	struct item *item;
};

void
sim_file_changed(struct sim_file *f)
{
	if (f->watcher)
		f->watcher->quiet_ns = 0;
}

void
sim_all_files_changed(void)
{
	for (struct epoll *e = sim->epolls; e; e = e->next)
		e->quiet_ns = 0;
}

void
sim_epoll_forget(struct sim_file *f)
{
	for (struct epoll *e = sim->epolls; e; e = e->next)
		for (unsigned i = 0; i < e->cnt; i++)
			if (e->item[i].file == f)
				e->item[i].file = NULL;
	f->watcher = NULL;
}

static struct epoll *
epoll_new(void)
{
	struct epoll *e = calloc(1, sizeof(*e));

	e->next = sim->epolls;
	sim->epolls = e;
	return e;
}

static void
epoll_free(struct epoll *e)
{
	struct epoll **at = &sim->epolls;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	for (unsigned i = 0; i < e->cnt; i++)
		if (e->item[i].file && e->item[i].file->watcher == e)
			e->item[i].file->watcher = NULL;
	free(e->item);
	free(e);
}

static void
epoll_close(struct sim_file *f)
{
	epoll_free((struct epoll *)f);
}

void
sim_poll_end(unsigned daemon)
{
	struct epoll *e, *next;

	for (e = sim->epolls; e; e = next) {
		next = e->next;
		if (e->call_of == daemon)
			epoll_free(e);
	}
}

static short
no_events(struct sim_file *f)
{
	(void)f;
	return 0;
}

static const struct sim_file_ops epoll_ops = {
	.name = "epoll", .events = no_events, .close = epoll_close
};

int
__wrap_epoll_create1(int flags)
{
	struct epoll *e = epoll_new();

	(void)flags;
	e->f.ops = &epoll_ops;
	return sim_fd_new(&e->f, false);
}

/* epoll_get - NULL: no descriptor of the simulation. */
static struct epoll *
epoll_get(int fd)
{
	struct epoll *e = (struct epoll *)sim_fd_get(fd);

	if (!e)
		errno = EBADF;
	return e;
}

static struct item *
item_find(struct epoll *e, struct sim_file *f)
{
	for (unsigned i = 0; i < e->cnt; i++)
		if (e->item[i].file == f)
			return &e->item[i];
	return NULL;
}

/* item_new - a place without a file. */
static struct item *
item_new(struct epoll *e)
{
	if (e->cnt == e->cap) {
		if (e->cap == WATCH_MAX)
			sim_fail("more than WATCH_MAX descriptors in one epoll");
		e->cap = e->cap ? e->cap * 2 : 8;
		e->item = reallocarray(e->item, e->cap, sizeof(*e->item));
	}
	e->item[e->cnt] = (struct item){ .file = NULL };
	return &e->item[e->cnt++];
}

/* epoll_watches - @e is the epoll that asks for the events of @f. */
static void
epoll_watches(struct epoll *e, struct sim_file *f)
{
	if (f->watcher && f->watcher != e) {
		sim_file_changed(f); /* the other epoll remembers no file of two */
		f->has_watchers = true;
	}
	f->watcher = e;
}

int
__wrap_epoll_ctl(int epoll_fd, int op, int fd, struct epoll_event *ev)
{
	struct epoll *e = epoll_get(epoll_fd);
	struct sim_file *f = sim_fd_get(fd);
	struct item *i;

	if (!e || !f) {
		errno = EBADF;
		return -1;
	}
	i = item_find(e, f);
	if ((op == EPOLL_CTL_ADD) == (i != NULL)) {
		errno = i ? EEXIST : ENOENT;
		return -1;
	}
	if (op == EPOLL_CTL_ADD) {
		i = item_find(e, NULL);
		if (!i)
			i = item_new(e);
	}
	e->quiet_ns = 0;
	epoll_watches(e, f);
	if (op == EPOLL_CTL_DEL)
		f->watcher = NULL;
	*i = (struct item){ .file = op == EPOLL_CTL_DEL ? NULL : f };
	if (op != EPOLL_CTL_DEL) {
		i->events = ev->events;
		i->data = ev->data;
	}
	return 0;
}

static uint32_t
item_events(const struct item *i)
{
	if (!i->file || i->done)
		return 0;
	return (uint32_t)i->file->ops->events(i->file) &
	       (i->events | EPOLLERR | EPOLLHUP);
}

/* item_quiet_ns - the item has no event before that time, unless the file changes. */
static uint64_t
item_quiet_ns(const struct item *i)
{
	if (!i->file || i->done)
		return SIM_NEVER;
	return i->file->ops->quiet_ns && !i->file->has_watchers
		   ? i->file->ops->quiet_ns(i->file)
		   : 0;
}

static bool
epoll_ask_all(struct epoll *e)
{
	uint64_t quiet_ns = SIM_NEVER, at_ns;

	for (unsigned i = 0; i < e->cnt; i++) {
		if (item_events(&e->item[i]))
			return true;
		at_ns = item_quiet_ns(&e->item[i]);
		if (at_ns < quiet_ns)
			quiet_ns = at_ns;
	}
	e->quiet_ns = quiet_ns;
	return false;
}

static bool
epoll_any(void *arg)
{
	struct epoll *e = arg;

	if (sim_now() >= e->quiet_ns)
		return epoll_ask_all(e);
#ifdef TERN_DEBUG
	if (epoll_ask_all(e))
		sim_fail("an event that no sim_file_changed announced");
#endif
	return false;
}

/* collect - the events, beginning at a drawn place. */
static int
epoll_collect(struct epoll *e, struct epoll_event *out, int max)
{
	unsigned from = e->cnt ? (unsigned)sim_random(e->cnt) : 0;
	int n = 0;

	for (unsigned k = 0; k < e->cnt && n < max; k++) {
		struct item *i = &e->item[(from + k) % e->cnt];
		uint32_t events = item_events(i);

		if (!events)
			continue;
		i->done = i->events & EPOLLONESHOT;
		out[n].events = events;
		out[n++].data = i->data;
	}
	return n;
}

static void
epoll_wait_until(struct epoll *e, uint64_t until_ns)
{
	if (until_ns > sim_now())
		sim_wait(epoll_any, e, until_ns);
	else
		sim_step();
}

static uint64_t
epoll_until_ns(const struct timespec *ts)
{
	return ts ? sim_now() + (uint64_t)ts->tv_sec * SIM_S + (uint64_t)ts->tv_nsec
		  : SIM_NEVER;
}

static int
epoll_until(int fd, struct epoll_event *out, int max, uint64_t until_ns)
{
	struct epoll *e = epoll_get(fd);

	if (!e)
		return -1;
	epoll_wait_until(e, until_ns);
	return epoll_collect(e, out, max);
}

int
__wrap_epoll_pwait2(
    int fd, struct epoll_event *out, int max, const struct timespec *ts, const void *set)
{
	(void)set;
	return epoll_until(fd, out, max, epoll_until_ns(ts));
}

int
__wrap_epoll_wait(int fd, struct epoll_event *out, int max, int timeout_ms)
{
	return epoll_until(fd, out, max,
	    timeout_ms < 0 ? SIM_NEVER : sim_now() + (uint64_t)timeout_ms * SIM_MS);
}

int
__wrap_ppoll(struct pollfd *p, nfds_t cnt, const struct timespec *ts, const void *set)
{
	struct epoll *e = epoll_new();
	int n = 0;

	(void)set;
	e->call_of = sim_task_daemon(sim_self());
	for (nfds_t i = 0; i < cnt; i++) {
		struct item *it = item_new(e);

		it->file = p[i].fd < 0 ? NULL : sim_fd_get(p[i].fd);
		it->events = (uint32_t)p[i].events;
		if (it->file)
			epoll_watches(e, it->file);
	}
	epoll_wait_until(e, epoll_until_ns(ts));
	for (nfds_t i = 0; i < cnt; i++) {
		p[i].revents = (short)item_events(&e->item[i]);
		n += p[i].revents != 0;
	}
	epoll_free(e);
	return n;
}
