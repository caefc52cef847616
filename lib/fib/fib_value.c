/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned objects with an index.
 *
 * I1  An index in the list of free indices has at[index] == NULL.
 * I2  Between the home of an entry (tag modulo name_cap) and the entry no entry is empty.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c. */
#include "lib/fib/fib_value.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#define NAMES_MIN 64u /* entries of a new hash table */

void
fib_intern_init(struct fib_intern *t, uint32_t max, uint64_t octets_max)
{
	*t = (struct fib_intern){
		.max = max, .octets_max = octets_max, .top = 1, .seed = hash_seed_random()
	};
	t->name_cap = NAMES_MIN;
	t->name = mem_zalloc(MEM_PROTO, t->name_cap * sizeof(*t->name));
}

void
fib_intern_fini(struct fib_intern *t)
{
	for (uint32_t i = 1; i < t->top; i++)
		mem_free(MEM_PROTO, t->at[i]);
	mem_free(MEM_PROTO, t->name);
	mem_free(MEM_PROTO, t->at);
	mem_free(MEM_PROTO, t->refs);
	mem_free(MEM_PROTO, t->wait);
	mem_free(MEM_PROTO, t->fresh);
}

/* ---- the hash table ---- */

/* fib_intern_find - the entry with the key; *@at: the entry, or the empty entry where the
 * search ended. Returns: the object; NULL: none. */
static struct fib_object *
fib_intern_find(
    const struct fib_intern *t, uint32_t tag, const void *key, uint32_t len, uint32_t *at)
{
	uint32_t mask = t->name_cap - 1, i = tag & mask;

	for (; t->name[i].index; i = (i + 1) & mask) {
		struct fib_object *o;

		if (t->name[i].tag != tag)
			continue;
		o = t->at[t->name[i].index];
		if (o->len == len && !memcmp(o->key, key, len))
			return o;
	}
	*at = i;
	return NULL;
}

static void
fib_intern_name_add(struct fib_intern *t, struct fib_name n)
{
	uint32_t mask = t->name_cap - 1, i = n.tag & mask;

	while (t->name[i].index)
		i = (i + 1) & mask;
	t->name[i] = n;
}

/* fib_intern_grow - double the hash table. */
static void
fib_intern_grow(struct fib_intern *t)
{
	struct fib_name *old = t->name;
	uint32_t cap = t->name_cap;

	t->name_cap = 2 * cap;
	t->name = mem_zalloc(MEM_PROTO, t->name_cap * sizeof(*t->name));
	for (uint32_t i = 0; i < cap; i++)
		if (old[i].index)
			fib_intern_name_add(t, old[i]);
	mem_free(MEM_PROTO, old);
}

/* fib_intern_name_del - empty the entry of @o, and move entries behind that could no
 * longer be found. */
static void
fib_intern_name_del(struct fib_intern *t, const struct fib_object *o)
{
	uint32_t mask = t->name_cap - 1, i = o->tag & mask, j;

	while (t->name[i].index != o->index)
		i = (i + 1) & mask;
	for (j = (i + 1) & mask; t->name[j].index; j = (j + 1) & mask) {
		uint32_t home = t->name[j].tag & mask;

		if (((j - home) & mask) < ((j - i) & mask))
			continue; /* the home lies behind the empty entry */
		t->name[i] = t->name[j];
		i = j;
	}
	t->name[i] = (struct fib_name){ 0 };
}

/* ---- objects ---- */

/* fib_intern_index - a free index; 0: none. */
static uint32_t
fib_intern_index(struct fib_intern *t)
{
	if (t->wait_from < t->wait_cnt && t->wait[t->wait_from].freed <= t->usable)
		return t->wait[t->wait_from++].index;
	if (t->top > t->max)
		return 0;
	t->at = vec_room(MEM_PROTO, t->at, &t->cap, t->top + 1, sizeof(*t->at));
	t->refs = vec_room(
	    MEM_PROTO, t->refs, &t->refs_cap, t->top + 1, sizeof(*t->refs));
	if (t->top == 1)
		t->at[0] = NULL;
	return t->top++;
}

static void
fib_intern_fresh(struct fib_intern *t, uint32_t index)
{
	t->fresh = vec_room(
	    MEM_PROTO, t->fresh, &t->fresh_cap, t->fresh_cnt + 1, sizeof(*t->fresh));
	t->fresh[t->fresh_cnt++] = index;
}

void
fib_intern_fetch(const struct fib_intern *t, const void *key, uint32_t len, unsigned step)
{
	uint32_t tag = (uint32_t)hash_bytes(t->seed, key, len);
	const struct fib_name *n = &t->name[tag & (t->name_cap - 1)];

	if (step == 0)
		__builtin_prefetch(n);
	else if (n->index && n->tag == tag)
		__builtin_prefetch(
		    step == 1 ? (const void *)&t->at[n->index] : t->at[n->index]);
}

uint32_t
fib_intern_get(struct fib_intern *t, const void *key, uint32_t len)
{
	uint32_t tag = (uint32_t)hash_bytes(t->seed, key, len), index, place;
	struct fib_object *o = fib_intern_find(t, tag, key, len, &place);

	if (o) {
		t->refs[o->index]++;
		return o->index;
	}
	index = t->octets + sizeof(*o) + len <= t->octets_max ? fib_intern_index(t) : 0;
	if (!index)
		return 0;
	o = mem_zalloc(MEM_PROTO, sizeof(*o) + len);
	t->refs[index] = 1;
	o->index = index;
	o->len = len;
	o->tag = tag;
	memcpy(o->key, key, len);
	t->at[index] = o;
	t->name[place] = (struct fib_name){ tag, index };
	if (++t->cnt > t->name_cap / 2)
		fib_intern_grow(t);
	t->octets += sizeof(*o) + len;
	fib_intern_fresh(t, index);
	return index;
}

/* fib_intern_wait - move the list of free indices to the front before the list grows. */
static void
fib_intern_wait(struct fib_intern *t, struct fib_index_free f)
{
	if (t->wait_from > 1024 && t->wait_from > t->wait_cnt / 2) {
		t->wait_cnt -= t->wait_from;
		memmove(t->wait, t->wait + t->wait_from, t->wait_cnt * sizeof(*t->wait));
		t->wait_from = 0;
	}
	t->wait = vec_room(
	    MEM_PROTO, t->wait, &t->wait_cap, t->wait_cnt + 1, sizeof(*t->wait));
	t->wait[t->wait_cnt++] = f;
}

uint32_t
fib_intern_drop(struct fib_intern *t, uint32_t index, uint64_t next)
{
	struct fib_object *o;
	uint32_t place;

	if (!index || --t->refs[index])
		return 0;
	o = t->at[index];
	place = o->place;
	fib_intern_name_del(t, o);
	t->at[index] = NULL;
	t->cnt--;
	t->octets -= sizeof(*o) + o->len;
	fib_intern_wait(t, (struct fib_index_free){ index, next });
	mem_free(MEM_PROTO, o);
	return place;
}

void
fib_intern_all_fresh(struct fib_intern *t)
{
	t->fresh_cnt = 0;
	for (uint32_t i = 1; i < t->top; i++)
		if (t->at[i]) {
			t->at[i]->place = 0;
			fib_intern_fresh(t, i);
		}
}

uint64_t
fib_intern_octets(const struct fib_intern *t)
{
	return t->octets + t->cap * sizeof(*t->at) + t->refs_cap * sizeof(*t->refs) +
	       t->wait_cap * sizeof(*t->wait) + t->fresh_cap * sizeof(*t->fresh) +
	       t->name_cap * sizeof(*t->name);
}
