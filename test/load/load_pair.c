/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two healthy members, for the latency between them.
 *
 * The teller announces one prefix with another community each time, the hearer waits for
 * exactly that community; the next change follows 2 to 10 ms later. A change that isn't
 * there after LOST_NS counts as so long, and the next one follows. All else that the two
 * are sent is taken as fast as they can, and not looked at.
 *
 * Both processes talk over a socket pair: commands one way, samples and marks the other.
 * The process ends with the one that made it.
 *
 * I1  The prefix is the only one that is ever announced with its attributes, so an UPDATE
 *     that tells of it has nothing else in it. */
#include "test/load/load_pair.h"

#include "lib/mem/mem.h"
#include "test/load/load_attr.h"
#include "test/load/load_sock.h"

#include <bsd/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOST_NS     (10 * NS_S)
#define RETRY_NS    (100 * NS_MS)
#define PAIR_RX_BUF (256 * 1024)
/* and the number of the change: no client and no policy has these */
#define COMMUNITY 0x40000000u

enum { CMD_GO = 1, CMD_STOP };
enum { PAIR_UP = 1, PAIR_STOPPED, PAIR_FIRST }; /* from PAIR_FIRST on: a sample */

/* owner: the run. */
struct load_pair {
	int pid, fd;
	bool up, stopped, failed;
	uint64_t *sample;
	uint32_t cnt, cap;
};

enum { TELLER, HEARER, BOTH };

/* One of the two. owner: struct play. */
struct member {
	int fd; /* -1: none */
	enum client_state state;
	uint64_t retry_ns, keepalive_ns;
	size_t len; /* of what is in the buffer: the beginning of a message */
	uint8_t *buf;
};

/* All state of the process. */
struct play {
	const struct load_run *r;
	struct member m[BOTH];
	int fd;
	bool is_up, going, waiting;
	bool owes_stop; /* was told to stop, and hasn't said yet that it has */
	uint32_t change; /* number of the last one */
	uint64_t sent_ns, next_ns, now;
	struct load_rng rng;
};

/* ---- the process ---- */

