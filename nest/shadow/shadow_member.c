/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member's end of a session of the shadow: it repeats the member's messages to the
 * live server, octet by octet, and receives the shadow's announcements.
 *
 * I1  While the session is up, the member's messages go to `fed` and to the session. A
 *     session that comes up first gets `fed`, from first net to last, and End-of-RIB. A
 *     net is sent in its present state of `fed`: no old state follows a newer state.
 * I2  At most FULL octets wait for a session: beyond, no feed is read until there is
 *     room. A session that accepts nothing for STUCK_NS is closed.
 * I3  A member reported down has no session and no fed routes.
 *
 * Loop: the shadow's. Tested by test/net/test_shadow.py,
 * test_shadow_feeds.py. */
#include "lib/attr/attr.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_refresh.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "lib/wire/wbuf.h"
#include "nest/core/tern.h"
#include "nest/foreign/foreign_update.h"
#include "nest/shadow/shadow_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_io.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#define FULL     (1u << 20)
#define LOG_MAX  (64u << 10) /* waiting octets at which the sending of `fed` pauses */
#define STUCK_NS (30 * NS_PER_S)
#define RETRY_NS NS_PER_S
#define HOLD_S   240 /* of a made OPEN */

static uint32_t
shadow_member_waits(const struct shadow_member *m)
{
	return m->session.out.len - m->session.out.pos;
}

/* shadow_member_weigh - I2. */
static void
shadow_member_weigh(struct shadow_member *m)
{
	bool full = m->is_full ? shadow_member_waits(m) > FULL / 2
			       : shadow_member_waits(m) > FULL;

	if (full == m->is_full)
		return;
	m->is_full = full;
	m->session.stuck_ns = shadow_now(m->of);
	m->of->full += full ? 1 : -1u;
	if (!m->of->full)
		worker_again(&m->of->worker);
}

/* ---- out ---- */

/* shadow_member_net - send the fed route of net @id. */
static void
shadow_member_net(struct shadow_member *m, uint32_t id)
{
	const struct wire_set *w = m->rib.cell[id].side[SHADOW_FED];
	const struct prefix *p;
	uint8_t nlri[NLRI_ID_LEN + PREFIX_WIRE_MAX] = { 0 };
	struct bgp_class c;
	struct wbuf b;
	unsigned len;
	size_t room;

	if (!w || !(m->terms.fams & FAM_BIT(m->of->net[id]->net.fam)))
		return;
	p = &m->of->net[id]->net;
	bgp_class_init(&c);
	c.as4 = m->terms.as4;
	c.ids = (m->terms.ids_in & FAM_BIT(p->fam)) != 0;
	c.send_local_pref = (w->has & WIRE_HAS_LOCAL_PREF) != 0;
	c.send_reflect = c.send_aigp = c.keep_confed = 1;
	len = c.ids ? NLRI_ID_LEN : 0;
	len += prefix_put(nlri + len, p);
	room = bgp_update_build_bound(&c, p->fam, w, len);
	b = wbuf_of(shadow_octets_room(&m->session.out, (uint32_t)room), room);
	if (bgp_update_build(&c, p->fam, w, nlri, len, &b) > 0)
		shadow_octets_got(&m->session.out, (uint32_t)wbuf_len(&b));
}

/* shadow_member_announce - I1. */
static void
shadow_member_announce(struct shadow_member *m)
{
	struct wbuf b;

	while (!m->session.announced && shadow_member_waits(m) < LOG_MAX) {
		if (m->session.announce_pos < m->rib.cell_cap) {
			shadow_member_net(m, m->session.announce_pos++);
			continue;
		}
		m->session.announced = true;
		for (unsigned f = 0; f < FAM_CNT; f++) {
			if (!(m->terms.fams & FAM_BIT(f)))
				continue;
			b = wbuf_of(shadow_octets_room(&m->session.out, BGP_EOR_MAX),
			    BGP_EOR_MAX);
			bgp_eor_put(&b, f);
			shadow_octets_got(&m->session.out, (uint32_t)wbuf_len(&b));
		}
	}
}

static void
shadow_member_flush(struct shadow_member *m)
{
	ssize_t n = 1;

	if (!sock_tcp_is_open(&m->session.sock))
		return;
	while (n > 0) {
		if (m->session.agreed)
			shadow_member_announce(m);
		if (!shadow_member_waits(m))
			break;
		n = sock_send(sock_tcp_fd(&m->session.sock),
		    m->session.out.at + m->session.out.pos, shadow_member_waits(m));
		if (n > 0)
			m->session.out.pos += (uint32_t)n;
	}
	shadow_member_weigh(m);
	/* reading reports a broken socket */
	sock_tcp_want(&m->session.sock, true, shadow_member_waits(m) && !n);
}

