/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages in sessions of a whole daemon, without a network.
 *
 * An input: which of the sessions (KINDS), its state and what is to be mended (STATE_*),
 * then messages as they lie in the stream. They are handed to the session's receive path
 * one by one, in its worker. A session that is established stays so from one input to the
 * next; one that has ended is opened again.
 *
 * What must hold, beside what the sanitizers and the assertions say:
 * I1  An established session ends by a message if session_judge.h says so, and only then,
 *     with the NOTIFICATION that it names. So an attribute never costs a session, but for
 *     the MP ones and where no route can be found (RFC 7606).
 * I2  What the session sends is whole messages.
 * I3  Nothing happens to a session unless messages come for it: those of other inputs
 *     change neither its state nor what it has announced. One, `good`, never does wrong.
 *
 * TERN_SESSION_SAID=1 tells at the end how many messages there were. Loop: each session's
 * is called by worker_post; this thread waits meanwhile. */
#include "lib/base/check.h"
#include "lib/base/hash.h"
#include "lib/wire/wbuf.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/os/clock.h"
#include "test/fuzz/session_judge.h"
#include "test/lib/daemon_rig.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of the second octet of an input. */
#define STATE_OF(x) ((x)&3) /* enum place; 3 is STATE_UP, too */
#define STATE_MEND  4 /* markers, lengths and types of messages */
#define STATE_ATTRS 8 /* likewise the length of an UPDATE's attributes */
#define STATE_MANY  48 /* 0: no variants of UPDATEs; else VARIANTS of each follow it */
enum place { STATE_UP, STATE_OPENSENT, STATE_OPENCONFIRM };

#define AHEAD     16 /* readable octets behind a message */
#define LOOK_EACH 64 /* inputs, then the others are looked at */
#define LIVES     4000 /* messages of a session at most: its routes go with it */
#define MESSAGES  64 /* of an input at most, without variants */
#define VARIANTS  32

/* Kinds of sessions. The last one is `good`. */
static const struct kind {
	const char *options, *ip4, *ip6; /* ip6 NULL: no such channel */
	uint32_t as;
	uint8_t caps_len, caps[32]; /* of the peer, beside IPv4, refreshes and its AS */
} kinds[] = {
	{ "", "export none;", NULL, 65001, 0, { 0 } },
	{ "rs client;", "import keep filtered; export all;", "export all;", 65002, 6,
	    { 1, 4, 0, 2, 0, 1 } },
	{ "", "add paths; import table; export all;", NULL, 65003, 6,
	    { 69, 4, 0, 1, 1, 3 } },
	{ "enable extended messages;", "extended next hop; export none;", "export none;",
	    65004, 16, { 1, 4, 0, 2, 0, 1, 6, 0, 5, 6, 0, 1, 0, 1, 0, 2 } },
	{ "local role rs_server; interpret communities off;", "export none;", NULL, 65005,
	    3, { 9, 1, 2 } },
	{ "rr client;", "aigp on; export all;", "export all;", 65000, 6,
	    { 1, 4, 0, 2, 0, 1 } },
	{ "graceful restart; long lived graceful restart;", "export all;", NULL, 65006,
	    17, { 64, 6, 0, 120, 0, 1, 1, 128, 71, 7, 0, 1, 1, 128, 0, 0, 120 } },
	{ "confederation 64999; confederation member yes;", "export all;", "export all;",
	    65007, 6, { 1, 4, 0, 2, 0, 1 } },
	{ "enable as4 off;", "add paths; extended next hop; export none;", "export none;",
	    65008, 20, { 1, 4, 0, 2, 0, 1, 5, 6, 0, 1, 0, 1, 0, 2, 69, 4, 0, 1, 1, 3 } },
	{ "", "export all;", "export all;", 65099, 6, { 1, 4, 0, 2, 0, 1 } },
};
#define KIND_CNT ARRAY_LEN(kinds)
#define GOOD     (KIND_CNT - 1)

/* A session and the peer that it has. owner: the session's worker while a call runs, else
 * the thread of the inputs. */
