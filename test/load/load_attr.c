/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes in one canonical form.
 *
 * What a client announces and what comes back are brought into the same form by the same
 * function, so comparing them is comparing octets. The function is used once per
 * different attribute set, not per message: load_set.c remembers.
 *
 * I1  The canonical form never holds AS4_PATH, AS4_AGGREGATOR, MP_UNREACH_NLRI or
 *     prefixes. */
#include "test/load/load_attr.h"

#include "lib/net/ip.h"
#include "lib/wire/rbuf.h"

#include <errno.h>

enum { SEG_SET = 1, SEG_SEQUENCE = 2, SEG_CONFED_SEQUENCE = 3, SEG_CONFED_SET = 4 };

/* Flags by definition; 0: not known to us. */
static unsigned
known_flags(unsigned type)
{
	switch (type) {
	case A_ORIGIN:
	case A_AS_PATH:
	case A_NEXT_HOP:
	case A_LOCAL_PREF:
	case A_ATOMIC:
		return AF_TRANSITIVE;
	case A_MED:
	case A_ORIGINATOR:
	case A_CLUSTER:
	case A_MP_REACH:
	case A_AIGP:
		return AF_OPTIONAL;
	case A_AGGREGATOR:
	case A_COMMUNITY:
	case A_EXT_COMMUNITY:
	case A_LARGE_COMMUNITY:
		return AF_OPTIONAL | AF_TRANSITIVE;
	default:
		return 0;
	}
}

void
attr_canon_add(
    struct attr_canon *c, unsigned flags, unsigned type, const void *value, unsigned len)
{
	uint8_t *p = c->octet + c->len;

	ASSERT(c->len + len + 4 <= ATTR_CANON_MAX);
	p[0] = (uint8_t)flags;
	p[1] = (uint8_t)type;
	put_be16(p + 2, (uint16_t)len);
	if (len)
		memcpy(p + 4, value, len);
	c->len += len + 4;
}

bool
attr_next(struct span *s, struct attr_item *it)
{
	if (s->len < 4)
		return false;
	it->flags = s->p[0];
	it->type = s->p[1];
	it->value = (struct span){ s->p + 4, get_be16(s->p + 2) };
	s->p += it->value.len + 4;
	s->len -= it->value.len + 4;
	return true;
}

bool
attr_find(struct span canon, unsigned type, struct attr_item *it)
{
	while (attr_next(&canon, it))
		if (it->type == type)
			return true;
	return false;
}

/* Octets of a path of 2-octet numbers as one of 4-octet numbers. Returns: octets, or -1.
 */
static int
widen_path(uint8_t *to, struct span from)
{
	struct rbuf r = rbuf_of(from.p, from.len);
	uint8_t *p = to;
	unsigned cnt;

	while (rbuf_left(&r)) {
		*p++ = rbuf_u8(&r);
		*p++ = (uint8_t)(cnt = rbuf_u8(&r));
		while (cnt-- && rbuf_ok(&r)) {
			put_be32(p, rbuf_u16(&r));
			p += 4;
		}
		if (!rbuf_ok(&r))
			return -1;
	}
	return (int)(p - to);
}

static bool
path_ok(struct span path)
{
	struct rbuf r = rbuf_of(path.p, path.len);

	while (rbuf_left(&r)) {
		rbuf_u8(&r);
		rbuf_take(&r, rbuf_u8(&r) * 4u);
	}
	return rbuf_ok(&r);
}

static unsigned
path_count(struct span path)
{
	const uint8_t *p = path.p, *end = path.p + path.len;
	unsigned n = 0;

	for (; p < end; p += 2 + p[1] * 4)
		n += p[0] == SEG_SEQUENCE ? p[1] : p[0] == SEG_SET;
	return n;
}

