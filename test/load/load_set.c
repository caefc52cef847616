/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets of one run.
 *
 * A client's view of a net is one number of 4 octets, the set that it holds; comparing it
 * with the set that it must hold is one comparison. Two steps lead from octets to the
 * number: a memo by the hash of the raw octets, which most messages hit that weren't seen
 * whole before (load_seen.h), and behind it the canonical form, interned. A collision of
 * two 64-bit hashes in the memo would hide a wrong attribute; with a million sets its
 * probability is below 1e-7.
 *
 * I1  Sets are never removed; two numbers are equal if and only if the canonical forms
 *     are.
 * I2  Pointers into set[] die at the next intern. */
#include "test/load/load_set.h"

#include "lib/base/hash.h"
#include "lib/mem/mem.h"

struct load_memo {
	uint64_t hash; /* 0: empty */
	uint32_t id;
};

#define SEED 0x7465726e6c6f6164ull

void
load_sets_init(struct load_sets *ss, const struct load_policy *policy)
{
	memset(ss, 0, sizeof(*ss));
	ss->policy = *policy;
	ss->cnt = 1;
	ss->cap = 1024;
	ss->set = mem_zalloc(MEM_OTHER, ss->cap * sizeof(*ss->set));
	ss->index_mask = 2 * ss->cap - 1;
	ss->index = mem_zalloc(MEM_OTHER, 2 * ss->cap * sizeof(*ss->index));
	ss->memo_mask = 1023;
	ss->memo = mem_zalloc(MEM_OTHER, (ss->memo_mask + 1) * sizeof(*ss->memo));
}

void
load_sets_fini(struct load_sets *ss)
{
	uint32_t i;

	for (i = 1; i < ss->cnt; i++) {
		mem_free(MEM_OTHER, (void *)ss->set[i].canon.p);
		mem_free(MEM_OTHER, ss->set[i].control);
	}
	mem_free(MEM_OTHER, ss->set);
	mem_free(MEM_OTHER, ss->index);
	mem_free(MEM_OTHER, ss->memo);
}

static void
load_set_index_put(struct load_sets *ss, uint32_t id)
{
	uint32_t i = (uint32_t)ss->set[id].hash & ss->index_mask;

	while (ss->index[i])
		i = (i + 1) & ss->index_mask;
	ss->index[i] = id;
}

static void
load_set_grow(struct load_sets *ss)
{
	uint32_t id;

	ss->cap *= 2;
	ss->set = mem_realloc(MEM_OTHER, ss->set, ss->cap, sizeof(*ss->set));
	mem_free(MEM_OTHER, ss->index);
	ss->index_mask = 2 * ss->cap - 1;
	ss->index = mem_zalloc(MEM_OTHER, 2 * (size_t)ss->cap * sizeof(*ss->index));
	for (id = 1; id < ss->cnt; id++)
		load_set_index_put(ss, id);
}

uint32_t
load_set_intern(struct load_sets *ss, struct span canon)
{
	uint64_t h = hash_bytes(SEED, canon.p, canon.len);
	uint32_t i = (uint32_t)h & ss->index_mask;
	struct load_set *s;
	uint8_t *copy;

	for (; ss->index[i]; i = (i + 1) & ss->index_mask) {
		s = &ss->set[ss->index[i]];
		if (s->hash == h && s->canon.len == canon.len &&
		    memcmp(s->canon.p, canon.p, canon.len) == 0)
			return ss->index[i];
	}
	if (ss->cnt == ss->cap)
		load_set_grow(ss);
	copy = mem_alloc(MEM_OTHER, canon.len + 1);
	memcpy(copy, canon.p, canon.len);
	s = &ss->set[ss->cnt];
	memset(s, 0, sizeof(*s));
	s->hash = h;
	s->canon = (struct span){ copy, canon.len };
	load_set_index_put(ss, ss->cnt);
	return ss->cnt++;
}