static struct member {
	struct bgp_session *s;
	const struct kind *kind;
	int fd; /* the peer's end; -1: none */
	uint32_t told; /* messages of this connection */
	bool up; /* it was, after its last input */
	bool odd; /* its OPEN wasn't ours: it ends with the input */
	uint8_t in[2 * BGP_MSG_EXT_MAX]; /* what came from the daemon */
	uint32_t in_len;
	uint8_t notified; /* code of the NOTIFICATION that came last; 0: none */
} members[KIND_CNT];

static struct {
	uint64_t inputs, up_cnt, other_cnt, end_cnt;
	bool is_on;
} sum;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* ---- calls into workers ---- */

struct call {
	struct msg msg;
	void (*fn)(struct call *c);
	struct member *m;
	const uint8_t *data;
	size_t len, pos;
	unsigned cnt, variant;
	bool begun;
	sem_t done;
};

static void
call_handle(struct worker *w, TAKE struct msg *m)
{
	struct call *c = container_of(m, struct call, msg);

	(void)w;
	c->fn(c);
}

static void
call_run(struct call *c)
{
	c->msg.handle = call_handle;
	sem_init(&c->done, 0, 0);
	worker_post(&c->m->s->p.worker, &c->msg);
	rcu_sleep();
	while (sem_wait(&c->done) < 0)
		;
	rcu_wake();
	sem_destroy(&c->done);
}

/* call_later - the session takes nothing now: the loop's other workers come first. */
static void
call_later(struct call *c)
{
	worker_post(&c->m->s->p.worker, &c->msg);
}

/* ---- the peer's end ---- */

static struct bgp_conn *
conn_of(struct member *m)
{
	return &m->s->conn[BGP_IN];
}

/* take_messages - I2. */
static void
take_messages(struct member *m)
{
	uint32_t pos = 0;

	while (m->in_len - pos >= BGP_HDR_LEN) {
		const uint8_t *p = m->in + pos;
		uint32_t len = get_be16(p + 16);

		ASSERT(get_be64(p) == UINT64_MAX && get_be64(p + 8) == UINT64_MAX);
		ASSERT(len >= BGP_HDR_LEN && p[18] >= BGP_OPEN &&
		       p[18] <= BGP_ROUTE_REFRESH);
		if (m->in_len - pos < len)
			break;
		if (p[18] == BGP_NOTIFICATION)
			m->notified = p[BGP_HDR_LEN];
		pos += len;
	}
	m->in_len -= pos;
	memmove(m->in, m->in + pos, m->in_len);
}

static void
fuzz_session_drain(struct member *m)
{
	ssize_t n;

	if (m->fd < 0)
		return;
	do {
		n = recv(
		    m->fd, m->in + m->in_len, sizeof(m->in) - m->in_len, MSG_DONTWAIT);
		if (n > 0)
			m->in_len += (uint32_t)n;
		take_messages(m);
	} while (n > 0);
}

/* hang_up - the peer is gone. */
static void
fuzz_session_hang_up(struct member *m)
{
	fuzz_session_drain(m);
	if (conn_has_socket(conn_of(m)))
		session_event(conn_of(m), BGP_EV_TCP_FAILS);
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	m->in_len = 0;
	m->odd = false;
	sum.end_cnt++;
}

/* hand_over - @len octets at @p. Returns: false: the session takes nothing now. */
static bool
hand_over(struct member *m, const uint8_t *p, uint32_t len)
{
	uint8_t *copy = malloc(len + AHEAD); /* exact, for AddressSanitizer */
	uint32_t done;

	ASSERT(copy);
	memcpy(copy, p, len);
	memset(copy + len, 0, AHEAD);
	conn_of(m)->paused = false;
	done = rx_octets(conn_of(m), copy, len);
	bgp_chan_work_put(m->s);
	free(copy);
	return done || !conn_has_socket(conn_of(m)) || !conn_of(m)->paused;
}

/* fire - a timer that waits is due now. */
static void
fuzz_session_fire(struct timer *t)
{
	if (!timer_active(t))
		return;
	timer_cancel(t);
	t->fire(t);
}

/* ---- opening ---- */

