/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes by prefix and path identifier: an open hash with linear probing. Removing a
 * route moves later routes forward, so the table needs no marks. */
#include "test/sim/rib.h"

#include "test/sim/codec.h"
#include "test/sim/sim_priv.h"
#include "test/sim/words.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKET_CNT (1 << 16)

/* All attributes of the world. */
struct sim_attrs {
	struct rib_attrs *bucket[BUCKET_CNT];
};

static uint64_t
hash_octets(const void *octets, size_t len)
{
	const uint8_t *p = octets;
	uint64_t h = len, v;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&v, p, 8);
		h = (h ^ v) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	v = 0;
	memcpy(&v, p, len);
	h = (h ^ v) * 0xbf58476d1ce4e5b9ull;
	return h ^ h >> 32;
}

struct rib_attrs *
rib_attrs_get(const void *octets, uint32_t len)
{
	struct sim_attrs *all = sim_root(&sim->attrs, sizeof(*all));
	uint64_t h = hash_octets(octets, len);
	struct rib_attrs **at = &all->bucket[h % BUCKET_CNT], *a;

	for (a = *at; a; a = a->next)
		if (a->hash == h && a->len == len && !memcmp(a->octets, octets, len))
			return a;
	a = calloc(1, sizeof(*a) + len);
	a->hash = h;
	a->len = len;
	memcpy(a->octets, octets, len);
	a->next = *at;
	*at = a;
	return a;
}

struct rib_attrs *
rib_attrs_of(const char *text)
{
	struct rib_attrs *a = rib_attrs_get(text, (uint32_t)strlen(text) + 1);
	const char *wrong = a->text ? NULL : codec_wrong_attrs(text);

	if (wrong)
		sim_fail("'%s' is no attribute of a route, or occurs twice",
		    wrong + strspn(wrong, " "));
	a->text = (char *)a->octets;
	return a;
}

bool
rib_key_of(struct rib_key *k, const char *prefix, uint32_t id)
{
	const char *slash = strchr(prefix, '/');
	char text[64];

	memset(k, 0, sizeof(*k));
	if (!slash || (size_t)(slash - prefix) >= sizeof(text))
		return false;
	memcpy(text, prefix, (size_t)(slash - prefix));
	text[slash - prefix] = 0;
	k->v6 = strchr(text, ':');
	k->id = id;
	return words_length(slash + 1, k->v6 ? 128 : 32, &k->len) &&
	       inet_pton(k->v6 ? AF_INET6 : AF_INET, text, k->octet) == 1;
}

void
rib_prefix(char out[64], const struct rib_key *k)
{
	inet_ntop(k->v6 ? AF_INET6 : AF_INET, k->octet, out, 60);
	sprintf(out + strlen(out), "/%u", k->len);
}

static uint32_t
rib_home_of(const struct rib *r, const struct rib_key *k)
{
	uint64_t a, b;

	memcpy(&a, k->octet, 8);
	memcpy(&b, k->octet + 8, 8);
	a = (a ^ b << 7 ^ (uint64_t)k->id << 40 ^ k->len) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(a >> 40) & (r->cap - 1);
}

bool
rib_same(const struct rib_key *a, const struct rib_key *b)
{
	return a->len == b->len && a->id == b->id && a->v6 == b->v6 &&
	       !memcmp(a->octet, b->octet, sizeof(a->octet));
}

/* slot_of - where @k is, or the free slot where @k would be. */
static uint32_t
rib_slot_of(const struct rib *r, const struct rib_key *k)
{
	uint32_t i = rib_home_of(r, k);

	while (r->slot[i].attrs && !rib_same(&r->slot[i].key, k))
		i = (i + 1) & (r->cap - 1);
	return i;
}

static void
rib_grow(struct rib *r)
{
	struct rib old = *r;

	r->cap = old.cap ? 2 * old.cap : 64;
	r->slot = calloc(r->cap, sizeof(*r->slot));
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.slot[i].attrs)
			r->slot[rib_slot_of(r, &old.slot[i].key)] = old.slot[i];
	free(old.slot);
}

bool
rib_put(struct rib *r, const struct rib_key *k, struct rib_attrs *attrs)
{
	struct rib_route *at;

	if (r->cnt * 3 >= r->cap * 2)
		rib_grow(r);
	at = &r->slot[rib_slot_of(r, k)];
	if (at->attrs == attrs)
		return false;
	r->cnt += !at->attrs;
	at->key = *k;
	at->attrs = attrs;
	return true;
}

bool
rib_drop(struct rib *r, const struct rib_key *k)
{
	uint32_t i, j, home;

	if (!r->cap || !r->slot[i = rib_slot_of(r, k)].attrs)
		return false;
	r->cnt--;
	for (j = i;;) {
		j = (j + 1) & (r->cap - 1);
		if (!r->slot[j].attrs)
			break;
		home = rib_home_of(r, &r->slot[j].key);
		/* The route at @j may move to @i if its home is not between them. */
		if (((j - home) & (r->cap - 1)) >= ((j - i) & (r->cap - 1))) {
			r->slot[i] = r->slot[j];
			i = j;
		}
	}
	r->slot[i].attrs = NULL;
	return true;
}

struct rib_attrs *
rib_get(const struct rib *r, const struct rib_key *k)
{
	return r->cap ? r->slot[rib_slot_of(r, k)].attrs : NULL;
}

const struct rib_route *
rib_next(const struct rib *r, uint32_t *at)
{
	while (*at < r->cap && !r->slot[*at].attrs)
		++*at;
	return *at < r->cap ? &r->slot[(*at)++] : NULL;
}

void
rib_clear(struct rib *r)
{
	free(r->slot);
	*r = (struct rib){ 0 };
}
