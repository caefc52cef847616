/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One client: its connection and its side of the BGP session (RFC 4271, 8, without the
 * passive half).
 *
 * Sockets never block. What is read goes through one buffer for all clients, which stays
 * in the processor's cache; only the beginning of a message that was cut is kept by its
 * client.
 *
 * I1  fd is -1 if state is CL_IDLE, and else only between load_client_hang_up and
 *     load_client_close.
 * I2  up_cnt counts clients in CL_ESTABLISHED, connecting_cnt those in the states before
 *     it.
 * I3  A client's routes count in the model (facts.up) only while its session is up.
 */
#include "test/load/load_run.h"

#include "lib/mem/mem.h"
#include "test/load/load_sock.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKOFF_MIN_NS (50 * NS_MS)
#define BACKOFF_MAX_NS (2 * NS_S)

uint8_t *
load_client_room(struct load_client *c)
{
	if (c->tx_pos == c->tx_len)
		c->tx_pos = c->tx_len = 0;
	if (c->tx_cap - c->tx_len < 2 * MSG_MAX) {
		c->tx_cap = c->tx_cap ? c->tx_cap * 2 : 4 * MSG_MAX;
		c->tx = mem_realloc(MEM_OTHER, c->tx, c->tx_cap, 1);
	}
	return c->tx + c->tx_len;
}

void
load_client_queue(struct load_client *c, unsigned len)
{
	c->tx_len += len;
	c->tx_msgs++;
}

static void
load_client_arm(struct load_run *r, struct load_client *c)
{
	struct epoll_event ev = { .data.u32 = c->nr };

	ev.events = (c->stalled ? 0 : EPOLLIN) | (c->tx_armed ? EPOLLOUT : 0);
	epoll_ctl(r->epoll, EPOLL_CTL_MOD, c->fd, &ev);
}

void
load_client_flush(struct load_run *r, struct load_client *c)
{
	bool want;
	ssize_t n;

	if (c->fd < 0)
		return;
	while (c->tx_pos < c->tx_len) {
		n = send(c->fd, c->tx + c->tx_pos, c->tx_len - c->tx_pos, MSG_NOSIGNAL);
		if (n <= 0)
			break; /* errors show up when reading */
		c->tx_pos += (size_t)n;
		c->tx_octets += (uint64_t)n;
	}
	if (c->feeding && c->tx_pos == c->tx_len)
		load_update_feed(r, c); /* goes out in the next turn */
	want = c->tx_pos < c->tx_len || c->state == CL_CONNECTING;
	if (want != c->tx_armed) {
		c->tx_armed = want;
		load_client_arm(r, c);
	}
	if (!want && c->tx_cap > 64 * MSG_MAX) { /* the first announcement was big */
		mem_free(MEM_OTHER, c->tx);
		c->tx = NULL;
		c->tx_cap = c->tx_pos = c->tx_len = 0;
	}
}

void
load_client_add_route(struct load_client *c, uint32_t route)
{
	if (c->route_cnt == c->route_cap) {
		c->route_cap = c->route_cap ? c->route_cap * 2 : 64;
		c->route = mem_realloc(
		    MEM_OTHER, c->route, c->route_cap, sizeof(*c->route));
	}
	c->route[c->route_cnt++] = route;
}

void
load_client_stall(struct load_run *r, struct load_client *c, bool stalled)
{
	c->stalled = stalled;
	if (c->fd >= 0)
		load_client_arm(r, c);
}

static void
load_client_say(const struct load_run *r, const struct load_client *c, const char *what)
{
	char s[IP_STR_MAX];

	fprintf(stderr, "%sternload: client %s: %s\n", isatty(2) ? "\r\033[K" : "",
	    ip_str(s, r->facts[c->nr].addr), what);
}

void
load_client_hang_up(struct load_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

void
load_client_close(struct load_run *r, struct load_client *c, const char *why)
{
	bool was_up = c->state == CL_ESTABLISHED;

	if (c->state == CL_IDLE)
		return;
	load_client_hang_up(c);
	c->state = CL_IDLE;
	c->tx_pos = c->tx_len = c->part_len = 0;
	c->tx_armed = c->feeding = false;
	if (was_up) {
		r->up_cnt--;
		if (why && !c->dropped) {
			load_client_say(r, c, why);
			r->lost++;
		}
		load_board_reset(&r->board, c->nr, r->now);
		load_model_client(&r->model, c->nr, false, r->now);
	} else {
		r->connecting_cnt--;
		r->retries++;
	}
	/* The same back-off for all would bring them back all at once. */
	c->backoff_ns = was_up || !c->backoff_ns ? BACKOFF_MIN_NS : c->backoff_ns * 2;
	if (c->backoff_ns > BACKOFF_MAX_NS)
		c->backoff_ns = BACKOFF_MAX_NS;
	c->retry_ns = r->now + c->backoff_ns / 2 +
		      load_rng_below(&r->retry_rng, (uint32_t)(c->backoff_ns / 2));
}

void
load_client_cease(struct load_run *r, struct load_client *c)
{
	if (c->state < CL_OPEN_SENT)
		return;
	load_client_queue(c, msg_put_notification(load_client_room(c), 6, 2));
	load_client_flush(r, c);
}

static void
load_client_connect_now(struct load_run *r, struct load_client *c)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT, .data.u32 = c->nr };
	int fd = load_sock_connect(r->facts[c->nr].addr, r->opt);

	if (fd < 0) {
		fprintf(stderr, "ternload: connect: %s\n", strerror(-fd));
		r->fatal = true;
		return;
	}
	c->fd = fd;
	c->state = CL_CONNECTING;
	c->tx_armed = true;
	c->rx_ns = r->now;
	c->hold_ns = 0;
	c->last_net = LOAD_NONE;
	c->last_msg = 0;
	r->connecting_cnt++;
	epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev);
}

