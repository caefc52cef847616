/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of BFD: for the files of this folder and their tests only.
 *
 * Owner: the instance's worker; the worker's thread has real-time priority if the system
 * allows it. Life: every struct is freed with its session or with the instance.
 *
 *      asks (nest/bfd)  -> bfd.c          requests of sessions
 *      sockets          -> bfd_rx.c       session of a packet, and checks of the packet
 *      timers           -> bfd_due.c      what is due: packets, silent neighbours
 *                          bfd_timer.c    transmission and detection times
 *                          bfd_session.c  steps of the machine; contents of packets
 *                          bfd_sock.c     sockets, and packets that wait for transmission
 *
 * Times: intervals in microseconds, as on the wire; points in time in nanoseconds of
 * clock_now_ns. */
#ifndef TERN_PROTO_BFD_BFD_PRIV_H
#define TERN_PROTO_BFD_BFD_PRIV_H

#include "lib/base/heap.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/wire/bfd.h"
#include "nest/bfd/bfd_ask.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/bfd/bfd_place.h"
#include "nest/bfd/bfd_shown.h"
#include "nest/channel/proto.h"
#include "proto/bfd/bfd_conf.h"
#include "proto/bfd/bfd_fsm.h"
#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_udp.h"
#include "sysdep/os/os_fd.h"

struct bfd_proto;

/* Events that strangers, and the path, can cause at will: one log line a minute. */
enum bfd_oddity {
	BFD_ODD_FAULT, /* no packet of BFD */
	BFD_ODD_TTL,
	BFD_ODD_STRANGER, /* of no session */
	BFD_ODD_AUTH,
	BFD_ODD_SEND,
	BFD_ODD_KEY, /* no key for transmission */
	BFD_ODD_CNT
};

/* A limit for log lines. Owner: the object that embeds the struct: nothing to free. */
struct bfd_rate {
	uint64_t until_ns; /* nothing is logged until then */
	uint32_t cnt; /* suppressed lines */
};

/* A receiving socket. */
struct bfd_in {
	struct bfd_proto *b;
	struct watch watch;
	struct timer pause; /* active: the socket is not watched until the timer fires */
	uint64_t read_ns; /* time of the last read */
	uint64_t seen_ns; /* all packets that arrived before this time were read */
	bool multihop;
};

/* A socket for the packets that sessions send and, with `strict bind`, receive. */
struct bfd_sock {
	struct list link; /* of bfd_proto.socks */
	struct bfd_proto *b;
	struct ip_addr local;
	uint32_t ifindex;
	bool multihop;
	uint32_t uses; /* sessions */
	struct os_fd fd; /* not open: cannot be opened now */
	uint64_t tried_ns;
	struct bfd_in in; /* strict bind */
};

/* A socket that receives for all sessions. */
struct bfd_port {
	struct bfd_in in;
	bool v4;
};

#define BFD_PORTS 4

/* owner: its session. */
struct bfd_timer {
	struct heap_node node; /* of bfd_proto.timers */
	struct bfd_session *s;
	bool detects; /* else: the next packet is due */
};

/* Values of the last packet of the other side. bfd_session.c. Owner: the session. Life:
 * embedded in struct bfd_session. */
struct bfd_remote {
	uint8_t state; /* enum bfd_state */
	uint8_t diag;
	uint8_t mult;
	bool demand;
	uint32_t min_tx_us, min_rx_us;
};

/* Intervals: announced, and in force here until a poll is through (6.8.3). Owner: the
 * session. Life: embedded in struct bfd_session. */
struct bfd_rates {
	uint32_t tx_us, rx_us, tx_act_us, rx_act_us;
};

/* Sequence numbers of authentication. bfd_rx.c. Owner: the session. Life: embedded in
 * struct bfd_session. */
struct bfd_seqs {
	uint32_t tx, rx;
	bool rx_known;
};

