/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources that share a channel.
 *
 * I1  A number belongs to one source and one received identifier, until the announcement
 *     with the number is withdrawn: a later announcement may reuse the number.
 * I2  A walk begins when the table has all announcements of the sources to withdraw: the
 *     walk waits for a mark. A source that ends meanwhile waits for the next walk.
 *
 * Loop: the instance's. Tested by test/net/test_mrt_load.py. */
#include "nest/channel/import/many_sources.h"

#include "lib/attr/route.h"
#include "lib/base/hash.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_walk.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"

/* A number. */
struct number {
	struct htab_node node; /* of many_source.by_id */
	uint32_t id, nr;
};

void
many_init(struct many_sources *m, struct channel *ch)
{
	*m = (struct many_sources){ .ch = ch };
	list_init(&m->all);
	list_init(&m->going);
	list_init(&m->walked);
	channel_set_ids(ch, NLRI_ID_LEN);
}

/* sources_bgp_order - the order of BGP: the sources are BGP peers. */
static const struct path_order *
sources_bgp_order(const struct tern *t)
{
	for (unsigned i = 0; t->classes[i]; i++)
		if (t->classes[i]->conf->kind == PROTO_BGP)
			return &t->classes[i]->order;
	return NULL;
}

struct many_source *
many_new(struct many_sources *m, const struct route_source *src, const char *name)
{
	const struct tern *t = channel_proto(m->ch)->tern;
	struct origin *o = origin_new(t->origins, src, name);
	struct many_source *s;

	if (!o->id) {
		origin_put(o);
		return NULL;
	}
	o->order = sources_bgp_order(t);
	o->src.place = channel_proto(m->ch)->place;
	s = mem_zalloc(MEM_PROTO, sizeof(*s));
	s->of = m;
	s->origin = o;
	htab_init(&s->by_id, MEM_PROTO);
	list_add_tail(&m->all, &s->link);
	m->cnt++;
	return s;
}

static void
source_free(TAKE struct many_source *s)
{
	struct many_sources *m = s->of;
	struct htab_node *n = htab_walk(&s->by_id, NULL), *next;

	for (; n; n = next) {
		struct number *x = container_of(n, struct number, node);

		next = htab_walk(&s->by_id, n);
		m->owner[x->nr] = NULL;
		m->spare = vec_room(MEM_PROTO, m->spare, &m->spare_cap, m->spare_cnt + 1,
		    sizeof(*m->spare));
		m->spare[m->spare_cnt++] = x->nr;
		htab_del(&s->by_id, n);
		mem_free(MEM_PROTO, x);
	}
	htab_fini(&s->by_id);
	list_del(&s->link);
	origin_put(s->origin);
	mem_free(MEM_PROTO, s);
}

static void
sources_free_all(struct list *l)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, l)
		source_free(container_of(n, struct many_source, link));
}

void
many_clear(struct many_sources *m)
{
	sources_free_all(&m->all);
	sources_free_all(&m->going);
	sources_free_all(&m->walked);
	m->cnt = 0;
	m->nr++;
	m->marked = m->walking = false;
	mem_free(MEM_PROTO, m->owner);
	mem_free(MEM_PROTO, m->spare);
	mem_free(MEM_PROTO, m->buf);
	m->owner = NULL;
	m->spare = NULL;
	m->buf = NULL;
	m->owner_cnt = m->owner_cap = m->spare_cnt = m->spare_cap = m->buf_cap = 0;
}

void
many_fini(struct many_sources *m)
{
	many_clear(m);
}

/* ---- numbers ---- */

static struct number *
sources_number_find(const struct many_source *s, uint32_t id)
{
	struct htab_node *n;

	htab_each_same (n, &s->by_id, hash_u64(0, id))
		if (container_of(n, struct number, node)->id == id)
			return container_of(n, struct number, node);
	return NULL;
}

static uint32_t
sources_number_new(struct many_source *s, uint32_t id)
{
	struct many_sources *m = s->of;
	struct number *x = mem_zalloc(MEM_PROTO, sizeof(*x));

	x->id = id;
	if (m->spare_cnt) {
		x->nr = m->spare[--m->spare_cnt];
	} else {
		m->owner = vec_room(MEM_PROTO, m->owner, &m->owner_cap, m->owner_cnt + 1,
		    sizeof(struct many_source *));
		x->nr = m->owner_cnt++;
	}
	m->owner[x->nr] = s;
	htab_add(&s->by_id, &x->node, hash_u64(0, id));
	return x->nr;
}

/* many_sources_translate - write @n with our numbers to m->buf. @make: assign numbers to
 * unknown identifiers; else leave their nets out. Returns: octets. */
