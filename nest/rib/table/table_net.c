/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of a table: dense ids, and the readers' look-ups. Writer: the table's loop.
 *
 * Nets lie in one array by id. Address space is reserved for the greatest number of nets,
 * with the space for paths behind it, so that pointers between nets and paths take 4
 * octets; memory is allocated as nets are added, in huge pages for many nets. Longest
 * match uses a complete index if present (match_index.h); else it tries the existing
 * lengths, longest first. The hash is in table_hash.c.
 *
 * I1  A net's prefix is written before its id enters the hash or a segment, and does not
 *     change until a grace period after the net left the hash. */
#include "nest/rib/table_priv.h"

#include "lib/base/bitmap.h"
#include "lib/base/htab.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
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
#include "sysdep/os/os.h"

/* from here on huge pages, allocated as a whole with their first net */
#define NETS_HUGE (2u * VMEM_STEP)

#define PATHS_MAX (7ull << 30) /* octets; with the nets less than a struct near spans */

const struct net *
table_net_of(const struct table *t, uint32_t id)
{
	return table_net_ptr(t, id);
}

uint32_t
net_id(const struct table *t, const struct net *n)
{
	return (uint32_t)((size_t)((const uint8_t *)n - t->net) / t->net_size);
}

struct prefix
net_prefix(const struct table *t, const struct net *n)
{
	return nlri_prefix(t->kind, n->word, n->head);
}

struct nlri
net_nlri(const struct table *t, const struct net *n)
{
	struct nlri k = { .head = n->head };

	for (unsigned i = 0; i < t->net_words; i++)
		k.word[i] = n->word[i];
	return k;
}

void
net_view(
    const struct table *t, const struct net *n, struct route_view *r, struct fnet *what)
{
	nlri_view(t->kind, n->word, n->head, r, what);
}

void
table_nets_open(struct table *t, uint32_t cnt)
{
	size_t open = load_relaxed64(&t->net_open), len = (size_t)cnt * t->net_size;

	if (likely(len <= open))
		return;
	vmem_open(MEM_TABLE, t->net + open, open >= NETS_HUGE);
	store_relaxed64(&t->net_open, open + VMEM_STEP);
}

void
table_id_free(struct table *t, uint32_t id)
{
	struct net *n = table_net_ptr(t, id);

	DCHECK(!near_load_relaxed(&n->paths) && !(n->flags & NET_HASHED));
	n->flags = 0;
	stream_id_free(&t->best, id);
}

static void
count_len(struct table *t, unsigned len, bool add)
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
	if (*id == NO_SOURCE)
		return NULL;
	n = table_net_ptr(t, *id);
	n->head = k->head;
	for (unsigned i = 0; i < t->net_words; i++)
		n->word[i] = k->word[i];
	n->flags = NET_HASHED;
	count_len(t, nlri_bits(k->head), true);
	return n;
}

void
table_net_unhash(struct table *t, uint32_t id)
{
	struct net *n = table_net_ptr(t, id);

	table_hash_remove(t, id);
	n->flags &= (uint8_t)~NET_HASHED;
	count_len(t, nlri_bits(n->head), false);
}

/* nets_max - octets of address space for the greatest number of nets. */
static size_t
nets_max(const struct table *t)
{
	size_t len = ((size_t)NET_ID_MAX + 1) * t->net_size;

	return (len + VMEM_STEP - 1) / VMEM_STEP * VMEM_STEP;
}

void
table_nets_init(struct table *t)
{
	t->net_words = nlri_words(t->kind);
	t->net_size = sizeof(struct net) + t->net_words * 4;
	t->net = vmem_reserve(nets_max(t) + PATHS_MAX);
	t->paths.mem = (struct slab_region){ .base = t->net + nets_max(t),
		.steps = PATHS_MAX / VMEM_STEP };
	for (unsigned i = 0; i < ARRAY_LEN(t->paths.slab); i++)
		slab_init_region(&t->paths.slab[i], MEM_TABLE,
		    sizeof(struct path) + (i % 2 + i / 2) * sizeof(struct path_ext),
		    &t->paths.mem);
	htab_init(&t->paths.many, MEM_TABLE);
	table_behind_init(t);
	table_hash_init(t);
}