/* What @c says of add-path for a family: the other side of what the server shall do. */
static unsigned
add_path_of(const struct load_run *r, const struct load_client *c)
{
	unsigned how = r->opt->add_paths;

	if (c->nr < r->opt->no_add_paths)
		return 0;
	return (how & ADD_PATH_TX ? ADD_PATH_RX : 0) |
	       (how & ADD_PATH_RX ? ADD_PATH_TX : 0);
}

static void
load_client_connected(struct load_run *r, struct load_client *c)
{
	unsigned fam;
	struct msg_open o = {
		.as = r->facts[c->nr].as,
		.router_id = r->facts[c->nr].router_id,
		.hold = (uint16_t)r->opt->hold_s,
		.as4 = c->as4_own,
		.refresh = true,
		.families = (uint8_t)r->opt->families,
	};

	for (fam = 0; fam < FAM_CNT; fam++)
		if (o.families >> fam & 1)
			o.add_path[fam] = (uint8_t)add_path_of(r, c);
	c->state = CL_OPEN_SENT;
	if (c->mute_ns)
		return; /* a step wants a connection on which nothing happens */
	load_client_queue(c, msg_put_open(load_client_room(c), &o));
	load_client_flush(r, c);
}

/* The server has to do what it shall; what one side alone offers isn't done. */
static int
load_client_negotiate(struct load_run *r, struct load_client *c, const struct msg_open *o)
{
	unsigned own = add_path_of(r, c), fam, have;

	for (fam = 0; fam < FAM_CNT; fam++) {
		if (!(r->opt->families >> fam & 1))
			continue;
		have = (o->add_path[fam] & ADD_PATH_TX ? ADD_PATH_RX : 0) |
		       (o->add_path[fam] & ADD_PATH_RX ? ADD_PATH_TX : 0);
		if ((own & ~have) == 0)
			continue;
		fprintf(stderr,
		    "ternload: the server doesn't %s several paths of IPv%c\n",
		    own & ~have & ADD_PATH_RX ? "send" : "take",
		    fam == FAM_IP4 ? '4' : '6');
		r->fatal = true;
		return -EPROTO;
	}
	c->ids_in = own & ADD_PATH_RX;
	c->ids_out = own & ADD_PATH_TX;
	return 0;
}

static int
load_client_take_open(
    struct load_run *r, struct load_client *c, const uint8_t *body, unsigned len)
{
	struct msg_open o;

	if (c->state != CL_OPEN_SENT || msg_get_open(&o, body, len))
		return -EPROTO;
	if (o.as != r->opt->server_as) {
		fprintf(stderr, "ternload: the server's AS is %u, not %u\n", o.as,
		    r->opt->server_as);
		r->fatal = true;
		return -EPROTO;
	}
	if (load_client_negotiate(r, c, &o))
		return -EPROTO;
	c->as4 = c->as4_own && o.as4;
	c->seen = &r->seen[c->as4 + 2 * c->ids_in];
	c->hold_ns = min_u64(o.hold, r->opt->hold_s) * NS_S;
	c->keepalive_ns = r->now;
	c->state = CL_OPEN_CONFIRM;
	load_client_queue(c, msg_put_keepalive(load_client_room(c)));
	load_client_flush(r, c);
	return 0;
}

static void
load_client_established(struct load_run *r, struct load_client *c)
{
	c->state = CL_ESTABLISHED;
	c->backoff_ns = 0;
	c->was_up = true;
	c->dropped = false;
	r->connecting_cnt--;
	if (++r->up_cnt + r->away_cnt == r->clients && !r->all_up_ns)
		r->all_up_ns = r->now;
	if (r->announcing) {
		if (!r->facts[c->nr].up)
			load_model_client(&r->model, c->nr, true, r->now);
		load_update_send_all(r, c);
	}
}