static uint32_t
many_sources_translate(struct many_source *s, const struct bgp_nlri *n, bool make)
{
	struct many_sources *m = s->of;
	const uint8_t *p = n->p, *end = n->p + n->len;
	struct number *x = NULL;
	uint32_t len = 0, last = 0;

	m->buf = vec_room(MEM_PROTO, m->buf, &m->buf_cap,
	    n->len + n->cnt * NLRI_ID_LEN + NLRI_SLACK, 1);
	while (p < end) {
		uint32_t id = n->id_len ? get_be32(p) : 0, one;

		p += n->id_len;
		one = prefix_wire_len(*p);
		if (!x || id != last)
			x = sources_number_find(s, id);
		if (!x && make) {
			sources_number_new(s, id);
			x = sources_number_find(s, id);
		}
		last = id;
		if (x) {
			put_be32(m->buf + len, x->nr);
			memcpy(m->buf + len + NLRI_ID_LEN, p, one);
			len += NLRI_ID_LEN + one;
		}
		p += one;
	}
	memset(m->buf + len, 0, NLRI_SLACK);
	return len;
}

void
many_announce(struct many_source *s, const struct many_attrs *a, const struct bgp_nlri *n)
{
	struct channel *ch = s->of->ch;
	uint32_t len = many_sources_translate(s, n, true);

	s->announced += n->cnt;
	channel_import_for(ch, s->origin);
	channel_import(ch, a->data, a->len, a->local, s->of->buf, len);
	channel_import_for(ch, NULL);
}

void
many_withdraw(struct many_source *s, const struct bgp_nlri *n)
{
	uint32_t len = many_sources_translate(s, n, false);

	s->withdrawn += n->cnt;
	if (len)
		channel_withdraw(s->of->ch, s->of->buf, len);
}

/* ---- ended sources ---- */

struct many_mark {
	struct table_mark mark;
	struct many_sources *of;
	uint32_t nr;
};

static void
many_sources_marked(struct worker *w, TAKE struct msg *msg)
{
	struct many_mark *k = container_of(msg, struct many_mark, mark.msg);

	if (k->nr == k->of->nr) {
		k->of->marked = false;
		k->of->walking = true;
		k->of->pos = 0;
		worker_again(w);
	}
	mem_free(MEM_PROTO, k);
}

/* many_sources_begin - I2. */
static void
many_sources_begin(struct many_sources *m)
{
	struct many_mark *k;

	if (m->marked || m->walking || list_empty(&m->going))
		return;
	list_move_head(&m->walked, &m->going);
	k = mem_zalloc(MEM_PROTO, sizeof(*k));
	k->mark.msg.handle = many_sources_marked;
	k->mark.to = &channel_proto(m->ch)->worker;
	k->of = m;
	k->nr = ++m->nr;
	m->marked = true;
	channel_mark(m->ch, &k->mark);
}

void
many_drop(TAKE struct many_source *s)
{
	struct many_sources *m = s->of;

	s->going = true;
	m->cnt--;
	list_del(&s->link);
	list_add_tail(&m->going, &s->link);
	many_sources_begin(m);
}

/* many_sources_goes - true: the walk withdraws path @p. */
static bool
many_sources_goes(const struct many_sources *m, const struct path *p)
{
	uint32_t nr = path_rid(p);

	return path_src(p) == channel_source_id(m->ch) && nr < m->owner_cnt &&
	       m->owner[nr] && m->owner[nr]->going;
}

/* The withdrawals of a step, in the buffer of the sources. On the stack. */
struct many_look {
	struct many_sources *of;
	uint32_t len;
};

/* many_sources_look - append the ended routes of @n to the buffer. */
static uint32_t
many_sources_look(void *arg, uint32_t id, const struct net *n)
{
	struct many_look *l = arg;
	struct many_sources *m = l->of;
	const struct table *t = channel_table(m->ch);
	uint32_t cnt = 1;
	struct nlri k;

	(void)id;
	if (!n)
		return cnt;
	k = net_nlri(t, n);
	for (const struct path *p = net_first(n); p; p = path_next(p), cnt++) {
		if (!many_sources_goes(m, p))
			continue;
		m->buf = vec_room(MEM_PROTO, m->buf, &m->buf_cap,
		    l->len + NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK, 1);
		put_be32(m->buf + l->len, path_rid(p));
		l->len += NLRI_ID_LEN;
		l->len += NLRI_BY_KIND(
		    table_kind(t), nlri_put, m->buf + l->len, k.word, k.head);
	}
	return cnt;
}

bool
many_step(struct many_sources *m)
{
	const struct table *t = channel_table(m->ch);
	struct channel_walk w = { .pos = m->pos };
	struct many_look l = { m, 0 };
	bool more;

	if (!m->walking || !channel_import_ready(m->ch))
		return false;
	w.end = table_id_limit(t);
	more = channel_walk_step(m->ch, &w, t, false, many_sources_look, &l);
	m->pos = w.pos;
	if (l.len) {
		memset(m->buf + l.len, 0, NLRI_SLACK);
		channel_withdraw(m->ch, m->buf, l.len);
	}
	if (more)
		return true;
	m->walking = false;
	sources_free_all(&m->walked);
	many_sources_begin(m);
	return false;
}