/* The first @keep numbers of @path, then @tail (RFC 6793, 4.2.3). Returns: octets. */
static unsigned
merge_path(uint8_t *to, struct span path, unsigned keep, struct span tail)
{
	const uint8_t *p = path.p, *end = path.p + path.len;
	uint8_t *q = to;
	unsigned cnt;

	for (; p < end && keep; p += 2 + p[1] * 4) {
		cnt = p[1];
		if (p[0] == SEG_SEQUENCE && cnt > keep)
			cnt = keep;
		q[0] = p[0];
		q[1] = (uint8_t)cnt;
		memcpy(q + 2, p + 2, cnt * 4);
		q += 2 + cnt * 4;
		keep -= p[0] == SEG_SEQUENCE ? cnt : p[0] == SEG_SET;
	}
	/* Sequences that meet are one. */
	if (q > to && tail.len && q - to == 2 + to[1] * 4 && to[0] == SEG_SEQUENCE &&
	    tail.p[0] == SEG_SEQUENCE && to[1] + tail.p[1] <= 255) {
		to[1] = (uint8_t)(to[1] + tail.p[1]);
		tail.p += 2;
		tail.len -= 2;
	}
	memcpy(q, tail.p, tail.len);
	return (unsigned)(q - to) + tail.len;
}

/* The attributes of an UPDATE, indexed by type; first of a type wins (RFC 7606, 3 g). */
struct by_type {
	struct {
		uint8_t flags;
		bool there;
		struct span value;
	} at[256];
};

static int
load_attr_collect(struct by_type *t, const struct msg_update *u)
{
	struct rbuf r = rbuf_of(u->attrs.p, u->attrs.len), v;
	unsigned flags, type;

	memset(t, 0, sizeof(*t));
	while (rbuf_left(&r)) {
		flags = rbuf_u8(&r);
		type = rbuf_u8(&r);
		v = rbuf_sub(&r, flags & AF_EXTENDED ? rbuf_u16(&r) : rbuf_u8(&r));
		if (!rbuf_ok(&r))
			return -EPROTO;
		if (t->at[type].there)
			continue;
		t->at[type].there = true;
		t->at[type].flags = (uint8_t)(flags & ~AF_EXTENDED);
		t->at[type].value = (struct span){ v.pos, (uint32_t)rbuf_left(&v) };
	}
	t->at[A_MP_UNREACH].there = false;
	if (u->has_mp_reach)
		t->at[A_MP_REACH].value = u->mp_next_hop;
	/* IPv4 prefixes in MP_REACH_NLRI: the same next hop, written another way. */
	if (u->has_mp_reach && u->mp_family == FAM_IP4 && u->mp_next_hop.len == 4) {
		t->at[A_NEXT_HOP] = t->at[A_MP_REACH];
		t->at[A_MP_REACH].there = false;
	} else if (u->has_mp_reach) {
		t->at[A_NEXT_HOP].there = false;
	}
	return 0;
}

/* Bring AS_PATH and AGGREGATOR to 4 octets; @path and @aggr are room for them. */
static int
load_attr_widen(struct by_type *t, bool as4, uint8_t *path, uint8_t *aggr)
{
	struct span tail = t->at[A_AS4_PATH].value, *v = &t->at[A_AS_PATH].value;
	bool use_as4 = t->at[A_AS4_PATH].there && !as4;
	unsigned have, in_tail;
	int len;

	t->at[A_AS4_PATH].there = false;
	if (!as4 && t->at[A_AGGREGATOR].there) {
		struct span *a = &t->at[A_AGGREGATOR].value;

		if (a->len != 6)
			return -EPROTO;
		if (t->at[A_AS4_AGGREGATOR].there && get_be16(a->p) == AS_TRANS) {
			*a = t->at[A_AS4_AGGREGATOR].value;
		} else {
			use_as4 = use_as4 &&
				  !t->at[A_AS4_AGGREGATOR].there; /* made anew */
			put_be32(aggr, get_be16(a->p));
			memcpy(aggr + 4, a->p + 2, 4);
			*a = (struct span){ aggr, 8 };
		}
	}
	t->at[A_AS4_AGGREGATOR].there = false;
	if (!t->at[A_AS_PATH].there)
		return 0;
	if (!as4) {
		len = widen_path(path, *v);
		if (len < 0)
			return -EPROTO;
		*v = (struct span){ path, (uint32_t)len };
	}
	if (!path_ok(*v) || (use_as4 && !path_ok(tail)))
		return -EPROTO;
	if (!use_as4)
		return 0;
	have = path_count(*v);
	in_tail = path_count(tail);
	if (have < in_tail)
		return 0;
	len = (int)merge_path(path + ATTR_CANON_MAX / 2, *v, have - in_tail, tail);
	*v = (struct span){ path + ATTR_CANON_MAX / 2, (uint32_t)len };
	return 0;
}

