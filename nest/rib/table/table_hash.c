/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exact-match hash of a table's nets. Writer: the table's loop; readers: any thread
 * under RCU.
 *
 * The hash has 256 parts that grow separately, so that growth in a table of a million
 * nets never takes more than a fraction of a millisecond at a time. A part is an array
 * with linear probing, in order of the hash: the first bits of a net's hash are its place
 * ("home"). The rest of a slot beside the net id is a window of the hash: the last NEAR
 * bits of the home, and bits that follow the home.
 *
 * So an array can be doubled without a look at the nets, each a cache miss: the home of
 * an entry is the last place, at or before the entry, whose number ends in those NEAR
 * bits, and the next bit selects the half for the entry. Each doubling uses up a bit of
 * the window; when few bits are left, the nets are read and the windows are made whole
 * again.
 *
 * I1  A part's array is replaced as a whole; readers of the old array miss only nets made
 *     later.
 * I2  `known` bits of all windows are valid; entries added after the making of the array
 *     have more valid bits, which are not used.
 * I3  An entry less than 2^NEAR places behind the first entry of its run (of slots that
 *     are not empty) is less than 2^NEAR places from home.
 *
 * Before its first net and after the table's last net, a part shares no_arr: a table with
 * few nets uses few pages.
 *
 * Arrays lie in the table's own memory (lib/mem/buddy.h): a thread that was stopped while
 * it held malloc's lock does not delay the growth of a part. */
#include "nest/rib/stream.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"

#include "lib/base/hash.h"
#include "lib/mem/buddy.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "lib/mt/rcu.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"

#define HASH_BITS 31 /* bits of the hash for places and windows */
#define NEAR      5
/* least window bits behind the home: then one of eight nets with equal home is
 * confused */
#define MORE_MIN   3
#define SMALL_IDS  20 /* bits; NET_ID_BITS with more nets */
#define FAST_ORDER 8 /* smaller arrays grow by more */
/* Arrays get room for larger ids part by part: from WIDE_FROM on, one part each
 * 2^WIDE_ORDER ids. */
#define WIDE_FROM  ((1u << SMALL_IDS) - (NET_PARTS << WIDE_ORDER))
#define WIDE_ORDER 10
#define SLOT_GONE  UINT32_MAX
#define SLOT_ORDER 2 /* a slot has 4 octets */
#define ARR_ORDER  BUDDY_MIN_ORDER /* of a struct hash_arr */
/* address space: four times the size of all parts at 1 MB, since half of the space is
 * unusable for blocks of that size, and old arrays wait for their grace period */
#define HASH_MEM   ((size_t)2 << 30)
#define GROW_AHEAD 24 /* slots whose nets are prefetched during rehashing */

_Static_assert(HASH_MEM >> 21 >= 4 * NET_PARTS, "a block of 1 MB in 2 MB");
_Static_assert(sizeof(struct hash_arr) <= 1u << ARR_ORDER, "fits a block");
_Static_assert(
    HASH_START_ORDER + SLOT_ORDER >= BUDDY_MIN_ORDER, "a block of the buddy allocator");

#define PATHS_AHEAD 4 /* prefetched paths of a net; most nets have fewer */

/* The array of a part before its first net: without room, and read-only. */
static struct pub32 no_slot;
static struct hash_arr no_arr = { .slot = &no_slot,
	.order = HASH_START_ORDER,
	.id_bits = SMALL_IDS,
	.known = 32 - SMALL_IDS };

static uint64_t
table_hash_of(const struct table *t, const uint32_t *word, uint16_t head)
{
	return NLRI_BY_KIND(t->kind, nlri_hash, t->hash.seed, word, head);
}

static uint64_t
hash_of_id(const struct table *t, uint32_t id)
{
	const struct net *n = table_net_ptr(t, id);

	return table_hash_of(t, n->word, n->head);
}

static uint32_t
table_hash_part_of(uint64_t hash)
{
	return hash & (NET_PARTS - 1);
}

static uint32_t
hash_home_of(const struct hash_arr *a, uint64_t hash)
{
	return (uint32_t)(hash >> (64 - HASH_BITS)) >> (HASH_BITS - a->order);
}

