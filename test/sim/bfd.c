/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems that speak BFD with the daemon: asynchronous mode (RFC 5880), one hop (RFC
 * 5881) and several (RFC 5883), without authentication, with a codec of their own.
 *
 * A system sends by its own clock, detects by its own clock, polls when its intervals
 * change, and answers polls. The story takes the session down, restarts the system, or
 * lets the system fall silent.
 *
 * I1  While the session is not up, the system sends at most once a second (6.8.3).
 * I2  The detection time is the daemon's multiplier times the larger of the daemon's
 *     transmit interval and our receive interval (6.8.4).
 * I3  A longer transmit interval and a shorter receive interval take force when the
 *     daemon has answered the poll (6.8.3).
 * I4  A system that the story takes down says so AGAIN_CNT times more, because a packet
 *     may be lost, and the next regular packet would come after the detection time. */
#include "test/sim/actor.h"
#include "test/sim/sim.h"
#include "test/sim/tcp.h"
#include "test/sim/words.h"

#include <bsd/string.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BFD_PORT_NEAR  3784
#define BFD_PORT_MULTI 4784
#define BFD_LEN        24
#define POLL_BIT       0x20
#define FINAL_BIT      0x10
#define AGAIN_CNT      2
#define AGAIN_NS       (10 * SIM_MS)

enum { ADMIN_DOWN, DOWN, INIT, UP };

static const char *const state_word[] = { "admin", "down", "init", "up" };

struct bfd {
	struct actor a;
	char server[64];
	bool multihop;
	/* what the story wants */
	bool mute; /* sends nothing */
	int ttl;
	uint32_t want_us; /* both intervals, as the packets say */
	uint8_t mult;
	bool work;
	/* the session: the variables of RFC 5880, 6.8.1 */
	int in, out;
	uint8_t state, remote_state, diag, remote_diag, remote_mult;
	uint32_t tx_us, rx_us; /* in force (I3) */
	uint32_t mine, yours, remote_min_rx_us, remote_min_tx_us;
	bool polls;
	uint64_t next_tx_ns, heard_ns; /* heard_ns 0: nothing */
	unsigned losses, again; /* again: I4 */
};

static struct bfd *
sim_bfd_of(struct actor *a)
{
	return (struct bfd *)a;
}

/* bfd_slow - I1. */
static uint32_t
bfd_slow(const struct bfd *b, uint32_t us)
{
	return b->state == UP || us > 1000000 ? us : 1000000;
}

static void
bfd_want(struct bfd *b, uint32_t us)
{
	b->want_us = us;
	b->tx_us = us < b->tx_us ? us : b->tx_us;
	b->rx_us = us > b->rx_us ? us : b->rx_us;
	b->polls = true;
}

static uint64_t
bfd_detect_ns(const struct bfd *b)
{
	uint64_t us = b->remote_min_tx_us > b->rx_us ? b->remote_min_tx_us : b->rx_us;

	return b->remote_mult * us * SIM_US; /* I2 */
}

/* ---- out ---- */

static void
bfd_send(struct bfd *b, unsigned flags)
{
	struct octets o = { 0 };

	if (b->mute)
		return;
	octets_u8(&o, 1u << 5 | b->diag);
	octets_u8(&o, (unsigned)b->state << 6 | flags);
	octets_u8(&o, b->mult);
	octets_u8(&o, BFD_LEN);
	octets_u32(&o, b->mine);
	octets_u32(&o, b->yours);
	octets_u32(&o, bfd_slow(b, b->want_us));
	octets_u32(&o, b->want_us);
	octets_u32(&o, 0);
	setsockopt(b->out, IPPROTO_IP, IP_TTL, &b->ttl, sizeof(b->ttl));
	send(b->out, o.p, o.len, 0);
	octets_free(&o);
}

/* bfd_send_next - 6.8.7: 75 to 100 % of the interval, to 90 % with a multiplier of 1. */
static void
bfd_send_next(struct bfd *b)
{
	uint64_t us = bfd_slow(b, b->tx_us);
	unsigned part;

	if (b->remote_min_rx_us > us)
		us = b->remote_min_rx_us;
	part = 750 + (unsigned)sim_random(b->mult == 1 ? 151 : 251);
	bfd_send(b, b->polls ? POLL_BIT : 0);
	b->next_tx_ns = sim_now() + us * part; /* us * 1000 * part / 1000 */
	if (b->again) {
		b->again--;
		b->next_tx_ns = sim_now() + AGAIN_NS;
	}
}

