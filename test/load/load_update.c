/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATE messages, both ways.
 *
 * Receiving is the hot path. Most messages were received before, by this client or
 * another, and are recognized by their octets (load_seen.h). Of others attributes become
 * a number (load_set.c), and each prefix becomes one by a guess that is mostly right
 * (load_net.h). The board takes it from there. */
#include "test/load/load_run.h"

#include <errno.h>

/* What a message comes to. Prefixes that are withdrawn come first. */
struct taken {
	uint32_t set;
	unsigned gone_cnt, cnt;
	uint32_t col[MSG_MAX];
};

static int
load_update_take_prefixes(struct load_run *r, struct load_client *c, struct taken *t,
    struct span s, enum family fam)
{
	uint32_t net = c->last_net, key;
	uint64_t hi, lo;

	while (s.len) {
		if (!msg_next_prefix(&s, fam, &hi, &lo, &key))
			return -EPROTO;
		net = load_nets_after(&r->nets, net, hi, lo, key);
		t->col[t->cnt++] = load_board_column(&r->board, net);
	}
	c->last_net = net;
	return 0;
}

static int
take_paths(struct load_run *r, struct load_client *c, struct taken *t, struct span s,
    enum family fam)
{
	struct load_pathid p = { 0 };
	uint32_t nr = c->last_net;

	while (s.len) {
		if (!msg_next_id(&s, &p.id) ||
		    !msg_next_prefix(&s, fam, &p.hi, &p.lo, &p.key))
			return -EPROTO;
		nr = load_addpath_number(&r->board, nr, &p);
		t->col[t->cnt++] = nr;
	}
	c->last_net = nr;
	return 0;
}

static int
take_nlri(struct load_run *r, struct load_client *c, struct taken *t, struct span s,
    enum family fam)
{
	return c->ids_in ? take_paths(r, c, t, s, fam)
			 : load_update_take_prefixes(r, c, t, s, fam);
}

static int
take_apart(struct load_run *r, struct load_client *c, struct taken *t,
    const uint8_t *body, unsigned len)
{
	struct msg_update u;
	int err = msg_get_update(&u, body, len);

	t->set = 0;
	t->cnt = 0;
	if (!err && (u.nlri.len || u.mp_nlri.len)) {
		t->set = load_set_of_update(&r->sets, &u, c->as4);
		if (!t->set)
			err = -EPROTO;
	}
	if (!err && u.withdrawn.len)
		err = take_nlri(r, c, t, u.withdrawn, FAM_IP4);
	if (!err && u.mp_withdrawn.len)
		err = take_nlri(r, c, t, u.mp_withdrawn, u.mp_withdrawn_family);
	t->gone_cnt = t->cnt;
	if (!err && u.nlri.len)
		err = take_nlri(r, c, t, u.nlri, FAM_IP4);
	if (!err && u.mp_nlri.len)
		err = take_nlri(r, c, t, u.mp_nlri, u.mp_family);
	return err;
}

/* The board learns of @cnt columns of @m from @at. */
static inline void
load_update_receive(struct load_run *r, uint32_t client, const struct load_seen_msg *m,
    unsigned at, unsigned cnt, uint32_t set)
{
	if (m->run)
		load_board_receive_run(
		    &r->board, client, m->col[0] + at, cnt, set, r->now);
	else
		load_board_receive_list(&r->board, client, m->col + at, cnt, set, r->now);
}

static inline void
receive_seen(struct load_run *r, uint32_t client, const struct load_seen_msg *m)
{
	struct load_board_row *row = &r->board.row[client];
	unsigned more = m->cnt - m->gone_cnt;

	row->withdrawn += m->gone_cnt;
	row->prefixes += more;
	if (unlikely(m->gone_cnt))
		load_update_receive(r, client, m, 0, m->gone_cnt, 0);
	load_update_receive(r, client, m, m->gone_cnt, more, m->set);
}

/* receive_seen of a client with path identifiers. */
static void
receive_paths(struct load_run *r, uint32_t client, const struct load_seen_msg *m)
{
	struct load_board_row *row = &r->board.row[client];
	unsigned gone = m->gone_cnt, more = m->cnt - gone;

	row->withdrawn += gone;
	row->prefixes += more;
	if (m->run) {
		load_addpath_receive_run(&r->board, client, m->col[0], gone, 0, r->now);
		load_addpath_receive_run(
		    &r->board, client, m->col[0] + gone, more, m->set, r->now);
	} else {
		load_addpath_receive_list(&r->board, client, m->col, gone, 0, r->now);
		load_addpath_receive_list(
		    &r->board, client, m->col + gone, more, m->set, r->now);
	}
}

