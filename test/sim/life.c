/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lives of daemons: ternd's main as a task, its end, a crash, a new start.
 *
 * I1  Before the first life the simulation copies the program's static data (.data and
 *     .bss). Each life begins with the copy, and therefore finds the data of a new
 *     process. A crash loses the heap of the life, like a real crash.
 * I2  The simulation's state hangs off the pointer `sim`, the only surviving word.
 * I3  The static data in place belong to the daemon `inside`. The scheduler calls
 *     sim_life_enter before a task of a daemon runs; the data of all further daemons lie
 *     in their images. */
#include "lib/mem/mem.h"
#include "sysdep/os/sandbox.h"
#include "test/sim/script.h"
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
int ternshadow_main(int argc, char **argv);
int ternload_main(int argc, char **argv);
void __gcov_dump(void) __attribute__((weak));
int __real_close(int fd);

extern char __data_start[], _end[];

#define SIGNAL_MAX 8

/* Programs besides ternd that a life may be of. */
static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} programs[] = { { "ternshadow", ternshadow_main }, { "ternload", ternload_main } };

struct life {
	char *
	    image; /* the static data while another daemon is inside; NULL: no life yet */
	bool runs;
	int status;
	struct sim_launch how;
	int signals[SIGNAL_MAX]; /* pending */
	unsigned signal_cnt;
};

struct sim_life {
	char *pristine; /* I1 */
	unsigned inside; /* I3; 0: none yet */
	struct life of[SIM_DAEMON_MAX];
};

static struct sim_life *
life_lives(void)
{
	return sim_root(&sim->life, sizeof(struct sim_life));
}

static struct life *
sim_life_of(unsigned daemon)
{
	return &life_lives()->of[daemon];
}

/* copy - octets of static data; the sanitizer's gaps between variables included, which
 * the sanitizer's memcpy refuses to read. */
__attribute__((no_sanitize("address"))) static void
life_copy(char *to, const char *from)
{
	size_t len = (size_t)(_end - __data_start);

#if defined(__SANITIZE_ADDRESS__)
	for (size_t i = 0; i + sizeof(uint64_t) <= len; i += sizeof(uint64_t))
		*(volatile uint64_t *)(void *)(to + i) = *(
		    const volatile uint64_t *)(const void *)(from + i);
#else
	memcpy(to, from, len);
#endif
}

void
sim_life_enter(unsigned daemon)
{
	struct sim_state *keep = sim;
	struct sim_life *l = life_lives();

	if (l->inside == daemon)
		return;
	if (l->inside)
		life_copy(l->of[l->inside].image, __data_start);
	life_copy(__data_start, l->of[daemon].image);
	sim = keep;
	l->inside = daemon;
}

/* make_image - what the next life of @daemon begins with (I1). */
static void
make_image(unsigned daemon)
{
	struct sim_life *l = life_lives();
	size_t len = (size_t)(_end - __data_start);

	if (!l->pristine) {
		l->pristine = malloc(len);
		life_copy(l->pristine, __data_start);
	}
	if (!l->of[daemon].image)
		l->of[daemon].image = malloc(len);
	life_copy(l->of[daemon].image, l->pristine);
	if (l->inside == daemon)
		l->inside = 0;
}

/* note_coverage - add what the daemon ran to the files of a coverage build: the counters
 * are static data, and the next life begins with zeros. */
static void
note_coverage(unsigned daemon)
{
	if (!__gcov_dump)
		return;
	sim_life_enter(daemon);
	__gcov_dump();
}

void
sim_lives_end(void)
{
	for (unsigned daemon = 1; daemon < SIM_DAEMON_MAX; daemon++)
		if (sim_life_of(daemon)->runs)
			note_coverage(daemon);
}

/* life_ends - the kernel closes what the process has left open. */
static void
life_ends(unsigned daemon, int status)
{
	struct life *l = sim_life_of(daemon);

	sim_kill_daemon(daemon);
	sim_poll_end(daemon);
	sim_freeze_daemon(daemon, false);
	sim_fd_drop_daemon(daemon);
	sim_memory_drop(daemon);
	note_coverage(daemon);
	l->status = status;
	l->runs = false;
	if (l->how.err_fd >= 0)
		__real_close(l->how.err_fd);
	if (l->how.out_fd >= 0)
		__real_close(l->how.out_fd);
	l->how.err_fd = l->how.out_fd = -1;
}