static uint32_t
fuzz_session_put_open(uint8_t *to, size_t cap, const struct member *m)
{
	static const uint8_t usual[] = { 1, 4, 0, 1, 0, 1, 2, 0, 70, 0, 65, 4 };
	struct wbuf w = wbuf_of(to, cap);
	uint8_t *start = bgp_msg_start(&w, BGP_OPEN);
	unsigned len = sizeof(usual) + 4 + m->kind->caps_len;

	wbuf_u8(&w, 4);
	wbuf_u16(&w, m->kind->as);
	wbuf_u16(&w, 0); /* no hold time: nothing ends by itself */
	wbuf_u32(&w, 0x7f002900u + (uint32_t)(m - members) + 1);
	wbuf_u8(&w, len + 2);
	wbuf_u8(&w, 2);
	wbuf_u8(&w, len);
	wbuf_bytes(&w, usual, sizeof(usual));
	wbuf_u32(&w, m->kind->as);
	wbuf_bytes(&w, m->kind->caps, m->kind->caps_len);
	bgp_msg_finish(&w, start);
	ASSERT(!w.bad);
	return (uint32_t)wbuf_len(&w);
}

/* dial - a connection of the peer, and as many messages as make @state. Returns: false:
 * the session isn't ready for it. */
static bool
fuzz_session_dial(struct member *m, enum place state)
{
	static const uint8_t alive[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 255, 255, 0, 19, BGP_KEEPALIVE };
	struct ip_addr local = ip4(0x7f002801);
	uint8_t open[128];
	int fd[2];

	fuzz_session_fire(&m->s->settle.soon);
	fuzz_session_fire(&m->s->attempts.idle_hold);
	fuzz_session_fire(&m->s->settle.soon);
	if (conn_of(m)->state != BGP_ACTIVE)
		return false;
	ASSERT(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd));
	m->fd = fd[0];
	m->in_len = m->told = 0;
	m->notified = 0;
	session_accept(m->s, os_fd_of(fd[1]), local);
	ASSERT(conn_of(m)->state == BGP_OPENSENT);
	if (state == STATE_OPENSENT)
		return true;
	hand_over(m, open, fuzz_session_put_open(open, sizeof(open), m));
	ASSERT(conn_of(m)->state == BGP_OPENCONFIRM);
	if (state == STATE_OPENCONFIRM)
		return true;
	hand_over(m, alive, sizeof(alive));
	ASSERT(m->s->est == conn_of(m));
	return true;
}

/* ---- inputs ---- */

/* mend - make the message at @p, of @len octets at most, one that can be framed. */
static void
fuzz_session_mend(uint8_t *p, size_t len, unsigned how)
{
	size_t says = get_be16(p + 16), gone;

	memset(p, 0xff, 16);
	if (p[18] < BGP_OPEN || p[18] > BGP_ROUTE_REFRESH)
		p[18] = BGP_UPDATE;
	if (says < BGP_HDR_LEN || says > len || says > BGP_MSG_MAX) {
		says = len > BGP_MSG_MAX ? BGP_MSG_MAX : len;
		put_be16(p + 16, (uint16_t)says);
	}
	if (!(how & STATE_ATTRS) || p[18] != BGP_UPDATE || says < 23)
		return;
	gone = get_be16(p + 19);
	if (gone + 23 > says)
		put_be16(p + 19, (uint16_t)(gone = 0));
	if (gone + 23 + get_be16(p + 21 + gone) > says)
		put_be16(p + 21 + gone, (uint16_t)(says - 23 - gone));
}

/* message_len - how much of the @len octets at @p is handed over at once. */
static uint32_t
message_len(const uint8_t *p, size_t len)
{
	size_t says = len >= BGP_HDR_LEN ? get_be16(p + 16) : len;

	return (uint32_t)(says < BGP_HDR_LEN || says > len ? len : says);
}

/* vary_attr - one of the @len octets of attributes at @p, but neither an MP attribute nor
 * what says how long one is: @seed says which, and how. */
static void
vary_attr(uint8_t *p, size_t len, uint64_t seed)
{
	while (len >= 3) {
		size_t head = p[0] & 0x10 ? 4 : 3;
		size_t all = head == 4 && len > 3 ? head + get_be16(p + 2) : head + p[2];
		uint8_t with = (uint8_t)(1u << (seed & 7));

		if (all > len)
			return;
		if (p[1] != 14 && p[1] != 15 && (seed >> 8 & 3) == 0) {
			size_t at = (seed >> 16) % (all - head + 2);

			if (at >= 2)
				p[head + at - 2] ^= seed & 1 << 12 ? seed >> 24 : with;
			else if (at && (p[1] ^ with) != 14 && (p[1] ^ with) != 15)
				p[1] ^= with;
			else if (with != 0x10)
				p[0] ^= with;
		}
		p += all;
		len -= all;
		seed = hash_u64(seed, 1);
	}
}