/* hash_window_of - the window in the first bits; the caller masks the bits of the id. */
static uint32_t
hash_window_of(const struct hash_arr *a, uint64_t hash)
{
	return (uint32_t)(hash >> (64 - HASH_BITS)) << (32 - HASH_BITS + a->order - NEAR);
}

static bool
table_hash_fits(const struct hash_arr *a, uint32_t entry, uint32_t window)
{
	return (entry ^ window) >> (32 - a->known) == 0 && entry != SLOT_GONE;
}

static uint32_t
hash_id_mask(const struct hash_arr *a)
{
	return (1u << a->id_bits) - 1;
}

static struct hash_arr *
hash_arr_of(const struct table *t, uint64_t hash)
{
	return load_acquire_ptr(
	    &t->hash.part[table_hash_part_of(hash)].arr); /* pairs: TPART */
}

/* hash_look_up - find net @k by hash; any thread. NULL: *@end is the empty slot that
 * ended the search. */
static struct net *
hash_look_up(const struct table *t, const struct hash_arr *a, const struct nlri *k,
    uint64_t hash, uint32_t *id, uint32_t *end)
{
	uint32_t i = hash_home_of(a, hash), window = hash_window_of(a, hash), e;

	for (;; i++) {
		e = load_acquire32(&a->slot[i & a->mask]); /* pairs: TSLOT */
		if (!e) {
			*end = i & a->mask;
			return NULL;
		}
		if (table_hash_fits(a, e, window)) {
			struct net *n;

			*id = (e & hash_id_mask(a)) - 1;
			n = table_net_ptr(t, *id);
			if (net_is(t, n, k))
				return n;
		}
	}
}

struct net *
table_net_find(const struct table *t, const struct nlri *k, uint32_t *id)
{
	uint64_t hash = table_hash_of(t, k->word, k->head);
	uint32_t end;

	return hash_look_up(t, hash_arr_of(t, hash), k, hash, id, &end);
}

struct net *
table_net_find_key(const struct table *t, const struct net_key *k, uint32_t *id)
{
	uint32_t end;

	if (k->likely != NO_ID && net_is(t, table_net_ptr(t, k->likely), &k->n)) {
		*id = k->likely;
		return table_net_ptr(t, *id);
	}
	return hash_look_up(t, hash_arr_of(t, k->hash), &k->n, k->hash, id, &end);
}

/* hash_likely_id - id of the first net with a fitting window: wrong in one of some dozen
 * cases. */
static uint32_t
hash_likely_id(const struct hash_arr *a, uint64_t hash)
{
	uint32_t i = hash_home_of(a, hash), window = hash_window_of(a, hash), e;

	for (; (e = load_acquire32(&a->slot[i & a->mask])); i++) /* pairs: TSLOT */
		if (table_hash_fits(a, e, window))
			return (e & hash_id_mask(a)) - 1;
	return NO_ID;
}

/* keys_ask - read at most @max nets, and prefetch the lines of the hash. */
NLRI_INLINE uint32_t
keys_ask(enum nlri_kind kind, const struct table *t, bool ids, struct net_key *key,
    uint32_t max, const uint8_t **pos, const uint8_t *end)
{
	const uint8_t *at = *pos;
	uint32_t cnt = 0;

	for (; cnt < max && at < end; cnt++) {
		struct net_key *k = &key[cnt];

		if (ids) {
			k->rid = get_be32(at);
			at += NLRI_ID_LEN;
		}
		at += nlri_get(kind, &k->n, at);
		k->hash = nlri_hash(kind, t->hash.seed, k->n.word, k->n.head);
		k->arr = hash_arr_of(t, k->hash);
		__builtin_prefetch(&k->arr->slot[hash_home_of(k->arr, k->hash)]);
	}
	*pos = at;
	return cnt;
}

uint32_t
table_keys_read(const struct table *t, bool ids, struct net_key *key, uint32_t max,
    const uint8_t **pos, const uint8_t *end)
{
	if (unlikely(ids))
		return NLRI_BY_KIND(t->kind, keys_ask, t, true, key, max, pos, end);
	return NLRI_BY_KIND(t->kind, keys_ask, t, false, key, max, pos, end);
}