static void
member_put_keepalive(struct shadow_member *m)
{
	struct wbuf b = wbuf_of(
	    shadow_octets_room(&m->session.out, BGP_HDR_LEN), BGP_HDR_LEN);

	bgp_keepalive_put(&b);
	shadow_octets_got(&m->session.out, BGP_HDR_LEN);
	m->session.keep_at_ns = shadow_now(m->of) + m->terms.keep_s * NS_PER_S;
}

/* member_made_open - an OPEN for a member without a recorded OPEN. */
static struct bgp_open
member_made_open(const struct shadow_member *m)
{
	uint64_t word[2] = { m->remote.hi, m->remote.lo };
	struct bgp_open o = { .as = m->as, .hold_time = HOLD_S };

	o.router_id = ip_is_v4(m->remote)
			  ? ip_to_v4(m->remote)
			  : (uint32_t)hash_bytes(0, word, sizeof(word)) | 1;
	bgp_caps_init(&o.caps);
	o.caps.mp = o.caps.refresh = true;
	o.caps.fam = FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6);
	o.caps.as4 = m->live.made_as4;
	o.caps.as = m->as;
	o.caps.ids_tx = m->live.made_ids;
	o.caps.add_path = m->live.made_ids != 0;
	return o;
}

static void
member_put_open(struct shadow_member *m)
{
	struct bgp_open o;
	struct wbuf b;

	if (m->live.open) {
		shadow_octets_put(&m->session.out, m->live.open, m->live.open_len);
		return;
	}
	o = member_made_open(m);
	b = wbuf_of(shadow_octets_room(&m->session.out, BGP_OPEN_MAX), BGP_OPEN_MAX);
	bgp_open_encode(&b, &o, true);
	shadow_octets_got(&m->session.out, (uint32_t)wbuf_len(&b));
}

/* ---- in ---- */

static uint8_t
member_fams_of(const struct bgp_caps *c)
{
	return c->mp ? c->fam : FAM_BIT(FAM_IP4);
}

/* shadow_member_rx_open - the OPEN of the shadow's session. Returns: NULL, or why no
 * session is possible. */
static const char *
shadow_member_rx_open(struct shadow_member *m, const struct bgp_msg *msg)
{
	struct bgp_open ours, its = member_made_open(m);
	struct bgp_err err = bgp_open_decode(msg->body, msg->body_len, &ours);
	uint32_t hold;

	if (!err.severity && m->live.open)
		err = bgp_open_decode(
		    m->live.open + BGP_HDR_LEN, m->live.open_len - BGP_HDR_LEN, &its);
	if (err.severity)
		return "an OPEN can't be read";
	m->terms.as4 = ours.caps.as4 && its.caps.as4;
	m->terms.ids_in = its.caps.ids_tx & ours.caps.ids_rx;
	m->terms.ids_out = ours.caps.ids_tx & its.caps.ids_rx;
	m->terms.fams = member_fams_of(&ours.caps) & member_fams_of(&its.caps);
	hold = (uint32_t)min_u64(ours.hold_time, its.hold_time);
	m->terms.keep_s = hold ? (uint32_t)max_u64(1, hold / 3) : 0;
	m->session.agreed = true;
	m->session.announced = false;
	m->session.announce_pos = 0;
	m->session.why[0] = '\0';
	member_put_keepalive(m);
	return NULL;
}

/* shadow_member_rx_notification - Returns: the text of the NOTIFICATION. A NOTIFICATION
 * that rejects a connection keeps the earlier reason. */
static const char *
shadow_member_rx_notification(struct shadow_member *m, const struct bgp_msg *msg)
{
	char text[BGP_NOTIFY_TEXT_MAX];
	struct bgp_notify n;

	if (!bgp_notify_decode(msg->body, msg->body_len, &n))
		return "a NOTIFICATION that can't be read";
	if (m->session.agreed || n.code != BGP_E_CEASE || n.subcode != BGP_EC_REJECTED)
		snprintf(m->session.why, sizeof(m->session.why), "%.63s",
		    bgp_notify_text(text, &n));
	return m->session.why;
}