/* vary - the UPDATE of @len octets at @m is another one: in its attributes, and its
 * NLRI. */
static void
fuzz_session_vary(uint8_t *m, size_t len, uint64_t seed)
{
	size_t gone = len < 23 ? len : get_be16(m + 19), attrs;

	if (gone + 23 > len)
		return;
	attrs = get_be16(m + 21 + gone);
	if (gone + 23 + attrs > len)
		return;
	vary_attr(m + 23 + gone, attrs, seed);
	if (seed >> 60 == 0 && gone + 23 + attrs < len)
		m[len - 1] ^= (uint8_t)(seed >> 32);
}

/* judged - I1, after @msg was handed to the established session. */
static void
fuzz_session_judged(struct member *m, const struct verdict *v)
{
	bool ended = m->s->est != conn_of(m) || conn_of(m)->state != BGP_ESTABLISHED;

	fuzz_session_drain(m);
	ASSERT(!ended || v->may_end);
	ASSERT(ended || !v->must_end);
	ASSERT(!ended || m->notified == v->code);
}

/* step - one message. Returns: false: later. */
static bool
fuzz_session_step(struct member *m, const uint8_t *p, uint32_t len)
{
	struct bgp_conn *c = conn_of(m);
	struct verdict v = JUDGE_STAYS;
	bool est = m->s->est == c, whole = len >= BGP_HDR_LEN;

	if (est && whole)
		v = judge_message(&c->terms.params, c->terms.enh_refresh, p, len);
	/* What says that it is longer than it is would wait for its rest. */
	if (est && v.code == BGP_E_HEADER && get_be16(p + 16) > len)
		v.must_end = false;
	if (!hand_over(m, p, len))
		return false;
	m->told++;
	sum.up_cnt += est;
	sum.other_cnt += !est;
	if (est)
		fuzz_session_judged(m, &v);
	if (!est && p[18 < len ? 18 : 0] != BGP_KEEPALIVE)
		m->odd = true;
	return true;
}

/* play_one - the message of @c that is next, or the next variant of it. Returns: false:
 * later. */
static bool
play_one(struct call *c)
{
	uint32_t len = message_len(c->data + c->pos, c->len - c->pos);
	const uint8_t *p = c->data + c->pos;
	uint8_t *copy = NULL;
	bool done;

	if (c->variant) {
		copy = malloc(len);
		ASSERT(copy);
		memcpy(copy, p, len);
		fuzz_session_vary(copy, len, hash_bytes(c->variant, p, len));
	}
	done = fuzz_session_step(c->m, copy ? copy : p, len);
	free(copy);
	if (!done)
		return false;
	if ((c->data[1] & STATE_MANY) && len >= 23 && p[18] == BGP_UPDATE &&
	    c->m->s->est && ++c->variant <= VARIANTS)
		return true;
	c->variant = 0;
	c->pos += len;
	c->cnt++;
	return true;
}

/* play - the messages of an input. */
static void
fuzz_session_play(struct call *c)
{
	enum place state = STATE_OF(c->data[1]) % 3;
	struct member *m = c->m;

	if (!c->begun) {
		ASSERT(m->up == (m->s->est != NULL)); /* I3 */
		if (m->up && (state != STATE_UP || m->told > LIVES))
			fuzz_session_hang_up(m);
	}
	c->begun = true;
	if (m->fd < 0 && !fuzz_session_dial(m, state)) {
		call_later(c);
		return;
	}
	while (c->pos < c->len && c->cnt < MESSAGES && conn_has_socket(conn_of(m)))
		if (!play_one(c)) {
			call_later(c);
			return;
		}
	fuzz_session_drain(m);
	if (m->s->est != conn_of(m) || m->odd)
		fuzz_session_hang_up(m);
	m->up = m->s->est != NULL;
	sem_post(&c->done);
}

/* ---- the one that does no wrong ---- */