static void *
daemon_task(void *arg)
{
	struct life *l = arg;
	int (*program_main)(int argc, char **argv) = ternd_main;
	int status;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(l->how.argv[0], programs[i].name))
			program_main = programs[i].main;
	optind = 0;
	status = program_main(l->how.argc, l->how.argv);
	sim_event("ternd ends with %d", status);
	life_ends(sim_task_daemon(sim_self()), status);
	return NULL;
}

void
sim_daemon_launch(unsigned daemon, const struct sim_launch *how)
{
	struct life *l = sim_life_of(daemon);

	if (l->runs)
		sim_fail("a second ternd");
	make_image(daemon);
	l->runs = true;
	l->how = *how;
	l->status = -1;
	l->signal_cnt = 0;
	sim_task_new("ternd", daemon, daemon_task, l);
}

void
sim_life_last(void)
{
	struct sim_state *keep = sim;

	if (life_lives()->pristine)
		life_copy(__data_start, life_lives()->pristine);
	sim = keep;
	sim->alone = true;
}

void
sim_daemon_start(const char *more)
{
	static char *words[] = { "ternd", "-f", "-c", "/sim/tern.conf", "-s",
		"/sim/tern.ctl", "-R", NULL };
	bool recovers = more && !strcmp(more, "-R");
	struct sim_launch how = { .argc = recovers ? 7 : 6,
		.argv = calloc(8, sizeof(char *)),
		.out_fd = -1,
		.err_fd = -1 };

	memcpy(how.argv, words, (size_t)how.argc * sizeof(char *));
	script_step(recovers ? "start -R" : "start");
	sim_daemon_begins();
	sim_daemon_launch(1, &how);
}

void
sim_daemon_errors_to(unsigned daemon, int fd)
{
	struct sim_launch *how = &sim_life_of(daemon)->how;

	if (how->err_fd >= 0)
		__real_close(how->err_fd);
	how->err_fd = fd;
}

void
sim_daemon_crash(unsigned daemon)
{
	script_step("crash");
	sim_event("ternd crashes");
	sim_net_reset_daemon(daemon);
	life_ends(daemon, -9);
}

bool
sim_daemon_runs(unsigned daemon)
{
	return sim_life_of(daemon)->runs;
}

int
sim_daemon_status(unsigned daemon)
{
	return sim_life_of(daemon)->status;
}

uint64_t
sim_daemon_memory(unsigned daemon)
{
	uint64_t sum = 0;

	if (!sim_life_of(daemon)->runs)
		return 0;
	sim_life_enter(daemon);
	for (int tag = 0; tag < MEM_TAG_CNT; tag++)
		sum += mem_used((enum mem_tag)tag);
	return sum;
}

unsigned
sim_daemon_host(unsigned daemon)
{
	return daemon ? sim_life_of(daemon)->how.host : 0;
}

int
sim_daemon_output(int fd)
{
	unsigned daemon = sim && sim_self() ? sim_task_daemon(sim_self()) : 0;
	const struct sim_launch *how = daemon ? &sim_life_of(daemon)->how : NULL;

	return !how                                      ? -1
	       : fd == STDOUT_FILENO && how->out_fd >= 0 ? how->out_fd
							 : how->err_fd;
}

/* ternd ends by exit or _exit in some cases: the task ends, not the world. */
void __real_exit(int status) __attribute__((noreturn));

void
__wrap_exit(int status)
{
	unsigned daemon = sim && sim_self() ? sim_task_daemon(sim_self()) : 0;

	if (!daemon)
		__real_exit(status);
	life_ends(daemon, status);
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
	return sim_life_of(f->daemon)->signal_cnt ? POLLIN : 0;
}

static ssize_t
signal_read(struct sim_file *f, void *buf, size_t len, int flags)
{
	struct life *l = sim_life_of(f->daemon);
	struct signalfd_siginfo info = { 0 };

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

/* The simulated daemon shares the process with the world. */
int
__wrap_sandbox_confine(enum sandbox_program program, bool files, const char *const *keep,
    struct sandbox_active *active)
{
	(void)program;
	(void)files;
	(void)keep;
	*active = (struct sandbox_active){ 0 };
	return 0;
}

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
sim_signal(unsigned daemon, int signo)
{
	struct life *l = sim_life_of(daemon);

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
