/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of interfaces and addresses, updated message by message.
 *
 * I1  Rows are sorted by index, so a link is found in a few steps and a list needs no
 *     sorting.
 * I2  Addresses have the kernel's order. IPv4 comes first: primary addresses by scope
 *     from host to global, newer addresses later; then secondary addresses. IPv6 follows:
 *     by scope from global to link, newer addresses first.
 * I3  An address that may turn out to be another machine's (duplicate address detection)
 *     has a place, but is in no list.
 *
 * Loop: the owner's. */
#include "sysdep/iface/iface_state.h"

#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/iface/iface_pattern.h"

#include <linux/if_addr.h>

/* ---- rows ---- */

/* iface_state_place_of - where the link of that index is, or belongs. */
static uint32_t
iface_state_place_of(const struct iface_state *st, uint32_t index)
{
	uint32_t lo = 0, hi = st->cnt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (st->row[mid].i.index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct iface_row *
state_row_find(const struct iface_state *st, uint32_t index)
{
	uint32_t at = iface_state_place_of(st, index);

	return at < st->cnt && st->row[at].i.index == index ? &st->row[at] : NULL;
}

static struct iface_row *
state_row_add(struct iface_state *st, uint32_t index)
{
	uint32_t at = iface_state_place_of(st, index);
	struct iface_row *r;

	st->row = vec_room(MEM_OTHER, st->row, &st->cap, st->cnt + 1, sizeof(*st->row));
	r = &st->row[at];
	memmove(r + 1, r, (st->cnt++ - at) * sizeof(*r));
	*r = (struct iface_row){ .i.index = index };
	return r;
}

static bool
state_take_link(struct iface_state *st, const struct rtnl_link *l)
{
	struct iface_row *r = state_row_find(st, l->index);
	struct iface was;

	if (!r && !l->name[0])
		/* a partial message about an unknown link; the complete message comes
		 * first */
		return false;
	if (!r)
		r = state_row_add(st, l->index);
	was = r->i;
	r->i.flags = l->flags;
	if (l->name[0])
		memcpy(r->i.name, l->name, sizeof(r->i.name));
	/* a message with an MTU is complete; a wireless network's message has the name
	 * only */
	if (l->mtu) {
		r->i.mtu = l->mtu;
		r->i.master = l->master;
	}
	return was.flags != r->i.flags || was.mtu != r->i.mtu ||
	       was.master != r->i.master || strcmp(was.name, r->i.name);
}

static bool
state_drop_link(struct iface_state *st, const struct rtnl_link *l)
{
	struct iface_row *r = state_row_find(st, l->index);

	if (!r)
		return false;
	mem_free(MEM_OTHER, r->addr);
	st->cnt--;
	memmove(r, r + 1, (size_t)(st->row + st->cnt - r) * sizeof(*r));
	return true;
}

/* ---- addresses ---- */

static bool
state_same_addr(const struct iface_addr *a, const struct rtnl_addr *b)
{
	return ip_equal(a->local, b->local) && prefix_equal(&a->subnet, &b->subnet);
}

/* iface_state_before - does the kernel have @b behind the new address @a? (I2) */
static bool
iface_state_before(const struct iface_addr *a, const struct iface_addr *b)
{
	bool a2 = a->flags & IFA_F_SECONDARY, b2 = b->flags & IFA_F_SECONDARY;

	if (a->subnet.fam != b->subnet.fam)
		return a->subnet.fam == FAM_IP4;
	if (a->subnet.fam == FAM_IP6)
		return b->scope >= a->scope;
	return !a2 && (b2 || b->scope < a->scope);
}

/* state_is_shown - I3. */
static bool
state_is_shown(const struct iface_addr *a)
{
	return !(a->flags & IFA_F_TENTATIVE);
}

static void
state_addr_add(struct iface_row *r, const struct rtnl_addr *m, bool last)
{
	struct iface_addr a = { .local = m->local,
		.subnet = m->subnet,
		.flags = m->flags,
		.scope = m->scope };
	uint32_t at = last ? r->addr_cnt : 0;

	while (at < r->addr_cnt && !iface_state_before(&a, &r->addr[at]))
		at++;
	r->addr = vec_room(
	    MEM_OTHER, r->addr, &r->addr_cap, r->addr_cnt + 1, sizeof(*r->addr));
	memmove(&r->addr[at + 1], &r->addr[at], (r->addr_cnt++ - at) * sizeof(*r->addr));
	r->addr[at] = a;
}

static bool
state_drop_addr(struct iface_row *r, const struct rtnl_addr *m)
{
	bool shown;

	for (uint32_t k = 0; k < r->addr_cnt; k++) {
		struct iface_addr *a = &r->addr[k];

		if (!state_same_addr(a, m))
			continue;
		shown = state_is_shown(a);
		r->addr_cnt--;
		memmove(a, a + 1, (r->addr_cnt - k) * sizeof(*a));
		return shown;
	}
	return false;
}

/* state_take_addr - add or update an address. A known address keeps its place unless its
 * secondary flag changes. */
static bool
state_take_addr(struct iface_row *r, const struct rtnl_addr *m, bool last)
{
	for (uint32_t k = 0; k < r->addr_cnt; k++) {
		struct iface_addr *a = &r->addr[k];
		uint32_t differs = a->flags ^ m->flags;

		if (!state_same_addr(a, m))
			continue;
		if (differs & IFA_F_SECONDARY)
			break;
		a->flags = m->flags;
		return differs;
	}
	state_drop_addr(r, m);
	state_addr_add(r, m, last);
	return !(m->flags & IFA_F_TENTATIVE);
}

bool
iface_state_take(struct iface_state *st, const struct rtnl_msg *m)
{
	struct iface_row *r;

	switch (m->kind) {
	case RTNL_LINK:
		return state_take_link(st, &m->link);
	case RTNL_LINK_GONE:
		return state_drop_link(st, &m->link);
	case RTNL_ADDR:
		r = state_row_find(st, m->addr.index);
		return r && state_take_addr(r, &m->addr, st->in_order);
	case RTNL_ADDR_GONE:
		r = state_row_find(st, m->addr.index);
		return r && state_drop_addr(r, &m->addr);
	default:
		return false;
	}
}

void
iface_state_fini(struct iface_state *st)
{
	for (uint32_t i = 0; i < st->cnt; i++)
		mem_free(MEM_OTHER, st->row[i].addr);
	mem_free(MEM_OTHER, st->row);
	*st = (struct iface_state){ .cnt = 0 };
}

/* ---- lists ---- */

static const struct iface_prefer *
state_prefer_of(const struct iface_tune *t, const struct iface *i)
{
	const struct iface_prefer *p = t ? t->prefer : NULL;

	while (p && !iface_pattern_fits(p->pattern, i, NULL))
		p = p->next;
	return p;
}

/* iface_state_choose - mark the preferred address of each kind. */
static void
iface_state_choose(struct iface_addr *addr, uint32_t cnt, const struct iface_prefer *p)
{
	struct iface_addr *best[IFACE_ADDR_KINDS] = { NULL };
	bool asked[IFACE_ADDR_KINDS] = { false };

	for (uint32_t k = 0; k < cnt; k++) {
		enum iface_kind_of_addr kind = iface_kind_of(addr[k].local);
		bool wanted = p && !asked[kind] && ip_equal(p->addr[kind], addr[k].local);

		if (wanted || (!best[kind] && !(addr[k].flags & IFA_F_SECONDARY)))
			best[kind] = &addr[k];
		asked[kind] |= wanted;
	}
	for (unsigned kind = 0; kind < IFACE_ADDR_KINDS; kind++)
		if (best[kind])
			best[kind]->preferred = true;
}

/* state_copy_addrs - copy the visible addresses of @r into @i. */
static void
state_copy_addrs(struct arena *a, struct iface *i, const struct iface_row *r,
    const struct iface_prefer *p)
{
	struct iface_addr *addr = arena_alloc(a, (r->addr_cnt + 1) * sizeof(*addr));

	for (uint32_t k = 0; k < r->addr_cnt; k++)
		if (state_is_shown(&r->addr[k]))
			addr[i->addr_cnt++] = r->addr[k];
	iface_state_choose(addr, i->addr_cnt, p);
	i->addr = addr;
}

static int
iface_state_cmp_local(const void *a, const void *b)
{
	return ip_cmp(*(const struct ip_addr *)a, *(const struct ip_addr *)b);
}

/* iface_state_sort_local - all addresses of @l, for iface_owns. */
static void
iface_state_sort_local(struct iface_list *l)
{
	struct ip_addr *local;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < l->cnt; i++)
		cnt += l->iface[i].addr_cnt;
	local = arena_alloc(l->arena, (cnt + 1) * sizeof(*local));
	cnt = 0;
	for (uint32_t i = 0; i < l->cnt; i++)
		for (uint32_t k = 0; k < l->iface[i].addr_cnt; k++)
			local[cnt++] = l->iface[i].addr[k].local;
	qsort(local, cnt, sizeof(*local), iface_state_cmp_local);
	l->local = local;
	l->local_cnt = cnt;
}

struct iface_list *
iface_state_list(const struct iface_state *st, const struct iface_tune *t)
{
	struct iface_list *l = mem_zalloc(MEM_OTHER, sizeof(*l));
	struct iface *iface;

	l->arena = mem_zalloc(MEM_OTHER, sizeof(*l->arena));
	arena_init(l->arena, MEM_OTHER, 1024);
	iface = arena_alloc(l->arena, (st->cnt + 1) * sizeof(*iface));
	for (uint32_t i = 0; i < st->cnt; i++) {
		const struct iface_row *r = &st->row[i];

		iface[i] = r->i;
		state_copy_addrs(l->arena, &iface[i], r, state_prefer_of(t, &r->i));
	}
	l->iface = iface;
	l->cnt = st->cnt;
	iface_state_sort_local(l);
	return l;
}