static void
fuzz_session_announce(struct call *c)
{
	if (!c->begun && !fuzz_session_dial(c->m, STATE_UP)) {
		call_later(c);
		return;
	}
	c->begun = true;
	if (!hand_over(c->m, c->data, (uint32_t)c->len)) {
		call_later(c);
		return;
	}
	c->m->up = true;
	sem_post(&c->done);
}

static void
fuzz_session_look(struct call *c)
{
	struct channel *ch = c->m->s->chan[FAM_IP4];

	ASSERT(c->m->s->est == conn_of(c->m) && conn_of(c->m)->state == BGP_ESTABLISHED);
	ASSERT(counter64_get(&channel_stats_get(ch)->in.imported) == 1);
	fuzz_session_drain(c->m);
	ASSERT(!c->m->notified);
	sem_post(&c->done);
}

static void
good_up(void)
{
	static const uint8_t update[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 255, 255, 255, 0, 23 + 20 + 3, BGP_UPDATE, 0, 0, 0,
		20, 0x40, 1, 1, 0, 0x40, 2, 6, 2, 1, 0, 0, 0xfe, 0x4b, 0x40, 3, 4, 127, 0,
		41, 10, 16, 30, 1 };
	struct call c = { .fn = fuzz_session_announce,
		.m = &members[GOOD],
		.data = update,
		.len = sizeof(update) };

	call_run(&c);
}

/* ---- start and end ---- */

/* finish - nothing may be left (LeakSanitizer looks afterwards). */
static void
fuzz_session_finish(void)
{
	if (getenv("TERN_SESSION_SAID"))
		fprintf(stderr,
		    "fuzz_session: %llu messages in established sessions, %llu before, "
		    "%llu sessions ended\n",
		    (unsigned long long)sum.up_cnt, (unsigned long long)sum.other_cnt,
		    (unsigned long long)sum.end_cnt);
	for (unsigned i = 0; i < KIND_CNT; i++)
		if (members[i].fd >= 0)
			close(members[i].fd);
	daemon_rig_stop();
}

static void
fuzz_session_start(void)
{
	char text[8192], name[16];
	size_t at = (size_t)snprintf(text, sizeof(text),
	    "router id 10.0.0.1;\nlog \"/dev/null\" all;\nprotocol device {}\n");

	for (unsigned i = 0; i < KIND_CNT; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
		    "protocol bgp p%u { local 127.0.40.1 as 65000; neighbor 127.0.41.%u "
		    "as "
		    "%u; multihop; disable after error off; %s\n"
		    " ipv4 { import where net !~ [ 99.0.0.0/8+ ]; %s };\n%s%s%s}\n",
		    i, i + 1, kinds[i].as, kinds[i].options, kinds[i].ip4,
		    kinds[i].ip6 ? " ipv6 { import all; " : "",
		    kinds[i].ip6 ? kinds[i].ip6 : "", kinds[i].ip6 ? " };\n" : "");
	ASSERT(at < sizeof(text));
	daemon_rig_start(text);
	for (unsigned i = 0; i < KIND_CNT; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		members[i].s = container_of(
		    daemon_rig_proto(name), struct bgp_session, p);
		members[i].kind = &kinds[i];
		members[i].fd = -1;
	}
	good_up();
	sum.is_on = true;
	atexit(fuzz_session_finish);
}

/* fuzz_count - what replay.c counts by. */
uint64_t fuzz_count(void);
uint64_t
fuzz_count(void)
{
	return sum.up_cnt;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct call c = { .fn = fuzz_session_play };
	uint8_t *copy;

	if (!sum.is_on)
		fuzz_session_start();
	if (len < 3)
		return 0;
	copy = malloc(len);
	ASSERT(copy);
	memcpy(copy, data, len);
	for (size_t pos = 2; data[1] & STATE_MEND && len - pos >= BGP_HDR_LEN;) {
		fuzz_session_mend(copy + pos, len - pos, data[1]);
		pos += get_be16(copy + pos + 16);
	}
	c.m = &members[data[0] % GOOD];
	c.data = copy;
	c.len = len;
	c.pos = 2;
	call_run(&c);
	free(copy);
	if (++sum.inputs % LOOK_EACH == 0) {
		c = (struct call){ .fn = fuzz_session_look, .m = &members[GOOD] };
		call_run(&c);
	}
	return 0;
}