/* A look-up waits for the line of the hash, then of the net, then of the first path, then
 * of further paths. Each stage is prefetched for many keys before its first use, so that
 * the loads overlap. */
void
table_keys_ahead(const struct table *t, struct net_key *key, uint32_t cnt)
{
	const struct path *at[NET_KEYS];

	for (uint32_t i = 0; i < cnt; i++) {
		key[i].likely = hash_likely_id(key[i].arr, key[i].hash);
		if (key[i].likely != NO_ID)
			__builtin_prefetch(table_net_ptr(t, key[i].likely));
	}
	for (uint32_t i = 0; i < cnt; i++) {
		at[i] = NULL;
		if (key[i].likely != NO_ID)
			at[i] = near_load_relaxed(
			    &table_net_ptr(t, key[i].likely)->paths);
		__builtin_prefetch(at[i]);
	}
	for (unsigned depth = 1; depth < PATHS_AHEAD; depth++)
		for (uint32_t i = 0; i < cnt; i++)
			if (at[i]) {
				at[i] = near_load_relaxed(&at[i]->next);
				__builtin_prefetch(at[i]);
			}
}

void
table_hash_free_old(struct table *t, TAKE struct hash_arr *a)
{
	struct hash_arr *next;

	for (; a; a = next) {
		next = a->next_old;
		buddy_put(&t->hash.mem, a->slot, a->order + SLOT_ORDER);
		buddy_put(&t->hash.mem, a, ARR_ORDER);
	}
	buddy_trim(&t->hash.mem);
}

static struct hash_arr *
hash_arr_new(struct table *t, unsigned order, unsigned id_bits)
{
	struct hash_arr *a = buddy_get(&t->hash.mem, ARR_ORDER);

	a->slot = buddy_get(&t->hash.mem, order + SLOT_ORDER);
	memset(a->slot, 0, sizeof(a->slot[0]) << order);
	a->order = (uint8_t)order;
	a->mask = (1u << order) - 1;
	a->id_bits = (uint8_t)id_bits;
	a->known = (uint8_t)(32 - id_bits);
	return a;
}

/* hash_arr_put - @e at the first free place from @home on. */
static void
hash_arr_put(struct hash_arr *a, uint32_t home, uint32_t e)
{
	while (load_relaxed32(&a->slot[home & a->mask]))
		home++;
	store_release32(&a->slot[home & a->mask], e); /* pairs: TSLOT */
}

static void
hash_arr_put_net(const struct table *t, struct hash_arr *a, uint32_t id)
{
	uint64_t hash = hash_of_id(t, id);

	hash_arr_put(a, hash_home_of(a, hash),
	    (hash_window_of(a, hash) & ~hash_id_mask(a)) | (id + 1));
}

/* hash_arr_read - insert all nets of @old into @a, by the contents of the nets. */
static void
hash_arr_read(const struct table *t, struct hash_arr *a, const struct hash_arr *old)
{
	uint32_t slots = old->mask + 1, e;

	for (uint32_t i = 0; i < slots; i++) {
		e = i + GROW_AHEAD < slots ? load_relaxed32(&old->slot[i + GROW_AHEAD])
					   : 0;
		if (e && e != SLOT_GONE)
			__builtin_prefetch(table_net_ptr(t, (e & hash_id_mask(old)) - 1));
		e = load_relaxed32(&old->slot[i]);
		if (e && e != SLOT_GONE)
			hash_arr_put_net(t, a, (e & hash_id_mask(old)) - 1);
	}
}

/* hash_arr_split - insert all entries of @old into @a without reading nets, except for
 * entries too far from home. @a has 2^@more times the size of @old. */