static void
bfd_set_state(struct bfd *b, uint8_t state, uint8_t diag)
{
	if (b->state == state)
		return;
	sim_event("BFD of %s is %s, diagnostic %u", b->a.name, state_word[state], diag);
	b->losses += b->state == UP;
	b->polls = state == UP; /* the transmit interval changes (I1) */
	b->state = state;
	b->diag = diag;
	b->a.changed_ns = b->next_tx_ns = sim_now();
}

/* ---- in ---- */

/* bfd_received - a good packet with that state (6.8.6). */
static void
bfd_received(struct bfd *b, uint8_t state)
{
	b->remote_state = state;
	if (b->state == ADMIN_DOWN)
		return;
	if (state == ADMIN_DOWN) {
		if (b->state != DOWN)
			bfd_set_state(b, DOWN, 3);
	} else if (b->state == DOWN && state == DOWN) {
		bfd_set_state(b, INIT, 0);
	} else if (b->state == DOWN && state == INIT) {
		bfd_set_state(b, UP, 0);
	} else if (b->state == INIT && state >= INIT) {
		bfd_set_state(b, UP, 0);
	} else if (b->state == UP && state == DOWN) {
		bfd_set_state(b, DOWN, 3);
	}
}

static void
sim_bfd_take(struct bfd *b, const uint8_t *p, size_t len)
{
	if (len != BFD_LEN || p[0] >> 5 != 1 || p[3] != BFD_LEN || !p[2])
		sim_fail("%s got a malformed BFD packet", b->a.name);
	if (octets_get_u32(p + 8) && octets_get_u32(p + 8) != b->mine)
		return; /* of a session before */
	b->remote_diag = p[0] & 31;
	b->remote_mult = p[2];
	b->yours = octets_get_u32(p + 4);
	b->remote_min_tx_us = octets_get_u32(p + 12);
	b->remote_min_rx_us = octets_get_u32(p + 16);
	b->heard_ns = sim_now();
	if (p[1] & FINAL_BIT) {
		b->polls = false;
		b->tx_us = b->rx_us = b->want_us;
	}
	bfd_received(b, p[1] >> 6);
	if (p[1] & POLL_BIT)
		bfd_send(b, FINAL_BIT);
}

static void
bfd_expire(struct bfd *b)
{
	if (!b->heard_ns || sim_now() < b->heard_ns + bfd_detect_ns(b))
		return;
	b->heard_ns = 0;
	b->yours = 0;
	b->remote_min_rx_us = 1;
	if (b->state == INIT || b->state == UP)
		bfd_set_state(b, DOWN, 1);
}

/* ---- the task ---- */

static bool
bfd_may_go_on(void *arg)
{
	const struct bfd *b = arg;

	return b->work || tcp_fd_readable(b->in);
}

static void *
bfd_task(void *arg)
{
	struct bfd *b = arg;
	uint16_t port = b->multihop ? BFD_PORT_MULTI : BFD_PORT_NEAR;
	struct sockaddr_storage sa;
	uint8_t buf[128];
	ssize_t n;

	b->in = sim_socket(b->a.address, port, SOCK_DGRAM);
	b->out = sim_socket(
	    b->a.address, (uint16_t)(49152 + sim_random(1000)), SOCK_DGRAM);
	tcp_address(&sa, b->server, port);
	connect(b->out, (struct sockaddr *)&sa, sizeof(sa));
	for (;;) {
		uint64_t until;

		b->work = false;
		while ((n = recv(b->in, buf, sizeof(buf), MSG_DONTWAIT)) > 0)
			sim_bfd_take(b, buf, (size_t)n);
		bfd_expire(b);
		if (sim_now() >= b->next_tx_ns)
			bfd_send_next(b);
		until = b->next_tx_ns;
		if (b->heard_ns && b->heard_ns + bfd_detect_ns(b) < until)
			until = b->heard_ns + bfd_detect_ns(b);
		sim_wait(bfd_may_go_on, b, until);
	}
	return NULL;
}

