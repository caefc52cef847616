/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map of longest matches: for an address the map finds the longest prefix that contains
 * the address. The values are numbers; 0 means no value.
 *
 * One thread writes, any number of threads read at the same time.
 *
 * G1  A reader gets a value that was the longest match of the address at an instant
 *     between the call of lpm_find and the return.
 * G2  A reader that was quiescent after a drop does not find the dropped value.
 * Progress: readers never wait. Readers are wait-free for addresses in a prefix longer
 * than 16 bits. For other addresses a reader looks again if a covering prefix of at most
 * 16 bits changed meanwhile.
 * Cost: a look-up reads one line of memory for the first 16 bits, then one or two lines
 * for each 8 bits of the longest covering prefix. */
#ifndef TERN_LIB_NET_LPM_H
#define TERN_LIB_NET_LPM_H

#include "lib/base/check.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

struct lpm;
struct lpm_old;

#define LPM_VALUE_MAX ((1u << 25) - 1)

/* The longest other prefix that contains a prefix. value 0: none. Owner: the caller.
 * Life: by value. */
struct lpm_cover {
	uint32_t value;
	uint8_t len;
};

/* lpm_new - an empty map for addresses of @fam. */
OWNED struct lpm *lpm_new(enum family fam);
/* lpm_free - free the map. No reader is left, and the caller has given back all memory of
 * lpm_old_take. */
void lpm_free(TAKE struct lpm *m);

/* ---- the writer ---- */

/* lpm_has_room - true if one more prefix fits. */
bool lpm_has_room(const struct lpm *m);
/* lpm_put - add @p with @value. The map has room and holds neither @p nor @value. @c: the
 * cover of @p in the map.
 * lpm_drop - remove @p, which the map holds with @value.
 * Cost: for a prefix longer than 16 bits the nodes below the prefix; for a shorter prefix
 * one store per 16 bits of address: 0.2 to 0.4 ms for 0.0.0.0/0. */
void lpm_put(struct lpm *m, const struct prefix *p, uint32_t value, struct lpm_cover c);
void lpm_drop(struct lpm *m, const struct prefix *p, uint32_t value, struct lpm_cover c);
/* lpm_old_take - take the memory that no new reader finds. The caller gives the memory
 * back by lpm_old_free a grace period later. NULL: none. */
OWNED struct lpm_old *lpm_old_take(struct lpm *m);
void lpm_old_free(struct lpm *m, TAKE struct lpm_old *o);

/* ---- any thread under RCU ---- */

/* lpm_find - the value of the longest prefix that contains @a, an address of the map's
 * family; 0: none. */
uint32_t lpm_find(const struct lpm *m, struct ip_addr a);
/* lpm_mem - the array for the first 16 bits: *@len octets, partly never used, valid until
 * lpm_free. *@nodes: octets of the rest of the map. */
const void *lpm_mem(const struct lpm *m, size_t *len, size_t *nodes);

#endif
