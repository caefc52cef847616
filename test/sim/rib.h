/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes of a member by prefix and path identifier: announced routes and received routes
 * (rib.c).
 *
 * Attributes are interned: equal attributes have equal addresses, and live as long as the
 * world. */
#ifndef TERN_TEST_SIM_RIB_H
#define TERN_TEST_SIM_RIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rib_attrs {
	struct rib_attrs *next;
	uint64_t hash;
	char *text; /* NULL: nobody has asked yet */
	uint32_t len;
	uint8_t octets[]; /* as the codec lays them out; of announced routes: the text */
};

struct rib_key {
	uint8_t octet[16];
	uint32_t id; /* of add-path; 0: none */
	uint8_t len;
	bool v6;
};

struct rib_route {
	struct rib_key key;
	struct rib_attrs *attrs; /* NULL: a free slot */
};

/* owner: a member. Slots are in an order that depends on the keys and on the history. */
struct rib {
	struct rib_route *slot;
	uint32_t cnt, cap;
};

/* rib_attrs_get - the interned attributes with these octets. */
struct rib_attrs *rib_attrs_get(const void *octets, uint32_t len);
/* rib_attrs_of - the interned attributes of a text. */
struct rib_attrs *rib_attrs_of(const char *text);

/* rib_key_of - "192.0.2.0/24". Returns: false: no prefix. */
bool rib_key_of(struct rib_key *k, const char *prefix, uint32_t id);
bool rib_same(const struct rib_key *a, const struct rib_key *b);
/* rib_prefix - the prefix as text. */
void rib_prefix(char out[64], const struct rib_key *k);

/* rib_put - add or replace. Returns: has the RIB changed? */
bool rib_put(struct rib *r, const struct rib_key *k, struct rib_attrs *attrs);
/* rib_drop - Returns: was the route there? */
bool rib_drop(struct rib *r, const struct rib_key *k);
struct rib_attrs *rib_get(const struct rib *r, const struct rib_key *k);
/* rib_next - the first route at or behind slot *@at, which moves on; NULL: the end. */
const struct rib_route *rib_next(const struct rib *r, uint32_t *at);
void rib_clear(struct rib *r);

#endif