static void
note_update(const struct load_run *r, struct load_client *c)
{
	if (r->now - c->update_ns > c->gap_ns)
		c->gap_ns = r->now - c->update_ns;
	c->update_ns = r->now;
}

/* load_update_again of a client with path identifiers: a loop of its own, so that the
 * other one has no question more for each message. */
static size_t
paths_again(struct load_run *r, struct load_client *c, const uint8_t *p, size_t len)
{
	size_t done = 0;
	uint32_t nr;

	while ((nr = load_seen_after(c->seen, c->last_msg, p + done, len - done))) {
		const struct load_seen_msg *m = load_seen_get(c->seen, nr);

		receive_paths(r, c->nr, m);
		c->last_msg = nr;
		c->rx_msgs++;
		done += m->len;
	}
	if (done)
		note_update(r, c);
	return done;
}

size_t
load_update_again(struct load_run *r, struct load_client *c, const uint8_t *p, size_t len)
{
	struct load_seen *s = c->seen;
	size_t done = 0;
	uint32_t nr;

	if (unlikely(c->ids_in))
		return paths_again(r, c, p, len);
	while ((nr = load_seen_after(s, c->last_msg, p + done, len - done))) {
		const struct load_seen_msg *m = load_seen_get(s, nr);

		receive_seen(r, c->nr, m);
		c->last_msg = nr;
		c->rx_msgs++;
		done += m->len;
	}
	if (done)
		note_update(r, c);
	return done;
}

/* Keep a message for the others. */
static void
load_update_keep(struct load_run *r, struct load_client *c, const struct taken *t,
    const uint8_t *p, unsigned len)
{
	struct load_seen *s = c->seen;
	uint32_t i;

	if (unlikely(load_seen_full(s))) {
		load_seen_clear(s);
		for (i = 0; i < r->clients; i++)
			if (r->client[i].seen == s)
				r->client[i].last_msg = 0;
	}
	c->last_msg = load_seen_add(
	    s, c->last_msg, p, len, t->set, t->col, t->gone_cnt, t->cnt);
}

int
load_update_take(
    struct load_run *r, struct load_client *c, const uint8_t *p, unsigned len)
{
	uint32_t nr = load_seen_find(c->seen, c->last_msg, p, len);
	struct load_board_row *row = &r->board.row[c->nr];
	void (*receive_list)(struct load_board * b, uint32_t client, const uint32_t *col,
	    uint32_t cnt, uint32_t set, uint64_t now);
	struct taken t;

	note_update(r, c);
	if (nr) {
		c->last_msg = nr;
		if (unlikely(c->ids_in))
			receive_paths(r, c->nr, load_seen_get(c->seen, nr));
		else
			receive_seen(r, c->nr, load_seen_get(c->seen, nr));
		return 0;
	}
	if (take_apart(r, c, &t, p + MSG_HEADER, len - MSG_HEADER))
		return -EPROTO;
	row->withdrawn += t.gone_cnt;
	row->prefixes += t.cnt - t.gone_cnt;
	receive_list = c->ids_in ? load_addpath_receive_list : load_board_receive_list;
	receive_list(&r->board, c->nr, t.col, t.gone_cnt, 0, r->now);
	receive_list(
	    &r->board, c->nr, t.col + t.gone_cnt, t.cnt - t.gone_cnt, t.set, r->now);
	load_update_keep(r, c, &t, p, len);
	return 0;
}

/* Octets that a prefix takes at most. */
static unsigned
nlri_max(const struct load_client *c)
{
	return c->ids_out ? 4 + 17 : 17;
}

static unsigned
load_update_put_nlri(const struct load_run *r, const struct load_client *c, uint8_t *to,
    const struct model_route *q)
{
	const struct load_net *n = &r->nets.net[q->net];
	unsigned at = 0;

	if (c->ids_out) {
		put_be32(to, q->id);
		at = 4;
	}
	return at + msg_put_prefix(to + at, n->hi, n->lo, n->key & 0xff);
}

/* One UPDATE that announces as many of the first routes as have one set and family.
 * Returns: how many. */
static uint32_t
send_reach(struct load_run *r, struct load_client *c, const uint32_t *route, uint32_t cnt)
{
	const struct model_route *first = &r->model.route[route[0]];
	enum family fam = load_net_family(&r->nets.net[first->net]);
	uint8_t *m = load_client_room(c);
	unsigned mp_at, at, len;
	uint32_t i;

	at = attr_put_update(m, r->sets.set[first->set].canon, c->as4, fam, &mp_at);
	len = at;
	for (i = 0; i < cnt && len + nlri_max(c) <= MSG_MAX; i++) {
		const struct model_route *q = &r->model.route[route[i]];

		if (q->set != first->set ||
		    load_net_family(&r->nets.net[q->net]) != fam ||
		    (r->opt->interleave && i))
			break;
		len += load_update_put_nlri(r, c, m + len, q);
	}
	ASSERT(i > 0); /* generated and recorded attributes leave room for a prefix */
	load_client_queue(c, attr_finish_update(m, len, at, mp_at));
	return i;
}

