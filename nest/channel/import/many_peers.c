/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Import of the UPDATEs of another router's peers (many_peers.h): each peer is a source
 * in the channel of its family. Loop: the instance's. Tested by
 * test/net/test_mrt_load.py. */
#include "nest/channel/import/many_peers.h"

#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/many_sources.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/foreign/foreign_update.h"
#include "sysdep/loop/loop.h"

/* ---- channels ---- */

static void
many_peers_import_ready(struct channel *ch)
{
	worker_again(&channel_proto(ch)->worker);
}

static void
many_peers_limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	/* the limit keeps routes out; no further action */
	(void)ch, (void)a, (void)k, (void)max;
}

static bool
many_peers_refresh(struct channel *ch)
{
	(void)ch;
	return false;
}

static void
many_peers_slow(struct channel *ch)
{
	(void)ch; /* the channel exports nothing */
}

static const struct channel_ops ops = {
	.import_ready = many_peers_import_ready,
	.limit = many_peers_limit,
	.refresh = many_peers_refresh,
	.slow = many_peers_slow,
};

void
many_peers_make(struct many_peers *m, struct proto *p, const struct conf_proto *cf)
{
	m->p = p;
	for (const struct conf_channel *c = cf->chan; c; c = c->next)
		if (!c->is_rpki && !m->fam[c->family].ch)
			many_init(&m->fam[c->family], channel_new(p, c, &ops, NULL));
}

void
many_peers_free(struct many_peers *m)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (m->fam[f].ch) {
			many_fini(&m->fam[f]);
			channel_free(m->fam[f].ch);
		}
	foreign_reader_fini(&m->reader);
}

void
many_peers_up(struct many_peers *m)
{
	struct route_source src = { .proto = m->p->name };

	for (unsigned f = 0; f < FAM_CNT; f++)
		if (m->fam[f].ch && !channel_is_up(m->fam[f].ch))
			channel_up(m->fam[f].ch, &src);
}

void
many_peers_down(struct many_peers *m)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (m->fam[f].ch && channel_is_up(m->fam[f].ch)) {
			channel_down(m->fam[f].ch);
			many_clear(&m->fam[f]);
		}
	m->cnt = 0;
}

bool
many_peers_ready(struct many_peers *m)
{
	bool ready = true;

	for (unsigned f = 0; f < FAM_CNT; f++)
		if (m->fam[f].ch && channel_is_up(m->fam[f].ch))
			ready &= channel_import_ready(m->fam[f].ch);
	return ready;
}

bool
many_peers_reload(struct many_peers *m)
{
	bool ok = true;

	for (unsigned f = 0; f < FAM_CNT; f++)
		if (m->fam[f].ch)
			ok &= channel_reload_in(m->fam[f].ch);
	return ok;
}

bool
many_peers_step(struct many_peers *m)
{
	bool more = false;

	for (unsigned f = 0; f < FAM_CNT; f++)
		if (m->fam[f].ch && channel_is_up(m->fam[f].ch))
			more |= many_step(&m->fam[f]);
	return more;
}

/* ---- peers ---- */

void
many_peer_drop(TAKE struct many_peer *p)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (p->src[f])
			many_drop(p->src[f]);
	p->of->cnt--;
	mem_free(MEM_PROTO, p);
}

void
many_peer_free(TAKE struct many_peer *p)
{
	mem_free(MEM_PROTO, p);
}

OWNED struct many_peer *
many_peer_new(struct many_peers *m, const struct route_source *src, const char *name)
{
	struct many_peer *p = mem_zalloc(MEM_PROTO, sizeof(*p));

	p->of = m;
	m->cnt++;
	for (unsigned f = 0; f < FAM_CNT; f++) {
		if (!m->fam[f].ch)
			continue;
		p->src[f] = many_new(&m->fam[f], src, name);
		if (!p->src[f]) {
			many_peer_drop(p);
			return NULL;
		}
	}
	return p;
}

static void
many_peers_take(struct many_peer *p, const struct bgp_update *u)
{
	/* Forwarding is the other router's business. */
	static const struct attr_local local = {
		.igp_metric = UINT32_MAX, .dest = DEST_UNREACHABLE, .rts = RTS_BGP
	};

	for (unsigned i = 0; i < u->unreach_cnt; i++)
		if (p->src[u->unreach[i].fam])
			many_withdraw(p->src[u->unreach[i].fam], &u->unreach[i].nlri);
	for (unsigned i = 0; i < u->reach_cnt; i++) {
		const struct bgp_reach *r = &u->reach[i];
		struct many_attrs a = { r->blob, r->blob_len, &local };

		if (!p->src[r->fam])
			continue;
		if (r->blob)
			many_announce(p->src[r->fam], &a, &r->nlri);
		else
			many_withdraw(p->src[r->fam], &r->nlri);
	}
}

struct bgp_err
many_peer_update(struct many_peer *p, const struct foreign_update *u)
{
	struct bgp_update got;
	struct bgp_err err = foreign_update_read(&p->of->reader, u, &got);

	if (err.severity != BGP_SEV_RESET)
		many_peers_take(p, &got);
	return err;
}
