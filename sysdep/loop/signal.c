/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals by signalfd: no handler runs anywhere, so nothing is interrupted. Loop: the
 * worker's; signal_block runs before other threads exist. */
#include "sysdep/loop/signal.h"
#include "sysdep/os/os_fd.h"
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void
signal_make_set(sigset_t *set, const int *signo, unsigned cnt)
{
	sigemptyset(set);
	for (unsigned i = 0; i < cnt; i++)
		sigaddset(set, signo[i]);
}

static void
signal_ready(struct watch *wa, uint32_t events)
{
	struct signal_watch *s = container_of(wa, struct signal_watch, watch);
	struct signalfd_siginfo info;

	(void)events;
	while (s->fd >= 0 && read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		s->got(s, (int)info.ssi_signo);
}

void
signal_block(const int *signo, unsigned cnt)
{
	sigset_t set;

	signal_make_set(&set, signo, cnt);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* writing beyond a limit is an error, not the end */
}

int
signal_watch_open(struct signal_watch *s, struct worker *w, const int *signo,
    unsigned cnt, void (*got)(struct signal_watch *s, int signo))
{
	sigset_t set;

	signal_make_set(&set, signo, cnt);
	memset(s, 0, sizeof(*s));
	s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	s->got = got;
	watch_add(&s->watch, w, os_fd_of(s->fd), WATCH_READ, signal_ready);
	return 0;
}

void
signal_watch_close(struct signal_watch *s)
{
	if (!s->got || s->fd < 0)
		return;
	watch_del(&s->watch);
	close(s->fd);
	s->fd = -1;
}
