/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of prefixes with origins: each entry has a prefix, the lengths that a route
 * within the prefix may have, and the AS that may originate the route. Built from entries
 * of the configuration; immutable once built; any thread may ask. Owner: the
 * configuration. Life: the arena of the configuration. */
#ifndef TERN_FILTER_SET_ORIGIN_SET_H
#define TERN_FILTER_SET_ORIGIN_SET_H

#include "filter/value/irr.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

struct origin_set;

/* An entry. Owner: the holder; by value: nothing to free. */
struct origin_entry {
	struct ip_addr addr; /* masked to len bits of its family */
	uint32_t origin;
	uint8_t len, lo, hi; /* len <= lo <= hi <= bits of the family */
	uint8_t fam; /* enum family */
};

/* origin_set_build - @e is sorted in place (fast if it is already); equal entries count
 * once. Result in @a: 24 octets for an IPv4 entry, 36 for an IPv6 entry. */
const struct origin_set *origin_set_build(
    struct arena *a, struct origin_entry *e, uint32_t cnt);
/* origin_set_check - may @asn originate @p? Cost: one search among the prefixes, and a
 * step for each prefix of the set that contains @p. */
enum irr_state origin_set_check(
    const struct origin_set *s, const struct prefix *p, uint32_t asn);
/* origin_set_size - number of different entries. */
uint32_t origin_set_size(const struct origin_set *s);
/* origin_set_hash - two words, equal for sets with equal entries. */
void origin_set_hash(const struct origin_set *s, uint64_t out[2]);
/* origin_set_print - print the entries as in a configuration, sorted; for many entries
 * only the number. */
void origin_set_print(struct strbuf *b, const struct origin_set *s);

#endif