/* Communities are sets (RFC 1997); daemons may bring them into another order. @to: room.
 */
static struct span
sort_values(uint8_t *to, struct span v, unsigned each)
{
	unsigned i, j, cnt = 0;
	int d = 1;

	for (i = 0; i + each <= v.len; i += each) {
		for (j = cnt; j > 0; j--) {
			d = memcmp(to + (j - 1) * each, v.p + i, each);
			if (d <= 0)
				break;
		}
		if (j > 0 && d == 0)
			continue;
		memmove(to + (j + 1) * each, to + j * each, (cnt - j) * each);
		memcpy(to + j * each, v.p + i, each);
		cnt++;
	}
	return (struct span){ to, cnt * each };
}

/* AS_SETs are sets as well. @to: room for the path. */
static struct span
sort_path(uint8_t *to, struct span path)
{
	uint8_t sorted[255 * 4];
	unsigned at, len;
	struct span s;

	memcpy(to, path.p, path.len);
	for (at = 0; at < path.len; at += 2 + len) {
		len = to[at + 1] * 4u;
		if (to[at] != SEG_SET)
			continue;
		s = sort_values(sorted, (struct span){ to + at + 2, len }, 4);
		if (s.len == len) /* a number that stands twice stays twice */
			memcpy(to + at + 2, sorted, len);
	}
	return (struct span){ to, path.len };
}

static unsigned
load_attr_set_of(unsigned type)
{
	return type == A_COMMUNITY         ? 4
	       : type == A_EXT_COMMUNITY   ? 8
	       : type == A_LARGE_COMMUNITY ? 12
					   : 0;
}

int
attr_canonical(struct attr_canon *out, const struct msg_update *u, bool as4)
{
	uint8_t path[ATTR_CANON_MAX], sorted[ATTR_CANON_MAX], aggr[8];
	struct by_type t;
	unsigned i;

	if (load_attr_collect(&t, u) || load_attr_widen(&t, as4, path, aggr))
		return -EPROTO;
	out->len = 0;
	for (i = 1; i < 256; i++) {
		unsigned flags = known_flags(i);

		if (!t.at[i].there)
			continue;
		if (i == A_AS_PATH)
			t.at[i].value = sort_path(sorted, t.at[i].value);
		if (load_attr_set_of(i))
			t.at[i].value = sort_values(
			    sorted, t.at[i].value, load_attr_set_of(i));
		attr_canon_add(out, flags ? flags : t.at[i].flags, i, t.at[i].value.p,
		    t.at[i].value.len);
	}
	return 0;
}

/* Extended communities that aren't transitive across ASes stay behind (RFC 4360, 6). */
static void
add_ext_communities(struct attr_canon *out, const struct attr_item *it)
{
	uint8_t keep[ATTR_CANON_MAX];
	unsigned i, len = 0;

	for (i = 0; i + 8 <= it->value.len; i += 8) {
		if (it->value.p[i] & 0x40)
			continue;
		memcpy(keep + len, it->value.p + i, 8);
		len += 8;
	}
	if (len)
		attr_canon_add(out, it->flags, it->type, keep, len);
}