static void
hash_arr_split(
    const struct table *t, struct hash_arr *a, const struct hash_arr *old, unsigned more)
{
	uint32_t begin = 0, run, ids = hash_id_mask(old);

	a->known = (uint8_t)(old->known - more);
	while (load_relaxed32(&old->slot[begin]))
		begin++;
	run = begin + 1;
	for (uint32_t i = run; i <= begin + old->mask; i++) {
		uint32_t e = load_relaxed32(&old->slot[i & old->mask]), home;

		if (!e) {
			run = i + 1;
		} else if (i - run >= 1u << NEAR && e != SLOT_GONE) {
			hash_arr_put_net(t, a, (e & ids) - 1);
		} else if (e != SLOT_GONE) { /* I3 */
			home = i - ((i - (e >> (32 - NEAR))) & ((1u << NEAR) - 1));
			home = home << more |
			       (uint32_t)((uint64_t)(e << NEAR) << more >> 32);
			hash_arr_put(a, home, (e << more & ~ids) | (e & ids));
		}
	}
}

/* hash_part_renew - make an array of 2^@order slots for the present nets and @id. */
static void
hash_part_renew(struct table *t, struct hash_part *hp, unsigned order, uint32_t id)
{
	struct hash_arr *old = load_relaxed_ptr(&hp->arr);
	unsigned bits = id + 2 < 1u << SMALL_IDS ? SMALL_IDS : NET_ID_BITS;
	struct hash_arr *a = hash_arr_new(
	    t, order, bits < old->id_bits ? old->id_bits : bits);

	if (order >= old->order && a->id_bits == old->id_bits &&
	    old->known >= order - old->order + NEAR + MORE_MIN)
		hash_arr_split(t, a, old, order - old->order);
	else
		hash_arr_read(t, a, old);
	hp->used = hp->live;
	store_release_ptr(&hp->arr, a); /* pairs: TPART */
	if (old == &no_arr)
		return;
	old->next_old = t->hash.old_arrs;
	t->hash.old_arrs = old;
}

/* table_hash_room_for - true: @a has room for @id. At most five eighths of the slots are
 * used: then few entries are far from home. */
static bool
table_hash_room_for(const struct hash_part *hp, const struct hash_arr *a, uint32_t id)
{
	return 8 * (hp->used + 1) <= 5 * (a->mask + 1) && id + 2 < 1u << a->id_bits;
}

/* table_hash_growth - growth as a power of two; 0 if the array is full of removed
 * nets. */
static unsigned
table_hash_growth(const struct hash_part *hp, const struct hash_arr *a)
{
	if (8 * hp->live <= 3 * (a->mask + 1))
		return 0;
	return a->order < FAST_ORDER ? 2 : 1;
}

/* table_hash_widen - net @id has been made: ids grow too large for the arrays. All parts
 * at once, when the first id doesn't fit, would take 80 ms. */
static void
table_hash_widen(struct table *t, uint32_t id)
{
	uint32_t i = (id - WIDE_FROM) >> WIDE_ORDER;
	struct hash_part *hp;
	struct hash_arr *a;

	if ((id & ((1u << WIDE_ORDER) - 1)) || i >= NET_PARTS)
		return;
	hp = &t->hash.part[i];
	a = load_relaxed_ptr(&hp->arr);
	if (a != &no_arr && a->id_bits < NET_ID_BITS)
		hash_part_renew(t, hp, a->order, 1u << SMALL_IDS);
}

/* hash_len_count - a net of length @len was made, or left the hash. */
static void
hash_len_count(struct table *t, unsigned len, bool add)
{
	struct pub64 *word = &t->hash.lens[len / 64];
	uint64_t bit = 1ull << (len % 64);

	if (add && !t->hash.len_cnt[len]++)
		store_release64(word, load_relaxed64(word) | bit); /* pairs: TLENS */
	else if (!add && !--t->hash.len_cnt[len])
		store_release64(word, load_relaxed64(word) & ~bit); /* pairs: TLENS */
}

/* hash_net_new - a net with the next id, not in the hash yet; NULL: no id is left. */
/* hash_net_new - make a net for @k, a key not in the hash. NULL: NET_ID_MAX nets
 * exist. */
static struct net *
hash_net_new(struct table *t, const struct nlri *k, uint32_t *id)
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
	hash_len_count(t, nlri_bits(k->head), true);
	return n;
}

