/* SPDX-License-Identifier: GPL-3.0-or-later */
/* epoll: the events of many files.
 *
 * I1  An epoll names files, not numbers. The last close of a file takes the file out of
 *     each epoll.
 * I2  Each choice of a task asks every waiting epoll for events, so an epoll without
 *     events remembers the answer: "no event before quiet_ns, unless a watched file
 *     changes" (sim_file_changed). A debug build asks all files and compares.
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/sim_priv.h"

#include <errno.h>
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

/* owner: the descriptor. lives: until the last close. */
struct epoll {
	struct sim_file f;
	struct epoll *next;
	uint64_t quiet_ns; /* no event holds before (I2); 0: unknown */
	unsigned cnt;
	struct item item[WATCH_MAX];
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

static void
epoll_close(struct sim_file *f)
{
	struct epoll *e = (struct epoll *)f, **at = &sim->epolls;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	for (unsigned i = 0; i < e->cnt; i++)
		if (e->item[i].file && e->item[i].file->watcher == e)
			e->item[i].file->watcher = NULL;
	free(e);
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
	struct epoll *e = calloc(1, sizeof(*e));

	(void)flags;
	e->f.ops = &epoll_ops;
	e->next = sim->epolls;
	sim->epolls = e;
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
		if (!i && e->cnt == WATCH_MAX)
			sim_fail("more than WATCH_MAX descriptors in one epoll");
		if (!i)
			i = &e->item[e->cnt++];
	}
	e->quiet_ns = 0;
	if (f->watcher && f->watcher != e) {
		sim_file_changed(f); /* the other epoll remembers no file of two */
		f->has_watchers = true;
	}
	f->watcher = op == EPOLL_CTL_DEL ? NULL : e;
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

static int
epoll_until(int fd, struct epoll_event *out, int max, uint64_t until_ns)
{
	struct epoll *e = epoll_get(fd);

	if (!e)
		return -1;
	if (until_ns > sim_now())
		sim_wait(epoll_any, e, until_ns);
	else
		sim_step();
	return epoll_collect(e, out, max);
}

int
__wrap_epoll_pwait2(
    int fd, struct epoll_event *out, int max, const struct timespec *ts, const void *set)
{
	(void)set;
	return epoll_until(fd, out, max,
	    ts ? sim_now() + (uint64_t)ts->tv_sec * SIM_S + (uint64_t)ts->tv_nsec
	       : SIM_NEVER);
}

int
__wrap_epoll_wait(int fd, struct epoll_event *out, int max, int timeout_ms)
{
	return epoll_until(fd, out, max,
	    timeout_ms < 0 ? SIM_NEVER : sim_now() + (uint64_t)timeout_ms * SIM_MS);
}
