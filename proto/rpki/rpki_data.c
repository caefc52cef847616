/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of a cache.
 *
 * VRPs lie in one array, 12 octets each for IPv4 and 24 for IPv6, found by a hash of
 * their numbers with linear probing; a free record's first word is the number of the next
 * one. Customers, of which there are few, are objects with two lists of providers: what
 * the table has, and what it will have. The two marks of a customer are whether it has
 * the list.
 *
 * I1  Of an answer about all records nothing is noted but the marks themselves; of
 *     another one each record that it was about is in `touched` once (TOUCHED), so an
 *     answer costs what it brings.
 * I2  While there is something to tell (phase), no answer begins: records stay where
 *     they are.
 *
 * Owner only. Tests: test_rpki_data.c. */
#include "proto/rpki/rpki_data.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/vec.h"
#include "lib/net/prefix.h"
#include <errno.h>

#define WANTED  0x10000u
#define SHOWN   0x20000u
#define TOUCHED 0x40000u
#define IN_USE  0x80000u
#define HEAD    0x0ffffu

struct rpki_customer {
	struct htab_node node; /* first */
	uint32_t as;
	bool touched;
	struct rpki_list *shown, *wanted; /* NULL: none. The same, or each its own */
};

/* ---- VRPs: the array ---- */

static uint32_t *
rec_at(const struct rpki_data *d, uint32_t i)
{
	return d->rec + (size_t)i * d->stride;
}

static uint32_t *
mark_of(const struct rpki_data *d, uint32_t *rec)
{
	return rec + d->stride - 1;
}

static uint64_t
hash_of(const struct rpki_data *d, const uint32_t *word, uint16_t head)
{
	return NLRI_BY_KIND(d->kind, nlri_hash, d->seed, word, head);
}

/* find - the slot in which @n is, or the free one where it would be. */
static uint32_t
find(const struct rpki_data *d, const struct nlri *n)
{
	uint32_t i = (uint32_t)hash_of(d, n->word, n->head) & (d->slot_cnt - 1);

	for (; d->slot[i]; i = (i + 1) & (d->slot_cnt - 1)) {
		uint32_t *rec = rec_at(d, d->slot[i] - 1);

		if (nlri_same(d->stride - 1, rec, (uint16_t)(*mark_of(d, rec) & HEAD), n))
			break;
	}
	return i;
}

static struct nlri
nlri_at(const struct rpki_data *d, uint32_t *rec)
{
	struct nlri n = { .head = (uint16_t)(*mark_of(d, rec) & HEAD) };

	memcpy(n.word, rec, (d->stride - 1) * sizeof(*rec));
	return n;
}

static void
grow_slots(struct rpki_data *d)
{
	uint32_t cnt = d->slot_cnt ? 2 * d->slot_cnt : 64;

	mem_free(MEM_PROTO, d->slot);
	d->slot = mem_zalloc(MEM_PROTO, cnt * sizeof(*d->slot));
	d->slot_cnt = cnt;
	for (uint32_t i = 0; i < d->rec_cnt; i++) {
		uint32_t *rec = rec_at(d, i);
		struct nlri n;

		if (!(*mark_of(d, rec) & IN_USE))
			continue;
		n = nlri_at(d, rec);
		d->slot[find(d, &n)] = i + 1;
	}
}

/* rec_new - Returns: its index. */
static uint32_t
rec_new(struct rpki_data *d, const struct nlri *n)
{
	uint32_t i, *rec;

	if (4 * (d->used + 1) > 3 * d->slot_cnt)
		grow_slots(d);
	if (d->free) {
		i = d->free - 1;
		d->free = *rec_at(d, i);
	} else {
		i = d->rec_cnt++;
		d->rec = vec_room(MEM_PROTO, d->rec, &d->rec_cap, d->rec_cnt,
		    d->stride * sizeof(*d->rec));
	}
	d->slot[find(d, n)] = i + 1;
	d->used++;
	rec = rec_at(d, i);
	memcpy(rec, n->word, (d->stride - 1) * sizeof(*rec));
	*mark_of(d, rec) = n->head | IN_USE;
	return i;
}

