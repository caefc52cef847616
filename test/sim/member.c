/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A member's session: dial, OPEN, KEEPALIVE, hold timer, routes out and in.
 *
 * One task a member. The story changes the wishes of a member (wanted, reads,
 * announced) and sets `work`; the task acts on the wishes. The member dials again after
 * a drawn pause while a session is wanted. */
#include "test/sim/codec.h"
#include "test/sim/member_refresh.h"
#include "test/sim/member_role.h"
#include "test/sim/member_stale.h"
#include "test/sim/member_told.h"
#include "test/sim/script.h"
#include "test/sim/sim_priv.h"
#include "test/sim/tcp.h"

#include <bsd/string.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char *
member_has(const struct member *m, const char *prefix, const char *words)
{
	const struct rib_route *r;
	struct rib_key k;
	uint32_t at = 0;

	if (!rib_key_of(&k, prefix, 0))
		return NULL;
	if (!m->gets_id[k.v6]) {
		struct rib_attrs *a = rib_get(&m->received, &k);

		return a && strstr(codec_text(a), words) ? codec_text(a) : NULL;
	}
	while ((r = rib_next(&m->received, &at))) {
		k.id = r->key.id;
		if (rib_same(&r->key, &k) && strstr(codec_text(r->attrs), words))
			return codec_text(r->attrs);
	}
	return NULL;
}

static void
pending_add(struct member *m, const struct rib_key *k, struct rib_attrs *attrs)
{
	if (m->pending_cnt == m->pending_cap) {
		m->pending_cap = m->pending_cap ? 2 * m->pending_cap : 64;
		m->pending = reallocarray(
		    m->pending, m->pending_cap, sizeof(*m->pending));
	}
	m->pending[m->pending_cnt++] = (struct pending){ *k, attrs };
	m->work = true;
}

static void
pending_clear(struct member *m)
{
	m->pending_at = m->pending_cnt = 0;
}

void
member_send_all(struct member *m)
{
	const struct rib_route *r;
	uint32_t at = 0;

	while ((r = rib_next(&m->announced, &at)))
		pending_add(m, &r->key, r->attrs);
}

static bool
has_ipv6_hop(const char *attrs)
{
	const char *hop = strstr(attrs, "next hop "),
		   *colon = hop ? strchr(hop, ':') : NULL;

	return colon && strcspn(hop + 9, " ") > (size_t)(colon - hop) - 9;
}

void
member_announce(struct member *m, const char *prefix, uint32_t id, const char *attrs)
{
	struct rib_attrs *a = attrs ? rib_attrs_of(attrs) : NULL;
	struct rib_key k;

	if (!rib_key_of(&k, prefix, id))
		sim_fail("%s is no prefix", prefix);
	if (a)
		script_step(id ? "%s announces %s id %u %s" : "%s announces %s%.0u %s",
		    m->name, prefix, id, attrs);
	else if (rib_get(&m->announced, &k)) /* else a story refuses the step */
		script_step(id ? "%s %s %s id %u" : "%s %s %s%.0u", m->name,
		    m->wanted ? "withdraws" : "drops", prefix, id);
	if (a && !k.v6 && !m->extended_hop && has_ipv6_hop(attrs))
		sim_fail("%s lacks extended-next-hop, and %s has an IPv6 next hop",
		    m->name, prefix);
	if (a)
		rib_put(&m->announced, &k, a);
	else
		rib_drop(&m->announced, &k);
	if (m->up)
		pending_add(m, &k, a);
}

static void
out_put(struct member *m, const void *octets, uint32_t len)
{
	if (m->out_len + len > sizeof(m->out))
		return; /* a member that cannot send has lost its session soon */
	memcpy(m->out + m->out_len, octets, len);
	m->out_len += len;
}

void
member_send_raw(struct member *m, const void *octets, uint32_t len)
{
	out_put(m, octets, len);
	m->work = true;
}