/* As send_reach, for withdrawals. */
static uint32_t
send_unreach(
    struct load_run *r, struct load_client *c, const uint32_t *route, uint32_t cnt)
{
	enum family fam = load_net_family(&r->nets.net[r->model.route[route[0]].net]);
	uint8_t *m = load_client_room(c);
	unsigned at, len;
	uint32_t i;

	at = len = MSG_HEADER + (fam == FAM_IP4 ? 2 : 11);
	for (i = 0; i < cnt && len + nlri_max(c) + 2 <= MSG_MAX; i++) {
		const struct model_route *q = &r->model.route[route[i]];

		if (q->set || load_net_family(&r->nets.net[q->net]) != fam)
			break;
		len += load_update_put_nlri(r, c, m + len, q);
	}
	if (fam == FAM_IP4) {
		put_be16(m + MSG_HEADER, (uint16_t)(len - at));
		put_be16(m + len, 0);
		len += 2;
	} else {
		put_be16(m + MSG_HEADER, 0);
		put_be16(m + MSG_HEADER + 2, (uint16_t)(len - MSG_HEADER - 4));
		m[MSG_HEADER + 4] = AF_OPTIONAL | AF_EXTENDED;
		m[MSG_HEADER + 5] = A_MP_UNREACH;
		put_be16(m + MSG_HEADER + 6, (uint16_t)(len - MSG_HEADER - 8));
		put_be16(m + MSG_HEADER + 8, family_afi(fam));
		m[MSG_HEADER + 10] = SAFI_UNICAST;
	}
	msg_put_header(m, len, MSG_UPDATE);
	load_client_queue(c, len);
	return i;
}

void
load_update_put(
    struct load_run *r, struct load_client *c, const uint32_t *route, uint32_t cnt)
{
	uint32_t i = 0;

	while (i < cnt) {
		if (r->model.route[route[i]].set)
			i += send_reach(r, c, route + i, cnt - i);
		else
			i += send_unreach(r, c, route + i, cnt - i);
	}
}

void
load_update_send(
    struct load_run *r, struct load_client *c, const uint32_t *route, uint32_t cnt)
{
	load_update_put(r, c, route, cnt);
	load_client_flush(r, c);
}

#define FEED_PART 20000 /* routes; encoding them takes a few ms */

/* What changes meanwhile has been sent by itself, and is sent as it is now. */
void
load_update_feed(struct load_run *r, struct load_client *c)
{
	uint32_t i = c->fed, end = i + min_u64(FEED_PART, c->route_cnt - i);
	unsigned fam;

	while (i < end) {
		if (r->model.route[c->route[i]].set)
			i += send_reach(r, c, c->route + i, c->route_cnt - i);
		else
			i++; /* withdrawn, and the peer doesn't know it */
	}
	c->fed = i;
	c->feeding = i < c->route_cnt;
	if (c->feeding)
		return;
	for (fam = 0; fam < FAM_CNT; fam++)
		if (r->opt->families >> fam & 1)
			load_client_queue(
			    c, msg_put_end_of_rib(load_client_room(c), (enum family)fam));
}

void
load_update_send_all(struct load_run *r, struct load_client *c)
{
	c->fed = 0;
	load_update_feed(r, c);
	load_client_flush(r, c);
}

/* The order between clients is kept as far as it can be: a message waits until its
 * client's socket has taken what went before. */
void
load_update_replay(struct load_run *r)
{
	struct load_client *c;
	uint32_t budget = 2000, i;

	while (r->record_pos < r->record_cnt && budget--) {
		const struct load_record *rec = &r->record[r->record_pos];

		c = &r->client[rec->client];
		if (c->state == CL_ESTABLISHED) {
			if (c->tx_pos < c->tx_len)
				return;
			memcpy(load_client_room(c), rec->p, rec->len);
			load_client_queue(c, rec->len);
			load_client_flush(r, c);
		}
		r->record_pos++;
	}
	if (r->record_pos < r->record_cnt)
		return;
	r->replaying = false;
	for (i = 0; i < r->clients; i++) {
		c = &r->client[i];
		if (c->state != CL_ESTABLISHED)
			continue;
		load_client_queue(c, msg_put_end_of_rib(load_client_room(c), FAM_IP4));
		load_client_flush(r, c);
	}
}