static void
memo_put(struct load_sets *ss, uint64_t h, uint32_t id)
{
	struct load_memo *old = ss->memo;
	uint32_t i, old_size = ss->memo_mask + 1;

	if (ss->memo_cnt * 2 > ss->memo_mask) {
		ss->memo_mask = 2 * old_size - 1;
		ss->memo = mem_zalloc(
		    MEM_OTHER, 2 * (size_t)old_size * sizeof(*ss->memo));
		ss->memo_cnt = 0;
		for (i = 0; i < old_size; i++)
			if (old[i].hash)
				memo_put(ss, old[i].hash, old[i].id);
		mem_free(MEM_OTHER, old);
	}
	for (i = (uint32_t)h & ss->memo_mask; ss->memo[i].hash;
	     i = (i + 1) & ss->memo_mask)
		;
	ss->memo[i] = (struct load_memo){ h, id };
	ss->memo_cnt++;
}

/* Hash of all attributes apart from prefixes. */
static uint64_t
raw_hash(const struct msg_update *u, bool as4)
{
	uint64_t h;

	if (!u->has_mp_reach) {
		h = hash_bytes(SEED + as4, u->attrs.p, u->attrs.len);
	} else {
		const uint8_t *after = u->mp_attr.p + u->mp_attr.len;

		h = hash_bytes(SEED + 2 + as4 + 4 * u->mp_family, u->attrs.p,
		    (size_t)(u->mp_attr.p - u->attrs.p));
		h = hash_bytes(h, u->mp_next_hop.p, u->mp_next_hop.len);
		h = hash_bytes(h, after, (size_t)(u->attrs.p + u->attrs.len - after));
	}
	return h ? h : 1;
}

uint32_t
load_set_of_update(struct load_sets *ss, const struct msg_update *u, bool as4)
{
	uint64_t h = raw_hash(u, as4);
	uint32_t i = (uint32_t)h & ss->memo_mask, id;
	struct attr_canon c, d;

	for (; ss->memo[i].hash; i = (i + 1) & ss->memo_mask)
		if (ss->memo[i].hash == h)
			return ss->memo[i].id;
	if (attr_canonical(&c, u, as4))
		return 0;
	if (ss->policy.lenient) {
		d = c;
		attr_exported(&c, (struct span){ d.octet, d.len });
	}
	id = load_set_intern(ss, (struct span){ c.octet, c.len });
	if (!u->has_mp_unreach) /* its prefixes are part of the hash */
		memo_put(ss, h, id);
	return id;
}

/* Large communities that ask something of the server. Returns: NULL if there are none. */
static struct load_control *
read_control(const struct load_sets *ss, struct span canon)
{
	struct load_control *list;
	struct attr_item it;
	unsigned i, cnt = 0;

	if (!attr_find(canon, A_LARGE_COMMUNITY, &it))
		return NULL;
	list = mem_alloc(MEM_OTHER, (it.value.len / 12 + 1) * sizeof(*list));
	for (i = 0; i + 12 <= it.value.len; i += 12) {
		uint32_t ask = get_be32(it.value.p + i + 4);
		uint32_t who = get_be32(it.value.p + i + 8);

		if (get_be32(it.value.p + i) != ss->policy.server_as ||
		    (ask > ASK_TO && ask <= ASK_PREPEND) || ask > ASK_PREPEND_MAX)
			continue;
		if (ask == ASK_NOT_TO && !who)
			who = LOAD_CONTROL_NOBODY;
		else if ((who -= ss->policy.first_as) > UINT16_MAX)
			continue; /* nobody's number */
		list[cnt++] = (struct load_control){ who, ask };
	}
	list[cnt].client = LOAD_CONTROL_END;
	if (cnt)
		return list;
	mem_free(MEM_OTHER, list);
	return NULL;
}

/* Make those of the longer paths that somebody asks for. */
static void
judge_control(struct load_sets *ss, uint32_t id)
{
	struct load_control *list = read_control(ss, ss->set[id].canon), *l;
	struct attr_canon c;
	uint32_t longer;

	ss->set[id].control = list;
	for (l = list; l && l->client != LOAD_CONTROL_END; l++) {
		if (l->ask <= ASK_PREPEND)
			continue;
		attr_prepended(&c, ss->set[id].canon, l->ask - ASK_PREPEND);
		longer = load_set_intern(ss, (struct span){ c.octet, c.len });
		ss->set[id].prepended[l->ask - ASK_PREPEND - 1] = longer;
	}
}

