/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bridge: a program outside (test/net/virtual.py) acts in the simulated world.
 *
 * A request comes over a socket of the kernel, is carried out by a task, and is answered.
 * Virtual time stands still while the program outside computes.
 *
 * I1  Each thread of the program outside has one task here. The program runs one thread
 *     at a time: the thread whose request was answered last. So the task that has
 *     answered reads the next request.
 * I2  All waits of requests are waits of the task, in virtual time.
 *
 * A request is a struct request and `len` octets; an answer is a struct answer and `len`
 * octets; octet order of the machine. Times are in ns; a negative time limit is none. */
#include "test/sim/link.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_netlink.h"
#include "test/sim/sim_priv.h"
#include "test/sim/world.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define DATA_MAX (1u << 20)
#define WORD_MAX 127 /* of a command line */

ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __real_write(int fd, const void *buf, size_t len);
int __real_open(const char *path, int flags, ...);

enum op {
	OP_EXIT, /* the thread ends; no answer */
	OP_SPAWN, /* a: number of a new thread, whose first answer is a start */
	OP_SLEEP, /* a: ns */
	OP_SOCKET, /* a, b, c: family, type, protocol */
	OP_BIND, /* a: descriptor; data: address */
	OP_CONNECT, /* a, b: descriptor, time limit; data: address */
	OP_LISTEN, /* a: descriptor */
	OP_ACCEPT, /* a, b: descriptor, time limit; answer: address */
	OP_SEND, /* a, b: descriptor, time limit */
	OP_RECV, /* a, b, c: descriptor, time limit, most octets; data: flags or none */
	OP_CLOSE, /* a: descriptor */
	OP_SETSOCKOPT, /* a, b, c: descriptor, level, option */
	OP_GETSOCKOPT, /* the same; answer: an int */
	OP_SHUTDOWN, /* a, b */
	OP_NAME, /* a: descriptor; b: 0 its own address, 1 its peer's */
	OP_POLL, /* a: time limit; data: struct pollfd */
	OP_LAUNCH, /* a, b: daemon, host; data: folder, files of stdout and stderr,
		    * words; each ends with 0 */
	OP_STATUS, /* a: daemon; b: wait for its end c ns; answer: 1 while it runs */
	OP_SIGNAL, /* a, b: daemon, signal */
	OP_UNREAD, /* a: descriptor; octets that can be read */
	OP_LINK, /* a: host; data: words of bridge_link, each ends with 0 */
	OP_LINKS, /* a: host; answer: the text of link_show */
	OP_CUT, /* data: ADDRESS; a: cut */
	OP_CLOCK, /* a: ns by which the calendar is set */
	OP_RANDOM, /* a: below */
	OP_SENDTO, /* a, b: descriptor, octets of the address; data: address, octets */
	OP_RECVMSG, /* a, b, c: descriptor, time limit, most octets; answer: octets of the
		     * address and of control messages (uint32_t), and all three */
	OP_USAGE, /* a: daemon; answer: octets of memory, threads, descriptors
		   * (uint64_t) */
	OP_FILES, /* a: daemon; answer: the text of sim_files_show */
	OP_THREADS, /* a: daemon; answer: the text of sim_threads_show */
	OP_ROUTES, /* answer: the text of kroutes_show */
};

struct request {
	uint32_t thread;
	uint32_t op;
	int64_t a, b, c;
	uint64_t len;
};

struct answer {
	uint32_t thread;
	int32_t error; /* errno */
	int64_t result; /* negative: error */
	uint64_t now_ns;
	uint64_t len;
};

/* A thread of the program outside. owner: its task. */
struct outside {
	int fd;
	struct request q;
	struct answer a;
	_Alignas(8) char data[DATA_MAX + 1]; /* may hold structs */
	_Alignas(8) char out[DATA_MAX];
};

static void
bridge_whole(ssize_t (*fn)(int, void *, size_t), int fd, void *buf, size_t len)
{
	while (len) {
		ssize_t n = fn(fd, buf, len);

		if (n <= 0) { /* the program outside has ended */
			sim_lives_end();
			_exit(0);
		}
		buf = (char *)buf + n;
		len -= (size_t)n;
	}
}

static ssize_t
bridge_put(int fd, void *buf, size_t len)
{
	return __real_write(fd, buf, len);
}

/* ---- waits ---- */

static short
events_of(int fd)
{
	struct sim_file *f = sim_fd_get(fd);

	return !f ? POLLNVAL : f->ops->events ? f->ops->events(f) : POLLIN | POLLOUT;
}