/* unslot - empty @i; what stands behind it moves up, so that it is found. */
static void
unslot(struct rpki_data *d, uint32_t i)
{
	uint32_t mask = d->slot_cnt - 1, k = i;

	for (;;) {
		uint32_t *rec, home;

		d->slot[i] = 0;
		do {
			k = (k + 1) & mask;
			if (!d->slot[k])
				return;
			rec = rec_at(d, d->slot[k] - 1);
			home = (uint32_t)hash_of(
				   d, rec, (uint16_t)(*mark_of(d, rec) & HEAD)) &
			       mask;
		} while (((k - home) & mask) < ((k - i) & mask));
		d->slot[i] = d->slot[k];
		i = k;
	}
}

static void
rec_free(struct rpki_data *d, uint32_t i)
{
	uint32_t *rec = rec_at(d, i);
	struct nlri n = nlri_at(d, rec);

	unslot(d, find(d, &n));
	*mark_of(d, rec) = 0;
	*rec = d->free;
	d->free = i + 1;
	d->used--;
}

static void
touch(struct rpki_data *d, uint32_t i)
{
	uint32_t *mark = mark_of(d, rec_at(d, i));

	if (d->all || *mark & TOUCHED)
		return;
	*mark |= TOUCHED;
	d->touched = vec_room(MEM_PROTO, d->touched, &d->touched_cap, d->touched_cnt + 1,
	    sizeof(*d->touched));
	d->touched[d->touched_cnt++] = i;
}

/* ---- customers ---- */

static struct rpki_customer *
customer_of(struct htab_node *n)
{
	return (struct rpki_customer *)n;
}

static struct rpki_customer *
customer_find(const struct rpki_data *d, uint32_t as)
{
	return customer_of(htab_find(&d->customers, hash_u64(d->seed, as)));
}

static void
customer_touch(struct rpki_data *d, struct rpki_customer *c)
{
	if (c->touched)
		return;
	c->touched = true;
	d->changed = vec_room(MEM_PROTO, d->changed, &d->touched_cap, d->touched_cnt + 1,
	    sizeof(struct rpki_customer *));
	d->changed[d->touched_cnt++] = c;
}

static bool
list_same(const struct rpki_list *a, const struct rpki_list *b)
{
	return a && b && a->cnt == b->cnt &&
	       !memcmp(a->as, b->as, a->cnt * sizeof(*a->as));
}

static void
list_free(struct rpki_data *d, TAKE struct rpki_list *list)
{
	d->providers -= list ? list->cnt : 0;
	mem_free(MEM_PROTO, list);
}

/* want - @list is what the customer will have. */
static void
want(struct rpki_data *d, struct rpki_customer *c, TAKE struct rpki_list *list)
{
	if (c->wanted != c->shown)
		list_free(d, c->wanted);
	c->wanted = list;
	if (list != c->shown && list_same(list, c->shown)) {
		list_free(d, list);
		c->wanted = c->shown;
	}
}

static int
customer_add(struct rpki_data *d, uint32_t as, const uint8_t *provider, uint32_t cnt)
{
	struct rpki_customer *c = customer_find(d, as);
	struct rpki_list *list;

	if ((!c && htab_cnt(&d->customers) >= RPKI_RECORDS_MAX) ||
	    d->providers + cnt > RPKI_PROVIDERS_MAX)
		return -ENOSPC;
	d->providers += cnt;
	if (!c) {
		c = mem_zalloc(MEM_PROTO, sizeof(*c));
		c->as = as;
		htab_add(&d->customers, &c->node, hash_u64(d->seed, as));
	}
	list = mem_alloc(MEM_PROTO, sizeof(*list) + cnt * sizeof(*list->as));
	list->cnt = cnt;
	for (uint32_t i = 0; i < cnt; i++)
		list->as[i] = get_be32(provider + 4 * i);
	customer_touch(d, c);
	want(d, c, list);
	return 0;
}

static int
customer_del(struct rpki_data *d, uint32_t as)
{
	struct rpki_customer *c = customer_find(d, as);

	if (!c || !c->wanted)
		return -ENOENT;
	customer_touch(d, c);
	want(d, c, NULL);
	return 0;
}

static void
customer_free(struct rpki_data *d, TAKE struct rpki_customer *c)
{
	want(d, c, NULL);
	list_free(d, c->shown);
	htab_del(&d->customers, &c->node);
	mem_free(MEM_PROTO, c);
}

