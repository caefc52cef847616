/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of a table: the array, and dense ids. Writer: the table's loop. table_hash.c finds
 * nets, and table_get.c reads them.
 *
 * Nets lie in one array by id. Address space is reserved for the greatest number of nets,
 * with the space for paths behind it, so that pointers between nets and paths take 4
 * octets; memory is allocated as nets are added, in huge pages for many nets.
 *
 * I1  A net's prefix is written before its id enters the hash or a segment, and does not
 *     change until a grace period after the net left the hash. */
#include "nest/rib/table_priv.h"

#include "lib/base/bitmap.h"
#include "lib/base/htab.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "lib/mt/slab.h"
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

void
table_len_count(struct table *t, unsigned len, bool add)
{
	struct pub64 *word = &t->hash.lens[len / 64];
	uint64_t bit = 1ull << (len % 64);

	if (add && !t->hash.len_cnt[len]++)
		store_release64(word, load_relaxed64(word) | bit); /* pairs: TLENS */
	else if (!add && !--t->hash.len_cnt[len])
		store_release64(word, load_relaxed64(word) & ~bit); /* pairs: TLENS */
}

struct net *
table_net_new(struct table *t, const struct nlri *k, uint32_t *id)
{
	struct net *n;

	*id = stream_id_new(&t->best);
	if (*id == NO_ID)
		return NULL;
	n = table_net_ptr(t, *id);
	n->head = k->head;
	for (unsigned i = 0; i < t->net.words; i++)
		n->word[i] = k->word[i];
	n->flags = NET_HASHED;
	table_len_count(t, nlri_bits(k->head), true);
	return n;
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
