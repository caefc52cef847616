/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned objects with an index.
 *
 * I1  An index in the list of free indices has at[index] == NULL.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c. */
#include "lib/fib/fib_value.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

void
fib_intern_init(struct fib_intern *t, uint32_t max, uint64_t octets_max)
{
	*t = (struct fib_intern){
		.max = max, .octets_max = octets_max, .top = 1, .seed = hash_seed_random()
	};
	htab_init(&t->names, MEM_PROTO);
}

void
fib_intern_fini(struct fib_intern *t)
{
	for (uint32_t i = 1; i < t->top; i++)
		mem_free(MEM_PROTO, t->at[i]);
	htab_fini(&t->names);
	mem_free(MEM_PROTO, t->at);
	mem_free(MEM_PROTO, t->refs);
	mem_free(MEM_PROTO, t->wait);
	mem_free(MEM_PROTO, t->fresh);
}

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

uint32_t
fib_intern_get(struct fib_intern *t, const void *key, uint32_t len)
{
	uint64_t hash = hash_bytes(t->seed, key, len);
	struct fib_object *o;
	struct htab_node *n;
	uint32_t index;

	htab_each_same (n, &t->names, hash) {
		o = container_of(n, struct fib_object, node);
		if (o->len == len && !memcmp(o->key, key, len)) {
			t->refs[o->index]++;
			return o->index;
		}
	}
	index = t->octets + sizeof(*o) + len <= t->octets_max ? fib_intern_index(t) : 0;
	if (!index)
		return 0;
	o = mem_zalloc(MEM_PROTO, sizeof(*o) + len);
	t->refs[index] = 1;
	o->index = index;
	o->len = len;
	memcpy(o->key, key, len);
	htab_add(&t->names, &o->node, hash);
	t->at[index] = o;
	t->cnt++;
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
	htab_del(&t->names, &o->node);
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
	       t->names.bucket_cnt * sizeof(void *);
}