/* ---- answers ---- */

void
rpki_data_init(struct rpki_data *d, enum nlri_kind kind, enum rpki_merge merge)
{
	memset(d, 0, sizeof(*d));
	d->kind = kind;
	d->merge = merge;
	d->stride = nlri_words(kind) + 1;
	d->seed = hash_seed_random();
	htab_init(&d->customers, MEM_PROTO);
}

void
rpki_data_clear(struct rpki_data *d)
{
	struct htab_node *n;

	while ((n = htab_walk(&d->customers, NULL)))
		customer_free(d, customer_of(n));
	htab_fini(&d->customers);
	mem_free(MEM_PROTO, d->changed);
	mem_free(MEM_PROTO, d->touched);
	mem_free(MEM_PROTO, d->rec);
	mem_free(MEM_PROTO, d->slot);
	rpki_data_init(d, d->kind, d->merge);
}

uint32_t
rpki_data_cnt(const struct rpki_data *d)
{
	return d->shown;
}

void
rpki_data_begin(struct rpki_data *d, bool all)
{
	struct htab_node *n = NULL;

	ASSERT(!rpki_data_busy(d) && !d->touched_cnt);
	d->all = all;
	if (!all)
		return;
	while ((n = htab_walk(&d->customers, n))) {
		customer_touch(d, customer_of(n));
		want(d, customer_of(n), NULL);
	}
	for (uint32_t i = 0; i < d->rec_cnt; i++)
		*mark_of(d, rec_at(d, i)) &= ~WANTED;
}

int
rpki_data_add(
    struct rpki_data *d, const struct vrp *v, const uint8_t *provider, uint32_t cnt)
{
	struct nlri n = nlri_of_vrp(d->kind, v);
	uint32_t s, i, *mark;

	if (d->kind == NLRI_ASPA)
		return customer_add(d, v->asn, provider, cnt);
	s = d->slot_cnt ? find(d, &n) : 0;
	if (d->slot_cnt && d->slot[s])
		i = d->slot[s] - 1;
	else if (d->used >= RPKI_RECORDS_MAX)
		return -ENOSPC;
	else
		i = rec_new(d, &n);
	mark = mark_of(d, rec_at(d, i));
	if (*mark & WANTED)
		return -EEXIST;
	*mark |= WANTED;
	touch(d, i);
	return 0;
}

int
rpki_data_del(struct rpki_data *d, const struct vrp *v)
{
	struct nlri n = nlri_of_vrp(d->kind, v);
	uint32_t i, *mark;

	if (d->kind == NLRI_ASPA)
		return customer_del(d, v->asn);
	i = d->slot_cnt ? d->slot[find(d, &n)] : 0;
	if (!i)
		return -ENOENT;
	mark = mark_of(d, rec_at(d, i - 1));
	if (!(*mark & WANTED))
		return -ENOENT;
	*mark &= ~WANTED;
	touch(d, i - 1);
	return 0;
}

/* ---- bringing together ---- */

/* records - how many there are to look at. */
static uint32_t
records(const struct rpki_data *d)
{
	return d->all && d->kind != NLRI_ASPA ? d->rec_cnt : d->touched_cnt;
}

static void
settled(struct rpki_data *d)
{
	d->phase = DATA_IDLE;
	d->touched_cnt = d->touched_cap = 0;
	mem_free(MEM_PROTO, d->touched);
	mem_free(MEM_PROTO, d->changed);
	d->touched = NULL;
	d->changed = NULL;
}

/* drop_rec - WANTED becomes what SHOWN is. */
static void
drop_rec(struct rpki_data *d, uint32_t i)
{
	uint32_t *mark = mark_of(d, rec_at(d, i));

	*mark &= ~(TOUCHED | WANTED);
	if (*mark & SHOWN)
		*mark |= WANTED;
	else if (*mark & IN_USE)
		rec_free(d, i);
}

void
rpki_data_drop(struct rpki_data *d)
{
	for (uint32_t i = 0; i < records(d); i++) {
		struct rpki_customer *c;

		if (d->kind != NLRI_ASPA) {
			drop_rec(d, d->all ? i : d->touched[i]);
			continue;
		}
		c = d->changed[i];
		c->touched = false;
		if (c->shown)
			want(d, c, c->shown);
		else
			customer_free(d, c);
	}
	settled(d);
}