static void
session_gone(struct member *m, const char *why)
{
	bool was_up = m->up, keeps = stale_keeps(m);

	if (m->fd >= 0)
		close(m->fd);
	sim_event("session of %s ends: %s", m->name, why);
	if (m->up && m->wanted && m->falls == MEMBER_STANDS)
		sim_fail("%s lost a session without a reason of the story: %s, last "
			 "NOTIFICATION %u/%u",
		    m->name, why, m->error_code, m->error_subcode);
	m->downs += m->up;
	if (was_up)
		m->down_ns = sim_now();
	m->has_ended[0] = m->has_ended[1] = false;
	m->fd = -1;
	m->up = false;
	m->in_len = m->out_len = 0;
	pending_clear(m);
	refresh_clear(m);
	told_clear(m, was_up && m->restarts);
	if (keeps) {
		stale_begin(m);
	} else if (was_up || !m->wanted) {
		rib_clear(&m->received);
		stale_clear(m);
	}
	m->changed_ns = sim_now();
}

void
member_up(struct member *m)
{
	if (!m->scripted)
		script_member(m);
	m->scripted = true;
	script_step("%s up", m->name);
	m->wanted = m->work = true;
}

void
member_reads(struct member *m, bool reads)
{
	script_step("%s %s", m->name, reads ? "reads" : "stops reading");
	m->reads = reads;
	m->work = true;
}

void
member_down(struct member *m, bool reset)
{
	struct sim_file *f = m->fd >= 0 ? sim_fd_get(m->fd) : NULL;
	uint8_t buf[32];

	script_step("%s %s", m->name, reset ? "lost" : "down");
	m->wanted = false;
	m->work = true;
	if (!f)
		return;
	if (!reset && m->up) {
		memcpy(buf + 19, "\6\2", 2);
		codec_header(buf, BGP_NOTIFICATION, 21);
		/* send would let the member's task run, and the task would close the
		 * connection before the NOTIFICATION. */
		f->ops->write(f, buf, 21, MSG_DONTWAIT);
	}
	session_gone(m, reset ? "reset by the member" : "closed by the member");
}

uint64_t
member_ns(const struct member *m, uint64_t s)
{
	return s * m->timer_percent * (SIM_S / 100);
}

static uint64_t
member_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool
has_work(void *arg)
{
	return ((struct member *)arg)->work;
}

/* writable_or_work - of a connection under way. */
static bool
member_decided(void *arg)
{
	struct member *m = arg;
	struct sim_file *f = m->fd >= 0 ? sim_fd_get(m->fd) : NULL;

	return m->work || !f || f->ops->events(f);
}

void
member_set_ttl(struct member *m, int ttl)
{
	m->ttl = ttl;
	if (m->fd < 0 || !ttl)
		return;
	if (strchr(m->address, ':'))
		setsockopt(m->fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &ttl, sizeof(ttl));
	else
		setsockopt(m->fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));
}

/* dial - Returns: is there a connection? */
static bool
member_dial(struct member *m)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(int);
	int error = 0;

	tcp_address(&sa, m->address, 0);
	m->fd = socket(sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP);
	bind(m->fd, (struct sockaddr *)&sa, sizeof(sa));
	tcp_address(&sa, m->server, 179);
	if (*m->password) {
		struct tcp_md5sig sig = { .tcpm_keylen = (uint16_t)strlen(m->password) };

		memcpy(&sig.tcpm_addr, &sa, sizeof(sa));
		memcpy(sig.tcpm_key, m->password, sig.tcpm_keylen);
		setsockopt(m->fd, IPPROTO_TCP, TCP_MD5SIG, &sig, sizeof(sig));
	}
	member_set_ttl(m, m->ttl);
	connect(m->fd, (struct sockaddr *)&sa, sizeof(sa));
	m->work = false;
	while (!sim_wait(member_decided, m, stale_next_ns(m)))
		stale_expire(m);
	if (m->fd < 0 || !m->wanted)
		return false;
	getsockopt(m->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error) {
		close(m->fd);
		m->fd = -1;
	}
	return !error;
}

/* establish - after the first KEEPALIVE: all routes are to be sent. */
static void
member_establish(struct member *m)
{
	m->up = true;
	m->up_ns = sim_now();
	m->received_most = m->received.cnt;
	m->changed_ns = sim_now();
	m->ends_due = m->restarts && !m->forgets;
	role_check_peer(m);
	stale_back(m);
	if (m->falls == MEMBER_MAY_FALL_ONCE)
		m->falls = MEMBER_STANDS;
	sim_event("session of %s is up", m->name);
	member_send_all(m);
}