/* Owner: its instance. Life: from the first ask to bfd_session.leave_ns. */
struct bfd_session {
	struct htab_node by_mine, by_place;
	struct list link; /* of bfd_proto.sessions, or of bfd_proto.leaving */
	struct bfd_proto *b;
	struct bfd_place place;
	struct list asks; /* struct bfd_ask */
	bool configured; /* a `neighbor` */
	uint64_t leave_ns; /* in AdminDown until then, and freed then; 0: wanted */
	struct bfd_opts opts; /* resolved; keys lie in the configuration, or in an ask */
	struct bfd_sock *sock;

	uint8_t state; /* enum bfd_state */
	uint8_t diag;
	uint32_t mine, yours; /* yours 0: not known */
	struct bfd_remote remote;
	struct bfd_rates rate;
	bool poll; /* our packets ask for an answer */
	struct bfd_seqs seq;

	struct bfd_timer tx, detect;
	uint64_t tx_ns, rx_ns; /* the last packet; 0: none */
	struct bfd_shown *shown;
};

/* Packets that wait for transmission by one socket. */
struct bfd_out {
	struct bfd_sock *sock;
	unsigned cnt;
	struct sock_dgram d[SOCK_UDP_BATCH];
	uint8_t octet[SOCK_UDP_BATCH][BFD_LEN_MAX];
};

/* An instance. Owner: its worker. Freed by: the class of the protocol, when the instance
 * has ended. */
struct bfd_proto {
	struct proto p; /* first */
	struct bfd_service *service; /* NULL: not enabled */
	struct list sessions, socks;
	uint32_t session_cnt;
	struct list leaving; /* sessions that nobody wants any more: leave_ns */
	struct htab by_mine, by_place;
	struct heap timers;
	struct timer wake; /* fires for the first timer of the heap */
	struct timer retry; /* for ports that cannot be opened */
	struct bfd_port port[BFD_PORTS];
	struct bfd_out out;
	struct bfd_rate odd[BFD_ODD_CNT];
	struct bfd_rate news; /* of log lines about sessions */
	uint64_t random;
	struct bfd_shown *gone; /* of sessions that the published list still has */
	bool sessions_changed; /* the list that is shown is old */
	bool said_priority;
};

static inline const struct bfd_conf *
bfd_conf_of(const struct bfd_proto *b)
{
	return b->p.cf->opt;
}

static inline uint64_t
bfd_now(const struct bfd_proto *b)
{
	return loop_now_ns(&b->p.worker);
}

static inline uint64_t
bfd_random(struct bfd_proto *b)
{
	b->random = b->random * 6364136223846793005ull + 1442695040888963407ull;
	return b->random >> 32;
}

/* ---- bfd_odd.c ---- */

/* bfd_odd - log a line, unless a line of its kind was logged lately. bfd_odd_again - true
 * if a line of the kind was logged lately; then the event is counted. */
