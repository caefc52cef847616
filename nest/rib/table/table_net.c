/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of a table: the array, and the search for the longest match. Writer: the table's
 * loop. table_hash.c makes and finds nets, and table_get.c reads them.
 *
 * Nets lie in one array by id. Address space is reserved for the greatest number of nets,
 * with the space for paths behind it, so that pointers between nets and paths take 4
 * octets; memory is allocated as nets are added, in huge pages for many nets.
 *
 * I1  A net's prefix is written before its id enters the hash or a segment, and does not
 *     change until a grace period after the net left the hash. */
#include "nest/rib/table_priv.h"

#include "lib/base/htab.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "lib/mt/slab.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/stream.h"
#include "nest/rib/table.h"

#define PATHS_MAX (7ull << 30) /* octets; with the nets less than a struct near spans */

void
table_id_free(struct table *t, uint32_t id)
{
	struct net *n = table_net_ptr(t, id);

	DCHECK(!near_load_relaxed(&n->paths) && !(n->flags & NET_HASHED));
	n->flags = 0;
	stream_id_free(&t->best, id);
}

/* net_nets_max - octets of address space for the greatest number of nets. */
static size_t
net_nets_max(const struct table *t)
{
	size_t len = ((size_t)NET_ID_MAX + 1) * t->net.size;

	return (len + VMEM_STEP - 1) / VMEM_STEP * VMEM_STEP;
}

void
table_nets_init(struct table *t)
{
	t->net.words = nlri_words(t->kind);
	t->net.size = sizeof(struct net) + t->net.words * 4;
	t->net.at = vmem_reserve(net_nets_max(t) + PATHS_MAX);
	t->paths.mem = (struct slab_region){ .base = t->net.at + net_nets_max(t),
		.steps = PATHS_MAX / VMEM_STEP };
	for (unsigned i = 0; i < ARRAY_LEN(t->paths.slab); i++)
		slab_init(&t->paths.slab[i], MEM_TABLE,
		    sizeof(struct path) + (i % 2 + i / 2) * sizeof(struct path_ext),
		    &t->paths.mem);
	htab_init(&t->paths.many, MEM_TABLE);
	table_behind_init(t);
}

void
table_nets_fini(struct table *t)
{
	for (unsigned i = 0; i < ARRAY_LEN(t->paths.slab); i++)
		slab_fini(&t->paths.slab[i]);
	vmem_fini(MEM_TABLE, t->net.at, net_nets_max(t) + PATHS_MAX,
	    load_relaxed64(&t->net_open));
	htab_fini(&t->paths.many);
}

/* ---- longest match ---- */

/* table_net_match - the longest net with a best route that contains @whole, of the
 * table's family. */
static const struct net *
table_net_match(const struct table *t, const struct prefix *whole)
{
	const struct table_matcher *m = load_acquire_ptr(
	    &t->pub.match); /* pairs: TMATCH */
	const struct net *known;

	if (m && m->answers(t, &known, whole))
		return known;
	for (int len = whole->len; len >= 0; len--) {
		const struct net *n;
		struct prefix p;
		struct nlri k;
		uint32_t id;

		if (!table_has_len(t, (unsigned)len))
			continue;
		p = prefix_make(whole->addr, (unsigned)len, table_family(t));
		k = nlri_of_prefix(&p);
		n = table_net_find(t, &k, &id);
		if (n && net_best(n))
			return n;
	}
	return NULL;
}

const struct net *
table_match(const struct table *t, struct ip_addr a)
{
	enum family fam = family_of_ip(a);
	struct prefix p = { a, (uint8_t)family_bits(fam), (uint8_t)fam };

	return (unsigned)t->kind == fam ? table_net_match(t, &p) : NULL;
}

bool
table_may_have_len(const struct table *t, unsigned len)
{
	return table_has_len(t, len);
}

const struct net *
table_match_prefix(const struct table *t, const struct prefix *p)
{
	return p->fam == (unsigned)t->kind ? table_net_match(t, p) : NULL;
}