void
table_nets_fini(struct table *t)
{
	for (unsigned i = 0; i < ARRAY_LEN(t->paths.slab); i++)
		slab_fini(&t->paths.slab[i]);
	vmem_fini(
	    MEM_TABLE, t->net, nets_max(t) + PATHS_MAX, load_relaxed64(&t->net_open));
	table_hash_fini(t);
	htab_fini(&t->paths.many);
}

/* ---- readers ---- */

const struct net *
table_find_nlri(const struct table *t, const struct nlri *k)
{
	uint32_t id;
	const struct net *n = table_net_find(t, k, &id);

	return n && net_first(n) ? n : NULL;
}

const struct net *
table_find(const struct table *t, const struct prefix *p)
{
	struct nlri k = nlri_of_prefix(p);

	return p->fam == (unsigned)t->kind ? table_find_nlri(t, &k) : NULL;
}

/* table_net_match - the longest net with a best route that contains @whole, of the
 * table's family. */
static const struct net *
table_net_match(const struct table *t, const struct prefix *whole)
{
	const struct table_matcher *m = load_acquire_ptr(&t->match); /* pairs: TMATCH */
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

const struct net *
table_match_prefix(const struct table *t, const struct prefix *p)
{
	return p->fam == (unsigned)t->kind ? table_net_match(t, p) : NULL;
}

uint32_t
table_id_limit(const struct table *t)
{
	return stream_limit(&t->best);
}

const struct net *
table_net_at(const struct table *t, uint32_t id)
{
	const struct net *n = table_net_ptr(t, id);

	return net_first(n) ? n : NULL;
}

const struct path *
net_best(const struct net *n)
{
	return near_load_acquire(&n->best); /* pairs: TBEST */
}

const struct path *
net_first(const struct net *n)
{
	return near_load_acquire(&n->paths); /* pairs: TPATH */
}

static uint64_t
table_net_resident(const void *p, size_t len)
{
	return len ? os_resident(p, len) : 0;
}

static uint64_t
table_net_untouched(const void *p, size_t len)
{
	size_t in = table_net_resident(p, len);

	return in < len ? len - in : 0;
}

static size_t
journal_len(const struct stream *st)
{
	return ((size_t)st->journal.mask + 1) * sizeof(*st->journal.item);
}

static uint64_t
stream_untouched(const struct stream *st, uint64_t *journal)
{
	*journal += table_net_untouched(st->journal.item, journal_len(st));
	return table_net_untouched(st->chunk, CHUNK_MAX * sizeof(*st->chunk)) +
	       table_net_untouched(st->slot, load_relaxed64(&st->slot_open));
}

/* paths_untouched - blocks of paths count whole. */
static uint64_t
paths_untouched(const struct table *t)
{
	const struct slab_region *r = &t->paths.mem;
	size_t in = table_net_resident(r->base, slab_region_extent(r));
	uint64_t noted = load_relaxed64(&r->noted);

	return in < noted ? noted - in : 0;
}

uint64_t
table_untouched(const struct table *t, uint64_t *journal)
{
	const struct stream *all = load_acquire_ptr(&t->all_pub); /* pairs: TALL */
	uint64_t sum = table_net_untouched(t->net, load_relaxed64(&t->net_open));
	const void *scratch = load_relaxed_ptr(&t->scratch);

	*journal = 0;
	sum += paths_untouched(t);
	sum += scratch ? table_net_untouched(scratch, SCRATCH_SIZE) : 0;
	sum += stream_untouched(&t->best, journal);
	return all ? sum + stream_untouched(all, journal) : sum;
}

static void
stream_memory(const struct stream *st, struct table_memory *m)
{
	m->journals += table_net_resident(st->journal.item, journal_len(st));
	m->streams += table_net_resident(st->chunk, CHUNK_MAX * sizeof(*st->chunk)) +
		      table_net_resident(st->slot, load_relaxed64(&st->slot_open));
}

void
table_memory(const struct table *t, struct table_memory *m)
{
	const struct stream *all = load_acquire_ptr(&t->all_pub); /* pairs: TALL */
	const struct slab_region *r = &t->paths.mem;

	*m = (struct table_memory){ .journals = counter64_get(&t->st.journal_bytes) };
	m->networks = table_net_resident(t->net, load_relaxed64(&t->net_open)) +
		      table_hash_octets(t);
	m->paths = table_net_resident(r->base, slab_region_extent(r));
	stream_memory(&t->best, m);
	if (all)
		stream_memory(all, m);
}