static bool
any_ready(void *arg)
{
	const struct outside *o = arg;
	const struct pollfd *p = (const void *)o->data;

	for (size_t i = 0; i < o->q.len / sizeof(*p); i++)
		if (events_of(p[i].fd) & (p[i].events | POLLERR | POLLHUP | POLLNVAL))
			return true;
	return false;
}

static uint64_t
bridge_until(int64_t limit_ns)
{
	return limit_ns < 0 ? SIM_NEVER : sim_now() + (uint64_t)limit_ns;
}

/* A descriptor and its file at the start of the wait: a thread may close the file
 * meanwhile, and a second file may get the number. */
struct one {
	int fd;
	short events;
	uint64_t ino;
};

static bool
is_other_file(const struct one *w)
{
	const struct sim_file *f = sim_fd_get(w->fd);

	return !f || f->ino != w->ino;
}

static bool
one_ready(void *arg)
{
	const struct one *w = arg;

	return is_other_file(w) ||
	       events_of(w->fd) & (w->events | POLLERR | POLLHUP | POLLNVAL);
}

/* wait_fd - Returns: false with ETIMEDOUT or EAGAIN: nothing within the limit; with
 * EBADF: the file is closed. */
static bool
wait_fd(int fd, short events, int64_t limit_ns)
{
	const struct sim_file *f = sim_fd_get(fd);
	struct one w = { fd, events, f ? f->ino : 0 };
	bool is_ready;

	sim_sleep(sim_now() + 1 + sim_random(20 * SIM_US));
	is_ready = sim_wait(one_ready, &w, bridge_until(limit_ns));
	if (is_ready && !is_other_file(&w))
		return true;
	errno = is_ready ? EBADF : limit_ns ? ETIMEDOUT : EAGAIN;
	return false;
}

/* ---- operations ---- */

static int64_t
do_connect(struct outside *o)
{
	int fd = (int)o->q.a, error = 0;
	socklen_t len = sizeof(error);

	if (!connect(fd, (void *)o->data, (socklen_t)o->q.len))
		return 0;
	for (int64_t waited = 0; errno == EAGAIN && (o->q.b < 0 || waited < o->q.b);
	     waited += SIM_MS) { /* a UNIX socket whose backlog is full */
		sim_sleep(sim_now() + SIM_MS);
		if (!connect(fd, (void *)o->data, (socklen_t)o->q.len))
			return 0;
	}
	if (errno != EINPROGRESS)
		return -1;
	if (!o->q.b)
		return -1;
	if (!wait_fd(fd, POLLOUT, o->q.b))
		return -1;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len))
		return -1;
	errno = error;
	return error ? -1 : 0;
}

static int64_t
do_accept(struct outside *o)
{
	socklen_t len = sizeof(struct sockaddr_storage);
	int fd;

	if (!wait_fd((int)o->q.a, POLLIN, o->q.b))
		return -1;
	fd = accept4((int)o->q.a, (void *)o->out, &len, SOCK_NONBLOCK);
	o->a.len = fd < 0 ? 0 : len;
	return fd;
}

static int64_t
do_recv(struct outside *o)
{
	size_t most = o->q.c > DATA_MAX ? DATA_MAX : (size_t)o->q.c;
	int flags = 0;
	ssize_t n;

	if (o->q.len == sizeof(flags))
		memcpy(&flags, o->data, sizeof(flags));
	if (!wait_fd((int)o->q.a, POLLIN, flags & MSG_DONTWAIT ? 0 : o->q.b))
		return -1;
	n = recv((int)o->q.a, o->out, most, flags | MSG_DONTWAIT);
	o->a.len = n > 0 ? (uint64_t)n : 0;
	return n;
}

static int64_t
do_send(struct outside *o)
{
	if (!wait_fd((int)o->q.a, POLLOUT, o->q.b))
		return -1;
	return send((int)o->q.a, o->data, o->q.len, MSG_DONTWAIT);
}

static int64_t
do_name(struct outside *o)
{
	socklen_t len = sizeof(struct sockaddr_storage);
	int rc = o->q.b ? getpeername((int)o->q.a, (void *)o->out, &len)
			: getsockname((int)o->q.a, (void *)o->out, &len);

	o->a.len = rc ? 0 : len;
	return rc;
}

static int64_t
do_poll(struct outside *o)
{
	struct pollfd *p = (void *)o->data;
	int64_t cnt = 0;

	sim_sleep(sim_now() + 1 + sim_random(20 * SIM_US));
	sim_wait(any_ready, o, bridge_until(o->q.a));
	for (size_t i = 0; i < o->q.len / sizeof(*p); i++) {
		p[i].revents = (short)(events_of(p[i].fd) &
				       (p[i].events | POLLERR | POLLHUP | POLLNVAL));
		cnt += p[i].revents != 0;
	}
	memcpy(o->out, o->data, o->q.len);
	o->a.len = o->q.len;
	return cnt;
}