void
rpki_data_apply(struct rpki_data *d)
{
	ASSERT(!rpki_data_busy(d));
	d->phase = DATA_ADDING;
	d->pos = 0;
}

void
rpki_data_again(struct rpki_data *d)
{
	struct htab_node *n = NULL;

	ASSERT(!rpki_data_busy(d));
	d->phase = DATA_AGAIN;
	d->pos = 0;
	d->all = true;
	while ((n = htab_walk(&d->customers, n)))
		customer_touch(d, customer_of(n));
}

bool
rpki_data_busy(const struct rpki_data *d)
{
	return d->phase != DATA_IDLE;
}

/* as_table_has - @n as the table is told of it. */
static struct nlri
as_table_has(const struct rpki_data *d, struct nlri n)
{
	if (d->merge == RPKI_ANY_LENGTH)
		n.head = (uint16_t)(nlri_bits(n.head) | family_bits(nlri_family(d->kind))
							    << 8);
	return n;
}

/* others_want - is @n the table's for another record's sake, too? */
static bool
others_want(const struct rpki_data *d, struct nlri n)
{
	unsigned bits = family_bits(nlri_family(d->kind)), len = nlri_bits(n.head);

	if (d->merge == RPKI_AS_SENT)
		return false;
	for (unsigned max = len; max <= bits; max++) {
		uint32_t i;

		n.head = (uint16_t)(len | max << 8);
		i = d->slot[find(d, &n)];
		if (i && *mark_of(d, rec_at(d, i - 1)) & WANTED)
			return true;
	}
	return false;
}

/* next_rec - record @i in this phase. Returns: whether there is something to tell. */
static bool
next_rec(struct rpki_data *d, uint32_t i, struct rpki_change *c)
{
	uint32_t *rec = rec_at(d, i), *mark = mark_of(d, rec);
	bool wanted = *mark & WANTED, shown = *mark & SHOWN;
	struct nlri n;

	if (!(*mark & IN_USE))
		return false;
	n = nlri_at(d, rec);
	*c = (struct rpki_change){ .nlri = as_table_has(d, n), .there = true };
	if (d->phase == DATA_AGAIN)
		return shown;
	if (d->phase == DATA_ADDING) {
		if (!wanted || shown)
			return false;
		*mark |= SHOWN;
		d->shown++;
		return true;
	}
	*mark &= ~TOUCHED;
	if (wanted)
		return false;
	rec_free(d, i);
	d->shown -= shown;
	c->there = false;
	return shown && !others_want(d, n);
}

/* show - the table is to have what is wanted. */
static void
show(struct rpki_data *d, struct rpki_customer *k)
{
	d->shown += !k->shown;
	list_free(d, k->shown);
	k->shown = k->wanted;
}

static bool
next_customer(struct rpki_data *d, struct rpki_customer *k, struct rpki_change *c)
{
	struct vrp v = { .asn = k->as };
	bool told = k->wanted == k->shown;

	*c = (struct rpki_change){ .nlri = nlri_of_vrp(NLRI_ASPA, &v), .there = true };
	if (d->phase == DATA_AGAIN) {
		k->touched = false;
		c->list = k->shown;
		return k->shown;
	}
	if (d->phase == DATA_ADDING) {
		if (!k->wanted || told)
			return false;
		show(d, k);
		c->list = k->shown;
		return true;
	}
	k->touched = false;
	if (k->wanted)
		return false;
	c->there = false;
	d->shown -= k->shown != NULL;
	told = !k->shown;
	customer_free(d, k);
	return !told;
}

bool
rpki_data_next(struct rpki_data *d, struct rpki_change *c, uint32_t *left)
{
	while (d->phase != DATA_IDLE) {
		uint32_t i;

		if (d->pos == records(d) && d->phase == DATA_ADDING) {
			d->phase = DATA_REMOVING;
			d->pos = 0;
			continue;
		}
		if (d->pos == records(d)) {
			settled(d);
			break;
		}
		if (!*left)
			break;
		--*left;
		i = d->pos++;
		if (d->kind == NLRI_ASPA ? next_customer(d, d->changed[i], c)
					 : next_rec(d, d->all ? i : d->touched[i], c))
			return true;
	}
	return false;
}
