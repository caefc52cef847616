/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fed routes, live announcements and own announcements, of each member and net.
 *
 * I1  A set in a cell is a reference to an interned set: equal sets are one object.
 * I2  A net lives while a cell has a set of the net; afterwards its id is reused.
 * I3  A member's diffs have the nets with different announcements. Announcements are
 *     equal if their attributes have equal codes and values; flags do not count, as RFC
 *     4271 leaves PARTIAL to each router on the way.
 *
 * style: shadow_rib_clear walks all nets at once, some ms for a full table. The walk
 * happens at the end of a session, in a worker without waiting users.
 *
 * Loop: the shadow's. Tested by test/net/test_shadow.py. */
#include "lib/attr/as_path.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "nest/core/tern.h"
#include "nest/foreign/foreign_update.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/shadow/shadow_priv.h"

#include <string.h>

/* ---- nets ---- */

static struct shadow_net *
rib_net_find(const struct shadow *sh, const struct prefix *p)
{
	struct htab_node *n;

	htab_each_same (n, &sh->nets, prefix_hash(0, p)) {
		struct shadow_net *net = container_of(n, struct shadow_net, node);

		if (prefix_equal(&net->net, p))
			return net;
	}
	return NULL;
}

static struct shadow_net *
rib_net_new(struct shadow *sh, const struct prefix *p)
{
	struct shadow_net *n = mem_zalloc(MEM_OTHER, sizeof(*n));

	n->net = *p;
	if (sh->free_cnt) {
		n->id = sh->free_id[--sh->free_cnt];
	} else {
		sh->net = vec_room(MEM_OTHER, sh->net, &sh->net_cap, sh->net_cnt + 1,
		    sizeof(struct shadow_net *));
		n->id = sh->net_cnt++;
	}
	sh->net[n->id] = n;
	htab_add(&sh->nets, &n->node, prefix_hash(0, p));
	return n;
}

static void
rib_net_put(struct shadow *sh, TAKE struct shadow_net *n)
{
	if (n->uses)
		return;
	htab_del(&sh->nets, &n->node);
	sh->net[n->id] = NULL;
	sh->free_id = vec_room(MEM_OTHER, sh->free_id, &sh->free_cap, sh->free_cnt + 1,
	    sizeof(*sh->free_id));
	sh->free_id[sh->free_cnt++] = n->id;
	mem_free(MEM_OTHER, n);
}

/* ---- cells ---- */

static struct shadow_cell *
rib_cell_of(struct shadow_member *m, const struct shadow_net *n)
{
	uint32_t had = m->rib.cell_cap;

	m->rib.cell = vec_room(MEM_OTHER, m->rib.cell, &m->rib.cell_cap, n->id + 1,
	    sizeof(struct shadow_cell));
	if (m->rib.cell_cap > had)
		memset(
		    m->rib.cell + had, 0, (m->rib.cell_cap - had) * sizeof(*m->rib.cell));
	return &m->rib.cell[n->id];
}

/* shadow_rib_same - true: equal announcements (I3). */
static bool
shadow_rib_same(const struct wire_set *a, const struct wire_set *b)
{
	struct attr_item x, y;
	uint32_t at_a = 0, at_b = 0;

	if (a == b || !a || !b || a->len != b->len)
		return a == b;
	while (attr_item_next(&x, a->data, a->len, &at_a)) {
		if (!attr_item_next(&y, b->data, b->len, &at_b) || x.code != y.code ||
		    x.len != y.len || memcmp(x.val, y.val, x.len))
			return false;
	}
	return true;
}

static void
shadow_rib_look(
    struct shadow_member *m, struct shadow_net *n, const struct shadow_cell *c)
{
	struct htab_node *at = htab_find(&m->rib.diffs, n->id);
	struct shadow_diff *d = at ? container_of(at, struct shadow_diff, node) : NULL;
	bool differs = m->live.seen &&
		       !shadow_rib_same(c->side[SHADOW_LIVE], c->side[SHADOW_OURS]);

	if (differs && !d) {
		d = mem_zalloc(MEM_OTHER, sizeof(*d));
		d->net = n;
		htab_add(&m->rib.diffs, &d->node, n->id);
	}
	if (differs) {
		d->since_ns = shadow_now(m->of);
	} else if (d) {
		htab_del(&m->rib.diffs, &d->node);
		mem_free(MEM_OTHER, d);
	}
}

/* shadow_rib_set - @w: takes a reference; NULL: no route. */
static void
shadow_rib_set(struct shadow_member *m, enum shadow_side side, const struct prefix *p,
    struct wire_set *w)
{
	struct shadow_net *n = rib_net_find(m->of, p);
	struct shadow_cell *c;
	struct wire_set *old;