bool bfd_odd_again(struct bfd_proto *b, enum bfd_oddity k);
void bfd_odd(struct bfd_proto *b, enum bfd_oddity k, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* ---- bfd_session.c ---- */

/* bfd_find - the session with the local discriminator @mine. bfd_find_place - the session
 * of the neighbour. */
struct bfd_session *bfd_find(const struct bfd_proto *b, uint32_t mine);
struct bfd_session *bfd_find_place(
    const struct bfd_proto *b, const struct bfd_place *place);
struct bfd_session *bfd_session_new(struct bfd_proto *b, const struct bfd_place *place);
/* bfd_session_leave - nobody wants the session any more. Packets say AdminDown for a
 * detection time of the other side (RFC 5880, 6.8.16), then bfd_timers frees the session.
 * A session whose other side is not known is freed at once. */
void bfd_session_leave(TAKE struct bfd_session *s);
/* bfd_session_end - free a leaving session before its time. Packets say AdminDown. */
void bfd_session_end(TAKE struct bfd_session *s);
/* bfd_session_free - nothing is sent. */
void bfd_session_free(TAKE struct bfd_session *s);
/* bfd_session_opts - the configured parameters may have changed. */
void bfd_session_opts(struct bfd_session *s);
/* bfd_session_move - change the local address to @local. */
void bfd_session_move(struct bfd_session *s, struct ip_addr local);
void bfd_session_event(struct bfd_session *s, enum bfd_event e);
/* bfd_session_packet - handle the valid packet @p, received at @at_ns. */
void bfd_session_packet(
    struct bfd_session *s, const struct bfd_packet *p, uint64_t at_ns);
/* bfd_session_send - send a packet now. @final: the packet answers a poll. */
void bfd_session_send(struct bfd_session *s, bool final);
/* bfd_session_notify - notify the new request @a of the state. */
void bfd_session_notify(const struct bfd_session *s, struct bfd_ask *a);

/* ---- bfd_timer.c ---- */

/* bfd_tx_us, bfd_detect_us - in force now. Pure. */
uint32_t bfd_tx_us(const struct bfd_session *s);
uint64_t bfd_detect_us(const struct bfd_session *s);
/* bfd_deadline - end of the detection time. */
uint64_t bfd_deadline(const struct bfd_session *s);
/* bfd_timer_take - the first timer that is due at @now_ns, removed from the heap; NULL:
 * none. The caller then calls bfd_timer_wake, which lets `wake` fire for the first
 * timer. */
struct bfd_timer *bfd_timer_take(struct bfd_proto *b, uint64_t now_ns);
void bfd_timer_wake(struct bfd_proto *b);
/* bfd_next_tx - compute the time of the next packet after a transmission, or for the
 * first packet.
 * bfd_retime_tx, bfd_retime_detect - an interval may be shorter than before. */
void bfd_next_tx(struct bfd_session *s);
void bfd_retime_tx(struct bfd_session *s);
void bfd_retime_detect(struct bfd_session *s);
void bfd_untime(struct bfd_session *s);

/* ---- bfd_due.c ---- */

/* bfd_timers - handle the due timers; called when `wake` fires. */
void bfd_timers(struct timer *t);

/* ---- bfd_rx.c ---- */

/* bfd_in_init - no socket yet. bfd_in_open - receive from @fd, which bfd_in_close closes;
 * no effect without a socket. */
void bfd_in_init(struct bfd_in *in, struct bfd_proto *b, bool multihop);
void bfd_in_open(struct bfd_in *in, TAKE struct os_fd fd);
void bfd_in_close(struct bfd_in *in);
/* bfd_rx_all - read all packets of all sockets. */
void bfd_rx_all(struct bfd_proto *b);

/* ---- bfd_sock.c ---- */

/* bfd_ports_open - open the sockets that receive for all sessions. Returns: false: some
 * sockets could not be opened, as the log says. */
bool bfd_ports_open(struct bfd_proto *b);
void bfd_ports_close(struct bfd_proto *b);
struct bfd_sock *bfd_sock_get(struct bfd_proto *b, const struct bfd_place *place);
void bfd_sock_put(TAKE struct bfd_sock *k);
/* bfd_out_room - room for the next packet of @s; bfd_out_add - the packet was written.
 * bfd_out_flush sends the packets. Returns: NULL: no socket. */
uint8_t *bfd_out_room(struct bfd_session *s);
void bfd_out_add(struct bfd_session *s, size_t len);
void bfd_out_flush(struct bfd_proto *b);

/* ---- bfd_show.c ---- */

/* bfd_show_session - publish the changes. bfd_show_list - publish the changes and the
 * list of sessions. */
void bfd_show_session(struct bfd_session *s);
void bfd_show_list(struct bfd_proto *b);
/* bfd_show_gone - @w belongs to a session that has gone; bfd_show_put - no reader finds
 * the sessions of this kind any more. */
void bfd_show_gone(struct bfd_proto *b, TAKE struct bfd_shown *w);
void bfd_show_put(struct bfd_proto *b);
void bfd_reply(const struct proto *p, struct reply *r);

#endif