static int
take_notification(
    struct load_run *r, struct load_client *c, const uint8_t *body, unsigned len)
{
	char text[64];

	snprintf(text, sizeof(text), "notification %u/%u", len > 0 ? body[0] : 0,
	    len > 1 ? body[1] : 0);
	load_client_close(r, c, text);
	return 0;
}

static int
load_client_take_message(struct load_run *r, struct load_client *c, unsigned type,
    const uint8_t *p, unsigned mlen)
{
	const uint8_t *body = p + MSG_HEADER;
	unsigned len = mlen - MSG_HEADER;

	if (c->mute_ns)
		return 0;
	switch (type) {
	case MSG_OPEN:
		return load_client_take_open(r, c, body, len);
	case MSG_KEEPALIVE:
		if (c->state == CL_OPEN_CONFIRM)
			load_client_established(r, c);
		return c->state == CL_ESTABLISHED ? 0 : -EPROTO;
	case MSG_UPDATE:
		return c->state == CL_ESTABLISHED ? load_update_take(r, c, p, mlen)
						  : -EPROTO;
	case MSG_REFRESH:
		if (c->state == CL_ESTABLISHED && r->announcing)
			load_update_send_all(r, c);
		return 0;
	default:
		return take_notification(r, c, body, len);
	}
}

/* All whole messages in the @len octets at @p. The beginning of one more is kept. */
static void
take_octets(struct load_run *r, struct load_client *c, const uint8_t *p, size_t len)
{
	const char *nonsense = "received a message that makes no sense";
	unsigned mlen, type;
	size_t again;
	int err = 0;

	while (len >= MSG_HEADER) {
		if (c->state == CL_ESTABLISHED) {
			again = load_update_again(r, c, p, len);
			p += again;
			len -= again;
			if (len < MSG_HEADER)
				break;
		}
		err = msg_header(p, &mlen, &type);
		if (err || mlen > len)
			break;
		c->rx_msgs++;
		err = load_client_take_message(r, c, type, p, mlen);
		if (err || c->state == CL_IDLE)
			break;
		p += mlen;
		len -= mlen;
	}
	if (err) {
		r->malformed++;
		if (c->state != CL_ESTABLISHED || c->dropped) /* else closing says it */
			load_client_say(r, c, nonsense);
		load_client_queue(c, msg_put_notification(load_client_room(c), 1, 0));
		load_client_flush(r, c);
		load_client_close(r, c, nonsense);
		return;
	}
	if (c->state == CL_IDLE)
		return;
	c->part_len = (uint32_t)len;
	if (len) {
		if (!c->part)
			c->part = mem_alloc(MEM_OTHER, MSG_MAX);
		memcpy(c->part, p, len);
	}
}

static void
read_socket(struct load_run *r, struct load_client *c)
{
	ssize_t n;

	if (c->part_len)
		memcpy(r->rx_buf, c->part, c->part_len);
	n = recv(c->fd, r->rx_buf + c->part_len, r->rx_len - c->part_len, 0);
	r->now = load_now();
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		load_client_close(r, c, n < 0 ? strerror(errno) : "connection closed");
		return;
	}
	c->rx_ns = r->now;
	c->rx_octets += (uint64_t)n;
	take_octets(r, c, r->rx_buf, (size_t)n + c->part_len);
}

void
load_client_event(struct load_run *r, struct load_client *c, uint32_t events)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if (c->state == CL_IDLE)
		return;
	if (c->state == CL_CONNECTING) {
		if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len) || err)
			load_client_close(r, c, NULL);
		else if (events & EPOLLOUT)
			load_client_connected(r, c);
		return;
	}
	if (events & EPOLLOUT)
		load_client_flush(r, c);
	if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) &&
	    (!c->stalled || events & (EPOLLHUP | EPOLLERR)))
		read_socket(r, c);
}

void
load_client_tick(struct load_run *r, struct load_client *c)
{
	uint64_t limit = c->hold_ns ? c->hold_ns : 10 * NS_S;

	if (c->mute_ns && r->now >= c->mute_ns) {
		c->mute_ns = 0;
		load_client_close(r, c, NULL);
	}
	if (c->state == CL_IDLE) {
		if (!c->away && r->now >= c->retry_ns &&
		    r->connecting_cnt < r->opt->burst)
			load_client_connect_now(r, c);
		return;
	}
	if (c->state < CL_ESTABLISHED || c->hold_ns) {
		if (!c->stalled && r->now > c->rx_ns + limit) {
			load_client_close(r, c, "hold timer expired");
			return;
		}
	}
	if (c->state >= CL_OPEN_CONFIRM && c->hold_ns &&
	    r->now >= c->keepalive_ns + c->hold_ns / 3) {
		c->keepalive_ns = r->now;
		load_client_queue(c, msg_put_keepalive(load_client_room(c)));
		load_client_flush(r, c);
	}
}