static const char *
shadow_member_rx(struct shadow_member *m, const struct bgp_msg *msg)
{
	struct foreign_update u = { .body = msg->body,
		.len = msg->body_len,
		.as4 = m->terms.as4,
		.ids = m->terms.ids_out };
	uint8_t eor;

	switch (msg->type) {
	case BGP_OPEN:
		return shadow_member_rx_open(m, msg);
	case BGP_KEEPALIVE:
		m->session.up = m->session.agreed;
		return NULL;
	case BGP_UPDATE:
		return shadow_rib_update(m, SHADOW_OURS, &u, &eor);
	case BGP_NOTIFICATION:
		return shadow_member_rx_notification(m, msg);
	default: /* ROUTE-REFRESH: AFI, kind, SAFI (RFC 7313, 3.2) */
		if (msg->body_len == 4 && !msg->body[2]) {
			m->session.announced = false;
			m->session.announce_pos = 0;
		}
		return NULL;
	}
}

static void
shadow_member_messages(struct shadow_member *m)
{
	enum bgp_frame got = BGP_FRAME_DONE;
	const char *why = NULL;
	struct bgp_msg msg;
	struct bgp_err err;

	while (!why) {
		got = bgp_msg_frame(m->session.in.at + m->session.in.pos,
		    m->session.in.len - m->session.in.pos, BGP_MSG_EXT_MAX, &msg, &err);
		if (got != BGP_FRAME_DONE)
			break;
		why = shadow_member_rx(m, &msg);
		m->session.in.pos += msg.len;
	}
	if (got == BGP_FRAME_BAD)
		why = "a message can't be read";
	if (why)
		shadow_member_close(m, why);
	else
		shadow_member_flush(m);
}

static void
shadow_member_readable(struct sock_tcp *s)
{
	struct shadow_member *m = container_of(s, struct shadow_member, session.sock);
	ssize_t n = sock_tcp_read(
	    s, shadow_octets_room(&m->session.in, SHADOW_READ), SHADOW_READ);

	if (n < 0) {
		shadow_member_close(m, "Connection closed");
	} else if (n > 0) {
		shadow_octets_got(&m->session.in, (uint32_t)n);
		shadow_member_messages(m);
	}
}

static void
shadow_member_writable(struct sock_tcp *s)
{
	shadow_member_flush(container_of(s, struct shadow_member, session.sock));
}

static void
shadow_member_failed(struct sock_tcp *s, int err)
{
	shadow_member_close(
	    container_of(s, struct shadow_member, session.sock), strerror(-err));
}

static const struct sock_tcp_ops sock_ops = {
	.readable = shadow_member_readable,
	.writable = shadow_member_writable,
	.failed = shadow_member_failed,
};

/* ---- life of the session ---- */

void
shadow_member_close(struct shadow_member *m, const char *why)
{
	if (!sock_tcp_is_open(&m->session.sock))
		return;
	sock_tcp_close(&m->session.sock);
	if (m->session.agreed && why && why != m->session.why)
		strlcpy(m->session.why, why, sizeof(m->session.why));
	shadow_octets_free(&m->session.in);
	shadow_octets_free(&m->session.out);
	shadow_member_weigh(m);
	m->session.agreed = m->session.up = m->session.announced = false;
	m->session.retry_at_ns = shadow_now(m->of) + RETRY_NS;
	shadow_rib_clear(m, SHADOW_OURS);
}

static void
member_connect_now(struct shadow_member *m)
{
	struct tern *t = m->of->tern;
	struct os_fd fd[2];

	if (load_acquire32(&t->shutting_down)) /* pairs: SHUTDOWN */
		return;
	m->session.retry_at_ns = shadow_now(m->of) + RETRY_NS;
	if (sock_pair(fd))
		return;
	sock_tcp_adopt(&m->session.sock, fd[0]);
	m->of->inject(t, fd[1], m->remote, m->local);
	member_put_open(m);
	shadow_member_flush(m);
}

static void
member_come_up(struct shadow_member *m)
{
	m->live.fed_up = true;
	if (!sock_tcp_is_open(&m->session.sock))
		member_connect_now(m);
}

static void
shadow_member_init(struct shadow_member *m)
{
	sock_tcp_init(&m->session.sock, &m->of->worker, &sock_ops);
	htab_init(&m->rib.diffs, MEM_OTHER);
	m->live.made_as4 = true;
}

void
shadow_member_look(struct shadow_member *m, uint64_t now_ns)
{
	if (m->is_full && now_ns - m->session.stuck_ns > STUCK_NS)
		shadow_member_close(m, "the daemon takes no data");
	if (m->live.fed_up && !sock_tcp_is_open(&m->session.sock) &&
	    now_ns >= m->session.retry_at_ns)
		member_connect_now(m);
	if (m->session.agreed && m->terms.keep_s && now_ns >= m->session.keep_at_ns) {
		member_put_keepalive(m);
		shadow_member_flush(m);
	}
}

/* ---- messages of feeds ---- */

