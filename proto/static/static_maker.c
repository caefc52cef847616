/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the attribute sets of static routes, and shares the last set between equal
 * routes. Loop: the instance's. Tested by test/net/test_static_ways.py,
 * test_recursive.py, test_roa.py. */
#include "proto/static/static_maker.h"

#include "filter/filter.h"
#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "filter/run/net.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/index/aspa_set.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/nlri.h"
#include "proto/static/static_route.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"

static enum nlri_kind
static_maker_kind_of(const struct static_route *r)
{
	static const uint8_t first[] = { [STATIC_IP] = NLRI_IP4,
		[STATIC_ROA] = NLRI_ROA4,
		[STATIC_ASPA] = NLRI_ASPA };

	return (enum nlri_kind)(
	    first[r->kind] + (r->kind == STATIC_ASPA ? 0 : r->vrp.net.fam));
}

/* static_route_nlri - the network of @r. Pure. */
static struct nlri
static_route_nlri(const struct static_route *r)
{
	return r->kind == STATIC_IP ? nlri_of_prefix(&r->vrp.net)
				    : nlri_of_vrp(static_maker_kind_of(r), &r->vrp);
}

unsigned
static_item_put(const struct static_item *it, enum nlri_kind k, bool ids,
    uint8_t to[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK])
{
	struct nlri n = static_route_nlri(it->r);
	unsigned skip = ids ? NLRI_ID_LEN : 0;

	memset(to, 0, NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK);
	put_be32(to, it->rid);
	return skip + NLRI_BY_KIND(k, nlri_put, to + skip, n.word, n.head);
}

static void
static_maker_filter_log(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_INFO, "%s", line);
}

/* Run the code of a route. The result accept or reject is ignored. */
static void
maker_run_code(struct static_maker *m, const struct static_route *r, struct attr_edit *e)
{
	static const struct filter_env env = { .log = static_maker_filter_log };
	struct route_source src = { .proto = m->p->name };
	struct nlri n = static_route_nlri(r);
	struct fnet what;
	struct route_view rv = { .src = &src, .set = e->base };
	uint32_t reads;

	nlri_view(static_maker_kind_of(r), n.word, n.head, &rv, &what);
	if (!m->ft)
		m->ft = filter_thread_new(&m->p->tern->ifaces);
	filter_run(r->code, m->ft, &env, &rv, e, &reads);
}

/* static_maker_last_set - the kept set, if @r has equal attributes; most routes do. */
static OWNED struct attr_set *
static_maker_last_set(
    struct static_maker *m, const struct static_route *r, uint32_t preference)
{
	const struct static_route *of = m->last_route;

	if (!r->code && m->last_set && of->kind == r->kind && static_route_same(of, r) &&
	    m->last_set->local.preference == preference)
		return attr_set_ref(m->last_set, 1);
	return NULL;
}

void
static_maker_forget(struct static_maker *m)
{
	if (m->last_set)
		attr_set_unref(m->p->tern->store, m->last_set, 1);
	m->last_set = NULL;
}

/* maker_put_way - Returns: 0, or as hops_set. */
static int
maker_put_way(struct attr_edit *e, const struct static_route *r, const struct igp_way *w)
{
	uint32_t yes = 1;
	int err;

	if (!r->via_cnt)
		return 0;
	e->local.dest = w->dest;
	err = w->cnt ? hops_set(e, w->hop, w->cnt) : 0;
	if (err || !r->via->recursive)
		return err;
	return attr_edit_set_custom(e, CUSTOM_RECURSIVE, T_BOOL, &yes, sizeof(yes));
}

OWNED struct attr_set *
static_maker_set(struct static_maker *m, const struct static_route *r,
    const struct igp_way *w, uint32_t preference)
{
	struct attr_store *store = m->p->tern->store;
	struct attr_set *set = static_maker_last_set(m, r, preference);
	struct attr_edit e;

	if (set)
		return set;
	attr_edit_init(&e, &m->arena, attr_store_empty(store));
	e.local = (struct attr_local){ .preference = preference,
		.igp_metric = UINT32_MAX,
		.dest = r->kind == STATIC_IP ? r->dest : DEST_UNICAST,
		.rts = RTS_STATIC };
	if (!maker_put_way(&e, r, w) &&
	    (r->kind != STATIC_ASPA ||
		!aspa_set_providers(&e, r->provider, r->provider_cnt))) {
		if (r->code)
			maker_run_code(m, r, &e);
		set = attr_store_edit(store, &e);
	}
	arena_reset(&m->arena);
	if (set && !r->code) {
		static_maker_forget(m);
		m->last_set = attr_set_ref(set, 1);
		m->last_route = r;
	}
	return set;
}

void
static_maker_init(struct static_maker *m, struct proto *p)
{
	*m = (struct static_maker){ .p = p };
	arena_init(&m->arena, MEM_PROTO, 4096);
}

void
static_maker_fini(struct static_maker *m)
{
	if (m->ft)
		filter_thread_free(m->ft);
	arena_fini(&m->arena);
}
