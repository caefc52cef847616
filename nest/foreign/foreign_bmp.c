/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A router that reports its sessions by BMP.
 *
 * I1  A Peer Up for a peer that is up first takes the peer down.
 * I2  No message precedes Initiation (RFC 7854, 4.3).
 *
 * Loop: the owner's. Tested by test/net/test_bmp_station.py, test_shadow.py. */
#include "nest/foreign/foreign_bmp.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/rbuf.h"

#include <errno.h>
#include <string.h>

/* ---- peers ---- */

static uint64_t
foreign_bmp_peer_hash(const struct bmp_peer *k)
{
	uint64_t word[5] = { k->type, k->distinguisher, k->addr.hi, k->addr.lo,
		(uint64_t)k->as << 32 | k->router_id };

	return hash_bytes(0, word, sizeof(word));
}

struct foreign_peer *
foreign_peer_find(const struct foreign_bmp *b, const struct bmp_peer *k)
{
	struct htab_node *n;

	htab_each_same (n, &b->peers, foreign_bmp_peer_hash(k)) {
		struct foreign_peer *p = container_of(n, struct foreign_peer, node);

		if (p->key.type == k->type && p->key.as == k->as &&
		    p->key.router_id == k->router_id &&
		    p->key.distinguisher == k->distinguisher &&
		    ip_equal(p->key.addr, k->addr))
			return p;
	}
	return NULL;
}

void
foreign_peer_del(struct foreign_bmp *b, struct foreign_peer *p)
{
	htab_del(&b->peers, &p->node);
}

void
foreign_peer_move(
    struct foreign_bmp *to, struct foreign_bmp *from, struct foreign_peer *p)
{
	htab_del(&from->peers, &p->node);
	htab_add(&to->peers, &p->node, foreign_bmp_peer_hash(&p->key));
}

enum foreign_rib
foreign_rib_of(const struct bmp_peer *p)
{
	if (p->type == BMP_PEER_LOC_RIB)
		return FOREIGN_LOC;
	if (p->flags & BMP_FLAG_OUT)
		return p->flags & BMP_FLAG_POST ? FOREIGN_OUT_POST : FOREIGN_OUT_PRE;
	return p->flags & BMP_FLAG_POST ? FOREIGN_IN_POST : FOREIGN_IN_PRE;
}

static void
bmp_peer_down(struct foreign_bmp *b, struct foreign_peer *p, const struct bmp_read *m)
{
	foreign_peer_del(b, p);
	b->ops->down(b, p, m);
}

/* ---- messages ---- */

static uint8_t
bmp_caps_fams(const struct bgp_caps *c)
{
	return c->mp ? c->fam : FAM_BIT(FAM_IP4);
}

/* bmp_read_opens - set the fields of @p that follow from the two OPENs of a Peer Up. */
static void
bmp_read_opens(struct foreign_peer *p, const struct bmp_up *up)
{
	struct bgp_open sent, got;
	struct bgp_err a = bgp_open_decode(
	    up->sent + BGP_HDR_LEN, up->sent_len - BGP_HDR_LEN, &sent);
	struct bgp_err b = bgp_open_decode(
	    up->received + BGP_HDR_LEN, up->received_len - BGP_HDR_LEN, &got);

	if (a.severity || b.severity)
		return;
	p->opens = true;
	p->local_as = sent.as;
	p->fams = bmp_caps_fams(&sent.caps) & bmp_caps_fams(&got.caps);
	p->ids_in = got.caps.ids_tx & sent.caps.ids_rx;
	p->ids_out = sent.caps.ids_tx & got.caps.ids_rx;
}

static void
bmp_take_up(struct foreign_bmp *b, const struct bmp_read *m)
{
	struct foreign_peer like = { .key = m->peer };
	struct foreign_peer *p = foreign_peer_find(b, &m->peer);

	if (p) /* I1 */
		bmp_peer_down(b, p, NULL);
	bmp_read_opens(&like, &m->up);
	p = b->ops->up(b, &like, m);
	if (!p)
		return;
	p->key = like.key;
	p->opens = like.opens;
	p->local_as = like.local_as;
	p->fams = like.fams;
	p->ids_in = like.ids_in;
	p->ids_out = like.ids_out;
	htab_add(&b->peers, &p->node, foreign_bmp_peer_hash(&p->key));
}

