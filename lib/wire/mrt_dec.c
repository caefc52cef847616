/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of MRT records. A record of a known kind is checked to the last octet; callers
 * check the attributes and messages in the record. No state; any thread. Tested by
 * test/unit/test_mrt.c and test/fuzz/fuzz_mrt.c. */
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/mrt.h"
#include "lib/wire/rbuf.h"

#include <errno.h>

int
mrt_next(struct rbuf *r, struct mrt_record *rec)
{
	if (!rbuf_left(r))
		return 0;
	rec->time_s = rbuf_u32(r);
	rec->type = rbuf_u16(r);
	rec->subtype = rbuf_u16(r);
	rec->body = rbuf_sub(r, rbuf_u32(r));
	rec->micros = rec->type == MRT_BGP4MP_ET ? rbuf_u32(&rec->body) : 0;
	return rbuf_ok(r) && rbuf_ok(&rec->body) ? 1 : -EPROTO;
}

static struct ip_addr
mrt_dec_get_addr(struct rbuf *r, bool v6)
{
	const uint8_t *p;

	if (!v6)
		return ip4(rbuf_u32(r));
	p = rbuf_take(r, 16);
	return p ? ip_get16(p) : IP_NONE;
}

/* ---- messages ---- */

/* What subtypes mean. */
static const struct subtype {
	bool known, as4, state, local, add_path;
} subtypes[] = {
	[MRT_STATE_CHANGE] = { .known = true, .state = true },
	[MRT_MESSAGE] = { .known = true },
	[MRT_MESSAGE_AS4] = { .known = true, .as4 = true },
	[MRT_STATE_CHANGE_AS4] = { .known = true, .as4 = true, .state = true },
	[MRT_MESSAGE_LOCAL] = { .known = true, .local = true },
	[MRT_MESSAGE_AS4_LOCAL] = { .known = true, .as4 = true, .local = true },
	[MRT_MESSAGE_ADDPATH] = { .known = true, .add_path = true },
	[MRT_MESSAGE_AS4_ADDPATH] = { .known = true, .as4 = true, .add_path = true },
	[MRT_MESSAGE_LOCAL_ADDPATH] = { .known = true, .local = true, .add_path = true },
	[MRT_MESSAGE_AS4_LOCAL_ADDPATH] = { .known = true,
	    .as4 = true,
	    .local = true,
	    .add_path = true },
};

int
mrt_bgp_get(const struct mrt_record *rec, struct mrt_bgp *out)
{
	struct rbuf r = rec->body;
	const struct subtype *sub;
	unsigned afi;

	if (rec->subtype >= ARRAY_LEN(subtypes) || !subtypes[rec->subtype].known)
		return -ENOTSUP;
	sub = &subtypes[rec->subtype];
	*out = (struct mrt_bgp){
		.is_state = sub->state, .local = sub->local, .add_path = sub->add_path
	};
	out->s.as4 = sub->as4;
	out->s.peer_as = sub->as4 ? rbuf_u32(&r) : rbuf_u16(&r);
	out->s.local_as = sub->as4 ? rbuf_u32(&r) : rbuf_u16(&r);
	out->s.ifindex = rbuf_u16(&r);
	afi = rbuf_u16(&r);
	if (afi != AFI_IP4 && afi != AFI_IP6)
		return -EPROTO;
	out->s.peer = mrt_dec_get_addr(&r, afi == AFI_IP6);
	out->s.local = mrt_dec_get_addr(&r, afi == AFI_IP6);
	if (sub->state) {
		out->old_state = rbuf_u16(&r);
		out->new_state = rbuf_u16(&r);
		return rbuf_done(&r) ? 0 : -EPROTO;
	}
	out->len = rbuf_left(&r);
	out->msg = r.pos;
	return rbuf_ok(&r) ? 0 : -EPROTO;
}

/* ---- tables ---- */

int
mrt_index_get(const struct mrt_record *rec, struct mrt_index *out)
{
	struct rbuf r = rec->body;

	out->collector_id = rbuf_u32(&r);
	out->view_len = rbuf_u16(&r);
	out->view = (const char *)rbuf_take(&r, out->view_len);
	out->peer_cnt = rbuf_u16(&r);
	out->r = r;
	return rbuf_ok(&r) && (out->peer_cnt || rbuf_done(&r)) ? 0 : -EPROTO;
}

int
mrt_index_next(struct mrt_index *x, struct mrt_peer *p)
{
	uint8_t type = rbuf_u8(&x->r);

	if (!x->peer_cnt || type & ~(MRT_PEER_IP6 | MRT_PEER_AS4))
		return -EPROTO;
	x->peer_cnt--;
	p->router_id = rbuf_u32(&x->r);
	p->addr = mrt_dec_get_addr(&x->r, type & MRT_PEER_IP6);
	p->as = type & MRT_PEER_AS4 ? rbuf_u32(&x->r) : rbuf_u16(&x->r);
	return rbuf_ok(&x->r) && (x->peer_cnt || rbuf_done(&x->r)) ? 0 : -EPROTO;
}

/* dec_get_prefix - of @fam; host bits that are set are cleared. Returns: false: too
 * long, or truncated. */
static bool
dec_get_prefix(struct rbuf *r, enum family fam, struct prefix *out)
{
	uint8_t octets[PREFIX_WIRE_MAX + 16] = { rbuf_u8(r) };
	unsigned len = prefix_wire_len(octets[0]) - 1;
	const uint8_t *p;

	if (octets[0] > family_bits(fam))
		return false;
	p = rbuf_take(r, len);
	if (!p)
		return false;
	memcpy(octets + 1, p, len);
	prefix_get(out, octets, fam);
	return rbuf_ok(r);
}

int
mrt_net_get(const struct mrt_record *rec, struct mrt_net *out)
{
	struct rbuf r = rec->body;
	enum family fam = FAM_IP4;

	switch (rec->subtype) {
	case MRT_RIB_IPV6_UNICAST:
	case MRT_RIB_IPV6_UNICAST_ADDPATH:
		fam = FAM_IP6;
		break;
	case MRT_RIB_IPV4_UNICAST:
	case MRT_RIB_IPV4_UNICAST_ADDPATH:
		break;
	default:
		return -ENOTSUP;
	}
	out->add_path = rec->subtype == MRT_RIB_IPV4_UNICAST_ADDPATH ||
			rec->subtype == MRT_RIB_IPV6_UNICAST_ADDPATH;
	out->seq = rbuf_u32(&r);
	if (!dec_get_prefix(&r, fam, &out->net))
		return -EPROTO;
	out->entry_cnt = rbuf_u16(&r);
	out->r = r;
	return rbuf_ok(&r) && (out->entry_cnt || rbuf_done(&r)) ? 0 : -EPROTO;
}

int
mrt_net_next(struct mrt_net *n, struct mrt_entry *e)
{
	if (!n->entry_cnt)
		return -EPROTO;
	n->entry_cnt--;
	e->peer = rbuf_u16(&n->r);
	e->time_s = rbuf_u32(&n->r);
	e->path_id = n->add_path ? rbuf_u32(&n->r) : 0;
	e->attrs = rbuf_sub(&n->r, rbuf_u16(&n->r));
	if (!rbuf_ok(&n->r) || !rbuf_ok(&e->attrs))
		return -EPROTO;
	return n->entry_cnt || rbuf_done(&n->r) ? 0 : -EPROTO;
}