void
shadow_member_open(struct shadow_member *m, const uint8_t *msg, size_t len)
{
	if (m->live.fed_up) /* the previous session ended unnoticed */
		shadow_member_down(m, NULL, 0);
	mem_free(MEM_OTHER, m->live.open);
	m->live.open = mem_alloc(MEM_OTHER, len);
	memcpy(m->live.open, msg, len);
	m->live.open_len = (uint32_t)len;
	member_come_up(m);
}

void
shadow_member_down(struct shadow_member *m, const uint8_t *msg, size_t len)
{
	if (msg && m->session.agreed) {
		shadow_octets_put(&m->session.out, msg, len);
		shadow_member_flush(m);
	}
	shadow_member_close(m, NULL);
	m->live.fed_up = false;
	m->session.why[0] = '\0';
	shadow_rib_clear(m, SHADOW_FED);
}

/* member_take_form - recorded messages have the form @as4, @ids: if a made OPEN agreed on
 * another form, connect again with a new OPEN. The new session gets all fed routes. */
static void
member_take_form(struct shadow_member *m, bool as4, uint8_t ids)
{
	if (m->live.open || (as4 == m->live.made_as4 && ids == m->live.made_ids))
		return;
	m->live.made_as4 = as4;
	m->live.made_ids = ids;
	if (!sock_tcp_is_open(&m->session.sock))
		return;
	shadow_member_close(m, NULL);
	member_connect_now(m);
}

void
shadow_member_up(struct shadow_member *m)
{
	if (!m->live.fed_up)
		member_come_up(m);
}

const char *
shadow_member_message(
    struct shadow_member *m, const uint8_t *msg, size_t len, bool as4, uint8_t ids)
{
	struct foreign_update u = { .body = msg + BGP_HDR_LEN,
		.len = len - BGP_HDR_LEN,
		.as4 = as4,
		.ids = ids };
	const char *why;
	uint8_t eor;

	if (msg[18] == BGP_OPEN) {
		shadow_member_open(m, msg, len);
		return NULL;
	}
	if (msg[18] == BGP_NOTIFICATION) {
		shadow_member_down(m, msg, len);
		return NULL;
	}
	member_take_form(m, as4, ids);
	if (!m->live.fed_up)
		member_come_up(m);
	if (msg[18] != BGP_UPDATE)
		return NULL;
	why = shadow_rib_update(m, SHADOW_FED, &u, &eor);
	if (m->session.agreed) { /* else the session gets the route when it is up */
		shadow_octets_put(&m->session.out, msg, len);
		shadow_member_flush(m);
	}
	return why;
}

const char *
shadow_member_live(
    struct shadow_member *m, const uint8_t *msg, size_t len, bool as4, uint8_t ids)
{
	struct foreign_update u = { .body = msg + BGP_HDR_LEN,
		.len = len - BGP_HDR_LEN,
		.as4 = as4,
		.ids = ids };

	const char *why;
	uint8_t eor = 0;

	if (msg[18] == BGP_OPEN || msg[18] == BGP_NOTIFICATION)
		shadow_member_live_down(m);
	if (msg[18] != BGP_UPDATE)
		return NULL;
	why = shadow_rib_update(m, SHADOW_LIVE, &u, &eor);
	m->live.due &= (uint8_t)~eor;
	if (!m->live.due)
		shadow_rib_live(m, true);
	return why;
}

void
shadow_member_live_down(struct shadow_member *m)
{
	shadow_rib_clear(m, SHADOW_LIVE);
	shadow_rib_live(m, false);
}

static uint64_t
shadow_member_hash_of(struct ip_addr a)
{
	uint64_t word[2] = { a.hi, a.lo };

	return hash_bytes(0, word, sizeof(word));
}

struct shadow_member *
shadow_member_get(
    struct shadow *sh, struct ip_addr remote, struct ip_addr local, uint32_t as)
{
	struct shadow_member *m;
	struct htab_node *n;

	htab_each_same (n, &sh->by_addr, shadow_member_hash_of(remote)) {
		m = container_of(n, struct shadow_member, node);
		if (!ip_equal(m->remote, remote) ||
		    (!ip_is_none(m->local) && !ip_is_none(local) &&
			!ip_equal(m->local, local)))
			continue;
		if (ip_is_none(m->local))
			m->local = local;
		return m;
	}
	m = mem_zalloc(MEM_OTHER, sizeof(*m));
	m->of = sh;
	m->remote = remote;
	m->local = local;
	m->as = as;
	shadow_member_init(m);
	list_add_tail(&sh->members, &m->link);
	htab_add(&sh->by_addr, &m->node, shadow_member_hash_of(remote));
	return m;
}
