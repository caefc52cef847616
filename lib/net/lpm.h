/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map of longest matches: which of the prefixes that are in it contains an address, and
 * is the longest of those. Its values are numbers; 0 is none.
 *
 * One thread writes, any number of threads read at the same time.
 *
 * G1  What a reader gets was the longest match of its address at an instant between the
 *     call of lpm_find and its return.
 * G2  A value that was dropped is found by nobody who was quiescent since.
 * Progress: readers never wait. They are wait-free for addresses in a prefix longer than
 * 16 bits; for others they look again when a prefix of at most 16 bits that contains the
 * address changed meanwhile.
 * Cost of a look-up: one line of memory for 16 bits of the address, then one or two for
 * each 8 bits of the longest prefix around. */
#ifndef TERN_LIB_NET_LPM_H
#define TERN_LIB_NET_LPM_H

#include "lib/base/check.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

struct lpm;
struct lpm_old;

#define LPM_VALUE_MAX ((1u << 25) - 1)

/* The longest prefix that contains another one and isn't that. value 0: there is none. */
struct lpm_cover {
	uint32_t value;
	uint8_t len;
};

/* lpm_new - empty, for addresses of @fam. */
OWNED struct lpm *lpm_new(enum family fam);
/* lpm_free - nobody reads it, and all of lpm_old_take was given back. */
void lpm_free(TAKE struct lpm *m);

/* ---- the writer ---- */

/* lpm_has_room - for one more prefix. */
bool lpm_has_room(const struct lpm *m);
/* lpm_put - @p, which isn't in it, with @value, which no other prefix has; there is room.
 * @c: its cover among those that are in it.
 * lpm_drop - it is in it, with @value.
 * Cost: of a prefix longer than 16 bits what lies below it; of others one store for each
 * 16 bits of address in it: 0.2 to 0.4 ms for all. */
void lpm_put(struct lpm *m, const struct prefix *p, uint32_t value, struct lpm_cover c);
void lpm_drop(struct lpm *m, const struct prefix *p, uint32_t value, struct lpm_cover c);
/* lpm_old_take - memory that nobody finds any more, to be given back by lpm_old_free a
 * grace period later. NULL: there is none. */
OWNED struct lpm_old *lpm_old_take(struct lpm *m);
void lpm_old_free(struct lpm *m, TAKE struct lpm_old *o);
/* lpm_nodes - how many there are, with those that wait in lpm_old. */
uint32_t lpm_nodes(const struct lpm *m);

/* ---- any thread under RCU ---- */

/* lpm_find - the value of the longest prefix that contains @a, an address of the map's
 * family; 0: none does. */
uint32_t lpm_find(const struct lpm *m, struct ip_addr a);
/* lpm_mem - an array of *@len octets, parts of which were never used; until lpm_free. And
 * what else there is: *@nodes octets. */
const void *lpm_mem(const struct lpm *m, size_t *len, size_t *nodes);

#endif