/* open_output - a real file that a program writes to; -1: no name. */
static int
open_output(const char *path)
{
	return *path ? __real_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)
		     : -1;
}

/* cmd_next_word - a copy of the word at *@at; *@at moves behind the word. */
static char *
bridge_next_word(const char **at)
{
	char *word = strdup(*at);

	*at += strlen(*at) + 1;
	return word;
}

static int64_t
do_launch(struct outside *o)
{
	struct sim_launch how = { .argv = calloc(WORD_MAX + 1, sizeof(char *)),
		.host = (unsigned)o->q.b };
	const char *at = o->data;
	char *dir = bridge_next_word(&at), *out = bridge_next_word(&at),
	     *err = bridge_next_word(&at);

	while (at < o->data + o->q.len && how.argc < WORD_MAX)
		how.argv[how.argc++] = bridge_next_word(&at);
	if (at < o->data + o->q.len)
		sim_fail("a command line of more than WORD_MAX words");
	how.out_fd = open_output(out);
	how.err_fd = open_output(err);
	if (chdir(dir))
		return -1;
	sim_daemon_launch((unsigned)o->q.a, &how);
	return 0;
}

static bool
daemon_ended(void *arg)
{
	return !sim_daemon_runs((unsigned)(uintptr_t)arg);
}

static int64_t
do_status(struct outside *o)
{
	unsigned daemon = (unsigned)o->q.a;

	if (o->q.b)
		sim_wait(daemon_ended, (void *)(uintptr_t)daemon, bridge_until(o->q.c));
	if (sim_daemon_runs(daemon))
		return 1;
	o->a.len = sizeof(int);
	memcpy(o->out, &(int){ sim_daemon_status(daemon) }, sizeof(int));
	return 0;
}

static int64_t
do_signal(unsigned daemon, int signo)
{
	if (!sim_daemon_runs(daemon)) {
		errno = ESRCH;
		return -1;
	}
	if (signo == SIGKILL)
		sim_daemon_crash(daemon);
	else if (signo == SIGSTOP || signo == SIGCONT)
		sim_freeze_daemon(daemon, signo == SIGSTOP);
	else if (signo)
		sim_signal(daemon, signo);
	return 0;
}

/* do_recvmsg - of a socket of datagrams. */
static int64_t
do_recvmsg(struct outside *o)
{
	char control[256];
	struct sockaddr_storage from = { 0 };
	uint32_t head[2];
	struct iovec iov = { o->out + sizeof(head) + sizeof(from) + sizeof(control),
		o->q.c > UINT16_MAX ? UINT16_MAX : (size_t)o->q.c };
	struct mmsghdr m = { .msg_hdr = { .msg_name = &from,
				 .msg_namelen = sizeof(from),
				 .msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control) } };

	if (!wait_fd((int)o->q.a, POLLIN, o->q.b) ||
	    recvmmsg((int)o->q.a, &m, 1, MSG_DONTWAIT, NULL) < 1)
		return -1;
	head[0] = sizeof(from);
	head[1] = (uint32_t)m.msg_hdr.msg_controllen;
	memcpy(o->out, head, sizeof(head));
	memcpy(o->out + sizeof(head), &from, sizeof(from));
	memcpy(o->out + sizeof(head) + sizeof(from), control, head[1]);
	memmove(o->out + sizeof(head) + sizeof(from) + head[1], iov.iov_base, m.msg_len);
	o->a.len = sizeof(head) + sizeof(from) + head[1] + m.msg_len;
	return m.msg_len;
}

static int64_t
do_usage(struct outside *o)
{
	uint64_t found[3];

	sim_usage((unsigned)o->q.a, found);
	memcpy(o->out, found, sizeof(found));
	o->a.len = sizeof(found);
	return 0;
}

static int64_t
do_sendto(struct outside *o)
{
	size_t name_len = (size_t)o->q.b;
	struct iovec iov = { o->data + name_len, o->q.len - name_len };
	struct mmsghdr m = { .msg_hdr = { .msg_name = o->data,
				 .msg_namelen = (socklen_t)name_len,
				 .msg_iov = &iov,
				 .msg_iovlen = 1 } };

	return sendmmsg((int)o->q.a, &m, 1, MSG_DONTWAIT) < 1 ? -1 : (int64_t)m.msg_len;
}

static int64_t
do_socket(const struct request *q)
{
	return socket((int)q->a, (int)q->b | SOCK_NONBLOCK, (int)q->c);
}

