/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes of the model: attribute sets, runs of filters, tables. */
#include "test/sim/oracle/oracle_model.h"

#include "filter/rpki.h"
#include "lib/attr/attr_edit.h"
#include "lib/net/ip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct attr_set *
oracle_set(struct oracle *o, const struct attr_edit *e)
{
	uint64_t *custom = NULL;
	uint8_t *data = NULL;
	int len = attr_edit_wire(e, &data), custom_len = attr_edit_custom(e, &custom);
	struct attr_set *s;
	struct wire_set *w;

	if (len < 0 || custom_len < 0)
		return NULL;
	w = arena_zalloc(&o->arena, sizeof(*w) + (size_t)len);
	s = arena_zalloc(&o->arena, sizeof(*s) + (size_t)custom_len);
	w->len = (uint16_t)len;
	if (len)
		memcpy(w->data, data, (size_t)len);
	wire_fill(w);
	s->wire = w;
	s->local = e->local;
	s->local.custom_words = (uint16_t)(custom_len / 8);
	if (custom_len)
		memcpy(attr_custom(s), custom, (size_t)custom_len);
	return s;
}

static void
oracle_filter_log(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

/* oracle_reads_unsure - a run has queried a table whose records are unsure. */
static bool
oracle_reads_unsure(const struct oracle *o, const struct filter *f)
{
	const struct filter_use *use;
	uint32_t cnt = filter_uses(f, &use);

	for (uint32_t i = 0; i < cnt; i++)
		if (oracle_table_of(o, conf_table_of(use[i].table))->is_unsure)
			return true;
	return false;
}

bool
oracle_filter(struct oracle *o, const struct filter *f, const struct prefix *net,
    const struct oracle_source *src, const struct attr_set **set,
    enum oracle_doubt *doubt)
{
	struct filter_env env = { .log = oracle_filter_log };
	struct route_view v = { .net = *net, .src = &src->facts, .set = *set };
	enum filter_verdict verdict;
	struct attr_edit e;
	uint32_t reads = 0;

	if (filter_may_read(f) & FILTER_READ_IFACES)
		*doubt = DOUBT_VOLATILE;
	attr_edit_init(&e, &o->arena, *set);
	verdict = filter_run(f, o->thread, &env, &v, &e, &reads);
	if ((reads & FILTER_READ_TABLE) && oracle_reads_unsure(o, f))
		*doubt = DOUBT_RPKI;
	if (verdict != FILTER_ACCEPT)
		return false;
	if (attr_edit_changed(&e))
		*set = oracle_set(o, &e);
	return *set;
}

void
oracle_code(struct oracle *o, const struct filter *code, struct oracle_route *r)
{
	struct filter_env env = { .log = oracle_filter_log };
	struct route_view v = { .net = r->net, .src = &r->source->facts, .set = r->set };
	struct attr_edit e;
	uint32_t reads;

	attr_edit_init(&e, &o->arena, r->set);
	filter_run(code, o->thread, &env, &v, &e, &reads);
	r->set = oracle_set(o, &e);
}

bool
oracle_get(const struct attr_set *s, uint8_t code, struct attr_item *it)
{
	uint32_t pos = 0;

	while (attr_item_next(it, s->wire->data, s->wire->len, &pos))
		if (it->code == code)
			return true;
	*it = (struct attr_item){ .len = 0 };
	return false;
}

bool
oracle_get_u32(const struct attr_set *s, uint8_t code, uint32_t *v)
{
	struct attr_item it;

	if (!oracle_get(s, code, &it) || it.len != 4)
		return false;
	*v = get_be32(it.val);
	return true;
}

bool
oracle_has_community(const struct attr_set *s, uint32_t community)
{
	struct attr_item it;

	if (!oracle_get(s, ATTR_COMMUNITY, &it))
		return false;
	for (uint32_t i = 0; i + 4 <= it.len; i += 4)
		if (get_be32(it.val + i) == community)
			return true;
	return false;
}

struct ip_addr
oracle_hop(const struct attr_set *s)
{
	struct attr_item it;

	if (!oracle_get(s, ATTR_NEXT_HOP, &it))
		return IP_NONE;
	return it.len == 4 ? ip4(get_be32(it.val)) : ip_get16(it.val);
}

struct prefix
oracle_prefix(const struct rib_key *k)
{
	struct ip_addr a = k->v6 ? ip_get16(k->octet) : ip4(get_be32(k->octet));

	return prefix_make(a, k->len, k->v6 ? FAM_IP6 : FAM_IP4);
}

struct ip_addr
oracle_ip(const char *text)
{
	char plain[64];
	struct ip_addr a;

	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(text, "%"), text);
	return ip_parse(&a, plain) ? IP_NONE : a;
}

struct oracle_table *
oracle_table_of(const struct oracle *o, const struct conf_table *t)
{
	return &o->table[t->index];
}

void
oracle_add(struct oracle_table *t, const struct oracle_route *r)
{
	if (t->cnt == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->route = reallocarray(t->route, t->cap, sizeof(*t->route));
	}
	t->route[t->cnt++] = *r;
}

void
oracle_doubt(struct oracle *o, enum oracle_doubt what)
{
	__atomic_fetch_add(&o->sums->doubt_cnt[what], 1, __ATOMIC_RELAXED);
}