struct net *
table_net_get_key(struct table *t, const struct net_key *k, uint32_t *id)
{
	struct hash_part *hp = &t->hash.part[table_hash_part_of(k->hash)];
	struct hash_arr *a = load_relaxed_ptr(&hp->arr);
	uint32_t at;
	struct net *n;

	if (k->likely != NO_ID) {
		n = table_net_ptr(t, k->likely);
		*id = k->likely;
		if (net_is(t, n, &k->n))
			return n;
	}
	n = hash_look_up(t, a, &k->n, k->hash, id, &at);
	if (n)
		return n;
	n = hash_net_new(t, &k->n, id);
	if (!n)
		return NULL;
	if (unlikely(!table_hash_room_for(hp, a, *id))) {
		hash_part_renew(t, hp, a->order + table_hash_growth(hp, a), *id);
		a = load_relaxed_ptr(&hp->arr);
		at = hash_home_of(a, k->hash);
	}
	hp->used++;
	hp->live++;
	hash_arr_put(a, at, (hash_window_of(a, k->hash) & ~hash_id_mask(a)) | (*id + 1));
	if (unlikely(*id >= WIDE_FROM))
		table_hash_widen(t, *id);
	return n;
}

void
table_hash_ahead(const struct table *t, uint32_t id)
{
	uint64_t hash = hash_of_id(t, id);
	const struct hash_arr *a = hash_arr_of(t, hash);

	__builtin_prefetch(&a->slot[hash_home_of(a, hash)]);
}

static void
table_hash_remove(struct table *t, uint32_t id)
{
	uint64_t hash = hash_of_id(t, id);
	struct hash_part *hp = &t->hash.part[table_hash_part_of(hash)];
	struct hash_arr *a = load_relaxed_ptr(&hp->arr);
	uint32_t i = hash_home_of(a, hash), e;

	for (;; i++) {
		e = load_relaxed32(&a->slot[i & a->mask]);
		if (e != SLOT_GONE && (e & hash_id_mask(a)) == id + 1)
			break;
	}
	store_release32(&a->slot[i & a->mask], SLOT_GONE); /* pairs: TSLOT */
	hp->live--;
	if (a->order >= HASH_START_ORDER + 2 && hp->live < (a->mask + 1) / 8)
		hash_part_renew(t, hp, a->order - 2u, 0);
}

void
table_hash_trim(struct table *t)
{
	for (unsigned i = 0; i < NET_PARTS; i++) {
		struct hash_part *hp = &t->hash.part[i];
		struct hash_arr *old = load_relaxed_ptr(&hp->arr);

		if (old == &no_arr)
			continue;
		DCHECK(!hp->live);
		hp->used = 0;
		store_release_ptr(&hp->arr, &no_arr); /* pairs: TPART */
		old->next_old = t->hash.old_arrs;
		t->hash.old_arrs = old;
	}
}

void
table_hash_init(struct table *t)
{
	t->hash.seed = hash_seed_random();
	buddy_init(&t->hash.mem, MEM_TABLE, HASH_MEM);
	for (unsigned i = 0; i < NET_PARTS; i++)
		store_relaxed_ptr(&t->hash.part[i].arr, &no_arr);
}

void
table_hash_fini(struct table *t)
{
	buddy_fini(&t->hash.mem);
}

uint64_t
table_hash_octets(const struct table *t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < NET_PARTS; i++) {
		const struct hash_arr *a = load_acquire_ptr(
		    &t->hash.part[i].arr); /* pairs: TPART */

		if (a)
			sum += sizeof(*a) + (sizeof(a->slot[0]) << a->order);
	}
	return sum;
}

void
table_net_unhash(struct table *t, uint32_t id)
{
	struct net *n = table_net_ptr(t, id);

	table_hash_remove(t, id);
	n->flags &= (uint8_t)~NET_HASHED;
	hash_len_count(t, nlri_bits(n->head), false);
}

/* ---- readers ---- */

const struct net *
table_find_nlri(const struct table *t, const struct nlri *k)
{
	uint32_t id;
	const struct net *n = table_net_find(t, k, &id);

	return n && net_first(n) ? n : NULL;
}