static void
load_pair_report(struct play *p, uint64_t what)
{
	if (send(p->fd, &what, sizeof(what), MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void
load_pair_put(struct member *m, const uint8_t *octets, unsigned len)
{
	ssize_t n = send(m->fd, octets, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	/* What a full socket doesn't take at all is a change that is lost; errors show up
	 * when reading. */
	if (n > 0 && n < (ssize_t)len)
		shutdown(m->fd, SHUT_RDWR);
}

static void
load_pair_hang_up(struct play *p, struct member *m)
{
	close(m->fd);
	m->fd = -1;
	m->state = CL_IDLE;
	m->len = 0;
	m->retry_ns = p->now + RETRY_NS;
	if (p->is_up) {
		fprintf(stderr, "ternload: a session of the pair went down\n");
		_exit(1);
	}
}

static uint32_t
facts_at(const struct play *p, const struct member *m)
{
	return p->r->clients + (m == &p->m[HEARER]);
}

static void
open_session(struct play *p, struct member *m)
{
	const struct model_client *f = &p->r->facts[facts_at(p, m)];
	struct msg_open o = {
		.as = f->as,
		.router_id = f->router_id,
		.hold = (uint16_t)p->r->opt->hold_s,
		.as4 = true,
		.refresh = true,
		.families = (uint8_t)p->r->opt->families,
	};
	uint8_t msg[MSG_MAX];

	m->state = CL_OPEN_SENT;
	m->keepalive_ns = p->now;
	load_pair_put(m, msg, msg_put_open(msg, &o));
}

static void
load_pair_send(struct play *p)
{
	struct attr_canon c = { 0 };
	uint32_t who = p->r->clients, as = p->r->facts[who].as;
	uint8_t v[16] = { 0 }, msg[MSG_MAX];
	unsigned mp_at, at, len;

	attr_canon_add(&c, AF_TRANSITIVE, A_ORIGIN, v, 1);
	v[0] = 2;
	v[1] = 1;
	put_be32(v + 2, as);
	attr_canon_add(&c, AF_TRANSITIVE, A_AS_PATH, v, 6);
	put_be32(v, 0x64400000u + 1 + who); /* as clients' next hops */
	attr_canon_add(&c, AF_TRANSITIVE, A_NEXT_HOP, v, 4);
	put_be32(v, COMMUNITY | ++p->change);
	attr_canon_add(&c, AF_OPTIONAL | AF_TRANSITIVE, A_COMMUNITY, v, 4);
	at = attr_put_update(msg, (struct span){ c.octet, c.len }, true, FAM_IP4, &mp_at);
	len = at + msg_put_prefix(msg + at, (uint64_t)LOAD_PAIR_NET << 32, 0, 24);
	p->sent_ns = load_now();
	p->waiting = true;
	load_pair_put(&p->m[TELLER], msg, attr_finish_update(msg, len, at, mp_at));
}

static void
load_pair_heard(struct play *p, uint64_t took)
{
	p->waiting = false;
	p->next_ns = p->now + 2 * NS_MS + load_rng_below(&p->rng, 8 * NS_MS);
	load_pair_report(p, took < PAIR_FIRST ? PAIR_FIRST : took);
}

/* Does the UPDATE tell of the last change? */
static bool
is_change(const struct play *p, const uint8_t *body, unsigned len)
{
	static const uint8_t nlri[4] = { 24, LOAD_PAIR_NET >> 24,
		LOAD_PAIR_NET >> 16 & 0xff, LOAD_PAIR_NET >> 8 & 0xff };
	struct msg_update u;
	struct attr_item it;
	struct attr_canon c;

	if (len < 4 + sizeof(nlri) ||
	    memcmp(body + len - sizeof(nlri), nlri, sizeof(nlri)) ||
	    msg_get_update(&u, body, len) || u.nlri.len != sizeof(nlri) ||
	    attr_canonical(&c, &u, true))
		return false;
	return attr_find((struct span){ c.octet, c.len }, A_COMMUNITY, &it) &&
	       it.value.len >= 4 &&
	       get_be32(it.value.p + it.value.len - 4) == (COMMUNITY | p->change);
}

static int
load_pair_take_message(
    struct play *p, struct member *m, unsigned type, const uint8_t *body, unsigned len)
{
	uint8_t msg[MSG_MAX];

	switch (type) {
	case MSG_OPEN:
		m->state = CL_OPEN_CONFIRM;
		load_pair_put(m, msg, msg_put_keepalive(msg));
		return 0;
	case MSG_KEEPALIVE:
		m->state = CL_ESTABLISHED;
		return 0;
	case MSG_UPDATE:
		if (p->waiting && m == &p->m[HEARER] && is_change(p, body, len))
			load_pair_heard(p, load_now() - p->sent_ns);
		return 0;
	case MSG_REFRESH:
		return 0; /* the next change tells it */
	default:
		return -EPROTO;
	}
}

static void
read_member(struct play *p, struct member *m)
{
	ssize_t n = recv(m->fd, m->buf + m->len, PAIR_RX_BUF - m->len, MSG_DONTWAIT);
	unsigned len, type;
	const uint8_t *at = m->buf;
	int err = 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		m->len += (size_t)n;
	else
		err = -EPROTO;
	while (!err && m->len >= MSG_HEADER) {
		err = msg_header(at, &len, &type);
		if (err || len > m->len)
			break;
		err = load_pair_take_message(
		    p, m, type, at + MSG_HEADER, len - MSG_HEADER);
		at += len;
		m->len -= len;
	}
	if (err)
		load_pair_hang_up(p, m);
	else
		memmove(m->buf, at, m->len);
}

static void
tick_member(struct play *p, struct member *m)
{
	uint8_t msg[MSG_MAX];

	if (m->fd < 0 && p->now >= m->retry_ns) {
		m->retry_ns = p->now + RETRY_NS;
		m->fd = load_sock_connect(p->r->facts[facts_at(p, m)].addr, p->r->opt);
		m->state = CL_CONNECTING;
	}
	if (m->state >= CL_OPEN_CONFIRM && p->r->opt->hold_s &&
	    p->now >= m->keepalive_ns + p->r->opt->hold_s * NS_S / 3) {
		m->keepalive_ns = p->now;
		load_pair_put(m, msg, msg_put_keepalive(msg));
	}
}

static void
take_command(struct play *p)
{
	uint64_t cmd;
	ssize_t n = recv(p->fd, &cmd, sizeof(cmd), MSG_DONTWAIT);

	if (n == 0)
		_exit(0);
	if (n != sizeof(cmd))
		return;
	p->going = cmd == CMD_GO;
	p->owes_stop = cmd == CMD_STOP;
	p->next_ns = p->now;
}

static void
load_pair_turn(struct play *p)
{
	unsigned i;

	for (i = 0; i < BOTH; i++)
		tick_member(p, &p->m[i]);
	if (!p->is_up && p->m[TELLER].state == CL_ESTABLISHED &&
	    p->m[HEARER].state == CL_ESTABLISHED) {
		p->is_up = true;
		load_pair_report(p, PAIR_UP);
	}
	if (p->waiting && p->now > p->sent_ns + LOST_NS)
		load_pair_heard(p, p->now - p->sent_ns);
	if (p->owes_stop && !p->waiting) {
		p->owes_stop = false;
		load_pair_report(p, PAIR_STOPPED);
	}
	if (p->going && !p->waiting && p->is_up && p->now >= p->next_ns)
		load_pair_send(p);
}

static void
load_pair_play(struct play *p)
{
	struct pollfd f[BOTH + 1];
	unsigned i;

	for (;;) {
		for (i = 0; i < BOTH; i++)
			f[i] = (struct pollfd){ p->m[i].fd,
				p->m[i].state == CL_CONNECTING ? POLLOUT : POLLIN, 0 };
		f[BOTH] = (struct pollfd){ p->fd, POLLIN, 0 };
		poll(f, BOTH + 1, 1);
		p->now = load_now();
		if (f[BOTH].revents)
			take_command(p);
		for (i = BOTH; i--;) { /* the hearer first */
			if (!f[i].revents)
				continue;
			if (p->m[i].state == CL_CONNECTING && f[i].revents == POLLOUT)
				open_session(p, &p->m[i]);
			else if (p->m[i].state == CL_CONNECTING)
				load_pair_hang_up(p, &p->m[i]);
			else
				read_member(p, &p->m[i]);
		}
		load_pair_turn(p);
	}
}

/* The two are machines of their own elsewhere, which nothing here keeps waiting. Without
 * the right to it, as it is. */
static void
prefer_me(void)
{
	struct sched_param sp = { .sched_priority = 1 };
	int fd;

	setsid(); /* with a share of the processors of its own, where sessions have one */
	if (!sched_setscheduler(0, SCHED_FIFO, &sp))
		return;
	if (setpriority(PRIO_PROCESS, 0, -15))
		return;
	fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, "-15", 3) < 0)
		fprintf(stderr, "ternload: the pair isn't preferred by the scheduler\n");
	if (fd >= 0)
		close(fd);
}

/* ---- the side of the run ---- */

int
load_pair_start(struct load_run *r)
{
	struct load_pair *p = mem_zalloc(MEM_OTHER, sizeof(*p));
	struct play play_state = { .r = r, .rng = { r->opt->seed } };
	int fd[2], i;

	r->pair = p;
	p->fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return -errno;
	p->fd = fd[0];
	fflush(NULL);
	p->pid = fork();
	if (p->pid < 0) {
		close(fd[1]);
		return -errno;
	}
	if (p->pid > 0) {
		close(fd[1]);
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setproctitle("pair");
	/* what the run has open is not held open here */
	play_state.fd = dup2(fd[1], STDERR_FILENO + 1);
	closefrom(STDERR_FILENO + 2);
	prefer_me();
	for (i = 0; i < BOTH; i++)
		play_state.m[i] = (struct member){ .fd = -1,
			.buf = mem_alloc(MEM_OTHER, PAIR_RX_BUF + MSG_SLACK) };
	load_pair_play(&play_state);
	return 0;
}

void
load_pair_end(struct load_run *r)
{
	struct load_pair *p = r->pair;

	if (!p)
		return;
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->fd >= 0)
		close(p->fd);
	mem_free(MEM_OTHER, p->sample);
	mem_free(MEM_OTHER, p);
	r->pair = NULL;
}

static void
listen_to(struct load_pair *p)
{
	uint64_t said;
	ssize_t n;

	while ((n = recv(p->fd, &said, sizeof(said), MSG_DONTWAIT)) == sizeof(said)) {
		p->up = p->up || said == PAIR_UP;
		p->stopped = p->stopped || said == PAIR_STOPPED;
		if (said < PAIR_FIRST)
			continue;
		if (p->cnt == p->cap) {
			p->cap = p->cap ? 2 * p->cap : 1024;
			p->sample = mem_realloc(
			    MEM_OTHER, p->sample, p->cap, sizeof(*p->sample));
		}
		p->sample[p->cnt++] = said;
	}
	p->failed = p->failed || n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

bool
load_pair_is_up(struct load_pair *p)
{
	listen_to(p);
	return p->up;
}

static void
load_pair_command(struct load_pair *p, uint64_t cmd)
{
	p->stopped = false;
	p->failed = p->failed || send(p->fd, &cmd, sizeof(cmd), MSG_NOSIGNAL) < 0;
}

void
load_pair_go(struct load_pair *p)
{
	listen_to(p);
	p->cnt = 0;
	load_pair_command(p, CMD_GO);
}

void
load_pair_stop(struct load_pair *p)
{
	listen_to(p);
	load_pair_command(p, CMD_STOP);
}

bool
load_pair_has_stopped(struct load_pair *p)
{
	listen_to(p);
	return p->stopped;
}

uint32_t
load_pair_take(struct load_pair *p, uint64_t **sample)
{
	listen_to(p);
	*sample = p->sample;
	return p->cnt;
}

bool
load_pair_failed(struct load_pair *p)
{
	listen_to(p);
	return p->failed;
}