	if (!n && !w)
		return;
	if (!n)
		n = rib_net_new(m->of, p);
	c = rib_cell_of(m, n);
	old = c->side[side];
	if (old == w)
		return;
	c->side[side] = w ? wire_set_ref(w) : NULL;
	n->uses += !!w;
	m->rib.cnt[side] += !!w;
	n->uses -= !!old;
	m->rib.cnt[side] -= !!old;
	if (old)
		wire_set_unref(m->of->tern->store, old);
	if (side != SHADOW_FED)
		shadow_rib_look(m, n, c);
	rib_net_put(m->of, n);
}

static void
shadow_rib_set_all(struct shadow_member *m, enum shadow_side side, unsigned fam,
    const struct bgp_nlri *nlri, struct wire_set *w)
{
	const uint8_t *p = nlri->p;
	struct prefix net;

	if (nlri->id_len && side != SHADOW_FED) {
		m->paths = true;
		return;
	}
	for (uint32_t i = 0; i < nlri->cnt; i++) {
		p += nlri->id_len;
		p += prefix_get(&net, p, fam);
		shadow_rib_set(m, side, &net, w);
	}
}

const char *
shadow_rib_update(struct shadow_member *m, enum shadow_side side,
    const struct foreign_update *u, uint8_t *eor)
{
	struct shadow *sh = m->of;
	struct bgp_update got;
	struct bgp_err err = foreign_update_read(&sh->reader, u, &got);

	if (err.severity == BGP_SEV_RESET)
		return err.text;
	*eor = got.eor;
	for (unsigned i = 0; i < got.unreach_cnt; i++)
		shadow_rib_set_all(
		    m, side, got.unreach[i].fam, &got.unreach[i].nlri, NULL);
	for (unsigned i = 0; i < got.reach_cnt; i++) {
		const struct bgp_reach *r = &got.reach[i];
		struct wire_set *w = r->blob ? attr_store_wire(
						   sh->tern->store, r->blob, r->blob_len)
					     : NULL;

		shadow_rib_set_all(m, side, r->fam, &r->nlri, w);
		if (w)
			wire_set_unref(sh->tern->store, w);
	}
	return err.severity >= BGP_SEV_WITHDRAW ? err.text : NULL;
}

void
shadow_rib_clear(struct shadow_member *m, enum shadow_side side)
{
	for (uint32_t id = 0; m->rib.cnt[side] && id < m->rib.cell_cap; id++) {
		struct prefix p;

		if (!m->rib.cell[id].side[side])
			continue;
		p = m->of->net[id]->net;
		shadow_rib_set(m, side, &p, NULL);
	}
}

void
shadow_rib_live(struct shadow_member *m, bool seen)
{
	if (m->live.seen == seen)
		return;
	m->live.seen = seen;
	for (uint32_t id = 0; id < m->rib.cell_cap; id++)
		if (m->rib.cell[id].side[SHADOW_LIVE] ||
		    m->rib.cell[id].side[SHADOW_OURS])
			shadow_rib_look(m, m->of->net[id], &m->rib.cell[id]);
}

/* ---- explanations ---- */

/* rib_path_text - @b gets the AS path of @w, a blank before each AS. */
static void
rib_path_text(struct strbuf *b, const struct wire_set *w)
{
	struct attr_item it;

	strbuf_reset(b);
	strbuf_addc(b, ' ');
	if (wire_slot(w, SLOT_AS_PATH, ATTR_AS_PATH, &it))
		as_path_print(b, it.val, it.len);
}

bool
shadow_rib_explained(
    struct shadow *sh, const struct shadow_net *n, const struct wire_set *w)
{
	struct strbuf live, fed;
	struct list *at;
	bool found = false;

	strbuf_init(&live);
	strbuf_init(&fed);
	rib_path_text(&live, w);
	list_for_each (at, &sh->members) {
		const struct shadow_member *m = container_of(
		    at, const struct shadow_member, link);
		const struct wire_set *f = n->id < m->rib.cell_cap
					       ? m->rib.cell[n->id].side[SHADOW_FED]
					       : NULL;

		if (found || !f || !m->session.up)
			continue;
		rib_path_text(&fed, f); /* routers on the way prepend AS numbers */
		found = fed.len <= live.len &&
			!memcmp(live.s + live.len - fed.len, fed.s, fed.len);
	}
	strbuf_fini(&live);
	strbuf_fini(&fed);
	return found;
}

void
shadow_rib_free(struct shadow *sh)
{
	struct list *at;

	list_for_each (at, &sh->members) {
		struct shadow_member *m = container_of(at, struct shadow_member, link);

		for (unsigned side = 0; side < SHADOW_SIDES; side++)
			shadow_rib_clear(m, side);
		htab_fini(&m->rib.diffs);
		mem_free(MEM_OTHER, m->rib.cell);
	}
	htab_fini(&sh->nets);
	mem_free(MEM_OTHER, sh->net);
	mem_free(MEM_OTHER, sh->free_id);
	foreign_reader_fini(&sh->reader);
}
