/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulated world for ternd: one process, one thread, one seed.
 *
 * The program `sim` links the product's object files. The linker redirects each system
 * call and each call of threads and of liburcu (wrap.list, `ld --wrap`) to the
 * functions __wrap_* of this folder. The product's loop, inbox, lease, timers and
 * socket code run unchanged.
 *
 * Tasks     A task is a coroutine with a stack of its own. Each thread of the daemon is
 *           a task; so is each member, each control client and the story. One task runs
 *           at a time; a task gives up the processor in sim_wait and sim_step only.
 * Time      sim_now() is virtual. Time moves when a task reads the clock (a few
 *           microseconds, drawn) and when no task can run (to the next moment at which
 *           something happens).
 * Choice    The seed chooses the next task, the delay of each wake-up, the length of
 *           each turn (by the clock), the octets of each read and write, the latency of
 *           each message, and the end of each grace period.
 * Trace     Each event is a line: printed with --trace, hashed with --hash. No event
 *           names an address of memory.
 *
 * Equal seeds give equal traces. */
#ifndef TERN_TEST_SIM_H
#define TERN_TEST_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>

#define SIM_US    1000ull
#define SIM_MS    1000000ull
#define SIM_S     1000000000ull
#define SIM_NEVER UINT64_MAX

/* ---- world (sched.c) ---- */

struct sim_task;

/* sim_init - begin a world. @seed: any number. */
void sim_init(uint64_t seed);
uint64_t sim_seed(void);
/* sim_run - run tasks until sim_end was called or no task can ever run again. */
void sim_run(void);
/* sim_end - let sim_run return. */
void sim_end(void);
bool sim_has_ended(void);
/* sim_random - a number below @below (1 or more), drawn from the seed. */
uint64_t sim_random(uint64_t below);
/* sim_now - virtual time in ns since the world began. */
uint64_t sim_now(void);
/* sim_tick - the clock as the daemon reads the clock: time moves on a little. */
uint64_t sim_tick(void);
/* sim_task_new - a coroutine that runs @fn(@arg). @daemon: the number of the daemon with
 * whose life the task ends; 0: none. */
struct sim_task *sim_task_new(
    const char *name, unsigned daemon, void *(*fn)(void *), void *arg);
struct sim_task *sim_self(void);
/* sim_task_nr - a small number, 1 or more, that no other task of the world has. */
uint32_t sim_task_nr(const struct sim_task *t);
struct sim_task *sim_task_find(uint32_t nr);
bool sim_task_done(const struct sim_task *t);
void sim_task_name(struct sim_task *t, const char *name);
const char *sim_task_name_of(const struct sim_task *t);
/* sim_task_daemon - 0: the task belongs to no daemon. */
unsigned sim_task_daemon(const struct sim_task *t);
/* sim_task_next - the next of the daemon's tasks that have not ended; NULL: none. *@at: 0
 * at the first call. */
const struct sim_task *sim_task_next(unsigned daemon, unsigned *at);
/* sim_task_sleeps - how often a wait of the task blocked. */
uint32_t sim_task_sleeps(const struct sim_task *t);
/* sim_task_reader - a number that thread.c keeps for the task; 0 at first. */
unsigned *sim_task_reader(struct sim_task *t);
void sim_task_stack(const struct sim_task *t, void **at, size_t *len);
/* sim_exit - end the calling task. */
void sim_exit(void) __attribute__((noreturn));
/* sim_kill_daemon - drop all tasks of the daemon, at once. No task of the daemon may call
 * the function. */
void sim_kill_daemon(unsigned daemon);
/* sim_freeze_daemon - the daemon's tasks do not run until @frozen is false (SIGSTOP). */
void sim_freeze_daemon(unsigned daemon, bool frozen);

/* sim_wait - block until @ready(@arg), or until @until_ns. @ready must have no effect.
 * Returns: is it ready? */
bool sim_wait(bool (*ready)(void *arg), void *arg, uint64_t until_ns);
/* sim_sleep - block until that time. */
void sim_sleep(uint64_t until_ns);
/* sim_step - let other tasks run now and then: called at each system call. */
void sim_step(void);
/* sim_cut - let other tasks run, once in @one_of calls. The caller runs again up to
 * @late_ns (1 or more) later. */
void sim_cut(unsigned one_of, uint64_t late_ns);
/* sim_moment - something becomes true at @at_ns: time stops there when nothing else can
 * run. */
