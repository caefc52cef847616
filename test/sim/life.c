/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lives of the daemon: ternd's main as a task, its end, a crash, a new start.
 *
 * I1  Before the first life the program's static data (.data and .bss) is copied. Each
 *     life begins with that copy, so that a life finds what a new process finds. The
 *     heap of a life that crashed is lost, as memory is.
 * I2  The simulation's state hangs off the pointer `sim`, the one word that survives. */
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

int ternd_main(int argc, char **argv);

extern char __data_start[], _end[];

#define SIGNAL_MAX 8

struct sim_life {
	char *image;
	bool runs, recovers;
	int status;
	int signals[SIGNAL_MAX]; /* pending */
	unsigned signal_cnt;
};

static struct sim_life *
life(void)
{
	return sim_root(&sim->life, sizeof(struct sim_life));
}

/* restore - static data as before the first life (I1, I2). */
__attribute__((no_sanitize("address"))) static void
restore(void)
{
	struct sim_state *keep = sim;
	size_t len = (size_t)(_end - __data_start);
	struct sim_life *l = life();

	if (!l->image) {
		l->image = malloc(len);
		memcpy(l->image, __data_start, len);
		return;
	}
	memcpy(__data_start, l->image, len);
	sim = keep;
}

static void *
daemon_task(void *arg)
{
	static char *argv[] = { "ternd", "-f", "-c", "/sim/tern.conf", "-s",
		"/sim/tern.ctl", NULL, NULL };
	int argc = 6;

	(void)arg;
	if (life()->recovers)
		argv[argc++] = "-R";
	argv[argc] = NULL;
	optind = 0;
	life()->status = ternd_main(argc, argv);
	life()->runs = false;
	sim_event("ternd ends with %d", life()->status);
	return NULL;
}

void
sim_daemon_start(const char *more)
{
	struct sim_life *l = life();

	if (l->runs)
		sim_fail("a second ternd");
	restore();
	l->runs = true;
	l->recovers = more && !strcmp(more, "-R");
	l->status = -1;
	l->signal_cnt = 0;
	sim_task_new("ternd", true, daemon_task, NULL);
}

void
sim_daemon_crash(void)
{
	sim_event("ternd crashes");
	sim_kill_daemon();
	sim->reap = true;
	sim_net_reset_daemon();
	sim_fd_drop_daemon();
	life()->runs = false;
}

bool
sim_daemon_runs(void)
{
	return life()->runs;
}

int
sim_daemon_status(void)
{
	return life()->status;
}

/* ternd ends by exit or _exit in some cases: the task ends, not the world. */
void __real_exit(int status) __attribute__((noreturn));

void
__wrap_exit(int status)
{
	if (!sim || !sim_self() || !sim_task_is_daemon(sim_self()))
		__real_exit(status);
	life()->status = status;
	life()->runs = false;
	sim_event("ternd exits with %d", status);
	sim_exit();
}

void
__wrap__exit(int status)
{
	__wrap_exit(status);
}

/* ---- signals ---- */

static short
signal_events(struct sim_file *f)
{
	(void)f;
	return life()->signal_cnt ? POLLIN : 0;
}

static ssize_t
signal_read(struct sim_file *f, void *buf, size_t len, int flags)
{
	struct sim_life *l = life();
	struct signalfd_siginfo info = { 0 };

	(void)f;
	(void)flags;
	if (!l->signal_cnt || len < sizeof(info)) {
		errno = EAGAIN;
		return -1;
	}
	info.ssi_signo = (uint32_t)l->signals[0];
	memmove(l->signals, l->signals + 1, --l->signal_cnt * sizeof(l->signals[0]));
	memcpy(buf, &info, sizeof(info));
	return sizeof(info);
}

static void
signal_close(struct sim_file *f)
{
	free(f);
}

static const struct sim_file_ops signal_ops = { .name = "signals",
	.events = signal_events,
	.read = signal_read,
	.close = signal_close };

int
__wrap_signalfd(int fd, const sigset_t *set, int flags)
{
	struct sim_file *f = calloc(1, sizeof(*f));

	(void)fd;
	(void)set;
	f->ops = &signal_ops;
	return sim_fd_new(f, flags & SFD_NONBLOCK);
}

void
sim_signal(int signo)
{
	struct sim_life *l = life();

	sim_event("signal %d", signo);
	if (l->signal_cnt < SIGNAL_MAX)
		l->signals[l->signal_cnt++] = signo;
}

sighandler_t
__wrap_signal(int signo, sighandler_t handler)
{
	(void)signo;
	(void)handler;
	return SIG_DFL;
}