void
attr_exported(struct attr_canon *out, struct span in)
{
	uint8_t sorted[ATTR_CANON_MAX];
	struct attr_item it;

	out->len = 0;
	while (attr_next(&in, &it)) {
		unsigned flags = it.flags;

		if (it.type == A_LOCAL_PREF || it.type == A_ORIGINATOR ||
		    it.type == A_CLUSTER || it.type == A_AIGP)
			continue;
		if (!known_flags(it.type)) {
			if (!(flags & AF_TRANSITIVE))
				continue;
			flags |= AF_PARTIAL;
		}
		if (load_attr_set_of(it.type)) /* made-up ones come as they are */
			it.value = sort_values(
			    sorted, it.value, load_attr_set_of(it.type));
		if (it.type == A_AS_PATH)
			it.value = sort_path(sorted, it.value);
		if (it.type == A_EXT_COMMUNITY)
			add_ext_communities(out, &it);
		else
			attr_canon_add(out, flags, it.type, it.value.p, it.value.len);
	}
}

void
attr_prepended(struct attr_canon *out, struct span in, unsigned times)
{
	uint8_t path[ATTR_CANON_MAX];
	struct attr_item it;

	out->len = 0;
	while (attr_next(&in, &it)) {
		const uint8_t *p = it.value.p;
		bool longer = it.type == A_AS_PATH && it.value.len >= 6 &&
			      p[0] == SEG_SEQUENCE && p[1] + times <= 255;
		unsigned i, add = longer ? 4 * times : 0;

		if (longer) {
			memcpy(path, p, 2);
			path[1] = (uint8_t)(path[1] + times);
			for (i = 0; i < times; i++)
				memcpy(path + 2 + 4 * i, p + 2, 4);
			memcpy(path + 2 + add, p + 2, it.value.len - 2);
		}
		attr_canon_add(
		    out, it.flags, it.type, longer ? path : p, it.value.len + add);
	}
}

void
attr_mark(struct attr_canon *c, uint32_t community)
{
	uint8_t v[ATTR_CANON_MAX], sorted[ATTR_CANON_MAX];
	struct attr_canon old = *c;
	struct span in = { old.octet, old.len }, all;
	bool there = attr_find(in, A_COMMUNITY, &(struct attr_item){ 0 }), done = false;
	struct attr_item it;

	c->len = 0;
	put_be32(v, community);
	while (attr_next(&in, &it)) {
		if (!done && !there && it.type > A_COMMUNITY) {
			attr_canon_add(c, AF_OPTIONAL | AF_TRANSITIVE, A_COMMUNITY, v, 4);
			done = true;
		}
		if (it.type == A_COMMUNITY) {
			memcpy(v + 4, it.value.p, it.value.len);
			all = (struct span){ v, it.value.len + 4 };
			it.value = sort_values(sorted, all, 4);
			done = true;
		}
		attr_canon_add(c, it.flags, it.type, it.value.p, it.value.len);
	}
	if (!done)
		attr_canon_add(c, AF_OPTIONAL | AF_TRANSITIVE, A_COMMUNITY, v, 4);
}

void
attr_facts(struct attr_facts *f, struct span canon, uint32_t as)
{
	struct attr_item it;
	const uint8_t *p, *end;
	unsigned i;

	memset(f, 0, sizeof(*f));
	if (attr_find(canon, A_ORIGIN, &it) && it.value.len == 1)
		f->origin = it.value.p[0];
	if (attr_find(canon, A_MED, &it) && it.value.len == 4)
		f->med = get_be32(it.value.p);
	if (!attr_find(canon, A_AS_PATH, &it))
		return;
	f->path_len = path_count(it.value);
	p = it.value.p;
	end = p + it.value.len;
	if (p < end && p[0] == SEG_SEQUENCE && p[1])
		f->path_first = get_be32(p + 2);
	for (; p < end; p += 2 + p[1] * 4)
		for (i = 0; i < p[1]; i++)
			if (get_be32(p + 2 + i * 4) == as)
				f->path_has_as = true;
}

bool
attr_has_community(struct span canon, uint32_t community)
{
	struct attr_item it;
	unsigned i;

	if (!attr_find(canon, A_COMMUNITY, &it))
		return false;
	for (i = 0; i + 4 <= it.value.len; i += 4)
		if (get_be32(it.value.p + i) == community)
			return true;
	return false;
}