void sim_moment(uint64_t at_ns);

/* sim_clock_step - by how much the calendar clock was set, in ns (set by stories). */
int64_t sim_clock_step(void);
void sim_clock_set(int64_t step_ns);
/* sim_real_ns - the calendar time at @at_ns of the virtual time, in ns since 1970. */
uint64_t sim_real_ns(uint64_t at_ns);

/* ---- trace (trace.c) ---- */

/* sim_trace - from now on print each event, hash each event. Without either an event
 * costs
 * nothing. */
void sim_trace(bool prints, bool hashes);
/* sim_event - one event of the trace, printf-like. */
void sim_event(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* sim_traces - does an event cost something? */
bool sim_traces(void);
/* sim_trace_hash - SHA-256 of all lines, in hexadecimal. Ends the hash. */
void sim_trace_hash(char out[65]);
/* sim_fail - report a violation: "seed N: text", exit status 1. */
void sim_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- streams (output.c) ---- */

/* sim_print - write to a stream of the process, whoever runs. */
void sim_print(const char *text, FILE *f);

/* ---- threads and grace periods (thread.c) ---- */

/* sim_rcu_drop - a task of a daemon ended without a word. */
void sim_rcu_drop(struct sim_task *t);
/* sim_rcu_drop_daemon - the daemon's life ended. */
void sim_rcu_drop_daemon(unsigned daemon);

/* ---- memory (memory.c) ---- */

/* sim_memory_drop - the daemon's life ended: its mappings go. */
void sim_memory_drop(unsigned daemon);

/* ---- descriptors (fd.c, epoll.c, sock.c, disk.c, netlink.c) ---- */

struct sim_file;

/* What one kind of descriptor does. A function that is NULL fails with EINVAL. */
struct sim_file_ops {
	const char *name;
	/* POLLIN and so on that hold now. */
	short (*events)(struct sim_file *f);
	/* the events stay as they are before that time, unless sim_file_changed tells of
	 * a change; NULL: unknown */
	uint64_t (*quiet_ns)(struct sim_file *f);
	ssize_t (*read)(struct sim_file *f, void *buf, size_t len, int flags);
	ssize_t (*write)(struct sim_file *f, const void *buf, size_t len, int flags);
	void (*close)(struct sim_file *f);
	/* of sockets that are no streams (udp.c) */
	int (*bind)(struct sim_file *f, const struct sockaddr *sa, socklen_t len);
	int (*connect)(struct sim_file *f, const struct sockaddr *sa, socklen_t len);
	int (*option)(
	    struct sim_file *f, int level, int option, const void *value, socklen_t len);
	const struct sockaddr_storage *(*local)(struct sim_file *f);
};

struct sim_file {
	const struct sim_file_ops *ops;
	unsigned refs; /* descriptors that name the file */
	bool nonblock;
	unsigned daemon; /* who made the file; 0: no daemon */
	unsigned host; /* of the process (link.c) */
	uint64_t ino;
	uint64_t read_limit_ns; /* SO_RCVTIMEO; 0: none */
	int nr; /* number of the first descriptor, for the trace */
	struct epoll *watcher; /* the epoll that has the file (epoll.c) */
	bool has_watchers; /* two epolls had the file */
};

#define SIM_FD_FIRST 1000

/* sim_fd_new - a descriptor for @f, whose refs become 1. */
int sim_fd_new(struct sim_file *f, bool nonblock);
/* sim_fd_get - NULL: no descriptor of the simulation. */
struct sim_file *sim_fd_get(int fd);
/* sim_fd_drop_daemon - close what the daemon has open. */
void sim_fd_drop_daemon(unsigned daemon);
/* sim_fd_next - the descriptor behind @fd that the daemon has open; -1: none. */
int sim_fd_next(unsigned daemon, int fd);
/* sim_fd_note_real - @fd is a descriptor of the kernel that the running daemon opened.
 * The descriptor ends with the daemon's life. Returns: @fd. */
int sim_fd_note_real(int fd);
uint64_t sim_ino(void);

/* sim_file_changed - the events of @f may be other ones than before; for files whose ops
 * have quiet_ns. */
void sim_file_changed(struct sim_file *f);
void sim_all_files_changed(void);
/* sim_epoll_forget - take a file out of each epoll. */
void sim_epoll_forget(struct sim_file *f);
/* sim_poll_end - forget the calls of ppoll in which tasks of @daemon waited when the
 * daemon ended. */
void sim_poll_end(unsigned daemon);

/* ---- what a daemon uses (usage.c) ---- */

/* sim_usage - octets of memory, threads and descriptors. */
void sim_usage(unsigned daemon, uint64_t out[3]);
/* sim_threads_show - a line for each thread: number, sleeps, name. */
size_t sim_threads_show(unsigned daemon, char *out, size_t room);
/* sim_files_show - a line for each descriptor: "KIND" or a path; of a listener " at
 * ADDRESS PORT" follows. Returns: the length of the text. */
size_t sim_files_show(unsigned daemon, char *out, size_t room);

/* ---- files (file.c) ---- */

/* sim_file_put - write a whole file, replacing the old one (a new inode). */
void sim_file_put(const char *path, const char *text);
/* sim_file_text - the present content, 0-terminated; NULL: no such file. Valid until
 * the file changes. */
const char *sim_file_text(const char *path);
/* sim_disk_room - octets that files may still grow by; UINT64_MAX: no bound. */
void sim_disk_room(uint64_t room);
/* sim_disk_use_real - from now on paths outside /sim are files of the real disk. */
void sim_disk_use_real(void);

/* ---- the kernel's interfaces (link.c, netlink.c) ---- */

/* sim_link_add - an interface of host 0 with one IPv4 and one IPv6 address (either may be
 * NULL). */
void sim_link_add(const char *name, const char *ip4, int len4, const char *ip6, int len6);
/* sim_link_set - the carrier, told to whoever listens. */
void sim_link_set(const char *name, bool up);

/* ---- what a life of the daemon is (life.c) ---- */

#define SIM_DAEMON_MAX 8 /* daemons of a world have the numbers 1 to 7 */

/* How a daemon is started, as by a shell. The texts must live as long as the daemon. */
struct sim_launch {
	int argc;
	char **argv; /* ends with NULL */
	int out_fd; /* in place of stdout; -1: the file of stderr */
	int err_fd; /* in place of stderr; -1: the stream of the process */
	unsigned host; /* whose interfaces the daemon sees (link.c) */
};

/* sim_daemon_launch - run ternd's main as a task. A number has one daemon at a time. */
void sim_daemon_launch(unsigned daemon, const struct sim_launch *how);
/* sim_daemon_start - launch daemon 1 with a story's file, and "-R" or NULL. */
void sim_daemon_start(const char *more);
/* sim_daemon_begins - the daemon of a story reads its file. sim_daemon_told - the daemon
 * has answered the command @line. sim_daemon_file - the text of the file in force.
 * *@unsure: why the text may not be in force as a whole; NULL: the text is in force. */
void sim_daemon_begins(void);
void sim_daemon_told(const char *line, const char *answer);
const char *sim_daemon_file(const char **unsure);
/* sim_life_last - in a copy of the process: no task runs any more but the calling task,
 * which finds the static data of a new process. */
void sim_life_last(void);
/* sim_daemon_errors_to - what the daemon writes to stderr goes to the real descriptor
 * @fd, which the callee closes; -1: to the stderr of the process. */
void sim_daemon_errors_to(unsigned daemon, int fd);
/* sim_daemon_crash - all of the daemon's memory and tasks are gone; files stay,
 * connections are reset. */
void sim_daemon_crash(unsigned daemon);
bool sim_daemon_runs(unsigned daemon);
/* sim_daemon_status - the exit status of a daemon that has ended. */
int sim_daemon_status(unsigned daemon);
unsigned sim_daemon_host(unsigned daemon);
/* sim_daemon_memory - octets that the daemon has allocated (lib/mem/mem.h), mappings
 * included. For a task of no daemon. */
uint64_t sim_daemon_memory(unsigned daemon);
/* sim_signal - deliver a signal to the daemon's signalfd. */
void sim_signal(unsigned daemon, int signo);
/* sim_daemon_output - the real descriptor that the running task has in place of @fd
 * (STDOUT_FILENO or STDERR_FILENO); -1: the stream of the process. */
int sim_daemon_output(int fd);
/* sim_lives_end - the world ends. Called once. */
void sim_lives_end(void);
/* sim_life_enter - the static data of @daemon (not 0) take their place. For the
 * scheduler. */
void sim_life_enter(unsigned daemon);

#endif