static void
bmp_take_routes(struct foreign_bmp *b, const struct bmp_read *m)
{
	struct foreign_peer *p = foreign_peer_find(b, &m->peer);
	bool out = m->peer.flags & BMP_FLAG_OUT, loc = m->peer.type == BMP_PEER_LOC_RIB;
	struct foreign_update u = { .as4 = loc || !(m->peer.flags & BMP_FLAG_AS2) };

	if (!foreign_update_of(&u, m->rest.pos, rbuf_left(&m->rest))) {
		b->ops->bad(b, m, "the message holds no UPDATE");
		return;
	}
	if (p)
		u.ids = out && !loc ? p->ids_out : p->ids_in;
	b->ops->routes(b, p, m, &u);
}

/* bmp_end_by - end the connection after the present message. */
static int
bmp_end_by(struct foreign_bmp *b, const char *why)
{
	b->why = why;
	return -ECONNABORTED;
}

static int
bmp_take(struct foreign_stream *s, const uint8_t *msg, uint32_t len)
{
	struct foreign_bmp *b = container_of(s, struct foreign_bmp, stream);
	struct foreign_peer *p;
	struct bmp_read m;

	if (bmp_read(msg, len, &m))
		return bmp_end_by(b, "a message can't be read");
	b->msgs++;
	if (!b->begun && m.type != BMP_INITIATION) /* I2 */
		return bmp_end_by(b, "a message before Initiation");
	switch (m.type) {
	case BMP_INITIATION:
		if (!b->begun) {
			b->begun = true;
			b->ops->begin(b, &m.rest);
		}
		break;
	case BMP_PEER_UP:
		bmp_take_up(b, &m);
		break;
	case BMP_PEER_DOWN:
		p = foreign_peer_find(b, &m.peer);
		if (p)
			bmp_peer_down(b, p, &m);
		break;
	case BMP_ROUTE_MONITORING:
		bmp_take_routes(b, &m);
		break;
	case BMP_TERMINATION:
		return bmp_end_by(b, "the sender has ended the connection");
	default:
		break; /* statistics and mirrored messages have no use */
	}
	return 0;
}

/* ---- the connection ---- */

static int64_t
bmp_length(struct foreign_stream *s, const uint8_t *p, uint32_t len)
{
	(void)s;
	return bmp_frame(p, len);
}

static bool
bmp_ready(struct foreign_stream *s)
{
	struct foreign_bmp *b = container_of(s, struct foreign_bmp, stream);

	return b->ops->ready(b);
}

static void
bmp_ended(struct foreign_stream *s, int err)
{
	struct foreign_bmp *b = container_of(s, struct foreign_bmp, stream);
	const char *why = b->why;

	if (!why && err == -EPROTO)
		why = "the version of BMP isn't 3";
	if (!why)
		why = err == -EPIPE ? "connection closed" : strerror(-err);
	b->ops->lost(b, why);
}

static const struct foreign_stream_ops bmp_stream_ops = {
	.frame = bmp_length,
	.ready = bmp_ready,
	.take = bmp_take,
	.ended = bmp_ended,
};

void
foreign_bmp_init(struct foreign_bmp *b, struct worker *w,
    const struct foreign_bmp_ops *ops, struct os_fd fd)
{
	*b = (struct foreign_bmp){ .ops = ops };
	htab_init(&b->peers, MEM_PROTO);
	foreign_stream_init(&b->stream, w, &bmp_stream_ops);
	foreign_stream_open(&b->stream, fd);
}

void
foreign_bmp_close(struct foreign_bmp *b)
{
	foreign_stream_close(&b->stream);
}

void
foreign_bmp_drop(struct foreign_bmp *b)
{
	struct htab_node *n;

	while ((n = htab_walk(&b->peers, NULL)))
		bmp_peer_down(b, container_of(n, struct foreign_peer, node), NULL);
}

void
foreign_bmp_fini(struct foreign_bmp *b)
{
	htab_fini(&b->peers);
}

void
foreign_bmp_go_on(struct foreign_bmp *b)
{
	foreign_stream_go_on(&b->stream);
}
