/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MRT, record by record: what was decoded and encoded again is decoded to the same. */
#include "lib/base/check.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "lib/wire/mrt.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static uint8_t buf[1 << 17];

static struct mrt_record
fuzz_mrt_first(const struct wbuf *w)
{
	struct rbuf r = rbuf_of(buf, wbuf_len(w));
	struct mrt_record rec;

	ASSERT(!w->bad && mrt_next(&r, &rec) == 1 && !rbuf_left(&r));
	return rec;
}

static void
look_at_message(const struct mrt_record *rec)
{
	uint64_t us = rec->time_s * 1000000ull + rec->micros % 1000000;
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct mrt_record again;
	struct mrt_bgp m, n;
	int rc = mrt_bgp_get(rec, &m);

	ASSERT(rc == 0 || rc == -ENOTSUP || rc == -EPROTO);
	if (rc || m.len > sizeof(buf) / 2)
		return;
	if (m.is_state)
		mrt_state_put(&w, us, &m.s, m.old_state, m.new_state);
	else
		mrt_message_put(&w, us, &m.s, m.local, m.add_path, m.msg, m.len);
	again = fuzz_mrt_first(&w);
	ASSERT(mrt_bgp_get(&again, &n) == 0);
	ASSERT(again.time_s == rec->time_s && again.micros == rec->micros % 1000000);
	ASSERT(m.s.peer_as == n.s.peer_as && m.s.local_as == n.s.local_as);
	ASSERT(m.s.as4 == n.s.as4 && m.s.ifindex == n.s.ifindex);
	ASSERT(m.is_state == n.is_state && m.local == n.local);
	ASSERT(m.add_path == n.add_path && m.len == n.len);
	ASSERT(m.old_state == n.old_state && m.new_state == n.new_state);
	ASSERT(!m.len || !memcmp(m.msg, n.msg, m.len));
	/* an IPv4 address may have been written as IPv6, in which both are; without the
	 * peer's it isn't known which they were */
	if (ip_is_v4(m.s.peer) == ip_is_v4(m.s.local) && !ip_is_none(m.s.peer))
		ASSERT(ip_equal(m.s.peer, n.s.peer) && ip_equal(m.s.local, n.s.local));
}

static void
look_at_index(const struct mrt_record *rec)
{
	static struct mrt_peer p[MRT_ENTRIES_MAX];
	struct mrt_index x;
	uint32_t cnt = 0;

	if (mrt_index_get(rec, &x))
		return;
	while (x.peer_cnt)
		if (mrt_index_next(&x, &p[cnt++]))
			return;
	if (mrt_index_bound(cnt) <= sizeof(buf)) {
		struct wbuf w = wbuf_of(buf, sizeof(buf));
		struct mrt_record again;
		struct mrt_peer q;

		mrt_index_put(&w, rec->time_s, x.collector_id, "view", p, cnt);
		again = fuzz_mrt_first(&w);
		ASSERT(mrt_index_get(&again, &x) == 0 && x.peer_cnt == cnt);
		for (uint32_t i = 0; i < cnt; i++) {
			ASSERT(mrt_index_next(&x, &q) == 0);
			ASSERT(ip_equal(p[i].addr, q.addr) && p[i].as == q.as &&
			       p[i].router_id == q.router_id);
		}
	}
}

/* look_at_entry - an UPDATE that is made of it is framed as one, with no other net. */
static void
look_at_entry(const struct mrt_net *n, const struct mrt_entry *e)
{
	static uint8_t blob[BGP_BLOB_CAP(sizeof(buf))];
	struct bgp_params all = { .fam = FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6),
		.as4 = true,
		.ibgp = true,
		.ext_next_hop = true,
		.ids = n->add_path ? FAM_BIT(n->net.fam) : 0 };
	struct wbuf w = wbuf_of(buf, sizeof(buf) - 32);
	struct bgp_update u;
	struct prefix p;

	if (mrt_entry_body(&w, n, e))
		return;
	memset(buf + wbuf_len(&w), 0, 32);
	if (bgp_update_decode(&all, buf, wbuf_len(&w), &u, blob, sizeof(blob)) ==
	    BGP_SEV_RESET)
		return;
	ASSERT(u.unreach_cnt == 0);
	for (unsigned i = 0; i < u.reach_cnt; i++) {
		ASSERT(u.reach[i].fam == n->net.fam && u.reach[i].nlri.cnt == 1);
		prefix_get(&p, u.reach[i].nlri.p + u.reach[i].nlri.id_len, n->net.fam);
		ASSERT(prefix_equal(&p, &n->net));
	}
}

static void
fuzz_mrt_look_at_net(const struct mrt_record *rec)
{
	struct mrt_entry e;
	struct mrt_net n;

	if (mrt_net_get(rec, &n))
		return;
	ASSERT(n.net.len <= family_bits((enum family)n.net.fam));
	while (n.entry_cnt && !mrt_net_next(&n, &e)) {
		ASSERT(rbuf_left(&e.attrs) <= UINT16_MAX);
		look_at_entry(&n, &e);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rbuf r = rbuf_of(data, len);
	struct mrt_record rec;
	int rc;

	while ((rc = mrt_next(&r, &rec)) > 0) {
		if (rec.type == MRT_BGP4MP || rec.type == MRT_BGP4MP_ET)
			look_at_message(&rec);
		if (rec.type != MRT_TABLE_DUMP_V2)
			continue;
		if (rec.subtype == MRT_PEER_INDEX_TABLE)
			look_at_index(&rec);
		else
			fuzz_mrt_look_at_net(&rec);
	}
	ASSERT(rc == 0 || rc == -EPROTO);
	return 0;
}