/* message - one whole message. Returns: false: the session has ended. */
static bool
member_message(struct member *m, uint8_t type, const uint8_t *body, uint32_t len)
{
	uint8_t buf[32];

	m->heard_ns = sim_now();
	switch (type) {
	case BGP_OPEN:
		if (!codec_take_open(m, body, len))
			sim_fail("%s got a malformed OPEN", m->name);
		if (m->mute)
			m->owes_keepalive = true;
		else
			out_put(m, buf, codec_header(buf, BGP_KEEPALIVE, 19));
		return true;
	case BGP_KEEPALIVE:
		if (!m->up)
			member_establish(m);
		return true;
	case BGP_UPDATE:
		m->updates++;
		m->ended[0] = m->ended[1] = false;
		m->changed_ns = sim_now();
		if (!codec_take_update(m, body, len))
			sim_fail(
			    "%s got a malformed UPDATE of %u octets", m->name, len + 19);
		for (unsigned v6 = 0; v6 < 2; v6++)
			if (m->ended[v6])
				stale_drop(m, v6);
		if (m->received.cnt > m->received_most)
			m->received_most = m->received.cnt;
		return true;
	case BGP_REFRESH:
		refresh_got(m, body, len);
		return true;
	case BGP_NOTIFICATION:
		m->error_code = len > 0 ? body[0] : 0;
		m->error_subcode = len > 1 ? body[1] : 0;
		return false;
	default:
		sim_fail("%s got a message of type %u", m->name, type);
	}
}

/* message_max - RFC 8654. */
static uint32_t
message_max(const struct member *m)
{
	return m->uses_extended_messages ? CODEC_MAX : CODEC_USUAL_MAX;
}

/* take - whole messages of what was read. Returns: false: the session has ended. */
static bool
member_take(struct member *m)
{
	uint32_t at = 0;

	while (m->in_len - at >= 19) {
		uint32_t len = (uint32_t)m->in[at + 16] << 8 | m->in[at + 17];

		if (len < 19 || len > message_max(m))
			sim_fail("%s got a message of %u octets", m->name, len);
		if (m->in_len - at < len)
			break;
		if (!member_message(m, m->in[at + 18], m->in + at + 19, len - 19))
			return false;
		m->longest = len > m->longest ? len : m->longest;
		at += len;
	}
	memmove(m->in, m->in + at, m->in_len - at);
	m->in_len -= at;
	return true;
}

/* put_ends - all routes are sent: End-of-RIB of each family (RFC 4724, 2), if due. */
static void
member_put_ends(struct member *m)
{
	uint8_t buf[32] = { 0 };

	refresh_ends(m);
	if (!m->ends_due)
		return;
	m->ends_due = false;
	rib_clear(&m->kept);
	out_put(m, buf, codec_header(buf, BGP_UPDATE, 23));
	memcpy(buf + 19, "\0\0\0\6\x80\x0f\3\0\2\1", 10);
	if (m->ipv6)
		out_put(m, buf, codec_header(buf, BGP_UPDATE, 29));
}

/* fill_out - turn pending routes into messages, while there is room. */
static void
fill_out(struct member *m)
{
	uint8_t buf[CODEC_MAX];

	while (m->pending_at < m->pending_cnt &&
	       m->out_len < sizeof(m->out) - message_max(m)) {
		uint32_t cnt = m->pending_cnt - m->pending_at;

		out_put(m, buf, codec_update(m, m->pending + m->pending_at, &cnt, buf));
		for (uint32_t i = 0; i < cnt; i++)
			told_put(m, &m->pending[m->pending_at + i]);
		m->pending_at += cnt;
	}
	if (m->pending_at == m->pending_cnt)
		pending_clear(m);
}

/* flush - Returns: false: the connection broke. */
static bool
member_flush(struct member *m)
{
	while (m->out_len) {
		ssize_t n = send(m->fd, m->out, m->out_len, MSG_DONTWAIT);

		if (n < 0)
			return errno == EAGAIN;
		if ((uint32_t)n > m->out_len) /* the story ended the session meanwhile */
			return true;
		m->sent_ns = sim_now();
		m->out_len -= (uint32_t)n;
		memmove(m->out, m->out + n, m->out_len);
	}
	return true;
}

/* source_read_all - Returns: false: the session has ended. */
static bool
member_read_all(struct member *m)
{
	while (m->reads) {
		ssize_t n = recv(
		    m->fd, m->in + m->in_len, sizeof(m->in) - m->in_len, MSG_DONTWAIT);

		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		m->in_len += (uint32_t)n;
		if (!member_take(m))
			return false;
	}
	return true;
}