/* A path for a session with 2-octet numbers. Returns: octets; *@lossy: some number didn't
 * fit. */
static unsigned
narrow_path(uint8_t *to, struct span path, bool *lossy)
{
	const uint8_t *p = path.p, *end = path.p + path.len;
	uint8_t *q = to;
	unsigned i, as;

	for (; p < end; p += 2 + p[1] * 4) {
		*q++ = p[0];
		*q++ = p[1];
		for (i = 0; i < p[1]; i++, q += 2) {
			as = get_be32(p + 2 + i * 4);
			*lossy = *lossy || as > 0xffff;
			put_be16(q, as > 0xffff ? AS_TRANS : (uint16_t)as);
		}
	}
	return (unsigned)(q - to);
}

static uint8_t *
load_attr_put(uint8_t *q, unsigned flags, unsigned type, const void *value, unsigned len)
{
	*q++ = (uint8_t)(len > 255 ? flags | AF_EXTENDED : flags);
	*q++ = (uint8_t)type;
	if (len > 255)
		*q++ = (uint8_t)(len >> 8);
	*q++ = (uint8_t)len;
	if (len)
		memcpy(q, value, len);
	return q + len;
}

/* AS_PATH or AGGREGATOR for 2 octets, followed by its AS4 twin where something was lost.
 */
static uint8_t *
put_narrow(uint8_t *q, const struct attr_item *it)
{
	uint8_t v[MSG_MAX] = { 0 };
	bool lossy = false;
	unsigned len;

	if (it->type == A_AS_PATH) {
		len = narrow_path(v, it->value, &lossy);
		q = load_attr_put(q, it->flags, it->type, v, len);
		if (lossy)
			q = load_attr_put(q, AF_OPTIONAL | AF_TRANSITIVE, A_AS4_PATH,
			    it->value.p, it->value.len);
		return q;
	}
	lossy = get_be32(it->value.p) > 0xffff;
	put_be16(v, lossy ? AS_TRANS : (uint16_t)get_be32(it->value.p));
	memcpy(v + 2, it->value.p + 4, 4);
	q = load_attr_put(q, it->flags, it->type, v, 6);
	if (lossy)
		q = load_attr_put(
		    q, AF_OPTIONAL | AF_TRANSITIVE, A_AS4_AGGREGATOR, it->value.p, 8);
	return q;
}

unsigned
attr_put_update(
    uint8_t *to, struct span attrs, bool as4, enum family fam, unsigned *mp_at)
{
	uint8_t *q = to + MSG_HEADER + 4;
	struct attr_item it, mp = { 0 };

	*mp_at = 0;
	put_be16(to + MSG_HEADER, 0);
	while (attr_next(&attrs, &it)) {
		if (it.type == A_MP_REACH)
			mp = it;
		else if (!as4 && (it.type == A_AS_PATH ||
				     (it.type == A_AGGREGATOR && it.value.len == 8)))
			q = put_narrow(q, &it);
		else
			q = load_attr_put(q, it.flags, it.type, it.value.p, it.value.len);
	}
	if (fam == FAM_IP6) {
		*mp_at = (unsigned)(q - to);
		*q++ = AF_OPTIONAL | AF_EXTENDED;
		*q++ = A_MP_REACH;
		q += 2;
		put_be16(q, family_afi(fam));
		q[2] = SAFI_UNICAST;
		q[3] = (uint8_t)mp.value.len;
		if (mp.value.len)
			memcpy(q + 4, mp.value.p, mp.value.len);
		q += 4 + mp.value.len;
		*q++ = 0;
	}
	return (unsigned)(q - to);
}

unsigned
attr_finish_update(uint8_t *to, unsigned len, unsigned nlri_at, unsigned mp_at)
{
	if (mp_at) {
		put_be16(to + mp_at + 2, (uint16_t)(len - mp_at - 4));
		nlri_at = len;
	}
	put_be16(to + MSG_HEADER + 2, (uint16_t)(nlri_at - MSG_HEADER - 4));
	return msg_put_header(to, len, MSG_UPDATE);
}