/* is_servers - RFC 4271, 5.1.3: the server refuses its own addresses. Known are @server
 * and the addresses that each host has. */
static bool
is_servers(struct ip_addr server, const struct span *hop)
{
	struct ip_addr a = hop->len == 4 ? ip4(get_be32(hop->p)) : ip_get16(hop->p);

	return ip_equal(a, server) || ip_equal(a, ip4(0x7f000001)) ||
	       ip_equal(a, (struct ip_addr){ 0, 1 });
}

/* next_hop_refused - RFC 4271, 6.3: can no host have the address? 0.0.0.0/8, multicast
 * and what is reserved behind it; of IPv6 ::, multicast, and IPv4-mapped addresses. And
 * the server's own addresses. */
static bool
next_hop_refused(struct ip_addr server, struct span canon)
{
	static const uint8_t zero[12], mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct attr_item it;
	const uint8_t *p;

	if (!attr_find(canon, A_NEXT_HOP, &it) || !it.value.len)
		return false;
	p = it.value.p;
	if (is_servers(server, &it.value))
		return true;
	if (it.value.len == 4)
		return !p[0] || p[0] >= 0xe0;
	return p[0] == 0xff || !memcmp(p, mapped, sizeof(mapped)) ||
	       (!memcmp(p, zero, sizeof(zero)) && !get_be32(p + 12));
}

const struct load_set *
load_set_judge(struct load_sets *ss, uint32_t id)
{
	struct load_set *s = &ss->set[id];
	struct attr_item it;
	struct attr_canon c;
	uint32_t out;
	unsigned i;

	if (s->judged)
		return s;
	attr_facts(&s->facts, s->canon, ss->policy.server_as);
	s->local_pref = 100;
	s->rejected = s->facts.path_has_as ||
		      next_hop_refused(ss->policy.server, s->canon);
	if (ss->policy.filter) {
		s->rejected = s->rejected || s->facts.path_len > 64;
		if (attr_has_community(s->canon, 65000u << 16 | 1))
			s->local_pref = 90;
	}
	if (attr_find(s->canon, A_COMMUNITY, &it)) {
		for (i = 0; i + 4 <= it.value.len; i += 4) {
			uint32_t v = get_be32(it.value.p + i);

			/* NO_EXPORT, NO_ADVERTISE, NO_EXPORT_SUBCONFED (RFC 1997) */
			if (v >= 0xffffff01 && v <= 0xffffff03)
				s->kept_in = true;
		}
	}
	s->judged = true;
	attr_exported(&c, s->canon);
	if (ss->policy.mark)
		attr_mark(&c, ss->policy.server_as << 16 | ss->policy.mark);
	out = load_set_intern(ss, (struct span){ c.octet, c.len });
	ss->set[id].out = out; /* s may have moved */
	judge_control(ss, id);
	return &ss->set[id];
}

uint32_t
load_set_for(const struct load_sets *ss, uint32_t id, uint32_t client)
{
	const struct load_set *s = &ss->set[id];
	const struct load_control *l = s->control;
	bool to = false, to_nobody = false;
	uint32_t longer = 0;

	for (; l && l->client != LOAD_CONTROL_END; l++) {
		to_nobody = to_nobody || l->client == LOAD_CONTROL_NOBODY;
		if (l->client != client)
			continue;
		if (l->ask == ASK_NOT_TO)
			return 0;
		to = to || l->ask == ASK_TO;
		if (l->ask > longer)
			longer = l->ask;
	}
	if (to)
		return id;
	if (to_nobody)
		return 0;
	return longer > ASK_PREPEND ? s->prepended[longer - ASK_PREPEND - 1] : id;
}

void
load_sets_mark(struct load_sets *ss, uint32_t mark)
{
	uint32_t id;

	ss->policy.mark = mark;
	for (id = 1; id < ss->cnt; id++) {
		mem_free(MEM_OTHER, ss->set[id].control);
		ss->set[id].control = NULL;
		ss->set[id].judged = false;
	}
}