static bool
may_go_on(void *arg)
{
	struct member *m = arg;
	struct sim_file *f = m->fd >= 0 ? sim_fd_get(m->fd) : NULL;
	short want = (short)((m->reads ? POLLIN : 0) | (m->out_len ? POLLOUT : 0) |
			     POLLERR);

	return m->work || !f || f->ops->events(f) & want;
}

void
member_mute(struct member *m, bool mute)
{
	script_step("%s %s", m->name, mute ? "mute" : "speaks");
	m->mute = mute;
	m->silent = false;
	m->work = true;
}

/* member_say_open - also the KEEPALIVE for an OPEN that came before. */
static void
member_say_open(struct member *m)
{
	uint8_t buf[512];

	out_put(m, buf, codec_open(m, buf));
	if (m->owes_keepalive)
		out_put(m, buf, codec_header(buf, BGP_KEEPALIVE, 19));
	m->owes_keepalive = false;
}

/* speak - a session from the connection to its end. */
static void
member_speak(struct member *m)
{
	uint8_t buf[32];
	const char *why = "the peer closed";
	bool opens = false;

	m->heard_ns = m->sent_ns = sim_now();
	m->error_code = 0;
	m->longest = 0;
	m->uses_extended_messages = false; /* until the daemon's OPEN */
	m->hold_used_s = m->hold_s;
	m->owes_keepalive = false;
	while (m->fd >= 0 && m->wanted) {
		uint64_t hold_ns, until = SIM_NEVER;

		m->work = false;
		if (!opens && !m->mute) {
			member_say_open(m);
			opens = true;
		}
		stale_expire(m);
		if (!member_read_all(m) || m->fd < 0)
			break;
		if (sim_fd_get(m->fd)->ops->events(sim_fd_get(m->fd)) & POLLERR) {
			why = "reset by the peer";
			break;
		}
		hold_ns = opens ? member_ns(m, m->hold_used_s) : 0;
		if (m->up)
			fill_out(m);
		if (m->up && m->pending_at == m->pending_cnt)
			member_put_ends(m);
		if (m->up && hold_ns && !m->silent &&
		    sim_now() - m->sent_ns >= hold_ns / 3)
			out_put(m, buf, codec_header(buf, BGP_KEEPALIVE, 19));
		if (!member_flush(m))
			break;
		if (hold_ns && m->reads && sim_now() - m->heard_ns > hold_ns) {
			why = "the member's hold timer expired";
			break;
		}
		if (hold_ns) {
			until = m->heard_ns + hold_ns + 1;
			if (m->up && !m->silent && m->sent_ns + hold_ns / 3 < until)
				until = m->sent_ns + hold_ns / 3;
		}
		if (until <= sim_now())
			until = sim_now() + SIM_S;
		sim_wait(may_go_on, m, member_earlier(until, stale_next_ns(m)));
	}
	if (m->fd >= 0)
		session_gone(m, why);
}

/* member_pause - wait for work, until @until_ns. */
static void
member_pause(struct member *m, uint64_t until_ns)
{
	do {
		stale_expire(m);
		sim_wait(has_work, m, member_earlier(until_ns, stale_next_ns(m)));
	} while (!m->work && sim_now() < until_ns);
}

static void *
member_task(void *arg)
{
	struct member *m = arg;

	for (;;) {
		m->work = false;
		if (!m->wanted) {
			sim_wait(has_work, m, SIM_NEVER);
			continue;
		}
		if (member_dial(m))
			member_speak(m);
		m->work = false;
		if (m->wanted)
			member_pause(m, sim_now() + SIM_S + sim_random(4 * SIM_S));
	}
	return NULL;
}

struct member *
member_new(const char *name, uint32_t as, const char *address, const char *server)
{
	struct member *m = calloc(1, sizeof(*m));

	strlcpy(m->name, name, sizeof(m->name));
	strlcpy(m->address, address, sizeof(m->address));
	strlcpy(m->server, server, sizeof(m->server));
	m->as = as;
	m->hold_s = 90;
	m->timer_percent = 100;
	m->reads = true;
	m->falls = MEMBER_MAY_FALL;
	m->fd = -1;
	stale_clear(m);
	sim_task_new(name, false, member_task, m);
	return m;
}