static int64_t
do_unread(int fd)
{
	int cnt = 0;

	return ioctl(fd, FIONREAD, &cnt) ? -1 : cnt;
}

static int64_t
do_getsockopt(struct outside *o)
{
	socklen_t len = sizeof(int);
	int rc = getsockopt((int)o->q.a, (int)o->q.b, (int)o->q.c, o->out, &len);

	o->a.len = rc ? 0 : len;
	return rc;
}

static void *outside_task(void *arg);

static int64_t
do_spawn(struct outside *o)
{
	struct outside *n = calloc(1, sizeof(*n));

	n->fd = o->fd;
	n->a.thread = (uint32_t)o->q.a;
	sim_task_new("outside", 0, outside_task, n);
	return 0;
}

static int64_t
bridge_carry_out(struct outside *o)
{
	const struct request *q = &o->q;
	int fd = (int)q->a;

	switch ((enum op)q->op) {
	case OP_EXIT:
		break;
	case OP_SPAWN:
		return do_spawn(o);
	case OP_SLEEP:
		sim_sleep(sim_now() + (uint64_t)q->a);
		return 0;
	case OP_SOCKET:
		return do_socket(q);
	case OP_BIND:
		return bind(fd, (void *)o->data, (socklen_t)q->len);
	case OP_CONNECT:
		return do_connect(o);
	case OP_LISTEN:
		return listen(fd, 100);
	case OP_ACCEPT:
		return do_accept(o);
	case OP_SEND:
		return do_send(o);
	case OP_RECV:
		return do_recv(o);
	case OP_CLOSE:
		return close(fd);
	case OP_SETSOCKOPT:
		return setsockopt(fd, (int)q->b, (int)q->c, o->data, (socklen_t)q->len);
	case OP_GETSOCKOPT:
		return do_getsockopt(o);
	case OP_SHUTDOWN:
		return shutdown(fd, (int)q->b);
	case OP_NAME:
		return do_name(o);
	case OP_POLL:
		return do_poll(o);
	case OP_LAUNCH:
		return do_launch(o);
	case OP_STATUS:
		return do_status(o);
	case OP_SIGNAL:
		return do_signal((unsigned)q->a, (int)q->b);
	case OP_UNREAD:
		return do_unread(fd);
	case OP_LINK:
		return bridge_link((unsigned)q->a, o->data, q->len);
	case OP_LINKS:
		o->a.len = link_show((unsigned)q->a, o->out, sizeof(o->out));
		return 0;
	case OP_CUT:
		sim_net_cut(o->data, q->a != 0);
		return 0;
	case OP_CLOCK:
		sim_clock_set(sim_clock_step() + q->a);
		return 0;
	case OP_RANDOM:
		return (int64_t)sim_random((uint64_t)q->a);
	case OP_SENDTO:
		return do_sendto(o);
	case OP_RECVMSG:
		return do_recvmsg(o);
	case OP_USAGE:
		return do_usage(o);
	case OP_ROUTES:
		o->a.len = kroutes_show(o->out, sizeof(o->out));
		return 0;
	case OP_THREADS:
		o->a.len = sim_threads_show((unsigned)q->a, o->out, sizeof(o->out));
		return 0;
	case OP_FILES:
		o->a.len = sim_files_show((unsigned)q->a, o->out, sizeof(o->out));
		return 0;
	}
	errno = ENOSYS;
	return -1;
}

static void
bridge_answer(struct outside *o)
{
	o->a.now_ns = sim_now();
	bridge_whole(bridge_put, o->fd, &o->a, sizeof(o->a));
	bridge_whole(bridge_put, o->fd, o->out, o->a.len);
	bridge_whole(__real_read, o->fd, &o->q, sizeof(o->q));
	if (o->q.len > DATA_MAX)
		sim_fail("a request of %llu octets", (unsigned long long)o->q.len);
	bridge_whole(__real_read, o->fd, o->data, o->q.len);
	o->data[o->q.len] = 0;
}

static void *
outside_task(void *arg)
{
	struct outside *o = arg;

	for (;;) {
		bridge_answer(o);
		if (o->q.op == OP_EXIT)
			break;
		o->a.len = 0;
		errno = 0;
		o->a.result = bridge_carry_out(o);
		o->a.error = errno;
	}
	free(o);
	return NULL;
}

void
bridge_run(int fd)
{
	struct outside *o = calloc(1, sizeof(*o));

	sim_disk_use_real();
	link_make(0, "lo", NULL);
	link_set_up(0, "lo", true);
	o->fd = fd;
	o->a.thread = 1;
	sim_task_new("outside", 0, outside_task, o);
	sim_sleep(SIM_NEVER);
}