/* ---- the story ---- */

static struct actor *
sim_bfd_make(const char *name, char **words)
{
	struct bfd *b = calloc(1, sizeof(*b));
	char *w;

	snprintf(b->server, sizeof(b->server), "10.0.0.1");
	b->want_us = 100000;
	b->mult = 3;
	b->ttl = 255;
	b->state = b->remote_state = DOWN;
	b->mine = 1 + (uint32_t)sim_random(1u << 30);
	b->remote_min_rx_us = 1;
	while (*(w = words_next(words))) {
		if (!strcmp(w, "at"))
			words_address(words, b->a.address);
		else if (!strcmp(w, "to"))
			words_address(words, b->server);
		else if (!strcmp(w, "interval"))
			b->want_us = 1000 * words_ms(words);
		else if (!strcmp(w, "multiplier"))
			b->mult = (uint8_t)words_upto(words, UINT8_MAX);
		else if (!strcmp(w, "multihop"))
			b->multihop = true;
		else
			return NULL;
	}
	if (!*b->a.address)
		return NULL;
	b->tx_us = b->rx_us = b->want_us;
	sim_task_new(name, false, bfd_task, b);
	return &b->a;
}

static bool
bfd_act(struct actor *a, const char *verb, char **words)
{
	struct bfd *b = sim_bfd_of(a);

	b->work = true;
	if (!strcmp(verb, "falls") || !strcmp(verb, "speaks")) {
		if (*verb == 'f' && !words_skip(words, "silent"))
			return false;
		b->mute = *verb == 'f';
		b->next_tx_ns = sim_now();
	} else if (!strcmp(verb, "down")) { /* by its operator */
		bfd_set_state(b, ADMIN_DOWN, 7);
		b->again = AGAIN_CNT;
	} else if (!strcmp(verb, "up")) {
		bfd_set_state(b, DOWN, 0);
	} else if (!strcmp(verb, "signals")) { /* Down: its path is lost */
		bfd_set_state(b, DOWN, 5);
		b->again = AGAIN_CNT;
	} else if (!strcmp(verb, "restarts")) {
		bfd_set_state(b, DOWN, 0);
		b->mine++;
		b->yours = 0;
		b->heard_ns = 0;
	} else if (!strcmp(verb, "interval")) {
		bfd_want(b, 1000 * words_ms(words));
	} else if (!strcmp(verb, "ttl")) {
		b->ttl = (int)words_upto(words, UINT8_MAX);
	} else if (!strcmp(verb, "counts") && words_skip(words, "anew")) {
		b->losses = 0;
	} else {
		return false;
	}
	return true;
}

static enum actor_truth
bfd_holds(const struct actor *a, const char *verb, char **words)
{
	const struct bfd *b = (const struct bfd *)a;

	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(verb, state_word[i]))
			return b->state == i ? ACTOR_YES : ACTOR_NO;
	if (!strcmp(verb, "lost"))
		return b->losses ? ACTOR_YES : ACTOR_NO;
	if (!strcmp(verb, "hears")) { /* the daemon's state and diagnostic */
		char *w = words_next(words);
		uint32_t diag = **words ? words_u32(words) : b->remote_diag;
		unsigned state = 0;

		while (state < 4 && strcmp(w, state_word[state]))
			state++;
		if (state == 4)
			return ACTOR_WHAT;
		return state == b->remote_state && diag == b->remote_diag ? ACTOR_YES
									  : ACTOR_NO;
	}
	return ACTOR_WHAT;
}

static void
bfd_describe(const struct actor *a, FILE *to)
{
	const struct bfd *b = (const struct bfd *)a;

	fprintf(to, "%s, diagnostic %u, %u losses; the daemon: %s, diagnostic %u",
	    state_word[b->state], b->diag, b->losses, state_word[b->remote_state],
	    b->remote_diag);
}

const struct actor_kind bfd_kind = { .word = "bfd",
	.make = sim_bfd_make,
	.act = bfd_act,
	.holds = bfd_holds,
	.describe = bfd_describe };
